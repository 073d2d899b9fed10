//! A measurement as a picture: bars, a panel for each size and number of threads.
//!
//! In: the measurement. Out: one SVG that needs nothing else and follows the reader's light or dark
//! theme. A bar is the median in GFLOP/s (in calls per second, for programs without arithmetic), the
//! line through its end the interval of the median, the tick beyond it the best sample. All bars of a
//! panel have one scale. Invariant: the same data gives the same bytes.

use super::{title, Measurement, Round};
use crate::exec::bench::{Kind, Outcome};
use crate::report::number::digits;
use crate::report::svg::{self, short, text};
use std::fmt::Write as _;

const WIDTH: f64 = 760.0;
const MARGIN: f64 = 20.0;
const NAMES: f64 = 170.0;
/// Behind the bars, for their numbers.
const NUMBERS: f64 = 120.0;
const HEAD: f64 = 62.0;
const TITLE: f64 = 26.0;
const BAR: f64 = 15.0;
const STEP: f64 = 22.0;
const GAP: f64 = 18.0;
/// Characters of a name that have room.
const LONGEST: usize = 26;

const STYLE: &str = "
svg{--back:#fff;--ink:#1f2328;--soft:#59636e;--own:#0a62c9;--plain:#8c959f;--peer:#c2540a;font:11px system-ui,-apple-system,'Segoe UI','DejaVu Sans',sans-serif}
@media(prefers-color-scheme:dark){svg{--back:#0d1117;--ink:#e6edf3;--soft:#9198a1;--own:#5aa9ff;--plain:#6e7681;--peer:#f08c3c}}
.back{fill:var(--back)}text{fill:var(--ink)}.soft{fill:var(--soft)}.end{text-anchor:end}
.title{font-size:16px;font-weight:600}.round{font-size:12.5px;font-weight:600}
.own{fill:var(--own)}.plain{fill:var(--plain)}.peer{fill:var(--peer)}
.line{stroke:var(--ink);stroke-width:1.4}.best{stroke:var(--soft);stroke-width:1.4}
";

pub fn svg(m: &Measurement) -> String {
    let mut body = String::new();
    let mut y = MARGIN + HEAD;
    for round in &m.rounds {
        y = panel(&mut body, m, round, y) + GAP;
    }
    let title = format!("{}: {}", m.program, unit(m));
    let mut out = svg::open(WIDTH, y + MARGIN, &title, STYLE);
    text(&mut out, "title", MARGIN, MARGIN + 14.0, &title);
    text(&mut out, "soft", MARGIN, MARGIN + 32.0, &m.machine);
    let explained =
        "bar: median, with its interval of 95 %; tick: best sample; ×: ratio of medians";
    text(&mut out, "soft", MARGIN, MARGIN + 47.0, explained);
    out + &body + "</svg>\n"
}

fn unit(m: &Measurement) -> &'static str {
    if m.rounds.iter().all(|r| r.flops > 0.0) {
        "GFLOP/s"
    } else {
        "calls per second"
    }
}

fn panel(out: &mut String, m: &Measurement, round: &Round, top: f64) -> f64 {
    text(out, "round", MARGIN, top + 12.0, &title(round));
    let work = match unit(m) {
        "GFLOP/s" => round.flops / 1e9,
        _ => 1.0,
    };
    let measured = round.places.iter().filter_map(|p| p.timing());
    let fastest = measured.map(|t| t.best()).fold(f64::INFINITY, f64::min);
    let left = MARGIN + NAMES;
    let room = WIDTH - MARGIN - NUMBERS - left;
    // The longest bar fills the room.
    let at = |seconds: f64| left + room * (fastest / seconds).clamp(0.0, 1.0);
    let yardstick = super::yardstick(m, round);
    let mut y = top + TITLE;
    for p in &round.places {
        let name = svg::cut(&p.contestant, LONGEST);
        text(out, "end", left - 8.0, y + 11.0, &name);
        match &p.outcome {
            Outcome::NotApplicable { why } => {
                text(
                    out,
                    "soft",
                    left,
                    y + 11.0,
                    &format!("not applicable, {why}"),
                );
            }
            Outcome::Measured { timing, .. } => {
                let kind = m.contestants.iter().find(|c| c.name == p.contestant);
                let class = match kind.map(|c| c.kind) {
                    Some(Kind::Peer) => "peer",
                    Some(Kind::Unoptimised) => "plain",
                    _ => "own",
                };
                let end = at(timing.median());
                let _ = writeln!(
                    out,
                    "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{BAR}\"/>",
                    short(left),
                    short(y),
                    short((end - left).max(0.5)),
                );
                let (low, high) = timing.interval();
                let middle = short(y + BAR / 2.0);
                let _ = writeln!(
                    out,
                    "<path class=\"line\" d=\"M{} {middle}H{}\"/><path class=\"best\" d=\"M{} {}v{BAR}\"/>",
                    short(at(high)),
                    short(at(low)),
                    short(at(timing.best())),
                    short(y),
                );
                let mut number = digits(work / timing.median());
                if let Some(other) = yardstick.and_then(|p| p.timing()) {
                    number += &format!("  ×{}", digits(other.median() / timing.median()));
                }
                let beyond = at(timing.best()).max(at(low)) + 8.0;
                text(out, "number", beyond, y + 11.0, &number);
            }
        }
        y += STEP;
    }
    y
}
