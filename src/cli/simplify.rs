//! `rise-opt simplify EXPR` and `rise-opt prove EXPR`: index arithmetic by rules and facts, by itself.
//!
//! In: expressions, one to an argument or a line, and what is assumed. Out: one line for each, in order. Absent: the
//! rules and how they are applied (`simplify`).

use super::Context;
use crate::diag::{code, Diagnostic, Exit};
use crate::scalar::{load_rules, parse_expr, parse_truth, Expr};
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
    /// Applies the rules of this file instead of the shipped ones: to try rules of your own
    #[arg(long, value_name = "FILE")]
    rules: Option<String>,
    /// Shows each step: which rule rewrote what to what
    #[arg(long)]
    trace: bool,
}

/// One simplified expression for each.
pub fn simplify(args: &Args, context: &mut Context) -> u8 {
    run(args, context, |s, e| (s.simplify(e).to_string(), true))
}

/// `true`, `false` or `unknown` for each; a check failed unless all are true.
pub fn prove(args: &Args, context: &mut Context) -> u8 {
    run(args, context, |s, e| match s.prove(e) {
        Some(true) => ("true".to_string(), true),
        Some(false) => ("false".to_string(), false),
        None => ("unknown".to_string(), false),
    })
}

fn run(
    args: &Args,
    context: &mut Context,
    answer: fn(&mut Simplifier, Expr) -> (String, bool),
) -> u8 {
    let questions = match read(args, context) {
        Ok(read) => read,
        Err(found) => return context.report(found),
    };
    let mut text = String::new();
    let mut fine = true;
    let mut exhausted = false;
    let mut last: Option<(Vec<Expr>, Simplifier)> = None;
    for (e, assumed) in questions.all {
        let mut simplifier = match last.take().filter(|l| l.0 == assumed) {
            Some((_, same)) => same,
            None => {
                let mut new = Simplifier::new(questions.book.clone());
                let all = questions.assumed.iter().chain(&assumed);
                all.for_each(|truth| new.assume(*truth));
                if args.trace {
                    new.record();
                }
                new
            }
        };
        let seen = simplifier.steps().len();
        let (line, holds) = answer(&mut simplifier, e);
        for step in &simplifier.steps()[seen..] {
            show(step, &mut text);
        }
        text += &line;
        text.push('\n');
        fine &= holds;
        exhausted |= simplifier.exhausted();
        last = Some((assumed, simplifier));
    }
    context.print(&text);
    if exhausted {
        let d = Diagnostic::new(
            code::RULES_LOOP,
            "rules undo each other, so a result may not be simple",
        )
        .help("`--trace` shows which; make one of them apply to less");
        return context.report(vec![d]);
    }
    match fine {
        true => 0,
        false => Exit::Check as u8,
    }
}

fn show(step: &Step, text: &mut String) {
    let rule = step.rule.map_or("facts", |r| r.as_str());
    let _ = writeln!(text, "  {rule}: {}  =>  {}", step.before, step.after);
}

/// Expressions, each with what its line assumes, and what is assumed of all.
struct Questions {
    book: Rc<Book>,
    assumed: Vec<Expr>,
    all: Vec<(Expr, Vec<Expr>)>,
}

/// What is asked, or everything that is wrong with it.
fn read(args: &Args, context: &mut Context) -> Result<Questions, Vec<Diagnostic>> {
    let mut found = Vec::new();
    let sources = &mut context.sources;
    let book = match &args.rules {
        Some(path) => {
            let file = sources.load(path).map_err(|e| vec![e.into()])?;
            Rc::new(Book::new(load_rules(sources, file)?))
        }
        None => shipped(),
    };
    let mut assumed = Vec::new();
    for text in &args.assume {
        let file = sources.add_text("--assume", text);
        match parse_truth(file, text) {
            Ok(e) => assumed.push(e),
            Err(d) => found.extend(d),
        }
    }
    let (name, text) = match (&args.expression, &args.file) {
        (Some(text), _) => ("EXPR".to_string(), text.clone()),
        (None, Some(path)) => {
            let file = sources.load(path).map_err(|e| vec![e.into()])?;
            (path.clone(), sources.file(file).text.to_string())
        }
        (None, None) => ("standard input".to_string(), standard_input()?),
    };
    let file = sources.add_text(&name, &text);
    let mut all = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let blank = line.trim().is_empty() || line.starts_with("--");
        let (e, truth) = match line.split_once(" where ") {
            Some((e, _)) => (e, Some(e.len() + " where ".len())),
            None => (line, None),
        };
        // Read again where it stands if it is wrong, so that the report points there.
        let mut read = |from: usize, part: &str, parse: Parse| {
            let again = || parse(file, &(" ".repeat(start + from) + part));
            (parse(file, part)).map_err(|_| found.extend(again().err().unwrap_or_default()))
        };
        if !blank {
            let e = read(0, e, parse_expr);
            let truth = truth
                .map(|at| read(at, &line[at..], parse_truth))
                .transpose();
            if let (Ok(e), Ok(truth)) = (e, truth) {
                all.push((e, Vec::from_iter(truth)));
            }
        }
        start += line.len();
    }
    if all.is_empty() && found.is_empty() {
        found.push(
            Diagnostic::new(code::EXPECTED, "there is no expression")
                .help("write one, such as `(4*i + 3)/4`"),
        );
    }
    match found.is_empty() {
        true => Ok(Questions { book, assumed, all }),
        false => Err(found),
    }
}

type Parse = fn(FileId, &str) -> Result<Expr, Vec<Diagnostic>>;

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
