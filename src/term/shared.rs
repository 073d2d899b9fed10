//! What a definition or a function is given, computed once.
//!
//! In: a term. Out: an equal one without `(\x -> b) e`, in which e is put in for x, but for arrays that take more than arithmetic
//! to compute, and that b reads more than once, or in a loop: these get a name, `let e (\x -> b)`, as if the program had
//! given it. Where such an array is read once it is put in, so that loops can be fused.

use super::{normalize, Kind, Loop, Op, Sort, Term};
use crate::intern::Symbol;
use crate::ty::Ty;

/// The term with names for what is shared; nothing where nothing is.
pub fn shared(t: &Term) -> Option<Term> {
    let named = with_names(t);
    (normalize(&named) != normalize(t)).then_some(named)
}

fn with_names(t: &Term) -> Term {
    match t.kind() {
        Kind::Var(_) | Kind::Prim(_) | Kind::Lit(_) | Kind::Hole(_) => t.clone(),
        Kind::Lam(hint, body) => {
            let (arg, _) = t.ty().as_fun().expect("a lambda is a function");
            Term::lam(*hint, arg, with_names(body))
        }
        Kind::App(..) => {
            let (head, args) = t.spine();
            let args: Vec<Term> = args.into_iter().map(with_names).collect();
            elements(apply(with_names(head), &args))
        }
    }
}

/// A loop over what is computed, with a name for that if an inner loop reads an element again.
fn elements(t: Term) -> Term {
    let Some((p, args)) = t.as_prim_app() else {
        return t;
    };
    let (Op::Map, [f, xs]) = (p.op(), &args[..]) else {
        return t;
    };
    let again = |f: &Term| matches!(f.kind(), Kind::Lam(_, body) if is_read_again(body));
    let array = xs
        .ty()
        .as_array()
        .is_some_and(|(_, e)| e.as_array().is_some());
    if !array || !is_computed(xs) || !again(f) {
        return t;
    }
    let all = Term::var(0, xs.ty());
    let map = t.spine().0.clone();
    let body = Term::apps(map, [f.shift(1), all]);
    name(None, xs, body)
}

/// `let x = value in body`, where the body has the variable.
fn name(hint: Option<Symbol>, value: &Term, body: Term) -> Term {
    let result = body.ty();
    let f = Term::lam(hint, value.ty(), body);
    let ty = Ty::funs([value.ty(), f.ty()], result);
    Term::apps(Term::prim(Op::Let.into(), ty), [value.clone(), f])
}

/// A function of arguments in which everything is shared.
fn apply(f: Term, args: &[Term]) -> Term {
    let (Kind::Lam(hint, body), Some((x, rest))) = (f.kind(), args.split_first()) else {
        return Term::apps(f, args.iter().cloned());
    };
    let result = rest.iter().try_fold(body.ty(), |t, _| Some(t.as_fun()?.1));
    let data = result.is_some_and(|t| !t.is_fun());
    if !data || !is_computed(x) || !is_read_again(body) {
        return apply(with_names(&body.instantiate(x)), rest);
    }
    let rest: Vec<Term> = rest.iter().map(|a| a.shift(1)).collect();
    name(*hint, x, apply(body.clone(), &rest))
}

/// Whether it is an array whose elements take more than arithmetic.
fn is_computed(t: &Term) -> bool {
    let mut found = false;
    normalize(t).visit(&mut |t, _| {
        if let Kind::Prim(p) = t.kind() {
            found |= match p.op().sort() {
                Sort::Loop(l) => !matches!(
                    l,
                    Loop::Map | Loop::MapSeq | Loop::MapPar | Loop::MapSeqUnroll | Loop::Generate
                ),
                Sort::Function(_) => true,
                _ => p.op() == Op::ToMem,
            };
        }
    });
    found && t.ty().as_array().is_some()
}

/// Whether a body reads its variable more than once, or in a function that a loop calls.
fn is_read_again(body: &Term) -> bool {
    reads(&normalize(body), 0) > 1
}

/// How often a variable is read, as far as that is 0, 1 or more.
fn reads(t: &Term, i: u32) -> u32 {
    match t.kind() {
        Kind::Var(j) => u32::from(*j == i),
        Kind::Lam(_, body) => reads(body, i + 1).saturating_mul(2),
        Kind::App(..) => {
            let (head, args) = t.spine();
            let names = matches!(head.kind(), Kind::Prim(p) if p.op() == Op::Let);
            let of = |a: &Term| match a.kind() {
                Kind::Lam(_, body) if names => reads(body, i + 1),
                _ => reads(a, i),
            };
            args.into_iter()
                .map(of)
                .fold(reads(head, i), u32::saturating_add)
        }
        _ => 0,
    }
}
