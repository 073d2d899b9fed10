//! Rules: both sides typed, side conditions resolved.
//!
//! In: a rule's tree. Out: a `RuleDecl`, or what is wrong with it. The left side is typed freely; what it leaves
//! unknown stands for any type or size, and is rigid from then on. So a rule that has a declaration keeps
//! types whatever it is applied to. Names: what is neither bound nor a primitive is a pattern variable on the
//! left, and an error on the right; lower-case names in types are unknown types and sizes.
//!
//! Absent: scopes of pattern variables (`rule` derives not-free conditions from the hints of lambdas).

mod classes;
mod condition;
mod numbering;

use classes::classes;
use condition::{condition, determined, vectorizable, Stated};
use numbering::Numbering;

use super::infer::{Infer, Names, RuleNames};
use super::output::{Cond, HoleDecl, RuleDecl};
use super::pre::Pre;
use super::reason::Reason;
use super::unify::SiteId;
use crate::diag::{code, Diagnostic};
use crate::intern::Symbol;
use crate::source::Span;
use crate::syntax::tree::{ConditionKind, Expr, ExprKind, Rule};
use crate::term::{named_primitives, Class, Op, Term};
use crate::ty::Ty;

/// The declaration, or nothing if something was reported.
pub fn rule(tree: &Rule, diagnostics: &mut Vec<Diagnostic>) -> Option<RuleDecl> {
    let mut infer = Infer::new(Names {
        rule: Some(RuleNames {
            on_left: true,
            ..RuleNames::default()
        }),
        ..Names::default()
    });
    let decl = declare(&mut infer, tree);
    let place = tree.name.span;
    diagnostics.extend(
        infer
            .diagnostics
            .drain(..)
            .map(|d| d.also(place, "in this rule")),
    );
    decl
}

fn declare(infer: &mut Infer, tree: &Rule) -> Option<RuleDecl> {
    let size_params = size_params(infer, tree);
    let (left, ty) = infer.value(&tree.left);
    root_is_known(infer, &tree.left);
    if !infer.conclude() {
        return None;
    }
    infer.u.make_rigid();
    infer.requirements.clear();
    infer.literals.clear();
    infer.inferred.clear();
    rule_names(infer).on_left = false;
    let left_holes = rule_names(infer).holes.len();

    let (right, conds) = right_side(infer, tree, ty)?;
    let left = finish(infer, &left)?;
    let right = finish(infer, &right)?;
    numbered(infer, tree, size_params, [left, right], conds, left_holes)
}

fn size_params(infer: &mut Infer, tree: &Rule) -> Vec<Symbol> {
    let mut size_params = Vec::new();
    for (name, _) in tree.sizes.iter().flat_map(|s| &s.names) {
        let site = infer.origin(name.span, format!("the size `{}`", name.text));
        let n = infer.u.fresh_nat(site);
        if infer.names.sizes.insert(name.text.clone(), n).is_some() {
            infer.report(
                Diagnostic::new(
                    code::DUPLICATE,
                    format!("`{}` is declared twice", name.text),
                )
                .at(name.span)
                .help("rename one of them"),
            );
        }
        size_params.push(Symbol::new(&name.text));
    }
    infer.u.make_rigid();
    size_params
}

/// The right side at the type of the left one, and the conditions with what is known of their types.
fn right_side(infer: &mut Infer, tree: &Rule, ty: Ty) -> Option<(Pre, Vec<Cond>)> {
    // What conditions compute is there before the right side uses it.
    let mut stated = Vec::new();
    for c in &tree.conditions {
        let computed = match &c.kind {
            ConditionKind::Vectorizable {
                function,
                result,
                lanes,
                keyword,
            } => vectorizable(infer, keyword, function, result, lanes),
            ConditionKind::Determined {
                keyword,
                operator,
                result,
            } => determined(infer, keyword, operator, result),
            _ => None,
        };
        stated.extend(computed.map(Stated::Cond));
    }
    let reason = Reason::at(tree.left.span, "the left side");
    let right = infer.check(&tree.right, ty, &reason);
    for c in &tree.conditions {
        stated.extend(condition(infer, c));
    }
    let data = std::mem::take(&mut rule_names(infer).data);
    for (ty, span) in data {
        infer.require(ty, Class::Data, span, "`data`");
        stated.push(Stated::Cond(Cond::Data(ty)));
    }
    if !infer.conclude() {
        return None;
    }
    let mut conds = Vec::new();
    for c in stated {
        conds.push(c.finish(infer)?);
    }
    for c in &mut conds {
        match c {
            Cond::Data(ty) | Cond::Flat(ty) => *ty = infer.u.ty(*ty),
            Cond::Divides(a, b) | Cond::Compare(a, _, b) => {
                *a = infer.u.nat(*a);
                *b = infer.u.nat(*b);
            }
            Cond::Assume(n) => *n = infer.u.nat(*n),
            Cond::Vectorizable { lanes, .. } => *lanes = infer.u.nat(*lanes),
            _ => {}
        }
    }
    // What a type says by itself needs no test.
    conds.retain(|c| match c {
        Cond::Data(t) => Class::Data.judge(*t).is_none(),
        Cond::Flat(t) => Class::Flat.judge(*t) != Some(true),
        _ => true,
    });
    Some((right, conds))
}

/// The rule with its unknowns in the order in which they occur; nothing if the left side does not bind all of them.
fn numbered(
    infer: &mut Infer,
    tree: &Rule,
    size_params: Vec<Symbol>,
    [left, right]: [Term; 2],
    mut conds: Vec<Cond>,
    left_holes: usize,
) -> Option<RuleDecl> {
    let mut number = Numbering::new(size_params.len() as u32);
    number.term(&left);
    let unknown_types = number.tys.clone();
    let bound = Bound {
        tys: number.tys.len(),
        nats: number.nats.len(),
    };
    number.term(&right);
    for c in &conds {
        number.cond(c);
    }
    let (ty_count, nat_count) = (number.tys.len(), number.nats.len());
    if ty_count > bound.tys || nat_count > bound.nats {
        let ty = number.tys.get(bound.tys).map(|&n| infer.u.ty_site(n));
        let nat = number.nats.get(bound.nats).map(|&n| infer.u.nat_site(n));
        unbound(infer, ty.or(nat), tree.right.span);
        return None;
    }
    let (classes, flats) = classes(infer, &left, &conds, &unknown_types);
    conds.extend(flats.into_iter().map(Cond::Flat));
    let holes = rule_names(infer).holes.clone();
    let holes = holes.iter().enumerate().map(|(i, (name, ty, span))| {
        let ty = number.ty(infer.u.ty(*ty));
        HoleDecl {
            name: Symbol::new(name),
            ty,
            span: *span,
            computed: i >= left_holes,
        }
    });
    Some(RuleDecl {
        name: Symbol::new(&tree.name.text),
        span: tree.name.span,
        size_params,
        nats: nat_count as u32,
        tys: classes,
        holes: holes.collect(),
        // Programs are in normal form.
        lhs: named_primitives(&number.renumber(&left)),
        rhs: number.renumber(&right),
        conds: conds.iter().map(|c| number.renumber_cond(c)).collect(),
    })
}

fn rule_names<'i>(infer: &'i mut Infer) -> &'i mut RuleNames {
    infer.names.rule.as_mut().expect("a rule is being typed")
}

fn finish(infer: &mut Infer, pre: &Pre) -> Option<Term> {
    let mut errors = Vec::new();
    let term = pre.finish(&infer.u, &mut errors);
    infer.diagnostics.extend(errors);
    term
}

/// A left side that starts with something unknown would match everything; a slip of a primitive's
/// name further inside would match nothing, and silently.
fn root_is_known(infer: &mut Infer, left: &Expr) {
    let mut work = vec![(left, true)];
    while let Some((e, root)) = work.pop() {
        match &e.kind {
            ExprKind::Paren(inner) | ExprKind::Annot(inner, _) => work.push((inner, root)),
            ExprKind::Lam(_, body) => work.push((body, false)),
            ExprKind::Name(name) if root => slip(infer, name, e.span, false),
            ExprKind::App(f, args) => {
                work.extend(args.iter().map(|a| (a, false)));
                let f = f.bare();
                let ExprKind::Name(name) = &f.kind else {
                    work.push((f, root));
                    continue;
                };
                slip(infer, name, f.span, root);
            }
            _ => {}
        }
    }
}

/// Reports a pattern variable that must be a misspelt primitive; at the root of an application any is, but for single letters.
fn slip(infer: &mut Infer, name: &str, span: Span, any: bool) {
    let known = || Op::ALL.iter().map(|op| op.name());
    let is_hole = rule_names(infer).holes.iter().any(|h| h.0 == name);
    let near = || name.len() >= 4 && !crate::diag::near(name, known()).is_empty();
    if is_hole && (any && name.len() > 1 || near()) {
        infer.report(
            Diagnostic::new(
                code::UNKNOWN_NAME,
                format!("there is no primitive `{name}`"),
            )
            .label(span, "taken for a pattern variable")
            .help_near(
                name,
                known(),
                "a left side starts with a primitive; rename the pattern variable if it is one",
            ),
        );
    }
}

fn unbound(infer: &mut Infer, site: Option<SiteId>, right: Span) {
    let (span, what) = match site.map(|s| &infer.origins[s.0 as usize]) {
        Some(super::reason::Origin::Unknown { span, what }) => (*span, what.clone()),
        _ => (right, "a type or size".to_string()),
    };
    infer.report(
        Diagnostic::new(
            code::RULE_UNBOUND,
            format!("the left side does not determine {what}"),
        )
        .label(span, "needed here")
        .help(
            "name it in an annotation on the left, make it a size parameter of the rule, or fix it",
        ),
    );
}

struct Bound {
    tys: usize,
    nats: usize,
}
