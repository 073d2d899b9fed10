//! Whether rules over arrays are true.
//!
//! In: a rule. Out: a verdict. First a proof by extensionality, which takes less time than one instance: both sides are
//! applied to any arguments and indices, and the elements compared as what the primitives mean, with functions of the
//! rule unknown. What is not proved is tried on random typed instances, evaluated by the interpreter. Invariant: a
//! refuted rule has an instance on which the interpreter finds the sides different; a proved one holds for all instances
//! of its conditions. Absent: rules over scalars; solvers, as what is to be shown of indices follows from their normal
//! forms.
//!
//! The meaning of the sides is written down here a second time (`eval`), independently of `interp`, against which it is
//! tested by mutants: what an instance refutes must never be proved.

mod bits;
mod context;
mod equal;
mod eval;
mod facts;
mod fold;
mod gap;
mod lifted;
mod memo;
mod objection;
mod scalars;
mod sums;
mod superposed;
mod two_passes;
mod value;

pub use gap::Gap;
pub use objection::{instance, objection, refusal};

use crate::elab::RuleDecl;
use crate::obligation::{self, Assumption, Sizes};
use crate::rule::instance::{smallest, Counterexample};
use context::Context;
use std::rc::Rc;

/// What is known of a rule over arrays.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Wherever this holds of the sizes, in the rule's names: what a use of the rule is obliged to.
    Proved { assuming: Vec<Assumption> },
    /// The sides differ on this instance, by the interpreter.
    Refuted(Box<Counterexample>),
    /// What could not be shown, and on how many instances the sides agree.
    Unknown { why: Gap, agreed: u32 },
}

/// The verdict on a rule. What is proved needs no instances; the rest is tried on as many.
pub fn verify_rule(rule: &Rc<RuleDecl>, instances: u32) -> Verdict {
    let why = match prove(rule) {
        Ok(assuming) => return Verdict::Proved { assuming },
        Err(why) => why,
    };
    let tested = smallest(rule, instances, SEED);
    match tested.refuted {
        Some(refuted) => Verdict::Refuted(refuted),
        None => Verdict::Unknown {
            why: gap::law(rule, |rule| attempt(rule, context::WORK / 8).is_ok()).unwrap_or(why),
            agreed: tested.agreed,
        },
    }
}

const SEED: u64 = 0x0715;

/// Instances on which a rule that is not proved is tried.
pub const INSTANCES: u32 = 1000;

/// A proof that both sides are equal, or what could not be shown. Goes out: what is assumed of sizes.
pub fn prove(rule: &Rc<RuleDecl>) -> Result<Vec<Assumption>, Gap> {
    if lifted::holds(rule) || superposed::holds(rule) {
        return Ok(Vec::new());
    }
    let regrouped = two_passes::regrouped(rule);
    attempt(regrouped.as_ref().unwrap_or(rule), context::WORK)
}

fn attempt(rule: &Rc<RuleDecl>, work: u32) -> Result<Vec<Assumption>, Gap> {
    let mut cx = Context::new(rule, work);
    for n in Sizes::of(&rule.rhs) {
        let n = cx.nat(n);
        if !cx.is_size(n) {
            cx.size(n);
        }
    }
    cx.begin();
    let ty = cx.ty(rule.lhs.ty());
    let equal = equal::shown(&mut cx, &mut |cx| {
        let left = eval::eval(cx, &rule.lhs, &Vec::new())?;
        let right = eval::eval(cx, &rule.rhs, &Vec::new())?;
        Ok(equal::equal(cx, ty, &left, &right))
    });
    match equal {
        true => Ok(assumed(rule, &cx)),
        false => Err(cx
            .why
            .or(cx.limit)
            .unwrap_or_else(|| Gap::new("the sides were not shown to have the same elements"))),
    }
}

/// What a use of the rule is obliged to beyond the sizes of what the left side matches.
fn assumed(rule: &RuleDecl, cx: &Context) -> Vec<Assumption> {
    let open = rule.open_obligations(&[]);
    let mut all = Vec::new();
    for n in &open {
        // A variable of an unknown that need not be a size.
        if n.as_meta().is_some() {
            all.push(Assumption::NotNegative(cx.nat(*n)));
        }
    }
    let named: Vec<_> = open.iter().map(|n| cx.nat(*n)).collect();
    all.extend(obligation::missing(&[], &named));
    all
}
