//! Expressions as terms.
//!
//! In: expressions over leaves, and the terms that the leaves are. Out: functions on tuples of numbers. Absent: which.

use super::candidate::Candidate;
use super::Parts;
use crate::intern::Symbol;
use crate::operator::dag::{number, Dag, Id, What};
use crate::operator::points::Number;
use crate::operator::question::data;
use crate::term::{call, call_as, Op, Term};
use crate::ty::{Scalar, Ty, TyKind};
use std::collections::BTreeMap;

/// Larger terms are no operators that anybody runs.
const MOST_NODES: u32 = 6_000;

/// The numbers of data, from left to right.
pub(super) fn parts(t: &Term, found: &mut Vec<Term>) -> Option<()> {
    match t.ty().kind() {
        TyKind::Scalar(_) => found.push(t.clone()),
        TyKind::Pair(..) => {
            parts(&call(Op::Fst, [], [t.clone()])?, found)?;
            parts(&call(Op::Snd, [], [t.clone()])?, found)?;
        }
        TyKind::Array(n, _) => {
            for i in 0..n.as_int()? {
                parts(&call(Op::At, [i.into()], [t.clone()])?, found)?;
            }
        }
        _ => return None,
    }
    Some(())
}

/// Data of a type of these numbers.
fn assemble(ty: Ty, next: &mut impl Iterator<Item = Term>) -> Option<Term> {
    match ty.kind() {
        TyKind::Pair(a, b) => {
            let a = assemble(a, next)?;
            call(Op::Pair, [], [a, assemble(b, next)?])
        }
        TyKind::Array(n, t) => {
            let all: Option<Vec<Term>> = (0..n.as_int()?).map(|_| assemble(t, next)).collect();
            call(Op::MakeArray, [n], all?)
        }
        _ => next.next(),
    }
}

fn tuple(types: &[Ty]) -> Option<Ty> {
    let (first, rest) = types.split_first()?;
    Some(match rest.is_empty() {
        true => *first,
        false => Ty::pair(*first, tuple(rest)?),
    })
}

struct Writer<'a> {
    dag: &'a Dag,
    leaves: BTreeMap<Id, Term>,
    done: BTreeMap<Id, Term>,
}

impl Writer<'_> {
    fn term(&mut self, id: Id) -> Option<Term> {
        if let Some(done) = self.leaves.get(&id).or(self.done.get(&id)) {
            return Some(done.clone());
        }
        let node = self.dag.node(id);
        let ty = Ty::from(node.ty);
        let term = match node.what {
            What::Leaf(_) => return None,
            What::Const(c) => literal(c, node.ty)?,
            What::Apply(op, n, args) => {
                let parts = args[..n.into()].iter().map(|a| self.term(*a));
                let parts: Vec<Term> = parts.collect::<Option<_>>()?;
                match op {
                    Op::Cast | Op::Bitcast => call_as(op, [], parts, ty)?,
                    _ => call(op, [], parts)?,
                }
            }
        };
        if term.size() > MOST_NODES || term.ty() != ty {
            return None;
        }
        self.done.insert(id, term.clone());
        Some(term)
    }

    fn data(&mut self, ty: Ty, ids: &[Id]) -> Option<Term> {
        let all: Vec<Term> = ids.iter().map(|id| self.term(*id)).collect::<Option<_>>()?;
        assemble(ty, &mut all.into_iter())
    }
}

fn literal(c: i128, s: Scalar) -> Option<Term> {
    let (least, most) = s.bounds();
    let fits = s.is_float() || (least..=most).contains(&c);
    let value = |n| data(Ty::from(s), &mut std::iter::once(Some(Number::Machine(n))));
    match number(c, s) {
        // Programs have no word for what is infinite.
        n if s.is_float() && n.as_f64().is_infinite() => {
            let one = number(i128::from(n.as_f64().signum().to_bits()), s);
            call(Op::Div, [], [value(one)?, value(number(0, s))?])
        }
        n => fits.then(|| value(n))?,
    }
}

/// The leaves of a step.
pub(super) struct Leaves<'a> {
    pub state: &'a [Id],
    pub inputs: &'a [Id],
    /// Variables of the step: number, type, leaves.
    pub free: &'a [(u32, Ty, Vec<Id>)],
}

/// The terms of a candidate for a step from `state` by an `element`.
pub(super) fn lifted(
    dag: &Dag,
    c: &Candidate,
    leaves: &Leaves,
    (state, element): (Ty, Ty),
) -> Option<Parts> {
    let types: Vec<Ty> = c
        .inject
        .iter()
        .map(|id| Ty::from(dag.node(*id).ty))
        .collect();
    let summary = tuple(&types)?;
    let function = |params: &[(&str, &[Id], Ty)], result: &[Id], ty: Ty| {
        let count = params.len() as u32;
        let mut map = BTreeMap::new();
        let mut bind = |ids: &[Id], t: Term| {
            let mut all = Vec::new();
            parts(&t, &mut all)?;
            map.extend(ids.iter().copied().zip(all));
            Some(())
        };
        for (i, (_, ids, ty)) in params.iter().enumerate() {
            bind(ids, Term::var(count - 1 - i as u32, *ty))?;
        }
        for (number, ty, ids) in leaves.free {
            bind(ids, Term::var(number + count, *ty))?;
        }
        let mut writer = Writer {
            dag,
            leaves: map,
            done: BTreeMap::new(),
        };
        let body = writer.data(ty, result)?;
        let wrap =
            |body, (name, _, ty): &(&str, &[Id], Ty)| Term::lam(Some(Symbol::new(name)), *ty, body);
        Some(params.iter().rev().fold(body, wrap))
    };
    let (first, second) = (&c.first[..], &c.second[..]);
    Some(Parts {
        inject: function(&[("x", leaves.inputs, element)], &c.inject, summary)?,
        combine: function(
            &[("p", first, summary), ("q", second, summary)],
            &c.combine,
            summary,
        )?,
        finish: function(
            &[("p", first, summary), ("s", leaves.state, state)],
            &c.finish,
            state,
        )?,
        unit: function(&[], c.unit.as_ref()?, summary)?,
        summary,
    })
}
