//! Items: what stands at column one.

use super::super::tree::{Binder, Def, Expr, ExprKind, ItemKind, Rule, RuleRef, RuleSet};
use super::super::{token::TokenKind, Dialect};
use super::{Parser, ITEMS};
use crate::diag::{code, Diagnostic};

impl Parser<'_> {
    pub(super) fn item_kind(&mut self) -> ItemKind {
        if !self.is_keyword(self.at) {
            self.not_an_item();
            return ItemKind::Error;
        }
        let keyword = self.name("an item");
        let (_, dialects) = ITEMS
            .iter()
            .find(|(k, _)| *k == keyword.text)
            .expect("a keyword");
        if !dialects.contains(&self.dialect) {
            let places: Vec<&str> = dialects.iter().map(|d| d.extension()).collect();
            self.fail(
                Diagnostic::new(
                    code::WRONG_FILE,
                    format!(
                        "`{}` does not stand in a .{} file",
                        keyword.text,
                        self.dialect.extension()
                    ),
                )
                .at(keyword.span)
                .help(format!("move it to a .{} file", places.join(" or ."))),
            );
            return ItemKind::Error;
        }
        match &*keyword.text {
            "def" => ItemKind::Def(self.def()),
            "import" => ItemKind::Import(self.path()),
            "include" => ItemKind::Include(self.path()),
            "rule" => {
                // Its sides are terms wherever it stands.
                let around = std::mem::replace(&mut self.dialect, Dialect::Rules);
                let rule = self.rule();
                self.dialect = around;
                ItemKind::Rule(Box::new(rule))
            }
            "ruleset" => self.rule_set(),
            "use" => self.use_item(),
            "limits" => self.limits(),
            "param" => {
                let name = self.name("the name of a parameter");
                self.expect("=", "a parameter has a value: `param tile = 32`");
                let value = self.expr();
                ItemKind::Param { name, value }
            }
            "sketch" => ItemKind::Sketch(self.expr()),
            "step" => {
                let name = self.hyphen_name("the name of a step");
                let include = self.eat("include").then(|| self.path());
                ItemKind::Step { name, include }
            }
            _ => {
                let example = match &*keyword.text {
                    "cost" => "for example `cost size`",
                    "permit" => "write `permit reassociate` or `permit approximate`",
                    "domain" => "write `domain scalar`",
                    "focus" => "write `focus choice` or `focus whole`",
                    "scheduler" => "write `scheduler none` or `scheduler backoff`",
                    _ => "write `normalize on` or `normalize off`",
                };
                if self.peek().kind != TokenKind::Name {
                    self.error_expected("a word", example);
                }
                let value = self.hyphen_name("a word");
                ItemKind::Switch { keyword, value }
            }
        }
    }

    fn not_an_item(&mut self) {
        let t = self.peek();
        let word = self.peek_text(0);
        let dialect = self.dialect;
        let here = ITEMS.iter().filter(|(_, d)| d.contains(&dialect));
        let known: Vec<&str> = here.map(|(k, _)| *k).collect();
        let shown: String = word.chars().take(40).collect();
        let otherwise = match word {
            "program" | "kernel" | "function" | "fun" | "fn" | "let" if known.contains(&"def") => {
                "write `def` for it: a program is a definition"
            }
            _ => "indent the line if it continues the item above",
        };
        self.fail(
            Diagnostic::new(
                code::NOT_AN_ITEM,
                format!("`{shown}` does not start an item"),
            )
            .at(t.span)
            .note(format!("items of this file: {}", known.join(", ")))
            .help_near(word, known.iter().copied(), otherwise),
        );
    }

    /// Something is left of the item that nothing of it takes.
    pub(super) fn unexpected_rest(&mut self) {
        let t = self.peek();
        if t.first_column {
            return self.not_an_item();
        }
        let found = self.found();
        let help = match self.peek_text(0) {
            ")" | "]" => "remove it, or open it earlier",
            "=" => "a definition starts with `def` at column one",
            _ => "remove it, or start a new item at column one",
        };
        self.error(
            code::EXPECTED,
            format!("expected the end of the item, found {found}"),
            t.span,
            help,
        );
    }

    fn def(&mut self) -> Def {
        let name = self.name("the name of the definition");
        let mut binders = Vec::new();
        loop {
            self.narrow(binders.len());
            if self.is("[") {
                binders.push(Binder::Sizes(self.sizes()));
            } else if self.is("(") {
                let open = self.bump().span;
                let mut names = vec![self.name("the name of a parameter")];
                while self.peek().kind == TokenKind::Name {
                    names.push(self.name("the name of a parameter"));
                    self.narrow(names.len());
                }
                self.expect(":", "a parameter is written `(a : n.f32)`");
                let ty = self.ty();
                self.close(")", open);
                binders.push(Binder::Typed { names, ty });
            } else if self.peek().kind == TokenKind::Name {
                let name = self.name("a parameter");
                if self.dialect != Dialect::Sketch {
                    self.error(
                        code::EXPECTED,
                        format!("the parameter `{}` has no type", name.text),
                        name.span,
                        "write it with its type: `(x : f32)`",
                    );
                }
                binders.push(Binder::Bare(name));
            } else {
                break;
            }
        }
        let result = self.eat(":").then(|| self.ty());
        self.expect("=", "the body of a definition stands behind `=`");
        let body = self.expr();
        Def {
            name,
            binders,
            result,
            body,
        }
    }

    fn rule(&mut self) -> Rule {
        let name = self.hyphen_name("the name of the rule");
        let sizes = self.is("[").then(|| self.sizes());
        let left = self.expr();
        self.expect("=>", "a rule is written `left => right`");
        let right = self.expr();
        let mut conditions = Vec::new();
        if self.eat("where") {
            loop {
                conditions.push(self.condition());
                if !self.eat(",") {
                    break;
                }
            }
        }
        Rule {
            name,
            sizes,
            left,
            right,
            conditions,
        }
    }

    fn rule_set(&mut self) -> ItemKind {
        let name = self.hyphen_name("the name of the rule set");
        let sizes = self.is("[").then(|| self.sizes());
        self.expect("=", "a rule set is written `ruleset name = rule, rule`");
        let members = self.rule_refs();
        ItemKind::RuleSet(RuleSet {
            name,
            sizes,
            members,
        })
    }

    fn rule_refs(&mut self) -> Vec<RuleRef> {
        let mut refs = Vec::new();
        loop {
            let name = self.hyphen_name("the name of a rule or rule set");
            let mut span = name.span;
            let sizes = self.is("[").then(|| {
                let (sizes, close) = self.size_arguments();
                span = span.to(close);
                sizes
            });
            refs.push(RuleRef { name, sizes, span });
            if !self.eat(",") {
                return refs;
            }
        }
    }

    fn use_item(&mut self) -> ItemKind {
        let file = self.path();
        let open = self.peek().span;
        let list = self.eat("(").then(|| {
            let refs = self.rule_refs();
            self.close(")", open);
            refs
        });
        ItemKind::Use { file, list }
    }

    fn limits(&mut self) -> ItemKind {
        let mut limits = Vec::new();
        loop {
            let name = self.name("a limit, such as `iterations`");
            let number = self.number("the value of the limit");
            limits.push((name, number));
            if !self.eat(",") {
                return ItemKind::Limits(limits);
            }
        }
    }

    pub(super) fn error_expr(&self) -> Expr {
        Expr::new(self.peek().span, ExprKind::Error)
    }
}
