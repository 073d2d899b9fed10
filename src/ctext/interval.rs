//! Between which numbers values lie.
//!
//! In: a tree, and what variables are. Out: two numbers between which it lies; a float lies there, or it is none. They come from
//! constants, from short integers, and from the least and the largest of two. Absent: arithmetic of floats.

use super::meaning::{self, Res};
use super::scope::Scope;
use super::steps::ends;
use super::sum::Atom;
use super::tree::{By, Kind, Tree};
use crate::intern::Symbol;
use crate::nest::{self, ExprKind, Nest};
use crate::term::Op;
use crate::ty::Scalar;

/// Variables of variables are followed so far.
const DEPTH: u32 = 8;

const ANY: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

impl Scope {
    /// What an index is that is one as it is, where its bound changes nothing.
    pub fn below(&self, nest: &Nest, e: &nest::Expr) -> Res<Option<Tree>> {
        let ExprKind::Clamp(x, n) = e.kind() else {
            return Ok(None);
        };
        let tree = meaning::value(nest, x)?;
        let (low, high) = self.whole(&tree);
        let is = n.as_int().is_some_and(|n| low >= 0 && high < n.into());
        Ok(is.then_some(tree))
    }

    /// Whether an operation that takes no other numbers takes this one.
    pub fn takes(&self, by: By, t: &Tree, to: Scalar) -> bool {
        match by {
            By::Clamp => self.whole(t).0 >= 0,
            _ => self.fits(t, to),
        }
    }

    /// Whether a float is none, or a number of an integer type and of `int32_t` once it has no fraction.
    pub fn fits(&self, t: &Tree, to: Scalar) -> bool {
        let (low, high) = self.floats(t, DEPTH);
        let within = |(least, most): (i128, i128)| low >= least as f64 && high <= most as f64;
        to.is_int() && within(to.bounds()) && within(Scalar::I32.bounds())
    }

    /// The least and the largest whole number that it may be.
    pub fn whole(&self, t: &Tree) -> (i128, i128) {
        self.integers(t, DEPTH)
    }

    fn integers(&self, t: &Tree, depth: u32) -> (i128, i128) {
        let any = t.elem().bounds();
        let fits = |(low, high): (i128, i128)| match any.0 <= low && high <= any.1 {
            true => (low, high),
            false => any,
        };
        if let Some(n) = t.as_int() {
            return (n, n);
        }
        let of = |t: &Tree| self.integers(t, depth);
        let variable = |v: Symbol| match (self.value(v), depth.checked_sub(1)) {
            (Some(t), Some(depth)) => self.integers(t, depth),
            _ => self.sum(v).unwrap_or(any),
        };
        match t.kind() {
            Kind::Var(v) => variable(*v),
            Kind::Index(sum) => match sum.as_atom() {
                Some(Atom::Var(v)) => variable(v),
                _ => any,
            },
            Kind::Of(By::Convert, args) if !args[0].elem().is_float() => {
                let same_bits = self.without_sign(&args[0], t.elem(), depth);
                fits(same_bits.unwrap_or_else(|| of(&args[0])))
            }
            // What is no number becomes 0.
            Kind::Of(By::Saturate, args) if self.fits(&args[0], t.elem()) => {
                let (low, high) = self.floats(&args[0], depth);
                (low.min(0.0) as i128, high.max(0.0) as i128)
            }
            Kind::Of(By::Op(Op::Select), args) => {
                let ((a, b), (l, h)) = (of(&args[1]), of(&args[2]));
                match compared(&args[0], (&args[1], &args[2])) {
                    Some(Op::Lt) => (a.min(l), b.min(h)),
                    Some(Op::Gt) => (a.max(l), b.max(h)),
                    _ => (a.min(l), b.max(h)),
                }
            }
            Kind::Of(By::ZeroOne, _) => (0, 1),
            Kind::Of(By::Op(Op::Abs), args) => {
                let (low, high) = of(&args[0]);
                let least = if low > 0 { low } else { (-high).max(0) };
                fits((least, (-low).max(high)))
            }
            Kind::Of(By::Op(op), args) if args.len() == 2 => {
                ends(*op, of(&args[0]), of(&args[1])).map_or(any, fits)
            }
            _ => any,
        }
    }

    /// What is computed without a sign of numbers that have one, and gets one again, is what is computed with it, if that fits.
    fn without_sign(&self, t: &Tree, to: Scalar, depth: u32) -> Option<(i128, i128)> {
        let from = t.elem();
        let Kind::Of(By::Op(op @ (Op::Add | Op::Sub | Op::Mul)), args) = t.kind() else {
            return None;
        };
        if from.is_signed() || !to.is_signed() || from.bytes() != to.bytes() {
            return None;
        }
        let signed = |t: &Tree| match (t.kind(), t.as_int()) {
            (_, Some(n)) => Some((n, n)),
            (Kind::Of(By::Convert, of), _) => {
                (of[0].elem() == to).then(|| self.integers(&of[0], depth))
            }
            _ => None,
        };
        let (least, most) = to.bounds();
        let found = ends(*op, signed(args.first()?)?, signed(args.get(1)?)?);
        found.filter(|(low, high)| least <= *low && *high <= most)
    }

    fn floats(&self, t: &Tree, depth: u32) -> (f64, f64) {
        let Some(depth) = depth.checked_sub(1) else {
            return ANY;
        };
        match t.kind() {
            Kind::Var(v) => self.value(*v).map_or(ANY, |t| self.floats(t, depth)),
            Kind::Of(By::Convert, args) => {
                let from = args[0].elem();
                let (low, high) = from.bounds();
                match from.is_int() && from.bytes() <= 2 {
                    true => (low as f64, high as f64),
                    false => ANY,
                }
            }
            Kind::Of(By::Op(Op::Select), args) => match &args[..] {
                [c, x, y] => self.chosen(c, (x, y), depth),
                _ => ANY,
            },
            _ => constant(t).map_or(ANY, |x| (x, x)),
        }
    }

    /// `x < y ? x : y` is y where x is none, so that its end holds for what is no constant.
    fn chosen(&self, c: &Tree, (x, y): (&Tree, &Tree), depth: u32) -> (f64, f64) {
        let ((a, b), (l, h)) = (self.floats(x, depth), self.floats(y, depth));
        let number = constant(x).is_some();
        match compared(c, (x, y)) {
            Some(Op::Lt) => (a.min(l), if number { b.min(h) } else { h }),
            Some(Op::Gt) => (if number { a.max(l) } else { l }, b.max(h)),
            _ => (a.min(l), b.max(h)),
        }
    }
}

/// How a condition compares two trees.
fn compared(c: &Tree, (x, y): (&Tree, &Tree)) -> Option<Op> {
    match c.kind() {
        Kind::Of(By::Op(op), args) => match &args[..] {
            [p, q] if *p == x.number() && *q == y.number() => Some(*op),
            _ => None,
        },
        _ => None,
    }
}

/// The number that a tree always is.
fn constant(t: &Tree) -> Option<f64> {
    let x = match (t.kind(), t.elem()) {
        (Kind::Float(bits), Scalar::F32) => f64::from(f32::from_bits(u32::try_from(*bits).ok()?)),
        (Kind::Float(bits), Scalar::F64) => f64::from_bits(*bits),
        _ => return None,
    };
    (!x.is_nan()).then_some(x)
}
