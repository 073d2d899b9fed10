//! What a term is at an index: the element semantics of the primitives.
//!
//! In: a program. Out: its value, from which an element at any indices can be asked for, as one of `value`. Invariant: the
//! meaning of `interp`, wherever the sizes of the program are sizes; what has no line here is refused. Absent: loops.

use super::value::{Node, Res, Shape, Values, V};
use super::Stuck;
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::nest::abi::{leaf_sizes, leaves};
use crate::term::{Kind, Lit, Op, Prim, Sort, Term};
use crate::ty::{Scalar, Ty, TyKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

type Elements = Rc<dyn Fn(&mut Values, Nat) -> Res<Sem>>;
type Function = Rc<dyn Fn(&mut Values, Sem) -> Res<Sem>>;

/// A value of any type. Vectors are arrays of lanes.
#[derive(Clone)]
pub enum Sem {
    One(V),
    Arr(Elements),
    Pair(Rc<(Sem, Sem)>),
    Fun(Function),
}

impl Sem {
    fn array(f: impl Fn(&mut Values, Nat) -> Res<Sem> + 'static) -> Sem {
        Sem::Arr(Rc::new(f))
    }

    fn fun(f: impl Fn(&mut Values, Sem) -> Res<Sem> + 'static) -> Sem {
        Sem::Fun(Rc::new(f))
    }

    fn pair(a: Sem, b: Sem) -> Sem {
        Sem::Pair(Rc::new((a, b)))
    }

    pub fn apply(&self, cx: &mut Values, x: Sem) -> Res<Sem> {
        cx.spend(1)?;
        match self {
            Sem::Fun(f) => f(cx, x),
            _ => Err(Stuck::new("what is no function is applied")),
        }
    }

    pub fn at(&self, cx: &mut Values, i: Nat) -> Res<Sem> {
        cx.spend(1)?;
        match self {
            Sem::Arr(f) => {
                let i = cx.simplify(i);
                f(cx, i)
            }
            // Vectors of pairs and pairs of vectors are one type.
            Sem::Pair(p) => {
                let (a, b) = (p.0.at(cx, i)?, p.1.at(cx, i)?);
                Ok(Sem::pair(a, b))
            }
            _ => Err(Stuck::new("an element of what is no array")),
        }
    }

    fn part(&self, first: bool) -> Res<Sem> {
        match self {
            Sem::Pair(p) => Ok(if first { &p.0 } else { &p.1 }.clone()),
            Sem::Arr(f) => {
                let f = f.clone();
                Ok(Sem::array(move |cx, i| f(cx, i)?.part(first)))
            }
            _ => Err(Stuck::new("a component of what is no pair")),
        }
    }

    pub fn one(&self) -> Res<V> {
        match self {
            Sem::One(v) => Ok(*v),
            _ => Err(Stuck::new("a scalar that is none")),
        }
    }
}

/// An argument, whose leaves are slots from `first` on.
pub fn argument(cx: &mut Values, ty: Ty, first: u32, at: Rc<Vec<Nat>>) -> Sem {
    match ty.kind() {
        TyKind::Array(_, t) | TyKind::Vec(_, t) => Sem::array(move |cx, i| {
            let sizes = leaf_sizes(t);
            let places = at.iter().zip(sizes).map(|(a, n)| *a + i * n).collect();
            Ok(argument(cx, t, first, Rc::new(places)))
        }),
        TyKind::Pair(a, b) => {
            let k = leaf_sizes(a).len().min(at.len());
            let (x, y) = at.split_at(k);
            let (x, y) = (Rc::new(x.to_vec()), Rc::new(y.to_vec()));
            let x = argument(cx, a, first, x);
            Sem::pair(x, argument(cx, b, first + k as u32, y))
        }
        _ => {
            let at = at.first().copied().unwrap_or(Nat::int(0));
            let at = cx.simplify(at);
            Sem::One(cx.input(first, at))
        }
    }
}

/// A value of a type whose scalars, by leaf and indices, are given.
fn by_leaves(ty: Ty, leaf: u32, at: Vec<Nat>, get: Leaves) -> Delayed {
    Delayed { ty, leaf, at, get }
}

type Leaves = Rc<dyn Fn(&mut Values, u32, &[Nat]) -> Res<V>>;

struct Delayed {
    ty: Ty,
    leaf: u32,
    at: Vec<Nat>,
    get: Leaves,
}

impl Delayed {
    fn value(self, cx: &mut Values) -> Res<Sem> {
        let Delayed { ty, leaf, at, get } = self;
        Ok(match ty.kind() {
            TyKind::Array(_, t) | TyKind::Vec(_, t) => Sem::array(move |cx, i| {
                let mut at = at.clone();
                at.push(i);
                by_leaves(t, leaf, at, get.clone()).value(cx)
            }),
            TyKind::Pair(a, b) => {
                let k = leaf_sizes(a).len() as u32;
                let x = by_leaves(a, leaf, at.clone(), get.clone()).value(cx)?;
                let y = by_leaves(b, leaf + k, at, get).value(cx)?;
                Sem::pair(x, y)
            }
            TyKind::Scalar(_) | TyKind::Idx(_) => Sem::One(get(cx, leaf, &at)?),
            _ => return Err(Stuck::new("a state that is no data")),
        })
    }
}

/// The scalar of a leaf of a value at indices.
pub fn scalar_at(cx: &mut Values, v: &Sem, ty: Ty, leaf: u32, at: &[Nat]) -> Res<V> {
    match ty.kind() {
        TyKind::Array(_, t) | TyKind::Vec(_, t) => {
            let Some((i, rest)) = at.split_first() else {
                return Err(Stuck::new("an element without an index"));
            };
            let e = v.at(cx, *i)?;
            scalar_at(cx, &e, t, leaf, rest)
        }
        TyKind::Pair(a, b) => {
            let k = leaf_sizes(a).len() as u32;
            match leaf < k {
                true => scalar_at(cx, &v.part(true)?, a, leaf, at),
                false => scalar_at(cx, &v.part(false)?, b, leaf - k, at),
            }
        }
        _ => v.one(),
    }
}

type Env = Option<Rc<(Sem, Scope)>>;

#[derive(Clone, Default)]
pub struct Scope(Env);

impl Scope {
    fn push(&self, v: Sem) -> Scope {
        Scope(Some(Rc::new((v, self.clone()))))
    }

    fn get(&self, i: u32) -> Option<Sem> {
        let mut at = self;
        for _ in 0..i {
            at = &at.0.as_ref()?.1;
        }
        at.0.as_ref().map(|n| n.0.clone())
    }
}

pub fn eval(cx: &mut Values, t: &Term, scope: &Scope) -> Res<Sem> {
    cx.spend(1)?;
    Ok(match t.kind() {
        Kind::Var(i) => match scope.get(*i) {
            Some(v) => v,
            None => return Err(Stuck::new("a variable of nowhere")),
        },
        Kind::Lam(_, body) => {
            let (body, scope) = (body.clone(), scope.clone());
            Sem::fun(move |cx, x| eval(cx, &body, &scope.push(x)))
        }
        Kind::App(f, x) => {
            let (f, x) = (eval(cx, f, scope)?, eval(cx, x, scope)?);
            f.apply(cx, x)?
        }
        Kind::Prim(p) => {
            let ty = t.ty();
            match p.op().arity(&p.sizes()) {
                0 => exec(cx, *p, ty, &[])?,
                n => collect(*p, ty, n, Vec::new()),
            }
        }
        Kind::Lit(l) => {
            let s = scalar_of(t.ty())?;
            Sem::One(cx.lit(*l, s))
        }
        Kind::Hole(_) => return Err(Stuck::new("a pattern variable in a program")),
    })
}

fn scalar_of(ty: Ty) -> Res<Scalar> {
    match ty.kind() {
        TyKind::Scalar(s) => Ok(s),
        TyKind::Idx(_) => Ok(Scalar::I64),
        TyKind::Vec(_, t) => scalar_of(t),
        _ => Err(Stuck::new("an operation on what is no scalar")),
    }
}

fn collect(p: Prim, ty: Ty, missing: usize, args: Vec<Sem>) -> Sem {
    Sem::fun(move |cx, x| {
        let mut args = args.clone();
        args.push(x);
        match missing {
            0 | 1 => exec(cx, p, ty, &args),
            _ => Ok(collect(p, ty, missing - 1, args)),
        }
    })
}

/// The value is the same wherever it is asked for again under the same assumptions.
fn kept(v: Sem) -> Sem {
    match v {
        Sem::Arr(f) => {
            let seen: RefCell<FxHashMap<(u64, Nat), Sem>> = RefCell::default();
            Sem::array(move |cx, i| {
                let key = (cx.known.state(), i);
                if let Some(known) = seen.borrow().get(&key) {
                    return Ok(known.clone());
                }
                let found = kept(f(cx, i)?);
                seen.borrow_mut().insert(key, found.clone());
                Ok(found)
            })
        }
        Sem::Pair(p) => Sem::pair(kept(p.0.clone()), kept(p.1.clone())),
        v => v,
    }
}

/// One of two values, as a condition has it.
fn choose(cx: &mut Values, c: V, ty: Ty, a: Lazy, b: Lazy) -> Res<Sem> {
    match cx.decide(c) {
        Some(true) => a(cx),
        Some(false) => b(cx),
        None => match ty.kind() {
            TyKind::Array(_, t) | TyKind::Vec(_, t) => Ok(Sem::array(move |cx, i| {
                let (a, b) = (a.clone(), b.clone());
                let at = move |of: Lazy| -> Lazy { Rc::new(move |cx| of(cx)?.at(cx, i)) };
                choose(cx, c, t, at(a), at(b))
            })),
            TyKind::Pair(s, t) => {
                let part = |of: &Lazy, first: bool| -> Lazy {
                    let of = of.clone();
                    Rc::new(move |cx| of(cx)?.part(first))
                };
                let x = choose(cx, c, s, part(&a, true), part(&b, true))?;
                let y = choose(cx, c, t, part(&a, false), part(&b, false))?;
                Ok(Sem::pair(x, y))
            }
            _ => {
                let s = scalar_of(ty)?;
                let mark = cx.known.mark();
                cx.assume(c, true);
                let x = a(cx).and_then(|x| x.one());
                cx.known.restore(mark);
                cx.assume(c, false);
                let y = b(cx).and_then(|y| y.one());
                cx.known.restore(mark);
                let (x, y) = (x?, y?);
                Ok(Sem::One(cx.op(Op::Select, s, &[c, x, y])))
            }
        },
    }
}

type Lazy = Rc<dyn Fn(&mut Values) -> Res<Sem>>;

fn zero(cx: &mut Values, ty: Ty) -> Res<Sem> {
    Ok(match ty.kind() {
        TyKind::Pair(a, b) => Sem::pair(zero(cx, a)?, zero(cx, b)?),
        TyKind::Array(_, t) | TyKind::Vec(_, t) => Sem::array(move |cx, _| zero(cx, t)),
        _ => {
            let s = scalar_of(ty)?;
            Sem::One(cx.lit(Lit::number(0.0, s), s))
        }
    })
}

/// Scalars by what was assumed, leaf and indices.
type Seen = FxHashMap<(u64, u32, Vec<Nat>), V>;

/// The reduction of n steps from a start.
fn fold(ty: Ty, n: Nat, start: Sem, step: Stepping) -> Leaves {
    let all = Reduction {
        ty,
        n,
        start,
        step,
        seen: RefCell::default(),
        begun: RefCell::default(),
        spread: RefCell::default(),
    };
    Rc::new(move |cx, leaf, at| {
        // A state that is made of itself is one for all cases: it is looked at where none is assumed.
        let whole = |cx: &mut Values| match all.spread.borrow().contains(&leaf) {
            true => cx.at_begin(|cx| all.element(cx, leaf, at))?.ok(),
            false => None,
        };
        if let Some(v) = whole(cx) {
            return Ok(v);
        }
        let begins = std::mem::take(&mut cx.begins);
        let found = all.element(cx, leaf, at);
        cx.begins = begins;
        let found = found?;
        let is_state = matches!(cx.node(found), Node::Tensor(..));
        if is_state && all.spread.borrow_mut().insert(leaf) {
            return Ok(whole(cx).unwrap_or(found));
        }
        Ok(found)
    })
}

/// What a reduction of a term is, and what was found of it.
struct Reduction {
    ty: Ty,
    n: Nat,
    start: Sem,
    step: Stepping,
    seen: RefCell<Seen>,
    /// Its number, its index and what a step makes of its state, by what was assumed.
    begun: RefCell<FxHashMap<u64, (u32, Symbol, Sem)>>,
    /// Leaves whose elements are made of several.
    spread: RefCell<FxHashSet<u32>>,
}

impl Reduction {
    fn element(&self, cx: &mut Values, leaf: u32, at: &[Nat]) -> Res<V> {
        let (ty, n) = (self.ty, cx.simplify(self.n));
        let key = (cx.known.state(), leaf, at.to_vec());
        if let Some(v) = self.seen.borrow().get(&key) {
            return Ok(*v);
        }
        let (of, k, after) = self.begin(cx, n)?;
        let place = at.iter().map(|n| cx.simplify(*n)).collect();
        let v = cx.fold(
            (of, k, n),
            (leaf, place),
            &mut |cx, (leaf, at)| {
                let mark = cx.known.mark();
                cx.known.positive(n);
                let v = scalar_at(cx, &after, ty, *leaf, at);
                cx.known.restore(mark);
                v
            },
            &mut |cx, (leaf, at)| scalar_at(cx, &self.start, ty, *leaf, at),
            &mut |_, leaf| {
                let (_, _, dims) = leaves(ty)?.into_iter().nth(leaf as usize)?;
                Some(Shape {
                    dims,
                    flat: false,
                    base: Nat::int(0),
                })
            },
        )?;
        self.seen.borrow_mut().insert(key, v);
        Ok(v)
    }

    /// What a step makes of any state.
    fn begin(&self, cx: &mut Values, n: Nat) -> Res<(u32, Symbol, Sem)> {
        let state = cx.known.state();
        if let Some(known) = self.begun.borrow().get(&state) {
            return Ok(known.clone());
        }
        let (of, k) = (cx.number(), cx.symbol("r"));
        cx.known.range(k, Nat::int(0), n - Nat::int(1));
        let cells: Leaves = Rc::new(move |cx, leaf, at| {
            let at = at.iter().map(|n| cx.simplify(*n)).collect();
            Ok(cx.make(Node::Cell(of, leaf, at)))
        });
        let before = by_leaves(self.ty, 0, Vec::new(), cells).value(cx)?;
        let mark = cx.known.mark();
        cx.known.positive(n);
        let after = (self.step)(cx, before, Nat::var(k));
        cx.known.restore(mark);
        let begun = (of, k, after?);
        self.begun.borrow_mut().insert(state, begun.clone());
        Ok(begun)
    }
}

type Stepping = Rc<dyn Fn(&mut Values, Sem, Nat) -> Res<Sem>>;

fn reduced(cx: &mut Values, ty: Ty, n: Nat, start: &Sem, f: &Sem, xs: &Sem) -> Res<Sem> {
    let (f, xs) = (f.clone(), xs.clone());
    let step: Stepping = Rc::new(move |cx, acc, i| {
        let x = xs.at(cx, i)?;
        f.apply(cx, acc)?.apply(cx, x)
    });
    by_leaves(ty, 0, Vec::new(), fold(ty, n, start.clone(), step)).value(cx)
}

/// Element j of what n updates leave: a reduction of all of them, in which those of other elements change nothing.
fn updated(
    cx: &mut Values,
    ty: Ty,
    (n, j): (Nat, Nat),
    starts: &Sem,
    f: &Sem,
    xs: &Sem,
) -> Res<Sem> {
    let (f, xs) = (f.clone(), xs.clone());
    let step: Stepping = Rc::new(move |cx, acc, i| {
        let x = xs.at(cx, i)?;
        let to = index(cx, &x.part(true)?)?;
        let own = cx.is_at(to, j);
        let (f, before) = (f.clone(), acc.clone());
        let after: Lazy = Rc::new(move |cx| f.apply(cx, before.clone())?.apply(cx, x.part(false)?));
        choose(cx, own, ty, after, Rc::new(move |_| Ok(acc.clone())))
    });
    let start = starts.at(cx, j)?;
    by_leaves(ty, 0, Vec::new(), fold(ty, n, start, step)).value(cx)
}

/// `(i, j)` is element `step*i + j`.
fn windows(xs: Sem, step: Nat) -> Sem {
    Sem::array(move |_, i| {
        let xs = xs.clone();
        Ok(Sem::array(move |cx, j| xs.at(cx, step * i + j)))
    })
}

fn reindexed(xs: &Sem, to: impl Fn(&mut Values, Nat) -> Res<Nat> + 'static) -> Sem {
    let xs = xs.clone();
    Sem::array(move |cx, i| {
        let j = to(cx, i)?;
        xs.at(cx, j)
    })
}

fn zipped(a: &Sem, b: &Sem) -> Sem {
    let (a, b) = (a.clone(), b.clone());
    Sem::array(move |cx, i| Ok(Sem::pair(a.at(cx, i)?, b.at(cx, i)?)))
}

fn index(cx: &mut Values, v: &Sem) -> Res<Nat> {
    let v = v.one()?;
    Ok(cx.nat(v))
}

/// A primitive with all its arguments; `ty` is its type.
fn exec(cx: &mut Values, p: Prim, ty: Ty, args: &[Sem]) -> Res<Sem> {
    use Op::*;
    let (types, result) = ty.uncurried();
    let k = p.sizes();
    let len = |i: usize| {
        let n = types.get(i).and_then(|t| t.as_array()).map(|a| a.0);
        n.ok_or_else(|| Stuck::new("an array that is none"))
    };
    Ok(match (p.op(), args) {
        (Map | MapSeq | MapPar | MapSeqUnroll, [f, xs]) => {
            let (f, xs) = (f.clone(), xs.clone());
            Sem::array(move |cx, i| {
                let x = xs.at(cx, i)?;
                f.apply(cx, x)
            })
        }
        (Reduce | ReduceSeq | ReduceSeqUnroll, [f, e, xs]) => {
            reduced(cx, result, len(2)?, e, f, xs)?
        }
        (ScanSeq, [f, e, xs]) => {
            let Some((_, acc)) = result.as_array() else {
                return Err(Stuck::new("a scan that gives no array"));
            };
            let (f, e, xs) = (f.clone(), e.clone(), xs.clone());
            let swapped = Sem::fun(move |_, a| {
                let f = f.clone();
                Ok(Sem::fun(move |cx, x| f.apply(cx, x)?.apply(cx, a.clone())))
            });
            Sem::array(move |cx, i| reduced(cx, acc, i + Nat::int(1), &e, &swapped, &xs))
        }
        (ScatterReduce, [f, starts, xs]) => {
            let Some((_, acc)) = result.as_array() else {
                return Err(Stuck::new("updates of what is no array"));
            };
            let n = len(2)?;
            let (f, starts, xs) = (f.clone(), starts.clone(), xs.clone());
            Sem::array(move |cx, j| updated(cx, acc, (n, j), &starts, &f, &xs))
        }
        (ReduceSegments, [f, e, offsets, xs]) => {
            let (f, e, offsets, xs) = (f.clone(), e.clone(), offsets.clone(), xs.clone());
            let acc = result.as_array().map_or(result, |a| a.1);
            Sem::array(move |cx, i| {
                let from = offsets.at(cx, i)?;
                let to = offsets.at(cx, i + Nat::int(1))?;
                let (from, to) = (index(cx, &from)?, index(cx, &to)?);
                let segment = reindexed(&xs, move |_, j| Ok(from + j));
                let n = (to - from).max(Nat::int(0));
                reduced(cx, acc, n, &e, &f, &segment)
            })
        }
        (Scatter, [is, xs]) => {
            let Some((_, t)) = result.as_array() else {
                return Err(Stuck::new("updates of what is no array"));
            };
            let n = len(0)?;
            let updates = zipped(is, xs);
            let last = Sem::fun(|_, _| Ok(Sem::fun(|_, x| Ok(x))));
            Sem::array(move |cx, j| {
                let none = zero(cx, t)?;
                let starts = Sem::array(move |_, _| Ok(none.clone()));
                updated(cx, t, (n, j), &starts, &last, &updates)
            })
        }
        (Iterate, [f, x]) => {
            let f = f.clone();
            let step: Stepping = Rc::new(move |cx, acc, _| f.apply(cx, acc));
            by_leaves(result, 0, Vec::new(), fold(result, k[0], x.clone(), step)).value(cx)?
        }
        (Pair, [a, b]) => Sem::pair(a.clone(), b.clone()),
        (Fst, [x]) => x.part(true)?,
        (Snd, [x]) => x.part(false)?,
        (MapFst, [f, x]) => Sem::pair(f.apply(cx, x.part(true)?)?, x.part(false)?),
        (MapSnd, [f, x]) => Sem::pair(x.part(true)?, f.apply(cx, x.part(false)?)?),
        (CircularBuffer | RotateValues, [f, xs]) => {
            let (f, xs) = (f.clone(), xs.clone());
            let mapped = Sem::array(move |cx, i| {
                let x = xs.at(cx, i)?;
                f.apply(cx, x)
            });
            windows(kept(mapped), Nat::int(1))
        }
        (Generate, [f]) => {
            let f = f.clone();
            Sem::array(move |cx, i| {
                let i = Sem::One(cx.index(i));
                f.apply(cx, i)
            })
        }
        (Idx, [i, xs]) => {
            let i = index(cx, i)?;
            xs.at(cx, i)?
        }
        (At, [xs]) => xs.at(cx, k[0])?,
        (Fill | VectorFromScalar, [x]) => {
            let x = x.clone();
            Sem::array(move |_, _| Ok(x.clone()))
        }
        (MakeArray, items) => {
            let items = items.to_vec();
            let t = result.as_array().map_or(result, |a| a.1);
            Sem::array(move |cx, i| match numbers(cx, &items) {
                Some(all) => Ok(Sem::One(cx.table(i, &all))),
                None => made(cx, &items, i, t),
            })
        }
        (ToMem, [x]) => kept(x.clone()),
        (Let, [x, f]) => f.apply(cx, x.clone())?,
        (Select, [c, a, b]) => {
            let c = c.one()?;
            let (a, b) = (a.clone(), b.clone());
            choose(
                cx,
                c,
                result,
                Rc::new(move |_| Ok(a.clone())),
                Rc::new(move |_| Ok(b.clone())),
            )?
        }
        (op, _) if matches!(op.sort(), Sort::View(_)) => view(p, &types, result, args)?,
        (op, _) => scalars(cx, op, &types, result, args)?,
    })
}

/// All of some elements, if they are indices.
fn numbers(cx: &Values, items: &[Sem]) -> Option<Vec<V>> {
    let number = |s: &Sem| match s {
        Sem::One(v) => cx.as_index(*v).map(|_| *v),
        _ => None,
    };
    items.iter().map(number).collect()
}

fn made(cx: &mut Values, items: &[Sem], i: Nat, ty: Ty) -> Res<Sem> {
    match items {
        [] => Err(Stuck::new("an element of no elements")),
        [one] => Ok(one.clone()),
        [first, rest @ ..] => {
            let c = cx.compare(Op::Eq, i, Nat::int(0));
            let (first, rest) = (first.clone(), rest.to_vec());
            choose(
                cx,
                c,
                ty,
                Rc::new(move |_| Ok(first.clone())),
                Rc::new(move |cx| made(cx, &rest, i - Nat::int(1), ty)),
            )
        }
    }
}

/// What moves elements.
fn view(p: Prim, types: &[Ty], result: Ty, args: &[Sem]) -> Res<Sem> {
    use Op::*;
    let k = p.sizes();
    let len = |i: usize| {
        let n = types.get(i).and_then(|t| t.as_array()).map(|a| a.0);
        n.ok_or_else(|| Stuck::new("an array that is none"))
    };
    let elem = result.as_array().or(result.as_vec()).map(|a| a.1);
    let elem = elem.ok_or_else(|| Stuck::new("an array that is none"));
    Ok(match (p.op(), args) {
        (Zip, [a, b]) => zipped(a, b),
        (Unzip, [xs]) => {
            let side = |first: bool| {
                let xs = xs.clone();
                Sem::array(move |cx, i| xs.at(cx, i)?.part(first))
            };
            Sem::pair(side(true), side(false))
        }
        (Split | AsVector, [xs]) => windows(xs.clone(), k[0]),
        (Slide, [xs]) => windows(xs.clone(), k[1]),
        (Join | AsScalar, [xs]) => {
            let inner = types[0].as_array().and_then(|(_, t)| match p.op() {
                Join => t.as_array(),
                _ => t.as_vec(),
            });
            let Some((n, _)) = inner else {
                return Err(Stuck::new("a join of what is not nested"));
            };
            let xs = xs.clone();
            Sem::array(move |cx, i| {
                let (i, n) = (cx.simplify(i), cx.simplify(n));
                let q = cx.known.floor(i, n);
                let r = cx.simplify(i - n * q);
                xs.at(cx, q)?.at(cx, r)
            })
        }
        (Transpose, [xs]) => {
            let xs = xs.clone();
            Sem::array(move |_, i| {
                let xs = xs.clone();
                Ok(Sem::array(move |cx, j| xs.at(cx, j)?.at(cx, i)))
            })
        }
        (Take, [xs]) => xs.clone(),
        (Drop, [xs]) => reindexed(xs, move |_, i| Ok(i + k[0])),
        (Reverse, [xs]) => {
            let n = len(0)?;
            reindexed(xs, move |_, i| Ok(n - Nat::int(1) - i))
        }
        (Concat, [a, b]) => {
            let (n, a, b, t) = (len(0)?, a.clone(), b.clone(), elem?);
            Sem::array(move |cx, i| {
                let c = cx.compare(Lt, i, n);
                let (a, b) = (a.clone(), b.clone());
                choose(
                    cx,
                    c,
                    t,
                    Rc::new(move |cx| a.at(cx, i)),
                    Rc::new(move |cx| b.at(cx, i - n)),
                )
            })
        }
        (PadCst, [x, xs]) => {
            let (from, n, x, xs, t) = (k[0], len(1)?, x.clone(), xs.clone(), elem?);
            Sem::array(move |cx, i| {
                let above = cx.compare(Le, from, i);
                let to = cx.compare(Lt, i, from + n);
                let c = cx.op(And, Scalar::Bool, &[above, to]);
                let (x, xs) = (x.clone(), xs.clone());
                choose(
                    cx,
                    c,
                    t,
                    Rc::new(move |cx| xs.at(cx, i - from)),
                    Rc::new(move |_| Ok(x.clone())),
                )
            })
        }
        (PadClamp, [xs]) => {
            let (from, n, xs, t) = (k[0], len(0)?, xs.clone(), elem?);
            Sem::array(move |cx, i| {
                let some = cx.compare(Lt, Nat::int(0), n);
                let xs = xs.clone();
                let inside: Lazy = Rc::new(move |cx| {
                    let low = cx.simplify(i - from).max(Nat::int(0));
                    let j = low.min(n - Nat::int(1));
                    xs.at(cx, j)
                });
                choose(cx, some, t, inside, Rc::new(move |cx| zero(cx, t)))
            })
        }
        (Gather, [is, xs]) => {
            let is = is.clone();
            reindexed(xs, move |cx, i| {
                let j = is.at(cx, i)?;
                index(cx, &j)
            })
        }
        (Reorder, [f, _, xs]) => {
            let f = f.clone();
            reindexed(xs, move |cx, i| {
                let i = Sem::One(cx.index(i));
                let j = f.apply(cx, i)?;
                index(cx, &j)
            })
        }
        (op, _) => return Err(Stuck::new(format!("`{}` is not handled yet", op.name()))),
    })
}

/// What computes scalars; on vectors lane by lane.
fn scalars(cx: &mut Values, op: Op, types: &[Ty], result: Ty, args: &[Sem]) -> Res<Sem> {
    use Sort::{Arithmetic, Bits, Comparison, Function, Logic};
    let plain = matches!(
        op.sort(),
        Arithmetic(_) | Bits(_) | Comparison(_) | Function(_) | Logic(_)
    );
    if !plain && op != Op::Cast {
        return Err(Stuck::new(format!("`{}` is not handled yet", op.name())));
    }
    if let Some((_, lane)) = result.as_vec() {
        let lanes: Vec<bool> = types.iter().map(|t| t.as_vec().is_some()).collect();
        let of: Vec<Ty> = types
            .iter()
            .map(|t| t.as_vec().map_or(*t, |v| v.1))
            .collect();
        let args = args.to_vec();
        return Ok(Sem::array(move |cx, l| {
            let mut at = Vec::new();
            for (a, lane) in args.iter().zip(&lanes) {
                at.push(match lane {
                    true => a.at(cx, l)?,
                    false => a.clone(),
                });
            }
            scalars(cx, op, &of, lane, &at)
        }));
    }
    let mut values = Vec::new();
    for a in args {
        values.push(a.one()?);
    }
    let to = scalar_of(result)?;
    Ok(Sem::One(match (op, &values[..]) {
        (Op::Cast, [a]) => match result.kind() {
            TyKind::Idx(n) => match types[0].kind() {
                // To the bound, whatever it was below before.
                _ if cx.as_index(*a).is_some() && types[0] == result => *a,
                _ => cx.clamp(*a, n),
            },
            _ => cx.cast(*a, scalar_of(types[0])?, to),
        },
        (Op::Bitcast, [a]) => cx.make(Node::Bits(*a, scalar_of(types[0])?, to)),
        _ => computed(cx, op, types, to, &values)?,
    }))
}

/// What an operation makes of scalars: on f16 and bf16 it is that on f32, rounded.
fn computed(cx: &mut Values, op: Op, types: &[Ty], to: Scalar, values: &[V]) -> Res<V> {
    let is_half = |t: &Ty| t.as_scalar().is_some_and(Scalar::is_half);
    if !types.iter().any(is_half) {
        return Ok(cx.op(op, to, values));
    }
    let mut wide = Vec::new();
    for (v, t) in values.iter().zip(types) {
        wide.push(cx.cast(*v, scalar_of(*t)?, Scalar::F32));
    }
    let single = if to.is_half() { Scalar::F32 } else { to };
    let v = cx.op(op, single, &wide);
    Ok(cx.cast(v, single, to))
}
