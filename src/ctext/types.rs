//! Types of C by their names, and the elements that they have.

use crate::nest::Shape;
use crate::ty::Scalar;

/// Halves are bits in both texts.
pub fn stored(elem: Scalar) -> Scalar {
    match elem.is_half() {
        true => Scalar::U16,
        false => elem,
    }
}

/// The integer with a sign that is as wide.
pub fn signed(elem: Scalar) -> Scalar {
    match elem.bytes() {
        1 => Scalar::I8,
        2 => Scalar::I16,
        4 => Scalar::I32,
        _ => Scalar::I64,
    }
}

/// The integer without a sign that is as wide.
pub fn unsigned(s: Scalar) -> Scalar {
    match s.bytes() {
        1 => Scalar::U8,
        2 => Scalar::U16,
        4 => Scalar::U32,
        _ => Scalar::U64,
    }
}

/// The element that a type of C has.
pub fn scalar(name: &str) -> Option<Scalar> {
    use Scalar::*;
    let all = [
        ("bool", Bool),
        ("int8_t", I8),
        ("int16_t", I16),
        ("int32_t", I32),
        ("int64_t", I64),
        ("uint8_t", U8),
        ("uint16_t", U16),
        ("uint32_t", U32),
        ("uint64_t", U64),
        ("float", F32),
        ("double", F64),
        ("int", I32),
    ];
    all.into_iter().find(|(n, _)| *n == name).map(|(_, s)| s)
}

/// The shape that a type of C has; halves are kept apart, as their vectors have names of their own.
pub fn shape(name: &str) -> Option<Shape> {
    if let Some(elem) = scalar(name) {
        return Some(Shape::scalar(elem));
    }
    let (elem, lanes) = name.split_once('x')?;
    let elem = Scalar::from_name(elem)?;
    let lanes = lanes.parse().ok().filter(|k| *k > 1 && *k <= 1024)?;
    Some(Shape { elem, lanes })
}

/// What C calls an element.
pub fn c_name(s: Scalar) -> &'static str {
    match stored(s) {
        Scalar::Bool => "bool",
        Scalar::I8 => "int8_t",
        Scalar::I16 => "int16_t",
        Scalar::I32 => "int32_t",
        Scalar::I64 => "int64_t",
        Scalar::U8 => "uint8_t",
        Scalar::U16 => "uint16_t",
        Scalar::U32 => "uint32_t",
        Scalar::U64 => "uint64_t",
        Scalar::F64 => "double",
        _ => "float",
    }
}

/// Types that C has.
fn is_plain_type(name: &str) -> bool {
    scalar(name).is_some() || matches!(name, "void" | "char")
}

/// Whether a name is one of a type of the subset.
pub fn is_type(name: &str) -> bool {
    is_plain_type(name)
        || shape(name.strip_suffix("_mem").unwrap_or(name)).is_some_and(|s| s.lanes > 1)
}
