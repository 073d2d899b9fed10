//! `rise-opt assoc lift`: operators that associate, made of steps that do not.
//!
//! In: a step with its types, or programs, of which the steps of all sequential reductions are taken. Out: for each what it
//! became, in words or as JSON, and with `-o` the program that reduces by it. Absent: how it is found (`operator::lift`).

use super::ask::{self, Asked};
use super::{readings, Reading};
use crate::arith::Nat;
use crate::cli::command_line;
use crate::cli::context::Context;
use crate::cli::output::{self, Target};
use crate::diag::{code, Diagnostic, Exit};
use crate::elab;
use crate::intern::Symbol;
use crate::operator::lift::{self, Lifting};
use crate::operator::Effort;
use crate::report::liftings::{self, LiftFile, LiftedStep};
use crate::syntax::{self, Dialect};
use crate::term::{Kind, Loop, Program, Sort, Term};
use crate::ty::Ty;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// A step, such as `\acc x -> max (acc + x) 0`, or programs (`.rise`), of which the steps of all `reduceSeq` are taken
    #[arg(value_name = "STEP|FILE", required = true)]
    steps: Vec<String>,
    /// The type of the accumulator: `f32`, `(f32, f32)`
    #[arg(long = "type", value_name = "TYPE")]
    ty: Option<String>,
    /// The type of an element [default: that of the accumulator]
    #[arg(long, value_name = "TYPE")]
    element: Option<String>,
    /// What the accumulator is at first; it tells which values a counter has
    #[arg(long, value_name = "VALUE")]
    start: Option<String>,
    /// A name that the steps may use, for any value: `k : i32`, or a size, `n : nat`
    #[arg(long = "with", value_name = "NAME : TYPE")]
    with: Vec<String>,
    /// How numbers are read [default: all that the type tells apart]; the command fails unless an operator is found as
    /// numbers are read so
    #[arg(long, value_enum, value_name = "MEANING")]
    meaning: Vec<Reading>,
    /// Where the program goes that reduces by the operators which were found (`FILE.rise`), or the rules that say so (`FILE.rules`)
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// A step, and what it begins with.
struct Begun {
    asked: Asked,
    start: Option<Term>,
}

/// The steps of an argument, with the program where there is one.
struct Source {
    steps: Vec<Begun>,
    program: Option<Program>,
}

pub fn run(args: &Args, context: &mut Context) -> u8 {
    let (mut sources, mut diagnostics) = (Vec::new(), Vec::new());
    for text in &args.steps {
        match text.ends_with(".rise") {
            true => match steps_of(text, context) {
                Ok(found) => sources.push(found),
                Err(found) => diagnostics.extend(found),
            },
            false => match inline(text, args, context) {
                Ok(found) => sources.push(found),
                Err(found) => diagnostics.extend(found),
            },
        }
    }
    let target = args.output.as_deref().map(Target::prepare).transpose();
    let target = target.map_err(|d| diagnostics.push(d)).unwrap_or(None);
    if target.is_some() && sources.len() > 1 {
        let d = Diagnostic::new(code::EXPECTED, "one program goes to one file");
        diagnostics.push(d.help("name one step, or one program"));
    }
    if !diagnostics.is_empty() {
        return context.report(diagnostics);
    }
    let (mut all, mut written) = (Vec::new(), Vec::new());
    for source in &sources {
        let mut used = Vec::new();
        for step in &source.steps {
            let (lifted, found) = lifted(step, args);
            used.push(found.filter(|l| l.meaning.is_of_machine()));
            all.push(lifted);
        }
        written.push(used);
    }
    if let (Some(target), [source], [used]) = (target, &sources[..], &written[..]) {
        let rules = args
            .output
            .as_ref()
            .is_some_and(|p| p.extension().is_some_and(|e| e == "rules"));
        let text = match (&source.program, rules) {
            (_, true) => rules_of(&source.steps, used, context),
            (Some(program), _) => {
                rewritten(program, &source.steps, used).map(|p| elab::program_text(&p))
            }
            (None, _) => alone(&source.steps[0], used[0].as_ref()).map(|p| elab::program_text(&p)),
        };
        let Some(text) = text else {
            let what = "no step of it became an operator that holds for the machine's numbers";
            let d = Diagnostic::new(code::EXPECTED, what);
            return context.report([d.help("leave `-o` out to see what was found and asked")]);
        };
        if let Err(d) = output::write_all(vec![(target, text)]) {
            return context.report([d]);
        }
    }
    let found = |s: &LiftedStep| s.meanings.iter().all(|m| m.operator.is_some());
    let fine = args.meaning.is_empty() || all.iter().all(found);
    let file = LiftFile::new(command_line(), all);
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

/// What a step became in each reading; and the first that was found.
fn lifted(begun: &Begun, args: &Args) -> (LiftedStep, Option<Lifting>) {
    let Begun { asked, start } = begun;
    let all = readings(asked.term.ty());
    let meanings = if args.meaning.is_empty() {
        &all
    } else {
        &args.meaning
    };
    let (mut answers, mut first) = (Vec::new(), None);
    for reading in meanings {
        let meaning = reading.meaning();
        let found = lift::lift(
            &asked.term,
            start.as_ref(),
            &asked.names,
            meaning,
            Effort::ASKED,
        );
        answers.push(liftings::answer(
            reading.name(),
            found.as_ref(),
            &asked.names,
        ));
        // What computes with the machine's numbers comes before what holds without bounds only.
        if first
            .as_ref()
            .is_none_or(|l: &Lifting| !l.meaning.is_of_machine())
        {
            first = found.or(first);
        }
    }
    let start = start
        .as_ref()
        .map(|t| elab::term_text(t, &symbols(&asked.names)));
    (
        liftings::step(&asked.text, asked.term.ty(), start, answers),
        first,
    )
}

/// A table of what the steps of a file become.
pub(super) fn table(path: &str, context: &mut Context) -> u8 {
    let lines = match ask::lines(path, context) {
        Ok(lines) => lines,
        Err(d) => return context.report([d]),
    };
    let mut rows = Vec::new();
    for line in lines {
        let [name, step, ty, element, start] = &line[..] else {
            let what = format!("`{}` has not five columns", line.join(" | "));
            let d = Diagnostic::new(code::EXPECTED, what);
            return context.report([d.help("write `NAME | STEP | ACCUMULATOR | ELEMENT | START`")]);
        };
        let args = Args {
            steps: Vec::new(),
            ty: Some(ty.clone()),
            element: Some(element.clone()),
            start: Some(start.clone()).filter(|s| s != "-"),
            with: Vec::new(),
            meaning: Vec::new(),
            output: None,
        };
        match inline(step, &args, context) {
            Ok(source) => {
                rows.extend(
                    source
                        .steps
                        .iter()
                        .map(|s| (name.clone(), lifted(s, &args).0)),
                );
            }
            Err(found) => return context.report(found),
        }
    }
    context.print(&liftings::table(&rows));
    0
}

fn symbols(names: &[String]) -> Vec<Symbol> {
    names.iter().rev().map(|n| Symbol::new(n)).collect()
}

fn inline(text: &str, args: &Args, context: &mut Context) -> Result<Source, Vec<Diagnostic>> {
    let Some(ty) = &args.ty else {
        let d = Diagnostic::new(code::EXPECTED, format!("`{text}` has no type"));
        return Err(vec![d.help(
            "say what it accumulates: `--type i32`, and `--element` if it is another type",
        )]);
    };
    let element = args.element.as_ref().unwrap_or(ty);
    let sources = &mut context.sources;
    let asked = ask::define(
        text,
        &format!("({ty}) -> ({element}) -> ({ty})"),
        &args.with,
        sources,
    )?;
    let start = match &args.start {
        Some(start) => Some(ask::define(start, &format!("({ty})"), &args.with, sources)?.term),
        None => None,
    };
    Ok(Source {
        steps: vec![Begun { asked, start }],
        program: None,
    })
}

/// The steps of the sequential reductions of a program, each once.
fn steps_of(path: &str, context: &mut Context) -> Result<Source, Vec<Diagnostic>> {
    let sources = &mut context.sources;
    let file = sources.load(path).map_err(|e| vec![e.into()])?;
    let program = elab::program(sources, file, None)?;
    let begun = |(asked, start): (Asked, &Term)| Begun {
        asked,
        start: Some(start.clone()),
    };
    let steps: Vec<Begun> = (ask::parts(&program.term, &reduction).into_iter())
        .map(begun)
        .collect();
    if steps.is_empty() {
        let what = format!("`{path}` has no `reduceSeq`");
        let d = Diagnostic::new(code::EXPECTED, what);
        return Err(vec![
            d.help("name a step: `'\\acc x -> max (acc + x) 0' --type f32`")
        ]);
    }
    Ok(Source {
        steps,
        program: Some(program),
    })
}

/// The step and the start of a sequential reduction.
fn reduction(t: &Term) -> Option<(&Term, &Term)> {
    let (p, args) = t.as_prim_app()?;
    match (p.op().sort(), &args[..]) {
        (Sort::Loop(Loop::ReduceSeq | Loop::Reduce), [step, start]) => Some((step, start)),
        _ => None,
    }
}

/// The program with the reductions by what was found.
fn rewritten(program: &Program, steps: &[Begun], found: &[Option<Lifting>]) -> Option<Program> {
    let mut count = 0;
    let term = replaced(&program.term, &mut |t| {
        let (step, start) = reduction(t)?;
        let is = |b: &Begun| b.asked.term == *step && b.start.as_ref() == Some(start);
        let at = steps.iter().position(is)?;
        let whole = found
            .get(at)?
            .as_ref()?
            .parts
            .reduction(start, t.ty().as_fun()?.0)?;
        count += 1;
        Some(whole)
    });
    let name = Symbol::new(&format!("{}_lifted", program.name));
    (count > 0).then(|| Program {
        name,
        term,
        ..program.clone()
    })
}

/// A term with parts replaced, the inner ones first.
fn replaced(t: &Term, f: &mut impl FnMut(&Term) -> Option<Term>) -> Term {
    if let Some(new) = f(t) {
        return new;
    }
    match t.kind() {
        Kind::Lam(hint, body) => match t.ty().as_fun() {
            Some((arg, _)) => Term::lam(*hint, arg, replaced(body, f)),
            None => t.clone(),
        },
        Kind::App(g, x) => Term::app(replaced(g, f), replaced(x, f)),
        Kind::Prim(_) | Kind::Var(_) | Kind::Lit(_) | Kind::Hole(_) => t.clone(),
    }
}

/// A rule for each step of closed terms: the reduction by it is the one by what was found.
fn rules_of(steps: &[Begun], found: &[Option<Lifting>], context: &mut Context) -> Option<String> {
    let mut text = String::new();
    for (begun, lifting) in steps.iter().zip(found) {
        let Begun { asked, start } = begun;
        let number = text.matches("rule ").count() + 1;
        let rule = |l| elab::lifted_rule(&asked.term, start.as_ref(), l, number);
        if let Some(rule) = lifting.as_ref().and_then(rule) {
            text += &rule;
        }
    }
    let file = context.sources.add_text("RULES", &text);
    let parsed = syntax::parse(file, &text, Dialect::Rules);
    let fine = !text.is_empty() && parsed.diagnostics.is_empty();
    fine.then(|| syntax::print(&parsed, &text))
}

/// A program that reduces n elements, the start of which is its second parameter where none was given.
fn alone(begun: &Begun, found: Option<&Lifting>) -> Option<Program> {
    let Begun { asked, start } = begun;
    let (state, rest) = asked.term.ty().as_fun()?;
    let n = Nat::var(Symbol::new("n"));
    let array = Ty::array(n, rest.as_fun()?.0);
    if asked.term.open() > 0 {
        return None;
    }
    let (name, xs) = (Symbol::new("start"), Symbol::new("xs"));
    let given = start.clone().unwrap_or_else(|| Term::var(0, state));
    let whole = found?.parts.reduction(&given, array)?;
    let (params, term) = match start {
        Some(_) => (vec![(xs, array)], whole),
        None => (
            vec![(name, state), (xs, array)],
            Term::lam(Some(name), state, whole),
        ),
    };
    Some(Program {
        name: Symbol::new("lifted"),
        sizes: vec![Symbol::new("n")],
        params,
        result: state,
        term,
    })
}
