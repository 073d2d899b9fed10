//! Rules: both sides typed, side conditions resolved.
//!
//! In: a rule's tree. Out: a `RuleDecl`, or what is wrong with it. The left side is typed freely; what it leaves
//! unknown stands for any type or size, and is rigid from then on. So a rule that has a declaration keeps
//! types whatever it is applied to. Names: what is neither bound nor a primitive is a pattern variable on the
//! left, and an error on the right; lower-case names in types are unknown types and sizes.
//!
//! Absent: scopes of pattern variables (`rule` derives not-free conditions from the hints of lambdas).

use super::infer::{Infer, Names, RuleNames};
use super::output::{Cond, HoleDecl, Rel, RuleDecl};
use super::pre::Pre;
use super::report::Reason;
use super::scheme::nat_unknowns;
use super::unify::SiteId;
use crate::arith::{AtomKind, Nat};
use crate::diag::{code, Diagnostic};
use crate::intern::Symbol;
use crate::source::Span;
use crate::syntax::tree::{BinOp, Condition, ConditionKind, Expr, ExprKind, Name, Rule};
use crate::term::{Class, Op, Term};
use crate::ty::{Ty, TyKind};
use std::collections::BTreeMap;

/// The words of side conditions, with how many arguments they take.
const PROPERTIES: [(&str, usize); 5] = [
    ("associative", 1),
    ("commutative", 1),
    ("flat", 1),
    ("identity", 2),
    ("accumulates", 2),
];

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

    // What conditions compute is there before the right side uses it.
    let mut conds = Vec::new();
    for c in &tree.conditions {
        if let ConditionKind::Vectorizable {
            function,
            result,
            lanes,
            keyword,
        } = &c.kind
        {
            conds.extend(vectorizable(infer, keyword, function, result, lanes));
        }
    }
    let reason = Reason::at(tree.left.span, "the left side");
    let right = infer.check(&tree.right, ty, &reason);
    for c in &tree.conditions {
        conds.extend(condition(infer, c));
    }
    let data = std::mem::take(&mut rule_names(infer).data);
    for (ty, span) in data {
        infer.require(ty, Class::Data, span, "`data`");
        conds.push(Cond::Data(ty));
    }
    if !infer.conclude() {
        return None;
    }
    for c in &mut conds {
        if let Cond::Data(ty) | Cond::Flat(ty) = c {
            *ty = infer.u.ty(*ty);
        }
    }
    // What a type says by itself needs no test.
    conds.retain(|c| match c {
        Cond::Data(t) => super::unify::belongs(*t, Class::Data).is_none(),
        Cond::Flat(t) => super::unify::belongs(*t, Class::Flat) != Some(true),
        _ => true,
    });
    let mut number = Numbering::new(size_params.len() as u32);
    let left = finish(infer, &left)?;
    let right = finish(infer, &right)?;
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
        lhs: number.renumber(&left),
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

/// Reports a pattern variable that must be a misspelt primitive; at the root of an application any is.
fn slip(infer: &mut Infer, name: &str, span: Span, any: bool) {
    let known = || Op::ALL.iter().map(|op| op.name());
    let is_hole = rule_names(infer).holes.iter().any(|h| h.0 == name);
    let near = name.len() >= 4 && !crate::diag::near(name, known()).is_empty();
    if is_hole && (any || near) {
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
        Some(super::report::Origin::Unknown { span, what }) => (*span, what.clone()),
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

fn vectorizable(
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

fn condition(infer: &mut Infer, c: &Condition) -> Option<Cond> {
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
                 `identity e op`, `accumulates op by`, `flat e`, `vectorizable f as fv [k]`",
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
        // An operator of a condition is used at whatever type the rule matches.
        if let ExprKind::Section(_) = e.bare().kind {
            let op = pre_op(&pre)?;
            terms.push(Term::prim(op.into(), ty));
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

/// What is asked of every unknown type, beyond what the left side says of it already.
fn classes(
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
        // One class per unknown; flatness has a condition of its own.
        if asked.len() > 1 {
            asked.retain(|a| *a != Class::Flat);
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
        (TyKind::Vec(_, e), Class::Number | Class::Float | Class::Element) => add(e, class, to),
        _ => {}
    }
}

fn implies(a: Class, b: Class) -> bool {
    use Class::*;
    a == b
        || matches!(
            (a, b),
            (_, Data) | (Float, Number | Element) | (Number, Element)
        )
}

struct Bound {
    tys: usize,
    nats: usize,
}

/// Unknowns in order of first occurrence; the explicit size parameters come first.
struct Numbering {
    tys: Vec<u32>,
    nats: Vec<u32>,
}

impl Numbering {
    fn new(params: u32) -> Numbering {
        Numbering {
            tys: Vec::new(),
            nats: (0..params).collect(),
        }
    }

    fn term(&mut self, t: &Term) {
        let mut types = Vec::new();
        let mut sizes = Vec::new();
        t.visit(&mut |t, _| {
            types.push(t.ty());
            match t.kind() {
                crate::term::Kind::Prim(p) => sizes.extend(p.sizes()),
                crate::term::Kind::Lit(crate::term::Lit::Size(n)) => sizes.push(*n),
                _ => {}
            }
        });
        types.into_iter().for_each(|t| self.see_ty(t));
        sizes.into_iter().for_each(|n| self.see_nat(n));
    }

    fn cond(&mut self, c: &Cond) {
        match c {
            Cond::NotFree { .. } => {}
            Cond::Divides(a, b) | Cond::Compare(a, _, b) => {
                self.see_nat(*a);
                self.see_nat(*b);
            }
            // What the operands are matched with has types of its own.
            Cond::Associative(_) | Cond::Commutative(_) => {}
            Cond::Identity(..) | Cond::Accumulates(..) => {}
            Cond::Vectorizable { lanes, .. } => self.see_nat(*lanes),
            Cond::Data(t) | Cond::Flat(t) => self.see_ty(*t),
        }
    }

    fn see_ty(&mut self, t: Ty) {
        match t.kind() {
            TyKind::Scalar(_) => {}
            TyKind::Idx(n) => self.see_nat(n),
            TyKind::Pair(a, b) | TyKind::Fun(a, b) => {
                self.see_ty(a);
                self.see_ty(b);
            }
            TyKind::Vec(n, t) | TyKind::Array(n, t) => {
                self.see_nat(n);
                self.see_ty(t);
            }
            TyKind::Meta(n) => {
                if !self.tys.contains(&n) {
                    self.tys.push(n);
                }
            }
        }
    }

    fn see_nat(&mut self, n: Nat) {
        let mut found = Vec::new();
        nat_unknowns(n, &mut found);
        for m in found {
            if !self.nats.contains(&m) {
                self.nats.push(m);
            }
        }
    }

    fn nat(&self, n: Nat) -> Nat {
        n.map_atoms(&mut |a| match a.kind() {
            AtomKind::Meta(m) => {
                let i = self.nats.iter().position(|x| *x == m)?;
                Some(Nat::meta(i as u32))
            }
            _ => None,
        })
    }

    fn ty(&self, t: Ty) -> Ty {
        let sized = t.map_nats(&mut |n| self.nat(n));
        sized.subst(
            &mut |m| {
                let i = self.tys.iter().position(|x| *x == m)?;
                Some(Ty::meta(i as u32))
            },
            &mut |_| None,
        )
    }

    fn renumber(&self, t: &Term) -> Term {
        t.map_types(&mut |t| self.ty(t), &mut |n| self.nat(n))
    }

    fn renumber_cond(&self, c: &Cond) -> Cond {
        match c {
            Cond::NotFree { .. } => c.clone(),
            Cond::Divides(a, b) => Cond::Divides(self.nat(*a), self.nat(*b)),
            Cond::Compare(a, r, b) => Cond::Compare(self.nat(*a), *r, self.nat(*b)),
            Cond::Associative(op) => Cond::Associative(self.renumber(op)),
            Cond::Commutative(op) => Cond::Commutative(self.renumber(op)),
            Cond::Identity(e, op) => Cond::Identity(self.renumber(e), self.renumber(op)),
            Cond::Accumulates(op, by) => Cond::Accumulates(self.renumber(op), self.renumber(by)),
            Cond::Vectorizable { f, fv, lanes } => Cond::Vectorizable {
                f: *f,
                fv: *fv,
                lanes: self.nat(*lanes),
            },
            Cond::Data(t) => Cond::Data(self.ty(*t)),
            Cond::Flat(t) => Cond::Flat(self.ty(*t)),
        }
    }
}
