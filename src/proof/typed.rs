//! Whether a closed term is well typed, node by node.
//!
//! Terms of the program are so by construction; terms of a file are what the file
//! says.

use super::types::Unknowns;
use crate::term::{Kind, Lit, Prim, Term};
use crate::ty::{Scalar, Ty, TyKind};

/// The first node that has another type than its parts give it.
pub fn ill_typed(t: &Term) -> Option<Term> {
    go(t, &mut Vec::new()).err()
}

/// The same of the part of a term at a place.
pub fn ill_typed_at(t: &Term, place: &[u8]) -> Option<Term> {
    let mut scope = Vec::new();
    let mut here = t;
    for way in place {
        here = match (here.kind(), way) {
            (Kind::Lam(_, b), 0) => {
                scope.extend(here.ty().as_fun().map(|f| f.0));
                b
            }
            (Kind::App(f, _), 0) => f,
            (Kind::App(_, x), 1) => x,
            _ => return Some(here.clone()),
        };
    }
    go(here, &mut scope).err()
}

fn go(t: &Term, scope: &mut Vec<Ty>) -> Result<(), Term> {
    let fine = match t.kind() {
        Kind::Var(i) => {
            let at = scope.len().checked_sub(1 + *i as usize);
            at.is_some_and(|at| scope[at] == t.ty())
        }
        Kind::Lam(_, b) => {
            let Some((arg, result)) = t.ty().as_fun() else {
                return Err(t.clone());
            };
            scope.push(arg);
            go(b, scope)?;
            scope.pop();
            b.ty() == result
        }
        Kind::App(f, x) => {
            go(f, scope)?;
            go(x, scope)?;
            f.ty().as_fun() == Some((x.ty(), t.ty()))
        }
        Kind::Prim(p) => primitive(*p, t.ty()),
        Kind::Lit(l) => literal(*l, t.ty()),
        Kind::Hole(_) => false,
    };
    if fine {
        Ok(())
    } else {
        Err(t.clone())
    }
}

fn primitive(p: Prim, ty: Ty) -> bool {
    let sizes = p.sizes();
    let Some(scheme) = p.op().scheme(&sizes) else {
        return false;
    };
    let mut unknowns = Unknowns::given(&sizes);
    if ty.has_meta() || !unknowns.ty(scheme.ty, ty) {
        return false;
    }
    let Some(known) = unknowns.solved() else {
        return false;
    };
    let mut classes = scheme.tys.iter().enumerate();
    classes.all(|(i, c)| known.tys.get(&(i as u32)).is_some_and(|t| c.admits(*t)))
        && p.op().keeps_lanes(ty)
}

fn literal(l: Lit, ty: Ty) -> bool {
    match (l, ty.kind()) {
        (Lit::Bool(_), TyKind::Scalar(s)) => s == Scalar::Bool,
        (Lit::F32(b), TyKind::Scalar(s)) => {
            s == Scalar::F32 || s.is_half() && s.rounded(f32::from_bits(b)).to_bits() == b
        }
        (Lit::F64(_), TyKind::Scalar(s)) => s == Scalar::F64,
        (Lit::Int(_), TyKind::Scalar(s)) => s.is_int(),
        // Of floats it is the nearest one.
        (Lit::Size(_), TyKind::Scalar(s)) => s.is_int() || s.is_float(),
        (Lit::Int(i), TyKind::Idx(n)) => i >= 0 && n.as_int().is_none_or(|n| i < i128::from(n)),
        _ => false,
    }
}
