//! The table: operations on scalars and what they satisfy.
//!
//! Comes in: an operation and the type of its operands; goes out: its
//! [`Facts`]. Vectors inherit from their elements. Absent: lambdas
//! (`recognise`).

use super::Floats;
use crate::term::{call_as, Lit, Op, Term};
use crate::ty::{Scalar, Ty};

/// What an operator on a scalar type satisfies.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Facts {
    /// `op (op x y) z = op x (op y z)`
    pub associative: bool,
    /// `op x y = op y x`
    pub commutative: bool,
    /// `op (op x y) y = op x y`
    pub idempotent: bool,
    /// Every `e` that is known with `op e x = x`.
    pub left: Vec<Lit>,
    /// Every `e` that is known with `op x e = x`.
    pub right: Vec<Lit>,
}

/// The line of the table; no facts where nothing is known.
pub(super) fn facts(op: Op, s: Scalar, floats: Floats) -> Facts {
    if s == Scalar::Bool {
        boolean(op)
    } else if s.is_int() {
        integer(op, s)
    } else {
        float(op, s, floats)
    }
}

fn monoid(identities: &[Lit]) -> Facts {
    Facts {
        associative: true,
        commutative: true,
        idempotent: false,
        left: identities.to_vec(),
        right: identities.to_vec(),
    }
}

fn idempotent(facts: Facts) -> Facts {
    Facts {
        idempotent: true,
        ..facts
    }
}

fn boolean(op: Op) -> Facts {
    match op {
        Op::And => idempotent(monoid(&[Lit::Bool(true)])),
        Op::Or => idempotent(monoid(&[Lit::Bool(false)])),
        Op::Eq => monoid(&[Lit::Bool(true)]),
        Op::Ne => monoid(&[Lit::Bool(false)]),
        _ => Facts::default(),
    }
}

/// Integers wrap, so they are a ring.
fn integer(op: Op, s: Scalar) -> Facts {
    let (least, most) = range(s);
    let right = |e| Facts {
        right: vec![Lit::Int(e)],
        ..Facts::default()
    };
    match op {
        Op::Add => monoid(&[Lit::Int(0)]),
        Op::Mul => monoid(&[Lit::Int(1)]),
        Op::Min => idempotent(monoid(&[Lit::Int(most)])),
        Op::Max => idempotent(monoid(&[Lit::Int(least)])),
        Op::Sub => right(0),
        Op::Div => right(1),
        _ => Facts::default(),
    }
}

fn range(s: Scalar) -> (i128, i128) {
    let bits = 8 * s.bytes() as u32;
    if s.is_signed() {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    }
}

/// See Note [Strict floats].
fn float(op: Op, s: Scalar, floats: Floats) -> Facts {
    let lit = |x: f64| Lit::number(x, s);
    let strict = floats == Floats::Strict;
    let (zero, minus_zero, one) = (lit(0.0), lit(-0.0), lit(1.0));
    match (op, strict) {
        (Op::Add, true) => Facts {
            associative: false,
            ..monoid(&[minus_zero])
        },
        (Op::Mul, true) => Facts {
            associative: false,
            ..monoid(&[one])
        },
        (Op::Min, true) => idempotent(Facts {
            left: vec![lit(f64::INFINITY)],
            ..Facts::default()
        }),
        (Op::Max, true) => idempotent(Facts {
            left: vec![lit(f64::NEG_INFINITY)],
            ..Facts::default()
        }),
        (Op::Add, false) => monoid(&[zero, minus_zero]),
        (Op::Mul, false) => monoid(&[one]),
        (Op::Min, false) => idempotent(monoid(&[lit(f64::INFINITY)])),
        (Op::Max, false) => idempotent(monoid(&[lit(f64::NEG_INFINITY)])),
        (Op::Sub, true) => Facts {
            right: vec![zero],
            ..Facts::default()
        },
        (Op::Sub, false) => Facts {
            right: vec![zero, minus_zero],
            ..Facts::default()
        },
        (Op::Div, _) => Facts {
            right: vec![one],
            ..Facts::default()
        },
        _ => Facts::default(),
    }
}

/// The operators `s -> s -> s` that the table knows, with what they satisfy.
pub fn operators(s: Scalar, floats: Floats) -> Vec<(Term, Facts)> {
    let ty = Ty::from(s);
    let at = Ty::funs([ty, ty], ty);
    Op::ALL
        .iter()
        .map(|&op| (op, facts(op, s, floats)))
        .filter(|(_, f)| *f != Facts::default())
        .filter_map(|(op, f)| Some((call_as(op, [], &[], at)?, f)))
        .collect()
}
