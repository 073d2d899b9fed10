//! Places seen through view changes, and functions that only change the view.

use super::index_map::{IndexMap, Kept};
use super::state::{Lower, Res, Stop};
use super::value::{Dest, Leaf, Node, Places, Val};
use crate::arith::Nat;
use crate::nest::{Expr, ExprKind, LoopKind, Role, Shape, Stmt};
use crate::term::Op;
use crate::ty::Ty;
use std::rc::Rc;

impl Lower {
    /// The place of element `i` of an array's place.
    pub fn dest_at(&mut self, d: &Dest, i: Nat) -> Res<Dest> {
        let i = self.simplify(i);
        match d {
            Dest::Mem(m) => Ok(Dest::Mem(m.element(i))),
            Dest::Array(places) => self.deeper(|cx| cx.place(places, i)),
            Dest::Guard(c, inner) => {
                let e = self.dest_at(inner, i)?;
                Ok(Dest::guard(c.clone(), e))
            }
            Dest::Pair(p) => {
                let a = self.dest_at(&p.0, i)?;
                Ok(Dest::pair(a, self.dest_at(&p.1, i)?))
            }
            Dest::Discard => Ok(Dest::Discard),
            Dest::Lanes(..) | Dest::Lane(..) => {
                Err(self.refuse("an array is written where a scalar is expected".into()))
            }
        }
    }

    /// Where element (or lane) `i` goes.
    fn place(&mut self, places: &Places, i: Nat) -> Res<Dest> {
        match places {
            Places::Mapped {
                to,
                map,
                kept,
                outer,
                lanes,
            } => match (map.rank(), outer) {
                (2, None) => {
                    let inner = Rc::new(Places::Mapped {
                        to: to.clone(),
                        map: *map,
                        kept: *kept,
                        outer: Some(i),
                        lanes: *lanes,
                    });
                    Ok(match lanes {
                        Some(k) => Dest::Lanes(*k, inner),
                        None => Dest::Array(inner),
                    })
                }
                (_, Some(outer)) => self.mapped_place(to, *map, *kept, &[*outer, i]),
                (_, None) => self.mapped_place(to, *map, *kept, &[i]),
            },
            Places::LaneOf { to, lanes } => {
                let at = IndexMap::Divide(*lanes).apply(&self.facts, &[i]);
                let v = self.dest_at(to, at[0])?;
                Ok(Dest::Lane(Rc::new(v), at[1]))
            }
            Places::Through { to, dual } => {
                let e = self.dest_at(to, i)?;
                self.through(dual, e)
            }
            Places::Part { to, second } => {
                let e = self.dest_at(to, i)?;
                let (a, b) = self.dest_components(&e)?;
                Ok(if *second { b } else { a })
            }
            Places::LanePart { to, second } => {
                let d = self.place(to, i)?;
                let (a, b) = self.dest_components(&d)?;
                Ok(if *second { b } else { a })
            }
            Places::Flat { to, ty, leaf, at } => {
                let scalars = ty.as_array().is_some_and(|(_, t)| t.as_scalar().is_some());
                if scalars {
                    return self.dest_at(to, i + Nat::int(*at));
                }
                // Lanes may go to several rows.
                let Some(l) = i.as_int() else {
                    return Err(self.refuse("a lane that is not constant has no place".into()));
                };
                self.flat_place(to, *ty, *leaf, *at + l)
            }
            Places::LaneFrom { to, at } => self.lane_place(to, i + Nat::int(*at)),
        }
    }

    /// The place of the element that a change of indices leads to, if it is kept.
    fn mapped_place(&mut self, to: &Dest, map: IndexMap, kept: Kept, at: &[Nat]) -> Res<Dest> {
        let cond = match kept {
            Kept::All => Expr::bool(true),
            Kept::Below(n) => self.less(at[0], n),
            Kept::From(n) => self.at_most(n, at[0]),
        };
        if cond.as_bool() == Some(false) {
            return Ok(Dest::Discard);
        }
        let mut place = to.clone();
        for i in map.apply(&self.facts, at) {
            place = self.dest_at(&place, i)?;
        }
        Ok(Dest::guard(cond, place))
    }

    /// The places of the components of a pair.
    pub fn dest_components(&mut self, d: &Dest) -> Res<(Dest, Dest)> {
        match d {
            Dest::Mem(m) => {
                let (a, b) = m.components();
                Ok((Dest::Mem(a), Dest::Mem(b)))
            }
            Dest::Pair(p) => Ok((p.0.clone(), p.1.clone())),
            Dest::Guard(c, inner) => {
                let (a, b) = self.dest_components(inner)?;
                Ok((Dest::guard(c.clone(), a), Dest::guard(c.clone(), b)))
            }
            Dest::Lane(v, i) => {
                let (a, b) = self.dest_components(v)?;
                let lane = |d| Dest::Lane(Rc::new(d), *i);
                Ok((lane(a), lane(b)))
            }
            Dest::Lanes(k, places) => {
                let part = |second| {
                    let to = places.clone();
                    Dest::Lanes(*k, Rc::new(Places::LanePart { to, second }))
                };
                Ok((part(false), part(true)))
            }
            Dest::Discard => Ok((Dest::Discard, Dest::Discard)),
            Dest::Array(_) => {
                Err(self.refuse("a pair is written where an array is expected".into()))
            }
        }
    }

    /// The places of the first (second) components of an array of pairs.
    pub fn part(&mut self, d: Dest, second: bool) -> Dest {
        Dest::by(Places::Part { to: d, second })
    }

    /// The place of a lane of a vector's place.
    pub fn lane_place(&mut self, v: &Dest, i: Nat) -> Res<Dest> {
        match v {
            Dest::Mem(m) => {
                let mut leaf = m.leaves[0];
                leaf.at = leaf.at + i;
                let elem = m.ty.as_vec().map_or(m.ty, |v| v.1);
                let mut place = m.retype(elem);
                place.leaves = [leaf].into();
                Ok(Dest::Mem(place))
            }
            Dest::Lanes(_, places) => self.place(places, i),
            Dest::Guard(c, inner) => {
                let d = self.lane_place(inner, i)?;
                Ok(Dest::guard(c.clone(), d))
            }
            Dest::Discard => Ok(Dest::Discard),
            _ => Err(self.refuse("a vector is written where an array is expected".into())),
        }
    }

    /// Where the argument of an invertible view goes if its result goes to `d`.
    pub fn dual_place(&mut self, n: &Rc<Node>, d: Dest) -> Res<Dest> {
        use Op::*;
        if let Dest::Guard(c, inner) = d {
            // Stays outside, around the whole computation of what goes there.
            let place = self.dual_place(n, inner.as_ref().clone())?;
            return Ok(Dest::guard(c, place));
        }
        if let Dest::Discard = d {
            return Ok(Dest::Discard);
        }
        let arg = self.type_of(n, n.args.len() - 1);
        if let (Dest::Mem(m), Join | Split | AsScalar | AsVector) = (&d, n.prim.op()) {
            // Dense memory is the same under another type.
            return Ok(Dest::Mem(m.retype(arg)));
        }
        let inverse = IndexMap::of(n.prim, arg).and_then(IndexMap::inverse);
        let Some((map, kept)) = inverse else {
            return Err(self.refuse(format!("`{}` cannot be written through", n.prim)));
        };
        Ok(match (n.prim.op(), map) {
            (AsScalar, IndexMap::Merge(k)) => Dest::by(Places::Mapped {
                to: d,
                map,
                kept,
                outer: None,
                lanes: Some(self.lanes(k)?),
            }),
            (AsVector, IndexMap::Divide(lanes)) => Dest::by(Places::LaneOf { to: d, lanes }),
            _ => d.mapped(map, kept),
        })
    }

    /// Applies a function to a stand-in: the view change it is, if it is one.
    pub fn dual_of(&mut self, f: &Val) -> Res<Option<Val>> {
        let before = std::mem::replace(&mut self.probing, true);
        let r = self.scratch(|cx| {
            let v = cx.apply(f, Val::Hole)?;
            cx.is_view_change(&v)?;
            Ok(v)
        });
        self.probing = before;
        match r {
            Ok((block, v)) if block.is_empty() => Ok(Some(v)),
            Ok(_) | Err(Stop::NotAView) => Ok(None),
            Err(e) => Err(e),
        }
    }

    /// Fails unless `v` is the stand-in under invertible views.
    fn is_view_change(&mut self, v: &Val) -> Res<()> {
        use Op::*;
        match v {
            Val::Hole => Ok(()),
            Val::Node(n) => match (n.prim.op(), &n.args[..]) {
                (
                    Join | Transpose | Split | AsScalar | AsVector | Take | Drop | Reverse | Fst
                    | Snd,
                    [x],
                ) => self.is_view_change(x),
                (Map, [f, xs]) => match self.dual_of(f)? {
                    Some(_) => self.is_view_change(xs),
                    None => Err(Stop::NotAView),
                },
                _ => Err(Stop::NotAView),
            },
            _ => Err(Stop::NotAView),
        }
    }

    /// The place of the stand-in in `v` if `v` goes to `d`.
    pub fn through(&mut self, v: &Val, d: Dest) -> Res<Dest> {
        use Op::*;
        let Val::Node(n) = v else {
            return Ok(d);
        };
        if let Dest::Guard(c, inner) = d {
            let place = self.through(v, inner.as_ref().clone())?;
            return Ok(Dest::guard(c, place));
        }
        match (n.prim.op(), &n.args[..]) {
            (Map, [f, xs]) => {
                let Some(dual) = self.dual_of(f)? else {
                    return Err(self.refuse("a function is no view change".into()));
                };
                let inner = Dest::by(Places::Through { to: d, dual });
                self.through(xs, inner)
            }
            (Fst, [x]) => self.through(x, Dest::pair(d, Dest::Discard)),
            (Snd, [x]) => self.through(x, Dest::pair(Dest::Discard, d)),
            (_, [x]) => {
                let place = self.dual_place(n, d)?;
                self.through(x, place)
            }
            _ => Err(self.refuse(format!("`{}` cannot be written through", n.prim))),
        }
    }

    /// Stores a vector.
    pub fn write_vector(&mut self, v: &Rc<super::value::Vector>, d: &Dest) -> Res<()> {
        match d {
            Dest::Mem(m) => {
                let mut leaf = m.leaves[0];
                for p in &v.pieces {
                    self.store(leaf, p.clone());
                    leaf.at = leaf.at + Nat::int(p.shape().lanes.into());
                }
                Ok(())
            }
            Dest::Guard(c, inner) => {
                let inner = inner.clone();
                self.when(c.clone(), |cx| cx.write_vector(v, &inner))
            }
            Dest::Lanes(_, f) => self.write_lanes(v, f),
            Dest::Discard => Ok(()),
            _ => Err(self.refuse("a vector is written where an array is expected".into())),
        }
    }

    /// Lanes of a vector, piece by piece.
    fn write_lanes(&mut self, v: &super::value::Vector, f: &Places) -> Res<()> {
        let mut first = 0;
        for p in &v.pieces {
            self.write_piece(p, first, f)?;
            first += i64::from(p.shape().lanes);
        }
        Ok(())
    }

    /// Lanes whose places are consecutive are stored together.
    fn write_piece(&mut self, p: &Expr, first: i64, f: &Places) -> Res<()> {
        let value = self.bind(p.clone());
        let mut places = Vec::new();
        for l in 0..i64::from(p.shape().lanes) {
            let place = self.place(f, Nat::int(first + l))?;
            places.push(self.scalar_place(place, Expr::bool(true))?);
        }
        let Some(leaf) = self.consecutive(&places) else {
            return self.store_one_by_one(&value, &places);
        };
        let all = match places.iter().all(|p| p.1.is_some()) {
            true => self.all_of(places.iter().map(|p| p.0.clone())),
            false => Expr::bool(false),
        };
        match (all.as_bool(), known(&places)) {
            (Some(true), _) => {
                self.store(leaf, value);
                return Ok(());
            }
            (Some(false), Some(count)) => return self.store_pieces(&value, leaf, count),
            (Some(false), None) => return self.store_one_by_one(&value, &places),
            (None, _) => {}
        }
        let (then, ()) = self.scratch(|cx| {
            cx.store(leaf, value.clone());
            Ok(())
        })?;
        let looped = self.scratch(|cx| cx.store_in_loop(p, &value, leaf, first, f));
        let (els, ()) = match looped {
            Ok(done) => done,
            Err(_) => self.scratch(|cx| cx.store_one_by_one(&value, &places))?,
        };
        self.push(Stmt::If {
            cond: all,
            then,
            els,
        });
        Ok(())
    }

    /// Lanes of a piece, each where its guard holds, by way of memory: where the piece lies already, if it is
    /// not what is written.
    fn store_in_loop(
        &mut self,
        piece: &Expr,
        value: &Expr,
        leaf: Leaf,
        first: i64,
        f: &Places,
    ) -> Res<()> {
        let scalar = Shape::scalar(value.shape().elem);
        let width = Nat::int(value.shape().lanes.into());
        let lies = super::vector::place(std::slice::from_ref(piece));
        let lies = lies.filter(|(buf, _)| self.root_of(*buf) != self.root_of(leaf.buf));
        let (buf, at) = match lies {
            Some(lies) => lies,
            None => {
                let m = self.allocate(Ty::array(width, Ty::from(scalar.elem)), "lanes")?;
                self.store(m.leaves[0], value.clone());
                (m.leaves[0].buf, Nat::int(0))
            }
        };
        self.for_each(width, LoopKind::Lanes, None, |cx, l| {
            let place = cx.place(f, Nat::int(first) + l)?;
            let (when, leaf) = cx.scalar_place(place, Expr::bool(true))?;
            let Some(leaf) = leaf else { return Ok(()) };
            let element = Expr::new(ExprKind::Load(buf, cx.simplify(at + l)), scalar);
            cx.when(when, |cx| {
                cx.store(leaf, element);
                Ok(())
            })
        })
    }

    /// Where one element goes, and when: a lane of a guarded vector is guarded, too.
    fn scalar_place(&mut self, d: Dest, when: Expr) -> Res<(Expr, Option<Leaf>)> {
        match d {
            Dest::Mem(m) => Ok((when, Some(m.leaves[0]))),
            Dest::Lane(v, i) => {
                let place = self.lane_place(&v, i)?;
                self.scalar_place(place, when)
            }
            Dest::Guard(c, inner) => self.scalar_place(inner.as_ref().clone(), when.and(c)),
            Dest::Discard => Ok((when, None)),
            _ => Err(self.refuse("a lane of a vector has no place".into())),
        }
    }

    /// The first of places that are neighbours, as many as there are.
    fn consecutive(&mut self, places: &[(Expr, Option<Leaf>)]) -> Option<Leaf> {
        let first = places[0].1?;
        let end = places.iter().rposition(|p| p.1.is_some())?;
        for (i, (_, l)) in places[..=end].iter().enumerate() {
            let next = self.simplify(first.at + Nat::int(i as i64));
            let l = (*l)?;
            (l.buf == first.buf && self.simplify(l.at) == next).then_some(())?;
        }
        Some(first)
    }

    /// The first lanes, as many as are known to be inside, by way of memory: in vectors half as long, a quarter, ….
    fn store_pieces(&mut self, value: &Expr, leaf: Leaf, count: u32) -> Res<()> {
        let Shape { elem, lanes } = value.shape();
        let width = Nat::int(lanes.into());
        let m = self.allocate(Ty::array(width, Ty::from(elem)), "lanes")?;
        let from = m.leaves[0];
        self.store(from, value.clone());
        let mut at = 0;
        while at < count {
            let lanes = 1 << (count - at).ilog2();
            let by = Nat::int(at.into());
            let piece = Expr::new(ExprKind::Load(from.buf, by), Shape { elem, lanes });
            let leaf = Leaf {
                buf: leaf.buf,
                at: leaf.at + by,
            };
            self.store(leaf, piece);
            at += lanes;
        }
        Ok(())
    }

    fn store_one_by_one(&mut self, value: &Expr, places: &[(Expr, Option<Leaf>)]) -> Res<()> {
        for (i, (c, leaf)) in places.iter().enumerate() {
            let Some(leaf) = *leaf else { continue };
            let e = super::vector::lane(value, i as u32);
            self.when(c.clone(), |cx| {
                cx.store(leaf, e);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Copies memory to a place.
    pub fn copy_out(&mut self, v: &Val, d: &Dest, n: &Rc<Node>) -> Res<()> {
        let what = self.computing(Role::Copy, n.term.clone());
        self.write(v, d)?;
        self.what = what;
        Ok(())
    }

    /// `f` for each iteration, unrolled where asked and possible.
    pub fn repeat(
        &mut self,
        n: Nat,
        unroll: bool,
        note: Option<String>,
        mut f: impl FnMut(&mut Lower, Nat) -> Res<()>,
    ) -> Res<()> {
        match n.as_int() {
            Some(k) if unroll && k <= super::write::UNROLL => {
                for i in 0..k {
                    self.check_length()?;
                    f(self, i.into())?;
                }
                Ok(())
            }
            _ => self.for_each(n, LoopKind::Seq, note, |cx, i| f(cx, i)),
        }
    }
}

/// How many lanes have a place, if it is known of each whether it has, and those that have come first.
fn known(places: &[(Expr, Option<Leaf>)]) -> Option<u32> {
    let inside = |(when, leaf): &(Expr, Option<Leaf>)| match leaf {
        Some(_) => when.as_bool(),
        None => Some(false),
    };
    let all: Vec<bool> = places.iter().map(inside).collect::<Option<_>>()?;
    let count = all.iter().filter(|i| **i).count();
    all[..count].iter().all(|i| *i).then_some(count as u32)
}
