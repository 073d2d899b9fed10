//! `rise-opt validate PROGRAM KERNEL.loops | --plan PLAN`: whether a loop program computes what the program says.
//!
//! In: a program, and a loop program as `--emit loops` writes it, or a plan; its C text, if that is to be compared. Out: the verdict,
//! with the obligations that are open, or sizes at which both differ; and whether the text says the same. Absent: how it is
//! decided (`validate`, `ctext`).

use super::output::{write_all, Target};
use super::Context;
use crate::ctext::{self, Texts};
use crate::diag::{code, Diagnostic};
use crate::driver::{self, certificate, Done, Trust};
use crate::elab;
use crate::intern::Symbol;
use crate::nest::Nest;
use crate::report::loops::LoopsFile;
use crate::report::reordered::Reordered;
use crate::report::validation::{line_span, TextFile, ValidationFile};
use crate::source::SourceMap;
use crate::term::Program;
use crate::validate::{questions, validate, Obligation, Open, Verdict};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// The program (.rise) whose loops they are: what `--emit term` wrote, if a search changed it; with --plan the one that was searched for
    #[arg(value_name = "PROGRAM")]
    program: String,
    /// The loop program, which `--emit loops` wrote [default: that of --plan]
    #[arg(value_name = "LOOPS", required_unless_present = "plan")]
    loops: Option<String>,
    /// The plan of the loop program, which `--emit plan` wrote: its proof leads from PROGRAM to what the loops compute, and says which
    /// reductions are combined in another order, by which laws
    #[arg(long, value_name = "PLAN")]
    plan: Option<String>,
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
    /// The file of `--emit` [default: LOOPS, or PLAN, with the ending `.smt2`]
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

/// What is judged, by what.
struct Judged {
    name: String,
    nest: Nest,
    /// What the loops have to compute.
    program: Program,
    fixed: BTreeMap<Symbol, i64>,
    /// Which reductions are combined in another order on the way to that, where there is a way.
    reordered: Vec<Reordered>,
    /// What is not shown of the way.
    open: Vec<Open>,
    /// The C text and its header, where they are made of the plan.
    own: Option<(String, String)>,
}

fn job(args: &Args, context: &mut Context) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let judged = judged(args, &mut context.sources)?;
    let sources = &mut context.sources;
    let (name, nest) = (&judged.name, &judged.nest);
    let text = match (&args.c, &judged.own) {
        (Some(path), _) => {
            Some(text(path, args.header.as_deref(), nest, sources).map_err(|d| vec![d])?)
        }
        (None, Some(own)) => Some(own_text(own, nest)),
        (None, None) => None,
    };
    if let Some(Emit::Obligations) = args.emit {
        let path = args.output.clone();
        let path = path.unwrap_or_else(|| Path::new(name).with_extension("smt2"));
        let target = Target::prepare(&path).map_err(|d| vec![d])?;
        let text = questions(nest, &judged.program, &judged.fixed);
        write_all(vec![(target, text)]).map_err(|d| vec![d])?;
    }
    let start = Instant::now();
    let mut found = validate(nest, &judged.program, &judged.fixed);
    found.tally.open.extend(judged.open);
    if let (Verdict::Validated, false) = (&found.verdict, found.tally.open.is_empty()) {
        found.verdict = Verdict::Unknown;
    }
    let order = Some(judged.reordered);
    let mut told = ValidationFile::new(name, &found, order, start.elapsed());
    let (text, differs) = text.unzip();
    told.text = text;
    if context.json() {
        context.print(&told.json_line());
    } else {
        context.print(&told.page(if args.full { usize::MAX } else { 5 }));
        if args.c.is_some() && args.header.is_none() {
            context.print("  its header was not read: `--header FILE` compares that, too\n");
        }
    }
    let wrong = match &found.verdict {
        Verdict::Validated => None,
        Verdict::Refuted(d) if d.is_rounding && args.plan.is_none() => Some(
            Diagnostic::new(
                code::NOT_VALIDATED,
                format!(
                    "`{name}` and `{}` differ by rounding: where {}, {}",
                    judged.program.name, d.sizes, d.what
                ),
            )
            .help("if its sums may be regrouped, judge it by its plan, which says so: `--plan FILE`, as `--emit loops,plan` writes it"),
        ),
        Verdict::Refuted(d) => Some(
            Diagnostic::new(
                code::NOT_VALIDATED,
                format!("`{name}` is wrong: where {}, {}", d.sizes, d.what),
            )
            .help(format!("make it again from `{}`; if it is the same, please report it", args.program)),
        ),
        Verdict::Unknown => Some(
            Diagnostic::new(
                code::NOT_VALIDATED,
                format!("`{name}` is not shown to compute `{}`", judged.program.name),
            )
            .help("the obligations above are open: run the kernel (`--run`), which compares it with the interpreter"),
        ),
    };
    Ok(wrong.into_iter().chain(differs.flatten()).collect())
}

fn judged(args: &Args, sources: &mut SourceMap) -> Result<Judged, Vec<Diagnostic>> {
    let one = |d: Diagnostic| vec![d];
    let (loops, name) = match &args.loops {
        Some(path) => {
            let file = sources.load(path).map_err(|e| one(e.into()))?;
            (Some(LoopsFile::read(sources, file).map_err(one)?), path)
        }
        None => (None, args.plan.as_ref().unwrap_or(&args.program)),
    };
    if let Some(plan) = &args.plan {
        return of_plan(args, (plan, name), loops, sources);
    }
    let file = sources.load(&args.program).map_err(|e| one(e.into()))?;
    let program = elab::program(sources, file, args.entry.as_deref())?;
    // Without a plan there are loops.
    let loops = loops.ok_or_else(Vec::new)?;
    Ok(Judged {
        name: name.clone(),
        nest: loops.nest(name).map_err(one)?,
        program,
        fixed: fixed(&loops),
        reordered: Vec::new(),
        open: Vec::new(),
        own: None,
    })
}

fn fixed(loops: &LoopsFile) -> BTreeMap<Symbol, i64> {
    let fixed = loops.fixed.iter();
    fixed.map(|(s, n)| (Symbol::new(s), *n)).collect()
}

/// The loops of a plan, or others that are to compute what its proof leads to.
fn of_plan(
    args: &Args,
    (plan, name): (&str, &str),
    loops: Option<LoopsFile>,
    sources: &mut SourceMap,
) -> Result<Judged, Vec<Diagnostic>> {
    // A rule without a verdict leaves the way open.
    let trust = Trust {
        allow_unverified: true,
    };
    let (program, entry) = (Some(&*args.program), args.entry.as_deref());
    let input = driver::plan::load(plan, program, entry, trust, sources)?;
    let done = Done::planned(&input, None, sources)?;
    let Some(loops) = loops.or_else(|| done.loops()) else {
        let d = Diagnostic::new(code::NOT_VALIDATED, format!("`{plan}` has no kernel"));
        return Err(vec![d.help("make the plan again, with `--emit plan`")]);
    };
    let (nest, fixed) = (loops.nest(name).map_err(|d| vec![d])?, fixed(&loops));
    let mut open = Vec::new();
    let mut owe = |obligation, why| {
        open.push(Open {
            obligation,
            statement: None,
            place: format!("the way from `{}`", args.program),
            why,
        });
    };
    if let Err(why) = certificate::refuses(&nest, &done.obliged, &fixed) {
        owe(Obligation::Sizes, why);
    }
    if !done.basis.unverified.is_empty() {
        let rules = done.basis.unverified.join(", ");
        owe(
            Obligation::Value,
            format!("neither proved nor refuted are these rules of its proof: {rules}"),
        );
    }
    let unit = done.kernel.map(|k| (k.unit.c, k.unit.header));
    Ok(Judged {
        name: name.to_string(),
        nest,
        program: done.found,
        fixed,
        reordered: done.basis.reordered.unwrap_or_default(),
        open,
        own: unit.filter(|_| args.loops.is_none()),
    })
}

/// The same of the text of a plan.
fn own_text(own: &(String, String), nest: &Nest) -> (TextFile, Option<Diagnostic>) {
    let texts = Texts {
        c: &own.0,
        header: None,
    };
    let told = TextFile::new("its C text", &ctext::compare(texts, nest));
    let wrong = told.sentence().map(|what| {
        Diagnostic::new(code::TEXT_DIFFERS, what)
            .help("this is a defect of rise-opt: please report it, with the files")
    });
    (told, wrong)
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
