//! The loop program beside the C, and the term of both.
//!
//! In: the kernel of a record. Out: HTML in which every line has the number of its statement (`data-s`), every
//! statement of the loop program its last inner number (`data-e`) and what it computes (`data-w`), and every
//! located sub-term the numbers of what is computed of it (`data-w`). The script joins them. Absent: the joining.

use super::highlight::{lines, pieces, span, Language};
use super::text::{esc, first_lines, Page};
use crate::report::record::{Kernel, Listing, Record};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Of a text that are shown.
pub const LINES: usize = 1500;

pub fn write(r: &Record, p: &mut Page) {
    let Some(k) = &r.kernel else {
        p.note(if r.failure.is_empty() {
            "The last term is no kernel yet, and none was asked for."
        } else {
            "There is no kernel, because the job ended before."
        });
        return;
    };
    p.add("<div class=\"linked\" id=\"linked\">\n");
    p.add("<figure class=\"nest\"><figcaption>Loop program</figcaption>\n");
    listing(k, &k.nest, "nest", Language::Rise, p);
    p.add("</figure>\n<figure class=\"c\"><figcaption>C</figcaption>\n");
    listing(k, &k.c, "c", Language::C, p);
    p.add("</figure>\n<figure class=\"term\"><figcaption>Term <span id=\"computes\" aria-live=\"polite\"></span></figcaption>\n");
    term(k, p);
    p.add("</figure>\n</div>\n");
}

/// For each line the innermost statement that it says.
fn owners(l: &Listing, lines: usize) -> Vec<Option<u32>> {
    let mut out = vec![None; lines];
    let mut marks = l.marks.clone();
    // Inner statements have larger numbers than what they stand in.
    marks.sort_by_key(|m| m.statement);
    for m in &marks {
        let from = (m.first as usize).min(lines);
        let to = (m.last as usize + 1).clamp(from, lines);
        out[from..to].fill(Some(m.statement));
    }
    out
}

fn listing(k: &Kernel, l: &Listing, id: &str, language: Language, p: &mut Page) {
    let (shown, all) = first_lines(&l.text, LINES);
    let texts = lines(shown, language);
    let owners = owners(l, texts.len());
    let _ = write!(
        p.text,
        "<div class=\"listing box\" id=\"listing-{id}\" tabindex=\"0\">"
    );
    for (i, (text, owner)) in texts.iter().zip(owners).enumerate() {
        let _ = write!(p.text, "<div class=\"ln\" id=\"{id}-{}\"", i + 1);
        if let Some((s, statement)) = owner.and_then(|s| Some((s, k.statements.get(s as usize)?))) {
            let _ = write!(p.text, " data-s=\"{s}\" data-e=\"{}\"", statement.last);
            if let Some(what) = statement.computes {
                let _ = write!(p.text, " data-w=\"{what}\"");
            }
            if let Some(said) = said(k, s) {
                let _ = write!(p.text, " data-t=\"{}\"", esc(&said));
            }
        }
        let _ = writeln!(p.text, "><code>{text}</code></div>");
    }
    p.add("</div>\n");
    p.cut(texts.len(), all, "lines");
}

/// What a store stores.
pub fn said(k: &Kernel, statement: u32) -> Option<String> {
    let s = k.statements.get(statement as usize)?;
    let computed = k.computed.get(s.computes? as usize)?;
    let element = s.element.as_deref().unwrap_or("0");
    let of = if computed.at.is_empty() {
        "a sub-term that lowering made"
    } else {
        "the marked sub-term"
    };
    Some(match computed.role.as_str() {
        "result" => format!("stores element {element} of the result"),
        "kept" => format!("keeps element {element} of {of} in memory"),
        "start" => format!("starts the accumulator, at element {element}, of {of}"),
        "step" => format!("accumulates element {element} of {of}"),
        _ => format!("copies element {element} of {of} out of its accumulator"),
    })
}

/// The term, with a span around every sub-term that some statement computes.
fn term(k: &Kernel, p: &mut Page) {
    let mut ranges: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
    for (i, c) in k.computed.iter().enumerate() {
        for at in &c.at {
            ranges.entry(*at).or_default().push(i);
        }
    }
    let (shown, all) = first_lines(&k.term, LINES);
    // Outer ones begin first and end last; those that would cross are of no term, and are left out.
    let mut opens: Vec<((u32, u32), Vec<usize>)> = ranges
        .into_iter()
        .filter(|(at, _)| at.0 < at.1 && at.1 as usize <= shown.len())
        .collect();
    opens.sort_by_key(|(at, _)| (at.0, std::cmp::Reverse(at.1)));
    let mut opens = opens.into_iter().peekable();
    let mut ends: Vec<u32> = Vec::new();
    let mut at = 0;
    p.add("<pre class=\"box\" id=\"listing-term\" tabindex=\"0\"><code>");
    for (class, text) in pieces(shown, Language::Rise) {
        while ends.last().is_some_and(|end| *end <= at) {
            ends.pop();
            p.add("</span>");
        }
        while let Some(((_, end), what)) = opens.next_if(|(range, _)| range.0 <= at) {
            if end <= at || ends.last().is_some_and(|outer| end > *outer) {
                continue;
            }
            let what: Vec<String> = what.iter().map(|w| w.to_string()).collect();
            p.add(&format!(
                "<span class=\"sub\" data-w=\"{}\">",
                what.join(" ")
            ));
            ends.push(end);
        }
        p.add(&span(class, text));
        at += text.len() as u32;
    }
    p.add(&"</span>".repeat(ends.len()));
    p.add("</code></pre>\n");
    p.cut(shown.lines().count(), all, "lines");
}
