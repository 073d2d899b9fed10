//! How a part of a sketch is called in messages and diagnoses.

use crate::syntax::print_expr_flat;
use crate::syntax::tree::{Expr, ExprKind};

/// The user's words, without the inside of long arguments.
pub(super) fn label(e: &Expr) -> String {
    let whole = print_expr_flat(e.bare());
    if whole.chars().count() <= 40 {
        return whole;
    }
    let ExprKind::App(f, args) = &e.bare().kind else {
        return shorten(&whole);
    };
    let mut text = shorten(&print_expr_flat(f));
    let mut cut = false;
    for a in args {
        let arg = print_expr_flat(a);
        if arg.chars().count() <= 16 {
            text = text + " " + &arg;
            cut = false;
        } else if !cut {
            text += " …";
            cut = true;
        }
    }
    text
}

pub(super) fn shorten(text: &str) -> String {
    match text.chars().count() > 40 {
        true => text.chars().take(39).collect::<String>() + "…",
        false => text.to_string(),
    }
}
