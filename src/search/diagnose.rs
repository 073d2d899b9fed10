//! Why a sketch was not reached, as far as the graph can tell.
//!
//! In: the graph at the end, the step, the trace. Out: how many classes satisfy each part of the sketch,
//! which limits refused something, and, on request, what the graph has instead: the closest term, sketches
//! that are nearer to the goal than the program and satisfied already, and changes of the sketch by which
//! it would be satisfied. Invariants: plain data, the same for the same graph; what is asked of the graph
//! is bounded by [`WORK`], whatever its size. Absent: further searches (`advise`), printing.

use super::closest::{self, Asker};
use super::edit::{self, Edit};
use super::occurs::{occurs, Occurs};
use super::trace::{Size, StepTrace, Stop};
use super::{after, Options};
use crate::arith::Nat;
use crate::cost::Cost;
use crate::egraph::{Class, View};
use crate::elab::{RuleUse, Sketch, Step};
use crate::rule::near::{self, Refusal};
use crate::sketch::{Goal, Weaker};
use crate::source::Span;
use crate::term::Term;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// States of sketches times e-nodes that may be looked at: about a second.
pub const WORK: u64 = 150_000_000;

/// Pairs of a class and a state in the search for one term: some ten megabytes.
const PAIRS: usize = 500_000;

/// Sketches in between that are looked at.
const GUIDES: usize = 6;

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
    /// For every part of the sketch how many classes satisfy it, in the order of the sketch.
    pub parts: Vec<PartCount>,
    /// E-nodes added by each rule, most first.
    pub growth: Vec<(String, u64)>,
    /// The limits on terms, and what they kept out.
    pub refused: Refused,
    /// What the graph has instead, if [`super::Options::diagnose`] asks for it.
    pub instead: Option<Instead>,
}

/// One part of a sketch that was not reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartCount {
    /// The user's words.
    pub label: String,
    /// The user's words, `…` for the parts inside.
    pub outline: String,
    /// How deep it stands in the sketch.
    pub depth: usize,
    /// How many classes satisfy it.
    pub classes: u64,
    /// How many do with `?` for the parts inside.
    pub alone: u64,
}

/// What was not added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// The limit on the nesting of arrays.
    pub nesting: u64,
    /// Matches that it refused.
    pub too_nested: u64,
    /// The limit on the size of terms.
    pub size: u64,
    /// Matches that it refused.
    pub too_large: u64,
    /// Rules that were refused because the first size does not divide the second.
    pub indivisible: Vec<(String, Nat, Nat)>,
    /// Rules that were refused because floats may not be regrouped.
    pub unpermitted: Vec<String>,
}

/// What a graph has instead of what a sketch asks for.
#[derive(Clone, Debug)]
pub struct Instead {
    /// The cheapest term among those that satisfy most parts.
    pub closest: Option<Near>,
    /// Sketches in the words of the goal that are satisfied, best first.
    pub guides: Vec<Near>,
    /// Changes of the sketch by which it is satisfied.
    pub edits: Vec<Edit>,
    /// What occurs in the graph.
    pub has: Occurs,
    /// Laws that rules asked for in vain of operators of the closest term: the rule, and its refusal.
    pub laws: Vec<(String, Refusal)>,
}

/// A term that satisfies a part of the sketch.
#[derive(Clone, Debug)]
pub struct Near {
    /// The parts, by their number in [`Diagnosis::parts`].
    pub parts: BTreeSet<usize>,
    /// They as a sketch, to be read.
    pub sketch: String,
    /// They as a sketch, to be asked.
    pub goal: Sketch,
    /// The term.
    pub term: Term,
}

/// How many classes satisfy each part of a sketch; none if that takes until some time.
pub(super) fn counts(goal: &Goal, view: &View, until: Option<Instant>) -> Vec<PartCount> {
    let may_continue = || until.is_none_or(|u| Instant::now() < u);
    let part = |(part, [classes, alone]): (&crate::sketch::Part, [usize; 2])| PartCount {
        label: part.label.clone(),
        outline: part.outline.clone(),
        depth: part.depth,
        classes: classes as u64,
        alone: alone as u64,
    };
    let counted = goal.counts(view, &may_continue).into_iter().flatten();
    counted.map(part).collect()
}

/// What somebody waits for, and how long.
#[derive(Copy, Clone)]
pub(super) struct Patience {
    /// Until when the parts of the sketch are counted.
    counting: Option<Instant>,
    /// Until when it is looked for what the graph has instead.
    until: Option<Instant>,
    /// Whether it is.
    pub(super) instead: bool,
}

/// How long counting what satisfies the parts of a sketch may take in any case.
const LEAST: Duration = Duration::from_millis(200);

impl Patience {
    /// Half of what a search may take beyond its limit: the other half is for advice. None if nobody wants to know.
    pub(super) fn new(options: &Options, stop: Stop) -> Option<Patience> {
        let now = Instant::now();
        let part = options.seconds.map(|n| now + after(n, 1, 20));
        let until = part.into_iter().chain(options.until).min();
        let interrupted = stop == Stop::Interrupted;
        let least = now + LEAST;
        let ends = until.is_some() || interrupted;
        (options.diagnose || options.parts).then(|| Patience {
            counting: ends.then(|| until.map_or(least, |u| u.max(least))),
            until,
            // Who interrupts a search does not wait for what it might have found.
            instead: options.diagnose && !interrupted,
        })
    }
}

/// The diagnosis of a graph; with patience also its parts and what it has instead.
pub(super) fn diagnose(
    step: &Step,
    goal: &Goal,
    view: &View,
    root: Class,
    trace: &StepTrace,
    refused: Refused,
    patience: Option<Patience>,
) -> Diagnosis {
    Diagnosis {
        step: step.name.clone(),
        span: step.sketch.span,
        stop: trace.stop,
        iterations: trace.iterations.len() as u64,
        size: trace.size(),
        parts: patience.map_or(Vec::new(), |p| counts(goal, view, p.counting)),
        growth: trace.growth(),
        refused,
        instead: (patience.filter(|p| p.instead)).map(|p| look(step, goal, view, root, p.until)),
    }
}

fn look(step: &Step, goal: &Goal, view: &View, root: Class, until: Option<Instant>) -> Instead {
    let left = until.map(|u| u.saturating_duration_since(Instant::now()));
    let part = left.map_or(1.0, |left| left.as_secs_f64().min(1.0));
    let mut asker = Asker::new(
        view,
        (root, goal.params()),
        (WORK as f64 * part) as u64,
        until,
    );
    let has = occurs(view);
    let parts = goal.parts();
    let best = closest::closest(parts, &mut asker);
    let order = closest::reordered(parts, &best, &mut asker);
    let edits = edit::edits(step, parts, &has, &mut asker);
    let cost = Cost::from_name(step.cost.as_str()).unwrap_or_default();
    let may_continue = || until.is_none_or(|u| Instant::now() < u);
    let term = |w: &Weaker| {
        let goal = Goal::new(&w.sketch, goal.params());
        match view.node_count() < PAIRS / 10 {
            true => goal.extract_while(view, root, cost, &may_continue),
            false => goal.extract_small(view, root, cost, PAIRS, &may_continue),
        }
    };
    let near = |w: &Weaker| {
        if !may_continue() {
            return None;
        }
        Some(Near {
            parts: w.kept.clone(),
            sketch: w.text.clone(),
            goal: w.sketch.clone(),
            term: term(w)?,
        })
    };
    let first = near(&best);
    // What is cheaper to come to stands first among those that say as much.
    let mut guides: Vec<Near> = order.iter().take(GUIDES).filter_map(near).collect();
    guides.extend(first.clone());
    guides.sort_by_key(|g| (std::cmp::Reverse(g.parts.len()), g.term.size()));
    let laws = (first.as_ref())
        .filter(|_| may_continue())
        .map(|near| missing_laws(step, &near.term));
    Instead {
        closest: first,
        guides,
        edits,
        has,
        laws: laws.unwrap_or_default(),
    }
}

/// Nodes of terms in which missing laws are looked for.
const LARGEST: u32 = 1_000;

fn same_law(a: &Refusal, b: &Refusal) -> bool {
    match (a, b) {
        (Refusal::Law(a, ops_a, _), Refusal::Law(b, ops_b, _)) => {
            let terms =
                |ops: &[near::Found]| ops.iter().map(|f| f.term.clone()).collect::<Vec<_>>();
            a == b && terms(ops_a) == terms(ops_b)
        }
        _ => false,
    }
}

/// What rules refuse for nothing but laws that an operator does not obey, each law of an operator once.
fn missing_laws(step: &Step, term: &Term) -> Vec<(String, Refusal)> {
    let mut found: Vec<(String, Refusal)> = Vec::new();
    if term.size() > LARGEST {
        return found;
    }
    let (nesting, size) = super::bounds(Some(step), term);
    let limits = near::Limits {
        nesting,
        size,
        reassociate: step.reassociate,
    };
    let asks = |used: &&RuleUse| used.rule.claims().next().is_some();
    for used in step.rules.iter().filter(asks) {
        for attempt in near::attempts(used, term, limits) {
            let Err(refusals) = attempt.outcome else {
                continue;
            };
            if refusals.iter().any(|r| !matches!(r, Refusal::Law(..))) {
                continue;
            }
            for refusal in refusals {
                if !found.iter().any(|(_, known)| same_law(known, &refusal)) {
                    found.push((used.rule.name.to_string(), refusal));
                }
            }
        }
    }
    found
}
