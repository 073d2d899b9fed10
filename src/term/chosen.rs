//! Arrays that sizes choose.
//!
//! In: a choice between two arrays whose condition is made of comparisons of sizes alone. Out: what is positive where each of
//! the two is the result. Whoever evaluates the choice, or writes a kernel for it, computes that one and not the other: so
//! an index in the other need not exist. Absent: choices by data, both sides of which are computed.

use super::{Kind, Lit, Op, Term};
use crate::arith::Nat;
use crate::ty::{Scalar, Ty};

/// A choice by sizes.
pub struct Chosen<'a> {
    /// What all is positive where the first array is chosen, and nowhere else.
    pub sizes: Vec<Nat>,
    /// The first array, and the other one.
    pub arrays: [&'a Term; 2],
}

impl<'a> Chosen<'a> {
    /// The choice that a term is, if it is one.
    pub fn of(t: &'a Term) -> Option<Chosen<'a>> {
        let (p, args) = t.as_prim_app()?;
        match (p.op(), &args[..]) {
            (Op::Select, [c, a, b]) if t.ty().as_array().is_some() => {
                let mut sizes = Vec::new();
                compared(c, &mut sizes)?;
                Some(Chosen {
                    sizes,
                    arrays: [a, b],
                })
            }
            _ => None,
        }
    }

    /// What is positive where the other array is chosen, and nowhere else.
    pub fn otherwise(&self) -> Nat {
        let failed = self.sizes.iter().map(|n| Nat::int(1) - *n);
        failed.reduce(Nat::max).unwrap_or(Nat::int(0))
    }
}

/// What is positive where comparisons of sizes hold; nothing if it is anything else.
fn compared(c: &Term, sizes: &mut Vec<Nat>) -> Option<()> {
    // Smaller types have not all sizes.
    let size = |t: &Term| match t.kind() {
        Kind::Lit(Lit::Size(n)) if t.ty() == Ty::from(Scalar::I64) => Some(*n),
        _ => None,
    };
    let (p, args) = c.as_prim_app()?;
    let [a, b] = args[..] else { return None };
    match p.op() {
        Op::And => {
            compared(a, sizes)?;
            compared(b, sizes)?;
        }
        Op::Le => sizes.push(size(b)? - size(a)? + Nat::int(1)),
        Op::Lt => sizes.push(size(b)? - size(a)?),
        _ => return None,
    }
    Some(())
}
