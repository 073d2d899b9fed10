//! Expressions: terms, types and sizes, by operator precedence.

use super::super::token::TokenKind;
use super::super::tree::{prec, Assoc, BinOp, Expr, ExprKind, Pat, PatKind};
use super::super::Dialect;
use super::{Parser, MAX_DEPTH};
use crate::diag::{code, Diagnostic};
use crate::source::Span;
use crate::target;

impl Parser<'_> {
    /// An expression, with an annotation if there is one.
    pub(super) fn expr(&mut self) -> Expr {
        let e = self.binary(prec::ARROW);
        if !self.eat(":") {
            return e;
        }
        let ty = self.ty();
        let span = e.span.to(ty.span);
        Expr::new(span, ExprKind::Annot(Box::new(e), Box::new(ty)))
    }

    pub(super) fn ty(&mut self) -> Expr {
        self.binary(prec::ARROW)
    }

    /// An expression that binds at least as tightly as `level`.
    pub(super) fn expr_at(&mut self, level: u8) -> Expr {
        match level {
            prec::LOWEST => self.expr(),
            prec::DOT => self.nested(Parser::dotted),
            prec::APP => self.nested(Parser::application),
            _ => self.binary(level),
        }
    }

    /// Runs `f` one level deeper, or reports that the text is nested too deeply.
    fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.too_deep();
        }
        let result = f(self);
        self.depth -= 1;
        result
    }

    pub(super) fn too_deep(&mut self) {
        self.error(
            code::TOO_DEEP,
            format!(
                "this is nested more than {MAX_DEPTH} levels deep, of which parentheses and functions take two each"
            ),
            self.peek().span,
            "name a part of it: `let x = … in …` or a definition of its own",
        );
    }

    fn binary(&mut self, level: u8) -> Expr {
        self.nested(|p| p.binary_loop(level))
    }

    fn binary_loop(&mut self, level: u8) -> Expr {
        let mut left = self.operand();
        let depth = self.depth;
        while let Some(op) = self.infix() {
            if op.level() < level || self.failed {
                break;
            }
            // A chain grows to the left: every operator is one more level.
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                self.too_deep();
                break;
            }
            let at = self.bump().span;
            if op == BinOp::Lt && self.is("<") && self.peek().adjacent {
                let help = "bits are moved by `shl a b` and `shr a b`";
                let span = at.to(self.peek().span);
                self.error(code::EXPECTED, "`<<` is no operator", span, help);
            }
            let right = match op.assoc() {
                Assoc::Right => self.binary(op.level()),
                Assoc::Left | Assoc::None => self.binary(op.level() + 1),
            };
            let span = left.span.to(right.span);
            left = Expr::new(span, ExprKind::Binary(op, Box::new(left), Box::new(right)));
            let again = self.infix().filter(|o| o.level() == op.level());
            if let (Assoc::None, Some(_)) = (op.assoc(), again) {
                self.error(
                    code::EXPECTED,
                    "comparisons do not chain",
                    at.to(self.peek().span),
                    match joined_by_word(&left) {
                        true => "truth values are joined by `&&` and `||`",
                        false => "compare twice, or group with parentheses",
                    },
                );
            }
        }
        self.depth = depth;
        left
    }

    fn operand(&mut self) -> Expr {
        if self.is("let") && self.binding_follows() {
            return self.let_in();
        }
        if self.is("if") {
            return self.choice();
        }
        if matches!(self.peek().kind, TokenKind::Name | TokenKind::Number) {
            return self.application();
        }
        if self.is("\\") {
            return self.lambda();
        }
        let start = self.peek().span;
        if self.is("[") {
            let sizes = self.sizes();
            self.expect("->", "a function of a size is written `[n : nat] -> t`");
            let body = self.ty();
            let span = start.to(body.span);
            return Expr::new(span, ExprKind::SizeFun(sizes, Box::new(body)));
        }
        if self.eat("-") {
            let e = self.binary(prec::NEG);
            return Expr::new(start.to(e.span), ExprKind::Neg(Box::new(e)));
        }
        if self.eat("!") {
            let e = self.binary(prec::NEG);
            return Expr::new(start.to(e.span), ExprKind::Not(Box::new(e)));
        }
        self.application()
    }

    fn application(&mut self) -> Expr {
        let function = self.nested(Parser::dotted);
        let mut arguments = Vec::new();
        let mut span = function.span;
        while self.starts_argument() && !self.peek().first_column {
            let e = self.nested(Parser::dotted);
            span = span.to(e.span);
            arguments.push(e);
            self.narrow(arguments.len());
        }
        if arguments.is_empty() {
            function
        } else {
            Expr::new(span, ExprKind::App(Box::new(function), arguments))
        }
    }

    pub(super) fn starts_argument(&self) -> bool {
        match self.peek().kind {
            TokenKind::Name => !self.is_reserved(),
            TokenKind::Number => true,
            _ => self.is("(") || self.is("?"),
        }
    }

    /// Words that end an expression. Few, and only where they mean something: they are common names.
    fn is_reserved(&self) -> bool {
        let word = self.peek_text(0);
        ["in", "if", "then", "else"].contains(&word)
            || (word == "where" && self.dialect == Dialect::Rules)
            || (["or", "and"].contains(&word) && self.words_are_infix())
            || (self.in_condition && ["not", "divides", "as"].contains(&word))
    }

    /// Whether `or` and `and` are operators.
    pub(super) fn words_are_infix(&self) -> bool {
        self.dialect == Dialect::Sketch
    }

    /// `a.b.c`, `<n>t`, or an atom.
    fn dotted(&mut self) -> Expr {
        let start = self.peek().span;
        if self.eat("<") {
            let lanes = self.binary(prec::ADD);
            self.close(">", start);
            let ty = self.nested(Parser::dotted);
            let span = start.to(ty.span);
            return Expr::new(span, ExprKind::Vector(Box::new(lanes), Box::new(ty)));
        }
        self.constant_in_pieces();
        let atom = self.atom();
        if !self.eat(".") {
            return atom;
        }
        if matches!(&atom.kind, ExprKind::Number(n) if n.contains('.')) {
            self.error(
                code::EXPECTED,
                "the size of an array is a fraction",
                atom.span,
                "sizes are whole numbers: `32.f32`",
            );
        }
        let element = self.nested(Parser::dotted);
        if let ExprKind::Number(_) = element.kind {
            self.error(
                code::EXPECTED,
                "an array type ends in a number",
                element.span,
                "the type of the elements stands behind the last dot: `32.32.f32`",
            );
        }
        let span = atom.span.to(element.span);
        Expr::new(span, ExprKind::Array(Box::new(atom), Box::new(element)))
    }

    /// `target . f32lanes` would be an array type, and, printed without spaces, a constant.
    fn constant_in_pieces(&mut self) {
        if !self.is_at(1, ".") {
            return;
        }
        let word = format!("{}.{}", self.peek_text(0), self.peek_text(2));
        if target::constant_at(&word) == Some(word.len()) {
            self.error(
                code::EXPECTED,
                "the name of a constant of the target is one word",
                self.peek().span.to(self.peek_at(2).span),
                &format!("write `{word}`"),
            );
        }
    }

    fn atom(&mut self) -> Expr {
        let t = self.peek();
        let kind = match t.kind {
            TokenKind::Name if !self.is_reserved() => {
                self.at += 1;
                match self.token_text(&t) {
                    "_" => ExprKind::Hole,
                    name => ExprKind::Name(name.to_string()),
                }
            }
            TokenKind::Number => {
                self.at += 1;
                let text = self.token_text(&t).to_string();
                self.check_number(&text, t.span);
                ExprKind::Number(text)
            }
            _ if self.eat("?") => ExprKind::Any,
            _ if self.is("(") => return self.parenthesis(),
            _ => {
                let help = match t.kind {
                    TokenKind::Name => "this is a word of the language, and no name of a value",
                    _ if self.is("*")
                        && self.at > 0
                        && self.token_text(&self.tokens[self.at - 1]) == "*" =>
                    {
                        "a power is a product, or `exp (y * log x)`"
                    }
                    _ => "",
                };
                self.error_expected("an expression", help);
                ExprKind::Error
            }
        };
        self.with_sizes(Expr::new(t.span, kind))
    }

    fn with_sizes(&mut self, e: Expr) -> Expr {
        if !self.is("[") {
            return e;
        }
        let (sizes, close) = self.size_arguments();
        let span = e.span.to(close);
        let e = Expr::new(span, ExprKind::Sizes(Box::new(e), sizes));
        if self.is("[") {
            self.error(
                code::EXPECTED,
                "size arguments stand in one pair of brackets",
                self.peek().span,
                "separate them by commas: `slide[3, 1]`",
            );
        }
        e
    }

    /// `[n, m]`; the opening bracket is next. Also returns the place of the closing one.
    pub(super) fn size_arguments(&mut self) -> (Vec<Expr>, Span) {
        let open = self.bump().span;
        let mut sizes = vec![self.binary(prec::ADD)];
        while self.eat(",") {
            sizes.push(self.binary(prec::ADD));
        }
        (sizes, self.close("]", open))
    }

    fn parenthesis(&mut self) -> Expr {
        let open = self.bump().span;
        if let Some(op) = self.infix().filter(|_| self.is_at(1, ")")) {
            if !op.has_section() {
                self.error(
                    code::EXPECTED,
                    format!("`{}` is not a function of two values", op.text()),
                    self.peek().span,
                    "sections are made of arithmetic, comparisons and logic: `(+)`",
                );
            }
            self.bump();
            let close = self.bump().span;
            return Expr::new(open.to(close), ExprKind::Section(op));
        }
        let first = self.expr();
        if !self.is(",") {
            let close = self.close(")", open);
            let e = Expr::new(open.to(close), ExprKind::Paren(Box::new(first)));
            return self.with_sizes(e);
        }
        let mut parts = vec![first];
        while self.eat(",") {
            parts.push(self.expr());
            self.narrow(parts.len());
        }
        let close = self.close(")", open);
        Expr::new(open.to(close), ExprKind::Tuple(parts))
    }

    fn lambda(&mut self) -> Expr {
        let start = self.bump().span;
        if self.dialect == Dialect::Sketch && !self.patterns_then_arrow() {
            let body = self.expr_in_lambda();
            let span = start.to(body.span);
            return Expr::new(span, ExprKind::Under(Box::new(body)));
        }
        let mut patterns = vec![self.pattern()];
        while !self.failed && !self.is("->") {
            if self.peek().kind == TokenKind::Symbol && !self.is("(") {
                self.error_expected("`->`", "a function is written `\\x -> e`");
                break;
            }
            patterns.push(self.pattern());
            self.narrow(patterns.len());
        }
        self.expect("->", "a function is written `\\x -> e`");
        let body = self.expr_in_lambda();
        let span = start.to(body.span);
        Expr::new(span, ExprKind::Lam(patterns, Box::new(body)))
    }

    fn expr_in_lambda(&mut self) -> Expr {
        self.nested(Parser::expr)
    }

    /// What is named is followed by what it is named for: the name is pointed to, as its value takes all that stands behind it.
    fn let_without_in(&mut self, start: Span) {
        let message = format!("expected `in`, found {}", self.found());
        let d = Diagnostic::new(code::EXPECTED, message)
            .label(self.peek().span, "`in` is missing before that")
            .also(start, "behind what this names")
            .help("write `let x = e in e`");
        self.fail(d);
    }

    fn let_in(&mut self) -> Expr {
        let start = self.bump().span;
        let pattern = self.pattern();
        // `let f x y = e` is `let f = \x y -> e`.
        let mut parameters = Vec::new();
        while !self.failed && !self.is("=") {
            parameters.push(self.pattern());
            self.narrow(parameters.len());
        }
        self.expect("=", "write `let x = e in e`");
        let mut value = self.expr();
        if let Some(first) = parameters.first() {
            let span = first.span.to(value.span);
            value = Expr::new(span, ExprKind::Lam(parameters, Box::new(value)));
        }
        if !self.eat("in") {
            self.let_without_in(start);
        }
        let body = self.expr_in_lambda();
        let span = start.to(body.span);
        Expr::new(
            span,
            ExprKind::Let(pattern, Box::new(value), Box::new(body)),
        )
    }

    fn choice(&mut self) -> Expr {
        const WRITTEN: &str = "write `if c then a else b`";
        let start = self.bump().span;
        let condition = self.expr();
        self.expect("then", WRITTEN);
        let first = self.expr();
        self.expect("else", WRITTEN);
        let second = self.expr_in_lambda();
        let span = start.to(second.span);
        Expr::new(span, ExprKind::If(Box::new([condition, first, second])))
    }

    fn pattern(&mut self) -> Pat {
        self.nested(|p| {
            let t = p.peek();
            if t.kind == TokenKind::Name && !p.is_reserved() {
                p.at += 1;
                let kind = match p.token_text(&t) {
                    "_" => PatKind::Ignore,
                    name => PatKind::Name(name.to_string()),
                };
                return Pat { span: t.span, kind };
            }
            if !p.is("(") {
                p.error_expected("a variable", "patterns are `x`, `_`, `(x, y)`, `(x : t)`");
                let kind = PatKind::Error;
                return Pat { span: t.span, kind };
            }
            p.bump();
            let first = p.pattern();
            let kind = if p.eat(":") {
                PatKind::Annot(Box::new(first), Box::new(p.ty()))
            } else if p.is(",") {
                let mut parts = vec![first];
                while p.eat(",") {
                    parts.push(p.pattern());
                    p.narrow(parts.len());
                }
                PatKind::Tuple(parts)
            } else {
                PatKind::Paren(Box::new(first))
            };
            let close = p.close(")", t.span);
            Pat {
                span: t.span.to(close),
                kind,
            }
        })
    }

    /// Whether patterns and `->` come next, and not the body of a nameless function.
    fn patterns_then_arrow(&self) -> bool {
        let mut i = 0;
        while let Some(next) = self.skip_pattern(i) {
            i = next;
        }
        i > 0 && self.is_at(i, "->")
    }

    /// Whether this `let` binds: `let x = …`, `let f x = …`. Otherwise it is the primitive: `let (toMem e) (\x -> x)`.
    fn binding_follows(&self) -> bool {
        let mut i = 1;
        while let Some(next) = self.skip_pattern(i) {
            i = next;
        }
        i > 1 && self.is_at(i, "=")
    }

    /// The index behind the pattern at `i`. In brackets anything counts that a pattern may hold.
    fn skip_pattern(&self, mut i: usize) -> Option<usize> {
        let word = |i: usize| self.peek_at(i).kind == TokenKind::Name && !self.is_at(i, "in");
        if word(i) {
            return Some(i + 1);
        }
        if !self.is_at(i, "(") {
            return None;
        }
        let mut open = 0usize;
        loop {
            let t = self.peek_at(i);
            if t.kind == TokenKind::End || self.is_at(i, "\\") || self.is_at(i, "=") {
                return None;
            }
            open += usize::from(self.is_at(i, "("));
            open -= usize::from(self.is_at(i, ")"));
            i += 1;
            if open == 0 {
                return Some(i);
            }
        }
    }
}

/// Whether the right operand is applied to `and` or `or`, which are functions.
fn joined_by_word(e: &Expr) -> bool {
    let ExprKind::Binary(_, _, right) = &e.kind else {
        return false;
    };
    let ExprKind::App(_, args) = &right.kind else {
        return false;
    };
    let word = |e: &Expr| matches!(&e.kind, ExprKind::Name(n) if n == "and" || n == "or");
    args.iter().any(word)
}
