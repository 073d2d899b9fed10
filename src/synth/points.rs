//! Points at which expressions are compared, and values there.
//!
//! In: variables with what they stand for, the numbers that are spoken of, what is assumed. Out: the same points each time,
//! corners first: zeros, ones, unit vectors; then small numbers, numbers that are spoken of and their neighbours, multiples of
//! each other. Values are 64-bit and what does not fit is 0: they suggest, and never prove. Absent: proofs.

use crate::intern::Symbol;
use crate::interp::random::Rng;
use crate::scalar::{arithmetic, comparison, Expr, Kind, Node, Op};
use std::collections::BTreeMap;

/// Values of one expression, one at each point; booleans are 0 and 1.
pub(super) type Values = Vec<i64>;

/// Values of variables, column by column.
#[derive(Clone, Debug, Default)]
pub(super) struct Points {
    count: usize,
    columns: BTreeMap<Symbol, Values>,
}

/// Draws for one point at which assumptions hold.
const DRAWS: usize = 60;

impl Points {
    /// At most as many points, at which all of `assumed` hold.
    pub(super) fn new(
        vars: &[(Symbol, Kind)],
        spoken: &[i64],
        assumed: &[Expr],
        count: usize,
        seed: u64,
    ) -> Points {
        let mut rng = Rng::new(seed);
        let mut points = Points {
            count: 0,
            columns: vars.iter().map(|v| (v.0, Vec::new())).collect(),
        };
        for draw in 0..count * DRAWS {
            if points.count == count || assumed.is_empty() && draw == count {
                break;
            }
            let row = row(&mut rng, draw, vars, spoken);
            let of: BTreeMap<Symbol, i64> = vars.iter().map(|v| v.0).zip(row).collect();
            if assumed.iter().all(|e| value(*e, &of) == 1) {
                points.push(&of);
            }
        }
        points
    }

    /// One more, of all variables.
    pub(super) fn push(&mut self, of: &BTreeMap<Symbol, i64>) {
        for (name, column) in &mut self.columns {
            column.push(of.get(name).copied().unwrap_or(0));
        }
        self.count += 1;
    }

    /// The values of all variables at a point.
    pub(super) fn row(&self, at: usize) -> BTreeMap<Symbol, i64> {
        self.columns
            .iter()
            .map(|(v, column)| (*v, column[at]))
            .collect()
    }

    /// What a variable is at a point; 0 if it is not known.
    pub(super) fn value(&self, name: Symbol, at: usize) -> i64 {
        self.columns
            .get(&name)
            .and_then(|c| c.get(at))
            .copied()
            .unwrap_or(0)
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// What an expression is at each point; variables that are not known are 0.
    pub(super) fn values(&self, e: Expr) -> Values {
        match e.node() {
            Node::Int(n) => vec![n; self.count],
            Node::Bool(b) => vec![b.into(); self.count],
            Node::Var(v, _) => match self.columns.get(&v) {
                Some(column) => column.clone(),
                None => vec![0; self.count],
            },
            Node::Apply(op, args) => {
                let parts: Vec<Values> = args.iter().map(|a| self.values(*a)).collect();
                let part = |i: usize, at: usize| parts.get(i).map_or(0, |p: &Values| p[at]);
                (0..self.count)
                    .map(|at| applied(op, part(0, at), part(1, at), part(2, at)))
                    .collect()
            }
        }
    }
}

/// One value of an operator; what it does not take is 0.
pub(super) fn applied(op: Op, a: i64, b: i64, c: i64) -> i64 {
    match op {
        Op::Not => 1 - a,
        Op::Prove => a,
        Op::And => a & b,
        Op::Or => a | b,
        Op::Select if a != 0 => b,
        Op::Select => c,
        _ => {
            let (a, b) = (i128::from(a), i128::from(b));
            match comparison(op, a, b) {
                Some(truth) => truth.into(),
                None => {
                    let n = arithmetic(op, a, b).flatten();
                    n.and_then(|n| i64::try_from(n).ok()).unwrap_or(0)
                }
            }
        }
    }
}

fn value(e: Expr, of: &BTreeMap<Symbol, i64>) -> i64 {
    match e.node() {
        Node::Int(n) => n,
        Node::Bool(b) => b.into(),
        Node::Var(v, _) => of.get(&v).copied().unwrap_or(0),
        Node::Apply(op, args) => {
            let part = |i: usize| args.get(i).map_or(0, |a| value(*a, of));
            applied(op, part(0), part(1), part(2))
        }
    }
}

/// One number for each variable.
fn row(rng: &mut Rng, draw: usize, vars: &[(Symbol, Kind)], spoken: &[i64]) -> Vec<i64> {
    let mut before: Vec<i64> = Vec::new();
    for (i, (_, kind)) in vars.iter().enumerate() {
        let n = match (kind, draw) {
            (Kind::Bool, _) => rng.below(2) as i64,
            (_, 0) => 0,
            (_, 1) => 1,
            (_, 2) => -1,
            (_, d) if d < 3 + vars.len() => (i == d - 3).into(),
            _ => number(rng, spoken, &before),
        };
        before.push(n);
    }
    before
}

fn number(rng: &mut Rng, spoken: &[i64], before: &[i64]) -> i64 {
    let small = rng.between(-3, 3);
    match rng.below(12) {
        0 | 1 if !before.is_empty() => rng.pick(before).wrapping_mul(small) % 1_000_000,
        2 if !before.is_empty() => rng.pick(before).wrapping_add(small) % 1_000_000,
        3 | 4 if !spoken.is_empty() => rng.pick(spoken).wrapping_add(small % 2) % (1 << 40),
        5 if !spoken.is_empty() => rng.pick(spoken).wrapping_mul(small) % (1 << 40),
        6 => rng.between(-40, 40),
        7 => *rng.pick(&[100, -100, 17, 64, 1023]),
        _ => rng.between(-6, 6),
    }
}
