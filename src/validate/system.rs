//! Whether what is known contradicts itself: linear arithmetic over products, quotients and minima.
//!
//! In: numbers that are not negative, ranges of variables. Out: whether no integers are as they say.
//! Invariant: each row holds wherever holds what is known; to leave one away is always right, so there are limits everywhere. Absent: what is assumed (`known`).

use crate::arith::{lcm, Atom, AtomKind, Inequalities, Mono, Nat, Rat, Sum};
use crate::intern::Symbol;
use rustc_hash::FxHashMap;

/// Rows that are begun with.
const FIRST: usize = 160;

struct System<'a> {
    range_of: &'a dyn Fn(Symbol) -> Option<(Nat, Nat)>,
    columns: Vec<Mono>,
    numbers: FxHashMap<Mono, usize>,
    rows: Inequalities,
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
        rows: Inequalities::default(),
    };
    facts.for_each(|n| all.fact(n));
    let mut next = 0;
    while let Some(m) = all.columns.get(next).cloned() {
        next += 1;
        if all.rows.len() < FIRST {
            all.bounds(&m);
        }
    }
    all.rows.contradict()
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
        self.rows.add(sum, constant);
    }

    fn column(&mut self, m: Mono) -> usize {
        let next = self.columns.len();
        let columns = &mut self.columns;
        *self.numbers.entry(m).or_insert_with_key(|m| {
            columns.push(m.clone());
            next
        })
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
