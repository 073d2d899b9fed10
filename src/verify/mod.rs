//! Whether rules over scalars are true.
//!
//! In: rules, solvers, certificates. Out: a verdict for each rule. From cheap to dear: a certificate; random points;
//! polynomials; then of each solver linear arithmetic, the rule as it is written, products as they are. The first that
//! decides is believed if it proves, and checked if it refutes: a counterexample counts when our own evaluator finds the
//! sides different there. A rule that is not proved so may still hold of all that rules before it leave (`normal`).
//! Invariant: whatever a solver does, every rule gets a verdict. Absent: order and termination; rules over arrays (`arrays`).

pub mod arrays;
mod cases;
mod certificate;
mod closing;
mod encode;
mod formula;
mod ladder;
mod model;
mod normal;
mod points;
mod poly;
mod weaken;

pub use certificate::{key, Certificates, ENCODER};
pub use encode::{queries, Encoding};
pub use points::{differs_at, try_points, Point, Tried};
pub use weaken::{weaker, Weaker};

use crate::exec::solver::Solver;
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
    /// Whether that was earlier, and a certificate says so.
    pub certified: bool,
    /// What has to be done before for the rule to hold: names of rules that stand earlier in the file, or `folding`.
    /// Mostly nothing.
    pub needs: Vec<String>,
}

/// Limits.
#[derive(Copy, Clone, Debug)]
pub struct Limits {
    /// Random points for each rule.
    pub points: u32,
    /// For a query in the direct encoding; no time, no attempt.
    pub direct: Duration,
    /// For each case of the linear one; no time, no attempt.
    pub linear: Duration,
    /// For each case of the strong one; no time, no attempt.
    pub strong: Duration,
    /// Queries at the same time.
    pub workers: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            points: 2_000,
            direct: Duration::from_secs(2),
            linear: Duration::from_secs(5),
            strong: Duration::from_secs(5),
            workers: std::thread::available_parallelism().map_or(1, |n| n.get()),
        }
    }
}

impl Limits {
    fn of(&self, encoding: Encoding) -> Duration {
        match encoding {
            Encoding::Direct => self.direct,
            Encoding::Linear => self.linear,
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

/// The verdicts of the rules of a file: of those with these numbers.
pub fn verify(rules: &[Rule], asked: &[usize], tools: &Tools, tell: Tell) -> Verified {
    let mut certificates = Certificates::default();
    let plain: Vec<Rule> = asked.iter().map(|i| rules[*i].clone()).collect();
    let mut verdicts = ladder::decide(&plain, tools, tell);
    for (verdict, rule) in verdicts.iter().zip(&plain) {
        certificates.add(rule, verdict);
    }
    for (verdict, i) in verdicts.iter_mut().zip(asked) {
        if matches!(verdict, Verdict::Proved(_)) {
            continue;
        }
        if let Some((proved, statements)) = normal::decide(rules, *i, tools) {
            *verdict = Verdict::Proved(proved);
            statements.iter().for_each(|s| certificates.add(s, verdict));
        }
    }
    Verified {
        verdicts,
        certificates,
    }
}

#[cfg(test)]
mod tests;
