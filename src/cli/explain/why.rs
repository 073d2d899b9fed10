//! `rise-opt explain PROGRAM`: why the result equals the program.
//!
//! In: a program, sketches (found, where there are none), limits. Out: the chain of rule steps, on standard output, once the checker has taken it.
//! Absent: how a chain is found (`trail`), how it is told (`report`).

use super::args::Args;
use crate::cli::progress::Progress;
use crate::cli::values::memory_limit;
use crate::cli::Context;
use crate::diag::Diagnostic;
use crate::driver::{self, proved, Files};
use crate::report::{self, answers::Explanation};
use crate::schedule::Permits;
use crate::search;
use crate::target::Target;
use std::time::Instant;

pub fn run(args: &Args, context: &mut Context) -> Result<(), Vec<Diagnostic>> {
    let files = Files {
        program: &args.program,
        entry: args.entry.as_deref(),
        sketches: &args.sketch,
        set: &args.set,
        target: Target::native(),
        trust: args.trust.trust(),
    };
    let mut input = driver::load(&files, &mut context.sources)?;
    if args.unguided {
        input = input.unguided();
    }
    let progress = Progress::start(args.progress, context.json());
    if args.sketch.is_empty() {
        let options = search::Options {
            observer: progress.observer(),
            seconds: args.time_limit,
            until: (args.time_limit).map(|s| Instant::now() + search::after(s, 1, 1)),
            bytes: memory_limit(args.memory_limit),
            ..search::Options::default()
        };
        let trust = args.trust.trust();
        driver::by_size::find(
            &mut input,
            Permits::default(),
            trust,
            &options,
            &mut context.sources,
        )?;
    }
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
    let searched = driver::search(&input, &options, &mut context.sources).map_err(|d| vec![d])?;
    drop(progress);
    if let Some(d) = searched.failure {
        return Err(vec![d]);
    }
    let steps = match proved(&searched.outcome).map_err(|d| vec![d])? {
        Some((proof, _)) => report::explained(proof, &input.program, args.full),
        None => Vec::new(),
    };
    let page = if context.json() {
        Explanation { steps }.json_line()
    } else if steps.is_empty() {
        "nothing is rewritten: the kernel is that of the program as it stands\n".to_string()
    } else {
        report::explanation(&steps, args.full)
    };
    context.print(&page);
    Ok(())
}
