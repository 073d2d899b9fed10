//! The tables of docs/results.md, between marks that say who writes them.

use super::paper;
use rise_opt::report::comparison::{memory, Comparison, Goal, Run, Step};
use rise_opt::report::{count, digits, seconds};
use std::ops::Range;

/// Rules that are named as those that grow a graph.
const RULES: usize = 5;

/// Where the tables of a book stand in the page: the text between the marks of each.
pub fn sections(page: &str, book: &str) -> Result<Vec<(String, Range<usize>)>, String> {
    let names = ["table", "iterations", "rules"].map(|what| format!("{book} {what}"));
    names
        .into_iter()
        .map(|name| {
            let begin = format!("<!-- begin {name} -->\n");
            let end = format!("<!-- end {name} -->");
            let missing = |mark: &str| format!("the page lacks the line {}", mark.trim());
            let from = page.find(&begin).ok_or_else(|| missing(&begin))? + begin.len();
            let to = from + page[from..].find(&end).ok_or_else(|| missing(&end))?;
            Ok((name, from..to))
        })
        .collect()
}

/// The page with new tables of one book.
pub fn update(page: &str, c: &Comparison, book: &str, machine: &str) -> Result<String, String> {
    let mut out = page.to_string();
    for (name, _) in sections(page, book)? {
        let text = match name.split(' ').nth(1) {
            Some("table") => table(c, book, machine),
            Some("iterations") => iterations(c, book),
            _ => rules(c),
        };
        let place = sections(&out, book)?.into_iter().find(|(n, _)| *n == name);
        if let Some((_, range)) = place {
            out.replace_range(range, &text);
        }
    }
    Ok(out)
}

fn table(c: &Comparison, book: &str, machine: &str) -> String {
    let published = book == "published";
    let mut out = format!("{machine}; limits of each search: {}.\n\n", c.limits.text());
    out += match published {
        true => {
            "| goal | the paper, guided | here, guided | the paper, unguided | here, unguided |\n\
             |---|---|---|---|---|\n"
        }
        false => {
            "| goal | guided | unguided | more time | more e-nodes |\n\
             |---|---|---|---|---|\n"
        }
    };
    for goal in &c.goals {
        let (guided, unguided) = (cell(&goal.guided), cell(&goal.unguided));
        let paper = paper::TABLES.iter().find(|t| t.0 == goal.name);
        let (time, nodes) = factors(goal);
        out += &match (published, paper) {
            (true, paper) => {
                let (then, alone) = paper.map_or(("", ""), |(_, g, u)| (g, u));
                format!(
                    "| {} | {then} | {guided} | {alone} | {unguided} |\n",
                    goal.name
                )
            }
            (false, _) => format!(
                "| {} | {guided} | {unguided} | {time} | {nodes} |\n",
                goal.name
            ),
        };
    }
    out
}

/// `15.1 ms, 1.04 MB, 695 rules, 2 973 e-nodes`
fn cell(run: &Run) -> String {
    let numbers = format!(
        "{}, {}, {} rules, {} e-nodes",
        seconds(run.seconds),
        memory(run.bytes),
        count(run.applied),
        count(run.largest.nodes)
    );
    match run.found() {
        true if run.past_limit => format!("found, but past the limit: {numbers}"),
        true => numbers,
        false => format!("**not found** ({}): {numbers}", run.result()),
    }
}

fn factors(goal: &Goal) -> (String, String) {
    let (a, b) = (&goal.guided, &goal.unguided);
    let more = if b.found() { "" } else { "> " };
    let ratio = |x: f64, y: f64| match a.found() && y > 0.0 {
        true => format!("{more}{}×", digits(x / y)),
        false => String::new(),
    };
    (
        ratio(b.seconds, a.seconds),
        ratio(b.largest.nodes as f64, a.largest.nodes as f64),
    )
}

fn nodes(step: &Step) -> String {
    let all: Vec<String> = step.points.iter().map(|p| p.nodes.to_string()).collect();
    all.join(" ")
}

/// E-nodes after each iteration; those of the published book beside the paper's.
fn iterations(c: &Comparison, book: &str) -> String {
    let mut out = String::new();
    if book == "published" {
        out += "| guided step | e-nodes of the paper | here |\n|---|---|---|\n";
        for (name, then) in paper::STEPS {
            let steps = c.goals.iter().flat_map(|g| &g.guided.steps);
            let here = steps
                .clone()
                .find(|s| s.name == name)
                .map_or(String::new(), nodes);
            out += &format!("| {name} | {then} | {here} |\n");
        }
        out += "\n| in one step | e-nodes of the paper | here |\n|---|---|---|\n";
        for goal in &c.goals {
            let then = match paper::UNGUIDED.0 == goal.name {
                true => paper::UNGUIDED.1,
                false => "",
            };
            let here: Vec<String> = goal.unguided.steps.iter().map(nodes).collect();
            out += &format!("| {} | {then} | {} |\n", goal.name, here.join(" "));
        }
        return out;
    }
    out += "| goal | guided: e-nodes, step by step | unguided |\n|---|---|---|\n";
    for goal in &c.goals {
        let [guided, unguided] = goal.runs().map(|(_, run)| {
            let steps: Vec<String> = run.steps.iter().map(nodes).collect();
            steps.join(" · ")
        });
        out += &format!("| {} | {guided} | {unguided} |\n", goal.name);
    }
    out
}

/// Which rules added the e-nodes of the unguided searches.
fn rules(c: &Comparison) -> String {
    let mut out =
        "| goal | e-nodes added by rules in the unguided search, most first |\n|---|---|\n"
            .to_string();
    for goal in &c.goals {
        let rules = &goal.unguided.rules;
        let total: u64 = rules.iter().map(|r| r.nodes_added).sum();
        let named = rules.iter().filter(|r| r.nodes_added > 0).take(RULES);
        let named: Vec<String> = named
            .map(|r| {
                let share = 100.0 * r.nodes_added as f64 / total as f64;
                format!("{} {share:.0}%", r.name)
            })
            .collect();
        out += &format!("| {} | {} |\n", goal.name, named.join(", "));
    }
    out
}
