//! Steps in between.
//!
//! In: a step that was not reached, and what its graph has. Out: one sketch that is reached with the rules of the step and from
//! which the step is, or several with rules of their own, as [`guides`] finds them. Invariant: every search that somebody who
//! writes them down makes was made here. Absent: rules that the step does not have.

use super::{Advisor, Found, Reached, Remedy, SOON};
use crate::elab::{plain_sketch_text, sketch_text, Sketch, Step};
use crate::search::diagnose::Near;
use crate::search::{guides, Options};
use crate::term::normalize_program;
use std::collections::BTreeSet;

/// Sketches of satisfied parts that are tried before those of layers.
const NEAR: usize = 2;
/// As the line of progress names it.
const TRYING: &str = "a step in between";

/// Steps that lead to the goal.
#[derive(Clone, Debug)]
pub struct Chain {
    /// They, each with rules of its own.
    pub steps: Vec<Step>,
    /// Whether the last one has the goal itself, with fewer rules: together they stand in its place.
    pub whole: bool,
}

/// What helps, the simplest first.
pub(super) fn between(a: &mut Advisor) -> Found {
    if a.is_side {
        return None;
    }
    let mut near = near(a).into_iter();
    let first: Vec<Near> = near.by_ref().take(NEAR).collect();
    one(a, first)
        .or_else(|| chain(a))
        .or_else(|| {
            if a.spent() {
                return None;
            }
            let weaker = weaker(a);
            one(a, weaker)
        })
        .or_else(|| one(a, near))
}

/// A sketch from which the goal is reached. Its step may find another term than the graph at the end has, so both steps are
/// tried.
fn one(a: &mut Advisor, sketches: impl IntoIterator<Item = Near>) -> Found {
    let (mut limits, start, step) = (a.limits(), a.term.clone(), a.step);
    // What leads on does so soon.
    limits.nodes = limits.nodes.map(|n| n.min(SOON));
    for near in sketches {
        let between = Step {
            sketch: near.goal.clone(),
            ..step.clone()
        };
        if a.spent() {
            break;
        }
        let Ok(term) = a.run(TRYING, &between, &start, &limits).result else {
            continue;
        };
        if let Some(reached) = a.search(TRYING, step, &term, &limits) {
            return Some((Remedy::Guide(Near { term, ..near }), reached));
        }
    }
    None
}

/// Sketches of satisfied parts that lead away from where the step starts.
pub(super) fn near(a: &Advisor) -> Vec<Near> {
    if a.is_side {
        return Vec::new();
    }
    let all = a.d.instead.iter().flat_map(|i| &i.guides);
    let moved = all.filter(|g| {
        !g.parts.is_empty() && normalize_program(&g.term) != normalize_program(&a.term)
    });
    moved.cloned().collect()
}

/// The goal without some of its layers.
fn weaker(a: &Advisor) -> Vec<Near> {
    let text = match has_prelude(&a.step.sketch) {
        true => sketch_text,
        false => plain_sketch_text,
    };
    let near = |goal: Sketch| Near {
        parts: BTreeSet::new(),
        sketch: text(&goal),
        term: a.term.clone(),
        goal,
    };
    let weaker = guides::weaker(&a.step.sketch, &a.term);
    weaker.into_iter().map(near).collect()
}

/// Whether a sketch is written in the words of the prelude.
fn has_prelude(s: &Sketch) -> bool {
    let words = ["containsMap", "containsReduceSeq"];
    let here = words.iter().any(|w| s.label.starts_with(w));
    here || s.kind.children().into_iter().any(has_prelude)
}

/// Several steps, as they are found for a goal without guides.
fn chain(a: &mut Advisor) -> Found {
    if a.spent() {
        return None;
    }
    let options = Options {
        iterations: a.options.iterations,
        nodes: a.options.nodes,
        ..a.limits()
    };
    let found = guides::find(&a.term, a.step, &options, a.left().saturating_sub(SOON));
    a.searches += found.tries.len() as u64;
    a.nodes += found.nodes;
    let links = found.chain?;
    let (goal, before) = links.split_last()?;
    let named = |(i, link): (usize, &guides::Link)| Step {
        name: format!("guide-{}", i + 1),
        ..link.step.clone()
    };
    let mut steps: Vec<Step> = before.iter().enumerate().map(named).collect();
    let (step, limits) = (a.step, a.limits());
    if let Some(last) = before.last() {
        if let Some(reached) = a.search(TRYING, step, &last.found, &limits) {
            let whole = false;
            return Some((Remedy::Guides(Chain { steps, whole }), reached));
        }
    }
    steps.push(Step {
        name: step.name.clone(),
        ..goal.step.clone()
    });
    let last = found.tries.last()?;
    let reached = Reached {
        iterations: last.iterations,
        nodes: last.nodes,
    };
    let whole = true;
    Some((Remedy::Guides(Chain { steps, whole }), reached))
}
