//! Iterations that share an inner loop whose steps wait for each other: how many do, and which do not.

use super::*;
use rise_opt::validate::{validate, Verdict};
use std::collections::BTreeSet;

/// The most variables that an innermost loop hands on from one iteration to the next.
fn carried(result: &str, body: &str) -> usize {
    handed_on(&printed(&format!(
        "def f [m n : nat] (x : m.n.f32) (y : m.n.i32) : {result} = {body}"
    )))
}

fn handed_on(nest: &Nest) -> usize {
    let mut most = 0;
    each_stmt(&nest.body, &mut |s| {
        let Stmt::For { body, .. } = s else { return };
        let (mut own, mut assigned, mut innermost) = (BTreeSet::new(), BTreeSet::new(), true);
        each_stmt(body, &mut |s| match s {
            Stmt::For { .. } => innermost = false,
            Stmt::Let { var, .. } => drop(own.insert(*var)),
            Stmt::Assign { var, .. } => drop(assigned.insert(*var)),
            _ => {}
        });
        if innermost {
            most = most.max(assigned.difference(&own).count());
        }
    });
    most
}

#[test]
fn steps_of_some_rows_do_not_wait_for_each_other() {
    let scan = |f: &str| carried("m.n.f32", &format!("x |> map (scanSeq (\\v s -> {f}) 0.0)"));
    // As many as are done while one waits: each stores.
    assert_eq!(scan("s + v"), 4);
    assert_eq!(scan("0.5 * s + v"), 8);
    // Quotients take turns, and are lanes of one vector instead.
    assert_eq!(scan("v / (s + 2.0)"), 1);
    let sum = |f: &str| {
        let rows = format!(
            "x |> map (\\row -> row |> map (\\v -> {f}) |> reduceSeq (\\s v -> s + v) 0.0)"
        );
        carried("m.f32", &rows)
    };
    assert_eq!(sum("v * v"), 4);
    // What calls a function takes longer than what it waits for.
    assert_eq!(sum("exp v"), 1);
    let numbers = |f: &str| carried("m.i32", &format!("y |> map (reduceSeq (\\s v -> {f}) 0)"));
    // Compilers make vectors of sums of whole numbers.
    assert_eq!(numbers("s + v"), 1);
    assert_eq!(numbers("31 * s + v"), 4);
    // Of two rows two pairs of numbers are handed on.
    let two = "x |> map (scanSeq (\\v s -> (fst s + v, snd s * v)) (0.0, 1.0))";
    assert_eq!(carried("m.n.(f32, f32)", two), 4);
}

/// Rows of several planes are apart as those of one are.
#[test]
fn steps_of_rows_of_planes_do_not_wait_for_each_other() {
    let text = "def f [b m n : nat] (x : b.m.n.f32) (y : b.m.f32) : b.m.n.f32 =
        zip x y |> mapPar (\\p -> zip (fst p) (snd p) |> map (\\q -> fst q |> scanSeq (\\v s -> s * snd q + v) 0.0))";
    assert_eq!(handed_on(&printed(text)), 8);
    check_at(text, &[("b", 2), ("n", 5)], "m", 0..10);
}

/// Of a group of vectors that a search has put side by side, as many as keep a processor busy.
#[test]
fn steps_of_vectors_side_by_side_do_not_wait_for_each_other() {
    let of = |many: u32, step: &str| {
        let text = format!(
            "def f [k n : nat] (x : (n*{many}*8).f32) : (n*{many}*8).f32 =
               asVector[8] x |> split[{many}] |> map (mapSeq (\\v -> iterate[k] (\\s -> {step}) v)) |> join |> asScalar"
        );
        handed_on(&printed(&text))
    };
    assert_eq!(of(4, "s * v + s"), 4);
    assert_eq!(of(6, "s * v + s"), 6);
    // There is no rest of a group.
    assert_eq!(of(5, "s * v + s"), 5);
    assert_eq!(of(7, "s * v + v * v * v * v * v * v * v * v"), 1);
    // What threads share stays as it is.
    let shared = "def f [k : nat] (x : 32.f32) : 32.f32 = asScalar (asVector[8] x |> mapPar (\\v -> iterate[k] (\\s -> s * v + s) v))";
    assert_eq!(handed_on(&printed(shared)), 1);
}

/// Rows that are kept are taken a few at once, as those of a result.
#[test]
fn steps_of_rows_that_are_kept_do_not_wait_for_each_other() {
    let rows = "toMem (x |> map (scanSeq (\\v s -> s * 0.5 + v) 0.0))";
    let across = format!("let s = {rows} in transpose s |> map (map (\\v -> v * v))");
    assert_eq!(carried("n.m.f32", &across), 8);
    let sums = "x |> map (\\row -> row |> reduceSeq (\\s v -> s + v * v) 0.0) |> toMem";
    let parts = format!("let s = {sums} in s |> map (\\v -> v / at[0] s)");
    let text = format!("def f [m n : nat] (x : (m + 1).n.f32) : (m + 1).f32 = {parts}");
    check_at(&text, &[("n", 5)], "m", 0..10);
}

/// Rows that are no iterations of their own stay in order: each is scanned into what the next one begins with, or is kept where the next one is.
#[test]
fn steps_of_rows_that_wait_for_each_other_stay() {
    let next = "x |> reduceSeq (\\before row -> zip before row |> scanSeq (\\p s -> fst p * s + snd p) 0.0) (fill[n] 0.0)";
    assert_eq!(carried("n.f32", next), 1);
    let kept = "x |> mapSeq (\\row -> let all = toMem (scanSeq (\\v s -> s + v) 0.0 row) in all |> reverse |> mapSeq (\\v -> v * v))";
    assert_eq!(carried("m.n.f32", kept), 1);
}

/// Whatever number of rows there is.
#[test]
fn rows_that_are_left_are_scanned() {
    let text =
        "def f [m n : nat] (x : m.n.f32) : m.n.f32 = x |> map (scanSeq (\\v s -> s * 0.5 + v) 0.0)";
    check_at(text, &[("n", 5)], "m", 0..10);
}

/// What a thread keeps for a row, each of the rows at once has for itself: a system that is solved forth and back.
#[test]
fn rows_that_are_kept_by_threads_are_taken_at_once() {
    let text = "def f [m n : nat] (b : f32) (d : m.n.f32) : m.n.f32 =
        d |> mapPar (\\row ->
          let forth = toMem (row |> scanSeq (\\x s -> (b / (3.0 - fst s), (x - snd s) * fst s + x)) (0.5, 0.25)) in
          reverse (reverse forth |> scanSeq (\\p x -> snd p - fst p * x) 0.0))";
    assert_eq!(handed_on(&printed(text)), 4);
    check_at(text, &[("n", 5)], "m", 0..20);
}

/// Loops and choices around loops that wait are shared, where their iterations need each other.
#[test]
fn sweeps_over_rows_are_taken_at_once() {
    let sweeps = |last: &str, result: &str| {
        format!(
            "def f [m n t : nat] (x : m.n.f32) : {result} =
               x |> mapPar (\\row -> row |> iterate[t] (scanSeq (\\v s -> s * 0.5 + v) 0.0){last})"
        )
    };
    let kept = sweeps(" |> reduceSeq (\\s v -> s * 0.25 + v) 0.0", "m.f32");
    assert_eq!(handed_on(&printed(&kept)), 4);
    // States that are rows of the result, too.
    let stored = sweeps("", "m.n.f32");
    let nest = printed(&stored);
    assert_eq!(handed_on(&nest), 8);
    let verdict = validate(&nest, &common::program_text(&stored), &BTreeMap::new()).verdict;
    assert!(matches!(verdict, Verdict::Validated), "{nest}");
    for t in 0..4 {
        check_at(&kept, &[("n", 5), ("t", t)], "m", 0..20);
        check_at(&stored, &[("n", 5), ("t", t)], "m", 0..20);
    }
    // A choice that differs from row to row.
    let chosen = "def f [m n : nat] (c : m.bool) (x : m.n.f32) : m.n.f32 =
        zip c x |> mapPar (\\p -> if fst p then scanSeq (\\v s -> s * 0.5 + v) 0.0 (snd p) else snd p)";
    check_at(chosen, &[("n", 5)], "m", 0..20);
}

/// What is read where the iteration before says is waited for.
#[test]
fn steps_that_look_up_where_they_are_do_not_wait_for_each_other() {
    let text = "def f [m n : nat] (next : 256.u8) (x : m.n.u8) : m.u8 =
        x |> map (reduceSeq (\\s v -> idx (cast (bitxor s v) : idx[256]) next) 0)";
    assert_eq!(handed_on(&printed(text)), 4);
    check_at(text, &[("n", 5)], "m", 0..20);
}
