//! C text → tokens.
//!
//! Invariant: comments and layout are gone but for where logical lines begin, on which directives depend; a line that ends
//! with a backslash goes on. What is no token of the emitted subset is said with its line. Absent: macros.

/// What was not read, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unread {
    /// The line, counted from 1.
    pub line: u32,
    /// Whether that is a line of the header.
    pub in_header: bool,
    pub what: String,
}

impl Unread {
    pub fn new(line: u32, what: impl Into<String>) -> Unread {
        let what = what.into();
        Unread {
            line,
            in_header: false,
            what,
        }
    }
}

/// A word, a number, a text in quotes or a sign.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Token<'a> {
    pub text: &'a str,
    pub line: u32,
    /// Whether it is the first of its line.
    pub first: bool,
}

impl Token<'_> {
    pub fn is_word(&self) -> bool {
        self.text.starts_with(is_word_start)
    }
}

fn is_word_start(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// Longer ones first.
const SIGNS: [&str; 36] = [
    "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "->", "##", "+", "-", "*", "/",
    "%", "<", ">", "=", "!", "~", "&", "|", "^", "?", ":", ";", ",", ".", "(", ")", "[", "]", "{",
    "}",
];

/// The tokens of a text.
pub fn tokens(text: &str) -> Result<Vec<Token<'_>>, Unread> {
    let mut all = Vec::new();
    let (mut at, mut line, mut first) = (0, 1u32, true);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if c == '\n' {
            (at, line, first) = (at + 1, line.saturating_add(1), true);
        } else if rest.starts_with("\r\n") {
            at += 1;
        } else if rest.starts_with("\\\n") {
            // Lines are joined before there are tokens: what stands on both sides is one, without a space between.
            if !text[..at].ends_with([' ', '\t']) {
                return Err(Unread::new(
                    line,
                    "a line is joined to the next one within a word",
                ));
            }
            (at, line) = (at + 2, line.saturating_add(1));
        } else if c == ' ' || c == '\t' {
            at += 1;
        } else if let Some(comment) = rest.strip_prefix("/*") {
            let Some(end) = comment.find("*/") else {
                return Err(Unread::new(line, "a comment does not end"));
            };
            let inside = &comment[..end];
            // Lines are joined before comments end: `*\` and `/` on the next line end one. `??/` may be `\`.
            let joins = |l: &str| l.trim_end().ends_with('\\') || l.contains("??/");
            if inside.lines().any(joins) {
                return Err(Unread::new(
                    line,
                    "a line of a comment is joined to the next one",
                ));
            }
            let lines = inside.matches('\n').count();
            line = line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
            at += end + 4;
        } else {
            let Some(length) = length(rest, c) else {
                return Err(Unread::new(
                    line,
                    format!("`{}` is no token", c.escape_debug()),
                ));
            };
            let text = &rest[..length];
            all.push(Token { text, line, first });
            (at, first) = (at + length, false);
        }
    }
    Ok(all)
}

fn length(rest: &str, c: char) -> Option<usize> {
    let until = |f: fn(char) -> bool| rest.find(|c| !f(c)).unwrap_or(rest.len());
    if is_word_start(c) {
        return Some(until(|c| c.is_ascii_alphanumeric() || c == '_'));
    }
    if c.is_ascii_digit() {
        return Some(number(rest));
    }
    if c == '"' {
        let end = rest[1..].find(['"', '\\', '\n'])?;
        return rest[1 + end..].starts_with('"').then_some(end + 2);
    }
    if c == '#' {
        return Some(if rest.starts_with("##") { 2 } else { 1 });
    }
    SIGNS
        .iter()
        .find(|s| rest.starts_with(**s))
        .map(|s| s.len())
}

/// A sign behind the mark of an exponent belongs to a number.
fn number(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let hex = rest.starts_with("0x");
    let mut end = 0;
    while let Some(b) = bytes.get(end) {
        let marks = |b: &u8| if hex { *b == b'p' } else { *b == b'e' };
        let signed = matches!(b, b'+' | b'-') && end > 0 && marks(&bytes[end - 1]);
        if !(b.is_ascii_alphanumeric() || *b == b'.' || signed) {
            break;
        }
        end += 1;
    }
    end
}

/// Tokens as one text in which layout does not count, but for the lines of directives.
pub fn plain(tokens: &[Token]) -> String {
    let lines = tokens.iter().any(|t| t.first && t.text == "#");
    let mut out = String::new();
    for (i, t) in tokens.iter().enumerate() {
        if i > 0 {
            out.push(if lines && t.first { '\n' } else { ' ' });
        }
        out += t.text;
    }
    out
}
