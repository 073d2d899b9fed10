//! `rise-opt verify [FILES]`: whether rules are true.
//!
//! In: files of rules, over scalars or arrays. Out: a diagnostic for each rule that is not proved, a summary or JSON; or, instead, the queries.
//! A rule that cannot be read is reported, and the others are verified. Absent: how (`verify`).

mod arrays;

use super::command_line;
use super::output::{write_all, Target};
use super::progress::{Mode, Progress};
use super::Context;
use crate::diag::{code, Diagnostic};
use crate::exec::solver::{self, Solver, Work, SOLVERS};
use crate::intern::Symbol;
use crate::report::verification::{
    self, Assigned, Counts, Judgement, RuleVerdict, SolverVersion, Weaker,
};
use crate::report::{CertificateFile, Verification};
use crate::scalar::{self, eval, Rule, Value};
use crate::source::{FileId, SourceMap};
use crate::syntax::{parse, Dialect, Parsed};
use crate::verify::{self, queries, verify, weaker, Certificates, Encoding, Point, Tools, Verdict};
use std::path::Path;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Files of rules, over arrays or over scalars (`domain scalar`) [default: the shipped ones]
    #[arg(value_name = "FILE")]
    files: Vec<String>,
    /// Only this rule; may be given again
    #[arg(long = "rule", value_name = "NAME")]
    rules: Vec<String>,
    /// Prints the queries, in SMT-LIB, and asks no solver
    #[arg(long)]
    queries: bool,
    /// Asks solvers again, whatever certificates say
    #[arg(long)]
    fresh: bool,
    /// Writes what is proved beside each file, as FILE.certificates in place of FILE.rules, so that it is known the next
    /// time: when you changed rules that you ship
    #[arg(long, conflicts_with_all = ["rules", "queries"])]
    write_certificates: bool,
    /// Tells of each condition whether the rule holds without it, or with a weaker one
    #[arg(long, conflicts_with = "queries")]
    weaken: bool,
    /// Work that a solver may do for a query [default: 2 for a rule as it is written, 5 for a case of it]. One unit takes
    /// about a second of a core, but is counted by the solver, so that verdicts are the same on a busy machine
    #[arg(long, value_name = "WORK", value_parser = clap::value_parser!(u16).range(1..=3600))]
    limit: Option<u16>,
    /// How it shows on standard error what it is doing
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    progress: Mode,
}

/// A file and its rules that can be read.
struct Book {
    file: String,
    rules: Vec<Rule>,
    /// The numbers of those that are asked for.
    asked: Vec<usize>,
    certificates: Certificates,
    /// Where to write certificates, if that is asked for.
    target: Option<Target>,
}

pub fn run(args: &Args, context: &mut Context) -> u8 {
    let mut diagnostics = Vec::new();
    let (mut books, over_arrays) = files(args, &mut context.sources, &mut diagnostics);
    if args.queries {
        let rules = books.iter().flat_map(Book::asked);
        context.print(&written(rules));
        return context.report(diagnostics);
    }
    let solvers = solver::find();
    if solvers.is_empty() && args.weaken {
        diagnostics.push(no_solver());
        return context.report(diagnostics);
    }
    let mut tools = Tools {
        solvers,
        ..Tools::default()
    };
    if let Some(units) = args.limit {
        let limit = Work(units.into());
        let limits = &mut tools.limits;
        (limits.direct, limits.linear, limits.strong) = (limit, limit, limit);
    }
    let progress = Progress::start(args.progress, context.json());
    let mut tell = |attempt: &str, rules: usize| {
        progress.note(&format!("{attempt}: {rules} rules"));
    };
    let (mut rules, mut weak) = (Vec::new(), Vec::new());
    for book in &mut books {
        let (verdicts, weaker) = judge(book, args.weaken, &mut tools, &mut tell);
        weak.extend(weaker);
        for (rule, verdict) in book.asked().zip(&verdicts) {
            diagnostics.extend(objection(rule, verdict));
            rules.push(told(&book.file, rule, verdict));
        }
    }
    let over_arrays = arrays::verify(&over_arrays, &mut diagnostics);
    drop(progress);
    let targets = books.iter_mut().filter_map(|b| {
        let file = CertificateFile::new(&b.certificates, command_line());
        Some((b.target.take()?, file.to_json()))
    });
    if let Err(d) = write_all(targets.collect()) {
        diagnostics.push(d);
    }
    let counts = Counts::of(&rules);
    if tools.solvers.is_empty() && counts.unknown > 0 {
        diagnostics.push(no_solver());
    }
    rules.extend(over_arrays);
    let all = Verification {
        rise_opt: env!("CARGO_PKG_VERSION").to_string(),
        command: command_line(),
        solvers: tools.solvers.iter().map(version).collect(),
        counts: Counts::of(&rules),
        rules,
        weaker: weak,
    };
    let page = if context.json() {
        all.to_json()
    } else {
        verification::verification(&all)
    };
    context.print(&page);
    context.report(diagnostics)
}

/// The files that can be read, those of scalar rules apart from those over arrays, with the rules that are asked for.
fn files(
    args: &Args,
    sources: &mut SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Vec<Book>, Vec<arrays::Found>) {
    let (mut books, mut over_arrays) = (Vec::new(), Vec::new());
    let shipped = SourceMap::shipped().filter(|p| p.ends_with(".rules"));
    let files: Vec<String> = if args.files.is_empty() {
        shipped.map(str::to_string).collect()
    } else {
        args.files.clone()
    };
    for path in &files {
        let Some((file, parsed)) = read(path, sources, diagnostics) else {
            continue;
        };
        if !scalar::is_scalar(&parsed.file) {
            over_arrays.extend(arrays::load(path, file, sources, diagnostics));
            continue;
        }
        let rules = rules_of(parsed, diagnostics);
        match book(path, rules, args, sources) {
            Ok(book) => books.push(book),
            Err(d) => diagnostics.push(d),
        }
    }
    let known = books.iter().flat_map(|b| &b.rules).map(|r| r.name.as_str());
    let known = known.chain(over_arrays.iter().map(|f| f.rule.name.as_str()));
    let asked = args.rules.iter();
    diagnostics.extend(asked.filter_map(|name| missing(name, known.clone())));
    if !args.rules.is_empty() {
        over_arrays.retain(|f| args.rules.iter().any(|n| n == f.rule.name.as_str()));
    }
    (books, over_arrays)
}

/// Verdicts on the rules of a file that are asked for, and weaker conditions if they are wanted; its certificates
/// are then those that these took.
fn judge(
    book: &mut Book,
    weaken: bool,
    tools: &mut Tools,
    tell: &mut dyn FnMut(&str, usize),
) -> (Vec<Verdict>, Vec<Weaker>) {
    tools.certificates = std::mem::take(&mut book.certificates);
    let found = verify(&book.rules, &book.asked, tools, tell);
    let mut weak = Vec::new();
    if weaken {
        let proved = |v: &Verdict| matches!(v, Verdict::Proved(_));
        let asked = book.asked.iter().zip(&found.verdicts);
        let asked: Vec<usize> = asked.filter(|a| proved(a.1)).map(|a| *a.0).collect();
        let all = weaker(&book.rules, &asked, tools, tell);
        weak.extend(all.into_iter().map(|w| told_weaker(book, w)));
    }
    book.certificates = found.certificates;
    (found.verdicts, weak)
}

impl Book {
    fn asked(&self) -> impl Iterator<Item = &Rule> {
        self.asked.iter().map(|i| &self.rules[*i])
    }
}

/// A file as it is asked for.
fn book(
    path: &str,
    rules: Vec<Rule>,
    args: &Args,
    sources: &mut SourceMap,
) -> Result<Book, Diagnostic> {
    let named = |r: &Rule| args.rules.is_empty() || args.rules.iter().any(|n| n == r.name.as_str());
    let asked = (0..rules.len()).filter(|i| named(&rules[*i])).collect();
    let beside = Path::new(path).with_extension("certificates");
    let certificates = if args.fresh {
        Certificates::default()
    } else {
        CertificateFile::beside(&beside.to_string_lossy(), sources)?
    };
    let target = args.write_certificates.then(|| Target::prepare(&beside));
    Ok(Book {
        file: path.to_string(),
        rules,
        asked,
        certificates,
        target: target.transpose()?,
    })
}

fn told_weaker(book: &Book, w: verify::Weaker) -> Weaker {
    Weaker {
        file: book.file.clone(),
        rule: book.rules[w.rule].name.to_string(),
        condition: w.condition.to_string(),
        instead: w.instead.map(|e| e.to_string()),
        by: w.by,
    }
}

fn version(s: &Solver) -> SolverVersion {
    SolverVersion {
        name: s.name.to_string(),
        version: s.version.clone(),
    }
}

/// A verdict as data.
fn told(file: &str, rule: &Rule, verdict: &Verdict) -> RuleVerdict {
    let mut told = RuleVerdict::unknown(file, rule.name.as_str());
    match verdict {
        Verdict::Proved(proved) => {
            told.verdict = if proved.needs.is_empty() {
                Judgement::Proved
            } else {
                Judgement::ProvedUnderTheNormalForm
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
    match read(path, sources, diagnostics) {
        Some((_, parsed)) if scalar::is_scalar(&parsed.file) => rules_of(parsed, diagnostics),
        Some((file, parsed)) => {
            diagnostics.extend(parsed.diagnostics);
            diagnostics.push(scalar::other_domain(sources, file));
            Vec::new()
        }
        None => Vec::new(),
    }
}

/// A file of rules as a tree, with what is wrong with that.
fn read(
    path: &str,
    sources: &mut SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<(FileId, Parsed)> {
    let loaded = sources.load(path);
    let file = loaded.map_err(|e| diagnostics.push(e.into())).ok()?;
    let text = sources.file(file).text.clone();
    Some((file, parse(file, &text, Dialect::Rules)))
}

fn rules_of(parsed: Parsed, diagnostics: &mut Vec<Diagnostic>) -> Vec<Rule> {
    diagnostics.extend(parsed.diagnostics);
    scalar::rules_of(&parsed.file, diagnostics)
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

fn written<'a>(rules: impl Iterator<Item = &'a Rule>) -> String {
    let mut text = String::new();
    for rule in rules {
        for encoding in Encoding::ALL {
            let how = encoding.name();
            let Some(all) = queries(rule, encoding) else {
                text += &format!("; {how}: too many cases\n");
                continue;
            };
            if all.is_empty() {
                text += &format!("; {how}: no case is left of {}\n", rule.name);
            }
            for (i, query) in all.iter().enumerate() {
                let (case, cases) = (i + 1, all.len());
                text += &format!("; {how}, case {case} of {cases}\n{query}(reset)\n");
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
