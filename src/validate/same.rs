//! Whether two values are equal.
//!
//! In: two values, at a place of a program. Out: yes, or the first place at which it was not shown. Invariants: yes means
//! equal wherever holds what is known there, to the bit; reductions are equal if they start alike and every step is.
//! Absent: laws of operators: a loop program computes in the order of its term.

use super::value::{Fold, Node, Res, Values, V};
use super::Stuck;
use crate::arith::{AtomKind, Nat};
use crate::term::Op;
use std::rc::Rc;

/// Choices in each other, at most.
const DEEPEST: u32 = 24;
/// Reductions of so many steps are written out.
const WRITTEN_OUT: i64 = 256;

/// Fails where it is not shown.
pub fn same(cx: &mut Values, a: V, b: V) -> Res<()> {
    let (a, b) = (cx.refresh(a)?, cx.refresh(b)?);
    compare(cx, a, b, 0)
}

fn compare(cx: &mut Values, a: V, b: V, depth: u32) -> Res<()> {
    if a == b {
        return Ok(());
    }
    cx.spend(1)?;
    if depth > DEEPEST {
        return Err(Stuck::new("choices in each other are too deep"));
    }
    // A choice is one of its sides in either case.
    for (x, y) in [(a, b), (b, a)] {
        if let Node::Op(Op::Select, _, args) = cx.node(x).clone() {
            return cases(cx, args[0], x, y, depth);
        }
    }
    match (cx.node(a).clone(), cx.node(b).clone()) {
        (Node::Idx(m), Node::Idx(n)) => indices(cx, m, n, depth),
        (Node::In(s, m), Node::In(t, n)) if s == t => indices(cx, m, n, depth),
        (Node::Clamp(x, m), Node::Clamp(y, n)) => {
            indices(cx, m, n, depth)?;
            compare(cx, x, y, depth)
        }
        (Node::Op(f, s, xs), Node::Op(g, t, ys)) if f == g && s == t && xs.len() == ys.len() => xs
            .iter()
            .zip(&ys)
            .try_for_each(|(x, y)| compare(cx, *x, *y, depth)),
        (Node::Cast(x, s, t), Node::Cast(y, u, v)) if (s, t) == (u, v) => compare(cx, x, y, depth),
        (Node::Bits(x, s, t), Node::Bits(y, u, v)) if (s, t) == (u, v) => compare(cx, x, y, depth),
        (Node::Cell(p, q, xs), Node::Cell(r, s, ys))
            if (p, q) == (r, s) && xs.len() == ys.len() =>
        {
            (xs.iter().zip(&ys)).try_for_each(|(x, y)| indices(cx, *x, *y, depth))
        }
        (Node::Fold(f), Node::Fold(g)) if folds_fit(cx, &f, &g) => folds(cx, &f, &g, depth),
        (Node::Fold(f), _) => unfolded(cx, &f, b, depth),
        (_, Node::Fold(f)) => unfolded(cx, &f, a, depth),
        _ => Err(differ(cx, a, b)),
    }
}

fn differ(cx: &Values, a: V, b: V) -> Stuck {
    Stuck::new(format!("{} is not shown to be {}", cx.show(a), cx.show(b)))
}

fn cases(cx: &mut Values, c: V, x: V, y: V, depth: u32) -> Res<()> {
    for holds in [true, false] {
        let mark = cx.known.mark();
        cx.assume(c, holds);
        let done = (|| {
            let (x, y) = (cx.refresh(x)?, cx.refresh(y)?);
            compare(cx, x, y, depth + 1)
        })();
        cx.known.restore(mark);
        done?;
    }
    Ok(())
}

fn indices(cx: &mut Values, m: Nat, n: Nat, depth: u32) -> Res<()> {
    if cx.known.equal(m, n) {
        return Ok(());
    }
    // A minimum is one of two, as a comparison has it.
    let mut choice = None;
    let difference = cx.simplify(m - n);
    difference.each_atom(&mut |a| {
        if let AtomKind::Min(x, y) | AtomKind::Max(x, y) = a.kind() {
            choice = choice.or(Some((x, y)));
        }
    });
    if let Some((x, y)) = choice.filter(|_| depth < DEEPEST) {
        let c = cx.compare(Op::Le, x, y);
        if cx.decide(c).is_none() {
            for holds in [true, false] {
                let mark = cx.known.mark();
                cx.assume(c, holds);
                let (m, n) = (cx.simplify(m), cx.simplify(n));
                let done = indices(cx, m, n, depth + 1);
                cx.known.restore(mark);
                done?;
            }
            return Ok(());
        }
    }
    Err(Stuck::new(format!("the index {m} is not shown to be {n}")))
}

fn folds_fit(cx: &Values, f: &Fold, g: &Fold) -> bool {
    f.steps.len() == g.steps.len() && f.which == g.which && cx.known.equal(f.n, g.n)
}

/// Both start alike, and do the same in each step.
fn folds(cx: &mut Values, f: &Rc<Fold>, g: &Rc<Fold>, depth: u32) -> Res<()> {
    for (x, y) in f.starts.iter().zip(&g.starts) {
        compare(cx, *x, *y, depth)?;
    }
    let (cells, k, steps) = cx.opened(f, f.n)?;
    let others = cx.stepped(g, &cells, Nat::var(k))?;
    let mark = cx.known.mark();
    cx.known.positive(f.n);
    let done = steps.iter().zip(&others).try_for_each(|(x, y)| {
        let (x, y) = (cx.refresh(*x)?, cx.refresh(*y)?);
        compare(cx, x, y, depth + 1)
    });
    cx.known.restore(mark);
    done
}

/// A reduction is its last step after all before, and all of them if they are few.
fn unfolded(cx: &mut Values, f: &Rc<Fold>, other: V, depth: u32) -> Res<()> {
    let steps = f.n.as_int().filter(|n| (0..=WRITTEN_OUT).contains(n));
    let parts = match steps {
        Some(n) => {
            let mut state = f.starts.clone();
            for i in 0..n {
                state = cx.stepped(f, &state, Nat::int(i))?;
            }
            state
        }
        None => {
            let last = f.n - Nat::int(1);
            if !cx.known.at_least(last, Nat::int(0)) {
                let c = cx.compare(Op::Le, f.n, Nat::int(0));
                if depth > DEEPEST / 2 {
                    return Err(Stuck::new("a reduction is compared with what is none"));
                }
                let whole = cx.folded((**f).clone());
                // Without a step it is its start.
                let mark = cx.known.mark();
                cx.assume(c, true);
                let start = f.starts[f.which as usize];
                let none = compare(cx, start, other, depth + 1);
                cx.known.restore(mark);
                none?;
                cx.assume(c, false);
                let some = match cx.known.at_least(last, Nat::int(0)) {
                    true => compare(cx, whole, other, depth + 1),
                    false => Err(differ(cx, whole, other)),
                };
                cx.known.restore(mark);
                return some;
            }
            let before: Vec<V> = (0..f.steps.len() as u32)
                .map(|which| cx.shorter(f, last, which))
                .collect::<Res<_>>()?;
            cx.stepped(f, &before, last)?
        }
    };
    let v = cx.refresh(parts[f.which as usize])?;
    compare(cx, v, other, depth + 1)
}
