//! The side conditions of rules.

use super::super::token::TokenKind;
use super::super::tree::{prec, BinOp, Condition, ConditionKind, Expr, ExprKind};
use super::Parser;

/// What stands before a bracket as the name of a function, not of a condition.
const FUNCTIONS: [&str; 6] = ["ceil", "floor", "min", "max", "select", "prove"];

impl Parser<'_> {
    pub(super) fn condition(&mut self) -> Condition {
        self.in_condition = true;
        let start = self.peek().span;
        let kind = self.condition_kind();
        self.in_condition = false;
        let last = self.tokens[self.at.saturating_sub(1)].span;
        Condition {
            kind,
            span: start.to(last),
        }
    }

    fn condition_kind(&mut self) -> ConditionKind {
        if self.peek().kind == TokenKind::Name {
            if self.is_at(1, "not") && self.is_at(2, "in") {
                let name = self.name("a variable");
                self.at += 2;
                return ConditionKind::NotIn(name, self.expr_at(prec::APP));
            }
            if self.is_at(0, "assume") && !self.is_at(1, "divides") && !self.comparison_at(1) {
                self.at += 1;
                return self.assumed();
            }
            // A word with an argument; sizes have none, except in parentheses: `ceil(a, b)`.
            let next = self.peek_at(1).kind;
            let operand = match next {
                TokenKind::Name => !["not", "divides", "as"].contains(&self.peek_text(1)),
                TokenKind::Symbol => self.is_at(1, "(") && !FUNCTIONS.contains(&self.peek_text(0)),
                _ => next == TokenKind::Number,
            };
            if operand {
                return self.property();
            }
        }
        let left = self.expr_at(prec::OR_ELSE);
        if self.eat("divides") {
            return ConditionKind::Divides(left, self.expr_at(prec::ADD));
        }
        match left.kind {
            ExprKind::Binary(op, l, r) if op.is_comparison() => ConditionKind::Compare(op, *l, *r),
            _ if self.failed || is_truth(&left) => ConditionKind::Holds(left),
            _ => {
                self.error_expected(
                    "`not in`, `divides` or a comparison",
                    "conditions: `x not in e`, `k divides n`, `n != k`, `assume n <= k`, a law such as `associative op`, `flat e`, \
                     `vectorizable f as fv [k]`",
                );
                ConditionKind::Error
            }
        }
    }

    fn comparison_at(&self, ahead: usize) -> bool {
        let all = BinOp::ALL.into_iter();
        all.filter(|op| op.is_comparison())
            .any(|op| self.is_at(ahead, op.text()))
    }

    fn assumed(&mut self) -> ConditionKind {
        match self.expr_at(prec::OR_ELSE).kind {
            ExprKind::Binary(op, l, r) if op.is_comparison() => ConditionKind::Assume(op, *l, *r),
            _ => {
                self.error_expected("a comparison", "write `assume n <= k`");
                ConditionKind::Error
            }
        }
    }

    fn property(&mut self) -> ConditionKind {
        let keyword = self.name("a condition");
        match &*keyword.text {
            "vectorizable" => {
                let function = self.argument();
                self.expect("as", "write `vectorizable f as fv [k]`");
                let result = self.name("the name of the vector function");
                let lanes = if self.is("[") {
                    self.size_arguments().0
                } else {
                    Vec::new()
                };
                if lanes.len() != 1 {
                    self.error_expected("the number of lanes", "write `vectorizable f as fv [k]`");
                }
                let lanes = lanes.into_iter().next();
                ConditionKind::Vectorizable {
                    keyword,
                    function,
                    result,
                    lanes: lanes.unwrap_or_else(|| self.error_expr()),
                }
            }
            _ => {
                let mut arguments = vec![self.argument()];
                if self.eat("as") {
                    let result = self.name("the name of what is determined");
                    return ConditionKind::Determined {
                        keyword,
                        operator: arguments.remove(0),
                        result,
                    };
                }
                while self.starts_argument() {
                    arguments.push(self.argument());
                }
                ConditionKind::Property(keyword, arguments)
            }
        }
    }

    fn argument(&mut self) -> Expr {
        self.expr_at(prec::DOT)
    }

    /// The infix operator that comes next.
    pub(super) fn infix(&self) -> Option<BinOp> {
        let text = self.word_at(0)?;
        let op = BinOp::ALL.into_iter().find(|op| op.text() == text)?;
        (!matches!(op, BinOp::Or | BinOp::And) || self.words_are_infix()).then_some(op)
    }
}

/// Whether it reads as something true or false.
fn is_truth(e: &Expr) -> bool {
    let e = e.bare();
    match &e.kind {
        ExprKind::Binary(op, ..) => {
            op.is_comparison() || matches!(op, BinOp::AndAlso | BinOp::OrElse)
        }
        ExprKind::Not(_) => true,
        ExprKind::Name(n) => ["true", "false"].contains(&&**n),
        ExprKind::App(f, _) => {
            matches!(&f.kind, ExprKind::Name(n) if ["prove", "select"].contains(&&**n))
        }
        _ => false,
    }
}
