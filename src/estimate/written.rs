//! Which loops compilers write out.
//!
//! In: statements. Out: how many instructions they become if the loops in them are written out, and whether compilers do that.
//! Absent: what those take.

use super::sizes::is_unrolled;
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::nest::{walk, Expr, ExprKind, Stmt};
use std::collections::BTreeSet;

/// Instructions that gcc makes of a loop that it writes out whole, at most, as it counts them (windows of 3×3 to 9×9, gcc 12).
const PEELED: i64 = 300;
/// Those of them that an index takes, what is read there, and each iteration of a loop around another one.
const INDEX: i64 = 2;
const READ: i64 = 2;
const ROW: i64 = 6;

/// Whether compilers write out all loops in a body: short ones that are few instructions all together.
pub fn flat(body: &[Stmt]) -> bool {
    body.iter().all(|s| match s {
        Stmt::For { .. } => written(s).is_some_and(|n| n <= PEELED),
        Stmt::If { then, els, .. } => flat(then) && flat(els),
        _ => true,
    })
}

/// How many instructions a statement becomes if its loops are written out; none where one is long. Of what is read at a place, its index
/// is counted once in an iteration.
fn written(s: &Stmt) -> Option<i64> {
    written_in(s, &mut Vec::new())
}

/// The same in loops that are written out, whose indices are then numbers.
fn written_in(s: &Stmt, known: &mut Vec<Symbol>) -> Option<i64> {
    let all = |body: &[Stmt], known: &mut Vec<Symbol>| {
        let mut places = BTreeSet::new();
        let own = body.iter().map(|s| instructions(s, known, &mut places));
        let own: i64 = own.sum();
        let inner = body.iter().map(|s| written_in(s, known));
        let inner = inner.sum::<Option<i64>>()?;
        Some(own + INDEX * places.len() as i64 + inner)
    };
    match s {
        Stmt::For {
            var, extent, body, ..
        } if is_unrolled(*extent) => {
            let has_loops = body.iter().any(|s| matches!(s, Stmt::For { .. }));
            known.push(*var);
            let each = all(body, known);
            known.pop();
            let each = each? + if has_loops { ROW } else { 0 };
            Some(extent.as_int()?.saturating_mul(each))
        }
        Stmt::For { .. } => None,
        Stmt::If { then, els, .. } => Some(all(then, known)? + all(els, known)?),
        _ => Some(0),
    }
}

/// Instructions of a statement that is no loop, without those for indices, which are collected.
fn instructions(s: &Stmt, known: &[Symbol], places: &mut BTreeSet<Nat>) -> i64 {
    match (s, walk::exprs(s)) {
        (Stmt::For { .. } | Stmt::If { .. }, _) | (_, None) => 0,
        (_, Some(e)) => computed(e, known, places).unwrap_or(0),
    }
}

/// Instructions of a value; none where that is a number when these indices are.
fn computed(e: &Expr, known: &[Symbol], places: &mut BTreeSet<Nat>) -> Option<i64> {
    let (mut count, mut constant) = (0, true);
    e.each_operand(&mut |e| {
        let inner = computed(e, known, places);
        constant &= inner.is_none();
        count += inner.unwrap_or(0);
    });
    match e.kind() {
        ExprKind::Load(_, index) => {
            constant = false;
            count += 1;
            if index.as_int().is_none() {
                places.insert(*index);
                count += READ - 1;
            }
        }
        ExprKind::Index(n) => constant &= n.vars().iter().all(|v| known.contains(v)),
        ExprKind::Lit(_) => {}
        ExprKind::Op(..) | ExprKind::Cast(..) => count += 1,
        _ => constant = false,
    }
    (!constant).then_some(count)
}
