//! Copy coalescing: what becomes a part of a state is written over it.
//!
//! Comes in: a nest; goes out: one without buffers that are copied to another array at the end of a block, where each of their elements is
//! computed from that element of the array alone: they are that array. A step of several arrays, some of which are computed element by
//! element and read by later ones (fields and what drives them, moments and weights), needs no second ones of those, and copies
//! none. What a loop makes one after the other and is then copied, a scan that is a result, is that result, also where it is read behind the
//! copy. Invariant: each element is what it was. Absent: arrays whose elements are made of others of theirs, which need both.

use super::effects::Touched;
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::nest::{walk, Block, BufId, Expr, ExprKind, LoopKind, Nest, Stmt, StorageClass};

/// Writes over what goes.
pub(super) fn coalesce(nest: &mut Nest) {
    let mut body = std::mem::take(&mut nest.body);
    block(nest, &mut body);
    nest.body = body;
}

fn block(nest: &Nest, all: &mut Block) {
    for s in all.iter_mut() {
        match s {
            Stmt::For { body, .. } => block(nest, body),
            Stmt::If { then, els, .. } => {
                block(nest, then);
                block(nest, els);
            }
            _ => {}
        }
    }
    while let Some((copy, alloc, from, to)) = coalesced(nest, all) {
        all.remove(copy);
        all.remove(alloc);
        rename(nest, all, from, to);
    }
}

/// The copy and the allocation of a buffer that may be another one, and the memory of both.
fn coalesced(nest: &Nest, all: &Block) -> Option<(usize, usize, BufId, BufId)> {
    (0..all.len()).find_map(|copy| {
        // What it assigns besides would go with it.
        let assigns = |s: &Stmt| matches!(s, Stmt::Assign { .. });
        let copies = !walk::holds(&all[copy..=copy], &assigns);
        let (to, index, value) = whole(nest, &all[copy]).filter(|_| copies)?;
        let ExprKind::Load(from, other) = value.kind() else {
            return None;
        };
        let from = nest.root(*from);
        let is_from = |s: &Stmt| matches!(s, Stmt::Alloc(b) if *b == from);
        let alloc = all[..copy].iter().position(is_from)?;
        let fits = *other == index && from != to && are_alike(nest, from, to);
        let between = (alloc, copy);
        (fits && may_be_one(nest, all, between, from, to)).then_some((copy, alloc, from, to))
    })
}

/// Whether two arrays are as long, and live as long as others need them.
fn are_alike(nest: &Nest, from: BufId, to: BufId) -> bool {
    let (a, b) = (&nest.buffers[from.0 as usize], &nest.buffers[to.0 as usize]);
    let stored = matches!(b.storage, StorageClass::Heap | StorageClass::Output(_));
    a.storage == StorageClass::Heap && stored && (a.elem, a.len) == (b.elem, b.len)
}

/// Whether each element of one is computed once, of that element of the other at most, which nothing touches from there to the copy.
fn may_be_one(
    nest: &Nest,
    all: &Block,
    (alloc, copy): (usize, usize),
    from: BufId,
    to: BufId,
) -> bool {
    let touches = |s: &Stmt, b: BufId| {
        let (read, written) = (Touched::read(nest, s), Touched::written(nest, s));
        read.buffers.contains(&b) || written.buffers.contains(&b)
    };
    let writes = |s: &Stmt, b: BufId| Touched::written(nest, s).buffers.contains(&b);
    let mut made = (alloc + 1..copy).filter(|i| writes(&all[*i], from));
    let (Some(made), None) = (made.next(), made.next()) else {
        return false;
    };
    let Some((_, index, _)) = whole(nest, &all[made]).filter(|(b, ..)| *b == from) else {
        return false;
    };
    let mut own = true;
    walk::each_stmt(std::slice::from_ref(&all[made]), &mut |s| {
        if let Some(e) = walk::exprs(s) {
            e.visit(&mut |e| match e.kind() {
                ExprKind::Load(b, _) if nest.root(*b) == from => own = false,
                ExprKind::Load(b, at) if nest.root(*b) == to => {
                    own &= *at == index && e.shape().lanes == 1;
                }
                _ => {}
            });
        }
        own &= !matches!(s, Stmt::Store { buf, .. } if nest.root(*buf) == to);
    });
    let before = all[alloc..made]
        .iter()
        .all(|s| matches!(s, Stmt::Alloc(_)) || !touches(s, from));
    let (between, after) = (&all[made + 1..copy], &all[copy + 1..]);
    let gone = !after.iter().any(|s| touches(s, from));
    // What is read again behind the copy is read there, as long as it stays.
    let stays = || !after.iter().any(|s| writes(s, from) || writes(s, to));
    own && before && !between.iter().any(|s| touches(s, to)) && (gone || stays())
}

/// The one statement of loops that stand directly in each other, but for variables, if it stores each element of an array once.
fn whole<'a>(nest: &Nest, s: &'a Stmt) -> Option<(BufId, Nat, &'a Expr)> {
    let (mut loops, mut inner) = (Vec::<(Symbol, Nat)>::new(), s);
    loop {
        match inner {
            Stmt::For {
                kind: LoopKind::Lanes,
                ..
            } => return None,
            Stmt::For {
                var, extent, body, ..
            } => {
                loops.push((*var, *extent));
                let of_variables = |s: &&Stmt| matches!(s, Stmt::Let { .. } | Stmt::Assign { .. });
                let mut others = body.iter().filter(|s| !of_variables(s));
                inner = others.next().filter(|_| others.next().is_none())?;
            }
            Stmt::Store {
                buf, index, value, ..
            } if value.shape().lanes == 1 => {
                let (mut at, mut row) = (Nat::int(0), Nat::int(1));
                for (var, extent) in loops.iter().rev() {
                    at = at + row * Nat::var(*var);
                    row = row * *extent;
                }
                let buffer = &nest.buffers[buf.0 as usize];
                return (*index == at && buffer.len == row).then_some((
                    nest.root(*buf),
                    *index,
                    value,
                ));
            }
            _ => return None,
        }
    }
}

fn rename(nest: &Nest, all: &mut Block, from: BufId, to: BufId) {
    let mut load = |e: &Expr| {
        e.rewrite(&mut |e| match e.kind() {
            ExprKind::Load(b, n) if nest.root(*b) == from => {
                Some(Expr::new(ExprKind::Load(to, *n), e.shape()))
            }
            _ => None,
        })
    };
    walk::map_block(all, &mut load, &mut |n| n);
    stores(nest, all, from, to);
}

fn stores(nest: &Nest, all: &mut Block, from: BufId, to: BufId) {
    for s in all {
        match s {
            Stmt::Store { buf, .. } | Stmt::Prefetch { buf, .. } if nest.root(*buf) == from => {
                *buf = to;
            }
            Stmt::For { body, .. } => stores(nest, body, from, to),
            Stmt::If { then, els, .. } => {
                stores(nest, then, from, to);
                stores(nest, els, from, to);
            }
            _ => {}
        }
    }
}
