//! Whether iterations of a loop store different elements.
//!
//! In: what one iteration stores. Out: yes, or why that is not known. Invariant: as of Note [Witnesses] of `memory`: an index says by its
//! quotients which iteration it is of. Absent: what is stored.

use super::memory::{assume_path, leaves, strides, Around, Item, Leaf};
use super::place::coordinates;
use super::value::{Res, Values};
use super::Stuck;
use crate::arith::Nat;
use crate::intern::Symbol;

/// Whether iterations of a loop store different elements: whoever knows an element knows the iteration.
pub fn disjoint(cx: &mut Values, items: &[Item], (k, n): (Symbol, Nat), dims: &[Nat]) -> Res<()> {
    let all = leaves(items);
    let stores: Vec<(&Leaf, Nat)> = (all.iter())
        .filter_map(|l| match &l.is {
            Item::Store(s) => Some((l, s.at)),
            _ => None,
        })
        .collect();
    if all.iter().any(|l| matches!(l.is, Item::Bad(_))) {
        return Err(Stuck::new("what they store is not known"));
    }
    if by_digits(cx, &stores, (k, n)) {
        return Ok(());
    }
    let mut of = Vec::new();
    for (leaf, at) in &stores {
        let mark = cx.known.mark();
        assume_path(cx, &leaf.path);
        of.push(coordinates(cx, *at, dims));
        cx.known.restore(mark);
    }
    // In one of the dimensions, or in the flat index.
    let whole = of.iter().all(Option::is_some);
    let ways = if whole { dims.len() } else { 0 };
    for way in 0..=ways {
        let coordinate = |i: usize| match (&of[i], way < ways) {
            (Some(c), true) => c.get(way).copied(),
            _ => Some(stores[i].1),
        };
        let mut block = None;
        let mut fine = true;
        for (i, (leaf, _)) in stores.iter().enumerate() {
            cx.spend(1)?;
            let by = coordinate(i).and_then(|c| Some((c, c.coefficient(k)?)));
            let Some((c, by)) = by.filter(|(_, s)| s.as_int() != Some(0) && !cx.mentions(*s, k))
            else {
                fine = false;
                break;
            };
            // What the loops around add is the same in all iterations.
            let inner: Vec<Symbol> = leaf.loops().map(|l| l.0).chain([k]).collect();
            let own = |cx: &Values, n: Nat| inner.iter().any(|v| cx.mentions(n, *v));
            let around = c.terms().into_iter().filter(|(m, c)| {
                let term = Nat::from_terms([(m.clone(), *c)]);
                !m.is_one() && !own(cx, term)
            });
            let around = Nat::from_terms(around);
            let mark = cx.known.mark();
            assume_path(cx, &leaf.path);
            let (by, around, _) = *block.get_or_insert((by, around, None));
            let q = cx.known.floor(c - around, by);
            // The first iteration may begin further on, as that of all others.
            let first = cx.simplify(q - Nat::var(k));
            let (_, _, shift) = block.get_or_insert((by, around, None));
            let shift = *shift.get_or_insert(first);
            fine = !cx.mentions(by, k) && !own(cx, shift) && cx.known.equal(first, shift);
            cx.known.restore(mark);
            if !fine {
                break;
            }
        }
        if fine {
            return Ok(());
        }
    }
    Err(Stuck::new("two iterations may store the same element"))
}

/// Whether the indices of all stores say the iteration by the same quotients, see Note [Witnesses].
fn by_digits(cx: &mut Values, stores: &[(&Leaf, Nat)], (k, n): (Symbol, Nat)) -> bool {
    let mut common: Option<Vec<(Nat, Nat)>> = None;
    for (leaf, at) in stores {
        let mut leaf = (*leaf).clone();
        leaf.path.insert(0, Around::Loop(k, n));
        let Ok(found) = strides(cx, &leaf, &[*at], None) else {
            return false;
        };
        let vars = &found[0].vars;
        let Some(last) = vars.iter().position(|v| v.0 == k) else {
            return false;
        };
        let own: Vec<_> = vars[..=last].iter().map(|v| (v.1, v.2)).collect();
        let common = common.get_or_insert_with(|| own.clone());
        let same = |(a, b): (&(Nat, Nat), &(Nat, Nat))| {
            cx.known.equal(a.0, b.0) && cx.known.equal(a.1, b.1)
        };
        if common.len() != own.len() || !common.iter().zip(&own).all(same) {
            return false;
        }
    }
    true
}
