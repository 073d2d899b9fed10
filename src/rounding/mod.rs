//! Programs that compute what rounding may make of another one's results.
//!
//! Comes in: a program; goes out: one of the same parameters that gives of each float of the result its value in wide
//! arithmetic and how far any evaluation may be from it that regroups and contracts as it likes (as `interp::bounds` says), and
//! of everything else from where to where it may be: comparisons of floats and casts from them may go one way or the other.
//! It is compiled as any program is, so it answers at sizes at which the interpreter cannot. Invariant: what is computed is in
//! the order of the program. Absent: programs with vectors, and those that write to places that floats decide.

mod numbers;

use crate::arith::Nat;
use crate::term::{
    call, call_as, normalize_program, Bits, Chosen, Data, Kind, Lit, Loop, Op, Prim, Program, Sort,
    Term, View,
};
use crate::ty::{Scalar, Ty, TyKind};
use numbers::Definitions;

/// How roundings go.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Roundings {
    /// All the same way: the bound holds for all numbers.
    Alike,
    /// Either way by chance: of many, so far that it does not happen (16 standard deviations) where the numbers are random and
    /// sums do not come to a stop.
    ByChance,
}

/// The program with bounds; each scalar of its result is a pair there. `None` where there is none.
pub fn with_bounds(program: &Program, roundings: Roundings) -> Option<Program> {
    let mut lift = Lift {
        definitions: Definitions::new(roundings == Roundings::ByChance),
        ranges: decides_by_floats(&program.term),
        ranges_of_indices: false,
    };
    lift.ranges_of_indices = lift.ranges && chooses_indices(&program.term);
    let count = program.params.len() as u32;
    let mut body = lift.term(&program.term)?;
    for (i, (_, ty)) in program.params.iter().enumerate() {
        let given = Term::var(count - 1 - i as u32, *ty);
        body = Term::app(body, lift.given(*ty, given)?);
    }
    let body = lift.told(program.result, body)?;
    let result = body.ty();
    let params = program.params.iter().rev();
    let term = params.fold(body, |b, (name, ty)| Term::lam(Some(*name), *ty, b));
    Some(Program {
        term: normalize_program(&term),
        result,
        ..program.clone()
    })
}

/// Whether something that is no float depends on floats.
fn decides_by_floats(term: &Term) -> bool {
    let mut found = false;
    term.visit(&mut |t, _| {
        let Kind::Prim(p) = t.kind() else { return };
        let from = t.ty().as_fun().map(|(a, _)| a);
        let float = from.is_some_and(is_float);
        let to_float = is_float(t.ty().uncurried().1);
        found |= match p.op().sort() {
            Sort::Comparison(_) => float,
            _ => matches!(p.op(), Op::Cast | Op::Bitcast) && float && !to_float,
        };
    });
    found
}

/// Whether an index may be chosen, or made of a number.
fn chooses_indices(term: &Term) -> bool {
    let mut found = false;
    term.visit(&mut |t, _| {
        let Kind::Prim(p) = t.kind() else { return };
        let result = t.ty().uncurried().1;
        found |= match p.op() {
            Op::Cast => matches!(result.kind(), TyKind::Idx(_)),
            Op::Select => has_indices(result),
            _ => false,
        };
    });
    found
}

fn has_indices(ty: Ty) -> bool {
    match ty.kind() {
        TyKind::Idx(_) => true,
        TyKind::Pair(a, b) | TyKind::Fun(a, b) => has_indices(a) || has_indices(b),
        TyKind::Vec(_, t) | TyKind::Array(_, t) => has_indices(t),
        TyKind::Scalar(_) | TyKind::Meta(_) => false,
    }
}

fn is_float(ty: Ty) -> bool {
    ty.as_scalar().is_some_and(Scalar::is_float)
}

struct Lift {
    definitions: Definitions,
    /// Whether what is no float has a range.
    ranges: bool,
    /// Whether indices have.
    ranges_of_indices: bool,
}

impl Lift {
    /// What stands for a value of a type.
    fn ty(&self, ty: Ty) -> Option<Ty> {
        Some(match ty.kind() {
            TyKind::Scalar(s) if s.is_float() => numbers::bounded(),
            TyKind::Scalar(_) if self.ranges => Ty::pair(ty, ty),
            TyKind::Idx(_) if self.ranges_of_indices => Ty::pair(ty, ty),
            TyKind::Scalar(_) | TyKind::Idx(_) => ty,
            TyKind::Pair(a, b) => Ty::pair(self.ty(a)?, self.ty(b)?),
            TyKind::Fun(a, b) => Ty::fun(self.ty(a)?, self.ty(b)?),
            TyKind::Array(n, t) => Ty::array(n, self.ty(t)?),
            TyKind::Vec(..) | TyKind::Meta(_) => return None,
        })
    }

    fn has_range(&self, ty: Ty) -> bool {
        match ty.kind() {
            TyKind::Scalar(s) => self.ranges && !s.is_float(),
            TyKind::Idx(_) => self.ranges_of_indices,
            _ => false,
        }
    }

    fn term(&mut self, t: &Term) -> Option<Term> {
        if Chosen::of(t).is_some() {
            let (_, args) = t.as_prim_app()?;
            // The condition is about sizes alone.
            let [a, b] = [self.term(args[1])?, self.term(args[2])?];
            return call(Op::Select, [], [args[0].clone(), a, b]);
        }
        match t.kind() {
            Kind::Var(i) => Some(Term::var(*i, self.ty(t.ty())?)),
            Kind::Lam(hint, b) => {
                let (arg, _) = t.ty().as_fun()?;
                Some(Term::lam(*hint, self.ty(arg)?, self.term(b)?))
            }
            Kind::App(f, x) => Some(Term::app(self.term(f)?, self.term(x)?)),
            Kind::Lit(l) => self.literal(*l, t.ty()),
            Kind::Prim(p) => self.prim(*p, t.ty()),
            Kind::Hole(_) => None,
        }
    }

    fn literal(&mut self, l: Lit, ty: Ty) -> Option<Term> {
        let plain = Term::lit(l, ty);
        match ty.as_scalar().filter(|s| s.is_float()) {
            Some(_) => self.given(ty, plain),
            None if self.has_range(ty) => call(Op::Pair, [], [plain.clone(), plain]),
            None => Some(plain),
        }
    }

    /// A value of a type that is known.
    fn given(&mut self, ty: Ty, x: Term) -> Option<Term> {
        match ty.kind() {
            TyKind::Scalar(s) if s.is_float() => {
                let wide = call_as(Op::Cast, [], [x], Scalar::F64.into())?;
                Some(Term::app(self.definitions.float(s, "exact")?, wide))
            }
            TyKind::Pair(..) => {
                let [a, b] = parts(&x)?;
                let (s, t) = ty.as_pair()?;
                call(Op::Pair, [], [self.given(s, a)?, self.given(t, b)?])
            }
            TyKind::Array(_, t) => {
                let f = Term::lam(None, t, self.given(t, Term::var(0, t))?);
                call(Op::Map, [], [f, x])
            }
            _ if self.has_range(ty) => {
                let certain = self.definitions.whole(ty, "certain")?;
                Some(Term::app(certain, x))
            }
            _ => Some(x),
        }
    }

    /// What is told of a result: two numbers for each.
    fn told(&mut self, ty: Ty, x: Term) -> Option<Term> {
        match ty.kind() {
            TyKind::Scalar(s) if s.is_float() => {
                Some(Term::app(self.definitions.float(s, "measured")?, x))
            }
            TyKind::Pair(..) => {
                let [a, b] = parts(&x)?;
                let (s, t) = ty.as_pair()?;
                call(Op::Pair, [], [self.told(s, a)?, self.told(t, b)?])
            }
            TyKind::Array(_, t) => {
                let inner = self.ty(t)?;
                let f = Term::lam(None, inner, self.told(t, Term::var(0, inner))?);
                call(Op::Map, [], [f, x])
            }
            _ if self.has_range(ty) => Some(x),
            _ => {
                let certain = self.definitions.whole(ty, "certain")?;
                Some(Term::app(certain, x))
            }
        }
    }

    fn prim(&mut self, p: Prim, ty: Ty) -> Option<Term> {
        let same = |of: &Lift| Some(Term::prim(p, of.ty(ty)?));
        match p.op().sort() {
            Sort::Loop(Loop::Generate) if self.ranges_of_indices => self.generate(ty),
            Sort::Loop(Loop::ScatterReduce | Loop::ReduceSegments)
            | Sort::View(View::Scatter | View::Reorder)
                if self.ranges_of_indices =>
            {
                None
            }
            Sort::View(View::Gather) if self.ranges_of_indices => self.gather(ty),
            Sort::Data(Data::Idx) if self.ranges_of_indices => self.element(ty),
            Sort::Data(Data::Select) if self.ranges => self.select(ty),
            Sort::Data(Data::Cast) => self.cast(ty),
            Sort::Loop(_) | Sort::View(_) | Sort::Data(_) => same(self),
            Sort::Bits(Bits::Bitcast) => self.bitcast(ty),
            _ if self.ty(ty)? == ty => same(self),
            _ => self.scalar(p.op(), ty),
        }
    }

    /// An operation on numbers alone.
    fn scalar(&mut self, op: Op, ty: Ty) -> Option<Term> {
        let (arg, _) = ty.as_fun()?;
        if let Some(s) = arg.as_scalar().filter(|s| s.is_float()) {
            return self.definitions.float(s, numbers::name_of(op)?);
        }
        match (op.sort(), numbers::name_of(op)) {
            (Sort::Logic(_), Some(name)) => self.definitions.logic(name),
            (Sort::Comparison(_), Some(name)) => self.definitions.whole(arg, name),
            (Sort::Arithmetic(_), Some(name)) if numbers::of_ranges(op) => {
                self.definitions.integer(arg, name)
            }
            _ => self.definitions.where_certain(op, ty),
        }
    }

    /// `\f -> generate (\i -> f (i, i))`
    fn generate(&mut self, ty: Ty) -> Option<Term> {
        let (f, _) = ty.as_fun()?;
        let (idx, _) = f.as_fun()?;
        let i = Term::var(0, idx);
        let both = call(Op::Pair, [], [i.clone(), i])?;
        let f = self.ty(f)?;
        let inner = Term::lam(None, idx, Term::app(Term::var(1, f), both));
        Some(Term::lam(None, f, call(Op::Generate, [], [inner])?))
    }

    /// `\i xs -> idx i xs`, of which nothing is known where i is in doubt.
    fn element(&mut self, ty: Ty) -> Option<Term> {
        let (args, result) = ty.uncurried();
        let [i, xs] = args[..] else { return None };
        let (is, elements) = (self.ty(i)?, self.ty(xs)?);
        let place = parts(&Term::var(1, is))?;
        let element = call(Op::Idx, [], [place[0].clone(), Term::var(0, elements)])?;
        let sure = call(Op::Eq, [], place)?;
        let body = self.in_doubt(result, &sure, &element)?;
        Some(Term::lam(None, is, Term::lam(None, elements, body)))
    }

    fn in_doubt(&mut self, ty: Ty, sure: &Term, x: &Term) -> Option<Term> {
        let unknown = match ty.kind() {
            TyKind::Scalar(s) if s.is_float() => self.definitions.float(s, "unknown")?,
            TyKind::Pair(s, t) => {
                let [a, b] = parts(x)?;
                let both = [self.in_doubt(s, sure, &a)?, self.in_doubt(t, sure, &b)?];
                return call(Op::Pair, [], both);
            }
            TyKind::Array(_, t) => {
                let inner = self.ty(t)?;
                let body = self.in_doubt(t, &sure.shift(1), &Term::var(0, inner))?;
                return call(Op::Map, [], [Term::lam(None, inner, body), x.clone()]);
            }
            _ => self.definitions.whole(ty, "unknown")?,
        };
        Some(Term::apps(unknown, [sure.clone(), x.clone()]))
    }

    /// `\is xs -> map (\i -> idx i xs) is`
    fn gather(&mut self, ty: Ty) -> Option<Term> {
        let (args, _) = ty.uncurried();
        let [is, xs] = args[..] else { return None };
        let (_, idx) = is.as_array()?;
        let (_, elem) = xs.as_array()?;
        let element = self.element(Ty::funs([idx, xs], elem))?;
        let [is, xs, idx] = [self.ty(is)?, self.ty(xs)?, self.ty(idx)?];
        let one = Term::apps(element, [Term::var(0, idx), Term::var(1, xs)]);
        let all = call(Op::Map, [], [Term::lam(None, idx, one), Term::var(1, is)])?;
        Some(Term::lam(None, is, Term::lam(None, xs, all)))
    }

    /// Of two values, where data decide.
    fn select(&mut self, ty: Ty) -> Option<Term> {
        let (args, result) = ty.uncurried();
        let [c, ..] = args[..] else { return None };
        let (c, of) = (self.ty(c)?, self.ty(result)?);
        let [cond, a, b] = [Term::var(2, c), Term::var(1, of), Term::var(0, of)];
        let body = self.either(result, &cond, &a, &b)?;
        let body = Term::lam(None, of, body);
        Some(Term::lam(None, c, Term::lam(None, of, body)))
    }

    fn either(&mut self, ty: Ty, c: &Term, a: &Term, b: &Term) -> Option<Term> {
        let chosen = match ty.kind() {
            TyKind::Scalar(s) if s.is_float() => self.definitions.float(s, "chosen")?,
            TyKind::Pair(s, t) => {
                let ([a0, a1], [b0, b1]) = (parts(a)?, parts(b)?);
                let both = [self.either(s, c, &a0, &b0)?, self.either(t, c, &a1, &b1)?];
                return call(Op::Pair, [], both);
            }
            TyKind::Array(_, t) => {
                let both = call(Op::Zip, [], [a.clone(), b.clone()])?;
                let inner = self.ty(t)?;
                let elem = Ty::pair(inner, inner);
                let [x, y] = parts(&Term::var(0, elem))?;
                let body = self.either(t, &c.shift(1), &x, &y)?;
                return call(Op::Map, [], [Term::lam(None, elem, body), both]);
            }
            _ if self.has_range(ty) => self.definitions.whole(ty, "chosen")?,
            // Indices that nobody chooses.
            _ => return None,
        };
        Some(Term::apps(chosen, [c.clone(), a.clone(), b.clone()]))
    }

    fn cast(&mut self, ty: Ty) -> Option<Term> {
        let (from, to) = ty.as_fun()?;
        let floats = [from, to].map(|t| t.as_scalar().filter(|s| s.is_float()));
        match floats {
            [Some(from), Some(to)] => self.definitions.between(from, to),
            [Some(from), None] => self.definitions.as_whole(from, to),
            [None, Some(to)] => self.definitions.as_float(from, to, self.has_range(from)),
            [None, None] if self.ty(ty)? == ty => Some(Term::prim(Op::Cast.into(), ty)),
            [None, None] => {
                let [have, want] = [from, to].map(|t| self.has_range(t));
                self.definitions.between_wholes((from, have), (to, want))
            }
        }
    }

    fn bitcast(&mut self, ty: Ty) -> Option<Term> {
        let (from, to) = ty.as_fun()?;
        if self.ty(ty)? == ty {
            return Some(Term::prim(Op::Bitcast.into(), ty));
        }
        match is_float(from) || is_float(to) {
            // Digits of floats are rarely looked at.
            true => None,
            false => self.definitions.where_certain(Op::Bitcast, ty),
        }
    }
}

/// Both components of a pair.
fn parts(x: &Term) -> Option<[Term; 2]> {
    Some([
        call(Op::Fst, [], [x.clone()])?,
        call(Op::Snd, [], [x.clone()])?,
    ])
}

/// Sizes of definitions over indices stand for this one.
fn sized(t: &Term, n: Nat) -> Term {
    let name = crate::intern::Symbol::new(numbers::SIZE);
    let put = |m: Nat| m.subst_var(name, n);
    t.map_types(&mut |ty| ty.map_nats(&mut |m| put(m)), &mut |m| put(m))
}
