//! What is known of operators.
//!
//! Comes in: a binary operator as a closed term; goes out: whether it is
//! associative or commutative and what its identities are. Invariant: every
//! answer "yes" holds for all values of the type, and each line of the table is
//! tested on random values; "no" means not known. Recognition works up to β and
//! η, and through swapped operands, pairs and arrays that are combined
//! component by component; of what is not recognised, `operator` proves laws. Absent: proofs, search for operators.
//!
//! Note [Strict floats]
//! Without permission to reassociate, f32 and f64 obey IEEE 754 to the bit:
//! addition and multiplication commute (NaN counts as one value) but do not
//! associate; the identity of `add` is -0.0 and not 0.0, because 0.0 + -0.0 = 0.0;
//! `min` and `max` give their second operand when one is NaN, so they neither
//! commute nor associate and have a left identity only. With the permission
//! they count as real arithmetic, with NaN and signed zeros left out.

pub mod accumulate;
mod law;
mod recognise;
mod table;

use accumulate::accumulates;
pub use law::{properties_of, Claim, Form, Law, Operand};
pub use recognise::{determined, recognise, Operator};
pub use table::{operators, Facts, Properties, Property, LAWS};

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
