//! The e-graph: the only module that names the engine.
//!
//! Comes in: typed terms; goes out: classes of equal terms with facts about
//! them, matches of patterns, and terms again. Invariants: every class has one
//! type; free variables of a class are a union over its nodes. Absent: names of
//! rules, sketches, limits.

mod facts;
mod graph;
mod matching;
mod node;
pub mod record;
mod recording;
mod view;

pub use egg::Id;
pub use facts::{Facts, Free, Heads};
pub use graph::{Graph, Renaming};
pub use matching::{sought_ops, Evidence, Occurrence, Patience, Pattern, Reg, ASK_EVERY};
pub use node::{LitId, Node, Shape};
pub use record::{Edge, Recorded};
pub use recording::Mark;
pub use view::{Class, View};
