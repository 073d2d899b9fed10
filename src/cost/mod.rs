//! Cost models: what "the cheapest term" means.
//!
//! A cost is a number that grows with every sub-term: the cost of a node is
//! its own plus those of its children. Invariant: own costs are at least 1, so
//! a term is dearer than its parts and cheapest terms are finite. Absent:
//! measured time.

use crate::egraph::{Node, Shape};
use crate::term::Sort;

/// A cost model.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Cost {
    /// Number of nodes.
    #[default]
    Size,
    /// Number of nodes, where a view that moves elements (transpose, split,
    /// join, slide …) counts 3 more: prefers terms that index plainly.
    Views,
}

impl Cost {
    /// The models by name.
    pub const ALL: [(&'static str, Cost); 2] = [("size", Cost::Size), ("views", Cost::Views)];

    /// The model of that name.
    pub fn from_name(name: &str) -> Option<Cost> {
        Cost::ALL.iter().find(|c| c.0 == name).map(|c| c.1)
    }

    /// A node's own cost, at least 1.
    pub fn own(self, node: &Node) -> u32 {
        match (self, node.shape) {
            (Cost::Views, Shape::Prim(p)) if matches!(p.op().sort(), Sort::View(_)) => 3 + p.size(),
            (_, Shape::Prim(p)) => p.size(),
            _ => 1,
        }
    }
}
