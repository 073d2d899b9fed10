//! What is asked of the unknown types of a rule, beyond what its left side says by itself.

use super::super::infer::Infer;
use super::super::output::Cond;
use crate::term::{Class, Term};
use crate::ty::{Ty, TyKind};
use std::collections::BTreeMap;

/// What is asked of every unknown type, beyond what the left side says of it already.
pub(super) fn classes(
    infer: &Infer,
    left: &Term,
    conds: &[Cond],
    unknown: &[u32],
) -> (Vec<Option<Class>>, Vec<Ty>) {
    let mut given: BTreeMap<u32, Vec<Class>> = BTreeMap::new();
    left.visit(&mut |t, _| structure(t.ty(), &mut given));
    for c in conds {
        match c {
            Cond::Data(ty) => add(*ty, Class::Data, &mut given),
            Cond::Flat(ty) => add(*ty, Class::Flat, &mut given),
            _ => {}
        }
    }
    let mut asked: BTreeMap<u32, Vec<Class>> = BTreeMap::new();
    for r in &infer.requirements {
        add(infer.u.ty(r.ty), r.class, &mut asked);
    }
    let (mut out, mut flats) = (Vec::new(), Vec::new());
    for n in unknown {
        let given = given.remove(n).unwrap_or_default();
        let mut asked = asked.remove(n).unwrap_or_default();
        asked.retain(|a| !given.iter().any(|g| implies(*g, *a)));
        let all = asked.clone();
        asked.retain(|a| !all.iter().any(|b| b != a && implies(*b, *a)));
        // One class per unknown; flatness has a condition of its own, and a flat number is
        // a scalar.
        if asked.len() > 1 {
            let numbers = asked
                .iter()
                .any(|a| matches!(a, Class::Number | Class::Int | Class::Float));
            asked.retain(|a| *a != Class::Flat && !(numbers && *a == Class::Element));
            flats.push(Ty::meta(*n));
        }
        out.push(asked.first().copied());
    }
    (out, flats)
}

/// What the place of an unknown in a type says about it.
fn structure(t: Ty, given: &mut BTreeMap<u32, Vec<Class>>) {
    match t.kind() {
        TyKind::Array(_, e) => {
            add(e, Class::Data, given);
            structure(e, given);
        }
        TyKind::Vec(_, e) => {
            add(e, Class::Flat, given);
            structure(e, given);
        }
        TyKind::Pair(a, b) => {
            add(a, Class::Data, given);
            add(b, Class::Data, given);
            structure(a, given);
            structure(b, given);
        }
        TyKind::Fun(a, b) => {
            structure(a, given);
            structure(b, given);
        }
        TyKind::Scalar(_) | TyKind::Idx(_) | TyKind::Meta(_) => {}
    }
}

fn add(t: Ty, class: Class, to: &mut BTreeMap<u32, Vec<Class>>) {
    match (t.kind(), class) {
        (TyKind::Meta(n), _) => {
            let classes = to.entry(n).or_default();
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
        (TyKind::Pair(a, b), Class::Data | Class::Flat) => {
            add(a, class, to);
            add(b, class, to);
        }
        (TyKind::Array(_, e) | TyKind::Vec(_, e), Class::Data) => add(e, class, to),
        (TyKind::Vec(_, e), Class::Number | Class::Int | Class::Float) => add(e, class, to),
        _ => {}
    }
}

fn implies(a: Class, b: Class) -> bool {
    use Class::*;
    a == b || matches!((a, b), (_, Data) | (Float | Int, Number))
}
