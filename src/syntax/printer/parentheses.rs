//! Parentheses for trees that no text stands behind.

use crate::syntax::tree::{prec, Assoc, Expr, ExprKind};

/// The same tree with the parentheses that its operators need to be read back.
pub fn parenthesize(e: Expr) -> Expr {
    at_level(e, prec::LOWEST)
}

/// As an operand of that level.
pub fn at_level(mut e: Expr, level: u8) -> Expr {
    let own = match &e.kind {
        ExprKind::Lam(..)
        | ExprKind::Under(_)
        | ExprKind::Let(..)
        | ExprKind::If(_)
        | ExprKind::Annot(..) => prec::LOWEST,
        ExprKind::SizeFun(..) => prec::ARROW,
        ExprKind::Binary(op, ..) => op.level(),
        ExprKind::Neg(_) | ExprKind::Not(_) => prec::NEG,
        // A result type `let x` would go on behind the `=` of its definition.
        ExprKind::App(f, _) if matches!(&f.kind, ExprKind::Name(n) if n == "let") => prec::LOWEST,
        ExprKind::App(..) => prec::APP,
        ExprKind::Array(..) | ExprKind::Vector(..) => prec::DOT,
        _ => prec::ATOM,
    };
    let sub = |b: &mut Expr, level: u8| {
        let hole = Expr::new(b.span, ExprKind::Error);
        *b = at_level(std::mem::replace(b, hole), level);
    };
    let each = |v: &mut Vec<Expr>, level: u8| {
        *v = v.drain(..).map(|e| at_level(e, level)).collect();
    };
    match &mut e.kind {
        ExprKind::Paren(x) => sub(x, prec::LOWEST),
        ExprKind::Tuple(v) => each(v, prec::LOWEST),
        ExprKind::App(f, args) => {
            sub(f, prec::DOT);
            each(args, prec::ATOM);
        }
        ExprKind::Sizes(f, sizes) => {
            sub(f, prec::ATOM);
            each(sizes, prec::ADD);
        }
        ExprKind::Lam(_, b) => sub(b, prec::LOWEST),
        // `\ a -> b` would be a function of `a`.
        ExprKind::Under(b) => sub(b, prec::OR),
        ExprKind::Let(_, a, b) => {
            sub(a, prec::LOWEST);
            sub(b, prec::LOWEST);
        }
        ExprKind::If(parts) => parts.iter_mut().for_each(|p| sub(p, prec::LOWEST)),
        ExprKind::Binary(op, l, r) => {
            let (left, right) = match op.assoc() {
                Assoc::Left => (op.level(), op.level() + 1),
                Assoc::Right => (op.level() + 1, op.level()),
                Assoc::None => (op.level() + 1, op.level() + 1),
            };
            sub(l, left);
            sub(r, right);
        }
        ExprKind::Neg(x) | ExprKind::Not(x) => sub(x, prec::NEG),
        ExprKind::Array(n, t) => {
            sub(n, prec::ATOM);
            sub(t, prec::DOT);
        }
        ExprKind::Vector(n, t) => {
            sub(n, prec::ADD);
            sub(t, prec::DOT);
        }
        ExprKind::Annot(x, t) => {
            sub(x, prec::ARROW);
            sub(t, prec::ARROW);
        }
        ExprKind::SizeFun(_, t) => sub(t, prec::ARROW),
        _ => {}
    }
    if own < level {
        Expr::new(e.span, ExprKind::Paren(Box::new(e)))
    } else {
        e
    }
}
