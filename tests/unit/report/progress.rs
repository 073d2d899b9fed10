//! Of `report::progress`.

use rise_opt::report::progress::*;
use rise_opt::search::progress::{Event, Phase};
use rise_opt::sketch::Reached;

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
