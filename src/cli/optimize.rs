//! The main job: a program, through sketches, to a kernel in C.
//!
//! In: files and flags. Out: the artefacts, a summary. It reads like a table of contents: load (or
//! take a plan), prepare the outputs and the compiler, search, lower, run, write. What can fail for a reason of
//! the user's is tried before the search, what is written is written after everything succeeded.

use super::artefacts::{Artefact, Outputs};
use super::egraph;
use super::input::{self, Input, Planned};
use super::kernel::{declaration, measure, Made, Running};
use super::progress::{Mode, Progress};
use super::record::record;
use super::replay;
use super::trust::Trust;
use super::values::{memory_limit, Bytes, Machine, Setting};
use super::{why, Context};
use crate::alloc;
use crate::arith::Nat;
use crate::diag::{code, Diagnostic};
use crate::elab::{self, RuleDecl};
use crate::emit::Contract;
use crate::exec::{self, Toolchain};
use crate::index::Level;
use crate::interrupt;
use crate::lower;
use crate::report::{self, Basis, Excerpt, ProofFile, Reassociation, Record, Summary, TraceFile};
use crate::search::{self, Outcome};
use crate::term::{Program, Term};
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// What a kernel does with sizes that its assumptions exclude.
#[derive(clap::ValueEnum, Copy, Clone, PartialEq, Eq, Default, Debug)]
enum Mismatch {
    /// returns its error code: the caller has another way
    #[default]
    Error,
    /// calls the program as it stands, compiled beside it: every size works, some slowly
    Fallback,
}

/// How much is done to index arithmetic.
#[derive(clap::ValueEnum, Copy, Clone, PartialEq, Eq, Default, Debug)]
enum Simplify {
    /// nothing: as lowering writes it
    Off,
    /// constants are folded, terms ordered
    Fold,
    /// rules and what is known of sizes and loops
    #[default]
    Full,
}

/// Whether `a*b + c` is one rounding or two.
#[derive(clap::ValueEnum, Copy, Clone, PartialEq, Eq, Default, Debug)]
enum Contraction {
    /// as the compiler decides: fast
    #[default]
    On,
    /// two, always
    Off,
}

#[derive(clap::Args, Debug)]
pub struct Args {
    /// The program to optimise (.rise): a file, or a shipped one such as `programs/mm.rise`
    #[arg(value_name = "PROGRAM", required_unless_present = "replay")]
    program: Option<String>,
    /// A sketch file (.sk) to go through; several follow one another. Without any, the program is
    /// compiled as it stands
    #[arg(long, value_name = "FILE")]
    sketch: Vec<String>,
    /// Where to write: names one of the files to emit, by its ending or else the first; the others stand beside it. `-`
    /// prints them all, and so does whatever is no file, as /dev/stdout [default: named after the kernel, in this folder]
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
    /// Writes a page that shows the whole run, to be opened in a browser: how the graph grew, the term after each
    /// step, loops beside C, what was checked. Also, and above all, when a goal is not reached
    #[arg(long, value_name = "FILE.html")]
    report: Option<String>,
    /// How many classes of the e-graph `--emit egraph,dot` shows, those nearest to the program first:
    /// more when the part that you look for is not there [default: 200]
    #[arg(long, value_name = "N")]
    egraph_classes: Option<usize>,
    /// The step whose e-graph `--emit egraph,dot` shows [default: the last that was run]
    #[arg(long, value_name = "STEP")]
    egraph_step: Option<String>,
    /// Fixes a size of the program, which then leaves the kernel's signature, or changes a parameter
    /// of a sketch: `--set m=1024,tile=16`
    #[arg(long, value_delimiter = ',', value_name = "NAME=NUMBER")]
    set: Vec<Setting>,
    // By itself, not flattened as elsewhere: clap would not see that the main job is meant.
    /// Uses rules that could be neither proved nor refuted, too: when you have checked yours by hand. The report names
    /// them
    #[arg(long)]
    allow_unverified: bool,
    /// The definition to compile, when it is not the last of the file
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// What the C function is called, and its files: when one program has several kernels in it
    /// [default: as the definition]
    #[arg(long, value_name = "NAME", value_parser = super::values::function_name)]
    name: Option<String>,
    /// Ends a step at so many e-nodes; reproducible
    #[arg(long, value_name = "N")]
    node_limit: Option<u64>,
    /// Ends a step after so many iterations; reproducible
    #[arg(long, value_name = "N")]
    iter_limit: Option<u64>,
    /// Ends a step after so many seconds, the search for advice after a tenth of that; what is found may then differ from
    /// run to run
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
            "sketch", "set", "name", "unguided", "target", "simplify", "contract",
            "node_limit", "iter_limit", "time_limit", "memory_limit",
        ]
    )]
    replay: Option<String>,
    /// Whether compilers may contract `a*b + c` into one rounding: `off` when results have to be the same to the bit
    /// on every machine and with every compiler
    #[arg(long, value_enum, default_value_t, value_name = "WHETHER")]
    contract: Contraction,
    /// What the kernel does with sizes that it was not made for
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    on_mismatch: Mismatch,
    /// How much is done to the index arithmetic of the kernel: less than `full` to see what the rules are good for
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    simplify: Simplify,
    /// Compiles the kernel, checks it on random inputs against the interpreter and the unoptimised
    /// kernel, and measures both
    #[arg(long)]
    run: bool,
    /// The machine that the kernel is for: its vector registers decide what sketches mean by
    /// `target.f32lanes` and `target.registers`, and which vectors the C text has
    #[arg(
        long,
        value_enum,
        default_value_t,
        hide_possible_values = true,
        value_name = Machine::names()
    )]
    target: Machine,
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
    /// What is asked for in vain.
    pub fn misuse(&self) -> Option<&'static str> {
        let emits = |a| self.emit.contains(&a);
        let replays = self.replay.is_some();
        if replays && self.entry.is_some() && self.program.is_none() {
            return Some("`--replay` without PROGRAM has one definition: `--entry` is of no use");
        }
        if replays && emits(Artefact::Trace) {
            return Some("`--replay` does not search: there is no trace to emit");
        }
        if replays && egraph::SHOW.into_iter().any(emits) {
            return Some("`--replay` does not search: there is no e-graph to emit");
        }
        let in_vain = self.egraph().in_vain();
        in_vain
            .then_some("`--egraph-classes` and `--egraph-step` need `egraph` or `dot` in `--emit`")
    }

    /// Of a plan, its own.
    fn level(&self, input: &Input) -> Level {
        match (&input.plan, self.simplify) {
            (Some(planned), _) => planned.plan.simplify,
            (None, Simplify::Off) => Level::Off,
            (None, Simplify::Fold) => Level::Fold,
            (None, Simplify::Full) => Level::Full,
        }
    }

    /// What the function is called, if not as the program; of a plan, its own.
    fn name<'a>(&'a self, input: &'a Input) -> Option<&'a str> {
        match &input.plan {
            Some(planned) => planned.plan.name.as_deref(),
            None => self.name.as_deref(),
        }
    }

    /// Of a plan, its own.
    pub(super) fn contract(&self, input: &Input) -> Contract {
        match (&input.plan, self.contract) {
            (Some(planned), _) => planned.plan.contract,
            (None, Contraction::On) => Contract::On,
            (None, Contraction::Off) => Contract::Off,
        }
    }

    fn trust(&self) -> Trust {
        Trust {
            allow_unverified: self.allow_unverified,
        }
    }

    fn egraph(&self) -> egraph::Asked<'_> {
        egraph::Asked {
            emit: &self.emit,
            classes: self.egraph_classes,
            step: self.egraph_step.as_deref(),
        }
    }

    pub(super) fn program(&self) -> Option<&str> {
        self.program.as_deref()
    }

    pub(super) fn settings(&self) -> &[Setting] {
        &self.set
    }

    pub(super) fn runs(&self) -> bool {
        self.run
    }

    pub(super) fn running(&self) -> Running {
        Running {
            seed: self.seed,
            threads: self.threads,
        }
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
        Some(path) => replay::load(
            path,
            args.program.as_deref(),
            args.entry.as_deref(),
            args.trust(),
            context,
        )?,
        None => load(args, context)?,
    };
    let cut = args.egraph().cut(&input.steps).map_err(|d| vec![d])?;
    let outputs = Outputs::prepare(
        &args.emit,
        args.output.as_deref(),
        args.report.as_deref(),
        args.name(&input).unwrap_or(input.program.name.as_str()),
        &context.sources,
    )
    .map_err(|d| vec![d])?;
    let tool = match args.run {
        true => Some(Toolchain::find_for(input.target).map_err(|d| vec![d])?),
        false => None,
    };
    if let Some(warning) = tool.as_ref().and_then(Toolchain::warning) {
        context.report([warning]);
    }

    let progress = Progress::start(args.progress, context.json());
    let options = search::Options {
        observer: progress.observer(),
        parts: outputs.wants_record(),
        diagnose: true,
        // What texts say of permissions is read off the steps.
        prove: outputs.wants_proof()
            || !input.unverified.is_empty()
            || input.steps.iter().any(|s| s.reassociate),
        cut,
        ..limits(args)
    };
    let gentle = interrupt::gentle();
    let outcome = match &input.plan {
        Some(plan) => Outcome {
            terms: plan.terms.clone(),
            obliged: plan.obliged.clone(),
            proof: Some(Ok(plan.proof.clone())),
            ..search::optimize(&input.program, &[], &options)
        },
        None => search::optimize(&input.program, &input.steps, &options),
    };
    let advised = (outcome.failure.as_ref())
        .map(|diagnosis| not_reached(&input, &outcome, diagnosis, &options, context));
    drop((progress, gentle));
    if interrupt::asked() && advised.is_none() {
        return Err(vec![found_too_late()]);
    }
    let mut came = Came::new(&input, &outcome);
    if input.plan.is_none() {
        came.rest_on_proof(&input, &outcome, &outputs, context)?;
    }
    let mut failure = match advised {
        Some(d) => vec![d],
        None => go_on(
            args,
            &input,
            &outputs,
            tool.as_ref(),
            &outcome.terms,
            &mut came,
        )
        .err()
        .unwrap_or_default(),
    };
    let record = match outputs.wants_record() {
        true => Some(record(args, &input, &outcome, &came, &failure, context)),
        false => None,
    };
    if let Some(first) = failure.first_mut() {
        // Nothing else is right; these say why.
        let texts = |a, out: &mut dyn Write| witness(a, &input, &outcome, record.as_ref(), out);
        let written = outputs.witnesses().write(texts, record.as_ref());
        match written {
            Ok(files) if !files.is_empty() => {
                first.notes.push(format!("written: {}", files.join(" ")));
            }
            Ok(_) => {}
            Err(d) => failure.push(d),
        }
        return Err(failure);
    }

    let abi = came.kernel.as_ref().map(|k| &k.unit.abi);
    let assumptions = abi.iter().flat_map(|a| &a.assumptions);
    let preferred = abi.iter().flat_map(|a| &a.preferred);
    let mut summary = Summary {
        rise_opt: env!("CARGO_PKG_VERSION").to_string(),
        program: input.program.name.to_string(),
        kernel: came.kernel.as_ref().map(|k| declaration(&k.unit)),
        assumptions: assumptions.map(|a| a.to_string()).collect(),
        falls_back_unless: preferred.map(|a| a.to_string()).collect(),
        reassociation: came.basis.reassociation.clone(),
        contract: args.contract(&input),
        unverified: came.basis.unverified.clone(),
        peak_bytes: came.peak_bytes,
        run: came.run.clone(),
        egraph: outcome.cutout.as_ref().map(Excerpt::of),
        files: Vec::new(),
        trace: outcome.trace.clone(),
    };
    let beside = outputs.to_stdout();
    summary.files = outputs
        .write(
            |a, out| match text(a, &came) {
                Some(text) => out.write_all(text.as_bytes()),
                None => witness(a, &input, &outcome, record.as_ref(), out),
            },
            record.as_ref(),
        )
        .map_err(|d| vec![d])?;
    let page = match context.json() {
        true => summary.to_json(),
        false => report::human(&summary),
    };
    // What is emitted to standard output stays free of other text.
    match beside {
        true => context.error_line(page.trim_end()),
        false => context.print(&page),
    }
    Ok(())
}

/// What the job came to, as far as it came.
pub(super) struct Came {
    /// The program with the last term.
    pub found: Program,
    /// The command that searched.
    pub command: String,
    /// What the way to it rests on.
    pub basis: Basis,
    /// Sizes that the way to the last term speaks of, beyond its own.
    pub obliged: Vec<Nat>,
    pub kernel: Option<Made>,
    pub plan: String,
    pub proof: Option<ProofFile>,
    pub run: Option<exec::run::Report>,
    /// Of the search and the lowering; the arrays of a run are the user's choice.
    pub peak_bytes: u64,
}

impl Came {
    fn new(input: &Input, outcome: &Outcome) -> Came {
        let (command, basis) = match &input.plan {
            Some(Planned { plan, basis, .. }) => (plan.command.clone(), basis.clone()),
            None => (command_line(), permitted(input, outcome)),
        };
        Came {
            found: Program {
                term: outcome.terms.last().unwrap_or(&input.program.term).clone(),
                ..input.program.clone()
            },
            command,
            basis,
            obliged: outcome.obliged.clone(),
            kernel: None,
            plan: String::new(),
            proof: input.plan.as_ref().and_then(|p| p.plan.proof.clone()),
            run: None,
            peak_bytes: alloc::peak(),
        }
    }

    /// Replaces what the steps may rest on by what their proof shows.
    fn rest_on_proof(
        &mut self,
        input: &Input,
        outcome: &Outcome,
        outputs: &Outputs,
        context: &Context,
    ) -> Result<(), Vec<Diagnostic>> {
        match why::proved(outcome) {
            Ok(Some((proof, holds))) => {
                let unverified = |r: &RuleDecl| input.unverified.iter().any(|u| u.span == r.span);
                self.basis = Basis::of(proof, &holds, unverified);
                let command = self.command.clone();
                let file = ProofFile::new(proof, &input.program, command, &context.sources);
                self.proof = Some(file);
                Ok(())
            }
            Err(d) if outputs.wants_proof() => Err(vec![d]),
            // The kernel is right all the same; what its texts say is what the search permits.
            _ => Ok(()),
        }
    }
}

/// From the term that was found to a kernel that was run, as far as that is asked for.
fn go_on(
    args: &Args,
    input: &Input,
    outputs: &Outputs,
    tool: Option<&Toolchain>,
    terms: &[Term],
    came: &mut Came,
) -> Result<(), Vec<Diagnostic>> {
    let asked = replay::Asked {
        set: &args.set,
        simplify: args.level(input),
        contract: args.contract(input),
        name: args.name(input),
        command: came.command.clone(),
        proof: came.proof.clone(),
    };
    let plan = replay::plan(input, asked, (terms, &came.obliged), &came.basis);
    // Who wants to see the term or the trace only may have a term that is no kernel yet.
    let needed = args.run || outputs.wants_kernel();
    if needed || outputs.wants_record() {
        let header = outputs.header_name();
        let plain = (args.on_mismatch == Mismatch::Fallback).then_some(&input.program);
        let lowering = lower::Options {
            fixed: input.fixed.clone(),
            obliged: came.obliged.clone(),
            target: input.target,
            simplify: args.level(input),
            name: args.name(input).map(str::to_string),
            ..lower::Options::default()
        };
        let (target, contract) = (input.target, args.contract(input));
        let origin = (came.basis).origin(
            (&plan.command, &plan.hash()),
            &input.program,
            &came.found.term,
        );
        let made = Made::new(
            &came.found,
            plain,
            &lowering,
            target,
            contract,
            origin,
            header,
        );
        match made {
            Ok(made) => came.kernel = Some(made),
            Err(d) if needed => return Err(d),
            Err(_) => {}
        }
    }
    came.peak_bytes = alloc::peak();
    if outputs.wants(Artefact::Plan) {
        came.plan = plan.to_json(&input.program, terms).map_err(|d| vec![d])?;
    }
    if let (Some(tool), Some(kernel)) = (tool, &came.kernel) {
        let exact = came.basis.is_exact();
        let contract = (args.contract(input), exact);
        came.run = Some(measure(
            &args.running(),
            input,
            &kernel.nest,
            contract,
            tool,
        )?);
    }
    Ok(())
}

fn load(args: &Args, context: &mut Context) -> Result<Input, Vec<Diagnostic>> {
    let files = input::Files {
        program: args.program.as_deref().unwrap_or_default(),
        entry: args.entry.as_deref(),
        sketches: &args.sketch,
        set: &args.set,
        target: args.target.target(),
        trust: args.trust(),
    };
    let mut input = input::load(&files, &mut context.sources)?;
    if args.unguided {
        input.steps = search::unguided(&input.steps).into_iter().collect();
    }
    Ok(input)
}

/// Why a step was not reached, with advice that is looked for only now.
pub(super) fn not_reached(
    input: &Input,
    outcome: &Outcome,
    diagnosis: &search::Diagnosis,
    options: &search::Options,
    context: &mut Context,
) -> Diagnostic {
    let known = search::Known {
        rules: elab::shipped_rules(&mut context.sources),
        params: input.params.clone().into_iter().collect(),
    };
    let term = outcome.terms.last().unwrap_or(&input.program.term);
    let step = input.steps.get(outcome.terms.len());
    let step = step.filter(|_| !interrupt::asked());
    let tenth = options
        .seconds
        .map(|s| Duration::from_millis(s.saturating_mul(100)));
    let options = search::Options {
        until: tenth.and_then(|t| Instant::now().checked_add(t)),
        ..options.clone()
    };
    let advice = step.map(|s| search::advise(s, term, diagnosis, &known, &options));
    let names: Vec<_> = input.program.params.iter().map(|p| p.0).collect();
    let mut d = report::not_reached(diagnosis, advice.as_ref(), &names);
    if interrupt::asked() {
        // Perhaps only the search for advice was.
        d.code = code::INTERRUPTED;
    }
    d
}

/// A search that found everything just when somebody gave up on it.
pub(super) fn found_too_late() -> Diagnostic {
    let what = "interrupted when the search had ended";
    Diagnostic::new(code::INTERRUPTED, what).help("run it again: nothing was written")
}

/// The user's limits.
fn limits(args: &Args) -> search::Options {
    search::Options {
        iterations: args.iter_limit,
        nodes: args.node_limit,
        seconds: args.time_limit,
        bytes: memory_limit(args.memory_limit),
        ..search::Options::default()
    }
}

/// What tells of the result.
fn text(artefact: Artefact, came: &Came) -> Option<String> {
    let made = |get: fn(&Made) -> String| came.kernel.as_ref().map(get).unwrap_or_default();
    Some(match artefact {
        Artefact::C => made(|k| k.unit.c.clone()),
        Artefact::Header => made(|k| k.unit.header.clone()),
        Artefact::Nest => made(|k| format!("{}\n", k.nest)),
        Artefact::Queries => made(|k| k.queries.text()),
        Artefact::Term => elab::program_text(&came.found) + "\n",
        Artefact::Plan => came.plan.clone(),
        Artefact::Proof => (came.proof.as_ref()).map_or(String::new(), ProofFile::to_json),
        Artefact::Trace | Artefact::Record | Artefact::Egraph | Artefact::Dot => return None,
    })
}

/// What tells of the job, whether it reached its goal or not.
fn witness(
    artefact: Artefact,
    input: &Input,
    outcome: &Outcome,
    record: Option<&Record>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let name = input.program.name.as_str();
    let text = match (artefact, &outcome.cutout) {
        (Artefact::Egraph, Some(c)) => {
            return report::egraph_json(c, name, &command_line(), out);
        }
        (Artefact::Dot, Some(c)) => return report::egraph_dot(c, name, out),
        (Artefact::Trace, _) => TraceFile::new(&outcome.trace, command_line()).to_json(),
        (Artefact::Record, _) => record.map(Record::to_json).unwrap_or_default(),
        _ => String::new(),
    };
    out.write_all(text.as_bytes())
}

/// What the steps may rest on, where no proof says more: rules that were applied anywhere.
fn permitted(input: &Input, outcome: &Outcome) -> Basis {
    let permitted = input.steps.iter().zip(&outcome.trace.steps);
    let permitted = permitted.filter(|(step, _)| step.reassociate);
    let reassociation = permitted
        .map(|(step, trace)| {
            let rules = step.rules.iter().map(|u| &u.rule);
            let rules = rules.filter(|r| r.regroups());
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
        .collect();
    let unverified = input.unverified.iter();
    Basis {
        reassociation,
        unverified: unverified.map(|r| r.name.to_string()).collect(),
    }
}

/// The command as one would type it again.
pub(super) fn command_line() -> String {
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
