//! `rise-opt verify [FILES]`: whether rules over scalars are true.
//!
//! In: files of rules. Out: a diagnostic for each rule that is not proved, a summary or JSON; or, instead, the queries.
//! A rule that cannot be read is reported, and the others are verified. Absent: how (`verify`).

use super::optimize::command_line;
use super::progress::{Mode, Progress};
use super::Context;
use crate::diag::{code, Diagnostic};
use crate::exec::solver::{self, Solver, SOLVERS};
use crate::intern::Symbol;
use crate::report::verification::{self, Assigned, Counts, Judgement, RuleVerdict, SolverVersion};
use crate::report::Verification;
use crate::scalar::{self, eval, Rule, Value};
use crate::source::SourceMap;
use crate::syntax::{parse, Dialect};
use crate::verify::{queries, verify, Encoding, Limits, Point, Verdict};

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
    /// How it shows on standard error what it is doing
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    progress: Mode,
}

/// A rule and the file that has it.
struct Found {
    file: String,
    rule: Rule,
}

pub fn run(args: &Args, context: &mut Context) -> u8 {
    let mut diagnostics = Vec::new();
    let mut found = Vec::new();
    for path in &args.files {
        let rules = load(path, &mut context.sources, &mut diagnostics).into_iter();
        found.extend(rules.map(|rule| Found {
            file: path.clone(),
            rule,
        }));
    }
    let known = found.iter().map(|f| f.rule.name.as_str());
    let asked = args.rules.iter();
    diagnostics.extend(asked.filter_map(|name| missing(name, known.clone())));
    if !args.rules.is_empty() {
        found.retain(|f| args.rules.iter().any(|name| name == f.rule.name.as_str()));
    }
    let rules: Vec<Rule> = found.iter().map(|f| f.rule.clone()).collect();
    if args.queries {
        context.print(&written(&rules));
        return context.report(diagnostics);
    }
    let solvers = solver::find();
    if solvers.is_empty() {
        diagnostics.push(no_solver());
        return context.report(diagnostics);
    }
    let progress = Progress::start(args.progress, context.json());
    let verdicts = verify(
        &rules,
        &solvers,
        &Limits::default(),
        &mut |attempt, rules| {
            progress.note(&format!("{attempt}: {rules} rules"));
        },
    );
    drop(progress);
    let wrong = rules.iter().zip(&verdicts);
    diagnostics.extend(wrong.filter_map(|(rule, verdict)| objection(rule, verdict)));
    let rules: Vec<RuleVerdict> = (found.iter().zip(&verdicts))
        .map(|(f, v)| told(f, v))
        .collect();
    let all = Verification {
        rise_opt: env!("CARGO_PKG_VERSION").to_string(),
        command: command_line(),
        solvers: solvers.iter().map(version).collect(),
        counts: Counts::of(&rules),
        rules,
        weaker: Vec::new(),
    };
    context.print(&match context.json() {
        true => all.to_json(),
        false => verification::verification(&all),
    });
    context.report(diagnostics)
}

fn version(s: &Solver) -> SolverVersion {
    SolverVersion {
        name: s.name.to_string(),
        version: s.version.clone(),
    }
}

/// A verdict as data.
fn told(f: &Found, verdict: &Verdict) -> RuleVerdict {
    let mut told = RuleVerdict {
        file: f.file.clone(),
        rule: f.rule.name.to_string(),
        verdict: Judgement::Unknown,
        by: None,
        certified: false,
        needs: Vec::new(),
        at: Vec::new(),
        reasons: Vec::new(),
    };
    match verdict {
        Verdict::Proved(proved) => {
            told.verdict = match proved.needs.is_empty() {
                true => Judgement::Proved,
                false => Judgement::ProvedUnderTheNormalForm,
            };
            told.by = Some(proved.by.clone());
            told.certified = proved.certified;
            told.needs = proved.needs.clone();
        }
        Verdict::Refuted(point) => {
            told.verdict = Judgement::Refuted;
            let at = point.iter().map(|(v, x)| Assigned {
                name: v.to_string(),
                value: value(x),
            });
            told.at = at.collect();
        }
        Verdict::Unknown(reasons) => told.reasons = reasons.clone(),
    }
    told
}

/// The rules of a file that can be read; what cannot is reported.
pub(super) fn load(
    path: &str,
    sources: &mut SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Rule> {
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
    match scalar::is_scalar(&parsed.file) {
        true => scalar::rules_of(&parsed.file, diagnostics),
        false => {
            diagnostics.push(scalar::other_domain(sources, file));
            Vec::new()
        }
    }
}

/// That no rule has the name, if none does.
pub(super) fn missing<'a>(
    name: &str,
    known: impl Iterator<Item = &'a str> + Clone,
) -> Option<Diagnostic> {
    if known.clone().any(|k| k == name) {
        return None;
    }
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
        Verdict::Proved(_) => None,
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
