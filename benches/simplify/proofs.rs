//! The comparisons that lowering the shipped goals asks for: what the engine proves of them, and what z3 does.

use crate::common::cases::GOALS;
use crate::common::machine;
use rise_opt::exec::solver::{self, Answer, Work};
use rise_opt::index::Level;
use rise_opt::intern::Symbol;
use rise_opt::lower::lower_asking;
use rise_opt::scalar::{Expr, Node, Op, Rule};
use rise_opt::simplify::{shipped, Simplifier};
use rise_opt::source::Span;
use rise_opt::target::Target;
use rise_opt::verify::{queries, Encoding};
use std::collections::BTreeMap;
use std::time::Instant;

/// For one question.
const LIMIT: Work = Work(2);

struct Question {
    assumptions: Vec<Expr>,
    goal: Expr,
}

/// Of all goals, each once.
fn questions() -> Vec<Question> {
    let target = Target::Avx2;
    let mut all: BTreeMap<String, Question> = BTreeMap::new();
    for goal in GOALS {
        let options = goal.lowering(target, Level::default());
        let (_, asked) = lower_asking(&goal.reached(target), &options).expect("a nest");
        for a in asked.comparisons() {
            let text: Vec<String> = a.assumptions.iter().map(|e| e.to_string()).collect();
            let key = format!("{}  where {}", a.goal, text.join(" && "));
            let question = Question {
                assumptions: a.assumptions.to_vec(),
                goal: a.goal,
            };
            all.entry(key).or_insert(question);
        }
    }
    all.into_values().collect()
}

/// With names that say nothing of what they stand for.
fn renamed(e: Expr) -> Expr {
    match e.node() {
        Node::Var(v, sort) => Expr::var(Symbol::new(&format!("v{v}")), sort),
        Node::Apply(op, args) => {
            let args: Vec<Expr> = args.iter().map(|a| renamed(*a)).collect();
            Expr::of(op, &args)
        }
        _ => e,
    }
}

/// As what a solver refutes: the assumptions hold, the goal does not.
fn query(q: &Question) -> String {
    let all = q.assumptions.iter().map(|e| renamed(*e));
    let condition = all.fold(Expr::bool(true), |a, b| Expr::of(Op::And, &[a, b]));
    let rule = Rule {
        name: Symbol::new("asked"),
        lhs: renamed(q.goal),
        rhs: Expr::bool(true),
        condition,
        booleans: None,
        span: Span::default(),
        lhs_span: Span::default(),
        rhs_span: Span::default(),
        condition_span: Span::default(),
    };
    queries(&rule, Encoding::Direct)
        .unwrap_or_default()
        .concat()
}

fn ours(q: &Question) -> bool {
    let mut s = Simplifier::shipped();
    s.assume_all(&q.assumptions);
    s.prove(q.goal) == Some(true)
}

pub fn compare() {
    let Some(z3) = solver::find().into_iter().find(|s| s.name == "z3") else {
        println!("this machine has no z3");
        return;
    };
    println!("{}\n{}", machine(), z3.version);
    let _ = shipped();
    let all = questions();
    let start = Instant::now();
    let proved: Vec<bool> = all.iter().map(ours).collect();
    let own = start.elapsed().as_secs_f64();
    let empty = "(set-logic ALL)\n(assert false)\n(check-sat)\n";
    let start = Instant::now();
    (0..20).for_each(|_| drop(z3.ask(empty, LIMIT, LIMIT.patience())));
    let starting = start.elapsed().as_secs_f64() / 20.0;
    let (mut both, mut theirs, mut open) = (0, 0, Vec::new());
    let start = Instant::now();
    for (q, proved) in all.iter().zip(&proved) {
        if z3.ask(&query(q), LIMIT, LIMIT.patience()) == Answer::Unsatisfiable {
            theirs += 1;
            both += usize::from(*proved);
            if !proved {
                open.push(q);
            }
        }
    }
    let solving = start.elapsed().as_secs_f64();
    let n = all.len();
    let alone = proved.iter().filter(|p| **p).count() - both;
    let without_start = (solving - starting * n as f64).max(0.0);
    println!(
        "{n} questions; z3 proves {theirs}, of which the rules and facts prove {both}: {:.1} %",
        100.0 * both as f64 / theirs.max(1) as f64
    );
    println!("the rules and facts prove {alone} more");
    println!(
        "a question takes us {:.1} us, z3 {:.2} ms: {:.0} times as long",
        own / n as f64 * 1e6,
        solving / n as f64 * 1e3,
        solving / own
    );
    println!(
        "without starting z3, {:.2} ms each, {:.2} ms: {:.0} times",
        starting * 1e3,
        without_start / n as f64 * 1e3,
        without_start / own
    );
    for q in open {
        let text: Vec<String> = q.assumptions.iter().map(|e| e.to_string()).collect();
        println!("not proved: {}  where {}", q.goal, text.join(" && "));
    }
}
