//! `rise-opt solve EXPR --for x`: one variable isolated, by itself.
//!
//! In: expressions, one to an argument or a line, what is assumed, a variable. Out: one line for each, in order: the expression
//! with the variable isolated as far as the rules go, or the values of the variable between which a condition holds. One that
//! cannot be read is reported, and the others are answered. Absent: how (`solve`).

use super::simplify::{asked, told, Question, Wanted};
use super::Context;
use crate::diag::{code, Diagnostic, Exit};
use crate::intern::Symbol;
use crate::report::answers::{Bounds, Solution, Solved};
use crate::scalar::{load_rules, Expr, Rule, Sort};
use crate::solve::{interval, shipped, unordered, Form, Interval, Rules, Side, Solver};
use std::fmt::Write as _;
use std::rc::Rc;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// An expression, such as `(x + a)*2 < b`; without one, each line of standard input is one. `EXPR where TRUTH`
    /// assumes that for itself
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    expression: Option<String>,
    /// The variable that is to stand alone
    #[arg(long = "for", value_name = "NAME")]
    target: String,
    /// Reads the expressions from a file, one on each line
    #[arg(long, value_name = "FILE", conflicts_with = "expression")]
    file: Option<String>,
    /// What holds of the variables: `0 <= i && i < 32 && n % 32 == 0`; given several times, all of it
    #[arg(long, value_name = "TRUTH", allow_hyphen_values = true)]
    assume: Vec<String>,
    /// The values of the variable: between which a condition holds for all (`inner`), or outside of which it holds for none (`outer`)
    #[arg(long, value_enum, value_name = "SIDE")]
    interval: Option<Which>,
    /// Applies the rules of this file instead of the shipped ones, such as `synth --order` writes
    #[arg(long, value_name = "FILE")]
    rules: Option<String>,
    /// Shows each step: which rule rewrote what to what
    #[arg(long)]
    trace: bool,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Which {
    Inner,
    Outer,
}

pub fn run(args: &Args, context: &mut Context) -> u8 {
    match answers(args, context) {
        Ok((all, found)) => {
            let open = |a: &Solved| a.interval.is_none() && a.form == Some(Form::Open);
            let solved = !all.answers.iter().any(open);
            context.print(&match context.json() {
                true => all.json_line(),
                false => all.answers.iter().map(|a| page(a, &args.target)).collect(),
            });
            match found.is_empty() {
                true if solved => 0,
                true => Exit::Check as u8,
                false => context.report(found),
            }
        }
        Err(found) => context.report(found),
    }
}

/// The answers, and what is wrong with some of the expressions.
fn answers(
    args: &Args,
    context: &mut Context,
) -> Result<(Solution, Vec<Diagnostic>), Vec<Diagnostic>> {
    let rules = match &args.rules {
        Some(path) => Rc::new(Rules::new(&ordered(path, context)?)),
        None => shipped(),
    };
    let (questions, mut wrong) = asked(
        &args.expression,
        &args.file,
        &args.assume,
        Wanted::Value,
        context,
    )?;
    let mut all = Solution {
        target: args.target.clone(),
        answers: Vec::new(),
    };
    let side = args.interval.map(|which| match which {
        Which::Inner => Side::Inner,
        Which::Outer => Side::Outer,
    });
    for question in questions {
        let answer = question.map(|q| match refused(&q, side) {
            None => solved(args, &rules, q, side),
            Some(d) => {
                wrong.push(d);
                Solved::default()
            }
        });
        all.answers.push(answer.unwrap_or_default());
    }
    Ok((all, wrong))
}

/// The rules of a file, each of which brings an expression nearer to a solution.
fn ordered(path: &str, context: &mut Context) -> Result<Vec<Rule>, Vec<Diagnostic>> {
    let sources = &mut context.sources;
    let file = sources.load(path).map_err(|e| vec![e.into()])?;
    let rules = load_rules(sources, file)?;
    let objections: Vec<Diagnostic> = unordered(&rules)
        .map(|rule| {
            let said = format!("solving by the rule `{}` may not end", rule.name);
            Diagnostic::new(code::RULE_NOT_ORDERED, said)
                .at(rule.lhs_span.to(rule.rhs_span))
                .help("let terms that have the variable (`t`, `t0` …) stand there less often, further to the left, or higher up")
        })
        .collect();
    match objections.is_empty() {
        true => Ok(rules),
        false => Err(objections),
    }
}

/// What is not solved at all.
fn refused((e, _): &Question, side: Option<Side>) -> Option<Diagnostic> {
    let mut single = true;
    e.visit(&mut |part| single &= part.sort() == Sort::INT || part.sort() == Sort::BOOL);
    if !single {
        let d = Diagnostic::new(code::UNSUPPORTED, format!("`{e}` is about vectors"));
        return Some(d.help("write it for one lane"));
    }
    if side.is_some() && e.sort() != Sort::BOOL {
        let d = Diagnostic::new(code::SCALAR_SORT, format!("`{e}` is no condition"));
        return Some(d.help("an interval is of a comparison, such as `x*4 < n`"));
    }
    None
}

fn solved(args: &Args, rules: &Rc<Rules>, (e, facts): Question, side: Option<Side>) -> Solved {
    let mut solver = Solver::new(rules.clone(), Symbol::new(&args.target));
    facts.iter().for_each(|f| solver.assume(*f));
    if args.trace {
        solver.record();
    }
    let result = solver.solve(e);
    let steps = solver.steps().iter().map(told).collect();
    let interval = side.map(|side| bounds(side, interval(&mut solver, e, side)));
    Solved {
        result: Some(result.to_string()),
        form: Some(solver.form(result)),
        interval,
        steps,
    }
}

fn bounds(side: Side, found: Interval) -> Bounds {
    let text = |e: Expr| e.to_string();
    Bounds {
        side,
        lower: found.lower.map(text),
        upper: found.upper.map(text),
        when: text(found.when),
    }
}

fn page(answer: &Solved, target: &str) -> String {
    let mut text = String::new();
    for step in &answer.steps {
        let _ = writeln!(text, "  {}: {}  =>  {}", step.rule, step.before, step.after);
    }
    let line = match &answer.interval {
        None => answer.result.clone().unwrap_or_default(),
        Some(bounds) => range(bounds, target),
    };
    text + &line + "\n"
}

/// `0 <= x && x <= n - 1`, and when; `true` for all values, `false` for none.
fn range(bounds: &Bounds, target: &str) -> String {
    let lower = bounds.lower.iter().map(|n| format!("{n} <= {target}"));
    let upper = bounds.upper.iter().map(|n| format!("{target} <= {n}"));
    let parts: Vec<String> = lower.chain(upper).collect();
    match (&*bounds.when, parts.is_empty()) {
        ("false", _) => "false".to_string(),
        ("true", true) => "true".to_string(),
        ("true", false) => parts.join(" && "),
        (when, true) => when.to_string(),
        (when, false) => format!("{} && ({when})", parts.join(" && ")),
    }
}
