//! Steps that become operators.
//!
//! In: a term. Out: the step, with a rule of its own for each long reduction in order, that reduces by an operator on summaries of elements
//! instead (`operator::lift`), so that it may be in strips and blocks. Whoever uses the rule proves it again. Absent: whether that pays;
//! linear recurrences of floats (`recurrences`, `linear`).

use super::print::size;
use super::skeleton::{argument, outside_of_loops};
use super::{guide, Permits, Schedule, PERMIT};
use crate::algebra::{recognise, Floats, Property};
use crate::arith::Nat;
use crate::elab;
use crate::operator::lift::{self, Lifting};
use crate::operator::{Effort, Meaning};
use crate::term::{Kind, Op, Term};
use crate::ty::{Scalar, Ty, TyKind};
use std::collections::BTreeSet;

/// Reductions of fewer elements stay as they are.
const LONG: i64 = 2048;
/// The same in loops, which is short as vectors go.
pub const LONG_ROW: i64 = 32;
/// So many numbers a summary has in a loop, at most.
const IN_LOOPS: usize = 3;
/// So many are looked at.
const MOST: usize = 4;

/// What is done so.
pub const WORDS: &str = "steps made operators";

/// The step, where there are such reductions outside of all loops.
pub fn into_operators(term: &Term, permits: Permits) -> Option<Schedule> {
    let mut all: Vec<Term> = Vec::new();
    outside_of_loops(term, &mut |t| {
        if is_long(t, LONG) && all.len() < MOST && !all.contains(t) {
            all.push(t.clone());
        }
    });
    let whole = all.len();
    term.visit(&mut |t, _| {
        let is_operator = of_operator(t, permits).is_some();
        if is_long(t, LONG_ROW)
            && !is_operator
            && all.len() < MOST
            && !all.iter().any(|a| is_alike(a, t))
        {
            all.push(t.clone());
        }
    });
    let (mut rules, mut looks, mut regroups) = (String::new(), BTreeSet::new(), false);
    let mut done: Vec<Term> = Vec::new();
    for (i, t) in all.iter().enumerate() {
        let [step, start, xs] = [0, 1, 2].map(|i| argument(t, Op::ReduceSeq, i));
        let (step, n) = (step?, xs?.ty().as_array()?.0);
        // A start that reads something from outside may be anything.
        let start = start.filter(|s| s.open() == 0);
        let readings = [Meaning::Machine, Meaning::Reals];
        let permitted = readings
            .into_iter()
            .take(1 + usize::from(permits.reassociate));
        let found = permitted
            .filter_map(|m| lift::lift(step, start, &[], m, Effort::SEARCH))
            .min_by_key(|l| numbers(l.parts.summary));
        let slow =
            |l: &Lifting| multiplies(&l.parts.combine) && l.parts.summary.as_scalar().is_none();
        // In loops there is no time for more.
        let small = |l: &Lifting| i < whole || numbers(l.parts.summary) <= IN_LOOPS;
        let Some(lifting) = found.filter(|l| !slow(l) && small(l)) else {
            continue;
        };
        let number = done.len() + 1;
        let Some(rule) = elab::lifted_rule(step, start, &lifting, number) else {
            continue;
        };
        regroups |= lifting.meaning == Meaning::Reals;
        rules += &rule;
        looks.insert(reduced(lifting.parts.summary, n));
        done.push(t.clone());
    }
    let mut uses = BTreeSet::new();
    term.visit(&mut |t, _| {
        if let Some((rule, floats)) = of_operator(t, permits) {
            regroups |= floats;
            uses.insert(rule);
            looks.extend(length(t).map(|n| reduced(t.ty(), n)));
            done.push(t.clone());
        }
    });
    looks.extend(none_is_left(term, &done));
    if looks.is_empty() {
        return None;
    }
    let permit = if regroups { PERMIT } else { "" };
    let looks: Vec<String> = looks.into_iter().collect();
    let uses = match uses.is_empty() {
        true => String::new(),
        false => {
            let names: Vec<&str> = uses.into_iter().collect();
            format!("use rules/reduction.rules ({})\n", names.join(", "))
        }
    };
    let steps = vec![guide("lift", &format!("{permit}{uses}{rules}"), &looks)];
    Some(Schedule::preparation(WORDS, steps).by_itself())
}

/// Whether floats are multiplied by each other: of many factors below 1, as filters of several numbers have them, the product comes near 0,
/// where processors are slow.
fn multiplies(combine: &Term) -> bool {
    let mut found = false;
    combine.visit(&mut |t, _| {
        let [Some(a), Some(b)] = [0, 1].map(|i| argument(t, Op::Mul, i)) else {
            return;
        };
        // What a function gives is a weight of its own, and no product of those before.
        let number = |t: &Term| {
            let given = t.as_prim_app().and_then(|(p, _)| p.op().function());
            matches!(t.kind(), Kind::Lit(_)) || given.is_some()
        };
        let floats = t.ty().as_scalar().is_some_and(Scalar::is_float);
        found |= floats && !number(a) && !number(b);
    });
    found
}

/// How many numbers a summary consists of.
fn numbers(ty: Ty) -> usize {
    match ty.kind() {
        TyKind::Pair(a, b) => numbers(a) + numbers(b),
        _ => 1,
    }
}

/// The rule by which a reduction in order is one by its step, where that is an operator and its start reads something from outside. Says
/// whether that regroups floats.
fn of_operator(t: &Term, permits: Permits) -> Option<(&'static str, bool)> {
    let [step, start] = [0, 1].map(|i| argument(t, Op::ReduceSeq, i));
    let (step, start) = (step?, start?);
    let floats = t.ty().as_scalar()?.is_float();
    let open = step.open() + start.open() > 0;
    if !open || !is_of(t, LONG_ROW) || floats && !permits.reassociate {
        return None;
    }
    let of = Floats::reassociated(permits.reassociate);
    let associates = recognise(step).is_some_and(|op| op.has(Property::Associative, of));
    associates.then_some(("reduce-of-operator", floats))
}

/// Of reductions of one type over as many elements of which each is done, that none of them is left.
fn none_is_left(term: &Term, done: &[Term]) -> Vec<String> {
    let mut left: Vec<Term> = Vec::new();
    term.visit(&mut |t, _| {
        let is_reduction = argument(t, Op::ReduceSeq, 2).is_some();
        let known = |d: &Term| d == t || is_long(d, LONG_ROW) && is_alike(d, t);
        if is_reduction && !done.iter().any(known) {
            left.push(t.clone());
        }
    });
    let alike = |a: &Term, b: &Term| a.ty() == b.ty() && length(a) == length(b);
    let all = done.iter().filter(|d| !left.iter().any(|t| alike(d, t)));
    let none = |t: &Term| {
        let (of, n) = (t.ty(), size(length(t)?));
        Some(format!(
            "(none (app (reduceSeq : ? -> {of} -> {n}.? -> ?) ? ? ?))"
        ))
    };
    all.filter_map(none).collect()
}

/// That a reduction to this type over so many elements is there.
fn reduced(of: Ty, n: Nat) -> String {
    let n = size(n);
    format!("(contains (app (reduce : ? -> {of} -> {n}.? -> ?) ? ? ?))")
}

/// Whether a reduction in order is of so many elements, or of any number.
pub fn is_of(t: &Term, least: i64) -> bool {
    length(t).is_some_and(|n| n.as_int().is_none_or(|n| n >= least))
}

/// How many elements a reduction in order is of.
fn length(t: &Term) -> Option<Nat> {
    Some(argument(t, Op::ReduceSeq, 2)?.ty().as_array()?.0)
}

/// Whether two reductions differ in nothing but what they reduce.
fn is_alike(a: &Term, b: &Term) -> bool {
    let same = |i| argument(a, Op::ReduceSeq, i) == argument(b, Op::ReduceSeq, i);
    let of = |t| argument(t, Op::ReduceSeq, 2).map(Term::ty);
    same(0) && same(1) && of(a) == of(b)
}

/// Whether it reduces many elements, in order, by a step that needs nothing else.
fn is_long(t: &Term, least: i64) -> bool {
    let closed = argument(t, Op::ReduceSeq, 0).is_some_and(|t| t.open() == 0);
    closed && is_of(t, least) && t.ty().is_flat()
}
