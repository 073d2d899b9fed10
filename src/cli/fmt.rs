//! `rise-opt fmt FILES`: files in the one layout.

use super::Context;
use crate::diag::Diagnostic;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Programs (.rise), rules (.rules) and sketches (.sk)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
}

pub fn run(args: &Args, context: &mut Context) -> u8 {
    let mut found = Vec::new();
    for file in &args.files {
        if let Err(e) = context.sources.load(file) {
            found.push(Diagnostic::from(e));
        }
    }
    context.report(found)
}
