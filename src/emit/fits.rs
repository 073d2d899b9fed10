//! Whether what a function computes of its sizes fits into a word.
//!
//! Comes in: integer expressions over sizes; goes out: the products in them that may be too large although no size is.
//! Where each of these is at most 2^60, as sizes are, all of the expressions can be computed.
//! Absent: C; what loops compute, whose indices lie within arrays.

use crate::arith::{AtomKind, Nat, Rat};
use crate::index::{fraction, to_expr};
use crate::intern::Symbol;
use crate::scalar::{Expr, Op, Sort};
use crate::simplify::{build, Facts};
use std::collections::BTreeSet;

/// Beyond it, what is computed of sizes is refused, as sizes themselves are.
const LARGEST: i64 = 1 << 60;

/// The products that were found.
pub(super) struct Large {
    /// That no size is beyond 2^60.
    facts: Facts,
    found: BTreeSet<Nat>,
}

impl Large {
    pub fn new(sizes: &[Symbol]) -> Large {
        let bounds = sizes.iter().flat_map(|s| {
            let size = Expr::var(*s, Sort::INT);
            [(Expr::int(0), size), (size, Expr::int(LARGEST))].map(|(a, b)| build(Op::Le, &[a, b]))
        });
        let mut facts = Facts::new();
        facts.assume_all(&bounds.collect::<Vec<_>>());
        Large {
            facts,
            found: BTreeSet::new(),
        }
    }

    /// An expression that is computed.
    pub fn computed(&mut self, n: Nat) {
        self.sum(n);
        self.operands(n);
    }

    /// One of which only what its operations are given is computed as an integer.
    pub fn operands(&mut self, n: Nat) {
        n.each_atom(&mut |a| a.kind().parts().into_iter().for_each(|part| self.sum(part)));
    }

    fn sum(&mut self, n: Nat) {
        let (numerator, denominator) = fraction(n);
        for part in [numerator, denominator] {
            // Four terms of such size or fewer fit; where there are more, the largest are asked about.
            if self.is_within(part, 4 * LARGEST) {
                continue;
            }
            for (m, c) in part.terms() {
                let magnitude = if c < Rat::ZERO {
                    c.neg().unwrap_or(c)
                } else {
                    c
                };
                let product = Nat::from_terms([(m, magnitude)]);
                if !self.is_within(product, LARGEST) {
                    self.found.insert(product);
                }
            }
        }
    }

    fn is_within(&self, n: Nat, most: i64) -> bool {
        let Some(range) = to_expr(n).map(|e| self.facts.range(e)) else {
            return false;
        };
        let most = i128::from(most);
        range.lo.is_some_and(|lo| lo >= -most) && range.hi.is_some_and(|hi| hi <= most)
    }

    /// Each with how many operations are in it: what one needs to be computed has fewer.
    pub fn products(self) -> impl Iterator<Item = (usize, Nat)> {
        self.found.into_iter().map(|n| {
            let mut operations = 0;
            n.each_atom(&mut |a| operations += usize::from(!matches!(a.kind(), AtomKind::Var(_))));
            (operations, n)
        })
    }
}
