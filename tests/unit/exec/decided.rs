//! Kernels whose results comparisons of floats decide: contraction decides some of them otherwise, a wrong kernel does too.

use super::run_tampered::with_body;
use rise_opt::diag::{code, Diagnostic};
use rise_opt::elab;
use rise_opt::emit::{self, emit, CUnit};
use rise_opt::exec::bench::{bench, Entry, Kind, Options as Contest};
use rise_opt::exec::measure::Options as Measuring;
use rise_opt::exec::run::*;
use rise_opt::exec::sizes::{Bound, Sizes};
use rise_opt::exec::toolchain::Toolchain;
use rise_opt::intern::Symbol;
use rise_opt::lower::{self, lower};
use rise_opt::source::SourceMap;
use rise_opt::target::Target;
use rise_opt::term::Program;
use std::collections::BTreeMap;
use std::time::Duration;

/// In sixty steps of this a difference of the last place becomes one of the first.
const CHAOS: &str = "def k [n : nat] (xs : n.f32) : n.i32 =
  xs |> map (\\x ->
    let last = x |> iterate[60] (\\v ->
        let a = 0.97 * v in
        let b = 0.22 * v in
        1.99 - (a * a + b * b)) in
    select (last <= 0.0) 0 1)
";

/// The same with another first factor of the sum, which is what a compiler rounds less.
fn body(first: &str, second: &str, step: &str) -> String {
    format!(
        "for (int64_t i = 0; i < n; i++) {{ float v = xs[i];\n\
         for (int k = 0; k < 60; k++) {{ float a = 0.97f * v, b = 0.22f * v; v = 1.99f - ({first} + {second}); {step} }}\n\
         out[i] = v <= 0 ? 0 : 1; }}"
    )
}

fn program() -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add_text("k.rise", CHAOS);
    elab::program(&mut sources, file, None).unwrap()
}

fn unit(program: &Program) -> CUnit {
    let options = emit::Options {
        header_name: Some(HEADER.to_string()),
        ..emit::Options::default()
    };
    emit(
        &lower(program, &lower::Options::default()).unwrap(),
        &options,
    )
}

fn quick() -> Measuring {
    Measuring {
        samples: 1,
        pause: Duration::ZERO,
        ..Measuring::default()
    }
}

fn run_of(body: &str, tool: &Toolchain) -> Result<Report, Diagnostic> {
    let program = program();
    let right = unit(&program);
    let options = Options {
        seed: 1,
        large: Bound {
            work: 1e7,
            elements: 1e6,
            bytes: 1e7,
        },
        measuring: quick(),
        ..Options::default()
    };
    run(&program, &with_body(&right, body), &right, tool, &options)
}

fn bench_of(body: &str, tool: &Toolchain) -> Result<(), Diagnostic> {
    let program = program();
    let right = unit(&program);
    let entry = |name: &str, unit: &CUnit| Entry {
        name: name.to_string(),
        kind: Kind::C,
        file: None,
        target: Target::native(),
        fixed: Sizes::new(),
        unit: unit.clone(),
        folder: None,
    };
    let tools = BTreeMap::from([(Target::native(), tool.clone())]);
    let sizes = Sizes::from_iter([(Symbol::new("n"), 100_000)]);
    let contest = Contest {
        seed: 1,
        sizes: vec![sizes],
        threads: vec![1],
        measuring: quick(),
        peers: false,
        unoptimised: true,
        progress: &|_| {},
    };
    let entries = [entry("mine", &with_body(&right, body))];
    bench(&program, &entry("k", &right), &entries, &tools, &contest).map(|_| ())
}

#[test]
fn contraction_may_decide_comparisons_otherwise_and_nothing_else_may() {
    let tool = Toolchain::find().unwrap();
    let right = body("b * b", "a * a", "");
    let report = run_of(&right, &tool).unwrap_or_else(|d| panic!("{d:?}"));
    let last = report.checks.last().unwrap();
    assert!(last.difference.agrees() && last.against == Subject::Unoptimised);
    bench_of(&right, &tool).unwrap_or_else(|d| panic!("{d:?}"));
    // What only the last steps do at some of the large sizes, which no bound of a small one tells.
    let wrong = body("a * a", "b * b", "if (i > 9000 && k == 50) v += 0.01f;");
    // A kernel that regroups could differ as much, so it is not called wrong, but it is not accepted either.
    let refused = code::NOT_COMPARABLE;
    assert_eq!(run_of(&wrong, &tool).unwrap_err().code, refused);
    assert_eq!(bench_of(&wrong, &tool).unwrap_err().code, refused);
}
