//! Of `report::summary`.

use rise_opt::emit::Contract;
use rise_opt::exec::compare::Difference;
use rise_opt::exec::measure::Timing;
use rise_opt::exec::run::{Check, Report, Subject};
use rise_opt::report::egraph::ExcerptExtent;
use rise_opt::report::summary::*;
use rise_opt::search::trace::{Size, StepTrace};
use rise_opt::search::{Stop, Trace};

fn timing(best: f64) -> Timing {
    Timing {
        seconds: vec![best, 2.0 * best, 3.0 * best],
        calls: 1,
        dropped: 1,
        preempted: 0,
        disturbed: false,
        threads: 1.9,
    }
}

fn summary() -> Summary {
    let step = StepTrace {
        name: "split".into(),
        stop: Stop::Found,
        start: Size {
            nodes: 1398,
            classes: 345,
        },
        iterations: Vec::new(),
        seconds: 0.00358,
        extract_seconds: 0.0,
        bytes: 285 << 10,
        reproducible: true,
    };
    let check = Check {
        what: Subject::Kernel,
        against: Subject::Interpreter,
        sizes: vec![("m".into(), 32), ("n".into(), 64)],
        threads: 2,
        difference: Difference {
            error: 6.8e-7,
            tolerance: 7.3e-6,
            unbounded: 0,
            worst: None,
        },
    };
    Summary {
        rise_opt: "0.1.0".into(),
        program: "mm".into(),
        candidates: None,
        guides: None,
        trace: Trace {
            program: "mm".into(),
            steps: vec![step],
        },
        kernel: Some("int mm(float *restrict out)".into()),
        assumptions: vec!["32 divides m".into()],
        falls_back_unless: vec!["4 divides k".into()],
        contract: Contract::On,
        rounds: true,
        approximations: None,
        validation: None,
        reassociation: vec![Reassociation {
            step: "split".into(),
            rules: vec!["blocked-reduce".into()],
        }],
        unverified: vec!["mine".into()],
        peak_bytes: 8 << 20,
        run: Some(Report {
            compiler: "cc 12".into(),
            flags: vec!["-O3".into()],
            seed: 7,
            threads: 2,
            compile_seconds: 0.48,
            remarks: String::new(),
            checks: vec![check],
            refused: vec![vec![("m".into(), 33)]],
            sizes: vec![("m".into(), 1024)],
            flops: 2e9,
            kernel: timing(0.01),
            unoptimised: timing(0.5),
        }),
        egraph: Some(ExcerptExtent {
            step: "split".into(),
            shown: Size {
                nodes: 612,
                classes: 200,
            },
            whole: Size {
                nodes: 1398,
                classes: 345,
            },
        }),
        files: vec!["mm.c".into(), "mm.h".into()],
    }
}

#[test]
fn one_page_for_people() {
    let want = "\
steps    split  found   3.58 ms    0 iterations      1 398 e-nodes        345 classes    285 KB
kernel   int mm(float *restrict out)
assumes  32 divides m
calls    another function unless 4 divides k
sums     may be regrouped in `split` (by blocked-reduce)
rounding a*b + c may be rounded once instead of twice, as the compiler decides
rules    without a verdict: mine
checked  kernel = interpreter at m=32 n=64: relative error 6.8e-7, rounding explains 7.3e-6
         kernel refuses m=33
         random inputs of seed 7
time     m=1024, 2 threads, best (median), compiled in 480 ms
           mm            10.0 ms (20.0 ms)    200 GFLOP/s  3 samples, 1 dropped (threads shared a core)
           unoptimised    500 ms (1.00 s)   4.00 GFLOP/s  ×50.0  3 samples, 1 dropped (threads shared a core)
memory   8.00 MB at most
e-graph  step split: showing 200 of 345 classes, 612 of 1 398 e-nodes
written  mm.c mm.h
";
    assert_eq!(human(&summary()), want);
}

#[test]
fn the_page_can_be_made_again_from_json() {
    let text = serde_json::to_string(&summary()).unwrap();
    let again: Summary = serde_json::from_str(&text).unwrap();
    assert_eq!(human(&again), human(&summary()));
}

/// A function that cannot have the program's name is told to have another one.
#[test]
fn other_names_are_told() {
    let told = |program: &str, kernel: &str| {
        let of = Summary {
            program: program.into(),
            kernel: Some(kernel.into()),
            ..summary()
        };
        human(&of).contains("`--name` gives another name")
    };
    assert!(told("strings", "int v_strings(float *restrict out)"));
    // Who asks for a name has it.
    assert!(!told("strings", "int other(float *restrict out)"));
    assert!(!told("mm", "int mm(float *restrict out)"));
}
