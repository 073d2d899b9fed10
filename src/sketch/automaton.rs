//! Sketches as tree automata: the one recursion behind checking and extracting.
//!
//! A state is a set of sketches that a term has to satisfy at once. What a
//! state asks of a node is a list of alternatives; each gives every child of
//! the node a state, and may ask for types of the node itself.
//! `Automaton::ways` is the only place that says what a sketch means: `solve`
//! decides with it which classes satisfy a state, and finds the cheapest term
//! with it, so the two cannot disagree. The empty state asks nothing.

use super::forms::{Form, FormId, Forms};
use super::written;
use crate::arith::Nat;
use crate::egraph::{Node, Shape};
use crate::elab::{Sketch, SketchKind, TyPattern};
use crate::term::Lit;
use crate::ty::{Ty, TyKind};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// A state: forms to satisfy together, ascending; state 0 is empty.
pub type StateId = u32;

/// One way for a node to satisfy a state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alternative {
    /// For each child the state it has to satisfy.
    pub children: SmallVec<[StateId; 2]>,
    /// Forms whose type pattern has to fit the node.
    guards: SmallVec<[FormId; 1]>,
}

impl Alternative {
    /// Asks nothing of up to two children.
    pub fn anything() -> Alternative {
        Alternative {
            children: SmallVec::from_slice(&[ANYTHING; 2]),
            guards: SmallVec::new(),
        }
    }

    /// Whether it asks nothing of the node's type.
    pub fn is_unguarded(&self) -> bool {
        self.guards.is_empty()
    }
}

/// The kinds of nodes that have children.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Inner {
    /// A lambda.
    Lam,
    /// An application.
    App,
}

impl Inner {
    /// The kind of a node; `None` for a leaf.
    pub fn of(node: &Node) -> Option<Inner> {
        match node.shape {
            Shape::App(_) => Some(Inner::App),
            Shape::Lam(_) => Some(Inner::Lam),
            _ => None,
        }
    }
}

/// A compiled sketch.
pub struct Automaton {
    forms: Forms,
    states: Vec<Vec<FormId>>,
    by_forms: FxHashMap<Vec<FormId>, StateId>,
    /// What `written` of a form is.
    written: BTreeMap<FormId, FormId>,
    /// The state of the whole sketch.
    pub start: StateId,
}

/// The state that asks nothing.
pub const ANYTHING: StateId = 0;

/// An alternative before its sets of forms have become states.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Way {
    children: SmallVec<[Vec<FormId>; 2]>,
    guards: SmallVec<[FormId; 1]>,
}

impl Way {
    /// What both ask, each form once.
    fn joined(&self, other: &Way) -> Way {
        let forms = |a: &[FormId], b: &[FormId]| {
            let mut all = [a, b].concat();
            all.sort_unstable();
            all.dedup();
            all
        };
        let both = self.children.iter().zip(&other.children);
        Way {
            children: both.map(|(a, b)| forms(a, b)).collect(),
            guards: forms(&self.guards, &other.guards).into(),
        }
    }
}

impl Automaton {
    /// An automaton that starts where nothing is asked.
    pub fn new() -> Automaton {
        let mut a = Automaton {
            forms: Forms::default(),
            states: Vec::new(),
            by_forms: FxHashMap::default(),
            written: BTreeMap::new(),
            start: 0,
        };
        a.start = a.state(Vec::new());
        a
    }

    /// The state of a sketch; what two sketches share has the same states.
    pub fn state_of(&mut self, sketch: &Sketch) -> StateId {
        let form = self.form(sketch);
        self.state(vec![form])
    }

    /// The state of programs with so many parameters whose body satisfies a sketch.
    pub fn state_under(&mut self, params: u32, sketch: &Sketch) -> StateId {
        let body = self.form(sketch);
        let form = (0..params).fold(body, |below, _| self.forms.enter(Form::Lam(below)));
        self.state(vec![form])
    }

    fn form(&mut self, s: &Sketch) -> FormId {
        let form = match &s.kind {
            SketchKind::Any => Form::Any,
            SketchKind::Lam(b) => {
                let body = self.form(b);
                self.function(body)
            }
            SketchKind::App(f, x) => Form::App(self.form(f), self.form(x)),
            SketchKind::Prim(op, sizes) => Form::Prim(*op, sizes.clone()),
            SketchKind::Number(x) => Form::Number(*x),
            SketchKind::Size(n) => Form::Size(*n),
            SketchKind::Bool(b) => Form::Bool(*b),
            SketchKind::Contains(b) => Form::Contains(self.form(b)),
            SketchKind::OnlyContains(b) => Form::OnlyContains(self.form(b)),
            SketchKind::Or(all) => Form::Or(all.iter().map(|s| self.form(s)).collect()),
            SketchKind::And(all) => Form::And(all.iter().map(|s| self.form(s)).collect()),
            SketchKind::None(b) => {
                let b = self.form(b);
                Form::OnlyContains(self.forms.not(b))
            }
            SketchKind::Every(s, t) => {
                let s = self.form(s);
                let either = vec![self.forms.not(s), self.form(t)];
                Form::OnlyContains(self.forms.enter(Form::Or(either)))
            }
            SketchKind::Written(b) => {
                let b = self.form(b);
                return self.written(b);
            }
            SketchKind::Cheapest(b) => return self.form(b),
            SketchKind::Typed(b, t) => Form::Typed(self.form(b), t.clone()),
        };
        self.forms.enter(form)
    }

    /// The form of functions whose body has a form: those too that are applied to their argument there, whatever that is, and so are not
    /// written out.
    fn function(&mut self, body: FormId) -> Form {
        let mut applied = Vec::new();
        self.applied(body, &mut applied);
        if applied.is_empty() {
            return Form::Lam(body);
        }
        let written_out = self.forms.enter(Form::Lam(body));
        Form::Or([written_out].into_iter().chain(applied).collect())
    }

    /// The forms of what is applied to anything in terms of a form.
    fn applied(&self, body: FormId, all: &mut Vec<FormId>) {
        match self.forms.get(body) {
            Form::App(f, x) if *self.forms.get(*x) == Form::Any => all.push(*f),
            Form::Or(any) => any.iter().for_each(|f| self.applied(*f, all)),
            _ => {}
        }
    }

    /// The form of terms in which something that satisfies another is written.
    fn written(&mut self, form: FormId) -> FormId {
        if let Some(known) = self.written.get(&form) {
            return *known;
        }
        let made = written::written(&mut self.forms, form);
        self.written.insert(form, made);
        made
    }

    fn state(&mut self, mut forms: Vec<FormId>) -> StateId {
        forms.retain(|f| !matches!(self.forms.get(*f), Form::Any));
        forms.sort_unstable();
        forms.dedup();
        if let Some(&id) = self.by_forms.get(&forms) {
            return id;
        }
        let id = self.states.len() as StateId;
        self.states.push(forms.clone());
        self.by_forms.insert(forms, id);
        id
    }

    /// How many states are known; they are `0..states`.
    pub fn states(&self) -> usize {
        self.states.len()
    }

    /// In which ways a node of a kind can satisfy a state.
    pub fn alternatives(&mut self, state: StateId, kind: Inner) -> Vec<Alternative> {
        let mut out: Vec<Alternative> = Vec::new();
        for way in self.all_ways(state, Some(kind), None) {
            let alternative = Alternative {
                children: way.children.into_iter().map(|s| self.state(s)).collect(),
                guards: way.guards,
            };
            if !out.contains(&alternative) {
                out.push(alternative);
            }
        }
        out
    }

    /// Whether a leaf satisfies a state.
    pub fn accepts_leaf(&self, state: StateId, node: &Node) -> bool {
        self.takes_one(&self.all_ways(state, None, Some(node)), node.ty)
    }

    /// The states behind the first that leaves of this shape can satisfy, and in which ways, types not looked at. Many states
    /// share a form, and few have one of which a leaf is.
    pub fn ways_of_leaf(&self, leaf: &Node) -> Vec<(StateId, Vec<Way>)> {
        let mut known = vec![None; self.forms.count()];
        let mut possible = |form: &FormId| {
            let known = &mut known[*form as usize];
            *known.get_or_insert_with(|| !self.ways(*form, None, Some(leaf)).is_empty())
        };
        let mut out = Vec::new();
        for (state, forms) in self.states.iter().enumerate().skip(1) {
            if forms.iter().all(&mut possible) {
                out.push((state as StateId, self.together(forms, None, Some(leaf))));
            }
        }
        out
    }

    /// Whether a leaf of a type takes one of the ways of its shape.
    pub fn takes_one(&self, ways: &[Way], ty: Ty) -> bool {
        ways.iter().any(|w| self.guards_fit(&w.guards, ty))
    }

    /// Whether a node of type `ty` may take an alternative.
    pub fn allows(&self, alternative: &Alternative, ty: Ty) -> bool {
        self.guards_fit(&alternative.guards, ty)
    }

    fn guards_fit(&self, guards: &[FormId], ty: Ty) -> bool {
        guards.iter().all(|g| match self.forms.get(*g) {
            Form::Typed(_, pattern) => type_fits(pattern, ty),
            Form::NotTyped(_, pattern) => !type_fits(pattern, ty),
            _ => true,
        })
    }

    fn all_ways(&self, state: StateId, kind: Option<Inner>, leaf: Option<&Node>) -> Vec<Way> {
        self.together(&self.states[state as usize], kind, leaf)
    }

    /// The ways for a node to satisfy all of some forms.
    fn together(&self, forms: &[FormId], kind: Option<Inner>, leaf: Option<&Node>) -> Vec<Way> {
        let mut ways = vec![empty_way(kind)];
        for form in forms {
            let here = self.ways(*form, kind, leaf);
            let mut joined = Vec::new();
            let mut seen = FxHashSet::default();
            for a in &ways {
                for b in &here {
                    // What several forms ask alike is one way: else forms that say the same would double them.
                    let both = a.joined(b);
                    if ways.len() == 1 || seen.insert(both.clone()) {
                        joined.push(both);
                    }
                }
            }
            ways = joined;
        }
        ways
    }

    /// The meaning of sketches: how a node can satisfy a form. `kind` is that of
    /// an inner node, `leaf` the node if it is none.
    fn ways(&self, form: FormId, kind: Option<Inner>, leaf: Option<&Node>) -> Vec<Way> {
        let nothing = || vec![empty_way(kind)];
        let children = |c: &[FormId]| {
            vec![Way {
                children: c.iter().map(|f| vec![*f]).collect(),
                guards: SmallVec::new(),
            }]
        };
        let only_if = |holds: bool| if holds { nothing() } else { Vec::new() };
        let shape = leaf.map(|n| n.shape);
        match (self.forms.get(form), kind, shape) {
            (Form::Any, _, _) => nothing(),
            (Form::Lam(b), Some(Inner::Lam), _) => children(&[*b]),
            (Form::App(f, x), Some(Inner::App), _) => children(&[*f, *x]),
            (Form::Prim(op, sizes), _, Some(Shape::Prim(p))) => {
                only_if(p.op() == *op && sizes.as_ref().is_none_or(|s| s[..] == p.sizes()[..]))
            }
            (Form::Number(x), _, Some(Shape::Lit(l))) => only_if(match l.get() {
                Lit::Int(i) => i as f64 == *x,
                Lit::F32(b) => f32::from_bits(b) == *x as f32,
                Lit::F64(b) => f64::from_bits(b) == *x,
                Lit::Bool(_) | Lit::Size(_) => false,
            }),
            (Form::Size(n), _, Some(Shape::Lit(l))) => only_if(l.get() == Lit::Size(*n)),
            (Form::Bool(x), _, Some(Shape::Lit(l))) => only_if(l.get() == Lit::Bool(*x)),
            (Form::Contains(b), _, _) => {
                let mut out = self.ways(*b, kind, leaf);
                let arity = empty_way(kind).children.len();
                for i in 0..arity {
                    let mut below = empty_way(kind);
                    below.children[i].push(form);
                    out.push(below);
                }
                out
            }
            (Form::OnlyContains(b), _, _) => {
                let mut out = self.ways(*b, kind, leaf);
                for way in &mut out {
                    way.children.iter_mut().for_each(|c| c.push(form));
                }
                out
            }
            (Form::Or(all) | Form::Rec(all), _, _) => {
                all.iter().flat_map(|f| self.ways(*f, kind, leaf)).collect()
            }
            (Form::And(all), _, _) => self.together(all, kind, leaf),
            (Form::NotLam(b), Some(Inner::Lam), _) => children(&[*b]),
            (Form::NotApp(f, x), Some(Inner::App), _) => [*f, *x]
                .into_iter()
                .enumerate()
                .filter(|(_, f)| *self.forms.get(*f) != Form::Or(Vec::new()))
                .map(|(i, f)| {
                    let mut way = empty_way(kind);
                    way.children[i].push(f);
                    way
                })
                .collect(),
            (Form::NotLam(_) | Form::NotApp(..), _, _) => nothing(),
            (Form::NotTyped(f, _), _, _) => {
                let mut out = self.ways(*f, kind, leaf);
                let mut other = empty_way(kind);
                other.guards.push(form);
                out.push(other);
                out
            }
            (Form::NotLeaf(f), _, _) => only_if(self.ways(*f, kind, leaf).is_empty()),
            (Form::Var, _, Some(Shape::Var(_))) => nothing(),
            (Form::OneOf(ops), _, Some(Shape::Prim(p))) => only_if(ops.contains(&p.op())),
            (Form::Typed(f, _), _, _) => {
                let mut out = self.ways(*f, kind, leaf);
                out.iter_mut().for_each(|way| way.guards.push(form));
                out
            }
            _ => Vec::new(),
        }
    }
}

fn empty_way(kind: Option<Inner>) -> Way {
    let arity = match kind {
        Some(Inner::App) => 2,
        Some(Inner::Lam) => 1,
        None => 0,
    };
    Way {
        children: std::iter::repeat_n(Vec::new(), arity).collect(),
        guards: SmallVec::new(),
    }
}

/// Whether a type fits a pattern.
pub fn type_fits(pattern: &TyPattern, ty: Ty) -> bool {
    let size = |p: &Option<Nat>, n: Nat| p.is_none_or(|p| p == n);
    match (pattern, ty.kind()) {
        (TyPattern::Any, _) => true,
        (TyPattern::AnyScalar, TyKind::Scalar(_)) => true,
        (TyPattern::Scalar(a), TyKind::Scalar(b)) => *a == b,
        (TyPattern::Idx(p), TyKind::Idx(n)) => size(p, n),
        (TyPattern::Pair(p, q), TyKind::Pair(a, b)) => type_fits(p, a) && type_fits(q, b),
        (TyPattern::Fun(p, q), TyKind::Fun(a, b)) => type_fits(p, a) && type_fits(q, b),
        (TyPattern::Array(p, q), TyKind::Array(n, t)) => size(p, n) && type_fits(q, t),
        (TyPattern::Vec(p, q), _) => ty
            .as_vec()
            .is_some_and(|(n, t)| size(p, n) && type_fits(q, t)),
        _ => false,
    }
}
