//! `rise-opt explain --try RULE`: where a rule applies, and what refused it elsewhere.
//!
//! In: the name of a rule, a program, sketches. Out: what came of it on the program or, with sketches, on the term
//! that a step starts from and in the e-graph with which that step ends. The rule is one of the step's, of a named
//! file, or of a shipped one. Absent: trying (`rule::near`), the text (`report`).

use super::args::Args;
use crate::cli::values::memory_limit;
use crate::cli::Context;
use crate::cost::Cost;
use crate::diag::{code, Diagnostic};
use crate::driver::{self, Files};
use crate::elab::{self, RuleUse, Step, Surroundings};
use crate::report::answers::Tried;
use crate::report::near;
use crate::rule::near::{attempts, in_graph, Limits};
use crate::search;
use crate::source::SourceMap;
use crate::term::{Program, Term};

/// Matches in an e-graph that are shown.
const EXAMPLES: usize = 3;

pub fn run(args: &Args, rule: &str, context: &mut Context) -> Result<(), Vec<Diagnostic>> {
    let files = Files {
        program: &args.program,
        entry: args.entry.as_deref(),
        sketches: &args.sketch,
        set: &args.set,
        target: crate::target::Target::native(),
        trust: args.trust.trust(),
    };
    let mut input = driver::load(&files, &mut context.sources)?;
    let at = step(args, &input.steps).map_err(|d| vec![d])?;
    let uses = find(
        args,
        rule,
        &input.steps,
        &input.program,
        &mut context.sources,
    )?;
    let step = at.map(|i| input.steps[i].clone());
    // What comes before the step is searched, and it is looked into what the step itself does.
    input.steps.truncate(at.unwrap_or(0));
    let options = search::Options {
        no_kernel: true,
        bytes: memory_limit(None),
        ..search::Options::default()
    };
    let diagnosed = search::Options {
        diagnose: true,
        ..options.clone()
    };
    let searched = driver::search(&input, &diagnosed, &mut context.sources);
    let searched = searched.map_err(|d| vec![d])?;
    if let Some(why) = searched.failure {
        return Err(vec![why]);
    }
    let whole = search::start(&input.program);
    let term = searched.outcome.terms.last().unwrap_or(&whole);
    let step = step.as_ref();
    let on = match step {
        Some(step) => format!("the term that step `{}` starts from", step.name),
        None => format!("the program {}", input.program.name),
    };
    for used in &uses {
        let (limits, span) = (limits(step, term), used.rule.span);
        let (line, _) = context.sources.position(span.file, span.lo);
        let place = format!("{}:{line}", context.sources.file(span.file).name);
        let mut text = near::rule(used, &place);
        text += &near::tried(used, &on, &attempts(used, term, limits), args.near);
        if let Some(step) = step {
            let (_, _, graph, root) = search::saturate(step, term, &options);
            let nodes = graph.nodes() as u64;
            let found = in_graph(used, graph, root, limits, EXAMPLES);
            text += &near::tried_in_graph(&step.name, nodes, &found);
        }
        context.print(&if context.json() {
            Tried {
                rule: used.rule.name.to_string(),
                place,
                lines: text.lines().map(str::to_string).collect(),
            }
            .json_line()
        } else {
            text
        });
    }
    Ok(())
}

/// The step to look at, by its number.
fn step(args: &Args, steps: &[Step]) -> Result<Option<usize>, Diagnostic> {
    let Some(name) = &args.at else {
        return Ok(steps.len().checked_sub(1));
    };
    let found = steps.iter().position(|s| s.name == *name);
    found.map(Some).ok_or_else(|| {
        let names: Vec<&str> = steps.iter().map(|s| &*s.name).collect();
        let all: Vec<String> = names.iter().map(|n| format!("`{n}`")).collect();
        let all = format!("the steps are {}", all.join(", "));
        Diagnostic::new(code::NO_STEP, format!("there is no step `{name}`"))
            .help_near(name, names, all)
    })
}

fn limits(step: Option<&Step>, term: &Term) -> Limits {
    let (nesting, size) = search::bounds(step, term);
    Limits {
        nesting,
        size,
        reassociate: step.is_some_and(|s| s.reassociate),
    }
}

/// The rules that the name stands for: of the sketches, else of a file.
fn find(
    args: &Args,
    rule: &str,
    steps: &[Step],
    program: &Program,
    sources: &mut SourceMap,
) -> Result<Vec<RuleUse>, Vec<Diagnostic>> {
    let name = rule.split('[').next().unwrap_or_default().trim();
    let used: Vec<&RuleUse> = (steps.iter().flat_map(|s| &s.rules))
        .filter(|u| u.rule.name.as_str() == name)
        .collect();
    if args.rules.is_none() && !rule.contains('[') && !used.is_empty() {
        let used: Vec<RuleUse> = used.into_iter().cloned().collect();
        return Ok(crate::rule::distinct(&used));
    }
    let place = used.first().map(|u| u.rule.span.file);
    let files = match (&args.rules, place) {
        (Some(path), _) => vec![path.clone()],
        (None, Some(file)) => vec![sources.file(file).name.clone()],
        (None, None) => (SourceMap::shipped().filter(|p| p.ends_with(".rules")))
            .map(str::to_string)
            .collect(),
    };
    let mut known = Vec::new();
    for path in &files {
        let file = sources.load(path).map_err(|e| vec![e.into()])?;
        let rules = elab::rule_decls(sources, file)?;
        if rules.iter().any(|r| r.name.as_str() == name) {
            return named(rule, path, program, sources);
        }
        known.extend(rules.iter().map(|r| r.name.to_string()));
    }
    known.sort();
    known.dedup();
    let what = format!("there is no rule `{name}`");
    let all = format!("known: {}", known.join(", "));
    let known = known.iter().map(String::as_str);
    Err(vec![
        Diagnostic::new(code::UNKNOWN_RULE, what).help_near(name, known, all)
    ])
}

/// The rule with its sizes, as a sketch would name it.
fn named(
    reference: &str,
    path: &str,
    program: &Program,
    sources: &mut SourceMap,
) -> Result<Vec<RuleUse>, Vec<Diagnostic>> {
    let text = format!("use \"{path}\" ({reference})\nsketch ?\n");
    let file = sources.add_text("--try", &text);
    let costs = Cost::ALL.map(|(name, _)| name);
    let around = Surroundings {
        sizes: Some(&program.sizes),
        costs: &costs,
        ..Surroundings::default()
    };
    let guide = elab::steps(sources, file, &around)?;
    Ok(guide.steps.into_iter().flat_map(|s| s.rules).collect())
}
