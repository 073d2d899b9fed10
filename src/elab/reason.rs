//! Why a type is wanted, and where an unknown comes from: what messages are made of.

use crate::diag::{code, Diagnostic};
use crate::source::Span;
use crate::ty::Ty;

/// Why a type is wanted: "… is of type …", with the place that says so.
#[derive(Clone, Debug)]
pub struct Reason {
    pub(super) text: String,
    pub(super) span: Option<Span>,
}

impl Reason {
    pub fn new(text: impl Into<String>) -> Reason {
        Reason {
            text: text.into(),
            span: None,
        }
    }

    pub fn at(span: Span, text: impl Into<String>) -> Reason {
        Reason {
            text: text.into(),
            span: Some(span),
        }
    }
}

/// Where an unknown or an equation comes from.
#[derive(Debug)]
pub enum Origin {
    Unknown {
        span: Span,
        what: String,
    },
    Equation {
        span: Span,
        want: Ty,
        found: Ty,
        reason: Reason,
    },
    /// `_` where a value is needed.
    Hole {
        span: Span,
        ty: Ty,
    },
}

/// What a program writes down takes far fewer parts.
pub fn too_large_type(span: Span) -> Diagnostic {
    Diagnostic::new(
        code::TOO_LARGE,
        "the type of this has thousands of parts, or a size that does not fit 64 bits",
    )
    .at(span)
    .help("pairs of pairs and sizes of sizes double at every step: keep what is needed only")
}

/// What is chained by `>>`.
pub const CHAINED: &str = "what `>>` chains";

/// What moves bits, where somebody looked for it.
pub const MOVED: &str = "bits are moved by `shl a b` and `shr a b`; `f >> g` is `\\x -> g (f x)`";
