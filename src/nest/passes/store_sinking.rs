//! Store sinking: vectors that are chosen, then stored, are stored where they are chosen.
//!
//! Comes in: a nest; goes out: one in which `v = a` here and `v = b` there, then a store of `v`, is a store of `a` here
//! and of `b` there; and in which lanes that a loop puts into a buffer of their own, to be copied as one vector, go to
//! the place of the copy at once. A processor can not read as one vector what it has just stored in parts without
//! waiting for it. Invariant: the same values reach the outputs, in an order that no read tells from the one before.

use crate::arith::Nat;
use crate::intern::Symbol;
use crate::nest::{walk, Block, BufId, ExprKind, Nest, Stmt};
use rustc_hash::FxHashMap;

/// Takes the detours out.
pub(super) fn sink(nest: &mut Nest) {
    let mut reads: FxHashMap<Symbol, usize> = FxHashMap::default();
    walk::each_stmt(&nest.body, &mut |s| {
        if let Some(e) = walk::exprs(s) {
            e.visit(&mut |e| {
                if let ExprKind::Var(v) = e.kind() {
                    *reads.entry(*v).or_default() += 1;
                }
            });
        }
    });
    let mut body = std::mem::take(&mut nest.body);
    let pass = Pass { nest, reads };
    pass.block(&mut body);
    nest.body = body;
}

struct Pass<'a> {
    nest: &'a Nest,
    /// How often each variable is read.
    reads: FxHashMap<Symbol, usize>,
}

impl Pass<'_> {
    fn block(&self, block: &mut Block) {
        let mut i = 0;
        while i < block.len() {
            if let Some(chosen) = self.chosen(&block[i..]) {
                block.splice(i..i + 3, [chosen]);
            }
            match &mut block[i] {
                Stmt::For { body, .. } => self.block(body),
                Stmt::If { then, els, .. } => {
                    for side in [then, els] {
                        self.lanes(side);
                        self.block(side);
                    }
                }
                _ => {}
            }
            i += 1;
        }
    }

    /// `var v; if c { …; v = a } else { …; v = b }; x[i] = v`, where nothing else reads `v`, with both stores inside.
    fn chosen(&self, block: &[Stmt]) -> Option<Stmt> {
        let [Stmt::Let {
            var, value: None, ..
        }, Stmt::If { cond, then, els }, store, ..] = block
        else {
            return None;
        };
        let Stmt::Store { value, .. } = store else {
            return None;
        };
        let only = matches!(value.kind(), ExprKind::Var(v) if v == var);
        (only && self.reads.get(var) == Some(&1)).then_some(())?;
        let side = |side: &Block| {
            let (last, before) = side.split_last()?;
            let Stmt::Assign { var: v, value } = last else {
                return None;
            };
            let mut other = false;
            walk::each_stmt(before, &mut |s| {
                other |= matches!(s, Stmt::Assign { var: v, .. } if v == var);
            });
            (v == var && !other).then_some(())?;
            let mut side = before.to_vec();
            side.push(with_value(store, value.clone())?);
            Some(side)
        };
        Some(Stmt::If {
            cond: cond.clone(),
            then: side(then)?,
            els: side(els)?,
        })
    }

    /// `…; for l < w { …; t[l] = e }; x[i] = t[0 … w-1]`, where `t` lives in this block alone, without `t`.
    fn lanes(&self, block: &mut Block) {
        let [.., Stmt::For {
            var, extent, body, ..
        }, Stmt::Store {
            buf,
            index,
            value,
            what,
            element,
        }] = &block[..]
        else {
            return;
        };
        let ExprKind::Load(from, zero) = value.kind() else {
            return;
        };
        let whole = *extent == Nat::int(value.shape().lanes.into()) && *zero == Nat::int(0);
        let own = |s: &Stmt| matches!(s, Stmt::Alloc(b) if b == from);
        if !whole || !block.iter().any(own) {
            return;
        }
        let Some((
            Stmt::Store {
                buf: lanes,
                index: lane,
                value: one,
                ..
            },
            before,
        )) = body.split_last()
        else {
            return;
        };
        // The place must not be read while lanes go to it, nor may anything else be stored.
        let (mut stores, mut reads) = (0, 0);
        walk::each_stmt(body, &mut |s| {
            stores += usize::from(matches!(s, Stmt::Store { .. }));
            if let Some(e) = walk::exprs(s) {
                e.visit(&mut |e| reads += usize::from(self.is_load(e.kind(), *buf)));
            }
        });
        let alone = stores == 1 && reads == 0 && !self.elsewhere(block, *from);
        if lanes != from || *lane != Nat::var(*var) || !alone {
            return;
        }
        let mut body = before.to_vec();
        body.push(Stmt::Store {
            buf: *buf,
            index: *index + Nat::var(*var),
            value: one.clone(),
            what: *what,
            element: *element + Nat::var(*var),
        });
        let (from, last) = (*from, block.len() - 1);
        block.truncate(last);
        if let Some(Stmt::For { body: old, .. }) = block.last_mut() {
            *old = body;
        }
        block.retain(|s| !matches!(s, Stmt::Alloc(b) if *b == from));
    }

    /// Whether a buffer is used otherwise than by the loop and the copy at the end of the block.
    fn elsewhere(&self, block: &Block, buf: BufId) -> bool {
        let mut uses = 0;
        walk::each_stmt(block, &mut |s| {
            if let Stmt::Store { buf: b, .. } = s {
                uses += usize::from(self.nest.root(*b) == self.nest.root(buf));
            }
            if let Some(e) = walk::exprs(s) {
                e.visit(&mut |e| uses += usize::from(self.is_load(e.kind(), buf)));
            }
        });
        uses != 2
    }

    fn is_load(&self, e: &ExprKind, buf: BufId) -> bool {
        matches!(e, ExprKind::Load(b, _) if self.nest.root(*b) == self.nest.root(buf))
    }
}

/// The same store of something else.
fn with_value(store: &Stmt, value: crate::nest::Expr) -> Option<Stmt> {
    let mut store = store.clone();
    let Stmt::Store { value: old, .. } = &mut store else {
        return None;
    };
    *old = value;
    Some(store)
}
