//! Reductions, by induction.
//!
//! In: two values in which reductions stand. Out: whether they were shown to be equal. The schemas, for any operators:
//!
//! * *steps*: two reductions of one length are equal if their starts are, and their steps for any accumulator;
//! * *simulation*: a value `C[r]` that contains a reduction r equals a part p of another reduction s of the same
//!   length if it does so at the start, and if each step keeps it: with `C[a] = p(b)` before, `C[r's step a] = p(s's
//!   step b)` after. It covers exchanged loops (a part is an element), lanes, components, and regrouped operators;
//!   Several reductions of one length that stand in the value go in step;
//! * *blocks*: a reduction over k·n is one over n, whose steps are reductions over k; and back, where steps combine the
//!   accumulator with a reduction that may go on from it;
//! * *parts*: a reduction over m + n is one over n that starts with one over m;
//! * *unfolding*: a reduction of a few steps, whose number is known, is those steps; one of n > 0 steps is its last step
//!   after the others;
//! * *repeats*: a reduction over n > 0, or none, is one over more steps, the last step again and again, if doing that twice
//!   is the same as once for any accumulator;
//! * *overwriting*: steps that keep what is there or write what does not depend on it are done once, not twice.
//!
//! Absent: when parts of steps are equal (`equal`).

use super::context::{Context, Question, Res, Stuck};
use super::equal::{equal, for_any};
use super::value::{Fold, Head, Neutral, Step, Val};
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::ty::Ty;
use std::rc::Rc;

/// Steps, blocks, parts and repeats: both are whole reductions.
pub fn congruent(cx: &mut Context, f: &Rc<Fold>, g: &Rc<Fold>) -> Res<bool> {
    if Rc::ptr_eq(f, g) {
        return Ok(true);
    }
    if f.ty != g.ty {
        return Ok(false);
    }
    if by_steps(cx, f, g)? {
        return Ok(true);
    }
    // No step that rules are about could be done again otherwise.
    if !super::equal::repeats_somewhere(cx) {
        return Ok(false);
    }
    for (short, long) in [(f, g), (g, f)] {
        if let Some(repeated) = repeated(cx, short, long) {
            if by_steps(cx, &repeated, long)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Steps of a known number that are done one by one.
pub const FEW: i64 = 16;

/// A reduction of few steps, done; and what is done to its result.
pub fn unfolded(cx: &mut Context, n: &Neutral) -> Res<Option<Val>> {
    let Head::Fold(f) = &n.head else {
        return Ok(None);
    };
    let Some(steps) = f.n.as_int().filter(|k| (0..=FEW).contains(k)) else {
        return Ok(None);
    };
    let mut acc = f.start.clone();
    for i in 0..steps {
        acc = (f.step)(cx, acc, Nat::int(i))?;
    }
    along(cx, &acc, &n.spine).map(Some)
}

/// The last step of a reduction that has one, after those before it; and what is done to its result.
pub fn peeled(cx: &mut Context, n: &Neutral) -> Res<Option<Val>> {
    let Head::Fold(f) = &n.head else {
        return Ok(None);
    };
    let last = cx.simplify(f.n - Nat::int(1));
    if f.n.as_int().is_some() || !cx.is_not_negative(last) {
        return Ok(None);
    }
    let before = Fold {
        start: f.start.clone(),
        n: last,
        step: f.step.clone(),
        ty: f.ty,
    };
    let before = Val::neutral(Head::Fold(Rc::new(before)), f.ty);
    let all = (f.step)(cx, before, last)?;
    along(cx, &all, &n.spine).map(Some)
}

/// A reduction that may be read otherwise: without steps that change nothing, as one with that which it starts from, or in two where a step depends on the index
/// being below a bound; and what is done to its result.
pub fn cut(cx: &mut Context, n: &Neutral) -> Res<Option<Val>> {
    let Head::Fold(f) = &n.head else {
        return Ok(None);
    };
    if f.n.as_int().is_some_and(|n| (0..=FEW).contains(&n)) {
        return Ok(None);
    }
    if is_kept(cx, f) || is_idle(cx, f) || is_overwritten(cx, f) {
        return along(cx, &f.start, &n.spine).map(Some);
    }
    if let Some(one) = chained(cx, f) {
        let whole = Val::neutral(Head::Fold(Rc::new(one)), f.ty);
        return along(cx, &whole, &n.spine).map(Some);
    }
    let known = cx.known();
    let i = cx.symbol();
    cx.declare(i, f.n);
    let acc = cx.fresh(f.ty);
    let mut question = (f.step)(cx, acc, Nat::var(i));
    if let Ok(value) = &question {
        // What a step depends on may show in an element of it only.
        let path: Vec<_> = n.spine.clone();
        question = along(cx, value, &path);
    }
    cx.restore(known);
    let Err(Stuck::Split(Question::NotNegative(q))) = question else {
        return Ok(None);
    };
    let Some(bound) = threshold(cx, q, i, f.n) else {
        return Ok(None);
    };
    let parts = parted(f, cx.simplify(f.n - bound));
    let whole = Val::neutral(Head::Fold(Rc::new(parts)), f.ty);
    along(cx, &whole, &n.spine).map(Some)
}

/// The reduction that one starts with what it gives.
fn begun_by(f: &Fold) -> Option<&Rc<Fold>> {
    match &f.start {
        Val::Neutral(Neutral {
            head: Head::Fold(first),
            spine,
            ..
        }) if spine.is_empty() && first.ty == f.ty => Some(first),
        _ => None,
    }
}

/// One reduction of two, the second of which starts with what the first gives, where the steps of both are one function of the
/// accumulator, whatever their number is.
fn chained(cx: &mut Context, f: &Rc<Fold>) -> Option<Fold> {
    let first = begun_by(f)?;
    // Of any numbers, as either may have no step.
    let alike = for_any(
        cx,
        |cx| (cx.fresh(f.ty), cx.symbol(), cx.symbol()),
        |cx, (acc, i, j)| {
            let one = (first.step)(cx, acc.clone(), Nat::var(*i))?;
            let other = (f.step)(cx, acc.clone(), Nat::var(*j))?;
            Ok(equal(cx, f.ty, &one, &other))
        },
    );
    alike.then(|| Fold {
        start: first.start.clone(),
        n: cx.simplify(first.n + f.n),
        step: f.step.clone(),
        ty: f.ty,
    })
}

/// Whether each step leaves the start as it is.
fn is_kept(cx: &mut Context, f: &Rc<Fold>) -> bool {
    for_any(
        cx,
        |cx| cx.fresh_index(f.n),
        |cx, i| {
            let after = (f.step)(cx, f.start.clone(), *i)?;
            Ok(equal(cx, f.ty, &f.start, &after))
        },
    )
}

/// Whether no step, or no few of them together, changes anything.
fn is_idle(cx: &mut Context, f: &Rc<Fold>) -> bool {
    let together = (1..=4).find(|k| {
        let n = f.n.exact_div(Nat::int(*k));
        let fits = *k == 1 || !n.is_overflow() && cx.is_size(n);
        fits && for_any(
            cx,
            |cx| (cx.fresh(f.ty), cx.fresh_index(n)),
            |cx, (acc, i)| {
                let mut after = acc.clone();
                for j in 0..*k {
                    after = (f.step)(cx, after, Nat::int(*k) * *i + Nat::int(j))?;
                }
                Ok(equal(cx, f.ty, acc, &after))
            },
        )
    });
    together.is_some()
}

/// Whether the steps were done once before, from any start, and each keeps what is there or writes what does not depend
/// on it: the last that wrote wrote the same, and none wrote if none does.
fn is_overwritten(cx: &mut Context, f: &Rc<Fold>) -> bool {
    let Some(before) = begun_by(f) else {
        return false;
    };
    cx.same_nat(before.n, f.n)
        && for_any(
            cx,
            |cx| (cx.fresh(f.ty), cx.fresh(f.ty), cx.fresh_index(f.n)),
            |cx, (one, other, i)| {
                let now = (f.step)(cx, one.clone(), *i)?;
                let then = (before.step)(cx, one.clone(), *i)?;
                if !equal(cx, f.ty, &now, &then) {
                    return Ok(false);
                }
                let elsewhere = (f.step)(cx, other.clone(), *i)?;
                let writes = equal(cx, f.ty, &now, &elsewhere);
                Ok(writes || equal(cx, f.ty, &now, one) && equal(cx, f.ty, &elsewhere, other))
            },
        )
}

/// Whether two reductions have other numbers of steps.
pub fn of_other_lengths(cx: &Context, a: &Neutral, b: &Neutral) -> bool {
    match (&a.head, &b.head) {
        (Head::Fold(f), Head::Fold(g)) => !cx.same_nat(f.n, g.n),
        _ => false,
    }
}

/// One reduction of two: where each step combines the accumulator with a reduction that starts from an identity, it goes on
/// from the accumulator instead; and what is done to its result.
pub fn flattened(cx: &mut Context, n: &Neutral) -> Res<Option<Val>> {
    let Head::Fold(f) = &n.head else {
        return Ok(None);
    };
    let known = cx.known();
    let i = cx.symbol();
    cx.declare(i, f.n);
    let found = inner_length(cx, f, i);
    cx.restore(known);
    let Some(k) = found? else {
        return Ok(None);
    };
    let (outer, ty) = (f.clone(), f.ty);
    let one = Fold {
        start: f.start.clone(),
        n: cx.simplify(k * f.n),
        step: Rc::new(move |cx, acc, l| {
            // Not asked for: a bound of the one loop says more than one of quotient and rest.
            let (q, r) = (cx.simplify(l.floor_div(k)), cx.simplify(l.rem(k)));
            let any = cx.fresh(ty);
            match inner(cx, &outer, any, q)? {
                Some(block) => (block.reduction.step)(cx, acc, r),
                None => cx.stuck("a step that is no reduction"),
            }
        }),
        ty,
    };
    let whole = Val::neutral(Head::Fold(Rc::new(one)), ty);
    along(cx, &whole, &n.spine).map(Some)
}

/// What a step does to the accumulator.
struct Block {
    reduction: Rc<Fold>,
    /// What combines the accumulator with the result; without it, the reduction starts with the accumulator.
    by: Option<Neutral>,
}

fn inner(cx: &mut Context, f: &Rc<Fold>, acc: Val, i: Nat) -> Res<Option<Block>> {
    let Val::Neutral(stepped) = (f.step)(cx, acc.clone(), i)? else {
        return Ok(None);
    };
    let reduction = |v: &Val| match v {
        Val::Neutral(Neutral {
            head: Head::Fold(g),
            spine,
            ..
        }) if spine.is_empty() && g.ty == f.ty => Some(g.clone()),
        _ => None,
    };
    if let Some(g) = reduction(&Val::Neutral(stepped.clone())) {
        let goes_on = equal(cx, f.ty, &g.start, &acc);
        return Ok(goes_on.then_some(Block {
            reduction: g,
            by: None,
        }));
    }
    let Some([x, y]) = stepped.operands() else {
        return Ok(None);
    };
    let Some(g) = reduction(y).filter(|_| stepped.before(2).ty() == Ty::funs([f.ty, f.ty], f.ty))
    else {
        return Ok(None);
    };
    let by = Some(stepped.before(2));
    Ok(equal(cx, f.ty, x, &acc).then_some(Block { reduction: g, by }))
}

/// How many steps the reductions in the steps of another have, if these may go on from the accumulator: `op a e` is a, and
/// `op a (step b j)` is `step (op a b) j`, whatever the accumulator of the step is.
fn inner_length(cx: &mut Context, f: &Rc<Fold>, i: Symbol) -> Res<Option<Nat>> {
    let (one, other) = (cx.fresh(f.ty), cx.fresh(f.ty));
    let at = Nat::var(i);
    let blocks = (
        inner_or_none(cx, f, &one, at)?,
        inner_or_none(cx, f, &other, at)?,
    );
    let (Some(block), Some(twin)) = blocks else {
        return Ok(None);
    };
    let (g, h) = (&block.reduction, &twin.reduction);
    let k = g.n;
    let fixed = k.as_int() != Some(0)
        && !k.mentions(i)
        && !cx.mentions_later(k, i)
        && cx.same_nat(k, h.n)
        && cx.is_size(k);
    let alike = fixed
        && for_any(
            cx,
            |cx| (cx.fresh(f.ty), cx.fresh(f.ty), cx.fresh_index(k)),
            |cx, (a, b, j)| {
                let (x, y) = ((g.step)(cx, b.clone(), *j)?, (h.step)(cx, b.clone(), *j)?);
                if !equal(cx, f.ty, &x, &y) {
                    return Ok(false);
                }
                let Some(by) = &block.by else {
                    return Ok(true);
                };
                let with = |cx: &mut Context, v: &Val| {
                    let by = Val::Neutral(by.clone());
                    by.apply(cx, a.clone())?.apply(cx, v.clone())
                };
                let after = with(cx, &x)?;
                let before = with(cx, b)?;
                let gone_on = (g.step)(cx, before, *j)?;
                Ok(equal(cx, f.ty, &after, &gone_on))
            },
        );
    if !alike {
        return Ok(None);
    }
    let neutral = match &block.by {
        None => true,
        Some(by) => {
            let started = Val::Neutral(by.clone())
                .apply(cx, one.clone())?
                .apply(cx, g.start.clone())?;
            equal(cx, f.ty, &started, &one)
        }
    };
    Ok(neutral.then_some(k))
}

/// What is not seen without a case is none.
fn inner_or_none(cx: &mut Context, f: &Rc<Fold>, acc: &Val, i: Nat) -> Res<Option<Block>> {
    match inner(cx, f, acc.clone(), i) {
        Err(Stuck::Split(_)) => Ok(None),
        other => other,
    }
}

/// The bound c inside of `0 … n` for which `q >= 0` says whether the variable is below c.
pub fn threshold(cx: &Context, q: Nat, var: Symbol, n: Nat) -> Option<Nat> {
    let by = q.coefficient(var)?.as_int()?;
    let rest = q - Nat::int(by) * Nat::var(var);
    if rest.mentions(var) {
        return None;
    }
    let bound = match by {
        1 => Nat::int(0) - rest,
        -1 => rest + Nat::int(1),
        _ => return None,
    };
    // What is named later, such as an index read at this one, may differ from step to step.
    if cx.mentions_later(bound, var) {
        return None;
    }
    let inside = cx.is_whole(bound) && cx.is_not_negative(bound) && cx.is_not_negative(n - bound);
    let progress = !cx.same_nat(bound, n) && !cx.same_nat(bound, Nat::int(0));
    (inside && progress).then_some(bound)
}

/// A part of a reduction as a reduction of its own, if its steps need nothing else of the accumulator.
pub fn projected(cx: &mut Context, n: &Neutral) -> Res<Option<Rc<Fold>>> {
    let Head::Fold(f) = &n.head else {
        return Ok(None);
    };
    if n.spine.is_empty() {
        return Ok(Some(f.clone()));
    }
    if n.projections() != n.spine.len() {
        return Ok(None);
    }
    let (ty, path) = (n.ty(), Rc::new(n.spine.clone()));
    let alone = for_any(
        cx,
        |cx| {
            (
                cx.fresh(f.ty),
                cx.fresh(f.ty),
                cx.fresh(ty),
                cx.fresh_index(f.n),
            )
        },
        |cx, (one, other, part, i)| {
            let mut parts = Vec::new();
            for whole in [one, other] {
                let stepped = (f.step)(cx, whole.with(&path, part.clone()), *i)?;
                parts.push(along(cx, &stepped, &path)?);
            }
            Ok(equal(cx, ty, &parts[0], &parts[1]))
        },
    );
    if !alone {
        return Ok(None);
    }
    let start = along(cx, &f.start, &path)?;
    let (step, any) = (f.step.clone(), cx.fresh(f.ty));
    Ok(Some(Rc::new(Fold {
        start,
        n: f.n,
        step: Rc::new(move |cx, acc, i| {
            let stepped = step(cx, any.with(&path, acc), i)?;
            along(cx, &stepped, &path)
        }),
        ty,
    })))
}

fn by_steps(cx: &mut Context, f: &Rc<Fold>, g: &Rc<Fold>) -> Res<bool> {
    let Some((f, g)) = aligned(cx, f, g) else {
        return Ok(false);
    };
    if !equal(cx, f.ty, &f.start, &g.start) {
        return Ok(false);
    }
    Ok(for_any(
        cx,
        |cx| (cx.fresh(f.ty), cx.fresh_index(f.n)),
        |cx, (acc, i)| {
            let x = (f.step)(cx, acc.clone(), *i)?;
            let y = (g.step)(cx, acc.clone(), *i)?;
            Ok(equal(cx, f.ty, &x, &y))
        },
    ))
}

/// Simulation, whichever of both is the part of a reduction.
pub fn by_induction(cx: &mut Context, a: &Neutral, b: &Neutral) -> Res<bool> {
    for (whole, part) in [(a, b), (b, a)] {
        for (r, of) in inside(whole, part) {
            if simulates(cx, whole, &[r], part, &of)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Simulation by several reductions of one length, in step with each other. What is left of the value then has no
/// reductions, so this is decided soon.
pub fn in_step(cx: &mut Context, a: &Neutral, b: &Neutral) -> Res<bool> {
    for (whole, part) in [(a, b), (b, a)] {
        let mut together = inside(whole, part);
        together.retain(|(r, of)| cx.same_nat(r.n, of.n));
        let Some((_, of)) = together.first().filter(|_| together.len() > 1).cloned() else {
            continue;
        };
        let rs: Vec<_> = together.into_iter().map(|(r, _)| r).collect();
        if simulates(cx, whole, &rs, part, &of)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The reductions in a value of which another one may be a part, each with the reduction that that is of.
fn inside(whole: &Neutral, part: &Neutral) -> Vec<(Rc<Fold>, Rc<Fold>)> {
    let Head::Fold(of) = &part.head else {
        return Vec::new();
    };
    if part.projections() != part.spine.len() {
        return Vec::new();
    }
    let mut all = Vec::new();
    folds(whole, &mut all);
    // Both whole: their steps were compared already.
    let plain = whole.spine.is_empty() && part.spine.is_empty();
    let whole_fold = plain && matches!(&whole.head, Head::Fold(_));
    all.retain(|r| !(whole_fold || Rc::ptr_eq(r, of)));
    all.into_iter().map(|r| (r, of.clone())).collect()
}

fn simulates(
    cx: &mut Context,
    whole: &Neutral,
    rs: &[Rc<Fold>],
    part: &Neutral,
    s: &Rc<Fold>,
) -> Res<bool> {
    let Some((first, s)) = aligned(cx, &rs[0], s) else {
        return Ok(false);
    };
    let mut now = vec![first];
    now.extend(rs[1..].iter().cloned());
    let n = now[0].n;
    let ty = whole.ty();
    let path = &part.spine;
    let starts: Vec<Val> = now.iter().map(|r| r.start.clone()).collect();
    let start = replaced(cx, whole, rs, &starts)?;
    let part_of_start = along(cx, &s.start, path)?;
    if !equal(cx, ty, &start, &part_of_start) {
        return Ok(false);
    }
    Ok(for_any(
        cx,
        |cx| {
            let accs: Vec<Val> = now.iter().map(|r| cx.fresh(r.ty)).collect();
            (accs, cx.fresh(s.ty), cx.fresh_index(n))
        },
        |cx, (accs, other, i)| {
            let before = replaced(cx, whole, rs, accs)?;
            let other = other.with(path, before);
            let mut stepped = Vec::new();
            for (r, acc) in now.iter().zip(accs) {
                stepped.push((r.step)(cx, acc.clone(), *i)?);
            }
            let after = replaced(cx, whole, rs, &stepped)?;
            let stepped = (s.step)(cx, other, *i)?;
            let part_after = along(cx, &stepped, path)?;
            Ok(equal(cx, ty, &after, &part_after))
        },
    ))
}

/// The reductions that stand in a value where another value could stand.
fn folds(n: &Neutral, out: &mut Vec<Rc<Fold>>) {
    if let Head::Fold(f) = &n.head {
        out.push(f.clone());
    }
    for (step, _) in &n.spine {
        if let Step::Apply(Val::Neutral(x), _) = step {
            folds(x, out);
        }
    }
}

/// The value with others in place of reductions.
fn replaced(cx: &mut Context, n: &Neutral, rs: &[Rc<Fold>], by: &[Val]) -> Res<Val> {
    let place = |f: &Rc<Fold>| rs.iter().position(|r| Rc::ptr_eq(f, r));
    let other = match &n.head {
        Head::Fold(f) => place(f).map(|at| by[at].clone()),
        _ => None,
    };
    let mut value = other.unwrap_or_else(|| Val::neutral(n.head.clone(), n.head_ty));
    for (step, _) in &n.spine {
        let step = match step {
            Step::Apply(Val::Neutral(x), ty) => Step::Apply(replaced(cx, x, rs, by)?, *ty),
            other => other.clone(),
        };
        value = value.after(cx, &step)?;
    }
    Ok(value)
}

fn along(cx: &mut Context, v: &Val, path: &[(Step, Ty)]) -> Res<Val> {
    let mut v = v.clone();
    for (step, _) in path {
        v = v.after(cx, step)?;
    }
    Ok(v)
}

/// Both with as many steps, by blocks or parts of the longer one.
fn aligned(cx: &mut Context, f: &Rc<Fold>, g: &Rc<Fold>) -> Option<(Rc<Fold>, Rc<Fold>)> {
    if cx.same_nat(f.n, g.n) {
        return Some((f.clone(), g.clone()));
    }
    if let Some(f) = blocked(cx, f, g.n) {
        return Some((f, g.clone()));
    }
    if let Some(g) = blocked(cx, g, f.n) {
        return Some((f.clone(), g));
    }
    if cx.is_not_negative(f.n - g.n) {
        return Some((Rc::new(parted(f, g.n)), g.clone()));
    }
    if cx.is_not_negative(g.n - f.n) {
        return Some((f.clone(), Rc::new(parted(g, f.n))));
    }
    None
}

/// The same in n steps, each of which is a reduction over k, if the length is k·n.
fn blocked(cx: &Context, f: &Rc<Fold>, n: Nat) -> Option<Rc<Fold>> {
    if n.as_int() == Some(0) {
        return None;
    }
    let k = f.n.exact_div(n);
    let fits = !k.is_overflow() && cx.is_size(k);
    (fits && k * n == f.n).then_some(())?;
    let (inner, ty) = (f.step.clone(), f.ty);
    Some(Rc::new(Fold {
        start: f.start.clone(),
        n,
        step: Rc::new(move |_, acc, i| {
            let inner = inner.clone();
            let block = Fold {
                start: acc,
                n: k,
                step: Rc::new(move |cx, acc, j| inner(cx, acc, k * i + j)),
                ty,
            };
            Ok(Val::neutral(Head::Fold(Rc::new(block)), ty))
        }),
        ty,
    }))
}

/// As many steps as `long` has, those of its blocks counted, where `f` has fewer: its last step again.
fn repeated(cx: &mut Context, f: &Rc<Fold>, long: &Rc<Fold>) -> Option<Rc<Fold>> {
    let n = long.n * block(cx, long);
    let more = n - f.n;
    if cx.same_nat(n, f.n) || !(cx.is_size(more) || cx.is_not_negative(more)) {
        return None;
    }
    let last = f.n - Nat::int(1);
    // Without any step there is none to repeat: then n is 0, too.
    let absorbs = for_any(
        cx,
        |cx| {
            cx.fresh_index(n);
            cx.fresh(f.ty)
        },
        |cx, acc| {
            if cx.less(last, Nat::int(0))? {
                return Ok(false);
            }
            let once = (f.step)(cx, acc.clone(), last)?;
            let twice = (f.step)(cx, once.clone(), last)?;
            Ok(equal(cx, f.ty, &twice, &once))
        },
    );
    let step = f.step.clone();
    absorbs.then(|| {
        Rc::new(Fold {
            start: f.start.clone(),
            n,
            step: Rc::new(move |cx, acc, i| {
                let i = cx.min(i, last);
                step(cx, acc, i)
            }),
            ty: f.ty,
        })
    })
}

/// How many steps a step does, if it is a reduction itself.
fn block(cx: &mut Context, f: &Rc<Fold>) -> Nat {
    let known = cx.known();
    let (acc, i) = (cx.fresh(f.ty), cx.fresh_index(f.n));
    let step = (f.step)(cx, acc, i);
    cx.restore(known);
    match step {
        Ok(Val::Neutral(Neutral {
            head: Head::Fold(inner),
            spine,
            ..
        })) if spine.is_empty() && cx.is_size(inner.n) => inner.n,
        _ => Nat::int(1),
    }
}

/// The last n steps of a reduction, which start with what those before give.
fn parted(f: &Rc<Fold>, n: Nat) -> Fold {
    let before = f.n - n;
    let first = Fold {
        start: f.start.clone(),
        n: before,
        step: f.step.clone(),
        ty: f.ty,
    };
    let step = f.step.clone();
    Fold {
        start: Val::neutral(Head::Fold(Rc::new(first)), f.ty),
        n,
        step: Rc::new(move |cx, acc, i| step(cx, acc, before + i)),
        ty: f.ty,
    }
}
