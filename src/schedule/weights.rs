//! Reductions that keep weights below the largest number, as log Σ exp and softmax do.
//!
//! In: the loops. Out: how they look after each stage. Full blocks are reduced each in two passes that find it in a cache: first the
//! largest number, then the weights below it, one exponential for each element. Where functions may be approximated both are in vectors of
//! partial results, else the first one. Absent: which operators those are, which the search finds out.

use super::partial::UNROLL;
use super::print::Printer;
use super::skeleton::{leaf, Reduce};
use super::stage::Stage;

/// Both passes of a block.
fn both(largest: &str, sums: &str) -> String {
    let reduce = |of: &str| format!("(app (reduce or reduceSeq) ? ? {of})");
    let pair = format!("(\\ (app pair ? {}))", reduce(sums));
    format!("(contains (app let {} {pair}))", reduce(largest))
}

impl Printer<'_> {
    /// Blocks of two passes.
    pub fn passes(&mut self, r: &Reduce, parallel: bool) -> String {
        let Some(s) = leaf(r.elem) else {
            return "?".to_string();
        };
        self.regroups = true;
        if parallel {
            self.says("parallel blocks");
        }
        self.says("weights in two passes");
        let lanes = self.lanes(s);
        let unroll = self.param("partial", UNROLL.to_string());
        let chunk = self.param(
            &format!("{}partial", s.name()),
            format!("{lanes} * {unroll}"),
        );
        let (block, blocks) = self.of_blocks(r, parallel);
        let apart = |reduce: &str| format!("(containsMap {chunk} (contains {reduce}))");
        let vectors = |f: &str| format!("(containsReduceVectors {unroll} {lanes} {f} ?)");
        // What is the same in both passes, if both are in vectors.
        let approximate = self.approximate;
        let passes = |largest: String, sums: String| match approximate {
            true => both(&largest, &sums),
            false => both(&largest, "?"),
        };
        match self.shown() {
            Stage::Loops | Stage::Keep | Stage::Start => self.started(r),
            Stage::Blocks => self.in_blocks(&block, &blocks, ["reduce-blocks-peeled", "reduceSeq"]),
            Stage::Peel | Stage::PeelLanes | Stage::Order => {
                if self.shown() == Stage::Peel {
                    let rules = ["reduce-weights-peeled", "reduce-weighted-sums-peeled"];
                    self.uses("reduction", &rules);
                }
                blocks.reduced("reduce", &both("?", "?"))
            }
            Stage::Parts | Stage::Exchange | Stage::Reorder | Stage::Beside | Stage::Pack => {
                let rules: &[&str] = match approximate {
                    true => &["reduce-lanes-peeled", "reduce-lanes"],
                    false => &["reduce-lanes-peeled"],
                };
                self.of_size("reduction", rules, &chunk);
                let passes = passes(apart("reduceSeq"), apart("reduce"));
                blocks.reduced("reduce", &passes)
            }
            Stage::Vectors => {
                self.uses("algorithmic", &["reduce-seq"]);
                self.uses("layout", &["transpose-back"]);
                let lifts = ["lift-reduce-seq-vectors-general", "lift-reduce-seq-vectors"];
                self.of_size("vector", &lifts, &lanes);
                if approximate {
                    self.uses("lowering", &["map-eta-abstraction"]);
                    self.of_size("vector", &["vectorize-map", "vectorize-zip"], &lanes);
                }
                let passes = passes(vectors("?"), vectors("?"));
                blocks.reduced("reduceSeq", &passes)
            }
            Stage::Lower => {
                self.uses("lowering", &["map-unroll"]);
                let body = format!("(containsMapUnroll {unroll} ?)");
                let passes = passes(vectors(&body), vectors(&body));
                blocks.lowered(self, &passes)
            }
        }
    }
}
