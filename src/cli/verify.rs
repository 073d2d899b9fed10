//! `rise-opt verify [FILES]`: whether rules over scalars are true.
//!
//! In: files of rules. Out: a line for each rule that is not proved, a summary; or, instead, the queries. A rule that
//! cannot be read is reported, and the others are verified. Absent: how (`verify`).

use super::Context;
use crate::diag::{code, Diagnostic};
use crate::exec::solver::{self, Solver, SOLVERS};
use crate::intern::Symbol;
use crate::scalar::{self, eval, Rule, Value};
use crate::source::SourceMap;
use crate::syntax::{parse, Dialect};
use crate::verify::{queries, verify, Encoding, Limits, Point, Verdict};
use std::collections::BTreeMap;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Files of rules over scalars (`domain scalar`)
    #[arg(value_name = "FILE", default_value = "rules/index.rules")]
    files: Vec<String>,
    /// Only this rule; may be given again
    #[arg(long = "rule", value_name = "NAME")]
    rules: Vec<String>,
    /// Prints the queries, in SMT-LIB, and asks no solver
    #[arg(long)]
    queries: bool,
}

pub fn run(args: &Args, context: &mut Context) -> u8 {
    let mut diagnostics = Vec::new();
    let mut rules = Vec::new();
    for path in &args.files {
        rules.extend(load(path, &mut context.sources, &mut diagnostics));
    }
    diagnostics.extend(args.rules.iter().filter_map(|name| missing(name, &rules)));
    if !args.rules.is_empty() {
        rules.retain(|r| args.rules.iter().any(|name| name == r.name.as_str()));
    }
    if args.queries {
        context.print(&written(&rules));
        return context.report(diagnostics);
    }
    let solvers = solver::find();
    if solvers.is_empty() {
        diagnostics.push(no_solver());
        return context.report(diagnostics);
    }
    let limits = Limits::default();
    let verdicts = verify(&rules, &solvers, &limits, &mut |attempt, rules| {
        context.error_line(&format!("{attempt}: {rules} rules"));
    });
    let wrong = rules.iter().zip(&verdicts);
    diagnostics.extend(wrong.filter_map(|(rule, verdict)| objection(rule, verdict)));
    if !context.json() {
        context.print(&summary(&verdicts, &solvers));
    }
    context.report(diagnostics)
}

/// The rules of a file that can be read.
fn load(path: &str, sources: &mut SourceMap, diagnostics: &mut Vec<Diagnostic>) -> Vec<Rule> {
    let file = match sources.load(path) {
        Ok(file) => file,
        Err(e) => {
            diagnostics.push(e.into());
            return Vec::new();
        }
    };
    let text = sources.file(file).text.clone();
    let parsed = parse(file, &text, Dialect::Rules);
    diagnostics.extend(parsed.diagnostics);
    if scalar::is_scalar(&parsed.file) {
        return scalar::rules_of(&parsed.file, diagnostics);
    }
    // Says that it is of another domain.
    let refused = scalar::load_rules(sources, file).err().unwrap_or_default();
    let new = refused.into_iter().filter(|d| d.code == code::RULE_DOMAIN);
    diagnostics.extend(new);
    Vec::new()
}

fn missing(name: &str, rules: &[Rule]) -> Option<Diagnostic> {
    if rules.iter().any(|r| r.name.as_str() == name) {
        return None;
    }
    let known = rules.iter().map(|r| r.name.as_str());
    Some(
        Diagnostic::new(code::VERIFY_RULE, format!("there is no rule `{name}`")).help_near(
            name,
            known,
            "name a rule of the files that are given",
        ),
    )
}

fn written(rules: &[Rule]) -> String {
    let mut text = String::new();
    for rule in rules {
        for encoding in [Encoding::Direct, Encoding::Strong] {
            let all = queries(rule, encoding);
            for (i, query) in all.iter().enumerate() {
                let (case, cases) = (i + 1, all.len());
                text += &format!(
                    "; {}, case {case} of {cases}\n{query}(reset)\n",
                    encoding.name()
                );
            }
        }
    }
    text
}

fn no_solver() -> Diagnostic {
    Diagnostic::new(
        code::NO_SOLVER,
        format!(
            "there is no solver: {} are not found",
            SOLVERS.join(" and ")
        ),
    )
    .help("install the package `z3`, for example with `apt-get install z3`")
}

/// What is wrong with a rule that is not proved.
fn objection(rule: &Rule, verdict: &Verdict) -> Option<Diagnostic> {
    let sides = rule.lhs_span.to(rule.rhs_span);
    match verdict {
        Verdict::Proved { .. } => None,
        Verdict::Refuted(point) => Some(
            Diagnostic::new(
                code::RULE_WRONG,
                format!("the rule `{}` is wrong", rule.name),
            )
            .label(sides, "the sides differ")
            .note(format!("at {}", shown(point)))
            .note(format!(
                "the left side is {} there, the right side {}",
                side(rule.lhs, point),
                side(rule.rhs, point)
            ))
            .help("ask for more with `where`, or change a side"),
        ),
        Verdict::Unknown(reasons) => Some(
            Diagnostic::new(
                code::RULE_UNKNOWN,
                format!("the rule `{}` is neither proved nor refuted", rule.name),
            )
            .at(rule.span)
            .note(reasons.join("; "))
            .help("write it as rules with fewer divisors, or ask for more with `where`"),
        ),
    }
}

fn shown(point: &Point) -> String {
    let all = point.iter().map(|(v, x)| format!("{v} = {}", value(x)));
    all.collect::<Vec<_>>().join(", ")
}

fn side(e: scalar::Expr, point: &Point) -> String {
    match eval(e, &|v: Symbol| point.get(&v).cloned()) {
        Ok(v) => value(&v),
        Err(_) => "no value".to_string(),
    }
}

fn value(v: &Value) -> String {
    match v {
        Value::Int(n) => n.to_string(),
        Value::Bool(b) => b.to_string(),
        Value::Vector(all) => {
            let all: Vec<String> = all.iter().map(value).collect();
            format!("<{}>", all.join(", "))
        }
    }
}

fn summary(verdicts: &[Verdict], solvers: &[Solver]) -> String {
    let (mut proved, mut refuted, mut unknown) = (0, 0, 0);
    let mut by: BTreeMap<String, usize> = BTreeMap::new();
    for v in verdicts {
        match v {
            Verdict::Proved { solver, encoding } => {
                proved += 1;
                *by.entry(format!("{solver}, {}", encoding.name()))
                    .or_default() += 1;
            }
            Verdict::Refuted(_) => refuted += 1,
            Verdict::Unknown(_) => unknown += 1,
        }
    }
    let mut text = format!(
        "{} rules: {proved} proved, {refuted} refuted, {unknown} unknown\n",
        verdicts.len()
    );
    for (how, rules) in by {
        text += &format!("  {rules} by {how}\n");
    }
    for s in solvers {
        text += &format!("  {}: {}\n", s.name, s.version);
    }
    text
}
