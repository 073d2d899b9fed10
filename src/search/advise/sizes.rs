//! Sizes that do not divide, and the constants that sizes are made of.

use super::{Advisor, Found, Remedy};
use crate::arith::Nat;
use crate::elab::{RuleUse, Step};
use crate::search::edit::{change, Atom};

/// Another size where a rule was refused because a size does not divide.
pub(super) fn divide(a: &mut Advisor) -> Found {
    let limits = a.limits();
    for (rule, k, n) in a.d.refused.indivisible.clone() {
        let (Some(k), Some(n)) = (k.as_int(), n.as_int()) else {
            continue;
        };
        for with in divisors_near(n, k) {
            if a.spent() {
                return None;
            }
            let step = replaced(a.step, k, with);
            let term = a.term.clone();
            let trying = format!("{with} instead of {k}");
            let Some(reached) = a.search(&trying, &step, &term, &limits) else {
                continue;
            };
            let mut params = a.known.params.iter();
            let param = params.find(|p| p.1 == Nat::int(k)).map(|p| p.0.clone());
            let remedy = Remedy::Divide {
                rule: rule.split('[').next().unwrap_or_default().to_string(),
                k,
                n,
                with,
                param,
            };
            return Some((remedy, reached));
        }
    }
    None
}

/// The largest proper divisor of `n` up to `k`, and the smallest from it on.
pub fn divisors_near(n: i64, k: i64) -> Vec<i64> {
    if n < 4 || k < 1 {
        return Vec::new();
    }
    let divides = |d: &i64| *d > 1 && *d < n && n % d == 0;
    let below = (2..=k.min(n - 1)).rev().take(1 << 16).find(divides);
    let above = (k.saturating_add(1)..n).take(1 << 16).find(divides);
    below.into_iter().chain(above).collect()
}

/// The step with one constant for another, in its rules and in its sketch.
fn replaced(step: &Step, k: i64, with: i64) -> Step {
    let put = |n: Nat| match n == Nat::int(k) {
        true => Nat::int(with),
        false => n,
    };
    let rules = step.rules.iter().map(|u| RuleUse {
        args: u.args.iter().map(|n| put(*n)).collect(),
        ..u.clone()
    });
    let sketch = change(&step.sketch, &mut |atom| {
        Some(match atom {
            Atom::Size(n) => Atom::Size(put(n)),
            other => other,
        })
    });
    Step {
        rules: rules.collect(),
        sketch,
        ..step.clone()
    }
}

/// Whether two sizes differ in their variables only: m/32 and n/32.
pub(super) fn same_form(a: Nat, b: Nat) -> bool {
    let bare = |n: Nat| n.subst_vars(&mut |_| Some(Nat::var("n".into())));
    a.as_rat().is_none() && bare(a) == bare(b)
}

/// The constants of a size: 32 of `32`, of `m/32` and of `32 * m`.
pub fn constants(n: Nat) -> Vec<i64> {
    let mut out = Vec::new();
    for (_, factor) in n.terms() {
        for c in [factor.num().saturating_abs(), factor.den()] {
            if c > 1 && !out.contains(&c) {
                out.push(c);
            }
        }
    }
    out
}
