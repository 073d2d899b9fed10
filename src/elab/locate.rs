//! Where the sub-terms of a printed program stand in its text.
//!
//! In: a program, terms that may stand in it. Out: the text of `program_text`, and for each term the ranges of
//! bytes that say it. The printer numbers the tree's nodes by the terms they are of; the text is read again, and
//! since reading is the inverse of printing both trees have one shape, so a walk along both gives each number a
//! place. Invariant: where the shapes differ (a type printed as a name) nothing is located, and nothing falsely.

use super::print::numbered_program;
use crate::source::FileId;
use crate::syntax::tree::{Expr, ExprKind, ItemKind, PatKind};
use crate::syntax::{parse, Dialect};
use crate::term::{Program, Term};
use std::collections::BTreeSet;

/// Half-open, in bytes.
pub type Range = (u32, u32);

/// The program's text, and where each of the terms stands in it: not at all, once, or several times.
pub fn located_text(p: &Program, terms: &[Term]) -> (String, Vec<Vec<Range>>) {
    let (printed, text, nodes) = numbered_program(p);
    let mut found = vec![BTreeSet::new(); terms.len()];
    let parsed = parse(FileId(0), &text, Dialect::Program);
    if let (true, Some(ItemKind::Def(def))) = (
        parsed.diagnostics.is_empty(),
        parsed.file.items.first().map(|i| &i.kind),
    ) {
        // The whole is the body: the parameters stand before it.
        for (at, _) in terms.iter().enumerate().filter(|(_, t)| **t == p.term) {
            found[at].insert((def.body.span.lo, def.body.span.hi));
        }
        both(&printed, &def.body, &mut |ours, read| {
            // Number 0 is of no term.
            let Some(node) = (ours.span.lo as usize)
                .checked_sub(1)
                .and_then(|i| nodes.get(i))
            else {
                return;
            };
            for (at, _) in terms.iter().enumerate().filter(|(_, t)| *t == node) {
                found[at].insert((read.span.lo, read.span.hi));
            }
        });
    }
    let found = found.into_iter().map(|f| f.into_iter().collect());
    (text, found.collect())
}

/// Visits the nodes that stand at one place in two trees, outer ones first.
fn both(a: &Expr, b: &Expr, f: &mut impl FnMut(&Expr, &Expr)) {
    let (a, b) = (a.bare(), b.bare());
    if std::mem::discriminant(&a.kind) != std::mem::discriminant(&b.kind) {
        return;
    }
    let (below_a, below_b) = (below(a), below(b));
    if below_a.len() != below_b.len() || head(a) != head(b) {
        return;
    }
    f(a, b);
    for (a, b) in below_a.into_iter().zip(below_b) {
        both(a, b, f);
    }
}

/// What a node says beside the nodes below.
fn head(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Name(n) | ExprKind::Number(n) => n.clone(),
        ExprKind::Binary(op, ..) | ExprKind::Section(op) => op.text().to_string(),
        ExprKind::Lam(patterns, _) => {
            let names = patterns.iter().map(|p| match &p.kind {
                PatKind::Name(n) => n.as_str(),
                _ => "_",
            });
            names.collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    }
}

fn below(e: &Expr) -> Vec<&Expr> {
    match &e.kind {
        ExprKind::App(f, args) | ExprKind::Sizes(f, args) => {
            std::iter::once(&**f).chain(args).collect()
        }
        ExprKind::Tuple(all) => all.iter().collect(),
        ExprKind::If(parts) => parts.iter().collect(),
        ExprKind::Paren(x)
        | ExprKind::Lam(_, x)
        | ExprKind::Under(x)
        | ExprKind::Neg(x)
        | ExprKind::Not(x)
        | ExprKind::SizeFun(_, x) => vec![x],
        ExprKind::Let(_, a, b)
        | ExprKind::Binary(_, a, b)
        | ExprKind::Array(a, b)
        | ExprKind::Vector(a, b)
        | ExprKind::Annot(a, b) => vec![a, b],
        ExprKind::Error
        | ExprKind::Name(_)
        | ExprKind::Number(_)
        | ExprKind::Hole
        | ExprKind::Any
        | ExprKind::Section(_) => Vec::new(),
    }
}
