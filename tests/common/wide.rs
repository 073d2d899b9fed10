//! What data meets seldom: constant and computed indices, choices between arrays, sizes as numbers, pairs in scans.
//!
//! Comes in: a term in scope; goes out: a term that one such primitive was applied to. Invariant: as for
//! [`Generator`]: the program has a value at [`Generator::sizes`], though perhaps not at smaller ones.
//! Absent: what `flow` does anyway.

use super::flow::Programs;
use rise_opt::arith::Nat;
use rise_opt::interp::generate::{index_map, Generator, Scope};
use rise_opt::term::{call, call_as, Lit, Op, Term};
use rise_opt::ty::{Scalar, Ty};

/// The steps of programs in which such things occur.
pub trait Wide {
    /// One more primitive on an array.
    fn wide_step(&mut self, t: &Term, n: Nat, e: Ty, scope: &mut Scope, fuel: u32) -> Option<Term>;
    /// A number that is a size, of a scalar type.
    fn size_number(&mut self, s: Scalar) -> Term;
    /// Indices below `n`, as many as `m`, made of numbers.
    fn indices(&mut self, m: Nat, n: Nat, scope: &mut Scope) -> Option<Term>;
    /// A number in scope as an index below `n`.
    fn cast_index(&mut self, n: Nat, scope: &mut Scope) -> Option<Term>;
    /// A comparison, of sizes as often as of data.
    fn test(&mut self, scope: &mut Scope) -> Option<Term>;
    /// `reorder` by `i -> (i + k) mod n`.
    fn rotated_by_reorder(&mut self, n: Nat, xs: Term) -> Option<Term>;
}

impl Wide for Generator<'_> {
    fn wide_step(&mut self, t: &Term, n: Nat, e: Ty, scope: &mut Scope, fuel: u32) -> Option<Term> {
        let size = self.value(n);
        (size > 0).then_some(())?;
        match self.rng.below(12) {
            0 => {
                let count = self.rng.between(1, 4);
                let index = |g: &mut Self| {
                    let i = g.rng.between(0, size - 1);
                    Term::lit(Lit::Int(i.into()), Ty::idx(n))
                };
                let all: Vec<Term> = (0..count).map(|_| index(self)).collect();
                let is = call(Op::MakeArray, [Nat::int(count)], &all)?;
                call(Op::Gather, [], &[is, t.clone()])
            }
            1 if self.rng.one_in(2) => {
                let m = self.dimension();
                let bounds = self.indices(m + 1.into(), n + 1.into(), scope)?;
                let to = self.data_type(1);
                let f = self.term(Ty::funs([to, e], to), scope, fuel.clamp(1, 2));
                let start = self.term(to, scope, 0);
                let types = [f.ty(), to, bounds.ty(), t.ty()];
                let whole = Ty::funs(types, Ty::array(m, to));
                let prim = Term::prim(Op::ReduceSegments.into(), whole);
                Some(Term::apps(prim, [f, start, bounds, t.clone()]))
            }
            1 => {
                let m = self.dimension();
                let is = self.indices(m, n, scope)?;
                call(Op::Gather, [], &[is, t.clone()])
            }
            2 if self.rng.one_in(2) => {
                let m = self.dimension();
                let is = self.indices(n, m, scope)?;
                let to = self.data_type(1);
                let starts = self.term(Ty::array(m, to), scope, 1);
                let f = self.term(Ty::funs([to, e], to), scope, fuel.clamp(1, 2));
                let updates = call(Op::Zip, [], &[is, t.clone()])?;
                call(Op::ScatterReduce, [], &[f, starts, updates])
            }
            2 => {
                let m = self.dimension();
                let is = self.indices(n, m, scope)?;
                call(Op::Scatter, [], &[is, t.clone()])
            }
            3 => {
                let i = self.cast_index(n, scope)?;
                call(Op::Idx, [], &[i, t.clone()])
            }
            4 => self.rotated_by_reorder(n, t.clone()),
            5 | 6 => {
                let other = match self.rng.below(3) {
                    0 => call(Op::Reverse, [], [t.clone()])?,
                    1 => self.term(t.ty(), scope, fuel.min(2)),
                    _ => self.constant(t.ty(), scope),
                };
                let test = self.test(scope)?;
                call(Op::Select, [], &[test, t.clone(), other])
            }
            7 => {
                let times = match self.rng.one_in(2) {
                    true => self.dimension(),
                    false => Nat::int(self.rng.between(0, 3)),
                };
                let f = self.term(Ty::fun(t.ty(), t.ty()), scope, fuel.clamp(1, 2));
                call(Op::Iterate, [times], &[f, t.clone()])
            }
            8 if self.options.strategies => {
                let to = Ty::pair(self.data_type(1), self.data_type(0));
                self.scan_step(t, e, to, scope, fuel)
            }
            9 => {
                let last = n - Nat::int(self.rng.between(1, size));
                call(Op::At, [last], [t.clone()])
            }
            10 => {
                let k = self.dimension();
                let (k, exact) = (self.value(k).clamp(1, size), k);
                let k = match k == self.value(exact) {
                    true => exact,
                    false => k.into(),
                };
                match self.rng.below(3) {
                    0 => call(Op::Take, [k], [t.clone()]),
                    1 => call(Op::Drop, [k], [t.clone()]),
                    _ => {
                        let windows = n - k;
                        let whole = windows.as_int().is_some() || self.value(windows) >= 0;
                        whole.then(|| call(Op::Slide, [k, 1.into()], [t.clone()]))?
                    }
                }
            }
            _ => {
                let other = call(Op::Reverse, [], [t.clone()])?;
                let both = call(Op::Zip, [], &[t.clone(), other])?;
                let pair = call(Op::Unzip, [], [both])?;
                let part = *self.rng.pick(&[Op::Fst, Op::Snd]);
                call(part, [], [pair])
            }
        }
    }

    fn size_number(&mut self, s: Scalar) -> Term {
        let n = self.dimension();
        let n = match self.rng.below(3) {
            0 => n,
            1 => n - 1.into(),
            _ => n * self.dimension(),
        };
        Term::lit(Lit::Size(n), s.into())
    }

    fn indices(&mut self, m: Nat, n: Nat, scope: &mut Scope) -> Option<Term> {
        let i = Ty::idx(m);
        scope.push(Some(i));
        let body = self.cast_index(n, scope);
        scope.pop();
        let f = Term::lam(None, i, body?);
        call(Op::Generate, [], &[f])
    }

    fn cast_index(&mut self, n: Nat, scope: &mut Scope) -> Option<Term> {
        (self.value(n) > 0).then_some(())?;
        let kinds: Vec<Scalar> = (self.options.scalars.iter().copied())
            .chain([Scalar::I64])
            .filter(|s| *s != Scalar::Bool)
            .collect();
        let s: Ty = (*self.rng.pick(&kinds)).into();
        let number = self.term(s, scope, 1);
        call_as(Op::Cast, [], &[number], Ty::idx(n))
    }

    fn test(&mut self, scope: &mut Scope) -> Option<Term> {
        let s = *self.rng.pick(&self.options.scalars);
        let both = match self.rng.below(2) {
            0 => [self.size_number(Scalar::I64), self.size_number(Scalar::I64)],
            _ => [self.term(s.into(), scope, 1), self.term(s.into(), scope, 0)],
        };
        call(self.comparison(), [], &both)
    }

    fn rotated_by_reorder(&mut self, n: Nat, xs: Term) -> Option<Term> {
        let k = self.rng.between(1, 3);
        let by = |k: Nat| {
            index_map(n, |number, size| {
                let moved = call(Op::Add, [], &[number, size(k)])?;
                call(Op::Mod, [], &[moved, size(n)])
            })
        };
        let f = by(k.into())?;
        let g = by(n * Nat::int(k) - k.into())?;
        call(Op::Reorder, [], &[f, g, xs])
    }
}
