//! Tokens and comments, with their places.

use crate::source::Span;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// A name or a contextual keyword.
    Name,
    /// Digits, with fraction, exponent and suffix as far as there are any.
    Number,
    /// `"…"`, on one line.
    Text,
    /// An operator, bracket or separator; which one is its text.
    Symbol,
    /// What no token contains; reported when it was met.
    Bad,
    /// After the last token, once.
    End,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub span: Span,
    /// The token stands at column one: an item may start here.
    pub first_column: bool,
    /// Nothing, not even a space, stands between the token before and this one.
    pub adjacent: bool,
}

/// A comment stands before the token with index `before`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comment {
    pub before: u32,
    pub span: Span,
    pub text: String,
    pub block: bool,
    /// Something else stands before it on its line.
    pub trailing: bool,
    /// A blank line stands above it.
    pub blank_above: bool,
}
