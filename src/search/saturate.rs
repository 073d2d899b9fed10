//! One step: saturate until the sketch is satisfied, then extract.
//!
//! The sketch is asked before the first iteration and after each. All rules
//! search the same picture of the graph, then all matches are applied. Limits
//! are looked at inside of both loops: one iteration can be the difference
//! between a tenth of the memory and all of it.

use super::progress::{Event, Observer, Phase};
use super::trace::{Iteration, RuleTrace, Size, StepTrace, Stop};
use super::{Diagnosis, Options, PartCount};
use crate::alloc;
use crate::cost::Cost;
use crate::egraph::{Graph, Id, View};
use crate::elab::{Scheduler, Step};
use crate::rule::{self, Applied, Matches, Rewrite, Scene};
use crate::sketch::{Goal, Reached};
use crate::term::{normalize, Term};
use std::cell::Cell;
use std::time::Instant;

/// Array nesting where a step sets no limit: this, or for deep arrays as many
/// dimensions more than the term has.
const NESTING: u32 = 6;
const MORE_NESTING: u32 = 4;
/// Term size where a step sets no limit: this, or for a large term a multiple
/// of its own.
const SIZE: u32 = 300;
const TIMES_SIZE: u32 = 2;
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
    /// When they were looked at last.
    bytes_now: Cell<u64>,
    most_bytes: Cell<u64>,
}

impl Limits {
    fn reached(&self, nodes: u64) -> Option<Stop> {
        let bytes = alloc::allocated();
        self.bytes_now.set(bytes);
        self.most_bytes.set(self.most_bytes.get().max(bytes));
        if nodes >= self.nodes {
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

/// A limit as the search counts it.
fn small(limit: u64) -> u32 {
    limit.min(u64::from(u32::MAX - 1)) as u32
}

fn size_of(view: &View) -> Size {
    Size {
        nodes: view.node_count() as u64,
        classes: view.len() as u64,
    }
}

/// What an observer is told of a step, besides the counts of the moment.
struct Watch<'a> {
    observer: &'a Observer,
    step: &'a str,
    /// Which step it is, and of how many.
    place: (usize, usize),
    iteration: u64,
    /// Of the last answer of the sketch.
    sketch: Reached,
}

impl Watch<'_> {
    fn tell(&self, phase: Phase, nodes: usize, limits: &Limits) {
        self.observer.see(|| Event {
            step: self.step,
            number: self.place.0,
            steps: self.place.1,
            phase,
            iteration: self.iteration,
            nodes: nodes as u64,
            bytes: limits.bytes_now.get(),
            sketch: &self.sketch,
        });
    }

    /// Whether the sketch is satisfied; for an observer also how much of it.
    fn ask(&mut self, goal: &Goal, view: &View, root: Id) -> bool {
        if !self.observer.looks() {
            return goal.satisfied(view, view.class(root));
        }
        let (satisfied, sketch) = goal.reached(view, view.class(root));
        self.sketch = sketch;
        satisfied
    }
}

/// A step under way.
struct Saturation<'a> {
    step: &'a Step,
    limits: Limits,
    /// Limit on the size of terms.
    size: u32,
    rewrites: Vec<Rewrite>,
    backoff: Vec<Backoff>,
    graph: Graph,
    root: Id,
    /// The limit that was reached inside of an iteration.
    interrupted: Option<Stop>,
    watch: Watch<'a>,
}

/// Matches of one rule in one iteration.
struct Found {
    matches: Matches,
    banned: bool,
    seconds: f64,
}

/// Runs a step, which has a place among all, on a term in normal form.
pub(super) fn run(step: &Step, term: &Term, options: &Options, place: (usize, usize)) -> Run {
    let before = alloc::allocated();
    let mut s = Saturation::new(step, term, options, place, before);
    let goal = Goal::new(&step.sketch);
    let mut view = View::new(&s.graph);
    let start = size_of(&view);
    let mut iterations = Vec::new();
    let mut stop = (s.watch.ask(&goal, &view, s.root)).then_some(Stop::Found);
    if stop.is_none() && term.size() > s.size {
        stop = Some(Stop::Size(u64::from(s.size)));
    }
    let stop = loop {
        if let Some(stop) = stop {
            break stop;
        }
        let done = iterations.len() as u64;
        if done >= s.limits.iterations {
            break Stop::Iterations(s.limits.iterations);
        }
        s.watch.iteration = done + 1;
        s.watch.tell(Phase::Search, view.node_count(), &s.limits);
        let (found, search_seconds) = timed(|| s.search(&view, done));
        // The next picture is taken when this one is gone.
        drop(view);
        s.tell(Phase::Apply);
        let (rules, apply_seconds) = timed(|| s.apply(&found));
        drop(found);
        s.tell(Phase::Rebuild);
        let ((), rebuild_seconds) = timed(|| s.graph.rebuild());
        s.tell(Phase::Ask);
        let asked = timed(|| {
            let view = View::new(&s.graph);
            let satisfied = s.watch.ask(&goal, &view, s.root);
            (view, satisfied)
        });
        let ((next, satisfied), goal_seconds) = asked;
        view = next;
        stop = s.stop(satisfied, &rules, &view);
        s.watch.tell(Phase::Done, view.node_count(), &s.limits);
        iterations.push(Iteration {
            size: size_of(&view),
            search_seconds,
            apply_seconds,
            rebuild_seconds,
            goal_seconds,
            rules,
        });
    };
    let cost = Cost::from_name(step.cost.as_str()).unwrap_or_default();
    if stop == Stop::Found {
        s.watch.tell(Phase::Extract, view.node_count(), &s.limits);
    }
    let (extracted, extract_seconds) = timed(|| match stop {
        Stop::Found => goal.extract(&view, view.class(s.root), cost),
        _ => None,
    });
    s.limits.reached(0);
    let trace = StepTrace {
        name: step.name.clone(),
        stop,
        start,
        iterations,
        seconds: s.limits.begun.elapsed().as_secs_f64(),
        extract_seconds,
        bytes: s.limits.most_bytes.get().saturating_sub(before),
        reproducible: !matches!(stop, Stop::Seconds(_) | Stop::Bytes(_)),
    };
    let result = match extracted {
        Some(term) => Ok(normalize(&term)),
        None => Err(diagnose(step, &goal, &view, &trace)),
    };
    Run {
        trace,
        result,
        graph: s.graph,
        root: s.root,
    }
}

fn diagnose(step: &Step, goal: &Goal, view: &View, trace: &StepTrace) -> Diagnosis {
    let part = |(part, classes): (&crate::sketch::Part, usize)| PartCount {
        label: part.label.clone(),
        depth: part.depth,
        classes: classes as u64,
    };
    Diagnosis {
        step: step.name.clone(),
        span: step.sketch.span,
        stop: trace.stop,
        iterations: trace.iterations.len() as u64,
        size: trace.size(),
        parts: goal.counts(view).into_iter().map(part).collect(),
        growth: trace.growth(),
    }
}

fn timed<T>(f: impl FnOnce() -> T) -> (T, f64) {
    let begun = Instant::now();
    let value = f();
    (value, begun.elapsed().as_secs_f64())
}

impl<'a> Saturation<'a> {
    fn new(
        step: &'a Step,
        term: &Term,
        options: &'a Options,
        place: (usize, usize),
        held: u64,
    ) -> Saturation<'a> {
        let own = &step.limits;
        let limits = Limits {
            iterations: options.iterations.or(own.iterations).unwrap_or(u64::MAX),
            nodes: options.nodes.or(own.nodes).unwrap_or(u64::MAX),
            seconds: options.seconds.or(own.seconds),
            bytes: options.bytes.into_iter().chain(own.bytes).min(),
            begun: Instant::now(),
            bytes_now: Cell::new(held),
            most_bytes: Cell::new(held),
        };
        let mut deepest = 0;
        term.visit(&mut |t, _| deepest = deepest.max(t.ty().nesting()));
        let nesting = own
            .nesting
            .map_or(NESTING.max(deepest + MORE_NESTING), small);
        let size = own
            .size
            .map_or(SIZE.max(term.size().saturating_mul(TIMES_SIZE)), small);
        let rules = rule::distinct(&step.rules);
        let heads = rule::heads(&rules);
        let mut rewrites: Vec<Rewrite> = (rules.iter())
            .map(|r| Rewrite::Rule(Box::new(rule::compile(r, &heads, nesting))))
            .collect();
        rewrites.extend([Rewrite::Eta, Rewrite::Beta]);
        let mut graph = Graph::new(heads, step.normalize);
        let root = graph.add_term(term);
        graph.rebuild();
        Saturation {
            step,
            limits,
            size,
            backoff: vec![Backoff::default(); rewrites.len()],
            rewrites,
            graph,
            root,
            interrupted: None,
            watch: Watch {
                observer: &options.observer,
                step: &step.name,
                place,
                iteration: 0,
                sketch: Reached::default(),
            },
        }
    }

    fn tell(&self, phase: Phase) {
        self.watch.tell(phase, self.graph.nodes(), &self.limits);
    }

    /// Why to stop after an iteration, if at all.
    fn stop(&self, satisfied: bool, rules: &[RuleTrace], view: &View) -> Option<Stop> {
        if satisfied {
            return Some(Stop::Found);
        }
        if self.interrupted.is_some() {
            return self.interrupted;
        }
        if rules.iter().all(|r| r.applied == 0 && !r.banned) {
            return Some(Stop::Saturated);
        }
        self.limits.reached(view.node_count() as u64)
    }

    fn search(&mut self, view: &View, iteration: u64) -> Vec<Found> {
        let contexts = view.contexts(view.class(self.root), self.size);
        let reached = Cell::new(None);
        let (limits, watch) = (&self.limits, &self.watch);
        let nodes = view.node_count();
        let scene = Scene {
            view,
            contexts: &contexts,
            size: self.size,
            go_on: &|| {
                reached.set(limits.reached(0));
                watch.tell(Phase::Search, nodes, limits);
                reached.get().is_none()
            },
        };
        let mut out = Vec::new();
        for (rewrite, backoff) in self.rewrites.iter_mut().zip(&mut self.backoff) {
            let begun = Instant::now();
            let mut matches = Matches::default();
            let mut banned = iteration < backoff.until;
            if !banned && reached.get().is_none() {
                matches = rewrite.search(&scene, &self.graph);
                let careful = self.step.scheduler == Scheduler::Backoff;
                if careful && backoff.bans(iteration, matches.len()) {
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
        self.interrupted = reached.get();
        out
    }

    fn apply(&mut self, found: &[Found]) -> Vec<RuleTrace> {
        let mut count = 0;
        let mut rules = Vec::new();
        for (rewrite, found) in self.rewrites.iter().zip(found) {
            let begun = Instant::now();
            let before = self.graph.nodes();
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
                if self.interrupted.is_some() {
                    break;
                }
                match rewrite.apply(&mut self.graph, &found.matches, i, self.step.reassociate) {
                    Applied::Changed => rule.applied += 1,
                    Applied::Known => rule.known += 1,
                    Applied::Refused => rule.refused += 1,
                }
                count += 1;
                if count % LOOK_EVERY == 0 {
                    self.interrupted = self.limits.reached(self.graph.nodes() as u64);
                    self.tell(Phase::Apply);
                }
            }
            rule.nodes_added = (self.graph.nodes() - before) as u64;
            rule.seconds = found.seconds + begun.elapsed().as_secs_f64();
            rules.push(rule);
        }
        rules
    }
}
