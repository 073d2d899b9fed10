//! Terms of a given type: one production for each primitive.
//!
//! Comes in: the type of a result; goes out: a primitive that gives it, applied
//! to random terms, or nothing where the choice did not fit. Invariant: as for
//! [`Generator`]. Absent: variables and constants, which end the recursion.

use super::{Generator, Scope, WIDE};
use crate::arith::Nat;
use crate::term::{call, call_as, Lit, Op, Term};
use crate::ty::{Scalar, Ty, TyKind};

impl Generator<'_> {
    /// A primitive that gives a `ty`, applied to random arguments.
    pub(super) fn composed(&mut self, ty: Ty, scope: &mut Scope, fuel: u32) -> Option<Term> {
        if self.rng.one_in(8) {
            return self.anywhere(ty, scope, fuel);
        }
        match ty.kind() {
            TyKind::Scalar(s) => self.scalar(s, ty, scope, fuel),
            TyKind::Vec(_, t) => self.vector(t, ty, scope, fuel),
            TyKind::Pair(a, b) => self.pair(a, b, ty, scope, fuel),
            TyKind::Array(n, t) => self.array(n, t, ty, scope, fuel),
            TyKind::Idx(_) | TyKind::Fun(..) | TyKind::Meta(_) => None,
        }
    }

    fn args(&mut self, types: &[Ty], scope: &mut Scope, fuel: u32) -> Vec<Term> {
        // Most of what is left goes to one argument, so that some paths are long.
        let deep = self.rng.below(types.len().max(1) as u64) as usize;
        let each = |i| if i == deep { fuel } else { fuel / 2 };
        (0..types.len())
            .map(|i| self.term(types[i], scope, each(i)))
            .collect()
    }

    pub(super) fn make(
        &mut self,
        op: Op,
        sizes: &[Nat],
        types: &[Ty],
        ty: Ty,
        scope: &mut Scope,
        fuel: u32,
    ) -> Option<Term> {
        let large = |t: &Ty| !t.is_fun() && self.count(*t) > self.options.elements;
        if self.options.exclude.contains(&op) || types.iter().any(large) {
            return None;
        }
        let args = self.args(types, scope, fuel);
        call_as(op, sizes, &args, ty)
    }

    /// One primitive or another that means the same.
    pub fn one_of(&mut self, plain: Op, strategies: &[Op]) -> Op {
        if self.options.strategies && self.rng.one_in(2) {
            *self.rng.pick(strategies)
        } else {
            plain
        }
    }

    /// What can stand at any data type.
    fn anywhere(&mut self, ty: Ty, scope: &mut Scope, fuel: u32) -> Option<Term> {
        let s = self.data_type(2);
        let k = self.dimension();
        let bool_ = Ty::from(Scalar::Bool);
        match self.rng.below(9) {
            0 => self.make(Op::Let, &[], &[s, Ty::fun(s, ty)], ty, scope, fuel),
            1 if self.options.strategies => self.make(Op::ToMem, &[], &[ty], ty, scope, fuel),
            2 => self.make(Op::Select, &[], &[bool_, ty, ty], ty, scope, fuel),
            3 => self.make(Op::Fst, &[], &[Ty::pair(ty, s)], ty, scope, fuel),
            4 => self.make(Op::Snd, &[], &[Ty::pair(s, ty)], ty, scope, fuel),
            5 => self.make(Op::At, &[0.into()], &[Ty::array(k, ty)], ty, scope, fuel),
            6 => {
                let types = [Ty::idx(k), Ty::array(k, ty)];
                self.make(Op::Idx, &[], &types, ty, scope, fuel)
            }
            7 => {
                let times = Nat::int(self.rng.between(1, 3));
                self.make(
                    Op::Iterate,
                    &[times],
                    &[Ty::fun(ty, ty), ty],
                    ty,
                    scope,
                    fuel,
                )
            }
            _ => self.fold(ty, scope, fuel),
        }
    }

    fn fold(&mut self, ty: Ty, scope: &mut Scope, fuel: u32) -> Option<Term> {
        let op = self.one_of(Op::Reduce, &[Op::ReduceSeq, Op::ReduceSeqUnroll]);
        let n = match op {
            Op::ReduceSeqUnroll => Nat::int(self.rng.between(1, 4)),
            _ => self.dimension(),
        };
        let s = if op == Op::Reduce {
            ty
        } else {
            self.data_type(1)
        };
        let types = [Ty::funs([ty, s], ty), ty, Ty::array(n, s)];
        self.make(op, &[], &types, ty, scope, fuel)
    }

    fn scalar(&mut self, s: Scalar, ty: Ty, scope: &mut Scope, fuel: u32) -> Option<Term> {
        let other: Ty = (*self.rng.pick(&self.options.scalars)).into();
        if s == Scalar::Bool {
            let compare = [Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne];
            return match self.rng.below(5) {
                0 => self.make(Op::Not, &[], &[ty], ty, scope, fuel),
                1 => self.make(Op::And, &[], &[ty, ty], ty, scope, fuel),
                2 => self.make(Op::Or, &[], &[ty, ty], ty, scope, fuel),
                _ => {
                    let op = *self.rng.pick(&compare);
                    self.make(op, &[], &[other, other], ty, scope, fuel)
                }
            };
        }
        match self.rng.below(10) {
            0..=3 => self.fold(ty, scope, fuel),
            4 => self.make(Op::Cast, &[], &[other], ty, scope, fuel),
            _ => self.number(s, ty, scope, fuel),
        }
    }

    /// Arithmetic on a number or vector type.
    pub(super) fn number(
        &mut self,
        s: Scalar,
        ty: Ty,
        scope: &mut Scope,
        fuel: u32,
    ) -> Option<Term> {
        let often = [
            Op::Add,
            Op::Add,
            Op::Sub,
            Op::Mul,
            Op::Mul,
            Op::Min,
            Op::Max,
        ];
        let seldom = [Op::Div, Op::Mod];
        if s.is_int() && self.rng.one_in(6) {
            return self.bits(s, ty, scope, fuel);
        }
        match self.rng.below(10) {
            0 => self.make(Op::Neg, &[], &[ty], ty, scope, fuel),
            1 => self.make(Op::Abs, &[], &[ty], ty, scope, fuel),
            2 => self.make(Op::Fma, &[], &[ty, ty, ty], ty, scope, fuel),
            3 if s.is_float() && self.rng.one_in(4) => {
                let op = *self.rng.pick(&Op::functions().collect::<Vec<_>>());
                self.make(op, &[], &[ty], ty, scope, fuel)
            }
            4 => {
                let op = *self.rng.pick(&seldom);
                self.make(op, &[], &[ty, ty], ty, scope, fuel)
            }
            _ => {
                let op = *self.rng.pick(&often);
                self.make(op, &[], &[ty, ty], ty, scope, fuel)
            }
        }
    }

    /// What works on the bits of integers. The bits of floats are left out: which NaN an operation gives is not said.
    fn bits(&mut self, s: Scalar, ty: Ty, scope: &mut Scope, fuel: u32) -> Option<Term> {
        match self.rng.below(8) {
            0 => self.make(Op::BitNot, &[], &[ty], ty, scope, fuel),
            1 => {
                let wide = |o: &Scalar| o.is_int() && o.bytes() == s.bytes();
                let others: Vec<Scalar> = Scalar::ALL.into_iter().filter(wide).collect();
                let other = Ty::from(*self.rng.pick(&others));
                let from = ty.as_vec().map_or(other, |(k, _)| Ty::vec(k, other));
                self.make(Op::Bitcast, &[], &[from], ty, scope, fuel)
            }
            _ => {
                let all = [Op::BitAnd, Op::BitOr, Op::BitXor, Op::Shl, Op::Shr];
                let op = *self.rng.pick(&all);
                self.make(op, &[], &[ty, ty], ty, scope, fuel)
            }
        }
    }

    fn vector(&mut self, elem: Ty, ty: Ty, scope: &mut Scope, fuel: u32) -> Option<Term> {
        let s = elem.as_scalar()?;
        match self.rng.below(4) {
            0 => self.make(Op::VectorFromScalar, &[], &[elem], ty, scope, fuel),
            1 => self.fold(ty, scope, fuel),
            _ if s == Scalar::Bool => None,
            _ => self.number(s, ty, scope, fuel),
        }
    }

    fn pair(&mut self, a: Ty, b: Ty, ty: Ty, scope: &mut Scope, fuel: u32) -> Option<Term> {
        let c = self.data_type(1);
        match self.rng.below(6) {
            0 => {
                let types = [Ty::fun(c, a), Ty::pair(c, b)];
                self.make(Op::MapFst, &[], &types, ty, scope, fuel)
            }
            1 => {
                let types = [Ty::fun(c, b), Ty::pair(a, c)];
                self.make(Op::MapSnd, &[], &types, ty, scope, fuel)
            }
            2 => {
                let ((n, s), (k, t)) = (a.as_array()?, b.as_array()?);
                let zipped = Ty::array(n, Ty::pair(s, t));
                (n == k).then_some(())?;
                self.make(Op::Unzip, &[], &[zipped], ty, scope, fuel)
            }
            _ => self.make(Op::Pair, &[], &[a, b], ty, scope, fuel),
        }
    }

    fn array(&mut self, n: Nat, t: Ty, ty: Ty, scope: &mut Scope, fuel: u32) -> Option<Term> {
        let of = |n: Nat| Ty::array(n, t);
        let small = |g: &mut Self| Nat::int(g.rng.between(1, 3));
        let size = self.value(n);
        let at = self.rng.below(26);
        match at {
            0..=7 => self.each_element(at <= 5, n, t, ty, scope, fuel),
            8 => self.make(Op::Reverse, &[], &[ty], ty, scope, fuel),
            9 => {
                let more = n + small(self);
                self.make(Op::Take, &[n], &[of(more)], ty, scope, fuel)
            }
            10 => {
                let by = small(self);
                self.make(Op::Drop, &[by], &[of(n + by)], ty, scope, fuel)
            }
            11 => {
                let a = small(self);
                (self.value(a) < size).then_some(())?;
                self.make(Op::Concat, &[], &[of(a), of(n - a)], ty, scope, fuel)
            }
            12 | 13 => self.padded(n, t, ty, scope, fuel),
            14 => {
                let k = self.rng.between(1, WIDE);
                (size % k == 0).then_some(())?;
                let k = Nat::int(k);
                let nested = Ty::array(n.exact_div(k), of(k));
                self.make(Op::Join, &[], &[nested], ty, scope, fuel)
            }
            15 => {
                let k = n.as_int().filter(|k| *k <= 4)?;
                let types = vec![t; k as usize];
                self.make(Op::MakeArray, &[n], &types, ty, scope, fuel)
            }
            16 if self.options.strategies => {
                let s = self.data_type(1);
                let types = [Ty::funs([s, t], t), t, Ty::array(n, s)];
                self.make(Op::ScanSeq, &[], &types, ty, scope, fuel)
            }
            17 | 18 => self.by_index(at == 17, n, t, ty, scope, fuel),
            19 => {
                let xs = self.term(ty, scope, fuel);
                self.reversed_by_reorder(n, xs)
            }
            20 if t.is_flat() && !self.options.lanes.is_empty() => {
                let k = *self.rng.pick(&self.options.lanes);
                (size % k == 0).then_some(())?;
                let k = Nat::int(k);
                let vectors = Ty::array(n.exact_div(k), Ty::vec(k, t));
                self.make(Op::AsScalar, &[], &[vectors], ty, scope, fuel)
            }
            21 => self.make(Op::Fill, &[n], &[t], ty, scope, fuel),
            22 => {
                let s = self.data_type(1);
                let zipped = Ty::array(n, Ty::pair(t, s));
                let both = Ty::pair(ty, Ty::array(n, s));
                let pair = self.make(Op::Unzip, &[], &[zipped], both, scope, fuel)?;
                call(Op::Fst, [], &[pair])
            }
            _ => self.array_of(n, t, ty, scope, fuel),
        }
    }

    /// A map, or elements by their indices.
    fn each_element(
        &mut self,
        maps: bool,
        n: Nat,
        t: Ty,
        ty: Ty,
        scope: &mut Scope,
        fuel: u32,
    ) -> Option<Term> {
        if !maps {
            let types = [Ty::fun(Ty::idx(n), t)];
            return self.make(Op::Generate, &[], &types, ty, scope, fuel);
        }
        let mut op = self.one_of(Op::Map, &[Op::MapSeq, Op::MapPar, Op::MapSeqUnroll]);
        if op == Op::MapSeqUnroll && n.as_int().is_none() {
            op = Op::MapSeq;
        }
        let s = self.data_type(2);
        self.make(op, &[], &[Ty::fun(s, t), Ty::array(n, s)], ty, scope, fuel)
    }

    fn padded(&mut self, n: Nat, t: Ty, ty: Ty, scope: &mut Scope, fuel: u32) -> Option<Term> {
        let (l, r) = (self.rng.between(0, 2), self.rng.between(0, 2));
        (l + r < self.value(n)).then_some(())?;
        let inner = Ty::array(n - (l + r).into(), t);
        let sizes = [l.into(), r.into()];
        if self.rng.one_in(2) {
            self.make(Op::PadCst, &sizes, &[t, inner], ty, scope, fuel)
        } else {
            self.make(Op::PadClamp, &sizes, &[inner], ty, scope, fuel)
        }
    }

    /// What reads or writes where an array of indices says.
    fn by_index(
        &mut self,
        reads: bool,
        n: Nat,
        t: Ty,
        ty: Ty,
        scope: &mut Scope,
        fuel: u32,
    ) -> Option<Term> {
        let reduces = self.rng.one_in(3);
        let of = |n: Nat| Ty::array(n, t);
        let m = match reads || reduces {
            true => self.dimension(),
            false => Nat::int(self.rng.between(1, 3)),
        };
        let s = if reduces { self.data_type(1) } else { t };
        let (op, types) = match (reads, reduces) {
            (true, true) => {
                let bounds = Ty::array(n + 1.into(), Ty::idx(m + 1.into()));
                let types = vec![Ty::funs([t, s], t), t, bounds, Ty::array(m, s)];
                (Op::ReduceSegments, types)
            }
            (false, true) => {
                let updates = Ty::array(m, Ty::pair(Ty::idx(n), s));
                (Op::ScatterReduce, vec![Ty::funs([t, s], t), ty, updates])
            }
            (true, false) => (Op::Gather, vec![Ty::array(n, Ty::idx(m)), of(m)]),
            (false, false) => (Op::Scatter, vec![Ty::array(m, Ty::idx(n)), of(m)]),
        };
        self.make(op, &[], &types, ty, scope, fuel)
    }

    /// What only gives arrays of a certain kind of element.
    fn array_of(&mut self, n: Nat, t: Ty, ty: Ty, scope: &mut Scope, fuel: u32) -> Option<Term> {
        if let Some((k, elem)) = t.as_vec().filter(|(_, e)| e.is_flat()) {
            return self.make(
                Op::AsVector,
                &[k],
                &[Ty::array(n * k, elem)],
                ty,
                scope,
                fuel,
            );
        }
        match t.kind() {
            TyKind::Pair(a, b) => {
                let types = [Ty::array(n, a), Ty::array(n, b)];
                self.make(Op::Zip, &[], &types, ty, scope, fuel)
            }
            TyKind::Idx(m) if m == n => {
                let i = Ty::idx(n);
                let same = Term::lam(None, i, Term::var(0, i));
                call(Op::Generate, [], &[same])
            }
            TyKind::Array(k, u) => {
                let windows = n - 1.into();
                match self.rng.below(6) {
                    0 | 1 => {
                        let flipped = Ty::array(k, Ty::array(n, u));
                        self.make(Op::Transpose, &[], &[flipped], ty, scope, fuel)
                    }
                    2 => self.make(Op::Split, &[k], &[Ty::array(n * k, u)], ty, scope, fuel),
                    3 if self.options.strategies => {
                        let s = self.data_type(1);
                        let kept = k + Nat::int(self.rng.between(0, 2));
                        let types = [Ty::fun(s, u), Ty::array(windows + k, s)];
                        self.make(Op::CircularBuffer, &[kept, k], &types, ty, scope, fuel)
                    }
                    4 if self.options.strategies => {
                        let types = [Ty::fun(u, u), Ty::array(windows + k, u)];
                        self.make(Op::RotateValues, &[k], &types, ty, scope, fuel)
                    }
                    _ => {
                        let step = Nat::int(self.rng.between(1, 2));
                        let all = Ty::array(step * windows + k, u);
                        self.make(Op::Slide, &[k, step], &[all], ty, scope, fuel)
                    }
                }
            }
            _ => None,
        }
    }

    /// `reorder` by `i -> n - 1 - i`, which is its own inverse.
    pub fn reversed_by_reorder(&mut self, n: Nat, xs: Term) -> Option<Term> {
        let f = index_map(n, |number, size| {
            call(Op::Sub, [], &[size(n - 1.into()), number])
        })?;
        let allowed = !self.options.exclude.contains(&Op::Reorder);
        allowed.then(|| call(Op::Reorder, [], &[f.clone(), f, xs]))?
    }
}

/// A function between indices below `n`, from what becomes of the number that an index is; sizes are numbers, too.
pub fn index_map(
    n: Nat,
    change: impl FnOnce(Term, &dyn Fn(Nat) -> Term) -> Option<Term>,
) -> Option<Term> {
    let (i, int) = (Ty::idx(n), Ty::from(Scalar::I64));
    let number = call_as(Op::Cast, [], &[Term::var(0, i)], int)?;
    let changed = change(number, &|size| Term::lit(Lit::Size(size), int))?;
    let back = call_as(Op::Cast, [], &[changed], i)?;
    Some(Term::lam(None, i, back))
}
