//! Scans, of columns and of one long array.
//!
//! In: a term. Out: the step that makes of the scans of all columns one of rows: it reads and writes rows, which lie in one piece. Columns
//! of an array that is given are scanned in blocks, each by itself; where rows have to be computed, that is done once for all.
//! A long array is scanned in blocks: what each comes to first, then where each starts, then all from there; some blocks side by
//! side, as steps of one wait for each other, and groups of them in parallel. Absent: laws of operators, which the rules ask; whether that pays.

use super::print::size;
use super::skeleton::{argument, computes, leaf, outside_of_loops};
use super::{guide, Permits, Schedule};
use crate::arith::Nat;
use crate::term::{Arithmetic, Kind, Op, Sort, Term};
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

/// Elements of a block, of which some are scanned side by side: no power of two, so that caches hold lines of all of them.
const LONG: i64 = 8208;
const ABREAST: i64 = 4;

/// What is done so.
const BLOCKS: &str = "scans in parallel blocks";

/// The steps, where a long array is scanned outside of all loops.
pub fn in_blocks(term: &Term, permits: Permits) -> Option<Schedule> {
    let (mut lengths, mut floats) = (BTreeSet::new(), false);
    outside_of_loops(term, &mut |t| {
        if let Some(n) = long(t) {
            floats |= t.has_floats();
            lengths.insert(size(n));
        }
    });
    if lengths.is_empty() {
        return None;
    }
    let permit = permits.to_regroup(floats)?;
    let all = |looks: &dyn Fn(&str) -> String| lengths.iter().map(|n| looks(n)).collect::<Vec<_>>();
    let groups = |n: &str, map: &str| {
        let many = LONG * ABREAST;
        format!("app ({map} : ? -> (floor({n}, {many})).? -> ?)")
    };
    let blocks = |_: &str| {
        let scans = "(app concat (app join (app map (contains scanSeq) ?)) (contains scanSeq))";
        format!("(contains (app let (contains (app map (contains reduceSeq))) (contains {scans})))")
    };
    let abreast = |n: &str, map: &str, steps: &str, kept: [&str; 2]| {
        let groups = groups(n, map);
        let [begin, end] = kept;
        let starts = format!("(app scanSeq ? ? {begin}(contains ({groups} (contains (app reduceSeq (contains {steps}))))){end})");
        let scans = format!(
            "(app join (app join ({groups} (contains (app scanSeq (contains {steps}))) ?)))"
        );
        (
            starts,
            format!("(contains (app concat {scans} (contains scanSeq)))"),
        )
    };
    let side_by_side = |n: &str| {
        let (starts, scans) = abreast(n, "map", "map", ["", ""]);
        format!("(contains (app let (contains {starts}) {scans}))")
    };
    let parallel = |n: &str| {
        let (starts, scans) = abreast(n, "mapPar", "mapSeqUnroll", ["(containsStored ? ", ")"]);
        format!("(contains (app let (app toMem (contains {starts})) {scans}))")
    };
    let regrouping = |rules: &str| format!("use rules/regrouping.rules ({rules})\n");
    let rest = format!("scan-groups-rest[{LONG}, {ABREAST}]");
    let group = format!("use rules/algorithmic.rules (split-join[{ABREAST}])\n");
    let lower = "use rules/lowering.rules (map-unroll)\nuse rules/parallel.rules (map-par)\nuse rules/layout.rules (store-to-mem, let-store)\n";
    let steps = vec![
        guide("blocks", &(regrouping(&rest) + permit), &all(&blocks)),
        guide(
            "abreast",
            &(group + &regrouping("scans-abreast, reductions-abreast")),
            &all(&side_by_side),
        ),
        guide("threads", lower, &all(&parallel)),
    ];
    Some(Schedule::preparation(BLOCKS, steps).by_itself())
}

/// How many elements it scans, if it is a scan of a long array by what may be an operator.
fn long(t: &Term) -> Option<Nat> {
    let [step, start, xs] = [0, 1, 2].map(|i| argument(t, Op::ScanSeq, i));
    let (n, element) = xs?.ty().as_array()?;
    let operator = element == start?.ty() && leaf(element).is_some();
    let is_long = n.as_int().is_none_or(|n| n >= 2 * LONG * ABREAST);
    (operator && is_long && waits(step?)).then_some(n)
}

/// Whether a step takes more than choosing: what only chooses, as the largest number so far, is done in a cycle, and memory is slower.
fn waits(step: &Term) -> bool {
    let mut computes = false;
    step.visit(&mut |t, _| {
        let sort = t.as_prim_app().map(|(p, _)| p.op().sort());
        computes |= match sort {
            Some(Sort::Arithmetic(op)) => !matches!(op, Arithmetic::Min | Arithmetic::Max),
            Some(Sort::Function(_)) => true,
            _ => false,
        };
    });
    computes
}
