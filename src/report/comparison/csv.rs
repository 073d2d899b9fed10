//! A comparison as CSV: a row for the start of each step and one for each iteration.
//!
//! In: the comparison. Out: text with one line of names. What ended a step stands in the row of its
//! last iteration. Names are quoted where they need it.

use super::{stop_word, Comparison};
use std::fmt::Write as _;

const COLUMNS: &str =
    "book,goal,mode,step,step_name,iteration,e_nodes,e_classes,applied,seconds,bytes,stop\n";

pub fn csv(c: &Comparison) -> String {
    let mut out = COLUMNS.to_string();
    for goal in &c.goals {
        for (mode, run) in goal.runs() {
            for (s, step) in run.steps.iter().enumerate() {
                for (i, p) in step.points.iter().enumerate() {
                    let last = i + 1 == step.points.len();
                    let _ = writeln!(
                        out,
                        "{},{},{mode},{},{},{i},{},{},{},{:.6},{},{}",
                        field(&goal.book),
                        field(&goal.name),
                        s + 1,
                        field(&step.name),
                        p.nodes,
                        p.classes,
                        p.applied,
                        p.seconds,
                        p.bytes,
                        if last { stop_word(step.stop) } else { "" },
                    );
                }
            }
        }
    }
    out
}

fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}
