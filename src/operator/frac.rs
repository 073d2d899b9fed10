//! Exact rationals on 128 bits; every operation says when it overflows.
//!
//! `arith::Rat` holds sizes; the limits of 64-bit integers and what is added to them do not fit there.

use crate::arith::gcd;
use std::cmp::Ordering;
use std::fmt;

/// A reduced fraction with a positive denominator. The derived order is one of representations, for tables.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Frac {
    num: i128,
    den: i128,
}

impl Frac {
    pub const ZERO: Frac = Frac { num: 0, den: 1 };
    pub const ONE: Frac = Frac { num: 1, den: 1 };

    pub const fn int(n: i128) -> Frac {
        Frac { num: n, den: 1 }
    }

    /// `None` for a zero denominator or when it does not fit.
    pub fn new(num: i128, den: i128) -> Option<Frac> {
        if den == 0 || num == i128::MIN || den == i128::MIN {
            return None;
        }
        if den == 1 {
            return Some(Frac::int(num));
        }
        // Division of 128 bits takes ten times as long, and numbers are nearly always small.
        if let (Ok(n), Ok(d)) = (i64::try_from(num), i64::try_from(den)) {
            return Some(Frac::small(n, d));
        }
        let g = gcd(num, den).max(1) * den.signum();
        Some(Frac {
            num: num / g,
            den: den / g,
        })
    }

    fn small(num: i64, den: i64) -> Frac {
        let (mut a, mut b) = (num.unsigned_abs(), den.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let sign = i128::from(den.signum());
        let by = |n: i64| i128::from(n.unsigned_abs() / a);
        Frac {
            num: sign * i128::from(num.signum()) * by(num),
            den: by(den),
        }
    }

    /// The exact value of a finite float, if it fits.
    pub fn of_float(x: f64) -> Option<Frac> {
        if x == 0.0 {
            return Some(Frac::ZERO);
        }
        if !x.is_finite() {
            return None;
        }
        let bits = x.to_bits();
        let exponent = ((bits >> 52) & 0x7ff) as i32;
        let fraction = (bits & ((1 << 52) - 1)) as i128;
        let (mantissa, exponent) = match exponent {
            0 => (fraction, -1074),
            e => (fraction | 1 << 52, e - 1075),
        };
        let twos = mantissa.trailing_zeros() as i32;
        let (mantissa, exponent) = (mantissa >> twos, exponent + twos);
        let sign = if x < 0.0 { -1 } else { 1 };
        match exponent {
            0..=60 => Some(Frac::int((sign * mantissa) << exponent)),
            -100..=-1 => Frac::new(sign * mantissa, 1 << -exponent),
            _ => None,
        }
    }

    pub fn num(self) -> i128 {
        self.num
    }

    pub fn den(self) -> i128 {
        self.den
    }

    pub fn as_int(self) -> Option<i128> {
        (self.den == 1).then_some(self.num)
    }

    pub fn is_zero(self) -> bool {
        self.num == 0
    }

    pub fn sign(self) -> i128 {
        self.num.signum()
    }

    pub fn add(self, o: Frac) -> Option<Frac> {
        if self.den == 1 && o.den == 1 {
            return self.num.checked_add(o.num).map(Frac::int);
        }
        let (a, b) = (self.num.checked_mul(o.den)?, o.num.checked_mul(self.den)?);
        Frac::new(a.checked_add(b)?, self.den.checked_mul(o.den)?)
    }

    pub fn sub(self, o: Frac) -> Option<Frac> {
        self.add(o.neg()?)
    }

    pub fn mul(self, o: Frac) -> Option<Frac> {
        let num = self.num.checked_mul(o.num)?;
        Frac::new(num, self.den.checked_mul(o.den)?)
    }

    pub fn div(self, o: Frac) -> Option<Frac> {
        let num = self.num.checked_mul(o.den)?;
        Frac::new(num, self.den.checked_mul(o.num)?)
    }

    pub fn neg(self) -> Option<Frac> {
        let num = self.num.checked_neg()?;
        Some(Frac { num, den: self.den })
    }

    /// Largest integer that is not larger.
    pub fn floor(self) -> i128 {
        self.num.div_euclid(self.den)
    }

    /// Which is larger, if the difference fits.
    pub fn compare(self, o: Frac) -> Option<Ordering> {
        if self.den == o.den {
            return Some(self.num.cmp(&o.num));
        }
        self.sub(o).map(|d| d.num.cmp(&0))
    }
}

impl fmt::Debug for Frac {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.den {
            1 => write!(f, "{}", self.num),
            den => write!(f, "{}/{den}", self.num),
        }
    }
}
