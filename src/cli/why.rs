//! `rise-opt explain PROGRAM --sketch …`: why the result equals the program.
//!
//! In: a program, sketches, limits. Out: the chain of rule steps, on standard output, once the checker has taken it.
//! Absent: how a chain is found (`trail`), how it is told (`report`).

use super::check_proof::refused;
use super::explain::Args;
use super::input::{self, Files};
use super::optimize::{found_too_late, not_reached};
use super::progress::Progress;
use super::values::memory_limit;
use super::Context;
use crate::diag::{code, Diagnostic};
use crate::interrupt;
use crate::proof::{check, Holds, Proof};
use crate::report;
use crate::search::{self, Outcome};
use crate::target::Target;

pub fn run(args: &Args, context: &mut Context) -> Result<(), Vec<Diagnostic>> {
    let files = Files {
        program: &args.program,
        entry: args.entry.as_deref(),
        sketches: &args.sketch,
        set: &args.set,
        target: Target::native(),
        trust: args.trust,
    };
    let mut input = input::load(&files, &mut context.sources)?;
    if args.unguided {
        input.steps = search::unguided(&input.steps).into_iter().collect();
    }
    let progress = Progress::start(args.progress, context.json());
    let options = search::Options {
        observer: progress.observer(),
        prove: true,
        diagnose: true,
        iterations: args.iter_limit,
        nodes: args.node_limit,
        seconds: args.time_limit,
        bytes: memory_limit(args.memory_limit),
        ..search::Options::default()
    };
    let gentle = interrupt::gentle();
    let outcome = search::optimize(&input.program, &input.steps, &options);
    let advised = (outcome.failure.as_ref())
        .map(|diagnosis| not_reached(&input, &outcome, diagnosis, &options, context));
    drop((progress, gentle));
    if let Some(d) = advised {
        return Err(vec![d]);
    }
    if interrupt::asked() {
        return Err(vec![found_too_late()]);
    }
    let Some((proof, _)) = proved(&outcome).map_err(|d| vec![d])? else {
        return Ok(());
    };
    let steps = report::explained(proof, &input.program, args.full);
    let page = match context.json() {
        true => serde_json::to_string(&steps).unwrap_or_default() + "\n",
        false => report::explanation(&steps, args.full),
    };
    context.print(&page);
    Ok(())
}

/// The proof of a search that was asked for one, once it is checked.
pub fn proved(outcome: &Outcome) -> Result<Option<(&Proof, Holds)>, Diagnostic> {
    match (&outcome.proof, &outcome.failure) {
        (None, _) | (_, Some(_)) => Ok(None),
        (Some(Err(why)), _) => {
            let text = format!("what was found is equal, but there is no proof of it: {why}");
            Err(Diagnostic::new(code::NO_PROOF, text).help("this is worth a report"))
        }
        (Some(Ok(proof)), _) => match check(proof) {
            Ok(holds) => Ok(Some((proof, holds))),
            Err(r) => {
                let d = refused("the proof", proof, &r);
                let text = format!("a proof was made that does not hold: {}", d.message);
                Err(Diagnostic::new(code::NO_PROOF, text).help("this is worth a report"))
            }
        },
    }
}
