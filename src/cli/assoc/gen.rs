//! `rise-opt assoc gen`: the operators of few leaves that associate.
//!
//! In: a type, a number of leaves; with `--resume` a table that was begun. Out: the table, a line for each operator, in an order
//! that is always the same; with `--verify` whether the verdicts of a table are found again. Absent: which operators there are (`operator::generate`), verdicts (`operator`).

use super::ask::{self, Asked};
use super::{judged_as, Reading};
use crate::cli::context::Context;
use crate::cli::output::{self, Target};
use crate::diag::{code, Diagnostic, Exit};
use crate::elab;
use crate::intern::Symbol;
use crate::operator::generate::{Generated, Generator};
use crate::operator::{self, Effort, Law, Method, Verdict};
use crate::report::operators::{letters, JudgedLaw};
use crate::source::SourceMap;
use crate::ty::Scalar;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

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
    /// Makes no table, but judges the operators of this one again, and says whose verdicts are others
    #[arg(long, value_name = "TABLE", conflicts_with_all = ["output", "resume", "leaves", "scalars"])]
    verify: Option<PathBuf>,
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
            "-- Operators on {} of type {} that are not refuted to associate: LEAVES | TYPE | OPERATOR | {} | of associativity, in each: the cases of the proof, or where it fails; with any k.\n",
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
    if let Some(table) = &args.verify {
        return verify(table, s, context);
    }
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
    let begun = table.judged;
    let mut generators: Vec<Generator> = (1..=if args.scalars { 1 } else { 2 })
        .map(|components| Generator::new(s, components, args.leaves.into()))
        .collect();
    let mut seen = 0;
    for leaves in 2..=usize::from(args.leaves) {
        for generator in &mut generators {
            let found = generator.operators(leaves);
            let count = generator.count();
            context.error_line(&format!(
                "{leaves} leaves: {count} expressions, {} operators that no point refutes",
                found.len()
            ));
            let left = begun.saturating_sub(seen).min(found.len());
            seen += found.len();
            for some in found[left..].chunks(BETWEEN) {
                table.rows.extend(rows(generator, some, s));
                table.judged += some.len();
                if let Err(d) = written(args, &table) {
                    return context.report([d]);
                }
            }
        }
    }
    if args.output.is_none() {
        context.print(&table.text());
    }
    0
}

fn written(args: &Args, table: &Table) -> Result<(), Diagnostic> {
    let Some(path) = &args.output else {
        return Ok(());
    };
    let target = Target::prepare(path)?;
    output::write_all(vec![(target, table.text())]).map(drop)
}

/// Verdicts, in the order of the operators; nothing of those that are refuted to associate, however numbers are read.
fn rows(generator: &Generator, some: &[Generated], s: Scalar) -> Vec<String> {
    let row = |one: &Generated| {
        let term = generator.term(one)?;
        let text = elab::term_text(&term, &[Symbol::new("k")]);
        let asked = Asked {
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            term,
            names: vec!["k".to_string()],
        };
        let ty = asked.term.ty().as_fun()?.0;
        let (text, found) = (&asked.text, verdicts(&asked, s)?);
        Some(format!("{} | {ty} | {text} | {found}\n", one.leaves))
    };
    in_threads(some, row).into_iter().flatten().collect()
}

/// What becomes of each, in their order, in as many threads as there are cores: ids belong to threads. Some take much longer than others,
/// so a thread takes the next one when it is done with one.
fn in_threads<T: Sync, R: Send>(all: &[T], one: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some(i) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|i| *i < all.len()) {
            done.push((i, one(&all[i])));
        }
        done
    };
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cores.min(all.len()))
            .map(|_| scope.spawn(work))
            .collect();
        let join = |t: std::thread::ScopedJoinHandle<Vec<(usize, R)>>| {
            t.join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        threads.into_iter().flat_map(join).collect()
    });
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, r)| r).collect()
}

/// Letters for all laws, and how each is known of associativity; none where that is refuted in all readings.
fn verdicts(asked: &Asked, s: Scalar) -> Option<String> {
    let judge = |r: &Reading| {
        let (op, names, meaning) = (&asked.term, &asked.names, r.meaning());
        operator::judge(op, names, meaning, Law::Associative, EFFORT)
    };
    let found: Vec<Verdict> = readings(s).iter().map(judge).collect();
    if found.iter().all(|v| matches!(v, Verdict::Refuted(_))) {
        return None;
    }
    let both = readings(s).iter().zip(&found);
    let cells = both.map(|(r, v)| {
        let known = JudgedLaw::of_law(Law::Associative, v);
        letters(&judged_as(asked, *r, EFFORT, known))
    });
    let cells: Vec<String> = cells.chain(found.iter().map(certificate)).collect();
    Some(cells.join(" | "))
}

/// What to look at for a verdict to be found again: how many cases a proof has, or where the sides differ.
fn certificate(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Proved(Method::Cases(n)) => n.to_string(),
        Verdict::Proved(Method::Bits) => "bits".to_string(),
        Verdict::Proved(Method::Thresholds) => "order".to_string(),
        Verdict::Proved(Method::Words) => "words".to_string(),
        Verdict::Proved(Method::Values) => "values".to_string(),
        Verdict::Refuted(c) => {
            let values = c
                .point
                .iter()
                .map(|(name, value)| format!("{name} = {value}"));
            values.collect::<Vec<_>>().join(", ")
        }
        Verdict::Unknown(_) => "-".to_string(),
    }
}

/// Judges what a table has again.
fn verify(path: &Path, s: Scalar, context: &mut Context) -> u8 {
    let rows = match ask::lines(&path.to_string_lossy(), context) {
        Ok(rows) => rows,
        Err(d) => return context.report([d]),
    };
    let found = in_threads(&rows, |row| differs(row, s));
    let differing: Vec<String> = found.into_iter().flatten().collect();
    let right = rows.len() - differing.len();
    let all = rows.len();
    context.print(&format!(
        "{}{right} of {all} operators have the verdicts of the table\n",
        differing.concat()
    ));
    match differing.is_empty() {
        true => 0,
        false => Exit::Check as u8,
    }
}

/// What is wrong with a row, for people.
fn differs(row: &[String], s: Scalar) -> Option<String> {
    let [_, ty, text, told @ ..] = row else {
        return Some(format!("{}: this is no row\n", row.join(" | ")));
    };
    let whole = format!("({ty}) -> ({ty}) -> ({ty})");
    let with = [format!("k : {}", s.name())];
    let Ok(asked) = ask::define(text, &whole, &with, &mut SourceMap::new()) else {
        return Some(format!("{text}: this is no operator on {ty}\n"));
    };
    let refuted = || "it is refuted to associate".to_string();
    let (told, found) = (
        told.join(" | "),
        verdicts(&asked, s).unwrap_or_else(refuted),
    );
    (told != found).then(|| format!("{text}: {found}, where the table has {told}\n"))
}
