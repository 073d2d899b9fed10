//! Whether a C text says what its loop program says.
//!
//! In: the text of a kernel, that of its header, and a loop program. Out: the same; or a place at which both differ; or a
//! place that is not read. Invariants: the text is read by the rules of C, not by how it is printed: this shares nothing
//! with `emit`. Names do not count, but those of the function and its codes, layout and comments neither; sums are compared
//! as sums, values as trees ([`tree`]) of operations on numbers of C. Pieces of text above the function are known token by
//! token ([`known`]). What is called the same is the same function whatever its sizes and inputs are, as far as it says what
//! C leaves open nowhere else than the loop program does. Absent: whether the loop program is right (`validate`), what
//! compilers make of the text.

mod ahead;
mod entry;
mod function;
mod header;
mod helper;
mod interval;
mod known;
mod lex;
mod meaning;
mod parse;
mod part;
mod pieces;
mod real;
mod scope;
mod steps;
mod stop;
mod sum;
mod tree;
mod types;
mod unit;
mod value;
mod walk;

pub use lex::Unread;
pub use stop::{Difference, Verdict};

use crate::nest::Nest;
use stop::Stop;

/// The texts of a kernel.
#[derive(Copy, Clone, Debug)]
pub struct Texts<'a> {
    pub c: &'a str,
    /// Its header, and what that is called.
    pub header: Option<(&'a str, &'a str)>,
}

/// Compares the texts of a kernel with its loop program.
pub fn compare(texts: Texts, nest: &Nest) -> Verdict {
    match compared(texts, nest) {
        Ok(()) => Verdict::Same,
        Err(Stop::Differs(d)) => Verdict::Differs(d),
        Err(Stop::Unread(u)) => Verdict::Unread(u),
    }
}

/// Whether a text forbids compilers to round `a*b + c` once.
pub fn forbids_contraction(c: &str) -> bool {
    let Ok(tokens) = lex::tokens(c) else {
        return false;
    };
    let all = pieces::pieces(&tokens).unwrap_or_default();
    let known = all.iter().filter_map(|p| known::TABLE.find(p));
    known.flat_map(|k| k.names).any(|n| n == "(no-contraction)")
}

fn compared(texts: Texts, nest: &Nest) -> Result<(), Stop> {
    let codes = match texts.header {
        Some((_, text)) => Some(header::header(text, nest).map_err(Stop::of_header)?),
        None => None,
    };
    let unit = unit::source(texts.c, nest, codes.as_ref())?;
    match (texts.header, unit.header) {
        (Some((name, _)), Some(own)) if name == own => Ok(()),
        (Some((name, _)), Some(own)) => {
            unit::differs(1, format!("it includes `{own}`, not `{name}`"))
        }
        (Some(_), None) => unit::differs(1, "it does not include its header"),
        (None, _) if unit.codes.is_empty() || unit.codes == unit::constants(&nest.abi.errors) => {
            Ok(())
        }
        (None, _) => unit::differs(1, "the error codes of the file are others"),
    }
}
