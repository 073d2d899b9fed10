//! Expressions in which targets stand on the left where operands may change places.
//!
//! In: an operator and operands. Out: the operation, constants folded, what has the target before what has none if the operator
//! commutes, and comparisons turned so. Absent: rules.

use crate::intern::Symbol;
use crate::scalar::{Expr, Node, Op};
use crate::simplify::build;

/// What is a target.
#[derive(Copy, Clone, Debug)]
pub(super) enum Oriented {
    /// The variable of an expression.
    Name(Symbol),
    /// The variables of a pattern that stand for targets.
    Marked,
}

impl Oriented {
    pub(super) fn is_target(&self, name: Symbol) -> bool {
        match self {
            Oriented::Name(target) => name == *target,
            Oriented::Marked => crate::scalar::is_open(name),
        }
    }

    pub(super) fn has_target(&self, e: Expr) -> bool {
        match e.node() {
            Node::Var(v, _) => self.is_target(v),
            _ => e.args().any(|a| self.has_target(a)),
        }
    }

    /// An operation; where both operands have targets, they stay where they are.
    pub(super) fn make(&self, op: Op, args: &[Expr]) -> Expr {
        let [a, b] = args else {
            return build(op, args);
        };
        match (self.has_target(*a), self.has_target(*b)) {
            (true, true) => Expr::of(op, args),
            (false, true) => match turned(op) {
                Some(op) => Expr::of(op, &[*b, *a]),
                None => build(op, args),
            },
            (true, false) => Expr::of(op, args),
            (false, false) => build(op, args),
        }
    }

    /// An expression with all operations made so.
    pub(super) fn orient(&self, e: Expr) -> Expr {
        match e.node() {
            Node::Apply(op, args) if self.has_target(e) => {
                let parts: Vec<Expr> = args.iter().map(|a| self.orient(*a)).collect();
                self.make(op, &parts)
            }
            _ => e,
        }
    }
}

/// The operator that says the same with its operands exchanged.
fn turned(op: Op) -> Option<Op> {
    Some(match op {
        Op::Lt => Op::Gt,
        Op::Gt => Op::Lt,
        Op::Le => Op::Ge,
        Op::Ge => Op::Le,
        _ if op.commutes() => op,
        _ => return None,
    })
}

/// The same in the words of the rules of index arithmetic: greater is less, the other way round.
pub(super) fn plain(e: Expr) -> Expr {
    let Node::Apply(op, args) = e.node() else {
        return e;
    };
    let parts: Vec<Expr> = args.iter().map(|a| plain(*a)).collect();
    match (op, &parts[..]) {
        (Op::Gt | Op::Ge, [a, b]) => match turned(op) {
            Some(op) => build(op, &[*b, *a]),
            None => e,
        },
        _ => build(op, &parts),
    }
}
