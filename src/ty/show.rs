//! Types as text that the parser reads back.

use super::{Ty, TyKind};
use crate::arith::Nat;
use std::fmt;

/// A size where only a simple one may stand: constants and names bare.
fn atom(n: Nat) -> String {
    let text = n.to_string();
    if text
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '?')
    {
        text
    } else {
        format!("({text})")
    }
}

impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let operand = |t: Ty| {
            if t.is_fun() {
                format!("({t})")
            } else {
                t.to_string()
            }
        };
        match self.kind() {
            TyKind::Scalar(s) => f.write_str(s.name()),
            TyKind::Idx(n) => write!(f, "idx[{n}]"),
            TyKind::Pair(a, b) => write!(f, "({a}, {b})"),
            TyKind::Vec(n, t) => write!(f, "<{n}>{}", operand(t)),
            TyKind::Array(n, t) => write!(f, "{}.{}", atom(n), operand(t)),
            TyKind::Fun(a, b) => write!(f, "{} -> {b}", operand(a)),
            TyKind::Meta(n) => write!(f, "?t{n}"),
        }
    }
}

impl fmt::Debug for Ty {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
