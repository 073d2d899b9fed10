//! Why a rule does not apply at a sub-term, as data.

use crate::arith::Nat;
use crate::elab::Rel;
use crate::intern::Symbol;
use crate::obligation::Never;
use crate::term::{Class, Op, Term};
use crate::ty::Ty;

/// A sub-term with the names of its free variables.
#[derive(Clone, Debug)]
pub struct Found {
    /// The sub-term.
    pub term: Term,
    /// Its surroundings' variables, the innermost last.
    pub scope: Vec<Symbol>,
}

impl Found {
    pub(super) fn new(term: &Term, scope: &[Symbol]) -> Found {
        Found {
            term: term.clone(),
            scope: scope.to_vec(),
        }
    }
}

/// What has a type that does not fit.
#[derive(Clone, Debug)]
pub enum Typed {
    /// The whole sub-term.
    Whole,
    /// What a pattern variable stands for.
    Hole(Symbol, Found),
    /// A primitive.
    Prim(Op),
}

/// One reason.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// Something else stands there.
    Shape {
        /// Part of the left side; its free variables are the binders.
        wanted: Term,
        /// Names of the rule's binders above it, the innermost last.
        binders: Vec<Option<Symbol>>,
        /// What stands there.
        found: Found,
    },
    /// A pattern variable stands twice, for different terms.
    Differs {
        /// The pattern variable.
        hole: Symbol,
        /// What it stands for first.
        first: Found,
        /// And then.
        then: Found,
    },
    /// What a pattern variable stands for mentions a variable that it must not,
    /// by a condition or because the right side leaves its scope.
    Captured {
        /// The pattern variable.
        hole: Symbol,
        /// The rule's name of the variable.
        binder: Option<Symbol>,
        /// The variable's name in the term.
        variable: Symbol,
        /// The smallest part that mentions it.
        where_: Found,
    },
    /// A type does not fit.
    Type {
        /// Of what.
        of: Typed,
        /// What the rule asks, as far as it is known.
        wanted: Ty,
        /// What there is.
        found: Ty,
    },
    /// No sizes make these equal.
    SizeEquation(Nat, Nat),
    /// A size of a primitive is another one.
    PrimSize(Op, Nat, Nat),
    /// A type is not of the class that the rule asks.
    NotOfClass(Ty, Class),
    /// The first does not divide the second.
    Divides(Nat, Nat),
    /// It obliges to what holds at no sizes.
    Never(Never),
    /// What it makes has a part of a type that has no value, as an array of no elements.
    NoValue(Ty),
    /// A relation of sizes that does not hold, or (`true`) is not known to.
    Compare(Nat, Rel, Nat, bool),
    /// `associative op` and its like: the law in words, the operator, and whether it
    /// would hold with the permission to reassociate.
    Law(&'static str, Vec<Found>, bool),
    /// What of a function has no form on vectors.
    Vectorizable(Symbol, Found),
    /// The new term nests arrays deeper than the limit.
    Nesting(u32, u32),
    /// The new term is larger than the limit.
    Size(u32),
    /// A search refuses for a reason that is not among these.
    Search,
}
