//! What is wrong with rules over arrays, for people.
//!
//! In: a rule and its verdict. Out: a diagnostic that names the instance, or what could not be shown. Absent: how verdicts
//! are reached.

use super::{Gap, Verdict};
use crate::diag::{code, Code, Diagnostic};
use crate::elab::{term_text, RuleDecl};
use crate::intern::Symbol;
use crate::rule::instance::{usable, Counterexample};
use crate::term::{Kind, Term};

/// What `verify` says of a rule that is not proved.
pub fn objection(rule: &RuleDecl, verdict: &Verdict) -> Option<Diagnostic> {
    match verdict {
        Verdict::Proved { .. } => None,
        Verdict::Refuted(c) => Some(refuted(code::RULE_WRONG, rule, c)),
        Verdict::Unknown { why, agreed } => {
            Some(unknown(code::RULE_UNKNOWN, rule, why, *agreed).help(why.next.clone()))
        }
    }
}

/// What those say who would use a rule that is not proved.
pub fn refusal(rule: &RuleDecl, verdict: &Verdict) -> Option<Diagnostic> {
    match verdict {
        Verdict::Proved { .. } => None,
        Verdict::Refuted(c) => Some(refuted(code::RULE_REFUTED, rule, c)),
        Verdict::Unknown { why, agreed } => {
            let next = format!(
                "{}, or check it by hand and say `--allow-unverified`",
                why.next
            );
            Some(unknown(code::RULE_UNVERIFIED, rule, why, *agreed).help(next))
        }
    }
}

fn refuted(code: &'static Code, rule: &RuleDecl, c: &Counterexample) -> Diagnostic {
    let mut d = Diagnostic::new(code, format!("the rule `{}` is wrong", rule.name))
        .label(rule.span, "its sides differ");
    for (name, value) in instance(rule, c) {
        d = d.note(format!("{name} is {value}"));
    }
    let right = match &c.right {
        Ok(v) => format!("{v:?}"),
        Err(e) => format!("no value: {e}"),
    };
    d.note(format!("the left side is {:?}", c.left))
        .note(format!("the right side is {right}"))
        .help("ask for more with `where`, or change a side")
}

fn unknown(code: &'static Code, rule: &RuleDecl, why: &Gap, agreed: u32) -> Diagnostic {
    let what = format!("the rule `{}` is neither proved nor refuted", rule.name);
    Diagnostic::new(code, what)
        .at(rule.span)
        .note(format!("not shown: {why}"))
        .note(format!("its sides agree on {agreed} random instances"))
}

/// Sizes, what stands for each pattern variable, data: what it is called, and what it is.
pub fn instance(rule: &RuleDecl, c: &Counterexample) -> Vec<(String, String)> {
    let mut lines = Vec::new();
    for (i, name) in rule.size_params.iter().enumerate() {
        if let Some(n) = c.instance.types.nats.get(&(i as u32)) {
            lines.push((name.to_string(), n.to_string()));
        }
    }
    // Parameters begin with one for each pattern variable that is data, which may stand for something else.
    let mut names: Vec<Symbol> = Vec::new();
    for (hole, term) in rule.holes.iter().zip(&c.instance.holes) {
        let ty = c.instance.types.ty(hole.ty);
        if !ty.is_fun() && !ty.has_meta() {
            names.push(match term.kind() {
                Kind::Var(_) => hole.name,
                _ => Symbol::new(&format!("{}0", hole.name)),
            });
        }
    }
    let more = c.params.len().saturating_sub(names.len());
    let other = ["u", "v", "w"].map(Symbol::new);
    let unused = other
        .into_iter()
        .filter(|n| !rule.holes.iter().any(|h| h.name == *n));
    let unused: Vec<Symbol> = unused.chain(other).take(more).collect();
    names.extend(unused);
    let mut used = vec![false; c.params.len()];
    for (hole, binders) in usable(rule).into_iter().enumerate() {
        let (decl, term) = (&rule.holes[hole], &c.instance.holes[hole]);
        if decl.computed {
            continue;
        }
        let depth = binders.len();
        for (i, used) in used.iter_mut().enumerate() {
            *used |= term.mentions((depth + names.len() - 1 - i) as u32);
        }
        let own = |t: &Term| match t.kind() {
            Kind::Var(i) if *i as usize >= depth => {
                names.get(names.len().wrapping_sub(1 + *i as usize - depth)) == Some(&decl.name)
            }
            _ => false,
        };
        if own(term) {
            continue;
        }
        let anonymous = Symbol::new("_");
        let mut scope = names.clone();
        scope.extend(
            binders
                .iter()
                .map(|((name, _), _)| name.unwrap_or(anonymous)),
        );
        let text = term_text(term, &scope);
        let value = format!("`{text}`, of type {}", term.ty());
        lines.push((decl.name.to_string(), value));
    }
    for (i, value) in c.params.iter().enumerate() {
        if used[i] {
            let value = format!("{value:?}, of type {}", c.instance.params[i]);
            lines.push((names[i].to_string(), value));
        }
    }
    for (i, value) in c.args.iter().enumerate() {
        lines.push((format!("argument {}", i + 1), format!("{value:?}")));
    }
    lines
}
