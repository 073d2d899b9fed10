//! What the benchmarks share: flags, tables, the goals.
#![allow(dead_code, unused_imports)]

#[path = "../../tests/common/mod.rs"]
mod loading;
#[cfg(unix)]
pub use loading::pty;
pub use loading::{cases, chain, chain_for, mm, program, reference, GOALS};

use rise_opt::alloc::Jemalloc;

#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

/// The flags behind `cargo bench --bench NAME --`.
pub struct Flags(Vec<String>);

impl Flags {
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|w| w == name)
    }

    pub fn value(&self, name: &str) -> Option<&str> {
        let at = self.0.iter().position(|w| w == name)?;
        self.0.get(at + 1).map(String::as_str)
    }

    pub fn number(&self, name: &str, otherwise: u64) -> u64 {
        let Some(text) = self.value(name) else {
            return otherwise;
        };
        text.replace('_', "").parse().unwrap_or_else(|_| {
            eprintln!("{name} needs a number, not `{text}`");
            std::process::exit(2)
        })
    }

    /// The goals of `--goals a,b`, or those.
    pub fn goals(&self, otherwise: &[&'static str]) -> Vec<&'static str> {
        let Some(list) = self.value("--goals") else {
            return otherwise.to_vec();
        };
        let all = all_goals();
        let known = |name: &str| all.iter().copied().find(|g| *g == name);
        list.split(',')
            .map(|name| {
                known(name).unwrap_or_else(|| {
                    eprintln!("`{name}` is none of {}", all.join(", "));
                    std::process::exit(2)
                })
            })
            .collect()
    }
}

/// The seven goals, and those for any size.
pub fn all_goals() -> Vec<&'static str> {
    let any_size = ["micro", "micro-parallel"];
    GOALS.into_iter().chain(any_size).collect()
}

/// Runs a benchmark in a thread with a large stack, if `cargo bench` started it: a test run builds
/// benchmarks too and starts them without `--bench`, to see that they start.
pub fn main(usage: &str, run: fn(&Flags)) {
    let flags = Flags(std::env::args().skip(1).collect());
    if flags.has("--help") || !flags.has("--bench") {
        println!("{usage}");
        return;
    }
    let thread = std::thread::Builder::new().stack_size(1 << 28);
    let handle = thread
        .spawn(move || run(&flags))
        .expect("a thread with a stack of 256 MB");
    if handle.join().is_err() {
        std::process::exit(101);
    }
}

/// Rows with aligned columns, the first to the left.
pub fn table(rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| {
        let cells = rows.iter().filter_map(|r| r.get(c));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    for row in rows {
        let cells: Vec<String> = (row.iter().zip(&widths).enumerate())
            .map(|(i, (cell, w))| match i {
                0 => format!("{cell:<w$}"),
                _ => format!("{cell:>w$}"),
            })
            .collect();
        println!("{}", cells.join("  ").trim_end());
    }
}

pub fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.iter().map(|c| c.to_string()).collect()
}

pub fn median(mut xs: Vec<f64>) -> f64 {
    xs.sort_by(f64::total_cmp);
    match xs.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => xs[n / 2],
        n => (xs[n / 2 - 1] + xs[n / 2]) / 2.0,
    }
}

/// What machine the numbers are of.
pub fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|l| l.strip_prefix("model name"));
    let model = model
        .and_then(|l| l.split(':').nth(1))
        .unwrap_or("unknown")
        .trim();
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    format!(
        "rise-opt {} on {cores} cores of {model}",
        env!("CARGO_PKG_VERSION")
    )
}

/// Seconds of the processor that children which have ended took, of user and system.
#[cfg(target_os = "linux")]
pub fn children_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name in parentheses may hold anything.
    let fields: Vec<&str> = (text.rsplit(')').next())
        .map(|rest| rest.split_whitespace().collect())
        .unwrap_or_default();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok());
    // Fields 16 and 17 of the whole line; a hundred to the second on every Linux that there is.
    (ticks(13).unwrap_or(0.0) + ticks(14).unwrap_or(0.0)) / 100.0
}

#[cfg(not(target_os = "linux"))]
pub fn children_seconds() -> f64 {
    f64::NAN
}
