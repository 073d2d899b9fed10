//! What was shown of each statement of the loop program.
//!
//! In: the verdict of a record, with its kernel. Out: HTML: the verdict, and each statement of which anything is owed,
//! beside its line of the loop program and its line of C. Absent: how it is decided (`validate`).

use super::code::{said, LINES};
use super::text::{code, count, esc, prose, Page};
use crate::report::record::{Kernel, Listing, Record};
use crate::report::reordered::{Reordered, RestsOn};
use crate::report::validation::{Agreement, Kind, Met, Open, ValidationFile};
use crate::validate::Obligation;

const ROWS: usize = 400;
/// Characters of a line.
const WIDTH: usize = 60;

pub fn write(r: &Record, p: &mut Page) {
    let Some(found) = &r.validation else {
        return;
    };
    p.facts(&facts(found));
    order(found, p);
    let Some(kernel) = &r.kernel else { return };
    let rows = rows(found, kernel);
    let heads = [
        ("Loop program", ""),
        ("Shown", ""),
        ("Open", ""),
        ("C", ""),
        ("What it does", ""),
    ];
    let shown: Vec<Vec<String>> = rows.iter().take(ROWS).cloned().collect();
    p.table("Statements", &heads, &shown);
    p.cut(shown.len(), rows.len(), "statements");
    p.add("<h3>What the words mean</h3>\n");
    p.facts(&Obligation::ALL.map(|o| (o.name(), esc(meaning(o)))));
}

fn meaning(o: Obligation) -> &'static str {
    match o {
        Obligation::Interface => "The function has the parameters of the program.",
        Obligation::Sizes => "It refuses sizes at which the program has no meaning.",
        Obligation::Understood => "Nothing in it was passed over.",
        Obligation::Bounds => "An access stays inside of its array.",
        Obligation::Written => "What is read was written before.",
        Obligation::Memory => "An array has memory of its own where it is used.",
        Obligation::Disjoint => "Iterations that run in any order touch nothing of each other.",
        Obligation::Value => "What is stored is the element of the program, to the bit.",
        Obligation::Covered => "Each element of a result is stored.",
    }
}

/// Which reductions are combined in another order, and why that may be.
fn order(found: &ValidationFile, p: &mut Page) {
    let all = found.reordered.iter().flatten();
    let row = |r: &Reordered, l: &RestsOn| {
        let rules: Vec<String> = r.rules.iter().map(|n| code(n)).collect();
        vec![
            code(&r.step),
            esc(&r.reduction),
            rules.join(", "),
            format!("{} of {}", code(&l.law), esc(&l.ty)),
            prose(l.numbers.sentence()),
            prose(&l.certificate),
        ]
    };
    let rows: Vec<Vec<String>> = (all.clone())
        .flat_map(|r| r.laws.iter().map(move |l| (r, l)))
        .map(|(r, l)| row(r, l))
        .collect();
    if rows.is_empty() {
        return;
    }
    let heads = ["Step", "Reduction", "By", "Law", "Of", "Shown"].map(|h| (h, ""));
    let shown = rows.len().min(ROWS);
    p.table("Combined in another order", &heads, &rows[..shown]);
    p.cut(shown, rows.len(), "laws");
}

fn facts(found: &ValidationFile) -> Vec<(&'static str, String)> {
    let met = found.shown();
    let verdict = match (found.verdict, &found.difference) {
        (Kind::Validated, _) => "the loop program computes its term".to_string(),
        (Kind::Refuted, Some(d)) => {
            format!(
                "the loop program is wrong: where {}, {}",
                esc(&d.sizes),
                prose(&d.what)
            )
        }
        _ => "unknown: not everything was shown, and nothing was seen to be wrong".to_string(),
    };
    let mut all = vec![
        ("Verdict", verdict),
        (
            "Obligations",
            format!(
                "{} shown, {} open",
                count(met as u64),
                count(found.open.len() as u64)
            ),
        ),
        (
            "Questions about indices",
            format!("{}, without a solver", count(found.questions)),
        ),
    ];
    let order = match &found.reordered {
        None => "no proof says which reductions are combined in another order".to_string(),
        Some(all) if all.is_empty() => {
            "reductions are combined as the program has them".to_string()
        }
        Some(all) => format!("{} are combined in another order", count(all.len() as u64)),
    };
    all.push(("Reductions", order));
    if let Some(text) = &found.text {
        let says = match (text.verdict, text.sentence()) {
            (Agreement::Same, _) | (_, None) => "says what the loop program says".to_string(),
            (_, Some(why)) => prose(&why),
        };
        all.push(("The C text", says));
    }
    all
}

/// One for each statement of which anything is owed, in their order; the function comes first.
fn rows(found: &ValidationFile, k: &Kernel) -> Vec<Vec<String>> {
    let mut of: Vec<Option<u32>> = (found.statements.iter().map(|s| s.statement))
        .chain(found.open.iter().map(|o| o.statement))
        .collect();
    of.sort_unstable();
    of.dedup();
    let row = |s: &Option<u32>| {
        let met = found.statements.iter().find(|m| m.statement == *s);
        let met = met.map_or(&[][..], |m| &m.met);
        let open: Vec<&Open> = found.open.iter().filter(|o| o.statement == *s).collect();
        let (nest, c, does) = match s {
            None => (
                "the whole function".to_string(),
                String::new(),
                String::new(),
            ),
            Some(s) => (
                line(&k.nest, "nest", *s),
                line(&k.c, "c", *s),
                said(k, *s).unwrap_or_default(),
            ),
        };
        vec![nest, shown(met), why(&open), c, esc(&does)]
    };
    of.iter().map(row).collect()
}

/// The first line of a text that says a statement.
fn line(l: &Listing, id: &str, statement: u32) -> String {
    let of = l.marks.iter().filter(|m| m.statement == statement);
    let Some(first) = of.map(|m| m.first).min() else {
        return String::new();
    };
    let text = l
        .text
        .lines()
        .nth(first as usize)
        .unwrap_or_default()
        .trim();
    // What it computes has a column of its own.
    let text = text.split(" -- ").next().unwrap_or_default();
    let mut cut: String = text.chars().take(WIDTH).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    let n = first.saturating_add(1);
    if first as usize >= LINES {
        return format!("{n} {}", code(&cut));
    }
    format!(
        "<a class=\"line\" href=\"#{id}-{n}\">{n}</a> {}",
        code(&cut)
    )
}

fn shown(met: &[Met]) -> String {
    let each = |m: &Met| match m.count {
        1 => esc(&m.obligation),
        n => format!("{} ×{}", esc(&m.obligation), count(n as u64)),
    };
    met.iter().map(each).collect::<Vec<_>>().join(", ")
}

fn why(open: &[&Open]) -> String {
    let each = |o: &&Open| {
        format!(
            "{} of {}: {}",
            esc(&o.obligation),
            code(&o.place),
            prose(&o.why)
        )
    };
    open.iter().map(each).collect::<Vec<_>>().join("<br>")
}
