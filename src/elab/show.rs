//! Types and sizes as messages show them: what is not known yet is `_`.

use std::fmt::Display;

/// The text with `?3` and `?t3` replaced by `_`.
pub fn show(x: impl Display) -> String {
    let text = x.to_string();
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        out.push(if c == '?' { '_' } else { c });
        if c == '?' {
            while chars.peek().is_some_and(|c| c.is_ascii_alphanumeric()) {
                chars.next();
            }
        }
    }
    out
}
