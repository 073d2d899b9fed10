//! Rules with a mistake put in: what a point shows to be wrong is never proved.

use crate::common::lacking;
use rise_opt::exec::solver::{self, Work};
use rise_opt::interp::random::Rng;
use rise_opt::scalar::{load_rules, Expr, Node, Op, Rule};
use rise_opt::source::SourceMap;
use rise_opt::verify::{try_points, verify, Limits, Tools, Verdict};

fn shipped() -> Vec<Rule> {
    let mut sources = SourceMap::new();
    let file = sources.load_shipped("rules/index.rules").unwrap();
    load_rules(&sources, file).unwrap_or_else(|d| panic!("{d:?}"))
}

/// What may stand in the place of an expression by one mistake at its root.
fn mistakes(e: Expr, vars: &[Expr]) -> Vec<Expr> {
    use Op::*;
    let mut found = Vec::new();
    match e.node() {
        Node::Int(n) => found.extend([n + 1, n - 1, -n].map(Expr::int)),
        Node::Bool(b) => found.push(Expr::bool(!b)),
        Node::Var(..) => found.extend(vars.iter().filter(|v| v.sort() == e.sort())),
        Node::Apply(op, args) => {
            for group in [
                &[Add, Sub, Mul, Div, Mod, Min, Max][..],
                &[Eq, Ne, Lt, Le, Gt, Ge],
                &[And, Or],
            ] {
                if group.contains(&op) {
                    found.extend(group.iter().filter_map(|o| Expr::apply(*o, &args)));
                }
            }
            if let [a, b] = args[..] {
                found.extend(Expr::apply(op, &[b, a]));
                // A conjunct is dropped.
                if op == And {
                    found.extend([a, b]);
                }
            }
            if let (Select, [b, x, y]) = (op, &args[..]) {
                found.extend(Expr::apply(op, &[*b, *y, *x]));
            }
        }
    }
    found.retain(|m| *m != e && m.sort() == e.sort());
    found
}

/// Every expression with one mistake somewhere.
fn mutants(e: Expr, vars: &[Expr]) -> Vec<Expr> {
    let mut found = mistakes(e, vars);
    if let Node::Apply(op, args) = e.node() {
        for i in 0..args.len() {
            for wrong in mutants(args[i], vars) {
                let mut args = args.to_vec();
                args[i] = wrong;
                found.extend(Expr::apply(op, &args).filter(|m| m.sort() == e.sort()));
            }
        }
    }
    found
}

/// A rule with one mistake somewhere; `None` if there is no rule of that form.
fn mutant(rule: &Rule, rng: &mut Rng) -> Option<Rule> {
    let vars: Vec<Expr> = (rule.lhs.vars().into_iter())
        .map(|(v, sort)| Expr::var(v, sort))
        .collect();
    let mut wrong = rule.clone();
    let part = match rng.below(3) {
        0 => &mut wrong.lhs,
        1 => &mut wrong.condition,
        _ => &mut wrong.rhs,
    };
    let all = mutants(*part, &vars);
    if all.is_empty() {
        return None;
    }
    *part = *rng.pick(&all);
    let bound = wrong.lhs.vars();
    let used = [wrong.rhs.vars(), wrong.condition.vars()].concat();
    let operation = matches!(wrong.lhs.node(), Node::Apply(..));
    (operation && used.iter().all(|v| bound.contains(v))).then_some(wrong)
}

/// As many mutants that a point shows to be wrong are not proved.
fn none_is_proved(wanted: usize, seed: u64, limit: Work) {
    let solvers = solver::find();
    if solvers.is_empty() {
        lacking::not_tested(
            "proofs of rules over scalars: there is no solver (Debian: package `z3`)",
        );
        return;
    }
    let rules = shipped();
    let mut rng = Rng::new(seed);
    let mut wrong = Vec::new();
    let mut made = 0;
    while wrong.len() < wanted {
        let rule = rng.pick(&rules).clone();
        let Some(mutant) = mutant(&rule, &mut rng) else {
            continue;
        };
        made += 1;
        if let Some(point) = try_points(&mutant, 1_000).differs {
            wrong.push((mutant, point));
        }
    }
    let tools = Tools {
        solvers,
        limits: Limits {
            points: 0,
            direct: limit,
            linear: limit,
            strong: Work::NONE,
            ..Limits::default()
        },
        ..Tools::default()
    };
    let (mut refuted, mut unknown) = (0, 0);
    for (mutant, point) in &wrong {
        // By itself: nothing stands before it.
        let found = verify(std::slice::from_ref(mutant), &[0], &tools, &mut |_, _| {});
        match &found.verdicts[0] {
            Verdict::Refuted(_) => refuted += 1,
            Verdict::Unknown(_) => unknown += 1,
            Verdict::Proved(p) if p.needs == ["folding"] => {}
            Verdict::Proved(p) => panic!(
                "{}: {} => {} where {} is proved by {}, but wrong at {point:?}",
                mutant.name, mutant.lhs, mutant.rhs, mutant.condition, p.by
            ),
        }
    }
    println!("{made} mutants: {wanted} wrong at a point, of these {refuted} refuted by a solver, {unknown} unknown, 0 proved");
    assert!(refuted > wanted / 2, "{refuted} of {wanted}");
}

#[test]
fn mutants_that_are_wrong_are_not_proved() {
    none_is_proved(80, 1, Work(1));
}

/// `cargo test --test all mutants:: -- --ignored --nocapture`: minutes
#[test]
#[ignore = "minutes"]
fn of_a_thousand_mutants_that_are_wrong_none_is_proved() {
    none_is_proved(1_000, 2, Work(1));
}
