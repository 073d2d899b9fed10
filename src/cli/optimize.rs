//! The main job: a program, through sketches, to a kernel in C.
//!
//! In: files and flags. Out: the artefacts, a summary. It reads like a table of contents: load (or
//! take a plan), prepare the outputs and the compiler, search, lower, run, write. What can fail for a reason of
//! the user's is tried before the search, what is written is written after everything succeeded.

use super::artefacts::{Artefact, ArtefactParser, Outputs};
use super::automatic::{self, Automatic, Found, Guides, Permission, Sum};
use super::egraph;
use super::progress::{Mode, Progress};
use super::record::record;
use super::values::{memory_limit, set_twice, setting, Bytes, Machine};
use super::{command_line, near_command, Context};
use crate::ctext;
use crate::diag::{code, Diagnostic};
use crate::driver::{
    self, declaration, Done, Files, Input, Kernel, Request, Running, Setting, Trust, Wanted,
};
use crate::elab;
use crate::emit::Contract;
use crate::exec::Toolchain;
use crate::index::Level;
use crate::nest::passes::{self, PASSES};
use crate::report::validation::{Agreement, TextFile, ValidationFile};
use crate::report::{self, ExcerptExtent, ProofFile, Record, Summary, TraceFile};
use crate::search::{self, Outcome};
use crate::validate::{Validation, Verdict};
use std::io::{self, Write};
use std::time::Instant;

/// Whether the loop program is compared with the term.
#[derive(clap::ValueEnum, Copy, Clone, PartialEq, Eq, Default, Debug)]
enum Validate {
    /// tells whether it is shown to compute the term at all sizes, and whether the C text says the same; a kernel that does
    /// not is refused, one of which it is not known within the questions that are asked is written all the same
    #[default]
    On,
    /// trusts lowering, the passes and the printer
    Off,
}

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
    #[arg(value_name = "PROGRAM", required_unless_present_any = ["replay", "passes"])]
    program: Option<String>,
    /// A sketch file (.sk) to go through; several follow one another. Without any, sketches are found as by `--auto`
    #[arg(long, value_name = "FILE")]
    sketch: Vec<String>,
    // By themselves, not flattened, as below.
    /// Finds the sketches itself, from the loops of the program and the machine: `model` takes what an estimate says is
    /// fastest, `tune` what is measured to be [default without a sketch: model]
    #[arg(
        long,
        value_enum,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "model",
        value_name = "HOW",
        conflicts_with_all = ["sketch", "replay", "unguided", "plain"]
    )]
    auto: Option<Automatic>,
    /// Finds the sketches between the program and the last sketch itself; those of the files are not used, their rules are
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        requires = "sketch",
        conflicts_with_all = ["auto", "plain", "replay"]
    )]
    guides: Option<Guides>,
    /// Compiles the program as it stands: to see what the other kernels are measured against
    #[arg(long, conflicts_with_all = ["sketch", "replay", "unguided"])]
    plain: bool,
    /// What may be done without a sketch beyond what is exact, separated by commas; the summary and the kernel say so
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "WHAT",
        conflicts_with_all = ["sketch", "replay", "unguided", "plain"]
    )]
    permit: Vec<Permission>,
    /// How sums of floats may be regrouped without a sketch; of `--permit reassociate` alone: fast. More exact than the program as it
    /// stands, or the same on all machines. `tree` forbids contraction, too
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        conflicts_with_all = ["sketch", "replay", "unguided", "plain"]
    )]
    sum: Option<Sum>,
    /// How long `--auto=tune` measures, as in 60s or 5m: no measurement begins after it
    /// [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = super::values::duration)]
    budget: Option<std::time::Duration>,
    /// A file of measurements of `--auto=tune`, one line of JSON each: what stands in it is not measured again, what is
    /// measured is added. With it, an interrupted run goes on
    #[arg(long, value_name = "FILE", requires = "auto")]
    records: Option<String>,
    /// Classes of sizes, each with a schedule of its own; the kernel chooses by its sizes. `1..64,64..512,512..` is about
    /// all sizes of the program together, the largest of which counts, `n=1..64,64..,m=1..8,8..` about single ones
    #[arg(
        long,
        value_name = "CLASSES",
        conflicts_with_all = ["sketch", "replay", "unguided", "plain"]
    )]
    sizes: Option<String>,
    /// Where to write: names one of the files to emit, by its ending or else the first; the others stand beside it. `-`
    /// prints them all, and so does whatever is no file, as /dev/stdout [default: named after the kernel, in this folder]
    #[arg(short, value_name = "FILE")]
    output: Option<String>,
    /// What to write, separated by commas: when the kernel is not all you want to see
    #[arg(
        long,
        value_parser = ArtefactParser,
        value_delimiter = ',',
        default_value = "c,header",
        value_name = "WHAT"
    )]
    emit: Vec<Artefact>,
    /// Lists the passes over loop programs in their order, what each does and why it stands there, and ends
    #[arg(long, exclusive = true)]
    passes: bool,
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
    #[arg(long, value_delimiter = ',', value_name = "NAME=NUMBER", value_parser = setting)]
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
    /// Ends a step at so many e-nodes; reproducible [default: the step's limit, else 500000]
    #[arg(long, value_name = "N")]
    node_limit: Option<u64>,
    /// Ends a step after so many iterations; reproducible [default: the step's limit, else 100]
    #[arg(long, value_name = "N")]
    iter_limit: Option<u64>,
    /// Ends a step after so many seconds, diagnosis and advice after a tenth of that; also all trials of `--auto` and of
    /// `--guides` together; what is found may then differ from run to run
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
    /// Whether the loop program of the kernel is shown to compute what was found, at all sizes that it accepts, see
    /// `rise-opt validate`
    #[arg(long, value_enum, default_value_t, value_name = "WHETHER")]
    validate: Validate,
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
    pub fn misuse(&self) -> Option<String> {
        let vain = self.in_vain().map(str::to_string);
        vain.or_else(|| set_twice(&self.set))
    }

    fn in_vain(&self) -> Option<&'static str> {
        let tunes = self.auto == Some(Automatic::Tune);
        if !tunes && self.budget.is_some() {
            return Some("`--budget` is for `--auto=tune`: nothing else measures schedules");
        }
        if tunes && self.sizes.is_some() {
            return Some(
                "`--sizes` is for `--auto=model`: what is measured is measured at one size",
            );
        }
        if !tunes && self.records.is_some() {
            return Some("`--records` is for `--auto=tune`: nothing else measures schedules");
        }
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
        if emits(Artefact::Sketch) && self.automatic().is_none() && self.guides.is_none() {
            return Some(
                "`--emit sketch` writes the sketches that are found: leave `--sketch` and `--plain` out, or add `--guides auto`",
            );
        }
        let in_vain = self.egraph().in_vain();
        in_vain
            .then_some("`--egraph-classes` and `--egraph-step` need `egraph` or `dot` in `--emit`")
    }

    /// How sketches are found, where there are none and the program is not wanted as it stands.
    fn automatic(&self) -> Option<Automatic> {
        let wanted =
            self.sketch.is_empty() && self.replay.is_none() && !self.plain && !self.unguided;
        wanted.then(|| self.auto.unwrap_or(Automatic::Model))
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
    fn contract(&self, input: &Input) -> Contract {
        match (&input.plan, self.contract) {
            (Some(planned), _) => planned.plan.contract,
            // Some machines contract, others do not.
            (None, _) if self.sum == Some(Sum::Tree) => Contract::Off,
            (None, Contraction::On) => Contract::On,
            (None, Contraction::Off) => Contract::Off,
        }
    }

    fn running(&self) -> Running {
        Running {
            seed: self.seed,
            threads: self.threads,
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

    fn program(&self) -> Option<&str> {
        self.program.as_deref()
    }

    /// The verdict on the kernel, if there is one and that is asked for, and what is to be said of it.
    fn validated(
        &self,
        done: &Done,
        request: &Request,
        (input, outcome): (&Input, &Outcome),
    ) -> (Option<ValidationFile>, Told) {
        let started = Instant::now();
        let judged = || {
            let found = done.validation(input, outcome)?;
            Ok(found.zip(done.text(request)?))
        };
        let both: Result<_, Diagnostic> = match self.validate {
            Validate::On => judged(),
            Validate::Off => return (None, Ok(None)),
        };
        match both {
            Ok(Some((found, text))) => {
                let order = done.basis.reordered.clone();
                let took = started.elapsed();
                let mut file = ValidationFile::new("the loop program", &found, order, took);
                file.text = Some(TextFile::new("the C text", &text));
                let told = verdict(&found, &text).map(Some).map_err(|d| vec![d]);
                (Some(file), told)
            }
            Ok(None) => (None, Ok(None)),
            Err(d) => {
                let why = format!("unknown: the loop program is not read: {}", d.message);
                (None, Ok(Some(why)))
            }
        }
    }

    fn request<'a>(
        &'a self,
        input: &'a Input,
        outputs: &Outputs,
        tool: Option<&'a Toolchain>,
    ) -> Request<'a> {
        // Who wants to see the term or the trace only may have a term that is no kernel yet.
        let kernel = match (self.run || outputs.wants_kernel(), outputs.wants_record()) {
            (true, _) => Wanted::Needed,
            (false, true) => Wanted::IfAny,
            (false, false) => Wanted::No,
        };
        Request {
            command: command_line(),
            set: &self.set,
            simplify: self.level(input),
            contract: self.contract(input),
            name: self.name(input),
            header: outputs.header_name(),
            fallback: self.on_mismatch == Mismatch::Fallback,
            kernel,
            proof: outputs.wants_proof(),
            plan: outputs.wants(Artefact::Plan),
            running: self.running(),
            tool,
        }
    }
}

/// What is told of a verdict, unless that is an error.
type Told = Result<Option<String>, Vec<Diagnostic>>;

pub fn run(args: &Args, context: &mut Context) -> u8 {
    if args.passes {
        context.print(&passes::listing());
        return 0;
    }
    let done = job(args, context);
    context.ended(done)
}

fn job(args: &Args, context: &mut Context) -> Result<(), Vec<Diagnostic>> {
    let one = |d: Diagnostic| vec![d];
    let mut input = load(args, context)?;
    let found = automatic(args, &mut input, context)?;
    let cut = args.egraph().cut(&input.steps).map_err(one)?;
    let outputs = Outputs::prepare(
        &args.emit,
        args.output.as_deref(),
        args.report.as_deref(),
        args.name(&input).unwrap_or(input.program.name.as_str()),
        &context.sources,
    )
    .map_err(one)?;
    let tool = (args.run.then(|| Toolchain::find_for(input.target))).transpose();
    let tool = tool.map_err(one)?;
    if let Some(warning) = tool.as_ref().and_then(Toolchain::warning) {
        context.report([warning]);
    }

    let progress = Progress::start(args.progress, context.json());
    let options = search::Options {
        observer: progress.observer(),
        cut,
        ..searching(args, &input, &outputs)
    };
    let searched = driver::search(&input, &options, &mut context.sources).map_err(one)?;
    drop(progress);
    let outcome = &searched.outcome;
    let request = args.request(&input, &outputs, tool.as_ref());
    let mut done = Done::new(&request, &input, outcome, &context.sources).map_err(one)?;
    let made = match searched.failure {
        Some(d) => Err(vec![d]),
        None => done.make(&request, &input, outcome),
    };
    let (judged, told) = match made {
        Ok(()) => args.validated(&done, &request, (&input, outcome)),
        Err(failure) => (None, Err(failure)),
    };
    // The arrays of a run are the user's choice.
    if done.run.is_none() {
        done.peak_bytes = crate::alloc::peak();
    }
    let (validation, failure) = match told {
        Ok(validation) => (validation, Vec::new()),
        Err(failure) => (None, failure),
    };
    let record = (outputs.wants_record()).then(|| {
        record(
            args.program(),
            &request,
            (&input, outcome),
            &done,
            (
                (found.as_ref()).and_then(|f| f.candidates(&input.program)),
                judged,
            ),
            &failure,
            context,
        )
    });
    let witness = |a, out: &mut dyn Write| witness(a, &input, outcome, record.as_ref(), out);
    if !failure.is_empty() {
        return Err(failed(failure, outputs, witness, record.as_ref()));
    }

    if let Some(kernel) = &done.kernel {
        context.report(kernel.warnings(&done.found));
    }
    let mut summary = summary(&input, outcome, &request, &done, found.as_ref());
    summary.validation = validation;
    let beside = outputs.to_stdout();
    let write = |a, out: &mut dyn Write| match text(a, &done, found.as_ref()) {
        Some(text) => out.write_all(text.as_bytes()),
        None => witness(a, out),
    };
    summary.files = outputs.write(write, record.as_ref()).map_err(one)?;
    let page = if context.json() {
        summary.to_json()
    } else {
        report::human(&summary)
    };
    // What is emitted to standard output stays free of other text.
    if beside {
        context.error_line(page.trim_end())
    } else {
        context.print(&page)
    }
    Ok(())
}

/// The input with the steps that were found for it, if that is asked for.
fn automatic(
    args: &Args,
    input: &mut Input,
    context: &mut Context,
) -> Result<Option<Found>, Vec<Diagnostic>> {
    let progress = Progress::start(args.progress, context.json());
    // All searches for a schedule or for guides are one to the user.
    let until = args
        .time_limit
        .map(|s| Instant::now() + search::after(s, 1, 1));
    let options = search::Options {
        observer: progress.observer(),
        until,
        ..limits(args)
    };
    let job = automatic::Job {
        trust: args.trust(),
        contract: args.contract(input),
        running: args.running(),
        options: &options,
    };
    let asked = automatic::Asked {
        auto: args.automatic(),
        guides: args.guides,
        permit: &args.permit,
        sum: args.sum,
        budget: args.budget.unwrap_or(automatic::BUDGET),
        records: args.records.as_deref(),
        sizes: args.sizes.as_deref(),
    };
    asked.find(input, &job, context)
}

/// The verdicts on the loop program and on its C text, in words; one that is wrong is an error.
pub fn verdict(found: &Validation, text: &ctext::Verdict) -> Result<String, Diagnostic> {
    let defect = |code, what: String| {
        Err(Diagnostic::new(code, what)
            .help("this is a defect of rise-opt: please report it, with the files"))
    };
    if let Verdict::Refuted(d) = &found.verdict {
        let what = format!("the loop program is wrong: where {}, {}", d.sizes, d.what);
        return defect(code::NOT_VALIDATED, what);
    }
    let text = TextFile::new("the C text", text);
    let says = match (text.verdict, text.sentence()) {
        (Agreement::Differs, Some(what)) => return defect(code::TEXT_DIFFERS, what),
        (_, Some(what)) => what,
        _ => "the C text says the same".to_string(),
    };
    let loops = report::validation::sentence(found);
    Ok(format!("{loops}; {says}"))
}

/// What went wrong, with what was written all the same: what says why.
fn failed(
    mut failure: Vec<Diagnostic>,
    outputs: Outputs,
    witness: impl Fn(Artefact, &mut dyn Write) -> io::Result<()>,
    record: Option<&Record>,
) -> Vec<Diagnostic> {
    match outputs.witnesses().write(witness, record) {
        Ok(files) if !files.is_empty() => {
            let written = format!("written: {}", files.join(" "));
            failure[0].notes.push(written);
        }
        Ok(_) => {}
        Err(d) => failure.push(d),
    }
    failure
}

fn load(args: &Args, context: &mut Context) -> Result<Input, Vec<Diagnostic>> {
    let sources = &mut context.sources;
    let (program, entry) = (args.program.as_deref(), args.entry.as_deref());
    let loaded = match &args.replay {
        Some(path) => driver::plan::load(path, program, entry, args.trust(), sources),
        None => {
            let files = Files {
                program: program.unwrap_or_default(),
                entry,
                sketches: &args.sketch,
                set: &args.set,
                target: args.target.target(),
                trust: args.trust(),
            };
            driver::load(&files, sources)
        }
    };
    match loaded {
        Ok(input) if args.unguided => Ok(input.unguided()),
        Ok(input) => Ok(input),
        Err(d) => Err(d.into_iter().map(|d| meant(program, d)).collect()),
    }
}

/// What is no file may have been meant as a command.
fn meant(program: Option<&str>, d: Diagnostic) -> Diagnostic {
    let missing = |word: &&str| d.code == code::FILE_MISSING && d.message.contains(*word);
    match program.filter(missing).and_then(near_command) {
        Some(help) => d.help(help),
        None => d,
    }
}

/// What is told of a job that reached its goal; its files are not yet written.
fn summary(
    input: &Input,
    outcome: &Outcome,
    request: &Request,
    done: &Done,
    found: Option<&Found>,
) -> Summary {
    let guides = match found {
        Some(Found::Guides(found)) => Some(found.tried.clone()),
        _ => None,
    };
    let abi = done.kernel.as_ref().map(|k| &k.unit.abi);
    let assumptions = abi.iter().flat_map(|a| &a.assumptions);
    let preferred = abi.iter().flat_map(|a| &a.preferred);
    Summary {
        rise_opt: env!("CARGO_PKG_VERSION").to_string(),
        program: input.program.name.to_string(),
        kernel: done.kernel.as_ref().map(|k| declaration(&k.unit)),
        assumptions: assumptions.map(|a| a.to_string()).collect(),
        falls_back_unless: preferred.map(|a| a.to_string()).collect(),
        reassociation: done.basis.reassociation.clone(),
        contract: request.contract,
        rounds: done.found.term.has_floats(),
        validation: None,
        approximations: (done.kernel.as_ref()).and_then(|k| k.nest.approximations()),
        unverified: done.basis.unverified.clone(),
        peak_bytes: done.peak_bytes,
        run: done.run.clone(),
        egraph: outcome.excerpt.as_ref().map(ExcerptExtent::of),
        files: Vec::new(),
        candidates: found.and_then(|f| f.candidates(&input.program)),
        guides,
        trace: outcome.trace.clone(),
    }
}

/// What a search has to keep for what was asked.
fn searching(args: &Args, input: &Input, outputs: &Outputs) -> search::Options {
    search::Options {
        parts: outputs.wants_record(),
        diagnose: true,
        // What texts say of permissions is read off the steps.
        prove: outputs.wants_proof()
            || !input.unverified.is_empty()
            || input.steps.iter().any(|s| s.reassociate),
        ..limits(args)
    }
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

/// The loop program before or after a pass.
fn around_pass(artefact: Artefact, done: &Done) -> String {
    let at = |name| PASSES.iter().position(|p| p.name == name).unwrap_or(0);
    let count = match artefact {
        Artefact::NestBefore(name) => at(name),
        Artefact::NestAfter(name) => at(name) + 1,
        _ => PASSES.len(),
    };
    let kernel = done.kernel.as_ref();
    // What was lowered before can be lowered again.
    let nest = kernel.and_then(|k| k.after_passes(&done.found, count).ok());
    nest.map_or(String::new(), |nest| format!("{nest}\n"))
}

/// What tells of the result.
fn text(artefact: Artefact, done: &Done, found: Option<&Found>) -> Option<String> {
    let made = |get: fn(&Kernel) -> String| done.kernel.as_ref().map(get).unwrap_or_default();
    Some(match artefact {
        Artefact::C => made(|k| k.unit.c.clone()),
        Artefact::Header => made(|k| k.unit.header.clone()),
        Artefact::Nest => made(|k| format!("{}\n", k.nest)),
        Artefact::NestBefore(_) | Artefact::NestAfter(_) => around_pass(artefact, done),
        Artefact::Queries => made(|k| k.queries.text()),
        Artefact::Loops => (done.loops()).map_or(String::new(), |l| l.to_json()),
        Artefact::Term => elab::program_text(&done.found) + "\n",
        Artefact::Plan => done.plan.clone(),
        Artefact::Sketch => found.map_or(String::new(), Found::text),
        Artefact::Proof => (done.proof.as_ref()).map_or(String::new(), ProofFile::to_json),
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
    let text = match (artefact, &outcome.excerpt) {
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
