//! What an iteration of an innermost loop waits for, and what a processor does meanwhile.
//!
//! Comes in: the body of a loop that carries something from one iteration to the next; goes out: how many such loops side by side keep a
//! processor busy. Absent: iterations that call functions, or ask for memory.

use super::effects::handed_on;
use crate::intern::Symbol;
use crate::nest::{walk, Block, Expr, ExprKind, Stmt};
use crate::term::{Op, Sort};
use crate::ty::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};

/// The most iterations at once, and the most numbers that are carried by all of them.
pub(super) const ABREAST: f64 = 8.0;
const CARRIED: usize = 8;
/// A step that waits for less than so many times its work is not worth it.
const WORTH: f64 = 1.5;

/// Cycles to read a number into a lane, or to store one, and how many times as fast lanes have to be that are read so.
const GATHER: f64 = 1.2;
const FASTER: f64 = 1.5;

/// An iteration of an innermost loop, by what it takes.
#[derive(Default)]
pub(super) struct Step {
    /// Cycles until each variable is known that waits for what the iteration before assigns; at the end, of those that it assigns.
    known: FxHashMap<Symbol, f64>,
    carried: usize,
    loads: f64,
    stores: f64,
    statements: f64,
    operations: f64,
    /// Cycles in which nothing else is divided.
    divisions: f64,
    /// Whether something is no sum that compilers make vectors of.
    waits: bool,
}

impl Step {
    /// That of a loop, if it carries something, and nothing but numbers that are computed here.
    pub(super) fn of(body: &Block) -> Option<Step> {
        let carried: FxHashSet<Symbol> = handed_on(body).into_keys().collect();
        let mut fits = true;
        walk::each_stmt(body, &mut |s| {
            fits &= !matches!(s, Stmt::For { .. } | Stmt::Alloc(_) | Stmt::Prefetch { .. });
            fits &= !walk::exprs(s).is_some_and(Expr::calls);
        });
        if !fits || carried.is_empty() {
            return None;
        }
        let mut step = Step {
            known: carried.iter().map(|v| (*v, 0.0)).collect(),
            carried: carried.len(),
            ..Step::default()
        };
        step.block(body, &carried);
        step.waits |= step.stores > 0.0;
        step.known.retain(|v, _| carried.contains(v));
        Some(step)
    }

    fn block(&mut self, block: &Block, carried: &FxHashSet<Symbol>) {
        for s in block {
            self.statements += 1.0;
            match s {
                Stmt::Let {
                    var,
                    value: Some(value),
                    ..
                } => {
                    if let Some(at) = self.expr(value) {
                        self.known.insert(*var, at);
                    }
                }
                Stmt::Assign { var, value } => {
                    let at = self.expr(value).unwrap_or(0.0);
                    let before = self.known.get(var).copied().unwrap_or(0.0);
                    self.known.insert(*var, at.max(before));
                    self.waits |= carried.contains(var) && !is_regrouped(*var, value);
                }
                Stmt::Store { value, .. } => {
                    self.stores += 1.0;
                    self.expr(value);
                }
                Stmt::If { cond, then, els } => {
                    self.expr(cond);
                    self.block(then, carried);
                    self.block(els, carried);
                }
                _ => {}
            }
        }
    }

    /// Counts a value; when it is known, if it waits for the iteration before.
    fn expr(&mut self, e: &Expr) -> Option<f64> {
        let index = e.own_index();
        let at = index.into_iter().flat_map(|n| n.vars().to_vec());
        let at = (at.filter_map(|v| self.known.get(&v).copied())).reduce(f64::max);
        match e.kind() {
            ExprKind::Var(v) => self.known.get(v).copied(),
            ExprKind::Load(..) => {
                self.loads += 1.0;
                at.map(|a| a + 4.0)
            }
            ExprKind::Op(op, args) => {
                let all: Vec<Option<f64>> = args.iter().map(|a| self.expr(a)).collect();
                let of = args.first().map_or(e.shape(), Expr::shape).elem;
                let takes = latency(*op, of);
                match takes > 8.0 {
                    true => self.divisions += takes / 3.0,
                    false => self.operations += 1.0,
                }
                let last = all.into_iter().flatten().reduce(f64::max);
                last.map(|a| a + takes)
            }
            // Whole numbers are widened where they are read.
            ExprKind::Cast(a) if !a.shape().elem.is_float() && !e.shape().elem.is_float() => {
                self.expr(a)
            }
            ExprKind::Cast(a) | ExprKind::Clamp(a, _) => {
                self.operations += 1.0;
                self.expr(a).map(|a| a + 2.0)
            }
            _ => at,
        }
    }

    /// Cycles that the next step waits for, and cycles of what is done meanwhile.
    fn cycles(&self) -> (f64, f64) {
        let chain = self.known.values().copied().fold(0.0, f64::max);
        let work = [
            self.stores,
            self.loads / 2.0,
            self.operations / 2.0 + self.divisions,
            self.statements / 4.0,
        ];
        (chain, work.into_iter().fold(0.5, f64::max))
    }

    /// Whether lanes that read and store so much one by one are faster than several rows at once.
    pub(super) fn is_faster_in(&self, lanes: u32, gathered: usize) -> bool {
        let (chain, work) = self.cycles();
        let rows = self.abreast().unwrap_or(1) as f64;
        let lanes = f64::from(lanes);
        let gathered = gathered as f64 * GATHER * lanes;
        // Of what does not wait compilers make vectors.
        self.waits && FASTER * (gathered + work).max(chain / 2.0) <= lanes * work.max(chain / rows)
    }

    /// How many of them at once are worth it.
    pub(super) fn abreast(&self) -> Option<i64> {
        let (chain, work) = self.cycles();
        let most = ABREAST.min((CARRIED / self.carried) as f64);
        let many = (chain / work).ceil().min(most);
        let worth = self.waits && chain >= WORTH * work && many >= 2.0;
        worth.then(|| 1 << (many as i64).ilog2())
    }
}

/// Whether compilers take the steps of a variable in another order, several at once: of whole numbers no order is another result.
fn is_regrouped(var: Symbol, value: &Expr) -> bool {
    let is_own = |e: &Expr| matches!(e.kind(), ExprKind::Var(v) if *v == var);
    match value.kind() {
        ExprKind::Op(op, args) if !value.shape().elem.is_float() => {
            let fold = matches!(
                op,
                Op::Add | Op::Mul | Op::Min | Op::Max | Op::BitAnd | Op::BitOr | Op::BitXor
            );
            fold && args.iter().filter(|e| is_own(e)).count() == 1
        }
        _ => false,
    }
}

/// Whether a loop chooses what it hands on by what it was handed: compilers make no vectors of its iterations, nor of those of loops
/// around it.
pub(super) fn chooses(body: &Block) -> bool {
    let mut known: FxHashSet<Symbol> = handed_on(body).into_keys().collect();
    let mut before = 0;
    while known.len() > before {
        before = known.len();
        walk::each_stmt(body, &mut |s| {
            if let Stmt::Let {
                var,
                value: Some(value),
                ..
            } = s
            {
                if depends(value, &known) {
                    known.insert(*var);
                }
            }
        });
    }
    let mut chooses = false;
    walk::each_stmt(body, &mut |s| {
        walk::exprs(s).into_iter().for_each(|e| {
            e.visit(&mut |e| match e.kind() {
                ExprKind::Op(Op::Select, args) if depends(e, &known) => {
                    chooses |= !is_masked(args, &known);
                }
                _ => {}
            });
        });
    });
    chooses
}

/// Whether one of these is a part of it.
fn depends(e: &Expr, known: &FxHashSet<Symbol>) -> bool {
    e.holds(|kind| matches!(kind, ExprKind::Var(v) if known.contains(v)))
}

/// Whether it is a step of a whole number or none, by what is handed on nowhere, which compilers mask.
fn is_masked(args: &[Expr], known: &FxHashSet<Symbol>) -> bool {
    let [cond, a, b] = args else { return false };
    let either = |kept: &Expr, next: &Expr| match kept.kind() {
        ExprKind::Var(v) => is_regrouped(*v, next) || !depends(next, known),
        _ => false,
    };
    !a.shape().elem.is_float() && !depends(cond, known) && (either(a, b) || either(b, a))
}

/// Cycles until the result of an operation is known, roughly.
fn latency(op: Op, of: Scalar) -> f64 {
    match (op, of.is_float()) {
        (Op::Div | Op::Sqrt, true) => 12.0,
        (Op::Div | Op::Mod, false) => 20.0,
        (Op::Mul, false) => 3.0,
        (_, true) if matches!(op.sort(), Sort::Arithmetic(_)) => 4.0,
        (_, true) if matches!(op.sort(), Sort::Comparison(_)) => 3.0,
        (Op::Select, true) => 2.0,
        _ => 1.0,
    }
}
