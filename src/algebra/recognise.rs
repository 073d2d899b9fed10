//! Finds the operation inside of an operator.
//!
//! Comes in: a closed term of type `t -> t -> t`; goes out: an [`Operator`], the
//! tree of operations of the table that it consists of: `add`, `\x y -> y + x`,
//! `\x y -> pair (fst x + fst y) (max (snd x) (snd y))`, or `+` of all elements of
//! two arrays. Invariant: the tree means what the term means. Absent: operators
//! that mix components (complex products and their like).

use super::{table, Floats, Property};
use crate::arith::Nat;
use crate::term::{call, normalize, Kind, Lit, Op, Term};
use crate::ty::{Scalar, Ty, TyKind};

/// An operator whose laws are known from those of its parts.
#[derive(Clone, PartialEq, Debug)]
pub enum Operator {
    /// An operation of the table on a scalar or a vector, lane by lane.
    Scalar {
        /// The operation.
        op: Op,
        /// Type of the elements.
        elem: Scalar,
        /// Number of lanes of a vector.
        lanes: Option<Nat>,
        /// Whether it is `\x y -> op y x`.
        swapped: bool,
    },
    /// Component by component on pairs.
    Pair(Box<Operator>, Box<Operator>),
    /// Element by element on arrays of a size.
    Array(Nat, Box<Operator>),
}

/// The identity of an operator as a term, if it is known to have one; `reassociate` is the permission of Note [Strict floats].
pub fn determined(op: &Term, reassociate: bool) -> Option<Term> {
    recognise(op)?.identity(Floats::reassociated(reassociate))
}

/// The operator of a term; `None` when it is none that is known.
pub fn recognise(term: &Term) -> Option<Operator> {
    let (t, rest) = term.ty().as_fun()?;
    if rest != Ty::fun(t, t) || term.open() > 0 {
        return None;
    }
    let term = normalize(term);
    match term.kind() {
        Kind::Prim(p) => scalar(p.op(), t, false),
        Kind::Lam(_, inner) => match inner.kind() {
            Kind::Lam(_, body) => find(body, &Term::var(1, t), &Term::var(0, t)),
            _ => None,
        },
        _ => None,
    }
}

fn scalar(op: Op, t: Ty, swapped: bool) -> Option<Operator> {
    let (elem, lanes) = match t.kind() {
        TyKind::Scalar(s) => (s, None),
        TyKind::Vec(k, e) => (e.as_scalar()?, Some(k)),
        _ => return None,
    };
    // Only these combine two values of a type to one of it.
    let combines = matches!(
        op,
        Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod | Op::Min | Op::Max | Op::And | Op::Or
    ) || elem == Scalar::Bool && matches!(op, Op::Eq | Op::Ne);
    combines.then_some(Operator::Scalar {
        op,
        elem,
        lanes,
        swapped,
    })
}

/// `body` as an operator applied to `x` and `y`.
fn find(body: &Term, x: &Term, y: &Term) -> Option<Operator> {
    let (p, args) = body.as_prim_app()?;
    match (p.op(), &args[..]) {
        (Op::Pair, [a, b]) => {
            let part = |op, of: &Term| call(op, [], std::slice::from_ref(of));
            let left = find(a, &part(Op::Fst, x)?, &part(Op::Fst, y)?)?;
            let right = find(b, &part(Op::Snd, x)?, &part(Op::Snd, y)?)?;
            Some(Operator::Pair(left.into(), right.into()))
        }
        (Op::Map | Op::MapSeq | Op::MapPar | Op::MapSeqUnroll, [f, zipped]) => {
            let (z, pairs) = zipped.as_prim_app()?;
            let [a, b] = pairs[..] else { return None };
            if z.op() != Op::Zip {
                return None;
            }
            let (n, elem) = zipped.ty().as_array()?;
            let Kind::Lam(_, inner) = f.kind() else {
                return None;
            };
            let z = Term::var(0, elem);
            let (first, second) = (call(Op::Fst, [], [z.clone()])?, call(Op::Snd, [], &[z])?);
            let each = match () {
                _ if a == x && b == y => find(inner, &first, &second),
                _ if a == y && b == x => find(inner, &second, &first),
                _ => None,
            }?;
            Some(Operator::Array(n, each.into()))
        }
        (op, [a, b]) if *a == x && *b == y => scalar(op, body.ty(), false),
        (op, [a, b]) if *a == y && *b == x => scalar(op, body.ty(), true),
        _ => None,
    }
}

impl Operator {
    /// Whether it is known to have a property: all its parts have.
    pub fn has(&self, property: Property, floats: Floats) -> bool {
        match self {
            Operator::Scalar {
                op, elem, swapped, ..
            } => {
                // The table is about the operation as it stands: `\x y -> op y x` is another one.
                let stays = !*swapped || property.swaps();
                stays && table::facts(*op, *elem, floats).properties.has(property)
            }
            Operator::Pair(a, b) => a.has(property, floats) && b.has(property, floats),
            Operator::Array(_, each) => each.has(property, floats),
        }
    }

    /// Whether the closed term `e` is known as an identity on both sides.
    pub fn has_identity(&self, e: &Term, floats: Floats) -> bool {
        self.has_left_identity(e, floats) && self.has_right_identity(e, floats)
    }

    /// Whether `op e x = x` is known.
    pub fn has_left_identity(&self, e: &Term, floats: Floats) -> bool {
        self.matches(&normalize(e), &|o| o.identities(true, floats))
    }

    /// Whether `op x e = x` is known.
    pub fn has_right_identity(&self, e: &Term, floats: Floats) -> bool {
        self.matches(&normalize(e), &|o| o.identities(false, floats))
    }

    /// An identity on both sides, if there is one.
    pub fn identity(&self, floats: Floats) -> Option<Term> {
        match self {
            Operator::Scalar { elem, lanes, .. } => {
                let right = self.identities(false, floats);
                let mut both = self.identities(true, floats);
                both.retain(|l| right.contains(l));
                let one = Term::lit(*both.first()?, (*elem).into());
                match lanes {
                    None => Some(one),
                    Some(k) => crate::term::call_as(
                        Op::VectorFromScalar,
                        [],
                        &[one],
                        Ty::vec(*k, (*elem).into()),
                    ),
                }
            }
            Operator::Pair(a, b) => call(Op::Pair, [], &[a.identity(floats)?, b.identity(floats)?]),
            Operator::Array(n, each) => call(Op::Fill, [*n], &[each.identity(floats)?]),
        }
    }

    /// Of the operation of the table, seen from here.
    fn identities(&self, left: bool, floats: Floats) -> Vec<Lit> {
        let Operator::Scalar {
            op, elem, swapped, ..
        } = self
        else {
            return Vec::new();
        };
        let f = table::facts(*op, *elem, floats);
        if left != *swapped {
            f.left
        } else {
            f.right
        }
    }

    /// Whether every part of `e`, in normal form, is among the literals for it.
    fn matches(&self, e: &Term, of: &impl Fn(&Operator) -> Vec<Lit>) -> bool {
        match (self, e.kind()) {
            (Operator::Scalar { lanes: None, .. }, Kind::Lit(l)) => of(self).contains(l),
            _ => {
                let Some((p, args)) = e.as_prim_app() else {
                    return false;
                };
                match (self, p.op(), &args[..]) {
                    (Operator::Scalar { lanes: Some(_), .. }, Op::VectorFromScalar, [x]) => {
                        matches!(x.kind(), Kind::Lit(l) if of(self).contains(l))
                    }
                    (Operator::Pair(a, b), Op::Pair, [x, y]) => {
                        a.matches(x, of) && b.matches(y, of)
                    }
                    (Operator::Array(_, each), Op::Fill, [x]) => each.matches(x, of),
                    (Operator::Array(_, each), Op::MakeArray, xs) => {
                        xs.iter().all(|x| each.matches(x, of))
                    }
                    (Operator::Array(_, each), Op::Generate, [f]) => match f.kind() {
                        Kind::Lam(_, x) => each.matches(x, of),
                        _ => false,
                    },
                    _ => false,
                }
            }
        }
    }
}
