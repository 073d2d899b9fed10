//! Approximated functions are within what is stated, whatever they are of: the emitted text against the C library in wider
//! floats, over a sample of all numbers of 32 bits and random ones of 64. With `-- --ignored` over all numbers of 32 bits.

use crate::common;
use rise_opt::emit;
use rise_opt::interp::FUNCTION_ULPS;
use rise_opt::lower::{self, Options};
use rise_opt::nest::Nest;
use rise_opt::target::Target;
use rise_opt::term::{normalize, Op};
use std::fmt::Write as _;
use std::process::Command;

fn functions() -> impl Iterator<Item = Op> {
    Op::functions().filter(|op| *op != Op::Sqrt)
}

/// A kernel that is nothing but the function.
fn kernel(op: Op, elem: &str, target: Target, approximate: bool) -> Nest {
    let (f, k) = (op.name(), 64);
    let text = format!(
        "def of_{f}_{elem}s [n : nat] (a : ({k}*n).{elem}) : ({k}*n).{elem} =\n  \
         asScalar (mapSeq (\\v -> v) (asVector[{k}] (map {f} a)))\n"
    );
    let mut program = common::program_text(&text);
    program.term = normalize(&program.term);
    let options = Options {
        target,
        approximate,
        ..Options::default()
    };
    lower::lower(&program, &options).unwrap_or_else(|d| panic!("{text}: {d:?}"))
}

/// In units of the last place of the wanted number, none of which is below the least number.
const CHECK: &str = r#"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double off(long double got, long double want, int digits, long double most, long double least)
{
    if (want != want) return got != got ? 0 : 1e9;
    if (isinf(got) || isinf(want)) {
        /* What overflows is infinite from half a unit beyond the largest number on. */
        return got == want || (isinf(got) && fabsl(want) > most && (got > 0) == (want > 0)) ? 0 : 1e9;
    }
    if (got == 0 && want == 0) return signbit(got) == signbit(want) ? 0 : 1e8;
    int exponent;
    frexpl(want, &exponent);
    long double unit = ldexpl(1, exponent - digits);
    if (unit < least) unit = least;
    return (double)(fabsl(got - want) / unit);
}

static uint64_t state = 88172645463325252u;

static uint64_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static double draw(int kind)
{
    uint64_t bits = random_bits();
    double any, part = (double)(int64_t)bits * 0x1p-63;
    memcpy(&any, &bits, 8);
    return kind == 0 ? any : kind == 1 ? part * 750 : kind == 2 ? part * 2 : 1 + part * 0.6;
}

static const double SPECIAL[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1, -1, 0x1p-1074, -0x1p-1074, 0x1p-1022, 709.78, 709.79,
    -745.1, -745.2, -708.5, 1023.9, 1024, -1022.5, -1074, -1075, 0x1.fffffffffffffp1023, 1e300, 0x1p20, 0x1.8p20};

#define SINGLE(name, f) \
    { double worst = 0; float at = 0, in[64], out[64]; \
      for (uint64_t b = 0; b < (1ull << 32); b += 64 * stride) { \
          for (int l = 0; l < 64; l++) { uint32_t u = (uint32_t)(b + l * stride); memcpy(&in[l], &u, 4); } \
          if (name(out, 1, in)) return 1; \
          for (int l = 0; l < 64; l++) { \
              double o = off(out[l], f((double)in[l]), FLT_MANT_DIG, FLT_MAX, 0x1p-149L); \
              if (o > worst) { worst = o; at = in[l]; } } } \
      printf("%s %.3f %a\n", #name, worst, at); }

#define DOUBLE(name, f) \
    { double worst = 0, at = 0, in[64], out[64]; \
      for (int n = 0; n < 4000; n++) { \
          for (int l = 0; l < 64; l++) in[l] = n ? draw(l & 3) : SPECIAL[l % (sizeof SPECIAL / sizeof *SPECIAL)]; \
          if (name(out, 1, in)) return 1; \
          for (int l = 0; l < 64; l++) { \
              double o = off(out[l], f((long double)in[l]), DBL_MANT_DIG, DBL_MAX, 0x1p-1074L); \
              if (o > worst) { worst = o; at = in[l]; } } } \
      printf("%s %.3f %a\n", #name, worst, at); }

int main(int argc, char **argv)
{
    uint64_t stride = argc > 1 ? strtoull(argv[1], 0, 10) : 1;
"#;

/// The worst of each function, with its name.
fn measured(target: Target, stride: u64, flags: &[&str]) -> Vec<(String, f64)> {
    let nests: Vec<Nest> = functions()
        .flat_map(|op| ["f32", "f64"].map(|s| kernel(op, s, target, true)))
        .collect();
    let mut c = emit::emit_all(&nests.iter().collect::<Vec<_>>(), &emit::Options::default());
    c += CHECK;
    for op in functions() {
        let f = op.name();
        let _ = writeln!(
            c,
            "    SINGLE(of_{f}_f32s, {f})\n    DOUBLE(of_{f}_f64s, {f}l)"
        );
    }
    c += "    return 0;\n}\n";
    let dir = tempfile::tempdir().expect("a folder");
    let (source, exe) = (dir.path().join("f.c"), dir.path().join("f"));
    std::fs::write(&source, c).expect("write");
    let made = Command::new("cc")
        .args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror"])
        .args(flags)
        .args([&source, std::path::Path::new("-o"), &exe])
        .arg("-lm")
        .output()
        .expect("cc");
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let run = Command::new(&exe).arg(stride.to_string()).output();
    let run = run.expect("it runs");
    assert!(run.status.success(), "{run:?}");
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    println!("{target} {flags:?}\n{text}");
    text.lines()
        .map(|l| {
            let mut words = l.split_whitespace();
            let name = words.next().expect("a name").to_string();
            (
                name,
                words.next().and_then(|w| w.parse().ok()).expect("a number"),
            )
        })
        .collect()
}

fn within(all: Vec<(String, f64)>) {
    assert_eq!(all.len(), 2 * functions().count());
    for (name, ulps) in all {
        assert!(ulps <= FUNCTION_ULPS, "{name}: {ulps} units");
        // Nothing is exact: something was measured.
        assert!(ulps > 0.4, "{name}: {ulps} units");
    }
}

#[test]
fn functions_are_within_what_is_stated() {
    within(measured(
        Target::Portable,
        1009,
        &["-ffp-contract=off", "-Wno-psabi"],
    ));
    let target = Target::native();
    within(measured(target, 1013, &[target.flags(), &["-O2"]].concat()));
}

#[test]
#[ignore]
fn functions_of_all_numbers_of_32_bits_are_within_what_is_stated() {
    let target = Target::native();
    within(measured(target, 1, &[target.flags(), &["-O3"]].concat()));
}

#[test]
fn only_who_permits_it_gets_approximations() {
    for (approximate, said) in [(true, true), (false, false)] {
        for op in functions() {
            let nest = kernel(op, "f32", Target::Avx2, approximate);
            assert_eq!(nest.approximations().is_some(), said, "{}", op.name());
            let unit = emit::emit(&nest, &emit::Options::default());
            let sentence = format!("{} of f32 within 2 units of the last place", op.name());
            assert_eq!(unit.header.contains(&sentence), said, "{}", unit.header);
        }
    }
}
