//! The rules: what each added to the graphs, in all steps and in each.
//!
//! In: a record. Out: HTML. Absent: what rules mean.

use super::highlight::{html, Language};
use super::text::{code, count, esc, Page};
use crate::report::record::Record;
use crate::report::seconds;
use crate::search::trace::{sum, StepTrace};
use indexmap::IndexMap;

const RULES: usize = 40;
const STEPS: usize = 24;

#[derive(Default)]
struct Sum {
    nodes: u64,
    applied: u64,
    matches: u64,
    known: u64,
    refused: u64,
    seconds: f64,
    banned: u64,
}

pub fn write(r: &Record, p: &mut Page) {
    let traces: Vec<&StepTrace> = (r.steps.iter())
        .filter_map(|s| s.search.as_ref())
        .map(|s| &s.trace)
        .collect();
    if traces.is_empty() {
        p.note("Nothing was searched, so no rule was tried.");
        return;
    }
    table("All steps", &traces, p);
    if traces.len() > 1 {
        for t in traces.iter().take(STEPS) {
            p.add(&format!(
                "<details><summary>Step {}</summary>\n",
                esc(&t.name)
            ));
            table(&format!("Step {}", t.name), &[t], p);
            p.add("</details>\n");
        }
        p.cut(STEPS.min(traces.len()), traces.len(), "steps");
    }
    if !r.rules.all.is_empty() {
        texts(r, p);
    }
}

fn table(label: &str, traces: &[&StepTrace], p: &mut Page) {
    let mut totals: IndexMap<&str, Sum> = IndexMap::new();
    let rules = traces
        .iter()
        .flat_map(|t| &t.iterations)
        .flat_map(|i| &i.rules);
    for rule in rules {
        let total = totals.entry(&rule.name).or_default();
        total.nodes = total.nodes.saturating_add(rule.nodes_added);
        total.applied = total.applied.saturating_add(rule.applied);
        total.matches = total.matches.saturating_add(rule.matches);
        total.known = total.known.saturating_add(rule.known);
        total.refused = total.refused.saturating_add(rule.refused);
        total.seconds += rule.seconds;
        total.banned += u64::from(rule.banned);
    }
    let mut all: Vec<(&str, Sum)> = totals.into_iter().collect();
    all.sort_by_key(|(_, s)| std::cmp::Reverse((s.nodes, s.applied)));
    let total = sum(all.iter().map(|r| r.1.nodes)).max(1);
    let most = all.first().map_or(1, |r| r.1.nodes.max(1));
    let idle = all.iter().filter(|(_, s)| s.applied == 0).count();
    let banned = all.iter().any(|(_, s)| s.banned > 0);
    let rows: Vec<Vec<String>> = (all.iter().take(RULES))
        .map(|(name, s)| {
            let share = 100.0 * s.nodes as f64 / total as f64;
            let mut row = vec![
                code(name),
                format!(
                    "<span class=\"bar\" style=\"--share:{:.1}%\"></span><span>{share:.1}&nbsp;%</span>",
                    100.0 * s.nodes as f64 / most as f64
                ),
                count(s.nodes),
                count(s.applied),
                count(s.known),
                count(s.refused),
                esc(&seconds(s.seconds)),
            ];
            if banned {
                row.push(count(s.banned));
            }
            row
        })
        .collect();
    let mut heads = vec![
        ("rule", ""),
        ("share of the e-nodes added", "share"),
        ("e-nodes", "n"),
        ("applied", "n"),
        ("known", "n"),
        ("refused", "n"),
        ("time", "n"),
    ];
    if banned {
        heads.push(("waited", "n"));
    }
    p.table(label, &heads, &rows);
    p.cut(
        RULES.min(all.len()),
        all.len(),
        "rules, those that added most",
    );
    p.note(&match idle {
        0 => "Every rule was applied. Known: both sides were equal already. Refused: by a type, a size, a limit or a \
              side condition."
            .to_string(),
        n => format!(
            "{n} of {} rules changed nothing. Known: both sides were equal already. Refused: by a type, a size, a \
             limit or a side condition.",
            all.len()
        ),
    });
}

fn texts(r: &Record, p: &mut Page) {
    let all = &r.rules.all;
    p.add(&format!(
        "<details><summary>The text of the {} rules</summary>\n<div class=\"ruletexts\">\n",
        all.len()
    ));
    for rule in all.iter().take(RULES * 4) {
        p.add(&format!(
            "<article><h3>{} <small class=\"file\">{}:{}</small></h3>\n\
             <pre class=\"box\" tabindex=\"0\"><code>{}</code></pre></article>\n",
            code(&rule.name),
            esc(&rule.file),
            rule.line,
            html(&rule.text, Language::Rise)
        ));
    }
    p.add("</div>\n");
    p.cut((RULES * 4).min(all.len()), all.len(), "rules");
    p.add("</details>\n");
}
