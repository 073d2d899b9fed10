//! Rematerialization: tables of constants are written where threads read them.
//!
//! Comes in: a nest; goes out: one in which every loop of threads that reads a table on the stack, all of whose elements are constants stored
//! before it, has a table of its own in each iteration. What threads run is a function of its own, into which compilers hand the
//! table by its address, so that weights of a window are loads; of a table that is filled there they are constants, and the
//! table is gone. Invariant: the same values are read. Absent: loops outside of threads, where compilers see the table being filled.

use super::fresh::Names;
use crate::nest::{walk, Block, BufId, Buffer, ExprKind, LoopKind, Nest, Stmt, StorageClass};
use std::collections::{BTreeMap, BTreeSet};

/// The most elements of a table.
const ELEMENTS: usize = 64;

/// Gives loops of threads tables of their own.
pub(super) fn rematerialize(nest: &mut Nest) {
    let tables = tables(nest);
    if tables.is_empty() {
        return;
    }
    let mut body = std::mem::take(&mut nest.body);
    let mut all = Tables {
        names: Names::of(nest),
        buffers: &mut nest.buffers,
        tables,
    };
    all.threads_of(&mut body, &BTreeSet::new());
    nest.body = body;
}

struct Tables<'a> {
    names: Names,
    buffers: &'a mut Vec<Buffer>,
    tables: BTreeMap<BufId, Block>,
}

/// The stores of each table.
fn tables(nest: &Nest) -> BTreeMap<BufId, Block> {
    let mut tables = BTreeMap::new();
    let mut blocks = vec![&nest.body];
    while let Some(block) = blocks.pop() {
        for (at, s) in block.iter().enumerate() {
            match s {
                Stmt::For { body, .. } => blocks.push(body),
                Stmt::If { then, els, .. } => blocks.extend([then, els]),
                Stmt::Alloc(b) if nest.buffers[b.0 as usize].storage == StorageClass::Stack => {
                    let stores = filled(&block[at + 1..], *b);
                    let all = stores.len();
                    let whole = nest.buffers[b.0 as usize].len.as_int() == i64::try_from(all).ok();
                    let used_once = !nest.buffers.iter().any(|x| x.alias == Some(*b));
                    if whole && used_once && all <= ELEMENTS && stored(&nest.body, *b) == all {
                        tables.insert(*b, stores);
                    }
                }
                _ => {}
            }
        }
    }
    tables
}

/// The stores of constants to a buffer, each to an element of its own, that stand before all that reads it.
fn filled(block: &[Stmt], b: BufId) -> Block {
    let mut places = BTreeSet::new();
    let mut stores = Block::new();
    for s in block {
        match s {
            Stmt::Store {
                buf, index, value, ..
            } if *buf == b => {
                let constant = matches!(value.kind(), ExprKind::Lit(_));
                match index.as_int().filter(|i| constant && places.insert(*i)) {
                    Some(_) => stores.push(s.clone()),
                    None => return Block::new(),
                }
            }
            s if reads(std::slice::from_ref(s)).contains(&b) => break,
            _ => {}
        }
    }
    stores
}

/// How many stores to a buffer there are.
fn stored(body: &[Stmt], b: BufId) -> usize {
    let mut count = 0;
    walk::each_stmt(body, &mut |s| {
        count += usize::from(matches!(s, Stmt::Store { buf, .. } if *buf == b));
    });
    count
}

fn reads(body: &[Stmt]) -> BTreeSet<BufId> {
    let mut found = BTreeSet::new();
    walk::each_stmt(body, &mut |s| {
        if let Some(e) = walk::exprs(s) {
            e.visit(&mut |e| {
                if let ExprKind::Load(b, _) = e.kind() {
                    found.insert(*b);
                }
            });
        }
    });
    found
}

impl Tables<'_> {
    /// Loops of threads in a block, which `inside` of them has tables already.
    fn threads_of(&mut self, block: &mut Block, inside: &BTreeSet<BufId>) {
        for s in block {
            match s {
                Stmt::For {
                    kind: LoopKind::Par,
                    body,
                    ..
                } => {
                    let mut own = inside.clone();
                    walk::each_stmt(body, &mut |s| {
                        if let Stmt::Alloc(b) = s {
                            own.insert(*b);
                        }
                    });
                    self.threads_of(body, &own);
                    let read = reads(body);
                    let all: Vec<BufId> = self.tables.keys().copied().collect();
                    let here = |b: &BufId| read.contains(b) && !own.contains(b);
                    for b in all.into_iter().rev().filter(here) {
                        self.fill_in(body, b);
                    }
                }
                Stmt::For { body, .. } => self.threads_of(body, inside),
                Stmt::If { then, els, .. } => {
                    self.threads_of(then, inside);
                    self.threads_of(els, inside);
                }
                _ => {}
            }
        }
    }

    /// A table of its own for a body.
    fn fill_in(&mut self, body: &mut Block, b: BufId) {
        let old = self.buffers[b.0 as usize].clone();
        let own = BufId(self.buffers.len() as u32);
        self.buffers.push(Buffer {
            name: self.names.like(old.name),
            ..old
        });
        let filled = self.tables.get(&b).cloned().unwrap_or_default();
        body.splice(0..0, [Stmt::Alloc(b)].into_iter().chain(filled));
        walk::with_others(body, &[(b, own)].into_iter().collect());
    }
}
