//! Choices that are made: where it is known which of two indices is the larger one, nothing asks.
//!
//! Comes in: a block, and what is known of its variables; goes out: one without comparisons of indices that are decided, nor choices by
//! them, by way of variables, too. Absent: conditions on data.

use crate::arith::Nat;
use crate::index::Facts;
use crate::intern::Symbol;
use crate::nest::{walk, Block, Expr, ExprKind, Stmt};
use crate::term::Op;
use rustc_hash::FxHashMap;

/// A block without what the facts decide.
pub(super) fn decided(mut block: Block, facts: &Facts) -> Block {
    walk::map_block(&mut block, &mut |e| answer(e, facts), &mut |n| n);
    let mut named: FxHashMap<Symbol, Expr> = FxHashMap::default();
    loop {
        let before = named.len();
        walk::each_stmt(&block, &mut |s| {
            if let Stmt::Let {
                var,
                value: Some(value),
                mutable: false,
                ..
            } = s
            {
                if value.as_bool().is_some() {
                    named.insert(*var, value.clone());
                }
            }
        });
        if named.len() == before {
            return taken(block);
        }
        let known = |e: &Expr| match e.kind() {
            ExprKind::Var(v) => named.get(v).cloned(),
            _ => None,
        };
        let answered = &mut |e: &Expr| answer(&e.rewrite(&mut { known }), facts);
        walk::map_block(&mut block, answered, &mut |n| n);
    }
}

/// An expression without comparisons of indices that the facts decide.
fn answer(e: &Expr, facts: &Facts) -> Expr {
    e.rewrite(&mut |e| {
        let ExprKind::Op(op, args) = e.kind() else {
            return None;
        };
        if let Some([a, b]) = compared(e) {
            let differ = || match (facts.less(a, b), facts.less(b, a)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            };
            let answer = match op {
                Op::Lt => facts.less(a, b),
                Op::Le => facts.less(b, a).map(|k| !k),
                Op::Eq => differ().map(|k| !k),
                _ => differ(),
            };
            return answer.map(Expr::bool);
        }
        if e.shape().lanes > 1 {
            return None;
        }
        match (op, &args[..]) {
            (Op::And, [a, b]) => {
                let (a, b) = (answer(a, facts), answer(b, facts));
                match b.as_bool() {
                    Some(false) => Some(b),
                    _ => Some(a.and(b)),
                }
            }
            (Op::Or, [a, b]) => {
                let (a, b) = (answer(a, facts), answer(b, facts));
                Some(match (a.as_bool(), b.as_bool()) {
                    (Some(true), _) | (_, Some(false)) => a,
                    (Some(false), _) | (_, Some(true)) => b,
                    _ => Expr::new(ExprKind::Op(Op::Or, vec![a, b]), e.shape()),
                })
            }
            (Op::Not, [a]) => {
                let a = answer(a, facts);
                Some(match a.as_bool() {
                    Some(k) => Expr::bool(!k),
                    None => Expr::new(ExprKind::Op(Op::Not, vec![a]), e.shape()),
                })
            }
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

/// The indices of `a < b`, `a <= b`, `a == b` and `a != b`.
pub(super) fn compared(e: &Expr) -> Option<[Nat; 2]> {
    match e.kind() {
        ExprKind::Op(Op::Lt | Op::Le | Op::Eq | Op::Ne, args) => {
            Some([args.first()?.as_index()?, args.get(1)?.as_index()?])
        }
        _ => None,
    }
}
