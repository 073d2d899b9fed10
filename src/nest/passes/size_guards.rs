//! Size guards: what a function computes of its sizes fits into a word, or it refuses them.
//!
//! Comes in: a nest; goes out: the same with guards: of each size, of the bytes of each array, and of the products of
//! sizes that may be too large although no size is. Invariant: where all guards hold, every integer expression over
//! sizes that is computed outside of loops can be computed. Absent: what loops compute, whose indices lie within arrays.

use super::choices::choices;
use crate::arith::{AtomKind, Nat, Rat};
use crate::index::to_expr;
use crate::intern::Symbol;
use crate::nest::abi::{FITS, LARGEST, LIMIT};
use crate::nest::{Guard, Nest};
use crate::scalar::{Expr, Op, Sort};
use crate::simplify::{build, Facts};
use std::collections::BTreeSet;

/// With more buffers than that, each has to be smaller, so that the sum of all fits into a word, too.
const FEW: usize = 8;

/// Adds the guards.
pub(super) fn guard(nest: &mut Nest) {
    let abi = &nest.abi;
    let mut guards: Vec<Guard> = abi.sizes.iter().map(|s| Guard::Size(*s)).collect();
    let mut bytes: BTreeSet<(Nat, u64, bool, u32)> = BTreeSet::new();
    let slots = abi.outputs.iter().chain(&abi.inputs);
    for slot in slots.filter(|s| !s.by_value) {
        bytes.insert((slot.count(), slot.elem.bytes(), false, LIMIT));
    }
    let parts = nest.entry.arena.as_deref().unwrap_or_default();
    let most = match parts.len() <= FEW {
        true => LIMIT,
        false => LIMIT - 6,
    };
    for part in parts {
        let buf = &nest.buffers[part.buf.0 as usize];
        bytes.insert((buf.len, buf.elem.bytes(), part.each_thread, most));
    }
    // What is computed of a size, such as the next multiple of 32, fits, too, even where no array has
    // so many elements because another size is 0.
    let mut large = Large::new(&abi.sizes);
    bytes.iter().for_each(|b| large.operands(b.0));
    choices(nest)
        .computed
        .iter()
        .for_each(|n| large.computed(*n));
    guards.extend(large.products());
    let symbolic = bytes.into_iter().filter(|b| b.0.as_int().is_none());
    guards.extend(
        symbolic.map(|(len, elem_bytes, each_thread, limit)| Guard::Bytes {
            len,
            elem_bytes,
            each_thread,
            limit,
        }),
    );
    let results: Vec<Nat> = abi.outputs.iter().map(|s| s.count()).collect();
    if results.iter().all(|n| n.as_int().is_none()) {
        nest.entry.results = results;
    }
    nest.entry.guards = guards;
}

/// The products that were found.
struct Large {
    /// That no size is beyond 2^60.
    facts: Facts,
    found: BTreeSet<Nat>,
}

impl Large {
    fn new(sizes: &[Symbol]) -> Large {
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
    fn computed(&mut self, n: Nat) {
        self.sum(n);
        self.operands(n);
    }

    /// One of which only what its operations are given is computed as an integer.
    fn operands(&mut self, n: Nat) {
        n.each_atom(&mut |a| a.kind().parts().into_iter().for_each(|part| self.sum(part)));
    }

    fn sum(&mut self, n: Nat) {
        let (numerator, denominator) = n.fraction();
        for part in [numerator, denominator] {
            // Four terms of such size or fewer fit; where there are more, the largest are asked about.
            if self.is_within(part, FITS) {
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

    fn products(self) -> impl Iterator<Item = Guard> {
        self.found.into_iter().map(|value| {
            let mut operations = 0;
            value.each_atom(&mut |a| {
                operations += usize::from(!matches!(a.kind(), AtomKind::Var(_)))
            });
            Guard::Product { value, operations }
        })
    }
}
