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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::Reached;

    #[test]
    fn one_line_says_where_the_search_is() {
        let sketch = Reached {
            parts: 6,
            satisfied: 4,
            largest: Some("containsReduceSeq 4 …".into()),
        };
        let mut event = Event {
            step: "reorder",
            number: 2,
            steps: 3,
            trying: None,
            phase: Phase::Apply,
            iteration: 5,
            nodes: 123456,
            added: 7890,
            bytes: 48 << 20,
            sketch: &sketch,
        };
        assert_eq!(
            progress(&event),
            "step reorder (2 of 3), iteration 5, applying: 123 456 e-nodes + 7 890, 48.0 MB; \
             sketch 4/6, up to `containsReduceSeq 4 …`"
        );
        let nothing = Reached::default();
        event = Event {
            steps: 1,
            bytes: 0,
            added: 0,
            phase: Phase::Done,
            sketch: &nothing,
            ..event
        };
        assert_eq!(
            progress(&event),
            "step reorder, iteration 5: 123 456 e-nodes; sketch 0/0"
        );
        event.trying = Some("rule `map-fusion`");
        assert_eq!(
            progress(&event),
            "trying advice: rule `map-fusion`, iteration 5: 123 456 e-nodes; sketch 0/0"
        );
        event.phase = Phase::Try;
        assert_eq!(
            progress(&event),
            "trying advice: rule `map-fusion`: 123 456 e-nodes; sketch 0/0"
        );
    }
}
