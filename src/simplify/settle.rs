//! What rules leave, made smaller where a distinction of cases shows that something smaller is equal.
//!
//! In: a simplified expression and facts. Out: one that is equal wherever the facts hold, and no larger. Of every part,
//! what is smaller and has its values at points where the facts hold is a candidate: constants, parts of it, what two of these
//! make, the sum that it is, and the part with one operand in place of a minimum, a choice or a conjunction. Points suggest; `cases` proves. Invariant: the
//! same expression and facts give the same result. Absent: rules.

use super::build::{build, is_constant};
use super::cases::{contradict, equal, is_scalar};
use super::linear::Linear;
use super::{Simplifier, Step};
use crate::intern::Symbol;
use crate::scalar::{eval, of_values, Expr, Kind, Node, Op, Sort, Value};
use rustc_hash::FxHashMap;

/// Larger expressions are left as they are.
const SIZE: u32 = 60;
/// Points, of so many draws.
const POINTS: usize = 24;
const DRAWS: u64 = 160;
/// How often a point is moved to where the assumptions hold.
const MOVES: u32 = 2;
/// Proofs that are tried for one expression.
const PROOFS: u32 = 40;
/// Parts that are combined with each other.
const PARTS: usize = 14;

/// What an expression is at each point; nothing where it has no value.
type Values = Vec<Option<Value>>;

impl Simplifier {
    /// Whether a boolean holds wherever the assumptions do, by rules and facts, then by cases; `None` if that is not known.
    pub fn prove_by_cases(&mut self, e: Expr) -> Option<bool> {
        if let Some(known) = self.prove(e) {
            return Some(known);
        }
        if e.sort() != Sort::BOOL || self.facts.is_open(e) || e.size() > SIZE {
            return None;
        }
        let simple = self.simplify_by_cases(e);
        simple.as_bool().or_else(|| {
            let truths = self.facts.truths();
            let never = |e: Expr| contradict(truths.iter().copied().chain([e]));
            let no = |e: Expr| Expr::of(Op::Not, &[e]);
            match never(no(simple)) || simple != e && never(no(e)) {
                true => Some(true),
                false => never(simple).then_some(false),
            }
        })
    }

    /// The simplified expression; what rules leave of it is made smaller by cases.
    pub fn simplify_by_cases(&mut self, e: Expr) -> Expr {
        let mut now = self.simplify(e);
        let mut left = PROOFS;
        while let Some(next) = self.settled(now, &mut left) {
            let seen = self.steps().len();
            if let Some(trace) = &mut self.trace {
                trace.push(Step {
                    rule: Some(Symbol::new("cases")),
                    before: now,
                    after: next,
                });
            }
            let next = self.simplify(next);
            // A rule may prefer what is larger.
            if next.size() >= now.size() {
                if let Some(trace) = &mut self.trace {
                    trace.truncate(seen);
                }
                break;
            }
            now = next;
        }
        now
    }

    /// The expression with one part made smaller.
    fn settled(&self, e: Expr, left: &mut u32) -> Option<Expr> {
        let truths = self.facts.truths();
        if self.exhausted || e.size() > SIZE || !is_scalar(e) {
            return None;
        }
        let points = self.points(e, truths);
        let mut parts = Vec::new();
        e.visit(&mut |part| {
            if !parts.contains(&part) {
                parts.push(part);
            }
        });
        let mut known: FxHashMap<Expr, Values> = FxHashMap::default();
        for p in &parts {
            known.insert(*p, values(*p, &points));
        }
        parts.sort_by_key(|p| std::cmp::Reverse(p.size()));
        for part in parts.iter().filter(|p| p.size() > 1) {
            let inside: Vec<Expr> = (parts.iter().copied())
                .filter(|p| p != part && contains(*part, *p))
                .collect();
            let mut candidates = candidates(*part, &inside, &known);
            candidates.retain(|c| c.size() < part.size());
            candidates.sort_by_key(|c| c.size());
            let target = &known[part];
            for c in candidates {
                if *left == 0 {
                    return None;
                }
                if values(c, &points) != *target {
                    continue;
                }
                *left -= 1;
                if equal(*part, c, truths) {
                    return Some(replaced(e, *part, c));
                }
            }
        }
        None
    }

    /// Points at which the assumptions hold, small ones and others.
    fn points(&self, e: Expr, truths: &[Expr]) -> Vec<FxHashMap<Expr, Value>> {
        let mut vars: Vec<Expr> = Vec::new();
        for t in truths.iter().chain([&e]) {
            for (name, sort) in t.vars() {
                let var = Expr::var(name, sort);
                if !vars.contains(&var) {
                    vars.push(var);
                }
            }
        }
        let mut found = Vec::new();
        for seed in 0..DRAWS {
            let mut point: FxHashMap<Expr, Value> = (vars.iter())
                .filter_map(|v| Some((*v, self.facts.drawn(*v, seed)?)))
                .collect();
            for _ in 0..MOVES {
                truths.iter().for_each(|t| moved(*t, &mut point));
            }
            if truths.iter().all(|t| holds(*t, &point)) {
                found.push(point);
            }
            if found.len() == POINTS {
                break;
            }
        }
        found
    }
}

fn holds(truth: Expr, point: &FxHashMap<Expr, Value>) -> bool {
    value(truth, point) == Some(Value::Bool(true))
}

/// A point at which a comparison with a variable does not hold becomes one where it does: the variable is as near as it may be.
fn moved(truth: Expr, point: &mut FxHashMap<Expr, Value>) {
    let Node::Apply(op, args) = truth.node() else {
        return;
    };
    // Of `a < b`: b - 1 for a, or a + 1 for b.
    let by = match op {
        Op::Lt => 1,
        Op::Gt => -1,
        Op::Le | Op::Ge => 0,
        _ => return,
    };
    if holds(truth, point) {
        return;
    }
    for (var, other, by) in [(args[0], args[1], -by), (args[1], args[0], by)] {
        let to = match (var.node(), value(other, point)) {
            (Node::Var(..), Some(Value::Int(n))) => n.checked_add(by),
            _ => None,
        };
        if let Some(n) = to {
            point.insert(var, Value::Int(n));
            return;
        }
    }
}

fn contains(e: Expr, part: Expr) -> bool {
    e == part || e.args().any(|a| contains(a, part))
}

fn value(e: Expr, point: &FxHashMap<Expr, Value>) -> Option<Value> {
    let of = |sort, v| point.get(&Expr::var(v, sort)).cloned();
    eval(e, &|v| of(Sort::INT, v).or_else(|| of(Sort::BOOL, v))).ok()
}

fn values(e: Expr, points: &[FxHashMap<Expr, Value>]) -> Values {
    points.iter().map(|p| value(e, p)).collect()
}

/// `e` with `by` in place of a part, wherever that stands.
fn replaced(e: Expr, part: Expr, by: Expr) -> Expr {
    if e == part {
        return by;
    }
    match e.node() {
        Node::Apply(op, args) => {
            let parts: Vec<Expr> = args.iter().map(|a| replaced(*a, part, by)).collect();
            build(op, &parts)
        }
        _ => e,
    }
}

/// What may be equal to an expression: by its form, or by its values.
fn candidates(e: Expr, inside: &[Expr], known: &FxHashMap<Expr, Values>) -> Vec<Expr> {
    let mut found = Vec::new();
    let target = &known[&e];
    if let Some(Some(first)) = target.first() {
        if target.iter().all(|v| v.as_ref() == Some(first)) {
            found.extend(match first {
                Value::Int(n) => Expr::checked_int(*n),
                Value::Bool(b) => Some(Expr::bool(*b)),
                Value::Vector(_) => None,
            });
        }
    }
    if e.sort() == Sort::INT {
        found.extend(Linear::of(e).written());
    }
    let alike = |p: &&Expr| p.sort() == e.sort();
    found.extend(inside.iter().filter(alike).copied());
    for node in inside.iter().chain([&e]) {
        if let Node::Apply(Op::Min | Op::Max | Op::And | Op::Or | Op::Select, args) = node.node() {
            let operands = args.iter().filter(|a| a.sort() == node.sort());
            found.extend(operands.map(|a| replaced(e, *node, *a)));
        }
    }
    let mut parts: Vec<Expr> = inside.to_vec();
    parts.sort_by_key(|p| p.size());
    parts.truncate(PARTS);
    combined(e, &parts, known, &mut found);
    found
}

/// What one or two parts make that has the values of `e`.
fn combined(e: Expr, parts: &[Expr], known: &FxHashMap<Expr, Values>, found: &mut Vec<Expr>) {
    use Op::{Add, And, Eq, Le, Lt, Max, Min, Not, Or, Sub};
    let target = &known[&e];
    let is = |p: &Expr, kind: Kind| p.sort().kind == kind;
    if is(&e, Kind::Int) {
        for p in parts
            .iter()
            .filter(|p| is(p, Kind::Int) && !is_constant(**p))
        {
            if let Some(k) = apart(target, &known[p]).and_then(Expr::checked_int) {
                found.push(build(Add, &[*p, k]));
            }
        }
    } else {
        let booleans = parts.iter().filter(|p| is(p, Kind::Bool));
        found.extend(booleans.map(|p| build(Not, &[*p])));
    }
    let ops: &[(Op, Kind)] = match e.sort().kind {
        Kind::Int => &[
            (Add, Kind::Int),
            (Sub, Kind::Int),
            (Min, Kind::Int),
            (Max, Kind::Int),
        ],
        Kind::Bool => &[
            (Lt, Kind::Int),
            (Le, Kind::Int),
            (Eq, Kind::Int),
            (And, Kind::Bool),
            (Or, Kind::Bool),
        ],
    };
    for (op, kind) in ops {
        for a in parts.iter().filter(|p| is(p, *kind)) {
            for b in parts.iter().filter(|p| is(p, *kind) && *p != a) {
                let fits = (known[a].iter().zip(&known[b]).zip(target))
                    .all(|((x, y), t)| t.is_some() && applied(*op, x, y) == *t);
                if fits {
                    found.push(build(*op, &[*a, *b]));
                }
            }
        }
    }
}

/// The number by which all values are larger than others.
fn apart(a: &Values, b: &Values) -> Option<i128> {
    let mut all = a.iter().zip(b).map(|(x, y)| match (x, y) {
        (Some(Value::Int(x)), Some(Value::Int(y))) => x.checked_sub(*y),
        _ => None,
    });
    let first = all.next()??;
    all.all(|d| d == Some(first)).then_some(first)
}

fn applied(op: Op, a: &Option<Value>, b: &Option<Value>) -> Option<Value> {
    of_values(op, &[a.clone()?, b.clone()?])?.ok()
}
