//! The lambda calculus over the e-graph engine as in the paper: without types,
//! in four encodings.
//!
//! Comes in: a goal, an encoding, limits; goes out: whether it was found and at
//! what expense. All rules search, then all matches are applied, as in the
//! product; the goal is looked for before the first iteration and after each.

pub mod goals;
mod lambda;
pub mod rules;
mod substitute;

use egg::{EGraph, Searcher};
use goals::Goal;
use lambda::Facts;
use rules::Encoding;
use std::time::{Duration, Instant};

/// Limits of one run.
#[derive(Copy, Clone, Debug)]
pub struct Limits {
    /// Time.
    pub time: Duration,
    /// Bytes, as `held` counts them.
    pub bytes: u64,
    /// E-nodes.
    pub nodes: usize,
    /// Counts the bytes that the process holds.
    pub held: fn() -> u64,
}

/// Why a run ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// The goal is in the graph.
    Found,
    /// No rule changes anything any more.
    Saturated,
    /// A limit.
    Time,
    /// A limit.
    Memory,
    /// A limit.
    Nodes,
}

/// What a run came to.
#[derive(Copy, Clone, Debug)]
pub struct Outcome {
    /// Why it ended.
    pub end: End,
    /// How long it took.
    pub time: Duration,
    /// Matches that merged two classes.
    pub applied: u64,
    /// E-nodes at the end.
    pub nodes: usize,
    /// Classes at the end.
    pub classes: usize,
    /// Iterations.
    pub iterations: u32,
    /// Most bytes seen, less those held before.
    pub bytes: u64,
}

/// Matches applied between two looks at the limits.
const LOOK_EVERY: usize = 256;
/// Matches of one rule in one iteration; more count as reaching the limit on memory.
const MOST_MATCHES: usize = 8_000_000;

/// Runs a goal.
pub fn run(goal: &Goal, encoding: Encoding, limits: &Limits) -> Outcome {
    let begun = Instant::now();
    let before = (limits.held)();
    let mut graph = EGraph::new(Facts);
    let root = graph.add_expr(&goal.start(encoding));
    graph.rebuild();
    let end = goal.end(encoding);
    let mut rules = encoding.core();
    rules.extend((goal.rules)(encoding));
    let mut out = Outcome {
        end: End::Saturated,
        time: Duration::ZERO,
        applied: 0,
        nodes: 0,
        classes: 0,
        iterations: 0,
        bytes: 0,
    };
    let over = |graph: &lambda::Graph, bytes: &mut u64| {
        let held = (limits.held)().saturating_sub(before);
        *bytes = (*bytes).max(held);
        if held > limits.bytes {
            Some(End::Memory)
        } else if begun.elapsed() > limits.time {
            Some(End::Time)
        } else if graph.total_size() > limits.nodes {
            Some(End::Nodes)
        } else {
            None
        }
    };
    'all: loop {
        if end.search_eclass(&graph, root).is_some() {
            out.end = End::Found;
            break;
        }
        let mut found = Vec::new();
        for rule in &rules {
            found.push(rule.searcher.search_with_limit(&graph, MOST_MATCHES));
            if let Some(end) = over(&graph, &mut out.bytes) {
                out.end = end;
                break 'all;
            }
        }
        let applied = out.applied;
        for (rule, found) in rules.iter().zip(&found) {
            let mut since = 0;
            for at in found {
                for some in at.substs.chunks(LOOK_EVERY) {
                    for subst in some {
                        let made = rule
                            .applier
                            .apply_one(&mut graph, at.eclass, subst, None, rule.name);
                        out.applied += made.len() as u64;
                    }
                    since += some.len();
                    if since < LOOK_EVERY {
                        continue;
                    }
                    since = 0;
                    if let Some(end) = over(&graph, &mut out.bytes) {
                        out.end = end;
                        break 'all;
                    }
                }
            }
        }
        graph.rebuild();
        out.iterations += 1;
        if out.applied == applied {
            break;
        }
    }
    out.time = begun.elapsed();
    over(&graph, &mut out.bytes);
    out.nodes = graph.total_size();
    out.classes = graph.number_of_classes();
    out
}
