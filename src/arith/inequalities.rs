//! Whether linear inequalities over integers contradict each other.
//!
//! In: sums `Σ factor·column + constant` that are not negative; a column is any integer. Out: whether no integers are as
//! they say, by adding multiples of them until no column is left (Fourier, Motzkin), each sum tightened to whole numbers.
//! Invariant: a contradiction is certain; to leave an inequality away is always right, so there is a limit. Absent: what
//! columns stand for.

use super::gcd;
use rustc_hash::FxHashMap;

/// `Σ factor·column`: in order of columns, no factor is 0.
pub type Sum = Vec<(usize, i128)>;

/// Inequalities that there may be on the way.
const ROWS: usize = 600;
/// How many more sums are worth it to leave out a column of which no factor is 1, where whole numbers may be lost, later.
const LOSS: usize = 8;
/// Larger factors are not computed with.
const LARGEST: u128 = 1 << 120;

#[derive(Clone, Default)]
pub struct Inequalities {
    columns: usize,
    /// The least constant of each sum says the most.
    rows: FxHashMap<Sum, i128>,
    never: bool,
}

/// A column to be left out, of how many sums it makes one each, and whether that loses whole numbers.
struct Next {
    column: usize,
    sums: usize,
    loses: bool,
}

impl Inequalities {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// `sum + constant >= 0`; what the factors have in common is taken out.
    pub fn add(&mut self, mut sum: Sum, mut constant: i128) {
        let by = sum.iter().fold(0, |g, (_, c)| gcd(g, *c));
        if by == 0 {
            self.never |= constant < 0;
            return;
        }
        let last = sum.last().map_or(0, |t| t.0 + 1);
        self.columns = self.columns.max(last);
        sum.iter_mut().for_each(|(_, c)| *c /= by);
        constant = constant.div_euclid(by);
        let least = self.rows.entry(sum).or_insert(constant);
        *least = constant.min(*least);
    }

    /// Whether no integers satisfy all. What is equal to a sum of others is replaced by it; then one column after the other is
    /// left out, of which the fewest sums come. If whole numbers were lost, once more where they are lost last.
    pub fn contradict(self) -> bool {
        match self.clone().left_out(LOSS) {
            Some(lost) => lost && self.left_out(ROWS).is_none(),
            None => true,
        }
    }

    /// None where there is a contradiction; else whether whole numbers may have been lost.
    fn left_out(mut self, loss: usize) -> Option<bool> {
        let mut lost = false;
        while !self.never {
            if let Some((sum, constant, column)) = self.equation() {
                self.substitute(&sum, constant, column);
                continue;
            }
            let Some(next) = self.next_column(loss) else {
                return Some(lost);
            };
            lost |= next.loses;
            if self.rows.len() + next.sums > ROWS {
                return Some(lost);
            }
            self.eliminate(next.column);
        }
        None
    }

    /// `sum + constant = 0` where a column has the factor 1 or -1: nothing is lost by computing it from the others. The
    /// shortest, and of these the first by its columns.
    fn equation(&self) -> Option<(Sum, i128, usize)> {
        let unit = |sum: &Sum| sum.iter().find(|t| t.1.abs() == 1).map(|t| t.0);
        let equal = self.rows.iter().filter(|(sum, constant)| {
            let opposite: Sum = sum.iter().map(|(i, c)| (*i, -c)).collect();
            sum[0].1 > 0 && self.rows.get(&opposite).is_some_and(|c| *c == -**constant)
        });
        let found = equal.filter_map(|(sum, constant)| Some((sum, *constant, unit(sum)?)));
        let (sum, constant, column) = found.min_by_key(|(sum, ..)| (sum.len(), *sum))?;
        Some((sum.clone(), constant, column))
    }

    fn substitute(&mut self, sum: &Sum, constant: i128, column: usize) {
        let with = self.take(column);
        let of = |sum: &Sum| sum.iter().find(|t| t.0 == column).map_or(0, |t| t.1);
        let unit = of(sum);
        for row in &with {
            // Both signs of the equation may be added.
            let by = -of(&row.0) * unit;
            if let Some((sum, constant)) = added((row, 1), (&(sum.clone(), constant), by)) {
                self.add(sum, constant);
            }
        }
    }

    /// The next column. Where all factors of one sign are 1, nothing is lost.
    fn next_column(&self, loss: usize) -> Option<Next> {
        let mut count = vec![((0, true), (0, true)); self.columns];
        for (i, c) in self.rows.keys().flatten() {
            let here = &mut count[*i];
            let side = if *c > 0 { &mut here.0 } else { &mut here.1 };
            *side = (side.0 + 1, side.1 && c.abs() == 1);
        }
        let here = (count.into_iter().enumerate()).filter(|(_, (p, n))| p.0 + n.0 > 0);
        let next = here.map(|(column, (p, n))| Next {
            column,
            sums: p.0 * n.0,
            loses: !(p.1 || n.1),
        });
        next.min_by_key(|next| next.sums * if next.loses { loss } else { 1 })
    }

    /// The sums that have a column are taken out.
    fn take(&mut self, column: usize) -> Vec<(Sum, i128)> {
        let mut with: Vec<(Sum, i128)> = Vec::new();
        self.rows.retain(|sum, constant| {
            let stays = sum.iter().all(|t| t.0 != column);
            if !stays {
                with.push((sum.clone(), *constant));
            }
            stays
        });
        with
    }

    fn eliminate(&mut self, column: usize) {
        let with = self.take(column);
        let factor = |row: &(Sum, i128)| row.0.iter().find(|t| t.0 == column).map_or(0, |t| t.1);
        for a in with.iter().filter(|r| factor(r) > 0) {
            for b in with.iter().filter(|r| factor(r) < 0) {
                if let Some((sum, constant)) = added((a, -factor(b)), (b, factor(a))) {
                    self.add(sum, constant);
                }
            }
        }
    }
}

/// The sum of multiples of two inequalities; none where numbers grow too large.
fn added((a, by): (&(Sum, i128), i128), (b, times): (&(Sum, i128), i128)) -> Option<(Sum, i128)> {
    let mut sum = Sum::new();
    let mut all: Vec<(usize, i128, i128)> = Vec::new();
    all.extend(a.0.iter().map(|(i, c)| (*i, *c, by)));
    all.extend(b.0.iter().map(|(i, c)| (*i, *c, times)));
    all.sort_unstable_by_key(|t| t.0);
    for (i, c, by) in all {
        let c = c.checked_mul(by)?;
        match sum.last_mut() {
            Some((j, d)) if *j == i => *d = d.checked_add(c)?,
            _ => sum.push((i, c)),
        }
    }
    sum.retain(|t| t.1 != 0);
    if sum.iter().any(|t| t.1.unsigned_abs() > LARGEST) {
        return None;
    }
    let constant = (a.1.checked_mul(by)?).checked_add(b.1.checked_mul(times)?)?;
    Some((sum, constant))
}
