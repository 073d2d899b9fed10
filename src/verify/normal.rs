//! Rules that hold of what is left when other rules and folding have been there.
//!
//! In: the rules of a file, the number of one that is not true as it stands, what is known of those before it. Out: a verdict
//! about all that it can be applied to, and what that needs. Invariant: what is needed was found by looking: a value of a
//! constant is excluded only if, with it, a part of the left side is what folding makes a constant, or an instance of a rule
//! that stands earlier in the file, is proved, and surely changes it.
//!
//! Note [Surely changes]. The engine passes over a rule whose result is what it was applied to, as `x / y => x / (y + 0)`
//! does for a constant y, and stops where a rule would compute a constant that is too large. So an instance counts only
//! if nothing is computed in it, and if it gets another root or becomes smaller in the order by which rewriting ends,
//! whatever its variables stand for.

use super::points::Point;
use super::{differs_at, portfolio, Proved, Tools, Verdict};
use crate::intern::Symbol;
use crate::scalar::{eval, is_open, Expr, Kind, Lanes, Node, Op, Rule, Sort, Value, VarClass};
use crate::simplify::{build, is_constant};
use crate::termination::{order, Verdict as Order};
use std::collections::BTreeSet;

/// Values that rules speak of.
const VALUES: [i64; 3] = [0, 1, -1];

/// A value that a constant does not have, and what sees to it.
#[derive(Clone)]
struct Excluded {
    constant: Symbol,
    value: i64,
    by: By,
}

#[derive(Clone)]
enum By {
    Folding,
    /// Rules of these numbers, any of which is enough.
    Rules(Vec<usize>),
}

/// The numbers of the rules that are asked for and of all that may be needed for them, in order.
pub(super) fn with_needed(rules: &[Rule], asked: &[usize]) -> BTreeSet<usize> {
    let mut all: BTreeSet<usize> = BTreeSet::new();
    let mut open: Vec<usize> = asked.to_vec();
    while let Some(i) = open.pop() {
        if !all.insert(i) {
            continue;
        }
        for e in excluded(&rules[i], &rules[..i]) {
            if let By::Rules(by) = e.by {
                open.extend(by);
            }
        }
    }
    all
}

/// What is known of a rule wherever it is tried, and the statements that were proved to find out; nothing if that is all
/// that was known before.
pub(super) fn decide(
    rules: &[Rule],
    i: usize,
    known: &[Option<Verdict>],
    plain: &Verdict,
    tools: &Tools,
) -> Option<(Verdict, Vec<Rule>)> {
    let all = excluded(&rules[i], &rules[..i]);
    let proved = |j: &usize| matches!(known[*j], Some(Verdict::Proved(_)));
    let open = |j: &usize| matches!(known[*j], Some(Verdict::Unknown(_)));
    let by_those = |of: &dyn Fn(&usize) -> bool| -> Vec<Excluded> {
        let all = all.iter().cloned();
        let kept = all.filter(|e| match &e.by {
            By::Folding => true,
            By::Rules(by) => by.iter().any(of),
        });
        kept.collect()
    };
    let needed = by_those(&proved);
    let mut statements = Vec::new();
    let under = match needed.is_empty() {
        true => plain.clone(),
        false => portfolio_of(&with(&rules[i], &needed), tools),
    };
    let verdict = match under {
        Verdict::Proved(first) => {
            let (proved, found) = least(rules, i, known, needed, first, tools);
            statements = found;
            Verdict::Proved(proved)
        }
        // With rules that may be true, the point may be none that the rule comes to.
        Verdict::Refuted(point) => {
            let perhaps = by_those(&|j| proved(j) || open(j));
            let excluded = with(&rules[i], &perhaps);
            match perhaps.len() > needed.len() && differs_at(&excluded, &point).is_none() {
                true => perhaps_refuted(&rules[i], point, &excluded, tools),
                false => Verdict::Refuted(point),
            }
        }
        Verdict::Unknown(mut reasons) => {
            if let Verdict::Refuted(point) = plain {
                reasons.insert(0, not_tried(&rules[i], point));
            }
            Verdict::Unknown(reasons)
        }
    };
    (verdict != *plain).then_some((verdict, statements))
}

/// Of a rule that is wrong at a point which rules before it take away, if they are true, which is not known.
fn perhaps_refuted(rule: &Rule, point: Point, excluded: &Rule, tools: &Tools) -> Verdict {
    match portfolio_of(excluded, tools) {
        Verdict::Refuted(point) => Verdict::Refuted(point),
        _ => Verdict::Unknown(vec![
            not_tried(rule, &point),
            "that needs rules before it that are neither proved nor refuted".to_string(),
        ]),
    }
}

fn not_tried(rule: &Rule, point: &Point) -> String {
    let constants = rule
        .vars()
        .into_iter()
        .filter(|v| v.2 == VarClass::Constant);
    let at: Vec<String> = constants
        .filter_map(|(v, ..)| match point.get(&v)? {
            Value::Int(n) => Some(format!("{v} = {n}")),
            _ => None,
        })
        .collect();
    format!(
        "its sides differ at {}, where folding or a rule before it applies",
        at.join(", ")
    )
}

fn portfolio_of(rule: &Rule, tools: &Tools) -> Verdict {
    let found = portfolio::decide(std::slice::from_ref(rule), tools, &mut |_, _| {});
    found.into_iter().next().expect("one verdict for one rule")
}

/// Without what it holds without.
fn least(
    rules: &[Rule],
    i: usize,
    known: &[Option<Verdict>],
    mut needed: Vec<Excluded>,
    mut proved: Proved,
    tools: &Tools,
) -> (Proved, Vec<Rule>) {
    let mut statements = vec![with(&rules[i], &needed)];
    let mut at = 0;
    while at < needed.len() {
        let mut fewer = needed.clone();
        fewer.remove(at);
        let rule = with(&rules[i], &fewer);
        match portfolio_of(&rule, tools) {
            Verdict::Proved(by) => {
                statements.push(rule);
                (proved, needed) = (by, fewer);
            }
            _ => at += 1,
        }
    }
    let names = needed.into_iter().filter_map(|e| match e.by {
        By::Folding => Some("folding".to_string()),
        By::Rules(by) => {
            let proved = |j: &&usize| matches!(known[**j], Some(Verdict::Proved(_)));
            by.iter().find(proved).map(|j| rules[*j].name.to_string())
        }
    });
    proved.needs = names.collect();
    proved.needs.sort();
    proved.needs.dedup();
    (proved, statements)
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

/// The values that no constant of a rule has where the rule is tried, if the rules are true that see to it.
fn excluded(rule: &Rule, earlier: &[Rule]) -> Vec<Excluded> {
    let mut found = Vec::new();
    for (constant, _, class) in rule.vars() {
        if class != VarClass::Constant {
            continue;
        }
        for value in VALUES {
            let value_of = |v| (v == constant).then(|| Expr::int(value));
            // What counts lanes is not 0.
            let Some(e) = rule.lhs.try_replace(&value_of) else {
                continue;
            };
            // In the order in which the engine meets them.
            let (mut folded, mut by) = (false, Vec::new());
            e.visit_values(&mut |part| {
                folded |= is_folded(part);
                let changing = earlier
                    .iter()
                    .enumerate()
                    .filter(|(_, r)| rewrites(r, part));
                by.extend(changing.map(|(j, _)| j));
            });
            let by = match (folded, by.is_empty()) {
                (true, _) => By::Folding,
                (false, true) => continue,
                (false, false) => By::Rules(by),
            };
            found.push(Excluded {
                constant,
                value,
                by,
            });
        }
    }
    found
}

/// Whether it is an operation on constants that folding makes one.
fn is_folded(e: Expr) -> bool {
    match e.node() {
        Node::Apply(Op::Broadcast | Op::Ramp, _) => false,
        Node::Apply(op, args) => {
            args.iter().all(|a| is_constant(*a)) && is_constant(build(op, &args))
        }
        _ => false,
    }
}

/// What pattern variables stand for.
type Bindings = Vec<(Symbol, Expr)>;

/// Whether a rule surely changes every instance of a pattern; see Note [Surely changes].
fn rewrites(rule: &Rule, e: Expr) -> bool {
    if !matches!(e.node(), Node::Apply(..)) {
        return false;
    }
    let lanes = e.sort().lanes;
    let spread = lanes != Lanes::One && !rule.has_vectors();
    let mut bindings = Vec::new();
    if !matches(rule.lhs, e, spread, &mut bindings) {
        return false;
    }
    let bound = |v| bindings.iter().find(|b| b.0 == v).map(|b| b.1);
    let certain = |v: &(Symbol, Sort)| {
        // A condition that asks for facts may fail.
        bound(v.0).is_some_and(|e| e.as_int().is_some())
    };
    if !rule.condition.vars().iter().all(certain) {
        return false;
    }
    let condition = rule.condition.replace(&bound);
    if eval(condition, &|_| None) != Ok(Value::Bool(true)) {
        return false;
    }
    let Some(after) = instance(rule.rhs, &bound, spread.then_some(lanes)) else {
        return false;
    };
    changes(rule, e, after)
}

fn changes(rule: &Rule, e: Expr, after: Expr) -> bool {
    let (Node::Apply(op, _), Node::Apply(now, _)) = (e.node(), after.node()) else {
        // A leaf, which is a part of `e` or a constant.
        return true;
    };
    let step = Rule {
        lhs: e,
        rhs: after,
        condition: Expr::bool(true),
        booleans: None,
        ..rule.clone()
    };
    let smaller = |o: &Order| matches!(o, Order::Ordered(o) if o.earlier.is_empty());
    op != now || order(&[step]).first().is_some_and(smaller)
}

/// What a right side becomes; `None` where something is computed, which may be too large, or of a constant.
fn instance(
    e: Expr,
    bound: &dyn Fn(Symbol) -> Option<Expr>,
    spread: Option<Lanes>,
) -> Option<Expr> {
    let (op, args) = match e.node() {
        Node::Var(v, _) => return bound(v).map(|e| in_lanes(e, spread)),
        Node::Apply(op, args) => (op, args),
        _ => return Some(in_lanes(e, spread)),
    };
    if matches!(op, Op::Broadcast | Op::Ramp) {
        // Numbers of lanes stay as they are.
        let parts: Option<Vec<Expr>> = args.iter().map(|a| instance(*a, bound, None)).collect();
        return Expr::apply(op, &parts?);
    }
    let parts: Option<Vec<Expr>> = args.iter().map(|a| instance(*a, bound, spread)).collect();
    let parts = parts?;
    let known = |e: &Expr| is_constant(*e) || is_constant_name(lane(*e));
    if parts.iter().all(known) {
        return None;
    }
    Expr::apply(op, &parts)?;
    Some(build(op, &parts))
}

fn is_constant_name(e: Expr) -> bool {
    matches!(e.node(), Node::Var(v, _) if VarClass::of(v) != VarClass::Term)
}

fn in_lanes(e: Expr, lanes: Option<Lanes>) -> Expr {
    if e.sort().lanes != Lanes::One {
        return e;
    }
    match lanes {
        Some(lanes) if lanes != Lanes::One => Expr::of(Op::Broadcast, &[e, lanes.expr()]),
        _ => e,
    }
}

/// What stands in each lane, if that is one thing.
fn lane(e: Expr) -> Expr {
    match e.node() {
        Node::Apply(Op::Broadcast, args) => args[0],
        _ => e,
    }
}

/// Whether all instances of `e` are instances of `pattern`, operands of commutative operators in any order. With
/// `spread`, the pattern is about single values, and `e` about vectors.
fn matches(pattern: Expr, e: Expr, spread: bool, bindings: &mut Bindings) -> bool {
    let single = match spread {
        true => Some(lane(e)).filter(|l| *l != e),
        false => Some(e),
    };
    let open = |e: Expr| matches!(e.node(), Node::Var(v, _) if is_open(v));
    match (pattern.node(), e.node()) {
        (Node::Var(v, sort), _) => {
            let stands = match VarClass::of(v) {
                VarClass::Constant => single.filter(|e| {
                    let constant = matches!(e.node(), Node::Int(_)) || is_constant_name(*e);
                    constant && e.sort().kind == Kind::Int
                }),
                VarClass::Lanes => Some(e).filter(|e| is_lanes(*e)),
                VarClass::Term if spread => Some(e).filter(|e| e.sort().kind == sort.kind),
                VarClass::Term => Some(e).filter(|e| fits(e.sort(), sort)),
            };
            let Some(stands) = stands.filter(|e| !is_open(v) || open(*e)) else {
                return false;
            };
            match bindings.iter().find(|b| b.0 == v) {
                Some((_, bound)) => *bound == stands,
                None => {
                    bindings.push((v, stands));
                    true
                }
            }
        }
        (Node::Apply(f, ps), Node::Apply(g, es)) if f == g => {
            let orders: &[[usize; 3]] = match f.commutes() {
                true => &[[0, 1, 2], [1, 0, 2]],
                false => &[[0, 1, 2]],
            };
            orders.iter().any(|order| {
                let mut more = bindings.clone();
                let fits =
                    (ps.iter().zip(order)).all(|(p, i)| matches(*p, es[*i], spread, &mut more));
                if fits {
                    *bindings = more;
                }
                fits
            })
        }
        (Node::Int(_) | Node::Bool(_), _) => single == Some(pattern),
        _ => false,
    }
}

fn is_lanes(e: Expr) -> bool {
    let name = matches!(e.node(), Node::Var(v, _) if VarClass::of(v) == VarClass::Lanes);
    name || e.as_int().is_some()
}

/// Whether a variable of a rule about vectors stands for what has this sort.
fn fits(found: Sort, of: Sort) -> bool {
    let lanes = match of.lanes {
        Lanes::Named(_) => found.lanes != Lanes::One,
        lanes => found.lanes == lanes,
    };
    found.kind == of.kind && lanes
}
