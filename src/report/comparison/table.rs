//! A comparison as text with aligned columns.
//!
//! In: the comparison. Out: for each book a table with two lines a goal; below it, for one goal every
//! iteration with the two searches side by side, for several the e-nodes after each iteration.

use super::{bytes, count, memory, seconds, Comparison, Goal, Point, Run};
use crate::report::digits;
use crate::search::trace::sum;

/// Rules that are named as those that grow the graph most.
const RULES: usize = 3;

pub fn human(c: &Comparison) -> String {
    let mut out = format!("limits of both searches: {}\n", c.limits.text());
    for (book, goals) in c.books() {
        out += "\n";
        if !book.is_empty() {
            out += &format!("{book}\n");
        }
        out += &table(&summary(&goals), &[0, 1, 2, 9]);
    }
    out += "\nrules that added most e-nodes to the unguided search\n";
    let width = c.goals.iter().map(|g| g.title().chars().count()).max();
    for goal in &c.goals {
        let title = goal.title();
        out += &format!(
            "{title:<w$}  {}\n",
            growth(&goal.unguided),
            w = width.unwrap_or(0)
        );
    }
    out += "\n";
    match &*c.goals {
        [goal] => out += &iterations(goal),
        goals => {
            out += "e-nodes before the first iteration and after each\n";
            out += &table(
                &goals.iter().flat_map(sequences).collect::<Vec<_>>(),
                &[0, 1, 2],
            );
        }
    }
    out
}

fn summary(goals: &[&Goal]) -> Vec<Vec<String>> {
    let mut rows = vec![row(&[
        "goal",
        "search",
        "result",
        "time",
        "memory",
        "iterations",
        "e-nodes",
        "e-classes",
        "applied",
    ])];
    for goal in goals {
        for (i, (mode, run)) in goal.runs().into_iter().enumerate() {
            let name = if i == 0 { &*goal.name } else { "" };
            let mut cells = row(&[
                name,
                mode,
                &run.result(),
                &seconds(run.seconds),
                &memory(run.bytes),
                &run.iterations().to_string(),
                &count(run.largest.nodes),
                &count(run.largest.classes),
                &count(run.applied),
            ]);
            if i == 1 {
                cells.push(factor(&goal.guided, run));
            }
            rows.push(cells);
        }
    }
    rows
}

/// How much more time and e-nodes the unguided search took.
fn factor(guided: &Run, unguided: &Run) -> String {
    let ratio = |a: f64, b: f64| if b > 0.0 { a / b } else { f64::NAN };
    let time = ratio(unguided.seconds, guided.seconds);
    let nodes = ratio(unguided.largest.nodes as f64, guided.largest.nodes as f64);
    match (
        guided.found() && time.is_finite() && nodes.is_finite(),
        unguided.found(),
    ) {
        (false, _) => String::new(),
        (_, found) => {
            let more = if found { "" } else { ">" };
            format!(
                "{more}{}× time, {more}{}× e-nodes",
                digits(time),
                digits(nodes)
            )
        }
    }
}

fn growth(run: &Run) -> String {
    let total = sum(run.rules.iter().map(|r| r.nodes_added));
    let named = run.rules.iter().filter(|r| r.nodes_added > 0).take(RULES);
    let named: Vec<String> = named
        .map(|r| {
            let share = 100.0 * r.nodes_added as f64 / total as f64;
            format!("{} {} ({share:.0}%)", r.name, count(r.nodes_added))
        })
        .collect();
    if named.is_empty() {
        "none".to_string()
    } else {
        named.join(", ")
    }
}

fn sequences(goal: &Goal) -> Vec<Vec<String>> {
    let title = goal.title();
    let nodes = |run: &Run| {
        let step = |points: &[Point]| {
            let all: Vec<String> = points.iter().map(|p| p.nodes.to_string()).collect();
            all.join(" ")
        };
        let steps: Vec<String> = run.steps.iter().map(|s| step(&s.points)).collect();
        steps.join(" | ")
    };
    let runs = goal.runs().into_iter().enumerate();
    runs.map(|(i, (mode, run))| {
        let name = if i == 0 { &*title } else { "" };
        row(&[name, mode, &nodes(run)])
    })
    .collect()
}

/// Every iteration of one goal; the steps of the guided search follow one another.
fn iterations(goal: &Goal) -> String {
    let lines = |run: &Run| {
        let mut out = Vec::new();
        for step in &run.steps {
            for (i, p) in step.points.iter().enumerate() {
                out.push([
                    if i == 0 {
                        step.name.clone()
                    } else {
                        String::new()
                    },
                    i.to_string(),
                    count(p.nodes),
                    count(p.classes),
                    count(p.applied),
                    if i == 0 {
                        String::new()
                    } else {
                        seconds(p.seconds)
                    },
                    if i == 0 {
                        String::new()
                    } else {
                        bytes(p.bytes)
                    },
                ]);
            }
        }
        out
    };
    let head = [
        "iteration",
        "e-nodes",
        "e-classes",
        "applied",
        "time",
        "memory",
    ];
    let mut rows = vec![row(
        &[&["guided"][..], &head, &["  unguided"], &head].concat()
    )];
    let (guided, unguided) = (lines(&goal.guided), lines(&goal.unguided));
    for i in 0..guided.len().max(unguided.len()) {
        let cells = |lines: &[[String; 7]]| lines.get(i).cloned().unwrap_or_default();
        let mut right = cells(&unguided);
        right[0] = if right[1].is_empty() {
            String::new()
        } else {
            "  ".into()
        };
        rows.push(cells(&guided).into_iter().chain(right).collect());
    }
    table(&rows, &[0, 7])
}

fn row(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|c| c.to_string()).collect()
}

/// Aligned columns: those named to the left, the others to the right.
fn table(rows: &[Vec<String>], left: &[usize]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| {
        let cells = rows.iter().filter_map(|r| r.get(c));
        cells.map(|t| t.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for r in rows {
        let line: Vec<String> = (r.iter().zip(&widths).enumerate())
            .map(|(c, (cell, w))| {
                if left.contains(&c) {
                    format!("{cell:<w$}")
                } else {
                    format!("{cell:>w$}")
                }
            })
            .collect();
        out += line.join("  ").trim_end();
        out += "\n";
    }
    out
}
