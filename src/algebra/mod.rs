//! What is known of operators.
//!
//! Comes in: a binary operator as a closed term; goes out: whether it is
//! associative or commutative and what its identities are. Invariant: every
//! answer "yes" holds for all values of the type, and each line of the table is
//! tested on random values; "no" means not known. Recognition works up to β and
//! η, and through swapped operands, pairs and arrays that are combined
//! component by component. Absent: proofs, search for operators.
//!
//! Note [Strict floats]
//! Without permission to reassociate, f32 and f64 obey IEEE 754 to the bit:
//! addition and multiplication commute (NaN counts as one value) but do not
//! associate; the identity of `add` is -0.0 and not 0.0, because 0.0 + -0.0 = 0.0;
//! `min` and `max` give their second operand when one is NaN, so they neither
//! commute nor associate and have a left identity only. With the permission
//! they count as real arithmetic, with NaN and signed zeros left out.

mod accumulate;
mod recognise;
mod table;
#[cfg(test)]
mod tests;

pub use accumulate::accumulates;
pub use recognise::{recognise, Operator};
pub use table::{operators, Facts};

use crate::term::Term;

/// How floating-point operators are read.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Hash)]
pub enum Floats {
    /// To the bit.
    Strict,
    /// As real numbers: the permission to reassociate.
    Reassociate,
}

impl Floats {
    /// The reading that a step allows.
    pub fn reassociated(permitted: bool) -> Floats {
        if permitted {
            Floats::Reassociate
        } else {
            Floats::Strict
        }
    }
}

/// Whether `op (op x y) z = op x (op y z)` is known, `reassociate` being the
/// permission of Note [Strict floats].
pub fn is_associative(op: &Term, reassociate: bool) -> bool {
    recognise(op).is_some_and(|o| o.associative(Floats::reassociated(reassociate)))
}

/// Whether `op x y = op y x` is known.
pub fn is_commutative(op: &Term, reassociate: bool) -> bool {
    recognise(op).is_some_and(|o| o.commutative(Floats::reassociated(reassociate)))
}

/// Whether `op (op x y) y = op x y` is known.
pub fn is_idempotent(op: &Term, reassociate: bool) -> bool {
    recognise(op).is_some_and(|o| o.idempotent(Floats::reassociated(reassociate)))
}

/// Whether `op e x = x = op x e` is known.
pub fn is_identity(e: &Term, op: &Term, reassociate: bool) -> bool {
    recognise(op).is_some_and(|o| o.has_identity(e, Floats::reassociated(reassociate)))
}
