//! The record of a run of the main job: `--emit record`, and what `--report` shows.
//!
//! In: the input, what came of it. Out: the record. Absent: what a record holds (`report::record`).

use super::{machine, Context};
use crate::diag::Diagnostic;
use crate::driver::{declaration, Done, Input, Request};
use crate::intern::Symbol;
use crate::lower;
use crate::report::candidates::Candidates;
use crate::report::record::{make, Found, Surroundings};
use crate::report::validation::ValidationFile;
use crate::report::Record;
use crate::search::Outcome;

pub fn record(
    program: Option<&str>,
    request: &Request,
    (input, outcome): (&Input, &Outcome),
    done: &Done,
    (candidates, validation): (Option<Candidates>, Option<ValidationFile>),
    failure: &[Diagnostic],
    context: &mut Context,
) -> Record {
    let plan = input.plan.as_ref().map(|p| &p.plan);
    // It was read before: this only looks up which text it is.
    let file = program.and_then(|path| context.sources.load(path).ok());
    let params = request.set.iter();
    let params = params.filter(|s| !input.fixed.contains_key(&Symbol::new(&s.name)));
    let lowered = lower::prepared(&done.found, &input.fixed);
    make(
        Surroundings {
            sources: &context.sources,
            command: request.command.clone(),
            seed: request.running.seed,
            machine: machine::here(),
            program: &input.program,
            file,
            steps: &input.steps,
            unverified: input.unverified.iter().map(|r| r.span).collect(),
            replayed: &plan.map_or(Vec::new(), |p| {
                p.steps.iter().map(|s| s.name.clone()).collect()
            }),
            sizes: (input.fixed.iter())
                .map(|(name, n)| (name.to_string(), *n))
                .collect(),
            params: match plan {
                Some(plan) => plan.params.clone(),
                None => params.map(|s| (s.name.clone(), s.value)).collect(),
            },
            run_wanted: request.tool.is_some(),
            target: input.target.to_string(),
        },
        Found {
            outcome,
            reassociation: done.basis.reassociation.clone(),
            contract: request.contract,
            kernel: (done.kernel.as_ref())
                .map(|k| (&lowered, &k.nest, &k.unit, declaration(&k.unit))),
            validation,
            run: done.run.clone(),
            failure,
            peak_bytes: done.peak_bytes,
            candidates,
        },
    )
}
