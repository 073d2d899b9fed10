//! Types with their sizes evaluated.
//!
//! Comes in: a type and the sizes; goes out: a [`Shape`]: the pairs of the type
//! with an element type and extents at each leaf. Arrays and vectors distribute
//! over pairs, so `n.(s, m.t)` has the leaves `n.s` and `n.m.t`, and a vector is
//! one more extent. Invariant: extents are below 2³¹. Absent: functions.

use super::{InterpError, Sizes};
use crate::arith::Nat;
use crate::ty::{Scalar, Ty, TyKind};

/// The type of an element.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Elem {
    /// A scalar.
    Scalar(Scalar),
    /// An index below the bound.
    Idx(u32),
}

/// A data type without unknown sizes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Elements under arrays and vectors of these extents, outermost first.
    Leaf(Elem, Vec<u32>),
    /// A pair, or an array of pairs as a pair of arrays.
    Pair(Box<Shape>, Box<Shape>),
}

impl Shape {
    /// The shape of a data type.
    pub fn of(ty: Ty, sizes: &Sizes) -> Result<Shape, InterpError> {
        Shape::under(&mut Vec::new(), ty, sizes)
    }

    fn under(dims: &mut Vec<u32>, ty: Ty, sizes: &Sizes) -> Result<Shape, InterpError> {
        let leaf = |e, dims: &[u32]| Ok(Shape::Leaf(e, dims.to_vec()));
        match ty.kind() {
            TyKind::Scalar(s) => leaf(Elem::Scalar(s), dims),
            TyKind::Idx(n) => leaf(Elem::Idx(size(n, sizes)?), dims),
            TyKind::Pair(a, b) => Ok(Shape::Pair(
                Shape::under(dims, a, sizes)?.into(),
                Shape::under(dims, b, sizes)?.into(),
            )),
            TyKind::Array(n, t) | TyKind::Vec(n, t) => {
                dims.push(size(n, sizes)?);
                let shape = Shape::under(dims, t, sizes);
                dims.pop();
                shape
            }
            TyKind::Fun(..) | TyKind::Meta(_) => Err(InterpError::Type(ty.to_string())),
        }
    }

    /// The leaves from left to right.
    pub fn leaves(&self) -> Vec<(Elem, &[u32])> {
        fn go<'a>(s: &'a Shape, out: &mut Vec<(Elem, &'a [u32])>) {
            match s {
                Shape::Leaf(e, dims) => out.push((*e, dims)),
                Shape::Pair(a, b) => {
                    go(a, out);
                    go(b, out);
                }
            }
        }
        let mut out = Vec::new();
        go(self, &mut out);
        out
    }
}

/// The value of a size: whole, not negative, below 2³¹.
pub(super) fn size(n: Nat, sizes: &Sizes) -> Result<u32, InterpError> {
    n.eval(&mut |name| sizes.get(&name).copied())
        .and_then(|n| u32::try_from(n).ok())
        .filter(|&n| n < 1 << 31)
        .ok_or_else(|| InterpError::Size(n.to_string()))
}
