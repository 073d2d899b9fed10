//! A corpus of what stayed open: each expression once, whatever its variables are called and its numbers are.
//!
//! In: expressions with what is assumed of them. Out: those for which there may be a rule, in their order. A comparison that is true
//! at some points and false at others is not one: nothing decides it; nor is one whose assumptions hold nowhere.

use super::left::canonical;
use super::points::Points;
use super::{abstracted, spoken, Question};
use crate::intern::Symbol;
use crate::scalar::{Expr, Kind, Lanes, Op};
use std::collections::BTreeSet;

/// Points at which a comparison is looked at.
const POINTS: usize = 10_000;
const FIRST: usize = 200;

/// What was left out of a corpus.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct LeftOut {
    /// The same but for names and numbers.
    pub again: usize,
    /// Comparisons that are true here and false there.
    pub open: usize,
    /// Comparisons whose assumptions hold at no point: a case that does not occur, or hardly ever.
    pub nowhere: usize,
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
        } else {
            match at_points(&q) {
                Seen::Both => left_out.open += 1,
                Seen::Nowhere => left_out.nowhere += 1,
                Seen::Same => kept.push(q),
            }
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

/// What points say of a question.
enum Seen {
    /// Nothing against it: no comparison, or one that is always true, or always false.
    Same,
    /// True at one where the facts hold, and false at another.
    Both,
    /// Facts that hold at none.
    Nowhere,
}

fn at_points(q: &Question) -> Seen {
    if q.e.sort().kind != Kind::Bool {
        return Seen::Same;
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
    let both = |count: usize| {
        let points = Points::new(&vars, &numbers, &q.facts, count, 4);
        let values = points.values(q.e);
        (points.len(), values.contains(&0) && values.contains(&1))
    };
    // Most are so at the first ones; where facts hold at fewer, they hold at hardly any.
    match both(FIRST) {
        (0, _) => Seen::Nowhere,
        (_, true) => Seen::Both,
        (FIRST, _) if both(POINTS).1 => Seen::Both,
        _ => Seen::Same,
    }
}
