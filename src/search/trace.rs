//! What happened in a search, as plain data.
//!
//! Comes in: counts and times of each iteration; goes out: a value that is
//! printed elsewhere and saved as JSON. Counts are reproducible, times (in
//! seconds) are not. Absent: terms, ids, printing.

use serde::{Deserialize, Serialize};

/// A whole search.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// Name of the program.
    pub program: String,
    /// One for each step that was run.
    pub steps: Vec<StepTrace>,
}

/// One step.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepTrace {
    /// Its name.
    pub name: String,
    /// Why it ended.
    pub stop: Stop,
    /// E-nodes and classes before the first iteration.
    pub start: Size,
    /// The iterations.
    pub iterations: Vec<Iteration>,
    /// Wall clock of the whole step, extraction included.
    pub seconds: f64,
    /// Of it, extraction.
    pub extract_seconds: f64,
    /// Most bytes seen while it ran, less those held before it.
    pub bytes: u64,
    /// Whether another run ends with the same counts: no limit in seconds or bytes ended it, nor cut short an
    /// iteration after which the sketch was satisfied all the same.
    pub reproducible: bool,
}

/// Size of a graph.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Size {
    /// E-nodes.
    pub nodes: u64,
    /// Classes.
    pub classes: u64,
}

/// Why a step ended.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The sketch is satisfied.
    Found,
    /// No rule changes anything any more.
    Saturated,
    /// Limit on iterations.
    Iterations(u64),
    /// Limit on e-nodes.
    Nodes(u64),
    /// Limit on places that patterns look at and nodes that substitutions build.
    Work(u64),
    /// Limit on seconds.
    Seconds(u64),
    /// Limit on bytes.
    Bytes(u64),
    /// Somebody ended it.
    Interrupted,
    /// The term is larger than the limit on the size of terms: nothing may be added.
    Size(u64),
}

impl Stop {
    /// Whether it is something that differs from run to run.
    pub fn is_measured(self) -> bool {
        matches!(self, Stop::Seconds(_) | Stop::Bytes(_) | Stop::Interrupted)
    }
}

/// One iteration.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Iteration {
    /// The graph after it.
    pub size: Size,
    /// Most bytes seen until its end, less those held before the step.
    pub bytes: u64,
    /// Searching all rules.
    pub search_seconds: f64,
    /// Applying all matches.
    pub apply_seconds: f64,
    /// Restoring congruence.
    pub rebuild_seconds: f64,
    /// Asking the sketch, the snapshot of the graph included.
    pub goal_seconds: f64,
    /// The rules, in the order of the step.
    pub rules: Vec<RuleTrace>,
}

/// One rule in one iteration.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleTrace {
    /// Its name.
    pub name: String,
    /// Matches that types, sizes and limits allow.
    pub matches: u64,
    /// Of them, those that merged two classes.
    pub applied: u64,
    /// Of them, those whose sides were equal already.
    pub known: u64,
    /// Matches refused: by types, sizes or limits, or by a side condition.
    pub refused: u64,
    /// E-nodes added.
    pub nodes_added: u64,
    /// Time for searching and applying it.
    pub seconds: f64,
    /// Whether the scheduler made it wait.
    pub banned: bool,
}

impl RuleTrace {
    /// Takes in what another form of the same rule did.
    pub fn add(&mut self, other: &RuleTrace) {
        self.matches += other.matches;
        self.applied += other.applied;
        self.known += other.known;
        self.refused += other.refused;
        self.nodes_added += other.nodes_added;
        self.seconds += other.seconds;
        self.banned |= other.banned;
    }
}

impl Iteration {
    /// Applications that changed something.
    pub fn applied(&self) -> u64 {
        sum(self.rules.iter().map(|r| r.applied))
    }
}

/// A sum of counts, which may come from a file and be anything.
pub fn sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

impl StepTrace {
    /// Rules applied in all.
    pub fn applied(&self) -> u64 {
        sum(self.iterations.iter().map(Iteration::applied))
    }

    /// The graph at the end.
    pub fn size(&self) -> Size {
        self.iterations.last().map_or(self.start, |i| i.size)
    }

    /// E-nodes that each rule added, most first.
    pub fn growth(&self) -> Vec<(String, u64)> {
        let mut sums: indexmap::IndexMap<&str, u64> = indexmap::IndexMap::new();
        for r in self.iterations.iter().flat_map(|i| &i.rules) {
            *sums.entry(&r.name).or_default() += r.nodes_added;
        }
        let mut out: Vec<_> = sums.into_iter().map(|(n, c)| (n.to_string(), c)).collect();
        out.sort_by_key(|r| std::cmp::Reverse(r.1));
        out
    }
}
