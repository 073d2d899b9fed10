//! A goal that was not reached, as a diagnostic.
//!
//! In: the diagnosis of the search, and the advice. Out, in this order: why it ended, which parts of the
//! sketch were there, which rules made the graph grow, the closest term, and the one step that is worth
//! trying next; the same as data for programs. Absent: searching.

use super::advice::{grown, help, how, readable, times};
use super::number::count;
use crate::diag::{code, Diagnostic};
use crate::intern::Symbol;
use crate::rule::near::Refusal;
use crate::search::{Advice, Diagnosis, Near, PartCount, Stop, ITERATIONS, NODES, WORK};
use crate::source::SourceMap;

/// Lines of the closest term that are shown.
const LINES: usize = 16;
/// Laws that rules asked for in vain.
const LAWS: usize = 3;

/// The diagnostic; `params` are the names of the program's parameters, `sources` the texts that its rules stand in.
pub fn not_reached(
    d: &Diagnosis,
    advice: Option<&Advice>,
    params: &[Symbol],
    sources: &SourceMap,
) -> Diagnostic {
    let what = format!("the sketch of step `{}` was not reached", d.step);
    let code = match d.stop {
        Stop::Interrupted => code::INTERRUPTED,
        _ => code::GOAL_NOT_REACHED,
    };
    let mut out = Diagnostic::new(code, what).label(d.span, stopped(d));
    out = out.note(format!(
        "after {}: {} e-nodes in {} classes",
        times(d.iterations, "iteration"),
        count(d.size.nodes),
        count(d.size.classes)
    ));
    if !d.parts.is_empty() {
        out = out.note(tree(d));
    }
    let grown = grown(d);
    if !grown.is_empty() {
        let all: Vec<String> = (grown.iter())
            .map(|(rule, nodes)| format!("{rule} {}", count(*nodes)))
            .collect();
        out = out.note(format!("most e-nodes added by rules: {}", all.join(", ")));
    }
    if let Some(near) = d.instead.as_ref().and_then(|i| i.closest.as_ref()) {
        out = out.note(closest(d, near, params));
    }
    let laws = d.instead.iter().flat_map(|i| &i.laws);
    for (rule, refusal) in laws.take(LAWS) {
        let Refusal::Law(law, operands, with) = refusal else {
            continue;
        };
        let why = super::near::missing_law(law, operands, *with);
        out = out.note(format!("the rule `{rule}` does not apply: {why}"));
    }
    if !d.refused.unpermitted.is_empty() {
        let rules = d.refused.unpermitted.join(", ");
        out = out.note(format!(
            "refused, as the step has no `permit reassociate`: {rules}"
        ));
    }
    if let Some(how) = advice.and_then(how) {
        out = out.note(how);
    }
    let help = match advice {
        Some(a) => help(d, a, sources),
        None => without_advice(d),
    };
    out.help(help)
        .data(super::advice::data(d, advice, params, sources))
}

/// The sketch as it was written, with what is satisfied anywhere. Of the whole sketch the program itself
/// is asked, and it does not satisfy it.
fn tree(d: &Diagnosis) -> String {
    let width = |number: fn(&PartCount) -> u64| {
        let all = d.parts.iter().map(|p| count(number(p)).chars().count());
        all.max().unwrap_or(0)
    };
    let (whole, alone) = (width(|p| p.classes), width(|p| p.alone));
    let lines = d.parts.iter().enumerate().map(|(i, p)| {
        let mark = if i > 0 && p.classes > 0 { '✓' } else { '✗' };
        let elsewhere = if i == 0 && p.classes > 0 {
            "   (the program is in none of them)"
        } else {
            ""
        };
        format!(
            "  {mark} {:>whole$}  {:>alone$}  {}{}{elsewhere}",
            count(p.classes),
            count(p.alone),
            "  ".repeat(p.depth),
            p.outline
        )
    });
    let lines: Vec<String> = lines.collect();
    format!(
        "its parts; how many classes satisfy each, and how many with `?` for the parts inside:\n{}",
        lines.join("\n")
    )
}

fn closest(d: &Diagnosis, near: &Near, params: &[Symbol]) -> String {
    let text = readable(&near.term, params);
    let lines: Vec<&str> = text.lines().collect();
    let mut shown: Vec<String> = (lines.iter().take(LINES))
        .map(|l| format!("    {l}"))
        .collect();
    if lines.len() > LINES {
        shown.push(format!("    … and {} more lines", lines.len() - LINES));
    }
    let what = match near.parts.len() {
        0 => "no term satisfies any part; the cheapest is".to_string(),
        n => format!(
            "the closest term satisfies {n} of {} parts, as `{}`:",
            d.parts.len(),
            near.sketch
        ),
    };
    format!("{what}\n{}", shown.join("\n"))
}

fn stopped(d: &Diagnosis) -> String {
    match d.stop {
        Stop::Found => "the search ended".to_string(),
        Stop::Saturated => "no rule changes anything any more".to_string(),
        Stop::Iterations(n) => {
            let default = by_default(n == ITERATIONS);
            format!("the limit of {n} iterations{default} ended the search")
        }
        Stop::Nodes(n) => {
            let default = by_default(n == NODES);
            format!(
                "the limit of {} e-nodes{default} ended the search",
                count(n)
            )
        }
        Stop::Work(n) => {
            let default = by_default(n == WORK);
            format!(
                "the limit of {} places that rules look at and nodes that they build{default} ended the search",
                count(n)
            )
        }
        Stop::Seconds(n) => format!("the limit of {n} s ended the search"),
        Stop::Bytes(n) => format!("the limit of {} ended the search", super::number::bytes(n)),
        Stop::Interrupted => "the search was interrupted".to_string(),
        Stop::Size(n) => format!("the program is larger than the limit of {n} nodes for a term"),
    }
}

/// A limit that nobody set needs to be known before it is raised.
fn by_default(it_is: bool) -> &'static str {
    match it_is {
        true => ", which holds where no other is set,",
        false => "",
    }
}

fn without_advice(d: &Diagnosis) -> String {
    let missing = d.parts.iter().rev().find(|p| p.classes == 0);
    match missing {
        Some(p) => format!(
            "look at `{}` first: nothing in the graph is like it",
            p.label
        ),
        None => "put a step in between that leads there".to_string(),
    }
}
