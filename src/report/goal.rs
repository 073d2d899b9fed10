//! A goal that was not reached, as a diagnostic.
//!
//! In: the diagnosis of the search. Out: why it ended, which parts of the sketch were there, which
//! rules made the graph grow, and the one step that is worth trying next.

use super::number::count;
use crate::diag::{code, Diagnostic};
use crate::search::{Diagnosis, Stop};

/// Rules that are named.
const RULES: usize = 5;

pub fn not_reached(d: &Diagnosis) -> Diagnostic {
    let what = format!("the sketch of step `{}` was not reached", d.step);
    let mut out = Diagnostic::new(code::GOAL_NOT_REACHED, what).label(d.span, stopped(d));
    out = out.note(format!(
        "after {} iterations: {} e-nodes in {} classes",
        d.iterations,
        count(d.size.nodes),
        count(d.size.classes)
    ));
    if !d.parts.is_empty() {
        let width = d.parts.iter().map(|p| count(p.classes).len()).max();
        let lines: Vec<String> = (d.parts.iter())
            .map(|p| {
                let n = count(p.classes);
                let (width, indent) = (width.unwrap_or(0), " ".repeat(p.depth));
                format!("  {n:>width$}  {indent}{}", p.label)
            })
            .collect();
        out = out.note(format!(
            "classes that satisfy each part of it:\n{}",
            lines.join("\n")
        ));
    }
    let grown: Vec<String> = (d.growth.iter().take(RULES))
        .filter(|(_, nodes)| *nodes > 0)
        .map(|(rule, nodes)| format!("{rule} {}", count(*nodes)))
        .collect();
    if !grown.is_empty() {
        out = out.note(format!("e-nodes added by rules: {}", grown.join(", ")));
    }
    out.help(advice(d))
}

fn stopped(d: &Diagnosis) -> String {
    match d.stop {
        Stop::Found => "the search ended".to_string(),
        Stop::Saturated => "no rule changes anything any more".to_string(),
        Stop::Iterations(n) => format!("the limit of {n} iterations ended the search"),
        Stop::Nodes(n) => format!("the limit of {} e-nodes ended the search", count(n)),
        Stop::Seconds(n) => format!("the limit of {n} s ended the search"),
        Stop::Bytes(n) => format!("the limit of {} ended the search", super::number::bytes(n)),
        Stop::Size(n) => format!("the program is larger than the limit of {n} nodes for a term"),
    }
}

fn advice(d: &Diagnosis) -> String {
    let missing = d.parts.iter().rev().find(|p| p.classes == 0);
    let part = match missing {
        Some(p) => format!("`{}`", p.label),
        None => "its parts".to_string(),
    };
    match d.stop {
        Stop::Saturated => format!(
            "no term like {part} can be made by these rules: add a rule to the step, or change the sketch"
        ),
        Stop::Iterations(_) => {
            "allow more iterations (`--iter-limit`), or put a step in between that leads there".into()
        }
        Stop::Size(_) => {
            "raise `limits size`, or leave it out: it then grows with the program".into()
        }
        _ => format!(
            "put a step in between that leads to {part}, take out rules that the step does not need, or allow more"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{trace::Size, PartCount};

    #[test]
    fn says_what_is_missing_and_what_to_try() {
        let part = |label: &str, depth, classes| PartCount {
            label: label.to_string(),
            depth,
            classes,
        };
        let d = not_reached(&Diagnosis {
            step: "split".into(),
            span: Default::default(),
            stop: Stop::Saturated,
            iterations: 7,
            size: Size {
                nodes: 9477,
                classes: 7056,
            },
            parts: vec![part("containsMap 3 …", 0, 0), part("containsAddMul", 1, 12)],
            growth: vec![("split-join".into(), 5000), ("map-fusion".into(), 0)],
        });
        assert_eq!(d.code.exit as i32, 3);
        let notes = d.notes.join("\n");
        for text in [
            "9 477 e-nodes",
            " 0  containsMap",
            "12   containsAddMul",
            "split-join 5 000",
        ] {
            assert!(notes.contains(text), "{notes}");
        }
        assert!(d.help.unwrap().contains("containsMap 3"));
    }
}
