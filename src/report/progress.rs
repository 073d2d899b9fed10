//! The state of a running search as one line.
//!
//! In: an event of the search. Out: the line, without its end; what changes least stands first, so
//! that the eye need not search, and a narrow terminal cuts off the sketch only.

use super::number::{bytes, count};
use crate::search::progress::{Event, Phase};

pub fn progress(e: &Event) -> String {
    let mut line = match e.trying {
        Some(what) => format!("trying advice: {what}"),
        None => format!("step {}", e.step),
    };
    if e.steps > 1 {
        line += &format!(" ({} of {})", e.number, e.steps);
    }
    if e.phase != Phase::Try {
        line += &format!(", iteration {}", e.iteration);
    }
    if let Some(doing) = doing(e.phase) {
        line += &format!(", {doing}");
    }
    line += &format!(": {} e-nodes", count(e.nodes));
    if e.added > 0 {
        line += &format!(" + {}", count(e.added));
    }
    // Zero where the allocator does not count.
    if e.bytes > 0 {
        line += &format!(", {}", bytes(e.bytes));
    }
    let sketch = e.sketch;
    line += &format!("; sketch {}/{}", sketch.satisfied, sketch.parts);
    if let Some(largest) = &sketch.largest {
        line += &format!(", up to `{largest}`");
    }
    line
}

fn doing(phase: Phase) -> Option<&'static str> {
    match phase {
        Phase::Search => Some("searching"),
        Phase::Apply => Some("applying"),
        Phase::Rebuild => Some("rebuilding"),
        Phase::Ask => Some("asking the sketch"),
        Phase::Try | Phase::Done => None,
        Phase::Extract => Some("extracting"),
        Phase::Diagnose => Some("looking for what is closest"),
    }
}
