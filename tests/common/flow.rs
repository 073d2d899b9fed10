//! Programs in which data flows from the parameters to the result.
//!
//! Comes in: terms in scope; goes out: a term that one more primitive was applied
//! to, again and again, until the fuel is used up; functions of `map` and its like
//! are made the same way. Invariant: as for [`Generator`]; the result of a program
//! is an array of numbers or a number. Absent: what is not reached by a
//! composition that starts at data.

use super::wide::Wide;
use rise_opt::arith::Nat;
use rise_opt::index::Level;
use rise_opt::intern::Symbol;
use rise_opt::interp::generate::{self, Generator, Scope, WIDE};
use rise_opt::interp::random::Rng;
use rise_opt::lower;
use rise_opt::target::Target;
use rise_opt::term::{call, call_as, Op, Program, Term};
use rise_opt::ty::{Scalar, Ty, TyKind};

/// Programs of numbers of every type, or of the usual ones; short and long, of few primitives and of all.
pub fn any_types(rng: &mut Rng) -> generate::Options {
    generate::Options {
        scalars: match rng.one_in(2) {
            true => Scalar::ALL.to_vec(),
            false => vec![Scalar::F32, Scalar::I32],
        },
        fuel: rng.between(2, 7) as u32,
        wide: rng.one_in(2),
        ..Default::default()
    }
}

/// Lowered for one of three targets, with more or less done to indices.
pub fn any_lowering(rng: &mut Rng) -> lower::Options {
    lower::Options {
        target: *rng.pick(&[Target::Sse2, Target::Avx2, Target::Avx512]),
        simplify: *rng.pick(&[Level::Full, Level::Full, Level::Fold, Level::Off]),
        ..Default::default()
    }
}

/// What makes whole programs of a generator of terms.
pub trait Programs {
    /// A random program. It takes and gives arrays or numbers, no pairs and no
    /// vectors.
    fn program(&mut self) -> Program;
    fn interface_type(&mut self, array: bool) -> Ty;
    /// Sends `t` through `fuel` primitives.
    fn flow(&mut self, t: Term, scope: &mut Scope, fuel: u32) -> Term;
    /// A function from `arg` whose result depends on its argument.
    fn flow_fun(&mut self, arg: Ty, scope: &mut Scope, fuel: u32) -> Term;
    /// One more primitive on `t`; nothing where the choice does not fit.
    fn step(&mut self, t: &Term, scope: &mut Scope, fuel: u32) -> Option<Term>;
    fn number_step(&mut self, t: &Term, scope: &mut Scope, fuel: u32) -> Option<Term>;
    fn pair_step(&mut self, t: &Term, a: Ty, b: Ty, scope: &mut Scope, fuel: u32) -> Option<Term>;
    fn array_step(&mut self, t: &Term, n: Nat, e: Ty, scope: &mut Scope, fuel: u32)
        -> Option<Term>;
    /// Something to zip with: of the same size, from the scope if possible.
    fn array_of_size(&mut self, n: Nat, t: &Term, scope: &mut Scope, fuel: u32) -> Option<Term>;
    fn comparison(&mut self) -> Op;
    /// What a fold to a `to` has after each element.
    fn scan_step(&mut self, t: &Term, e: Ty, to: Ty, scope: &mut Scope, fuel: u32) -> Option<Term>;
    fn fold_step(&mut self, t: &Term, n: Nat, e: Ty, scope: &mut Scope, fuel: u32) -> Option<Term>;
    /// A `to` from an accumulator and an element: element by element where both
    /// are arrays of a size, else anything of the type.
    fn by_both(&mut self, to: Ty, e: Ty, scope: &mut Scope, fuel: u32) -> Term;
    /// `t` without pairs and vectors, as a kernel can give it back.
    fn plain(&mut self, t: Term) -> Term;
}

impl Programs for Generator<'_> {
    fn program(&mut self) -> Program {
        self.sizes.clear();
        if self.options.symbolic {
            for name in ["m", "n"] {
                // Even, so that halving it is exact.
                let value = 2 * self.rng.between(2, 4);
                self.sizes.insert(Symbol::new(name), value);
            }
        }
        let names = ["a", "b", "c"];
        let count = 1 + self.rng.below(names.len() as u64) as usize;
        let params: Vec<(Symbol, Ty)> = names[..count]
            .iter()
            .enumerate()
            .map(|(i, name)| (Symbol::new(name), self.interface_type(i == 0)))
            .collect();
        let mut scope: Scope = params.iter().map(|p| Some(p.1)).collect();
        let first = Term::var(params.len() as u32 - 1, params[0].1);
        let flowing = self.flow(first, &mut scope, self.options.fuel);
        let body = self.plain(flowing);
        let result = body.ty();
        let term = params
            .iter()
            .rev()
            .fold(body, |t, (name, ty)| Term::lam(Some(*name), *ty, t));
        Program {
            name: Symbol::new("random"),
            sizes: self.sizes.keys().copied().collect(),
            params,
            result,
            term,
        }
    }

    fn interface_type(&mut self, array: bool) -> Ty {
        let mut ty: Ty = (*self.rng.pick(&self.options.scalars)).into();
        for _ in 0..self.rng.between(i64::from(array), 3) {
            let next = Ty::array(self.dimension(), ty);
            if self.count(next) <= self.options.elements {
                ty = next;
            }
        }
        ty
    }

    fn flow(&mut self, mut t: Term, scope: &mut Scope, fuel: u32) -> Term {
        for left in (0..fuel).rev() {
            for _ in 0..6 {
                let next = self.step(&t, scope, left);
                let small = |t: &Term| self.count(t.ty()) <= self.options.elements;
                if let Some(next) = next.filter(small) {
                    t = next;
                    break;
                }
            }
        }
        t
    }

    fn flow_fun(&mut self, arg: Ty, scope: &mut Scope, fuel: u32) -> Term {
        scope.push(Some(arg));
        let body = self.flow(Term::var(0, arg), scope, fuel);
        scope.pop();
        Term::lam(None, arg, body)
    }

    fn step(&mut self, t: &Term, scope: &mut Scope, fuel: u32) -> Option<Term> {
        let made = match t.ty().kind() {
            TyKind::Array(n, e) => self.array_step(t, n, e, scope, fuel),
            TyKind::Pair(a, b) => self.pair_step(t, a, b, scope, fuel),
            TyKind::Scalar(_) | TyKind::Vec(..) => self.number_step(t, scope, fuel),
            _ => None,
        }?;
        let (p, _) = made.as_prim_app()?;
        (!self.options.exclude.contains(&p.op())).then_some(made)
    }

    fn number_step(&mut self, t: &Term, scope: &mut Scope, fuel: u32) -> Option<Term> {
        let ty = t.ty();
        let elem = ty.as_vec().map_or(ty, |(_, e)| e).as_scalar()?;
        if elem == Scalar::Bool {
            let to: Ty = (*self.rng.pick(&self.options.scalars)).into();
            return match ty.as_scalar() {
                Some(_) => call_as(Op::Cast, [], std::slice::from_ref(t), to),
                None => None,
            };
        }
        let mut other = self.term(ty, scope, fuel.min(1));
        if self.options.wide && ty.as_scalar().is_some() && self.rng.one_in(8) {
            other = self.size_number(elem);
        }
        if other == *t && !self.rng.one_in(4) {
            other = self.constant(ty, scope);
        }
        let t = t.clone();
        if elem.is_int() && self.rng.one_in(6) {
            let ops = [Op::BitAnd, Op::BitOr, Op::BitXor, Op::Shl, Op::Shr];
            let op = *self.rng.pick(&ops);
            return call(op, [], &[t, other]);
        }
        match self.rng.below(12) {
            0 => call(Op::Neg, [], &[t]),
            1 => call(Op::Abs, [], &[t]),
            2 => {
                let third = self.term(ty, scope, 0);
                call(Op::Fma, [], &[t, other, third])
            }
            3 => call(*self.rng.pick(&[Op::Div, Op::Mod]), [], &[t, other]),
            4 if ty.as_scalar().is_some() => {
                let test = call(self.comparison(), [], &[t, other])?;
                let more = self.term(Scalar::Bool.into(), scope, 1);
                let test = match self.rng.below(6) {
                    0 => call(Op::And, [], &[test, more])?,
                    1 => call(Op::Or, [], &[more, test])?,
                    2 => call(Op::Not, [], &[test])?,
                    _ => test,
                };
                let both = [test, self.term(ty, scope, 0), self.term(ty, scope, 0)];
                call(Op::Select, [], &both)
            }
            5 if ty.as_scalar().is_some() => {
                let to: Ty = (*self.rng.pick(&self.options.scalars)).into();
                call_as(Op::Cast, [], &[t], to)
            }
            6 => call(Op::Pair, [], &[t, other]),
            7 if ty.as_scalar().is_some() && !self.options.lanes.is_empty() => {
                let k = *self.rng.pick(&self.options.lanes);
                call_as(Op::VectorFromScalar, [], &[t], Ty::vec(k.into(), ty))
            }
            _ => {
                let op = *self
                    .rng
                    .pick(&[Op::Add, Op::Sub, Op::Mul, Op::Min, Op::Max]);
                if self.rng.one_in(2) {
                    call(op, [], &[t, other])
                } else {
                    call(op, [], &[other, t])
                }
            }
        }
    }

    fn pair_step(&mut self, t: &Term, a: Ty, b: Ty, scope: &mut Scope, fuel: u32) -> Option<Term> {
        let (left, right) = (
            call(Op::Fst, [], [t.clone()])?,
            call(Op::Snd, [], [t.clone()])?,
        );
        match self.rng.below(8) {
            0 => Some(left),
            1 => Some(right),
            2 => call(Op::Pair, [], &[right, left]),
            3 => {
                let f = self.flow_fun(a, scope, fuel.clamp(1, 2));
                call(Op::MapFst, [], &[f, t.clone()])
            }
            4 => {
                let f = self.flow_fun(b, scope, fuel.clamp(1, 2));
                call(Op::MapSnd, [], &[f, t.clone()])
            }
            5 => call(Op::Zip, [], &[left, right]),
            _ => {
                let op = *self.rng.pick(&[Op::Add, Op::Sub, Op::Mul]);
                call(op, [], &[left, right])
            }
        }
    }

    fn array_step(
        &mut self,
        t: &Term,
        n: Nat,
        e: Ty,
        scope: &mut Scope,
        fuel: u32,
    ) -> Option<Term> {
        let size = self.value(n);
        if self.options.wide && self.rng.one_in(4) {
            return self.wide_step(t, n, e, scope, fuel);
        }
        let one = |op, sizes: &[Nat]| call(op, sizes, std::slice::from_ref(t));
        match self.rng.below(31) {
            0..=6 => {
                let mut op = self.one_of(Op::Map, &[Op::MapSeq, Op::MapPar, Op::MapSeqUnroll]);
                if op == Op::MapSeqUnroll && n.as_int().is_none() {
                    op = Op::MapSeq;
                }
                let f = self.flow_fun(e, scope, fuel.clamp(1, 3));
                call(op, [], &[f, t.clone()])
            }
            7 | 8 => {
                let other = self.array_of_size(n, t, scope, fuel)?;
                if self.rng.one_in(2) {
                    call(Op::Zip, [], &[t.clone(), other])
                } else {
                    call(Op::Zip, [], &[other, t.clone()])
                }
            }
            9 | 10 => {
                let k = self.rng.between(1, WIDE);
                (size % k == 0).then_some(())?;
                one(Op::Split, &[k.into()])
            }
            11 => one(Op::Join, &[]),
            12 | 13 => one(Op::Transpose, &[]),
            14 | 15 => {
                let (k, step) = (self.rng.between(1, 3), self.rng.between(1, 2));
                (size >= k && (size - k) % step == 0).then_some(())?;
                one(Op::Slide, &[k.into(), step.into()])
            }
            16 => {
                let k = self.rng.between(1, size - 1);
                (k < size).then_some(())?;
                match self.rng.below(2) {
                    0 => one(Op::Take, &[n - k.into()]),
                    _ => one(Op::Take, &[k.into()]),
                }
            }
            17 => {
                let k = self.rng.between(1, 2);
                (k < size).then_some(())?;
                one(Op::Drop, &[k.into()])
            }
            18 | 19 => {
                let sizes = [self.rng.between(0, 2).into(), self.rng.between(0, 2).into()];
                match self.rng.below(2) {
                    0 => one(Op::PadClamp, &sizes),
                    _ => {
                        let x = self.term(e, scope, 0);
                        call(Op::PadCst, sizes, &[x, t.clone()])
                    }
                }
            }
            20 => one(Op::Reverse, &[]),
            21 => {
                let more = self.rng.between(1, 3).into();
                let other = self.term(Ty::array(more, e), scope, fuel.min(1));
                match self.rng.below(2) {
                    0 => call(Op::Concat, [], &[t.clone(), other]),
                    _ => call(Op::Concat, [], &[other, t.clone()]),
                }
            }
            22 | 23 => self.fold_step(t, n, e, scope, fuel),
            24 if self.options.strategies => {
                let to = self.data_type(1);
                self.scan_step(t, e, to, scope, fuel)
            }
            25 => match self.rng.below(4) {
                0 if self.options.strategies => one(Op::ToMem, &[]),
                1 => one(Op::Unzip, &[]),
                2 => one(Op::At, &[self.rng.between(0, size - 1).into()]),
                _ => {
                    let f = self.flow_fun(t.ty(), scope, fuel.clamp(1, 3));
                    call(Op::Let, [], &[t.clone(), f])
                }
            },
            26 if !self.options.lanes.is_empty() => {
                let k = *self.rng.pick(&self.options.lanes);
                (size % k == 0).then_some(())?;
                one(Op::AsVector, &[k.into()])
            }
            27 => one(Op::AsScalar, &[]),
            28 if self.options.strategies => {
                let k = self.rng.between(1, 3);
                (size >= k).then_some(())?;
                let f = self.flow_fun(e, scope, fuel.clamp(1, 2));
                match self.rng.below(2) {
                    0 => {
                        let kept = Nat::int(k + self.rng.between(0, 2));
                        call(Op::CircularBuffer, [kept, k.into()], &[f, t.clone()])
                    }
                    _ => call(Op::RotateValues, [k.into()], &[f, t.clone()]),
                }
            }
            29 => self.reversed_by_reorder(n, t.clone()),
            _ => {
                let m = self.dimension();
                let is = self.term(Ty::array(m, Ty::idx(n)), scope, 1);
                call(Op::Gather, [], &[is, t.clone()])
            }
        }
    }

    fn array_of_size(&mut self, n: Nat, t: &Term, scope: &mut Scope, fuel: u32) -> Option<Term> {
        let mut found = vec![t.clone(), call(Op::Reverse, [], [t.clone()])?];
        for (i, ty) in scope.iter().rev().enumerate() {
            if let Some(ty) = ty {
                if ty.as_array().is_some_and(|(m, _)| m == n) {
                    found.push(Term::var(i as u32, *ty));
                }
            }
        }
        if self.rng.one_in(4) {
            let ty = Ty::array(n, self.data_type(1));
            found.push(self.term(ty, scope, fuel.min(1)));
        }
        Some(self.rng.pick(&found).clone())
    }

    fn comparison(&mut self) -> Op {
        let all = [Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne];
        *self.rng.pick(&all)
    }

    fn scan_step(&mut self, t: &Term, e: Ty, to: Ty, scope: &mut Scope, fuel: u32) -> Option<Term> {
        let f = self.term(Ty::funs([e, to], to), scope, fuel.clamp(1, 2));
        let start = self.term(to, scope, 0);
        call(Op::ScanSeq, [], &[f, start, t.clone()])
    }

    fn fold_step(&mut self, t: &Term, n: Nat, e: Ty, scope: &mut Scope, fuel: u32) -> Option<Term> {
        let op = self.one_of(Op::Reduce, &[Op::ReduceSeq, Op::ReduceSeqUnroll]);
        if op == Op::ReduceSeqUnroll {
            n.as_int().filter(|n| *n <= 8)?;
        }
        let to = match op {
            Op::Reduce => e,
            _ if self.rng.one_in(2) => e,
            _ => self.data_type(1),
        };
        // The accumulator flows, too: it is the outer variable of the two.
        scope.push(Some(to));
        scope.push(Some(e));
        let acc = Term::var(1, to);
        let body = match call(Op::Add, [], &[acc.clone(), Term::var(0, e)]) {
            Some(sum) => sum,
            None => self.by_both(to, e, scope, fuel.clamp(1, 3)),
        };
        scope.pop();
        scope.pop();
        let f = Term::lam(None, to, Term::lam(None, e, body));
        let start = self.term(to, scope, 0);
        call(op, [], &[f, start, t.clone()])
    }

    fn by_both(&mut self, to: Ty, e: Ty, scope: &mut Scope, fuel: u32) -> Term {
        let (acc, x) = (Term::var(1, to), Term::var(0, e));
        if let (Some((n, s)), Some((k, t))) = (to.as_array(), e.as_array()) {
            let p = Ty::pair(s, t);
            let z = Term::var(0, p);
            let parts = (call(Op::Fst, [], [z.clone()]), call(Op::Snd, [], &[z]));
            if let (true, (Some(a), Some(b))) = (n == k, parts) {
                scope.push(Some(p));
                let body = match call(Op::Add, [], &[a, b]) {
                    Some(sum) => sum,
                    None => self.term(s, scope, fuel),
                };
                scope.pop();
                let f = Term::lam(None, p, body);
                let op = self.one_of(Op::Map, &[Op::MapSeq]);
                let zipped = call(Op::Zip, [], &[acc, x]);
                if let Some(t) = zipped.and_then(|z| call(op, [], &[f, z])) {
                    return t;
                }
            }
        }
        self.term(to, scope, fuel)
    }

    fn plain(&mut self, t: Term) -> Term {
        match t.ty().kind() {
            TyKind::Pair(a, b) => {
                let parts = [Op::Fst, Op::Snd].map(|op| call(op, [], [t.clone()]));
                let [Some(x), Some(y)] = parts else { return t };
                if a == b && a.as_scalar().is_some_and(|s| s != Scalar::Bool) {
                    if let Some(sum) = call(Op::Sub, [], &[x.clone(), y.clone()]) {
                        return sum;
                    }
                }
                let part = if self.rng.one_in(2) { x } else { y };
                self.plain(part)
            }
            TyKind::Vec(..) => {
                let one = call(Op::Fill, [1.into()], [t.clone()]);
                one.and_then(|v| call(Op::AsScalar, [], &[v])).unwrap_or(t)
            }
            TyKind::Array(_, e) => match e.kind() {
                TyKind::Vec(..) => call(Op::AsScalar, [], [t.clone()]).unwrap_or(t),
                TyKind::Pair(..) | TyKind::Array(..) => {
                    let body = self.plain(Term::var(0, e));
                    if body.ty() == e {
                        return t;
                    }
                    let f = Term::lam(None, e, body);
                    call(Op::Map, [], &[f, t.clone()]).unwrap_or(t)
                }
                _ => t,
            },
            _ => t,
        }
    }
}
