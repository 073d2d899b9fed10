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
        Stmt::For { kind, body, .. } => {
            let mut loops = false;
            walk::each_stmt(body, &mut |s| loops |= matches!(s, Stmt::For { .. }));
            !loops && !kind.is_par()
        }
        _ => false,
    }
}

/// Takes out of a loop what it chooses alike in each iteration.
fn invariant(s: &mut Stmt, names: &mut Names) -> Block {
    let mut changes = declared_or_assigned(s);
    let Stmt::For { body, .. } = s else {
        return Block::new();
    };
    let mut before = named_choices(body, &mut changes);
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
    for s in body {
        match s {
            Stmt::Let { value: Some(e), .. }
            | Stmt::Assign { value: e, .. }
            | Stmt::Store { value: e, .. } => *e = outside(e),
            _ => {}
        }
    }
    before.extend(chosen.into_iter().map(|(var, value)| Stmt::Let {
        var,
        shape: value.shape(),
        value: Some(value),
        mutable: false,
    }));
    before
}

/// Takes out of the body of a loop the variables that are choices, and those from which choices are computed; `changes`, all that the
/// loop may change, is left with the others.
fn named_choices(body: &mut Block, changes: &mut FxHashSet<Symbol>) -> Block {
    let mut left = changes.clone();
    let mut same: Vec<(Symbol, &Expr)> = Vec::new();
    for (var, value) in body.iter().filter_map(constant) {
        if is_same(value, &left) {
            left.remove(&var);
            same.push((var, value));
        }
    }
    let mut needed: FxHashSet<Symbol> = FxHashSet::default();
    for e in body.iter().filter_map(walk::exprs) {
        e.rewrite(&mut |e| {
            let moves = is_choice(e) && is_same(e, &left);
            moves.then(|| {
                mentioned(e, &mut needed);
                e.clone()
            })
        });
    }
    for (var, value) in same.iter().rev() {
        if needed.contains(var) || is_choice(value) {
            needed.insert(*var);
            mentioned(value, &mut needed);
        }
    }
    needed.retain(|v| same.iter().any(|(var, _)| var == v));
    changes.retain(|v| !needed.contains(v));
    let goes = |s: &Stmt| constant(s).is_some_and(|(var, _)| needed.contains(&var));
    let (before, after) = std::mem::take(body).into_iter().partition(goes);
    *body = after;
    before
}

fn mentioned(e: &Expr, all: &mut FxHashSet<Symbol>) {
    e.visit(&mut |e| {
        if let ExprKind::Var(v) = e.kind() {
            all.insert(*v);
        }
    });
}

/// A variable that has one value, and that value.
fn constant(s: &Stmt) -> Option<(Symbol, &Expr)> {
    match s {
        Stmt::Let {
            var,
            value: Some(value),
            mutable: false,
            ..
        } => Some((*var, value)),
        _ => None,
    }
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
