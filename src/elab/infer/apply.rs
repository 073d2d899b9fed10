//! Applications: by juxtaposition, by `|>`, by operators.

use super::super::pre::Pre;
use super::super::reason::Reason;
use super::super::report::OF_LOCAL;
use super::{operation, prim, Infer};
use crate::diag::{code, Diagnostic};
use crate::source::Span;
use crate::syntax::tree::{BinOp, Expr, ExprKind};
use crate::term::{Class, Op};
use crate::ty::{Scalar, Ty, TyKind};

impl Infer<'_> {
    /// Applies `head`, written as `f`, to the arguments; the result has to be of the wanted type.
    pub(super) fn apply(
        &mut self,
        head: Pre,
        head_ty: Ty,
        f: &Expr,
        args: Args,
        want: Option<(Ty, &Reason)>,
    ) -> (Pre, Ty) {
        let mut ty = head_ty;
        let mut takes = Vec::new();
        for i in 0..args.len() {
            let (s, t) = match self.u.head(ty).kind() {
                TyKind::Fun(s, t) => (s, t),
                TyKind::Meta(n) if !self.u.ty_is_rigid(n) => {
                    let (s, t) = (self.unknown_type(args.span(i)), self.unknown_type(f.span));
                    self.unify(ty, Ty::fun(s, t), f.span, &Reason::new("what is applied"));
                    (s, t)
                }
                _ => {
                    self.too_many(&head, head_ty, f, &args, i);
                    return (Pre::Error, self.unknown_type(f.span));
                }
            };
            takes.push(s);
            ty = t;
        }
        if let Some((want, reason)) = want {
            self.unify(want, ty, f.span.to(args.whole()), reason);
        }
        let name = describe(f);
        let local =
            matches!(&f.bare().kind, ExprKind::Name(n) if self.locals.iter().any(|l| l.name == *n));
        let one_type = if local { OF_LOCAL } else { "" };
        let reason =
            |i: usize| Reason::new(format!("the {} argument of {name}{one_type}", ordinal(i)));
        // What was piped in is known already, and says most about the other arguments.
        if let Some((_, found, span)) = &args.piped {
            let i = args.len() - 1;
            self.unify(takes[i], *found, *span, &reason(i));
        }
        let mut pre = head;
        for (i, e) in args.written.iter().enumerate() {
            let x = self.check(e, takes[i], &reason(i));
            pre = Pre::app(pre, x);
        }
        if let Some((x, ..)) = args.piped {
            pre = Pre::app(pre, x);
        }
        (pre, ty)
    }

    pub(super) fn too_many(
        &mut self,
        head: &Pre,
        head_ty: Ty,
        f: &Expr,
        args: &Args,
        takes: usize,
    ) {
        // Mistakes inside the arguments are worth knowing as well.
        for e in args.written {
            self.value(e);
        }
        if matches!(head, Pre::Error) {
            return;
        }
        let name = describe(f);
        let message = match takes {
            0 => format!("{name} is not a function"),
            1 => format!("{name} takes 1 argument, {} are given", args.len()),
            n => format!("{name} takes {n} arguments, {} are given", args.len()),
        };
        let ty = self.show(self.u.ty(head_ty));
        self.report(
            Diagnostic::new(code::TOO_MANY_ARGUMENTS, message)
                .label(args.span(takes), "one argument too many")
                .also(f.span, format!("this has type `{ty}`"))
                .help("remove the argument, or put parentheses around an argument that is an application"),
        );
    }

    pub(super) fn pipe(&mut self, l: &Expr, r: &Expr, want: Option<(Ty, &Reason)>) -> (Pre, Ty) {
        let (x, s) = self.value(l);
        let r = r.bare();
        let no_args: &[Expr] = &[];
        let (f, written) = match &r.kind {
            ExprKind::App(f, args) => (&**f, &args[..]),
            ExprKind::Lam(..) | ExprKind::Let(..) => {
                let (t, reason) = match want {
                    Some((t, reason)) => (t, reason.clone()),
                    None => (self.unknown_type(r.span), Reason::new("nothing")),
                };
                let f = self.check(r, Ty::fun(s, t), &reason);
                return (Pre::app(f, x), t);
            }
            _ => (r, no_args),
        };
        let (head, ty) = self.value(f);
        let args = Args {
            written,
            piped: Some((x, s, l.span)),
        };
        self.apply(head, ty, f, args, want)
    }

    pub(super) fn operator(&mut self, op: BinOp, l: &Expr, r: &Expr, span: Span) -> (Pre, Ty) {
        if let (true, ExprKind::Number(_), Some(of)) =
            (op.is_comparison(), &r.bare().kind, negated(l))
        {
            self.value(of);
            let d = Diagnostic::new(
                code::TYPE_MISMATCH,
                "`not` takes the next value, no comparison",
            );
            self.report(
                d.label(l.span, "compared with a number")
                    .help(format!("write `not (… {} …)`", op.text())),
            );
            return (Pre::Error, Scalar::Bool.into());
        }
        let (x, s) = self.value(l);
        if let TyKind::Fun(..) = self.u.ty(s).kind() {
            return self.operand_is_function(op, l, s, r);
        }
        let reason = Reason::at(
            l.span,
            format!("both sides of `{}` have one type, and the left", op.text()),
        );
        let y = self.check(r, s, &reason);
        let class = match op.is_comparison() {
            true => Class::Element,
            false => Class::Number,
        };
        self.require(s, class, span, format!("`{}`", op.text()));
        let result = match op.is_comparison() {
            true => Scalar::Bool.into(),
            false => s,
        };
        let f = prim(operation(op), Ty::funs([s, s], result), span);
        (Pre::app(Pre::app(f, x), y), result)
    }

    /// The left operand lacks arguments; perhaps it was meant to get the right one.
    fn operand_is_function(&mut self, op: BinOp, l: &Expr, ty: Ty, r: &Expr) -> (Pre, Ty) {
        self.value(r);
        let text = op.text();
        let d = Diagnostic::new(
            code::TYPE_MISMATCH,
            format!("the left operand of `{text}` is a function"),
        );
        let label = format!("this is of type `{}`", self.show(self.u.ty(ty)));
        let d = d.label(l.span, label).help(match op {
            BinOp::Sub => "an argument with a sign stands in parentheses: `max (-1.0) x`",
            _ => "an argument may be missing; what stands behind `|>` is in parentheses with what is piped into it: `(xs |> f) / 2.0`",
        });
        self.report(d);
        (Pre::Error, self.unknown_type(l.span))
    }

    /// `if c then a else b`, which is `select c a b`.
    pub(super) fn choice(
        &mut self,
        e: &Expr,
        parts: &[Expr],
        want: Option<(Ty, &Reason)>,
    ) -> (Pre, Ty) {
        let (head, ty) = self.primitive(Op::Select, None, e.span);
        self.apply(head, ty, e, Args::new(parts), want)
    }

    /// An operation on truth values.
    pub(super) fn logic(&mut self, op: Op, text: &str, of: &[&Expr], span: Span) -> (Pre, Ty) {
        let truth: Ty = Scalar::Bool.into();
        let reason = Reason::new(format!("an operand of `{text}`"));
        let f = prim(op, Ty::funs(of.iter().map(|_| truth), truth), span);
        let of = of.iter().map(|x| self.check(x, truth, &reason));
        (of.fold(f, Pre::app), truth)
    }
}

/// The arguments of an application; the last may have been piped in, and is known.
pub(super) struct Args<'e> {
    written: &'e [Expr],
    piped: Option<(Pre, Ty, Span)>,
}

impl<'e> Args<'e> {
    pub(super) fn new(written: &'e [Expr]) -> Args<'e> {
        Args {
            written,
            piped: None,
        }
    }

    fn len(&self) -> usize {
        self.written.len() + usize::from(self.piped.is_some())
    }

    fn span(&self, i: usize) -> Span {
        match (self.written.get(i), &self.piped) {
            (Some(e), _) => e.span,
            (None, Some((_, _, span))) => *span,
            (None, None) => Span::default(),
        }
    }

    /// The written arguments, or what was piped in.
    fn whole(&self) -> Span {
        match (self.written, &self.piped) {
            ([.., last], _) => last.span,
            ([], Some((_, _, span))) => *span,
            ([], None) => Span::default(),
        }
    }
}

/// What `not` is applied to.
fn negated(e: &Expr) -> Option<&Expr> {
    match &e.kind {
        ExprKind::App(f, args) if matches!(&f.kind, ExprKind::Name(n) if n == "not") => {
            args.first()
        }
        ExprKind::Not(x) => Some(x),
        _ => None,
    }
}

/// How a message calls the function that is applied.
fn describe(f: &Expr) -> String {
    match &f.bare().kind {
        ExprKind::Name(name) => format!("`{name}`"),
        ExprKind::If(_) => "`if`".to_string(),
        ExprKind::Section(op) => format!("`({})`", op.text()),
        ExprKind::Sizes(f, _) => describe(f),
        _ => "this function".to_string(),
    }
}

fn ordinal(i: usize) -> String {
    match i {
        0 => "first".to_string(),
        1 => "second".to_string(),
        2 => "third".to_string(),
        _ => format!("{}th", i + 1),
    }
}
