//! Reading: an element of an array as a value.
//!
//! Views become index arithmetic; what has to be computed as a whole first
//! (reductions to arrays, scans, `toMem`, …) is computed to memory.

use super::index_map::IndexMap;
use super::state::{Lower, Res};
use super::value::{Elements, Lazy, Node, Val};
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
            Val::View(view) => self.deeper(|cx| cx.element(&view.elements, i)),
            Val::Node(n) => self.deeper(|cx| cx.at_node(n, v, i)),
            _ => Err(self.not_a("array", v)),
        }
    }

    /// Element `i` of an array that is known by its elements.
    fn element(&mut self, elements: &Elements, i: Nat) -> Res<Val> {
        match elements {
            Elements::Row { of, map, row } => {
                let at = map.apply(&self.facts, &[*row, i]);
                self.at_all(of, &at)
            }
            Elements::Applied { f, of, from } => {
                let x = self.at(of, *from + i)?;
                self.apply(f, x)
            }
            Elements::Part { of, second } => {
                let e = self.at(of, i)?;
                let (a, b) = self.both(&e)?;
                Ok(if *second { b } else { a })
            }
            Elements::Same(v) => Ok(v.clone()),
            Elements::Chosen {
                cond,
                then,
                els,
                elem,
            } => {
                let x = self.at(then, i)?;
                let y = self.at(els, i)?;
                self.choose(cond.clone(), x, y, *elem)
            }
            Elements::Either {
                cond,
                level,
                then,
                els,
                elem,
            } => {
                let at = |side: &Rc<Lazy>| Rc::new(Lazy::At(side.clone(), i));
                self.select_rc(cond.clone(), *level, *elem, at(then), at(els))
            }
        }
    }

    /// The element at several indices, the outermost first.
    fn at_all(&mut self, v: &Val, at: &[Nat]) -> Res<Val> {
        at.iter().try_fold(v.clone(), |v, i| self.at(&v, *i))
    }

    /// Element `i` of an array that is seen through a view change.
    fn at_changed(&mut self, n: &Node, of: &Val, i: Nat) -> Res<Val> {
        let Some(map) = IndexMap::of(n.prim, self.type_of(n, 0)) else {
            return Err(self.refuse(format!("`{}` of what it cannot change", n.prim)));
        };
        if map.rank() == 1 {
            let at = map.apply(&self.facts, &[i]);
            return self.at_all(of, &at);
        }
        let row = n.ty.as_array().and_then(|(_, row)| row.as_array());
        let Some((size, _)) = row else {
            return Err(self.refuse(format!("`{}` gives no array of arrays", n.prim)));
        };
        Ok(self.row(of, map, i, size))
    }

    /// A row of so many elements.
    fn row(&self, of: &Val, map: IndexMap, row: Nat, size: Nat) -> Val {
        let elements = Elements::Row {
            of: of.clone(),
            map,
            row,
        };
        self.view(size, &[of], &[row], elements)
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
            (Split | Join | Transpose | Slide | Take | Drop | Reverse, [xs]) => {
                self.at_changed(n, xs, i)
            }
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
                let first = self.less(i, na);
                self.select_lazily(first, i, elem, Lazy::at(a, i), Lazy::at(b, i - na))
            }
            (PadCst, [c, xs]) => {
                let (size, elem) = self.size_of_arg(n, 1)?;
                let l = sizes[0];
                let inside = self.at_most(l, i).and(self.less(i, l + size));
                let outside = Lazy::Known(c.clone());
                self.select_lazily(inside, i, elem, Lazy::at(xs, i - l), outside)
            }
            (PadClamp, [xs]) => {
                let (size, elem) = self.size_of_arg(n, 0)?;
                let map = IndexMap::Clamp {
                    before: sizes[0],
                    last: size - 1.into(),
                };
                let j = map.apply(&self.facts, &[i])[0];
                // Padding of nothing is zeros.
                let some = self.less(0.into(), size);
                let zero = Lazy::Known(self.zero(elem)?);
                self.select_lazily(some, i, elem, Lazy::at(xs, j), zero)
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
            (ReduceSegments, [f, e, bounds, xs]) => {
                let (size, value) = self.size_of_arg(n, 3)?;
                let (from, to) = (self.at(bounds, i)?, self.at(bounds, i + 1.into())?);
                let from = self.known_index(&from, size + 1.into())?;
                let to = self.known_index(&to, size + 1.into())?;
                let count = (to - from).max(0.into());
                let segment = self.row(xs, IndexMap::Merge(1.into()), from, count);
                let acc = self.type_of(n, 1);
                let array = Ty::array(count, value);
                let ty = Ty::funs([self.type_of(n, 0), acc, array], acc);
                let args = vec![f.clone(), e.clone(), segment];
                self.finish(Op::ReduceSeq.into(), ty, args, n.term.as_ref())
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
                Ok(self.row(&mapped, IndexMap::Merge(1.into()), i, sizes[1]))
            }
            (RotateValues, [f, xs]) => {
                if let Some(window) = self.turned(n, i) {
                    return Ok(window);
                }
                let elements = Elements::Applied {
                    f: f.clone(),
                    of: xs.clone(),
                    from: i,
                };
                Ok(self.view(sizes[0], &[f, xs], &[i], elements))
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
        let zero = Lazy::Known(self.zero(elem)?);
        self.select_lazily(some, j, elem, Lazy::at(xs, j), zero)
    }

    /// An index known to be below `bound`.
    pub fn known_index(&mut self, v: &Val, bound: Nat) -> Res<Nat> {
        let j = self.index_of(v)?;
        if let Some(crate::arith::AtomKind::Var(name)) = j.as_atom().map(|a| a.kind()) {
            if self.facts.range_of(name).is_none() && self.levels.contains_key(&name) {
                self.facts.range(name, 0.into(), bound - 1.into());
            }
        }
        Ok(j)
    }
}
