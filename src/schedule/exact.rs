//! Sums of floats that keep what they are rounded by.
//!
//! In: a term. Out: the step that makes of each sum one of pairs, of what it comes to and of what it was rounded by, which may be reduced
//! in any order like any other reduction. Sums are reductions by `+`, also those whose step adds a function of the element.
//! Absent: sums beside others in one reduction, which are left as they are; whether that pays, as it is asked for.

use super::{guide, Schedule, PERMIT};
use crate::term::{Kind, Op, Term};
use crate::ty::Scalar;
use std::collections::BTreeSet;

const RULES: &str = "use rules/algorithmic.rules (reduce-seq, reduce-seq-map-fission)
use rules/reduction.rules (sum-compensated, sum-compensated-f64)\n";

/// What is done so.
const WORDS: &str = "compensated sums";

/// The step, where there are such sums.
pub fn compensated(term: &Term) -> Option<Schedule> {
    let found = sums(term);
    if found.is_empty() {
        return None;
    }
    // A step that is written out comes apart first, so neither form may be left.
    let none = |(s, written): &(Scalar, bool)| {
        let s = s.name();
        let add = format!("((+) : {s} -> {s} -> {s})");
        let left = |step: &str| format!("(none (app (reduce or reduceSeq) {step}))");
        let out = format!("(\\ (\\ (app {add} ? ?)))");
        match written {
            true => format!("{} and {}", left(&add), left(&out)),
            false => left(&add),
        }
    };
    let looks: Vec<String> = found.iter().map(none).collect();
    let step = guide("exact", &format!("{RULES}{PERMIT}"), &looks);
    Some(Schedule::preparation(WORDS, vec![step]).by_itself())
}

/// The types of what is added up, and whether the step is written out.
fn sums(term: &Term) -> BTreeSet<(Scalar, bool)> {
    let mut found = BTreeSet::new();
    term.visit(&mut |t, _| {
        let Some((p, args)) = t.as_prim_app() else {
            return;
        };
        if let (Op::Reduce | Op::ReduceSeq, Some(op)) = (p.op(), args.first()) {
            found.extend(added(op));
        }
    });
    found
}

/// Of a step that adds floats: of which type, and whether it is written out.
fn added(op: &Term) -> Option<(Scalar, bool)> {
    let of = op.ty().uncurried().1.as_scalar()?;
    if !of.is_float() {
        return None;
    }
    let is_add = |t: &Term| matches!(t.kind(), Kind::Prim(p) if p.op() == Op::Add);
    if is_add(op) {
        return Some((of, false));
    }
    let Kind::Lam(_, step) = op.kind() else {
        return None;
    };
    let Kind::Lam(_, body) = step.kind() else {
        return None;
    };
    match body.as_prim_app() {
        Some((p, args)) if p.op() == Op::Add => match args[..] {
            [sum, x] if matches!(sum.kind(), Kind::Var(1)) && !x.mentions(1) => Some((of, true)),
            _ => None,
        },
        _ => None,
    }
}
