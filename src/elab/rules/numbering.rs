//! Numbers for the unknowns of a rule, in order of first occurrence.

use super::super::output::Cond;
use super::super::scheme::nat_unknowns;
use crate::algebra::Claim;
use crate::arith::{AtomKind, Nat};
use crate::term::Term;
use crate::ty::{Ty, TyKind};

/// Unknowns in order of first occurrence; the explicit size parameters come first.
pub(super) struct Numbering {
    pub(super) tys: Vec<u32>,
    pub(super) nats: Vec<u32>,
}

impl Numbering {
    pub(super) fn new(params: u32) -> Numbering {
        Numbering {
            tys: Vec::new(),
            nats: (0..params).collect(),
        }
    }

    pub(super) fn term(&mut self, t: &Term) {
        let mut types = Vec::new();
        let mut sizes = Vec::new();
        t.visit(&mut |t, _| {
            types.push(t.ty());
            match t.kind() {
                crate::term::Kind::Prim(p) => sizes.extend(p.sizes()),
                crate::term::Kind::Lit(crate::term::Lit::Size(n)) => sizes.push(*n),
                _ => {}
            }
        });
        types.into_iter().for_each(|t| self.see_ty(t));
        sizes.into_iter().for_each(|n| self.see_nat(n));
    }

    pub(super) fn cond(&mut self, c: &Cond) {
        match c {
            Cond::NotFree { .. } => {}
            Cond::Divides(a, b) | Cond::Compare(a, _, b) => {
                self.see_nat(*a);
                self.see_nat(*b);
            }
            Cond::Assume(n) => self.see_nat(*n),
            Cond::Law(claim) | Cond::Determined { claim, .. } => {
                claim.operands.iter().for_each(|t| self.term(t))
            }
            Cond::Vectorizable { lanes, .. } => self.see_nat(*lanes),
            Cond::Data(t) | Cond::Flat(t) => self.see_ty(*t),
        }
    }

    fn see_ty(&mut self, t: Ty) {
        match t.kind() {
            TyKind::Scalar(_) => {}
            TyKind::Idx(n) => self.see_nat(n),
            TyKind::Pair(a, b) | TyKind::Fun(a, b) => {
                self.see_ty(a);
                self.see_ty(b);
            }
            TyKind::Vec(n, t) | TyKind::Array(n, t) => {
                self.see_nat(n);
                self.see_ty(t);
            }
            TyKind::Meta(n) => {
                if !self.tys.contains(&n) {
                    self.tys.push(n);
                }
            }
        }
    }

    fn see_nat(&mut self, n: Nat) {
        let mut found = Vec::new();
        nat_unknowns(n, &mut found);
        for m in found {
            if !self.nats.contains(&m) {
                self.nats.push(m);
            }
        }
    }

    fn nat(&self, n: Nat) -> Nat {
        n.map_atoms(&mut |a| match a.kind() {
            AtomKind::Meta(m) => {
                let i = self.nats.iter().position(|x| *x == m)?;
                Some(Nat::meta(i as u32))
            }
            _ => None,
        })
    }

    pub(super) fn ty(&self, t: Ty) -> Ty {
        let sized = t.map_nats(&mut |n| self.nat(n));
        sized.subst(
            &mut |m| {
                let i = self.tys.iter().position(|x| *x == m)?;
                Some(Ty::meta(i as u32))
            },
            &mut |_| None,
        )
    }

    pub(super) fn renumber(&self, t: &Term) -> Term {
        t.map_types(&mut |t| self.ty(t), &mut |n| self.nat(n))
    }

    fn renumber_claim(&self, claim: &Claim<Term>) -> Claim<Term> {
        Claim {
            law: claim.law,
            operands: claim.operands.iter().map(|t| self.renumber(t)).collect(),
        }
    }

    pub(super) fn renumber_cond(&self, c: &Cond) -> Cond {
        match c {
            Cond::NotFree { .. } => c.clone(),
            Cond::Divides(a, b) => Cond::Divides(self.nat(*a), self.nat(*b)),
            Cond::Compare(a, r, b) => Cond::Compare(self.nat(*a), *r, self.nat(*b)),
            Cond::Assume(n) => Cond::Assume(self.nat(*n)),
            Cond::Law(claim) => Cond::Law(self.renumber_claim(claim)),
            Cond::Determined { claim, e } => Cond::Determined {
                claim: self.renumber_claim(claim),
                e: *e,
            },
            Cond::Vectorizable { f, fv, lanes } => Cond::Vectorizable {
                f: *f,
                fv: *fv,
                lanes: self.nat(*lanes),
            },
            Cond::Data(t) => Cond::Data(self.ty(*t)),
            Cond::Flat(t) => Cond::Flat(self.ty(*t)),
        }
    }
}
