//! Terms that stand in for variables that are not in scope.
//!
//! Comes in: a term as its e-nodes were made, the variables in scope where it shall
//! stand; goes out: the same term with a closed one for every variable that is not
//! among them. See Note [Variables of elsewhere]. Absent: what has no value, such as
//! `idx[0]`; then there is no term.

use super::spelled::Spelled;
use crate::term::{call, call_as, Kind, Lit, Op, Term};
use crate::ty::{Ty, TyKind};

// Note [Variables of elsewhere]
//
// A class may hold `(\_ -> e) x` beside e, so wherever e stands, the walk may have to
// pass through a redex whose `x` was made under other binders and mentions their
// variables. At this place they mean nothing, or another variable of another type.
// But no later step depends on them: a rule that holds of a variable holds of any term
// of its type. So a term that was spelled from e-nodes is put into the scope where it
// stands: a variable that is not in scope there, or has another type there, becomes a
// closed term that depends on nothing but the type. It keeps the anchor of the
// variable, since it goes wherever the variable would have gone.

pub type Walked<T = Spelled> = Result<T, String>;

/// The type of the variable that a lambda binds.
pub fn bound(t: &Term) -> Option<Ty> {
    match t.kind() {
        Kind::Lam(..) => t.ty().as_fun().map(|f| f.0),
        _ => None,
    }
}

/// The term as it can stand under variables of these types, the innermost last.
pub fn put_under(t: &Spelled, scope: &mut Vec<Ty>) -> Walked {
    let mut in_scope = |i: u32, ty: Ty| {
        let at = scope.len().checked_sub(1 + i as usize);
        at.is_some_and(|at| scope[at] == ty)
    };
    if t.term().is_well_scoped(&mut in_scope) {
        return Ok(t.clone());
    }
    if t.kids() == 0 {
        let stand_in = closed(t.ty());
        let stand_in = stand_in.ok_or_else(|| format!("nothing has the type {}", t.ty()))?;
        return Ok(Spelled::leaf(stand_in, t.anchor()));
    }
    let mut new = t.clone();
    for i in 0..t.kids() {
        let depth = scope.len();
        scope.extend(bound(t.term()));
        let kid = put_under(t.kid(i), scope);
        scope.truncate(depth);
        new = new.with_kid(i, kid?);
    }
    Ok(new)
}

/// A closed term of a type: zeros, in every element, for every argument.
fn closed(ty: Ty) -> Option<Term> {
    match ty.kind() {
        TyKind::Scalar(s) => Some(Term::lit(Lit::number(0.0, s), ty)),
        TyKind::Idx(n) => (n.as_int() != Some(0)).then(|| Term::lit(Lit::Int(0), ty)),
        TyKind::Pair(s, t) => call(Op::Pair, [], [closed(s)?, closed(t)?]),
        TyKind::Array(n, t) => call(Op::Fill, [n], [closed(t)?]),
        TyKind::Fun(s, t) => Some(Term::lam(None, s, closed(t)?)),
        TyKind::Vec(_, t) => call_as(Op::VectorFromScalar, [], [closed(t)?], ty),
        TyKind::Meta(_) => None,
    }
}
