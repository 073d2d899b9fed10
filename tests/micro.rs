//! The register-tiled products, as they are found and as C.
//!
//! One program with all kernels in it, the unoptimised one among them, checks every size up
//! to 40 and random ones up to 700 against a sum from left to right, to the bit: nothing of
//! these kernels is regrouped. The same under sanitizers at fewer sizes; and the loop over k
//! keeps its accumulators in registers, which the disassembled kernel shows.

mod disassembly;

use crate::common;
use crate::common::cases::SANITIZED;
use crate::common::share;
use crate::common::{chain, mm};
use rise_opt::emit;
use rise_opt::intern::Symbol;
use rise_opt::lower::{self, lower};
use rise_opt::nest::{walk, BufId, Buffer, LoopKind, Nest, Stmt, StorageClass};
use rise_opt::target::Target;
use rise_opt::term::Program;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The kernel that a sketch leads to, under a name.
fn reached(
    name: &str,
    sketch: &str,
    settings: &[(&str, i64)],
    program: &Program,
    options: &lower::Options,
) -> Nest {
    let steps = chain(&format!("sketches/{sketch}.sk"), program, settings);
    let found = Program {
        name: Symbol::new(name),
        ..common::reached(program, &steps)
    };
    lower(&found, options).unwrap_or_else(|d| panic!("{name}: {d:?}"))
}

/// The goal's kernel under a name.
fn kernel(name: &str, goal: &str, settings: &[(&str, i64)], program: &Program) -> Nest {
    let sketch = format!("mm/{goal}");
    reached(name, &sketch, settings, program, &lower::Options::default())
}

/// Compiles kernels with the program that checks them.
fn compile(dir: &Path, name: &str, nests: &[Nest], flags: &[&str]) -> PathBuf {
    let names: Vec<&str> = nests.iter().map(|n| &*n.abi.name).collect();
    let element = emit::c_type(nests[0].abi.outputs[0].elem);
    let checks = format!(
        "\n#define ELEMENT {element}\n#define KERNELS {}\n{}",
        names.join(", "),
        include_str!("micro/check.c")
    );
    compile_with(dir, name, nests, &checks, flags)
}

fn compile_with(dir: &Path, name: &str, nests: &[Nest], checks: &str, flags: &[&str]) -> PathBuf {
    let refs: Vec<&Nest> = nests.iter().collect();
    let text = emit::emit_all(&refs, &emit::Options::default()) + checks;
    let (source, exe) = (dir.join(format!("{name}.c")), dir.join(name));
    fs::write(&source, text).expect("write");
    let compiled = Command::new("cc")
        .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-march=native"])
        .args(["-ffp-contract=off"])
        .args(flags)
        .args([&source, Path::new("-o"), &exe, Path::new("-lm")])
        .output()
        .expect("cc");
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
    exe
}

/// What is undefined is looked for in code as it is written: optimising what asks for it takes two thirds of the time of compiling,
/// and only leaves questions out. Nothing to run is long; no optimisation at all makes more code, which takes longer to compile.
fn sanitized() -> Vec<&'static str> {
    [&["-Og"][..], &SANITIZED].concat()
}

fn check(exe: &Path, args: [&str; 3], least: u64) {
    let run = Command::new(exe).args(args).output().expect("run");
    assert!(
        run.status.success(),
        "{}\n{}",
        run.status,
        String::from_utf8_lossy(&run.stderr)
    );
    let checked: u64 = String::from_utf8_lossy(&run.stdout)
        .trim()
        .parse()
        .expect("how many sizes were checked");
    assert!(checked >= least, "only {checked} sizes");
}

fn plain() -> Nest {
    lower(&mm(), &lower::Options::default()).expect("a nest")
}

/// The program as it stands, and both goals at the shipped tiles, for every size and for few.
fn shipped_kernels() -> Vec<Nest> {
    let program = mm();
    // One kernel for all sizes, however small.
    let one = [
        ("narrow", 1),
        ("few", 1),
        ("small", 1),
        ("short", 1),
        ("rows", 1),
        ("near", 1),
    ];
    // Nothing is packed but for the smallest.
    let strip = [
        ("narrow", 1),
        ("few", 1),
        ("small", 1),
        ("short", 2000),
        ("deep", 2000),
    ];
    vec![
        plain(),
        kernel("micro", "micro", &[], &program),
        kernel("micro_parallel", "micro-parallel", &[], &program),
        kernel("micro_one", "micro-parallel", &one, &program),
        kernel("micro_strip", "micro-parallel", &strip, &program),
    ]
}

/// The program as it stands, and one goal at odd tiles.
fn odd_kernels() -> Vec<Nest> {
    let program = mm();
    let tile = [("mr", 3), ("nr", 8), ("lanes", 4), ("group", 2)];
    let odd = [tile.as_slice(), &[("low", 5), ("slim", 12), ("quad", 2)]].concat();
    // So that small sizes meet every kernel that sizes choose from.
    let early = [
        ("narrow", 3),
        ("thin", 6),
        ("few", 4),
        ("small", 7),
        ("short", 9),
        ("deep", 20),
        ("rows", 13),
        ("near", 300),
        ("far", 16),
        ("handful", 3),
    ];
    let every = [odd.as_slice(), early.as_slice()].concat();
    vec![
        plain(),
        kernel("micro_odd", "micro-parallel", &odd, &program),
        kernel("micro_every", "micro-parallel", &every, &program),
    ]
}

/// All sizes up to `most`, and random ones that are larger.
fn every_size_is_right(name: &str, kernels: &[Nest], most: u64) {
    let dir = tempfile::tempdir().expect("a folder");
    let exe = compile(dir.path(), name, kernels, &["-O3", "-fopenmp"]);
    check(&exe, [&most.to_string(), "0", "0"], (most + 1).pow(3));
    check(&exe, ["0", "200", "700"], 200);
}

#[test]
fn every_size_is_right_to_the_bit() {
    // What tiles, vectors and strips leave over is met by then; 40 is beyond two of the largest tile, too.
    let most = if share::all() { 40 } else { 25 };
    every_size_is_right("shipped", &shipped_kernels(), most);
}

#[test]
fn every_size_is_right_to_the_bit_at_odd_tiles() {
    every_size_is_right("odd", &odd_kernels(), 24);
}

/// Half as many lanes, the same tiles.
#[test]
fn products_of_doubles_are_right_to_the_bit() {
    let text = fs::read_to_string("programs/mm.rise").expect("a program");
    let program = common::program_text(&text.replace("f32", "f64"));
    let set = [("nr", 16), ("lanes", 8)];
    let all = [set.as_slice(), &[("low", 3), ("slim", 16), ("quad", 2)]].concat();
    let nests = vec![
        lower(&program, &lower::Options::default()).expect("a nest"),
        kernel("micro", "micro", &set, &program),
        kernel("micro_parallel", "micro-parallel", &all, &program),
    ];
    let dir = tempfile::tempdir().expect("a folder");
    let exe = compile(dir.path(), "doubles", &nests, &["-O3", "-fopenmp"]);
    check(&exe, ["18", "50", "400"], 19 * 19 * 19 + 50);
}

/// Goals for sizes that their tiles divide take the others, too, if they may fall back.
#[test]
fn kernels_that_fall_back_take_every_size() {
    let program = mm();
    let plain = lower(&program, &lower::Options::default()).expect("a nest");
    let nests: Vec<Nest> = [("vectorization", 8, 4), ("parallel", 4, 2)]
        .iter()
        .map(|(goal, tile, block)| {
            let settings = [("tile", *tile), ("block", *block)];
            let nest = kernel(goal, goal, &settings, &program);
            assert!(!nest.abi.assumptions.is_empty());
            let nest = nest.with_fallback(plain.clone());
            assert!(nest.abi.assumptions.is_empty() && nest.abi.preferred.len() == 3);
            nest
        })
        .collect();
    let dir = tempfile::tempdir().expect("a folder");
    let exe = compile(dir.path(), "fall", &nests, &["-O3", "-fopenmp"]);
    check(&exe, ["16", "20", "100"], 17 * 17 * 17);
}

/// A product of a batch with sizes that are fixed.
fn batched(
    name: &str,
    goal: &str,
    settings: &[(&str, i64)],
    sizes: [i64; 3],
    target: Target,
) -> Nest {
    let program = common::program("programs/batched_mm.rise");
    let names = ["m", "n", "k"].map(Symbol::new);
    let options = lower::Options {
        fixed: names.into_iter().zip(sizes).collect(),
        target,
        ..lower::Options::default()
    };
    let sketch = format!("batched_mm/{goal}");
    reached(name, &sketch, settings, &program, &options)
}

/// Loops that are several iterations in a row.
fn repeated(nest: &Nest) -> usize {
    let mut found = 0;
    walk::each_stmt(&nest.body, &mut |s| {
        let many = matches!(
            s,
            Stmt::For {
                kind: LoopKind::PartialUnroll,
                ..
            }
        );
        found += usize::from(many);
    });
    found
}

/// Short sums are repeated where their vectors fit into the registers; long ones are not.
#[test]
fn short_sums_are_repeated() {
    let tile = |mr, nr| [("mr", mr), ("nr", nr), ("lanes", 8)];
    for (what, tile, k, target, times) in [
        ("fits", tile(6, 16), 48, Target::Avx2, 1),
        ("long", tile(6, 16), 96, Target::Avx2, 0),
        ("large", tile(8, 16), 48, Target::Avx2, 0),
        ("more registers", tile(8, 16), 48, Target::Avx512, 1),
        ("more, narrow", tile(3, 16), 48, Target::Neon, 1),
        ("fewer, narrow", tile(3, 16), 48, Target::Sse2, 0),
    ] {
        let nest = batched("one", "small", &tile, [48, 48, k], target);
        assert_eq!(repeated(&nest), times, "{what}: {nest}");
    }
}

/// Fixed sizes leave no trace of the general case: nothing is packed where vectors divide the
/// size, no partial tile is left where rows do.
#[test]
fn batches_of_small_products_are_right_to_the_bit() {
    // Each with the call that checks it.
    let mut all = Vec::new();
    // Size, goal, rows and columns of a tile, lanes.
    let cases = [
        (4, "small", 4, 4, 4),
        (8, "small", 4, 8, 8),
        (16, "small", 8, 16, 16),
        (24, "small", 6, 24, 8),
        (32, "small", 2, 32, 8),
        (48, "small", 8, 48, 16),
        (64, "small", 4, 16, 8),
        (5, "padded", 5, 8, 8),
        (7, "padded", 4, 8, 8),
        (13, "padded", 7, 16, 16),
        (31, "padded", 8, 32, 16),
        (37, "padded", 8, 48, 16),
    ];
    for (size, goal, mr, nr, lanes) in cases {
        let name = format!("batched_{size}");
        let settings = [("mr", mr), ("nr", nr), ("lanes", lanes)];
        let nest = batched(&name, goal, &settings, [size; 3], Target::Avx512);
        assert_eq!(repeated(&nest), usize::from(size >= 8), "{size}: {nest}");
        if goal == "small" {
            let text = nest.to_string();
            assert!(!text.contains("if "), "{size}: {text}");
            let heap =
                |b: &Buffer| matches!(b.storage, StorageClass::Heap | StorageClass::ThreadHeap);
            assert!(!nest.buffers.iter().any(heap), "{size}: {text}");
        }
        all.push((nest, format!("batch({name}, {size}, t), checked++; ")));
    }
    let dir = tempfile::tempdir().expect("a folder");
    for (way, flags) in [&["-O3"][..], &sanitized()].into_iter().enumerate() {
        let (some, calls): (Vec<Nest>, Vec<String>) =
            share::one(all.iter().cloned(), way, 2).into_iter().unzip();
        let checks = format!(
            "\n#define CHECK_ALL {}\n{}",
            calls.concat(),
            include_str!("micro/batch.c")
        );
        let exe = compile_with(dir.path(), "batch", &some, &checks, flags);
        check(&exe, ["", "", ""], 6 * some.len() as u64);
    }
}

/// What follows the product is applied to the register tile: no whole matrix lies between, and the
/// results are those of the program as it stands.
#[test]
fn epilogues_stay_with_the_tile() {
    let dir = tempfile::tempdir().expect("a folder");
    let tiles = [("mr", 3), ("nr", 8), ("lanes", 4), ("group", 2)];
    // What is kept: panels of B, and rows of A.
    for (name, arguments, results, packed) in [
        ("gemm", "1.5f, -0.5f, a, b, c", "m * n", 1),
        ("mm_bias_relu", "a, b, c", "m * n", 2),
        ("mm_row_max", "a, b, -0.25f", "m", 1),
    ] {
        let program = common::program(&format!("programs/{name}.rise"));
        let plain = lower(&program, &lower::Options::default()).expect("a nest");
        let sketch = format!("{name}/fused-parallel");
        let (mut goals, mut calls) = (Vec::new(), Vec::new());
        for (i, settings) in [&[][..], &tiles].into_iter().enumerate() {
            let goal = format!("{name}_fused_{i}");
            let nest = reached(
                &goal,
                &sketch,
                settings,
                &program,
                &lower::Options::default(),
            );
            let heap =
                |b: &&Buffer| matches!(b.storage, StorageClass::Heap | StorageClass::ThreadHeap);
            let kept = nest.buffers.iter().filter(heap).count();
            assert_eq!(kept, packed, "more than the factors is kept: {nest}");
            if results == "m * n" {
                asks_once_for_a_tile(&nest);
            }
            calls.push(format!("{goal}(out, m, n, k, {arguments})"));
            goals.push(nest);
        }
        for (i, (call, goal)) in calls.iter().zip(goals).enumerate() {
            let nests = [plain.clone(), goal];
            let checks = format!(
                "\n#define GOAL {call}\n#define PLAIN {name}(out, m, n, k, {arguments})\n#define RESULTS {results}\n{}",
                include_str!("micro/fused.c")
            );
            let ways = [&["-O2", "-fopenmp"][..], &sanitized()];
            for flags in share::one(ways, i, 2) {
                let exe = compile_with(dir.path(), &format!("{name}{i}"), &nests, &checks, flags);
                check(&exe, ["", "", ""], 21 * 21 * 4);
            }
        }
    }
}

/// Whether a tile is there is asked before its reduction, and whether all of it is there once, before its stores.
fn asks_once_for_a_tile(nest: &Nest) {
    fn contains(block: &[Stmt], what: &dyn Fn(&Stmt) -> bool) -> bool {
        let mut found = false;
        walk::each_stmt(block, &mut |s| found |= what(s));
        found
    }
    let sums = |s: &Stmt| matches!(s, Stmt::For { note: Some(n), .. } if n.starts_with("reduce"));
    let is_output =
        |b: &BufId| matches!(nest.buffers[b.0 as usize].storage, StorageClass::Output(_));
    let stores = |s: &Stmt| matches!(s, Stmt::Store { buf, .. } if is_output(buf));
    let asks = |s: &Stmt| matches!(s, Stmt::If { .. });
    let loops = |s: &Stmt| matches!(s, Stmt::For { .. });
    let (mut guarded, mut whole) = (false, false);
    walk::each_stmt(&nest.body, &mut |s| {
        if let Stmt::If { then, els, .. } = s {
            guarded |= els.is_empty() && contains(then, &sums) && contains(then, &stores);
            let straight = !contains(then, &asks) && !contains(then, &loops);
            whole |= straight && contains(then, &stores) && contains(els, &loops);
        }
    });
    assert!(guarded, "the reduction runs for tiles outside: {nest}");
    assert!(whole, "each store asks: {nest}");
}

/// What a tile reads where it lies is asked about before its sum: with whole vectors the loop over k has no choice in it.
#[test]
fn vectors_are_chosen_before_the_sum() {
    let nest = kernel("micro", "micro-parallel", &[], &mm());
    let sums = |s: &Stmt| matches!(s, Stmt::For { note: Some(n), .. } if n.starts_with("reduce"));
    let asks = |block: &[Stmt]| {
        let mut found = 0;
        walk::each_stmt(block, &mut |s| {
            found += usize::from(matches!(s, Stmt::If { .. }))
        });
        found
    };
    let mut chosen = 0;
    walk::each_stmt(&nest.body, &mut |s| {
        if let Stmt::If { then, els, .. } = s {
            let both = then.len() == 1 && els.len() == 1 && sums(&then[0]) && sums(&els[0]);
            chosen += usize::from(both && asks(then) == 0 && asks(els) > 0);
        }
    });
    assert_eq!(chosen, 1, "{nest}");
}

/// What a loop reads a row apart is asked for some rows ahead; where tiles read it again, so is what the next ones read.
#[test]
fn rows_are_fetched_ahead() {
    /// Hints of each loop that has some.
    fn hints(nest: &Nest) -> Vec<usize> {
        let mut found = Vec::new();
        walk::each_stmt(&nest.body, &mut |s| {
            if let Stmt::For { body, .. } = s {
                let hint = |s: &&Stmt| matches!(s, Stmt::Prefetch { .. });
                found.extend(Some(body.iter().filter(hint).count()).filter(|n| *n > 0));
            }
        });
        found
    }
    // Of 16 columns of floats, which are a line: the fourth kernel reads panels where they lie, and has a loop of its own
    // for the last one; the fifth packs them. The third does, too, but only small ones.
    let columns = [("nr", 16), ("slim", 16), ("lanes", 8)];
    let nest = kernel("micro", "micro-parallel", &columns, &mm());
    assert_eq!(hints(&nest), [2, 2, 1], "{nest}");
    // Two lines of each row.
    let columns = [("nr", 32), ("slim", 16), ("lanes", 8)];
    let nest = kernel("micro", "micro-parallel", &columns, &mm());
    assert_eq!(hints(&nest), [4, 4, 2], "{nest}");
    // B is copied in order, and panels are read in order: a hint would only make the loop longer.
    let order = [("nr", 16), ("lanes", 8)];
    let nest = kernel("micro", "micro", &order, &mm());
    assert!(hints(&nest).is_empty(), "{nest}");
    // Short loops are over before the hint is answered.
    let nest = kernel("vectors", "vectorization", &[], &mm());
    assert!(hints(&nest).is_empty(), "{nest}");
}

fn sanitizers_agree(name: &str, kernels: &[Nest]) {
    let dir = tempfile::tempdir().expect("a folder");
    let flags = sanitized();
    let exe = compile(dir.path(), name, kernels, &flags);
    check(&exe, ["9", "20", "60"], 1000);
}

#[test]
fn sanitizers_find_nothing() {
    sanitizers_agree("shipped", &share::one(shipped_kernels(), 0, 2));
}

#[test]
fn sanitizers_find_nothing_at_odd_tiles() {
    sanitizers_agree("odd", &odd_kernels());
}

/// Buffers are parts of one piece of memory; whoever leaves one is reported all the same.
#[test]
fn sanitizers_see_what_lies_between_buffers() {
    let mut nest = kernel("micro", "micro", &[], &mm());
    let (b, _) = (nest.buffers.iter().enumerate())
        .find(|(_, b)| b.storage == StorageClass::Heap)
        .expect("a packed matrix");
    nest.buffers[b].len = nest.buffers[b].len - 16.into();
    let dir = tempfile::tempdir().expect("a folder");
    let flags = ["-O1", "-fsanitize=address"];
    let exe = compile(dir.path(), "beyond", &[nest], &flags);
    let run = Command::new(exe).args(["9", "0", "0"]).output();
    let said = String::from_utf8_lossy(&run.expect("run").stderr).into_owned();
    assert!(said.contains("use-after-poison"), "{said}");
}

/// The loop over k of each goal, compiled for machines with 32 registers of 64 bytes and with 16 of
/// 32 bytes, whatever this one is.
#[test]
fn accumulators_stay_in_registers() {
    let tiles = [
        ("micro", 8, 32),
        ("micro-parallel", 8, 32),
        ("micro-parallel", 6, 64),
    ];
    stay_in_registers("-march=skylake-avx512", 16, &tiles);
}

#[test]
fn accumulators_of_odd_tiles_stay_in_registers() {
    let tiles = [12, 14].map(|mr| ("micro-parallel", mr, 32));
    stay_in_registers("-march=skylake-avx512", 16, &tiles);
    stay_in_registers("-march=skylake-avx512", 16, &[("micro-parallel", 8, 48)]);
}

#[test]
fn accumulators_stay_in_fewer_registers() {
    let tiles = [
        ("micro", 6, 16),
        ("micro-parallel", 6, 16),
        ("micro-parallel", 4, 24),
    ];
    stay_in_registers("-march=haswell", 8, &tiles);
}

/// Tiles of a goal: its name, rows, columns.
fn stay_in_registers(machine: &str, lanes: i64, tiles: &[(&str, i64, i64)]) {
    let program = mm();
    let dir = tempfile::tempdir().expect("a folder");
    let object = dir.path().join("one.o");
    for &(goal, mr, nr) in tiles {
        let mut settings = vec![("mr", mr), ("nr", nr), ("lanes", lanes)];
        if goal == "micro-parallel" {
            settings.extend([("low", mr), ("slim", nr)]);
        }
        let nest = kernel("micro", goal, &settings, &program);
        let unit = emit::emit(&nest, &emit::Options::default());
        let source = dir.path().join("one.c");
        fs::write(&source, unit.c).expect("write");
        let compiled = Command::new("gcc")
            .args(["-std=gnu11", "-O3", machine, "-mprefer-vector-width=512"])
            .args(["-fopenmp", "-c"])
            .args([&source, Path::new("-o"), &object])
            .output()
            .expect("gcc");
        let said = String::from_utf8_lossy(&compiled.stderr);
        if said.contains("-march=") {
            not_checked(&said);
            return;
        }
        assert!(compiled.status.success(), "{said}");
        let loops = match disassembly::loops(&object) {
            Ok(loops) => loops,
            Err(why) => {
                not_checked(&why);
                return;
            }
        };
        let tile = (mr * nr / lanes) as usize;
        // Not the loop for a panel that is not whole, which reads lanes.
        let hot = loops.iter().filter(|l| l.products >= tile && !l.masked);
        let hot: Vec<_> = hot.collect();
        assert!(!hot.is_empty(), "no loop of {tile} products: {loops:#?}");
        for l in hot {
            let what = format!("{goal} {machine} {mr}x{nr}");
            assert!(l.spills.is_empty(), "{what}: {:#?}", l.spills);
            assert_eq!(l.lines, l.bytes.div_ceil(64), "{what}: lines of code");
        }
    }
}

/// Continuous integration has what this needs.
fn not_checked(why: &str) {
    common::lacking::not_tested(&format!(
        "registers of loops (Debian: package `binutils`): {why}"
    ));
}

/// What the look at loops is worth: with more accumulators than there are registers some are on the
/// stack, and that is seen.
#[test]
fn accumulators_on_the_stack_are_seen() {
    let program = mm();
    let settings = [("mr", 12), ("nr", 64)];
    let nest = kernel("micro", "micro", &settings, &program);
    let dir = tempfile::tempdir().expect("a folder");
    let (source, object) = (dir.path().join("one.c"), dir.path().join("one.o"));
    let unit = emit::emit(&nest, &emit::Options::default());
    fs::write(&source, unit.c).expect("write");
    let compiled = Command::new("gcc")
        .args(["-std=gnu11", "-O3", "-march=skylake-avx512", "-c"])
        .args([&source, Path::new("-o"), &object])
        .output()
        .expect("gcc");
    if !compiled.status.success() {
        not_checked(&String::from_utf8_lossy(&compiled.stderr));
        return;
    }
    match disassembly::loops(&object) {
        Err(why) => not_checked(&why),
        Ok(loops) => assert!(loops
            .iter()
            .any(|l| l.products >= 48 && !l.spills.is_empty())),
    }
}
