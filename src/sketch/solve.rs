//! Which classes satisfy which states.
//!
//! Satisfaction is a least fixpoint over pairs of a state and a class, reached
//! by sweeps over all nodes: a class carries the set of its states as bits, and
//! a node adds those that its children allow. Children mostly have smaller
//! numbers than their parents, so few sweeps suffice, and after the first one only nodes
//! are looked at of which a child has got a state since. What `contains` passes on
//! from any child costs one instruction for all such states together, and a way
//! that asks for a state which a node's child does not have costs nothing.

use super::automaton::{self, Alternative, Automaton, Inner, StateId, ANYTHING};
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

/// The ways for nodes of one kind.
#[derive(Default)]
struct Ways {
    all: Vec<Way>,
    /// Those that ask nothing of children.
    free: Vec<u32>,
    /// The others by the first child of which they ask something.
    keyed: [Keyed; 2],
}

/// Ways by the state that they ask of one child.
#[derive(Default)]
struct Keyed {
    /// Those of each state.
    by_state: Vec<Vec<u32>>,
    /// The states of which there are some, as bits.
    states: Vec<u64>,
}

impl Ways {
    fn new(all: Vec<Way>, states: usize) -> Ways {
        let keyed = || Keyed {
            by_state: vec![Vec::new(); states],
            states: vec![0; states.div_ceil(64)],
        };
        let mut ways = Ways {
            keyed: [keyed(), keyed()],
            ..Ways::default()
        };
        for (i, way) in all.iter().enumerate() {
            let mut asked = way.ask.children.iter().enumerate();
            match asked.find(|(_, s)| **s != ANYTHING) {
                Some((child, state)) => {
                    let keyed = &mut ways.keyed[child];
                    keyed.by_state[*state as usize].push(i as u32);
                    let (word, bit) = bit(*state);
                    keyed.states[word] |= bit;
                }
                None => ways.free.push(i as u32),
            }
        }
        ways.all = all;
        ways
    }
}

/// All states that a sketch leads to.
pub struct Plan {
    automaton: Automaton,
    /// By kind of node; those that pass a state on from one child are in `up`.
    ways: [Ways; 2],
    /// By kind: states that hold as soon as they hold for a child, as bits.
    up: [Vec<u64>; 2],
    /// By state, then kind, every alternative.
    by_state: Vec<[Vec<Alternative>; 2]>,
    /// The states of the leaves that were met so far.
    leaves: RefCell<FxHashMap<Node, Rc<[StateId]>>>,
    /// The same of leaves that only differ in their types: what they can satisfy.
    shapes: RefCell<FxHashMap<Shape, Rc<PossibleStates>>>,
}

type PossibleStates = [(StateId, Vec<automaton::Way>)];

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
            ways: ways.map(|all| Ways::new(all, by_state.len())),
            up,
            by_state,
            leaves: RefCell::default(),
            shapes: RefCell::default(),
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
            let mut shapes = self.shapes.borrow_mut();
            let possible = shapes.entry(alike.shape);
            let possible = possible.or_insert_with(|| self.automaton.ways_of_leaf(leaf).into());
            (possible.iter())
                .filter(|(_, ways)| self.automaton.takes_one(ways, leaf.ty))
                .map(|(state, _)| *state)
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
const LOOK_EVERY: Class = 1 << 10;

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
        let s = self;
        for c in 0..view.len() as Class {
            if c % LOOK_EVERY == 0 && !may_continue() {
                return false;
            }
            s.insert(ANYTHING, c);
            for leaf in view.nodes(c).iter().filter(|n| Inner::of(n).is_none()) {
                for state in plan.states_of_leaf(leaf).iter() {
                    s.insert(*state, c);
                }
            }
        }
        let mut sweep = Sweep {
            number: 1,
            changed: vec![0; view.len()],
            may_continue,
            ended: false,
        };
        while s.sweep(plan, view, &mut sweep) {
            sweep.number += 1;
        }
        !sweep.ended
    }

    /// Looks at nodes with a child that changed in this sweep or the one before; whether any class changed.
    fn sweep(&mut self, plan: &Plan, view: &View, sweep: &mut Sweep) -> bool {
        let mut any = false;
        for c in 0..view.len() as Class {
            if c % LOOK_EVERY == 0 && !(sweep.may_continue)() {
                sweep.ended = true;
                return false;
            }
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
                new_here |= self.take(plan, &plan.ways[kind as usize], c, node);
            }
            if new_here {
                any = true;
                sweep.changed[c as usize] = sweep.number;
            }
        }
        any
    }

    /// Adds the states of the ways that a node of a class takes; whether there is a new one.
    fn take(&mut self, plan: &Plan, ways: &Ways, c: Class, node: &Node) -> bool {
        let mut any = ways.free.iter().fold(false, |any, i| {
            self.take_one(plan, &ways.all[*i as usize], c, node) | any
        });
        for (child, keyed) in View::children(node).zip(&ways.keyed) {
            for word in 0..self.words {
                let mut left = self.word(child, word) & keyed.states[word];
                while left != 0 {
                    let state = word * 64 + left.trailing_zeros() as usize;
                    left &= left - 1;
                    for i in &keyed.by_state[state] {
                        any |= self.take_one(plan, &ways.all[*i as usize], c, node);
                    }
                }
            }
        }
        any
    }

    fn take_one(&mut self, plan: &Plan, way: &Way, c: Class, node: &Node) -> bool {
        let new = !self.has(way.state, c)
            && self.children_fit(&way.ask, node)
            && plan.automaton.allows(&way.ask, node.ty);
        if new {
            self.insert(way.state, c);
        }
        new
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
