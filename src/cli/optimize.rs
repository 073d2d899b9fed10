//! The main job: a program, through sketches, to a kernel in C.
//!
//! In: files and flags. Out: the artefacts, a summary. It reads like a table of contents: load (or
//! take a plan), prepare the outputs and the compiler, search, lower, run, write. What can fail for a reason of
//! the user's is tried before the search, what is written is written after everything succeeded.

use super::artefacts::{Artefact, Outputs};
use super::progress::{Mode, Progress};
use super::replay;
use super::values::{Bytes, Setting};
use super::Context;
use crate::cost::Cost;
use crate::diag::{code, did_you_mean, Diagnostic};
use crate::elab::{self, Cond, Step};
use crate::emit::{emit, CUnit};
use crate::exec::sizes::Sizes;
use crate::exec::{run, Toolchain};
use crate::intern::Symbol;
use crate::lower::{self, lower};
use crate::nest::Nest;
use crate::report::{self, Plan, Reassociation, Summary};
use crate::search::{self, Outcome, Trace};
use crate::source::LoadError;
use crate::term::{Program, Term};
use crate::{alloc, emit};
use std::collections::BTreeSet;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// The program to optimise (.rise): a file, or a shipped one such as `programs/mm.rise`
    #[arg(value_name = "PROGRAM", required_unless_present = "replay")]
    program: Option<String>,
    /// A sketch file (.sk) to go through; several follow one another. Without any, the program is
    /// compiled as it stands
    #[arg(long, value_name = "FILE")]
    sketch: Vec<String>,
    /// Where to write: names the first of the files to emit, the others stand beside it; `-` prints
    /// them [default: named after the kernel, in this folder]
    #[arg(short, value_name = "FILE")]
    output: Option<String>,
    /// What to write, separated by commas: when the kernel is not all you want to see
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "c,header",
        value_name = "WHAT"
    )]
    emit: Vec<Artefact>,
    /// Fixes a size of the program, which then leaves the kernel's signature, or changes a parameter
    /// of a sketch: `--set m=1024,tile=16`
    #[arg(long, value_delimiter = ',', value_name = "NAME=NUMBER")]
    set: Vec<Setting>,
    /// The definition to compile, when it is not the last of the file
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Ends a step at so many e-nodes; reproducible
    #[arg(long, value_name = "N")]
    node_limit: Option<u64>,
    /// Ends a step after so many iterations; reproducible
    #[arg(long, value_name = "N")]
    iter_limit: Option<u64>,
    /// Ends a step after so many seconds; what is found may then differ from run to run
    #[arg(long, value_name = "SECONDS")]
    time_limit: Option<u64>,
    /// Ends a step when the process holds so many bytes, as in 2G [default: four fifths of what the
    /// machine or its control group allows]
    #[arg(long, value_name = "BYTES")]
    memory_limit: Option<Bytes>,
    /// Searches for the last sketch with the rules of all steps at once: to see what guidance saves
    #[arg(long)]
    unguided: bool,
    /// Makes the kernel of a plan (`--emit plan`) again, byte for byte and without a search; with
    /// PROGRAM, only if that is still the plan's
    #[arg(
        long,
        value_name = "PLAN",
        conflicts_with_all = [
            "sketch", "set", "entry", "unguided",
            "node_limit", "iter_limit", "time_limit", "memory_limit",
        ]
    )]
    replay: Option<String>,
    /// Compiles the kernel, checks it on random inputs against the interpreter and the unoptimised
    /// kernel, and measures both
    #[arg(long)]
    run: bool,
    /// Seed of the random inputs of `--run`: another one gives other inputs
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// Threads that `--run` gives the kernel [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// How a search shows on standard error what it is doing
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    progress: Mode,
}

impl Args {
    /// Whether something of a search is asked for that does not take place.
    pub fn traces_a_replay(&self) -> bool {
        self.replay.is_some() && self.emit.contains(&Artefact::Trace)
    }
}

pub fn run(args: &Args, context: &mut Context) -> u8 {
    match job(args, context) {
        Ok(()) => 0,
        Err(diagnostics) => context.report(diagnostics),
    }
}

fn job(args: &Args, context: &mut Context) -> Result<(), Vec<Diagnostic>> {
    let input = match &args.replay {
        Some(path) => replay::load(path, args.program.as_deref(), context)?,
        None => load(args, context)?,
    };
    let outputs = Outputs::prepare(
        &args.emit,
        args.output.as_deref(),
        input.program.name.as_str(),
        &context.sources,
    )
    .map_err(|d| vec![d])?;
    let tool = match args.run {
        true => Some(Toolchain::find().map_err(|d| vec![d])?),
        false => None,
    };
    if let Some(warning) = tool.as_ref().and_then(Toolchain::warning) {
        context.report([warning]);
    }

    let progress = Progress::start(args.progress, context.json());
    let options = search::Options {
        observer: progress.observer(),
        ..limits(args)
    };
    let outcome = match &input.plan {
        Some((_, terms)) => Outcome {
            terms: terms.clone(),
            ..search::optimize(&input.program, &[], &options)
        },
        None => search::optimize(&input.program, &input.steps, &options),
    };
    drop(progress);
    if let Some(diagnosis) = &outcome.failure {
        return Err(vec![report::not_reached(diagnosis)]);
    }
    let found = Program {
        term: outcome.terms.last().unwrap_or(&input.program.term).clone(),
        ..input.program.clone()
    };
    // Who wants to see the term or the trace only may have a term that is no kernel yet.
    let (command, reassociation) = match &input.plan {
        Some((plan, _)) => (plan.command.clone(), plan.reassociation.clone()),
        None => (command_line(), reassociation(&input.steps, &outcome)),
    };
    let kernel = match args.run
        || [
            Artefact::C,
            Artefact::Header,
            Artefact::Nest,
            Artefact::Plan,
        ]
        .iter()
        .any(|a| outputs.wants(*a))
    {
        true => Some(Made::new(
            &found,
            &input.fixed,
            &command,
            outputs.header_name(),
        )?),
        false => None,
    };
    let plan = match outputs.wants(Artefact::Plan) {
        true => replay::save(&input, &args.set, &outcome.terms, command, &reassociation)
            .map_err(|d| vec![d])?,
        false => String::new(),
    };
    // Of the search and the lowering; the arrays of a run are the user's choice.
    let peak_bytes = alloc::peak();
    let measured = match (&tool, &kernel) {
        (Some(tool), Some(kernel)) => Some(measure(args, &input, &kernel.nest, tool)?),
        _ => None,
    };

    let abi = kernel.as_ref().map(|k| &k.unit.abi);
    let assumptions = abi.iter().flat_map(|a| &a.assumptions);
    let mut summary = Summary {
        version: 1,
        rise_opt: env!("CARGO_PKG_VERSION").to_string(),
        program: input.program.name.to_string(),
        kernel: kernel.as_ref().map(|k| declaration(&k.unit)),
        assumptions: assumptions.map(|a| a.to_string()).collect(),
        reassociation,
        peak_bytes,
        run: measured,
        files: Vec::new(),
        trace: outcome.trace,
    };
    let beside = outputs.to_stdout();
    summary.files = outputs
        .write(
            |a| text(a, kernel.as_ref(), &found, &summary.trace, &plan),
            context,
        )
        .map_err(|d| vec![d])?;
    let page = match context.json() {
        true => serde_json::to_string(&summary).unwrap_or_default() + "\n",
        false => report::human(&summary),
    };
    // What is emitted to standard output stays free of other text.
    match beside {
        true => context.error_line(page.trim_end()),
        false => context.print(&page),
    }
    Ok(())
}

/// What the files say.
pub(super) struct Input {
    pub program: Program,
    pub steps: Vec<Step>,
    /// Sizes of the program that `--set` fixes.
    pub fixed: Sizes,
    /// When it comes from a plan: that, and its terms.
    pub plan: Option<(Plan, Vec<Term>)>,
}

fn load(args: &Args, context: &mut Context) -> Result<Input, Vec<Diagnostic>> {
    let sources = &mut context.sources;
    let mut diagnostics = Vec::new();
    let path = args.program.as_deref().unwrap_or_default();
    let program = match sources.load(path) {
        Ok(file) => elab::program(sources, file, args.entry.as_deref())
            .map_err(|d| diagnostics.extend(d))
            .ok(),
        Err(e) => {
            diagnostics.push(no_program(path, e));
            None
        }
    };
    let costs = Cost::ALL.map(|(name, _)| name);
    let sizes = program.as_ref().map(|p| p.sizes.clone());
    let is_size = |s: &Setting| {
        let sizes = sizes.iter().flatten();
        sizes.copied().any(|n| n.as_str() == s.name)
    };
    let settings = args.set.iter().filter(|s| !is_size(s));
    let around = elab::Surroundings {
        sizes: sizes.as_deref(),
        settings: settings.map(|s| (s.name.clone(), s.value)).collect(),
        costs: &costs,
    };
    let mut steps = Vec::new();
    let mut params = BTreeSet::new();
    for path in &args.sketch {
        let guide = match sources.load(path) {
            Ok(file) => elab::steps(sources, file, &around),
            Err(e) => Err(vec![e.into()]),
        };
        match guide {
            Ok(guide) => {
                steps.extend(guide.steps);
                params.extend(guide.params.into_keys());
            }
            Err(d) => diagnostics.extend(d),
        }
    }
    let Some(program) = program.filter(|_| diagnostics.is_empty()) else {
        return Err(diagnostics);
    };
    for s in args.set.iter().filter(|s| !is_size(s)) {
        if !params.contains(&s.name) {
            diagnostics.push(unknown_setting(&s.name, &program, &params));
        }
    }
    if args.unguided {
        steps = search::unguided(&steps).into_iter().collect();
    }
    let fixed = args.set.iter().filter(|s| is_size(s));
    match diagnostics.is_empty() {
        true => Ok(Input {
            fixed: fixed.map(|s| (Symbol::new(&s.name), s.value)).collect(),
            program,
            steps,
            plan: None,
        }),
        false => Err(diagnostics),
    }
}

fn unknown_setting(name: &str, program: &Program, params: &BTreeSet<String>) -> Diagnostic {
    let sizes = program.sizes.iter().map(|s| s.as_str());
    let known: Vec<&str> = sizes.chain(params.iter().map(String::as_str)).collect();
    let what = format!("`{name}` is neither a size of the program nor a parameter of a sketch");
    let all = match known.is_empty() {
        true => "there is nothing to set".to_string(),
        false => format!("these can be set: {}", known.join(", ")),
    };
    Diagnostic::new(code::SET_UNKNOWN, what).help_near(name, known.iter().copied(), all)
}

/// What is no file may have been meant as a command.
pub(super) fn no_program(word: &str, e: LoadError) -> Diagnostic {
    let d = Diagnostic::from(e);
    match did_you_mean(word, ["check", "fmt", "doctor"]) {
        Some(help) if d.code == code::FILE_MISSING => d.help(help),
        _ => d,
    }
}

/// The user's limits; memory is always limited, because the system kills what takes all of it.
fn limits(args: &Args) -> search::Options {
    let machine = || alloc::available().map(|b| b / 5 * 4);
    search::Options {
        iterations: args.iter_limit,
        nodes: args.node_limit,
        seconds: args.time_limit,
        bytes: args.memory_limit.map(|b| b.0).or_else(machine),
        ..search::Options::default()
    }
}

/// A kernel in its two last forms.
struct Made {
    nest: Nest,
    unit: CUnit,
}

impl Made {
    fn new(
        found: &Program,
        fixed: &Sizes,
        command: &str,
        header_name: Option<String>,
    ) -> Result<Made, Vec<Diagnostic>> {
        let nest = lowered(found, fixed)?;
        let options = emit::Options {
            command: Some(command.to_string()),
            header_name,
        };
        let unit = emit(&nest, &options);
        Ok(Made { nest, unit })
    }
}

fn lowered(program: &Program, fixed: &Sizes) -> Result<Nest, Vec<Diagnostic>> {
    let options = lower::Options {
        fixed: fixed.clone(),
        ..lower::Options::default()
    };
    lower(program, &options).map_err(|d| vec![d])
}

fn measure(
    args: &Args,
    input: &Input,
    kernel: &Nest,
    tool: &Toolchain,
) -> Result<run::Report, Vec<Diagnostic>> {
    let unoptimised = lowered(&input.program, &Sizes::new())?;
    let [kernel, unoptimised] = [kernel, &unoptimised].map(|nest| {
        emit(
            nest,
            &emit::Options {
                command: None,
                header_name: Some(run::HEADER.to_string()),
            },
        )
    });
    let cores = || std::thread::available_parallelism().map_or(1, |n| n.get());
    let options = run::Options {
        seed: args.seed,
        threads: args.threads.map_or_else(cores, usize::from),
        fixed: input.fixed.clone(),
        ..run::Options::default()
    };
    run::run(&input.program, &kernel, &unoptimised, tool, &options).map_err(|d| vec![d])
}

fn text(
    artefact: Artefact,
    kernel: Option<&Made>,
    found: &Program,
    trace: &Trace,
    plan: &str,
) -> String {
    let made = |get: fn(&Made) -> String| kernel.map(get).unwrap_or_default();
    match artefact {
        Artefact::C => made(|k| k.unit.c.clone()),
        Artefact::Header => made(|k| k.unit.header.clone()),
        Artefact::Nest => made(|k| format!("{}\n", k.nest)),
        Artefact::Term => elab::program_text(found) + "\n",
        Artefact::Trace => trace_file(trace),
        Artefact::Plan => plan.to_string(),
    }
}

#[derive(serde::Serialize)]
struct TraceFile<'a> {
    rise_opt: &'a str,
    command: String,
    #[serde(flatten)]
    trace: &'a Trace,
}

fn trace_file(trace: &Trace) -> String {
    let file = TraceFile {
        rise_opt: env!("CARGO_PKG_VERSION"),
        command: command_line(),
        trace,
    };
    serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
}

/// The steps that may regroup sums, with the rules that did.
fn reassociation(steps: &[Step], outcome: &Outcome) -> Vec<Reassociation> {
    let permitted = steps.iter().zip(&outcome.trace.steps);
    let permitted = permitted.filter(|(step, _)| step.reassociate);
    permitted
        .map(|(step, trace)| {
            let regroups = |c: &Cond| matches!(c, Cond::Associative(_) | Cond::Commutative(_));
            let rules = step.rules.iter().map(|u| &u.rule);
            let rules = rules.filter(|r| r.conds.iter().any(regroups));
            let applied = |name: &str| {
                let all = trace.iterations.iter().flat_map(|i| &i.rules);
                all.clone()
                    .any(|r| r.applied > 0 && r.name.split('[').next() == Some(name))
            };
            let mut names: Vec<String> = rules
                .map(|r| r.name.to_string())
                .filter(|n| applied(n))
                .collect();
            names.dedup();
            Reassociation {
                step: step.name.clone(),
                rules: names,
            }
        })
        .collect()
}

/// `int mm(…)`, as the header has it.
fn declaration(unit: &CUnit) -> String {
    let start = format!("int {}(", unit.abi.name);
    let Some(at) = unit.header.find(&start) else {
        return unit.abi.name.clone();
    };
    let rest = &unit.header[at..];
    let end = rest.find(';').unwrap_or(rest.len());
    rest[..end].split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The command as one would type it again.
fn command_line() -> String {
    let mut words = vec!["rise-opt".to_string()];
    words.extend(std::env::args().skip(1).map(|word| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
        match !word.is_empty() && word.chars().all(plain) {
            true => word,
            false => format!("'{}'", word.replace('\'', "'\\''")),
        }
    }));
    words.join(" ")
}
