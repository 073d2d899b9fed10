//! Between which numbers floats lie that become integers.
//!
//! In: an expression, and what variables are. Out: two numbers between which it lies, or it is none. They come from the least and the
//! largest of two of which one is a constant, and from short integers. Absent: arithmetic.

use crate::intern::Symbol;
use crate::nest::{Expr, ExprKind};
use crate::term::{Lit, Op};
use crate::ty::Scalar;
use std::collections::BTreeMap;

/// Variables of variables are followed so far.
const DEPTH: u32 = 8;

const ANY: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

/// What variables are that are given no value later.
#[derive(Default)]
pub struct Values(pub BTreeMap<Symbol, Expr>);

impl Values {
    /// Whether a float is none, or a number of a short integer type once it has no fraction.
    pub fn fits(&self, e: &Expr, to: Scalar) -> bool {
        let bits = 8 * to.bytes() as i32;
        let (least, most) = match to.is_signed() {
            true => (-(2f64.powi(bits - 1)), 2f64.powi(bits - 1) - 1.0),
            false => (0.0, 2f64.powi(bits) - 1.0),
        };
        let (low, high) = self.floats(e, DEPTH);
        to.is_int() && to.bytes() <= 2 && low >= least && high <= most
    }

    fn floats(&self, e: &Expr, depth: u32) -> (f64, f64) {
        let Some(depth) = depth.checked_sub(1) else {
            return ANY;
        };
        match e.kind() {
            ExprKind::Var(v) => self.0.get(v).map_or(ANY, |e| self.floats(e, depth)),
            ExprKind::Cast(x) => match x.shape().elem {
                Scalar::U8 => (0.0, 255.0),
                Scalar::I8 => (-128.0, 127.0),
                Scalar::U16 => (0.0, 65535.0),
                Scalar::I16 => (-32768.0, 32767.0),
                _ => ANY,
            },
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
