//! Register tiles: two loops around a reduction.
//!
//! In: the loops. Out: how they look after each stage. The accumulators of a tile of rows and columns of the result stay in
//! registers over the whole reduction, whose operands are read once for the tile; every sum stays in its order. Columns are
//! the innermost loop, rows the loop nearest to it in which the same columns are read again; loops between them go around
//! both. The last tiles may stand out over the result. With packing, what a panel of columns reads is kept in the order in
//! which it is read.

use super::print::{size, Printer};
use super::skeleton::{leaf, same_leaves, Loops, Map, Reduce, FEW_COLUMNS, SHALLOW};
use super::stage::Stage;
use super::sums::unnamed;
use crate::arith::Nat;
use crate::term::{Kind, Op, Term};
use crate::ty::Scalar;

/// What is said of them, alike in its beginning.
pub const TILES: &str = "register tiles";
const PACKED: &str = "register tiles of packed panels";
const OF_COLUMNS: &str = "register tiles of one vector";

/// The choice of tiles that have one vector of columns.
pub const TALL: u32 = 3;

/// Conversions before products.
const CONVERTED: [&str; 3] = [
    "products-of-converted",
    "products-of-converted-left",
    "products-of-converted-right",
];

/// Rows of a tile: with two vectors for each, their accumulators leave four registers for operands.
const ROWS: &str = "target.registers / 2 - 2";

/// The loops of a tile.
struct Product<'a> {
    rows: &'a Map,
    /// Loops that stand between rows and columns, outermost first.
    between: Vec<&'a Map>,
    columns: &'a Map,
    r: &'a Reduce,
    s: Scalar,
}

/// Tiles of fewer rows would mostly be padded.
const FEW_ROWS: i64 = 4;
/// So many products for each row are more than compilers write out.
const WRITTEN_OUT: i64 = 128;

/// Two loops around a reduction, the outer one of which is this.
fn product(rows: &Map) -> Option<Product<'_>> {
    let mut between = Vec::new();
    let mut columns = rows;
    let r = loop {
        match unnamed(&columns.body) {
            Loops::Map(inner) => {
                between.push(inner);
                columns = inner;
            }
            Loops::Reduce(r) => break r,
            _ => return None,
        }
    };
    between.pop()?;
    let last = |m: &&Map| m.reused && long(m.n, FEW_ROWS);
    if rows.generates || columns.generates || !last(&rows) || between.iter().any(last) {
        return None;
    }
    let inner = r
        .inner
        .any(&|l| matches!(l, Loops::Map(_) | Loops::Reduce(_)));
    let s = leaf(columns.elem).filter(|s| same_leaves(columns.elem, *s))?;
    let fits = columns.reduces
        && !columns.generates
        && !inner
        && long(columns.n, FEW_COLUMNS)
        && long(r.n, SHALLOW);
    // What compilers write out they make vectors of.
    let small = columns.few && (columns.n * r.n).as_int().is_some_and(|n| n < WRITTEN_OUT);
    (fits && !small).then_some(Product {
        rows,
        between,
        columns,
        r,
        s,
    })
}

/// Whether a program takes windows that begin some elements apart: numbers that are made side by side then read what lies apart.
pub fn reads_spread(term: &Term) -> bool {
    let mut found = false;
    term.visit(&mut |t, _| {
        if let Kind::Prim(p) = t.kind() {
            found |= p.op() == Op::Slide && p.sizes().last().is_some_and(|s| s.as_int() != Some(1));
        }
    });
    found
}

/// Whether a loop is long enough, as far as that is known.
fn long(n: Nat, least: i64) -> bool {
    n.as_int().is_none_or(|n| n >= least)
}

/// What one step of the reduction does: what makes an element is done there, and not before.
fn step(r: &Reduce) -> String {
    match r.ops {
        // What is converted is so before the products, and kept as that.
        [Some(op), Some(of)] if r.converts => {
            let (op, of) = (op.name(), of.name());
            format!("(contains (app {op} ? (app {of} (app fst ?) (app snd ?))))")
        }
        [Some(op), Some(of)] => {
            format!("(contains (app {} ? (contains {})))", op.name(), of.name())
        }
        _ => "?".to_string(),
    }
}

impl Printer<'_> {
    /// The tile, where the loops are those of one.
    pub fn tile(&mut self, m: &Map, parallel: bool) -> Option<String> {
        let Product {
            rows: around,
            between,
            columns,
            r,
            s,
        } = product(m)?;
        self.tiles += 1;
        let step = step(r);
        let scalar = columns.elem.as_scalar().is_some();
        let (packs, tall) = (self.choice.tile == 2 && scalar, self.choice.tile == TALL);
        self.says(match (packs, tall) {
            (true, _) => PACKED,
            (_, true) => OF_COLUMNS,
            _ => TILES,
        });
        if parallel {
            self.says("parallel");
        }
        let lanes = self.lanes(s);
        // Each part of a pair has its own accumulators.
        let (name, parts) = if scalar { ("nr", 1) } else { ("pairs", 2) };
        // A vector that is collected element by element is worth many rows.
        // So are columns of which there is one vector.
        let vector = i64::from(self.target.lanes(s));
        let slim = tall || scalar && columns.n.as_int().is_some_and(|n| n <= vector);
        let (rows, wide) = match (slim, scalar) {
            (true, _) => (format!("target.registers / {}", 2 * parts), lanes.clone()),
            (false, true) => (ROWS.to_string(), format!("2 * {lanes}")),
            (false, false) => (ROWS.to_string(), lanes.clone()),
        };
        let mr = self.param("mr", rows);
        let nr = self.param(name, wide);
        // Of as many columns as a panel has there is one, and no loop over panels.
        let width = vector * if slim || !scalar { 1 } else { 2 };
        let one = columns.n.as_int() == Some(width);
        let tiles = format!("(ceil({}, {mr}))", around.n);
        let panels = format!("(ceil({}, {nr}))", columns.n);
        let flags = [
            parallel,
            packs,
            !between.is_empty(),
            around.fixed,
            r.converts,
        ];
        self.tile_rules(&lanes, [&mr, &nr], flags);
        let k = size(r.n);
        let sum = format!("(containsReduceSeq {k} {step})");
        let inner = match self.stage {
            Stage::Loops
            | Stage::Keep
            | Stage::Start
            | Stage::Blocks
            | Stage::Rest
            | Stage::Peel
            | Stage::PeelLanes => {
                let all = [&[around], &between[..], &[columns]].concat();
                return Some(nest(&all, "containsMap", "?"));
            }
            Stage::Order => nest(&[around, columns], "containsMap", "(contains reduce)"),
            Stage::Parts | Stage::Exchange if one => {
                format!("(containsMap {tiles} (containsMap {mr} (containsMap {nr} {sum})))")
            }
            Stage::Parts => format!(
                "(containsMap {tiles} (containsMap {mr} (containsMap {panels} (containsMap {nr} {sum}))))"
            ),
            Stage::Exchange => format!(
                "(containsMap {panels} (containsMap {tiles} (containsMap {mr} (containsMap {nr} {sum}))))"
            ),
            _ => {
                let kept = match r.converts {
                    true => s.name(),
                    false => "scalar",
                };
                let kept = packs.then_some(kept);
                let reduction = self.in_registers(&k, &step, [&mr, &nr, &lanes], kept);
                let map = self.outermost(parallel && between.is_empty());
                match one {
                    true => format!("({map} {tiles} {reduction})"),
                    false => format!("({map} {panels} (containsMap {tiles} {reduction}))"),
                }
            }
        };
        Some(match between.split_first() {
            None => inner,
            Some((first, rest)) => {
                let inner = nest(rest, "containsMap", &inner);
                nest(&[first], self.outermost(parallel), &inner)
            }
        })
    }

    /// How the outermost loop is written.
    fn outermost(&self, parallel: bool) -> &'static str {
        match parallel && self.stage == Stage::Lower {
            true => "containsMapPar",
            false => "containsMap",
        }
    }

    /// The reduction whose accumulators are a tile; of which numbers its panels are kept, if they are.
    fn in_registers(
        &self,
        k: &str,
        step: &str,
        [mr, nr, lanes]: [&str; 3],
        kept: Option<&str>,
    ) -> String {
        let accumulators = format!("({mr}.({nr}/{lanes}).<{lanes}>?)");
        let unrolled = self.stage == Stage::Lower;
        let map = match unrolled {
            true => "containsMapUnroll",
            false => "containsMap",
        };
        let body = format!("({map} {mr} ({map} ({nr}/{lanes}) {step}))");
        let later =
            self.stage < Stage::Pack || self.stage == Stage::Pack && self.tiles > self.packed;
        let Some(kept) = kept.filter(|_| !later) else {
            return format!("(containsReduceSeqInto {k} {accumulators} {body})");
        };
        let row = match unrolled {
            true => {
                format!("(contains (app (mapSeqUnroll : ? -> ({nr}/{lanes}).<{lanes}>? -> ?) ?))")
            }
            false => format!("(containsMap {nr} ?)"),
        };
        let panel = format!("(containsStored ({k}.{nr}.{kept}) (containsMap {k} {row}))");
        format!("(containsReduceSeqIntoOver {k} {accumulators} {body} {panel})")
    }

    /// What the stage of a tile needs; whether it is parallel, packs, has loops that change places first, and whether the loop over
    /// columns goes over the same array for all rows.
    fn tile_rules(
        &mut self,
        lanes: &str,
        tile: [&str; 2],
        [parallel, packs, order, same, converts]: [bool; 5],
    ) {
        let with = |rules: &[&str], k: &str| -> Vec<String> {
            rules.iter().map(|r| format!("{r}[{k}]")).collect()
        };
        let vectors = ["lift-reduce-seq-vectors", "lift-reduce-seq-vectors-general"];
        let interchange = ["map-interchange", "map-interchange-general"];
        match self.stage {
            Stage::Order if order => self.needs("layout", &interchange),
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
                if converts {
                    self.needs("algorithmic", &CONVERTED);
                }
            }
            Stage::Exchange => {
                self.needs("algorithmic", &["map-fission", "eliminate-map-identity"]);
                // An array that depends on the row is laid out for all rows: many ways more.
                let one = if same { 1 } else { 2 };
                self.needs("layout", &interchange[..one]);
            }
            Stage::Reorder => {
                let rules = [
                    "map-fission",
                    "reduce-seq-map-fusion",
                    "eliminate-map-identity",
                    "lift-reduce-seq-general",
                    "lift-reduce-seq",
                ];
                self.needs("algorithmic", &rules);
                self.needs("vector", &with(&vectors, lanes));
            }
            Stage::Pack if packs && self.tiles == self.packed => {
                self.needs(
                    "layout",
                    &[
                        "store-to-mem",
                        "map-array",
                        "transpose-pair",
                        "transpose-twice",
                    ],
                );
                // A panel may be a part of what the columns have.
                self.needs("algorithmic", &["map-fission-left"]);
            }
            Stage::Lower => {
                if packs {
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

/// Loops in each other.
fn nest(loops: &[&Map], map: &str, body: &str) -> String {
    let around = |inner: String, m: &&Map| format!("({map} {} {inner})", size(m.n));
    loops.iter().rev().fold(body.to_string(), around)
}
