//! Dead code elimination: what no output depends on is removed: variables, buffers, stores, loops.

use crate::arith::{AtomKind, Nat};
use crate::intern::Symbol;
use crate::nest::{walk, Block, BufId, Expr, ExprKind, Nest, Stmt, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Default)]
struct Uses {
    vars: FxHashMap<Symbol, usize>,
    bufs: FxHashSet<BufId>,
}

impl Uses {
    fn nat(&mut self, n: Nat) {
        n.each_atom(&mut |a| {
            if let AtomKind::Var(v) = a.kind() {
                *self.vars.entry(v).or_default() += 1;
            }
        });
    }

    fn expr(&mut self, e: &Expr) {
        let mut stack = vec![e.clone()];
        while let Some(e) = stack.pop() {
            e.visit(&mut |e| match e.kind() {
                ExprKind::Var(v) => *self.vars.entry(*v).or_default() += 1,
                ExprKind::Index(n) | ExprKind::Clamp(_, n) => self.nat(*n),
                ExprKind::Load(b, n) => {
                    self.bufs.insert(*b);
                    self.nat(*n);
                }
                _ => {}
            });
        }
    }
}

/// Removes statements without an effect on the outputs, until nothing changes.
pub(super) fn eliminate(nest: &mut Nest) {
    loop {
        let mut uses = Uses::default();
        walk::each_stmt(&nest.body, &mut |s| {
            if let Some(e) = walk::exprs(s) {
                uses.expr(e);
            }
            // What only feeds itself is not read.
            if let Stmt::Assign { var, value } = s {
                let mut own = Uses::default();
                own.expr(value);
                let n = own.vars.get(var).copied().unwrap_or(0);
                *uses.vars.entry(*var).or_default() -= n;
            }
            match s {
                Stmt::For { extent, .. } => uses.nat(*extent),
                Stmt::Index { value, .. } => uses.nat(*value),
                Stmt::Store { index, .. } | Stmt::Prefetch { index, .. } => uses.nat(*index),
                _ => {}
            }
        });
        // A buffer is read where one of its names is read.
        let mut live: FxHashSet<BufId> = uses.bufs.iter().map(|&b| nest.root(b)).collect();
        for (i, b) in nest.buffers.iter().enumerate() {
            if matches!(b.storage, StorageClass::Output(_)) {
                live.insert(BufId(i as u32));
            }
        }
        let buffers: Vec<bool> = (0..nest.buffers.len())
            .map(|i| live.contains(&nest.root(BufId(i as u32))))
            .collect();
        let mut body = std::mem::take(&mut nest.body);
        let changed = sweep(&mut body, &uses.vars, &buffers);
        nest.body = body;
        if !changed {
            return;
        }
    }
}

fn sweep(block: &mut Block, vars: &FxHashMap<Symbol, usize>, live: &[bool]) -> bool {
    let mut changed = false;
    let before = block.len();
    block.retain_mut(|s| match s {
        Stmt::For { body, .. } => {
            changed |= sweep(body, vars, live);
            !body.is_empty()
        }
        Stmt::If { then, els, .. } => {
            changed |= sweep(then, vars, live);
            changed |= sweep(els, vars, live);
            !then.is_empty() || !els.is_empty()
        }
        // Compilers warn of what is assigned to itself.
        Stmt::Assign { var, value } if matches!(value.kind(), ExprKind::Var(v) if v == var) => {
            false
        }
        Stmt::Let { var, .. } | Stmt::Index { var, .. } | Stmt::Assign { var, .. } => {
            vars.get(var).is_some_and(|&n| n > 0)
        }
        Stmt::Alloc(b) => live[b.0 as usize],
        Stmt::Store { buf, .. } | Stmt::Prefetch { buf, .. } => live[buf.0 as usize],
    });
    changed || block.len() != before
}
