//! Text of others, made safe to show.
//!
//! In: any text, such as a name out of a saved file. Out: the same where every character that would not be seen, would
//! move the cursor, or would turn what is seen around, is named. Whatever is printed for people goes through here.

use std::borrow::Cow;
use std::fmt::Write;

/// The text with hidden characters named; lines and tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    let fine = |c: char| matches!(c, '\n' | '\t') || !is_hidden(c);
    if text.chars().all(fine) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if fine(c) {
            out.push(c)
        } else {
            let _ = write!(out, "\u{ab}U+{:04X}\u{bb}", c as u32);
        }
    }
    Cow::Owned(out)
}

/// Control characters, marks of direction, joiners and other characters without width.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}
