//! `vectorizable f as fv [k]`: a scalar function on vectors of `k` lanes.
//!
//! Follows the best nodes of a class: variables of the function and the
//! primitives that work lane by lane get vector types; what does not depend on
//! the function's variables is the same for all lanes and becomes
//! `vectorFromScalar` of itself. Anything else refuses.

use crate::arith::Nat;
use crate::egraph::{Free, Graph, Id, Node, Shape};
use crate::term::{Op, Prim};
use crate::ty::{Ty, TyKind};

/// The class of `f` on vectors, if it can be had. Its type has every scalar of
/// `f`'s type replaced by a vector.
pub fn vectorize(g: &mut Graph, f: Id, lanes: Nat) -> Option<Id> {
    go(g, f, lanes, Free::default())
}

/// `varying`: the variables that differ from lane to lane.
fn go(g: &mut Graph, id: Id, k: Nat, varying: Free) -> Option<Id> {
    let facts = *g.facts(id);
    if facts.ty.is_flat() && facts.free.0 & varying.0 == 0 {
        let ty = vector_type(facts.ty, k)?;
        let splat = Node::new(
            Shape::Prim(Op::VectorFromScalar.into()),
            Ty::fun(facts.ty, ty),
        );
        let splat = g.add(splat);
        return Some(g.add(Node::new(Shape::App([splat, id]), ty)));
    }
    let ty = vector_type(facts.ty, k)?;
    let shape = match facts.best.shape {
        Shape::Var(i) if varying.has(i) && i < 63 => Shape::Var(i),
        Shape::Lam([b]) => {
            if varying.0 >> 62 != 0 {
                return None;
            }
            let inner = Free((varying.0 << 1) | 1);
            Shape::Lam([go(g, b, k, inner)?])
        }
        Shape::App([f, x]) => {
            let f = go(g, f, k, varying)?;
            Shape::App([f, go(g, x, k, varying)?])
        }
        Shape::Prim(p) if lane_wise(p) => Shape::Prim(p),
        _ => return None,
    };
    Some(g.add(Node::new(shape, ty)))
}

/// Whether a primitive on vectors means the primitive on each lane.
fn lane_wise(p: Prim) -> bool {
    use Op::*;
    matches!(
        p.op(),
        Pair | Fst
            | Snd
            | Neg
            | Add
            | Sub
            | Mul
            | Div
            | Min
            | Max
            | Fma
            | Abs
            | Sqrt
            | Exp
            | Log
            | Sin
            | Cos
            | Tanh
    )
}

fn vector_type(ty: Ty, k: Nat) -> Option<Ty> {
    match ty.kind() {
        TyKind::Scalar(_) | TyKind::Pair(..) if ty.is_flat() => Some(Ty::vec(k, ty)),
        TyKind::Fun(a, b) => Some(Ty::fun(vector_type(a, k)?, vector_type(b, k)?)),
        _ => None,
    }
}
