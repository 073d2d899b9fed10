//! Types and sizes of an instance: matching of declared types with given ones.
//!
//! Comes in: pairs of a type of a rule and a type of a term; goes out: what the
//! unknowns stand for. Sums and products with unknowns are solved when all others
//! are known. Written for the checker alone.

use crate::arith::Nat;
use crate::term::{Lit, Prim};
use crate::ty::{Ty, TyKind, TySubst};

/// What is known of the unknowns so far.
#[derive(Default)]
pub struct Unknowns {
    known: TySubst,
    later: Vec<(Nat, Nat)>,
}

impl Unknowns {
    /// With the explicit sizes of a rule, which are its first unknown sizes.
    pub fn given(sizes: &[Nat]) -> Unknowns {
        let mut u = Unknowns::default();
        for (i, n) in sizes.iter().enumerate() {
            u.known.nats.insert(i as u32, *n);
        }
        u
    }

    /// Whether the type fits.
    pub fn ty(&mut self, want: Ty, have: Ty) -> bool {
        match (want.kind(), have.kind()) {
            (TyKind::Meta(i), _) => *self.known.tys.entry(i).or_insert(have) == have,
            (TyKind::Scalar(a), TyKind::Scalar(b)) => a == b,
            (TyKind::Idx(a), TyKind::Idx(b)) => self.size(a, b),
            (TyKind::Pair(a, b), TyKind::Pair(c, d)) | (TyKind::Fun(a, b), TyKind::Fun(c, d)) => {
                self.ty(a, c) && self.ty(b, d)
            }
            (TyKind::Array(n, t), TyKind::Array(m, u)) => self.size(n, m) && self.ty(t, u),
            // Vectors of pairs are pairs of vectors.
            (TyKind::Vec(n, t), _) => match have.as_vec() {
                Some((m, u)) => self.size(n, m) && self.ty(t, u),
                None => false,
            },
            _ => false,
        }
    }

    /// Whether the size fits; one with several unknowns may turn out later not to.
    pub fn size(&mut self, want: Nat, have: Nat) -> bool {
        match want.as_meta() {
            Some(i) => *self.known.nats.entry(i).or_insert(have) == have,
            None if want.has_meta() => {
                self.later.push((want, have));
                true
            }
            None => want == have,
        }
    }

    /// Whether a primitive is this one, at sizes that fit.
    pub fn prim(&mut self, want: Prim, have: Prim) -> bool {
        want.op() == have.op()
            && (want.sizes().into_iter().zip(have.sizes())).all(|(w, h)| self.size(w, h))
    }

    /// Whether a literal is this one.
    pub fn lit(&mut self, want: Lit, have: Lit) -> bool {
        match (want, have) {
            (Lit::Size(w), Lit::Size(h)) => self.size(w, h),
            _ => want == have,
        }
    }

    /// What the unknowns stand for; `None` if something does not fit after all.
    pub fn solved(mut self) -> Option<TySubst> {
        loop {
            let open = std::mem::take(&mut self.later);
            let before = open.len();
            for (want, have) in open {
                let want = self.known.nat(want);
                if !want.has_meta() {
                    (want == have).then_some(())?;
                } else if let Some((i, n)) = want.solve(have) {
                    self.known.nats.insert(i, n);
                } else {
                    self.later.push((want, have));
                }
            }
            if self.later.is_empty() {
                return Some(self.known);
            }
            if self.later.len() == before {
                return None;
            }
        }
    }
}
