//! Why the result equals the program, if the record has that.
//!
//! In: a record. Out: HTML: the chain of terms, each with the rule that leads to it. Absent: replaying it.

use super::diff::changes;
use super::highlight::{html, span, Language};
use super::text::{code, esc, first_lines, Page};
use crate::report::record::Record;

const LINKS: usize = 200;
const LINES: usize = 60;

pub fn write(r: &Record, p: &mut Page) {
    let Some(why) = &r.why else { return };
    let mut before = r.program.term.as_str();
    let mut left = LINKS;
    for step in &why.steps {
        p.add(&format!(
            "<h3>{}</h3>\n<ol class=\"chain\">\n",
            esc(&step.name)
        ));
        let shown = left.min(step.links.len());
        for link in step.links.iter().take(shown) {
            let times = match link.times {
                1 => String::new(),
                n => format!(" <small>{n} times</small>"),
            };
            let back = if link.backward {
                " <small>from right to left</small>"
            } else {
                ""
            };
            p.add(&format!(
                "<li><details><summary>{}{times}{back}</summary>\n",
                code(&link.rule)
            ));
            let (text, all) = first_lines(&link.term, LINES);
            let body = match changes(before, text, Language::Rise) {
                Some(words) => words
                    .into_iter()
                    .map(|(class, word, fresh)| {
                        if fresh {
                            format!("<ins>{}</ins>", span(class, word))
                        } else {
                            span(class, word)
                        }
                    })
                    .collect(),
                None => html(text, Language::Rise),
            };
            p.add(&format!(
                "<pre class=\"box\" tabindex=\"0\"><code>{body}</code></pre>\n"
            ));
            p.cut(text.lines().count(), all, "lines");
            p.add("</details></li>\n");
            before = &link.term;
        }
        p.add("</ol>\n");
        p.cut(shown, step.links.len(), "links of this step");
        left -= shown;
    }
}
