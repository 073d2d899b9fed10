//! Side conditions, resolved.

use super::super::infer::Infer;
use super::super::output::{Cond, Rel};
use super::super::pre::Pre;
use super::super::report::Reason;
use super::{finish, rule_names};
use crate::arith::Nat;
use crate::diag::{code, Diagnostic};
use crate::intern::Symbol;
use crate::source::Span;
use crate::syntax::tree::{BinOp, Condition, ConditionKind, Expr, ExprKind, Name};
use crate::term::{Class, Op, Term};
use crate::ty::{Ty, TyKind};

/// The words of side conditions, with how many arguments they take.
const PROPERTIES: [(&str, usize); 6] = [
    ("associative", 1),
    ("commutative", 1),
    ("idempotent", 1),
    ("flat", 1),
    ("identity", 2),
    ("accumulates", 2),
];

pub(super) fn vectorizable(
    infer: &mut Infer,
    keyword: &Name,
    function: &Expr,
    result: &Name,
    lanes: &Expr,
) -> Option<Cond> {
    let f = hole_of(infer, function, "vectorizable")?;
    let lanes = infer.size_at_least(lanes, 1);
    let holes = &rule_names(infer).holes;
    if holes.iter().any(|h| h.0 == result.text) {
        infer.report(
            Diagnostic::new(
                code::DUPLICATE,
                format!("`{}` is a pattern variable already", result.text),
            )
            .at(result.span)
            .also(keyword.span, "this condition gives it another meaning")
            .help("rename one of them"),
        );
        return None;
    }
    let ty = holes[f as usize].1;
    let ty = widen(infer.u.ty(ty), lanes, infer, keyword.span);
    let holes = &mut rule_names(infer).holes;
    holes.push((result.text.clone(), ty, result.span));
    let fv = holes.len() as u32 - 1;
    Some(Cond::Vectorizable { f, fv, lanes })
}

/// The type of the vectorised function: lanes at every argument and at the result.
fn widen(t: Ty, lanes: Nat, infer: &mut Infer, span: Span) -> Ty {
    match t.kind() {
        TyKind::Fun(s, t) => {
            let s = widen(s, lanes, infer, span);
            Ty::fun(s, widen(t, lanes, infer, span))
        }
        _ => {
            infer.require(t, Class::Flat, span, "`vectorizable`");
            Ty::vec(lanes, t)
        }
    }
}

/// The pattern variable that an operand of a condition names.
fn hole_of(infer: &mut Infer, e: &Expr, condition: &str) -> Option<u32> {
    let holes = &rule_names(infer).holes;
    let found = match &e.bare().kind {
        ExprKind::Name(name) => holes.iter().position(|h| h.0 == *name),
        _ => None,
    };
    if found.is_none() {
        let names: Vec<String> = holes.iter().map(|h| h.0.clone()).collect();
        let written = match &e.bare().kind {
            ExprKind::Name(name) => name.clone(),
            _ => String::new(),
        };
        infer.report(
            Diagnostic::new(
                code::RULE_CONDITION,
                format!("`{condition}` needs a pattern variable of the left side"),
            )
            .label(e.span, "not one")
            .help_near(
                &written,
                names.iter().map(|s| &**s),
                format!("pattern variables: {}", names.join(", ")),
            ),
        );
    }
    found.map(|i| i as u32)
}

pub(super) fn condition(infer: &mut Infer, c: &Condition) -> Option<Cond> {
    match &c.kind {
        // Dealt with before the right side.
        ConditionKind::Error | ConditionKind::Vectorizable { .. } => None,
        ConditionKind::NotIn(name, e) => {
            let binders = &rule_names(infer).left_binders;
            if !binders.iter().any(|b| b.0 == name.text) {
                let known: Vec<String> = binders.iter().map(|b| b.0.clone()).collect();
                infer.report(
                    Diagnostic::new(
                        code::RULE_CONDITION,
                        format!("`{}` is no variable that the left side binds", name.text),
                    )
                    .label(name.span, "not bound")
                    .help_near(
                        &name.text,
                        known.iter().map(|s| &**s),
                        "name a variable of a function `\\x -> …` on the left",
                    ),
                );
                return None;
            }
            let hole = hole_of(infer, e, "not in")?;
            let var = Symbol::new(&name.text);
            Some(Cond::NotFree { var, hole })
        }
        ConditionKind::Divides(k, n) => {
            let k = infer.size_at_least(k, 1);
            Some(Cond::Divides(k, infer.size(n)))
        }
        ConditionKind::Compare(op, a, b) => {
            let rel = match op {
                BinOp::Eq => Rel::Eq,
                BinOp::Ne => Rel::Ne,
                BinOp::Lt => Rel::Lt,
                BinOp::Le => Rel::Le,
                BinOp::Gt => Rel::Gt,
                _ => Rel::Ge,
            };
            let a = infer.size(a);
            Some(Cond::Compare(a, rel, infer.size(b)))
        }
        ConditionKind::Property(word, args) => property(infer, word, args),
        ConditionKind::Holds(e) => {
            infer.report(
                Diagnostic::new(
                    code::RULE_CONDITION,
                    "only rules over scalars have conditions of this form",
                )
                .at(e.span)
                .help(
                    "separate conditions by commas, or say `domain scalar` at the top of the file",
                ),
            );
            None
        }
    }
}

fn property(infer: &mut Infer, word: &Name, args: &[Expr]) -> Option<Cond> {
    let Some((_, arity)) = PROPERTIES.iter().find(|(w, _)| *w == word.text) else {
        infer.report(
            Diagnostic::new(
                code::RULE_CONDITION,
                format!("there is no side condition `{}`", word.text),
            )
            .label(word.span, "not known")
            .help_near(
                &word.text,
                PROPERTIES.iter().map(|p| p.0).chain(["vectorizable"]),
                "conditions: `x not in e`, `k divides n`, `n != k`, `associative op`, `commutative op`, \
                 `idempotent op`, `identity e op`, `accumulates op by`, `flat e`, `vectorizable f as fv [k]`",
            ),
        );
        return None;
    };
    if args.len() != *arity {
        infer.report(
            Diagnostic::new(
                code::RULE_CONDITION,
                format!(
                    "`{}` takes {arity} argument{}, {} are given",
                    word.text,
                    if *arity == 1 { "" } else { "s" },
                    args.len()
                ),
            )
            .at(word.span)
            .help("put parentheses around an argument that is an application"),
        );
        return None;
    }
    if word.text == "flat" {
        return flat(infer, &args[0]).map(Cond::Flat);
    }
    let mut values = Vec::new();
    for e in args {
        values.push(infer.value(e));
    }
    operand_types(infer, word, args, &values);
    let mut terms = Vec::new();
    for (e, (pre, ty)) in args.iter().zip(values) {
        // What the type has to be like, the left side says.
        if let ExprKind::Section(_) = e.bare().kind {
            let op = pre_op(&pre)?;
            terms.push(Term::prim(op.into(), infer.u.ty(ty)));
            forget(infer, e.span);
            continue;
        }
        terms.push(finish(infer, &pre)?);
    }
    let mut terms = terms.into_iter();
    let first = terms.next()?;
    Some(match &*word.text {
        "associative" => Cond::Associative(first),
        "commutative" => Cond::Commutative(first),
        "idempotent" => Cond::Idempotent(first),
        "identity" => Cond::Identity(first, terms.next()?),
        _ => Cond::Accumulates(first, terms.next()?),
    })
}

/// Operators take two values of one type and give a third, except that `op` of `accumulates op by`
/// may take anything second.
fn operand_types(infer: &mut Infer, word: &Name, args: &[Expr], values: &[(Pre, Ty)]) {
    let reason = Reason::new(format!("what `{}` speaks of", word.text));
    let t = infer.unknown_type(word.span);
    let operator = Ty::funs([t, t], t);
    match &*word.text {
        "identity" => {
            infer.unify(operator, values[1].1, args[1].span, &reason);
            infer.unify(t, values[0].1, args[0].span, &reason);
        }
        "accumulates" => {
            let s = infer.unknown_type(word.span);
            infer.unify(Ty::funs([t, s], t), values[0].1, args[0].span, &reason);
            infer.unify(operator, values[1].1, args[1].span, &reason);
        }
        _ => infer.unify(operator, values[0].1, args[0].span, &reason),
    }
}

fn pre_op(pre: &Pre) -> Option<Op> {
    match pre {
        Pre::Prim(op, ..) => Some(*op),
        _ => None,
    }
}

/// Drops what is asked of the type of the operator written here.
fn forget(infer: &mut Infer, span: Span) {
    infer.requirements.retain(|r| r.span != span);
}

/// The type that `flat e` is about: of the elements if `e` is an array.
fn flat(infer: &mut Infer, e: &Expr) -> Option<Ty> {
    let mut ty = match &e.bare().kind {
        ExprKind::Name(name) if infer.names.types.contains_key(name) => infer.names.types[name],
        _ => {
            let hole = hole_of(infer, e, "flat")?;
            rule_names(infer).holes[hole as usize].1
        }
    };
    ty = infer.u.ty(ty);
    while let Some((_, element)) = ty.as_array() {
        ty = element;
    }
    Some(ty)
}
