//! Terms whose types still hold unknowns, and how they become `Term`s.
//!
//! In: what inference builds, bottom up. Out: a `Term`, once every unknown is known. Variables are De Bruijn
//! indices already, so the term of a closed definition goes anywhere without a shift.

use super::unify::Unifier;
use crate::arith::Nat;
use crate::diag::{code, Diagnostic};
use crate::intern::Symbol;
use crate::source::Span;
use crate::term::{Kind, Lit, Op, Prim, Term};
use crate::ty::{Scalar, Ty, TyKind};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

#[derive(Clone, Debug)]
pub enum Pre {
    Var(u32, Ty),
    Lam(Option<Symbol>, Ty, Rc<Pre>),
    App(Rc<Pre>, Rc<Pre>),
    Prim(Op, SmallVec<[Nat; 2]>, Ty, Span),
    Lit(Number, Ty, Span),
    Hole(u32, Ty),
    /// Value, name, type of the value, body, type of the body: `let` if the value is data, else put in.
    Let(Rc<Pre>, Option<Symbol>, Ty, Rc<Pre>, Ty),
    /// Something that was reported.
    Error,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    Int(i128),
    Float(f64),
    Bool(bool),
    Size(Nat),
}

/// What is known of a finished `Pre`: for limits on what is put in where.
#[derive(Clone, Copy, Default, Debug)]
pub struct Extent {
    pub nodes: usize,
    pub depth: usize,
}

impl Pre {
    pub fn app(f: Pre, x: Pre) -> Pre {
        Pre::App(Rc::new(f), Rc::new(x))
    }

    pub fn extent(&self) -> Extent {
        let of = |parts: &[&Rc<Pre>]| {
            let mut e = Extent { nodes: 1, depth: 0 };
            for p in parts {
                let inner = p.extent();
                e.nodes = e.nodes.saturating_add(inner.nodes);
                e.depth = e.depth.max(inner.depth);
            }
            e.depth += 1;
            e
        };
        match self {
            Pre::Lam(_, _, b) => of(&[b]),
            Pre::App(f, x) => of(&[f, x]),
            Pre::Let(a, _, _, b, _) => of(&[a, b]),
            _ => of(&[]),
        }
    }

    /// The numbers in it that are no values of their types, as far as these are known.
    pub fn wrong_numbers(&self, found: &mut Vec<Diagnostic>) {
        match self {
            Pre::Lam(_, _, b) => b.wrong_numbers(found),
            Pre::App(a, b) | Pre::Let(a, _, _, b, _) => {
                a.wrong_numbers(found);
                b.wrong_numbers(found);
                found.extend(self.whole_quotient());
            }
            Pre::Lit(n, ty, span) => {
                let wrong = ty.as_scalar().is_some() && lit_of(*n, *ty, &|n| n).is_none();
                found.extend(wrong.then(|| no_value(*n, *ty, *span)));
            }
            _ => {}
        }
    }

    /// Why a quotient of whole numbers is none that somebody meant who writes a number with a point.
    fn whole_quotient(&self) -> Option<Diagnostic> {
        let Pre::App(f, x) = self else { return None };
        let divides = |f: &Pre| matches!(f, Pre::Prim(Op::Div, ..));
        let is_operand = divides(f) || matches!(&**f, Pre::App(g, _) if divides(g));
        let Pre::Lit(n @ Number::Float(number), ty, span) = &**x else {
            return None;
        };
        let is_whole = ty.as_scalar()?.is_int() && lit_of(*n, *ty, &|n| n).is_some();
        (is_operand && is_whole).then(|| with_point(*number, *ty, *span))
    }

    /// The same with types and sizes replaced.
    pub fn map(&self, ty: &impl Fn(Ty) -> Ty, nat: &impl Fn(Nat) -> Nat) -> Pre {
        let sub = |p: &Rc<Pre>| Rc::new(p.map(ty, nat));
        match self {
            Pre::Var(i, t) => Pre::Var(*i, ty(*t)),
            Pre::Lam(h, t, b) => Pre::Lam(*h, ty(*t), sub(b)),
            Pre::App(f, x) => Pre::App(sub(f), sub(x)),
            Pre::Prim(op, sizes, t, span) => {
                let sizes = sizes.iter().map(|n| nat(*n)).collect();
                Pre::Prim(*op, sizes, ty(*t), *span)
            }
            Pre::Lit(Number::Size(n), t, span) => Pre::Lit(Number::Size(nat(*n)), ty(*t), *span),
            Pre::Lit(n, t, span) => Pre::Lit(*n, ty(*t), *span),
            Pre::Hole(i, t) => Pre::Hole(*i, ty(*t)),
            Pre::Let(a, h, s, b, t) => Pre::Let(sub(a), *h, ty(*s), sub(b), ty(*t)),
            Pre::Error => Pre::Error,
        }
    }

    /// The term, or what a literal or index does not fit. `None` if something was reported before.
    pub fn finish(&self, u: &Unifier, errors: &mut Vec<Diagnostic>) -> Option<Term> {
        let mut f = Finish {
            u,
            errors,
            tys: FxHashMap::default(),
        };
        f.term(self)
    }
}

struct Finish<'a> {
    u: &'a Unifier,
    errors: &'a mut Vec<Diagnostic>,
    tys: FxHashMap<Ty, Ty>,
}

impl Finish<'_> {
    fn ty(&mut self, t: Ty) -> Ty {
        *self.tys.entry(t).or_insert_with(|| self.u.ty(t))
    }

    fn term(&mut self, p: &Pre) -> Option<Term> {
        Some(match p {
            Pre::Var(i, t) => Term::var(*i, self.ty(*t)),
            Pre::Lam(h, t, b) => Term::lam(*h, self.ty(*t), self.term(b)?),
            Pre::App(f, x) => Term::app(self.term(f)?, self.term(x)?),
            Pre::Prim(op, sizes, t, _) => {
                let sizes: SmallVec<[Nat; 2]> = sizes.iter().map(|n| self.u.nat(*n)).collect();
                Term::prim(Prim::new(*op, &sizes), self.ty(*t))
            }
            Pre::Lit(n, t, span) => {
                let ty = self.ty(*t);
                Term::lit(self.literal(*n, ty, *span)?, ty)
            }
            Pre::Hole(i, t) => Term::hole(*i, self.ty(*t)),
            Pre::Let(a, h, s, b, t) => {
                let (s, t) = (self.ty(*s), self.ty(*t));
                let value = self.term(a)?;
                let body = Term::lam(*h, s, self.term(b)?);
                match s.is_fun() || has_name(&value) {
                    true => Term::app(body, value),
                    false => {
                        let ty = Ty::funs([s, Ty::fun(s, t)], t);
                        Term::apps(Term::prim(Op::Let.into(), ty), [value, body])
                    }
                }
            }
            Pre::Error => return None,
        })
    }

    fn literal(&mut self, n: Number, ty: Ty, span: Span) -> Option<Lit> {
        let lit = lit_of(n, ty, &|n| self.u.nat(n));
        if lit.is_none() {
            self.errors.push(no_value(n, ty, span));
        }
        lit
    }
}

/// The literal of a type that a number is, if it is one.
fn lit_of(n: Number, ty: Ty, nat: &dyn Fn(Nat) -> Nat) -> Option<Lit> {
    match (n, ty.as_scalar()) {
        (Number::Bool(b), _) => Some(Lit::Bool(b)),
        (Number::Size(n), _) => Some(Lit::Size(nat(n))),
        (Number::Int(i), Some(s)) if s.is_float() => Some(Lit::number(i as f64, s)),
        (Number::Int(i), Some(s)) => int_fits(i, s).then_some(Lit::Int(i)),
        (Number::Int(i), None) => match ty.kind() {
            TyKind::Idx(n) => {
                let inside = i >= 0 && n.as_int().is_none_or(|n| i < i128::from(n));
                inside.then_some(Lit::Int(i))
            }
            _ => None,
        },
        (Number::Float(x), Some(s)) if s.is_float() => {
            let fits = x.is_infinite() || s == Scalar::F64 || s.rounded(x as f32).is_finite();
            fits.then(|| Lit::number(x, s))
        }
        (Number::Float(x), Some(s)) => {
            let whole = x.fract() == 0.0 && x.abs() < 1e18 && int_fits(x as i128, s);
            whole.then_some(Lit::Int(x as i128))
        }
        (Number::Float(_), None) => None,
    }
}

fn no_value(n: Number, ty: Ty, span: Span) -> Diagnostic {
    let shown = match n {
        Number::Float(x) => Lit::f64(x).digits(),
        Number::Int(i) => i.to_string(),
        _ => String::new(),
    };
    Diagnostic::new(
        code::LITERAL_RANGE,
        format!("`{shown}` is not a value of type `{ty}`"),
    )
    .at(span)
    .help(format!(
        "write a value of `{ty}`, or give the literal a suffix such as `f32`"
    ))
}

/// A number with a point that is a whole one by what stands beside it: somebody expects that floats are computed.
fn with_point(x: f64, ty: Ty, span: Span) -> Diagnostic {
    let shown = Lit::f64(x).digits();
    Diagnostic::new(
        code::LITERAL_RANGE,
        format!("`{shown}` has a point, but this is a quotient of whole numbers, of type `{ty}`"),
    )
    .at(span)
    .help(format!(
        "convert the other operand first, `(cast e : f32)`, or write `{}`",
        shown.trim_end_matches(".0")
    ))
}

/// Whether it is a variable, or a part of one, which needs no other name.
pub(super) fn has_name(value: &Term) -> bool {
    match (value.kind(), value.as_prim_app()) {
        (Kind::Var(_), _) => true,
        (_, Some((p, args))) if args.len() == 1 => {
            matches!(p.op(), Op::Fst | Op::Snd) && has_name(args[0])
        }
        _ => false,
    }
}

fn int_fits(i: i128, s: Scalar) -> bool {
    let (least, most) = s.bounds();
    s != Scalar::Bool && (least..=most).contains(&i)
}
