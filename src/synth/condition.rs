//! The weakest condition, of a lattice of fixed forms, under which two sides are equal.
//!
//! In: two sides, and what may be asked: comparisons of constants, facts of terms. Out: conjunctions that leave no point at
//! which the sides differ, those first that leave the most points. A counterexample becomes a point. Absent: proofs.

use super::points::{Points, Values};
use crate::intern::Symbol;
use crate::scalar::{Expr, Kind, Op, Sort, VarClass};
use std::collections::BTreeMap;

/// Choices of constants, and of everything else for each of them.
const CHOICES: usize = 160;
const EACH: usize = 14;
/// Most forms that are put together three at a time, and conjunctions that are given.
const MOST_FORMS: usize = 90;
const MOST_GIVEN: usize = 24;
/// Values that a condition leaves a constant, at least.
const SEVERAL: usize = 4;

/// A conjunction, and at how many points it holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Conjunction {
    pub(super) parts: Vec<Expr>,
    pub(super) holds: u32,
}

/// Points of a left side, and what may be asked.
pub(super) struct Lattice {
    left: Expr,
    constants: Vec<Symbol>,
    points: Points,
    /// Of the left side.
    values: Values,
    forms: Vec<Expr>,
}

impl Lattice {
    /// `at` says what the constants were in the expression that the side comes from: conditions hold there.
    pub(super) fn new(
        left: Expr,
        at: Option<&BTreeMap<Symbol, i64>>,
        facts: &[Expr],
        spoken: &[i64],
    ) -> Lattice {
        let mut constants = Vec::new();
        let mut terms = Vec::new();
        for (v, sort) in left.vars() {
            match VarClass::of(v) {
                VarClass::Constant => constants.push((v, sort.kind)),
                _ => terms.push((v, sort.kind)),
            }
        }
        let names: Vec<Symbol> = constants.iter().map(|c| c.0).collect();
        let points = drawn(&constants, &terms, at, facts, spoken);
        let mut forms: Vec<Expr> = forms(&names);
        if let Some(at) = at {
            let number = |v: Symbol| at.get(&v).and_then(|n| Expr::checked_int((*n).into()));
            let here = |e: &Expr| super::left::rebuilt(e.replace(&number)) == Expr::bool(true);
            forms.retain(here);
        }
        forms.extend(facts);
        let values = points.values(left);
        Lattice {
            left,
            constants: names,
            points,
            values,
            forms,
        }
    }

    /// Takes note of a point.
    pub(super) fn learn(&mut self, point: &BTreeMap<Symbol, i64>) {
        self.points.push(point);
        self.values = self.points.values(self.left);
    }

    /// Lets conditions ask for these, too.
    pub(super) fn ask(&mut self, forms: Vec<Expr>) {
        self.forms.extend(forms);
    }

    /// Whether the first condition holds somewhere where the second does not, and the other way round.
    pub(super) fn compare(&self, first: Expr, second: Expr) -> (bool, bool) {
        let (first, second) = (self.points.values(first), self.points.values(second));
        let beyond = |a: &Values, b: &Values| a.iter().zip(b).any(|(a, b)| a > b);
        (beyond(&first, &second), beyond(&second, &first))
    }

    /// Whether every constant has several values at these points: what leaves it one or two is about numbers, not about constants.
    fn leaves_several(&self, at: &[u64]) -> bool {
        self.constants.iter().all(|name| {
            let mut seen: Vec<i64> = Vec::new();
            for i in (0..self.points.len()).filter(|i| at[i / 64] >> (i % 64) & 1 == 1) {
                let n = self.points.value(*name, i);
                if !seen.contains(&n) {
                    seen.push(n);
                }
                if seen.len() == SEVERAL {
                    return true;
                }
            }
            false
        })
    }

    fn equal(&self, right: Expr) -> Values {
        let right = self.points.values(right);
        self.values
            .iter()
            .zip(&right)
            .map(|(a, b)| (a == b).into())
            .collect()
    }

    /// How many choices of constants make the sides equal at all points with them.
    pub(super) fn score(&self, right: Expr) -> usize {
        let equal = self.equal(right);
        let each = equal.chunks(EACH).take(CHOICES);
        each.filter(|all| all.iter().all(|e| *e == 1)).count()
    }

    /// Conjunctions that exclude every point at which the sides differ, the weakest first.
    pub(super) fn conjunctions(&self, right: Expr) -> Vec<Conjunction> {
        let equal = self.equal(right);
        if equal.iter().all(|e| *e == 1) {
            let holds = self.points.len() as u32;
            return vec![Conjunction {
                parts: Vec::new(),
                holds,
            }];
        }
        let differ = bits(&equal.iter().map(|e| 1 - e).collect::<Values>());
        let equal = bits(&equal);
        let mut all: Vec<(Expr, Vec<u64>)> = Vec::new();
        for form in &self.forms {
            let holds = bits(&self.points.values(*form));
            // What excludes nothing helps nothing.
            if all.len() < MOST_FORMS && (0..differ.len()).any(|i| differ[i] & !holds[i] != 0) {
                all.push((*form, holds));
            }
        }
        let mut found = excluding(&all, &equal, &differ);
        found.retain(|(_, which)| {
            let word = |i: usize| which.iter().fold(equal[i], |w, k| w & all[*k].1[i]);
            let words: Vec<u64> = (0..equal.len()).map(word).collect();
            self.leaves_several(&words)
        });
        // What constants decide is asked before what terms have to satisfy.
        let of_terms = |which: &[usize]| {
            let vars = which.iter().flat_map(|i| all[*i].0.vars());
            vars.into_iter()
                .any(|v| VarClass::of(v.0) == VarClass::Term)
        };
        found.sort_by_cached_key(|(holds, which)| {
            let weakest = std::cmp::Reverse(*holds);
            (of_terms(which), weakest, which.len(), which.clone())
        });
        found.truncate(MOST_GIVEN);
        let given = found.into_iter().map(|(holds, which)| Conjunction {
            parts: which.into_iter().map(|i| all[i].0).collect(),
            holds,
        });
        given.collect()
    }
}

/// The choices of up to three forms that exclude all of `differ`, and how much of `equal` each leaves.
fn excluding(all: &[(Expr, Vec<u64>)], equal: &[u64], differ: &[u64]) -> Vec<(u32, Vec<usize>)> {
    let mut found: Vec<(u32, Vec<usize>)> = Vec::new();
    let mut note = |which: &[usize]| {
        let word = |i: usize| which.iter().fold(u64::MAX, |w, k| w & all[*k].1[i]);
        if (0..differ.len()).any(|i| word(i) & differ[i] != 0) {
            return false;
        }
        let holds = (0..equal.len())
            .map(|i| (word(i) & equal[i]).count_ones())
            .sum();
        if holds > 0 {
            found.push((holds, which.to_vec()));
        }
        true
    };
    for i in 0..all.len() {
        if note(&[i]) {
            continue;
        }
        for j in i + 1..all.len() {
            if note(&[i, j]) {
                continue;
            }
            for k in j + 1..all.len() {
                note(&[i, j, k]);
            }
        }
    }
    found
}

fn drawn(
    constants: &[(Symbol, Kind)],
    terms: &[(Symbol, Kind)],
    at: Option<&BTreeMap<Symbol, i64>>,
    facts: &[Expr],
    spoken: &[i64],
) -> Points {
    let everything: Vec<(Symbol, Kind)> = constants.iter().chain(terms).copied().collect();
    let mut points = Points::new(&everything, &[], &[], 0, 0);
    let choices = Points::new(constants, spoken, &[], CHOICES, 5);
    let near = |n: usize| -> BTreeMap<Symbol, i64> {
        let Some(at) = at else {
            return choices.row(n);
        };
        let mut row = choices.row(n);
        // The constants that were there, and their neighbours.
        if n.is_multiple_of(4) {
            for (i, (name, n_at)) in at.iter().enumerate() {
                let step = [0, 1, -1, 0, 2, -2, 0][(n / 4 + i * (n / 28)) % 7];
                row.insert(*name, n_at.saturating_add(step));
            }
        }
        row
    };
    for n in 0..choices.len() {
        let choice = near(n);
        let mut numbers: Vec<i64> = choice.values().copied().collect();
        numbers.extend(spoken);
        let some = Points::new(terms, &numbers, &[], EACH, 100 + n as u64);
        for i in 0..some.len() {
            let mut row = choice.clone();
            row.extend(some.row(i));
            points.push(&row);
        }
    }
    if !facts.is_empty() {
        // Points at which all that may be asked holds are rare among others.
        let some = Points::new(&everything, spoken, facts, CHOICES * EACH / 4, 9);
        for i in 0..some.len() {
            points.push(&some.row(i));
        }
    }
    points
}

fn bits(truths: &Values) -> Vec<u64> {
    let word = |all: &[i64]| {
        let bits = all.iter().enumerate();
        bits.fold(0, |w, (i, t)| w | (u64::from(*t == 1) << i))
    };
    truths.chunks(64).map(word).collect()
}

/// What may be asked of constants.
fn forms(names: &[Symbol]) -> Vec<Expr> {
    let number = Expr::int;
    let of = |op: Op, a: Expr, b: Expr| Expr::of(op, &[a, b]);
    let all: Vec<Expr> = names.iter().map(|n| Expr::var(*n, Sort::INT)).collect();
    let zero = number(0);
    let mut found = Vec::new();
    for c in &all {
        found.push(of(Op::Ne, *c, zero));
        for op in [Op::Ge, Op::Le, Op::Gt, Op::Lt] {
            found.push(of(op, *c, zero));
        }
        found.push(of(Op::Gt, *c, number(1)));
    }
    let pairs = || {
        let all = &all;
        all.iter()
            .flat_map(move |a| all.iter().filter(move |b| a != *b).map(move |b| (*a, *b)))
    };
    for (a, b) in pairs() {
        found.push(of(Op::Le, a, b));
        found.push(of(Op::Lt, a, b));
        found.push(of(Op::Eq, of(Op::Mod, a, b), zero));
        found.push(of(Op::Ne, of(Op::Mod, a, b), zero));
        found.push(of(Op::Le, a, of(Op::Add, b, number(1))));
        if a < b {
            let sum = of(Op::Add, a, b);
            for op in [Op::Le, Op::Ge, Op::Lt, Op::Gt, Op::Eq] {
                found.push(of(op, sum, zero));
            }
            found.push(of(Op::Eq, a, b));
            found.push(of(Op::Ne, a, b));
        }
    }
    for c in &all {
        for (a, b) in pairs().filter(|(a, b)| a < b && a != c && b != c) {
            for combine in [Op::Add, Op::Min, Op::Max] {
                let both = of(combine, a, b);
                for op in [Op::Le, Op::Ge, Op::Lt, Op::Gt] {
                    found.push(of(op, both, *c));
                }
            }
            found.push(of(Op::Eq, of(Op::Mul, a, b), *c));
        }
    }
    found
}
