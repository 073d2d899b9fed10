//! Functions and macros that a text calls, by their names.
//!
//! In: a name. Out: which operation it is, of what, if its text is the known one (`known`).

use super::tree::By;
use super::types::shape;
use crate::nest::Shape;
use crate::term::Op;
use crate::ty::Scalar;

pub struct Helper {
    pub by: By,
    pub of: Vec<Shape>,
    pub result: Shape,
    /// Whether the C library has it.
    pub library: bool,
    /// Whether it takes only what fits its result: floats an integer type, indices that may not be below 0.
    pub fits: bool,
}

fn own(by: By, of: Vec<Shape>, result: Shape) -> Option<Helper> {
    Some(Helper {
        by,
        of,
        result,
        library: false,
        fits: false,
    })
}

/// What a function is called in C, and its operands.
fn of_library(name: &str) -> Option<Helper> {
    let op = |name: &str| match name {
        "fmod" => Some((Op::Mod, 2)),
        "fma" => Some((Op::Fma, 3)),
        "fabs" => Some((Op::Abs, 1)),
        _ => Op::from_name(name)
            .filter(|op| op.function().is_some())
            .map(|op| (op, 1)),
    };
    let (op, count, elem) = match (op(name), name.strip_suffix('f').and_then(op)) {
        (Some((op, n)), _) => (op, n, Scalar::F64),
        (_, Some((op, n))) => (op, n, Scalar::F32),
        _ => return None,
    };
    let result = Shape::scalar(elem);
    let of = vec![result; count];
    Some(Helper {
        by: By::Op(op),
        of,
        result,
        library: true,
        fits: false,
    })
}

/// `div_i32`, `MIN_f32x8`
fn typed(name: &str) -> Option<Helper> {
    let (op, ty) = name.split_once('_')?;
    let ty = match Scalar::from_name(ty) {
        Some(s) => Shape::scalar(s),
        None => shape(ty).filter(|s| s.lanes > 1)?,
    };
    if ty.lanes == 1 {
        let count = match op {
            "div" | "mod" | "shl" | "shr" => 2,
            "min" | "max" if ty.elem.is_int() && ty.elem.bytes() <= 4 => 2,
            "abs" => 1,
            "neg" if ty.elem.is_float() => 1,
            _ => return None,
        };
        return own(By::Op(Op::from_name(op)?), vec![ty; count], ty);
    }
    if op == "SELECT" {
        let mask = Shape {
            elem: Scalar::Bool,
            ..ty
        };
        return own(By::Op(Op::Select), vec![mask, ty, ty], ty);
    }
    let count = match op {
        "MIN" | "MAX" | "SHL" | "SHR" | "DIV" | "MOD" => 2,
        "FMA" => 3,
        "NEG" if ty.elem.is_float() => 1,
        "ABS" | "SQRT" | "EXP" | "EXP2" | "LOG" | "TANH" | "SIN" | "COS" => 1,
        _ => return None,
    };
    own(
        By::Op(Op::from_name(&op.to_lowercase())?),
        vec![ty; count],
        ty,
    )
}

/// `f32_to_i8`, `f32x8_to_i8`, `f16_to_f32`
fn converting(name: &str) -> Option<Helper> {
    let vector = |name: &str| -> Option<(Scalar, Scalar, u32)> {
        let (types, lanes) = name.split_once("_X")?;
        let (from, to) = types.split_once("_TO_")?;
        let elem = |s: &str| Scalar::from_name(&s.to_lowercase()).filter(|_| s == s.to_uppercase());
        Some((
            elem(from)?,
            elem(to)?,
            lanes.parse().ok().filter(|k| *k > 1)?,
        ))
    };
    let (from, to, lanes) = match (vector(name), name.split_once("_to_")) {
        (Some((from, to, k)), _) if from.is_half() || to.is_half() => (from, to, k),
        (None, Some((from, to))) => match Scalar::from_name(from) {
            Some(s) => (s, Scalar::from_name(to)?, 1),
            None => {
                let from = shape(from).filter(|s| s.lanes > 1 && !s.elem.is_half())?;
                (
                    from.elem,
                    Scalar::from_name(to).filter(|t| !t.is_half())?,
                    from.lanes,
                )
            }
        },
        _ => return None,
    };
    let [of, result] = [from, to].map(|elem| Shape { elem, lanes });
    let by = match (from, to) {
        (f, Scalar::F32) if f.is_half() => By::Widen(f),
        (Scalar::F32, t) if t.is_half() => By::Narrow(t),
        (f, t) if f.is_float() && !f.is_half() && t.is_int() => By::Saturate,
        (f, t) if lanes > 1 && is_widening(f, t) => By::Convert,
        _ => return None,
    };
    own(by, vec![of], result)
}

/// Whether all numbers of a type become some of a wider one that they are equal to, or as integers do so modulo.
fn is_widening(from: Scalar, to: Scalar) -> bool {
    let ints = from.is_int() && to.is_int();
    let exact = matches!((from, to), (Scalar::F32 | Scalar::I32, Scalar::F64));
    from.bytes() < to.bytes() && (ints || exact)
}

pub fn named(name: &str) -> Option<Helper> {
    if name == "clamp_index" {
        return own(By::Clamp, vec![Shape::index(); 2], Shape::index());
    }
    if name == "bound_index" {
        return own(By::Clamp, vec![Shape::index(); 2], Shape::index())
            .map(|h| Helper { fits: true, ..h });
    }
    if let Some((from, to)) = name.split_once("_as_") {
        let [from, to] = [from, to].map(|s| Scalar::from_name(s).map(Shape::scalar));
        return own(By::Bits, vec![from?], to?);
    }
    if let Some((from, to)) = name.split_once("_in_") {
        let [from, to] = [from, to].map(Scalar::from_name);
        let (from, to) = (from?, to?);
        let floats = matches!(from, Scalar::F32 | Scalar::F64);
        return own(By::Saturate, vec![Shape::scalar(from)], Shape::scalar(to))
            .filter(|_| to.is_int() && floats)
            .map(|h| Helper { fits: true, ..h });
    }
    converting(name)
        .or_else(|| typed(name))
        .or_else(|| of_library(name))
}
