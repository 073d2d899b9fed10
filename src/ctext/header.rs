//! A header beside a loop program: its codes, and how the function is declared.

use super::lex::{plain, tokens};
use super::pieces::{pieces, Piece};
use super::stop::Stop;
use super::unit::{constants, differs, shortened, unread, Read, Unit};
use crate::nest::Nest;
use std::collections::BTreeMap;

/// For C++, which has no `restrict`.
const BEGIN: &str = "#ifdef __cplusplus\n#define restrict __restrict\nextern \"C\" {\n#endif\n";
const END: &str = "#ifdef __cplusplus\n}\n#undef restrict\n#endif\n";

/// The constants of a header, if it says what the loop program says.
pub fn header(text: &str, nest: &Nest) -> Read<BTreeMap<String, i32>> {
    let all = tokens(text).map_err(Stop::Unread)?;
    let last = text.lines().count() as u32;
    let groups = pieces(&all).map_err(Stop::Unread)?;
    let [Piece::Group(guarded)] = &groups[..] else {
        return unread(1, "a header is one group behind a guard");
    };
    let words: Vec<&str> = guarded.iter().take(6).map(|t| t.text).collect();
    let guard = match &words[..] {
        ["#", "ifndef", a, "#", "define", b] if a == b => *a,
        _ => return unread(1, "a header begins with a guard"),
    };
    if !guard.starts_with("RISE_OPT_") || guarded.iter().filter(|t| t.text == guard).count() != 2 {
        return unread(1, "the guard of the header is none");
    }
    let inner = &guarded[6..guarded.len().saturating_sub(2).max(6)];
    let plain_of = |t: &str| tokens(t).map(|t| plain(&t)).map_err(Stop::Unread);
    let (begin, end) = (plain_of(BEGIN)?, plain_of(END)?);
    let mut unit = Unit::default();
    let mut seen = Vec::new();
    for piece in pieces(inner).map_err(Stop::Unread)? {
        let text = plain(piece.tokens());
        match piece {
            Piece::Directive(_) if text == "# include < stdbool . h >" => seen.push("bool"),
            Piece::Directive(_) if text == "# include < stdint . h >" => seen.push("int"),
            Piece::Group(_) if text == begin => seen.push("begin"),
            Piece::Group(_) if text == end => seen.push("end"),
            Piece::Declaration(t) if !matches!(t[0].text, "typedef" | "_Static_assert") => {
                unit.declaration(t, nest)?;
                seen.push(if t[0].text == "enum" {
                    "codes"
                } else {
                    "function"
                });
            }
            other => {
                return unread(
                    other.line(),
                    format!("`{}` is not known", shortened(other.tokens())),
                )
            }
        }
    }
    if seen != ["bool", "int", "begin", "codes", "function", "end"] {
        return differs(last, "the header lacks a part, or has one twice");
    }
    match unit.codes == constants(&nest.abi.errors) {
        true => Ok(unit.codes),
        false => differs(last, "the error codes of the header are others"),
    }
}
