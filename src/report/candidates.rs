//! The schedules that were tried for a program without a sketch.
//!
//! In: what became of each. Out: a table for people; the same data for programs. Absent: anything that the data does not say.

use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// All that were tried.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidates {
    /// Sizes that the estimates are for.
    pub sizes: Vec<(String, i64)>,
    /// Cycles of the program as it stands, by the estimate.
    pub plain: Option<f64>,
    pub all: Vec<Candidate>,
    /// Which one was taken; none if the program stays as it is.
    pub taken: Option<usize>,
    /// E-nodes of all searches for them.
    pub nodes: u64,
    /// Classes of sizes, where those were asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<SizeClass>,
}

/// A class of sizes, and what is best for it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeClass {
    pub what: String,
    /// The largest sizes that the estimates are for.
    pub sizes: Vec<(String, i64)>,
    /// Cycles of the program as it stands, and of what is best, by the estimate.
    pub plain: Option<f64>,
    pub cycles: Option<f64>,
    /// Its schedule, or that of a neighbour that is nearly as good; none where the program as it stands is as good.
    pub taken: Option<usize>,
    /// Why there is no kernel with one side for each class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<String>,
}

/// One schedule.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    pub what: String,
    /// By the estimate, if it came so far.
    pub cycles: Option<f64>,
    /// How much faster than the program as it stands, where it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faster: Option<f64>,
    /// Why it came no further.
    pub lost: Option<String>,
}

/// The table, and what was taken.
pub fn human(c: &Candidates) -> String {
    let mut text = String::new();
    let sizes: Vec<String> = c.sizes.iter().map(|(s, n)| format!("{s} = {n}")).collect();
    let at = match sizes.is_empty() {
        true => String::new(),
        false => format!(" at {}", sizes.join(", ")),
    };
    let _ = writeln!(text, "schedules, with estimated cycles{at}");
    let _ = writeln!(text, "{} the program as it stands", column(c.plain));
    let chosen = chosen(c);
    for (i, one) in c.all.iter().enumerate() {
        let mark = match chosen.contains(&Some(i)) {
            true => "  <- taken",
            false => "",
        };
        let faster = (one.faster).map_or(String::new(), |f| format!(", measured ×{f:.2}"));
        let why = (one.lost.as_ref()).map_or(String::new(), |why| format!(": {why}"));
        let _ = writeln!(
            text,
            "{} {}{faster}{why}{mark}",
            column(one.cycles),
            one.what
        );
    }
    if chosen.iter().all(Option::is_none) {
        let _ = writeln!(
            text,
            "none is estimated to be faster: the kernel is the program as it stands"
        );
    }
    text + &by_size(c)
}

/// What the kernel is made of.
fn chosen(c: &Candidates) -> Vec<Option<usize>> {
    match c.classes.iter().all(|class| class.lost.is_none()) && !c.classes.is_empty() {
        true => c.classes.iter().map(|class| class.taken).collect(),
        false => vec![c.taken],
    }
}

/// What each class of sizes takes.
fn by_size(c: &Candidates) -> String {
    let mut text = String::new();
    for class in &c.classes {
        let taken = class.taken.and_then(|i| c.all.get(i));
        let what = taken.map_or("the program as it stands", |t| &t.what);
        let cycles = column(class.cycles.or(class.plain));
        let plain = (class.plain.filter(|_| taken.is_some()))
            .map_or(String::new(), |p| format!(", as it stands {p:.0}"));
        let _ = writeln!(text, "{cycles} {}: {what}{plain}", class.what);
    }
    if let Some(why) = c.classes.iter().find_map(|class| class.lost.as_ref()) {
        let _ = writeln!(text, "sizes choose nothing: {why}");
    }
    text
}

/// A number in a column.
fn column(cycles: Option<f64>) -> String {
    let text = cycles.map_or("-".to_string(), |c| format!("{c:.0}"));
    format!("{text:>12}")
}
