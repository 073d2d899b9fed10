//! Normal forms of terms.
//!
//! In: a term. Out: its β/η-normal form, in which also `fst (pair a b)` is `a` and `snd (pair a b)` is `b`; the same of a
//! program, which keeps its parameters; or a program whose loops have their functions written out. Invariant: all of them
//! are equal to the term, whatever its variables stand for. Absent: classes of equal terms.
//!
//! Note [Parameters stay]: `\xs -> map f xs` is `map f` by η, and then nothing stands where rules and sketches look for
//! `map f xs`. So a program keeps the lambdas that it begins with. Below them η is applied: one form of a
//! function is enough to compare, and a search that begins adds the other one, see [`written_out`].

use super::{Data, Kind, Sort, Term};

/// The normal form. Terms are simply typed, so it exists and is unique.
pub fn normalize(t: &Term) -> Term {
    let mut unbounded = Bounded {
        size: u32::MAX,
        work: u64::MAX,
    };
    unbounded.normalize(t).unwrap_or_else(|| t.clone())
}

/// The normal form, or `None` if it, or a term on the way to it, has more than `size` nodes:
/// definitions that double their argument grow faster than any memory.
pub fn normalize_within(t: &Term, size: u32) -> Option<Term> {
    Bounded {
        size,
        work: u64::from(size) * 100,
    }
    .normalize(t)
}

/// The normal form of a program: the lambdas that it begins with stay. See Note [Parameters stay].
pub fn normalize_program(t: &Term) -> Term {
    match t.kind() {
        Kind::Lam(hint, body) => rebind(t, *hint, normalize_program(body)),
        _ => normalize(t),
    }
}

/// The term with the functions that loops apply written out: `map (map f) xs` as `map (\x -> map f x) xs`. Primitives
/// and variables stay as they are.
pub fn written_out(t: &Term) -> Term {
    match t.kind() {
        Kind::Var(_) | Kind::Prim(_) | Kind::Lit(_) | Kind::Hole(_) => t.clone(),
        Kind::Lam(hint, body) => rebind(t, *hint, written_out(body)),
        Kind::App(f, x) => {
            let head = match f.spine().0.kind() {
                Kind::Prim(p) => Some(p.op().sort()),
                _ => None,
            };
            let (f, x) = (written_out(f), written_out(x));
            match (head, x.kind()) {
                (Some(Sort::Loop(_)), Kind::App(..)) => Term::app(f, abstracted(&x)),
                _ => Term::app(f, x),
            }
        }
    }
}

/// The term with primitives for functions that do nothing but apply them: `\a x -> a + x` is `(+)`, as it is in normal forms.
pub fn named_primitives(t: &Term) -> Term {
    match t.kind() {
        Kind::Var(_) | Kind::Prim(_) | Kind::Lit(_) | Kind::Hole(_) => t.clone(),
        Kind::Lam(hint, body) => {
            let normal = normalize(t);
            match normal.kind() {
                Kind::Prim(_) => normal,
                _ => rebind(t, *hint, named_primitives(body)),
            }
        }
        Kind::App(f, x) => Term::app(named_primitives(f), named_primitives(x)),
    }
}

/// `\x y … -> f x y …` for a function `f`; data as it is.
fn abstracted(f: &Term) -> Term {
    match f.ty().as_fun() {
        Some((arg, _)) => {
            let body = Term::app(f.shift(1), Term::var(0, arg));
            Term::lam(None, arg, abstracted(&body))
        }
        None => f.clone(),
    }
}

/// The lambda `t` with another body.
fn rebind(t: &Term, hint: Option<crate::intern::Symbol>, body: Term) -> Term {
    let (arg, _) = t.ty().as_fun().expect("a lambda is a function");
    Term::lam(hint, arg, body)
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
                    Kind::App(f, _) if body.is_eta_body() => f.shift(-1),
                    _ => rebind(t, *hint, body),
                }
            }
            Kind::App(f, x) => {
                let (f, x) = (self.normalize(f)?, self.normalize(x)?);
                self.apply(f, x)?
            }
        };
        (result.size() <= self.size).then_some(result)
    }

    /// `f x` in normal form, for `f` and `x` in normal form.
    fn apply(&mut self, f: Term, x: Term) -> Option<Term> {
        if let Kind::Lam(_, body) = f.kind() {
            let body = body.instantiate(&x);
            self.work = self.work.checked_sub(u64::from(body.size()))?;
            return match body.size() <= self.size {
                true => self.normalize(&body),
                false => None,
            };
        }
        let component = component(&f, &x);
        Some(component.unwrap_or_else(|| Term::app(f, x)))
    }
}

/// What `fst (pair a b)` and `snd (pair a b)` are.
fn component(f: &Term, x: &Term) -> Option<Term> {
    let Kind::Prim(p) = f.kind() else {
        return None;
    };
    let side = match p.op().sort() {
        Sort::Data(Data::Fst) => 0,
        Sort::Data(Data::Snd) => 1,
        _ => return None,
    };
    let (maker, parts) = x.as_prim_app()?;
    let makes = matches!(maker.op().sort(), Sort::Data(Data::Pair)) && parts.len() == 2;
    makes.then(|| parts[side].clone())
}
