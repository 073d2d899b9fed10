//! The searches that were tried to find guides.
//!
//! In: what became of each. Out: a table for people; the same data for programs. Absent: anything that the data does not say.

use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// All that were tried.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuidesTried {
    pub tries: Vec<GuideTry>,
    /// E-nodes of all of them.
    pub nodes: u64,
}

/// One search.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuideTry {
    /// What was to be added to what.
    pub what: String,
    /// How many rules it had.
    pub rules: usize,
    pub iterations: u64,
    pub nodes: u64,
    /// Whether its sketch was reached.
    pub reached: bool,
}

impl GuidesTried {
    /// A line for each.
    pub fn human(&self) -> String {
        let mut text = String::new();
        for t in &self.tries {
            let reached = if t.reached { "found" } else { "not found" };
            let _ = writeln!(
                text,
                "{reached:<9}  {:>2} rules  {:>2} iterations  {:>7} e-nodes  {}",
                t.rules, t.iterations, t.nodes, t.what
            );
        }
        text
    }
}
