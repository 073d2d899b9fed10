//! What the solver promises, at random expressions: equal in value, inside of an inner interval true, outside of an outer one
//! false, nothing changed by solving again; nearer, or as near, with the target.

use rise_opt::intern::Symbol;
use rise_opt::interp::random::Rng;
use rise_opt::scalar::random::Recipe;
use rise_opt::scalar::{eval, parse_truth, EvalError, Expr, Kind, Sort, Value};
use rise_opt::solve::{interval, shipped, Form, Interval, Rules, Side, Solver};
use rise_opt::source::SourceMap;
use std::rc::Rc;

const NAMES: [&str; 3] = ["x", "y", "z"];
const CONSTANTS: [i64; 12] = [0, 1, -1, 2, 3, 4, 5, -4, 6, 8, 16, 100];
/// What is assumed of every fourth expression, in turn.
const ASSUMED: [&str; 5] = [
    "0 < y",
    "0 <= y && y < 8 && 0 < z",
    "y < 0",
    "z % 4 == 0 && 0 <= z",
    "0 <= x && x < z",
];

/// What was seen.
#[derive(Default, Debug)]
pub struct Seen {
    pub cases: u64,
    pub changed: u64,
    pub solved: u64,
    pub points: u64,
    pub inside: u64,
    pub outside: u64,
    pub broken: Vec<String>,
}

impl Seen {
    pub fn add(&mut self, o: Seen) {
        self.cases += o.cases;
        self.changed += o.changed;
        self.solved += o.solved;
        self.points += o.points;
        self.inside += o.inside;
        self.outside += o.outside;
        self.broken.extend(o.broken);
    }
}

type Point = [i128; 3];

fn value(e: Expr, at: &Point, truths: [bool; 2]) -> Result<Value, EvalError> {
    eval(e, &|v: Symbol| match v.as_str() {
        "p" => Some(Value::Bool(truths[0])),
        "q" => Some(Value::Bool(truths[1])),
        name => {
            let i = NAMES.iter().position(|n| *n == name)?;
            Some(Value::Int(at[i]))
        }
    })
}

pub fn truth(text: &str) -> Expr {
    let mut sources = SourceMap::new();
    let file = sources.add_text("truth", text);
    parse_truth(file, text).unwrap()
}

/// As many expressions, the first of this number, at as many points each.
pub fn contracts(first: u64, cases: u64, points: u64, rules: &Rc<Rules>) -> Seen {
    let mut rng = Rng::new(1000 + first);
    let mut seen = Seen::default();
    for case in first..first + cases {
        let kind = if case % 4 == 0 { Kind::Int } else { Kind::Bool };
        let depth = 2 + rng.below(4) as u32;
        let mut dice = |k: u64| rng.below(k);
        let e = Recipe {
            dice: &mut dice,
            names: &NAMES,
            constants: &CONSTANTS,
        }
        .scalar(kind, depth);
        let facts = match case % 4 {
            1 => vec![truth(ASSUMED[(case / 4 % 5) as usize])],
            _ => Vec::new(),
        };
        if std::env::var("SHOW").is_ok() {
            eprintln!("{case}: {e} where {facts:?}");
        }
        one(e, &facts, points, rules, &mut rng, &mut seen);
    }
    seen
}

fn one(e: Expr, facts: &[Expr], points: u64, rules: &Rc<Rules>, rng: &mut Rng, seen: &mut Seen) {
    let mut solver = Solver::new(rules.clone(), Symbol::new("x"));
    facts.iter().for_each(|f| solver.assume(*f));
    let out = solver.solve(e);
    seen.cases += 1;
    seen.changed += u64::from(out != e);
    seen.solved += u64::from(solver.form(out) != Form::Open);
    let mut broken = |why: String| {
        seen.broken
            .push(format!("{e} where {facts:?} => {out}: {why}"))
    };
    let again = solver.solve(out);
    if again != out {
        broken(format!("and again => {again}"));
    }
    if solver.measure(out) > solver.measure(e) {
        broken("further from a solution".to_string());
    }
    let condition = e.sort() == Sort::BOOL;
    let sides =
        condition.then(|| [Side::Inner, Side::Outer].map(|side| interval(&mut solver, e, side)));
    for _ in 0..points {
        let at: Point = std::array::from_fn(|_| match rng.below(8) {
            0 => CONSTANTS[rng.below(12) as usize].into(),
            1 => rng.between(-1000, 1000).into(),
            _ => rng.between(-9, 9).into(),
        });
        let truths = [rng.one_in(2), rng.one_in(2)];
        let is = |e: Expr, t: bool| value(e, &at, truths) == Ok(Value::Bool(t));
        if !facts.iter().all(|f| is(*f, true)) || value(e, &at, truths).is_err() {
            continue;
        }
        seen.points += 1;
        let (before, after) = (value(e, &at, truths), value(out, &at, truths));
        if before != after {
            broken(format!("at {at:?} {truths:?} {before:?}, {after:?}"));
        }
        let Some([inner, outer]) = &sides else {
            continue;
        };
        if contains(inner, &at, truths) {
            seen.inside += 1;
            if !is(e, true) {
                broken(format!("at {at:?} {truths:?} false inside of {inner:?}"));
            }
        }
        if !contains(outer, &at, truths) {
            seen.outside += 1;
            if !is(e, false) {
                broken(format!("at {at:?} {truths:?} true outside of {outer:?}"));
            }
        }
    }
}

fn contains(i: &Interval, at: &Point, truths: [bool; 2]) -> bool {
    let bound = |e: Option<Expr>| match e.map(|e| value(e, at, truths)) {
        Some(Ok(Value::Int(n))) => Some(n),
        _ => None,
    };
    value(i.when, at, truths) == Ok(Value::Bool(true))
        && bound(i.lower).is_none_or(|n| n <= at[0])
        && bound(i.upper).is_none_or(|n| at[0] <= n)
}

/// With the shipped rules.
pub fn of_shipped(first: u64, cases: u64, points: u64) -> Seen {
    contracts(first, cases, points, &shipped())
}
