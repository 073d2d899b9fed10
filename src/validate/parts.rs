//! What numbers are made of: common factors, minima, quotients by strides.
//!
//! In: numbers. Out: their parts, whatever is known of them. Absent: what is known (`known`).

use super::system::is_integer;
use crate::arith::{Atom, AtomKind, Mono, Nat, Rat};
use crate::intern::Symbol;
use std::collections::BTreeMap;

/// A factor of all terms of a sum, and what it is multiplied by.
pub fn factor(n: Nat) -> Option<(Atom, Nat)> {
    let terms = n.terms();
    let ((first, _), others) = terms.split_first().filter(|t| !t.1.is_empty())?;
    let in_all = |a: Atom| {
        others
            .iter()
            .all(|(m, _)| m.factors().any(|f| f.0 == a && f.1 > 0))
    };
    let (a, _) = first.factors().find(|(a, e)| *e > 0 && in_all(*a))?;
    let by = Mono::atom(a);
    let rest = terms.iter().map(|(m, c)| (m.div(&by), *c));
    Some((a, Nat::from_terms(rest)))
}

/// A factor of a product, and the others.
pub fn first_factor(n: Nat) -> Option<(Atom, Nat)> {
    let terms = n.terms();
    let [(m, c)] = &terms[..] else { return None };
    let (a, _) = m.factors().find(|(_, e)| *e > 0)?;
    Some((a, Nat::from_terms([(m.div(&Mono::atom(a)), *c)])))
}

/// What all terms of a sum but the constant are multiples of, and the constant; more than 1.
fn content(n: Nat) -> Option<(i64, i64)> {
    let (mut all, mut constant) = (0, 0);
    for (m, c) in n.terms().iter() {
        match m.is_one() {
            true => constant = c.as_int()?,
            false => all = gcd(all, c.as_int()?),
        }
    }
    (all > 1).then_some((all, constant))
}

pub fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 {
        a.abs()
    } else {
        gcd(b, a % b)
    }
}

/// `6*i - 5 >= 0` is `i - 1 >= 0`.
pub fn tightened(n: Nat) -> Nat {
    let whole = || n.terms().iter().all(|(m, _)| m.is_integral());
    match content(n).filter(|_| whole()) {
        Some((by, constant)) => {
            let rest = (n - Nat::int(constant)).exact_div(Nat::int(by));
            rest + Nat::int(constant.div_euclid(by))
        }
        None => n,
    }
}

/// `floor(x, 32) - 2 >= 0` is `x - 64 >= 0`, `2 - floor(x, n) >= 0` is `3*n - 1 - x >= 0`: that, and what divides, which has to be
/// positive.
pub fn undivided(n: Nat) -> Option<(Nat, Nat)> {
    let mut found = None;
    n.each_atom(&mut |a| {
        if let AtomKind::Floor(x, by) = a.kind() {
            found = found.or(Some((a, x, by)));
        }
    });
    let (atom, x, by) = found?;
    let least = n - Nat::atom(atom);
    let most = n + Nat::atom(atom);
    match (least.as_int(), most.as_int()) {
        (Some(_), _) => Some((x + by * least, by)),
        // Of a constant divisor rules know that.
        (_, Some(_)) if by.as_int().is_none() && is_integer(x) => {
            Some((by * (most + Nat::int(1)) - Nat::int(1) - x, by))
        }
        _ => None,
    }
}

/// The first remainder by a constant that a number has more of: it, what it is of, what divides.
pub fn remainder(n: Nat) -> Option<(Atom, Nat, Nat)> {
    n.terms().iter().find_map(|(m, c)| {
        let mut factors = m.factors();
        let (Some((atom, 1)), None) = (factors.next(), factors.next()) else {
            return None;
        };
        match atom.kind() {
            AtomKind::Mod(x, by) if *c > Rat::ZERO && by.as_int() > Some(0) => Some((atom, x, by)),
            _ => None,
        }
    })
}

/// The same equation with the smallest factors; none if nothing makes it true.
pub fn primitive(n: Nat) -> Option<Nat> {
    match content(n) {
        Some((by, constant)) if constant % by == 0 => Some(n.exact_div(Nat::int(by))),
        Some(_) => None,
        None => Some(n),
    }
}

/// The first minimum or maximum in a number, and its sides.
pub type Choice = Option<(Atom, Nat, Nat)>;

pub fn choice(n: Nat) -> Choice {
    let mut found = None;
    n.each_atom(&mut |a| {
        if let AtomKind::Min(x, y) | AtomKind::Max(x, y) = a.kind() {
            found = found.or(Some((a, x, y)));
        }
    });
    found
}

/// The quotient of a number by a stride, as sums are divided: by the term of the stride with the most factors.
pub fn multiples(n: Nat, stride: Nat) -> Nat {
    multiples_where(n, stride, |_| false)
}

/// The same, where products are whole that are so by more than their form.
pub fn multiples_where(n: Nat, stride: Nat, is_whole: impl Fn(Nat) -> bool) -> Nat {
    let terms = stride.terms();
    let Some((m, c)) = terms.iter().max_by_key(|(m, _)| m.factors().count()) else {
        return Nat::int(0);
    };
    let (mut rest, mut sum) = (n, Nat::int(0));
    // Each round takes the largest terms away.
    for _ in 0..4 {
        let parts = rest.terms().into_iter().filter_map(|(tm, tc)| {
            let (qm, qc): (_, Rat) = (tm.div(m), tc.div(*c)?);
            let part = || Nat::from_terms([(qm.clone(), qc)]);
            let whole = qm.is_integral() && (qc.as_int().is_some() || is_whole(part()));
            whole.then_some((qm, qc))
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

/// A sum as `s*q + r`, where s is the largest sum of sizes that anything else in it is multiplied by: the parts that are not
/// negative if it is not, q first. None where nothing is multiplied by a sum.
pub fn strides(n: Nat, is_size: impl Fn(Symbol) -> bool) -> Option<[Nat; 3]> {
    let size = |a: Atom| matches!(a.kind(), AtomKind::Var(v) if is_size(v));
    let terms = n.terms();
    let mut factors: BTreeMap<Mono, Vec<(Mono, Rat)>> = BTreeMap::new();
    for (m, c) in terms.iter() {
        let others = m.factors().filter(|(a, e)| *e > 0 && !size(*a));
        let other = others.fold(Mono::one(), |all, (a, e)| {
            (0..e).fold(all, |all, _| all.mul(&Mono::atom(a)))
        });
        if !other.is_one() {
            let of = m.div(&other);
            factors.entry(other).or_default().push((of, *c));
        }
    }
    let most = factors.into_values().rev().max_by_key(|f| f.len());
    let mut stride = Nat::from_terms(most.filter(|f| f.len() > 1)?);
    if stride.terms().iter().all(|(_, c)| *c < Rat::ZERO) {
        stride = Nat::int(0) - stride;
    }
    let whole = stride
        .terms()
        .iter()
        .all(|(m, c)| m.is_integral() && c.as_int() > Some(0));
    let by = content(stride).map_or(1, |(all, constant)| gcd(all, constant));
    let stride = stride.exact_div(Nat::int(by));
    let q = multiples(n, stride);
    let rest = n - q * stride;
    let less = q != Nat::int(0) && rest.terms().len() < terms.len();
    (whole && less && !rest.is_overflow()).then_some([q, rest, stride])
}

/// Two operations, or an operation and a variable, of which a sum has as many times one as it takes the other away: more than a constant of them.
pub fn opposite(n: Nat) -> Option<(Atom, Atom)> {
    let mut times: BTreeMap<Atom, Nat> = BTreeMap::new();
    for (m, c) in n.terms().iter() {
        for (a, _) in m.factors().filter(|f| f.1 == 1) {
            let by = Nat::from_terms([(m.div(&Mono::atom(a)), *c)]);
            let sum = times.entry(a).or_insert(Nat::int(0));
            *sum = *sum + by;
        }
    }
    let is_var = |a: &Atom| matches!(a.kind(), AtomKind::Var(_));
    let varies = times
        .iter()
        .filter(|(a, by)| !is_var(a) && by.as_int().is_none());
    let other = |(a, by): (&Atom, &Nat)| {
        let same = times
            .iter()
            .find(|(b, to)| *b != a && **to == Nat::int(0) - *by)?;
        Some((*a, *same.0))
    };
    varies.into_iter().find_map(other)
}

/// Whether there is such a variable in a number.
pub fn vars_in(n: Nat, is: impl Fn(Symbol) -> bool) -> bool {
    n.vars().iter().any(|v| is(*v))
}
