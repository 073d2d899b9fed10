//! The forms that sketches are made of, each once.
//!
//! In: forms over other forms. Out: their numbers; the number of the form that asks for the contrary. Absent: what a form
//! asks of a node (`automaton`).

use crate::arith::Nat;
use crate::elab::TyPattern;
use crate::term::Op;

/// A form: a sub-sketch.
pub type FormId = u32;

/// What is asked of a term.
#[derive(Clone, PartialEq, Debug)]
pub enum Form {
    Any,
    Lam(FormId),
    App(FormId, FormId),
    Prim(Op, Option<Vec<Nat>>),
    Number(f64),
    Size(Nat),
    Bool(bool),
    Contains(FormId),
    OnlyContains(FormId),
    Or(Vec<FormId>),
    And(Vec<FormId>),
    Typed(FormId, TyPattern),
    /// No lambda, or one whose body satisfies the form.
    NotLam(FormId),
    /// No application, or one of which a part satisfies its form.
    NotApp(FormId, FormId),
    /// Another type, or the form.
    NotTyped(FormId, TyPattern),
    /// Not the leaf that the form says.
    NotLeaf(FormId),
    /// A variable.
    Var,
    /// One of some primitives.
    OneOf(Vec<Op>),
    /// Any of some forms, which may speak of this one.
    Rec(Vec<FormId>),
}

/// All forms of an automaton.
#[derive(Default)]
pub struct Forms(Vec<Form>);

impl Forms {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// What a form is.
    pub fn get(&self, form: FormId) -> &Form {
        &self.0[form as usize]
    }

    /// The form of the terms that do not satisfy another: terms are finite, so that each form has a dual. Where something
    /// is written is asked of no part by itself (`elab` refuses it), so that has none.
    pub fn not(&mut self, form: FormId) -> FormId {
        let dual = match self.get(form).clone() {
            Form::Any => Form::Or(Vec::new()),
            Form::Or(all) if all.is_empty() => Form::Any,
            Form::Or(all) => Form::And(self.not_each(all)),
            Form::And(all) => Form::Or(self.not_each(all)),
            Form::Contains(b) => Form::OnlyContains(self.not(b)),
            Form::OnlyContains(b) => Form::Contains(self.not(b)),
            Form::Lam(b) => Form::NotLam(self.not(b)),
            Form::NotLam(b) => Form::Lam(self.not(b)),
            Form::App(f, x) => {
                let f = self.not(f);
                Form::NotApp(f, self.not(x))
            }
            Form::NotApp(f, x) => {
                let f = self.not(f);
                Form::App(f, self.not(x))
            }
            Form::Typed(b, t) => Form::NotTyped(self.not(b), t),
            Form::NotTyped(b, t) => Form::Typed(self.not(b), t),
            Form::NotLeaf(f) => return f,
            Form::Rec(_) => Form::Or(Vec::new()),
            Form::Prim(..)
            | Form::Number(_)
            | Form::Size(_)
            | Form::Bool(_)
            | Form::Var
            | Form::OneOf(_) => Form::NotLeaf(form),
        };
        self.enter(dual)
    }

    fn not_each(&mut self, all: Vec<FormId>) -> Vec<FormId> {
        all.into_iter().map(|f| self.not(f)).collect()
    }

    /// Equal parts of a sketch are one form, so that they share their states.
    pub fn enter(&mut self, form: Form) -> FormId {
        let known = self.0.iter().position(|f| *f == form);
        known.unwrap_or_else(|| {
            self.0.push(form);
            self.0.len() - 1
        }) as FormId
    }

    /// A form that is said later, so that others can speak of it before.
    pub fn reserve(&mut self) -> FormId {
        self.0.push(Form::Rec(Vec::new()));
        (self.0.len() - 1) as FormId
    }

    /// Says what a reserved form is: any of some others, none of which is it again without going down a node.
    pub fn define(&mut self, form: FormId, any_of: Vec<FormId>) {
        self.0[form as usize] = Form::Rec(any_of);
    }
}
