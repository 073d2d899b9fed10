//! How many expressions of a corpus are solved, by rules found in several ways, of those that random testing says can be.

use crate::common::solve_contracts::truth;
use rise_opt::exec::solver::{self, Work};
use rise_opt::intern::Symbol;
use rise_opt::interp::random::Rng;
use rise_opt::scalar::{eval, Expr, Kind, Op, Rule, Sort, Value};
use rise_opt::simplify::build;
use rise_opt::solve::{shipped_list, Form, Order, Rules, Solver};
use rise_opt::synth::{minimise, synthesise_solver, Aim, Options, Question};
use rise_opt::verify::{Limits, Tools};
use std::collections::BTreeMap;
use std::process::Command;
use std::rc::Rc;

/// Points of everything but x, and values of x at each.
const ROWS: usize = 12;
const FEWEST_ROWS: usize = 5;
const FEWEST_VALUES: usize = 5;

fn x() -> Symbol {
    Symbol::new("x")
}

/// The values of an expression for several x, once for each point of all else at which the facts hold.
fn samples(q: &Question) -> Vec<Vec<(i128, i128)>> {
    let mut vars: Vec<(Symbol, Sort)> = Vec::new();
    for e in q.facts.iter().chain([&q.e]) {
        vars.extend(e.vars());
    }
    vars.sort_by_key(|v| v.0.as_str().to_string());
    vars.dedup();
    let mut rng = Rng::new(9);
    let mut rows = Vec::new();
    for _ in 0..300 {
        if rows.len() == ROWS {
            break;
        }
        let mut at: BTreeMap<Symbol, Value> = BTreeMap::new();
        for (v, sort) in &vars {
            let n = match rng.below(8) {
                0 => rng.between(-20, 60),
                1 | 2 => rng.between(-6, 3),
                _ => rng.between(0, 14),
            };
            let value = match sort.kind {
                Kind::Int => Value::Int(n.into()),
                Kind::Bool => Value::Bool(n % 2 == 0),
            };
            at.insert(*v, value);
        }
        let mut row = Vec::new();
        let with_x = |f: &&Expr| f.vars().iter().any(|v| v.0 == x());
        let (inner, outer): (Vec<&Expr>, Vec<&Expr>) = q.facts.iter().partition(with_x);
        let holds = |f: &&Expr, at: &BTreeMap<Symbol, Value>| {
            eval(**f, &|v| at.get(&v).cloned()) == Ok(Value::Bool(true))
        };
        if !outer.iter().all(|f| holds(f, &at)) {
            continue;
        }
        for n in (-8..=24).chain([32, 40, 64, 100]) {
            at.insert(x(), Value::Int(n));
            let value = |e: Expr| eval(e, &|v| at.get(&v).cloned());
            if inner.iter().all(|f| holds(f, &at)) {
                row.extend(match value(q.e) {
                    Ok(Value::Int(k)) => Some((n, k)),
                    Ok(Value::Bool(b)) => Some((n, b.into())),
                    _ => None,
                });
            }
        }
        if row.len() >= FEWEST_VALUES {
            rows.push(row);
        }
    }
    rows
}

/// What is asked of the values and results of a row.
type Holds<'a> = dyn Fn(&[(i128, i128)]) -> bool + 'a;

/// Whether each row agrees with one operator and a number of its own. Where no value tells, it is taken to.
fn may_be_solved(q: &Question) -> bool {
    let rows = samples(q);
    if rows.len() < FEWEST_ROWS {
        return false;
    }
    let all = |f: &Holds<'_>| rows.iter().all(|r| f(r));
    let same = |r: &[(i128, i128)], f: &dyn Fn(i128, i128) -> i128| {
        let first = f(r[0].0, r[0].1);
        r.iter().all(|(x, e)| f(*x, *e) == first)
    };
    let steps = |r: &[(i128, i128)]| r.windows(2).filter(|w| w[0].1 != w[1].1).count();
    if all(&|r| same(r, &|_, e| e)) || all(&|r| same(r, &|x, e| e - x)) {
        return true;
    }
    if q.e.sort().kind == Kind::Bool {
        let ones = |r: &[(i128, i128)], n| r.iter().filter(|v| v.1 == n).count() <= 1;
        return all(&|r| steps(r) == 0 || steps(r) == 1 && r[0].1 == 1)
            || all(&|r| steps(r) == 0 || steps(r) == 1 && r[0].1 == 0)
            || all(&|r| ones(r, 1))
            || all(&|r| ones(r, 0));
    }
    let exists = |r: &[(i128, i128)], f: &dyn Fn(i128, i128) -> i128| {
        (-130..=130).any(|t| r.iter().all(|(x, e)| f(*x, t) == *e))
    };
    let div = |x: i128, t: i128| if t == 0 { 0 } else { x.div_euclid(t) };
    let rest = |x: i128, t: i128| if t == 0 { 0 } else { x.rem_euclid(t) };
    all(&|r| exists(r, &|x, t| x * t))
        || all(&|r| exists(r, &div))
        || all(&|r| exists(r, &rest))
        || all(&|r| exists(r, &|x, t| x.min(t)))
        || all(&|r| exists(r, &|x, t| x.max(t)))
}

fn solved(q: &Question, rules: &Rc<Rules>) -> bool {
    let mut solver = Solver::new(rules.clone(), x());
    q.facts.iter().for_each(|f| solver.assume(*f));
    let e = solver.solve(q.e);
    solver.form(e) != Form::Open
}

/// Expressions of up to two operators over x, names and numbers.
fn small() -> Vec<Question> {
    let name = |n: &str| Expr::var(Symbol::new(n), Sort::INT);
    let leaves = [name("x"), name("a"), Expr::int(3), Expr::int(-2)];
    let ints = [Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Min, Op::Max];
    let compares = [Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne];
    let mut found = Vec::new();
    let mut inner = Vec::new();
    for op in ints {
        for a in leaves {
            for b in leaves {
                inner.push(build(op, &[a, b]));
            }
        }
    }
    for i in inner {
        for b in [name("x"), name("b"), Expr::int(5)] {
            for op in ints.into_iter().chain(compares) {
                for args in [[i, b], [b, i]] {
                    let e = build(op, &args);
                    if e.vars().iter().any(|v| v.0 == x()) {
                        for facts in [vec![], vec![truth("0 < a")]] {
                            let place = "small".to_string();
                            found.push(Question { e, facts, place });
                        }
                    }
                }
            }
        }
    }
    found
}

/// The corpus, as the command makes it.
fn corpus() -> Vec<Question> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
    command.args(["synth", "--harvest", "programs", "--for", "x"]);
    command.args(["--count", "4400", "--progress", "off"]);
    let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let mut all = Vec::new();
    for (i, line) in text.lines().enumerate().filter(|l| !l.1.starts_with("--")) {
        let (e, facts) = super::solving::question(line);
        let place = format!("corpus:{}", i + 1);
        all.push(Question { e, facts, place });
    }
    all
}

fn every(all: &[Question], n: usize) -> Vec<Question> {
    all.iter().step_by(n).cloned().collect()
}

#[test]
#[ignore = "minutes; how many expressions are solved by rules that were found in several ways"]
fn the_matrix_of_rules_of_the_solver() {
    let number = |name: &str, default: usize| {
        std::env::var(name).map_or(default, |n| n.parse().expect("a number"))
    };
    let budget = number("BUDGET", 700);
    let all = every(&corpus(), number("EACH", 1));
    let can: Vec<bool> = all.iter().map(may_be_solved).collect();
    let possible = can.iter().filter(|c| **c).count();
    println!(
        "{} expressions, {} of which may be solved",
        all.len(),
        possible
    );
    let limits = Limits {
        direct: Work(1),
        linear: Work(1),
        strong: Work::NONE,
        ..Limits::default()
    };
    let tools = Tools {
        solvers: solver::find(),
        limits,
        ..Tools::default()
    };
    let find = |from: &[Question], order: Order, budget: usize| -> Vec<Rule> {
        let aim = Aim { target: x(), order };
        let options = Options {
            budget,
            ..Options::default()
        };
        let found = synthesise_solver(from, aim, &[], &tools, &options, &mut |_| {});
        found.found.into_iter().map(|f| f.rule).collect()
    };
    let few = every(&all, all.len() / 33);
    let (some, small) = (every(&all, all.len() / 300), every(&small(), 5));
    println!("| rules found for | order | rules | solved of those that may be | solved of all |");
    println!("|---|---|---|---|---|");
    let mut union = vec![false; all.len()];
    let mut row = |name: &str, order: &str, rules: &[Rule], joins: bool| -> usize {
        let book = Rc::new(Rules::new(rules));
        let done: Vec<bool> = all.iter().map(|q| solved(q, &book)).collect();
        (0..all.len()).for_each(|i| union[i] |= done[i] && can[i] && joins);
        let of_can = (0..all.len()).filter(|i| done[*i] && can[*i]).count();
        let of_all = done.iter().filter(|d| **d).count();
        println!(
            "| {name} | {order} | {} | {of_can} | {of_all} |",
            rules.len()
        );
        of_can
    };
    row("none: the rules of index arithmetic alone", "", &[], true);
    let mut together: Vec<Rule> = Vec::new();
    for (name, from, budget) in [
        (format!("{} of these expressions", few.len()), &few, budget),
        (
            format!("{} of these expressions", some.len()),
            &some,
            budget,
        ),
        (
            format!("{} expressions of two operators", small.len()),
            &small,
            700,
        ),
    ] {
        for (order, said) in [(Order::Gradual, "gradual"), (Order::Goal, "goal")] {
            let rules = find(from, order, budget);
            row(&name, said, &rules, true);
            for rule in rules {
                let new = |r: &Rule| (r.lhs, r.condition) != (rule.lhs, rule.condition);
                if together.iter().all(new) {
                    together.push(rule);
                }
            }
        }
    }
    // One more than once under one name would hide the others from a count of uses.
    for (i, rule) in together.iter_mut().enumerate() {
        rule.name = Symbol::new(&format!("{}-{i}", rule.name));
    }
    row("all of these together", "", &together, true);
    let kept = minimise(&all, &[], &together, Some(x()), &mut |_| {});
    let kept: Vec<Rule> = kept.kept.into_iter().map(|k| k.0).collect();
    row("as few of them as do as well", "", &kept, true);
    let shipped = row("shipped", "", &shipped_list(), false);
    let any = union.iter().filter(|u| **u).count();
    println!("| any of them | | | {any} | |");
    if std::env::var("SHOW").is_ok() {
        let book = Rc::new(Rules::new(&shipped_list()));
        for (q, _) in all
            .iter()
            .zip(&can)
            .filter(|(q, c)| **c && !solved(q, &book))
        {
            println!("{}  where {:?}", q.e, q.facts);
        }
    }
    assert!(shipped * 10 >= possible * 6, "{shipped} of {possible}");
    assert!(shipped >= any, "{shipped}, {any}");
}
