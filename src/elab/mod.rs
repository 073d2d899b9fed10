//! Elaboration: from trees with names to typed terms, rules and steps.

mod output;

pub use output::*;
