//! Forms of an expression that are equal because sums, products, minima, conjunctions may be regrouped and exchanged.
//!
//! In: an expression. Out: forms of it in which one chain of such an operator is put together in another way. Rewriting orders
//! operands by itself, so only the grouping matters, and what is paired with what; differences are chains of summands with signs.

use crate::scalar::{Expr, Node, Op};
use crate::simplify::build;
use std::collections::BTreeSet;

/// Most forms of one chain, and of an expression.
const MOST: usize = 240;
/// A chain of more summands is put together in no other way.
const LONGEST: usize = 5;

/// A summand, and whether it is taken away.
type Part = (Expr, bool);

/// The forms, without the expression itself.
pub(super) fn forms(e: Expr) -> Vec<Expr> {
    let mut seen = BTreeSet::from([e]);
    let mut found = Vec::new();
    for form in forms_of(e) {
        if found.len() < MOST && seen.insert(form) {
            found.push(form);
        }
    }
    found
}

fn forms_of(e: Expr) -> Vec<Expr> {
    let Node::Apply(op, args) = e.node() else {
        return Vec::new();
    };
    let mut found = regrouped(e);
    for (i, a) in args.iter().enumerate() {
        for form in forms_of(*a) {
            let mut parts = args.to_vec();
            parts[i] = form;
            let outer = build(op, &parts);
            found.push(outer);
            if found.len() >= MOST {
                return found;
            }
        }
    }
    found
}

/// The chain at the root, in all groupings.
fn regrouped(e: Expr) -> Vec<Expr> {
    let Some(op) = chain_of(e) else {
        return Vec::new();
    };
    let mut parts = Vec::new();
    collect(e, op, false, &mut parts);
    if parts.len() < 3 || parts.len() > LONGEST {
        return Vec::new();
    }
    let mut found = BTreeSet::new();
    group(&parts, op, &mut found);
    let mut all: Vec<Expr> = found.into_iter().collect();
    all.sort_by_cached_key(|e| e.to_string());
    all
}

/// The operator of a chain; that of sums for differences.
fn chain_of(e: Expr) -> Option<Op> {
    match e.node() {
        Node::Apply(Op::Add | Op::Sub, _) => Some(Op::Add),
        Node::Apply(op @ (Op::Mul | Op::Min | Op::Max | Op::And | Op::Or), _) => Some(op),
        _ => None,
    }
}

fn collect(e: Expr, op: Op, minus: bool, out: &mut Vec<Part>) {
    match e.node() {
        Node::Apply(found, args) if chain_of(e) == Some(op) => {
            collect(args[0], op, minus, out);
            collect(args[1], op, minus != (found == Op::Sub), out);
        }
        _ => out.push((e, minus)),
    }
}

fn group(parts: &[Part], op: Op, found: &mut BTreeSet<Expr>) {
    if found.len() >= MOST {
        return;
    }
    if let [(e, minus)] = parts {
        found.insert(match minus {
            true => build(Op::Sub, &[Expr::int(0), *e]),
            false => *e,
        });
        return;
    }
    for i in 0..parts.len() {
        for j in i + 1..parts.len() {
            let ((a, minus_a), (b, minus_b)) = (parts[i], parts[j]);
            let (e, minus) = match (minus_a, minus_b) {
                (false, false) => (build(op, &[a, b]), false),
                (true, true) => (build(op, &[a, b]), true),
                (false, true) => (build(Op::Sub, &[a, b]), false),
                (true, false) => (build(Op::Sub, &[b, a]), false),
            };
            let mut rest: Vec<Part> = parts.to_vec();
            rest.remove(j);
            rest[i] = (e, minus);
            group(&rest, op, found);
        }
    }
}
