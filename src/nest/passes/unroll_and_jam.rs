//! Unroll and jam: several iterations of a loop share one run of an inner loop whose steps wait for each other.
//!
//! Comes in: a nest; goes out: one in which a loop over rows, say, each of which is scanned or added up in order, takes a few rows at
//! once: a step of one row does not wait for a step of another one. How many, what a step waits for and what a processor does meanwhile
//! say. Invariant: what each iteration computes, and in which order; the order of stores to one place, which are of one
//! iteration. Absent: reductions that compilers make vectors of; loops that end before, or look ahead, where nothing changes; loops of vectors, as a search has shaped those; loops in which memory
//! is asked for, or kept for one iteration.

use super::apart::are_apart;
use super::effects::handed_on;
use super::fresh::Names;
use super::strip_mining::{rest, substituted};
use crate::arith::Nat;
use crate::index::Facts;
use crate::intern::Symbol;
use crate::nest::{seldom, settled, walk, Block, Expr, ExprKind, LoopKind, Nest, Stmt};
use crate::term::{Op, Sort};
use crate::ty::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The longest loop that compilers write out.
const SHORT: i64 = 16;
/// The most iterations at once, and the most numbers that are carried by all of them.
const ABREAST: f64 = 8.0;
const CARRIED: usize = 8;
/// The most statements that are written several times.
const STATEMENTS: usize = 60;
/// A step that waits for less than so many times its work is not worth it.
const WORTH: f64 = 1.5;

/// Lets iterations run side by side.
pub(super) fn jam(nest: &mut Nest, facts: &mut Facts) {
    let names = Names::of(nest);
    let mut body = std::mem::take(&mut nest.body);
    let mut pass = Pass {
        nest,
        facts,
        names,
        made: BTreeMap::new(),
    };
    walk::replace(&mut body, &mut |s| pass.looked_at(s));
    let made = pass.made;
    nest.shared_by_iterations.extend(made);
    nest.body = body;
}

struct Pass<'a> {
    nest: &'a Nest,
    facts: &'a mut Facts,
    names: Names,
    /// The indices of loops that iterations share, and how many do.
    made: BTreeMap<Symbol, u32>,
}

impl Pass<'_> {
    /// A loop as others, if that is worth it; of the rest its range is known.
    fn looked_at(&mut self, s: &Stmt) -> Option<Block> {
        let loops = self.several(s);
        if let (None, Stmt::For { var, extent, .. }) = (&loops, s) {
            (self.facts).range(*var, 0.into(), *extent - 1.into());
        }
        loops
    }

    /// A loop as one over several iterations at once, and one over those that are left.
    fn several(&mut self, s: &Stmt) -> Option<Block> {
        let Stmt::For {
            var,
            extent,
            kind: kind @ (LoopKind::Seq | LoopKind::Par | LoopKind::Independent),
            body,
            note,
        } = s
        else {
            return None;
        };
        let waits = Waits::of(*var, body)?;
        let few = self
            .facts
            .at_least(Nat::int(2 * waits.abreast - 1), *extent);
        if few || !self.is_free(*var, *extent, *kind, body) {
            return None;
        }
        let groups = self.facts.floor(*extent, waits.abreast.into());
        let group = self.names.like(*var);
        self.facts.range(group, 0.into(), groups - 1.into());
        let first = Nat::var(group) * waits.abreast.into();
        let several = Stmt::For {
            var: group,
            extent: groups,
            kind: *kind,
            body: self.jammed(body, &waits, (*var, first)),
            note: note.clone(),
        };
        let left = rest(
            (*var, *extent),
            body,
            groups * waits.abreast.into(),
            self.facts,
        );
        Some(vec![several, left])
    }

    /// Whether iterations may run in any order: threads may run them so, or each touches a row of its own; none keeps something for
    /// itself.
    fn is_free(&mut self, var: Symbol, extent: Nat, kind: LoopKind, body: &Block) -> bool {
        let mut own = false;
        walk::each_stmt(body, &mut |s| own |= matches!(s, Stmt::Alloc(_)));
        self.facts.range(var, 0.into(), extent - 1.into());
        let nest = self.nest;
        !own && (kind == LoopKind::Par || are_apart(body, var, &|b| nest.root(b), self.facts))
    }

    /// What several iterations do from one on: loops that wait are shared.
    fn jammed(&mut self, body: &Block, waits: &Waits, (var, first): (Symbol, Nat)) -> Block {
        let mut shared: FxHashMap<Symbol, Symbol> = FxHashMap::default();
        for s in body {
            if let Stmt::For { var, extent, .. } = s {
                if waits.loops.contains(var) {
                    let name = self.names.like(*var);
                    self.facts.range(name, 0.into(), *extent - 1.into());
                    shared.insert(*var, name);
                    self.made.insert(name, waits.abreast as u32);
                }
            }
        }
        let mut declared = Vec::new();
        walk::each_stmt(body, &mut |s| declared.extend(walk::declared(s)));
        let copies: Vec<Block> = (0..waits.abreast)
            .map(|u| {
                let mut copy = substituted(body, var, first + u.into(), self.facts);
                let new = |v: &Symbol| {
                    let name = shared.get(v).copied();
                    (*v, name.unwrap_or_else(|| self.names.like(*v)))
                };
                walk::rename(&mut copy, &declared.iter().map(new).collect());
                copy
            })
            .collect();
        side_by_side(
            &copies,
            &|s| matches!(s, Stmt::For { var, .. } if shared.values().any(|v| v == var)),
        )
    }
}

/// Copies of a block, statement by statement; of some loops there is one.
fn side_by_side(copies: &[Block], is_shared: &dyn Fn(&Stmt) -> bool) -> Block {
    let mut made = Block::new();
    for (i, s) in copies[0].iter().enumerate() {
        match s {
            Stmt::For {
                var,
                extent,
                kind,
                note,
                ..
            } if is_shared(s) => {
                let bodies: Vec<Block> = (copies.iter())
                    .filter_map(|c| match &c[i] {
                        Stmt::For { body, .. } => Some(body.clone()),
                        _ => None,
                    })
                    .collect();
                made.push(Stmt::For {
                    var: *var,
                    extent: *extent,
                    kind: *kind,
                    body: side_by_side(&bodies, is_shared),
                    note: note.clone(),
                });
            }
            _ => made.extend(copies.iter().map(|c| c[i].clone())),
        }
    }
    made
}

/// The loops in an iteration whose steps wait for each other.
struct Waits {
    loops: FxHashSet<Symbol>,
    /// How many iterations at once keep a processor busy meanwhile.
    abreast: i64,
}

impl Waits {
    /// Those of a loop, where some iterations at once are worth it.
    fn of(var: Symbol, body: &Block) -> Option<Waits> {
        let (mut statements, mut fits) = (0, true);
        walk::each_stmt(body, &mut |s| {
            statements += 1;
            let vector = |e: &Expr| {
                let mut found = false;
                e.visit(&mut |e| found |= e.shape().lanes > 1);
                found
            };
            fits &= !walk::exprs(s).is_some_and(vector);
            // Choices between loops are others for each iteration.
            if let Stmt::If { then, els, .. } = s {
                let loops = |s: &Stmt| matches!(s, Stmt::For { .. });
                fits &= !then.iter().chain(els).any(loops);
            }
        });
        if !fits || statements > STATEMENTS {
            return None;
        }
        let mut waits = Waits {
            loops: FxHashSet::default(),
            abreast: ABREAST as i64,
        };
        for own in body {
            let Stmt::For {
                var: index,
                extent,
                kind: LoopKind::Seq,
                body: of,
                ..
            } = own
            else {
                continue;
            };
            let long = extent.as_int().is_none_or(|n| n > SHORT);
            let given = extent
                .vars()
                .iter()
                .all(|v| *v != var && !declares(body, *v));
            if !long || !given {
                continue;
            }
            let abreast = Step::of(of).and_then(|s| s.abreast());
            // Such a loop may be over long before, or look ahead.
            let stays = |_: &i64| settled(own).is_none() && seldom(own).is_none();
            if let Some(abreast) = abreast.filter(stays) {
                waits.loops.insert(*index);
                waits.abreast = waits.abreast.min(abreast);
            }
        }
        (!waits.loops.is_empty()).then_some(waits)
    }
}

/// Whether a variable is declared in a block.
fn declares(block: &Block, var: Symbol) -> bool {
    let mut found = false;
    walk::each_stmt(block, &mut |s| found |= walk::declared(s) == Some(var));
    found
}

/// An iteration of an innermost loop, by what it takes.
#[derive(Default)]
struct Step {
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
    fn of(body: &Block) -> Option<Step> {
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
            ExprKind::Cast(a) => {
                self.operations += 1.0;
                self.expr(a).map(|a| a + 2.0)
            }
            _ => at,
        }
    }

    /// How many of them at once are worth it.
    fn abreast(&self) -> Option<i64> {
        let chain = self.known.values().copied().fold(0.0, f64::max);
        let work = [
            self.stores,
            self.loads / 2.0,
            self.operations / 2.0 + self.divisions,
            self.statements / 4.0,
        ];
        let work = work.into_iter().fold(0.5, f64::max);
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

/// Cycles until the result of an operation is known, roughly.
fn latency(op: Op, of: Scalar) -> f64 {
    match (op, of.is_float()) {
        (Op::Div | Op::Sqrt, true) => 12.0,
        (Op::Div | Op::Mod, false) => 20.0,
        (Op::Mul, false) => 3.0,
        (_, true) if matches!(op.sort(), Sort::Arithmetic(_)) => 4.0,
        _ => 1.0,
    }
}
