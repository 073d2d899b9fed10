//! Reductions in order whose steps are operators, or become some.

use super::{evaluated, found, replayed, EXACT, REGROUPED};
use crate::common::program_text;
use rise_opt::arith::Nat;
use rise_opt::interp::compare::same;
use rise_opt::schedule::Permits;
use rise_opt::term::{Op, Term};
use std::process::Command;

fn fold(ty: &str, step: &str, start: &str) -> String {
    format!("def fold [n : nat] (x : n.{ty}) : {ty} = reduceSeq (\\a v -> {step}) {start} x")
}

/// A step that associates by itself is taken for what it is, with its identity; and in which order its operands stand is one.
#[test]
fn steps_that_are_operators_are_in_vectors_and_blocks() {
    for (ty, step, start) in [
        ("f32", "a + v", "0.0"),
        ("f32", "v + a", "1.5"),
        ("f64", "a * v", "1.0"),
        ("f32", "max a v", "0.0"),
        ("f32", "max a (abs v)", "0.0"),
        ("f32", "min v a", "0.0"),
        ("f32", "if a >= v then a else v", "0.0"),
        ("f32", "fma v v a", "0.0"),
        ("f32", "a / v", "1.0"),
    ] {
        let program = program_text(&fold(ty, step, start));
        let auto = found(&program, REGROUPED);
        let best = &auto.best().expect(step).what;
        assert!(
            best.starts_with("steps made operators, reductions in") && best.ends_with("blocks"),
            "{step}: {best}"
        );
    }
    let program = program_text(&fold("f32", "max a v", "0.0"));
    let kernel = replayed(&program, &found(&program, REGROUPED));
    for size in [0, 5, 40_000] {
        let (a, b) = (evaluated(&kernel, size), evaluated(&program, size));
        assert!(same(&a, &b), "{size}");
    }
    assert!(found(&program_text(&fold("f32", "a + v", "0.0")), EXACT)
        .best()
        .is_none());
}

/// Weights that functions give are no products of many factors: sums of powers below the largest number, in one pass.
#[test]
fn sums_of_powers_are_in_blocks() {
    let text = "def powers [n : nat] (x : n.f32) : (f32, f32) = x |> reduceSeq (\\a v ->
        let m = max (fst a) v in pair m (snd a * exp (fst a - m) + exp (v - m))) (pair (-1e30) 0.0)";
    let program = program_text(text);
    let permits = Permits {
        approximate: true,
        ..REGROUPED
    };
    let auto = found(&program, permits);
    let best = &auto.best().expect("a schedule").what;
    assert!(
        best.starts_with("steps made operators, parallel blocks"),
        "{best}"
    );
}

#[test]
fn rows_of_such_steps_are_in_vectors() {
    for step in ["a + v", "a + v * v"] {
        let program = program_text(&format!(
            "def rows [m n : nat] (x : m.n.f32) : m.f32 = map (\\row -> reduceSeq (\\a v -> {step}) 0.0 row) x"
        ));
        let auto = found(&program, REGROUPED);
        let best = &auto.best().expect(step).what;
        assert!(
            best.starts_with("steps made operators, reductions in"),
            "{step}: {best}"
        );
    }
}

/// What the command says of a program.
fn said_of(text: &str) -> String {
    kernel_of(text).0
}

/// The same, and the C text.
fn kernel_of(text: &str) -> (String, String) {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("program.rise");
    std::fs::write(&file, text).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
    command.arg(&file).arg("-o").arg(dir.path().join("k.c"));
    let output = command.output().expect("rise-opt runs");
    let said = [&output.stdout[..], &output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "{text}: {said}");
    let c = std::fs::read_to_string(dir.path().join("k.c")).expect("a kernel");
    (said, c)
}

/// Whether there is any element is one truth value for all lanes; it is stored as a byte for each.
#[test]
fn a_truth_value_of_all_lanes_is_stored_and_read_again() {
    let ascends = "def ascends [n : nat] (x : n.f32) : (f32, bool) =
        reduceSeq (\\a v -> pair v (and (snd a) (fst a <= v))) (pair (-1.0 / 0.0) true) x";
    for text in [
        fold("f32", "select (v == 0.0) a v", "0.0"),
        ascends.to_string(),
    ] {
        let said = said_of(&text);
        assert!(said.contains("steps made operators"), "{said}");
        assert!(said.contains("the C text says the same"), "{said}");
    }
}

/// Why a reduction keeps its order is said where its operator does not associate, whatever is permitted.
#[test]
fn operators_that_do_not_associate_are_named() {
    let reduced = |op: &str| {
        let text = format!("def f [n : nat] (k : i32) (x : n.i32) : i32 = reduce ({op}) 0 x");
        let said = said_of(&text);
        let line = said.lines().find(|l| l.starts_with("order "));
        line.map(str::to_string)
    };
    let line = reduced("\\a b -> max (min (k - a) b) a").expect("a line");
    assert!(
        line.contains(
            "`\\a b -> max (min (k - a) b) a` keeps its order, as that is not associative: x = "
        ),
        "{line}"
    );
    assert!(
        line.contains("over integers without bounds it holds"),
        "{line}"
    );
    assert!(reduced("\\a b -> a - b").is_some());
    assert!(reduced("\\a b -> a + b").is_none());
    let floats = said_of("def f [n : nat] (x : n.f32) : f32 = reduce (+) 0.0 x");
    assert!(!floats.contains("order "), "{floats}");
}

/// How the operands of an operator that commutes stand makes no difference.
#[test]
fn exchanged_operands_are_exchanged_back() {
    for text in [
        "def f [n : nat] (x : n.f32) : f32 = reduce (\\a b -> b + a) 0.0 x",
        "def f [m n : nat] (x : m.(n+1).f32) : m.f32 = x |> map (\\r -> reduce (\\a b -> max b a) (at[0] r) r)",
    ] {
        let auto = found(&program_text(text), REGROUPED);
        let best = &auto.best().expect(text).what;
        assert!(
            best.starts_with("operands exchanged, reductions in"),
            "{text}: {best}"
        );
    }
    let differences = "def f [n : nat] (x : n.i32) : i32 = reduce (\\a b -> b - a) 0 x";
    assert!(found(&program_text(differences), REGROUPED)
        .best()
        .is_none());
}

/// A choice of which one side is a truth value itself is an operation, of which compilers make vectors, as of bytes that a row keeps.
#[test]
fn choices_of_truth_values_are_operations() {
    for (op, sign) in [
        ("if v then true else a", " | "),
        ("if a then true else v", " | "),
        ("select v v a", " | "),
        ("if v then a else false", " & "),
        ("select a v a", " & "),
    ] {
        let text = format!(
            "def f [m n : nat] (x : m.n.bool) : n.bool =
               transpose x |> map (\\c -> reduce (\\a v -> {op}) {} c)",
            sign == " & "
        );
        let (said, c) = kernel_of(&text);
        assert!(said.contains("blocks of columns"), "{op}: {said}");
        assert!(said.contains("the C text says the same"), "{op}: {said}");
        let kept: Vec<&str> = c.lines().filter(|l| l.contains("acc")).collect();
        let with = |part: &str| kept.iter().any(|l| l.contains(part));
        assert!(with(" = TRUTH(acc") && with(sign), "{op}: {c}");
        assert!(!with(" ? "), "{op}: {c}");
    }
}

/// Whether it is a reduction in order of more than the lanes of a vector, to one number.
pub fn scalar_fold(t: &Term) -> bool {
    let Some((p, args)) = t.as_prim_app() else {
        return false;
    };
    let n = args.get(2).and_then(|xs| xs.ty().as_array());
    p.op() == Op::ReduceSeq
        && t.ty().as_scalar().is_some()
        && n.is_some_and(|a| a.0 == Nat::var("n".into()))
}
