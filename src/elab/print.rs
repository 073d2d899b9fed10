//! Terms as programs again: variables get names back.
//!
//! In: a term or program. Out: text in the surface notation that elaborates to the same term. A variable keeps the
//! name it was written with where that is free, else gets one from its type. What inference could not find
//! again is written out: sizes of `generate` and `vectorFromScalar`, types of `cast` and of literals.

use super::infer::operation;
use super::pre::has_name;
use crate::arith::{AtomKind, Nat};
use crate::intern::Symbol;
use crate::source::Span;
use crate::syntax::tree::{
    BinOp, Binder, Def, Expr, ExprKind, Item, ItemKind, Name, Pat, PatKind, Sizes,
};
use crate::syntax::{parenthesize, print_expr, print_item};
use crate::term::{Kind, Lit, Op, Program, Term};
use crate::ty::{Scalar, Ty, TyKind};

/// A program as a definition.
pub fn program_text(p: &Program) -> String {
    numbered_program(p).1
}

/// The body as a tree, whose nodes have as `span.lo` one more than the index of the term they are of, or 0;
/// the text of the definition; the terms.
pub(super) fn numbered_program(p: &Program) -> (Expr, String, Vec<Term>) {
    let mut printer = Printer {
        taken: p.sizes.iter().map(|s| s.to_string()).collect(),
        names: Vec::new(),
        terms: Vec::new(),
    };
    let mut binders = Vec::new();
    if !p.sizes.is_empty() {
        let names = p.sizes.iter().map(|s| (name(s.as_str()), false));
        binders.push(Binder::Sizes(Sizes {
            names: names.collect(),
            span: Span::default(),
        }));
    }
    let mut body = &p.term;
    for (param, ty) in &p.params {
        let Kind::Lam(_, b) = body.kind() else {
            // The term was changed to one that is not a function literally: apply it.
            break;
        };
        binders.push(Binder::Typed {
            names: vec![name(param.as_str())],
            ty: raw(ty),
        });
        printer.taken.push(param.to_string());
        printer.names.push(param.to_string());
        body = b;
    }
    let bound = printer.names.len();
    let mut expr = printer.term(body);
    if bound < p.params.len() {
        for (param, ty) in &p.params[bound..] {
            binders.push(Binder::Typed {
                names: vec![name(param.as_str())],
                ty: raw(ty),
            });
        }
        let rest = p.params[bound..].iter();
        let args = rest.map(|(n, _)| raw(n)).collect();
        expr = make(ExprKind::App(Box::new(expr), args));
    }
    let body = parenthesize(expr);
    let text = print_item(&Item {
        span: Span::default(),
        whole: true,
        kind: ItemKind::Def(Def {
            name: name(p.name.as_str()),
            binders,
            result: Some(raw(&p.result)),
            body: body.clone(),
        }),
    });
    (body, text, printer.terms)
}

/// A term; its free variables have these names, the innermost last.
pub fn term_text(t: &Term, free: &[Symbol]) -> String {
    let mut printer = Printer {
        taken: Vec::new(),
        names: free.iter().map(|s| s.to_string()).collect(),
        terms: Vec::new(),
    };
    printer.taken = printer.names.clone();
    sizes_in(t, &mut printer.taken);
    print_expr(&parenthesize(printer.term(t)))
}

fn sizes_in(t: &Term, out: &mut Vec<String>) {
    t.visit(&mut |t, _| {
        t.ty().each_nat(&mut |n: Nat| {
            n.each_atom(&mut |a| {
                if let AtomKind::Var(s) = a.kind() {
                    if !out.iter().any(|o| o == s.as_str()) {
                        out.push(s.to_string());
                    }
                }
            });
        });
    });
}

struct Printer {
    /// Names that nothing new may have.
    taken: Vec<String>,
    /// Of the variables in scope, the innermost last.
    names: Vec<String>,
    /// What was printed, in the order of beginning.
    terms: Vec<Term>,
}

fn make(kind: ExprKind) -> Expr {
    Expr::new(Span::default(), kind)
}

/// Text that is an atom by itself, or stands where nothing binds it.
fn raw(x: &(impl std::fmt::Display + ?Sized)) -> Expr {
    make(ExprKind::Name(x.to_string()))
}

fn name(text: &str) -> Name {
    Name {
        text: text.to_string(),
        span: Span::default(),
    }
}

impl Printer {
    fn term(&mut self, t: &Term) -> Expr {
        self.terms.push(t.clone());
        let number = self.terms.len() as u32;
        let mut e = self.unnumbered(t);
        e.span.lo = number;
        e
    }

    fn unnumbered(&mut self, t: &Term) -> Expr {
        match t.kind() {
            Kind::Var(i) => {
                let at = self.names.len().checked_sub(1 + *i as usize);
                match at {
                    Some(at) => raw(&*self.names[at]),
                    None => raw(&format!("free{i}")),
                }
            }
            Kind::Lam(..) => {
                let mark = self.names.len();
                let (mut patterns, mut body) = (Vec::new(), t);
                while let Kind::Lam(hint, b) = body.kind() {
                    let (arg, _) = body.ty().as_fun().expect("a lambda is a function");
                    patterns.push(self.enter(*hint, arg, b));
                    body = b;
                }
                let body = self.term(body);
                self.leave(mark);
                make(ExprKind::Lam(patterns, Box::new(body)))
            }
            Kind::App(..) => self.application(t),
            Kind::Prim(p) => match infix(p.op()) {
                Some(op) => make(ExprKind::Section(op)),
                None if matches!(p.op(), Op::Cast | Op::Bitcast) => {
                    let cast = self.primitive(t);
                    make(ExprKind::Annot(Box::new(cast), Box::new(raw(&t.ty()))))
                }
                None => self.primitive(t),
            },
            Kind::Lit(l) => literal(*l, t.ty()),
            Kind::Hole(i) => raw(&format!("hole{i}")),
        }
    }

    fn application(&mut self, t: &Term) -> Expr {
        let (head, args) = t.spine();
        let op = match head.kind() {
            Kind::Prim(p) => Some(p.op()),
            _ => None,
        };
        if let (Some(op), [l, r]) = (op.and_then(infix), &args[..]) {
            let (l, r) = (Box::new(self.term(l)), Box::new(self.term(r)));
            return make(ExprKind::Binary(op, l, r));
        }
        match (op, &args[..]) {
            // What has a name already would be put in where the text is read.
            (Some(Op::Let), [value, f]) if !has_name(value) => {
                if let Kind::Lam(hint, body) = f.kind() {
                    let (arg, _) = f.ty().as_fun().expect("a lambda is a function");
                    let value = Box::new(self.term(value));
                    let mark = self.names.len();
                    let pattern = self.enter(*hint, arg, body);
                    let body = Box::new(self.term(body));
                    self.leave(mark);
                    return make(ExprKind::Let(pattern, value, body));
                }
            }
            // A literal behind `-` would become one literal.
            (Some(Op::Neg), [x]) if !matches!(x.kind(), Kind::Lit(_)) => {
                let x = self.term(x);
                return make(ExprKind::Neg(Box::new(x)));
            }
            (Some(op @ (Op::Cast | Op::Bitcast)), [x]) => {
                let x = vec![self.term(x)];
                let cast = make(ExprKind::App(Box::new(raw(op.name())), x));
                return make(ExprKind::Annot(Box::new(cast), Box::new(raw(&t.ty()))));
            }
            _ => {}
        }
        // `xs |> map (\x -> …)` reads in the order in which things happen.
        let piped = op.is_some()
            && args.len() > 1
            && matches!(args[0].kind(), Kind::Lam(..))
            && !t.ty().is_fun();
        let f = match head.kind() {
            Kind::Prim(_) => self.primitive(head),
            _ => self.term(head),
        };
        let mut args: Vec<Expr> = args.into_iter().map(|a| self.term(a)).collect();
        if piped {
            if let Some(last) = args.pop() {
                let call = make(ExprKind::App(Box::new(f), args));
                return make(ExprKind::Binary(
                    BinOp::Pipe,
                    Box::new(last),
                    Box::new(call),
                ));
            }
        }
        make(ExprKind::App(Box::new(f), args))
    }

    /// A primitive by name, with the sizes that inference could not find.
    fn primitive(&mut self, t: &Term) -> Expr {
        let Kind::Prim(p) = t.kind() else {
            return self.term(t);
        };
        let mut sizes: Vec<Nat> = p.sizes().to_vec();
        if sizes.is_empty() {
            let mut result = t.ty();
            while let Some((_, r)) = result.as_fun() {
                result = r;
            }
            match p.op() {
                Op::Generate => sizes.extend(result.as_array().map(|a| a.0)),
                Op::VectorFromScalar => sizes.extend(result.as_vec().map(|v| v.0)),
                _ => {}
            }
        }
        let head = raw(p.op().name());
        match sizes.is_empty() {
            true => head,
            false => {
                let sizes = sizes.iter().map(raw).collect();
                make(ExprKind::Sizes(Box::new(head), sizes))
            }
        }
    }

    /// A name for one more variable.
    fn enter(&mut self, hint: Option<Symbol>, ty: Ty, body: &Term) -> Pat {
        let kind = match body.mentions(0) {
            false => {
                self.names.push("_".to_string());
                PatKind::Ignore
            }
            true => {
                let wish = hint.map_or_else(|| invent(ty).to_string(), |h| h.to_string());
                let name = self.fresh(&wish);
                self.names.push(name.clone());
                PatKind::Name(name)
            }
        };
        Pat {
            span: Span::default(),
            kind,
        }
    }

    fn fresh(&self, wish: &str) -> String {
        let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        let start = wish.chars().next().is_some_and(char::is_alphabetic);
        let wish = if start && wish.chars().all(plain) {
            wish
        } else {
            "x"
        };
        let free = |n: &str| {
            Op::from_name(n).is_none()
                && Scalar::from_name(n).is_none()
                && !["in", "let", "if", "then", "else", "true", "false", "idx"].contains(&n)
                && !self.taken.iter().chain(&self.names).any(|t| t == n)
        };
        if free(wish) {
            return wish.to_string();
        }
        let base = wish.trim_end_matches(|c: char| c.is_ascii_digit());
        let numbered = (1..).map(|i| format!("{base}{i}"));
        numbered
            .into_iter()
            .find(|n| free(n))
            .expect("some number is free")
    }

    fn leave(&mut self, mark: usize) {
        self.names.truncate(mark);
    }
}

fn invent(ty: Ty) -> &'static str {
    match ty.kind() {
        TyKind::Scalar(_) | TyKind::Meta(_) => "x",
        TyKind::Idx(_) => "i",
        TyKind::Pair(..) => "p",
        TyKind::Vec(..) => "v",
        TyKind::Array(..) => "xs",
        TyKind::Fun(..) => "f",
    }
}

/// The operator that is written between its operands.
pub(super) fn infix(op: Op) -> Option<BinOp> {
    let functions = BinOp::ALL.into_iter().filter(|b| b.is_function());
    functions.into_iter().find(|b| operation(*b) == op)
}

fn literal(l: Lit, ty: Ty) -> Expr {
    let (text, default) = match l {
        Lit::Bool(b) => return raw(if b { "true" } else { "false" }),
        Lit::Size(n) => {
            let plain = n.as_atom().map(|a| a.kind());
            let text = match plain {
                Some(AtomKind::Var(s)) => raw(&s),
                _ => make(ExprKind::Sizes(Box::new(raw("size")), vec![raw(&n)])),
            };
            return match ty.as_scalar() {
                Some(Scalar::I64) => text,
                _ => make(ExprKind::Annot(Box::new(text), Box::new(raw(&ty)))),
            };
        }
        Lit::Int(i) => (i.to_string(), Scalar::I32),
        Lit::F32(_) | Lit::F64(_) => (l.digits(), Scalar::F32),
    };
    let negative = text.starts_with('-');
    let digits = text.trim_start_matches('-').to_string();
    let suffixed = match ty.as_scalar() {
        Some(s) if s != default => digits + s.name(),
        _ => digits,
    };
    let mut e = make(ExprKind::Number(suffixed));
    if negative {
        e = make(ExprKind::Neg(Box::new(e)));
    }
    match ty.kind() {
        TyKind::Idx(_) => make(ExprKind::Annot(Box::new(e), Box::new(raw(&ty)))),
        _ => e,
    }
}
