//! Loops over indices that read elements.
//!
//! In: a term. Out: the steps that make of each loop whose index names elements, and nothing else, a loop over these elements:
//! `generate (\i -> f (idx i x) (idx i y))` maps over both arrays, and what is read in another order is a view of them. What is said
//! with indices has the same loops then as what is said with `map`. One step for loops of each depth, the inner ones first.
//! Absent: loops over indices that are numbers, too, beside which all are left as they are.

use super::{guide, numbered, Schedule};
use crate::term::{Kind, Op, Term};

const RULES: &str = "use rules/sharing.rules (element-named, element-named-left, element-of-column, elements-zipped,
  let-float-generate, generate-elements, generate-array, let-out-of-argument, let-out-of-function, let-float-map,
  let-float-argument)
use rules/fusion.rules (let-inline)\n";

/// What is done so.
const WORDS: &str = "elements instead of indices";

/// The steps, where all loops over indices read elements alone.
pub fn as_elements(term: &Term) -> Option<Schedule> {
    let depth = depth(term);
    if depth == 0 || !name_elements(term) {
        return None;
    }
    // Loops in each other, the outermost first.
    let nested = |n: u32| {
        let inner = "generate".to_string();
        (1..n).fold(inner, |inner, _| {
            format!("(app generate (contains {inner}))")
        })
    };
    let step = |n: u32| {
        let name = numbered("elements", (depth - n) as usize);
        guide(&name, RULES, &[format!("none {}", nested(n))])
    };
    let steps = (1..=depth).rev().map(step).collect();
    Some(Schedule::preparation(WORDS, steps).by_itself())
}

/// The function of a loop over indices.
fn loop_over_indices(t: &Term) -> Option<&Term> {
    let (p, args) = t.as_prim_app()?;
    args.first().copied().filter(|_| p.op() == Op::Generate)
}

/// How many loops over indices stand in each other at most.
fn depth(t: &Term) -> u32 {
    let inside = match t.kind() {
        Kind::Lam(_, body) => depth(body),
        Kind::App(f, x) => depth(f).max(depth(x)),
        _ => 0,
    };
    inside + u32::from(loop_over_indices(t).is_some())
}

/// Whether the index of every loop over indices names elements, and nothing else.
fn name_elements(t: &Term) -> bool {
    let own = match loop_over_indices(t).map(Term::kind) {
        Some(Kind::Lam(_, body)) => names(body, 0),
        Some(_) => false,
        None => true,
    };
    own && match t.kind() {
        Kind::Lam(_, body) => name_elements(body),
        Kind::App(f, x) => name_elements(f) && name_elements(x),
        _ => true,
    }
}

/// Whether a variable stands nowhere but where an element is named.
fn names(t: &Term, variable: u32) -> bool {
    match t.kind() {
        Kind::Var(i) => *i != variable,
        Kind::Lam(_, body) => names(body, variable + 1),
        Kind::App(f, x) => {
            let index = matches!(x.kind(), Kind::Var(i) if *i == variable)
                && matches!(f.kind(), Kind::Prim(p) if p.op() == Op::Idx);
            index || names(f, variable) && names(x, variable)
        }
        _ => true,
    }
}
