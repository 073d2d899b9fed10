//! The goals for matrix multiplication: time, memory and size of the search.
//!
//! Whole processes are measured, from start to files written, as a user sees them.

mod common;

use common::{all_goals, chain, children_seconds, machine, median, mm, row, table, Flags, GOALS};
use rise_opt::report::{bytes, count, seconds};
use rise_opt::search;
use std::process::Command;
use std::time::Instant;

const USAGE: &str = "\
cargo bench --bench search -- [FLAGS]: all goals, guided, over the general rules
  --published       the seven goals over the published rules (sketches/risegg)
  --unguided        the seven goals in one step: the union of the rules, the last sketch
  --goals A,B       only these
  --progress        what the live line on a terminal costs, in processor time: the search for the
                    parallel goal with and without it, in turn; --samples N pairs [20] up to
                    --nodes N e-nodes [1 000 000]
  --samples N       runs of each; the median counts [7; unguided 1]
  --memory-limit B  of each run, as in 4G
  --recording       what it costs to record why terms are equal: on and off in turn, in this process [3 of each,
                    unguided 2]";

fn main() {
    common::main(USAGE, run);
}

fn run(flags: &Flags) {
    if flags.has("--progress") {
        return progress(flags);
    }
    let unguided = flags.has("--unguided");
    if flags.has("--recording") {
        return recording(flags, unguided);
    }
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
    // What holds for any size has no published rules, and is not found without guides within a minute.
    let goals = match unguided || flags.has("--published") {
        true => GOALS.to_vec(),
        false => all_goals(),
    };
    for goal in flags.goals(&goals) {
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
            "--validate",
            "off",
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

#[cfg(unix)]
fn progress(flags: &Flags) {
    let pairs = flags.number("--samples", 20).max(2);
    // Enough for a search that outlasts the wait before the first line.
    let nodes = flags.number("--nodes", 1_000_000).to_string();
    println!("{}", machine());
    println!(
        "parallel goal, unguided, {nodes} e-nodes; {pairs} pairs with and without a live line\n"
    );
    let dir = tempfile::tempdir().expect("a temporary folder");
    let measure = |how: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
        command
            .args(["programs/mm.rise", "--sketch", "sketches/mm/parallel.sk"])
            .args(["--unguided", "--node-limit", &nodes, "--progress", how])
            .args(["--validate", "off"])
            .current_dir(dir.path());
        let (before, start) = (children_seconds(), Instant::now());
        let (_, written) = common::pty::run(command, 120);
        let wall = start.elapsed().as_secs_f64();
        let live = written.matches(", iteration ").count();
        assert_eq!(live > 0, how == "auto", "{written}");
        (children_seconds() - before, wall, live)
    };
    let mut ratios = [Vec::new(), Vec::new()];
    let mut times = [[Vec::new(), Vec::new()], [Vec::new(), Vec::new()]];
    let mut drawn = 0;
    for pair in 0..pairs {
        // Who goes first takes turns: the machine warms up.
        let order = if pair % 2 == 0 {
            ["auto", "off"]
        } else {
            ["off", "auto"]
        };
        let mut by = [(0.0, 0.0); 2];
        for how in order {
            let (cpu, wall, live) = measure(how);
            by[usize::from(how == "off")] = (cpu, wall);
            drawn = drawn.max(live);
        }
        for (i, (cpu, wall)) in by.into_iter().enumerate() {
            times[0][i].push(cpu);
            times[1][i].push(wall);
        }
        ratios[0].push((by[0].0 / by[1].0).ln());
        ratios[1].push((by[0].1 / by[1].1).ln());
    }
    let mut rows = vec![row(["", "with", "without", "ratio", "± 2 standard errors"])];
    for (i, what) in ["processor time", "wall time"].into_iter().enumerate() {
        let (mean, error) = mean_and_error(&ratios[i]);
        let [with, without] = &times[i];
        rows.push(vec![
            what.to_string(),
            seconds(median(with.clone())),
            seconds(median(without.clone())),
            format!("{:.4}", mean.exp()),
            format!("{:.4}", 2.0 * error),
        ]);
    }
    table(&rows);
    println!("\nthe line was drawn up to {drawn} times in a run");
}

#[cfg(not(unix))]
fn progress(_: &Flags) {
    eprintln!("--progress needs a pseudo-terminal");
}

/// The mean, and its standard error.
fn mean_and_error(xs: &[f64]) -> (f64, f64) {
    let n = xs.len() as f64;
    let mean = xs.iter().sum::<f64>() / n;
    let variance = xs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, (variance / n).sqrt())
}

/// One run in this process: seconds and most bytes of its steps, e-nodes, seconds for the proof, its steps.
fn once(goal: &str, folder: &str, unguided: bool, prove: bool) -> (f64, u64, u64, f64, usize) {
    // Tables of types belong to threads: each run begins with none.
    let run = move |path: String| {
        let program = mm();
        let mut steps = chain(&path, &program, &[]);
        if unguided {
            steps = search::unguided(&steps).into_iter().collect();
        }
        let options = search::Options {
            prove,
            ..search::Options::default()
        };
        let start = Instant::now();
        let outcome = search::optimize(&program, &steps, &options);
        let whole = start.elapsed().as_secs_f64();
        let found = &outcome.trace.steps;
        let seconds: f64 = found.iter().map(|s| s.seconds).sum();
        let bytes = found.iter().map(|s| s.bytes).max().unwrap_or(0);
        let nodes = found.iter().map(|s| s.size().nodes).max().unwrap_or(0);
        let length = match outcome.proof {
            Some(Ok(proof)) => proof.segments.iter().map(|l| l.steps.len()).sum(),
            Some(Err(why)) => panic!("no proof: {why}"),
            None => 0,
        };
        (seconds, bytes, nodes, whole - seconds, length)
    };
    let path = format!("sketches/{folder}/{goal}.sk");
    let thread = std::thread::Builder::new().stack_size(1 << 28);
    let handle = thread.spawn(move || run(path)).expect("a thread");
    handle.join().expect("a search")
}

fn recording(flags: &Flags, unguided: bool) {
    let folder = if flags.has("--published") {
        "risegg"
    } else {
        "mm"
    };
    let samples = flags
        .number("--samples", if unguided { 2 } else { 3 })
        .max(1);
    let how = if unguided { "unguided" } else { "guided" };
    println!("{}", machine());
    println!("sketches/{folder}, {how}, recording off and on in turn, median of {samples}\n");
    let mut rows = vec![row([
        "goal",
        "e-nodes",
        "off",
        "on",
        "time",
        "off",
        "on",
        "memory",
        "per e-node",
        "proof in",
        "steps",
    ])];
    for goal in flags.goals(&GOALS) {
        let mut runs = [Vec::new(), Vec::new()];
        // The first run pays for pages that the others find there.
        once(goal, folder, unguided && samples > 2, false);
        for _ in 0..samples {
            for on in [false, true] {
                runs[usize::from(on)].push(once(goal, folder, unguided, on));
            }
        }
        let time = |on: usize| median(runs[on].iter().map(|r| r.0).collect());
        let held = |on: usize| median(runs[on].iter().map(|r| r.1 as f64).collect());
        let (nodes, proof) = (runs[1][0].2, runs[1][0].4);
        let extra = (held(1) - held(0)).max(0.0) / nodes.max(1) as f64;
        rows.push(vec![
            goal.to_string(),
            count(nodes),
            seconds(time(0)),
            seconds(time(1)),
            format!("{:+.0} %", (time(1) / time(0) - 1.0) * 100.0),
            bytes(held(0) as u64),
            bytes(held(1) as u64),
            if held(0) > 0.0 {
                format!("{:+.0} %", (held(1) / held(0) - 1.0) * 100.0)
            } else {
                "–".to_string()
            },
            format!("{extra:.0} B"),
            seconds(median(runs[1].iter().map(|r| r.3).collect())),
            proof.to_string(),
        ]);
    }
    table(&rows);
}
