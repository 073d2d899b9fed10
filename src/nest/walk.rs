//! Visits of statements and of the expressions in them.

use super::{Block, BufId, Expr, ExprKind, Stmt};
use crate::arith::Nat;
use crate::intern::Symbol;
use rustc_hash::FxHashMap;

/// Calls `f` on every statement, outer ones first.
pub fn each_stmt(block: &[Stmt], f: &mut impl FnMut(&Stmt)) {
    fn go(block: &[Stmt], f: &mut dyn FnMut(&Stmt)) {
        for s in block {
            f(s);
            match s {
                Stmt::For { body, .. } => go(body, f),
                Stmt::If { then, els, .. } => {
                    go(then, f);
                    go(els, f);
                }
                _ => {}
            }
        }
    }
    go(block, f);
}

/// Puts other statements in the place of those for which there are some, and looks inside of the rest.
pub fn replace(block: &mut Block, others: &mut dyn FnMut(&Stmt) -> Option<Block>) {
    let mut at = 0;
    while at < block.len() {
        if let Some(made) = others(&block[at]) {
            let many = made.len();
            block.splice(at..=at, made);
            at += many;
            continue;
        }
        match &mut block[at] {
            Stmt::For { body, .. } => replace(body, others),
            Stmt::If { then, els, .. } => {
                replace(then, others);
                replace(els, others);
            }
            _ => {}
        }
        at += 1;
    }
}

/// Whether some statement of a block is such a one.
pub fn holds(block: &[Stmt], is: &dyn Fn(&Stmt) -> bool) -> bool {
    let mut found = false;
    each_stmt(block, &mut |s| found |= is(s));
    found
}

/// Whether there are loops in a block: one around it is not innermost.
pub fn has_loops(block: &[Stmt]) -> bool {
    holds(block, &|s| matches!(s, Stmt::For { .. }))
}

/// What a statement reads: array, index, lanes.
pub fn each_load(s: &Stmt, f: &mut impl FnMut(BufId, (Nat, u32))) {
    if let Some(e) = exprs(s) {
        e.visit(&mut |e| {
            if let ExprKind::Load(b, n) = e.kind() {
                f(*b, (*n, e.shape().lanes));
            }
        });
    }
}

/// The variable that a statement declares.
pub fn declared(s: &Stmt) -> Option<Symbol> {
    match s {
        Stmt::Let { var, .. } | Stmt::Index { var, .. } | Stmt::For { var, .. } => Some(*var),
        _ => None,
    }
}

/// The expressions that stand directly in a statement.
pub fn exprs(s: &Stmt) -> Option<&Expr> {
    match s {
        Stmt::If { cond, .. } => Some(cond),
        Stmt::Let { value, .. } => value.as_ref(),
        Stmt::Assign { value, .. } | Stmt::Store { value, .. } => Some(value),
        Stmt::For { .. } | Stmt::Index { .. } | Stmt::Alloc(_) | Stmt::Prefetch { .. } => None,
    }
}

/// The variables that stand in a value and its indices.
pub fn mentioned(e: &Expr, all: &mut Vec<Symbol>) {
    e.visit(&mut |e| {
        if let ExprKind::Var(v) = e.kind() {
            all.push(*v);
        }
        if let Some(n) = e.own_index() {
            all.extend(n.vars().iter());
        }
    });
}

/// The variable that a statement gives its only value, and that value.
pub fn constant(s: &Stmt) -> Option<(Symbol, &Expr)> {
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

/// Calls `f` on every integer expression that stands directly in a statement.
pub fn each_index(s: &Stmt, f: &mut impl FnMut(Nat)) {
    match s {
        Stmt::For { extent, .. } => f(*extent),
        Stmt::Index { value, .. } => f(*value),
        Stmt::Store { index, .. } | Stmt::Prefetch { index, .. } => f(*index),
        _ => {}
    }
    if let Some(e) = exprs(s) {
        e.visit(&mut |e| e.own_index().into_iter().for_each(&mut *f));
    }
}

/// Loops that compilers write out have no more iterations.
const FEW: i64 = 16;

/// Whether a loop's iterations are single elements, each at a place that the indices of loops say: compilers may put them in lanes
/// without collecting numbers.
pub fn are_elements(body: &[Stmt]) -> bool {
    let mut computed = Vec::new();
    let mut all = true;
    for s in body {
        all &= match s {
            Stmt::Let { var, .. } => {
                computed.push(*var);
                true
            }
            Stmt::Index { .. } | Stmt::Store { .. } => true,
            _ => false,
        };
        each_index(s, &mut |n| all &= !computed.iter().any(|v| n.mentions(*v)));
        all &= is_of_numbers(s);
    }
    all
}

/// Whether what a statement computes itself is no vector.
fn is_of_numbers(s: &Stmt) -> bool {
    let mut all = true;
    if let Some(e) = exprs(s) {
        e.visit(&mut |e| all &= e.shape().lanes == 1);
    }
    all
}

/// Whether iterations of a loop store several elements of one array as far apart as a size says, beside loops of a few iterations: compilers
/// ask whether such stores meet, as long as they are few.
pub fn are_planes(body: &[Stmt]) -> bool {
    let mut stores: Vec<(BufId, Nat)> = Vec::new();
    let simple = body.iter().all(|s| match s {
        Stmt::Store { buf, index, .. } => {
            stores.push((*buf, *index));
            true
        }
        Stmt::For { extent, body, .. } => {
            let few = extent.as_int().is_some_and(|n| n <= FEW);
            few && (body.iter()).all(|s| matches!(s, Stmt::Let { .. } | Stmt::Assign { .. }))
        }
        Stmt::Let { .. } | Stmt::Assign { .. } | Stmt::Index { .. } => true,
        _ => false,
    });
    let apart = |(i, a): (usize, &(BufId, Nat))| {
        let others = &stores[..i];
        (others.iter()).any(|b| a.0 == b.0 && (a.1 - b.1).as_int().is_none())
    };
    simple && body.iter().all(is_of_numbers) && stores.iter().enumerate().any(apart)
}

/// Replaces every expression of a block, and every integer expression outside
/// of those.
pub fn map_block(
    block: &mut [Stmt],
    expr: &mut dyn FnMut(&Expr) -> Expr,
    index: &mut dyn FnMut(Nat) -> Nat,
) {
    for s in block {
        match s {
            Stmt::For { extent, body, .. } => {
                *extent = index(*extent);
                map_block(body, expr, index);
            }
            Stmt::If { cond, then, els } => {
                *cond = expr(cond);
                map_block(then, expr, index);
                map_block(els, expr, index);
            }
            Stmt::Let { value, .. } => {
                if let Some(v) = value {
                    *v = expr(v);
                }
            }
            Stmt::Assign { value, .. } => *value = expr(value),
            Stmt::Index { value, .. } => *value = index(*value),
            Stmt::Store {
                index: i,
                value,
                element,
                ..
            } => {
                *i = index(*i);
                *element = index(*element);
                *value = expr(value);
            }
            Stmt::Prefetch { index: i, .. } => *i = index(*i),
            Stmt::Alloc(_) => {}
        }
    }
}

/// Gives variables other names, where they are declared, too.
pub fn rename(block: &mut Block, names: &FxHashMap<Symbol, Symbol>) {
    fn declarations(block: &mut Block, names: &FxHashMap<Symbol, Symbol>) {
        for s in block {
            match s {
                Stmt::For { var, body, .. } => {
                    *var = names.get(var).copied().unwrap_or(*var);
                    declarations(body, names);
                }
                Stmt::If { then, els, .. } => {
                    declarations(then, names);
                    declarations(els, names);
                }
                Stmt::Let { var, .. } | Stmt::Assign { var, .. } | Stmt::Index { var, .. } => {
                    *var = names.get(var).copied().unwrap_or(*var);
                }
                Stmt::Alloc(_) | Stmt::Store { .. } | Stmt::Prefetch { .. } => {}
            }
        }
    }
    declarations(block, names);
    let index = &mut |n| renamed_index(n, names);
    map_block(block, &mut |e| renamed(e, names), index);
}

/// Lets a block work with other arrays.
pub fn with_others(block: &mut Block, others: &FxHashMap<BufId, BufId>) {
    fn statements(block: &mut Block, others: &FxHashMap<BufId, BufId>) {
        for s in block {
            match s {
                Stmt::For { body, .. } => statements(body, others),
                Stmt::If { then, els, .. } => {
                    statements(then, others);
                    statements(els, others);
                }
                Stmt::Alloc(b) | Stmt::Store { buf: b, .. } | Stmt::Prefetch { buf: b, .. } => {
                    *b = others.get(b).copied().unwrap_or(*b);
                }
                Stmt::Let { .. } | Stmt::Assign { .. } | Stmt::Index { .. } => {}
            }
        }
    }
    statements(block, others);
    let loads = &mut |e: &Expr| {
        e.rewrite(&mut |e| match e.kind() {
            ExprKind::Load(b, n) => {
                let other = ExprKind::Load(*others.get(b)?, *n);
                Some(Expr::new(other, e.shape()))
            }
            _ => None,
        })
    };
    map_block(block, loads, &mut |n| n);
}

/// An expression of variables that have other names.
pub fn renamed(e: &Expr, names: &FxHashMap<Symbol, Symbol>) -> Expr {
    let renamed = e.rewrite(&mut |e| match e.kind() {
        ExprKind::Var(v) => names.get(v).map(|v| Expr::var(*v, e.shape())),
        _ => None,
    });
    renamed.map_indices(&mut |n| renamed_index(n, names))
}

fn renamed_index(n: Nat, names: &FxHashMap<Symbol, Symbol>) -> Nat {
    n.subst_vars(&mut |v| names.get(&v).map(|v| Nat::var(*v)))
}
