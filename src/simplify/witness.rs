//! Points at which all assumptions hold.
//!
//! What is false at one of them cannot be proved, and what is true cannot be refuted: most questions that rules ask are
//! answered so, without a search. Which points there are changes no answer, only how fast it is found; where none is found,
//! nothing is known.

use super::range::{Alignment, Range};
use crate::hash::fnv64_from;
use crate::intern::Symbol;
use crate::scalar::{self, arithmetic, comparison, Expr, Node, Op, Sort};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Points, and draws for them.
const POINTS: usize = 3;
const DRAWS: u64 = 12;

#[derive(Copy, Clone, PartialEq, Eq)]
enum Value {
    Int(i64),
    Bool(bool),
    /// Beyond 64 bits, or a vector.
    Unknown,
}

/// One at each point; unknown where there are fewer points.
type Values = [Value; POINTS];

/// What points are drawn by.
pub(super) struct Bounds<'a> {
    pub(super) ranges: &'a FxHashMap<Expr, Range>,
    pub(super) aligned: &'a FxHashMap<Expr, Alignment>,
    /// Variables that others bound from above: they are drawn small, others large.
    pub(super) small: FxHashSet<Expr>,
}

/// Each point is the number that variables are drawn by.
#[derive(Default)]
pub(super) struct Witnesses {
    points: SmallVec<[u64; POINTS]>,
    values: FxHashMap<Expr, Values>,
}

impl Witnesses {
    /// Points at which all of these are true.
    pub(super) fn of(truths: &[Expr], bounds: &Bounds) -> Witnesses {
        let holds = |seed: &u64| {
            let mut alone = Witnesses {
                points: SmallVec::from_slice(&[*seed]),
                ..Witnesses::default()
            };
            let mut truths = truths.iter();
            truths.all(|e| alone.values_of(*e, bounds)[0] == Value::Bool(true))
        };
        let mut found = Witnesses {
            points: (0..DRAWS).filter(holds).take(POINTS).collect(),
            ..Witnesses::default()
        };
        // Variables stay where they were drawn.
        for e in truths {
            found.values_of(*e, bounds);
        }
        found
    }

    /// Whether a boolean may be true, and whether it may be false, wherever the assumptions hold.
    pub(super) fn may(&mut self, e: Expr, bounds: &Bounds) -> (bool, bool) {
        let values = self.values_of(e, bounds);
        let none = |b: bool| values.iter().all(|v| *v != Value::Bool(b));
        (none(false), none(true))
    }

    /// Whether an instance of a pattern may be true; `of` says what its variables stand for.
    pub(super) fn may_hold(
        &mut self,
        pattern: Expr,
        of: &dyn Fn(Symbol) -> Option<Expr>,
        bounds: &Bounds,
    ) -> bool {
        let values = self.values_of_instance(pattern, of, bounds);
        values.iter().all(|v| *v != Value::Bool(false))
    }

    fn values_of(&mut self, e: Expr, bounds: &Bounds) -> Values {
        let node = e.node();
        match node {
            Node::Int(n) => return [Value::Int(n); POINTS],
            Node::Bool(b) => return [Value::Bool(b); POINTS],
            Node::Var(..) | Node::Apply(..) => {}
        }
        if let Some(known) = self.values.get(&e) {
            return *known;
        }
        let values = match node {
            Node::Apply(op, args) => each_applied(op, &args, |a| self.values_of(a, bounds)),
            _ => {
                let seed = |i: usize| self.points.get(i);
                std::array::from_fn(|i| seed(i).map_or(Value::Unknown, |s| drawn(e, *s, bounds)))
            }
        };
        self.values.insert(e, values);
        values
    }

    /// What is built for one question is not kept.
    fn values_of_instance(
        &mut self,
        pattern: Expr,
        of: &dyn Fn(Symbol) -> Option<Expr>,
        bounds: &Bounds,
    ) -> Values {
        match pattern.node() {
            Node::Var(v, _) => match of(v) {
                Some(e) => self.values_of(e, bounds),
                None => [Value::Unknown; POINTS],
            },
            Node::Apply(op, args) => {
                each_applied(op, &args, |a| self.values_of_instance(a, of, bounds))
            }
            Node::Int(_) | Node::Bool(_) => self.values_of(pattern, bounds),
        }
    }
}

fn each_applied(op: Op, args: &[Expr], mut values: impl FnMut(Expr) -> Values) -> Values {
    let mut parts = [[Value::Unknown; POINTS]; 3];
    for (p, a) in parts.iter_mut().zip(args) {
        *p = values(*a);
    }
    std::array::from_fn(|i| match &parts[..args.len()] {
        [a] => applied(op, &[a[i]]),
        [a, b] => applied(op, &[a[i], b[i]]),
        [a, b, c] => applied(op, &[a[i], b[i], c[i]]),
        _ => Value::Unknown,
    })
}

/// A number, if it has 64 bits.
fn int(n: i128) -> Value {
    i64::try_from(n).map_or(Value::Unknown, Value::Int)
}

fn applied(op: Op, args: &[Value]) -> Value {
    use Value::{Bool, Int, Unknown};
    match (op, args) {
        (Op::Not, [Bool(a)]) => Bool(!a),
        (Op::And, [Bool(a), Bool(b)]) => Bool(*a && *b),
        (Op::Or, [Bool(a), Bool(b)]) => Bool(*a || *b),
        (Op::Select, [Bool(c), a, b]) => *if *c { a } else { b },
        (_, [Int(a), Int(b)]) => {
            let (a, b) = (i128::from(*a), i128::from(*b));
            match comparison(op, a, b) {
                Some(truth) => Bool(truth),
                None => arithmetic(op, a, b).flatten().map_or(Unknown, int),
            }
        }
        _ => Unknown,
    }
}

/// The value of a variable: as points have it, or for every second seed near an end of its range, or near 0.
pub(super) fn near(e: Expr, seed: u64, bounds: &Bounds) -> Option<scalar::Value> {
    let value = match (e.sort(), seed % 2) {
        (Sort::INT, 1) => {
            let range = bounds.ranges.get(&e).copied().unwrap_or(Range::ALL);
            let few = i128::from(hash(e, seed)? % 8);
            let from = range.lo.or(range.hi.map(|hi| hi.saturating_sub(7)));
            let n = from.unwrap_or(-4).saturating_add(few);
            aligned(e, range.hi.map_or(n, |hi| hi.min(n)), range, bounds)
        }
        _ => drawn(e, seed / 2, bounds),
    };
    match value {
        Value::Int(n) => Some(scalar::Value::Int(n.into())),
        Value::Bool(b) => Some(scalar::Value::Bool(b)),
        Value::Unknown => None,
    }
}

fn hash(e: Expr, seed: u64) -> Option<u64> {
    let Node::Var(name, _) = e.node() else {
        return None;
    };
    let hash = fnv64_from(seed << 32, name.as_str().as_bytes());
    Some((hash ^ (hash >> 29)) & 0xf_ffff)
}

/// The value of a variable: within its range, a multiple where it has to be one.
fn drawn(e: Expr, seed: u64, bounds: &Bounds) -> Value {
    let Some(hash) = hash(e, seed).map(i128::from) else {
        return Value::Unknown;
    };
    match e.sort() {
        Sort::INT => {}
        Sort::BOOL => return Value::Bool(hash % 2 == 1),
        _ => return Value::Unknown,
    }
    let range = bounds.ranges.get(&e).copied().unwrap_or(Range::ALL);
    let step = i128::from(seed / 4);
    let n = match (range.lo, range.hi) {
        (Some(lo), Some(hi)) => {
            lo.saturating_add(hash % hi.saturating_sub(lo).saturating_add(1).max(1))
        }
        (Some(lo), None) if bounds.small.contains(&e) => lo.saturating_add(hash % (1 + 2 * step)),
        (Some(lo), None) => lo.saturating_add(
            [
                1920 + 960 * (hash % 8),
                7 + hash % 61,
                hash % 4,
                3000 + hash % 997,
            ][(seed % 4) as usize],
        ),
        (None, Some(hi)) => hi.saturating_sub(hash % 64),
        (None, None) => hash % 97 - 48,
    };
    aligned(e, n, range, bounds)
}

/// The number, or the one below it, or above, that is a multiple where the variable has to be one.
fn aligned(e: Expr, n: i128, range: Range, bounds: &Bounds) -> Value {
    let Some(a) = bounds.aligned.get(&e).filter(|a| a.modulus > 1) else {
        return int(n);
    };
    let below = n.saturating_sub(n.saturating_sub(a.rest).rem_euclid(a.modulus));
    if range.lo.is_some_and(|lo| below < lo) {
        int(below.saturating_add(a.modulus))
    } else {
        int(below)
    }
}
