//! Rules at points: the quickest way to find a wrong one.
//!
//! Points are drawn, the same each time. Numbers are small, since what goes wrong does so near 0; or near a number that the
//! rule itself speaks of; or large. Now and then one is another or a multiple of it, which conditions ask for and
//! rules with two occurrences of a variable do not: where two are equal, much goes wrong.

use crate::intern::Symbol;
use crate::interp::random::Rng;
use crate::scalar::{eval, Compiled, Kind, Lanes, Rule, Sort, Value};
use std::collections::BTreeMap;

/// A value for every variable of a rule.
pub type Point = BTreeMap<Symbol, Value>;

/// What was found at points.
#[derive(Clone, Debug, Default)]
pub struct Tried {
    /// The first point at which the sides differ.
    pub differs: Option<Point>,
    /// At how many points the condition held.
    pub held: u32,
}

/// Most lanes of a vector at a point.
const MOST_LANES: u64 = 4;
/// How many points are drawn for one at which the condition holds, at most.
const DRAWS: u32 = 4;

/// Tries a rule at as many points at which its condition holds, or as can be found with a few draws for each.
pub fn try_points(rule: &Rule, points: u32) -> Tried {
    let mut tried = Tried::default();
    let mut source = Source::new(rule);
    let names: Vec<Symbol> = source.vars.iter().map(|v| v.0).collect();
    let compiled = [rule.condition, rule.lhs, rule.rhs].map(|e| Compiled::new(e, &names));
    let (mut numbers, mut stack) = (Vec::new(), Vec::new());
    for _ in 0..points.saturating_mul(DRAWS) {
        let differs = match &compiled {
            [Some(condition), Some(left), Some(right)] => {
                source.draw_numbers(&mut numbers);
                let mut at = |e: &Compiled| e.value(&numbers, &mut stack);
                match at(condition) {
                    Some(1) => at(left).zip(at(right)).map(|(l, r)| l != r),
                    _ => None,
                }
            }
            _ => {
                let (point, _) = source.draw();
                let differs = differs_at(rule, &point);
                if differs == Some(true) {
                    tried.differs = Some(point);
                }
                differs
            }
        };
        tried.held += u32::from(differs.is_some());
        if differs == Some(true) {
            tried.differs.get_or_insert_with(|| source.point(&numbers));
        }
        if tried.held == points || tried.differs.is_some() {
            break;
        }
    }
    tried
}

/// As many points, which are the same each time, with the number of lanes of both sides.
pub fn random(rule: &Rule, points: u32) -> impl Iterator<Item = (Point, usize)> {
    let mut source = Source::new(rule);
    (0..points).map(move |_| source.draw())
}

/// Where points come from.
struct Source {
    rng: Rng,
    vars: Vec<(Symbol, Sort)>,
    /// The lanes of both sides.
    whole: Lanes,
    /// The numbers of the rule.
    spoken: Vec<i128>,
    /// What was drawn for this point.
    before: Vec<i128>,
    /// What counts lanes, and how many.
    counts: Vec<(Symbol, i128)>,
}

impl Source {
    fn new(rule: &Rule) -> Source {
        let mut spoken = Vec::new();
        for e in [rule.lhs, rule.rhs, rule.condition] {
            e.visit(&mut |e| spoken.extend(e.as_int().map(i128::from)));
        }
        spoken.sort_unstable();
        spoken.dedup();
        Source {
            rng: Rng::new(11),
            vars: rule.lhs.vars(),
            whole: rule.lhs.sort().lanes,
            spoken,
            before: Vec::new(),
            counts: rule.counts().into_iter().map(|name| (name, 1)).collect(),
        }
    }

    /// Begins a point; how many lanes vectors have if nothing else says it.
    fn begin(&mut self) -> usize {
        self.before.clear();
        let first = 1 + self.rng.below(MOST_LANES);
        for (i, (_, n)) in self.counts.iter_mut().enumerate() {
            *n = match i {
                0 => first.into(),
                _ => i128::from(1 + self.rng.below(MOST_LANES)),
            };
        }
        first as usize
    }

    fn draw(&mut self) -> (Point, usize) {
        let first = self.begin();
        let vars = std::mem::take(&mut self.vars);
        let point = (vars.iter()).map(|(v, sort)| (*v, self.value(*v, *sort)));
        let point = point.collect();
        self.vars = vars;
        let lanes = match self.whole {
            Lanes::One => first,
            lanes => self.lanes(lanes),
        };
        (point, lanes)
    }

    /// The same point of single values, booleans as 0 and 1.
    fn draw_numbers(&mut self, numbers: &mut Vec<i128>) {
        self.begin();
        numbers.clear();
        for i in 0..self.vars.len() {
            numbers.push(self.one(self.vars[i].1.kind));
        }
    }

    /// The point of single values that numbers are.
    fn point(&self, numbers: &[i128]) -> Point {
        let all = self.vars.iter().zip(numbers);
        let value = |kind: Kind, n: i128| match kind {
            Kind::Int => Value::Int(n),
            Kind::Bool => Value::Bool(n != 0),
        };
        all.map(|((v, s), n)| (*v, value(s.kind, *n))).collect()
    }

    fn value(&mut self, v: Symbol, sort: Sort) -> Value {
        if let Some((_, n)) = self.counts.iter().find(|c| c.0 == v) {
            return Value::Int(*n);
        }
        let lanes = (0..self.lanes(sort.lanes)).map(|_| match (sort.kind, self.one(sort.kind)) {
            (Kind::Int, n) => Value::Int(n),
            (Kind::Bool, b) => Value::Bool(b != 0),
        });
        Value::of_lanes(lanes.collect())
    }

    fn lanes(&self, lanes: Lanes) -> usize {
        let count = |v: Symbol| self.counts.iter().find(|c| c.0 == v).map(|c| c.1);
        lanes.value(&count).unwrap_or(1)
    }

    fn one(&mut self, kind: Kind) -> i128 {
        match kind {
            Kind::Bool => self.rng.one_in(2).into(),
            Kind::Int => {
                let n = self.number().filter(|n| n.unsigned_abs() < 1 << 64);
                let n = n.unwrap_or(0);
                // As in a vector of many lanes, the last few are enough.
                if self.before.len() < 16 {
                    self.before.push(n);
                }
                n
            }
        }
    }

    /// `None` where it is too large for anything to be computed from it.
    fn number(&mut self) -> Option<i128> {
        let small = i128::from(self.rng.between(-3, 3));
        let before = &self.before;
        Some(match self.rng.below(16) {
            0 | 1 => i128::from(*self.rng.pick(&[0, 1, -1, 2, -2, 16, -16, 100])),
            2 | 3 if !before.is_empty() => self.rng.pick(before).checked_mul(small)?,
            4 if !before.is_empty() => self.rng.pick(before).checked_add(small)?,
            5 if before.len() > 1 => {
                let (a, b) = (*self.rng.pick(before), *self.rng.pick(before));
                a.checked_mul(b)?
            }
            6 if !self.spoken.is_empty() => {
                let near = i128::from(self.rng.between(-1, 1));
                let sign = if self.rng.one_in(2) { 1 } else { -1 };
                sign * self.rng.pick(&self.spoken) + near
            }
            7 if self.rng.one_in(8) => {
                i128::from(*self.rng.pick(&[1_i64 << 31, -(1 << 31), 1 << 40]))
            }
            _ => i128::from(self.rng.between(-6, 6)),
        })
    }
}

/// Whether the sides differ at a point; `None` where the condition does not hold, or something has no value.
pub fn differs_at(rule: &Rule, point: &Point) -> Option<bool> {
    let of = |v: Symbol| point.get(&v).cloned();
    if eval(rule.condition, &of) != Ok(Value::Bool(true)) {
        return None;
    }
    let (left, right) = (eval(rule.lhs, &of).ok()?, eval(rule.rhs, &of).ok()?);
    Some(left != right)
}
