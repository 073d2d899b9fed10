//! The record of a run of the main job: `--emit record`, and what `--report` shows.
//!
//! In: the input, what came of it. Out: the record. Absent: what a record holds (`report::record`).

use super::input::Input;
use super::machine;
use super::optimize::{Args, Came};
use super::Context;
use crate::diag::Diagnostic;
use crate::intern::Symbol;
use crate::lower;
use crate::report::record::{make, Found, Surroundings};
use crate::report::Record;
use crate::search::Outcome;

pub fn record(
    args: &Args,
    input: &Input,
    outcome: &Outcome,
    came: &Came,
    failure: &[Diagnostic],
    context: &mut Context,
) -> Record {
    let plan = input.plan.as_ref().map(|p| &p.plan);
    // It was read before: this only looks up which text it is.
    let file = (args.program()).and_then(|path| context.sources.load(path).ok());
    let params = args.settings().iter();
    let params = params.filter(|s| !input.fixed.contains_key(&Symbol::new(&s.name)));
    let lowered = lower::prepared(&came.found, &input.fixed);
    make(
        Surroundings {
            sources: &context.sources,
            command: super::optimize::command_line(),
            seed: args.running().seed,
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
            run_wanted: args.runs(),
            target: input.target.to_string(),
        },
        Found {
            outcome,
            reassociation: came.basis.reassociation.clone(),
            contract: args.contract(input),
            kernel: (came.kernel.as_ref()).map(|k| {
                (
                    &lowered,
                    &k.nest,
                    &k.unit,
                    super::kernel::declaration(&k.unit),
                )
            }),
            run: came.run.clone(),
            failure,
            peak_bytes: came.peak_bytes,
        },
    )
}
