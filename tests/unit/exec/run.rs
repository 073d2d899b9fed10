use rise_opt::diag::{code, Diagnostic};
use rise_opt::emit::CUnit;
use rise_opt::exec::measure::Options as Measuring;
use rise_opt::exec::run::*;
use rise_opt::exec::sizes::Sizes;
use rise_opt::exec::toolchain::Toolchain;
use rise_opt::nest::{Abi, Assumption, Slot};
use rise_opt::source::SourceMap;
use rise_opt::term::Program;
use rise_opt::{arith::Nat, elab, intern::Symbol, ty::Scalar};
use std::time::Duration;

const TEXT: &str =
    "def twice [n : nat] (xs : n.f32) (s : f32) : n.f32 =\n  xs |> map (\\x -> s * x + x)\n";

fn program() -> Program {
    let mut sources = SourceMap::new();
    let file = sources.add_text("twice.rise", TEXT);
    elab::program(&mut sources, file, None).unwrap()
}

/// A kernel of the program, written by hand.
fn unit(body: &str, assumptions: Vec<Assumption>) -> CUnit {
    let n = Nat::var(Symbol::new("n"));
    let slot = |name: &str, param, dims: Vec<Nat>| Slot {
        name: name.into(),
        param,
        elem: Scalar::F32,
        bound: None,
        by_value: dims.is_empty(),
        dims,
    };
    let decl = "int twice(float *restrict out, int64_t n, const float *restrict xs, float s)";
    CUnit {
        c: format!("#include \"{HEADER}\"\n{decl} {{ if (n < 0) return 1; {body} }}\n"),
        header: format!("#include <stdint.h>\n{decl};\n"),
        marks: Vec::new(),
        abi: Abi {
            name: "twice".into(),
            outputs: vec![slot("out", None, vec![n])],
            sizes: vec![Symbol::new("n")],
            inputs: vec![slot("xs", Some(0), vec![n]), slot("s", Some(1), vec![])],
            assumptions,
            preferred: Vec::new(),
            errors: Vec::new(),
        },
    }
}

fn right() -> CUnit {
    let body = "for (int64_t i = 0; i < n; i++) out[i] = s * xs[i] + xs[i]; return 0;";
    unit(body, Vec::new())
}

fn run_against_right(kernel: &CUnit, fixed: Sizes) -> Result<Report, Diagnostic> {
    let options = Options {
        seed: 1,
        threads: 2,
        fixed,
        measuring: Measuring {
            samples: 2,
            pause: Duration::ZERO,
            ..Measuring::default()
        },
        ..Options::default()
    };
    let tool = Toolchain::find().unwrap();
    run(&program(), kernel, &right(), &tool, &options)
}

#[test]
fn a_right_kernel_is_checked_and_measured() {
    let eight = Assumption::Divides(Nat::int(8), Nat::var(Symbol::new("n")));
    let body =
        "if (n % 8) return 1; for (int64_t i = n; i-- > 0;) out[i] = xs[i] * (s + 1); return 0;";
    let report = run_against_right(&unit(body, vec![eight]), Sizes::new()).unwrap();
    let interpreted = |c: &&Check| c.against == Subject::Interpreter;
    assert!(report.checks.iter().filter(interpreted).count() >= 4);
    assert!(report.checks.iter().all(|c| c.sizes[0].1 % 8 == 0));
    let refused = [9, -1].map(|n| [("n".to_string(), n)]);
    assert_eq!(report.refused, refused);
    let n = report.sizes[0].1;
    assert_eq!(report.flops, 2.0 * n as f64);
    assert!(report.kernel.best() > 0.0 && !report.kernel.seconds.is_empty());
    assert!(report.error() < 1e-5);
}

#[test]
fn a_wrong_kernel_is_found_out() {
    let wrong = [
        // Only the last element, which a test of few sizes could miss.
        "for (int64_t i = 0; i < n - 1; i++) out[i] = s * xs[i] + xs[i]; return 0;",
        "for (int64_t i = 0; i < n; i++) out[i] = s * xs[i]; return 0;",
        // Right at small sizes.
        "for (int64_t i = 0; i < n; i++) out[i] = i < 9999 ? s * xs[i] + xs[i] : 7; return 0;",
    ];
    for body in wrong {
        let e = run_against_right(&unit(body, Vec::new()), Sizes::new()).unwrap_err();
        assert_eq!(e.code, code::MISMATCH, "{e:?}");
        assert!(e.notes.iter().any(|n| n.contains("seed 1")), "{e:?}");
    }
}

#[test]
fn sizes_that_the_kernel_excludes_are_told() {
    let eight = Assumption::Divides(Nat::int(8), Nat::var(Symbol::new("n")));
    let fixed = Sizes::from([(Symbol::new("n"), 12)]);
    let e = run_against_right(&unit("return 0;", vec![eight]), fixed).unwrap_err();
    assert_eq!(e.code, code::RUN_SIZES);
    assert!(e.notes[0].contains("8 divides n"), "{e:?}");
}

#[test]
fn a_kernel_must_refuse_what_it_excludes_before_it_writes() {
    let eight = Assumption::Divides(Nat::int(8), Nat::var(Symbol::new("n")));
    let work = "for (int64_t i = 0; i < n; i++) out[i] = s * xs[i] + xs[i];";
    for check in ["", "if (n % 8) { out[0] = 0; return 1; }"] {
        let kernel = unit(&format!("{check} {work} return 0;"), vec![eight]);
        let e = run_against_right(&kernel, Sizes::new()).unwrap_err();
        assert_eq!(e.code, code::NOT_REFUSED, "{e:?}");
    }
}

#[test]
fn fixed_sizes_are_used() {
    let report = run_against_right(&right(), Sizes::from([(Symbol::new("n"), 77)])).unwrap();
    assert!(report
        .checks
        .iter()
        .all(|c| c.sizes == [("n".to_string(), 77)]));
}

/// Offsets are drawn in order for each program that takes segments between the elements of a parameter, whatever stands behind it.
#[test]
fn parameters_that_are_offsets_are_known() {
    let found = |params: &str, body: &str| {
        let text = format!("def f [n m : nat] {params} : n.f32 = {body}");
        rise_opt::exec::offsets::parameters(&crate::common::program_text(&text))
    };
    let (o, xs) = ("(o : (n+1).idx[m+1])", "(xs : m.f32)");
    let sum = "xs |> reduceSegments (\\a x -> a + x) 0.0 o";
    assert_eq!(found(&format!("{o} {xs}"), sum), [0].into());
    assert_eq!(found(&format!("{xs} {o}"), sum), [1].into());
    assert_eq!(found(&format!("(c : f32) {o} {xs}"), sum), [1].into());
    let doubled = "xs |> map (\\x -> x * 2.0) |> reduceSegments (\\a x -> a + x) 0.0 o";
    assert_eq!(found(&format!("{o} {xs}"), doubled), [0].into());
}
