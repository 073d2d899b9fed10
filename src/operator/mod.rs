//! Which laws an operator obeys: proved, refuted by a point, or unknown.
//!
//! Comes in: a term of type `t -> t -> t`, whatever it is made of, and how numbers are read ([`Meaning`]); goes out: a
//! [`Verdict`] on each law. The ladder goes from cheap to dear: points, corners first (`points`); then each scalar of both
//! sides by itself, so that components which do not read each other are decided one by one: bit by bit (`bits`, `words`), or as
//! polynomials in cases (`cases`). Invariants: "proved" holds for all values of the type, and of the variables that the
//! operator mentions; "refuted" has a point at which the sides differ, which on the machine the interpreter has confirmed;
//! answers are the same everywhere, and remembered. Absent: solvers, how operators are applied.
//!
//! Note [Meanings]: on the machine integers wrap and floats obey IEEE 754 to the bit. Over reals floats are real numbers, as
//! the permission to reassociate reads them, and a law holds wherever all values are real: NaN, and zero as a denominator,
//! are left out; an identity may be infinite. Without bounds integers are those of mathematics, operands of unsigned
//! types not negative, casts between integers change nothing, and floats are real numbers.

mod atoms;
mod bits;
mod cases;
mod dag;
mod frac;
pub mod generate;
mod identity;
pub mod lift;
mod linear;
mod points;
mod poly;
mod question;
mod read;
mod value;
pub mod words;

pub use identity::Identity;
pub use points::Number;
pub use question::{Counterexample, Named};

use crate::term::Term;
use question::Question;
use std::cell::RefCell;
use std::collections::HashMap;

/// How numbers are read; see Note [Meanings].
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Meaning {
    /// Integers without bounds, real numbers.
    Unbounded,
    /// Integers wrap, floats to the bit.
    Machine,
    /// Integers wrap, floats are real numbers.
    Reals,
}

impl Meaning {
    /// The one that a step of a search has.
    pub fn permitted(reassociate: bool) -> Meaning {
        match reassociate {
            true => Meaning::Reals,
            false => Meaning::Machine,
        }
    }

    /// Whether integers are those of the machine, so that kernels compute with them.
    pub fn is_of_machine(self) -> bool {
        self.wraps()
    }

    fn wraps(self) -> bool {
        self != Meaning::Unbounded
    }

    fn strict_floats(self) -> bool {
        self == Meaning::Machine
    }
}

/// A law of two sides; which they are is said in `algebra`.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Law {
    /// `op (op x y) z = op x (op y z)`
    Associative,
    /// `op x y = op y x`
    Commutative,
    /// `op (op x y) y = op x y`
    Idempotent,
}

impl Law {
    /// All.
    pub const ALL: [Law; 3] = [Law::Associative, Law::Commutative, Law::Idempotent];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Law::Associative => "associative",
            Law::Commutative => "commutative",
            Law::Idempotent => "idempotent",
        }
    }

    /// What it says.
    pub fn equation(self) -> &'static str {
        match self {
            Law::Associative => "op (op x y) z = op x (op y z)",
            Law::Commutative => "op x y = op y x",
            Law::Idempotent => "op (op x y) y = op x y",
        }
    }
}

/// What is known of a law.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It holds for all values.
    Proved(Method),
    /// It does not hold at a point.
    Refuted(Counterexample),
    /// Neither was found.
    Unknown(&'static str),
}

impl Verdict {
    /// Whether it is proved.
    pub fn is_proved(&self) -> bool {
        matches!(self, Verdict::Proved(_))
    }

    /// How it was proved.
    pub fn method(&self) -> Option<Method> {
        match self {
            Verdict::Proved(method) => Some(*method),
            _ => None,
        }
    }

    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Proved(_) => "proved",
            Verdict::Refuted(_) => "refuted",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

/// How a law was proved.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Method {
    /// Both sides are one polynomial, after as many cases.
    Cases(u32),
    /// Both sides agree for all values of a bit.
    Bits,
    /// Both sides reach the same thresholds.
    Thresholds,
    /// Both sides have the same bits, computed of those of their operands.
    Words,
    /// Both sides were computed for all values of their operands.
    Values,
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Method::Cases(1) => f.write_str("the sides are one polynomial"),
            Method::Cases(n) => write!(
                f,
                "{n} cases, in each of which the sides are one polynomial"
            ),
            Method::Bits => f.write_str("the sides agree for all values of a bit"),
            Method::Thresholds => f.write_str("the sides are as large as the same thresholds"),
            Method::Words => f.write_str("the sides have the same bits"),
            Method::Values => f.write_str("the sides were computed for all values"),
        }
    }
}

/// What a question may cost.
#[derive(Copy, Clone, Debug)]
pub struct Effort {
    /// Random points.
    pub points: u32,
    /// Cases of a proof.
    pub cases: u32,
}

impl Effort {
    /// Of a search, which asks about many operators.
    pub const SEARCH: Effort = Effort {
        points: 400,
        cases: 3_000,
    };
    /// Of somebody who asks about one.
    pub const ASKED: Effort = Effort {
        points: 6_000,
        cases: 40_000,
    };
}

/// Why nothing is said of an operator.
pub(crate) const UNREADABLE: &str = "it is made of operations that are not looked into";
pub(crate) const UNDECIDED: &str = "no proof and no counterexample was found within the limits";

/// Whether the operator, with `names` for its variables, innermost first, obeys a law.
pub fn judge(op: &Term, names: &[Named], meaning: Meaning, law: Law, effort: Effort) -> Verdict {
    match Question::new(op, names) {
        Some(mut question) => question.judge(law, meaning, effort),
        None => Verdict::Unknown(UNREADABLE),
    }
}

/// An identity of an operator on one side: the left one is the `e` of `op e x = x`.
pub fn identity(
    op: &Term,
    names: &[Named],
    meaning: Meaning,
    left: bool,
    effort: Effort,
) -> Identity {
    match Question::new(op, names) {
        Some(mut question) => question.identity(left, meaning, effort),
        None => Identity::Unknown(UNREADABLE),
    }
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Asked {
    Law(Law),
    Identity(Term),
    Equal(Term),
}

/// Answers that are kept before all are forgotten.
const MOST_ANSWERS: usize = 20_000;

thread_local! {
    static ANSWERS: RefCell<HashMap<(Term, Meaning, Asked), bool>> = RefCell::default();
}

/// Whether a law is proved; for searches and checkers.
pub fn proves(op: &Term, meaning: Meaning, law: Law) -> bool {
    remembered(op, meaning, Asked::Law(law), || {
        judge(op, &[], meaning, law, Effort::SEARCH).is_proved()
    })
}

/// Whether `e` is proved to be an identity on both sides.
pub fn proves_identity(op: &Term, e: &Term, meaning: Meaning) -> bool {
    remembered(op, meaning, Asked::Identity(e.clone()), || {
        let question = Question::new(op, &[]);
        question.is_some_and(|mut q| q.has_identity(e, meaning, Effort::SEARCH))
    })
}

/// Whether two closed functions of data are proved to be equal, for all arguments.
pub fn proves_equal(f: &Term, g: &Term, meaning: Meaning) -> bool {
    remembered(f, meaning, Asked::Equal(g.clone()), || {
        question::equal(f, g, meaning, Effort::SEARCH) == Some(true)
    })
}

fn remembered(op: &Term, meaning: Meaning, asked: Asked, answer: impl FnOnce() -> bool) -> bool {
    let key = (op.clone(), meaning, asked);
    if let Some(known) = ANSWERS.with_borrow(|a| a.get(&key).copied()) {
        return known;
    }
    let answer = answer();
    ANSWERS.with_borrow_mut(|a| {
        if a.len() >= MOST_ANSWERS {
            a.clear();
        }
        a.insert(key, answer);
    });
    answer
}
