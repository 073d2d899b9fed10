//! Polynomials over unknowns that are natural numbers, compared for all their values at once.

use std::collections::BTreeMap;

/// Monomials, as unknowns in order, each as often as its exponent says; no coefficient is 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Poly<U: Ord>(BTreeMap<Vec<U>, i128>);

/// Products of more pairs of monomials are not computed.
const MOST: usize = 1 << 14;

/// What is known of two polynomials for all values of the unknowns.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Compared {
    Greater,
    Equal,
    /// Greater at some values, perhaps, and nowhere less.
    NotLess,
    /// Less somewhere, or not known.
    Open,
}

impl<U: Ord + Clone> Poly<U> {
    pub fn constant(n: i128) -> Poly<U> {
        let all = (n != 0).then(|| (Vec::new(), n));
        Poly(all.into_iter().collect())
    }

    pub fn unknown(u: U) -> Poly<U> {
        Poly(BTreeMap::from([(vec![u], 1)]))
    }

    /// `self + k·o`; like all of these, none where a coefficient or the number of monomials is too large.
    pub fn add(&self, o: &Poly<U>, k: i128) -> Option<Poly<U>> {
        let mut sum = self.0.clone();
        for (m, c) in &o.0 {
            let entry = sum.entry(m.clone()).or_default();
            *entry = entry.checked_add(c.checked_mul(k)?)?;
        }
        sum.retain(|_, c| *c != 0);
        Some(Poly(sum))
    }

    pub fn plus(&self, n: i128) -> Option<Poly<U>> {
        self.add(&Poly::constant(n), 1)
    }

    pub fn times(&self, k: i128) -> Option<Poly<U>> {
        Poly::constant(0).add(self, k)
    }

    pub fn mul(&self, o: &Poly<U>) -> Option<Poly<U>> {
        if self.0.len() * o.0.len() > MOST {
            return None;
        }
        let mut product = Poly::constant(0);
        for (m, c) in &o.0 {
            let shifted = self.0.iter().map(|(n, k)| {
                let mut both = [&n[..], &m[..]].concat();
                both.sort_unstable();
                (both, *k)
            });
            product = product.add(&Poly(shifted.collect()), *c)?;
        }
        Some(product)
    }

    /// By the signs of the coefficients of the difference, so `Open` may be due to that.
    pub fn compare(&self, o: &Poly<U>) -> Compared {
        let Some(Poly(difference)) = self.add(o, -1) else {
            return Compared::Open;
        };
        if difference.is_empty() {
            return Compared::Equal;
        }
        if difference.values().any(|c| *c < 0) {
            return Compared::Open;
        }
        if difference.contains_key(&Vec::new()) {
            Compared::Greater
        } else {
            Compared::NotLess
        }
    }
}
