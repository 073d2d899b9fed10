//! The top of the page: what came out, in a sentence and a few figures.
//!
//! In: a record. Out: a header. Absent: details.

use super::text::{code, count, esc, prose, Page};
use crate::report::record::Record;
use crate::report::{bytes, digits, seconds};
use crate::search::trace::sum;

pub fn write(r: &Record, p: &mut Page) {
    p.add("<a class=\"skip\" href=\"#steps\">Skip to the report</a>\n<header id=\"top\">\n");
    p.add("<p class=\"kicker\">rise-opt report</p>\n");
    let file = match &r.program.file {
        Some(file) => format!(" <span class=\"file\">{}</span>", esc(file)),
        None => String::new(),
    };
    p.add(&format!("<h1>{}{file}</h1>\n", code(&r.program.name)));
    let (class, mark, verdict) = verdict(r);
    p.add(&format!(
        "<p class=\"verdict {class}\"><span aria-hidden=\"true\">{mark}</span> <span>{}</span></p>\n",
        prose(&verdict)
    ));
    p.add("<ul class=\"figures\">\n");
    for (name, value, more) in figures(r) {
        p.add(&format!(
            "<li><b>{}</b> <span>{}</span> <small>{}</small></li>\n",
            esc(&value),
            esc(name),
            esc(&more)
        ));
    }
    p.add("</ul>\n</header>\n");
}

fn verdict(r: &Record) -> (&'static str, &'static str, String) {
    if let Some(step) = r.unreached() {
        return (
            "bad",
            "✗",
            format!("The sketch of step `{}` was not reached", step.name),
        );
    }
    if let Some(m) = r.failure.first() {
        return ("bad", "✗", format!("Found, but {}", m.message));
    }
    let what = match (r.steps.len(), r.steps.iter().all(|s| s.search.is_none())) {
        (0, _) => "Compiled as it stands, without a sketch".to_string(),
        (_, true) => "Made from a plan, without a search".to_string(),
        (1, _) => "The sketch was reached".to_string(),
        (n, _) => format!("All {n} sketches were reached"),
    };
    let run = match (&r.run, &r.kernel) {
        (Some(_), _) => "; the kernel agrees with the program wherever it was compared",
        (None, Some(_)) => "; the kernel was not run",
        (None, None) => "; no kernel was made",
    };
    let class = if r.run.is_some() { "good" } else { "fair" };
    (class, "✓", what + run)
}

fn figures(r: &Record) -> Vec<(&'static str, String, String)> {
    let mut out = Vec::new();
    let traces = || {
        r.steps
            .iter()
            .filter_map(|s| s.search.as_ref())
            .map(|s| &s.trace)
    };
    let reached = r.steps.iter().filter(|s| s.found.is_some()).count();
    if r.planned > 0 {
        let iterations: usize = traces().map(|t| t.iterations.len()).sum();
        out.push((
            "steps reached",
            format!("{reached} / {}", r.planned),
            format!("{} iterations", count(iterations as u64)),
        ));
    }
    if traces().next().is_some() {
        let time: f64 = traces().map(|t| t.seconds).sum();
        let applied = sum(traces().map(|t| t.applied()));
        out.push((
            "search",
            seconds(time),
            format!("{} rules applied", count(applied)),
        ));
        let largest = traces().max_by_key(|t| t.size().nodes);
        if let Some(t) = largest {
            out.push((
                "e-nodes at most",
                count(t.size().nodes),
                format!("in step {}", t.name),
            ));
        }
    }
    if r.peak_bytes > 0 {
        out.push((
            "memory at most",
            bytes(r.peak_bytes),
            "of the process".into(),
        ));
    }
    if let Some(run) = &r.run {
        let gflops = format!("{} GFLOP/s", digits(run.gflops(&run.kernel)));
        out.push((
            "best time of the kernel",
            seconds(run.kernel.best()),
            gflops,
        ));
        let factor = run.unoptimised.best() / run.kernel.best();
        out.push((
            "faster",
            format!("{} ×", digits(factor)),
            format!(
                "than the unoptimised program in C: {}",
                match run.unoptimised.seconds.len() {
                    1 => "one sample".to_string(),
                    n => format!("best of {n} samples"),
                }
            ),
        ));
    }
    out
}
