//! Floats with a bound on what rounding makes of them.
//!
//! Comes in: operations and their operands; goes out: the value in f64, and how far any evaluation in the operands' type may be
//! from it that groups sums and products as it likes, contracts `a*b + c` or not, and rounds every operation to nearest.
//! Invariant: the bound is one for this number alone. What is added and multiplied is a polynomial: its error is at most
//! γ_k = k·u / (1 - k·u) times its value with all terms positive, k being the roundings that a term may pass (Higham, Accuracy
//! and Stability of Numerical Algorithms, lemma 3.1 and section 4.2); other operations carry what their operands may be
//! off. Where nothing can be said (what overflows, or divides by what may be 0) the bound is infinite. Absent: numbers that
//! are no floats; where a float that is not exact decides between them, that is noted ([`doubt`]).

use crate::term::{Function, Op};
use crate::ty::Scalar;
use std::cell::Cell;

/// What a kernel computes of a function of one float, by the C library or, where a sketch permits to approximate, on
/// vectors, is within so many units of the last place.
pub const FUNCTION_ULPS: f64 = 2.0;

thread_local! {
    static ON: Cell<bool> = const { Cell::new(false) };
    static DOUBT: Cell<bool> = const { Cell::new(false) };
}

/// A float with its bound.
#[derive(Copy, Clone, Debug)]
pub struct Bounded {
    /// In wide arithmetic.
    pub value: f64,
    /// Of the finite terms that were added up, all together.
    magnitude: f64,
    /// At least what any part of these terms may be, whichever of their factors are multiplied first.
    part: f64,
    /// Roundings that a term may pass.
    roundings: f64,
    /// What the terms themselves may be off.
    error: f64,
    /// A power of two, at most 1, of which every factor of every term is a multiple, their product taken; 0 if there is none.
    granule: f64,
    /// The type that it is computed in.
    pub of: Scalar,
}

/// What a number of a type may be off for each rounding, relative to it.
fn unit(of: Scalar) -> f64 {
    let single = f64::from(f32::EPSILON) / 2.0;
    match of {
        // Computed in f32, and rounded again.
        Scalar::F16 => 2f64.powi(-11) + 2.0 * single,
        Scalar::Bf16 => 2f64.powi(-8) + 2.0 * single,
        Scalar::F32 => single,
        // The value itself is rounded, too.
        _ => f64::EPSILON,
    }
}

/// Multiples of a granule have no rounding up to so many granules.
fn digits(of: Scalar) -> f64 {
    2f64.powi(match of {
        Scalar::F16 => 11,
        Scalar::Bf16 => 8,
        Scalar::F32 => 24,
        _ => 53,
    })
}

/// The largest power of two, at most 1, of which a float is a multiple.
fn granule(x: f64) -> f64 {
    let exponent = (x.to_bits() >> 52 & 0x7ff) as i32 - 1075;
    let digits = x.to_bits() & ((1 << 52) - 1) | 1 << 52;
    match exponent {
        _ if x == 0.0 => 1.0,
        // Of denormal numbers and of what is no number nothing is exact.
        -1075 | 972 => 0.0,
        _ => 2f64
            .powi(exponent + digits.trailing_zeros() as i32)
            .min(1.0),
    }
}

/// The unit, the least number, the largest one, and the digits of a type.
pub fn constants(of: Scalar) -> [f64; 4] {
    [unit(of), least(of), most(of), digits(of)]
}

/// Whether a type of floats has all numbers of another one.
pub fn has_all_of(one: Scalar, other: Scalar) -> bool {
    one == other || unit(other) > unit(one) && !(other == Scalar::Bf16 && one == Scalar::F16)
}

/// The largest finite number.
fn most(of: Scalar) -> f64 {
    match of {
        Scalar::F16 => 65504.0,
        Scalar::Bf16 => 255.0 * 2f64.powi(120),
        Scalar::F32 => f64::from(f32::MAX),
        _ => f64::MAX,
    }
}

/// The least number above zero.
fn least(of: Scalar) -> f64 {
    match of {
        Scalar::F16 => 2f64.powi(-24),
        Scalar::Bf16 => 2f64.powi(-133),
        Scalar::F32 => f64::from(f32::from_bits(1)),
        _ => f64::from_bits(1),
    }
}

/// Evaluates with bounds; and whether something was in doubt.
pub(super) fn bounded<T>(f: impl FnOnce() -> T) -> (T, bool) {
    ON.set(true);
    DOUBT.set(false);
    let result = f();
    ON.set(false);
    (result, DOUBT.get())
}

/// Whether floats are to have bounds.
pub(super) fn wanted() -> bool {
    ON.get()
}

fn doubt() {
    DOUBT.set(true);
}

impl Bounded {
    /// A float that is exact.
    pub fn exact(value: f64, of: Scalar) -> Bounded {
        Bounded::leaf(value, 0.0, 0.0, of)
    }

    /// How far a float may be off.
    pub fn bound(&self) -> f64 {
        // Infinities and NaN have no rounding.
        if !self.value.is_finite() {
            return if self.error.is_finite() {
                0.0
            } else {
                f64::INFINITY
            };
        }
        let k = self.roundings * unit(self.of);
        // At least (1 + u)^k - 1, which is finite where γ_k is not.
        let gamma = if k < 0.5 {
            k / (1.0 - k)
        } else {
            k.exp() - 1.0
        };
        match gamma == 0.0 || self.is_whole() || self.magnitude + self.error == 0.0 {
            true => self.error,
            false => gamma * (self.magnitude + self.error) + self.error,
        }
    }

    /// Whether in every order all parts are multiples of one granule, and so few of them that none is rounded.
    fn is_whole(&self) -> bool {
        self.granule >= least(self.of) && self.part <= digits(self.of) * self.granule
    }

    /// What is no sum.
    fn leaf(value: f64, error: f64, roundings: f64, of: Scalar) -> Bounded {
        let magnitude = if value.is_finite() { value.abs() } else { 0.0 };
        Bounded {
            value,
            magnitude,
            part: magnitude.max(1.0),
            roundings,
            error,
            granule: match roundings == 0.0 && error == 0.0 {
                true => granule(value),
                false => 0.0,
            },
            of,
        }
        .unless_overflowing()
    }

    /// Without a bound where finite numbers may, in some order, leave their type.
    fn unless_overflowing(mut self) -> Bounded {
        let computed = self.roundings > 0.0 || self.error > 0.0;
        if computed && self.part * (1.0 + 1e-6) + self.error > most(self.of) {
            self.error = f64::INFINITY;
        }
        self
    }

    /// The least number that is no zero: what a result may lose besides.
    fn tiny(&self) -> f64 {
        least(self.of)
    }

    fn polynomial(self, other: Bounded, sum: Bounded) -> Bounded {
        // Which terms are infinite depends on what is multiplied out.
        let unknown = sum.value.is_nan() && !self.value.is_nan() && !other.value.is_nan();
        let error = match unknown || sum.error.is_nan() {
            true => f64::INFINITY,
            false => sum.error,
        };
        let roundings = self.roundings + other.roundings + 1.0;
        Bounded {
            error,
            roundings,
            ..sum
        }
        .unless_overflowing()
    }

    pub fn plus(self, other: Bounded) -> Bounded {
        let sum = Bounded {
            value: self.value + other.value,
            magnitude: self.magnitude + other.magnitude,
            part: self.part + other.part,
            error: self.error + other.error,
            granule: self.granule.min(other.granule),
            ..self
        };
        self.polynomial(other, sum)
    }

    pub fn times(self, other: Bounded) -> Bounded {
        let off = |e: f64, by: f64| if e == 0.0 { 0.0 } else { e * by };
        let part = self.part * other.part;
        let mut product = Bounded {
            value: self.value * other.value,
            magnitude: self.magnitude * other.magnitude,
            part,
            error: off(self.error, other.magnitude + other.error)
                + off(other.error, self.magnitude),
            granule: self.granule * other.granule,
            ..self
        };
        // Parts that are as good as nothing lose digits, which the other factors make larger.
        if !product.is_whole() {
            product.error += self.tiny() * part;
        }
        // An infinity times a sum is not what its products are together.
        let sum = |f: Bounded| f.value.is_finite() && f.roundings > 0.0;
        match product.value.is_infinite() && (sum(self) || sum(other)) {
            true => Bounded {
                error: f64::INFINITY,
                ..product
            },
            false => self.polynomial(other, product),
        }
    }

    fn over(self, other: Bounded) -> Bounded {
        let (e, by, z) = (self.bound(), other.bound(), self.value / other.value);
        let finite = self.value.is_finite() && other.value.is_finite() && other.value != 0.0;
        // The sign of a zero depends on the order in which it came about.
        let signed = other.value == 0.0 && !z.is_nan() && other.roundings > 0.0;
        let exact = !finite && !signed || finite && self.halves(other.value, z);
        if e == 0.0 && by == 0.0 && exact {
            return Bounded::leaf(z, 0.0, 0.0, self.of);
        }
        let error = match z.is_finite() && by < other.value.abs() {
            true => (e + z.abs() * by) / (other.value.abs() - by),
            false => f64::INFINITY,
        };
        Bounded::leaf(z, error + self.tiny(), 1.0, self.of)
    }

    /// Whether the quotient by a power of two is its value, however that is computed.
    fn halves(&self, by: f64, quotient: f64) -> bool {
        let power = by.to_bits() & ((1 << 52) - 1) == 0;
        power && quotient.abs() <= most(self.of) && granule(quotient) >= least(self.of)
    }

    /// What division leaves: where every number that both may be has the same quotient, as near as they are.
    fn rest(self, other: Bounded) -> Bounded {
        let (e, by) = (self.bound(), other.bound());
        let (a, b) = (self.value.abs(), other.value.abs());
        let [least, times] = [(a - e) / (b + by), (a + e) / (b - by)].map(f64::trunc);
        let error = match e == 0.0 && by == 0.0 {
            true => 0.0,
            false if by < b && least == times && times < 1e15 => e + times * by,
            false => f64::INFINITY,
        };
        Bounded::leaf(self.value % other.value, error, 0.0, self.of)
    }

    pub fn negated(self) -> Bounded {
        Bounded {
            value: -self.value,
            ..self
        }
    }

    /// Of two, by `<` or `>`: with the permission to regroup, zeros and NaN are not told apart.
    fn either(self, other: Bounded, value: f64) -> Bounded {
        let error = match self.value.is_nan() || other.value.is_nan() {
            true => f64::INFINITY,
            false => self.bound().max(other.bound()),
        };
        Bounded::leaf(value, error, 0.0, self.of)
    }

    /// A function that grows, or falls, all the way.
    fn monotone(self, f: fn(f64) -> f64) -> Bounded {
        let (e, z) = (self.bound(), f(self.value));
        let off = match e {
            0.0 => 0.0,
            // It may be no number.
            f64::INFINITY => f64::INFINITY,
            // At the border of where it is defined one side is no number, and `max` would forget it.
            _ => {
                let sides = [self.value - e, self.value + e].map(|x| (f(x) - z).abs());
                if sides.iter().any(|s| s.is_nan()) {
                    f64::INFINITY
                } else {
                    sides[0].max(sides[1])
                }
            }
        };
        self.library(z, off)
    }

    /// What a library computes, see [`FUNCTION_ULPS`].
    fn library(self, z: f64, off: f64) -> Bounded {
        let known =
            z.is_finite() && !off.is_nan() || self.bound() == 0.0 && !self.value.is_finite();
        let off = if known { off } else { f64::INFINITY };
        let exact = off == 0.0 && !z.is_finite();
        match exact {
            true => Bounded::leaf(z, 0.0, 0.0, self.of),
            // A unit of the last place is at most two roundings; below the normal numbers it is the least one.
            false => {
                let off = off + FUNCTION_ULPS * self.tiny();
                Bounded::leaf(z, off, 2.0 * FUNCTION_ULPS, self.of)
            }
        }
    }

    /// As another type of floats.
    pub(super) fn cast(self, to: Scalar) -> Bounded {
        match has_all_of(to, self.of) {
            true => Bounded::leaf(self.value, self.bound(), 0.0, to),
            false => Bounded::leaf(self.value, self.bound() + least(to), 1.0, to),
        }
    }

    /// Its value, where every number that it may be gives the same.
    pub(super) fn decides<T: PartialEq>(self, f: impl Fn(f64) -> T) -> T {
        let (e, result) = (self.bound(), f(self.value));
        // The sign of a zero depends on the order in which it came about.
        if self.value == 0.0 && self.roundings > 0.0 && f(0.0) != f(-0.0) {
            doubt();
        }
        if e > 0.0 && (f(self.value - e) != result || f(self.value + e) != result) {
            doubt();
        }
        result
    }
}

pub fn binary(op: Op, a: Bounded, b: Bounded) -> Bounded {
    match op {
        Op::Add => a.plus(b),
        Op::Sub => a.plus(b.negated()),
        Op::Mul => a.times(b),
        Op::Div => a.over(b),
        Op::Mod => a.rest(b),
        Op::Min => a.either(b, if a.value < b.value { a.value } else { b.value }),
        _ => a.either(b, if a.value > b.value { a.value } else { b.value }),
    }
}

/// `neg` or `abs`.
pub fn unary(op: Op, a: Bounded) -> Bounded {
    match op {
        Op::Neg => a.negated(),
        _ => Bounded::leaf(a.value.abs(), a.bound(), 0.0, a.of),
    }
}

pub fn function(f: Function, a: Bounded) -> Bounded {
    match f {
        Function::Sqrt => a.monotone(f64::sqrt),
        Function::Exp => a.monotone(f64::exp),
        Function::Exp2 => a.monotone(f64::exp2),
        Function::Log => a.monotone(f64::ln),
        Function::Tanh => a.monotone(f64::tanh),
        // Their slope is at most 1.
        Function::Sin => a.library(a.value.sin(), a.bound()),
        Function::Cos => a.library(a.value.cos(), a.bound()),
    }
}

pub(super) fn fma(a: Bounded, b: Bounded, c: Bounded) -> Bounded {
    a.times(b).plus(c)
}

/// How two compare; what may be one way or the other is in doubt.
pub(super) fn order(a: Bounded, b: Bounded) -> Option<std::cmp::Ordering> {
    let off = a.bound() + b.bound();
    if off > 0.0 && (off.is_infinite() || (a.value - b.value).abs() <= off) {
        doubt();
    }
    a.value.partial_cmp(&b.value)
}
