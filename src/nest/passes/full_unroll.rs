//! Full unrolling: loops over the elements of a few numbers are written out.
//!
//! Comes in: a nest; goes out: one in which loops of a few known iterations are written out where that leaves constants alone as indices
//! of a small buffer on the stack: a vector in space that is added up, coefficients, the state of a recurrence. Such a buffer becomes
//! variables here, of which loops around may make lanes. Invariant: the same statements in the same order. Absent: loops that
//! allocate buffers, and those around longer ones, or more statements, than compilers would write out; rows that are stored where data
//! says, which stay rows.

use super::dce;
use super::decided::decided;
use super::fresh::Names;
use super::live_ranges;
use super::scalar_replacement;
use super::strip_mining::substituted;
use super::Context;
use crate::arith::Nat;
use crate::index::Facts;
use crate::intern::Symbol;
use crate::nest::{walk, Block, BufId, Expr, LoopKind, Nest, Stmt, StorageClass};
use crate::ty::Scalar;
use std::collections::{BTreeMap, BTreeSet};

/// The most iterations of a loop.
const FEW: i64 = 16;
/// The most iterations of a loop that is written out since one beside it is: lanes are made of loops around all of them, or of none.
const SHORT: i64 = 4;
/// The farthest that elements of one iteration and those of the next lie apart which are read together.
const APART: i64 = 16;
/// The most elements of a buffer.
const ELEMENTS: i64 = 16;
/// The parts of an expression that count as a statement.
const LONG: usize = 16;
/// The most statements of a loop that is written out.
const STATEMENTS: usize = 128;

/// Writes loops out.
pub(super) fn unroll(nest: &mut Nest, cx: &mut Context) {
    let mut few = Few {
        lanes: (cx.approximate).then(|| i64::from(cx.target.lanes(Scalar::F32))),
        ..Few::default()
    };
    walk::each_stmt(&nest.body, &mut |s| {
        if let Stmt::Let { var, .. } = s {
            few.data.insert(*var);
        }
    });
    few.written_out(&nest.body);
    let mut wanted: BTreeSet<Symbol> = (indices(nest).into_values())
        .filter(|vars| vars.iter().all(|v| few.loops.contains_key(v)))
        .flatten()
        .collect();
    few.interleaved(&nest.body, None, &mut wanted);
    if wanted.is_empty() {
        return;
    }
    few.beside(&nest.body, &mut wanted);
    let mut pass = Pass {
        names: Names::of(nest),
        facts: &mut *cx.facts,
        wanted,
    };
    pass.block(&mut nest.body);
    scalar_replacement::replace(nest);
    // Of the new variables some are never read, and only now seen to be so.
    dce::eliminate(nest);
    live_ranges::split(nest);
}

/// Loops that may be written out.
#[derive(Default)]
struct Few {
    /// Their variables, and how many iterations they have.
    loops: BTreeMap<Symbol, i64>,
    /// Variables that are no loops'.
    data: BTreeSet<Symbol>,
    /// How many iterations fill a vector, where functions may be approximated: those are not written out.
    lanes: Option<i64>,
}

impl Few {
    /// How many statements a block has if loops in it are written out.
    fn written_out(&mut self, block: &[Stmt]) -> usize {
        let one = |s: &Stmt| match s {
            Stmt::For {
                var,
                extent,
                kind,
                body,
                ..
            } => {
                let inside = self.written_out(body);
                let few = |n: &i64| *kind == LoopKind::Seq && (2..=FEW).contains(n);
                let written = |n: i64| (n, inside * n as usize);
                let all = extent.as_int().filter(few).map(written);
                let functions = |n: i64| self.lanes.is_some_and(|lanes| n >= lanes) && calls(body);
                let written = |(n, all): &(i64, usize)| {
                    *all <= STATEMENTS && !self.stays(body) && !functions(*n)
                };
                match all.filter(written) {
                    Some((n, all)) => {
                        self.loops.insert(*var, n);
                        all
                    }
                    None => inside + 1,
                }
            }
            Stmt::If { then, els, .. } => 1 + self.written_out(then) + self.written_out(els),
            s => 1 + walk::exprs(s).map_or(0, Expr::size) as usize / LONG,
        };
        block.iter().map(one).sum()
    }

    /// Adds short loops of the same body of a loop that stays.
    fn beside(&self, block: &[Stmt], wanted: &mut BTreeSet<Symbol>) {
        let (mut own, mut bodies, mut open) = (Vec::new(), Vec::new(), vec![block]);
        while let Some(block) = open.pop() {
            for s in block {
                match s {
                    Stmt::For { var, body, .. } => match self.loops.get(var) {
                        Some(n) => {
                            own.push((*var, *n));
                            open.push(body);
                        }
                        None => bodies.push(body),
                    },
                    Stmt::If { then, els, .. } => open.extend([&then[..], &els[..]]),
                    _ => {}
                }
            }
        }
        if own.iter().any(|(v, _)| wanted.contains(v)) {
            let short = own.iter().filter(|(_, n)| *n <= SHORT);
            wanted.extend(short.map(|(v, _)| *v));
        }
        bodies.iter().for_each(|body| self.beside(body, wanted));
    }

    /// Adds short loops over elements between those of the next iteration of `around`, which stays: where each is read by a statement of its own,
    /// compilers read them together.
    fn interleaved(&self, block: &[Stmt], around: Option<Symbol>, wanted: &mut BTreeSet<Symbol>) {
        for s in block {
            walk::each_load(s, &mut |_, (n, _)| {
                let stride = around.and_then(|v| n.coefficient(v)).and_then(Nat::as_int);
                if stride.is_some_and(|by| (2..=APART).contains(&by.abs())) {
                    let short = |v: &Symbol| self.loops.get(v).is_some_and(|n| *n <= SHORT);
                    wanted.extend(n.vars().iter().copied().filter(short));
                }
            });
            match s {
                Stmt::For { var, body, .. } => {
                    let around = match self.loops.contains_key(var) {
                        true => around,
                        false => Some(*var),
                    };
                    self.interleaved(body, around, wanted);
                }
                Stmt::If { then, els, .. } => {
                    self.interleaved(then, around, wanted);
                    self.interleaved(els, around, wanted);
                }
                _ => {}
            }
        }
    }

    /// Whether there is something in it that stands once: what is allocated, what is stored where data says, longer loops.
    fn stays(&self, block: &[Stmt]) -> bool {
        let mut found = false;
        walk::each_stmt(block, &mut |s| {
            found |= match s {
                Stmt::Alloc(_) => true,
                Stmt::For { var, .. } => !self.loops.contains_key(var),
                Stmt::Store { index, .. } => index.vars().iter().any(|v| self.data.contains(v)),
                _ => false,
            }
        });
        found
    }
}

/// Whether a body calls functions, and no loop is in it.
fn calls(body: &[Stmt]) -> bool {
    !walk::has_loops(body) && body.iter().any(|s| walk::exprs(s).is_some_and(Expr::calls))
}

/// The variables in the indices of each small buffer on the stack.
fn indices(nest: &Nest) -> BTreeMap<BufId, BTreeSet<Symbol>> {
    let small = |b: BufId| {
        let b = &nest.buffers[b.0 as usize];
        b.storage == StorageClass::Stack && b.len.as_int().is_some_and(|n| n <= ELEMENTS)
    };
    let mut all: BTreeMap<BufId, BTreeSet<Symbol>> = BTreeMap::new();
    let mut access = |b: BufId, n: Nat| {
        let b = nest.root(b);
        if small(b) {
            all.entry(b).or_default().extend(n.vars().iter());
        }
    };
    walk::each_stmt(&nest.body, &mut |s| {
        if let Stmt::Store { buf, index, .. } = s {
            access(*buf, *index);
        }
        walk::each_load(s, &mut |b, (n, _)| access(b, n));
    });
    all
}

struct Pass<'a> {
    names: Names,
    facts: &'a mut Facts,
    /// The variables of loops that are written out.
    wanted: BTreeSet<Symbol>,
}

impl Pass<'_> {
    fn block(&mut self, block: &mut Block) {
        walk::replace(block, &mut |s| self.iterations(s));
    }

    /// All iterations of a loop that is written out, inner ones first.
    fn iterations(&mut self, s: &Stmt) -> Option<Block> {
        let Stmt::For {
            var, extent, body, ..
        } = s
        else {
            return None;
        };
        let count = extent.as_int().filter(|_| self.wanted.contains(var))?;
        let mut body = body.clone();
        self.block(&mut body);
        let mut all = Block::new();
        for i in 0..count {
            let one = substituted(&body, *var, i.into(), self.facts);
            let one = decided(one, self.facts);
            all.extend(self.names.renew_all(one, self.facts));
        }
        Some(all)
    }
}
