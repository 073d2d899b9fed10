//! Statements about polynomials.
//!
//! Invariant of the constructors: what is true or false for all values, seen from one place, is [`Formula::Truth`].

use super::poly::Poly;
use crate::intern::Symbol;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    Truth(bool),
    /// A boolean variable.
    Bool(Symbol),
    /// p > 0
    Positive(Poly),
    /// p = 0; the first coefficient is positive.
    Zero(Poly),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    /// Both or neither.
    Same(Box<Formula>, Box<Formula>),
}

use Formula::*;

impl Formula {
    pub fn positive(p: Poly) -> Formula {
        match p.as_constant() {
            Some(n) => Truth(n > 0),
            None => Positive(p),
        }
    }

    pub fn zero(p: Poly) -> Formula {
        if let Some(n) = p.as_constant() {
            return Truth(n == 0);
        }
        let negative = p.terms().next().is_some_and(|t| t.1 < 0);
        Zero(p.scale(-1).filter(|_| negative).unwrap_or(p))
    }

    pub fn negated(self) -> Formula {
        match self {
            Truth(b) => Truth(!b),
            Not(f) => *f,
            f => Not(Box::new(f)),
        }
    }

    pub fn and(self, other: Formula) -> Formula {
        match (self, other) {
            (Truth(true), f) | (f, Truth(true)) => f,
            (Truth(false), _) | (_, Truth(false)) => Truth(false),
            (f, g) if f == g => f,
            (f, g) => And(Box::new(f), Box::new(g)),
        }
    }

    pub fn or(self, other: Formula) -> Formula {
        match (self, other) {
            (Truth(false), f) | (f, Truth(false)) => f,
            (Truth(true), _) | (_, Truth(true)) => Truth(true),
            (f, g) if f == g => f,
            (f, g) => Or(Box::new(f), Box::new(g)),
        }
    }

    pub fn same(self, other: Formula) -> Formula {
        match (self, other) {
            (f, g) if f == g => Truth(true),
            (Truth(true), f) | (f, Truth(true)) => f,
            (Truth(false), f) | (f, Truth(false)) => f.negated(),
            (f, g) => Same(Box::new(f), Box::new(g)),
        }
    }

    /// With other polynomials; `None` if one of those is.
    pub fn map(&self, f: &mut impl FnMut(&Poly) -> Option<Poly>) -> Option<Formula> {
        Some(match self {
            Truth(_) | Bool(_) => self.clone(),
            Positive(p) => Formula::positive(f(p)?),
            Zero(p) => Formula::zero(f(p)?),
            Not(a) => a.map(f)?.negated(),
            And(a, b) => a.map(f)?.and(b.map(f)?),
            Or(a, b) => a.map(f)?.or(b.map(f)?),
            Same(a, b) => a.map(f)?.same(b.map(f)?),
        })
    }

    /// Calls `f` on each polynomial.
    pub fn polys(&self, f: &mut impl FnMut(&Poly)) {
        match self {
            Truth(_) | Bool(_) => {}
            Positive(p) | Zero(p) => f(p),
            Not(a) => a.polys(f),
            And(a, b) | Or(a, b) | Same(a, b) => {
                a.polys(f);
                b.polys(f);
            }
        }
    }

    /// What is known not to be negative where the formula holds.
    pub fn bounds(&self, out: &mut Vec<Poly>) {
        let one = Poly::constant(1);
        match self {
            Positive(p) => out.extend(p.sub(&one)),
            Not(f) => match &**f {
                Positive(p) => out.extend(p.scale(-1)),
                Or(a, b) => {
                    a.clone().negated().bounds(out);
                    b.clone().negated().bounds(out);
                }
                _ => {}
            },
            And(a, b) => {
                a.bounds(out);
                b.bounds(out);
            }
            Zero(p) => {
                out.push(p.clone());
                out.extend(p.scale(-1));
            }
            _ => {}
        }
    }
}
