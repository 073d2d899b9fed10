//! Terms with everything decided that does not depend on data.
//!
//! Comes in: a term and the sizes; goes out: [`Code`], in which applications of
//! primitives stand with all their arguments, sizes are numbers, and each
//! primitive knows its element types. Invariant: nesting is bounded, so that
//! whoever walks the code has a bounded stack. Absent: evaluation.

use super::shape::size;
use super::{Elem, InterpError, Num, Shape, Sizes, Value};
use crate::term::{Chosen, Kind, Lit, Op, Prim, Term};
use crate::ty::{Ty, TyKind};
use smallvec::SmallVec;
use std::rc::Rc;

/// A term ready to be evaluated.
pub(super) enum Code {
    Var(u32),
    Const(Value),
    Lam(Rc<Code>),
    /// A function that is no primitive and at least one argument.
    Apply(Box<Code>, Vec<Code>),
    /// A primitive with as many arguments as it takes, or with none.
    Prim(Rc<PrimCode>, Vec<Code>),
    /// A primitive with some of its arguments.
    Partial(Rc<PrimCode>, Rc<[Code]>),
}

/// A primitive at its type.
pub(super) struct PrimCode {
    pub op: Op,
    /// Its explicit sizes.
    pub sizes: SmallVec<[u32; 2]>,
    /// How many arguments it takes.
    pub arity: usize,
    /// Size of the result, where that is an array or a vector.
    pub outer: u32,
    /// What the elements of the first argument and of the result are, where
    /// they are scalars or vectors.
    pub from: Elem,
    pub to: Elem,
    /// Shape of the elements of the result, where that is an array that the
    /// primitive fills.
    pub item: Option<Shape>,
}

/// Compiles a term, in which at most `depth` applications and lambdas nest.
pub(super) fn compile(t: &Term, sizes: &Sizes, depth: u32) -> Result<Code, InterpError> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(InterpError::Depth);
    };
    if let Some(first) = chooses(t, sizes)? {
        return chosen(t, first, sizes, depth);
    }
    let args = |args: Vec<&Term>| compile_all(&args, sizes, depth);
    match t.kind() {
        Kind::Var(i) => Ok(Code::Var(*i)),
        Kind::Hole(i) => Err(InterpError::Hole(*i)),
        Kind::Lit(l) => {
            check(t.ty(), sizes)?;
            Ok(Code::Const(Value::Num(literal(*l, t.ty(), sizes)?)))
        }
        Kind::Prim(p) => Ok(Code::Prim(prim(*p, t.ty(), sizes)?, Vec::new())),
        Kind::Lam(_, body) => {
            check(t.ty(), sizes)?;
            Ok(Code::Lam(Rc::new(compile(body, sizes, depth)?)))
        }
        Kind::App(..) => {
            let (head, rest) = t.spine();
            match head.kind() {
                Kind::Prim(p) => {
                    let code = prim(*p, head.ty(), sizes)?;
                    if rest.len() > code.arity {
                        return Err(InterpError::Type(t.ty().to_string()));
                    }
                    Ok(match rest.len() < code.arity {
                        true => Code::Partial(code, args(rest)?.into()),
                        false => Code::Prim(code, args(rest)?),
                    })
                }
                _ => {
                    let head = compile(head, sizes, depth)?;
                    Ok(Code::Apply(head.into(), args(rest)?))
                }
            }
        }
    }
}

/// Several terms; a loop, as iterators within iterators would take most of the stack.
fn compile_all(terms: &[&Term], sizes: &Sizes, depth: u32) -> Result<Vec<Code>, InterpError> {
    let mut all = Vec::with_capacity(terms.len());
    for t in terms {
        all.push(compile(t, sizes, depth)?);
    }
    Ok(all)
}

/// Whether it is a choice of the first of two arrays by sizes, or of the other one; `None` if it is anything else.
#[inline(never)]
fn chooses(t: &Term, sizes: &Sizes) -> Result<Option<bool>, InterpError> {
    let Some(chosen) = Chosen::of(t) else {
        return Ok(None);
    };
    for n in &chosen.sizes {
        let value = n.eval(&mut |name| sizes.get(&name).copied());
        if value.ok_or_else(|| InterpError::Size(n.to_string()))? < 1 {
            return Ok(Some(false));
        }
    }
    Ok(Some(true))
}

/// The array that sizes choose; in the other one sizes have to be sizes, too.
#[inline(never)]
fn chosen(t: &Term, first: bool, sizes: &Sizes, depth: u32) -> Result<Code, InterpError> {
    let (head, args) = t.spine();
    check(head.ty(), sizes)?;
    let mut all = compile_all(&args, sizes, depth)?.into_iter();
    let code = all.nth(if first { 1 } else { 2 });
    code.ok_or_else(|| InterpError::Type(t.ty().to_string()))
}

fn literal(l: Lit, ty: Ty, sizes: &Sizes) -> Result<Num, InterpError> {
    let whole = |x: i128| match elem(ty, sizes) {
        Some(Elem::Scalar(s)) => Ok(super::scalar::integer(x, s)),
        Some(Elem::Idx(n)) if (0..i128::from(n)).contains(&x) => Ok(Num::Int(x as i64)),
        Some(Elem::Idx(n)) => Err(InterpError::OutOfRange {
            index: x,
            size: n.into(),
        }),
        None => Ok(Num::Int(x as i64)),
    };
    let number = match l {
        Lit::Bool(b) => Num::Int(i64::from(b)),
        Lit::Int(x) => whole(x)?,
        Lit::F32(bits) => Num::F32(f32::from_bits(bits)),
        Lit::F64(bits) => Num::F64(f64::from_bits(bits)),
        Lit::Size(n) => whole(
            n.eval(&mut |name| sizes.get(&name).copied())
                .ok_or_else(|| InterpError::Size(n.to_string()))?
                .into(),
        )?,
    };
    Ok(match elem(ty, sizes) {
        Some(Elem::Scalar(s)) => super::scalar::noted(number, s),
        _ => number,
    })
}

/// That all sizes in a type are sizes.
fn check(ty: Ty, sizes: &Sizes) -> Result<(), InterpError> {
    match ty.kind() {
        TyKind::Scalar(_) | TyKind::Meta(_) => Ok(()),
        TyKind::Idx(n) => size(n, sizes).map(drop),
        TyKind::Pair(a, b) | TyKind::Fun(a, b) => {
            check(a, sizes)?;
            check(b, sizes)
        }
        TyKind::Vec(n, t) | TyKind::Array(n, t) => {
            size(n, sizes)?;
            check(t, sizes)
        }
    }
}

/// That what a primitive leaves implicit is a size: what `take` drops, the steps of `slide`; and that there is
/// the element that `at` asks for.
fn implicit(
    p: Prim,
    given: &[u32],
    first: Option<Ty>,
    outer: u32,
    sizes: &Sizes,
) -> Result<(), InterpError> {
    let from = match first.and_then(|t| t.as_array()) {
        Some((n, _)) => size(n, sizes)?,
        None => 0,
    };
    let fine = match p.op() {
        Op::Take | Op::Drop => given[0] <= from,
        Op::Slide | Op::CircularBuffer | Op::RotateValues => outer >= 1,
        Op::At if given[0] >= from => {
            return Err(InterpError::OutOfRange {
                index: given[0].into(),
                size: from.into(),
            })
        }
        _ => true,
    };
    match fine {
        true => Ok(()),
        false => Err(InterpError::Size(format!(
            "what `{}` leaves",
            p.op().name()
        ))),
    }
}

/// The element type of a scalar, index or vector.
fn elem(ty: Ty, sizes: &Sizes) -> Option<Elem> {
    match ty.kind() {
        TyKind::Scalar(s) => Some(Elem::Scalar(s)),
        TyKind::Idx(n) => size(n, sizes).ok().map(Elem::Idx),
        TyKind::Vec(_, t) => elem(t, sizes),
        _ => None,
    }
}

fn prim(p: Prim, ty: Ty, sizes: &Sizes) -> Result<Rc<PrimCode>, InterpError> {
    use Op::*;
    let op = p.op();
    let (mut result, mut arity, mut first) = (ty, 0, None);
    while let Some((arg, rest)) = result.as_fun() {
        first = first.or(Some(arg));
        result = rest;
        arity += 1;
    }
    check(ty, sizes)?;
    let explicit = (p.sizes().into_iter())
        .map(|n| size(n, sizes))
        .collect::<Result<SmallVec<_>, _>>()?;
    let outer = match result.kind() {
        TyKind::Array(n, _) => size(n, sizes)?,
        _ => match result.as_vec() {
            Some((n, _)) => size(n, sizes)?,
            None => 0,
        },
    };
    implicit(p, &explicit, first, outer, sizes)?;
    let fills = matches!(
        op,
        Map | MapSeq
            | MapPar
            | MapSeqUnroll
            | ScanSeq
            | ScatterReduce
            | ReduceSegments
            | Concat
            | PadCst
            | PadClamp
            | Gather
            | Scatter
            | Reorder
            | Generate
            | MakeArray
            | CircularBuffer
            | RotateValues
    );
    let item = match result.as_array() {
        // The last two give windows of what they fill.
        Some((_, t)) if fills => match (op, t.as_array()) {
            (CircularBuffer | RotateValues, Some((_, t))) => Some(Shape::of(t, sizes)?),
            _ => Some(Shape::of(t, sizes)?),
        },
        _ => None,
    };
    let number = |t: Option<Ty>| t.and_then(|t| elem(t, sizes)).unwrap_or(Elem::Idx(0));
    Ok(Rc::new(PrimCode {
        op,
        sizes: explicit,
        arity,
        outer,
        from: number(first),
        to: number(Some(result)),
        item,
    }))
}
