//! Inference: expressions to `Pre` terms, with types from unification.
//!
//! In: an expression and what names mean around it. Out: a `Pre`, and everything wrong with it. Types flow inwards
//! where they are known (from an annotation, or from the left of `|>`), so that errors appear where they are made.
//! Tuple patterns become projections, so no redex is made that was not written.

mod apply;
mod elsewhere;
mod instantiate;
mod names;

pub use names::define_above;
mod pattern;

use apply::Args;
use pattern::{hint, Local};

use super::pre::{Number, Pre};
use super::reason::{Origin, Reason, CHAINED, MOVED};
use super::scheme::Scheme;
use super::unify::{SiteId, Unifier};
use crate::arith::Nat;
use crate::diag::{code, Diagnostic};
use crate::source::Span;
use crate::syntax::number::{self, Value};
use crate::syntax::tree::{BinOp, Expr, ExprKind, Pat};
use crate::term::{Class, Op};
use crate::ty::{Scalar, Ty};
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
    /// What `cast` and `bitcast` are between, and the place.
    pub conversions: Vec<(Op, Ty, Ty, Span)>,
    /// Sizes of primitives that were inferred; none may be negative.
    pub inferred: Vec<(Nat, Op, Span)>,
    /// Nodes put in from definitions.
    pub nodes: usize,
    locals: Vec<Local>,
    depth: u32,
}

/// Definitions may not grow a program beyond this.
pub const MAX_NODES: usize = 50_000;

impl<'a> Infer<'a> {
    pub fn new(names: Names<'a>) -> Infer<'a> {
        Infer {
            u: Unifier::default(),
            names,
            origins: Vec::new(),
            diagnostics: Vec::new(),
            requirements: Vec::new(),
            literals: Vec::new(),
            conversions: Vec::new(),
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
            ExprKind::Tuple(parts) => self.tuple(parts, e.span),
            ExprKind::Neg(inner) => match &inner.bare().kind {
                ExprKind::Number(text) => self.literal(text, true, e.span),
                _ => {
                    let (x, t) = self.value(inner);
                    self.require(t, Class::Number, e.span, "`-`");
                    (Pre::app(prim(Op::Neg, Ty::fun(t, t), e.span), x), t)
                }
            },
            ExprKind::Binary(op, l, r) if op.is_function() => self.operator(*op, l, r, e.span),
            ExprKind::Binary(BinOp::Compose, f, g) => self.composition(f, g),
            ExprKind::If(parts) => self.choice(e, &parts[..], None),
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
            ExprKind::Binary(BinOp::AndAlso, l, r) => self.logic(Op::And, "&&", &[l, r], e.span),
            ExprKind::Binary(BinOp::OrElse, l, r) => self.logic(Op::Or, "||", &[l, r], e.span),
            ExprKind::Not(x) => self.logic(Op::Not, "!", &[x], e.span),
            ExprKind::Binary(BinOp::Arrow, from, _) if is_word_of_function(from) => {
                self.not_a_value(e, "a function is written `\\x -> e`")
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

    /// Pairs from the right.
    fn tuple(&mut self, parts: &[Expr], span: Span) -> (Pre, Ty) {
        let mut values: Vec<(Pre, Ty)> = parts.iter().map(|p| self.value(p)).collect();
        let last = values.pop().expect("a tuple has parts");
        values.into_iter().rev().fold(last, |(y, t), (x, s)| {
            let ty = Ty::pair(s, t);
            if self.u.is_huge(ty) {
                self.report(super::reason::too_large_type(span));
                return (Pre::Error, self.unknown_type(span));
            }
            self.require(s, Class::Data, span, "a component of a pair");
            self.require(t, Class::Data, span, "a component of a pair");
            let pair = prim(Op::Pair, Ty::funs([s, t], ty), span);
            (Pre::app(Pre::app(pair, x), y), ty)
        })
    }

    /// `f >> g`
    fn composition(&mut self, f: &Expr, g: &Expr) -> (Pre, Ty) {
        let (a, b) = (self.unknown_type(f.span), self.unknown_type(f.span));
        let c = self.unknown_type(g.span);
        let reason = Reason::new(CHAINED);
        let number = |e: &Expr| matches!(e.bare().kind, ExprKind::Number(_));
        if number(f) || number(g) {
            let span = f.span.to(g.span);
            let diagnostic =
                Diagnostic::new(code::TYPE_MISMATCH, "`>>` chains functions, not numbers");
            self.report(diagnostic.at(span).help(MOVED));
            return (Pre::Error, self.unknown_type(span));
        }
        self.depth += 1;
        let f = self.check(f, Ty::fun(a, b), &reason);
        let g = self.check(g, Ty::fun(b, c), &reason);
        self.depth -= 1;
        let body = Pre::app(g, Pre::app(f, Pre::Var(0, a)));
        (Pre::Lam(None, a, Rc::new(body)), Ty::fun(a, c))
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
            ExprKind::If(parts) => self.choice(e, &parts[..], Some((want, reason))).0,
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

pub fn prim(op: Op, ty: Ty, span: Span) -> Pre {
    Pre::Prim(op, SmallVec::new(), ty, span)
}

/// Whether it is `fun x`, as functions begin elsewhere.
fn is_word_of_function(e: &Expr) -> bool {
    let ExprKind::App(f, _) = &e.bare().kind else {
        return false;
    };
    let words = ["fun", "fn", "lambda", "function"];
    matches!(&f.kind, ExprKind::Name(n) if words.contains(&&**n))
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
        BinOp::Arrow | BinOp::Or | BinOp::And | BinOp::Pipe | BinOp::Compose | BinOp::OrElse => {
            Op::Or
        }
        BinOp::AndAlso => Op::And,
    }
}
