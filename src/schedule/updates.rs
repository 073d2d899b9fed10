//! Updates at places, in parallel blocks.
//!
//! In: a term. Out: the steps that give each block of updates results of its own, which are combined behind them. That is done where
//! there are few places, as each block has all of them in memory, and outside of all loops. Absent: laws of operators, which the rules
//! ask, but whether they commute, which says how tables share elements; whether that pays.

use super::print::size;
use super::skeleton::{argument, counted, outside_of_loops};
use super::{guide, Permits, Schedule, UPDATES};
use crate::algebra::Claim;
use crate::arith::{AtomKind, Nat};
use crate::term::{Kind, Op, Term};
use std::collections::BTreeSet;

/// Places, at most; updates of a block, at least, and for each place.
const PLACES: i64 = 1 << 16;
const BLOCK: i64 = 1 << 16;
const EACH: i64 = 64;

/// Tables of a block that are updated side by side, and places that each has at most: all are to stay in the nearest cache.
const TABLES: i64 = 4;
const FEW: i64 = 1 << 11;

/// What is done so.
const WORDS: &str = "parallel updates at places";
const COUNTS: &str = "updates at places, parallel updates at places";

/// The steps, where there are such updates. Where tables are small, each block has several, of a strip of the block each.
pub fn in_blocks(term: &Term, permits: Permits) -> Option<Schedule> {
    let mut found = Found::default();
    outside_of_loops(term, &mut |t| found.updates(t));
    if found.updates.is_empty() {
        return None;
    }
    let permit = permits.to_regroup(found.floats)?;
    let of_all = |rules: &mut BTreeSet<String>, map: &str| {
        let all = found.updates.iter();
        all.map(|of| {
            let tables = (of.places <= FEW).then_some(of.commutes);
            parallel(rules, &of.n, (of.block, tables), map)
        })
        .collect::<Vec<_>>()
    };
    let mut rules = BTreeSet::new();
    let blocks = of_all(&mut rules, "map");
    let threads = of_all(&mut rules, "mapPar");
    Some(Schedule::preparation(WORDS, steps(&rules, permit, [blocks, threads])).by_itself())
}

/// The steps, where one loop over places looks through all elements for each, and there is no other work: they become updates first. If a
/// size says how many places there are, it chooses: only of few of them blocks have tables.
pub fn of_counts(term: &Term, permits: Permits) -> Option<Schedule> {
    let (n, m) = counts(term)?;
    let permit = permits.to_regroup(term.has_floats())?;
    let mut first = vec![guide(
        "places",
        &format!(
            "use rules/fusion.rules (let-inline)\nuse rules/algorithmic.rules (generate-map, map-fusion)\n\
             use rules/irregular.rules ({})\n",
            UPDATES.join(", ")
        ),
        &["(contains scatterReduce)".to_string()],
    )];
    match (m.as_int(), m.as_atom().map(|a| a.kind())) {
        (Some(m), _) if (1..=FEW).contains(&m) => {}
        (None, Some(AtomKind::Var(m))) => first.push(guide(
            "choose",
            &format!("use rules/variants.rules (choose[{m}, {FEW}])\n"),
            &[format!(
                "(contains (app select (contains (app (<=) ? size[{FEW}])) (contains scatterReduce) (contains scatterReduce)))"
            )],
        )),
        _ => return None,
    }
    let mut rules = BTreeSet::new();
    let mut looks = |map| {
        let blocks = parallel(&mut rules, &size(n), (BLOCK, Some(false)), map);
        vec![match m.as_int() {
            Some(_) => blocks,
            None => format!("(contains (app select ? {blocks} ?))"),
        }]
    };
    let looks = [looks("map"), looks("mapPar")];
    first.extend(steps(&rules, permit, looks));
    Some(Schedule::preparation(COUNTS, first).by_itself())
}

/// The steps to blocks, and to threads.
fn steps(
    rules: &BTreeSet<String>,
    permit: &str,
    [blocks, threads]: [Vec<String>; 2],
) -> Vec<String> {
    let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
    let rules = format!(
        "use rules/irregular.rules ({})\nuse rules/fusion.rules (let-inline)\n{permit}",
        rules.join(", ")
    );
    vec![
        guide("updates", &rules, &blocks),
        guide("threads", "use rules/parallel.rules (map-par)\n", &threads),
    ]
}

/// How n updates look in blocks, which a loop goes over, with one table each or several: of elements in turn where these may change places,
/// so that what is read lies side by side, else of a part of the block each. And the rules for that.
fn parallel(
    rules: &mut BTreeSet<String>,
    n: &str,
    (block, tables): (i64, Option<bool>),
    map: &str,
) -> String {
    rules.extend(["rest", "blocks"].map(|r| format!("scatter-reduce-{r}[{block}]")));
    let each = |all: &str, of: &str, xs: &str| {
        format!("(contains (app toMem (app ({all}.? -> ?) (contains {of}) {xs})))")
    };
    let mut of = "scatterReduce".to_string();
    if let Some(in_turn) = tables {
        let (rule, xs) = match in_turn {
            true => (
                format!("scatter-reduce-lanes[{TABLES}]"),
                "(app transpose ?)",
            ),
            false => (format!("scatter-reduce-blocks[{}]", block / TABLES), "?"),
        };
        rules.insert(rule);
        of = each(&format!("map : ? -> {TABLES}"), &of, xs);
    }
    let all = each(&format!("{map} : ? -> (floor({n}, {block}))"), &of, "?");
    format!("(contains (app scatterReduce ? {all}))")
}

/// Elements and places, if a term is a loop over places that are looked for among elements, and nothing else.
fn counts(t: &Term) -> Option<(Nat, Nat)> {
    if let Kind::Lam(_, body) = t.kind() {
        return counts(body);
    }
    // Places may be numbers already.
    let of_numbers = || argument(t, Op::Map, 1).and_then(|xs| argument(xs, Op::Generate, 0));
    let f = match of_numbers() {
        Some(_) => argument(t, Op::Map, 0)?,
        None => argument(t, Op::Generate, 0)?,
    };
    let n = counted(f)?;
    let long = n.as_int().is_none_or(|n| n >= 2 * BLOCK);
    Some((n, t.ty().as_array()?.0)).filter(|_| long)
}

/// So many updates of so many places, and how many of them a block has.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Updates {
    n: String,
    block: i64,
    places: i64,
    /// Whether they may be done in any order.
    commutes: bool,
}

/// Updates that are done once.
#[derive(Default)]
struct Found {
    updates: BTreeSet<Updates>,
    floats: bool,
}

impl Found {
    fn updates(&mut self, t: &Term) {
        let of = |i| argument(t, Op::ScatterReduce, i);
        let Some(starts) = of(1) else {
            return;
        };
        // In normal form the body of a name may be a function of it.
        let xs = of(2).map(Term::ty).or(t.ty().as_fun().map(|f| f.0));
        let places = starts.ty().as_array().and_then(|(m, _)| m.as_int());
        let many = xs.and_then(|xs| xs.as_array()).map(|(n, _)| n);
        let (Some(places), Some(n)) = (places, many) else {
            return;
        };
        let block = BLOCK.max(places.saturating_mul(EACH));
        let long = |n: Nat| n.as_int().is_none_or(|n| n >= 2 * block);
        if (1..=PLACES).contains(&places) && long(n) && argument(starts, Op::Fill, 0).is_some() {
            self.floats |= starts.has_floats();
            let n = size(n);
            let op = of(0).filter(|op| op.open() == 0);
            let claim = op.and_then(|op| Claim::named("commutative", vec![op.clone()]));
            // Who may regroup sums may add them up in another order.
            let commutes = claim.is_some_and(|c| c.holds(true));
            self.updates.insert(Updates {
                n,
                block,
                places,
                commutes,
            });
        }
    }
}
