//! Rules that reduce by operators which stand for steps.
//!
//! In: a rule `reduceSeq step e => \xs -> let (reduce combine unit (map inject xs)) (\p -> let e (\s -> finish p s))`. Out: whether it holds for
//! lists of every length, or `reduceSeq step e => \xs -> reduce combine e (map inject xs)`, by the claims of `operator::lift`. Functions of the element that are unknown in the step stand in `inject`, too:
//! whatever they give, they are numbers, of which the claims hold. Absent: other rules.

use crate::algebra::{recognise, Floats};
use crate::elab::{Cond, RuleDecl};
use crate::operator::lift::{self, Parts};
use crate::operator::{self, Effort, Law, Meaning};
use crate::term::{call, Kind, Op, Term};
use crate::ty::Ty;

/// Whether the rule is one of these, and holds wherever its conditions do.
pub(super) fn holds(rule: &RuleDecl) -> bool {
    of_rule(rule).unwrap_or(false)
}

fn of_rule(rule: &RuleDecl) -> Option<bool> {
    let [step, start] = parts(&rule.lhs, Op::ReduceSeq)?;
    let mut parts = parts_of(&rule.rhs, start)?;
    let (step, inject) = of_numbers(rule, step, &parts.inject)?;
    parts.inject = inject;
    // A start that is unknown is any; what else is unknown is not looked into.
    let known = !matches!(start.kind(), Kind::Hole(_));
    let begin = known.then_some(start);
    let all = [
        &step,
        &parts.inject,
        &parts.combine,
        &parts.unit,
        &parts.finish,
    ];
    if !all.into_iter().chain(begin).all(is_closed) {
        return None;
    }
    let proved = |meaning| lift::proves(&step, begin, &parts, meaning, Effort::ASKED).is_some();
    if proved(Meaning::Machine) {
        return Some(true);
    }
    // What holds over reals is used only where a condition asks for the permission that this takes.
    let permitted = rule.claims().any(|c| {
        let regroups =
            |op: &Term| is_closed(op) && !operator::proves(op, Meaning::Machine, Law::Associative);
        c.law.regroups && c.operands.iter().any(regroups)
    });
    Some(permitted && proved(Meaning::Reals))
}

/// The pattern variables of a term, each once.
pub(super) fn holes(t: &Term) -> Vec<(u32, Ty)> {
    let mut found = Vec::new();
    t.visit(&mut |t, _| {
        if let Kind::Hole(h) = t.kind() {
            found.push((*h, t.ty()));
        }
    });
    found.sort_unstable_by_key(|h| h.0);
    found.dedup_by_key(|h| h.0);
    found
}

/// A step and what is made of an element, where pattern variables that are functions of the element are parts of an element instead, beside
/// itself; as they are where there are none.
fn of_numbers(rule: &RuleDecl, step: &Term, inject: &Term) -> Option<(Term, Term)> {
    let unknown = holes(step);
    if unknown.is_empty() {
        return Some((step.clone(), inject.clone()));
    }
    let (of_state, rest) = step.ty().as_fun()?;
    let of_element = rest.as_fun()?.0;
    let Kind::Lam(Some(state), inner) = step.kind() else {
        return None;
    };
    // The step of an element that stands last may be written without it: then nothing unknown is a function of it.
    let (named, next) = match inner.kind() {
        Kind::Lam(x, next) => (Some(*x), next.clone()),
        _ => (None, Term::app(inner.shift(1), Term::var(0, of_element))),
    };
    let Kind::Lam(y, made) = inject.kind() else {
        return None;
    };
    // What is unknown is one value for an element, the same on both sides.
    let stays = |(h, _): &(u32, Ty)| {
        let apart =
            |c: &Cond| matches!(c, Cond::NotFree { var, hole } if var == state && hole == h);
        rule.conds.iter().any(apart) && !rule.holes[*h as usize].computed
    };
    if named.is_some_and(|x| x != *y) || y.is_none_or(|y| y == *state) || !unknown.iter().all(stays)
    {
        return None;
    }
    // The element itself is the last part, where it is read.
    let mut parts: Vec<(Option<u32>, Ty)> = (unknown.iter()).map(|u| (Some(u.0), u.1)).collect();
    parts.extend((next.mentions(0) || made.mentions(0)).then_some((None, of_element)));
    let (last, before) = parts.split_last()?;
    let element = (before.iter().rev()).fold(last.1, |all, p| Ty::pair(p.1, all));
    let part = |of: Option<u32>| {
        let at = parts.iter().position(|p| p.0 == of)?;
        let rest = (0..at).try_fold(Term::var(0, element), |z, _| call(Op::Snd, [], [z]))?;
        match at + 1 == parts.len() {
            true => Some(rest),
            false => call(Op::Fst, [], [rest]),
        }
    };
    let next = with_parts(&next, &part)?;
    let made = with_parts(made, &part)?;
    let inner = Term::lam(*y, element, next);
    Some((
        Term::lam(Some(*state), of_state, inner),
        Term::lam(*y, element, made),
    ))
}

/// A term with something for each pattern variable, and for the element; nothing if there is one under a binder of its own, of which it may be
/// a function, too.
fn with_parts(t: &Term, part: &dyn Fn(Option<u32>) -> Option<Term>) -> Option<Term> {
    match t.kind() {
        Kind::Hole(h) => part(Some(*h)),
        Kind::Var(0) => part(None),
        Kind::App(f, x) => Some(Term::app(with_parts(f, part)?, with_parts(x, part)?)),
        Kind::Lam(..) => {
            let mut holes = t.mentions(0);
            t.visit(&mut |t, _| holes |= matches!(t.kind(), Kind::Hole(_)));
            (!holes).then(|| t.clone())
        }
        _ => Some(t.clone()),
    }
}

/// The arguments of an operation that are all it takes.
pub(super) fn parts<const N: usize>(t: &Term, op: Op) -> Option<[&Term; N]> {
    let (p, args) = t.as_prim_app()?;
    (p.op() == op).then_some(())?;
    args.try_into().ok()
}

fn parts_of(right: &Term, start: &Term) -> Option<Parts> {
    // What does nothing but give its list to a reduction may be written without it.
    let body = match right.kind() {
        Kind::Lam(_, body) => body.clone(),
        _ => Term::app(right.shift(1), Term::var(0, right.ty().as_fun()?.0)),
    };
    let body = &body;
    let finished = parts(body, Op::Let);
    let summary = finished.map_or(body, |[summary, _]| summary);
    let [combine, unit, summaries] = parts(summary, Op::Reduce)?;
    // Elements may be summaries as they are.
    let (inject, xs) = match parts(summaries, Op::Map) {
        Some([inject, xs]) => (inject.clone(), xs),
        None => {
            let element = summary.ty();
            (Term::lam(None, element, Term::var(0, element)), summaries)
        }
    };
    // Of the list nothing else is read.
    let outside = |t: &Term| (!t.mentions(0)).then(|| t.shift(-1));
    let (inject, combine) = (outside(&inject)?, outside(combine)?);
    let (begin, unit, finish) = match finished.map(|[_, finish]| finish.kind()) {
        Some(Kind::Lam(hint, then)) => {
            let [begin, last] = parts(then, Op::Let)?;
            let finish = outside(&Term::lam(*hint, summary.ty(), last.clone()))?;
            (begin, outside(unit)?, finish)
        }
        Some(_) => return None,
        // What reduces from the start on adds all else to it.
        None => {
            let identity = recognise(&combine)?.identity(Floats::reassociated(true))?;
            (unit, identity, lift::adding(&combine)?)
        }
    };
    (matches!(xs.kind(), Kind::Var(0)) && begin == start).then_some(())?;
    Some(Parts {
        inject,
        combine,
        unit,
        finish,
        summary: summary.ty(),
    })
}

/// Whether it mentions neither variables nor pattern variables.
pub(super) fn is_closed(t: &Term) -> bool {
    let mut holes = false;
    t.visit(&mut |t, _| holes |= matches!(t.kind(), Kind::Hole(_)));
    t.open() == 0 && !holes
}
