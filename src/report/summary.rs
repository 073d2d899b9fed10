//! What the main job did, in one page.
//!
//! In: the trace, what the kernel assumes, the report of the run. Out: the text for people; the same
//! data is the JSON for programs. Absent: anything that the data does not say.

use super::candidates::{self, Candidates};
use super::egraph::ExcerptExtent;
use super::guides::GuidesTried;
use super::number::{bytes, count, digits, seconds};
use super::saved::{self, SUMMARY};
use crate::emit::Contract;
use crate::exec::compare::not_compared;
use crate::exec::run::{Report, Subject};
use crate::nest::names;
use crate::search::{Stop, Trace};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// What standard output tells of a run of the main job.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// Version of the program that made it.
    pub rise_opt: String,
    pub program: String,
    /// The schedules that were tried, where sketches were to be found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Candidates>,
    /// The searches for guides, where guides were to be found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guides: Option<GuidesTried>,
    pub trace: Trace,
    /// The declaration of the emitted function, if one was made.
    pub kernel: Option<String>,
    /// What the sizes must satisfy.
    pub assumptions: Vec<String>,
    /// What they must satisfy so that the kernel does not call its unoptimised twin.
    pub falls_back_unless: Vec<String>,
    pub reassociation: Vec<Reassociation>,
    /// Whether compilers may contract `a*b + c` of the kernel.
    pub contract: Contract,
    /// Whether there are floats: without them there is nothing to round or to regroup.
    pub rounds: bool,
    /// The functions that the kernel approximates, and how well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approximations: Option<String>,
    /// Whether the loop program was shown to compute what was found, unless that was not asked for.
    #[serde(default)]
    pub validation: Option<String>,
    /// Rules that steps use although they are not proved.
    pub unverified: Vec<String>,
    /// The largest resident set until the kernel was written; the arrays of a run come later.
    pub peak_bytes: u64,
    pub run: Option<Report>,
    /// What is shown of an e-graph.
    pub egraph: Option<ExcerptExtent>,
    pub files: Vec<String>,
}

/// A step that may regroup sums of floating-point numbers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reassociation {
    pub step: String,
    /// Rules that regroup and that were applied.
    pub rules: Vec<String>,
}

impl Summary {
    /// One line of JSON.
    pub fn to_json(&self) -> String {
        saved::line(&SUMMARY, self)
    }
}

pub fn human(s: &Summary) -> String {
    let mut lines = Lines(String::new());
    if let Some(all) = &s.candidates {
        lines.add("tried", &candidates::human(all));
        if let Some(limit) = &all.limit {
            lines.add("limit", &limit.sentence());
        }
        for sentence in &all.in_order {
            lines.add("order", sentence);
        }
    }
    if let Some(all) = &s.guides {
        lines.add("tried", &all.human());
    }
    steps(&mut lines, &s.trace);
    let kernel = s.kernel.as_deref().unwrap_or("");
    lines.add("kernel", kernel);
    let name = names::function_name(&s.program);
    if name != s.program && kernel.contains(&format!("{name}(")) {
        let text = format!(
            "named `{name}`: C has, or may have, another meaning for `{}`; `--name` gives another name",
            s.program
        );
        lines.add("", &text);
    }
    if !s.assumptions.is_empty() {
        lines.add("assumes", &s.assumptions.join(", "));
    }
    if !s.falls_back_unless.is_empty() {
        let text = format!("another function unless {}", s.falls_back_unless.join(", "));
        lines.add("calls", &text);
    }
    if s.rounds || !s.reassociation.is_empty() {
        lines.add("sums", &super::origin::regrouping(&s.reassociation));
    }
    if s.rounds && s.kernel.is_some() {
        lines.add("rounding", s.contract.sentence());
    }
    if let Some(functions) = &s.approximations {
        lines.add("functions", &format!("are approximated: {functions}"));
    }
    if let Some(text) = &s.validation {
        lines.add("valid", text);
    }
    if !s.unverified.is_empty() {
        let rules = s.unverified.join(", ");
        lines.add("rules", &format!("without a verdict: {rules}"));
    }
    if let Some(run) = &s.run {
        checks(&mut lines, run);
        times(&mut lines, run, &s.program);
    }
    if s.peak_bytes > 0 {
        lines.add("memory", &format!("{} at most", bytes(s.peak_bytes)));
    }
    if let Some(excerpt) = &s.egraph {
        let text = format!("step {}: {}", excerpt.step, excerpt.showing());
        lines.add("e-graph", &text);
    }
    if !s.files.is_empty() {
        lines.add("written", &s.files.join(" "));
    }
    lines.0
}

/// Lines that start with a word in a column of its own.
struct Lines(String);

impl Lines {
    fn add(&mut self, head: &str, text: &str) {
        for (i, line) in text.lines().enumerate() {
            let head = if i == 0 { head } else { "" };
            let _ = writeln!(self.0, "{head:<8} {line}");
        }
    }
}

fn steps(lines: &mut Lines, trace: &Trace) {
    let width = trace.steps.iter().map(|s| s.name.chars().count()).max();
    for (i, s) in trace.steps.iter().enumerate() {
        let found = if s.stop == Stop::Found {
            "found"
        } else {
            "not found"
        };
        let size = s.size();
        let text = format!(
            "{:<width$}  {found}  {:>8}  {:>3} iterations  {:>9} e-nodes  {:>9} classes  {:>8}",
            s.name,
            seconds(s.seconds),
            s.iterations.len(),
            count(size.nodes),
            count(size.classes),
            bytes(s.bytes),
            width = width.unwrap_or(0)
        );
        lines.add(if i == 0 { "steps" } else { "" }, &text);
    }
}

fn sizes(sizes: &[(String, i64)]) -> String {
    let all: Vec<_> = sizes.iter().map(|(n, v)| format!("{n}={v}")).collect();
    all.join(" ")
}

fn checks(lines: &mut Lines, run: &Report) {
    let mut seen: Vec<(Subject, Subject)> = Vec::new();
    let mut head = "checked";
    for c in &run.checks {
        let pair = (c.what, c.against);
        if seen.contains(&pair) {
            continue;
        }
        seen.push(pair);
        let same: Vec<_> = (run.checks.iter())
            .filter(|o| (o.what, o.against) == pair)
            .collect();
        let mut at: Vec<String> = same.iter().map(|o| sizes(&o.sizes)).collect();
        at.dedup();
        let all = same.iter().map(|o| o.difference.clone());
        let gravest = all.reduce(|a, b| a.or(b)).unwrap_or_default();
        let (error, tolerance) = (gravest.error, gravest.tolerance);
        let open = not_compared(gravest.unbounded);
        let text = format!(
            "{} = {} at {}: {}{open}",
            name(c.what),
            name(c.against),
            at.join(", "),
            if error > 0.0 {
                format!("relative error {error:.1e}, rounding explains {tolerance:.1e}")
            } else {
                "equal to the bit".to_string()
            }
        );
        lines.add(head, &text);
        head = "";
    }
    if !run.refused.is_empty() {
        let all: Vec<_> = run.refused.iter().map(|s| sizes(s)).collect();
        lines.add("", &format!("kernel refuses {}", all.join(", ")));
    }
    lines.add("", &format!("random inputs of seed {}", run.seed));
    if !run.remarks.trim().is_empty() {
        lines.add("", "the C compiler remarked on the kernel:");
        lines.add("", run.remarks.trim());
    }
}

fn name(s: Subject) -> &'static str {
    match s {
        Subject::Kernel => "kernel",
        Subject::Uncontracted => "kernel without contraction",
        Subject::Unoptimised => "unoptimised",
        Subject::Interpreter => "interpreter",
    }
}

fn times(lines: &mut Lines, run: &Report, program: &str) {
    let threads = match run.threads {
        1 => "1 thread".to_string(),
        n => format!("{n} threads"),
    };
    let text = format!(
        "{}, {threads}, best (median), compiled in {}",
        sizes(&run.sizes),
        seconds(run.compile_seconds)
    );
    lines.add("time", &text);
    let width = program.chars().count().max("unoptimised".len());
    for (name, t) in [(program, &run.kernel), ("unoptimised", &run.unoptimised)] {
        let mut text = format!(
            "  {name:<width$}  {:>8} ({})  {:>5} GFLOP/s",
            seconds(t.best()),
            seconds(t.median()),
            digits(run.gflops(t))
        );
        if name != program {
            let factor = t.best() / run.kernel.best();
            let _ = write!(text, "  ×{}", digits(factor));
        }
        let samples = t.seconds.len();
        let _ = write!(
            text,
            "  {samples} sample{}",
            if samples == 1 { "" } else { "s" }
        );
        if t.dropped > 0 {
            let _ = write!(text, ", {} dropped (threads shared a core)", t.dropped);
        }
        if t.preempted > 0 {
            let _ = write!(text, ", {} dropped (preempted)", t.preempted);
        }
        if t.disturbed {
            text += ", on a busy machine";
        }
        lines.add("", &text);
    }
}
