//! Literals.

use crate::arith::Nat;
use crate::ty::{Scalar, INFINITY};
use std::fmt;

/// A constant of a scalar type. Its type stands in the term.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lit {
    /// `true`, `false`
    Bool(bool),
    /// An integer of any integer type, or an index.
    Int(i128),
    /// The bits of an f32, also of what is f16 or bf16 and therefore one.
    F32(u32),
    /// The bits of an f64.
    F64(u64),
    /// A size as a number of an integer type.
    Size(Nat),
}

impl Lit {
    /// The f32 `x`.
    pub fn f32(x: f32) -> Lit {
        Lit::F32(x.to_bits())
    }

    /// The f64 `x`.
    pub fn f64(x: f64) -> Lit {
        Lit::F64(x.to_bits())
    }

    /// The value `x` as a literal of type `s`, rounded to it.
    pub fn number(x: f64, s: Scalar) -> Lit {
        match s {
            Scalar::Bool => Lit::Bool(x != 0.0),
            Scalar::F16 | Scalar::Bf16 | Scalar::F32 => Lit::f32(s.rounded(x as f32)),
            Scalar::F64 => Lit::f64(x),
            _ => Lit::Int(x as i128),
        }
    }
}

impl Lit {
    /// A number as programs write it, without its type.
    pub fn digits(&self) -> String {
        let text = match self {
            Lit::F32(b) => format!("{:?}", f32::from_bits(*b)),
            Lit::F64(b) => format!("{:?}", f64::from_bits(*b)),
            other => other.to_string(),
        };
        text.replace("inf", INFINITY)
    }
}

impl fmt::Display for Lit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Lit::Bool(b) => write!(f, "{b}"),
            Lit::Int(i) => write!(f, "{i}"),
            Lit::F32(_) => f.write_str(&self.digits()),
            Lit::F64(_) => write!(f, "{}f64", self.digits()),
            Lit::Size(n) => write!(f, "{n}"),
        }
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
