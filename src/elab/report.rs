//! From mismatches to messages.
//!
//! In: what unification could not satisfy and what the checks at the end of a definition found. Out: diagnostics.
//! A mismatch shows the two types, and the first pair in them that cannot agree, sizes in normal form.

use super::infer::Infer;
use super::reason::{too_large_type, Origin, Reason, CHAINED, MOVED};
use super::show::{show, show_named};
use super::unify::{Mismatch, Pair};
use crate::arith::Nat;
use crate::diag::{code, Diagnostic};
use crate::source::Span;
use crate::term::{Class, Op};
use crate::ty::{Scalar, Ty, TyKind};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

impl Infer<'_> {
    /// A type or size as the user would write it.
    pub fn show(&self, x: impl std::fmt::Display) -> String {
        show_named(x, |unknown| self.name_of(unknown))
    }

    /// The name of an unknown, if it has one.
    fn name_of(&self, unknown: &str) -> Option<String> {
        let sizes = self.names.sizes.iter();
        let size = |n: Nat| n.as_meta().is_some_and(|m| m.to_string() == unknown);
        let ty = |t: Ty| matches!(t.kind(), TyKind::Meta(m) if unknown == format!("t{m}"));
        let mut sizes = sizes.filter(|(_, n)| size(self.u.nat(**n))).map(|n| n.0);
        let types = self.names.types.iter();
        let mut types = types.filter(|(_, t)| ty(self.u.ty(**t))).map(|t| t.0);
        sizes.next().or_else(|| types.next()).cloned()
    }

    /// What is expected and what is found. Where that would read the same, or one is a part of the other, unknowns are
    /// numbered, so that they can be told apart.
    fn show_both(&self, want: Ty, found: Ty, numbered: bool) -> (String, String) {
        let (w, f) = (self.show(want), self.show(found));
        if w != f && !numbered {
            return (w, f);
        }
        let known = RefCell::new(Vec::new());
        let name = |unknown: &str| {
            self.name_of(unknown).or_else(|| {
                let mut known = known.borrow_mut();
                let i = known.iter().position(|k| k == unknown);
                let i = i.unwrap_or_else(|| {
                    known.push(unknown.to_string());
                    known.len() - 1
                });
                Some(format!("_{}", i + 1))
            })
        };
        (show_named(want, name), show_named(found, name))
    }

    /// Gives literals their default types, solves what is left, and reports what does not hold.
    /// Whether nothing was wrong.
    pub fn conclude(&mut self) -> bool {
        self.default_literals();
        // Solutions that are forced after a contradiction would only confuse.
        if self.u.mismatches.is_empty() {
            self.u.finish();
        }
        if let Some(span) = self.huge() {
            self.report(too_large_type(span));
            return false;
        }
        for m in std::mem::take(&mut self.u.mismatches) {
            let d = self.mismatch(m);
            self.report(d);
        }
        self.report_holes();
        if self.diagnostics.is_empty() {
            self.check_classes();
        }
        if self.diagnostics.is_empty() {
            self.check_conversions();
        }
        if self.diagnostics.is_empty() {
            self.check_inferred();
        }
        self.diagnostics.is_empty()
    }

    /// Where a type has thousands of parts: whatever walks or shows it would not end; or a size that is an overflow.
    fn huge(&mut self) -> Option<Span> {
        let mut known = FxHashMap::default();
        for origin in &self.origins {
            let (span, types) = match origin {
                Origin::Unknown { .. } => continue,
                Origin::Equation {
                    span, want, found, ..
                } => (*span, [*want, *found]),
                Origin::Hole { span, ty } => (*span, [*ty, *ty]),
            };
            if types
                .into_iter()
                .any(|t| self.u.is_huge_with(t, &mut known))
            {
                return Some(span);
            }
        }
        None
    }

    /// Fractions first: `x * 2 + 0.5` is a computation with f32.
    fn default_literals(&mut self) {
        for floats in [true, false] {
            for i in 0..self.literals.len() {
                let (ty, default, span) = self.literals[i];
                let unknown =
                    matches!(self.u.head(ty).kind(), TyKind::Meta(n) if !self.u.ty_is_rigid(n));
                if unknown && default.is_float() == floats {
                    let reason = Reason::new("a literal of no known type");
                    self.unify(ty, default.into(), span, &reason);
                }
            }
        }
    }

    pub fn mismatch(&self, m: Mismatch) -> Diagnostic {
        let Origin::Equation {
            span,
            want,
            found,
            reason,
        } = &self.origins[m.site.0 as usize]
        else {
            let (Origin::Unknown { span, .. } | Origin::Hole { span, .. }) =
                &self.origins[m.site.0 as usize]
            else {
                unreachable!("the third kind is above");
            };
            return Diagnostic::new(code::TYPE_MISMATCH, "this type does not fit").at(*span);
        };
        if m.pair == Pair::Huge {
            return too_large_type(*span);
        }
        let (want, found) = (self.u.ty(*want), self.u.ty(*found));
        let infinite = matches!(m.pair, Pair::Infinite(..));
        let (w, f) = self.show_both(want, found, infinite);
        let code = match m.pair {
            Pair::Sizes(..) => code::SIZE_MISMATCH,
            Pair::Types(..) => code::TYPE_MISMATCH,
            Pair::Infinite(..) | Pair::Huge => code::INFINITE_TYPE,
        };
        let mut d = Diagnostic::new(code, format!("expected `{w}`, found `{f}`"))
            .label(*span, format!("this is of type `{f}`"));
        match reason.span {
            Some(at) => d = d.also(at, format!("{} is of type `{w}`", reason.text)),
            None if reason.text != "nothing" => {
                d = d.note(format!("{} is of type `{w}`", reason.text));
            }
            None => {}
        }
        let help = match m.pair {
            Pair::Sizes(a, b) => {
                let (a, b) = (self.u.nat(a), self.u.nat(b));
                d = d.note(format!(
                    "the first sizes that cannot agree: `{}` against `{}`",
                    self.show(a),
                    self.show(b)
                ));
                match self.names.rule.is_none() && (a.has_meta() || b.has_meta()) {
                    true => "write the size that is not known in brackets or in an annotation",
                    false if reason.text.ends_with(OF_LOCAL) => {
                        "define the function above, by `def`: its sizes may differ at each use"
                    }
                    false
                        if reason.text == OF_INDEXED
                            && want.as_array().is_some_and(|(n, _)| n == a) =>
                    {
                        "the index is one of another length: write `(cast (cast i : i64) : idx[n])`, with `2 * …` and the like inside, for an array of n"
                    }
                    false => "make the sizes equal: change a type, or a size argument",
                }
                .to_string()
            }
            Pair::Types(a, b) => {
                let (a, b) = (self.u.ty(a), self.u.ty(b));
                if (a, b) != (want, found) {
                    d = d.note(format!(
                        "the first parts that cannot agree: `{}` against `{}`",
                        self.show(a),
                        self.show(b)
                    ));
                }
                match b.as_scalar().is_some_and(Scalar::is_int) && reason.text == CHAINED {
                    true => MOVED.to_string(),
                    false if reason.text == OF_INDEXED && matches!(b.kind(), TyKind::Idx(_)) => {
                        INDEX_INSIDE.to_string()
                    }
                    false if OF_REDUCE.contains(&reason.text.as_str()) => ONE_TYPE.to_string(),
                    false => advice(a, b),
                }
            }
            Pair::Infinite(..) | Pair::Huge => {
                "a value is applied to itself, or put into an array of its own type".to_string()
            }
        };
        d.help(help)
    }

    fn report_holes(&mut self) {
        for i in 0..self.origins.len() {
            if let Origin::Hole { span, ty } = self.origins[i] {
                let ty = self.show(self.u.ty(ty));
                self.report(
                    Diagnostic::new(
                        code::EXPRESSION_HOLE,
                        format!("a value of type `{ty}` is missing here"),
                    )
                    .at(span)
                    .help("write the value; holes may only stand for types and sizes"),
                );
            }
        }
    }

    fn check_classes(&mut self) {
        let mut seen: Vec<(Span, &str)> = Vec::new();
        for i in 0..self.literals.len() {
            let (ty, default, span) = self.literals[i];
            let ty = self.u.ty(ty);
            // Of a type that a rule learns where it matches: there it may be no number, or one that this is no value of.
            if matches!(ty.kind(), TyKind::Meta(_)) {
                self.report(
                    Diagnostic::new(
                        code::RULE_UNBOUND,
                        "the left side does not determine the type of this number",
                    )
                    .label(span, "of any type")
                    .help("fix the type on the left, as `(xs : n.f32)` does, or bind the number there"),
                );
                continue;
            }
            let fits = match ty.kind() {
                TyKind::Idx(_) => !default.is_float(),
                TyKind::Scalar(_) => Class::Number.admits(ty),
                _ => false,
            };
            if !fits {
                let help = match ty.kind() {
                    TyKind::Vec(..) => "spread it over the lanes: `vectorFromScalar[k] e`",
                    TyKind::Array(..) => "make an array of it: `fill[n] e`",
                    _ => "write a value of that type",
                };
                self.report(
                    Diagnostic::new(
                        code::WRONG_CLASS,
                        format!("a number stands where `{}` is needed", self.show(ty)),
                    )
                    .label(span, "a number")
                    .help(help),
                );
            }
        }
        let mut failed = Vec::new();
        let mut of_indices: Vec<Span> = Vec::new();
        for r in &self.requirements {
            let ty = self.u.ty(r.ty);
            if r.class.judge(ty) == Some(false) {
                let index = match (r.class, ty.kind()) {
                    (Class::Number, TyKind::Idx(n)) => Some(self.show(n)),
                    _ => None,
                };
                // One report for the operations of one index.
                if index.is_some() {
                    let inside =
                        |s: &Span| s.lo <= r.span.hi && r.span.lo <= s.hi && s.file == r.span.file;
                    if of_indices.iter().any(inside) {
                        continue;
                    }
                    of_indices.push(r.span);
                }
                let of_index = index.map(|n| format!("compute with its number, `(cast i : i64)`, and make the result an index: `(cast … : idx[{n}])`"));
                let (is, help) = match r.class {
                    Class::Data => ("values that are no functions", "apply the function first"),
                    Class::Number => (
                        "numbers and vectors of numbers",
                        "apply it to the elements: `map`, or `zip` and `map`",
                    ),
                    Class::Int => (
                        "integers and vectors of integers",
                        "convert with `cast`, or take the bits of a float: `bitcast`",
                    ),
                    Class::Float => ("floats and vectors of floats", "convert with `cast`"),
                    Class::Element => (
                        "scalars",
                        "apply it to the scalars, before `asVector`: `map`, or `zip` and `map`",
                    ),
                    Class::Convertible => (
                        "scalars and vectors of numbers",
                        "apply it to the elements: `map`, or `zip` and `map`",
                    ),
                    Class::Flat => (
                        "scalars and pairs of scalars",
                        "vectors are made of scalars, or of pairs of scalars",
                    ),
                };
                if seen.contains(&(r.span, is)) {
                    continue;
                }
                seen.push((r.span, is));
                failed.push(
                    Diagnostic::new(
                        code::WRONG_CLASS,
                        format!("{} works on {is}, not on `{}`", r.what, self.show(ty)),
                    )
                    .label(r.span, format!("used at `{}`", self.show(ty)))
                    .help(of_index.unwrap_or_else(|| help.to_string())),
                );
            }
        }
        self.diagnostics.extend(failed);
    }

    /// A type that a rule learns where it matches may be of any width.
    fn check_conversions(&mut self) {
        let mut wrong = Vec::new();
        for (op, from, to, span) in &self.conversions {
            let (from, to) = (self.u.ty(*from), self.u.ty(*to));
            let (code, misses, help) = match op {
                Op::Cast if misses_lanes(from, to) => (
                    code::CAST_LANES,
                    "has other lanes",
                    "a vector becomes a vector of as many numbers, a scalar a scalar",
                ),
                Op::Bitcast if misses_width(from, to) => (
                    code::BITCAST_WIDTH,
                    "is not as wide",
                    "convert with `cast` first, or choose a type that is as wide",
                ),
                _ => continue,
            };
            let (op, from, to) = (op.name(), self.show(from), self.show(to));
            let message = format!("`{op}` from `{from}` to `{to}`, which {misses}");
            wrong.push(
                Diagnostic::new(code, message)
                    .label(*span, format!("used at `{from} -> {to}`"))
                    .help(help),
            );
        }
        self.diagnostics.extend(wrong);
    }

    /// Sizes that were inferred must be whole and not negative.
    fn check_inferred(&mut self) {
        let mut seen = Vec::new();
        for i in 0..self.inferred.len() {
            let (n, op, span) = self.inferred[i];
            let n = self.u.nat(n);
            let bad = n.as_rat().is_some_and(|r| r.as_int().is_none_or(|i| i < 0));
            if bad && !seen.contains(&span) {
                seen.push(span);
                self.report(
                    Diagnostic::new(
                        code::IMPOSSIBLE_SIZE,
                        format!(
                            "`{}` does not fit the array: a size would be {n}",
                            op.name()
                        ),
                    )
                    .at(span)
                    .help("change the size argument, or the size of the array"),
                );
            }
        }
    }
}

/// What `reduce` is told to combine elements with, and to start from.
const OF_REDUCE: [&str; 2] = [
    "the first argument of `reduce`",
    "the second argument of `reduce`",
];
const OF_INDEXED: &str = "the second argument of `idx`";
const INDEX_INSIDE: &str =
    "`idx i e` is an element of an array; an element of an element is `idx i (idx j e)`";
/// Behind what a function takes that has a name in this definition only.
pub(super) const OF_LOCAL: &str = ", which has one type here,";

const ONE_TYPE: &str =
    "`reduce` combines what is of one type; to start from something else than an element, write `reduceSeq`";

fn advice(want: Ty, found: Ty) -> String {
    match (want.kind(), found.kind()) {
        (w, TyKind::Fun(..)) if !matches!(w, TyKind::Fun(..)) => {
            "an argument may be missing, or a parameter too many: a pair is taken apart by `\\(a, b) -> …`".to_string()
        }
        (TyKind::Fun(..), _) => "a function is needed: write `\\x -> …`".to_string(),
        (TyKind::Vec(k, _), TyKind::Scalar(_)) => {
            format!(
                "spread the value over the lanes: `vectorFromScalar[{}] e`",
                show(k)
            )
        }
        (TyKind::Scalar(s), TyKind::Scalar(_) | TyKind::Idx(_)) => {
            format!("convert with `(cast e : {})`", s.name())
        }
        (TyKind::Idx(n), TyKind::Scalar(_)) => {
            format!("a number becomes an index by `(cast e : idx[{}])`", show(n))
        }
        (TyKind::Array(..), TyKind::Scalar(_)) => {
            "make an array of it: `fill[n] e`, or use an element of the other side".to_string()
        }
        (TyKind::Scalar(_), TyKind::Array(..)) => {
            "work on the elements: `map`, `reduce`, `at[0]`".to_string()
        }
        (TyKind::Pair(..), _) => "make a pair: `(a, b)` or `zip a b`".to_string(),
        (_, TyKind::Pair(..)) => "take the pair apart: `fst p`, `snd p`".to_string(),
        _ => "change one of the two".to_string(),
    }
}

fn misses_lanes(from: Ty, to: Ty) -> bool {
    !from.has_meta() && !to.has_meta() && !Op::Cast.keeps_lanes(Ty::fun(from, to))
}

fn misses_width(from: Ty, to: Ty) -> bool {
    let width = |t: Ty| {
        let (lanes, elem) = t.as_vec().map_or((None, t), |(k, e)| (Some(k), e));
        elem.as_scalar().map(|s| (lanes, s.bytes()))
    };
    matches!((width(from), width(to)), (Some(a), Some(b)) if a != b)
}
