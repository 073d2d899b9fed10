//! Random typed programs: their loop programs are validated, or what stays open is counted. None is refuted.
//!
//! `SEEDS=first,count cargo test --test all more_random_programs_are_judged -- --ignored --nocapture` looks at more, and lists those
//! that are unknown by the obligation that is open, and one alone with its loop program.

use super::kept::changes_that_differ;
use super::QUESTIONS;
use crate::common::flow::{self, Programs};
use rise_opt::interp::generate::Generator;
use rise_opt::interp::random::Rng;
use rise_opt::lower::{lower, Options};
use rise_opt::nest::Nest;
use rise_opt::term::{normalize, Program};
use rise_opt::validate::{validate_within, Verdict};
use std::collections::BTreeMap;

/// How many are validated, and the seeds of the others, by what is open first.
#[derive(Default)]
struct Judged {
    validated: usize,
    unknown: BTreeMap<String, Vec<u64>>,
}

/// A random program and its loop program.
fn made(seed: u64) -> Option<(Program, Nest)> {
    let mut rng = Rng::new(seed);
    let options = flow::any_types(&mut rng);
    let mut program = Generator::new(&mut rng, options).program();
    program.term = normalize(&program.term);
    let lowering = flow::any_lowering(&mut rng);
    // More statements than are allowed; that nothing else is refused is seen where passes are looked at.
    let nest = lower(&program, &lowering).ok()?;
    Some((program, nest))
}

fn judged(first: u64, count: u64) -> Judged {
    let mut all = Judged::default();
    for seed in first..first + count {
        let Some((program, nest)) = made(seed) else {
            continue;
        };
        let found = validate_within(&nest, &program, &BTreeMap::new(), QUESTIONS);
        match found.verdict {
            Verdict::Validated => all.validated += 1,
            Verdict::Unknown => {
                if count == 1 {
                    println!("{program}\n{nest}");
                }
                let open = &found.tally.open[0];
                let why = format!("{}: {}", open.obligation, open.why);
                all.unknown.entry(why).or_default().push(seed);
            }
            Verdict::Refuted(how) => panic!("seed {seed}: {how:?}\n{program}\n{nest}"),
        }
    }
    all
}

/// What 16 bits hold is computed with 32, and rounded.
#[test]
fn halves_are_computed_by_way_of_f32() {
    for t in ["f16", "bf16"] {
        let text = format!(
            "def f [n : nat] (a : n.{t}) : n.{t} = a |> mapSeq (\\x -> min 2.0 (neg x * x))"
        );
        let program = crate::common::program_text(&text);
        let nest = lower(&program, &Options::default()).expect("a loop program");
        let found = validate_within(&nest, &program, &BTreeMap::new(), QUESTIONS);
        let validated = matches!(found.verdict, Verdict::Validated);
        assert!(validated, "{t}: {:?}", found.tally.open);
    }
}

/// Quotients by sizes that a choice bounds and that stand before it, indices below products of sizes, numbers that are indices, parts of a
/// state that no step changes, steps of constants, what is compared with itself, loops behind one over half of a size, factors of 1,
/// constants that are converted; rows of constant length that data says, of vectors, too, and such whose length no result has; rows that
/// tables of numbers say, stores at a minimum, arrays that are split in other places than they are stored, sizes that divide others,
/// operands that are the same or bounded by their types, states that every step only moves, or hands on from part to part, variables of which blocks have a value each, indices that reductions of constants say or choices between indices.
#[test]
fn what_was_unknown_is_validated() {
    for seed in [
        5838, 11068, 11119, 11373, 1193, 11478, 11349, 11091, 11030, 11508, 12240, 11633, 11640,
        52007, 52556, 52454, 2171, 3787, 1544, 2097, 2872, 2413, 2393, 3365, 1021, 3540, 2741,
        2710, 2378, 1904, 1837, 2607, 1103, 1157, 1234, 6784, 7289, 8414, 3529, 6070, 6045, 3812,
        3822, 1320, 2825,
    ] {
        let found = judged(seed, 1);
        assert_eq!(found.validated, 1, "{seed}: {:?}", found.unknown);
    }
}

/// Stores that begin beside their blocks or whose index is divided, results as long as products of sums, indices that tables of numbers
/// say, some of which nobody asks for, scatters of rows whose places are known, one place for all, steps that only move their state.
/// What differs is rejected.
#[test]
fn what_was_unknown_is_rejected_where_it_is_changed() {
    let mut differ = 0;
    for seed in [
        281, 840, 218, 2079, 2429, 2657, 77, 972, 1679, 722, 2120, 2375, 1606, 22, 431, 2876, 777,
    ] {
        let found = judged(seed, 1);
        assert_eq!(found.validated, 1, "{seed}: {:?}", found.unknown);
        let (program, nest) = made(seed).expect("a loop program");
        differ += changes_that_differ(&program, &nest);
    }
    assert!(differ >= 400, "{differ}");
}

/// What is read in a loop over lanes is read behind every choice that it stands in.
#[test]
fn reads_of_lanes_stay_behind_all_choices() {
    judged(51456, 1);
}

/// Most are validated.
#[test]
fn random_programs_are_not_refuted() {
    let found = judged(1, 150);
    assert!(
        found.validated > 130,
        "{}: {:?}",
        found.validated,
        found.unknown
    );
}

#[test]
#[ignore = "minutes"]
fn more_random_programs_are_judged() {
    let text = std::env::var("SEEDS").unwrap_or_else(|_| "1000,10000".into());
    let numbers: Vec<u64> = text.split(',').flat_map(|t| t.trim().parse()).collect();
    let found = judged(numbers[0], numbers[1]);
    println!("{} validated; unknown:", found.validated);
    for (why, seeds) in &found.unknown {
        println!("{:4}  {why}  {seeds:?}", seeds.len());
    }
}
