//! Whether a function refuses sizes for which it has no room, or no meaning.
//!
//! In: its interface, its buffers, and what it decides on entry. Out: whether each size of the program is one, and each array small enough
//! that a word says where an element lies. Absent: products that loops and choices are bounded by, where memory is (`memory` of `run`).

use super::Stuck;
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::nest::abi::{LARGEST, LIMIT};
use crate::nest::{Buffer, Guard, Nest, StorageClass};
use crate::obligation::{Assumption, Known, Sizes};
use crate::term::Program;
use crate::ty::Scalar;

/// Constants of whose multiples it is said what else they are multiples of, at most.
const DIVISORS: i64 = 1 << 10;
/// Bytes on the stack of a function, at most: half of what the smallest stacks of threads have.
const STACK: i64 = 1 << 20;

/// What a multiple of a constant is a multiple of.
fn divided(a: Assumption) -> Vec<Assumption> {
    let by = match a {
        Assumption::Divides(d, n) => d.as_int().map(|d| (d, n)),
        Assumption::NotNegative(_) => None,
    };
    match by.filter(|(d, _)| (2..=DIVISORS).contains(d)) {
        Some((d, n)) => { (2..=d).rev() }
            .filter(|k| d % k == 0)
            .map(|k| Assumption::Divides(Nat::int(k), n))
            .collect(),
        None => vec![a],
    }
}

/// Whether every size of the term is one wherever the function accepts its sizes.
pub fn sizes(nest: &Nest, program: &Program) -> Result<(), Stuck> {
    let held: Vec<_> = (nest.abi.assumptions.iter().chain(&nest.abi.preferred))
        .flat_map(|a| divided(*a))
        .collect();
    let known = Known::new(&held);
    let mut all = Sizes::default();
    program.params.iter().for_each(|p| all.ty(p.1));
    all.ty(program.result);
    all.term(&program.term);
    if let Some(n) = all.all().iter().find(|n| !known.is_size(**n)) {
        return Err(Stuck::new(format!("it does not check that {n} is a size")));
    }
    if let Some(n) = all.whole().iter().find(|n| !known.is_whole(**n)) {
        return Err(Stuck::new(format!("it does not check that {n} is whole")));
    }
    let guards = &nest.entry.guards;
    let checked = |s: &Symbol| guards.contains(&Guard::Size(*s));
    if let Some(s) = nest.abi.sizes.iter().find(|s| !checked(s)) {
        return Err(Stuck::new(format!(
            "it does not check that {s} is not negative"
        )));
    }
    let slots = nest.abi.outputs.iter().chain(&nest.abi.inputs);
    let slots = slots.filter(|s| !s.by_value);
    let given = slots.map(|s| (s.name.as_str(), s.count(), s.elem, false));
    for array in given.chain(asked_for(nest)) {
        if !is_bounded(guards, array) {
            let why = format!("it does not check that `{}` is not too large", array.0);
            return Err(Stuck::new(why));
        }
    }
    let on_stack = |b: &&Buffer| b.alias.is_none() && b.storage == StorageClass::Stack;
    let (mut bytes, mut known) = (0i64, true);
    for b in nest.buffers.iter().filter(on_stack) {
        known &= b.len.as_int().is_some_and(|n| n >= 0);
        let own = b.len.as_int().unwrap_or(0);
        bytes = bytes.saturating_add(own.saturating_mul(b.elem.bytes() as i64));
    }
    match known && bytes <= STACK {
        true => Ok(()),
        false => Err(Stuck::new("what it keeps on the stack is too large")),
    }
}

/// An array: its name, elements, type, and whether each thread has one.
type Array<'a> = (&'a str, Nat, Scalar, bool);

/// What the function asks memory for.
fn asked_for(nest: &Nest) -> impl Iterator<Item = Array<'_>> {
    let parts = nest.entry.arena.as_deref().unwrap_or_default();
    parts.iter().map(|part| {
        let of = &nest.buffers[part.buf.0 as usize];
        (of.name.as_str(), of.len, of.elem, part.each_thread)
    })
}

/// Whether the function refuses sizes at which an array has more bytes than a word can say.
fn is_bounded(guards: &[Guard], (_, count, of, each): Array) -> bool {
    let own = |g: &Guard| match g {
        Guard::Bytes {
            len,
            elem_bytes,
            each_thread,
            limit,
        } => {
            *len == count && *elem_bytes >= of.bytes() && (*each_thread || !each) && *limit <= LIMIT
        }
        _ => false,
    };
    match count.as_int() {
        Some(n) => (0..=LARGEST / of.bytes().max(1) as i64).contains(&n),
        None => guards.iter().any(own),
    }
}
