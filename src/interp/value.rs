//! Values: numbers, arrays as strided views of flat buffers, pairs, functions.
//!
//! Comes in: buffers; goes out: views that share them, so that `split`,
//! `transpose`, `slide`, `take` and their like copy nothing. An array of pairs is a
//! pair of arrays, and a vector is an array. Invariants: a view has at least one
//! extent and stays within its buffer; buffers are counted while they live, and
//! the count is what the limit on bytes compares with.
//! Absent: types; a value does not know whether it is a vector.

use super::bounds::Bounded;
use super::code::Code;
use super::{Elem, Num, Shape};
use smallvec::SmallVec;
use std::cell::{Cell, OnceCell};
use std::fmt;
use std::rc::Rc;

thread_local! {
    static LIVE: Cell<u64> = const { Cell::new(0) };
}

/// Bytes of all buffers of this thread.
pub fn live_bytes() -> u64 {
    LIVE.get()
}

/// Elements of one type.
pub(super) enum Data {
    Int(Vec<i64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
    Bounded(Vec<Bounded>),
}

impl Data {
    pub fn new(e: Elem, capacity: usize) -> Data {
        use crate::ty::Scalar;
        match e {
            Elem::Scalar(Scalar::F64) => Data::F64(Vec::with_capacity(capacity)),
            Elem::Scalar(s) if s.is_float() => Data::F32(Vec::with_capacity(capacity)),
            _ => Data::Int(Vec::with_capacity(capacity)),
        }
    }

    /// Bytes of one element in memory here.
    pub fn width(e: Elem) -> u64 {
        match Data::new(e, 0) {
            Data::F32(_) => 4,
            _ => 8,
        }
    }

    pub fn push(&mut self, x: Num) {
        if let (Num::Bounded(b), Data::F32(_) | Data::F64(_)) = (x, &*self) {
            let len = self.len();
            let old = (0..len).filter_map(|i| self.get(i).bounded(b.of)).collect();
            *self = Data::Bounded(old);
        }
        match (self, x) {
            (Data::Int(v), x) => v.push(x.int()),
            (Data::Bounded(v), x) => {
                let of = v.first().map_or(crate::ty::Scalar::F64, |b| b.of);
                v.extend(x.bounded(of));
            }
            (Data::F32(v), Num::F32(x)) => v.push(x),
            (Data::F32(v), x) => v.push(x.as_f64() as f32),
            (Data::F64(v), x) => v.push(x.as_f64()),
        }
    }

    fn len(&self) -> usize {
        match self {
            Data::Int(v) => v.len(),
            Data::F32(v) => v.len(),
            Data::F64(v) => v.len(),
            Data::Bounded(v) => v.len(),
        }
    }

    fn get(&self, i: usize) -> Num {
        match self {
            Data::Bounded(v) => Num::Bounded(v[i]),
            Data::Int(v) => Num::Int(v[i]),
            Data::F32(v) => Num::F32(v[i]),
            Data::F64(v) => Num::F64(v[i]),
        }
    }

    fn bytes(&self) -> u64 {
        match self {
            Data::Int(v) => 8 * v.capacity() as u64,
            Data::F32(v) => 4 * v.capacity() as u64,
            Data::F64(v) => 8 * v.capacity() as u64,
            Data::Bounded(v) => 40 * v.capacity() as u64,
        }
    }
}

/// A buffer that counts while it lives.
pub(super) struct Buf {
    data: Data,
    bytes: u64,
}

impl Buf {
    pub fn new(data: Data) -> Rc<Buf> {
        let bytes = data.bytes();
        LIVE.set(LIVE.get() + bytes);
        Rc::new(Buf { data, bytes })
    }
}

impl Drop for Buf {
    fn drop(&mut self) {
        LIVE.set(LIVE.get() - self.bytes);
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Dim {
    pub len: u32,
    pub stride: i32,
}

/// Part of a buffer as an array.
#[derive(Clone)]
pub(super) struct View {
    pub buf: Rc<Buf>,
    pub offset: u32,
    pub dims: SmallVec<[Dim; 3]>,
}

impl View {
    /// All of a row-major buffer.
    pub fn dense(data: Data, lens: &[u32]) -> View {
        let mut stride = 1u64;
        let mut dims: SmallVec<[Dim; 3]> = lens
            .iter()
            .rev()
            .map(|&len| {
                let dim = Dim {
                    len,
                    stride: stride as i32,
                };
                // Nothing is read where an extent is 0, whatever the strides are.
                stride = (stride * u64::from(len)).min(i32::MAX as u64);
                dim
            })
            .collect();
        dims.reverse();
        View {
            buf: Buf::new(data),
            offset: 0,
            dims,
        }
    }

    pub fn len(&self) -> u32 {
        self.dims[0].len
    }

    /// Number of elements.
    pub fn count(&self) -> u64 {
        self.dims
            .iter()
            .fold(1u64, |n, d| n.saturating_mul(u64::from(d.len)))
    }

    fn at(&self, i: u32) -> u32 {
        (i64::from(self.offset) + i64::from(i) * i64::from(self.dims[0].stride)) as u32
    }

    /// Element `i`, which there must be.
    pub fn elem(&self, i: u32) -> Value {
        debug_assert!(i < self.len());
        let offset = self.at(i);
        if self.dims.len() == 1 {
            return Value::Num(self.buf.data.get(offset as usize));
        }
        Value::Array(View {
            buf: self.buf.clone(),
            offset,
            dims: self.dims[1..].into(),
        })
    }

    /// Calls `f` on all numbers in row-major order.
    pub fn each(&self, f: &mut impl FnMut(Num)) {
        fn go(data: &Data, offset: i64, dims: &[Dim], f: &mut impl FnMut(Num)) {
            match dims {
                [] => f(data.get(offset as usize)),
                [d, rest @ ..] => {
                    for i in 0..d.len {
                        go(data, offset + i64::from(i) * i64::from(d.stride), rest, f);
                    }
                }
            }
        }
        if self.count() > 0 {
            go(&self.buf.data, self.offset.into(), &self.dims, f);
        }
    }

    /// Appends all numbers in row-major order to `out` of the same type.
    pub fn append_to(&self, out: &mut Data) {
        let Some(last) = self.dims.last().filter(|_| self.count() > 0) else {
            return;
        };
        // Rows that lie close together are copied whole.
        if last.stride == 1 {
            let rows = View {
                buf: self.buf.clone(),
                offset: self.offset,
                dims: self.dims[..self.dims.len() - 1].into(),
            };
            let len = last.len as usize;
            rows.each_offset(&mut |at| match (&self.buf.data, &mut *out) {
                (Data::Int(v), Data::Int(o)) => o.extend_from_slice(&v[at..at + len]),
                (Data::F32(v), Data::F32(o)) => o.extend_from_slice(&v[at..at + len]),
                (Data::F64(v), Data::F64(o)) => o.extend_from_slice(&v[at..at + len]),
                (v, o) => (at..at + len).for_each(|i| o.push(v.get(i))),
            });
        } else {
            self.each(&mut |x| out.push(x));
        }
    }

    fn each_offset(&self, f: &mut impl FnMut(usize)) {
        fn go(offset: i64, dims: &[Dim], f: &mut impl FnMut(usize)) {
            match dims {
                [] => f(offset as usize),
                [d, rest @ ..] => {
                    for i in 0..d.len {
                        go(offset + i64::from(i) * i64::from(d.stride), rest, f);
                    }
                }
            }
        }
        go(self.offset.into(), &self.dims, f);
    }

    /// A copy that is dense.
    pub fn compact(&self) -> View {
        let lens: SmallVec<[u32; 3]> = self.dims.iter().map(|d| d.len).collect();
        let capacity = self.count() as usize;
        let mut data = match self.buf.data {
            Data::Int(_) => Data::Int(Vec::with_capacity(capacity)),
            Data::F32(_) => Data::F32(Vec::with_capacity(capacity)),
            Data::F64(_) => Data::F64(Vec::with_capacity(capacity)),
            Data::Bounded(_) => Data::Bounded(Vec::with_capacity(capacity)),
        };
        self.append_to(&mut data);
        View::dense(data, &lens)
    }
}

/// What a term means.
#[derive(Clone)]
pub enum Value {
    /// A scalar or an index.
    Num(Num),
    /// An array or vector whose elements are scalars below further arrays.
    #[allow(private_interfaces)]
    Array(View),
    /// A pair; an array of pairs is a pair of arrays of one size.
    Pair(Rc<(Value, Value)>),
    /// A function.
    Fun(Fun),
}

/// A function: a closure or a primitive that waits for arguments.
#[derive(Clone)]
pub struct Fun(pub(super) FunKind);

#[derive(Clone)]
pub(super) enum FunKind {
    Closure(Rc<Code>, Env),
    Partial(Rc<super::code::PrimCode>, Rc<[Value]>),
    Delayed(Rc<Delayed>),
}

/// Note [Partial applications]: a function computes nothing before it is called, so the arguments that a primitive has
/// already are evaluated at its first call, once. In an array of no elements it is never called, and what would have no
/// value there, such as an index, does no harm; kernels compute it in the loop.
pub(super) struct Delayed {
    pub(super) prim: Rc<super::code::PrimCode>,
    pub(super) args: Rc<[Code]>,
    pub(super) env: Env,
    pub(super) known: OnceCell<Rc<[Value]>>,
}

impl Value {
    /// A pair.
    pub fn pair(a: Value, b: Value) -> Value {
        Value::Pair(Rc::new((a, b)))
    }

    /// The f32 `x`.
    pub fn f32(x: f32) -> Value {
        Value::Num(Num::F32(x))
    }

    /// The integer `x`, which its type must hold.
    pub fn int(x: i64) -> Value {
        Value::Num(Num::Int(x))
    }

    /// The number it is.
    pub fn as_num(&self) -> Option<Num> {
        match self {
            Value::Num(n) => Some(*n),
            _ => None,
        }
    }

    /// The components of a pair.
    pub fn as_pair(&self) -> Option<(&Value, &Value)> {
        match self {
            Value::Pair(p) => Some((&p.0, &p.1)),
            _ => None,
        }
    }

    /// The size of an array; `None` for what is no array.
    pub fn len(&self) -> Option<u32> {
        match self {
            Value::Array(v) => Some(v.len()),
            Value::Pair(p) => p.0.len(),
            _ => None,
        }
    }

    /// Whether it is an array without elements.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }

    /// Element `i` of an array that has one.
    pub fn get(&self, i: u32) -> Option<Value> {
        (i < self.len()?).then(|| self.elem(i))
    }

    /// Element `i`, which there must be.
    pub(super) fn elem(&self, i: u32) -> Value {
        match self {
            Value::Array(v) => v.elem(i),
            Value::Pair(p) => Value::pair(p.0.elem(i), p.1.elem(i)),
            other => other.clone(),
        }
    }

    /// Whether it is data of that shape.
    pub fn fits(&self, shape: &Shape) -> bool {
        match (self, shape) {
            (Value::Num(n), Shape::Leaf(e, dims)) => dims.is_empty() && num_fits(*n, *e),
            (Value::Array(v), Shape::Leaf(e, dims)) => {
                let mut all = v.dims.iter().map(|d| d.len).eq(dims.iter().copied());
                if all {
                    v.each(&mut |n| all &= num_fits(n, *e));
                }
                all
            }
            (Value::Pair(p), Shape::Pair(a, b)) => p.0.fits(a) && p.1.fits(b),
            _ => false,
        }
    }

    /// The numbers of each leaf, from left to right.
    pub fn leaves(&self) -> Vec<Vec<Num>> {
        match self {
            Value::Pair(p) => [p.0.leaves(), p.1.leaves()].concat(),
            _ => {
                let mut leaf = Vec::new();
                self.each_num(&mut |n| leaf.push(n));
                vec![leaf]
            }
        }
    }

    /// Calls `f` on every number, leaf by leaf, each in row-major order.
    pub fn each_num(&self, f: &mut impl FnMut(Num)) {
        match self {
            Value::Num(n) => f(*n),
            Value::Array(v) => v.each(f),
            Value::Pair(p) => {
                p.0.each_num(f);
                p.1.each_num(f);
            }
            Value::Fun(_) => {}
        }
    }
}

fn num_fits(n: Num, e: Elem) -> bool {
    use crate::ty::Scalar;
    match (n, e) {
        (Num::F32(_), Elem::Scalar(Scalar::F32)) | (Num::F64(_), Elem::Scalar(Scalar::F64)) => true,
        (Num::F32(x), Elem::Scalar(s)) if s.is_half() => n.same(Num::F32(s.rounded(x))),
        (Num::Bounded(b), Elem::Scalar(s)) => s == b.of,
        (Num::Int(i), Elem::Scalar(s)) if !s.is_float() => super::scalar::wrap(i.into(), s) == i,
        (Num::Int(i), Elem::Idx(n)) => (0..i64::from(n)).contains(&i),
        _ => false,
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Value::Num(Num::Int(i)) => write!(f, "{i}"),
            Value::Num(Num::F32(x)) => write!(f, "{x:?}"),
            Value::Num(Num::F64(x)) => write!(f, "{x:?}"),
            Value::Num(Num::Bounded(b)) => write!(f, "{:?} ± {:?}", b.value, b.bound()),
            Value::Pair(p) => write!(f, "({:?}, {:?})", p.0, p.1),
            Value::Array(v) => f
                .debug_list()
                .entries((0..v.len()).map(|i| v.elem(i)))
                .finish(),
            Value::Fun(_) => f.write_str("<function>"),
        }
    }
}

/// Values of the variables in scope, innermost first.
#[derive(Clone, Default)]
pub(super) struct Env(Option<Rc<(Value, Env)>>);

impl Env {
    pub(super) fn push(&self, v: Value) -> Env {
        Env(Some(Rc::new((v, self.clone()))))
    }

    pub(super) fn get(&self, mut i: u32) -> Option<&Value> {
        let mut at = self;
        loop {
            let node = at.0.as_deref()?;
            if i == 0 {
                return Some(&node.0);
            }
            i -= 1;
            at = &node.1;
        }
    }
}
