//! The cases in which a rule may be applied: which of its variables stand for constants, and what prevents a case.
//!
//! Constants weigh less than anything else, so a rule may decrease for all other terms and not for them. Operands are
//! simple before a rule is tried, and constants are folded; so a case does not occur if something in its left side is
//! folded, if any rule applies within, or if an earlier rule applies to the whole.

use super::measure::{is_folded, operands};
use crate::intern::Symbol;
use crate::scalar::{is_open, Expr, Kind, Lanes, Node, Op, Rule, Sort, VarClass};
use std::collections::BTreeMap;

/// A rule where some variables stand for constants, and all others for what is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    pub left: Expr,
    pub right: Expr,
    pub condition: Expr,
    /// What stands for which constant: a literal, or a name for one.
    pub constants: Vec<(Symbol, Expr)>,
}

/// Why a case does not occur.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Prevented {
    Folded,
    /// By the rule of this number.
    By(usize),
}

/// Rules with more variables than this are not taken apart.
const MOST: usize = 10;

/// Every case, that without constants first; none if there are too many.
pub fn cases(rule: &Rule) -> Option<Vec<Case>> {
    let free: Vec<(Symbol, Sort)> = (rule.vars().into_iter())
        .filter(|v| v.2 == VarClass::Term && !is_open(v.0))
        .map(|v| (v.0, v.1))
        .collect();
    if free.len() > MOST {
        return None;
    }
    let mut all = vec![Vec::new()];
    for (i, (v, sort)) in free.iter().enumerate() {
        let more: Vec<Vec<(Symbol, Expr)>> = (all.iter())
            .flat_map(|known| {
                constants(*sort, i).into_iter().map(move |c| {
                    let mut next: Vec<_> = known.clone();
                    next.push((*v, c));
                    next
                })
            })
            .collect();
        all.extend(more);
    }
    let case = |constants: Vec<(Symbol, Expr)>| {
        let known: BTreeMap<Symbol, Expr> = constants.iter().copied().collect();
        let instance = |e: Expr| e.replace(&|v| known.get(&v).copied());
        Case {
            left: instance(rule.lhs),
            right: instance(rule.rhs),
            condition: instance(rule.condition),
            constants,
        }
    };
    Some(all.into_iter().map(case).collect())
}

/// The constants of a sort: a name that no rule uses, or both truths.
fn constants(sort: Sort, number: usize) -> Vec<Expr> {
    let single = match sort.kind {
        Kind::Int => vec![Expr::var(Symbol::new(&format!("c9000{number}")), Sort::INT)],
        Kind::Bool => vec![Expr::bool(true), Expr::bool(false)],
    };
    if sort.lanes == Lanes::One {
        return single;
    }
    let lanes = sort.lanes.expr();
    let in_lanes = single.into_iter();
    in_lanes
        .map(|c| Expr::of(Op::Broadcast, &[c, lanes]))
        .collect()
}

/// What prevents a case of the rule with this number, if anything does.
pub fn prevented(case: &Case, rules: &[Rule], number: usize) -> Option<Prevented> {
    let mut folded = false;
    let mut within = Vec::new();
    case.left.visit_values(&mut |e| {
        if let Node::Apply(op, _) = e.node() {
            folded |= match op {
                // Lanes of lanes of a constant, and one lane of it.
                Op::Broadcast => {
                    let first = operands(op, e).next();
                    let more = first.is_some_and(|x| x.sort().lanes != Lanes::One);
                    is_folded(e) && (more || e.sort().lanes == Lanes::One)
                }
                Op::Ramp => false,
                _ => is_folded(e),
            };
            within.push(e);
        }
    });
    if folded {
        return Some(Prevented::Folded);
    }
    let within = &within[..within.len() - 1];
    let asked = case.condition.conjuncts();
    let applies = |i: &usize| {
        let rule = &rules[*i];
        let earlier = *i < number;
        (earlier && applies(rule, case.left, &asked))
            || computes_nothing(rule.rhs) && within.iter().any(|e| applies(rule, *e, &asked))
    };
    (0..rules.len()).find(applies).map(Prevented::By)
}

/// Whether a right side has no operation on constants, whose value might leave them.
fn computes_nothing(right: Expr) -> bool {
    let mut computes = false;
    right.visit_values(&mut |e| {
        let vector = matches!(e.node(), Node::Apply(Op::Broadcast | Op::Ramp, _));
        computes |= !vector && matches!(e.node(), Node::Apply(..)) && is_folded(e);
    });
    !computes
}

/// Whether a rule applies to all instances of a pattern for which `asked` holds.
fn applies(rule: &Rule, pattern: Expr, asked: &[Expr]) -> bool {
    let lanes = pattern.sort().lanes != Lanes::One && !rule.has_vectors();
    let known = |c: &Expr| *c == Expr::bool(true) || asked.contains(c);
    let pairs = vec![(rule.lhs, pattern)];
    // Of a rule about vectors, what single values stand for has to be one.
    let single = |by: &BTreeMap<Symbol, Expr>| {
        let mut vars = rule.lhs.vars().into_iter();
        let one = |v: Symbol| by.get(&v).is_some_and(|e| e.sort().lanes == Lanes::One);
        !rule.has_vectors() || vars.all(|(v, sort)| sort.lanes != Lanes::One || one(v))
    };
    matches(pairs, lanes, &BTreeMap::new(), &|by| {
        if !single(by) {
            return false;
        }
        let condition = replace_fitting(rule.condition, by);
        condition.conjuncts().iter().all(known)
    })
}

/// As [`Expr::replace`]; conditions read constants, which are single values there.
fn replace_fitting(condition: Expr, by: &BTreeMap<Symbol, Expr>) -> Expr {
    let mut terms = condition.vars().into_iter();
    match terms.all(|(v, s)| by.get(&v).is_some_and(|e| e.sort() == s)) {
        true => condition.replace(&|v| by.get(&v).copied()),
        // Of something that is not said here.
        false => Expr::bool(false),
    }
}

/// Whether left sides match patterns, with operands that commute in either order, so that `enough` holds of what
/// their variables stand for.
fn matches(
    mut pairs: Vec<(Expr, Expr)>,
    lanes: bool,
    by: &BTreeMap<Symbol, Expr>,
    enough: &dyn Fn(&BTreeMap<Symbol, Expr>) -> bool,
) -> bool {
    let Some((left, e)) = pairs.pop() else {
        return enough(by);
    };
    match (left.node(), e.node()) {
        (Node::Var(v, sort), _) => {
            let class = VarClass::of(v);
            let stands = match class {
                VarClass::Constant => constant(e, lanes),
                VarClass::Lanes => (e.sort() == Sort::INT && is_folded(e)).then_some(e),
                VarClass::Term if is_open(v) && is_folded(e) => None,
                VarClass::Term => (sort.kind == e.sort().kind).then_some(e),
            };
            match (stands, by.get(&v)) {
                (Some(e), Some(known)) => e == *known && matches(pairs, lanes, by, enough),
                (Some(e), None) => {
                    let mut by = by.clone();
                    by.insert(v, e);
                    matches(pairs, lanes, &by, enough)
                }
                (None, _) => false,
            }
        }
        (Node::Apply(op, a), Node::Apply(other, b)) if op == other => {
            let with = |order: &[usize]| {
                let operands = a.iter().zip(order).map(|(a, i)| (*a, b[*i]));
                let pairs = pairs.iter().copied().chain(operands).collect();
                matches(pairs, lanes, by, enough)
            };
            with(&[0, 1, 2]) || op.commutes() && with(&[1, 0])
        }
        (Node::Int(_) | Node::Bool(_), _) => {
            let literal = if lanes { in_lanes(e) } else { Some(e) };
            literal == Some(left) && matches(pairs, lanes, by, enough)
        }
        _ => false,
    }
}

/// The number that `e` is for certain; with `lanes`, that it is in each.
fn constant(e: Expr, lanes: bool) -> Option<Expr> {
    let e = if lanes { in_lanes(e)? } else { e };
    let leaf = !matches!(e.node(), Node::Apply(..));
    (leaf && e.sort() == Sort::INT && is_folded(e)).then_some(e)
}

fn in_lanes(e: Expr) -> Option<Expr> {
    match e.node() {
        Node::Apply(op @ Op::Broadcast, _) => operands(op, e).next(),
        _ => None,
    }
}
