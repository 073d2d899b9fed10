//! Between which numbers floats lie.
//!
//! In: a tree, and what variables are. Out: two numbers between which it lies, or it is none. They come from the least and the largest of
//! two of which one is a constant, and from short integers. Absent: arithmetic.

use super::scope::Scope;
use super::tree::{bounds, By, Kind, Tree};
use crate::term::Op;
use crate::ty::Scalar;

/// Variables of variables are followed so far.
const DEPTH: u32 = 8;

const ANY: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);

impl Scope {
    /// Whether a float is none, or a number of an integer type once it has no fraction.
    pub fn fits(&self, t: &Tree, to: Scalar) -> bool {
        let ((low, high), (least, most)) = (self.floats(t, DEPTH), bounds(to));
        to.bytes() <= 2 && low >= least as f64 && high <= most as f64
    }

    fn floats(&self, t: &Tree, depth: u32) -> (f64, f64) {
        let Some(depth) = depth.checked_sub(1) else {
            return ANY;
        };
        match t.kind() {
            Kind::Var(v) => self.value(*v).map_or(ANY, |t| self.floats(t, depth)),
            Kind::Of(By::Convert, args) => {
                let from = args[0].elem();
                let (low, high) = bounds(from);
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
        let is = |op| matches!(c.as_of(By::Op(op)), Some([p, q]) if p == x && q == y);
        let number = constant(x).is_some();
        match (is(Op::Lt), is(Op::Gt)) {
            (true, _) => (a.min(l), if number { b.min(h) } else { h }),
            (_, true) => (if number { a.max(l) } else { l }, b.max(h)),
            _ => (a.min(l), b.max(h)),
        }
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
