//! Variables of which one value is left, or a few.
//!
//! In: variables, under what is known. Out: their values. Invariant: as of `known`. Absent: numbers with operations.

use super::known::Known;
use super::parts::vars_in;
use crate::arith::{AtomKind, Nat, Rat};
use crate::intern::Symbol;

/// Nothing is said.
const ANY: (i64, i64) = (i64::MIN, i64::MAX);
/// Values of a variable that are looked at one by one, at most.
const FEW: i64 = 4;

impl Known {
    /// A number with the only value that variables have in their place.
    pub fn settled(&self, n: Nat) -> Nat {
        let only = |n: Nat, v: &Symbol| match self.only(*v) {
            Some(k) => n.subst_var(*v, k),
            None => n,
        };
        n.vars().iter().fold(n, only)
    }

    /// The only value that a variable has, if it is a constant.
    pub fn fixed(&self, v: Symbol) -> Option<i64> {
        self.only(v).and_then(Nat::as_int)
    }

    /// The only value that a variable has: a constant, or what sizes say, which it is at least and at most.
    fn only(&self, v: Symbol) -> Option<Nat> {
        let key = (self.facts.borrow().state(), v, self.range_of(v));
        if let Some(known) = self.fixed.borrow().get(&key) {
            return *known;
        }
        let (lo, hi) = self.between(v);
        let only = match lo == hi {
            true => Some(Nat::int(lo)),
            false => self.least_and_most(v),
        };
        self.fixed.borrow_mut().insert(key, only);
        only
    }

    /// Between which numbers a variable is, where it is one of few.
    pub fn few(&self, v: Symbol) -> Option<(i64, i64)> {
        let (lo, hi) = self.between(v);
        let count = hi.checked_sub(lo)?;
        (1..FEW).contains(&count).then_some((lo, hi))
    }

    /// What is said of a variable, its range with it.
    fn said_of(&self, v: Symbol) -> Vec<Nat> {
        let ends = (self.range_of(v)).map(|(lo, hi)| [Nat::var(v) - lo, hi - Nat::var(v)]);
        let facts = self.facts.borrow();
        let facts = facts.added().iter().copied().filter(|n| n.mentions(v));
        facts.chain(ends.into_iter().flatten()).collect()
    }

    fn least_and_most(&self, v: Symbol) -> Option<Nat> {
        self.range_of(v)?;
        let all = self.said_of(v);
        let ranged = |n: Nat| vars_in(n, |w| self.range_of(w).is_some());
        let of = |n: &Nat| {
            let least = Nat::var(v) - *n;
            let only = self.factor(*n, v) == Some(1) && !ranged(least);
            (only && all.contains(&(least - Nat::var(v)))).then_some(least)
        };
        all.iter().find_map(of)
    }

    /// Between which numbers a variable is by what is said of it, and of those beside it alone.
    fn between(&self, v: Symbol) -> (i64, i64) {
        self.between_by(v, &|n| self.ends(n))
    }

    /// The same by what numbers alone say of it.
    fn between_numbers(&self, v: Symbol) -> (i64, i64) {
        let key = (self.facts.borrow().state(), v, self.range_of(v));
        if let Some(known) = self.between_numbers.borrow().get(&key) {
            return *known;
        }
        let found = self.between_by(v, &|n| n.as_int().map_or(ANY, |n| (n, n)));
        self.between_numbers.borrow_mut().insert(key, found);
        found
    }

    fn between_by(&self, v: Symbol, ends: &dyn Fn(Nat) -> (i64, i64)) -> (i64, i64) {
        let (mut lo, mut hi) = ANY;
        for n in self.said_of(v) {
            match self.factor(n, v) {
                Some(1) => lo = lo.max(ends(Nat::var(v) - n).0),
                Some(-1) => hi = hi.min(ends(Nat::var(v) + n).1),
                _ => {}
            }
        }
        (lo, hi)
    }

    /// Between which numbers a sum of variables is, by what numbers say of each.
    fn ends(&self, n: Nat) -> (i64, i64) {
        let (mut least, mut most) = (Some(0i64), Some(0i64));
        for (m, c) in n.terms().iter() {
            let Some(c) = c.as_int() else { return ANY };
            let atom = Nat::from_terms([(m.clone(), Rat::ONE)]).as_atom();
            let (lo, hi) = match atom.map(|a| a.kind()) {
                _ if m.is_one() => (1, 1),
                Some(AtomKind::Var(v)) => self.between_numbers(v),
                _ => return ANY,
            };
            let of = |end: i64| match end {
                i64::MIN | i64::MAX => None,
                end => c.checked_mul(end),
            };
            let (lo, hi) = if c > 0 {
                (of(lo), of(hi))
            } else {
                (of(hi), of(lo))
            };
            let sum = |a: Option<i64>, b: Option<i64>| a?.checked_add(b?);
            (least, most) = (sum(least, lo), sum(most, hi));
        }
        (least.unwrap_or(i64::MIN), most.unwrap_or(i64::MAX))
    }
}
