//! Kernels of other programs, each wrong in its own way, are all rejected; right ones are accepted.

use rise_opt::diag::{code, Diagnostic};
use rise_opt::elab;
use rise_opt::emit::{self, emit, CUnit};
use rise_opt::exec::measure::Options as Measuring;
use rise_opt::exec::run::*;
use rise_opt::exec::sizes::Bound;
use rise_opt::exec::toolchain::Toolchain;
use rise_opt::lower::{self, lower};
use rise_opt::source::SourceMap;
use rise_opt::term::Program;
use std::time::Duration;

const TWICE: &str =
    "def k [n : nat] (xs : n.f32) (s : f32) : n.f32 = xs |> map (\\x -> s * x + x)\n";
const GROW: &str = "def k [n : nat] (xs : n.f32) : n.f32 = xs |> map (\\x -> exp (40.0 * x))\n";
const TIMES: &str = "def k [n : nat] (xs : n.i32) (s : i32) : n.i32 = xs |> map (\\x -> x * s)\n";
const INTS: &str = "def k [n : nat] (xs : n.i32) (ys : n.i32) : n.i32 =\n  zip xs ys |> map (\\p -> fst p * snd p + fst p)\n";
const ROWS: &str = "def k [m n : nat] (xs : m.n.f32) : m.f32 = xs |> map (reduce (+) 0.0)\n";
const MORE: &str = "def k [n : nat] (xs : n.f32) (ys : n.f32) : n.f32 =\n  zip xs ys |> map (\\p -> max (fst p) (snd p))\n";
const WIDE: &str = "def k [n : nat] (xs : n.f64) (ys : n.f64) : n.f64 =\n  zip xs ys |> map (\\p -> fst p * snd p)\n";

fn program(text: &str) -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add_text("k.rise", text);
    elab::program(&mut sources, file, None).unwrap_or_else(|d| panic!("{text}: {d:?}"))
}

fn unit(program: &Program) -> CUnit {
    let nest = lower(program, &lower::Options::default()).unwrap_or_else(|d| panic!("{d:?}"));
    let options = emit::Options {
        header_name: Some(HEADER.to_string()),
        ..emit::Options::default()
    };
    emit(&nest, &options)
}

/// A body that begins so looks at no sizes before it does anything.
const ANY_SIZES: &str = "/* any sizes */";

/// The kernel with another body.
pub(super) fn with_body(right: &CUnit, body: &str) -> CUnit {
    let declaration = right.header.lines().find(|l| l.starts_with("int k("));
    let declaration = declaration.expect("a declaration").trim_end_matches(';');
    let sizes = right
        .abi
        .sizes
        .iter()
        .filter(|_| !body.starts_with(ANY_SIZES));
    let checked: String = sizes.map(|n| format!("if ({n} < 0) return 1;\n")).collect();
    CUnit {
        c: format!("#include \"{HEADER}\"\n#include <float.h>\n#include <math.h>\n#include <omp.h>\n{declaration}\n{{\n{checked}{body}\nreturn 0;\n}}\n"),
        ..right.clone()
    }
}

/// A kernel of a program, which may regroup and contract unless it is `exact`.
fn judged(
    text: &str,
    body: Option<&str>,
    tool: &Toolchain,
    exact: bool,
) -> Result<Report, Diagnostic> {
    let program = program(text);
    let right = unit(&program);
    let kernel = body.map_or_else(|| right.clone(), |b| with_body(&right, b));
    let options = Options {
        seed: 1,
        threads: 2,
        exact,
        large: Bound {
            work: 1e6,
            elements: 1e6,
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

/// What computes `v` of each element, and stores it changed.
fn each(v: &str, then: &str) -> String {
    format!("for (int64_t i = 0; i < n; i++) {{ {v} {then} }}")
}

#[test]
fn tampered_kernels_are_rejected() {
    let tool = Toolchain::find().unwrap();
    let v = "float x = xs[i], v = s * x + x;";
    let max = "float x = xs[i], y = ys[i];";
    let int = "int32_t x = xs[i], y = ys[i];";
    let int_v = "uint32_t v = (uint32_t)xs[i] * (uint32_t)ys[i] + (uint32_t)xs[i];";
    let sum = |loops: &str| {
        format!("for (int64_t i = 0; i < m; i++) {{ float s = 0; {loops} out[i] = s; }}")
    };
    let tampered: Vec<(&str, &str, String)> = vec![
        ("clamped at 4", TWICE, each(v, "out[i] = v < 4 ? v : 4;")),
        ("clamped at 1e4", TWICE, each(v, "out[i] = v > 1e4f ? 1e4f : v;")),
        ("a tiny addend", TWICE, each(v, "out[i] = v + 0.000001f;")),
        ("0 for what is negative", TWICE, each(v, "out[i] = x < 0 ? 0 : v;")),
        ("0 for NaN", TWICE, each(v, "out[i] = isnan(v) ? 0 : v;")),
        ("finite for infinities", TWICE, each(v, "out[i] = isinf(v) ? FLT_MAX : v;")),
        ("0 for denormal numbers", TWICE, each(v, "out[i] = fabsf(v) < FLT_MIN ? 0 : v;")),
        ("another rounding", TWICE, each("", "out[i] = fmaf(s, xs[i], xs[i]);")),
        ("another last element", TWICE, each(v, "out[i] = i == n - 1 ? x : v;")),
        ("another only element", TWICE, each(v, "out[i] = n == 1 ? x : v;")),
        ("no rest behind vectors", TWICE, "for (int64_t i = 0; i < n / 8 * 8; i++) out[i] = s * xs[i] + xs[i];".into()),
        ("writes behind the result", TWICE, each(v, "out[i] = v;") + "out[n] = 0;"),
        ("reads behind an argument", TWICE, each(v, "out[i] = v;") + "volatile float y = xs[n]; (void)y;"),
        ("another result in threads", TWICE, each(v, "out[i] = omp_get_max_threads() > 1 && i == 3 ? x : v;")),
        ("another one far behind", TWICE, each(v, "out[i] = i > 9999 ? x : v;")),
        ("0 for exp of what is negative", GROW, each("float x = xs[i];", "out[i] = x < 0 ? 0 : expf(40 * x);")),
        ("cast to i16", INTS, each(int_v, "out[i] = (int16_t)v;")),
        ("saturates", INTS, each(int, "int64_t v = (int64_t)x * y + x; out[i] = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v;")),
        ("without the last iteration", ROWS, sum("for (int64_t j = 0; j + 1 < n; j++) s += xs[i * n + j];")),
        ("from right to left", ROWS, sum("for (int64_t j = n; j-- > 0;) s += xs[i * n + j];")),
        ("a wider accumulator", ROWS, sum("double d = 0; for (int64_t j = 0; j < n; j++) d += xs[i * n + j]; s = (float)d;")),
        ("the other zero", MORE, each(max, "out[i] = x >= y ? x : y;")),
        ("another one where both are equal", MORE, each(max, "out[i] = x == y ? 2 : x > y ? x : y;")),
        ("another one for NaN as a parameter", TWICE, each(v, "out[i] = isnan(s) ? 7 : v;")),
        ("another one for an infinity as a parameter", TWICE, each(v, "out[i] = isinf(s) ? 7 : v;")),
        ("another one for 0 as a parameter", TWICE, each(v, "out[i] = s == 0 ? 7 : v;")),
        ("another one for a denormal parameter", TWICE, each(v, "out[i] = s != 0 && fabsf(s) < FLT_MIN ? 7 : v;")),
        ("another one for the largest parameter", TIMES, each("int32_t x = xs[i];", "out[i] = s == INT32_MAX ? 7 : (int32_t)((uint32_t)x * (uint32_t)s);")),
        ("another one for the least parameter", TIMES, each("int32_t x = xs[i];", "out[i] = s == INT32_MIN ? 7 : (int32_t)((uint32_t)x * (uint32_t)s);")),
        ("another one for the parameter 0", TIMES, each("int32_t x = xs[i];", "out[i] = s == 0 ? 7 : (int32_t)((uint32_t)x * (uint32_t)s);")),
        ("writes to its argument", TWICE, each(v, "out[i] = v;") + "if (n > 0) ((float *)xs)[0] = 1;"),
        ("takes negative sizes", TWICE, ANY_SIZES.to_string() + &each(v, "out[i] = v;")),
        ("f32 for f64", WIDE, each("", "out[i] = (float)xs[i] * (float)ys[i];")),
    ];
    all_rejected(&tampered, &tool, true);
}

fn all_rejected(tampered: &[(&str, &str, String)], tool: &Toolchain, exact: bool) {
    let mut accepted = Vec::new();
    for (what, text, body) in tampered {
        match judged(text, Some(body), tool, exact) {
            Ok(_) => accepted.push(*what),
            Err(d) => {
                let known = [
                    code::MISMATCH,
                    code::KERNEL_DIED,
                    code::OUT_OF_BOUNDS,
                    code::NOT_REFUSED,
                ];
                assert!(known.contains(&d.code), "{what}: {d:?}");
            }
        }
    }
    assert!(tampered.len() >= 20 && accepted.is_empty(), "{accepted:?}");
}

const DOTS: &str = "def k [m n : nat] (xs : m.n.f32) (ys : n.f32) : m.f32 =\n  xs |> map (\\r -> zip r ys |> map (\\p -> fst p * snd p) |> reduce (+) 0.0)\n";
const LONG: &str = "def k [m n : nat] (xs : m.n.f64) : m.f64 = xs |> map (reduce (+) 0.0)\n";

/// A loop over rows, `s` being the sum that is stored.
fn rows(loops: &str, store: &str) -> String {
    format!("for (int64_t i = 0; i < m; i++) {{ float s = 0; {loops} {store} }}")
}

#[test]
fn tampered_kernels_that_regroup_are_rejected() {
    let tool = Toolchain::find().unwrap();
    // From right to left.
    let sum = "for (int64_t j = n; j-- > 0;) s += xs[i * n + j];";
    let dot = "for (int64_t j = n; j-- > 0;) s = fmaf(xs[i * n + j], ys[j], s);";
    let v = "float x = xs[i], v = fmaf(s, x, x);";
    let grow = "float x = xs[i], v = expf(40 * x);";
    let long = |store: &str| {
        format!("for (int64_t i = 0; i < m; i++) {{ double s = 0; for (int64_t j = n; j-- > 0;) s += xs[i * n + j]; {store} }}")
    };
    let tampered: Vec<(&str, &str, String)> = vec![
        ("a tiny addend", ROWS, rows(sum, "out[i] = s + 0.000001f;")),
        ("a factor near 1", ROWS, rows(sum, "out[i] = s * 1.00001f;")),
        ("without the last", ROWS, rows("for (int64_t j = 0; j + 1 < n; j++) s += xs[i * n + j];", "out[i] = s;")),
        ("the first twice", ROWS, rows(sum, "out[i] = n > 0 ? s + xs[i * n] : s;")),
        ("0 for what is negative", ROWS, rows(sum, "out[i] = s < 0 ? 0 : s;")),
        ("clamped at 4", ROWS, rows(sum, "out[i] = s < 4 ? s : 4;")),
        ("clamped at 1e4", ROWS, rows(sum, "out[i] = s > 1e4f ? 1e4f : s;")),
        ("magnitudes", ROWS, rows("for (int64_t j = 0; j < n; j++) s += fabsf(xs[i * n + j]);", "out[i] = s;")),
        ("0 for NaN", ROWS, rows(sum, "out[i] = isnan(s) ? 0 : s;")),
        ("finite for infinities", ROWS, rows(sum, "out[i] = isinf(s) ? FLT_MAX : s;")),
        ("0 for denormal numbers", ROWS, rows(sum, "out[i] = fabsf(s) < FLT_MIN ? 0 : s;")),
        ("no rest behind vectors", ROWS, rows("for (int64_t j = 0; j < n / 8 * 8; j++) s += xs[i * n + j];", "out[i] = s;")),
        ("another one in threads", ROWS, rows(sum, "out[i] = omp_get_max_threads() > 1 && i == 1 ? s + 1 : s;")),
        ("a narrow sum", ROWS, rows(sum, "out[i] = (float)((int64_t)(s * 65536) / 65536.0);")),
        ("the next row", ROWS, rows("int64_t r = i + 1 < m ? i + 1 : i; for (int64_t j = 0; j < n; j++) s += xs[r * n + j];", "out[i] = s;")),
        ("another dot", DOTS, rows(dot, "out[i] = s + 0.000001f;")),
        ("without the first of a dot", DOTS, rows("for (int64_t j = 1; j < n; j++) s += xs[i * n + j] * ys[j];", "out[i] = s;")),
        ("another sign in a dot", DOTS, rows(dot, "out[i] = n == 1 ? -s : s;")),
        ("a dot that saturates", DOTS, rows(dot, "out[i] = fmaxf(-1e6f, fminf(1e6f, s));")),
        ("a contracted tiny addend", TWICE, each(v, "out[i] = v + 0.000001f;")),
        ("contracted and clamped", TWICE, each(v, "out[i] = v > 2 ? 2 : v;")),
        ("0 for exp of what is negative", GROW, each(grow, "out[i] = x < 0 ? 0 : v;")),
        ("a tiny addend to exp", GROW, each(grow, "out[i] = v + 0.000001f;")),
        ("f32 for f64", LONG, rows("for (int64_t j = 0; j < n; j++) s += (float)xs[i * n + j];", "out[i] = s;")),
        ("a tiny addend to f64", LONG, long("out[i] = s + 1e-12;")),
    ];
    all_rejected(&tampered, &tool, false);
    let four = "float t[4] = {0}; for (int64_t j = 0; j < n; j++) t[j % 4] += xs[i * n + j]; s = (t[0] + t[1]) + (t[2] + t[3]);";
    let wide = "double d = 0; for (int64_t j = 0; j < n; j++) d += xs[i * n + j]; s = (float)d;";
    for (text, body) in [
        (ROWS, rows(sum, "out[i] = s;")),
        (ROWS, rows(four, "out[i] = s;")),
        (ROWS, rows(wide, "out[i] = s;")),
        (DOTS, rows(dot, "out[i] = s;")),
        (TWICE, each(v, "out[i] = v;")),
        (GROW, each(grow, "out[i] = v;")),
        (LONG, long("out[i] = s;")),
    ] {
        judged(text, Some(&body), &tool, false).unwrap_or_else(|d| panic!("{text}{body}: {d:?}"));
    }
}

#[test]
fn right_kernels_are_accepted() {
    let tool = Toolchain::find().unwrap();
    let other = each("", "out[i] = xs[i] + xs[i] * s;");
    for (text, body) in [
        (TWICE, None),
        (TWICE, Some(other.as_str())),
        (GROW, None),
        (INTS, None),
        (ROWS, None),
        (MORE, None),
        (WIDE, None),
    ] {
        let report =
            judged(text, body, &tool, true).unwrap_or_else(|d| panic!("{text}{body:?}: {d:?}"));
        let exact = report.checks.iter();
        let exact = exact.filter(|c| c.what == Subject::Uncontracted);
        assert!(exact.count() >= 12, "{text}");
    }
}
