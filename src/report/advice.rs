//! Advice on a goal that was not reached, as a sentence and as data.
//!
//! In: diagnosis and advice. Out: the help of the diagnostic, the note that says how it was found, and a JSON
//! value with all of the diagnosis. Invariant: rules, limits and sketches are written so that they can be
//! pasted into the sketch file. Absent: choosing.

use super::number::{bytes, count};
use super::steps::step_text;
use crate::elab::term_text;
use crate::intern::Symbol;
use crate::search::advise::Limit;
use crate::search::edit as edits;
use crate::search::{Advice, Atom, Diagnosis, Edit, Near, Remedy, Stop};
use crate::source::SourceMap;
use crate::term::{Kind, Op, Prim, Term};
use crate::ty::Scalar;
use serde_json::{json, Value};

/// What a step says to let floats be regrouped.
const PERMIT: &str = "permit reassociate";

/// Rules that are named.
const RULES: usize = 5;

/// What to do.
pub(super) fn help(d: &Diagnosis, a: &Advice, sources: &SourceMap) -> String {
    match &a.remedy {
        Remedy::Edit(e) => format!(
            "{}: then the program satisfies it in this graph",
            edit(d, e)
        ),
        Remedy::Divide {
            rule,
            k,
            n,
            with,
            param,
        } => {
            let how = match param {
                Some(p) => format!("`--set {p}={with}`"),
                None => format!("{with} in its place"),
            };
            format!(
                "{k} does not divide {n}, so `{rule}` was refused; use {how}{}",
                outcome(d, a)
            )
        }
        Remedy::Rules { makes, .. } => {
            let text = paste(a, sources).unwrap_or_default();
            let ops: Vec<String> = makes.iter().map(|op| primitive(*op)).collect();
            let why = if ops.is_empty() {
                String::new()
            } else {
                format!("nothing in this step makes {}; ", ops.join(", "))
            };
            format!("{why}add to the step: `{text}`{}", outcome(d, a))
        }
        Remedy::Permit => format!(
            "write `{PERMIT}` into the step, if sums of floats may be rounded in another order{}",
            outcome(d, a)
        ),
        Remedy::Limit(limit, n) => format!("{}{}", higher(*limit, *n), outcome(d, a)),
        Remedy::Guide(near) => {
            let text = match a.reached {
                Some(_) => format!("put a step with the same rules in between{}", outcome(d, a)),
                None => format!(
                    "nothing that was tried reaches the sketch; a step with the same rules that is reached has {} of {} parts, more may follow from there",
                    near.parts.len(),
                    d.parts.len()
                ),
            };
            format!("{text}:\n    sketch {}", near.sketch)
        }
        Remedy::Guides(chain) => {
            let place = match chain.whole {
                true => "put these steps in its place, in the same file or in one of their own",
                false => {
                    "put these steps before it, in the same file or in one that is named before it"
                }
            };
            let text = paste(a, sources).unwrap_or_default();
            let lines: Vec<String> = text.lines().map(|l| format!("    {l}")).collect();
            format!("{place}{}:\n{}", outcome(d, a), lines.join("\n"))
        }
        Remedy::Nothing => {
            let missing = d.parts.iter().rev().find(|p| p.classes == 0);
            match (missing, d.stop) {
                (Some(p), Stop::Saturated) => format!(
                    "these rules, with any one that is shipped, never make `{}`: compare it with the closest term",
                    p.outline
                ),
                (Some(p), _) => format!("look at `{}` first: nothing is like it", p.outline),
                (None, _) => {
                    "every part is there, but these rules never bring them together: compare the sketch with the closest term"
                        .to_string()
                }
            }
        }
    }
}

/// What was tried.
pub(super) fn how(a: &Advice) -> Option<String> {
    (a.searches > 0).then(|| {
        format!(
            "looking for advice took {}, {} e-nodes together",
            times(a.searches, "small search").replace("searchs", "searches"),
            count(a.nodes)
        )
    })
}

/// What to write into the step, where that is a line of its own.
fn paste(a: &Advice, sources: &SourceMap) -> Option<String> {
    match &a.remedy {
        Remedy::Rules { rules, .. } => {
            let mut files: Vec<(&str, Vec<String>)> = Vec::new();
            for (file, used) in rules {
                let mut name = used.rule.name.to_string();
                if !used.args.is_empty() {
                    let args: Vec<String> = used.args.iter().map(|n| n.to_string()).collect();
                    name = format!("{name}[{}]", args.join(", "));
                }
                match files.iter_mut().find(|f| f.0 == file) {
                    Some(f) => f.1.push(name),
                    None => files.push((file, vec![name])),
                }
            }
            let lines = files.iter();
            let lines = lines.map(|(file, names)| format!("use {file} ({})", names.join(", ")));
            Some(lines.collect::<Vec<_>>().join("\n"))
        }
        // What a process holds is no property of the step.
        Remedy::Limit(Limit::Bytes, _) => None,
        Remedy::Limit(limit, n) => Some(format!("limits {} {n}", limit.name())),
        Remedy::Guide(near) => Some(format!("sketch {}", near.sketch)),
        Remedy::Guides(chain) => {
            let steps = chain.steps.iter().map(|s| step_text(s, sources));
            Some(format!(
                "import \"sketches/prelude.sk\"\n{}",
                steps.collect::<String>()
            ))
        }
        Remedy::Permit => Some(PERMIT.to_string()),
        Remedy::Edit(_) | Remedy::Divide { .. } | Remedy::Nothing => None,
    }
}

fn outcome(d: &Diagnosis, a: &Advice) -> String {
    let now = d.instead.as_ref().and_then(|i| i.closest.as_ref());
    let now = now.map_or(0, |n| n.parts.len());
    match (a.reached, a.nearer) {
        (Some(r), _) => format!(
            "; tried: with it the sketch is reached after {}, with {} e-nodes",
            times(r.iterations, "iteration"),
            count(r.nodes)
        ),
        (None, Some(parts)) if parts > now => format!(
            "; tried: with it one term satisfies {parts} of {} parts, without it {now}",
            d.parts.len()
        ),
        _ => "; not sure: small searches with it did not get there".to_string(),
    }
}

/// `1 iteration`, `2 iterations`
pub(super) fn times(n: u64, what: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {what}{plural}", count(n))
}

fn higher(limit: Limit, n: u64) -> String {
    match limit {
        Limit::Iterations => {
            format!("allow {n} iterations: `--iter-limit {n}`, or `limits iterations {n}`")
        }
        Limit::Nodes => format!(
            "allow {} e-nodes: `--node-limit {n}`, or `limits nodes {n}`",
            count(n)
        ),
        Limit::Seconds => format!("allow {n} s: `--time-limit {n}`, or `limits seconds {n}`"),
        Limit::Bytes => format!("allow more than {} of memory: `--memory-limit`", bytes(n)),
        Limit::Nesting => {
            format!("the limit on nested arrays kept terms out: write `limits nesting {n}`")
        }
        Limit::Size => {
            format!("the limit on the size of terms kept terms out: write `limits size {n}`")
        }
    }
}

fn edit(d: &Diagnosis, e: &Edit) -> String {
    let part = d.parts.get(e.part).map_or("", |p| &p.outline);
    match e.from {
        Atom::Arguments(op, n) => {
            let all = edits::arity(op);
            let (more, op) = (vec!["?"; all - n].join(" "), primitive(op));
            return format!("`{part}` is a function, as {op} takes {all} arguments and {n} are given; write `{more}` behind them");
        }
        Atom::Operands(op) => {
            let op = primitive(op);
            return format!("`{part}` has the operands of {op} the other way round; exchange them");
        }
        _ => {}
    }
    let what = match e.from {
        Atom::Size(_) => "the size",
        Atom::Op(_) => "the primitive",
        _ => "the type",
    };
    let place = if e.once { " there" } else { "" };
    let (from, to) = (atom(e.from), atom(e.to));
    format!("`{part}` asks for {what} {from}; change it to {to}{place}")
}

fn atom(a: Atom) -> String {
    match a {
        Atom::Op(op) => primitive(op),
        other => format!("`{other}`"),
    }
}

/// As it is written in a sketch.
fn primitive(op: Op) -> String {
    match op.size_args() {
        0 => {
            let prim = Term::prim(Prim::new(op, &[]), Scalar::Bool.into());
            format!("`{}`", term_text(&prim, &[]))
        }
        _ => format!("`{}`", op.name()),
    }
}

/// All of a diagnosis, for programs.
pub(super) fn data(
    d: &Diagnosis,
    advice: Option<&Advice>,
    params: &[Symbol],
    sources: &SourceMap,
) -> Value {
    let parts: Vec<Value> = (d.parts.iter().enumerate())
        .map(|(i, p)| {
            let satisfied = i > 0 && p.classes > 0;
            json!({ "text": p.outline, "depth": p.depth, "classes": p.classes, "alone": p.alone, "satisfied": satisfied })
        })
        .collect();
    let grown: Vec<Value> = (grown(d).into_iter())
        .map(|(rule, nodes)| json!({ "rule": rule, "nodes": nodes }))
        .collect();
    let near = |n: &Near| {
        json!({
            "parts": n.parts,
            "sketch": n.sketch,
            "term": readable(&n.term, params),
        })
    };
    let closest = d.instead.as_ref().and_then(|i| i.closest.as_ref());
    json!({
        "step": d.step,
        "stop": d.stop,
        "iterations": d.iterations,
        "nodes": d.size.nodes,
        "classes": d.size.classes,
        "parts": parts,
        "growth": grown,
        "refused": {
            "nesting_limit": d.refused.nesting,
            "too_nested": d.refused.too_nested,
            "size_limit": d.refused.size,
            "too_large": d.refused.too_large,
        },
        "closest": closest.map(near),
        "advice": advice.map(|a| advice_data(d, a, sources)),
    })
}

fn advice_data(d: &Diagnosis, a: &Advice, sources: &SourceMap) -> Value {
    let kind = match &a.remedy {
        Remedy::Edit(_) => "edit",
        Remedy::Divide { .. } => "divide",
        Remedy::Rules { .. } => "rules",
        Remedy::Permit => "permit",
        Remedy::Limit(..) => "limit",
        Remedy::Guide(_) => "guide",
        Remedy::Guides(chain) if chain.whole => "steps",
        Remedy::Guides(_) => "guides",
        Remedy::Nothing => "nothing",
    };
    json!({
        "kind": kind,
        "text": help(d, a, sources),
        "paste": paste(a, sources),
        "reached": a.reached.map(|r| json!({ "iterations": r.iterations, "nodes": r.nodes })),
        "nearer": a.nearer,
        "searches": a.searches,
        "nodes": a.nodes,
    })
}

/// The rules that added most.
pub(super) fn grown(d: &Diagnosis) -> Vec<&(String, u64)> {
    let all = d.growth.iter().take(RULES);
    all.filter(|(_, nodes)| *nodes > 0).collect()
}

/// A term in the names of the program.
pub(super) fn readable(term: &Term, params: &[Symbol]) -> String {
    let (mut body, mut names) = (term, Vec::new());
    for name in params {
        let Kind::Lam(_, inner) = body.kind() else {
            break;
        };
        body = inner;
        names.push(*name);
    }
    term_text(body, &names)
}
