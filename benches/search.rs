//! The seven goals for matrix multiplication: time, memory and size of the search.
//!
//! Whole processes are measured, from start to files written, as a user sees them.

mod common;

use common::{machine, median, row, table, Flags};
use rise_opt::report::{bytes, count, seconds};
use std::process::Command;
use std::time::Instant;

const USAGE: &str = "\
cargo bench --bench search -- [FLAGS]: the seven goals, guided, over the general rules
  --published       over the published rules (sketches/risegg)
  --unguided        in one step: the union of the rules, the last sketch
  --goals A,B       only these
  --samples N       runs of each; the median counts [7; unguided 1]
  --memory-limit B  of each run, as in 4G";

fn main() {
    common::main(USAGE, run);
}

fn run(flags: &Flags) {
    let unguided = flags.has("--unguided");
    let folder = if flags.has("--published") {
        "risegg"
    } else {
        "mm"
    };
    let samples = flags
        .number("--samples", if unguided { 1 } else { 7 })
        .max(1);
    println!("{}", machine());
    let how = if unguided { "unguided" } else { "guided" };
    println!("sketches/{folder}, {how}, median of {samples}\n");
    let mut rows = vec![row([
        "goal",
        "",
        "time",
        "best",
        "peak memory",
        "steps",
        "iterations",
        "e-nodes",
        "e-classes",
        "applied",
    ])];
    for goal in flags.goals() {
        rows.push(measure(goal, folder, unguided, samples, flags));
    }
    table(&rows);
}

fn measure(goal: &str, folder: &str, unguided: bool, samples: u64, flags: &Flags) -> Vec<String> {
    let sketch = format!("sketches/{folder}/{goal}.sk");
    let dir = tempfile::tempdir().expect("a temporary folder");
    let mut times = Vec::new();
    let mut last = (false, serde_json::Value::Null);
    for _ in 0..samples {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
        command.args([
            "programs/mm.rise",
            "--sketch",
            &sketch,
            "--message-format",
            "json",
        ]);
        if unguided {
            command.arg("--unguided");
        }
        if let Some(limit) = flags.value("--memory-limit") {
            command.args(["--memory-limit", limit]);
        }
        let start = Instant::now();
        let output = command
            .current_dir(dir.path())
            .output()
            .expect("rise-opt runs");
        times.push(start.elapsed().as_secs_f64());
        let text = if output.status.success() {
            &output.stdout
        } else {
            &output.stderr
        };
        let first = text.split(|b| *b == b'\n').next().unwrap_or_default();
        last = (
            output.status.success(),
            serde_json::from_slice(first).unwrap_or_default(),
        );
    }
    let best = times.iter().copied().fold(f64::INFINITY, f64::min);
    let (found, value) = last;
    let mut cells = vec![
        goal.to_string(),
        if found { "found" } else { "not found" }.to_string(),
        seconds(median(times)),
        seconds(best),
    ];
    if !found {
        cells.push(value["message"].as_str().unwrap_or("").to_string());
        return cells;
    }
    let steps = value["trace"]["steps"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let iterations: Vec<_> = steps
        .iter()
        .flat_map(|s| s["iterations"].as_array().cloned())
        .collect();
    // The largest graph of all steps.
    let largest = |what: &str| {
        let ends = iterations.iter().filter_map(|i| i.last());
        count(
            ends.filter_map(|i| i["size"][what].as_u64())
                .max()
                .unwrap_or(0),
        )
    };
    let rules = iterations
        .iter()
        .flatten()
        .flat_map(|i| i["rules"].as_array().cloned());
    let applied: u64 = rules.flatten().filter_map(|r| r["applied"].as_u64()).sum();
    cells.extend([
        bytes(value["peak_bytes"].as_u64().unwrap_or(0)),
        steps.len().to_string(),
        iterations.iter().map(Vec::len).sum::<usize>().to_string(),
        largest("nodes"),
        largest("classes"),
        count(applied),
    ]);
    cells
}
