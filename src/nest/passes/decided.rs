//! Choices that are made: where it is known which of two indices is the larger one, nothing asks.
//!
//! Comes in: a block, and what is known of its variables; goes out: one without comparisons of indices that are decided, nor choices by
//! them. Absent: conditions on data.

use crate::arith::Nat;
use crate::index::Facts;
use crate::nest::{walk, Block, Expr, ExprKind, Stmt};
use crate::term::Op;

/// A block without what the facts decide.
pub(super) fn decided(mut block: Block, facts: &Facts) -> Block {
    walk::map_block(&mut block, &mut |e| answer(e, facts), &mut |n| n);
    taken(block)
}

/// An expression without comparisons of indices that the facts decide.
fn answer(e: &Expr, facts: &Facts) -> Expr {
    e.rewrite(&mut |e| {
        let ExprKind::Op(op, args) = e.kind() else {
            return None;
        };
        if let Some([a, b]) = compared(e) {
            let answer = match op {
                Op::Lt => facts.less(a, b),
                _ => facts.less(b, a).map(|k| !k),
            };
            return answer.map(Expr::bool);
        }
        if e.shape().lanes > 1 {
            return None;
        }
        match (op, &args[..]) {
            (Op::And, [a, b]) => Some(answer(a, facts).and(answer(b, facts))),
            (Op::Select, [c, a, b]) => {
                let c = answer(c, facts);
                match c.as_bool() {
                    Some(true) => Some(answer(a, facts)),
                    Some(false) => Some(answer(b, facts)),
                    None => {
                        let args = vec![c, answer(a, facts), answer(b, facts)];
                        Some(Expr::new(ExprKind::Op(Op::Select, args), e.shape()))
                    }
                }
            }
            _ => None,
        }
    })
}

/// A block without choices that are made.
pub(super) fn taken(body: Block) -> Block {
    let mut out = Block::new();
    for mut s in body {
        match s {
            Stmt::If { cond, then, els } => match cond.as_bool() {
                Some(true) => out.extend(taken(then)),
                Some(false) => out.extend(taken(els)),
                None => out.push(Stmt::If {
                    cond,
                    then: taken(then),
                    els: taken(els),
                }),
            },
            Stmt::For { ref mut body, .. } => {
                *body = taken(std::mem::take(body));
                out.push(s);
            }
            s => out.push(s),
        }
    }
    out
}

/// The indices of `a < b` and `a <= b`.
pub(super) fn compared(e: &Expr) -> Option<[Nat; 2]> {
    match e.kind() {
        ExprKind::Op(Op::Lt | Op::Le, args) => {
            Some([args.first()?.as_index()?, args.get(1)?.as_index()?])
        }
        _ => None,
    }
}
