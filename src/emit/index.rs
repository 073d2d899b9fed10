//! Integer expressions as C.

use super::prelude::Used;
use crate::arith::{Atom, AtomKind, Mono, Nat, Rat};
use crate::nest::abi::identifier;

/// How tightly the text binds: a product or better, or only a sum.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tight {
    Sum,
    Product,
    Atom,
}

/// The text of an `int64_t` expression.
pub(super) fn nat(n: Nat, used: &mut Used) -> String {
    with_tightness(n, used).0
}

/// The same, in parentheses where it stands as a factor.
pub(super) fn factor(n: Nat, used: &mut Used) -> String {
    match with_tightness(n, used) {
        (text, Tight::Sum) => format!("({text})"),
        (text, _) => text,
    }
}

fn with_tightness(n: Nat, used: &mut Used) -> (String, Tight) {
    let (numerator, denominator) = crate::index::fraction(n);
    if denominator != Nat::int(1) {
        let over = atomic(numerator, used);
        let under = atomic(denominator, used);
        return (format!("{over} / {under}"), Tight::Product);
    }
    let mut terms: Vec<(bool, bool, String, Tight)> = n
        .terms()
        .iter()
        .map(|(m, c)| {
            let (text, tight) = term(m, *c, used);
            (m.is_one(), *c < Rat::ZERO, text, tight)
        })
        .collect();
    // By text, so that nothing depends on the order of creation; a constant last.
    terms.sort_by(|a, b| (a.0, a.1, &a.2).cmp(&(b.0, b.1, &b.2)));
    if terms.is_empty() {
        return ("0".into(), Tight::Atom);
    }
    if let Some(i) = terms.iter().position(|t| !t.1) {
        let first = terms.remove(i);
        terms.insert(0, first);
    }
    let tight = match &terms[..] {
        [(_, false, _, tight)] => *tight,
        _ => Tight::Sum,
    };
    let mut out = String::new();
    for (i, (_, negative, text, _)) in terms.iter().enumerate() {
        out += match (i, negative) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        };
        out += text;
    }
    (out, tight)
}

fn atomic(n: Nat, used: &mut Used) -> String {
    match with_tightness(n, used) {
        (text, Tight::Atom) => text,
        (text, _) => format!("({text})"),
    }
}

/// A term without its sign.
fn term(m: &Mono, c: Rat, used: &mut Used) -> (String, Tight) {
    let mut parts = Vec::new();
    for (a, e) in m.factors() {
        let text = atom(a, used);
        for _ in 0..e.unsigned_abs() {
            parts.push(text.clone());
        }
    }
    parts.sort();
    let k = c.num().unsigned_abs();
    if k != 1 || parts.is_empty() {
        parts.insert(0, constant(k));
    }
    let tight = match parts.len() {
        1 => Tight::Atom,
        _ => Tight::Product,
    };
    (parts.join(" * "), tight)
}

fn constant(k: u64) -> String {
    match k {
        0..=0x7fff_ffff => k.to_string(),
        _ => format!("INT64_C({k})"),
    }
}

fn atom(a: Atom, used: &mut Used) -> String {
    let mut call = |name: &'static str, x: Nat, y: Nat| {
        used.index.insert(name);
        let (x, y) = (nat(x, used), nat(y, used));
        format!("{name}({x}, {y})")
    };
    match a.kind() {
        AtomKind::Var(v) => identifier(v.as_str()),
        AtomKind::Floor(x, d) => call("floor_div", x, d),
        AtomKind::Ceil(x, d) => call("ceil_div", x, d),
        AtomKind::Mod(x, d) => call("floor_mod", x, d),
        AtomKind::Min(x, y) => call("min_index", x, y),
        AtomKind::Max(x, y) => call("max_index", x, y),
        AtomKind::Quot(x, d) => call("floor_div", x, d),
        // Neither reaches a nest: elaboration refuses the one, lowering has no other.
        AtomKind::Meta(_) | AtomKind::Overflow => "0".into(),
    }
}

/// Beyond it, what is computed of sizes is refused, as sizes themselves are.
const LARGEST: f64 = (1u64 << 60) as f64;

/// The products in an expression over sizes that may be too large for a word although no size is: where each is at
/// most 2^60, all of it can be computed.
pub(super) fn large_products(n: Nat, out: &mut Vec<Nat>) {
    let (numerator, denominator) = crate::index::fraction(n);
    for part in [numerator, denominator] {
        large_operands(part, out);
        // Four terms or fewer of such size fit; where there are more, the largest are asked about.
        if most(part) <= 4.0 * LARGEST {
            continue;
        }
        for (m, c) in part.terms() {
            let magnitude = if c < Rat::ZERO {
                c.neg().unwrap_or(c)
            } else {
                c
            };
            let product = Nat::from_terms([(m, magnitude)]);
            if most(product) > LARGEST && !out.contains(&product) {
                out.push(product);
            }
        }
    }
}

/// Those inside of others only.
pub(super) fn large_operands(n: Nat, out: &mut Vec<Nat>) {
    for a in n.terms().iter().flat_map(|(m, _)| m.atoms()) {
        for operand in a.kind().parts() {
            large_products(operand, out);
        }
    }
}

/// How deep its operations are: what is inside of another is less deep.
pub(super) fn depth(n: Nat) -> usize {
    let mut deepest = 0;
    for a in n.terms().iter().flat_map(|(m, _)| m.atoms()) {
        for operand in a.kind().parts() {
            deepest = deepest.max(1 + depth(operand));
        }
    }
    deepest
}

/// What it is at most, by magnitude, where no size is more than 2^60.
fn most(n: Nat) -> f64 {
    let of_atom = |a: Atom| match a.kind() {
        AtomKind::Var(_) => LARGEST,
        AtomKind::Floor(x, d) | AtomKind::Ceil(x, d) | AtomKind::Quot(x, d) => {
            most(x) / d.as_int().unwrap_or(1).max(1) as f64 + 1.0
        }
        AtomKind::Mod(_, d) => most(d),
        AtomKind::Min(x, y) if not_negative(x) && not_negative(y) => most(x).min(most(y)),
        AtomKind::Min(x, y) | AtomKind::Max(x, y) => most(x).max(most(y)),
        AtomKind::Meta(_) | AtomKind::Overflow => 0.0,
    };
    let term = |(m, c): &(Mono, Rat)| {
        let factors = m.factors().filter(|(_, e)| *e > 0);
        let product: f64 = factors.map(|(a, e)| of_atom(a).powi(e)).product();
        product * c.num().unsigned_abs() as f64 / c.den() as f64
    };
    n.terms().iter().map(term).sum()
}

fn not_negative(n: Nat) -> bool {
    let atom = |a: Atom| match a.kind() {
        AtomKind::Var(_) | AtomKind::Mod(..) => true,
        AtomKind::Floor(x, _) | AtomKind::Ceil(x, _) | AtomKind::Quot(x, _) => not_negative(x),
        AtomKind::Min(x, y) => not_negative(x) && not_negative(y),
        AtomKind::Max(x, y) => not_negative(x) || not_negative(y),
        AtomKind::Meta(_) | AtomKind::Overflow => false,
    };
    (n.terms().iter()).all(|(m, c)| *c >= Rat::ZERO && m.atoms().all(atom))
}

/// A size as a `double`, too large rather than wrong: for the check that
/// products of sizes fit.
pub(super) fn as_double(n: Nat, used: &mut Used) -> String {
    let mut sum = Vec::new();
    for (m, c) in n.terms() {
        let mut parts = Vec::new();
        for (a, e) in m.factors() {
            let text = match a.kind() {
                AtomKind::Var(v) => format!("(double){}", identifier(v.as_str())),
                _ => format!("(double){}", atom(a, used)),
            };
            for _ in 0..e.max(0) {
                parts.push(text.clone());
            }
        }
        parts.sort();
        let k = c.num().unsigned_abs() as f64 / c.den() as f64;
        if k != 1.0 || parts.is_empty() {
            parts.insert(0, format!("{k:?}"));
        }
        if c < Rat::ZERO {
            continue;
        }
        sum.push(parts.join(" * "));
    }
    sum.sort();
    match sum.is_empty() {
        true => "0.0".into(),
        false => sum.join(" + "),
    }
}
