//! Expressions as fractions.

use super::{gcd, Mono, Nat, Rat};

impl Nat {
    /// Numerator and denominator, both without division.
    pub fn fraction(self) -> (Nat, Nat) {
        let mut common = Mono::one();
        let mut den = 1i64;
        for (m, c) in self.terms().iter() {
            den = lcm(den, c.den());
            for (a, e) in m.factors() {
                let have = common.factors().find(|f| f.0 == a).map_or(0, |f| f.1);
                for _ in have..-e {
                    common = common.mul(&Mono::atom(a));
                }
            }
        }
        let d = Nat::from_terms([(common, Rat::int(den))]);
        (self * d, d)
    }
}

/// The least common multiple of positive numbers, or the largest number there is.
pub fn lcm(a: i64, b: i64) -> i64 {
    let gcd = gcd(a.into(), b.into()) as i64;
    (a / gcd.max(1)).saturating_mul(b)
}
