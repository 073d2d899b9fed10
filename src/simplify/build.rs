//! Smart constructors: constants are folded, operands of commutative operators ordered.

use crate::scalar::{eval, Expr, Lanes, Node, Op, Value};
use smallvec::SmallVec;
use std::cmp::Ordering;

/// The expression, folded if its operands are constants, with ordered operands if it commutes: what has the
/// larger operator first, then variables by name, constants last; lanes of lanes of a constant are lanes of it. What would leave the constants
/// stays as it is.
pub fn build(op: Op, args: &[Expr]) -> Expr {
    let plain = |args: &[Expr]| Expr::of(op, args);
    if is_fold(op, args) {
        let e = plain(args);
        return fold(op, args, e.sort().lanes).unwrap_or(e);
    }
    if let (Op::Broadcast, Some(one)) = (op, literal(args[0])) {
        return in_lanes(one, plain(args).sort().lanes);
    }
    match *args {
        [a, b] if op.commutes() && compare(a, b) == Ordering::Greater => plain(&[b, a]),
        _ => plain(args),
    }
}

/// Whether an operation is on constants alone.
fn is_fold(op: Op, args: &[Expr]) -> bool {
    !matches!(op, Op::Broadcast | Op::Ramp) && args.iter().all(|a| is_constant(*a))
}

/// Whether it is an operation on constants whose value is none: rules leave it as it is.
pub fn is_stuck(e: Expr) -> bool {
    matches!(e.node(), Node::Apply(op, args) if is_fold(op, &args))
}

/// The constant that an operation on constants is; in lanes, the same in all of them.
fn fold(op: Op, args: &[Expr], lanes: Lanes) -> Option<Expr> {
    let one: Option<SmallVec<[Expr; 3]>> = args.iter().map(|a| literal(*a)).collect();
    let value = match eval(Expr::of(op, &one?), &|_| None).ok()? {
        Value::Int(n) => Expr::checked_int(n)?,
        Value::Bool(b) => Expr::bool(b),
        Value::Vector(_) => return None,
    };
    Some(in_lanes(value, lanes))
}

/// So many lanes of a single value.
pub(super) fn in_lanes(e: Expr, lanes: Lanes) -> Expr {
    match lanes {
        Lanes::One => e,
        _ => Expr::of(Op::Broadcast, &[e, lanes.expr()]),
    }
}

/// What stands in each lane, if that is one literal.
pub(super) fn literal(e: Expr) -> Option<Expr> {
    match e.node() {
        Node::Int(_) | Node::Bool(_) => Some(e),
        Node::Apply(Op::Broadcast, args) => literal(args[0]),
        _ => None,
    }
}

/// A literal, or lanes of one.
pub fn is_constant(e: Expr) -> bool {
    literal(e).is_some()
}

/// A total order of expressions that does not depend on when they were made.
fn compare(a: Expr, b: Expr) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    let rank = |e: Expr| match e.node() {
        _ if is_constant(e) => 2,
        Node::Var(..) => 1,
        _ => 0,
    };
    rank(a)
        .cmp(&rank(b))
        .then_with(|| match (a.node(), b.node()) {
            (Node::Int(x), Node::Int(y)) => x.cmp(&y),
            (Node::Bool(x), Node::Bool(y)) => x.cmp(&y),
            (Node::Var(x, _), Node::Var(y, _)) => x.cmp(&y),
            (Node::Apply(f, x), Node::Apply(g, y)) => f.cmp(&g).then_with(|| {
                let parts = x.iter().zip(y.iter()).map(|(x, y)| compare(*x, *y));
                parts.fold(Ordering::Equal, Ordering::then)
            }),
            (Node::Apply(..), _) => Ordering::Less,
            (_, Node::Apply(..)) => Ordering::Greater,
            _ => Ordering::Equal,
        })
}
