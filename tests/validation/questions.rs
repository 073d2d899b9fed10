//! Questions about indices, as a solver reads them.

use super::lowered;
use super::programs::PROGRAMS;
use crate::common::{self, lacking};
use rise_opt::exec::solver;
use rise_opt::lower::Options;
use rise_opt::validate::questions;
use std::collections::BTreeMap;
use std::fs;

/// Each question about indices stands by itself, and a solver contradicts none that was decided.
#[test]
fn questions_are_what_a_solver_says() {
    let texts = PROGRAMS.iter().map(|text| {
        let program = common::program_text(text);
        questions(
            &lowered(&program, &Options::default()),
            &program,
            &BTreeMap::new(),
        )
    });
    let texts: Vec<String> = texts.collect();
    let count = |what: &str| texts.iter().map(|t| t.matches(what).count()).sum::<usize>();
    let (asked, refuted, open) = (
        count("(check-sat)"),
        count("; refuted: "),
        count("; open: "),
    );
    assert!(asked >= 500, "{asked}");
    // What is known to be wrong is no open question.
    assert!(refuted > 5 * open, "{refuted} and {open}");
    let solvers = solver::find();
    let Some(z3) = solvers.iter().find(|s| s.name == "z3") else {
        return lacking::not_tested(
            "questions about indices: there is no z3 (Debian: package `z3`)",
        );
    };
    let (mut decided, mut shown) = (0, 0);
    for text in &texts {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("f.smt2");
        fs::write(&file, text).expect("a file");
        let out = std::process::Command::new(&z3.program)
            .arg("-t:300")
            .arg(&file)
            .output();
        let out = String::from_utf8(out.expect("z3").stdout).expect("text");
        let kinds = ["; decided: ", "; refuted: ", "; open: "];
        let states = { text.lines() }.filter(|l| kinds.iter().any(|k| l.starts_with(k)));
        assert_eq!(states.clone().count(), out.lines().count(), "{out}");
        for (state, answer) in states.zip(out.lines()) {
            let is_decided = state.starts_with("; decided");
            decided += usize::from(is_decided);
            shown += usize::from(is_decided && answer == "unsat");
            let wrong = answer == "sat" && is_decided;
            assert!(
                !wrong && !answer.contains("error"),
                "{state}: {answer}\n{text}"
            );
        }
    }
    println!("{shown} of {decided} are shown");
    assert!(shown * 20 >= decided * 19, "{shown} of {decided}");
}
