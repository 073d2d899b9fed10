//! Rules that change constants only: fewer are negative, or their sum is smaller.

use super::cases::Case;
use super::measure::{is_folded, operands};
use crate::scalar::{Expr, Node, Op, Sort};
use crate::simplify::{build, Facts};

/// Branches of a condition that are looked at.
const BRANCHES: usize = 64;

/// Whether, wherever the condition holds, fewer constants are negative on the right, or as many and the sum of the
/// sizes of all is less. What stands on both sides says nothing.
pub fn decreases(case: &Case) -> bool {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    constants(case.left, &mut before);
    constants(case.right, &mut after);
    before.retain(|c| match after.iter().position(|d| c == d) {
        Some(i) => {
            after.remove(i);
            false
        }
        None => true,
    });
    let mut branches = vec![Vec::new()];
    let zero = Expr::int(0);
    for c in &before {
        let negative = build(Op::Lt, &[*c, zero]);
        split(
            build(Op::Or, &[negative, build(Op::Le, &[zero, *c])]),
            &mut branches,
        );
    }
    for part in case.condition.conjuncts() {
        split(part, &mut branches);
    }
    if branches.len() > BRANCHES {
        return false;
    }
    branches
        .iter()
        .all(|branch| smaller(&before, &after, branch))
}

/// How many constants of an expression without pattern variables are negative, and the sum of the sizes of all.
pub fn sizes(e: Expr) -> (usize, u128) {
    let (mut negative, mut size) = (0, 0);
    numbers(e, &mut |n| {
        negative += usize::from(n < 0);
        size += u128::from(n.unsigned_abs());
    });
    (negative, size)
}

fn numbers(e: Expr, f: &mut impl FnMut(i64)) {
    match e.node() {
        Node::Int(n) => f(n),
        Node::Apply(op, _) => operands(op, e).for_each(|a| numbers(a, f)),
        _ => {}
    }
}

/// In one branch, in which each constant of the left is known to be negative or not.
fn smaller(before: &[Expr], after: &[Expr], branch: &[Expr]) -> bool {
    let mut facts = Facts::new();
    for e in branch {
        // A branch that contradicts itself does not occur.
        if facts.decide(*e) == Some(false) {
            return true;
        }
        facts.assume(*e);
    }
    let zero = Expr::int(0);
    let holds = |op: Op, a: Expr, b: Expr| facts.decide(build(op, &[a, b])) == Some(true);
    if !after.iter().all(|c| holds(Op::Le, zero, *c)) {
        return false;
    }
    let sum = |all: &[Expr]| {
        let all = all.iter();
        all.fold(zero, |s, c| build(Op::Add, &[s, *c]))
    };
    before.iter().any(|c| holds(Op::Lt, *c, zero)) || holds(Op::Lt, sum(after), sum(before))
}

/// Adds a condition to every branch; at `||` and `!=`, a branch for each side.
fn split(e: Expr, branches: &mut Vec<Vec<Expr>>) {
    match e.node() {
        Node::Apply(Op::Or, args) if branches.len() <= BRANCHES => {
            let mut other = branches.clone();
            split(args[0], branches);
            split(args[1], &mut other);
            branches.extend(other);
        }
        Node::Apply(Op::Ne, args) => {
            let less = |a: Expr, b: Expr| build(Op::Lt, &[a, b]);
            let either = [less(args[0], args[1]), less(args[1], args[0])];
            split(Expr::of(Op::Or, &either), branches);
        }
        Node::Apply(Op::And, args) => args.iter().for_each(|a| split(*a, branches)),
        Node::Apply(Op::Prove, _) => {}
        _ => branches.iter_mut().for_each(|b| b.push(e)),
    }
}

/// The numbers of a pattern, each as often as it stands there, none within another.
fn constants(e: Expr, out: &mut Vec<Expr>) {
    match e.node() {
        _ if is_folded(e) && e.sort() == Sort::INT => out.push(e),
        Node::Apply(op, _) => operands(op, e).for_each(|a| constants(a, out)),
        _ => {}
    }
}
