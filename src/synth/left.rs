//! Left sides: what a stuck expression is an instance of.
//!
//! In: an expression. Out: for it and each part of it every pattern that it is an instance of, up to a number of leaves:
//! parts become variables, equal parts one variable, and once more each a variable of its own. Numbers stay as they are, to be
//! generalised with the right side. Absent: which patterns are worth a rule.

use crate::intern::Symbol;
use crate::scalar::{Expr, Kind, Lanes, Node, Op, Sort};
use crate::simplify::build;
use std::collections::{BTreeMap, BTreeSet};

/// Most leaves of a left side.
pub const MOST_LEAVES: usize = 7;

/// Most leaves of a left side of a solver.
const MOST_MARKED: usize = 6;

/// Patterns of one part of an expression; those with fewest leaves are kept.
const MOST_CUTS: usize = 160;

/// A pattern, and which part of the expression each of its variables stands for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Left {
    pub pattern: Expr,
    pub stands: BTreeMap<Symbol, Expr>,
}

/// Names of variables of patterns, integers and booleans, in order.
const INTEGERS: [&str; 8] = ["x", "y", "z", "w", "u", "v", "r", "s"];
const BOOLEANS: [&str; 8] = ["a", "b", "d", "e", "f", "g", "h", "k"];

/// Left sides of an expression and of its parts, small ones first.
pub fn left_sides(e: Expr) -> Vec<Left> {
    let mut parts = BTreeSet::new();
    let mut inside = Vec::new();
    e.visit(&mut |part| {
        if parts.insert(part.id()) {
            inside.push(part);
        }
    });
    let mut found: Vec<Left> = Vec::new();
    let mut seen = BTreeSet::new();
    for part in inside.into_iter().filter(|p| is_plain(*p)) {
        let all = patterns(part, MOST_LEAVES).into_iter();
        found.extend(all.filter(|l| is_worth(l.pattern) && seen.insert(l.pattern.id())));
    }
    found.sort_by_cached_key(|l| rank(l.pattern));
    found
}

/// Patterns of an expression with its own operator at the root, equal parts as one variable and as several.
pub(super) fn patterns(e: Expr, most: usize) -> Vec<Left> {
    let mut holes: BTreeMap<Expr, Expr> = BTreeMap::new();
    e.visit(&mut |part| {
        holes.insert(hole(part), part);
    });
    let mut found = Vec::new();
    for cut in cuts(e, most) {
        for shared in [true, false] {
            let mut left = named(cut, shared);
            for stands in left.stands.values_mut() {
                *stands = holes.get(stands).copied().unwrap_or(*stands);
            }
            found.push(left);
        }
    }
    found
}

/// The parts that variables of a pattern stand for, with those variables.
pub(super) fn part_names(left: &Left) -> BTreeMap<Expr, Vec<Expr>> {
    let mut all: BTreeMap<Expr, Vec<Expr>> = BTreeMap::new();
    for (name, sort) in left.pattern.vars() {
        if let Some(part) = left.stands.get(&name) {
            all.entry(*part).or_default().push(Expr::var(name, sort));
        }
    }
    all
}

/// Patterns of an expression and of its parts that have a target: `t0`, `t1` … for parts with it, `n0`, `n1` … for parts without.
pub(super) fn marked_left_sides(e: Expr, has_target: &dyn Fn(Expr) -> bool) -> Vec<Left> {
    let mut inside = BTreeSet::new();
    e.visit(&mut |part| {
        inside.insert(part);
    });
    let holes: BTreeMap<Expr, Expr> = inside.iter().map(|p| (hole(*p), *p)).collect();
    let mut found: Vec<Left> = Vec::new();
    let mut seen = BTreeSet::new();
    let parts = inside.iter().filter(|p| is_plain(**p) && has_target(**p));
    for cut in parts.flat_map(|part| cuts(*part, MOST_MARKED)) {
        let (mut names, mut stands) = (BTreeMap::new(), BTreeMap::new());
        let mut used = [0, 0];
        for (v, sort) in cut.vars() {
            let part = holes.get(&Expr::var(v, sort)).copied();
            let part = part.unwrap_or(Expr::var(v, sort));
            let (row, letter) = if has_target(part) { (0, 't') } else { (1, 'n') };
            let name = Symbol::new(&format!("{letter}{}", used[row]));
            used[row] += 1;
            names.insert(v, Expr::var(name, sort));
            stands.insert(name, part);
        }
        let pattern = cut.replace(&|v| names.get(&v).copied());
        if used[0] > 0 && seen.insert(pattern.id()) {
            found.push(Left { pattern, stands });
        }
    }
    found
}

/// Few leaves first, then few operations, then by text.
pub(super) fn rank(e: Expr) -> (usize, u32, String) {
    (leaves(e), e.size(), e.to_string())
}

/// How many variables and numbers stand there, each as often as it does.
pub(super) fn leaves(e: Expr) -> usize {
    let mut n = 0;
    e.visit(&mut |part| n += usize::from(!matches!(part.node(), Node::Apply(..))));
    n
}

/// An operation on single values.
fn is_plain(e: Expr) -> bool {
    let mut plain = matches!(e.node(), Node::Apply(..));
    e.visit(&mut |part| plain &= part.sort().lanes == Lanes::One);
    plain
}

/// Whether something may be done about it: a lone operation has its rules or none, and where no variable stands twice and
/// there is no number, nothing is left out.
fn is_worth(pattern: Expr) -> bool {
    let (mut operations, mut variables, mut numbers, mut negations) = (0, 0, 0, 0);
    pattern.visit(&mut |e| match e.node() {
        Node::Apply(op, _) => {
            operations += 1;
            negations += usize::from(op == Op::Not);
        }
        Node::Var(..) => variables += 1,
        _ => numbers += 1,
    });
    let distinct = pattern.vars().len();
    operations > 1 && (distinct < variables || numbers > 0 || negations > 0)
}

/// A variable for a part.
fn hole(e: Expr) -> Expr {
    Expr::var(Symbol::new(&format!("#{}", e.id())), e.sort())
}

/// The patterns with the operator at the root.
fn cuts(e: Expr, most: usize) -> Vec<Expr> {
    let Node::Apply(op, args) = e.node() else {
        return vec![e];
    };
    let mut all: Vec<(usize, Vec<Expr>)> = vec![(0, Vec::new())];
    for (i, a) in args.iter().enumerate() {
        let later = args.len() - 1 - i;
        let mut choices = match a.node() {
            Node::Int(_) | Node::Bool(_) => vec![*a],
            _ => vec![hole(*a)],
        };
        if matches!(a.node(), Node::Apply(..)) {
            choices.extend(cuts(*a, most.saturating_sub(1)));
        }
        let mut next = Vec::new();
        for (size, done) in &all {
            for c in &choices {
                let size = size + leaves(*c);
                if size + later <= most {
                    let mut parts = done.clone();
                    parts.push(*c);
                    next.push((size, parts));
                }
            }
        }
        next.sort_by_key(|n| n.0);
        next.truncate(MOST_CUTS);
        all = next;
    }
    all.into_iter()
        .map(|(_, parts)| Expr::of(op, &parts))
        .collect()
}

/// With names in order of occurrence; with `shared`, equal parts have one.
fn named(cut: Expr, shared: bool) -> Left {
    let mut names = Names::default();
    let pattern = names.rename(cut, shared);
    Left {
        pattern,
        stands: names.stands,
    }
}

/// Names in order of occurrence.
#[derive(Default)]
pub(super) struct Names {
    known: BTreeMap<Symbol, Expr>,
    stands: BTreeMap<Symbol, Expr>,
    used: [usize; 2],
}

impl Names {
    pub(super) fn rename(&mut self, e: Expr, shared: bool) -> Expr {
        match e.node() {
            Node::Var(v, sort) => {
                if let (Some(known), true) = (self.known.get(&v), shared) {
                    return *known;
                }
                let new = self.fresh(sort);
                self.known.insert(v, new);
                if let Node::Var(name, _) = new.node() {
                    self.stands.insert(name, e);
                }
                new
            }
            Node::Apply(op, args) => {
                let parts: Vec<Expr> = args.iter().map(|a| self.rename(*a, shared)).collect();
                Expr::of(op, &parts)
            }
            _ => e,
        }
    }

    fn fresh(&mut self, sort: Sort) -> Expr {
        let (row, names) = match sort.kind {
            Kind::Int => (0, INTEGERS),
            Kind::Bool => (1, BOOLEANS),
        };
        let n = self.used[row];
        self.used[row] += 1;
        let name = match n / names.len() {
            0 => names[n].to_string(),
            again => format!("{}{again}", names[n % names.len()]),
        };
        Expr::var(Symbol::new(&name), sort)
    }
}

/// The same with names in order of occurrence, operands ordered as rewriting sees them.
pub fn canonical(e: Expr) -> Expr {
    let mut ordered = Names::default().rename(e, true);
    // Names decide the order of operands, and that the names: twice is enough to be the same on every run.
    for _ in 0..2 {
        ordered = Names::default().rename(rebuilt(ordered), true);
    }
    ordered
}

/// Made by the constructor that folds and orders.
pub(super) fn rebuilt(e: Expr) -> Expr {
    match e.node() {
        Node::Apply(op, args) => {
            let parts: Vec<Expr> = args.iter().map(|a| rebuilt(*a)).collect();
            build(op, &parts)
        }
        _ => e,
    }
}
