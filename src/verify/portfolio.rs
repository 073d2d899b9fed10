//! Attempts to decide statements, from cheap to dear.

use super::cases::{cases, Rests};
use super::encode::{queries, Encoding};
use super::{differs_at, model, try_points, Proved, Tell, Tools, Verdict};
use crate::exec::solver::{Answer, Solver, Work};
use crate::scalar::Rule;
use crate::simplify::equal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What proves a rule without a solver.
pub(super) const POLYNOMIALS: &str = "polynomials";

/// What proves a rule by cases in each of which inequalities contradict each other.
const INEQUALITIES: &str = "inequalities";

/// In the order in which they are tried.
const ENCODINGS: [Encoding; 4] = [
    Encoding::Linear,
    Encoding::Direct,
    Encoding::Wide,
    Encoding::Strong,
];

/// Each rule by itself: what stands before it does not matter.
pub(super) fn decide(rules: &[Rule], tools: &Tools, tell: Tell) -> Vec<Verdict> {
    let mut verdicts = vec![Verdict::Unknown(Vec::new()); rules.len()];
    tell("points", rules.len());
    for (rule, verdict) in rules.iter().zip(&mut verdicts) {
        if let Some(point) = try_points(rule, tools.limits.points).differs {
            *verdict = Verdict::Refuted(point);
        }
    }
    tell("polynomials", open(&verdicts).len());
    for i in open(&verdicts) {
        let closed = |rests| cases(&rules[i], rests).is_some_and(|(_, cases)| cases.is_empty());
        if closed(Rests::Together) || closed(Rests::Apart) {
            verdicts[i] = proved(POLYNOMIALS.to_string());
        }
    }
    for i in open(&verdicts) {
        if let Some(by) = tools.certificates.get(&rules[i]) {
            verdicts[i] = Verdict::Proved(Proved {
                by: by.to_string(),
                certified: true,
                needs: Vec::new(),
            });
        }
    }
    tell(INEQUALITIES, open(&verdicts).len());
    for i in open(&verdicts) {
        if equal(rules[i].lhs, rules[i].rhs, &[rules[i].condition]) {
            verdicts[i] = proved(INEQUALITIES.to_string());
        }
    }
    for solver in &tools.solvers {
        for encoding in ENCODINGS {
            let limit = tools.limits.of(encoding);
            let left = open(&verdicts);
            if left.is_empty() || limit == Work::NONE {
                continue;
            }
            tell(&format!("{}, {}", solver.name, encoding.name()), left.len());
            let asked: Vec<_> = left.iter().map(|i| queries(&rules[*i], encoding)).collect();
            let answers = ask_all(solver, &asked, limit, tools);
            for (i, answer) in left.into_iter().zip(answers) {
                note(&rules[i], solver, encoding, answer, &mut verdicts[i]);
            }
        }
    }
    verdicts
}

fn open(verdicts: &[Verdict]) -> Vec<usize> {
    let open = |i: &usize| matches!(verdicts[*i], Verdict::Unknown(_));
    (0..verdicts.len()).filter(open).collect()
}

fn proved(by: String) -> Verdict {
    Verdict::Proved(Proved {
        by,
        ..Proved::default()
    })
}

/// What an answer means for a rule that is not decided.
fn note(rule: &Rule, solver: &Solver, encoding: Encoding, answer: Answer, verdict: &mut Verdict) {
    let why = match answer {
        Answer::Unsatisfiable => {
            *verdict = proved(format!("{}, {}", solver.name, encoding.name()));
            return;
        }
        Answer::Satisfiable(text) => {
            let point = model::point(rule, &text);
            match point.filter(|p| differs_at(rule, p) == Some(true)) {
                Some(point) => {
                    *verdict = Verdict::Refuted(point);
                    return;
                }
                None => format!("{}: its counterexample is none", solver.name),
            }
        }
        Answer::Unknown(why) => why,
    };
    if let Verdict::Unknown(reasons) = verdict {
        reasons.push(format!("{why} ({})", encoding.name()));
    }
}

/// One answer for each list of cases: unsatisfiable if all are, satisfiable as soon as one is.
fn ask_all(
    solver: &Solver,
    asked: &[Option<Vec<String>>],
    work: Work,
    tools: &Tools,
) -> Vec<Answer> {
    let patience = tools.limits.patience.unwrap_or(work.patience());
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            match asked.get(i) {
                Some(cases) => done.push((i, ask(solver, cases.as_deref(), work, patience))),
                None => return done,
            }
        }
    };
    let mut all: Vec<(usize, Answer)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..tools.limits.workers.max(1))
            .map(|_| scope.spawn(worker))
            .collect();
        let done = threads.into_iter().map(|t| t.join().expect("a worker"));
        done.flatten().collect()
    });
    all.sort_by_key(|a| a.0);
    all.into_iter().map(|a| a.1).collect()
}

fn ask(solver: &Solver, cases: Option<&[String]>, work: Work, patience: Duration) -> Answer {
    let Some(cases) = cases else {
        return Answer::Unknown("there are too many cases".to_string());
    };
    for case in cases {
        match solver.ask(case, work, patience) {
            Answer::Unsatisfiable => {}
            other => return other,
        }
    }
    Answer::Unsatisfiable
}
