//! Reductions that keep weights below the largest number, as log Σ exp and softmax do.
//!
//! In: the loops. Out: how they look after each stage. Full blocks are reduced each in two passes that find it in a cache: first the
//! largest number, then the weights below it, one exponential for each element. Where functions may be approximated both are in vectors of
//! partial results, else the first one. Absent: which operators those are, which the search finds out.

use super::partial::UNROLL;
use super::print::{kept, Printer};
use super::skeleton::{leaf, Reduce};
use super::stage::Shown;

/// Both passes of a block.
fn both(largest: &str, sums: &str) -> String {
    format!("(contains (app let {largest} (\\ (app pair ? {sums}))))")
}

/// A reduction of that.
fn reduced(of: &str) -> String {
    format!("(app (reduce or reduceSeq) ? ? {of})")
}

/// Of rows, which are kept, in the lanes of one vector.
fn kept_rows(rows: &str, lanes: &str) -> String {
    kept(rows, &format!("(contains {})", reduced(lanes)))
}

impl Printer<'_> {
    /// Blocks of two passes.
    pub fn passes(&mut self, r: &Reduce, parallel: bool) -> Option<String> {
        let s = leaf(r.elem)?;
        let lanes = self.lanes(s);
        let unroll = self.param("partial", UNROLL.to_string());
        let chunk = self.param(
            &format!("{}partial", s.name()),
            format!("{lanes} * {unroll}"),
        );
        let row = i64::from(self.target.lanes(s) * UNROLL);
        let blocks = self.of_blocks(r, (&chunk, row), parallel)?;
        self.regroups = true;
        if parallel {
            self.says("parallel blocks");
        }
        self.says("weights in two passes");
        let apart = |n: &str, reduce: &str| format!("(containsMap {n} (contains {reduce}))");
        let rows = |reduce: &str| reduced(&apart(&chunk, reduce));
        let in_lanes = |reduce: &str| kept_rows(&apart(&chunk, reduce), &apart(&lanes, reduce));
        let vectors = |f: &str| {
            let of = |n: &str, f: &str| format!("(containsReduceVectors {n} {lanes} {f} ?)");
            kept_rows(&of(&unroll, f), &of("1", "?"))
        };
        // What is the same in both passes, if both are in vectors.
        let approximate = self.approximate;
        let passes = |largest: String, sums: String| match approximate {
            true => both(&largest, &sums),
            false => both(&largest, &reduced("?")),
        };
        let of_lanes: &[&str] = match approximate {
            true => &["reduce-lanes-peeled", "reduce-lanes"],
            false => &["reduce-lanes-peeled"],
        };
        Some(match self.shown() {
            Shown::Loops | Shown::Keep | Shown::Start => self.started(r),
            Shown::Blocks | Shown::Rest => {
                self.in_blocks(&blocks, ["reduce-blocks-peeled", "reduceSeq"])
            }
            Shown::Peel => {
                let rules = ["reduce-weights-peeled", "reduce-weighted-sums-peeled"];
                self.uses("reduction", &rules);
                let whole = reduced("?");
                blocks.reduced("reduce", &both(&whole, &whole), Shown::Peel)
            }
            Shown::PeelLanes => {
                if self.shown() == Shown::PeelLanes {
                    self.of_size("reduction", of_lanes, &chunk);
                }
                let passes = passes(rows("reduceSeq"), rows("reduce"));
                blocks.reduced("reduce", &passes, Shown::PeelLanes)
            }
            Shown::Parts => {
                self.of_size("reduction", of_lanes, &lanes);
                self.uses("reduction", &["reduce-kept"]);
                let passes = passes(in_lanes("reduceSeq"), in_lanes("reduce"));
                blocks.reduced("reduce", &passes, Shown::Parts)
            }
            Shown::Vectors => {
                self.uses("algorithmic", &["reduce-seq"]);
                self.uses("layout", &["transpose-back"]);
                let lifts = ["lift-reduce-seq-vectors-general", "lift-reduce-seq-vectors"];
                self.of_size("vector", &lifts, &lanes);
                if approximate {
                    self.uses("lowering", &["map-eta-abstraction"]);
                    self.of_size("vector", &["vectorize-map", "vectorize-zip"], &lanes);
                }
                let passes = passes(vectors("?"), vectors("?"));
                blocks.reduced("reduceSeq", &passes, Shown::Vectors)
            }
            Shown::Lower => {
                self.uses("lowering", &["map-unroll"]);
                let body = format!("(containsMapUnroll {unroll} ?)");
                let passes = passes(vectors(&body), vectors(&body));
                blocks.lowered(self, &passes)
            }
        })
    }
}
