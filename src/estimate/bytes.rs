//! What bytes are to compilers that make vectors of them.
//!
//! In: statements of a loop, types of a conversion. Out: what widening costs, which is done step by step. Absent: other
//! numbers, which one instruction converts.

use crate::nest::{walk, ExprKind, Stmt};
use crate::ty::Scalar;

/// Operations to widen bytes of vectors that a compiler makes by itself to words of four, beside one.
const WIDENED: f64 = 2.0;

/// What a vector's elements become others by, for each register of the result: machines whose registers have 32 bytes and more have
/// an instruction for what becomes wider, others do so twice as wide at a time, as all do for what becomes narrower.
pub fn conversion(from: Scalar, to: Scalar, register: f64) -> f64 {
    let (a, b) = (from.bytes().max(1), to.bytes().max(1));
    let times = (a.max(b) / a.min(b)).ilog2();
    match a < b && register >= 32.0 {
        true => 1.0,
        false => f64::from(times.max(1)),
    }
}

/// Whether bytes become words of four.
pub fn is_widened(from: Scalar, to: Scalar) -> bool {
    (from.bytes(), to.bytes()) == (1, 4)
}

/// What it takes compilers besides to make words of four of the bytes of their vectors, which they take apart twice.
pub fn widened(body: &[Stmt]) -> f64 {
    let mut found = 0.0;
    walk::each_stmt(body, &mut |s| {
        if let Some(e) = walk::exprs(s) {
            e.visit(&mut |e| {
                if let ExprKind::Cast(from) = e.kind() {
                    let is_one = is_widened(from.shape().elem, e.shape().elem);
                    found += if is_one { WIDENED } else { 0.0 };
                }
            });
        }
    });
    found
}
