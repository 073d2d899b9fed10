//! A corpus of what stayed open: each expression once, whatever its variables are called and its numbers are.
//!
//! In: expressions with what is assumed of them. Out: those for which there may be a rule, in their order. A comparison that is true
//! at some points and false at others is not one: nothing decides it.

use super::left::canonical;
use super::points::Points;
use super::{abstracted, spoken, Question};
use crate::intern::Symbol;
use crate::scalar::{Expr, Kind, Lanes, Op};
use std::collections::BTreeSet;

/// Points at which a comparison is looked at.
const POINTS: usize = 10_000;

/// What was left out of a corpus.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct LeftOut {
    /// The same but for names and numbers.
    pub again: usize,
    /// Comparisons that are true here and false there.
    pub open: usize,
    /// Variables and numbers, which nothing makes simpler.
    pub leaves: usize,
    /// About vectors.
    pub vectors: usize,
}

/// The questions that are worth asking, and how many are not.
pub fn corpus(all: Vec<Question>) -> (Vec<Question>, LeftOut) {
    let mut left_out = LeftOut::default();
    let mut seen = BTreeSet::new();
    let mut kept = Vec::new();
    for q in all {
        if q.e.args().next().is_none() {
            left_out.leaves += 1;
        } else if q.e.sort().lanes != Lanes::One {
            left_out.vectors += 1;
        } else if !seen.insert(shape(&q)) {
            left_out.again += 1;
        } else if is_open(&q) {
            left_out.open += 1;
        } else {
            kept.push(q);
        }
    }
    (kept, left_out)
}

/// The same for questions that differ in names and numbers only.
fn shape(q: &Question) -> String {
    let asked = match q.e.sort().kind {
        Kind::Bool => q.e,
        Kind::Int => Expr::of(Op::Lt, &[q.e, Expr::int(0)]),
    };
    let both = |a: Expr, b: &Expr| Expr::of(Op::And, &[a, *b]);
    abstracted(canonical(q.facts.iter().fold(asked, both)))
}

/// Whether a boolean is true at a point where the facts hold, and false at another.
fn is_open(q: &Question) -> bool {
    if q.e.sort().kind != Kind::Bool {
        return false;
    }
    let mut vars: Vec<(Symbol, Kind)> = Vec::new();
    let mut numbers = spoken(q.e);
    for e in q.facts.iter().chain([&q.e]) {
        numbers.extend(spoken(*e));
        for (v, sort) in e.vars() {
            if !vars.iter().any(|known| known.0 == v) {
                vars.push((v, sort.kind));
            }
        }
    }
    let points = Points::new(&vars, &numbers, &q.facts, POINTS, 4);
    let values = points.values(q.e);
    values.contains(&0) && values.contains(&1)
}
