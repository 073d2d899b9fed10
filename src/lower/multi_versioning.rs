//! Conditions asked early: before all that is computed for an element, and once for what is unrolled.
//!
//! Comes in: what to emit; goes out: statements. Whether an element of a loop has a place is asked before anything is
//! computed for it. An unrolled map whose elements are guarded each exists twice: without
//! conditions, for where all of them hold, which is nearly everywhere, and rolled up for the rest, so that it stays
//! short. Registers cannot be indexed: what the rolled one reads of them is put into memory first.

use super::state::{Lower, Res, Version};
use crate::arith::{Nat, Signs};
use crate::nest::{walk, Block, BufId, Expr, ExprKind, Shape, Stmt, StorageClass};
use std::collections::{BTreeMap, BTreeSet};

impl Lower {
    /// What `f` emits for element `i` of a loop, if it has a place: what belongs to this element alone is then not
    /// computed for others.
    pub fn when_element(
        &mut self,
        cond: Expr,
        i: Nat,
        f: impl FnOnce(&mut Lower) -> Res<()>,
    ) -> Res<()> {
        let level = self.level_of_expr(&cond);
        // Elements of what is unrolled share what they read.
        if cond.as_bool().is_some() || i.as_int().is_some() || level != self.level() {
            return self.when(cond, f);
        }
        self.guarded(cond, Some(level), |cx, cond| {
            if let Some(more) = cond.margin() {
                cx.facts.positive(more);
            }
            f(cx)
        })
    }

    /// What `f` emits when it unrolls; where several conditions guard it also without them, and rolled up.
    pub fn versioned(&mut self, mut f: impl FnMut(&mut Lower) -> Res<()>) -> Res<()> {
        if self.version != Version::Outside {
            return f(self);
        }
        let block = self.in_version(Version::Unrolled, &mut f)?;
        let mut conds = Vec::new();
        let fast = self.assuming(block.clone(), &mut conds);
        if conds.len() < 2 || self.stores_outside(&block) {
            self.append(block);
            return Ok(());
        }
        let cond = self.all_of(conds.into_iter());
        let mut slow = self.in_version(Version::Rolled, &mut f)?;
        let mut els = self.indexable(&fast, &mut slow);
        els.append(&mut slow);
        let then = fast;
        self.push(Stmt::If { cond, then, els });
        Ok(())
    }

    fn in_version(
        &mut self,
        version: Version,
        f: &mut impl FnMut(&mut Lower) -> Res<()>,
    ) -> Res<Block> {
        self.version = version;
        let done = self.scratch(f);
        self.version = Version::Outside;
        Ok(done?.0)
    }

    /// Whether a block stores into a small buffer of further out, which may become registers.
    fn stores_outside(&self, block: &Block) -> bool {
        let mut own = BTreeSet::new();
        let mut outside = false;
        walk::each_stmt(block, &mut |s| match s {
            Stmt::Alloc(buf) => {
                own.insert(*buf);
            }
            Stmt::Store { buf, .. } => {
                let root = self.root_of(*buf);
                let storage = self.buffers[root.0 as usize].storage;
                outside |= storage == StorageClass::Stack && !own.contains(&root);
            }
            _ => {}
        });
        outside
    }

    /// Lets `slow` read copies of the buffers that it indexes and `fast` does not; gives what copies them.
    fn indexable(&mut self, fast: &Block, slow: &mut Block) -> Block {
        let mut read = BTreeSet::new();
        let mut stored = BTreeSet::new();
        walk::each_stmt(slow, &mut |s| {
            if let Some(e) = walk::exprs(s) {
                e.visit(&mut |e| {
                    if let ExprKind::Load(b, n) = e.kind() {
                        if n.as_int().is_none() {
                            read.insert(*b);
                        }
                    }
                });
            }
            if let Stmt::Store { buf, .. } = s {
                stored.insert(self.root_of(*buf));
            }
        });
        let mut copies: BTreeMap<BufId, BufId> = BTreeMap::new();
        let mut block = Block::new();
        for buf in read {
            let root = self.root_of(buf);
            let of = self.buffers[root.0 as usize].clone();
            if of.storage != StorageClass::Stack || stored.contains(&root) {
                continue;
            }
            let Some(pieces) = self.pieces_of(fast, root, of.len) else {
                continue;
            };
            let (copy, alloc) = self.allocate_leaf(of.elem, of.len, "tile");
            block.push(alloc);
            for (at, lanes) in pieces {
                let shape = Shape {
                    elem: of.elem,
                    lanes,
                };
                block.push(Stmt::Store {
                    buf: copy,
                    index: at.into(),
                    value: Expr::new(ExprKind::Load(buf, at.into()), shape),
                    what: self.what,
                    element: at.into(),
                });
            }
            copies.insert(buf, copy);
        }
        let renamed = |e: &Expr| {
            e.rewrite(&mut |e| match e.kind() {
                ExprKind::Load(b, n) => {
                    let copy = copies.get(b)?;
                    Some(Expr::new(ExprKind::Load(*copy, *n), e.shape()))
                }
                _ => None,
            })
        };
        walk::map_block(slow, &mut { renamed }, &mut |n| n);
        block
    }

    /// A block where all conditions hold that can be asked before it: what they read is of further out, and no memory.
    fn assuming(&self, block: Block, conds: &mut Vec<Expr>) -> Block {
        let mut out = Block::new();
        for s in block {
            match s {
                Stmt::If { cond, then, .. } if self.is_early(&cond) => {
                    conds.push(cond);
                    out.extend(self.assuming(then, conds));
                }
                s => out.push(s),
            }
        }
        out
    }

    fn is_early(&self, cond: &Expr) -> bool {
        let mut loads = false;
        cond.visit(&mut |e| loads |= matches!(e.kind(), ExprKind::Load(..)));
        !loads && self.level_of_expr(cond) <= self.level()
    }
}
