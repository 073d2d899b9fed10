//! Sketches: definitions put in, names resolved, and whether any program can satisfy them.
//!
//! In: an expression, the definitions and sizes in scope. Out: a `Sketch`. The argument of a definition is read
//! where its parameter stands: as a size, a type or a sketch, whichever the place needs. Every part keeps
//! the place and the words of the outermost use, which is what a user can look at and change.

use super::book::Sizes;
use super::infer::{operation, Infer, Names};
use super::output::{Sketch, SketchKind, TyPattern};
use super::size::SIZE_FUNCTIONS;
use super::uses::uses;
use crate::arith::Nat;
use crate::diag::{code, Diagnostic};
use crate::intern::Symbol;
use crate::source::Span;
use crate::syntax::number::{self, Value};
use crate::syntax::tree::{BinOp, Binder, Def, Expr, ExprKind};
use crate::syntax::{print_expr_flat, MAX_DEPTH};
use crate::term::Op;
use crate::ty::Scalar;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The definitions of sketches, by name.
#[derive(Clone, Default)]
pub struct Defs(BTreeMap<String, Rc<Def>>);

/// The words of the language of sketches.
const FORMS: [&str; 3] = ["app", "contains", "onlyContains"];

/// Unfolding stops here; definitions can double a sketch at every level.
const MAX_PARTS: usize = 100_000;

impl Defs {
    /// Adds a definition unless its name is taken.
    pub fn add(&mut self, mut def: Def, whole: bool, diagnostics: &mut Vec<Diagnostic>) {
        let name = def.name.text.clone();
        if !whole {
            def.body.kind = ExprKind::Any;
        }
        if let Some(b) = def.binders.iter().find(|b| !matches!(b, Binder::Bare(_))) {
            let span = match b {
                Binder::Sizes(s) => s.span,
                Binder::Typed { ty, .. } => ty.span,
                Binder::Bare(n) => n.span,
            };
            diagnostics.push(
                Diagnostic::new(
                    code::NOT_A_SKETCH,
                    "the parameters of a sketch definition are bare names",
                )
                .at(span)
                .help(
                    "write `def f n s = …`: a parameter is a size, a type or a sketch by its place",
                ),
            );
            return;
        }
        let taken = FORMS.contains(&&*name) || Op::from_name(&name).is_some();
        if taken {
            diagnostics.push(
                Diagnostic::new(
                    code::DUPLICATE,
                    format!("`{name}` has a meaning of its own already"),
                )
                .at(def.name.span)
                .help("give the definition another name"),
            );
        } else if let Some(first) = self.0.get(&name) {
            if first.name.span != def.name.span {
                diagnostics.push(
                    Diagnostic::new(code::DUPLICATE, format!("`{name}` is defined twice"))
                        .at(def.name.span)
                        .also(first.name.span, "first defined here")
                        .help("rename one of them"),
                );
            }
        } else if !name.is_empty() {
            self.0.insert(name, Rc::new(def));
        }
    }

    /// Adds what another file defines.
    pub fn extend(&mut self, other: Defs, diagnostics: &mut Vec<Diagnostic>) {
        for def in other.0.into_values() {
            self.add((*def).clone(), true, diagnostics);
        }
    }

    /// Reports definitions that use themselves, and removes them.
    pub fn refuse_recursion(&mut self, diagnostics: &mut Vec<Diagnostic>) {
        let needs = |d: &Def| -> Vec<String> { uses(d).into_iter().map(|u| u.0).collect() };
        let mut circular = Vec::new();
        for (name, def) in &self.0 {
            let (mut seen, mut work) = (Vec::new(), needs(def));
            while let Some(next) = work.pop() {
                if seen.contains(&next) {
                    continue;
                }
                if let Some(d) = self.0.get(&next) {
                    work.extend(needs(d));
                }
                seen.push(next);
            }
            if seen.contains(name) {
                circular.push(name.clone());
                diagnostics.push(
                    Diagnostic::new(code::RECURSION, format!("`{name}` uses itself"))
                        .at(def.name.span)
                        .help("definitions of sketches have no recursion; `contains` searches at any depth"),
                );
            }
        }
        // They stand for anything from now on, so that nothing else is reported.
        for name in circular {
            if let Some(def) = self.0.get_mut(&name) {
                Rc::make_mut(def).body.kind = ExprKind::Any;
            }
        }
    }

    /// Reads every definition with sketches for parameters, to find mistakes in those that nothing uses.
    pub fn check(&self, sizes: &Sizes, open: bool, diagnostics: &mut Vec<Diagnostic>) {
        for def in self.0.values() {
            let mut reader = Reader {
                defs: self,
                sizes,
                open,
                diagnostics,
                parts: 0,
                depth: 0,
            };
            let params = params(def).map(|p| (p.to_string(), Argument::Unknown));
            let env = Rc::new(Env {
                params: params.collect(),
                origin: None,
            });
            reader.sketch(&def.body, &env);
        }
    }
}

fn params(def: &Def) -> impl Iterator<Item = &str> {
    def.binders.iter().filter_map(|b| match b {
        Binder::Bare(n) => Some(&*n.text),
        _ => None,
    })
}

/// A sketch as written by the user; `sizes` are those that may be named. With `open`, any name is a size.
pub fn sketch(
    e: &Expr,
    defs: &Defs,
    sizes: &Sizes,
    open: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Sketch> {
    let before = diagnostics.len();
    let mut reader = Reader {
        defs,
        sizes,
        open,
        diagnostics,
        parts: 0,
        depth: 0,
    };
    let s = reader.sketch(e, &Rc::new(Env::default()));
    if diagnostics.len() == before {
        super::possible::check(&s, diagnostics);
    }
    (diagnostics.len() == before).then_some(s)
}

/// What the parameters of a definition stand for.
#[derive(Default)]
struct Env {
    params: Vec<(String, Argument)>,
    /// The outermost use: its place and words.
    origin: Option<(Span, String)>,
}

#[derive(Clone)]
enum Argument {
    Given(Expr, Rc<Env>),
    /// Of a definition that is only checked.
    Unknown,
    /// The variable of a function.
    Variable,
}

impl Env {
    fn get(&self, name: &str) -> Option<&Argument> {
        self.params.iter().find(|p| p.0 == name).map(|p| &p.1)
    }
}

struct Reader<'a> {
    defs: &'a Defs,
    sizes: &'a Sizes,
    open: bool,
    diagnostics: &'a mut Vec<Diagnostic>,
    parts: usize,
    depth: usize,
}

impl Reader<'_> {
    fn report(&mut self, d: Diagnostic) {
        // One mistake in a definition is one mistake, however often it is used.
        if !self.diagnostics.contains(&d) {
            self.diagnostics.push(d);
        }
    }

    fn sketch(&mut self, e: &Expr, env: &Rc<Env>) -> Sketch {
        // What was given for a parameter keeps its own place and words.
        if let ExprKind::Name(name) = &e.bare().kind {
            if let Some(Argument::Given(inner, outer)) = env.get(name).cloned() {
                return self.sketch(&inner, &outer);
            }
        }
        self.parts += 1;
        self.depth += 1;
        let kind = match self.parts > MAX_PARTS || self.depth > 4 * MAX_DEPTH {
            true => {
                if !self.diagnostics.iter().any(|d| d.code == code::TOO_LARGE) {
                    self.report(
                        Diagnostic::new(
                            code::TOO_LARGE,
                            format!("with its definitions put in, the sketch has more than {MAX_PARTS} parts, or is nested too deeply"),
                        )
                        .at(e.span)
                        .help("make the definitions smaller"),
                    );
                }
                SketchKind::Any
            }
            false => self.kind(e, env),
        };
        self.depth -= 1;
        let (span, label) = match &env.origin {
            Some(origin) => origin.clone(),
            None => (e.span, label(e)),
        };
        Sketch { kind, span, label }
    }

    fn boxed(&mut self, e: &Expr, env: &Rc<Env>) -> Box<Sketch> {
        Box::new(self.sketch(e, env))
    }

    fn kind(&mut self, e: &Expr, env: &Rc<Env>) -> SketchKind {
        match &e.kind {
            ExprKind::Any | ExprKind::Hole | ExprKind::Error => SketchKind::Any,
            ExprKind::Paren(inner) => self.kind(inner, env),
            ExprKind::Under(body) => SketchKind::Lam(self.boxed(body, env)),
            ExprKind::Lam(patterns, body) => {
                let hidden = self.with_variables(patterns, env);
                let inner = self.sketch(body, &hidden);
                let n = patterns.len();
                (1..n).fold(SketchKind::Lam(Box::new(inner)), |kind, _| {
                    let (span, label) = (e.span, label(e));
                    SketchKind::Lam(Box::new(Sketch { kind, span, label }))
                })
            }
            ExprKind::Annot(inner, t) => {
                let inner = self.boxed(inner, env);
                SketchKind::Typed(inner, self.ty(t, env))
            }
            ExprKind::Binary(BinOp::Or, ..) => {
                let mut all = Vec::new();
                self.alternatives(e, env, &mut all);
                SketchKind::Or(all)
            }
            ExprKind::Number(_) | ExprKind::Neg(_) => self.number(e),
            ExprKind::Section(op) => SketchKind::Prim(operation(*op), None),
            // Infix notation for `app (+) a b`.
            ExprKind::Binary(op, l, r) if op.is_function() => {
                let head = self.part(SketchKind::Prim(operation(*op), None), e, env);
                let l = self.sketch(l, env);
                let r = self.sketch(r, env);
                let half = self.part(SketchKind::App(Box::new(head), Box::new(l)), e, env);
                SketchKind::App(Box::new(half), Box::new(r))
            }
            ExprKind::Name(name) => self.name(name, &[], e, env),
            ExprKind::App(f, args) => match &f.bare().kind {
                ExprKind::Name(name) => self.name(name, args, e, env),
                _ => self.no_app(f, e),
            },
            ExprKind::Sizes(f, sizes) => self.sized(f, sizes, e, env),
            _ => {
                self.report(
                    Diagnostic::new(code::NOT_A_SKETCH, "a sketch is needed here")
                        .label(e.span, "not a sketch")
                        .help("forms: `?`, `app f x`, `\\ s`, primitives, literals, `contains s`, `onlyContains s`, `s or s`, `s : t`"),
                );
                SketchKind::Any
            }
        }
    }

    fn part(&self, kind: SketchKind, e: &Expr, env: &Rc<Env>) -> Sketch {
        let (span, label) = match &env.origin {
            Some(origin) => origin.clone(),
            None => (e.span, label(e)),
        };
        Sketch { kind, span, label }
    }

    /// The environment in which names are variables of a function.
    fn with_variables(&self, patterns: &[crate::syntax::tree::Pat], env: &Rc<Env>) -> Rc<Env> {
        use crate::syntax::tree::PatKind;
        let mut params = env.params.clone();
        for p in patterns {
            if let PatKind::Name(name) = &p.kind {
                params.retain(|(n, _)| n != name);
                params.push((name.clone(), Argument::Variable));
            }
        }
        Rc::new(Env {
            params,
            origin: env.origin.clone(),
        })
    }

    fn alternatives(&mut self, e: &Expr, env: &Rc<Env>, out: &mut Vec<Sketch>) {
        match &e.kind {
            ExprKind::Binary(BinOp::Or, l, r) => {
                self.alternatives(l, env, out);
                self.alternatives(r, env, out);
            }
            _ => out.push(self.sketch(e, env)),
        }
    }

    fn number(&mut self, e: &Expr) -> SketchKind {
        let (sign, inner) = match &e.kind {
            ExprKind::Neg(inner) => (-1.0, inner.bare()),
            _ => (1.0, e),
        };
        let ExprKind::Number(text) = &inner.kind else {
            self.report(
                Diagnostic::new(
                    code::NOT_A_SKETCH,
                    "only a number may stand behind `-` here",
                )
                .at(e.span)
                .help("write `app neg s`"),
            );
            return SketchKind::Any;
        };
        match number::parse(text).map(|l| l.value) {
            Ok(Value::Int(i)) => SketchKind::Number(sign * i as f64),
            Ok(Value::Float(x)) => SketchKind::Number(sign * x),
            Err(_) => SketchKind::Any,
        }
    }

    fn name(&mut self, name: &str, args: &[Expr], e: &Expr, env: &Rc<Env>) -> SketchKind {
        if let Some(argument) = env.get(name) {
            if !args.is_empty() {
                return self.no_app(e, e);
            }
            return match argument.clone() {
                Argument::Given(e, env) => self.kind(&e, &env),
                Argument::Unknown => SketchKind::Any,
                Argument::Variable => {
                    self.report(
                        Diagnostic::new(
                            code::NOT_A_SKETCH,
                            format!("a sketch cannot name the variable `{name}`"),
                        )
                        .at(e.span)
                        .help("write `?`: a sketch looks at any depth, where the variable has no name"),
                    );
                    SketchKind::Any
                }
            };
        }
        match (name, args) {
            ("app", [f, x, rest @ ..]) => {
                let f = self.boxed(f, env);
                let x = self.boxed(x, env);
                let mut kind = SketchKind::App(f, x);
                for x in rest {
                    let f = Box::new(self.part(kind, e, env));
                    kind = SketchKind::App(f, self.boxed(x, env));
                }
                return kind;
            }
            ("contains", [s]) => return SketchKind::Contains(self.boxed(s, env)),
            ("onlyContains", [s]) => return SketchKind::OnlyContains(self.boxed(s, env)),
            ("true" | "false", []) => return SketchKind::Bool(name == "true"),
            _ => {}
        }
        if FORMS.contains(&name) {
            let takes = if name == "app" { "at least 2" } else { "1" };
            self.wrong_arguments(name, takes, args.len(), e, None);
            return SketchKind::Any;
        }
        if let Some(def) = self.defs.0.get(name).cloned() {
            return self.unfold(&def, args, e, env);
        }
        if let Some(op) = Op::from_name(name) {
            return match args.is_empty() {
                true => SketchKind::Prim(op, None),
                false => self.no_app(e, e),
            };
        }
        if self.sizes.contains_key(name) {
            self.report(
                Diagnostic::new(
                    code::NOT_A_SKETCH,
                    format!("`{name}` is a size, and a sketch is needed here"),
                )
                .label(e.span, "a size")
                .help("sizes stand in types, as in `n.f32`, and as arguments of definitions"),
            );
            return SketchKind::Any;
        }
        let defs = self.defs.0.keys().map(|s| &**s);
        let params = env.params.iter().map(|p| &*p.0);
        let prims = Op::ALL.iter().map(|op| op.name());
        let known: Vec<&str> = params.chain(defs).chain(FORMS).chain(prims).collect();
        let span = match &e.kind {
            ExprKind::App(f, _) => f.span,
            _ => e.span,
        };
        self.report(
            Diagnostic::new(
                code::UNKNOWN_SKETCH,
                format!("there is no sketch or primitive `{name}`"),
            )
            .label(span, "not known")
            .help_near(
                name,
                known,
                "define it, or import its file: `import \"prelude.sk\"`",
            ),
        );
        SketchKind::Any
    }

    fn unfold(&mut self, def: &Rc<Def>, args: &[Expr], e: &Expr, env: &Rc<Env>) -> SketchKind {
        let names: Vec<&str> = params(def).collect();
        if names.len() != args.len() {
            self.wrong_arguments(
                &def.name.text,
                &names.len().to_string(),
                args.len(),
                e,
                Some(def.name.span),
            );
            return SketchKind::Any;
        }
        let given = args.iter().map(|a| Argument::Given(a.clone(), env.clone()));
        let inner = Rc::new(Env {
            params: names.iter().map(|n| n.to_string()).zip(given).collect(),
            origin: env.origin.clone().or_else(|| Some((e.span, label(e)))),
        });
        self.kind(&def.body, &inner)
    }

    fn wrong_arguments(
        &mut self,
        name: &str,
        takes: &str,
        given: usize,
        e: &Expr,
        declared: Option<Span>,
    ) {
        let plural = if takes == "1" { "" } else { "s" };
        let mut d = Diagnostic::new(
            code::SKETCH_ARGUMENTS,
            format!("`{name}` takes {takes} argument{plural}, {given} are given"),
        )
        .at(e.span)
        .help("put parentheses around an argument that has arguments itself");
        if let Some(span) = declared {
            d = d.also(span, "defined here");
        }
        self.report(d);
    }

    fn no_app(&mut self, at: &Expr, e: &Expr) -> SketchKind {
        let _ = at;
        self.report(
            Diagnostic::new(code::NOT_A_SKETCH, "an application is sketched with `app`")
                .at(e.span)
                .help(format!("write `app {}`", shorten(&print_expr_flat(e)))),
        );
        SketchKind::Any
    }

    fn sized(&mut self, f: &Expr, sizes: &[Expr], e: &Expr, env: &Rc<Env>) -> SketchKind {
        let op = match &f.bare().kind {
            ExprKind::Name(name) => Op::from_name(name),
            _ => None,
        };
        let Some(op) = op else {
            self.report(
                Diagnostic::new(
                    code::SIZE_ARGUMENTS,
                    "in sketches only primitives take sizes in brackets",
                )
                .at(e.span)
                .help("give a definition its sizes as arguments: `containsMap 32 s`"),
            );
            return SketchKind::Any;
        };
        if op.size_args() != sizes.len() {
            self.report(
                Diagnostic::new(
                    code::SIZE_ARGUMENTS,
                    format!(
                        "`{}` takes {} sizes, {} are given",
                        op.name(),
                        op.size_args(),
                        sizes.len()
                    ),
                )
                .at(e.span)
                .help("without brackets, any sizes will do"),
            );
            return SketchKind::Prim(op, None);
        }
        let known: Vec<Option<Nat>> = sizes.iter().map(|n| self.size(n, env, 0)).collect();
        SketchKind::Prim(op, known.into_iter().collect())
    }

    /// A size; `None` for any.
    fn size(&mut self, e: &Expr, env: &Rc<Env>, least: i64) -> Option<Nat> {
        if let ExprKind::Any | ExprKind::Hole = e.bare().kind {
            return None;
        }
        // A parameter alone may stand for any size as well.
        if let ExprKind::Name(name) = &e.bare().kind {
            match env.get(name).cloned() {
                Some(Argument::Given(inner, env)) => return self.size(&inner, &env, least),
                Some(Argument::Unknown | Argument::Variable) => return None,
                None => {}
            }
        }
        let mut sizes = self.sizes.clone();
        for name in names_in(e) {
            match env.get(&name).cloned() {
                Some(Argument::Given(inner, env)) => {
                    sizes.insert(name, self.size(&inner, &env, 0)?);
                }
                Some(Argument::Unknown | Argument::Variable) => return None,
                None if self.open => {
                    sizes
                        .entry(name)
                        .or_insert_with_key(|n| Nat::var(Symbol::new(n)));
                }
                None => {}
            }
        }
        let mut infer = Infer::new(Names {
            sizes,
            ..Names::default()
        });
        let n = infer.size_at_least(e, least);
        let fine = infer.diagnostics.is_empty();
        for mut d in std::mem::take(&mut infer.diagnostics) {
            if let (code::IMPOSSIBLE_SIZE, Some((span, _))) = (d.code, &env.origin) {
                d = d.also(*span, "used here");
            }
            self.report(d);
        }
        fine.then_some(n)
    }

    fn ty(&mut self, e: &Expr, env: &Rc<Env>) -> TyPattern {
        let pair = |a: TyPattern, b: TyPattern| TyPattern::Pair(Box::new(a), Box::new(b));
        match &e.kind {
            ExprKind::Any | ExprKind::Hole | ExprKind::Error => TyPattern::Any,
            ExprKind::Paren(inner) => self.ty(inner, env),
            ExprKind::Name(name) => {
                match env.get(name).cloned() {
                    Some(Argument::Given(inner, env)) => return self.ty(&inner, &env),
                    Some(Argument::Unknown | Argument::Variable) => return TyPattern::Any,
                    None => {}
                }
                match Scalar::from_name(name) {
                    Some(s) => TyPattern::Scalar(s),
                    None => self.not_a_type(e, Some(name)),
                }
            }
            ExprKind::Tuple(parts) => {
                let mut types: Vec<TyPattern> = parts.iter().map(|p| self.ty(p, env)).collect();
                let last = types.pop().unwrap_or(TyPattern::Any);
                types.into_iter().rev().fold(last, |t, s| pair(s, t))
            }
            ExprKind::Array(n, t) => {
                let n = self.size(n, env, 1);
                TyPattern::Array(n, Box::new(self.ty(t, env)))
            }
            ExprKind::Vector(n, t) => {
                let n = self.size(n, env, 1);
                vector(n, self.ty(t, env))
            }
            ExprKind::Binary(BinOp::Arrow, s, t) => {
                let s = self.ty(s, env);
                TyPattern::Fun(Box::new(s), Box::new(self.ty(t, env)))
            }
            ExprKind::Sizes(head, sizes)
                if sizes.len() == 1 && matches!(&head.kind, ExprKind::Name(n) if n == "idx") =>
            {
                TyPattern::Idx(self.size(&sizes[0], env, 1))
            }
            _ => self.not_a_type(e, None),
        }
    }

    fn not_a_type(&mut self, e: &Expr, name: Option<&str>) -> TyPattern {
        let d = match name {
            Some(name) if self.sizes.contains_key(name) => Diagnostic::new(
                code::NOT_A_TYPE,
                format!("`{name}` is a size, and a type is needed here"),
            )
            .label(e.span, "a size")
            .help(format!(
                "an array type ends in the type of its elements: `{name}.?`"
            )),
            Some(name) => Diagnostic::new(code::UNKNOWN_TYPE, format!("there is no type `{name}`"))
                .label(e.span, "not known")
                .help_near(
                    name,
                    Scalar::ALL.iter().map(|s| s.name()),
                    "types of sketches: `?`, `f32`, `n.t`, `(s, t)`, `<n>t`, `idx[n]`, `s -> t`",
                ),
            None => Diagnostic::new(code::NOT_A_TYPE, "a type is needed here")
                .label(e.span, "not a type")
                .help("types of sketches: `?`, `f32`, `n.t`, `(s, t)`, `<n>t`, `idx[n]`, `s -> t`"),
        };
        self.report(d);
        TyPattern::Any
    }
}

/// Vectors distribute over pairs, in patterns as in types.
fn vector(n: Option<Nat>, t: TyPattern) -> TyPattern {
    match t {
        TyPattern::Pair(a, b) => TyPattern::Pair(Box::new(vector(n, *a)), Box::new(vector(n, *b))),
        t => TyPattern::Vec(n, Box::new(t)),
    }
}

fn names_in(e: &Expr) -> Vec<String> {
    match &e.kind {
        ExprKind::Name(name) => vec![name.clone()],
        ExprKind::Paren(e) | ExprKind::Neg(e) => names_in(e),
        ExprKind::Binary(_, l, r) => [names_in(l), names_in(r)].concat(),
        ExprKind::Tuple(parts) => parts.iter().flat_map(names_in).collect(),
        ExprKind::App(f, args) => {
            let function = matches!(&f.kind, ExprKind::Name(n) if SIZE_FUNCTIONS.contains(&&**n));
            let head = if function { Vec::new() } else { names_in(f) };
            head.into_iter()
                .chain(args.iter().flat_map(names_in))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The user's words, without the inside of long arguments.
fn label(e: &Expr) -> String {
    let whole = print_expr_flat(e.bare());
    if whole.chars().count() <= 40 {
        return whole;
    }
    let ExprKind::App(f, args) = &e.bare().kind else {
        return shorten(&whole);
    };
    let mut text = shorten(&print_expr_flat(f));
    let mut cut = false;
    for a in args {
        let arg = print_expr_flat(a);
        if arg.chars().count() <= 16 {
            text = text + " " + &arg;
            cut = false;
        } else if !cut {
            text += " …";
            cut = true;
        }
    }
    text
}

fn shorten(text: &str) -> String {
    match text.chars().count() > 40 {
        true => text.chars().take(39).collect::<String>() + "…",
        false => text.to_string(),
    }
}
