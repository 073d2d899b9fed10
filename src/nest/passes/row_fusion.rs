//! Fusion of rows: an outer loop runs inside of the one before it, if both go over the same rows.
//!
//! Comes in: a nest; goes out: the same, in which of two loops of one block with as many iterations and loops in them, of which the second
//! reads of what the first stores the row of the same iteration alone, one is left, if rows that one touches are read by the other one:
//! these are in the caches still, where each loop by itself reads all of them from memory. Of a buffer of rows that nothing else touches
//! one row is left, of each thread. Inner loops stay as they are. Invariant: the iterations of each loop keep their order; no iteration of
//! the second reads or overwrites what another one of the first stores or reads. Absent: innermost loops (`stage_fusion`, `loop_fusion`); rows that are shorter than some lines.

use super::effects::{handed_on, place_of_both, Touched};
use super::line_buffers::folded;
use crate::arith::{Nat, Signs};
use crate::index::Facts;
use crate::intern::Symbol;
use crate::nest::{walk, Block, BufId, Expr, ExprKind, LoopKind, Nest, Stmt, StorageClass};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The fewest elements of a row.
const LONG: i64 = 64;

/// Fuses outer loops of a nest.
pub(super) fn fuse(nest: &mut Nest, facts: &mut Facts) {
    let mut body = std::mem::take(&mut nest.body);
    walk::each_stmt(&body, &mut |s| {
        if let Stmt::For { var, extent, .. } = s {
            // Loops that passes have made have no range yet.
            if facts.range_of(*var).is_none() {
                facts.range(*var, Nat::int(0), *extent - Nat::int(1));
            }
        }
    });
    Fusion { nest, facts }.block(&mut body);
    nest.body = body;
}

struct Fusion<'a> {
    nest: &'a mut Nest,
    facts: &'a mut Facts,
}

impl Fusion<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut second = 0;
        while second < block.len() {
            let mut before = (0..second).rev();
            match before.find_map(|first| Some((first, self.place(block, first, second)?))) {
                Some((first, place)) => {
                    merge(block, (first, second), place);
                    second = self.keep_rows(block, place);
                }
                None => {
                    self.inside(&mut block[second]);
                    second += 1;
                }
            }
        }
    }

    fn inside(&mut self, s: &mut Stmt) {
        match s {
            Stmt::For { extent, body, .. } => {
                let known = self.facts.len();
                self.facts.not_negative(*extent - Nat::int(1));
                self.block(body);
                self.facts.forget(known);
            }
            Stmt::If { then, els, .. } => {
                self.block(then);
                self.block(els);
            }
            _ => {}
        }
    }

    /// Where one loop is to stand instead of two, counted without the first or the second; nothing if they stay two.
    fn place(&self, block: &[Stmt], first: usize, second: usize) -> Option<usize> {
        let a = Outer::of(self.nest, &block[first])?;
        let b = Outer::of(self.nest, &block[second])?;
        if a.extent != b.extent || a.kind != b.kind || !a.share_rows(&b) {
            return None;
        }
        let overwrites = !b.writes.buffers.is_disjoint(&a.reads.buffers)
            || !b.writes.buffers.is_disjoint(&a.writes.buffers);
        let mut handed = a.writes.buffers.intersection(&b.reads.buffers);
        if overwrites || !handed.all(|buf| self.are_own_rows(*buf, &a, &b)) {
            return None;
        }
        let both = ((&a.reads, &a.writes), (&b.reads, &b.writes));
        place_of_both(self.nest, block, (first, second), both)
    }

    /// Whether each iteration of the first loop stores to a row of its own, and the second reads nothing of other rows.
    fn are_own_rows(&self, buf: BufId, a: &Outer, b: &Outer) -> bool {
        let stored = a.places.iter().filter(|p| p.stores && p.buf == buf);
        let read = b.places.iter().filter(|p| !p.stores && p.buf == buf);
        let mut all = stored.map(|p| (p, a.var)).chain(read.map(|p| (p, b.var)));
        let Some(row) = a.row(buf) else {
            return false;
        };
        all.all(|(p, var)| {
            let inside = p.index - Nat::var(var) * row;
            !inside.mentions(var)
                && self.facts.at_least(inside, Nat::int(0))
                && self
                    .facts
                    .at_least(row, self.most(inside) + Nat::int(p.lanes))
        })
    }

    /// Leaves one row of each buffer of which a loop goes over rows of its own, and that nothing else touches; where the loop stands then.
    fn keep_rows(&mut self, block: &mut Block, at: usize) -> usize {
        let Some(of) = Outer::of(self.nest, &block[at]) else {
            return at;
        };
        let mut at = at;
        let both: BTreeSet<BufId> = of
            .writes
            .buffers
            .intersection(&of.reads.buffers)
            .copied()
            .collect();
        for buf in both {
            let Some((place, row)) = self.kept_row(block, at, &of, buf) else {
                continue;
            };
            let buffer = &mut self.nest.buffers[buf.0 as usize];
            buffer.len = row;
            let nest = &*self.nest;
            let line = |b: BufId, index: Nat, _: i64| {
                let inside = || written_out(index, &of.names) - Nat::var(of.var) * row;
                (nest.root(b) == buf).then(inside)
            };
            let Stmt::For { body, .. } = &mut block[at] else {
                unreachable!("it is a loop");
            };
            folded(body, &line);
            if of.kind == LoopKind::Par {
                body.insert(0, Stmt::Alloc(buf));
                self.nest.buffers[buf.0 as usize].storage = StorageClass::ThreadHeap;
                block.remove(place);
                at -= 1;
            }
        }
        at
    }

    /// Where a buffer begins of which a loop needs one row at a time, and how long that is.
    fn kept_row(&self, block: &[Stmt], at: usize, of: &Outer, buf: BufId) -> Option<(usize, Nat)> {
        let is_begin = |s: &Stmt| matches!(s, Stmt::Alloc(b) if *b == buf);
        let place = block[..at].iter().position(is_begin)?;
        let row = of.row(buf)?;
        let buffer = &self.nest.buffers[buf.0 as usize];
        let sizes = buffer.len.vars();
        let long =
            row.as_int().is_none_or(|n| n >= LONG) && row.vars().iter().all(|v| sizes.contains(v));
        let heap = matches!(
            buffer.storage,
            StorageClass::Heap | StorageClass::ThreadHeap
        );
        let has_one_name = !self.nest.buffers.iter().any(|b| b.alias == Some(buf));
        let touches = |s: &Stmt| {
            Touched::read(self.nest, s).buffers.contains(&buf)
                || Touched::written(self.nest, s).buffers.contains(&buf)
        };
        let mut others = (block.iter().enumerate()).filter(|(i, _)| *i != place && *i != at);
        let alone = !others.any(|(_, s)| touches(s));
        (long && heap && has_one_name && alone && self.are_own_rows(buf, of, of))
            .then_some((place, row))
    }

    /// The most that a number is, by the bounds of the loops whose variables grow it; inner ones first, as theirs may name outer ones.
    fn most(&self, n: Nat) -> Nat {
        let bounded = |v: &Symbol| Some((*v, self.facts.range_of(*v)?.1));
        let vars: Vec<(Symbol, Nat)> = n.vars().iter().filter_map(bounded).collect();
        vars.into_iter().rev().fold(n, |n, (v, bound)| {
            let factor = n
                .coefficient(v)
                .filter(|f| self.facts.at_least(*f, Nat::int(0)));
            factor.map_or(n, |f| n + f * (bound - Nat::var(v)))
        })
    }
}

/// Puts the body of the second loop behind that of the first, and both at a place.
fn merge(block: &mut Block, (first, second): (usize, usize), place: usize) {
    let (of_second, mut fused) = (block.remove(second), block.remove(first));
    let (
        Stmt::For { var, body, .. },
        Stmt::For {
            var: other,
            body: mut rest,
            ..
        },
    ) = (&mut fused, of_second)
    else {
        unreachable!("both are loops");
    };
    walk::rename(&mut rest, &FxHashMap::from_iter([(other, *var)]));
    body.append(&mut rest);
    block.insert(place, fused);
}

/// What a loop reads or stores.
struct Place {
    buf: BufId,
    index: Nat,
    lanes: i64,
    stores: bool,
}

/// A loop with loops in it that hands on no variables.
struct Outer {
    var: Symbol,
    extent: Nat,
    kind: LoopKind,
    places: Vec<Place>,
    /// What names of indices stand for.
    names: FxHashMap<Symbol, Nat>,
    reads: Touched,
    writes: Touched,
}

impl Outer {
    fn of(nest: &Nest, s: &Stmt) -> Option<Outer> {
        let Stmt::For {
            var,
            extent,
            kind: kind @ (LoopKind::Seq | LoopKind::Par),
            body,
            ..
        } = s
        else {
            return None;
        };
        let has_loops = body.iter().any(|s| matches!(s, Stmt::For { .. }));
        if !has_loops || !handed_on(std::slice::from_ref(s)).is_empty() {
            return None;
        }
        let (mut places, mut names) = (Vec::new(), FxHashMap::default());
        walk::each_stmt(body, &mut |s| {
            if let Stmt::Index { var, value } = s {
                names.insert(*var, written_out(*value, &names));
            }
            let mut place = |buf: BufId, index: Nat, of: &Expr, stores: bool| {
                places.push(Place {
                    buf: nest.root(buf),
                    index: written_out(index, &names),
                    lanes: of.shape().lanes.into(),
                    stores,
                });
            };
            if let Stmt::Store {
                buf, index, value, ..
            } = s
            {
                place(*buf, *index, value, true);
            }
            if let Some(e) = walk::exprs(s) {
                e.visit(&mut |e| {
                    if let ExprKind::Load(buf, index) = e.kind() {
                        place(*buf, *index, e, false);
                    }
                });
            }
        });
        Some(Outer {
            var: *var,
            extent: *extent,
            kind: *kind,
            places,
            names,
            reads: Touched::read(nest, s),
            writes: Touched::written(nest, s),
        })
    }

    /// How far apart the rows of a buffer are that iterations store to.
    fn row(&self, buf: BufId) -> Option<Nat> {
        let first = self.places.iter().find(|p| p.stores && p.buf == buf)?;
        first.index.coefficient(self.var)
    }

    /// Whether the other one reads elements of long rows that this one touches in the same iteration.
    fn share_rows(&self, other: &Outer) -> bool {
        let long = |row: &Nat| row.as_int().is_none_or(|n| n >= LONG);
        self.places.iter().any(|p| {
            let Some(row) = p.index.coefficient(self.var).filter(long) else {
                return false;
            };
            let is_same = |q: &Place| q.buf == p.buf && q.index.coefficient(other.var) == Some(row);
            other.places.iter().any(|q| !q.stores && is_same(q))
        })
    }
}

/// An index without the names of others.
fn written_out(n: Nat, names: &FxHashMap<Symbol, Nat>) -> Nat {
    n.subst_vars(&mut |v| names.get(&v).copied())
}
