//! Terms to values.
//!
//! Scalars and vectors are computed at once, in the current block; arrays stay
//! applications of primitives until an element is read or they are written.

use super::ops::of_order;
use super::state::{Lower, Res, Stop};
use super::value::{Closure, Elements, Env, Mem, Node, Val, View};
use crate::arith::Nat;
use crate::nest::{Block, Expr, ExprKind, Shape};
use crate::term::{Kind, Lit, Op, Prim, Term};
use crate::ty::{Scalar, Ty, TyKind};
use std::cell::RefCell;
use std::rc::Rc;

impl Lower {
    pub fn eval(&mut self, t: &Term, env: &Env) -> Res<Val> {
        match t.kind() {
            Kind::Var(i) => match env.get(*i) {
                Some(v) => Ok(v.clone()),
                None => Err(self.refuse(format!("variable {i} is free"))),
            },
            Kind::Lam(..) => {
                let level = self.level_of_free(t, env);
                Ok(Val::Closure(Rc::new(Closure {
                    lam: t.clone(),
                    env: env.clone(),
                    level,
                })))
            }
            Kind::App(f, x) => self.deeper(|cx| {
                let flat = cx.in_lanes == 0 && !ty_has_array(t.ty());
                if let Some((c, a, b)) = by_sizes(t).filter(|_| flat) {
                    return cx.chosen_by_sizes(c, a, b, env);
                }
                let f = cx.eval(f, env)?;
                let x = cx.eval(x, env)?;
                cx.apply_at(&f, x, Some(t))
            }),
            Kind::Prim(p) => self.applied(*p, t.ty(), Vec::new(), Some(t)),
            Kind::Lit(l) => self.literal(*l, t.ty()),
            Kind::Hole(_) => Err(self.refuse("a pattern variable stands in the program".into())),
        }
    }

    fn literal(&mut self, l: Lit, ty: Ty) -> Res<Val> {
        match (l, ty.kind()) {
            (Lit::Int(i), TyKind::Idx(_)) => match i64::try_from(i) {
                Ok(i) => Ok(Val::index(i.into())),
                Err(_) => Err(self.refuse(format!("the index {i} leaves 64 bits"))),
            },
            (Lit::Size(n), TyKind::Idx(_)) => Ok(Val::index(n)),
            (Lit::Size(n), TyKind::Scalar(Scalar::I64)) => Ok(Val::index(n)),
            (Lit::Size(n), TyKind::Scalar(s)) => Ok(Val::Scalar(Expr::new(
                ExprKind::Cast(Expr::index(n)),
                Shape::scalar(s),
            ))),
            (l, TyKind::Scalar(s)) => Ok(Val::Scalar(Expr::lit(l, s))),
            _ => Err(self.refuse(format!("a literal of type `{ty}`"))),
        }
    }

    /// A value without arrays that the same side of a choice computes in every call: the other side is not computed.
    fn chosen_by_sizes(&mut self, c: &Term, a: &Term, b: &Term, env: &Env) -> Res<Val> {
        match self.sides([c, a, b], env, &mut |cx, t| cx.eval(t, env))? {
            Sides::One(x) => Ok(x),
            Sides::Both(c, then, els) => self.select_sides(c, a.ty(), then, els),
        }
    }

    /// What is made of the sides of a choice by sizes, each in a block of its own; of the only one, where the sizes are known.
    pub fn sides<T>(
        &mut self,
        [c, a, b]: [&Term; 3],
        env: &Env,
        of: &mut dyn FnMut(&mut Lower, &Term) -> Res<T>,
    ) -> Res<Sides<T>> {
        let c = self.eval(c, env)?;
        let cond = self.scalar(&c)?;
        if let Some(holds) = cond.as_bool() {
            return Ok(Sides::One(of(self, if holds { a } else { b })?));
        }
        let level = self.level_of_expr(&cond);
        let then = self.side(level, |cx| of(cx, a))?;
        let els = self.side(level, |cx| of(cx, b))?;
        Ok(Sides::Both(cond, then, els))
    }

    /// The innermost level among the free variables of a lambda.
    fn level_of_free(&mut self, t: &Term, env: &Env) -> usize {
        let mut level = 0;
        for i in 0..t.open() {
            if t.mentions(i) {
                if let Some(v) = env.get(i) {
                    level = level.max(self.level_of(v));
                }
            }
        }
        level
    }

    pub fn apply(&mut self, f: &Val, x: Val) -> Res<Val> {
        self.apply_at(f, x, None)
    }

    /// `f x`, which stands as `term` in the program.
    fn apply_at(&mut self, f: &Val, x: Val, term: Option<&Term>) -> Res<Val> {
        match f {
            Val::Closure(c) => self.deeper(|cx| {
                let (body, env) = cx.entered(c, x)?;
                cx.eval(body, &env)
            }),
            Val::Node(n) => {
                if !n.ty.is_fun() {
                    return Err(self.refuse("what is no function was applied".into()));
                }
                let mut args = n.args.clone();
                args.push(x);
                let term = term.or(n.term.as_ref()).cloned();
                self.applied(n.prim, n.prim_ty, args, term.as_ref())
            }
            _ => Err(self.refuse("what is no function was applied".into())),
        }
    }

    /// The body of a lambda, and what its variables are where its argument is this.
    pub fn entered<'a>(&mut self, c: &'a Closure, x: Val) -> Res<(&'a Term, Env)> {
        let Kind::Lam(_, body) = c.lam.kind() else {
            return Err(self.refuse("what is no lambda was applied".into()));
        };
        let x = match self.in_lanes == 0 && self.uses_of_argument(&c.lam, body) > 1 {
            true => self.bind_value(x),
            false => x,
        };
        Ok((body, c.env.push(x)))
    }

    pub fn apply2(&mut self, f: &Val, x: Val, y: Val) -> Res<Val> {
        let f = self.apply(f, x)?;
        self.apply(&f, y)
    }

    /// Scalars that are used more than once get a name.
    fn bind_value(&mut self, v: Val) -> Val {
        match v {
            Val::Scalar(e) => Val::Scalar(self.bind(e)),
            Val::Vec(v) => {
                let pieces = v.pieces.iter().map(|e| self.bind(e.clone())).collect();
                self.vec_of(v.elem, v.lanes, pieces)
            }
            Val::Pair(p) => Val::pair(self.bind_value(p.0.clone()), self.bind_value(p.1.clone())),
            v => v,
        }
    }

    /// How often the argument of a lambda is used; under another lambda counts twice.
    fn uses_of_argument(&mut self, lam: &Term, body: &Term) -> usize {
        if let Some((_, n)) = self.uses.get(&lam.address()) {
            return *n;
        }
        let mut n = 0;
        body.visit(&mut |t, depth| {
            if matches!(t.kind(), Kind::Var(i) if *i == depth) {
                n += if depth > 0 { 2 } else { 1 };
            }
        });
        self.uses.insert(lam.address(), (lam.clone(), n));
        n
    }

    /// A primitive with some of its arguments.
    fn applied(&mut self, p: Prim, prim_ty: Ty, args: Vec<Val>, term: Option<&Term>) -> Res<Val> {
        if !after(prim_ty, args.len()).is_fun() {
            return self.finish(p, prim_ty, args, term);
        }
        Ok(self.node(p, prim_ty, args, term))
    }

    /// A primitive of type `prim_ty` applied to `args`, not looked into.
    pub fn node(&mut self, prim: Prim, prim_ty: Ty, args: Vec<Val>, term: Option<&Term>) -> Val {
        let ty = after(prim_ty, args.len());
        let level = args.iter().map(|v| self.level_of(v)).max().unwrap_or(0);
        Val::Node(Rc::new(Node {
            prim,
            prim_ty,
            ty,
            args,
            level,
            term: term.cloned(),
            cache: RefCell::new(None),
        }))
    }

    /// An array by its elements; `parts` are what these mention, as are `indices`.
    pub fn view(&self, n: Nat, parts: &[&Val], indices: &[Nat], elements: Elements) -> Val {
        let of_parts = parts.iter().map(|v| self.level_of(v));
        // How many there are may be read in a loop, too.
        let of_indices = indices.iter().chain([&n]).map(|n| self.level_of_nat(*n));
        Val::View(Rc::new(View {
            level: of_parts.chain(of_indices).max().unwrap_or(0),
            n,
            elements,
        }))
    }

    /// A primitive with all of its arguments.
    pub fn finish(
        &mut self,
        p: Prim,
        prim_ty: Ty,
        args: Vec<Val>,
        term: Option<&Term>,
    ) -> Res<Val> {
        use Op::*;
        let ty = after(prim_ty, args.len());
        let op = p.op();
        let sizes = p.sizes();
        match (op, &args[..]) {
            (Pair, [a, b]) => Ok(Val::pair(a.clone(), b.clone())),
            (Fst | Snd, [x]) => self.component(x, op == Snd, prim_ty, p, term),
            (MapFst, [f, x]) => {
                let (a, b) = self.both(x)?;
                Ok(Val::pair(self.apply(f, a)?, b))
            }
            (MapSnd, [f, x]) => {
                let (a, b) = self.both(x)?;
                Ok(Val::pair(a, self.apply(f, b)?))
            }
            (Unzip, [x]) => self.unzip(x, ty),
            (Let, [x, f]) => {
                let x = self.bind_value(x.clone());
                self.apply(f, x)
            }
            (Idx, [i, xs]) => {
                let i = self.index_of(i)?;
                match argument(prim_ty, 1).as_array() {
                    Some((bound, _)) => self.at_index(xs, i, bound, ty),
                    None => Err(self.not_a("array", xs)),
                }
            }
            (At, [xs]) => self.at(xs, sizes[0]),
            (ToMem, [x]) if !ty_has_array(ty) => Ok(self.bind_value(x.clone())),
            (ToMem, [x]) if ty.as_array().is_none() => self.kept_pair(p, ty, x, term),
            (Select, [c, a, b]) => {
                let mut c = self.scalar(c)?;
                if let (Val::Scalar(x), Val::Scalar(y)) = (a, b) {
                    if let Some(e) = of_order(&c, x, y) {
                        return Ok(Val::Scalar(e));
                    }
                }
                if !of_sizes(&c) {
                    c = self.bind(c);
                }
                let sides = ty.as_array().is_some() || of_sizes(&c) && ty_has_array(ty);
                match (c.as_bool(), sides) {
                    // Where it is written, one of the two is computed.
                    (None, true) => {
                        let args = vec![Val::Scalar(c), a.clone(), b.clone()];
                        Ok(self.node(p, prim_ty, args, term))
                    }
                    _ => self.choose(c, a.clone(), b.clone(), ty),
                }
            }
            (Reduce | ReduceSeq | ReduceSeqUnroll, _) if ty.as_array().is_none() => {
                self.no_probe()?;
                let level = args.iter().map(|v| self.level_of(v)).max().unwrap_or(0);
                self.at_level(level, |cx| match ty_has_array(ty) {
                    false => cx.reduce_flat(op, prim_ty, &args),
                    true => {
                        let node = cx.node(p, prim_ty, args.clone(), term);
                        let mem = cx.materialise(&node)?;
                        cx.load(&mem)
                    }
                })
            }
            (Iterate, [f, x]) if !ty_has_array(ty) => {
                self.no_probe()?;
                let level = self.level_of(f).max(self.level_of(x));
                self.at_level(level, |cx| cx.iterate_flat(sizes[0], f, x))
            }
            (Iterate, _) if ty.as_array().is_none() => {
                let node = self.node(p, prim_ty, args.clone(), term);
                let mem = self.materialise(&node)?;
                self.load(&mem)
            }
            (VectorFromScalar, [x]) => self.splat(x, ty),
            _ if ty.as_array().is_some() => Ok(self.node(p, prim_ty, args, term)),
            _ => self.operation(op, &args, ty),
        }
    }

    /// A pair with arrays is kept component by component.
    fn kept_pair(&mut self, p: Prim, ty: Ty, x: &Val, term: Option<&Term>) -> Res<Val> {
        let Some((a, b)) = ty.as_pair() else {
            return Err(self.not_a("pair", x));
        };
        if let Some(of) = super::value::parts_of_one(x) {
            let kept = vec![Val::Node(of.clone())];
            let kept = self.node(p, Ty::fun(of.ty, of.ty), kept, term);
            return self.unzip(&kept, ty);
        }
        let (first, second) = self.both(x)?;
        let first = self.finish(p, Ty::fun(a, a), vec![first], None)?;
        let second = self.finish(p, Ty::fun(b, b), vec![second], None)?;
        Ok(Val::pair(first, second))
    }

    /// Refuses where a function is only tried as a view change.
    pub fn no_probe(&self) -> Res<()> {
        match self.probing {
            true => Err(Stop::NotAView),
            false => Ok(()),
        }
    }

    fn component(
        &mut self,
        x: &Val,
        second: bool,
        prim_ty: Ty,
        p: Prim,
        term: Option<&Term>,
    ) -> Res<Val> {
        match x {
            Val::Pair(q) => Ok(if second { q.1.clone() } else { q.0.clone() }),
            Val::Hole => Ok(self.node(p, prim_ty, vec![x.clone()], term)),
            Val::Node(n) if matches!(n.prim.op(), Op::Fst | Op::Snd) => {
                Ok(self.node(p, prim_ty, vec![x.clone()], term))
            }
            _ => Err(self.not_a("pair", x)),
        }
    }

    /// The components of a pair.
    pub fn both(&mut self, x: &Val) -> Res<(Val, Val)> {
        match x {
            Val::Pair(q) => Ok((q.0.clone(), q.1.clone())),
            _ => Err(self.not_a("pair", x)),
        }
    }

    pub fn not_a(&self, what: &str, v: &Val) -> Stop {
        if self.probing {
            return Stop::NotAView;
        }
        let is = match v {
            Val::Scalar(_) => "a scalar",
            Val::Vec(_) => "a vector",
            Val::Pair(_) => "a pair",
            Val::Mem(_) | Val::View(_) => "an array",
            Val::Node(_) => "an application",
            Val::Closure(_) => "a function",
            Val::Hole => "unknown",
        };
        self.refuse(format!("{what} was expected where {is} stands"))
    }

    fn unzip(&mut self, x: &Val, ty: Ty) -> Res<Val> {
        self.no_probe()?;
        if let Val::Node(n) = x {
            if n.prim.op() == Op::Zip {
                return Ok(Val::pair(n.args[0].clone(), n.args[1].clone()));
            }
        }
        let Some((n, _)) = ty.as_pair().and_then(|(a, _)| a.as_array()) else {
            return Err(self.refuse("`unzip` gives no arrays".into()));
        };
        let part = |second| Elements::Part {
            of: x.clone(),
            second,
        };
        let first = self.view(n, &[x], &[], part(false));
        let second = self.view(n, &[x], &[], part(true));
        Ok(Val::pair(first, second))
    }

    /// The scalar that a value is.
    pub fn scalar(&self, v: &Val) -> Res<Expr> {
        match v {
            Val::Scalar(e) => Ok(e.clone()),
            _ => Err(self.not_a("scalar", v)),
        }
    }

    /// A value of an index type as an integer expression; what is computed from
    /// data gets a name.
    pub fn index_of(&mut self, v: &Val) -> Res<Nat> {
        let e = self.scalar(v)?;
        if let Some(n) = e.as_index() {
            return Ok(n);
        }
        let var = self.fresh("j");
        self.levels.insert(var, self.level());
        self.push(crate::nest::Stmt::Let {
            var,
            value: Some(e),
            shape: Shape::index(),
            mutable: false,
        });
        Ok(Nat::var(var))
    }

    /// The value in memory of a type that is no array.
    pub fn load(&mut self, m: &Mem) -> Res<Val> {
        let number = |elem| {
            let leaf = m.leaves[0];
            let load = ExprKind::Load(leaf.buf, self.simplify(leaf.at));
            Ok(Val::Scalar(Expr::new(load, Shape::scalar(elem))))
        };
        match m.ty.kind() {
            TyKind::Scalar(s) => number(s),
            TyKind::Idx(_) => number(Scalar::I64),
            TyKind::Pair(..) => {
                let (a, b) = m.components();
                Ok(Val::pair(self.load(&a)?, self.load(&b)?))
            }
            TyKind::Vec(k, t) => self.load_vector(m.leaves[0], k, t),
            TyKind::Array(..) => Ok(Val::Mem(m.clone())),
            TyKind::Fun(..) | TyKind::Meta(_) => {
                Err(self.refuse(format!("a value of type `{}` in memory", m.ty)))
            }
        }
    }
}

/// Whether only sizes and indices stand in it.
pub(super) fn of_sizes(e: &Expr) -> bool {
    let mut fine = true;
    e.visit(&mut |e| fine &= matches!(e.kind(), ExprKind::Index(_) | ExprKind::Op(..)));
    fine
}

/// What is made of the sides of a choice by sizes.
pub(super) enum Sides<T> {
    One(T),
    /// The condition, and each with its block.
    Both(Expr, (Block, T), (Block, T)),
}

/// Condition and sides of a choice that sizes alone decide.
pub(super) fn by_sizes(t: &Term) -> Option<(&Term, &Term, &Term)> {
    let (prim, args) = t.as_prim_app()?;
    let [c, a, b] = args[..] else {
        return None;
    };
    let mut closed = prim.op() == Op::Select;
    if closed {
        c.visit(&mut |t, _| closed &= !matches!(t.kind(), Kind::Var(_) | Kind::Lam(..)));
    }
    closed.then_some((c, a, b))
}

/// The type of argument `n`.
pub(super) fn argument(ty: Ty, n: usize) -> Ty {
    let ty = after(ty, n);
    ty.as_fun().map_or(ty, |f| f.0)
}

/// The type that is left after `n` arguments.
fn after(ty: Ty, n: usize) -> Ty {
    (0..n).fold(ty, |t, _| t.as_fun().map_or(t, |f| f.1))
}

/// Whether an array stands in it.
pub(super) fn ty_has_array(ty: Ty) -> bool {
    match ty.kind() {
        TyKind::Array(..) => true,
        TyKind::Pair(a, b) => ty_has_array(a) || ty_has_array(b),
        _ => false,
    }
}
