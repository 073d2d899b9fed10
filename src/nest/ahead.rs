//! Lines of inputs that a loop reads far apart are fetched ahead.
//!
//! Comes in: a nest; goes out: the same with hints ([`Stmt::Fetch`]) in innermost loops that read vectors of an input
//! one row apart. Processors fetch by themselves what lies in order, not what lies a row further each time, so that
//! each vector would be waited for: what such a loop reads some iterations later is asked for. Where the loop is run
//! several times over the same lines, what lies further in the same rows is asked for, too: those runs have time to wait,
//! and the first one over new lines would ask for all of them at once. Invariant: nothing is computed otherwise. Absent:
//! memory of the kernel's own, which is laid out in the order in which it is read.

use super::{walk, Block, BufId, Buffer, ExprKind, Home, LoopKind, Nest, Stmt};
use crate::arith::Nat;
use crate::intern::Symbol;

/// Iterations: a few hundred cycles, after which memory has answered.
const AHEAD: i64 = 32;
/// Bytes.
const LINE: i64 = 64;

/// Adds hints.
pub fn ahead(nest: &mut Nest) {
    block(&mut nest.body, &nest.buffers, &mut Vec::new());
}

fn block(statements: &mut Block, buffers: &[Buffer], around: &mut Vec<Symbol>) {
    for s in statements {
        match s {
            Stmt::For {
                var,
                extent,
                kind,
                body,
                ..
            } => {
                let short = extent.as_int().is_some_and(|n| n < 2 * AHEAD);
                if *kind == LoopKind::Seq && innermost(body) {
                    if !short {
                        let hints = hints(*var, body, buffers, around);
                        body.splice(0..0, hints);
                    }
                    continue;
                }
                around.push(*var);
                block(body, buffers, around);
                around.pop();
            }
            Stmt::If { then, els, .. } => {
                block(then, buffers, around);
                block(els, buffers, around);
            }
            _ => {}
        }
    }
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

fn hints(var: Symbol, body: &[Stmt], buffers: &[Buffer], around: &[Symbol]) -> Vec<Stmt> {
    let mut declared = Vec::new();
    walk::each_stmt(body, &mut |s| declared.extend(walk::declared(s)));
    let mut lines: Vec<Line> = Vec::new();
    let mut read = |buf: BufId, index: Nat| {
        let of = &buffers[buf.0 as usize];
        let bytes = of.elem.bytes() as i64;
        let far = index.coefficient(var).is_some_and(|step| {
            let known = step.as_int();
            known.is_none_or(|step| step.saturating_abs().saturating_mul(bytes) >= 2 * LINE)
        });
        let here =
            |l: &Line| matches!(l.distance(buf, index), Some(d) if 0 <= d && d < LINE / bytes);
        let input = matches!(of.home, Home::Input(_));
        let outer = !declared.iter().any(|v| index.mentions(*v));
        if input && far && outer && !lines.iter().any(here) {
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
    let mut hints = Vec::new();
    for l in &lines {
        let mut fetch = |index: Nat| hints.push(Stmt::Fetch { buf: l.buf, index });
        fetch(l.index.subst_var(var, Nat::var(var) + AHEAD.into()));
        let again = around.last().is_some_and(|v| !l.index.mentions(*v));
        let along = |v: &Symbol| l.index.coefficient(*v).and_then(Nat::as_int);
        if again && around.iter().any(|v| along(v).is_some_and(|step| step > 0)) {
            let row = lines
                .iter()
                .filter(|m| m.distance(l.buf, l.index).is_some());
            let width = row.count().max(2) as i64;
            fetch(l.index + (width * LINE / l.bytes).into());
        }
    }
    hints
}
