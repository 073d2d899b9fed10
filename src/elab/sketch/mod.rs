//! Sketches: definitions put in, names resolved, and whether any program can satisfy them.
//!
//! In: an expression, the definitions and sizes in scope. Out: a `Sketch`. The argument of a definition is read
//! where its parameter stands: as a size, a type or a sketch, whichever the place needs. Every part keeps
//! the place and the words of the outermost use, which is what a user can look at and change.

mod defs;
mod label;
mod text;
mod types;
mod words;

pub use defs::Defs;
pub use text::{plain_sketch_text, size_text, sketch_text};
pub use types::names_in;

use defs::params;
use label::{label, shorten};

use super::book::Sizes;
use super::infer::operation;
use super::output::{Sketch, SketchKind, Words};
use crate::arith::Nat;
use crate::diag::{code, Diagnostic};
use crate::source::{self, Span};
use crate::syntax::number::{self, Value};
use crate::syntax::tree::{BinOp, Def, Expr, ExprKind};
use crate::syntax::{print_expr_flat, Dialect, MAX_DEPTH};
use crate::term::Op;
use std::rc::Rc;

/// The words of the language of sketches.
const FORMS: [&str; 7] = [
    "app",
    "contains",
    "onlyContains",
    "none",
    "every",
    "written",
    "cheapest",
];

/// Unfolding stops here; definitions can double a sketch at every level.
const MAX_PARTS: usize = 10_000;

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
        spoken: true,
        diagnostics,
        parts: 0,
        depth: 0,
    };
    let s = reader.sketch(e, &Rc::new(Env::default()));
    s.kind
        .children()
        .into_iter()
        .for_each(|c| refuse_cheapest(c, diagnostics));
    if diagnostics.len() == before {
        super::possible::check(&s, diagnostics);
    }
    (diagnostics.len() == before).then_some(s)
}

/// How long to search is no question to a part.
fn refuse_cheapest(s: &Sketch, diagnostics: &mut Vec<Diagnostic>) {
    if let SketchKind::Cheapest(_) = s.kind {
        let text = "`cheapest` can only be the whole sketch of a step";
        diagnostics.push(
            Diagnostic::new(code::NOT_A_SKETCH, text)
                .label(s.span, "inside of another sketch")
                .help("write `sketch cheapest (…)`, with the other sketch inside"),
        );
    }
    for child in s.kind.children() {
        refuse_cheapest(child, diagnostics);
    }
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
    /// Whether parts keep the user's words: nobody asks for those of a sketch that is only checked, and printing them takes most
    /// of the time of reading it.
    spoken: bool,
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
        match &env.origin {
            Some((span, label)) => Sketch {
                kind,
                span: *span,
                label: label.clone(),
                words: Words::default(),
            },
            None => Sketch {
                span: e.bare().span,
                label: self.label(e),
                words: match self.spoken {
                    true => words::words(e, &kind),
                    false => Words::default(),
                },
                kind,
            },
        }
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
                    SketchKind::Lam(Box::new(self.part(kind, e, env)))
                })
            }
            ExprKind::Annot(inner, t) => {
                let inner = self.boxed(inner, env);
                SketchKind::Typed(inner, self.ty(t, env))
            }
            ExprKind::Binary(BinOp::Or, ..) => {
                let mut all = Vec::new();
                self.operands(BinOp::Or, e, env, &mut all);
                SketchKind::Or(all)
            }
            ExprKind::Binary(BinOp::And, ..) => {
                let mut all = Vec::new();
                self.operands(BinOp::And, e, env, &mut all);
                SketchKind::And(all)
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
                        .help("forms: `?`, `app f x`, `\\ s`, primitives, literals, `contains s`, `onlyContains s`, `none s`, `every s t`, `written s`, `cheapest`, `s or s`, `s and s`, `s : t`"),
                );
                SketchKind::Any
            }
        }
    }

    fn label(&self, e: &Expr) -> String {
        match self.spoken {
            true => label(e),
            false => String::new(),
        }
    }

    fn part(&self, kind: SketchKind, e: &Expr, env: &Rc<Env>) -> Sketch {
        let (span, label) = match &env.origin {
            Some(origin) => origin.clone(),
            None => (e.bare().span, self.label(e)),
        };
        Sketch {
            kind,
            span,
            label,
            words: Words::default(),
        }
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

    /// All operands of a chain of one operator.
    fn operands(&mut self, op: BinOp, e: &Expr, env: &Rc<Env>, out: &mut Vec<Sketch>) {
        match &e.kind {
            ExprKind::Binary(own, l, r) if *own == op => {
                self.operands(op, l, env, out);
                self.operands(op, r, env, out);
            }
            _ => out.push(self.sketch(e, env)),
        }
    }

    /// Where nothing is written is not decided.
    fn refuse_positions(&mut self, s: &Sketch) {
        if let SketchKind::Written(_) = s.kind {
            self.report(
                Diagnostic::new(code::NOT_A_SKETCH, "`written` cannot be asked of no part")
                    .label(s.span, "in `none`, or the first of `every`")
                    .help("say what is to be written instead: `written s`"),
            );
        }
        for child in s.kind.children() {
            self.refuse_positions(child);
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
        if let Some(form) = self.form(name, args, e, env) {
            return form;
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
        self.no_such_name(name, e, env);
        SketchKind::Any
    }

    /// One of the forms of sketches; an error and `?` for one with too few or too many arguments.
    fn form(&mut self, name: &str, args: &[Expr], e: &Expr, env: &Rc<Env>) -> Option<SketchKind> {
        match (name, args) {
            ("app", [f, x, rest @ ..]) => {
                let f = self.boxed(f, env);
                let x = self.boxed(x, env);
                let mut kind = SketchKind::App(f, x);
                for x in rest {
                    let f = Box::new(self.part(kind, e, env));
                    kind = SketchKind::App(f, self.boxed(x, env));
                }
                Some(kind)
            }
            ("contains", [s]) => Some(SketchKind::Contains(self.boxed(s, env))),
            ("onlyContains", [s]) => Some(SketchKind::OnlyContains(self.boxed(s, env))),
            ("none", [s]) => {
                let s = self.boxed(s, env);
                self.refuse_positions(&s);
                Some(SketchKind::None(s))
            }
            ("every", [s, t]) => {
                let s = self.boxed(s, env);
                self.refuse_positions(&s);
                Some(SketchKind::Every(s, self.boxed(t, env)))
            }
            ("written", [s]) => Some(SketchKind::Written(self.boxed(s, env))),
            ("cheapest", [] | [_]) => {
                let s = match args {
                    [s] => self.boxed(s, env),
                    _ => Box::new(self.part(SketchKind::Any, e, env)),
                };
                Some(SketchKind::Cheapest(s))
            }
            ("true" | "false", []) => Some(SketchKind::Bool(name == "true")),
            _ if FORMS.contains(&name) => {
                let takes = match name {
                    "app" => "at least 2",
                    "every" => "2",
                    "cheapest" => "0 or 1",
                    _ => "1",
                };
                self.wrong_arguments(name, takes, args.len(), e, None);
                Some(SketchKind::Any)
            }
            _ => None,
        }
    }

    fn no_such_name(&mut self, name: &str, e: &Expr, env: &Rc<Env>) {
        let defs = self.defs.0.keys().map(|s| &**s);
        let params = env.params.iter().map(|p| &*p.0);
        let prims = Op::ALL.iter().map(|op| op.name());
        let known: Vec<&str> = params.chain(defs).chain(FORMS).chain(prims).collect();
        let span = match &e.kind {
            ExprKind::App(f, _) => f.span,
            _ => e.span,
        };
        let d = Diagnostic::new(
            code::UNKNOWN_SKETCH,
            format!("there is no sketch or primitive `{name}`"),
        )
        .label(span, "not known");
        let otherwise = "define it, or import its file: `import \"sketches/prelude.sk\"`";
        self.report(
            match source::shipped_definition(name, Dialect::Sketch.extension()) {
                Some(file) => d.help(format!(
                    "it is defined in `{file}`; write `import \"{file}\"` at the top of the file"
                )),
                None => d.help_near(name, known, otherwise),
            },
        );
    }

    fn unfold(&mut self, def: &Rc<Def>, args: &[Expr], e: &Expr, env: &Rc<Env>) -> SketchKind {
        let names: Vec<&str> = params(def).collect();
        if names.len() != args.len() {
            self.wrong_arguments(
                &def.name.text,
                &names.len().to_string(),
                args.len(),
                e,
                Some(def),
            );
            return SketchKind::Any;
        }
        let given = args.iter().map(|a| Argument::Given(a.clone(), env.clone()));
        let inner = Rc::new(Env {
            params: names.iter().map(|n| n.to_string()).zip(given).collect(),
            origin: env
                .origin
                .clone()
                .or_else(|| Some((e.bare().span, self.label(e)))),
        });
        self.kind(&def.body, &inner)
    }

    fn wrong_arguments(
        &mut self,
        name: &str,
        takes: &str,
        given: usize,
        e: &Expr,
        declared: Option<&Def>,
    ) {
        let plural = if takes == "1" { "" } else { "s" };
        let mut d = Diagnostic::new(
            code::SKETCH_ARGUMENTS,
            format!("`{name}` takes {takes} argument{plural}, {given} are given"),
        )
        .at(e.span);
        let all: Vec<&str> = match (declared, name) {
            (Some(def), _) => params(def).collect(),
            (None, "app" | "every") => vec!["s", "t"],
            (None, _) => vec!["s"],
        };
        d = match given < all.len() {
            true => d.help(format!(
                "write `{name} {}`; of a sketch `?` nothing is asked",
                all.join(" ")
            )),
            false => d.help("put parentheses around an argument that has arguments itself"),
        };
        if let Some(def) = declared {
            d = d.also(def.name.span, "defined here");
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
            ExprKind::Name(name) if name == "size" && sizes.len() == 1 => {
                let known = self.size(&sizes[0], env, 0);
                return known.map_or(SketchKind::Any, SketchKind::Size);
            }
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
}
