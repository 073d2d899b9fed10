//! What validation takes of the main job, program by program.
//!
//! Whole processes are measured, with and without it in turn, in processor time.

mod common;

use common::{children_seconds, machine, row, table, Flags};
use rise_opt::report::seconds;
use std::path::{Path, PathBuf};
use std::process::Command;

const USAGE: &str = "\
cargo bench --bench validation -- [FLAGS]: the shipped programs by the main job, without a sketch
  --only TEXT        those whose names have it
  --target NAME      as of the main job
  --permit WHAT      as of the main job
  --samples N        runs of each, whose processor time is added up [5]";

fn main() {
    common::main(USAGE, run);
}

fn run(flags: &Flags) {
    let samples = flags.number("--samples", 5).max(1);
    println!("{}\nmean of {samples}, processor time\n", machine());
    let mut programs = Vec::new();
    rise_files(Path::new("programs"), &mut programs);
    programs.sort();
    let only = flags.value("--only").unwrap_or_default();
    programs.retain(|p| p.contains(only));
    let mut rows = vec![row(["program", "all", "validation", "part", "verdict"])];
    let (mut sums, mut parts, mut unknown) = ([0.0, 0.0], Vec::new(), 0);
    for program in &programs {
        let (times, verdict) = measure(program, samples, flags);
        let part = 100.0 * (1.0 - times[1] / times[0]).max(0.0);
        unknown += usize::from(verdict != "validated");
        parts.push(part);
        sums = [sums[0] + times[0], sums[1] + times[1]];
        rows.push(vec![
            program.clone(),
            seconds(times[0]),
            seconds((times[0] - times[1]).max(0.0)),
            format!("{part:.0}%"),
            verdict,
        ]);
    }
    table(&rows);
    let above = |limit: f64| parts.iter().filter(|p| **p > limit).count();
    println!(
        "\n{} programs, {unknown} unknown; {:.0}% of all, above 50% of {}, above 10% of {}",
        programs.len(),
        100.0 * (1.0 - sums[1] / sums[0]),
        above(50.0),
        above(10.0)
    );
}

/// Seconds with and without validation, and the verdict.
fn measure(program: &str, samples: u64, flags: &Flags) -> ([f64; 2], String) {
    let dir = tempfile::tempdir().expect("a temporary folder");
    // The command runs elsewhere, so that what it writes is not left here.
    let file = std::fs::canonicalize(program).expect("the program");
    let (mut times, mut verdict) = ([0.0, 0.0], String::new());
    for _ in 0..samples {
        for (time, how) in times.iter_mut().zip(["on", "off"]) {
            let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
            command.arg(&file).args(["--validate", how]);
            for flag in ["--target", "--permit"] {
                if let Some(value) = flags.value(flag) {
                    command.args([flag, value]);
                }
            }
            let before = children_seconds();
            let output = command.current_dir(dir.path()).output();
            *time += (children_seconds() - before) / samples as f64;
            if how == "on" {
                let text = output.expect("rise-opt runs").stdout;
                verdict = said(&String::from_utf8_lossy(&text));
            }
        }
    }
    (times, verdict)
}

/// What the summary says of the loop program.
fn said(summary: &str) -> String {
    let line = summary
        .lines()
        .find_map(|l| l.trim_start().strip_prefix("valid "));
    match line.map(str::trim_start) {
        Some(l) if l.starts_with("at all sizes") => "validated".to_string(),
        Some(l) => l.to_string(),
        None => "nothing is said".to_string(),
    }
}

fn rise_files(folder: &Path, out: &mut Vec<String>) {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let paths: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    for path in paths {
        if path.is_dir() {
            rise_files(&path, out);
        } else if path.extension().is_some_and(|e| e == "rise") {
            out.extend(path.to_str().map(str::to_string));
        }
    }
}
