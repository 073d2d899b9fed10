//! The schedules that were tried for a program without a sketch.
//!
//! In: what became of each. Out: a table for people; the same data for programs. Absent: anything that the data does not say.

use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// All that were tried.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidates {
    /// Sizes that the estimates are for.
    pub sizes: Vec<(String, i64)>,
    /// Cycles of the program as it stands, by the estimate.
    pub plain: Option<f64>,
    pub all: Vec<Candidate>,
    /// Which one was taken; none if the program stays as it is.
    pub taken: Option<usize>,
    /// E-nodes of all searches for them.
    pub nodes: u64,
}

/// One schedule.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    pub what: String,
    /// By the estimate, if it came so far.
    pub cycles: Option<f64>,
    /// How much faster than the program as it stands, where it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faster: Option<f64>,
    /// Why it came no further.
    pub lost: Option<String>,
}

/// The table, and what was taken.
pub fn human(c: &Candidates) -> String {
    let mut text = String::new();
    let sizes: Vec<String> = c.sizes.iter().map(|(s, n)| format!("{s} = {n}")).collect();
    let at = match sizes.is_empty() {
        true => String::new(),
        false => format!(" at {}", sizes.join(", ")),
    };
    let _ = writeln!(text, "schedules, with estimated cycles{at}");
    let _ = writeln!(text, "{} the program as it stands", column(c.plain));
    for (i, one) in c.all.iter().enumerate() {
        let mark = if c.taken == Some(i) { "  <- taken" } else { "" };
        let faster = (one.faster).map_or(String::new(), |f| format!(", measured ×{f:.2}"));
        let why = (one.lost.as_ref()).map_or(String::new(), |why| format!(": {why}"));
        let _ = writeln!(
            text,
            "{} {}{faster}{why}{mark}",
            column(one.cycles),
            one.what
        );
    }
    if c.taken.is_none() {
        let _ = writeln!(
            text,
            "none is estimated to be faster: the kernel is the program as it stands"
        );
    }
    text
}

/// A number in a column.
fn column(cycles: Option<f64>) -> String {
    let text = cycles.map_or("-".to_string(), |c| format!("{c:.0}"));
    format!("{text:>12}")
}
