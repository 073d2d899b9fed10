//! The record of a search: what was merged with what, and why.
//!
//! Comes in: every union that changed the graph, and while rules are applied the
//! nodes that substitution followed; goes out: edges between e-nodes and a log of
//! words, from which `trail` finds out why two terms are equal. Invariant: a node
//! is named by the id under which it was made, whose original children the
//! engine keeps; so every id stands for one term. Off, nothing is kept. Absent:
//! what follows from congruence, which is found again when it is asked for.

use super::facts::FactsOf;
use super::graph::Graph;
use super::node::{LitId, Node, Shape};
use crate::term::Prim;
use egg::{EGraph, Id};
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
    edges: RefCell<Vec<Edge>>,
    log: Vec<u32>,
    /// How many edges there were after each rebuild.
    rebuilt: Vec<u32>,
    /// Where the application that merges now begins.
    now: Option<u32>,
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
    /// Called before every union of the engine.
    pub(super) fn see(egg: &EGraph<Node, FactsOf>, a: Id, b: Id) {
        if let Some(record) = &egg.analysis.record {
            if egg.find(a) != egg.find(b) {
                record.edges.borrow_mut().push(Edge {
                    from: raw(a),
                    to: raw(b),
                    why: record.now.unwrap_or(Edge::CONGRUENT),
                });
            }
        }
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

/// Where an application begins in the log.
#[derive(Copy, Clone, Debug)]
pub struct Mark(Option<usize>);

impl Graph {
    /// From now on everything is recorded.
    pub fn record(&mut self) {
        self.egg.analysis.record = Some(Box::default());
    }

    /// Whether it is.
    pub fn records(&self) -> bool {
        self.egg.analysis.record.is_some()
    }

    /// What was recorded, if anything.
    pub fn take_record(&mut self) -> Option<Recorded> {
        let record = self.egg.analysis.record.take()?;
        Some(Recorded {
            edges: record.edges.into_inner(),
            rebuilt: record.rebuilt,
            log: record.log,
        })
    }

    /// Notes that the graph is rebuilt.
    pub(super) fn note_rebuilt(&mut self) {
        if let Some(record) = &mut self.egg.analysis.record {
            let edges = record.edges.borrow().len() as u32;
            record.rebuilt.push(edges);
        }
    }

    /// Begins an application.
    pub fn begin(&mut self) -> Mark {
        Mark(self.egg.analysis.record.as_ref().map(|r| r.log.len()))
    }

    /// Merges two classes because of the application; whether they were
    /// different. If they were not, the record forgets it.
    pub fn conclude(&mut self, a: Id, b: Option<Id>, mark: Mark) -> Option<bool> {
        let Mark(Some(at)) = mark else {
            return b.map(|b| self.union(a, b));
        };
        let changed = b.map(|b| {
            self.set_now(Some(at as u32));
            let changed = self.union(a, b);
            self.set_now(None);
            changed
        });
        if let (Some(record), false) = (&mut self.egg.analysis.record, changed == Some(true)) {
            record.log.truncate(at);
        }
        changed
    }

    fn set_now(&mut self, now: Option<u32>) {
        if let Some(record) = &mut self.egg.analysis.record {
            record.now = now;
        }
    }

    /// Adds a word to the log.
    #[inline]
    pub fn note(&mut self, word: u32) {
        if let Some(record) = &mut self.egg.analysis.record {
            record.log.push(word);
        }
    }

    /// Notes words.
    pub fn note_all(&mut self, words: &[u32]) {
        if let Some(record) = &mut self.egg.analysis.record {
            record.log.extend_from_slice(words);
        }
    }

    /// Notes a node that came out.
    #[inline]
    pub fn note_made(&mut self, id: Id) {
        self.note(word::PLAIN | raw(id) << 3);
    }

    /// Notes a node that is followed.
    #[inline]
    pub fn note_node(&mut self, node: &Node) {
        if self.egg.analysis.record.is_none() {
            return;
        }
        match node.shape {
            Shape::Var(i) => self.note(word::VAR | i << 3),
            Shape::Lam([b]) => self.note_all(&[word::LAM, raw(b)]),
            Shape::App([f, x]) => self.note_all(&[word::APP, raw(f), raw(x)]),
            Shape::Prim(p) => self.note_all(&[word::PRIM, p.id()]),
            Shape::Lit(l) => self.note_all(&[word::LIT, l.id()]),
        }
    }

    /// Notes the whole term that best nodes lead to.
    pub fn note_best(&mut self, id: Id) {
        if !self.records() {
            return;
        }
        let node = self.facts(id).best;
        self.note_node(&node);
        match node.shape {
            Shape::Lam([b]) => self.note_best(b),
            Shape::App([f, x]) => {
                self.note_best(f);
                self.note_best(x);
            }
            Shape::Var(_) | Shape::Prim(_) | Shape::Lit(_) => {}
        }
    }

    /// The nodes as they were made, by id.
    pub fn originals(&self) -> &[Node] {
        self.egg.nodes()
    }

    /// The id of a leaf that a word of the log and the next one name.
    pub fn leaf(tag: u32, next: u32) -> Shape {
        match tag {
            word::PRIM => Shape::Prim(Prim::from_id(next)),
            word::LIT => Shape::Lit(LitId::from_id(next)),
            _ => Shape::Var(tag >> 3),
        }
    }

    /// A node that equals this one and is in the graph already, by the id under
    /// which it was made; the graph must be rebuilt.
    pub fn existing(&mut self, node: Node) -> Option<Id> {
        self.egg.lookup(node)?;
        Some(self.egg.add_uncanonical(node))
    }
}
