//! What is known of sizes, and what of an obligation is left.

use super::Assumption;
use crate::arith::{gcd, AtomKind, Nat, Rat, Signs};
use crate::index::{Facts, Level};
use std::collections::BTreeSet;

/// An obligation that no sizes satisfy.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Never(pub Assumption);

impl std::fmt::Display for Never {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self.0 {
            Assumption::Divides(d, n) if is_constant(self.0) => {
                write!(f, "a size would be {n}/{d}, no whole number")
            }
            Assumption::NotNegative(n) if is_constant(self.0) => write!(f, "{n} is negative"),
            a => write!(f, "`{a}` holds at no positive sizes"),
        }
    }
}

/// Assumptions that hold, besides that parameters are whole and not negative.
pub struct Known {
    held: Vec<Assumption>,
    facts: Facts,
}

impl Default for Known {
    fn default() -> Known {
        Known::new(&[])
    }
}

impl Known {
    /// That these hold.
    pub fn new(held: &[Assumption]) -> Known {
        let mut known = Known {
            held: Vec::new(),
            facts: Facts::new(Level::Full),
        };
        held.iter().for_each(|a| known.assume(*a));
        known
    }

    /// One more holds.
    pub fn assume(&mut self, a: Assumption) {
        self.held.push(a);
        match a {
            Assumption::Divides(d, n) => {
                self.facts.whole(n.exact_div(d));
                if d.as_int().is_none() && self.facts.is_not_negative(d) {
                    self.facts.not_negative(d - Nat::int(1));
                }
            }
            Assumption::NotNegative(n) => self.facts.not_negative(n),
        }
    }

    /// That `n` is a size.
    pub fn assume_size(&mut self, n: Nat) {
        for a in demands(n) {
            if !always(a) {
                self.assume(a);
            }
        }
    }

    /// Whether `a` follows.
    pub fn implies(&self, a: Assumption) -> bool {
        if self.held.contains(&a) || always(a) {
            return true;
        }
        match a {
            Assumption::NotNegative(n) => self.facts.is_not_negative(n),
            Assumption::Divides(d, n) => {
                let positive = self.facts.is_not_negative(d - Nat::int(1));
                positive && self.facts.rem(n, d) == Nat::int(0)
            }
        }
    }

    /// Whether `n` is a size then.
    pub fn is_size(&self, n: Nat) -> bool {
        demands(n).into_iter().all(|a| self.implies(a))
    }

    /// Whether `n` is a whole number then, of either sign.
    pub fn is_whole(&self, n: Nat) -> bool {
        let mut all = true;
        Assumption::each_division(n, &mut |a| all &= self.implies(a));
        all
    }
}

thread_local! {
    /// That parameters are not negative; it remembers what was asked before.
    static PLAIN: Known = Known::default();
}

/// What makes `n` a size.
fn demands(n: Nat) -> Vec<Assumption> {
    let mut all = Vec::new();
    let mut signs = Vec::new();
    Assumption::each_division(n, &mut |a| all.push(a));
    Assumption::each_sign(n, &mut |a| signs.push(a));
    // What it is divided by first: the sign of a quotient follows.
    all.extend(signs.into_iter().rev());
    all
}

/// Whether it holds whatever the parameters are.
fn always(a: Assumption) -> bool {
    match a {
        Assumption::Divides(d, n) => match (d.as_int(), n.as_int()) {
            (Some(d), Some(n)) => d != 0 && n % d == 0,
            _ => false,
        },
        Assumption::NotNegative(n) => match n.as_rat() {
            Some(r) => r >= Rat::ZERO,
            None => PLAIN.with(|p| p.facts.is_not_negative(n)),
        },
    }
}

/// Whether it holds at no positive parameters.
fn never(a: Assumption) -> bool {
    match a {
        Assumption::Divides(d, n) => match (d.as_int(), n.as_int()) {
            (Some(0), _) => true,
            (Some(d), Some(n)) => n % d != 0,
            (Some(d), None) => !divisible(n, d),
            (None, _) => false,
        },
        Assumption::NotNegative(n) => match n.as_rat() {
            Some(r) => r < Rat::ZERO,
            None => negative(n, &[]),
        },
    }
}

/// Whether `d` divides some value of `n`, by the coefficients: 2 divides no `4*m + 1`.
fn divisible(n: Nat, d: i64) -> bool {
    let mut common = i128::from(d);
    let mut constant = 0;
    for (m, c) in n.terms() {
        match c.as_int() {
            Some(c) if m.is_one() => constant = i128::from(c),
            Some(c) if m.is_integral() => common = gcd(common, c.into()),
            _ => return true,
        }
    }
    constant % common.max(1) == 0
}

/// Whether `n < 0` at all positive parameters at which the others hold.
fn negative(n: Nat, others: &[Assumption]) -> bool {
    let mut known = Known::new(others);
    let mut names = BTreeSet::new();
    for n in others.iter().map(|a| match a {
        Assumption::Divides(_, n) | Assumption::NotNegative(n) => *n,
    }) {
        names.extend(n.vars().iter().copied());
    }
    names.extend(n.vars().iter().copied());
    for v in names {
        known.facts.not_negative(Nat::var(v) - Nat::int(1));
    }
    known.facts.is_not_negative(Nat::int(-1) - n)
}

/// What makes all of these sizes, in their order, without repetition and without what always holds: first what has to be
/// divided, then what must not be negative. With what besides has to be whole, and what not negative.
pub fn assumptions(sizes: &[Nat], whole: &[Nat], signs: &[Nat]) -> Result<Vec<Assumption>, Never> {
    let more = signs;
    let mut divides = Vec::new();
    let mut signs = Vec::new();
    for n in sizes {
        Assumption::each_division(*n, &mut |a| divides.push(a));
        Assumption::each_sign(*n, &mut |a| signs.push(a));
    }
    for n in whole {
        Assumption::each_division(*n, &mut |a| divides.push(a));
    }
    signs.extend(more.iter().map(|n| Assumption::NotNegative(n.fraction().0)));
    let mut out: Vec<Assumption> = Vec::new();
    for a in divides.iter().chain(&signs) {
        if is_constant(*a) && !always(*a) {
            return Err(Never(*a));
        }
        // 4 divides n if 32 does.
        let implied = matches!(a, Assumption::Divides(d, n) if divides.iter().any(|other| {
            let Assumption::Divides(e, o) = other else { return false };
            o == n && e != d
                && matches!((e.as_int(), d.as_int()), (Some(e), Some(d)) if d != 0 && e % d == 0)
        }));
        if !implied && !always(*a) && !out.contains(a) {
            out.push(*a);
        }
    }
    Ok(without_implied(out))
}

/// Without signs that follow from the others: those that divide something are asked first.
fn without_implied(mut all: Vec<Assumption>) -> Vec<Assumption> {
    let divides = |a: &Assumption| match a {
        Assumption::NotNegative(n) => n
            .terms()
            .iter()
            .any(|(m, _)| m.atoms().any(|a| !matches!(a.kind(), AtomKind::Var(_)))),
        Assumption::Divides(..) => false,
    };
    for first in [true, false] {
        let mut at = 0;
        while at < all.len() {
            let a = all[at];
            let asked = matches!(a, Assumption::NotNegative(_)) && divides(&a) == first;
            let others = || {
                { all.iter().copied() }
                    .filter(|o| *o != a)
                    .collect::<Vec<_>>()
            };
            match asked && all.len() > 1 && Known::new(&others()).implies(a) {
                true => {
                    all.remove(at);
                }
                false => at += 1,
            }
        }
    }
    all
}

fn is_constant(a: Assumption) -> bool {
    match a {
        Assumption::Divides(d, n) => d.as_int().is_some() && n.as_int().is_some(),
        Assumption::NotNegative(n) => n.as_rat().is_some(),
    }
}

/// Of what makes these sizes, what is not implied by what holds.
pub fn missing(held: &[Assumption], sizes: &[Nat]) -> Vec<Assumption> {
    let mut known: Option<Known> = None;
    let mut out = Vec::new();
    for a in sizes.iter().flat_map(|n| demands(*n)) {
        if always(a) || held.contains(&a) || out.contains(&a) {
            continue;
        }
        let known = known.get_or_insert_with(|| Known::new(held));
        if !known.implies(a) {
            known.assume(a);
            out.push(a);
        }
    }
    out
}

/// The first of these that no positive parameters satisfy, by itself or together with the others.
pub fn contradiction(all: &[Assumption]) -> Option<Never> {
    let alone = all.iter().find(|a| never(**a));
    let among = |i: &usize| {
        let Assumption::NotNegative(n) = all[*i] else {
            return false;
        };
        let others: Vec<Assumption> = (all.iter().enumerate())
            .filter(|(j, _)| j != i)
            .map(|(_, a)| *a)
            .collect();
        negative(n, &others)
    };
    let found = alone.or_else(|| (0..all.len()).find(among).map(|i| &all[i]));
    found.map(|a| Never(*a))
}
