//! Prefetching: lines that a loop reads are asked for ahead where processors do not do so by themselves, or too late.
//!
//! Comes in: a nest; goes out: the same with hints ([`Stmt::Prefetch`]) in innermost loops that read vectors. Rows of an
//! input lie far apart, and processors foresee only what lies in order: what such a loop reads some iterations later is
//! asked for. Where the loop is run several times over the same rows, what lies further in them is asked for, too:
//! those runs have time to wait, and the first one over new lines would ask for all of them at once. Where some short rows are
//! read side by side, number by number, the rows behind them are asked for. Invariant: nothing
//! is computed otherwise. Absent: memory of the kernel, which is read in order; a hint there only makes the loop longer.

use crate::arith::{AtomKind, Nat};
use crate::intern::Symbol;
use crate::nest::{walk, Block, BufId, Buffer, Expr, ExprKind, LoopKind, Nest, Stmt, StorageClass};
use crate::term::Op;

/// Iterations: a few hundred cycles, after which memory has answered.
const AHEAD: i64 = 32;
/// Bytes.
const LINE: i64 = 64;
/// The fewest rows that are read side by side as no processor foresees, and the most bytes of them all, which stay in the nearest cache
/// with those behind them.
const ROWS: i64 = 4;
const BLOCK: i64 = 8192;

/// Adds hints.
pub(super) fn prefetch(nest: &mut Nest) {
    let mut pass = Pass {
        buffers: &nest.buffers,
        around: Vec::new(),
        known: Vec::new(),
    };
    pass.block(&mut nest.body);
}

struct Pass<'a> {
    buffers: &'a [Buffer],
    /// Loops, outer ones first, and their extents.
    around: Vec<(Symbol, Nat)>,
    /// Conditions.
    known: Vec<Expr>,
}

impl Pass<'_> {
    fn block(&mut self, statements: &mut Block) {
        for s in statements {
            match s {
                Stmt::For {
                    var,
                    extent,
                    kind: LoopKind::Seq,
                    body,
                    ..
                } if innermost(body) => {
                    let mut hints = match self.is_short(*extent) {
                        true => Vec::new(),
                        false => self.hints(*var, body),
                    };
                    hints.extend(self.next_rows(*var, *extent, body));
                    body.splice(0..0, hints);
                }
                Stmt::For {
                    var, extent, body, ..
                } => {
                    self.around.push((*var, *extent));
                    self.block(body);
                    self.around.pop();
                }
                Stmt::If { cond, then, els } => {
                    self.known.push(cond.clone());
                    self.block(then);
                    self.known.pop();
                    self.block(els);
                }
                _ => {}
            }
        }
    }

    /// Whether a loop is sure to be over soon after its first hint is answered: what such loops read stays in caches.
    fn is_short(&self, extent: Nat) -> bool {
        let few = |n: Nat| n.as_int().is_some_and(|n| n <= 2 * AHEAD);
        few(extent)
            || self.known.iter().any(|c| match c.kind() {
                ExprKind::Op(Op::Le, args) => {
                    let side = |i: usize| args.get(i).and_then(Expr::as_index);
                    side(0).is_some_and(|n| is_below(extent, n)) && side(1).is_some_and(few)
                }
                _ => false,
            })
    }

    /// Some short rows that are read side by side, of which the next ones lie behind them: while these are read, those are asked for, as far
    /// as rows have been read.
    fn next_rows(&self, var: Symbol, extent: Nat, body: &[Stmt]) -> Option<Stmt> {
        let length = extent.as_int()?;
        let (outer, times) = *self.around.last()?;
        // Of a few times all rows are in a cache soon.
        if times.as_int().is_some_and(|n| n <= 2 * AHEAD) {
            return None;
        }
        let mut found = None;
        walk::each_stmt(body, &mut |s| {
            let Some(e) = walk::exprs(s) else { return };
            e.visit(&mut |e| {
                let ExprKind::Load(buf, index) = e.kind() else {
                    return;
                };
                let of = &self.buffers[buf.0 as usize];
                let along = |v| index.coefficient(v).and_then(|n| n.as_int());
                let (Some(1), Some(block)) = (along(var), along(outer)) else {
                    return;
                };
                let bytes = block.saturating_mul(of.elem.bytes() as i64);
                let rows = block / length.max(1);
                let fits = matches!(of.storage, StorageClass::Input(_))
                    && (ROWS..=2 * LINE).contains(&rows)
                    && rows * length == block
                    && (2 * LINE * rows..=BLOCK).contains(&bytes);
                if fits && e.shape().lanes == 1 && found.is_none() {
                    let first = index.subst_var(var, 0.into()) + block.into();
                    found = Some(Stmt::Prefetch {
                        buf: *buf,
                        index: first + Nat::var(var) * rows.into(),
                    });
                }
            });
        });
        found
    }

    fn hints(&self, var: Symbol, body: &[Stmt]) -> Vec<Stmt> {
        let mut declared = Vec::new();
        walk::each_stmt(body, &mut |s| declared.extend(walk::declared(s)));
        let mut lines: Vec<Line> = Vec::new();
        let mut read = |buf: BufId, index: Nat| {
            let of = &self.buffers[buf.0 as usize];
            let bytes = of.elem.bytes() as i64;
            let far = |step: Nat| match step.as_int() {
                Some(step) => step.saturating_mul(bytes).saturating_abs() >= 2 * LINE,
                None => true,
            };
            let asked = matches!(of.storage, StorageClass::Input(_))
                && index.coefficient(var).is_some_and(far);
            let here =
                |l: &Line| matches!(l.distance(buf, index), Some(d) if 0 <= d && d < LINE / bytes);
            let outer = !declared.iter().any(|v| index.mentions(*v));
            if asked && outer && !lines.iter().any(here) {
                lines.push(Line { buf, index, bytes });
            }
        };
        walk::each_stmt(body, &mut |s| {
            if let Some(e) = walk::exprs(s) {
                e.visit(&mut |e| match e.kind() {
                    ExprKind::Load(buf, index) if e.shape().lanes > 1 => read(*buf, *index),
                    _ => {}
                });
            }
        });
        let of_row = |l: &Line| {
            let same = lines
                .iter()
                .filter(|m| m.distance(l.buf, l.index).is_some());
            same.count() as i64
        };
        // Lines that are read as far as the next iteration begins are read in order.
        let in_order = |l: &Line| match l.index.coefficient(var).and_then(Nat::as_int) {
            Some(step) => step.saturating_mul(l.bytes).saturating_abs() <= of_row(l) * LINE,
            None => false,
        };
        let mut hints = Vec::new();
        for l in lines.iter().filter(|l| !in_order(l)) {
            let mut fetch = |index: Nat| hints.push(Stmt::Prefetch { buf: l.buf, index });
            fetch(l.index.subst_var(var, Nat::var(var) + AHEAD.into()));
            let again = (self.around.last()).is_some_and(|(v, _)| !l.index.mentions(*v));
            let along = |v: &Symbol| l.index.coefficient(*v).and_then(Nat::as_int);
            if again
                && self
                    .around
                    .iter()
                    .any(|(v, _)| along(v).is_some_and(|step| step > 0))
            {
                let width = of_row(l).max(2);
                fetch(l.index + (width * LINE / l.bytes).into());
            }
        }
        hints
    }
}

/// Whether one size is the other, or an operand of the maximum that the other is.
fn is_below(a: Nat, b: Nat) -> bool {
    let max = b.as_atom().map(|b| b.kind());
    a == b || matches!(max, Some(AtomKind::Max(x, y)) if is_below(a, x) || is_below(a, y))
}

/// Lanes are no loop: most of them are never run.
fn innermost(body: &[Stmt]) -> bool {
    let mut found = false;
    walk::each_stmt(body, &mut |s| {
        found |= matches!(s, Stmt::For { kind, .. } if *kind != LoopKind::Lanes);
    });
    !found
}

/// The first element that is read of a line.
struct Line {
    buf: BufId,
    index: Nat,
    bytes: i64,
}

impl Line {
    /// How many elements further another one lies, if that does not depend on anything.
    fn distance(&self, buf: BufId, index: Nat) -> Option<i64> {
        (buf == self.buf).then_some(())?;
        (index - self.index).as_int()
    }
}
