//! Statements for many lanes at once.
//!
//! Comes in: the statements that compute a scalar at one lane; goes out: the same ones over vectors, piece by piece
//! inside of one loop. Invariants: loops and choices are those of every lane, so a lane is computed by the very
//! operations, in their order, that the scalar was. Absent: expressions (`lanes`), stores and buffers, for which lanes
//! are written in a loop.

use super::state::{Lower, Res};
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::nest::{walk, Block, Expr, ExprKind, LoopKind, Shape, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where in the vector a piece lies, and what named scalars became.
pub(super) struct Piece {
    pub lane: Symbol,
    pub start: i64,
    pub width: u32,
    pub vars: FxHashMap<Symbol, Expr>,
}

impl Piece {
    pub fn new(lane: Symbol, (start, width): (u32, u32)) -> Piece {
        Piece {
            lane,
            start: start.into(),
            width,
            vars: FxHashMap::default(),
        }
    }
}

/// Names whose value differs between lanes, or changes. The others may be part of an index of all lanes.
pub(super) fn varying(block: &Block, lane: Symbol) -> FxHashSet<Symbol> {
    let mut names = FxHashSet::default();
    walk::each_stmt(block, &mut |s| {
        let Stmt::Let {
            var,
            value,
            mutable,
            ..
        } = s
        else {
            return;
        };
        let mut same = !mutable;
        if let Some(value) = value {
            value.visit(&mut |e| {
                let differs = |n: Nat| n.mentions(lane) || names.iter().any(|v| n.mentions(*v));
                same &= !matches!(e.kind(), ExprKind::Var(v) if names.contains(v));
                same &= !e.own_index().is_some_and(differs);
            });
        }
        if !same {
            names.insert(*var);
        }
    });
    names
}

/// Whether statements and what is computed of them may be done for all lanes at once: only variables are written, none
/// of which is an index unless it is the same in all lanes, and neither loops nor conditions differ between lanes. `names`: those that
/// are [`varying`].
pub(super) fn can_be_vectors(
    block: &Block,
    results: &[Expr],
    lane: Symbol,
    names: &FxHashSet<Symbol>,
) -> bool {
    let mut fine = true;
    let plain = |n: Nat| !names.iter().any(|v| n.mentions(*v));
    let mut look = |e: &Expr| fine &= e.own_index().is_none_or(plain);
    results.iter().for_each(|e| e.visit(&mut look));
    walk::each_stmt(block, &mut |s| {
        if let Some(e) = walk::exprs(s) {
            e.visit(&mut look);
        }
    });
    let same = |n: Nat| plain(n) && !n.mentions(lane);
    walk::each_stmt(block, &mut |s| {
        fine &= match s {
            // A vector that differs between lanes has no vector of its own kind.
            Stmt::Let { var, shape, .. } => shape.lanes == 1 || !names.contains(var),
            Stmt::Assign { value, .. } => value.shape().lanes == 1,
            Stmt::For { extent, kind, .. } => same(*extent) && *kind == LoopKind::Seq,
            Stmt::Index { value, .. } => same(*value),
            Stmt::If { cond, .. } => {
                let mut all = true;
                cond.visit(&mut |e| {
                    all &= match e.kind() {
                        ExprKind::Index(n) | ExprKind::Load(_, n) => same(*n),
                        ExprKind::Var(v) => !names.contains(v),
                        ExprKind::Pick(..) => false,
                        _ => true,
                    }
                });
                all
            }
            Stmt::Alloc(_) | Stmt::Store { .. } | Stmt::Prefetch { .. } => false,
        };
    });
    fine
}

impl Lower {
    /// The statements over the vectors of all pieces, see [`can_be_vectors`].
    pub fn statements(&mut self, block: &Block, pieces: &mut [Piece]) -> Res<()> {
        for s in block {
            match s {
                Stmt::Let {
                    var,
                    value,
                    shape,
                    mutable,
                } => self.let_lanes(*var, value.as_ref(), *shape, *mutable, pieces),
                Stmt::Assign { var, value } => {
                    for p in pieces.iter() {
                        let value = self.vectorise(value, p);
                        if let Some(ExprKind::Var(var)) = p.vars.get(var).map(Expr::kind) {
                            self.push(Stmt::Assign { var: *var, value });
                        }
                    }
                }
                Stmt::Index { var, value } => {
                    self.levels.insert(*var, self.level());
                    self.push(Stmt::Index {
                        var: *var,
                        value: *value,
                    });
                }
                Stmt::If { cond, then, els } => {
                    let (then, ()) = self.scratch(|cx| cx.statements(then, pieces))?;
                    let (els, ()) = self.scratch(|cx| cx.statements(els, pieces))?;
                    self.push(Stmt::If {
                        cond: cond.clone(),
                        then,
                        els,
                    });
                }
                Stmt::For {
                    var,
                    extent,
                    kind,
                    body,
                    note,
                } => {
                    self.levels.insert(*var, self.stack.len());
                    self.facts.range(*var, 0.into(), *extent - 1.into());
                    let (body, ()) = self.scratch(|cx| cx.statements(body, pieces))?;
                    self.push(Stmt::For {
                        var: *var,
                        extent: *extent,
                        kind: *kind,
                        body,
                        note: note.clone(),
                    });
                }
                Stmt::Alloc(_) | Stmt::Store { .. } | Stmt::Prefetch { .. } => {
                    return Err(self.refuse("a store for many lanes at once".into()))
                }
            }
        }
        Ok(())
    }

    fn let_lanes(
        &mut self,
        var: Symbol,
        value: Option<&Expr>,
        shape: Shape,
        mutable: bool,
        pieces: &mut [Piece],
    ) {
        // What is the same in every lane stays a scalar.
        let differs = |v: &Expr| pieces.iter().any(|p| self.mentions_lane(v, p));
        if let Some(v) = value.filter(|v| !mutable && !differs(v)) {
            let value = Some(self.settle(v));
            self.levels.insert(var, self.level());
            self.push(Stmt::Let {
                var,
                value,
                shape,
                mutable,
            });
            return;
        }
        for p in pieces {
            let value = value.map(|v| self.vectorise(v, p));
            let lanes = Shape {
                lanes: p.width,
                ..shape
            };
            // Even a variable gets a name of its own: it may change.
            let name = match mutable {
                true => self.variable(lanes, value),
                false => {
                    let name = self.fresh("x");
                    self.levels.insert(name, self.level());
                    self.push(Stmt::Let {
                        var: name,
                        value,
                        shape: lanes,
                        mutable: false,
                    });
                    name
                }
            };
            p.vars.insert(var, Expr::var(name, lanes));
        }
    }
}
