//! Dead code elimination: what no output depends on is removed: variables, buffers, stores, loops.
//!
//! Comes in: a nest; goes out: one without statements that no store to an output needs. What only feeds itself, or each other, is not
//! needed. Invariant: the order of what stays.

use crate::arith::{AtomKind, Nat};
use crate::intern::Symbol;
use crate::nest::{walk, Block, BufId, Expr, ExprKind, Nest, Stmt, StorageClass};
use rustc_hash::FxHashSet;

/// Removes statements without an effect on the outputs.
pub(super) fn eliminate(nest: &mut Nest) {
    let mut body = std::mem::take(&mut nest.body);
    let mut live = Live::of(nest);
    loop {
        let before = live.count();
        live.block(&body);
        if live.count() == before {
            break;
        }
    }
    live.sweep(&mut body);
    nest.body = body;
}

/// What outputs depend on.
struct Live<'a> {
    nest: &'a Nest,
    vars: FxHashSet<Symbol>,
    /// By their roots: a buffer is read where one of its names is read.
    bufs: FxHashSet<BufId>,
}

impl Live<'_> {
    fn of(nest: &Nest) -> Live<'_> {
        let all = nest.buffers.iter().enumerate();
        let outputs = all.filter(|(_, b)| matches!(b.storage, StorageClass::Output(_)));
        let outputs = outputs.map(|(i, _)| nest.root(BufId(i as u32)));
        Live {
            nest,
            vars: FxHashSet::default(),
            bufs: outputs.collect(),
        }
    }

    fn count(&self) -> usize {
        self.vars.len() + self.bufs.len()
    }

    /// What a block's statements that are needed need; whether there are any.
    fn block(&mut self, block: &Block) -> bool {
        let mut any = false;
        // What is needed stands before what needs it.
        for s in block.iter().rev() {
            let needed = match s {
                Stmt::For { body, .. } => self.block(body),
                Stmt::If { then, els, .. } => {
                    let then = self.block(then);
                    self.block(els) || then
                }
                s => self.needs(s),
            };
            if needed {
                any = true;
                self.uses(s);
            }
        }
        any
    }

    /// Whether a statement that holds no others is needed.
    fn needs(&self, s: &Stmt) -> bool {
        match s {
            // Compilers warn of what is assigned to itself.
            Stmt::Assign { var, value } if matches!(value.kind(), ExprKind::Var(v) if v == var) => {
                false
            }
            Stmt::Let { var, .. } | Stmt::Index { var, .. } | Stmt::Assign { var, .. } => {
                self.vars.contains(var)
            }
            Stmt::Alloc(b) | Stmt::Store { buf: b, .. } | Stmt::Prefetch { buf: b, .. } => {
                self.bufs.contains(&self.nest.root(*b))
            }
            Stmt::For { .. } | Stmt::If { .. } => true,
        }
    }

    /// What a statement itself depends on.
    fn uses(&mut self, s: &Stmt) {
        if let Some(e) = walk::exprs(s) {
            self.expr(e);
        }
        match s {
            Stmt::For { extent: n, .. }
            | Stmt::Index { value: n, .. }
            | Stmt::Store { index: n, .. }
            | Stmt::Prefetch { index: n, .. } => self.nat(*n),
            _ => {}
        }
    }

    fn nat(&mut self, n: Nat) {
        n.each_atom(&mut |a| {
            if let AtomKind::Var(v) = a.kind() {
                self.vars.insert(v);
            }
        });
    }

    fn expr(&mut self, e: &Expr) {
        e.visit(&mut |e| {
            match e.kind() {
                ExprKind::Var(v) => {
                    self.vars.insert(*v);
                }
                ExprKind::Load(b, _) => {
                    self.bufs.insert(self.nest.root(*b));
                }
                _ => {}
            }
            if let Some(n) = e.own_index() {
                self.nat(n);
            }
        });
    }

    fn sweep(&self, block: &mut Block) {
        block.retain_mut(|s| match s {
            Stmt::For { body, .. } => {
                self.sweep(body);
                !body.is_empty()
            }
            Stmt::If { then, els, .. } => {
                self.sweep(then);
                self.sweep(els);
                !then.is_empty() || !els.is_empty()
            }
            s => self.needs(s),
        });
    }
}
