//! Fusion of stages: a loop runs inside of the one that reads what it stores, iteration by iteration.
//!
//! Comes in: a nest; goes out: the same, in which of two loops of one block with as many iterations, of which the second
//! reads what the first stores in the same iteration, one is left. What was an element of a row is then a variable, and the row
//! is gone if nothing else reads it; what both read is loaded once. Compilers fuse no loops, so each stage went through the
//! caches by itself. Invariant: the iterations of each loop keep their order; no iteration of the second reads or overwrites
//! what a later one of the first stores or reads. Absent: loops of vectors, as a search has shaped those, but for those that only copy what
//! others store; loops with accumulators or choices, of which compilers would make no vectors any more, but for those behind a scan, whose
//! steps wait for each other: what little is done with each of its results is done meanwhile.

use super::effects::{place_of_both, Touched};
use super::fresh::Names;
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::nest::{walk, Block, BufId, Expr, ExprKind, LoopKind, Nest, Stmt, StorageClass};
use crate::term::Op;
use crate::ty::Scalar;
use rustc_hash::{FxHashMap, FxHashSet};

/// The longest loop that compilers write out.
const SHORT: i64 = 16;
/// The most operations that take no longer than those of a scan.
const LITTLE: usize = 6;
/// The most rows that an iteration goes along, so that each has a register for its address.
const ROWS: i64 = 10;

/// Fuses stages of a nest.
pub(super) fn fuse(nest: &mut Nest) {
    let names = Names::of(nest);
    let mut body = std::mem::take(&mut nest.body);
    Fusion { nest, names }.block(&mut body);
    nest.body = body;
}

struct Fusion<'a> {
    nest: &'a Nest,
    names: Names,
}

impl Fusion<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut second = 0;
        while second < block.len() {
            let mut before = (0..second).rev();
            match before.find_map(|first| Some((first, self.place(block, first, second)?))) {
                Some((first, place)) => {
                    self.merge(block, first, second, place);
                    second = place;
                }
                None => {
                    match &mut block[second] {
                        Stmt::For { body, .. } => self.block(body),
                        Stmt::If { then, els, .. } => {
                            self.block(then);
                            self.block(els);
                        }
                        _ => {}
                    }
                    second += 1;
                }
            }
        }
    }

    /// Where one loop is to stand instead of two, counted without the first or the second; nothing if they stay two.
    fn place(&self, block: &[Stmt], first: usize, second: usize) -> Option<usize> {
        let (a, b) = (
            Stage::of(self.nest, &block[first])?,
            Stage::of(self.nest, &block[second])?,
        );
        let vectors = a.vectors || b.vectors;
        if a.extent != b.extent || !a.feeds(&b) || a.rows_with(&b) > ROWS {
            return None;
        }
        if vectors && !b.copies() {
            return None;
        }
        if (a.carries || b.carries) && !(a.carries && b.is_little()) {
            return None;
        }
        let both = ((&a.reads, &a.writes), (&b.reads, &b.writes));
        place_of_both(self.nest, block, (first, second), both)
    }

    /// Puts both loops into one at a place.
    fn merge(&mut self, block: &mut Block, first: usize, second: usize, place: usize) {
        let (of_second, of_first) = (block.remove(second), block.remove(first));
        let (
            Stmt::For {
                var,
                extent,
                body: mut all,
                ..
            },
            Stmt::For {
                var: other,
                body: mut rest,
                note,
                ..
            },
        ) = (of_first, of_second)
        else {
            unreachable!("both are loops");
        };
        walk::rename(&mut rest, &FxHashMap::from_iter([(other, var)]));
        for at in (0..all.len()).rev() {
            self.forward(&mut all, at, &mut rest);
        }
        all.append(&mut rest);
        let fused = Stmt::For {
            var,
            extent,
            kind: LoopKind::Seq,
            body: all,
            note,
        };
        block.insert(place, fused);
    }

    /// Gives a name to what a statement stores, and reads the name instead of the element.
    fn forward(&mut self, all: &mut Block, at: usize, rest: &mut Block) {
        let Stmt::Store {
            buf, index, value, ..
        } = &mut all[at]
        else {
            return;
        };
        let (root, index, shape) = (self.nest.root(*buf), *index, value.shape());
        let is_it = |e: &Expr| match e.kind() {
            ExprKind::Load(b, i) => self.nest.root(*b) == root && *i == index && e.shape() == shape,
            _ => false,
        };
        let mut read = false;
        walk::each_stmt(rest, &mut |s| {
            if let Some(e) = walk::exprs(s) {
                e.visit(&mut |e| read |= is_it(e));
            }
        });
        let elem = self.nest.buffers[root.0 as usize].elem;
        let halves = matches!(elem, Scalar::F16 | Scalar::Bf16);
        if !read || halves || shape.elem != elem {
            return;
        }
        let var = self.names.like(Symbol::new("x"));
        let named = |e: &Expr| e.rewrite(&mut |e| is_it(e).then(|| Expr::var(var, shape)));
        walk::map_block(rest, &mut { named }, &mut |n| n);
        let value = std::mem::replace(value, Expr::var(var, shape));
        let declared = Stmt::Let {
            var,
            value: Some(value),
            shape,
            mutable: false,
        };
        all.insert(at, declared);
    }
}

/// A loop over numbers.
struct Stage<'a> {
    nest: &'a Nest,
    var: Symbol,
    extent: Nat,
    body: &'a Block,
    reads: Touched,
    writes: Touched,
    /// The indices of short loops in it, and how often each runs.
    short: Vec<(Symbol, i64)>,
    /// What it declares.
    own: FxHashSet<Symbol>,
    /// Whether it has vectors.
    vectors: bool,
    /// Whether its iterations hand on variables.
    carries: bool,
}

impl<'a> Stage<'a> {
    fn of(nest: &'a Nest, s: &'a Stmt) -> Option<Stage<'a>> {
        let Stmt::For {
            var,
            extent,
            kind: LoopKind::Seq,
            body,
            ..
        } = s
        else {
            return None;
        };
        let mut own = FxHashSet::default();
        let (mut short, mut assigned) = (Vec::new(), FxHashSet::default());
        let mut plain = extent.as_int().is_none_or(|n| n > SHORT);
        let mut vectors = false;
        walk::each_stmt(body, &mut |s| {
            own.extend(walk::declared(s));
            match s {
                Stmt::For {
                    var, extent, kind, ..
                } => match extent.as_int().filter(|n| *n <= SHORT) {
                    Some(n) if *kind == LoopKind::Seq => short.push((*var, n)),
                    _ => plain = false,
                },
                Stmt::If { .. } | Stmt::Prefetch { .. } | Stmt::Alloc(_) => plain = false,
                Stmt::Assign { var, .. } => {
                    assigned.insert(*var);
                }
                _ => {}
            }
            if let Some(e) = walk::exprs(s) {
                e.visit(&mut |e| vectors |= e.shape().lanes > 1);
            }
        });
        plain.then(|| Stage {
            nest,
            var: *var,
            extent: *extent,
            body,
            reads: Touched::read(nest, s),
            writes: Touched::written(nest, s),
            short,
            carries: !assigned.is_subset(&own),
            own,
            vectors,
        })
    }

    /// Whether it stores what it reads and nothing else.
    fn copies(&self) -> bool {
        self.body.iter().all(|s| match s {
            Stmt::Let { value, .. } => value.as_ref().is_some_and(is_read),
            Stmt::Store { value, .. } => is_read(value),
            Stmt::Index { .. } => true,
            _ => false,
        })
    }

    /// Whether it takes no longer than a step of a scan waits for the one before: vectors of it would save nothing.
    fn is_little(&self) -> bool {
        let mut operations = 0;
        walk::each_stmt(self.body, &mut |s| {
            let Some(e) = walk::exprs(s) else { return };
            e.visit(&mut |e| {
                if let ExprKind::Op(op, _) = e.kind() {
                    let long =
                        op.function().is_some() || matches!(op, Op::Div | Op::Mod | Op::Sqrt);
                    operations += if long { LITTLE + 1 } else { 1 };
                }
            });
        });
        self.short.is_empty() && !self.vectors && operations <= LITTLE
    }

    /// Whether the other one reads elements only that this one stores in the same iteration, of buffers that this one stores
    /// to, and one at least; and neither is in the way of the other one otherwise.
    fn feeds(&self, other: &Stage) -> bool {
        let (mine, theirs) = (&self.writes, &other.writes);
        let apart = mine.buffers.is_disjoint(&theirs.buffers)
            && theirs.buffers.is_disjoint(&self.reads.buffers)
            && mine.vars.is_disjoint(&other.reads.vars)
            && mine.vars.is_disjoint(&theirs.vars)
            && theirs.vars.is_disjoint(&self.reads.vars);
        let mut common = mine.buffers.intersection(&other.reads.buffers).peekable();
        apart && common.peek().is_some() && common.all(|b| self.hands(other, *b))
    }

    /// Whether each iteration stores elements of a buffer that are its own, and the other one reads those alone.
    fn hands(&self, other: &Stage, buf: BufId) -> bool {
        let storage = self.nest.buffers[buf.0 as usize].storage;
        if matches!(storage, StorageClass::Input(_) | StorageClass::Output(_)) {
            return false;
        }
        let is_buf = |b: &BufId| self.nest.root(*b) == buf;
        let mut stores = 0;
        walk::each_stmt(self.body, &mut |s| {
            stores += usize::from(matches!(s, Stmt::Store { buf, .. } if is_buf(buf)));
        });
        let direct = self.body.iter().filter_map(|s| match s {
            Stmt::Store {
                buf, index, value, ..
            } if is_buf(buf) => Some((*index, value.shape().lanes)),
            _ => None,
        });
        let places: Vec<(Nat, u32)> = direct.collect();
        if places.len() != stores || !self.are_own(&places) {
            return false;
        }
        let mut same = true;
        walk::each_stmt(other.body, &mut |s| {
            if let Some(e) = walk::exprs(s) {
                e.visit(&mut |e| match e.kind() {
                    ExprKind::Load(b, index) if is_buf(b) => {
                        let own = |v| (v == other.var).then(|| Nat::var(self.var));
                        let read = (index.subst_vars(&mut { own }), e.shape().lanes);
                        same &= places.contains(&read);
                    }
                    _ => {}
                });
            }
        });
        same
    }

    /// Whether places are constant distances apart, and nothing that another iteration stores lies between them.
    fn are_own(&self, places: &[(Nat, u32)]) -> bool {
        let Some((first, _)) = places.first() else {
            return false;
        };
        let mut from: Vec<(i64, i64)> = Vec::new();
        for (place, lanes) in places {
            let Some(by) = (*place - *first).as_int() else {
                return false;
            };
            from.push((by, by.saturating_add((*lanes).into())));
        }
        from.sort_unstable();
        let apart = from.windows(2).all(|two| two[0].1 <= two[1].0);
        let all = from[from.len() - 1].1.saturating_sub(from[0].0);
        let step = first.coefficient(self.var).and_then(Nat::as_int);
        apart
            && step.is_some_and(|n| n.abs() >= all)
            && !self.own.iter().any(|v| first.mentions(*v))
    }

    /// Along how many rows an iteration of both goes: elements whose indices differ by more than a number.
    fn rows_with(&self, other: &Stage) -> i64 {
        let mut all: FxHashMap<(BufId, Nat), i64> = FxHashMap::default();
        for stage in [self, other] {
            let mut access = |b: BufId, index: Nat| {
                let known = stage.short.iter().filter(|(v, _)| index.mentions(*v));
                let rows =
                    known.filter(|(v, _)| index.coefficient(*v).and_then(Nat::as_int).is_none());
                let rows: i64 = rows.map(|(_, n)| *n).product();
                let start = index.subst_vars(&mut |v| {
                    let inside = v == stage.var || stage.short.iter().any(|(s, _)| *s == v);
                    inside.then(|| Nat::int(0))
                });
                let constant = start.eval(&mut |_| Some(0)).unwrap_or(0);
                let most = all.entry((self.nest.root(b), start - Nat::int(constant)));
                let most = most.or_insert(1);
                *most = rows.max(*most);
            };
            walk::each_stmt(stage.body, &mut |s| {
                if let Stmt::Store { buf, index, .. } = s {
                    access(*buf, *index);
                }
                if let Some(e) = walk::exprs(s) {
                    e.visit(&mut |e| {
                        if let ExprKind::Load(b, index) = e.kind() {
                            access(*b, *index);
                        }
                    });
                }
            });
        }
        all.values().sum()
    }
}

/// Whether it is an element or a name.
fn is_read(e: &Expr) -> bool {
    matches!(e.kind(), ExprKind::Load(..) | ExprKind::Var(_))
}
