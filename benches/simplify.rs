//! How fast rules are tried and applied: random expressions under assumptions, each new.
//!
//! `cargo bench --bench simplify`, `-- --cases N`.

use rise_opt::intern::Symbol;
use rise_opt::scalar::{parse_truth, Expr, Op, Sort};
use rise_opt::simplify::{shipped, Simplifier};
use rise_opt::source::FileId;
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let given = args.iter().position(|a| a == "--cases");
    let cases: u64 = given
        .and_then(|i| args.get(i + 1)?.parse().ok())
        .unwrap_or(20_000);
    let mut state = 5u64;
    let mut dice = move |k: u64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) % k
    };
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
