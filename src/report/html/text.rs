//! Text as HTML: escaping, and the few forms that all panes use.
//!
//! In: text of a record, which may be anything. Out: HTML that shows it and does nothing else. Absent: what is shown.

use crate::diag::is_hidden;
use std::fmt::Write;

/// A page that grows.
#[derive(Default)]
pub struct Page {
    pub text: String,
}

impl Page {
    /// HTML, as it is.
    pub fn add(&mut self, html: &str) {
        self.text.push_str(html);
    }

    /// A sentence of the page's own.
    pub fn note(&mut self, text: &str) {
        let _ = writeln!(self.text, "<p class=\"note\">{}</p>", esc(text));
    }

    /// Says that not all is shown, if so.
    pub fn cut(&mut self, shown: usize, all: usize, what: &str) {
        if shown < all {
            let (shown, all) = (count(shown as u64), count(all as u64));
            let _ = writeln!(
                self.text,
                "<p class=\"cut\">showing {shown} of {all} {}; the record holds them all</p>",
                esc(what)
            );
        }
    }

    /// A table: heads with the class of their columns; rows of HTML.
    pub fn table(&mut self, label: &str, heads: &[(&str, &str)], rows: &[Vec<String>]) {
        let _ = writeln!(
            self.text,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table>\n<thead><tr>",
            esc(label)
        );
        for (head, class) in heads {
            let _ = write!(
                self.text,
                "<th scope=\"col\" class=\"{class}\">{}</th>",
                esc(head)
            );
        }
        self.add("</tr></thead>\n<tbody>\n");
        for row in rows {
            self.add("<tr>");
            for (i, (cell, (_, class))) in row.iter().zip(heads).enumerate() {
                let tag = if i == 0 { "th scope=\"row\"" } else { "td" };
                let end = if i == 0 { "th" } else { "td" };
                let _ = write!(self.text, "<{tag} class=\"{class}\">{cell}</{end}>");
            }
            self.add("</tr>\n");
        }
        self.add("</tbody></table></div>\n");
    }

    /// Terms and what they are, as HTML.
    pub fn facts(&mut self, facts: &[(&str, String)]) {
        self.add("<dl class=\"facts\">\n");
        for (name, value) in facts {
            let _ = writeln!(self.text, "<dt>{}</dt><dd>{value}</dd>", esc(name));
        }
        self.add("</dl>\n");
    }
}

/// Text between tags and in quoted attributes. What would not be seen, or would turn what is seen around, is
/// named.
pub fn esc(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            '\r' => {}
            c if is_hidden(c) => {
                let _ = write!(out, "\u{ab}U+{:04X}\u{bb}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

/// A sentence of the program's, in which code stands between backquotes.
pub fn prose(text: &str) -> String {
    let mut out = String::new();
    let parts: Vec<&str> = text.split('`').collect();
    let paired = parts.len() % 2 == 1;
    for (i, part) in parts.iter().enumerate() {
        match (paired, i % 2) {
            (true, 1) => out.push_str(&code(part)),
            (true, _) => out.push_str(&esc(&together(part))),
            (false, _) if i > 0 => out.push_str(&format!("`{}", esc(part))),
            (false, _) => out.push_str(&esc(part)),
        }
    }
    out
}

/// A number, whose digits stay on one line.
pub fn count(n: u64) -> String {
    together(&crate::report::count(n))
}

/// The text with groups of digits that stay on one line.
fn together(text: &str) -> String {
    let digit = |i: usize| text.as_bytes().get(i).is_some_and(u8::is_ascii_digit);
    let blank = |(i, c): (usize, char)| {
        if c == ' ' && i > 0 && digit(i - 1) && (1..4).all(|k| digit(i + k)) {
            '\u{a0}'
        } else {
            c
        }
    };
    text.char_indices().map(blank).collect()
}

/// Code in a line of text.
pub fn code(text: &str) -> String {
    format!("<code>{}</code>", esc(text))
}

/// The first lines of a text, and how many there are.
pub fn first_lines(text: &str, most: usize) -> (&str, usize) {
    let all = text.lines().count();
    let end = text.match_indices('\n').nth(most.saturating_sub(1));
    match end {
        Some((at, _)) if all > most => (&text[..at], all),
        _ => (text, all),
    }
}
