//! What is known of sizes and indices while a proof goes on.
//!
//! In: ranges of indices, sizes that are whole. Out: expressions in which every operation is gone that these decide;
//! whether an expression is not negative. Invariant: equal in value wherever the facts hold. The rules: whole multiples
//! of the divisor leave the quotient; what is left vanishes if its range lies in `0 … d-1`; a common factor of divisor
//! and terms is cancelled if the others stay below it; `d·⌊a/d⌋ + a mod d = a`; min and max by the sign of the difference.
//!
//! Absent: the rules of `rules/index.rules`, with which `index` decides more: what a proof rests on is kept small, and no
//! verdict rests on rules that have to be verified themselves.

use crate::arith::{gcd, is_whole, is_whole_term, rejoin, Atom, AtomKind, Mono, Nat, Rat, Signs};
use crate::intern::Symbol;
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// What is known of variables. A variable without a range is a size: not negative.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Least and largest value.
    ranges: FxHashMap<Symbol, (Nat, Nat)>,
    /// Not negative, beyond what follows from the form.
    at_least_zero: Vec<Nat>,
    /// Whole, beyond what follows from the form: `n/32`.
    whole: Vec<Nat>,
    /// How many questions about signs wait for the answer to another one.
    waiting: Cell<u32>,
}

/// A fact about a rounded size asks for the sign of what is rounded, for which that fact may be tried again: beyond so many
/// questions in each other nothing is known.
/// Times that a quotient by a sum is looked for.
const DIVISIONS: u32 = 4;
const DEEPEST: u32 = 4;

impl Facts {
    /// No facts.
    pub fn new() -> Facts {
        Facts::default()
    }

    /// `lo <= var <= hi`
    pub fn range(&mut self, var: Symbol, lo: Nat, hi: Nat) {
        self.ranges.insert(var, (lo, hi));
    }

    /// `n` is a whole number although division stands in it.
    pub fn whole(&mut self, n: Nat) {
        if !is_whole(n) && !self.whole.contains(&n) {
            self.whole.push(n);
        }
    }

    /// The range of a variable, if it has one.
    pub fn range_of(&self, var: Symbol) -> Option<(Nat, Nat)> {
        self.ranges.get(&var).copied()
    }

    /// A variable is an expression of others from now on.
    pub fn define(&mut self, var: Symbol, value: Nat) {
        self.ranges.remove(&var);
        for (lo, hi) in self.ranges.values_mut() {
            *lo = lo.subst_var(var, value);
            *hi = hi.subst_var(var, value);
        }
        for n in self.at_least_zero.iter_mut().chain(&mut self.whole) {
            *n = n.subst_var(var, value);
        }
    }

    /// An upper (or lower) bound in which no variable with a range occurs.
    pub fn bound(&self, n: Nat, upper: bool) -> Option<Nat> {
        let mut e = n;
        // Each round removes one variable; what replaces it may bring others.
        for _ in 0..64 {
            let Some(v) = self.ranged_atom(e) else {
                return Some(e);
            };
            let (lo, hi) = self.atom_range(v)?;
            let (mut factor, mut rest) = (Vec::new(), Vec::new());
            for (m, c) in e.terms() {
                let exponent = m.factors().find(|f| f.0 == v).map(|f| f.1);
                match exponent {
                    None => rest.push((m, c)),
                    Some(1) => factor.push((m.div(&Mono::atom(v)), c)),
                    Some(_) => return None,
                }
            }
            let (factor, rest) = (Nat::from_terms(factor), Nat::from_terms(rest));
            let value = if self.is_not_negative(factor) {
                if upper {
                    hi
                } else {
                    lo
                }
            } else if self.is_not_negative(Nat::int(0) - factor) {
                if upper {
                    lo
                } else {
                    hi
                }
            } else {
                return None;
            };
            e = rest + factor * value;
        }
        None
    }

    /// An atom of `e` that has a range of its own: first one that others bound, which are still there then.
    fn ranged_atom(&self, e: Nat) -> Option<Atom> {
        let terms = e.terms();
        let atoms = terms.iter().flat_map(|(m, _)| m.atoms());
        let mut first = None;
        for a in atoms {
            let Some((lo, hi)) = self.atom_range(a) else {
                continue;
            };
            let bounded = [lo, hi].iter().any(|n| self.has_range(*n));
            if bounded {
                return Some(a);
            }
            first = first.or(Some(a));
        }
        first
    }

    fn has_range(&self, n: Nat) -> bool {
        let mut found = false;
        n.each_atom(&mut |a| {
            found |= matches!(a.kind(), AtomKind::Var(v) if self.ranges.contains_key(&v));
        });
        found
    }

    fn atom_range(&self, a: Atom) -> Option<(Nat, Nat)> {
        match a.kind() {
            AtomKind::Var(v) => self.range_of(v),
            AtomKind::Mod(_, d) if self.is_not_negative(d) => Some((0.into(), d - 1.into())),
            AtomKind::Min(x, y) => {
                let lo = [x, y].map(|n| self.bound(n, false));
                let hi = [x, y].into_iter().find_map(|n| self.bound(n, true))?;
                match lo {
                    [Some(l), Some(k)] if self.at_least(k, l) => Some((l, hi)),
                    [Some(l), Some(k)] if self.at_least(l, k) => Some((k, hi)),
                    _ => None,
                }
            }
            AtomKind::Max(x, y) => {
                let hi = [x, y].map(|n| self.bound(n, true));
                let lo = [x, y].into_iter().find_map(|n| self.bound(n, false))?;
                match hi {
                    [Some(l), Some(k)] if self.at_least(k, l) => Some((lo, k)),
                    [Some(l), Some(k)] if self.at_least(l, k) => Some((lo, l)),
                    _ => None,
                }
            }
            AtomKind::Floor(x, d) => {
                // With a constant divisor the bounds divide.
                let k = d.as_int().filter(|k| *k > 0)?;
                let (lo, hi) = (self.bound(x, false)?, self.bound(x, true)?);
                (lo.as_int().is_some() && hi.as_int().is_some())
                    .then(|| (lo.floor_div(k.into()), hi.floor_div(k.into())))
            }
            _ => None,
        }
    }

    /// A lower bound without roundings by constants: `⌈x/d⌉ >= x/d`, `⌊x/d⌋ <= x/d`.
    fn relaxed(&self, n: Nat) -> Nat {
        let mut e = n;
        for (m, c) in n.terms() {
            let [(a, 1)] = m.factors().collect::<Vec<_>>()[..] else {
                continue;
            };
            let fraction = match a.kind() {
                AtomKind::Ceil(x, d) if c > Rat::ZERO && d.as_int().is_some_and(|d| d > 0) => {
                    x.exact_div(d)
                }
                AtomKind::Floor(x, d) if c < Rat::ZERO && d.as_int().is_some_and(|d| d > 0) => {
                    x.exact_div(d)
                }
                _ => continue,
            };
            e = e + Nat::rat(c) * (fraction - Nat::atom(a));
        }
        e
    }

    fn plainly_not_negative(&self, n: Nat) -> bool {
        n.terms().iter().all(|(m, c)| {
            *c >= Rat::ZERO
                && m.factors()
                    .all(|(a, e)| e % 2 == 0 || self.atom_not_negative(a))
        })
    }

    fn atom_not_negative(&self, a: Atom) -> bool {
        match a.kind() {
            AtomKind::Var(v) => match self.range_of(v) {
                Some((lo, _)) => self.plainly_not_negative(lo),
                None => true,
            },
            AtomKind::Floor(x, d) | AtomKind::Ceil(x, d) | AtomKind::Quot(x, d) => {
                self.is_not_negative(x) && self.is_not_negative(d)
            }
            AtomKind::Mod(..) => true,
            AtomKind::Min(x, y) => self.is_not_negative(x) && self.is_not_negative(y),
            AtomKind::Max(x, y) => self.is_not_negative(x) || self.is_not_negative(y),
            AtomKind::Meta(_) | AtomKind::Overflow => false,
        }
    }

    /// Whether `a >= b` is known.
    pub fn at_least(&self, a: Nat, b: Nat) -> bool {
        self.is_not_negative(a - b)
    }

    /// Whether `0 <= n < size` is known.
    pub fn is_below(&self, n: Nat, size: Nat) -> bool {
        self.is_not_negative(n) && self.at_least(size - 1.into(), n)
    }

    /// Whether a term is a whole number.
    fn is_whole(&self, m: &Mono, c: Rat) -> bool {
        if is_whole_term(m, c) {
            return true;
        }
        self.whole.iter().any(|w| match &w.terms()[..] {
            [(wm, wc)] => match c.div(*wc) {
                Some(q) => is_whole_term(&m.div(wm), q),
                None => false,
            },
            _ => false,
        })
    }

    /// `n = q·d + r` with a whole `q`, as much as possible in `q`.
    fn divide(&self, n: Nat, d: Nat) -> (Nat, Nat) {
        let [(dm, dc)] = &d.terms()[..] else {
            return self.divide_by_sum(n, d);
        };
        let (mut q, mut r) = (Vec::new(), Vec::new());
        for (m, c) in n.terms() {
            let qm = m.div(dm);
            match c.div(*dc) {
                Some(qc) if self.is_whole(&qm, qc) => q.push((qm, qc)),
                // The multiples in a constant coefficient: 35 = 1·32 + 3.
                Some(qc) if qm.is_one() => {
                    let whole = Rat::int(qc.floor());
                    let taken = whole.mul(*dc).and_then(Rat::neg).and_then(|t| c.add(t));
                    match taken {
                        Some(rest) => {
                            q.push((qm, whole));
                            r.push((m, rest));
                        }
                        None => r.push((m, c)),
                    }
                }
                _ => r.push((m, c)),
            }
        }
        (Nat::from_terms(q), Nat::from_terms(r))
    }

    /// The same by a sum: a multiple of its term of the highest degree is a multiple of all of it, and something of lower degree.
    fn divide_by_sum(&self, n: Nat, d: Nat) -> (Nat, Nat) {
        let degree = |m: &Mono| m.factors().map(|f| f.1).sum::<i32>();
        let divisor = d.terms();
        let Some((dm, dc)) = divisor.iter().max_by_key(|t| degree(&t.0)) else {
            return (0.into(), n);
        };
        let (mut q, mut r) = (Nat::int(0), n);
        for _ in 0..DIVISIONS {
            let whole = |(m, c): &(Mono, Rat)| {
                let (qm, qc) = (m.div(dm), c.div(*dc)?);
                self.is_whole(&qm, qc).then_some((qm, qc))
            };
            let more: Vec<_> = r.terms().iter().filter_map(whole).collect();
            if more.is_empty() {
                break;
            }
            let more = Nat::from_terms(more);
            q = q + more;
            r = r - more * d;
        }
        (q, r)
    }

    /// The rest `r - d·k` that lies in `0 … d-1`, and k, if k is -1, 0 or 1.
    fn within(&self, r: Nat, d: Nat) -> Option<(Nat, Nat)> {
        let mut near = [0, -1, 1].into_iter().map(Nat::int);
        near.find_map(|k| {
            let rest = r - d * k;
            self.is_below(rest, d).then_some((rest, k))
        })
    }

    /// ⌊n / d⌋
    pub fn floor(&self, n: Nat, d: Nat) -> Nat {
        let (q, r) = self.divide(n, d);
        if let Some((_, more)) = self.within(r, d) {
            return q + more;
        }
        match self.common_factor(r, d) {
            Some((a, _, e, _)) => q + self.floor(a, e),
            None => q + r.floor_div(d),
        }
    }

    /// n mod d
    pub fn rem(&self, n: Nat, d: Nat) -> Nat {
        let (_, r) = self.divide(n, d);
        if let Some((r, _)) = self.within(r, d) {
            return r;
        }
        match self.common_factor(r, d) {
            Some((a, b, e, g)) => g * self.rem(a, e) + b,
            None => r.rem(d),
        }
    }

    /// `n = g·a + b`, `d = g·e`, `0 <= b < g`, `g` not 1: gives `(a, b, e, g)`.
    fn common_factor(&self, n: Nat, d: Nat) -> Option<(Nat, Nat, Nat, Nat)> {
        for (m, c) in n.terms() {
            let c = if c < Rat::ZERO { c.neg()? } else { c };
            let factors = m.factors().filter(|f| match f.0.kind() {
                AtomKind::Var(v) => self.range_of(v).is_none(),
                _ => false,
            });
            // The part of the monomial that is a size, not a loop variable.
            let part = factors.fold(Mono::one(), |acc, (a, e)| {
                (0..e).fold(acc, |acc, _| acc.mul(&Mono::atom(a)))
            });
            let g = Nat::from_terms([(part, c)]);
            if g.as_int() == Some(1) || g == d {
                continue;
            }
            let e = match d.as_int().zip(g.as_int()) {
                Some((d, g)) => Nat::int(gcd(d.into(), g.into()) as i64),
                None => g,
            };
            if e.as_int() == Some(1) {
                continue;
            }
            let g = e;
            let (quotient, left) = self.divide(d, g);
            if left != Nat::int(0) || quotient.as_int() == Some(1) {
                continue;
            }
            let (a, b) = self.divide(n, g);
            if self.is_below(b, g) {
                return Some((a, b, quotient, g));
            }
        }
        None
    }

    /// ⌈n / d⌉
    pub fn ceil(&self, n: Nat, d: Nat) -> Nat {
        let (q, r) = self.divide(n, d);
        match r.as_int() {
            Some(0) => q,
            _ => q + r.ceil_div(d),
        }
    }

    /// The smaller.
    pub fn min(&self, a: Nat, b: Nat) -> Nat {
        if self.at_least(b, a) {
            a
        } else if self.at_least(a, b) {
            b
        } else {
            a.min(b)
        }
    }

    /// The larger.
    pub fn max(&self, a: Nat, b: Nat) -> Nat {
        if self.at_least(b, a) {
            b
        } else if self.at_least(a, b) {
            a
        } else {
            a.max(b)
        }
    }

    /// Simplifies every operation in `n`.
    pub fn simplify(&self, n: Nat) -> Nat {
        let n = n.map_atoms(&mut |a| {
            use AtomKind::*;
            Some(match a.kind() {
                Var(_) | Meta(_) | Overflow => Nat::atom(a),
                Floor(x, d) => self.floor(self.simplify(x), self.simplify(d)),
                Ceil(x, d) => self.ceil(self.simplify(x), self.simplify(d)),
                Mod(x, d) => self.rem(self.simplify(x), self.simplify(d)),
                Min(x, y) => self.min(self.simplify(x), self.simplify(y)),
                Max(x, y) => self.max(self.simplify(x), self.simplify(y)),
                Quot(x, d) => self.simplify(x).exact_div(self.simplify(d)),
            })
        });
        rejoin(n)
    }
}

impl Signs for Facts {
    fn is_not_negative(&self, n: Nat) -> bool {
        if self.waiting.get() == DEEPEST {
            return false;
        }
        self.waiting.set(self.waiting.get() + 1);
        let known = self.plainly_not_negative(n) || self.bounded_from_below(n);
        self.waiting.set(self.waiting.get() - 1);
        known
    }

    fn not_negative(&mut self, n: Nat) {
        self.at_least_zero.push(n);
    }
}

impl Facts {
    /// Whether a lower bound is not negative, or not less than something else that is not.
    fn bounded_from_below(&self, n: Nat) -> bool {
        // What is relaxed no longer matches a fact about the rounded size itself.
        let relaxed = self.relaxed(n);
        let forms = [n, relaxed];
        let different = if relaxed == n { 1 } else { 2 };
        forms[..different].iter().any(|&n| {
            let Some(low) = self.bound(n, false) else {
                return false;
            };
            self.plainly_not_negative(low)
                || (self.at_least_zero.iter()).any(|&p| self.plainly_not_negative(low - p))
        })
    }
}
