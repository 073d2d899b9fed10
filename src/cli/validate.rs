//! `rise-opt validate PROGRAM KERNEL.loops`: whether a loop program computes what the program says.
//!
//! In: a program, and a loop program as `--emit loops` writes it. Out: the verdict, with the obligations that are open, or
//! sizes at which both differ. Absent: how it is decided (`validate`).

use super::Context;
use crate::diag::{code, Diagnostic};
use crate::elab;
use crate::intern::Symbol;
use crate::report::loops::LoopsFile;
use crate::report::validation::ValidationFile;
use crate::validate::{validate, Verdict};
use std::collections::BTreeMap;
use std::time::Instant;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// The program (.rise) whose loops they are: what `--emit term` wrote, if a search changed it
    #[arg(value_name = "PROGRAM")]
    program: String,
    /// The loop program, which `--emit loops` wrote
    #[arg(value_name = "LOOPS")]
    loops: String,
    /// The definition of PROGRAM that is meant, when it is not the last of the file
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Shows all obligations that are open, not only the first ones
    #[arg(long)]
    full: bool,
}

pub fn run(args: &Args, context: &mut Context) -> u8 {
    match job(args, context) {
        Ok(None) => 0,
        Ok(Some(d)) => context.report([d]),
        Err(diagnostics) => context.report(diagnostics),
    }
}

fn job(args: &Args, context: &mut Context) -> Result<Option<Diagnostic>, Vec<Diagnostic>> {
    let sources = &mut context.sources;
    let file = sources.load(&args.program).map_err(|e| vec![e.into()])?;
    let program = elab::program(sources, file, args.entry.as_deref())?;
    let file = sources.load(&args.loops).map_err(|e| vec![e.into()])?;
    let loops = LoopsFile::read(sources, file).map_err(|d| vec![d])?;
    let nest = loops.nest(&args.loops).map_err(|d| vec![d])?;
    let fixed = loops.fixed.iter();
    let fixed: BTreeMap<Symbol, i64> = fixed.map(|(s, n)| (Symbol::new(s), *n)).collect();
    let start = Instant::now();
    let found = validate(&nest, &program, &fixed);
    let told = ValidationFile::new(&args.loops, &found, start.elapsed());
    if context.json() {
        context.print(&told.json_line());
    } else {
        context.print(&told.page(if args.full { usize::MAX } else { 5 }));
    }
    Ok(match &found.verdict {
        Verdict::Validated => None,
        Verdict::Refuted(d) => Some(
            Diagnostic::new(
                code::NOT_VALIDATED,
                format!("`{}` is wrong: where {}, {}", args.loops, d.sizes, d.what),
            )
            .help(format!("make it again from `{}`; if it is the same, please report it", args.program)),
        ),
        Verdict::Unknown => Some(
            Diagnostic::new(
                code::NOT_VALIDATED,
                format!("`{}` is not shown to compute `{}`", args.loops, program.name),
            )
            .help("the obligations above are open: run the kernel (`--run`), which compares it with the interpreter"),
        ),
    })
}
