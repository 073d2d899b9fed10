//! Arithmetic on scalars.
//!
//! Comes in: an operation, an element type, numbers; goes out: a number.
//! Integers of every width are kept in 64 bits: sign-extended, zero-extended,
//! or for u64 as its bits. Invariant: every result is a value of its type.
//! Absent: vectors (`array` applies these lane by lane).
//!
//! Note [Total arithmetic]
//! Every operation has one result for all operands, and emitted C has to give
//! the same one:
//! * integers wrap; `neg` and `abs` of the least integer are itself;
//! * integer division truncates; `x / 0 = 0`, `x % 0 = 0`, least `/ -1` = least, least `% -1` = 0;
//! * f16 and bf16 are computed with in f32, and what comes out is rounded to them; numbers become one by way of f32;
//! * f32 and f64 round to nearest after each operation; `fma` rounds once;
//!   division and remainder (`fmod`) by zero follow IEEE 754;
//! * `min x y = x < y ? x : y`, `max x y = x > y ? x : y`, as `vminps` does: when
//!   one is NaN, or both are zeros, the result is `y`;
//! * `exp log sin cos tanh` are those of the C library of the same width;
//! * bits are those of two's complement; `shr` keeps the sign of what has one; a count that is negative, or the width or
//!   more, moves all bits out: `shl` gives 0, `shr` 0 or, of negative numbers, -1;
//! * `bitcast` keeps the bits, of which a wider type would have more, zeros; which NaN a computation gives is not said;
//! * `cast` to an integer from a float truncates toward zero and saturates, NaN
//!   gives 0; between integers it wraps; to a float it rounds to nearest; to bool
//!   it asks `x != 0`; to `idx[n]` it clamps to `0 … n-1`, and has no value if n is 0.

use super::bounds::{self, Bounded};
use super::Elem;
use crate::term::{Function, Op};
use crate::ty::Scalar;

/// A number, a truth value (0 or 1) or an index.
#[derive(Copy, Clone, Debug)]
pub enum Num {
    /// Of bool, any integer type, or idx.
    Int(i64),
    /// Of f32; of f16 or bf16, whose numbers are among them.
    F32(f32),
    /// Of f64.
    F64(f64),
    /// Of either, with a bound.
    Bounded(Bounded),
}

impl Num {
    /// Equal bits; any NaN equals any NaN.
    pub fn same(self, o: Num) -> bool {
        match (self, o) {
            (Num::Int(a), Num::Int(b)) => a == b,
            (Num::F32(a), Num::F32(b)) => a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
            (Num::F64(a), Num::F64(b)) => a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
            (Num::Bounded(a), Num::Bounded(b)) => a.value.to_bits() == b.value.to_bits(),
            _ => false,
        }
    }

    /// A float of a type with its bound; what has none is exact.
    pub(super) fn bounded(self, s: Scalar) -> Option<Bounded> {
        match self {
            Num::Int(_) => None,
            Num::F32(x) => Some(Bounded::exact(x.into(), s)),
            Num::F64(x) => Some(Bounded::exact(x, s)),
            Num::Bounded(b) => Some(b),
        }
    }

    /// As f64, rounded; of u64 as if it were i64.
    pub fn as_f64(self) -> f64 {
        match self {
            Num::Int(i) => i as f64,
            Num::F32(x) => f64::from(x),
            Num::F64(x) => x,
            Num::Bounded(b) => b.value,
        }
    }

    /// The integer it is, or what is left of it without its fraction.
    pub fn int(self) -> i64 {
        match self {
            Num::Int(i) => i,
            Num::F32(x) => x as i64,
            Num::F64(x) => x as i64,
            Num::Bounded(b) => b.decides(|x| x as i64),
        }
    }

    /// Whether it is not 0.
    pub fn truth(self) -> bool {
        self.int() != 0
    }

    /// Zero of a type.
    pub fn zero(e: Elem) -> Num {
        match e {
            Elem::Scalar(s) if s.is_float() => float(0.0, s),
            _ => Num::Int(0),
        }
    }
}

/// The nearest number of a type of floats.
pub fn float(x: f64, s: Scalar) -> Num {
    match s {
        Scalar::F64 => Num::F64(x),
        s => Num::F32(s.rounded(x as f32)),
    }
}

/// A number of a type as an evaluation has to see it: floats with bounds, if these are wanted.
pub(super) fn noted(x: Num, s: Scalar) -> Num {
    match bounds::wanted() {
        true => x.bounded(s).map_or(x, Num::Bounded),
        false => x,
    }
}

/// What was computed in f32 as a number of a type.
fn rounded(x: f32, s: Scalar) -> Num {
    Num::F32(s.rounded(x))
}

/// Both with bounds, if one has.
fn both(a: Num, b: Num) -> Option<(Bounded, Bounded)> {
    match (a, b) {
        (Num::Bounded(Bounded { of, .. }), _) | (_, Num::Bounded(Bounded { of, .. })) => {
            Some((a.bounded(of)?, b.bounded(of)?))
        }
        _ => None,
    }
}

/// `x` modulo the width of `s`.
pub(super) fn wrap(x: i128, s: Scalar) -> i64 {
    match s {
        Scalar::Bool => i64::from(x != 0),
        Scalar::I8 => i64::from(x as i8),
        Scalar::I16 => i64::from(x as i16),
        Scalar::I32 => i64::from(x as i32),
        Scalar::I64 | Scalar::U64 => x as i64,
        Scalar::U8 => i64::from(x as u8),
        Scalar::U16 => i64::from(x as u16),
        Scalar::U32 => i64::from(x as u32),
        Scalar::F16 | Scalar::Bf16 | Scalar::F32 | Scalar::F64 => 0,
    }
}

/// The mathematical value of the integer `x` of type `s`.
fn value(x: i64, s: Scalar) -> i128 {
    match s {
        Scalar::U64 => i128::from(x as u64),
        _ => i128::from(x),
    }
}

macro_rules! float_binary {
    ($op:expr, $a:expr, $b:expr) => {
        match $op {
            Op::Add => $a + $b,
            Op::Sub => $a - $b,
            Op::Mul => $a * $b,
            Op::Div => $a / $b,
            Op::Mod => $a % $b,
            Op::Min => {
                if $a < $b {
                    $a
                } else {
                    $b
                }
            }
            _ => {
                if $a > $b {
                    $a
                } else {
                    $b
                }
            }
        }
    };
}

/// The integer `x` as a number of a type.
pub fn integer(x: i128, s: Scalar) -> Num {
    match s {
        Scalar::F64 => Num::F64(x as f64),
        s if s.is_float() => rounded(x as f32, s),
        _ => Num::Int(wrap(x, s)),
    }
}

/// An operation on numbers, the last of which is of type `s`; `None` for what is no operation on so many.
pub fn apply(op: Op, s: Scalar, args: &[Num]) -> Option<Num> {
    use Op::*;
    let truth = |b: bool| Some(Num::Int(i64::from(b)));
    match (op, args) {
        (Neg | Abs, [a]) => Some(unary(op, s, *a)),
        (Add | Sub | Mul | Div | Mod | Min | Max, [a, b]) => Some(binary(op, s, *a, *b)),
        (BitAnd | BitOr | BitXor | Shl | Shr, [a, b]) => Some(bitwise(op, s, *a, *b)),
        (BitNot, [a]) => Some(bitwise(BitXor, s, *a, Num::Int(-1))),
        (Fma, [a, b, c]) => Some(fma(s, *a, *b, *c)),
        (Lt | Le | Gt | Ge | Eq | Ne, [a, b]) => Some(compare(op, Elem::Scalar(s), *a, *b)),
        (And, [a, b]) => truth(a.truth() && b.truth()),
        (Or, [a, b]) => truth(a.truth() || b.truth()),
        (Not, [a]) => truth(!a.truth()),
        (Select, [c, a, b]) => Some(if c.truth() { *a } else { *b }),
        (op, [a]) => op.function().map(|f| function(f, s, *a)),
        _ => None,
    }
}

/// `add … max` at a number type.
pub(super) fn binary(op: Op, s: Scalar, a: Num, b: Num) -> Num {
    if let Some((a, b)) = both(a, b) {
        return Num::Bounded(bounds::binary(op, a, b));
    }
    match (a, b) {
        (Num::F32(a), Num::F32(b)) => rounded(float_binary!(op, a, b), s),
        (Num::F64(a), Num::F64(b)) => Num::F64(float_binary!(op, a, b)),
        _ => {
            let (x, y) = (value(a.int(), s), value(b.int(), s));
            let r = match op {
                Op::Add => x + y,
                Op::Sub => x - y,
                Op::Mul => i128::from(a.int().wrapping_mul(b.int())),
                Op::Div => x.checked_div(y).unwrap_or(0),
                Op::Mod => x.checked_rem(y).unwrap_or(0),
                Op::Min => x.min(y),
                _ => x.max(y),
            };
            Num::Int(wrap(r, s))
        }
    }
}

/// `bitand … shr` at an integer type.
pub(super) fn bitwise(op: Op, s: Scalar, a: Num, b: Num) -> Num {
    let (x, y) = (a.int(), b.int());
    let width = 8 * s.bytes() as i128;
    let count = value(y, s);
    Num::Int(match op {
        Op::BitAnd => x & y,
        Op::BitOr => x | y,
        Op::BitXor => wrap(i128::from(x ^ y), s),
        Op::Shl if (0..width).contains(&count) => wrap(value(x, s) << count, s),
        Op::Shl => 0,
        _ => match (0..width).contains(&count) {
            true => wrap(value(x, s) >> count, s),
            false => i64::from(value(x, s) < 0).wrapping_neg(),
        },
    })
}

/// `bitcast`, see Note [Total arithmetic].
pub fn bitcast(from: Scalar, to: Scalar, a: Num) -> Num {
    let bits = match (a, from) {
        (Num::F32(x), s) if s.is_half() => s.half_bits(x).into(),
        (Num::Bounded(b), s) if s.is_half() => b.decides(|x| u64::from(s.half_bits(x as f32))),
        (Num::Int(x), _) => (x as u64) & (u64::MAX >> (64 - 8 * from.bytes())),
        (Num::F32(x), _) => x.to_bits().into(),
        (Num::F64(x), _) => x.to_bits(),
        (Num::Bounded(b), Scalar::F32) => b.decides(|x| u64::from((x as f32).to_bits())),
        (Num::Bounded(b), _) => b.decides(f64::to_bits),
    };
    let number = match to {
        s if s.is_half() => Num::F32(s.of_half_bits(bits as u16)),
        Scalar::F32 => Num::F32(f32::from_bits(bits as u32)),
        Scalar::F64 => Num::F64(f64::from_bits(bits)),
        _ => Num::Int(wrap(bits.into(), to)),
    };
    noted(number, to)
}

/// `neg abs` at a number type.
pub(super) fn unary(op: Op, s: Scalar, a: Num) -> Num {
    let negate = op == Op::Neg;
    match a {
        Num::F32(a) => Num::F32(if negate { -a } else { a.abs() }),
        Num::F64(a) => Num::F64(if negate { -a } else { a.abs() }),
        Num::Bounded(a) => Num::Bounded(bounds::unary(op, a)),
        Num::Int(i) => {
            let x = value(i, s);
            Num::Int(wrap(if negate { -x } else { x.abs() }, s))
        }
    }
}

macro_rules! function {
    ($f:expr, $a:expr) => {
        match $f {
            Function::Sqrt => $a.sqrt(),
            Function::Exp => $a.exp(),
            Function::Exp2 => $a.exp2(),
            Function::Log => $a.ln(),
            Function::Sin => $a.sin(),
            Function::Cos => $a.cos(),
            Function::Tanh => $a.tanh(),
        }
    };
}

/// A function of one float; integers have none.
pub(super) fn function(f: Function, s: Scalar, a: Num) -> Num {
    match a {
        Num::F32(a) => rounded(function!(f, a), s),
        Num::F64(a) => Num::F64(function!(f, a)),
        Num::Bounded(a) => Num::Bounded(bounds::function(f, a)),
        Num::Int(_) => a,
    }
}

/// `a·b + c`, rounded once.
pub(super) fn fma(s: Scalar, a: Num, b: Num, c: Num) -> Num {
    match (a, b, c) {
        (Num::F32(a), Num::F32(b), Num::F32(c)) => rounded(a.mul_add(b, c), s),
        (Num::F64(a), Num::F64(b), Num::F64(c)) => Num::F64(a.mul_add(b, c)),
        _ if s.is_float() => match [a, b, c].map(|x| x.bounded(s)) {
            [Some(a), Some(b), Some(c)] => Num::Bounded(bounds::fma(a, b, c)),
            _ => Num::zero(Elem::Scalar(s)),
        },
        _ => binary(Op::Add, s, binary(Op::Mul, s, a, b), c),
    }
}

/// `lt … ne`; false for NaN, but `ne`.
pub(super) fn compare(op: Op, e: Elem, a: Num, b: Num) -> Num {
    let order = match (a, b, both(a, b)) {
        (.., Some((a, b))) => bounds::order(a, b),
        (Num::F32(a), Num::F32(b), _) => a.partial_cmp(&b),
        (Num::F64(a), Num::F64(b), _) => a.partial_cmp(&b),
        _ => match e {
            Elem::Scalar(s) => value(a.int(), s).partial_cmp(&value(b.int(), s)),
            Elem::Idx(_) => a.int().partial_cmp(&b.int()),
        },
    };
    let holds = match op {
        Op::Lt => order.is_some_and(|o| o.is_lt()),
        Op::Le => order.is_some_and(|o| o.is_le()),
        Op::Gt => order.is_some_and(|o| o.is_gt()),
        Op::Ge => order.is_some_and(|o| o.is_ge()),
        Op::Eq => order.is_some_and(|o| o.is_eq()),
        _ => order.is_none_or(|o| o.is_ne()),
    };
    Num::Int(i64::from(holds))
}

/// `cast`, see Note [Total arithmetic].
pub fn cast(from: Elem, to: Elem, a: Num) -> Num {
    // The integer it stands for, if it is none of the floats.
    let whole = |a: Num| match (a, from) {
        (Num::Int(i), Elem::Scalar(s)) => value(i, s),
        (Num::Int(i), Elem::Idx(_)) => i128::from(i),
        (Num::F32(x), _) => x as i128,
        (Num::F64(x), _) => x as i128,
        (Num::Bounded(b), _) => b.decides(|x| x as i128),
    };
    match to {
        Elem::Scalar(s) if s.is_float() => {
            let number = match a {
                Num::Bounded(b) => Num::Bounded(b.cast(s)),
                Num::F32(x) => float(x.into(), s),
                Num::F64(x) => float(x, s),
                a => integer(whole(a), s),
            };
            noted(number, s)
        }
        Elem::Scalar(Scalar::Bool) => Num::Int(i64::from(match a {
            Num::Int(i) => i != 0,
            Num::F32(x) => x != 0.0,
            Num::F64(x) => x != 0.0,
            Num::Bounded(b) => b.decides(|x| x != 0.0),
        })),
        Elem::Scalar(s) => Num::Int(match a {
            Num::Int(_) => wrap(whole(a), s),
            a => {
                let (least, most) = s.bounds();
                wrap(whole(a).clamp(least, most), s)
            }
        }),
        Elem::Idx(n) => Num::Int(whole(a).clamp(0, i128::from(n.max(1)) - 1) as i64),
    }
}
