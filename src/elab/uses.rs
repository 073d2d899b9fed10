//! Which names a definition uses that it does not bind.

use crate::source::Span;
use crate::syntax::tree::{Binder, Def, Expr, ExprKind, Pat, PatKind};

/// The free names of the body, each with its first place, in order.
pub fn uses(def: &Def) -> Vec<(String, Span)> {
    let mut walk = Walk::default();
    for b in &def.binders {
        match b {
            Binder::Sizes(s) => walk
                .scope
                .extend(s.names.iter().map(|(n, _)| n.text.clone())),
            Binder::Typed { names, .. } => {
                walk.scope.extend(names.iter().map(|n| n.text.clone()));
            }
            Binder::Bare(n) => walk.scope.push(n.text.clone()),
        }
    }
    walk.expr(&def.body);
    walk.found
}

#[derive(Default)]
struct Walk {
    scope: Vec<String>,
    found: Vec<(String, Span)>,
}

impl Walk {
    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Error
            | ExprKind::Number(_)
            | ExprKind::Hole
            | ExprKind::Any
            | ExprKind::Section(_)
            | ExprKind::SizeFun(..) => {}
            ExprKind::Name(name) => {
                if !self.scope.contains(name) && !self.found.iter().any(|f| f.0 == *name) {
                    self.found.push((name.clone(), e.span));
                }
            }
            ExprKind::Paren(e) | ExprKind::Neg(e) | ExprKind::Not(e) | ExprKind::Under(e) => {
                self.expr(e)
            }
            ExprKind::Annot(e, _) => self.expr(e),
            ExprKind::Tuple(parts) => parts.iter().for_each(|e| self.expr(e)),
            ExprKind::If(parts) => parts.iter().for_each(|e| self.expr(e)),
            ExprKind::App(f, args) => {
                self.expr(f);
                args.iter().for_each(|e| self.expr(e));
            }
            // Sizes name no definitions.
            ExprKind::Sizes(f, _) => self.expr(f),
            ExprKind::Lam(patterns, body) => {
                let mark = self.scope.len();
                patterns.iter().for_each(|p| self.pattern(p));
                self.expr(body);
                self.scope.truncate(mark);
            }
            ExprKind::Let(p, value, body) => {
                self.expr(value);
                let mark = self.scope.len();
                self.pattern(p);
                self.expr(body);
                self.scope.truncate(mark);
            }
            ExprKind::Binary(_, l, r) | ExprKind::Array(l, r) | ExprKind::Vector(l, r) => {
                self.expr(l);
                self.expr(r);
            }
        }
    }

    fn pattern(&mut self, p: &Pat) {
        match &p.kind {
            PatKind::Error | PatKind::Ignore => {}
            PatKind::Name(name) => self.scope.push(name.clone()),
            PatKind::Tuple(parts) => parts.iter().for_each(|p| self.pattern(p)),
            PatKind::Paren(p) | PatKind::Annot(p, _) => self.pattern(p),
        }
    }
}
