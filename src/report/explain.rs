//! Why the result equals the program, for people.
//!
//! In: a proof and its program. Out: the chain of each step as plain data: rules, folded counts, and the sub-term that
//! changes as text, before and after; and that data as a page of text. Names are those of the whole program's text,
//! so that a sub-term reads as it does in its place. Absent: colours, the checker.

use crate::elab;
use crate::intern::Symbol;
use crate::proof::{self, Link, Proof};
use crate::term::{Kind, Program, Term};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// One step of the guide.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExplainedStep {
    /// Its name.
    pub name: String,
    /// The program before.
    pub before: String,
    /// What happened, in order.
    pub links: Vec<ExplainedLink>,
    /// The program after.
    pub after: String,
}

/// A run of one rule.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExplainedLink {
    /// The rule with its sizes; `β`, `η`, `normal form`.
    pub rule: String,
    /// Whether from right to left.
    pub back: bool,
    /// How many times.
    pub count: usize,
    /// How many β and η steps are folded in.
    pub plumbing: usize,
    /// Inside of what, outermost first.
    pub inside: Vec<String>,
    /// The sub-term before.
    pub before: String,
    /// The sub-term after.
    pub after: String,
}

/// The chains of a proof; `full` folds nothing.
pub fn explained(proof: &Proof, program: &Program, full: bool) -> Vec<ExplainedStep> {
    let chains = proof::chain(proof, full);
    let text = |t: &Term| elab::program_text(&with(program, t));
    chains
        .iter()
        .map(|chain| {
            let links = chain.links.iter();
            ExplainedStep {
                name: chain.name.clone(),
                before: text(&chain.start),
                links: links.map(|l| explained_link(l, program)).collect(),
                after: text(&chain.end),
            }
        })
        .collect()
}

fn with(program: &Program, term: &Term) -> Program {
    Program {
        term: term.clone(),
        ..program.clone()
    }
}

fn explained_link(link: &Link, program: &Program) -> ExplainedLink {
    ExplainedLink {
        rule: link.rule.clone(),
        back: link.back,
        count: link.count,
        plumbing: link.plumbing,
        inside: inside(&link.before, &link.at),
        before: excerpt(program, &link.before, &link.at, &link.from),
        after: excerpt(program, &link.whole, &link.at, &link.to),
    }
}

/// The sub-term as it stands in the text of the whole.
fn excerpt(program: &Program, whole: &Term, at: &[u8], part: &Term) -> String {
    let (text, places) = elab::located_text(&with(program, whole), std::slice::from_ref(part));
    let place = places.first().and_then(|p| p.first());
    let Some(&(lo, hi)) = place else {
        return elab::term_text(part, &names(program, whole, at));
    };
    let (lo, hi) = (lo as usize, hi as usize);
    let start = text[..lo].rfind('\n').map_or(0, |i| i + 1);
    let column = text[start..].len() - text[start..].trim_start().len();
    let lines = text[lo..hi].lines().enumerate();
    let moved = lines.map(|(i, line)| {
        let blank = line.len() - line.trim_start().len();
        match i {
            0 => line,
            _ => &line[blank.min(column)..],
        }
    });
    moved.collect::<Vec<_>>().join("\n")
}

/// Names for the variables above a place, the outermost first.
fn names(program: &Program, whole: &Term, at: &[u8]) -> Vec<Symbol> {
    let mut names: Vec<Symbol> = Vec::new();
    let mut here = whole;
    for step in at {
        here = match (here.kind(), step) {
            (Kind::Lam(hint, b), _) => {
                let param = program.params.get(names.len()).map(|p| p.0);
                let wish = param.or(*hint).map_or("x".to_string(), |n| n.to_string());
                let taken = |n: &str| names.iter().any(|m| m.as_str() == n);
                let others = (1..).map(|i| format!("{wish}{i}"));
                let mut all = std::iter::once(wish.clone()).chain(others);
                let name = all.find(|n| !taken(n)).unwrap_or(wish.clone());
                names.push(Symbol::new(&name));
                b
            }
            (Kind::App(f, _), 0) => f,
            (Kind::App(_, x), _) => x,
            _ => break,
        };
    }
    names
}

/// The primitives around a place, outermost first.
fn inside(whole: &Term, at: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    let mut here = whole;
    let mut within_spine = false;
    for step in at {
        if let (Kind::App(..), false) = (here.kind(), within_spine) {
            if let Some((p, _)) = here.as_prim_app() {
                names.push(p.to_string());
            }
        }
        within_spine = matches!(here.kind(), Kind::App(..)) && *step == 0;
        here = match (here.kind(), step) {
            (Kind::App(f, _), 0) => f,
            (Kind::App(_, x), _) => x,
            (Kind::Lam(_, b), _) => b,
            _ => break,
        };
    }
    names
}

/// Longer texts are cut in the middle.
const LINES: usize = 24;

/// A page.
pub fn explanation(steps: &[ExplainedStep], full: bool) -> String {
    let mut out = String::new();
    if let Some(first) = steps.first() {
        let _ = writeln!(out, "{}\n", first.before.trim_end());
    }
    for step in steps {
        let count: usize = step.links.iter().map(|l| l.count).sum();
        // Shown in full, β and η are steps of their own.
        let what = if full { "step" } else { "rule step" };
        let steps = match count {
            1 => format!("1 {what}"),
            n => format!("{n} {what}s"),
        };
        let _ = writeln!(out, "step {}: {steps}\n", step.name);
        for (i, link) in step.links.iter().enumerate() {
            show(&mut out, i + 1, link, full);
        }
        let _ = writeln!(out, "after {}:\n{}\n", step.name, step.after.trim_end());
    }
    out
}

fn show(out: &mut String, number: usize, link: &ExplainedLink, full: bool) {
    let _ = write!(out, "{number:>3}  {}", link.rule);
    if link.count > 1 {
        let _ = write!(out, " × {}", link.count);
    }
    if link.back {
        out.push_str(", from right to left");
    }
    if !link.inside.is_empty() {
        let _ = write!(out, "   in {}", link.inside.join(" › "));
    }
    out.push('\n');
    let limit = if full { usize::MAX } else { LINES };
    for (mark, text) in [("     ", &link.before), ("  ⇒  ", &link.after)] {
        for (i, line) in cut(text, limit).iter().enumerate() {
            let mark = if i == 0 { mark } else { "     " };
            let _ = writeln!(out, "{mark}{line}");
        }
    }
    out.push('\n');
}

/// The lines, those in the middle left out if there are too many.
fn cut(text: &str, limit: usize) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= limit {
        return lines.into_iter().map(str::to_string).collect();
    }
    let (head, tail) = (limit * 2 / 3, limit / 3);
    let left = lines.len() - head - tail;
    let mut kept: Vec<String> = lines[..head].iter().map(|l| l.to_string()).collect();
    kept.push(format!("… {left} lines more; --full shows them"));
    kept.extend(lines[lines.len() - tail..].iter().map(|l| l.to_string()));
    kept
}
