//! Reductions of so few steps that they could be written out: their loops are compared first.

use super::{lowered, told_by_the_main_job};
use crate::common;
use rise_opt::lower::Options;
use rise_opt::validate::obligations_within;

/// The numbers beside the largest ones, or the smallest, of windows with a border, which loops of their own look at.
fn windows(step: &str, start: &str, result: &str) -> String {
    format!(
        "def f [n : nat] (x y : n.f32) : {result} =
           zip (slide[5, 1] (padClamp[1, 3] x)) (slide[5, 1] (padClamp[1, 3] y))
           |> reduceSeq (\\b p -> {step}) {start}\n"
    )
}

/// A choice by data is the last step of a reduction; a reduction over a border goes on where the one before it ended, though the one that
/// the program has is a multiple of its steps, nearly. Written out, there are as many choices in each other as steps.
#[test]
fn choices_by_data_in_loops_over_borders_are_validated() {
    let beside = windows(
        "select (max (at[0] (fst p)) (at[2] (fst p)) < fst b) (at[1] (snd p), snd b + 1) b",
        "(0.0, (0 : i32))",
        "(f32, i32)",
    );
    let equal = windows(
        "select (at[4] (fst p) == at[4] (snd p)) (at[3] (snd p)) b",
        "0.0",
        "f32",
    );
    let both = windows(
        "(select (at[4] (fst p) < fst b) (at[1] (snd p)) (fst b), select (at[4] (fst p) <= snd b) (snd b) (at[1] (snd p)))",
        "(0.0, 0.0)",
        "(f32, f32)",
    );
    for text in [beside, equal, both] {
        for sizes in ["", "--set n=7", "--set n=100", "--set n=127", "--set n=200"] {
            let said = told_by_the_main_job(&text, sizes);
            assert!(said.contains("at all sizes"), "{text}{sizes}\n{said}");
        }
    }
}

/// Few questions may take many steps: a validation ends after some of these, too.
#[test]
fn steps_without_questions_are_bounded() {
    let step = |last: &str| {
        format!("\\b p -> select (fst p < fst b) (snd p, snd b) (fst b, min ({last}) (fst p))")
    };
    let of = |body: &str| {
        common::program_text(&format!(
            "def f (x y : 200.f32) : (f32, f32) = {body} (zip x y)"
        ))
    };
    let all = of(&format!("reduceSeq ({}) (0.0, 0.0)", step("snd b")));
    let halves = of(&format!(
        "(\\a -> drop[100] a |> reduceSeq ({}) (take[100] a |> reduceSeq ({}) (0.0, 0.0)))",
        step("snd p"),
        step("snd b"),
    ));
    let nest = lowered(&halves, &Options::default());
    let found = obligations_within(&nest, &all, 20);
    assert!(found.ended && found.steps < 3_000, "{found:?}\n{nest}");
}
