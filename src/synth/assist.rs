//! Help with one rule: a right side for a left side, the weakest condition for two sides.
//!
//! In: a left side as a rule has it, with or without a right side and a condition. Out: a rule that is proved and ordered behind
//! the present ones, and how the condition that was given compares with the one that was found.

use super::condition::Lattice;
use super::general::written;
use super::left::rebuilt;
use super::points::Points;
use super::statement;
use super::{right, spoken, How, Work};
use crate::intern::Symbol;
use crate::scalar::{Expr, Kind, Op, Rule, Sort, VarClass};
use crate::verify::{self, Tools};
use std::collections::BTreeSet;

/// Numbers that constants are tried with.
const TRIED: usize = 14;
/// Choices that come first: all 0, all 1, all -1.
const CORNERS: usize = 3;
/// Rules for one left side.
const RULES: usize = 3;

/// A rule that was found for somebody.
#[derive(Clone, Debug)]
pub struct Helped {
    pub rule: Rule,
    pub by: String,
    /// How the right side was found; nothing if it was given.
    pub how: Option<How>,
    /// Whether rewriting with the present rules and this one is sure to end.
    pub ordered: bool,
    /// Of a condition that was given.
    pub given: Option<Given>,
}

/// How a condition that was given compares with the weakest that was found.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Given {
    /// With it, the rule is wrong.
    Wrong,
    /// They agree at all points that were tried.
    Equal,
    /// It excludes more than is needed.
    Stronger,
    /// It excludes less, and nothing shows that this is wrong.
    Weaker,
    /// It excludes what the other does not, and the other way round.
    Other,
}

/// Rules for a left side, each under the weakest condition: another one where the sizes of constants ask for another right side.
pub fn complete(left: Expr, rules: &[Rule], tools: &Tools) -> Vec<Helped> {
    let mut work = Work::new(rules, tools);
    let constants: Vec<(Symbol, Kind)> = (left.vars().into_iter())
        .filter(|v| VarClass::of(v.0) == VarClass::Constant)
        .map(|v| (v.0, v.1.kind))
        .collect();
    let choices = match constants.is_empty() {
        true => Points::new(&[], &[], &[], 1, 7),
        false => Points::new(
            &constants,
            &[2, 3, 4, 8, -2, -3, 12],
            &[],
            TRIED + CORNERS,
            7,
        ),
    };
    let mut found: Vec<Helped> = Vec::new();
    let mut seen = BTreeSet::new();
    // The first are corners, at which much holds that does not elsewhere.
    let corners = if constants.is_empty() { 0 } else { CORNERS };
    for choice in (corners..choices.len()).chain(0..corners) {
        let at = choices.row(choice);
        let number = |v: Symbol| at.get(&v).and_then(|n| Expr::checked_int((*n).into()));
        let here = |e: Expr| rebuilt(e.replace(&number));
        let known = |h: &Helped| here(h.rule.condition) == Expr::bool(true);
        if found.len() == RULES || found.iter().any(known) {
            continue;
        }
        let rights = work.right_sides(here(left), &[]);
        let mut rights = rights.into_iter().flat_map(|(right, how)| {
            let all = written(&at, right).into_iter();
            all.map(move |right| (right, how))
        });
        found.extend(rights.find_map(|(right, how)| {
            let new = seen.insert(right) && right::uses_no_more(left, right);
            let mut lattice = new.then(|| Lattice::new(left, Some(&at), &[], &spoken(left)))?;
            if lattice.score(right) == 0 {
                return None;
            }
            let (rule, by) = work.prove("found", left, right, &mut lattice)?;
            Some(Helped {
                rule,
                by,
                how: Some(how),
                ordered: true,
                given: None,
            })
        }));
    }
    // One that asks for nothing spares the others.
    match found.iter().find(|h| h.rule.condition == Expr::bool(true)) {
        Some(always) => vec![always.clone()],
        None => found,
    }
}

/// The weakest condition under which a rule is proved; that it has is compared with it.
pub fn weakest(rule: &Rule, rules: &[Rule], tools: &Tools) -> Option<Helped> {
    let mut work = Work::new(rules, tools);
    work.unordered_too = true;
    let mut lattice = Lattice::new(rule.lhs, None, &[], &spoken(rule.lhs));
    lattice.ask(facts(rule.lhs));
    let name = rule.name.as_str();
    let (found, by) = work.prove(name, rule.lhs, rule.rhs, &mut lattice)?;
    let given = (rule.condition.as_bool() != Some(true)).then(|| {
        let refuted = matches!(verify::alone(rule, tools), verify::Verdict::Refuted(_));
        match (refuted, lattice.compare(rule.condition, found.condition)) {
            (true, _) => Given::Wrong,
            (_, (false, false)) => Given::Equal,
            (_, (true, false)) => Given::Weaker,
            (_, (false, true)) => Given::Stronger,
            (_, (true, true)) => Given::Other,
        }
    });
    let ordered = work.ordered(found.clone()).is_some();
    Some(Helped {
        rule: found,
        by,
        how: None,
        ordered,
        given,
    })
}

/// What may be asked of the terms of a left side.
fn facts(left: Expr) -> Vec<Expr> {
    let (mut terms, mut constants) = (Vec::new(), Vec::new());
    for (v, sort) in left.vars().into_iter().filter(|v| v.1 == Sort::INT) {
        let e = Expr::var(v, sort);
        match VarClass::of(v) {
            VarClass::Constant => constants.push(e),
            VarClass::Term => terms.push(e),
            VarClass::Lanes => {}
        }
    }
    let zero = Expr::int(0);
    let of = |op: Op, a: Expr, b: Expr| Expr::of(op, &[a, b]);
    let mut found = Vec::new();
    for x in &terms {
        found.push(of(Op::Ne, *x, zero));
        found.push(of(Op::Le, zero, *x));
        found.push(of(Op::Lt, zero, *x));
        for y in terms.iter().chain(&constants).filter(|y| *y != x) {
            found.push(of(Op::Le, *x, *y));
            found.push(of(Op::Lt, *x, *y));
            found.push(of(Op::Eq, of(Op::Mod, *x, *y), zero));
        }
    }
    found
}

/// A left side, or a whole rule, as text: `LEFT`, `LEFT => RIGHT`, `LEFT => RIGHT where CONDITION`.
pub fn is_whole(text: &str) -> bool {
    text.contains("=>")
}

impl Helped {
    /// The rule as a file has it.
    pub fn text(&self) -> String {
        let rule = &self.rule;
        statement::text(rule.name.as_str(), rule.lhs, rule.rhs, rule.condition)
    }
}
