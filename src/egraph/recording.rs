//! A graph that records: when it begins, what each application notes, what is had in the end.

use super::graph::Graph;
use super::node::{LitId, Node, Shape};
use super::record::{raw, word, Recorded};
use crate::term::Prim;
use egg::Id;

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
