//! What narrow and wide whole numbers are to compilers that make vectors of them.
//!
//! In: statements of a loop, types of a conversion or a product. Out: what widening takes, which is done step by step, what products
//! take of which processors have none in vectors, and what sums of products are spared. Absent: what one instruction does.

use crate::intern::Symbol;
use crate::nest::{walk, Expr, ExprKind, Stmt};
use crate::term::Op;
use crate::ty::Scalar;
use std::collections::BTreeMap;

/// Operations to widen bytes of vectors that a compiler makes by itself to words of four, beside one.
const WIDENED: f64 = 2.0;
/// What a product of two such numbers takes less, which is added up in pairs: both conversions, and half of the product.
const PAIRED: f64 = 2.5;

/// What a vector's elements become others by, for each register of the result: bits of whole numbers are those of others as wide; machines whose registers have 32 bytes and more have
/// an instruction for what becomes wider, others do so twice as wide at a time, as all do for what becomes narrower.
pub fn conversion(from: Scalar, to: Scalar, register: f64) -> f64 {
    if is_same(from, to) {
        return 0.0;
    }
    let (a, b) = (from.bytes().max(1), to.bytes().max(1));
    let times = (a.max(b) / a.min(b)).ilog2();
    match a < b && register >= 32.0 {
        true => 1.0,
        false => f64::from(times.max(1)),
    }
}

/// Whether nothing changes but whether the first bit is a sign.
pub fn is_same(from: Scalar, to: Scalar) -> bool {
    from.is_int() && to.is_int() && from.bytes() == to.bytes()
}

/// Whether bytes become words of four.
pub fn is_widened(from: Scalar, to: Scalar) -> bool {
    (from.bytes(), to.bytes()) == (1, 4)
}

/// What sums of products of numbers of two bytes spare compilers: one instruction multiplies them, and adds up pairs of neighbours.
pub fn in_pairs(body: &[Stmt], sums: &BTreeMap<Symbol, u32>) -> f64 {
    let narrow = |e: &Expr| match e.kind() {
        ExprKind::Cast(of) => of.shape().elem == Scalar::I16 && e.shape().elem == Scalar::I32,
        _ => false,
    };
    let product = |e: &Expr| match e.kind() {
        ExprKind::Op(Op::Mul, args) => args.iter().all(narrow),
        _ => false,
    };
    let mut found = 0.0;
    walk::each_stmt(body, &mut |s| match s {
        Stmt::Assign { var, value } if sums.contains_key(var) => {
            if let ExprKind::Op(Op::Add, args) = value.kind() {
                found += if args.iter().any(product) {
                    PAIRED
                } else {
                    0.0
                };
            }
        }
        _ => {}
    });
    found
}

/// What it takes compilers besides to make words of four of the bytes of their vectors, which they take apart twice, and to multiply
/// numbers of which processors multiply no vectors.
pub fn besides(body: &[Stmt]) -> f64 {
    let mut found = 0.0;
    walk::each_stmt(body, &mut |s| {
        if let Some(e) = walk::exprs(s) {
            e.visit(&mut |e| {
                let elem = e.shape().elem;
                found += match e.kind() {
                    ExprKind::Cast(from) if is_widened(from.shape().elem, elem) => WIDENED,
                    ExprKind::Op(Op::Mul, _) if elem.is_int() => {
                        product(elem, true) - product(elem, false)
                    }
                    _ => 0.0,
                };
            });
        }
    });
    found
}

/// A product of whole numbers: processors multiply vectors of words of two bytes, take twice as long for four, and put those of others
/// together from several.
pub fn product(elem: Scalar, vector: bool) -> f64 {
    match elem.bytes() {
        1 if vector => 3.0,
        8 if vector => 4.0,
        2 => 0.5,
        _ => 1.0,
    }
}
