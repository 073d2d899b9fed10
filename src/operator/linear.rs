//! Whether linear constraints over rationals can hold together.
//!
//! In: sums of monomials that are said not to be negative, or to be positive; each monomial counts as a number of its own. Out:
//! whether Farkas' lemma refutes them: there are factors, none negative, with which the constraints add up to `-1 ≥ 0`, or to
//! `0 > 0`. The factors are found by the simplex method with Bland's rule, in exact arithmetic. Invariant: "infeasible" is
//! certain; what overflows or takes too long counts as feasible. Absent: integers, but what the caller tightens.

use super::frac::Frac;
use super::poly::{Monomial, Poly};
use std::collections::BTreeMap;

/// `poly ≥ 0`, or `poly > 0`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Bound {
    pub poly: Poly,
    pub strict: bool,
}

/// Pivots before it counts as feasible.
const PIVOTS: usize = 400;

/// Whether no values satisfy all.
pub(super) fn infeasible(bounds: &[&Bound]) -> bool {
    if bounds.iter().any(|b| refuted_alone(b)) {
        return true;
    }
    let mut columns: BTreeMap<&Monomial, usize> = BTreeMap::new();
    for b in bounds {
        for (m, _) in b.poly.terms().filter(|(m, _)| !m.0.is_empty()) {
            let next = columns.len();
            columns.entry(m).or_insert(next);
        }
    }
    let rows = columns.len();
    let contradicts = |strict: bool| {
        let mut table = vec![vec![Frac::ZERO; bounds.len() + 1]; rows + 1 + usize::from(strict)];
        for (i, b) in bounds.iter().enumerate() {
            for (m, c) in b.poly.terms() {
                match columns.get(m) {
                    Some(row) => table[*row][i] = c,
                    None => table[rows][i] = c.neg()?,
                }
            }
            if strict && b.strict {
                table[rows + 1][i] = Frac::ONE;
            }
        }
        table.last_mut()?[bounds.len()] = Frac::ONE;
        solvable(table)
    };
    contradicts(false) == Some(true)
        || bounds.iter().any(|b| b.strict) && contradicts(true) == Some(true)
}

fn refuted_alone(b: &Bound) -> bool {
    let constant = b.poly.as_constant();
    constant.is_some_and(|c| c.sign() < 0 || b.strict && c.is_zero())
}

/// Whether equations (rows; the last column is the right side, not negative) have a solution that is nowhere negative.
/// Phase one of the simplex method: each row gets a variable of its own, and their sum is made least.
fn solvable(mut table: Vec<Vec<Frac>>) -> Option<bool> {
    let (rows, width) = (table.len(), table.first()?.len());
    let right = width - 1;
    // The numbers of the rows' own variables follow those of the columns.
    let mut basis: Vec<usize> = (0..rows).map(|r| right + r).collect();
    let mut cost = vec![Frac::ZERO; width];
    for row in &table {
        for (c, x) in cost.iter_mut().zip(row) {
            *c = c.add(*x)?;
        }
    }
    for _ in 0..PIVOTS {
        if cost[right].is_zero() {
            return Some(true);
        }
        let Some(enter) = (0..right).find(|j| cost[*j].sign() > 0) else {
            return Some(false);
        };
        let mut leave: Option<(usize, Frac)> = None;
        for (r, row) in table
            .iter()
            .enumerate()
            .filter(|(_, row)| row[enter].sign() > 0)
        {
            let ratio = row[right].div(row[enter])?;
            let better = match leave {
                None => true,
                Some((old, least)) => match ratio.compare(least)? {
                    std::cmp::Ordering::Less => true,
                    std::cmp::Ordering::Equal => basis[r] < basis[old],
                    std::cmp::Ordering::Greater => false,
                },
            };
            if better {
                leave = Some((r, ratio));
            }
        }
        let (pivot, _) = leave?;
        basis[pivot] = enter;
        let by = table[pivot][enter];
        for x in &mut table[pivot] {
            *x = x.div(by)?;
        }
        let row = table[pivot].clone();
        for (r, other) in table.iter_mut().enumerate() {
            if r != pivot {
                eliminate(other, &row, enter)?;
            }
        }
        eliminate(&mut cost, &row, enter)?;
    }
    None
}

fn eliminate(from: &mut [Frac], row: &[Frac], column: usize) -> Option<()> {
    let factor = from[column];
    if factor.is_zero() {
        return Some(());
    }
    for (x, y) in from.iter_mut().zip(row) {
        if !y.is_zero() {
            *x = x.sub(factor.mul(*y)?)?;
        }
    }
    Some(())
}
