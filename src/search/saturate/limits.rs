//! The limits of one step.
//!
//! Comes in: what a step may use, and what the graph holds; goes out: the reason to stop, if there is one.
//! Absent: when the limits are asked (`saturate`).

use crate::alloc;
use crate::interrupt;
use crate::search::after;
use crate::search::trace::Stop;
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Limits of one step, and how far it is from them.
pub(super) struct Limits {
    pub iterations: u64,
    pub nodes: u64,
    /// Places that patterns look at and nodes that substitutions build.
    pub work: u64,
    pub worked: Cell<u64>,
    pub seconds: Option<u64>,
    pub bytes: Option<u64>,
    pub begun: Instant,
    /// When nobody waits any more, whatever the other limits say.
    pub until: Option<Instant>,
    /// When they were looked at last.
    pub bytes_now: Cell<u64>,
    pub most_bytes: Cell<u64>,
    /// Bytes that were held before the step.
    pub before: u64,
}

impl Limits {
    /// Adds what was looked at and built; how much that is now.
    pub fn work_on(&self, more: u64) -> u64 {
        self.worked.set(self.worked.get() + more);
        self.worked.get()
    }

    /// With what comes before they can be looked at again.
    pub fn reached(&self, nodes: u64, ahead: Ahead) -> Option<Stop> {
        if interrupt::asked() {
            return Some(Stop::Interrupted);
        }
        let bytes = alloc::allocated();
        self.bytes_now.set(bytes);
        self.most_bytes.set(self.most_bytes.get().max(bytes));
        if nodes >= self.nodes {
            return Some(Stop::Nodes(self.nodes));
        }
        if self.worked.get() >= self.work {
            return Some(Stop::Work(self.work));
        }
        let full = |limit: &u64| alloc::held().saturating_add(ahead.bytes) >= *limit;
        if let Some(limit) = self.bytes.filter(full) {
            return Some(Stop::Bytes(limit));
        }
        self.late(ahead.time)
    }

    /// Whether the limit in seconds is reached; asking that takes no time.
    pub fn late(&self, ahead: Duration) -> Option<Stop> {
        let spent = self.begun.elapsed() + ahead;
        if self.until.is_some_and(|until| self.begun + spent >= until) {
            return Some(Stop::Seconds(self.seconds.unwrap_or(spent.as_secs())));
        }
        let late = |s: &u64| spent >= Duration::from_secs(*s);
        self.seconds.filter(late).map(Stop::Seconds)
    }

    /// The most that the step has held so far, besides what was held before it.
    pub fn peak(&self) -> u64 {
        self.most_bytes.get().saturating_sub(self.before)
    }

    /// Whether a limit is reached where what is sought was found already: a twentieth of each limit more, and a second at least.
    pub fn reached_at_last(&self) -> Option<Stop> {
        let more = |n: u64| n.saturating_add(n.div_ceil(20));
        let wider = Limits {
            nodes: u64::MAX,
            work: u64::MAX,
            worked: Cell::default(),
            bytes: self.bytes.map(more),
            seconds: None,
            until: self
                .seconds
                .map(|s| self.begun + after(s, 21, 20).max(after(s, 1, 1) + SECOND))
                .into_iter()
                .chain(self.until)
                .min(),
            bytes_now: self.bytes_now.clone(),
            most_bytes: self.most_bytes.clone(),
            ..*self
        };
        match wider.reached(0, Ahead::default())? {
            Stop::Bytes(_) => self.bytes.map(Stop::Bytes),
            Stop::Seconds(n) => Some(Stop::Seconds(self.seconds.unwrap_or(n))),
            stop => Some(stop),
        }
    }
}

const SECOND: Duration = Duration::from_secs(1);

/// What looking at a graph takes once rules are applied: restoring congruence, its snapshot, the question of the sketch.
/// None of these can be left half-done, so the limits are reached before them.
#[derive(Copy, Clone, Default)]
pub(super) struct Ahead {
    pub bytes: u64,
    pub time: Duration,
}
