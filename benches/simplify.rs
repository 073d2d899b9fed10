//! How fast rules are tried and applied: random expressions under assumptions, each new; and whether all ends.
//!
//! `cargo bench --bench simplify`, `-- --cases N`; `-- --ends N` simplifies as many expressions over all
//! operators, with vectors and constants that leave their range, and says the most steps that one took.

use rise_opt::intern::Symbol;
use rise_opt::scalar::random::Recipe;
use rise_opt::scalar::{parse_truth, Expr, Kind, Op, Sort};
use rise_opt::simplify::{shipped, Simplifier};
use rise_opt::source::FileId;
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let number = |flag: &str| -> Option<u64> {
        let given = args.iter().position(|a| a == flag)?;
        args.get(given + 1)?.parse().ok()
    };
    let mut state = 5u64;
    let mut dice = move |k: u64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) % k
    };
    if let Some(cases) = number("--ends") {
        return ends(cases, &mut dice);
    }
    let cases = number("--cases").unwrap_or(20_000);
    let expressions: Vec<Expr> = (0..cases).map(|_| random(&mut dice, 5)).collect();
    println!("assumptions, expressions, seconds, candidates/s, rules of the root/s, steps/s");
    for assumed in ["true", "0 <= x && x < 32 && 0 <= y && y < n && n % 32 == 0"] {
        let truth = parse_truth(FileId(0), assumed).expect("a truth");
        let mut s = Simplifier::new(shipped());
        s.assume(truth);
        s.record();
        let start = Instant::now();
        for e in &expressions {
            s.simplify(*e);
        }
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{assumed}, {cases}, {seconds:.2}, {:.2e}, {:.2e}, {:.2e}",
            s.attempts() as f64 / seconds,
            s.considered() as f64 / seconds,
            s.steps().len() as f64 / seconds
        );
    }
}

/// Expressions that are simplified before the tables of this thread are given back with it.
const AT_ONCE: u64 = 20_000;

/// Simplifies expressions, in threads one after the other, since what is interned stays as long as its thread.
fn ends(cases: u64, dice: &mut impl FnMut(u64) -> u64) {
    let start = Instant::now();
    let (mut steps, mut most, mut exhausted, mut done) = (0, 0, 0u64, 0);
    while done < cases {
        let (seed, count) = (dice(1 << 31), AT_ONCE.min(cases - done));
        let part = std::thread::Builder::new()
            .stack_size(1 << 28)
            .spawn(move || some_end(seed, count))
            .expect("a thread")
            .join()
            .expect("it does not panic");
        steps += part.0;
        most = most.max(part.1);
        exhausted += part.2;
        done += count;
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("expressions, seconds, steps, most steps of one, not at their end");
    println!("{cases}, {seconds:.0}, {steps}, {most}, {exhausted}");
    assert_eq!(exhausted, 0, "some do not end");
}

/// Steps, the most of one expression, and how many did not end.
fn some_end(seed: u64, cases: u64) -> (usize, usize, u64) {
    let mut state = seed;
    let mut dice = move |k: u64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) % k
    };
    let mut recipe = Recipe {
        dice: &mut dice,
        names: &["x", "y", "n"],
        constants: &[
            0,
            1,
            -1,
            2,
            -2,
            3,
            -5,
            8,
            16,
            i64::MAX,
            -i64::MAX,
            i64::MAX - 1,
            1 << 40,
        ],
    };
    let assumed = ["true", "0 <= x && x < 32 && 0 <= y && y < n && n % 32 == 0"];
    let truths = assumed.map(|a| parse_truth(FileId(0), a).expect("a truth"));
    let (mut steps, mut most, mut exhausted) = (0, 0, 0);
    for (t, truth) in (0..).zip(truths) {
        let mut s = Simplifier::new(shipped());
        s.assume(truth);
        s.record();
        let mut before = s.steps().len();
        for i in 0..(cases + 1 - t) / 2 {
            let kind = [Kind::Int, Kind::Bool][(i % 3 == 0) as usize];
            let depth = 2 + (recipe.dice)(4) as u32;
            let e = match i % 4 {
                0 => recipe.vector(kind, depth),
                _ => recipe.scalar(kind, depth),
            };
            s.simplify(e);
            most = most.max(s.steps().len() - before);
            before = s.steps().len();
        }
        steps += s.steps().len();
        exhausted += u64::from(s.exhausted());
    }
    (steps, most, exhausted)
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
