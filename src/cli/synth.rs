//! `rise-opt synth`: rules found where rewriting is stuck.
//!
//! In: a file of expressions, one on each line as `simplify` reads them; or a left side, or a whole rule. Out: a file of rules, each
//! with where it comes from and what proved it, and certificates beside it; or one rule. A line that cannot be read is reported,
//! and the others are used. Or a file of such expressions, of what lowering left open. Absent: how (`synth`).

mod harvest;
mod records;

use super::command_line;
use super::output::{write_all, Target};
use super::progress::{Mode, Progress};
use super::simplify::{questions, Wanted};
use super::Context;
use crate::diag::{code, Diagnostic, Exit};
use crate::exec::solver;
use crate::intern::Symbol;
use crate::report::answers::{FoundRule, Synthesis};
use crate::report::CertificateFile;
use crate::scalar::{load_rules, Rule};
use crate::simplify::RULES;
use crate::solve::Order;
use crate::synth::{
    complete, generalise, is_whole, join, minimise, rule_text, synthesise, synthesise_solver,
    weakest, Aim, Benefit, Counts, Found, Given, Helped, How, Minimised, Options, Outcome,
    Question,
};
use crate::verify::Tools;
use records::Kept;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[derive(clap::Args, Debug)]
pub struct Args {
    /// A left side, `min(x, y) - x`, for which a rule is wanted; or `LEFT => RIGHT`, for which the weakest condition is wanted
    #[arg(
        value_name = "RULE",
        required_unless_present_any = ["from", "harvest", "critical"],
        conflicts_with_all = ["from", "harvest", "critical"],
        allow_hyphen_values = true
    )]
    rule: Option<String>,
    /// Expressions that are to become simpler, one on each line: `EXPR`, or `EXPR where TRUTH`
    #[arg(long, value_name = "CORPUS")]
    from: Option<String>,
    /// Writes such expressions: what lowering and validation leave open of the programs below this folder, as they are and by the sketches in
    /// folders of their names, and what `--emit queries` wrote there
    #[arg(long, value_name = "DIR", conflicts_with = "from")]
    harvest: Option<String>,
    /// Rules for critical pairs of the present ones that come apart (`order --critical`), so that both results come to the same
    #[arg(long, conflicts_with_all = ["from", "harvest"])]
    critical: bool,
    /// Where the rules are written, with their certificates beside them, or the expressions [default: standard output]
    #[arg(short, long, value_name = "FILE", conflicts_with = "rule")]
    output: Option<PathBuf>,
    /// The rules that are there already: what they do needs no new ones, and new ones come behind them [default: the shipped ones;
    /// with --order, none]
    #[arg(long, value_name = "FILE")]
    rules: Option<String>,
    /// Rules for `solve`, which isolate a variable of the expressions: each brings it to a solved form (`goal`), or nearer (`gradual`)
    #[arg(long, value_enum, value_name = "ORDER", requires = "from")]
    order: Option<Nearer>,
    /// The variable that such rules isolate [default: x]; with --harvest, expressions with it: each once for each of its variables,
    /// which is called so
    #[arg(long = "for", value_name = "NAME")]
    target: Option<String>,
    /// With --harvest and --for, so many expressions: more like those of the programs are made
    #[arg(long, value_name = "N", default_value_t = 4000, requires = "harvest")]
    count: usize,
    /// Of the rules of this file, a smallest set that does as well for the expressions of --from; with --for, as rules of `solve`
    #[arg(long, value_name = "FILE", requires = "from", conflicts_with_all = ["order", "harvest"])]
    minimise: Option<String>,
    /// Left sides that are looked at; fewer end sooner
    #[arg(long, value_name = "N", default_value_t = 400)]
    budget: usize,
    /// Rounds: rules found in one are used on the expressions of the next
    #[arg(long, value_name = "N", default_value_t = 3)]
    rounds: usize,
    /// Makes the rule as general as is proved: variables for its numbers and parts, under what it asks already
    #[arg(long, requires = "rule")]
    generalise: bool,
    /// Adds what came of each left side, a line of JSON each, as soon as it is known, and does not look at it again: an interrupted
    /// run goes on
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rule", "harvest", "minimise"])]
    records: Option<String>,
    /// How it shows on standard error what it is doing
    #[arg(long, value_enum, default_value_t, value_name = "MODE")]
    progress: Mode,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Nearer {
    Goal,
    Gradual,
}

pub fn run(args: &Args, context: &mut Context) -> u8 {
    let done = match (&args.rule, &args.from, &args.harvest) {
        (Some(text), ..) => assist(args, text, context),
        (_, Some(corpus), _) if args.minimise.is_some() => fewest(args, corpus, context),
        (_, Some(corpus), _) => corpus_to_rules(args, corpus, context),
        (.., Some(dir)) => programs_to_corpus(args, dir, context),
        (None, None, None) => pairs_to_rules(args, context),
    };
    done.unwrap_or_else(|found| context.report(found))
}

fn present(args: &Args, context: &mut Context) -> Result<Vec<Rule>, Vec<Diagnostic>> {
    let sources = &mut context.sources;
    let path = match (&args.rules, args.order) {
        (Some(path), _) => path,
        (None, None) => RULES,
        (None, Some(_)) => return Ok(Vec::new()),
    };
    let file = sources.load(path).map_err(|e| vec![e.into()])?;
    load_rules(sources, file)
}

/// Few units of work for each statement: most that are proved are proved at once.
fn tools() -> Tools {
    let mut tools = Tools {
        solvers: solver::find(),
        ..Tools::default()
    };
    let one = solver::Work(1);
    let limits = &mut tools.limits;
    (limits.direct, limits.linear, limits.strong) = (one, one, solver::Work::NONE);
    tools
}

/// The expressions of a corpus, and what cannot be read of it.
fn expressions(
    corpus: &str,
    context: &mut Context,
) -> Result<(Vec<Question>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let file = context.sources.load(corpus).map_err(|e| vec![e.into()])?;
    let lines = context.sources.file(file).text.clone();
    let mut wrong = Vec::new();
    let all = questions(file, &lines, &[], Wanted::Value, &mut wrong);
    let all: Vec<Question> = (all.into_iter())
        .filter_map(|(line, q)| {
            let (e, facts) = q?;
            let place = format!("{corpus}:{line}");
            Some(Question { e, facts, place })
        })
        .collect();
    if all.is_empty() && wrong.is_empty() {
        let d = Diagnostic::new(code::EXPECTED, format!("`{corpus}` holds no expression"));
        return Err(vec![
            d.help("write one on each line, such as `(z + 2) + min(x, y - z)`")
        ]);
    }
    Ok((all, wrong))
}

/// `--minimise`
fn fewest(args: &Args, corpus: &str, context: &mut Context) -> Result<u8, Vec<Diagnostic>> {
    let target = args.target.as_deref().map(Symbol::new);
    let present = match (&args.rules, target) {
        (None, Some(_)) => Vec::new(),
        _ => present(args, context)?,
    };
    let path = args.minimise.as_deref().unwrap_or_default();
    let file = context.sources.load(path).map_err(|e| vec![e.into()])?;
    let rules = load_rules(&context.sources, file)?;
    let (all, wrong) = expressions(corpus, context)?;
    let written = match &args.output {
        Some(path) => Some(Target::prepare(path).map_err(|d| vec![d])?),
        None => None,
    };
    let progress = Progress::start(args.progress, context.json());
    let found = minimise(&all, &present, &rules, target, &mut |t| progress.note(t));
    drop(progress);
    let told = benefit(&found, all.len(), target.is_some());
    let mut page = format!("-- Of the rules of {path}, by `{}`.\n", command_line());
    for line in told.lines() {
        let _ = writeln!(page, "-- {line}");
    }
    page += "domain scalar\n";
    for (rule, uses) in &found.kept {
        let _ = write!(page, "\n-- Applied to {uses}.\n{}\n", rule_text(rule));
    }
    match written {
        Some(target) => {
            write_all(vec![(target, page)]).map_err(|d| vec![d])?;
            context.print(&told);
        }
        None => context.print(&page),
    }
    Ok(context.report(wrong))
}

/// What none, all and the kept rules do.
fn benefit(found: &Minimised, expressions: usize, solving: bool) -> String {
    let what = if solving { "solved" } else { "decided" };
    let line = |b: &Benefit| {
        format!(
            "{} rules: {} of {expressions} expressions {what}, {} operations and leaves in what is left\n",
            b.rules, b.decided, b.size
        )
    };
    [&found.none, &found.all, &found.few].map(line).concat()
}

fn corpus_to_rules(
    args: &Args,
    corpus: &str,
    context: &mut Context,
) -> Result<u8, Vec<Diagnostic>> {
    let rules = present(args, context)?;
    let (all, wrong) = expressions(corpus, context)?;
    let targets = targets(args)?;
    let kept = Kept::new(args.records.as_deref(), context)?;
    let progress = Progress::start(args.progress, context.json());
    let options = Options {
        budget: args.budget,
        rounds: args.rounds,
        records: kept.records.clone(),
    };
    let mut tell = |t: &str| progress.note(t);
    let outcome = match args.order {
        None => synthesise(&all, &rules, &tools(), &options, &mut tell),
        Some(nearer) => {
            let order = match nearer {
                Nearer::Goal => Order::Goal,
                Nearer::Gradual => Order::Gradual,
            };
            let target = Symbol::new(args.target.as_deref().unwrap_or("x"));
            let aim = Aim { target, order };
            synthesise_solver(&all, aim, &rules, &tools(), &options, &mut tell)
        }
    };
    drop(progress);
    kept.all()?;
    print_rules(&outcome, "", targets, context)?;
    Ok(context.report(wrong))
}

/// `--critical`
fn pairs_to_rules(args: &Args, context: &mut Context) -> Result<u8, Vec<Diagnostic>> {
    let rules = present(args, context)?;
    let targets = targets(args)?;
    let kept = Kept::new(args.records.as_deref(), context)?;
    let progress = Progress::start(args.progress, context.json());
    let options = Options {
        budget: args.budget,
        rounds: args.rounds,
        records: kept.records.clone(),
    };
    let joined = join(&rules, &tools(), &options, &mut |t| progress.note(t));
    drop(progress);
    kept.all()?;
    let (pairs, apart) = joined.before;
    let (more, still) = joined.after;
    let told = format!(
        "{pairs} critical pairs, of which {apart} came apart, and {} do with these rules; with those of these rules {more}, of which {still} come apart\n",
        joined.left
    );
    print_rules(&joined.outcome, &told, targets, context)?;
    Ok(0)
}

/// Rules to where they are wanted, and what is told of them.
fn print_rules(
    outcome: &Outcome,
    more: &str,
    targets: Option<(Target, Target)>,
    context: &mut Context,
) -> Result<(), Vec<Diagnostic>> {
    let told_in_full = format!("{}{more}", summary(&outcome.counts, outcome.found.len()));
    let page = page(outcome, &told_in_full);
    let certificates = CertificateFile::new(&outcome.certificates, command_line()).to_json();
    let written = targets.is_some();
    match targets {
        Some((rules, beside)) => {
            write_all(vec![(rules, page), (beside, certificates)]).map_err(|d| vec![d])?;
        }
        None if context.json() => {}
        None => context.print(&page),
    }
    if context.json() {
        context.print(&told(outcome).json_line());
    } else if written {
        context.print(&told_in_full);
    }
    Ok(())
}

fn programs_to_corpus(
    args: &Args,
    dir: &str,
    context: &mut Context,
) -> Result<u8, Vec<Diagnostic>> {
    let target = match &args.output {
        Some(path) => Some(Target::prepare(path).map_err(|d| vec![d])?),
        None => None,
    };
    let progress = Progress::start(args.progress, context.json());
    let to_solve = args.target.as_deref().map(|t| (Symbol::new(t), args.count));
    let page = harvest::harvest(dir, to_solve, context, &mut |text| progress.note(text));
    drop(progress);
    let page = page?;
    match target {
        Some(target) => {
            write_all(vec![(target, page)]).map_err(|d| vec![d])?;
        }
        None => context.print(&page),
    }
    Ok(0)
}

/// The file of rules and that of certificates, if they are to be written.
fn targets(args: &Args) -> Result<Option<(Target, Target)>, Vec<Diagnostic>> {
    let Some(path) = &args.output else {
        return Ok(None);
    };
    let prepare = |path: &Path| Target::prepare(path).map_err(|d| vec![d]);
    let beside = path.with_extension("certificates");
    Ok(Some((prepare(path)?, prepare(&beside)?)))
}

/// A file of rules.
fn page(outcome: &Outcome, told: &str) -> String {
    let mut page = format!("-- Rules found by `{}`.\n", command_line());
    for line in told.lines() {
        let _ = writeln!(page, "-- {line}");
    }
    page += "domain scalar\n";
    for found in &outcome.found {
        let _ = write!(page, "\n{}", provenance(found));
        page += &rule_text(&found.rule);
        page.push('\n');
    }
    page
}

fn provenance(found: &Found) -> String {
    let how = how(found.how);
    let (from, place) = (found.from, &found.place);
    let (by, fires) = (&found.by, found.fires);
    format!("-- From {from} ({place}), {how}; proved by {by}; applied to {fires}.\n")
}

fn how(how: How) -> &'static str {
    match how {
        How::Forms => "by another form of it",
        How::Trying => "by trying terms",
        How::Pair => "as its other result",
    }
}

fn summary(counts: &Counts, found: usize) -> String {
    let mut text = format!(
        "{found} rules from {} left sides; {} without a right side\n",
        counts.left_sides, counts.without_right_side
    );
    let _ = writeln!(
        text,
        "statements: {} refuted, {} neither proved nor refuted, {} not ordered; rules that others made superfluous: {}",
        counts.refuted, counts.unknown, counts.unordered, counts.superfluous
    );
    if counts.left > 0 {
        let _ = writeln!(
            text,
            "{} left sides were not looked at: --budget allows no more",
            counts.left
        );
    }
    text
}

fn told(outcome: &Outcome) -> Synthesis {
    let rules = outcome.found.iter().map(|found| FoundRule {
        name: found.rule.name.to_string(),
        text: rule_text(&found.rule),
        from: found.from.to_string(),
        place: found.place.clone(),
        how: how(found.how),
        by: found.by.clone(),
        fires: found.fires,
    });
    Synthesis {
        rules: rules.collect(),
        left_sides: outcome.counts.left_sides,
        without_right_side: outcome.counts.without_right_side,
        refuted: outcome.counts.refuted,
        unknown: outcome.counts.unknown,
        unordered: outcome.counts.unordered,
        superfluous: outcome.counts.superfluous,
        left: outcome.counts.left,
    }
}

/// One rule, for somebody who writes rules.
fn assist(args: &Args, asked: &str, context: &mut Context) -> Result<u8, Vec<Diagnostic>> {
    let rules = present(args, context)?;
    let whole = is_whole(asked);
    let head = "domain scalar\nrule asked ";
    let written = match whole {
        true => format!("{head}{asked}\n"),
        false => format!("{head}{asked} => {asked}\n"),
    };
    let file = context.sources.add_text("RULE", &written);
    let rule = load_rules(&context.sources, file)?.pop();
    let Some(rule) = rule else {
        let d = Diagnostic::new(code::EXPECTED, "there is no rule");
        return Err(vec![d.help("write a left side, such as `min(x, y) - x`")]);
    };
    if args.generalise && !whole {
        let d = Diagnostic::new(
            code::EXPECTED,
            "a left side alone has nothing to be generalised",
        );
        return Err(vec![
            d.help("write both sides, such as `min(x*4, y*4) => min(x, y)*4`")
        ]);
    }
    let tools = &tools();
    let progress = Progress::start(args.progress, context.json());
    progress.note("looking for a rule");
    let helped = match whole {
        true if args.generalise => Vec::from_iter(generalise(&rule, &rules, tools)),
        true => Vec::from_iter(weakest(&rule, &rules, tools)),
        false => complete(rule.lhs, &rules, tools),
    };
    drop(progress);
    if helped.is_empty() {
        let what = match whole {
            true if args.generalise => "neither this rule nor a more general one is proved",
            true => "no condition is found under which the sides are proved to be equal",
            false => "no smaller right side is found",
        };
        context.print(&format!("{what}\n"));
        return Ok(Exit::Check as u8);
    }
    for helped in &helped {
        context.print(&advice(helped));
    }
    let wrong = |h: &Helped| h.given == Some(Given::Wrong);
    Ok(match helped.iter().any(wrong) {
        true => Exit::Check as u8,
        false => 0,
    })
}

fn advice(helped: &Helped) -> String {
    let mut page = format!("{}\n", helped.text());
    let _ = writeln!(page, "proved by {}", helped.by);
    if let Some(found) = helped.how {
        let _ = writeln!(page, "found {}", how(found));
    }
    if !helped.ordered {
        page += "rewriting with it and the present rules may not end: see `rise-opt order`\n";
    }
    let compared = helped.given.map(|given| match given {
        Given::Wrong => "the condition that was given is wrong: the sides differ where it holds",
        Given::Equal => "the condition that was given is as weak",
        Given::Stronger => "the condition that was given asks for more than is needed",
        Given::Weaker => "the condition that was given asks for less, and was not refuted",
        Given::Other => "the condition that was given asks for something else",
    });
    if let Some(compared) = compared {
        let _ = writeln!(page, "{compared}");
    }
    page
}
