//! How an emitted function is called: `int name(out…, sizes…, inputs…)`.
//!
//! A slot is one C parameter. A value of a scalar type is passed by value, a
//! result always through a pointer; an array is a pointer to its elements,
//! dense and row-major. A type with pairs in it is passed as one slot for each
//! scalar leaf, first components first (structure of arrays): `n.(f32, 4.i32)`
//! is two slots, of shapes `n` and `n.4`. Vectors count as one more dimension.

use crate::arith::Nat;
use crate::intern::Symbol;
use crate::obligation::Assumption;
use crate::ty::{Scalar, Ty, TyKind};

/// The exponent of what is largest: what is beyond it is refused, be it a size, what is computed of sizes, or bytes of an array.
pub const LIMIT: u32 = 60;
/// No size is beyond that.
pub const LARGEST: i64 = 1 << LIMIT;
/// What indices may be and be computed of.
pub const FITS: i64 = 4 * LARGEST;

/// The interface.
#[derive(Clone, Debug)]
pub struct Abi {
    /// The C name of the function.
    pub name: String,
    /// Results, the first parameters.
    pub outputs: Vec<Slot>,
    /// Size parameters that were not fixed, `int64_t` each.
    pub sizes: Vec<Symbol>,
    /// Arguments, the last parameters.
    pub inputs: Vec<Slot>,
    /// What the sizes must satisfy, checked on entry.
    pub assumptions: Vec<Assumption>,
    /// What the sizes must satisfy besides for the function's own loops; elsewhere it calls
    /// another one, which is slower.
    pub preferred: Vec<Assumption>,
    /// What the function returns, 0 aside.
    pub errors: Vec<ErrorCode>,
}

/// One parameter that carries data.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Its C name.
    pub name: String,
    /// Which of the program's parameters it is (a part of); results have none.
    pub param: Option<usize>,
    /// Its elements; an index is an `i64`.
    pub elem: Scalar,
    /// The bound, if the elements are indices: checked on entry.
    pub bound: Option<Nat>,
    /// The dimensions, outermost first; none for a scalar.
    pub dims: Vec<Nat>,
    /// Whether it is a value and not a pointer.
    pub by_value: bool,
}

impl Slot {
    /// The number of its elements.
    pub fn count(&self) -> Nat {
        self.dims.iter().fold(Nat::int(1), |a, &b| a * b)
    }
}

/// A value that the function returns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ErrorCode {
    /// Its C name, of the header.
    pub name: String,
    /// Its value.
    pub code: i32,
    /// When.
    pub meaning: &'static str,
}

/// A scalar leaf of a data type: element type, bound of an index, dimensions.
pub type TypeLeaf = (Scalar, Option<Nat>, Vec<Nat>);

/// The scalar leaves of a data type.
pub fn leaves(ty: Ty) -> Option<Vec<TypeLeaf>> {
    let mut out = Vec::new();
    push_leaves(ty, &mut Vec::new(), &mut out)?;
    Some(out)
}

fn push_leaves(ty: Ty, dims: &mut Vec<Nat>, out: &mut Vec<TypeLeaf>) -> Option<()> {
    match ty.kind() {
        TyKind::Scalar(s) => out.push((s, None, dims.clone())),
        TyKind::Idx(n) => out.push((Scalar::I64, Some(n), dims.clone())),
        TyKind::Pair(a, b) => {
            push_leaves(a, dims, out)?;
            push_leaves(b, dims, out)?;
        }
        TyKind::Vec(n, t) | TyKind::Array(n, t) => {
            dims.push(n);
            push_leaves(t, dims, out)?;
            dims.pop();
        }
        TyKind::Fun(..) | TyKind::Meta(_) => return None,
    }
    Some(())
}

/// The number of scalars of each leaf.
pub fn leaf_sizes(ty: Ty) -> Vec<Nat> {
    let leaves = leaves(ty).unwrap_or_default();
    let len = |dims: Vec<Nat>| dims.into_iter().fold(Nat::int(1), |a, b| a * b);
    leaves.into_iter().map(|(_, _, dims)| len(dims)).collect()
}
