//! Invariant code motion of choices between values: what an innermost loop does not change is chosen before it.
//!
//! Comes in: a nest; goes out: one in which conversions that saturate, maxima, selections and what these are computed from stand before
//! the innermost loop that does not change them. Compilers move arithmetic by themselves, but a choice is a jump to them: where one
//! stays in a loop, they make no vectors of it. Invariant: the same values, each computed from the same operands. Absent: what reads
//! memory, which a loop without iterations does not; operations that are not defined for all numbers; choices of statements, which
//! `loop_unswitching` moves.

use super::fresh::Names;
use super::loop_unswitching::{declared_or_assigned, depends};
use super::tabulation::is_total;
use crate::intern::Symbol;
use crate::nest::{walk, Block, Expr, ExprKind, Nest, Stmt};
use crate::term::Op;
use crate::ty::Scalar;
use rustc_hash::FxHashSet;

/// Moves choices out of innermost loops.
pub(super) fn hoist(nest: &mut Nest) {
    let mut names = Names::of(nest);
    block(&mut nest.body, &mut names);
}

fn block(statements: &mut Block, names: &mut Names) {
    let mut at = 0;
    while at < statements.len() {
        let mut before = Block::new();
        match &mut statements[at] {
            s @ Stmt::For { .. } if is_innermost(s) => before = invariant(s, names),
            Stmt::For { body, .. } => block(body, names),
            Stmt::If { then, els, .. } => {
                block(then, names);
                block(els, names);
            }
            _ => {}
        }
        let many = before.len();
        statements.splice(at..at, before);
        at += many + 1;
    }
}

/// Threads of a parallel loop compute what they need by themselves.
fn is_innermost(s: &Stmt) -> bool {
    match s {
        Stmt::For { kind, body, .. } => !walk::has_loops(body) && !kind.is_par(),
        _ => false,
    }
}

/// Takes out of a loop what it chooses alike in each iteration, and the variables from which that is computed.
fn invariant(s: &mut Stmt, names: &mut Names) -> Block {
    let mut changes = declared_or_assigned(s);
    let Stmt::For { body, .. } = s else {
        return Block::new();
    };
    let mut same = FxHashSet::default();
    for (var, value) in body.iter().filter_map(walk::constant) {
        if is_same(value, &changes) {
            changes.remove(&var);
            same.insert(var);
        }
    }
    let mut chosen: Vec<(Symbol, Expr)> = Vec::new();
    let mut outside = |e: &Expr| {
        e.rewrite(&mut |e| {
            if !is_choice(e) || !is_same(e, &changes) {
                return None;
            }
            let known = chosen.iter().find(|(_, value)| value.same(e));
            let name = known.map(|(name, _)| *name).unwrap_or_else(|| {
                let name = names.like(Symbol::new("x"));
                chosen.push((name, e.clone()));
                name
            });
            Some(Expr::var(name, e.shape()))
        })
    };
    for s in body.iter_mut() {
        match s {
            // As a whole, or not at all.
            Stmt::Let { var, .. } if same.contains(var) => {}
            Stmt::Let { value: Some(e), .. }
            | Stmt::Assign { value: e, .. }
            | Stmt::Store { value: e, .. } => *e = outside(e),
            _ => {}
        }
    }
    let mut needed = Vec::new();
    chosen
        .iter()
        .for_each(|(_, e)| walk::mentioned(e, &mut needed));
    for (var, value) in body.iter().rev().filter_map(walk::constant) {
        if same.contains(&var) && (needed.contains(&var) || is_choice(value)) {
            needed.push(var);
            walk::mentioned(value, &mut needed);
        }
    }
    let goes = |s: &Stmt| {
        walk::constant(s).is_some_and(|(var, _)| same.contains(&var) && needed.contains(&var))
    };
    let (mut before, after): (Block, Block) = std::mem::take(body).into_iter().partition(goes);
    *body = after;
    before.extend(chosen.into_iter().map(|(var, value)| Stmt::Let {
        var,
        shape: value.shape(),
        value: Some(value),
        mutable: false,
    }));
    before
}

/// Whether a loop that changes some variables computes it alike in each iteration, and it may be computed where there is none.
fn is_same(e: &Expr, changes: &FxHashSet<Symbol>) -> bool {
    let mut total = true;
    e.visit(&mut |e| match e.kind() {
        ExprKind::Op(op, _) => total &= is_total(*op, e),
        ExprKind::Pick(..) => total = false,
        _ => {}
    });
    total && !depends(e, changes)
}

/// Whether a compiler may write a jump for a part of it. A condition by itself is none.
fn is_choice(e: &Expr) -> bool {
    let mut jumps = false;
    e.visit(&mut |e| {
        jumps |= match e.kind() {
            ExprKind::Op(op, _) => matches!(op, Op::Select | Op::Min | Op::Max),
            ExprKind::Cast(from) => from.shape().elem.is_float() && e.shape().elem.is_int(),
            _ => false,
        };
    });
    jumps && e.shape().elem != Scalar::Bool && e.shape().lanes == 1
}
