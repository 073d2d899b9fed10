//! Vectors: pieces of register width, and scalar views read by lanes.
//!
//! Note [Lanes]
//! `asVector[k] xs` at `i` evaluates `xs` once at `k·i + l` for a lane variable
//! `l`, then turns the scalar expression into vectors piece by piece: what does
//! not mention `l` is broadcast, a load whose index has the coefficient 1 in `l`
//! is a vector load, an operation becomes lane-wise, a choice between loads has a
//! fast version for pieces that lie on one side, the rest is built lane by lane.
//! If evaluating needs more than named scalars, a loop over the lanes fills a
//! small buffer.

use super::state::{Lower, Res};
use super::value::{Leaf, Val, Vector};
use crate::arith::Nat;
use crate::nest::{BufId, Expr, ExprKind, Shape};
use crate::term::{Arithmetic, Bits, Function, Lit, Op, Sort};
use crate::ty::{Scalar, Ty};

/// Wider vectors are refused: each lane may become code.
const MAX_LANES: i64 = 1024;

impl Lower {
    /// The number of lanes, which must be constant.
    pub fn lanes(&self, k: Nat) -> Res<u32> {
        match k.as_int() {
            Some(n) if (1..=MAX_LANES).contains(&n) => Ok(n as u32),
            _ => Err(self.refuse(format!(
                "a vector of {k} lanes: the width must be a number from 1 to {MAX_LANES}"
            ))),
        }
    }

    /// Offsets and widths of the pieces of a vector.
    pub fn pieces(&self, elem: Scalar, lanes: u32) -> Vec<(u32, u32)> {
        let widest = match elem {
            // They are computed with as f32, which are as many then.
            s if s.is_half() => self.options.target.lanes(Scalar::F32).max(1),
            _ => self.options.target.lanes(elem).max(1),
        };
        let mut out = Vec::new();
        let mut at = 0;
        while at < lanes {
            let mut w = widest;
            while w > lanes - at {
                w /= 2;
            }
            out.push((at, w));
            at += w;
        }
        out
    }

    pub fn vec_of(&self, elem: Scalar, lanes: u32, pieces: Vec<Expr>) -> Val {
        Val::vec(Vector {
            elem,
            lanes,
            pieces,
        })
    }

    /// A vector of scalars.
    pub fn build(&self, elem: Scalar, lanes: Vec<Expr>) -> Val {
        let n = lanes.len() as u32;
        let piece = |(at, w): (u32, u32)| build(elem, &lanes[at as usize..(at + w) as usize]);
        let pieces = self.pieces(elem, n).into_iter().map(piece).collect();
        self.vec_of(elem, n, pieces)
    }

    /// Lane `i` of a vector.
    pub fn lane_of(&self, v: &Vector, i: u32) -> Expr {
        let mut at = 0;
        for p in &v.pieces {
            let w = p.shape().lanes;
            if i < at + w {
                return lane(p, i - at);
            }
            at += w;
        }
        Expr::lit(crate::term::Lit::number(0.0, v.elem), v.elem)
    }

    pub fn load_vector(&mut self, l: Leaf, k: Nat, t: Ty) -> Res<Val> {
        let lanes = self.lanes(k)?;
        let Some(elem) = self.elem_of(t) else {
            return Err(self.refuse(format!("a vector of `{t}`")));
        };
        let load = |(at, w): (u32, u32)| {
            let kind = ExprKind::Load(l.buf, l.at + Nat::int(at.into()));
            Expr::new(kind, Shape { elem, lanes: w })
        };
        let pieces = self.pieces(elem, lanes).into_iter().map(load).collect();
        Ok(self.vec_of(elem, lanes, pieces))
    }

    /// `vectorFromScalar`
    pub fn splat(&mut self, x: &Val, ty: Ty) -> Res<Val> {
        if let Some((a, b)) = ty.as_pair() {
            let (x, y) = self.both(x)?;
            let first = self.splat(&x, a)?;
            return Ok(Val::pair(first, self.splat(&y, b)?));
        }
        let Some((k, _)) = ty.as_vec() else {
            return Err(self.refuse(format!("`vectorFromScalar` gives a `{ty}`")));
        };
        let e = self.scalar(x)?;
        let lanes = self.lanes(k)?;
        let elem = e.shape().elem;
        let e = match self.in_lanes {
            0 => self.bind(e),
            _ => e,
        };
        let piece = |(_, w): (u32, u32)| splat(&e, w);
        let pieces = self.pieces(elem, lanes).into_iter().map(piece).collect();
        Ok(self.vec_of(elem, lanes, pieces))
    }

    /// Lane `i` of a vector, or of each of a pair of vectors.
    pub fn lane(&mut self, v: &Val, i: Nat) -> Res<Val> {
        match v {
            Val::Pair(p) => {
                let a = self.lane(&p.0, i)?;
                Ok(Val::pair(a, self.lane(&p.1, i)?))
            }
            Val::Vec(v) => {
                let scalar = Shape::scalar(v.elem);
                if let Some(k) = i.as_int() {
                    return Ok(Val::Scalar(self.lane_of(v, k as u32)));
                }
                if let Some((buf, at)) = place(&v.pieces) {
                    let load = ExprKind::Load(buf, self.simplify(at + i));
                    return Ok(Val::Scalar(Expr::new(load, scalar)));
                }
                Ok(Val::Scalar(match self.in_lanes {
                    0 => self.pick(&v.pieces, v.elem, i)?,
                    _ => Expr::new(ExprKind::Pick(v.pieces.clone(), i), scalar),
                }))
            }
            _ => Err(self.not_a("vector", v)),
        }
    }

    /// Element `i` of the vector that the pieces make up, by way of memory.
    pub fn pick(&mut self, pieces: &[Expr], elem: Scalar, i: Nat) -> Res<Expr> {
        let lanes: u32 = pieces.iter().map(|p| p.shape().lanes).sum();
        let ty = Ty::array(Nat::int(lanes.into()), Ty::from(elem));
        let m = self.allocate(ty, "lanes")?;
        let mut at = 0;
        for p in pieces {
            let leaf = Leaf {
                buf: m.leaves[0].buf,
                at: Nat::int(at),
            };
            at += i64::from(p.shape().lanes);
            self.store(leaf, p.clone());
        }
        let kind = ExprKind::Load(m.leaves[0].buf, i);
        Ok(Expr::new(kind, Shape::scalar(elem)))
    }

    /// Operations that C does on vectors, by operators or by what is written above a kernel; `elem` is of the result.
    pub fn lane_wise(&self, op: Op, elem: Scalar) -> bool {
        match op.sort() {
            Sort::Arithmetic(Arithmetic::Mod) => elem.is_int(),
            Sort::Arithmetic(_) => elem != Scalar::Bool,
            Sort::Bits(Bits::Bitcast) => elem != Scalar::Bool,
            Sort::Bits(_) => elem.is_int(),
            Sort::Function(f) => f == Function::Sqrt || self.options.approximate,
            Sort::Comparison(_) | Sort::Logic(_) => true,
            Sort::Loop(_) | Sort::View(_) | Sort::Data(_) => false,
        }
    }

    /// The same without a lane that is picked by an index.
    pub fn settle(&mut self, e: &Expr) -> Expr {
        e.rewrite(&mut |x| {
            let ExprKind::Pick(pieces, i) = x.kind() else {
                return None;
            };
            let pieces: Vec<Expr> = pieces.iter().map(|p| self.settle(p)).collect();
            self.pick(&pieces, x.shape().elem, *i).ok()
        })
    }
}

/// Where a vector lies in memory, if it does. At a constant index it may yet be kept in registers.
pub(super) fn place(pieces: &[Expr]) -> Option<(BufId, Nat)> {
    let load = |e: &Expr| match e.kind() {
        ExprKind::Load(buf, at) => Some((*buf, *at)),
        _ => None,
    };
    let (buf, first) = load(pieces.first()?)?;
    let mut at = first;
    for p in pieces {
        (load(p)? == (buf, at)).then_some(())?;
        at = at + Nat::int(p.shape().lanes.into());
    }
    first.as_int().is_none().then_some((buf, first))
}

/// Bytes of the smallest register.
const SMALLEST: u64 = 16;

/// Conversions of which vectors have a form: of floats of 16 bits, those with f32 only.
pub(super) fn lane_wise_cast(from: Scalar, to: Scalar) -> bool {
    match from.is_half() || to.is_half() {
        true => from == Scalar::F32 || to == Scalar::F32,
        false => true,
    }
}

/// Bits of narrow numbers of which so many are less than the smallest register, taken apart as the wide numbers that they are converted to:
/// compilers have instructions for those.
pub(super) fn widened_first(e: &Expr, wide: Shape, lanes: u32) -> Option<Expr> {
    let (from, to) = (e.shape().elem, wide.elem);
    let widens = from.is_int() && to.is_int() && !from.is_signed() && to.bytes() > from.bytes();
    let small = u64::from(lanes) * from.bytes() < SMALLEST;
    let ExprKind::Op(op @ (Op::BitAnd | Op::BitOr | Op::BitXor | Op::Shr), args) = e.kind() else {
        return None;
    };
    if !widens || !small {
        return None;
    }
    let of_wide = |a: &Expr| match a.kind() {
        ExprKind::Lit(number @ Lit::Int(_)) => Expr::lit(*number, to),
        _ => Expr::new(ExprKind::Cast(a.clone()), wide),
    };
    Some(Expr::new(
        ExprKind::Op(*op, args.iter().map(of_wide).collect()),
        wide,
    ))
}

pub(super) fn splat(e: &Expr, lanes: u32) -> Expr {
    match lanes {
        1 => e.clone(),
        _ => {
            let elem = e.shape().elem;
            Expr::new(ExprKind::Splat(e.clone()), Shape { elem, lanes })
        }
    }
}

pub(super) fn build(elem: Scalar, lanes: &[Expr]) -> Expr {
    match lanes {
        [one] => one.clone(),
        _ => Expr::new(
            ExprKind::Build(lanes.to_vec()),
            Shape {
                elem,
                lanes: lanes.len() as u32,
            },
        ),
    }
}

pub(super) fn lane(v: &Expr, i: u32) -> Expr {
    match v.kind() {
        _ if v.shape().lanes == 1 => v.clone(),
        ExprKind::Splat(e) => e.clone(),
        ExprKind::Build(es) => es[i as usize].clone(),
        _ => Expr::new(ExprKind::Lane(v.clone(), i), Shape::scalar(v.shape().elem)),
    }
}
