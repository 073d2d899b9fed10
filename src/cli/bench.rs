//! `rise-opt bench PROGRAM FILE …`: kernels against each other and against libraries.
//!
//! In: a program; plans, sketches and C files; sizes, numbers of threads. Out: a table; JSON and a
//! plot as files. Everything that can be wrong with the files and the command line is found before the first
//! kernel is compiled; nothing is written of sizes and threads that were not measured with all kernels. Absent: how is measured (`exec`), what
//! the table says (`report`).

mod contestant;
mod size;

use super::artefacts::{self, Forms};
use super::command_line;
use super::machine;
use super::values::{setting, Machine, Trusting};
use super::Context;
use crate::diag::{code, Diagnostic};
use crate::driver::{self, Files, Setting};
use crate::exec::bench::{self, Measurement, Method};
use crate::exec::{measure, Toolchain};
use crate::interrupt;
use crate::report::measurement;
use crate::target::Target;
use contestant::ContestantArg;
use size::SizeArg;
use std::collections::btree_map::{BTreeMap, Entry};
use std::io::IsTerminal;
use std::time::Duration;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// The program that all kernels compute (.rise)
    #[arg(value_name = "PROGRAM")]
    program: String,
    /// Kernels: plans (.json), sketches to search for (.sk), C files with the signature that
    /// `--emit header` declares (.c). They are called after their files, unless NAME= says otherwise. Without any, the
    /// kernel that is found without a sketch takes part, as `auto`
    #[arg(value_name = "[NAME=]FILE")]
    contestants: Vec<ContestantArg>,
    /// Sizes to measure at, for instance `1024` for all, `1000x1003x997` in declared order, or
    /// `m=64,n=32,k=8`; several are measured one after another [default: as large as takes a second]
    #[arg(long, value_name = "SIZES")]
    size: Vec<SizeArg>,
    /// Numbers of threads, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "1", value_name = "N,…",
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Vec<u16>,
    /// Fixes sizes of sketches and C files, or changes parameters of sketches, as in the main job
    #[arg(long, value_delimiter = ',', value_name = "NAME=NUMBER", value_parser = setting)]
    pub set: Vec<Setting>,
    #[command(flatten)]
    trust: Trusting,
    /// The definition to measure, when it is not the last of the file
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// The machine that sketches, C files and the unoptimised kernel are compiled for; a plan has its own
    #[arg(
        long,
        value_enum,
        default_value_t,
        hide_possible_values = true,
        value_name = Machine::names()
    )]
    target: Machine,
    /// Samples of each kernel, at least; up to four times as many are taken until the median is known
    /// within 2 %
    #[arg(long, default_value_t = 15, value_name = "N",
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    samples: u16,
    /// Rest before each sample; other libraries' threads spin for a while
    #[arg(long, default_value_t = 40, value_name = "MILLISECONDS",
          value_parser = clap::value_parser!(u16).range(0..=10_000))]
    pause: u16,
    /// Seed of the random inputs and of the order
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// Leaves libraries out
    #[arg(long)]
    no_peers: bool,
    /// Leaves the unoptimised kernel out of the table; it is called once for each size in any case,
    /// because its result is the reference
    #[arg(long)]
    no_unoptimised: bool,
    /// Where to write: names the first of the files to emit, the other stands beside it; `-` prints
    /// them [default: NAME.measurement.json for the program NAME, in this folder]
    #[arg(short, value_name = "FILE")]
    output: Option<String>,
    /// What to write, separated by commas
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "json,svg",
        value_name = "WHAT"
    )]
    emit: Vec<Form>,
}

/// In the order in which they are written.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Form {
    /// Everything, for programs
    Json,
    /// Bars
    Svg,
}

impl artefacts::Form for Form {
    fn extension(self) -> &'static str {
        match self {
            Form::Json => "json",
            Form::Svg => "svg",
        }
    }
}

pub fn run(args: &Args, context: &mut Context) -> u8 {
    let done = job(args, context);
    context.ended(done)
}

fn job(args: &Args, context: &mut Context) -> Result<(), Vec<Diagnostic>> {
    let one = |d: Diagnostic| vec![d];
    let target = args.target.target();
    // Parameters are of some sketch or other.
    let set: Vec<Setting> = args.set.clone();
    let files = Files {
        program: &args.program,
        entry: args.entry.as_deref(),
        sketches: &[],
        set: &set,
        target,
        trust: args.trust.trust(),
    };
    let (input, _) = driver::load_any(&files, &mut context.sources)?;
    let unoptimised = contestant::unoptimised(&input, &[]).map_err(one)?;
    let sizes = size::all(&args.size, &input.program, &input.fixed).map_err(one)?;
    let entries = contestant::load(args, &input, context)?;
    contestant::distinct(&entries, args.no_peers).map_err(one)?;

    let name = input.program.name;
    let output = args.output.as_deref();
    let forms = Forms::prepare(
        &args.emit,
        output,
        "measurement",
        name.as_str(),
        &context.sources,
    )
    .map_err(one)?;
    let others = entries.iter().map(|e| e.target);
    let tools = toolchains([target].into_iter().chain(others)).map_err(one)?;
    let tool = &tools[&target];
    context.report(tool.warning().into_iter().collect::<Vec<_>>());
    let measuring = measuring(args);
    let method = Method::of(&measuring);
    let shown = !context.json() && std::io::stderr().is_terminal();
    let progress = |what: &str| {
        if shown {
            eprintln!("{what}");
        }
    };
    let options = bench::Options {
        seed: args.seed,
        sizes,
        threads: args.threads.iter().map(|&n| usize::from(n)).collect(),
        measuring,
        peers: !args.no_peers,
        unoptimised: !args.no_unoptimised,
        progress: &progress,
    };
    let wanted = options.sizes.len() * options.threads.len();
    // What was measured until somebody gives up is a result, too.
    let gentle = interrupt::gentle();
    let found =
        bench::bench(&input.program, &unoptimised, &entries, &tools, &options).map_err(one)?;
    drop(gentle);
    let stopped = driver::stopped(found.rounds.len(), wanted, "rounds are measured");
    if found.rounds.is_empty() {
        return Err(stopped.into_iter().collect());
    }
    let measurement = measurement_of(name.as_str(), args.seed, tool, method, found);
    let page = if context.json() {
        measurement::json_line(&measurement)
    } else {
        measurement::human(&measurement)
    };
    let text = |form| match form {
        Form::Json => measurement::json(&measurement),
        Form::Svg => measurement::svg(&measurement),
    };
    forms.write(&page, text, context).map_err(one)?;
    stopped.map_or(Ok(()), |d| Err(vec![d]))
}

fn measurement_of(
    program: &str,
    seed: u64,
    tool: &Toolchain,
    method: Method,
    found: bench::Found,
) -> Measurement {
    let here = machine::here();
    Measurement {
        rise_opt: env!("CARGO_PKG_VERSION").to_string(),
        command: command_line(),
        program: program.to_string(),
        machine: format!("{} × {}", here.cores, here.processor),
        compiler: tool.version.clone(),
        flags: tool.flags.iter().map(|f| f.to_string()).collect(),
        seed,
        method,
        contestants: found.contestants,
        peers: found.peers,
        rounds: found.rounds,
    }
}

/// How each round is measured.
fn measuring(args: &Args) -> measure::Options {
    measure::Options {
        samples: usize::from(args.samples),
        most: 4 * usize::from(args.samples),
        pause: Duration::from_millis(u64::from(args.pause)),
        seed: args.seed,
        ..measure::Options::default()
    }
}

/// A compiler for each machine.
fn toolchains(
    machines: impl Iterator<Item = Target>,
) -> Result<BTreeMap<Target, Toolchain>, Diagnostic> {
    let mut tools = BTreeMap::new();
    for machine in machines {
        if let Entry::Vacant(v) = tools.entry(machine) {
            v.insert(Toolchain::find_for(machine)?);
        }
    }
    Ok(tools)
}

/// A size that is none, with what may be written.
fn bad_size(what: String) -> Diagnostic {
    Diagnostic::new(code::BENCH_SIZE, what)
        .help("write `--size 1024` for all sizes, `--size 1000x1003x997` in declared order, or `--size m=64,n=32`")
}
