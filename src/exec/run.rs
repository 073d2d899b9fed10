//! Is a kernel right, and how fast is it?
//!
//! In: a program, its kernel, the kernel of the unoptimised program. Out: a [`Report`], or the
//! diagnostic that says where they differ. At small sizes both kernels are compared with the
//! interpreter, each element within what rounding may make of it, on random inputs and on memory that ends where an array ends, with one thread and
//! with all. At a large size, which the interpreter cannot do, the kernel is compared with the
//! unoptimised one, and both are measured. With fixed sizes the kernel is compared where it can be.
//!
//! Absent: printing; whether a slow kernel is acceptable.

use super::arguments::{arguments, out_lens};
use super::array::{Numbers, TURNS};
use super::compare::{compare, Difference};
use super::compiled::{self, Compiled, Texts};
use super::explained::Results;
use super::flops::flops;
use super::kernel::{refusal, Setting, Signature};
use super::measure::{race, Options as Measuring, Timing};
use super::sizes::{Bound, Effort, Question, Sizes};
use super::toolchain::Toolchain;
use crate::diag::{code, Diagnostic};
use crate::emit::CUnit;
use crate::term::Program;
use job::{named, per_number, Job};
use serde::{Deserialize, Serialize};

mod exact;
pub(super) mod job;

pub use super::compiled::HEADER;

#[derive(Clone, Debug)]
pub struct Options {
    pub seed: u64,
    /// Threads of the kernels when they are measured.
    pub threads: usize,
    /// Sizes that the kernel was made for.
    pub fixed: Sizes,
    /// What the measured call may take at most.
    pub large: Bound,
    pub measuring: Measuring,
    /// Whether nothing of the kernel is regrouped, so that it has to be the same to the bit without contraction.
    pub exact: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            seed: 0,
            threads: 1,
            fixed: Sizes::new(),
            large: LARGE,
            measuring: Measuring::default(),
            exact: false,
        }
    }
}

/// What a run showed.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    pub compiler: String,
    pub flags: Vec<String>,
    pub seed: u64,
    pub threads: usize,
    pub compile_seconds: f64,
    /// What the compiler said about the kernel: nothing, one hopes.
    pub remarks: String,
    pub checks: Vec<Check>,
    /// Excluded sizes that the kernel refused, as it should.
    pub refused: Vec<Vec<(String, i64)>>,
    /// Sizes of the measurement.
    pub sizes: Vec<(String, i64)>,
    pub flops: f64,
    pub kernel: Timing,
    pub unoptimised: Timing,
}

impl Report {
    /// The largest relative error of all comparisons of the kernel.
    pub fn error(&self) -> f64 {
        let errors = self.checks.iter().filter(|c| c.what == Subject::Kernel);
        errors.map(|c| c.difference.error).fold(0.0, f64::max)
    }

    pub fn gflops(&self, timing: &Timing) -> f64 {
        self.flops / timing.best() / 1e9
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    Kernel,
    /// The kernel as its header recommends to compile it, but that nothing is contracted.
    Uncontracted,
    Unoptimised,
    Interpreter,
}

/// One comparison.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    pub what: Subject,
    pub against: Subject,
    pub sizes: Vec<(String, i64)>,
    pub threads: usize,
    pub difference: Difference,
}

/// What the interpreter does in a second or so.
pub(in crate::exec) const SMALL: Bound = Bound {
    work: 2e6,
    elements: 1e6,
    bytes: 1e8,
};
/// What a kernel does in a second, in memory that any machine has.
pub const LARGE: Bound = Bound {
    work: 2.2e9,
    elements: 1e9,
    bytes: 2.56e8,
};

/// Compiles, compares, measures.
pub fn run(
    program: &Program,
    kernel: &CUnit,
    unoptimised: &CUnit,
    tool: &Toolchain,
    options: &Options,
) -> Result<Report, Diagnostic> {
    // What is checked and measured is what the header says to compile.
    let tool = &tool.recommended();
    let both: Vec<_> = [kernel, unoptimised]
        .iter()
        .flat_map(|u| [&u.abi.assumptions[..], &u.abi.preferred].concat())
        .collect();
    let sized = Question {
        program,
        assumptions: both,
        fixed: &options.fixed,
    };
    let large = match sized.large(&options.large) {
        Some(sizes) => sizes,
        None => large_enough(&sized)?,
    };
    let (first, second) = build_both(tool, [kernel, unoptimised])?;
    let job = Job::new(program, options.seed, tool);
    let subjects = [
        (Subject::Kernel, kernel, &first),
        (
            Subject::Unoptimised,
            unoptimised,
            second.as_ref().unwrap_or(&first),
        ),
    ];
    let small = small_sizes(&sized, kernel, unoptimised);
    let mut checks = against_interpreter(&job, &subjects, (&sized, &small), options)?;
    if options.exact {
        checks.extend(exact::check(&job, &subjects, &sized, &small, options)?);
    }
    let mut refused = Vec::new();
    if let Some(sizes) = small.first() {
        refused = job.refusals(kernel, &first.exe, sizes, &options.fixed)?;
    }
    let effort = sized.effort(&large).ok_or_else(|| no_sizes(&sized))?;
    let (check, timings) = at_large(&job, &subjects, &large, &effort, options)?;
    checks.push(check);
    let mut timings = timings.into_iter();
    Ok(Report {
        compiler: tool.version.clone(),
        flags: tool.flags.iter().map(|f| f.to_string()).collect(),
        seed: options.seed,
        threads: options.threads,
        compile_seconds: first.exe.compile_time.as_secs_f64(),
        remarks: first.exe.remarks.clone(),
        checks,
        refused,
        sizes: named(program, &large),
        flops: flops(program, &large).unwrap_or_default(),
        kernel: timings.next().unwrap_or_default(),
        unoptimised: timings.next().unwrap_or_default(),
    })
}

/// What is looked at: as what it is written, and as what it is built. Two texts that are one are built once.
type Subjects<'a> = [(Subject, &'a CUnit, &'a Compiled<'a>); 2];

/// Sizes at which the interpreter can be asked about the kernel.
fn small_sizes(sized: &Question, kernel: &CUnit, unoptimised: &CUnit) -> Vec<Sizes> {
    let mut small = sized.small(&SMALL);
    // Sizes at which the kernel calls its fallback.
    if !kernel.abi.preferred.is_empty() {
        let all = Question {
            program: sized.program,
            assumptions: [&kernel.abi.assumptions[..], &unoptimised.abi.assumptions].concat(),
            fixed: sized.fixed,
        };
        for sizes in all.small(&SMALL) {
            if !small.contains(&sizes) {
                small.push(sizes);
            }
        }
    }
    // Besides, sizes 0 and 1 of one parameter after the other.
    let some = small.last().cloned();
    small.extend(some.map_or(Vec::new(), |s| sized.edges(&s)));
    small
}

/// Both kernels compared with the interpreter; the unoptimised one at sizes of its own if the other has none.
fn against_interpreter(
    job: &Job,
    subjects: &Subjects,
    (sized, small): (&Question, &[Sizes]),
    options: &Options,
) -> Result<Vec<Check>, Diagnostic> {
    let mut checks = Vec::new();
    for &(subject, unit, kernel) in subjects {
        let free = || {
            let question = Question {
                program: job.program,
                assumptions: unit.abi.assumptions.clone(),
                fixed: &Sizes::new(),
            };
            question.small(&SMALL)
        };
        let own = match subject {
            Subject::Unoptimised if small.is_empty() => free(),
            _ => small.to_vec(),
        };
        // What is compared to the bit gets the others then.
        let all_kinds = subject == Subject::Kernel && !options.exact;
        let kinds: &[Numbers] = if all_kinds {
            &Numbers::REGROUPED
        } else {
            &[Numbers::Unit]
        };
        for sizes in &own {
            for &numbers in kinds {
                let threads = options.threads;
                checks.extend(job.against_interpreter(
                    subject,
                    (unit, kernel),
                    sizes,
                    numbers,
                    threads,
                )?);
            }
        }
        let more = all_kinds.then(|| turns(unit, sized, small));
        for (sizes, numbers) in more.into_iter().flatten() {
            checks.extend(job.against_interpreter(subject, (unit, kernel), sizes, numbers, 1)?);
        }
    }
    Ok(checks)
}

/// What the interpreter does at once, again and again.
const QUICK: Bound = Bound {
    work: 2e4,
    elements: 2e4,
    bytes: 1e6,
};

/// At the largest sizes that take no time: each special number in its turn, where a parameter is one number.
fn turns<'a>(unit: &CUnit, sized: &Question, small: &'a [Sizes]) -> Vec<(&'a Sizes, Numbers)> {
    let mut slots = unit.abi.inputs.iter();
    if !slots.any(|s| s.dims.is_empty() && s.bound.is_none()) {
        return Vec::new();
    }
    let elements = |s: &Sizes| sized.effort(s).map_or(0.0, |e| e.elements);
    let quick = small.iter().filter(|s| sized.allowed(s, &QUICK));
    let most = quick.max_by(|a, b| elements(a).total_cmp(&elements(b)));
    let turn = |sizes: &'a Sizes| (0..TURNS).map(move |k| (sizes, Numbers::Turn(k)));
    most.into_iter().flat_map(turn).collect()
}

/// The large run: results first, then times.
fn at_large(
    job: &Job,
    subjects: &Subjects,
    large: &Sizes,
    effort: &Effort,
    options: &Options,
) -> Result<(Check, Vec<Timing>), Diagnostic> {
    let inputs = job.inputs(subjects[1].1, large)?;
    let mut sessions = Vec::new();
    let mut warm = Vec::new();
    let mut results = Vec::new();
    for &(_, unit, kernel) in subjects {
        let exe = &kernel.exe;
        let sizes = arguments(unit, large)?;
        let lens = out_lens(unit, large)?;
        let mut session = exe.start(&Setting {
            sizes: &sizes,
            inputs: &inputs,
            out_lens: &lens,
            threads: options.threads,
            guard: false,
        })?;
        let sample = session.call(1, options.measuring.limit)?;
        if sample.status != 0 {
            return Err(refusal(exe.name(), sample.status, &sizes));
        }
        results.push(session.outputs()?);
        warm.push(sample);
        sessions.push(session);
    }
    let operations = per_number(job.program, large, effort, &results[1]);
    let mut difference = compare(&results[0], &results[1], operations);
    let mut what = Subject::Kernel;
    if compiled::may_decide(job.program, &difference) {
        let again = |i: usize| {
            let (_, unit, kernel) = subjects[i];
            job.results(
                (unit, kernel.uncontracted()?),
                large,
                &inputs,
                options.threads,
            )
        };
        let (uncontracted, reference) = (again(0)?, again(1)?);
        difference = compare(&uncontracted, &reference, operations);
        what = Subject::Uncontracted;
        if !difference.agrees() {
            let results = Results {
                sizes: large,
                inputs: &inputs,
                got: &uncontracted,
                reference: &reference,
            };
            difference = job.explained(difference, &results)?;
        }
    }
    let pair = (what, Subject::Unoptimised);
    let check = job.judged(pair, large, options.threads, difference)?;
    drop(results);
    let timings = race(&mut sessions, &warm, &options.measuring)?;
    Ok((check, timings))
}

/// Fixed sizes may be beyond the bound: they are what the user wants.
fn large_enough(question: &Question) -> Result<Sizes, Diagnostic> {
    let all_fixed = question
        .program
        .sizes
        .iter()
        .all(|n| question.fixed.contains_key(n));
    if all_fixed && question.objection(question.fixed).is_none() {
        return Ok(question.fixed.clone());
    }
    let unbounded = Bound {
        work: f64::INFINITY,
        elements: f64::INFINITY,
        bytes: 16e9,
    };
    let smallest = question.small(&unbounded).into_iter().next();
    smallest.ok_or_else(|| no_sizes(question))
}

fn no_sizes(question: &Question) -> Diagnostic {
    let name = question.program.name;
    let what = format!("no sizes were found at which `{name}` can be run");
    let d = Diagnostic::new(code::RUN_SIZES, what);
    let all_fixed = question
        .program
        .sizes
        .iter()
        .all(|n| question.fixed.contains_key(n));
    let d = match question.objection(question.fixed) {
        Some(objection) if all_fixed => d.note(format!("the kernel assumes {objection}")),
        _ => question
            .assumptions
            .iter()
            .fold(d, |d, a| d.note(format!("the kernel assumes {a}"))),
    };
    d.help("give sizes that satisfy the assumptions, with `--set`")
}

/// Whether one program calls both kernels.
fn are_one([a, b]: [&CUnit; 2]) -> bool {
    (&a.c, &a.header) == (&b.c, &b.header) && Signature::of(&a.abi) == Signature::of(&b.abi)
}

/// Both at once: compiling takes longer than all comparing. Only the first, if they are one.
fn build_both<'a>(
    tool: &'a Toolchain,
    units: [&'a CUnit; 2],
) -> Result<(Compiled<'a>, Option<Compiled<'a>>), Diagnostic> {
    let texts = &units.map(Texts::of);
    std::thread::scope(|scope| {
        let build = |i: usize| texts[i].build(tool, &[]);
        let second = (!are_one(units)).then(|| scope.spawn(move || build(1)));
        let first = build(0)?;
        let second = second.map(|s| s.join().unwrap_or_else(|e| std::panic::resume_unwind(e)));
        let compiled = |i: usize, exe| Compiled::new(tool, units[i], exe, Vec::new());
        Ok((
            compiled(0, first),
            second.transpose()?.map(|exe| compiled(1, exe)),
        ))
    })
}
