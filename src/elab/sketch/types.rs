//! Sizes and types in sketches.

use super::super::infer::{Infer, Names};
use super::super::output::TyPattern;
use super::super::size::SIZE_FUNCTIONS;
use super::{Argument, Env, Reader};
use crate::arith::Nat;
use crate::diag::{code, Diagnostic};
use crate::intern::Symbol;
use crate::syntax::tree::{BinOp, Expr, ExprKind};
use crate::ty::Scalar;
use std::rc::Rc;

impl Reader<'_> {
    /// A size; `None` for any.
    pub(super) fn size(&mut self, e: &Expr, env: &Rc<Env>, least: i64) -> Option<Nat> {
        if let ExprKind::Any | ExprKind::Hole = e.bare().kind {
            return None;
        }
        // A parameter alone may stand for any size as well.
        if let ExprKind::Name(name) = &e.bare().kind {
            match env.get(name).cloned() {
                Some(Argument::Given(inner, env)) => return self.size(&inner, &env, least),
                Some(Argument::Unknown | Argument::Variable) => return None,
                None => {}
            }
        }
        let mut sizes = self.sizes.clone();
        for name in names_in(e) {
            match env.get(&name).cloned() {
                Some(Argument::Given(inner, env)) => {
                    sizes.insert(name, self.size(&inner, &env, 0)?);
                }
                Some(Argument::Unknown | Argument::Variable) => return None,
                None if self.open => {
                    sizes
                        .entry(name)
                        .or_insert_with_key(|n| Nat::var(Symbol::new(n)));
                }
                None => {}
            }
        }
        let mut infer = Infer::new(Names {
            sizes,
            ..Names::default()
        });
        let n = infer.size_at_least(e, least);
        let fine = infer.diagnostics.is_empty();
        for mut d in std::mem::take(&mut infer.diagnostics) {
            if let (code::IMPOSSIBLE_SIZE, Some((span, _))) = (d.code, &env.origin) {
                d = d.also(*span, "used here");
            }
            self.report(d);
        }
        // A part of it that may be any size leaves all of it open.
        (fine && !n.has_meta()).then_some(n)
    }

    pub(super) fn ty(&mut self, e: &Expr, env: &Rc<Env>) -> TyPattern {
        let pair = |a: TyPattern, b: TyPattern| TyPattern::Pair(Box::new(a), Box::new(b));
        match &e.kind {
            ExprKind::Any | ExprKind::Hole | ExprKind::Error => TyPattern::Any,
            ExprKind::Paren(inner) => self.ty(inner, env),
            ExprKind::Name(name) => {
                match env.get(name).cloned() {
                    Some(Argument::Given(inner, env)) => return self.ty(&inner, &env),
                    Some(Argument::Unknown | Argument::Variable) => return TyPattern::Any,
                    None => {}
                }
                if name == "scalar" {
                    return TyPattern::AnyScalar;
                }
                match Scalar::from_name(name) {
                    Some(s) => TyPattern::Scalar(s),
                    None => self.not_a_type(e, Some(name)),
                }
            }
            ExprKind::Tuple(parts) => {
                let mut types: Vec<TyPattern> = parts.iter().map(|p| self.ty(p, env)).collect();
                let last = types.pop().unwrap_or(TyPattern::Any);
                types.into_iter().rev().fold(last, |t, s| pair(s, t))
            }
            ExprKind::Array(n, t) => {
                let n = self.size(n, env, 1);
                TyPattern::Array(n, Box::new(self.ty(t, env)))
            }
            ExprKind::Vector(n, t) => {
                let n = self.size(n, env, 1);
                vector(n, self.ty(t, env))
            }
            ExprKind::Binary(BinOp::Arrow, s, t) => {
                let s = self.ty(s, env);
                TyPattern::Fun(Box::new(s), Box::new(self.ty(t, env)))
            }
            ExprKind::Sizes(head, sizes)
                if sizes.len() == 1 && matches!(&head.kind, ExprKind::Name(n) if n == "idx") =>
            {
                TyPattern::Idx(self.size(&sizes[0], env, 1))
            }
            _ => self.not_a_type(e, None),
        }
    }

    pub(super) fn not_a_type(&mut self, e: &Expr, name: Option<&str>) -> TyPattern {
        let d = match name {
            Some(name) if self.sizes.contains_key(name) => Diagnostic::new(
                code::NOT_A_TYPE,
                format!("`{name}` is a size, and a type is needed here"),
            )
            .label(e.span, "a size")
            .help(format!(
                "an array type ends in the type of its elements: `{name}.?`"
            )),
            Some(name) => Diagnostic::new(code::UNKNOWN_TYPE, format!("there is no type `{name}`"))
                .label(e.span, "not known")
                .help_near(
                    name,
                    Scalar::ALL.iter().map(|s| s.name()),
                    "types of sketches: `?`, `f32`, `scalar`, `n.t`, `(s, t)`, `<n>t`, `idx[n]`, `s -> t`",
                ),
            None => Diagnostic::new(code::NOT_A_TYPE, "a type is needed here")
                .label(e.span, "not a type")
                .help("types of sketches: `?`, `f32`, `scalar`, `n.t`, `(s, t)`, `<n>t`, `idx[n]`, `s -> t`"),
        };
        self.report(d);
        TyPattern::Any
    }
}

/// Vectors distribute over pairs, in patterns as in types.
fn vector(n: Option<Nat>, t: TyPattern) -> TyPattern {
    match t {
        TyPattern::Pair(a, b) => TyPattern::Pair(Box::new(vector(n, *a)), Box::new(vector(n, *b))),
        t => TyPattern::Vec(n, Box::new(t)),
    }
}

pub fn names_in(e: &Expr) -> Vec<String> {
    match &e.kind {
        ExprKind::Name(name) => vec![name.clone()],
        ExprKind::Paren(e) | ExprKind::Neg(e) => names_in(e),
        ExprKind::Binary(_, l, r) => [names_in(l), names_in(r)].concat(),
        ExprKind::Tuple(parts) => parts.iter().flat_map(names_in).collect(),
        ExprKind::App(f, args) => {
            let function = matches!(&f.kind, ExprKind::Name(n) if SIZE_FUNCTIONS.contains(&&**n));
            let head = if function { Vec::new() } else { names_in(f) };
            head.into_iter()
                .chain(args.iter().flat_map(names_in))
                .collect()
        }
        _ => Vec::new(),
    }
}
