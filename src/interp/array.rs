//! What the primitives mean.
//!
//! Comes in: a primitive with all its arguments; goes out: its value. Those that
//! only rearrange give views, the others fill a new array. Invariant: no view
//! leaves its buffer, and room is asked for before it is taken.
//! Absent: arithmetic on single numbers (`scalar`).
//!
//! Note [Array corner cases]
//! * `reduce` folds from the left, beginning with the given start.
//! * `scanSeq f e xs` gives every result after the start: `r(i) = f xs(i) r(i-1)`.
//! * `reorder f g xs` is `xs(f i)` at `i`; `g` has to be the inverse of `f` and is
//!   what writing uses, so the meaning does not look at it.
//! * `scatter is xs` has zeros where no index points; of several writes the last stays.
//! * `scatterReduce op starts xs` applies op to what stands at an index and to what comes there, one after the other.
//! * Segment i of `reduceSegments` is from the offset i to before the offset i + 1: empty, if that is none higher.
//! * `padClamp` of an empty array gives zeros.
//! * `circularBuffer` and `rotateValues` are the windows of the mapped input; how
//!   much is kept in memory is strategy.
//! * A constant index, and that of `at`, must be below its bound wherever it stands;
//!   a cast to `idx[0]` has no value. Kernels check both on entry.

use super::build::{zero, Builder};
use super::code::PrimCode;
use super::run::{no_item, Machine};
use super::value::{Data, Dim, View};
use super::{scalar, InterpError, Num, Shape, Value};
use crate::term::Op;
use smallvec::SmallVec;

type Result<T> = std::result::Result<T, InterpError>;

/// Whether it is arithmetic or comparison of two numbers.
pub(super) fn is_binary(op: Op) -> bool {
    use Op::*;
    matches!(
        op,
        Add | Sub
            | Mul
            | Div
            | Mod
            | Min
            | Max
            | BitAnd
            | BitOr
            | BitXor
            | Shl
            | Shr
            | Lt
            | Le
            | Gt
            | Ge
            | Eq
            | Ne
            | And
            | Or
    )
}

fn size_of(v: &Value) -> Result<u32> {
    v.len()
        .ok_or_else(|| InterpError::Type("what is no array".into()))
}

/// Applies a primitive to all its arguments.
///
/// Those that call functions are functions of their own, never inlined: frames
/// that nest stay small, which the limit on depth relies on.
pub(super) fn exec(m: &mut Machine, p: &PrimCode, args: &[Value]) -> Result<Value> {
    use Op::*;
    match (p.op, args) {
        (Map | MapSeq | MapPar | MapSeqUnroll, [f, xs]) => map(m, p, f, xs),
        (Reduce | ReduceSeq | ReduceSeqUnroll, [f, e, xs]) => fold(m, f, e, xs),
        (ScanSeq, [f, e, xs]) => scan(m, p, f, e, xs),
        (ScatterReduce, [f, starts, xs]) => scatter_reduce(m, p, f, starts, xs),
        (ReduceSegments, [f, e, bounds, xs]) => segments(m, p, f, e, [bounds, xs]),
        (MapFst | MapSnd, [f, x]) => map_pair(m, p, f, x),
        (Reorder, [f, _, xs]) => reorder(m, p, f, xs),
        (Generate, [f]) => generate(m, p, f),
        (Iterate, [f, x]) => iterate(m, p.sizes[0], f, x),
        (Let, [x, f]) => m.call1(f, x.clone()),
        (CircularBuffer | RotateValues, [f, xs]) => {
            let window = p.sizes[usize::from(p.op == CircularBuffer)];
            let ys = map(m, p, f, xs)?;
            views(&ys, &mut |v| Ok(slide(v, p.outer, window, 1)))
        }
        _ => plain(m, p, args),
    }
}

#[inline(never)]
fn map(m: &mut Machine, p: &PrimCode, f: &Value, xs: &Value) -> Result<Value> {
    m.collect(p, size_of(xs)?, &mut |m, i| m.call1(f, xs.elem(i)))
}

#[inline(never)]
fn fold(m: &mut Machine, f: &Value, e: &Value, xs: &Value) -> Result<Value> {
    let mut acc = e.clone();
    for i in 0..size_of(xs)? {
        acc = m.call2(f, acc, xs.elem(i))?;
    }
    Ok(acc)
}

#[inline(never)]
fn scan(m: &mut Machine, p: &PrimCode, f: &Value, e: &Value, xs: &Value) -> Result<Value> {
    let mut acc = e.clone();
    m.collect(p, size_of(xs)?, &mut |m, i| {
        acc = m.call2(f, xs.elem(i), acc.clone())?;
        Ok(acc.clone())
    })
}

#[inline(never)]
fn scatter_reduce(
    m: &mut Machine,
    p: &PrimCode,
    f: &Value,
    starts: &Value,
    xs: &Value,
) -> Result<Value> {
    let size = size_of(starts)?;
    m.reserve_raw(size.into(), 64 * u64::from(size))?;
    let mut slots: Vec<Value> = (0..size).map(|i| starts.elem(i)).collect();
    for i in 0..size_of(xs)? {
        let update = xs.elem(i);
        let Some((j, x)) = update.as_pair() else {
            return Err(InterpError::Type("what is no pair".into()));
        };
        let j = index(j);
        let slot = usize::try_from(j).ok().and_then(|j| slots.get_mut(j));
        let slot = slot.ok_or(InterpError::OutOfRange {
            index: j.into(),
            size: size.into(),
        })?;
        *slot = m.call2(f, slot.clone(), x.clone())?;
    }
    m.collect(p, size, &mut |_, j| Ok(slots[j as usize].clone()))
}

#[inline(never)]
fn segments(
    m: &mut Machine,
    p: &PrimCode,
    f: &Value,
    e: &Value,
    [bounds, xs]: [&Value; 2],
) -> Result<Value> {
    m.collect(p, p.outer, &mut |m, i| {
        let bound = |i| at(bounds, i).map(|b| index(&b));
        let (from, to) = (bound(i.into())?, bound(u64::from(i) + 1)?);
        let mut acc = e.clone();
        for j in from..to {
            acc = m.call2(f, acc, at(xs, j)?)?;
        }
        Ok(acc)
    })
}

#[inline(never)]
fn map_pair(m: &mut Machine, p: &PrimCode, f: &Value, x: &Value) -> Result<Value> {
    match (x.as_pair(), p.op) {
        (Some((a, b)), Op::MapFst) => Ok(Value::pair(m.call1(f, a.clone())?, b.clone())),
        (Some((a, b)), _) => Ok(Value::pair(a.clone(), m.call1(f, b.clone())?)),
        _ => Err(InterpError::Type("what is no pair".into())),
    }
}

#[inline(never)]
fn reorder(m: &mut Machine, p: &PrimCode, f: &Value, xs: &Value) -> Result<Value> {
    m.collect(p, size_of(xs)?, &mut |m, i| {
        let j = m.call1(f, Value::int(i.into()))?;
        at(xs, index(&j))
    })
}

#[inline(never)]
fn generate(m: &mut Machine, p: &PrimCode, f: &Value) -> Result<Value> {
    m.collect(p, p.outer, &mut |m, i| m.call1(f, Value::int(i.into())))
}

#[inline(never)]
fn iterate(m: &mut Machine, times: u32, f: &Value, x: &Value) -> Result<Value> {
    let mut x = x.clone();
    for _ in 0..times {
        x = m.call1(f, x)?;
    }
    Ok(x)
}

/// The primitives that call no function.
#[inline(never)]
fn plain(m: &mut Machine, p: &PrimCode, args: &[Value]) -> Result<Value> {
    use Op::*;
    let k = |i: usize| p.sizes[i];
    match (p.op, args) {
        (Zip | Pair, [a, b]) => Ok(Value::pair(a.clone(), b.clone())),
        (Unzip | ToMem, [x]) => Ok(x.clone()),
        (Fst | Snd, [x]) => match (x.as_pair(), p.op) {
            (Some((a, _)), Fst) => Ok(a.clone()),
            (Some((_, b)), _) => Ok(b.clone()),
            _ => Err(InterpError::Type("what is no pair".into())),
        },
        (Split | AsVector, [xs]) => views(xs, &mut |v| Ok(slide(v, p.outer, k(0), k(0)))),
        (Join | AsScalar, [xs]) => views(xs, &mut |v| join(m, v)),
        (Transpose, [xs]) => views(xs, &mut |v| {
            let mut v = v.clone();
            if v.dims.len() < 2 {
                return Err(InterpError::Type("what is no matrix".into()));
            }
            v.dims.swap(0, 1);
            Ok(v)
        }),
        (Slide, [xs]) => views(xs, &mut |v| Ok(slide(v, p.outer, k(0), k(1)))),
        (Take, [xs]) => views(xs, &mut |v| Ok(range(v, 0, k(0)))),
        (Drop, [xs]) => views(xs, &mut |v| Ok(range(v, k(0), v.len()))),
        (Reverse, [xs]) => views(xs, &mut |v| Ok(reverse(v))),
        (Concat, [a, b]) => fill_with(m, p, |out| {
            out.push(a)?;
            out.push(b)
        }),
        (PadCst, [x, xs]) => fill_with(m, p, |out| {
            (0..k(0)).try_for_each(|_| out.push(x))?;
            out.push(xs)?;
            (0..k(1)).try_for_each(|_| out.push(x))
        }),
        (PadClamp, [xs]) => pad_clamp(m, p, xs),
        (Gather, [is, xs]) => m.collect(p, size_of(is)?, &mut |_, i| at(xs, index(&is.elem(i)))),
        (Scatter, [is, xs]) => scatter(m, p, is, xs),
        (Idx, [i, xs]) => at(xs, index(i)),
        (At, [xs]) => at(xs, k(0).into()),
        (Fill, [x]) => repeat(x, k(0)),
        (VectorFromScalar, [x]) => repeat(x, p.outer),
        (MakeArray, items) => m.collect(p, items.len() as u32, &mut |_, i| {
            Ok(items[i as usize].clone())
        }),
        (Select, [c, a, b]) => Ok(if c.as_num().is_some_and(Num::truth) {
            a
        } else {
            b
        }
        .clone()),
        _ => numbers(p, args),
    }
}

/// The primitives that compute numbers, lane by lane.
fn numbers(p: &PrimCode, args: &[Value]) -> Result<Value> {
    use Op::*;
    match (p.op, args) {
        (Neg | Abs, [x]) => {
            let s = number_type(p);
            lanes(p, &[x], |n| scalar::unary(p.op, s, n[0]))
        }
        (Fma, [a, b, c]) => {
            let s = number_type(p);
            lanes(p, &[a, b, c], |n| scalar::fma(s, n[0], n[1], n[2]))
        }
        (BitNot, [x]) => {
            let s = number_type(p);
            lanes(p, &[x], |n| scalar::bitwise(BitXor, s, n[0], Num::Int(-1)))
        }
        (Bitcast, [x]) => {
            let (s, t) = (number_type(p), scalar_of(p.to));
            lanes(p, &[x], |n| scalar::bitcast(s, t, n[0]))
        }
        (Not, [x]) => lanes(p, &[x], |n| Num::Int(i64::from(!n[0].truth()))),
        (Cast, [x]) => match p.to {
            super::Elem::Idx(0) => Err(InterpError::OutOfRange { index: 0, size: 0 }),
            _ => lanes(p, &[x], |n| scalar::cast(p.from, p.to, n[0])),
        },
        (op, [a, b]) if is_binary(op) => binary(p, a, b),
        (op, args) => match (op.function(), args) {
            (Some(f), [x]) => {
                let s = number_type(p);
                lanes(p, &[x], |n| scalar::function(f, s, n[0]))
            }
            _ => Err(InterpError::Type(format!(
                "of the arguments of {}",
                op.name()
            ))),
        },
    }
}

/// The first element before, the last one behind; of an array without elements, zeros.
fn pad_clamp(m: &mut Machine, p: &PrimCode, xs: &Value) -> Result<Value> {
    let n = size_of(xs)?;
    let (first, last) = match n {
        0 => {
            let item = p.item.as_ref().ok_or_else(|| no_item(p.op))?;
            m.reserve(item, 1)?;
            let z = zero(item);
            (z.clone(), z)
        }
        _ => (xs.elem(0), xs.elem(n - 1)),
    };
    fill_with(m, p, |out| {
        (0..p.sizes[0]).try_for_each(|_| out.push(&first))?;
        out.push(xs)?;
        (0..p.sizes[1]).try_for_each(|_| out.push(&last))
    })
}

/// Arithmetic, comparison or logic of two numbers or of vectors.
pub(super) fn binary(p: &PrimCode, a: &Value, b: &Value) -> Result<Value> {
    use Op::*;
    let single = p.from == super::Elem::Scalar(crate::ty::Scalar::F32);
    if let (Value::Num(Num::F32(x)), Value::Num(Num::F32(y)), true) = (a, b, single) {
        // What most programs spend their time with.
        match p.op {
            Add => return Ok(Value::f32(x + y)),
            Sub => return Ok(Value::f32(x - y)),
            Mul => return Ok(Value::f32(x * y)),
            _ => {}
        }
    }
    match p.op {
        And => lanes(p, &[a, b], |n| {
            Num::Int(i64::from(n[0].truth() && n[1].truth()))
        }),
        Or => lanes(p, &[a, b], |n| {
            Num::Int(i64::from(n[0].truth() || n[1].truth()))
        }),
        Lt | Le | Gt | Ge | Eq | Ne => {
            lanes(p, &[a, b], |n| scalar::compare(p.op, p.from, n[0], n[1]))
        }
        BitAnd | BitOr | BitXor | Shl | Shr => {
            let s = number_type(p);
            lanes(p, &[a, b], |n| scalar::bitwise(p.op, s, n[0], n[1]))
        }
        _ => {
            let s = number_type(p);
            lanes(p, &[a, b], |n| scalar::binary(p.op, s, n[0], n[1]))
        }
    }
}

fn number_type(p: &PrimCode) -> crate::ty::Scalar {
    scalar_of(p.from)
}

fn scalar_of(e: super::Elem) -> crate::ty::Scalar {
    match e {
        super::Elem::Scalar(s) => s,
        super::Elem::Idx(_) => crate::ty::Scalar::I64,
    }
}

/// Applies `f` to numbers, or lane by lane to vectors.
fn lanes<const N: usize>(
    p: &PrimCode,
    args: &[&Value; N],
    f: impl Fn([Num; N]) -> Num,
) -> Result<Value> {
    let lane = |i: u32| -> Result<[Num; N]> {
        let mut nums = [Num::Int(0); N];
        for (n, v) in nums.iter_mut().zip(args) {
            *n = match v {
                Value::Num(x) => *x,
                Value::Array(view) if i < view.len() => view
                    .elem(i)
                    .as_num()
                    .ok_or_else(|| InterpError::Type("arithmetic on arrays".into()))?,
                _ => return Err(InterpError::Type("arithmetic on what is no number".into())),
            };
        }
        Ok(nums)
    };
    match args.iter().find_map(|v| v.len()) {
        None => Ok(Value::Num(f(lane(0)?))),
        Some(n) => {
            let mut data = Data::new(p.to, n as usize);
            for i in 0..n {
                data.push(f(lane(i)?));
            }
            Ok(Value::Array(View::dense(data, &[n])))
        }
    }
}

fn index(v: &Value) -> u64 {
    v.as_num().map_or(0, |n| n.int()) as u64
}

fn at(xs: &Value, i: u64) -> Result<Value> {
    let n = size_of(xs)?;
    match u32::try_from(i) {
        Ok(i) if i < n => Ok(xs.elem(i)),
        _ => Err(InterpError::OutOfRange {
            index: i.into(),
            size: n.into(),
        }),
    }
}

/// Rebuilds every leaf of an array.
fn views(v: &Value, f: &mut dyn FnMut(&View) -> Result<View>) -> Result<Value> {
    match v {
        Value::Array(view) => Ok(Value::Array(f(view)?)),
        Value::Pair(p) => Ok(Value::pair(views(&p.0, f)?, views(&p.1, f)?)),
        _ => Err(InterpError::Type("what is no array".into())),
    }
}

/// A stride for an extent: nobody takes a step where there is one element.
fn dim(len: u32, stride: i64) -> Dim {
    let stride = if len > 1 { stride as i32 } else { 0 };
    Dim { len, stride }
}

/// `outer` windows of `size` elements, each `step` after the one before.
fn slide(v: &View, outer: u32, size: u32, step: u32) -> View {
    let d = v.dims[0];
    let mut dims: SmallVec<[Dim; 3]> = SmallVec::new();
    dims.push(dim(outer, i64::from(d.stride) * i64::from(step)));
    dims.push(dim(size, d.stride.into()));
    dims.extend_from_slice(&v.dims[1..]);
    View {
        buf: v.buf.clone(),
        offset: v.offset,
        dims,
    }
}

fn join(m: &mut Machine, v: &View) -> Result<View> {
    let [a, b, ..] = v.dims[..] else {
        return Err(InterpError::Type("what is no matrix".into()));
    };
    let len = a.len.checked_mul(b.len).ok_or(InterpError::Memory)?;
    let stride = match () {
        _ if len == 0 => 0,
        _ if b.len == 1 => a.stride,
        _ if a.len == 1 => b.stride,
        _ if i64::from(a.stride) == i64::from(b.len) * i64::from(b.stride) => b.stride,
        _ => {
            m.reserve_raw(v.count(), v.count().saturating_mul(8))?;
            return join(m, &v.compact());
        }
    };
    let mut dims: SmallVec<[Dim; 3]> = SmallVec::new();
    dims.push(dim(len, stride.into()));
    dims.extend_from_slice(&v.dims[2..]);
    Ok(View {
        buf: v.buf.clone(),
        offset: v.offset,
        dims,
    })
}

/// Elements `from … to-1`.
fn range(v: &View, from: u32, to: u32) -> View {
    let mut v = v.clone();
    let d = v.dims[0];
    let (from, to) = (from.min(d.len), to.min(d.len));
    if from < to {
        v.offset = (i64::from(v.offset) + i64::from(from) * i64::from(d.stride)) as u32;
    }
    v.dims[0] = dim(to.saturating_sub(from), d.stride.into());
    v
}

fn reverse(v: &View) -> View {
    let mut v = v.clone();
    let d = v.dims[0];
    let last = i64::from(d.len.saturating_sub(1)) * i64::from(d.stride);
    v.offset = (i64::from(v.offset) + last) as u32;
    v.dims[0] = dim(d.len, -i64::from(d.stride));
    v
}

/// `n` times the same, in no more memory than once.
fn repeat(x: &Value, n: u32) -> Result<Value> {
    match x {
        Value::Num(num) => {
            let data = match *num {
                Num::Int(i) => Data::Int(vec![i]),
                Num::F32(x) => Data::F32(vec![x]),
                Num::F64(x) => Data::F64(vec![x]),
                Num::Bounded(b) => Data::Bounded(vec![b]),
            };
            let mut v = View::dense(data, &[1]);
            v.dims[0] = Dim { len: n, stride: 0 };
            Ok(Value::Array(v))
        }
        Value::Array(v) => {
            let mut v = v.clone();
            v.dims.insert(0, Dim { len: n, stride: 0 });
            Ok(Value::Array(v))
        }
        Value::Pair(p) => Ok(Value::pair(repeat(&p.0, n)?, repeat(&p.1, n)?)),
        Value::Fun(_) => Err(InterpError::Type("an array of functions".into())),
    }
}

/// An array of size `p.outer` made of pieces.
fn fill_with(
    m: &mut Machine,
    p: &PrimCode,
    f: impl FnOnce(&mut Builder) -> Result<()>,
) -> Result<Value> {
    let item: &Shape = p.item.as_ref().ok_or_else(|| no_item(p.op))?;
    m.reserve(item, p.outer.into())?;
    let mut out = Builder::new(item, p.outer);
    f(&mut out)?;
    Ok(out.finish(p.outer))
}

fn scatter(m: &mut Machine, p: &PrimCode, is: &Value, xs: &Value) -> Result<Value> {
    let item = p.item.as_ref().ok_or_else(|| no_item(p.op))?;
    m.reserve(item, 1)?;
    m.reserve_raw(p.outer.into(), 8 * u64::from(p.outer))?;
    let mut slots: Vec<Option<u32>> = vec![None; p.outer as usize];
    for i in 0..size_of(is)? {
        let j = index(&is.elem(i));
        let slot = usize::try_from(j).ok().and_then(|j| slots.get_mut(j));
        *slot.ok_or(InterpError::OutOfRange {
            index: j.into(),
            size: p.outer.into(),
        })? = Some(i);
    }
    let none = zero(item);
    m.collect(p, p.outer, &mut |_, j| match slots[j as usize] {
        Some(i) => Ok(xs.elem(i)),
        None => Ok(none.clone()),
    })
}
