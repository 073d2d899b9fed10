//! The user's words for a sketch, with places for the parts that are written inside of it.
//!
//! In: an expression and the sketch that it became. Out: its text, cut where an argument is a sketch with
//! words of its own: `containsMap (m/32) □`. So a diagnosis can show a sketch as it was written, part by
//! part, and can write a weaker one in the same words. Absent: what a part means.

use super::super::output::{Sketch, SketchKind, Words};
use crate::source::Span;
use crate::syntax::print_expr_flat;
use crate::syntax::tree::{Expr, ExprKind};

/// Stands for a place while the text is printed; no source can hold it as a name.
const MARK: char = '\u{E000}';

pub(super) fn words(e: &Expr, kind: &SketchKind) -> Words {
    let here = e.bare().span;
    let mut inside = Vec::new();
    parts(kind, here, &mut inside);
    let mut places = Vec::new();
    let text = print_expr_flat(&carve(e.bare(), &inside, true, &mut places));
    Words {
        pieces: text.split(MARK).map(str::to_string).collect(),
        places,
    }
}

/// Where the parts stand that have words of their own: nodes of `here` are this one's.
fn parts(kind: &SketchKind, here: Span, out: &mut Vec<Span>) {
    for child in kind.children() {
        if child.span == here {
            parts(&child.kind, here, out);
        } else if child.is_part() {
            out.push(child.span);
        }
    }
}

fn carve(e: &Expr, inside: &[Span], whole: bool, places: &mut Vec<Span>) -> Expr {
    let span = e.bare().span;
    if !whole && inside.contains(&span) {
        places.push(span);
        return Expr::new(e.span, ExprKind::Name(MARK.to_string()));
    }
    let mut below = |e: &Expr| Box::new(carve(e, inside, false, places));
    let kind = match &e.kind {
        ExprKind::Paren(e) => ExprKind::Paren(below(e)),
        ExprKind::App(f, args) => {
            let args = args.iter().map(|a| *below(a)).collect();
            ExprKind::App(f.clone(), args)
        }
        ExprKind::Binary(op, l, r) => {
            let l = below(l);
            ExprKind::Binary(*op, l, below(r))
        }
        ExprKind::Under(e) => ExprKind::Under(below(e)),
        ExprKind::Lam(p, e) => ExprKind::Lam(p.clone(), below(e)),
        ExprKind::Annot(e, t) => ExprKind::Annot(below(e), t.clone()),
        kind => kind.clone(),
    };
    Expr::new(e.span, kind)
}

impl Sketch {
    /// Another form in the same place.
    pub fn with(&self, kind: SketchKind) -> Sketch {
        Sketch {
            kind,
            span: self.span,
            label: self.label.clone(),
            words: self.words.clone(),
        }
    }

    /// Whether it is worth a line of its own: neither `?` nor a primitive.
    pub fn is_part(&self) -> bool {
        !matches!(self.kind, SketchKind::Any | SketchKind::Prim(..))
    }
}
