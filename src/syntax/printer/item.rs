//! Items: what stands at column one.

use super::{cat, Printer};
use crate::source::Span;
use crate::syntax::doc::{Doc, LINE};
use crate::syntax::tree::*;

impl Printer<'_> {
    pub(super) fn item(&mut self, item: &Item) -> Doc {
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
            ItemKind::Limits(limits) => self.limits(limits),
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

    fn limits(&mut self, limits: &[(Name, Number)]) -> Doc {
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

    pub(super) fn keyword_path(&mut self, keyword: &str, path: &FilePath) -> Doc {
        let keyword = self.token(keyword);
        let path = if path.quoted {
            self.token(&format!("\"{}\"", path.text))
        } else {
            self.name(&path.text)
        };
        cat(vec![keyword, Doc::text(" "), path])
    }

    pub(super) fn def(&mut self, def: &Def) -> Doc {
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

    pub(super) fn rule(&mut self, rule: &Rule) -> Doc {
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
        // What was written on one line stays there if it fits.
        let one = rule
            .left
            .span
            .to(rule.conditions.last().map_or(rule.right.span, |c| c.span));
        let one = rule.name.span.to(one);
        let written = self
            .text
            .and_then(|t| t.get(one.lo as usize..one.hi as usize));
        let line = match written {
            Some(text) if !text.contains('\n') => Doc::Line("  "),
            _ => Doc::Hard,
        };
        let mut body = vec![line.clone(), sides.group()];
        if !rule.conditions.is_empty() {
            body.push(line);
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
        cat(vec![cat(head), cat(body).nest(2)]).group()
    }

    fn comparison(&mut self, op: BinOp, a: &Expr, b: &Expr) -> Doc {
        cat(vec![
            self.tight(a),
            Doc::text(" "),
            self.token(op.text()),
            Doc::text(" "),
            self.tight(b),
        ])
    }

    pub(super) fn condition(&mut self, c: &ConditionKind) -> Doc {
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
            ConditionKind::Compare(op, a, b) => self.comparison(*op, a, b),
            ConditionKind::Assume(op, a, b) => cat(vec![
                self.token("assume"),
                space(),
                self.comparison(*op, a, b),
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
            ConditionKind::Determined {
                keyword,
                operator,
                result,
            } => cat(vec![
                self.token(&keyword.text),
                space(),
                self.expr(operator),
                space(),
                self.token("as"),
                space(),
                self.token(&result.text),
            ]),
            ConditionKind::Holds(e) => self.expr(e),
            ConditionKind::Error => Doc::Nil,
        }
    }

    pub(super) fn optional_sizes(&mut self, sizes: &Option<Sizes>, parts: &mut Vec<Doc>) {
        if let Some(sizes) = sizes {
            parts.extend([Doc::text(" "), self.sizes(sizes)]);
        }
    }

    pub(super) fn rule_refs(&mut self, refs: &[RuleRef]) -> Doc {
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
}
