//! Expressions over scalars as a graph without names.
//!
//! In: operations and leaves. Out: ids, equal for what is written alike. Invariant: operands have smaller ids, so a walk by
//! id meets them first. Absent: what an expression means (`points`, `cases`).

use crate::interp::Num;
use crate::term::Op;
use crate::ty::Scalar;
use rustc_hash::FxHashMap;

/// An expression.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Id(pub u32);

#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum What {
    /// The leaf of that number.
    Leaf(u32),
    /// An integer, a truth value or the bits of an f64, by the type.
    Const(i128),
    /// An operation on so many operands; the others repeat the first.
    Apply(Op, u8, [Id; 3]),
}

#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Node {
    pub what: What,
    pub ty: Scalar,
}

/// A number that may have any value of its type.
#[derive(Copy, Clone, Debug)]
pub(super) struct Leaf {
    pub ty: Scalar,
    /// Whether it is an index.
    pub index: bool,
}

#[derive(Clone, Default)]
pub(super) struct Dag {
    nodes: Vec<Node>,
    depths: Vec<u16>,
    ids: FxHashMap<Node, Id>,
    pub leaves: Vec<Leaf>,
}

/// Larger graphs are no operators that anybody asks about.
const MOST_NODES: usize = 6_000;
/// Whoever evaluates an expression may recurse.
const MOST_DEPTH: u16 = 200;

impl Dag {
    fn intern(&mut self, node: Node) -> Option<Id> {
        let next = Id(self.nodes.len() as u32);
        let id = *self.ids.entry(node).or_insert(next);
        if id == next {
            let depth = match node.what {
                What::Apply(_, n, args) => {
                    let parts = args[..n.into()].iter().map(|a| self.depths[a.0 as usize]);
                    parts.max().unwrap_or(0) + 1
                }
                _ => 0,
            };
            self.nodes.push(node);
            self.depths.push(depth);
        }
        let small = self.nodes.len() <= MOST_NODES && self.depths[id.0 as usize] <= MOST_DEPTH;
        small.then_some(id)
    }

    pub fn leaf(&mut self, leaf: Leaf) -> Option<Id> {
        self.leaves.push(leaf);
        let what = What::Leaf(self.leaves.len() as u32 - 1);
        self.intern(Node { what, ty: leaf.ty })
    }

    pub fn int(&mut self, n: i128, ty: Scalar) -> Option<Id> {
        let what = What::Const(n);
        self.intern(Node { what, ty })
    }

    pub fn float(&mut self, x: f64, ty: Scalar) -> Option<Id> {
        self.int(x.to_bits().into(), ty)
    }

    pub fn apply(&mut self, op: Op, args: &[Id], ty: Scalar) -> Option<Id> {
        let mut all = [*args.first()?; 3];
        all.get_mut(..args.len())?.copy_from_slice(args);
        let what = What::Apply(op, args.len() as u8, all);
        self.intern(Node { what, ty })
    }

    /// Whether it is a constant that is no finite float.
    pub fn is_infinite(&self, id: Id) -> bool {
        let node = self.node(id);
        match node.what {
            What::Const(c) if node.ty.is_float() => !f64::from_bits(c as u64).is_finite(),
            _ => false,
        }
    }

    /// Whether exponentials and the like are among the expressions.
    pub fn has_functions(&self) -> bool {
        let function = |n: &Node| matches!(n.what, What::Apply(op, ..) if op.function().is_some());
        self.nodes.iter().any(function)
    }

    pub fn node(&self, id: Id) -> Node {
        self.nodes[id.0 as usize]
    }

    /// The expressions that these consist of, operands first.
    pub fn cone(&self, of: &[Id]) -> Vec<Id> {
        let mut inside = vec![false; self.nodes.len()];
        of.iter().for_each(|id| inside[id.0 as usize] = true);
        for i in (0..self.nodes.len())
            .rev()
            .filter(|i| *i < self.nodes.len())
        {
            if let (true, What::Apply(_, n, args)) = (inside[i], self.nodes[i].what) {
                for a in &args[..n.into()] {
                    inside[a.0 as usize] = true;
                }
            }
        }
        let all = (0..self.nodes.len()).filter(|i| inside[*i]);
        all.map(|i| Id(i as u32)).collect()
    }

    /// The constants of an expression, as numbers of their types.
    pub fn constants(&self, of: &[Id]) -> Vec<(Scalar, Num)> {
        let nodes = self.cone(of).into_iter().map(|id| self.node(id));
        nodes
            .filter_map(|n| match n.what {
                What::Const(c) => Some((n.ty, number(c, n.ty))),
                _ => None,
            })
            .collect()
    }
}

/// A constant as a number.
pub(super) fn number(c: i128, ty: Scalar) -> Num {
    match ty {
        Scalar::F64 => Num::F64(f64::from_bits(c as u64)),
        s if s.is_float() => Num::F32(f64::from_bits(c as u64) as f32),
        _ => Num::Int(c as i64),
    }
}
