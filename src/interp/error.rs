//! Why a term has no value here.

use std::fmt;

/// What the interpreter refuses. None of these happens for a closed well-typed
/// term within the limits, at sizes that its types allow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InterpError {
    /// A free variable without a value, by index.
    OpenTerm(u32),
    /// A pattern variable of a rule.
    Hole(u32),
    /// A size that is not known, is no whole number, is negative or too large.
    Size(String),
    /// An unknown type, or one that a primitive cannot have.
    Type(String),
    /// An index that is not below its bound: a constant one, or any where there is none.
    OutOfRange { index: i128, size: u64 },
    /// An argument that does not fit the parameter.
    Argument(String),
    /// The step limit.
    Steps,
    /// The limit on bytes.
    Memory,
    /// The limit on nesting.
    Depth,
}

impl fmt::Display for InterpError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            InterpError::OpenTerm(i) => write!(f, "variable {i} has no value"),
            InterpError::Hole(i) => write!(f, "pattern variable {i} has no value"),
            InterpError::Size(n) => write!(f, "{n} is not the size of any array here"),
            InterpError::Type(t) => write!(f, "cannot evaluate at type {t}"),
            InterpError::OutOfRange { index, size } => {
                write!(f, "there is no element {index} in an array of {size}")
            }
            InterpError::Argument(what) => write!(f, "{what}"),
            InterpError::Steps => f.write_str("evaluation takes too many steps"),
            InterpError::Memory => f.write_str("evaluation takes too much memory"),
            InterpError::Depth => f.write_str("the term is nested too deeply to be evaluated"),
        }
    }
}

impl std::error::Error for InterpError {}
