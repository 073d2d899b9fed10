//! Index arithmetic as sums of products, so that the order of a text does not count.
//!
//! Invariant: two are equal if they are equal by the laws of rings alone; what is rounded, a minimum, a maximum is equal to
//! itself only. Nothing of it is simplified. Sums with very many terms have none.

use crate::arith::{Atom as Of, AtomKind, Nat};
use crate::intern::Symbol;
use crate::nest::BufId;
use std::collections::BTreeMap;

/// More terms are not computed with.
const MOST: usize = 4096;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Atom {
    Var(Symbol),
    /// A parameter that is passed by value.
    Param(BufId),
    /// A function of the text, or an operator that rounds.
    Call(&'static str, Vec<Sum>),
}

impl Atom {
    /// The operands of a minimum or a maximum have no order.
    fn call(name: &'static str, mut args: Vec<Sum>) -> Atom {
        if matches!(name, "min_index" | "max_index") {
            args.sort();
        }
        Atom::Call(name, args)
    }
}

/// The factors of each term, sorted, and what they are multiplied by.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Sum(BTreeMap<Vec<Atom>, i128>);

impl Sum {
    pub fn int(n: i128) -> Sum {
        Sum((n != 0).then(|| (Vec::new(), n)).into_iter().collect())
    }

    pub fn atom(a: Atom) -> Sum {
        Sum([(vec![a], 1)].into_iter().collect())
    }

    pub fn call(name: &'static str, args: Vec<Sum>) -> Sum {
        Sum::atom(Atom::call(name, args))
    }

    pub fn as_int(&self) -> Option<i128> {
        match self.0.first_key_value() {
            None => Some(0),
            Some((m, c)) => (self.0.len() == 1 && m.is_empty()).then_some(*c),
        }
    }

    /// The one factor that it consists of.
    pub fn as_atom(&self) -> Option<Atom> {
        match self.0.first_key_value() {
            Some((m, 1)) if self.0.len() == 1 && m.len() == 1 => m.first().cloned(),
            _ => None,
        }
    }

    pub fn add(&self, o: &Sum, factor: i128) -> Option<Sum> {
        let mut out = self.clone();
        for (m, c) in &o.0 {
            out.push(m.clone(), c.checked_mul(factor)?)?;
        }
        Some(out)
    }

    pub fn mul(&self, o: &Sum) -> Option<Sum> {
        if self.0.len() * o.0.len() > 16 * MOST {
            return None;
        }
        let mut out = Sum::default();
        for (m, c) in &self.0 {
            for (n, d) in &o.0 {
                let mut both: Vec<Atom> = m.iter().chain(n).cloned().collect();
                if both.len() > MOST {
                    return None;
                }
                both.sort();
                out.push(both, c.checked_mul(*d)?)?;
            }
        }
        Some(out)
    }

    fn push(&mut self, m: Vec<Atom>, c: i128) -> Option<()> {
        let sum = self.0.get(&m).copied().unwrap_or(0).checked_add(c)?;
        match sum {
            0 => self.0.remove(&m),
            _ => self.0.insert(m, sum),
        };
        (self.0.len() <= MOST).then_some(())
    }

    /// What a size or an index of a loop program is, when it is computed as an integer of C: fractions by one division,
    /// which is exact where the loop program has a meaning. None where it has none.
    pub fn of(n: Nat) -> Option<Sum> {
        let (numerator, denominator) = n.fraction();
        if denominator != Nat::int(1) {
            return Some(Sum::call(
                "/",
                vec![Sum::of(numerator)?, Sum::of(denominator)?],
            ));
        }
        let mut out = Sum::default();
        for (m, c) in n.terms() {
            let mut factors = Vec::new();
            for (a, e) in m.factors() {
                let atom = Sum::of_atom(a)?;
                (0..e.max(0)).for_each(|_| factors.push(atom.clone()));
            }
            factors.sort();
            out.push(factors, c.as_int()?.into())?;
        }
        Some(out)
    }

    pub fn of_atom(a: Of) -> Option<Atom> {
        let (name, x, y) = match a.kind() {
            AtomKind::Var(v) => return Some(Atom::Var(v)),
            AtomKind::Floor(x, y) | AtomKind::Quot(x, y) => ("floor_div", x, y),
            AtomKind::Ceil(x, y) => ("ceil_div", x, y),
            AtomKind::Mod(x, y) => ("floor_mod", x, y),
            AtomKind::Min(x, y) => ("min_index", x, y),
            AtomKind::Max(x, y) => ("max_index", x, y),
            AtomKind::Meta(_) | AtomKind::Overflow => return None,
        };
        Some(Atom::call(name, vec![Sum::of(x)?, Sum::of(y)?]))
    }
}

/// Functions on indices that a text may have: what they are called, with how many arguments.
pub const FUNCTIONS: [(&str, usize); 7] = [
    ("floor_div", 2),
    ("ceil_div", 2),
    ("floor_mod", 2),
    ("min_index", 2),
    ("max_index", 2),
    ("thread_count", 0),
    ("thread_index", 0),
];
