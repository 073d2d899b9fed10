//! Writing: loops that compute a value into a place.
//!
//! Comes in: a value and a [`Dest`]; goes out: statements. A view change on the
//! written side turns into its dual place: `join e` at `i` is written where `e`
//! is computed, at `(i / k, i mod k)` of it. Invariant: every element is stored
//! once (a guarded place at most once).

use super::eval::{by_sizes, of_sizes, Sides};
use super::index_map::{IndexMap, Kept};
use super::reduce::Reduction;
use super::state::{Lower, Res, Version};
use super::value::{parts_of_one, Dest, Env, Leaf, Mem, Node, Places, Val};
use crate::arith::Nat;
use crate::nest::{Expr, LoopKind, Role, Stmt};
use crate::term::{Op, Term};
use crate::ty::TyKind;
use std::rc::Rc;

/// Loops asked to be unrolled are, up to so many iterations.
pub(super) const UNROLL: i64 = 128;

impl Lower {
    /// Stores a scalar or a piece of a vector.
    pub fn store(&mut self, l: Leaf, value: Expr) {
        let index = self.simplify(l.at);
        self.push(Stmt::Store {
            buf: l.buf,
            index,
            value,
            what: self.what,
            element: index,
        });
    }

    /// Computes what a term means into the place of the result: of what sizes choose between, one side.
    pub fn write_result(&mut self, t: &Term, env: &Env, out: &Mem, program: &Term) -> Res<()> {
        let Some((c, a, b)) = by_sizes(t) else {
            let value = self.eval(t, env)?;
            return self.write_whole(&value, out, program);
        };
        let write = &mut |cx: &mut Lower, t: &Term| cx.write_result(t, env, out, program);
        if let Sides::Both(cond, (then, ()), (els, ())) = self.sides([c, a, b], env, write)? {
            self.push(Stmt::If { cond, then, els });
        }
        Ok(())
    }

    /// Computes the value of a program into the place of the result; a scalar is an array of one.
    pub fn write_whole(&mut self, v: &Val, out: &Mem, program: &Term) -> Res<()> {
        let before = self.computing(Role::Result, Some(program.clone()));
        match out.ty.kind() {
            TyKind::Array(..) | TyKind::Pair(..) | TyKind::Vec(..) => {
                self.write(v, &Dest::Mem(out.clone()))?;
            }
            _ => {
                let value = self.scalar(v)?;
                self.store(out.leaves[0], value);
            }
        }
        self.what = before;
        Ok(())
    }

    /// Computes a value into a place.
    pub fn write(&mut self, v: &Val, d: &Dest) -> Res<()> {
        self.deeper(|cx| cx.write_deeper(v, d))
    }

    fn write_deeper(&mut self, v: &Val, d: &Dest) -> Res<()> {
        self.check_length()?;
        if let Dest::Discard = d {
            return Ok(());
        }
        if let Dest::Guard(c, inner) = d {
            let (c, inner) = (c.clone(), inner.clone());
            return self.when(c, |cx| cx.write(v, &inner));
        }
        match v {
            Val::Node(n) if !n.ty.is_fun() => {
                let cached = n.cache.borrow().clone();
                match cached {
                    Some(m) => self.write(&Val::Mem(m), d),
                    None => self.write_node(n, v, d),
                }
            }
            Val::Mem(m) => match m.ty.as_array() {
                Some((n, _)) => self.write_loop(v, d, n),
                None => {
                    let parts = self.load(m)?;
                    self.write(&parts, d)
                }
            },
            Val::View(view) => self.write_loop(v, d, view.n),
            Val::Pair(p) => {
                // Components of one array of pairs are computed by one loop.
                if let (Some(of), Dest::Mem(m)) = (parts_of_one(v), d) {
                    let m = m.retype(of.ty);
                    return self.write(&Val::Node(of), &Dest::Mem(m));
                }
                let (a, b) = self.dest_components(d)?;
                self.write_both(p, &a, &b)
            }
            Val::Scalar(e) => self.write_scalar(e.clone(), d),
            Val::Vec(x) => self.write_vector(x, d),
            _ => Err(self.not_a("value", v)),
        }
    }

    /// Both components of a pair: scalars are computed before any is stored.
    fn write_both(&mut self, p: &Rc<(Val, Val)>, a: &Dest, b: &Dest) -> Res<()> {
        self.write(&p.0, a)?;
        self.keep_written(&p.0, a)?;
        self.write(&p.1, b)
    }

    /// What was computed into a place lies there, for whoever reads it in this block: it is not computed again.
    fn keep_written(&mut self, v: &Val, d: &Dest) -> Res<()> {
        let (Val::Node(n), Dest::Mem(m)) = (v, d) else {
            return Ok(());
        };
        if n.ty.as_array().is_none() || !self.is_computing(v)? {
            return Ok(());
        }
        *n.cache.borrow_mut() = Some(m.retype(n.ty));
        if let Some(frame) = self.stack.last_mut() {
            frame.kept.push(n.clone());
        }
        Ok(())
    }

    fn write_loop(&mut self, v: &Val, d: &Dest, n: Nat) -> Res<()> {
        self.for_each(n, LoopKind::Seq, None, |cx, i| {
            let place = cx.dest_at(d, i)?;
            cx.write_element(v, i, &place)
        })
    }

    /// Element `i` of `v`, computed inside of the guards of its place.
    fn write_element(&mut self, v: &Val, i: Nat, place: &Dest) -> Res<()> {
        match place {
            Dest::Discard => Ok(()),
            Dest::Guard(c, inner) => {
                let (c, inner) = (c.clone(), inner.clone());
                self.when_element(c, i, |cx| cx.write_element(v, i, &inner))
            }
            _ => {
                let e = self.at(v, i)?;
                self.write(&e, place)
            }
        }
    }

    fn write_node(&mut self, n: &Rc<Node>, v: &Val, d: &Dest) -> Res<()> {
        use Op::*;
        // Reductions and iteration may give pairs of arrays, which have no size.
        let (size, elem) = n.ty.as_array().unwrap_or((Nat::int(1), n.ty));
        let sizes = n.prim.sizes();
        match (n.prim.op(), &n.args[..]) {
            (Map, [f, xs]) => {
                let dual = match self.is_computing(xs)? {
                    true => self.dual_of(f)?,
                    false => None,
                };
                let Some(dual) = dual else {
                    return self.write_map(n, f, xs, d, size, LoopKind::Seq);
                };
                let place = d.clone();
                let inner = Dest::by(Places::Through { to: place, dual });
                self.write(xs, &inner)
            }
            (MapSeq, [f, xs]) => self.write_map(n, f, xs, d, size, LoopKind::Seq),
            (MapPar, [f, xs]) => self.write_map(n, f, xs, d, size, LoopKind::Par),
            (MapSeqUnroll, [f, xs]) => match size.as_int().filter(|k| *k <= UNROLL) {
                Some(k) if self.version != Version::Rolled => {
                    self.versioned(|cx| match cx.version {
                        Version::Rolled => cx.write_map(n, f, xs, d, size, LoopKind::Seq),
                        _ => (0..k).try_for_each(|i| {
                            let place = cx.dest_at(d, i.into())?;
                            cx.write_applied(f, xs, i.into(), &place)
                        }),
                    })
                }
                _ => self.write_map(n, f, xs, d, size, LoopKind::Seq),
            },
            (Join | Transpose | AsScalar, [xs]) => {
                let place = self.dual_place(n, d.clone())?;
                self.write(xs, &place)
            }
            (Split | AsVector | Take | Drop | Reverse, [xs]) => match self.is_elementwise(xs) {
                true => self.write_loop(v, d, size),
                false => {
                    let place = self.dual_place(n, d.clone())?;
                    self.write(xs, &place)
                }
            },
            (Zip, [a, b]) => match self.is_elementwise(a) && self.is_elementwise(b) {
                true => self.write_loop(v, d, size),
                false => {
                    let (first, second) = (self.part(d.clone(), false), self.part(d.clone(), true));
                    self.write(a, &first)?;
                    self.write(b, &second)
                }
            },
            (Select, [c, a, b]) => {
                let each = self.is_elementwise(a) && self.is_elementwise(b);
                // What sizes decide is decided once.
                let once = n.ty.as_array().is_none() || of_sizes(&self.scalar(c)?);
                match each && !once {
                    true => self.write_loop(v, d, size),
                    false => self.write_chosen(c, a, b, d),
                }
            }
            (Concat, [a, b]) => {
                let (na, _) = self.size_of_arg(n, 0)?;
                self.write(a, d)?;
                let rest = shifted(d.clone(), na);
                self.write(b, &rest)
            }
            (PadCst, [c, xs]) => {
                let (len, _) = self.size_of_arg(n, 1)?;
                let (l, r) = (sizes[0], sizes[1]);
                let c = c.clone();
                self.fill_range(&c, d, 0.into(), l)?;
                let middle = shifted(d.clone(), l);
                self.write(xs, &middle)?;
                self.fill_range(&c, d, l + len, r)
            }
            (Scatter, [is, xs]) => {
                self.scatters += 1;
                let zero = self.zero(elem)?;
                self.fill_range(&zero, d, 0.into(), size)?;
                let (count, _) = self.size_of_arg(n, 0)?;
                self.for_each(count, LoopKind::Seq, None, |cx, i| {
                    let j = cx.at(is, i)?;
                    let j = cx.index_of(&j)?;
                    let place = cx.dest_at(d, j)?;
                    let place = match cx.casts.may_have_none(size, &cx.facts) {
                        true => Dest::guard(cx.less(0.into(), size), place),
                        false => place,
                    };
                    cx.write_element(xs, i, &place)
                })
            }
            (MakeArray, items) => {
                for (i, x) in items.iter().enumerate() {
                    let place = self.dest_at(d, Nat::int(i as i64))?;
                    self.write(x, &place)?;
                }
                Ok(())
            }
            (ToMem, [x]) => self.write(x, d),
            (Reduce | ReduceSeq | ReduceSeqUnroll, [f, e, xs]) => {
                let (count, _) = self.size_of_arg(n, 2)?;
                let unroll = n.prim.op() == ReduceSeqUnroll;
                let r = Reduction {
                    node: n,
                    f,
                    xs,
                    count,
                    unroll,
                };
                self.write_reduce(&r, e, d)
            }
            (ScanSeq, [f, e, xs]) => self.write_scan(n, f, e, xs, elem, d),
            (ScatterReduce, [f, starts, xs]) => self.write_scatter_reduce(n, [f, starts, xs], d),
            (Iterate, [f, x]) => self.write_iterate(n, sizes[0], f, x, d),
            (Fst | Snd, _) => Err(self.not_a("array", v)),
            _ => self.write_loop(v, d, size),
        }
    }

    /// One of two arrays: what is kept in memory for one of them is computed for it only.
    fn write_chosen(&mut self, c: &Val, a: &Val, b: &Val, d: &Dest) -> Res<()> {
        let cond = self.scalar(c)?;
        let level = self.level_of_expr(&cond);
        let (then, ()) = self.side(level, |cx| cx.write(a, d))?;
        let (els, ()) = self.side(level, |cx| cx.write(b, d))?;
        self.push(Stmt::If { cond, then, els });
        Ok(())
    }

    fn write_map(
        &mut self,
        n: &Rc<Node>,
        f: &Val,
        xs: &Val,
        d: &Dest,
        size: Nat,
        kind: LoopKind,
    ) -> Res<()> {
        let note = Some(format!("{} : {}", n.prim, n.ty));
        let term = std::mem::replace(&mut self.term, n.term.clone());
        let turning = self.turning(xs, kind)?;
        self.for_each(size, kind, note, |cx, i| {
            let known = cx.turn_in(&turning, i)?;
            let place = cx.dest_at(d, i)?;
            cx.write_applied(f, xs, i, &place)?;
            cx.turn_on(&turning, known)
        })?;
        self.term = term;
        Ok(())
    }

    /// `f` of element `i`, computed inside of the guards of its place.
    fn write_applied(&mut self, f: &Val, xs: &Val, i: Nat, place: &Dest) -> Res<()> {
        match place {
            Dest::Discard => Ok(()),
            Dest::Guard(c, inner) => {
                let (c, inner) = (c.clone(), inner.clone());
                self.when_element(c, i, |cx| cx.write_applied(f, xs, i, &inner))
            }
            _ => {
                let x = self.at(xs, i)?;
                let y = self.apply(f, x)?;
                self.write(&y, place)
            }
        }
    }

    /// `count` times the same value, from index `from` on.
    fn fill_range(&mut self, c: &Val, d: &Dest, from: Nat, count: Nat) -> Res<()> {
        self.for_each(count, LoopKind::Seq, None, |cx, i| {
            let place = cx.dest_at(d, from + i)?;
            cx.write(c, &place)
        })
    }

    /// Whether more than rearranging is asked for: what is only rearranged is
    /// read where it lies.
    fn is_computing(&mut self, v: &Val) -> Res<bool> {
        use Op::*;
        let Val::Node(n) = v else { return Ok(false) };
        if n.cache.borrow().is_some() {
            return Ok(false);
        }
        match (n.prim.op(), &n.args[..]) {
            (Map, [f, xs]) => Ok(self.is_computing(xs)? || self.dual_of(f)?.is_none()),
            (MapSeq | MapPar | MapSeqUnroll | ToMem, _) => Ok(true),
            (Reduce | ReduceSeq | ReduceSeqUnroll | ScanSeq | Iterate | Generate, _) => Ok(true),
            (ScatterReduce | ReduceSegments, _) => Ok(true),
            (_, args) => {
                for a in args {
                    if self.is_computing(a)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    /// Whether reading each element once costs no more than writing the whole.
    fn is_elementwise(&self, v: &Val) -> bool {
        use Op::*;
        match v {
            Val::Mem(_) | Val::View(_) => true,
            Val::Node(n) if n.cache.borrow().is_some() => true,
            Val::Node(n) => match (n.prim.op(), &n.args[..]) {
                (Map | MapSeq | MapSeqUnroll, [_, xs]) => self.is_elementwise(xs),
                (Generate | Fill | Slide | Gather | Reorder | PadClamp, _) => true,
                (Zip | Concat, [a, b]) | (Select, [_, a, b]) => {
                    self.is_elementwise(a) && self.is_elementwise(b)
                }
                (Split | Take | Drop | Reverse | AsVector, [xs]) => self.is_elementwise(xs),
                (PadCst, [_, xs]) => self.is_elementwise(xs),
                (Join | Transpose | AsScalar, [xs]) => matches!(xs, Val::Mem(_) | Val::View(_)),
                _ => false,
            },
            _ => false,
        }
    }

    fn write_scalar(&mut self, e: Expr, d: &Dest) -> Res<()> {
        match d {
            Dest::Mem(m) => {
                self.store(m.leaves[0], e);
                Ok(())
            }
            Dest::Guard(c, inner) => {
                let inner = inner.clone();
                self.when(c.clone(), |cx| cx.write_scalar(e, &inner))
            }
            Dest::Lane(v, i) => {
                let place = self.lane_place(v, *i)?;
                self.write_scalar(e, &place)
            }
            Dest::Discard => Ok(()),
            _ => Err(self.refuse("a scalar is written where an array is expected".into())),
        }
    }
}

/// The places from index `by` on.
pub(super) fn shifted(d: Dest, by: Nat) -> Dest {
    d.mapped(IndexMap::Shift(by), Kept::All)
}
