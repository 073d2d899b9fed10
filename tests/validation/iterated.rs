//! Iterations whose states have borders: of several arrays, and such that data decides what an element is made of.

use super::kept::changes_that_differ;
use super::{lowered, open, told_apart, told_by_the_main_job};
use crate::common;
use rise_opt::lower::Options;
use rise_opt::validate::obligations;

/// A wave on a line: two arrays, of which a step makes the next and keeps the last. At the border nothing but the border itself says what is next.
fn wave(border: &str, kept: &str, next: &str) -> String {
    format!(
        "def f [t n : nat] (a : (n + 2).f32) (b : (n + 2).f32) : (n + 2).f32 =
           fst ((a, b) |> iterate[t] (\\s ->
             let (cur, old) = s in
             let lap = padCst[1, 1] {border} (cur |> slide[3, 1] |> map (\\w -> at[0] w + at[2] w - 2.0 * at[1] w)) in
             (zip (zip cur old) (lap : (n + 2).f32) |> map (\\((x, y), z) -> {next}), {kept})))"
    )
}

#[test]
fn borders_of_several_arrays_are_told_apart() {
    let next = "2.0 * x - y + 0.1 * z";
    let texts = [
        wave("0.0", "cur", next),
        wave("1.0", "cur", next),
        wave("0.0", "old", next),
        wave("0.0", "cur", "2.0 * y - x + 0.1 * z"),
    ];
    told_apart(&texts.each_ref().map(String::as_str), 4);
    for text in &texts {
        for target in ["avx2", "portable"] {
            let job = told_by_the_main_job(text, &format!("--target {target}"));
            assert!(job.contains("at all sizes"), "{text}{job}");
        }
    }
}

/// Every other element is made of its neighbours, then the rest. Near both ends few values of an index are left, and each is even or odd.
fn redblack(first: &str, next: &str, last: &str) -> String {
    format!(
        "def f [t n : nat] (f : (n + 1).f32) (u : (n + 1).f32) : (n + 1).f32 =
           u |> iterate[t] (\\u ->
             let half = \\p u -> zip (generate[n + 1] (\\i -> (cast i : i32))) (zip f (padClamp[1, 1] u |> slide[3, 1])) |> map (\\q ->
               let (i, r) = q in
               let w = snd r in
               select (i % 2 == p) (0.5 * (at[0] w + at[2] w + fst r)) ({last})) in
             half {next} (half {first} u))"
    )
}

#[test]
fn what_data_decides_at_borders_is_told_apart() {
    let kept = "at[1] w";
    let texts = [
        redblack("0", "1", kept),
        redblack("1", "0", kept),
        redblack("0", "0", kept),
        redblack("0", "1", "at[2] w"),
    ];
    told_apart(&texts.each_ref().map(String::as_str), 2);
    let job = told_by_the_main_job(&texts[0], "--target avx2");
    assert!(job.contains("at all sizes"), "{job}");
}

/// A scan and what is done with its results are one loop, whose state has both: by themselves they are reductions of reductions.
#[test]
fn loops_that_go_along_with_scans_are_told_apart() {
    let of = |scan: &str, then: &str| {
        format!(
            "def f [n : nat] (x : n.f32) : f32 =
               zip x (x |> scanSeq (\\v s -> {scan}) 0.5) |> map (\\(v, top) -> {then}) |> reduceSeq (\\a d -> max a d) 0.0"
        )
    };
    let texts = [
        of("max s v", "top - v"),
        of("min s v", "top - v"),
        of("max s v", "v - top"),
        of("s * 0.5 + v", "top - v"),
    ];
    told_apart(&texts.each_ref().map(String::as_str), 4);
    for text in &texts {
        let job = told_by_the_main_job(text, "");
        assert!(job.contains("at all sizes"), "{text}{job}");
    }
}

/// A row of sums of all rows so far, and sums along it: where it is read, its place is the index of a reduction.
#[test]
fn scans_along_rows_of_a_state_are_told_apart() {
    let of = |above: &str, along: &str, row: &str| {
        format!(
            "def f [h w : nat] (x : h.w.f32) : h.w.f32 =
               x |> scanSeq (\\row above -> zip row above |> map (\\p -> {above})) (fill[w] 0.5)
                 |> map (\\row -> {row} |> scanSeq (\\v a -> {along}) 0.0)"
        )
    };
    let texts = [
        of("fst p + snd p", "a + v", "row"),
        of("fst p * snd p", "a + v", "row"),
        of("fst p + snd p", "a * v", "row"),
        of("fst p + snd p", "a + v", "reverse row"),
    ];
    told_apart(&texts.each_ref().map(String::as_str), 4);
    for text in &texts {
        let job = told_by_the_main_job(text, "--plain");
        assert!(job.contains("at all sizes"), "{text}{job}");
    }
}

/// Rows that are made of windows of the last one, each of which is reduced, and are all kept: where a border is read is said by choices that
/// stand in the reduction.
#[test]
fn rows_of_reduced_windows_of_the_last_are_validated() {
    let text = |border: &str, op: &str, start: &str| {
        format!(
            "def f [h w : nat] (e : h.w.i32) : h.w.i32 =
               e |> scanSeq (\\row up ->
                 zip row (slide[3, 1] ({border} up)) |> map (\\p -> fst p + reduce {op} {start} (snd p))) (fill[w] 0)"
        )
    };
    let texts = [
        text("padClamp[1, 1]", "min", "2000000000"),
        text("padClamp[2, 0]", "min", "2000000000"),
        text("padCst[1, 1] 1000000000", "min", "2000000000"),
        text("concat (fill[2] 0)", "(+)", "0"),
        text("concat (fill[2] 1)", "(+)", "0"),
    ];
    told_apart(&texts.each_ref().map(String::as_str), 5);
    for text in &texts {
        let program = common::program_text(text);
        let nest = lowered(&program, &Options::default());
        let found = obligations(&nest, &program);
        assert!(found.open.is_empty(), "{nest}{}", open(&found));
        let differ = changes_that_differ(&program, &nest);
        assert!(differ > 20, "{differ}");
    }
}
