//! The sizes that a side of a rule speaks of.
//!
//! Comes in: a term; goes out: every size in it that has to be whole and not negative for the term to have a meaning.
//! Absent: what is known of them.

use crate::arith::Nat;
use crate::term::{Kind, Op, Term};
use crate::ty::{Ty, TyKind};

/// The sizes of its types, and those that its primitives are given or leave implicit.
pub fn sizes_of(side: &Term) -> Vec<Nat> {
    let mut all = Vec::new();
    side.visit(&mut |t, _| {
        collect(t.ty(), &mut all);
        let Kind::Prim(p) = t.kind() else { return };
        all.extend(p.sizes());
        let (args, result) = uncurried(t.ty());
        let len = |t: Option<&Ty>| t.and_then(|t| t.as_array()).map(|a| a.0);
        match p.op() {
            Op::Take | Op::Drop => all.extend(len(args.first()).map(|n| n - p.sizes()[0])),
            Op::At => all.extend(len(args.first()).map(|n| n - Nat::int(1) - p.sizes()[0])),
            Op::Slide | Op::CircularBuffer | Op::RotateValues => {
                all.extend(len(Some(&result)).map(|n| n - Nat::int(1)));
            }
            _ => {}
        }
    });
    let mut seen = rustc_hash::FxHashSet::default();
    all.retain(|n| seen.insert(*n));
    all
}

fn collect(t: Ty, all: &mut Vec<Nat>) {
    match t.kind() {
        TyKind::Scalar(_) | TyKind::Meta(_) => {}
        TyKind::Idx(n) => all.push(n),
        TyKind::Pair(a, b) | TyKind::Fun(a, b) => {
            collect(a, all);
            collect(b, all);
        }
        TyKind::Vec(n, t) | TyKind::Array(n, t) => {
            all.push(n);
            collect(t, all);
        }
    }
}

/// The types of arguments, and of the result.
pub fn uncurried(ty: Ty) -> (Vec<Ty>, Ty) {
    let (mut args, mut ty) = (Vec::new(), ty);
    while let Some((a, r)) = ty.as_fun() {
        args.push(a);
        ty = r;
    }
    (args, ty)
}
