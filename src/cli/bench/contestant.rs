//! Contestants: from the names of files to kernels that can be compiled.

use super::Args;
use crate::arith::Nat;
use crate::cli::values::memory_limit;
use crate::cli::Context;
use crate::diag::{code, Diagnostic};
use crate::driver::{self, Files, Input};
use crate::emit::{self, emit, CUnit, Contract};
use crate::exec::bench::{Entry, Kind};
use crate::exec::peer::LIBRARIES;
use crate::exec::run::HEADER;
use crate::exec::sizes::Sizes;
use crate::index::Level;
use crate::intern::Symbol;
use crate::lower::{self, lower};
use crate::schedule::Permits;
use crate::search;
use crate::target::Target;
use crate::term::{Program, Term};
use std::collections::BTreeSet;
use std::path::Path;

/// How the unoptimised kernel is called in tables, and the one that is found without a sketch.
const UNOPTIMISED: &str = "unoptimised";
const AUTOMATIC: &str = "auto";

/// `tiled=out/mm.plan.json`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContestantArg {
    name: String,
    file: String,
}

impl std::str::FromStr for ContestantArg {
    type Err = String;

    fn from_str(text: &str) -> Result<ContestantArg, String> {
        let (name, file) = match text.split_once('=') {
            Some((name, file)) if !name.contains('/') => (name.trim().to_string(), file),
            _ => (stem(text), text),
        };
        if name.is_empty() || file.is_empty() {
            Err("write FILE or NAME=FILE".to_string())
        } else {
            Ok(ContestantArg {
                name,
                file: file.to_string(),
            })
        }
    }
}

/// `out/mm.plan.json` is called `mm`.
fn stem(path: &str) -> String {
    let name = Path::new(path).file_name().unwrap_or_default();
    let name = name.to_string_lossy().into_owned();
    for ending in [".plan.json", ".json", ".sk", ".c"] {
        if let Some(stem) = name.strip_suffix(ending) {
            return stem.to_string();
        }
    }
    name
}

/// The kernel of a term.
fn unit(
    program: &Program,
    (term, obliged): (&Term, &[Nat]),
    fixed: &Sizes,
    target: Target,
    (simplify, contract, approximate): (Level, Contract, bool),
) -> Result<CUnit, Diagnostic> {
    let found = Program {
        term: term.clone(),
        ..program.clone()
    };
    let options = lower::Options {
        fixed: fixed.clone(),
        obliged: obliged.to_vec(),
        target,
        simplify,
        approximate,
        ..lower::Options::default()
    };
    let options_of_text = emit::Options {
        origin: None,
        header_name: Some(HEADER.to_string()),
        target: Some(target),
        contract,
    };
    Ok(emit(&lower(&found, &options)?, &options_of_text))
}

/// The program as it stands, with these sizes fixed.
pub fn unoptimised(input: &Input, fixed: &[(Symbol, i64)]) -> Result<Entry, Diagnostic> {
    let fixed: Sizes = fixed.iter().copied().collect();
    let (program, target) = (&input.program, input.target);
    Ok(Entry {
        name: UNOPTIMISED.to_string(),
        kind: Kind::Unoptimised,
        file: None,
        target,
        unit: unit(
            program,
            (&program.term, &[]),
            &fixed,
            target,
            Default::default(),
        )?,
        fixed,
        folder: None,
    })
}

/// All of them, or everything that is wrong with them.
pub fn load(
    args: &Args,
    input: &Input,
    context: &mut Context,
) -> Result<Vec<Entry>, Vec<Diagnostic>> {
    let (mut entries, mut wrong) = (Vec::new(), Vec::new());
    let mut params = BTreeSet::new();
    for c in &args.contestants {
        let ending = Path::new(&c.file).extension().and_then(|e| e.to_str());
        let entry = match ending {
            Some("json") => plan(c, args, input, context),
            Some("sk") => sketch(c, args, &mut params, context),
            Some("c") => c_file(c, input, context),
            _ => {
                let what = format!("`{}` is no plan, no sketch and no C file", c.file);
                Err(vec![Diagnostic::new(code::FILE_KIND, what).help(
                    "give a plan (.json), a sketch (.sk) or a C file (.c)",
                )])
            }
        };
        match entry {
            Ok(entry) => entries.push(entry),
            Err(d) => wrong.extend(d),
        }
    }
    if args.contestants.is_empty() {
        match automatic(args, input, context) {
            Ok(entry) => entries.push(entry),
            Err(d) => wrong.extend(d),
        }
    }
    let known = |name: &str| input.fixed.contains_key(&Symbol::new(name)) || params.contains(name);
    for s in args.set.iter().filter(|s| !known(&s.name)) {
        // A sketch with errors has not told its parameters.
        if wrong.is_empty() {
            wrong.push(driver::unknown_setting(&s.name, &input.program, &params));
        }
    }
    if wrong.is_empty() {
        Ok(entries)
    } else {
        Err(wrong)
    }
}

fn plan(
    c: &ContestantArg,
    args: &Args,
    input: &Input,
    context: &mut Context,
) -> Result<Entry, Vec<Diagnostic>> {
    let made = driver::plan::load(
        &c.file,
        Some(&args.program),
        args.entry.as_deref(),
        args.trust.trust(),
        &mut context.sources,
    )?;
    let name = made.program.name;
    if name != input.program.name {
        let what = format!(
            "`{}` is a plan of `{name}`, not of `{}`",
            c.file, input.program.name
        );
        return Err(vec![Diagnostic::new(code::PLAN_PROGRAM, what).help(
            "choose the definition with `--entry`, or give another plan",
        )]);
    }
    let planned = made.plan.as_ref();
    let how = planned.map_or(Default::default(), |p| {
        (p.plan.simplify, p.plan.contract, p.plan.approximate)
    });
    let term = planned.and_then(|p| p.terms.last());
    let term = term.unwrap_or(&made.program.term);
    let found = (term, planned.map_or(&[][..], |p| &p.obliged));
    Ok(Entry {
        name: c.name.clone(),
        kind: Kind::Plan,
        file: Some(c.file.clone()),
        target: made.target,
        unit: unit(&made.program, found, &made.fixed, made.target, how).map_err(|d| vec![d])?,
        fixed: made.fixed,
        folder: None,
    })
}

fn sketch(
    c: &ContestantArg,
    args: &Args,
    params: &mut BTreeSet<String>,
    context: &mut Context,
) -> Result<Entry, Vec<Diagnostic>> {
    let files = Files {
        program: &args.program,
        entry: args.entry.as_deref(),
        sketches: std::slice::from_ref(&c.file),
        set: &args.set,
        target: args.target.target(),
        trust: args.trust.trust(),
    };
    let (made, own) = driver::load_any(&files, &mut context.sources)?;
    params.extend(own);
    searched(&made, (c.name.clone(), Some(c.file.clone())), context)
}

/// The kernel that is found without a sketch.
fn automatic(args: &Args, input: &Input, context: &mut Context) -> Result<Entry, Vec<Diagnostic>> {
    let files = Files {
        program: &args.program,
        entry: args.entry.as_deref(),
        sketches: &[],
        set: &args.set,
        target: input.target,
        trust: args.trust.trust(),
    };
    let (mut made, _) = driver::load_any(&files, &mut context.sources)?;
    let (trust, options) = (args.trust.trust(), searching());
    let sources = &mut context.sources;
    driver::by_size::find(&mut made, Permits::default(), trust, &options, sources)?;
    searched(&made, (AUTOMATIC.to_string(), None), context)
}

fn searching() -> search::Options {
    search::Options {
        bytes: memory_limit(None),
        diagnose: true,
        ..search::Options::default()
    }
}

/// The kernel of what a search finds for the steps of an input, with its name and file.
fn searched(
    made: &Input,
    (name, file): (String, Option<String>),
    context: &mut Context,
) -> Result<Entry, Vec<Diagnostic>> {
    let searched = driver::search(made, &searching(), &mut context.sources).map_err(|d| vec![d])?;
    if let Some(why) = searched.failure {
        return Err(vec![why]);
    }
    let outcome = searched.outcome;
    let term = outcome.terms.last().unwrap_or(&made.program.term);
    Ok(Entry {
        name,
        kind: Kind::Sketch,
        file,
        target: made.target,
        unit: unit(
            &made.program,
            (term, &outcome.obliged),
            &made.fixed,
            made.target,
            (Level::default(), Contract::default(), made.approximate()),
        )
        .map_err(|d| vec![d])?,
        fixed: made.fixed.clone(),
        folder: None,
    })
}

/// A text of the user's, behind the declaration that it has to agree with.
fn c_file(
    c: &ContestantArg,
    input: &Input,
    context: &mut Context,
) -> Result<Entry, Vec<Diagnostic>> {
    let file = (context.sources.load(&c.file)).map_err(|e| vec![Diagnostic::from(e)])?;
    let text = context.sources.file(file).text.clone();
    let fixed: Vec<(Symbol, i64)> = input.fixed.iter().map(|(n, v)| (*n, *v)).collect();
    let plain = unoptimised(input, &fixed).map_err(|d| vec![d])?;
    let declaration = driver::declaration(&plain.unit);
    let name: String = c.file.chars().filter(|c| !c.is_control()).collect();
    let name = name.replace('\\', "\\\\").replace('"', "\\\"");
    let folder = Path::new(&c.file).parent();
    let folder = folder.filter(|f| !f.as_os_str().is_empty());
    Ok(Entry {
        name: c.name.clone(),
        kind: Kind::C,
        file: Some(c.file.clone()),
        unit: CUnit {
            c: format!("#include \"{HEADER}\"\n#line 1 \"{name}\"\n{text}"),
            header: format!(
                "#pragma once\n#include <stdbool.h>\n#include <stdint.h>\n{declaration};\n"
            ),
            // Which sizes it refuses is known when it does.
            ..plain.unit
        },
        folder: Some(folder.unwrap_or(Path::new(".")).to_path_buf()),
        ..plain
    })
}

/// No two of them, and no library, have one name.
pub fn distinct(entries: &[Entry], no_peers: bool) -> Result<(), Diagnostic> {
    let libraries = LIBRARIES.iter().map(|l| l.name).filter(|_| !no_peers);
    let mut seen: BTreeSet<&str> = libraries.chain([UNOPTIMISED]).collect();
    for e in entries {
        if !seen.insert(&e.name) {
            let what = format!("two contestants are called `{}`", e.name);
            return Err(Diagnostic::new(code::BENCH_TWICE, what)
                .help("give one of them another name: `NAME=FILE`"));
        }
    }
    Ok(())
}
