//! Right sides that isolate: no target, a target alone, a target on the left of an operator, that under a condition, or two such
//! operators.
//!
//! In: a left side whose numbers are numbers, points. Out: terms of these forms that agree with it at all points, the
//! simplest first. Where a term is made of two, only the first point at which it differs is computed. Absent: whether a term is
//! nearer in an order, proofs.

use super::numbers;
use super::points::{applied, Points, Values};
use crate::scalar::{is_open, Expr, Kind, Node, Op, Sort};
use crate::simplify::build;
use std::collections::BTreeSet;

/// Terms without targets that are kept, of one operation; and conditions with one operator.
const MOST_TERMS: usize = 700;
const MOST_CONDITIONS: usize = 120;
/// Terms that stand in the second of two operators.
const MOST_SECOND: usize = 90;
/// Right sides of one left side.
const MOST_FOUND: usize = 16;

/// Terms that agree with a left side.
pub(super) fn rights(left: Expr, spoken: &[i64], points: &Points) -> Vec<Expr> {
    let mut search = Search::new(left, spoken, points);
    search.free();
    search.alone();
    search.applied();
    if search.found.is_empty() {
        search.conditional();
    }
    let count = |e: Expr| {
        let mut n = 0;
        e.visit(&mut |part| n += usize::from(matches!(part.node(), Node::Var(v, _) if is_open(v))));
        n
    };
    if search.found.is_empty() && count(left) > 1 {
        search.twice();
    }
    let mut seen = BTreeSet::new();
    search.found.retain(|e| seen.insert(*e));
    search.found
}

/// A term without targets: of one operation at most, with its values; of two, as it is asked for.
#[derive(Clone)]
struct Term {
    e: Expr,
    values: Values,
}

struct Search {
    kind: Kind,
    value: Values,
    targets: Vec<Term>,
    leaves: Vec<Term>,
    /// Leaves, then terms of one operation.
    terms: Vec<Term>,
    ops: Vec<Op>,
    found: Vec<Expr>,
}

impl Search {
    fn new(left: Expr, spoken: &[i64], points: &Points) -> Search {
        let term = |e: Expr| Term {
            e,
            values: points.values(e),
        };
        let vars = left.vars().into_iter().filter(|v| v.1 == Sort::INT);
        let (targets, rest): (Vec<_>, Vec<_>) = vars.partition(|v| is_open(v.0));
        let var = |(v, sort)| Expr::var(v, sort);
        let targets: Vec<Term> = targets.into_iter().map(var).map(term).collect();
        let rest: Vec<Expr> = rest.into_iter().map(var).collect();
        let mut numbers = numbers(spoken);
        numbers.extend(spoken.iter().filter_map(|n| n.checked_sub(1)));
        let one = Expr::int(1);
        let numbers = numbers
            .into_iter()
            .filter_map(|n| Expr::checked_int(n.into()));
        // A sum that is rounded up has one less than a divisor in it.
        let less = rest.iter().map(|n| build(Op::Sub, &[*n, one]));
        let mut leaves: Vec<Term> = Vec::new();
        let mut known = BTreeSet::new();
        for e in rest.iter().copied().chain(numbers).chain(less) {
            let term = term(e);
            if known.insert(term.values.clone()) {
                leaves.push(term);
            }
        }
        let mut search = Search {
            kind: left.sort().kind,
            value: points.values(left),
            targets,
            terms: leaves.clone(),
            leaves,
            ops: operators(left),
            found: Vec::new(),
        };
        search.one_operation(&mut known);
        search
    }

    fn one_operation(&mut self, known: &mut BTreeSet<Values>) {
        let leaves = self.leaves.clone();
        for op in self.ops.clone() {
            for (i, a) in leaves.iter().enumerate() {
                for (j, b) in leaves.iter().enumerate() {
                    if op.commutes() && i > j || self.terms.len() >= MOST_TERMS {
                        continue;
                    }
                    let values = of_two(op, &a.values, &b.values);
                    if known.insert(values.clone()) {
                        let e = build(op, &[a.e, b.e]);
                        self.terms.push(Term { e, values });
                    }
                }
            }
        }
    }

    fn is_full(&self) -> bool {
        self.found.len() >= MOST_FOUND
    }

    /// No target: a truth, a term, a comparison of two, a condition of two comparisons.
    fn free(&mut self) {
        if self.kind == Kind::Int {
            let equal = self.terms.iter().filter(|t| t.values == self.value);
            self.found.extend(equal.map(|t| t.e));
            return;
        }
        for truth in [true, false] {
            if self.value.iter().all(|v| (*v == 1) == truth) {
                self.found.push(Expr::bool(truth));
            }
        }
        let conditions = self.conditions();
        let equal = conditions.iter().filter(|t| t.values == self.value);
        self.found.extend(equal.map(|t| t.e));
    }

    /// Comparisons of terms with leaves, each set of values once.
    fn conditions(&self) -> Vec<Term> {
        let mut known = BTreeSet::new();
        let mut found = Vec::new();
        for (i, op) in [Op::Lt, Op::Le, Op::Eq, Op::Ne].into_iter().enumerate() {
            for a in &self.terms {
                for b in &self.leaves {
                    let values = of_two(op, &a.values, &b.values);
                    let some = values.contains(&0) && values.contains(&1);
                    let room = found.len() < (i + 1) * MOST_CONDITIONS;
                    if some && room && known.insert(values.clone()) {
                        let e = Expr::of(op, &[a.e, b.e]);
                        found.push(Term { e, values });
                    }
                }
            }
        }
        found
    }

    fn alone(&mut self) {
        let equal = self.targets.iter().filter(|t| t.values == self.value);
        self.found.extend(equal.map(|t| t.e));
    }

    /// `t ⊙ n`, for terms of up to two operations.
    fn applied(&mut self) {
        let ops = outer(self.kind);
        for target in self.targets.clone() {
            for op in ops {
                let fits = |n: &Values| {
                    (0..self.value.len())
                        .all(|p| applied(*op, target.values[p], n[p], 0) == self.value[p])
                };
                let equal = self.terms.iter().filter(|t| fits(&t.values));
                let equal: Vec<Expr> = equal.map(|t| Expr::of(*op, &[target.e, t.e])).collect();
                self.found.extend(equal);
            }
        }
        if self.found.is_empty() {
            self.applied_to_larger();
        }
    }

    fn applied_to_larger(&mut self) {
        for target in self.targets.clone() {
            for outer in outer(self.kind) {
                for inner in self.ops.clone() {
                    for a in &self.terms {
                        for b in &self.leaves {
                            for (a, b, turned) in [(a, b, false), (b, a, true)] {
                                let fits = (0..self.value.len()).all(|p| {
                                    let n = applied(inner, a.values[p], b.values[p], 0);
                                    applied(*outer, target.values[p], n, 0) == self.value[p]
                                });
                                let again = turned && inner.commutes();
                                if fits && !again && self.found.len() < MOST_FOUND {
                                    let n = build(inner, &[a.e, b.e]);
                                    self.found.push(Expr::of(*outer, &[target.e, n]));
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// `t ⊙ n && b`, `t ⊙ n || b`.
    fn conditional(&mut self) {
        if self.kind != Kind::Bool {
            return;
        }
        let conditions = self.conditions();
        for (joint, decided) in [(Op::And, 0), (Op::Or, 1)] {
            for b in &conditions {
                let open = |p: &usize| b.values[*p] != decided;
                let wrong = |p: usize| !open(&p) && self.value[p] != decided;
                let all = || 0..self.value.len();
                if all().any(wrong) || all().filter(open).count() * 8 < self.value.len() {
                    continue;
                }
                for target in &self.targets {
                    for op in outer(Kind::Bool) {
                        let fits = |n: &&Term| {
                            let at = |p: usize| applied(*op, target.values[p], n.values[p], 0);
                            all().filter(open).all(|p| at(p) == self.value[p])
                        };
                        if let Some(n) = self.terms.iter().find(fits) {
                            let first = Expr::of(*op, &[target.e, n.e]);
                            self.found.push(Expr::of(joint, &[first, b.e]));
                        }
                        if self.found.len() >= MOST_FOUND {
                            return;
                        }
                    }
                }
            }
        }
    }

    /// `(t ⊙ n) ⊙ m`, where the left side has targets more than once.
    fn twice(&mut self) {
        let few: Vec<Term> = self.terms.iter().take(MOST_SECOND).cloned().collect();
        for target in self.targets.clone() {
            for inner in outer(Kind::Int) {
                for n in &self.terms {
                    let first = of_two(*inner, &target.values, &n.values);
                    for op in outer(self.kind) {
                        let fits = |m: &&Term| {
                            (0..first.len())
                                .all(|p| applied(*op, first[p], m.values[p], 0) == self.value[p])
                        };
                        if let Some(m) = few.iter().find(fits) {
                            let inside = Expr::of(*inner, &[target.e, n.e]);
                            self.found.push(Expr::of(*op, &[inside, m.e]));
                        }
                        if self.is_full() {
                            return;
                        }
                    }
                }
            }
        }
    }
}

fn of_two(op: Op, a: &Values, b: &Values) -> Values {
    let pairs = a.iter().zip(b);
    pairs.map(|(a, b)| applied(op, *a, *b, 0)).collect()
}

/// The operators that a target may stand on the left of.
fn outer(kind: Kind) -> &'static [Op] {
    use Op::*;
    match kind {
        Kind::Int => &[Add, Sub, Mul, Div, Mod, Min, Max],
        Kind::Bool => &[Lt, Le, Gt, Ge, Eq, Ne],
    }
}

/// The operators of terms without targets.
fn operators(left: Expr) -> Vec<Op> {
    use Op::*;
    let mut has = BTreeSet::new();
    left.visit(&mut |e| {
        if let Node::Apply(op, _) = e.node() {
            has.insert(op);
        }
    });
    let any = |all: &[Op]| all.iter().any(|op| has.contains(op));
    let mut ops = vec![Add, Sub];
    if any(&[Mul, Div, Mod]) {
        ops.extend([Div, Mul, Mod]);
    }
    if any(&[Min, Max, Select, And, Or]) {
        ops.extend([Min, Max]);
    }
    ops
}
