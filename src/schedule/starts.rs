//! Reductions in two loops and more that go on from what is given.
//!
//! In: a term. Out: the step that starts them from the identity, and combines what they go on from behind (a product that is added to
//! a matrix), so that loops of sums alone can be taken apart from that. Absent: reductions in fewer loops, whose schedules begin so
//! themselves; whether that pays.

use super::print::size;
use super::skeleton::SHALLOW;
use super::{guide, Permits, Schedule};
use crate::algebra::{recognise, Floats};
use crate::arith::Nat;
use crate::term::{Kind, Op, Term};
use std::collections::BTreeSet;

const RULES: &str = "use rules/reduction.rules (reduce-from-identity)\n";

/// What is done so.
const WORDS: &str = "starts behind";

/// The step, where there are such reductions.
pub fn behind(term: &Term, permits: Permits) -> Option<Schedule> {
    let mut search = Search {
        loops: Vec::new(),
        permits,
        found: BTreeSet::new(),
        floats: false,
    };
    search.term(term);
    if search.found.is_empty() {
        return None;
    }
    let permit = permits.to_regroup(search.floats)?;
    let looks: Vec<String> = search.found.into_iter().collect();
    let step = guide("starts", &format!("{RULES}{permit}"), &looks);
    Some(Schedule::preparation(WORDS, vec![step]))
}

struct Search {
    /// The lengths of the loops around, outermost first.
    loops: Vec<Nat>,
    permits: Permits,
    /// How the loops look with the start behind.
    found: BTreeSet<String>,
    floats: bool,
}

impl Search {
    fn term(&mut self, t: &Term) {
        if let Kind::Lam(_, body) = t.kind() {
            return self.term(body);
        }
        let Some((p, args)) = t.as_prim_app() else {
            return;
        };
        match (p.op(), &args[..]) {
            (Op::Map, [f, xs]) => {
                self.term(xs);
                if let Some((n, _)) = xs.ty().as_array() {
                    self.loops.push(n);
                    self.term(f);
                    self.loops.pop();
                }
            }
            (Op::Reduce, [op, e, xs]) => {
                self.found.extend(self.behind(op, e, xs));
                self.floats |= t.has_floats();
                self.term(xs);
            }
            _ => args.iter().for_each(|a| self.term(a)),
        }
    }

    /// The sketch of a long reduction from the identity, if it starts from something else.
    fn behind(&self, op: &Term, e: &Term, xs: &Term) -> Option<String> {
        let floats = Floats::reassociated(self.permits.reassociate);
        let known = recognise(op)?;
        let identity = known.identity(floats)?;
        let (n, _) = xs.ty().as_array()?;
        let long = n.as_int().is_none_or(|n| n >= SHALLOW);
        let fits = long && self.loops.len() > 1 && e.ty().as_scalar().is_some();
        if !fits || known.has_identity(e, floats) {
            return None;
        }
        let reduction = format!(
            "(contains (app (reduce : ? -> ? -> {}.? -> ?) ? ({identity}) ?))",
            size(n)
        );
        let loops = self.loops.iter().rev();
        Some(loops.fold(reduction, |s, n| format!("(containsMap {} {s})", size(*n))))
    }
}
