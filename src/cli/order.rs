//! `rise-opt order [FILES]`: whether rewriting by rules over scalars is sure to end.
//!
//! In: files of rules, each a book of its own. Out: a line for each rule that needs others, or for each that is
//! asked for, and a summary; an error for each that is not ordered, with a cycle of steps where one is found. Absent: how
//! (`order`).

use super::command_line;
use super::verify::{load, missing};
use super::Context;
use crate::diag::{code, Diagnostic};
use crate::report::order::{reason, Kind, OrderFile, RuleOrder};
use crate::scalar::Rule;
use crate::termination::{order, Open, Verdict};

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Files of rules over scalars (`domain scalar`); each is ordered by itself, its order being the priority
    #[arg(value_name = "FILE", default_value = "rules/index.rules")]
    files: Vec<String>,
    /// Tells of this rule only; may be given again
    #[arg(long = "rule", value_name = "NAME")]
    rules: Vec<String>,
}

pub fn run(args: &Args, context: &mut Context) -> u8 {
    let mut diagnostics = Vec::new();
    let mut all = Vec::new();
    let mut told = Vec::new();
    let asked = |rule: &Rule| {
        let mut names = args.rules.iter();
        args.rules.is_empty() || names.any(|name| name == rule.name.as_str())
    };
    for path in &args.files {
        let rules = load(path, &mut context.sources, &mut diagnostics);
        let verdicts = order(&rules);
        for (rule, verdict) in rules.iter().zip(&verdicts).filter(|r| asked(r.0)) {
            if let Verdict::Open(open) = verdict {
                diagnostics.push(objection(rule, open));
            }
            told.push(RuleOrder::new(path, rule, verdict));
        }
        all.extend(rules);
    }
    let known = all.iter().map(|rule| rule.name.as_str());
    let names = args.rules.iter();
    diagnostics.extend(names.filter_map(|name| missing(name, known.clone())));
    let file = OrderFile::new(command_line(), told);
    if context.json() {
        context.print(&file.json_line())
    } else {
        context.print(&page(&file, !args.rules.is_empty()))
    }
    context.report(diagnostics)
}

fn page(file: &OrderFile, each: bool) -> String {
    let lines = file.rules.iter().filter(|r| match r.verdict {
        Kind::Earlier | Kind::Folding => true,
        Kind::Local => each,
        Kind::Open => false,
    });
    let lines: String = lines.map(|r| r.line() + "\n").collect();
    lines + &file.summary()
}

fn objection(rule: &Rule, open: &Open) -> Diagnostic {
    let sides = rule.lhs_span.to(rule.rhs_span);
    let why = reason(&open.why);
    match &open.cycle {
        None => Diagnostic::new(
            code::RULE_NOT_ORDERED,
            format!("rewriting by the rule `{}` may not end", rule.name),
        )
        .at(sides)
        .note(why)
        .help(
            "turn the rule round, ask for more with `where`, or put a rule for that case before it",
        ),
        Some(cycle) => {
            let d = Diagnostic::new(
                code::RULE_CIRCLE,
                format!("rewriting by the rule `{}` does not end", rule.name),
            )
            .label(sides, "takes part in a cycle")
            .note(why);
            let steps = cycle.steps.iter();
            steps
                .fold(d, |d, (rule, before, after)| {
                    d.note(format!("{rule}: {before}  =>  {after}"))
                })
                .help("turn one of the rules round, or let it apply to less with `where`")
        }
    }
}
