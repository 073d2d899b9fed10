//! Dead code elimination: what no output depends on is removed: variables, buffers, stores, loops.
//!
//! Comes in: a nest; goes out: one without statements that no store to an output needs. What only feeds itself, or each other, is not
//! needed. Invariant: the order of what stays.

use super::effects::Touched;
use crate::nest::{Block, BufId, ExprKind, Nest, Stmt, StorageClass};

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
    live: Touched,
}

impl Live<'_> {
    fn of(nest: &Nest) -> Live<'_> {
        let all = nest.buffers.iter().enumerate();
        let outputs = all.filter(|(_, b)| matches!(b.storage, StorageClass::Output(_)));
        let outputs = outputs.map(|(i, _)| nest.root(BufId(i as u32)));
        let live = Touched {
            buffers: outputs.collect(),
            ..Touched::default()
        };
        Live { nest, live }
    }

    fn count(&self) -> usize {
        self.live.vars.len() + self.live.buffers.len()
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
                self.live.reads(self.nest, s);
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
                self.live.vars.contains(var)
            }
            Stmt::Alloc(b) | Stmt::Store { buf: b, .. } | Stmt::Prefetch { buf: b, .. } => {
                self.live.buffers.contains(&self.nest.root(*b))
            }
            Stmt::For { .. } | Stmt::If { .. } => true,
        }
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
