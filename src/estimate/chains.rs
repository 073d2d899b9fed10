//! What an iteration waits for that the one before computes.
//!
//! In: the body of a loop. Out: its accumulators, and the elements that it may update once more, with the operations in a row on each.
//! Absent: how long such an operation takes.

use super::sizes::{value, Env, UNROLLED};
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::nest::{walk, BufId, Expr, ExprKind, Nest, Stmt};
use crate::term::{Op, Sort};
use std::collections::{BTreeMap, BTreeSet};

/// Cycles until the next operation on an accumulator may begin; where that is a sum, a choice or bits of whole numbers.
pub const LATENCY: f64 = 4.0;
const OF_WHOLE: f64 = 1.5;

/// Variables that a body takes from one iteration to the next, with the operations in a row on each.
pub fn carried(body: &[Stmt], env: &Env) -> BTreeMap<Symbol, u32> {
    let mut own = BTreeSet::new();
    walk::each_stmt(body, &mut |s| {
        if let Stmt::Let { var, .. } = s {
            own.insert(*var);
        }
    });
    let mut assigned = BTreeMap::new();
    assignments(body, 1, env, &mut assigned);
    assigned.retain(|var, _| !own.contains(var));
    assigned
}

/// How often each variable is assigned where a body runs so often.
fn assignments(body: &[Stmt], times: u32, env: &Env, all: &mut BTreeMap<Symbol, u32>) {
    for s in body {
        match s {
            Stmt::Assign { var, .. } => *all.entry(*var).or_insert(0) += times,
            Stmt::For { extent, body, .. } => {
                let n = value(*extent, env).clamp(0, UNROLLED) as u32;
                assignments(body, times.saturating_mul(n), env, all);
            }
            Stmt::If { then, els, .. } => {
                assignments(then, times, env, all);
                assignments(els, times, env, all);
            }
            _ => {}
        }
    }
}

/// Cycles from when accumulators are known until their next values are.
pub fn waits(body: &[Stmt], carried: &BTreeMap<Symbol, u32>) -> f64 {
    let mut read: BTreeSet<Symbol> = carried.keys().copied().collect();
    walk::each_stmt(body, &mut |s| {
        if let Stmt::Let { var, .. } = s {
            read.insert(*var);
        }
    });
    let takes_long = |k: &ExprKind| match k {
        ExprKind::Op(op, _) => matches!(op, Op::Mul | Op::Div | Op::Mod) || op.called().is_some(),
        // It may be the accumulator that says where.
        ExprKind::Load(_, n) => n.mentions_any(|v| read.contains(v)),
        _ => false,
    };
    let mut quick = true;
    walk::each_stmt(body, &mut |s| {
        quick &= !walk::exprs(s).is_some_and(|e| e.holds(takes_long));
    });
    let mut most = 0.0f64;
    walk::each_stmt(body, &mut |s| {
        if let Stmt::Assign { var, value } = s {
            let times = carried.get(var).copied().unwrap_or(0);
            let one = match value.shape().elem.is_float() || !quick {
                true => LATENCY,
                false => OF_WHOLE,
            };
            most = most.max(f64::from(times) * one);
        }
    });
    most
}

/// Whether nothing is computed of an accumulator but its next value, by one operation: compilers make vectors of sums, but of no chain of
/// products and sums, and not of the largest sum so far.
pub fn are_folds(body: &[Stmt], carried: &BTreeMap<Symbol, u32>) -> bool {
    folds(body, carried, true)
}

/// The same where nothing else chooses what the next value is, an accumulator that comes before it neither: of these alone compilers
/// put several iterations of a loop around into lanes.
pub fn are_operations(body: &[Stmt], carried: &BTreeMap<Symbol, u32>) -> bool {
    folds(body, carried, false)
}

fn folds(body: &[Stmt], carried: &BTreeMap<Symbol, u32>, chosen: bool) -> bool {
    let mut chain = Chain {
        of: carried.keys().copied().collect(),
        names: BTreeMap::new(),
        chosen,
    };
    let mut folds = true;
    walk::each_stmt(body, &mut |s| match s {
        Stmt::Let {
            var,
            value: Some(value),
            ..
        } if chain.reads(value) => {
            chain
                .names
                .insert(*var, (value.clone(), chain.is_fold(value)));
        }
        Stmt::Assign { var, value } if carried.contains_key(var) => folds &= chain.is_fold(value),
        _ => {}
    });
    folds
}

/// Accumulators, and names of what is computed of them, with whether that may be their next value.
struct Chain {
    of: BTreeSet<Symbol>,
    names: BTreeMap<Symbol, (Expr, bool)>,
    /// Whether a next value may be chosen, or that of another accumulator.
    chosen: bool,
}

impl Chain {
    /// Whether an expression has an accumulator in it.
    fn reads(&self, e: &Expr) -> bool {
        let mut found = false;
        e.visit(&mut |e| {
            if let ExprKind::Var(v) = e.kind() {
                found |= self.of.contains(v) || self.names.contains_key(v);
            }
        });
        found
    }

    /// Whether it is an accumulator.
    fn is_own(&self, e: &Expr) -> bool {
        match e.kind() {
            ExprKind::Var(v) => {
                self.of.contains(v) || self.names.get(v).is_some_and(|n| self.is_own(&n.0))
            }
            _ => false,
        }
    }

    /// Whether a value is an operation on an accumulator and on what has none in it, or is chosen.
    fn is_fold(&self, value: &Expr) -> bool {
        match value.kind() {
            ExprKind::Var(v) => match self.names.get(v) {
                Some((_, folds)) => *folds,
                None => self.chosen || !self.of.contains(v),
            },
            ExprKind::Op(op, args) if matches!(op.sort(), Sort::Arithmetic(_) | Sort::Bits(_)) => {
                let (own, others): (Vec<_>, Vec<_>) = args.iter().partition(|e| self.is_own(e));
                own.len() <= 1 && !others.into_iter().any(|e| self.reads(e))
            }
            // What an accumulator chooses, no compiler knows to be a minimum of several parts.
            ExprKind::Op(Op::Select, args) if self.chosen => !self.reads(&args[0]),
            _ => self.chosen || !self.reads(value),
        }
    }
}

/// How many updates in a row an element may have in an iteration, as data say which one is updated: it may be the one that was updated last, which
/// is loaded when it is stored.
pub fn updates(nest: &Nest, var: Symbol, body: &[Stmt], env: &Env) -> u32 {
    let (mut read, mut loaded) = (BTreeSet::new(), BTreeSet::new());
    walk::each_stmt(body, &mut |s| {
        if let Stmt::Let { var, .. } = s {
            read.insert(*var);
        }
        walk::each_load(s, &mut |b, _| {
            loaded.insert(nest.root(b));
        });
    });
    let mut all = BTreeMap::new();
    let again = |buf: &BufId, index: &Nat| {
        let by_data = !index.mentions(var) && index.mentions_any(|v| read.contains(v));
        by_data && loaded.contains(buf)
    };
    stores(body, &mut Vec::new(), env, &mut |buf, index, times| {
        let buf = nest.root(buf);
        if again(&buf, &index) {
            *all.entry(buf).or_insert(0) += times;
        }
    });
    all.into_values().max().unwrap_or(0)
}

/// Whether the loops in the body of another one go over elements that each iteration of it updates: accumulators in memory.
pub fn accumulates(nest: &Nest, var: Symbol, body: &[Stmt]) -> bool {
    let mut loaded = BTreeSet::new();
    walk::each_stmt(body, &mut |s| {
        walk::each_load(s, &mut |b, (index, _)| {
            loaded.insert((nest.root(b), index));
        });
    });
    walk::holds(body, &|s| match s {
        Stmt::Store { buf, index, .. } => {
            !index.mentions(var) && loaded.contains(&(nest.root(*buf), *index))
        }
        _ => false,
    })
}

/// Stores of a body, with how often each meets one array where loops around it do not move it: a table for each iteration is another one.
fn stores(
    body: &[Stmt],
    around: &mut Vec<(Symbol, u32)>,
    env: &Env,
    f: &mut impl FnMut(BufId, Nat, u32),
) {
    for s in body {
        match s {
            Stmt::Store { buf, index, .. } => {
                let still = around.iter().filter(|a| !index.mentions(a.0));
                f(*buf, *index, still.map(|a| a.1).product());
            }
            Stmt::For {
                var, extent, body, ..
            } => {
                around.push((*var, value(*extent, env).clamp(0, UNROLLED) as u32));
                stores(body, around, env, f);
                around.pop();
            }
            Stmt::If { then, els, .. } => {
                stores(then, around, env, f);
                stores(els, around, env, f);
            }
            _ => {}
        }
    }
}
