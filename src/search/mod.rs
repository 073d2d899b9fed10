//! Guided search: a program through its steps.
//!
//! Comes in: a program and the list of steps; goes out: the term after each
//! step with a trace, or the diagnosis of the step that did not reach its
//! sketch. Each step starts a fresh graph from the β/η-normal form of the term
//! before it. Invariant: the same input and limits in counts give the same
//! terms and the same counts. Absent: files, printing.

pub mod audit;
pub mod progress;
mod saturate;
pub mod trace;

pub use progress::Observer;
pub use trace::{Stop, Trace};

use crate::egraph::{Graph, Id};
use crate::elab::{Limits, Step};
use crate::rule;
use crate::source::Span;
use crate::term::{normalize, Program, Term};
use trace::{Size, StepTrace};

/// Limits that the user gives for the whole search, and who looks on; the limits
/// win over those of a step (for bytes the smaller counts).
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Iterations of each step.
    pub iterations: Option<u64>,
    /// E-nodes of each graph.
    pub nodes: Option<u64>,
    /// Seconds for each step.
    pub seconds: Option<u64>,
    /// Bytes that the process may hold.
    pub bytes: Option<u64>,
    /// Is told how the search goes.
    pub observer: Observer,
}

/// What a search came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The term after each step that was reached, in normal form.
    pub terms: Vec<Term>,
    /// What happened.
    pub trace: Trace,
    /// Why the last step run was not reached; `None` if all were.
    pub failure: Option<Diagnosis>,
}

/// Why a sketch was not reached.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// The step's name.
    pub step: String,
    /// Where the sketch is written.
    pub span: Span,
    /// Why the search ended.
    pub stop: Stop,
    /// Iterations run.
    pub iterations: u64,
    /// The graph at the end.
    pub size: Size,
    /// For every part of the sketch how many classes satisfy it.
    pub parts: Vec<PartCount>,
    /// E-nodes added by each rule, most first.
    pub growth: Vec<(String, u64)>,
}

/// One part of a sketch that was not reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartCount {
    /// The user's words.
    pub label: String,
    /// How deep it stands in the sketch.
    pub depth: usize,
    /// How many classes satisfy it.
    pub classes: u64,
}

/// Optimises a program through its steps.
pub fn optimize(program: &Program, steps: &[Step], options: &Options) -> Outcome {
    let mut outcome = Outcome {
        terms: Vec::new(),
        trace: Trace {
            version: trace::VERSION,
            program: program.name.to_string(),
            steps: Vec::new(),
        },
        failure: None,
    };
    let mut term = normalize(&program.term);
    for (i, step) in steps.iter().enumerate() {
        let run = saturate::run(step, &term, options, (i + 1, steps.len()));
        outcome.trace.steps.push(run.trace);
        match run.result {
            Ok(found) => {
                outcome.terms.push(found.clone());
                term = found;
            }
            Err(diagnosis) => {
                outcome.failure = Some(diagnosis);
                break;
            }
        }
    }
    outcome
}

/// Runs one step and hands over the graph, for those who look into it.
pub fn saturate(
    step: &Step,
    term: &Term,
    options: &Options,
) -> (StepTrace, Result<Term, Diagnosis>, Graph, Id) {
    let run = saturate::run(step, &normalize(term), options, (1, 1));
    (run.trace, run.result, run.graph, run.root)
}

/// One step instead of many: all rules together, the last sketch, the widest
/// limits. `None` without steps.
pub fn unguided(steps: &[Step]) -> Option<Step> {
    let last = steps.last()?;
    let all: Vec<_> = steps.iter().flat_map(|s| s.rules.clone()).collect();
    // A limit that one step does not have, the union does not have either.
    let widest = |get: fn(&Limits) -> Option<u64>| {
        let limits: Option<Vec<u64>> = steps.iter().map(|s| get(&s.limits)).collect();
        limits.and_then(|l| l.into_iter().max())
    };
    Some(Step {
        name: format!("{} (unguided)", last.name),
        rules: rule::distinct(&all),
        limits: Limits {
            iterations: widest(|l| l.iterations),
            nodes: widest(|l| l.nodes),
            seconds: widest(|l| l.seconds),
            bytes: widest(|l| l.bytes),
            nesting: widest(|l| l.nesting),
            size: widest(|l| l.size),
        },
        normalize: steps.iter().all(|s| s.normalize),
        reassociate: steps.iter().any(|s| s.reassociate),
        ..last.clone()
    })
}
