//! What a name stands for: a variable, a definition, a size, a primitive, or a pattern variable.

use super::super::pre::{Number, Pre};
use super::{elsewhere, prim, Infer};
use crate::arith::Nat;
use crate::diag::{code, Diagnostic};
use crate::source::Span;
use crate::syntax::tree::Expr;
use crate::target;
use crate::term::{Class, Op};
use crate::ty::{Scalar, Ty};
use smallvec::SmallVec;

/// What may be done about a name that is not known, in a file.
pub fn define_above(name: &str) -> String {
    format!("define it above: `def {name} … = …`")
}

/// What a type of other languages is called here.
fn type_elsewhere(name: &str) -> &'static str {
    match name {
        "nat" | "size" => "a size is declared in brackets: `[n : nat]`",
        "float" | "single" | "Float" | "real" => "write `f32`",
        "double" | "Double" => "write `f64`",
        "int" | "Int" | "integer" => "write `i32`, or `i64`",
        "uint" => "write `u32`, or `u64`",
        "byte" | "char" | "uchar" => "write `u8`",
        "boolean" | "Bool" => "write `bool`",
        "half" => "write `f16`",
        _ => "types: `f32`, `n.t`, `(s, t)`, `<n>t`, `idx[n]`, `s -> t`",
    }
}

impl Infer<'_> {
    pub fn size_name(&mut self, name: &str, span: Span) -> Nat {
        if let Some(n) = self.names.sizes.get(name) {
            return *n;
        }
        if target::is_constant(name) {
            let d = Diagnostic::new(
                code::UNKNOWN_SIZE,
                format!("`{name}` is known in sketches only"),
            )
            .label(span, "no size here")
            .help("give the rule or definition a size of its own; a sketch passes the constant: `rule[target.f32lanes]`");
            self.report(d);
            return self.unknown_size(span);
        }
        if self.names.rule.is_some() {
            if self.names.types.contains_key(name) {
                self.report(
                    Diagnostic::new(
                        code::NOT_A_SIZE,
                        format!("`{name}` is a type elsewhere in this rule"),
                    )
                    .label(span, "used as a size here")
                    .help("give the size a name of its own"),
                );
            }
            let site = self.origin(span, format!("the size `{name}`"));
            let n = self.u.fresh_nat(site);
            self.names.sizes.insert(name.to_string(), n);
            return n;
        }
        let known = self.names.sizes.keys().map(|s| &**s);
        let known: Vec<&str> = known.filter(|s| !target::is_constant(s)).collect();
        let d = Diagnostic::new(code::UNKNOWN_SIZE, format!("there is no size `{name}`"));
        // A value that is known only when the kernel runs.
        let d = match self.locals.iter().any(|l| l.name == name) {
            true => d.label(span, "a value, no size").help(format!(
                "a size is declared: `[{name} : nat]`; the element at an index is `idx {name} e`, and what is no index becomes one by `(cast {name} : idx[n])`"
            )),
            false => {
                // A sketch speaks of the program's sizes, and of the target's.
                let declare = match known.len() == self.names.sizes.len() {
                    true => format!("declare it: `[{name} : nat]`; "),
                    false => String::new(),
                };
                let otherwise = match known.is_empty() {
                    true => format!("declare it: `[{name} : nat]`"),
                    false => format!("{declare}known sizes: {}", known.join(", ")),
                };
                d.label(span, "not known").help_near(name, known, otherwise)
            }
        };
        self.report(d);
        let n = self.unknown_size(span);
        self.names.sizes.insert(name.to_string(), n);
        n
    }

    pub fn type_name(&mut self, name: &str, span: Span) -> Ty {
        if let Some(t) = self.names.types.get(name) {
            return *t;
        }
        if self.names.rule.is_some() && !self.names.sizes.contains_key(name) {
            let site = self.origin(span, format!("the type `{name}`"));
            let t = self.u.fresh_ty(site);
            self.names.types.insert(name.to_string(), t);
            return t;
        }
        let d = match self.names.sizes.contains_key(name) {
            true => Diagnostic::new(
                code::NOT_A_TYPE,
                format!("`{name}` is a size, and a type is needed here"),
            )
            .label(span, "a size")
            .help(format!(
                "an array type ends in the type of its elements: `{name}.f32`"
            )),
            false => Diagnostic::new(code::UNKNOWN_TYPE, format!("there is no type `{name}`"))
                .label(span, "not known")
                .help_near(
                    name,
                    Scalar::ALL.iter().map(|s| s.name()),
                    type_elsewhere(name),
                ),
        };
        self.report(d);
        self.unknown_type(span)
    }

    pub(super) fn name(&mut self, name: &str, sizes: Option<&[Expr]>, span: Span) -> (Pre, Ty) {
        // A size as a number; a plain parameter needs no brackets.
        if let ("size", Some([e])) = (name, sizes) {
            let n = self.size(e);
            return self.size_literal(n, span);
        }
        if let Some(l) = self.locals.iter().rev().find(|l| l.name == name) {
            let ty = l.ty;
            let mut pre = Pre::Var(self.depth - 1 - l.level, l.root);
            for (op, f) in &l.path {
                pre = Pre::app(prim(*op, *f, span), pre);
            }
            self.no_sizes(name, sizes, span);
            return (pre, ty);
        }
        if let Some(def) = self.names.defs.and_then(|d| d.get(name)) {
            return match def {
                Some(scheme) => self.instantiate(name, &scheme.clone(), sizes, span),
                None => (Pre::Error, self.unknown_type(span)),
            };
        }
        if let Some(n) = self.names.sizes.get(name).copied() {
            self.no_sizes(name, sizes, span);
            return self.size_literal(n, span);
        }
        if let Some(op) = Op::from_name(name) {
            return self.primitive(op, sizes, span);
        }
        if let "true" | "false" = name {
            let ty = Scalar::Bool.into();
            return (Pre::Lit(Number::Bool(name == "true"), ty, span), ty);
        }
        if self.names.rule.is_some() {
            self.no_sizes(name, sizes, span);
            return self.hole(name, span);
        }
        let known: Vec<String> = self.known_names();
        let d = Diagnostic::new(code::UNKNOWN_NAME, format!("there is no `{name}`"))
            .label(span, "not known");
        self.report(match elsewhere::here(name) {
            Some(said) => d.help(said),
            None => d.help_near(name, known.iter().map(|s| &**s), define_above(name)),
        });
        (Pre::Error, self.unknown_type(span))
    }

    pub(super) fn size_literal(&mut self, n: Nat, span: Span) -> (Pre, Ty) {
        let ty = self.unknown_type(span);
        self.literals.push((ty, Scalar::I64, span));
        (Pre::Lit(Number::Size(n), ty, span), ty)
    }

    pub(super) fn known_names(&self) -> Vec<String> {
        let locals = self.locals.iter().rev().map(|l| l.name.clone());
        let defs = self.names.defs.into_iter().flat_map(|d| d.keys().cloned());
        let sizes = self.names.sizes.keys().cloned();
        let prims = Op::ALL.iter().map(|op| op.name().to_string());
        locals.chain(defs).chain(sizes).chain(prims).collect()
    }

    pub(super) fn no_sizes(&mut self, name: &str, sizes: Option<&[Expr]>, span: Span) {
        if sizes.is_some() {
            self.report(
                Diagnostic::new(code::SIZE_ARGUMENTS, format!("`{name}` takes no sizes"))
                    .at(span)
                    .help(format!(
                        "remove the brackets; an element of an array is `idx i {name}`, or `at[0] {name}` by a number"
                    )),
            );
        }
    }

    /// A pattern variable of a rule.
    pub(super) fn hole(&mut self, name: &str, span: Span) -> (Pre, Ty) {
        let rule = self.names.rule.as_ref().expect("a rule");
        if let Some(i) = rule.holes.iter().position(|h| h.0 == name) {
            let ty = rule.holes[i].1;
            return (Pre::Hole(i as u32, ty), ty);
        }
        if rule.on_left {
            let site = self.origin(span, format!("the type of `{name}`"));
            let ty = self.u.fresh_ty(site);
            let rule = self.names.rule.as_mut().expect("a rule");
            rule.holes.push((name.to_string(), ty, span));
            return (Pre::Hole(rule.holes.len() as u32 - 1, ty), ty);
        }
        let binder = rule.left_binders.iter().find(|b| b.0 == name);
        let d = match binder {
            Some((_, bound)) => Diagnostic::new(
                code::RULE_SCOPE,
                format!("`{name}` is used outside of the function that binds it"),
            )
            .label(span, "not in scope")
            .also(*bound, "bound here, on the left")
            .help("bind it on the right as well: `\\x -> …`"),
            None => {
                let holes = rule.holes.iter().map(|h| &*h.0);
                let known = holes.chain(Op::ALL.iter().map(|op| op.name()));
                Diagnostic::new(
                    code::RULE_UNBOUND,
                    format!("`{name}` is neither a primitive nor bound by the left side"),
                )
                .label(span, "not bound")
                .help_near(
                    name,
                    known,
                    "the right side may only use what the left side matches",
                )
            }
        };
        self.report(d);
        (Pre::Error, self.unknown_type(span))
    }

    pub fn primitive(&mut self, op: Op, sizes: Option<&[Expr]>, span: Span) -> (Pre, Ty) {
        let least = match op {
            Op::PadCst | Op::PadClamp | Op::At | Op::Drop | Op::Iterate => 0,
            _ => 1,
        };
        let given: SmallVec<[Nat; 2]> = sizes
            .unwrap_or(&[])
            .iter()
            .map(|e| self.size_at_least(e, least))
            .collect();
        let explicit = op.size_args();
        // A primitive without explicit sizes and with one size may be told that one.
        let told = explicit == 0 && given.len() == 1;
        let scheme = op.scheme(&given);
        let fits = (given.len() == explicit || told)
            && scheme.as_ref().is_some_and(|s| !told || s.nats == 1);
        let Some(scheme) = scheme.filter(|_| fits) else {
            self.wrong_sizes(op, given.len(), span);
            return (Pre::Error, self.unknown_type(span));
        };
        let mut nats = given.to_vec();
        for _ in given.len()..scheme.nats as usize {
            let site = self.origin(span, format!("a size of `{}`", op.name()));
            let n = self.u.fresh_nat(site);
            self.inferred.push((n, op, span));
            nats.push(n);
        }
        let mut tys = Vec::new();
        for class in &scheme.tys {
            let site = self.origin(span, format!("the type at which `{}` is used", op.name()));
            let t = self.u.fresh_ty(site);
            // What a rule says of scalars is proved of scalars; vectors come of `vectorizable`.
            let class = match (class, &self.names.rule) {
                (Class::Convertible, Some(_)) => Class::Element,
                (class, _) => *class,
            };
            self.require(t, class, span, format!("`{}`", op.name()));
            tys.push(t);
        }
        if let (Op::Cast | Op::Bitcast, [from, to]) = (op, &tys[..]) {
            self.conversions.push((op, *from, *to, span));
        }
        let ty = scheme.ty.subst(&mut |n| Some(tys[n as usize]), &mut |n| {
            Some(nats[n as usize])
        });
        let sizes = if told { SmallVec::new() } else { given };
        (Pre::Prim(op, sizes, ty, span), ty)
    }

    pub(super) fn wrong_sizes(&mut self, op: Op, given: usize, span: Span) {
        let name = op.name();
        let (message, help) = match (op.size_args(), given) {
            (k, g) if k == g => (
                format!("`{name}` takes how many values, as a number from 1 to 64"),
                format!("write `{name}[3] x y z`"),
            ),
            (0, _) => (
                format!("`{name}` takes no sizes"),
                "remove the brackets; an array of one number is `fill[1] x`, of some `makeArray[3] x y z`".to_string(),
            ),
            (1, g) => (
                format!("`{name}` takes 1 size, {g} are given"),
                format!("write `{name}[n]`, or `{name}[_]` if it follows from the rest"),
            ),
            (k, g) => (
                format!("`{name}` takes {k} sizes, {g} are given"),
                format!("write `{name}[{}]`", vec!["_"; k].join(", ")),
            ),
        };
        self.report(
            Diagnostic::new(code::SIZE_ARGUMENTS, message)
                .at(span)
                .help(help),
        );
    }
}
