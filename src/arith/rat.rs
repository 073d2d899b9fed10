//! Exact rationals on 64 bits; every operation says when it overflows.

use std::cmp::Ordering;
use std::fmt;

/// A reduced fraction with a positive denominator.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct Rat {
    num: i64,
    den: i64,
}

/// The greatest common divisor, not negative.
pub fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        // Of the least number by -1 the rest is 0.
        (a, b) = (b, a.checked_rem(b).unwrap_or(0));
    }
    a.saturating_abs()
}

// The four operations may fail, so they cannot be the operators.
#[allow(clippy::should_implement_trait)]
impl Rat {
    /// 0
    pub const ZERO: Rat = Rat { num: 0, den: 1 };
    /// 1
    pub const ONE: Rat = Rat { num: 1, den: 1 };

    /// The integer `n`.
    pub const fn int(n: i64) -> Rat {
        Rat { num: n, den: 1 }
    }

    /// `num / den`; `None` for a zero denominator or when it does not fit.
    pub fn new(num: i128, den: i128) -> Option<Rat> {
        if den == 0 {
            return None;
        }
        let g = gcd(num, den).max(1) * den.signum();
        Some(Rat {
            num: i64::try_from(num / g).ok()?,
            den: i64::try_from(den / g).ok()?,
        })
    }

    /// Numerator, with the sign.
    pub fn num(self) -> i64 {
        self.num
    }

    /// Denominator, positive.
    pub fn den(self) -> i64 {
        self.den
    }

    /// The integer it is, if it is one.
    pub fn as_int(self) -> Option<i64> {
        (self.den == 1).then_some(self.num)
    }

    /// Whether it is 0.
    pub fn is_zero(self) -> bool {
        self.num == 0
    }

    /// Sum, if it fits.
    pub fn add(self, o: Rat) -> Option<Rat> {
        if self.den == 1 && o.den == 1 {
            return self.num.checked_add(o.num).map(Rat::int);
        }
        let (a, b) = (self.num as i128, self.den as i128);
        let (c, d) = (o.num as i128, o.den as i128);
        Rat::new(a.checked_mul(d)?.checked_add(c.checked_mul(b)?)?, b * d)
    }

    /// Product, if it fits.
    pub fn mul(self, o: Rat) -> Option<Rat> {
        if self.den == 1 && o.den == 1 {
            return self.num.checked_mul(o.num).map(Rat::int);
        }
        Rat::new(
            self.num as i128 * o.num as i128,
            self.den as i128 * o.den as i128,
        )
    }

    /// Quotient, if the divisor is not 0 and it fits.
    pub fn div(self, o: Rat) -> Option<Rat> {
        Rat::new(
            self.num as i128 * o.den as i128,
            self.den as i128 * o.num as i128,
        )
    }

    /// Its negative, if it fits.
    pub fn neg(self) -> Option<Rat> {
        self.num.checked_neg().map(|num| Rat { num, den: self.den })
    }

    /// Largest integer that is not larger.
    pub fn floor(self) -> i64 {
        self.num.div_euclid(self.den)
    }
}

impl PartialOrd for Rat {
    fn partial_cmp(&self, o: &Rat) -> Option<Ordering> {
        Some(self.cmp(o))
    }
}

impl Ord for Rat {
    fn cmp(&self, o: &Rat) -> Ordering {
        let (a, b) = (
            self.num as i128 * o.den as i128,
            o.num as i128 * self.den as i128,
        );
        a.cmp(&b)
    }
}

impl fmt::Display for Rat {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}", self.num)?;
        if self.den != 1 {
            write!(f, "/{}", self.den)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Rat {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
