//! Random data by type.
//!
//! Comes in: a seed and a shape; goes out: a value. Invariant: the same seed
//! gives the same value on every machine. Absent: random functions and
//! programs, which are terms (`generate`).

use super::build::Builder;
use super::scalar::{float, wrap};
use super::{Elem, InterpError, Num, Shape, Sizes, Value};
use crate::term::Lit;
use crate::ty::{Scalar, Ty};

/// A small generator (splitmix64: Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The generator of that seed.
    pub fn new(seed: u64) -> Rng {
        Rng(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 for `n = 0`.
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// A number in `low ..= high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low.wrapping_add(self.below(high.wrapping_sub(low).wrapping_add(1) as u64) as i64)
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// One of them; there must be one.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }

    /// Uniform in [0, 1), a multiple of 2⁻²⁴.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 40) as f64 / (1u64 << 24) as f64
    }
}

/// Which numbers are drawn.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Numbers {
    /// Whole numbers from -4 to 4 (0 to 8 without sign) of every type: sums and
    /// products of a few thousand of them are exact in f32.
    Whole,
    /// Floats uniform in [-1, 1), other types as for `Whole`.
    Unit,
    /// Every bit pattern, edges preferred: NaN, infinities, zeros of both signs,
    /// the least and the largest integer; and floats of such magnitudes that sums of them are rounded.
    Any,
}

/// A random number of a type.
pub fn num(rng: &mut Rng, e: Elem, numbers: Numbers) -> Num {
    let s = match e {
        Elem::Idx(n) => return Num::Int(rng.below(n.into()) as i64),
        Elem::Scalar(Scalar::Bool) => return Num::Int(rng.below(2) as i64),
        Elem::Scalar(s) => s,
    };
    if numbers == Numbers::Any {
        return any(rng, s);
    }
    if numbers == Numbers::Unit && s.is_float() {
        return float(2.0 * rng.unit() - 1.0, s);
    }
    let low = if s.is_float() || s.is_signed() { -4 } else { 0 };
    let x = rng.between(low, low + 8);
    match s.is_float() {
        true => float(x as f64, s),
        false => Num::Int(x),
    }
}

fn any(rng: &mut Rng, s: Scalar) -> Num {
    let edge = rng.one_in(2);
    // What is so small, and what is so large, is a number of the type, and half of it, or twice as much, hardly.
    let least = match s {
        Scalar::F64 => 1e-308,
        Scalar::F16 => 2e-5,
        _ => 4e-39,
    };
    let pick = |rng: &mut Rng| {
        let edges = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            least,
            1.0 / least,
            0.1,
        ];
        *rng.pick(&edges)
    };
    match s {
        s if s.is_float() && edge => float(pick(rng), s),
        s if s.is_half() && rng.one_in(4) => Num::F32(s.of_half_bits(rng.bits() as u16)),
        Scalar::F32 if rng.one_in(4) => Num::F32(f32::from_bits(rng.bits() as u32)),
        Scalar::F64 if rng.one_in(4) => Num::F64(f64::from_bits(rng.bits())),
        s if s.is_float() => float(near(rng), s),
        _ => {
            let (least, most) = s.bounds();
            let x = match edge {
                true => *rng.pick(&[least, least + 1, 0, 1, -1, 2, most - 1, most]),
                false => i128::from(rng.bits() as i64),
            };
            Num::Int(wrap(x, s))
        }
    }
}

/// A number of any sign and full precision, from 2⁻⁸ to 2⁸.
fn near(rng: &mut Rng) -> f64 {
    let fraction = 1.0 + (rng.bits() >> 11) as f64 / (1u64 << 53) as f64;
    let sign = if rng.one_in(2) { 1.0 } else { -1.0 };
    sign * fraction * 2f64.powi(rng.between(-8, 7) as i32)
}

/// A random value of a shape.
pub fn value(rng: &mut Rng, shape: &Shape, numbers: Numbers) -> Value {
    drawn(rng, shape, &|rng, e| num(rng, e, numbers))
}

fn drawn(rng: &mut Rng, shape: &Shape, draw: &dyn Fn(&mut Rng, Elem) -> Num) -> Value {
    match shape {
        Shape::Leaf(e, dims) => match &dims[..] {
            [] => Value::Num(draw(rng, *e)),
            [n, inner @ ..] => {
                let item = Shape::Leaf(*e, inner.to_vec());
                let mut out = Builder::new(&item, *n);
                let count = dims.iter().fold(1u64, |a, &d| a * u64::from(d));
                for _ in 0..count {
                    let x = Value::Num(draw(rng, *e));
                    // Only functions are refused.
                    let _ = out.push(&x);
                }
                out.finish(*n)
            }
        },
        Shape::Pair(a, b) => {
            let a = drawn(rng, a, draw);
            Value::pair(a, drawn(rng, b, draw))
        }
    }
}

/// A number of a type that is one of some, or next to it where it is whole; nothing where that one is none of the type.
fn next_to(rng: &mut Rng, e: Elem, some: &[Lit]) -> Option<Num> {
    let Elem::Scalar(s) = e else { return None };
    match *rng.pick(some) {
        Lit::Int(n) if s.is_int() => Some(Num::Int(wrap(n + i128::from(rng.between(-1, 1)), s))),
        Lit::F32(bits) if s.is_float() => Some(float(f64::from(f32::from_bits(bits)), s)),
        Lit::F64(bits) if s.is_float() => Some(float(f64::from_bits(bits), s)),
        _ => None,
    }
}

/// A random value of a data type, of whose numbers a third lie at some others, or next to them.
pub fn value_near(
    rng: &mut Rng,
    ty: Ty,
    (sizes, numbers): (&Sizes, Numbers),
    some: &[Lit],
) -> Result<Value, InterpError> {
    let shape = Shape::of(ty, sizes)?;
    let draw = |rng: &mut Rng, e| {
        let near = !some.is_empty() && rng.one_in(3);
        let found = near.then(|| next_to(rng, e, some)).flatten();
        found.unwrap_or_else(|| num(rng, e, numbers))
    };
    Ok(drawn(rng, &shape, &draw))
}

/// A random value of a data type.
pub fn value_of(
    rng: &mut Rng,
    ty: Ty,
    sizes: &Sizes,
    numbers: Numbers,
) -> Result<Value, InterpError> {
    value_near(rng, ty, (sizes, numbers), &[])
}
