//! Reading: an element of an array as a value.
//!
//! Views become index arithmetic; what has to be computed as a whole first
//! (reductions to arrays, scans, `toMem`, …) is computed to memory.

use super::state::{Lower, Res};
use super::value::{Node, Val};
use crate::arith::Nat;
use crate::term::Op;
use crate::ty::Ty;
use std::rc::Rc;

impl Lower {
    /// Element `i` of an array.
    pub fn at(&mut self, v: &Val, i: Nat) -> Res<Val> {
        let i = self.simplify(i);
        match v {
            Val::Mem(m) => {
                let e = m.element(i);
                self.load(&e)
            }
            Val::View(view) => self.deeper(|cx| (view.read)(cx, i)),
            Val::Node(n) => self.deeper(|cx| cx.at_node(n, v, i)),
            _ => Err(self.not_a("array", v)),
        }
    }

    /// Element `j` of element `i`.
    fn at2(&mut self, v: &Val, i: Nat, j: Nat) -> Res<Val> {
        let row = self.at(v, i)?;
        self.at(&row, j)
    }

    /// The size of an array by its type.
    pub fn size_of_arg(&self, n: &Node, arg: usize) -> Res<(Nat, Ty)> {
        let Some((size, elem)) = self.type_of(n, arg).as_array() else {
            return Err(self.refuse(format!("`{}` of what is no array", n.prim)));
        };
        Ok((size, elem))
    }

    /// The type of an argument.
    pub fn type_of(&self, n: &Node, arg: usize) -> Ty {
        let mut ty = n.prim_ty;
        for _ in 0..arg {
            ty = ty.as_fun().map_or(ty, |f| f.1);
        }
        ty.as_fun().map_or(ty, |f| f.0)
    }

    fn at_node(&mut self, n: &Rc<Node>, v: &Val, i: Nat) -> Res<Val> {
        use Op::*;
        if let Some(m) = n.cache.borrow().as_ref() {
            let e = m.element(i);
            return self.load(&e);
        }
        let sizes = n.prim.sizes();
        match (n.prim.op(), &n.args[..]) {
            (Map | MapSeq | MapPar | MapSeqUnroll, [f, xs]) => {
                let x = self.at(xs, i)?;
                self.apply(f, x)
            }
            (Zip, [a, b]) => Ok(Val::pair(self.at(a, i)?, self.at(b, i)?)),
            (Split, [xs]) => {
                let (k, ys) = (sizes[0], xs.clone());
                Ok(self.view(k, &[xs], &[i], move |cx, j| cx.at(&ys, k * i + j)))
            }
            (Join, [xs]) => {
                let (_, row) = self.size_of_arg(n, 0)?;
                let Some((k, _)) = row.as_array() else {
                    return Err(self.refuse("`join` of what is no array of arrays".into()));
                };
                let (q, r) = (self.facts.floor(i, k), self.facts.rem(i, k));
                self.at2(xs, q, r)
            }
            (Transpose, [xs]) => {
                let Some((_, column)) = n.ty.as_array() else {
                    return Err(self.refuse("`transpose` gives no array".into()));
                };
                let size = column.as_array().map_or(Nat::int(0), |a| a.0);
                let ys = xs.clone();
                Ok(self.view(size, &[xs], &[i], move |cx, j| cx.at2(&ys, j, i)))
            }
            (Slide, [xs]) => {
                let (size, step, ys) = (sizes[0], sizes[1], xs.clone());
                Ok(self.view(size, &[xs], &[i], move |cx, j| cx.at(&ys, step * i + j)))
            }
            (Take, [xs]) => self.at(xs, i),
            (Drop, [xs]) => self.at(xs, i + sizes[0]),
            (Select, [c, a, b]) => {
                let Some((_, elem)) = n.ty.as_array() else {
                    return Err(self.not_a("array", v));
                };
                let (x, y) = (self.at(a, i)?, self.at(b, i)?);
                let c = self.scalar(c)?;
                self.choose(c, x, y, elem)
            }
            (Concat, [a, b]) => {
                let (na, elem) = self.size_of_arg(n, 0)?;
                let (a, b) = (a.clone(), b.clone());
                let first = self.less(i, na);
                self.select_lazily(
                    first,
                    i,
                    elem,
                    move |cx| cx.at(&a, i),
                    move |cx| cx.at(&b, i - na),
                )
            }
            (PadCst, [c, xs]) => {
                let (size, elem) = self.size_of_arg(n, 1)?;
                let (l, ys, c) = (sizes[0], xs.clone(), c.clone());
                let inside = self.at_most(l, i).and(self.less(i, l + size));
                self.select_lazily(
                    inside,
                    i,
                    elem,
                    move |cx| cx.at(&ys, i - l),
                    move |_| Ok(c.clone()),
                )
            }
            (PadClamp, [xs]) => {
                let (size, elem) = self.size_of_arg(n, 0)?;
                let last = size - 1.into();
                let j = self.facts.min(i - sizes[0], last);
                let j = self.facts.max(j, 0.into());
                // Padding of nothing is zeros.
                let some = self.less(0.into(), size);
                let ys = xs.clone();
                let zero = self.zero(elem)?;
                self.select_lazily(
                    some,
                    i,
                    elem,
                    move |cx| cx.at(&ys, j),
                    move |_| Ok(zero.clone()),
                )
            }
            (Gather, [is, xs]) => {
                let (bound, elem) = self.size_of_arg(n, 1)?;
                let j = self.at(is, i)?;
                let j = self.known_index(&j, bound)?;
                self.at_index(xs, j, bound, elem)
            }
            (Reorder, [f, _, xs]) => {
                let (bound, elem) = self.size_of_arg(n, 2)?;
                let j = self.apply(f, Val::index(i))?;
                let j = self.known_index(&j, bound)?;
                self.at_index(xs, j, bound, elem)
            }
            (Reverse, [xs]) => {
                let (size, _) = self.size_of_arg(n, 0)?;
                self.at(xs, size - 1.into() - i)
            }
            (Generate, [f]) => self.apply(f, Val::index(i)),
            (Fill, [x]) => Ok(x.clone()),
            (MakeArray, items) => match i.as_int() {
                Some(k) => match items.get(usize::try_from(k).unwrap_or(usize::MAX)) {
                    Some(x) => Ok(x.clone()),
                    None => Err(self.refuse(format!("element {k} of {} elements", items.len()))),
                },
                None => self.at_kept(v, i),
            },
            (AsVector, [xs]) => self.read_vector(xs, sizes[0], i, n.ty),
            (AsScalar, [xs]) => {
                let (_, vec) = self.size_of_arg(n, 0)?;
                let Some((k, _)) = vec.as_vec() else {
                    return Err(self.refuse("`asScalar` of what are no vectors".into()));
                };
                let (q, r) = (self.facts.floor(i, k), self.facts.rem(i, k));
                let v = self.at(xs, q)?;
                self.lane(&v, r)
            }
            (CircularBuffer, [f, xs]) => {
                // One buffer for all of the mapped input; windows read it.
                let (size, elem) = self.size_of_arg(n, 1)?;
                let mapped = self.mapped(n, f, xs, size, elem)?;
                Ok(self.window(&mapped, sizes[1], i))
            }
            (RotateValues, [f, xs]) => {
                let (f, ys) = (f.clone(), xs.clone());
                Ok(self.view(sizes[0], &[&n.args[0], xs], &[i], move |cx, j| {
                    let x = cx.at(&ys, i + j)?;
                    cx.apply(&f, x)
                }))
            }
            (Fst | Snd, _) => Err(self.not_a("array", v)),
            _ => self.at_kept(v, i),
        }
    }

    /// Element `i` of what is computed to memory first.
    fn at_kept(&mut self, v: &Val, i: Nat) -> Res<Val> {
        let m = self.materialise(v)?;
        let e = m.element(i);
        self.load(&e)
    }

    fn window(&self, xs: &Val, size: Nat, i: Nat) -> Val {
        let ys = xs.clone();
        self.view(size, &[xs], &[i], move |cx, j| cx.at(&ys, i + j))
    }

    /// The buffer of a `circularBuffer`, filled once; it is kept in the node that
    /// stands in as the argument's cache.
    fn mapped(&mut self, n: &Rc<Node>, f: &Val, xs: &Val, size: Nat, elem: Ty) -> Res<Val> {
        let Some(result) = (n.ty.as_array())
            .and_then(|(_, w)| w.as_array())
            .map(|a| a.1)
        else {
            return Err(self.refuse("`circularBuffer` gives no windows".into()));
        };
        let ty = Ty::array(size, result);
        let key = (Rc::as_ptr(n) as usize, ty.id());
        if let Some((_, v)) = self.mapped_cache.get(&key) {
            return Ok(v.clone());
        }
        let map = crate::term::Prim::from(Op::Map);
        let map_ty = Ty::funs([Ty::fun(elem, result), Ty::array(size, elem)], ty);
        let node = self.node(map, map_ty, vec![f.clone(), xs.clone()], None);
        let kept = Val::Mem(self.materialise(&node)?);
        // Inside of a choice it serves that choice only.
        let level = self.level_of(&node).min(self.level());
        if self.outermost(level) == level {
            self.mapped_cache.insert(key, (n.clone(), kept.clone()));
        }
        Ok(kept)
    }

    /// The element at an index below `bound`, if there is any.
    pub fn at_index(&mut self, xs: &Val, j: Nat, bound: Nat, elem: Ty) -> Res<Val> {
        if !self.casts.may_have_none(bound, &self.facts) {
            return self.at(xs, j);
        }
        let some = self.less(0.into(), bound);
        let (ys, zero) = (xs.clone(), self.zero(elem)?);
        let read = move |cx: &mut Lower| cx.at(&ys, j);
        self.select_lazily(some, j, elem, read, move |_| Ok(zero.clone()))
    }

    /// An index known to be below `bound`.
    fn known_index(&mut self, v: &Val, bound: Nat) -> Res<Nat> {
        let j = self.index_of(v)?;
        if let Some(crate::arith::AtomKind::Var(name)) = j.as_atom().map(|a| a.kind()) {
            if self.facts.range_of(name).is_none() && self.levels.contains_key(&name) {
                self.facts.range(name, 0.into(), bound - 1.into());
            }
        }
        Ok(j)
    }
}
