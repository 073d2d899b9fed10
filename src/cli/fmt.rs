//! `rise-opt fmt FILES`: files in the one layout.

use super::check::{dialect, is_stream, unknown_kind};
use super::output::{write_all, Target};
use super::Context;
use crate::diag::{code, Diagnostic};
use crate::source::{Origin, SourceMap};
use crate::syntax::{parse, print};

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Programs (.rise), rules (.rules) and sketches (.sk)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
    /// Changes nothing, and fails if a file is not in the layout: for continuous integration
    #[arg(long)]
    check: bool,
}

pub fn run(args: &Args, context: &mut Context) -> u8 {
    let mut found = Vec::new();
    for path in &args.files {
        if let Err(d) = file(path, args.check, &mut context.sources) {
            found.extend(d);
        }
    }
    context.report(found)
}

fn file(path: &str, only_check: bool, sources: &mut SourceMap) -> Result<(), Vec<Diagnostic>> {
    let (before, after) = formatted(sources, path)?;
    // What cannot be written again is printed.
    let printed = is_stream(path) && !only_check;
    if before == after && !printed {
        return Ok(());
    }
    if only_check {
        let d = Diagnostic::new(
            code::NOT_FORMATTED,
            format!("`{path}` is not in the one layout"),
        );
        return Err(vec![d.help(format!("run `rise-opt fmt {path}`"))]);
    }
    let path = if printed { "-" } else { path };
    let target = Target::prepare(path.as_ref()).map_err(|d| vec![d])?;
    write_all(vec![(target, after)]).map_err(|d| vec![d])?;
    Ok(())
}

/// The text of a file, and the same in the one layout. Files with syntax errors have none.
pub fn formatted(sources: &mut SourceMap, path: &str) -> Result<(String, String), Vec<Diagnostic>> {
    let id = sources.load(path).map_err(|e| vec![e.into()])?;
    let dialect = dialect(path).ok_or_else(|| vec![unknown_kind(path)])?;
    if let Origin::Shipped(name) = &sources.file(id).origin {
        let d = Diagnostic::new(
            code::FILE_MISSING,
            format!("there is no file `{path}` here; `{name}` is part of rise-opt"),
        );
        return Err(vec![d.help("name a file of yours")]);
    }
    let text = sources.file(id).text.to_string();
    let parsed = parse(id, &text, dialect);
    if parsed.diagnostics.is_empty() {
        let after = print(&parsed, &text);
        Ok((text, after))
    } else {
        Err(parsed.diagnostics)
    }
}
