//! What checks of sizes compute in floats: an upper bound of a product, as a sum of products of sizes.
//!
//! A loop program asks that a product of sizes is at most a power of two. A text computes it in floats, where nothing
//! overflows, from what is not subtracted alone: that is too large rather than too small.

use super::meaning::Res;
use super::parse::Expr;
use super::sum::{Atom, Sum};
use crate::arith::{Nat, Rat};
use std::collections::BTreeMap;

/// The factors of each term, sorted, and the bits of what they are multiplied by.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Real(BTreeMap<Vec<Atom>, u64>);

/// More terms are not computed with.
const MOST: usize = 1024;

impl Real {
    /// Nothing is a sum of no terms, as it is where only what is subtracted was left out.
    fn number(x: f64) -> Real {
        let term = Some((Vec::new(), x.to_bits())).filter(|_| x != 0.0);
        Real(term.into_iter().collect())
    }

    fn push(&mut self, m: Vec<Atom>, c: f64) -> Res<()> {
        let sum = self.0.get(&m).map_or(0.0, |b| f64::from_bits(*b)) + c;
        self.0.insert(m, sum.to_bits());
        match self.0.len() <= MOST {
            true => Ok(()),
            false => Err("a check has too many terms to be read".to_string()),
        }
    }

    fn add(mut self, o: &Real) -> Res<Real> {
        for (m, c) in &o.0 {
            self.push(m.clone(), f64::from_bits(*c))?;
        }
        Ok(self)
    }

    fn mul(&self, o: &Real) -> Res<Real> {
        if self.0.len() * o.0.len() > 16 * MOST {
            return Err("a check has too many terms to be read".to_string());
        }
        let mut out = Real::default();
        for (m, c) in &self.0 {
            for (n, d) in &o.0 {
                let mut both: Vec<Atom> = m.iter().chain(n).cloned().collect();
                if both.len() > MOST {
                    return Err("a check has too many factors to be read".to_string());
                }
                both.sort();
                out.push(both, f64::from_bits(*c) * f64::from_bits(*d))?;
            }
        }
        Ok(out)
    }

    /// Of so many bytes for each element, of each thread's array.
    pub fn of(n: Nat, bytes: u64, each_thread: bool) -> Res<Real> {
        let mut out = Real::default();
        for (m, c) in n.terms() {
            if c < Rat::ZERO {
                continue;
            }
            let mut factors = Vec::new();
            for (a, e) in m.factors() {
                let atom = Sum::of_atom(a).ok_or("a size has no form as numbers of C")?;
                (0..e.max(0)).for_each(|_| factors.push(atom.clone()));
            }
            factors.sort();
            out.push(factors, c.num() as f64 / c.den() as f64)?;
        }
        if each_thread {
            let atom = Atom::Call("thread_count", vec![]);
            out = out.mul(&Real([(vec![atom], 1f64.to_bits())].into_iter().collect()))?;
        }
        out.mul(&Real::number(bytes as f64))
    }
}

/// What an expression computes in floats, of indices that `sum` reads.
pub fn real(e: &Expr, sum: &mut dyn FnMut(&Expr) -> Res<Sum>) -> Res<Real> {
    match e {
        Expr::Number(text) if text.contains('.') => {
            let x: Option<f64> = text.parse().ok();
            x.map(Real::number)
                .ok_or_else(|| format!("`{text}` is no number"))
        }
        Expr::Binary("+", a, b) => real(a, sum)?.add(&real(b, sum)?),
        Expr::Binary("*", a, b) => real(a, sum)?.mul(&real(b, sum)?),
        Expr::Cast(ty, inner) if ty.name == "double" && ty.pointer.is_none() => {
            match sum(inner)?.as_atom() {
                Some(atom) => Ok(Real([(vec![atom], 1f64.to_bits())].into_iter().collect())),
                None => Err("a sum is computed before it becomes a float".to_string()),
            }
        }
        _ => Err("a check computes something else than products of sizes".to_string()),
    }
}
