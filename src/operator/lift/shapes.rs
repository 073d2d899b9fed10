//! Steps on one number that are no linear maps, but maps of a form that is closed under composition.
//!
//! In: a step on one number. Out: a candidate: sums that are kept between bounds, quotients of linear maps, steps that associate
//! themselves. Absent: that it is right (`claims`).

use super::candidate::Candidate;
use super::simple::Builder;
use super::summary::Step;
use crate::operator::dag::{Id, What};
use crate::operator::Meaning;
use crate::term::Op;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn find(b: &mut Builder, step: &Step) -> Option<Candidate> {
    let ([s], [next]) = (&step.state[..], &step.next[..]) else {
        return None;
    };
    let ty = b.ty(*s);
    if ty.is_float() || ty.is_signed() && b.meaning == Meaning::Unbounded {
        if let Some(found) = clamped(b, *s, *next).and_then(|p| kept_between(b, *s, p)) {
            return Some(found);
        }
    }
    match ty.is_float() {
        true => {
            let [over, under] = quotient(b, *s, *next)?;
            of_quotients(b, *s, [over, under].concat())
        }
        false => None,
    }
}

fn reads(b: &Builder, id: Id, s: Id) -> bool {
    b.mentions(id, &BTreeSet::from([s]))
}

/// The numbers p, l, h of `min h (max l (s + p))`; what has no bound has none.
fn clamped(b: &mut Builder, s: Id, id: Id) -> Option<[Option<Id>; 3]> {
    if id == s {
        return Some([Some(b.number(0, b.ty(s))?), None, None]);
    }
    let What::Apply(op, 2, [x, y, _]) = b.dag.node(id).what else {
        return None;
    };
    let (inner, by) = match (reads(b, x, s), reads(b, y, s)) {
        (true, false) => (x, y),
        (false, true) if op != Op::Sub => (y, x),
        _ => return None,
    };
    let [p, l, h] = clamped(b, s, inner)?;
    let each = |b: &mut Builder, op: Op, x: Option<Id>| match x {
        Some(x) => b.apply(op, &[x, by]).map(Some),
        None => Some(None),
    };
    Some(match op {
        Op::Add | Op::Sub => [each(b, op, p)?, each(b, op, l)?, each(b, op, h)?],
        Op::Min => [p, l, each(b, op, h)?.or(Some(by))],
        Op::Max => [p, each(b, op, l)?.or(Some(by)), each(b, op, h)?],
        _ => return None,
    })
}

fn kept_between(b: &mut Builder, s: Id, inject: [Option<Id>; 3]) -> Option<Candidate> {
    let [Some(p), Some(l), Some(h)] = inject else {
        return None;
    };
    let inject = vec![p, l, h];
    let [first, second] = Candidate::operands(b, &inject)?;
    let apply = |b: &mut Builder, params: &[Id], x: Id| {
        let low = b.apply(Op::Max, &[x, params[1]])?;
        b.apply(Op::Min, &[low, params[2]])
    };
    let sum = b.apply(Op::Add, &[first[0], second[0]])?;
    let low = b.apply(Op::Add, &[first[1], second[0]])?;
    let low = b.apply(Op::Max, &[low, second[1]])?;
    let high = b.apply(Op::Add, &[first[2], second[0]])?;
    let high = apply(b, &second, high)?;
    let moved = b.apply(Op::Add, &[s, first[0]])?;
    let finish = vec![apply(b, &first, moved)?];
    Some(Candidate {
        inject,
        first,
        second,
        combine: vec![sum, low, high],
        finish,
        unit: None,
        domains: Vec::new(),
        family: "sums between bounds".to_string(),
    })
}

/// A linear map: the factor of `s`, and what is added.
type Linear = [Id; 2];

/// The number as one linear map of `s` over another.
fn quotient(b: &mut Builder, s: Id, id: Id) -> Option<[Linear; 2]> {
    let ty = b.ty(s);
    let (zero, one) = (b.number(0, ty)?, b.number(1, ty)?);
    if !reads(b, id, s) {
        return Some([[zero, id], [zero, one]]);
    }
    if id == s {
        return Some([[one, zero], [zero, one]]);
    }
    let What::Apply(op, n, args) = b.dag.node(id).what else {
        return None;
    };
    let scaled = |b: &mut Builder, x: Linear, by: Id| {
        Some([
            b.apply(Op::Mul, &[x[0], by])?,
            b.apply(Op::Mul, &[x[1], by])?,
        ])
    };
    let plus = |b: &mut Builder, op: Op, x: Linear, y: Linear| {
        Some([b.apply(op, &[x[0], y[0]])?, b.apply(op, &[x[1], y[1]])?])
    };
    // A map that is a number.
    let constant = |x: Linear| (x[0] == zero).then_some(x[1]);
    match (op, &args[..n.into()]) {
        (Op::Add | Op::Sub, [x, y]) => {
            let ([a, c], [d, e]) = (quotient(b, s, *x)?, quotient(b, s, *y)?);
            if c == e {
                return Some([plus(b, op, a, d)?, c]);
            }
            // a/c + d/e where one denominator is a number.
            let (over, under) = match (constant(c), constant(e)) {
                (Some(c1), _) => ([scaled(b, a, one)?, d], (e, c1)),
                (_, Some(e1)) => ([a, scaled(b, d, one)?], (c, e1)),
                _ => return None,
            };
            let whole = scaled(b, under.0, under.1)?;
            let cross = |b: &mut Builder, x: Linear, by: Linear| match (constant(x), constant(by)) {
                (Some(k), _) => scaled(b, by, k),
                (_, Some(k)) => scaled(b, x, k),
                _ => None,
            };
            let (left, right) = (cross(b, over[0], e)?, cross(b, over[1], c)?);
            Some([plus(b, op, left, right)?, whole])
        }
        (Op::Mul | Op::Div, [x, y]) => {
            let ([a, c], [d, e]) = (quotient(b, s, *x)?, quotient(b, s, *y)?);
            let (d, e) = if op == Op::Div { (e, d) } else { (d, e) };
            let times = |b: &mut Builder, x: Linear, y: Linear| match (constant(x), constant(y)) {
                (Some(k), _) => scaled(b, y, k),
                (_, Some(k)) => scaled(b, x, k),
                _ => None,
            };
            if a == e {
                return Some([d, c]);
            }
            if c == d {
                return Some([a, e]);
            }
            Some([times(b, a, d)?, times(b, c, e)?])
        }
        (Op::Neg, [x]) => {
            let [a, c] = quotient(b, s, *x)?;
            let minus = b.number(-1, ty)?;
            Some([scaled(b, a, minus)?, c])
        }
        _ => None,
    }
}

/// Products of matrices of two by two.
fn of_quotients(b: &mut Builder, s: Id, inject: Vec<Id>) -> Option<Candidate> {
    let [p, q] = Candidate::operands(b, &inject)?;
    let mut combine = Vec::new();
    for (row, column) in [(0, 0), (0, 1), (2, 0), (2, 1)] {
        let x = b.apply(Op::Mul, &[q[row], p[column]])?;
        let y = b.apply(Op::Mul, &[q[row + 1], p[column + 2]])?;
        combine.push(b.apply(Op::Add, &[x, y])?);
    }
    let mut side = |k: usize| {
        let product = b.apply(Op::Mul, &[p[k], s])?;
        b.apply(Op::Add, &[product, p[k + 1]])
    };
    let (over, under) = (side(0)?, side(2)?);
    let finish = vec![b.apply(Op::Div, &[over, under])?];
    let (zero, one) = (b.number(0, b.ty(s))?, b.number(1, b.ty(s))?);
    let found = Candidate {
        inject,
        first: p,
        second: q,
        combine,
        finish,
        unit: Some(vec![one, zero, zero, one]),
        domains: Vec::new(),
        family: "quotients of linear maps, as 2x2 matrices".to_string(),
    };
    found.shrunk(b)
}

/// A step that is the operator itself: summaries are elements.
pub(super) fn itself(b: &mut Builder, step: &Step) -> Option<Candidate> {
    let inject = step.inputs.clone();
    let [first, second] = Candidate::operands(b, &inject)?;
    let with = |b: &mut Builder, state: &[Id], inputs: &[Id]| {
        let state = step.state.iter().copied().zip(state.iter().copied());
        let inputs = step.inputs.iter().copied().zip(inputs.iter().copied());
        let put: BTreeMap<Id, Id> = state.chain(inputs).collect();
        b.substitute(&step.next, &put)
    };
    let combine = with(b, &first, &second)?;
    let finish = with(b, &step.state, &first)?;
    Some(Candidate {
        inject,
        first,
        second,
        combine,
        finish,
        unit: None,
        domains: Vec::new(),
        family: "the step itself, which associates".to_string(),
    })
}
