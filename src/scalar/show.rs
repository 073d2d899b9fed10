//! Expressions as text that reads back.

use super::expr::{Expr, Node, Op};
use crate::source::Span;
use crate::syntax::tree::{self, BinOp, ExprKind};
use crate::syntax::{parenthesize, print_expr_flat};
use std::fmt;

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&print_expr_flat(&parenthesize(tree(*self))))
    }
}

impl fmt::Debug for Expr {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn tree(e: Expr) -> tree::Expr {
    let name = |s: &str| make(ExprKind::Name(s.to_string()));
    let (op, args) = match e.node() {
        Node::Int(n) if n < 0 => {
            let digits = make(ExprKind::Number(n.unsigned_abs().to_string()));
            return make(ExprKind::Neg(Box::new(digits)));
        }
        Node::Int(n) => return make(ExprKind::Number(n.to_string())),
        Node::Bool(b) => return name(if b { "true" } else { "false" }),
        Node::Var(v, _) => return name(v.as_str()),
        Node::Apply(op, args) => (op, args),
    };
    let mut parts: Vec<tree::Expr> = args.iter().map(|a| tree(*a)).collect();
    if let (Some(op), [l, r]) = (binary(op), &parts[..]) {
        return make(ExprKind::Binary(
            op,
            Box::new(l.clone()),
            Box::new(r.clone()),
        ));
    }
    match (op, parts.len()) {
        (Op::Not, _) => make(ExprKind::Not(Box::new(parts.swap_remove(0)))),
        (_, 1) => {
            let argument = make(ExprKind::Paren(Box::new(parts.swap_remove(0))));
            make(ExprKind::App(Box::new(name(op.text())), vec![argument]))
        }
        _ => {
            let arguments = make(ExprKind::Tuple(parts));
            make(ExprKind::App(Box::new(name(op.text())), vec![arguments]))
        }
    }
}

/// The infix operator, of operators that are written so.
pub(super) fn binary(op: Op) -> Option<BinOp> {
    Some(match op {
        Op::Add => BinOp::Add,
        Op::Sub => BinOp::Sub,
        Op::Mul => BinOp::Mul,
        Op::Div => BinOp::Div,
        Op::Mod => BinOp::Mod,
        Op::Eq => BinOp::Eq,
        Op::Ne => BinOp::Ne,
        Op::Lt => BinOp::Lt,
        Op::Le => BinOp::Le,
        Op::Gt => BinOp::Gt,
        Op::Ge => BinOp::Ge,
        Op::And => BinOp::AndAlso,
        Op::Or => BinOp::OrElse,
        Op::Min | Op::Max | Op::Not | Op::Select | Op::Broadcast | Op::Ramp | Op::Prove => {
            return None
        }
    })
}

fn make(kind: ExprKind) -> tree::Expr {
    tree::Expr::new(Span::default(), kind)
}
