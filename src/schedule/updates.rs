//! Updates at places, in parallel blocks.
//!
//! In: a term. Out: the steps that give each block of updates results of its own, which are combined behind them. That is done where
//! there are few places, as each block has all of them in memory, and outside of all loops. Absent: laws of operators, which the rules
//! ask; whether that pays.

use super::print::size;
use super::skeleton::argument;
use super::{guide, Permits, Schedule};
use crate::arith::Nat;
use crate::term::{Data, Kind, Op, Sort, Term};
use std::collections::BTreeSet;

/// Places, at most; updates of a block, at least, and for each place.
const PLACES: i64 = 1 << 16;
const BLOCK: i64 = 1 << 16;
const EACH: i64 = 64;

/// What is done so.
const WORDS: &str = "parallel updates at places";

/// The steps, where there are such updates.
pub fn in_blocks(term: &Term, permits: Permits) -> Option<Schedule> {
    let mut found = Found::default();
    found.term(term);
    if found.updates.is_empty() {
        return None;
    }
    let permit = permits.to_regroup(found.floats)?;
    let (mut rules, mut blocks, mut parallel) = (BTreeSet::new(), Vec::new(), Vec::new());
    for (n, block) in &found.updates {
        rules.extend(["rest", "blocks"].map(|r| format!("scatter-reduce-{r}[{block}]")));
        let looks = |map: &str| {
            let all = format!("app ({map} : ? -> (floor({n}, {block})).? -> ?)");
            format!("(contains (app scatterReduce ? (contains (app toMem ({all} (contains scatterReduce) ?)))))")
        };
        blocks.push(looks("map"));
        parallel.push(looks("mapPar"));
    }
    let rules: Vec<String> = rules.into_iter().collect();
    let rules = format!(
        "use rules/irregular.rules ({})\nuse rules/fusion.rules (let-inline)\n{permit}",
        rules.join(", ")
    );
    let steps = vec![
        guide("updates", &rules, &blocks),
        guide("threads", "use rules/parallel.rules (map-par)\n", &parallel),
    ];
    Some(Schedule::preparation(WORDS, steps).by_itself())
}

/// Updates that are done once.
#[derive(Default)]
struct Found {
    /// How many of them there are, and how many a block has.
    updates: BTreeSet<(String, i64)>,
    floats: bool,
}

impl Found {
    fn term(&mut self, t: &Term) {
        if let Kind::Lam(_, body) = t.kind() {
            return self.term(body);
        }
        let Some((p, args)) = t.as_prim_app() else {
            return;
        };
        match p.op().sort() {
            Sort::View(_) | Sort::Data(Data::Let | Data::Pair | Data::Fst | Data::Snd) => {
                args.iter().for_each(|a| self.term(a));
            }
            _ => self.updates(t),
        }
    }

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
            self.updates.insert((size(n), block));
        }
    }
}
