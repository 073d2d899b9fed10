//! Reductions whose order does not matter.
//!
//! In: two reductions. Out: whether they combine the same values, in whatever order. A reduction is a *sum* if each step is
//! `op acc g`, with an operator that associates and commutes and a g that does not depend on the accumulator, or is a sum
//! itself that starts from the accumulator. Two sums are equal if their starts are and if a bijection between their
//! indices maps equal elements to each other: the identity, the reversal, the exchange of two loops, rows for columns.
//! Absent: laws (`equal`), induction (`fold`).

use super::context::{Context, Res};
use super::equal::{self, equal, for_any};
use super::value::{Fold, Head, Neutral, Val};
use crate::arith::Nat;
use std::rc::Rc;

/// How the indices of one sum come from those of another.
type Way = fn(&[Nat], &[Nat]) -> Vec<Nat>;

/// The operator of a step, and what it combines with the accumulator.
type Step = (Neutral, Vec<Val>);

/// Lengths of the loops of a sum, outermost first.
fn lengths(cx: &mut Context, f: &Rc<Fold>) -> Res<Vec<Nat>> {
    let (acc, i) = (cx.fresh(f.ty), cx.fresh_index(f.n));
    let mut all = vec![f.n];
    if let Some(inner) = inner(&(f.step)(cx, acc, i)?) {
        all.push(inner.n);
    }
    Ok(all)
}

fn inner(v: &Val) -> Option<Rc<Fold>> {
    match v {
        Val::Neutral(n) if n.spine.is_empty() => match &n.head {
            Head::Fold(f) => Some(f.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// One step at indices, one for each loop.
fn step(cx: &mut Context, f: &Rc<Fold>, at: &[Nat]) -> Res<Option<Step>> {
    let (one, other) = (cx.fresh(f.ty), cx.fresh(f.ty));
    let Some((op, these)) = from(cx, f, at, &one)? else {
        return Ok(None);
    };
    let Some((_, those)) = from(cx, f, at, &other)? else {
        return Ok(None);
    };
    // What is the same for any two accumulators does not depend on it.
    let ty = f.ty;
    let same =
        these.len() == those.len() && (these.iter().zip(&those)).all(|(x, y)| equal(cx, ty, x, y));
    Ok(same.then_some((op, these)))
}

fn from(cx: &mut Context, f: &Rc<Fold>, at: &[Nat], acc: &Val) -> Res<Option<Step>> {
    let Some((first, rest)) = at.split_first() else {
        return Ok(None);
    };
    let stepped = (f.step)(cx, acc.clone(), *first)?;
    if !rest.is_empty() {
        let Some(inner) = inner(&stepped).filter(|i| i.ty == f.ty) else {
            return Ok(None);
        };
        if !equal(cx, f.ty, &inner.start, acc) {
            return Ok(None);
        }
        return from(cx, &inner, rest, acc);
    }
    let Val::Neutral(n) = &stepped else {
        return Ok(None);
    };
    let Some(mut all) = equal::commuting(cx, n)? else {
        return Ok(None);
    };
    let Val::Neutral(acc) = acc else {
        return Ok(None);
    };
    let is_acc = |v: &Val| match (v, &acc.head) {
        (Val::Neutral(v), Head::Fresh(a)) => {
            v.spine.is_empty() && matches!(&v.head, Head::Fresh(b) if a == b)
        }
        _ => false,
    };
    let Some(place) = all.iter().position(is_acc) else {
        return Ok(None);
    };
    all.remove(place);
    Ok(Some((n.clone(), all)))
}

/// Whether both are sums of the same values.
pub fn same_sum(cx: &mut Context, f: &Rc<Fold>, g: &Rc<Fold>) -> Res<bool> {
    if f.ty != g.ty || !equal::commutes_somewhere(cx) {
        return Ok(false);
    }
    let known = cx.known();
    let lengths = (|| Ok((lengths(cx, f)?, lengths(cx, g)?)))();
    cx.restore(known);
    let (m, n) = lengths?;
    let one = Nat::int(1);
    let ways: Vec<Way> = match (&m[..], &n[..]) {
        ([a], [b]) if cx.same_nat(*a, *b) => {
            vec![|i, n| vec![n[0] - Nat::int(1) - i[0]]]
        }
        ([a], [b, c]) if cx.same_nat(*a, *b * *c) => vec![
            // Columns; and rows, the last of which is the first.
            |i, n| vec![i[1] * n[0] + i[0]],
            |i, n| vec![(n[0] - Nat::int(1) - i[0]) * n[1] + i[1]],
            |i, n| vec![i[0] * n[1] + n[1] - Nat::int(1) - i[1]],
        ],
        ([_], [_, _]) => return Ok(false),
        ([_, _], [_]) => return same_sum(cx, g, f),
        ([a, b], [c, d]) => {
            let mut ways: Vec<Way> = Vec::new();
            if cx.same_nat(*a, *d) && cx.same_nat(*b, *c) {
                ways.push(|i, _| vec![i[1], i[0]]);
            }
            if cx.same_nat(*a, *c) && cx.same_nat(*b, *d) {
                ways.push(|i, n| vec![n[0] - Nat::int(1) - i[0], i[1]]);
                ways.push(|i, n| vec![i[0], n[1] - Nat::int(1) - i[1]]);
            }
            ways
        }
        _ => return Ok(false),
    };
    let whole = n
        .iter()
        .all(|n| cx.is_not_negative(*n) || cx.is_not_negative(*n - one));
    if !whole || !equal(cx, f.ty, &f.start, &g.start) {
        return Ok(false);
    }
    for way in ways {
        let shown = for_any(
            cx,
            |cx| n.iter().map(|n| cx.fresh_index(*n)).collect::<Vec<_>>(),
            |cx, at| {
                let (Some(x), Some(y)) = (step(cx, f, &way(at, &n))?, step(cx, g, at)?) else {
                    return Ok(false);
                };
                equal::same_operands(cx, f.ty, x, y)
            },
        );
        if shown {
            return Ok(true);
        }
    }
    Ok(false)
}
