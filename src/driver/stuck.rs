//! What lowering could not settle about a program.
//!
//! In: a program, the sketches of a goal. Out: the comparisons, extents and quotients that stay open, the comparisons that
//! validation of the kernel leaves open, and indices and lengths of the kernel that might be simpler, as text that `simplify` reads; an error if the files are wrong or the goal is not reached.
//! Absent: what becomes of them.

use super::accesses::{bounded_lengths, not_monotone};
use super::{load, search, Files, Input};
use crate::diag::Diagnostic;
use crate::index::{question_text, Queries};
use crate::lower::{lower_asking, Options};
use crate::nest::Nest;
use crate::search::Options as Limits;
use crate::source::SourceMap;
use crate::term::Program;
use crate::validate::open_questions;
use std::fmt::Write;

/// Limits of each step: what takes longer is a goal for a run of its own.
const ITERATIONS: u64 = 30;
const NODES: u64 = 60_000;

/// A program as lowering leaves it.
pub struct Lowered {
    pub program: Program,
    pub nest: Nest,
    pub queries: Queries,
}

/// As `--emit queries` writes it; with `validated`, what validation leaves open, and what accesses compute, comes behind it.
pub fn stuck(
    files: &Files,
    validated: bool,
    sources: &mut SourceMap,
) -> Result<String, Vec<Diagnostic>> {
    let input = load(files, sources)?;
    let lowered = lowered(&input, sources)?;
    let mut text = lowered.queries.text();
    if !validated {
        return Ok(text);
    }
    let open = open_questions(&lowered.nest, &lowered.program, &input.fixed);
    for (title, all) in [
        ("comparisons that validation leaves open", open),
        (
            "indices that are not monotone in a loop around them",
            not_monotone(&lowered.nest),
        ),
        (
            "lengths of buffers that are bounded and no constants",
            bounded_lengths(&lowered.nest),
        ),
    ] {
        let _ = writeln!(text, "-- {title}: {}", all.len());
        for (facts, e) in all {
            let _ = writeln!(text, "{}", question_text(&facts, e));
        }
    }
    Ok(text)
}

/// What the steps of an input lead to, lowered; an error if a step is not reached.
pub fn lowered(input: &Input, sources: &mut SourceMap) -> Result<Lowered, Vec<Diagnostic>> {
    let limits = Limits {
        iterations: Some(ITERATIONS),
        nodes: Some(NODES),
        diagnose: false,
        ..Limits::default()
    };
    let searched = search(input, &limits, sources).map_err(|d| vec![d])?;
    if let Some(failure) = searched.failure {
        return Err(vec![failure]);
    }
    let outcome = searched.outcome;
    let program = Program {
        term: outcome.terms.last().unwrap_or(&input.program.term).clone(),
        ..input.program.clone()
    };
    let lowering = Options {
        fixed: input.fixed.clone(),
        obliged: outcome.obliged.clone(),
        target: input.target,
        approximate: input.approximate(),
        ..Options::default()
    };
    let (nest, queries) = lower_asking(&program, &lowering).map_err(|d| vec![d])?;
    Ok(Lowered {
        program,
        nest,
        queries,
    })
}
