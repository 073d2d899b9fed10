//! `rise-opt order [FILES]`: whether rewriting by rules over scalars is sure to end.
//!
//! In: files of rules, each a book of its own. Out: a line for each rule that needs others, or for each that is
//! asked for, and a summary; an error for each that is not ordered, with a cycle of steps where one is found. Absent: how
//! (`order`).

use super::command_line;
use super::progress::{Mode, Progress};
use super::verify::{load, missing};
use super::Context;
use crate::diag::{code, Diagnostic};
use crate::intern::Symbol;
use crate::report::answers::{CriticalPair, Criticals};
use crate::report::order::{reason, Kind, OrderFile, RuleOrder};
use crate::scalar::Rule;
use crate::termination::{confluence, order, Open, Pair, Verdict};

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Files of rules over scalars (`domain scalar`); each is ordered by itself, its order being the priority
    #[arg(value_name = "FILE", default_value = "rules/index.rules")]
    files: Vec<String>,
    /// Tells of this rule only; may be given again
    #[arg(long = "rule", value_name = "NAME")]
    rules: Vec<String>,
    /// Lists the critical pairs instead: expressions that two rules rewrite in two ways which do not come to the same, and the rules that
    /// are confluent by themselves; with --rule, pairs of that rule only
    #[arg(long)]
    critical: bool,
    /// How it shows on standard error what it is doing
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    progress: Mode,
}

/// Pairs that are listed for people.
const LISTED: usize = 40;

pub fn run(args: &Args, context: &mut Context) -> u8 {
    if args.critical {
        return critical(args, context);
    }
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

fn critical(args: &Args, context: &mut Context) -> u8 {
    let mut diagnostics = Vec::new();
    let mut known: Vec<Symbol> = Vec::new();
    for path in &args.files {
        let rules = load(path, &mut context.sources, &mut diagnostics);
        known.extend(rules.iter().map(|r| r.name));
        let progress = Progress::start(args.progress, context.json());
        let found = confluence(&rules, &mut |t| progress.note(t));
        drop(progress);
        let asked = |p: &&Pair| {
            let of = |name: &String| [p.outer, p.inner].iter().any(|r| r.as_str() == name);
            args.rules.is_empty() || args.rules.iter().any(of)
        };
        let told = Criticals {
            file: path.clone(),
            rules: found.rules,
            pairs: found.pairs,
            apart: found.open.len(),
            open: found.open.iter().filter(asked).map(told).collect(),
            confluent: found.confluent.iter().map(|r| r.to_string()).collect(),
        };
        context.print(&match context.json() {
            true => told.json_line(),
            false => critical_page(&told),
        });
    }
    let known = known.iter().map(|name| name.as_str());
    let names = args.rules.iter();
    diagnostics.extend(names.filter_map(|name| missing(name, known.clone())));
    context.report(diagnostics)
}

fn told(pair: &Pair) -> CriticalPair {
    CriticalPair {
        outer: pair.outer.to_string(),
        inner: pair.inner.to_string(),
        peak: pair.peak.to_string(),
        facts: pair.facts.iter().map(|f| f.to_string()).collect(),
        results: pair.results.map(|e| e.to_string()),
    }
}

fn critical_page(found: &Criticals) -> String {
    let mut page = String::new();
    for p in found.open.iter().take(LISTED) {
        let [first, second] = &p.results;
        let facts = match p.facts.is_empty() {
            true => String::new(),
            false => format!("  where {}", p.facts.join(" && ")),
        };
        let (outer, inner, peak) = (&p.outer, &p.inner, &p.peak);
        page += &format!("{outer}, {inner}: {peak}{facts}  =>  {first}  |  {second}\n");
    }
    if found.open.len() > LISTED {
        page += &format!(
            "… and {} more: --message-format json\n",
            found.open.len() - LISTED
        );
    }
    let share = |n: usize, of: usize| 100.0 * n as f64 / of.max(1) as f64;
    page += &format!(
        "{} critical pairs of {} rules: {} come to the same ({:.1}%), {} do not; {} rules are confluent by themselves\n",
        found.pairs,
        found.rules,
        found.pairs - found.apart,
        share(found.pairs - found.apart, found.pairs),
        found.apart,
        found.confluent.len()
    );
    page
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
