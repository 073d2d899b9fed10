//! `report`: the page of a run that was saved.
//!
//! In: a record. Out: its page, the same that `--report` writes. Absent: what a page shows (`report::html`).

use super::output::{write_all, Target};
use super::Context;
use crate::diag::{code, Diagnostic};
use crate::report::answers::Written;
use crate::report::{html, Record};
use std::path::Path;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// The record of a run, as `--emit record` writes it
    #[arg(value_name = "RECORD.json")]
    record: String,
    /// Where to write the page; `-` prints it [default: the record's name, with .html]
    #[arg(short, long, value_name = "FILE.html")]
    output: Option<String>,
}

pub fn run(args: &Args, context: &mut Context) -> u8 {
    let done = job(args, context);
    context.ended(done.map_err(|d| [d]))
}

fn job(args: &Args, context: &mut Context) -> Result<(), Diagnostic> {
    let file = context.sources.load(&args.record)?;
    let record = Record::read(&context.sources, file)?;
    let output = args
        .output
        .clone()
        .unwrap_or_else(|| page_name(&args.record));
    let same = |a: &str, b: &str| {
        let canonical = |p: &str| Path::new(p).canonicalize().ok();
        canonical(a).is_some() && canonical(a) == canonical(b)
    };
    if same(&args.record, &output) {
        let what = format!("`{output}` is the record and would be overwritten");
        return Err(
            Diagnostic::new(code::OUTPUT_UNWRITABLE, what).help("name another file with `-o`")
        );
    }
    let target = Target::prepare(Path::new(&output))?;
    let beside = target.is_stdout();
    for path in write_all(vec![(target, html::page(&record))])? {
        if beside {
            break;
        }
        let path = path.display().to_string();
        context.print(&if context.json() {
            Written { files: vec![path] }.json_line()
        } else {
            format!("written  {path}\n")
        });
    }
    Ok(())
}

/// `mm.record.json` gives `mm.html`, in this folder.
fn page_name(record: &str) -> String {
    let name = Path::new(record)
        .file_name()
        .unwrap_or_default()
        .to_string_lossy();
    let stem = name.strip_suffix(".json").unwrap_or(&name);
    format!("{}.html", stem.strip_suffix(".record").unwrap_or(stem))
}
