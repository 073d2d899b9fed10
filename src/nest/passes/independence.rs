//! Independence: compilers are told which loops of threads have iterations that do not depend on each other.
//!
//! Comes in: a nest; goes out: the same, in which innermost loops inside of a parallel one, loops over windows aside, are
//! [`LoopKind::Independent`] if each of their iterations stores elements of its own, and reads of buffers that are stored
//! to none but those. Buffers are apart, as pointers with `restrict` say; but what a thread runs is a function of its own to gcc, in
//! which these pointers are members of a structure, so that it compares addresses, or gives up. So it does where a buffer of the
//! kernel's own is read and stored to. Invariant: nothing is computed otherwise. Absent: other loops outside of parallel ones, where
//! `restrict` says as much; stores of vectors, which compilers have no choice about.

use crate::arith::{AtomKind, Nat};
use crate::intern::Symbol;
use crate::nest::{walk, Block, BufId, ExprKind, LoopKind, Nest, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// The most iterations of a loop over a window.
const WINDOW: i64 = 16;

/// Marks loops.
pub(super) fn mark(nest: &mut Nest) {
    let mut body = std::mem::take(&mut nest.body);
    mark_in(&mut body, false, &|b| nest.root(b));
    nest.body = body;
}

fn mark_in(block: &mut Block, threads: bool, root: &dyn Fn(BufId) -> BufId) {
    for s in block {
        match s {
            Stmt::For {
                var, kind, body, ..
            } => {
                mark_in(body, threads || *kind == LoopKind::Par, root);
                if *kind == LoopKind::Seq && is_independent(body, *var, threads, root) {
                    *kind = LoopKind::Independent;
                }
            }
            Stmt::If { then, els, .. } => {
                mark_in(then, threads, root);
                mark_in(els, threads, root);
            }
            _ => {}
        }
    }
}

fn is_independent(body: &Block, var: Symbol, threads: bool, root: &dyn Fn(BufId) -> BufId) -> bool {
    let (mut own, mut assigned) = (BTreeSet::new(), BTreeSet::new());
    let mut stores: BTreeMap<BufId, Vec<Nat>> = BTreeMap::new();
    let mut loads: BTreeMap<BufId, Vec<Nat>> = BTreeMap::new();
    let mut fine = true;
    walk::each_stmt(body, &mut |s| {
        match s {
            Stmt::Let { var, .. } => {
                own.insert(*var);
            }
            Stmt::Assign { var, .. } => {
                assigned.insert(*var);
            }
            Stmt::Store {
                buf, index, value, ..
            } => {
                fine &= value.shape().lanes == 1;
                stores.entry(root(*buf)).or_default().push(*index);
            }
            Stmt::If { .. } => {}
            // Loops over windows are unrolled.
            Stmt::For { var, extent, .. } => {
                own.insert(*var);
                fine &= extent.as_int().is_some_and(|n| n <= WINDOW);
            }
            // Its own buffers and names of indices: not the loops that compilers make vectors of.
            Stmt::Index { .. } | Stmt::Alloc(_) | Stmt::Prefetch { .. } => fine = false,
        }
        if let Some(e) = walk::exprs(s) {
            e.visit(&mut |e| {
                if let ExprKind::Load(b, index) = e.kind() {
                    loads.entry(root(*b)).or_default().push(*index);
                }
            });
        }
    });
    let mut updates = false;
    for (b, stored) in &mut stores {
        let read = loads.get(b).into_iter().flatten().copied();
        let before = stored.len();
        stored.extend(read);
        updates |= stored.len() > before;
    }
    fine && !stores.is_empty()
        && assigned.is_subset(&own)
        && (threads || updates)
        && stores.values().all(|all| are_apart(all, var, &own))
}

/// Whether what different iterations touch never meets: all places move by as much, and lie closer together than that.
fn are_apart(places: &[Nat], var: Symbol, own: &BTreeSet<Symbol>) -> bool {
    let Some(first) = places.first() else {
        return true;
    };
    let step = |n: Nat| n.coefficient(var).and_then(Nat::as_int);
    let Some(by) = step(*first).filter(|k| *k > 0) else {
        return false;
    };
    let mut known = true;
    first.each_atom(&mut |a| known &= !matches!(a.kind(), AtomKind::Var(v) if own.contains(&v)));
    let offsets: Option<Vec<i64>> = (places.iter())
        .map(|n| (step(*n)? == by).then_some((*n - *first).as_int()?))
        .collect();
    let Some(offsets) = offsets else { return false };
    let least = offsets.iter().min().copied().unwrap_or(0);
    let most = offsets.iter().max().copied().unwrap_or(0);
    known && most - least < by
}
