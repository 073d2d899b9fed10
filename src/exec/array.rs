//! Dense arrays of scalars as bytes: what goes into a kernel and what comes out.
//!
//! In: a scalar type with a length, and a seed or values. Out: an [`Array`] in the machine's byte
//! order, readable as numbers. Invariant: the same seed gives the same array on every machine.
//! Values are small: floats in [-1, 1), integers in ±9, 0 among them: arithmetic is total. Absent: shapes (`interp` has them).

use crate::interp::random::Rng;
use crate::ty::Scalar;

/// `bytes.len()` is a multiple of the scalar's size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    pub scalar: Scalar,
    pub bytes: Vec<u8>,
}

impl Array {
    pub fn random(scalar: Scalar, len: usize, random: &mut Rng) -> Array {
        let mut bytes = Vec::with_capacity(len * scalar.bytes() as usize);
        for _ in 0..len {
            push(&mut bytes, scalar, random_value(scalar, random));
        }
        Array { scalar, bytes }
    }

    /// One number, which is that special one whose turn it is.
    pub fn special(scalar: Scalar, turn: usize) -> Array {
        match scalar {
            Scalar::Bool => Array::of(scalar, [(turn % 2) as f64]),
            s if s.is_float() => {
                let all = special_floats(s);
                Array::of(s, [all[turn % all.len()]])
            }
            s => {
                let all = special_integers(s);
                let bytes = little(all[turn % all.len()], s.bytes() as usize);
                Array { scalar, bytes }
            }
        }
    }

    /// Of a kind of numbers.
    pub fn drawn(scalar: Scalar, len: usize, numbers: Numbers, random: &mut Rng) -> Array {
        let mut bytes = Vec::with_capacity(len * scalar.bytes() as usize);
        for _ in 0..len {
            match (numbers, scalar) {
                (Numbers::Unit, _) | (_, Scalar::Bool) => {
                    push(&mut bytes, scalar, random_value(scalar, random));
                }
                (Numbers::Whole, s) if s.is_float() => {
                    push(&mut bytes, s, random.between(-4, 4) as f64);
                }
                (Numbers::Whole, s) => push(&mut bytes, s, random_value(s, random)),
                (_, s) if s.is_float() => push(&mut bytes, s, numbers.float(s, random)),
                (_, s) => {
                    let x = numbers.integer(s, random);
                    bytes.extend(little(x, s.bytes() as usize));
                }
            }
        }
        Array { scalar, bytes }
    }

    /// Indices below `bound`.
    pub fn random_indices(scalar: Scalar, len: usize, bound: u64, random: &mut Rng) -> Array {
        let mut bytes = Vec::new();
        for _ in 0..len {
            push(&mut bytes, scalar, random.below(bound.max(1)) as f64);
        }
        Array { scalar, bytes }
    }

    /// Offsets of segments that hold all values before the last index below `bound`.
    pub fn random_offsets(scalar: Scalar, len: usize, bound: u64, random: &mut Rng) -> Array {
        let mut all: Vec<u64> = (0..len).map(|_| random.below(bound.max(1))).collect();
        all.sort_unstable();
        if let [first, .., last] = &mut all[..] {
            (*first, *last) = (0, bound.saturating_sub(1));
        }
        Array::of(scalar, all.into_iter().map(|i| i as f64))
    }

    /// Rounds each number to the scalar type.
    pub fn of(scalar: Scalar, numbers: impl IntoIterator<Item = f64>) -> Array {
        let mut bytes = Vec::new();
        for x in numbers {
            push(&mut bytes, scalar, x);
        }
        Array { scalar, bytes }
    }

    pub fn len(&self) -> usize {
        self.bytes.len() / self.scalar.bytes() as usize
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Element `i` as an integer, which every scalar but the floats is.
    pub fn int(&self, i: usize) -> i128 {
        macro_rules! read {
            ($t:ty) => {{
                const N: usize = size_of::<$t>();
                let bytes = self.bytes[i * N..(i + 1) * N].try_into();
                <$t>::from_ne_bytes(bytes.expect("N bytes"))
            }};
        }
        match self.scalar {
            Scalar::Bool => i128::from(self.bytes[i] != 0),
            Scalar::I8 => read!(i8).into(),
            Scalar::I16 => read!(i16).into(),
            Scalar::I32 => read!(i32).into(),
            Scalar::I64 => read!(i64).into(),
            Scalar::U8 => read!(u8).into(),
            Scalar::U16 => read!(u16).into(),
            Scalar::U32 => read!(u32).into(),
            Scalar::U64 => read!(u64).into(),
            Scalar::F16 | Scalar::Bf16 => self.number(i) as i128,
            Scalar::F32 => read!(f32) as i128,
            Scalar::F64 => read!(f64) as i128,
        }
    }

    /// Element `i` as a number; integers beyond 2^53 are rounded.
    pub fn number(&self, i: usize) -> f64 {
        let n = self.scalar.bytes() as usize;
        let bytes = &self.bytes[i * n..(i + 1) * n];
        match self.scalar {
            s if s.is_half() => {
                let bits = u16::from_ne_bytes(bytes.try_into().expect("2 bytes"));
                s.of_half_bits(bits).into()
            }
            Scalar::F32 => f32::from_ne_bytes(bytes.try_into().expect("4 bytes")).into(),
            Scalar::F64 => f64::from_ne_bytes(bytes.try_into().expect("8 bytes")),
            _ => self.int(i) as f64,
        }
    }
}

/// Which numbers are drawn.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Numbers {
    /// Floats in [-1, 1), integers in ±9.
    Unit,
    /// Whole floats in ±4, whose sums and products have no rounding as long as they are small; integers as `Unit`.
    Whole,
    /// Floats of many magnitudes, integers of the whole range.
    Wide,
    /// As `Wide`, and every third is a special one: NaN, an infinity, a zero, a denormal number, the largest and the
    /// least.
    Special,
    /// The same, and a parameter that is one number is a special one, each in its turn: of one number a third would be few.
    Turn(usize),
}

impl Numbers {
    /// For kernels that are the same to the bit.
    pub const ALL: [Numbers; 3] = [Numbers::Unit, Numbers::Wide, Numbers::Special];
    /// For kernels that regroup: the whole ones, too, in which they are the same to the bit for the most part.
    pub const REGROUPED: [Numbers; 4] = [
        Numbers::Unit,
        Numbers::Whole,
        Numbers::Wide,
        Numbers::Special,
    ];

    fn is_special(self) -> bool {
        matches!(self, Numbers::Special | Numbers::Turn(_))
    }

    fn float(self, scalar: Scalar, random: &mut Rng) -> f64 {
        let (_, _, range) = magnitudes(scalar);
        if self.is_special() && random.one_in(3) {
            return *random.pick(&special_floats(scalar));
        }
        let power = random.between(-range, range) as i32;
        random_value(scalar, random) * 2f64.powi(power)
    }

    fn integer(self, scalar: Scalar, random: &mut Rng) -> i128 {
        if self.is_special() && random.one_in(3) {
            return *random.pick(&special_integers(scalar));
        }
        // What is cut off is as random.
        i128::from(random.bits())
    }
}

/// The largest, the least with all its digits, and the powers of two that products may have.
fn magnitudes(scalar: Scalar) -> (f64, f64, i64) {
    match scalar {
        Scalar::F16 => (65504.0, 2f64.powi(-14), 6),
        Scalar::Bf16 => (255.0 * 2f64.powi(120), f64::from(f32::MIN_POSITIVE), 30),
        Scalar::F32 => (f64::from(f32::MAX), f64::from(f32::MIN_POSITIVE), 30),
        _ => (f64::MAX, f64::MIN_POSITIVE, 200),
    }
}

/// How many turns there are until each special number was there.
pub const TURNS: usize = 13;

fn special_floats(scalar: Scalar) -> [f64; TURNS] {
    let (most, least, _) = magnitudes(scalar);
    [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        0.0,
        -0.0,
        1.0,
        -1.0,
        most,
        -most,
        least,
        -least,
        least / 4.0,
        -least / 1024.0,
    ]
}

fn special_integers(scalar: Scalar) -> [i128; 6] {
    let (least, most) = scalar.bounds();
    [least, least + 1, 0, 1, most - 1, most]
}

/// The lowest bytes in the machine's order.
fn little(x: i128, bytes: usize) -> Vec<u8> {
    let mut all = x.to_le_bytes()[..bytes].to_vec();
    if cfg!(target_endian = "big") {
        all.reverse();
    }
    all
}

fn random_value(scalar: Scalar, random: &mut Rng) -> f64 {
    match scalar {
        Scalar::Bool => random.below(2) as f64,
        // 24 bits: exact in both float types, so that f32 and f64 see the same numbers.
        s if s.is_float() => (random.below(1 << 24) as f64) / f64::from(1 << 23) - 1.0,
        s if s.is_signed() => random.between(-9, 9) as f64,
        _ => random.between(0, 9) as f64,
    }
}

fn push(bytes: &mut Vec<u8>, scalar: Scalar, x: f64) {
    match scalar {
        Scalar::Bool => bytes.push(u8::from(x != 0.0)),
        Scalar::I8 => bytes.extend((x as i8).to_ne_bytes()),
        Scalar::I16 => bytes.extend((x as i16).to_ne_bytes()),
        Scalar::I32 => bytes.extend((x as i32).to_ne_bytes()),
        Scalar::I64 => bytes.extend((x as i64).to_ne_bytes()),
        Scalar::U8 => bytes.extend((x as u8).to_ne_bytes()),
        Scalar::U16 => bytes.extend((x as u16).to_ne_bytes()),
        Scalar::U32 => bytes.extend((x as u32).to_ne_bytes()),
        Scalar::U64 => bytes.extend((x as u64).to_ne_bytes()),
        Scalar::F16 | Scalar::Bf16 => bytes.extend(scalar.half_bits(x as f32).to_ne_bytes()),
        Scalar::F32 => bytes.extend((x as f32).to_ne_bytes()),
        Scalar::F64 => bytes.extend(x.to_ne_bytes()),
    }
}
