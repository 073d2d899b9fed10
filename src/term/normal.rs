//! β/η normal form of terms.

use super::{Kind, Term};

/// The β/η normal form. Terms are simply typed, so it exists and is unique.
pub fn normalize(t: &Term) -> Term {
    match t.kind() {
        Kind::Var(_) | Kind::Prim(_) | Kind::Lit(_) | Kind::Hole(_) => t.clone(),
        Kind::Lam(hint, body) => {
            let body = normalize(body);
            if let Kind::App(f, x) = body.kind() {
                if matches!(x.kind(), Kind::Var(0)) && !f.mentions(0) {
                    return f.shift(-1);
                }
            }
            let (arg, _) = t.ty().as_fun().expect("a lambda is a function");
            Term::lam(*hint, arg, body)
        }
        Kind::App(f, x) => apply(normalize(f), normalize(x)),
    }
}

/// `f x` in normal form, for `f` and `x` in normal form.
fn apply(f: Term, x: Term) -> Term {
    match f.kind() {
        Kind::Lam(_, body) => normalize(&body.instantiate(&x)),
        _ => Term::app(f, x),
    }
}
