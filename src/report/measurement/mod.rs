//! A measurement as a table, JSON, a picture.
//!
//! In: what a bench showed. Out: text for people, one table for each size and number of threads; the
//! saved form; a plot of bars. Invariant: what is tabled and drawn is what is saved. Contestants
//! that did not take part stand below the table with the reason, and libraries that the machine
//! does not have with the package that brings them. Absent: measuring.

mod plot;

pub use plot::svg;

use super::number::{digits, seconds};
use super::saved::{self, MEASUREMENT};
use crate::diag::Diagnostic;
use crate::exec::bench::{Kind, Measurement, Outcome, Place, Round};
use crate::exec::measure::Timing;
use crate::source::{FileId, SourceMap};

pub fn json(m: &Measurement) -> String {
    saved::write(&MEASUREMENT, m)
}

pub fn json_line(m: &Measurement) -> String {
    saved::line(&MEASUREMENT, m)
}

pub fn read(sources: &SourceMap, file: FileId) -> Result<Measurement, Diagnostic> {
    saved::read(&MEASUREMENT, sources, file)
}

/// The contestant that the others of a round are compared with: the first library that took part,
/// else the unoptimised kernel, else the first.
pub fn yardstick<'a>(m: &Measurement, round: &'a Round) -> Option<&'a Place> {
    let of = |kind: Kind| {
        let is = |p: &&Place| {
            let mut all = m.contestants.iter();
            p.timing().is_some() && all.any(|c| c.name == p.contestant && c.kind == kind)
        };
        round.places.iter().find(is)
    };
    of(Kind::Peer)
        .or_else(|| of(Kind::Unoptimised))
        .or_else(|| round.places.iter().find(|p| p.timing().is_some()))
}

/// `m=64 n=32, 2 threads`
pub(super) fn title(round: &Round) -> String {
    let sizes: Vec<String> = round
        .sizes
        .iter()
        .map(|(n, v)| format!("{n}={v}"))
        .collect();
    let threads = match round.threads {
        1 => "1 thread".to_string(),
        n => format!("{n} threads"),
    };
    if sizes.is_empty() {
        threads
    } else {
        format!("{}, {threads}", sizes.join(" "))
    }
}

pub fn human(m: &Measurement) -> String {
    let mut out = format!("{} on {}\n{}\n", m.program, m.machine, m.compiler);
    for p in &m.peers {
        if p.file.is_some() && !p.version.is_empty() {
            out += &format!("{}: {}\n", p.library, p.version);
        }
    }
    for round in &m.rounds {
        out += &format!("\n{}\n", title(round));
        out += &table(m, round);
        for p in &round.places {
            if let Outcome::NotApplicable { why } = &p.outcome {
                out += &format!("{}: not applicable, {why}\n", p.contestant);
            }
        }
    }
    let absent = m.peers.iter().filter(|p| p.file.is_none());
    for (i, p) in absent.enumerate() {
        let line = format!(
            "{}: this machine has none; Debian and Ubuntu: package {}\n",
            p.library, p.package
        );
        out += if i == 0 { "\n" } else { "" };
        out += &line;
    }
    for c in m
        .contestants
        .iter()
        .filter(|c| !c.remarks.trim().is_empty())
    {
        out += &format!(
            "\nthe C compiler remarked on {}:\n{}\n",
            c.name,
            c.remarks.trim()
        );
    }
    out
}

fn table(m: &Measurement, round: &Round) -> String {
    let yardstick = yardstick(m, round);
    let against = yardstick.map_or("-", |p| &p.contestant);
    let mut rows = vec![[
        "kernel".to_string(),
        "median".to_string(),
        "within".to_string(),
        "best".to_string(),
        "GFLOP/s".to_string(),
        "best".to_string(),
        format!("× {against}"),
        "best".to_string(),
        "samples".to_string(),
        "dropped".to_string(),
        "error".to_string(),
    ]];
    for p in &round.places {
        let Outcome::Measured { timing, difference } = &p.outcome else {
            continue;
        };
        let other = yardstick.and_then(Place::timing).unwrap_or(timing);
        let rate = |s: f64| {
            if round.flops > 0.0 {
                digits(round.flops / s / 1e9)
            } else {
                "-".to_string()
            }
        };
        rows.push([
            p.contestant.clone(),
            seconds(timing.median()),
            within(timing),
            seconds(timing.best()),
            rate(timing.median()),
            rate(timing.best()),
            digits(other.median() / timing.median()),
            digits(other.best() / timing.best()),
            timing.seconds.len().to_string(),
            dropped(timing),
            if difference.error > 0.0 {
                format!("{:.0e}", difference.error)
            } else {
                "0".to_string()
            },
        ]);
    }
    aligned(&rows)
}

fn within(t: &Timing) -> String {
    match t.seconds.len() {
        0 | 1 => "-".to_string(),
        _ => format!("{:.1} %", 100.0 * t.spread()),
    }
}

/// How many samples did not count; a star where disturbed ones had to.
fn dropped(t: &Timing) -> String {
    let star = if t.disturbed { "*" } else { "" };
    format!("{}{star}", t.dropped + t.preempted)
}

fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |c: usize| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let mut out = String::new();
    for r in rows {
        let cells = r.iter().zip(&widths).enumerate();
        let cells: Vec<String> = cells
            .map(|(c, (cell, w))| match c {
                0 => format!("{cell:<w$}"),
                _ => format!("{cell:>w$}"),
            })
            .collect();
        out += cells.join("  ").trim_end();
        out += "\n";
    }
    let star = rows
        .iter()
        .skip(1)
        .any(|r| r.iter().any(|c| c.ends_with('*')));
    if star {
        out += "* the machine was busy: samples with preemption had to count\n";
    }
    out
}
