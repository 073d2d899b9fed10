//! What follows from an assumption: for sizes alone, for one variable alone, for the sides of minima.
//!
//! In: a number that is not negative, under what is known. Out: other numbers that are not negative then. Invariant: each holds wherever
//! holds what is known; to leave one away is always right. Absent: what is known, questions (`known`).

use super::known::{Known, ENDS};
use super::parts::{factor, first_factor, remainder, tightened, undivided, vars_in};
use super::system::is_integer;
use crate::arith::{AtomKind, Nat, Rat, Signs};
use crate::intern::Symbol;

/// What is noted to follow from one assumption and others, at most.
const FOLLOWING: usize = 6;
/// Variables of a number for each of which alone it is noted what follows, at most.
const ALONE: usize = 3;

impl Known {
    /// What follows for sizes, of which alone is asked where a question names no variable: from the number itself, and with
    /// others that bound its variable from the other side.
    fn of_sizes(&self, n: Nat) -> Vec<Nat> {
        let divided = undivided(n)
            .filter(|(u, by)| !self.is_fact(*u) && self.known_sign(*by - Nat::int(1)))
            .map(|d| d.0);
        let mut found: Vec<Nat> = self.without_ranges(n).into_iter().chain(divided).collect();
        for product in [n].into_iter().chain(found.first().copied()) {
            found.extend(self.of_factors(product));
        }
        found.extend(self.of_dividend(n));
        found.extend(self.for_one_variable(n));
        let facts = self.facts.borrow();
        for v in n.vars().iter().copied() {
            if self.range_of(v).is_none() {
                continue;
            }
            let of = |n: Nat| self.factor(n, v);
            let Some(c) = of(n) else { continue };
            // A number bounds it.
            let bound = |n: Nat, c: i64| (n - Nat::int(c) * Nat::var(v)).as_int().is_some();
            let is_bound = bound(n, c);
            for other in facts.added_about(v) {
                if found.len() >= FOLLOWING {
                    return found;
                }
                let Some(d) = of(other).filter(|d| d.signum() == -c.signum()) else {
                    continue;
                };
                let sum = n * Nat::int(d.abs()) + other * Nat::int(c.abs());
                // Or no variable is left.
                let fits =
                    is_bound || bound(other, d) || !vars_in(sum, |w| self.range_of(w).is_some());
                let new = sum.as_int().is_none() && !facts.is_added(sum) && !found.contains(&sum);
                if fits && new {
                    found.push(tightened(sum));
                }
            }
        }
        found
    }

    /// What follows for each of a few variables alone, from the ends of the ranges of the others: a question about one variable sees no
    /// fact that names another one.
    fn for_one_variable(&self, n: Nat) -> Vec<Nat> {
        let ranged = |n: Nat| -> Vec<Symbol> {
            let vars = n.vars();
            let ranged = vars.iter().filter(|v| self.range_of(**v).is_some());
            ranged.copied().collect()
        };
        let vars = ranged(n);
        if !(2..=ALONE).contains(&vars.len()) {
            return Vec::new();
        }
        let most = |n: Nat, v: Symbol| {
            let c = self.factor(n, v)?;
            let (lo, hi) = self.range_of(v)?;
            Some(n.subst_var(v, if c > 0 { hi } else { lo }))
        };
        let of = |v: &Symbol| {
            let mut others = vars.iter().filter(|w| *w != v);
            let alone = tightened(others.try_fold(n, |n, w| most(n, *w))?);
            let c = self.factor(alone, *v).filter(|c| *c != 0)?;
            let (lo, hi) = self.range_of(*v)?;
            // What the range of the variable says itself is no news.
            let least = alone.subst_var(*v, if c > 0 { lo } else { hi });
            let new = least.as_int().is_none_or(|n| n < 0) && !self.is_fact(alone);
            (new && ranged(alone) == [*v]).then_some(alone)
        };
        vars.iter().filter_map(of).collect()
    }

    /// A remainder is what is left of a number without the multiples of what divides, and no more than it.
    fn of_dividend(&self, n: Nat) -> Vec<Nat> {
        let Some((atom, x, by)) = remainder(n) else {
            return Vec::new();
        };
        let with = |m: Nat| n.map_atoms(&mut |a| (a == atom).then_some(m));
        let whole = self.known_sign(x).then(|| with(x));
        let left = with(x - by * x.floor_div(by));
        let new = whole.into_iter().chain([left]);
        new.filter(|n| n.as_int().is_none() && !self.is_fact(*n))
            .collect()
    }

    /// Of whole factors of a product that is positive each is, if all but one of them are not negative.
    fn of_factors(&self, n: Nat) -> Vec<Nat> {
        let constant = n.terms().iter().find(|(m, _)| m.is_one()).map(|t| t.1);
        let Some(c) = constant.and_then(Rat::as_int).filter(|c| *c < 0) else {
            return Vec::new();
        };
        let (mut all, mut rest) = (Vec::new(), n - Nat::int(c));
        while let Some((a, other)) = factor(rest).or_else(|| first_factor(rest)) {
            if !self.known_sign(Nat::atom(a)) {
                return Vec::new();
            }
            all.push(Nat::atom(a));
            rest = other;
        }
        if !all.is_empty() {
            all.push(rest);
        }
        {
            let facts = self.facts.borrow();
            let like = |n: Nat| facts.whole_sizes().iter().any(|w| is_integer(n - *w));
            all.retain(|n| is_integer(*n) || like(*n));
        }
        let positive = all.into_iter().map(|n| n - Nat::int(1));
        positive
            .filter(|n| n.as_int().is_none() && !self.is_fact(*n))
            .collect()
    }

    /// What follows for sizes: the most that a number is for any values of the variables in it.
    fn without_ranges(&self, n: Nat) -> Option<Nat> {
        let mut most = n;
        for _ in 0..ENDS {
            let found = (most.vars().iter()).find_map(|v| Some((*v, self.range_of(*v)?)));
            let Some((v, (lo, hi))) = found else {
                let new = most != n && most.as_int().is_none() && !self.is_fact(most);
                return new.then_some(most);
            };
            let c = most.coefficient(v).and_then(Nat::as_int)?;
            most = most.subst_var(v, if c > 0 { hi } else { lo });
        }
        None
    }

    pub(super) fn implied(&self, n: Nat, depth: u32) {
        for fact in self.of_sizes(n) {
            self.is_drawn(fact);
            self.facts.borrow_mut().not_negative(fact);
        }
        let Some((atom, x, y)) = self.choice(n).filter(|_| depth > 0) else {
            return;
        };
        let with = |by: Nat| n.map_atoms(&mut |a| (a == atom).then_some(by));
        let own = Symbol::new("%choice");
        let Some(c) = with(Nat::var(own)).coefficient(own).and_then(Nat::as_int) else {
            return;
        };
        let (x, y) = (with(x), with(y));
        let open = |n: Nat| n.as_int().is_none();
        if (c > 0) == matches!(atom.kind(), AtomKind::Min(..)) {
            [x, y]
                .into_iter()
                .filter(|n| open(*n))
                .for_each(|n| self.follows(n, depth - 1));
            return;
        }
        let never = |n: Nat| match n.as_int() {
            Some(n) => n < 0,
            None => self.facts.borrow().is_not_negative(Nat::int(-1) - n),
        };
        for (this, other) in [(x, y), (y, x)] {
            if open(other) && never(this) {
                self.follows(other, depth - 1);
            }
        }
    }
}
