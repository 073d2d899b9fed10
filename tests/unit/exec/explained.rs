//! Kernels of programs whose numbers are nasty: what regroups is right, whatever the mean of the result says, and what was
//! tampered with is not.

use super::run_tampered::with_body;
use rise_opt::diag::{code, Diagnostic};
use rise_opt::elab;
use rise_opt::emit::{self, emit};
use rise_opt::exec::measure::Options as Measuring;
use rise_opt::exec::run::*;
use rise_opt::exec::sizes::Bound;
use rise_opt::exec::toolchain::Toolchain;
use rise_opt::lower::{self, lower};
use rise_opt::source::SourceMap;
use rise_opt::term::Program;
use std::time::Duration;

/// A sum of a million numbers, which in order is off by more than the few operations of each result explain.
const NORM: &str = "def k [n : nat] (xs : n.f32) : n.f32 =
  let s = sqrt (xs |> map (\\x -> x * x + 0.7) |> reduce (+) 0.0) in xs |> map (\\x -> x / s)\n";
/// The same, of which the sign is told too: a few of these may be either.
const SIGNS: &str = "def k [m n : nat] (xs : m.n.f32) : m.(f32, i32) =
  xs |> map (\\r -> let s = reduce (+) 0.0 r in (s, if s > 0.0 then 1 else if s < 0.0 then -1 else 0))\n";
/// A deviation that is no number where it comes out a little below zero.
const DEVIATION: &str = "def k [m n : nat] (xs : m.n.f32) : m.f32 = xs |> map (\\r ->
  let a = reduce (+) 0.0 r / size[n] in
  let q = (r |> map (\\x -> x * x) |> reduce (+) 0.0) / size[n] in sqrt (q - a * a))\n";
/// How many are above the mean.
const ABOVE: &str = "def k [m n : nat] (xs : m.n.f32) : m.i32 = xs |> map (\\r ->
  let a = reduce (+) 0.0 r / size[n] in r |> map (\\x -> if x > a then 1 else 0) |> reduce (+) 0)\n";

fn program(text: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add_text("k.rise", text);
    elab::program(&mut sources, file, None).unwrap_or_else(|d| panic!("{text}: {d:?}"))
}

fn judged(text: &str, body: &str, tool: &Toolchain) -> Result<Report, Diagnostic> {
    let program = program(text);
    let nest = lower(&program, &lower::Options::default()).unwrap_or_else(|d| panic!("{d:?}"));
    let options = emit::Options {
        header_name: Some(HEADER.to_string()),
        ..emit::Options::default()
    };
    let right = emit(&nest, &options);
    let kernel = with_body(&right, body);
    let options = Options {
        seed: 1,
        large: Bound {
            work: 2e7,
            elements: 4e6,
            bytes: 1e7,
        },
        measuring: Measuring {
            samples: 1,
            pause: Duration::ZERO,
            ..Measuring::default()
        },
        ..Options::default()
    };
    run(&program, &kernel, &right, tool, &options)
}

/// Sums of a row `r` of `n` numbers in eight parts.
const PARTS: &str = "float t[8] = {0}, q[8] = {0}, s = 0, p = 0;
    for (int64_t j = 0; j < n; j++) { t[j % 8] += r[j]; q[j % 8] += r[j] * r[j] ADD; }
    for (int l = 0; l < 8; l++) { s += t[l]; p += q[l]; }";

fn norm(then: &str) -> String {
    let sums = PARTS.replace("ADD", "+ 0.7f");
    format!("const float *r = xs; {sums} (void)s; s = sqrtf(p);\n for (int64_t i = 0; i < n; i++) {{ {then} }}")
}

fn rows(then: &str) -> String {
    let sums = PARTS.replace("ADD", "");
    format!(
        "for (int64_t i = 0; i < m; i++) {{ const float *r = xs + i * n; {sums} (void)p; {then} }}"
    )
}

const SIGN: &str = "out0[i] = s; out1[i] = s > 0 ? 1 : s < 0 ? -1 : 0;";
const ROOT: &str = "float a = s / n; out[i] = sqrtf(p / n - a * a);";
const COUNT: &str =
    "float a = s / n; int32_t c = 0; for (int64_t j = 0; j < n; j++) c += r[j] > a; out[i] = c;";

#[test]
fn regrouped_kernels_are_right_whatever_the_numbers_are() {
    let tool = Toolchain::find().unwrap();
    for (text, body) in [
        (NORM, norm("out[i] = xs[i] / s;")),
        (NORM, norm("out[i] = xs[i] * (1 / s);")),
        (SIGNS, rows(SIGN)),
        (DEVIATION, rows(ROOT)),
        (ABOVE, rows(COUNT)),
    ] {
        judged(text, &body, &tool).unwrap_or_else(|d| panic!("{text}{body}: {d:?}"));
    }
}

#[test]
fn tampered_kernels_of_nasty_programs_are_rejected() {
    rejected(&|number| number % 3 == 0);
}

#[test]
#[ignore]
fn all_tampered_kernels_of_nasty_programs_are_rejected() {
    rejected(&|_| true);
}

/// Of each program some in every run: calling the largest sizes takes the time.
fn rejected(takes: &dyn Fn(usize) -> bool) {
    let tool = Toolchain::find().unwrap();
    let root = |from: &str, to: &str| rows(&ROOT.replace(from, to));
    let count = |from: &str, to: &str| rows(&COUNT.replace(from, to));
    let tampered = [
        (NORM, norm("out[i] = xs[i] / s * 1.001f;")),
        (NORM, norm("out[i] = xs[i] / s;").replace("0.7f", "0.7007f")),
        (
            NORM,
            norm("out[i] = xs[i] / s;").replace("j < n; j++", "j + 1 < n; j++"),
        ),
        (NORM, norm("out[i] = xs[i > 9000 ? i - 1 : i] / s;")),
        (
            NORM,
            norm("out[i] = i % 8 == 7 && i + 1 < n ? xs[i + 1] / s : xs[i] / s;"),
        ),
        (
            NORM,
            norm("out[i] = xs[i] / s;").replace("l < 8", "l < (n > 9000 ? 7 : 8)"),
        ),
        (SIGNS, rows("out0[i] = s; out1[i] = s > 0 ? 1 : -1;")),
        (
            SIGNS,
            rows("out0[i] = s; out1[i] = s > 1e-3 ? 1 : s < 0 ? -1 : 0;"),
        ),
        (
            SIGNS,
            rows("out0[i] = s; out1[i] = s >= 0 ? 1 : s < 0 ? -1 : 0;"),
        ),
        (SIGNS, rows(SIGN).replace("j < n; j++", "j + 1 < n; j++")),
        (DEVIATION, root("p / n", "p / n * 1.001f")),
        (DEVIATION, root("s / n", "s / (n + 1)")),
        (DEVIATION, root("a * a", "a * a * 0.999f")),
        (
            DEVIATION,
            rows(ROOT).replace("j < n; j++", "j + 1 < n; j++"),
        ),
        (DEVIATION, root("sqrtf", "fabsf")),
        (ABOVE, count("r[j] > a", "r[j] >= a")),
        (ABOVE, count("r[j] > a", "r[j] > a * 1.001f")),
        (ABOVE, count("int32_t c = 0", "int32_t c = 1")),
        (ABOVE, count("j < n; j++) c", "j + 1 < n; j++) c")),
        (ABOVE, count("s / n", "s / (n + 1)")),
    ];
    let mut accepted = Vec::new();
    for (i, (text, body)) in tampered.iter().enumerate().filter(|t| takes(t.0)) {
        match judged(text, body, &tool) {
            Ok(_) => accepted.push(i),
            Err(d) => assert_eq!(d.code, code::MISMATCH, "{body}: {d:?}"),
        }
    }
    assert!(accepted.is_empty(), "{accepted:?}");
}
