//! What terms become while they are lowered.
//!
//! A [`Val`] is a value that can be read: a scalar expression, a vector, memory,
//! or an array known only by how to compute its elements. Every value knows its
//! *level*: the innermost open block one of whose variables it mentions; it can
//! be computed in any block from there inward.
//! Absent: how to read and write (`read`, `write`).

use super::index_map::{IndexMap, Kept};
use crate::arith::Nat;
use crate::nest::{BufId, Expr};
use crate::term::{Prim, Term};
use crate::ty::{Scalar, Ty};
use std::cell::RefCell;
use std::rc::Rc;

/// A value.
#[derive(Clone)]
pub(super) enum Val {
    /// A scalar or an index.
    Scalar(Expr),
    /// A vector.
    Vec(Rc<Vector>),
    /// A pair.
    Pair(Rc<(Val, Val)>),
    /// An array in memory.
    Mem(Mem),
    /// An array by its elements.
    View(Rc<View>),
    /// A primitive with its arguments: an array, or a function if some are missing.
    Node(Rc<Node>),
    /// A lambda.
    Closure(Rc<Closure>),
    /// A stand-in for the argument of a function that may be a view change.
    Hole,
}

/// A vector in pieces that fit registers.
pub(super) struct Vector {
    pub elem: Scalar,
    pub lanes: u32,
    /// Their lanes add up to `lanes`; each is a power of two.
    pub pieces: Vec<Expr>,
}

/// A value in memory: for each scalar leaf of its type a dense array.
#[derive(Clone)]
pub(super) struct Mem {
    pub ty: Ty,
    pub leaves: Rc<[Leaf]>,
}

/// The place of one leaf.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) struct Leaf {
    pub buf: BufId,
    pub at: Nat,
}

/// An array by its elements.
pub(super) struct View {
    pub level: usize,
    pub n: Nat,
    pub elements: Elements,
}

/// What element `i` of an array is.
pub(super) enum Elements {
    /// Element `(row, i)` of an array that is seen through a view change.
    Row { of: Val, map: IndexMap, row: Nat },
    /// A function of element `from + i`.
    Applied { f: Val, of: Val, from: Nat },
    /// A component of element `i`.
    Part { of: Val, second: bool },
    /// The same for every `i`.
    Same(Val),
    /// Element `i` of one of two arrays; both may be computed.
    Chosen {
        cond: Expr,
        then: Val,
        els: Val,
        elem: Ty,
    },
    /// Element `i` of one of two arrays, of which only the one that is chosen may be computed, inside of blocks of the
    /// level of the index that the condition is about.
    Either {
        cond: Expr,
        level: usize,
        then: Rc<Lazy>,
        els: Rc<Lazy>,
        elem: Ty,
    },
}

/// A value that is computed where it is asked for.
pub(super) enum Lazy {
    Known(Val),
    /// An element of an array.
    At(Rc<Lazy>, Nat),
    /// A component of a pair.
    Part(Rc<Lazy>, bool),
}

impl Lazy {
    /// An element of an array.
    pub fn at(v: &Val, i: Nat) -> Lazy {
        Lazy::At(Rc::new(Lazy::Known(v.clone())), i)
    }
}

/// An applied primitive.
pub(super) struct Node {
    pub prim: Prim,
    /// Of the primitive without arguments.
    pub prim_ty: Ty,
    /// Of the application.
    pub ty: Ty,
    pub args: Vec<Val>,
    pub level: usize,
    /// Where it stands in the program.
    pub term: Option<Term>,
    /// Its elements, once they were computed to memory.
    pub cache: RefCell<Option<Mem>>,
}

/// The window of a `rotateValues` that an iteration of a loop keeps.
pub(super) struct Turned {
    pub node: Rc<Node>,
    /// Which window.
    pub at: Nat,
    pub window: Val,
}

/// A lambda with the values of its variables.
pub(super) struct Closure {
    /// The lambda.
    pub lam: Term,
    pub env: Env,
    pub level: usize,
}

/// Values of the bound variables, the innermost first.
#[derive(Clone, Default)]
pub(super) struct Env(Option<Rc<(Val, Env)>>);

impl Env {
    pub fn push(&self, v: Val) -> Env {
        Env(Some(Rc::new((v, self.clone()))))
    }

    pub fn get(&self, i: u32) -> Option<&Val> {
        let mut at = self;
        for _ in 0..i {
            at = &at.0.as_ref()?.1;
        }
        at.0.as_ref().map(|n| &n.0)
    }
}

impl Val {
    pub fn pair(a: Val, b: Val) -> Val {
        Val::Pair(Rc::new((a, b)))
    }

    pub fn index(n: Nat) -> Val {
        Val::Scalar(Expr::index(n))
    }

    pub fn vec(v: Vector) -> Val {
        Val::Vec(Rc::new(v))
    }

    /// The primitive application it is.
    pub fn as_node(&self) -> Option<&Rc<Node>> {
        match self {
            Val::Node(n) => Some(n),
            _ => None,
        }
    }
}

/// Where a value goes: the dual of a view.
#[derive(Clone)]
pub(super) enum Dest {
    /// Memory of the value's type.
    Mem(Mem),
    /// The two components.
    Pair(Rc<(Dest, Dest)>),
    /// An array by the places of its elements.
    Array(Rc<Places>),
    /// A vector of so many lanes by the places of those.
    Lanes(u32, Rc<Places>),
    /// A lane of a vector's place.
    Lane(Rc<Dest>, Nat),
    /// Only if the condition holds.
    Guard(Expr, Rc<Dest>),
    /// Nowhere.
    Discard,
}

/// Where element (or lane) `i` goes.
pub(super) enum Places {
    /// To the place of another index, if it is kept. A map of two indices has got the outer one, or waits for it: its
    /// places are then arrays, or vectors of so many lanes.
    Mapped {
        to: Dest,
        map: IndexMap,
        kept: Kept,
        outer: Option<Nat>,
        lanes: Option<u32>,
    },
    /// To a lane of one of the vectors of so many lanes.
    LaneOf { to: Dest, lanes: Nat },
    /// To where it becomes element `i` by a function that is a view change, applied to a stand-in.
    Through { to: Dest, dual: Val },
    /// To a component of the place of element `i`.
    Part { to: Dest, second: bool },
    /// To a component of the place of lane `i`.
    LanePart { to: Rc<Places>, second: bool },
    /// To the scalar `at + i` of a leaf of a value of a type.
    Flat {
        to: Dest,
        ty: Ty,
        leaf: usize,
        at: i64,
    },
    /// To lane `at + i`.
    LaneFrom { to: Dest, at: i64 },
}

impl Dest {
    pub fn by(places: Places) -> Dest {
        Dest::Array(Rc::new(places))
    }

    /// Where elements go that are seen through a change of indices.
    pub fn mapped(self, map: IndexMap, kept: Kept) -> Dest {
        match self {
            Dest::Discard => Dest::Discard,
            to => Dest::by(Places::Mapped {
                to,
                map,
                kept,
                outer: None,
                lanes: None,
            }),
        }
    }

    pub fn pair(a: Dest, b: Dest) -> Dest {
        match (a, b) {
            (Dest::Discard, Dest::Discard) => Dest::Discard,
            (a, b) => Dest::Pair(Rc::new((a, b))),
        }
    }

    pub fn guard(cond: Expr, d: Dest) -> Dest {
        match (cond.as_bool(), d) {
            (Some(true), d) => d,
            (Some(false), _) => Dest::Discard,
            (None, Dest::Guard(c, d)) => Dest::Guard(cond.and(c), d),
            (None, Dest::Discard) => Dest::Discard,
            (None, d) => Dest::Guard(cond, Rc::new(d)),
        }
    }
}

/// The array of pairs of which a value has both components, the first one first. In memory both lie alike.
pub(super) fn parts_of_one(v: &Val) -> Option<Rc<Node>> {
    let Val::Pair(p) = v else { return None };
    let part = |v: &Val, which: bool| match v {
        Val::View(view) => match &view.elements {
            Elements::Part { of, second } if *second == which => of.as_node().cloned(),
            _ => None,
        },
        // `unzip` of `unzip`: the component is an array of pairs itself.
        Val::Pair(_) => match &part_of_part(v)?.elements {
            Elements::Part { of, second } if *second == which => of.as_node().cloned(),
            _ => None,
        },
        _ => None,
    };
    let (a, b) = (part(&p.0, false)?, part(&p.1, true)?);
    Rc::ptr_eq(&a, &b).then_some(a)
}

/// The view of an array of pairs of which a value has both components.
fn part_of_part(v: &Val) -> Option<Rc<View>> {
    let Val::Pair(p) = v else { return None };
    let of = |v: &Val, which: bool| -> Option<Rc<View>> {
        let inner = match v {
            Val::View(view) => view.clone(),
            Val::Pair(_) => part_of_part(v)?,
            _ => return None,
        };
        match &inner.elements {
            Elements::Part {
                of: Val::View(outer),
                second,
            } if *second == which => Some(outer.clone()),
            _ => None,
        }
    };
    let (a, b) = (of(&p.0, false)?, of(&p.1, true)?);
    Rc::ptr_eq(&a, &b).then_some(a)
}

/// A number that is computed of indices.
#[derive(Copy, Clone)]
pub struct Number {
    /// What it is, up to multiples of 2^64, or of 2^32 if it has 32 bits.
    pub value: Nat,
    /// Whether it is known to be that itself.
    pub fits: bool,
}

/// What has to be: numbers that must not be negative.
pub type Asks = Vec<Nat>;
