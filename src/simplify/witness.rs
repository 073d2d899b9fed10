//! Points at which all assumptions hold.
//!
//! What is false at one of them cannot be proved, and what is true cannot be refuted: most questions that rules ask are
//! answered so, without a search. Which points there are changes no answer, only how fast it is found; where none is found,
//! nothing is known.

use super::range::{Alignment, Range};
use crate::hash::fnv64_from;
use crate::scalar::{arithmetic, comparison, Expr, Kind, Lanes, Node, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// Points, and draws for them.
const POINTS: usize = 3;
const DRAWS: u64 = 12;

#[derive(Copy, Clone, PartialEq, Eq)]
enum Value {
    Int(i128),
    Bool(bool),
    /// Beyond 128 bits, or a vector.
    Unknown,
}

/// What points are drawn by.
pub(super) struct Bounds<'a> {
    pub(super) ranges: &'a FxHashMap<Expr, Range>,
    pub(super) aligned: &'a FxHashMap<Expr, Alignment>,
    /// Variables that others bound from above: they are drawn small, others large.
    pub(super) small: FxHashSet<Expr>,
}

struct Point {
    seed: u64,
    values: FxHashMap<Expr, Value>,
}

#[derive(Default)]
pub(super) struct Witnesses(Vec<Point>);

impl Witnesses {
    /// Points at which all of these are true.
    pub(super) fn of(truths: &[Expr], bounds: &Bounds) -> Witnesses {
        let mut found = Vec::new();
        for seed in 0..DRAWS {
            let mut point = Point {
                seed,
                values: FxHashMap::default(),
            };
            let holds = |e: &Expr| point.value(*e, bounds) == Value::Bool(true);
            if truths.iter().all(holds) {
                found.push(point);
            }
            if found.len() == POINTS {
                break;
            }
        }
        Witnesses(found)
    }

    /// Whether a boolean may be true, and whether it may be false, wherever the assumptions hold.
    pub(super) fn may(&mut self, e: Expr, bounds: &Bounds) -> (bool, bool) {
        let (mut hold, mut fail) = (true, true);
        for point in &mut self.0 {
            match point.value(e, bounds) {
                Value::Bool(true) => fail = false,
                Value::Bool(false) => hold = false,
                _ => {}
            }
        }
        (hold, fail)
    }
}

impl Point {
    fn value(&mut self, e: Expr, bounds: &Bounds) -> Value {
        match e.node() {
            Node::Int(n) => return Value::Int(n.into()),
            Node::Bool(b) => return Value::Bool(b),
            _ => {}
        }
        if let Some(known) = self.values.get(&e) {
            return *known;
        }
        let value = match e.node() {
            Node::Apply(op, args) if args.len() <= 3 => {
                let mut parts = [Value::Unknown; 3];
                for (p, a) in parts.iter_mut().zip(args.iter()) {
                    *p = self.value(*a, bounds);
                }
                applied(op, &parts[..args.len()])
            }
            _ => drawn(e, self.seed, bounds),
        };
        self.values.insert(e, value);
        value
    }
}

fn applied(op: Op, args: &[Value]) -> Value {
    use Value::{Bool, Int, Unknown};
    match (op, args) {
        (Op::Not, [Bool(a)]) => Bool(!a),
        (Op::And, [Bool(a), Bool(b)]) => Bool(*a && *b),
        (Op::Or, [Bool(a), Bool(b)]) => Bool(*a || *b),
        (Op::Select, [Bool(c), a, b]) => *if *c { a } else { b },
        (_, [Int(a), Int(b)]) => match comparison(op, *a, *b) {
            Some(truth) => Bool(truth),
            None => arithmetic(op, *a, *b).flatten().map_or(Unknown, Int),
        },
        _ => Unknown,
    }
}

/// The value of a variable: within its range, a multiple where it has to be one.
fn drawn(e: Expr, seed: u64, bounds: &Bounds) -> Value {
    let Node::Var(name, sort) = e.node() else {
        return Value::Unknown;
    };
    if sort.lanes != Lanes::One {
        return Value::Unknown;
    }
    let hash = fnv64_from(seed << 32, name.as_str().as_bytes());
    let hash = i128::from((hash ^ (hash >> 29)) & 0xf_ffff);
    if sort.kind == Kind::Bool {
        return Value::Bool(hash % 2 == 1);
    }
    let range = bounds
        .ranges
        .get(&e)
        .copied()
        .unwrap_or(Range { lo: None, hi: None });
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
    let Some(a) = bounds.aligned.get(&e).filter(|a| a.modulus > 1) else {
        return Value::Int(n);
    };
    let below = n.saturating_sub(n.saturating_sub(a.rest).rem_euclid(a.modulus));
    match range.lo.is_some_and(|lo| below < lo) {
        true => Value::Int(below.saturating_add(a.modulus)),
        false => Value::Int(below),
    }
}
