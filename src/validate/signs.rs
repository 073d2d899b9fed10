//! How it is shown that a number is not negative.
//!
//! In: numbers, under what is known. Out: whether it is seen. Invariant: as of `known`. Absent: what is known, what was asked before
//! (`known`).

use super::known::{Known, ENDS, IMPLIED};
use super::parts::{factor, strides, vars_in};
use super::system::{contradict, is_integer};
use crate::arith::{Atom, AtomKind, Mono, Nat, Rat};
use crate::intern::Symbol;

/// Minima in each other of which both cases are looked at.
const CASES: u32 = 3;
/// Quotients in each other of which the dividend is asked.
const QUOTIENTS: u32 = 3;

impl Known {
    /// Whether a number is not negative: by its strides, by rules and facts, at the ends of ranges, by cases, by its factors. What is
    /// shown is mostly shown by the first of these; the others are tried unless it `fails`.
    pub(super) fn is_shown(&self, n: Nat, fails: impl FnOnce() -> bool) -> bool {
        self.by_strides(n) || self.known_sign(n) || {
            let simple = self.simplify(n);
            simple != n && (self.by_strides(simple) || self.known_sign(simple))
                || self.at_ends(simple)
                || !fails() && self.is_shown_by_parts(simple)
        }
    }

    fn is_shown_by_parts(&self, simple: Nat) -> bool {
        self.by_cases(simple, &self.spans(simple), CASES)
            || self.by_factor(simple)
            || self.by_fact(simple)
            || self.by_parts(simple)
            || self.by_quotients(simple)
            || self.in_quotient(|| self.by_dividend(simple) || self.by_rows(simple))
            || self.by_all(simple)
    }

    /// `s*q + r` where none of them is negative, for the largest sum of sizes s that variables are multiplied by.
    fn by_strides(&self, n: Nat) -> bool {
        let is_size = |v: Symbol| self.range_of(v).is_none();
        strides(n, is_size)
            .is_some_and(|parts| parts.into_iter().all(|n| self.at_least(n, Nat::int(0))))
    }

    /// Whether a number with a minimum or maximum is negative, whichever side that is.
    pub(super) fn never_by_cases(&self, n: Nat) -> bool {
        self.choice(n).is_some() && self.by_cases(self.simplify(Nat::int(-1) - n), &[], CASES)
    }

    /// How far the ends of ranges with a minimum or maximum lie apart, which is not negative: of a number's variables.
    fn spans(&self, n: Nat) -> Vec<Nat> {
        let ranged = n.vars();
        let ranged = ranged.iter().filter_map(|v| self.range_of(*v));
        let spans = ranged.map(|(lo, hi)| hi - lo);
        spans.filter(|n| self.choice(*n).is_some()).collect()
    }

    /// A minimum is one of two, and says then which is smaller. What is not negative besides may contradict that.
    fn by_cases(&self, n: Nat, spans: &[Nat], depth: u32) -> bool {
        let Some((atom, x, y)) = self.choice(n).filter(|_| depth > 0) else {
            return false;
        };
        let least = matches!(atom.kind(), AtomKind::Min(..));
        let less = |x: Nat, y: Nat| if least { y - x } else { x - y };
        [(x, less(x, y)), (y, less(y, x))]
            .into_iter()
            .all(|(by, fact)| {
                if self.known_sign(Nat::int(-1) - fact) {
                    return true;
                }
                let here = |n: Nat| n.map_atoms(&mut |a| (a == atom).then_some(by));
                let len = self.facts.borrow().len();
                self.take(fact, IMPLIED);
                let n = self.simplify(here(n));
                let spans: Vec<Nat> = spans.iter().map(|n| self.simplify(here(*n))).collect();
                let never = |n: &Nat| {
                    let n = Nat::int(-1) - *n;
                    self.known_sign(n) || self.by_cases(n, &[], depth - 1)
                };
                let holds = self.known_sign(n)
                    || self.at_ends(n)
                    || self.by_cases(n, &spans, depth - 1)
                    || spans.iter().any(never);
                self.facts.borrow_mut().forget(len);
                holds
            })
    }

    /// What is a multiple of something that is not negative by something that is not.
    fn by_factor(&self, n: Nat) -> bool {
        factor(n).is_some_and(|(a, rest)| {
            self.known_sign(Nat::atom(a)) && self.at_least(rest, Nat::int(0))
        })
    }

    /// What is more than something that is not negative by a product of what is not.
    fn by_fact(&self, n: Nat) -> bool {
        let vars = n.vars().len();
        n.terms().iter().any(|t| is_product(&t.0))
            && self.known_about(n).into_iter().any(|fact| {
                let rest = n - fact;
                rest.vars().len() < vars && self.by_factor(rest)
            })
    }

    /// What is a multiple of a size and something else, of which neither is negative.
    fn by_parts(&self, n: Nat) -> bool {
        let mut sizes = Vec::new();
        for (m, _) in n.terms().iter().filter(|t| is_product(&t.0)) {
            let sized =
                |a: &Atom| matches!(a.kind(), AtomKind::Var(v) if self.range_of(v).is_none());
            sizes.extend(m.factors().map(|f| f.0).filter(sized));
        }
        sizes.sort_unstable();
        sizes.dedup();
        sizes.into_iter().any(|a| {
            let (with, rest): (Vec<_>, Vec<_>) = { n.terms().iter().cloned() }
                .partition(|(m, _)| m.factors().any(|f| f.0 == a && f.1 > 0));
            let by = Mono::atom(a);
            let with = Nat::from_terms(with.into_iter().map(|(m, c)| (m.div(&by), c)));
            let rest = Nat::from_terms(rest);
            rest != Nat::int(0)
                && [rest, with]
                    .into_iter()
                    .all(|n| self.at_least(n, Nat::int(0)))
        })
    }

    /// A number that is less: quotients by constants that are taken from it are at most what is divided, if they are taken as often.
    fn without_quotients(&self, n: Nat) -> Option<Nat> {
        let mut rest = n;
        for (m, c) in n.terms().iter() {
            let mut factors = m.factors();
            let (Some((atom, 1)), None) = (factors.next(), factors.next()) else {
                continue;
            };
            if let AtomKind::Floor(x, k) = atom.kind() {
                let by = k.as_int().filter(|k| *k > 0)?;
                let times = c.as_int().filter(|c| *c < 0 && c % by == 0)? / by;
                rest = rest - Nat::rat(*c) * Nat::atom(atom) + Nat::int(times) * x;
            }
        }
        (rest != n).then_some(rest)
    }

    /// Whether it is not negative where each quotient by a size is what it is at least or at most, at the end of what is divided.
    fn by_quotients(&self, n: Nat) -> bool {
        let mut rest = n;
        for (m, c) in n.terms().iter() {
            let quotient = Nat::from_terms([(m.clone(), Rat::ONE)]);
            let (x, d) = match quotient.as_atom().map(Atom::kind) {
                Some(AtomKind::Floor(x, d)) if d.as_int().is_none() => (x, d),
                _ => continue,
            };
            let end = { x.vars().iter() }.try_fold(x, |x, v| {
                let Some((lo, hi)) = self.range_of(*v) else {
                    return Some(x);
                };
                let by = self.factor(x, *v)?;
                Some(x.subst_var(*v, if (by > 0) == (*c > Rat::ZERO) { lo } else { hi }))
            });
            let Some(end) = end.filter(|_| self.at_least(d, Nat::int(1))) else {
                return false;
            };
            rest = rest + Nat::rat(*c) * (self.floor(end, d) - quotient);
        }
        rest != n && self.at_least(rest, Nat::int(0))
    }

    /// What is asked of what is divided may be of quotients again, which is not followed for long.
    fn in_quotient(&self, shown: impl Fn() -> bool) -> bool {
        let depth = self.quotients.get();
        if depth == QUOTIENTS {
            return false;
        }
        self.quotients.set(depth + 1);
        let found = shown();
        self.quotients.set(depth);
        found
    }

    /// A quotient is at most, or at least, a number that is whole: so is what is divided, as often. Where a constant divides, rules know
    /// that of what is whole by its form, so that it is asked of what is whole where something divides.
    fn by_dividend(&self, n: Nat) -> bool {
        let one = Nat::int(1);
        n.terms().iter().any(|(m, c)| {
            let quotient = Nat::from_terms([(m.clone(), Rat::ONE)]);
            let Some(AtomKind::Floor(x, d)) = quotient.as_atom().map(Atom::kind) else {
                return false;
            };
            let rest = n - Nat::rat(*c) * quotient;
            let (positive, is_whole) = match d.as_int() {
                Some(d) => (d > 0, !is_integer(rest) && self.is_whole(rest)),
                None => (
                    self.at_least(d, one),
                    is_integer(rest) || self.is_whole(rest),
                ),
            };
            positive
                && is_whole
                && match c.as_int() {
                    Some(1) => self.at_least(x + d * rest, Nat::int(0)),
                    Some(-1) => self.at_least(d * (rest + one) - one, x),
                    _ => false,
                }
        })
    }

    /// Quotients that are taken from it are less than the number of rows that all that is divided has.
    fn by_rows(&self, n: Nat) -> bool {
        let one = Nat::int(1);
        n.terms().iter().any(|(m, c)| {
            let quotient = Nat::from_terms([(m.clone(), Rat::ONE)]);
            let (x, d) = match quotient.as_atom().map(Atom::kind) {
                Some(AtomKind::Floor(x, d)) if d.as_int().is_none() && *c < Rat::ZERO => (x, d),
                _ => return false,
            };
            let Some((by, _)) = d
                .terms()
                .into_iter()
                .next()
                .filter(|_| d.terms().len() == 1)
            else {
                return false;
            };
            let rows = n.terms().into_iter().filter_map(|(m, _)| {
                let whole = m.factors().any(|f| by.factors().any(|b| b.0 == f.0));
                let rows = Nat::from_terms([(m.div(&by), Rat::ONE)]);
                (whole && is_integer(rows)).then_some(rows)
            });
            let fits = |rows: &Nat| self.at_least(d * *rows - one, x);
            let rows = rows
                .into_iter()
                .find(|rows| self.at_least(d, one) && fits(rows));
            let less = |rows| n + Nat::rat(*c) * (rows - one - quotient);
            rows.is_some_and(|rows| self.at_least(less(rows), Nat::int(0)))
        })
    }

    /// Whether a number is whole because something divides.
    fn is_whole(&self, n: Nat) -> bool {
        let facts = self.facts.borrow();
        let like = |w: &Nat| is_integer(n - *w) || is_integer(n + *w);
        facts.whole_sizes().iter().any(like)
    }

    /// Whether that a number with quotients is negative contradicts what is known about it, see `system`.
    fn by_all(&self, n: Nat) -> bool {
        let mut divides = false;
        n.each_atom(&mut |a| {
            use AtomKind::{Ceil, Floor, Mod};
            divides |= matches!(a.kind(), Floor(..) | Ceil(..) | Mod(..));
        });
        let all = { self.known_about(n).into_iter() }.chain([Nat::int(-1) - n]);
        divides && is_integer(n) && contradict(all, &|v| self.range_of(v))
    }

    /// What answers about a number may rest on, as they are kept wherever that is known.
    fn known_about(&self, n: Nat) -> Vec<Nat> {
        self.facts.borrow().about(n).facts().to_vec()
    }

    /// Whether a number is not negative where each variable with a range, one after the other, is at the end of its range
    /// that makes it least.
    fn at_ends(&self, n: Nat) -> bool {
        let (mut e, mut spans) = (n, Vec::new());
        for _ in 0..ENDS {
            let ranged = |v: &Symbol| Some((*v, self.range_of(*v)?));
            let mut vars: Vec<_> = e.vars().iter().filter_map(ranged).collect();
            // First those that others bound.
            vars.sort_by_key(|(v, (lo, hi))| {
                let inner = |n: &Nat| vars_in(*n, |w| w != *v && self.range_of(w).is_some());
                !(inner(lo) || inner(hi))
            });
            let least = vars.into_iter().find_map(|(v, (lo, hi))| {
                let c = e.coefficient(v).filter(|c| !c.mentions(v))?;
                let rest = e - c * Nat::var(v);
                if self.known_sign(c) {
                    Some((rest + c * lo, hi - lo))
                } else if self.known_sign(Nat::int(0) - c) {
                    Some((rest + c * hi, hi - lo))
                } else {
                    None
                }
            });
            let Some((next, span)) = least else {
                let rounded = self.without_quotients(e);
                return e != n && (self.by_factor(e) || self.by_strides(e))
                    || rounded.is_some_and(|e| self.known_sign(e) || self.by_factor(e))
                    || !spans.is_empty() && self.by_cases(e, &spans, CASES);
            };
            spans.extend(Some(span).filter(|n| self.choice(*n).is_some()));
            e = self.simplify(next);
            if self.known_sign(e) {
                return true;
            }
        }
        false
    }
}

fn is_product(m: &Mono) -> bool {
    m.factors().map(|f| f.1).sum::<i32>() > 1
}
