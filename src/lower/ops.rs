//! Arithmetic, comparison, selection: scalars, and vectors piece by piece.

use super::state::{Lower, Res};
use super::value::{Elements, Lazy, Val, View};
use super::vector::{build, lane, lane_wise_cast, splat};
use crate::arith::Nat;
use crate::nest::{Expr, ExprKind, Shape, Stmt};
use crate::term::{Lit, Op};
use crate::ty::{Scalar, Ty, TyKind};
use std::rc::Rc;

impl Lower {
    /// An operation on scalars or vectors.
    pub fn operation(&mut self, op: Op, args: &[Val], ty: Ty) -> Res<Val> {
        self.no_hole(args)?;
        if op == Op::Cast {
            return self.cast(&args[0], ty);
        }
        if op == Op::Bitcast {
            self.one_width(&args[0], ty)?;
        }
        if let Some(result) = self.by_way_of_f32(op, args, ty)? {
            return Ok(result);
        }
        if let Some(Val::Vec(first)) = args.iter().find(|a| matches!(a, Val::Vec(_))) {
            if ty.as_vec().is_none() {
                return Err(self.refuse(format!("`{}` of vectors gives no vector", op.name())));
            }
            // Lanes are those of the operands but for `bitcast`, which keeps their width.
            let elem = ty.as_vec().and_then(|(_, t)| self.elem_of(t));
            let elem = elem.unwrap_or(first.elem);
            if self.pieces(first.elem, first.lanes) != self.pieces(elem, first.lanes) {
                let bits = |i| {
                    Expr::new(
                        ExprKind::Op(op, vec![self.lane_of(first, i)]),
                        Shape::scalar(elem),
                    )
                };
                let lanes = (0..first.lanes).map(bits).collect();
                return Ok(self.build(elem, lanes));
            }
            let mut pieces = Vec::new();
            for (i, p) in first.pieces.iter().enumerate() {
                let mut parts = Vec::new();
                for a in args {
                    match a {
                        Val::Vec(v) if v.pieces.len() == first.pieces.len() => {
                            parts.push(v.pieces[i].clone())
                        }
                        _ => return Err(self.not_a("vector", a)),
                    }
                }
                let lanes = p.shape().lanes;
                pieces.push(match lanes {
                    n if n > 1 && !self.lane_wise(op, first.elem) => {
                        self.each_lane(op, parts, elem, n)
                    }
                    _ => self.apply_op(op, parts, Shape { elem, lanes }),
                });
            }
            return Ok(self.vec_of(elem, first.lanes, pieces));
        }
        let mut parts = Vec::new();
        for a in args {
            parts.push(self.scalar(a)?);
        }
        if let (Op::And | Op::Or, [x, y]) = (op, &mut parts[..]) {
            // Of elements that are kept, both are read: compilers make no vectors of a choice. What is accumulated may end the loop.
            let kept = self.in_lanes == 0 && self.guards.is_empty() && self.is_kept(y);
            if kept && !matches!(x.kind(), ExprKind::Var(_)) {
                *y = self.bind(y.clone());
            }
        }
        let elem = match ty.kind() {
            TyKind::Scalar(s) => s,
            TyKind::Idx(_) => Scalar::I64,
            _ => return Err(self.refuse(format!("`{}` gives a `{ty}`", op.name()))),
        };
        Ok(Val::Scalar(self.apply_op(op, parts, Shape::scalar(elem))))
    }

    /// Whether it is an element of an array of the kernel.
    fn is_kept(&self, e: &Expr) -> bool {
        matches!(e.kind(), ExprKind::Load(b, _) if !self.is_input(*b))
    }

    /// Operations on f16 and bf16 are those on f32, rounded.
    fn by_way_of_f32(&mut self, op: Op, args: &[Val], ty: Ty) -> Res<Option<Val>> {
        let half = |v: &Val| match v {
            Val::Scalar(e) => e.shape().elem.is_half(),
            Val::Vec(v) => v.elem.is_half(),
            _ => false,
        };
        if op == Op::Bitcast || !args.iter().any(half) {
            return Ok(None);
        }
        let single = Ty::from(Scalar::F32);
        let mut wide = Vec::new();
        for a in args {
            let to = match a {
                Val::Vec(v) => Ty::vec(Nat::int(v.lanes.into()), single),
                _ => single,
            };
            wide.push(self.cast(a, to)?);
        }
        let (lanes, elem) = ty.as_vec().map_or((None, ty), |(k, t)| (Some(k), t));
        if !elem.as_scalar().is_some_and(Scalar::is_half) {
            return self.operation(op, &wide, ty).map(Some);
        }
        let to = lanes.map_or(single, |k| Ty::vec(k, single));
        let result = self.operation(op, &wide, to)?;
        self.cast(&result, ty).map(Some)
    }

    /// That `bitcast` has types of one width, which a rule may have undone.
    fn one_width(&self, x: &Val, ty: Ty) -> Res<()> {
        let from = match x {
            Val::Vec(v) => v.elem,
            x => self.scalar(x)?.shape().elem,
        };
        let lane = ty.as_vec().map_or(ty, |(_, t)| t);
        match self.elem_of(lane) {
            Some(to) if to.bytes() == from.bytes() => Ok(()),
            _ => Err(self.refuse(format!("`bitcast` of a {} to `{ty}`", from.name()))),
        }
    }

    /// An operation that is only done on scalars, for each of so many lanes.
    pub fn each_lane(&mut self, op: Op, parts: Vec<Expr>, elem: Scalar, lanes: u32) -> Expr {
        // On a side of a choice for all lanes a name would stand before the choice: what is read there may not be there.
        let parts: Vec<Expr> = match self.in_lanes == 0 && self.guards.is_empty() {
            true => parts.into_iter().map(|e| self.bind(e)).collect(),
            false => parts,
        };
        let at = |i| parts.iter().map(|e| lane(e, i)).collect();
        let of = |i| Expr::new(ExprKind::Op(op, at(i)), Shape::scalar(elem));
        let all: Vec<Expr> = (0..lanes).map(of).collect();
        build(elem, &all)
    }

    fn no_hole(&self, args: &[Val]) -> Res<()> {
        let hole = |a: &Val| matches!(a, Val::Hole | Val::Node(_));
        match self.probing && args.iter().any(hole) {
            true => self.no_probe(),
            false => Ok(()),
        }
    }

    /// One operation, constants folded where that needs no rounding.
    fn apply_op(&mut self, op: Op, mut parts: Vec<Expr>, shape: Shape) -> Expr {
        if shape.elem == Scalar::Bool && shape.lanes == 1 {
            if let [a, b] = &parts[..] {
                if let (Some(a), Some(b)) = (a.as_index(), b.as_index()) {
                    let known = match op {
                        Op::Lt => self.facts.less(a, b),
                        Op::Ge => self.facts.less(a, b).map(|k| !k),
                        Op::Gt => self.facts.less(b, a),
                        Op::Le => self.facts.less(b, a).map(|k| !k),
                        Op::Eq if a == b => Some(true),
                        Op::Ne if a == b => Some(false),
                        _ => None,
                    };
                    if let Some(known) = known {
                        return Expr::bool(known);
                    }
                }
            }
        }
        if let [a, b] = &parts[..] {
            if a.same(b) {
                match op {
                    Op::Min | Op::Max => return a.clone(),
                    Op::Lt | Op::Gt => return Expr::bool(false),
                    // NaN differs from itself.
                    Op::Eq | Op::Le | Op::Ge if !a.shape().elem.is_float() => {
                        return Expr::bool(true)
                    }
                    Op::Ne if !a.shape().elem.is_float() => return Expr::bool(false),
                    Op::Le | Op::Ge => {
                        return Expr::new(ExprKind::Op(Op::Eq, parts), shape);
                    }
                    _ => {}
                }
            }
        }
        if let Some(known) = at_an_end(op, &parts) {
            return known;
        }
        if let (Op::Eq, [a, b]) = (op, &parts[..]) {
            if let Some(below) = self.is_unbounded(a, b).or_else(|| self.is_unbounded(b, a)) {
                return below;
            }
        }
        // gcc 12 takes `0.0 - (double)i` for `-(double)i`, unless the number has a name.
        let casts = |e: &Expr| e.holds(|k| matches!(k, ExprKind::Cast(_)));
        let given = |e: &Expr| e.holds(|k| matches!(k, ExprKind::Load(..) | ExprKind::Var(_)));
        if let (Op::Sub, true, [a, b]) = (op, shape.elem.is_float(), &parts[..]) {
            if self.in_lanes == 0 && !given(a) && casts(b) {
                parts[1] = self.bind(b.clone());
            }
        }
        // What is used twice in the C text of an operation is named first.
        let twice = matches!(op, Op::Min | Op::Max | Op::Abs);
        if twice && self.in_lanes == 0 {
            // gcc makes a jump of `a > b - c ? a : b - c`, and an instruction of the larger one if the difference has a name.
            let most = if shape.elem.is_float() { 2 } else { 3 };
            // What is read twice gcc reads the second time under a condition, and a vector of such elements one by one.
            let reads = |e: &Expr| matches!(e.kind(), ExprKind::Load(..));
            let named = |e: Expr| match e.size() > most || reads(&e) {
                true => self.bind(e),
                false => e,
            };
            parts = parts.into_iter().map(named).collect();
        }
        // A tree that doubles at each level would never end.
        let size: u32 = parts.iter().map(|e| e.size()).sum();
        if size > 400 && self.in_lanes == 0 {
            parts = parts.into_iter().map(|e| self.bind(e)).collect();
        }
        Expr::new(ExprKind::Op(op, parts), shape)
    }

    /// A number without a sign is what it is bounded to where it is below the bound: one question rather than two.
    fn is_unbounded(&self, number: &Expr, bounded: &Expr) -> Option<Expr> {
        let number = unwidened(number);
        let ExprKind::Clamp(of, n) = unnamed(bounded).kind() else {
            return None;
        };
        let elem = number.shape().elem;
        let small = elem.is_int() && !elem.is_signed() && elem.bytes() < 8;
        let known = small && self.facts.at_least(*n, Nat::int(1));
        (known && number.same(unwidened(of))).then(|| {
            let wide = Expr::new(ExprKind::Cast(number.clone()), Shape::index());
            let args = vec![wide, Expr::index(*n)];
            Expr::new(ExprKind::Op(Op::Lt, args), Shape::scalar(Scalar::Bool))
        })
    }

    fn cast(&mut self, x: &Val, ty: Ty) -> Res<Val> {
        if let Val::Vec(v) = x {
            let Some((_, elem)) = ty.as_vec() else {
                return Err(self.refuse("a vector is cast to no vector".into()));
            };
            let v = v.clone();
            let at_once = |to: &Scalar| {
                let alike = self.pieces(v.elem, v.lanes) == self.pieces(*to, v.lanes);
                alike && lane_wise_cast(v.elem, *to)
            };
            if let Some(to) = self.elem_of(elem).filter(at_once) {
                let pieces = v.pieces.iter().map(|p| self.converted(p, to)).collect();
                return Ok(self.vec_of(to, v.lanes, pieces));
            }
            let mut lanes = Vec::new();
            for i in 0..v.lanes {
                let lane = self.lane_of(&v, i);
                match self.cast(&Val::Scalar(lane), elem)? {
                    Val::Scalar(e) => lanes.push(e),
                    other => return Err(self.not_a("scalar", &other)),
                }
            }
            let elem = self.elem_of(elem).unwrap_or(v.elem);
            return Ok(self.build(elem, lanes));
        }
        let e = self.scalar(x)?;
        if let (ExprKind::Lit(Lit::Int(i)), TyKind::Scalar(s)) = (e.kind(), ty.kind()) {
            // Compilers compute these, too, and warn of comparisons with them.
            if let Some(i) = s.is_int().then(|| wrapped(*i, s)) {
                return Ok(Val::Scalar(Expr::lit(Lit::Int(i), s)));
            }
        }
        if let (ExprKind::Lit(l @ Lit::F32(_)), true) = (e.kind(), e.shape().elem.is_half()) {
            if ty.as_scalar() == Some(Scalar::F32) {
                return Ok(Val::Scalar(Expr::lit(*l, Scalar::F32)));
            }
        }
        match ty.kind() {
            TyKind::Idx(n) => Ok(Val::Scalar(match self.index_below(&e, n) {
                Some(i) => Expr::index(i),
                None => Expr::new(ExprKind::Clamp(e, n), Shape::index()),
            })),
            TyKind::Scalar(s) if s == e.shape().elem && e.as_index().is_none() => {
                Ok(Val::Scalar(e))
            }
            TyKind::Scalar(s) => Ok(Val::Scalar(Expr::new(ExprKind::Cast(e), Shape::scalar(s)))),
            _ => Err(self.refuse(format!("a cast to `{ty}`"))),
        }
    }

    /// A piece of a vector as one of other numbers, which have a name: a tile uses them with each of its rows.
    fn converted(&mut self, piece: &Expr, to: Scalar) -> Expr {
        let lanes = piece.shape().lanes;
        let shape = Shape { elem: to, lanes };
        match piece.kind() {
            ExprKind::Splat(x) => {
                let one = Expr::new(ExprKind::Cast(x.clone()), Shape::scalar(to));
                splat(&self.bind(one), lanes)
            }
            _ if piece.shape().elem == to => piece.clone(),
            _ => {
                let all = Expr::new(ExprKind::Cast(piece.clone()), shape);
                match self.in_lanes {
                    0 => self.bind(all),
                    _ => all,
                }
            }
        }
    }

    /// `if c then a else b` for computed values.
    pub fn choose(&mut self, c: Expr, a: Val, b: Val, ty: Ty) -> Res<Val> {
        match c.as_bool() {
            Some(true) => return Ok(a),
            Some(false) => return Ok(b),
            None => {}
        }
        match ty.kind() {
            TyKind::Array(n, t) => {
                let inner = self.level_of(&a).max(self.level_of(&b));
                Ok(Val::View(Rc::new(View {
                    level: self.level_of_expr(&c).max(inner),
                    n,
                    elements: Elements::Chosen {
                        cond: c,
                        then: a,
                        els: b,
                        elem: t,
                    },
                })))
            }
            TyKind::Pair(s, t) => {
                let ((a1, a2), (b1, b2)) = (self.both(&a)?, self.both(&b)?);
                let first = self.choose(c.clone(), a1, b1, s)?;
                Ok(Val::pair(first, self.choose(c, a2, b2, t)?))
            }
            TyKind::Vec(..) => {
                let (Val::Vec(x), Val::Vec(y)) = (&a, &b) else {
                    return Err(self.not_a("vector", &a));
                };
                let both = x.pieces.iter().zip(&y.pieces);
                let pieces = both
                    .map(|(p, q)| select(c.clone(), p.clone(), q.clone()))
                    .collect();
                Ok(self.vec_of(x.elem, x.lanes, pieces))
            }
            _ => Ok(Val::Scalar(select(c, self.scalar(&a)?, self.scalar(&b)?))),
        }
    }

    /// `if c then a else b` where each side may only be computed if it is chosen,
    /// because it reads at the index `at`.
    pub fn select_lazily(&mut self, c: Expr, at: Nat, ty: Ty, a: Lazy, b: Lazy) -> Res<Val> {
        match c.as_bool() {
            Some(true) => return self.force(&a),
            Some(false) => return self.force(&b),
            None => {}
        }
        let level = self.level_of_nat(at);
        self.select_rc(c, level, ty, Rc::new(a), Rc::new(b))
    }

    /// Computes a value here.
    fn force(&mut self, v: &Lazy) -> Res<Val> {
        match v {
            Lazy::Known(v) => Ok(v.clone()),
            Lazy::At(of, i) => {
                let of = self.force(of)?;
                self.at(&of, *i)
            }
            Lazy::Part(of, second) => {
                let of = self.force(of)?;
                let (x, y) = self.both(&of)?;
                Ok(if *second { y } else { x })
            }
        }
    }

    /// As [`Lower::select_lazily`], with the level of the index.
    pub fn select_rc(&mut self, c: Expr, at: usize, ty: Ty, a: Rc<Lazy>, b: Rc<Lazy>) -> Res<Val> {
        match ty.kind() {
            TyKind::Array(n, t) => Ok(Val::View(Rc::new(View {
                // What the sides mention is not known here: this block at the worst.
                level: self.level(),
                n,
                elements: Elements::Either {
                    cond: c,
                    level: at,
                    then: a,
                    els: b,
                    elem: t,
                },
            }))),
            TyKind::Pair(s, t) => {
                let part = |side: &Rc<Lazy>, second| Rc::new(Lazy::Part(side.clone(), second));
                let x = self.select_rc(c.clone(), at, s, part(&a, false), part(&b, false))?;
                let y = self.select_rc(c, at, t, part(&a, true), part(&b, true))?;
                Ok(Val::pair(x, y))
            }
            _ => {
                let (then, x) = self.side(at, |cx| cx.force(&a))?;
                let (els, y) = self.side(at, |cx| cx.force(&b))?;
                self.select_sides(c, ty, (then, x), (els, y))
            }
        }
    }

    /// The value of one of two sides, each with the statements that compute it.
    pub fn select_sides(
        &mut self,
        c: Expr,
        ty: Ty,
        (mut then, x): (Vec<Stmt>, Val),
        (mut els, y): (Vec<Stmt>, Val),
    ) -> Res<Val> {
        if then.is_empty() && els.is_empty() {
            return self.choose(c, x, y, ty);
        }
        let (mut xs, mut ys) = (Vec::new(), Vec::new());
        self.flatten(&x, &mut xs)?;
        self.flatten(&y, &mut ys)?;
        let mut vars = Vec::new();
        for (x, y) in xs.into_iter().zip(ys) {
            let var = self.variable(x.shape(), None);
            vars.push(Expr::var(var, x.shape()));
            then.push(Stmt::Assign { var, value: x });
            els.push(Stmt::Assign { var, value: y });
        }
        self.push(Stmt::If { cond: c, then, els });
        self.unflatten(&x, &mut vars.into_iter())
    }

    /// The expressions of a value without arrays.
    pub fn flatten(&self, v: &Val, out: &mut Vec<Expr>) -> Res<()> {
        match v {
            Val::Scalar(e) => out.push(e.clone()),
            Val::Vec(v) => out.extend(v.pieces.iter().cloned()),
            Val::Pair(p) => {
                self.flatten(&p.0, out)?;
                self.flatten(&p.1, out)?;
            }
            _ => return Err(self.not_a("scalar", v)),
        }
        Ok(())
    }

    /// A value of the form of `like` with other expressions.
    pub fn unflatten(&self, like: &Val, exprs: &mut dyn Iterator<Item = Expr>) -> Res<Val> {
        let missing = || self.not_a("scalar", like);
        Ok(match like {
            Val::Scalar(_) => Val::Scalar(exprs.next().ok_or_else(missing)?),
            Val::Vec(v) => {
                let pieces: Vec<Expr> = exprs.take(v.pieces.len()).collect();
                self.vec_of(v.elem, v.lanes, pieces)
            }
            Val::Pair(p) => {
                let a = self.unflatten(&p.0, exprs)?;
                Val::pair(a, self.unflatten(&p.1, exprs)?)
            }
            _ => return Err(missing()),
        })
    }

    /// All zeros.
    pub fn zero(&mut self, ty: Ty) -> Res<Val> {
        match ty.kind() {
            TyKind::Scalar(s) => Ok(Val::Scalar(Expr::lit(Lit::number(0.0, s), s))),
            TyKind::Idx(_) => Ok(Val::index(Nat::int(0))),
            TyKind::Pair(a, b) => Ok(Val::pair(self.zero(a)?, self.zero(b)?)),
            TyKind::Vec(_, t) => {
                let z = self.zero(t)?;
                self.splat(&z, ty)
            }
            TyKind::Array(n, t) => {
                let z = self.zero(t)?;
                Ok(self.view(n, &[&z], &[], Elements::Same(z.clone())))
            }
            TyKind::Fun(..) | TyKind::Meta(_) => Err(self.refuse(format!("a zero of `{ty}`"))),
        }
    }
}

/// What an operation is by the range of its type alone: that of an integer and the least or the largest one, and the
/// amount of what has no sign.
fn at_an_end(op: Op, parts: &[Expr]) -> Option<Expr> {
    if let (Op::Abs, [a]) = (op, parts) {
        let elem = a.shape().elem;
        return (elem.is_int() && elem.bounds().0 == 0).then(|| a.clone());
    }
    let [a, b] = parts else { return None };
    let elem = a.shape().elem;
    if elem.is_float() || a.shape().lanes > 1 {
        return None;
    }
    let (least, most) = elem.bounds();
    let is = |e: &Expr, end: i128| match e.kind() {
        ExprKind::Lit(Lit::Int(i)) => *i == end,
        ExprKind::Lit(Lit::Bool(b)) => i128::from(*b) == end,
        _ => false,
    };
    let (first_least, first_most) = (is(a, least), is(a, most));
    let (second_least, second_most) = (is(b, least), is(b, most));
    match op {
        Op::Lt if second_least || first_most => Some(Expr::bool(false)),
        Op::Gt if second_most || first_least => Some(Expr::bool(false)),
        Op::Ge if second_least || first_most => Some(Expr::bool(true)),
        Op::Le if second_most || first_least => Some(Expr::bool(true)),
        Op::Min | Op::And if first_least || second_most => Some(a.clone()),
        Op::Min | Op::And if second_least || first_most => Some(b.clone()),
        Op::Max | Op::Or if first_most || second_least => Some(a.clone()),
        Op::Max | Op::Or if second_most || first_least => Some(b.clone()),
        _ => None,
    }
}

fn wrapped(i: i128, s: Scalar) -> i128 {
    let (least, most) = s.bounds();
    (i - least).rem_euclid(most - least + 1) + least
}

fn select(c: Expr, a: Expr, b: Expr) -> Expr {
    let shape = a.shape();
    if let Some(truth) = of_truths(&c, &a, &b) {
        return truth;
    }
    Expr::new(ExprKind::Op(Op::Select, vec![c, a, b]), shape)
}

/// A choice of which one side is a constant truth value, or the condition itself; the other one is computed where it is asked for, still.
fn of_truths(c: &Expr, a: &Expr, b: &Expr) -> Option<Expr> {
    let shape = Shape::scalar(Scalar::Bool);
    if a.shape() != shape {
        return None;
    }
    let make = |op, args: [&Expr; 2]| {
        let args = args.map(Expr::clone).to_vec();
        Some(Expr::new(ExprKind::Op(op, args), shape))
    };
    let not = || Expr::new(ExprKind::Op(Op::Not, vec![c.clone()]), shape);
    match (a.as_bool(), b.as_bool()) {
        (None, None) if a.same(c) => make(Op::Or, [c, b]),
        (None, None) if b.same(c) => make(Op::And, [c, a]),
        (Some(true), None) => make(Op::Or, [c, b]),
        (Some(false), None) => make(Op::And, [&not(), b]),
        (None, Some(false)) => make(Op::And, [c, a]),
        (None, Some(true)) => make(Op::Or, [&not(), a]),
        _ => None,
    }
}

/// A choice of one of two integers by which of them is smaller: it is that, or the larger one. Either may be converted.
pub fn of_order(c: &Expr, a: &Expr, b: &Expr) -> Option<Expr> {
    let (x, y) = match c.kind() {
        ExprKind::Op(Op::Lt | Op::Le, args) => (args.first()?, args.get(1)?),
        ExprKind::Op(Op::Gt | Op::Ge, args) => (args.get(1)?, args.first()?),
        _ => return None,
    };
    let of = |e: &Expr, x: &Expr| match (e.kind(), x.kind()) {
        (ExprKind::Lit(Lit::Int(n)), ExprKind::Lit(Lit::Int(m))) => n == m,
        (ExprKind::Cast(inner), _) if inner.same(x) => true,
        _ => e.same(x),
    };
    let op = match (of(a, x) && of(b, y), of(a, y) && of(b, x)) {
        (true, _) => Op::Min,
        (_, true) => Op::Max,
        _ => return None,
    };
    let ints = [x, a].iter().all(|e| e.shape().elem.is_int());
    if !ints || x.shape().lanes != a.shape().lanes {
        return None;
    }
    // A number stands behind what it is compared with.
    let args = match x.kind() {
        ExprKind::Lit(..) => vec![y.clone(), x.clone()],
        _ => vec![x.clone(), y.clone()],
    };
    let which = Expr::new(ExprKind::Op(op, args), x.shape());
    Some(match a.shape() == x.shape() {
        true => which,
        false => Expr::new(ExprKind::Cast(which), a.shape()),
    })
}

/// What an integer was before it was converted to types that have it, too.
fn unwidened(e: &Expr) -> &Expr {
    match e.kind() {
        ExprKind::Cast(x) if x.shape().elem.widens_to(e.shape().elem) => unwidened(x),
        _ => e,
    }
}

/// An index as one of another type: below a bound that a number has it is one of that, too.
fn unnamed(e: &Expr) -> &Expr {
    match e.kind() {
        ExprKind::Cast(x) if x.shape() == Shape::index() => x,
        _ => e,
    }
}
