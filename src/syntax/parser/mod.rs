//! Tokens to tree: recursive descent for items, Pratt for expressions. Never fails.
//!
//! An item starts with its keyword at column one; everything else of it is indented (only operators,
//! brackets, and a body right behind `=` may stand at column one as well). So recovery is exact: the
//! first error of an item is reported, the rest of the item is skipped, and the next item is read as if
//! nothing had happened. Nesting is bounded, so neither reading nor dropping a tree exhausts the stack.

mod condition;
mod expr;
mod item;

use super::lexer::{lex, Lexed};
use super::token::{Comment, Token, TokenKind};
use super::tree::{Expr, File, FilePath, Item, Name, Number, Sizes};
use super::Dialect;
use crate::diag::{code, Code, Diagnostic};
use crate::source::{FileId, Span};

/// The deepest tree that is built.
pub const MAX_DEPTH: usize = 256;

/// The words that start an item at column one, and the files they stand in.
pub const ITEMS: [(&str, &[Dialect]); 16] = [
    ("def", &[Dialect::Program, Dialect::Sketch]),
    (
        "import",
        &[Dialect::Program, Dialect::Rules, Dialect::Sketch],
    ),
    ("rule", &[Dialect::Rules, Dialect::Sketch]),
    ("ruleset", &[Dialect::Rules]),
    ("include", &[Dialect::Rules, Dialect::Sketch]),
    ("use", &[Dialect::Sketch]),
    ("cost", &[Dialect::Sketch]),
    ("limits", &[Dialect::Sketch]),
    ("param", &[Dialect::Sketch]),
    ("sketch", &[Dialect::Sketch]),
    ("step", &[Dialect::Sketch]),
    ("normalize", &[Dialect::Sketch]),
    ("scheduler", &[Dialect::Sketch]),
    ("permit", &[Dialect::Sketch]),
    ("focus", &[Dialect::Sketch]),
    ("domain", &[Dialect::Rules]),
];

/// A tree, what is wrong with the text, and what `fmt` needs besides the tree.
#[derive(Debug)]
pub struct Parsed {
    pub file: File,
    pub diagnostics: Vec<Diagnostic>,
    pub comments: Vec<Comment>,
    /// Of each item: the index of its first token and of the one behind its last.
    pub extents: Vec<(u32, u32)>,
}

pub fn parse(id: FileId, text: &str, dialect: Dialect) -> Parsed {
    let Lexed {
        tokens,
        comments,
        diagnostics,
    } = lex(id, text);
    let mut p = Parser {
        text,
        dialect,
        tokens,
        at: 0,
        end: 0,
        failed: false,
        depth: 0,
        in_condition: false,
        diagnostics,
    };
    let (mut items, mut extents) = (Vec::new(), Vec::new());
    while p.at + 1 < p.tokens.len() {
        let start = p.at;
        items.push(p.item());
        p.at = p.end;
        extents.push((start as u32, p.at as u32));
    }
    let mut diagnostics = p.diagnostics;
    crate::diag::sort(&mut diagnostics);
    Parsed {
        file: File { items },
        diagnostics,
        comments,
        extents,
    }
}

/// One expression that is no part of a file of items: of a command line, or a line of input.
pub fn parse_expression(id: FileId, text: &str) -> (Expr, Vec<Diagnostic>) {
    let Lexed {
        tokens,
        diagnostics,
        ..
    } = lex(id, text);
    let mut p = Parser {
        text,
        dialect: Dialect::Rules,
        end: tokens.len() - 1,
        tokens,
        at: 0,
        failed: false,
        depth: 0,
        in_condition: false,
        diagnostics,
    };
    if p.end == 0 {
        let d = Diagnostic::new(code::EXPECTED, "there is no expression")
            .at(p.tokens[0].span)
            .help("write one, such as `(4*i + 3)/4`");
        p.diagnostics.push(d);
        return (p.error_expr(), p.diagnostics);
    }
    let e = p.expr();
    if !p.failed && p.at < p.end {
        let found = p.found();
        p.error(
            code::EXPECTED,
            format!("expected the end of the expression, found {found}"),
            p.peek().span,
            "remove it, or write the operator that is missing",
        );
    }
    let mut diagnostics = p.diagnostics;
    crate::diag::sort(&mut diagnostics);
    (e, diagnostics)
}

pub(super) struct Parser<'a> {
    text: &'a str,
    dialect: Dialect,
    tokens: Vec<Token>,
    at: usize,
    /// The current item ends before this token.
    end: usize,
    /// An error of this item has been reported; every look ahead now sees the end.
    failed: bool,
    depth: usize,
    /// `not`, `divides` and `as` end an expression here.
    in_condition: bool,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Parser<'a> {
    fn item(&mut self) -> Item {
        self.failed = false;
        self.depth = 0;
        self.in_condition = false;
        let start = self.tokens[self.at].span;
        let mut end = self.at + 1;
        while end + 1 < self.tokens.len() && !self.starts_item(end) {
            end += 1;
        }
        self.end = end;
        let kind = self.item_kind();
        if !self.failed && self.at < self.end {
            self.unexpected_rest();
        }
        let last = self.tokens[self.end - 1].span;
        Item {
            span: start.to(last),
            kind,
            whole: !self.failed,
        }
    }

    /// A word at column one, and whether it is the keyword of an item. The body of a definition may
    /// start at column one, directly behind its `=` or an `in`.
    fn starts_item(&self, i: usize) -> bool {
        let t = &self.tokens[i];
        let behind_equals = i > 0 && ["=", "in"].contains(&self.token_text(&self.tokens[i - 1]));
        let word = t.kind == TokenKind::Name && t.first_column;
        word && (!behind_equals || self.is_keyword(i))
    }

    fn is_keyword(&self, i: usize) -> bool {
        let word = self.token_text(&self.tokens[i]);
        ITEMS.iter().any(|(keyword, _)| *keyword == word)
    }

    fn token_text(&self, t: &Token) -> &'a str {
        &self.text[t.span.lo as usize..t.span.hi as usize]
    }

    /// The next token of the item, or an `End` behind its last.
    fn peek(&self) -> Token {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Token {
        let i = self.at + ahead;
        if self.failed || i >= self.end {
            let last = self.tokens[self.end.saturating_sub(1)].span;
            return Token {
                kind: TokenKind::End,
                span: last.end(),
                first_column: false,
                adjacent: false,
            };
        }
        self.tokens[i]
    }

    fn peek_text(&self, ahead: usize) -> &'a str {
        let t = self.peek_at(ahead);
        match t.kind {
            TokenKind::End => "",
            _ => self.token_text(&t),
        }
    }

    fn is(&self, text: &str) -> bool {
        self.is_at(0, text)
    }

    fn is_at(&self, ahead: usize, text: &str) -> bool {
        self.word_at(ahead) == Some(text)
    }

    /// The text of a token that is no literal; none behind the last.
    fn word_at(&self, ahead: usize) -> Option<&'a str> {
        let t = self.peek_at(ahead);
        match t.kind {
            TokenKind::Number | TokenKind::Text | TokenKind::End => None,
            _ => Some(self.token_text(&t)),
        }
    }

    fn bump(&mut self) -> Token {
        let t = self.peek();
        if t.kind != TokenKind::End {
            self.at += 1;
        }
        t
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.is(text);
        if found {
            self.at += 1;
        }
        found
    }

    /// Consumes `text` or reports what stands in its place.
    fn expect(&mut self, text: &str, why: &str) -> bool {
        if self.eat(text) {
            return true;
        }
        self.error_expected(&format!("`{text}`"), why);
        false
    }

    /// Consumes the closing bracket, or points to the one that was opened.
    fn close(&mut self, text: &str, open: Span) -> Span {
        let t = self.peek();
        if self.eat(text) {
            return t.span;
        }
        let (found, d) = (self.found(), code::NOT_CLOSED);
        self.fail(
            Diagnostic::new(d, format!("expected `{text}`, found {found}"))
                .label(t.span, format!("`{text}` missing here"))
                .also(open, "to close this bracket")
                .help(format!("write `{text}`, or the operator that is missing")),
        );
        t.span
    }

    fn name(&mut self, what: &str) -> Name {
        let t = self.peek();
        if t.kind != TokenKind::Name {
            self.error_expected(what, "");
            return Name {
                text: String::new(),
                span: t.span,
            };
        }
        self.at += 1;
        Name {
            text: self.token_text(&t).to_string(),
            span: t.span,
        }
    }

    /// A name with hyphens: `map-fission`, `reorder-2`.
    fn hyphen_name(&mut self, what: &str) -> Name {
        let mut name = self.name(what);
        while !name.text.is_empty() && self.is("-") && self.peek().adjacent {
            let part = self.peek_at(1);
            let plain = part.adjacent
                && match part.kind {
                    TokenKind::Name => true,
                    TokenKind::Number => !self.token_text(&part).contains(['.', '-', '+']),
                    _ => false,
                };
            if !plain {
                break;
            }
            self.at += 2;
            name.span = name.span.to(part.span);
            name.text = self.text[name.span.lo as usize..name.span.hi as usize].to_string();
        }
        name
    }

    /// A path: quoted, or the tokens up to the next space, bracket or comma.
    fn path(&mut self) -> FilePath {
        let t = self.peek();
        if t.kind == TokenKind::Text {
            self.at += 1;
            return FilePath {
                text: self.token_text(&t).trim_matches('"').to_string(),
                quoted: true,
                span: t.span,
            };
        }
        if matches!(t.kind, TokenKind::End | TokenKind::Bad) || self.is("(") {
            self.error_expected("a file", "such as `rules/algorithmic.rules`");
            return FilePath {
                text: String::new(),
                quoted: false,
                span: t.span,
            };
        }
        let mut span = self.bump().span;
        while self.peek().adjacent
            && !matches!(self.peek().kind, TokenKind::Text | TokenKind::Bad)
            && !["(", ")", ",", "[", "]"].contains(&self.peek_text(0))
        {
            span = span.to(self.bump().span);
        }
        FilePath {
            text: self.text[span.lo as usize..span.hi as usize].to_string(),
            quoted: false,
            span,
        }
    }

    fn number(&mut self, what: &str) -> Number {
        let t = self.peek();
        if t.kind != TokenKind::Number {
            self.error_expected(what, "");
            return Number {
                text: String::new(),
                span: t.span,
            };
        }
        self.at += 1;
        let text = self.token_text(&t).to_string();
        self.check_number(&text, t.span);
        Number { text, span: t.span }
    }

    fn check_number(&mut self, text: &str, span: Span) {
        // The item goes on: a wrong number hides nothing else.
        if let Err(d) = super::number::parse(text) {
            self.diagnostics.push(d.at(span));
        }
    }

    /// `[m n : nat]`; the opening bracket is next.
    fn sizes(&mut self) -> Sizes {
        let open = self.bump().span;
        let mut names = Vec::new();
        while self.peek().kind == TokenKind::Name {
            let name = self.name("a size");
            let comma = self.eat(",");
            names.push((name, comma));
            self.narrow(names.len());
        }
        if names.is_empty() {
            self.error_expected("the name of a size", "as in `[n : nat]`");
        }
        self.expect(":", "sizes are declared as in `[n : nat]`");
        self.expect("nat", "sizes are of the kind `nat`");
        let close = self.close("]", open);
        Sizes {
            names,
            span: open.to(close),
        }
    }

    /// Tuples, arguments and parameters become nested, so their number is bounded as well.
    fn narrow(&mut self, parts: usize) {
        if parts > MAX_DEPTH {
            self.too_deep();
        }
    }

    fn found(&self) -> String {
        let t = self.peek();
        match t.kind {
            TokenKind::End => "the end of the item".to_string(),
            _ => {
                let text: String = self.token_text(&t).chars().take(40).collect();
                format!("`{text}`")
            }
        }
    }

    fn error_expected(&mut self, what: &str, why: &str) {
        let message = format!("expected {what}, found {}", self.found());
        let mut d = Diagnostic::new(code::EXPECTED, message).at(self.peek().span);
        d.help = Some(match (why, self.peek().kind) {
            ("", TokenKind::End) => {
                "complete the item; lines that continue it are indented".to_string()
            }
            ("", _) => format!("write {what} here"),
            (why, _) => why.to_string(),
        });
        self.fail(d);
    }

    fn error(&mut self, code: &'static Code, message: impl Into<String>, span: Span, help: &str) {
        self.fail(Diagnostic::new(code, message).at(span).help(help));
    }

    /// Reports the first error of an item; what follows from it is not worth reading. A token that
    /// the lexer could not read has been reported already.
    fn fail(&mut self, d: Diagnostic) {
        if !self.failed && self.peek().kind != TokenKind::Bad {
            self.diagnostics.push(d);
        }
        self.failed = true;
    }
}
