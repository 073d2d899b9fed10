//! The comparisons that lowering the shipped goals, or all programs, asks for: what rules and cases prove of them, and what z3 does.

use crate::books;
use crate::common::cases::GOALS;
use crate::common::machine;
use rise_opt::driver::by_size::find;
use rise_opt::driver::{load, lowered, Files, Trust};
use rise_opt::exec::solver::{self, Answer, Work};
use rise_opt::index::{Level, Queries};
use rise_opt::intern::Symbol;
use rise_opt::lower::lower_asking;
use rise_opt::scalar::{Expr, Node, Op, Rule};
use rise_opt::schedule::Permits;
use rise_opt::search::Options;
use rise_opt::simplify::{shipped, Book, Simplifier};
use rise_opt::source::{files_below, SourceMap, Span};
use rise_opt::target::Target;
use rise_opt::verify::{queries, Encoding};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

/// For one question.
const LIMIT: Work = Work(2);

struct Question {
    assumptions: Vec<Expr>,
    goal: Expr,
}

/// By their texts, each once.
type Questions = BTreeMap<String, Question>;

fn take(all: &mut Questions, asked: &Queries) {
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

/// Of all goals.
fn of_goals() -> Questions {
    let target = Target::Avx2;
    let mut all = Questions::new();
    for goal in GOALS {
        let options = goal.lowering(target, Level::default());
        let (_, asked) = lower_asking(&goal.reached(target), &options).expect("a nest");
        take(&mut all, &asked);
    }
    all
}

/// Of all programs, and of how many kernels; those that are not reached soon are left out.
fn of_programs(auto: bool) -> (Questions, usize) {
    let (mut all, mut kernels) = (Questions::new(), 0);
    let mut sources = SourceMap::new();
    let sketches = below("sketches", ".sk");
    for program in below("programs", ".rise") {
        let name = Path::new(&program).file_stem();
        let own =
            (sketches.iter()).filter(|s| Path::new(s).parent().and_then(Path::file_name) == name);
        let goals = [vec![]].into_iter().chain(own.map(|s| vec![s.clone()]));
        for goal in goals {
            let files = Files {
                program: &program,
                entry: None,
                sketches: &goal,
                set: &[],
                target: Target::Avx2,
                trust: Trust::default(),
            };
            let Ok(mut input) = load(&files, &mut sources) else {
                continue;
            };
            if let Ok(done) = lowered(&input, &mut sources) {
                kernels += 1;
                take(&mut all, &done.queries);
            }
            let permits = Permits {
                reassociate: true,
                ..Permits::default()
            };
            let options = Options::default();
            if auto
                && goal.is_empty()
                && find(
                    &mut input,
                    permits,
                    Trust::default(),
                    &options,
                    &mut sources,
                )
                .is_ok()
                && !input.steps.is_empty()
            {
                if let Ok(done) = lowered(&input, &mut sources) {
                    kernels += 1;
                    take(&mut all, &done.queries);
                }
            }
        }
    }
    (all, kernels)
}

/// All files with that ending, in order.
fn below(dir: &str, end: &str) -> Vec<String> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join(dir);
    files_below(&dir, end).unwrap_or_default()
}

/// What of these is proved by the rules of some files, by the shipped ones, and by cases after them.
fn table(all: &[&Question], files: Option<&str>) {
    let count = |name: &str, proves: &dyn Fn(&Question) -> bool| {
        let start = Instant::now();
        let proved = all.iter().filter(|q| proves(q)).count();
        let each = start.elapsed().as_secs_f64() / all.len().max(1) as f64;
        let share = 100.0 * proved as f64 / all.len().max(1) as f64;
        println!(
            "| {name} | {proved} | {share:.1} % | {:.0} us |",
            each * 1e6
        );
    };
    println!(
        "| of {} that hold, decided by | | | each |\n|---|---|---|---|",
        all.len()
    );
    count("facts alone", &|q| {
        proves(Simplifier::new(Rc::new(Book::new(Vec::new()))), q)
    });
    for (name, book) in books(files) {
        count(&name, &|q| proves(Simplifier::new(book.clone()), q));
    }
    let shipped_rules = format!("{} shipped rules", shipped().rules().len());
    count(&shipped_rules, &ours);
    count(&format!("{shipped_rules} and cases"), &|q| {
        let mut s = Simplifier::shipped();
        s.assume_all(&q.assumptions);
        s.prove_by_cases(q.goal) == Some(true)
    });
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

fn proves(mut s: Simplifier, q: &Question) -> bool {
    s.assume_all(&q.assumptions);
    s.prove(q.goal) == Some(true)
}

fn ours(q: &Question) -> bool {
    proves(Simplifier::shipped(), q)
}

/// Of the goals, or of all programs, and whether without a sketch, too.
pub fn compare(programs: Option<bool>, files: Option<&str>) {
    let Some(z3) = solver::find().into_iter().find(|s| s.name == "z3") else {
        println!("this machine has no z3");
        return;
    };
    println!("{}\n{}", machine(), z3.version);
    let _ = shipped();
    let all = match programs {
        None => of_goals(),
        Some(auto) => {
            let (all, kernels) = of_programs(auto);
            println!("{kernels} kernels");
            all
        }
    };
    let all: Vec<Question> = all.into_values().collect();
    let start = Instant::now();
    let proved: Vec<bool> = all.iter().map(ours).collect();
    let own = start.elapsed().as_secs_f64();
    let empty = "(set-logic ALL)\n(assert false)\n(check-sat)\n";
    let start = Instant::now();
    (0..20).for_each(|_| drop(z3.ask(empty, LIMIT, LIMIT.patience())));
    let starting = start.elapsed().as_secs_f64() / 20.0;
    let (mut both, mut theirs, mut open) = (0, 0, Vec::new());
    let mut hold = Vec::new();
    let start = Instant::now();
    for (q, proved) in all.iter().zip(&proved) {
        let theirs_too = z3.ask(&query(q), LIMIT, LIMIT.patience()) == Answer::Unsatisfiable;
        if *proved || theirs_too {
            hold.push(q);
        }
        if theirs_too {
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
    table(&hold, files);
    for q in open {
        let text: Vec<String> = q.assumptions.iter().map(|e| e.to_string()).collect();
        println!("not proved: {}  where {}", q.goal, text.join(" && "));
    }
}
