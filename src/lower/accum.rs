//! Accumulators that become registers: filled and copied out piece by piece.

use super::reduce::Reduction;
use super::state::{Lower, Res, Stop};
use super::value::{Dest, Leaf, Mem, Places, Val};
use crate::arith::Nat;
use crate::nest::abi::leaf_sizes;
use crate::nest::{walk, BufId, Expr, ExprKind, Role, Shape, Stmt, StorageClass};
use crate::ty::{Ty, TyKind};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Pieces of one leaf: first element and lanes.
type Pieces = Vec<(i64, u32)>;

impl Lower {
    /// Tries a reduction with its accumulator in a buffer that can become
    /// variables: every access of the body has a constant index.
    pub fn in_registers(&mut self, r: &Reduction, start: &Val, d: &Dest) -> Res<bool> {
        let (block, done) = self.scratch(|cx| {
            let acc = cx.allocate(r.node.ty, "acc")?;
            let (steps, safe) = cx.scratch(|cx| cx.steps_in_place(r, &acc))?;
            if !safe {
                return Ok(false);
            }
            let mut all = Vec::new();
            for (l, n) in acc.leaves.iter().zip(leaf_sizes(acc.ty)) {
                match cx.pieces_of(&steps, l.buf, n) {
                    Some(p) => all.push(p),
                    None => return Ok(false),
                }
            }
            let what = cx.computing(Role::Start, r.node.term.clone());
            for (leaf, pieces) in all.iter().enumerate() {
                let place = acc.leaves[leaf];
                for &(at, w) in pieces {
                    let v = cx.read_flat(start, acc.ty, leaf, at, w)?;
                    cx.store(offset(place, at), v);
                }
            }
            cx.append(steps);
            cx.computing(Role::Copy, r.node.term.clone());
            cx.pieces_out(&acc, &all, d)?;
            cx.what = what;
            Ok(true)
        })?;
        if done {
            self.append(block);
        }
        Ok(done)
    }

    /// Copies pieces to their place: at once where no condition guards it, else
    /// all at once if all conditions hold, and by way of memory if not.
    fn pieces_out(&mut self, acc: &Mem, all: &[Pieces], d: &Dest) -> Res<()> {
        let (block, ()) = self.scratch(|cx| {
            cx.each_piece(acc, all, &mut |cx, leaf, at, v| {
                let w = v.shape().lanes;
                cx.write_flat(v, d, acc.ty, leaf, at, w)
            })
        })?;
        let mut conds = Vec::new();
        let mut fast = Vec::new();
        for s in &block {
            match s {
                Stmt::If { cond, then, .. } if matches!(then[..], [Stmt::Store { .. }]) => {
                    conds.push(cond.clone());
                    fast.push(then[0].clone());
                }
                s => fast.push(s.clone()),
            }
        }
        if conds.len() < 2 {
            self.append(block);
            return Ok(());
        }
        let cond = self.all_of(conds.into_iter());
        let (els, ()) = self.scratch(|cx| {
            let tile = cx.allocate(acc.ty, "tile")?;
            cx.each_piece(acc, all, &mut |cx, leaf, at, v| {
                cx.store(offset(tile.leaves[leaf], at), v);
                Ok(())
            })?;
            cx.write(&Val::Mem(tile), d)
        })?;
        self.push(Stmt::If {
            cond,
            then: fast,
            els,
        });
        Ok(())
    }

    /// Calls `f` with the leaf, the first element and the value of each piece.
    fn each_piece(
        &mut self,
        acc: &Mem,
        all: &[Pieces],
        f: &mut dyn FnMut(&mut Lower, usize, i64, Expr) -> Res<()>,
    ) -> Res<()> {
        for (leaf, pieces) in all.iter().enumerate() {
            let elem = self.buffers[acc.leaves[leaf].buf.0 as usize].elem;
            for &(at, w) in pieces {
                let l = offset(acc.leaves[leaf], at);
                let shape = Shape { elem, lanes: w };
                f(
                    self,
                    leaf,
                    at,
                    Expr::new(ExprKind::Load(l.buf, l.at), shape),
                )?;
            }
        }
        Ok(())
    }

    /// The pieces by which a block accesses a buffer, made to cover it; `None` if
    /// an index is not constant or pieces overlap.
    pub(super) fn pieces_of(&self, block: &[Stmt], buf: BufId, len: Nat) -> Option<Pieces> {
        let len = len.as_int()?;
        let mut seen = BTreeSet::new();
        let mut constant = true;
        let mut note = |b: BufId, n: Nat, w: u32| {
            if self.root_of(b) == buf {
                match n.as_int() {
                    Some(i) => {
                        seen.insert((i, w));
                    }
                    None => constant = false,
                }
            }
        };
        walk::each_stmt(block, &mut |s| {
            if let Some(e) = walk::exprs(s) {
                e.visit(&mut |e| {
                    if let ExprKind::Load(b, n) = e.kind() {
                        note(*b, *n, e.shape().lanes);
                    }
                });
            }
            if let Stmt::Store {
                buf, index, value, ..
            } = s
            {
                note(*buf, *index, value.shape().lanes);
            }
        });
        if !constant {
            return None;
        }
        let mut out = Vec::new();
        let mut next = 0;
        for (i, w) in seen {
            if i < next {
                return None;
            }
            out.extend((next..i).map(|j| (j, 1)));
            out.push((i, w));
            next = i + i64::from(w);
        }
        out.extend((next..len).map(|j| (j, 1)));
        Some(out)
    }

    /// Whether it is an array that the kernel is given.
    pub fn is_input(&self, b: BufId) -> bool {
        let storage = self.buffers[self.root_of(b).0 as usize].storage;
        matches!(storage, StorageClass::Input(_))
    }

    /// The buffer that a second name stands for.
    pub fn root_of(&self, mut b: BufId) -> BufId {
        while let Some(a) = self.buffers[b.0 as usize].alias {
            b = a;
        }
        b
    }

    /// Elements `at … at+w-1` of a leaf of a value, flat.
    fn read_flat(&mut self, v: &Val, ty: Ty, leaf: usize, at: i64, w: u32) -> Res<Expr> {
        match ty.kind() {
            TyKind::Pair(a, b) => {
                let first = leaf_sizes(a).len();
                let (x, y) = self.both(v)?;
                match leaf < first {
                    true => self.read_flat(&x, a, leaf, at, w),
                    false => self.read_flat(&y, b, leaf - first, at, w),
                }
            }
            TyKind::Array(_, t) => {
                let inner = leaf_sizes(t)[leaf].as_int().unwrap_or(1).max(1);
                let (i, rest) = (at / inner, at % inner);
                if let Val::Mem(m) = v {
                    let l = offset(m.leaves[leaf], at);
                    let elem = self.buffers[l.buf.0 as usize].elem;
                    let kind = ExprKind::Load(l.buf, self.simplify(l.at));
                    return Ok(Expr::new(kind, Shape { elem, lanes: w }));
                }
                if rest + i64::from(w) <= inner {
                    let e = self.at(v, i.into())?;
                    return self.read_flat(&e, t, leaf, rest, w);
                }
                if inner == 1 && !matches!(t.kind(), TyKind::Pair(..)) {
                    let lanes = self.read_lanes(v, i.into(), w)?;
                    if let Val::Vec(x) = &lanes {
                        if let [one] = &x.pieces[..] {
                            return Ok(one.clone());
                        }
                    }
                }
                self.read_one_by_one(v, ty, leaf, at, w)
            }
            TyKind::Vec(..) => {
                let Val::Vec(x) = v else {
                    return Err(self.not_a("vector", v));
                };
                let mut from = 0;
                for p in &x.pieces {
                    if from == at && p.shape().lanes == w {
                        return Ok(p.clone());
                    }
                    from += i64::from(p.shape().lanes);
                }
                let lane = |i: i64| self.lane_of(x, (at + i) as u32);
                let lanes: Vec<Expr> = (0..i64::from(w)).map(lane).collect();
                Ok(super::vector::build(x.elem, &lanes))
            }
            _ => self.scalar(v),
        }
    }

    fn read_one_by_one(&mut self, v: &Val, ty: Ty, leaf: usize, at: i64, w: u32) -> Res<Expr> {
        let mut lanes = Vec::new();
        for l in 0..i64::from(w) {
            lanes.push(self.read_flat(v, ty, leaf, at + l, 1)?);
        }
        let elem = lanes[0].shape().elem;
        Ok(super::vector::build(elem, &lanes))
    }

    /// Stores elements `at … at+w-1` of a leaf of a value.
    fn write_flat(&mut self, v: Expr, d: &Dest, ty: Ty, leaf: usize, at: i64, w: u32) -> Res<()> {
        match d {
            Dest::Discard => return Ok(()),
            Dest::Mem(m) => {
                self.store(offset(m.leaves[leaf], at), v);
                return Ok(());
            }
            _ => {}
        }
        match ty.kind() {
            TyKind::Pair(a, b) => {
                let first = leaf_sizes(a).len();
                let (x, y) = self.dest_components(d)?;
                match leaf < first {
                    true => self.write_flat(v, &x, a, leaf, at, w),
                    false => self.write_flat(v, &y, b, leaf - first, at, w),
                }
            }
            TyKind::Array(_, t) => {
                let inner = leaf_sizes(t)[leaf].as_int().unwrap_or(1).max(1);
                let (i, rest) = (at / inner, at % inner);
                if rest + i64::from(w) <= inner {
                    let e = self.dest_at(d, i.into())?;
                    return self.write_flat(v, &e, t, leaf, rest, w);
                }
                // Several elements: lane by lane, joined again where they are
                // neighbours.
                let elem = v.shape().elem;
                let to = d.clone();
                let places = Places::Flat { to, ty, leaf, at };
                let Val::Vec(x) = self.vec_of(elem, w, vec![v]) else {
                    return Ok(());
                };
                self.write_vector(&x, &Dest::Lanes(w, Rc::new(places)))
            }
            TyKind::Vec(..) => {
                let to = d.clone();
                let places = Places::LaneFrom { to, at };
                let elem = v.shape().elem;
                let Val::Vec(x) = self.vec_of(elem, w, vec![v]) else {
                    return Ok(());
                };
                self.write_vector(&x, &Dest::Lanes(w, Rc::new(places)))
            }
            _ => self.write(&Val::Scalar(v), d),
        }
    }

    /// The place of one scalar of a leaf.
    pub fn flat_place(&mut self, d: &Dest, ty: Ty, leaf: usize, at: i64) -> Res<Dest> {
        match ty.kind() {
            TyKind::Pair(a, b) => {
                let first = leaf_sizes(a).len();
                let (x, y) = self.dest_components(d)?;
                match leaf < first {
                    true => self.flat_place(&x, a, leaf, at),
                    false => self.flat_place(&y, b, leaf - first, at),
                }
            }
            TyKind::Array(_, t) => {
                let inner = leaf_sizes(t)[leaf].as_int().unwrap_or(1).max(1);
                let e = self.dest_at(d, (at / inner).into())?;
                self.flat_place(&e, t, leaf, at % inner)
            }
            TyKind::Vec(..) => self.lane_place(d, at.into()),
            _ => Ok(d.clone()),
        }
    }

    /// Whether reading `v` reads exactly the memory `m`, as it is now.
    pub fn same_place(&mut self, v: &Val, m: &Mem) -> Res<bool> {
        let before = std::mem::replace(&mut self.probing, true);
        let r = self.scratch(|cx| cx.reads_place(v, m));
        self.probing = before;
        match r {
            Ok((block, same)) => Ok(same && block.is_empty()),
            Err(Stop::NotAView) => Ok(false),
            Err(e) => Err(e),
        }
    }

    fn reads_place(&mut self, v: &Val, m: &Mem) -> Res<bool> {
        match (v, m.ty.kind()) {
            (Val::Mem(from), _) => {
                let mut both = from.leaves.iter().zip(m.leaves.iter());
                Ok(from.leaves.len() == m.leaves.len() && both.all(|(a, b)| self.is_now(*a, *b)))
            }
            (_, TyKind::Array(n, _)) => {
                let var = self.fresh("q");
                self.facts.range(var, 0.into(), n - 1.into());
                let level = self.level();
                self.levels.insert(var, level);
                let e = self.at(v, Nat::var(var))?;
                self.reads_place(&e, &m.element(Nat::var(var)))
            }
            (Val::Pair(p), TyKind::Pair(..)) => {
                let (a, b) = m.components();
                Ok(self.reads_place(&p.0, &a)? && self.reads_place(&p.1, &b)?)
            }
            (Val::Scalar(e), _) => Ok(self.loads(e, m.leaves[0], 0)),
            (Val::Vec(x), TyKind::Vec(..)) => {
                let mut at = 0;
                let mut same = true;
                for p in &x.pieces {
                    same &= self.loads(p, m.leaves[0], at);
                    at += i64::from(p.shape().lanes);
                }
                Ok(same)
            }
            _ => Ok(false),
        }
    }

    fn loads(&self, e: &Expr, l: Leaf, at: i64) -> bool {
        match e.kind() {
            ExprKind::Load(buf, n) => self.is_now(Leaf { buf: *buf, at: *n }, offset(l, at)),
            _ => false,
        }
    }

    /// Whether `a` is the newest name of the place `b`.
    fn is_now(&self, a: Leaf, b: Leaf) -> bool {
        let root = self.root_of(b.buf);
        let now = self.newest.get(&root).copied().unwrap_or(root);
        a.buf == now && self.simplify(a.at - b.at) == Nat::int(0)
    }
}

fn offset(l: Leaf, by: i64) -> Leaf {
    Leaf {
        buf: l.buf,
        at: l.at + Nat::int(by),
    }
}
