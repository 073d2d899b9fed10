//! Polynomials with rational coefficients over numbered atoms, in normal form.
//!
//! In: atoms, which stand for numbers. Out: sums and products. Invariant: equal as polynomials ⇒ equal in value; no
//! coefficient is 0. What leaves 128 bits or grows too long is `None`. Absent: what atoms stand for (`atoms`).

use super::frac::Frac;
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::rc::Rc;

/// A number with a name.
pub(super) type Atom = u32;

/// A product of powers of atoms, by atom; the empty one is 1.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Monomial(pub SmallVec<[(Atom, u32); 2]>);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(super) struct Poly(Rc<Terms>);

/// By monomial. Shared: cases are copied with all that is known in them.
type Terms = Vec<(Monomial, Frac)>;

/// A polynomial with more terms helps nobody.
const MOST_TERMS: usize = 400;
/// Products of terms that are held before equal monomials are added up.
const HELD: usize = 1 << 12;

impl Monomial {
    /// The product; powers of one atom are added.
    pub fn times(&self, other: &Monomial) -> Monomial {
        let (mut left, mut right) = (&self.0[..], &other.0[..]);
        let mut all = SmallVec::with_capacity(left.len() + right.len());
        while let (Some((a, j)), Some((b, k))) = (left.first(), right.first()) {
            let power = match a.cmp(b) {
                Ordering::Less => *j,
                Ordering::Equal => j + k,
                Ordering::Greater => *k,
            };
            all.push((*a.min(b), power));
            left = &left[usize::from(a <= b)..];
            right = &right[usize::from(b <= a)..];
        }
        all.extend(left.iter().chain(right).copied());
        Monomial(all)
    }

    pub fn power_of(a: Atom, power: u32) -> Monomial {
        Monomial(SmallVec::from_slice(&[(a, power)]))
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

    /// Divided by an atom that is a factor of it.
    fn divided(&self, atom: Atom) -> Monomial {
        let left = self.0.iter().map(|(a, k)| (*a, k - u32::from(*a == atom)));
        Monomial(left.filter(|p| p.1 > 0).collect())
    }

    /// What it is the square of, where all powers are even.
    pub fn root(&self) -> Option<Monomial> {
        let even = !self.0.is_empty() && self.0.iter().all(|p| p.1 % 2 == 0);
        even.then(|| Monomial(self.0.iter().map(|(a, k)| (*a, k / 2)).collect()))
    }

    /// The two atoms of which it is the product.
    pub fn as_product(&self) -> Option<[Atom; 2]> {
        match self.0[..] {
            [(a, 1), (b, 1)] => Some([a, b]),
            [(a, 2)] => Some([a, a]),
            _ => None,
        }
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
        Poly::term(Monomial::power_of(a, 1), Frac::ONE)
    }

    pub fn term(m: Monomial, c: Frac) -> Poly {
        Poly(Rc::new(
            (!c.is_zero()).then_some((m, c)).into_iter().collect(),
        ))
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
            1 if self.0[0].0 .0.is_empty() => Some(self.0[0].1),
            _ => None,
        }
    }

    /// The only atom, with coefficient 1.
    pub fn as_atom(&self) -> Option<Atom> {
        let (m, c) = self.terms().next().filter(|_| self.len() == 1)?;
        m.as_atom().filter(|_| c == Frac::ONE)
    }

    pub fn constant_part(&self) -> Frac {
        // No monomial is less than that of none.
        let first = self.0.first().filter(|t| t.0 .0.is_empty());
        first.map_or(Frac::ZERO, |t| t.1)
    }

    pub fn atoms(&self) -> impl Iterator<Item = Atom> + '_ {
        self.0.iter().flat_map(|t| t.0 .0.iter().map(|p| p.0))
    }

    /// The most factors that a term has.
    pub fn degree(&self) -> u32 {
        let of = |(m, _): &(Monomial, Frac)| m.0.iter().map(|p| p.1).sum();
        self.0.iter().map(of).max().unwrap_or(0)
    }

    /// How often another one is in it, if it is nothing else.
    pub fn ratio(&self, other: &Poly) -> Option<Frac> {
        let Some((_, c)) = self.0.first() else {
            return Some(Frac::ZERO);
        };
        let by = c.div(other.0.first()?.1)?;
        (other.scale(by)? == *self).then_some(by)
    }

    /// An atom that is a factor of every term, and the rest, which is no constant.
    pub fn factored(&self) -> Option<(Atom, Poly)> {
        let (first, _) = self.0.first()?;
        let all = |a: &Atom| self.0.iter().all(|t| t.0.power(*a) > 0);
        let atom = first.0.iter().map(|p| p.0).find(all)?;
        let rest = self.0.iter().map(|(m, c)| (m.divided(atom), *c));
        let rest = Poly(Rc::new(collected(rest.collect())?));
        rest.as_constant().is_none().then_some((atom, rest))
    }

    pub fn add(&self, other: &Poly) -> Option<Poly> {
        self.plus(other, Some)
    }

    pub fn sub(&self, other: &Poly) -> Option<Poly> {
        self.plus(other, Frac::neg)
    }

    /// With the terms of another one, and something done to their coefficients.
    fn plus(&self, other: &Poly, of: impl Fn(Frac) -> Option<Frac>) -> Option<Poly> {
        let (mut left, mut right) = (&self.0[..], &other.0[..]);
        let mut sum = Terms::with_capacity(left.len() + right.len());
        while let (Some((m, a)), Some((n, b))) = (left.first(), right.first()) {
            let order = m.cmp(n);
            match order {
                Ordering::Less => sum.push((m.clone(), *a)),
                Ordering::Greater => sum.push((n.clone(), of(*b)?)),
                Ordering::Equal => {
                    let both = a.add(of(*b)?)?;
                    if !both.is_zero() {
                        sum.push((m.clone(), both));
                    }
                }
            }
            left = &left[usize::from(order.is_le())..];
            right = &right[usize::from(order.is_ge())..];
        }
        sum.extend_from_slice(left);
        for (n, b) in right {
            sum.push((n.clone(), of(*b)?));
        }
        (sum.len() <= MOST_TERMS).then(|| Poly(Rc::new(sum)))
    }

    pub fn scale(&self, by: Frac) -> Option<Poly> {
        if by.is_zero() {
            return Some(Poly::default());
        }
        let terms = self.terms().map(|(m, c)| Some((m.clone(), c.mul(by)?)));
        terms.collect::<Option<_>>().map(|t| Poly(Rc::new(t)))
    }

    pub fn mul(&self, other: &Poly) -> Option<Poly> {
        let mut product = Terms::new();
        for (m, a) in self.terms() {
            for (n, b) in other.terms() {
                product.push((m.times(n), a.mul(b)?));
            }
            if product.len() > HELD {
                product = collected(product)?;
            }
        }
        collected(product).map(|t| Poly(Rc::new(t)))
    }

    /// Integer coefficients between the halves of a modulus that is a power of two; `None` if one is no integer.
    pub fn modulo(&self, modulus: i128) -> Option<Poly> {
        let mut rest = Terms::new();
        for (m, c) in self.terms() {
            let c = c.as_int()?.rem_euclid(modulus);
            let c = if c >= modulus / 2 { c - modulus } else { c };
            if c != 0 {
                rest.push((m.clone(), Frac::int(c)));
            }
        }
        Some(Poly(Rc::new(rest)))
    }

    /// With a polynomial in place of an atom.
    pub fn replace(&self, atom: Atom, by: &Poly) -> Option<Poly> {
        if self.atoms().all(|a| a != atom) {
            return Some(self.clone());
        }
        let mut sum = Terms::new();
        for (m, c) in self.terms() {
            let mut part = Poly::term(m.without(atom), c);
            for _ in 0..m.power(atom) {
                part = part.mul(by)?;
            }
            sum.extend_from_slice(&part.0);
            if sum.len() > HELD {
                sum = collected(sum)?;
            }
        }
        collected(sum).map(|t| Poly(Rc::new(t)))
    }
}

/// Terms in order, each monomial once; `None` if a coefficient does not fit, or there are too many then.
fn collected(mut terms: Terms) -> Option<Terms> {
    terms.sort_by(|a, b| a.0.cmp(&b.0));
    let mut sum = Terms::with_capacity(terms.len());
    for (m, c) in terms {
        match sum.last_mut().filter(|l| l.0 == m) {
            Some(last) => last.1 = last.1.add(c)?,
            None => sum.push((m, c)),
        }
    }
    sum.retain(|t| !t.1.is_zero());
    (sum.len() <= MOST_TERMS).then_some(sum)
}
