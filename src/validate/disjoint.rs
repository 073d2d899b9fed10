//! Whether iterations of a loop store different elements.
//!
//! In: what one iteration stores. Out: yes, or why that is not known. Invariant: as of Note [Witnesses] of `strides`: an index says by its
//! quotients which iteration it is of. Absent: what is stored.

use super::items::{assume_path, leaves, Around, Item, Leaf};
use super::place::coordinates;
use super::strides::{strides, Digit};
use super::system::is_integer;
use super::value::{Res, Values};
use super::Stuck;
use crate::arith::{gcd, Nat, Rat};
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
    if by_digits(cx, &stores, (k, n)) || by_distance(cx, &stores, (k, n)) {
        return Ok(());
    }
    // Rows of the last dimensions may be one row, as joined ones are.
    let joined = (1..dims.len().saturating_sub(1)).map(|at| {
        let (first, rest) = dims.split_at(at);
        let row = rest.iter().fold(Nat::int(1), |n, d| n * *d);
        [first, &[row]].concat()
    });
    let all = std::iter::once(dims.to_vec()).chain(joined);
    for dims in all.chain(in_rows(dims)) {
        if by_dimensions(cx, &stores, k, &dims)? {
            return Ok(());
        }
    }
    Err(Stuck::new("two iterations may store the same element"))
}

/// A flat array as rows of as many elements as each of its sizes counts.
fn in_rows(dims: &[Nat]) -> Option<Vec<Nat>> {
    let [len] = dims else { return None };
    let by = (len.terms().iter()).try_fold(0, |by, (_, c)| Some(gcd(by, c.as_int()?.into())))?;
    let row = Nat::int(i64::try_from(by).ok().filter(|by| *by > 1)?);
    Some(vec![len.exact_div(row), row])
}

/// Whether the quotient of one of the coordinates, or of the flat index, is the iteration.
fn by_dimensions(cx: &mut Values, stores: &[(&Leaf, Nat)], k: Symbol, dims: &[Nat]) -> Res<bool> {
    let mut of = Vec::new();
    for (leaf, at) in stores {
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
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether elements that are stored side by side lie so far apart that no other iteration comes there, or between those of all others.
fn by_distance(cx: &mut Values, stores: &[(&Leaf, Nat)], (k, n): (Symbol, Nat)) -> bool {
    let mut first: Option<(i64, Nat)> = None;
    let mut places = Vec::new();
    for (leaf, at) in stores {
        let Some(by) = at.coefficient(k).and_then(Nat::as_int).filter(|by| *by > 0) else {
            return false;
        };
        let rest = *at - Nat::int(by) * Nat::var(k);
        let (of, start) = *first.get_or_insert((by, rest));
        let from_first = cx.simplify(rest - start);
        let inner: Vec<Symbol> = leaf.loops().map(|l| l.0).chain([k]).collect();
        let own = inner.iter().any(|v| cx.mentions(rest, *v));
        if by != of || own || !is_integer(from_first) {
            return false;
        }
        places.push(from_first);
    }
    let by = first.map_or(1, |f| f.0);
    let apart = |a: Nat, b: Nat| {
        let (mut rows, mut rest) = (Nat::int(0), 0);
        for (m, c) in (b - a).terms() {
            let Some(c) = c.as_int() else { return false };
            match m.is_one() {
                true => rest = c,
                false if c % by != 0 => return false,
                false => rows = rows + Nat::from_terms([(m, Rat::int(c / by))]),
            }
        }
        let rows = rows + Nat::int(rest.div_euclid(by));
        let far = |rows| cx.known.at_least(rows, n);
        rest.rem_euclid(by) != 0 || rows == Nat::int(0) || far(rows) || far(Nat::int(0) - rows)
    };
    let mut pairs = (0..places.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.all(|(i, j)| apart(places[i], places[j]))
}

/// Whether the indices of all stores say the iteration by the same quotients, see Note [Witnesses] of `strides`.
fn by_digits(cx: &mut Values, stores: &[(&Leaf, Nat)], (k, n): (Symbol, Nat)) -> bool {
    let mut common: Option<Vec<Digit>> = None;
    for (leaf, at) in stores {
        let mut leaf = (*leaf).clone();
        leaf.path.insert(0, Around::Loop(k, n));
        let Ok(found) = strides(cx, &leaf, &[*at], None) else {
            return false;
        };
        let digits = &found[0].digits;
        let Some(last) = digits.iter().position(|d| d.var == k) else {
            return false;
        };
        let own = digits[..=last].to_vec();
        let common = common.get_or_insert_with(|| own.clone());
        let same = |(a, b): (&Digit, &Digit)| {
            let from_end = match (a.mirrored, b.mirrored) {
                (Some(m), Some(n)) => cx.known.equal(m, n),
                (a, b) => a == b,
            };
            from_end && cx.known.equal(a.stride, b.stride) && cx.known.equal(a.whole, b.whole)
        };
        if common.len() != own.len() || !common.iter().zip(&own).all(same) {
            return false;
        }
    }
    true
}
