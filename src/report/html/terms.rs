//! The term after each step, with what the step changed.
//!
//! In: a record. Out: HTML: one article for each state of the program, the first without marks. With scripts a
//! switch shows one at a time. Absent: sub-terms of statements (`code`).

use super::diff::changes;
use super::highlight::{html, span, Class, Language};
use super::text::{count, esc, first_lines, Page};
use crate::report::record::Record;

const TERMS: usize = 40;
const LINES: usize = 400;

pub fn write(r: &Record, p: &mut Page) {
    let mut all = vec![("program", Some(r.program.term.as_str()))];
    let steps = r.steps.iter();
    all.extend(steps.map(|s| (s.name.as_str(), s.found.as_deref())));
    p.add("<div class=\"switch\" id=\"terms-switch\">\n");
    for (i, (name, text)) in all.iter().take(TERMS).enumerate() {
        let before = i.checked_sub(1).and_then(|b| all[b].1);
        p.add(&format!(
            "<article class=\"view\" id=\"term-{i}\" data-name=\"{}\">\n",
            esc(name)
        ));
        match (i, text) {
            (0, Some(text)) => {
                p.add("<h3>The program, in normal form</h3>\n");
                p.note("Functions applied and definitions put in, as the search begins with it.");
                plain(text, p);
            }
            (_, Some(text)) => {
                p.add(&format!("<h3>After {}</h3>\n", esc(name)));
                changed(before.unwrap_or_default(), text, p);
            }
            (_, None) => {
                p.add(&format!("<h3>After {}</h3>\n", esc(name)));
                p.note("The sketch was not reached: there is no term.");
            }
        }
        p.add("</article>\n");
    }
    p.add("</div>\n");
    p.cut(TERMS.min(all.len()), all.len(), "terms");
}

fn plain(text: &str, p: &mut Page) {
    let (shown, all) = first_lines(text, LINES);
    p.add(&format!(
        "<pre class=\"box\" tabindex=\"0\"><code>{}</code></pre>\n",
        html(shown, Language::Rise)
    ));
    p.cut(shown.lines().count(), all, "lines");
}

fn changed(old: &str, new: &str, p: &mut Page) {
    let Some(after) = changes(old, new, Language::Rise) else {
        p.note("Both terms are too long to be compared word by word.");
        plain(new, p);
        return;
    };
    let words = after.iter().filter(|w| w.0 != Class::Blank).count();
    let fresh = after.iter().filter(|w| w.2).count();
    p.note(&match fresh {
        0 => "It only took words away.".to_string(),
        n => format!(
            "{} of {} words are new.",
            count(n as u64),
            count(words as u64)
        ),
    });
    marked(&after, new, "ins", p);
    if let Some(before) = changes(new, old, Language::Rise) {
        if before.iter().any(|w| w.2) {
            p.add("<details><summary>Before, with what went away</summary>\n");
            marked(&before, old, "del", p);
            p.add("</details>\n");
        }
    }
}

/// The text with words in `tag`; neighbours share one.
fn marked(words: &[(Class, &str, bool)], text: &str, tag: &str, p: &mut Page) {
    let (shown, all) = first_lines(text, LINES);
    let end = shown.len();
    let mut at = 0;
    let mut open = false;
    p.add("<pre class=\"box\" tabindex=\"0\"><code>");
    for (class, word, fresh) in words {
        if at >= end {
            break;
        }
        // A line break ends a mark: what is marked are words, not margins.
        let blank = *class == Class::Blank;
        if open && (!fresh && !blank || blank && word.contains('\n')) {
            p.add(&format!("</{tag}>"));
            open = false;
        }
        if *fresh && !open {
            p.add(&format!("<{tag}>"));
            open = true;
        }
        let left = end - at;
        p.add(&span(
            *class,
            word.get(..left.min(word.len())).unwrap_or(word),
        ));
        at += word.len();
    }
    if open {
        p.add(&format!("</{tag}>"));
    }
    p.add("</code></pre>\n");
    p.cut(shown.lines().count(), all, "lines");
}
