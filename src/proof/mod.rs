//! Why two terms are equal, and a checker that believes nothing.
//!
//! Comes in: a chain of steps, each of which replaces one sub-term by an instance
//! of a rule or by a β/η-equal term; goes out: that the chain leads from the
//! program to its end, or the first step that does not hold. The checker replays
//! the chain on plain terms with a matcher and side conditions of its own.
//! Invariant: nothing of the search is used here, neither its graph nor its
//! matcher; what is trusted are rules as they are declared, the table of
//! operators (`algebra`) and normal forms (`term`). Absent: how a proof is found
//! (`trail`), files.

mod chain;
mod check;
mod instance;
mod lanes;
mod shorten;
mod typed;
mod types;

pub use chain::{chain, Chain, Link};
pub use check::{at, binders, bindings, check, put, Holds, Refusal, Reordered};
pub use instance::{instance, Instance, Rests};
pub use shorten::shorten;
pub use typed::ill_typed;

use crate::arith::Nat;
use crate::elab::{RuleDecl, RuleUse};
use crate::term::{normalize_program, Term};
use crate::ty::Ty;
use std::rc::Rc;

/// A proof that a program equals what was found for it.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The program's term.
    pub start: Term,
    /// One for each step of the guide.
    pub segments: Vec<Segment>,
}

impl Proof {
    /// That a term equals itself.
    pub fn new(start: &Term) -> Proof {
        Proof {
            start: start.clone(),
            segments: Vec::new(),
        }
    }

    /// The last term.
    pub fn end(&self) -> &Term {
        self.segments.last().map_or(&self.start, |l| &l.end)
    }

    /// Adds a part that begins with the normal form of the last term.
    pub fn push(&mut self, mut segment: Segment) {
        let end = self.end();
        let normal = normalize_program(end);
        if normal != *end {
            segment.steps.insert(0, Step::normal(end, &normal));
        }
        self.segments.push(segment);
    }
}

impl Step {
    /// A whole term becomes its normal form.
    pub fn normal(from: &Term, to: &Term) -> Step {
        Step {
            at: Vec::new(),
            by: By::Normal,
            back: false,
            from: from.clone(),
            to: to.clone(),
            bound: None,
        }
    }
}

/// What one step of the guide did.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The step's name.
    pub name: String,
    /// The rules that take part, with their sizes.
    pub rules: Vec<RuleUse>,
    /// Whether floats may be regrouped.
    pub reassociate: bool,
    /// The chain.
    pub steps: Vec<Step>,
    /// The term after it.
    pub end: Term,
}

impl Segment {
    /// The rules of its steps.
    pub fn used(&self) -> impl Iterator<Item = &Rc<RuleDecl>> {
        self.steps.iter().filter_map(|s| match &s.by {
            By::Rule(number, _) => self.rules.get(*number).map(|u| &u.rule),
            _ => None,
        })
    }
}

/// One step: `from`, which stands at a place of the whole term, becomes `to`.
#[derive(Clone, Debug)]
pub struct Step {
    /// The way to the place: 0 is the function of an application or the body of a
    /// lambda, 1 the argument.
    pub at: Vec<u8>,
    /// Why.
    pub by: By,
    /// Whether the rule leads from `to` to `from`.
    pub back: bool,
    /// The sub-term before.
    pub from: Term,
    /// The sub-term after.
    pub to: Term,
    /// What the unknowns of the rule are said to stand for; compared, not needed.
    pub bound: Option<Bound>,
}

/// What the unknowns of a rule stand for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    /// By pattern variable.
    pub holes: Vec<Term>,
    /// By unknown size.
    pub sizes: Vec<Nat>,
    /// By unknown type.
    pub types: Vec<Ty>,
}

/// Why both sides of a step are equal.
#[derive(Clone, Debug)]
pub enum By {
    /// A rule of the segment, by its number; for each pattern variable that a side
    /// condition computes the term that it stands for.
    Rule(usize, Vec<(u32, Term)>),
    /// `(\x -> b) e` is `b[e/x]`.
    Beta,
    /// `\x -> f x` is `f`.
    Eta,
    /// Both have one normal form.
    Normal,
}

impl By {
    /// Whether the step is one of the calculus and not of a rule.
    pub fn is_plumbing(&self) -> bool {
        !matches!(self, By::Rule(..))
    }
}
