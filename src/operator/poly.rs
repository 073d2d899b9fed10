//! Polynomials with rational coefficients over numbered atoms, in normal form.
//!
//! In: atoms, which stand for numbers. Out: sums and products. Invariant: equal as polynomials ⇒ equal in value; no
//! coefficient is 0. What leaves 128 bits or grows too long is `None`. Absent: what atoms stand for (`atoms`).

use super::frac::Frac;
use std::collections::BTreeMap;

/// A number with a name.
pub(super) type Atom = u32;

/// A product of powers of atoms, by atom; the empty one is 1.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Monomial(pub Vec<(Atom, u32)>);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Poly(BTreeMap<Monomial, Frac>);

/// A polynomial with more terms helps nobody.
const MOST_TERMS: usize = 400;

impl Monomial {
    /// The product; powers of one atom are added.
    pub fn times(&self, other: &Monomial) -> Monomial {
        let mut all: BTreeMap<Atom, u32> = self.0.iter().copied().collect();
        for (a, k) in &other.0 {
            *all.entry(*a).or_insert(0) += k;
        }
        Monomial(all.into_iter().collect())
    }

    /// The atom that it is.
    pub fn as_atom(&self) -> Option<Atom> {
        match self.0[..] {
            [(a, 1)] => Some(a),
            _ => None,
        }
    }

    /// The power of an atom in it.
    pub fn power(&self, atom: Atom) -> u32 {
        let found = self.0.iter().find(|p| p.0 == atom);
        found.map_or(0, |p| p.1)
    }

    /// Without an atom.
    pub fn without(&self, atom: Atom) -> Monomial {
        Monomial(self.0.iter().copied().filter(|p| p.0 != atom).collect())
    }
}

impl Poly {
    pub fn constant(c: Frac) -> Poly {
        Poly::term(Monomial::default(), c)
    }

    pub fn int(n: i128) -> Poly {
        Poly::constant(Frac::int(n))
    }

    pub fn atom(a: Atom) -> Poly {
        Poly::term(Monomial(vec![(a, 1)]), Frac::ONE)
    }

    pub fn term(m: Monomial, c: Frac) -> Poly {
        Poly((!c.is_zero()).then_some((m, c)).into_iter().collect())
    }

    pub fn terms(&self) -> impl Iterator<Item = (&Monomial, Frac)> {
        self.0.iter().map(|(m, c)| (m, *c))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub fn as_constant(&self) -> Option<Frac> {
        match self.0.len() {
            0 => Some(Frac::ZERO),
            1 => self.0.get(&Monomial::default()).copied(),
            _ => None,
        }
    }

    /// The only atom, with coefficient 1.
    pub fn as_atom(&self) -> Option<Atom> {
        let (m, c) = self.terms().next().filter(|_| self.len() == 1)?;
        m.as_atom().filter(|_| c == Frac::ONE)
    }

    pub fn constant_part(&self) -> Frac {
        let part = self.0.get(&Monomial::default());
        part.copied().unwrap_or(Frac::ZERO)
    }

    pub fn atoms(&self) -> impl Iterator<Item = Atom> + '_ {
        self.0.keys().flat_map(|m| m.0.iter().map(|p| p.0))
    }

    pub fn add(&self, other: &Poly) -> Option<Poly> {
        let mut sum = self.0.clone();
        for (m, c) in &other.0 {
            let at = sum.entry(m.clone()).or_insert(Frac::ZERO);
            *at = at.add(*c)?;
            if at.is_zero() {
                sum.remove(m);
            }
        }
        (sum.len() <= MOST_TERMS).then_some(Poly(sum))
    }

    pub fn sub(&self, other: &Poly) -> Option<Poly> {
        self.add(&other.scale(Frac::int(-1))?)
    }

    pub fn scale(&self, by: Frac) -> Option<Poly> {
        if by.is_zero() {
            return Some(Poly::default());
        }
        let terms = self.0.iter().map(|(m, c)| Some((m.clone(), c.mul(by)?)));
        terms.collect::<Option<_>>().map(Poly)
    }

    pub fn mul(&self, other: &Poly) -> Option<Poly> {
        let mut product = Poly::default();
        for (m, a) in &self.0 {
            let part = other.0.iter().map(|(n, b)| Some((m.times(n), a.mul(*b)?)));
            product = product.add(&Poly(part.collect::<Option<_>>()?))?;
        }
        Some(product)
    }

    /// Integer coefficients between the halves of a modulus that is a power of two; `None` if one is no integer.
    pub fn modulo(&self, modulus: i128) -> Option<Poly> {
        let mut rest = BTreeMap::new();
        for (m, c) in &self.0 {
            let c = c.as_int()?.rem_euclid(modulus);
            let c = if c >= modulus / 2 { c - modulus } else { c };
            if c != 0 {
                rest.insert(m.clone(), Frac::int(c));
            }
        }
        Some(Poly(rest))
    }

    /// With a polynomial in place of an atom.
    pub fn replace(&self, atom: Atom, by: &Poly) -> Option<Poly> {
        let mut sum = Poly::default();
        for (m, c) in &self.0 {
            let mut part = Poly::term(m.without(atom), *c);
            for _ in 0..m.power(atom) {
                part = part.mul(by)?;
            }
            sum = sum.add(&part)?;
        }
        Some(sum)
    }
}
