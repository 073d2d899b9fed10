//! Kernels of found terms, checked as `--run` does: against the interpreter at small sizes, against
//! the unoptimised kernel at a larger one, and with sizes that they have to refuse.

use crate::common::{self, share};
use rise_opt::emit::{self, emit, CUnit};
use rise_opt::exec::run::{self, Report, Subject};
use rise_opt::exec::{measure, sizes::Bound, Toolchain};
use rise_opt::lower::{self, lower};
use rise_opt::source::SourceMap;
use rise_opt::term::Program;
use std::time::Duration;

fn unit(program: &Program) -> CUnit {
    let nest = lower(program, &lower::Options::default()).unwrap_or_else(|d| panic!("{d:?}"));
    let options = emit::Options {
        origin: None,
        target: None,
        header_name: Some(run::HEADER.to_string()),
        ..Default::default()
    };
    emit(&nest, &options)
}

pub fn checked(program: &Program, sketch: Option<&str>, settings: &[(&str, i64)]) -> Report {
    let mut found = program.clone();
    if let Some(sketch) = sketch {
        let steps = common::chain(sketch, program, settings);
        found = common::reached(program, &steps);
    }
    let options = run::Options {
        seed: 3,
        threads: 2,
        large: Bound {
            work: 1e7,
            elements: 1e6,
            bytes: 1e7,
        },
        measuring: measure::Options {
            samples: 1,
            pause: Duration::ZERO,
            ..measure::Options::default()
        },
        ..run::Options::default()
    };
    let tool = Toolchain::find().unwrap();
    run::run(program, &unit(&found), &unit(program), &tool, &options)
        .unwrap_or_else(|d| panic!("{}: {d:?}", program.name))
}

/// Comparisons of the kernel with the interpreter.
pub fn interpreted(report: &Report) -> usize {
    let of_kernel =
        |c: &&run::Check| c.what == Subject::Kernel && c.against == Subject::Interpreter;
    report.checks.iter().filter(of_kernel).count()
}

/// The largest error at the large size, where it is relative to the mean of the result. At small ones each element has a bound
/// of its own, and one that cancels may differ by as much as it is.
fn large_error(report: &Report) -> f64 {
    let of_kernel =
        |c: &&run::Check| c.what == Subject::Kernel && c.against == Subject::Unoptimised;
    let errors = report.checks.iter().filter(of_kernel);
    let errors: Vec<f64> = errors.map(|c| c.difference.error).collect();
    assert!(!errors.is_empty());
    errors.into_iter().fold(0.0, f64::max)
}

/// Programs that move numbers, or compare them.
const NOTHING_COMPUTED: [&str; 4] = [
    "programs/layer/argmax.rise",
    "programs/linear/transposed.rise",
    "programs/reduction/argmin.rise",
    "programs/reduction/argmin_2d.rise",
];

/// One in `PARTS` of the shipped programs, so that several tests share them.
fn shipped_programs_run(part: usize) {
    const PARTS: usize = 4;
    let shipped: Vec<_> = SourceMap::shipped()
        .filter(|f| f.starts_with("programs/"))
        .collect();
    assert!(shipped.len() >= 8);
    let own = shipped.into_iter().skip(part).step_by(PARTS);
    for name in share::one(own, part, 6) {
        let report = checked(&common::program(name), None, &[]);
        assert!(interpreted(&report) > 1, "{name}");
        assert!(large_error(&report) < 1e-5, "{name}: {report:?}");
        assert!(report.remarks.is_empty(), "{name}: {}", report.remarks);
        assert!(
            report.flops > 0.0 || NOTHING_COMPUTED.contains(&name),
            "{name}"
        );
    }
}

#[test]
fn every_shipped_program_runs_as_it_stands() {
    shipped_programs_run(0);
}

#[test]
fn every_shipped_program_runs_as_it_stands_1() {
    shipped_programs_run(1);
}

#[test]
fn every_shipped_program_runs_as_it_stands_2() {
    shipped_programs_run(2);
}

#[test]
fn every_shipped_program_runs_as_it_stands_3() {
    shipped_programs_run(3);
}

#[test]
fn found_kernels_refuse_what_their_assumptions_exclude() {
    let settings = [("tile", 16), ("block", 8)];
    for goal in ["blocking", "parallel"] {
        let report = checked(
            &common::mm(),
            Some(&format!("sketches/mm/{goal}.sk")),
            &settings,
        );
        // m and n by tile, k by block, and none of them negative.
        assert_eq!(report.refused.len(), 6, "{goal}: {:?}", report.refused);
        assert!(interpreted(&report) > 1);
        assert!(report.remarks.is_empty(), "{goal}: {}", report.remarks);
        let sizes = report.checks.iter().map(|c| &c.sizes);
        for s in sizes {
            assert!(
                s[0].1 % 16 == 0 && s[1].1 % 16 == 0 && s[2].1 % 8 == 0,
                "{s:?}"
            );
        }
    }
}
