//! The trace of a search as a file.
//!
//! In: the trace, and what made it. Out: JSON. Absent: what the counts mean (`search::trace`).

use super::saved::{self, TRACE};
use crate::search::trace::StepTrace;
use crate::search::Trace;
use serde::{Deserialize, Serialize};

/// What `--emit trace` writes.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceFile {
    /// Version of the program that made it.
    pub rise_opt: String,
    /// The command that searched.
    pub command: String,
    /// Name of the program.
    pub program: String,
    pub steps: Vec<StepTrace>,
}

impl TraceFile {
    pub fn new(trace: &Trace, command: String) -> TraceFile {
        TraceFile {
            rise_opt: env!("CARGO_PKG_VERSION").to_string(),
            command,
            program: trace.program.clone(),
            steps: trace.steps.clone(),
        }
    }

    pub fn to_json(&self) -> String {
        saved::write(&TRACE, self)
    }
}
