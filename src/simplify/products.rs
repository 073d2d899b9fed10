//! What follows for products of terms.
//!
//! In: sums of products that are not negative, quotients. Out: more of them, that hold wherever those do: what is equal to a sum is
//! replaced by it; two dividends that differ by a multiple of their divisor have quotients that differ by as much; products of two
//! sums, where they speak of products that are there. Invariant: to leave one away is always right. Absent: cases.

use super::linear::{Linear, Mono};
use crate::scalar::Expr;
use rustc_hash::FxHashSet;

/// Products of sums that are added at once.
const PRODUCTS: usize = 80;
/// Terms that are replaced.
const REPLACED: usize = 24;

/// A quotient, its dividend, its divisor.
pub(super) type Quotient = (Expr, Expr, Expr);

/// What is not negative.
pub(super) fn consequences(rows: &[Linear], quotients: &[Quotient]) -> Vec<Linear> {
    let mut all = Known {
        rows: rows.to_vec(),
        equal: Vec::new(),
    };
    all.replace();
    if all.quotients(quotients) {
        all.replace();
    }
    for _ in 0..2 {
        all.multiply();
    }
    all.rows
}

struct Known {
    rows: Vec<Linear>,
    /// Terms, and sums without them that they are equal to; each of what those before leave.
    equal: Vec<(Expr, Linear)>,
}

impl Known {
    fn replace(&mut self) {
        while self.equal.len() < REPLACED {
            let Some((atom, value)) = self.rows.iter().find_map(|r| self.equation(r)) else {
                break;
            };
            for row in &mut self.rows {
                if let Some(new) = row.with(atom, &value) {
                    *row = new.without_content();
                }
            }
            self.rows
                .retain(|r| !r.terms().is_empty() || r.constant() < 0);
            self.equal.push((atom, value));
        }
    }

    /// A term that stands by itself in a sum which is 0, and what it is equal to.
    fn equation(&self, row: &Linear) -> Option<(Expr, Linear)> {
        let opposite = row.times(-1)?;
        if !self.rows.contains(&opposite) {
            return None;
        }
        row.terms().iter().find_map(|(m, k)| {
            let atom = m.single().filter(|_| k.abs() == 1)?;
            let alone = row.terms().iter().filter(|t| t.0.has(atom)).count() == 1;
            let done = self.equal.iter().any(|e| e.0 == atom);
            let rest = row.add(&Linear::atom(atom).times(*k)?, -1)?;
            (alone && !done).then_some((atom, rest.times(-k)?))
        })
    }

    fn replaced(&self, e: Expr) -> Linear {
        let steps = self.equal.iter();
        steps.fold(Linear::of(e), |l, (atom, value)| {
            l.with(*atom, value).unwrap_or(l)
        })
    }

    /// Of `x = x' + k·y` and y that is not 0 it follows that `x/y = x'/y + k`; so for x' = 0. Whether any was added.
    fn quotients(&mut self, quotients: &[Quotient]) -> bool {
        let mut all: Vec<(Linear, Linear, Linear)> = Vec::new();
        for (q, x, y) in quotients {
            let divisor = self.replaced(*y);
            let positive = divisor.plus(-1);
            let negative = divisor.times(-1).and_then(|d| d.plus(-1));
            let known = |r: Option<Linear>| {
                r.is_some_and(|r| {
                    r.terms().is_empty() && r.constant() >= 0 || self.rows.contains(&r)
                })
            };
            if known(positive) || known(negative) {
                // By the opposite divisor the quotient is the opposite.
                let sign = divisor.terms().last().map_or(1, |t| t.1.signum());
                let signed = |l: Linear| l.times(sign);
                let (q, divisor) = (signed(self.replaced(*q)), signed(divisor));
                all.extend(q.zip(divisor).map(|(q, y)| (q, self.replaced(*x), y)));
            }
        }
        let mut found = Vec::new();
        for (i, (q, x, y)) in all.iter().enumerate() {
            let none = (Linear::default(), Linear::default(), y.clone());
            for (p, w, _) in all[..i].iter().filter(|o| o.2 == *y).chain([&none]) {
                let by = x.add(w, -1).and_then(|d| d.multiple_of(y));
                let zero = by.and_then(|k| q.add(p, -1)?.add(&k, -1));
                found.extend(zero.filter(|z| *z != Linear::default()));
            }
        }
        for zero in &found {
            self.rows.extend(zero.times(-1));
            self.rows.push(zero.clone());
        }
        !found.is_empty()
    }

    fn multiply(&mut self) {
        let is_product = |m: &Mono| m.atoms().len() > 1;
        let terms = self.rows.iter().flat_map(|r| r.terms());
        let there: FxHashSet<Mono> = (terms.filter(|t| is_product(&t.0)))
            .map(|t| t.0.clone())
            .collect();
        let mut found = Vec::new();
        for (i, a) in self.rows.iter().enumerate() {
            for b in &self.rows[i..] {
                let Some(product) = a.mul(b).filter(|_| found.len() < PRODUCTS) else {
                    continue;
                };
                let products = product.terms().iter().filter(|t| is_product(&t.0));
                let (old, new): (Vec<_>, Vec<_>) = products.partition(|t| there.contains(&t.0));
                if !old.is_empty() && new.len() <= 1 {
                    found.push(product.without_content());
                }
            }
        }
        for row in found {
            if !self.rows.contains(&row) {
                self.rows.push(row);
            }
        }
    }
}
