//! Arrays that are read across their rows, and blocks for threads.
//!
//! In: the loops. Out: how they look after each stage. Of a transposed array a strip of rows of the result is written side by side, so
//! that what is read of one row of the array lies together, in short runs, so that what is written of one row does, too. Columns that
//! are summed are as many at once as the nearest cache holds sums of, and a few rows are added to a vector of sums while it is in a register: rows are read whole, every sum stays in its order.

use super::pieces::Pieces;
use super::print::{size, Printer};
use super::skeleton::{Loops, Map, Reduce};
use super::stage::{Shown, Stage};
use crate::arith::Nat;

/// Rows of a strip, each of which is written in runs of so many elements, and of one of those that are left.
const STRIP: u32 = 64;
const RUN: u32 = 16;
const NARROW: u32 = 8;
/// Rows that are added to a vector of sums at once.
const ROWS: u32 = 4;
/// Elements of a block.
const BLOCK: u32 = 256;
/// Reductions of fewer elements have no rows to be added at once.
const LONG: i64 = 16;

impl Printer<'_> {
    /// Strips, where the loops are those of a transposed array.
    pub fn strips(&mut self, m: &Map, parallel: bool) -> Option<String> {
        let inner = match &*m.body {
            Loops::Map(inner) if m.across && inner.body.is_nothing() => inner,
            _ => return None,
        };
        let long = |n: crate::arith::Nat| n.as_int().is_none_or(|n| n >= 64);
        // Whole rows that are only read in another way are no elements.
        let of_rows = inner.elem.as_array().is_some_and(|(n, _)| long(n));
        if m.generates || inner.generates || of_rows || !long(m.n) || !long(inner.n) {
            return None;
        }
        let pieces = Pieces::of(m.n, STRIP.into(), NARROW.into());
        let in_runs = Pieces::of_blocks(inner.n, RUN.into());
        if !pieces.chunks || !in_runs.chunks {
            return None;
        }
        self.says("strips of rows");
        if parallel {
            self.says("parallel");
        }
        let strip = self.param("strip", STRIP.to_string());
        let narrow = self.param("narrow", NARROW.to_string());
        let run = self.param("run", RUN.to_string());
        let (n, columns) = (size(m.n), size(inner.n));
        let ([whole, between], rules) = pieces.of_loop(m.n, [&strip, &narrow]);
        let ([runs, _], of_runs) = in_runs.of_loop(inner.n, [&run, &run]);
        let all = |first: String, second: String| {
            Some(pieces.look("parts", [&first, &second, "(contains map)"]))
        };
        if self.stage < Stage::Parts {
            return Some(format!("(containsMap {n} (containsMap {columns} ?))"));
        }
        let (mut first, mut last) = ("containsMap", "containsMap");
        match self.stage {
            Stage::Parts => {
                self.needs("algorithmic", &rules);
                let rows = |times: &str, strip: &str| {
                    format!("(containsMap {times} (containsMap {strip} (containsMap {columns} ?)))")
                };
                return all(rows(&whole, &strip), rows(&between, &narrow));
            }
            Stage::Reorder | Stage::Vectors => {
                self.needs("layout", &["transpose-around-map-map"]);
            }
            Stage::Beside => self.needs("algorithmic", &of_runs),
            Stage::Lower => {
                self.needs("lowering", &["map-unroll"]);
                last = "containsMapUnroll";
                if parallel {
                    self.needs("parallel", &["map-par"]);
                    first = "containsMapPar";
                }
            }
            _ => {}
        }
        let wide = match self.stage {
            Stage::Exchange | Stage::Reorder => {
                format!("(containsMap {columns} (containsMap {strip} ?))")
            }
            stage => {
                let [outer, inner] = match stage {
                    Stage::Beside | Stage::Pack => [&run, &strip],
                    _ => [&strip, &run],
                };
                let block = format!("(containsMap {outer} (containsMap {inner} ?))");
                let runs = format!("(containsMap {runs} {block})");
                in_runs.look("parts", [&runs, "?", "(contains map)"])
            }
        };
        all(
            format!("({first} {whole} {wide})"),
            format!("(containsMap {between} (containsMap {columns} ({last} {narrow} ?)))"),
        )
    }

    /// Blocks of a loop over reductions.
    pub fn blocks(&mut self, m: &Map) -> Option<String> {
        if !m.reduces || m.n.as_int().is_some_and(|n| n < i64::from(2 * BLOCK)) {
            return None;
        }
        // Columns that have vectors are read in whole rows.
        if m.across && matches!(&*m.body, Loops::Reduce(r) if r.lane_wise) {
            return None;
        }
        self.says(match m.across {
            true => "blocks of columns",
            false => "blocks of elements",
        });
        self.says("parallel");
        let block = self.param("elements", BLOCK.to_string());
        let pieces = Pieces::of_blocks(m.n, BLOCK.into());
        let ([many, _], rules) = pieces.of_loop(m.n, [&block, &block]);
        if m.generates && self.stage == Stage::Loops {
            self.needs("algorithmic", &["generate-map"]);
        }
        if self.stage < Stage::Parts {
            return Some(format!("(containsMap {} ?)", size(m.n)));
        }
        // Of columns a block is reduced row by row: what its elements have come to lies in a cache, and compilers make vectors of rows.
        let rows = m.across;
        let mut map = "containsMap";
        match self.stage {
            Stage::Parts => {
                self.needs("algorithmic", &rules);
                if rows {
                    self.needs("algorithmic", &["reduce-seq"]);
                }
            }
            Stage::Reorder if rows => {
                let lifts = ["lift-reduce-seq", "lift-reduce-seq-general"];
                self.needs("algorithmic", &lifts);
            }
            Stage::Lower => {
                self.needs("parallel", &["map-par"]);
                map = "containsMapPar";
            }
            _ => {}
        }
        let inner = match (rows, self.stage >= Stage::Reorder) {
            (true, true) => format!("(contains (app (reduceSeq : ? -> {block}.? -> ?) ?))"),
            (true, false) => format!("(containsMap {block} (contains reduceSeq))"),
            (false, _) => format!("(containsMap {block} ?)"),
        };
        let blocks = format!("({map} {many} {inner})");
        Some(pieces.look("parts", [&blocks, "?", "(contains map)"]))
    }

    /// The sums of some columns over all rows, as the last stage has them: of several rows at once where these are many.
    pub fn summed_columns(&mut self, r: &Reduce, wide: &str, lanes: &str) -> Option<String> {
        if self.choice.rows == 0 || r.n.as_int().is_some_and(|n| n < LONG) {
            return None;
        }
        let rows = self.param("rows", ROWS.to_string());
        self.needs("algorithmic", &[format!("blocked-reduce-seq[{rows}]")]);
        let rest = format!("reduce-seq-rest[{rows}]");
        self.needs("regrouping", &[rest.as_str(), "reduce-columns-from"]);
        self.needs("lowering", &["reduce-seq-unroll"]);
        Some(format!(
            "(containsReduceSeqInto (floor({}, {rows})) ({wide}.<{lanes}>?) (containsMap {wide} (containsReduceSeqUnroll {rows} ?)))",
            r.n
        ))
    }

    /// The last columns, fewer than a vector has lanes: row by row, too, each number into a sum of its own.
    pub fn last_columns(&mut self, n: Nat, lanes: &str, k: &str) -> String {
        if self.shown() == Shown::Vectors {
            let lifts = ["lift-reduce-seq", "lift-reduce-seq-general"];
            self.needs("algorithmic", &lifts);
        }
        let left = format!("{n} - {lanes} * floor({n}, {lanes})");
        format!("(containsReduceSeqInto {k} (({left}).?) ?)")
    }
}
