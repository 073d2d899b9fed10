//! Applies primitives to terms without writing out their types.
//!
//! Comes in: an operation, its explicit sizes, arguments; goes out: the
//! application at the type that the scheme and the arguments decide. Invariant:
//! what comes out is well typed; where the arguments decide too little, or fit
//! nothing, there is `None`. Absent: inference inside of the arguments.

use super::{Op, Prim, Term};
use crate::arith::Nat;
use crate::ty::{Ty, TyKind, TySubst};

/// `op[sizes] args…`; `None` when the arguments do not fit or do not decide the type.
pub fn call(op: Op, sizes: impl AsRef<[Nat]>, args: impl AsRef<[Term]>) -> Option<Term> {
    build(op, sizes.as_ref(), args.as_ref(), None)
}

/// As [`call`], for a result that is a `result`.
pub fn call_as(
    op: Op,
    sizes: impl AsRef<[Nat]>,
    args: impl AsRef<[Term]>,
    result: Ty,
) -> Option<Term> {
    build(op, sizes.as_ref(), args.as_ref(), Some(result))
}

fn build(op: Op, sizes: &[Nat], args: &[Term], result: Option<Ty>) -> Option<Term> {
    if sizes.len() != op.size_args() {
        return None;
    }
    let scheme = op.scheme(sizes)?;
    let mut subst = TySubst::default();
    for (i, &n) in sizes.iter().enumerate() {
        subst.nats.insert(i as u32, n);
    }
    let (mut rest, mut open) = (scheme.ty, Vec::new());
    for a in args {
        let (want, next) = rest.as_fun()?;
        fit(want, a.ty(), &mut subst, &mut open)?;
        rest = next;
    }
    if let Some(result) = result {
        fit(rest, result, &mut subst, &mut open)?;
    }
    while !open.is_empty() {
        let before = open.len();
        let mut later = Vec::new();
        for (want, have) in open {
            let want: Nat = subst.nat(want);
            if !want.has_meta() {
                (want == have).then_some(())?;
            } else if let Some((i, n)) = want.solve(have) {
                subst.nats.insert(i, n);
            } else {
                later.push((want, have));
            }
        }
        open = later;
        if open.len() == before {
            return None;
        }
    }
    let classes = scheme.tys.iter().enumerate();
    for (i, class) in classes {
        if !class.admits(*subst.tys.get(&(i as u32))?) {
            return None;
        }
    }
    let ty = subst.ty(scheme.ty);
    op.keeps_lanes(ty).then_some(())?;
    if ty.has_meta() && !args.iter().any(|a| a.ty().has_meta()) {
        return None;
    }
    let head = Term::prim(Prim::new(op, sizes), ty);
    Some(Term::apps(head, args.iter().cloned()))
}

/// Matches a scheme's type with a term's; sizes are left for later.
fn fit(want: Ty, have: Ty, subst: &mut TySubst, open: &mut Vec<(Nat, Nat)>) -> Option<()> {
    match (want.kind(), have.kind()) {
        (TyKind::Meta(i), _) => match subst.tys.get(&i) {
            Some(&t) => (t == have).then_some(()),
            None => {
                subst.tys.insert(i, have);
                Some(())
            }
        },
        (TyKind::Scalar(a), TyKind::Scalar(b)) => (a == b).then_some(()),
        (TyKind::Idx(n), TyKind::Idx(m)) => {
            open.push((n, m));
            Some(())
        }
        (TyKind::Pair(a, b), TyKind::Pair(c, d)) | (TyKind::Fun(a, b), TyKind::Fun(c, d)) => {
            fit(a, c, subst, open)?;
            fit(b, d, subst, open)
        }
        (TyKind::Array(n, t), TyKind::Array(m, u)) => {
            open.push((n, m));
            fit(t, u, subst, open)
        }
        (TyKind::Vec(n, t), _) => {
            let (m, u) = have.as_vec()?;
            open.push((n, m));
            fit(t, u, subst, open)
        }
        _ => None,
    }
}
