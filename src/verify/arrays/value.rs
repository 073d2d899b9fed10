//! Values of array programs in which sizes, indices and functions are unknown.
//!
//! In: what evaluation does with values. Out: arrays as functions of an index, pairs, functions, and whatever an unknown
//! is at: a *neutral* value, a head with what was done to it. Invariant: a neutral carries the type after each
//! step. Absent: what primitives mean (`eval`), when two values are equal (`equal`).
//!
//! A vector is an array of lanes; a pair of vectors and a vector of pairs are one type, so pairs can be indexed and
//! arrays have components.

use super::context::{Context, Res};
use crate::arith::Nat;
use crate::term::{Lit, Prim};
use crate::ty::{Ty, TyKind};
use std::rc::Rc;

pub type Function = Rc<dyn Fn(&mut Context, Val) -> Res<Val>>;
pub type Elements = Rc<dyn Fn(&mut Context, Nat) -> Res<Val>>;

/// A value.
#[derive(Clone)]
pub enum Val {
    Fun(Function),
    /// Elements or lanes by index.
    Arr(Elements),
    Pair(Rc<(Val, Val)>),
    /// A value of type `idx[n]`.
    Index(Nat),
    Neutral(Neutral),
}

/// What is unknown, and what was done to it.
#[derive(Clone)]
pub struct Neutral {
    pub head: Head,
    pub head_ty: Ty,
    /// With the type after each.
    pub spine: Vec<(Step, Ty)>,
}

#[derive(Clone)]
pub enum Head {
    /// Any value.
    Fresh(u32),
    /// What a pattern variable stands for, given the variables that it may mention.
    Hole(u32, Rc<Vec<(Val, Ty)>>),
    Lit(Lit),
    /// The zero of a type.
    Zero,
    Prim(Prim),
    Fold(Rc<Fold>),
}

#[derive(Clone)]
pub enum Step {
    /// With the type of the argument.
    Apply(Val, Ty),
    At(Nat),
    Fst,
    Snd,
}

/// From the left: `step (… (step (step start 0) 1) …) (n-1)`.
pub struct Fold {
    pub start: Val,
    pub n: Nat,
    pub step: Stepping,
    /// Of the accumulator.
    pub ty: Ty,
}

pub type Stepping = Rc<dyn Fn(&mut Context, Val, Nat) -> Res<Val>>;

impl Neutral {
    pub fn new(head: Head, head_ty: Ty) -> Neutral {
        Neutral {
            head,
            head_ty,
            spine: Vec::new(),
        }
    }

    pub fn ty(&self) -> Ty {
        self.spine.last().map_or(self.head_ty, |s| s.1)
    }

    pub fn then(&self, step: Step, ty: Ty) -> Val {
        let mut next = self.clone();
        next.spine.push((step, ty));
        Val::Neutral(next)
    }

    /// Without the last `k` steps.
    pub fn before(&self, k: usize) -> Neutral {
        let mut shorter = self.clone();
        shorter.spine.truncate(self.spine.len() - k);
        shorter
    }

    /// How many steps at the end take something out of a value.
    pub fn projections(&self) -> usize {
        let last = self.spine.iter().rev();
        last.take_while(|s| !matches!(s.0, Step::Apply(..))).count()
    }

    /// The operands, if it is a head that is applied to two.
    pub fn operands(&self) -> Option<[&Val; 2]> {
        match &self.spine[..] {
            [(Step::Apply(x, _), _), (Step::Apply(y, _), _)] => Some([x, y]),
            _ => None,
        }
    }
}

impl Val {
    pub fn pair(a: Val, b: Val) -> Val {
        Val::Pair(Rc::new((a, b)))
    }

    pub fn fun(f: impl Fn(&mut Context, Val) -> Res<Val> + 'static) -> Val {
        Val::Fun(Rc::new(f))
    }

    pub fn array(f: impl Fn(&mut Context, Nat) -> Res<Val> + 'static) -> Val {
        Val::Arr(Rc::new(f))
    }

    pub fn neutral(head: Head, ty: Ty) -> Val {
        Val::Neutral(Neutral::new(head, ty))
    }

    /// What an empty array is padded with.
    pub fn zero(ty: Ty) -> Val {
        match ty.kind() {
            TyKind::Pair(a, b) => Val::pair(Val::zero(a), Val::zero(b)),
            TyKind::Array(_, t) | TyKind::Vec(_, t) => Val::array(move |_, _| Ok(Val::zero(t))),
            _ => Val::neutral(Head::Zero, ty),
        }
    }

    pub fn apply(&self, cx: &mut Context, x: Val) -> Res<Val> {
        cx.work()?;
        match self {
            Val::Fun(f) => f(cx, x),
            Val::Neutral(n) => match n.ty().as_fun() {
                Some((arg, result)) => Ok(n.then(Step::Apply(x, arg), result)),
                None => cx.stuck("what is no function is applied"),
            },
            _ => cx.stuck("what is no function is applied"),
        }
    }

    /// The element or lane at an index.
    pub fn at(&self, cx: &mut Context, i: Nat) -> Res<Val> {
        cx.work()?;
        match self {
            Val::Arr(f) => f(cx, i),
            Val::Pair(p) => Ok(Val::pair(p.0.at(cx, i)?, p.1.at(cx, i)?)),
            Val::Neutral(n) => match n.ty().kind() {
                TyKind::Array(_, t) | TyKind::Vec(_, t) => {
                    let i = cx.simplify(i);
                    Ok(n.then(Step::At(i), t))
                }
                TyKind::Pair(..) => {
                    let (a, b) = (self.fst(cx)?, self.snd(cx)?);
                    Ok(Val::pair(a.at(cx, i)?, b.at(cx, i)?))
                }
                _ => cx.stuck("an element of what is no array"),
            },
            _ => cx.stuck("an element of what is no array"),
        }
    }

    pub fn fst(&self, cx: &mut Context) -> Res<Val> {
        self.component(cx, true)
    }

    pub fn snd(&self, cx: &mut Context) -> Res<Val> {
        self.component(cx, false)
    }

    fn component(&self, cx: &mut Context, first: bool) -> Res<Val> {
        cx.work()?;
        match self {
            Val::Pair(p) => Ok(if first { &p.0 } else { &p.1 }.clone()),
            // Lanes that are pairs.
            Val::Arr(f) => {
                let f = f.clone();
                Ok(Val::array(move |cx, i| f(cx, i)?.component(cx, first)))
            }
            Val::Neutral(n) => match (n.ty().as_pair(), first) {
                (Some((a, _)), true) => Ok(n.then(Step::Fst, a)),
                (Some((_, b)), false) => Ok(n.then(Step::Snd, b)),
                (None, _) => cx.stuck("a component of what is no pair"),
            },
            _ => cx.stuck("a component of what is no pair"),
        }
    }

    /// What a step does to the value.
    pub fn after(&self, cx: &mut Context, step: &Step) -> Res<Val> {
        match step {
            Step::Apply(x, _) => self.apply(cx, x.clone()),
            Step::At(i) => self.at(cx, *i),
            Step::Fst => self.fst(cx),
            Step::Snd => self.snd(cx),
        }
    }

    /// The value with another part at the end of a path of projections.
    pub fn with(&self, path: &[(Step, Ty)], part: Val) -> Val {
        let Some(((step, _), rest)) = path.split_first() else {
            return part;
        };
        let (whole, rest) = (self.clone(), rest.to_vec());
        match step {
            Step::At(i) => {
                let i = *i;
                Val::array(move |cx, j| {
                    let element = whole.at(cx, j)?;
                    match cx.same_index(i, j)? {
                        true => Ok(element.with(&rest, part.clone())),
                        false => Ok(element),
                    }
                })
            }
            Step::Fst | Step::Snd => Parts {
                whole,
                first: matches!(step, Step::Fst),
                rest,
                part,
            }
            .value(),
            Step::Apply(..) => part,
        }
    }
}

/// A pair of which one component is another.
struct Parts {
    whole: Val,
    first: bool,
    rest: Vec<(Step, Ty)>,
    part: Val,
}

impl Parts {
    fn value(self) -> Val {
        // Only neutrals and pairs have a type of pairs here, and their components exist without evaluation.
        let component = |first: bool| match &self.whole {
            Val::Pair(p) => if first { &p.0 } else { &p.1 }.clone(),
            Val::Neutral(n) => match (n.ty().as_pair(), first) {
                (Some((a, _)), true) => n.then(Step::Fst, a),
                (Some((_, b)), false) => n.then(Step::Snd, b),
                (None, _) => self.whole.clone(),
            },
            other => {
                let other = other.clone();
                Val::array(move |cx, i| other.at(cx, i)?.component(cx, first))
            }
        };
        let changed = component(self.first).with(&self.rest, self.part.clone());
        match self.first {
            true => Val::pair(changed, component(false)),
            false => Val::pair(component(true), changed),
        }
    }
}
