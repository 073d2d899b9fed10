//! A smallest set of rules that keeps what all of them do for a corpus.
//!
//! In: expressions, rules that are there in any case, rules of which as few as possible are to be kept. Out: those, none of which
//! can be left out, and what they are worth in numbers. Invariant: for every expression the kept ones do as well as all:
//! what they leave is no larger, or solved if it was. Rules that are applied to few expressions go first; the result has no
//! superfluous rule, and another set may have fewer. Absent: files.

use super::{Question, Tell};
use crate::intern::Symbol;
use crate::scalar::{Expr, Rule};
use crate::simplify::{Book, Simplifier};
use crate::solve::{Form, Rules, Solver};
use std::collections::BTreeSet;
use std::rc::Rc;

/// What rules do for a corpus.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Benefit {
    pub rules: usize,
    /// Expressions that are a truth or a number in the end, or for a solver: solved.
    pub decided: usize,
    /// Operations and leaves that are left in all expressions together.
    pub size: u64,
}

/// The kept rules, each with how many expressions it is applied to; what none, all and these are worth.
#[derive(Clone, Debug, Default)]
pub struct Minimised {
    pub kept: Vec<(Rule, usize)>,
    pub none: Benefit,
    pub all: Benefit,
    pub few: Benefit,
}

/// Of `rules`, which come behind `present`; for a solver if there is a target.
pub fn minimise(
    questions: &[Question],
    present: &[Rule],
    rules: &[Rule],
    target: Option<Symbol>,
    tell: Tell,
) -> Minimised {
    let engine = |rules: &[Rule]| Engine::new(present, rules, target);
    let answers = |rules: &[Rule]| -> Vec<Answer> {
        let engine = engine(rules);
        questions.iter().map(|q| engine.answer(q)).collect()
    };
    let all = answers(rules);
    let mut kept = rules.to_vec();
    let mut now = all.clone();
    let mut order: Vec<(usize, usize, Symbol)> = (rules.iter().enumerate())
        .map(|(i, r)| (uses(&now, r.name), rules.len() - i, r.name))
        .collect();
    order.sort();
    for (i, (.., name)) in order.iter().enumerate() {
        tell(&format!(
            "{} of {} rules: {} kept",
            i + 1,
            rules.len(),
            kept.len()
        ));
        let fewer: Vec<Rule> = kept.iter().filter(|r| r.name != *name).cloned().collect();
        let engine = engine(&fewer);
        let mut changed: Vec<(usize, Answer)> = Vec::new();
        let touched = now
            .iter()
            .enumerate()
            .filter(|(_, a)| a.used.contains(name));
        let as_good = touched.into_iter().all(|(at, _)| {
            let answer = engine.answer(&questions[at]);
            let good = answer.is_as_good(&all[at]);
            changed.push((at, answer));
            good
        });
        if as_good {
            kept = fewer;
            changed
                .into_iter()
                .for_each(|(at, answer)| now[at] = answer);
        }
    }
    let worth = |count: usize, answers: &[Answer]| Benefit {
        rules: count,
        decided: answers.iter().filter(|a| a.decided).count(),
        size: answers.iter().map(|a| u64::from(a.size)).sum(),
    };
    let with_uses = kept.iter().map(|r| (r.clone(), uses(&now, r.name)));
    Minimised {
        kept: with_uses.collect(),
        none: worth(0, &answers(&[])),
        all: worth(rules.len(), &all),
        few: worth(kept.len(), &now),
    }
}

fn uses(answers: &[Answer], name: Symbol) -> usize {
    answers.iter().filter(|a| a.used.contains(&name)).count()
}

/// What is made of one expression, and the rules that did it.
#[derive(Clone)]
struct Answer {
    decided: bool,
    size: u32,
    used: BTreeSet<Symbol>,
}

impl Answer {
    fn is_as_good(&self, all: &Answer) -> bool {
        self.decided >= all.decided && (all.decided || self.size <= all.size)
    }
}

enum Engine {
    Simplify(Rc<Book>),
    Solve(Rc<Rules>, Symbol),
}

impl Engine {
    fn new(present: &[Rule], rules: &[Rule], target: Option<Symbol>) -> Engine {
        let all = [present, rules].concat();
        match target {
            None => Engine::Simplify(Rc::new(Book::new(all))),
            Some(target) => Engine::Solve(Rc::new(Rules::new(&all)), target),
        }
    }

    fn answer(&self, q: &Question) -> Answer {
        match self {
            Engine::Simplify(book) => {
                let mut simplifier = Simplifier::new(book.clone());
                q.facts.iter().for_each(|f| simplifier.assume(*f));
                simplifier.record();
                let e = simplifier.simplify(q.e);
                Answer {
                    decided: is_literal(e),
                    size: e.size(),
                    used: simplifier.steps().iter().filter_map(|s| s.rule).collect(),
                }
            }
            Engine::Solve(rules, target) => {
                let mut solver = Solver::new(rules.clone(), *target);
                q.facts.iter().for_each(|f| solver.assume(*f));
                solver.record();
                let e = solver.solve(q.e);
                Answer {
                    decided: solver.form(e) != Form::Open,
                    size: e.size(),
                    used: solver.steps().iter().filter_map(|s| s.rule).collect(),
                }
            }
        }
    }
}

fn is_literal(e: Expr) -> bool {
    e.as_int().is_some() || e.as_bool().is_some()
}
