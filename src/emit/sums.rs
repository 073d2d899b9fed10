//! Sums of whole numbers as compilers know them.
//!
//! In: the loop program. Out: which variables are kept without a sign. A sum wraps, which C leaves to numbers without a sign:
//! `(int32_t)((uint32_t)acc + …)` is the same number, but between the additions stands a conversion, behind which compilers
//! find no instruction that adds products of neighbours (`pmaddwd`) or amounts of differences of bytes (`psadbw`). Invariant:
//! such a variable has the same bits, and is read as `(int32_t)acc`. Absent: vectors, whose type is that of their elements; the
//! text.

use crate::arith::Nat;
use crate::intern::Symbol;
use crate::nest::{walk, Block, Expr, ExprKind, LoopKind, Shape, Stmt};
use crate::term::Op;
use crate::ty::Scalar;
use std::collections::BTreeSet;

/// Variables of i32 that are given nothing but themselves and something more, where only one thread sees them.
pub(super) fn without_sign(body: &Block) -> BTreeSet<Symbol> {
    let (mut sums, mut others) = (BTreeSet::new(), BTreeSet::new());
    walk::each_stmt(body, &mut |s| match s {
        Stmt::Assign { var, value } => {
            let all = match grows(*var, value) {
                true => &mut sums,
                false => &mut others,
            };
            all.insert(*var);
        }
        Stmt::For {
            kind: LoopKind::Par,
            body,
            ..
        } => shared(body, &mut others),
        _ => {}
    });
    sums.retain(|v| !others.contains(v));
    sums
}

/// Indices of elements that are read nowhere else, and by the thread that has them alone: of up to 2^31 elements they may be short.
pub(super) fn alone(body: &Block) -> BTreeSet<Symbol> {
    let (mut all, mut others) = (BTreeSet::new(), BTreeSet::new());
    walk::each_stmt(body, &mut |s| {
        match s {
            Stmt::Let {
                var,
                value: Some(value),
                mutable: false,
                ..
            } => {
                let short = |e: &Expr| match e.kind() {
                    ExprKind::Clamp(_, n) => n.as_int().is_some_and(|n| n <= 1 << 31),
                    _ => false,
                };
                all.extend(short(value).then_some(*var));
            }
            Stmt::For {
                kind: LoopKind::Par,
                body,
                ..
            } => shared(body, &mut others),
            _ => {}
        }
        walk::each_index(s, &mut |n| {
            let part = |v: &&Symbol| n.mentions(**v) && n != Nat::var(**v);
            others.extend(all.iter().filter(part));
        });
        if let Some(e) = walk::exprs(s) {
            e.visit(&mut |e| match e.kind() {
                ExprKind::Index(n) | ExprKind::Clamp(_, n) => {
                    others.extend(all.iter().filter(|v| n.mentions(**v)));
                }
                ExprKind::Var(v) => {
                    others.insert(*v);
                }
                _ => {}
            });
        }
    });
    all.retain(|v| !others.contains(v));
    all
}

/// Whether a value is that of a variable and something more.
fn grows(var: Symbol, value: &Expr) -> bool {
    let own = |e: &Expr| matches!(e.kind(), ExprKind::Var(v) if *v == var);
    value.shape() == Shape::scalar(Scalar::I32)
        && match value.kind() {
            ExprKind::Op(Op::Add, args) => args.iter().any(own),
            ExprKind::Op(Op::Fma, args) => args.last().is_some_and(own),
            _ => false,
        }
}

/// What threads may get from outside of their loop.
fn shared(body: &Block, out: &mut BTreeSet<Symbol>) {
    let mut declared = BTreeSet::new();
    let mut read = BTreeSet::new();
    walk::each_stmt(body, &mut |s| {
        declared.extend(walk::declared(s));
        walk::each_index(s, &mut |n| read.extend(n.vars().iter().copied()));
        if let Some(e) = walk::exprs(s) {
            e.visit(&mut |e| {
                if let ExprKind::Var(v) = e.kind() {
                    read.insert(*v);
                }
            });
        }
    });
    out.extend(read.difference(&declared));
}
