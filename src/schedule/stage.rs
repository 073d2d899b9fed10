//! In which order loops are changed.
//!
//! Each stage is a step of a schedule, if it changes something there. Absent: how loops look after it.

/// Kinds of changes, in the order in which they are made.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// What is generated becomes a loop over numbers.
    Loops,
    /// Named arrays are kept.
    Keep,
    /// A reduction goes on from another element than the first one.
    Start,
    /// A reduction to one number gets blocks.
    Blocks,
    /// What is left of them gets one that is as long as it can be.
    Rest,
    /// Reductions that start from an element get partial results,
    Peel,
    /// which are kept and reduced in lanes.
    PeelLanes,
    /// Loops between those of a tile go around them.
    Order,
    /// Loops are taken apart.
    Parts,
    /// Loops of tiles change places.
    Exchange,
    /// A tile becomes the accumulators of its reduction.
    Reorder,
    /// Loops beside a tile are taken apart.
    Beside,
    /// What tiles read is kept in the order in which they read it.
    Pack,
    /// Numbers become vectors.
    Vectors,
    /// Loops get the form that they have in C.
    Lower,
}

pub const STAGES: [Stage; 15] = [
    Stage::Loops,
    Stage::Keep,
    Stage::Start,
    Stage::Blocks,
    Stage::Rest,
    Stage::Peel,
    Stage::PeelLanes,
    Stage::Order,
    Stage::Parts,
    Stage::Exchange,
    Stage::Reorder,
    Stage::Beside,
    Stage::Pack,
    Stage::Vectors,
    Stage::Lower,
];

/// What loops that are no tile look like after a stage: those that only tiles have change nothing.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Shown {
    Loops,
    Keep,
    Start,
    Blocks,
    Rest,
    Peel,
    PeelLanes,
    Parts,
    Vectors,
    Lower,
}

impl Stage {
    pub fn name(self) -> &'static str {
        match self {
            Stage::Loops => "loops",
            Stage::Keep => "keep",
            Stage::Start => "start",
            Stage::Blocks => "blocks",
            Stage::Rest => "rest",
            Stage::Peel => "columns",
            Stage::PeelLanes => "kept",
            Stage::Order => "order",
            Stage::Parts => "parts",
            Stage::Exchange => "exchange",
            Stage::Reorder => "tile",
            Stage::Beside => "beside",
            Stage::Pack => "pack",
            Stage::Vectors => "vectors",
            Stage::Lower => "lower",
        }
    }
}
