//! Shorter chains.
//!
//! Comes in: a segment whose chain holds; goes out: a segment with a chain that holds,
//! leads to the same end, and is at most as long. Loops are dropped: where the
//! same whole term comes again, what lies between is left out. Then steps are
//! left out on trial: the rest is replayed by matching it again, what no longer
//! applies is left out too, and if the end is still reached the shorter chain is
//! kept. That removes detours, in which a step is undone some steps later.

use super::check::{at, put};
use super::instance::instance;
use super::{By, Segment, Step};
use crate::term::{normalize_program, Term};
use rustc_hash::FxHashMap;

/// Matches that may be tried in all.
const TRIES: usize = 40_000;

/// The shorter chain from `start`.
pub fn shorten(segment: &mut Segment, start: &Term) {
    let Some(mut terms) = without_loops(segment, start) else {
        return;
    };
    let mut tries = TRIES;
    let mut i = 0;
    while i < segment.steps.len() && tries > 0 {
        match without(segment, &terms, i, &mut tries) {
            Some(steps) if steps.len() < segment.steps.len() => {
                segment.steps = steps;
                match without_loops(segment, start) {
                    Some(shorter) => terms = shorter,
                    None => return,
                }
                i = i.saturating_sub(1);
            }
            _ => i += 1,
        }
    }
}

/// Drops loops; the whole terms before each step that is left, and after the last.
fn without_loops(segment: &mut Segment, start: &Term) -> Option<Vec<Term>> {
    let mut terms = vec![start.clone()];
    for step in &segment.steps {
        let next = put(&terms[terms.len() - 1], &step.at, &step.to)?;
        terms.push(next);
    }
    let mut last = FxHashMap::default();
    for (i, t) in terms.iter().enumerate() {
        last.insert(t, i);
    }
    let (mut steps, mut kept) = (Vec::new(), Vec::new());
    let mut i = last[&terms[0]];
    while i < segment.steps.len() {
        steps.push(segment.steps[i].clone());
        kept.push(terms[i].clone());
        i = last[&terms[i + 1]];
    }
    kept.push(terms[i].clone());
    segment.steps = steps;
    Some(kept)
}

/// The chain without its step `skipped` and without those that then do not apply; `terms` are those before and after its
/// steps.
fn without(
    segment: &Segment,
    terms: &[Term],
    skipped: usize,
    tries: &mut usize,
) -> Option<Vec<Step>> {
    let mut now = terms[skipped].clone();
    let mut steps = segment.steps[..skipped].to_vec();
    for (i, step) in segment.steps.iter().enumerate().skip(skipped + 1) {
        if now == terms[i] {
            // Nothing is different any more.
            steps.extend(segment.steps[i..].iter().cloned());
            return Some(steps);
        }
        *tries = tries.checked_sub(1)?;
        if let Some(again) = again(segment, step, &now) {
            now = put(&now, &step.at, &again.to)?;
            steps.push(again);
        }
    }
    (now == segment.end).then_some(steps)
}

/// The same step in another term.
fn again(segment: &Segment, step: &Step, now: &Term) -> Option<Step> {
    let here = at(now, &step.at)?;
    if *here == step.from {
        return Some(step.clone());
    }
    let to = match &step.by {
        By::Rule(number, computed) if !step.back && computed.is_empty() => {
            let used = &segment.rules[*number];
            let made = instance(&used.rule, &used.args, here, &[], segment.reassociate);
            made.ok()?.to
        }
        By::Beta => match here.kind() {
            crate::term::Kind::App(f, x) => match f.kind() {
                crate::term::Kind::Lam(_, b) if !step.back => b.instantiate(x),
                _ => return None,
            },
            _ => return None,
        },
        By::Eta if !step.back => match here.kind() {
            crate::term::Kind::Lam(_, b) => match b.kind() {
                crate::term::Kind::App(f, x)
                    if matches!(x.kind(), crate::term::Kind::Var(0)) && !f.mentions(0) =>
                {
                    f.shift(-1)
                }
                _ => return None,
            },
            _ => return None,
        },
        By::Normal => normalize_program(here),
        _ => return None,
    };
    Some(Step {
        from: here.clone(),
        to,
        bound: None,
        ..step.clone()
    })
}
