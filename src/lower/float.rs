//! Values kept in memory move out of the functions that do not need to compute them anew.
//!
//! Comes in: a term; goes out: an equal one, in which every `let (toMem e) (\x -> …)` stands
//! directly inside of the innermost function whose variable `e` mentions, or at the top of the
//! program, and in which equal `toMem e` there are one. So a buffer is one value however often the function is evaluated: once for each
//! row of an unrolled tile, for instance. Invariant: the meaning is the same, since every term
//! has a value; what is computed is computed no more often than before. Where sizes choose between two programs, each keeps its own.
//! Absent: what is not kept in memory.

use super::eval::{by_sizes, ty_has_array as has_array};
use crate::intern::Symbol;
use crate::term::{Kind, Op, Prim, Term};
use crate::ty::Ty;

/// Moves every kept value as far out as it goes.
pub fn float(term: &Term) -> Term {
    variants(term).unwrap_or_else(|| floated(term))
}

/// Each side of a choice by sizes by itself; none where the program is no choice.
fn variants(t: &Term) -> Option<Term> {
    if let (Kind::Lam(hint, body), Some((arg, _))) = (t.kind(), t.ty().as_fun()) {
        return Some(Term::lam(*hint, arg, variants(body)?));
    }
    let (c, a, b) = by_sizes(t)?;
    let side = |t| variants(t).unwrap_or_else(|| floated(t));
    let (select, _) = t.spine();
    let all = [c.clone(), side(a), side(b)].into_iter();
    Some(all.fold(select.clone(), Term::app))
}

fn floated(term: &Term) -> Term {
    let mut kept = Vec::new();
    let body = Float { holes: 0 }.term(term, &mut kept);
    wrap(body, kept)
}

/// A kept value on its way out. Where it was used stands a hole.
struct Kept {
    hole: u32,
    /// `toMem e`, in the scope that it has reached.
    value: Term,
    hint: Option<Symbol>,
    /// Whether it has a name in the program. One that has none, and no equal, goes back to where it stood.
    named: bool,
}

struct Float {
    holes: u32,
}

impl Float {
    /// `t` with holes for what was kept in it; that is added to `out`, what others need first.
    fn term(&mut self, t: &Term, out: &mut Vec<Kept>) -> Term {
        match t.kind() {
            Kind::Var(_) | Kind::Prim(_) | Kind::Lit(_) | Kind::Hole(_) => t.clone(),
            Kind::Lam(..) => self.function(t, out),
            Kind::App(f, x) => {
                if let Some((value, user)) = kept_in(t) {
                    let value = self.term(value, out);
                    let hole = self.holes;
                    self.holes += 1;
                    let place = Term::hole(hole, value.ty());
                    let (hint, body) = match user.kind() {
                        Kind::Lam(hint, b) => (*hint, b.instantiate(&place)),
                        _ => (None, Term::app(user.clone(), place)),
                    };
                    out.push(Kept {
                        hole,
                        value,
                        hint,
                        named: true,
                    });
                    return self.term(&body, out);
                }
                if is_kept(t) && has_array(t.ty()) {
                    let value = Term::app(f.clone(), self.term(x, out));
                    let hole = self.holes;
                    self.holes += 1;
                    let place = Term::hole(hole, value.ty());
                    out.push(Kept {
                        hole,
                        value,
                        hint: None,
                        named: false,
                    });
                    return place;
                }
                let f = self.term(f, out);
                Term::app(f, self.term(x, out))
            }
        }
    }

    /// Functions of several arguments are gone through at once: what needs one of
    /// them stays inside of all.
    fn function(&mut self, t: &Term, out: &mut Vec<Kept>) -> Term {
        let mut binders: Vec<(Option<Symbol>, Ty)> = Vec::new();
        let mut body = t;
        while let (Kind::Lam(hint, b), Some((arg, _))) = (body.kind(), body.ty().as_fun()) {
            binders.push((*hint, arg));
            body = b;
        }
        let depth = binders.len() as u32;
        let mut inner = Vec::new();
        let body = self.term(body, &mut inner);
        let (mut here, mut held) = (Vec::new(), Vec::new());
        for k in inner {
            let own = (0..depth).any(|i| k.value.mentions(i)) || has_hole(&k.value, &held);
            if own {
                held.push(k.hole);
                here.push(k);
            } else {
                let value = k.value.shift(-(depth as i32));
                out.push(Kept { value, ..k });
            }
        }
        let body = wrap(body, here);
        (binders.into_iter().rev()).fold(body, |b, (hint, arg)| Term::lam(hint, arg, b))
    }
}

/// The parts of `let (toMem e) f`: `toMem e` and `f`.
fn kept_in(t: &Term) -> Option<(&Term, &Term)> {
    let (p, args) = t.as_prim_app()?;
    let [value, user] = args[..] else { return None };
    let (q, _) = value.as_prim_app()?;
    (p.op() == Op::Let && q.op() == Op::ToMem).then_some((value, user))
}

fn is_kept(t: &Term) -> bool {
    let kept = t.as_prim_app();
    kept.is_some_and(|(p, args)| p.op() == Op::ToMem && args.len() == 1)
}

fn has_hole(t: &Term, holes: &[u32]) -> bool {
    let mut found = false;
    if !holes.is_empty() {
        t.visit(&mut |t, _| found |= matches!(t.kind(), Kind::Hole(h) if holes.contains(h)));
    }
    found
}

/// Binds kept values around a term, the first outermost. Inside of it if it is a function:
/// `let` gives data.
fn wrap(body: Term, mut kept: Vec<Kept>) -> Term {
    if kept.is_empty() {
        return body;
    }
    if let Some((arg, _)) = body.ty().as_fun() {
        for k in &mut kept {
            k.value = k.value.shift(1);
        }
        let (hint, inner) = match body.kind() {
            Kind::Lam(hint, b) => (*hint, b.clone()),
            _ => (None, Term::app(body.shift(1), Term::var(0, arg))),
        };
        return Term::lam(hint, arg, wrap(inner, kept));
    }
    let (body, kept) = merged(body, kept);
    kept.into_iter().rev().fold(body, |body, k| {
        let (ty, result) = (k.value.ty(), body.ty());
        let body = fill(&body.shift(1), k.hole, &Term::var(0, ty));
        let f = Term::lam(k.hint, ty, body);
        let bind = Term::prim(Prim::from(Op::Let), Ty::funs([ty, f.ty()], result));
        Term::apps(bind, [k.value, f])
    })
}

/// Equal values become one; those without a name that have no equal stand again where they stood.
fn merged(mut body: Term, mut kept: Vec<Kept>) -> (Term, Vec<Kept>) {
    let mut left: Vec<Kept> = Vec::new();
    while !kept.is_empty() {
        let mut k = kept.remove(0);
        let place = Term::hole(k.hole, k.value.ty());
        let (equal, mut others): (Vec<Kept>, Vec<Kept>) =
            kept.into_iter().partition(|o| o.value == k.value);
        let mut put = |hole: u32, term: &Term| {
            body = fill(&body, hole, term);
            for o in others.iter_mut().chain(left.iter_mut()) {
                o.value = fill(&o.value, hole, term);
            }
        };
        for o in &equal {
            put(o.hole, &place);
            k.named |= o.named;
            k.hint = k.hint.or(o.hint);
        }
        match k.named || !equal.is_empty() {
            true => {
                k.named = true;
                left.push(k);
            }
            false => put(k.hole, &k.value),
        }
        kept = others;
    }
    (body, left)
}

/// Puts a term for a hole.
fn fill(t: &Term, hole: u32, term: &Term) -> Term {
    match t.kind() {
        Kind::Hole(h) if *h == hole => term.clone(),
        Kind::Lam(hint, b) => match t.ty().as_fun() {
            Some((arg, _)) => Term::lam(*hint, arg, fill(b, hole, &term.shift(1))),
            None => t.clone(),
        },
        Kind::App(f, x) => Term::app(fill(f, hole, term), fill(x, hole, term)),
        _ => t.clone(),
    }
}
