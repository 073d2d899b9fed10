//! `rise-opt compare PROGRAM --goal FILE …`: each goal is searched for with its guides and without.
//!
//! In: a program, goals, limits. Out: a table; JSON, CSV and a plot as files. Each search runs in a thread of
//! its own, whose tables of types and names go with it, and memory is the allocator's count less what
//! was held before: so no search pays for the one before it. Not reaching a goal is a result, no
//! failure. Absent: what is counted and how it is drawn (`report`).

use super::artefacts::{self, Forms};
use super::command_line;
use super::progress::{Mode, Progress};
use super::values::{memory_limit, setting, Bytes, Trusting};
use super::{Context, STACK_BYTES};
use crate::diag::{code, Diagnostic};
use crate::driver::{self, Files, Setting};
use crate::interrupt;
use crate::report::comparison::{self, Comparison, Goal, Limits, Run};
use crate::search;
use crate::source::SourceMap;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

/// Longer searches are not repeated: noise is a small part of them.
const LONG_SECONDS: f64 = 1.0;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// The program to search from (.rise)
    #[arg(value_name = "PROGRAM")]
    program: String,
    /// A sketch file (.sk) of the one goal; several follow one another, as in the main job
    #[arg(
        long,
        value_name = "FILE",
        required_unless_present = "goal",
        conflicts_with = "goal"
    )]
    sketch: Vec<String>,
    /// A goal with its sketch files, to compare several at once. A goal is called after its last file,
    /// and its book of rules after that file's folder
    #[arg(long, value_name = "[[BOOK/]NAME=]FILE[,FILE…]")]
    goal: Vec<GoalArg>,
    /// Where to write: names the first of the files to emit, the others stand beside it; `-` prints
    /// them [default: NAME.comparison.json for the program NAME, in this folder]
    #[arg(short, value_name = "FILE")]
    output: Option<String>,
    /// What to write, separated by commas
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "json,csv,svg",
        value_name = "WHAT"
    )]
    emit: Vec<Form>,
    /// Changes a parameter of the sketches: `--set tile=16`
    #[arg(long, value_delimiter = ',', value_name = "NAME=NUMBER", value_parser = setting)]
    pub set: Vec<Setting>,
    #[command(flatten)]
    trust: Trusting,
    /// The definition to search from, when it is not the last of the file
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Ends a step of either search at so many e-nodes; reproducible
    #[arg(long, value_name = "N")]
    node_limit: Option<u64>,
    /// Ends a step of either search after so many iterations; reproducible
    #[arg(long, value_name = "N")]
    iter_limit: Option<u64>,
    /// Ends either search after so many seconds: raise it when you want to know whether the unguided
    /// one gets there at all
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    time_limit: u64,
    /// Ends either search when the process holds so many bytes, as in 2G [default: four fifths of what
    /// the machine or its control group allows]
    #[arg(long, value_name = "BYTES")]
    memory_limit: Option<Bytes>,
    /// Repeats searches of less than a second so often and takes the one of median time: when small
    /// times matter
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=999))]
    samples: u16,
    /// How a search shows on standard error what it is doing; `off` leaves the times alone
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    progress: Mode,
}

#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Form {
    /// Everything, for programs
    Json,
    /// A row for each goal, search and iteration
    Csv,
    /// E-nodes over iterations, on a log scale
    Svg,
}

impl artefacts::Form for Form {
    fn extension(self) -> &'static str {
        match self {
            Form::Json => "json",
            Form::Csv => "csv",
            Form::Svg => "svg",
        }
    }
}

/// `general/blocking=split.sk,reorder.sk`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GoalArg {
    book: String,
    name: String,
    pub files: Vec<String>,
}

impl GoalArg {
    /// Called after its last file.
    fn of(files: &[String]) -> GoalArg {
        let last = files.last().map_or("", String::as_str);
        let path = Path::new(last);
        let word = |p: Option<&std::ffi::OsStr>| {
            p.map_or(String::new(), |w| w.to_string_lossy().into_owned())
        };
        GoalArg {
            book: word(path.parent().and_then(Path::file_name)),
            name: word(path.file_stem()),
            files: files.to_vec(),
        }
    }

    pub fn title(&self) -> String {
        if self.book.is_empty() {
            self.name.clone()
        } else {
            format!("{}/{}", self.book, self.name)
        }
    }
}

impl std::str::FromStr for GoalArg {
    type Err = String;

    fn from_str(text: &str) -> Result<GoalArg, String> {
        let (name, files) = match text.split_once('=') {
            Some((name, files)) => (Some(name), files),
            None => (None, text),
        };
        let files: Vec<String> = files.split(',').map(str::to_string).collect();
        if files.iter().any(String::is_empty) {
            return Err("a file has no name; write NAME=FILE,FILE".to_string());
        }
        let mut goal = GoalArg::of(&files);
        let Some(name) = name else {
            return Ok(goal);
        };
        (goal.book, goal.name) = match name.split_once('/') {
            Some((book, name)) => (book.to_string(), name.to_string()),
            None => (String::new(), name.to_string()),
        };
        if goal.name.trim().is_empty() {
            Err("the goal has no name; write NAME=FILE,FILE".to_string())
        } else {
            Ok(goal)
        }
    }
}

pub fn run(args: &Args, context: &mut Context) -> u8 {
    let done = job(args, context);
    context.ended(done)
}

fn job(args: &Args, context: &mut Context) -> Result<(), Vec<Diagnostic>> {
    let goals = if args.goal.is_empty() {
        vec![GoalArg::of(&args.sketch)]
    } else {
        args.goal.clone()
    };
    let program = check(args, &goals, context)?;
    let one = |d: Diagnostic| vec![d];
    let output = args.output.as_deref();
    let forms = Forms::prepare(&args.emit, output, "comparison", &program, &context.sources)
        .map_err(one)?;
    let limits = Limits {
        iterations: args.iter_limit,
        nodes: args.node_limit,
        seconds: Some(args.time_limit),
        bytes: memory_limit(args.memory_limit),
    };
    // What was compared until somebody gives up is a result, too.
    let gentle = interrupt::gentle();
    let found = compared(args, &goals, limits, context)?;
    drop(gentle);
    let stopped = driver::stopped(found.len(), goals.len(), "goals are compared");
    if found.is_empty() {
        return Err(stopped.into_iter().collect());
    }
    let comparison = Comparison {
        rise_opt: env!("CARGO_PKG_VERSION").to_string(),
        command: command_line(),
        program,
        limits,
        goals: found,
    };
    let page = if context.json() {
        comparison.to_json_line()
    } else {
        comparison::human(&comparison)
    };
    let text = |form| match form {
        Form::Json => comparison.to_json(),
        Form::Csv => comparison::csv(&comparison),
        Form::Svg => comparison::svg(&comparison),
    };
    forms.write(&page, text, context).map_err(one)?;
    stopped.map_or(Ok(()), |d| Err(vec![d]))
}

/// The goals one after another, up to the one at which somebody gave up.
fn compared(
    args: &Args,
    goals: &[GoalArg],
    limits: Limits,
    context: &mut Context,
) -> Result<Vec<Goal>, Vec<Diagnostic>> {
    let mode = match context.json() {
        true if args.progress == Mode::Auto => Mode::Off,
        _ => args.progress,
    };
    let mut found = Vec::new();
    for goal in goals {
        let searches = Searches {
            files: files(args, goal),
            limits,
            mode,
            samples: usize::from(args.samples),
        };
        let guided = searches.run(false, &mut context.sources)?;
        if interrupt::asked() {
            break;
        }
        let unguided = searches.run(true, &mut context.sources)?;
        // A search that was ended half-way says nothing of its goal.
        if interrupt::asked() {
            break;
        }
        found.push(Goal {
            book: goal.book.clone(),
            name: goal.name.clone(),
            sketches: goal.files.clone(),
            guided,
            unguided,
        });
    }
    Ok(found)
}

fn files<'a>(args: &'a Args, goal: &'a GoalArg) -> Files<'a> {
    Files {
        program: &args.program,
        entry: args.entry.as_deref(),
        sketches: &goal.files,
        set: &args.set,
        target: crate::target::Target::native(),
        trust: args.trust.trust(),
    }
}

/// Everything wrong with the goals, before any is searched for. Gives the program's name.
fn check(args: &Args, goals: &[GoalArg], context: &mut Context) -> Result<String, Vec<Diagnostic>> {
    let mut wrong: Vec<Diagnostic> = Vec::new();
    let mut name = String::new();
    let mut params = BTreeSet::new();
    for (i, goal) in goals.iter().enumerate() {
        let twin = |g: &GoalArg| (&g.book, &g.name) == (&goal.book, &goal.name);
        if goals[..i].iter().any(twin) {
            let what = format!("two goals are called `{}`", goal.title());
            wrong.push(
                Diagnostic::new(code::GOAL_TWICE, what)
                    .help("give one of them a name: `--goal NAME=FILE`"),
            );
        }
        match driver::load_any(&files(args, goal), &mut context.sources) {
            Ok((input, own)) => {
                name = input.program.name.to_string();
                params.extend(own);
            }
            // What several goals include is reported once.
            Err(found) => {
                for d in found {
                    if !wrong.contains(&d) {
                        wrong.push(d);
                    }
                }
            }
        }
    }
    if wrong.is_empty() {
        let unknown = args.set.iter().filter(|s| !params.contains(&s.name));
        wrong.extend(unknown.map(|s| unknown_parameter(&s.name, &params)));
    }
    if wrong.is_empty() {
        Ok(name)
    } else {
        Err(wrong)
    }
}

/// A search holds for all sizes, so there is nothing but parameters to set.
fn unknown_parameter(name: &str, params: &BTreeSet<String>) -> Diagnostic {
    let known: Vec<&str> = params.iter().map(String::as_str).collect();
    let all = if known.is_empty() {
        "there is nothing to set".to_string()
    } else {
        format!("these can be set: {}", known.join(", "))
    };
    let what = format!("`{name}` is no parameter of a sketch");
    Diagnostic::new(code::SET_UNKNOWN, what).help_near(name, known.iter().copied(), all)
}

/// How one goal is searched for.
struct Searches<'a> {
    files: Files<'a>,
    limits: Limits,
    mode: Mode,
    samples: usize,
}

impl Searches<'_> {
    fn run(&self, unguided: bool, sources: &mut SourceMap) -> Result<Run, Vec<Diagnostic>> {
        let mut runs = vec![self.once(unguided, sources)?];
        while runs.len() < self.samples && runs[0].seconds < LONG_SECONDS && !interrupt::asked() {
            runs.push(self.once(unguided, sources)?);
        }
        runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let middle = (runs.len() - 1) / 2;
        Ok(runs.swap_remove(middle))
    }

    /// In a new thread: ids belong to threads, and so what was interned goes with it.
    fn once(&self, unguided: bool, sources: &mut SourceMap) -> Result<Run, Vec<Diagnostic>> {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            let search = thread.spawn_scoped(scope, || self.search(unguided, sources));
            let search = search.map_err(|e| vec![no_thread(&e)])?;
            search
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn search(&self, unguided: bool, sources: &mut SourceMap) -> Result<Run, Vec<Diagnostic>> {
        let (mut input, _) = driver::load_any(&self.files, sources)?;
        if unguided {
            input.steps = search::unguided(&input.steps).into_iter().collect();
        }
        let progress = Progress::start(self.mode, false);
        let options = search::Options {
            iterations: self.limits.iterations,
            nodes: self.limits.nodes,
            seconds: self.limits.seconds,
            // All steps of it are one search.
            until: (self.limits.seconds).map(|s| Instant::now() + search::after(s, 1, 1)),
            bytes: self.limits.bytes,
            observer: progress.observer(),
            no_kernel: true,
            ..search::Options::default()
        };
        let outcome = search::optimize(&input.program, &input.steps, &options);
        Ok(Run::new(&outcome.trace, input.steps.len(), &self.limits))
    }
}

fn no_thread(e: &std::io::Error) -> Diagnostic {
    Diagnostic::new(
        code::NO_THREAD,
        format!("a search cannot be started: {}", e.kind()),
    )
    .help("end other programs, or allow this one more memory")
}
