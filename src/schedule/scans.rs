//! Scans, of columns and of one long array.
//!
//! In: a term. Out: the step that makes of the scans of all columns one of rows: it reads and writes rows, which lie in one piece. Columns
//! of an array that is given are scanned in blocks, each by itself; where rows have to be computed, that is done once for all.
//! A long array is scanned in blocks: what each comes to first, then where each starts, then all from there; some blocks side by
//! side, as steps of one wait for each other, and groups of them in parallel. Absent: laws of operators, which the rules ask; whether that pays.

use super::print::size;
use super::scanned::Scans;
use super::skeleton::{argument, computes, leaf, on_vectors, outside_of_loops};
use super::{guide, Permits, Schedule, STRIP};
use crate::arith::Nat;
use crate::target::Target;
use crate::term::{Kind, Op, Term};
use crate::ty::Scalar;
use std::collections::BTreeSet;

/// Columns of a block, where they are no vectors.
const BLOCK: u32 = STRIP / 8;

const RULES: &str = "use rules/regrouping.rules (scans-at-once, scan-map-fusion)\n";

/// What is done so.
const WORDS: &str = "scans of rows";
const VECTOR_WORDS: &str = "scans of rows in vectors";

/// Columns that are scanned.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Columns {
    /// How many.
    n: String,
    /// Whether they are of an array that is given.
    given: bool,
    /// Of what numbers, where vectors of them can be scanned.
    vectors: Option<Scalar>,
}

/// The steps, where columns are scanned: in vectors where steps have them and columns are given, else number by number.
pub fn of_rows(term: &Term, target: Target) -> Vec<Schedule> {
    let mut places = BTreeSet::new();
    term.visit(&mut |t, _| places.extend(columns(t, target)));
    if places.is_empty() {
        return Vec::new();
    }
    let scan = |n: &str, of: &str| {
        format!(
            "(contains (app (scanSeq : ? -> {n}.{of} -> ?) (\\ (\\ (app map ? (app zip ? ?))))))"
        )
    };
    // Blocks, how each looks, and the rest.
    let parts = |n: &str, block: &str, each: &str, rest: &dyn Fn(&str) -> String| {
        let left = rest(&format!("({n} - {block} * floor({n}, {block}))"));
        format!("(parts (containsMap (floor({n}, {block})) {each}) {left})")
    };
    let of_numbers = |c: &Columns| match c.given {
        true => {
            let block = BLOCK.to_string();
            parts(&c.n, &block, &scan(&block, "?"), &|n| scan(n, "?"))
        }
        false => scan(&c.n, "?"),
    };
    let blocks = |sizes: &BTreeSet<u32>| match sizes.is_empty() {
        true => String::new(),
        false => {
            let rules = sizes
                .iter()
                .map(|b| format!("map-rest[{b}], split-join[{b}]"));
            let rules: Vec<String> = rules.collect();
            format!("use rules/algorithmic.rules ({})\n", rules.join(", "))
        }
    };
    let numbers = places.iter().filter(|c| c.given).map(|_| BLOCK).collect();
    let all: Vec<String> = places.iter().map(of_numbers).collect();
    let plain = guide("scans", &(blocks(&numbers) + RULES), &all);
    let plain = Schedule::preparation(WORDS, vec![plain]).by_itself();
    // What is read and what is stored go along a row each.
    let vectors = STRIP / 2 / target.register_bytes();
    let lanes: Option<BTreeSet<u32>> = (places.iter())
        .map(|c| c.vectors.map(|s| target.lanes(s)))
        .collect();
    let Some(lanes) = lanes else {
        return vec![plain];
    };
    let of_vectors = |c: &Columns, made: bool| {
        let k = c.vectors.map_or(1, |s| target.lanes(s));
        let block = (vectors * k).to_string();
        match made {
            false => parts(&c.n, &block, "(contains scanSeq)", &|_| {
                "(contains scanSeq)".to_string()
            }),
            true => {
                let vectors = scan(&vectors.to_string(), &format!("<{k}>?"));
                parts(&c.n, &block, &vectors, &|n| scan(n, "?"))
            }
        }
    };
    let of_all = |made| {
        (places.iter())
            .map(|c| of_vectors(c, made))
            .collect::<Vec<_>>()
    };
    let sizes = lanes.iter().map(|k| vectors * k).collect();
    let rules: Vec<String> = (lanes.iter())
        .map(|k| format!("scans-in-vectors[{k}]"))
        .collect();
    let rules = format!(
        "use rules/regrouping.rules (scans-at-once, {})\n",
        rules.join(", ")
    );
    let first = blocks(&sizes) + "use rules/regrouping.rules (scan-map-fusion)\n";
    let steps = vec![
        guide("blocks", &first, &of_all(false)),
        guide("scans", &rules, &of_all(true)),
    ];
    let vectors = Schedule::preparation(VECTOR_WORDS, steps).by_itself();
    vec![vectors, plain]
}

/// What is scanned here, if columns are.
fn columns(t: &Term, target: Target) -> Option<Columns> {
    let (map, args) = t.as_prim_app()?;
    let [f, xs] = args[..] else { return None };
    let (view, _) = xs.as_prim_app()?;
    // Where nothing else is done with a column, its name is left out.
    let (scan, of) = match f.kind() {
        Kind::Lam(_, body) => body.as_prim_app()?,
        _ => f.as_prim_app()?,
    };
    let found = (map.op(), scan.op(), view.op()) == (Op::Map, Op::ScanSeq, Op::Transpose);
    let (n, column) = t.ty().as_array().filter(|_| found)?;
    let given = !computes(xs);
    let (_, element) = column.as_array()?;
    // What the columns are of has to be vectors, too.
    let read = (0..2).try_fold(xs.ty(), |ty, _| ty.as_array().map(|a| a.1));
    let of_numbers = read.is_some_and(|ty| ty.as_scalar().is_some_and(|s| s != Scalar::Bool));
    let lane_wise = |s: &Scalar| of.first().is_some_and(|f| on_vectors(f, target.lanes(*s)));
    let vectors = leaf(element).filter(|_| given && of_numbers && element.as_scalar().is_some());
    Some(Columns {
        n: size(n),
        given,
        vectors: vectors.filter(lane_wise),
    })
}

/// Elements of a block, of which some are scanned side by side: no power of two, so that caches hold lines of all of them.
const LONG: i64 = 8208;
const ABREAST: i64 = 4;

/// What is done so.
const BLOCKS: &str = "scans in parallel blocks";

/// The steps, where a long array is scanned outside of all loops.
pub fn in_blocks(term: &Term, permits: Permits) -> Option<Schedule> {
    let all = Scans::of(term, &long);
    let mut floats = false;
    outside_of_loops(term, &mut |t| floats |= long(t).is_some() && t.has_floats());
    let permit = permits.to_regroup(floats).filter(|_| !all.is_empty())?;
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
        let scans = format!("(contains (app let (app toMem (contains {starts})) {scans}))");
        all.stored(scans)
    };
    let regrouping = |rules: &str| format!("use rules/regrouping.rules ({rules})\n");
    let rest = format!("scan-groups-rest[{LONG}, {ABREAST}]");
    let group = format!("use rules/algorithmic.rules (split-join[{ABREAST}])\n");
    let lower = "use rules/lowering.rules (map-unroll)\nuse rules/parallel.rules (map-par)\nuse rules/layout.rules (store-to-mem, let-store)\n";
    let steps = [
        guide("blocks", &(regrouping(&rest) + permit), &all.look(&blocks)),
        guide(
            "abreast",
            &(group + &regrouping("scans-abreast, reductions-abreast")),
            &all.look(&side_by_side),
        ),
        guide("threads", lower, &all.look(&parallel)),
    ];
    let steps = all.named().into_iter().chain(steps).collect();
    Some(Schedule::preparation(BLOCKS, steps).by_itself())
}

/// How many elements it scans, if it is a scan of a long array by what may be an operator.
fn long(t: &Term) -> Option<Nat> {
    let [start, xs] = [1, 2].map(|i| argument(t, Op::ScanSeq, i));
    let (n, element) = xs?.ty().as_array()?;
    let operator = element == start?.ty() && leaf(element).is_some();
    let is_long = n.as_int().is_none_or(|n| n >= 2 * LONG * ABREAST);
    (operator && is_long).then_some(n)
}
