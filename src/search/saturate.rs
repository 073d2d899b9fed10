//! One step: saturate until the sketch is satisfied, then extract.
//!
//! The sketch is asked before the first iteration and after each. All rules
//! search the same picture of the graph, then all matches are applied. Limits
//! are looked at inside of both loops: one iteration can be the difference
//! between a tenth of the memory and all of it.

use super::trace::{Iteration, RuleTrace, Size, StepTrace, Stop};
use super::{Diagnosis, Options, PartCount};
use crate::alloc;
use crate::cost::Cost;
use crate::egraph::{Graph, Id, View};
use crate::elab::{Scheduler, Step};
use crate::rule::{self, Applied, Matches, Rewrite, Scene};
use crate::sketch::Goal;
use crate::term::{normalize, Term};
use std::cell::Cell;
use std::time::Instant;

/// Array nesting where a step sets no limit.
const NESTING: u64 = 6;
/// Term size where a step sets no limit.
const SIZE: u64 = 300;
/// How many applications go by between two looks at the limits.
const LOOK_EVERY: u64 = 1024;

/// What a step came to.
pub(super) struct Run {
    pub trace: StepTrace,
    pub result: Result<Term, Diagnosis>,
    pub graph: Graph,
    pub root: Id,
}

struct Limits {
    iterations: u64,
    nodes: u64,
    seconds: Option<u64>,
    bytes: Option<u64>,
    begun: Instant,
    most_bytes: Cell<u64>,
}

impl Limits {
    fn reached(&self, nodes: u64, extra: u64) -> Option<Stop> {
        let bytes = alloc::allocated();
        self.most_bytes.set(self.most_bytes.get().max(bytes));
        if nodes + extra >= self.nodes {
            return Some(Stop::Nodes(self.nodes));
        }
        if let Some(limit) = self.bytes.filter(|b| bytes >= *b) {
            return Some(Stop::Bytes(limit));
        }
        let late = |s: &u64| self.begun.elapsed().as_secs() >= *s;
        self.seconds.filter(late).map(Stop::Seconds)
    }
}

/// A rule that floods the graph waits; each time longer, and for more matches.
#[derive(Clone, Default)]
struct Backoff {
    until: u64,
    times: u32,
}

impl Backoff {
    const MATCHES: usize = 1000;
    const LENGTH: u64 = 5;

    fn bans(&mut self, iteration: u64, matches: usize) -> bool {
        if matches <= Self::MATCHES << self.times.min(20) {
            return false;
        }
        self.until = iteration + (Self::LENGTH << self.times.min(20));
        self.times += 1;
        true
    }
}

fn size_of(view: &View) -> Size {
    Size {
        nodes: view.node_count() as u64,
        classes: view.len() as u64,
    }
}

/// Runs a step on a term in normal form.
pub(super) fn run(step: &Step, term: &Term, options: &Options) -> Run {
    let begun = Instant::now();
    let before = alloc::allocated();
    let limits = Limits {
        iterations: options
            .iterations
            .or(step.limits.iterations)
            .unwrap_or(u64::MAX),
        nodes: options.nodes.or(step.limits.nodes).unwrap_or(u64::MAX),
        seconds: options.seconds.or(step.limits.seconds),
        bytes: options.bytes.into_iter().chain(step.limits.bytes).min(),
        begun,
        most_bytes: Cell::new(before),
    };
    let nesting = step.limits.nesting.unwrap_or(NESTING).min(64) as u32;
    let size = step
        .limits
        .size
        .unwrap_or(SIZE)
        .min(u64::from(u32::MAX - 1)) as u32;

    let rules = rule::distinct(&step.rules);
    let heads = rule::heads(&rules);
    let mut rewrites: Vec<Rewrite> = (rules.iter())
        .map(|r| Rewrite::Rule(Box::new(rule::compile(r, &heads, nesting))))
        .collect();
    rewrites.extend([Rewrite::Eta, Rewrite::Beta]);
    let mut backoff = vec![Backoff::default(); rewrites.len()];

    let goal = Goal::new(&step.sketch);
    let mut graph = Graph::new(heads, step.normalize);
    let root = graph.add_term(term);
    graph.rebuild();

    let mut view = View::new(&graph);
    let start = size_of(&view);
    let mut iterations = Vec::new();
    let mut found = goal.satisfied(&view, view.class(root));
    let mut stop = found.then_some(Stop::Found);
    while stop.is_none() {
        let done = iterations.len() as u64;
        if done >= limits.iterations {
            stop = Some(Stop::Iterations(limits.iterations));
            break;
        }
        let mut interrupted = None;
        let (found_matches, search_seconds) = timed(|| {
            search(
                &mut rewrites,
                &mut backoff,
                step,
                &graph,
                &view,
                root,
                size,
                done,
                &limits,
                &mut interrupted,
            )
        });
        drop(view);
        let (rules, apply_seconds) = timed(|| {
            apply(
                &rewrites,
                &found_matches,
                &mut graph,
                step,
                &limits,
                &mut interrupted,
            )
        });
        let waiting = found_matches.iter().any(|m| m.banned);
        drop(found_matches);
        let (_, rebuild_seconds) = timed(|| graph.rebuild());
        let changed = rules.iter().any(|r| r.applied > 0);
        let goal_begun = Instant::now();
        view = View::new(&graph);
        found = goal.satisfied(&view, view.class(root));
        iterations.push(Iteration {
            size: size_of(&view),
            search_seconds,
            apply_seconds,
            rebuild_seconds,
            goal_seconds: goal_begun.elapsed().as_secs_f64(),
            rules,
        });
        stop = if found {
            Some(Stop::Found)
        } else if interrupted.is_some() {
            interrupted
        } else if !changed && !waiting {
            Some(Stop::Saturated)
        } else {
            limits.reached(view.node_count() as u64, 0)
        };
    }
    let stop = stop.unwrap_or(Stop::Saturated);

    let extract_begun = Instant::now();
    let cost = Cost::from_name(step.cost.as_str()).unwrap_or_default();
    let extracted = match stop {
        Stop::Found => goal.extract(&view, view.class(root), cost),
        _ => None,
    };
    let extract_seconds = extract_begun.elapsed().as_secs_f64();
    let counts = match &extracted {
        Some(_) => Vec::new(),
        None => goal.counts(&view),
    };
    let parts = (counts.into_iter())
        .map(|(part, classes)| PartCount {
            label: part.label.clone(),
            depth: part.depth,
            classes: classes as u64,
        })
        .collect();
    limits.reached(0, 0);
    let trace = StepTrace {
        name: step.name.clone(),
        stop,
        start,
        iterations,
        seconds: begun.elapsed().as_secs_f64(),
        extract_seconds,
        bytes: limits.most_bytes.get().saturating_sub(before),
        reproducible: !matches!(stop, Stop::Seconds(_) | Stop::Bytes(_)),
    };
    let result = match extracted {
        Some(term) => Ok(normalize(&term)),
        None => Err(Diagnosis {
            step: step.name.clone(),
            span: step.span,
            stop,
            iterations: trace.iterations.len() as u64,
            size: trace.size(),
            parts,
            growth: trace.growth(),
        }),
    };
    Run {
        trace,
        result,
        graph,
        root,
    }
}

fn timed<T>(f: impl FnOnce() -> T) -> (T, f64) {
    let begun = Instant::now();
    let value = f();
    (value, begun.elapsed().as_secs_f64())
}

struct Found {
    matches: Matches,
    banned: bool,
    seconds: f64,
}

#[allow(clippy::too_many_arguments)]
fn search(
    rewrites: &mut [Rewrite],
    backoff: &mut [Backoff],
    step: &Step,
    graph: &Graph,
    view: &View,
    root: Id,
    size: u32,
    iteration: u64,
    limits: &Limits,
    interrupted: &mut Option<Stop>,
) -> Vec<Found> {
    let contexts = view.contexts(view.class(root), size);
    let reached = Cell::new(None);
    let mut out = Vec::new();
    for (rewrite, backoff) in rewrites.iter_mut().zip(backoff) {
        let begun = Instant::now();
        let scene = Scene {
            view,
            contexts: &contexts,
            size,
            go_on: &|_| {
                reached.set(limits.reached(0, 0));
                reached.get().is_none()
            },
        };
        let mut matches = Matches::default();
        let mut banned = iteration < backoff.until;
        if !banned && reached.get().is_none() {
            matches = rewrite.search(&scene, graph);
            if step.scheduler == Scheduler::Backoff && backoff.bans(iteration, matches.len()) {
                matches = Matches::default();
                banned = true;
            }
        }
        out.push(Found {
            matches,
            banned,
            seconds: begun.elapsed().as_secs_f64(),
        });
    }
    *interrupted = reached.get();
    out
}

fn apply(
    rewrites: &[Rewrite],
    found: &[Found],
    graph: &mut Graph,
    step: &Step,
    limits: &Limits,
    interrupted: &mut Option<Stop>,
) -> Vec<RuleTrace> {
    let mut count = 0;
    let mut rules = Vec::new();
    for (rewrite, found) in rewrites.iter().zip(found) {
        let begun = Instant::now();
        let before = graph.nodes();
        let mut rule = RuleTrace {
            name: rewrite.name().to_string(),
            matches: found.matches.len() as u64,
            applied: 0,
            known: 0,
            refused: found.matches.refused,
            nodes_added: 0,
            seconds: 0.0,
            banned: found.banned,
        };
        for i in 0..found.matches.len() {
            if interrupted.is_some() {
                break;
            }
            match rewrite.apply(graph, &found.matches, i, step.reassociate) {
                Applied::Changed => rule.applied += 1,
                Applied::Known => rule.known += 1,
                Applied::Refused => rule.refused += 1,
            }
            count += 1;
            if count % LOOK_EVERY == 0 {
                *interrupted = limits.reached(graph.nodes() as u64, 0);
            }
        }
        rule.nodes_added = (graph.nodes() - before) as u64;
        rule.seconds = found.seconds + begun.elapsed().as_secs_f64();
        rules.push(rule);
    }
    rules
}
