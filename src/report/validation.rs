//! Whether loop programs compute their terms, for people and for programs.
//!
//! In: a verdict with its obligations. Out: a page, the saved form. Absent: how it is decided (`validate`).

use super::reordered::{self, Reordered};
use super::saved::{self, VALIDATION};
use crate::ctext;
use crate::source::{FileId, SourceMap, Span};
use crate::validate::{Obligation, Tally, Validation, Verdict};
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
    /// The same by statement.
    pub statements: Vec<OfStatement>,
    pub open: Vec<Open>,
    /// Reductions that were combined in another order on the way from the program to what the loop program computes, in whose
    /// order it does; none where no proof says which.
    pub reordered: Option<Vec<Reordered>>,
    /// Questions about indices that were asked: the same on every machine.
    pub questions: u64,
    /// Whether its C text says the same, where that was asked.
    pub text: Option<TextFile>,
    pub seconds: f64,
}

/// Whether a C text says what a loop program says.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextFile {
    /// The C file.
    pub c: String,
    pub verdict: Agreement,
    /// Where both differ, or what is not read: the line, whether that is one of the header.
    pub line: Option<u32>,
    pub in_header: bool,
    /// What the loop program says there.
    pub loops: Option<String>,
    pub what: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Agreement {
    Same,
    Differs,
    Unread,
}

impl TextFile {
    pub fn new(c: &str, found: &ctext::Verdict) -> TextFile {
        let mut told = TextFile {
            c: c.to_string(),
            verdict: Agreement::Same,
            line: None,
            in_header: false,
            loops: None,
            what: None,
        };
        let (line, in_header, what) = match found {
            ctext::Verdict::Same => return told,
            ctext::Verdict::Differs(d) => {
                told.verdict = Agreement::Differs;
                told.loops = Some(d.loops.clone());
                (d.line, d.in_header, &d.what)
            }
            ctext::Verdict::Unread(u) => {
                told.verdict = Agreement::Unread;
                (u.line, u.in_header, &u.what)
            }
        };
        told.line = Some(line);
        told.in_header = in_header;
        told.what = Some(what.clone());
        told
    }

    /// What is to be said of it, unless it is the same.
    pub fn sentence(&self) -> Option<String> {
        let what = self.what.as_ref()?;
        let place = match (self.in_header, self.line) {
            (true, Some(n)) => format!("`{}`, in its header, line {n}", self.c),
            (_, n) => format!("`{}`, line {}", self.c, n.unwrap_or(1)),
        };
        Some(match (self.verdict, &self.loops) {
            (Agreement::Differs, Some(loops)) => {
                format!("{place}, is not what the loop program says: {what} ({loops})")
            }
            _ => format!("{place}, is not read: {what}"),
        })
    }
}

/// A line of a text.
pub fn line_span(sources: &SourceMap, file: FileId, line: u32) -> Span {
    let text = &sources.file(file).text;
    let before = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1) as usize);
    let start: usize = before.map(str::len).sum();
    let length = text[start..].lines().next().map_or(0, str::len);
    Span::new(file, start, start + length)
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

/// What was shown of a statement.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfStatement {
    /// Its place in the loop program: an outer one comes before those inside, from 0. None for what is owed of the function.
    pub statement: Option<u32>,
    pub met: Vec<Met>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Open {
    pub obligation: String,
    /// As in [`OfStatement`].
    pub statement: Option<u32>,
    pub place: String,
    pub why: String,
}

fn statements(tally: &Tally) -> Vec<OfStatement> {
    let mut all: Vec<OfStatement> = Vec::new();
    for ((statement, kind), count) in &tally.met {
        let met = Met {
            obligation: kind.name().to_string(),
            count: *count,
        };
        match all.last_mut().filter(|s| s.statement == *statement) {
            Some(s) => s.met.push(met),
            None => all.push(OfStatement {
                statement: *statement,
                met: vec![met],
            }),
        }
    }
    all
}

/// What of a verdict stands in a summary.
pub fn sentence(found: &Validation) -> String {
    let (tally, met) = (&found.tally, found.tally.count());
    let open = tally.open.len();
    match tally.open.first() {
        None => format!("at all sizes that it accepts, {met} obligations"),
        Some(_) if tally.ended => format!(
            "unknown: {open} of {} obligations are open after {} questions about indices",
            open + met,
            tally.questions
        ),
        Some(o) => format!(
            "unknown: {open} of {} obligations are open, first {} of {}",
            open + met,
            o.obligation,
            o.place
        ),
    }
}

impl ValidationFile {
    pub fn new(
        loops: &str,
        found: &Validation,
        reordered: Option<Vec<Reordered>>,
        took: Duration,
    ) -> ValidationFile {
        let met = Obligation::ALL.iter().map(|o| Met {
            obligation: o.name().to_string(),
            count: found.tally.of(*o),
        });
        let open = found.tally.open.iter().map(|o| Open {
            obligation: o.obligation.name().to_string(),
            statement: o.statement,
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
            statements: statements(&found.tally),
            open: open.collect(),
            reordered,
            questions: found.tally.questions,
            text: None,
            seconds: (took.as_secs_f64() * 1e3).round() / 1e3,
        }
    }

    /// How many obligations were met.
    pub fn shown(&self) -> usize {
        self.met.iter().map(|m| m.count).sum()
    }

    pub fn json_line(&self) -> String {
        saved::line(&VALIDATION, self)
    }

    /// For people; of open obligations, so many.
    pub fn page(&self, most: usize) -> String {
        let count = self.shown();
        let mut text = format!("{}: {}", self.loops, self.verdict.name());
        let _ = write!(text, ", {count} obligations met");
        if !self.open.is_empty() {
            let _ = write!(text, ", {} open", self.open.len());
        }
        let _ = writeln!(
            text,
            ", {} questions about indices, {:.2} s",
            self.questions, self.seconds
        );
        let kinds = self.met.iter().filter(|m| m.count > 0);
        let kinds: Vec<String> = kinds
            .map(|m| format!("{} {}", m.obligation, m.count))
            .collect();
        if !kinds.is_empty() {
            let _ = writeln!(text, "  {}", kinds.join(", "));
        }
        for line in self.reordered.iter().flat_map(|r| reordered::lines(r)) {
            let _ = writeln!(text, "  {line}");
        }
        for o in self.open.iter().take(most) {
            let _ = writeln!(text, "  open: {} of {}: {}", o.obligation, o.place, o.why);
        }
        if self.open.len() > most {
            let _ = writeln!(text, "  and {} more, with --full", self.open.len() - most);
        }
        if let Some(c) = &self.text {
            let says = match c.verdict {
                Agreement::Same => "says the same",
                Agreement::Differs => "differs from it",
                Agreement::Unread => "is not read",
            };
            let _ = writeln!(text, "{}: {says}", c.c);
        }
        text
    }
}
