//! From what the parts of the main job came to, a record.
//!
//! In: program, steps, the outcome of the search, the kernel, the run, what failed. Out: a [`Record`]. Invariant:
//! terms, trace and parts go by the same step. Absent: searching, lowering, running.

use super::rules::{name, rules};
use super::{kernel, Link, Machine, Message, Part, Record, Search, Source, Step, Why, WhyStep};
use crate::diag::Diagnostic;
use crate::elab;
use crate::emit::CUnit;
use crate::emit::Contract;
use crate::exec::run;
use crate::nest::Nest;
use crate::proof::{self, Proof};
use crate::report::candidates::Candidates;
use crate::report::validation::ValidationFile;
use crate::report::Reassociation;
use crate::search::Outcome;
use crate::source::{SourceMap, Span};
use crate::term::{normalize_program, Program, Term};
use std::collections::{BTreeMap, BTreeSet};

/// What is known before the search.
pub struct Surroundings<'a> {
    pub sources: &'a SourceMap,
    pub command: String,
    pub seed: u64,
    pub machine: Machine,
    pub program: &'a Program,
    /// The program's file; none for that of a plan.
    pub file: Option<crate::source::FileId>,
    /// All that are planned.
    pub steps: &'a [elab::Step],
    /// Where the rules of steps stand that are not proved.
    pub unverified: BTreeSet<Span>,
    /// Names of the steps of a plan.
    pub replayed: &'a [String],
    pub sizes: BTreeMap<String, i64>,
    pub params: BTreeMap<String, i64>,
    pub run_wanted: bool,
    /// The machine that a kernel is for.
    pub target: String,
}

/// What came of it.
pub struct Found<'a> {
    pub outcome: &'a Outcome,
    pub reassociation: Vec<Reassociation>,
    pub contract: Contract,
    /// The program that was lowered, with its sizes fixed; its loop program; its C; its declaration.
    pub kernel: Option<(&'a Program, &'a Nest, &'a CUnit, String)>,
    pub validation: Option<ValidationFile>,
    pub run: Option<run::Report>,
    pub failure: &'a [Diagnostic],
    pub peak_bytes: u64,
    /// The schedules that were tried.
    pub candidates: Option<Candidates>,
}

pub fn make(around: Surroundings, found: Found) -> Record {
    let term = |t: &Term| {
        elab::program_text(&Program {
            term: t.clone(),
            ..around.program.clone()
        })
    };
    // A chain that does not hold is no reason.
    let why = match &found.outcome.proof {
        Some(Ok(proof)) if proof::check(proof).is_ok() => Some(why(proof, &term)),
        _ => None,
    };
    let normal = term(&normalize_program(&around.program.term));
    let source = around.file.map(|f| around.sources.file(f));
    let terms = &found.outcome.terms;
    let searched = around.steps.iter().zip(&found.outcome.trace.steps);
    let searched = searched.enumerate().map(|(i, (step, trace))| Step {
        name: step.name.clone(),
        found: terms.get(i).map(term),
        search: Some(Search {
            file: around.sources.file(step.span.file).name.clone(),
            line: around.sources.position(step.span.file, step.span.lo).0,
            sketch: dedented(step.sketch.span, around.sources),
            parts: parts(found.outcome, i),
            cost: step.cost.to_string(),
            rules: step.rules.iter().map(name).collect(),
            trace: trace.clone(),
        }),
    });
    let replayed = around.replayed.iter().zip(terms).map(|(name, t)| Step {
        name: name.clone(),
        search: None,
        found: Some(term(t)),
    });
    Record {
        rise_opt: env!("CARGO_PKG_VERSION").to_string(),
        command: around.command,
        seed: around.seed,
        machine: around.machine,
        program: Source {
            name: around.program.name.to_string(),
            file: source.map(|s| s.name.clone()),
            text: source.map_or_else(|| normal.clone(), |s| s.text.to_string()),
            term: normal.clone(),
        },
        sizes: around.sizes,
        params: around.params,
        rules: rules(around.steps, &around.unverified, around.sources),
        steps: searched.chain(replayed).collect(),
        planned: around.steps.len() + around.replayed.len(),
        failure: (found.failure.iter())
            .map(|d| message(d, around.sources))
            .collect(),
        reassociation: found.reassociation,
        exact: !around.program.term.has_floats() && !terms.iter().any(Term::has_floats),
        contract: found.contract,
        approximations: (found.kernel.as_ref()).and_then(|(_, nest, ..)| nest.approximations()),
        kernel: (found.kernel)
            .map(|(p, nest, unit, d)| kernel::kernel(p, nest, unit, d, around.target)),
        validation: found.validation,
        run: found.run,
        run_wanted: around.run_wanted,
        peak_bytes: found.peak_bytes,
        why,
        candidates: found.candidates,
    }
}

/// The chain of a proof, with the text of each term.
fn why(proof: &Proof, term: &dyn Fn(&Term) -> String) -> Why {
    let steps = proof::chain(proof, false).into_iter().map(|c| WhyStep {
        name: c.name,
        links: (c.links.iter())
            .map(|l| Link {
                rule: l.rule.clone(),
                times: l.count as u64,
                backward: l.back,
                term: term(&l.whole),
            })
            .collect(),
    });
    Why {
        steps: steps.collect(),
    }
}

/// The text as it stands in its file, moved to the left edge.
fn dedented(span: Span, sources: &SourceMap) -> String {
    let (_, column) = sources.position(span.file, span.lo);
    let lines = sources.text(span).lines().map(|line| {
        let blanks = line.chars().take_while(|c| *c == ' ').count();
        &line[blanks.min(column - 1)..]
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn parts(outcome: &Outcome, step: usize) -> Vec<Part> {
    let counts = outcome.parts.get(step).into_iter().flatten();
    let part = |p: &crate::search::PartCount| Part {
        label: p.label.clone(),
        depth: p.depth,
        classes: p.classes,
    };
    counts.map(part).collect()
}

fn message(d: &Diagnostic, sources: &SourceMap) -> Message {
    let place = d.primary.as_ref().map(|l| {
        let (line, column) = sources.position(l.span.file, l.span.lo);
        format!("{}:{line}:{column}", sources.file(l.span.file).name)
    });
    Message {
        code: d.code.id.to_string(),
        message: d.message.clone(),
        place: place.unwrap_or_default(),
        label: d.primary.as_ref().map_or(String::new(), |l| l.text.clone()),
        notes: d.notes.clone(),
        help: d.help.clone(),
    }
}
