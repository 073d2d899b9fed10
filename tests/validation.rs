//! Loop programs are validated only if they compute their terms.
//!
//! Loop programs of written programs and goals are changed in many ways. What then differs from the interpreter, or does
//! what no program may do, is never validated, whatever was changed; and as lowered they are. Guards against silence: how
//! many changes of each kind differ is asserted.

mod borders;
mod changes;
mod exchanged;
mod few_steps;
mod generated;
mod iterated;
mod joined_rows;
mod kept;
mod kinds;
mod narrow;
mod operands;
mod order;
mod programs;
mod published;
mod questions;
mod refuted;

use crate::common::cases::GOALS;
use crate::common::{self, cases, share};
use changes::{each_site, CHANGES, UNCHECKED};
use programs::PROGRAMS;
use rise_opt::arith::Nat;
use rise_opt::intern::Symbol;
use rise_opt::interp::random::{self, Numbers, Rng};
use rise_opt::interp::{eval_program, Num, Sizes, Value};
use rise_opt::lower::{lower, Options};
use rise_opt::nest::eval::{eval, EvalError};
use rise_opt::nest::{Block, LoopKind, Nest, Stmt};
use rise_opt::obligation::Assumption;
use rise_opt::target::Target;
use rise_opt::term::Program;
use rise_opt::validate::{
    obligations, obligations_within, validate, validate_within, Tally, Verdict,
};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the main job says of a program that stands in a file.
fn told_by_the_main_job(text: &str, flags: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("f.rise");
    fs::write(&file, text).expect("a file");
    let out = Command::new(env!("CARGO_BIN_EXE_rise-opt"))
        .arg(&file)
        .args(flags.split_whitespace())
        .arg("-o")
        .arg(folder.path().join("f.c"))
        .output()
        .expect("rise-opt");
    String::from_utf8_lossy(&out.stderr).to_string() + &String::from_utf8_lossy(&out.stdout)
}

fn lowered(program: &Program, options: &Options) -> Nest {
    lower(program, options).unwrap_or_else(|d| panic!("{program}: {d:?}"))
}

/// What a program has to compute, at some sizes.
struct Expected {
    sizes: Sizes,
    inputs: Vec<Vec<Num>>,
    outputs: Vec<Vec<Num>>,
}

fn expected(program: &Program, nest: &Nest, choices: &[i64]) -> Vec<Expected> {
    expected_at(program, nest, choices).unwrap_or_else(|| panic!("{program}: too few sizes"))
}

fn expected_at(program: &Program, nest: &Nest, choices: &[i64]) -> Option<Vec<Expected>> {
    let at = |round: usize| {
        let each = program.sizes.iter().enumerate();
        each.map(|(i, s)| (*s, choices[(round + 3 * i) % choices.len()]))
            .collect()
    };
    let all = expected_of(program, nest, (0..choices.len()).map(at).collect());
    (all.len() >= 3).then_some(all)
}

/// At those of the sizes that the kernel takes.
fn expected_of(program: &Program, nest: &Nest, at: Vec<Sizes>) -> Vec<Expected> {
    let mut rng = Rng::new(5);
    let mut all = Vec::new();
    for sizes in at {
        let arg = |rng: &mut Rng, ty| random::value_of(rng, ty, &sizes, Numbers::Unit).ok();
        let args: Option<Vec<Value>> = program.params.iter().map(|p| arg(&mut rng, p.1)).collect();
        let Some(args) = args else { continue };
        let Ok(value) = eval_program(program, &sizes, &args) else {
            continue;
        };
        let expected = Expected {
            inputs: args.iter().flat_map(|v| v.leaves()).collect(),
            outputs: value.leaves(),
            sizes,
        };
        // The kernel may refuse more sizes than those at which the term has no value.
        if eval(nest, &expected.sizes, &expected.inputs).is_ok() {
            all.push(expected);
        }
    }
    all
}

/// What is wrong with a loop program, at any of these sizes.
fn differs(nest: &Nest, expected: &[Expected]) -> Option<String> {
    expected.iter().find_map(|e| {
        let same = |(a, b): (&Vec<Num>, &Vec<Num>)| {
            a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.same(*y))
        };
        match eval(nest, &e.sizes, &e.inputs) {
            Ok(found)
                if found.len() == e.outputs.len() && found.iter().zip(&e.outputs).all(same) =>
            {
                None
            }
            Ok(found) => Some(format!("{:?}: {found:?}", e.sizes)),
            Err(EvalError::Fault(_, what)) => Some(format!("{:?}: {what}", e.sizes)),
            // It refuses sizes that it should take, which hurts nobody.
            Err(_) => None,
        }
    })
}

fn open(tally: &Tally) -> String {
    let all = tally
        .open
        .iter()
        .map(|o| format!("  {}: {}: {}\n", o.obligation, o.place, o.why));
    all.collect()
}

/// How many changes of each kind differ, how many of those are not seen to, and how many do not differ.
#[derive(Default, Debug)]
struct Counts {
    differ: usize,
    alike: usize,
}

fn check(
    name: &str,
    program: &Program,
    nest: &Nest,
    choices: &[i64],
    most: usize,
    all: &mut BTreeMap<&str, Counts>,
) {
    let found = obligations(nest, program);
    assert!(found.open.is_empty(), "{name}\n{nest}{}", open(&found));
    let expected = expected(program, nest, choices);
    assert_eq!(differs(nest, &expected), None, "{name}\n{nest}");
    for (kind, change) in CHANGES {
        for changed in each_site(nest, most, change) {
            let counts = all.entry(kind).or_default();
            let Some(what) = differs(&changed, &expected) else {
                counts.alike += 1;
                continue;
            };
            counts.differ += 1;
            let found = obligations(&changed, program);
            assert!(
                !found.open.is_empty(),
                "{name}, {kind}: validated, but {what}\n{changed}"
            );
        }
    }
    for (kind, change) in UNCHECKED {
        for changed in each_site(nest, most, change) {
            all.entry(kind).or_default().differ += 1;
            let found = obligations(&changed, program);
            assert!(
                !found.open.is_empty(),
                "{name}, {kind}: validated\n{changed}"
            );
        }
    }
}

const CHOICES: [i64; 8] = [1, 2, 3, 4, 5, 6, 7, 9];

#[test]
fn what_differs_is_never_validated() {
    let mut all = BTreeMap::new();
    for text in PROGRAMS {
        let program = common::program_text(text);
        let mut seen = Vec::new();
        for target in [Target::Avx2, Target::Portable] {
            let options = Options {
                target,
                ..Options::default()
            };
            // Without vectors all targets have one loop program.
            let text_of = lowered(&program, &options).to_string();
            if seen.contains(&text_of) {
                continue;
            }
            seen.push(text_of);
            check(
                text,
                &program,
                &lowered(&program, &options),
                &CHOICES,
                share::half(4) as usize,
                &mut all,
            );
        }
    }
    for path in [
        "programs/mm.rise",
        "programs/image/unsharp.rise",
        // Borders have loops of their own.
        "programs/image/max_filter.rise",
        "programs/layer/softmax.rise",
        // Joined windows are reduced by loops in each other.
        "programs/layer/mean_pool.rise",
        "programs/layer/conv2d.rise",
        // A scan of pairs.
        "programs/other/iir.rise",
        "programs/other/kmeans.rise",
    ] {
        let program = common::program(path);
        let nest = lowered(&program, &Options::default());
        check(
            path,
            &program,
            &nest,
            &CHOICES,
            share::half(6) as usize,
            &mut all,
        );
    }
    let total: usize = all.values().map(|c| c.differ).sum();
    println!("{total} changes differ: {all:#?}");
    let kinds = all.values().filter(|c| c.differ > 0).count();
    assert!(kinds >= 32, "{kinds} kinds differ: {all:#?}");
    assert!(total >= 600, "{total} changes differ: {all:#?}");
}

/// All shipped programs, changed in all ways at many places: `cargo test --test all every_change -- --ignored`.
/// Of what differs nothing is validated; what small sizes show is refuted, and the rest is told.
#[test]
#[ignore = "minutes"]
fn every_change_of_shipped_programs_is_rejected() {
    let (mut differ, mut refuted) = (BTreeMap::new(), 0);
    for path in shipped() {
        let name = path.to_str().expect("a name");
        let program = common::program(name);
        let nest = lowered(&program, &Options::default());
        if !obligations(&nest, &program).open.is_empty() {
            println!("as it stands it is unknown: {name}");
            continue;
        }
        let Some(expected) = expected_at(&program, &nest, &CHOICES) else {
            println!("too few sizes: {name}");
            continue;
        };
        assert_eq!(differs(&nest, &expected), None, "{name}");
        for (kind, change) in CHANGES {
            for changed in each_site(&nest, 4, change) {
                let Some(what) = differs(&changed, &expected) else {
                    continue;
                };
                *differ.entry(kind).or_insert(0) += 1;
                match validate(&changed, &program, &BTreeMap::new()).verdict {
                    Verdict::Validated => {
                        panic!("{name}, {kind}: validated, but {what}\n{changed}")
                    }
                    Verdict::Refuted(_) => refuted += 1,
                    Verdict::Unknown => {}
                }
            }
        }
    }
    let total: usize = differ.values().sum();
    println!("{total} changes differ, {refuted} refuted: {differ:#?}");
    assert!(differ.len() >= 28, "{differ:#?}");
    assert!(total >= 3000, "{total}");
    assert!(refuted * 10 >= total * 9, "{refuted} of {total}");
}

/// A loop program of another program is none of this one.
#[test]
fn another_program_is_told_apart() {
    let program = common::program_text(PROGRAMS[0]);
    let nest = lowered(&program, &Options::default());
    let others = [
        "def f [n : nat] (a : n.f32) (b : n.f32) : n.f32 = zip a b |> mapSeq (\\p -> fst p * 2.0 - fst p)",
        "def f [n : nat] (a : n.f32) (b : n.f32) : n.f32 = zip b a |> mapSeq (\\p -> fst p * 2.0 - snd p)",
        "def f [n : nat] (a : n.f32) (b : n.f32) : n.f32 = zip a (reverse b) |> mapSeq (\\p -> fst p * 2.0 - snd p)",
        "def f [n : nat] (a : n.f64) (b : n.f64) : n.f64 = zip a b |> mapSeq (\\p -> fst p * 2.0f64 - snd p)",
        "def f [n k : nat] (a : n.f32) (b : n.f32) : n.f32 = zip a b |> mapSeq (\\p -> fst p * 2.0 - snd p)",
        "def f [n : nat] (a : n.f32) : n.f32 = zip a a |> mapSeq (\\p -> fst p * 2.0 - snd p)",
    ];
    for text in others {
        let other = common::program_text(text);
        assert!(!obligations(&nest, &other).open.is_empty(), "{text}");
    }
}

/// A step that reads the whole state reads each of its elements at its own place.
#[test]
fn states_that_are_read_at_other_places_are_told_apart() {
    let of = |read: &str| {
        common::program_text(&format!(
            "def f [n : nat] (a : n.n.f32) : n.f32 =
              a |> reduceSeq
                (\\x row ->
                  let s = zip row ({read}) |> map (\\p -> fst p * snd p) |> reduce (+) 0.0 in
                  x |> map (\\y -> y + s))
                (fill[n] 1.0)"
        ))
    };
    let (plain, reversed) = (of("x"), of("reverse x"));
    let nest = lowered(&plain, &Options::default());
    assert!(!obligations(&nest, &reversed).open.is_empty(), "{nest}");
    let nest = lowered(&reversed, &Options::default());
    assert!(!obligations(&nest, &plain).open.is_empty(), "{nest}");
}

/// Each loop program computes its own program and none of the others; the last ones are only others.
fn told_apart(texts: &[&str], own: usize) {
    let programs: Vec<Program> = texts.iter().map(|t| common::program_text(t)).collect();
    for (i, own) in programs[..own].iter().enumerate() {
        let nest = lowered(own, &Options::default());
        for (j, other) in programs.iter().enumerate() {
            let found = obligations(&nest, other);
            assert_eq!(
                found.open.is_empty(),
                i == j,
                "{nest}{other}{}",
                open(&found)
            );
        }
    }
}

/// A state each of whose elements is made of its neighbours, step by step.
#[test]
fn iterated_stencils_are_told_apart() {
    let of = |steps: &str, pad: &str, sum: &str| {
        format!(
            "def f [t n : nat] (a : (n + 1).f32) : (n + 1).f32 =
              a |> iterate[{steps}] (\\u -> u |> {pad} |> slide[3, 1] |> map (\\w -> {sum}))"
        )
    };
    let clamped = "padClamp[1, 1]";
    let sum = "at[0] w + at[1] w * at[2] w";
    told_apart(
        &[
            &of("t", clamped, sum),
            &of("t", clamped, "at[2] w + at[1] w * at[0] w"),
            &of("t", clamped, "at[0] w + at[1] w * at[1] w"),
            &of("t", "padCst[1, 1] 0.0", sum),
            &of("t + 1", clamped, sum),
            &of("2 * t", clamped, sum),
        ],
        2,
    );
}

/// The same within the steps of another loop, whose state the inner loop reads at all of its places.
#[test]
fn iterated_stencils_in_iterations_are_told_apart() {
    let of = |begin: &str, pad: &str, sum: &str, last: &str| {
        format!(
            "def f [s t n : nat] (a : (n + 1).f32) : (n + 1).f32 =
              a |> iterate[t] (\\u -> {begin} |> iterate[s] (\\v -> v |> {pad} |> slide[3, 1] |> map (\\w -> {sum}))
                |> map (\\x -> {last}))"
        )
    };
    let (clamped, last) = ("padClamp[1, 1]", "x + 1.0");
    let sum = "at[0] w + at[1] w * at[2] w";
    told_apart(
        &[
            &of("u", clamped, sum, last),
            &of("reverse u", clamped, sum, last),
            &of("u", clamped, "at[2] w + at[1] w * at[0] w", last),
            &of("u", "padCst[1, 1] 0.0", sum, last),
            &of("u", clamped, sum, "x + 2.0"),
        ],
        3,
    );
}

/// What an iteration leaves is the state before the next one, from the first step on.
#[test]
fn first_steps_are_told_apart() {
    let of = |element: &str| {
        format!(
            "def f [n m : nat] (a : n.(m + 1).f32) : n.(m + 1).f32 =
              zip (generate[n] (\\i -> i)) a |> scanSeq
                (\\row x ->
                  zip (snd row) (x |> padClamp[1, 1] |> slide[3, 1])
                  |> map (\\q -> let p = pair (fst q) (at[0] (snd q) - at[2] (snd q)) in {element}))
                (fill[m + 1] 1.0)"
        )
    };
    let at = |step: &str| {
        of(&format!(
            "select ((cast (fst row) : i32) == {step}) (fst p) (fst p + snd p)"
        ))
    };
    told_apart(&[&at("0"), &at("1"), &of("fst p + snd p"), &of("fst p")], 4);
}

/// Reductions in other loops are the same only in the same order, of the same elements.
#[test]
fn reductions_in_other_loops_are_told_apart() {
    let of = |start: &str, order: &str| {
        format!("def f [n m : nat] (a : n.m.f32) : f32 = reduce (+) {start} (join ({order}))")
    };
    told_apart(
        &[
            &of("0.0", "a"),
            &of("0.0", "transpose a"),
            &of("0.0", "reverse a"),
            &of("0.0", "map reverse a"),
            &of("1.0", "a"),
        ],
        5,
    );
}

/// Products of square matrices, of which one is read by columns: each is told from the one that reads it by rows, though all types fit.
#[test]
fn what_takes_a_matrix_for_its_transpose_is_told_apart() {
    let of = |a: &str, b: &str| {
        format!(
            "def f [n : nat] (a : n.n.f32) (b : n.n.f32) : n.n.f32 =
              {a} |> mapSeq (\\row -> {b} |> mapSeq (\\col ->
                zip row col |> reduceSeq (\\s p -> s + fst p * snd p) 0.0))"
        )
    };
    let (rows, columns) = (("a", "transpose a"), ("transpose b", "b"));
    told_apart(
        &[
            &of(rows.0, columns.0),
            &of(rows.1, columns.0),
            &of(rows.0, columns.1),
            &of(rows.1, columns.1),
        ],
        4,
    );
}

/// A product whose accumulators are a row in memory is the one whose sums are scalars, and none of other matrices.
#[test]
fn explicit_accumulators_are_validated() {
    let rows = common::program_text(
        "def f [m n k : nat] (a : m.k.f32) (b : k.n.f32) : m.n.f32 =
          a |> mapSeq (\\row -> zip row b |> reduceSeq
            (\\acc p -> zip acc (snd p) |> mapSeq (\\q -> fst q + fst p * snd q)) (fill[n] 0.0))",
    );
    let of = |sum: &str, start: &str| {
        common::program_text(&format!(
            "def f [m n k : nat] (a : m.k.f32) (b : k.n.f32) : m.n.f32 =
              a |> mapSeq (\\row -> transpose b |> mapSeq (\\col ->
                zip row col |> reduceSeq (\\s p -> {sum}) {start}))"
        ))
    };
    let nest = lowered(&rows, &Options::default());
    let found = obligations(&nest, &of("s + fst p * snd p", "0.0"));
    assert!(found.open.is_empty(), "{nest}{}", open(&found));
    for (sum, start) in [
        ("s + fst p * snd p", "1.0"),
        ("s + fst p * fst p", "0.0"),
        ("fst p * snd p", "0.0"),
    ] {
        let other = of(sum, start);
        assert!(!obligations(&nest, &other).open.is_empty(), "{nest}{other}");
    }
}

/// Tiles of four rows, the last of which is shifted such that it ends with the last row.
fn shifted(nest: &Nest, tiles: Nat, rows: i64, last: i64) -> Nest {
    let (mut nest, size) = (nest.clone(), |s| Nat::var(Symbol::new(s)));
    let Stmt::For { var, body, .. } = &mut nest.body[0] else {
        panic!("{nest}")
    };
    let (row, mut inner) = (*var, std::mem::take(body));
    let first = (Nat::int(4) * size("t")).min(size("m") - Nat::int(last));
    let value = first + size("u");
    inner.insert(0, Stmt::Index { var: row, value });
    let around = |name: &str, extent: Nat, body: Block| Stmt::For {
        var: Symbol::new(name),
        extent,
        kind: LoopKind::Seq,
        body,
        note: None,
    };
    let tile = around("u", Nat::int(rows), inner);
    nest.body[0] = around("t", tiles, vec![tile]);
    nest
}

#[test]
fn shifted_tiles_are_validated() {
    let program = common::program_text(
        "def f [m n : nat] (a : m.f32) (b : n.f32) : m.n.f32 =
          a |> mapSeq (\\x -> b |> mapSeq (\\y -> x * y))",
    );
    let m = Nat::var(Symbol::new("m"));
    let mut nest = lowered(&program, &Options::default());
    let unchecked = nest.clone();
    (nest.abi.assumptions).push(Assumption::NotNegative(m - Nat::int(4)));
    let tiles = m.ceil_div(Nat::int(4));
    let right = shifted(&nest, tiles, 4, 4);
    let found = obligations(&right, &program);
    assert!(found.open.is_empty(), "{right}{}", open(&found));
    let sizes = [4, 5, 6, 7, 8, 9, 11];
    let at = |m: i64| [("m", m), ("n", 3)].map(|(s, n)| (Symbol::new(s), n));
    let at: Vec<Sizes> = sizes.iter().map(|m| at(*m).into_iter().collect()).collect();
    let expected = expected_of(&program, &right, at);
    assert_eq!((differs(&right, &expected), expected.len()), (None, 7));
    for wrong in [
        shifted(&nest, tiles - Nat::int(1), 4, 4),
        shifted(&nest, m.floor_div(Nat::int(4)), 4, 4),
        shifted(&nest, tiles, 3, 4),
        shifted(&nest, tiles, 4, 5),
        shifted(&nest, tiles, 4, 3),
    ] {
        assert!(differs(&wrong, &expected).is_some(), "{wrong}");
        let found = obligations(&wrong, &program);
        assert!(!found.open.is_empty(), "{wrong}");
    }
    // Fewer rows than a tile has.
    let wrong = shifted(&unchecked, tiles, 4, 4);
    assert!(!obligations(&wrong, &program).open.is_empty(), "{wrong}");
}

/// A shipped goal: what is found, and its loop program.
fn goal(sketch: &str, target: Target) -> (Program, Nest) {
    let goal = GOALS.iter().find(|g| g.sketch.ends_with(sketch));
    let goal = goal.unwrap_or_else(|| panic!("the goal `{sketch}`"));
    let found = goal.reached(Target::Avx2);
    let nest = goal.nest(&found, target);
    (found, nest)
}

/// Goals with register tiles, packed arrays, vectors and threads, parts of tiles, rows that are used again, windows that
/// overlap, arrays whose columns are stored one by one, as they are found.
#[test]
fn goals_are_validated() {
    for (sketch, target) in [
        ("mm/parallel.sk", Target::Sse2),
        ("mm/parallel.sk", Target::Avx512),
        ("mm/micro.sk", Target::Avx2),
        ("gaussian5/parallel.sk", Target::Avx2),
        ("conv2d_stride2/parallel.sk", Target::Avx2),
        ("risegg/array-packing.sk", Target::Avx2),
    ] {
        let (found, nest) = goal(sketch, target);
        let tally = obligations(&nest, &found);
        assert!(tally.open.is_empty(), "{nest}{}", open(&tally));
    }
}

/// All goals: `cargo test --test all every_goal -- --ignored`. `BLESS=1` writes the list of those that are validated
/// again.
#[test]
#[ignore = "a minute"]
fn every_goal_is_validated_or_listed() {
    // Ids are those of a thread, and what is asked first may be another thing where others were before.
    let alone = |goal: &'static cases::Goal| {
        let of = move || {
            let found = goal.reached(Target::Avx2);
            let fixed = cases::sizes(goal.fixed).into_iter().collect();
            let tally = validate(&goal.nest(&found, Target::Avx2), &found, &fixed).tally;
            let name = format!("{} {} {}", goal.program, goal.sketch, goal.set);
            line(&tally, name.trim_end())
        };
        let thread = std::thread::Builder::new().stack_size(1 << 29);
        let done = thread.spawn(of).expect("a thread").join();
        done.unwrap_or_else(|_| panic!("{}", goal.sketch))
    };
    let lines: Vec<String> = GOALS.iter().map(alone).collect();
    let validated = lines.iter().filter(|l| l.starts_with("validated")).count();
    listed("tests/validation/goals.txt", &lines, validated);
}

/// Some changes of each goal: `cargo test --test all every_change_of_goals -- --ignored`.
#[test]
#[ignore = "minutes"]
fn every_change_of_goals_is_rejected() {
    let mut differ = 0;
    for goal in GOALS {
        let found = goal.reached(Target::Avx2);
        let nest = goal.nest(&found, Target::Avx2);
        let at = goal.at.iter().map(|at| cases::sizes(at)).collect();
        let expected = expected_of(&found, &nest, at);
        for (kind, change) in CHANGES {
            for changed in each_site(&nest, 1, change) {
                let Some(what) = differs(&changed, &expected) else {
                    continue;
                };
                differ += 1;
                let tally = obligations_within(&changed, &found, QUESTIONS);
                assert!(
                    !tally.open.is_empty(),
                    "{}, {kind}: validated, but {what}\n{changed}",
                    goal.sketch
                );
            }
        }
    }
    println!("{differ} changes differ");
    assert!(differ >= 500, "{differ}");
}

// ---- what is shipped

/// Questions about indices for each program, as many as the main job asks at least: what takes more is not waited for here.
const QUESTIONS: u64 = 20_000;

fn rise_files(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            rise_files(&path, out);
        } else if path.extension().is_some_and(|e| e == "rise") {
            out.push(path);
        }
    }
}

fn shipped() -> Vec<PathBuf> {
    let mut paths = Vec::new();
    rise_files(Path::new("programs"), &mut paths);
    paths.sort();
    paths
}

/// All programs as they stand: which of them are validated stands in a list, so that it can only grow knowingly.
/// `BLESS=1` writes it again.
#[test]
fn programs_that_are_shipped_are_validated_or_listed() {
    let paths = shipped();
    let (mut lines, mut validated) = (Vec::new(), 0);
    for path in &paths {
        let name = path.to_str().expect("a name");
        let program = common::program(name);
        let nest = lowered(&program, &Options::default());
        let tally = obligations_within(&nest, &program, QUESTIONS);
        validated += usize::from(tally.open.is_empty());
        lines.push(line(&tally, name));
    }
    listed("tests/validation/programs.txt", &lines, validated);
    assert!(validated > 60, "{lines:?}");
}

/// Where most questions have no for an answer, points give it: those of a stencil over three dimensions are half as many as without.
#[test]
fn what_fails_at_a_point_is_not_searched_for() {
    let program = common::program("programs/stencil/jacobi3d.rise");
    let nest = lowered(&program, &Options::default());
    let tally = obligations_within(&nest, &program, QUESTIONS);
    assert!(tally.open.is_empty(), "{}", open(&tally));
    assert!(tally.questions < 15_000, "{}", tally.questions);
}

/// The command itself, without a sketch: a search of some milliseconds is no reason to ask too little. What a step makes of a state is
/// compared once, and not for each case in which elements of it are asked for, nor for each number of steps; and what a tile has in a row, not for each row of another one.
#[test]
fn the_main_job_asks_little() {
    for (name, most) in [
        ("stencil/heat", 1_300),
        ("stencil/life", 5_000),
        ("mm_row_max", 4_000),
        ("stencil/jacobi3d", 1_600),
    ] {
        let program = format!("programs/{name}.rise");
        let (job, out) = by_the_main_job(&program, Target::default());
        let said = job.lines().find(|l| l.starts_with("valid "));
        assert!(said.is_some_and(|l| l.contains("at all sizes")), "{job}");
        let questions = out.split_once(" questions").map(|(before, _)| before);
        let number = questions.and_then(|q| q.rsplit(' ').next()?.parse::<u64>().ok());
        assert!(number.is_some_and(|n| n <= most), "{name}: {out}");
    }
}

/// Where a row ends inside of a vector. A minimum in what is assumed may be either side: that there is no such case, both say. Elements
/// are stored value by value, and not all values that a range has are left.
#[test]
fn borders_inside_of_vectors_are_validated() {
    for target in [Target::Avx2, Target::Sse2] {
        let (job, out) = by_the_main_job("programs/image/max_filter.rise", target);
        assert!(job.contains("at all sizes"), "{job}\n{out}");
    }
}

/// Elements of small states are told by their places, what is always the same needs no step before it, and the first rows of a strip
/// are not stored.
#[test]
fn small_states_and_kept_rows_are_validated() {
    for name in ["matrix-powers", "largest-at-places", "opening"] {
        let program = format!("tests/kernels/{name}.rise");
        let (job, out) = by_the_main_job(&program, Target::default());
        assert!(job.contains("at all sizes"), "{job}\n{out}");
    }
}

/// What the command says of a program without a sketch, and what `validate` says of its loops.
fn by_the_main_job(program: &str, target: Target) -> (String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |args: &[&str]| {
        let out = std::process::Command::new(env!("CARGO_BIN_EXE_rise-opt"))
            .args(args)
            .output();
        String::from_utf8(out.expect("rise-opt").stdout).expect("text")
    };
    let file = |ending: &str| {
        let path = folder.path().join(format!("kernel{ending}"));
        path.to_str().expect("a name").to_string()
    };
    let (c, term, loops) = (file(".c"), file(".found.rise"), file(".loops"));
    let emit = ["--emit", "c,header,term,loops", "-o", &c];
    let job = run(&[&[program, "--target", target.name()][..], &emit].concat());
    let validated = run(&["validate", &term, &loops]);
    (job, validated)
}

fn line(tally: &Tally, name: &str) -> String {
    match tally.open.first() {
        None => format!("validated  {name}"),
        Some(o) => format!("unknown    {name}: {}", o.obligation),
    }
}

/// Compares with a list that is kept.
fn listed(golden: &str, lines: &[String], validated: usize) {
    let all = lines.len();
    let text = format!("{validated} of {all} validated\n{}\n", lines.join("\n"));
    if std::env::var_os("BLESS").is_some() {
        fs::create_dir_all("tests/validation").expect("a folder");
        fs::write(golden, &text).expect("a file");
    }
    let expected = fs::read_to_string(golden).expect("the list");
    assert_eq!(text, expected, "BLESS=1 writes {golden} again");
}

/// Where there are many sizes, few elements are many operations: trials of some seconds each are left out.
#[test]
fn trials_are_bounded_by_operations() {
    let dims = ["a", "b", "c", "d", "e", "f"];
    let params: Vec<String> = dims.iter().map(|d| format!("(x{d} : {d}.f32)")).collect();
    let sums = dims[1..].iter().rev().fold("v".to_string(), |sum, d| {
        format!("reduceSeq (\\s -> \\u{d} -> s + u{d} * ({sum})) 0.0 x{d}")
    });
    let text = format!(
        "def f [{} : nat] {} : a.f32 = xa |> mapSeq (\\v -> {sums})",
        dims.join(" "),
        params.join(" ")
    );
    let program = common::program_text(&text);
    let nest = lower(&program, &Options::default()).unwrap();
    let begun = std::time::Instant::now();
    let found = validate_within(&nest, &program, &BTreeMap::new(), 0);
    assert!(
        matches!(found.verdict, Verdict::Unknown),
        "{:?}",
        found.tally
    );
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}
