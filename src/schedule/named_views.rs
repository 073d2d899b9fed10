//! Names of views in loops.
//!
//! In: a term. Out: the step that puts views in where their names stand, and the term that it has to lead to: a name between two loops
//! (`let columns = transpose b in columns |> map …`) computes nothing, and keeps rules from seeing that one loop stands in the other.
//! Invariant: names of what is computed stay. Absent: names outside of loops alone, numbers.

use super::skeleton::computes;
use super::{guide, Schedule};
use crate::term::{Kind, Op, Sort, Term};
use std::collections::BTreeSet;

const RULES: &str = "use rules/fusion.rules (let-inline)\n";

/// What is done so.
const WORDS: &str = "names of views put in";

/// The step, where a view has a name in a loop; and what it leads to.
pub fn put_in(term: &Term) -> Option<(Schedule, Term)> {
    if !any(term, false) {
        return None;
    }
    let mut ops = BTreeSet::new();
    let mut kept = BTreeSet::new();
    term.visit(&mut |t, _| {
        if let Kind::Prim(p) = t.kind() {
            ops.extend(computes(t).then(|| p.op().name()));
        }
        if let Some((value, _)) = named(t).filter(|(value, _)| !is_view(value)) {
            kept.extend(computed(value));
        }
    });
    let none = match ops.is_empty() {
        true => "(? : ?.?)".to_string(),
        false => {
            let ops: Vec<&str> = ops.into_iter().collect();
            format!("((none ({})) : ?.?)", ops.join(" or "))
        }
    };
    let kept = kept
        .iter()
        .map(|op| format!("(contains (app let (contains {}) ?))", op));
    let looks: Vec<String> = [format!("(none (app let {none} ?))")]
        .into_iter()
        .chain(kept)
        .collect();
    let step = guide("views", RULES, &looks);
    let way = Schedule {
        changes: 0,
        ..Schedule::preparation(WORDS, vec![step]).by_itself()
    };
    Some((way, inlined(term)))
}

/// Of a name what it stands for, and the function of it.
fn named(t: &Term) -> Option<(&Term, &Term)> {
    let (p, args) = t.as_prim_app()?;
    match (p.op(), &args[..]) {
        (Op::Let, &[value, f]) => Some((value, f)),
        _ => None,
    }
}

fn is_view(value: &Term) -> bool {
    value.ty().as_array().is_some() && !computes(value)
}

/// Whether a view has a name in a loop.
fn any(t: &Term, in_loop: bool) -> bool {
    if in_loop && named(t).is_some_and(|(value, _)| is_view(value)) {
        return true;
    }
    let is_loop = |t: &Term| {
        t.as_prim_app()
            .is_some_and(|(p, _)| matches!(p.op().sort(), Sort::Loop(_)))
    };
    let inside = in_loop || is_loop(t);
    match t.kind() {
        Kind::Lam(_, body) => any(body, inside),
        Kind::App(f, x) => any(f, inside) || any(x, inside),
        _ => false,
    }
}

/// The first operation that a value is computed by.
fn computed(value: &Term) -> Option<&'static str> {
    let mut found = None;
    value.visit(&mut |t, _| {
        if let (None, Kind::Prim(p)) = (found, t.kind()) {
            found = computes(t).then(|| p.op().name());
        }
    });
    found
}

/// The term without names of views.
fn inlined(t: &Term) -> Term {
    if let Some((value, f)) = named(t).filter(|(value, _)| is_view(value)) {
        return inlined(&match f.kind() {
            Kind::Lam(_, body) => body.instantiate(value),
            _ => Term::app(f.clone(), value.clone()),
        });
    }
    match t.kind() {
        Kind::Lam(hint, body) => match t.ty().as_fun() {
            Some((given, _)) => Term::lam(*hint, given, inlined(body)),
            None => t.clone(),
        },
        Kind::App(f, x) => Term::app(inlined(f), inlined(x)),
        _ => t.clone(),
    }
}
