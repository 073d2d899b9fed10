//! What lowering could not settle about a program.
//!
//! In: a program, the sketches of a goal. Out: the comparisons, extents and quotients that stay open, as text that `simplify` reads;
//! an error if the files are wrong or the goal is not reached. Absent: what becomes of them.

use super::{load, search, Files};
use crate::diag::Diagnostic;
use crate::lower::{lower_asking, Options};
use crate::search::Options as Limits;
use crate::source::SourceMap;
use crate::term::Program;

/// Limits of each step: what takes longer is a goal for a run of its own.
const ITERATIONS: u64 = 30;
const NODES: u64 = 60_000;

/// As `--emit queries` writes it.
pub fn stuck(files: &Files, sources: &mut SourceMap) -> Result<String, Vec<Diagnostic>> {
    let input = load(files, sources)?;
    let limits = Limits {
        iterations: Some(ITERATIONS),
        nodes: Some(NODES),
        diagnose: false,
        ..Limits::default()
    };
    let searched = search(&input, &limits, sources).map_err(|d| vec![d])?;
    if let Some(failure) = searched.failure {
        return Err(vec![failure]);
    }
    let outcome = searched.outcome;
    let found = Program {
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
    let (_, queries) = lower_asking(&found, &lowering).map_err(|d| vec![d])?;
    Ok(queries.text())
}
