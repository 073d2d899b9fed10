//! Programs without a sketch: schedules come from their loops, are reached by search, mean the same, and can be saved.

mod columns;
mod lifted;
mod partial;
mod programs;
mod steps;
mod updates;

use crate::common::{chain_text, program, program_text};
use programs::PROGRAMS;
use rise_opt::driver::auto::{auto, Auto};
use rise_opt::driver::candidates::{Ended, Tried};
use rise_opt::driver::Input;
use rise_opt::interp::compare::same;
use rise_opt::interp::random::{value_of, Numbers, Rng};
use rise_opt::interp::{eval_program, Sizes, Value};
use rise_opt::lower::{lower, Options as Lowering};
use rise_opt::nest::walk::{each_stmt, exprs};
use rise_opt::nest::{Expr, ExprKind, LoopKind, Nest, Stmt};
use rise_opt::proof::check;
use rise_opt::schedule::{Permits, Space, Sums};
use rise_opt::search::{optimize, Options};
use rise_opt::source::SourceMap;
use rise_opt::target::Target;
use rise_opt::term::{Op, Program};
use std::collections::BTreeMap;
use std::process::Command;

const EXACT: Permits = Permits {
    reassociate: false,
    approximate: false,
    sums: Sums::Fast,
};
const REGROUPED: Permits = Permits {
    reassociate: true,
    ..EXACT
};

/// What is found for a program, for a machine with lanes of 64 bytes.
fn found(program: &Program, permits: Permits) -> Auto {
    found_at(program, permits, &[])
}

/// At sizes that are given.
fn found_at(program: &Program, permits: Permits, sizes: &[(&str, i64)]) -> Auto {
    let input = Input {
        program: program.clone(),
        steps: Vec::new(),
        params: BTreeMap::new(),
        fixed: sizes.iter().map(|(n, k)| ((*n).into(), *k)).collect(),
        target: Target::Avx512,
        unverified: Vec::new(),
        plan: None,
    };
    auto(
        &input,
        permits,
        Space::Small,
        &Options::default(),
        &mut SourceMap::new(),
    )
}

/// The program after the steps that were found, with the proof that they are equal.
fn replayed(program: &Program, found: &Auto) -> Program {
    let options = Options {
        prove: true,
        ..Options::default()
    };
    let outcome = optimize(program, &chain_text(&found.text(), program), &options);
    assert!(outcome.failure.is_none(), "{}", found.text());
    let proof = outcome.proof.expect("asked for").expect("made");
    check(&proof).unwrap_or_else(|r| panic!("{}: {r:?}", found.text()));
    let term = outcome.terms.last().expect("a step").clone();
    assert_eq!(proof.end(), &term);
    Program {
        term,
        ..program.clone()
    }
}

fn evaluated(program: &Program, size: i64) -> Value {
    let sizes = (program.sizes.iter().enumerate()).map(|(i, s)| (*s, size + i as i64));
    let sizes = sizes.collect();
    let mut rng = Rng::new(7);
    let args = program.params.iter();
    let args = args.map(|(_, ty)| value_of(&mut rng, *ty, &sizes, Numbers::Whole).unwrap());
    let args: Vec<Value> = args.collect();
    eval_program(program, &sizes, &args).unwrap()
}

fn loops(program: &Program, is: impl Fn(LoopKind) -> bool) -> usize {
    let nest: Nest = lower(program, &Lowering::default()).unwrap();
    let mut count = 0;
    each_stmt(&nest.body, &mut |s| {
        count += usize::from(matches!(s, Stmt::For { kind, .. } if is(*kind)));
    });
    count
}

/// All schedules that are proposed are reached, and the one that is taken means the same.
#[test]
fn programs_nobody_wrote_a_sketch_for_get_one() {
    let mut others: Vec<String> = Vec::new();
    for (text, word) in PROGRAMS {
        let program = program_text(text);
        let auto = found(&program, REGROUPED);
        for tried in &auto.tried {
            let reached = match &tried.ended {
                Ended::Estimated(cycles, _) => *cycles > 0.0,
                // Columns beside which the sums of another product stand are not packed.
                Ended::Unreached(step) => step == "pack-2",
                _ => false,
            };
            assert!(
                reached,
                "{text}: {}: {:?}",
                tried.schedule.text(),
                tried.ended
            );
        }
        let best = auto.best().unwrap_or_else(|| panic!("{text}: {auto:?}"));
        if !best.what.contains(word) {
            others.push(format!("{text}: {}", best.what));
        }
        let kernel = replayed(&program, &auto);
        let one = word.contains("updates");
        assert!(one || loops(&kernel, |k| k == LoopKind::Par) > 0, "{text}");
        for size in [5, 33] {
            let (a, b) = (evaluated(&kernel, size), evaluated(&program, size));
            assert!(same(&a, &b), "{text} at {size}");
        }
    }
    assert!(others.is_empty(), "{others:#?}");
}

/// What each sum of a product goes on from is added behind the tiles, so that they have packed panels.
#[test]
fn starts_of_products_are_added_behind() {
    let text = "def accumulated [m n k : nat] (a : m.k.f32) (b : k.n.f32) (c : m.n.f32) : m.n.f32 =
           zip a c |> map (\\r -> zip (transpose b) (snd r) |> map (\\p ->
             zip (fst r) (fst p) |> map (\\q -> fst q * snd q) |> reduce (+) (snd p)))";
    let program = program_text(text);
    let large = [("m", 1024), ("n", 1024), ("k", 1024)];
    let of = |permits| found_at(&program, permits, &large);
    let auto = of(REGROUPED);
    let best = auto.best().expect("a schedule");
    let words =
        "starts behind, sums apart, named arrays kept, register tiles of packed panels, parallel";
    assert_eq!(best.what, words);
    let kernel = replayed(&program, &auto);
    for size in [5, 37] {
        let (a, b) = (evaluated(&kernel, size), evaluated(&program, size));
        assert!(same(&a, &b), "at {size}");
    }
    // Who has not permitted that keeps each start where it is.
    let exact = of(Permits::default());
    assert!(!exact
        .best()
        .expect("a schedule")
        .what
        .contains("starts behind"));
}

/// Products that are read with a mask beside them are tiles: their loops go over no row of it.
#[test]
fn loops_of_products_go_over_what_these_read_alone() {
    let program = program_text(
        "def heads [h n m d : nat] (q : h.n.d.f32) (k : h.m.d.f32) (v : h.m.d.f32) (mask : n.m.f32) : h.n.d.f32 =
           zip q (zip k v) |> map (\\(qs, (ks, vs)) -> zip qs mask |> map (\\(row, others) ->
             let s = zip ks others |> map (\\(key, b) -> b + (zip row key |> map (\\(x, y) -> x * y) |> reduce (+) 0.0)) in
             let most = s |> reduce max (0.0 - infinity) in
             let e = s |> map (\\x -> exp (x - most)) in
             let sum = e |> reduce (+) 0.0 in
             transpose vs |> map (\\c -> (zip e c |> map (\\(x, y) -> x * y) |> reduce (+) 0.0) / sum)))",
    );
    let large = [("h", 8), ("n", 256), ("m", 256), ("d", 64)];
    let auto = found_at(&program, REGROUPED, &large);
    let best = auto.best().expect("a schedule");
    assert!(best.what.contains("register tiles"), "{}", best.what);
    let kernel = replayed(&program, &auto);
    for size in [5, 17] {
        let (a, b) = (evaluated(&kernel, size), evaluated(&program, size));
        assert!(same(&a, &b), "at {size}");
    }
}

/// Weights below the largest number have two passes, whatever they are spelled like, and one exponential for each element.
#[test]
fn weights_below_the_largest_number_have_two_passes() {
    let text = "def total [n : nat] (x : (n+1).f32) : f32 =
           let parts = x |> map (\\v -> (v, 1.0f32)) in
           let all = reduce (\\a b ->
             let top = max (fst b) (fst a) in
              (top, exp (fst b - top) * snd b + exp (fst a - top) * snd a)) (at[0] parts) (drop[1] parts) in
           fst all + log (snd all)";
    for approximate in [false, true] {
        let permits = Permits {
            approximate,
            ..REGROUPED
        };
        let auto = found(&program_text(text), permits);
        let best = auto.best().expect("a schedule");
        assert_eq!(best.what, "parallel blocks, weights in two passes");
        let kernel = replayed(&program_text(text), &auto);
        assert_eq!(loops(&kernel, |k| k == LoopKind::Par), 1);
    }
}

/// Loops that stay as they are have vectors of functions that may be approximated, also of what lies in the state of a scan.
#[test]
fn functions_of_states_are_in_vectors() {
    let text = "def gated [t c : nat] (u : c.f32) (x : t.c.f32) : t.c.f32 =
           x |> scanSeq (\\row h -> zip (zip row h) u |> map (\\p ->
             let ((xi, hi), ui) = p in
             let f = 1.0 / (1.0 + exp (-(ui * hi + xi))) in
             (1.0 - f) * hi + f * xi)) (fill[c] 0.0)";
    let program = program_text(text);
    let permits = Permits {
        approximate: true,
        ..EXACT
    };
    let auto = found(&program, permits);
    assert_eq!(
        auto.best().expect("a schedule").what,
        "functions in vectors"
    );
    let kernel = replayed(&program, &auto);
    let of = |approximate| {
        let options = Lowering {
            approximate,
            ..Lowering::default()
        };
        let nest = lower(&kernel, &options).unwrap();
        let mut vectors = 0;
        each_stmt(&nest.body, &mut |s| {
            if let Some(e) = exprs(s) {
                let calls = |e: &Expr| e.holds(|k| matches!(k, ExprKind::Op(Op::Exp, _)));
                vectors += usize::from(e.shape().lanes > 1 && calls(e));
            }
        });
        vectors
    };
    assert_eq!((of(true), of(false)), (1, 0));
    assert_eq!(found(&program, EXACT).best(), None);
}

/// What several results need is computed once in an iteration, also where each of them has vectors of its own.
#[test]
fn what_several_results_need_is_computed_once() {
    let text = "def pulls [n : nat] (x : n.f32) (y : n.f32) : n.(f32, f32) =
           zip x y |> map (\\p -> zip x y |> map (\\q ->
             let f = 1.0 / (fst q - fst p) in (f * fst q, f * snd q))
             |> reduce (\\a b -> (fst a + fst b, snd a + snd b)) (0.0, 0.0))";
    let program = program_text(text);
    let auto = found(&program, EXACT);
    let vectors = |t: &&Tried| t.schedule.what.contains("vectors");
    let tried = auto.tried.iter().find(vectors).expect("a schedule");
    let kernel = Program {
        term: tried.term.clone().expect("reached"),
        ..program
    };
    let nest = lower(&kernel, &Lowering::default()).unwrap();
    let mut loops = 0;
    each_stmt(&nest.body, &mut |s| {
        let Stmt::For { body, .. } = s else { return };
        let mut divisions: Vec<Expr> = Vec::new();
        for e in body.iter().filter_map(exprs) {
            e.visit(&mut |e| {
                if matches!(e.kind(), ExprKind::Op(Op::Div, _)) {
                    assert!(!divisions.iter().any(|d| d.same(e)), "{e:?} twice");
                    divisions.push(e.clone());
                }
            });
        }
        loops += usize::from(!divisions.is_empty());
    });
    assert!(loops > 1);
}

/// Rows of partial results are updated where they lie: an iteration reads only what it writes.
#[test]
fn rows_of_pairs_need_no_second_buffer() {
    let text = "def nearest [n : nat] (x : n.(f32, i32)) : (f32, i32) =
           x |> reduce (\\a b ->
             let least = or (fst a < fst b) (and (fst a == fst b) (snd a <= snd b)) in
             (select least (fst a) (fst b), select least (snd a) (snd b))) (1000000.0, 0)";
    let auto = found(&program_text(text), REGROUPED);
    let nest = lower(&replayed(&program_text(text), &auto), &Lowering::default()).unwrap();
    let mut names = Vec::new();
    each_stmt(&nest.body, &mut |s| {
        if let Stmt::Alloc(b) = s {
            names.push(nest.buffers[b.0 as usize].name);
        }
    });
    assert!(!names.is_empty());
    assert!(
        !names.iter().any(|n| n.as_str().starts_with("next")),
        "{names:?}"
    );
}

#[test]
fn the_same_program_gives_the_same_sketches() {
    for (text, _) in PROGRAMS.iter().take(3) {
        let program = program_text(text);
        assert_eq!(found(&program, REGROUPED), found(&program, REGROUPED));
    }
}

/// Without the permission, floats keep their order; whole numbers do not mind.
#[test]
fn sums_of_floats_are_regrouped_only_where_that_is_permitted() {
    let floats = program_text("def total [n : nat] (x : n.f32) : f32 = reduce (+) 0.0 x");
    let kept = found(&floats, EXACT);
    assert_eq!(kept.best(), None, "{kept:?}");
    assert!(kept.text().contains("sketch ?"));
    assert!(found(&floats, REGROUPED)
        .text()
        .contains("permit reassociate"));
    let whole = program_text("def total [n : nat] (x : n.i32) : i32 = reduce (+) 0 x");
    let best = found(&whole, EXACT);
    assert!(best.best().is_some());
    assert!(!best.text().contains("permit"));
}

/// Chosen are simple schedules: what the estimate says is hardly faster is not worth another change.
#[test]
fn what_is_hardly_faster_is_left_out() {
    let text = "def scaled [n : nat] (a : f32) (x : n.f32) : n.f32 = x |> map (\\v -> a * v)";
    let auto = found(&program_text(text), EXACT);
    assert_eq!(auto.best().map(|s| s.what.as_str()), Some("parallel"));
}

/// Where a stage is computed anew for each reader, nothing is tried but to keep it.
#[test]
fn what_no_vectors_make_up_for_is_not_tried() {
    let auto = found(&program("programs/layer/mlp.rise"), REGROUPED);
    let kept = auto.tried.iter().map(|t| t.schedule.choice.keep);
    assert_eq!(kept.filter(|keep| !keep).count(), 1);
    assert!(auto.best().is_some_and(|s| s.choice.keep));
}

/// However much faster than loops alone the first kind of tiles is, the other kinds of the same loops are tried.
#[test]
fn what_is_fast_is_tried_in_all_its_kinds() {
    for name in ["programs/mm.rise", "programs/f64/mm.rise"] {
        let auto = found(&program(name), EXACT);
        assert_eq!(
            auto.best().map(|s| s.what.as_str()),
            Some("register tiles of packed panels, parallel"),
            "{name}"
        );
    }
}

/// Compilers put no lanes around steps that choose or multiply what they had before, however few steps there may be: a pass does, which puts
/// vectors of a search side by side, too. Of two that take as long the simpler one is taken.
#[test]
fn steps_that_wait_for_each_other_are_side_by_side() {
    let text = "def steps [k n : nat] (x : n.f32) : n.f32 = x |> map (\\c -> iterate[k] (\\s -> s * s + c) 0.0)";
    let choices = program("programs/other/mandelbrot.rise");
    for program in [choices, program_text(text)] {
        let auto = found(&program, EXACT);
        assert_eq!(auto.best().map(|s| s.what.as_str()), Some("parallel"));
        let vectors = |t: &&Tried| t.schedule.what == "4 vectors side by side, parallel";
        let vectors = auto.tried.iter().find(vectors).map(|t| &t.ended);
        let parallel = auto.tried.iter().find(|t| t.schedule.what == "parallel");
        match (vectors, parallel.map(|t| &t.ended)) {
            (Some(Ended::Estimated(a, _)), Some(Ended::Estimated(b, _))) => {
                assert!((0.95..1.05).contains(&(a / b)), "{a} {b}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Functions of the C library are called number by number, before which all vectors are stored.
#[test]
fn calls_are_not_put_into_vectors() {
    let auto = found(&program("programs/layer/silu_gate.rise"), EXACT);
    assert_eq!(auto.best().map(|s| s.what.as_str()), Some("parallel"));
}

/// Where numbers side by side read every second element, a vector of them is dear. It is collected once for all rows, so that two of
/// them at once are not dearer than one for more rows.
#[test]
fn collected_vectors_are_kept_for_all_rows() {
    let text = "def halves [f n k : nat] (w : f.k.f32) (x : (2*n+k).f32) : f.(n+1).f32 =
        w |> map (\\g -> slide[k, 2] x |> map (\\v -> reduce (+) 0.0 (zip g v |> map (\\p -> fst p * snd p))))";
    let auto = found(&program_text(text), EXACT);
    let cycles = |what: &str| {
        let tried = auto.tried.iter().find(|t| t.schedule.what == what);
        match tried.unwrap_or_else(|| panic!("{what}: {auto:?}")).ended {
            Ended::Estimated(cycles, _) => cycles,
            ref other => panic!("{what}: {other:?}"),
        }
    };
    let (one, two) = (
        "register tiles of one vector, parallel",
        "register tiles, parallel",
    );
    assert!(cycles(two) < cycles(one));
}

/// Compilers make vectors of whole numbers themselves: threads have blocks, and nothing else is changed.
#[test]
fn sums_of_whole_numbers_are_blocks_alone() {
    let auto = found(&program("programs/reduction/count_if.rise"), EXACT);
    assert_eq!(
        auto.best().map(|s| s.what.as_str()),
        Some("parallel blocks")
    );
}

/// Short rows are taken off parallel loops, too, so that no index is divided.
#[test]
fn parallel_loops_divide_no_index() {
    let program = program("programs/image/upscale.rise");
    let kernel = replayed(&program, &found(&program, EXACT));
    let nest: Nest = lower(&kernel, &Lowering::default()).unwrap();
    assert!(loops(&kernel, |k| k == LoopKind::Par) > 0);
    assert!(!nest.to_string().contains("floor("), "{nest}");
}

/// What has no loop that could be changed stays as it is.
#[test]
fn a_program_in_order_stays_as_it_is() {
    let sums =
        program_text("def sums [n : nat] (x : n.f32) : n.f32 = scanSeq (\\v s -> s + v) 0.0 x");
    let auto = found(&sums, EXACT);
    assert_eq!(auto.best(), None);
    assert_eq!(replayed(&sums, &auto).result, sums.result);
}

/// What is written is a sketch file that makes the same kernel.
#[test]
fn sketches_that_were_found_make_the_same_kernel() {
    let dir = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
        let output = command.args(args).current_dir(dir.path()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{args:?}: {text}");
        let c = std::fs::read_to_string(dir.path().join("gemv.c")).unwrap();
        c.split_once('\n').unwrap().1.to_string()
    };
    let program = "programs/gemv.rise";
    let permit = ["--permit", "reassociate", "--emit", "c,header,sketch"];
    let made = run(&[&[program, "--auto=model"], &permit[..]].concat());
    assert_eq!(made, run(&[&[program], &permit[..]].concat()));
    assert!(made.contains("omp parallel for"), "{made}");
    assert_eq!(made, run(&[program, "--sketch", "gemv.sk"]));
    assert!(!run(&[program, "--plain"]).contains("omp parallel for"));
}

/// A compiler that fails on some kernels costs only these; what was measured is not measured again.
#[test]
#[cfg(unix)]
fn a_schedule_whose_kernel_does_not_compile_loses_and_is_recorded() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let cc = dir.path().join("cc-without-vectors");
    let script = "#!/bin/sh\nfor f; do case $f in *.c) grep -q f32x \"$f\" && exit 1;; esac; done\nexec cc \"$@\"\n";
    std::fs::write(&cc, script).unwrap();
    std::fs::set_permissions(&cc, std::fs::Permissions::from_mode(0o755)).unwrap();
    let tune = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
        let args = "programs/vector_add.rise --auto=tune --set n=4096 --records all.jsonl --target portable";
        command.args(args.split(' ')).env("CC", &cc);
        let output = command.current_dir(dir.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let text = std::fs::read_to_string(dir.path().join("all.jsonl")).unwrap();
        (text, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (first, said) = tune();
    let lost = first.lines().filter(|l| !l.contains("\"lost\":null"));
    assert_eq!((first.lines().count(), lost.count()), (2, 1), "{first}");
    assert!(said.contains("lost: "), "{said}");
    let (second, said) = tune();
    assert_eq!((second, said.contains("lost: ")), (first, false));
}

/// Sums that are nested, or whose step is written out, keep what they are rounded by: large numbers that cancel leave the small ones.
#[test]
fn all_sums_of_a_program_become_exact() {
    let permits = Permits {
        sums: Sums::Exact,
        ..REGROUPED
    };
    let texts = [
        "def sum [n : nat] (x : n.f32) : f32 = reduce (+) 0.0 x",
        "def rows [m n : nat] (x : m.n.f32) : m.f32 =
           x |> map (\\row -> reduceSeq (\\a v -> a + v * 1.0) 0.0 row + reduce max 0.0 row * 0.0)",
        "def dot [n : nat] (x : n.f64) (y : n.f64) : f64 =
           zip x y |> map (\\p -> fst p * snd p) |> reduce (+) 0.5",
        "def both [n : nat] (x : n.f32) : (f32, f32) =
           (reduce (+) 0.0 x, x |> map (\\v -> v * v) |> reduce (+) 1.0)",
    ];
    for text in texts {
        let program = program_text(text);
        let auto = found(&program, permits);
        let best = auto.best().unwrap_or_else(|| panic!("{text}"));
        assert!(best.what.starts_with("compensated sums"), "{}", best.what);
        let exact = replayed(&program, &auto);
        for size in [0, 1, 3, 70] {
            assert!(
                same(&evaluated(&exact, size), &evaluated(&program, size)),
                "{text}"
            );
        }
    }
    for sum in ["reduce (+) 0.0", "reduceSeq (\\s v -> s + v * 1.0) 0.0"] {
        let text =
            format!("def cancels (a : f32) (b : f32) : f32 = {sum} (makeArray[3] a b (0.0 - a))");
        let program = program_text(&text);
        let exact = replayed(&program, &found(&program, permits));
        let of = |p: &Program| {
            let args = [1e8, 1.0].map(Value::f32);
            let value = eval_program(p, &Sizes::default(), &args).unwrap();
            value.as_num().expect("a number").as_f64()
        };
        assert_eq!([of(&program), of(&exact)], [0.0, 1.0], "{text}");
    }
    // What has no sum of floats in it is scheduled as always.
    let other = program_text("def most [n : nat] (x : n.i32) : i32 = reduce (+) 0 x");
    assert!(!found(&other, permits).demanded);
}

/// Several reductions of the same arrays read them once, whatever stands around them.
#[test]
fn reductions_of_the_same_arrays_are_one_pass() {
    let texts = [
        "def extrema [n : nat] (x : (n+1).f32) : (f32, f32) =
           (reduce min (at[0] x) (drop[1] x), reduce max (at[0] x) (drop[1] x))",
        "def cosine [n : nat] (x : n.f32) (y : n.f32) : f32 =
           let xy = zip x y |> map (\\p -> fst p * snd p) |> reduce (+) 0.0 in
           let xx = x |> map (\\v -> v * v) |> reduce (+) 0.0 in
           xy + 3.0 * xx",
    ];
    for text in texts {
        let program = program_text(text);
        let auto = found(&program, REGROUPED);
        let best = auto.best().expect("a schedule");
        assert!(
            best.what
                .starts_with("reductions in one pass, parallel blocks"),
            "{}",
            best.what
        );
        let kernel = replayed(&program, &auto);
        assert_eq!(loops(&kernel, |k| k == LoopKind::Par), 1);
        for size in [1, 3, 40_000] {
            assert!(
                same(&evaluated(&kernel, size), &evaluated(&program, size)),
                "{text}"
            );
        }
    }
    // What the second one needs of the first one takes two passes.
    let text = "def spread [n : nat] (x : n.f32) : f32 =
           let sum = reduce (+) 0.0 x in x |> map (\\v -> v * sum) |> reduce (+) 0.0";
    let best = found(&program_text(text), REGROUPED)
        .best()
        .expect("a schedule")
        .what
        .clone();
    assert!(!best.contains("one pass"), "{best}");
}

/// Steps that multiply what they accumulate by what elements tell are maps, which are composed in strips: of floats where they may be
/// regrouped.
#[test]
fn linear_steps_are_composed() {
    let what = |text: &str, permits| {
        let found = found(&program_text(text), permits);
        found.best().map(|s| s.what.clone())
    };
    let hash =
        "def hash [n : nat] (x : n.u8) : u32 = x |> reduceSeq (\\a e -> (cast e : u32) + a * (cast e : u32)) 7";
    let program = program_text(hash);
    let auto = found(&program, EXACT);
    let best = auto.best().expect("a schedule").what.clone();
    assert!(
        best.starts_with("linear maps composed, parallel blocks"),
        "{best}"
    );
    let kernel = replayed(&program, &auto);
    for size in [0, 5, 70_000] {
        assert!(same(&evaluated(&kernel, size), &evaluated(&program, size)));
    }
    // What is added last may be the element.
    let last = "def last [n : nat] (c : n.f32) : f32 = c |> reduceSeq (\\a c -> a * c + c) 0.0";
    assert_eq!(what(last, EXACT), None);
    let best = what(last, REGROUPED).expect("a schedule");
    assert!(best.starts_with("linear maps composed"), "{best}");
    // What multiplies what is accumulated by itself is no map of this kind.
    assert_eq!(what(&last.replace("a * c", "a * a"), REGROUPED), None);
}

/// Recurrences with one factor for all elements, filters and Horner's rule, are in blocks, also where each number is kept: where a block
/// starts is told by a power of the factor.
#[test]
fn recurrences_with_one_factor_are_in_parallel_blocks() {
    let filter = "def filter [n : nat] (x : n.f32) : n.f32 = x |> scanSeq (\\v y -> 0.25 * v + y * 0.75) 1.0";
    let horner = "def horner [n : nat] (x : f32) (c : n.f32) : f32 = c |> reduceSeq (\\a c -> a * x + c) 0.5";
    let hash =
        "def hash [n : nat] (x : n.u8) : u32 = x |> reduceSeq (\\a e -> (cast e : u32) + a * 31) 7";
    let hashes = "def hashes [n : nat] (x : n.u32) : n.u32 = x |> scanSeq (\\e a -> 31 * a + e) 7";
    for (text, permits) in [
        (filter, REGROUPED),
        (horner, REGROUPED),
        (hash, EXACT),
        (hashes, EXACT),
    ] {
        let program = program_text(text);
        let auto = found(&program, permits);
        let best = auto.best().expect(text);
        assert_eq!(best.what, "recurrences in parallel blocks", "{text}");
        let kernel = replayed(&program, &auto);
        assert!(loops(&kernel, |k| k == LoopKind::Par) > 0, "{text}");
        for size in [0, 5, 70_000] {
            let (a, b) = (evaluated(&kernel, size), evaluated(&program, size));
            assert!(same(&a, &b), "{text}: {size}");
        }
    }
    // Who has not permitted that has the sums in order.
    for text in [filter, horner] {
        assert!(found(&program_text(text), EXACT).best().is_none(), "{text}");
    }
    // Another factor for each element.
    let other = filter.replace("y * 0.75", "y * v");
    let auto = found(&program_text(&other), REGROUPED);
    assert!(auto.best().is_none_or(|s| !s.what.contains("recurrences")));
}

/// What does not commute is in blocks that go on from the first element, whatever record tells which one is kept.
#[test]
fn the_largest_by_what_is_computed_is_found_in_blocks() {
    let text = "def longest [n : nat] (xs : (n+1).(f32, f32)) : ((f32, f32), i32) =
           let all = zip xs (generate (\\i -> (cast i : i32))) in
           let square = \\a -> fst (fst a) * fst (fst a) + snd (fst a) * snd (fst a) in
           reduce (\\a b -> select (square a >= square b) a b) (at[0] all) (drop[1] all)";
    let program = program_text(text);
    let auto = found(&program, REGROUPED);
    assert_eq!(auto.best().expect("a schedule").what, "parallel blocks");
    let kernel = replayed(&program, &auto);
    for size in [0, 5, 20_000] {
        assert!(same(&evaluated(&kernel, size), &evaluated(&program, size)));
    }
}

/// Steps that are no operators become some, by rules that stand in the schedule: in strips, or in vectors where what they become commutes.
#[test]
fn steps_that_are_no_operators_become_some() {
    let segment = "def segment [n : nat] (x : n.f32) : (f32, f32) = x |> reduceSeq (\\a v ->
           let now = max 0.0 (snd a + v) in pair (max (fst a) now) now) (pair 0.0 0.0)";
    let two = "def two [n : nat] (x : n.i32) : (i32, i32) = x |> reduceSeq (\\a v ->
           pair (max (fst a) v) (max (snd a) (min (fst a) v))) (pair 0 0)";
    for (text, permits, words) in [
        (segment, REGROUPED, "strips in order"),
        (two, EXACT, "reductions in 4 vectors"),
    ] {
        let program = program_text(text);
        let auto = found(&program, permits);
        let best = &auto.best().expect(text).what;
        assert_eq!(
            *best,
            format!("steps made operators, parallel blocks, {words}")
        );
        assert!(auto.text().contains("rule lifted-1"), "{}", auto.text());
        let kernel = replayed(&program, &auto);
        for size in [0, 5, 40_000] {
            let (a, b) = (evaluated(&kernel, size), evaluated(&program, size));
            assert!(same(&a, &b), "{text}: {size}");
        }
    }
    assert!(found(&program_text(segment), EXACT).best().is_none());
    // A filter of two numbers would be products of many factors.
    let filter = "def filter [n : nat] (x : n.f32) : (f32, f32) = x |> reduceSeq (\\a v ->
           pair (1.5 * fst a - 0.7 * snd a + v) (fst a)) (pair 0.0 0.0)";
    assert!(found(&program_text(filter), REGROUPED).best().is_none());
}

/// Truth values have no lanes, but blocks; and what is computed of two accumulators has no vectors that compilers make.
#[test]
fn truth_values_and_tuples_with_them_are_reduced_in_blocks() {
    for program in [
        "def any [n : nat] (x : n.i32) : bool = x |> map (\\v -> v * v < 0) |> reduce or false",
        "def sums [n : nat] (f : n.bool) (x : n.i32) : (bool, i32) =
            zip f x |> reduce (\\a b ->
              (or (fst a) (fst b), select (fst b) (snd b) (snd a + snd b))) (false, 0)",
        "def maps [n : nat] (a : n.u32) (b : n.u32) : (u32, u32) =
            zip a b |> reduce (\\p q ->
              (fst q * fst p, fst q * snd p + snd q)) (1, 0)",
    ] {
        let program = program_text(program);
        let auto = found(&program, EXACT);
        assert!(auto.best().is_some(), "{program}");
        let kernel = replayed(&program, &auto);
        assert_eq!(loops(&kernel, |k| k == LoopKind::Par), 1);
        for size in [0, 5, 70_000] {
            assert!(same(&evaluated(&kernel, size), &evaluated(&program, size)));
        }
    }
}

/// A long array is scanned in parallel blocks, if the operator associates.
#[test]
fn long_scans_are_parallel() {
    let text = "def sums [n : nat] (x : n.f32) : n.f32 = x |> scanSeq (\\v s -> s + v) 5.0";
    let sums = program_text(text);
    let auto = found(&sums, REGROUPED);
    assert_eq!(
        auto.best().expect("a schedule").what,
        "scans in parallel blocks"
    );
    let kernel = replayed(&sums, &auto);
    assert_eq!(loops(&kernel, |k| k == LoopKind::Par), 2);
    for size in [0, 5, 70_000] {
        assert!(same(&evaluated(&kernel, size), &evaluated(&sums, size)));
    }
    // Not of what does not associate.
    let other = program_text(&text.replace("s + v", "v - s"));
    assert_eq!(found(&other, REGROUPED).best(), None);
}
