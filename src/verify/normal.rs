//! Rules that hold of what is left when other rules and folding have been there.
//!
//! In: the rules of a file, the number of one that is not true as it stands. Out: a proof that it is true wherever it
//! can be applied, and what that needs. Invariant: what is needed was found by looking: a value of a
//! constant is excluded only if, with it, a part of the left side is what folding makes a constant, or an instance of a rule that
//! stands earlier in the file.

use super::{ladder, Proved, Tools, Verdict};
use crate::intern::Symbol;
use crate::scalar::{eval, is_open, Expr, Node, Op, Rule, Value, VarClass};
use crate::simplify::commutes;

/// Values that rules speak of.
const VALUES: [i64; 3] = [0, 1, -1];

/// A value that a constant does not have, and what sees to it.
#[derive(Clone)]
struct Excluded {
    constant: Symbol,
    value: i64,
    by: String,
}

/// How a rule is known to be true wherever it is tried, and the statements that were proved to find out.
pub(super) fn decide(rules: &[Rule], i: usize, tools: &Tools) -> Option<(Proved, Vec<Rule>)> {
    let mut needed = excluded(&rules[i], &rules[..i]);
    if needed.is_empty() {
        return None;
    }
    let prove = |needed: &[Excluded]| {
        let rule = with(&rules[i], needed);
        match ladder::decide(std::slice::from_ref(&rule), tools, &mut |_, _| {}).pop() {
            Some(Verdict::Proved(proved)) => Some((rule, proved)),
            _ => None,
        }
    };
    let (rule, mut proved) = prove(&needed)?;
    let mut proved_rules = vec![rule];
    // What it holds without is not needed.
    let mut at = 0;
    while at < needed.len() {
        let mut fewer = needed.clone();
        fewer.remove(at);
        match prove(&fewer) {
            Some((rule, by)) => {
                proved_rules.push(rule);
                (proved, needed) = (by, fewer);
            }
            None => at += 1,
        }
    }
    proved.needs = needed.into_iter().map(|e| e.by).collect();
    proved.needs.sort();
    proved.needs.dedup();
    Some((proved, proved_rules))
}

fn with(rule: &Rule, excluded: &[Excluded]) -> Rule {
    let mut rule = rule.clone();
    for e in excluded {
        let constant = rule.lhs.vars().into_iter().find(|v| v.0 == e.constant);
        let Some((name, sort)) = constant else {
            continue;
        };
        let other = Expr::of(Op::Ne, &[Expr::var(name, sort), Expr::int(e.value)]);
        rule.condition = match rule.condition.as_bool() {
            Some(true) => other,
            _ => Expr::of(Op::And, &[rule.condition, other]),
        };
    }
    rule
}

/// The values that no constant of a rule has where the rule is tried.
fn excluded(rule: &Rule, earlier: &[Rule]) -> Vec<Excluded> {
    let mut found = Vec::new();
    if rule.has_vectors() {
        return found;
    }
    for (constant, _, class) in rule.vars() {
        if class != VarClass::Constant {
            continue;
        }
        for value in VALUES {
            let value_of = |v| (v == constant).then(|| Expr::int(value));
            let e = rule.lhs.replace(&value_of);
            let mut by = None;
            e.visit(&mut |part| by = by.take().or_else(|| rewrites(part, earlier)));
            found.extend(by.map(|by| Excluded {
                constant,
                value,
                by,
            }));
        }
    }
    found
}

/// What rewrites every instance of a pattern.
fn rewrites(e: Expr, earlier: &[Rule]) -> Option<String> {
    let Node::Apply(_, args) = e.node() else {
        return None;
    };
    let literal = |a: &Expr| matches!(a.node(), Node::Int(_) | Node::Bool(_));
    if args.iter().all(literal) {
        return Some("folding".to_string());
    }
    let applies = |rule: &&Rule| {
        let mut bindings = Vec::new();
        if rule.has_vectors() || !matches(rule.lhs, e, &mut bindings) {
            return false;
        }
        let bound = |v| bindings.iter().find(|b| b.0 == v).map(|b| b.1);
        let instance = |e: Expr| e.replace(&bound);
        let holds = eval(instance(rule.condition), &|_| None) == Ok(Value::Bool(true));
        holds && instance(rule.rhs) != e
    };
    let found = earlier.iter().find(applies);
    found.map(|rule| rule.name.to_string())
}

/// Whether all instances of `e` are instances of `pattern`, operands of commutative operators in any order.
fn matches(pattern: Expr, e: Expr, bindings: &mut Vec<(Symbol, Expr)>) -> bool {
    let constant = |e: Expr| match e.node() {
        Node::Int(_) => true,
        Node::Var(v, _) => VarClass::of(v) == VarClass::Constant,
        _ => false,
    };
    let open = |e: Expr| matches!(e.node(), Node::Var(v, _) if is_open(v));
    match (pattern.node(), e.node()) {
        (Node::Var(v, sort), _) => {
            let fits = match VarClass::of(v) {
                VarClass::Constant => constant(e),
                VarClass::Lanes => false,
                VarClass::Term => e.sort() == sort && (!is_open(v) || open(e)),
            };
            match bindings.iter().find(|b| b.0 == v) {
                Some((_, bound)) => *bound == e,
                None => {
                    bindings.push((v, e));
                    fits
                }
            }
        }
        (Node::Apply(f, ps), Node::Apply(g, es)) if f == g => {
            let orders: &[[usize; 3]] = match commutes(f) {
                true => &[[0, 1, 2], [1, 0, 2]],
                false => &[[0, 1, 2]],
            };
            orders.iter().any(|order| {
                let mut more = bindings.clone();
                let fits = (ps.iter().zip(order)).all(|(p, i)| matches(*p, es[*i], &mut more));
                if fits {
                    *bindings = more;
                }
                fits
            })
        }
        (p, e) => p == e,
    }
}
