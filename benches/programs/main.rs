//! Every shipped program: the kernel of the program as it stands, what `--auto` makes of it, the kernels of its sketches, and C
//! as a person writes it (`benches/programs/NAME.c`), measured by `rise-opt bench`: interleaved, and compared before.

#[path = "../common/mod.rs"]
mod common;
mod list;

use common::{machine, row, table, Flags};
use list::{Measured, Work, IN_ORDER, PROGRAMS, SKETCHES};
use rise_opt::exec::bench::{Kind, Measurement, Round};
use rise_opt::report::{digits, measurement, seconds};
use rise_opt::source::SourceMap;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const USAGE: &str = "\
cargo bench --bench programs -- [NAMES] [FLAGS]: all shipped programs, or those whose names have one of these words in them
  --threads 1,2  of all kernels [1]
  --samples N    of each kernel, at least [7]
  --in-order     reductions alone, beside C that adds up in order, too
  --write        puts the tables into docs/programs.md; of all programs only";

/// The page, and between which lines of it the tables stand.
const PAGE: &str = "docs/programs.md";
const BEGIN: &str = "<!-- begin measured -->\n";
const END: &str = "<!-- end measured -->";

/// How the C file is called in a measurement.
const PLAIN: &str = "C";

/// The same of the one that adds up in order.
const ORDERED: &str = "in-order";

/// How the kernel that `--auto` makes is called.
const AUTO: &str = "auto";
/// The kernel that it makes where functions may be approximated, and what its text says of that.
const APPROXIMATE: &str = "auto_approximate";
const APPROXIMATED: &str = "Functions are approximated";

fn main() {
    common::main(USAGE, run);
}

fn run(flags: &Flags) {
    let names = words();
    let in_order = flags.has("--in-order");
    let all = if in_order { IN_ORDER } else { PROGRAMS };
    let chosen: Vec<&Measured> = (all.iter())
        .filter(|p| names.is_empty() || names.iter().any(|n| p.name.contains(n.as_str())))
        .collect();
    if chosen.is_empty() {
        eprintln!("no program has one of {} in its name", names.join(", "));
        std::process::exit(2);
    }
    if flags.has("--write") && (in_order || !names.is_empty()) {
        eprintln!("`--write` is for all programs: leave names and `--in-order` out");
        std::process::exit(2);
    }
    let bench = Bench {
        threads: flags.value("--threads").unwrap_or("1").to_string(),
        samples: flags.number("--samples", 7).max(1),
    };
    println!("{}", machine());
    let triad = bench.triad();
    let mut found = Vec::new();
    for program in chosen {
        let made = bench.measured(program, in_order);
        println!("{}", made.progress());
        found.push(made);
    }
    let mut text = String::new();
    for (i, threads) in bench.threads.split(',').enumerate() {
        let triad = triad.get(i).copied().unwrap_or(f64::NAN);
        let cells = |f: &Found| match in_order {
            true => f.cells_in_order(i, triad),
            false => f.cells(i),
        };
        let rows: Vec<Vec<String>> = [if in_order { head_in_order() } else { head() }]
            .into_iter()
            .chain(found.iter().filter_map(cells))
            .collect();
        println!("\n{threads} thread(s), triad {} GB/s", digits(triad));
        table(&rows);
        let means = means(&found, i);
        println!("{means}");
        text += &format!(
            "\n{threads} thread(s); triad {} GB/s; {means}.\n\n",
            digits(triad)
        );
        text += &markdown(&rows);
    }
    let failures: Vec<String> = found.iter().flat_map(|f| f.failures.clone()).collect();
    for f in &failures {
        println!("{f}");
    }
    if flags.has("--write") {
        write(&text, &failures, &bench);
    }
}

/// What stands behind `--` and is neither a flag nor its value.
fn words() -> Vec<String> {
    let mut names = Vec::new();
    let mut all = std::env::args().skip(1);
    while let Some(word) = all.next() {
        match word.as_str() {
            "--threads" | "--samples" => drop(all.next()),
            w if w.starts_with("--") => {}
            _ => names.push(word),
        }
    }
    names
}

struct Bench {
    threads: String,
    samples: u64,
}

/// A program, and what was found of it.
struct Found<'a> {
    program: &'a Measured,
    /// Names of the kernels of sketches.
    sketches: Vec<String>,
    /// How long `--auto` took, the whole process.
    searched: Option<Duration>,
    rounds: Vec<Round>,
    failures: Vec<String>,
}

impl Bench {
    /// `rise-opt bench` of plain C and of what else is given: sketches, or NAME=FILE of a C file.
    fn command(
        &self,
        p: &Measured,
        others: &[String],
        unoptimised: bool,
    ) -> Result<Measurement, String> {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let json = dir.path().join("measured.json");
        let mut command = rise_opt();
        command.args(["bench", &format!("programs/{}.rise", p.name)]);
        command.arg(format!("{PLAIN}=benches/programs/{}.c", p.name));
        command.args(others);
        command.args(["--size", p.sizes, "--threads", &self.threads, "--no-peers"]);
        command.args(["--samples", &self.samples.to_string(), "--pause", "10"]);
        command.args(["--emit", "json", "-o"]).arg(&json);
        if !unoptimised {
            command.arg("--no-unoptimised");
        }
        run_to_end(command)?;
        let mut sources = SourceMap::new();
        let file = sources.load(&json.to_string_lossy());
        let file = file.map_err(|_| "it wrote nothing".to_string())?;
        measurement::read(&sources, file).map_err(|d| d.message)
    }

    /// GB/s of plain C that reads two arrays and writes one, for each number of threads.
    fn triad(&self) -> Vec<f64> {
        let triad = Measured {
            name: "linear/axpy",
            sizes: "n=16000000",
            work: Work::Bytes,
        };
        match self.command(&triad, &[], false) {
            Ok(m) => (m.rounds.iter())
                .map(|r| {
                    r.timing(PLAIN)
                        .map_or(f64::NAN, |t| r.bytes / t.best() / 1e9)
                })
                .collect(),
            Err(why) => {
                println!("triad: {why}");
                Vec::new()
            }
        }
    }

    fn measured<'a>(&self, program: &'a Measured, in_order: bool) -> Found<'a> {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut others = sketches(program.name);
        if in_order {
            let name = program.name.rsplit('/').next().unwrap_or(program.name);
            others.push(format!("{ORDERED}=benches/programs/in_order/{name}.c"));
        }
        let mut failures = Vec::new();
        let searched = match automatic(program, dir.path(), AUTO, "reassociate") {
            Ok((file, time)) => {
                others.extend(approximated(program, dir.path()));
                others.push(format!("{AUTO}={file}"));
                Some(time)
            }
            Err(why) => {
                failures.push(format!("{}, --auto: {why}", program.name));
                None
            }
        };
        let mut made = self.command(program, &others, true);
        if let (Err(why), false) = (&made, others.is_empty()) {
            failures.push(format!("{}, beside plain C: {why}", program.name));
            made = self.command(program, &[], true);
        }
        let (rounds, contestants) = match made {
            Ok(m) => (m.rounds, m.contestants),
            Err(why) => {
                failures.push(format!("{}: {why}", program.name));
                Default::default()
            }
        };
        let of_sketches = contestants.into_iter().filter(|c| c.kind == Kind::Sketch);
        Found {
            program,
            sketches: of_sketches.map(|c| c.name).collect(),
            searched,
            rounds,
            failures,
        }
    }
}

fn rise_opt() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rise-opt"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

fn run_to_end(mut command: Command) -> Result<(), String> {
    let output = command.output().map_err(|e| e.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => Err(first_error(&String::from_utf8_lossy(&output.stderr))),
    }
}

/// The kernel whose functions are approximated, too, if there are some.
fn approximated(p: &Measured, dir: &Path) -> Option<String> {
    let (file, _) = automatic(p, dir, APPROXIMATE, "reassociate,approximate").ok()?;
    let header = std::fs::read_to_string(Path::new(&file).with_extension("h")).ok()?;
    header
        .contains(APPROXIMATED)
        .then(|| format!("{APPROXIMATE}={file}"))
}

/// The C file that `--auto` makes of a program at any size, and how long that took. Sums may be regrouped, as in plain C.
fn automatic(
    p: &Measured,
    dir: &Path,
    name: &str,
    permits: &str,
) -> Result<(String, Duration), String> {
    let file = dir.join(format!("{name}.c")).to_string_lossy().into_owned();
    let mut command = rise_opt();
    command.arg(format!("programs/{}.rise", p.name));
    command.args(["--auto", "--permit", permits, "-o", &file]);
    command.args(["--validate", "off"]);
    let from = Instant::now();
    run_to_end(command)?;
    Ok((file, from.elapsed()))
}

fn first_error(said: &str) -> String {
    let mut lines = said.lines().filter(|l| !l.trim().is_empty());
    lines.next().unwrap_or("it said nothing").to_string()
}

/// Sketch files for a program: those of the list, else all in `sketches/NAME`.
fn sketches(name: &str) -> Vec<String> {
    if let Some((_, files)) = SKETCHES.iter().find(|s| s.0 == name) {
        return files.iter().map(|f| f.to_string()).collect();
    }
    let last = name.rsplit('/').next().unwrap_or(name);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = std::collections::BTreeSet::new();
    for folder in [format!("sketches/{name}"), format!("sketches/{last}")] {
        let entries = std::fs::read_dir(root.join(&folder));
        for entry in entries.into_iter().flatten().flatten() {
            let file = entry.file_name().to_string_lossy().into_owned();
            if file.ends_with(".sk") {
                found.insert(format!("{folder}/{file}"));
            }
        }
    }
    found.into_iter().collect()
}

fn head() -> Vec<String> {
    row([
        "program",
        "sizes",
        "plain C",
        "",
        "as it stands",
        "`--auto`",
        "approximate",
        "found in",
        "sketches",
        "best",
        "sketch",
    ])
}

fn head_in_order() -> Vec<String> {
    row([
        "program",
        "C in order",
        "C, any order",
        "rise-opt",
        "kernel",
        "× in order",
        "× any order",
        "GB/s",
        "of triad",
    ])
}

/// How many times as fast as plain C.
struct Ratios<'a> {
    /// The kernel of the program as it stands.
    own: f64,
    automatic: Option<f64>,
    /// Where its functions may be approximated, too.
    approximate: Option<f64>,
    /// The best kernel of a sketch, and its name.
    sketch: Option<(f64, &'a str)>,
}

impl Found<'_> {
    fn progress(&self) -> String {
        match self.cells(0) {
            Some(cells) => cells.join("  "),
            None => format!("{}: not measured", self.program.name),
        }
    }

    fn time(&self, round: usize, name: &str) -> Option<f64> {
        let timing = self.rounds.get(round)?.timing(name)?;
        Some(timing.best())
    }

    fn ratios(&self, round: usize) -> Option<Ratios<'_>> {
        let plain = self.time(round, PLAIN)?;
        let ratio = |name: &str| Some(plain / self.time(round, name)?);
        let of_sketches = self.sketches.iter();
        Some(Ratios {
            own: ratio("unoptimised")?,
            automatic: ratio(AUTO),
            approximate: ratio(APPROXIMATE),
            sketch: of_sketches
                .filter_map(|s| Some((ratio(s)?, s.as_str())))
                .max_by(|a, b| a.0.total_cmp(&b.0)),
        })
    }

    /// Says that the machine was so busy that samples count in which it gave a processor to somebody else.
    fn star(&self, round: usize) -> &'static str {
        let places = self.rounds.get(round).map_or(&[][..], |r| &r.places);
        let mut timings = places.iter().filter_map(|p| p.timing());
        match timings.any(|t| t.disturbed) {
            true => " *",
            false => "",
        }
    }

    fn cells(&self, round: usize) -> Option<Vec<String>> {
        let plain = self.time(round, PLAIN)?;
        let found = self.ratios(round)?;
        let best = found.sketch;
        let rate = |time: f64| self.rate(round, time);
        let all = [
            found.automatic,
            found.approximate,
            best.map(|b| b.0),
            Some(1.0),
        ];
        let fastest = plain / all.into_iter().flatten().fold(found.own, f64::max);
        Some(vec![
            self.program.name.to_string(),
            self.program.sizes.replace(',', " "),
            format!("{}{}", seconds(plain), self.star(round)),
            rate(plain)?,
            ratio(found.own),
            found.automatic.map_or("-".to_string(), ratio),
            found.approximate.map_or("-".to_string(), ratio),
            (self.searched).map_or("-".to_string(), |t| seconds(t.as_secs_f64())),
            best.map_or("-".to_string(), |b| ratio(b.0)),
            rate(fastest)?,
            best.map_or("-".to_string(), |b| b.1.to_string()),
        ])
    }

    /// The fastest kernel of all beside both C files.
    fn cells_in_order(&self, round: usize, triad: f64) -> Option<Vec<String>> {
        let (ordered, plain) = (self.time(round, ORDERED)?, self.time(round, PLAIN)?);
        let names = self.sketches.iter().map(String::as_str);
        let times = names.chain([AUTO, APPROXIMATE, "unoptimised"]);
        let (own, name) = times
            .filter_map(|n| Some((self.time(round, n)?, n)))
            .min_by(|a, b| a.0.total_cmp(&b.0))?;
        let rate = self.rounds.get(round)?.bytes / own / 1e9;
        Some(vec![
            self.program.name.to_string(),
            format!("{}{}", seconds(ordered), self.star(round)),
            seconds(plain),
            seconds(own),
            name.to_string(),
            ratio(ordered / own),
            ratio(plain / own),
            digits(rate),
            ratio(rate / triad),
        ])
    }

    fn rate(&self, round: usize, time: f64) -> Option<String> {
        let r = self.rounds.get(round)?;
        let sizes: BTreeMap<&str, i64> = r.sizes.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        let size = |name: &str| sizes.get(name).map_or(f64::NAN, |n| *n as f64);
        Some(match self.program.work {
            Work::Bytes => format!("{} GB/s", digits(r.bytes / time / 1e9)),
            Work::Operations(f) => format!("{} G/s", digits(f(&size) / time / 1e9)),
        })
    }
}

/// How many times as fast; where it is much slower, as a fraction.
fn ratio(r: f64) -> String {
    match r < 0.0995 {
        true => format!("1/{:.0}", 1.0 / r),
        false => digits(r),
    }
}

/// Geometric means against plain C.
fn means(found: &[Found], round: usize) -> String {
    let ratios: Vec<_> = found.iter().filter_map(|f| f.ratios(round)).collect();
    let mean = |all: Vec<f64>| {
        let logs: f64 = all.iter().map(|r| r.ln()).sum();
        ratio((logs / all.len() as f64).exp())
    };
    let own: Vec<f64> = ratios.iter().map(|r| r.own).collect();
    let automatic: Vec<f64> = ratios.iter().filter_map(|r| r.automatic).collect();
    let approximate = ratios.iter().filter_map(|r| r.approximate.or(r.automatic));
    let approximate: Vec<f64> = approximate.collect();
    let sketch: Vec<f64> = ratios.iter().filter_map(|r| Some(r.sketch?.0)).collect();
    let of = |n: usize, what: &str, all: Vec<f64>| match n {
        0 => String::new(),
        n => format!(", of {n} {what} {} ×", mean(all)),
    };
    format!(
        "geometric mean of {} programs as they stand {} × plain C{}{}{}",
        own.len(),
        mean(own),
        of(automatic.len(), "with `--auto`", automatic),
        of(
            approximate.len(),
            "with `--auto` whose functions may be approximated",
            approximate
        ),
        of(sketch.len(), "with sketches", sketch)
    )
}

fn markdown(rows: &[Vec<String>]) -> String {
    let mut text = String::new();
    for (i, row) in rows.iter().enumerate() {
        text += &format!("| {} |\n", row.join(" | "));
        if i == 0 {
            text += &format!("|{}\n", "---|".repeat(row.len()));
        }
    }
    text
}

fn write(text: &str, failures: &[String], bench: &Bench) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    let (from, to) = match (page.find(BEGIN), page.find(END)) {
        (Some(from), Some(to)) if from < to => (from + BEGIN.len(), to),
        _ => {
            eprintln!("{PAGE} lacks the lines {} and {END}", BEGIN.trim());
            std::process::exit(1)
        }
    };
    let head = format!(
        "{}; `cargo bench --bench programs -- --threads {} --write`.\n",
        machine(),
        bench.threads
    );
    let failures: String = failures
        .iter()
        .map(|f| format!("\nNot measured: {f}\n"))
        .collect();
    let new = format!("{}{head}{text}{failures}{}", &page[..from], &page[to..]);
    std::fs::write(&path, new).expect("the page can be written");
}
