//! Which parameters are offsets of segments.
//!
//! In: a program. Out: the parameters between whose elements it takes segments, and the sizes that are the numbers of the values
//! in them. Absent: parts of parameters.

use crate::arith::{AtomKind, Nat};
use crate::intern::Symbol;
use crate::term::{normalize_program, Kind, Op, Program, Term};
use crate::ty::TyKind;
use std::collections::BTreeSet;

/// The parameters, by their numbers.
pub fn parameters(program: &Program) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let last = program.params.len();
    each_segments(&normalize_program(&program.term), &mut |offsets, depth| {
        if let Kind::Var(i) = offsets.kind() {
            let outside = depth.checked_sub(1 + i).map(|at| at as usize);
            found.extend(outside.filter(|at| *at < last));
        }
    });
    found
}

/// The sizes that count the values of segments.
pub fn values(program: &Program) -> BTreeSet<Symbol> {
    let mut found = BTreeSet::new();
    each_segments(&program.term, &mut |offsets, _| {
        let bound = offsets.ty().as_array().and_then(|(_, i)| match i.kind() {
            TyKind::Idx(bound) => (bound - Nat::int(1)).as_atom(),
            _ => None,
        });
        if let Some(AtomKind::Var(size)) = bound.map(|a| a.kind()) {
            found.insert(size);
        }
    });
    found
}

/// Calls for the offsets of every reduction of segments, with the number of functions around.
fn each_segments(term: &Term, f: &mut impl FnMut(&Term, u32)) {
    term.visit(&mut |t, depth| {
        if let Some((p, args)) = t.as_prim_app() {
            if let (Op::ReduceSegments, [_, _, offsets, ..]) = (p.op(), &args[..]) {
                f(offsets, depth);
            }
        }
    });
}
