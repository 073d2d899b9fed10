//! Random well-typed terms.
//!
//! Comes in: a seed, a type, the variables in scope; goes out: a term of that
//! type. A term of a given type is made from the type inward (`by_type`): a
//! primitive whose result fits is chosen, then its arguments. Invariants: what comes out is well typed and has
//! a value at [`Generator::sizes`]; dimensions and nesting stay small, so that it
//! has one soon. Absent: whole programs, which only tests need (`tests/common/flow.rs`); shrinking.

mod by_type;

pub use by_type::index_map;

use super::random::Rng;
use super::Sizes;
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::term::{call, call_as, Lit, Op, Term};
use crate::ty::{Scalar, Ty, TyKind};

/// What may stand in a term.
#[derive(Clone, Debug)]
pub struct Options {
    /// Element types; there must be one.
    pub scalars: Vec<Scalar>,
    /// Primitives that must not occur.
    pub exclude: Vec<Op>,
    /// Vector widths; none for terms without vectors.
    pub lanes: Vec<i64>,
    /// Whether `mapSeq`, `reduceSeq`, `toMem` and their like occur.
    pub strategies: bool,
    /// Whether sizes of programs are parameters, in part.
    pub symbolic: bool,
    /// Whether computed and constant indices, choices between arrays, sizes as numbers and their like occur.
    pub wide: bool,
    /// How deep primitives nest, about.
    pub fuel: u32,
    /// Elements of any array type.
    pub elements: i64,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            scalars: vec![Scalar::F32, Scalar::I32],
            exclude: Op::functions().filter(|op| *op != Op::Sqrt).collect(),
            lanes: vec![2, 4],
            strategies: true,
            symbolic: true,
            wide: false,
            fuel: 6,
            elements: 240,
        }
    }
}

/// Makes random terms.
pub struct Generator<'a> {
    /// Where chance comes from.
    pub rng: &'a mut Rng,
    /// What may stand in a term.
    pub options: Options,
    /// Values of the size parameters that may stand in sizes.
    pub sizes: Sizes,
}

/// Types of the variables in scope, outermost first; `None` must not be used.
pub type Scope = Vec<Option<Ty>>;

/// The largest constant dimension that is drawn.
pub const WIDE: i64 = 6;

impl<'a> Generator<'a> {
    /// A generator without size parameters.
    pub fn new(rng: &'a mut Rng, options: Options) -> Generator<'a> {
        Generator {
            rng,
            options,
            sizes: Sizes::new(),
        }
    }

    /// A random data type.
    pub fn data_type(&mut self, depth: u32) -> Ty {
        let scalar: Ty = (*self.rng.pick(&self.options.scalars)).into();
        let ty = match self.rng.below(6) {
            _ if depth == 0 => scalar,
            0 | 1 => Ty::array(self.dimension(), self.data_type(depth - 1)),
            2 => Ty::pair(self.data_type(depth - 1), self.data_type(depth - 1)),
            3 if !self.options.lanes.is_empty() => {
                let k = *self.rng.pick(&self.options.lanes);
                Ty::vec(k.into(), scalar)
            }
            _ => scalar,
        };
        if self.count(ty) <= self.options.elements {
            ty
        } else {
            scalar
        }
    }

    /// A small size, or one that has a name.
    pub fn dimension(&mut self) -> Nat {
        let names: Vec<Symbol> = self.sizes.keys().copied().collect();
        if !names.is_empty() && self.rng.one_in(2) {
            return Nat::var(*self.rng.pick(&names));
        }
        Nat::int(self.rng.between(1, WIDE))
    }

    /// The value of a size.
    pub fn value(&self, n: Nat) -> i64 {
        n.eval(&mut |s| self.sizes.get(&s).copied()).unwrap_or(0)
    }

    /// Elements of a value of a type.
    pub fn count(&self, ty: Ty) -> i64 {
        match ty.kind() {
            TyKind::Array(n, t) | TyKind::Vec(n, t) => {
                self.value(n).max(1).saturating_mul(self.count(t))
            }
            TyKind::Pair(a, b) => self.count(a).saturating_add(self.count(b)),
            _ => 1,
        }
    }

    /// A term of type `ty` with variables of `scope`.
    pub fn term(&mut self, ty: Ty, scope: &mut Scope, fuel: u32) -> Term {
        if let Some((arg, result)) = ty.as_fun() {
            return self.function(ty, arg, result, scope, fuel);
        }
        if fuel > 0 {
            for _ in 0..4 {
                if let Some(t) = self.composed(ty, scope, fuel - 1) {
                    let allowed = |op| !self.options.exclude.contains(&op);
                    if t.as_prim_app().is_none_or(|(p, _)| allowed(p.op())) {
                        return t;
                    }
                }
            }
        }
        self.leaf(ty, scope)
    }

    fn function(&mut self, ty: Ty, arg: Ty, result: Ty, scope: &mut Scope, fuel: u32) -> Term {
        if self.rng.one_in(4) {
            let op = *self.rng.pick(&[
                Op::Add,
                Op::Mul,
                Op::Max,
                Op::Neg,
                Op::Fst,
                Op::Snd,
                Op::Reverse,
                Op::Transpose,
                Op::Join,
            ]);
            if let Some(t) = call_as(op, [], &[], ty) {
                return t;
            }
        }
        scope.push(Some(arg));
        let body = self.term(result, scope, fuel);
        scope.pop();
        Term::lam(None, arg, body)
    }

    /// A variable, a part of one, or a constant.
    fn leaf(&mut self, ty: Ty, scope: &Scope) -> Term {
        let mut found = Vec::new();
        for (i, t) in scope.iter().rev().enumerate() {
            if let Some(t) = t {
                self.parts(Term::var(i as u32, *t), ty, 3, &mut found);
            }
        }
        if !found.is_empty() && !self.rng.one_in(8) {
            return self.rng.pick(&found).clone();
        }
        self.constant(ty, scope)
    }

    /// All parts of type `ty` that projections reach.
    fn parts(&mut self, t: Term, ty: Ty, depth: u32, out: &mut Vec<Term>) {
        if t.ty() == ty {
            out.push(t);
            return;
        }
        if depth == 0 || t.ty() == Ty::from(Scalar::Bool) {
            return;
        }
        let part = |op, sizes: &[Nat]| call(op, sizes, std::slice::from_ref(&t));
        match t.ty().kind() {
            TyKind::Idx(_) if ty.as_scalar().is_some_and(|s| s != Scalar::Bool) => {
                out.extend(call_as(Op::Cast, [], &[t], ty));
            }
            TyKind::Pair(..) => {
                let both = [part(Op::Fst, &[]), part(Op::Snd, &[])];
                for p in both.into_iter().flatten() {
                    self.parts(p, ty, depth - 1, out);
                }
            }
            TyKind::Array(n, _) => {
                let i = match n.as_int() {
                    Some(n) => self.rng.below(n as u64) as i64,
                    None => 0,
                };
                if let Some(p) = part(Op::At, &[i.into()]) {
                    self.parts(p, ty, depth - 1, out);
                }
            }
            _ => {}
        }
    }

    /// A term of data type `ty` that is as plain as can be.
    pub fn constant(&mut self, ty: Ty, scope: &Scope) -> Term {
        let made = match ty.kind() {
            TyKind::Scalar(s) => {
                let low = if s.is_signed() || s.is_float() { -3 } else { 0 };
                let lit = Lit::number(self.rng.between(low, 3) as f64, s);
                Some(Term::lit(lit, ty))
            }
            TyKind::Idx(n) => {
                let i = match n.as_int() {
                    Some(n) => self.rng.below(n as u64),
                    None => 0,
                };
                Some(Term::lit(Lit::Int(i.into()), ty))
            }
            TyKind::Pair(a, b) => {
                let parts = [self.leaf(a, scope), self.leaf(b, scope)];
                call(Op::Pair, [], &parts)
            }
            TyKind::Vec(_, t) => {
                let x = self.leaf(t, scope);
                call_as(Op::VectorFromScalar, [], &[x], ty)
            }
            // Elements that differ tell more than equal ones.
            TyKind::Array(n, t) if !self.rng.one_in(4) => {
                let mut scope = scope.clone();
                scope.push(Some(Ty::idx(n)));
                let f = Term::lam(None, Ty::idx(n), self.leaf(t, &scope));
                call(Op::Generate, [], &[f])
            }
            TyKind::Array(n, t) => {
                let x = self.leaf(t, scope);
                call(Op::Fill, [n], &[x])
            }
            TyKind::Fun(arg, result) => {
                let mut scope = scope.clone();
                scope.push(Some(arg));
                Some(Term::lam(None, arg, self.leaf(result, &scope)))
            }
            TyKind::Meta(_) => None,
        };
        made.unwrap_or_else(|| panic!("a data type without unknowns has constants, not {ty}"))
    }
}
