//! What an observer is told while a step runs.
//!
//! Comes in: phases and counts; goes out: events, if anybody looks. Absent: decisions.

use super::limits::Limits;
use crate::egraph::{Id, View};
use crate::search::progress::{Event, Observer, Phase};
use crate::sketch::{Goal, Reached};

/// What an observer is told of a step, besides the counts of the moment.
pub(super) struct Watch<'a> {
    pub observer: &'a Observer,
    pub step: &'a str,
    /// Which step it is, and of how many.
    pub place: (usize, usize),
    pub trying: Option<&'a str>,
    pub iteration: u64,
    /// E-nodes of the last snapshot.
    pub nodes: usize,
    /// Of the last answer of the sketch.
    pub sketch: Reached,
}

impl Watch<'_> {
    /// `added`: e-nodes since the last snapshot.
    pub fn tell(&self, phase: Phase, added: usize, limits: &Limits) {
        self.observer.see(|| Event {
            step: self.step,
            number: self.place.0,
            steps: self.place.1,
            trying: self.trying,
            phase,
            iteration: self.iteration,
            nodes: self.nodes as u64,
            added: added as u64,
            bytes: limits.bytes_now.get(),
            sketch: &self.sketch,
        });
    }

    /// Whether the sketch is satisfied in a new snapshot; for an observer also how much of it.
    pub fn ask(&mut self, goal: &Goal, view: &View, root: Id) -> bool {
        self.nodes = view.node_count();
        if !self.observer.looks() {
            return goal.satisfied(view, view.class(root));
        }
        let (satisfied, sketch) = goal.reached(view, view.class(root));
        self.sketch = sketch;
        satisfied
    }
}
