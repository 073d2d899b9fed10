//! How the graphs grew: a picture for each step, a table of steps, the iterations.
//!
//! In: a record. Out: HTML with SVG in it. All pictures share one logarithmic scale, so that they compare. Invariant:
//! a picture has at most as many points as can be seen. Absent: rules.

use super::steps::stopped;
use super::text::{count, esc, Page};
use crate::report::record::Record;
use crate::report::svg::few;
use crate::report::{bytes, seconds};
use crate::search::trace::{Size, StepTrace};
use crate::search::Stop;
use std::fmt::Write;

const PICTURES: usize = 24;
const POINTS: usize = 240;
const ROWS: usize = 40;
/// Of a picture, in its own units.
const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 210.0;
/// What the axes take of it.
const LEFT: f64 = 44.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 30.0;

pub fn write(r: &Record, p: &mut Page) {
    let all: Vec<&StepTrace> = (r.steps.iter())
        .filter_map(|s| s.search.as_ref())
        .map(|s| &s.trace)
        .collect();
    if all.is_empty() {
        p.note("Nothing was searched, so nothing grew.");
        return;
    }
    p.add(
        "<p class=\"legend\"><span class=\"k nodes\">e-nodes</span> <span class=\"k classes\">classes</span> \
         <span class=\"k limit\">limit</span> <span class=\"k found\">found</span></p>\n<div class=\"plots\">\n",
    );
    let limit = |t: &StepTrace| match t.stop {
        Stop::Nodes(n) => n,
        _ => 0,
    };
    let most = all.iter().map(|t| t.size().nodes.max(limit(t))).max();
    let top = f64::max((most.unwrap_or(1).max(10) as f64).log10().ceil(), 1.0);
    for t in all.iter().take(PICTURES) {
        picture(t, top, p);
    }
    p.add("</div>\n");
    p.cut(PICTURES.min(all.len()), all.len(), "pictures");
    table(&all, p);
    for t in all
        .iter()
        .filter(|t| !t.iterations.is_empty())
        .take(PICTURES)
    {
        iterations(t, p);
    }
}

/// Sizes before the first and after each iteration, with the iteration's number; not all, if there are too many.
fn points(t: &StepTrace) -> Vec<(usize, Size)> {
    let all: Vec<Size> = std::iter::once(t.start)
        .chain(t.iterations.iter().map(|i| i.size))
        .collect();
    let every = all.len().div_ceil(POINTS).max(1);
    let last = all.len() - 1;
    let numbered = all.into_iter().enumerate();
    numbered
        .filter(|(i, _)| i % every == 0 || *i == last)
        .collect()
}

/// From iterations and e-nodes to places in a picture.
struct Scale {
    /// Iterations of the step.
    last: usize,
    /// The decade at the top.
    top: f64,
}

impl Scale {
    fn x(&self, i: usize) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * i as f64 / self.last.max(1) as f64
    }

    fn y(&self, n: u64) -> f64 {
        let share = (n.max(1) as f64).log10() / self.top;
        HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share.min(1.0)
    }
}

fn picture(t: &StepTrace, top: f64, p: &mut Page) {
    let last = t.iterations.len();
    let scale = Scale { last, top };
    let size = t.size();
    let said = format!(
        "{}: {} e-nodes before, {} after {} iterations; {}",
        t.name,
        count(t.start.nodes),
        count(size.nodes),
        last,
        stopped(t.stop)
    );
    let mut s = String::new();
    let _ = writeln!(
        s,
        "<figure class=\"plot\"><figcaption><b>{}</b> <span>{}</span></figcaption>\n\
         <svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
        esc(&t.name),
        esc(&format!(
            "{} e-nodes · {}",
            count(size.nodes),
            seconds(t.seconds)
        )),
        esc(&said)
    );
    grid(t, &scale, &mut s);
    curves(t, &scale, &mut s);
    let (cx, cy) = (scale.x(last), scale.y(size.nodes));
    let _ = match t.stop {
        Stop::Found => writeln!(
            s,
            "<circle class=\"found\" cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"5.5\"/>"
        ),
        _ => {
            let (a, b, c, d) = (cx - 5.0, cx + 5.0, cy - 5.0, cy + 5.0);
            writeln!(
                s,
                "<path class=\"ended\" d=\"M{a:.1} {c:.1}L{b:.1} {d:.1}M{a:.1} {d:.1}L{b:.1} {c:.1}\"/>"
            )
        }
    };
    let _ = writeln!(s, "</svg></figure>");
    p.add(&s);
}

/// Decades, iterations, and the limit if that ended the step.
fn grid(t: &StepTrace, scale: &Scale, s: &mut String) {
    // Every second decade if they are many.
    let step = if scale.top > 6.0 { 2 } else { 1 };
    for d in (0..=scale.top as u32).step_by(step) {
        let at = scale.y(10_u64.saturating_pow(d));
        let _ = writeln!(
            s,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            at + 3.5,
            few(10_u64.saturating_pow(d))
        );
    }
    let every = scale.last.div_ceil(6).max(1);
    for i in (0..=scale.last).step_by(every) {
        let _ = writeln!(
            s,
            "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{i}</text>",
            scale.x(i),
            HEIGHT - BOTTOM + 16.0
        );
    }
    if let Stop::Nodes(n) = t.stop {
        let at = scale.y(n);
        let _ = writeln!(
            s,
            "<line class=\"limit\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>",
            WIDTH - RIGHT
        );
    }
}

/// E-classes and e-nodes over iterations.
fn curves(t: &StepTrace, scale: &Scale, s: &mut String) {
    let points = points(t);
    for (class, get) in [
        ("classes", (|s| s.classes) as fn(Size) -> u64),
        ("nodes", |s| s.nodes),
    ] {
        let path: Vec<String> = (points.iter())
            .map(|(i, size)| format!("{:.1},{:.1}", scale.x(*i), scale.y(get(*size))))
            .collect();
        let _ = writeln!(
            s,
            "<polyline class=\"{class}\" points=\"{}\"/>",
            path.join(" ")
        );
    }
    if points.len() <= 40 {
        for (i, size) in &points {
            let _ = writeln!(
                s,
                "<circle class=\"dot\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.6\"><title>iteration {i}: {} e-nodes, {} classes</title></circle>",
                scale.x(*i),
                scale.y(size.nodes),
                count(size.nodes),
                count(size.classes)
            );
        }
    }
}

fn table(all: &[&StepTrace], p: &mut Page) {
    let rows: Vec<Vec<String>> = (all.iter().take(ROWS))
        .map(|t| {
            let size = t.size();
            vec![
                esc(&t.name),
                esc(&stopped(t.stop)) + if t.reproducible { "" } else { " *" },
                t.iterations.len().to_string(),
                count(t.applied()),
                count(size.nodes),
                count(size.classes),
                esc(&seconds(t.seconds)),
                esc(&bytes(t.bytes)),
            ]
        })
        .collect();
    let heads = [
        ("step", ""),
        ("ended", ""),
        ("iterations", "n"),
        ("applied", "n"),
        ("e-nodes", "n"),
        ("classes", "n"),
        ("time", "n"),
        ("memory", "n"),
    ];
    p.table("The steps", &heads, &rows);
    p.cut(ROWS.min(all.len()), all.len(), "steps");
    if all.iter().any(|t| !t.reproducible) {
        p.note("* Ended by a limit of time or memory: another run may end elsewhere.");
    }
}

fn iterations(t: &StepTrace, p: &mut Page) {
    let n = t.iterations.len();
    p.add(&format!(
        "<details><summary>The {} iteration{} of {}</summary>\n",
        count(n as u64),
        if n == 1 { "" } else { "s" },
        esc(&t.name)
    ));
    // Where it began, and where it ended.
    let shown = |i: usize| n <= ROWS || i < ROWS / 2 || i >= n - ROWS / 2;
    let rows: Vec<Vec<String>> = (t.iterations.iter().enumerate())
        .filter(|(i, _)| shown(*i))
        .map(|(i, it)| {
            let applied = it.applied();
            let mut row = vec![
                (i + 1).to_string(),
                count(it.size.nodes),
                count(it.size.classes),
                count(applied),
            ];
            let times = [
                it.search_seconds,
                it.apply_seconds,
                it.rebuild_seconds,
                it.goal_seconds,
            ];
            row.extend(times.map(|s| esc(&seconds(s))));
            row
        })
        .collect();
    let heads = [
        ("", "n"),
        ("e-nodes", "n"),
        ("classes", "n"),
        ("applied", "n"),
        ("matching", "n"),
        ("applying", "n"),
        ("rebuilding", "n"),
        ("asking", "n"),
    ];
    p.table(&format!("The iterations of {}", t.name), &heads, &rows);
    p.cut(rows.len(), n, "iterations, the first and the last");
    p.add("</details>\n");
}
