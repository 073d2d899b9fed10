//! Elaboration: from trees with names to typed terms, rules and steps.
//!
//! In: files. Out: a `Program`, rules, steps; or every error of the files, most informative first. This is the
//! only code that knows names: after it variables are De Bruijn indices, sizes and types are ids, and every node
//! has a type. Inference is by unification, with sizes solved modulo arithmetic (`unify`).
//!
//! Absent: the e-graph, what primitives mean, how rules are matched and sketches satisfied.

mod book;
mod files;
mod infer;
mod lifted;
pub mod locate;
mod oblige;
mod output;
mod possible;
mod pre;
mod print;
mod program;
mod read;
mod reason;
mod report;
mod rules;
mod scheme;
mod show;
mod size;
mod sketch;
mod steps;
mod unify;
mod uses;

pub use book::{check_rules, readable_rules, rule_decls, shipped_rules, Books};
pub use infer::define_above;
pub use lifted::lifted_rule;
pub use locate::{located_text, Range};
pub use oblige::Obligation;
pub use output::*;
pub use print::{program_text, term_text};
pub use program::{check_program, definition, program, program_at, saved_program};
pub use read::{read_sizes, read_types};
pub use sketch::{plain_sketch_text, size_text, sketch_text};
pub use steps::{check_sketch, steps, steps_with, Guide, Surroundings};
