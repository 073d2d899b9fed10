//! What one operation takes.
//!
//! In: a node of an expression, the bytes of a register. Out: cycles, as often as registers hold its vector. Absent: its operands, and
//! what compilers compute before, once, or together with others.

use super::bytes::{conversion, is_same, product};
use super::LINE;
use crate::arith::{AtomKind, Nat};
use crate::nest::{Expr, ExprKind};
use crate::term::{Function, Op, Sort};
use crate::ty::Scalar;

/// Cycles for each number that is put into a vector; of one that a called function returns, before which all vectors are stored.
const GATHER: f64 = 2.0;
const RETURNED: f64 = 8.0;
/// Cycles for each that is read beside the others.
const COLLECTED: f64 = 0.75;
/// Cycles for a vector that is made of lanes of another one.
pub const SHUFFLE: f64 = 1.0;
/// Cycles for a whole number of loops that are written out that becomes one of other bits: a move, or nothing where it is loaded.
const WIDER: f64 = 0.25;
/// Cycles for a number that is computed to come to all lanes.
const SPLAT: f64 = 1.0;
/// Cycles for a whole number that is divided by a constant: a product and shifts; of vectors, products of every second number, of which
/// halves are put together.
const BY_CONSTANT: f64 = 1.5;
const ALL_BY_CONSTANT: f64 = 5.0;
/// Cycles for one that is divided by a number that is not known when it is compiled.
const DIVIDED: f64 = 12.0;

/// One node of an expression that loads nothing.
pub fn one(e: &Expr, register: f64) -> f64 {
    let shape = e.shape();
    let registers = registers(e, register);
    let vector = shape.lanes > 1;
    match e.kind() {
        ExprKind::Op(op @ Op::Select, args) if vector => {
            let mask =
                compared(&args[0], shape.elem).map(|from| conversion(from, shape.elem, register));
            registers * (operation(*op, shape.elem, vector) + mask.unwrap_or(0.0))
        }
        ExprKind::Op(op @ (Op::Div | Op::Mod), args)
            if shape.elem.is_int() && !divides(*op, args, shape.elem) =>
        {
            registers * if vector { ALL_BY_CONSTANT } else { BY_CONSTANT }
        }
        ExprKind::Op(op, _) => registers * operation(*op, shape.elem, vector),
        ExprKind::Cast(from) if vector => {
            registers * conversion(from.shape().elem, shape.elem, register)
        }
        ExprKind::Cast(from) if is_same(from.shape().elem, shape.elem) => 0.0,
        ExprKind::Cast(_) | ExprKind::Clamp(..) => registers,
        ExprKind::Lane(..) => 1.0,
        // Each is a load of its own line, and a place in the vector.
        ExprKind::Build(parts) => parts
            .iter()
            .map(|p| if p.calls() { RETURNED } else { GATHER })
            .sum(),
        ExprKind::Pick(parts, _) => 2.0 * parts.len() as f64,
        ExprKind::Index(n) => index(*n),
        // What is loaded comes to all lanes at once.
        ExprKind::Splat(of) => match of.kind() {
            ExprKind::Load(..) | ExprKind::Lit(_) | ExprKind::Var(_) => 0.0,
            _ => SPLAT,
        },
        ExprKind::Load(..) | ExprKind::Lit(_) | ExprKind::Var(_) => 0.0,
    }
}

/// One node where a loop is written out: numbers that get other bits do not wait for vectors of them.
pub fn written_out(e: &Expr, register: f64) -> f64 {
    match e.kind() {
        ExprKind::Cast(from) if e.shape().lanes == 1 && is_wider(from.shape().elem, e) => WIDER,
        _ => one(e, register),
    }
}

fn is_wider(from: Scalar, to: &Expr) -> bool {
    let to = to.shape().elem;
    from.is_int() && to.is_int() && !is_same(from, to)
}

/// So many numbers that are read beside each other, put into a vector.
pub fn collected(parts: usize) -> f64 {
    COLLECTED * parts as f64
}

/// What is read at a place; of a window, it lies in two lines where it does not begin where registers do, the more often the wider they
/// are.
pub fn load(e: &Expr, register: f64, is_window: bool) -> f64 {
    // Numbers are in registers of a compiler's vectors.
    let bytes = match e.shape().lanes {
        1 => register,
        lanes => (e.shape().elem.bytes() as f64 * f64::from(lanes)).min(register),
    };
    let lines = if is_window { 1.0 + bytes / LINE } else { 1.0 };
    0.5 * registers(e, register) * lines
}

/// How many registers hold a value.
fn registers(e: &Expr, register: f64) -> f64 {
    let shape = e.shape();
    let bytes = shape.elem.bytes() as f64 * f64::from(shape.lanes);
    (bytes / register).ceil().max(1.0)
}

/// Whether numbers are divided one by one: whole ones, by what is no constant.
pub fn divides(op: Op, args: &[Expr], elem: Scalar) -> bool {
    let by_constant = args
        .get(1)
        .is_some_and(|d| matches!(d.kind(), ExprKind::Lit(_)));
    op == Op::Mod && !elem.is_int()
        || matches!(op, Op::Div | Op::Mod) && elem.is_int() && !by_constant
}

/// What is compared, if its masks have another width than the numbers that are chosen.
fn compared(cond: &Expr, elem: Scalar) -> Option<Scalar> {
    let ExprKind::Op(op, args) = cond.kind() else {
        return None;
    };
    let from = args.first()?.shape().elem;
    let compares = matches!(op.sort(), Sort::Comparison(_));
    (compares && from.bytes() != elem.bytes()).then_some(from)
}

/// Index arithmetic that is more than sums of products.
pub fn index(n: Nat) -> f64 {
    let mut cycles = 0.0;
    n.each_atom(&mut |a| {
        cycles += match a.kind() {
            AtomKind::Min(..) | AtomKind::Max(..) => 0.5,
            AtomKind::Floor(_, d) | AtomKind::Ceil(_, d) | AtomKind::Mod(_, d)
                if d.as_int().is_none() =>
            {
                DIVIDED
            }
            kind => 2.0 * kind.parts().len().min(1) as f64,
        }
    });
    cycles
}

fn operation(op: Op, elem: Scalar, vector: bool) -> f64 {
    match op.sort() {
        Sort::Function(Function::Sqrt) if vector => 8.0,
        Sort::Function(Function::Sqrt) => 5.0,
        Sort::Function(_) if vector => 20.0,
        Sort::Function(_) => 18.0,
        _ => match op {
            Op::Div | Op::Mod if elem.is_int() => DIVIDED,
            Op::Mul if elem.is_int() => product(elem, vector),
            Op::Div if vector => 5.0,
            Op::Div => 4.0,
            _ => 0.5,
        },
    }
}

/// The one vector whose lanes a vector is made of.
pub fn shuffled(e: &Expr) -> Option<&Expr> {
    let ExprKind::Build(parts) = e.kind() else {
        return None;
    };
    let ExprKind::Lane(whole, _) = parts.first()?.kind() else {
        return None;
    };
    let of_it = |e: &Expr| matches!(e.kind(), ExprKind::Lane(v, _) if v.same(whole));
    parts.iter().all(of_it).then_some(whole)
}
