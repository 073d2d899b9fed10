//! Reductions to one number in vectors of partial results, which are reduced at the end.
//!
//! In: the loops. Out: how they look after each stage. Absent: operators that have no identity and are not idempotent (`partial`).

use super::pieces::Pieces;
use super::print::{kept, Printer};
use super::skeleton::Reduce;
use super::stage::Shown;
use crate::arith::Nat;
use crate::term::Op;
use crate::ty::Scalar;

/// Bytes of the narrowest vectors that machines have.
const NARROWEST: u32 = 16;

/// Elements of a block of a reduction to one number.
const BLOCK: u32 = 16384;

/// Lanes of what looks so, reduced in any order yet.
fn lanes_of(vectors: String) -> String {
    format!("(contains (app reduce ? ? {vectors}))")
}

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
                lanes_of(format!("(containsReduceVectors 1 {lanes} ? ?)"))
            }
            Shown::Lower => {
                self.uses("lowering", &["map-unroll"]);
                let vectors =
                    format!("(containsReduceVectors 1 {lanes} (containsMapUnroll 1 ?) ?)");
                match self.half(r, s) {
                    Some(half) => self.halved(s, half, vectors),
                    None => vectors,
                }
            }
            _ => return self.started(r),
        };
        match whole {
            true => vector,
            false => format!("(both {vector} (contains reduce))"),
        }
    }

    /// How many lanes of a vector are reduced one by one: those of the narrowest register, as wider ones are halved before. What chooses its
    /// elements may end before its array does, and keeps the loops by which that is seen.
    fn half(&self, r: &Reduce, s: Scalar) -> Option<u32> {
        let half = NARROWEST / s.bytes() as u32;
        let chooses = r.ops[1] == Some(Op::Select);
        (half > 1 && self.target.lanes(s) > half && !chooses).then_some(half)
    }

    /// Vectors of partial results of a loop that are halved.
    fn halved(&mut self, s: Scalar, half: u32, vectors: String) -> String {
        let half = self.param(&format!("{}half", s.name()), half.to_string());
        self.of_size("reduction", &["reduce-lanes"], &half);
        self.uses("algorithmic", &["reduce-seq"]);
        self.uses("layout", &["transpose-back"]);
        self.of_size("vector", &["lift-reduce-seq-vectors"], &half);
        self.uses("lowering", &["reduce-seq-unroll"]);
        format!("(containsHalves {half} {vectors})")
    }

    pub fn in_lanes(&mut self, r: &Reduce, s: Scalar, free: bool) -> String {
        let parallel = free && self.choice.parallel;
        self.regroups = true;
        self.says(format!("reductions in {} vectors", self.choice.lanes));
        let lanes = self.lanes(s);
        let unroll = self.param("unroll", self.choice.lanes.to_string());
        let chunk = self.param(&format!("{}chunk", s.name()), format!("{lanes} * {unroll}"));
        // Of a number of elements that is known there may be no two blocks, or nothing behind them.
        let known = r.n.as_int();
        let parallel = parallel && known.is_none_or(|n| n >= 2 * i64::from(BLOCK));
        let behind = match known.filter(|_| parallel) {
            Some(n) => Nat::int(n % i64::from(BLOCK)),
            None => r.n,
        };
        if parallel {
            self.says("parallel blocks");
        }
        let block = match parallel {
            true => self.param("block", BLOCK.to_string()),
            false => String::new(),
        };
        let blocks = format!("(floor({}, {block}))", r.n);
        let both = |of: String, rest: String| match behind.as_int() {
            Some(0) => of,
            _ => format!("(both {of} {rest})"),
        };
        let vector = i64::from(self.target.lanes(s));
        let pieces = Pieces::of(behind, vector * i64::from(self.choice.lanes), vector);
        match self.shown() {
            Shown::Loops | Shown::Keep | Shown::Start => self.started(r),
            Shown::Blocks | Shown::Rest | Shown::Peel | Shown::PeelLanes => {
                if !parallel {
                    return "(contains reduce)".to_string();
                }
                if self.shown() == Shown::Blocks {
                    if behind.as_int() != Some(0) {
                        self.of_size("reduction", &["reduce-rest"], &block);
                    }
                    self.of_size("reduction", &["reduce-blocks"], &block);
                }
                both(
                    format!("(containsPartial {blocks} (contains reduce) ?)"),
                    "(contains reduce)".to_string(),
                )
            }
            Shown::Parts => {
                let uses = [
                    pieces.chunks || parallel,
                    pieces.vectors || pieces.chunks || parallel,
                ];
                for ((b, behind), uses) in
                    [&chunk, &lanes].into_iter().zip(pieces.behind()).zip(uses)
                {
                    if behind {
                        self.of_size("reduction", &["reduce-rest"], b);
                    }
                    if uses {
                        self.of_size("reduction", &["reduce-lanes"], b);
                    }
                }
                let inner = format!(
                    "(containsPartial {lanes} (contains reduce) (contains (app (map : ? -> {chunk}.? -> ?) (contains reduce))))"
                );
                let columns = match pieces == Pieces::ALL {
                    true => format!("(reducedInColumns {lanes} {chunk})"),
                    false => {
                        let vectors = format!("(containsPartial {lanes} (contains reduce) ?)");
                        pieces.look("both", [&inner, &vectors, "(contains reduce)"])
                    }
                };
                match parallel {
                    true => both(format!("(containsPartial {blocks} {inner} ?)"), columns),
                    false => columns,
                }
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
                    self.of_size("vector", &["lift-reduce-seq-vectors"], &lanes);
                }
                let half = self.half(r, s).filter(|_| !free);
                let mut reduced = |vectors: String| match half {
                    Some(half) if lower => self.halved(s, half, vectors),
                    Some(_) => lanes_of(vectors),
                    None => vectors,
                };
                // Sums of the vectors are taken where they are, not by way of memory.
                let sums = match lower && half.is_some() {
                    true => {
                        format!("containsReduceVectorsUnrolled 1 {lanes} (containsMapUnroll 1 ?)")
                    }
                    false => format!("containsReduceVectors 1 {lanes} ?"),
                };
                let inner = reduced(format!(
                    "({sums} (containsReduceVectors {unroll} {lanes} {body} ?))"
                ));
                let one = reduced(format!("(containsReduceVectors 1 {lanes} ? ?)"));
                let vectors = match pieces == Pieces::ALL && half.is_none() {
                    true => format!("(reducedInVectors {lanes} {unroll} {body})"),
                    false => pieces.look("both", [&inner, &one, "(contains reduceSeq)"]),
                };
                if !parallel {
                    return vectors;
                }
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
