//! `rise-opt simplify` and `rise-opt prove`: answers, errors and exit codes; and what is left of index arithmetic in
//! the loops of the shipped goals.

mod identities;
mod solving;
mod solving_matrix;
mod vectors;

use crate::common::cases;
use rise_opt::arith::Nat;
use rise_opt::emit;
use rise_opt::index::{divisions, Level};
use rise_opt::nest::{walk, Block, Nest, Stmt};
use rise_opt::target::Target;
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

/// Exit code, standard output, standard error.
fn run(args: &[&str], input: &str) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_rise-opt"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A child that does not read closes the pipe.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let out = child.wait_with_output().unwrap();
    let text = |b: Vec<u8>| String::from_utf8(b).unwrap();
    (
        out.status.code().unwrap(),
        text(out.stdout),
        text(out.stderr),
    )
}

#[test]
fn expressions_of_the_command_line_a_file_and_standard_input() {
    let (code, out, _) = run(&["simplify", "(4*i + 3)/4"], "");
    assert_eq!((code, &*out), (0, "i\n"));
    let assume = [
        "simplify",
        "--assume",
        "0 <= w && w < 32",
        "--assume",
        "n % 32 == 0",
    ];
    let (code, out, _) = run(&assume, "(32*v + w)/32\n\n3 < x\n(n + w)%32\n-x\n");
    assert_eq!((code, &*out), (0, "v\n3 < x\nw\n0 - x\n"));
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("lines.txt");
    std::fs::write(&file, "x + 0\nmin(x, x)\n").unwrap();
    let (code, out, _) = run(&["simplify", "--file", file.to_str().unwrap()], "");
    assert_eq!((code, &*out), (0, "x\nx\n"));
}

#[test]
fn a_trace_names_the_rules() {
    let (_, out, _) = run(&["simplify", "--trace", "x - y + y"], "");
    assert_eq!(out, "  add-cancel: x - y + y  =>  x\nx\n");
    let (_, out, _) = run(&["simplify", "--trace", "max(x - y, 0) + min(x, y)"], "");
    assert!(
        out.ends_with("  cases: min(x, y) + max(x - y, 0)  =>  x\nx\n"),
        "{out}"
    );
}

#[test]
fn what_is_proved_and_what_is_not() {
    let bound = ["prove", "--assume", "0 <= i && i < m && 0 <= j && j < 32"];
    let (code, out, _) = run(&[&bound[..], &["i*32 + j < m*32"]].concat(), "");
    assert_eq!((code, &*out), (0, "true\n"));
    let (code, out, _) = run(&[&bound[..], &["j < 16"]].concat(), "");
    assert_eq!((code, &*out), (4, "unknown\n"));
    let (code, out, _) = run(&[&bound[..], &["i < 0"]].concat(), "");
    assert_eq!((code, &*out), (4, "false\n"));
}

#[test]
fn mistakes_point_to_their_place() {
    let (code, out, err) = run(&["simplify"], "x + 1\nx + mn(y, 2)\n");
    assert_eq!((code, &*out), (1, "x + 1\n\n"));
    assert!(
        err.contains("E0411") && err.contains("standard input:2:5"),
        "{err}"
    );
    let lines = "x + 0\nx + mn(y, 2)\n\n-- none\ny - y where y <\nmin(x, x)\n";
    for command in ["simplify", "prove"] {
        let lines = match command {
            "prove" => lines.replace('\n', " <= 5\n").replace("\n <= 5", "\n"),
            _ => lines.to_string(),
        };
        let (code, out, err) = run(&[command], &lines);
        assert_eq!((code, out.lines().count()), (1, 4), "{out}");
        let empty: Vec<bool> = out.lines().map(str::is_empty).collect();
        assert_eq!(empty, [false, true, true, false], "{out}");
        for place in ["standard input:2:5", "standard input:5:"] {
            assert!(err.contains(place), "{err}");
        }
    }
    // As many mistakes as lines take as long as the lines.
    let (code, out, _) = run(&["simplify"], &"x + mn(y, 2)\n".repeat(4_000));
    assert_eq!((code, out.len()), (1, 4_000));
    let (code, _, err) = run(&["simplify", "x", "--assume", "x + 1"], "");
    assert!(code == 1 && err.contains("E0412"), "{err}");
    let (code, _, err) = run(&["prove", "x &&"], "");
    assert!(code == 1 && err.contains("E0106"), "{err}");
    let (code, _, _) = run(&["simplify"], "\n");
    assert_eq!(code, 1);
    let (code, _, err) = run(&["simplify", "x", "--rules", "rules/vector.rules"], "");
    assert!(code == 1 && err.contains("E0417"), "{err}");
}

#[test]
fn rules_that_undo_each_other_are_told() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("loop.rules");
    let text = "domain scalar\nrule there  min(x, y) => x + y\nrule back  x + y => min(x, y)\n";
    std::fs::write(&file, text).unwrap();
    let (code, _, err) = run(
        &["simplify", "x + y", "--rules", file.to_str().unwrap()],
        "",
    );
    assert!(code == 1 && err.contains("E0641"), "{err}");
}

/// What is assumed and what is asked speak of the same variables.
#[test]
fn a_name_has_one_sort_in_all_that_is_assumed_and_asked() {
    let (code, out, _) = run(&["simplify", "select(b, x, x)", "--assume", "x"], "");
    assert_eq!((code, &*out), (0, "true\n"));
    let (code, out, _) = run(&["simplify", "select(b, x && y, y)", "--assume", "x"], "");
    assert_eq!((code, &*out), (0, "y\n"));
    let (code, out, _) = run(
        &["simplify", "select(b, x || y, y)", "--assume", "!x && b"],
        "",
    );
    assert_eq!((code, &*out), (0, "y\n"));
    for (asked, assumed) in [
        ("x + 1", "x"),
        ("select(x, 1, 2)", "x < 3"),
        ("ramp(0, 1, 4) + v", "v < 3"),
    ] {
        let (code, out, err) = run(&["simplify", asked, "--assume", assumed], "");
        assert_eq!((code, &*out), (1, "\n"), "{asked}");
        assert!(err.contains("E0412") && err.contains("EXPR:1:"), "{err}");
    }
    let (code, _, err) = run(&["simplify"], "y\nx + 1 where x\n");
    assert!(code == 1 && err.contains("standard input:2:"), "{err}");
    // Lines are about variables of their own.
    let (code, out, _) = run(&["simplify"], "x + 0\nx || x\n");
    assert_eq!((code, &*out), (0, "x\nx\n"));
    let (code, _, err) = run(&["simplify", "y", "--assume", "x", "--assume", "x < 1"], "");
    assert!(code == 1 && err.contains("E0412"), "{err}");
}

/// Rules that let expressions grow, wide or deep, are stopped as those are that go round.
#[test]
fn rules_that_let_expressions_grow_are_stopped() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("grow.rules");
    for rule in [
        "rule wide  x / y => (x + x) / (y + y)",
        "rule deep  x / y => x / (y / y)",
        "rule both  x / y => (x / y + y / x) / (x / x)",
        "rule long  x + y => x + y + (x + y + 1)",
    ] {
        std::fs::write(&file, format!("domain scalar\n{rule}\n")).unwrap();
        let path = file.to_str().unwrap();
        let (code, _, err) = run(&["simplify", "x / (y + 1)", "--rules", path], "");
        assert!(code == 1 && err.contains("E0641"), "{rule}: {err}");
        let (code, _, err) = run(&["order", path], "");
        assert!(code == 4 && err.contains("E068"), "{rule}: {err}");
    }
}

/// Text of 2^16 leaves is read, simplified and printed in time that grows with its length; quadratic, this does not end.
#[test]
fn long_texts_are_simplified() {
    let mut parts: Vec<String> = (0..1 << 16).map(|i| format!("x{}", i % 97)).collect();
    let mut level = 0;
    while parts.len() > 1 {
        let op = ["+", "*", "-"][level % 3];
        let pairs = parts.chunks(2).map(|p| format!("({} {op} {})", p[0], p[1]));
        parts = pairs.collect();
        level += 1;
    }
    let (code, out, _) = run(&["simplify"], &parts[0]);
    assert_eq!(code, 0);
    assert!(out.len() > 1 << 16);
}

/// The loops of a block that hold no loop.
fn innermost(block: &Block, out: &mut Vec<Block>) {
    walk::each_stmt(block, &mut |s| {
        if let Stmt::For { body, .. } = s {
            let mut outer = false;
            walk::each_stmt(body, &mut |s| outer |= matches!(s, Stmt::For { .. }));
            if !outer {
                out.push(body.clone());
            }
        }
    });
}

/// The integers that stand in the innermost loops.
fn in_innermost(nest: &Nest) -> (usize, Vec<Nat>) {
    let mut all = Vec::new();
    innermost(&nest.body, &mut all);
    let mut found = Vec::new();
    for body in &all {
        walk::each_stmt(body, &mut |s| walk::each_index(s, &mut |n| found.push(n)));
    }
    (all.len(), found)
}

fn text_of(nest: &Nest) -> String {
    emit::emit_all(&[nest], &emit::Options::default())
}

/// Goals whose innermost loops divide.
const DIVIDING: [&str; 0] = [];

/// Of every shipped goal: nothing is divided inside its innermost loops but for those listed, it is the same to the byte when it is lowered
/// again, and it computes what the interpreter says, however little is done to its indices: compiling takes the time, so every eighth goal
/// is compiled with one of two levels.
#[test]
fn kernels_of_all_goals_at_every_level() {
    all_goals(&|level, goal| 8 * level == goal % 16);
}

#[test]
#[ignore]
fn all_kernels_of_all_goals_at_every_level() {
    all_goals(&|_, _| true);
}

/// `takes`: whether a goal is compiled with a level, both by their numbers.
fn all_goals(takes: &dyn Fn(usize, usize) -> bool) {
    let target = Target::native();
    let mut loops = 0;
    let mut lines = [0; 3];
    let mut dividing = BTreeSet::new();
    let mut cases: [Vec<cases::Case>; 2] = Default::default();
    for (i, goal) in cases::GOALS.iter().enumerate() {
        let name = format!("g{i}");
        let found = goal.found(&name, target);
        let of = goal.cases_of(&found, &goal.nest(&found, target), &name);
        for (at, level) in [Level::Off, Level::Fold, Level::Full]
            .into_iter()
            .enumerate()
        {
            let nest = goal.nest_at(&found, target, level);
            let text = text_of(&nest);
            let again = text_of(&goal.nest_at(&found, target, level));
            assert_eq!(text, again, "{} at {level:?}", goal.sketch);
            lines[at] += text.lines().count();
            if level == Level::Full {
                let (count, inside) = in_innermost(&nest);
                loops += count;
                if inside.iter().any(|n| divisions(*n) > 0) {
                    dividing.insert(goal.sketch);
                }
            }
            // With all that is done to indices they are compiled in `kernel_compilers`.
            if let Some(cases) = cases.get_mut(at).filter(|_| takes(at, i)) {
                cases.extend(of.iter().map(|case| cases::Case {
                    nest: nest.clone(),
                    ..case.clone()
                }));
            }
        }
    }
    assert_eq!(dividing, BTreeSet::from(DIVIDING));
    assert!(loops >= 2 * cases::GOALS.len(), "{loops}");
    assert!(lines[0] != lines[2], "nothing was simplified");
    let flags = [&["-O1", "-fopenmp"], target.flags()].concat();
    for cases in &cases {
        cases::all_right("cc", cases, &flags);
    }
}

/// A program whose indices divide unless it is known that they need not.
const JOINED: &str = "def joined [n : nat] (xs : n.32.f32) : (n*32).f32 =\n  \
                      xs |> join |> map (\\x -> x + x)\n";

#[test]
fn levels_of_the_command_line() {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("joined.rise");
    std::fs::write(&program, JOINED).unwrap();
    let program = program.to_str().unwrap();
    let c = |level: &str| {
        let plan = dir.path().join(format!("{level}.c"));
        let plan = plan.to_str().unwrap();
        let all = [program, "--simplify", level, "--emit", "c,plan", "-o", plan];
        let (code, _, err) = run(&all, "");
        assert_eq!(code, 0, "{err}");
        let first = std::fs::read_to_string(plan).unwrap();
        let plan = plan.replace(".c", ".plan.json");
        let (code, again, err) = run(&["--replay", &plan, "--emit", "c", "-o", "-"], "");
        assert_eq!((code, &again), (0, &first), "{err}");
        first
    };
    let [off, fold, full] = ["off", "fold", "full"].map(c);
    assert!(
        off.contains("floor_div") && fold.contains("floor_div"),
        "{off}"
    );
    assert!(full.lines().count() <= fold.lines().count(), "{full}");
}

#[test]
fn what_stays_open_is_written_and_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("joined.rise");
    std::fs::write(&program, JOINED).unwrap();
    let file = dir.path().join("joined.queries");
    let (program, file) = (program.to_str().unwrap(), file.to_str().unwrap());
    let (code, _, err) = run(&[program, "--emit", "queries", "-o", file], "");
    assert_eq!(code, 0, "{err}");
    let text = std::fs::read_to_string(file).unwrap();
    let asked: Vec<&str> = text.lines().filter(|l| !l.starts_with("--")).collect();
    assert!(
        !asked.is_empty() && asked.iter().all(|l| l.contains(" where ")),
        "{text}"
    );
    let (code, simple, err) = run(&["simplify", "--file", file], "");
    assert_eq!((code, simple.lines().count()), (0, asked.len()), "{err}");
    let (_, answers, _) = run(&["prove", "--file", file], "");
    assert!(answers.lines().all(|l| l == "unknown"), "{text}{answers}");
}

#[test]
fn lines_assume_for_themselves() {
    let lines =
        "-- a comment\nw < 32 where 0 <= w && w < 9\nw < 32\n(8*v + w)/8 where 0 <= w && w < 8\n";
    let (_, out, _) = run(&["prove"], lines);
    assert_eq!(out, "true\nunknown\nunknown\n");
    let (code, out, _) = run(&["simplify"], lines);
    assert_eq!((code, &*out), (0, "true\nw < 32\nv\n"));
    let (code, _, err) = run(&["simplify"], "x + 1\nx where y +\n");
    assert!(code == 1 && err.contains("standard input:2:"), "{err}");
    let (code, _, err) = run(&["simplify"], "x where y + 1\n");
    assert!(code == 1 && err.contains("E0412"), "{err}");
}
