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
        (Node::Fold(f), Node::Fold(g)) if !(few(&f) && few(&g)) => match regrouped(cx, &f, &g)? {
            Some((x, y)) => compare(cx, x, y, depth + 1),
            None => unfolded(cx, &f, b, depth),
        },
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
        let mut r = cx.assumed(c, holds);
        let done = (|| {
            let (x, y) = (cx.rewrite(&mut r, x)?, cx.rewrite(&mut r, y)?);
            compare(cx, x, y, depth + 1)
        })();
        // There may be no such case.
        let never = done.is_err() && cx.absurd();
        cx.known.restore(mark);
        if !never {
            done?;
        }
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

/// Whether all steps may be written out.
fn few(f: &Fold) -> bool {
    f.n.as_int().is_some_and(|n| (0..=WRITTEN_OUT).contains(&n))
}

/// Two reductions, one of them written such that the loops are those of the other: the same steps in the same order.
fn regrouped(cx: &mut Values, f: &Rc<Fold>, g: &Rc<Fold>) -> Res<Option<(V, V)>> {
    for (long, short, swapped) in [(f, g, false), (g, f, true)] {
        let Some(written) = as_other(cx, long, short)? else {
            continue;
        };
        let other = cx.folded((**short).clone());
        return Ok(Some(match swapped {
            false => (written, other),
            true => (other, written),
        }));
    }
    Ok(None)
}

fn as_other(cx: &mut Values, long: &Fold, short: &Fold) -> Res<Option<V>> {
    // Less than no step is none.
    let counts = |cx: &Values, n: Nat| cx.known.at_least(n, Nat::int(0));
    if !counts(cx, short.n) {
        return Ok(None);
    }
    // The steps of the other are reductions of what this one does at once.
    if let Node::Fold(inner) = cx.node(short.steps[short.which as usize]).clone() {
        let inner = inner.n;
        let count = cx.simplify(short.n * inner);
        if counts(cx, inner) && cx.known.equal(long.n, count) && !cx.is_step_index(inner, short) {
            return cx.nested(long, short.n, inner).map(Some);
        }
    }
    // A step of the other is several of this one, which may have some before.
    for by in ratios(long.n, short.n) {
        let first = cx.simplify(long.n - Nat::int(by) * short.n);
        let fits = cx.known.at_least(first, Nat::int(0));
        if !fits || !cx.known.at_least(Nat::int(by - 1), first) {
            continue;
        }
        let mut all = long.clone();
        if !cx.known.equal(first, Nat::int(0)) {
            let starts = all_parts(cx, long, (Nat::int(0), first))?;
            let rest = cx.steps_of(long, starts, (first, Nat::int(by) * short.n), long.which)?;
            let Node::Fold(rest) = cx.node(rest).clone() else {
                return Ok(None);
            };
            all = (*rest).clone();
        }
        return cx.nested(&all, short.n, Nat::int(by)).map(Some);
    }
    // The other goes on where another one ended.
    let before = cx.simplify(long.n - short.n);
    let goes_on = matches!(cx.node(short.starts[short.which as usize]), Node::Fold(_));
    if goes_on && cx.known.at_least(before, Nat::int(0)) {
        let starts = all_parts(cx, long, (Nat::int(0), before))?;
        return cx
            .steps_of(long, starts, (before, short.n), long.which)
            .map(Some);
    }
    Ok(None)
}

/// Every part of the state after some steps from the start.
fn all_parts(cx: &mut Values, f: &Fold, steps: (Nat, Nat)) -> Res<Vec<V>> {
    (0..f.steps.len() as u32)
        .map(|j| cx.steps_of(f, f.starts.clone(), steps, j))
        .collect()
}

/// By what constant one number may be the other's multiple, but for less than that.
fn ratios(long: Nat, short: Nat) -> Vec<i64> {
    let mut all = Vec::new();
    short.each_atom(&mut |a| {
        if let AtomKind::Floor(_, by) = a.kind() {
            all.extend(by.as_int());
        }
    });
    all.extend(long.exact_div(short).as_int());
    all.extend(
        long.as_int()
            .zip(short.as_int())
            .and_then(|(n, k)| n.checked_div(k)),
    );
    all.retain(|by| (2..=WRITTEN_OUT).contains(by));
    all.dedup();
    all
}

/// A reduction is its last step after all before, and all of them if they are few.
fn unfolded(cx: &mut Values, f: &Rc<Fold>, other: V, depth: u32) -> Res<()> {
    let parts = match f.n.as_int() {
        Some(n) if few(f) => {
            let mut state = f.starts.clone();
            for i in 0..n {
                state = cx.stepped(f, &state, Nat::int(i))?;
            }
            state
        }
        _ => {
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
                .map(|which| cx.steps_of(f, f.starts.clone(), (Nat::int(0), last), which))
                .collect::<Res<_>>()?;
            cx.stepped(f, &before, last)?
        }
    };
    let v = cx.refresh(parts[f.which as usize])?;
    compare(cx, v, other, depth + 1)
}
