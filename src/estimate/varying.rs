//! What differs between the iterations of a loop.
//!
//! In: the variable and the body of a loop. Out: the variables and arrays that are not the same in all its iterations, and of which arrays
//! iterations read windows. Absent: what that takes.

use crate::arith::Nat;
use crate::intern::Symbol;
use crate::nest::{walk, BufId, Expr, ExprKind, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// What differs between the iterations of a loop: variables, and arrays that are stored to.
#[derive(Default)]
pub struct Varying {
    pub vars: BTreeSet<Symbol>,
    pub arrays: BTreeSet<BufId>,
    /// Arrays of which an iteration reads windows: of vectors of these few lie where registers would.
    pub windows: BTreeSet<BufId>,
}

impl Varying {
    /// The variable of a loop, and what iterations assign.
    pub fn by_itself(var: Symbol, body: &[Stmt]) -> Varying {
        let mut all = Varying {
            vars: BTreeSet::from([var]),
            ..Varying::default()
        };
        walk::each_stmt(body, &mut |s| {
            if let Stmt::Assign { var, .. } = s {
                all.vars.insert(*var);
            }
        });
        all
    }

    /// In a loop over a variable. Loops in it are short, and written out: their variables are numbers.
    pub fn of(var: Symbol, body: &[Stmt]) -> Varying {
        let mut all = Varying {
            windows: windows(var, body),
            ..Varying::by_itself(var, body)
        };
        walk::each_stmt(body, &mut |s| {
            if !all.is_in(s) {
                return;
            }
            match s {
                Stmt::Let { var, .. } | Stmt::Index { var, .. } => {
                    all.vars.insert(*var);
                }
                Stmt::Store { buf, .. } => {
                    all.arrays.insert(*buf);
                }
                _ => {}
            }
        });
        all
    }

    /// Whether it stands directly in a statement.
    pub fn is_in(&self, s: &Stmt) -> bool {
        let mut found = false;
        walk::each_index(s, &mut |n| {
            found |= n.mentions_any(|v| self.vars.contains(v))
        });
        found || walk::exprs(s).is_some_and(|e| self.is_of(e, |_| false))
    }

    /// Whether an expression is not the same in all iterations.
    pub fn is_in_value(&self, e: &Expr) -> bool {
        self.is_of(e, |n| n.mentions_any(|v| self.vars.contains(v)))
    }

    /// The same, but for indices, of which a function knows.
    fn is_of(&self, e: &Expr, index: impl Fn(Nat) -> bool) -> bool {
        e.holds(|k| match k {
            ExprKind::Var(v) => self.vars.contains(v),
            ExprKind::Load(b, n) => self.arrays.contains(b) || index(*n),
            ExprKind::Index(n) => index(*n),
            _ => false,
        })
    }
}

/// The arrays that each iteration of a loop reads at several places near each other.
fn windows(var: Symbol, body: &[Stmt]) -> BTreeSet<BufId> {
    let mut short = BTreeSet::new();
    let mut places: BTreeMap<BufId, Nat> = BTreeMap::new();
    let mut all = BTreeSet::new();
    walk::each_stmt(body, &mut |s| {
        if let Stmt::For { var, .. } = s {
            short.insert(*var);
        }
        let Some(e) = walk::exprs(s) else { return };
        e.visit(&mut |e| {
            let ExprKind::Load(b, index) = e.kind() else {
                return;
            };
            if !index.mentions(var) {
                return;
            }
            let lanes = i64::from(e.shape().lanes);
            let beside = |by: i64| if lanes > 1 { by % lanes != 0 } else { by == 1 };
            let steps = |v: &Symbol| index.coefficient(*v).and_then(Nat::as_int);
            let first = places.entry(*b).or_insert(*index);
            let apart = (*index - *first).as_int();
            let is_other = first != index && (lanes == 1 || apart.is_none_or(beside));
            if is_other || short.iter().filter_map(steps).any(beside) {
                all.insert(*b);
            }
        });
    });
    all
}
