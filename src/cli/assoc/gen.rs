//! `rise-opt assoc gen`: the operators of few leaves that associate.
//!
//! In: a type, a number of leaves; with `--resume` a table that was begun. Out: the table, a line for each operator, in an order
//! that is always the same. Absent: which operators there are (`operator::generate`), verdicts (`operator`).

use super::ask::Asked;
use super::{judged, Reading};
use crate::cli::context::Context;
use crate::cli::output::{self, Target};
use crate::diag::{code, Diagnostic};
use crate::elab;
use crate::intern::Symbol;
use crate::operator::generate::{Generated, Generator};
use crate::operator::Effort;
use crate::report::operators::letters;
use crate::ty::Scalar;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// What the operators combine, or pairs of it: `i32`, `f32`, `bool`
    #[arg(long = "type", value_name = "TYPE")]
    ty: String,
    /// Operands and constants that an operator may consist of
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(2..=8))]
    leaves: u8,
    /// Operators on one number only
    #[arg(long)]
    scalars: bool,
    /// Where the table goes [default: standard output]
    #[arg(short, long, value_name = "TABLE")]
    output: Option<PathBuf>,
    /// Goes on with a table that was begun
    #[arg(long, requires = "output")]
    resume: bool,
}

/// What a verdict may cost.
const EFFORT: Effort = Effort {
    points: 200,
    cases: 1_000,
};
/// Operators between two writings of the table.
const BETWEEN: usize = 200;

/// A table under way.
struct Table {
    head: String,
    rows: Vec<String>,
    /// How many operators were judged.
    judged: usize,
}

impl Table {
    fn new(s: Scalar, args: &Args) -> Table {
        let of = if args.scalars {
            "numbers"
        } else {
            "numbers and pairs"
        };
        let meanings: Vec<&str> = readings(s).iter().map(|r| r.name()).collect();
        let head = format!(
            "-- Operators on {} of type {} that no point refutes to associate: LEAVES | OPERATOR | {}, with any k.\n",
            of,
            s.name(),
            meanings.join(" | ")
        );
        Table {
            head,
            rows: Vec::new(),
            judged: 0,
        }
    }

    fn text(&self) -> String {
        format!(
            "{}{}-- judged: {}\n",
            self.head,
            self.rows.concat(),
            self.judged
        )
    }

    /// What was judged before.
    fn resumed(mut self, text: &str) -> Option<Table> {
        let rest = text.strip_prefix(&self.head)?;
        let rows: Vec<&str> = rest.split_inclusive('\n').collect();
        let (last, rows) = rows.split_last()?;
        self.judged = last.trim().strip_prefix("-- judged: ")?.parse().ok()?;
        self.rows = rows.iter().map(|r| r.to_string()).collect();
        Some(self)
    }
}

/// How numbers are read: floats as real numbers.
fn readings(s: Scalar) -> &'static [Reading] {
    match s {
        Scalar::Bool => &[Reading::Wrapping],
        s if s.is_float() => &[Reading::Reals],
        _ => &[Reading::Z, Reading::Wrapping],
    }
}

pub fn run(args: &Args, context: &mut Context) -> u8 {
    let Some(s) = Scalar::from_name(&args.ty) else {
        let d = Diagnostic::new(
            code::EXPECTED,
            format!("`{}` is no type of numbers", args.ty),
        );
        return context.report([d.help("name one: `--type i32`")]);
    };
    let mut table = Table::new(s, args);
    if let (true, Some(path)) = (args.resume, &args.output) {
        let text = match context.sources.load(&path.to_string_lossy()) {
            Ok(file) => context.sources.file(file).text.to_string(),
            Err(e) => return context.report([Diagnostic::from(e)]),
        };
        match table.resumed(&text) {
            Some(begun) => table = begun,
            None => {
                let what = format!("`{}` is no such table of {}", path.display(), args.ty);
                let d = Diagnostic::new(code::EXPECTED, what);
                return context.report([d.help("leave `--resume` out to begin it")]);
            }
        }
    }
    let (mut seen, begun) = (0, table.judged);
    let mut generators = vec![Generator::new(s, 1)];
    if !args.scalars {
        generators.push(Generator::new(s, 2));
    }
    for leaves in 2..=usize::from(args.leaves) {
        for generator in &mut generators {
            generator.grow();
            let found = generator.operators(leaves);
            let count = generator.count();
            context.error_line(&format!(
                "{leaves} leaves: {count} expressions, {} operators that no point refutes",
                found.len()
            ));
            for one in found {
                seen += 1;
                if seen <= begun {
                    continue;
                }
                table.rows.push(row(&one, s));
                table.judged = seen;
                if seen % BETWEEN == 0 {
                    if let Err(d) = written(args, &table) {
                        return context.report([d]);
                    }
                }
            }
        }
    }
    match (written(args, &table), &args.output) {
        (Err(d), _) => context.report([d]),
        (Ok(()), Some(_)) => 0,
        (Ok(()), None) => {
            context.print(&table.text());
            0
        }
    }
}

fn written(args: &Args, table: &Table) -> Result<(), Diagnostic> {
    let Some(path) = &args.output else {
        return Ok(());
    };
    let target = Target::prepare(path)?;
    output::write_all(vec![(target, table.text())]).map(drop)
}

fn row(one: &Generated, s: Scalar) -> String {
    let text = elab::term_text(&one.operator, &[Symbol::new("k")]);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let asked = Asked {
        text,
        term: one.operator.clone(),
        names: vec!["k".to_string()],
    };
    let verdicts = judged(&asked, readings(s), EFFORT);
    let letters: Vec<String> = verdicts.meanings.iter().map(letters).collect();
    format!(
        "{} | {} | {}\n",
        one.leaves,
        asked.text,
        letters.join(" | ")
    )
}
