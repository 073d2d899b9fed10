//! What a definition is to those who use it: a term and a type, general in sizes and types.

use super::pre::{Extent, Pre};
use crate::arith::{AtomKind, Nat};
use crate::intern::Symbol;
use crate::source::Span;
use crate::term::Class;
use crate::ty::{Ty, TyKind};

/// Unknowns in it are numbered as they were when it was inferred; a use replaces all of them.
pub struct Scheme {
    /// The declared size parameters: variables of these names.
    pub sizes: Vec<Symbol>,
    /// Unknown types and sizes that nothing determined.
    pub tys: Vec<u32>,
    pub nats: Vec<u32>,
    pub ty: Ty,
    pub pre: Pre,
    pub extent: Extent,
    /// What is asked of unknown types.
    pub requirements: Vec<(Ty, Class)>,
    pub span: Span,
}

/// The unknown types and sizes in a type, ascending.
pub fn unknowns(types: impl IntoIterator<Item = Ty>) -> (Vec<u32>, Vec<u32>) {
    let (mut tys, mut nats) = (Vec::new(), Vec::new());
    for t in types {
        collect(t, &mut tys, &mut nats);
    }
    for v in [&mut tys, &mut nats] {
        v.sort_unstable();
        v.dedup();
    }
    (tys, nats)
}

fn collect(t: Ty, tys: &mut Vec<u32>, nats: &mut Vec<u32>) {
    if !t.has_meta() {
        return;
    }
    match t.kind() {
        TyKind::Scalar(_) => {}
        TyKind::Meta(n) => tys.push(n),
        TyKind::Idx(n) => nat_unknowns(n, nats),
        TyKind::Pair(a, b) | TyKind::Fun(a, b) => {
            collect(a, tys, nats);
            collect(b, tys, nats);
        }
        TyKind::Vec(n, t) | TyKind::Array(n, t) => {
            nat_unknowns(n, nats);
            collect(t, tys, nats);
        }
    }
}

pub fn nat_unknowns(n: Nat, out: &mut Vec<u32>) {
    n.each_atom(&mut |a| {
        if let AtomKind::Meta(m) = a.kind() {
            out.push(m);
        }
    });
}

/// Every type and size that stands in a term.
pub fn contents(p: &Pre, tys: &mut Vec<Ty>, nats: &mut Vec<Nat>) {
    let (t, n) = (std::cell::RefCell::new(tys), std::cell::RefCell::new(nats));
    p.map(
        &|ty| {
            t.borrow_mut().push(ty);
            ty
        },
        &|nat| {
            n.borrow_mut().push(nat);
            nat
        },
    );
}
