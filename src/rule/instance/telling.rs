//! Functions that tell their arguments apart.
//!
//! Comes in: a hole whose type is known; goes out: a term for it whose value depends on everything that it may mention,
//! on each thing in another way: `\x y -> 3*x + 5*y`, an array of its own for each data hole. Random terms are
//! often constant, and then agree where sides differ. Absent: holes of which a condition asks laws.

use super::holes::Drawn;
use crate::term::{call, call_as, Lit, Op, Term};
use crate::ty::{Ty, TyKind};

/// Factors of what is told apart.
const FACTORS: [f64; 8] = [3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0, 23.0];

/// Variables in scope, innermost last; `None` for one that must not be used.
type Scope = Vec<Option<Ty>>;

impl Drawn<'_> {
    /// Draws the holes of which no condition asks anything, as far as there is a telling term for them.
    pub fn tell(&mut self) {
        let mut param = 0;
        for h in 0..self.rule.holes.len() {
            let ty = self.ty(h);
            // Parameters begin with one for each data hole.
            let own = match ty.is_fun() || ty.has_meta() {
                true => None,
                false => {
                    param += 1;
                    Some(param - 1)
                }
            };
            if self.holes[h].is_some() || self.rule.holes[h].computed {
                continue;
            }
            let mut scope: Scope = vec![None; self.params.len()];
            let binders = self.scopes[h].iter();
            scope.extend(binders.map(|((_, ty), may)| may.then_some(*ty)));
            if let Some(p) = own {
                scope[p] = Some(ty);
            }
            let mut next = h;
            self.holes[h] = telling(ty, &mut scope, own, &mut next);
        }
    }
}

/// A term of a type; `own` is the place of a variable of this type.
fn telling(ty: Ty, scope: &mut Scope, own: Option<usize>, next: &mut usize) -> Option<Term> {
    let others = |scope: &Scope| (0..scope.len()).any(|i| scope[i].is_some() && Some(i) != own);
    if let Some(p) = own.filter(|_| !others(scope)) {
        return Some(Term::var((scope.len() - 1 - p) as u32, ty));
    }
    match ty.kind() {
        TyKind::Fun(arg, result) => {
            scope.push(Some(arg));
            let body = telling(result, scope, None, next);
            scope.pop();
            Some(Term::lam(None, arg, body?))
        }
        TyKind::Pair(a, b) => {
            let a = telling(a, scope, None, next)?;
            let b = telling(b, scope, None, next)?;
            call(Op::Pair, [], [a, b])
        }
        TyKind::Array(n, elem) => match own {
            Some(p) => {
                let var = Term::var((scope.len() - 1 - p) as u32, ty);
                scope[p] = None;
                if elem.as_scalar().is_none() {
                    return Some(var);
                }
                // Every element with what it may depend on.
                scope.push(Some(elem));
                let each = telling(elem, scope, None, next);
                scope.pop();
                call(Op::Map, [], [Term::lam(None, elem, each?), var])
            }
            None => {
                // An array in scope, each of whose elements differs from what it was.
                let place = scope.iter().rposition(|t| *t == Some(ty));
                match place {
                    Some(p) => telling(ty, &mut scope.clone(), Some(p), next),
                    None => call(Op::Fill, [n], [telling(elem, scope, None, next)?]),
                }
            }
        },
        TyKind::Scalar(s) if s.is_int() || s.is_float() => {
            let mut parts = Vec::new();
            for (i, t) in scope.iter().enumerate() {
                if let Some(t) = t {
                    let var = Term::var((scope.len() - 1 - i) as u32, *t);
                    components(&var, ty, &mut parts);
                }
            }
            let literal = |x: f64| Term::lit(Lit::number(x, s), ty);
            let mut factor = || {
                *next += 1;
                literal(FACTORS[*next % FACTORS.len()])
            };
            let mut sum = factor();
            for part in parts {
                let term = call(Op::Mul, [], [factor(), part])?;
                sum = call(Op::Add, [], [sum, term])?;
            }
            Some(sum)
        }
        _ => None,
    }
}

/// The numbers of a type that a value holds; of an array one that depends on all and on their order.
fn components(v: &Term, of: Ty, out: &mut Vec<Term>) {
    match v.ty().kind() {
        _ if v.ty() == of => out.push(v.clone()),
        TyKind::Pair(..) => {
            for op in [Op::Fst, Op::Snd] {
                if let Some(part) = call(op, [], [v.clone()]) {
                    components(&part, of, out);
                }
            }
        }
        TyKind::Array(_, elem) => {
            let step = || {
                let mut parts = Vec::new();
                components(&Term::var(0, elem), of, &mut parts);
                let acc = Term::var(1, of);
                let two = call(Op::Add, [], [acc.clone(), acc.clone()])?;
                let mut sum = call(Op::Add, [], [two, acc])?;
                for part in parts {
                    sum = call(Op::Add, [], [sum, part])?;
                }
                let f = Term::lam(None, of, Term::lam(None, elem, sum));
                let start = Term::lit(Lit::number(0.0, of.as_scalar()?), of);
                call_as(Op::ReduceSeq, [], [f, start, v.clone()], of)
            };
            out.extend(step());
        }
        TyKind::Scalar(s) if s.is_int() || s.is_float() => {
            out.extend(call_as(Op::Cast, [], [v.clone()], of));
        }
        _ => {}
    }
}
