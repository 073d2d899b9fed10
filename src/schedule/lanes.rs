//! Reductions to one number in vectors of partial results, which are reduced at the end.
//!
//! In: the loops. Out: how they look after each stage. Absent: operators that have no identity and are not idempotent (`partial`).

use super::print::{kept, Printer};
use super::skeleton::Reduce;
use super::stage::Shown;
use crate::ty::Scalar;

/// Elements of a block of a reduction to one number.
const BLOCK: u32 = 16384;

impl Printer<'_> {
    /// A short reduction: whole vectors are added up, then their lanes, then the rest.
    pub fn in_one(&mut self, r: &Reduce, s: Scalar) -> String {
        self.regroups = true;
        self.says("short reductions in a vector");
        let whole = (r.n.as_int()).is_some_and(|n| n % i64::from(self.target.lanes(s)) == 0);
        let lanes = self.lanes(s);
        let vector = match self.shown() {
            Shown::Parts => {
                if !whole {
                    self.of_size("reduction", &["reduce-rest"], &lanes);
                }
                self.of_size("reduction", &["reduce-lanes"], &lanes);
                format!("(containsPartial {lanes} (contains reduce) ?)")
            }
            Shown::Vectors => {
                self.uses("algorithmic", &["reduce-seq"]);
                self.uses("layout", &["transpose-back"]);
                self.of_size("vector", &["lift-reduce-seq-vectors"], &lanes);
                format!("(containsReduceVectors 1 {lanes} ? ?)")
            }
            Shown::Lower => {
                self.uses("lowering", &["map-unroll"]);
                format!("(containsReduceVectors 1 {lanes} (containsMapUnroll 1 ?) ?)")
            }
            _ => return self.started(r),
        };
        match whole {
            true => vector,
            false => format!("(both {vector} (contains reduce))"),
        }
    }

    pub fn in_lanes(&mut self, r: &Reduce, s: Scalar, parallel: bool) -> String {
        self.regroups = true;
        self.says(format!("reductions in {} vectors", self.choice.lanes));
        let lanes = self.lanes(s);
        let unroll = self.param("unroll", self.choice.lanes.to_string());
        let chunk = self.param(&format!("{}chunk", s.name()), format!("{lanes} * {unroll}"));
        if parallel {
            self.says("parallel blocks");
        }
        let block = match parallel {
            true => self.param("block", BLOCK.to_string()),
            false => String::new(),
        };
        let blocks = format!("(floor({}, {block}))", r.n);
        let both = |of: String, rest: String| format!("(both {of} {rest})");
        match self.shown() {
            Shown::Loops | Shown::Keep | Shown::Start => self.started(r),
            Shown::Blocks | Shown::Rest | Shown::Peel | Shown::PeelLanes => {
                if !parallel {
                    return "(contains reduce)".to_string();
                }
                if self.shown() == Shown::Blocks {
                    let rules = ["reduce-rest", "reduce-blocks"].map(|r| format!("{r}[{block}]"));
                    self.uses("reduction", &rules.each_ref().map(String::as_str));
                }
                both(
                    format!("(containsPartial {blocks} (contains reduce) ?)"),
                    "(contains reduce)".to_string(),
                )
            }
            Shown::Parts => {
                for b in [&chunk, &lanes] {
                    let (rest, split) = (format!("reduce-rest[{b}]"), format!("reduce-lanes[{b}]"));
                    self.uses("reduction", &[&rest, &split]);
                }
                let columns = format!("(reducedInColumns {lanes} {chunk})");
                if !parallel {
                    return columns;
                }
                let inner = format!(
                    "(containsPartial {lanes} (contains reduce) (contains (app (map : ? -> {chunk}.? -> ?) (contains reduce))))"
                );
                both(format!("(containsPartial {blocks} {inner} ?)"), columns)
            }
            Shown::Vectors | Shown::Lower => {
                let lower = self.shown() == Shown::Lower;
                let body = match lower {
                    true => format!("(containsMapUnroll {unroll} ?)"),
                    false => "?".to_string(),
                };
                if lower {
                    self.uses("lowering", &["map-unroll"]);
                } else {
                    self.uses("algorithmic", &["reduce-seq"]);
                    self.uses("layout", &["transpose-back"]);
                    let rule = format!("lift-reduce-seq-vectors[{lanes}]");
                    self.uses("vector", &[&rule]);
                }
                let vectors = format!("(reducedInVectors {lanes} {unroll} {body})");
                if !parallel {
                    return vectors;
                }
                let inner = format!(
                    "(containsReduceVectors 1 {lanes} ? (containsReduceVectors {unroll} {lanes} {body} ?))"
                );
                let partial = match lower {
                    false => format!("(containsMap {blocks} {inner})"),
                    true => {
                        self.uses("parallel", &["map-par"]);
                        self.uses("layout", &["store-to-mem"]);
                        format!("(containsStored ({blocks}.?) (containsMapPar {blocks} {inner}))")
                    }
                };
                both(format!("(contains (app reduceSeq ? ? {partial}))"), vectors)
            }
        }
    }

    /// A maximum, say: columns of partial results begin with their first element, and the last element stands for those that
    /// fill the columns.
    pub fn peeled(&mut self, s: Scalar) -> String {
        self.regroups = true;
        self.says(format!("reductions in {} vectors", self.choice.lanes));
        let lanes = self.lanes(s);
        let unroll = self.param("unroll", self.choice.lanes.to_string());
        let chunk = self.param(&format!("{}chunk", s.name()), format!("{lanes} * {unroll}"));
        let lanewise =
            |n: &str| format!("(contains (app (map : ? -> {n}.? -> ?) (contains reduceSeq)))");
        let of_kept = |f: String, g: String| kept(&f, &format!("(contains (app reduce ? ? {g}))"));
        match self.shown() {
            Shown::Loops | Shown::Keep | Shown::Start | Shown::Blocks | Shown::Rest => {
                "(contains reduce)".to_string()
            }
            Shown::Peel => {
                let rules = ["reduce-pad-idempotent", "reduce-lanes-peeled"];
                let rules = rules.map(|r| format!("{r}[{chunk}]"));
                self.uses("reduction", &rules.each_ref().map(String::as_str));
                format!("(contains (app reduce ? ? (contains (app (map : ? -> {chunk}.? -> ?) (contains reduceSeq) (contains padClamp)))))")
            }
            Shown::PeelLanes | Shown::Parts => {
                if self.shown() == Shown::PeelLanes {
                    let rule = format!("reduce-lanes-peeled[{lanes}]");
                    self.uses("reduction", &[&rule, "reduce-kept"]);
                }
                let columns =
                    format!("(containsMapOver {chunk} (contains reduceSeq) (contains padClamp))");
                of_kept(columns, lanewise(&lanes))
            }
            Shown::Vectors | Shown::Lower => {
                let body = match self.shown() {
                    Shown::Lower => {
                        self.uses("lowering", &["map-unroll"]);
                        format!("(containsMapUnroll {unroll} ?)")
                    }
                    _ => {
                        self.uses("layout", &["transpose-back"]);
                        let rule = format!("lift-reduce-seq-vectors-general[{lanes}]");
                        self.uses("vector", &[&rule]);
                        "?".to_string()
                    }
                };
                let columns =
                    format!("(containsReduceVectors {unroll} {lanes} {body} (contains padClamp))");
                of_kept(columns, format!("(containsReduceVectors 1 {lanes} ? ?)"))
            }
        }
    }
}
