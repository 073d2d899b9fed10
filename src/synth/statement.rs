//! Rules from sides and conditions.
//!
//! In: two sides, what is asked, a name. Out: the rule as a file of rules reads it, so that what is printed is what was proved.

use crate::intern::Symbol;
use crate::scalar::{load_rules, Expr, Op, Rule, VarClass};
use crate::source::SourceMap;
use std::collections::BTreeMap;

/// `rule name left => right where condition`, on one line or three.
pub fn text(name: &str, left: Expr, right: Expr, condition: Expr) -> String {
    let asked = match condition.as_bool() {
        Some(true) => String::new(),
        _ => format!("  where {condition}"),
    };
    let line = format!("rule {name}  {left}  =>  {right}{asked}");
    if line.len() <= 110 {
        return line;
    }
    let asked = asked.trim_start();
    let sides = format!("rule {name}\n  {left}\n  =>  {right}");
    match asked.is_empty() {
        true => sides,
        false => format!("{sides}\n  {asked}"),
    }
}

/// The text of a rule.
pub fn of(rule: &Rule) -> String {
    text(rule.name.as_str(), rule.lhs, rule.rhs, rule.condition)
}

/// The rule that a text is, if it is one.
pub(super) fn read(text: &str) -> Option<Rule> {
    let mut sources = SourceMap::new();
    let file = sources.add_text("found", &format!("domain scalar\n{text}\n"));
    load_rules(&sources, file).ok()?.pop()
}

/// The rule with these sides; nothing if they make none.
pub(super) fn rule(name: &str, left: Expr, right: Expr, asked: &[Expr]) -> Option<Rule> {
    read(&text(name, left, right, condition(asked)))
}

/// A conjunction, in which what is asked of terms is to be proved.
pub(super) fn condition(asked: &[Expr]) -> Expr {
    let part = |e: &Expr| {
        let terms = e.vars().iter().any(|v| VarClass::of(v.0) == VarClass::Term);
        match terms {
            true => Expr::of(Op::Prove, &[*e]),
            false => *e,
        }
    };
    let parts = asked.iter().map(part);
    parts
        .reduce(|a, b| Expr::of(Op::And, &[a, b]))
        .unwrap_or(Expr::bool(true))
}

/// The rule with variables that stand for no constants in place of these.
pub(super) fn without_constants(rule: &Rule, open: &[Symbol]) -> Option<Rule> {
    let names: BTreeMap<Symbol, Expr> = (rule.lhs.vars().into_iter())
        .filter(|v| open.contains(&v.0))
        .enumerate()
        .map(|(i, (v, sort))| {
            let name = match i {
                0 => "t".to_string(),
                _ => format!("t{i}"),
            };
            (v, Expr::var(Symbol::new(&name), sort))
        })
        .collect();
    let to = |e: Expr| e.replace(&|v| names.get(&v).copied());
    let (left, right, condition) = (to(rule.lhs), to(rule.rhs), to(rule.condition));
    read(&text(rule.name.as_str(), left, right, condition))
}
