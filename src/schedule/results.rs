//! Results that have names.
//!
//! In: a term. Out: the step that puts arrays in where their names stand, if one of them is a result itself: it is written by a loop
//! wherever it is needed, and a loop that has no place of its own is in no schedule. Absent: whether that pays; loops that compute the same
//! become one later.

use super::print::size;
use super::{guide, Schedule};
use crate::arith::Nat;
use crate::term::{Kind, Op, Term};
use std::collections::BTreeSet;

const RULES: &str = "use rules/fusion.rules (let-inline)\n";

/// What is done so.
const WORDS: &str = "named results put in";

/// The step, where a result is the name of what a loop makes.
pub fn put_in(term: &Term) -> Option<Schedule> {
    let mut lengths = BTreeSet::new();
    named(term, &mut Vec::new(), &mut lengths);
    if lengths.is_empty() {
        return None;
    }
    let none = |n: String| format!("(none (app let (app (map : ? -> {n}.? -> ?) ? ?) ?))");
    let parts: Vec<String> = lengths.into_iter().map(none).collect();
    let step = guide("results", RULES, &parts);
    Some(Schedule::preparation(WORDS, vec![step]).by_itself())
}

/// The lengths of the named arrays that are results; `names` are the lengths of what has a name, if a loop makes it.
fn named(t: &Term, names: &mut Vec<Option<Nat>>, found: &mut BTreeSet<String>) {
    match t.kind() {
        Kind::Lam(_, body) => {
            names.push(None);
            named(body, names, found);
            names.pop();
        }
        Kind::Var(i) => {
            let place = names.len().checked_sub(1 + *i as usize);
            found.extend(place.and_then(|at| names[at]).map(size));
        }
        _ => match t.as_prim_app() {
            Some((p, args)) if p.op() == Op::Pair => {
                args.iter().for_each(|a| named(a, names, found));
            }
            Some((p, args)) if p.op() == Op::Let && args.len() == 2 => {
                if let Kind::Lam(_, body) = args[1].kind() {
                    let made = args[0].as_prim_app().filter(|(p, _)| p.op() == Op::Map);
                    names.push(made.and_then(|_| Some(args[0].ty().as_array()?.0)));
                    named(body, names, found);
                    names.pop();
                }
            }
            _ => {}
        },
    }
}
