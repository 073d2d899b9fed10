//! Stage hoisting: what a loop keeps in memory of its own, and is the same in each iteration, is computed before it.
//!
//! Comes in: a nest; goes out: one in which a loop that is known to run has before it what all of its iterations store alike to memory
//! that they ask for, as two rows of an image do that are made of the same rows of a smaller one. Invariant: every store that is
//! read, and what it stores. Absent: parallel loops, whose threads would wait for one; values that are not kept (`tabulation`).

use super::effects::Touched;
use crate::index::Facts;
use crate::nest::{walk, Block, BufId, LoopKind, Nest, Stmt};

/// Moves stages before loops.
pub(super) fn hoist(nest: &mut Nest, facts: &mut Facts) {
    let mut body = std::mem::take(&mut nest.body);
    hoist_in(&mut body, nest, facts);
    nest.body = body;
}

fn hoist_in(block: &mut Block, nest: &Nest, facts: &mut Facts) {
    for mut s in std::mem::take(block) {
        match &mut s {
            Stmt::For {
                var, extent, body, ..
            } => {
                (facts).range(*var, 0.into(), *extent - 1.into());
                hoist_in(body, nest, facts);
            }
            Stmt::If { then, els, .. } => {
                hoist_in(then, nest, facts);
                hoist_in(els, nest, facts);
            }
            _ => {}
        }
        block.extend(alike(&mut s, nest, facts));
        block.push(s);
    }
}

/// What all iterations of a loop do alike, taken out of it, if a stage is among that.
fn alike(s: &mut Stmt, nest: &Nest, facts: &Facts) -> Block {
    let Stmt::For {
        var,
        extent,
        kind: LoopKind::Seq,
        body,
        ..
    } = s
    else {
        return Vec::new();
    };
    let asks = body.iter().any(|s| matches!(s, Stmt::Alloc(_)));
    if !asks || !facts.at_least(*extent, 1.into()) {
        return Vec::new();
    }
    let all: Vec<(Touched, Touched)> = (body.iter())
        .map(|s| (Touched::read(nest, s), Touched::written(nest, s)))
        .collect();
    let hands_on = |s: &Stmt| !super::effects::handed_on(std::slice::from_ref(s)).is_empty();
    // What is assigned later begins anew in each iteration.
    let begins = |s: &Stmt| matches!(s, Stmt::Let { mutable: true, .. });
    let mut moves: Vec<bool> = (body.iter().zip(&all))
        .map(|(s, (read, _))| !read.vars.contains(var) && !hands_on(s) && !begins(s))
        .collect();
    loop {
        let own = |i: usize| {
            let asked = |b: &BufId| {
                let asks = |s: &Stmt| matches!(s, Stmt::Alloc(a) if nest.root(*a) == *b);
                (0..all.len()).any(|j| moves[j] && asks(&body[j]))
            };
            all[i].1.buffers.iter().all(asked)
        };
        let stays = |i: usize| {
            let (read, written) = &all[i];
            let others = (0..all.len()).filter(|j| !moves[*j]);
            let mut met = others.map(|j| {
                let declares = walk::declared(&body[j]).is_some_and(|v| read.vars.contains(&v));
                let earlier = j < i && all[j].0.meets(written);
                declares || all[j].1.meets(read) || all[j].1.meets(written) || earlier
            });
            met.any(|met| met) || !own(i)
        };
        let next: Vec<bool> = (0..all.len()).map(|i| moves[i] && !stays(i)).collect();
        if next == moves {
            break;
        }
        moves = next;
    }
    let stage = |(s, moves): (&Stmt, &bool)| *moves && matches!(s, Stmt::For { .. });
    if !body.iter().zip(&moves).any(stage) || moves.iter().all(|m| *m) {
        return Vec::new();
    }
    let (mut before, mut inside) = (Vec::new(), Vec::new());
    for (s, moves) in std::mem::take(body).into_iter().zip(moves) {
        match moves {
            true => before.push(s),
            false => inside.push(s),
        }
    }
    *body = inside;
    before
}
