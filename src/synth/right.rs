//! Right sides: terms that are equal to a left side at many points, and smaller.
//!
//! In: a left side in which constants are numbers, what is assumed of its variables. Out: candidates, the best first: what the
//! present rules make of its other forms ([`super::forms`]), then terms over its variables and numbers, from small to large. A term
//! is known by its values at points, so of terms that agree at all of them one is kept. Absent: whether a candidate is right.

use super::forms::forms;
use super::left::{leaves, rebuilt};
use super::points::{applied, Points, Values};
use crate::intern::Symbol;
use crate::scalar::{Expr, Kind, Node, Op, VarClass};
use crate::simplify::{build, Simplifier};
use crate::termination::greater;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Terms that are kept, and operators that are tried on the way to a right side.
const MOST_TERMS: usize = 6_000;
const MOST_WORK: usize = 1_200_000;
/// Most leaves of a right side that is found by trying.
const MOST_LEAVES: usize = 5;
/// Candidates for one left side.
const MOST_FOUND: usize = 6;

/// What regrouping and the present rules make of a left side, if that is smaller.
pub(super) fn by_forms(left: Expr, simplifier: &mut Simplifier) -> Option<Expr> {
    let mut best: Option<Expr> = None;
    for form in forms(left) {
        let simple = simplifier.simplify(form);
        if may_replace(left, simple) && best.is_none_or(|b| greater(b, simple)) {
            best = Some(simple);
        }
    }
    best
}

/// Whether a right side has no variable more often than the left, and is smaller.
pub(super) fn may_replace(left: Expr, right: Expr) -> bool {
    uses_no_more(left, right) && !has_truth_inside(right) && greater(rebuilt(left), right)
}

/// Whether a truth stands inside, as in `select(b, false, p)`: smaller by a count, and no simpler.
fn has_truth_inside(right: Expr) -> bool {
    let mut found = false;
    right.visit(&mut |e| found |= e != right && e.as_bool().is_some());
    found
}

/// Whether a right side has no variable more often than the left; constants count as nothing.
pub(super) fn uses_no_more(left: Expr, right: Expr) -> bool {
    let (before, after) = (occurrences(left), occurrences(right));
    let term = |v: &Symbol| VarClass::of(*v) == VarClass::Term;
    let fewer = |(v, n): (&Symbol, &usize)| !term(v) || before.get(v).is_some_and(|m| n <= m);
    after.iter().all(fewer)
}

fn occurrences(e: Expr) -> BTreeMap<Symbol, usize> {
    let mut found = BTreeMap::new();
    e.visit(&mut |part| {
        if let Node::Var(v, _) = part.node() {
            *found.entry(v).or_default() += 1;
        }
    });
    found
}

/// Terms that agree with a left side at all points.
pub(super) fn by_trying(left: Expr, numbers: &[i64], points: &Points) -> Vec<Expr> {
    let mut search = Search::new(left, numbers, points);
    search.run();
    let mut found: Vec<Expr> = search.found.into_iter().collect();
    found.sort_by_cached_key(|e| (leaves(*e), e.size(), e.to_string()));
    // The least in the order of rewriting first.
    found.sort_by(|a, b| match (greater(*a, *b), greater(*b, *a)) {
        (true, false) => std::cmp::Ordering::Greater,
        (false, true) => std::cmp::Ordering::Less,
        _ => std::cmp::Ordering::Equal,
    });
    found.truncate(MOST_FOUND);
    found
}

#[derive(Clone, Copy)]
enum Shape {
    Leaf(Expr),
    Apply(Op, [u32; 3]),
}

struct Search<'a> {
    left: Expr,
    points: &'a Points,
    target: Values,
    kind: Kind,
    ops: Vec<Op>,
    shapes: Vec<(Shape, Kind)>,
    values: Vec<Values>,
    known: FxHashMap<(Kind, Values), u32>,
    /// Where the terms of each number of leaves begin.
    sizes: Vec<usize>,
    work: usize,
    found: BTreeSet<Expr>,
}

impl<'a> Search<'a> {
    fn new(left: Expr, numbers: &[i64], points: &'a Points) -> Search<'a> {
        let mut search = Search {
            left,
            points,
            target: points.values(left),
            kind: left.sort().kind,
            ops: operators(left),
            shapes: Vec::new(),
            values: Vec::new(),
            known: FxHashMap::default(),
            sizes: vec![0, 0],
            work: 0,
            found: BTreeSet::new(),
        };
        let vars = left.vars().into_iter().map(|(v, s)| Expr::var(v, s));
        let numbers = numbers
            .iter()
            .filter_map(|n| Expr::checked_int((*n).into()));
        let truths = [false, true].map(Expr::bool);
        let booleans = search.kind == Kind::Bool || search.ops.contains(&Op::Select);
        let all: Vec<Expr> = (vars.chain(numbers))
            .chain(truths.into_iter().filter(|_| booleans))
            .collect();
        for leaf in all {
            let values = points.values(leaf);
            search.keep(Shape::Leaf(leaf), leaf.sort().kind, values);
        }
        search.sizes.push(search.shapes.len());
        search
    }

    fn run(&mut self) {
        let most = leaves(self.left).min(MOST_LEAVES);
        for size in 2..=most {
            if !self.found.is_empty() || self.work > MOST_WORK {
                return;
            }
            // Of the largest size nothing is kept: each term is compared at one point after the other.
            let keep = size < most && size <= 3 && self.shapes.len() < MOST_TERMS;
            for first in 1..size {
                self.pairs(first, size - first, keep);
            }
            if self.ops.contains(&Op::Not) && size <= 3 {
                self.negations(size - 1);
            }
            if self.ops.contains(&Op::Select) && size >= 3 {
                self.selections(size);
            }
            if keep {
                self.sizes.push(self.shapes.len());
            }
        }
    }

    /// The terms of a number of leaves that are kept.
    fn of_size(&self, size: usize) -> std::ops::Range<usize> {
        match (self.sizes.get(size), self.sizes.get(size + 1)) {
            (Some(from), Some(to)) => *from..*to,
            _ => 0..0,
        }
    }

    fn pairs(&mut self, first: usize, second: usize, keep: bool) {
        let (firsts, seconds) = (self.of_size(first), self.of_size(second));
        for op in self.ops.clone() {
            if matches!(op, Op::Not | Op::Select) || op.commutes() && first > second {
                continue;
            }
            for i in firsts.clone() {
                for j in seconds.clone() {
                    self.work += 1;
                    if self.work > MOST_WORK {
                        return;
                    }
                    let takes = match op {
                        Op::And | Op::Or => Kind::Bool,
                        _ => Kind::Int,
                    };
                    if self.shapes[i].1 == takes && self.shapes[j].1 == takes {
                        self.apply(op, i, j, keep);
                    }
                }
            }
        }
    }

    fn apply(&mut self, op: Op, i: usize, j: usize, keep: bool) {
        let shape = Shape::Apply(op, [i as u32, j as u32, 0]);
        let kind = result(op);
        let (a, b) = (&self.values[i], &self.values[j]);
        let at = |p: usize| applied(op, a[p], b[p], 0);
        let equal = kind == self.kind && (0..self.points.len()).all(|p| at(p) == self.target[p]);
        if equal {
            self.hit(shape);
        } else if keep && self.shapes.len() < MOST_TERMS {
            let values = (0..self.points.len()).map(at).collect();
            self.keep(shape, kind, values);
        }
    }

    fn negations(&mut self, size: usize) {
        for i in self.of_size(size) {
            if self.shapes[i].1 != Kind::Bool {
                continue;
            }
            let opposite = (self.values[i].iter())
                .zip(&self.target)
                .all(|(v, t)| 1 - v == *t);
            if self.kind == Kind::Bool && opposite {
                self.hit(Shape::Apply(Op::Not, [i as u32, 0, 0]));
            }
        }
    }

    /// `select(b, x, y)`: what agrees where b holds, and what agrees elsewhere.
    fn selections(&mut self, size: usize) {
        for choice in 1..=size - 2 {
            for b in self.of_size(choice) {
                if self.shapes[b].1 != Kind::Bool {
                    continue;
                }
                for first in 1..size - choice {
                    let fits = |all: std::ops::Range<usize>, truth: i64| {
                        all.into_iter().find(|i| {
                            let mut all = self.values[*i].iter().zip(&self.target);
                            let chosen = &self.values[b];
                            self.shapes[*i].1 == self.kind
                                && all
                                    .by_ref()
                                    .enumerate()
                                    .all(|(p, (v, t))| chosen[p] != truth || v == t)
                        })
                    };
                    self.work += 50;
                    let x = fits(self.of_size(first), 1);
                    let y = x.and(fits(self.of_size(size - choice - first), 0));
                    if let (Some(x), Some(y)) = (x, y) {
                        self.hit(Shape::Apply(Op::Select, [b as u32, x as u32, y as u32]));
                    }
                    if self.work > MOST_WORK {
                        return;
                    }
                }
            }
        }
    }

    fn keep(&mut self, shape: Shape, kind: Kind, values: Values) {
        let next = self.shapes.len() as u32;
        if kind == self.kind && values == self.target {
            self.hit(shape);
            return;
        }
        if *self.known.entry((kind, values.clone())).or_insert(next) == next {
            self.shapes.push((shape, kind));
            self.values.push(values);
        }
    }

    fn hit(&mut self, shape: Shape) {
        let e = self.expr(shape);
        if may_replace(self.left, e) {
            self.found.insert(e);
        }
    }

    fn expr(&self, shape: Shape) -> Expr {
        match shape {
            Shape::Leaf(e) => e,
            Shape::Apply(op, parts) => {
                let parts: Vec<Expr> = (parts.iter().take(op.arity()))
                    .map(|i| self.expr(self.shapes[*i as usize].0))
                    .collect();
                build(op, &parts)
            }
        }
    }
}

/// The kind of a result.
fn result(op: Op) -> Kind {
    use Op::*;
    match op {
        Add | Sub | Mul | Div | Mod | Min | Max => Kind::Int,
        _ => Kind::Bool,
    }
}

/// The operators that a right side may have: products only where the left side has some, since they weigh most.
fn operators(left: Expr) -> Vec<Op> {
    use Op::*;
    let mut has = BTreeSet::new();
    left.visit(&mut |e| {
        if let Node::Apply(op, _) = e.node() {
            has.insert(op);
        }
    });
    let any = |all: &[Op]| all.iter().any(|op| has.contains(op));
    let compares = any(&[Eq, Ne, Lt, Le, Gt, Ge]);
    let mut ops = vec![Add, Sub];
    if any(&[Min, Max, Select, Mod, Div]) || compares {
        ops.extend([Min, Max]);
    }
    if any(&[Mul, Div, Mod]) {
        ops.extend([Mul, Div, Mod]);
    }
    if compares || any(&[Select]) {
        ops.extend([Lt, Le, Eq, Ne]);
    }
    if any(&[And, Or, Not]) || compares || any(&[Select]) {
        ops.extend([And, Or, Not]);
    }
    if any(&[Select]) {
        ops.push(Select);
    }
    ops
}
