//! `rise-opt simplify` and `rise-opt prove`: answers, errors and exit codes; and what is left of index arithmetic in
//! the loops of the shipped goals.

mod common;

use common::{chain, mm, GOALS};
use rise_opt::arith::{AtomKind, Nat};
use rise_opt::nest::{walk, Block, Stmt};
use rise_opt::term::Program;
use rise_opt::{lower, search};
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
    assert_eq!((code, &*out), (1, ""));
    assert!(
        err.contains("E0411") && err.contains("standard input:2:5"),
        "{err}"
    );
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

/// Whether computing it divides.
fn divides(n: Nat) -> bool {
    let mut found =
        (n.terms().iter()).any(|(m, c)| c.as_int().is_none() || m.factors().any(|f| f.1 < 0));
    n.each_atom(&mut |a| {
        use AtomKind::{Ceil, Floor, Mod, Quot};
        found |= matches!(a.kind(), Floor(..) | Ceil(..) | Mod(..) | Quot(..));
    });
    found
}

#[test]
fn nothing_is_divided_inside_the_innermost_loops_of_the_goals() {
    let mut loops = 0;
    for goal in GOALS {
        let program = mm();
        let steps = chain(&format!("sketches/mm/{goal}.sk"), &program, &[]);
        let outcome = search::optimize(&program, &steps, &search::Options::default());
        assert!(outcome.failure.is_none(), "{goal}");
        let found = Program {
            term: outcome.terms.last().unwrap().clone(),
            ..program
        };
        let nest = lower::lower(&found, &lower::Options::default()).unwrap();
        let mut all = Vec::new();
        innermost(&nest.body, &mut all);
        loops += all.len();
        for body in all {
            walk::each_stmt(&body, &mut |s| {
                walk::each_index(s, &mut |n| {
                    assert!(!divides(n), "{goal}: {n}");
                });
            });
        }
    }
    assert!(loops >= 7, "{loops}");
}
