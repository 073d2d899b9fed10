//! How a part of a sketch is called in messages and diagnoses.

use crate::syntax::print_expr_flat;
use crate::syntax::tree::{Expr, ExprKind};

/// The user's words, without the inside of long arguments.
pub(super) fn label(e: &Expr) -> String {
    let e = e.bare();
    if let Some(whole) = within(e, 40) {
        return whole;
    }
    let ExprKind::App(f, args) = &e.kind else {
        return shorten(&print_expr_flat(e));
    };
    let mut text = shorten(&print_expr_flat(f));
    let mut cut = false;
    for a in args {
        if let Some(arg) = within(a, 16) {
            text = text + " " + &arg;
            cut = false;
        } else if !cut {
            text += " …";
            cut = true;
        }
    }
    text
}

/// An expression as text, if that has so many characters at most. What is written much longer is not printed to see it:
/// every part of a sketch has a label, and printing each whole would take longer than reading the sketch.
fn within(e: &Expr, most: usize) -> Option<String> {
    if (e.span.hi - e.span.lo) as usize > 4 * most {
        return None;
    }
    Some(print_expr_flat(e)).filter(|text| text.chars().count() <= most)
}

pub(super) fn shorten(text: &str) -> String {
    match text.chars().count() > 40 {
        true => text.chars().take(39).collect::<String>() + "…",
        false => text.to_string(),
    }
}
