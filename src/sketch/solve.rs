//! Which classes satisfy a state, and the cheapest terms that do.
//!
//! Satisfaction is a least fixpoint over pairs of a state and a class, grown
//! from the leaves: whenever a class satisfies a state, the nodes above it are
//! asked again. Extraction is the same growth in the order of cost (Knuth's
//! generalisation of Dijkstra), so it ends as soon as the root has its cheapest
//! term. A child is chosen by its position in the node, never by its class: in
//! `f x x` the two may have to become different terms.

use super::automaton::{Alternative, Automaton, Inner, StateId, ANYTHING};
use crate::cost::Cost;
use crate::egraph::{Class, Node, Shape, View};
use crate::term::Term;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A set of classes.
#[derive(Clone, Debug, Default)]
struct Classes {
    bits: Vec<u64>,
    count: usize,
}

impl Classes {
    fn new(len: usize) -> Classes {
        Classes {
            bits: vec![0; len.div_ceil(64)],
            count: 0,
        }
    }

    fn has(&self, c: Class) -> bool {
        self.bits[c as usize / 64] >> (c % 64) & 1 != 0
    }

    fn insert(&mut self, c: Class) -> bool {
        let new = !self.has(c);
        self.bits[c as usize / 64] |= 1 << (c % 64);
        self.count += usize::from(new);
        new
    }
}

/// One place where a state is asked of a child.
#[derive(Copy, Clone, Debug)]
struct Use {
    state: StateId,
    kind: Inner,
    alternative: usize,
    position: usize,
}

/// All states that a sketch leads to, with who asks for them.
pub struct Plan {
    automaton: Automaton,
    /// Alternatives by state and kind of node.
    ways: Vec<[Vec<Alternative>; 2]>,
    uses: Vec<Vec<Use>>,
}

impl Plan {
    /// Follows an automaton's states from those it knows.
    pub fn new(mut automaton: Automaton) -> Plan {
        let mut ways: Vec<[Vec<Alternative>; 2]> = Vec::new();
        while ways.len() < automaton.len() {
            let state = ways.len() as StateId;
            ways.push([Inner::Lam, Inner::App].map(|k| automaton.alternatives(state, k)));
        }
        let mut uses = vec![Vec::new(); ways.len()];
        for (state, kinds) in ways.iter().enumerate().skip(1) {
            for (kind, alternatives) in [Inner::Lam, Inner::App].into_iter().zip(kinds) {
                for (i, a) in alternatives.iter().enumerate() {
                    for (position, child) in a.children.iter().enumerate() {
                        uses[*child as usize].push(Use {
                            state: state as StateId,
                            kind,
                            alternative: i,
                            position,
                        });
                    }
                }
            }
        }
        Plan {
            automaton,
            ways,
            uses,
        }
    }

    /// The state of the whole sketch.
    pub fn start(&self) -> StateId {
        self.automaton.start
    }

    fn alternatives(&self, state: StateId, kind: Inner) -> &[Alternative] {
        &self.ways[state as usize][kind as usize]
    }

    /// Calls `f` for every state and class that a leaf satisfies, and for every
    /// one that some node satisfies without asking anything of its children.
    fn seeds(&self, view: &View, f: &mut dyn FnMut(StateId, Class, &Node)) {
        let states = 1..self.ways.len() as StateId;
        let careless: Vec<(StateId, Inner, &Alternative)> = states
            .clone()
            .flat_map(|s| [Inner::Lam, Inner::App].map(|k| (s, k)))
            .flat_map(|(s, k)| self.alternatives(s, k).iter().map(move |a| (s, k, a)))
            .filter(|(_, _, a)| a.children.iter().all(|c| *c == ANYTHING))
            .collect();
        for c in 0..view.len() as Class {
            for node in view.nodes(c) {
                match Inner::of(node) {
                    None => {
                        for s in states.clone() {
                            if self.automaton.accepts_leaf(s, node) {
                                f(s, c, node);
                            }
                        }
                    }
                    Some(kind) => {
                        for (s, k, a) in &careless {
                            if *k == kind && self.automaton.allows(a, node.ty) {
                                f(*s, c, node);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Calls `f` for every node above a class that may satisfy a state now that
    /// the class satisfies `state`.
    fn above(
        &self,
        view: &View,
        state: StateId,
        class: Class,
        f: &mut dyn FnMut(StateId, &Alternative, &Node, Class),
    ) {
        let uses = &self.uses[state as usize];
        if uses.is_empty() {
            return;
        }
        for &n in view.parents(class) {
            let node = view.node(n);
            for u in uses {
                if Inner::of(node) != Some(u.kind)
                    || View::children(node).nth(u.position) != Some(class)
                {
                    continue;
                }
                let a = &self.alternatives(u.state, u.kind)[u.alternative];
                if self.automaton.allows(a, node.ty) {
                    f(u.state, a, node, view.owner(n));
                }
            }
        }
    }
}

/// The satisfied pairs of one view.
pub struct Satisfied {
    states: Vec<Classes>,
}

impl Satisfied {
    /// Solves a plan in a view.
    pub fn new(plan: &Plan, view: &View) -> Satisfied {
        let mut states = vec![Classes::new(view.len()); plan.ways.len()];
        let mut queue = Vec::new();
        plan.seeds(view, &mut |s, c, _| {
            if states[s as usize].insert(c) {
                queue.push((s, c));
            }
        });
        while let Some((state, class)) = queue.pop() {
            plan.above(view, state, class, &mut |s, a, node, owner| {
                let holds = |(child, q): (Class, &StateId)| {
                    *q == ANYTHING || states[*q as usize].has(child)
                };
                if !states[s as usize].has(owner)
                    && View::children(node).zip(&a.children).all(holds)
                {
                    states[s as usize].insert(owner);
                    queue.push((s, owner));
                }
            });
        }
        Satisfied { states }
    }

    /// Whether a class satisfies a state.
    pub fn has(&self, state: StateId, class: Class) -> bool {
        state == ANYTHING || self.states[state as usize].has(class)
    }

    /// How many classes satisfy a state.
    pub fn count(&self, state: StateId, view: &View) -> usize {
        if state == ANYTHING {
            return view.len();
        }
        self.states[state as usize].count
    }
}

const NONE: u32 = u32::MAX;

/// Costs of the cheapest terms.
struct Cheapest<'a> {
    plan: &'a Plan,
    view: &'a View,
    cost: Cost,
    /// By state, then class; [`NONE`] where not known.
    costs: Vec<Vec<u32>>,
}

/// The cheapest term of `root` that satisfies the plan's start state.
pub fn extract(plan: &Plan, view: &View, root: Class, cost: Cost) -> Option<Term> {
    let mut tables = Cheapest {
        plan,
        view,
        cost,
        costs: vec![Vec::new(); plan.ways.len()],
    };
    tables.costs[ANYTHING as usize] = tables.anything();
    tables.grow(plan.start(), root);
    tables.term(plan.start(), root)
}

impl Cheapest<'_> {
    fn get(&self, state: StateId, class: Class) -> u32 {
        let table = &self.costs[state as usize];
        table.get(class as usize).copied().unwrap_or(NONE)
    }

    fn lower(&mut self, state: StateId, class: Class, cost: u32) -> bool {
        let len = self.view.len();
        let table = &mut self.costs[state as usize];
        if table.is_empty() {
            table.resize(len, NONE);
        }
        let old = &mut table[class as usize];
        let better = cost < *old;
        *old = cost.min(*old);
        better
    }

    fn node_cost(&self, node: &Node, children: &[StateId]) -> u32 {
        let own = self.cost.own(node);
        View::children(node)
            .zip(children)
            .fold(own, |sum, (c, s)| sum.saturating_add(self.get(*s, c)))
    }

    /// Cheapest terms when nothing is asked.
    fn anything(&self) -> Vec<u32> {
        let view = self.view;
        if self.cost == Cost::Size {
            return (0..view.len() as Class).map(|c| view.size(c)).collect();
        }
        let mut costs = vec![NONE; view.len()];
        let mut queue = BinaryHeap::new();
        let relax = |costs: &mut Vec<u32>, queue: &mut BinaryHeap<_>, node: &Node, owner: Class| {
            let own = self.cost.own(node);
            let sum = View::children(node).fold(own, |s, c| s.saturating_add(costs[c as usize]));
            if sum < costs[owner as usize] {
                costs[owner as usize] = sum;
                queue.push(Reverse((sum, owner)));
            }
        };
        for c in 0..view.len() as Class {
            for node in view.nodes(c).iter().filter(|n| Inner::of(n).is_none()) {
                relax(&mut costs, &mut queue, node, c);
            }
        }
        while let Some(Reverse((cost, c))) = queue.pop() {
            if cost == costs[c as usize] {
                for &n in view.parents(c) {
                    relax(&mut costs, &mut queue, view.node(n), view.owner(n));
                }
            }
        }
        costs
    }

    /// Settles pairs in the order of cost until the goal is settled.
    fn grow(&mut self, goal: StateId, root: Class) {
        let (plan, view) = (self.plan, self.view);
        let mut queue = BinaryHeap::new();
        let nothing = [ANYTHING; 2];
        plan.seeds(view, &mut |s, c, node| {
            let cost = self.node_cost(node, &nothing);
            if self.lower(s, c, cost) {
                queue.push(Reverse((cost, s, c)));
            }
        });
        while let Some(Reverse((cost, state, class))) = queue.pop() {
            if (state, class) == (goal, root) {
                return;
            }
            if cost != self.get(state, class) {
                continue;
            }
            plan.above(view, state, class, &mut |s, a, node, owner| {
                let cost = self.node_cost(node, &a.children);
                if cost != NONE && self.lower(s, owner, cost) {
                    queue.push(Reverse((cost, s, owner)));
                }
            });
        }
    }

    /// The term whose cost the tables hold: the first node and alternative that
    /// has it.
    fn term(&self, state: StateId, class: Class) -> Option<Term> {
        let cost = self.get(state, class);
        if cost == NONE {
            return None;
        }
        let nothing = Alternative::anything();
        for node in self.view.nodes(class) {
            let Some(kind) = Inner::of(node) else {
                let accepted = state == ANYTHING || self.plan.automaton.accepts_leaf(state, node);
                if accepted && self.cost.own(node) == cost {
                    return Some(match node.shape {
                        Shape::Var(i) => Term::var(i, node.ty),
                        Shape::Prim(p) => Term::prim(p, node.ty),
                        Shape::Lit(l) => Term::lit(l.get(), node.ty),
                        Shape::App(_) | Shape::Lam(_) => unreachable!("no leaf"),
                    });
                }
                continue;
            };
            let alternatives = match state {
                ANYTHING => std::slice::from_ref(&nothing),
                _ => self.plan.alternatives(state, kind),
            };
            for a in alternatives {
                if !self.plan.automaton.allows(a, node.ty)
                    || self.node_cost(node, &a.children) != cost
                {
                    continue;
                }
                let mut children = View::children(node)
                    .zip(&a.children)
                    .map(|(c, s)| self.term(*s, c));
                return match kind {
                    Inner::App => Some(Term::app(children.next()??, children.next()??)),
                    Inner::Lam => {
                        let (arg, _) = node.ty.as_fun()?;
                        Some(Term::lam(None, arg, children.next()??))
                    }
                };
            }
        }
        None
    }
}
