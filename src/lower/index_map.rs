//! How a view change moves elements, as data.
//!
//! Comes in: a primitive with the type of its argument; goes out: for the indices of an element of the result those of
//! the element of the argument that it is. Read through a view, elements are found by this map; written through it, by
//! its inverse, which is again such a map, and whether an element has a place at all. Invariant: each map is written
//! here and nowhere else in lowering. Absent: which indices are simplified.

use crate::arith::Nat;
use crate::index::Facts;
use crate::term::{Op, Prim};
use crate::ty::Ty;
use smallvec::{smallvec, SmallVec};

/// From indices to indices.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum IndexMap {
    /// `(i, j) ↦ k·i + j`: `split`, `asVector`, `slide` with the step `k`.
    Merge(Nat),
    /// `i ↦ (⌊i/k⌋, i mod k)`: `join`, `asScalar`.
    Divide(Nat),
    /// `(i, j) ↦ (j, i)`: `transpose`.
    Swap,
    /// `i ↦ i + k`: `drop`.
    Shift(Nat),
    /// `i ↦ i`, of which only those below a number are asked for: `take`.
    First(Nat),
    /// `i ↦ n − 1 − i`: `reverse`.
    Reverse(Nat),
    /// `i ↦ max(min(i − before, last), 0)`: `padClamp` of what has elements.
    Clamp {
        /// How many elements stand before the first.
        before: Nat,
        /// The index of the last.
        last: Nat,
    },
}

/// Which elements of an argument a view change keeps.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Kept {
    All,
    /// Those with indices below a number.
    Below(Nat),
    /// Those with indices from a number on.
    From(Nat),
}

impl IndexMap {
    /// The map of a primitive whose last argument is of a type; `None` for what is no view change.
    pub fn of(prim: Prim, arg: Ty) -> Option<IndexMap> {
        let sizes = prim.sizes();
        let (n, elem) = arg.as_array()?;
        Some(match prim.op() {
            Op::Split | Op::AsVector => IndexMap::Merge(sizes[0]),
            Op::Slide => IndexMap::Merge(sizes[1]),
            Op::Join => IndexMap::Divide(elem.as_array()?.0),
            Op::AsScalar => IndexMap::Divide(elem.as_vec()?.0),
            Op::Transpose => IndexMap::Swap,
            Op::Take => IndexMap::First(sizes[0]),
            Op::Drop => IndexMap::Shift(sizes[0]),
            Op::Reverse => IndexMap::Reverse(n),
            Op::PadClamp => IndexMap::Clamp {
                before: sizes[0],
                last: n - 1.into(),
            },
            _ => return None,
        })
    }

    /// How many indices it takes.
    pub fn rank(self) -> usize {
        match self {
            IndexMap::Merge(_) | IndexMap::Swap => 2,
            _ => 1,
        }
    }

    /// The indices of the argument's element, as many as [`IndexMap::rank`] says being given.
    pub fn apply(self, facts: &Facts, at: &[Nat]) -> SmallVec<[Nat; 2]> {
        match (self, at) {
            (IndexMap::Merge(k), [i, j]) => smallvec![k * *i + *j],
            (IndexMap::Swap, [i, j]) => smallvec![*j, *i],
            (IndexMap::Divide(k), [i]) => smallvec![facts.floor(*i, k), facts.rem(*i, k)],
            (IndexMap::Shift(k), [i]) => smallvec![*i + k],
            (IndexMap::Reverse(n), [i]) => smallvec![n - 1.into() - *i],
            (IndexMap::Clamp { before, last }, [i]) => {
                smallvec![facts.max(facts.min(*i - before, last), 0.into())]
            }
            _ => SmallVec::from_slice(at),
        }
    }

    /// The way back, for elements that the view change keeps; `None` if it repeats elements.
    pub fn inverse(self) -> Option<(IndexMap, Kept)> {
        Some(match self {
            IndexMap::Merge(k) => (IndexMap::Divide(k), Kept::All),
            IndexMap::Divide(k) => (IndexMap::Merge(k), Kept::All),
            IndexMap::Swap | IndexMap::Reverse(_) => (self, Kept::All),
            IndexMap::Shift(k) => (IndexMap::Shift(Nat::int(0) - k), Kept::From(k)),
            IndexMap::First(k) => (self, Kept::Below(k)),
            IndexMap::Clamp { .. } => return None,
        })
    }
}
