//! Text to tokens. Never fails: what is wrong becomes a diagnostic and a `Bad` token.
//!
//! A dot is a fraction or the dot of an array type. `0.5` is a fraction, but after a dot a number has
//! none (`n.32.f32`), and digits.digits with another dot behind them are two sizes (`32.32.f32`). The constants of a
//! target, `target.f32lanes` and their like, are one word.

use super::number;
use super::token::{Comment, Token, TokenKind};
use crate::diag::{code, Diagnostic};
use crate::source::{FileId, Span};
use crate::target;

/// Longest first.
const SYMBOLS: [&str; 28] = [
    "=>", "->", "|>", ">>", "==", "!=", "<=", ">=", "&&", "||", "!", "(", ")", "[", "]", ",", ":",
    "=", "\\", ".", "+", "-", "*", "/", "%", "<", ">", "?",
];

pub struct Lexed {
    pub tokens: Vec<Token>,
    pub comments: Vec<Comment>,
    pub diagnostics: Vec<Diagnostic>,
}

pub fn lex(file: FileId, text: &str) -> Lexed {
    let mut lexer = Lexer {
        file,
        text,
        at: 0,
        out: Lexed {
            tokens: Vec::new(),
            comments: Vec::new(),
            diagnostics: Vec::new(),
        },
    };
    if text.starts_with('\u{feff}') {
        lexer.at = '\u{feff}'.len_utf8();
    }
    lexer.run();
    lexer.out
}

/// How many tokens a name or path that was put together from adjacent tokens consists of.
pub fn count(text: &str) -> usize {
    lex(FileId(0), text).tokens.len() - 1
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    at: usize,
    out: Lexed,
}

impl Lexer<'_> {
    fn run(&mut self) {
        // What has been passed since the last token: nothing, spaces, a newline, a blank line.
        let mut adjacent = false;
        let mut newlines = 1;
        let mut line_start = true;
        loop {
            let lo = self.at;
            let Some(c) = self.rest().chars().next() else {
                break;
            };
            if c == '\n' {
                self.at += 1;
                newlines += 1;
                (adjacent, line_start) = (false, true);
                continue;
            }
            if c.is_whitespace() {
                self.at += c.len_utf8();
                (adjacent, line_start) = (false, false);
                continue;
            }
            let block = self.rest().starts_with("{-");
            if block || self.rest().starts_with("--") {
                self.comment(lo, block, newlines);
                (adjacent, line_start, newlines) = (false, false, 0);
                continue;
            }
            let kind = self.token(c);
            self.out.tokens.push(Token {
                kind,
                span: Span::new(self.file, lo, self.at),
                first_column: line_start,
                adjacent,
            });
            (adjacent, line_start, newlines) = (true, false, 0);
        }
        let end = self.text.len();
        self.out.tokens.push(Token {
            kind: TokenKind::End,
            span: Span::new(self.file, end, end),
            first_column: true,
            adjacent: false,
        });
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn take_while(&mut self, test: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !test(c)).unwrap_or(rest.len());
    }

    fn comment(&mut self, lo: usize, block: bool, newlines: usize) {
        if block {
            self.block_comment(lo);
        } else {
            self.take_while(|c| c != '\n');
        }
        let text = self.text[lo..self.at].trim_end();
        self.out.comments.push(Comment {
            before: self.out.tokens.len() as u32,
            span: Span::new(self.file, lo, lo + text.len()),
            text: text.to_string(),
            block,
            trailing: newlines == 0,
            blank_above: newlines >= 2,
        });
    }

    fn block_comment(&mut self, lo: usize) {
        let mut depth = 0usize;
        while self.at < self.text.len() {
            if self.rest().starts_with("{-") {
                (depth, self.at) = (depth + 1, self.at + 2);
            } else if self.rest().starts_with("-}") {
                (depth, self.at) = (depth - 1, self.at + 2);
                if depth == 0 {
                    return;
                }
            } else {
                self.at += self.rest().chars().next().map_or(1, char::len_utf8);
            }
        }
        self.report(
            Diagnostic::new(code::OPEN_COMMENT, "this block comment is not closed")
                .at(Span::new(self.file, lo, lo + 2))
                .help("write `-}` where it ends; block comments nest"),
        );
    }

    fn token(&mut self, c: char) -> TokenKind {
        if c.is_ascii_digit() {
            return self.number();
        }
        if let Some(length) = target::constant_at(self.rest()) {
            self.at += length;
            return TokenKind::Name;
        }
        if c == '_' || (c.is_alphabetic() && c != 'λ') {
            let start = self.at;
            self.take_while(|c| c.is_alphanumeric() || c == '_' || c == '\'');
            return match number::is_word(&self.text[start..self.at]) {
                true => TokenKind::Number,
                false => TokenKind::Name,
            };
        }
        if c == '"' {
            return self.string();
        }
        if let Some(s) = SYMBOLS.iter().find(|s| self.rest().starts_with(**s)) {
            self.at += s.len();
            return TokenKind::Symbol;
        }
        self.at += c.len_utf8();
        self.bad_character(c);
        TokenKind::Bad
    }

    fn bad_character(&mut self, c: char) {
        let span = Span::new(self.file, self.at - c.len_utf8(), self.at);
        let shown = if c.is_control() {
            format!("{:?}", c)
        } else {
            format!("`{c}`")
        };
        let help = match c {
            '{' | '}' => "grouping is written with `(` and `)`",
            ';' => "items are separated by starting a new line at column one",
            '#' => "comments start with `--`",
            'λ' => "a function is written `\\x -> e`",
            '→' => "write `->`",
            '⇒' => "write `=>`",
            '·' | '×' => "write `*`",
            '≤' => "write `<=`",
            '≥' => "write `>=`",
            '≠' => "write `!=`",
            '&' => "of integers, bit by bit: `bitand a b`; of truth values: `a && b`; pairs, and their types, are `(a, b)`",
            '|' => "functions are chained with `|>` and `>>`; bit by bit: `bitor a b`; of truth values: `a || b`",
            '^' => "a power is a product, or `exp (y * log x)`; of integers, bit by bit: `bitxor a b`",
            '~' => "of integers, bit by bit: `bitnot a`",
            '!' => "of truth values: `!a`",
            '\'' => "a character is the number of its byte: 97 for a, 48 for 0, 32 for a space, 10 at the end of a line",
            _ => "remove it",
        };
        // One report for a run of the same character.
        if let Some(d) = self.out.diagnostics.last_mut() {
            if let Some(l) = d.primary.as_mut() {
                if d.code == code::BAD_CHARACTER && l.span.hi == span.lo {
                    l.span.hi = span.hi;
                    return;
                }
            }
        }
        self.report(
            Diagnostic::new(
                code::BAD_CHARACTER,
                format!("the character {shown} is part of no token"),
            )
            .at(span)
            .help(help),
        );
    }

    fn number(&mut self) -> TokenKind {
        let digits = |c: char| c.is_ascii_digit() || c == '_';
        let after_dot = self.out.tokens.last().is_some_and(|t| {
            t.kind == TokenKind::Symbol
                && t.span.hi as usize == self.at
                && self.text.as_bytes()[t.span.lo as usize] == b'.'
        });
        self.take_while(digits);
        let bytes = self.text.as_bytes();
        let digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
        if !after_dot && bytes.get(self.at) == Some(&b'.') && digit(self.at + 1) {
            let rest = &self.text[self.at + 1..];
            let fraction = rest.find(|c| !digits(c)).unwrap_or(rest.len());
            // `32.32.f32`: another dot, so these are two sizes.
            if bytes.get(self.at + 1 + fraction) != Some(&b'.') {
                self.at += 1 + fraction;
            }
        }
        if matches!(bytes.get(self.at), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(self.at + 1), Some(b'+' | b'-')));
            if digit(self.at + 1 + sign) {
                self.at += 1 + sign;
                self.take_while(digits);
            }
        }
        self.take_while(|c| c.is_alphanumeric() || c == '_');
        TokenKind::Number
    }

    fn string(&mut self) -> TokenKind {
        let lo = self.at;
        self.at += 1;
        self.take_while(|c| c != '"' && c != '\n');
        if self.rest().starts_with('"') {
            self.at += 1;
            return TokenKind::Text;
        }
        self.report(
            Diagnostic::new(code::OPEN_STRING, "this string is not closed on its line")
                .at(Span::new(self.file, lo, self.at))
                .help("write `\"` where it ends"),
        );
        TokenKind::Bad
    }

    fn report(&mut self, d: Diagnostic) {
        self.out.diagnostics.push(d);
    }
}
