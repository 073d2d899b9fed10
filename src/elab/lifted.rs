//! Steps that became operators, as rules.
//!
//! In: the step of a sequential reduction, what it became. Out: the text of the rule that says so. Absent: whether it is true.

use super::term_text;
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::operator::lift::{self, Lifting, Parts};
use crate::operator::{self, Law, Meaning};
use crate::term::{call, normalize, Kind, Op, Term};
use crate::ty::Ty;

/// The rule that the reduction by a step, from a start if one is told, is the one by what it became; of closed terms.
pub fn lifted_rule(
    step: &Term,
    start: Option<&Term>,
    lifting: &Lifting,
    number: usize,
) -> Option<String> {
    let (state, rest) = step.ty().as_fun()?;
    let element = rest.as_fun()?.0;
    if step.open() > 0 || start.is_some_and(|s| s.open() > 0) {
        return None;
    }
    let any = Symbol::new("e");
    let begin = start.cloned().unwrap_or_else(|| Term::var(0, state));
    let array = Ty::array(Nat::var(Symbol::new("n")), element);
    let text = |t: &Term| term_text(t, &[any]);
    let direct = direct(&lifting.parts, &begin, array);
    let right = direct.or_else(|| lifting.parts.reduction(&begin, array))?;
    let summary = lifting.parts.summary;
    // What holds over reals asks for the permission to take floats for them, also where the operator needs none.
    let exact = operator::proves(&lifting.parts.combine, Meaning::Machine, Law::Associative);
    let permission = match exact && lifting.meaning == Meaning::Reals {
        true => ", associative ((+) : f32 -> f32 -> f32)",
        false => "",
    };
    let (step, begin, combine) = (text(step), text(&begin), text(&lifting.parts.combine));
    Some(format!(
        "-- Proved for lists of every length, by {}.\nrule lifted-{number}\n  (reduceSeq ({step}) ({begin}) : {array} -> {state})\n    =>\n  {}\n  where associative (({combine}) : {summary} -> {summary} -> {summary}){permission}\n\n",
        lifting.family,
        text(&right)
    ))
}

/// `\xs -> reduce combine start (map inject xs)`, of arrays of this type: where a state is a summary itself, to which others are added
/// by a primitive, so that schedules know what begins with it.
fn direct(parts: &Parts, start: &Term, array: Ty) -> Option<Term> {
    let state = start.ty();
    if parts.summary != state {
        return None;
    }
    let primitive = matches!(normalize(&parts.combine).kind(), Kind::Prim(_));
    if !primitive || normalize(&parts.finish) != normalize(&lift::adding(&parts.combine)?) {
        return None;
    }
    let xs = Term::var(0, array);
    let is_element =
        matches!(parts.inject.kind(), Kind::Lam(_, b) if matches!(b.kind(), Kind::Var(0)));
    let summaries = match is_element {
        true => xs,
        false => call(Op::Map, [], [parts.inject.shift(1), xs])?,
    };
    let args = [parts.combine.shift(1), start.shift(1), summaries];
    let result = call(Op::Reduce, [], args)?;
    Some(normalize(&Term::lam(
        Some(Symbol::new("xs")),
        array,
        result,
    )))
}
