//! Rewriting that does not end, shown: instances of the two sides of a rule are simplified until an expression comes
//! again.

use super::Why;
use crate::intern::Symbol;
use crate::scalar::{eval, Expr, Lanes, Node, Op, Rule, Value, VarClass};
use crate::simplify::{Book, Simplifier, Step};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Steps by rules, the last of which gives the expression that the first rewrites.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cycle {
    pub steps: Vec<(Symbol, Expr, Expr)>,
}

/// Steps after which simplification is looked at.
const STEPS: u64 = 300;
/// Sets of constants that are tried.
const INSTANCES: usize = 8;
/// Constants that are put together, with those of the rule.
const CONSTANTS: [i64; 8] = [2, 3, 1, 0, 4, -1, -2, 6];
/// Expressions that are larger come back to nothing.
const LARGEST: u32 = 10_000;
/// Lanes that a name stands for.
const LANES: i128 = 4;
/// How often a rule is applied to its own result.
const TURNS: usize = 6;

/// A cycle that the rule with this number takes part in; the case in which it is not ordered is looked at first.
pub fn find(rules: &[Rule], number: usize, why: &Why) -> Option<Cycle> {
    let rule = &rules[number];
    if let Some(cycle) = alone(rule) {
        return Some(cycle);
    }
    let book = Rc::new(Book::new(rules.to_vec()));
    let in_case = match why {
        Why::Grows(case, _) => instances(&Rule {
            lhs: case.left,
            rhs: case.right,
            condition: case.condition,
            ..rule.clone()
        }),
        Why::Variables => Vec::new(),
    };
    for (left, right, assumed) in in_case.into_iter().chain(instances(rule)) {
        for start in [left, right] {
            let mut s = Simplifier::new(book.clone());
            s.limit(STEPS);
            assumed.iter().for_each(|e| s.assume(*e));
            s.record();
            s.simplify(start);
            let found = s.exhausted().then(|| closed(s.steps())).flatten();
            if found
                .as_ref()
                .is_some_and(|c| c.steps.iter().any(|s| s.0 == rule.name))
            {
                return found;
            }
        }
    }
    None
}

/// The steps since the last expression stood there before.
fn closed(steps: &[Step]) -> Option<Cycle> {
    let last = steps.last()?;
    let before = steps
        .iter()
        .rposition(|s| s.after == last.after && !std::ptr::eq(s, last))?;
    let steps = steps[before + 1..].iter();
    let named = steps.map(|s| Some((s.rule?, s.before, s.after)));
    let steps = named.collect::<Option<Vec<_>>>()?;
    Some(Cycle { steps })
}

/// Of the rule read as it stands, operands unordered: `x + y => y + x`.
fn alone(rule: &Rule) -> Option<Cycle> {
    let mut steps: Vec<(Symbol, Expr, Expr)> = Vec::new();
    let mut now = rule.lhs;
    for _ in 0..TURNS {
        let mut by = BTreeMap::new();
        if rule.condition != Expr::bool(true) || !matches(rule.lhs, now, &mut by) {
            return None;
        }
        let after = rule.rhs.try_replace(&|v| by.get(&v).copied())?;
        if after.size() > LARGEST {
            return None;
        }
        steps.push((rule.name, now, after));
        if let Some(i) = steps.iter().position(|s| s.1 == after) {
            let steps = steps.split_off(i);
            return Some(Cycle { steps });
        }
        now = after;
    }
    None
}

/// Whether a left side matches an expression whose names stand for what they do in patterns.
fn matches(left: Expr, e: Expr, by: &mut BTreeMap<Symbol, Expr>) -> bool {
    match (left.node(), e.node()) {
        (Node::Var(v, sort), other) => {
            let same_class = match VarClass::of(v) {
                VarClass::Term => true,
                class => match other {
                    Node::Var(w, _) => VarClass::of(w) == class,
                    Node::Int(_) => true,
                    _ => false,
                },
            };
            same_class && sort == e.sort() && *by.entry(v).or_insert(e) == e
        }
        (Node::Apply(f, a), Node::Apply(g, b)) => {
            f == g && a.iter().zip(b.iter()).all(|(a, b)| matches(*a, *b, by))
        }
        _ => left == e,
    }
}

/// Both sides with constants for which the condition holds, and what has to be assumed.
fn instances(rule: &Rule) -> Vec<(Expr, Expr, Vec<Expr>)> {
    let vars = rule.vars();
    let constants: Vec<Symbol> = (vars.iter())
        .filter(|v| v.2 == VarClass::Constant && !rule.counts().contains(&v.0))
        .map(|v| v.0)
        .collect();
    let mut fixed: BTreeMap<Symbol, Expr> = BTreeMap::new();
    let counts = rule.counts();
    for (v, sort, class) in &vars {
        let lanes = || Lanes::fixed(sort.lanes.value(&|_| Some(LANES))? as i64);
        match (class, lanes()) {
            (VarClass::Lanes, _) => drop(fixed.insert(*v, Expr::int(LANES as i64))),
            (VarClass::Constant, _) if counts.contains(v) => {
                fixed.insert(*v, Expr::int(LANES as i64));
            }
            (VarClass::Term, Some(lanes)) if lanes != sort.lanes => {
                fixed.insert(*v, Expr::var(*v, crate::scalar::Sort { lanes, ..*sort }));
            }
            _ => {}
        }
    }
    let mut values = Vec::new();
    for side in [rule.condition, rule.lhs, rule.rhs] {
        side.visit(&mut |e| values.extend(e.as_int()));
    }
    values.extend(CONSTANTS);
    let mut seen = BTreeSet::new();
    values.retain(|n| seen.insert(*n));
    let count = values.len();
    let Some(all) = u32::try_from(constants.len())
        .ok()
        .and_then(|n| count.checked_pow(n))
    else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for mut choice in 0..all.min(1 << 16) {
        let mut by = fixed.clone();
        for c in &constants {
            by.insert(*c, Expr::int(values[choice % count]));
            choice /= count;
        }
        let instance = |e: Expr| e.try_replace(&|v| by.get(&v).copied());
        let [Some(left), Some(right), Some(condition)] =
            [rule.lhs, rule.rhs, rule.condition].map(instance)
        else {
            continue;
        };
        let mut assumed = Vec::new();
        let holds = condition.conjuncts().into_iter().all(|c| match c.node() {
            Node::Apply(Op::Prove, args) => {
                assumed.push(args[0]);
                true
            }
            _ => eval(c, &|_| None) == Ok(Value::Bool(true)),
        });
        if holds {
            found.push((left, right, assumed));
        }
        if found.len() == INSTANCES {
            break;
        }
    }
    found
}
