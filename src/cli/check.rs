//! `rise-opt check FILES`: every error of programs, rules and sketches, without searching.

use super::Context;
use crate::cost::Cost;
use crate::diag::{code, Diagnostic};
use crate::driver;
use crate::elab;
use crate::source::SourceMap;
use crate::syntax::Dialect;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Programs (.rise), rules (.rules) and sketches (.sk)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
}

pub fn run(args: &Args, context: &mut Context) -> u8 {
    let mut found = Vec::new();
    for file in &args.files {
        for d in check(&mut context.sources, file) {
            // What two files include is reported once.
            if !found.contains(&d) {
                found.push(d);
            }
        }
    }
    context.report(found)
}

/// Everything wrong with a file. A sketch is read without a program: any name may be a size of one.
pub fn check(sources: &mut SourceMap, path: &str) -> Vec<Diagnostic> {
    let file = match sources.load(path) {
        Ok(file) => file,
        Err(e) => return vec![e.into()],
    };
    match dialect(path) {
        Some(Dialect::Program) => elab::check_program(sources, file),
        Some(Dialect::Rules) => driver::wrong_rules(sources, file),
        Some(Dialect::Sketch) => {
            elab::check_sketch(sources, file, &Cost::ALL.map(|(name, _)| name))
        }
        None => vec![unknown_kind(path)],
    }
}

/// Whether a path is standard input, or a pipe: something that cannot be read or written again.
pub(super) fn is_stream(path: &str) -> bool {
    let special = |m: std::fs::Metadata| !m.is_file() && !m.is_dir();
    path == "-" || std::fs::metadata(path).is_ok_and(special)
}

/// What a file holds, by its name; what has none is a program.
pub(super) fn dialect(path: &str) -> Option<Dialect> {
    Dialect::of_path(path).or(is_stream(path).then_some(Dialect::Program))
}

pub(super) fn unknown_kind(path: &str) -> Diagnostic {
    Diagnostic::new(
        code::FILE_KIND,
        format!("`{path}` is no program, no rules and no sketch, by its name"),
    )
    .help("programs end in .rise, rules in .rules, sketches in .sk")
}
