//! The steps of a reduction in the loops of another one.
//!
//! In: two reductions, or how many steps they have. Out: one of them with the loops of the other. Invariant: the same steps in the same order, but for
//! what changes nothing. Absent: whether both are the same then (`same`).

use super::idle::shortened;
use super::value::{Fold, Node, Res, Values, V};
use super::written::{few, written, WRITTEN_OUT};
use crate::arith::{AtomKind, Nat};
use std::rc::Rc;

/// Steps of a state that are taken as one, at most.
pub const SEVERAL: i64 = 8;

/// Whether two reductions of few steps are the same, to the letter, once they are written out: nothing is assumed of their choices.
pub fn same_written(cx: &mut Values, f: &Fold, g: &Fold) -> Res<bool> {
    if !few(f) || !few(g) {
        return Ok(false);
    }
    let (x, y) = (written(cx, f, true)?, written(cx, g, true)?);
    Ok(x[f.which as usize] == y[g.which as usize])
}

/// Two reductions, one of them written such that the loops are those of the other: the same steps in the same order, but for what
/// changes nothing.
pub fn regrouped(cx: &mut Values, f: &Rc<Fold>, g: &Rc<Fold>) -> Res<Option<(V, V)>> {
    for (long, short, swapped) in [(f, g, false), (g, f, true)] {
        let written = match as_other(cx, long, short)? {
            None => shortened(cx, long, short)?,
            found => found,
        };
        let Some(written) = written else {
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
    // The other goes on where another one ended, by its form: whatever multiple one number is of the other.
    let before = cx.simplify(long.n - short.n);
    let from = match cx.node(short.starts[short.which as usize]) {
        Node::Fold(f) => Some(f.n),
        _ => None,
    };
    let goes_on = |cx: &mut Values| -> Res<Option<V>> {
        let starts = all_parts(cx, long, (Nat::int(0), before))?;
        let rest = cx.steps_of(long, starts, (before, short.n), long.which)?;
        Ok(Some(rest))
    };
    if from.is_some_and(|n| cx.known.at_least(n, Nat::int(0)) && cx.known.equal(n, before)) {
        return goes_on(cx);
    }
    // A step of the other is several of this one, which may have some before.
    for by in ratios(long.n, short.n) {
        let Some(first) = left_over(cx, long.n, short.n, by) else {
            continue;
        };
        let mut all = long.clone();
        if !cx.known.equal(first, Nat::int(0)) {
            let starts = all_parts(cx, long, (Nat::int(0), first))?;
            let rest = cx.steps_of(long, starts, (first, Nat::int(by) * short.n), long.which)?;
            let Node::Fold(rest) = cx.node(rest).clone() else {
                return Ok(None);
            };
            all = (*rest).clone();
        }
        let nested = cx.nested(&all, short.n, Nat::int(by))?;
        // Steps that are taken at once may leave elements where they were that each of them puts elsewhere.
        let parts = |cx: &Values, v: V| match cx.node(v) {
            Node::Fold(f) => f.steps.len(),
            _ => 0,
        };
        if by <= SEVERAL && parts(cx, nested) > short.steps.len() {
            let unrolled = cx.unrolled(&all, short.n, by)?;
            if parts(cx, unrolled) == short.steps.len() {
                return Ok(Some(unrolled));
            }
        }
        return Ok(Some(nested));
    }
    match from.is_some() && cx.known.at_least(before, Nat::int(0)) {
        true => goes_on(cx),
        false => Ok(None),
    }
}

/// Every part of the state after some steps from the start.
pub fn all_parts(cx: &mut Values, f: &Fold, steps: (Nat, Nat)) -> Res<Vec<V>> {
    (0..f.steps.len() as u32)
        .map(|j| cx.steps_of(f, f.starts.clone(), steps, j))
        .collect()
}

/// How many steps are left over where they are taken so many at once; less than so many.
pub fn left_over(cx: &Values, long: Nat, short: Nat, by: i64) -> Option<Nat> {
    let many = Nat::int(by) * short;
    // As loops ask for it.
    let rest = cx.known.rem(long, Nat::int(by));
    if cx.known.equal(long, many + rest) {
        return Some(rest);
    }
    let rest = cx.known.simplify(long - many);
    let fits = cx.known.at_least(rest, Nat::int(0)) && cx.known.at_least(Nat::int(by - 1), rest);
    fits.then_some(rest)
}

/// By what constant one number may be the other's multiple, but for less than that.
pub fn ratios(long: Nat, short: Nat) -> Vec<i64> {
    let mut all = Vec::new();
    short.each_atom(&mut |a| {
        if let AtomKind::Floor(_, by) = a.kind() {
            all.extend(by.as_int());
        }
    });
    all.extend(long.exact_div(short).as_int());
    // As `2*n + 1` and `n`.
    let first = { short.terms() }
        .iter()
        .find_map(|(m, c)| Some((m.clone(), c.as_int()?)));
    if let Some((m, c)) = first.filter(|f| !f.0.is_one()) {
        let other = { long.terms() }
            .iter()
            .find(|t| t.0 == m)
            .and_then(|t| t.1.as_int());
        all.extend(other.and_then(|n| n.checked_div(c)));
    }
    all.extend(
        long.as_int()
            .zip(short.as_int())
            .and_then(|(n, k)| n.checked_div(k)),
    );
    all.retain(|by| (2..=WRITTEN_OUT).contains(by));
    all.dedup();
    all
}
