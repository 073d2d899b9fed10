//! Between which numbers values lie, where floats become integers, and where integers with a sign cannot leave their type.
//!
//! In: an expression, and what variables are. Out: two numbers between which it lies; a float lies there, or it is none. They come from
//! constants, from short integers, and from the least and the largest of two. Absent: arithmetic of floats.

use crate::intern::Symbol;
use crate::nest::{Expr, ExprKind};
use crate::term::{Lit, Op};
use crate::ty::Scalar;
use std::collections::BTreeMap;

/// Variables of variables are followed so far.
const DEPTH: u32 = 8;

const ANY: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// What variables are.
#[derive(Default)]
pub struct Values {
    /// Those that are given no value later.
    pub known: BTreeMap<Symbol, Expr>,
    /// Between which numbers others lie.
    pub bounded: BTreeMap<Symbol, (i128, i128)>,
}

impl Values {
    /// Whether an operation on integers with a sign cannot leave their type.
    pub fn stays_inside(&self, op: Op, args: &[Expr], to: Scalar) -> bool {
        let [x, y] = args else { return false };
        let (low, high) = to.bounds();
        ends(op, self.whole(x, DEPTH), self.whole(y, DEPTH))
            .is_some_and(|(a, b)| low <= a && b <= high)
    }

    /// Between which numbers an integer lies.
    pub fn range(&self, e: &Expr) -> (i128, i128) {
        self.whole(e, DEPTH)
    }

    fn whole(&self, e: &Expr, depth: u32) -> (i128, i128) {
        let any = e.shape().elem.bounds();
        let fits = |(low, high): (i128, i128)| match any.0 <= low && high <= any.1 {
            true => (low, high),
            false => any,
        };
        let of = |e: &Expr| self.whole(e, depth);
        match e.kind() {
            ExprKind::Lit(Lit::Int(n)) => fits((*n, *n)),
            ExprKind::Var(v) => match (self.known.get(v), depth.checked_sub(1)) {
                (Some(e), Some(depth)) => self.whole(e, depth),
                _ => self.bounded.get(v).copied().unwrap_or(any),
            },
            ExprKind::Cast(x) if !x.shape().elem.is_float() => fits(of(x)),
            // What is no number becomes 0.
            ExprKind::Cast(x) if self.fits(x, e.shape().elem) => {
                let (low, high) = self.floats(x, depth);
                (low.min(0.0) as i128, high.max(0.0) as i128)
            }
            ExprKind::Op(Op::Select, args) => {
                let ((a, b), (l, h)) = (of(&args[1]), of(&args[2]));
                (a.min(l), b.max(h))
            }
            ExprKind::Op(op, args) if args.len() == 2 => {
                let ends = match (op, of(&args[0]), of(&args[1])) {
                    (Op::Min, (a, b), (l, h)) => Some((a.min(l), b.min(h))),
                    (Op::Max, (a, b), (l, h)) => Some((a.max(l), b.max(h))),
                    (op, x, y) => ends(*op, x, y),
                };
                ends.map_or(any, fits)
            }
            ExprKind::Op(Op::Abs, args) => {
                let (low, high) = of(&args[0]);
                fits((low.max(-high).max(0), high.max(-low)))
            }
            _ => any,
        }
    }

    /// What is an index below its bound as it is.
    pub fn below<'e>(&self, e: &'e Expr) -> Option<&'e Expr> {
        let ExprKind::Clamp(x, n) = e.kind() else {
            return None;
        };
        let (low, high) = self.whole(x, DEPTH);
        (low >= 0 && high < n.as_int()?.into()).then_some(x)
    }

    /// Whether a float is none, or a number of an integer type and of `int32_t`, to which every processor converts, once it has no
    /// fraction.
    pub fn fits(&self, e: &Expr, to: Scalar) -> bool {
        let ((a, b), (l, h)) = (to.bounds(), Scalar::I32.bounds());
        let (low, high) = self.floats(e, DEPTH);
        let single = matches!(e.shape().elem, Scalar::F32 | Scalar::F64);
        to.is_int() && single && low >= a.max(l) as f64 && high <= b.min(h) as f64
    }

    fn floats(&self, e: &Expr, depth: u32) -> (f64, f64) {
        let Some(depth) = depth.checked_sub(1) else {
            return ANY;
        };
        match e.kind() {
            ExprKind::Var(v) => self.known.get(v).map_or(ANY, |e| self.floats(e, depth)),
            ExprKind::Cast(x) if x.shape().elem.is_int() && x.shape().elem.bytes() <= 2 => {
                let (low, high) = x.shape().elem.bounds();
                (low as f64, high as f64)
            }
            ExprKind::Op(op @ (Op::Min | Op::Max | Op::Select), args) => {
                let (x, y) = (&args[args.len() - 2], &args[args.len() - 1]);
                let ((a, b), (l, h)) = (self.floats(x, depth), self.floats(y, depth));
                // `x < y ? x : y` is y where x is none, so that its end holds for what is no constant.
                let number = constant(x).is_some();
                match op {
                    Op::Min => (a.min(l), if number { b.min(h) } else { h }),
                    Op::Max => (if number { a.max(l) } else { l }, b.max(h)),
                    _ => (a.min(l), b.max(h)),
                }
            }
            _ => constant(e).map_or(ANY, |x| (x, x)),
        }
    }
}

/// The number that an expression always is.
fn constant(e: &Expr) -> Option<f64> {
    let ExprKind::Lit(l) = e.kind() else {
        return None;
    };
    let x = match *l {
        Lit::F32(bits) => f64::from(f32::from_bits(bits)),
        Lit::F64(bits) => f64::from_bits(bits),
        Lit::Int(n) if n.unsigned_abs() < 1 << 24 => n as f64,
        _ => return None,
    };
    (!x.is_nan()).then_some(x)
}

/// Between which numbers the results of an operation lie, if nothing is lost.
fn ends(op: Op, (a, b): (i128, i128), (l, h): (i128, i128)) -> Option<(i128, i128)> {
    match op {
        Op::Add => Some((a.saturating_add(l), b.saturating_add(h))),
        Op::Sub => Some((a.saturating_sub(h), b.saturating_sub(l))),
        Op::Mul => {
            let all = [(a, l), (a, h), (b, l), (b, h)].map(|(x, y)| x.saturating_mul(y));
            Some((*all.iter().min()?, *all.iter().max()?))
        }
        // By a number, toward zero.
        Op::Div if l == h && l > 0 => Some((a / l, b / l)),
        Op::Mod if l == h && l > 0 => Some((a.max(1 - l).min(0), b.min(l - 1).max(0))),
        Op::BitAnd if l == h && l >= 0 => Some((0, l)),
        Op::Shr if l == h && (0..64).contains(&l) => Some((a >> l, b >> l)),
        _ => None,
    }
}
