//! Loop unswitching: choices that a loop does not change are made before it.
//!
//! Comes in: a nest; goes out: one in which an innermost loop that chooses between two values, always in the same way,
//! exists twice: without those choices, for where all of them fall on their first side, which is nearly everywhere, and
//! with them. Accumulators stay in registers only in a loop that does not choose. Invariant: the same values are stored
//! in the same order. Absent: choices of stores, which compilers move well enough by themselves.

use crate::index::Facts;
use crate::intern::Symbol;
use crate::nest::passes::fresh::Names;
use crate::nest::{walk, Block, Expr, ExprKind, LoopKind, Nest, Shape, Stmt};
use rustc_hash::FxHashSet;

/// Moves choices out of loops.
pub(super) fn unswitch(nest: &mut Nest, facts: &mut Facts) {
    let mut names = Names::of(nest);
    block(&mut nest.body, &mut names, facts);
}

fn block(statements: &mut Block, names: &mut Names, facts: &mut Facts) {
    for s in statements {
        match s {
            Stmt::For { body, .. } => {
                block(body, names, facts);
                if let Some(twice) = twice(s, names, facts) {
                    *s = twice;
                }
            }
            Stmt::If { then, els, .. } => {
                block(then, names, facts);
                block(els, names, facts);
            }
            _ => {}
        }
    }
}

/// A loop with and without its choices.
fn twice(s: &Stmt, names: &mut Names, facts: &mut Facts) -> Option<Stmt> {
    let Stmt::For {
        var,
        extent,
        kind: LoopKind::Seq,
        body,
        note,
    } = s
    else {
        return None;
    };
    let changes = declared_or_assigned(s);
    let mut conds: Vec<Expr> = Vec::new();
    let (mut fast, mut slow) = (Block::new(), Block::new());
    let mut rest = &body[..];
    while let [first, after @ ..] = rest {
        if let Some(c) = choice(rest).filter(|c| !depends(c.cond, &changes)) {
            if !conds.iter().any(|known| known.same(c.cond)) {
                conds.push(c.cond.clone());
            }
            fast.push(c.taken());
            slow.push(first.clone());
            slow.extend(c.els.iter().cloned());
            rest = &after[1..];
            continue;
        }
        // Another loop is where time goes, and memory of its own would have to exist twice, too.
        if matches!(first, Stmt::For { .. } | Stmt::If { .. } | Stmt::Alloc(_)) {
            return None;
        }
        fast.push(first.clone());
        slow.push(first.clone());
        rest = after;
    }
    (!conds.is_empty()).then_some(())?;
    let with = |body: Block| Stmt::For {
        var: *var,
        extent: *extent,
        kind: LoopKind::Seq,
        body,
        note: note.clone(),
    };
    // Where one condition alone decides, it is known on both sides.
    let els = match conds.len() {
        1 => with(slow),
        _ => s.clone(),
    };
    Some(Stmt::If {
        cond: Expr::all(conds, |n| n),
        then: vec![names.renew(with(fast), facts)],
        els: vec![els],
    })
}

/// `var v; if c { v = a } else { … }`
struct Choice<'a> {
    var: Symbol,
    shape: Shape,
    cond: &'a Expr,
    value: &'a Expr,
    els: &'a Block,
}

impl Choice<'_> {
    /// Its first side.
    fn taken(&self) -> Stmt {
        Stmt::Let {
            var: self.var,
            value: Some(self.value.clone()),
            shape: self.shape,
            mutable: true,
        }
    }
}

fn choice(block: &[Stmt]) -> Option<Choice<'_>> {
    let [Stmt::Let {
        var,
        value: None,
        shape,
        ..
    }, Stmt::If { cond, then, els }, ..] = block
    else {
        return None;
    };
    let [Stmt::Assign { var: v, value }] = &then[..] else {
        return None;
    };
    (v == var).then_some(Choice {
        var: *var,
        shape: *shape,
        cond,
        value,
        els,
    })
}

pub(super) fn declared_or_assigned(s: &Stmt) -> FxHashSet<Symbol> {
    let mut found = FxHashSet::default();
    walk::each_stmt(std::slice::from_ref(s), &mut |s| {
        found.extend(walk::declared(s));
        if let Stmt::Assign { var, .. } = s {
            found.insert(*var);
        }
    });
    found
}

/// Whether a condition may change with some variables, or with memory.
pub(super) fn depends(cond: &Expr, changes: &FxHashSet<Symbol>) -> bool {
    let mut found = false;
    cond.visit(&mut |e| match e.kind() {
        ExprKind::Load(..) => found = true,
        ExprKind::Var(v) => found |= changes.contains(v),
        ExprKind::Index(n) | ExprKind::Clamp(_, n) | ExprKind::Pick(_, n) => {
            found |= n.vars().iter().any(|v| changes.contains(v));
        }
        _ => {}
    });
    found
}
