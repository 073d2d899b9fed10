//! A rule made as general as is proved.
//!
//! In: a rule. Out: the most general rule that it is an instance of and that is proved: variables for its parts, then constants for its
//! numbers, under what it asks and under what is asked of constants. Absent: other right sides.

use super::condition::Lattice;
use super::general::{general, Mode};
use super::left::{leaves, part_names, patterns, rank, Left};
use super::{spoken, Helped, Work, CHOICES};
use crate::intern::Symbol;
use crate::scalar::{Expr, Node, Op, Rule, VarClass};
use crate::verify::Tools;
use std::collections::{BTreeMap, BTreeSet};

/// Most ways to say which of several variables a part of the right side is.
const MOST_WAYS: usize = 8;

/// A rule with variables for parts.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Sides {
    left: Expr,
    right: Expr,
    asked: Vec<Expr>,
}

/// The most general rule of which this one is an instance, as far as is proved; perhaps the rule itself.
pub fn generalise(rule: &Rule, rules: &[Rule], tools: &Tools) -> Option<Helped> {
    let mut work = Work::new(rules, tools);
    work.unordered_too = true;
    let mut seen = BTreeSet::new();
    for sides in candidates(rule) {
        if !seen.insert((sides.left, sides.right)) {
            continue;
        }
        if let Some((found, by)) = work.with_constants(rule.name.as_str(), &sides) {
            return Some(Helped {
                ordered: work.ordered(found.clone()).is_some(),
                rule: found,
                by,
                how: None,
                given: None,
            });
        }
    }
    None
}

/// What the rule is an instance of, the most general first.
fn candidates(rule: &Rule) -> Vec<Sides> {
    let asked: Vec<Expr> = (rule.condition.conjuncts().into_iter())
        .flat_map(|e| match e.node() {
            Node::Apply(Op::Prove, args) => args.to_vec(),
            _ => vec![e],
        })
        .filter(|e| e.as_bool() != Some(true))
        .collect();
    let mut all = Vec::new();
    for pattern in patterns(rule.lhs, leaves(rule.lhs)) {
        let constants = |name: &Symbol| is_constant(pattern.stands.get(name));
        let kept: Vec<Symbol> = pattern.stands.keys().copied().filter(constants).collect();
        for keep in [Vec::new(), kept] {
            for names in ways(&pattern) {
                let back = |e: Expr| put(e, &names);
                let Some(right) = back(rule.rhs) else {
                    continue;
                };
                let sides = Sides {
                    left: pattern.pattern,
                    right,
                    asked: asked.iter().filter_map(|e| back(*e)).collect(),
                };
                all.push(constant(sides, &keep));
            }
        }
    }
    all.sort_by_cached_key(|s| {
        let variables = std::cmp::Reverse(s.left.vars().len());
        (leaves(s.left), variables, rank(s.left), rank(s.right))
    });
    all
}

fn is_constant(part: Option<&Expr>) -> bool {
    let Some(Node::Var(v, _)) = part.map(|e| e.node()) else {
        return false;
    };
    VarClass::of(v) == VarClass::Constant
}

/// For each part which variable it is; of several that stand for it, one after the other.
fn ways(pattern: &Left) -> Vec<BTreeMap<Expr, Expr>> {
    let mut all = vec![BTreeMap::new()];
    for (part, names) in part_names(pattern) {
        let with = |name: &Expr| {
            let name = *name;
            let more = |known: &BTreeMap<Expr, Expr>| {
                let mut known = known.clone();
                known.insert(part, name);
                known
            };
            all.iter().map(more).collect::<Vec<_>>()
        };
        let next: Vec<_> = names.iter().flat_map(with).collect();
        all = next;
        all.truncate(MOST_WAYS);
    }
    all
}

/// An expression with variables for parts, the largest first; nothing if anything else than parts and numbers is in it.
fn put(e: Expr, names: &BTreeMap<Expr, Expr>) -> Option<Expr> {
    if let Some(name) = names.get(&e) {
        return Some(*name);
    }
    match e.node() {
        Node::Apply(op, args) => {
            let parts: Option<Vec<Expr>> = args.iter().map(|a| put(*a, names)).collect();
            Some(Expr::of(op, &parts?))
        }
        Node::Var(..) => None,
        _ => Some(e),
    }
}

/// The same with these variables as constants.
fn constant(sides: Sides, which: &[Symbol]) -> Sides {
    let vars = sides.left.vars();
    let names: BTreeMap<Symbol, Expr> = (vars.into_iter())
        .filter(|v| which.contains(&v.0))
        .enumerate()
        .map(|(i, (v, sort))| (v, Expr::var(Symbol::new(&format!("c{i}")), sort)))
        .collect();
    let to = |e: Expr| e.replace(&|v| names.get(&v).copied());
    Sides {
        left: to(sides.left),
        right: to(sides.right),
        asked: sides.asked.into_iter().map(to).collect(),
    }
}

impl Work<'_> {
    /// The sides with constants for numbers, if that is proved. Constants that have to be equal are one, if that serves.
    fn with_constants(&mut self, name: &str, sides: &Sides) -> Option<(Rule, String)> {
        let mut seen = BTreeSet::new();
        let mut equated = None;
        for mode in Mode::ALL {
            let all = general(sides.left, sides.right, &sides.asked, mode);
            let Some(first) = all.first() else { continue };
            if !seen.insert(first.left) {
                continue;
            }
            let spoken = spoken(sides.left);
            let mut lattice = Lattice::new(first.left, Some(&first.at), &first.facts, &spoken);
            for g in all.iter().take(CHOICES) {
                match self.prove(name, g.left, g.right, &mut lattice) {
                    Some(found) if equates(&found.0) => equated = equated.or(Some(found)),
                    Some(found) => return Some(found),
                    None => {}
                }
            }
        }
        equated
    }
}

/// Whether a rule asks of two constants that they are equal.
fn equates(rule: &Rule) -> bool {
    let two = |e: Expr| match e.node() {
        Node::Apply(Op::Eq, args) => args.iter().all(|a| is_constant(Some(a))),
        _ => false,
    };
    rule.condition.conjuncts().into_iter().any(two)
}
