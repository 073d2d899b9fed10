//! What values are made of.
//!
//! In: nothing. Out: the forms of values. Absent: the table of them (`value`).

use crate::arith::Nat;
use crate::intern::Symbol;
use crate::term::{Lit, Op};
use crate::ty::Scalar;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::rc::Rc;

/// A value: an entry of the table.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct V(pub u32);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    Lit(Lit, Scalar),
    /// An index, or an integer of 64 bits that is one.
    Idx(Nat),
    /// An element of an input, flat.
    In(u32, Nat),
    /// With the type of the result.
    Op(Op, Scalar, SmallVec<[V; 3]>),
    Cast(V, Scalar, Scalar),
    /// The same bits as another type.
    Bits(V, Scalar, Scalar),
    /// Below a bound.
    Clamp(V, Nat),
    /// A part of the state of the reduction around it that is so deep.
    Acc(u32, u32),
    /// See Note [Cells].
    Cell(u32, u32, SmallVec<[Nat; 2]>),
    Fold(Rc<Fold>),
    /// One of several, as an index below their number has it.
    Table(Nat, Rc<[V]>),
    /// An element of a state each of whose elements is made of several.
    Tensor(Rc<Tensor>, u32, SmallVec<[Nat; 2]>),
    /// Nothing was stored there.
    Undef,
}

/// A part of the state after so many steps.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Fold {
    pub depth: u32,
    pub n: Nat,
    pub starts: Vec<V>,
    pub steps: Vec<V>,
    pub which: u32,
}

/// The state after n steps.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Tensor {
    /// Of its cells.
    pub of: u32,
    pub k: Symbol,
    pub n: Nat,
    pub parts: Vec<Portion>,
}

/// An array of the state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Portion {
    pub leaf: u32,
    pub dims: Vec<Nat>,
    /// Whether a place is one flat index.
    pub flat: bool,
    /// The flat index of the first element.
    pub base: Nat,
    /// The indices of an element.
    pub params: Vec<Symbol>,
    pub start: V,
    pub step: V,
}

/// How long an array is, and whether places in it are flat.
#[derive(Clone)]
pub struct Shape {
    pub dims: Vec<Nat>,
    pub flat: bool,
    pub base: Nat,
}

/// Two tensors that are compared: the cells of both, and which parts are the same.
#[derive(Clone)]
pub struct Relation {
    pub cells: (u32, u32),
    pub parts: Vec<(u32, u32)>,
}

/// The variables, values and loops of cells that stand in a value.
#[derive(Default)]
pub struct Inside {
    pub vars: FxHashSet<Symbol>,
    pub all: FxHashSet<V>,
    pub cells: FxHashSet<u32>,
}

/// The values that were seen since it was begun.
#[derive(Default)]
pub struct Seen {
    round: u32,
    rounds: Vec<u32>,
}

impl Seen {
    pub fn begin(&mut self, many: usize) {
        self.round += 1;
        if self.rounds.len() < many {
            self.rounds.resize(many, 0);
        }
    }

    pub fn insert(&mut self, v: V) -> bool {
        std::mem::replace(&mut self.rounds[v.0 as usize], self.round) != self.round
    }
}

/// The values in a node itself, in the order in which they are looked at.
pub fn values(node: &Node) -> SmallVec<[V; 8]> {
    match node {
        Node::Op(_, _, args) => args.iter().copied().collect(),
        Node::Cast(a, ..) | Node::Bits(a, ..) | Node::Clamp(a, _) => SmallVec::from_slice(&[*a]),
        Node::Fold(f) => f.starts.iter().chain(&f.steps).copied().collect(),
        Node::Table(_, all) => all.iter().copied().collect(),
        Node::Tensor(t, ..) => (t.parts.iter().rev())
            .flat_map(|p| [p.step, p.start])
            .collect(),
        _ => SmallVec::new(),
    }
}

/// The numbers in a node itself.
pub fn nats(node: &Node) -> impl Iterator<Item = Nat> + '_ {
    let (one, many): (Option<Nat>, &[Nat]) = match node {
        Node::Idx(n) | Node::In(_, n) | Node::Clamp(_, n) | Node::Table(n, _) => (Some(*n), &[]),
        Node::Lit(Lit::Size(n), _) => (Some(*n), &[]),
        Node::Fold(f) => (Some(f.n), &[]),
        Node::Cell(_, _, at) => (None, at),
        Node::Tensor(t, _, at) => (Some(t.n), at),
        _ => (None, &[]),
    };
    let inner: &[Portion] = match node {
        Node::Tensor(t, ..) => &t.parts,
        _ => &[],
    };
    let dims = inner
        .iter()
        .flat_map(|p| p.dims.iter().copied().chain([p.base]));
    one.into_iter().chain(many.iter().copied()).chain(dims)
}

pub fn numbered(cells: &[V]) -> Vec<(V, u32)> {
    cells.iter().copied().zip(0..).collect()
}
