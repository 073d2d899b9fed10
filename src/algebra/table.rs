//! The tables: what operations on scalars satisfy, and the laws that rules may ask for.
//!
//! Comes in: an operation and the type of its operands; goes out: its
//! [`Facts`]. Vectors inherit from their elements. Absent: lambdas
//! (`recognise`).

use super::{Floats, Form, Law};
use crate::operator;
use crate::term::{call_as, Lit, Op, Term};
use crate::ty::{Scalar, Ty};

/// The laws, in the order in which messages name them. A property that is new is a line here, its equation, and the
/// operations that have it.
pub static LAWS: [Law; 6] = [
    law("associative", Form::Property(Property::Associative), true),
    law("commutative", Form::Property(Property::Commutative), false),
    law("idempotent", Form::Property(Property::Idempotent), false),
    law("identity", Form::Identity, false),
    law("accumulates", Form::Accumulates, true),
    law("equal", Form::Equal, false),
];

const fn law(name: &'static str, form: Form, regroups: bool) -> Law {
    Law {
        name,
        form,
        regroups,
    }
}

/// What an operator may satisfy for all operands.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Property {
    Associative,
    Commutative,
    Idempotent,
}

impl Property {
    /// The sides that are equal.
    pub fn sides<T>(self, op: impl Fn(&T, &T) -> T, [x, y, z]: [&T; 3]) -> [T; 2] {
        match self {
            Property::Associative => [op(&op(x, y), z), op(x, &op(y, z))],
            Property::Commutative => [op(x, y), op(y, x)],
            Property::Idempotent => [op(&op(x, y), y), op(x, y)],
        }
    }

    /// As those who prove it call it.
    pub(super) fn law(self) -> operator::Law {
        match self {
            Property::Associative => operator::Law::Associative,
            Property::Commutative => operator::Law::Commutative,
            Property::Idempotent => operator::Law::Idempotent,
        }
    }

    /// Whether `\x y -> op y x` has it wherever `op` has.
    pub(super) fn swaps(self) -> bool {
        match self {
            Property::Associative | Property::Commutative => true,
            Property::Idempotent => false,
        }
    }
}

/// A set of properties.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Properties(u32);

impl Properties {
    /// Those of a list.
    pub const fn of(list: &[Property]) -> Properties {
        let (mut bits, mut i) = (0, 0);
        while i < list.len() {
            bits |= 1 << list[i] as u32;
            i += 1;
        }
        Properties(bits)
    }

    /// Whether a property is among them.
    pub fn has(self, p: Property) -> bool {
        self.contain(Properties::of(&[p]))
    }

    /// Whether all of the others are among them.
    pub fn contain(self, others: Properties) -> bool {
        others.0 & !self.0 == 0
    }

    /// These and another one.
    #[must_use]
    pub const fn and(self, p: Property) -> Properties {
        Properties(self.0 | 1 << p as u32)
    }

    fn without(self, p: Property) -> Properties {
        Properties(self.0 & !(1 << p as u32))
    }
}

impl FromIterator<Property> for Properties {
    fn from_iter<I: IntoIterator<Item = Property>>(all: I) -> Properties {
        all.into_iter().fold(Properties::default(), Properties::and)
    }
}

/// What an operator on a scalar type satisfies.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Facts {
    /// See [`Property::sides`].
    pub properties: Properties,
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
        properties: Properties::of(&[Property::Associative, Property::Commutative]),
        left: identities.to_vec(),
        right: identities.to_vec(),
    }
}

/// What does not associate.
fn commutes(facts: Facts) -> Facts {
    Facts {
        properties: facts.properties.without(Property::Associative),
        ..facts
    }
}

fn idempotent(facts: Facts) -> Facts {
    Facts {
        properties: facts.properties.and(Property::Idempotent),
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
    let (least, most) = s.bounds();
    let right = |e| Facts {
        right: vec![Lit::Int(e)],
        ..Facts::default()
    };
    match op {
        Op::Add => monoid(&[Lit::Int(0)]),
        Op::Mul => monoid(&[Lit::Int(1)]),
        Op::Min => idempotent(monoid(&[Lit::Int(most)])),
        Op::Max => idempotent(monoid(&[Lit::Int(least)])),
        Op::BitAnd => idempotent(monoid(&[Lit::Int(if s.is_signed() { -1 } else { most })])),
        Op::BitOr => idempotent(monoid(&[Lit::Int(0)])),
        Op::BitXor => monoid(&[Lit::Int(0)]),
        Op::Sub | Op::Shl | Op::Shr => right(0),
        Op::Div => right(1),
        _ => Facts::default(),
    }
}

/// See Note [Strict floats].
fn float(op: Op, s: Scalar, floats: Floats) -> Facts {
    let lit = |x: f64| Lit::number(x, s);
    let strict = floats == Floats::Strict;
    let (zero, minus_zero, one) = (lit(0.0), lit(-0.0), lit(1.0));
    match (op, strict) {
        (Op::Add, true) => commutes(monoid(&[minus_zero])),
        (Op::Mul, true) => commutes(monoid(&[one])),
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
