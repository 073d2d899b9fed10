//! Ranges and alignment: what is known of all values of an integer expression.
//!
//! Comes in: what is known of operands. Goes out: what that tells of an operation. Division is that of
//! [`crate::scalar::eval`], so a quotient by an unknown divisor may be 0. Absent: expressions.

use crate::arith::gcd;

/// The least and the largest value, where there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    pub lo: Option<i128>,
    pub hi: Option<i128>,
}

impl Range {
    pub(super) const ALL: Range = Range { lo: None, hi: None };

    pub(super) fn of(lo: i128, hi: i128) -> Range {
        Range {
            lo: Some(lo),
            hi: Some(hi),
        }
    }

    /// The only value.
    pub fn point(self) -> Option<i128> {
        self.lo.filter(|lo| Some(*lo) == self.hi)
    }

    pub(super) fn meet(self, o: Range) -> Range {
        let pick = |a: Option<i128>, b: Option<i128>, f: fn(i128, i128) -> i128| match (a, b) {
            (Some(a), Some(b)) => Some(f(a, b)),
            (a, b) => a.or(b),
        };
        Range {
            lo: pick(self.lo, o.lo, i128::max),
            hi: pick(self.hi, o.hi, i128::min),
        }
    }

    pub(super) fn join(self, o: Range) -> Range {
        let both = |a: Option<i128>, b: Option<i128>, f: fn(i128, i128) -> i128| Some(f(a?, b?));
        Range {
            lo: both(self.lo, o.lo, i128::min),
            hi: both(self.hi, o.hi, i128::max),
        }
    }

    pub(super) fn add(self, o: Range) -> Range {
        let sum = |a: Option<i128>, b: Option<i128>| a?.checked_add(b?);
        Range {
            lo: sum(self.lo, o.lo),
            hi: sum(self.hi, o.hi),
        }
    }

    pub(super) fn times(self, k: i128) -> Range {
        let scaled = |b: Option<i128>| b?.checked_mul(k);
        match k {
            0 => Range::of(0, 0),
            1.. => Range {
                lo: scaled(self.lo),
                hi: scaled(self.hi),
            },
            _ => Range {
                lo: scaled(self.hi),
                hi: scaled(self.lo),
            },
        }
    }

    pub(super) fn mul(self, o: Range) -> Range {
        if let Some(k) = self.point() {
            return o.times(k);
        }
        if let Some(k) = o.point() {
            return self.times(k);
        }
        let not_negative = |r: Range| r.lo.is_some_and(|lo| lo >= 0);
        if let (Some(a), Some(b), Some(c), Some(d)) = (self.lo, self.hi, o.lo, o.hi) {
            let all = [(a, c), (a, d), (b, c), (b, d)].map(|(x, y)| x.checked_mul(y));
            return match all {
                [Some(a), Some(b), Some(c), Some(d)] => {
                    Range::of(a.min(b).min(c).min(d), a.max(b).max(c).max(d))
                }
                _ => Range::ALL,
            };
        }
        if not_negative(self) && not_negative(o) {
            Range {
                lo: self.lo.zip(o.lo).and_then(|(a, b)| a.checked_mul(b)),
                hi: None,
            }
        } else {
            Range::ALL
        }
    }

    /// Of the quotient by a value of `o`.
    pub(super) fn div(self, o: Range) -> Range {
        let quotient = |a: i128, b: i128| a.checked_div_euclid(b);
        match (o.lo, o.point()) {
            (_, Some(0)) => Range::of(0, 0),
            (_, Some(k)) if k > 0 => Range {
                lo: self.lo.and_then(|a| quotient(a, k)),
                hi: self.hi.and_then(|a| quotient(a, k)),
            },
            (_, Some(k)) => Range {
                lo: self.hi.and_then(|a| quotient(a, k)),
                hi: self.lo.and_then(|a| quotient(a, k)),
            },
            (Some(least), None) if least >= 1 => Range {
                lo: match (self.lo, o.hi) {
                    (Some(a), _) if a < 0 => quotient(a, least),
                    (Some(a), Some(most)) => quotient(a, most),
                    (Some(_), None) => Some(0),
                    (None, _) => None,
                },
                hi: match (self.hi, o.hi) {
                    (Some(a), _) if a >= 0 => quotient(a, least),
                    (Some(a), Some(most)) => quotient(a, most),
                    (Some(_), None) => Some(-1),
                    (None, _) => None,
                },
            },
            // No quotient is farther from 0 than the dividend.
            _ => match (self.lo, self.hi) {
                (Some(a), Some(b)) => {
                    let most = a.saturating_abs().max(b.saturating_abs());
                    Range::of(-most, most)
                }
                _ => Range::ALL,
            },
        }
    }

    pub(super) fn rem(self, o: Range) -> Range {
        let most = o.lo.zip(o.hi).map(|(a, b)| {
            let size = a.saturating_abs().max(b.saturating_abs());
            (size - 1).max(0)
        });
        let least = match (o.lo, o.hi) {
            (Some(a), _) if a > 0 => a,
            (_, Some(b)) if b < 0 => b.saturating_neg(),
            _ => 0,
        };
        match (self.lo, self.hi) {
            (Some(a), Some(b)) if a >= 0 && b < least => self,
            (Some(a), Some(b)) if a >= 0 => Range::of(0, most.map_or(b, |m| m.min(b))),
            _ => Range {
                lo: Some(0),
                hi: most,
            },
        }
    }
}

/// All values are `rest` modulo `modulus`; a modulus of 0 means that they are `rest`, one of 1 says nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Alignment {
    pub modulus: i128,
    pub rest: i128,
}

impl Alignment {
    pub(super) const ANY: Alignment = Alignment {
        modulus: 1,
        rest: 0,
    };

    pub(super) fn new(modulus: i128, rest: i128) -> Alignment {
        match modulus {
            0 => Alignment { modulus, rest },
            m => Alignment {
                modulus: m.saturating_abs(),
                rest: rest.checked_rem_euclid(m).unwrap_or(0),
            },
        }
    }

    pub(super) fn add(self, o: Alignment) -> Alignment {
        match self.rest.checked_add(o.rest) {
            Some(rest) => Alignment::new(gcd(self.modulus, o.modulus), rest),
            None => Alignment::ANY,
        }
    }

    pub(super) fn mul(self, o: Alignment) -> Alignment {
        // (m·a + r)(n·b + s) = m·n·ab + m·s·a + n·r·b + r·s
        let product = |a: i128, b: i128| a.checked_mul(b);
        let all = [
            product(self.modulus, o.modulus),
            product(self.modulus, o.rest),
            product(o.modulus, self.rest),
            product(self.rest, o.rest),
        ];
        match all {
            [Some(a), Some(b), Some(c), Some(rest)] => Alignment::new(gcd(gcd(a, b), c), rest),
            _ => Alignment::ANY,
        }
    }

    pub(super) fn join(self, o: Alignment) -> Alignment {
        match self.rest.checked_sub(o.rest) {
            Some(apart) => Alignment::new(gcd(gcd(self.modulus, o.modulus), apart), self.rest),
            None => Alignment::ANY,
        }
    }
}

/// Where a whole number lies that, k-fold, is at least `-c`; k is not 0.
pub(super) fn bound(k: i128, c: i128) -> Range {
    match k > 0 {
        // ⌈-c/k⌉ = -⌊c/k⌋
        true => Range {
            lo: c.checked_div_euclid(k).and_then(i128::checked_neg),
            hi: None,
        },
        false => Range {
            lo: None,
            hi: k.checked_neg().and_then(|k| c.checked_div_euclid(k)),
        },
    }
}
