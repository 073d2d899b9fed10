//! Speculative loads: an element that only one side of a choice reads is read before it, where there is one in any case.
//!
//! Comes in: a nest; goes out: one in which innermost loops read elements of inputs that lie side by side, or close together in few
//! iterations, or are the same in all of them, into variables, before the choice, the `&&` or the `||` behind which they stood. Compilers may not read what a program does not, so that the choice stays a
//! jump, and they make no vectors of the loop; it is read by the line anyway. Invariant: the same values; an element is only read
//! where it is shown to be one, or where the iteration reads one before and one behind it; of an array of the kernel, where a loop before
//! this one has written it. Absent: what a choice that the loop does not change leaves unread; places that data choose.

use super::effects::Touched;
use super::fresh::Names;
use super::loop_unswitching::{declared_or_assigned, depends};
use crate::arith::Nat;
use crate::index::Facts;
use crate::intern::Symbol;
use crate::nest::{
    walk, Block, BufId, Buffer, Expr, ExprKind, LoopKind, Nest, Shape, Stmt, StorageClass,
};
use crate::term::Op;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Compilers write out loops of so many iterations.
const SHORT: i64 = 16;

/// What is so many elements apart is read by few lines.
const CLOSE: i64 = 16;

/// Moves loads out of choices.
pub(super) fn speculate(nest: &mut Nest, facts: &mut Facts) {
    let mut names = Names::of(nest);
    let mut body = std::mem::take(&mut nest.body);
    let mut written = BTreeMap::new();
    Written { nest }.block(&body, &mut Vec::new(), &mut written);
    walk::replace(&mut body, &mut |s| {
        if let Stmt::For { var, extent, .. } = s {
            facts.range(*var, 0.into(), *extent - 1.into());
        }
        let Stmt::For {
            var,
            extent,
            kind,
            body,
            ..
        } = s
        else {
            return None;
        };
        if *kind == LoopKind::Lanes || walk::has_loops(body) {
            return None;
        }
        let mut changes = declared_or_assigned(s);
        for (var, value) in body.iter().filter_map(walk::constant) {
            if !depends(value, &changes) {
                changes.remove(&var);
            }
        }
        let mut of_loop = Loop {
            nest,
            facts,
            var: *var,
            is_short: extent.as_int().is_some_and(|n| n <= SHORT),
            changes,
            written: written.remove(var).unwrap_or_default(),
            stores: Touched::written(nest, s).buffers,
            always: Vec::new(),
        };
        of_loop.read_always(body);
        let body = of_loop.without_conditional_loads(body, &mut names)?;
        let mut s = s.clone();
        if let Stmt::For { body: old, .. } = &mut s {
            *old = body;
        }
        Some(vec![s])
    });
    nest.body = body;
}

/// An element.
type Place = (BufId, Nat);

/// In which iterations something is computed.
#[derive(Clone, Copy, PartialEq)]
enum When {
    Always,
    /// In some: choices differ between iterations.
    Differs,
    /// In none, if some choice that the loop does not change falls on its other side.
    Alike,
}

struct Loop<'a> {
    nest: &'a Nest,
    facts: &'a Facts,
    var: Symbol,
    /// Whether compilers write it out.
    is_short: bool,
    /// What differs between its iterations.
    changes: FxHashSet<Symbol>,
    /// What was written before it, and arrays that it stores to.
    written: Vec<Run>,
    stores: FxHashSet<BufId>,
    /// What each iteration reads.
    always: Vec<Place>,
}

/// Elements side by side of an array, from one on, and how many.
type Run = (BufId, Nat, Nat);

/// Looks for what each loop finds written, by loops that stand before it, or before a loop around it.
struct Written<'a> {
    nest: &'a Nest,
}

impl Written<'_> {
    fn block(&self, block: &[Stmt], known: &mut Vec<Run>, all: &mut BTreeMap<Symbol, Vec<Run>>) {
        let before = known.len();
        for s in block {
            match s {
                Stmt::For {
                    var, body, kind, ..
                } => {
                    let mut there = known.clone();
                    // Other threads may be about to write what they have.
                    if kind.is_par() {
                        let stores = Touched::written(self.nest, s).buffers;
                        there.retain(|run| !stores.contains(&run.0));
                    }
                    self.block(body, &mut there, all);
                    all.insert(*var, there);
                    known.extend(self.runs(s));
                }
                Stmt::If { then, els, .. } => {
                    self.block(then, known, all);
                    self.block(els, known, all);
                }
                _ => {}
            }
        }
        known.truncate(before);
    }

    /// What a loop writes in any case: elements side by side, or rows of them one behind the other.
    fn runs(&self, s: &Stmt) -> Vec<Run> {
        let Stmt::For {
            var, extent, body, ..
        } = s
        else {
            return Vec::new();
        };
        let own = declared_or_assigned(s);
        let one = |s: &Stmt| match s {
            Stmt::Store {
                buf, index, value, ..
            } => vec![(
                self.nest.root(*buf),
                *index,
                Nat::int(value.shape().lanes.into()),
            )],
            _ => self.runs(s),
        };
        let joined = |(buf, from, many): Run| {
            let from = from - Nat::var(*var) * many;
            let varies = |n: Nat| n.vars().iter().any(|v| v == var || own.contains(v));
            let alike = !varies(from) && !varies(many);
            alike.then_some((buf, from, *extent * many))
        };
        body.iter().flat_map(one).filter_map(joined).collect()
    }
}

impl Loop<'_> {
    fn buffer(&self, buf: BufId) -> &Buffer {
        &self.nest.buffers[buf.0 as usize]
    }

    fn read_always(&mut self, body: &[Stmt]) {
        for e in body.iter().filter_map(walk::exprs) {
            let mut always = Vec::new();
            self.each_load(e, When::Always, &mut |place, when| {
                if when == When::Always {
                    always.push(place);
                }
            });
            self.always.append(&mut always);
        }
    }

    /// A body that reads into variables, where it can, what it would read on one side only.
    fn without_conditional_loads(&self, body: &[Stmt], names: &mut Names) -> Option<Block> {
        let mut loads: Vec<(Place, Symbol)> = Vec::new();
        let mut out = Block::new();
        for s in body {
            let mut found: Vec<Place> = Vec::new();
            self.conditional(s, When::Always, &mut found);
            for place in found {
                if loads.iter().any(|(p, _)| *p == place) {
                    continue;
                }
                let var = names.like(Symbol::new("x"));
                loads.push((place, var));
                let shape = Shape::scalar(self.buffer(place.0).elem);
                out.push(Stmt::Let {
                    var,
                    shape,
                    value: Some(Expr::new(ExprKind::Load(place.0, place.1), shape)),
                    mutable: false,
                });
            }
            let mut s = s.clone();
            let named = &mut |e: &Expr| {
                e.rewrite(&mut |e| match e.kind() {
                    ExprKind::Load(buf, index) if e.shape().lanes == 1 => {
                        let known = loads.iter().find(|(p, _)| *p == (*buf, *index));
                        known.map(|(_, var)| Expr::var(*var, e.shape()))
                    }
                    _ => None,
                })
            };
            walk::map_block(std::slice::from_mut(&mut s), named, &mut |n| n);
            out.push(s);
        }
        (!loads.is_empty()).then_some(out)
    }

    /// What a statement reads on one side of choices only, and may read in any case.
    fn conditional(&self, s: &Stmt, when: When, found: &mut Vec<Place>) {
        if let Some(e) = walk::exprs(s) {
            self.each_load(e, when, &mut |place, when| {
                if when == When::Differs && self.is_beside(place) && self.exists(place) {
                    found.push(place);
                }
            });
        }
        if let Stmt::If { cond, then, els } = s {
            let inside = self.behind(cond, when);
            let both = then.iter().chain(els);
            both.for_each(|s| self.conditional(s, inside, found));
        }
    }

    /// When a side of a choice is computed.
    fn behind(&self, cond: &Expr, when: When) -> When {
        match when != When::Alike && depends(cond, &self.changes) {
            true => When::Differs,
            false => When::Alike,
        }
    }

    /// Calls `f` with each element that an expression reads, and when it does.
    fn each_load(&self, e: &Expr, when: When, f: &mut dyn FnMut(Place, When)) {
        match e.kind() {
            ExprKind::Load(buf, index) if e.shape().lanes == 1 => f((*buf, *index), when),
            ExprKind::Op(Op::Select | Op::And | Op::Or, args) if e.shape().lanes == 1 => {
                let (cond, sides) = args.split_first().expect("a choice has operands");
                self.each_load(cond, when, f);
                let inside = self.behind(cond, when);
                sides.iter().for_each(|e| self.each_load(e, inside, f));
            }
            _ => e.each_operand(&mut |e| self.each_load(e, when, f)),
        }
    }

    /// Whether iterations read one element after the other, of an input, or the same one; or few elements, each close to the next, or
    /// parts of records of which they read a part in any case.
    fn is_beside(&self, (buf, index): Place) -> bool {
        let step = |n: Nat| n.coefficient(self.var).and_then(Nat::as_int);
        let same_record = |(b, n): &Place| *b == buf && step(*n) == step(index);
        let close = match self.is_short || self.always.iter().any(same_record) {
            true => CLOSE,
            false => 1,
        };
        let storage = self.buffer(self.nest.root(buf)).storage;
        let data = |v: &Symbol| *v != self.var && self.changes.contains(v);
        (matches!(storage, StorageClass::Input(_)) || self.is_written((buf, index)))
            && step(index).is_some_and(|by| (0..=close).contains(&by))
            && !index.vars().iter().any(data)
    }

    /// Whether loops before this one have written it, and this one does not.
    fn is_written(&self, (buf, index): Place) -> bool {
        let root = self.nest.root(buf);
        !self.stores.contains(&root)
            && self.written.iter().any(|(of, from, many)| {
                *of == root
                    && self.facts.at_least(index - *from, 0.into())
                    && self.facts.less(index - *from, *many) == Some(true)
            })
    }

    /// Whether there is such an element in each iteration.
    fn exists(&self, (buf, index): Place) -> bool {
        let beside = |order: &dyn Fn(Nat) -> Nat| {
            let mut same = self.always.iter().filter(|(b, _)| *b == buf);
            same.any(|(_, n)| self.facts.at_least(order(*n), 0.into()))
        };
        (beside(&|n| index - n) && beside(&|n| n - index))
            || (self.facts.at_least(index, 0.into())
                && self.facts.less(index, self.buffer(buf).len) == Some(true))
    }
}
