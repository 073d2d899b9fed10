//! One thing that sizes must satisfy.

use crate::arith::{AtomKind, Nat, Rat};
use crate::intern::Symbol;
use std::fmt;

/// What the sizes must satisfy.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Assumption {
    /// The second is a multiple of the first, which is not 0.
    Divides(Nat, Nat),
    /// It is not negative.
    NotNegative(Nat),
}

impl Assumption {
    /// Whether given sizes satisfy it; `None` where it cannot be evaluated.
    pub fn holds(self, sizes: &mut impl FnMut(Symbol) -> Option<i64>) -> Option<bool> {
        match self {
            Assumption::Divides(d, n) => {
                let (d, n) = (d.eval(sizes)?, n.eval(sizes)?);
                Some(d != 0 && n.checked_rem(d) == Some(0))
            }
            Assumption::NotNegative(n) => Some(n.eval(sizes)? >= 0),
        }
    }

    /// Calls `f` on what must be divided for `n` to be whole.
    pub(super) fn each_division(n: Nat, f: &mut impl FnMut(Assumption)) {
        let fractional = |n: Nat, f: &mut dyn FnMut(Assumption)| {
            let (numerator, d) = n.fraction();
            if d != Nat::int(1) {
                f(Assumption::Divides(d, numerator));
            }
        };
        n.each_atom(&mut |a| {
            if let AtomKind::Quot(x, d) = a.kind() {
                f(Assumption::Divides(d, x));
            }
            a.kind().parts().into_iter().for_each(|n| fractional(n, f));
        });
        fractional(n, f);
    }

    /// Calls `f` on what must not be negative for `n` not to be, and for its roundings to have a meaning: what they divide
    /// by is positive.
    pub(super) fn each_sign(n: Nat, f: &mut impl FnMut(Assumption)) {
        // A fraction has the sign of its numerator, as its denominator is a product of sizes.
        f(Assumption::NotNegative(n.fraction().0));
        n.each_atom(&mut |a| {
            if let AtomKind::Floor(_, d) | AtomKind::Ceil(_, d) | AtomKind::Mod(_, d) = a.kind() {
                f(Assumption::NotNegative(d - Nat::int(1)));
            }
        });
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Assumption::Divides(d, n) => write!(f, "{d} divides {n}"),
            Assumption::NotNegative(n) => {
                if let Some(AtomKind::Max(a, b)) = n.as_atom().map(|a| a.kind()) {
                    let (a, b) = (Assumption::NotNegative(a), Assumption::NotNegative(b));
                    return write!(f, "{a} or {b}");
                }
                // `n - 1 >= 0` reads better as `n >= 1`, `8 - n >= 0` as `n <= 8`.
                let terms = n.terms();
                let constant = terms.iter().find(|t| t.0.is_one()).map(|t| t.1);
                let mut others = terms.iter().filter(|t| !t.0.is_one());
                let falls = n.as_rat().is_none() && others.all(|t| t.1 < Rat::ZERO);
                match constant
                    .or(falls.then_some(Rat::ZERO))
                    .and_then(|c| c.as_int())
                {
                    Some(c) if falls => write!(f, "{} <= {c}", Nat::int(c) - *n),
                    Some(c) => write!(f, "{} >= {}", *n - Nat::int(c), -i128::from(c)),
                    None => write!(f, "{n} >= 0"),
                }
            }
        }
    }
}
