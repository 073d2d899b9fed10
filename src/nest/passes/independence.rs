//! Independence: compilers are told which loops of threads have iterations that do not depend on each other.
//!
//! Comes in: a nest; goes out: the same, in which innermost loops inside of a parallel one, loops over windows aside, are
//! [`LoopKind::Independent`] if each of their iterations stores elements of its own, and reads of buffers that are stored
//! to none but those. Buffers are apart, as pointers with `restrict` say; but what a thread runs is a function of its own to gcc, in
//! which these pointers are members of a structure, so that it compares addresses, or gives up. So it does where a buffer of the
//! kernel's own is read and stored to. Invariant: nothing is computed otherwise. Absent: other loops outside of parallel ones, where
//! `restrict` says as much; stores of vectors, which compilers have no choice about.

use crate::arith::{is_whole, AtomKind, Nat, Signs};
use crate::index::Facts;
use crate::intern::Symbol;
use crate::nest::{walk, Block, BufId, ExprKind, LoopKind, Nest, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// The most iterations of a loop over a window.
const WINDOW: i64 = 16;

/// The most places of an array that are told apart.
const PLACES: usize = 32;

/// Marks loops.
pub(super) fn mark(nest: &mut Nest, facts: &mut Facts) {
    let mut body = std::mem::take(&mut nest.body);
    let mut marks = Marks {
        root: &|b| nest.root(b),
        facts,
    };
    marks.block(&mut body, false);
    nest.body = body;
}

struct Marks<'a> {
    root: &'a dyn Fn(BufId) -> BufId,
    facts: &'a mut Facts,
}

impl Marks<'_> {
    fn block(&mut self, block: &mut Block, threads: bool) {
        for s in block {
            match s {
                Stmt::For {
                    var,
                    extent,
                    kind,
                    body,
                    ..
                } => {
                    self.facts.range(*var, 0.into(), *extent - 1.into());
                    // Where a loop has no iteration nothing is stored.
                    let known = self.facts.len();
                    self.facts.not_negative(*extent - 1.into());
                    self.block(body, threads || *kind == LoopKind::Par);
                    let head = (*var, *extent, threads);
                    if *kind == LoopKind::Seq && is_independent(body, head, self) {
                        *kind = LoopKind::Independent;
                    }
                    self.facts.forget(known);
                }
                Stmt::If { then, els, .. } => {
                    self.block(then, threads);
                    self.block(els, threads);
                }
                _ => {}
            }
        }
    }
}

fn is_independent(
    body: &Block,
    (var, extent, threads): (Symbol, Nat, bool),
    marks: &Marks,
) -> bool {
    let root = marks.root;
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
        && stores
            .values()
            .all(|all| are_apart(all, (var, extent), &own, marks.facts))
}

/// Whether what different iterations touch never meets: all places move by as much, and any two lie closer together than that, or further
/// apart than all iterations go, as places of different planes do.
fn are_apart(
    places: &[Nat],
    (var, extent): (Symbol, Nat),
    own: &BTreeSet<Symbol>,
    facts: &Facts,
) -> bool {
    let Some(first) = places.first() else {
        return true;
    };
    let step = |n: Nat| n.coefficient(var).and_then(Nat::as_int);
    let Some(by) = step(*first).filter(|k| *k > 0) else {
        return false;
    };
    let moves = |n: &Nat| {
        let mut known = step(*n) == Some(by);
        n.each_atom(&mut |a| known &= !matches!(a.kind(), AtomKind::Var(v) if own.contains(&v)));
        known
    };
    let all: BTreeSet<Nat> = places.iter().copied().collect();
    if all.len() > PLACES || !all.iter().all(moves) {
        return false;
    }
    let reach = Nat::int(by) * (extent - 1.into()) + 1.into();
    // Planes of whole rows are further apart than a row, however many rows they have.
    let beyond = |n: Nat| {
        let rows = n.exact_div(extent);
        let planes = is_whole(rows) && facts.at_least(rows, by.into());
        planes || facts.at_least(facts.simplify(n), reach)
    };
    let apart = |between: Nat| match between.as_int() {
        Some(d) => d.abs() < by,
        None => beyond(between) || beyond(Nat::int(0) - between),
    };
    let others = |(i, a): (usize, &Nat)| all.iter().skip(i + 1).all(|b| apart(*b - *a));
    all.iter().enumerate().all(others)
}
