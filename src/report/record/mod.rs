//! Records: everything that is known of one run of the main job, as data.
//!
//! In: what the parts of the job came to (`make`). Out: a value that is saved as JSON, from which alone the page
//! of a report is made, now or later, here or elsewhere. Invariants: nothing is left out because it would not fit
//! on a page; a goal that was not reached, or a kernel that could not be made or failed its checks, has a record
//! too. Absent: how anything is shown.

mod kernel;
mod make;
mod rules;

pub use make::{make, Found, Surroundings};

use super::candidates::Candidates;
use super::saved::{self, RECORD};
use super::validation::ValidationFile;
use super::Reassociation;
use crate::diag::Diagnostic;
use crate::emit::Contract;
use crate::exec::run;
use crate::nest::Mark;
use crate::search::trace::StepTrace;
use crate::source::{FileId, SourceMap};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One run of the main job.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Version of rise-opt that ran.
    pub rise_opt: String,
    /// The command that ran.
    pub command: String,
    /// Of random inputs.
    pub seed: u64,
    pub machine: Machine,
    pub program: Source,
    /// Sizes of the program that were fixed.
    pub sizes: BTreeMap<String, i64>,
    /// Parameters of sketches that were changed.
    pub params: BTreeMap<String, i64>,
    /// The rules of all steps, each once.
    pub rules: Rules,
    /// Those that were run, in order; those of a plan too, which were not searched for.
    pub steps: Vec<Step>,
    /// How many steps there are to run.
    pub planned: usize,
    /// What ended the job early, if anything did.
    pub failure: Vec<Message>,
    /// Steps that may have regrouped sums.
    pub reassociation: Vec<Reassociation>,
    /// Whether neither the program nor what was found has floats: then nothing is rounded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub exact: bool,
    /// Whether compilers may contract `a*b + c` of the kernel.
    pub contract: Contract,
    /// The functions that the kernel approximates, and how well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approximations: Option<String>,
    /// None if no kernel was made.
    pub kernel: Option<Kernel>,
    /// Whether the loop program of the kernel computes its term, where that was asked.
    pub validation: Option<ValidationFile>,
    /// None if the kernel was not run, or failed its checks.
    pub run: Option<run::Report>,
    /// Whether a run was asked for.
    pub run_wanted: bool,
    /// The most bytes held until the kernel was printed.
    pub peak_bytes: u64,
    /// Why the result equals the program, if that was recorded, and a checker took it.
    pub why: Option<Why>,
    /// The schedules that were tried, where no sketch was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Candidates>,
}

/// Where it ran.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Such as `linux x86_64`.
    pub system: String,
    /// The processor's name; empty if the system does not say.
    pub processor: String,
    /// Threads that run at once.
    pub cores: usize,
    /// Bytes that the process may have; 0 if the system does not say.
    pub memory: u64,
}

/// The program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    pub name: String,
    /// The file it was read from, as it was named; none for that of a plan.
    pub file: Option<String>,
    /// The text of that file.
    pub text: String,
    /// The definition that was compiled, in normal form, needing no other.
    pub term: String,
}

/// The rules that were there.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// Equal for equal rules; sixteen hexadecimal digits.
    pub hash: String,
    pub all: Vec<Rule>,
}

/// A rule as it is written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// As traces name it: `split-join[32]`.
    pub name: String,
    pub file: String,
    pub line: usize,
    /// The declaration, without comments.
    pub text: String,
    /// Whether it is sound only where sums may be regrouped.
    pub regroups: bool,
    /// Whether its sides were proved to be equal; where not, it was used because that was allowed.
    pub proved: bool,
}

/// A step that was run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    pub name: String,
    /// None for a step of a plan.
    pub search: Option<Search>,
    /// The program after it; none if the sketch was not reached.
    pub found: Option<String>,
}

/// How a step was searched.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// The file of the sketch, and the line of the step in it.
    pub file: String,
    pub line: usize,
    /// The sketch as it is written.
    pub sketch: String,
    /// Its parts, outer ones first.
    pub parts: Vec<Part>,
    /// The cost by which a term was chosen.
    pub cost: String,
    /// Names of its rules.
    pub rules: Vec<String>,
    pub trace: StepTrace,
}

/// A part of a sketch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The user's words.
    pub label: String,
    /// How deep it stands in the sketch.
    pub depth: usize,
    /// How many classes satisfied it in the end.
    pub classes: u64,
}

/// A diagnostic, without its file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    pub code: String,
    pub message: String,
    /// `file:line:column`; empty for what has no place.
    pub place: String,
    /// What is there.
    pub label: String,
    pub notes: Vec<String>,
    pub help: Option<String>,
}

/// The emitted function.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kernel {
    pub name: String,
    /// As the header has it.
    pub declaration: String,
    /// Parameters that carry data, in order.
    pub arguments: Vec<Argument>,
    /// Parameters that are sizes, in order.
    pub sizes: Vec<String>,
    /// What the sizes must satisfy, checked on entry.
    pub assumptions: Vec<String>,
    /// What they must satisfy for the kernel's own loops; elsewhere it calls its unoptimised twin.
    pub falls_back_unless: Vec<String>,
    /// The machine that it is for.
    pub target: String,
    pub errors: Vec<ErrorCode>,
    /// What it allocates.
    pub buffers: Vec<Buffer>,
    /// The term that was lowered, with its sizes fixed.
    pub term: String,
    /// The loop program.
    pub nest: Listing,
    pub c: Listing,
    pub header: String,
    /// The statements that both listings mark.
    pub statements: Vec<Statement>,
    /// Sub-terms of which statements store elements.
    pub computed: Vec<Computed>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    pub name: String,
    pub result: bool,
    pub element: String,
    /// Outermost first; none for a scalar.
    pub dimensions: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorCode {
    pub name: String,
    pub code: i32,
    pub meaning: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Buffer {
    pub name: String,
    pub element: String,
    pub length: String,
    /// `stack`, `heap` or `heap of the thread`
    pub home: String,
}

/// A text whose lines say statements.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listing {
    pub text: String,
    pub marks: Vec<Mark>,
}

/// A statement of the loop program. It has the number of its place in the list; what stands inside of it has the
/// numbers that follow.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// The last number inside of it; its own, if nothing is.
    pub last: u32,
    /// For a store, index into `computed`.
    pub computes: Option<u32>,
    /// For a store, which (first) element of that.
    pub element: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Computed {
    /// `result`, `kept`, `start`, `step` or `copy`
    pub role: String,
    /// Where the sub-term stands in the kernel's term, in bytes; nowhere, if lowering made it.
    pub at: Vec<(u32, u32)>,
}

/// A chain of equal terms, from the program to the result.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Why {
    pub steps: Vec<WhyStep>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WhyStep {
    /// The step of the search.
    pub name: String,
    pub links: Vec<Link>,
}

/// One or several uses of a rule, one after the other.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Link {
    pub rule: String,
    /// How many uses.
    pub times: u64,
    /// Whether it was used from right to left.
    pub backward: bool,
    /// The term after it.
    pub term: String,
}

impl Record {
    pub fn to_json(&self) -> String {
        saved::write(&RECORD, self)
    }

    pub fn read(sources: &SourceMap, file: FileId) -> Result<Record, Diagnostic> {
        saved::read(&RECORD, sources, file)
    }

    /// Whether every step was reached and nothing failed after it.
    pub fn succeeded(&self) -> bool {
        self.failure.is_empty()
    }

    /// The step whose sketch was not reached.
    pub fn unreached(&self) -> Option<&Step> {
        self.steps.iter().find(|s| s.found.is_none())
    }
}
