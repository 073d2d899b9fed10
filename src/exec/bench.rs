//! Kernels of one program against each other and against libraries, at several sizes.
//!
//! In: a program with its unoptimised kernel, contestants, sizes, numbers of threads. Out: a
//! [`Measurement`]. The reference of a size is what the unoptimised kernel computes there; it is
//! itself compared with the interpreter at small sizes first. Invariant: nothing is timed whose
//! result was not compared with the reference of that size just before. A contestant that computes
//! something else ends the bench; a library that does is no peer of this program, and named as such.
//!
//! Absent: where contestants come from, printing.

mod data;
mod round;

pub use data::{Contestant, Kind, Measurement, Method, Outcome, Place, Round};

use super::array::Numbers;
use super::compiled::{Compiled, Texts};
use super::kernel::Kernel;
use super::measure::Options as Measuring;
use super::peer::{self, Form, Peer, Presence};
use super::run::job::Job;
use super::run::{Subject, SMALL};
use super::sizes::{Question, Sizes};
use super::toolchain::Toolchain;
use crate::diag::{code, Diagnostic};
use crate::emit::CUnit;
use crate::interrupt;
use crate::nest::Abi;
use crate::target::Target;
use crate::term::Program;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A kernel that takes part.
pub struct Entry {
    pub name: String,
    pub kind: Kind,
    /// Where it comes from, as the user named it.
    pub file: Option<String>,
    pub target: Target,
    /// Sizes that it was made for.
    pub fixed: Sizes,
    /// Its text; the header is included as [`HEADER`].
    pub unit: CUnit,
    /// Where a text of the user's finds what it includes.
    pub folder: Option<PathBuf>,
}

pub struct Options<'a> {
    pub seed: u64,
    pub sizes: Vec<Sizes>,
    pub threads: Vec<usize>,
    pub measuring: Measuring,
    /// Whether libraries take part.
    pub peers: bool,
    /// Whether the unoptimised kernel is measured; it is the reference in any case.
    pub unoptimised: bool,
    /// Is told what happens next.
    pub progress: &'a dyn Fn(&str),
}

/// A contestant that was compiled.
struct Built<'a> {
    entry: &'a Entry,
    kernel: Compiled<'a>,
}

/// A library, and what of it may be the program.
struct Candidate {
    peer: Peer,
    /// Forms that are left to try, the next one last.
    forms: Vec<Form>,
    /// The one that computed the same at the size before.
    chosen: Option<(Form, Kernel)>,
}

/// Everything that holds for all sizes.
struct Bench<'a> {
    job: Job<'a>,
    unoptimised: &'a Entry,
    reference: Compiled<'a>,
    built: Vec<Built<'a>>,
    candidates: Vec<Candidate>,
    tool: &'a Toolchain,
    options: &'a Options<'a>,
}

/// What a bench found, before somebody says where and when.
pub struct Found {
    pub contestants: Vec<Contestant>,
    pub peers: Vec<Presence>,
    pub rounds: Vec<Round>,
}

/// Compiles, compares, measures, up to the round at which somebody gave up. There is a toolchain for the target of each entry.
pub fn bench(
    program: &Program,
    unoptimised: &Entry,
    entries: &[Entry],
    tools: &BTreeMap<Target, Toolchain>,
    options: &Options,
) -> Result<Found, Diagnostic> {
    let tool = tool_for(tools, unoptimised)?;
    for sizes in &options.sizes {
        valid(program, &unoptimised.unit.abi, sizes)?;
    }
    (options.progress)("compiling");
    let reference = build(tool, unoptimised)?;
    // Whoever writes C asks for the machine at hand, and gets the width that compilers choose there.
    let usual: BTreeMap<Target, Toolchain> = tools
        .iter()
        .map(|(target, tool)| (*target, tool.usual()))
        .collect();
    let mut built = Vec::new();
    for entry in entries {
        let own = if entry.kind == Kind::C { &usual } else { tools };
        let tool = tool_for(own, entry)?;
        let kernel = build(tool, entry)?;
        built.push(Built { entry, kernel });
    }
    let (peers, presences) = if options.peers {
        peer::find(tool)?
    } else {
        Default::default()
    };
    let mut contestants: Vec<Contestant> = built
        .iter()
        .map(|b| Contestant::of(b.entry, &b.kernel.exe))
        .collect();
    if options.unoptimised {
        contestants.push(Contestant::of(unoptimised, &reference.exe));
    }
    let mut forms = peer::forms(&unoptimised.unit.abi);
    forms.reverse();
    for p in &peers {
        contestants.push(Contestant::peer(p));
    }
    let candidates = peers.into_iter().map(|peer| Candidate {
        peer,
        forms: forms.clone(),
        chosen: None,
    });
    let mut bench = Bench {
        job: Job::new(program, options.seed, tool),
        unoptimised,
        reference,
        built,
        candidates: candidates.collect(),
        tool,
        options,
    };
    bench.trust_the_reference()?;
    let mut rounds = Vec::new();
    for sizes in &options.sizes {
        if interrupt::asked() {
            break;
        }
        rounds.extend(bench.rounds(sizes)?);
    }
    Ok(Found {
        contestants,
        peers: presences,
        rounds,
    })
}

fn tool_for<'a>(
    tools: &'a BTreeMap<Target, Toolchain>,
    entry: &Entry,
) -> Result<&'a Toolchain, Diagnostic> {
    tools.get(&entry.target).ok_or_else(|| {
        let what = format!("there is no compiler for {}", entry.target);
        Diagnostic::new(code::TARGET_FLAGS, what).help("set CC to a compiler for that target")
    })
}

/// What a text of the user's is compiled with besides.
fn flags(entry: &Entry) -> Vec<String> {
    let folder = entry.folder.iter();
    folder
        .flat_map(|f| ["-iquote".to_string(), f.to_string_lossy().into_owned()])
        .collect()
}

fn build<'a>(tool: &'a Toolchain, entry: &'a Entry) -> Result<Compiled<'a>, Diagnostic> {
    let flags = flags(entry);
    match Texts::of(&entry.unit).build(tool, &flags) {
        Ok(kernel) => Ok(Compiled::new(tool, &entry.unit, kernel, flags)),
        Err(d) if entry.kind == Kind::C => Err(not_a_kernel(entry, d)),
        Err(d) => Err(d),
    }
}

/// What the compiler says of a user's own file is the user's business.
fn not_a_kernel(entry: &Entry, found: Diagnostic) -> Diagnostic {
    let file = entry.file.as_deref().unwrap_or(&entry.name);
    let what = format!("`{file}` is no kernel of the program");
    let mut d = Diagnostic::new(code::BENCH_C, what);
    d.notes = found.notes;
    let declaration = entry.unit.header.lines().rev().find(|l| !l.is_empty());
    d.help(format!(
        "it has to compile, and to define `{}`",
        declaration.unwrap_or("").trim_end_matches(';')
    ))
}

/// Sizes at which the program has a meaning.
fn valid(program: &Program, abi: &Abi, sizes: &Sizes) -> Result<(), Diagnostic> {
    let none = Sizes::new();
    let question = Question {
        program,
        assumptions: abi.assumptions.clone(),
        fixed: &none,
    };
    let Some(objection) = question.objection(sizes) else {
        return match question.effort(sizes) {
            Some(e) if e.bytes.is_finite() && e.bytes < MOST_BYTES => Ok(()),
            _ => Err(excluded(program, sizes, "the arrays have room in memory")),
        };
    };
    Err(excluded(program, sizes, &objection))
}

/// More than any machine holds for one contestant.
const MOST_BYTES: f64 = 1e12;

fn excluded(program: &Program, sizes: &Sizes, assumption: &str) -> Diagnostic {
    let at: Vec<String> = sizes.iter().map(|(n, v)| format!("{n}={v}")).collect();
    let what = format!("`{}` cannot be measured at {}", program.name, at.join(" "));
    Diagnostic::new(code::BENCH_SIZE, what)
        .note(format!("it needs sizes at which {assumption}"))
        .help("choose other sizes with `--size`")
}

impl Bench<'_> {
    /// The reference of large sizes is right at small ones.
    fn trust_the_reference(&self) -> Result<(), Diagnostic> {
        (self.options.progress)("checking the unoptimised kernel against the interpreter");
        let none = Sizes::new();
        let question = Question {
            program: self.job.program,
            assumptions: self.unoptimised.unit.abi.assumptions.clone(),
            fixed: &none,
        };
        let kernel = (&self.unoptimised.unit, &self.reference);
        for sizes in question.small(&SMALL) {
            let what = Subject::Unoptimised;
            (self.job).against_interpreter(what, kernel, &sizes, Numbers::Unit, 1)?;
        }
        Ok(())
    }
}
