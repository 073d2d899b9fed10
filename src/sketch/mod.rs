//! Sketches: which terms of an e-graph look as the programmer asked.
//!
//! Comes in: an elaborated sketch and a view of the graph; goes out: whether a
//! class satisfies it, how far the graph is from it, how many classes satisfy each
//! part, and the cheapest term that does. Invariant: what [`Goal::extract`] returns,
//! [`Goal::accepts`] accepts (checked after every extraction in debug builds), and its variables are those of its
//! binders. A class may satisfy a sketch, and yet no such term of it does.
//! Absent: limits, names.

mod automaton;
mod extract;
mod forms;
mod parts;
mod scope;
mod solve;
mod written;

pub use parts::{Part, Parts, Weaker};

use crate::cost::Cost;
use crate::egraph::{Class, Graph, Heads, View};
use crate::elab::Sketch;
use crate::term::Term;
use automaton::{Automaton, StateId};
use solve::Satisfied;

/// A sketch, ready to be asked.
pub struct Goal {
    plan: solve::Plan,
    parts: Parts,
    /// Of each part.
    states: Vec<StateId>,
    params: u32,
}

/// The parts of a sketch that classes satisfy.
pub struct Marks<'a> {
    states: &'a [StateId],
    satisfied: Satisfied,
}

impl Marks<'_> {
    /// Those of a class, by their numbers.
    pub fn of(&self, class: Class) -> impl Iterator<Item = usize> + '_ {
        (0..self.states.len()).filter(move |i| self.satisfied.has(self.states[*i], class))
    }
}

/// How far a graph has come towards a sketch. A sketch is satisfied from inside
/// out, so that the part that holds most others tells how far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// Parts of the sketch.
    pub parts: usize,
    /// Of them, those that some class satisfies.
    pub satisfied: usize,
    /// The words of the satisfied part that holds most other parts.
    pub largest: Option<String>,
}

/// Several sketches that are asked together: one pass over a graph answers for all.
pub struct Question {
    plan: solve::Plan,
    states: Vec<StateId>,
}

impl Question {
    /// Prepares sketches of programs with so many parameters.
    pub fn new<'a>(sketches: impl IntoIterator<Item = &'a Sketch>, params: u32) -> Question {
        let mut automaton = Automaton::new();
        let states = (sketches.into_iter())
            .map(|s| automaton.state_under(params, s))
            .collect();
        Question {
            plan: solve::Plan::new(automaton),
            states,
        }
    }

    /// What asking costs for each node.
    pub fn states(&self) -> usize {
        self.plan.states()
    }

    /// Which of them a class satisfies; nothing when `may_continue` says no first.
    pub fn ask_while(
        &self,
        view: &View,
        root: Class,
        may_continue: &dyn Fn() -> bool,
    ) -> Option<Vec<bool>> {
        let satisfied = Satisfied::new_while(&self.plan, view, may_continue)?;
        let has = |s: &StateId| satisfied.has(*s, root);
        Some(self.states.iter().map(has).collect())
    }
}

impl Goal {
    /// Prepares a sketch of programs with so many parameters: it is their bodies that have to satisfy it. A term that is
    /// no program has none.
    pub fn new(sketch: &Sketch, params: u32) -> Goal {
        let mut automaton = Automaton::new();
        automaton.start = automaton.state_under(params, sketch);
        let parts = Parts::new(sketch);
        let states = parts.list.iter().map(|p| automaton.state_of(&p.sketch));
        let states = states.collect();
        Goal {
            plan: solve::Plan::new(automaton),
            parts,
            states,
            params,
        }
    }

    /// How many parameters the programs have.
    pub fn params(&self) -> u32 {
        self.params
    }

    /// Its parts.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Whether a class satisfies the sketch, whatever binders its variables have.
    pub fn satisfied(&self, view: &View, root: Class) -> bool {
        Satisfied::new(&self.plan, view).has(self.plan.start(), root)
    }

    /// Whether a class satisfies the sketch, and which parts of it any class does;
    /// the sketch is solved once for both.
    pub fn reached(&self, view: &View, root: Class) -> (bool, Reached) {
        let satisfied = Satisfied::new(&self.plan, view);
        let anywhere = satisfied.anywhere();
        let parts = &self.parts.list;
        let has = |i: &usize| anywhere.has(self.states[*i], 0);
        // What stands inside a part follows it, deeper.
        let inside = |i: usize| {
            let below = parts[i + 1..].iter();
            below.take_while(|p| p.depth > parts[i].depth).count()
        };
        let mut largest: Option<(usize, usize)> = None;
        for i in (0..parts.len()).filter(has) {
            let size = inside(i);
            if largest.is_none_or(|(_, most)| size > most) {
                largest = Some((i, size));
            }
        }
        let reached = Reached {
            parts: parts.len(),
            satisfied: (0..parts.len()).filter(has).count(),
            largest: largest.map(|(i, _)| parts[i].label.clone()),
        };
        (satisfied.has(self.plan.start(), root), reached)
    }

    /// The parts of the sketch, in the user's words.
    pub fn labels(&self) -> impl Iterator<Item = &str> {
        self.parts.list.iter().map(|p| &*p.label)
    }

    /// Which parts each class satisfies.
    pub fn marks(&self, view: &View) -> Marks<'_> {
        Marks {
            states: &self.states,
            satisfied: Satisfied::new(&self.plan, view),
        }
    }

    /// For every part of the sketch how many classes satisfy it, and how many with `?` for the parts
    /// inside; in the order of the sketch. Nothing when `may_continue` says no first.
    pub fn counts(
        &self,
        view: &View,
        may_continue: &dyn Fn() -> bool,
    ) -> Option<Vec<(&Part, [usize; 2])>> {
        let mut automaton = Automaton::new();
        let asked = self.parts.list.iter().enumerate().map(|(i, p)| {
            let alone = automaton.state_of(&self.parts.alone(i));
            (p, [automaton.state_of(&p.sketch), alone])
        });
        let asked: Vec<_> = asked.collect();
        let plan = solve::Plan::new(automaton);
        let satisfied = Satisfied::new_while(&plan, view, may_continue)?;
        let count = |s: StateId| satisfied.count(s, view);
        Some(asked.into_iter().map(|(p, s)| (p, s.map(count))).collect())
    }

    /// Bytes that asking takes in a graph of so many classes.
    pub fn bytes(&self, classes: usize) -> u64 {
        (classes * (self.plan.states().div_ceil(64) * 8 + 4)) as u64
    }

    /// The cheapest term of a class that satisfies the sketch.
    pub fn extract(&self, view: &View, root: Class, cost: Cost) -> Option<Term> {
        self.extract_while(view, root, cost, &|| true)
    }

    /// The same; nothing when `may_continue` says no first.
    pub fn extract_while(
        &self,
        view: &View,
        root: Class,
        cost: Cost,
        may_continue: &dyn Fn() -> bool,
    ) -> Option<Term> {
        let term = extract::within(&self.plan, view, root, cost, None, may_continue)?;
        debug_assert!(
            self.accepts(&term),
            "extracted a term that its sketch refuses"
        );
        Some(term)
    }

    /// The same in large graphs: looks at small terms first, and gives up beyond so many pairs of
    /// a class and something asked of it, or when `may_continue` says no.
    pub fn extract_small(
        &self,
        view: &View,
        root: Class,
        cost: Cost,
        pairs: usize,
        may_continue: &dyn Fn() -> bool,
    ) -> Option<Term> {
        let smallest = view.size(root);
        let mut sizes = [2, 4, 8, 16].into_iter().take_while(|_| may_continue());
        sizes.find_map(|times| {
            let size = smallest.saturating_mul(times) / 2 + 20;
            let bound = extract::Bound { size, pairs };
            extract::within(&self.plan, view, root, cost, Some(bound), may_continue)
        })
    }

    /// Whether a term satisfies the sketch, as a graph that holds nothing else.
    pub fn accepts(&self, term: &Term) -> bool {
        let mut graph = Graph::new(Heads::default(), false);
        let root = graph.add_term(term);
        graph.rebuild();
        let view = View::new(&graph);
        self.satisfied(&view, view.class(root))
    }
}
