//! The schedules that were tried for a program without a sketch.
//!
//! In: what became of each. Out: a table for people; the same data for programs. Absent: anything that the data does not say.

use crate::estimate::Bound;
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
    /// How near what was taken comes to what the machine allows; none where operations are not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Roofline>,
    /// Of reductions that keep their order, why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_order: Vec<String>,
}

/// What is left to the limit of a machine, by the estimate.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Roofline {
    /// Of what there is not more.
    pub bound: Bound,
    /// Operations or bytes in a cycle, of all threads.
    pub rate: f64,
    /// The part of that which is reached.
    pub share: f64,
}

impl Roofline {
    pub fn sentence(&self) -> String {
        let (what, of) = match self.bound {
            Bound::Compute => ("compute", "operations"),
            Bound::Memory => ("memory", "bytes"),
        };
        let (percent, rate) = (100.0 * self.share, self.rate);
        format!("{what}: {percent:.0} % of {rate:.0} {of} a cycle, by the estimate")
    }
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
    /// Kinds of changes that it makes.
    #[serde(default)]
    pub changes: u32,
    /// Whether it is estimated to be slower than the program as it stands with one thread.
    #[serde(default)]
    pub slower_alone: bool,
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
    let chosen = c.chosen();
    for (i, one) in c.all.iter().enumerate() {
        let mark = match chosen.contains(&Some(i)) {
            true => "  <- taken",
            false => "",
        };
        let faster = (one.faster).map_or(String::new(), |f| format!(", measured ×{f:.2}"));
        let why = one.lost.clone().or_else(|| c.although_faster(i));
        let why = why.map_or(String::new(), |why| format!(": {why}"));
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

impl Candidates {
    /// What the kernel is made of.
    pub fn chosen(&self) -> Vec<Option<usize>> {
        match self.classes.iter().all(|class| class.lost.is_none()) && !self.classes.is_empty() {
            true => self.classes.iter().map(|class| class.taken).collect(),
            false => vec![self.taken],
        }
    }

    /// Why one was taken or not.
    pub fn verdict(&self, i: usize) -> String {
        let one = &self.all[i];
        if self.chosen().contains(&Some(i)) {
            return "taken".to_string();
        }
        if let Some(why) = &one.lost {
            return why.clone();
        }
        let taken = self.taken.and_then(|t| self.all.get(t));
        if self.all.iter().any(|c| c.faster.is_some()) {
            let best = taken.and_then(|t| t.faster).unwrap_or(1.0);
            return match one.faster {
                Some(f) if f < best => format!("measured to take {}", longer(best / f)),
                Some(_) => "measured to be hardly faster than the program as it stands".to_string(),
                None => "not measured: the budget was used up".to_string(),
            };
        }
        let best = taken.map_or(self.plain, |t| t.cycles);
        match (one.cycles, best) {
            (Some(own), Some(best)) if own > best => {
                format!("estimated to take {}", longer(own / best))
            }
            _ => self.although_faster(i).unwrap_or_default(),
        }
    }

    /// Why one is not taken that is estimated to be as fast as what is, or faster.
    fn although_faster(&self, i: usize) -> Option<String> {
        let one = &self.all[i];
        let taken = self.taken.and_then(|t| self.all.get(t));
        let best = taken.map_or(self.plain, |t| t.cycles)?;
        let measured = self.all.iter().any(|c| c.faster.is_some());
        if measured || self.chosen().contains(&Some(i)) || one.cycles.is_none_or(|c| c > best) {
            return None;
        }
        if one.slower_alone {
            return Some("slower with one thread than the program as it stands".to_string());
        }
        let more = one.changes.saturating_sub(taken.map_or(0, |t| t.changes));
        let faster = one.cycles.is_some_and(|c| c < best);
        Some(match more {
            0 if faster => "not so much faster that what it leaves of rows is worth it".to_string(),
            0 => "no faster".to_string(),
            1 => "not so much faster that one more change is worth it".to_string(),
            n => format!("not so much faster that {n} more changes are worth it"),
        })
    }
}

/// How much longer something takes that takes so many times as long.
fn longer(ratio: f64) -> String {
    match ratio {
        r if r >= 3.0 => format!("{r:.0} times as long"),
        r => format!("{:.0} % longer", 100.0 * (r - 1.0)),
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
