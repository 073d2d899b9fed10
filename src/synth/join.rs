//! Critical pairs made into rules: completion, with the order of rewriting and provers in place of axioms.
//!
//! In: rules. Out: rules behind them that join pairs which came apart. Of a pair, both results are what the rules make of one expression, so they are equal:
//! the one that is larger in the order becomes a left side, and rules are found for it as for any other, proved and filtered. New rules bring
//! pairs of their own, for the next round. Absent: pairs of which neither result is larger, and large ones, which are counted.

use super::left::{leaves, rank, Names, MOST_LEAVES};
use super::{abstracted, left, How, Options, Outcome, Question, Task, Tell, Work};
use crate::scalar::{Expr, Rule};
use crate::simplify::Simplifier;
use crate::termination::{critical_pairs, greater, Pair};
use crate::verify::Tools;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Rules that join pairs, and what they did.
#[derive(Clone, Debug, Default)]
pub struct Joined {
    pub outcome: Outcome,
    /// How many pairs there are, and how many of them come apart: at first, and with the rules that were found.
    pub before: (usize, usize),
    pub after: (usize, usize),
    /// Of the pairs that there were at first, how many still come apart.
    pub left: usize,
}

/// Rules for critical pairs of the present ones.
pub fn join(rules: &[Rule], tools: &Tools, options: &Options, tell: Tell) -> Joined {
    let mut work = Work::new(rules, tools);
    let (count, first) = critical_pairs(rules, tell);
    let before = (count, first.len());
    let next = RefCell::new(Some(first.clone()));
    work.rounds(
        options,
        tell,
        |work, seen| {
            let known = next.borrow_mut().take();
            let pairs = known.unwrap_or_else(|| critical_pairs(&work.rules, &mut |_| {}).1);
            work.of_pairs(&pairs, seen)
        },
        Work::join,
    );
    work.without_superfluous();
    let questions: Vec<Question> = first.iter().flat_map(results).collect();
    work.without_idle(|work| work.applied(&questions));
    let (count, open) = critical_pairs(&work.rules, tell);
    let apart = |p: &&Pair| {
        let [a, b] = results(p).map(|q| work.simplified(q.e, &q.facts));
        a != b
    };
    Joined {
        before,
        after: (count, open.len()),
        left: first.iter().filter(apart).count(),
        outcome: work.outcome,
    }
}

/// The results of a pair, with what is assumed.
fn results(pair: &Pair) -> [Question; 2] {
    pair.results.map(|e| Question {
        e,
        facts: pair.facts.clone(),
        place: String::new(),
    })
}

impl Work<'_> {
    fn simplified(&self, e: Expr, facts: &[Expr]) -> Expr {
        let mut simplifier = Simplifier::new(self.book.clone());
        facts.iter().for_each(|f| simplifier.assume(*f));
        simplifier.simplify(e)
    }

    /// What is larger of each pair, small ones first.
    fn of_pairs(&mut self, pairs: &[Pair], seen: &mut BTreeSet<(String, String)>) -> Vec<Task> {
        let mut tasks = Vec::new();
        for pair in pairs {
            let mut names = Names::default();
            let mut here = |e: Expr| left::rebuilt(names.rename(e, true));
            let [a, b] = pair.results.map(&mut here);
            let (left, right) = match (greater(a, b), greater(b, a)) {
                (true, _) => (a, b),
                (_, true) => (b, a),
                _ => {
                    self.outcome.counts.unordered += 1;
                    continue;
                }
            };
            let vars = left.vars();
            let fits = |e: &Expr| e.vars().iter().all(|v| vars.contains(v));
            if leaves(left) > MOST_LEAVES || !fits(&right) {
                continue;
            }
            let facts: Vec<Expr> = pair.facts.iter().map(|f| here(*f)).filter(&fits).collect();
            let key = (abstracted(left), format!("{} {facts:?}", abstracted(right)));
            if seen.insert(key) {
                tasks.push(Task {
                    left,
                    right: Some(right),
                    facts,
                    from: pair.peak,
                    place: format!("a critical pair of {} and {}", pair.outer, pair.inner),
                });
            }
        }
        let some = |t: &Task| !t.facts.is_empty();
        tasks.sort_by_cached_key(|t| (some(t), rank(t.left), format!("{:?}", t.facts)));
        tasks
    }

    /// A rule for a pair, unless those that were found since join it.
    fn join(&mut self, task: &Task) {
        let Some(right) = task.right else { return };
        let (a, b) = (
            self.simplified(task.left, &task.facts),
            self.simplified(right, &task.facts),
        );
        if a != task.left || a == b {
            return;
        }
        self.outcome.counts.left_sides += 1;
        if !(greater(a, b) && self.accept(a, b, &task.facts, How::Pair, task)) {
            self.outcome.counts.without_right_side += 1;
        }
    }
}
