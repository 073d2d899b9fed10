//! What is known of sizes, indices and conditions at a place of a program.
//!
//! In: ranges of variables, which hold wherever these stand; conditions, which are assumed and forgotten again. Out:
//! answers. Invariant: an answer holds wherever all holds that was assumed; no answer means nothing. Every state of what is
//! assumed has a number, so that what was found under one is not used under another. Absent: values.

use crate::arith::{AtomKind, Nat, Rat, Signs};
use crate::index::{Facts, Level};
use crate::intern::Symbol;
use crate::obligation::Assumption;
use crate::term::Op;
use std::cell::Cell;

pub struct Known {
    facts: Facts,
    /// By the numbers of conditions.
    truths: Vec<(u32, bool)>,
    states: Vec<u64>,
    next: u64,
    /// Questions that were not answered by their form.
    asked: Cell<u64>,
}

impl Default for Known {
    fn default() -> Known {
        Known {
            facts: Facts::new(Level::Full),
            truths: Vec::new(),
            states: vec![0],
            next: 0,
            asked: Cell::new(0),
        }
    }
}

/// Variables that are put at an end of their range, at most.
const ENDS: u32 = 16;

/// A place to come back to.
#[derive(Copy, Clone)]
pub struct Mark {
    facts: usize,
    truths: usize,
    states: usize,
}

impl Known {
    pub fn mark(&self) -> Mark {
        Mark {
            facts: self.facts.len(),
            truths: self.truths.len(),
            states: self.states.len(),
        }
    }

    /// Forgets what was assumed since.
    pub fn restore(&mut self, m: Mark) {
        self.facts.forget(m.facts);
        self.truths.truncate(m.truths);
        self.states.truncate(m.states);
    }

    /// The number of what is assumed now.
    pub fn state(&self) -> u64 {
        self.states.last().copied().unwrap_or(0)
    }

    fn changed(&mut self) {
        self.next += 1;
        self.states.push(self.next);
    }

    /// How many questions were asked that take time.
    pub fn asked(&self) -> u64 {
        self.asked.get()
    }

    /// What a function checks before it does anything.
    pub fn tell(&mut self, a: Assumption) {
        match a {
            Assumption::Divides(d, n) => {
                self.facts.whole(n.exact_div(d));
                if d.as_int().is_none() && self.facts.is_not_negative(d) {
                    self.facts.not_negative(d - Nat::int(1));
                }
            }
            Assumption::NotNegative(n) => self.facts.not_negative(n),
        }
        self.changed();
    }

    /// `lo <= var <= hi`, wherever the variable stands.
    pub fn range(&mut self, var: Symbol, lo: Nat, hi: Nat) {
        self.facts.range(var, lo, hi);
    }

    pub fn range_once(&mut self, var: Symbol, lo: Nat, hi: Nat) {
        if self.facts.range_of(var).is_none() {
            self.facts.range(var, lo, hi);
        }
    }

    /// `n >= 1`
    pub fn positive(&mut self, n: Nat) {
        if n.as_int().is_none() {
            self.facts.positive(n);
            self.changed();
        }
    }

    pub fn not_negative(&mut self, n: Nat) {
        if n.as_int().is_none() {
            self.facts.not_negative(n);
            self.changed();
        }
    }

    /// All conditions that are assumed.
    pub fn truths(&self) -> Vec<(u32, bool)> {
        self.truths.clone()
    }

    pub fn truth(&self, c: u32) -> Option<bool> {
        self.truths.iter().rev().find(|t| t.0 == c).map(|t| t.1)
    }

    pub fn assume_truth(&mut self, c: u32, holds: bool) {
        self.truths.push((c, holds));
        self.changed();
    }

    pub fn assume_compare(&mut self, op: Op, a: Nat, b: Nat, holds: bool) {
        let one = Nat::int(1);
        match (op, holds) {
            (Op::Lt, true) => self.not_negative(b - a - one),
            (Op::Lt, false) => self.not_negative(a - b),
            (Op::Le, true) => self.not_negative(b - a),
            (Op::Le, false) => self.not_negative(a - b - one),
            (Op::Eq, true) | (Op::Ne, false) => {
                self.not_negative(a - b);
                self.not_negative(b - a);
            }
            // What is at most b and not b is less.
            (Op::Eq, false) | (Op::Ne, true) => {
                if self.at_least(b, a) {
                    self.not_negative(b - a - one);
                } else if self.at_least(a, b) {
                    self.not_negative(a - b - one);
                }
            }
            _ => {}
        }
    }

    /// Whether a comparison of indices holds, as far as that is known.
    pub fn compare(&self, op: Op, a: Nat, b: Nat) -> Option<bool> {
        let one = Nat::int(1);
        let least = |n: Nat| self.at_least(n, Nat::int(0));
        let either = |yes: bool, no: bool| match (yes, no) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        match op {
            Op::Lt => either(least(b - a - one), least(a - b)),
            Op::Le => either(least(b - a), least(a - b - one)),
            Op::Eq => either(self.equal(a, b), least(a - b - one) || least(b - a - one)),
            Op::Ne => either(least(a - b - one) || least(b - a - one), self.equal(a, b)),
            _ => None,
        }
    }

    pub fn equal(&self, a: Nat, b: Nat) -> bool {
        if a == b {
            return true;
        }
        let d = self.facts.simplify(a - b);
        match d.as_int() {
            Some(d) => d == 0,
            None => self.at_least(a, b) && self.at_least(b, a),
        }
    }

    pub fn at_least(&self, a: Nat, b: Nat) -> bool {
        let n = a - b;
        if let Some(n) = n.as_int() {
            return n >= 0;
        }
        self.asked.set(self.asked.get() + 1);
        self.facts.is_not_negative(n) || {
            let simple = self.facts.simplify(n);
            simple != n && self.facts.is_not_negative(simple)
                || self.at_ends(simple)
                || self.by_cases(simple)
        }
    }

    /// A minimum is one of two: what holds of both holds of it. So does what holds of the rest where a factor is not
    /// negative.
    fn by_cases(&self, n: Nat) -> bool {
        let mut choice = None;
        n.each_atom(&mut |a| {
            if let AtomKind::Min(x, y) | AtomKind::Max(x, y) = a.kind() {
                choice = choice.or(Some((a, x, y)));
            }
        });
        let Some((atom, x, y)) = choice else {
            return false;
        };
        let with = |by: Nat| n.map_atoms(&mut |a| (a == atom).then_some(by));
        [x, y].into_iter().all(|by| {
            let n = self.facts.simplify(with(by));
            n != Nat::atom(atom) && (self.facts.is_not_negative(n) || self.at_ends(n))
        })
    }

    pub fn simplify(&self, n: Nat) -> Nat {
        self.facts.simplify(n)
    }

    pub fn floor(&self, n: Nat, d: Nat) -> Nat {
        let (n, d) = (self.facts.simplify(n), self.facts.simplify(d));
        if d.as_int().is_none() {
            let q = multiples(n, d);
            let rest = n - q * d;
            if self.at_least(rest, Nat::int(0)) && self.at_least(d - Nat::int(1), rest) {
                return q;
            }
        }
        self.facts.floor(n, d)
    }

    /// Whether a number is not negative where each variable with a range, one after the other, is at the end of its range
    /// that makes it least.
    fn at_ends(&self, n: Nat) -> bool {
        let mut e = n;
        for _ in 0..ENDS {
            let mut vars = Vec::new();
            e.each_atom(&mut |a| {
                if let AtomKind::Var(v) = a.kind() {
                    vars.extend(self.facts.range_of(v).map(|r| (v, r)));
                }
            });
            // First those that others bound.
            vars.sort_by_key(|(v, (lo, hi))| {
                let inner = |n: &Nat| vars_in(*n, |w| w != *v && self.facts.range_of(w).is_some());
                !(inner(lo) || inner(hi))
            });
            let least = vars.into_iter().find_map(|(v, (lo, hi))| {
                let c = e.coefficient(v).filter(|c| !c.mentions(v))?;
                let rest = e - c * Nat::var(v);
                if self.facts.is_not_negative(c) {
                    Some(rest + c * lo)
                } else if self.facts.is_not_negative(Nat::int(0) - c) {
                    Some(rest + c * hi)
                } else {
                    None
                }
            });
            let Some(next) = least else { return false };
            e = self.facts.simplify(next);
            if e.as_int()
                .map_or_else(|| self.facts.is_not_negative(e), |e| e >= 0)
            {
                return true;
            }
        }
        false
    }
}

/// The quotient of a number by a stride, as sums are divided: by the term of the stride with the most factors.
pub fn multiples(n: Nat, stride: Nat) -> Nat {
    let terms = stride.terms();
    let Some((m, c)) = terms.iter().max_by_key(|(m, _)| m.factors().count()) else {
        return Nat::int(0);
    };
    let (mut rest, mut sum) = (n, Nat::int(0));
    // Each round takes the largest terms away.
    for _ in 0..4 {
        let parts = rest.terms().into_iter().filter_map(|(tm, tc)| {
            let (qm, qc): (_, Rat) = (tm.div(m), tc.div(*c)?);
            (qm.is_integral() && qc.as_int().is_some()).then_some((qm, qc))
        });
        let q = Nat::from_terms(parts);
        if q == Nat::int(0) {
            break;
        }
        sum = sum + q;
        rest = rest - q * stride;
        if terms.len() == 1 {
            break;
        }
    }
    sum
}

/// Whether there is such a variable in a number.
fn vars_in(n: Nat, is: impl Fn(Symbol) -> bool) -> bool {
    let mut found = false;
    n.each_atom(&mut |a| {
        if let AtomKind::Var(v) = a.kind() {
            found |= is(v);
        }
    });
    found
}
