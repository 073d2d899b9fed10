//! Guided and unguided search, side by side.
//!
//! In: the traces of both searches for each goal, and the limits that held for both. Out: a value that is
//! saved as JSON; made of it alone: a table for people, CSV with a row for each iteration, a plot.
//! Invariant: both searches of a goal had the same rules and limits, and what is drawn and tabled is
//! what is saved. Absent: terms, searching.

mod csv;
mod plot;
mod table;

pub use csv::csv;
pub use plot::svg;
pub use table::human;

use super::number::{bytes, count, seconds};
use super::saved::{self, COMPARISON};
use crate::search::trace::{sum, Iteration, Size, StepTrace};
use crate::search::{Stop, Trace};
use serde::{Deserialize, Serialize};

/// All goals, in the order in which they were given.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Comparison {
    /// Version of the program that made it.
    pub rise_opt: String,
    pub command: String,
    /// Name of the program.
    pub program: String,
    pub limits: Limits,
    pub goals: Vec<Goal>,
}

/// What may end a search early. Iterations and e-nodes are counted for each step, seconds and bytes for
/// the whole search.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub iterations: Option<u64>,
    pub nodes: Option<u64>,
    pub seconds: Option<u64>,
    pub bytes: Option<u64>,
}

/// One goal, searched for twice.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// Which book of rules it uses; empty when the user gave no name.
    pub book: String,
    pub name: String,
    /// The files with its steps.
    pub sketches: Vec<String>,
    /// Step by step.
    pub guided: Run,
    /// In one step: the rules of all steps, the last sketch.
    pub unguided: Run,
}

/// What a search came to.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    pub stop: Stop,
    /// Whether it went past a limit in e-nodes, seconds or bytes. It may have been found all the same:
    /// limits are looked at while rules are searched and applied, the sketch is asked after each
    /// iteration, also after one that a limit cut short; and all guided steps together have the time
    /// of the one unguided.
    pub past_limit: bool,
    /// Whether another run ends the same way: no limit in seconds or bytes had a part in it.
    pub reproducible: bool,
    pub seconds: f64,
    /// Most bytes that it held, by the allocator's own count.
    pub bytes: u64,
    /// Rules applied.
    pub applied: u64,
    /// The largest graph.
    pub largest: Size,
    /// The steps that were run.
    pub steps: Vec<Step>,
    /// Steps that it was to go through.
    pub steps_planned: u64,
    /// What each rule did, those that added most first.
    pub rules: Vec<Rule>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    pub name: String,
    pub stop: Stop,
    pub seconds: f64,
    /// The graph before the first iteration, and after each.
    pub points: Vec<Point>,
}

/// The graph after an iteration; a limit may have ended the last one early.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    pub nodes: u64,
    pub classes: u64,
    /// Rules applied in this iteration.
    pub applied: u64,
    /// Time of this iteration.
    pub seconds: f64,
    /// Most bytes held until its end.
    pub bytes: u64,
}

/// What one rule did in a whole search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    pub name: String,
    pub applied: u64,
    pub nodes_added: u64,
    pub seconds: f64,
}

impl Run {
    pub fn new(trace: &Trace, steps_planned: usize, limits: &Limits) -> Run {
        let steps = &trace.steps;
        let stop = steps.last().map_or(Stop::Found, |s| s.stop);
        let seconds: f64 = steps.iter().map(|s| s.seconds).sum();
        let bytes = steps.iter().map(|s| s.bytes).max().unwrap_or(0);
        let sizes =
            (steps.iter()).flat_map(|s| s.iterations.iter().map(|i| i.size).chain([s.start]));
        let none = Size {
            nodes: 0,
            classes: 0,
        };
        let largest = sizes.max_by_key(|s| s.nodes).unwrap_or(none);
        let measured = limits.seconds.is_some_and(|limit| seconds >= limit as f64)
            || limits.bytes.is_some_and(|limit| bytes >= limit);
        Run {
            stop,
            past_limit: measured || limits.nodes.is_some_and(|limit| largest.nodes >= limit),
            reproducible: !measured && !stop.is_measured() && steps.iter().all(|s| s.reproducible),
            seconds,
            bytes,
            applied: sum(steps.iter().map(StepTrace::applied)),
            largest,
            steps: steps.iter().map(Step::new).collect(),
            steps_planned: steps_planned as u64,
            rules: rules(steps),
        }
    }

    pub fn found(&self) -> bool {
        self.stop == Stop::Found
    }

    pub fn iterations(&self) -> usize {
        self.steps.iter().map(Step::iterations).sum()
    }

    /// The result in a few words: `found`, or what ended it.
    pub fn result(&self) -> String {
        match self.stop {
            Stop::Found if self.past_limit => "found past a limit".to_string(),
            Stop::Found => "found".to_string(),
            Stop::Saturated => "saturated".to_string(),
            Stop::Iterations(1) => "limit of 1 iteration".to_string(),
            Stop::Iterations(n) => format!("limit of {n} iterations"),
            Stop::Nodes(n) => format!("limit of {} e-nodes", count(n)),
            Stop::Work(n) => format!("limit of {} places and nodes", count(n)),
            Stop::Seconds(n) => format!("limit of {n} s"),
            Stop::Bytes(n) => format!("limit of {}", bytes(n)),
            Stop::Interrupted => "interrupted".to_string(),
            Stop::Size(n) => format!("limit of {n} nodes for a term"),
        }
    }
}

/// Below this the caches of the allocator blur its count.
const BLUR: u64 = 100 << 10;

/// Memory held, as far as the count goes.
pub fn memory(held: u64) -> String {
    if held < BLUR {
        "< 100 KB".to_string()
    } else {
        bytes(held)
    }
}

/// How the JSON, and so the CSV, names what ended a step.
pub fn stop_word(stop: Stop) -> &'static str {
    match stop {
        Stop::Found => "found",
        Stop::Saturated => "saturated",
        Stop::Iterations(_) => "iterations",
        Stop::Nodes(_) => "nodes",
        Stop::Work(_) => "work",
        Stop::Seconds(_) => "seconds",
        Stop::Bytes(_) => "bytes",
        Stop::Interrupted => "interrupted",
        Stop::Size(_) => "size",
    }
}

impl Step {
    fn new(step: &StepTrace) -> Step {
        let start = Point {
            nodes: step.start.nodes,
            classes: step.start.classes,
            applied: 0,
            seconds: 0.0,
            bytes: 0,
        };
        let points = step.iterations.iter().map(Point::new);
        Step {
            name: step.name.clone(),
            stop: step.stop,
            seconds: step.seconds,
            points: std::iter::once(start).chain(points).collect(),
        }
    }

    pub fn iterations(&self) -> usize {
        self.points.len().saturating_sub(1)
    }
}

impl Point {
    fn new(i: &Iteration) -> Point {
        Point {
            nodes: i.size.nodes,
            classes: i.size.classes,
            applied: i.applied(),
            seconds: i.search_seconds + i.apply_seconds + i.rebuild_seconds + i.goal_seconds,
            bytes: i.bytes,
        }
    }
}

fn rules(steps: &[StepTrace]) -> Vec<Rule> {
    let mut totals: indexmap::IndexMap<&str, Rule> = indexmap::IndexMap::new();
    let iterations = steps.iter().flat_map(|s| &s.iterations);
    for r in iterations.flat_map(|i| &i.rules) {
        let total = totals.entry(&r.name).or_insert_with(|| Rule {
            name: r.name.clone(),
            applied: 0,
            nodes_added: 0,
            seconds: 0.0,
        });
        total.applied = total.applied.saturating_add(r.applied);
        total.nodes_added = total.nodes_added.saturating_add(r.nodes_added);
        total.seconds += r.seconds;
    }
    let mut rules: Vec<Rule> = totals.into_values().collect();
    rules.sort_by_key(|r| std::cmp::Reverse(r.nodes_added));
    rules
}

impl Goal {
    /// `general/blocking`
    pub fn title(&self) -> String {
        if self.book.is_empty() {
            self.name.clone()
        } else {
            format!("{}/{}", self.book, self.name)
        }
    }

    pub fn runs(&self) -> [(&'static str, &Run); 2] {
        [("guided", &self.guided), ("unguided", &self.unguided)]
    }
}

impl Limits {
    /// `120 s, 4.00 GB`
    pub fn text(&self) -> String {
        let all = [
            self.iterations.map(|n| format!("{n} iterations a step")),
            self.nodes.map(|n| format!("{} e-nodes a step", count(n))),
            self.seconds.map(|n| format!("{n} s")),
            self.bytes.map(bytes),
        ];
        let all: Vec<String> = all.into_iter().flatten().collect();
        if all.is_empty() {
            "none".to_string()
        } else {
            all.join(", ")
        }
    }
}

impl Comparison {
    /// As a file of many lines.
    pub fn to_json(&self) -> String {
        saved::write(&COMPARISON, self)
    }

    /// In one line.
    pub fn to_json_line(&self) -> String {
        saved::line(&COMPARISON, self)
    }

    /// Goals of one book after another, in the order in which the books come first.
    pub fn books(&self) -> Vec<(&str, Vec<&Goal>)> {
        let mut books: indexmap::IndexMap<&str, Vec<&Goal>> = indexmap::IndexMap::new();
        for goal in &self.goals {
            books.entry(&goal.book).or_default().push(goal);
        }
        books.into_iter().collect()
    }
}
