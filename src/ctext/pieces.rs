//! Tokens → what stands side by side in a C file.
//!
//! Invariant: each token is in one piece: a directive, a group of directives up to its end, or a declaration. Absent: what
//! pieces mean.

use super::lex::{Token, Unread};

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Piece<'a, 't> {
    /// `#include`, `#define`, `#pragma`, `#undef`
    Directive(&'t [Token<'a>]),
    /// `#if` to its `#endif`
    Group(&'t [Token<'a>]),
    /// What ends with a semicolon.
    Declaration(&'t [Token<'a>]),
    /// What ends with a body.
    Function(&'t [Token<'a>]),
}

impl<'a, 't> Piece<'a, 't> {
    pub fn tokens(&self) -> &'t [Token<'a>] {
        let (Piece::Directive(t) | Piece::Group(t) | Piece::Declaration(t) | Piece::Function(t)) =
            *self;
        t
    }

    /// The line of its first token.
    pub fn line(&self) -> u32 {
        self.tokens().first().map_or(1, |t| t.line)
    }
}

fn is_directive(t: &Token) -> bool {
    t.first && t.text == "#"
}

/// One past the end of the line on which a directive stands.
pub fn line_end(tokens: &[Token], at: usize) -> usize {
    let next = tokens[at + 1..].iter().position(|t| t.first);
    next.map_or(tokens.len(), |n| at + 1 + n)
}

fn opens(word: &str) -> bool {
    matches!(word, "if" | "ifdef" | "ifndef")
}

pub fn pieces<'a, 't>(tokens: &'t [Token<'a>]) -> Result<Vec<Piece<'a, 't>>, Unread> {
    let mut all = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let (piece, end) = match is_directive(&tokens[at]) {
            true => directive(tokens, at)?,
            false => declaration(tokens, at)?,
        };
        all.push(piece);
        at = end;
    }
    Ok(all)
}

fn directive<'a, 't>(
    tokens: &'t [Token<'a>],
    start: usize,
) -> Result<(Piece<'a, 't>, usize), Unread> {
    let word = |at: usize| tokens.get(at + 1).map_or("", |t| t.text);
    if !opens(word(start)) {
        let end = line_end(tokens, start);
        return Ok((Piece::Directive(&tokens[start..end]), end));
    }
    let (mut depth, mut at) = (0u32, start);
    while at < tokens.len() {
        let end = line_end(tokens, at);
        if is_directive(&tokens[at]) {
            match word(at) {
                w if opens(w) => depth += 1,
                "endif" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok((Piece::Group(&tokens[start..end]), end));
            }
        }
        at = end;
    }
    Err(Unread::new(tokens[start].line, "an `#if` has no `#endif`"))
}

fn declaration<'a, 't>(
    tokens: &'t [Token<'a>],
    start: usize,
) -> Result<(Piece<'a, 't>, usize), Unread> {
    let (mut depth, mut at) = (0u32, start);
    let mut behind_parameters = false;
    while at < tokens.len() {
        let t = &tokens[at];
        match t.text {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" if depth == 0 => break,
            "}" | ")" | "]" => depth -= 1,
            _ => {}
        }
        if depth == 0 && t.text == ";" {
            return Ok((Piece::Declaration(&tokens[start..=at]), at + 1));
        }
        if depth == 0 && t.text == "}" && behind_parameters {
            return Ok((Piece::Function(&tokens[start..=at]), at + 1));
        }
        if depth == 0 {
            behind_parameters = t.text == ")";
        }
        if depth == 1 && t.text == "{" && !behind_parameters && tokens[start].text != "enum" {
            return Err(Unread::new(t.line, "braces stand where no body is"));
        }
        at += 1;
    }
    let line = tokens[start].line;
    Err(Unread::new(line, "a declaration or a body does not end"))
}
