//! What is said of a case holds at every point that is in it, and every point is in one.

mod poly;

use poly::value_of;
use rise_opt::intern::Symbol;
use rise_opt::scalar::{load_rules, Expr, Kind, Op, Rule, Value};
use rise_opt::simplify;
use rise_opt::source::SourceMap;
use rise_opt::verify::case_split::{facts, Reach};
use rise_opt::verify::cases::{cases, Case, Meaning, Names, Rests};
use rise_opt::verify::formula::Formula;
use rise_opt::verify::points::random;
use rise_opt::verify::poly::{Atom, Poly};
use rise_opt::verify::*;

fn shipped() -> Vec<Rule> {
    let mut sources = SourceMap::new();
    let file = sources.load_shipped(simplify::RULES).unwrap();
    load_rules(&sources, file).unwrap_or_else(|d| panic!("{d:?}"))
}

/// The value of an atom at a point, in a lane.
fn value(names: &Names, a: Atom, point: &Point, lane: usize) -> Option<i128> {
    let of = |p: &Poly| value_of(p, &|a| value(names, a, point, lane));
    match names.meaning(a) {
        Meaning::Lane => Some(lane as i128),
        Meaning::Var(v) => match in_lane(point.get(v)?, lane) {
            Value::Int(n) => Some(n),
            _ => None,
        },
        Meaning::InLane(v, at) => match in_lane(point.get(v)?, of(at)? as usize) {
            Value::Int(n) => Some(n),
            _ => None,
        },
        Meaning::Quotient(x, d) | Meaning::Exact(x, d) => match of(d)? {
            0 => Some(0),
            d => Some(of(x)?.div_euclid(d)),
        },
    }
}

fn in_lane(v: &Value, lane: usize) -> Value {
    match v {
        Value::Vector(all) => all[lane].clone(),
        one => one.clone(),
    }
}

/// Whether a statement holds where atoms and variables have these values.
fn holds_at(
    f: &Formula,
    at: &dyn Fn(Atom) -> Option<i128>,
    bools: &dyn Fn(Symbol) -> Option<bool>,
) -> Option<bool> {
    use Formula::*;
    let holds = |f| holds_at(f, at, bools);
    Some(match f {
        Truth(b) => *b,
        Bool(v) => bools(*v)?,
        Positive(p) => value_of(p, at)? > 0,
        Zero(p) => value_of(p, at)? == 0,
        Not(f) => !holds(f)?,
        And(f, g) => holds(f)? && holds(g)?,
        Or(f, g) => holds(f)? || holds(g)?,
        Same(f, g) => holds(f)? == holds(g)?,
    })
}

/// Whether all that a case says holds at a point; `None` where numbers are too large.
fn holds(names: &Names, case: &Case, point: &Point, lane: usize) -> Option<bool> {
    let at = |a| value(names, a, point, lane);
    let bools = |v: Symbol| {
        let other = names.truths().iter().find(|t| t.0 == v);
        let (v, lane) = match other {
            Some((_, v, lane)) => (*v, value_of(lane, &at)? as usize),
            None => (v, lane),
        };
        match point.get(&v).map(|x| in_lane(x, lane)) {
            Some(Value::Bool(b)) => Some(b),
            _ => None,
        }
    };
    let assumed = |f: &Formula| holds_at(f, &at, &bools);
    for f in case.known.iter().chain([&case.goal]) {
        if !assumed(f)? {
            return Some(false);
        }
    }
    for reach in [Reach::NEAR, Reach::FAR] {
        for f in facts(case, &reach)? {
            assert!(assumed(&f)?, "{f:?} at {point:?}\n{case:?}");
        }
    }
    Some(true)
}

/// The rule with a right side that is wrong wherever the rule is right.
fn wrong(rule: &Rule) -> Rule {
    let mut rule = rule.clone();
    let one = match rule.lhs.sort().lanes {
        rise_opt::scalar::Lanes::One => Expr::int(1),
        lanes => Expr::of(Op::Broadcast, &[Expr::int(1), lanes.expr()]),
    };
    rule.rhs = match rule.rhs.sort().kind {
        Kind::Bool => Expr::of(Op::Not, &[rule.rhs]),
        Kind::Int => Expr::of(Op::Add, &[rule.rhs, one]),
    };
    rule
}

/// Rules whose dividends hold products, which the shipped ones do not.
const PRODUCTS: &str = "domain scalar
rule a  x * x % 4 => x % 4 * x % 4
rule b  (x * x + x) % 2 => 0
rule c  x * y / 3 + y % 3 => y * x / 3 + y % 3
rule d  x * x % 5 + z / 4 => x * x % 5 + z / 4  where prove(x % 5 == 2)
rule f  x * x / 2 / 3 + x / 2 / 3 => x * x / 6 + x / 6
rule e  (x * y + c0) / 2 % 3 => (y * x + c0) / 2 % 3  where c0 == 5
";

#[test]
fn a_point_where_sides_differ_is_in_a_case_and_all_that_is_said_there_holds() {
    let mut sources = SourceMap::new();
    let file = sources.add_text("products.rules", PRODUCTS);
    let products = load_rules(&sources, file).unwrap_or_else(|d| panic!("{d:?}"));
    let (mut rules, mut points) = (0, 0);
    for rule in shipped().into_iter().chain(products) {
        let rule = wrong(&rule);
        for rests in [Rests::Together, Rests::Apart] {
            let seen = points_are_in_cases(&rule, rests);
            rules += u32::from(seen > 0);
            points += seen;
        }
    }
    assert!(
        rules > 1_100 && points > 10_000,
        "{rules} rules, {points} points"
    );
}

/// How many points were looked at.
fn points_are_in_cases(rule: &Rule, rests: Rests) -> u32 {
    let (names, cases) = cases(rule, rests).expect("few cases");
    let (mut seen, mut points) = (0, 0);
    for (point, lanes) in random(rule, 400) {
        if differs_at(rule, &point) != Some(true) || seen == 12 {
            continue;
        }
        seen += 1;
        for lane in 0..lanes {
            let all: Option<Vec<bool>> = cases
                .iter()
                .map(|c| holds(&names, c, &point, lane))
                .collect();
            let Some(all) = all else { continue };
            let found = all.iter().filter(|b| **b).count();
            assert_eq!(found, 1, "{}: {point:?}, lane {lane}", rule.name);
            points += 1;
        }
    }
    points
}

#[test]
fn keys_tell_statements_apart_and_nothing_else() {
    let keys: std::collections::BTreeSet<String> = shipped().iter().map(key).collect();
    let rules = shipped();
    assert_eq!(
        keys.len(),
        rules.len(),
        "no two shipped rules are one statement"
    );
    let mut renamed = rules[0].clone();
    renamed.name = rise_opt::intern::Symbol::new("other");
    assert_eq!(key(&renamed), key(&rules[0]));
    let mut other = rules[0].clone();
    other.condition = Expr::bool(false);
    assert_ne!(key(&other), key(&rules[0]));
}
