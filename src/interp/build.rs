//! Collects elements into arrays.
//!
//! Comes in: values of one shape, one after the other; goes out: the array of
//! them, dense. Invariant: the shape is known beforehand, so that an array
//! without elements has one, too. Absent: views.

use super::scalar::Num;
use super::value::{Data, View};
use super::{InterpError, Shape, Value};

/// An array under construction.
pub(super) enum Builder<'a> {
    Leaf(&'a [u32], Data),
    Pair(Box<(Builder<'a>, Builder<'a>)>),
}

impl<'a> Builder<'a> {
    /// For `n` elements of shape `elem`; `n` is only how much to reserve.
    pub fn new(elem: &'a Shape, n: u32) -> Builder<'a> {
        match elem {
            Shape::Leaf(e, dims) => {
                let count = dims.iter().fold(u64::from(n), |a, &d| a * u64::from(d));
                Builder::Leaf(dims, Data::new(*e, count as usize))
            }
            Shape::Pair(a, b) => Builder::Pair(Box::new((Builder::new(a, n), Builder::new(b, n)))),
        }
    }

    pub fn push(&mut self, v: &Value) -> Result<(), InterpError> {
        match (self, v) {
            (Builder::Leaf(_, data), Value::Num(n)) => data.push(*n),
            (Builder::Leaf(_, data), Value::Array(view)) => view.append_to(data),
            (Builder::Pair(b), Value::Pair(p)) => {
                b.0.push(&p.0)?;
                b.1.push(&p.1)?;
            }
            _ => return Err(InterpError::Type("an array of functions".into())),
        }
        Ok(())
    }

    /// The array of `n` elements, as many as were pushed.
    pub fn finish(self, n: u32) -> Value {
        match self {
            Builder::Leaf(dims, data) => {
                let mut lens = vec![n];
                lens.extend_from_slice(dims);
                Value::Array(View::dense(data, &lens))
            }
            Builder::Pair(b) => Value::pair(b.0.finish(n), b.1.finish(n)),
        }
    }
}

/// Elements in `n` values of a shape, and the bytes they take here.
pub(super) fn weight(shape: &Shape, n: u64) -> (u64, u64) {
    let (mut count, mut bytes) = (0u64, 0u64);
    for (e, dims) in shape.leaves() {
        let c = dims.iter().fold(n, |a, &d| a.saturating_mul(u64::from(d)));
        count = count.saturating_add(c);
        bytes = bytes.saturating_add(c.saturating_mul(Data::width(e)));
    }
    (count, bytes)
}

/// The value whose numbers are all zero.
pub(super) fn zero(shape: &Shape) -> Value {
    match shape {
        Shape::Leaf(e, dims) if dims.is_empty() => Value::Num(Num::zero(*e)),
        Shape::Leaf(e, dims) => {
            let count: u64 = dims.iter().map(|&d| u64::from(d)).product();
            let mut data = Data::new(*e, count as usize);
            (0..count).for_each(|_| data.push(Num::zero(*e)));
            Value::Array(View::dense(data, dims))
        }
        Shape::Pair(a, b) => Value::pair(zero(a), zero(b)),
    }
}
