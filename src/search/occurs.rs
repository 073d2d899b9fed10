//! What occurs in a graph: primitives, lengths, element types.
//!
//! In: a graph. Out: each of them once, in the order of classes. A sketch that asks for something else asks
//! for what no rule has made, or for what was written by mistake. Absent: where it occurs.

use crate::arith::Nat;
use crate::egraph::{Class, Shape, View};
use crate::term::Op;
use crate::ty::{Scalar, Ty, TyKind};
use std::collections::BTreeSet;

/// What occurs in a graph.
#[derive(Clone, Debug, Default)]
pub struct Occurs {
    /// Primitives.
    pub ops: Vec<Op>,
    /// Lengths of arrays and vectors.
    pub sizes: Vec<Nat>,
    /// Types of elements.
    pub scalars: Vec<Scalar>,
    /// Whether there are vectors.
    pub vectors: bool,
}

/// Looks at every class.
pub(super) fn occurs(view: &View) -> Occurs {
    let (mut ops, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut has = Occurs::default();
    for c in 0..view.len() as Class {
        for node in view.nodes(c) {
            if let Shape::Prim(p) = node.shape {
                if ops.insert(p.op().name()) {
                    has.ops.push(p.op());
                }
            }
        }
        lengths(view.ty(c), &mut seen, &mut has);
    }
    has
}

fn lengths(ty: Ty, seen: &mut BTreeSet<u32>, has: &mut Occurs) {
    if !seen.insert(ty.id()) {
        return;
    }
    let add = |n: Nat, sizes: &mut Vec<Nat>| {
        if !sizes.contains(&n) {
            sizes.push(n);
        }
    };
    match ty.kind() {
        TyKind::Scalar(s) if !has.scalars.contains(&s) => has.scalars.push(s),
        TyKind::Array(n, t) => {
            add(n, &mut has.sizes);
            lengths(t, seen, has);
        }
        TyKind::Vec(n, t) => {
            has.vectors = true;
            add(n, &mut has.sizes);
            lengths(t, seen, has);
        }
        TyKind::Pair(a, b) | TyKind::Fun(a, b) => {
            lengths(a, seen, has);
            lengths(b, seen, has);
        }
        _ => {}
    }
}
