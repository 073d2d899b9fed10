//! Side conditions: on types and sizes, and on what holes stand for.

use crate::arith::{Nat, Rat};
use crate::elab::Rel;
use crate::ty::{Ty, TySubst};

/// A condition that types and sizes decide.
#[derive(Clone, Debug)]
pub enum SizeCondition {
    /// The first divides the second, or may: where a parameter leaves it open it is an obligation of
    /// the match, see [`crate::elab::Obligation`].
    Divides(Nat, Nat),
    /// A relation. Equality is equality of normal forms; an order that is not
    /// known to hold does not hold.
    Compare(Nat, Rel, Nat),
    /// Not a function.
    Data(Ty),
    /// A scalar or a pair of such.
    Flat(Ty),
}

impl SizeCondition {
    /// Whether it holds under a substitution of all unknowns.
    pub fn holds(&self, s: &TySubst) -> bool {
        match self {
            SizeCondition::Divides(k, n) => {
                let q = s.nat(*n).exact_div(s.nat(*k));
                !q.is_overflow() && q.as_rat().is_none_or(|r| r.as_int().is_some())
            }
            SizeCondition::Compare(a, rel, b) => {
                let (a, b) = (s.nat(*a), s.nat(*b));
                let difference = (a - b).as_rat();
                let known = |f: fn(Rat) -> bool| difference.is_some_and(f);
                match rel {
                    Rel::Eq => a == b,
                    Rel::Ne => a != b,
                    // Sizes are whole: less by a fraction is not less for a proof.
                    Rel::Lt => known(|d| d <= Rat::int(-1)),
                    Rel::Le => known(|d| d <= Rat::ZERO),
                    Rel::Gt => known(|d| d >= Rat::ONE),
                    Rel::Ge => known(|d| d >= Rat::ZERO),
                }
            }
            SizeCondition::Data(t) => !s.ty(*t).is_fun(),
            SizeCondition::Flat(t) => s.ty(*t).is_flat(),
        }
    }
}
