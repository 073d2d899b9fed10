//! Which programs are measured, at which sizes, and what their work is.

/// A program of a size, by name.
pub type Size<'a> = &'a dyn Fn(&str) -> f64;

/// What a kernel has to do at least.
pub enum Work {
    /// To read its arguments and write its results once.
    Bytes,
    /// So many operations of numbers.
    Operations(fn(Size) -> f64),
}

use Work::{Bytes, Operations};

pub struct Measured {
    /// `image/harris` of `programs/image/harris.rise` and `benches/programs/image/harris.c`.
    pub name: &'static str,
    pub sizes: &'static str,
    pub work: Work,
}

const fn row(name: &'static str, sizes: &'static str, work: Work) -> Measured {
    Measured { name, sizes, work }
}

/// Of products that have sketches for many purposes, the one for any size.
pub const SKETCHES: &[(&str, &[&str])] = &[
    ("mm", &["sketches/mm/micro-parallel.sk"]),
    ("f64/mm", &["sketches/mm/micro-parallel-f64.sk"]),
    // They are for sizes that are fixed.
    ("batched_mm", &[]),
    (
        "reduction/sum",
        &[
            "sketches/reduction/parallel.sk",
            "sketches/reduction/compensated.sk",
        ],
    ),
    ("reduction/argmin", &["sketches/reduction/rows.sk"]),
    ("reduction/extrema", &["sketches/reduction/lanes.sk"]),
    ("reduction/moments", &["sketches/reduction/lanes.sk"]),
    (
        "reduction/complex_product",
        &["sketches/reduction/lanes.sk"],
    ),
    ("reduction/fibonacci", &["sketches/reduction/blocks.sk"]),
    ("reduction/segment_sum", &["sketches/reduction/strips.sk"]),
    (
        "reduction/log_sum_exp",
        &[
            "sketches/reduction/lanes.sk",
            "sketches/reduction/approximate.sk",
            "sketches/reduction/weights.sk",
        ],
    ),
    (
        "reduction/softmax_sum",
        &[
            "sketches/reduction/lanes.sk",
            "sketches/reduction/approximate.sk",
            "sketches/reduction/weights.sk",
        ],
    ),
    (
        "reduction/prefix_sum",
        &[
            "sketches/reduction/scan_lanes.sk",
            "sketches/reduction/scan_abreast.sk",
        ],
    ),
    (
        "reduction/running_max",
        &["sketches/reduction/scan_lanes.sk"],
    ),
    (
        "reduction/recurrence",
        &[
            "sketches/reduction/scan.sk",
            "sketches/reduction/scan_abreast.sk",
        ],
    ),
];

fn product(s: Size) -> f64 {
    2.0 * s("m") * s("n") * s("k")
}

fn pixels(s: Size) -> f64 {
    s("h") * s("w")
}

pub const PROGRAMS: &[Measured] = &[
    row("binomial", "h=1536,w=2560", Bytes),
    row("image/gaussian5", "h=1536,w=2560", Bytes),
    row("image/gaussian7", "h=1535,w=2559", Bytes),
    row("image/unsharp", "h=1536,w=2560", Bytes),
    row("image/sobel", "h=1536,w=2560", Bytes),
    row("image/harris", "h=1536,w=2560", Bytes),
    row("image/max_filter", "h=1535,w=2559", Bytes),
    row(
        "image/bilateral",
        "h=512,w=640",
        Operations(|s| 25.0 * 8.0 * pixels(s)),
    ),
    row("image/local_variance", "h=1536,w=2560", Bytes),
    row("image/downscale", "h=1024,w=1280", Bytes),
    row("image/upscale", "h=1024,w=1280", Bytes),
    row("image/grey", "h=2048,w=2048", Bytes),
    row("image/blur_bytes", "h=2048,w=2048", Bytes),
    row("image/sobel_bytes", "h=2048,w=2048", Bytes),
    row("image/dilate_bytes", "h=2048,w=2048", Bytes),
    row("image/median", "h=2048,w=2048", Bytes),
    row(
        "image/block_match",
        "h=400,w=400,a=15,b=15",
        Operations(|s| 3.0 * 256.0 * pixels(s)),
    ),
    row("stencil", "n=8000000", Bytes),
    row(
        "stencil/jacobi1d",
        "t=50,n=1000000",
        Operations(|s| 3.0 * s("t") * s("n")),
    ),
    row(
        "stencil/jacobi2d",
        "t=50,h=1000,w=1000",
        Operations(|s| 5.0 * s("t") * pixels(s)),
    ),
    row(
        "stencil/jacobi3d",
        "t=10,d=127,h=127,w=127",
        Operations(|s| 8.0 * s("t") * s("d") * pixels(s)),
    ),
    row(
        "stencil/heat",
        "t=50,h=1000,w=1000",
        Operations(|s| 7.0 * s("t") * pixels(s)),
    ),
    row("stencil/chain", "n=500000", Operations(|s| 150.0 * s("n"))),
    row(
        "stencil/life",
        "t=50,h=1000,w=1000",
        Operations(|s| 10.0 * s("t") * pixels(s)),
    ),
    row(
        "layer/conv2d",
        "o=64,c=64,h=56,w=56",
        Operations(|s| 18.0 * s("o") * s("c") * pixels(s)),
    ),
    row(
        "layer/conv2d_nhwc",
        "n=1,h=56,w=56,c=64,o=64",
        Operations(|s| 18.0 * s("n") * s("o") * s("c") * pixels(s)),
    ),
    row(
        "layer/conv2d_stride2",
        "o=64,c=64,h=27,w=27",
        Operations(|s| 18.0 * s("o") * s("c") * (s("h") + 1.0) * (s("w") + 1.0)),
    ),
    row("layer/depthwise", "c=128,h=112,w=112", Bytes),
    row("layer/max_pool", "c=64,h=112,w=112", Bytes),
    row("layer/mean_pool", "c=512,h=64,w=64", Bytes),
    // The program as it stands computes the hidden layer for each result.
    row(
        "layer/mlp",
        "m=64,k=128,l=128,n=64",
        Operations(|s| 2.0 * s("m") * s("l") * (s("k") + s("n"))),
    ),
    row("layer/softmax", "m=1024,n=1023", Bytes),
    row("layer/layer_norm", "m=1024,n=1024", Bytes),
    row("layer/rms_norm", "m=1024,n=1024", Bytes),
    row("layer/gelu", "n=1000000", Bytes),
    row("layer/silu_gate", "n=1000000", Bytes),
    row(
        "layer/attention",
        "m=256,n=256,d=64,e=64",
        Operations(|s| 2.0 * s("m") * s("n") * (s("d") + s("e"))),
    ),
    row(
        "layer/attention_causal",
        "n=256,d=64,e=64",
        Operations(|s| s("n") * s("n") * (s("d") + s("e"))),
    ),
    row("layer/argmax", "m=1024,n=1023", Bytes),
    row("layer/cumsum", "m=1024,n=1024", Bytes),
    row("vector_add", "n=8000000", Bytes),
    row("dot", "n=8000000", Bytes),
    row("linear/axpy", "n=8000000", Bytes),
    row("linear/asum", "n=8000000", Bytes),
    row("linear/nrm2", "n=8000000", Bytes),
    row("gemv", "m=2048,n=2048", Bytes),
    row("linear/gemv_transposed", "m=2048,n=2048", Bytes),
    row("linear/ger", "m=2048,n=2048", Bytes),
    row(
        "linear/syrk",
        "n=512,k=512",
        Operations(|s| s("n") * s("n") * s("k")),
    ),
    row("linear/trmv", "n=2048", Bytes),
    row("linear/forward_substitution", "n=2048", Bytes),
    row("linear/transposed", "m=2048,n=2048", Bytes),
    row("linear/kronecker", "m=64,n=64,p=32,q=32", Bytes),
    row("mm", "m=512,n=512,k=512", Operations(product)),
    row("f64/mm", "m=512,n=512,k=512", Operations(product)),
    row("mm_bt", "m=512,n=512,k=512", Operations(product)),
    row("gemm", "m=512,n=512,k=512", Operations(product)),
    row("mm_bias_relu", "m=512,n=512,k=512", Operations(product)),
    row("mm_row_max", "m=512,n=512,k=512", Operations(product)),
    row(
        "batched_mm",
        "t=1000,m=16,n=16,k=16",
        Operations(|s| s("t") * product(s)),
    ),
    row(
        "linear/mm_integers",
        "m=512,n=512,k=512",
        Operations(product),
    ),
    row("linear/mm_bytes", "m=512,n=512,k=512", Operations(product)),
    row(
        "linear/mm_complex",
        "m=256,n=256,k=256",
        Operations(|s| 4.0 * product(s)),
    ),
    row("linear/min_plus", "m=512,n=512,k=512", Operations(product)),
    row("linear/ell", "m=200000,n=200000,k=16", Bytes),
    row(
        "other/nbody",
        "n=4096",
        Operations(|s| 20.0 * s("n") * s("n")),
    ),
    // The program as it stands looks for the nearest centre of each point for each number of each centre.
    row(
        "other/kmeans",
        "n=4000,k=15,d=8",
        Operations(|s| 3.0 * s("n") * (s("k") + 1.0) * s("d")),
    ),
    row(
        "other/nearest",
        "m=1000,n=2000,d=32",
        Operations(|s| 3.0 * s("m") * s("n") * s("d")),
    ),
    row(
        "other/black_scholes",
        "n=1000000",
        Operations(|s| 60.0 * s("n")),
    ),
    row(
        "other/mandelbrot",
        "k=100,h=400,w=600",
        Operations(|s| 8.0 * s("k") * pixels(s)),
    ),
    row(
        "other/trajectories",
        "k=201,n=4000",
        Operations(|s| 14.0 * s("k") * s("n")),
    ),
    row(
        "other/fir",
        "n=999999,k=63",
        Operations(|s| 2.0 * s("n") * (s("k") + 1.0)),
    ),
    row("other/iir", "m=64,n=50000", Bytes),
    row(
        "other/bitonic_sort",
        "n=65536,t=136",
        Operations(|s| s("t") * s("n")),
    ),
    row(
        "other/fft",
        "s=14,h=8192",
        Operations(|s| 10.0 * s("s") * s("h")),
    ),
    row("other/histogram", "n=1000000,b=256", Bytes),
    row(
        "other/horner",
        "n=1000000,k=15",
        Operations(|s| 2.0 * s("n") * s("k")),
    ),
    row("other/variance", "m=1024,n=1024", Bytes),
    row("reduction/sum", "n=16777216", Bytes),
    row("reduction/argmin", "n=16777216", Bytes),
    row("reduction/argmin_2d", "m=4096,n=4096", Bytes),
    row("reduction/extrema", "n=16777216", Bytes),
    row("reduction/moments", "n=16777216", Bytes),
    row("reduction/complex_product", "n=16777216", Bytes),
    row("reduction/fibonacci", "n=4194304", Bytes),
    row("reduction/segment_sum", "n=16777216", Bytes),
    row("reduction/log_sum_exp", "n=16777216", Bytes),
    row("reduction/softmax_sum", "n=16777216", Bytes),
    row("reduction/prefix_sum", "n=16777216", Bytes),
    row("reduction/running_max", "n=16777216", Bytes),
    row("reduction/recurrence", "n=16777216", Bytes),
    row("reduction/count_if", "n=16777216", Bytes),
    row("reduction/byte_histogram", "n=16777216", Bytes),
];

/// Programs of which there is also C that adds up in order: benches/programs/in_order.
pub const IN_ORDER: &[Measured] = &[
    row("reduction/sum", "n=16777216", Bytes),
    row("dot", "n=16777216", Bytes),
    row("reduction/extrema", "n=16777216", Bytes),
    row("reduction/argmin", "n=16777216", Bytes),
    row("reduction/moments", "n=16777216", Bytes),
    row("reduction/log_sum_exp", "n=16777216", Bytes),
    row("reduction/byte_histogram", "n=16777216", Bytes),
    row("reduction/prefix_sum", "n=16777216", Bytes),
];
