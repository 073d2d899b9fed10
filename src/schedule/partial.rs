//! Reductions by any operator that associates, to one number or a tuple of them.
//!
//! In: the loops. Out: how they look after each stage. Full blocks are reduced each by itself, in partial results that start from elements,
//! so that there need be no identity; what is left of the list goes on from there. Where the operator commutes, a list that starts
//! from its first element starts from its last one instead, so that blocks begin where the array does. Partial results are
//! vectors, or, of operators that vectors have no form of, rows of numbers that do not depend on each other. Where the operator does not
//! commute, each lane has a strip of its own, and all stays in order. Absent: which operators those are.

use super::print::Printer;
use super::skeleton::{leaf, Reduce, Regroup};
use super::stage::Stage;

/// Elements of a block: of those that run in parallel, of one that runs inside of a loop.
const BLOCKS: [u32; 2] = [8192, 512];
/// Vectors of partial results: each is one for every part of a tuple.
pub const UNROLL: u32 = 4;

/// Blocks of a reduction.
pub struct Blocks {
    /// How many.
    pub many: String,
    pub parallel: bool,
}

impl Blocks {
    /// A reduction of what each block, which looks so, comes to.
    pub fn reduced(&self, reduce: &str, of: &str) -> String {
        format!(
            "(contains (app {reduce} ? ? (containsMap {} {of})))",
            self.many
        )
    }

    /// The same as it is in C: what threads come to is kept.
    pub fn lowered(&self, p: &mut Printer, of: &str) -> String {
        if !self.parallel {
            return self.reduced("reduceSeq", of);
        }
        p.uses("parallel", &["map-par"]);
        p.uses("layout", &["store-to-mem"]);
        let many = &self.many;
        format!("(contains (app reduceSeq ? ? (containsStored ? (containsMapPar {many} {of}))))")
    }
}

/// What is reduced from its first element.
fn peeled(of: &str) -> String {
    format!("(contains (app reduce ? {of}))")
}

impl Printer<'_> {
    /// A reduction of full blocks and the rest; `commutes`: whether its operator does.
    pub fn partial(&mut self, r: &Reduce, commutes: bool, parallel: bool) -> Option<String> {
        // Of tuples that begin with a truth value there are neither vectors nor rows.
        let Some(s) = leaf(r.elem) else {
            return parallel.then(|| self.blocks_alone(r));
        };
        let strips = r.lane_wise && self.choice.vectors;
        if !commutes && !parallel && !strips {
            return None;
        }
        self.regroups = true;
        if parallel {
            self.says("parallel blocks");
        }
        let lanes = self.lanes(s);
        if !commutes {
            if strips {
                self.says("strips in order");
            }
            return Some(self.in_order(r, strips.then_some(&lanes), parallel));
        }
        self.says(match r.lane_wise {
            true => format!("reductions in {UNROLL} vectors"),
            false => "reductions in rows".to_string(),
        });
        let unroll = self.param("partial", UNROLL.to_string());
        let chunk = self.param(
            &format!("{}partial", s.name()),
            format!("{lanes} * {unroll}"),
        );
        let (block, blocks) = self.of_blocks(r, parallel);
        let sums = |body: &str| match r.lane_wise {
            true => format!("(containsReduceVectors {unroll} {lanes} {body} ?)"),
            false => format!("(contains (app (reduceSeq : ? -> {chunk}.? -> ?) ?))"),
        };
        Some(match self.shown() {
            Stage::Loops | Stage::Keep | Stage::Start => self.started(r),
            Stage::Blocks | Stage::Peel | Stage::PeelLanes | Stage::Order => {
                self.in_blocks(&block, &blocks, ["reduce-blocks-from-last", "reduce"])
            }
            Stage::Parts | Stage::Exchange | Stage::Reorder | Stage::Beside | Stage::Pack => {
                let rules = ["reduce-rest-on", "reduce-lanes-peeled"];
                self.of_size("reduction", &rules, &chunk);
                let columns = format!(
                    "(contains (app reduce ? ? (containsMap {chunk} (contains reduceSeq))))"
                );
                blocks.reduced("reduce", &peeled(&columns))
            }
            Stage::Vectors => {
                self.uses("algorithmic", &["reduce-seq"]);
                match r.lane_wise {
                    true => self.of_size("vector", &["lift-reduce-seq-vectors-general"], &lanes),
                    false => self.uses("algorithmic", &["lift-reduce-seq-general"]),
                }
                blocks.reduced("reduceSeq", &sums("?"))
            }
            Stage::Lower => {
                if r.lane_wise {
                    self.uses("lowering", &["map-unroll"]);
                }
                let sums = sums(&format!("(containsMapUnroll {unroll} ?)"));
                blocks.lowered(self, &sums)
            }
        })
    }

    /// Elements of a block, and the blocks, of a reduction by an operator that commutes.
    pub fn of_blocks(&mut self, r: &Reduce, parallel: bool) -> (String, Blocks) {
        let [long, short] = BLOCKS;
        let block = match parallel {
            true => self.param("blocks", long.to_string()),
            false => self.param("part", short.to_string()),
        };
        let many = format!("(floor({}, {block}))", r.n);
        (block, Blocks { many, parallel })
    }

    /// Before there are blocks: they begin where the array does.
    pub fn started(&mut self, r: &Reduce) -> String {
        if self.shown() != Stage::Start {
            return "(contains reduce)".to_string();
        }
        if let Some(e) = &r.apart {
            self.regroups = true;
            self.uses("reduction", &["reduce-from-identity"]);
            return format!("(contains (app reduce ? ({e}) ?))");
        }
        // What does not commute goes from its first element on.
        if !r.from_first || r.law == Regroup::InOrder {
            return "(contains reduce)".to_string();
        }
        self.uses("reduction", &["reduce-from-last"]);
        format!("(contains (app reduce ? (contains (app at[{}] ?)) ?))", r.n)
    }

    /// Blocks that are reduced each as a rule says.
    pub fn in_blocks(&mut self, block: &str, blocks: &Blocks, [rule, reduce]: [&str; 2]) -> String {
        if self.shown() == Stage::Blocks {
            self.of_size("reduction", &["reduce-rest-on", rule], block);
        }
        peeled(&blocks.reduced("reduce", &format!("(contains {reduce})")))
    }

    /// Parallel blocks, each of which is reduced as it stands.
    pub fn blocks_alone(&mut self, r: &Reduce) -> String {
        self.regroups = true;
        self.says("parallel blocks");
        self.in_order(r, None, true)
    }

    /// Blocks in order, or of vectors: each lane has a strip.
    fn in_order(&mut self, r: &Reduce, lanes: Option<&String>, parallel: bool) -> String {
        let [long, short] = BLOCKS;
        let whole = |block: &str| format!("(floor({}, {block}))", r.n);
        let blocks = |many: String| Blocks { many, parallel };
        let Some(lanes) = lanes else {
            let block = self.param("blocks", long.to_string());
            let blocks = blocks(whole(&block));
            // Whole vectors of a block that starts from the identity begin where the block does.
            let (rule, own) = match r.law {
                Regroup::Identity => ("reduce-blocks", "(contains reduce)"),
                _ => ("reduce-blocks-peeled", "(contains reduceSeq)"),
            };
            return match self.shown() {
                Stage::Loops | Stage::Keep | Stage::Start => self.started(r),
                Stage::Lower => {
                    self.uses("algorithmic", &["reduce-seq"]);
                    blocks.lowered(self, own)
                }
                stage => {
                    if stage == Stage::Blocks {
                        self.of_size("reduction", &["reduce-rest-on", rule], &block);
                    }
                    peeled(&blocks.reduced("reduce", own))
                }
            };
        };
        let strip = self.param("strip", short.to_string());
        let block = self.param("strips", format!("{lanes} * {strip}"));
        let groups = blocks(whole(&block));
        let sums = |body: &str| format!("(containsReduceVectors 1 {lanes} {body} ?)");
        match self.shown() {
            Stage::Loops | Stage::Keep | Stage::Start => "(contains reduce)".to_string(),
            Stage::Blocks | Stage::Peel | Stage::PeelLanes | Stage::Order => {
                if self.shown() == Stage::Blocks {
                    self.of_size("reduction", &["reduce-rest-on"], &block);
                    self.of_size("reduction", &["reduce-blocks-peeled"], &strip);
                }
                let all = blocks(format!("({lanes} * floor({}, {block}))", r.n));
                peeled(&all.reduced("reduce", "(contains reduceSeq)"))
            }
            Stage::Parts | Stage::Exchange | Stage::Reorder | Stage::Beside | Stage::Pack => {
                self.of_size("algorithmic", &["split-join"], lanes);
                let strips = format!("(containsMap {lanes} (contains reduceSeq))");
                peeled(&groups.reduced("reduce", &strips))
            }
            Stage::Vectors => {
                self.of_size("vector", &["lift-reduce-seq-vectors-general"], lanes);
                self.uses("algorithmic", &["reduce-seq"]);
                groups.reduced("reduceSeq", &sums("?"))
            }
            Stage::Lower => {
                self.uses("lowering", &["map-unroll"]);
                groups.lowered(self, &sums("(containsMapUnroll 1 ?)"))
            }
        }
    }

    /// Rules for loops of one size.
    pub fn of_size(&mut self, file: &'static str, rules: &[&str], size: &str) {
        for rule in rules {
            self.uses(file, &[&format!("{rule}[{size}]")]);
        }
    }
}
