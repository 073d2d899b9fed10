//! Indices as sums of products: their quotients by strides, their places in dimensions.
//!
//! In: flat indices. Out: what they are made of. Absent: what lies there.

use super::value::Values;
use crate::arith::{Nat, Rat};

/// The indices of an element in an array of these dimensions, if they are known to be inside of it.
pub fn coordinates(cx: &mut Values, e: Nat, dims: &[Nat]) -> Option<Vec<Nat>> {
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
            false => multiples(rest, stride),
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

/// The quotient of a number by a stride, as sums are divided: by the term of the stride with the most factors.
pub fn multiples(n: Nat, stride: Nat) -> Nat {
    let terms = stride.terms();
    let Some((m, c)) = terms.iter().max_by_key(|(m, _)| m.factors().count()) else {
        return Nat::int(0);
    };
    let (mut rest, mut sum) = (n, Nat::int(0));
    // Each round takes the largest terms away.
    for _ in 0..4 {
        let parts = rest.terms().into_iter().filter_map(|(tm, tc)| {
            let (qm, qc): (_, Rat) = (tm.div(m), tc.div(*c)?);
            (qm.is_integral() && qc.as_int().is_some()).then_some((qm, qc))
        });
        let q = Nat::from_terms(parts);
        if q == Nat::int(0) {
            break;
        }
        sum = sum + q;
        rest = rest - q * stride;
        if terms.len() == 1 {
            break;
        }
    }
    sum
}
