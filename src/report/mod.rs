//! Witnesses as text: what a search, a kernel and a run came to.
//!
//! In: traces, diagnoses, events, plans, reports of runs: plain data. Out: text for people, JSON,
//! diagnostics.
//! Invariant: a pure function of its input, so that it can be made again from saved JSON. Absent:
//! the e-graph, files, terminals.

mod goal;
mod number;
mod plan;
mod progress;
mod summary;

pub use goal::not_reached;
pub use number::{bytes, count, digits, seconds};
pub use plan::{Plan, PlanStep, Replay, VERSION as PLAN_VERSION};
pub use progress::progress;
pub use summary::{human, Reassociation, Summary};
