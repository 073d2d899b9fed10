//! Truth values that fall, or rise, with a number.
//!
//! In: a number, which is the least or the largest difference that there was. Out: the truth value. Absent: where they come
//! from (`threshold`).

use super::simple::Builder;
use crate::operator::dag::Id;
use crate::term::Op;

/// A number beside the state, and the truth value that falls with it.
#[derive(Clone)]
pub(super) struct Bound {
    /// Where the number stands in the state.
    pub number: usize,
    pub truth: usize,
    /// Whether the truth value stays while the number is not below zero, or not above.
    pub least: bool,
    /// Whether zero is passed, too.
    pub strict: bool,
    /// Whether the truth value rises instead.
    pub rises: bool,
}

impl Bound {
    /// The truth value with what has become of the number, if there is one.
    pub fn applied(&self, b: &mut Builder, truth: Id, present: Id, value: Id) -> Option<Id> {
        let zero = b.number(0, b.ty(value))?;
        let args = if self.least {
            [zero, value]
        } else {
            [value, zero]
        };
        let holds = b.apply(if self.strict { Op::Lt } else { Op::Le }, &args)?;
        let passed = b.apply(Op::Not, &[holds])?;
        let passed = b.apply(Op::And, &[present, passed])?;
        if self.rises {
            return b.apply(Op::Or, &[truth, passed]);
        }
        let holds = b.apply(Op::Not, &[passed])?;
        b.apply(Op::And, &[truth, holds])
    }
}
