//! Which types a type variable may stand for.
//!
//! Comes in: what a scheme or a rule asks of one of its type variables, and a type;
//! goes out: whether the type is of that class, which is not known yet where unknown
//! types decide it. Inference, the search and the checker of proofs all ask here.

use crate::ty::{Scalar, Ty, TyKind};

/// What a scheme asks of one of its type variables.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Class {
    /// Not a function, nor anything with functions in it.
    Data,
    /// A number, or a vector of numbers.
    Number,
    /// An integer, or a vector of integers.
    Int,
    /// An f32 or f64, or a vector of them.
    Float,
    /// A scalar, bool and `idx[n]` included; no vector, as `lt` gives one bool.
    Element,
    /// A scalar, bool and `idx[n]` included, or a vector of numbers.
    Convertible,
    /// A scalar or pair of such.
    Flat,
}

impl Class {
    /// Whether a type is of this class; `None` if that is not known yet.
    pub fn judge(self, ty: Ty) -> Option<bool> {
        let both = |a: Option<bool>, b: Option<bool>| match (a, b) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        };
        let scalar = |t: Ty, test: fn(Scalar) -> bool| match t.kind() {
            TyKind::Scalar(s) => Some(test(s)),
            TyKind::Meta(_) => None,
            _ => Some(false),
        };
        let lane = match ty.kind() {
            TyKind::Vec(_, t) => t,
            _ => ty,
        };
        match (self, ty.kind()) {
            (Class::Data | Class::Flat, TyKind::Pair(a, b)) => both(self.judge(a), self.judge(b)),
            (Class::Data, TyKind::Array(_, e)) => self.judge(e),
            (Class::Data, TyKind::Meta(_)) => None,
            (Class::Data, kind) => Some(!matches!(kind, TyKind::Fun(..))),
            (Class::Element | Class::Convertible, TyKind::Idx(_)) => Some(true),
            (Class::Convertible, TyKind::Vec(..)) => scalar(lane, |s| s != Scalar::Bool),
            (Class::Element | Class::Convertible | Class::Flat, _) => scalar(ty, |_| true),
            (Class::Number, _) => scalar(lane, |s| s != Scalar::Bool),
            (Class::Int, _) => scalar(lane, Scalar::is_int),
            (Class::Float, _) => scalar(lane, Scalar::is_float),
        }
    }

    /// Whether a type without unknowns is of this class.
    pub fn admits(self, ty: Ty) -> bool {
        self.judge(ty) == Some(true)
    }
}
