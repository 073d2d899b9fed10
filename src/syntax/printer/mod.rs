//! Trees to text: the parser's inverse.
//!
//! Printing a parsed tree gives exactly the tokens it was read from, in order. So a comment needs no place in
//! the tree: it belongs to the token it stands behind (on the same line) or before, and is put back
//! when that token is printed. A line break that was written where the layout may have one stays.
//! Trees that no text stands behind need parentheses where operators ask for them; `parenthesize`
//! adds them. What could not be read is never printed: `fmt` refuses.

mod item;
mod parentheses;

pub use parentheses::{at_level, parenthesize};

use super::doc::{layout, Doc, LINE};
use super::lexer;
use super::token::Comment;
use super::tree::*;
use super::Parsed;
use crate::source::Span;

pub const WIDTH: usize = 100;

/// Functions of sizes that are printed as calls.
const SIZE_FUNCTIONS: [&str; 4] = ["ceil", "floor", "min", "max"];

/// Functions of scalars that are printed as calls where they were written so.
const SCALAR_FUNCTIONS: [&str; 4] = ["select", "broadcast", "ramp", "prove"];

/// The formatted text of a file without syntax errors.
pub fn print(parsed: &Parsed, text: &str) -> String {
    let mut out = String::new();
    let mut comments = parsed.comments.as_slice();
    let blank_before = |lo: u32| {
        let above = text[..lo as usize].trim_end_matches([' ', '\t', '\r']);
        let above = above.strip_suffix('\n').unwrap_or("");
        above.trim_end_matches([' ', '\t', '\r']).ends_with('\n')
    };
    for (item, &(first, end)) in parsed.file.items.iter().zip(&parsed.extents) {
        own_lines(&mut out, &mut comments, first);
        if !out.is_empty() && blank_before(item.span.lo) {
            out.push('\n');
        }
        let mut p = Printer {
            comments,
            next: first as usize,
            last: end as usize,
            is_tight: false,
            text: Some(text),
        };
        let doc = p.item(item);
        comments = p.comments;
        out.push_str(&layout(&doc, WIDTH));
        // What stands behind the last token on its line.
        while let Some(c) = comments.first().filter(|c| c.before == end && c.trailing) {
            out.push(' ');
            out.push_str(&c.text);
            comments = &comments[1..];
        }
        out.push('\n');
    }
    own_lines(&mut out, &mut comments, u32::MAX);
    out
}

/// Comments between items.
fn own_lines(out: &mut String, comments: &mut &[Comment], before: u32) {
    while let Some(c) = comments.first().filter(|c| c.before <= before) {
        if c.blank_above && !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&c.text);
        out.push('\n');
        *comments = &comments[1..];
    }
}

/// The text of one item, without comments.
pub fn print_item(item: &Item) -> String {
    layout(&Printer::plain().item(item), WIDTH)
}

/// The text of one expression.
pub fn print_expr(e: &Expr) -> String {
    layout(&Printer::plain().expr(e), WIDTH)
}

/// The text of one expression on one line.
pub fn print_expr_flat(e: &Expr) -> String {
    layout(&Printer::plain().expr(e).group(), usize::MAX)
}

struct Printer<'a> {
    /// Those that have not been put back yet.
    comments: &'a [Comment],
    /// Index of the next token.
    next: usize,
    /// Comments behind the last token of the item are not printed here.
    last: usize,
    /// Inside of a size: no spaces around operators.
    is_tight: bool,
    /// What the tree was read from.
    text: Option<&'a str>,
}

/// An argument that is not worth a line.
fn is_simple(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Name(_) | ExprKind::Number(_) | ExprKind::Any | ExprKind::Hole => true,
        ExprKind::Section(_) => true,
        ExprKind::Paren(e) => is_quotient(e),
        _ => false,
    }
}

/// `(m/32)`: most likely a size.
fn is_quotient(e: &Expr) -> bool {
    let atom = |e: &Expr| matches!(e.kind, ExprKind::Name(_) | ExprKind::Number(_));
    matches!(&e.kind, ExprKind::Binary(BinOp::Div, l, r) if atom(l) && atom(r))
}

/// Behind another minus sign it would start a comment.
fn starts_with_minus(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Neg(_) => true,
        ExprKind::Binary(_, l, _) => starts_with_minus(l),
        _ => false,
    }
}

fn cat(parts: Vec<Doc>) -> Doc {
    Doc::Concat(parts)
}

impl<'a> Printer<'a> {
    fn plain() -> Printer<'static> {
        Printer {
            comments: &[],
            next: 0,
            last: 0,
            is_tight: false,
            text: None,
        }
    }

    /// A possible line break between what ends at one place and starts at the other; a certain one
    /// if it was written.
    fn line(&self, before: Span, behind: Span, flat: &'static str) -> Doc {
        let between = self
            .text
            .and_then(|t| t.get(before.hi as usize..behind.lo as usize));
        if between.is_some_and(|t| t.contains('\n')) {
            Doc::Hard
        } else {
            Doc::Line(flat)
        }
    }

    /// One token, with the comments around it.
    fn token(&mut self, text: &str) -> Doc {
        self.tokens(text, 1)
    }

    /// A name or path, which may consist of several tokens.
    fn name(&mut self, text: &str) -> Doc {
        let simple = text.chars().all(|c| c.is_alphanumeric() || c == '_');
        let count = if simple { 1 } else { lexer::count(text).max(1) };
        self.tokens(text, count)
    }

    fn tokens(&mut self, text: &str, count: usize) -> Doc {
        let mut parts = Vec::new();
        self.take_comments(self.next, false, &mut parts);
        parts.push(Doc::text(text));
        self.next += count;
        if self.next < self.last {
            self.take_comments(self.next, true, &mut parts);
        }
        match parts.len() {
            1 => parts.swap_remove(0),
            _ => cat(parts),
        }
    }

    /// The comments before token `index`; only the trailing ones, or all that are left.
    fn take_comments(&mut self, index: usize, trailing: bool, parts: &mut Vec<Doc>) {
        while let Some(c) = self.comments.first() {
            if c.before as usize > index || (trailing && !c.trailing) {
                return;
            }
            parts.push(Doc::Comment {
                text: c.text.clone(),
                trailing: c.trailing,
                block: c.block,
            });
            self.comments = &self.comments[1..];
        }
    }

    fn sizes(&mut self, sizes: &Sizes) -> Doc {
        let mut parts = vec![self.token("[")];
        for (name, comma) in &sizes.names {
            parts.push(self.token(&name.text));
            if *comma {
                parts.push(self.token(","));
            }
            parts.push(Doc::text(" "));
        }
        parts.extend([self.token(":"), Doc::text(" ")]);
        parts.extend([self.token("nat"), self.token("]")]);
        cat(parts)
    }

    fn size_arguments(&mut self, sizes: &[Expr]) -> Doc {
        let mut parts = vec![self.token("[")];
        for (i, e) in sizes.iter().enumerate() {
            if i > 0 {
                parts.extend([self.token(","), Doc::text(" ")]);
            }
            parts.push(self.tight(e));
        }
        parts.push(self.token("]"));
        cat(parts)
    }

    /// A size: without spaces around its operators.
    fn tight(&mut self, e: &Expr) -> Doc {
        let outer = std::mem::replace(&mut self.is_tight, true);
        let doc = self.expr(e);
        self.is_tight = outer;
        doc
    }

    fn expr(&mut self, e: &Expr) -> Doc {
        match &e.kind {
            ExprKind::Error => Doc::Nil,
            ExprKind::Name(s) | ExprKind::Number(s) => self.token(s),
            ExprKind::Hole => self.token("_"),
            ExprKind::Any => self.token("?"),
            ExprKind::Paren(e) => {
                let open = self.token("(");
                let inner = if is_quotient(e) {
                    self.tight(e)
                } else {
                    self.expr(e)
                };
                let by = usize::from(matches!(
                    e.kind,
                    ExprKind::Binary(..) | ExprKind::Let(..) | ExprKind::If(_)
                ));
                cat(vec![open, inner.nest(by), self.token(")")])
            }
            ExprKind::Tuple(parts) => self.tuple(parts, Printer::expr),
            ExprKind::Section(op) => cat(vec![
                self.token("("),
                self.token(op.text()),
                self.token(")"),
            ]),
            ExprKind::App(f, args) => self.application(f, args),
            ExprKind::Sizes(e, sizes) => cat(vec![self.expr(e), self.size_arguments(sizes)]),
            ExprKind::Lam(patterns, body) => {
                let mut head = vec![self.token("\\")];
                for p in patterns {
                    head.extend([self.pattern(p), Doc::text(" ")]);
                }
                head.push(self.token("->"));
                let before = patterns.last().map_or(e.span, |p| p.span);
                let line = self.line(before, body.span, " ");
                let body = self.expr(body);
                cat(vec![cat(head), cat(vec![line, body]).nest(2).group()])
            }
            ExprKind::Under(body) => cat(vec![self.token("\\"), Doc::text(" "), self.expr(body)]),
            ExprKind::Let(p, value, body) => self.let_in(p, value, body),
            ExprKind::If(parts) => self.choice(parts),
            ExprKind::Binary(..) => self.binary(e),
            // Two minus signs would start a comment.
            ExprKind::Neg(e) if matches!(e.kind, ExprKind::Neg(_)) => {
                cat(vec![self.token("-"), Doc::text(" "), self.expr(e)])
            }
            ExprKind::Neg(e) => cat(vec![self.token("-"), self.expr(e)]),
            ExprKind::Not(e) => cat(vec![self.token("!"), self.expr(e)]),
            ExprKind::Array(n, t) => cat(vec![self.tight(n), self.token("."), self.expr(t)]),
            ExprKind::Vector(n, t) => cat(vec![
                self.token("<"),
                self.tight(n),
                self.token(">"),
                self.expr(t),
            ]),
            ExprKind::Annot(e, t) => cat(vec![
                self.expr(e),
                Doc::text(" "),
                self.token(":"),
                Doc::text(" "),
                self.expr(t),
            ]),
            ExprKind::SizeFun(sizes, t) => cat(vec![
                self.sizes(sizes),
                Doc::text(" "),
                self.token("->"),
                Doc::text(" "),
                self.expr(t),
            ]),
        }
    }

    fn let_in(&mut self, p: &Pat, value: &Expr, body: &Expr) -> Doc {
        let head = vec![
            self.token("let"),
            Doc::text(" "),
            self.pattern(p),
            Doc::text(" "),
            self.token("="),
        ];
        let first = self.line(p.span, value.span, " ");
        let second = self.line(value.span, body.span, " ");
        let value = self.expr(value);
        let value = cat(vec![first, value]).nest(2).group();
        let end = self.token("in");
        let body = self.expr(body);
        cat(vec![cat(head), value, Doc::text(" "), end, second, body]).group()
    }

    /// On one line, or each `else` on one of its own; what `then` says stays beside its condition where it fits.
    fn choice(&mut self, parts: &[Expr; 3]) -> Doc {
        let mut docs = Vec::new();
        let [mut condition, mut first, mut second] = parts.each_ref();
        loop {
            let word = self.token("if");
            let head = self.expr(condition);
            let line = self.line(condition.span, first.span, " ");
            let then = self.token("then");
            let inner = self.expr(first);
            let then = cat(vec![line, then, Doc::text(" "), inner.nest(5)]).nest(2);
            docs.push(cat(vec![word, Doc::text(" "), head.nest(3), then]).group());
            docs.push(self.line(first.span, second.span, " "));
            docs.extend([self.token("else"), Doc::text(" ")]);
            match &second.kind {
                ExprKind::If(parts) => [condition, first, second] = parts.each_ref(),
                _ => break,
            }
        }
        docs.push(self.expr(second).nest(5));
        cat(docs).group()
    }

    fn tuple<T>(&mut self, parts: &[T], mut each: impl FnMut(&mut Self, &T) -> Doc) -> Doc {
        let mut docs = vec![self.token("(")];
        for (i, p) in parts.iter().enumerate() {
            if i > 0 {
                docs.extend([self.token(","), LINE]);
            }
            docs.push(each(self, p));
        }
        docs.push(self.token(")"));
        cat(docs).nest(1).group()
    }

    /// Simple arguments stay beside the function; the others share its line or have one each. A
    /// function as the last argument starts on the line of what stands before it.
    fn application(&mut self, f: &Expr, args: &[Expr]) -> Doc {
        let call = self.is_call(f, args);
        let mut head = vec![self.expr(f)];
        if call {
            head.push(self.expr(&args[0]));
            return cat(head);
        }
        let simple = args.iter().take_while(|a| is_simple(a)).count();
        for a in &args[..simple] {
            head.extend([Doc::text(" "), self.expr(a)]);
        }
        let hug = matches!(args, [.., Expr { kind: ExprKind::Paren(e), .. }] if matches!(e.kind, ExprKind::Lam(..)));
        let end = args.len() - usize::from(hug);
        for i in simple..end {
            let before = if i == 0 { f.span } else { args[i - 1].span };
            let line = self.line(before, args[i].span, " ");
            head.push(cat(vec![line, self.expr(&args[i])]).nest(2));
        }
        let head = cat(head).group();
        match args.last().filter(|_| hug) {
            Some(last) => cat(vec![head, Doc::text(" "), self.expr(last)]),
            None => head,
        }
    }

    /// `min(a, b)`: the functions of sizes and scalars, and what was written without a space.
    fn is_call(&self, f: &Expr, args: &[Expr]) -> bool {
        let [argument] = args else { return false };
        let ExprKind::Name(name) = &f.kind else {
            return false;
        };
        let written = self.text.is_some() && f.span.hi == argument.span.lo;
        match &argument.kind {
            ExprKind::Tuple(_) if SIZE_FUNCTIONS.contains(&&**name) => true,
            ExprKind::Tuple(_) | ExprKind::Paren(_) if SCALAR_FUNCTIONS.contains(&&**name) => {
                written || self.text.is_none()
            }
            _ => false,
        }
    }

    /// A chain of operators of one level breaks where it was broken, and where the line is full.
    fn binary(&mut self, e: &Expr) -> Doc {
        let mut chain = Vec::new();
        let mut first = e;
        let level = match &e.kind {
            ExprKind::Binary(op, ..) => op.level(),
            _ => prec::LOWEST,
        };
        while let ExprKind::Binary(op, l, r) = &first.kind {
            if op.level() != level || (op.assoc() != Assoc::Left && !chain.is_empty()) {
                break;
            }
            chain.push((*op, &**r));
            first = l;
        }
        chain.reverse();
        let mut parts = vec![self.expr(first)];
        let mut before = first.span;
        for (op, right) in chain {
            if self.is_tight && op.level() >= prec::ADD && !starts_with_minus(right) {
                parts.extend([self.token(op.text()), self.expr(right)]);
                continue;
            }
            let line = self.line(before, right.span, " ");
            before = right.span;
            let op = self.token(op.text());
            // Without a text, all operators of a chain break or none.
            parts.push(match self.text {
                Some(_) => line.group(),
                None => line,
            });
            parts.push(cat(vec![op, Doc::text(" "), self.expr(right)]));
        }
        match self.text {
            Some(_) => cat(parts),
            None => cat(parts).group(),
        }
    }

    fn pattern(&mut self, p: &Pat) -> Doc {
        match &p.kind {
            PatKind::Error => Doc::Nil,
            PatKind::Name(n) => self.token(n),
            PatKind::Ignore => self.token("_"),
            PatKind::Tuple(parts) => self.tuple(parts, Printer::pattern),
            PatKind::Paren(p) => cat(vec![self.token("("), self.pattern(p), self.token(")")]),
            PatKind::Annot(p, t) => cat(vec![
                self.token("("),
                self.pattern(p),
                Doc::text(" "),
                self.token(":"),
                Doc::text(" "),
                self.expr(t),
                self.token(")"),
            ]),
        }
    }
}
