//! What each level of simplification leaves of the kernels of the shipped goals.

use crate::common::cases::{sizes, Goal, GOALS};
use crate::common::{machine, program, row};
use rise_opt::emit::{self, emit, CUnit};
use rise_opt::exec::bench::{bench, Entry, Kind, Options};
use rise_opt::exec::{measure, run::HEADER, Toolchain};
use rise_opt::index::{divisions, Level};
use rise_opt::lower::{self, lower};
use rise_opt::nest::{walk, Block, Nest, Stmt};
use rise_opt::target::Target;
use std::time::Instant;

const LEVELS: [(&str, Level); 3] = [
    ("off", Level::Off),
    ("fold", Level::Fold),
    ("full", Level::Full),
];

/// A kernel, and what it took to make it, in milliseconds.
struct Made {
    unit: CUnit,
    lines: usize,
    divided: usize,
    inside: usize,
    lowering: f64,
    compiling: f64,
}

/// The least of several times, in milliseconds; each in a thread of its own, which knows no rules and no terms yet.
fn made(goal: &Goal, level: Level, target: Target) -> Made {
    let times = || {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(1 << 28);
            let one = || {
                let made = made_once(goal, level, target);
                (made.lowering, made.compiling)
            };
            let handle = thread.spawn_scoped(scope, one);
            handle.expect("a thread").join().expect("a kernel")
        })
    };
    let all: Vec<(f64, f64)> = (0..5).map(|_| times()).collect();
    let least = |of: fn(&(f64, f64)) -> f64| all.iter().map(of).fold(f64::INFINITY, f64::min);
    Made {
        lowering: least(|t| t.0),
        compiling: least(|t| t.1),
        ..made_once(goal, level, target)
    }
}

fn made_once(goal: &Goal, level: Level, target: Target) -> Made {
    let start = Instant::now();
    let found = goal.reached(target);
    let before = Instant::now();
    let nest = goal.nest_at(&found, target, level);
    let lowering = before.elapsed().as_secs_f64() * 1e3;
    let text = emit::Options {
        origin: None,
        target: Some(target),
        header_name: Some(HEADER.to_string()),
        ..emit::Options::default()
    };
    let unit = emit(&nest, &text);
    let compiling = start.elapsed().as_secs_f64() * 1e3;
    let (divided, inside) = divided(&nest);
    Made {
        lines: unit.c.lines().count(),
        unit,
        divided,
        inside,
        lowering,
        compiling,
    }
}

/// Quotients and remainders of a nest, and those in loops without loops inside.
fn divided(nest: &Nest) -> (usize, usize) {
    fn of(block: &Block) -> usize {
        let mut found = 0;
        walk::each_stmt(block, &mut |s| {
            walk::each_index(s, &mut |n| found += divisions(n))
        });
        found
    }
    let mut inside = 0;
    walk::each_stmt(&nest.body, &mut |s| {
        if let Stmt::For { body, .. } = s {
            let mut outer = false;
            walk::each_stmt(body, &mut |s| outer |= matches!(s, Stmt::For { .. }));
            inside += if outer { 0 } else { of(body) };
        }
    });
    (of(&nest.body), inside)
}

/// One line for each goal and level.
pub fn table(run: bool) {
    let tool = Toolchain::find().unwrap_or_else(|d| panic!("{}", d.message));
    println!("{}\n{}\n", machine(), tool.version);
    let mut rows = vec![row([
        "kernel",
        "level",
        "div and mod",
        "in innermost loops",
        "lines of C",
        "lowering, ms",
        "compile, ms",
        "run, ms",
    ])];
    for goal in GOALS {
        let all: Vec<Made> = (LEVELS.iter())
            .map(|(_, level)| made(goal, *level, tool.target))
            .collect();
        let times = match run {
            true => times(goal, &all, &tool),
            false => vec![String::new(); LEVELS.len()],
        };
        for (((name, _), made), time) in LEVELS.iter().zip(&all).zip(times) {
            let sketch = goal
                .sketch
                .trim_start_matches("sketches/")
                .trim_end_matches(".sk");
            let set = if goal.set.is_empty() { "" } else { ", set" };
            rows.push(vec![
                format!("{sketch}{set}"),
                name.to_string(),
                made.divided.to_string(),
                made.inside.to_string(),
                made.lines.to_string(),
                format!("{:.2}", made.lowering),
                format!("{:.1}", made.compiling),
                time,
            ]);
        }
    }
    crate::common::table(&rows);
}

/// Medians of one race for each kernel, in one thread, at a size that takes milliseconds.
fn times(goal: &Goal, all: &[Made], tool: &Toolchain) -> Vec<String> {
    let program = program(goal.program);
    let plain = lower(&program, &lower::Options::default()).expect("a nest");
    let entry = |name: &str, kind, fixed: &str, unit: CUnit| Entry {
        name: name.to_string(),
        kind,
        file: None,
        target: tool.target,
        fixed: sizes(fixed),
        unit,
        folder: None,
    };
    let text = emit::Options {
        origin: None,
        target: Some(tool.target),
        header_name: Some(HEADER.to_string()),
        ..emit::Options::default()
    };
    let unoptimised = entry("unoptimised", Kind::Unoptimised, "", emit(&plain, &text));
    let entries: Vec<Entry> = (LEVELS.iter().zip(all))
        .map(|((name, _), made)| entry(name, Kind::Sketch, goal.fixed, made.unit.clone()))
        .collect();
    let at = |s: &rise_opt::intern::Symbol| match s.as_str() {
        "t" => 20_000,
        _ => 512,
    };
    let mut size: rise_opt::exec::sizes::Sizes =
        program.sizes.iter().map(|s| (*s, at(s))).collect();
    size.extend(sizes(goal.fixed));
    let options = Options {
        seed: 0,
        sizes: vec![size],
        threads: vec![1],
        measuring: measure::Options {
            samples: 9,
            most: 27,
            ..measure::Options::default()
        },
        peers: false,
        unoptimised: false,
        progress: &|_| (),
    };
    let tools = [(tool.target, tool.clone())].into();
    let found = bench(&program, &unoptimised, &entries, &tools, &options);
    let found = found.unwrap_or_else(|d| panic!("{}: {}", goal.sketch, d.message));
    let time = |name: &str| found.rounds[0].timing(name).map(|t| t.median() * 1e3);
    (LEVELS.iter())
        .map(|(name, _)| time(name).map_or("-".into(), |ms| format!("{ms:.2}")))
        .collect()
}
