//! Register tiles: two loops around a reduction.
//!
//! In: the loops. Out: how they look after each stage. The accumulators of a tile of rows and columns of the result stay in
//! registers over the whole reduction, whose operands are read once for the tile; every sum stays in its order. The last
//! tiles may stand out over the result. With packing, what a panel of columns reads is kept in the order in which it is read.

use super::print::{size, Printer, Stage};
use super::skeleton::{Loops, Map, Reduce};
use crate::arith::Nat;
use crate::ty::Scalar;

/// Rows of a tile: with two vectors for each, their accumulators and operands fill sixteen registers.
const ROWS: u32 = 6;

/// Two loops around a reduction.
fn product(m: &Map) -> Option<(&Map, &Reduce, Scalar)> {
    let Loops::Map(columns) = &*m.body else {
        return None;
    };
    let Loops::Reduce(r) = &*columns.body else {
        return None;
    };
    if m.generates || columns.generates {
        return None;
    }
    let inner = r
        .inner
        .any(&|l| matches!(l, Loops::Map(_) | Loops::Reduce(_)));
    let s = columns
        .elem
        .as_scalar()
        .filter(|_| columns.reduces && !inner)?;
    let long = |n: Nat, least| n.as_int().is_none_or(|n| n >= least);
    (long(m.n, 64) && long(columns.n, 64) && long(r.n, 16)).then_some((columns, r, s))
}

/// What one step of the reduction does: what makes an element is done there, and not before.
fn step(r: &Reduce) -> String {
    match r.ops {
        [Some(op), Some(of)] => {
            format!("(contains (app {} ? (contains {})))", op.name(), of.name())
        }
        _ => "?".to_string(),
    }
}

impl Printer<'_> {
    /// The tile, where the loops are those of one.
    pub fn tile(&mut self, m: &Map, parallel: bool) -> Option<String> {
        let (columns, r, s) = product(m)?;
        let step = step(r);
        self.says(match self.choice.tile {
            1 => "register tiles",
            _ => "register tiles of packed panels",
        });
        if parallel {
            self.says("parallel");
        }
        let lanes = self.lanes(s);
        let mr = self.param("mr", ROWS.to_string());
        let nr = self.param("nr", format!("target.registers / 8 * {lanes}"));
        let (rows, k) = (format!("(ceil({}, {mr}))", m.n), size(r.n));
        let panels = format!("(ceil({}, {nr}))", columns.n);
        let sum = |body: &str| {
            format!("(containsMap {mr} (containsMap {panels} (containsMap {nr} {body})))")
        };
        let accumulators = format!("({mr}.({nr}/{lanes}).<{lanes}>?)");
        let unrolled = self.stage == Stage::Lower;
        let map = match unrolled {
            true => "containsMapUnroll",
            false => "containsMap",
        };
        let body = format!("({map} {mr} ({map} ({nr}/{lanes}) {step}))");
        let packed = self.choice.tile > 1 && self.stage >= Stage::Pack;
        let reduction = match packed {
            false => format!("(containsReduceSeqInto {k} {accumulators} {body})"),
            true => {
                let row = match unrolled {
                    true => format!(
                        "(contains (app (mapSeqUnroll : ? -> ({nr}/{lanes}).<{lanes}>? -> ?) ?))"
                    ),
                    false => format!("(containsMap {nr} ?)"),
                };
                let panel = format!("(containsStored ({k}.{nr}.scalar) (containsMap {k} {row}))");
                format!("(containsReduceSeqIntoOver {k} {accumulators} {body} {panel})")
            }
        };
        let outer = match parallel && unrolled {
            true => "containsMapPar",
            false => "containsMap",
        };
        self.tile_rules(&lanes, [&mr, &nr], parallel);
        Some(match self.stage {
            Stage::Loops | Stage::Keep | Stage::Blocks | Stage::Peel | Stage::PeelLanes => {
                format!(
                    "(containsMap {} (containsMap {} ?))",
                    size(m.n),
                    size(columns.n)
                )
            }
            Stage::Parts => format!(
                "(containsMap {rows} {})",
                sum(&format!("(containsReduceSeq {k} {step})"))
            ),
            _ => format!("({outer} {panels} (containsMap {rows} {reduction}))"),
        })
    }

    /// What the stage of a tile needs.
    fn tile_rules(&mut self, lanes: &str, tile: [&str; 2], parallel: bool) {
        let with = |rules: &[&str], k: &str| -> Vec<String> {
            rules.iter().map(|r| format!("{r}[{k}]")).collect()
        };
        let vectors = ["lift-reduce-seq-vectors", "lift-reduce-seq-vectors-general"];
        match self.stage {
            Stage::Parts => {
                let split = tile.map(|b| format!("split-join-padded[{b}]"));
                self.needs("algorithmic", &split);
                let rules = [
                    "map-fission",
                    "reduce-seq",
                    "eliminate-map-identity",
                    "reduce-seq-map-fusion",
                ];
                self.needs("algorithmic", &rules);
            }
            Stage::Reorder => {
                let rules = [
                    "map-fission",
                    "reduce-seq-map-fusion",
                    "reduce-seq-map-fission",
                    "eliminate-map-identity",
                    "lift-reduce-seq-general",
                    "lift-reduce-seq",
                    "map-fst-zip",
                    "map-snd-zip",
                ];
                self.needs("algorithmic", &rules);
                self.needs("layout", &["map-interchange"]);
                self.needs("vector", &with(&vectors, lanes));
            }
            Stage::Pack if self.choice.tile > 1 => {
                self.needs(
                    "layout",
                    &[
                        "store-to-mem",
                        "map-array",
                        "transpose-pair",
                        "transpose-twice",
                    ],
                );
            }
            Stage::Lower => {
                if self.choice.tile > 1 {
                    let rules = ["vectorize-after", "vectorize-map", "vectorize-zip"];
                    self.needs("vector", &with(&rules, lanes));
                    self.needs("lowering", &["map-eta-abstraction"]);
                }
                self.needs("lowering", &["map-unroll"]);
                if parallel {
                    self.needs("parallel", &["map-par"]);
                }
            }
            _ => {}
        }
    }
}
