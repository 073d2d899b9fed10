//! Reductions of the same arrays in one pass.
//!
//! In: a term. Out: the step that makes of several reductions outside of all loops one over pairs, so that what they read is read once:
//! least and largest numbers, sums and sums of squares, several inner products. They have as many elements and results of one type,
//! need nothing of each other and read an array in common. Absent: whether that pays.

use super::print::size;
use super::{guide, Schedule};
use crate::term::{Data, Kind, Loop, Sort, Term};
use std::collections::BTreeSet;

/// How many become one, at most.
const MOST: usize = 4;

const RULES: &str =
    "use rules/sharing.rules (reductions-together, reduction-named, reduction-named-left,
  reduction-named-first, let-let, let-out-of-argument, let-out-of-function, let-out-of-first)\n";

/// What is done so.
const WORDS: &str = "reductions in one pass";

/// The step, where there are such reductions.
pub fn in_one_pass(term: &Term) -> Option<Schedule> {
    let mut found = Found::default();
    found.term(term);
    let first = found.all.first()?;
    let alike =
        |r: &Reduced| (&r.n, &r.of) == (&first.n, &first.of) && !r.reads.is_disjoint(&first.reads);
    let several = (2..=MOST).contains(&found.all.len());
    if !several || !found.all.iter().all(alike) {
        return None;
    }
    let (n, of) = (&first.n, &first.of);
    let pairs = (1..found.all.len()).fold(of.clone(), |rest, _| format!("({of}, {rest})"));
    let one = format!("(contains (app let (app (reduce : ? -> {pairs} -> {n}.? -> ?) ? ? ?) ?))");
    let others = format!("(none (reduce : ? -> {of} -> {n}.? -> ?))");
    let looks: Vec<String> = [one]
        .into_iter()
        .chain((!found.later).then_some(others))
        .collect();
    let step = guide("together", RULES, &looks);
    Some(Schedule::preparation(WORDS, vec![step]).by_itself())
}

/// A reduction outside of all loops.
struct Reduced {
    /// How many elements it has, and the type of the result.
    n: String,
    of: String,
    /// Which variables it reads, outermost first.
    reads: BTreeSet<u32>,
}

#[derive(Default)]
struct Found {
    all: Vec<Reduced>,
    /// Whether one of them needs what another one comes to.
    later: bool,
    /// Of each variable around, outermost first, whether it has a reduction in it.
    late: Vec<bool>,
}

impl Found {
    fn term(&mut self, t: &Term) {
        if let Kind::Lam(_, body) = t.kind() {
            return self.under(false, body);
        }
        let Some((p, args)) = t.as_prim_app() else {
            return;
        };
        match (p.op().sort(), &args[..]) {
            (Sort::Loop(Loop::Reduce), [_, _, _]) => self.reduction(t),
            (Sort::Loop(_), _) => {}
            (Sort::Data(Data::Let), [value, f]) => {
                let before = self.all.len();
                self.term(value);
                let late = self.all.len() > before || self.is_late(value);
                match f.kind() {
                    Kind::Lam(_, body) => self.under(late, body),
                    _ => self.term(f),
                }
            }
            _ => args.iter().for_each(|a| self.term(a)),
        }
    }

    fn under(&mut self, late: bool, body: &Term) {
        self.late.push(late);
        self.term(body);
        self.late.pop();
    }

    fn reduction(&mut self, t: &Term) {
        let Some((_, args)) = t.as_prim_app().filter(|_| t.ty().is_flat()) else {
            return;
        };
        let Some((n, _)) = args.last().and_then(|xs| xs.ty().as_array()) else {
            return;
        };
        if self.is_late(t) {
            self.later = true;
            return;
        }
        self.all.push(Reduced {
            n: size(n),
            of: t.ty().to_string(),
            reads: self.reads(t),
        });
    }

    /// Whether it reads what was reduced before.
    fn is_late(&self, t: &Term) -> bool {
        self.reads(t).iter().any(|i| self.late[*i as usize])
    }

    fn reads(&self, t: &Term) -> BTreeSet<u32> {
        let around = self.late.len() as u32;
        let inner_first = (0..t.open().min(around)).filter(|i| t.mentions(*i));
        inner_first.map(|i| around - 1 - i).collect()
    }
}
