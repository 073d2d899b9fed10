//! Witnesses as text: what a search, a kernel and a run came to.
//!
//! In: traces, diagnoses, events, plans, reports of runs: plain data. Out: text for people, JSON,
//! diagnostics.
//! Invariant: a pure function of its input, so that it can be made again from saved JSON. Absent:
//! the e-graph itself, files, terminals.

mod advice;
pub mod answers;
pub mod candidates;
mod certificates;
pub mod comparison;
pub mod egraph;
mod explain;
pub mod goal;
pub mod guides;
pub mod html;
pub mod in_order;
pub mod kernel_certificate;
pub mod left_side;
pub mod liftings;
pub mod loops;
pub mod measurement;
pub mod near;
pub mod number;
pub mod operators;
pub mod order;
mod origin;
mod plan;
pub mod progress;
mod proof;
pub mod record;
pub mod reordered;
pub mod saved;
mod steps;
pub mod summary;
mod svg;
mod trace;
pub mod tuning;
pub mod validation;
pub mod verification;

pub use certificates::CertificateFile;
pub use comparison::Comparison;
pub use egraph::{egraph_dot, egraph_json, ExcerptExtent};
pub use explain::{explained, explanation, ExplainedLink, ExplainedStep};
pub use goal::not_reached;
pub use number::{bytes, count, digits, seconds};
pub use origin::{
    hash as term_hash, hash_of as term_hash_of, regrouping, used as used_rules, Basis,
};
pub use plan::{Plan, PlanStep, Replay};
pub use progress::progress;
pub use proof::{ProofFile, RuleText};
pub use record::Record;
pub use steps::step_text;
pub use summary::{human, Reassociation, Summary};
pub use trace::TraceFile;
pub use verification::Verification;
