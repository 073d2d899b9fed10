//! Of `cli::progress`.

use rise_opt::cli::progress::*;
use rise_opt::search::progress::{Event, Phase};
use rise_opt::sketch::Reached;
use std::time::Duration;

#[test]
fn lines_come_when_they_are_due() {
    let sketch = Reached::default();
    let due = |phase, trying, every, ms| {
        let event = Event {
            step: "step",
            number: 1,
            steps: 1,
            trying,
            phase,
            iteration: 1,
            nodes: 1,
            added: 0,
            bytes: 0,
            sketch: &sketch,
        };
        rise_opt::cli::progress::due(&event, every, Duration::from_millis(ms))
    };
    for (phase, trying) in [(Phase::Done, None), (Phase::Try, Some("a rule"))] {
        assert!(due(phase, trying, true, 0));
        assert!(!due(phase, trying, false, 499));
        assert!(due(phase, trying, false, 500));
    }
    for (phase, trying) in [(Phase::Apply, None), (Phase::Done, Some("a rule"))] {
        for every in [true, false] {
            assert!(!due(phase, trying, every, 4999));
            assert!(due(phase, trying, every, 5000));
        }
    }
}

#[test]
fn nobody_looks_when_nothing_is_shown() {
    assert!(Progress::start(Mode::Off, false).0.is_none());
    assert!(Progress::start(Mode::Auto, true).0.is_none());
    assert!(Progress::start(Mode::Plain, true).0.is_some());
}
