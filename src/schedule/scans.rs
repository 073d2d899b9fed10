//! Scans of columns.
//!
//! In: a term. Out: the step that makes of the scans of all columns one of rows: it reads and writes rows, which lie in one piece. Columns
//! of an array that is given are scanned in blocks, each by itself; where rows have to be computed, that is done once for all.
//! Absent: whether that pays.

use super::print::size;
use super::skeleton::computes;
use super::{guide, Schedule};
use crate::term::{Kind, Op, Term};
use std::collections::BTreeSet;

/// Columns of a block: of numbers of 32 bits, eight lines of a cache in each row.
const BLOCK: u32 = 128;

const RULES: &str = "use rules/regrouping.rules (scans-at-once, scan-map-fusion)\n";

/// What is done so.
const WORDS: &str = "scans of rows";

/// The step, where columns are scanned.
pub fn of_rows(term: &Term) -> Option<Schedule> {
    let mut places = BTreeSet::new();
    term.visit(&mut |t, _| places.extend(columns(t)));
    if places.is_empty() {
        return None;
    }
    let looks = |(n, given): &(String, bool)| {
        let scan = |n: &str| {
            format!(
                "(contains (app (scanSeq : ? -> {n}.? -> ?) (\\ (\\ (app map ? (app zip ? ?))))))"
            )
        };
        if !given {
            return scan(n);
        }
        let (blocks, rest) = (
            format!("(floor({n}, {BLOCK}))"),
            format!("({n} - {BLOCK} * floor({n}, {BLOCK}))"),
        );
        let block = scan(&BLOCK.to_string());
        format!("(parts (containsMap {blocks} {block}) {})", scan(&rest))
    };
    let all: Vec<String> = places.iter().map(looks).collect();
    let blocks = match places.iter().any(|(_, given)| *given) {
        true => format!("use rules/algorithmic.rules (map-rest[{BLOCK}], split-join[{BLOCK}])\n"),
        false => String::new(),
    };
    let step = guide("scans", &(blocks + RULES), &all);
    Some(Schedule::preparation(WORDS, vec![step]).by_itself())
}

/// How many columns it scans, if it does, and whether they are of an array that is given.
fn columns(t: &Term) -> Option<(String, bool)> {
    let (map, args) = t.as_prim_app()?;
    let [f, xs] = args[..] else { return None };
    let (view, _) = xs.as_prim_app()?;
    // Where nothing else is done with a column, its name is left out.
    let (scan, _) = match f.kind() {
        Kind::Lam(_, body) => body.as_prim_app()?,
        _ => f.as_prim_app()?,
    };
    let found = (map.op(), scan.op(), view.op()) == (Op::Map, Op::ScanSeq, Op::Transpose);
    let (n, _) = t.ty().as_array().filter(|_| found)?;
    Some((size(n), !computes(xs)))
}
