//! Values as the flat memory that kernels read and write.
//!
//! Comes in: a value and its shape; goes out: one buffer for each leaf of the
//! shape, row-major and dense, in the machine's byte order; and back. A pair, or
//! an array of pairs, is a buffer for each component; bool is one byte, an index
//! eight. Invariant: `from_buffers ∘ to_buffers` is the identity.
//! Absent: alignment, ownership by C.

use super::build::Builder;
use super::scalar::{float, noted, wrap};
use super::{Elem, InterpError, Num, Shape, Value};
use crate::ty::Scalar;

/// Dense row-major memory of one element type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// Type of the elements.
    pub elem: Elem,
    /// Extents, outermost first; none for a single number.
    pub dims: Vec<u32>,
    /// The elements.
    pub bytes: Vec<u8>,
}

impl Elem {
    /// Bytes of one element in a buffer.
    pub fn bytes(self) -> usize {
        match self {
            Elem::Scalar(s) => s.bytes() as usize,
            Elem::Idx(_) => 8,
        }
    }
}

/// The buffers of a value of that shape.
pub fn to_buffers(v: &Value, shape: &Shape) -> Result<Vec<Buffer>, InterpError> {
    if !v.fits(shape) {
        return Err(InterpError::Argument("a value of another shape".into()));
    }
    let mut out = Vec::new();
    put(v, shape, &mut out);
    Ok(out)
}

fn put(v: &Value, shape: &Shape, out: &mut Vec<Buffer>) {
    match (v, shape) {
        (Value::Pair(p), Shape::Pair(a, b)) => {
            put(&p.0, a, out);
            put(&p.1, b, out);
        }
        (_, Shape::Leaf(elem, dims)) => {
            let mut bytes = Vec::new();
            v.each_num(&mut |n| put_num(n, *elem, &mut bytes));
            out.push(Buffer {
                elem: *elem,
                dims: dims.clone(),
                bytes,
            });
        }
        _ => {}
    }
}

fn put_num(n: Num, e: Elem, out: &mut Vec<u8>) {
    match n {
        Num::F32(x) => match e {
            Elem::Scalar(s) if s.is_half() => out.extend_from_slice(&s.half_bits(x).to_ne_bytes()),
            _ => out.extend_from_slice(&x.to_ne_bytes()),
        },
        Num::F64(x) => out.extend_from_slice(&x.to_ne_bytes()),
        Num::Bounded(b) => put_num(float(b.value, b.of), e, out),
        Num::Int(i) => match e.bytes() {
            1 => out.push(i as u8),
            2 => out.extend_from_slice(&(i as u16).to_ne_bytes()),
            4 => out.extend_from_slice(&(i as u32).to_ne_bytes()),
            _ => out.extend_from_slice(&i.to_ne_bytes()),
        },
    }
}

/// The value of that shape in `buffers`, one for each leaf from left to right.
pub fn from_buffers<B: AsRef<[u8]>>(shape: &Shape, buffers: &[B]) -> Result<Value, InterpError> {
    let mut rest = buffers.iter().map(|b| b.as_ref());
    let v = take(shape, &mut rest)?;
    if rest.next().is_some() {
        return Err(InterpError::Argument("too many buffers".into()));
    }
    Ok(v)
}

fn take<'a>(
    shape: &Shape,
    rest: &mut impl Iterator<Item = &'a [u8]>,
) -> Result<Value, InterpError> {
    match shape {
        Shape::Pair(a, b) => {
            let a = take(a, rest)?;
            Ok(Value::pair(a, take(b, rest)?))
        }
        Shape::Leaf(e, dims) => {
            let bytes = rest
                .next()
                .ok_or_else(|| InterpError::Argument("too few buffers".into()))?;
            let count = dims.iter().fold(1u64, |a, &d| a.saturating_mul(d.into()));
            if bytes.len() as u64 != count.saturating_mul(e.bytes() as u64) {
                return Err(InterpError::Argument("a buffer of another size".into()));
            }
            let mut nums = bytes.chunks_exact(e.bytes()).map(|b| take_num(b, *e));
            let [n, inner @ ..] = &dims[..] else {
                return Ok(Value::Num(nums.next().unwrap_or(Num::zero(*e))));
            };
            let item = Shape::Leaf(*e, inner.to_vec());
            let mut out = Builder::new(&item, *n);
            nums.try_for_each(|x| out.push(&Value::Num(x)))?;
            Ok(out.finish(*n))
        }
    }
}

fn take_num(b: &[u8], e: Elem) -> Num {
    let mut word = [0u8; 8];
    if cfg!(target_endian = "big") {
        word[8 - b.len()..].copy_from_slice(b);
    } else {
        word[..b.len()].copy_from_slice(b);
    }
    let bits = u64::from_ne_bytes(word);
    let Elem::Scalar(s) = e else {
        return Num::Int(bits as i64);
    };
    let number = match s {
        s if s.is_half() => Num::F32(s.of_half_bits(bits as u16)),
        Scalar::F32 => Num::F32(f32::from_bits(bits as u32)),
        Scalar::F64 => Num::F64(f64::from_bits(bits)),
        _ => Num::Int(wrap(bits.into(), s)),
    };
    noted(number, s)
}
