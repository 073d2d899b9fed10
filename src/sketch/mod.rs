//! Sketches: which terms of an e-graph look as the programmer asked.
//!
//! Comes in: an elaborated sketch and a view of the graph; goes out: whether a
//! class satisfies it, how far the graph is from it, how many classes satisfy each
//! part, and the cheapest term that does. Invariant: what [`Goal::extract`] returns, [`Goal::accepts`] accepts
//! (checked after every extraction in debug builds). Absent: limits, names.

mod automaton;
mod extract;
mod solve;

use crate::cost::Cost;
use crate::egraph::{Class, Graph, Heads, View};
use crate::elab::{Sketch, SketchKind};
use crate::term::Term;
use automaton::{Automaton, StateId};
use solve::Satisfied;

/// A sketch, ready to be asked.
pub struct Goal {
    plan: solve::Plan,
    parts: Vec<Part>,
}

/// A part of a sketch, for diagnosis.
#[derive(Clone, Debug)]
pub struct Part {
    /// The user's words.
    pub label: String,
    /// How deep it stands in the sketch.
    pub depth: usize,
    state: StateId,
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

impl Goal {
    /// Prepares a sketch.
    pub fn new(sketch: &Sketch) -> Goal {
        let mut automaton = Automaton::new(sketch);
        let mut parts = Vec::new();
        list_parts(sketch, 0, &mut automaton, &mut parts);
        Goal {
            plan: solve::Plan::new(automaton),
            parts,
        }
    }

    /// Whether a class satisfies the sketch.
    pub fn satisfied(&self, view: &View, root: Class) -> bool {
        Satisfied::new(&self.plan, view).has(self.plan.start(), root)
    }

    /// Whether a class satisfies the sketch, and which parts of it any class does;
    /// the sketch is solved once for both.
    pub fn reached(&self, view: &View, root: Class) -> (bool, Reached) {
        let satisfied = Satisfied::new(&self.plan, view);
        let anywhere = satisfied.anywhere();
        let has = |p: &Part| anywhere.has(p.state, 0);
        // What stands inside a part follows it, deeper.
        let inside = |i: usize| {
            let below = self.parts[i + 1..].iter();
            below.take_while(|p| p.depth > self.parts[i].depth).count()
        };
        let mut largest: Option<(usize, usize)> = None;
        for i in (0..self.parts.len()).filter(|i| has(&self.parts[*i])) {
            let size = inside(i);
            if largest.is_none_or(|(_, most)| size > most) {
                largest = Some((i, size));
            }
        }
        let reached = Reached {
            parts: self.parts.len(),
            satisfied: self.parts.iter().filter(|p| has(p)).count(),
            largest: largest.map(|(i, _)| self.parts[i].label.clone()),
        };
        (satisfied.has(self.plan.start(), root), reached)
    }

    /// For every part of the sketch how many classes satisfy it, in the order
    /// of the sketch.
    pub fn counts(&self, view: &View) -> Vec<(&Part, usize)> {
        let satisfied = Satisfied::new(&self.plan, view);
        (self.parts.iter())
            .map(|p| (p, satisfied.count(p.state, view)))
            .collect()
    }

    /// The cheapest term of a class that satisfies the sketch.
    pub fn extract(&self, view: &View, root: Class, cost: Cost) -> Option<Term> {
        let term = extract::extract(&self.plan, view, root, cost)?;
        debug_assert!(
            self.accepts(&term),
            "extracted a term that its sketch refuses"
        );
        Some(term)
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

/// Parts worth naming: everything but `?` and primitives.
fn list_parts(s: &Sketch, depth: usize, automaton: &mut Automaton, out: &mut Vec<Part>) {
    let mut below = depth;
    let worth = !matches!(s.kind, SketchKind::Any | SketchKind::Prim(..));
    let repeated = out.last().is_some_and(|p| p.label == s.label);
    if worth && !repeated {
        let state = automaton.state_of(s);
        out.push(Part {
            label: s.label.clone(),
            depth,
            state,
        });
        below += 1;
    }
    match &s.kind {
        SketchKind::Lam(b)
        | SketchKind::Contains(b)
        | SketchKind::OnlyContains(b)
        | SketchKind::Typed(b, _) => list_parts(b, below, automaton, out),
        SketchKind::App(f, x) => {
            list_parts(f, below, automaton, out);
            list_parts(x, below, automaton, out);
        }
        SketchKind::Or(all) => {
            for s in all {
                list_parts(s, below, automaton, out);
            }
        }
        SketchKind::Any | SketchKind::Prim(..) | SketchKind::Number(_) | SketchKind::Bool(_) => {}
    }
}
