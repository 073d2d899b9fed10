//! Integer expressions as text that the parser reads back.

use super::{Atom, AtomKind, Mono, Nat, Rat};
use std::fmt;

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.kind() {
            AtomKind::Var(name) => write!(f, "{name}"),
            AtomKind::Meta(n) => write!(f, "?{n}"),
            AtomKind::Floor(a, b) => write!(f, "floor({a}, {b})"),
            AtomKind::Ceil(a, b) => write!(f, "ceil({a}, {b})"),
            AtomKind::Mod(a, b) => write!(f, "(({a}) % ({b}))"),
            AtomKind::Min(a, b) => write!(f, "min({a}, {b})"),
            AtomKind::Max(a, b) => write!(f, "max({a}, {b})"),
            AtomKind::Quot(a, b) => write!(f, "(({a})/({b}))"),
            AtomKind::Overflow => f.write_str("<over 64 bits>"),
        }
    }
}

/// One term without its sign.
fn term(mono: &Mono, c: Rat) -> String {
    let mut over = Vec::new();
    let mut under = Vec::new();
    for (a, e) in mono.factors() {
        let side = if e > 0 { &mut over } else { &mut under };
        side.extend(std::iter::repeat_n(
            a.to_string(),
            e.unsigned_abs() as usize,
        ));
    }
    // By text, so that what is shown does not depend on the order of creation.
    over.sort();
    under.sort();
    if c.num().unsigned_abs() != 1 || over.is_empty() {
        over.insert(0, c.num().unsigned_abs().to_string());
    }
    if c.den() != 1 {
        under.insert(0, c.den().to_string());
    }
    let mut text = over.join("*");
    for u in under {
        text += "/";
        text += &u;
    }
    text
}

impl fmt::Display for Nat {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut terms: Vec<_> = self
            .terms()
            .iter()
            .map(|(m, c)| (m.is_one(), c.num() < 0, term(m, *c)))
            .collect();
        if terms.is_empty() {
            return f.write_str("0");
        }
        // A positive term first if there is one; the constant last.
        terms.sort();
        if let Some(i) = terms.iter().position(|t| !t.1) {
            let first = terms.remove(i);
            terms.insert(0, first);
        }
        for (i, (_, negative, text)) in terms.iter().enumerate() {
            match (i, negative) {
                (0, false) => {}
                (0, true) => f.write_str("-")?,
                (_, false) => f.write_str(" + ")?,
                (_, true) => f.write_str(" - ")?,
            }
            f.write_str(text)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Nat {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
