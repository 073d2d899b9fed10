//! The schedules that were tried without a sketch.
//!
//! In: a record. Out: HTML: each with its estimate, what was measured of it, and why it was not taken; classes of sizes; how far the
//! machine's limit is. Absent: which one is good (`driver`), the table of the summary.

use super::text::{code, esc, Page};
use crate::report::candidates::Candidates;
use crate::report::record::Record;

const ROWS: usize = 80;

pub fn write(r: &Record, p: &mut Page) {
    let Some(all) = &r.candidates else {
        return;
    };
    let sizes: Vec<String> = (all.sizes.iter())
        .map(|(s, n)| code(&format!("{s} = {n}")))
        .collect();
    let mut facts = Vec::new();
    if !sizes.is_empty() {
        facts.push(("Estimated at", sizes.join(", ")));
    }
    if let Some(limit) = &all.limit {
        facts.push(("Of the machine's limit", esc(&limit.sentence())));
    }
    for sentence in &all.in_order {
        facts.push(("In order", esc(sentence)));
    }
    if !facts.is_empty() {
        p.facts(&facts);
    }
    table(all, p);
    classes(all, p);
}

fn table(all: &Candidates, p: &mut Page) {
    let heads = [
        ("Schedule", ""),
        ("Estimated cycles", "n"),
        ("Estimated speed", "n"),
        ("Measured speed", "n"),
        ("", ""),
    ];
    let plain = match all.chosen().iter().all(Option::is_none) {
        true => "taken: nothing is estimated to be faster",
        false => "",
    };
    let mut rows = vec![vec![
        "the program as it stands".to_string(),
        cycles(all.plain),
        times(all.plain.map(|_| 1.0)),
        String::new(),
        plain.to_string(),
    ]];
    for (i, one) in all.all.iter().enumerate().take(ROWS) {
        let speed = one.cycles.and_then(|c| Some(all.plain? / c));
        rows.push(vec![
            esc(&one.what),
            cycles(one.cycles),
            times(speed),
            times(one.faster),
            esc(&all.verdict(i)),
        ]);
    }
    p.table("Schedules", &heads, &rows);
    p.cut(ROWS.min(all.all.len()), all.all.len(), "schedules");
}

fn classes(all: &Candidates, p: &mut Page) {
    if all.classes.is_empty() {
        return;
    }
    p.add("<h3>By size</h3>\n");
    let heads = [
        ("Class", ""),
        ("Takes", ""),
        ("Estimated cycles", "n"),
        ("As it stands", "n"),
    ];
    let row = |class: &crate::report::candidates::SizeClass| {
        let taken = class.taken.and_then(|i| all.all.get(i));
        let what = taken.map_or("the program as it stands", |t| &t.what);
        vec![
            esc(&class.what),
            esc(what),
            cycles(class.cycles.or(class.plain)),
            cycles(class.plain),
        ]
    };
    let rows: Vec<_> = all.classes.iter().take(ROWS).map(row).collect();
    p.table("Classes of sizes", &heads, &rows);
    p.cut(rows.len(), all.classes.len(), "classes");
    if let Some(why) = all.classes.iter().find_map(|c| c.lost.as_ref()) {
        p.note(&format!("Sizes choose nothing: {why}."));
    }
}

fn cycles(n: Option<f64>) -> String {
    n.map_or(String::new(), |n| format!("{n:.0}"))
}

fn times(n: Option<f64>) -> String {
    n.map_or(String::new(), |n| format!("×{n:.2}"))
}
