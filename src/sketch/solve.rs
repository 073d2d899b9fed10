//! Which classes satisfy which states.
//!
//! Satisfaction is a least fixpoint over pairs of a state and a class, reached
//! by sweeps over all nodes: a class carries the set of its states as bits, and
//! a node adds those that its children allow. Children mostly have smaller
//! numbers than their parents, so few sweeps suffice, and after the first one only nodes
//! are looked at of which a child has got a state since. What `contains` passes on
//! from any child costs one instruction for all such states together, and a way
//! that asks for a state which no class has yet costs nothing.

use super::automaton::{Alternative, Automaton, Inner, StateId, ANYTHING};
use crate::egraph::{Class, Node, Shape, View};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// One way to satisfy a state, for nodes of one kind.
pub struct Way {
    /// The state.
    pub state: StateId,
    /// What it asks of the children and of the node's type.
    pub ask: Alternative,
}

/// All states that a sketch leads to.
pub struct Plan {
    automaton: Automaton,
    /// By kind of node; those that pass a state on from one child are in `up`.
    ways: [Vec<Way>; 2],
    /// By kind: states that hold as soon as they hold for a child, as bits.
    up: [Vec<u64>; 2],
    /// By state, then kind, every alternative.
    by_state: Vec<[Vec<Alternative>; 2]>,
    /// The states of the leaves that were met so far.
    leaves: RefCell<FxHashMap<Node, Rc<[StateId]>>>,
}

const KINDS: [Inner; 2] = [Inner::Lam, Inner::App];

fn bit(state: StateId) -> (usize, u64) {
    (state as usize / 64, 1 << (state % 64))
}

impl Plan {
    /// Follows an automaton's states from those it knows.
    pub fn new(mut automaton: Automaton) -> Plan {
        let mut by_state: Vec<[Vec<Alternative>; 2]> = Vec::new();
        while by_state.len() < automaton.states() {
            let state = by_state.len() as StateId;
            by_state.push(KINDS.map(|k| automaton.alternatives(state, k)));
        }
        let words = by_state.len().div_ceil(64);
        let mut ways = [Vec::new(), Vec::new()];
        let mut up = [vec![0; words], vec![0; words]];
        for (state, kinds) in by_state.iter().enumerate().skip(1) {
            let state = state as StateId;
            for (kind, asks) in kinds.iter().enumerate() {
                let passes = |child: usize| {
                    let mut children = Alternative::anything().children;
                    children.truncate(kind + 1);
                    children[child] = state;
                    asks.iter()
                        .any(|a| a.children == children && a.is_unguarded())
                };
                let all = (0..=kind).all(passes);
                if all {
                    let (word, bit) = bit(state);
                    up[kind][word] |= bit;
                }
                for ask in asks {
                    if !(all && ask.children.contains(&state)) {
                        let ask = ask.clone();
                        ways[kind].push(Way { state, ask });
                    }
                }
            }
        }
        Plan {
            automaton,
            ways,
            up,
            by_state,
            leaves: RefCell::default(),
        }
    }

    /// The state of the whole sketch.
    pub fn start(&self) -> StateId {
        self.automaton.start
    }

    /// Number of states; they are `0..len`.
    pub fn states(&self) -> usize {
        self.by_state.len()
    }

    /// In which ways a node can satisfy a state, types looked at, children not.
    pub fn alternatives<'a>(
        &'a self,
        state: StateId,
        node: &'a Node,
    ) -> impl Iterator<Item = &'a Alternative> {
        let asks = match Inner::of(node) {
            Some(kind) => &self.by_state[state as usize][kind as usize][..],
            None => &[],
        };
        asks.iter().filter(|a| self.automaton.allows(a, node.ty))
    }

    /// Whether a leaf satisfies a state.
    pub fn accepts_leaf(&self, state: StateId, node: &Node) -> bool {
        self.automaton.accepts_leaf(state, node)
    }

    /// The states that a leaf satisfies; each is looked at once, as pictures of one graph have the same leaves.
    fn states_of_leaf(&self, leaf: &Node) -> Rc<[StateId]> {
        // No sketch names a variable: those of one type are alike.
        let alike = match leaf.shape {
            Shape::Var(_) => Node::new(Shape::Var(0), leaf.ty),
            _ => *leaf,
        };
        let mut leaves = self.leaves.borrow_mut();
        let states = leaves.entry(alike).or_insert_with(|| {
            let all = 1..self.states() as StateId;
            all.filter(|state| self.accepts_leaf(*state, leaf))
                .collect()
        });
        states.clone()
    }
}

/// The satisfied pairs of one view.
pub struct Satisfied {
    /// For each class its states as bits, `words` numbers each.
    bits: Vec<u64>,
    words: usize,
}

/// The ways that ask for nothing but what some class has, by kind of node.
struct Live {
    anywhere: Vec<u64>,
    ways: [Vec<u32>; 2],
    /// Whether a state has come up for the first time since the ways were listed.
    stale: bool,
}

impl Live {
    fn see(&mut self, word: usize, bits: u64) {
        self.stale |= bits & !self.anywhere[word] != 0;
        self.anywhere[word] |= bits;
    }

    fn list(&mut self, plan: &Plan) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        for (kind, out) in self.ways.iter_mut().enumerate() {
            let has = |s: &StateId| {
                let (word, bit) = bit(*s);
                self.anywhere[word] & bit != 0
            };
            out.clear();
            let ways = plan.ways[kind].iter().enumerate();
            out.extend(
                ways.filter(|(_, w)| w.ask.children.iter().all(has))
                    .map(|(i, _)| i as u32),
            );
        }
    }
}

/// One look at all nodes.
struct Sweep<'a> {
    number: u32,
    /// The last one in which each class got a state.
    changed: Vec<u32>,
    may_continue: &'a dyn Fn() -> bool,
    /// Whether that said no.
    ended: bool,
}

/// How many classes go by until it is asked whether to go on.
const LOOK_EVERY: Class = 1 << 12;

impl Satisfied {
    /// Solves a plan in a view.
    pub fn new(plan: &Plan, view: &View) -> Satisfied {
        let mut s = Satisfied::empty(plan, view);
        s.solve(plan, view, &|| true);
        s
    }

    /// The same; nothing when `may_continue` says no first.
    pub fn new_while(
        plan: &Plan,
        view: &View,
        may_continue: &dyn Fn() -> bool,
    ) -> Option<Satisfied> {
        let mut s = Satisfied::empty(plan, view);
        s.solve(plan, view, may_continue).then_some(s)
    }

    fn empty(plan: &Plan, view: &View) -> Satisfied {
        let words = plan.states().div_ceil(64);
        Satisfied {
            bits: vec![0; words * view.len()],
            words,
        }
    }

    /// Whether it came to the end.
    fn solve(&mut self, plan: &Plan, view: &View, may_continue: &dyn Fn() -> bool) -> bool {
        let words = self.words;
        let s = self;
        let mut live = Live {
            anywhere: vec![0; words],
            ways: Default::default(),
            stale: true,
        };
        for c in 0..view.len() as Class {
            s.insert(ANYTHING, c);
            for leaf in view.nodes(c).iter().filter(|n| Inner::of(n).is_none()) {
                for state in plan.states_of_leaf(leaf).iter() {
                    s.insert(*state, c);
                }
            }
        }
        for (i, bits) in s.bits.iter().enumerate() {
            live.see(i % words, *bits);
        }
        let mut sweep = Sweep {
            number: 1,
            changed: vec![0; view.len()],
            may_continue,
            ended: false,
        };
        while s.sweep(plan, view, &mut live, &mut sweep) {
            sweep.number += 1;
        }
        !sweep.ended
    }

    /// Looks at nodes with a child that changed in this sweep or the one before; whether any class changed.
    fn sweep(&mut self, plan: &Plan, view: &View, live: &mut Live, sweep: &mut Sweep) -> bool {
        let mut any = false;
        for c in 0..view.len() as Class {
            if c % LOOK_EVERY == 0 && !(sweep.may_continue)() {
                sweep.ended = true;
                return false;
            }
            live.list(plan);
            let mut new_here = false;
            for node in view.nodes(c) {
                let Some(kind) = Inner::of(node) else {
                    continue;
                };
                if View::children(node).all(|k| sweep.changed[k as usize] + 1 < sweep.number) {
                    continue;
                }
                for word in 0..self.words {
                    let below = View::children(node).fold(0, |m, k| m | self.word(k, word));
                    let new = below & plan.up[kind as usize][word] & !self.word(c, word);
                    if new != 0 {
                        self.bits[c as usize * self.words + word] |= new;
                        new_here = true;
                    }
                }
                for i in &live.ways[kind as usize] {
                    let way = &plan.ways[kind as usize][*i as usize];
                    if !self.has(way.state, c)
                        && self.children_fit(&way.ask, node)
                        && plan.automaton.allows(&way.ask, node.ty)
                    {
                        self.insert(way.state, c);
                        new_here = true;
                    }
                }
            }
            if new_here {
                any = true;
                sweep.changed[c as usize] = sweep.number;
                for word in 0..self.words {
                    live.see(word, self.word(c, word));
                }
            }
        }
        any
    }

    fn word(&self, c: Class, word: usize) -> u64 {
        self.bits[c as usize * self.words + word]
    }

    fn insert(&mut self, state: StateId, c: Class) {
        let (word, bit) = bit(state);
        self.bits[c as usize * self.words + word] |= bit;
    }

    /// Whether the children of a node satisfy an alternative.
    pub fn children_fit(&self, ask: &Alternative, node: &Node) -> bool {
        View::children(node)
            .zip(&ask.children)
            .all(|(c, s)| self.has(*s, c))
    }

    /// Whether a class satisfies a state.
    pub fn has(&self, state: StateId, c: Class) -> bool {
        let (word, bit) = bit(state);
        self.word(c, word) & bit != 0
    }

    /// What all classes together satisfy, as one class with the number 0.
    pub fn anywhere(&self) -> Satisfied {
        let mut bits = vec![0; self.words];
        for class in self.bits.chunks(self.words.max(1)) {
            for (all, word) in bits.iter_mut().zip(class) {
                *all |= word;
            }
        }
        Satisfied {
            bits,
            words: self.words,
        }
    }

    /// How many classes satisfy a state.
    pub fn count(&self, state: StateId, view: &View) -> usize {
        (0..view.len() as Class)
            .filter(|c| self.has(state, *c))
            .count()
    }
}
