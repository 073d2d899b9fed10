//! The rules of index arithmetic: how fast they are tried, what they leave of kernels, what they prove beside a solver,
//! and whether what they make is equal.

#[path = "../common/mod.rs"]
mod common;
mod ends;
mod kernels;
mod proofs;
mod values;

use common::Flags;
use rise_opt::intern::Symbol;
use rise_opt::scalar::{load_rules, parse_truth, Expr, Op, Sort};
use rise_opt::simplify::{shipped, Book, Simplifier};
use rise_opt::source::{FileId, SourceMap};
use std::rc::Rc;
use std::time::Instant;

const USAGE: &str = "\
cargo bench --bench simplify -- [FLAGS]: random expressions under assumptions, each new: rules tried and applied a second
  --cases N      expressions [20000]
  --ends N       whether simplifying N expressions over all operators ends
  --kernels      all shipped goals, lowered with `--simplify off`, `fold` and `full`: what is divided, lines of C, times
  --no-runs      with --kernels: kernels are not run
  --proofs       the comparisons that lowering the goals asks for, beside z3
  --all          with --proofs: of all programs, as they stand and by each of their sketches
  --auto         with --all: as they are scheduled without a sketch, too
  --rules A,B    by the rules of these files, too
  --values N     N random expressions at 64 points each: whether the simplified one is equal";

fn main() {
    common::main(USAGE, run);
}

fn run(flags: &Flags) {
    if flags.has("--ends") {
        return ends::ends(flags.number("--ends", 100_000));
    }
    if flags.has("--kernels") {
        return kernels::table(!flags.has("--no-runs"));
    }
    if flags.has("--proofs") {
        let programs = flags.has("--all").then(|| flags.has("--auto"));
        return proofs::compare(programs, flags.value("--rules"));
    }
    if flags.has("--values") {
        return values::check(flags.number("--values", 1_000_000));
    }
    speed(flags.number("--cases", 20_000), flags.value("--rules"));
}

/// Numbers that a seed gives.
fn dice(mut state: u64) -> impl FnMut(u64) -> u64 {
    move |k: u64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) % k
    }
}

/// Each round, all rules in turn.
const ROUNDS: usize = 5;

fn speed(cases: u64, files: Option<&str>) {
    let mut dice = dice(5);
    let expressions: Vec<Expr> = (0..cases).map(|_| random(&mut dice, 5)).collect();
    let mut books = books(files);
    books.push((format!("{} shipped", shipped().rules().len()), shipped()));
    println!(
        "rules, assumptions, expressions, seconds (least of {ROUNDS}), candidates/s, rules of the root/s, steps/s"
    );
    for assumed in ["true", "0 <= x && x < 32 && 0 <= y && y < n && n % 32 == 0"] {
        let truth = parse_truth(FileId(0), assumed).expect("a truth");
        let mut least: Vec<Option<(f64, Simplifier)>> = books.iter().map(|_| None).collect();
        for _ in 0..ROUNDS {
            for ((_, book), least) in books.iter().zip(&mut least) {
                let mut s = Simplifier::new(book.clone());
                s.assume(truth);
                s.record();
                let start = Instant::now();
                for e in &expressions {
                    s.simplify(*e);
                }
                let seconds = start.elapsed().as_secs_f64();
                if least.as_ref().is_none_or(|l| seconds < l.0) {
                    *least = Some((seconds, s));
                }
            }
        }
        for ((name, _), least) in books.iter().zip(least) {
            let (seconds, s) = least.expect("a round");
            println!(
                "{name}, {assumed}, {cases}, {seconds:.2}, {:.2e}, {:.2e}, {:.2e}",
                s.attempts() as f64 / seconds,
                s.considered() as f64 / seconds,
                s.steps().len() as f64 / seconds
            );
        }
    }
}

/// The rules of some files.
fn books(files: Option<&str>) -> Vec<(String, Rc<Book>)> {
    let read = |path: &str| {
        let mut sources = SourceMap::new();
        let file = sources.load(path).expect("a file of rules");
        let rules = load_rules(&sources, file).expect("rules");
        (
            format!("{} of {path}", rules.len()),
            Rc::new(Book::new(rules)),
        )
    };
    files
        .into_iter()
        .flat_map(|f| f.split(','))
        .map(read)
        .collect()
}

fn random(dice: &mut impl FnMut(u64) -> u64, depth: u32) -> Expr {
    if depth == 0 || dice(6) == 0 {
        return match dice(3) {
            0 => Expr::int(dice(64) as i64 - 16),
            _ => Expr::var(Symbol::new(["x", "y", "n"][dice(3) as usize]), Sort::INT),
        };
    }
    use Op::*;
    let op = [Add, Sub, Mul, Div, Mod, Min, Max][dice(7) as usize];
    let a = random(dice, depth - 1);
    Expr::of(op, &[a, random(dice, depth - 1)])
}
