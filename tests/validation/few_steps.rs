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

/// A reduction over blocks of a constant size, joined, is two in each other: each step of either chooses by all before.
#[test]
fn choices_over_joined_blocks_are_validated() {
    let of = |step: &str, start: &str| {
        format!(
            "def f [h w : nat] (x : (2*h).(3*w).f32) : h.w.f32 = x |> split[2] |> map (\\rows ->
               rows |> map (split[3]) |> transpose |> map (\\block -> join block |> reduceSeq (\\a b -> {step}) {start}))\n"
        )
    };
    for text in [
        of("select (b > a) b a", "(0.0 - infinity)"),
        of("if abs b < abs a then b else a", "infinity"),
    ] {
        let said = told_by_the_main_job(&text, "");
        assert!(said.contains("at all sizes"), "{text}\n{said}");
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

/// Each number of a cipher's state stands in several of the next: written out, there are as many as there are ways through all rounds.
#[test]
fn numbers_that_stand_in_many_others_are_compared_once() {
    let text = "def turned (k : u32) (x : u32) : u32 = bitor (shl x k) (shr x (32 - k))
def mixed (s : (u32, (u32, (u32, u32)))) : (u32, (u32, (u32, u32))) =
  let (a, (b, (c, d))) = s in
  let e = a + b in let f = turned 16 (bitxor d e) in let g = c + f in let h = turned 12 (bitxor b g) in
  let i = e + h in let j = turned 8 (bitxor f i) in let k = g + j in (i, (turned 7 (bitxor h k), (k, j)))
def round (s : 16.u32) : 16.u32 =
  let q = zip (zip (take[4] s) (take[4] (drop[4] s))) (zip (take[4] (drop[8] s)) (drop[12] s)) |> map (\\((a, b), (c, d)) -> mixed (a, (b, (c, d)))) in
  let b = map (\\p -> fst (snd p)) q in let c = map (\\p -> fst (snd (snd p))) q in let d = map (\\p -> snd (snd (snd p))) q in
  concat (concat (map fst q) (concat (drop[1] b) (take[1] b))) (concat (concat (drop[2] c) (take[2] c)) (concat (drop[3] d) (take[3] d)))
def f [n : nat] (key : 16.u32) : n.16.u32 =
  generate[n] (\\i -> key |> map (\\x -> x + (cast i : u32)) |> iterate[10] (\\s -> let t = round s in let u = round t in round u))
";
    let said = told_by_the_main_job(text, "");
    assert!(said.contains("at all sizes"), "{said}");
}
