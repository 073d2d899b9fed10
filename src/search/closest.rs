//! How much of a sketch a graph can satisfy at once.
//!
//! In: the parts of a sketch, a graph. Out: the most parts that some form of the program satisfies together,
//! and an order of the parts, perhaps another than the sketch's, in which it satisfies more of them: loops
//! that are there but not yet exchanged. Both grow part by part, from outside in and from inside out, and
//! several steps are asked at once. Invariant: what is returned is satisfied by the root. Not the maximum:
//! that would mean to ask every subset. Absent: terms.

use crate::egraph::{Class, View};
use crate::elab::Sketch;
use crate::sketch::{Parts, Question, Weaker};
use std::collections::BTreeSet;
use std::time::Instant;

/// Asks sketches of one class, as long as it may.
pub(super) struct Asker<'a> {
    view: &'a View,
    root: Class,
    params: u32,
    /// States times e-nodes that may still be looked at.
    left: u64,
    /// When nobody waits any more.
    until: Option<Instant>,
}

impl Asker<'_> {
    /// The class is that of programs with so many parameters.
    pub(super) fn new(
        view: &View,
        (root, params): (Class, u32),
        left: u64,
        until: Option<Instant>,
    ) -> Asker<'_> {
        Asker {
            view,
            root,
            params,
            left,
            until,
        }
    }

    /// Whether nobody waits any more.
    pub(super) fn late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Which of the sketches the root satisfies; `None` when that would be too much work, or nobody waits.
    pub(super) fn ask<'a>(
        &mut self,
        sketches: impl IntoIterator<Item = &'a Sketch>,
    ) -> Option<Vec<bool>> {
        let until = self.until;
        let may_continue = || until.is_none_or(|until| Instant::now() < until);
        if !may_continue() {
            return None;
        }
        let question = Question::new(sketches, self.params);
        let work = question.states() as u64 * self.view.node_count() as u64;
        self.left = self.left.checked_sub(work)?;
        question.ask_while(self.view, self.root, &may_continue)
    }
}

/// Parts that are looked at, outermost first: what is asked grows with their square.
const PARTS: usize = 40;

/// The most parts that the root satisfies together.
pub(super) fn closest(parts: &Parts, asker: &mut Asker) -> Weaker {
    let none = parts.weaker(&BTreeSet::new());
    let free: Vec<usize> = parts.free().into_iter().take(PARTS).collect();
    let alone: Vec<Weaker> = (free.iter())
        .map(|p| parts.weaker(&BTreeSet::from([*p])))
        .collect();
    let Some(has) = asker.ask(alone.iter().map(|w| &w.sketch)) else {
        return none;
    };
    let candidates = free.into_iter().zip(has).filter(|(_, has)| *has);
    let mut outward: Vec<usize> = candidates.map(|(p, _)| p).collect();
    let inward = grow(parts, &outward, asker);
    if inward.len() == outward.len() {
        return parts.weaker(&inward);
    }
    outward.reverse();
    let outward = grow(parts, &outward, asker);
    let (a, b) = (parts.weaker(&inward), parts.weaker(&outward));
    match b.kept.len() > a.kept.len() {
        true => b,
        false => a,
    }
}

/// Adds parts in order as long as the root satisfies all of them together.
fn grow(parts: &Parts, order: &[usize], asker: &mut Asker) -> BTreeSet<usize> {
    let mut kept = BTreeSet::new();
    let mut rest = order;
    while !rest.is_empty() {
        let mut more = kept.clone();
        let steps: Vec<BTreeSet<usize>> = (rest.iter())
            .map(|p| {
                more.insert(*p);
                more.clone()
            })
            .collect();
        let asked: Vec<Weaker> = steps.iter().map(|s| parts.weaker(s)).collect();
        let Some(has) = asker.ask(asked.iter().map(|w| &w.sketch)) else {
            break;
        };
        let fit = has.iter().take_while(|h| **h).count();
        if fit > 0 {
            kept = steps[fit - 1].clone();
        }
        rest = rest.get(fit + 1..).unwrap_or(&[]);
    }
    kept
}

/// The parts of the chain in other orders, if the root satisfies more of them so: first the one that is
/// found by putting each missing part where it fits, then those that are one move away from it.
pub(super) fn reordered(parts: &Parts, best: &Weaker, asker: &mut Asker) -> Vec<Weaker> {
    let mut chain = parts.chain();
    chain.truncate(PARTS);
    let (mut order, missing): (Vec<usize>, Vec<usize>) =
        chain.iter().partition(|p| best.kept.contains(p));
    let before = order.len();
    for part in missing {
        // What has no place inside stays innermost.
        let closed = |p: &usize| parts.list[*p].inside.is_empty();
        let end = order.len() - usize::from(order.last().is_some_and(closed));
        let places = match closed(&part) {
            true => order.len()..=end,
            false => 0..=end,
        };
        let tried: Vec<Vec<usize>> = places
            .map(|at| {
                let mut order = order.clone();
                order.insert(at, part);
                order
            })
            .collect();
        let Some(fits) = fit(parts, &tried, asker) else {
            return Vec::new();
        };
        if let Some(at) = fits.iter().position(|f| *f) {
            order.clone_from(&tried[at]);
        }
    }
    if order.len() == before {
        return Vec::new();
    }
    let open = (order
        .iter()
        .take_while(|p| !parts.list[**p].inside.is_empty()))
    .count();
    let moved = moves(&order, open);
    let fits = fit(parts, &moved, asker).unwrap_or_default();
    let near = moved.iter().zip(fits).filter(|(_, f)| *f).map(|(o, _)| o);
    let mut out: Vec<Weaker> = Vec::new();
    for order in std::iter::once(&order).chain(near) {
        let weaker = parts.nested(order);
        // Parts of the same words can change places.
        if out.iter().all(|w| w.text != weaker.text) {
            out.push(weaker);
        }
    }
    out
}

fn fit(parts: &Parts, orders: &[Vec<usize>], asker: &mut Asker) -> Option<Vec<bool>> {
    let asked: Vec<Weaker> = orders.iter().map(|o| parts.nested(o)).collect();
    asker.ask(asked.iter().map(|w| &w.sketch))
}

/// Every order in which one of the first parts has moved outwards.
fn moves(order: &[usize], first: usize) -> Vec<Vec<usize>> {
    let mut out = Vec::new();
    for from in 1..first {
        for to in 0..from {
            let mut moved = order.to_vec();
            let part = moved.remove(from);
            moved.insert(to, part);
            out.push(moved);
        }
    }
    out
}
