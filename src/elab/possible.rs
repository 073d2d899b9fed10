//! Whether any program can satisfy a sketch: types inferred as for a term, with `?` for anything.

use super::infer::{Infer, Names};
use super::output::{Sketch, SketchKind, TyPattern};
use super::reason::Reason;
use crate::arith::Nat;
use crate::diag::{code, Diagnostic};
use crate::source::Span;
use crate::ty::Ty;

/// Reports parts whose types cannot agree. What is open stays open: only a contradiction counts.
pub fn check(s: &Sketch, diagnostics: &mut Vec<Diagnostic>) {
    let mut types = Types {
        infer: Infer::new(Names::default()),
    };
    types.of(s);
    let mismatches = std::mem::take(&mut types.infer.u.mismatches);
    for m in mismatches {
        let d = types.infer.mismatch(m);
        let mut said = d.clone();
        said.code = code::SKETCH_IMPOSSIBLE;
        said.message = format!("no program can satisfy this sketch: {}", d.message);
        diagnostics.push(said.help("change the type, or the sizes in it"));
    }
}

struct Types {
    infer: Infer<'static>,
}

impl Types {
    fn fresh(&mut self, span: Span) -> Ty {
        self.infer.unknown_type(span)
    }

    fn of(&mut self, s: &Sketch) -> Ty {
        match &s.kind {
            SketchKind::Any | SketchKind::Number(_) | SketchKind::Size(_) => self.fresh(s.span),
            SketchKind::Bool(_) => crate::ty::Scalar::Bool.into(),
            SketchKind::Lam(body) => {
                let arg = self.fresh(s.span);
                Ty::fun(arg, self.of(body))
            }
            SketchKind::App(f, x) => {
                let function = self.of(f);
                let argument = self.of(x);
                let result = self.fresh(s.span);
                let reason = Reason::new(format!("what `{}` applies", s.label));
                self.infer
                    .unify(Ty::fun(argument, result), function, f.span, &reason);
                result
            }
            SketchKind::Prim(op, sizes) => self.primitive(*op, sizes.as_deref(), s.span),
            SketchKind::Contains(inner)
            | SketchKind::OnlyContains(inner)
            | SketchKind::Written(inner) => {
                self.of(inner);
                self.fresh(s.span)
            }
            // What is asked of no part may contradict itself.
            SketchKind::None(_) | SketchKind::Every(..) => self.fresh(s.span),
            SketchKind::And(all) => {
                let one = self.fresh(s.span);
                for part in all {
                    let found = self.of(part);
                    let reason = Reason::new(format!("the other sketches of `{}`", s.label));
                    self.infer.unify(one, found, part.span, &reason);
                }
                one
            }
            SketchKind::Cheapest(inner) => self.of(inner),
            SketchKind::Or(all) => {
                // Alternatives may be of different types; one of one is just that one.
                let types: Vec<Ty> = all.iter().map(|s| self.of(s)).collect();
                match types[..] {
                    [only] => only,
                    _ => self.fresh(s.span),
                }
            }
            SketchKind::Typed(inner, pattern) => {
                let found = self.of(inner);
                let want = self.pattern(pattern, s.span);
                let reason = Reason::new(format!("the pattern in `{}`", s.label));
                self.infer.unify(want, found, s.span, &reason);
                found
            }
        }
    }

    fn primitive(&mut self, op: crate::term::Op, sizes: Option<&[Nat]>, span: Span) -> Ty {
        let given = sizes.unwrap_or(&[]);
        let Some(scheme) = op.scheme(given) else {
            return self.fresh(span);
        };
        let tys: Vec<Ty> = scheme.tys.iter().map(|_| self.fresh(span)).collect();
        let nats: Vec<Nat> = (0..scheme.nats as usize)
            .map(|i| match given.get(i) {
                Some(n) => *n,
                None => self.infer.unknown_size(span),
            })
            .collect();
        scheme.ty.subst(&mut |n| Some(tys[n as usize]), &mut |n| {
            Some(nats[n as usize])
        })
    }

    fn pattern(&mut self, p: &TyPattern, span: Span) -> Ty {
        let size = |types: &mut Types, n: &Option<Nat>| {
            n.unwrap_or_else(|| types.infer.unknown_size(span))
        };
        match p {
            TyPattern::Any | TyPattern::AnyScalar => self.fresh(span),
            TyPattern::Scalar(s) => (*s).into(),
            TyPattern::Idx(n) => Ty::idx(size(self, n)),
            TyPattern::Pair(a, b) => {
                let a = self.pattern(a, span);
                Ty::pair(a, self.pattern(b, span))
            }
            TyPattern::Vec(n, t) => {
                let n = size(self, n);
                Ty::vec(n, self.pattern(t, span))
            }
            TyPattern::Array(n, t) => {
                let n = size(self, n);
                Ty::array(n, self.pattern(t, span))
            }
            TyPattern::Fun(s, t) => {
                let s = self.pattern(s, span);
                Ty::fun(s, self.pattern(t, span))
            }
        }
    }
}
