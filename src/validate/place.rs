//! Indices as sums of products: their quotients by strides, their places in dimensions.
//!
//! In: flat indices. Out: what they are made of. Absent: what lies there.

use super::parts::gcd;
use super::value::Values;
use crate::arith::Nat;

/// Constants in strides of which each part is tried, at most.
const LARGEST: i64 = 1 << 12;

/// The indices of an element in an array of these dimensions, if they are known to be inside of it.
pub fn coordinates(cx: &mut Values, e: Nat, dims: &[Nat]) -> Option<Vec<Nat>> {
    let key = (e, dims.to_vec(), cx.known.state());
    if let Some(found) = cx.places.get(&key) {
        return found.clone();
    }
    let found = coordinates_anew(cx, e, dims);
    cx.places.insert(key, found.clone());
    found
}

fn coordinates_anew(cx: &mut Values, e: Nat, dims: &[Nat]) -> Option<Vec<Nat>> {
    [Way::Multiples, Way::Rounded, Way::Steps]
        .into_iter()
        .find_map(|way| {
            let found = split(cx, e, dims, way);
            let inside = found.len() == dims.len()
                && found.iter().zip(dims).all(|(c, d)| {
                    cx.known.at_least(*c, Nat::int(0)) && cx.known.at_least(*d - Nat::int(1), *c)
                });
            inside.then_some(found)
        })
}

/// How quotients by strides are looked for.
#[derive(Copy, Clone)]
enum Way {
    Multiples,
    Rounded,
    Steps,
}

fn split(cx: &mut Values, e: Nat, dims: &[Nat], way: Way) -> Vec<Nat> {
    let mut rest = cx.simplify(e);
    let mut out = Vec::new();
    for d in 1..=dims.len() {
        let stride = dims[d..].iter().fold(Nat::int(1), |a, b| a * *b);
        let stride = cx.simplify(stride);
        let q = match way {
            Way::Multiples => cx.known.multiples(rest, stride),
            Way::Rounded => cx.known.floor(rest, stride),
            Way::Steps => match in_steps(cx, rest, stride) {
                Some(q) => q,
                None => cx.known.floor(rest, stride),
            },
        };
        out.push(q);
        rest = cx.simplify(rest - q * stride);
    }
    // What is left of no dimension is to be 0; it is added where it is seen to be none.
    if let Some(last) = out.last_mut() {
        *last = *last + rest;
    } else if rest != Nat::int(0) {
        out.push(rest);
    }
    out
}

/// The quotient by a product with a constant, as that by the constant of the quotient by the rest: where what is stored is split in
/// other places than the array.
fn in_steps(cx: &mut Values, n: Nat, stride: Nat) -> Option<Nat> {
    let whole = common(stride)?;
    (2..=whole).filter(|k| whole % k == 0).find_map(|k| {
        let part = stride.exact_div(Nat::int(k));
        let q = cx.known.multiples(n, part);
        let rest = n - q * part;
        let below = part - Nat::int(1);
        let fits = cx.known.at_least(rest, Nat::int(0)) && cx.known.at_least(below, rest);
        fits.then(|| cx.known.floor(q, Nat::int(k)))
    })
}

/// The largest constant of which a number is a multiple, if that is not too large.
fn common(n: Nat) -> Option<i64> {
    let mut all = 0;
    for (_, c) in n.terms().iter() {
        all = gcd(all, c.as_int()?);
    }
    (2..=LARGEST).contains(&all).then_some(all)
}
