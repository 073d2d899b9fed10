//! Proof obligations on sizes: what must hold of the sizes of a program for a term to have a meaning, and for a rule's
//! sides to be equal.
//!
//! Comes in: terms, and sizes that a rule's use speaks of; goes out: [`Assumption`]s that make every one of these sizes
//! a whole number that is not negative, without those that always hold. An obligation is decided by what is known
//! of parameters, which are whole and not negative: it holds at all of them, at none, or is left to the kernel, which
//! checks it when it is called. Invariant: where the assumptions hold, all of the sizes are sizes. Absent: who obliges to what
//! (`elab`: a rule; `proof`: a chain; `lower`: a term), C.

mod assumption;
mod known;
mod sizes;

pub use assumption::Assumption;
pub use known::{assumptions, contradiction, missing, Known, Never};
pub use sizes::Sizes;
