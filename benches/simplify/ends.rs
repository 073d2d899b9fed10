//! Whether simplifying random expressions over all operators ends, with vectors and constants that leave their range,
//! and how many steps one takes at most.

use crate::dice;
use rise_opt::scalar::random::Recipe;
use rise_opt::scalar::{parse_truth, Kind};
use rise_opt::simplify::{shipped, Simplifier};
use rise_opt::source::FileId;
use std::time::Instant;

/// Expressions that are simplified before the tables of this thread are given back with it.
const AT_ONCE: u64 = 20_000;

/// Simplifies expressions, in threads one after the other, since what is interned stays as long as its thread.
pub fn ends(cases: u64) {
    let mut dice = dice(5);
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
    let mut dice = dice(seed);
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
