//! Numbers that are computed of indices, as indices.
//!
//! In: integers of 32 or 64 bits of the loop program, what is known of indices. Out: the same as an integer expression without bounds, so
//! that `cast (i + 1) : idx[n]` is the index `i + 1` where that is known to be one. Sums and products that wrap are what they would be
//! without bounds as long as the end of all fits, since both are the same up to multiples of 2^64 (2^32); what chooses or divides has to
//! fit itself. What fits into 64 bits is known; what fits into 32 is asked of the sizes, see [`Options::narrow`](super::Options).
//! Absent: numbers that data decide.

use super::state::Lower;
use super::value::{Asks, Number};
use crate::arith::{Atom, AtomKind, Nat};
use crate::index::{Facts, Level};
use crate::intern::Symbol;
use crate::nest::abi::{FITS, LARGEST};
use crate::nest::{Expr, ExprKind};
use crate::term::{Lit, Op};
use crate::ty::Scalar;
use rustc_hash::FxHashSet;

/// Coefficients of what is asked to fit into 32 bits are no larger: few sizes would do.
const FACTOR: u64 = 1 << 10;

impl Lower {
    /// The index below `n` that a number is, if it is computed of indices: at least 0, at most n - 1.
    pub fn index_below(&mut self, e: &Expr, n: Nat) -> Option<Nat> {
        let mut asks = Asks::new();
        let number = self.number(e, &mut asks)?;
        let last = n - Nat::int(1);
        let index = self.facts.max(self.facts.min(number, last), Nat::int(0));
        for ask in asks {
            self.ask(ask);
        }
        Some(index)
    }

    /// What follows from another one whatever the sizes is not asked.
    fn ask(&mut self, ask: Nat) {
        let facts = Facts::new(Level::Full);
        if self.asks.iter().any(|other| facts.at_least(ask, *other)) {
            return;
        }
        self.asks.retain(|other| !facts.at_least(*other, ask));
        self.asks.push(ask);
    }

    /// What a number is that does not wrap.
    fn number(&self, e: &Expr, asks: &mut Asks) -> Option<Nat> {
        let n = self.wrapping(e, asks)?;
        let fits = n.fits
            || match e.shape().elem {
                Scalar::I64 => self.fits(n.value),
                narrow => self.fits_narrow(n.value, narrow, asks),
            };
        fits.then_some(n.value)
    }

    /// What a number is as far as its bits tell.
    pub fn wrapping(&self, e: &Expr, asks: &mut Asks) -> Option<Number> {
        let of = e.shape().elem;
        let known =
            of == Scalar::I64 || matches!(of, Scalar::I32 | Scalar::U32) && self.options.narrow;
        if !known || e.shape().lanes != 1 {
            return None;
        }
        let number = |value| Number { value, fits: false };
        match e.kind() {
            ExprKind::Index(n) | ExprKind::Lit(Lit::Size(n)) => Some(number(*n)),
            ExprKind::Lit(Lit::Int(i)) => i64::try_from(*i).ok().map(|i| number(Nat::int(i))),
            ExprKind::Var(x) => {
                let (n, more) = self.numbers.get(x)?;
                asks.extend(more);
                Some(*n)
            }
            ExprKind::Cast(x) if x.shape().elem.bytes() < of.bytes() => Some(Number {
                value: self.number(x, asks)?,
                fits: true,
            }),
            ExprKind::Cast(x) => Some(number(self.wrapping(x, asks)?.value)),
            ExprKind::Op(op, args) => {
                let [a, b] = &args[..] else { return None };
                let value = match op {
                    Op::Add | Op::Sub | Op::Mul => {
                        let (a, b) = (self.wrapping(a, asks)?.value, self.wrapping(b, asks)?.value);
                        return Self::checked(number(match op {
                            Op::Add => a + b,
                            Op::Sub => a - b,
                            _ => a * b,
                        }));
                    }
                    Op::Min | Op::Max | Op::Div | Op::Mod => {
                        let (a, b) = (self.number(a, asks)?, self.number(b, asks)?);
                        match op {
                            Op::Min => self.facts.min(a, b),
                            Op::Max => self.facts.max(a, b),
                            _ => self.quotient(*op, a, b)?,
                        }
                    }
                    _ => return None,
                };
                // It is no further from 0 than what it is computed of.
                Some(Number { value, fits: true })
            }
            _ => None,
        }
        .and_then(Self::checked)
    }

    fn checked(n: Number) -> Option<Number> {
        (!n.value.is_overflow()).then_some(n)
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
        self.magnitude(n, 0).is_some_and(|m| m <= FITS as f64)
            || rises(n) && self.is_whole(n) && self.is_below_a_count(n)
    }

    /// Whether some array has as many elements, also where that is so because the loops around have iterations: their extents are not 0.
    fn is_below_a_count(&self, n: Nat) -> bool {
        let counts = || self.inputs.iter().chain(&self.outputs).map(|s| s.count());
        let known = |a, b| self.facts.at_least(a, b);
        if counts().any(|count| known(count, n)) {
            return true;
        }
        let Some(top) = self.bound(n, 0) else {
            return false;
        };
        let extents: FxHashSet<Symbol> = self
            .levels
            .keys()
            .filter_map(|v| self.facts.range_of(*v))
            .filter_map(|(_, last)| size(last + Nat::int(1)))
            .collect();
        let beyond =
            |n: Nat| n.subst_vars(&mut |s| extents.contains(&s).then(|| Nat::var(s) + Nat::int(1)));
        counts().any(|count| known(beyond(count), beyond(top)))
    }

    /// Whether it is within 32 bits where it is asked of the sizes.
    fn fits_narrow(&self, n: Nat, of: Scalar, asks: &mut Asks) -> bool {
        let most = match of.is_signed() {
            true => i32::MAX.into(),
            false if !self.is_whole(n) => return false,
            false => u32::MAX.into(),
        };
        let Some(bound) = self.bound(n, 0) else {
            return false;
        };
        let left = Nat::int(most) - bound;
        if self.is_whole(left) {
            return true;
        }
        let ask = self.computable(left);
        asks.extend(ask);
        ask.is_some()
    }

    /// The same question as one that fits into 64 bits at all sizes that the function takes: of one size what it may be, of several such
    /// that are at most 2^60, as they are or as the elements of an array.
    fn computable(&self, left: Nat) -> Option<Nat> {
        let (mut constant, mut parts) = (0, Vec::new());
        for (mono, c) in left.terms().iter() {
            let c = c.as_int()?;
            match mono.is_one() {
                true => constant = c,
                false => {
                    let mut product = Nat::int(1);
                    for (a, power) in mono.factors() {
                        for _ in 0..u32::try_from(power).ok()? {
                            product = product * Nat::atom(a);
                        }
                    }
                    parts.push((product, c.checked_neg().filter(|c| *c > 0)?));
                }
            }
        }
        if let [(n, c)] = parts[..] {
            if size(n).is_some() {
                return Some(Nat::int(constant.div_euclid(c)) - n);
            }
        }
        let counts = || self.inputs.iter().chain(&self.outputs).map(|s| s.count());
        let bounded = |n: Nat| size(n).is_some() || counts().any(|count| count == n);
        let few = parts.iter().map(|p| p.1).sum::<i64>() < FITS / LARGEST;
        (few && parts.iter().all(|p| bounded(p.0))).then_some(left)
    }

    /// As [`Lower::magnitude`], as a size.
    fn bound(&self, n: Nat, depth: u32) -> Option<Nat> {
        let mut all = Nat::int(0);
        for (mono, c) in n.terms().iter() {
            let c = c.as_int().map(i64::unsigned_abs);
            let constant = mono.factors().next().is_none();
            let c = c.filter(|c| *c <= FACTOR || constant && *c < 1 << 30)?;
            let mut one = Nat::int(c as i64);
            for (a, power) in mono.factors() {
                let most = self.most(a, depth)?;
                for _ in 0..power {
                    one = one * most;
                }
            }
            all = all + one;
        }
        (!all.is_overflow()).then_some(all)
    }

    fn most(&self, a: Atom, depth: u32) -> Option<Nat> {
        if depth > 8 {
            return None;
        }
        let of = |n| self.bound(n, depth + 1);
        match a.kind() {
            AtomKind::Var(s) => match self.facts.range_of(s) {
                Some((least, most)) if self.is_whole(least) => {
                    let of_sizes = most.vars().iter().all(|v| !self.levels.contains_key(v));
                    if of_sizes {
                        Some(most)
                    } else {
                        of(most)
                    }
                }
                Some(_) => None,
                None => (!self.levels.contains_key(&s)).then_some(Nat::var(s)),
            },
            AtomKind::Floor(a, _) => of(a),
            AtomKind::Mod(_, b) => of(b),
            AtomKind::Min(a, b) | AtomKind::Max(a, b) => Some(self.facts.max(of(a)?, of(b)?)),
            _ => None,
        }
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

/// The name that it is, if it is one.
fn size(n: Nat) -> Option<Symbol> {
    match n.as_atom()?.kind() {
        AtomKind::Var(s) => Some(s),
        _ => None,
    }
}

/// Whether nothing but a constant is taken away.
fn rises(n: Nat) -> bool {
    n.terms()
        .iter()
        .all(|(mono, c)| mono.factors().next().is_none() || c.as_int().is_some_and(|c| c >= 0))
}
