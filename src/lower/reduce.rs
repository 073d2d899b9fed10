//! Reductions, scans, iteration.
//!
//! Note [Accumulators]
//! A reduction to scalars, vectors or pairs of them keeps its accumulator in
//! variables. One to an array takes the first of these that works:
//! 1. a small buffer all of whose accesses turn out constant, so that it becomes
//!    variables (`promote`), filled and copied out piece by piece;
//! 2. the place of its start, if that is where the result goes and the body reads
//!    each element only to compute it anew (`inplace`);
//! 3. a local tile, or, where it is large, its destination if nobody reads that;
//!    in place if the body allows it; with parts of a pair that change places, where
//!    one is handed down as the other (`hand_down`); else through a second buffer.
//!
//! A scan of arrays has an accumulator of its own, in place if the body allows it.
//!
//! The choice is made by trying: a body is lowered, looked at, and dropped.

use super::state::{Lower, Res};
use super::value::{Dest, Mem, Node, Val};
use crate::arith::{Nat, Signs};
use crate::nest::{Block, Expr, LoopKind, Role, Stmt};
use crate::term::Op;
use crate::ty::Ty;
use std::rc::Rc;

/// What is reduced.
pub(super) struct Reduction<'a> {
    pub node: &'a Rc<Node>,
    pub f: &'a Val,
    pub xs: &'a Val,
    pub count: Nat,
    pub unroll: bool,
}

/// What is scanned, and where its results go.
struct Scan<'a> {
    node: &'a Rc<Node>,
    f: &'a Val,
    xs: &'a Val,
    d: &'a Dest,
}

/// Writes what an iteration makes of the first of two places, to the second one.
type Iteration<'a> = dyn FnMut(&mut Lower, Nat, [&Mem; 2]) -> Res<()> + 'a;

/// So many updates of a state are computed before any of them is stored.
const UPDATES: i64 = 4;

/// A state of so few elements is in registers, between which copies cost nothing: no iteration is taken apart for it.
const FEW: i64 = 16;

/// How many numbers a state has, where that is known.
fn elements(ty: Ty) -> Option<i64> {
    let sizes = crate::nest::abi::leaf_sizes(ty);
    sizes.iter().try_fold(0i64, |a, n| Some(a + n.as_int()?))
}

/// A pair in memory, its second part first.
fn exchanged(m: &Mem) -> Mem {
    let (first, second) = m.components();
    let leaves = second.leaves.iter().chain(first.leaves.iter());
    Mem {
        ty: m.ty,
        leaves: leaves.copied().collect(),
    }
}

impl Lower {
    /// A reduction to a value without arrays: variables.
    pub fn reduce_flat(&mut self, op: Op, prim_ty: Ty, args: &[Val]) -> Res<Val> {
        let [f, e, xs] = args else {
            return Err(self.refuse("a reduction without its arguments".into()));
        };
        let count = super::eval::argument(prim_ty, 2).as_array().map(|a| a.0);
        let Some(count) = count else {
            return Err(self.refuse("a reduction of what is no array".into()));
        };
        let unroll = op == Op::ReduceSeqUnroll;
        let note = Some(format!(
            "{} : {}",
            op.name(),
            super::eval::argument(prim_ty, 1)
        ));
        self.loop_flat(e, count, unroll, note, &mut |cx, acc, i| {
            let x = cx.at(xs, i)?;
            cx.apply2(f, acc, x)
        })
    }

    pub fn iterate_flat(&mut self, count: Nat, f: &Val, x: &Val) -> Res<Val> {
        self.loop_flat(x, count, false, None, &mut |cx, acc, _| cx.apply(f, acc))
    }

    fn loop_flat(
        &mut self,
        start: &Val,
        count: Nat,
        unroll: bool,
        note: Option<String>,
        step: &mut dyn FnMut(&mut Lower, Val, Nat) -> Res<Val>,
    ) -> Res<Val> {
        if count.as_int() == Some(0) {
            return Ok(start.clone());
        }
        let mut exprs = Vec::new();
        self.flatten(start, &mut exprs)?;
        let vars: Vec<_> = exprs
            .into_iter()
            .map(|e| (self.variable(e.shape(), Some(e.clone())), e.shape()))
            .collect();
        let outside = self.level();
        let all = vars.clone();
        let now = || vars.iter().map(|(v, s)| Expr::var(*v, *s));
        let acc = self.unflatten(start, &mut now())?;
        self.repeat(count, unroll, note, |cx, i| {
            for (v, _) in &all {
                let level = cx.level();
                cx.levels.insert(*v, level);
            }
            let next = step(cx, acc.clone(), i)?;
            let mut values = Vec::new();
            cx.flatten(&next, &mut values)?;
            if values.len() > 1 {
                // All are computed before any variable changes.
                values = values.into_iter().map(|e| cx.bind_fresh(e)).collect();
            }
            for ((var, _), value) in all.iter().zip(values) {
                if matches!(value.kind(), crate::nest::ExprKind::Var(v) if v == var) {
                    continue;
                }
                cx.push(Stmt::Assign { var: *var, value });
            }
            Ok(())
        })?;
        // From here on the variables keep their values.
        for (v, _) in &vars {
            self.levels.insert(*v, outside);
        }
        self.unflatten(start, &mut now())
    }

    /// A name even for a variable: it may change.
    fn bind_fresh(&mut self, e: Expr) -> Expr {
        match e.kind() {
            crate::nest::ExprKind::Var(_) => {
                let shape = e.shape();
                let var = self.fresh("x");
                let level = self.level();
                self.levels.insert(var, level);
                self.push(Stmt::Let {
                    var,
                    value: Some(e),
                    shape,
                    mutable: false,
                });
                Expr::var(var, shape)
            }
            _ => self.bind(e),
        }
    }

    /// A reduction to an array, into a place. See Note [Accumulators].
    pub fn write_reduce(&mut self, r: &Reduction, start: &Val, d: &Dest) -> Res<()> {
        if r.count.as_int() == Some(0) {
            return self.write(start, d);
        }
        let ty = r.node.ty;
        let elements = elements(ty);
        let widest = i64::from(self.options.target.register_bytes() / 4);
        if elements.is_some_and(|n| n <= 64 * widest) && self.in_registers(r, start, d)? {
            return Ok(());
        }
        if let Dest::Mem(m) = d {
            // The place may have more elements, which are not the accumulator's.
            let m = &m.retype(ty);
            if self.same_place(start, m)? && self.in_place(r, m)? {
                return Ok(());
            }
            // A place nobody reads may serve as the accumulator.
            let unread = m.leaves.iter().all(|l| self.is_unread(l.buf));
            let local = m.leaves.iter().all(|l| self.is_local(l.buf));
            if unread && (local || elements.is_none_or(|n| n > 16 << 10)) {
                return self.accumulate(r, start, m);
            }
        }
        let acc = self.allocate(ty, "acc")?;
        self.accumulate(r, start, &acc)?;
        self.copy_out(&Val::Mem(acc), d, r.node)
    }

    fn fill_start(&mut self, start: &Val, acc: &Mem, n: &Rc<Node>) -> Res<()> {
        let what = self.computing(Role::Start, n.term.clone());
        self.write(start, &Dest::Mem(acc.clone()))?;
        self.what = what;
        Ok(())
    }

    /// The accumulator filled and the loop: in place or through a second buffer.
    fn accumulate(&mut self, r: &Reduction, start: &Val, acc: &Mem) -> Res<()> {
        let (filled, ()) = self.scratch(|cx| cx.fill_start(start, acc, r.node))?;
        let inside = std::mem::replace(&mut self.in_steps, true);
        let made = self.scratch(|cx| cx.steps_in_place(r, acc));
        self.in_steps = inside;
        let (steps, safe) = made?;
        if safe {
            self.append(filled);
            self.append(steps);
            return Ok(());
        }
        // In steps of others each would be written twice, and which state they leave to each other would be hard to see.
        let copied = elements(acc.ty).is_some_and(|n| n <= FEW)
            && self.facts.rem(r.count, 2.into()) != Nat::int(0);
        if !copied && (r.node.prim.op() == Op::Iterate || !r.unroll && !inside) {
            self.in_steps = true;
            let made = match self.hands_down(r, acc) {
                Ok(true) => self.hand_down(r, start, acc),
                Ok(false) => self.exchange(r, start, acc),
                Err(e) => Err(e),
            };
            self.in_steps = inside;
            return made;
        }
        self.append(filled);
        let next = self.allocate(acc.ty, "next")?;
        self.steps(r, acc, &next)
    }

    /// Iterations from one buffer to another and back.
    fn exchange(&mut self, r: &Reduction, start: &Val, acc: &Mem) -> Res<()> {
        let next = self.allocate(acc.ty, "next")?;
        self.in_twos(r, start, [acc, &next], &mut |cx, i, [from, to]| {
            cx.iteration(r, i, from, to)
        })
    }

    /// Iterations that hand one part of a pair down as the other one: each writes the new part over the one that goes, and the parts have
    /// changed places.
    fn hand_down(&mut self, r: &Reduction, start: &Val, acc: &Mem) -> Res<()> {
        let other = exchanged(acc);
        self.in_twos(r, start, [acc, &other], &mut |cx, i, [from, _]| {
            cx.handed_down(r, i, from).map(drop)
        })
    }

    /// Whether each iteration does so, and may write the new part while it reads the one that goes.
    fn hands_down(&mut self, r: &Reduction, acc: &Mem) -> Res<bool> {
        if acc.ty.as_pair().is_none_or(|(a, b)| a != b) {
            return Ok(false);
        }
        // The number of the iteration is any.
        let (_, turns) = self.scratch(|cx| {
            let var = cx.fresh("t");
            cx.facts.range(var, 0.into(), r.count - 1.into());
            let level = cx.level();
            cx.levels.insert(var, level);
            Ok(cx.handed_down(r, Nat::var(var), acc)?
                && cx.handed_down(r, Nat::var(var), &exchanged(acc))?)
        })?;
        Ok(turns)
    }

    /// Iteration i of such; whether it is one.
    fn handed_down(&mut self, r: &Reduction, i: Nat, from: &Mem) -> Res<bool> {
        let (newest, scatters) = (self.newest.clone(), self.scatters);
        let names = self.alias(from);
        let (old, places) = (names.components(), from.components());
        let what = self.computing(Role::Step, r.node.term.clone());
        let (block, read) = self.scratch(|cx| {
            let Val::Pair(new) = cx.next_value(r, &names, i)? else {
                return Ok(None);
            };
            if cx.same_place(&new.0, &old.1)? {
                cx.write(&new.1, &Dest::Mem(places.0))?;
                return Ok(Some(old.0));
            }
            if cx.same_place(&new.1, &old.0)? {
                cx.write(&new.0, &Dest::Mem(places.1))?;
                return Ok(Some(old.1));
            }
            Ok(None)
        })?;
        self.what = what;
        self.newest = newest;
        let scattered = self.scatters != scatters;
        let safe = read.is_some_and(|old| !scattered && self.is_safe_in_place(&block, &old));
        self.append(block);
        Ok(safe)
    }

    /// Iterations, two at once: each from the first of two places to the second, or back. Where there is one more, it is the first
    /// iteration, so that the last one always ends in the first place.
    fn in_twos(
        &mut self,
        r: &Reduction,
        start: &Val,
        [acc, other]: [&Mem; 2],
        iteration: &mut Iteration,
    ) -> Res<()> {
        let odd = self.facts.rem(r.count, 2.into());
        let mut one_more = |cx: &mut Lower| {
            cx.fill_start(start, other, r.node)?;
            iteration(cx, 0.into(), [other, acc])
        };
        match odd.as_int() {
            Some(0) => self.fill_start(start, acc, r.node)?,
            Some(_) => one_more(self)?,
            None => {
                // What the first iteration reads is not read where there is none.
                let level = self.level_of_nat(odd);
                let (then, ()) = self.side(level, |cx| cx.fill_start(start, acc, r.node))?;
                let (els, ()) = self.side(level, one_more)?;
                let cond = Expr::compare(Op::Eq, odd, 0.into());
                self.push(Stmt::If { cond, then, els });
            }
        }
        let note = Some(format!("{} : {}", r.node.prim, r.node.ty));
        let pairs = self.facts.floor(r.count, 2.into());
        self.for_each(pairs, LoopKind::Seq, note, |cx, pair| {
            let first = odd + pair * 2.into();
            iteration(cx, first, [acc, other])?;
            iteration(cx, first + 1.into(), [other, acc])
        })
    }

    /// Iteration i, from one buffer to another.
    fn iteration(&mut self, r: &Reduction, i: Nat, from: &Mem, to: &Mem) -> Res<()> {
        let newest = self.newest.clone();
        let names = self.alias(from);
        self.step(r, r.node, &names, i, to)?;
        self.newest = newest;
        Ok(())
    }

    /// Tries the loop with results put where the accumulator is read.
    fn in_place(&mut self, r: &Reduction, acc: &Mem) -> Res<bool> {
        let (block, safe) = self.scratch(|cx| cx.steps_in_place(r, acc))?;
        if safe {
            self.append(block);
        }
        Ok(safe)
    }

    pub fn append(&mut self, block: Block) {
        if let Some(top) = self.stack.last_mut() {
            top.block.extend(block);
        }
    }

    /// The loop in place; whether that is safe.
    pub fn steps_in_place(&mut self, r: &Reduction, acc: &Mem) -> Res<bool> {
        let mut safe = true;
        let note = Some(format!("{} : {}", r.node.prim, r.node.ty));
        let node = r.node.clone();
        self.repeat(r.count, r.unroll, note, |cx, i| {
            safe &= cx.body_in_place(acc, |cx, names| cx.step(r, &node, names, i, acc))?;
            Ok(())
        })?;
        Ok(safe)
    }

    /// A body that writes an accumulator, which it reads by other names; whether it may write it while it reads it.
    fn body_in_place(
        &mut self,
        acc: &Mem,
        body: impl FnOnce(&mut Lower, &Mem) -> Res<()>,
    ) -> Res<bool> {
        let (newest, scatters) = (self.newest.clone(), self.scatters);
        let names = self.alias(acc);
        let (block, ()) = self.scratch(|cx| body(cx, &names))?;
        self.newest = newest;
        let safe = self.scatters == scatters && self.is_safe_in_place(&block, &names);
        self.append(block);
        Ok(safe)
    }

    /// The loop through a second buffer.
    fn steps(&mut self, r: &Reduction, acc: &Mem, next: &Mem) -> Res<()> {
        let note = Some(format!("{} : {}", r.node.prim, r.node.ty));
        let node = r.node.clone();
        self.repeat(r.count, r.unroll, note, |cx, i| {
            let newest = cx.newest.clone();
            let names = cx.alias(acc);
            cx.step(r, &node, &names, i, next)?;
            cx.newest = newest;
            cx.copy_out(&Val::Mem(next.clone()), &Dest::Mem(acc.clone()), &node)
        })
    }

    /// One application of the operator.
    fn step(
        &mut self,
        r: &Reduction,
        node: &Rc<Node>,
        names: &Mem,
        i: Nat,
        target: &Mem,
    ) -> Res<()> {
        let what = self.computing(Role::Step, node.term.clone());
        let y = self.next_value(r, names, i)?;
        self.write(&y, &Dest::Mem(target.clone()))?;
        self.what = what;
        Ok(())
    }

    /// What the operator makes of an accumulator.
    fn next_value(&mut self, r: &Reduction, names: &Mem, i: Nat) -> Res<Val> {
        let acc = self.load(names)?;
        match r.node.prim.op() {
            Op::Iterate => self.apply(r.f, acc),
            _ => {
                let x = self.at(r.xs, i)?;
                self.apply2(r.f, acc, x)
            }
        }
    }

    /// `scanSeq f e xs`: every result after the start.
    pub fn write_scan(
        &mut self,
        n: &Rc<Node>,
        f: &Val,
        e: &Val,
        xs: &Val,
        elem: Ty,
        d: &Dest,
    ) -> Res<()> {
        let (count, _) = self.size_of_arg(n, 2)?;
        let note = Some(format!("{} : {}", n.prim, n.ty));
        if !super::eval::ty_has_array(elem) {
            self.loop_flat(e, count, false, note, &mut |cx, acc, i| {
                let x = cx.at(xs, i)?;
                let y = cx.apply2(f, x, acc)?;
                // It is both stored and kept.
                let mut exprs = Vec::new();
                cx.flatten(&y, &mut exprs)?;
                let exprs: Vec<Expr> = exprs.into_iter().map(|e| cx.bind_fresh(e)).collect();
                let y = cx.unflatten(&y, &mut exprs.into_iter())?;
                let place = cx.dest_at(d, i)?;
                cx.write(&y, &place)?;
                Ok(y)
            })?;
            return Ok(());
        }
        let acc = self.allocate(elem, "acc")?;
        self.fill_start(e, &acc, n)?;
        let scan = Scan { node: n, f, xs, d };
        let mut safe = true;
        let (block, ()) = self.scratch(|cx| {
            cx.scan_steps(&scan, &acc, |cx, i| {
                safe &= cx.body_in_place(&acc, |cx, names| cx.scanned(&scan, names, i, &acc))?;
                Ok(())
            })
        })?;
        if safe {
            self.append(block);
            return Ok(());
        }
        let next = self.allocate(elem, "next")?;
        self.scan_steps(&scan, &next, |cx, i| {
            let newest = cx.newest.clone();
            let names = cx.alias(&acc);
            cx.scanned(&scan, &names, i, &next)?;
            cx.newest = newest;
            cx.copy_out(&Val::Mem(next.clone()), &Dest::Mem(acc.clone()), n)
        })
    }

    /// The loop of a scan whose results are arrays: `step` makes each in a buffer, from where it is written.
    fn scan_steps(
        &mut self,
        s: &Scan,
        made: &Mem,
        mut step: impl FnMut(&mut Lower, Nat) -> Res<()>,
    ) -> Res<()> {
        let (count, _) = self.size_of_arg(s.node, 2)?;
        let note = Some(format!("{} : {}", s.node.prim, s.node.ty));
        self.for_each(count, LoopKind::Seq, note, |cx, i| {
            step(cx, i)?;
            let place = cx.dest_at(s.d, i)?;
            cx.copy_out(&Val::Mem(made.clone()), &place, s.node)
        })
    }

    /// One result of a scan.
    fn scanned(&mut self, s: &Scan, names: &Mem, i: Nat, target: &Mem) -> Res<()> {
        let now = self.load(names)?;
        let x = self.at(s.xs, i)?;
        let y = self.apply2(s.f, x, now)?;
        self.write(&y, &Dest::Mem(target.clone()))
    }

    /// `scatterReduce f starts xs`: the starts, unless they lie there, then one update after the other in place.
    pub fn write_scatter_reduce(
        &mut self,
        n: &Rc<Node>,
        [f, starts, xs]: [&Val; 3],
        d: &Dest,
    ) -> Res<()> {
        if self.updates_in_place(n, [f, starts, xs], d)? {
            return Ok(());
        }
        // What is updated may be any element, so no body around this writes in place.
        self.scatters += 1;
        if let Dest::Mem(m) = d {
            let m = m.retype(n.ty);
            if m.leaves.iter().all(|l| self.is_unread(l.buf)) {
                self.fill_start(starts, &m, n)?;
                return self.updates(n, f, xs, &m);
            }
        }
        let acc = self.allocate(n.ty, "acc")?;
        self.fill_start(starts, &acc, n)?;
        self.updates(n, f, xs, &acc)?;
        self.copy_out(&Val::Mem(acc), d, n)
    }

    /// A few updates of what lies there already, if all that they put there is computed before the first of them: then a body around this
    /// may read elements to compute them. Whether they are that.
    fn updates_in_place(
        &mut self,
        n: &Rc<Node>,
        [f, starts, xs]: [&Val; 3],
        d: &Dest,
    ) -> Res<bool> {
        let (count, update) = self.size_of_arg(n, 2)?;
        let (size, elem) = self.size_of_arg(n, 1)?;
        let arrays = [elem, update].into_iter().any(super::eval::ty_has_array);
        let Some(count) = count.as_int().filter(|n| (1..=UPDATES).contains(n)) else {
            return Ok(false);
        };
        let Dest::Mem(acc) = d else {
            return Ok(false);
        };
        let acc = acc.retype(n.ty);
        if arrays || !self.same_place(starts, &acc)? {
            return Ok(false);
        }
        let what = self.computing(Role::Step, n.term.clone());
        self.where_some_are(size, |cx| {
            let mut all = Vec::new();
            for i in 0..count {
                let update = cx.at(xs, i.into())?;
                let (j, x) = cx.both(&update)?;
                let j = cx.known_index(&j, size)?;
                all.push((j, cx.computed(&x)?));
            }
            for (j, x) in all {
                let newest = cx.newest.clone();
                let names = cx.alias(&acc);
                let now = cx.load(&names.element(j))?;
                let y = cx.apply2(f, now, x)?;
                let y = cx.computed(&y)?;
                cx.newest = newest;
                cx.write(&y, &Dest::Mem(acc.element(j)))?;
            }
            Ok(())
        })?;
        self.what = what;
        Ok(true)
    }

    /// What `f` emits, where there are elements: a cast to an index may be of an array that has none.
    fn where_some_are(&mut self, size: Nat, f: impl FnOnce(&mut Self) -> Res<()>) -> Res<()> {
        let some = match self.casts.may_have_none(size, &self.facts) {
            true => self.less(0.into(), size),
            false => Expr::bool(true),
        };
        let asked = some.as_bool().is_none();
        self.when(some, |cx| {
            if asked {
                cx.facts.positive(size);
            }
            f(cx)
        })
    }

    /// A value without arrays, computed here.
    fn computed(&mut self, v: &Val) -> Res<Val> {
        let mut exprs = Vec::new();
        self.flatten(v, &mut exprs)?;
        let exprs: Vec<Expr> = exprs.into_iter().map(|e| self.bind_fresh(e)).collect();
        self.unflatten(v, &mut exprs.into_iter())
    }

    fn updates(&mut self, n: &Rc<Node>, f: &Val, xs: &Val, acc: &Mem) -> Res<()> {
        let (count, _) = self.size_of_arg(n, 2)?;
        let (size, elem) = self.size_of_arg(n, 1)?;
        // Scalars are computed and stored, arrays go through a buffer.
        let next = match super::eval::ty_has_array(elem) {
            true => Some(self.allocate(elem, "next")?),
            false => None,
        };
        let note = Some(format!("{} : {}", n.prim, n.ty));
        let what = self.computing(Role::Step, n.term.clone());
        self.for_each(count, LoopKind::Seq, note, |cx, i| {
            cx.where_some_are(size, |cx| {
                let newest = cx.newest.clone();
                let names = cx.alias(acc);
                let update = cx.at(xs, i)?;
                let (j, x) = cx.both(&update)?;
                let j = cx.known_index(&j, size)?;
                let now = cx.load(&names.element(j))?;
                let place = Dest::Mem(acc.element(j));
                let y = cx.apply2(f, now, x)?;
                match &next {
                    Some(next) => {
                        cx.write(&y, &Dest::Mem(next.clone()))?;
                        cx.newest = newest;
                        cx.copy_out(&Val::Mem(next.clone()), &place, n)
                    }
                    None => {
                        // All are computed before any is stored.
                        let mut exprs = Vec::new();
                        cx.flatten(&y, &mut exprs)?;
                        if exprs.len() > 1 {
                            exprs = exprs.into_iter().map(|e| cx.bind_fresh(e)).collect();
                        }
                        let y = cx.unflatten(&y, &mut exprs.into_iter())?;
                        cx.newest = newest;
                        cx.write(&y, &place)
                    }
                }
            })
        })?;
        self.what = what;
        Ok(())
    }

    /// `iterate[k] f x` of an array.
    pub fn write_iterate(&mut self, n: &Rc<Node>, k: Nat, f: &Val, x: &Val, d: &Dest) -> Res<()> {
        let r = Reduction {
            node: n,
            f,
            xs: x,
            count: k,
            unroll: false,
        };
        self.write_reduce(&r, x, d)
    }

    /// Whether nobody reads a buffer but who fills it: a loop around, which runs in place, may read it under another name.
    fn is_unread(&self, b: crate::nest::BufId) -> bool {
        if self.newest.contains_key(&self.root_of(b)) {
            return false;
        }
        let buf = &self.buffers[b.0 as usize];
        matches!(buf.storage, crate::nest::StorageClass::Output(_)) && buf.alias.is_none()
            || self.kept.contains(&b)
    }

    fn is_local(&self, b: crate::nest::BufId) -> bool {
        self.kept.contains(&b)
    }
}
