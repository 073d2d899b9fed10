//! Rows that are computed as a whole and read by columns.
//!
//! In: a term. Out: the step that names such rows, so that they can be kept: else each element of a column computes its row anew, its
//! reductions and scans with it, and each window of a column all its elements. Absent: whether that pays.

use super::print::size;
use super::skeleton::{has, has_reduction};
use super::{guide, Schedule};
use crate::arith::Nat;
use crate::term::{Data, Kind, Loop, Op, Sort, Term};
use std::collections::BTreeSet;

const RULES: &str =
    "use rules/sharing.rules (rows-named, let-float-argument, let-out-of-argument, let-out-of-function,
  let-out-of-first)\n";

/// What is done so.
const WORDS: &str = "rows apart";

/// The step, where a loop reads columns of such rows.
pub fn apart(term: &Term) -> Option<Schedule> {
    let mut rows = BTreeSet::new();
    term.visit(&mut |t, _| {
        if let Some((p, args)) = t.as_prim_app() {
            if matches!(p.op().sort(), Sort::Loop(_)) {
                // Windows of columns read each element several times.
                let windows = args.iter().any(|a| has(a, &[Op::Slide]));
                let shared: &dyn Fn(&Term) -> bool = match windows {
                    true => &|f| is_whole(f) || has_reduction(f),
                    false => &is_whole,
                };
                let read = args.iter().filter_map(|a| read_across(a, shared));
                rows.extend(read.map(|n| (size(n), p.op().name())));
            }
        }
    });
    if rows.is_empty() {
        return None;
    }
    let named = |(n, reader): &(String, &str)| {
        format!("(contains (app let (app (map : ? -> {n}.? -> ?) ? ?) (\\ (contains {reader}))))")
    };
    let all: Vec<String> = rows.iter().map(named).collect();
    let step = guide("rows", RULES, &all);
    Some(Schedule::preparation(WORDS, vec![step]))
}

/// How many rows there are, if an array that is read is made of columns of such.
fn read_across(xs: &Term, shared: &dyn Fn(&Term) -> bool) -> Option<Nat> {
    let (p, args) = xs.as_prim_app()?;
    if p.op() == Op::Transpose {
        let (map, of) = args.first()?.as_prim_app()?;
        let rows = map.op() == Op::Map && shared(of.first()?);
        return args[0].ty().as_array().filter(|_| rows).map(|(n, _)| n);
    }
    match p.op().sort() {
        Sort::View(_) => args.iter().find_map(|a| read_across(a, shared)),
        _ => None,
    }
}

/// Whether elements of what it makes share work: a name of something reduced, or a scan.
fn is_whole(t: &Term) -> bool {
    if let Kind::Lam(_, body) = t.kind() {
        return is_whole(body);
    }
    let Some((p, args)) = t.as_prim_app() else {
        return false;
    };
    match (p.op().sort(), &args[..]) {
        (Sort::Data(Data::Let), [value, f]) => {
            has_reduction(value) || is_whole(value) || is_whole(f)
        }
        (Sort::Loop(Loop::Map | Loop::MapSeq | Loop::MapPar), [_, xs]) => is_whole(xs),
        (Sort::Loop(_), _) => t.ty().uncurried().1.as_array().is_some(),
        (Sort::View(_), _) => args.iter().any(|a| is_whole(a)),
        _ => false,
    }
}
