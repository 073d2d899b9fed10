//! The record of a search: what was merged with what, and why.
//!
//! Comes in: every union that changed the graph, and while rules are applied the
//! nodes that substitution followed; goes out: edges between e-nodes and a log of
//! words, from which `trail` finds out why two terms are equal. Invariant: a node
//! is named by the id under which it was made, whose original children the
//! engine keeps; so every id stands for one term. Off, nothing is kept. Absent:
//! what follows from congruence, which is found again when it is asked for.

use egg::Id;
use std::cell::RefCell;

/// Why two classes became one.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The one side; of an application the class that was matched.
    pub from: u32,
    /// The other; of an application what was made.
    pub to: u32,
    /// Where the application stands in the log; [`Edge::CONGRUENT`] if the two
    /// nodes had equal children.
    pub why: u32,
}

impl Edge {
    /// No application.
    pub const CONGRUENT: u32 = u32::MAX;
}

/// What is kept while a search runs.
#[derive(Clone, Debug, Default)]
pub struct Record {
    pub(super) edges: RefCell<Vec<Edge>>,
    pub(super) log: Vec<u32>,
    /// How many edges there were after each rebuild.
    pub(super) rebuilt: Vec<u32>,
    /// Where the application that merges now begins.
    pub(super) now: Option<u32>,
}

/// Words of the log, by their three lowest bits. What follows is in the order in
/// which substitution does it.
pub mod word {
    /// Nothing changes below here; or one of the leaves below.
    pub const KEEP: u32 = 0;
    /// The best node is a primitive, whose id follows.
    pub const PRIM: u32 = 1 << 3;
    /// The best node is a literal, whose id follows.
    pub const LIT: u32 = 2 << 3;
    /// The best node is this variable.
    pub const VAR: u32 = 1;
    /// Done before: the number of the visit, in the order of their ends.
    pub const MEMO: u32 = 2;
    /// The best node is a lambda; its body follows.
    pub const LAM: u32 = 3;
    /// The best node is an application; both sides follow.
    pub const APP: u32 = 4;
    /// This node came out.
    pub const PLAIN: u32 = 5;
    /// An η-redex came out; function and argument of its body follow.
    pub const ETA: u32 = 6;
    /// A β-redex came out; the body of its function and the argument follow.
    pub const BETA: u32 = 7;
    /// The bits of the tag.
    pub const TAG: u32 = 7;
}

/// An id as a word.
pub(super) fn raw(id: Id) -> u32 {
    usize::from(id) as u32
}

impl Record {
    /// Called before every union of two different classes.
    pub(super) fn see(&self, a: Id, b: Id) {
        self.edges.borrow_mut().push(Edge {
            from: raw(a),
            to: raw(b),
            why: self.now.unwrap_or(Edge::CONGRUENT),
        });
    }
}

/// A record that is complete.
pub struct Recorded {
    /// The unions, in the order of time.
    pub edges: Vec<Edge>,
    /// How many there were after each rebuild: what rules match is rebuilt.
    pub rebuilt: Vec<u32>,
    /// What [`Edge::why`] points into.
    pub log: Vec<u32>,
}
