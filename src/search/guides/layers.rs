//! The layers of a goal, and which of them a rule is for.
//!
//! In: a rule. Out: the layers of what its right side has and its left side has not. Invariant: it is read off the two sides,
//! never off the name. Absent: sketches.

use crate::elab::RuleDecl;
use crate::term::{Kind, Op, Sort, Term};
use std::collections::BTreeMap;

/// Kinds of changes that a goal asks for, each of which can be left out of it.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Layer {
    /// Sizes choose among kernels.
    Choice,
    /// Loops are taken apart.
    Tiles,
    /// Loops change places.
    Order,
    /// Arrays are kept in memory.
    Kept,
    /// Numbers become vectors.
    Vectors,
    /// Loops are parallel or unrolled, what is kept is copied by vectors.
    Form,
}

impl Layer {
    /// All of them, in the order in which a person would make them.
    pub const ALL: [Layer; 6] = [
        Layer::Choice,
        Layer::Tiles,
        Layer::Order,
        Layer::Kept,
        Layer::Vectors,
        Layer::Form,
    ];

    /// What it does, for a list.
    pub fn name(self) -> &'static str {
        match self {
            Layer::Choice => "choices by size",
            Layer::Tiles => "tiles",
            Layer::Order => "order of loops",
            Layer::Kept => "arrays in memory",
            Layer::Vectors => "vectors",
            Layer::Form => "form of loops",
        }
    }
}

/// A set of layers.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Layers(u8);

impl Layers {
    /// Those in the list.
    pub fn of(all: impl IntoIterator<Item = Layer>) -> Layers {
        Layers(all.into_iter().fold(0, |set, l| set | 1 << l as u8))
    }

    /// Whether a layer is one of them.
    pub fn has(self, l: Layer) -> bool {
        self.0 & 1 << l as u8 != 0
    }

    /// The layers of both.
    pub fn and(self, o: Layers) -> Layers {
        Layers(self.0 | o.0)
    }

    /// Without those of another set.
    pub fn without(self, o: Layers) -> Layers {
        Layers(self.0 & !o.0)
    }

    /// Whether each of them is in another set.
    pub fn within(self, o: Layers) -> bool {
        self.0 & !o.0 == 0
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// In their order.
    pub fn iter(self) -> impl Iterator<Item = Layer> {
        Layer::ALL.into_iter().filter(move |l| self.has(*l))
    }
}

impl std::fmt::Display for Layers {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let names: Vec<&str> = self.iter().map(Layer::name).collect();
        f.write_str(&names.join(", "))
    }
}

/// What a rule is for; of no layer are those that help all of them, as fusion does.
pub fn of_rule(rule: &RuleDecl) -> Layers {
    let (left, right) = (ops(&rule.lhs), ops(&rule.rhs));
    let makes = |op: &Op| right.get(op) > left.get(op);
    let any = |all: &[Op]| all.iter().any(makes);
    let is_loop = |op: &Op| matches!(op.sort(), Sort::Loop(_));
    let loops = left.keys().any(is_loop);
    // What matches every array, or what is kept already, makes places where data lies.
    let places = matches!(rule.lhs.kind(), Kind::Hole(_)) || left.contains_key(&Op::ToMem);
    let views = [Op::Transpose, Op::Split, Op::Join, Op::Map, Op::Reorder];
    let vectors = [Op::AsVector, Op::AsScalar, Op::VectorFromScalar];
    let lanes = left
        .keys()
        .chain(right.keys())
        .any(|op| vectors.contains(op));
    let mut layers = Vec::new();
    let mut add = |l: Layer, holds: bool| layers.extend(holds.then_some(l));
    add(Layer::Choice, any(&[Op::Select]));
    add(Layer::Vectors, lanes);
    add(
        Layer::Kept,
        any(&[Op::ToMem]) || places && !lanes && any(&views),
    );
    add(
        Layer::Form,
        any(&[
            Op::MapSeq,
            Op::MapPar,
            Op::MapSeqUnroll,
            Op::ReduceSeqUnroll,
        ]),
    );
    add(
        Layer::Tiles,
        loops && any(&[Op::Split, Op::Concat, Op::Slide]),
    );
    add(Layer::Order, loops && any(&[Op::Transpose]));
    Layers::of(layers)
}

/// Whether a rule keeps something in memory.
pub(super) fn keeps(rule: &RuleDecl) -> bool {
    ops(&rule.rhs).contains_key(&Op::ToMem)
}

fn ops(t: &Term) -> BTreeMap<Op, usize> {
    let mut all = BTreeMap::new();
    t.visit(&mut |t, _| {
        if let Kind::Prim(p) = t.kind() {
            *all.entry(p.op()).or_default() += 1;
        }
    });
    all
}
