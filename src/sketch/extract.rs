//! The cheapest term of a class that satisfies a state.
//!
//! From the root downwards, only pairs of a state and a class that some
//! satisfying term may use are looked at; their costs are lowered in sweeps,
//! inner states first, until nothing changes. A child is chosen by its position
//! in the node, never by its class: in `f x x` the two may have to become
//! different terms.

use super::automaton::{StateId, ANYTHING};
use super::solve::{Plan, Satisfied};
use crate::cost::{Cost, Model};
use crate::egraph::{Class, Node, Shape, View};
use crate::term::Term;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

const NONE: u64 = u64::MAX;

/// What of a graph an extraction looks at.
pub struct Bound {
    /// Classes that only larger terms of the root pass through are left out.
    pub size: u32,
    /// It gives up beyond so many pairs of a state and a class.
    pub pairs: usize,
}

/// How many pairs are looked at between two questions whether to go on.
const LOOK_EVERY: usize = 4096;

/// The cheapest term of `root` that satisfies the plan's start state; in a part of the graph `None` also if that is not
/// enough, and whenever `may_continue` says no.
pub fn within(
    plan: &Plan,
    view: &View,
    root: Class,
    cost: Cost,
    bound: Option<Bound>,
    may_continue: &dyn Fn() -> bool,
) -> Option<Term> {
    let satisfied = Satisfied::new(plan, view);
    if !satisfied.has(plan.start(), root) {
        return None;
    }
    let mut e = Extraction {
        plan,
        view,
        satisfied,
        cost: Model::new(cost),
        may_continue,
        plain: Vec::new(),
        wanted: FxHashMap::default(),
    };
    let near = bound.as_ref().map(|b| view.contexts(root, b.size));
    let most = bound.map_or(usize::MAX, |b| b.pairs);
    let pairs = e.demand(plan.start(), root, near.as_deref(), most)?;
    e.plain = e.plain_costs();
    while e.sweep(&pairs)? {}
    let term = e.term(plan.start(), root);
    // A number of loops beyond all counting: then the smallest term.
    match term {
        None if cost == Cost::Loops => within(plan, view, root, Cost::Size, None, may_continue),
        term => term,
    }
}

struct Extraction<'a> {
    plan: &'a Plan,
    view: &'a View,
    satisfied: Satisfied,
    cost: Model,
    may_continue: &'a dyn Fn() -> bool,
    /// By class the cost of its cheapest term when nothing is asked.
    plain: Vec<u64>,
    /// Costs of the pairs that a satisfying term may use.
    wanted: FxHashMap<(StateId, Class), u64>,
}

impl Extraction<'_> {
    fn get(&self, state: StateId, class: Class) -> u64 {
        match state {
            ANYTHING => self.plain[class as usize],
            _ => self.wanted.get(&(state, class)).copied().unwrap_or(NONE),
        }
    }

    /// Cheapest terms when nothing is asked.
    fn plain_costs(&self) -> Vec<u64> {
        let view = self.view;
        if self.cost.cost == Cost::Size {
            let sizes = (0..view.len() as Class).map(|c| u64::from(view.size(c)));
            return sizes.collect();
        }
        let mut costs = vec![NONE; view.len()];
        let mut queue = BinaryHeap::new();
        let lower = |costs: &mut Vec<u64>, queue: &mut BinaryHeap<_>, node: &Node, owner: Class| {
            let sum = self.sum(node, |_, c| costs[c as usize]);
            if sum < costs[owner as usize] {
                costs[owner as usize] = sum;
                queue.push(Reverse((sum, owner)));
            }
        };
        for c in 0..view.len() as Class {
            for node in view.nodes(c) {
                if View::children(node).next().is_none() {
                    lower(&mut costs, &mut queue, node, c);
                }
            }
        }
        while let Some(Reverse((cost, c))) = queue.pop() {
            if cost == costs[c as usize] {
                for &n in view.parents(c) {
                    lower(&mut costs, &mut queue, view.node(n), view.owner(n));
                }
            }
        }
        costs
    }

    /// The pairs that a satisfying term may use, deepest first.
    fn demand(
        &mut self,
        state: StateId,
        class: Class,
        near: Option<&[u32]>,
        most: usize,
    ) -> Option<Vec<(StateId, Class)>> {
        let mut pairs = Vec::new();
        let mut next = vec![(state, class)];
        let left_out = |c: Class| near.is_some_and(|n| n[c as usize] == u32::MAX);
        while let Some((state, class)) = next.pop() {
            if state == ANYTHING || self.wanted.insert((state, class), NONE).is_some() {
                continue;
            }
            pairs.push((state, class));
            let look = pairs.len() % LOOK_EVERY == 0;
            if pairs.len() > most || look && !(self.may_continue)() {
                return None;
            }
            for node in self.view.nodes(class) {
                if View::children(node).any(left_out) {
                    continue;
                }
                for ask in self.plan.alternatives(state, node) {
                    if self.satisfied.children_fit(ask, node) {
                        let children = View::children(node).zip(&ask.children);
                        next.extend(children.map(|(c, s)| (*s, c)));
                    }
                }
            }
        }
        pairs.reverse();
        Some(pairs)
    }

    /// What a node costs whose children cost so much, by their positions and classes.
    fn sum(&self, node: &Node, cost_of: impl Fn(usize, Class) -> u64) -> u64 {
        let own = self.cost.own(node);
        let children = View::children(node).enumerate();
        children.fold(own, |sum, (i, c)| {
            let times = match i {
                1 => self.cost.times(self.view.ty(c), node.ty),
                _ => 1,
            };
            sum.saturating_add(cost_of(i, c).saturating_mul(times))
        })
    }

    fn node_cost(&self, node: &Node, children: &[StateId]) -> u64 {
        self.sum(node, |i, c| self.get(children[i], c))
    }

    /// The cost of a node under a state: the cheapest of its alternatives.
    fn cost_under(&self, state: StateId, node: &Node) -> u64 {
        if View::children(node).next().is_none() {
            let accepted = self.plan.accepts_leaf(state, node);
            return if accepted { self.cost.own(node) } else { NONE };
        }
        let costs =
            (self.plan.alternatives(state, node)).map(|a| self.node_cost(node, &a.children));
        costs.min().unwrap_or(NONE)
    }

    /// Lowers the cost of every pair once; whether one changed.
    fn sweep(&mut self, pairs: &[(StateId, Class)]) -> Option<bool> {
        let mut changed = false;
        for (i, &(state, class)) in pairs.iter().enumerate() {
            if i % LOOK_EVERY == 0 && !(self.may_continue)() {
                return None;
            }
            let nodes = self.view.nodes(class).iter();
            let cost = nodes.map(|n| self.cost_under(state, n)).min();
            let cost = cost.unwrap_or(NONE);
            if let Some(old) = self.wanted.get_mut(&(state, class)) {
                changed |= cost < *old;
                *old = cost.min(*old);
            }
        }
        Some(changed)
    }

    /// The term whose cost is known: the first node and alternative that has it.
    fn term(&self, state: StateId, class: Class) -> Option<Term> {
        let cost = self.get(state, class);
        if cost == NONE {
            return None;
        }
        for node in self.view.nodes(class) {
            let ty = node.ty;
            match node.shape {
                Shape::App(_) | Shape::Lam(_) => {
                    let mut asks = self.plan.alternatives(state, node);
                    let Some(ask) = asks.find(|a| self.node_cost(node, &a.children) == cost) else {
                        continue;
                    };
                    let mut children = View::children(node)
                        .zip(&ask.children)
                        .map(|(c, s)| self.term(*s, c));
                    let first = children.next()??;
                    return match children.next() {
                        Some(second) => Some(Term::app(first, second?)),
                        None => Some(Term::lam(None, ty.as_fun()?.0, first)),
                    };
                }
                _ if self.cost.own(node) != cost || !self.plan.accepts_leaf(state, node) => {}
                Shape::Var(i) => return Some(Term::var(i, ty)),
                Shape::Prim(p) => return Some(Term::prim(p, ty)),
                Shape::Lit(l) => return Some(Term::lit(l.get(), ty)),
            }
        }
        None
    }
}
