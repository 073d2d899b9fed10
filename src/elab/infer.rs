//! Inference: expressions to `Pre` terms, with types from unification.
//!
//! In: an expression and what names mean around it. Out: a `Pre`, and everything wrong with it. Types flow inwards
//! where they are known (from an annotation, or from the left of `|>`), so that errors appear where they are made.
//! Tuple patterns become projections, so no redex is made that was not written.

use super::pre::{Number, Pre};
use super::report::{Origin, Reason};
use super::scheme::Scheme;
use super::unify::{SiteId, Unifier};
use crate::arith::Nat;
use crate::diag::{code, Diagnostic};
use crate::intern::Symbol;
use crate::source::Span;
use crate::syntax::number::{self, Value};
use crate::syntax::tree::{BinOp, Expr, ExprKind, Pat, PatKind};
use crate::term::{Class, Op};
use crate::ty::{Scalar, Ty, TyKind};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What names mean that no binder of the expression binds.
#[derive(Default)]
pub struct Names<'a> {
    pub sizes: BTreeMap<String, Nat>,
    pub types: BTreeMap<String, Ty>,
    /// `None` for a definition with errors of its own.
    pub defs: Option<&'a BTreeMap<String, Option<Rc<Scheme>>>>,
    pub rule: Option<RuleNames>,
}

/// The names of a rule: what is not known on the left is a pattern variable or an unknown.
#[derive(Default)]
pub struct RuleNames {
    pub on_left: bool,
    pub holes: Vec<(String, Ty, Span)>,
    /// Every variable that a function of the left side binds.
    pub left_binders: Vec<(String, Span)>,
    /// `(e : data)`
    pub data: Vec<(Ty, Span)>,
}

pub struct Local {
    pub name: String,
    level: u32,
    root: Ty,
    /// Projections from the variable: each with its function type.
    path: Vec<(Op, Ty)>,
    ty: Ty,
}

pub struct Requirement {
    pub ty: Ty,
    pub class: Class,
    pub span: Span,
    pub what: String,
}

pub struct Infer<'a> {
    pub u: Unifier,
    pub names: Names<'a>,
    pub origins: Vec<Origin>,
    pub diagnostics: Vec<Diagnostic>,
    pub requirements: Vec<Requirement>,
    /// Literals: type, default, place.
    pub literals: Vec<(Ty, Scalar, Span)>,
    /// Sizes of primitives that were inferred; none may be negative.
    pub inferred: Vec<(Nat, Op, Span)>,
    /// Nodes put in from definitions.
    pub nodes: usize,
    locals: Vec<Local>,
    depth: u32,
}

/// Definitions may not grow a program beyond this.
pub const MAX_NODES: usize = 1_000_000;

impl<'a> Infer<'a> {
    pub fn new(names: Names<'a>) -> Infer<'a> {
        Infer {
            u: Unifier::default(),
            names,
            origins: Vec::new(),
            diagnostics: Vec::new(),
            requirements: Vec::new(),
            literals: Vec::new(),
            inferred: Vec::new(),
            nodes: 0,
            locals: Vec::new(),
            depth: 0,
        }
    }

    pub fn report(&mut self, d: Diagnostic) {
        self.diagnostics.push(d);
    }

    pub fn origin(&mut self, span: Span, what: impl Into<String>) -> SiteId {
        self.origins.push(Origin::Unknown {
            span,
            what: what.into(),
        });
        SiteId(self.origins.len() as u32 - 1)
    }

    pub fn unknown_size(&mut self, span: Span) -> Nat {
        let site = self.origin(span, "a size");
        self.u.fresh_nat(site)
    }

    pub fn unknown_type(&mut self, span: Span) -> Ty {
        let site = self.origin(span, "the type");
        self.u.fresh_ty(site)
    }

    pub fn require(&mut self, ty: Ty, class: Class, span: Span, what: impl Into<String>) {
        self.requirements.push(Requirement {
            ty,
            class,
            span,
            what: what.into(),
        });
    }

    /// Requires `found` at `span` to be `want`, for the reason.
    pub fn unify(&mut self, want: Ty, found: Ty, span: Span, reason: &Reason) {
        self.origins.push(Origin::Equation {
            span,
            want,
            found,
            reason: reason.clone(),
        });
        let site = SiteId(self.origins.len() as u32 - 1);
        self.u.unify(want, found, site);
    }

    pub fn size_name(&mut self, name: &str, span: Span) -> Nat {
        if let Some(n) = self.names.sizes.get(name) {
            return *n;
        }
        if self.names.rule.is_some() {
            if self.names.types.contains_key(name) {
                self.report(
                    Diagnostic::new(
                        code::NOT_A_SIZE,
                        format!("`{name}` is a type elsewhere in this rule"),
                    )
                    .label(span, "used as a size here")
                    .help("give the size a name of its own"),
                );
            }
            let site = self.origin(span, format!("the size `{name}`"));
            let n = self.u.fresh_nat(site);
            self.names.sizes.insert(name.to_string(), n);
            return n;
        }
        let known: Vec<&str> = self.names.sizes.keys().map(|s| &**s).collect();
        let otherwise = match known.is_empty() {
            true => format!("declare it: `[{name} : nat]`"),
            false => format!("known sizes: {}", known.join(", ")),
        };
        let d = Diagnostic::new(code::UNKNOWN_SIZE, format!("there is no size `{name}`"))
            .label(span, "not known")
            .help_near(name, known, otherwise);
        self.report(d);
        let n = self.unknown_size(span);
        self.names.sizes.insert(name.to_string(), n);
        n
    }

    pub fn type_name(&mut self, name: &str, span: Span) -> Ty {
        if let Some(t) = self.names.types.get(name) {
            return *t;
        }
        if self.names.rule.is_some() && !self.names.sizes.contains_key(name) {
            let site = self.origin(span, format!("the type `{name}`"));
            let t = self.u.fresh_ty(site);
            self.names.types.insert(name.to_string(), t);
            return t;
        }
        let d = match self.names.sizes.contains_key(name) {
            true => Diagnostic::new(
                code::NOT_A_TYPE,
                format!("`{name}` is a size, and a type is needed here"),
            )
            .label(span, "a size")
            .help(format!(
                "an array type ends in the type of its elements: `{name}.f32`"
            )),
            false => Diagnostic::new(code::UNKNOWN_TYPE, format!("there is no type `{name}`"))
                .label(span, "not known")
                .help_near(
                    name,
                    Scalar::ALL.iter().map(|s| s.name()),
                    "types: `f32`, `n.t`, `(s, t)`, `<n>t`, `idx[n]`, `s -> t`",
                ),
        };
        self.report(d);
        self.unknown_type(span)
    }

    /// The term and its type.
    pub fn value(&mut self, e: &Expr) -> (Pre, Ty) {
        match &e.kind {
            ExprKind::Paren(inner) => self.value(inner),
            ExprKind::Name(_) | ExprKind::Sizes(..) | ExprKind::Section(_) => self.head(e),
            ExprKind::Number(text) => self.literal(text, false, e.span),
            ExprKind::App(f, args) => {
                let (head, ty) = self.value(f);
                self.apply(head, ty, f, Args::new(args), None)
            }
            ExprKind::Binary(BinOp::Pipe, l, r) => self.pipe(l, r, None),
            ExprKind::Annot(inner, t) => {
                if let (Some(_), ExprKind::Name(kind)) = (&self.names.rule, &t.kind) {
                    if kind == "data" {
                        let (pre, ty) = self.value(inner);
                        let rule = self.names.rule.as_mut().expect("a rule");
                        rule.data.push((ty, t.span));
                        return (pre, ty);
                    }
                }
                let ty = self.ty(t);
                let reason = Reason::at(t.span, "the annotation");
                (self.check(inner, ty, &reason), ty)
            }
            ExprKind::Tuple(parts) => {
                let mut values: Vec<(Pre, Ty)> = parts.iter().map(|p| self.value(p)).collect();
                let last = values.pop().expect("a tuple has parts");
                values.into_iter().rev().fold(last, |(y, t), (x, s)| {
                    let ty = Ty::pair(s, t);
                    self.require(s, Class::Data, e.span, "a component of a pair");
                    self.require(t, Class::Data, e.span, "a component of a pair");
                    let pair = prim(Op::Pair, Ty::funs([s, t], ty), e.span);
                    (Pre::app(Pre::app(pair, x), y), ty)
                })
            }
            ExprKind::Neg(inner) => match &inner.bare().kind {
                ExprKind::Number(text) => self.literal(text, true, e.span),
                _ => {
                    let (x, t) = self.value(inner);
                    self.require(t, Class::Number, e.span, "`-`");
                    (Pre::app(prim(Op::Neg, Ty::fun(t, t), e.span), x), t)
                }
            },
            ExprKind::Binary(op, l, r) if op.is_function() => self.operator(*op, l, r, e.span),
            ExprKind::Binary(BinOp::Compose, f, g) => {
                let (a, b) = (self.unknown_type(f.span), self.unknown_type(f.span));
                let c = self.unknown_type(g.span);
                let reason = Reason::new("what `>>` chains");
                self.depth += 1;
                let f = self.check(f, Ty::fun(a, b), &reason);
                let g = self.check(g, Ty::fun(b, c), &reason);
                self.depth -= 1;
                let body = Pre::app(g, Pre::app(f, Pre::Var(0, a)));
                (Pre::Lam(None, a, Rc::new(body)), Ty::fun(a, c))
            }
            ExprKind::Lam(..) | ExprKind::Let(..) => {
                let ty = self.unknown_type(e.span);
                let reason = Reason::new("nothing");
                (self.check(e, ty, &reason), ty)
            }
            ExprKind::Hole => {
                let ty = self.unknown_type(e.span);
                self.origins.push(Origin::Hole { span: e.span, ty });
                (Pre::Error, ty)
            }
            ExprKind::Error => (Pre::Error, self.unknown_type(e.span)),
            ExprKind::Any | ExprKind::Under(_) => {
                self.not_a_value(e, "`?` and nameless functions stand in sketches")
            }
            ExprKind::Binary(..)
            | ExprKind::Array(..)
            | ExprKind::Vector(..)
            | ExprKind::SizeFun(..) => self.not_a_value(
                e,
                "this is the notation of a type; annotate a value with `(e : t)`",
            ),
        }
    }

    fn not_a_value(&mut self, e: &Expr, help: &str) -> (Pre, Ty) {
        self.report(
            Diagnostic::new(code::NOT_A_VALUE, "a value is needed here")
                .label(e.span, "not a value")
                .help(help),
        );
        (Pre::Error, self.unknown_type(e.span))
    }

    /// The term, which has to be of type `want`.
    pub fn check(&mut self, e: &Expr, want: Ty, reason: &Reason) -> Pre {
        match &e.kind {
            ExprKind::Paren(inner) => self.check(inner, want, reason),
            ExprKind::Lam(patterns, body) => self.lambda(patterns, body, want, e.span, reason),
            ExprKind::Let(p, value, body) => {
                let (value, s) = self.value(value);
                let mark = self.enter(p, s);
                let body = self.check(body, want, reason);
                self.leave(mark);
                Pre::Let(Rc::new(value), hint(p), s, Rc::new(body), want)
            }
            ExprKind::App(f, args) => {
                let (head, ty) = self.value(f);
                self.apply(head, ty, f, Args::new(args), Some((want, reason)))
                    .0
            }
            ExprKind::Binary(BinOp::Pipe, l, r) => self.pipe(l, r, Some((want, reason))).0,
            _ => {
                let (pre, found) = self.value(e);
                self.unify(want, found, e.span, reason);
                pre
            }
        }
    }

    fn lambda(
        &mut self,
        patterns: &[Pat],
        body: &Expr,
        want: Ty,
        span: Span,
        reason: &Reason,
    ) -> Pre {
        let Some((p, rest)) = patterns.split_first() else {
            return self.check(body, want, reason);
        };
        let (s, t) = match self.u.head(want).as_fun() {
            Some(parts) => parts,
            None => {
                let (s, t) = (self.unknown_type(p.span), self.unknown_type(body.span));
                self.unify(want, Ty::fun(s, t), span, reason);
                (s, t)
            }
        };
        let mark = self.enter(p, s);
        let body = self.lambda(rest, body, t, span, reason);
        self.leave(mark);
        Pre::Lam(hint(p), s, Rc::new(body))
    }

    /// One more variable, of type `ty`, with the names that the pattern gives to it and its parts.
    fn enter(&mut self, p: &Pat, ty: Ty) -> usize {
        let mark = self.locals.len();
        self.bind(p, ty, ty, Vec::new());
        let new = &self.locals[mark..];
        let twice = new.iter().enumerate().find_map(|(i, l)| {
            new[..i]
                .iter()
                .any(|k| k.name == l.name)
                .then(|| l.name.clone())
        });
        if let Some(name) = twice {
            self.report(
                Diagnostic::new(
                    code::DUPLICATE,
                    format!("`{name}` is bound twice by one pattern"),
                )
                .at(p.span)
                .help("rename one of them"),
            );
        }
        self.depth += 1;
        mark
    }

    /// One more variable, of a definition.
    pub fn enter_param(&mut self, name: &str, ty: Ty) {
        self.locals.push(Local {
            name: name.to_string(),
            level: self.depth,
            root: ty,
            path: Vec::new(),
            ty,
        });
        self.depth += 1;
    }

    fn leave(&mut self, mark: usize) {
        self.depth -= 1;
        self.locals.truncate(mark);
    }

    fn bind(&mut self, p: &Pat, root: Ty, ty: Ty, path: Vec<(Op, Ty)>) {
        match &p.kind {
            PatKind::Error | PatKind::Ignore => {}
            PatKind::Paren(inner) => self.bind(inner, root, ty, path),
            PatKind::Annot(inner, t) => {
                let want = self.ty(t);
                let reason = Reason::at(t.span, "the annotation");
                self.unify(want, ty, inner.span, &reason);
                self.bind(inner, root, ty, path);
            }
            PatKind::Name(name) => {
                if let Some(rule) = self.names.rule.as_mut().filter(|r| r.on_left) {
                    rule.left_binders.push((name.clone(), p.span));
                }
                self.locals.push(Local {
                    name: name.clone(),
                    level: self.depth,
                    root,
                    path,
                    ty,
                });
            }
            PatKind::Tuple(parts) => self.bind_tuple(parts, p.span, root, ty, path),
        }
    }

    fn bind_tuple(&mut self, parts: &[Pat], span: Span, root: Ty, ty: Ty, path: Vec<(Op, Ty)>) {
        let [first, rest @ ..] = parts else {
            return;
        };
        if rest.is_empty() {
            return self.bind(first, root, ty, path);
        }
        let (a, b) = match self.u.head(ty).as_pair() {
            Some(parts) => parts,
            None => {
                let (a, b) = (self.unknown_type(first.span), self.unknown_type(span));
                let reason = Reason::new("what the pattern takes apart");
                self.unify(Ty::pair(a, b), ty, span, &reason);
                (a, b)
            }
        };
        let step = |op: Op, part: Ty| {
            let mut path = path.clone();
            path.push((op, Ty::fun(ty, part)));
            path
        };
        self.bind(first, root, a, step(Op::Fst, a));
        self.bind_tuple(rest, span, root, b, step(Op::Snd, b));
    }

    /// A name with its size arguments, or an operator as a function.
    fn head(&mut self, e: &Expr) -> (Pre, Ty) {
        match &e.kind {
            ExprKind::Section(op) => self.primitive(operation(*op), None, e.span),
            ExprKind::Name(name) => self.name(name, None, e.span),
            ExprKind::Sizes(f, sizes) => match &f.bare().kind {
                ExprKind::Name(name) => self.name(name, Some(sizes), e.span),
                _ => {
                    self.report(
                        Diagnostic::new(
                            code::SIZE_ARGUMENTS,
                            "only primitives and definitions take sizes",
                        )
                        .at(e.span)
                        .help("remove the brackets"),
                    );
                    self.value(f)
                }
            },
            _ => self.value(e),
        }
    }

    fn name(&mut self, name: &str, sizes: Option<&[Expr]>, span: Span) -> (Pre, Ty) {
        // A size as a number; a plain parameter needs no brackets.
        if let ("size", Some([e])) = (name, sizes) {
            let n = self.size(e);
            return self.size_literal(n, span);
        }
        if let Some(l) = self.locals.iter().rev().find(|l| l.name == name) {
            let ty = l.ty;
            let mut pre = Pre::Var(self.depth - 1 - l.level, l.root);
            for (op, f) in &l.path {
                pre = Pre::app(prim(*op, *f, span), pre);
            }
            self.no_sizes(name, sizes, span);
            return (pre, ty);
        }
        if let Some(def) = self.names.defs.and_then(|d| d.get(name)) {
            return match def {
                Some(scheme) => self.instantiate(name, &scheme.clone(), sizes, span),
                None => (Pre::Error, self.unknown_type(span)),
            };
        }
        if let Some(n) = self.names.sizes.get(name).copied() {
            self.no_sizes(name, sizes, span);
            return self.size_literal(n, span);
        }
        if let Some(op) = Op::from_name(name) {
            return self.primitive(op, sizes, span);
        }
        if let "true" | "false" = name {
            let ty = Scalar::Bool.into();
            return (Pre::Lit(Number::Bool(name == "true"), ty, span), ty);
        }
        if self.names.rule.is_some() {
            self.no_sizes(name, sizes, span);
            return self.hole(name, span);
        }
        let known: Vec<String> = self.known_names();
        let d = Diagnostic::new(code::UNKNOWN_NAME, format!("there is no `{name}`"))
            .label(span, "not known")
            .help_near(
                name,
                known.iter().map(|s| &**s),
                format!("define it above: `def {name} … = …`"),
            );
        self.report(d);
        (Pre::Error, self.unknown_type(span))
    }

    fn size_literal(&mut self, n: Nat, span: Span) -> (Pre, Ty) {
        let ty = self.unknown_type(span);
        self.literals.push((ty, Scalar::I64, span));
        (Pre::Lit(Number::Size(n), ty, span), ty)
    }

    fn known_names(&self) -> Vec<String> {
        let locals = self.locals.iter().rev().map(|l| l.name.clone());
        let defs = self.names.defs.into_iter().flat_map(|d| d.keys().cloned());
        let sizes = self.names.sizes.keys().cloned();
        let prims = Op::ALL.iter().map(|op| op.name().to_string());
        locals.chain(defs).chain(sizes).chain(prims).collect()
    }

    fn no_sizes(&mut self, name: &str, sizes: Option<&[Expr]>, span: Span) {
        if sizes.is_some() {
            self.report(
                Diagnostic::new(code::SIZE_ARGUMENTS, format!("`{name}` takes no sizes"))
                    .at(span)
                    .help("remove the brackets"),
            );
        }
    }

    /// A pattern variable of a rule.
    fn hole(&mut self, name: &str, span: Span) -> (Pre, Ty) {
        let rule = self.names.rule.as_ref().expect("a rule");
        if let Some(i) = rule.holes.iter().position(|h| h.0 == name) {
            let ty = rule.holes[i].1;
            return (Pre::Hole(i as u32, ty), ty);
        }
        if rule.on_left {
            let site = self.origin(span, format!("the type of `{name}`"));
            let ty = self.u.fresh_ty(site);
            let rule = self.names.rule.as_mut().expect("a rule");
            rule.holes.push((name.to_string(), ty, span));
            return (Pre::Hole(rule.holes.len() as u32 - 1, ty), ty);
        }
        let binder = rule.left_binders.iter().find(|b| b.0 == name);
        let d = match binder {
            Some((_, bound)) => Diagnostic::new(
                code::RULE_SCOPE,
                format!("`{name}` is used outside of the function that binds it"),
            )
            .label(span, "not in scope")
            .also(*bound, "bound here, on the left")
            .help("bind it on the right as well: `\\x -> …`"),
            None => {
                let holes = rule.holes.iter().map(|h| &*h.0);
                let known = holes.chain(Op::ALL.iter().map(|op| op.name()));
                Diagnostic::new(
                    code::RULE_UNBOUND,
                    format!("`{name}` is neither a primitive nor bound by the left side"),
                )
                .label(span, "not bound")
                .help_near(
                    name,
                    known,
                    "the right side may only use what the left side matches",
                )
            }
        };
        self.report(d);
        (Pre::Error, self.unknown_type(span))
    }

    pub fn primitive(&mut self, op: Op, sizes: Option<&[Expr]>, span: Span) -> (Pre, Ty) {
        let least = match op {
            Op::PadCst | Op::PadClamp | Op::At | Op::Drop | Op::Iterate => 0,
            _ => 1,
        };
        let given: SmallVec<[Nat; 2]> = sizes
            .unwrap_or(&[])
            .iter()
            .map(|e| self.size_at_least(e, least))
            .collect();
        let explicit = op.size_args();
        // A primitive without explicit sizes and with one size may be told that one.
        let told = explicit == 0 && given.len() == 1;
        let scheme = op.scheme(&given);
        let fits = (given.len() == explicit || told)
            && scheme.as_ref().is_some_and(|s| !told || s.nats == 1);
        let Some(scheme) = scheme.filter(|_| fits) else {
            self.wrong_sizes(op, given.len(), span);
            return (Pre::Error, self.unknown_type(span));
        };
        let mut nats = given.to_vec();
        for _ in given.len()..scheme.nats as usize {
            let site = self.origin(span, format!("a size of `{}`", op.name()));
            let n = self.u.fresh_nat(site);
            self.inferred.push((n, op, span));
            nats.push(n);
        }
        let mut tys = Vec::new();
        for class in &scheme.tys {
            let site = self.origin(span, format!("the type at which `{}` is used", op.name()));
            let t = self.u.fresh_ty(site);
            self.require(t, *class, span, format!("`{}`", op.name()));
            tys.push(t);
        }
        let ty = scheme.ty.subst(&mut |n| Some(tys[n as usize]), &mut |n| {
            Some(nats[n as usize])
        });
        let sizes = if told { SmallVec::new() } else { given };
        (Pre::Prim(op, sizes, ty, span), ty)
    }

    fn wrong_sizes(&mut self, op: Op, given: usize, span: Span) {
        let name = op.name();
        let (message, help) = match (op.size_args(), given) {
            (k, g) if k == g => (
                format!("`{name}` takes how many values, as a number from 1 to 64"),
                format!("write `{name}[3] x y z`"),
            ),
            (0, _) => (
                format!("`{name}` takes no sizes"),
                "remove the brackets".to_string(),
            ),
            (1, g) => (
                format!("`{name}` takes 1 size, {g} are given"),
                format!("write `{name}[n]`, or `{name}[_]` if it follows from the rest"),
            ),
            (k, g) => (
                format!("`{name}` takes {k} sizes, {g} are given"),
                format!("write `{name}[{}]`", vec!["_"; k].join(", ")),
            ),
        };
        self.report(
            Diagnostic::new(code::SIZE_ARGUMENTS, message)
                .at(span)
                .help(help),
        );
    }

    /// Applies `head`, written as `f`, to the arguments; the result has to be of the wanted type.
    fn apply(
        &mut self,
        head: Pre,
        head_ty: Ty,
        f: &Expr,
        args: Args,
        want: Option<(Ty, &Reason)>,
    ) -> (Pre, Ty) {
        let mut ty = head_ty;
        let mut takes = Vec::new();
        for i in 0..args.len() {
            let (s, t) = match self.u.head(ty).kind() {
                TyKind::Fun(s, t) => (s, t),
                TyKind::Meta(n) if !self.u.ty_is_rigid(n) => {
                    let (s, t) = (self.unknown_type(args.span(i)), self.unknown_type(f.span));
                    self.unify(ty, Ty::fun(s, t), f.span, &Reason::new("what is applied"));
                    (s, t)
                }
                _ => {
                    self.too_many(&head, head_ty, f, &args, i);
                    return (Pre::Error, self.unknown_type(f.span));
                }
            };
            takes.push(s);
            ty = t;
        }
        if let Some((want, reason)) = want {
            self.unify(want, ty, f.span.to(args.whole()), reason);
        }
        let name = describe(f);
        let reason = |i: usize| Reason::new(format!("the {} argument of {name}", ordinal(i)));
        // What was piped in is known already, and says most about the other arguments.
        if let Some((_, found, span)) = &args.piped {
            let i = args.len() - 1;
            self.unify(takes[i], *found, *span, &reason(i));
        }
        let mut pre = head;
        for (i, e) in args.written.iter().enumerate() {
            let x = self.check(e, takes[i], &reason(i));
            pre = Pre::app(pre, x);
        }
        if let Some((x, ..)) = args.piped {
            pre = Pre::app(pre, x);
        }
        (pre, ty)
    }

    fn too_many(&mut self, head: &Pre, head_ty: Ty, f: &Expr, args: &Args, takes: usize) {
        // Mistakes inside the arguments are worth knowing as well.
        for e in args.written {
            self.value(e);
        }
        if matches!(head, Pre::Error) {
            return;
        }
        let name = describe(f);
        let message = match takes {
            0 => format!("{name} is not a function"),
            1 => format!("{name} takes 1 argument, {} are given", args.len()),
            n => format!("{name} takes {n} arguments, {} are given", args.len()),
        };
        let ty = self.show(self.u.ty(head_ty));
        self.report(
            Diagnostic::new(code::TOO_MANY_ARGUMENTS, message)
                .label(args.span(takes), "one argument too many")
                .also(f.span, format!("this has type `{ty}`"))
                .help("remove the argument, or put parentheses around an argument that is an application"),
        );
    }

    fn pipe(&mut self, l: &Expr, r: &Expr, want: Option<(Ty, &Reason)>) -> (Pre, Ty) {
        let (x, s) = self.value(l);
        let r = r.bare();
        let no_args: &[Expr] = &[];
        let (f, written) = match &r.kind {
            ExprKind::App(f, args) => (&**f, &args[..]),
            ExprKind::Lam(..) | ExprKind::Let(..) => {
                let (t, reason) = match want {
                    Some((t, reason)) => (t, reason.clone()),
                    None => (self.unknown_type(r.span), Reason::new("nothing")),
                };
                let f = self.check(r, Ty::fun(s, t), &reason);
                return (Pre::app(f, x), t);
            }
            _ => (r, no_args),
        };
        let (head, ty) = self.value(f);
        let args = Args {
            written,
            piped: Some((x, s, l.span)),
        };
        self.apply(head, ty, f, args, want)
    }

    fn operator(&mut self, op: BinOp, l: &Expr, r: &Expr, span: Span) -> (Pre, Ty) {
        let (x, s) = self.value(l);
        let reason = Reason::at(
            l.span,
            format!("both sides of `{}` have one type, and the left", op.text()),
        );
        let y = self.check(r, s, &reason);
        let class = match op.is_comparison() {
            true => Class::Element,
            false => Class::Number,
        };
        self.require(s, class, span, format!("`{}`", op.text()));
        let result = match op.is_comparison() {
            true => Scalar::Bool.into(),
            false => s,
        };
        let f = prim(operation(op), Ty::funs([s, s], result), span);
        (Pre::app(Pre::app(f, x), y), result)
    }

    fn literal(&mut self, text: &str, negative: bool, span: Span) -> (Pre, Ty) {
        let Ok(literal) = number::parse(text) else {
            return (Pre::Error, self.unknown_type(span));
        };
        let (number, default) = match literal.value {
            Value::Int(i) if negative => (Number::Int(-i128::from(i)), Scalar::I32),
            Value::Int(i) => (Number::Int(i128::from(i)), Scalar::I32),
            Value::Float(x) if negative => (Number::Float(-x), Scalar::F32),
            Value::Float(x) => (Number::Float(x), Scalar::F32),
        };
        let suffix = literal.suffix.and_then(Scalar::from_name);
        let ty = match suffix {
            Some(s) => s.into(),
            None => {
                let ty = self.unknown_type(span);
                self.literals.push((ty, default, span));
                ty
            }
        };
        (Pre::Lit(number, ty, span), ty)
    }
}

/// The arguments of an application; the last may have been piped in, and is known.
struct Args<'e> {
    written: &'e [Expr],
    piped: Option<(Pre, Ty, Span)>,
}

impl<'e> Args<'e> {
    fn new(written: &'e [Expr]) -> Args<'e> {
        Args {
            written,
            piped: None,
        }
    }

    fn len(&self) -> usize {
        self.written.len() + usize::from(self.piped.is_some())
    }

    fn span(&self, i: usize) -> Span {
        match (self.written.get(i), &self.piped) {
            (Some(e), _) => e.span,
            (None, Some((_, _, span))) => *span,
            (None, None) => Span::default(),
        }
    }

    /// The written arguments, or what was piped in.
    fn whole(&self) -> Span {
        match (self.written, &self.piped) {
            ([.., last], _) => last.span,
            ([], Some((_, _, span))) => *span,
            ([], None) => Span::default(),
        }
    }
}

pub fn prim(op: Op, ty: Ty, span: Span) -> Pre {
    Pre::Prim(op, SmallVec::new(), ty, span)
}

pub fn operation(op: BinOp) -> Op {
    match op {
        BinOp::Add => Op::Add,
        BinOp::Sub => Op::Sub,
        BinOp::Mul => Op::Mul,
        BinOp::Div => Op::Div,
        BinOp::Mod => Op::Mod,
        BinOp::Eq => Op::Eq,
        BinOp::Ne => Op::Ne,
        BinOp::Lt => Op::Lt,
        BinOp::Le => Op::Le,
        BinOp::Gt => Op::Gt,
        BinOp::Ge => Op::Ge,
        // The parser lets no other operator through.
        BinOp::Arrow | BinOp::Or | BinOp::Pipe | BinOp::Compose => Op::Or,
    }
}

fn hint(p: &Pat) -> Option<Symbol> {
    match &p.kind {
        PatKind::Name(name) => Some(Symbol::new(name)),
        PatKind::Paren(p) | PatKind::Annot(p, _) => hint(p),
        _ => None,
    }
}

/// How a message calls the function that is applied.
fn describe(f: &Expr) -> String {
    match &f.bare().kind {
        ExprKind::Name(name) => format!("`{name}`"),
        ExprKind::Section(op) => format!("`({})`", op.text()),
        ExprKind::Sizes(f, _) => describe(f),
        _ => "this function".to_string(),
    }
}

fn ordinal(i: usize) -> String {
    match i {
        0 => "first".to_string(),
        1 => "second".to_string(),
        2 => "third".to_string(),
        _ => format!("{}th", i + 1),
    }
}
