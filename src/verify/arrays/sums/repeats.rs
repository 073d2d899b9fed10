//! What an idempotent operator combines again.
//!
//! In: items of an operator for which it is one whether something is combined once or again. Out: those without what others
//! have combined already. Invariant: a list of items stands for the same value before and after. Absent: single values, which are
//! compared by laws.

use super::super::context::Context;
use super::super::equal;
use super::super::value::{Head, Neutral, Val};
use super::guards::is_fixed;
use super::{rename, same_factors, same_item, Item};
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::term::Op;
use crate::ty::Ty;

/// Without items that an idempotent operator has combined already, loops of one that stands alone as well included. That
/// `op (op a x) x` is `op a x` says nothing of `op x x`, so another item has to be there, unless the operator is a lattice's.
pub fn without_repeats(cx: &mut Context, ty: Ty, items: Vec<Item>, of: &Neutral) -> Vec<Item> {
    // Single values are compared by laws.
    if items.iter().all(Item::is_single) || !equal::is_idempotent(cx, of) {
        return items;
    }
    let lattice =
        matches!(&of.head, Head::Prim(p) if matches!(p.op(), Op::Min | Op::Max | Op::And | Op::Or));
    let mut items = items;
    for at in 0..items.len() {
        while lattice || is_one_of_many(cx, &items, at, at) {
            match once(cx, &items[at]) {
                Some(once) => items[at] = once,
                None => break,
            }
        }
    }
    // First what stands in loops, so that single values are there for it to be combined with.
    let items = without(items, |items, at| {
        let mut others = (0..items.len()).filter(|j| *j != at);
        !items[at].is_single()
            && others.any(|j| {
                (lattice || is_one_of_many(cx, items, at, j))
                    && is_part_of(cx, ty, &items[at], &items[j])
            })
    });
    without(items, |items, at| {
        let mut others = (0..items.len()).filter(|j| *j != at);
        others.any(|j| {
            (lattice || is_one_of_many(cx, items, at, j))
                && (same_item(cx, ty, &items[at], &items[j])
                    || items[j].is_single() && same_values(cx, ty, &items[at], &items[j]))
        })
    })
}

/// Without those that are there again, one after the other: what is left is asked.
fn without(mut items: Vec<Item>, mut again: impl FnMut(&[Item], usize) -> bool) -> Vec<Item> {
    let mut at = 0;
    while at < items.len() {
        match again(&items, at) {
            true => drop(items.remove(at)),
            false => at += 1,
        }
    }
    items
}

/// Whether an item is what another one has in the first or in the last iteration of one of its loops.
fn is_part_of(cx: &mut Context, ty: Ty, part: &Item, of: &Item) -> bool {
    (0..of.loops.len()).any(|at| {
        let last = of.loops[at].1 - Nat::int(1);
        let mut ends = [Nat::int(0), last].into_iter();
        cx.is_not_negative(last)
            && ends.any(|end| is_iteration(cx, ty, part, &of.with(at, end, &[]), of))
    })
}

/// Whether an item is one iteration of a loop of another one.
fn is_iteration(cx: &mut Context, ty: Ty, part: &Item, one: &Item, of: &Item) -> bool {
    if one.is_single() && same_values(cx, ty, part, one) {
        return true;
    }
    if one.guards.len() != part.guards.len() {
        return false;
    }
    if one.loops != part.loops || part.defined != of.defined {
        return same_item(cx, ty, part, one);
    }
    // The other loops are the same ones.
    let known = cx.known();
    one.assumed(cx);
    let alike = part.guards.is_empty() && same_factors(cx, ty, part, one);
    cx.restore(known);
    alike
}

/// Whether something is combined besides two items.
fn is_one_of_many(cx: &Context, items: &[Item], one: usize, other: usize) -> bool {
    let mut all = Nat::int(0);
    for (i, item) in items.iter().enumerate() {
        if i != one && i != other && item.guards.is_empty() {
            let each = item.loops.iter().map(|l| l.1);
            all = all + each.fold(Nat::int(1), |n, m| n * m);
        }
    }
    cx.is_not_negative(all - Nat::int(1))
}

/// Whether an item has the one value of another in all its loops.
fn same_values(cx: &mut Context, ty: Ty, item: &Item, one: &Item) -> bool {
    let apart = match item.shares_variables(one) {
        true => rename::apart(cx, one),
        false => Some(one.clone()),
    };
    let Some(one) = &apart else { return false };
    let known = cx.known();
    item.assumed(cx);
    one.assumed(cx);
    for g in &item.guards {
        cx.suppose(*g);
    }
    let alike = same_factors(cx, ty, item, one);
    cx.restore(known);
    alike
}

/// The item without a loop that has an iteration and on which nothing in it depends: of what is combined again and again, once.
fn once(cx: &mut Context, item: &Item) -> Option<Item> {
    // Inside of the loops all of them have iterations.
    let some = |(_, n): &(Symbol, Nat)| cx.is_not_negative(*n - Nat::int(1));
    let runs: Vec<bool> = item.loops.iter().map(some).collect();
    let known = cx.known();
    item.assumed(cx);
    let idle = (0..item.loops.len()).find(|at| {
        let var = item.loops[*at].0;
        let free = |n: &Nat| !cx.simplify(*n).mentions(var);
        runs[*at]
            && item.loops.iter().all(|l| free(&l.1))
            && item.guards.iter().all(free)
            && item.factors.iter().all(|f| match f {
                Val::Neutral(f) => is_fixed(cx, item, f, var),
                _ => false,
            })
    });
    cx.restore(known);
    idle.map(|at| item.with(at, Nat::int(0), &[]))
}
