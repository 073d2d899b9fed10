//! The steps: their sketches, how far each came, and why the job ended if it ended early.
//!
//! In: a record. Out: HTML. Absent: growth (`growth`), terms (`terms`).

use super::highlight::{html, Language};
use super::text::{code, count, esc, prose, Page};
use crate::report::record::{Message, Part, Record, Step};
use crate::report::seconds;
use crate::search::Stop;

const STEPS: usize = 60;
const PARTS: usize = 60;

pub fn write(r: &Record, p: &mut Page) {
    for m in &r.failure {
        failure(m, p);
    }
    if r.steps.is_empty() {
        p.note("No step was asked for: the program was compiled as it stands.");
        return;
    }
    p.add("<ol class=\"steps\">\n");
    for s in r.steps.iter().take(STEPS) {
        step(s, p);
    }
    p.add("</ol>\n");
    p.cut(STEPS.min(r.steps.len()), r.steps.len(), "steps");
    let left = r.planned.saturating_sub(r.steps.len());
    if left > 0 {
        p.note(&match left {
            1 => "One more step was planned and not begun.".to_string(),
            n => format!("{n} more steps were planned and not begun."),
        });
    }
}

/// Why a step ended.
pub fn stopped(stop: Stop) -> String {
    match stop {
        Stop::Found => "found".to_string(),
        Stop::Saturated => "saturated: no rule changes anything any more".to_string(),
        Stop::Iterations(n) => format!("stopped by the limit of {} iterations", count(n)),
        Stop::Nodes(n) => format!("stopped by the limit of {} e-nodes", count(n)),
        Stop::Work(n) => format!("stopped by the limit of {} places and nodes", count(n)),
        Stop::Seconds(n) => format!("stopped by the limit of {n} s"),
        Stop::Bytes(n) => format!("stopped by the limit of {}", crate::report::bytes(n)),
        Stop::Interrupted => "interrupted".to_string(),
        Stop::Size(n) => format!("not begun: the program is larger than the limit of {n} nodes"),
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}

fn failure(m: &Message, p: &mut Page) {
    p.add("<article class=\"failure\">\n");
    p.add(&format!(
        "<h3>{} <small>{}</small></h3>\n",
        prose(&capital(&m.message)),
        code(&m.code)
    ));
    if !m.place.is_empty() {
        let label = if m.label.is_empty() {
            String::new()
        } else {
            format!(": {}", prose(&m.label))
        };
        p.add(&format!("<p>{}{label}</p>\n", code(&m.place)));
    }
    for note in &m.notes {
        said(note, "", p);
    }
    if let Some(help) = &m.help {
        p.add("<div class=\"help\">");
        said(help, "<b>Try this:</b> ", p);
        p.add("</div>\n");
    }
    p.add("</article>\n");
}

/// A sentence, and what stands below it as it is.
fn said(text: &str, before: &str, p: &mut Page) {
    let (sentence, rest) = text.split_once('\n').unwrap_or((text, ""));
    let sentence = if before.is_empty() {
        prose(&capital(sentence))
    } else {
        prose(sentence)
    };
    p.add(&format!("<p>{before}{sentence}</p>\n"));
    if !rest.trim().is_empty() {
        p.add(&format!("<pre tabindex=\"0\">{}</pre>\n", esc(rest)));
    }
}

fn step(s: &Step, p: &mut Page) {
    let (class, mark, word) = match s.found {
        Some(_) => ("good", "✓", "reached"),
        None => ("bad", "✗", "not reached"),
    };
    p.add(&format!(
        "<li class=\"{class}\"><h3><span class=\"mark\" aria-hidden=\"true\">{mark}</span> {} <small>{word}</small></h3>\n",
        esc(&s.name)
    ));
    let Some(search) = &s.search else {
        p.note("From a plan: it was not searched for.");
        p.add("</li>\n");
        return;
    };
    let t = &search.trace;
    let n = t.iterations.len();
    p.add(&format!(
        "<p>{} after {} iteration{} and {}, with {} e-nodes in {} classes. <span class=\"file\">{}:{}</span></p>\n",
        esc(&capital(&stopped(t.stop))),
        count(n as u64),
        if n == 1 { "" } else { "s" },
        esc(&seconds(t.seconds)),
        count(t.size().nodes),
        count(t.size().classes),
        esc(&search.file),
        search.line
    ));
    p.add("<div class=\"pair\">\n<figure><figcaption>Sketch</figcaption>");
    p.add(&format!(
        "<pre class=\"box\" tabindex=\"0\"><code>{}</code></pre></figure>\n",
        html(&search.sketch, Language::Rise)
    ));
    parts(&search.parts, p);
    p.add("</div>\n</li>\n");
}

fn parts(parts: &[Part], p: &mut Page) {
    if parts.is_empty() {
        return;
    }
    p.add("<figure><figcaption>Its parts, and how many classes satisfy each</figcaption>\n<ul class=\"parts box\" tabindex=\"0\">\n");
    for part in parts.iter().take(PARTS) {
        let (class, mark, word) = match part.classes {
            0 => ("bad", "✗", "satisfied by no class"),
            _ => ("good", "✓", "satisfied"),
        };
        p.add(&format!(
            "<li class=\"{class}\" style=\"--depth:{}\"><span role=\"img\" aria-label=\"{word}\">{mark}</span> \
             <code>{}</code> <b>{}</b></li>\n",
            part.depth.min(20),
            esc(&part.label),
            count(part.classes)
        ));
    }
    p.add("</ul>");
    p.cut(PARTS.min(parts.len()), parts.len(), "parts");
    p.add("</figure>\n");
}
