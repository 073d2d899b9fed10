//! Reductions of all numbers of an array whose rows lie apart.
//!
//! In: a term. Out: the step that reduces each row by itself, and names what comes of them: a row lies in one piece, so that it is read in
//! vectors, which all of them together are not (statistics of a channel in all images of a batch). Absent: laws of operators, which the
//! rules ask; whether that pays.

use super::print::size;
use super::skeleton::{argument, is_across};
use super::{guide, Permits, Schedule};
use crate::term::{Kind, Op, Sort, Term};
use std::collections::BTreeSet;

/// Views are read where they are used, and not by name.
const NAMES: &str = "step views
use rules/fusion.rules (let-inline)
sketch
  none (app let (app join ?) ?)\n";

const RULES: &str = "use rules/regrouping.rules (reduce-rows-named)
use rules/sharing.rules (map-join, join-join, let-out-of-argument, let-out-of-function)
use rules/algorithmic.rules (map-fusion)\n";

/// What is done so.
const WORDS: &str = "joined rows apart";

/// The step, where rows of columns are reduced together.
pub fn apart(term: &Term, permits: Permits) -> Option<Schedule> {
    let mut search = Search::default();
    search.term(term);
    if search.found.is_empty() {
        return None;
    }
    let permit = permits.to_regroup(search.floats)?;
    let mut parts = Vec::new();
    for Joined { rows, lengths } in &search.found {
        parts.push(format!(
            "(contains (app let (app (map : ? -> {rows}.? -> ?) (contains reduce) ?) ?))"
        ));
        let together = |n: &String| format!("(none (reduce : ? -> ? -> {n}.? -> ?))");
        parts.extend(lengths.iter().map(together));
    }
    let step = guide("joined", &format!("{RULES}{permit}"), &parts);
    let names = search.named.then(|| NAMES.to_string());
    let steps = names.into_iter().chain([step]).collect();
    Some(Schedule::preparation(WORDS, steps))
}

/// What a variable is.
#[derive(Clone, PartialEq)]
enum Bound {
    Other,
    /// An element of a transposed array, or a view of one.
    Column,
    /// Its rows joined, perhaps those of its rows, too.
    Joined(Joined),
}

/// Rows that are joined.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Joined {
    /// How many rows there were.
    rows: String,
    /// How long it is after each join.
    lengths: Vec<String>,
}

/// The search for such reductions.
#[derive(Default)]
struct Search {
    /// Of each variable, outermost first.
    bound: Vec<Bound>,
    found: BTreeSet<Joined>,
    floats: bool,
    /// Whether one of them has a name.
    named: bool,
}

impl Search {
    fn term(&mut self, t: &Term) {
        if let Kind::Lam(_, body) = t.kind() {
            return self.under(Bound::Other, body);
        }
        let Some((p, args)) = t.as_prim_app() else {
            return;
        };
        let bound = match (p.op(), &args[..]) {
            (Op::Reduce, [_, _, xs]) => {
                self.reduction(t, xs);
                Bound::Other
            }
            (Op::Map, [_, xs]) if is_across(xs) => Bound::Column,
            (Op::Let, [value, _]) => self.is(value),
            _ => Bound::Other,
        };
        for a in args {
            match a.kind() {
                Kind::Lam(_, body) => self.under(bound.clone(), body),
                _ => self.term(a),
            }
        }
    }

    fn under(&mut self, bound: Bound, body: &Term) {
        self.bound.push(bound);
        self.term(body);
        self.bound.pop();
    }

    fn reduction(&mut self, t: &Term, xs: &Term) {
        let elements = argument(xs, Op::Map, 1).unwrap_or(xs);
        if let Bound::Joined(joined) = self.is(elements) {
            self.floats |= t.has_floats();
            self.named |= matches!(elements.kind(), Kind::Var(_));
            self.found.insert(joined);
        }
    }

    /// What a view is.
    fn is(&self, t: &Term) -> Bound {
        if let Kind::Var(i) = t.kind() {
            let at = self.bound.len().checked_sub(1 + *i as usize);
            return at.map_or(Bound::Other, |at| self.bound[at].clone());
        }
        let of = match t.as_prim_app() {
            Some((p, args)) if matches!(p.op().sort(), Sort::View(_)) => args.last().copied(),
            _ => None,
        };
        let joins = argument(t, Op::Join, 0).is_some();
        let length = |t: &Term| t.ty().as_array().map(|(n, _)| size(n));
        match (of.map(|of| (self.is(of), length(of))), length(t)) {
            (Some((Bound::Column, Some(rows))), Some(all)) if joins => Bound::Joined(Joined {
                rows,
                lengths: vec![all],
            }),
            (Some((Bound::Joined(joined), _)), Some(all)) if joins => {
                let lengths = [joined.lengths, vec![all]].concat();
                Bound::Joined(Joined { lengths, ..joined })
            }
            (Some((bound, _)), _) => bound,
            (None, _) => Bound::Other,
        }
    }
}
