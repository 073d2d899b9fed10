//! Whether rules over scalars are true.
//!
//! In: rules, solvers. Out: a verdict for each rule. From cheap to dear: random points; a solver with the direct encoding;
//! with the strong one; then the next solver. The first that decides is believed if it proves, and
//! checked if it refutes: a counterexample counts when our own evaluator finds the sides different there.
//! Invariant: whatever a solver does, every rule gets a verdict. Absent: order and termination, rules over arrays.

mod encode;
mod model;
mod points;

pub use encode::{queries, Encoding};
pub use points::{differs_at, try_points, Point, Tried};

use crate::exec::solver::{Answer, Solver};
use crate::scalar::Rule;
use std::sync::atomic::{AtomicUsize, Ordering};
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
    /// What proved it: a solver and an encoding.
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
            strong: Duration::from_secs(5),
            workers: std::thread::available_parallelism().map_or(1, |n| n.get()),
        }
    }
}

/// The verdicts of rules, in their order. `tell` hears of each attempt how many rules it is for.
pub fn verify(
    rules: &[Rule],
    solvers: &[Solver],
    limits: &Limits,
    tell: &mut dyn FnMut(&str, usize),
) -> Vec<Verdict> {
    tell("random points", rules.len());
    let mut verdicts: Vec<Verdict> = (rules.iter())
        .map(|rule| match try_points(rule, limits.points).differs {
            Some(point) => Verdict::Refuted(point),
            None => Verdict::Unknown(Vec::new()),
        })
        .collect();
    let attempts = solvers.iter().flat_map(|s| {
        [
            (s, Encoding::Direct, limits.direct),
            (s, Encoding::Strong, limits.strong),
        ]
    });
    for (solver, encoding, limit) in attempts.filter(|a| !a.2.is_zero()) {
        let open = |v: &Verdict| matches!(v, Verdict::Unknown(_));
        let left: Vec<usize> = (0..rules.len()).filter(|i| open(&verdicts[*i])).collect();
        if left.is_empty() {
            break;
        }
        tell(&format!("{}, {}", solver.name, encoding.name()), left.len());
        let asked: Vec<Vec<String>> = (left.iter())
            .map(|i| queries(&rules[*i], encoding))
            .collect();
        let answers = ask_all(solver, &asked, limit, limits.workers);
        for (i, answer) in left.into_iter().zip(answers) {
            let why = match answer {
                Answer::Unsatisfiable => {
                    verdicts[i] = Verdict::Proved(Proved {
                        by: format!("{}, {}", solver.name, encoding.name()),
                        ..Proved::default()
                    });
                    continue;
                }
                Answer::Satisfiable(text) => {
                    let rule = &rules[i];
                    let point = model::point(rule, &text);
                    match point.filter(|p| differs_at(rule, p) == Some(true)) {
                        Some(point) => {
                            verdicts[i] = Verdict::Refuted(point);
                            continue;
                        }
                        None => format!("{}: its counterexample is none", solver.name),
                    }
                }
                Answer::Unknown(why) => why,
            };
            if let Verdict::Unknown(reasons) = &mut verdicts[i] {
                reasons.push(format!("{why} ({})", encoding.name()));
            }
        }
    }
    verdicts
}

impl Encoding {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Direct => "direct encoding",
            Encoding::Strong => "strong encoding",
        }
    }
}

/// One answer for each list of cases: unsatisfiable if all are, satisfiable as soon as one is.
fn ask_all(solver: &Solver, asked: &[Vec<String>], limit: Duration, workers: usize) -> Vec<Answer> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            match asked.get(i) {
                Some(cases) => done.push((i, ask(solver, cases, limit))),
                None => return done,
            }
        }
    };
    let mut all: Vec<(usize, Answer)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers.max(1)).map(|_| scope.spawn(work)).collect();
        let done = threads.into_iter().map(|t| t.join().expect("a worker"));
        done.flatten().collect()
    });
    all.sort_by_key(|a| a.0);
    all.into_iter().map(|a| a.1).collect()
}

fn ask(solver: &Solver, cases: &[String], limit: Duration) -> Answer {
    for case in cases {
        match solver.ask(case, limit) {
            Answer::Unsatisfiable => {}
            other => return other,
        }
    }
    Answer::Unsatisfiable
}
