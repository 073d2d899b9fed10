//! Partial unrolling: short sums are computed several iterations at once.
//!
//! Comes in: a nest; goes out: the same, in which loops over a few known iterations that only add to vectors are
//! [`LoopKind::PartialUnroll`]. Such a loop is over before counting its iterations has paid; and gcc, to which an operand in
//! memory is as good as one in a register, loads a vector again for each use of it, unless several iterations share its
//! register. So are loops that add up as many short numbers as a vector has, which gcc writes out otherwise. Invariant: nothing
//! is computed otherwise. Absent: loops whose vectors do not all fit into the registers, which operands in memory help; longer
//! ones, of which more code is read than counting saves.

use crate::arith::Nat;
use crate::intern::Symbol;
use crate::nest::{settled, walk, Block, BufId, Expr, ExprKind, LoopKind, Nest, Shape, Stmt};
use crate::term::Op;
use crate::ty::Scalar;
use std::collections::BTreeSet;

/// So many iterations at once.
pub const TIMES: i64 = 4;
/// Iterations of a loop that is short.
const FEW: i64 = 64;

/// Marks loops.
pub(super) fn mark(nest: &mut Nest, registers: u32) {
    // One register is for what is in all lanes of it.
    let room = registers.saturating_sub(1);
    mark_in(&mut nest.body, room as usize);
}

fn mark_in(block: &mut Block, room: usize) {
    for s in block {
        // Such a loop may be over long before.
        if settled(s).is_some() {
            continue;
        }
        match s {
            Stmt::For {
                extent, kind, body, ..
            } => {
                mark_in(body, room);
                let few = extent
                    .as_int()
                    .is_some_and(|n| (2 * TIMES..=FEW).contains(&n));
                let fits = few && vectors(body).is_some_and(|n| n <= room);
                if *kind == LoopKind::Seq && (fits || widens(*extent, body)) {
                    *kind = LoopKind::PartialUnroll;
                }
            }
            Stmt::If { then, els, .. } => {
                mark_in(then, room);
                mark_in(els, room);
            }
            _ => {}
        }
    }
}

/// Whether a loop adds up short numbers that are widened first, in as many iterations as a vector has of them. For such sums compilers have
/// instructions (`psadbw`, `pmaddwd`), which they find in loops alone, and gcc writes loops of so few iterations out before it looks.
fn widens(extent: Nat, body: &[Stmt]) -> bool {
    let whole = extent.as_int().is_some_and(|n| n == 8 || n == 16);
    let (mut sums, mut short, mut other) = (0, false, false);
    for s in body {
        match s {
            Stmt::Let { .. } | Stmt::Index { .. } => {}
            Stmt::Assign { var, value } => {
                let own = |e: &Expr| matches!(e.kind(), ExprKind::Var(v) if v == var);
                sums += 1;
                other |= value.shape() != Shape::scalar(Scalar::I32);
                other |= !matches!(value.kind(), ExprKind::Op(Op::Add | Op::Fma, args) if args.iter().any(own));
            }
            _ => other = true,
        }
        if let Some(e) = walk::exprs(s) {
            let is_short = |e: &Expr| e.shape().elem.is_int() && e.shape().elem.bytes() <= 2;
            e.visit(&mut |e| {
                short |= matches!(e.kind(), ExprKind::Load(..)) && is_short(e);
                // What is counted is written out as well as it can be.
                other |= e.shape().elem == Scalar::Bool;
            });
        }
    }
    whole && sums == 1 && short && !other
}

/// How many vectors a list of sums keeps: accumulators, and what it loads.
fn vectors(body: &[Stmt]) -> Option<usize> {
    let (mut own, mut sums) = (BTreeSet::<Symbol>::new(), BTreeSet::<Symbol>::new());
    let mut loads = BTreeSet::<(BufId, Nat)>::new();
    for s in body {
        match s {
            Stmt::Let { var, .. } | Stmt::Index { var, .. } => {
                own.insert(*var);
            }
            Stmt::Assign { var, value } if value.shape().lanes > 1 && !own.contains(var) => {
                sums.insert(*var);
            }
            Stmt::Prefetch { .. } => {}
            _ => return None,
        }
        if let Some(e) = walk::exprs(s) {
            e.visit(&mut |e| {
                if let ExprKind::Load(buf, index) = e.kind() {
                    loads.extend((e.shape().lanes > 1).then_some((*buf, *index)));
                }
            });
        }
    }
    (!sums.is_empty()).then_some(sums.len() + loads.len())
}
