//! `vectorizable f as fv [k]`: a scalar function on vectors of `k` lanes.
//!
//! Follows the best nodes of a class: variables of the function and the
//! primitives that work lane by lane get vector types; what does not depend on
//! the function's variables is the same for all lanes and becomes
//! `vectorFromScalar` of itself. Anything else refuses.

use crate::arith::Nat;
use crate::egraph::record::word;
use crate::egraph::{Free, Graph, Id, Node, Shape};
use crate::intern::Symbol;
use crate::term::{Kind, Op, Prim, Term};
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
        let made = g.add(Node::new(Shape::App([splat, id]), ty));
        g.note(word::KEEP);
        g.note_made(made);
        return Some(made);
    }
    let ty = vector_type(facts.ty, k)?;
    g.note_node(&facts.best);
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
        Shape::Prim(p) if lane_wise(p, facts.ty) => Shape::Prim(p),
        _ => return None,
    };
    let made = g.add(Node::new(shape, ty));
    g.note_made(made);
    Some(made)
}

/// What of a function keeps it from working on vectors, with the binders above it; the
/// same as [`vectorize`] on a term instead of a class.
pub fn obstacle(f: &Term, lanes: Nat) -> Option<(Term, Vec<Option<Symbol>>)> {
    let mut binders = Vec::new();
    let at = hindrance(f, lanes, Free::default(), &mut binders)?;
    Some((at, binders))
}

/// Binders stay where something is found.
fn hindrance(t: &Term, k: Nat, varying: Free, binders: &mut Vec<Option<Symbol>>) -> Option<Term> {
    let varies = (0..t.open().min(63)).any(|i| varying.has(i) && t.mentions(i));
    if t.ty().is_flat() && !varies {
        return match vector_type(t.ty(), k) {
            Some(_) => None,
            None => Some(t.clone()),
        };
    }
    if vector_type(t.ty(), k).is_none() {
        return Some(t.clone());
    }
    match t.kind() {
        Kind::Var(i) if varying.has(*i) && *i < 63 => None,
        Kind::Lam(hint, b) if varying.0 >> 62 == 0 => {
            binders.push(*hint);
            let found = hindrance(b, k, Free((varying.0 << 1) | 1), binders);
            if found.is_none() {
                binders.pop();
            }
            found
        }
        Kind::App(f, x) => {
            hindrance(f, k, varying, binders).or_else(|| hindrance(x, k, varying, binders))
        }
        Kind::Prim(p) if lane_wise(*p, t.ty()) => None,
        _ => Some(t.clone()),
    }
}

/// Whether a primitive of a type on scalars means the same of each lane of vectors; a number of steps is the same in all.
/// Remainders are left to scalars.
fn lane_wise(p: Prim, ty: Ty) -> bool {
    match p.op() {
        Op::Pair | Op::Fst | Op::Snd | Op::Let | Op::Iterate => true,
        Op::Mod => false,
        op => op.works_on_lanes(ty),
    }
}

fn vector_type(ty: Ty, k: Nat) -> Option<Ty> {
    match ty.kind() {
        TyKind::Scalar(_) | TyKind::Pair(..) if ty.is_flat() => Some(Ty::vec(k, ty)),
        TyKind::Fun(a, b) => Some(Ty::fun(vector_type(a, k)?, vector_type(b, k)?)),
        _ => None,
    }
}
