//! The loop program: what `lower` decides and `emit` prints.
//!
//! A [`Nest`] is one function: its interface ([`Abi`]), buffers, and a block of
//! statements over scalar and vector values. Invariants: every loop runs from 0
//! to a size, every buffer has a size; strategy primitives are gone; a variable
//! is declared once, in a block around all its uses; every store knows the
//! sub-term it computes and the flat index of the element in it.
//! Absent: C syntax, terms other than in those annotations.

pub mod abi;
mod entry;
pub mod eval;
mod expr;
pub mod lines;
pub mod names;
pub mod passes;
mod settled;
mod show;
pub mod walk;

pub use crate::obligation::Assumption;
pub use abi::{Abi, ErrorCode, Slot};
pub use entry::{Entry, Guard, Part, THREADS_FROM};
pub use expr::{Expr, ExprKind, Shape};
pub use lines::Mark;
pub use settled::{seldom, settled, Seldom, Settled, AHEAD, ENOUGH};

use crate::arith::Nat;
use crate::intern::Symbol;
use crate::term::{Function, Op, Term};
use crate::ty::Scalar;
use std::collections::{BTreeMap, BTreeSet};

/// Index into [`Nest::buffers`].
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BufId(pub u32);

/// Index into [`Nest::computed`].
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WhatId(pub u32);

/// One function.
#[derive(Clone, Debug)]
pub struct Nest {
    /// How it is called.
    pub abi: Abi,
    /// What it decides before its statements run.
    pub entry: Entry,
    /// All buffers, those of the interface first.
    pub buffers: Vec<Buffer>,
    /// What the stores compute.
    pub computed: Vec<Computed>,
    /// The statements.
    pub body: Block,
    /// The indices of loops whose iterations a pass made lanes of, as no search had chosen any, or put side by side though they are vectors.
    pub lanes_of_iterations: Vec<Symbol>,
    /// The indices of loops that iterations of the loop around share, of numbers, as a pass made one loop of several: how many do.
    pub shared_by_iterations: BTreeMap<Symbol, u32>,
    /// What the function calls where a size excludes its own loops, see [`Nest::with_fallback`].
    pub fallback: Option<Box<Nest>>,
}

impl Nest {
    /// What one more store computes: a value that is kept in memory, of which no term speaks.
    pub fn kept(&mut self) -> WhatId {
        self.computed.push(Computed {
            role: Role::Kept,
            term: None,
        });
        WhatId(self.computed.len() as u32 - 1)
    }

    /// The buffer whose memory another name stands for.
    pub fn root(&self, mut b: BufId) -> BufId {
        while let Some(a) = self.buffers[b.0 as usize].alias {
            b = a;
        }
        b
    }

    /// The functions of floats that are approximated, with the floats that they are of: those of vectors, but for roots,
    /// which are exact.
    pub fn approximated(&self) -> BTreeSet<(Function, Scalar)> {
        let mut all = BTreeSet::new();
        walk::each_stmt(&self.body, &mut |s| {
            if let Some(e) = walk::exprs(s) {
                e.visit(&mut |e| {
                    if let (ExprKind::Op(op, _), true) = (e.kind(), e.shape().lanes > 1) {
                        let f = op.function().filter(|f| *f != Function::Sqrt);
                        all.extend(f.map(|f| (f, e.shape().elem)));
                    }
                });
            }
        });
        all.extend(self.fallback.iter().flat_map(|f| f.approximated()));
        all
    }

    /// What a caller has to know of that, if anything.
    pub fn approximations(&self) -> Option<String> {
        let all = self.approximated().into_iter();
        let all: Vec<String> = all
            .map(|(f, s)| format!("{} of {}", Op::from(f).name(), s.name()))
            .collect();
        let ulps = crate::interp::FUNCTION_ULPS;
        (!all.is_empty())
            .then(|| format!("{} within {ulps} units of the last place", all.join(", ")))
    }

    /// The same function, which calls `other` where it would refuse sizes that `other` takes.
    /// Both are of one interface, and `other` takes all sizes that it does not refuse.
    pub fn with_fallback(mut self, mut other: Nest) -> Nest {
        let mut all = std::mem::take(&mut self.abi.assumptions);
        all.append(&mut self.abi.preferred);
        let (hard, soft) = (all.into_iter()).partition(|a| other.abi.assumptions.contains(a));
        self.abi.assumptions = hard;
        self.abi.preferred = soft;
        other.abi.name = format!("{}_plain", self.abi.name);
        other.abi.errors = self.abi.errors.clone();
        self.fallback = (!self.abi.preferred.is_empty()).then(|| Box::new(other));
        self
    }
}

/// Where a buffer lives.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum StorageClass {
    /// `abi.inputs[i]`
    Input(usize),
    /// `abi.outputs[i]`
    Output(usize),
    /// In the block that holds its [`Stmt::Alloc`]; its size is constant.
    Stack,
    /// Allocated when the function starts.
    Heap,
    /// Allocated when the function starts, one for each thread.
    ThreadHeap,
    /// Only variables are left of it.
    Gone,
}

/// A dense array of scalars.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Its name in C.
    pub name: Symbol,
    /// Its elements.
    pub elem: Scalar,
    /// How many there are.
    pub len: Nat,
    /// Where it lives. All but inputs and outputs are aligned to a register.
    pub storage: StorageClass,
    /// A second name for another buffer: the accumulator of a reduction that
    /// runs in place.
    pub alias: Option<BufId>,
}

/// Why a store happens.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Role {
    /// An element of the result.
    Result,
    /// An element of a value kept in memory.
    Kept,
    /// The start of an accumulator.
    Start,
    /// The next value of an accumulator.
    Step,
    /// The last value of an accumulator, on its way out.
    Copy,
}

/// A sub-term of which stores compute elements.
#[derive(Clone, Debug)]
pub struct Computed {
    /// Why.
    pub role: Role,
    /// The sub-term, open in the variables around it.
    pub term: Option<Term>,
}

/// Statements in order.
pub type Block = Vec<Stmt>;

/// How the iterations of a loop run.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum LoopKind {
    /// One after the other.
    Seq,
    /// In any order, by several threads.
    Par,
    /// One after the other, over lanes of a vector that is not whole: none reads what another stores. They are few,
    /// and seldom run, so that unrolling them would only make the code larger.
    Lanes,
    /// One after the other, the code of several in a row.
    PartialUnroll,
    /// One after the other, though none reads or writes what another one writes.
    Independent,
}

impl LoopKind {
    pub fn is_par(self) -> bool {
        self == LoopKind::Par
    }
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// `for var in 0..extent`
    For {
        /// The index.
        var: Symbol,
        /// The number of iterations.
        extent: Nat,
        /// Their order.
        kind: LoopKind,
        /// The statements.
        body: Block,
        /// What the loop computes, for the reader.
        note: Option<String>,
    },
    /// `if cond then … else …`
    If {
        /// A bool.
        cond: Expr,
        /// If so.
        then: Block,
        /// If not.
        els: Block,
    },
    /// Declares a variable.
    Let {
        /// The variable.
        var: Symbol,
        /// Its value; `None` for one that is assigned before it is read.
        value: Option<Expr>,
        /// Its shape.
        shape: Shape,
        /// Whether it is assigned later.
        mutable: bool,
    },
    /// Gives a mutable variable a value.
    Assign {
        /// The variable.
        var: Symbol,
        /// The value.
        value: Expr,
    },
    /// Declares an index that stays as it is.
    Index {
        /// The variable.
        var: Symbol,
        /// Its value.
        value: Nat,
    },
    /// The buffer lives in this block from here on.
    Alloc(BufId),
    /// A hint that an element will be read soon. It changes nothing, and there need not be such an element.
    Prefetch {
        /// The buffer.
        buf: BufId,
        /// The element.
        index: Nat,
    },
    /// Stores a scalar, or a vector into consecutive elements.
    Store {
        /// The buffer.
        buf: BufId,
        /// The (first) element.
        index: Nat,
        /// The value.
        value: Expr,
        /// What it is.
        what: WhatId,
        /// Which (first) element of that, flat, row-major.
        element: Nat,
    },
}
