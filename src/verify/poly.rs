//! Polynomials over named integers, in normal form.
//!
//! In: atoms, which stand for integers. Out: sums, products, division with a canonical rest. Invariant: equal as
//! polynomials ⇔ equal values of the type; no coefficient is 0. What leaves 128 bits or grows too long is `None`.
//! Absent: what atoms stand for.

use std::collections::BTreeMap;

/// An integer with a name.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Atom(pub u32);

/// A product of atoms, sorted; the empty one is 1. By degree first, so that products keep the order.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Monomial {
    degree: usize,
    atoms: Vec<Atom>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Poly(BTreeMap<Monomial, i128>);

/// A polynomial with more terms helps nobody.
const MOST_TERMS: usize = 500;

impl Monomial {
    pub fn of(mut atoms: Vec<Atom>) -> Monomial {
        atoms.sort();
        let degree = atoms.len();
        Monomial { degree, atoms }
    }

    pub fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    fn times(&self, other: &Monomial) -> Monomial {
        Monomial::of([&self.atoms[..], &other.atoms[..]].concat())
    }

    /// What is left when `part` is taken out; `None` if it is no factor.
    pub fn without(&self, part: &Monomial) -> Option<Monomial> {
        let mut left = self.atoms.clone();
        for a in &part.atoms {
            let at = left.iter().position(|b| a == b)?;
            left.remove(at);
        }
        Some(Monomial::of(left))
    }
}

impl Poly {
    pub fn zero() -> Poly {
        Poly::default()
    }

    pub fn constant(n: i128) -> Poly {
        Poly::term(Monomial::default(), n)
    }

    pub fn atom(a: Atom) -> Poly {
        Poly::term(Monomial::of(vec![a]), 1)
    }

    pub fn term(m: Monomial, n: i128) -> Poly {
        Poly((n != 0).then_some((m, n)).into_iter().collect())
    }

    /// Products with their coefficients, in order.
    pub fn terms(&self) -> impl Iterator<Item = (&Monomial, i128)> {
        self.0.iter().map(|(m, n)| (m, *n))
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub fn as_constant(&self) -> Option<i128> {
        match self.0.len() {
            0 => Some(0),
            1 => self.0.get(&Monomial::default()).copied(),
            _ => None,
        }
    }

    /// The only term.
    pub fn as_term(&self) -> Option<(&Monomial, i128)> {
        self.terms().next().filter(|_| self.0.len() == 1)
    }

    pub fn atoms(&self) -> impl Iterator<Item = Atom> + '_ {
        self.0.keys().flat_map(|m| m.atoms.iter().copied())
    }

    /// The largest number of factors of a term.
    pub fn degree(&self) -> usize {
        self.0.keys().map(|m| m.degree).max().unwrap_or(0)
    }

    pub fn add(&self, other: &Poly) -> Option<Poly> {
        let mut sum = self.0.clone();
        for (m, n) in &other.0 {
            let at = sum.entry(m.clone()).or_insert(0);
            *at = at.checked_add(*n)?;
            if *at == 0 {
                sum.remove(m);
            }
        }
        (sum.len() <= MOST_TERMS).then_some(Poly(sum))
    }

    pub fn sub(&self, other: &Poly) -> Option<Poly> {
        self.add(&other.scale(-1)?)
    }

    pub fn scale(&self, by: i128) -> Option<Poly> {
        self.mul(&Poly::constant(by))
    }

    pub fn mul(&self, other: &Poly) -> Option<Poly> {
        let mut product = Poly::zero();
        for (m, a) in &self.0 {
            let part = other
                .0
                .iter()
                .map(|(n, b)| Some((m.times(n), a.checked_mul(*b)?)));
            product = product.add(&Poly(part.collect::<Option<_>>()?))?;
        }
        Some(product)
    }

    /// `(k, rest)`: the polynomial is d·k + rest, and no term of the rest is a multiple of the leading one of d, whose
    /// coefficient is larger than those that are. Polynomials that differ by a multiple of d's leading term have one rest.
    /// d is not 0.
    pub fn divide(&self, d: &Poly) -> Option<(Poly, Poly)> {
        let (lead, coefficient) = d.0.last_key_value()?;
        let (mut left, mut quotient, mut rest) = (self.clone(), Poly::zero(), Poly::zero());
        while let Some((m, n)) = left.0.last_key_value().map(|(m, n)| (m.clone(), *n)) {
            let part = m
                .without(lead)
                .filter(|_| n.checked_div_euclid(*coefficient) != Some(0));
            match part {
                Some(factor) => {
                    let k = Poly::term(factor, n.checked_div_euclid(*coefficient)?);
                    left = left.sub(&d.mul(&k)?)?;
                    quotient = quotient.add(&k)?;
                }
                None => {
                    left.0.remove(&m);
                    rest.0.insert(m, n);
                }
            }
        }
        Some((quotient, rest))
    }

    /// Each term without these factors; `None` if one lacks them.
    pub fn without(&self, part: &Monomial) -> Option<Poly> {
        let terms = self.0.iter().map(|(m, n)| Some((m.without(part)?, *n)));
        terms.collect::<Option<_>>().map(Poly)
    }

    /// The first atom that is a factor of each term.
    pub fn common_atom(&self) -> Option<Atom> {
        let first = self.0.keys().next()?;
        let common = |a: &&Atom| self.0.keys().all(|m| m.atoms.contains(a));
        first.atoms.iter().find(common).copied()
    }

    /// With a polynomial in place of each atom.
    pub fn replace(&self, by: &dyn Fn(Atom) -> Option<Poly>) -> Option<Poly> {
        let mut sum = Poly::zero();
        for (m, n) in &self.0 {
            let mut product = Poly::constant(*n);
            for a in &m.atoms {
                product = product.mul(&by(*a).unwrap_or_else(|| Poly::atom(*a)))?;
            }
            sum = sum.add(&product)?;
        }
        Some(sum)
    }
}
