//! Scalar views read by lanes: `asVector` of anything.
//!
//! Comes in: an array of scalars and where a vector of it starts; goes out: the
//! vector, by the rules of Note [Lanes] (`vector`). Invariant: the lanes are the
//! elements. Absent: vectors in memory, which are loaded as they are.

use super::lane_blocks::{can_be_vectors, varying, Piece};
use super::state::{Guard, LoadedVector, Lower, Res};
use super::value::{Dest, Leaf, Mem, Val};
use super::vector::{build, lane, lane_wise_cast, splat, widened_first};
use crate::arith::{AtomKind, Nat};
use crate::intern::Symbol;
use crate::nest::walk::{self, declared};
use crate::nest::{Block, BufId, Expr, ExprKind, LoopKind, Shape, Stmt};
use crate::term::{Lit, Op};
use crate::ty::{Scalar, Ty};
use rustc_hash::FxHashSet;

impl Lower {
    /// Element `i` of `asVector[k] xs`; `ty` is the type of the array of vectors.
    pub fn read_vector(&mut self, xs: &Val, k: Nat, i: Nat, ty: Ty) -> Res<Val> {
        if let Val::Mem(m) = xs {
            let e = m.retype(ty).element(i);
            return self.load(&e);
        }
        let lanes = self.lanes(k)?;
        if let Some(n) = xs.as_node() {
            let same = |n: &super::value::Node, cx: &Lower| {
                let arg = cx.type_of(n, 0).as_array();
                arg.and_then(|a| a.1.as_vec()).is_some_and(|v| v.0 == k)
            };
            if n.prim.op() == Op::AsScalar && same(n, self) {
                let vs = n.args[0].clone();
                return self.at(&vs, i);
            }
        }
        self.read_lanes(xs, k * i, lanes)
    }

    /// Elements `from … from + lanes - 1` of an array of scalars.
    pub fn read_lanes(&mut self, xs: &Val, from: Nat, lanes: u32) -> Res<Val> {
        let k = Nat::int(lanes.into());
        let var = self.fresh("l");
        self.facts.range(var, 0.into(), k - 1.into());
        self.levels.insert(var, self.level() + 1);
        let index = from + Nat::var(var);
        self.in_lanes += 1;
        let r = self.scratch(|cx| cx.at(xs, index));
        self.in_lanes -= 1;
        let (block, v) = r?;
        match self.by_lanes(&block, &v, var, lanes)? {
            Some(v) => Ok(v),
            None => self.by_loop(xs, k, from),
        }
    }

    /// Turns a value at lane `var` into vectors; `None` if the statements before
    /// it cannot be.
    fn by_lanes(&mut self, block: &Block, v: &Val, var: Symbol, lanes: u32) -> Res<Option<Val>> {
        let mut exprs = Vec::new();
        self.flatten(v, &mut exprs)?;
        let names = varying(block, var);
        if !can_be_vectors(block, &exprs, var, &names) {
            return Ok(None);
        }
        let named = |s: &Stmt| {
            matches!(
                s,
                Stmt::Let {
                    value: Some(_),
                    mutable: false,
                    ..
                }
            )
        };
        if block.iter().all(named) {
            let rest = self.without_indices(block, &exprs, &names)?;
            return self.named_by_lanes(&rest, v, var, lanes).map(Some);
        }
        // Loops are written once for all pieces, which then have to be alike.
        let splits = exprs.iter().map(|e| self.pieces(e.shape().elem, lanes));
        let splits: Vec<_> = splits.collect();
        let Some(split) = splits.first().filter(|s| splits.iter().all(|t| t == *s)) else {
            return Ok(None);
        };
        let mut pieces: Vec<Piece> = split.iter().map(|at| Piece::new(var, *at)).collect();
        self.statements(block, &mut pieces)?;
        let mut each = exprs.iter().map(|e| {
            let pieces: Vec<Expr> = pieces.iter().map(|p| self.vectorise(e, p)).collect();
            self.vec_of(e.shape().elem, lanes, pieces)
        });
        fn built(v: &Val, each: &mut dyn Iterator<Item = Val>) -> Option<Val> {
            match v {
                Val::Pair(p) => Some(Val::pair(built(&p.0, each)?, built(&p.1, each)?)),
                _ => each.next(),
            }
        }
        let each: Vec<Val> = each.by_ref().collect();
        Ok(built(v, &mut each.into_iter()))
    }

    /// Where names that are the same in all lanes are part of an index: writes them as they are, and gives the other statements.
    fn without_indices(
        &mut self,
        block: &Block,
        exprs: &[Expr],
        differ: &FxHashSet<Symbol>,
    ) -> Res<Block> {
        let same = |s: &Stmt| declared(s).filter(|v| !differ.contains(v));
        let names: Vec<Symbol> = block.iter().filter_map(same).collect();
        let mut in_index = false;
        for e in block.iter().filter_map(walk::exprs).chain(exprs) {
            e.visit(&mut |e| {
                let index = e.own_index();
                in_index |= index.is_some_and(|n| names.iter().any(|v| n.mentions(*v)));
            });
        }
        if !in_index {
            return Ok(block.clone());
        }
        let (first, rest): (Block, Block) = block.iter().cloned().partition(|s| same(s).is_some());
        self.statements(&first, &mut [])?;
        Ok(rest)
    }

    /// The same where there are only names of scalars before it.
    fn named_by_lanes(&mut self, block: &Block, v: &Val, var: Symbol, lanes: u32) -> Res<Val> {
        match v {
            Val::Pair(p) => {
                // The statements serve both; vectors nobody reads vanish later.
                let a = self.named_by_lanes(block, &p.0, var, lanes)?;
                Ok(Val::pair(a, self.named_by_lanes(block, &p.1, var, lanes)?))
            }
            Val::Scalar(e) => {
                let elem = e.shape().elem;
                let mut out = Vec::new();
                for at in self.pieces(elem, lanes) {
                    let mut piece = Piece::new(var, at);
                    for s in block {
                        if let Stmt::Let {
                            var,
                            value: Some(e),
                            ..
                        } = s
                        {
                            let value = self.vectorise(e, &piece);
                            let value = self.bind(value);
                            piece.vars.insert(*var, value);
                        }
                    }
                    out.push(self.vectorise(e, &piece));
                }
                // Pieces follow the element's width; named scalars of other
                // widths are as wide, which the compiler legalises.
                Ok(self.vec_of(elem, lanes, out))
            }
            _ => Err(self.not_a("scalar", v)),
        }
    }

    /// The lanes in a loop, by way of memory.
    fn by_loop(&mut self, xs: &Val, k: Nat, from: Nat) -> Res<Val> {
        let outer = std::mem::take(&mut self.in_lanes);
        // The type of an element shows when one is computed.
        let mut places: Option<Mem> = None;
        let level = self.level();
        let r = self.for_each(k, LoopKind::Seq, None, |cx, l| {
            let v = cx.at(xs, from + l)?;
            let ty = cx.flat_type(&v)?;
            let m = cx.at_level(level, |cx| cx.allocate(Ty::array(k, ty), "lanes"))?;
            cx.write(&v, &Dest::Mem(m.element(l)))?;
            places = Some(m);
            Ok(())
        });
        self.in_lanes = outer;
        r?;
        let Some(m) = places else {
            return Err(self.refuse("a vector without lanes".into()));
        };
        let elem = m.ty.as_array().map_or(m.ty, |a| a.1);
        let whole = m.retype(Ty::vec(k, elem));
        self.load(&whole)
    }

    fn flat_type(&self, v: &Val) -> Res<Ty> {
        match v {
            Val::Scalar(e) => Ok(Ty::from(e.shape().elem)),
            Val::Pair(p) => Ok(Ty::pair(self.flat_type(&p.0)?, self.flat_type(&p.1)?)),
            _ => Err(self.not_a("scalar", v)),
        }
    }

    /// The expression at the lanes of a piece.
    pub fn vectorise(&mut self, e: &Expr, p: &Piece) -> Expr {
        if p.width == 1 {
            return self.at_lane(e, p, 0);
        }
        if !self.mentions_lane(e, p) {
            // A name may be used elsewhere, too.
            let guards = std::mem::take(&mut self.guards);
            let e = self.settle(e);
            self.guards = guards;
            return splat(&e, p.width);
        }
        let shape = Shape {
            elem: e.shape().elem,
            lanes: p.width,
        };
        match e.kind() {
            ExprKind::Var(v) => p.vars.get(v).cloned().unwrap_or_else(|| e.clone()),
            ExprKind::Load(b, n) => self.vector_load(e, *b, *n, p, shape),
            ExprKind::Pick(pieces, n) => {
                (self.whole_piece(pieces, *n, p)).unwrap_or_else(|| self.lane_by_lane(e, p))
            }
            ExprKind::Op(Op::Select, args) => self.vector_select(e, args, p, shape),
            ExprKind::Op(op, args) => {
                let args: Vec<Expr> = args.iter().map(|a| self.vectorise(a, p)).collect();
                match self.lane_wise(*op, shape.elem) {
                    true => Expr::new(ExprKind::Op(*op, args), shape),
                    false => self.each_lane(*op, args, shape.elem, p.width),
                }
            }
            ExprKind::Cast(a) if lane_wise_cast(a.shape().elem, shape.elem) => {
                if let Some(of_wide) = widened_first(a, e.shape(), p.width) {
                    return self.vectorise(&of_wide, p);
                }
                let a = self.vectorise(a, p);
                Expr::new(ExprKind::Cast(a), shape)
            }
            ExprKind::Index(n) => match n.coefficient(p.lane).and_then(Nat::as_int) {
                Some(step) => {
                    let first = self.simplify(n.subst_var(p.lane, Nat::int(p.start)));
                    let steps: Vec<Expr> = (0..i64::from(p.width))
                        .map(|l| Expr::index(Nat::int(l * step)))
                        .collect();
                    let both = vec![
                        splat(&Expr::index(first), p.width),
                        build(Scalar::I64, &steps),
                    ];
                    Expr::new(ExprKind::Op(Op::Add, both), shape)
                }
                None => self.lane_by_lane(e, p),
            },
            _ => self.lane_by_lane(e, p),
        }
    }

    fn vector_load(&mut self, e: &Expr, b: BufId, n: Nat, p: &Piece, shape: Shape) -> Expr {
        let first = self.simplify(n.subst_var(p.lane, Nat::int(p.start)));
        // A place in joined rows is one quotient and remainder until it is simplified.
        let in_a_row = |n: Nat| n.coefficient(p.lane).and_then(Nat::as_int) == Some(1);
        if in_a_row(n) || in_a_row(self.simplify(n)) {
            return Expr::new(ExprKind::Load(b, first), shape);
        }
        let Some((all, plain)) = self.unclamped(n, p) else {
            return self.lane_by_lane(e, p);
        };
        let first = self.simplify(plain.subst_var(p.lane, Nat::int(p.start)));
        let fast = Expr::new(ExprKind::Load(b, first), shape);
        match all.as_bool() {
            Some(true) => fast,
            Some(false) => self.lane_by_lane(e, p),
            None => self.fast_or_slow(all, fast, e, p),
        }
    }

    /// The one of the pieces that all lanes pick, one element after the other.
    fn whole_piece(&mut self, pieces: &[Expr], n: Nat, p: &Piece) -> Option<Expr> {
        let first = self.simplify(n.subst_var(p.lane, Nat::int(p.start)));
        if n.coefficient(p.lane).and_then(Nat::as_int) != Some(1) {
            return None;
        }
        let (first, mut at) = (first.as_int(), 0);
        for q in pieces {
            let w = q.shape().lanes;
            if first == Some(at) && w == p.width {
                // The piece itself must be one and the same for all lanes.
                let q0 = self.at_lane(q, p, 0);
                let mut rest = 1..i64::from(p.width);
                if rest.all(|l| self.at_lane(q, p, l).same(&q0)) {
                    return Some(q0);
                }
            }
            at += i64::from(w);
        }
        None
    }

    fn vector_select(&mut self, e: &Expr, args: &[Expr], p: &Piece, shape: Shape) -> Expr {
        let [c, a, b] = args else {
            return self.lane_by_lane(e, p);
        };
        if !self.mentions_lane(c, p) {
            let a = self.on_side(c, true, |cx| cx.vectorise(a, p));
            let b = self.on_side(c, false, |cx| cx.vectorise(b, p));
            return Expr::new(ExprKind::Op(Op::Select, vec![c.clone(), a, b]), shape);
        }
        if monotone(c, p.lane) {
            // True at both ends is true between them.
            let last = i64::from(p.width) - 1;
            let (lo, hi) = (self.at_lane(c, p, 0), self.at_lane(c, p, last));
            let all = self.all_of([lo, hi].into_iter());
            return match all.as_bool() {
                Some(true) => self.vectorise(a, p),
                Some(false) => self.lane_by_lane(e, p),
                None => {
                    let fast = self.on_side(&all, true, |cx| cx.vectorise(a, p));
                    self.fast_or_slow(all, fast, e, p)
                }
            };
        }
        // What is asked about indices may be whether there is such an element: then none is read in vain.
        let guards = asks_indices(c, p.lane);
        if guards && args[1..].iter().any(reads) {
            return self.lane_by_lane(e, p);
        }
        let args: Vec<Expr> = args.iter().map(|x| self.vectorise(x, p)).collect();
        Expr::new(ExprKind::Op(Op::Select, args), shape)
    }

    /// An index in which a minimum or maximum keeps the lanes inside of an array: when it
    /// does nothing to any lane of the piece, and the index without it, if the lanes are
    /// neighbours then.
    fn unclamped(&mut self, n: Nat, p: &Piece) -> Option<(Expr, Nat)> {
        let end = |n: Nat, l: i64| n.subst_var(p.lane, Nat::int(p.start + l));
        let last = i64::from(p.width) - 1;
        let plain = replaced(n, p.lane, |c| c.moving);
        let neighbours = plain.coefficient(p.lane).and_then(Nat::as_int) == Some(1);
        neighbours.then_some(())?;
        // What holds at both ends holds between them: the lanes are in a line.
        let conds: Vec<Expr> = (clamps(n, p.lane)?.into_iter())
            .flat_map(|c| {
                [0, last].map(|at| Clamp {
                    moving: end(c.moving, at),
                    ..c
                })
            })
            .map(|c| self.idle(c))
            .collect();
        Some((self.all_of(conds.into_iter()), plain))
    }

    /// Whether a minimum or maximum is its moving operand.
    fn idle(&self, c: Clamp) -> Expr {
        match c.smallest {
            true => self.at_most(c.moving, c.bound),
            false => self.at_most(c.bound, c.moving),
        }
    }

    /// What is only used on one side of a choice for all lanes.
    fn on_side<T>(&mut self, cond: &Expr, holds: bool, of: impl FnOnce(&mut Self) -> T) -> T {
        let cond = cond.clone();
        self.guards.push(Guard { cond, holds });
        let value = of(self);
        self.guards.pop();
        value
    }

    /// A vector at once if `all`, else its lanes in a loop.
    fn fast_or_slow(&mut self, all: Expr, fast: Expr, e: &Expr, p: &Piece) -> Expr {
        let shape = fast.shape();
        let mut loopable = self.in_lanes == 0;
        let mut in_memory = true;
        let mut reads = Vec::new();
        e.visit(&mut |e| match e.kind() {
            ExprKind::Var(v) => {
                loopable &= !p.vars.contains_key(v);
                in_memory = false;
            }
            ExprKind::Pick(..) => loopable = false,
            ExprKind::Load(b, _) if !self.is_input(*b) => reads.push(self.root_of(*b)),
            _ => {}
        });
        let any_lane = Nat::var(Symbol::new("any lane"));
        let lanes = with_lane(e, p.lane, &|n| n, Nat::int(p.start) + any_lane);
        if in_memory && loopable {
            // In a loop inside of the block, a later statement may store what an earlier one reads again.
            let outside = self.stack.len().saturating_sub(1);
            let lasts = |(at, c): &(usize, &LoadedVector)| c.reads.is_empty() || *at == outside;
            let frames = self.stack.iter().enumerate();
            let known = frames.flat_map(|(at, f)| f.chosen.iter().map(move |c| (at, c)));
            let holds = |g: &Guard| self.guards.iter().any(|h| h.same(g));
            let is_same = |c: &LoadedVector| {
                c.vector.shape() == shape && c.of.same(&lanes) && c.guards.iter().all(holds)
            };
            let mut same = known.filter(lasts).filter(|(_, c)| is_same(c));
            if let Some((_, chosen)) = same.next() {
                return chosen.vector.clone();
            }
        }
        let slow = match loopable {
            true => self.scratch(|cx| cx.lanes_in_loop(e, p, shape)).ok(),
            false => None,
        };
        let Some((mut els, value)) = slow else {
            let slow = self.lane_by_lane(e, p);
            return Expr::new(ExprKind::Op(Op::Select, vec![all, fast, slow]), shape);
        };
        let var = self.variable(shape, None);
        els.push(Stmt::Assign { var, value });
        let mut load = Stmt::If {
            cond: all,
            then: vec![Stmt::Assign { var, value: fast }],
            els,
        };
        for guard in self.guards.iter().rev() {
            let none = splat(
                &Expr::lit(Lit::number(0.0, shape.elem), shape.elem),
                p.width,
            );
            let (here, there) = (vec![load], vec![Stmt::Assign { var, value: none }]);
            let (then, els) = match guard.holds {
                true => (here, there),
                false => (there, here),
            };
            let cond = guard.cond.clone();
            load = Stmt::If { cond, then, els };
        }
        self.push(load);
        let vector = Expr::var(var, shape);
        if let (true, Some(top)) = (in_memory, self.stack.last_mut()) {
            top.chosen.push(LoadedVector {
                of: lanes,
                vector: vector.clone(),
                reads,
                guards: self.guards.clone(),
            });
        }
        vector
    }

    /// The lanes of a piece by way of memory.
    fn lanes_in_loop(&mut self, e: &Expr, p: &Piece, shape: Shape) -> Res<Expr> {
        let k = Nat::int(p.width.into());
        let m = self.allocate(Ty::array(k, Ty::from(shape.elem)), "lanes")?;
        let buf = m.leaves[0].buf;
        let ended = self.ended(e, p);
        self.for_each(k, LoopKind::Lanes, None, |cx, l| {
            let at = Nat::int(p.start) + l;
            let put = |cx: &mut Lower, e: &Expr| with_lane(e, p.lane, &|n| cx.simplify(n), at);
            let value = match &ended {
                Some((inside, plain, end)) => {
                    let all = [inside, plain, end].map(|e| put(cx, e));
                    Expr::new(ExprKind::Op(Op::Select, all.to_vec()), e.shape())
                }
                None => put(cx, e),
            };
            cx.store(Leaf { buf, at: l }, value);
            Ok(())
        })?;
        Ok(Expr::new(ExprKind::Load(buf, 0.into()), shape))
    }

    /// A load of which one minimum or maximum keeps the lanes inside of an array: when it does nothing to a lane, what
    /// is loaded then, and the end of the array, which other lanes get. At least one does, since this is asked where
    /// not all lanes are inside.
    fn ended(&mut self, e: &Expr, p: &Piece) -> Option<(Expr, Expr, Expr)> {
        let ExprKind::Load(buf, n) = e.kind() else {
            return None;
        };
        let [only] = clamps(*n, p.lane)?[..] else {
            return None;
        };
        let inside = self.idle(only);
        let load = |n: Nat| Expr::new(ExprKind::Load(*buf, n), e.shape());
        let plain = load(replaced(*n, p.lane, |c| c.moving));
        let end = self.simplify(replaced(*n, p.lane, |c| c.bound));
        (!end.mentions(p.lane)).then_some(())?;
        let end = self.bind(load(end));
        Some((inside, plain, end))
    }

    fn lane_by_lane(&mut self, e: &Expr, p: &Piece) -> Expr {
        let lanes: Vec<Expr> = (0..p.width)
            .map(|l| self.at_lane(e, p, i64::from(l)))
            .collect();
        build(e.shape().elem, &lanes)
    }

    /// The scalar expression at lane `l` of the piece.
    fn at_lane(&mut self, e: &Expr, p: &Piece, l: i64) -> Expr {
        let value = Nat::int(p.start + l);
        e.rewrite(&mut |e| {
            let put = |n: Nat| self.simplify(n.subst_var(p.lane, value));
            match e.kind() {
                ExprKind::Var(v) => p.vars.get(v).map(|x| match x.shape().lanes {
                    1 => x.clone(),
                    _ => lane(x, l as u32),
                }),
                ExprKind::Index(n) => Some(Expr::index(put(*n))),
                ExprKind::Load(b, n) => Some(Expr::new(ExprKind::Load(*b, put(*n)), e.shape())),
                ExprKind::Op(op, args) if args.iter().all(|a| a.as_index().is_some()) => {
                    let at: Vec<Nat> = args.iter().filter_map(|a| a.as_index()).map(put).collect();
                    match (op, &at[..]) {
                        (Op::Lt, [a, b]) => Some(self.less(*a, *b)),
                        (op, [a, b]) => Some(Expr::compare(*op, *a, *b)),
                        _ => None,
                    }
                }
                ExprKind::Op(Op::Select, args) => {
                    let c = self.at_lane(args.first()?, p, l);
                    let [_, a, b] = &args[..] else { return None };
                    Some(match c.as_bool() {
                        Some(true) => self.at_lane(a, p, l),
                        Some(false) => self.at_lane(b, p, l),
                        None => {
                            let (a, b) = (self.at_lane(a, p, l), self.at_lane(b, p, l));
                            Expr::new(ExprKind::Op(Op::Select, vec![c, a, b]), e.shape())
                        }
                    })
                }
                ExprKind::Op(Op::And, args) => {
                    let mut it = args.iter().map(|a| self.at_lane(a, p, l));
                    let first = it.next()?;
                    Some(it.fold(first, Expr::and))
                }
                ExprKind::Pick(pieces, n) => {
                    let n = put(*n);
                    let Some(k) = n.as_int() else {
                        let pieces: Vec<Expr> =
                            pieces.iter().map(|q| self.at_lane(q, p, l)).collect();
                        return self.pick(&pieces, e.shape().elem, n).ok();
                    };
                    let mut at = 0;
                    for q in pieces {
                        let w = i64::from(q.shape().lanes);
                        if k < at + w {
                            let q = self.at_lane(q, p, l);
                            return Some(lane(&q, (k - at) as u32));
                        }
                        at += w;
                    }
                    None
                }
                _ => None,
            }
        })
    }

    pub fn mentions_lane(&self, e: &Expr, p: &Piece) -> bool {
        let mut found = false;
        e.visit(&mut |e| {
            found |= matches!(e.kind(), ExprKind::Var(v) if p.vars.contains_key(v));
            found |= e.own_index().is_some_and(|n| n.mentions(p.lane));
        });
        found
    }
}

/// Whether a condition compares indices that move with the lane.
fn asks_indices(c: &Expr, lane: Symbol) -> bool {
    let mut found = false;
    c.visit(&mut |e| found |= e.as_index().is_some_and(|n| n.mentions(lane)));
    found
}

fn reads(e: &Expr) -> bool {
    let mut found = false;
    e.visit(&mut |e| found |= matches!(e.kind(), ExprKind::Load(..)));
    found
}

/// A minimum or maximum one of whose operands moves with a variable.
#[derive(Clone, Copy, PartialEq)]
struct Clamp {
    moving: Nat,
    bound: Nat,
    /// A minimum, not a maximum.
    smallest: bool,
}

fn clamp(a: crate::arith::Atom, var: Symbol) -> Option<Clamp> {
    let (x, y, smallest) = match a.kind() {
        AtomKind::Min(x, y) => (x, y, true),
        AtomKind::Max(x, y) => (x, y, false),
        _ => return None,
    };
    let (moving, bound) = match (x.mentions(var), y.mentions(var)) {
        (false, true) => (y, x),
        (true, false) => (x, y),
        _ => return None,
    };
    Some(Clamp {
        moving,
        bound,
        smallest,
    })
}

/// All minima and maxima that move with a variable, if each does so in a line.
fn clamps(n: Nat, var: Symbol) -> Option<Vec<Clamp>> {
    let mut all = Vec::new();
    n.map_atoms(&mut |a| {
        let found = clamp(a, var)?;
        if !all.contains(&found) {
            all.push(found);
        }
        Some(found.moving)
    });
    let in_a_line = all.iter().all(|c| c.moving.coefficient(var).is_some());
    in_a_line.then_some(all)
}

/// An expression in which one of both operands stands for each of those.
fn replaced(n: Nat, var: Symbol, which: impl Fn(Clamp) -> Nat) -> Nat {
    n.map_atoms(&mut |a| clamp(a, var).map(&which))
}

/// An expression at a lane.
fn with_lane(e: &Expr, var: Symbol, simplify: &dyn Fn(Nat) -> Nat, lane: Nat) -> Expr {
    e.map_indices(&mut |n| simplify(n.subst_var(var, lane)))
}

/// Whether a condition is a conjunction of comparisons of indices linear in `var`.
fn monotone(c: &Expr, var: Symbol) -> bool {
    match c.kind() {
        ExprKind::Op(Op::And, args) => args.iter().all(|a| monotone(a, var)),
        ExprKind::Op(Op::Lt | Op::Le | Op::Gt | Op::Ge, args) => args
            .iter()
            .all(|a| a.as_index().is_some_and(|n| n.coefficient(var).is_some())),
        ExprKind::Lit(_) => true,
        _ => false,
    }
}
