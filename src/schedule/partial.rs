//! Reductions by any operator that associates, to one number or a tuple of them.
//!
//! In: the loops. Out: how they look after each stage. Full blocks are reduced each by itself, in partial results that start from elements,
//! so that there need be no identity. Of what is left of the list, all rows of partial results together are one more block, if there
//! are any, and fewer elements than a row has go on from there one by one. Where the operator commutes, a list that starts
//! from its first element starts from its last one instead, so that blocks begin where the array does. Partial results are
//! vectors, or, of operators that vectors have no form of, rows of numbers that do not depend on each other. Where the operator does not
//! commute, each lane has a strip of its own, and all stays in order. Absent: which operators those are.

use super::print::{kept, Printer};
use super::skeleton::{leaf, Reduce, Regroup};
use super::stage::Shown;

/// Elements of a block of those that run in parallel.
const BLOCK: u32 = 8192;
/// Elements of a strip.
const STRIP: u32 = 512;
/// Vectors of partial results: each is one for every part of a tuple.
pub const UNROLL: u32 = 4;

/// Blocks of a reduction.
pub struct Blocks {
    /// How long each is, and how many there are.
    pub size: String,
    pub many: String,
    pub parallel: bool,
    /// What is left of them: that is one block, if there is any.
    pub whole: Option<Whole>,
    /// Whether the list is the only one as it stands.
    alone: bool,
}

/// As many rows as there are, as one block.
pub struct Whole {
    /// How long it is.
    size: String,
    /// 0 or 1.
    many: String,
    /// Whether it is known that nothing is left after it.
    exact: bool,
}

impl Blocks {
    /// A reduction of what each block, which looks so, comes to; from `stage` on the rest is a block, too.
    pub fn reduced(&self, reduce: &str, of: &str, stage: Shown) -> String {
        if self.alone {
            return of.to_string();
        }
        let blocks = format!(
            "(contains (app {reduce} ? ? (containsMap {} {of})))",
            self.many
        );
        self.and_whole(reduce, blocks, of, stage)
    }

    /// The same as it is in C: what threads come to is kept.
    pub fn lowered(&self, p: &mut Printer, of: &str) -> String {
        if !self.parallel {
            return self.reduced("reduceSeq", of, Shown::Lower);
        }
        p.uses("parallel", &["map-par"]);
        p.uses("layout", &["store-to-mem"]);
        let many = &self.many;
        let blocks = format!(
            "(contains (app reduceSeq ? ? (containsStored ? (containsMapPar {many} {of}))))"
        );
        self.and_whole("reduceSeq", blocks, of, Shown::Lower)
    }

    /// The same in what is reduced of the list, from what the blocks came to on.
    fn peeled(&self, reduce: &str, of: &str, stage: Shown) -> String {
        let blocks = self.reduced(reduce, of, stage);
        match &self.whole {
            _ if self.alone => blocks,
            Some(w) if w.exact && stage >= Shown::Rest => blocks,
            _ => peeled(&blocks),
        }
    }

    fn and_whole(&self, reduce: &str, blocks: String, of: &str, stage: Shown) -> String {
        match &self.whole {
            Some(w) if stage >= Shown::Rest => {
                let start = if self.parallel {
                    blocks
                } else {
                    "?".to_string()
                };
                let many = &w.many;
                format!("(contains (app {reduce} ? {start} (containsMap {many} {of})))")
            }
            _ => blocks,
        }
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
        let lanes = self.lanes(s);
        if !commutes {
            self.regroups = true;
            if parallel {
                self.says("parallel blocks");
            }
            if strips {
                self.says("strips in order");
            }
            return Some(self.in_order(r, strips.then_some(&lanes), parallel));
        }
        let unroll = self.param("partial", UNROLL.to_string());
        let chunk = self.param(
            &format!("{}partial", s.name()),
            format!("{lanes} * {unroll}"),
        );
        let row = i64::from(self.target.lanes(s) * UNROLL);
        let mut blocks = self.of_blocks(r, (&chunk, row), parallel)?;
        // A list that starts from an element of its own is one longer.
        let rows = |n: i64| r.from_first && r.law == Regroup::Blocks && (n + 1) % row == 0;
        blocks.alone = !parallel && r.n.as_int().is_some_and(rows);
        self.regroups = true;
        if parallel {
            self.says("parallel blocks");
        }
        self.says(match r.lane_wise {
            true => format!("reductions in {UNROLL} vectors"),
            false => "reductions in rows".to_string(),
        });
        // Rows of partial results, which are kept and reduced in the lanes of one vector.
        let in_lanes = |chunk: &str, lanes: &str| kept(chunk, &kept(lanes, "?"));
        let columns = |n: &str| format!("(containsMap {n} (contains reduceSeq))");
        let sums = |body: &str| match r.lane_wise {
            true => in_lanes(
                &format!("(containsReduceVectors {unroll} {lanes} {body} ?)"),
                &format!("(containsReduceVectors 1 {lanes} ? ?)"),
            ),
            false => in_lanes(
                &format!("(contains (app (reduceSeq : ? -> {chunk}.? -> ?) ?))"),
                &format!("(contains (app (reduceSeq : ? -> {lanes}.? -> ?) ?))"),
            ),
        };
        Some(match self.shown() {
            Shown::Loops | Shown::Keep | Shown::Start => self.started(r),
            Shown::Blocks | Shown::Rest => {
                self.in_blocks(&blocks, ["reduce-blocks-from-last", "reduce"])
            }
            Shown::Peel => {
                self.of_size("reduction", &["reduce-lanes-from-last"], &chunk);
                let one = kept(&columns(&chunk), "?");
                blocks.peeled("reduce", &one, Shown::Peel)
            }
            Shown::PeelLanes | Shown::Parts => {
                if self.shown() == Shown::PeelLanes {
                    self.of_size("reduction", &["reduce-lanes-from-last"], &lanes);
                }
                let both = in_lanes(&columns(&chunk), &columns(&lanes));
                blocks.peeled("reduce", &both, Shown::Parts)
            }
            Shown::Vectors => {
                self.uses("algorithmic", &["reduce-seq"]);
                match r.lane_wise {
                    true => {
                        self.uses("layout", &["transpose-back"]);
                        self.of_size("vector", &["lift-reduce-seq-vectors-general"], &lanes);
                    }
                    false => self.uses("algorithmic", &["lift-reduce-seq-general"]),
                }
                blocks.reduced("reduceSeq", &sums("?"), Shown::Vectors)
            }
            Shown::Lower => {
                if r.lane_wise {
                    self.uses("lowering", &["map-unroll"]);
                }
                let sums = sums(&format!("(containsMapUnroll {unroll} ?)"));
                blocks.lowered(self, &sums)
            }
        })
    }

    /// The blocks of a reduction by an operator that commutes, if it may have any; rows of partial results are so long.
    pub fn of_blocks(&mut self, r: &Reduce, row: (&str, i64), parallel: bool) -> Option<Blocks> {
        let (rest, size, many) = match parallel {
            true => {
                let size = self.param("blocks", BLOCK.to_string());
                let many = format!("floor({}, {size})", r.n);
                (format!("{} - {size} * {many}", r.n), size, many)
            }
            false => (r.n.to_string(), String::new(), String::new()),
        };
        let known = (r.n.as_int()).map(|n| if parallel { n % i64::from(BLOCK) } else { n });
        let rows = format!("floor({rest}, {})", row.0);
        let whole = known.is_none_or(|n| n >= row.1).then(|| Whole {
            size: self.param("whole", format!("{} * max(1, {rows})", row.0)),
            many: format!("(min(1, {rows}))"),
            exact: known.is_some_and(|n| n % row.1 == 0),
        });
        (parallel || whole.is_some()).then(|| Blocks {
            size,
            many: format!("({many})"),
            parallel,
            whole,
            alone: false,
        })
    }

    /// Before there are blocks: they begin where the array does.
    pub fn started(&mut self, r: &Reduce) -> String {
        if self.shown() != Shown::Start {
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

    /// Blocks that are reduced each as a rule says, and the rest of them.
    pub fn in_blocks(&mut self, blocks: &Blocks, [rule, reduce]: [&str; 2]) -> String {
        let (stage, of) = (self.shown(), format!("(contains {reduce})"));
        if blocks.alone || !blocks.parallel && stage == Shown::Blocks {
            return "(contains reduce)".to_string();
        }
        let size = match (stage, &blocks.whole) {
            (Shown::Blocks, _) => &blocks.size,
            (_, Some(whole)) => &whole.size,
            (_, None) => return blocks.peeled("reduce", &of, stage),
        };
        self.of_size("reduction", &["reduce-rest-on", rule], size);
        blocks.peeled("reduce", &of, stage)
    }

    /// Parallel blocks, each of which is reduced as it stands.
    pub fn blocks_alone(&mut self, r: &Reduce) -> String {
        self.regroups = true;
        self.says("parallel blocks");
        self.in_order(r, None, true)
    }

    /// Blocks in order, or of vectors: each lane has a strip.
    fn in_order(&mut self, r: &Reduce, lanes: Option<&String>, parallel: bool) -> String {
        let whole = |block: &str| format!("(floor({}, {block}))", r.n);
        let blocks = |many: String| Blocks {
            size: String::new(),
            many,
            parallel,
            whole: None,
            alone: false,
        };
        let Some(lanes) = lanes else {
            let block = self.param("blocks", BLOCK.to_string());
            let blocks = blocks(whole(&block));
            // Whole vectors of a block that starts from the identity begin where the block does.
            let (rule, own) = match r.law {
                Regroup::Identity => ("reduce-blocks", "(contains reduce)"),
                _ => ("reduce-blocks-peeled", "(contains reduceSeq)"),
            };
            return match self.shown() {
                Shown::Loops | Shown::Keep | Shown::Start => self.started(r),
                Shown::Lower => {
                    self.uses("algorithmic", &["reduce-seq"]);
                    blocks.lowered(self, own)
                }
                stage => {
                    if stage == Shown::Blocks {
                        self.of_size("reduction", &["reduce-rest-on", rule], &block);
                    }
                    blocks.peeled("reduce", own, stage)
                }
            };
        };
        let strip = self.param("strip", STRIP.to_string());
        let block = self.param("strips", format!("{lanes} * {strip}"));
        let groups = blocks(whole(&block));
        let sums = |body: &str| format!("(containsReduceVectors 1 {lanes} {body} ?)");
        match self.shown() {
            Shown::Loops | Shown::Keep | Shown::Start => "(contains reduce)".to_string(),
            Shown::Blocks | Shown::Rest | Shown::Peel | Shown::PeelLanes => {
                if self.shown() == Shown::Blocks {
                    self.of_size("reduction", &["reduce-rest-on"], &block);
                    self.of_size("reduction", &["reduce-blocks-peeled"], &strip);
                }
                let all = blocks(format!("({lanes} * floor({}, {block}))", r.n));
                all.peeled("reduce", "(contains reduceSeq)", Shown::Blocks)
            }
            Shown::Parts => {
                self.of_size("algorithmic", &["split-join"], lanes);
                let strips = format!("(containsMap {lanes} (contains reduceSeq))");
                groups.peeled("reduce", &strips, Shown::Parts)
            }
            Shown::Vectors => {
                self.of_size("vector", &["lift-reduce-seq-vectors-general"], lanes);
                self.uses("algorithmic", &["reduce-seq"]);
                groups.reduced("reduceSeq", &sums("?"), Shown::Vectors)
            }
            Shown::Lower => {
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
