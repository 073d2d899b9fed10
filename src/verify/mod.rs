//! Whether rules over scalars are true.
//!
//! In: rules, solvers, certificates. Out: a verdict for each rule. From cheap to dear: points; polynomials; a certificate;
//! cases in which inequalities contradict each other; then of each solver linear arithmetic, the rule as it is written, products as they are. The first that
//! decides is believed if it proves, and checked if it refutes: a counterexample counts when our own evaluator finds the
//! sides different there. A certificate spares a solver and nothing else: anyone can write one.
//! A rule that is not proved so may still hold of all that rules before it leave (`normal`).
//! No verdict depends on how busy the machine is: solvers have limits in work, not in time.
//! Invariant: whatever a solver does, every rule gets a verdict. Absent: order and termination; rules over arrays (`arrays`).

pub mod arrays;
pub mod case_split;
pub mod cases;
mod certificate;
mod encode;
pub mod formula;
mod model;
mod normal;
pub mod points;
pub mod poly;
mod portfolio;
mod weaken;

pub use certificate::{key, Certificates, ENCODER};
pub use encode::{queries, Encoding};
pub use points::{differs_at, try_points, Point, Tried};
pub use weaken::{weaker, Weaker};

use crate::exec::solver::{Solver, Work};
use crate::scalar::Rule;
use std::time::Duration;

/// What is known of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    Proved(Proved),
    /// The sides differ here, by our own evaluator.
    Refuted(Point),
    /// What each attempt said.
    Unknown(Vec<String>),
}

/// How a rule is known to be true.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Proved {
    /// What proved it: polynomials, or a solver and an encoding.
    pub by: String,
    /// Whether a certificate says so, and no solver was asked.
    pub certified: bool,
    /// What has to be done before for the rule to hold: names of rules that stand earlier in the file, or `folding`.
    /// Mostly nothing.
    pub needs: Vec<String>,
}

/// Limits.
#[derive(Copy, Clone, Debug)]
pub struct Limits {
    /// Points for each rule.
    pub points: u32,
    /// For a query in the direct encoding; no work, no attempt.
    pub direct: Work,
    /// For each case of the linear ones; no work, no attempt.
    pub linear: Work,
    /// For each case of the strong one; no work, no attempt.
    pub strong: Work,
    /// When a solver that says nothing is killed, if not by its work.
    pub patience: Option<Duration>,
    /// Queries at the same time.
    pub workers: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            points: 1_000,
            direct: Work(2),
            linear: Work(5),
            strong: Work(5),
            patience: None,
            workers: std::thread::available_parallelism().map_or(1, |n| n.get()),
        }
    }
}

impl Limits {
    fn of(&self, encoding: Encoding) -> Work {
        match encoding {
            Encoding::Direct => self.direct,
            Encoding::Linear | Encoding::Wide => self.linear,
            Encoding::Strong => self.strong,
        }
    }
}

/// What verdicts are reached with.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    /// In the order in which they are asked; without any, most rules stay unknown.
    pub solvers: Vec<Solver>,
    pub certificates: Certificates,
    pub limits: Limits,
}

/// Hears of each attempt how many rules it is for.
pub type Tell<'a> = &'a mut dyn FnMut(&str, usize);

/// What was found out.
#[derive(Clone, Debug)]
pub struct Verified {
    /// Of the rules that were asked for, in their order.
    pub verdicts: Vec<Verdict>,
    /// Certificates of what was proved: as many as it takes to know all of it again.
    pub certificates: Certificates,
}

/// The verdict of a rule by itself, whatever stands before it.
pub fn alone(rule: &Rule, tools: &Tools) -> Verdict {
    let found = portfolio::decide(std::slice::from_ref(rule), tools, &mut |_, _| {});
    let unknown = || Verdict::Unknown(Vec::new());
    found.into_iter().next().unwrap_or_else(unknown)
}

/// The verdicts of the rules of a file: of those with these numbers.
pub fn verify(rules: &[Rule], asked: &[usize], tools: &Tools, tell: Tell) -> Verified {
    let mut certificates = Certificates::default();
    let all = normal::with_needed(rules, asked);
    let plain: Vec<Rule> = all.iter().map(|i| rules[*i].clone()).collect();
    let found = portfolio::decide(&plain, tools, tell);
    let mut verdicts: Vec<Option<Verdict>> = vec![None; rules.len()];
    for (i, verdict) in all.into_iter().zip(found) {
        let mut certify = |rule: &Rule, verdict: &Verdict| {
            if asked.contains(&i) {
                certificates.add(rule, verdict);
            }
        };
        certify(&rules[i], &verdict);
        let under = match verdict {
            Verdict::Proved(_) => None,
            _ => normal::decide(rules, i, &verdicts, &verdict, tools),
        };
        // Rules stand in their order, so of those that this one needs the verdict is known.
        verdicts[i] = Some(match under {
            Some((under, statements)) => {
                statements.iter().for_each(|s| certify(s, &under));
                under
            }
            None => verdict,
        });
    }
    let asked = asked.iter().map(|i| verdicts[*i].clone());
    Verified {
        verdicts: asked.map(|v| v.expect("of all that is asked")).collect(),
        certificates,
    }
}
