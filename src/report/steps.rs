//! A step as the text of a sketch file.
//!
//! In: a step, the texts that its rules come from. Out: its settings, its rules and its sketch, which are read as the same step in a
//! file that imports the prelude. Absent: the limits that end a step, which are the business of who runs it; choosing.

use crate::cost::Cost;
use crate::elab::{sketch_text, Focus, RuleUse, Scheduler, Step};
use crate::source::SourceMap;
use std::fmt::Write as _;

/// All of it.
pub fn step_text(step: &Step, sources: &SourceMap) -> String {
    let rules = uses(&step.rules, |u| &sources.file(u.rule.span.file).name);
    format!(
        "step {}\n{}{rules}sketch {}\n",
        step.name,
        settings(step),
        sketch_text(&step.sketch)
    )
}

/// Rules, file by file: the items of a step.
pub(super) fn uses<'f>(rules: &[RuleUse], file: impl Fn(&RuleUse) -> &'f str) -> String {
    let mut text = String::new();
    for same in rules.chunk_by(|a, b| file(a) == file(b)) {
        let named = same.iter().map(|u| match u.args.is_empty() {
            true => u.rule.name.to_string(),
            false => {
                let args: Vec<String> = u.args.iter().map(|n| n.to_string()).collect();
                format!("{}[{}]", u.rule.name, args.join(", "))
            }
        });
        let named: Vec<String> = named.collect();
        let _ = writeln!(text, "use \"{}\" ({})", file(&same[0]), named.join(", "));
    }
    text
}

fn settings(step: &Step) -> String {
    let mut text = String::new();
    if step.reassociate {
        text += "permit reassociate\n";
    }
    if step.approximate {
        text += "permit approximate\n";
    }
    if !step.normalize {
        text += "normalize off\n";
    }
    if step.scheduler == Scheduler::Backoff {
        text += "scheduler backoff\n";
    }
    if step.focus != Focus::Whole {
        text += "focus choice\n";
    }
    let usual = Cost::from_name(step.cost.as_str()) == Some(Cost::default());
    if !usual {
        let _ = writeln!(text, "cost {}", step.cost);
    }
    let own = &step.limits;
    let limits = [("nesting", own.nesting), ("size", own.size)];
    let limits: Vec<String> = (limits.iter())
        .filter_map(|(name, n)| n.map(|n| format!("{name} {n}")))
        .collect();
    if !limits.is_empty() {
        let _ = writeln!(text, "limits {}", limits.join(", "));
    }
    text
}
