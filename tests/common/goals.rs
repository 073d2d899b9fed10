//! The goals that are shipped, with sizes at which their kernels are tried.

/// A shipped goal.
pub struct Goal {
    pub program: &'static str,
    pub sketch: &'static str,
    /// Of its parameters.
    pub set: &'static str,
    /// Sizes that the kernel is made for.
    pub fixed: &'static str,
    /// Sizes that it takes.
    pub at: &'static [&'static str],
    /// Whether its steps may regroup sums, and do.
    pub regroups: bool,
}

const fn goal(sketch: &'static str, set: &'static str, at: &'static [&'static str]) -> Goal {
    Goal {
        program: "programs/mm.rise",
        sketch,
        set,
        fixed: "",
        at,
        regroups: false,
    }
}

/// Of another program, at any size.
const fn of(
    program: &'static str,
    sketch: &'static str,
    set: &'static str,
    at: &'static [&'static str],
) -> Goal {
    Goal {
        program,
        ..goal(sketch, set, at)
    }
}

/// The same where sums are regrouped.
const fn regrouped(
    program: &'static str,
    sketch: &'static str,
    set: &'static str,
    at: &'static [&'static str],
) -> Goal {
    Goal {
        regroups: true,
        ..of(program, sketch, set, at)
    }
}

/// Every goal that is shipped, with its own parameters and with others.
pub const GOALS: &[Goal] = &[
    goal("sketches/mm/baseline.sk", "", ANY),
    goal("sketches/mm/blocking.sk", "", TILES),
    goal("sketches/mm/vectorization.sk", "", TILES),
    goal("sketches/mm/loop-perm.sk", "", TILES),
    goal("sketches/mm/array-packing.sk", "", TILES),
    goal("sketches/mm/cache-blocks.sk", "", TILES),
    goal("sketches/mm/parallel.sk", "", TILES),
    goal("sketches/mm/micro.sk", "", ANY),
    goal("sketches/mm/micro-parallel.sk", "", ANY),
    goal("sketches/mm/micro-parallel.sk", NARROW, SHARED),
    Goal {
        program: "programs/mm_bias_relu.rise",
        ..goal("sketches/mm_bias_relu/fused-parallel.sk", "", ANY)
    },
    Goal {
        program: "programs/mm_bias_relu.rise",
        ..goal("sketches/mm_bias_relu/fused-parallel.sk", NARROW, SHARED)
    },
    Goal {
        program: "programs/mm_row_max.rise",
        ..goal("sketches/mm_row_max/fused-parallel.sk", "", ANY)
    },
    Goal {
        program: "programs/mm_row_max.rise",
        ..goal("sketches/mm_row_max/fused-parallel.sk", NARROW, SHARED)
    },
    Goal {
        program: "programs/gemm.rise",
        ..goal("sketches/gemm/fused-parallel.sk", "", ANY)
    },
    Goal {
        program: "programs/f64/mm.rise",
        ..goal("sketches/mm/micro-parallel-f64.sk", "", ANY)
    },
    Goal {
        program: "programs/batched_mm.rise",
        fixed: "m=8,n=8,k=8",
        ..goal(
            "sketches/batched_mm/small.sk",
            "mr=4,lanes=8",
            &["t=3", "t=0"],
        )
    },
    Goal {
        program: "programs/batched_mm.rise",
        fixed: "m=5,n=5,k=5",
        ..goal(
            "sketches/batched_mm/padded.sk",
            "mr=5,nr=8,lanes=8",
            &["t=3", "t=0"],
        )
    },
    regrouped(
        "programs/dot.rise",
        "sketches/dot/parallel.sk",
        "block=256,unroll=2",
        LONG,
    ),
    regrouped(
        "programs/dot.rise",
        "sketches/reduction/parallel.sk",
        "",
        &["n=50001"],
    ),
    regrouped(
        "programs/reduction/extrema.rise",
        "sketches/reduction/lanes.sk",
        "block=256,unroll=2",
        LONG,
    ),
    regrouped(
        "programs/reduction/moments.rise",
        "sketches/reduction/lanes.sk",
        "block=256,unroll=2",
        LONG,
    ),
    regrouped(
        "programs/reduction/log_sum_exp.rise",
        "sketches/reduction/approximate.sk",
        "block=256,unroll=2",
        LONG,
    ),
    regrouped(
        "programs/reduction/log_sum_exp.rise",
        "sketches/reduction/weights.sk",
        "block=256,unroll=2",
        LONG,
    ),
    regrouped(
        "programs/reduction/softmax_sum.rise",
        "sketches/reduction/weights.sk",
        "block=256,unroll=2",
        LONG,
    ),
    of(
        "programs/other/histogram.rise",
        "sketches/histogram/parallel.sk",
        "block=64",
        COUNTS,
    ),
    regrouped(
        "programs/reduction/argmin.rise",
        "sketches/reduction/rows.sk",
        "block=256,unroll=2",
        LONG,
    ),
    regrouped(
        "programs/reduction/segment_sum.rise",
        "sketches/reduction/strips.sk",
        "strip=16",
        LONG,
    ),
    regrouped(
        "programs/reduction/recurrence.rise",
        "sketches/reduction/scan.sk",
        "block=64",
        LONG,
    ),
    regrouped(
        "programs/reduction/recurrence.rise",
        "sketches/reduction/scan_abreast.sk",
        "block=16",
        LONG,
    ),
    regrouped(
        "programs/reduction/prefix_sum.rise",
        "sketches/reduction/scan_lanes.sk",
        "block=256,unroll=2",
        LONG,
    ),
    regrouped(
        "programs/reduction/sum.rise",
        "sketches/reduction/compensated.sk",
        "block=256,unroll=2",
        LONG,
    ),
    of(
        "programs/reduction/argmin_2d.rise",
        "sketches/argmin_2d/parallel.sk",
        "",
        ROWS,
    ),
    of(
        "programs/reduction/byte_histogram.rise",
        "sketches/byte_histogram/parallel.sk",
        "block=64",
        LONG,
    ),
    regrouped(
        "programs/gemv.rise",
        "sketches/rows/parallel.sk",
        "unroll=2",
        ROWS,
    ),
    of(
        "programs/linear/axpy.rise",
        "sketches/elementwise/parallel.sk",
        "",
        &["n=50001"],
    ),
    regrouped(
        "programs/linear/asum.rise",
        "sketches/asum/parallel.sk",
        "block=128,unroll=4",
        LONG,
    ),
    regrouped(
        "programs/linear/nrm2.rise",
        "sketches/nrm2/parallel.sk",
        "block=384,unroll=3",
        LONG,
    ),
    regrouped("programs/gemv.rise", "sketches/gemv/parallel.sk", "", ROWS),
    regrouped(
        "programs/layer/mean_pool.rise",
        "sketches/mean_pool/parallel.sk",
        "unroll=2",
        &["c=3,h=5,w=7", "c=2,h=9,w=19", "c=1,h=1,w=1"],
    ),
    regrouped(
        "programs/linear/trmv.rise",
        "sketches/trmv/parallel.sk",
        "unroll=2",
        &["n=45", "n=3", "n=1", "n=0"],
    ),
    regrouped(
        "programs/layer/rms_norm.rise",
        "sketches/rms_norm/parallel.sk",
        "unroll=2",
        ROWS,
    ),
    regrouped(
        "programs/layer/layer_norm.rise",
        "sketches/layer_norm/parallel.sk",
        "unroll=3",
        ROWS,
    ),
    of(
        "programs/linear/axpy.rise",
        "sketches/axpy/parallel.sk",
        "block=64",
        LONG,
    ),
    of(
        "programs/binomial.rise",
        "sketches/binomial/parallel.sk",
        "wide=2",
        IMAGE,
    ),
    of(
        "programs/layer/conv2d.rise",
        "sketches/conv2d/parallel.sk",
        "mr=3",
        &["o=7,c=2,h=3,w=149", "o=2,c=3,h=2,w=5", "o=1,c=0,h=1,w=1"],
    ),
    of(
        "programs/layer/conv2d_nhwc.rise",
        "sketches/conv2d_nhwc/parallel.sk",
        "mr=3",
        &["n=2,h=2,w=7,c=2,o=149", "n=1,h=1,w=1,c=0,o=5"],
    ),
    of(
        "programs/layer/conv2d_stride2.rise",
        "sketches/conv2d_stride2/parallel.sk",
        "mr=3",
        &["o=7,c=2,h=1,w=37", "o=2,c=0,h=0,w=0"],
    ),
    of(
        "programs/linear/ger.rise",
        "sketches/ger/parallel.sk",
        "",
        ROWS,
    ),
    of(
        "programs/linear/gemv_transposed.rise",
        "sketches/gemv_transposed/parallel.sk",
        "wide=2",
        ROWS,
    ),
    of(
        "programs/linear/transposed.rise",
        "sketches/transposed/parallel.sk",
        "",
        ROWS,
    ),
    of(
        "programs/stencil/jacobi2d.rise",
        "sketches/jacobi2d/parallel.sk",
        "",
        &["t=3,h=4,w=9", "t=0,h=2,w=3", "t=1,h=1,w=1"],
    ),
    of(
        "programs/stencil/life.rise",
        "sketches/life/parallel.sk",
        "",
        &["t=3,h=4,w=9", "t=0,h=2,w=3", "t=1,h=1,w=1"],
    ),
    of(
        "programs/other/black_scholes.rise",
        "sketches/black_scholes/approximate.sk",
        "block=64",
        &["n=150", "n=17", "n=1", "n=0"],
    ),
    of(
        "programs/image/sobel.rise",
        "sketches/sobel/parallel.sk",
        "",
        IMAGE,
    ),
    of(
        "programs/image/max_filter.rise",
        "sketches/max_filter/parallel.sk",
        "",
        &["h=4,w=33", "h=1,w=2", "h=0,w=0"],
    ),
    of(
        "programs/image/harris.rise",
        "sketches/harris/parallel.sk",
        "",
        &["h=4,w=33", "h=1,w=1"],
    ),
    of(
        "programs/image/gaussian7.rise",
        "sketches/gaussian7/parallel.sk",
        "",
        &["h=5,w=33", "h=1,w=2", "h=0,w=0"],
    ),
    regrouped(
        "programs/layer/softmax.rise",
        "sketches/softmax/parallel.sk",
        "unroll=2",
        ROWS,
    ),
    regrouped(
        "programs/layer/attention.rise",
        "sketches/attention/parallel.sk",
        "wide=2,unroll=2",
        &["m=3,n=83,d=5,e=55", "m=2,n=1,d=1,e=1", "m=1,n=7,d=2,e=3"],
    ),
    of(
        "programs/layer/cumsum.rise",
        "sketches/cumsum/parallel.sk",
        "",
        ROWS,
    ),
    of(
        "programs/layer/gelu.rise",
        "sketches/gelu/parallel.sk",
        "block=64",
        LONG,
    ),
    of(
        "programs/layer/silu_gate.rise",
        "sketches/silu_gate/parallel.sk",
        "block=64",
        LONG,
    ),
    of(
        "programs/other/nbody.rise",
        "sketches/nbody/parallel.sk",
        "",
        LONG,
    ),
    of(
        "programs/image/bilateral.rise",
        "sketches/bilateral/parallel.sk",
        "",
        FEW,
    ),
    of(
        "programs/image/block_match.rise",
        "sketches/block_match/parallel.sk",
        "",
        &["h=4,w=9,a=2,b=3", "h=0,w=0,a=0,b=0"],
    ),
    of(
        "programs/image/blur_bytes.rise",
        "sketches/blur_bytes/parallel.sk",
        "",
        IMAGE,
    ),
    of(
        "programs/image/dilate_bytes.rise",
        "sketches/dilate_bytes/parallel.sk",
        "",
        IMAGE,
    ),
    of(
        "programs/image/downscale.rise",
        "sketches/downscale/parallel.sk",
        "",
        IMAGE,
    ),
    of(
        "programs/image/gaussian5.rise",
        "sketches/gaussian5/parallel.sk",
        "",
        IMAGE,
    ),
    of(
        "programs/image/grey.rise",
        "sketches/grey/parallel.sk",
        "",
        IMAGE,
    ),
    of(
        "programs/image/harris.rise",
        "sketches/stages/parallel.sk",
        "",
        FEW,
    ),
    of(
        "programs/image/local_variance.rise",
        "sketches/local_variance/parallel.sk",
        "",
        FEW,
    ),
    of(
        "programs/image/median.rise",
        "sketches/median/parallel.sk",
        "",
        IMAGE,
    ),
    of(
        "programs/image/sobel_bytes.rise",
        "sketches/sobel_bytes/parallel.sk",
        "",
        IMAGE,
    ),
    of(
        "programs/image/unsharp.rise",
        "sketches/unsharp/parallel.sk",
        "",
        IMAGE,
    ),
    of(
        "programs/layer/argmax.rise",
        "sketches/argmax/parallel.sk",
        "",
        ROWS,
    ),
    regrouped(
        "programs/layer/attention.rise",
        "sketches/attention/approximate.sk",
        "wide=2,unroll=2",
        &["m=3,n=83,d=5,e=55", "m=1,n=7,d=2,e=3"],
    ),
    of(
        "programs/layer/depthwise.rise",
        "sketches/depthwise/parallel.sk",
        "",
        &["c=3,h=4,w=33", "c=1,h=1,w=1"],
    ),
    of(
        "programs/layer/gelu.rise",
        "sketches/gelu/approximate.sk",
        "block=64",
        LONG,
    ),
    of(
        "programs/layer/gelu.rise",
        "sketches/elementwise/approximate.sk",
        "block=64",
        LONG,
    ),
    of(
        "programs/layer/max_pool.rise",
        "sketches/max_pool/parallel.sk",
        "",
        &["c=3,h=4,w=33", "c=1,h=1,w=1"],
    ),
    regrouped(
        "programs/layer/mean_pool.rise",
        "sketches/mean_pool/parallel.sk",
        "",
        &["c=3,h=4,w=33", "c=1,h=1,w=1"],
    ),
    of(
        "programs/layer/silu_gate.rise",
        "sketches/silu_gate/approximate.sk",
        "block=64",
        LONG,
    ),
    regrouped(
        "programs/layer/softmax.rise",
        "sketches/softmax/approximate.sk",
        "unroll=2",
        ROWS,
    ),
    of(
        "programs/linear/mm_integers.rise",
        "sketches/mm_integers/parallel.sk",
        "",
        ANY,
    ),
    regrouped(
        "programs/linear/syrk.rise",
        "sketches/syrk/parallel.sk",
        "",
        &["n=9,k=35", "n=1,k=0", "n=0,k=3"],
    ),
    regrouped(
        "programs/linear/trmv.rise",
        "sketches/trmv/parallel.sk",
        "",
        &["n=37", "n=1", "n=0"],
    ),
    of("programs/mm_bt.rise", "sketches/mm_bt/parallel.sk", "", ANY),
    of(
        "programs/other/iir.rise",
        "sketches/iir/parallel.sk",
        "",
        ROWS,
    ),
    of(
        "programs/other/mandelbrot.rise",
        "sketches/mandelbrot/parallel.sk",
        "",
        &["k=20,h=4,w=33", "k=0,h=1,w=1"],
    ),
    regrouped(
        "programs/other/nearest.rise",
        "sketches/nearest/parallel.sk",
        "",
        &["m=5,n=17,d=9", "m=1,n=1,d=1"],
    ),
    of(
        "programs/stencil/heat.rise",
        "sketches/heat/parallel.sk",
        "",
        &["t=3,h=4,w=9", "t=0,h=2,w=3", "t=1,h=1,w=1"],
    ),
    of(
        "programs/stencil/jacobi1d.rise",
        "sketches/jacobi1d/parallel.sk",
        "",
        &["t=3,n=37", "t=0,n=1"],
    ),
    of(
        "programs/stencil/jacobi3d.rise",
        "sketches/jacobi3d/parallel.sk",
        "",
        &["t=2,d=4,h=5,w=9", "t=1,d=1,h=1,w=1"],
    ),
    regrouped(
        "programs/dot.rise",
        "sketches/reduction/blocks.sk",
        "block=64",
        LONG,
    ),
    regrouped(
        "programs/linear/ell.rise",
        "sketches/ell/parallel.sk",
        "",
        &["m=5,n=9,k=37", "m=1,n=1,k=1", "m=0,n=3,k=2"],
    ),
    of(
        "programs/other/horner.rise",
        "sketches/horner/parallel.sk",
        "block=64",
        &["n=150,k=3", "n=17,k=0", "n=0,k=2"],
    ),
    of(
        "programs/linear/kronecker.rise",
        "sketches/kronecker/parallel.sk",
        "",
        &["m=2,n=3,p=4,q=9", "m=1,n=1,p=1,q=1"],
    ),
    of(
        "programs/linear/mm_bytes.rise",
        "sketches/mm_bytes/parallel.sk",
        "",
        ANY,
    ),
    of(
        "programs/stencil.rise",
        "sketches/stencil/parallel.sk",
        "block=64",
        &["n=797", "n=130", "n=17", "n=1"],
    ),
    of(
        "programs/stencil.rise",
        "sketches/elementwise/blocks.sk",
        "block=64",
        &["n=797", "n=130", "n=17", "n=1"],
    ),
    of(
        "programs/vector_add.rise",
        "sketches/vector_add/parallel.sk",
        "block=64",
        LONG,
    ),
    goal("sketches/risegg/baseline.sk", "", ANY),
    goal("sketches/risegg/blocking.sk", "", TILES),
    goal("sketches/risegg/vectorization.sk", "", TILES),
    goal("sketches/risegg/loop-perm.sk", "", TILES),
    goal("sketches/risegg/array-packing.sk", "", TILES),
    goal("sketches/risegg/cache-blocks.sk", "", TILES),
    goal("sketches/risegg/parallel.sk", "", TILES),
];

/// Tiles of which some are shared among threads at small sizes.
const NARROW: &str = "mr=3,nr=8,lanes=4,group=2,small=4,rows=8,handful=3,near=100";
const SHARED: &[&str] = &["m=22,n=35,k=7", "m=22,n=9,k=7", "m=7,n=35,k=6"];
const ANY: &[&str] = &["m=9,n=35,k=5", "m=0,n=4,k=3", "m=3,n=2,k=0"];
/// Several blocks of parts, one of a rest, none.
const LONG: &[&str] = &["n=797", "n=130", "n=17", "n=1", "n=0"];
/// The same, with more places than numbers and fewer.
const COUNTS: &[&str] = &[
    "n=797,b=37",
    "n=130,b=300",
    "n=64,b=1",
    "n=0,b=3",
    "n=0,b=0",
];
/// Rows of several vectors and rests.
const ROWS: &[&str] = &["m=5,n=339", "m=3,n=17", "m=1,n=1", "m=0,n=4", "m=2,n=0"];
/// Images, from rows of several blocks to one pixel.
const IMAGE: &[&str] = &["h=4,w=149", "h=3,w=17", "h=1,w=1"];
/// Images whose pixels take the interpreter long.
const FEW: &[&str] = &["h=4,w=33", "h=1,w=1"];
/// What 32 and 4 divide.
const TILES: &[&str] = &["m=64,n=32,k=8", "m=32,n=0,k=4"];
