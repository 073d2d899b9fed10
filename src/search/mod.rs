//! Guided search: a program through its steps.
//!
//! Comes in: a program and the list of steps; goes out: the term after each
//! step with a trace, or the diagnosis of the step that did not reach its
//! sketch. Each step starts a fresh graph from the normal form of the term
//! before it, the first from [`start`]. Invariant: the same input and limits in counts give the same
//! terms and the same counts. Absent: files, printing.

pub mod advise;
mod closest;
mod diagnose;
pub mod edit;
mod excerpt;
mod focus;
pub mod guides;
mod occurs;
pub mod progress;
mod saturate;
pub mod trace;

pub use advise::{advise, Advice, Chain, Known, Remedy};
pub use diagnose::{Diagnosis, Instead, Near, PartCount, Refused};
pub use edit::{Atom, Edit};
pub use excerpt::{Cut, Excerpt, ExcerptClass, ExcerptNode, ExcerptOp};
pub use occurs::Occurs;
pub use progress::Observer;
pub use trace::{Stop, Trace};

use crate::arith::Nat;
use crate::egraph::{Graph, Id, Shape};
use crate::elab::{Focus, Limits, Step};
use crate::interp::random::Rng;
use crate::obligation::{self, Assumption, Sizes};
use crate::proof::{ill_typed, Proof};
use crate::rule;
use crate::term::{normalize_program, written_out, Program, Term};
use std::time::{Duration, Instant};
use trace::StepTrace;

/// Iterations of a step where nobody sets a limit.
pub const ITERATIONS: u64 = 100;
/// E-nodes of a step where nobody sets a limit: some thirty times what the largest shipped step takes.
pub const NODES: u64 = 500_000;
/// Places that patterns look at and nodes that substitutions build, where nobody sets a limit on e-nodes or seconds: a graph of few nodes
/// may stand for so many terms that one iteration takes hours.
pub const WORK: u64 = 300_000_000;
/// The same of one search of many.
pub const WORK_OF_ONE: u64 = WORK / 20;

/// Limits that the user gives for the whole search, and who looks on; the limits
/// win over those of a step (for bytes the smaller counts).
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Iterations of each step.
    pub iterations: Option<u64>,
    /// E-nodes of each graph.
    pub nodes: Option<u64>,
    /// Places that patterns look at and nodes that substitutions build, in each step.
    pub work: Option<u64>,
    /// Seconds for each step; the diagnosis of one that is not reached may take a tenth more.
    pub seconds: Option<u64>,
    /// When nobody waits any more, neither for a step nor for its diagnosis nor for advice.
    pub until: Option<Instant>,
    /// Bytes that the process may hold.
    pub bytes: Option<u64>,
    /// Whether the parts of the sketches that are reached are counted, too.
    pub parts: bool,
    /// Whether a step that is not reached also says what its graph has instead.
    pub diagnose: bool,
    /// Is told how the search goes.
    pub observer: Observer,
    /// Of a search for advice: what is tried, for the observer.
    pub trying: Option<String>,
    /// What to cut out of a step's graph when the step ends.
    pub cut: Option<Cut>,
    /// Whether to record why terms are equal, and to prove what was found.
    pub prove: bool,
    /// Whether nobody makes a kernel of what is found: then nobody has to know at which sizes it equals the program.
    pub no_kernel: bool,
    /// If set, all that rules may oblige to; see Note [Ways without obligations] in `saturate`.
    pub permitted: Option<Vec<Assumption>>,
}

/// What a search came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The term after each step that was reached, in normal form.
    pub terms: Vec<Term>,
    /// What happened.
    pub trace: Trace,
    /// For each step of the trace the parts of its sketch, with how many classes satisfy them in the end; of
    /// those that were reached only if that is asked for.
    pub parts: Vec<Vec<PartCount>>,
    /// Why the last step run was not reached; `None` if all were.
    pub failure: Option<Diagnosis>,
    /// What was asked for of a graph.
    pub excerpt: Option<Excerpt>,
    /// Sizes that the way from the program to the last term speaks of and that those of the last term do not make
    /// whole and not negative: only where they are is the last term equal to the program.
    pub obliged: Vec<Nat>,
    /// If it was asked for: why the program equals the last term, or why no proof
    /// could be made.
    pub proof: Option<Result<Proof, String>>,
}

impl Outcome {
    /// Of a program for which nothing was searched yet.
    pub fn unsearched(program: &Program) -> Outcome {
        Outcome {
            terms: Vec::new(),
            trace: Trace {
                program: program.name.to_string(),
                steps: Vec::new(),
            },
            parts: Vec::new(),
            failure: None,
            excerpt: None,
            obliged: Vec::new(),
            proof: None,
        }
    }
}

/// Optimises a program through its steps.
pub fn optimize(program: &Program, steps: &[Step], options: &Options) -> Outcome {
    let mut outcome = Outcome {
        proof: options.prove.then(|| Ok(Proof::new(&program.term))),
        ..Outcome::unsearched(program)
    };
    let mut term = start(program);
    let mut passed = Sizes::default();
    passed.term(&program.term);
    for (i, step) in steps.iter().enumerate() {
        let run = saturate::run(step, &term, options, (i + 1, steps.len()));
        outcome.trace.steps.push(run.trace);
        outcome.parts.push(run.parts);
        outcome.excerpt = run.excerpt.or(outcome.excerpt.take());
        match run.result {
            Ok(found) => {
                outcome.terms.push(found.clone());
                passed.term(&term);
                run.obliged.into_iter().for_each(|n| passed.size(n));
                term = found;
                if let (Some(Ok(proof)), Some(segment)) = (&mut outcome.proof, run.segment) {
                    match segment {
                        Ok(segment) => proof.push(segment),
                        Err(why) => outcome.proof = Some(Err(format!("{}: {why}", step.name))),
                    }
                }
            }
            Err(diagnosis) => {
                outcome.failure = Some(diagnosis);
                break;
            }
        }
    }
    outcome.obliged = beyond(passed.all(), program, &term);
    outcome
}

/// A part of so many seconds; no more than the system's clock can count.
pub fn after(seconds: u64, times: u32, of: u32) -> Duration {
    Duration::from_secs(seconds.min(u64::from(u32::MAX))) * times / of
}

/// What the first step starts from: the program in normal form, with the functions that its loops apply written out, so
/// that rules and sketches that ask for arguments find them at any depth.
pub fn start(program: &Program) -> Term {
    written_out(&normalize_program(&program.term))
}

/// A term in normal form; as it is, if all that keeps it from being so is that functions are written out.
fn in_form(term: &Term) -> Term {
    let normal = normalize_program(term);
    match written_out(&normal) == *term {
        true => term.clone(),
        false => normal,
    }
}

/// Of sizes, those that are not sure to be whole and not negative where those of the program with this term are.
fn beyond(sizes: &[Nat], program: &Program, term: &Term) -> Vec<Nat> {
    let mut own = Sizes::default();
    program.params.iter().for_each(|(_, ty)| own.ty(*ty));
    own.ty(program.result);
    own.term(term);
    let mut held = obligation::missing(&[], own.all());
    let mut open = |n: &Nat| {
        let more = obligation::missing(&held, &[*n]);
        held.extend(&more);
        !more.is_empty()
    };
    sizes.iter().copied().filter(|n| open(n)).collect()
}

/// How deep arrays may nest and how large a term may be in a step that starts from a
/// term; without a step, in one that sets no limits.
pub fn bounds(step: Option<&Step>, term: &Term) -> (u32, u32) {
    let none = Limits::default();
    saturate::bounds(step.map_or(&none, |s| &s.limits), term)
}

/// Runs one step and hands over the graph, for those who look into it.
pub fn saturate(
    step: &Step,
    term: &Term,
    options: &Options,
) -> (StepTrace, Result<Term, Diagnosis>, Graph, Id) {
    let run = saturate::run(step, &in_form(term), options, (1, 1));
    (run.trace, run.result, run.graph, run.root)
}

/// How far down a sampled term has any nodes; below it has the best ones.
const DEPTH: u32 = 12;

/// A random term of a class.
fn sample(graph: &Graph, id: Id, rng: &mut Rng, depth: u32) -> Term {
    let facts = graph.facts(id);
    if depth == 0 {
        return graph.best_term(id);
    }
    let node = *rng.pick(graph.class_nodes(graph.find(id)));
    let mut of = |id| sample(graph, id, rng, depth - 1);
    match (node.shape, facts.ty.as_fun()) {
        (Shape::Lam([b]), Some((arg, _))) => Term::lam(None, arg, of(b)),
        (Shape::App([f, x]), _) => {
            let f = of(f);
            Term::app(f, of(x))
        }
        _ => graph.node_term(&node),
    }
}

/// Runs one step, and proves of up to `most` random terms of the root's class that they
/// equal `term`, whether the step reaches its sketch or not.
pub fn prove_root(
    step: &Step,
    term: &Term,
    options: &Options,
    most: usize,
) -> Vec<Result<Proof, String>> {
    let start = normalize_program(term);
    let step = &Step {
        focus: Focus::Whole,
        ..step.clone()
    };
    let options = Options {
        prove: true,
        ..options.clone()
    };
    let mut run = saturate::run(step, &start, &options, (1, 1));
    let mut rng = Rng::new(most as u64);
    let sample = |_| sample(&run.graph, run.root, &mut rng, DEPTH);
    let mut terms: Vec<Term> = (0..most).map(sample).collect();
    // A class holds terms with variables of somewhere else; none of those is extracted.
    terms.retain(|t| ill_typed(t).is_none());
    let segments = run.explain(step, &start, &terms);
    let proof = |segment: Result<_, String>| {
        let mut proof = Proof::new(term);
        proof.push(segment?);
        Ok(proof)
    };
    segments.into_iter().map(proof).collect()
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
    // Those that hold where nobody sets one are for steps.
    let counted = |get| widest(get).or(Some(u64::MAX));
    Some(Step {
        name: format!("{} (unguided)", last.name),
        rules: rule::distinct(&all),
        limits: Limits {
            iterations: counted(|l| l.iterations),
            nodes: counted(|l| l.nodes),
            seconds: widest(|l| l.seconds),
            bytes: widest(|l| l.bytes),
            nesting: widest(|l| l.nesting),
            size: widest(|l| l.size),
        },
        normalize: steps.iter().all(|s| s.normalize),
        reassociate: steps.iter().any(|s| s.reassociate),
        approximate: steps.iter().any(|s| s.approximate),
        focus: Focus::Whole,
        ..last.clone()
    })
}
