//! `rise-opt validate PROGRAM KERNEL.loops`: whether a loop program computes what the program says.
//!
//! In: a program, and a loop program as `--emit loops` writes it; its C text, if that is to be compared. Out: the verdict,
//! with the obligations that are open, or sizes at which both differ; and whether the text says the same. Absent: how it is
//! decided (`validate`, `ctext`).

use super::output::{write_all, Target};
use super::Context;
use crate::ctext::{self, Texts};
use crate::diag::{code, Diagnostic};
use crate::elab;
use crate::intern::Symbol;
use crate::nest::Nest;
use crate::report::loops::LoopsFile;
use crate::report::validation::{line_span, TextFile, ValidationFile};
use crate::source::SourceMap;
use crate::validate::{questions, validate, Verdict};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
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
    /// The C file of the loop program: whether it says the same, statement by statement
    #[arg(long, value_name = "FILE")]
    c: Option<String>,
    /// The header that the C file includes: its error codes and how the function is declared are compared, too
    #[arg(long, value_name = "FILE", requires = "c")]
    header: Option<String>,
    /// Shows all obligations that are open, not only the first ones
    #[arg(long)]
    full: bool,
    /// Writes the questions about indices that were decided, and those that are open, as SMT-LIB, each by itself: `unsat` says that it
    /// holds (`z3 -t:1000 FILE`)
    #[arg(long, value_enum)]
    emit: Option<Emit>,
    /// The file of `--emit` [default: LOOPS with the ending `.smt2`]
    #[arg(short, long, value_name = "FILE", requires = "emit")]
    output: Option<PathBuf>,
}

#[derive(clap::ValueEnum, Copy, Clone, Debug)]
enum Emit {
    Obligations,
}

pub fn run(args: &Args, context: &mut Context) -> u8 {
    match job(args, context) {
        Ok(found) if found.is_empty() => 0,
        Ok(found) => context.report(found),
        Err(diagnostics) => context.report(diagnostics),
    }
}

fn job(args: &Args, context: &mut Context) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let sources = &mut context.sources;
    let file = sources.load(&args.program).map_err(|e| vec![e.into()])?;
    let program = elab::program(sources, file, args.entry.as_deref())?;
    let file = sources.load(&args.loops).map_err(|e| vec![e.into()])?;
    let loops = LoopsFile::read(sources, file).map_err(|d| vec![d])?;
    let nest = loops.nest(&args.loops).map_err(|d| vec![d])?;
    let fixed = loops.fixed.iter();
    let fixed: BTreeMap<Symbol, i64> = fixed.map(|(s, n)| (Symbol::new(s), *n)).collect();
    let text = match &args.c {
        Some(path) => {
            Some(text(path, args.header.as_deref(), &nest, sources).map_err(|d| vec![d])?)
        }
        None => None,
    };
    if let Some(Emit::Obligations) = args.emit {
        let path = args.output.clone();
        let path = path.unwrap_or_else(|| Path::new(&args.loops).with_extension("smt2"));
        let target = Target::prepare(&path).map_err(|d| vec![d])?;
        let text = questions(&nest, &program, &fixed);
        write_all(vec![(target, text)]).map_err(|d| vec![d])?;
    }
    let start = Instant::now();
    let found = validate(&nest, &program, &fixed);
    let mut told = ValidationFile::new(&args.loops, &found, start.elapsed());
    let (text, differs) = text.unzip();
    told.text = text;
    if context.json() {
        context.print(&told.json_line());
    } else {
        context.print(&told.page(if args.full { usize::MAX } else { 5 }));
    }
    let wrong = match &found.verdict {
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
    };
    Ok(wrong.into_iter().chain(differs.flatten()).collect())
}

/// What became of the comparison with a C text, and what is to be said of it.
fn text(
    path: &str,
    header: Option<&str>,
    nest: &Nest,
    sources: &mut SourceMap,
) -> Result<(TextFile, Option<Diagnostic>), Diagnostic> {
    let file = sources.load(path)?;
    let of_header = header.map(|h| sources.load(h)).transpose()?;
    let text = |f| sources.file(f).text.as_ref();
    let name = header.and_then(|h| Path::new(h).file_name()?.to_str());
    let texts = Texts {
        c: text(file),
        header: name.zip(of_header.map(text)),
    };
    let told = TextFile::new(path, &ctext::compare(texts, nest));
    let wrong = told.sentence().map(|what| {
        let d = Diagnostic::new(code::TEXT_DIFFERS, what);
        let at = match told.in_header {
            true => of_header.unwrap_or(file),
            false => file,
        };
        let d = d.at(line_span(sources, at, told.line.unwrap_or(1)));
        d.help("make both again by one command, with `--emit c,header,loops`; if they differ then, please report it")
    });
    Ok((told, wrong))
}
