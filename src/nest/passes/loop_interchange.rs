//! Loop interchange: results are written in the order in which they lie in memory.
//!
//! Comes in: a nest; goes out: one in which loops that stand directly in each other are in the order of the steps that they take
//! through what they store, if the innermost one took no constant step and another one does. Rows of what was computed column by
//! column are read and written in order then. Invariant: the same iterations, none of which reads or writes what another one
//! writes, so that whichever loop comes first may be parallel where the first one was. Absent: reductions, whose order is theirs.

use crate::arith::{Atom, Mono, Nat, Rat, Signs};
use crate::index::Facts;
use crate::intern::Symbol;
use crate::nest::{walk, Block, BufId, ExprKind, LoopKind, Nest, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// Puts loops into another order.
pub(super) fn interchange(nest: &mut Nest, facts: &mut Facts) {
    let mut body = std::mem::take(&mut nest.body);
    interchange_in(&mut body, &|b| nest.root(b), facts);
    nest.body = body;
}

fn interchange_in(block: &mut Block, root: &dyn Fn(BufId) -> BufId, facts: &mut Facts) {
    for s in block {
        if let Stmt::If { then, els, .. } = s {
            interchange_in(then, root, facts);
            interchange_in(els, root, facts);
            continue;
        }
        let heads = loops(s);
        for head in &heads {
            facts.range(head.var, 0.into(), head.extent - 1.into());
        }
        // Where a loop has no iteration nothing is stored, in whatever order.
        let known = facts.len();
        for head in &heads {
            facts.not_negative(head.extent - 1.into());
        }
        let better = order(s, &heads, root, facts);
        facts.forget(known);
        if let Some(order) = better {
            reorder(s, &order);
        }
        if let Some(body) = innermost(s) {
            interchange_in(body, root, facts);
        }
    }
}

/// A loop without its body.
#[derive(Clone)]
struct Head {
    var: Symbol,
    extent: Nat,
    kind: LoopKind,
    note: Option<String>,
}

/// The loops that stand directly in each other, outermost first.
fn loops(s: &Stmt) -> Vec<Head> {
    let mut found = Vec::new();
    let mut at = s;
    while let Stmt::For {
        var,
        extent,
        kind,
        body,
        note,
    } = at
    {
        found.push(Head {
            var: *var,
            extent: *extent,
            kind: *kind,
            note: note.clone(),
        });
        match &body[..] {
            [one] => at = one,
            _ => break,
        }
    }
    found
}

/// The body of the innermost of these.
fn innermost(s: &mut Stmt) -> Option<&mut Block> {
    let Stmt::For { body, .. } = s else {
        return None;
    };
    match &body[..] {
        [Stmt::For { .. }] => innermost(&mut body[0]),
        _ => Some(body),
    }
}

fn reorder(s: &mut Stmt, order: &[Head]) {
    let mut at = s;
    for head in order {
        let Stmt::For {
            var,
            extent,
            body,
            note,
            ..
        } = at
        else {
            return;
        };
        (*var, *extent) = (head.var, head.extent);
        *note = head.note.clone();
        match body.first_mut() {
            Some(inner) => at = inner,
            None => return,
        }
    }
}

/// The loops in a better order, if there is one in which the same is computed.
fn order(
    s: &Stmt,
    heads: &[Head],
    root: &dyn Fn(BufId) -> BufId,
    facts: &Facts,
) -> Option<Vec<Head>> {
    let last = heads.last().filter(|_| heads.len() > 1)?;
    let vars: BTreeSet<Symbol> = heads.iter().map(|h| h.var).collect();
    let fixed = |n: Nat| !vars.iter().any(|v| n.mentions(*v));
    let plain = |(at, h): (usize, &Head)| {
        let kind = h.kind == LoopKind::Seq || at == 0 && h.kind == LoopKind::Par;
        kind && fixed(h.extent)
    };
    if !heads.iter().enumerate().all(plain) {
        return None;
    }
    let mut body = std::slice::from_ref(s);
    for _ in heads {
        let [Stmt::For { body: inner, .. }] = body else {
            return None;
        };
        body = inner;
    }
    let stores = stores(body, root)?;
    let step = |h: &Head, n: Nat| n.coefficient(h.var);
    let constant = |h: &Head, n: Nat| step(h, n)?.as_int().filter(|k| *k > 0);
    let mut order = None;
    for indices in stores.values() {
        let first = *indices.first()?;
        let better = (heads.iter()).any(|h| constant(h, first).is_some());
        if constant(last, first).is_some() || !better {
            return None;
        }
        let sorted = by_steps(indices, heads, facts)?;
        if order.get_or_insert_with(|| sorted.clone()) != &sorted {
            return None;
        }
    }
    let order = order?;
    Some(order.iter().map(|at| heads[*at].clone()).collect())
}

/// The indices of what a body stores, by buffers; `None` if iterations may depend on each other otherwise.
fn stores(body: &[Stmt], root: &dyn Fn(BufId) -> BufId) -> Option<BTreeMap<BufId, Vec<Nat>>> {
    let (mut own, mut assigned) = (BTreeSet::new(), BTreeSet::new());
    let (mut own_buffers, mut loads) = (BTreeSet::new(), BTreeSet::new());
    let mut stores: BTreeMap<BufId, Vec<Nat>> = BTreeMap::new();
    let mut fine = true;
    walk::each_stmt(body, &mut |s| {
        own.extend(walk::declared(s));
        match s {
            Stmt::Assign { var, .. } => {
                assigned.insert(*var);
            }
            Stmt::Alloc(b) => {
                own_buffers.insert(*b);
            }
            Stmt::Store {
                buf, index, value, ..
            } => {
                fine &= value.shape().lanes == 1;
                stores.entry(root(*buf)).or_default().push(*index);
            }
            _ => {}
        }
        if let Some(e) = walk::exprs(s) {
            e.visit(&mut |e| {
                if let ExprKind::Load(b, _) = e.kind() {
                    loads.insert(root(*b));
                }
            });
        }
    });
    stores.retain(|b, _| !own_buffers.contains(b));
    fine &= assigned.is_subset(&own) && !stores.is_empty();
    fine &= !stores.keys().any(|b| loads.contains(b));
    let inside = |n: &Nat| own.iter().any(|v| n.mentions(*v));
    fine &= !stores.values().flatten().any(inside);
    fine.then_some(stores)
}

/// The places of the loops, those of the largest steps first, if no two iterations store to the same place: each step is at least as long as
/// all shorter ones together reach, as of digits of a number.
fn by_steps(indices: &[Nat], heads: &[Head], facts: &Facts) -> Option<Vec<usize>> {
    let first = *indices.first()?;
    let mut digits: Vec<(Option<usize>, Nat, Nat)> = Vec::new();
    for (at, h) in heads.iter().enumerate() {
        digits.push((Some(at), first.coefficient(h.var)?, h.extent));
    }
    // Several stores of one iteration are a digit, too.
    let mut offsets: Vec<Nat> = Vec::new();
    for n in indices {
        let same = (heads.iter()).all(|h| n.coefficient(h.var) == first.coefficient(h.var));
        let offset = *n - first;
        let fixed = same && !heads.iter().any(|h| offset.mentions(h.var));
        if !fixed || offsets.contains(&offset) {
            return None;
        }
        offsets.push(offset);
    }
    if let [_, step, rest @ ..] = &offsets[..] {
        let multiple = |(i, n): (usize, &Nat)| *n == Nat::int(i as i64 + 2) * *step;
        if !rest.iter().enumerate().all(multiple) {
            return None;
        }
        digits.push((None, *step, Nat::int(offsets.len() as i64)));
    }
    // A multiple by products of extents, none of which is 0, is as long, too.
    let is_extent = |(a, power): (Atom, i32)| {
        let of = Nat::atom(a);
        power > 0 && heads.iter().any(|h| h.extent == of)
    };
    let times = |q: Nat| {
        let product =
            |(m, c): &(Mono, Rat)| m.factors().all(is_extent) && c.as_int().is_some_and(|c| c > 0);
        q != Nat::int(0) && q.terms().iter().all(product)
    };
    let is_as_long =
        |step: Nat, other: Nat| facts.at_least(step, other) || times(step.exact_div(other));
    let mut sorted = Vec::new();
    let mut reach = Nat::int(1);
    while !digits.is_empty() {
        let next = (digits.iter()).position(|(at, step, count)| {
            let rest = digits.iter().filter(|d| d.0 != *at);
            is_as_long(*step, reach) && (rest.into_iter()).all(|d| is_as_long(d.1, *step * *count))
        })?;
        let (at, step, count) = digits.remove(next);
        reach = step * count;
        sorted.extend(at);
    }
    sorted.reverse();
    Some(sorted)
}
