//! `rise-opt simplify EXPR` and `rise-opt prove EXPR`: index arithmetic by rules, facts and cases, by itself.
//!
//! In: expressions, one to an argument or a line, and what is assumed. Out: one line for each, in order, which is empty for
//! one that cannot be read; that is reported where it stands, and the others are answered. Absent: the
//! rules and how they are applied (`simplify`).

use super::Context;
use crate::diag::{code, Diagnostic, Exit};
use crate::report::answers::{RuleStep, Simplification, Simplified};
use crate::scalar::{load_rules, parse_question, parse_statement, Expr};
use crate::simplify::{shipped, Book, Simplifier, Step};
use crate::source::FileId;
use std::fmt::Write as _;
use std::io::Read as _;
use std::rc::Rc;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// An expression, such as `(4*i + 3)/4`; without one, each line of standard input is one. `EXPR where TRUTH`
    /// assumes that for itself
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    expression: Option<String>,
    /// Reads the expressions from a file, one on each line
    #[arg(long, value_name = "FILE", conflicts_with = "expression")]
    file: Option<String>,
    /// What holds of the variables: `0 <= i && i < 32 && n % 32 == 0`; given several times, all of it
    #[arg(long, value_name = "TRUTH", allow_hyphen_values = true)]
    assume: Vec<String>,
    /// Applies the rules of this file, and nothing else, instead of the shipped ones: to try rules of your own
    #[arg(long, value_name = "FILE")]
    rules: Option<String>,
    /// Shows each step: which rule rewrote what to what
    #[arg(long)]
    trace: bool,
}

/// One simplified expression for each.
pub fn simplify(args: &Args, context: &mut Context) -> u8 {
    let by_rules = args.rules.is_some();
    run(args, Wanted::Value, context, |s, e| match by_rules {
        true => (s.simplify(e).to_string(), true),
        false => (s.simplify_by_cases(e).to_string(), true),
    })
}

/// `true`, `false` or `unknown` for each; a check failed unless all are true.
pub fn prove(args: &Args, context: &mut Context) -> u8 {
    let by_rules = args.rules.is_some();
    // Files of questions that lowering left open have other expressions, too.
    let wanted = match args.expression {
        Some(_) => Wanted::Truth,
        None => Wanted::Value,
    };
    let proved = |s: &mut Simplifier, e: Expr| match by_rules {
        true => s.prove(e),
        false => s.prove_by_cases(e),
    };
    run(args, wanted, context, |s, e| match proved(s, e) {
        Some(true) => ("true".to_string(), true),
        Some(false) => ("false".to_string(), false),
        None => ("unknown".to_string(), false),
    })
}

fn run(
    args: &Args,
    wanted: Wanted,
    context: &mut Context,
    answer: impl Fn(&mut Simplifier, Expr) -> (String, bool),
) -> u8 {
    let questions = match read(args, wanted, context) {
        Ok(read) => read,
        Err(found) => return context.report(found),
    };
    let mut all = Simplification::default();
    let mut fine = true;
    let mut exhausted = false;
    let mut last: Option<(Vec<Expr>, Simplifier)> = None;
    for question in questions.all {
        let Some((e, assumed)) = question else {
            let (result, steps) = (None, Vec::new());
            all.answers.push(Simplified { result, steps });
            continue;
        };
        let mut simplifier = match last.take().filter(|l| l.0 == assumed) {
            Some((_, same)) => same,
            None => {
                let mut new = Simplifier::new(questions.book.clone());
                assumed.iter().for_each(|truth| new.assume(*truth));
                if args.trace {
                    new.record();
                }
                new
            }
        };
        let seen = simplifier.steps().len();
        let (line, holds) = answer(&mut simplifier, e);
        all.answers.push(Simplified {
            result: Some(line),
            steps: simplifier.steps()[seen..].iter().map(told).collect(),
        });
        fine &= holds;
        exhausted |= simplifier.exhausted();
        last = Some((assumed, simplifier));
    }
    context.print(&if context.json() {
        all.json_line()
    } else {
        all.answers.iter().map(page).collect()
    });
    let mut found = questions.unreadable;
    if exhausted {
        found.push(
            Diagnostic::new(
                code::RULES_LOOP,
                "rewriting did not end, so a result may not be simple",
            )
            .help("`--trace` shows which rules undo each other, or let expressions grow; make one of them apply to less"),
        );
    }
    match (found.is_empty(), fine) {
        (true, true) => 0,
        (true, false) => Exit::Check as u8,
        (false, _) => context.report(found),
    }
}

pub(super) fn told(step: &Step) -> RuleStep {
    RuleStep {
        rule: step.rule.map_or("facts", |r| r.as_str()).to_string(),
        before: step.before.to_string(),
        after: step.after.to_string(),
    }
}

fn page(answer: &Simplified) -> String {
    let mut text = String::new();
    for step in &answer.steps {
        let _ = writeln!(text, "  {}: {}  =>  {}", step.rule, step.before, step.after);
    }
    text + answer.result.as_deref().unwrap_or("") + "\n"
}

/// What an expression has to be.
#[derive(Copy, Clone)]
pub(super) enum Wanted {
    Value,
    Truth,
}

/// What is asked, in order.
struct Questions {
    book: Rc<Book>,
    /// Expressions, each with what is assumed; nothing for those that cannot be read.
    all: Vec<Option<Question>>,
    unreadable: Vec<Diagnostic>,
}

/// What is asked, or what keeps everything from being asked.
fn read(args: &Args, wanted: Wanted, context: &mut Context) -> Result<Questions, Vec<Diagnostic>> {
    let sources = &mut context.sources;
    let book = match &args.rules {
        Some(path) => {
            let file = sources.load(path).map_err(|e| vec![e.into()])?;
            Rc::new(Book::new(load_rules(sources, file)?))
        }
        None => shipped(),
    };
    let (all, unreadable) = asked(&args.expression, &args.file, &args.assume, wanted, context)?;
    Ok(Questions {
        book,
        all,
        unreadable,
    })
}

/// What is asked, in order, nothing for what cannot be read; and that.
pub(super) type Asked = (Vec<Option<Question>>, Vec<Diagnostic>);

/// The expressions of an argument, of a file or of standard input, in order, and those that cannot be read.
pub(super) fn asked(
    expression: &Option<String>,
    file: &Option<String>,
    assume: &[String],
    wanted: Wanted,
    context: &mut Context,
) -> Result<Asked, Vec<Diagnostic>> {
    let sources = &mut context.sources;
    let assumed: Vec<(FileId, &str)> = (assume.iter())
        .map(|text| (sources.add_text("--assume", text), &**text))
        .collect();
    parse_question(&assumed, None)?;
    let (name, text) = match (expression, file) {
        (Some(text), _) => ("EXPR".to_string(), text.clone()),
        (None, Some(path)) => {
            let file = sources.load(path).map_err(|e| vec![e.into()])?;
            (path.clone(), sources.file(file).text.to_string())
        }
        (None, None) => ("standard input".to_string(), standard_input()?),
    };
    let file = sources.add_text(&name, &text);
    let mut unreadable = Vec::new();
    let lines = questions(file, &text, &assumed, wanted, &mut unreadable);
    let all: Vec<_> = lines.into_iter().map(|q| q.1).collect();
    if all.is_empty() {
        return Err(vec![Diagnostic::new(
            code::EXPECTED,
            "there is no expression",
        )
        .help("write one, such as `(4*i + 3)/4`")]);
    }
    Ok((all, unreadable))
}

/// An expression, with what is assumed of it.
pub(super) type Question = (Expr, Vec<Expr>);

/// The expressions of a text with the numbers of their lines; nothing for one that cannot be read, which is reported.
pub(super) fn questions(
    file: FileId,
    text: &str,
    assumed: &[(FileId, &str)],
    wanted: Wanted,
    unreadable: &mut Vec<Diagnostic>,
) -> Vec<(usize, Option<Question>)> {
    let mut all = Vec::new();
    let mut start = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let blank = line.trim().is_empty() || line.starts_with("--");
        if !blank {
            let read = question(file, line, assumed, wanted).map_err(|found| {
                let found = found.into_iter().map(|d| d.shifted(file, start));
                unreadable.extend(found);
            });
            all.push((number + 1, read.ok()));
        }
        start += line.len();
    }
    all
}

/// The expression of a line, with all that is assumed there. A name has one sort in all of it.
fn question(
    file: FileId,
    line: &str,
    assumed: &[(FileId, &str)],
    wanted: Wanted,
) -> Result<Question, Vec<Diagnostic>> {
    let mut assumed = assumed.to_vec();
    let (e, where_it_stands) = match line.split_once(" where ") {
        Some((e, _)) => {
            // Behind as many spaces as it stands behind the begin of the line, so that reports point there.
            let at = e.len() + " where ".len();
            (e, " ".repeat(at) + &line[at..])
        }
        None => (line, String::new()),
    };
    if !where_it_stands.is_empty() {
        assumed.push((file, &where_it_stands));
    }
    let (assumed, e) = match wanted {
        Wanted::Value => parse_question(&assumed, Some((file, e)))?,
        Wanted::Truth => parse_statement(&assumed, (file, e))?,
    };
    Ok((e.expect("what was asked"), assumed))
}

fn standard_input() -> Result<String, Vec<Diagnostic>> {
    let mut text = String::new();
    match std::io::stdin().lock().read_to_string(&mut text) {
        Ok(_) => Ok(text),
        Err(e) => {
            let d = Diagnostic::new(
                code::FILE_UNREADABLE,
                format!("standard input cannot be read: {}", e.kind()),
            );
            Err(vec![d.help("write the expression as an argument")])
        }
    }
}
