//! The cheapest term of a class that satisfies a state.
//!
//! From the root downwards, only pairs of a state and a class that some
//! satisfying term may use are looked at; their costs are lowered in sweeps,
//! inner states first, until nothing changes. A child is chosen by its position
//! in the node, never by its class: in `f x x` the two may have to become
//! different terms. Invariant: every variable of what is extracted has the type
//! of its binder, see Note [Variables in scope].
//!
//! Note [Variables in scope]: a class may hold a term with a variable of somewhere else, as `(\_ -> c) %0` is c wherever c
//! stands (Note [Variables of other binders] in `egraph`). Under other binders such a term is none. Most graphs have
//! no such nodes where anything is asked of them, so scopes are looked at only if what was extracted without them is not
//! well scoped: then pairs become triples with the types of the variables that may occur in the class.

use super::automaton::{Alternative, StateId, ANYTHING};
use super::scope::{ScopeId, Scopes, OUTSIDE};
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

/// A state that a class has to satisfy in a scope.
type Asked = (StateId, Class, ScopeId);

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
    let near = bound.as_ref().map(|b| view.contexts(root, b.size));
    let mut e = Extraction {
        plan,
        view,
        satisfied,
        cost: Model::new(cost),
        may_continue,
        near,
        most: bound.map_or(usize::MAX, |b| b.pairs),
        plain: Vec::new(),
        scopes: None,
        wanted: FxHashMap::default(),
    };
    let mut term = e.cheapest(root)?;
    if term
        .as_ref()
        .is_some_and(|t| !t.is_well_scoped(&mut |_, _| false))
    {
        e.scopes = Some(Scopes::new(view));
        term = e.cheapest(root)?;
    }
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
    /// What of the graph is looked at, as [`View::contexts`] says it.
    near: Option<Vec<u32>>,
    /// How many pairs are looked at.
    most: usize,
    /// By class the cost of its cheapest term when nothing is asked.
    plain: Vec<u64>,
    /// If scopes are looked at, those met so far; the pairs without them have one scope.
    scopes: Option<Scopes<'a>>,
    /// Costs of the pairs that a satisfying term may use.
    wanted: FxHashMap<Asked, u64>,
}

impl Extraction<'_> {
    /// The cheapest term that satisfies the plan's start state, if there is one; `None` if it is not sought to the end.
    fn cheapest(&mut self, root: Class) -> Option<Option<Term>> {
        let start = (self.plan.start(), root, OUTSIDE);
        self.wanted.clear();
        let asked = self.demand(start)?;
        if self.scopes.is_none() {
            self.plain = self.plain_costs();
        }
        while self.sweep(&asked)? {}
        Some(self.term(start))
    }

    /// Whether nothing is asked, so that the cost is known by class.
    fn is_plain(&self, state: StateId) -> bool {
        state == ANYTHING && self.scopes.is_none()
    }

    fn get(&self, asked: Asked) -> u64 {
        match self.is_plain(asked.0) {
            true => self.plain[asked.1 as usize],
            false => self.wanted.get(&asked).copied().unwrap_or(NONE),
        }
    }

    /// What an alternative asks of the children of a node that stands in a scope.
    fn below<'a>(
        &'a self,
        node: &'a Node,
        ask: &'a Alternative,
        scope: ScopeId,
    ) -> impl Iterator<Item = Asked> + 'a {
        let children = View::children(node).zip(&ask.children);
        children.map(move |(c, s)| {
            let inside = |scopes: &Scopes| scopes.inside(scope, node, c);
            (*s, c, self.scopes.as_ref().map_or(scope, inside))
        })
    }

    /// Whether a leaf satisfies a state in a scope.
    fn accepts_leaf(&self, state: StateId, node: &Node, scope: ScopeId) -> bool {
        let stands = |scopes: &Scopes| scopes.has(scope, node);
        self.scopes.as_ref().is_none_or(stands) && self.plan.accepts_leaf(state, node)
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
            let sum = self.sum(node, |c| costs[c as usize]);
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
    fn demand(&mut self, start: Asked) -> Option<Vec<Asked>> {
        let mut pairs = Vec::new();
        let mut next = vec![start];
        while let Some(asked) = next.pop() {
            let (state, class, scope) = asked;
            if self.is_plain(state) || self.wanted.insert(asked, NONE).is_some() {
                continue;
            }
            pairs.push(asked);
            let look = pairs.len() % LOOK_EVERY == 0;
            if pairs.len() > self.most || look && !(self.may_continue)() {
                return None;
            }
            let far = |c: Class| (self.near.as_ref()).is_some_and(|n| n[c as usize] == u32::MAX);
            for node in self.view.nodes(class) {
                if View::children(node).any(far) {
                    continue;
                }
                for ask in self.plan.alternatives(state, node) {
                    if self.satisfied.children_fit(ask, node) {
                        next.extend(self.below(node, ask, scope));
                    }
                }
            }
        }
        pairs.reverse();
        Some(pairs)
    }

    /// What a node costs whose children, asked for in their order, cost so much.
    fn sum(&self, node: &Node, mut cost_of: impl FnMut(Class) -> u64) -> u64 {
        let own = self.cost.own(node);
        let children = View::children(node).enumerate();
        children.fold(own, |sum, (i, c)| {
            let times = match i {
                1 => self.cost.times(self.view.ty(c), node.ty),
                _ => 1,
            };
            sum.saturating_add(cost_of(c).saturating_mul(times))
        })
    }

    fn node_cost(&self, node: &Node, ask: &Alternative, scope: ScopeId) -> u64 {
        let mut below = self.below(node, ask, scope);
        self.sum(node, |_| below.next().map_or(NONE, |b| self.get(b)))
    }

    /// The cost of a node under a state: the cheapest of its alternatives.
    fn cost_under(&self, state: StateId, node: &Node, scope: ScopeId) -> u64 {
        if View::children(node).next().is_none() {
            let accepted = self.accepts_leaf(state, node, scope);
            return if accepted { self.cost.own(node) } else { NONE };
        }
        let costs = (self.plan.alternatives(state, node)).map(|a| self.node_cost(node, a, scope));
        costs.min().unwrap_or(NONE)
    }

    /// Lowers the cost of every pair once; whether one changed.
    fn sweep(&mut self, pairs: &[Asked]) -> Option<bool> {
        let mut changed = false;
        for (i, asked) in pairs.iter().enumerate() {
            if i % LOOK_EVERY == 0 && !(self.may_continue)() {
                return None;
            }
            let (state, class, scope) = *asked;
            let nodes = self.view.nodes(class).iter();
            let cost = nodes.map(|n| self.cost_under(state, n, scope)).min();
            let cost = cost.unwrap_or(NONE);
            if let Some(old) = self.wanted.get_mut(asked) {
                changed |= cost < *old;
                *old = cost.min(*old);
            }
        }
        Some(changed)
    }

    /// The term whose cost is known: the first node and alternative that has it.
    fn term(&self, asked: Asked) -> Option<Term> {
        let cost = self.get(asked);
        if cost == NONE {
            return None;
        }
        let (state, class, scope) = asked;
        for node in self.view.nodes(class) {
            let ty = node.ty;
            match node.shape {
                Shape::App(_) | Shape::Lam(_) => {
                    let mut asks = self.plan.alternatives(state, node);
                    let Some(ask) = asks.find(|a| self.node_cost(node, a, scope) == cost) else {
                        continue;
                    };
                    let mut children = self.below(node, ask, scope).map(|b| self.term(b));
                    let first = children.next()??;
                    return match children.next() {
                        Some(second) => Some(Term::app(first, second?)),
                        None => Some(Term::lam(None, ty.as_fun()?.0, first)),
                    };
                }
                _ if self.cost.own(node) != cost || !self.accepts_leaf(state, node, scope) => {}
                Shape::Var(i) => return Some(Term::var(i, ty)),
                Shape::Prim(p) => return Some(Term::prim(p, ty)),
                Shape::Lit(l) => return Some(Term::lit(l.get(), ty)),
            }
        }
        None
    }
}
