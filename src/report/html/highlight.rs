//! Words of code, by what they are.
//!
//! In: a text in C, or in the notation of programs and loop programs. Out: its pieces in order, which together are
//! the text. Invariant: any text has pieces; a comment or string that does not end goes to the end of its line or
//! of the text. Absent: syntax.

use super::text::esc;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    C,
    Rise,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Blanks and line ends.
    Blank,
    Comment,
    Keyword,
    Number,
    /// What the compiler reads before C.
    Directive,
    Text,
    Plain,
}

impl Class {
    fn css(self) -> Option<&'static str> {
        match self {
            Class::Comment => Some("co"),
            Class::Keyword => Some("ke"),
            Class::Number => Some("nu"),
            Class::Directive => Some("di"),
            Class::Text => Some("st"),
            Class::Blank | Class::Plain => None,
        }
    }
}

const C_WORDS: [&str; 28] = [
    "int", "float", "double", "void", "const", "static", "inline", "return", "if", "else", "for",
    "while", "break", "continue", "struct", "enum", "typedef", "restrict", "bool", "int8_t",
    "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "size_t",
];
const RISE_WORDS: [&str; 25] = [
    "def",
    "let",
    "in",
    "import",
    "rule",
    "where",
    "for",
    "par",
    "if",
    "then",
    "else",
    "stack",
    "heap",
    "index",
    "var",
    "nat",
    "mapPar",
    "mapSeq",
    "map",
    "reduce",
    "reduceSeq",
    "reduceSeqUnroll",
    "toMem",
    "asVector",
    "asScalar",
];

/// The pieces of a text.
pub fn pieces(text: &str, language: Language) -> Vec<(Class, &str)> {
    let mut out = Vec::new();
    let mut rest = text;
    let mut line_start = true;
    while let Some(c) = rest.chars().next() {
        let (class, end) = piece(rest, c, language, line_start);
        let (now, after) = rest.split_at(end.max(c.len_utf8()));
        line_start = now.ends_with('\n') || (line_start && class == Class::Blank);
        out.push((class, now));
        rest = after;
    }
    out
}

fn piece(rest: &str, c: char, language: Language, line_start: bool) -> (Class, usize) {
    let until = |stop: &str, from: usize, with: usize| {
        rest[from..]
            .find(stop)
            .map_or(rest.len(), |i| from + i + with)
    };
    let run = |f: fn(char) -> bool| rest.find(|c| !f(c)).unwrap_or(rest.len());
    if c.is_whitespace() {
        return (Class::Blank, run(char::is_whitespace));
    }
    match language {
        Language::C if rest.starts_with("/*") => return (Class::Comment, until("*/", 2, 2)),
        Language::C if rest.starts_with("//") => return (Class::Comment, until("\n", 2, 0)),
        Language::C if c == '#' && line_start => return (Class::Directive, until("\n", 1, 0)),
        Language::C if c == '"' => return (Class::Text, string(rest)),
        Language::Rise if rest.starts_with("{-") => return (Class::Comment, until("-}", 2, 2)),
        Language::Rise if rest.starts_with("--") => return (Class::Comment, until("\n", 2, 0)),
        _ => {}
    }
    if c.is_ascii_digit() {
        let number = |c: char| c.is_ascii_alphanumeric() || c == '.';
        let mut end = rest.find(|c| !number(c)).unwrap_or(rest.len());
        // `32.f32` is a number and a type.
        if let Some(dot) = rest[..end].find('.') {
            let digit = rest[dot + 1..].starts_with(|c: char| c.is_ascii_digit());
            end = if digit || language == Language::C {
                end
            } else {
                dot
            };
        }
        return (Class::Number, end);
    }
    if c.is_alphabetic() || c == '_' {
        let end = run(|c| c.is_alphanumeric() || c == '_' || c == '\'');
        let words: &[&str] = match language {
            Language::C => &C_WORDS,
            Language::Rise => &RISE_WORDS,
        };
        let class = if words.contains(&&rest[..end]) {
            Class::Keyword
        } else {
            Class::Plain
        };
        return (class, end);
    }
    (Class::Plain, c.len_utf8())
}

/// With its quotes.
fn string(rest: &str) -> usize {
    let mut escaped = false;
    for (i, c) in rest.char_indices().skip(1) {
        match c {
            '\n' => return i,
            '"' if !escaped => return i + 1,
            _ => escaped = c == '\\' && !escaped,
        }
    }
    rest.len()
}

/// One piece as HTML.
pub fn span(class: Class, text: &str) -> String {
    match class.css() {
        Some(css) => format!("<i class=\"{css}\">{}</i>", esc(text)),
        None => esc(text),
    }
}

/// A text as HTML.
pub fn html(text: &str, language: Language) -> String {
    let all = pieces(text, language);
    all.into_iter()
        .map(|(class, text)| span(class, text))
        .collect()
}

/// A text as HTML, line by line; a comment over several lines is one on each.
pub fn lines(text: &str, language: Language) -> Vec<String> {
    let mut out = vec![String::new()];
    for (class, text) in pieces(text, language) {
        for (i, part) in text.split('\n').enumerate() {
            if i > 0 {
                out.push(String::new());
            }
            if let (false, Some(last)) = (part.is_empty(), out.last_mut()) {
                last.push_str(&span(class, part));
            }
        }
    }
    if text.ends_with('\n') {
        out.pop();
    }
    out
}
