//! Programs that are validated elsewhere ("End-to-end translation validation for the Halide language"), as programs of ours.

use super::told_by_the_main_job;
use super::{lowered, open};
use crate::common;
use rise_opt::lower::Options;
use rise_opt::target::Target;
use rise_opt::term::Program;
use rise_opt::validate::obligations;

/// A product of matrices: the types of both and of the result, and how the rows of the first and the columns of the second are read.
fn product(sizes: &str, [a, b, c]: [&str; 3], rows: &str, columns: &str) -> String {
    format!(
        "def f {sizes} (a : {a}) (b : {b}) : {c} =
          {rows} |> map (\\row -> {columns} |> map (\\col ->
            zip row col |> map (\\p -> fst p * snd p) |> reduce (+) 0.0))"
    )
}

fn square(size: &str, rows: &str, columns: &str) -> String {
    let sizes = if size.contains('n') { "[n : nat]" } else { "" };
    product(
        sizes,
        [&format!("{size}.{size}.f32"); 3].map(|s| s.as_str()),
        rows,
        columns,
    )
}

/// A chain of stencils of 25 weights.
fn chain(deep: usize) -> String {
    let mut all = "xs".to_string();
    for i in (0..deep).rev() {
        all = format!("(filter w {all} : (n + {}).f32)", 24 * i);
    }
    format!(
        "def filter [n : nat] (weights : 25.f32) (xs : (n + 24).f32) : n.f32 =
           slide[25, 1] xs |> map (\\window -> zip weights window |> map (\\p -> fst p * snd p) |> reduce (+) 0.0)\ndef f [n : nat] (w : 25.f32) (xs : (n + {}).f32) : n.f32 = {all}",
        24 * deep
    )
}

/// Means of three in both directions, of windows of rows that are made as they are said to be.
fn blur(windows: &str) -> String {
    let rows = windows.replace("ROW", "(\\row -> slide[3, 1] row |> mapSeq mean)");
    format!(
        "def mean (w : 3.f32) : f32 = (at[0] w + at[1] w + at[2] w) / 3.0\ndef f [h w : nat] (image : (h + 3).(w + 2).f32) : (1 + h).w.f32 =
           {rows} |> mapSeq (\\r -> transpose r |> mapSeq mean)"
    )
}

/// Means of the pixels around, weighted by how alike the patches around them are.
const NL_MEANS: &str = "def f [h w : nat] (strength : f32) (image : (h + 8).(w + 8).f32) : h.w.f32 =
  let patches = (image |> map (slide[3, 1]) |> slide[3, 1] |> map transpose : (h + 6).(w + 6).3.3.f32) in
  let around = (patches |> map (slide[7, 1]) |> slide[7, 1] |> map transpose : h.w.7.7.3.3.f32) in
  around |> map (map (\\near ->
    let own = at[3] (at[3] near) in
    let weighted = join near |> map (\\other ->
      let difference = zip (join own) (join other)
        |> map (\\p -> (fst p - snd p) * (fst p - snd p)) |> reduce (+) 0.0 in
      let weight = exp (difference * strength) in
      (weight * at[1] (at[1] other), weight)) in
    let sums = weighted |> reduce (\\a b -> (fst a + fst b, snd a + snd b)) (0.0, 0.0) in
    fst sums / snd sums))";

/// Each with a name; those of one name are one program in several forms.
fn programs() -> Vec<(&'static str, String)> {
    let (plain, columns) = ("a", "transpose b");
    let any = ["m.k.f32", "k.n.f32", "m.n.f32"];
    let file = |path: &str| std::fs::read_to_string(path).expect("a program");
    vec![
        ("blur", blur("slide[3, 1] (map ROW image)")),
        ("blur", blur("slide[3, 1] (toMem (mapPar ROW image))")),
        ("blur", blur("circularBuffer[3, 3] ROW image")),
        ("gemm 1024", square("1024", plain, columns)),
        ("square", square("n", plain, columns)),
        ("large square", square("(1024*n)", plain, columns)),
        ("any", product("[m n k : nat]", any, plain, columns)),
        (
            "transposed, any",
            product(
                "[m n k : nat]",
                ["k.m.f32", "n.k.f32", "m.n.f32"],
                "transpose a",
                "b",
            ),
        ),
        ("A transposed", square("n", "transpose a", columns)),
        ("B transposed", square("n", plain, "b")),
        ("chain 1", chain(1)),
        ("chain 32", chain(32)),
        ("depthwise", file("programs/layer/depthwise.rise")),
        ("convolution", file("programs/layer/conv2d.rise")),
        ("dot", file("programs/dot.rise")),
        ("Harris", file("programs/image/harris.rise")),
        ("unsharp", file("programs/image/unsharp.rise")),
        ("non-local means", NL_MEANS.to_string()),
    ]
}

/// As they stand, with the instructions of three machines.
#[test]
fn published_programs_are_validated() {
    for (name, text) in programs() {
        let program: Program = common::program_text(&text);
        let mut seen = Vec::new();
        for target in [Target::Avx512, Target::Avx2, Target::Portable] {
            let options = Options {
                target,
                ..Options::default()
            };
            let nest = lowered(&program, &options);
            if seen.contains(&nest.to_string()) {
                continue;
            }
            seen.push(nest.to_string());
            let found = obligations(&nest, &program);
            assert!(found.open.is_empty(), "{name}\n{nest}{}", open(&found));
        }
    }
}

/// With the schedules that `--auto` finds, the C text with them: `cargo test --test all published -- --ignored`.
#[test]
#[ignore = "minutes"]
fn published_programs_are_validated_as_they_are_scheduled() {
    for (name, text) in programs() {
        // The search for a schedule of 32 stages takes longer than all others.
        if name == "chain 32" {
            continue;
        }
        let told = told_by_the_main_job(&text, "--auto --permit reassociate");
        assert!(told.contains("valid    at all sizes"), "{name}: {told}");
    }
}
