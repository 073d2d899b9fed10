//! Whether two values are equal.
//!
//! In: two values, at a place of a program. Out: yes, or the first place at which it was not shown. Invariants: yes means
//! equal wherever holds what is known there, to the bit; reductions are equal if they start alike and every step is.
//! Absent: laws of operators: a loop program computes in the order of its term.

use super::parts::{choice, opposite};
use super::regroup::{all_parts, left_over, ratios, regrouped, same_written, SEVERAL};
use super::rewrite::{OfCell, Rewrite};
use super::tensor::{linear, State};
use super::value::{Fold, Node, Portion, Relation, Res, Tensor, Values, V};
use super::written::{few, written};
use super::Stuck;
use crate::arith::{AtomKind, Nat};
use crate::intern::Symbol;
use crate::term::Op;
use std::rc::Rc;

/// Reductions in each other, and other ways to write a value, at most.
const DEEPEST: u32 = 24;
/// Choices in each other, as of the numbers of a register tile, at most.
const CHOICES: u32 = 160;
/// Of these, where reductions are written in another way, at most.
const SHALLOW: u32 = 12;
/// Reductions of so many steps are written out before they are looked at as loops.
const WRITTEN_OUT_FIRST: i64 = 16;

/// Fails where it is not shown.
pub fn same(cx: &mut Values, a: V, b: V) -> Res<()> {
    let (a, b) = (cx.refresh(a)?, cx.refresh(b)?);
    compare(cx, a, b, 0)
}

fn compare(cx: &mut Values, a: V, b: V, depth: u32) -> Res<()> {
    let (a, b) = (cx.chosen(a), cx.chosen(b));
    if a == b {
        return Ok(());
    }
    let key = (a, b, cx.known.state());
    if was_equal(cx, a, b) {
        return Ok(());
    }
    compare_anew(cx, a, b, depth)?;
    cx.equal.insert(key, cx.relations.last().cloned());
    Ok(())
}

/// Whether two values were shown to be equal here, or where less was assumed, if the same parts are the same of the states that are
/// compared.
fn was_equal(cx: &Values, a: V, b: V) -> bool {
    let now = cx.relations.last();
    let fits = |then: &Relation| {
        now.is_some_and(|now| {
            then.cells == now.cells && then.parts.iter().all(|p| now.parts.contains(p))
        })
    };
    let mut all = cx.known.earlier();
    all.any(|state| match cx.equal.get(&(a, b, state)) {
        Some(then) => then.as_ref().is_none_or(fits),
        None => false,
    })
}

fn compare_anew(cx: &mut Values, a: V, b: V, depth: u32) -> Res<()> {
    cx.spend(1)?;
    if depth > DEEPEST {
        return Err(Stuck::new("choices in each other are too deep"));
    }
    if let (Node::Op(Op::Select, _, x), Node::Op(Op::Select, _, y)) =
        (cx.node(a).clone(), cx.node(b).clone())
    {
        if same_choice(cx, x[0], y[0], depth) {
            return sides(cx, (&x, &y), depth);
        }
    }
    // One of several is compared as each of them.
    for (x, y) in [(a, b), (b, a)] {
        if let Node::Table(n, all) = cx.node(x).clone() {
            return entries(cx, n, &all, y, depth);
        }
    }
    // A choice is one of its sides in either case. Which choices by data are compared, indices decide, and the last step of a state
    // shows: both come first.
    for by_index in [true, false] {
        for (x, y) in [(a, b), (b, a)] {
            if let Node::Op(Op::Select, _, args) = cx.node(x).clone() {
                match cx.node(y).clone() {
                    _ if cx.is_of_indices(args[0]) => {}
                    _ if by_index => continue,
                    Node::Tensor(t, leaf, at) => return last(cx, (&t, leaf, &at), x, depth),
                    Node::Fold(f) if ends_as(cx, &f, x, depth)? => return Ok(()),
                    _ => {}
                }
                return cases(cx, args[0], x, y, depth);
            }
        }
    }
    if without_others(cx, (a, b), depth)? {
        return Ok(());
    }
    if let Some((m, n)) = cx.converted(a, b).or_else(|| cx.converted(b, a)) {
        return indices(cx, m, n, depth);
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
        (Node::Tensor(f, i, x), Node::Tensor(g, j, y)) => {
            tensors(cx, (&f, i, &x), (&g, j, &y), (a, b), depth)
        }
        (Node::Tensor(f, i, x), _) => last(cx, (&f, i, &x), b, depth),
        (_, Node::Tensor(f, i, x)) => last(cx, (&f, i, &x), a, depth),
        (Node::Cell(p, q, xs), Node::Cell(r, s, ys)) if relates(cx, (p, q), (r, s)) => {
            (xs.iter().zip(&ys)).try_for_each(|(x, y)| indices(cx, *x, *y, depth))
        }
        (Node::Cell(p, q, xs), Node::Cell(r, s, ys))
            if (p, q) == (r, s) && xs.len() == ys.len() =>
        {
            (xs.iter().zip(&ys)).try_for_each(|(x, y)| indices(cx, *x, *y, depth))
        }
        (Node::Fold(f), Node::Fold(g)) if folds_fit(cx, &f, &g) => folds(cx, &f, &g, depth),
        (Node::Fold(f), Node::Fold(g)) if !(few(&f) && few(&g)) => match regrouped(cx, &f, &g)? {
            Some((x, y)) => compare(cx, x, y, depth + 1),
            None => match after_few(cx, (&f, &g), depth)? {
                true => Ok(()),
                false => unfolded(cx, &f, b, depth),
            },
        },
        (Node::Fold(f), Node::Fold(g)) if as_loops(cx, (&f, &g), depth)? => Ok(()),
        (Node::Fold(f), Node::Fold(g)) if same_written(cx, &f, &g)? => Ok(()),
        (Node::Fold(f), _) => unfolded(cx, &f, b, depth),
        (_, Node::Fold(f)) => unfolded(cx, &f, a, depth),
        // The larger of two that are the same is either.
        (Node::Op(Op::Min | Op::Max, _, args), _) if depth < DEEPEST => {
            compare(cx, args[0], b, depth + 1)?;
            compare(cx, args[1], b, depth + 1)
        }
        (_, Node::Op(Op::Min | Op::Max, _, args)) if depth < DEEPEST => {
            compare(cx, a, args[0], depth + 1)?;
            compare(cx, a, args[1], depth + 1)
        }
        _ => Err(differ(cx, a, b)),
    }
}

/// Whether two conditions are the same.
fn same_choice(cx: &mut Values, c: V, d: V, depth: u32) -> bool {
    // What indices decide and what data decides is not the same.
    let alike = cx.is_of_indices(c) == cx.is_of_indices(d);
    alike && depth < DEEPEST && tried(cx, c, d, depth + 1).is_ok()
}

/// What was noted of states that are compared is forgotten, if it was in vain.
fn tried(cx: &mut Values, a: V, b: V, depth: u32) -> Res<()> {
    let noted = cx.relations.last().map_or(0, |r| r.parts.len());
    let done = compare(cx, a, b, depth);
    if let (Err(_), Some(r)) = (&done, cx.relations.last_mut()) {
        r.parts.truncate(noted);
    }
    done
}

/// Two values where conditions were assumed. As they are at first: sides are chosen where they are met. If that does not do, both are
/// written anew by all that is known there, and so is all in them.
fn there(cx: &mut Values, r: &mut Rewrite, (x, y): (V, V), depth: u32) -> Res<()> {
    if cx.choices > CHOICES {
        return Err(Stuck::new("choices in each other are too deep"));
    }
    cx.choices += 1;
    let done = there_by(cx, r, (x, y), depth);
    cx.choices -= 1;
    done
}

fn there_by(cx: &mut Values, r: &mut Rewrite, (x, y): (V, V), depth: u32) -> Res<()> {
    let looked_at = r.vars.is_empty() && !cx.anew;
    if looked_at {
        let done = tried(cx, x, y, depth);
        if done.is_ok() || cx.spend(1).is_err() || cx.absurd() {
            return done;
        }
    }
    let before = cx.anew;
    cx.anew = true;
    let both = cx.rewrite(r, x).and_then(|x| Ok((x, cx.rewrite(r, y)?)));
    cx.anew = before || looked_at;
    let done = both
        .and_then(|(x, y)| tried(cx, x, y, depth).or_else(|why| by_values(cx, (x, y), depth, why)));
    cx.anew = before;
    done
}

/// For each value of an index of few values, if what is assumed of data at it may decide which these are.
fn by_values(cx: &mut Values, (x, y): (V, V), depth: u32, why: Stuck) -> Res<()> {
    if cx.by_values || cx.spend(1).is_err() || cx.absurd() {
        return Err(why);
    }
    let Some((v, lo, hi)) = cx.few_values() else {
        return Err(why);
    };
    cx.by_values = true;
    let done = (lo..=hi).try_for_each(|k| {
        let c = cx.compare(Op::Eq, Nat::var(v), Nat::int(k));
        case(cx, &[(c, true)], (x, y), depth)
    });
    cx.by_values = false;
    done.map_err(|_| why)
}

/// Choices by the same condition.
fn sides(cx: &mut Values, (x, y): (&[V], &[V]), depth: u32) -> Res<()> {
    for (i, holds) in [(1, true), (2, false)] {
        let mark = cx.known.mark();
        let mut r = Rewrite::default();
        cx.assumed(x[0], holds, &mut r);
        cx.assume(y[0], holds);
        let done = match cx.never() {
            true => Ok(()),
            false => there(cx, &mut r, (x[i], y[i]), depth),
        };
        let never = done.is_err() && cx.absurd();
        cx.known.restore(mark);
        if !never {
            done?;
        }
    }
    Ok(())
}

fn differ(cx: &Values, a: V, b: V) -> Stuck {
    Stuck::new(format!("{} is not shown to be {}", cx.show(a), cx.show(b)))
}

fn cases(cx: &mut Values, c: V, x: V, y: V, depth: u32) -> Res<()> {
    cx.ways(c)
        .iter()
        .try_for_each(|way| case(cx, way, (x, y), depth))
}

fn entries(cx: &mut Values, n: Nat, all: &[V], y: V, depth: u32) -> Res<()> {
    for (i, x) in (0..).zip(all) {
        let c = cx.compare(Op::Eq, n, Nat::int(i));
        if cx.decide(c) != Some(false) {
            case(cx, &[(c, true)], (*x, y), depth)?;
        }
    }
    Ok(())
}

/// Both are equal where all of it holds.
fn case(cx: &mut Values, way: &[(V, bool)], (x, y): (V, V), depth: u32) -> Res<()> {
    let mark = cx.known.mark();
    let mut r = Rewrite::default();
    way.iter()
        .for_each(|(c, holds)| cx.assumed(*c, *holds, &mut r));
    let done = match cx.never() {
        true => Ok(()),
        false => there(cx, &mut r, (x, y), depth),
    };
    // There may be no such case.
    let never = done.is_err() && cx.absurd();
    cx.known.restore(mark);
    if never {
        return Ok(());
    }
    done
}

fn indices(cx: &mut Values, m: Nat, n: Nat, depth: u32) -> Res<()> {
    if rows_are_equal(cx, m, n, depth) || cx.known.equal(m, n) {
        return Ok(());
    }
    let (settled, other) = (cx.known.settled(m), cx.known.settled(n));
    if (settled, other) != (m, n) && cx.known.equal(settled, other) {
        return Ok(());
    }
    // Values that are indices have one name only where they have one form.
    let (own, others) = (cx.names_in(m), cx.names_in(n));
    let mut renamed = n;
    for (s, v) in others.iter().filter(|o| !own.contains(o)) {
        for (t, w) in &own {
            if depth < DEEPEST && compare(cx, *w, *v, depth + 1).is_ok() {
                renamed = renamed.subst_var(*s, Nat::var(*t));
                break;
            }
        }
    }
    if renamed != n {
        return indices(cx, m, renamed, depth + 1);
    }
    // A minimum is one of two, as a comparison has it: the one inside of all others first, which says then what these are.
    let mut found = choice(cx.simplify(m - n));
    while let Some(inner) = found.and_then(|(_, x, y)| choice(x).or(choice(y))) {
        found = Some(inner);
    }
    if let Some((atom, x, y)) = found.filter(|_| depth < DEEPEST) {
        let c = cx.compare(Op::Le, x, y);
        let decided = cx.decide(c);
        let mut all = Ok(());
        for holds in [true, false] {
            if all.is_err() || decided == Some(!holds) {
                continue;
            }
            let mark = cx.known.mark();
            // What is decided is written nowhere, where it is simplified.
            match decided {
                None => cx.assume(c, holds),
                Some(_) => cx.known.assume_compare(Op::Le, x, y, holds),
            }
            let is_first = holds == matches!(atom.kind(), AtomKind::Min(..));
            let side = if is_first { x } else { y };
            let with = |n: Nat| n.map_atoms(&mut |a| (a == atom).then_some(side));
            let (x, y) = (cx.simplify(with(m)), cx.simplify(with(n)));
            let done = match (x, y) == (m, n) {
                true => Err(Stuck::new("a minimum stays one")),
                false => indices(cx, x, y, depth + 1),
            };
            let never = done.is_err() && cx.absurd();
            cx.known.restore(mark);
            if !never {
                all = done;
            }
        }
        if decided.is_none() || all.is_ok() {
            return all;
        }
    }
    if cx.known.equal_by_all(m, n) {
        return Ok(());
    }
    let named = { own.iter().chain(&others) }.find(|(_, v)| is_one_of_few(cx, *v));
    match named.filter(|_| depth < DEEPEST) {
        Some((s, v)) => by_named(cx, (*s, *v), (m, n), depth),
        None => Err(Stuck::new(format!("the index {m} is not shown to be {n}"))),
    }
}

/// Whether a value is one of some, as indices have it.
fn is_one_of_few(cx: &Values, v: V) -> bool {
    match cx.node(v) {
        Node::Op(Op::Select, _, args) => cx.is_of_indices(args[0]),
        Node::Table(..) => true,
        _ => false,
    }
}

/// Two indices for each of the values that one has which has a name in them.
fn by_named(cx: &mut Values, (s, v): (Symbol, V), (m, n): (Nat, Nat), depth: u32) -> Res<()> {
    let mut cases = Vec::new();
    match cx.node(v).clone() {
        Node::Table(at, all) => {
            for (i, value) in (0..).zip(all.iter()) {
                cases.push((vec![(cx.compare(Op::Eq, at, Nat::int(i)), true)], *value));
            }
        }
        Node::Op(_, _, args) => {
            let ways = cx.ways(args[0]).into_iter().enumerate();
            cases.extend(ways.map(|(i, way)| (way, args[if i == 0 { 1 } else { 2 }])));
        }
        _ => {}
    }
    for (way, value) in cases {
        if way.iter().any(|(c, holds)| cx.decide(*c) == Some(!holds)) {
            continue;
        }
        let mark = cx.known.mark();
        way.iter().for_each(|(c, holds)| cx.assume(*c, *holds));
        let done = match cx.as_index(value).is_some() || is_one_of_few(cx, value) {
            _ if cx.never() => Ok(()),
            true => {
                let to = cx.nat(value);
                let (m, n) = (m.subst_var(s, to), n.subst_var(s, to));
                let (m, n) = (cx.simplify(m), cx.simplify(n));
                indices(cx, m, n, depth + 1)
            }
            false => Err(Stuck::new("what is no index is one")),
        };
        let never = done.is_err() && cx.absurd();
        cx.known.restore(mark);
        if !never {
            done?;
        }
    }
    Ok(())
}

/// Whether what sizes are multiplied by is equal, and then all: that of rows is a smaller question than that of their elements.
fn rows_are_equal(cx: &mut Values, m: Nat, n: Nat, depth: u32) -> bool {
    let rest = cx.simplify(m - n);
    let Some((a, b)) = opposite(rest).filter(|_| depth < DEEPEST) else {
        return false;
    };
    let with = |n: Nat| n.map_atoms(&mut |c| (c == a).then_some(Nat::atom(b)));
    indices(cx, Nat::atom(a), Nat::atom(b), depth + 1).is_ok()
        && indices(cx, with(rest), Nat::int(0), depth + 1).is_ok()
}

fn folds_fit(cx: &Values, f: &Fold, g: &Fold) -> bool {
    f.steps.len() == g.steps.len() && f.which == g.which && cx.known.equal(f.n, g.n)
}

/// Both start alike, and do the same in each step.
fn folds(cx: &mut Values, f: &Rc<Fold>, g: &Rc<Fold>, depth: u32) -> Res<()> {
    for (x, y) in f.starts.iter().zip(&g.starts) {
        compare(cx, *x, *y, depth)?;
    }
    let mark = cx.known.mark();
    cx.known.positive(f.n);
    let done = cx.opened(f, f.n, |cx, (cells, k, steps)| {
        let others = cx.stepped(g, cells, Nat::var(k))?;
        let mut both = steps.iter().zip(others.iter());
        both.try_for_each(|(x, y)| compare(cx, *x, *y, depth + 1))
    });
    cx.known.restore(mark);
    done
}

/// Whether two reductions are the same where the state of one has more parts: those that do not need it are by themselves in the other.
fn without_others(cx: &mut Values, (a, b): (V, V), depth: u32) -> Res<bool> {
    let (Node::Fold(f), Node::Fold(g)) = (cx.node(a).clone(), cx.node(b).clone()) else {
        return Ok(false);
    };
    let parts = f.steps.len().cmp(&g.steps.len());
    if depth > SHALLOW || parts.is_eq() || !cx.known.equal(f.n, g.n) {
        return Ok(false);
    }
    let (long, other) = if parts.is_gt() { (f, b) } else { (g, a) };
    let alone = cx.by_itself(&long)?;
    Ok(alone.is_some_and(|v| tried(cx, v, other, depth + 1).is_ok()))
}

/// Whether two reductions of few steps are the same by their loops: written out, they have as many choices as steps.
fn as_loops(cx: &mut Values, (f, g): (&Rc<Fold>, &Rc<Fold>), depth: u32) -> Res<bool> {
    let many = |f: &Fold| f.n.as_int().is_some_and(|n| n > WRITTEN_OUT_FIRST);
    if depth > SHALLOW || !many(f) && !many(g) {
        return Ok(false);
    }
    if let Some((x, y)) = regrouped(cx, f, g)? {
        if tried(cx, x, y, depth + 1).is_ok() {
            return Ok(true);
        }
    }
    after_few(cx, (f, g), depth)
}

/// Whether one of two reductions goes on after a few steps of the other, which are written out where it starts.
fn after_few(cx: &mut Values, (f, g): (&Fold, &Fold), depth: u32) -> Res<bool> {
    for (long, short) in [(f, g), (g, f)] {
        let before = cx.simplify(long.n - short.n);
        if depth > SHALLOW || !matches!(before.as_int(), Some(1..=SEVERAL)) {
            continue;
        }
        let starts = all_parts(cx, long, (Nat::int(0), before))?;
        let rest = cx.steps_of(long, starts, (before, short.n), long.which)?;
        let other = cx.folded(short.clone());
        let same = match (cx.node(rest).clone(), cx.node(other).clone()) {
            (Node::Fold(x), Node::Fold(y)) => {
                folds_fit(cx, &x, &y) && tried(cx, rest, other, depth + 1).is_ok()
            }
            _ => false,
        };
        if same {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a choice is the last step of a reduction after all before.
fn ends_as(cx: &mut Values, f: &Rc<Fold>, choice: V, depth: u32) -> Res<bool> {
    let last = f.n - Nat::int(1);
    if depth > SHALLOW || !cx.known.at_least(last, Nat::int(0)) {
        return Ok(false);
    }
    let is_short = f.n.as_int().is_some_and(|n| n <= WRITTEN_OUT_FIRST);
    let step = match is_short {
        true => written(cx, f, false)?[f.which as usize],
        false => {
            let before = all_parts(cx, f, (Nat::int(0), last))?;
            let step = cx.stepped(f, &before, last)?[f.which as usize];
            cx.refresh(step)?
        }
    };
    let is_choice = matches!(cx.node(step), Node::Op(Op::Select, ..));
    Ok(is_choice && tried(cx, choice, step, depth + 1).is_ok())
}

/// A reduction is its last step after all before, and all of them if they are few.
fn unfolded(cx: &mut Values, f: &Rc<Fold>, other: V, depth: u32) -> Res<()> {
    if few(f) {
        let state = written(cx, f, false)?;
        return compare(cx, state[f.which as usize], other, depth + 1);
    }
    let parts = match is_fixed(cx, f, depth)? {
        true => f.starts.clone(),
        false => {
            let last = f.n - Nat::int(1);
            if !cx.known.at_least(last, Nat::int(0)) {
                return none_or_some(cx, f, other, depth);
            }
            let before = match cx.node(other) {
                // What is always the same needs no step before.
                Node::Lit(..) => cx.state(f),
                _ => all_parts(cx, f, (Nat::int(0), last))?,
            };
            cx.stepped(f, &before, last)?.to_vec()
        }
    };
    let v = cx.refresh(parts[f.which as usize])?;
    compare(cx, v, other, depth + 1)
}

/// Without a step a reduction is its start.
fn none_or_some(cx: &mut Values, f: &Rc<Fold>, other: V, depth: u32) -> Res<()> {
    if depth > SHALLOW {
        return Err(Stuck::new("a reduction is compared with what is none"));
    }
    let none = cx.compare(Op::Le, f.n, Nat::int(0));
    let whole = cx.folded((**f).clone());
    for holds in [true, false] {
        if cx.decide(none) == Some(!holds) {
            continue;
        }
        let mark = cx.known.mark();
        cx.assume(none, holds);
        let done = match holds {
            true => compare(cx, f.starts[f.which as usize], other, depth + 1),
            false if cx.known.at_least(f.n, Nat::int(1)) => compare(cx, whole, other, depth + 1),
            false => Err(differ(cx, whole, other)),
        };
        let never = done.is_err() && cx.absurd();
        cx.known.restore(mark);
        if !never {
            done?;
        }
    }
    Ok(())
}

/// Whether every step makes of what a reduction starts with the same again.
fn is_fixed(cx: &mut Values, f: &Rc<Fold>, depth: u32) -> Res<bool> {
    let mark = cx.known.mark();
    cx.known.positive(f.n);
    let fixed = cx.opened(f, f.n, |cx, (_, k, _)| {
        let steps = cx.stepped(f, &f.starts, Nat::var(k))?;
        let mut both = steps.iter().zip(&f.starts);
        Ok(both.all(|(step, start)| {
            let is_fold = matches!(cx.node(*step), Node::Fold(_));
            step == start
                || is_fold && depth < DEEPEST && tried(cx, *step, *start, depth + 1).is_ok()
        }))
    });
    cx.known.restore(mark);
    fixed
}

type At<'a> = (&'a Rc<Tensor>, u32, &'a [Nat]);

/// Notes that two parts of tensors that are compared have to be the same; whether they can be.
fn relates(cx: &mut Values, (p, q): (u32, u32), (r, s): (u32, u32)) -> bool {
    let Some(relation) = cx.relations.last_mut() else {
        return false;
    };
    let pair = match relation.cells {
        (a, b) if (a, b) == (p, r) => (q, s),
        (a, b) if (a, b) == (r, p) => (s, q),
        _ => return false,
    };
    let parts = &mut relation.parts;
    if !parts.contains(&pair) {
        if parts.iter().any(|o| o.0 == pair.0 || o.1 == pair.1) {
            return false;
        }
        parts.push(pair);
    }
    true
}

/// Elements of two states.
fn tensors(cx: &mut Values, x: At, y: At, (a, b): (V, V), depth: u32) -> Res<()> {
    let (f, g) = (x.0, y.0);
    if !cx.known.equal(f.n, g.n) {
        for (long, short, other) in [(x, g, b), (y, f, a)] {
            if let Some(t) = several(cx, long.0, short)? {
                let at = long.2.iter().copied().collect();
                let v = cx.make(Node::Tensor(t, long.1, at));
                return compare(cx, v, other, depth + 1);
            }
        }
        let (short, other) = if cx.known.at_least(g.n, f.n) {
            (y, a)
        } else {
            (x, b)
        };
        return last(cx, short, other, depth);
    }
    let (p, q) = (f.part(x.1)?, g.part(y.1)?);
    indices(cx, p.flat_index(x.2), q.flat_index(y.2), depth)?;
    let places = (p.own_place(), q.own_place());
    let any = cx.make(Node::Tensor(f.clone(), x.1, places.0));
    let other = cx.make(Node::Tensor(g.clone(), y.1, places.1));
    let key = |cx: &Values| (any, other, cx.known.state());
    let mut earlier = cx.known.earlier();
    if earlier.any(|s| cx.states_alike.get(&(any, other, s)) == Some(&true)) {
        return Ok(());
    }
    drop(earlier);
    // Where no case is assumed, if that does, so that it is shown once.
    let done = cx.at_begin(|cx| {
        let key = key(cx);
        let tried = cx.states_alike.contains_key(&key);
        let done = !tried && states(cx, (f, x.1), (g, y.1), depth).is_ok();
        cx.states_alike.insert(key, done);
        done
    });
    if done == Some(true) {
        return Ok(());
    }
    states(cx, (f, x.1), (g, y.1), depth)?;
    cx.states_alike.insert(key(cx), true);
    Ok(())
}

/// Whether all parts of two states that one part of each needs are the same.
fn states(
    cx: &mut Values,
    (f, i): (&Rc<Tensor>, u32),
    (g, j): (&Rc<Tensor>, u32),
    depth: u32,
) -> Res<()> {
    let mut known = vec![(i, j)];
    // The same names again, so that what was found about them is found again.
    let names = cx.compared_cells(cx.relations.len());
    loop {
        let start = Relation {
            cells: names,
            parts: known.clone(),
        };
        cx.relations.push(start);
        let mut done = Ok(());
        for (i, j) in known.clone() {
            done = done.and_then(|()| portions(cx, (f, i), (g, j), &known, names, depth));
        }
        let found = cx.relations.pop().map_or(Vec::new(), |r| r.parts);
        match found.len() > known.len() {
            true => known = found,
            false => return done,
        }
    }
}

/// One in steps of several, as the other has it.
fn several(cx: &mut Values, long: &Rc<Tensor>, short: &Rc<Tensor>) -> Res<Option<Rc<Tensor>>> {
    if !cx.known.at_least(short.n, Nat::int(0)) {
        return Ok(None);
    }
    for by in ratios(long.n, short.n) {
        if let Some(first) = left_over(cx, long.n, short.n, by).filter(|_| by <= SEVERAL) {
            return cx.in_steps_of(long, first, short.n, by).map(Some);
        }
    }
    Ok(None)
}

/// Whether parts of two states start alike and every step makes the same of them, if those that are known to be the same are.
fn portions(
    cx: &mut Values,
    (f, i): (&Rc<Tensor>, u32),
    (g, j): (&Rc<Tensor>, u32),
    known: &[(u32, u32)],
    (common, own): (u32, u32),
    depth: u32,
) -> Res<()> {
    let (p, q) = (f.part(i)?.clone(), g.part(j)?.clone());
    let long = if p.dims.len() >= q.dims.len() { &p } else { &q };
    let places: Vec<Nat> = (1..)
        .zip(&long.dims)
        .map(|(i, d)| cx.compared_index(i, *d))
        .collect();
    let product = |dims: &[Nat]| dims.iter().fold(Nat::int(1), |a, b| a * *b);
    if !cx.known.equal(product(&p.dims), product(&q.dims)) {
        return Err(Stuck::new("states of different sizes"));
    }
    let flat = linear(&long.dims, &places);
    let k = cx.compared_index(0, f.n);
    let (mark, begins) = (cx.known.mark(), cx.begins.len());
    long.dims.iter().for_each(|d| cx.known.positive(*d));
    let done = (|| {
        let of = |cx: &mut Values, p: &Portion| -> Res<Vec<Nat>> {
            match (p.flat, p.dims == long.dims) {
                (true, _) => Ok(vec![p.base + flat]),
                (false, true) => Ok(places.clone()),
                (false, false) => Portion {
                    flat: true,
                    ..p.clone()
                }
                .indices(cx, &[flat]),
            }
        };
        let (at, to) = (of(cx, &p)?, of(cx, &q)?);
        let (x, y) = (cx.first(f, i, &at)?, cx.first(g, j, &to)?);
        compare(cx, x, y, depth + 1)?;
        let step = |cx: &mut Values| {
            cx.begins.push(cx.known.mark());
            let (of, to_of) = (
                flattened(f, common, None),
                flattened(g, own, Some((known, common))),
            );
            let x = cx.step_at(f, (i, &at), k, State::Cells(of))?;
            let y = cx.step_at(g, (j, &to), k, State::Cells(to_of))?;
            compare(cx, x, y, depth + 1)
        };
        // What a step makes of a state does not depend on where that is asked for, if it is shown where nothing is assumed.
        let anywhere = cx.where_nothing_is_assumed(|cx| {
            long.dims.iter().for_each(|d| cx.known.positive(*d));
            step(cx)
        });
        cx.begins.truncate(begins);
        if matches!(anywhere, Some(Ok(()))) {
            return Ok(());
        }
        cx.known.positive(f.n);
        step(cx)
    })();
    cx.begins.truncate(begins);
    cx.known.restore(mark);
    done
}

/// Cells by flat indices, those of the same parts by one name.
fn flattened(t: &Rc<Tensor>, own: u32, same: Option<(&[(u32, u32)], u32)>) -> OfCell {
    let t = t.clone();
    let same = same.map(|(parts, of)| (parts.to_vec(), of));
    Rc::new(move |cx, leaf, at| {
        let flat = cx.simplify(t.part(leaf)?.flat_index(at));
        let pair = same.as_ref().and_then(|(parts, of)| {
            let pair = parts.iter().find(|p| p.1 == leaf)?;
            Some((*of, pair.0))
        });
        let (of, leaf) = pair.unwrap_or((own, leaf));
        Ok(cx.make(Node::Cell(of, leaf, [flat].into_iter().collect())))
    })
}

/// An element of a state is its last step after all before, or the start.
fn last(cx: &mut Values, (t, leaf, at): At, other: V, depth: u32) -> Res<()> {
    if depth > DEEPEST {
        return Err(Stuck::new("choices in each other are too deep"));
    }
    if cx.is_kept(t, leaf, at)? {
        let v = cx.first(t, leaf, at)?;
        let other = cx.refresh(other)?;
        return compare(cx, v, other, depth + 1);
    }
    // What is written out is none of as many steps as are not known.
    let as_long = matches!(cx.node(other), Node::Fold(f) if !few(f));
    let alone = match as_long {
        true => cx.alone(t, leaf, at)?,
        false => None,
    };
    if let Some(v) = alone {
        if tried(cx, v, other, depth + 1).is_ok() {
            return Ok(());
        }
    }
    let some = cx.compare(Op::Lt, Nat::int(0), t.n);
    for holds in [false, true] {
        if cx.decide(some) == Some(!holds) {
            continue;
        }
        let mark = cx.known.mark();
        cx.assume(some, holds);
        let v = match holds {
            true => cx.last(t, leaf, at),
            false => cx.first(t, leaf, at),
        };
        let done = v.and_then(|v| {
            let other = cx.refresh(other)?;
            compare(cx, v, other, depth + 1)
        });
        let never = done.is_err() && cx.absurd();
        cx.known.restore(mark);
        if !never {
            done?;
        }
    }
    Ok(())
}
