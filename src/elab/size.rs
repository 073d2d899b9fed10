//! Expressions that stand for sizes and for types.

use super::infer::Infer;
use super::show::show;
use crate::arith::Nat;
use crate::diag::{code, Diagnostic};
use crate::intern::Symbol;
use crate::source::Span;
use crate::syntax::number::{self, Value};
use crate::syntax::tree::{prec, BinOp, Expr, ExprKind};
use crate::target::{self, Target};
use crate::ty::{Scalar, Ty};

/// The functions of sizes.
pub const SIZE_FUNCTIONS: [&str; 4] = ["min", "max", "ceil", "floor"];

/// Sizes of more terms are refused.
const MAX_TERMS: usize = 1000;

fn is_name(e: &Expr, name: &str) -> bool {
    matches!(&e.kind, ExprKind::Name(n) if n == name)
}

impl Infer<'_> {
    /// A size. What is none is reported, and an unknown stands for it.
    pub fn size(&mut self, e: &Expr) -> Nat {
        let n = self.size_inner(e);
        if n.is_overflow() {
            self.report(
                Diagnostic::new(
                    code::NUMBER_RANGE,
                    "this size does not fit 64 bits, divides by zero, or has thousands of parts",
                )
                .at(e.span)
                .help("write a smaller size"),
            );
            return self.unknown_size(e.span);
        }
        n
    }

    fn size_inner(&mut self, e: &Expr) -> Nat {
        match &e.kind {
            ExprKind::Number(text) => match number::parse(text).map(|l| (l.value, l.suffix)) {
                Ok((Value::Int(i), None)) => Nat::int(i as i64),
                Ok(_) => self.not_a_size(e, "write a whole number without a suffix"),
                Err(_) => self.unknown_size(e.span),
            },
            ExprKind::Name(name) => self.size_name(name, e.span),
            ExprKind::Paren(inner) => self.size_inner(inner),
            ExprKind::Hole | ExprKind::Any => self.unknown_size(e.span),
            ExprKind::Neg(inner) => Nat::int(0) - self.size_inner(inner),
            ExprKind::Binary(op, l, r) if op.level() >= prec::ADD => {
                let (a, b) = (self.size_inner(l), self.size_inner(r));
                if b == Nat::int(0) && matches!(op, BinOp::Div | BinOp::Mod) {
                    self.report(
                        Diagnostic::new(code::IMPOSSIBLE_SIZE, "this divides by zero")
                            .at(r.span)
                            .help("divide by a size that is at least 1"),
                    );
                    return self.unknown_size(e.span);
                }
                // A product of sums has as many terms as the product of their numbers.
                if *op == BinOp::Mul && a.terms().len() * b.terms().len() > MAX_TERMS {
                    self.report(
                        Diagnostic::new(code::TOO_LARGE, "this size has thousands of terms")
                            .at(e.span)
                            .help("give a part of it a size parameter of its own"),
                    );
                    return self.unknown_size(e.span);
                }
                match op {
                    BinOp::Add => a + b,
                    BinOp::Sub => a - b,
                    BinOp::Mul => a * b,
                    BinOp::Div => a.exact_div(b),
                    _ => a.rem(b),
                }
            }
            ExprKind::App(f, args) => {
                let parts: Vec<&Expr> = match &args[..] {
                    [Expr {
                        kind: ExprKind::Tuple(parts),
                        ..
                    }] => parts.iter().collect(),
                    _ => args.iter().collect(),
                };
                match (&f.kind, &parts[..]) {
                    (ExprKind::Name(name), [a, b]) if SIZE_FUNCTIONS.contains(&&**name) => {
                        let (a, b) = (self.size_inner(a), self.size_inner(b));
                        let zero = b == Nat::int(0);
                        match &**name {
                            "min" => a.min(b),
                            "max" => a.max(b),
                            _ if zero => Nat::overflow(),
                            "ceil" => a.ceil_div(b),
                            _ => a.floor_div(b),
                        }
                    }
                    _ => self.not_a_size(
                        e,
                        "sizes are made of numbers, parameters, `+ - * / %`, `min(a, b)`, `max(a, b)`, `ceil(a, b)`, `floor(a, b)`",
                    ),
                }
            }
            ExprKind::Error => self.unknown_size(e.span),
            ExprKind::Array(left, right) if is_name(left, target::PREFIX.trim_end_matches('.')) => {
                self.no_such_constant(right, e.span)
            }
            _ => self.not_a_size(
                e,
                "sizes are made of numbers, parameters, `+ - * / %`, `min(a, b)`, `max(a, b)`, `ceil(a, b)`, `floor(a, b)`",
            ),
        }
    }

    /// `target.` with something else behind it than a constant.
    fn no_such_constant(&mut self, word: &Expr, span: Span) -> Nat {
        let known: Vec<String> = (Target::default().constants().into_iter())
            .map(|c| c.0)
            .collect();
        let text = match &word.kind {
            ExprKind::Name(name) => format!("{}{name}", target::PREFIX),
            _ => target::PREFIX.to_string(),
        };
        self.report(
            Diagnostic::new(
                code::UNKNOWN_SIZE,
                "there is no such constant of the target",
            )
            .label(span, "not known")
            .help_near(
                &text,
                known.iter().map(|s| &**s),
                format!("known: {}", known.join(", ")),
            ),
        );
        self.unknown_size(span)
    }

    fn not_a_size(&mut self, e: &Expr, help: &str) -> Nat {
        self.report(
            Diagnostic::new(code::NOT_A_SIZE, "a size is needed here")
                .label(e.span, "not a size")
                .help(help),
        );
        self.unknown_size(e.span)
    }

    /// A size argument: like `size`, and a constant must be at least `least`.
    pub fn size_at_least(&mut self, e: &Expr, least: i64) -> Nat {
        let n = self.size(e);
        match self.check_size(n, least, e.span) {
            true => n,
            false => self.unknown_size(e.span),
        }
    }

    /// A size argument that is used where this inference is over, so that nothing may be left open in it.
    pub fn known_size(&mut self, e: &Expr, least: i64) -> Nat {
        let before = self.diagnostics.len();
        let n = self.size_at_least(e, least);
        if !n.has_meta() {
            return n;
        }
        // What the parser could not read it has reported.
        let said = self.diagnostics.len() > before || matches!(e.kind, ExprKind::Error);
        if !said {
            self.report(
                Diagnostic::new(code::NOT_A_SIZE, "this size has to be known")
                    .label(e.span, "not known")
                    .help("write a number, or a size that is declared"),
            );
        }
        // What was reported stands for a size of its own, equal to no other.
        Nat::var(Symbol::new("_"))
    }

    fn check_size(&mut self, n: Nat, least: i64, span: Span) -> bool {
        let bad = match n.as_rat() {
            Some(r) => r.as_int().is_none_or(|i| i < least),
            None => n.is_overflow(),
        };
        if bad {
            self.report(
                Diagnostic::new(
                    code::IMPOSSIBLE_SIZE,
                    format!("the size {} is impossible here", show(n)),
                )
                .label(span, format!("this is {}", show(n)))
                .help(format!("sizes are whole numbers, here at least {least}")),
            );
        }
        !bad
    }

    pub fn ty(&mut self, e: &Expr) -> Ty {
        match &e.kind {
            ExprKind::Name(name) => match Scalar::from_name(name) {
                Some(s) => s.into(),
                None => self.type_name(name, e.span),
            },
            ExprKind::Paren(inner) => self.ty(inner),
            ExprKind::Hole | ExprKind::Any | ExprKind::Error => self.unknown_type(e.span),
            ExprKind::Tuple(parts) => {
                let mut types: Vec<Ty> = parts.iter().map(|p| self.ty(p)).collect();
                let last = types.pop().expect("a tuple has parts");
                types.into_iter().rev().fold(last, |t, s| Ty::pair(s, t))
            }
            ExprKind::Array(n, t) => {
                let n = self.size_at_least(n, 1);
                Ty::array(n, self.ty(t))
            }
            ExprKind::Vector(n, t) => {
                let n = self.size_at_least(n, 1);
                let element = self.ty(t);
                self.require(
                    element,
                    crate::term::Class::Flat,
                    t.span,
                    "the lanes of a vector",
                );
                Ty::vec(n, element)
            }
            ExprKind::Binary(BinOp::Arrow, s, t) => {
                let s = self.ty(s);
                Ty::fun(s, self.ty(t))
            }
            ExprKind::Sizes(head, sizes) if matches!(&head.kind, ExprKind::Name(n) if n == "idx") =>
            {
                if sizes.len() != 1 {
                    self.report(
                        Diagnostic::new(code::SIZE_ARGUMENTS, "`idx` takes one size")
                            .at(e.span)
                            .help("write `idx[n]`"),
                    );
                }
                Ty::idx(self.size_at_least(&sizes[0], 1))
            }
            ExprKind::SizeFun(sizes, _) => {
                self.report(
                    Diagnostic::new(
                        code::UNSUPPORTED,
                        "functions of a size are written as definitions",
                    )
                    .at(sizes.span)
                    .help("give a definition the size parameter: `def f [n : nat] (x : n.f32) : f32 = …`"),
                );
                self.unknown_type(e.span)
            }
            _ => {
                let help = match &e.kind {
                    ExprKind::Sizes(..) => "the type of an array begins with its size: `n.f32`",
                    ExprKind::Binary(..) => {
                        "a type ends where the parentheses around it do: `(cast x : f32) * 2.0`"
                    }
                    _ => "types: `f32`, `n.t`, `(s, t)`, `<n>t`, `idx[n]`, `s -> t`",
                };
                self.report(
                    Diagnostic::new(code::NOT_A_TYPE, "a type is needed here")
                        .label(e.span, "not a type")
                        .help(help),
                );
                self.unknown_type(e.span)
            }
        }
    }
}
