//! The goals: where to start, where to go, and by which rules.
//!
//! Terms are written once, with named binders, and put into either encoding.

use super::lambda::{Index, Lambda, Name};
use super::rules::{Encoding, Rule};
use egg::{Id, Pattern, RecExpr};
use std::ops::RangeInclusive;

/// A term with named binders.
#[derive(Clone, Debug)]
pub enum Term {
    /// A bound variable.
    Var(String),
    /// Anything else without parts.
    Constant(String),
    /// A function.
    Lam(String, Box<Term>),
    /// An application.
    App(Box<Term>, Box<Term>),
}

fn var(x: &str) -> Term {
    Term::Var(x.to_string())
}

fn constant(c: &str) -> Term {
    Term::Constant(c.to_string())
}

fn lam(x: &str, body: Term) -> Term {
    Term::Lam(x.to_string(), Box::new(body))
}

fn apps(f: Term, args: impl IntoIterator<Item = Term>) -> Term {
    let app = |f, x| Term::App(Box::new(f), Box::new(x));
    args.into_iter().fold(f, app)
}

fn call<const N: usize>(f: &str, args: [Term; N]) -> Term {
    apps(constant(f), args)
}

/// A goal.
pub struct Goal {
    /// Its name.
    pub name: String,
    /// Where to start.
    pub start: Term,
    /// Where to go.
    pub end: Term,
    /// The rules besides β and η.
    pub rules: fn(Encoding) -> Vec<Rule>,
}

impl Goal {
    /// The three of the paper.
    pub fn paper() -> Vec<Goal> {
        vec![reduction(), fission(), binomial()]
    }

    /// Start and rules in an encoding.
    pub fn start(&self, e: Encoding) -> RecExpr<Lambda> {
        let mut out = RecExpr::default();
        put(&self.start, e.names, &mut Vec::new(), &mut 0, &mut out);
        out
    }

    /// What the end looks like in an encoding: over names, whatever the names are.
    pub fn end(&self, e: Encoding) -> Pattern<Lambda> {
        let mut text = String::new();
        pattern(&self.end, e.names, &mut Vec::new(), &mut 0, &mut text);
        text.parse().expect("a pattern")
    }
}

/// Adds a term; every binder gets a name of its own.
fn put(
    t: &Term,
    names: bool,
    scope: &mut Vec<(String, u32)>,
    next: &mut u32,
    out: &mut RecExpr<Lambda>,
) -> Id {
    match t {
        Term::Var(x) => {
            let at = scope.iter().rposition(|(y, _)| x == y);
            let at = at.expect("a bound variable");
            out.add(match names {
                true => Lambda::Name(Name(scope[at].1)),
                false => Lambda::Index(Index((scope.len() - 1 - at) as u32)),
            })
        }
        Term::Constant(c) => match c.parse() {
            Ok(n) => out.add(Lambda::Number(n)),
            Err(_) => out.add(Lambda::Constant(c.as_str().into())),
        },
        Term::Lam(x, b) => {
            let name = *next;
            *next += 1;
            scope.push((x.clone(), name));
            let binder = names.then(|| out.add(Lambda::Name(Name(name))));
            let b = put(b, names, scope, next, out);
            scope.pop();
            out.add(match binder {
                Some(x) => Lambda::Fun([x, b]),
                None => Lambda::Lam([b]),
            })
        }
        Term::App(f, x) => {
            let f = put(f, names, scope, next, out);
            let x = put(x, names, scope, next, out);
            out.add(Lambda::App([f, x]))
        }
    }
}

fn pattern(
    t: &Term,
    names: bool,
    scope: &mut Vec<(String, u32)>,
    next: &mut u32,
    out: &mut String,
) {
    match t {
        Term::Var(x) => {
            let at = scope.iter().rposition(|(y, _)| x == y);
            let at = at.expect("a bound variable");
            out.push_str(&match names {
                true => format!("?n{}", scope[at].1),
                false => format!("%{}", scope.len() - 1 - at),
            });
        }
        Term::Constant(c) => out.push_str(c),
        Term::Lam(x, b) => {
            let name = *next;
            *next += 1;
            scope.push((x.clone(), name));
            out.push_str(&match names {
                true => format!("(fun ?n{name} "),
                false => "(lam ".to_string(),
            });
            pattern(b, names, scope, next, out);
            out.push(')');
            scope.pop();
        }
        Term::App(f, x) => {
            out.push_str("(app ");
            pattern(f, names, scope, next, out);
            out.push(' ');
            pattern(x, names, scope, next, out);
            out.push(')');
        }
    }
}

/// Seven functions, composed by a function that is an argument, become one.
fn reduction() -> Goal {
    let compose = lam(
        "f",
        lam("g", lam("x", apps(var("f"), [apps(var("g"), [var("x")])]))),
    );
    let add1 = lam("y", call("add", [var("y"), constant("1")]));
    let chain = (1..7).fold(var("add1"), |rest, _| {
        apps(var("compose"), [var("add1"), rest])
    });
    let sum = (0..7).fold(var("x"), |x, _| call("add", [x, constant("1")]));
    Goal {
        name: "reduction".into(),
        start: apps(lam("compose", lam("add1", chain)), [compose, add1]),
        end: lam("x", sum),
        rules: |_| Vec::new(),
    }
}

/// The loop over five functions becomes one over two and one over three.
fn fission() -> Goal {
    let chain = |fs: RangeInclusive<u32>| {
        let body = fs.fold(var("x"), |x, i| call(&format!("f{i}"), [x]));
        lam("x", body)
    };
    let first = call("map", [chain(1..=2), var("xs")]);
    Goal {
        name: "fission".into(),
        start: call("map", [chain(1..=5)]),
        end: lam("xs", call("map", [chain(3..=5), first])),
        rules: |e| vec![e.map_fusion(), e.map_fission()],
    }
}

/// A filter over 3×3 windows becomes one over columns and one over rows.
fn binomial() -> Goal {
    let slide = |x: Term| call("slide", [constant("3"), constant("1"), x]);
    let rows = call(
        "map",
        [
            apps(constant("slide"), [constant("3"), constant("1")]),
            constant("image"),
        ],
    );
    let windows = call("map", [constant("transpose"), slide(rows)]);
    let weigh = lam(
        "w",
        call(
            "dot",
            [
                call("join", [constant("weights2d")]),
                call("join", [var("w")]),
            ],
        ),
    );
    let columns = call(
        "map",
        [
            call("dot", [constant("weightsV")]),
            call("transpose", [var("rows")]),
        ],
    );
    let row = call("map", [call("dot", [constant("weightsH")]), slide(columns)]);
    Goal {
        name: "binomial".into(),
        start: call("map", [call("map", [weigh]), windows]),
        end: call("map", [lam("rows", row), slide(constant("image"))]),
        rules: binomial_rules,
    }
}

fn binomial_rules(e: Encoding) -> Vec<Rule> {
    let slide = "(app (app slide ?s) ?p)";
    let rule = |name: &str, left: &str, right: &str| {
        let put = |text: &str| text.replace("SLIDE", slide);
        e.rule(name, &put(left), &put(right), &[])
    };
    vec![
        e.map_fusion(),
        e.map_fission(),
        rule("transpose-pair", "(app transpose (app transpose ?x))", "?x"),
        rule(
            "slide-before-map",
            "(app SLIDE (app (app map ?f) ?x))",
            "(app (app map (app map ?f)) (app SLIDE ?x))",
        ),
        rule(
            "map-before-slide",
            "(app (app map (app map ?f)) (app SLIDE ?x))",
            "(app SLIDE (app (app map ?f) ?x))",
        ),
        rule(
            "map-slide-before-transpose",
            "(app transpose (app (app map SLIDE) ?x))",
            "(app (app map transpose) (app SLIDE (app transpose ?x)))",
        ),
        rule(
            "separate-rows-columns",
            "(app (app dot (app join weights2d)) (app join ?w))",
            "(app (app dot weightsV) (app (app map (app dot weightsH)) ?w))",
        ),
        rule(
            "separate-columns-rows",
            "(app (app dot (app join weights2d)) (app join ?w))",
            "(app (app dot weightsH) (app (app map (app dot weightsV)) (app transpose ?w)))",
        ),
    ]
}

/// `n` nested maps over `2 m` chained functions with `o` parameters each. Functions and parameters
/// are bound around all, or else `constants`.
pub fn family(n: usize, m: usize, o: usize, constants: bool) -> Goal {
    let name = |x: String| match constants {
        true => Term::Constant(x),
        false => Term::Var(x),
    };
    let body = |fs: RangeInclusive<usize>| {
        let chain = fs.fold(var("x"), |x, i| {
            let params = (1..=o).map(|j| name(format!("p{i}_{j}")));
            apps(name(format!("f{i}")), params.chain([x]))
        });
        (0..n).fold(lam("x", chain), |f, _| call("map", [f]))
    };
    let close = |t: Term| {
        let params = (1..=2 * m).flat_map(|i| (1..=o).map(move |j| format!("p{i}_{j}")));
        let names = (1..=2 * m).map(|i| format!("f{i}")).chain(params);
        let names: Vec<String> = names.collect();
        let names = names.iter().filter(|_| !constants);
        names.rev().fold(t, |t, x| lam(x, t))
    };
    let first = apps(body(1..=m), [var("xs")]);
    Goal {
        name: format!("{n}.{m}.{o}"),
        start: close(body(1..=2 * m)),
        end: close(lam("xs", apps(body(m + 1..=2 * m), [first]))),
        rules: |e| vec![e.map_fusion(), e.map_fission()],
    }
}
