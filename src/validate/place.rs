//! Indices as sums of products: their quotients by strides, their places in dimensions.
//!
//! In: flat indices. Out: what they are made of. Absent: what lies there.

use super::value::Values;
use crate::arith::Nat;

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
    [false, true].into_iter().find_map(|rounded| {
        let found = split(cx, e, dims, rounded);
        let inside = found.len() == dims.len()
            && found.iter().zip(dims).all(|(c, d)| {
                cx.known.at_least(*c, Nat::int(0)) && cx.known.at_least(*d - Nat::int(1), *c)
            });
        inside.then_some(found)
    })
}

fn split(cx: &mut Values, e: Nat, dims: &[Nat], rounded: bool) -> Vec<Nat> {
    let mut rest = cx.simplify(e);
    let mut out = Vec::new();
    for d in 1..=dims.len() {
        let stride = dims[d..].iter().fold(Nat::int(1), |a, b| a * *b);
        let stride = cx.simplify(stride);
        let q = match rounded {
            true => cx.known.floor(rest, stride),
            false => cx.known.multiples(rest, stride),
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
