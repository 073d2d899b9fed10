//! Whether what is known contradicts itself: linear arithmetic over products, quotients and minima.
//!
//! In: numbers that are not negative, ranges of variables. Out: whether no integers are as they say, by adding multiples of
//! them until no term is left (Fourier, Motzkin). Invariant: each row holds wherever holds what is known; to leave one away
//! is always right, so there are limits everywhere. Absent: what is assumed (`known`).

use crate::arith::{gcd, lcm, Atom, AtomKind, Mono, Nat, Rat};
use crate::intern::Symbol;
use rustc_hash::FxHashMap;

/// Rows that are begun with, and that there are on the way.
const FIRST: usize = 160;
const ROWS: usize = 600;

/// What is added up: `Σ factor·column`, which with its constant is not negative. In order of columns, no factor is 0.
type Sum = Vec<(usize, i128)>;

struct System<'a> {
    range_of: &'a dyn Fn(Symbol) -> Option<(Nat, Nat)>,
    columns: Vec<Mono>,
    numbers: FxHashMap<Mono, usize>,
    /// The least constant of each sum says the most.
    rows: FxHashMap<Sum, i128>,
    never: bool,
}

/// Whether there are no integers for which none of these is negative.
pub fn contradict(
    facts: impl Iterator<Item = Nat>,
    range_of: &dyn Fn(Symbol) -> Option<(Nat, Nat)>,
) -> bool {
    let mut all = System {
        range_of,
        columns: Vec::new(),
        numbers: FxHashMap::default(),
        rows: FxHashMap::default(),
        never: false,
    };
    facts.for_each(|n| all.fact(n));
    let mut next = 0;
    while let Some(m) = all.columns.get(next).cloned() {
        next += 1;
        if all.rows.len() < FIRST {
            all.bounds(&m);
        }
    }
    all.eliminated()
}

impl System<'_> {
    /// `n >= 0`
    fn fact(&mut self, n: Nat) {
        let terms = n.terms();
        let Some(common) = denominator(n) else {
            return;
        };
        let (mut sum, mut constant) = (Sum::new(), 0);
        for (m, c) in terms {
            let c = i128::from(c.num()) * i128::from(common / c.den());
            match m.is_one() {
                true => constant = c,
                false => sum.push((self.column(m), c)),
            }
        }
        sum.sort_unstable();
        self.row(sum, constant);
    }

    fn column(&mut self, m: Mono) -> usize {
        let next = self.columns.len();
        let columns = &mut self.columns;
        *self.numbers.entry(m).or_insert_with_key(|m| {
            columns.push(m.clone());
            next
        })
    }

    /// All terms are integers: what their factors have in common is taken out.
    fn row(&mut self, mut sum: Sum, mut constant: i128) {
        let by = sum.iter().fold(0, |g, (_, c)| gcd(g, *c)).abs();
        match by {
            0 => self.never |= constant < 0,
            _ => {
                sum.iter_mut().for_each(|(_, c)| *c /= by);
                constant = constant.div_euclid(by);
                let least = self.rows.entry(sum).or_insert(constant);
                *least = constant.min(*least);
            }
        }
    }

    /// What follows for a product from what its factors are.
    fn bounds(&mut self, m: &Mono) {
        let whole = Nat::from_terms([(m.clone(), Rat::ONE)]);
        let factors: Vec<(Atom, i32)> = m.factors().collect();
        if let [(a, 1)] = factors[..] {
            return self.definition(a, whole);
        }
        let mut signs = factors.iter().map(|(a, _)| self.is_not_negative(*a));
        if signs.all(|s| s) {
            self.fact(whole);
        }
        for (a, _) in factors.iter().filter(|f| f.1 == 1) {
            let mut rest = factors.iter().filter(|f| f.0 != *a);
            let AtomKind::Var(v) = a.kind() else { continue };
            let Some((lo, hi)) = (self.range_of)(v) else {
                continue;
            };
            if rest.all(|f| self.is_not_negative(f.0)) {
                let rest = Nat::from_terms([(m.div(&Mono::atom(*a)), Rat::ONE)]);
                self.fact(whole - rest * lo);
                self.fact(rest * hi - whole);
            }
        }
    }

    fn definition(&mut self, a: Atom, whole: Nat) {
        let by = |d: Nat| d.as_int().filter(|d| *d > 0).map(|_| d);
        // What is below a bound is so much below it, at least.
        let step = |x: Nat| {
            let least = denominator(x).and_then(|d| Rat::new(1, d.into()));
            least.map_or(Nat::int(0), Nat::rat)
        };
        match a.kind() {
            AtomKind::Var(v) => match (self.range_of)(v) {
                Some((lo, hi)) => {
                    self.fact(whole - lo);
                    self.fact(hi - whole);
                }
                None => self.fact(whole),
            },
            AtomKind::Floor(x, d) if by(d).is_some() => {
                self.fact(x - d * whole);
                self.fact(d * whole + d - step(x) - x);
            }
            AtomKind::Ceil(x, d) if by(d).is_some() => {
                self.fact(d * whole - x);
                self.fact(x + d - step(x) - d * whole);
            }
            AtomKind::Mod(x, d) if by(d).is_some() => {
                let rest = x - d * Nat::atom(Atom::new(AtomKind::Floor(x, d))) - whole;
                self.fact(rest);
                self.fact(Nat::int(0) - rest);
                self.fact(whole);
                self.fact(d - step(x) - whole);
            }
            AtomKind::Min(x, y) => [x, y].iter().for_each(|n| self.fact(*n - whole)),
            AtomKind::Max(x, y) => [x, y].iter().for_each(|n| self.fact(whole - *n)),
            _ => {}
        }
    }

    fn is_not_negative(&self, a: Atom) -> bool {
        match a.kind() {
            AtomKind::Var(v) => {
                (self.range_of)(v).is_none_or(|r| r.0.as_int().is_some_and(|lo| lo >= 0))
            }
            AtomKind::Mod(_, d) => d.as_int().is_some_and(|d| d > 0),
            _ => false,
        }
    }

    /// One column after the other is left out, of which the fewest rows come.
    fn eliminated(mut self) -> bool {
        while !self.never {
            let mut count = vec![(0, 0); self.columns.len()];
            for sum in self.rows.keys() {
                for (i, c) in sum {
                    match *c > 0 {
                        true => count[*i].0 += 1,
                        false => count[*i].1 += 1,
                    }
                }
            }
            let here = count.iter().enumerate().filter(|(_, c)| c.0 + c.1 > 0);
            let Some((column, (more, less))) = here.min_by_key(|(_, c)| c.0 * c.1) else {
                return false;
            };
            if self.rows.len() + more * less > ROWS {
                return false;
            }
            let factor = |sum: &Sum| sum.iter().find(|t| t.0 == column).map(|t| t.1);
            let mut with: Vec<(Sum, i128)> = Vec::new();
            self.rows.retain(|sum, constant| {
                let stays = factor(sum).is_none();
                if !stays {
                    with.push((sum.clone(), *constant));
                }
                stays
            });
            let factor = |row: &(Sum, i128)| factor(&row.0).unwrap_or(0);
            for a in with.iter().filter(|r| factor(r) > 0) {
                for b in with.iter().filter(|r| factor(r) < 0) {
                    if let Some((sum, constant)) = added((a, -factor(b)), (b, factor(a))) {
                        self.row(sum, constant);
                    }
                }
            }
        }
        true
    }
}

/// What a number is to be multiplied by such that all factors are whole; `None` if a term itself may not be.
fn denominator(n: Nat) -> Option<i64> {
    let terms = n.terms();
    let common = terms.iter().try_fold(1, |d, (m, c)| {
        (is_whole(m) && d < i64::from(i32::MAX)).then(|| lcm(d, c.den()))
    });
    common.filter(|_| !n.is_overflow())
}

/// Whether a number is whole by its form.
pub fn is_integer(n: Nat) -> bool {
    denominator(n) == Some(1)
}

/// Whether a product is whole by its form: a remainder or a minimum of what is not whole need not be.
fn is_whole(m: &Mono) -> bool {
    let whole = |n: Nat| denominator(n) == Some(1);
    m.factors().all(|(a, e)| match a.kind() {
        AtomKind::Var(_) | AtomKind::Floor(..) | AtomKind::Ceil(..) => e > 0,
        AtomKind::Mod(x, y) | AtomKind::Min(x, y) | AtomKind::Max(x, y) => {
            e > 0 && whole(x) && whole(y)
        }
        _ => false,
    })
}

/// The sum of multiples of two rows; none where numbers grow too large.
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
    let constant = (a.1.checked_mul(by)?).checked_add(b.1.checked_mul(times)?)?;
    Some((sum, constant))
}

#[cfg(test)]
#[path = "../../tests/unit/validate/system.rs"]
mod tests;
