//! Numbers that are computed of indices, as indices.
//!
//! In: integers of 64 bits of the loop program, what is known of indices. Out: the same as an integer expression without bounds, so that
//! `cast (i + 1) : idx[n]` is the index `i + 1` where that is known to be one. Sums and products that wrap are what they would be
//! without bounds as long as the end of all fits, since both are the same up to multiples of 2^64; what chooses or divides has to
//! fit itself. Absent: numbers that data decide.

use super::state::Lower;
use crate::arith::{Atom, AtomKind, Nat};
use crate::nest::abi::{FITS, LARGEST};
use crate::nest::{Expr, ExprKind};
use crate::term::{Lit, Op};
use crate::ty::Scalar;

impl Lower {
    /// The index below `n` that a number is, if it is computed of indices: at least 0, at most n - 1.
    pub fn index_below(&self, e: &Expr, n: Nat) -> Option<Nat> {
        let number = self.number(e)?;
        let last = n - Nat::int(1);
        Some(self.facts.max(self.facts.min(number, last), Nat::int(0)))
    }

    /// What a number is that does not wrap.
    fn number(&self, e: &Expr) -> Option<Nat> {
        self.wrapping(e).filter(|n| self.fits(*n))
    }

    /// What a number is up to multiples of 2^64.
    pub fn wrapping(&self, e: &Expr) -> Option<Nat> {
        if e.shape().elem != Scalar::I64 || e.shape().lanes != 1 {
            return None;
        }
        match e.kind() {
            ExprKind::Index(n) | ExprKind::Lit(Lit::Size(n)) => Some(*n),
            ExprKind::Lit(Lit::Int(i)) => i64::try_from(*i).ok().map(Nat::int),
            ExprKind::Var(x) => self.numbers.get(x).copied(),
            ExprKind::Cast(x) => self.wrapping(x),
            ExprKind::Op(op, args) => match (op, &args[..]) {
                (Op::Add, [a, b]) => Some(self.wrapping(a)? + self.wrapping(b)?),
                (Op::Sub, [a, b]) => Some(self.wrapping(a)? - self.wrapping(b)?),
                (Op::Mul, [a, b]) => Some(self.wrapping(a)? * self.wrapping(b)?),
                (Op::Min, [a, b]) => Some(self.facts.min(self.number(a)?, self.number(b)?)),
                (Op::Max, [a, b]) => Some(self.facts.max(self.number(a)?, self.number(b)?)),
                (Op::Div | Op::Mod, [a, b]) => self.quotient(*op, self.number(a)?, self.number(b)?),
                _ => None,
            },
            _ => None,
        }
        .filter(|n| !n.is_overflow())
    }

    /// C rounds towards zero: down, where nothing is negative.
    fn quotient(&self, op: Op, a: Nat, b: Nat) -> Option<Nat> {
        let known = |a, b| self.facts.at_least(a, b);
        if !self.is_whole(a) || !known(b, Nat::int(1)) {
            return None;
        }
        Some(match op {
            Op::Div => self.facts.floor(a, b),
            // As where what lies beyond one end of an array is at the other one.
            _ if known(b + b - Nat::int(1), a) => {
                let beyond = self.facts.max(a - b + Nat::int(1), Nat::int(0));
                a - b * self.facts.min(beyond, Nat::int(1))
            }
            _ => self.facts.rem(a, b),
        })
    }

    /// Whether it is within 64 bits, with all that it is computed of: of few sizes, or not negative and no more than an array has.
    fn fits(&self, n: Nat) -> bool {
        let slots = || self.inputs.iter().chain(&self.outputs);
        let below = |n| slots().any(|s| self.facts.at_least(s.count(), n));
        self.magnitude(n, 0).is_some_and(|m| m <= FITS as f64)
            || rises(n) && self.is_whole(n) && below(n)
    }

    /// Whether it is known not to be negative.
    fn is_whole(&self, n: Nat) -> bool {
        self.facts.at_least(n, Nat::int(0))
    }

    /// Whether none is above 1.
    fn at_most_one(&self, n: Nat) -> bool {
        self.facts.at_least(Nat::int(1), n)
    }

    /// A bound of all that it is computed of.
    fn magnitude(&self, n: Nat, depth: u32) -> Option<f64> {
        let mut all = 0.0;
        for (mono, c) in n.terms().iter() {
            let mut one = c.as_int()?.unsigned_abs() as f64;
            for (a, power) in mono.factors() {
                one *= self
                    .largest(a, depth)?
                    .powi(u32::try_from(power).ok()? as i32);
            }
            all += one;
        }
        Some(all)
    }

    fn largest(&self, a: Atom, depth: u32) -> Option<f64> {
        if depth > 8 {
            return None;
        }
        let of = |n| self.magnitude(n, depth + 1);
        match a.kind() {
            AtomKind::Var(s) => match self.facts.range_of(s) {
                Some((_, most)) => of(most),
                // Sizes are bound in no block.
                None => (!self.levels.contains_key(&s)).then_some(LARGEST as f64),
            },
            AtomKind::Floor(a, _) => of(a),
            AtomKind::Mod(_, b) => of(b),
            // Whether something is the case: 0 or 1.
            AtomKind::Min(a, b)
                if [a, b].into_iter().all(|n| self.is_whole(n))
                    && [a, b].into_iter().any(|n| self.at_most_one(n)) =>
            {
                Some(1.0)
            }
            AtomKind::Max(a, b)
                if [a, b].into_iter().any(|n| self.is_whole(n))
                    && [a, b].into_iter().all(|n| self.at_most_one(n)) =>
            {
                Some(1.0)
            }
            AtomKind::Min(a, b) | AtomKind::Max(a, b) => Some(of(a)?.max(of(b)?)),
            _ => None,
        }
    }
}

/// Whether nothing but a constant is taken away.
fn rises(n: Nat) -> bool {
    n.terms()
        .iter()
        .all(|(mono, c)| mono.factors().next().is_none() || c.as_int().is_some_and(|c| c >= 0))
}
