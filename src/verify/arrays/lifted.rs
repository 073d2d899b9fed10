//! Rules that reduce by operators which stand for steps.
//!
//! In: a rule `reduceSeq step e => \xs -> let (reduce combine unit (map inject xs)) (\p -> let e (\s -> finish p s))`. Out: whether it holds for
//! lists of every length, by the claims of `operator::lift`. Absent: other rules.

use crate::elab::RuleDecl;
use crate::operator::lift::{self, Parts};
use crate::operator::{self, Effort, Law, Meaning};
use crate::term::{Kind, Op, Term};

/// Whether the rule is one of these, and holds wherever its conditions do.
pub(super) fn holds(rule: &RuleDecl) -> bool {
    of_rule(rule).unwrap_or(false)
}

fn of_rule(rule: &RuleDecl) -> Option<bool> {
    let [step, start] = parts(&rule.lhs, Op::ReduceSeq)?;
    let parts = parts_of(&rule.rhs, start)?;
    // A start that is unknown is any; what else is unknown is not looked into.
    let known = !matches!(start.kind(), Kind::Hole(_));
    let begin = known.then_some(start);
    let all = [
        step,
        &parts.inject,
        &parts.combine,
        &parts.unit,
        &parts.finish,
    ];
    if !all.into_iter().chain(begin).all(is_closed) {
        return None;
    }
    let proved = |meaning| lift::proves(step, begin, &parts, meaning, Effort::ASKED).is_some();
    if proved(Meaning::Machine) {
        return Some(true);
    }
    // What holds over reals is used only where a condition asks for the permission that this takes.
    let asked = rule
        .claims()
        .any(|c| c.law.regroups && c.operands == [parts.combine.clone()]);
    let permitted = asked && !operator::proves(&parts.combine, Meaning::Machine, Law::Associative);
    Some(permitted && proved(Meaning::Reals))
}

/// The arguments of an operation that are all it takes.
pub(super) fn parts<const N: usize>(t: &Term, op: Op) -> Option<[&Term; N]> {
    let (p, args) = t.as_prim_app()?;
    (p.op() == op).then_some(())?;
    args.try_into().ok()
}

fn parts_of(right: &Term, start: &Term) -> Option<Parts> {
    let Kind::Lam(_, body) = right.kind() else {
        return None;
    };
    let [summary, finish] = parts(body, Op::Let)?;
    let [combine, unit, summaries] = parts(summary, Op::Reduce)?;
    let [inject, xs] = parts(summaries, Op::Map)?;
    let (Kind::Var(0), Kind::Lam(hint, then)) = (xs.kind(), finish.kind()) else {
        return None;
    };
    let [begin, last] = parts(then, Op::Let)?;
    (begin == start).then_some(())?;
    let finish = Term::lam(*hint, summary.ty(), last.clone());
    // Of the list nothing else is read.
    let outside = |t: &Term| (!t.mentions(0)).then(|| t.shift(-1));
    Some(Parts {
        inject: outside(inject)?,
        combine: outside(combine)?,
        unit: outside(unit)?,
        finish: outside(&finish)?,
        summary: summary.ty(),
    })
}

/// Whether it mentions neither variables nor pattern variables.
pub(super) fn is_closed(t: &Term) -> bool {
    let mut holes = false;
    t.visit(&mut |t, _| holes |= matches!(t.kind(), Kind::Hole(_)));
    t.open() == 0 && !holes
}
