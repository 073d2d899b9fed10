//! Which choices by sizes stand around what a function does, and what it computes of sizes to make them.
//!
//! Comes in: a nest; goes out: for each buffer what has to hold of the sizes when it is used, so that memory is asked for
//! only for the kernel that will run; and the integer expressions that a function computes outside its loops, in terms
//! of sizes. Absent: conditions on data, or on variables of loops.

use crate::arith::Nat;
use crate::intern::Symbol;
use crate::nest::{Block, BufId, Expr, ExprKind, Nest, Stmt};
use std::collections::BTreeMap;

/// Conditions and whether they hold.
pub(super) type Conditions = Vec<(Expr, bool)>;

/// What a nest decides by its sizes.
#[derive(Default)]
pub(super) struct Choices {
    /// Of every buffer that is asked for.
    pub buffers: BTreeMap<BufId, Conditions>,
    /// What is computed of sizes outside of loops.
    pub computed: Vec<Nat>,
}

/// Those of a nest.
pub(super) fn choices(nest: &Nest) -> Choices {
    let mut walk = Walk {
        sizes: &nest.abi.sizes,
        constants: BTreeMap::new(),
        out: Choices::default(),
        loops: 0,
    };
    walk.block(&nest.body, &mut Vec::new());
    walk.out
}

struct Walk<'a> {
    sizes: &'a [Symbol],
    /// Names of what is computed from sizes.
    constants: BTreeMap<Symbol, Nat>,
    out: Choices,
    /// How many are around.
    loops: usize,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block, hold: &mut Conditions) {
        for s in block {
            match s {
                Stmt::Alloc(b) => {
                    self.out.buffers.insert(*b, hold.clone());
                }
                Stmt::Index { var, value } => {
                    let value = self.resolved(*value);
                    self.constants.insert(*var, value);
                    // What data says is an index into an array.
                    let early = self.loops == 0 && self.is_of_sizes(value);
                    self.out.computed.extend(early.then_some(value));
                }
                Stmt::For { body, .. } => {
                    self.loops += 1;
                    self.block(body, hold);
                    self.loops -= 1;
                }
                Stmt::If { cond, then, els } => {
                    let known = self.of_sizes(cond);
                    if let Some(known) = known.as_ref().filter(|_| self.loops == 0) {
                        known.visit(&mut |e| {
                            if let ExprKind::Index(n) = e.kind() {
                                self.out.computed.push(*n);
                            }
                        });
                    }
                    for (side, holds) in [(then, true), (els, false)] {
                        let before = hold.len();
                        hold.extend(known.clone().map(|c| (c, holds)));
                        self.block(side, hold);
                        hold.truncate(before);
                    }
                }
                _ => {}
            }
        }
    }

    fn is_of_sizes(&self, n: Nat) -> bool {
        n.vars().iter().all(|v| self.sizes.contains(v))
    }

    fn resolved(&self, n: Nat) -> Nat {
        n.subst_vars(&mut |v| self.constants.get(&v).copied())
    }

    /// The condition in terms of sizes, if it is one of them alone.
    fn of_sizes(&self, cond: &Expr) -> Option<Expr> {
        let mut fine = true;
        let resolved = cond.rewrite(&mut |e| match e.kind() {
            ExprKind::Index(n) => Some(Expr::index(self.resolved(*n))),
            _ => None,
        });
        resolved.visit(&mut |e| match e.kind() {
            ExprKind::Index(n) => fine &= self.is_of_sizes(*n),
            ExprKind::Op(..) | ExprKind::Lit(_) => {}
            _ => fine = false,
        });
        fine.then_some(resolved)
    }
}
