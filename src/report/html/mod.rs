//! A record as a page, to be opened in a browser.
//!
//! In: a record. Out: HTML that needs nothing else: no network, no other file, no script to be read. Panes that
//! follow each other on one long page; with scripts, tabs. Invariants: the same record gives the same bytes; all
//! text of the record is escaped; what is too long for a page is cut, and the page says how much of how much it
//! shows. Absent: whatever the record does not say; files.

mod candidates;
mod checks;
mod code;
mod command;
pub mod diff;
mod growth;
mod head;
pub mod highlight;
mod obligations;
mod rules;
mod sizes;
mod steps;
mod terms;
pub mod text;
mod why;

use super::record::Record;
use text::{esc, Page};

/// A part of the page.
struct Pane {
    /// Of the element, and of the address.
    id: &'static str,
    title: &'static str,
    /// One sentence on what it shows.
    lead: &'static str,
    write: fn(&Record, &mut Page),
}

const PANES: [Pane; 11] = [
    Pane {
        id: "steps",
        title: "Steps",
        lead: "Each step has a sketch, and ends when a term satisfies it.",
        write: steps::write,
    },
    Pane {
        id: "schedules",
        title: "Schedules",
        lead: "What was tried without a sketch, what the estimate says of it, and why it was not taken.",
        write: candidates::write,
    },
    Pane {
        id: "growth",
        title: "Growth",
        lead: "How large the e-graph was after each iteration. Every step begins with a new graph.",
        write: growth::write,
    },
    Pane {
        id: "rules",
        title: "Rules",
        lead: "Which rules made the graphs grow, and which were tried in vain.",
        write: rules::write,
    },
    Pane {
        id: "terms",
        title: "Terms",
        lead: "The program after each step. What the step changed is marked.",
        write: terms::write,
    },
    Pane {
        id: "code",
        title: "Loops & C",
        lead: "The loop program, the C made of it, and the term both compute. Point at a line, or select it, to see \
               what belongs together.",
        write: code::write,
    },
    Pane {
        id: "obligations",
        title: "Obligations",
        lead: "What was shown of each statement of the loop program, for all sizes that the kernel accepts.",
        write: obligations::write,
    },
    Pane {
        id: "sizes",
        title: "Sizes",
        lead: "What the kernel takes, gives, allocates, and expects of its sizes.",
        write: sizes::write,
    },
    Pane {
        id: "checks",
        title: "Checks",
        lead: "What was checked, what is trusted, and what nobody looked at.",
        write: checks::write,
    },
    Pane {
        id: "why",
        title: "Why equal",
        lead: "The rules that lead from the program to the result, one after the other.",
        write: why::write,
    },
    Pane {
        id: "command",
        title: "Command",
        lead: "How to get this result again.",
        write: command::write,
    },
];

/// The page.
pub fn page(r: &Record) -> String {
    let mut p = Page::default();
    let verdict = if r.succeeded() { "found" } else { "not found" };
    p.add("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    p.add("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    p.add("<meta name=\"color-scheme\" content=\"light dark\">\n");
    p.add("<link rel=\"icon\" href=\"data:,\">\n");
    p.add(&format!(
        "<title>{} · {verdict} · rise-opt report</title>\n<style>\n{}</style>\n</head>\n<body>\n",
        esc(&r.program.name),
        include_str!("page.css")
    ));
    let panes = || {
        PANES.iter().filter(|pane| match pane.id {
            "why" => r.why.is_some(),
            "schedules" => r.candidates.is_some(),
            "obligations" => r.validation.is_some(),
            _ => true,
        })
    };
    head::write(r, &mut p);
    p.add("<nav id=\"tabs\" aria-label=\"Parts of the report\">\n");
    for pane in panes() {
        let (id, title) = (pane.id, esc(pane.title));
        p.add(&format!("<a href=\"#{id}\" id=\"tab-{id}\">{title}</a>\n"));
    }
    p.add("</nav>\n<main>\n");
    for pane in panes() {
        let (id, title, lead) = (pane.id, esc(pane.title), esc(pane.lead));
        p.add(&format!(
            "<section class=\"pane\" id=\"{id}\" aria-labelledby=\"h-{id}\">\n<header><h2 id=\"h-{id}\">{title}</h2>\n\
             <p class=\"lead\">{lead}</p></header>\n"
        ));
        (pane.write)(r, &mut p);
        p.add("</section>\n");
    }
    p.add("</main>\n<footer>");
    p.add(&format!(
        "Made by rise-opt {} from a saved record alone. This page loads nothing.",
        esc(&r.rise_opt)
    ));
    p.add("</footer>\n<script>\n");
    p.add(include_str!("page.js"));
    p.add("</script>\n</body>\n</html>\n");
    p.text
}
