//! Whether loop programs compute their terms, for people and for programs.
//!
//! In: a verdict with its obligations. Out: a page, the saved form. Absent: how it is decided (`validate`).

use super::saved::{self, VALIDATION};
use crate::validate::{Obligation, Validation, Verdict};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::time::Duration;

/// The verdict on one loop program.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValidationFile {
    /// Version of the program that made it.
    pub rise_opt: String,
    /// The file.
    pub loops: String,
    pub verdict: Kind,
    /// Where it is wrong, if it is.
    pub difference: Option<Difference>,
    /// How many obligations were met, by kind.
    pub met: Vec<Met>,
    pub open: Vec<Open>,
    pub seconds: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Validated,
    Refuted,
    Unknown,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Kind::Validated => "validated",
            Kind::Refuted => "refuted",
            Kind::Unknown => "unknown",
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    pub sizes: String,
    pub what: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Met {
    pub obligation: String,
    pub count: usize,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Open {
    pub obligation: String,
    pub place: String,
    pub why: String,
}

/// What of a verdict stands in a summary.
pub fn sentence(found: &Validation) -> String {
    let met = found.tally.count();
    match found.tally.open.first() {
        None => format!("at all sizes that it accepts, {met} obligations"),
        Some(o) => format!(
            "not shown: {} of {} obligations are open, first {} of {}",
            found.tally.open.len(),
            found.tally.open.len() + met,
            o.obligation,
            o.place
        ),
    }
}

impl ValidationFile {
    pub fn new(loops: &str, found: &Validation, took: Duration) -> ValidationFile {
        let met = Obligation::ALL.iter().map(|o| Met {
            obligation: o.name().to_string(),
            count: found.tally.met.get(o).copied().unwrap_or(0),
        });
        let open = found.tally.open.iter().map(|o| Open {
            obligation: o.obligation.name().to_string(),
            place: o.place.clone(),
            why: o.why.clone(),
        });
        let (verdict, difference) = match &found.verdict {
            Verdict::Validated => (Kind::Validated, None),
            Verdict::Unknown => (Kind::Unknown, None),
            Verdict::Refuted(d) => {
                let (sizes, what) = (d.sizes.clone(), d.what.clone());
                (Kind::Refuted, Some(Difference { sizes, what }))
            }
        };
        ValidationFile {
            rise_opt: env!("CARGO_PKG_VERSION").to_string(),
            loops: loops.to_string(),
            verdict,
            difference,
            met: met.collect(),
            open: open.collect(),
            seconds: (took.as_secs_f64() * 1e3).round() / 1e3,
        }
    }

    pub fn json_line(&self) -> String {
        saved::line(&VALIDATION, self)
    }

    /// For people; of open obligations, so many.
    pub fn page(&self, most: usize) -> String {
        let count: usize = self.met.iter().map(|m| m.count).sum();
        let mut text = format!("{}: {}", self.loops, self.verdict.name());
        let _ = write!(text, ", {count} obligations met");
        if !self.open.is_empty() {
            let _ = write!(text, ", {} open", self.open.len());
        }
        let _ = writeln!(text, ", {:.2} s", self.seconds);
        let kinds = self.met.iter().filter(|m| m.count > 0);
        let kinds: Vec<String> = kinds
            .map(|m| format!("{} {}", m.obligation, m.count))
            .collect();
        if !kinds.is_empty() {
            let _ = writeln!(text, "  {}", kinds.join(", "));
        }
        for o in self.open.iter().take(most) {
            let _ = writeln!(text, "  open: {} of {}: {}", o.obligation, o.place, o.why);
        }
        if self.open.len() > most {
            let _ = writeln!(text, "  and {} more, with --full", self.open.len() - most);
        }
        text
    }
}
