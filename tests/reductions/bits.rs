//! Sums in parallel: the same bits with any number of threads, and how exact they are.

use std::path::Path;
use std::process::Command;

/// Adds up `n` numbers of which few bits are zero, some of them large; prints the sum, and how far it is off.
const MAIN: &str = r#"
#include "k.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    const int64_t n = 1000003;
    float *xs = malloc(n * sizeof(float)), sum = 0;
    double exact = 0;
    uint32_t state = 1;
    for (int64_t i = 0; i < n; i++) {
        state = 1664525u * state + 1013904223u;
        xs[i] = (float)(state >> 8) / 16777216.0f + (i % 1000 == 0 ? 100.0f : 0.0f);
        exact += xs[i];
    }
    if (sum_of(&sum, n, xs)) return 1;
    printf("%a %.3e\n", sum, fabs(sum - exact) / exact);
    return 0;
}
"#;

/// The program `sum`: a `main` with the kernel that the flags ask for.
fn built(dir: &Path, main: &str, flags: &[&str]) {
    let kernel = dir.join("k.c");
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
    command.args(["programs/reduction/sum.rise", "--name", "sum_of", "-o"]);
    command.arg(&kernel).args(flags);
    let output = command.output().expect("rise-opt runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    std::fs::write(dir.join("main.c"), main).expect("a file");
    let mut cc = Command::new("cc");
    cc.args([
        "-O2",
        "-march=native",
        "-fopenmp",
        "main.c",
        "k.c",
        "-o",
        "sum",
        "-lm",
    ]);
    let output = cc.current_dir(dir).output().expect("cc runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
}

/// What the kernel that the flags ask for prints with so many threads, and its error.
fn sums(dir: &Path, flags: &[&str], threads: &[&str]) -> Vec<(String, f64)> {
    built(dir, MAIN, flags);
    let run = |threads: &&str| {
        let output = Command::new(dir.join("sum"))
            .env("OMP_NUM_THREADS", threads)
            .output();
        let said = String::from_utf8(output.expect("it runs").stdout).expect("text");
        let (sum, error) = said.trim().split_once(' ').expect("two words");
        (sum.to_string(), error.parse().expect("a number"))
    };
    threads.iter().map(run).collect()
}

/// Which number is added to which stands in the kernel, so threads do not change it.
#[test]
fn sums_have_the_same_bits_with_any_number_of_threads() {
    let dir = tempfile::tempdir().expect("a folder");
    let of = |flags: &[&str]| sums(dir.path(), flags, &["1", "2", "3", "8"]);
    let in_order = sums(dir.path(), &["--plain"], &["1"])[0].1;
    let tree = of(&["--sketch", "sketches/reduction/parallel.sk"]);
    assert!(tree.iter().all(|t| *t == tree[0]), "{tree:?}");
    let compensated = of(&["--sketch", "sketches/reduction/compensated.sk"]);
    assert!(
        compensated.iter().all(|t| *t == compensated[0]),
        "{compensated:?}"
    );
    // Half of a unit of the last place is 6e-8 at most.
    let [tree, compensated] = [tree[0].1, compensated[0].1];
    assert!(compensated <= 6e-8 && tree <= 1e-6, "{compensated} {tree}");
    assert!(in_order > 10.0 * tree, "{in_order} {tree}");
    eprintln!("relative error in order {in_order:e}, in blocks and lanes {tree:e}, compensated {compensated:e}");
}

/// The tree is part of the text, whichever machine that is for.
#[test]
fn a_tree_of_sums_has_the_same_bits_on_all_machines() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut all = Vec::new();
    for target in ["avx2", "sse2", "portable"] {
        let flags = ["--sum", "tree", "--target", target];
        all.extend(sums(dir.path(), &flags, &["1", "2", "3", "8"]));
    }
    assert!(all.iter().all(|t| *t == all[0]), "{all:?}");
    assert!(all[0].1 <= 1e-6, "{all:?}");
    // Not even the widest machine has other parts.
    let sketch = |sum| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
        command.args(["programs/reduction/sum.rise", "--emit", "sketch", "-o", "-"]);
        let output = command.args(["--target", "avx512", "--sum", sum]).output();
        String::from_utf8(output.expect("it runs").stdout).expect("text")
    };
    let [tree, fast] = ["tree", "fast"].map(sketch);
    assert!(tree.contains("param f32lanes = 8\n"), "{tree}");
    assert!(
        fast.contains("param f32lanes = target.f32lanes\n"),
        "{fast}"
    );
}

/// Without a sketch, sums keep what they are rounded by, with any number of threads.
#[test]
fn sums_become_exact_without_a_sketch() {
    let dir = tempfile::tempdir().expect("a folder");
    let exact = sums(dir.path(), &["--sum", "exact"], &["1", "2", "3", "8"]);
    assert!(exact.iter().all(|t| *t == exact[0]), "{exact:?}");
    assert!(exact[0].1 <= 6e-8, "{exact:?}");
    let fast = sums(dir.path(), &["--sum", "fast"], &["1"])[0].1;
    assert!(exact[0].1 < fast, "{exact:?} {fast}");
}

/// Adds up so few numbers and so many, of which one is infinite, or the sum is.
const INFINITE: &str = r#"
#include "k.h"
#include <math.h>
#include <stdio.h>

static float xs[70000];

int main(void)
{
    for (int64_t n = 5; n <= 70000; n += 69995) {
        for (int what = 0; what < 3; what++) {
            float sum = 0;
            for (int64_t i = 0; i < n; i++) xs[i] = 1;
            if (what == 0) xs[n / 2] = INFINITY;
            if (what == 1) xs[0] = xs[1] = 3e38f;
            if (what == 2) xs[0] = INFINITY, xs[n - 1] = -INFINITY;
            if (sum_of(&sum, n, xs)) return 1;
            printf("%s ", isnan(sum) ? "nan" : isinf(sum) ? "inf" : "number");
        }
    }
    return 0;
}
"#;

/// What an infinite sum was rounded by is no number, and is left out.
#[test]
fn exact_sums_may_be_infinite() {
    let dir = tempfile::tempdir().expect("a folder");
    for sum in ["fast", "exact"] {
        built(dir.path(), INFINITE, &["--sum", sum]);
        let output = Command::new(dir.path().join("sum")).output();
        let said = String::from_utf8(output.expect("it runs").stdout).expect("text");
        assert_eq!(said.trim(), "inf inf nan inf inf nan", "{sum}");
    }
}
