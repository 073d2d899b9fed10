//! Text ↔ tree, for programs, rules and sketches alike.
//!
//! In: the text of a file and its kind. Out: a tree, all syntax errors, the comments. Parsing never
//! fails: what cannot be read becomes an error node, and the item after it is read. The printer is the
//! parser's inverse, so `fmt` is printing: parse ∘ print ∘ parse = parse, and no comment is lost.
//!
//! Absent: what names mean, types, files other than the given one.

mod doc;
pub mod lexer;
pub mod number;
mod parser;
mod printer;
mod token;
pub mod tree;

pub use parser::{parse, parse_expression, Parsed, MAX_DEPTH};
pub use printer::{at_level, parenthesize, print, print_expr, print_expr_flat, print_item, WIDTH};
pub use token::Comment;

/// What kind of file; decides which items it may hold.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Dialect {
    Program,
    Rules,
    Sketch,
}

impl Dialect {
    pub const ALL: [Dialect; 3] = [Dialect::Program, Dialect::Rules, Dialect::Sketch];

    pub fn extension(self) -> &'static str {
        match self {
            Dialect::Program => "rise",
            Dialect::Rules => "rules",
            Dialect::Sketch => "sk",
        }
    }

    pub fn of_path(path: &str) -> Option<Dialect> {
        let extension = path.rsplit_once('.')?.1;
        Dialect::ALL
            .into_iter()
            .find(|d| d.extension() == extension)
    }
}
