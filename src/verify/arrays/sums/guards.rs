//! Items that are combined only where something holds of their loops.
//!
//! In: a question about several loops that decides what a step combines, such as whether `k*i + j` is inside of an array
//! that is padded to whole blocks. Out: the items of both cases, each under a guard; items without the guards that bounds
//! of loops can say. Invariant: an item stands for the same values before and after. Absent: pairing (`sums`).

use super::super::context::{Context, Question, Res};
use super::super::value::{Fold, Head, Neutral, Step, Val};
use super::super::{equal, fold};
use super::rename::variable;
use super::{step, Algebra, Item, MOST};
use crate::arith::Nat;
use crate::intern::Symbol;

/// Questions within questions.
const DEEP: u32 = 4;

/// A step of a reduction.
pub struct Inside<'a> {
    pub algebra: &'a Algebra,
    pub f: &'a Fold,
    pub at: Nat,
    /// How many indices had a name before it.
    pub since: usize,
}

/// What a step combines in both cases of a question.
pub fn guarded(
    cx: &mut Context,
    inside: &Inside,
    loops: &[(Symbol, Nat)],
    q: Nat,
    depth: u32,
) -> Res<Option<Vec<Item>>> {
    // What was named within the step differs from step to step: the item tells what it is.
    let known_outside = loops.last().is_some_and(|l| {
        let named = cx.names_from(inside.since);
        let own = named.iter().filter(|(_, name)| mentions(q, *name));
        let rest = own.fold(q, |rest, (_, name)| without(rest, *name));
        !cx.mentions_later(rest, l.0)
    });
    if depth > DEEP || !known_outside || !cx.is_whole(q) {
        return Ok(None);
    }
    let mut all = Vec::new();
    for guard in [q, Nat::int(-1) - q] {
        let known = cx.known();
        cx.suppose(guard);
        let items = match step(cx, inside.algebra, inside.f, inside.at) {
            Ok(Ok(items)) => {
                let named = cx.names_from(inside.since);
                let all = items.into_iter();
                Ok(Some(all.map(|item| item.inside(loops, &named)).collect()))
            }
            Ok(Err(Some(Question::NotNegative(q)))) => guarded(cx, inside, loops, q, depth + 1),
            Ok(Err(_)) => Ok(None),
            Err(stuck) => Err(stuck),
        };
        cx.restore(known);
        let Some(mut items) = items? else {
            return Ok(None);
        };
        for item in &mut items {
            item.guards.push(guard);
        }
        all.extend(items);
    }
    Ok((all.len() <= MOST).then_some(all))
}

/// Whether a name stands in an expression.
fn mentions(n: Nat, name: Nat) -> bool {
    variable(name).is_some_and(|v| n.mentions(v))
}

/// The expression with a number in place of a name.
fn without(n: Nat, name: Nat) -> Nat {
    match variable(name) {
        Some(v) => n.subst_var(v, Nat::int(0)),
        None => n,
    }
}

/// Makes names of the second item those of the first where they name the same index, by what is known of the loops of both.
pub fn identified(cx: &mut Context, x: &Item, y: &Item) {
    for (index, name) in &y.named {
        let Some(var) = variable(*name) else { continue };
        let same = x.named.iter().find(|(other, known)| {
            known != name && other.ty() == index.ty() && equal::same(cx, other, index)
        });
        if let Some((_, known)) = same {
            cx.define(var, *known);
        }
    }
}

/// Whether an index is the same in all iterations of a loop; of what is not looked into that is not known.
pub fn is_fixed(cx: &Context, item: &Item, index: &Neutral, var: Symbol) -> bool {
    let number = |n: Nat| {
        let n = cx.simplify(n);
        let mut named = item.named.iter().filter(|(_, name)| mentions(n, *name));
        !n.mentions(var) && named.all(|(other, _)| is_fixed(cx, item, other, var))
    };
    let head = match &index.head {
        Head::Fresh(_) | Head::Lit(_) | Head::Zero | Head::Prim(_) => true,
        Head::Hole(_, captured) => captured.is_empty(),
        Head::Fold(_) => false,
    };
    head && index.spine.iter().all(|(step, _)| match step {
        Step::At(n) | Step::Apply(Val::Index(n), _) => number(*n),
        Step::Apply(Val::Neutral(x), _) => is_fixed(cx, item, x, var),
        Step::Apply(..) => false,
        Step::Fst | Step::Snd => true,
    })
}

/// The item without a loop over all places, of which guards leave the one that an index names.
fn at_named(cx: &Context, item: &Item) -> Option<Item> {
    for (place, (var, n)) in item.loops.iter().enumerate() {
        for (index, name) in &item.named {
            let by = *name - Nat::var(*var);
            let guard = |wanted: Nat| {
                let mut all = item.guards.iter();
                all.position(|g| cx.simplify(*g - wanted).as_int() == Some(0))
            };
            let (Some(below), Some(above)) = (guard(by), guard(Nat::int(0) - by)) else {
                continue;
            };
            let alone = !item.loops.iter().any(|l| cx.simplify(l.1).mentions(*var));
            let inside = alone && cx.is_not_negative(*n - Nat::int(1) - *name);
            if inside && is_fixed(cx, item, index, *var) {
                let mut one = item.with(place, *name, &[]);
                let mut at = 0;
                one.guards.retain(|_| {
                    at += 1;
                    at != below + 1 && at != above + 1
                });
                return Some(one);
            }
        }
    }
    None
}

/// Whether the guards of each hold where those of the other do.
pub fn agree(cx: &mut Context, x: &Item, y: &Item) -> bool {
    [(x, y), (y, x)].into_iter().all(|(given, asked)| {
        let known = cx.known();
        for g in &given.guards {
            cx.suppose(*g);
        }
        let implied = asked.guards.iter().all(|g| cx.is_not_negative(*g));
        cx.restore(known);
        implied
    })
}

/// Items with bounds of loops instead of guards, where that says the same; without those that are never combined.
pub fn settled(cx: &mut Context, items: Vec<Item>) -> Vec<Item> {
    let mut all = Vec::new();
    for mut item in items {
        loop {
            let known = cx.known();
            item.assumed(cx);
            let next = if item.guards.is_empty() {
                Next::Done
            } else {
                simpler(cx, &item)
            };
            cx.restore(known);
            match next {
                Next::Done => all.push(item),
                Next::Never => {}
                Next::Item(next) => {
                    item = *next;
                    continue;
                }
            }
            break;
        }
    }
    all
}

enum Next {
    Done,
    Never,
    Item(Box<Item>),
}

/// The item with one guard less, or with one loop instead of two; what holds inside of it is known.
fn simpler(cx: &mut Context, item: &Item) -> Next {
    if let Some(one) = at_named(cx, item) {
        return Next::Item(Box::new(one));
    }
    for (at, g) in item.guards.iter().enumerate() {
        let g = cx.simplify(*g);
        if cx.is_not_negative(Nat::int(-1) - g) {
            return Next::Never;
        }
        let mut without = item.clone();
        without.guards.remove(at);
        if cx.is_not_negative(g) {
            return Next::Item(Box::new(without));
        }
        for (place, (v, n)) in item.loops.iter().enumerate() {
            if let Some(bounded) = bounded(cx, &without, g, place, *v, *n) {
                return Next::Item(Box::new(bounded));
            }
        }
    }
    for g in &item.guards {
        let g = cx.simplify(*g);
        for inner in 0..item.loops.len() {
            for outer in 0..item.loops.len() {
                if inner != outer && blocked(cx, item, g, inner, outer) {
                    return Next::Item(Box::new(merged(cx, item, inner, outer)));
                }
            }
        }
    }
    Next::Done
}

/// The item without a guard that bounds one loop by what no other loop says.
fn bounded(
    cx: &mut Context,
    without: &Item,
    g: Nat,
    place: usize,
    v: Symbol,
    n: Nat,
) -> Option<Item> {
    let bound = fold::threshold(cx, g, v, n)?;
    if without.loops.iter().any(|l| bound.mentions(l.0)) {
        return None;
    }
    let mut item = without.clone();
    match g.coefficient(v)?.as_int()? {
        // v < bound
        -1 => item.loops[place].1 = bound,
        // v >= bound
        _ => {
            let i = cx.symbol();
            item = without.with(place, bound + Nat::var(i), &[(i, n - bound)]);
        }
    }
    Some(item)
}

/// Whether a guard depends on two loops as on one over blocks: on `k*outer + inner`, where `inner < k`.
fn blocked(cx: &Context, item: &Item, g: Nat, inner: usize, outer: usize) -> bool {
    let ((u, k), (v, n)) = (item.loops[inner], item.loops[outer]);
    let (Some(by), Some(most)) = (g.coefficient(u), g.coefficient(v)) else {
        return false;
    };
    let free = |n: Nat| !item.loops.iter().any(|l| n.mentions(l.0));
    matches!(by.as_int(), Some(1 | -1))
        && free(k)
        && free(n)
        && cx.is_not_negative(k - Nat::int(1))
        && cx.same_nat(most, by * k)
}

fn merged(cx: &mut Context, item: &Item, inner: usize, outer: usize) -> Item {
    let ((u, k), (v, n)) = (item.loops[inner], item.loops[outer]);
    let c = cx.symbol();
    let mut one = item.clone();
    one.loops.retain(|l| l.0 != u && l.0 != v);
    one.loops.push((c, k * n));
    one.defined.push((u, Nat::var(c).rem(k)));
    one.defined.push((v, Nat::var(c).floor_div(k)));
    one
}
