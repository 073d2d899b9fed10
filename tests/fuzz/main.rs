//! Fuzzing: inputs made from the files of the repository by mutation, one target for each language that is read.
//!
//! `cargo test --test fuzz` replays the corpus and tries a few hundred inputs; with `-- --seconds 3600` it goes on
//! for that long. The same seed gives the same inputs, so with `RISE_OPT_FUZZ=beside`, which says that a run of more of them
//! goes on beside, it tries none unless it is given options. Each input is run in a child process with a limit on memory, on
//! a thread with the stack of the tool; processor time, not time on the clock, decides what is too slow, so a busy
//! machine finds nothing else than an idle one. What is found is made smaller and written to a folder.
//! An input whose answer differs in kind from all before it (other errors, another stage reached) is mutated further.
//!
//! Absent: coverage, which needs a compiler of another channel.

mod child;
#[path = "../common/mod.rs"]
mod common;
mod json;
mod minimise;
mod mutate;
mod seeds;
mod targets;

use child::{Answer, Child};
use rise_opt::hash;
use rise_opt::interp::random::Rng;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use targets::{Target, TARGETS};

#[global_allocator]
static ALLOCATOR: rise_opt::alloc::Jemalloc = rise_opt::alloc::Jemalloc;

const USAGE: &str = "\
cargo test --test fuzz [-- OPTIONS]
  --seconds S    goes on for that long, all targets in turn
  --runs N       tries so many inputs for each target [default: 150]
  --target NAME  only this target; may be given again
  --seed N       other inputs [default: 1]
  --out DIR      where to write what is found [default: a folder of target/]
  --list         the targets
  FILE           tries these files alone, each with the target that its folder is named for";

/// Findings of one class that are written.
const KEPT: usize = 3;

/// How long a target is tried before the next one has its turn.
const TURN: Duration = Duration::from_secs(30);

struct Options {
    seconds: Option<u64>,
    runs: u64,
    seed: u64,
    targets: Vec<&'static Target>,
    out: PathBuf,
    files: Vec<PathBuf>,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, name] = &args[..] {
        if flag == "--worker" {
            targets::serve(name);
            return ExitCode::SUCCESS;
        }
    }
    if args.is_empty() && std::env::var_os("RISE_OPT_FUZZ").is_some_and(|v| v == "beside") {
        println!("inputs are tried in a run of their own, as RISE_OPT_FUZZ says");
        return ExitCode::SUCCESS;
    }
    match options(&args) {
        Ok(Some(options)) => run(&options),
        Ok(None) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("{what}\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

/// What to do; nothing if another test was asked for by its name.
fn options(args: &[String]) -> Result<Option<Options>, String> {
    let mut options = Options {
        seconds: None,
        runs: 150,
        seed: 1,
        targets: Vec::new(),
        out: Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz"),
        files: Vec::new(),
    };
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let mut value = || rest.next().ok_or(format!("{arg} needs a value"));
        let number = |text: &String| {
            text.parse::<u64>()
                .map_err(|_| format!("{text}: no number"))
        };
        match &**arg {
            "--seconds" => options.seconds = Some(number(value()?)?),
            "--runs" => options.runs = number(value()?)?,
            "--seed" => options.seed = number(value()?)?,
            "--out" => options.out = value()?.into(),
            "--target" => {
                let name = value()?;
                let target = TARGETS.iter().find(|t| t.name == name);
                options
                    .targets
                    .push(target.ok_or(format!("{name}: no target"))?);
            }
            "--list" => {
                TARGETS
                    .iter()
                    .for_each(|t| println!("{}: {}", t.name, t.what));
                return Ok(None);
            }
            // What is said to the harness of all tests.
            flag if flag.starts_with('-') => {}
            file if Path::new(file).is_file() => options.files.push(file.into()),
            filter if "fuzz".contains(filter) => {}
            _ => return Ok(None),
        }
    }
    if options.targets.is_empty() {
        options.targets = TARGETS.iter().collect();
    }
    Ok(Some(options))
}

fn run(options: &Options) -> ExitCode {
    let seeds = seeds::Seeds::load();
    std::env::set_var(targets::FOLDER, seeds.folder.path());
    let mut campaigns: Vec<Campaign> = (options.targets.iter())
        .map(|target| Campaign::new(target, &seeds, options))
        .collect();
    if !options.files.is_empty() {
        for file in &options.files {
            let text = read(file);
            for c in campaigns.iter_mut().filter(|c| c.is_for(file)) {
                let answer = c.answer(&text);
                println!("{}: {}: {answer:?}", file.display(), c.target.name);
            }
        }
        return ExitCode::SUCCESS;
    }
    for c in &mut campaigns {
        c.replay();
    }
    match options.seconds {
        None => {
            for c in &mut campaigns {
                (0..options.runs).for_each(|_| c.step());
            }
        }
        Some(seconds) => {
            let end = Instant::now() + Duration::from_secs(seconds);
            'all: loop {
                for c in &mut campaigns {
                    let turn =
                        TURN.min(Duration::from_secs(seconds) / options.targets.len() as u32);
                    let turn = Instant::now() + turn;
                    while Instant::now() < turn {
                        c.step();
                        if Instant::now() >= end {
                            break 'all;
                        }
                    }
                    c.write_state();
                }
            }
        }
    }
    for c in &campaigns {
        println!("{}", c.summary());
        c.write_state();
    }
    let found: usize = campaigns.iter().map(|c| c.found.len()).sum();
    if found > 0 {
        println!("{found} classes of findings, in {}", options.out.display());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// All that is tried of one target.
struct Campaign<'a> {
    target: &'static Target,
    seeds: &'a seeds::Seeds,
    options: &'a Options,
    /// What is mutated.
    pool: Vec<String>,
    signatures: BTreeSet<String>,
    child: Option<Child>,
    tried: u64,
    spent: Duration,
    /// How often each class was found.
    found: BTreeMap<String, usize>,
}

impl<'a> Campaign<'a> {
    fn new(target: &'static Target, seeds: &'a seeds::Seeds, options: &'a Options) -> Self {
        Campaign {
            target,
            seeds,
            options,
            pool: (target.seeds)(seeds),
            signatures: BTreeSet::new(),
            child: None,
            tried: 0,
            spent: Duration::ZERO,
            found: BTreeMap::new(),
        }
    }

    fn is_for(&self, file: &Path) -> bool {
        let folder = file.parent().and_then(|p| p.file_name());
        folder.is_some_and(|f| f == self.target.name) || self.options.targets.len() == 1
    }

    /// What found something once finds nothing now.
    fn replay(&mut self) {
        let folder = Path::new("tests/fuzz/corpus").join(self.target.name);
        let Ok(entries) = std::fs::read_dir(folder) else {
            return;
        };
        let mut files: Vec<PathBuf> = entries.map(|e| e.expect("readable").path()).collect();
        files.sort();
        for file in files {
            let text = read(&file);
            self.try_one(&text);
            self.pool.push(text);
        }
    }

    /// One input more.
    fn step(&mut self) {
        let number = self.tried.to_string();
        let parts = [self.target.name, &number, &self.options.seed.to_string()];
        let mut rng = Rng::new(hash::fnv64(parts.join(" ").as_bytes()));
        let input = (self.target.mutate)(&self.pool, self.seeds, &mut rng);
        self.try_one(&input);
    }

    fn answer(&mut self, input: &str) -> Answer {
        child::ask(&mut self.child, self.target, input)
    }

    fn try_one(&mut self, input: &str) {
        let start = Instant::now();
        self.tried += 1;
        let answer = self.answer(input);
        match &answer {
            Answer::Fine(signature) => {
                if self.signatures.insert(signature.clone()) && self.pool.len() < 5_000 {
                    self.pool.push(input.to_string());
                }
            }
            bad => {
                let class = bad.class();
                let seen = self.found.entry(class.clone()).or_default();
                *seen += 1;
                if *seen <= KEPT {
                    let number = *seen;
                    self.keep(input, &class, number, bad);
                }
            }
        }
        self.spent += start.elapsed();
    }

    fn keep(&mut self, input: &str, class: &str, number: usize, answer: &Answer) {
        let target = self.target;
        let small = minimise::minimise(input, &mut |text| {
            child::ask(&mut self.child, target, text).class() == class
        });
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let name: String = class.chars().map(plain).take(80).collect();
        let folder = self.options.out.join(target.name);
        std::fs::create_dir_all(&folder).expect("a folder for findings");
        let path = folder.join(format!("{name}-{number}"));
        std::fs::write(&path, &small).expect("a file for a finding");
        println!("{}: {answer:?}\n  {}", target.name, path.display());
    }

    fn summary(&self) -> String {
        let times: usize = self.found.values().sum();
        format!(
            "{}: {} inputs in {} s, {} kinds of answers, {} findings in {} classes",
            self.target.name,
            self.tried,
            self.spent.as_secs(),
            self.signatures.len(),
            times,
            self.found.len()
        )
    }

    /// How far this is, for whoever waits.
    fn write_state(&self) {
        let _ = std::fs::create_dir_all(&self.options.out);
        let mut text = self.summary() + "\n";
        for (class, times) in &self.found {
            text += &format!("  {times} × {class}\n");
        }
        let _ = std::fs::write(
            self.options.out.join(format!("{}.state", self.target.name)),
            text,
        );
    }
}

fn read(file: &Path) -> String {
    let bytes = std::fs::read(file).expect("a readable file");
    String::from_utf8_lossy(&bytes).into_owned()
}
