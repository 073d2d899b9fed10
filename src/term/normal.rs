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

/// The β/η normal form, or `None` if it, or a term on the way to it, has more than `size` nodes:
/// definitions that double their argument grow faster than any memory.
pub fn normalize_within(t: &Term, size: u32) -> Option<Term> {
    Bounded {
        size,
        work: u64::from(size) * 100,
    }
    .normalize(t)
}

struct Bounded {
    size: u32,
    /// Nodes that may still be visited.
    work: u64,
}

impl Bounded {
    fn normalize(&mut self, t: &Term) -> Option<Term> {
        self.work = self.work.checked_sub(1)?;
        let result = match t.kind() {
            Kind::Var(_) | Kind::Prim(_) | Kind::Lit(_) | Kind::Hole(_) => t.clone(),
            Kind::Lam(hint, body) => {
                let body = self.normalize(body)?;
                match body.kind() {
                    Kind::App(f, x) if matches!(x.kind(), Kind::Var(0)) && !f.mentions(0) => {
                        f.shift(-1)
                    }
                    _ => {
                        let (arg, _) = t.ty().as_fun()?;
                        Term::lam(*hint, arg, body)
                    }
                }
            }
            Kind::App(f, x) => {
                let (f, x) = (self.normalize(f)?, self.normalize(x)?);
                match f.kind() {
                    Kind::Lam(_, body) => {
                        let body = body.instantiate(&x);
                        self.work = self.work.checked_sub(u64::from(body.size()))?;
                        match body.size() <= self.size {
                            true => self.normalize(&body)?,
                            false => return None,
                        }
                    }
                    _ => Term::app(f, x),
                }
            }
        };
        (result.size() <= self.size).then_some(result)
    }
}
