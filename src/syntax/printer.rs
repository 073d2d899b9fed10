//! Trees to text: the parser's inverse.
//!
//! Printing a parsed tree gives exactly the tokens it was read from, in order. So a comment needs no place in
//! the tree: it belongs to the token it stands behind (on the same line) or before, and is put back
//! when that token is printed. A line break that was written where the layout may have one stays.
//! Trees that no text stands behind need parentheses where operators ask for them; `parenthesize`
//! adds them. What could not be read is never printed: `fmt` refuses.

use super::doc::{layout, Doc, LINE};
use super::lexer;
use super::token::Comment;
use super::tree::*;
use super::Parsed;
use crate::source::Span;

pub const WIDTH: usize = 100;

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
        match between.is_some_and(|t| t.contains('\n')) {
            true => Doc::Hard,
            false => Doc::Line(flat),
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

    fn item(&mut self, item: &Item) -> Doc {
        match &item.kind {
            ItemKind::Import(path) => self.keyword_path("import", path),
            ItemKind::Include(path) => self.keyword_path("include", path),
            ItemKind::Def(def) => self.def(def),
            ItemKind::Rule(rule) => self.rule(rule),
            ItemKind::RuleSet(set) => {
                let mut parts = vec![
                    self.token("ruleset"),
                    Doc::text(" "),
                    self.name(&set.name.text),
                ];
                self.optional_sizes(&set.sizes, &mut parts);
                parts.extend([Doc::text(" "), self.token("=")]);
                parts.push(
                    cat(vec![LINE, self.rule_refs(&set.members)])
                        .nest(2)
                        .group(),
                );
                cat(parts)
            }
            ItemKind::Use { file, list } => {
                let mut parts = vec![self.keyword_path("use", file)];
                if let Some(list) = list {
                    parts.extend([Doc::text(" "), self.token("(")]);
                    parts.push(self.rule_refs(list).nest(2));
                    parts.push(self.token(")"));
                }
                cat(parts)
            }
            ItemKind::Limits(limits) => {
                let keyword = self.token("limits");
                let mut parts = vec![Doc::text(" ")];
                for (i, (name, number)) in limits.iter().enumerate() {
                    if i > 0 {
                        let line = self.line(limits[i - 1].1.span, name.span, " ");
                        parts.extend([self.token(","), line.group()]);
                    }
                    parts.extend([self.token(&name.text), Doc::text(" ")]);
                    parts.push(self.token(&number.text));
                }
                cat(vec![keyword, cat(parts).nest(2)])
            }
            ItemKind::Param { name, value } => cat(vec![
                self.token("param"),
                Doc::text(" "),
                self.token(&name.text),
                Doc::text(" "),
                self.token("="),
                Doc::text(" "),
                self.expr(value).nest(2),
            ]),
            ItemKind::Sketch(sketch) => {
                let keyword = self.token("sketch");
                let line = self.line(
                    Span {
                        hi: item.span.lo,
                        ..item.span
                    },
                    sketch.span,
                    " ",
                );
                let body = self.expr(sketch);
                cat(vec![keyword, cat(vec![line, body]).nest(2)]).group()
            }
            ItemKind::Step { name, include } => {
                let mut parts = vec![self.token("step"), Doc::text(" "), self.name(&name.text)];
                if let Some(path) = include {
                    parts.push(Doc::text(" "));
                    parts.push(self.keyword_path("include", path));
                }
                cat(parts)
            }
            ItemKind::Switch { keyword, value } => cat(vec![
                self.token(&keyword.text),
                Doc::text(" "),
                self.name(&value.text),
            ]),
            ItemKind::Error => Doc::Nil,
        }
    }

    fn keyword_path(&mut self, keyword: &str, path: &FilePath) -> Doc {
        let keyword = self.token(keyword);
        let path = match path.quoted {
            true => self.token(&format!("\"{}\"", path.text)),
            false => self.name(&path.text),
        };
        cat(vec![keyword, Doc::text(" "), path])
    }

    fn def(&mut self, def: &Def) -> Doc {
        let mut head = vec![
            self.token("def"),
            Doc::text(" "),
            self.token(&def.name.text),
        ];
        let mut before = def.name.span;
        for b in &def.binders {
            let span = match b {
                Binder::Sizes(s) => s.span,
                Binder::Bare(n) => n.span,
                Binder::Typed { names, ty } => {
                    names.first().map_or(ty.span, |n| n.span).to(ty.span)
                }
            };
            let line = self.line(before, span, " ");
            before = span;
            let binder = match b {
                Binder::Sizes(sizes) => self.sizes(sizes),
                Binder::Bare(name) => self.token(&name.text),
                Binder::Typed { names, ty } => {
                    let mut parts = vec![self.token("(")];
                    for name in names {
                        parts.extend([self.token(&name.text), Doc::text(" ")]);
                    }
                    parts.extend([self.token(":"), Doc::text(" "), self.expr(ty)]);
                    parts.push(self.token(")"));
                    cat(parts)
                }
            };
            head.push(cat(vec![line, binder]).nest(4).group());
        }
        if let Some(ty) = &def.result {
            let colon = self.token(":");
            let result = self.expr(ty);
            let line = self.line(before, ty.span, " ");
            before = ty.span;
            let result = cat(vec![line, colon, Doc::text(" "), result]);
            head.push(result.nest(4).group());
        }
        head.extend([Doc::text(" "), self.token("=")]);
        let line = self.line(before, def.body.span, " ");
        let body = self.expr(&def.body);
        let head = cat(head);
        cat(vec![head, cat(vec![line, body]).nest(2).group()])
    }

    fn rule(&mut self, rule: &Rule) -> Doc {
        let mut head = vec![
            self.token("rule"),
            Doc::text(" "),
            self.name(&rule.name.text),
        ];
        self.optional_sizes(&rule.sizes, &mut head);
        let left = self.expr(&rule.left);
        let line = self.line(rule.left.span, rule.right.span, "  ");
        let arrow = cat(vec![line, self.token("=>")]).nest(2);
        let right = self.expr(&rule.right);
        let sides = cat(vec![left, arrow, Doc::Line("  "), right]);
        let mut body = vec![Doc::Hard, sides.group()];
        if !rule.conditions.is_empty() {
            body.push(Doc::Hard);
            body.extend([self.token("where"), Doc::text(" ")]);
            let mut conditions = Vec::new();
            for (i, c) in rule.conditions.iter().enumerate() {
                if i > 0 {
                    let line = self.line(rule.conditions[i - 1].span, c.span, " ");
                    conditions.extend([self.token(","), line.group()]);
                }
                conditions.push(self.condition(&c.kind));
            }
            body.push(cat(conditions).nest(2));
        }
        cat(vec![cat(head), cat(body).nest(2)])
    }

    fn condition(&mut self, c: &ConditionKind) -> Doc {
        let space = || Doc::text(" ");
        match c {
            ConditionKind::NotIn(name, e) => cat(vec![
                self.token(&name.text),
                space(),
                self.token("not"),
                space(),
                self.token("in"),
                space(),
                self.expr(e),
            ]),
            ConditionKind::Divides(a, b) => cat(vec![
                self.tight(a),
                space(),
                self.token("divides"),
                space(),
                self.tight(b),
            ]),
            ConditionKind::Compare(op, a, b) => cat(vec![
                self.tight(a),
                space(),
                self.token(op.text()),
                space(),
                self.tight(b),
            ]),
            ConditionKind::Property(name, arguments) => {
                let mut parts = vec![self.token(&name.text)];
                for e in arguments {
                    parts.extend([space(), self.expr(e)]);
                }
                cat(parts)
            }
            ConditionKind::Vectorizable {
                keyword,
                function,
                result,
                lanes,
            } => cat(vec![
                self.token(&keyword.text),
                space(),
                self.expr(function),
                space(),
                self.token("as"),
                space(),
                self.token(&result.text),
                space(),
                self.token("["),
                self.expr(lanes),
                self.token("]"),
            ]),
            ConditionKind::Error => Doc::Nil,
        }
    }

    fn optional_sizes(&mut self, sizes: &Option<Sizes>, parts: &mut Vec<Doc>) {
        if let Some(sizes) = sizes {
            parts.extend([Doc::text(" "), self.sizes(sizes)]);
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

    fn rule_refs(&mut self, refs: &[RuleRef]) -> Doc {
        let mut parts = Vec::new();
        for (i, r) in refs.iter().enumerate() {
            if i > 0 {
                let line = self.line(refs[i - 1].span, r.span, " ");
                parts.extend([self.token(","), line.group()]);
            }
            parts.push(self.name(&r.name.text));
            if let Some(sizes) = &r.sizes {
                parts.push(self.size_arguments(sizes));
            }
        }
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
                let inner = match is_quotient(e) {
                    true => self.tight(e),
                    false => self.expr(e),
                };
                let by = usize::from(matches!(e.kind, ExprKind::Binary(..) | ExprKind::Let(..)));
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
            ExprKind::Let(p, value, body) => {
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
            ExprKind::Binary(..) => self.binary(e),
            // Two minus signs would start a comment.
            ExprKind::Neg(e) if matches!(e.kind, ExprKind::Neg(_)) => {
                cat(vec![self.token("-"), Doc::text(" "), self.expr(e)])
            }
            ExprKind::Neg(e) => cat(vec![self.token("-"), self.expr(e)]),
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
        let call = matches!(&f.kind, ExprKind::Name(n) if ["ceil", "floor", "min", "max"].contains(&&**n))
            && matches!(
                args,
                [Expr {
                    kind: ExprKind::Tuple(_),
                    ..
                }]
            );
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

/// The same tree with the parentheses that its operators need to be read back.
pub fn parenthesize(e: Expr) -> Expr {
    at_level(e, prec::LOWEST)
}

/// As an operand of that level.
fn at_level(mut e: Expr, level: u8) -> Expr {
    let own = match &e.kind {
        ExprKind::Lam(..) | ExprKind::Under(_) | ExprKind::Let(..) | ExprKind::Annot(..) => {
            prec::LOWEST
        }
        ExprKind::SizeFun(..) => prec::ARROW,
        ExprKind::Binary(op, ..) => op.level(),
        ExprKind::Neg(_) => prec::NEG,
        ExprKind::App(..) => prec::APP,
        ExprKind::Array(..) | ExprKind::Vector(..) => prec::DOT,
        _ => prec::ATOM,
    };
    let sub = |b: &mut Box<Expr>, level: u8| {
        let hole = Expr::new(b.span, ExprKind::Error);
        **b = at_level(std::mem::replace(b, hole), level);
    };
    let each = |v: &mut Vec<Expr>, level: u8| {
        *v = v.drain(..).map(|e| at_level(e, level)).collect();
    };
    match &mut e.kind {
        ExprKind::Paren(x) => sub(x, prec::LOWEST),
        ExprKind::Tuple(v) => each(v, prec::LOWEST),
        ExprKind::App(f, args) => {
            sub(f, prec::DOT);
            each(args, prec::ATOM);
        }
        ExprKind::Sizes(f, sizes) => {
            sub(f, prec::ATOM);
            each(sizes, prec::ADD);
        }
        ExprKind::Lam(_, b) | ExprKind::Under(b) => sub(b, prec::LOWEST),
        ExprKind::Let(_, a, b) => {
            sub(a, prec::LOWEST);
            sub(b, prec::LOWEST);
        }
        ExprKind::Binary(op, l, r) => {
            let (left, right) = match op.assoc() {
                Assoc::Left => (op.level(), op.level() + 1),
                Assoc::Right => (op.level() + 1, op.level()),
                Assoc::None => (op.level() + 1, op.level() + 1),
            };
            sub(l, left);
            sub(r, right);
        }
        ExprKind::Neg(x) => sub(x, prec::NEG),
        ExprKind::Array(n, t) => {
            sub(n, prec::ATOM);
            sub(t, prec::DOT);
        }
        ExprKind::Vector(n, t) => {
            sub(n, prec::ADD);
            sub(t, prec::DOT);
        }
        ExprKind::Annot(x, t) => {
            sub(x, prec::ARROW);
            sub(t, prec::ARROW);
        }
        ExprKind::SizeFun(_, t) => sub(t, prec::ARROW),
        _ => {}
    }
    match own < level {
        true => Expr::new(e.span, ExprKind::Paren(Box::new(e))),
        false => e,
    }
}
