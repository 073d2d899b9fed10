//! Patterns: the variables of functions and of `let`, and the names of their parts.

use super::super::reason::Reason;
use super::Infer;
use crate::diag::{code, Diagnostic};
use crate::intern::Symbol;
use crate::source::Span;
use crate::syntax::tree::{Pat, PatKind};
use crate::term::Op;
use crate::ty::Ty;

pub(super) struct Local {
    pub(super) name: String,
    pub(super) level: u32,
    pub(super) root: Ty,
    /// Projections from the variable: each with its function type.
    pub(super) path: Vec<(Op, Ty)>,
    pub(super) ty: Ty,
}

impl Infer<'_> {
    /// One more variable, of type `ty`, with the names that the pattern gives to it and its parts.
    pub(super) fn enter(&mut self, p: &Pat, ty: Ty) -> usize {
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

    pub(super) fn leave(&mut self, mark: usize) {
        self.depth -= 1;
        self.locals.truncate(mark);
    }

    pub(super) fn bind(&mut self, p: &Pat, root: Ty, ty: Ty, path: Vec<(Op, Ty)>) {
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

    pub(super) fn bind_tuple(
        &mut self,
        parts: &[Pat],
        span: Span,
        root: Ty,
        ty: Ty,
        path: Vec<(Op, Ty)>,
    ) {
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
}

/// The name that a lambda keeps for its variable.
pub(super) fn hint(p: &Pat) -> Option<Symbol> {
    match &p.kind {
        PatKind::Name(name) => Some(Symbol::new(name)),
        PatKind::Paren(p) | PatKind::Annot(p, _) => hint(p),
        _ => None,
    }
}
