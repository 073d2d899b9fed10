//! `vectorizable f as fv [k]`, as a relation between two terms.
//!
//! Comes in: a function on scalars, a function on vectors; goes out: whether the
//! second is the first lane by lane. Variables of the function hold one value for
//! each lane; what mentions none of them is the same in all lanes and stands
//! under `vectorFromScalar`. Written for the checker alone.

use crate::arith::Nat;
use crate::term::{Kind, Op, Term};
use crate::ty::{Ty, TyKind};

/// Whether `fv` is `f` on `k` lanes.
pub fn lane_by_lane(f: &Term, fv: &Term, k: Nat) -> bool {
    relates(f, fv, k, 0)
}

/// `own`: how many of the innermost variables are the function's.
fn relates(t: &Term, v: &Term, k: Nat, own: u32) -> bool {
    if widened(t.ty(), k) != Some(v.ty()) {
        return false;
    }
    if same_in_all_lanes(t, v, own) {
        return true;
    }
    match (t.kind(), v.kind()) {
        (Kind::Var(i), Kind::Var(j)) => i == j && *i < own,
        (Kind::Lam(_, a), Kind::Lam(_, b)) => relates(a, b, k, own + 1),
        (Kind::App(f, x), Kind::App(g, y)) => relates(f, g, k, own) && relates(x, y, k, own),
        (Kind::Prim(p), Kind::Prim(q)) => p == q && works_on_lanes(p.op(), t.ty()),
        _ => false,
    }
}

/// Whether `v` is `vectorFromScalar t`, and `t` mentions none of the `own` variables.
fn same_in_all_lanes(t: &Term, v: &Term, own: u32) -> bool {
    let Kind::App(head, x) = v.kind() else {
        return false;
    };
    let splat = matches!(head.kind(), Kind::Prim(p) if p.op() == Op::VectorFromScalar);
    splat && t.ty().is_flat() && x == t && (0..own).all(|i| !t.mentions(i))
}

/// The type with a vector for every scalar.
fn widened(t: Ty, k: Nat) -> Option<Ty> {
    match t.kind() {
        TyKind::Fun(a, b) => Some(Ty::fun(widened(a, k)?, widened(b, k)?)),
        _ if t.is_flat() => Some(Ty::vec(k, t)),
        _ => None,
    }
}

/// Operations of a type on scalars whose meaning on vectors is their meaning on each lane.
fn works_on_lanes(op: Op, ty: Ty) -> bool {
    match op {
        Op::Pair | Op::Fst | Op::Snd | Op::Let | Op::Iterate => true,
        _ => op.works_on_lanes(ty) && op != Op::Mod,
    }
}
