//! What a search is doing, told while it runs.
//!
//! Comes in: counts that the search has at hand anyway; goes out: an [`Event`] to
//! the observer of the options. Invariant: without an observer nothing is
//! counted, and with one nothing is counted twice: sizes and bytes are those that
//! were compared with the limits, and the state of the sketch is that of its last
//! question. An observer sees the search and cannot change it. Absent: printing,
//! clocks, how often an event is worth showing.

use crate::sketch::Reached;
use std::fmt;
use std::rc::Rc;

/// Who wants to see how a search goes.
#[derive(Clone, Default)]
pub struct Observer(Option<Rc<See>>);

type See = dyn Fn(&Event);

impl Observer {
    /// Calls a function with every event.
    pub fn new(see: impl Fn(&Event) + 'static) -> Observer {
        Observer(Some(Rc::new(see)))
    }

    /// Whether anyone looks.
    pub(super) fn looks(&self) -> bool {
        self.0.is_some()
    }

    /// Tells an event, which is made only if anyone looks.
    pub(super) fn see<'a>(&self, event: impl FnOnce() -> Event<'a>) {
        if let Some(see) = &self.0 {
            see(&event());
        }
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(if self.looks() { "Observer" } else { "nobody" })
    }
}

/// The state of a search at one moment.
#[derive(Clone, Debug)]
pub struct Event<'a> {
    /// The step's name.
    pub step: &'a str,
    /// Which step it is, from 1.
    pub number: usize,
    /// How many steps there are.
    pub steps: usize,
    /// The advice that is tried in it, after a step that was not reached.
    pub trying: Option<&'a str>,
    /// What it does now.
    pub phase: Phase,
    /// The iteration under way or, after it, just done; from 1.
    pub iteration: u64,
    /// E-nodes of the graph as the trace counts them: before the iteration, and when
    /// it is done after it.
    pub nodes: u64,
    /// E-nodes that rules added since; some of them will turn out to be equal.
    pub added: u64,
    /// Bytes that the process held when the limits were looked at last.
    pub bytes: u64,
    /// How much of the sketch was satisfied when it was asked last.
    pub sketch: &'a Reached,
}

/// What a search does.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// A search for advice begins.
    Try,
    /// Rules look for matches.
    Search,
    /// Matches are applied.
    Apply,
    /// Congruence is restored.
    Rebuild,
    /// The sketch is asked.
    Ask,
    /// An iteration is done: the counts are those of the trace.
    Done,
    /// The cheapest term is taken out.
    Extract,
    /// The sketch was not reached: what is there of it is looked for.
    Diagnose,
}
