//! Side conditions, resolved.

use super::super::infer::Infer;
use super::super::output::{Cond, Rel};
use super::super::pre::Pre;
use super::super::reason::Reason;
use super::{finish, rule_names};
use crate::algebra::{Claim, Form, Law, Operand, LAWS};
use crate::arith::Nat;
use crate::diag::{code, Diagnostic};
use crate::intern::Symbol;
use crate::source::Span;
use crate::syntax::tree::{BinOp, Condition, ConditionKind, Expr, ExprKind, Name};
use crate::term::{Class, Term};
use crate::ty::{Ty, TyKind};

pub(super) fn vectorizable(
    infer: &mut Infer,
    keyword: &Name,
    function: &Expr,
    result: &Name,
    lanes: &Expr,
) -> Option<Cond> {
    let f = hole_of(infer, function, "vectorizable")?;
    let lanes = infer.size_at_least(lanes, 1);
    is_new(infer, keyword, result)?;
    let ty = rule_names(infer).holes[f as usize].1;
    let ty = widen(infer.u.ty(ty), lanes, infer, keyword.span);
    let fv = computed(infer, result, ty);
    Some(Cond::Vectorizable { f, fv, lanes })
}

/// `identity op as e`: the variable of an element that the law determines.
pub(super) fn determined(
    infer: &mut Infer,
    keyword: &Name,
    operator: &Expr,
    result: &Name,
) -> Option<Cond> {
    let law = Law::named(&keyword.text).filter(|l| l.form == Form::Identity);
    let Some(law) = law else {
        infer.report(
            Diagnostic::new(
                code::RULE_CONDITION,
                format!(
                    "`{}` determines nothing that could have a name",
                    keyword.text
                ),
            )
            .at(keyword.span)
            .help("write `identity op as e`"),
        );
        return None;
    };
    let op = hole_of(infer, operator, law.name)?;
    is_new(infer, keyword, result)?;
    let ty = rule_names(infer).holes[op as usize].1;
    let elem = infer.unknown_type(operator.span);
    let reason = Reason::new(format!("what `{}` speaks of", law.name));
    infer.unify(Ty::funs([elem, elem], elem), ty, operator.span, &reason);
    let (elem, ty) = (infer.u.ty(elem), infer.u.ty(ty));
    let e = computed(infer, result, elem);
    let operands = vec![Term::hole(e, elem), Term::hole(op, ty)];
    Some(Cond::Determined {
        claim: Claim { law, operands },
        e,
    })
}

/// No pattern variable has the name of what a condition computes.
fn is_new(infer: &mut Infer, keyword: &Name, result: &Name) -> Option<()> {
    let known = |h: &(String, Ty, Span)| h.0 == result.text;
    if !rule_names(infer).holes.iter().any(known) {
        return Some(());
    }
    infer.report(
        Diagnostic::new(
            code::DUPLICATE,
            format!("`{}` is a pattern variable already", result.text),
        )
        .at(result.span)
        .also(keyword.span, "this condition gives it another meaning")
        .help("rename one of them"),
    );
    None
}

/// The variable of what a condition computes.
fn computed(infer: &mut Infer, result: &Name, ty: Ty) -> u32 {
    let holes = &mut rule_names(infer).holes;
    holes.push((result.text.clone(), ty, result.span));
    holes.len() as u32 - 1
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

/// A condition while types are inferred.
pub(super) enum Stated {
    Cond(Cond),
    /// What it speaks of is a term only when all types are known, and agree.
    Law(&'static Law, Vec<Pre>),
}

impl Stated {
    pub(super) fn finish(self, infer: &mut Infer) -> Option<Cond> {
        match self {
            Stated::Cond(cond) => Some(cond),
            Stated::Law(law, operands) => {
                let operands = operands.iter().map(|pre| finish(infer, pre));
                let operands = operands.collect::<Option<_>>()?;
                Some(Cond::Law(Claim { law, operands }))
            }
        }
    }
}

pub(super) fn condition(infer: &mut Infer, c: &Condition) -> Option<Stated> {
    match &c.kind {
        ConditionKind::Property(word, args) => property(infer, word, args),
        _ => simple(infer, c).map(Stated::Cond),
    }
}

/// A condition on sizes or variables.
fn simple(infer: &mut Infer, c: &Condition) -> Option<Cond> {
    match &c.kind {
        // Dealt with before the right side, or as a law.
        ConditionKind::Error
        | ConditionKind::Vectorizable { .. }
        | ConditionKind::Determined { .. }
        | ConditionKind::Property(..) => None,
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
        ConditionKind::Assume(op, a, b) => {
            let (a, b) = (infer.size(a), infer.size(b));
            let one = Nat::int(1);
            let not_negative = match op {
                BinOp::Le => b - a,
                BinOp::Lt => b - a - one,
                BinOp::Ge => a - b,
                BinOp::Gt => a - b - one,
                _ => {
                    let said = "only an order of sizes can be assumed";
                    infer.report(
                        Diagnostic::new(code::RULE_CONDITION, said)
                            .at(c.span)
                            .help("write `assume n <= k`, or `n == k` without `assume`"),
                    );
                    return None;
                }
            };
            Some(Cond::Assume(not_negative))
        }
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

fn property(infer: &mut Infer, word: &Name, args: &[Expr]) -> Option<Stated> {
    let law = Law::named(&word.text);
    let arity = match &*word.text {
        "flat" => Some(1),
        _ => law.map(|l| l.form.operands().len()),
    };
    let Some(arity) = arity else {
        let laws: Vec<String> = Law::usage().map(|l| format!("`{l}`")).collect();
        infer.report(
            Diagnostic::new(
                code::RULE_CONDITION,
                format!("there is no side condition `{}`", word.text),
            )
            .label(word.span, "not known")
            .help_near(
                &word.text,
                LAWS.iter().map(|l| l.name).chain(["flat", "vectorizable"]),
                format!(
                    "conditions: `x not in e`, `k divides n`, `n != k`, `assume n <= k`, {}, `flat e`, `vectorizable f as fv [k]`",
                    laws.join(", ")
                ),
            ),
        );
        return None;
    };
    if args.len() != arity {
        infer.report(
            Diagnostic::new(
                code::RULE_CONDITION,
                format!(
                    "`{}` takes {arity} argument{}, {} are given",
                    word.text,
                    if arity == 1 { "" } else { "s" },
                    args.len()
                ),
            )
            .at(word.span)
            .help("put parentheses around an argument that is an application"),
        );
        return None;
    }
    let Some(law) = law else {
        return flat(infer, &args[0]).map(|t| Stated::Cond(Cond::Flat(t)));
    };
    let mut values = Vec::new();
    for e in args {
        values.push(infer.value(e));
    }
    operand_types(infer, law, word.span, args, &values);
    for e in args {
        // What the type has to be like, the left side says.
        if let ExprKind::Section(_) = e.bare().kind {
            forget(infer, e.span);
        }
    }
    let operands = values.into_iter().map(|(pre, _)| pre).collect();
    Some(Stated::Law(law, operands))
}

fn operand_types(infer: &mut Infer, law: &Law, at: Span, args: &[Expr], values: &[(Pre, Ty)]) {
    let reason = Reason::new(format!("what `{}` speaks of", law.name));
    let t = infer.unknown_type(at);
    // Operators say what their elements are, whatever order they stand in.
    let is_element = |o: &Operand| *o == Operand::Element;
    let mut operands: Vec<_> = (law.form.operands().iter().map(|o| o.1))
        .zip(args.iter().zip(values))
        .collect();
    operands.sort_by_key(|(o, _)| is_element(o));
    for (operand, (arg, (_, found))) in operands {
        let wanted = match operand {
            Operand::Element => t,
            Operand::Operator => Ty::funs([t, t], t),
            Operand::Step => Ty::funs([t, infer.unknown_type(at)], t),
        };
        infer.unify(wanted, *found, arg.span, &reason);
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
