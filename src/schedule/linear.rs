//! Linear recurrences, of which one number is asked for.
//!
//! In: a term. Out: the step that makes of a long reduction whose step is linear in what it accumulates (Horner's rule, a hash) one that
//! composes maps `a ↦ f·a + g`, which associates, so that it may be in strips and blocks. Absent: scans, recurrences of several numbers.

use super::print::size;
use super::skeleton::{argument, outside_of_loops};
use super::{guide, Permits, Schedule};
use crate::term::{Kind, Op, Term};
use crate::ty::Scalar;
use std::collections::BTreeSet;

/// Reductions of fewer elements stay as they are.
const LONG: i64 = 2048;

/// What is done so.
const WORDS: &str = "linear maps composed";

/// The step, where there are such reductions outside of all loops.
pub fn composed(term: &Term, permits: Permits) -> Option<Schedule> {
    let mut all = BTreeSet::new();
    outside_of_loops(term, &mut |t| all.extend(linear(t)));
    let floats = all.iter().any(|(_, s)| s.is_float());
    let permit = permits.to_regroup(floats).filter(|_| !all.is_empty())?;
    let mut rules = BTreeSet::new();
    let mut looks = Vec::new();
    for (n, s) in all {
        let of = if s.is_float() { "" } else { "-u32" };
        let names = [
            "reduce-linear",
            "reduce-linear-last",
            "sum-turned",
            "product-turned",
        ];
        rules.extend(names.map(|r| format!("{r}{of}")));
        let s = s.name();
        looks.push(format!(
            "(contains (app (reduce : ? -> ({s}, {s}) -> {n}.? -> ?) ? ? ?))"
        ));
    }
    let rules: Vec<String> = rules.into_iter().collect();
    let rules = format!("use rules/reduction.rules ({})\n{permit}", rules.join(", "));
    Some(Schedule::preparation(WORDS, vec![guide("linear", &rules, &looks)]).by_itself())
}

/// How many elements, and numbers of which type, if a long reduction multiplies what it accumulates, and adds to it.
fn linear(t: &Term) -> Option<(String, Scalar)> {
    let s = t
        .ty()
        .as_scalar()
        .filter(|s| matches!(s, Scalar::F32 | Scalar::U32))?;
    let n = argument(t, Op::ReduceSeq, 2)?.ty().as_array()?.0;
    let Kind::Lam(_, step) = argument(t, Op::ReduceSeq, 0)?.kind() else {
        return None;
    };
    let of = |t: &Term, op| Some([argument(t, op, 0)?.clone(), argument(t, op, 1)?.clone()]);
    // What is added last is left out where it is the element.
    let (state, [a, b]) = match step.kind() {
        Kind::Lam(_, sum) => (1, of(sum, Op::Add)?),
        _ => (
            0,
            [argument(step, Op::Add, 0)?.clone(), Term::var(1, t.ty())],
        ),
    };
    let reads = |t: &Term| t.mentions(state);
    let [f, g] = of(if reads(&a) { &a } else { &b }, Op::Mul)?;
    let own = |t: &Term| matches!(t.kind(), Kind::Var(v) if *v == state);
    let is = reads(&a) != reads(&b) && reads(&f) != reads(&g) && (own(&f) || own(&g));
    let long = n.as_int().is_none_or(|n| n >= LONG);
    (is && long).then(|| (size(n), s))
}
