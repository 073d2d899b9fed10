//! Conditions on indices as scalar expressions: what `solve` can solve for the variable of a loop.
//!
//! Comes in: what names stand for, facts, a condition of a loop program, a lane of it. Goes out: the expression of `scalar`
//! that has the same truth value, and what is assumed of its variables. Invariant: no conversion and no sum in it leaves the integers of
//! its type. Absent: conditions on data.

use crate::arith::{AtomKind, Nat};
use crate::index::{to_expr, to_nat, Facts};
use crate::intern::Symbol;
use crate::nest::abi::{FITS, LARGEST};
use crate::nest::{walk, Abi, Block, Expr, ExprKind, Stmt};
use crate::scalar;
use crate::simplify::{build, Simplifier};
use crate::solve::{interval, shipped, Interval, Side, Solver};
use crate::term::{Lit, Op};
use crate::ty::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// What names of a nest stand for.
#[derive(Default)]
pub(super) struct Values {
    /// Variables that are declared with a value and keep it.
    pub(super) lets: FxHashMap<Symbol, Expr>,
    /// Indices.
    pub(super) indices: FxHashMap<Symbol, Nat>,
    /// What each size is at most.
    largest: FxHashMap<Symbol, i64>,
}

impl Values {
    /// Of a function: its arrays have at most 2^60 bytes, so a size is less whose square counts elements.
    pub(super) fn of(abi: &Abi) -> Values {
        let mut largest: FxHashMap<Symbol, i64> = abi.sizes.iter().map(|s| (*s, LARGEST)).collect();
        for slot in abi.outputs.iter().chain(&abi.inputs) {
            let terms = slot.count().terms();
            let [(mono, c)] = &terms[..] else {
                continue;
            };
            let factors: Vec<_> = mono.factors().collect();
            let (Some(c), [(a, power)]) = (c.as_int(), &factors[..]) else {
                continue;
            };
            if let (AtomKind::Var(s), 1.., 1.., false) = (a.kind(), c, *power, slot.by_value) {
                let most =
                    (LARGEST as f64 / slot.elem.bytes() as f64).powf(1.0 / f64::from(*power));
                // Rounded up by more than the root is wrong by.
                let most = (most * 1.001) as i64 + 1;
                largest.entry(s).and_modify(|n| *n = most.min(*n));
            }
        }
        Values {
            largest,
            ..Values::default()
        }
    }

    /// What a statement declares stands for its value from here on.
    pub(super) fn declare(&mut self, s: &Stmt) {
        match s {
            Stmt::Let {
                var,
                value: Some(e),
                mutable: false,
                ..
            } => {
                self.lets.insert(*var, e.clone());
            }
            Stmt::Index { var, value } => {
                self.indices.insert(*var, *value);
            }
            _ => {}
        }
    }

    /// A block that compares indices where it compared integers that are indices; what is larger is compared with what is less.
    pub(super) fn comparing_indices(&mut self, mut block: Block, facts: &mut Facts) -> Block {
        for s in &mut block {
            match s {
                Stmt::For {
                    var, extent, body, ..
                } => {
                    facts.range(*var, 0.into(), *extent - 1.into());
                    *body = self.comparing_indices(std::mem::take(body), facts);
                }
                Stmt::If { cond, then, els } => {
                    *cond = self.compares_indices(facts, cond);
                    *then = self.comparing_indices(std::mem::take(then), facts);
                    *els = self.comparing_indices(std::mem::take(els), facts);
                }
                _ => {
                    let of = &mut |e: &Expr| self.compares_indices(facts, e);
                    walk::map_block(std::slice::from_mut(s), of, &mut |n| n);
                }
            }
            self.declare(s);
        }
        block
    }

    fn compares_indices(&self, facts: &Facts, e: &Expr) -> Expr {
        e.rewrite(&mut |e| {
            let ExprKind::Op(op, args) = e.kind() else {
                return None;
            };
            let [a, b] = &args[..] else {
                return None;
            };
            compared(*op).filter(|_| e.shape().lanes == 1)?;
            let are_indices = a.as_index().and(b.as_index()).is_some();
            let (a, b) = (self.number(facts, a, 0)?, self.number(facts, b, 0)?);
            match op {
                Op::Gt => Some(Expr::compare(Op::Lt, b, a)),
                Op::Ge => Some(Expr::compare(Op::Le, b, a)),
                op => (!are_indices).then(|| Expr::compare(*op, a, b)),
            }
        })
    }

    /// An index without names of others.
    fn plain(&self, n: Nat) -> Nat {
        let mut now = n;
        // A name stands for what was declared before it.
        loop {
            let next = now.subst_vars(&mut |v| self.indices.get(&v).copied());
            if next == now {
                return now;
            }
            now = next;
        }
    }

    /// What is known of the variables of numbers, and of those of their bounds.
    pub(super) fn assumptions(&self, facts: &Facts, about: &[Nat]) -> Vec<scalar::Expr> {
        let mut open: Vec<Nat> = about.to_vec();
        let mut found: BTreeSet<Symbol> = BTreeSet::new();
        let mut all = Vec::new();
        while let Some(n) = open.pop() {
            n.each_atom(&mut |a| {
                let AtomKind::Var(v) = a.kind() else {
                    return;
                };
                if !found.insert(v) {
                    return;
                }
                let (low, high) = match (facts.range_of(v), self.largest.get(&v)) {
                    (Some((low, high)), _) => (low, Some(high)),
                    (None, Some(most)) => (Nat::int(0), Some(Nat::int(*most))),
                    (None, None) => return,
                };
                let var = Nat::var(v);
                for (a, b) in [(Some(low), Some(var)), (Some(var), high)] {
                    let both = a.zip(b).and_then(|(a, b)| to_expr(a).zip(to_expr(b)));
                    all.extend(both.map(|(a, b)| build(scalar::Op::Le, &[a, b])));
                }
                open.extend([Some(low), high].into_iter().flatten());
            });
        }
        all.retain(|e| e.as_bool().is_none());
        all
    }

    /// Between which values of a variable something holds, by what is known of numbers.
    pub(super) fn interval(
        &self,
        facts: &Facts,
        var: Symbol,
        (holds, side): (scalar::Expr, Side),
        about: &[Nat],
    ) -> Interval {
        let mut solver = Solver::new(shipped(), var);
        for e in self.assumptions(facts, about) {
            solver.assume(e);
        }
        interval(&mut solver, holds, side)
    }

    /// An end of such values that can be computed as an index, of others than some variables.
    pub(super) fn bound(
        &self,
        facts: &Facts,
        e: scalar::Expr,
        own: &FxHashSet<Symbol>,
    ) -> Option<Nat> {
        let n = Some(e)
            .filter(|e| divides_by_numbers(*e))
            .and_then(to_nat)?;
        let inside = own.iter().any(|v| n.mentions(*v));
        (!inside && self.fits(facts, n)).then_some(n)
    }

    /// Whether every variable of a number has a range, or is a size.
    pub(super) fn is_known(&self, facts: &Facts, n: Nat) -> bool {
        let mut known = true;
        n.each_atom(&mut |a| {
            if let AtomKind::Var(v) = a.kind() {
                known &= facts.range_of(v).is_some() || self.largest.contains_key(&v);
            }
        });
        known
    }

    /// Whether a number is sure to be one of these.
    fn is_within(&self, facts: &Facts, n: Nat, (low, high): (i64, i64)) -> bool {
        let Some(e) = to_expr(n).filter(|_| self.is_known(facts, n)) else {
            return false;
        };
        let mut simplifier = Simplifier::shipped();
        simplifier.assume_all(&self.assumptions(facts, &[n]));
        let mut holds = |a, b| simplifier.prove(build(scalar::Op::Le, &[a, b])) == Some(true);
        holds(scalar::Expr::int(low), e) && holds(e, scalar::Expr::int(high))
    }

    /// Whether it can be computed as an index.
    pub(super) fn fits(&self, facts: &Facts, n: Nat) -> bool {
        self.is_within(facts, n, (-FITS, FITS))
    }

    /// What a condition says in one of its lanes; `None` where it is not about indices.
    pub(super) fn truth(&self, facts: &Facts, e: &Expr, lane: u32) -> Option<scalar::Expr> {
        let of = |e: &Expr| self.truth(facts, e, lane);
        match e.kind() {
            ExprKind::Lit(Lit::Bool(b)) => Some(scalar::Expr::bool(*b)),
            ExprKind::Var(v) => of(self.lets.get(v)?),
            ExprKind::Splat(e) => self.truth(facts, e, 0),
            ExprKind::Build(all) => self.truth(facts, all.get(lane as usize)?, 0),
            ExprKind::Op(op, args) => {
                let logic = |op| {
                    let args = args.iter().map(of).collect::<Option<Vec<_>>>()?;
                    Some(build(op, &args))
                };
                match op {
                    Op::And => logic(scalar::Op::And),
                    Op::Or => logic(scalar::Op::Or),
                    Op::Not => logic(scalar::Op::Not),
                    _ => {
                        let [a, b] = &args[..] else {
                            return None;
                        };
                        let op = compared(*op)?;
                        let side = |e| to_expr(self.number(facts, e, lane)?);
                        Some(build(op, &[side(a)?, side(b)?]))
                    }
                }
            }
            _ => None,
        }
    }

    /// The index that an integer is, whatever its type.
    fn number(&self, facts: &Facts, e: &Expr, lane: u32) -> Option<Nat> {
        let of = |e: &Expr| self.number(facts, e, lane);
        let range = integers(e.shape().elem)?;
        let checked = |n: Nat| self.is_within(facts, n, range).then_some(n);
        match e.kind() {
            ExprKind::Index(n) => Some(self.plain(*n)),
            ExprKind::Lit(Lit::Int(n)) => Some(Nat::int(i64::try_from(*n).ok()?)),
            ExprKind::Lit(Lit::Size(n)) => checked(*n),
            ExprKind::Var(v) => of(self.lets.get(v)?),
            ExprKind::Splat(e) => self.number(facts, e, 0),
            ExprKind::Build(all) => self.number(facts, all.get(lane as usize)?, 0),
            ExprKind::Cast(e) => checked(of(e)?),
            ExprKind::Op(op, args) => {
                let [a, b] = &args[..] else {
                    return None;
                };
                let (a, b) = (of(a)?, of(b)?);
                checked(match op {
                    Op::Add => a + b,
                    Op::Sub => a - b,
                    Op::Mul => a * b,
                    _ => return None,
                })
            }
            _ => None,
        }
    }
}

fn compared(op: Op) -> Option<scalar::Op> {
    Some(match op {
        Op::Lt => scalar::Op::Lt,
        Op::Le => scalar::Op::Le,
        Op::Gt => scalar::Op::Gt,
        Op::Ge => scalar::Op::Ge,
        Op::Eq => scalar::Op::Eq,
        Op::Ne => scalar::Op::Ne,
        _ => return None,
    })
}

/// The numbers of an integer type, as far as indices go.
fn integers(s: Scalar) -> Option<(i64, i64)> {
    let (low, high) = s.bounds();
    let fits = |n: i128| n.clamp(-i128::from(FITS), i128::from(FITS)) as i64;
    s.is_int().then_some((fits(low), fits(high)))
}

/// Whether nothing is divided by what may be zero, or is negative at some sizes only.
fn divides_by_numbers(e: scalar::Expr) -> bool {
    let mut fine = true;
    e.visit(&mut |e| {
        if let scalar::Node::Apply(scalar::Op::Div | scalar::Op::Mod, args) = e.node() {
            fine &= args[1].as_int().is_some_and(|n| n != 0);
        }
    });
    fine
}
