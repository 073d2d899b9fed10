//! What a function decides before its statements run.
//!
//! In this order: sizes, and what is computed of them, that are too large are refused; where no result has an element,
//! nothing is done; memory is asked for. What sizes must satisfy beside, and bounds of indices among the inputs, stand
//! in the [`Abi`](super::Abi). What parallel loops are worth, sizes decide, too, where each begins. Passes and the estimate fill this in;
//! printers print it.

use super::{BufId, Expr};
use crate::arith::Nat;
use crate::intern::Symbol;
use std::collections::{BTreeMap, BTreeSet};

/// Cycles in one thread from which on a parallel loop has threads: starting them takes some thousands.
pub const THREADS_FROM: i64 = 20_000;

/// What is known and asked for on entry.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// Where one does not hold, the function refuses its sizes.
    pub guards: Vec<Guard>,
    /// The numbers of elements of all results, if none of them is constant: where all are 0, nothing is to be done.
    pub results: Vec<Nat>,
    /// Buffers on the heap, in their order; `None` before they are placed.
    pub arena: Option<Vec<Part>>,
    /// Parallel loops by their variables: how many cycles each takes in one thread, roughly. It changes no value.
    pub shares: BTreeMap<Symbol, Nat>,
    /// Parallel loops by their variables that are scheduled statically: each thread takes one run of iterations. Others are
    /// dynamic: threads take a few at once until none is left. It changes no value.
    pub statics: BTreeSet<Symbol>,
}

impl Entry {
    /// The cycles of a parallel loop; one of which nothing is known has threads.
    pub fn share(&self, var: Symbol) -> Nat {
        let known = self.shares.get(&var).copied();
        known.unwrap_or(Nat::int(THREADS_FROM))
    }
}

/// What sizes must satisfy so that nothing that is computed of them leaves a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    /// A size is not negative, and at most 2^60.
    Size(Symbol),
    /// A product that is computed as an integer is at most 2^60.
    Product {
        /// The product.
        value: Nat,
        /// How many operations are in it: what one needs to be computed has fewer, and is asked about before.
        operations: usize,
    },
    /// The bytes of an array are at most a power of two.
    Bytes {
        /// Its elements.
        len: Nat,
        /// Bytes of each.
        elem_bytes: u64,
        /// Whether each thread has such an array.
        each_thread: bool,
        /// The exponent.
        limit: u32,
    },
}

/// A buffer in the one piece of memory that a function asks for.
#[derive(Clone, Debug)]
pub struct Part {
    /// The buffer.
    pub buf: BufId,
    /// Whether each thread has one.
    pub each_thread: bool,
    /// Conditions on sizes, and whether they hold, without which the buffer is not used and needs no memory.
    pub when: Vec<(Expr, bool)>,
}
