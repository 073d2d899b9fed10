//! Live range splitting: variables are declared where they get a value, once for each value that lives by itself.
//!
//! Comes in: a nest with variables that are declared before anything is known of them; goes out: the same, in which a variable that each
//! block that has it assigns before it reads is one of each of these blocks, under a name of its own, and a constant if it is assigned once.
//! Invariant: what is read is what was read before. Absent: variables that hand something on from one block to another.

use super::fresh::Names;
use crate::intern::Symbol;
use crate::nest::{walk, Block, ExprKind, Nest, Shape, Stmt};
use rustc_hash::FxHashMap;

/// Splits variables.
pub(super) fn split(nest: &mut Nest) {
    let mut names = Names::of(nest);
    block(&mut nest.body, &mut names);
}

fn block(body: &mut Block, names: &mut Names) {
    let mut at = 0;
    while at < body.len() {
        let declared = match &body[at] {
            Stmt::Let {
                var,
                value: None,
                shape,
                mutable: true,
            } => Some((*var, *shape)),
            _ => None,
        };
        if let Some((var, shape)) = declared.filter(|(var, _)| is_closed(&body[at + 1..], *var)) {
            body.remove(at);
            // The first block keeps the name.
            let mut own = Some(var);
            let mut name = || own.take().unwrap_or_else(|| names.like(var));
            declare(body, at, (var, shape), &mut name);
            continue;
        }
        at += 1;
    }
    for s in body {
        match s {
            Stmt::For { body, .. } => block(body, names),
            Stmt::If { then, els, .. } => {
                block(then, names);
                block(els, names);
            }
            _ => {}
        }
    }
}

/// Whether statements assign a variable before they read it, in whichever block they do.
fn is_closed(body: &[Stmt], var: Symbol) -> bool {
    for s in body {
        if reads(s, var) {
            return false;
        }
        let closed = match s {
            Stmt::Assign { var: v, .. } if *v == var => return true,
            Stmt::For { body, .. } => is_closed(body, var),
            Stmt::If { then, els, .. } => is_closed(then, var) && is_closed(els, var),
            _ => true,
        };
        if !closed {
            return false;
        }
    }
    true
}

/// Whether what stands directly in a statement reads a variable.
fn reads(s: &Stmt, var: Symbol) -> bool {
    let is = |k: &ExprKind| matches!(k, ExprKind::Var(v) if *v == var);
    let mut found = walk::exprs(s).is_some_and(|e| e.holds(is));
    walk::each_index(s, &mut |n| found |= n.mentions(var));
    found
}

/// Declares a variable where blocks assign it first, from a statement on.
fn declare(
    block: &mut Block,
    from: usize,
    (var, shape): (Symbol, Shape),
    name: &mut dyn FnMut() -> Symbol,
) {
    let first = |s: &Stmt| matches!(s, Stmt::Assign { var: v, .. } if *v == var);
    let here = block[from..].iter().position(first);
    let here = here.map_or(block.len(), |at| from + at);
    for s in &mut block[from..here] {
        match s {
            Stmt::For { body, .. } => declare(body, 0, (var, shape), name),
            Stmt::If { then, els, .. } => {
                declare(then, 0, (var, shape), name);
                declare(els, 0, (var, shape), name);
            }
            _ => {}
        }
    }
    let mut rest = block.split_off(here);
    let Some(Stmt::Assign { value, .. }) = rest.first() else {
        return;
    };
    let value = value.clone();
    let again = assigned(&rest[1..], var);
    let own = name();
    walk::rename(&mut rest, &FxHashMap::from_iter([(var, own)]));
    rest[0] = Stmt::Let {
        var: own,
        value: Some(value),
        shape,
        mutable: again,
    };
    block.append(&mut rest);
}

fn assigned(block: &[Stmt], var: Symbol) -> bool {
    let mut found = false;
    walk::each_stmt(block, &mut |s| {
        found |= matches!(s, Stmt::Assign { var: v, .. } if *v == var);
    });
    found
}
