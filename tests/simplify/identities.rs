//! How much of index arithmetic is simplified and decided: random expressions beside the smallest ones with the same values.
//!
//! Random terms of up to five leaves are put into buckets by their values at many points at which a guard holds. The smallest
//! of a bucket and another one are an identity: the larger is as small as known if it is simplified to no more than the smaller, and
//! decided if both are found to be equal.

use rise_opt::interp::random::Rng;
use rise_opt::scalar::{eval, parse_question, Expr, Kind, Node, Op, Sort, Value};
use rise_opt::simplify::{build, equal, shipped, Book, Simplifier};
use rise_opt::source::SourceMap;
use rise_opt::termination::greater;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What is assumed, with an expression that has all names.
const GUARDS: [&str; 9] = [
    "0 <= x",
    "x <= y",
    "x < y && y < z",
    "0 <= x && x < 8",
    "x % 4 == 0",
    "0 < z && x % z == 0",
    "0 <= x && x < y && y % 4 == 0",
    "0 <= x && x < z && 0 <= y && y < 4",
    "0 < x && 0 < y && 0 < z",
];

const POINTS: usize = 300;

/// Two expressions with the same values at all points where the facts hold.
#[derive(Clone, Debug)]
pub struct Identity {
    pub large: Expr,
    pub small: Expr,
    pub facts: Vec<Expr>,
    pub guard: &'static str,
}

fn facts(guard: &str) -> Vec<Expr> {
    if guard.is_empty() {
        return Vec::new();
    }
    let mut sources = SourceMap::new();
    let file = sources.add_text("guard", guard);
    let read = parse_question(&[(file, guard)], None).unwrap();
    read.0.into_iter().flat_map(Expr::conjuncts).collect()
}

type Point = BTreeMap<&'static str, Value>;

fn value(e: Expr, point: &Point) -> Option<Value> {
    eval(e, &|v| point.get(v.as_str()).cloned()).ok()
}

fn points(facts: &[Expr], rng: &mut Rng) -> Vec<Point> {
    let mut found = Vec::new();
    while found.len() < POINTS {
        let mut point = Point::new();
        for name in ["x", "y", "z"] {
            let n = match rng.below(6) {
                0 => rng.between(-40, 200),
                1 => 4 * rng.between(-6, 12),
                _ => rng.between(-7, 9),
            };
            point.insert(name, Value::Int(n.into()));
        }
        for name in ["p", "q"] {
            point.insert(name, Value::Bool(rng.one_in(2)));
        }
        let holds = |f: &Expr| value(*f, &point) == Some(Value::Bool(true));
        if facts.iter().all(holds) {
            found.push(point);
        }
    }
    found
}

/// Numbers of random expressions.
pub const NUMBERS: [i64; 8] = [0, 1, 1, 2, 3, 4, 8, -1];

/// A random expression with as many leaves.
fn random(kind: Kind, leaves: u64, numbers: &[i64], rng: &mut Rng) -> Expr {
    use Op::*;
    if leaves <= 1 {
        let name = |n: &str| Expr::var(rise_opt::intern::Symbol::new(n), Sort::one(kind));
        return match kind {
            Kind::Bool => name(["p", "q"][rng.below(2) as usize]),
            Kind::Int if rng.below(10) < 3 => Expr::int(*rng.pick(numbers)),
            Kind::Int => name(["x", "x", "y", "y", "z"][rng.below(5) as usize]),
        };
    }
    let ops: &[Op] = match kind {
        Kind::Int if leaves > 2 => &[
            Add, Add, Sub, Sub, Min, Max, Min, Max, Mul, Div, Mod, Select,
        ],
        Kind::Int => &[Add, Add, Sub, Sub, Min, Max, Mul, Div, Mod],
        Kind::Bool => &[Lt, Le, Eq, Ne, Lt, Le, And, Or, Not],
    };
    match *rng.pick(ops) {
        Not => build(Not, &[random(Kind::Bool, leaves, numbers, rng)]),
        Select => {
            let first = 1 + rng.below(leaves - 2);
            let second = 1 + rng.below(leaves - first - 1);
            let p = random(Kind::Bool, first, numbers, rng);
            let x = random(kind, second, numbers, rng);
            build(
                Select,
                &[p, x, random(kind, leaves - first - second, numbers, rng)],
            )
        }
        op => {
            let of = match op {
                And | Or => Kind::Bool,
                _ => Kind::Int,
            };
            let first = 1 + rng.below(leaves - 1);
            let x = random(of, first, numbers, rng);
            build(op, &[x, random(of, leaves - first, numbers, rng)])
        }
    }
}

/// As many identities of each guard that is asked for; the same for the same seed.
pub fn identities(seed: u64, guards: &[&'static str], each: usize) -> Vec<Identity> {
    identities_of(seed, guards, each, &NUMBERS)
}

fn identities_of(
    seed: u64,
    guards: &[&'static str],
    each: usize,
    numbers: &[i64],
) -> Vec<Identity> {
    let mut found = Vec::new();
    for guard in guards {
        let mut rng = Rng::new(seed);
        let facts = facts(guard);
        let points = points(&facts, &mut rng);
        let mut buckets: BTreeMap<String, Vec<Expr>> = BTreeMap::new();
        for _ in 0..each * 60 {
            let kind = if rng.one_in(3) { Kind::Bool } else { Kind::Int };
            let leaves = 1 + rng.below(5);
            let e = random(kind, leaves, numbers, &mut rng);
            let values: Option<Vec<Value>> = points.iter().map(|p| value(e, p)).collect();
            if let Some(values) = values {
                let text = |v: &Value| match v {
                    Value::Int(n) => n.to_string(),
                    Value::Bool(b) => b.to_string(),
                    Value::Vector(_) => String::new(),
                };
                let key: Vec<String> = values.iter().map(text).collect();
                let all = buckets.entry(key.join(",")).or_default();
                if !all.contains(&e) {
                    all.push(e);
                }
            }
        }
        let mut of_guard = Vec::new();
        for all in buckets.into_values().filter(|all| all.len() > 1) {
            let least = |a: Expr, b: Expr| if greater(a, b) { b } else { a };
            let small = all.iter().copied().reduce(least).unwrap();
            let larger: Vec<Expr> = (all.into_iter()).filter(|e| greater(*e, small)).collect();
            // A few of each bucket, so that what is always true does not outweigh all else.
            let few = larger.len().min(3);
            for i in 0..few {
                of_guard.push(Identity {
                    large: larger[i * larger.len() / few],
                    small,
                    facts: facts.clone(),
                    guard,
                });
            }
        }
        // Spread over all buckets.
        let step = (of_guard.len() / each.max(1)).max(1);
        found.extend(of_guard.into_iter().step_by(step).take(each));
    }
    found
}

/// How much is simplified and decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Share {
    pub all: usize,
    pub small: usize,
    pub decided: usize,
}

fn simplifier(book: &Rc<Book>, facts: &[Expr]) -> Simplifier {
    let mut simplifier = Simplifier::new(book.clone());
    facts.iter().for_each(|f| simplifier.assume(*f));
    simplifier
}

/// What simplifies and decides.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum By {
    Rules,
    /// What rules leave, cases.
    Cases,
}

/// What of these a book of rules, or cases after it, simplify and decide; what they leave goes to `open`.
pub fn share(all: &[Identity], book: &Rc<Book>, by: By, open: &mut Vec<Identity>) -> Share {
    let mut share = Share::default();
    for i in all {
        let mut simplifier = simplifier(book, &i.facts);
        let mut simple = |e: Expr| match by {
            By::Rules => simplifier.simplify(e),
            By::Cases => simplifier.simplify_by_cases(e),
        };
        let (large, small) = (simple(i.large), simple(i.small));
        let is_small = !greater(large, i.small);
        let decided = large == small
            || match by {
                By::Rules => {
                    let said = (i.large.sort() == Sort::INT)
                        .then(|| build(Op::Eq, &[i.large, i.small]))
                        .and_then(|said| simplifier.prove(said));
                    said == Some(true)
                }
                By::Cases => equal(i.large, i.small, &i.facts),
            };
        share.all += 1;
        share.small += usize::from(is_small);
        share.decided += usize::from(decided);
        if !is_small || !decided {
            open.push(i.clone());
        }
    }
    share
}

/// A line of a corpus.
fn line(e: Expr, guard: &str) -> String {
    match guard {
        "" => format!("{e}\n"),
        _ => format!("{e} where {guard}\n"),
    }
}

#[test]
fn most_identities_are_small_and_decided() {
    let mut open = Vec::new();
    let of = |all: &[Identity], by| share(all, &shipped(), by, &mut Vec::new());
    let (without, with) = (identities(7, &[""], 120), identities(7, &GUARDS, 12));
    let plain = share(&without, &shipped(), By::Rules, &mut open);
    let guarded = share(&with, &shipped(), By::Rules, &mut open);
    let (all, guarded_all) = (of(&without, By::Cases), of(&with, By::Cases));
    println!("by cases {all:?}, with guards {guarded_all:?}");
    assert!(all.small >= plain.small && all.decided * 100 >= all.all * 95);
    assert!(guarded_all.decided * 100 >= guarded_all.all * 95);
    println!("without guards {plain:?}, with guards {guarded:?}");
    assert!(plain.all == 120 && guarded.all == 108);
    assert!(plain.small * 100 >= plain.all * 70, "{open:#?}");
    assert!(plain.decided * 100 >= plain.all * 70, "{open:#?}");
    assert!(guarded.decided * 100 >= guarded.all * 60, "{open:#?}");
    // A book without rules is told from it.
    let none = share(
        &identities(7, &[""], 120),
        &Rc::new(Book::new(Vec::new())),
        By::Rules,
        &mut open,
    );
    assert!(none.small * 2 < plain.small, "{none:?}");
    let wrong = Identity {
        small: Expr::int(1),
        ..identities(7, &[""], 1).remove(0)
    };
    assert!(matches!(wrong.large.node(), Node::Apply(..)));
}

/// `SEED` says which, `CORPUS` where those that are left open are written for `rise-opt synth --from`, `RULES` which rules are applied,
/// `BY=cases` that cases come after them, `NUMBERS=4,8` with which numbers the expressions are made.
#[test]
#[ignore = "a measurement"]
fn identities_of_a_seed() {
    let of = |name: &str| std::env::var(name).ok();
    let seed = of("SEED").and_then(|s| s.parse().ok()).unwrap_or(1);
    let each = of("EACH").and_then(|s| s.parse().ok()).unwrap_or(500);
    let book = match of("RULES") {
        None => shipped(),
        Some(path) => {
            let mut sources = SourceMap::new();
            let file = sources.load(&path).unwrap();
            Rc::new(Book::new(
                rise_opt::scalar::load_rules(&sources, file).unwrap(),
            ))
        }
    };
    let by = of("BY").map_or(By::Rules, |by| match &*by {
        "cases" => By::Cases,
        _ => By::Rules,
    });
    let numbers = match of("NUMBERS") {
        None => NUMBERS.to_vec(),
        Some(all) => all
            .split(',')
            .map(|n| n.parse().expect("numbers"))
            .collect(),
    };
    let mut corpus = String::new();
    for (name, guards, each) in [("no guard", &[""][..], each), ("guards", &GUARDS, each / 9)] {
        let all = identities_of(seed, guards, each, &numbers);
        let mut open = Vec::new();
        let begun = std::time::Instant::now();
        let share = share(&all, &book, by, &mut open);
        println!(
            "{name}: {share:?}; as small {:.1}%, decided {:.1}%; {:.1} ms each",
            100.0 * share.small as f64 / share.all as f64,
            100.0 * share.decided as f64 / share.all as f64,
            begun.elapsed().as_secs_f64() * 1e3 / share.all as f64,
        );
        for i in open {
            corpus += &line(i.large, i.guard);
            if i.large.sort() == Sort::INT {
                corpus += &line(build(Op::Eq, &[i.large, i.small]), i.guard);
            }
        }
    }
    if let Some(path) = of("CORPUS") {
        std::fs::write(path, corpus).unwrap();
    }
}
