//! Loop interleaving: updates of a few tables run side by side.
//!
//! Comes in: a nest; goes out: one in which a loop over a few tables, each of which is updated at places that data say, one update after
//! the other, has become loops over all tables, and one over the updates around the last of these. Where an update follows another one
//! of its place, it waits until that is stored: what updates another table meanwhile does not. Invariant: the steps of each table
//! and their order; what one iteration over tables touches of what is stored, no other one does. Absent: making tables (rules).

use super::apart::are_apart;
use super::fresh::Names;
use super::strip_mining::substituted;
use crate::arith::Nat;
use crate::index::Facts;
use crate::nest::{walk, Block, BufId, LoopKind, Nest, Stmt};
use std::collections::BTreeSet;

/// The most tables.
const TABLES: i64 = 8;

/// Lets updates run side by side.
pub(super) fn interleave(nest: &mut Nest, facts: &mut Facts) {
    let mut names = Names::of(nest);
    let mut body = std::mem::take(&mut nest.body);
    walk::replace(&mut body, &mut |s| {
        side_by_side(s, &|b| nest.root(b), &mut names, facts)
    });
    nest.body = body;
}

/// A loop over tables as loops over what is done with all of them.
fn side_by_side(
    s: &Stmt,
    root: &dyn Fn(BufId) -> BufId,
    names: &mut Names,
    facts: &mut Facts,
) -> Option<Block> {
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
    let few = extent.as_int().is_some_and(|n| (2..=TABLES).contains(&n));
    let each = |s: &Stmt| matches!(s, Stmt::For { extent, kind: LoopKind::Seq, .. } if !extent.mentions(*var));
    if !few || !body.iter().all(each) || !body.last().is_some_and(|s| updates(s, root)) {
        return None;
    }
    facts.range(*var, 0.into(), *extent - 1.into());
    are_apart(body, *var, root, facts).then_some(())?;
    let mut over = |of: Vec<Stmt>, note: Option<String>| {
        let table = names.like(*var);
        facts.range(table, 0.into(), *extent - 1.into());
        Stmt::For {
            var: table,
            extent: *extent,
            kind: LoopKind::Seq,
            body: substituted(&of, *var, Nat::var(table), facts),
            note,
        }
    };
    let mut loops = Vec::new();
    for (i, s) in body.iter().enumerate() {
        loops.push(match s {
            Stmt::For {
                var,
                extent,
                kind,
                body: of,
                note: of_each,
            } if i + 1 == body.len() => Stmt::For {
                var: *var,
                extent: *extent,
                kind: *kind,
                body: vec![over(of.clone(), of_each.clone())],
                note: note.clone(),
            },
            s => over(vec![s.clone()], None),
        });
    }
    Some(loops)
}

/// Whether a loop takes an array from step to step by places that are read.
fn updates(s: &Stmt, root: &dyn Fn(BufId) -> BufId) -> bool {
    let Stmt::For { var, body, .. } = s else {
        return false;
    };
    let (mut read, mut loads, mut stores) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    let mut flat = true;
    walk::each_stmt(body, &mut |s| match s {
        Stmt::Let { var, .. } => {
            read.insert(*var);
        }
        Stmt::Store { buf, index, .. } => stores.push((root(*buf), *index)),
        Stmt::For { .. } => flat = false,
        _ => {}
    });
    walk::each_stmt(body, &mut |s| {
        walk::each_load(s, &mut |b, _| {
            loads.insert(root(b));
        })
    });
    let by_data = |n: &Nat| !n.mentions(*var) && read.iter().any(|v| n.mentions(*v));
    flat && stores.iter().any(|(b, n)| loads.contains(b) && by_data(n))
}
