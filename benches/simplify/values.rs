//! Random expressions and what they become, at random points.

use crate::dice;
use rise_opt::intern::Symbol;
use rise_opt::scalar::random::Recipe;
use rise_opt::scalar::{eval, EvalError, Kind, Value};
use rise_opt::simplify::Simplifier;
use std::time::Instant;

/// Points for each expression.
const POINTS: usize = 64;
const NAMES: [&str; 3] = ["x", "y", "z"];
const CONSTANTS: [i64; 12] = [0, 1, -1, 2, 3, 4, 5, -4, 6, 8, 16, 100];
/// Expressions of one thread: what is interned goes with it.
const AT_ONCE: u64 = 20_000;

/// Says how many are equal at every point; ends the process with 1 if one is not.
pub fn check(cases: u64) {
    let start = Instant::now();
    let (mut changed, mut overflows, mut done) = (0, 0, 0);
    while done < cases {
        let (first, count) = (done, AT_ONCE.min(cases - done));
        let thread = std::thread::Builder::new().stack_size(1 << 28);
        let part = thread.spawn(move || some(first, count)).expect("a thread");
        let part = part.join().expect("it does not panic");
        changed += part.0;
        overflows += part.1;
        done += count;
    }
    println!(
        "{cases} expressions, {changed} of them changed, equal at {POINTS} points each ({overflows} values beyond 128 bits) in {:.0} s",
        start.elapsed().as_secs_f64()
    );
}

/// How many changed, and how many values left 128 bits.
fn some(first: u64, cases: u64) -> (u64, u64) {
    let mut numbers = dice(17 + first);
    let (mut changed, mut overflows) = (0u64, 0u64);
    let mut s = Simplifier::shipped();
    for case in 0..cases {
        let kind = [Kind::Int, Kind::Int, Kind::Bool][(case % 3) as usize];
        let depth = 2 + numbers(4) as u32;
        let e = Recipe {
            dice: &mut numbers,
            names: &NAMES,
            constants: &CONSTANTS,
        }
        .scalar(kind, depth);
        let out = s.simplify(e);
        assert!(!s.exhausted(), "{e} does not end");
        changed += u64::from(out != e);
        for _ in 0..POINTS {
            let at: [i128; 3] = std::array::from_fn(|_| match numbers(8) {
                0 => i128::from(CONSTANTS[numbers(12) as usize]),
                _ => i128::from(numbers(13)) - 6,
            });
            let truths = [numbers(2) == 1, numbers(2) == 1];
            let of = |v: Symbol| match v.as_str() {
                "p" => Some(Value::Bool(truths[0])),
                "q" => Some(Value::Bool(truths[1])),
                name => NAMES
                    .iter()
                    .position(|n| *n == name)
                    .map(|i| Value::Int(at[i])),
            };
            let (before, after) = (eval(e, &of), eval(out, &of));
            overflows += u64::from(before == Err(EvalError::Overflow));
            if before != after && before != Err(EvalError::Overflow) {
                println!("{e}\n=> {out}\nat {at:?} {truths:?}: {before:?}, {after:?}");
                std::process::exit(1);
            }
        }
    }
    (changed, overflows)
}
