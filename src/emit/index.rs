//! Integer expressions as C.

use super::prelude::Used;
use crate::arith::{Atom, AtomKind, Mono, Nat, Rat};
use crate::nest::names::identifier;

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

/// Numbers of which one is 0 where a number is: the factors of a product of several, two of which may be too large where another
/// one is 0.
pub(super) fn zeros(n: Nat, used: &mut Used) -> Vec<String> {
    let terms = n.terms();
    let factors = match &terms[..] {
        [(m, c)] if *c == Rat::ONE => m.factors().collect(),
        _ => Vec::new(),
    };
    if factors.len() <= 2 || factors.iter().any(|(_, power)| *power != 1) {
        return vec![nat(n, used)];
    }
    let mut all: Vec<String> = (factors.into_iter())
        .map(|(a, _)| nat(Nat::atom(a), used))
        .collect();
    all.sort();
    all
}

/// The same, in parentheses where it stands as a factor.
pub(super) fn factor(n: Nat, used: &mut Used) -> String {
    match with_tightness(n, used) {
        (text, Tight::Sum) => format!("({text})"),
        (text, _) => text,
    }
}

fn with_tightness(n: Nat, used: &mut Used) -> (String, Tight) {
    let (numerator, denominator) = n.fraction();
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
