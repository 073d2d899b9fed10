//! `rise-opt assoc check`: which laws operators obey.
//!
//! In: operators, each with a type, or programs, of which the operators of all reductions are taken. Out: for each, as numbers
//! are read in different ways, which laws are proved, and where the others fail; or JSON. Absent: how (`operator`).

mod ask;
mod gen;
mod lift;

use self::ask::Asked;
use super::command_line;
use super::Context;
use crate::diag::{code, Diagnostic, Exit};
use crate::elab;
use crate::operator::{self, Effort, Identity, Law, Meaning};
use crate::report::operators::{
    self, JudgedLaw, JudgedMeaning, JudgedOperator, OperatorFile, Word,
};
use crate::term::{Loop, Sort, Term};
use crate::ty::{Scalar, Ty, TyKind};
use clap::{Subcommand, ValueEnum};

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(subcommand)]
    job: Job,
}

#[derive(Subcommand, Debug)]
enum Job {
    /// Says of operators which laws they obey: proved, refuted with a counterexample, or unknown
    Check(CheckArgs),
    /// Prints a table of the verdicts on the operators of a file, in Markdown; docs/reductions.md has one
    Table(TableArgs),
    /// Makes of a step `acc -> elem -> acc` an operator that associates, with an element's part and a projection
    Lift(lift::Args),
    /// Lists the operators of few leaves that associate, with their verdicts
    Gen(gen::Args),
}

#[derive(clap::Args, Debug)]
struct TableArgs {
    /// Lines `OPERATOR | TYPE | TYPE | NAME : TYPE`: a type with integers, one with floats, `-` where there is none, and a name
    /// that the operator may use; `%` is the type. Lines that begin with `--` are not read
    #[arg(value_name = "FILE")]
    file: String,
    /// Lines `NAME | STEP | ACCUMULATOR | ELEMENT | START` instead, `-` where any start will do: what `assoc lift` makes of them
    #[arg(long)]
    steps: bool,
}

#[derive(clap::Args, Debug)]
struct CheckArgs {
    /// Operators, such as `\x y -> max x y`, or programs (`.rise`), of which the operators of all reductions are taken
    #[arg(value_name = "OPERATOR|FILE", required = true)]
    operators: Vec<String>,
    /// What the operators combine: `i32`, `(f32, i64)`
    #[arg(long = "type", value_name = "TYPE")]
    ty: Option<String>,
    /// A name that the operators may use, for any value: `k : i32`, or a size, `n : nat`
    #[arg(long = "with", value_name = "NAME : TYPE")]
    with: Vec<String>,
    /// How numbers are read [default: all that the type tells apart]; the command fails unless the operators are
    /// associative as numbers are read so
    #[arg(long, value_enum, value_name = "MEANING")]
    meaning: Vec<Reading>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Reading {
    /// Integers without bounds, floats as real numbers
    Z,
    /// The machine's numbers: integers wrap, floats are IEEE 754 to the bit
    Wrapping,
    /// The same
    Ieee,
    /// The machine's integers, floats as real numbers, as `permit reassociate` reads them
    Reals,
}

impl Reading {
    fn meaning(self) -> Meaning {
        match self {
            Reading::Z => Meaning::Unbounded,
            Reading::Wrapping | Reading::Ieee => Meaning::Machine,
            Reading::Reals => Meaning::Reals,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Reading::Z => "z",
            Reading::Wrapping => "wrapping",
            Reading::Ieee => "ieee",
            Reading::Reals => "reals",
        }
    }
}

pub fn run(args: &Args, context: &mut Context) -> u8 {
    match &args.job {
        Job::Check(args) => check(args, context),
        Job::Table(args) if args.steps => lift::table(&args.file, context),
        Job::Table(args) => table(&args.file, context),
        Job::Lift(args) => lift::run(args, context),
        Job::Gen(args) => gen::run(args, context),
    }
}

/// A table of verdicts, a line for each operator.
fn table(path: &str, context: &mut Context) -> u8 {
    let lines = match ask::lines(path, context) {
        Ok(lines) => lines,
        Err(d) => return context.report([d]),
    };
    let mut rows = Vec::new();
    for line in lines {
        let mut columns = line.into_iter();
        let operator = columns.next().unwrap_or_default();
        let types = [columns.next(), columns.next()].map(|t| t.filter(|t| t != "-"));
        let with = columns.next();
        let readings = [
            [Reading::Z, Reading::Wrapping],
            [Reading::Ieee, Reading::Reals],
        ];
        let mut cells = Vec::new();
        for (ty, readings) in types.iter().zip(readings) {
            let Some(ty) = ty else {
                cells.extend([None, None]);
                continue;
            };
            let with = with.iter().map(|w| w.replace('%', ty)).collect();
            let one = CheckArgs {
                operators: Vec::new(),
                ty: Some(ty.clone()),
                with,
                meaning: Vec::new(),
            };
            match inline(&operator, &one, context) {
                Ok(asked) => {
                    let all = judged(&asked, &readings, Effort::ASKED);
                    cells.extend(all.meanings.into_iter().map(Some));
                }
                Err(found) => return context.report(found),
            }
        }
        rows.push((operator, types, cells));
    }
    context.print(&operators::table(&rows));
    0
}

fn check(args: &CheckArgs, context: &mut Context) -> u8 {
    let mut asked = Vec::new();
    let mut diagnostics = Vec::new();
    for text in &args.operators {
        let found = match text.ends_with(".rise") {
            true => reductions(text, context),
            false => inline(text, args, context).map(|one| vec![one]),
        };
        match found {
            Ok(all) => asked.extend(all),
            Err(found) => diagnostics.extend(found),
        }
    }
    if !diagnostics.is_empty() {
        return context.report(diagnostics);
    }
    let all: Vec<JudgedOperator> = asked
        .iter()
        .map(|a| judged(a, &args.meaning, Effort::ASKED))
        .collect();
    let associate = |op: &JudgedOperator| {
        let mut laws = op.meanings.iter().flat_map(|m| &m.laws);
        laws.all(|l| l.law != Law::Associative.name() || l.verdict == Word::Proved)
    };
    let fine = args.meaning.is_empty() || all.iter().all(associate);
    let file = OperatorFile::new(command_line(), all);
    if context.json() {
        context.print(&file.json_line());
    } else {
        context.print(&file.page());
    }
    if fine {
        0
    } else {
        Exit::Check as u8
    }
}

fn judged(asked: &Asked, meanings: &[Reading], effort: Effort) -> JudgedOperator {
    let ty = asked.term.ty().as_fun().map_or(asked.term.ty(), |f| f.0);
    let told_apart = readings(ty);
    let meanings = if meanings.is_empty() {
        &told_apart
    } else {
        meanings
    };
    let one = |reading: &Reading| {
        let (op, names) = (&asked.term, &asked.names);
        let law = Law::Associative;
        let verdict = operator::judge(op, names, reading.meaning(), law, effort);
        judged_as(asked, *reading, effort, JudgedLaw::of_law(law, &verdict))
    };
    JudgedOperator {
        operator: asked.text.clone(),
        ty: ty.to_string(),
        meanings: meanings.iter().map(one).collect(),
    }
}

/// In one reading, where it is known whether it associates.
fn judged_as(
    asked: &Asked,
    reading: Reading,
    effort: Effort,
    associative: JudgedLaw,
) -> JudgedMeaning {
    let (op, names, meaning) = (&asked.term, &asked.names, reading.meaning());
    let mut laws = vec![associative];
    let mut commutes = false;
    laws.extend([Law::Commutative, Law::Idempotent].map(|law| {
        let verdict = operator::judge(op, names, meaning, law, effort);
        commutes |= law == Law::Commutative && verdict.is_proved();
        JudgedLaw::of_law(law, &verdict)
    }));
    let identity = |left| operator::identity(op, names, meaning, left, effort);
    let left = identity(true);
    laws.push(JudgedLaw::of_identity(true, &left));
    // What commutes has one identity, on both sides.
    let right = match left {
        Identity::Proved(..) | Identity::Refuted if commutes => left,
        _ => identity(false),
    };
    laws.push(JudgedLaw::of_identity(false, &right));
    JudgedMeaning {
        meaning: reading.name().to_string(),
        laws,
    }
}

/// The readings that differ for a type.
fn readings(ty: Ty) -> Vec<Reading> {
    fn scalars(ty: Ty, found: &mut Vec<Scalar>) {
        match ty.kind() {
            TyKind::Scalar(s) => found.push(s),
            TyKind::Idx(_) | TyKind::Meta(_) => {}
            TyKind::Pair(a, b) | TyKind::Fun(a, b) => {
                scalars(a, found);
                scalars(b, found);
            }
            TyKind::Vec(_, t) | TyKind::Array(_, t) => scalars(t, found),
        }
    }
    let mut found = Vec::new();
    scalars(ty, &mut found);
    let ints = found.iter().any(|s| s.is_int());
    match (ints, found.iter().any(|s| s.is_float())) {
        (true, false) => vec![Reading::Z, Reading::Wrapping],
        (false, true) => vec![Reading::Ieee, Reading::Reals],
        (true, true) => vec![Reading::Z, Reading::Ieee, Reading::Reals],
        (false, false) => vec![Reading::Wrapping],
    }
}

/// An operator of the command line.
fn inline(text: &str, args: &CheckArgs, context: &mut Context) -> Result<Asked, Vec<Diagnostic>> {
    let Some(ty) = &args.ty else {
        let d = Diagnostic::new(code::EXPECTED, format!("`{text}` has no type"));
        return Err(vec![d.help("say what it combines: `--type i32`")]);
    };
    ask::define(
        text,
        &format!("({ty}) -> ({ty}) -> ({ty})"),
        &args.with,
        &mut context.sources,
    )
}

/// The operators of the reductions of a program, each once.
fn reductions(path: &str, context: &mut Context) -> Result<Vec<Asked>, Vec<Diagnostic>> {
    let sources = &mut context.sources;
    let file = sources.load(path).map_err(|e| vec![e.into()])?;
    let program = elab::program(sources, file, None)?;
    let found = ask::parts(&program.term, &operator);
    if found.is_empty() {
        let what = format!("`{path}` reduces nothing with an operator on one type");
        let d = Diagnostic::new(code::EXPECTED, what);
        return Err(vec![
            d.help("name an operator: `'\\x y -> x + y' --type i32`")
        ]);
    }
    Ok(found.into_iter().map(|f| f.0).collect())
}

/// The operator of a reduction, if it combines two of one type.
fn operator(t: &Term) -> Option<(&Term, ())> {
    let (p, args) = t.as_prim_app()?;
    let reduces = matches!(
        p.op().sort(),
        Sort::Loop(
            Loop::Reduce
                | Loop::ReduceSeq
                | Loop::ReduceSeqUnroll
                | Loop::ScanSeq
                | Loop::ScatterReduce
                | Loop::ReduceSegments
        )
    );
    let ([op], true) = (&args[..], reduces) else {
        return None;
    };
    let (t, rest) = op.ty().as_fun()?;
    (rest == Ty::fun(t, t)).then_some((*op, ()))
}
