//! Types and sizes as messages show them: what is not known yet is `_`.

use std::fmt::Display;

/// The text with every unknown shown as `_`.
pub fn show(x: impl Display) -> String {
    show_named(x, |_| None)
}

/// The text; an unknown (`3` for the size `?3`, `t3` for the type `?t3`) is shown by its name, or as `_`.
pub fn show_named(x: impl Display, name: impl Fn(&str) -> Option<String>) -> String {
    let text = x.to_string();
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(i) = rest.find('?') {
        out.push_str(&rest[..i]);
        rest = &rest[i + 1..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric());
        let (unknown, after) = rest.split_at(end.unwrap_or(rest.len()));
        out.push_str(&name(unknown).unwrap_or_else(|| "_".to_string()));
        rest = after;
    }
    out + rest
}
