//! Sums of whole numbers as compilers know them.
//!
//! In: the loop program. Out: which variables are kept without a sign. A sum wraps, which C leaves to numbers without a sign:
//! `(int32_t)((uint32_t)acc + …)` is the same number, but between the additions stands a conversion, behind which compilers
//! find no instruction that adds products of neighbours (`pmaddwd`) or amounts of differences of bytes (`psadbw`). Invariant:
//! such a variable has the same bits, and is read as `(int32_t)acc`. Sums that loops of known lengths cannot take out of the type keep
//! their sign: compilers find out how few bytes they need. Truth values that loops put together are bytes of 0 and 1: of `bool` compilers
//! make no vectors. Absent: vectors, whose type is that of their elements; the
//! text.

use super::interval::Values;
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::nest::{walk, Block, Expr, ExprKind, LoopKind, Shape, Stmt};
use crate::term::{Lit, Op};
use crate::ty::Scalar;
use std::collections::{BTreeMap, BTreeSet};

/// Between which numbers sums of i32 lie to which loops of known lengths add what lies between some.
pub(super) fn bounded(body: &Block) -> BTreeMap<Symbol, (i128, i128)> {
    let mut sums = Sums::default();
    walk::each_stmt(body, &mut |s| {
        sums.values
            .known
            .extend(walk::constant(s).map(|(v, e)| (v, e.clone())));
    });
    sums.block(body);
    let (least, most) = Scalar::I32.bounds();
    let fits = |s: &Sum| !s.otherwise && s.grows && least <= s.low && s.high <= most;
    let all = sums.sums.into_iter().filter(|(_, s)| fits(s));
    all.map(|(v, s)| (v, (s.low, s.high))).collect()
}

/// A sum from where it is declared on.
struct Sum {
    low: i128,
    high: i128,
    /// Loops around its declaration.
    depth: usize,
    grows: bool,
    /// Whether it is given something that is not bounded.
    otherwise: bool,
}

#[derive(Default)]
struct Sums {
    values: Values,
    sums: BTreeMap<Symbol, Sum>,
    /// How often loops around run, where that is known.
    loops: Vec<Option<i64>>,
}

impl Sums {
    fn block(&mut self, block: &Block) {
        for s in block {
            match s {
                Stmt::Let {
                    var,
                    value: Some(value),
                    mutable: true,
                    shape,
                } if *shape == Shape::scalar(Scalar::I32) => {
                    if let ExprKind::Lit(Lit::Int(n)) = value.kind() {
                        let sum = Sum {
                            low: *n,
                            high: *n,
                            depth: self.loops.len(),
                            grows: false,
                            otherwise: false,
                        };
                        self.sums.insert(*var, sum);
                    }
                }
                Stmt::Assign { var, value } => self.assign(*var, value),
                Stmt::For { extent, body, .. } => {
                    self.loops.push(extent.as_int());
                    self.block(body);
                    self.loops.pop();
                }
                Stmt::If { then, els, .. } => {
                    self.block(then);
                    self.block(els);
                }
                _ => {}
            }
        }
    }

    fn assign(&mut self, var: Symbol, value: &Expr) {
        let Some(sum) = self.sums.get_mut(&var) else {
            return;
        };
        let times = self.loops[sum.depth..]
            .iter()
            .try_fold(1_i64, |n, k| n.checked_mul((*k)?.max(0)));
        let is_own = |e: &ExprKind| matches!(e, ExprKind::Var(v) if *v == var);
        let own = |e: &Expr| is_own(e.kind());
        let added = match value.kind() {
            ExprKind::Op(Op::Add, args) => match &args[..] {
                [x, y] if own(x) && !y.holds(is_own) => Some(y),
                [x, y] if own(y) && !x.holds(is_own) => Some(x),
                _ => None,
            },
            _ => None,
        };
        let (Some(times), Some(added)) = (times, added) else {
            sum.otherwise = true;
            return;
        };
        let (low, high) = self.values.range(added);
        sum.grows = true;
        sum.low = sum
            .low
            .saturating_add(low.min(0).saturating_mul(times.into()));
        sum.high = sum
            .high
            .saturating_add(high.max(0).saturating_mul(times.into()));
    }
}

/// Variables of i32 that are given nothing but themselves and something more, where only one thread sees them.
pub(super) fn without_sign(body: &Block) -> BTreeSet<Symbol> {
    let (mut sums, mut others) = (BTreeSet::new(), BTreeSet::new());
    walk::each_stmt(body, &mut |s| match s {
        Stmt::Assign { var, value } => {
            let all = match grows(*var, value) {
                true => &mut sums,
                false => &mut others,
            };
            all.insert(*var);
        }
        Stmt::For {
            kind: LoopKind::Par,
            body,
            ..
        } => shared(body, &mut others),
        _ => {}
    });
    sums.retain(|v| !others.contains(v));
    sums
}

/// Truth values to which others are added by `and` and `or`, or which others turn round.
pub(super) fn bytes_of_truth(body: &Block) -> BTreeSet<Symbol> {
    let mut all = BTreeSet::new();
    walk::each_stmt(body, &mut |s| {
        let Stmt::Assign { var, value } = s else {
            return;
        };
        let ExprKind::Op(Op::And | Op::Or | Op::Ne, args) = value.kind() else {
            return;
        };
        let itself = |e: &Expr| matches!(e.kind(), ExprKind::Var(v) if v == var);
        let truths = args.iter().all(|e| e.shape() == value.shape());
        if value.shape().lanes == 1 && truths && args.iter().any(itself) {
            all.insert(*var);
        }
    });
    all
}

/// Indices of elements that are read nowhere else, and by the thread that has them alone: of up to 2^31 elements they may be short.
pub(super) fn alone(body: &Block) -> BTreeSet<Symbol> {
    let (mut all, mut others) = (BTreeSet::new(), BTreeSet::new());
    walk::each_stmt(body, &mut |s| {
        match s {
            Stmt::Let {
                var,
                value: Some(value),
                mutable: false,
                ..
            } => {
                let short = |e: &Expr| match e.kind() {
                    ExprKind::Clamp(_, n) => n.as_int().is_some_and(|n| n <= 1 << 31),
                    _ => false,
                };
                all.extend(short(value).then_some(*var));
            }
            Stmt::For {
                kind: LoopKind::Par,
                body,
                ..
            } => shared(body, &mut others),
            _ => {}
        }
        walk::each_index(s, &mut |n| {
            let part = |v: &&Symbol| n.mentions(**v) && n != Nat::var(**v);
            others.extend(all.iter().filter(part));
        });
        if let Some(e) = walk::exprs(s) {
            e.visit(&mut |e| match e.kind() {
                ExprKind::Index(n) | ExprKind::Clamp(_, n) => {
                    others.extend(all.iter().filter(|v| n.mentions(**v)));
                }
                ExprKind::Var(v) => {
                    others.insert(*v);
                }
                _ => {}
            });
        }
    });
    all.retain(|v| !others.contains(v));
    all
}

/// Whether a value is that of a variable and something more.
fn grows(var: Symbol, value: &Expr) -> bool {
    let own = |e: &Expr| matches!(e.kind(), ExprKind::Var(v) if *v == var);
    value.shape() == Shape::scalar(Scalar::I32)
        && match value.kind() {
            ExprKind::Op(Op::Add, args) => args.iter().any(own),
            ExprKind::Op(Op::Fma, args) => args.last().is_some_and(own),
            _ => false,
        }
}

/// What threads may get from outside of their loop.
fn shared(body: &Block, out: &mut BTreeSet<Symbol>) {
    let mut declared = BTreeSet::new();
    let mut read = BTreeSet::new();
    walk::each_stmt(body, &mut |s| {
        declared.extend(walk::declared(s));
        walk::each_index(s, &mut |n| read.extend(n.vars().iter().copied()));
        if let Some(e) = walk::exprs(s) {
            e.visit(&mut |e| {
                if let ExprKind::Var(v) = e.kind() {
                    read.insert(*v);
                }
            });
        }
    });
    out.extend(read.difference(&declared));
}
