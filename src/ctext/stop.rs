//! What became of a comparison.

use super::lex::Unread;

/// Where a text and its loop program differ.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The line of the text, counted from 1.
    pub line: u32,
    /// Whether that is a line of the header.
    pub in_header: bool,
    /// What the loop program says there.
    pub loops: String,
    pub what: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    Same,
    Differs(Difference),
    /// It may be the same or not.
    Unread(Unread),
}

/// Why a comparison ends early.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    Differs(Difference),
    Unread(Unread),
}

impl Stop {
    /// What was found in the header.
    pub fn of_header(self) -> Stop {
        let in_header = true;
        match self {
            Stop::Differs(d) => Stop::Differs(Difference { in_header, ..d }),
            Stop::Unread(u) => Stop::Unread(Unread { in_header, ..u }),
        }
    }
}
