//! Threads of a kernel do not meet in memory: ThreadSanitizer finds no race, and finds those that
//! are planted.
//!
//! gcc's OpenMP library is not instrumented, so kernels are linked to `kernel_threads/openmp.c`
//! in its place, whose teams are threads that the sanitizer sees being created and joined.

use crate::common;
use crate::common::cases::{
    case_for, expect_none, goals, one_of_goals, one_written, sizes, text, wrong, Case, FLAGS,
};
use rise_opt::arith::{Mono, Nat, Rat};
use rise_opt::emit::{emit, Options};
use rise_opt::interp::random::Rng;
use rise_opt::lower::{self, lower};
use rise_opt::nest::walk::each_stmt;
use rise_opt::nest::{Stmt, THREADS_FROM};
use rise_opt::target::Target;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Before a loop, not where it is defined.
const PARALLEL: &str = "    PARALLEL_FOR(";
const STATIC: &str = "    PARALLEL_STATIC";
/// The same of single elements.
const SIMD: &str = "    PARALLEL_SIMD";
const OPENMP: &str = include_str!("kernel_threads/openmp.c");

/// All that is parallel: what is written so, and the shipped goals.
fn parallel() -> Vec<Case> {
    // Narrow vectors on any machine: what races does not depend on them.
    let target = Target::Portable;
    let mut all = one_written(target, 0, 6);
    all.extend(one_of_goals(
        target,
        |g| g.sketch.contains("parallel"),
        0,
        2,
    ));
    let elements = common::program_text(
        "def elements [n : nat] (x : n.f32) (y : n.f32) : n.(f32, f32) = zip x y |> mapPar (\\p -> (fst p * snd p, fst p + 1.0))",
    );
    let (at, mut rng) = (sizes("n=999"), Rng::new(5));
    all.extend(case_for(target, "elements".into(), elements, at, &mut rng));
    all.retain(|c| {
        let text = text(std::slice::from_ref(c));
        [PARALLEL, STATIC, SIMD]
            .iter()
            .any(|hint| text.contains(hint))
    });
    all
}

/// Compiles a text for the sanitizer, linked to our own OpenMP.
fn compile(dir: &Path, text: &str) -> PathBuf {
    let (kernels, openmp) = (dir.join("kernels.c"), dir.join("openmp.c"));
    fs::write(&kernels, text).expect("write");
    fs::write(&openmp, OPENMP).expect("write");
    let gcc = |args: &[&str], file: &Path, to: &Path| {
        let mut command = Command::new("gcc");
        let done = command.args(FLAGS).args(["-O1", "-g", "-fsanitize=thread"]);
        let done = done.args(args).arg(file).arg("-o").arg(to).output();
        let done = done.expect("gcc");
        let said = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{said}");
    };
    let objects = [dir.join("kernels.o"), dir.join("openmp.o")];
    gcc(&["-c", "-fopenmp"], &kernels, &objects[0]);
    gcc(&["-c"], &openmp, &objects[1]);
    let exe = dir.join("cases");
    // Without the flag of OpenMP the library is not linked: what ours lacks is an error.
    let other = objects[1].to_string_lossy();
    gcc(&[&other, "-lm", "-lpthread"], &objects[0], &exe);
    exe
}

/// How the sanitizer's programs start here. It wants memory in places of its own, which some
/// systems hand out at random unless they are told not to.
fn starter(exe: &Path) -> Box<dyn Fn() -> Command> {
    let plain = exe.to_path_buf();
    let direct = move || Command::new(&plain);
    let fixed = exe.to_path_buf();
    let settled = move || {
        let mut c = Command::new("setarch");
        c.arg("-R").arg(&fixed);
        c
    };
    let starts = |mut c: Command| match c.output() {
        Ok(o) => !said(&o).contains("unexpected memory mapping"),
        Err(_) => false,
    };
    match starts(direct()) || !starts(settled()) {
        true => Box::new(direct),
        false => Box::new(settled),
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn with(start: &dyn Fn() -> Command, threads: &str) -> Command {
    let mut command = start();
    command.env("OMP_NUM_THREADS", threads);
    command.env("TSAN_OPTIONS", "halt_on_error=1:exitcode=66");
    command
}

#[test]
fn nothing_races() {
    let cases = parallel();
    // Both goals for matrix products, one with an epilogue, and what is written.
    assert!(cases.len() > 12, "{}", cases.len());
    for hint in [PARALLEL, STATIC, SIMD] {
        assert!(text(&cases).contains(hint), "{hint}");
    }
    let dir = tempfile::tempdir().expect("a folder");
    let exe = compile(dir.path(), &text(&cases));
    let start = starter(&exe);
    for threads in ["2", "8"] {
        let wrong = wrong(&|| with(&*start, threads), dir.path(), &cases);
        expect_none(&wrong, &cases, &format!("{threads} threads"));
    }
}

/// Every parallel loop, on all sides of choices by sizes, is known to be short at small sizes and long at large ones.
#[test]
fn short_loops_have_no_threads() {
    let of = "sketches/mm/micro-parallel.sk";
    let case = &goals(Target::Portable, |g| g.sketch == of)[0];
    let entry = &case.nest.entry;
    let cycles = |share: Nat, size: f64| -> f64 {
        let of = |(m, c): (Mono, Rat)| {
            let factors = m.factors().map(|(_, e)| size.powi(e));
            c.num() as f64 / c.den() as f64 * factors.product::<f64>()
        };
        share.terms().into_iter().map(of).sum()
    };
    let (mut loops, mut longest) = (0, 0.0);
    each_stmt(&case.nest.body, &mut |s| {
        if let Stmt::For { var, kind, .. } = s {
            if kind.is_par() {
                let share = *entry.shares.get(var).expect("its cycles");
                assert!(cycles(share, 4.0) < THREADS_FROM as f64, "{var}: {share}");
                longest = f64::max(longest, cycles(share, 500.0));
                loops += 1;
            }
        }
    });
    assert!(longest > 100.0 * THREADS_FROM as f64, "{longest}");
    let c = text(std::slice::from_ref(case));
    let asked = c.matches(" (WORTH_THREADS(").count() + c.matches(" PARALLEL_IF(").count();
    assert!(loops > 4 && asked >= loops, "{asked} of {loops}: {c}");
}

/// What streams evenly is static, and nothing else: no product, no triangle, nothing that what is read sends into a loop.
#[test]
fn loops_that_stream_evenly_are_static() {
    let is_static = |text: &str| {
        let program = common::program_text(text);
        let options = lower::Options {
            target: Target::Avx2,
            ..Default::default()
        };
        let nest = lower(&program, &options).unwrap_or_else(|d| panic!("{text}: {d:?}"));
        let mut all = Vec::new();
        each_stmt(&nest.body, &mut |s| match s {
            Stmt::For { var, kind, .. } if kind.is_par() => {
                all.push(nest.entry.statics.contains(var));
            }
            _ => {}
        });
        let c = emit(&nest, &Options::default()).c;
        let hints = [STATIC, SIMD, PARALLEL].map(|hint| c.contains(hint));
        let some = all.first().copied().expect("a parallel loop");
        assert_eq!(
            [hints[0] || hints[1], hints[2]],
            [some, !some],
            "{text}: {c}"
        );
        // Lanes are for single elements side by side, not where data says which they are.
        let single = ["steps", "many"]
            .iter()
            .any(|name| text.contains(&format!("def {name} ")));
        assert_eq!(hints[1], single, "{text}: {c}");
        assert!(all.iter().all(|s| *s == some), "{text}: {all:?}");
        some
    };
    let rows = "def rows [n m : nat] (xs : n.m.f32) : n.m.f32 = mapPar (map (\\x -> 2.0 * x)) xs";
    assert!(is_static(rows));
    // In time, too: each thread has its rows in each step.
    assert!(is_static(
        "def steps [t n : nat] (xs : n.f32) : n.f32 = iterate[2 * t] (mapPar (\\x -> 2.0 * x)) xs"
    ));
    // However much is computed of an element.
    assert!(is_static(
        "def many [n : nat] (xs : n.f32) (ys : n.f32) : n.f32 = zip xs ys |> mapPar (\\p ->
           sqrt (exp (fst p) + exp (snd p)) / (1.0 + log (1.0 + exp (fst p * snd p))))"
    ));
    assert!(is_static(
        "def picked [n m : nat] (is : n.idx[m]) (xs : m.f32) : n.f32 = is |> mapPar (\\i -> 2.0 * idx i xs)"
    ));
    let product = "def product [n : nat] (a b : n.n.f32) : n.n.f32 = a |> mapPar (\\row -> transpose b |> map (\\column ->
        zip row column |> map (\\p -> fst p * snd p) |> reduceSeq (\\s x -> s + x) 0.0))";
    assert!(!is_static(product));
    let triangle = "def triangle [n : nat] (a : n.n.f32) : n.f32 =
        let places = generate[n] (\\i -> (cast i : i32)) in
        zip places a |> mapPar (\\row -> zip places (snd row)
          |> map (\\p -> select (fst p <= fst row) (snd p) 0.0) |> reduceSeq (\\s x -> s + x) 0.0)";
    assert!(!is_static(triangle));
}

/// All iterations of a parallel loop write what the first one writes. What a loop does stands in a function above it, where its
/// variable has the same name.
fn one_place(text: &str) -> String {
    let mut all = text.to_string();
    for part in text.split(PARALLEL).skip(1) {
        let index = part.split("int64_t ").nth(1).expect("a loop");
        let index = index.split(' ').next().expect("its index");
        let line = |l: &str| match l.split_once("out[") {
            Some((before, after)) => {
                let after = after.replacen(&format!("{index} "), "0 ", 1);
                format!("{before}out[{after}")
            }
            None => l.to_string(),
        };
        all = all.split('\n').map(line).collect::<Vec<_>>().join("\n");
    }
    all
}

/// A buffer that is private to an iteration is shared.
fn one_buffer(text: &str) -> String {
    let (before, after) = text
        .split_once("_part0(")
        .expect("what a parallel loop does");
    let inside = after.replacen("float acc", "static float acc", 1);
    format!("{before}_part0({inside}")
}

/// Each thread takes the buffer of the first one.
fn one_thread(text: &str) -> String {
    text.replace("return omp_get_thread_num();", "return 0;")
}

#[test]
fn planted_races_are_found() {
    type Plant = fn(&str) -> String;
    let plants: [(&str, &str, Plant); 4] = [
        ("sketches/mm/micro-parallel.sk", "m=22", one_place),
        ("sketches/mm_bias_relu/fused-parallel.sk", "m=22", one_place),
        ("sketches/mm/parallel.sk", "m=64", one_buffer),
        (
            "tests/kernels/private-buffers.rise",
            "m=40,n=20000",
            one_thread,
        ),
    ];
    for (of, at, plant) in plants {
        let target = Target::Portable;
        let mut cases = match of.ends_with(".sk") {
            true => goals(target, |g| g.sketch == of && g.at[0].starts_with(at)),
            false => {
                let (program, mut rng) = (common::program(of), Rng::new(3));
                case_for(target, "w".to_string(), program, sizes(at), &mut rng)
                    .into_iter()
                    .collect()
            }
        };
        cases.truncate(1);
        let right = text(&cases);
        let racy = plant(&right);
        assert_ne!(right, racy, "nothing was planted in {of}");
        let dir = tempfile::tempdir().expect("a folder");
        let exe = compile(dir.path(), &racy);
        let start = starter(&exe);
        let found = wrong(&|| with(&*start, "4"), dir.path(), &cases);
        let text = found.first().map_or("", |f| f.1.as_str());
        assert!(
            text.contains("ThreadSanitizer: data race"),
            "{of}: {text}\n{racy}"
        );
    }
}
