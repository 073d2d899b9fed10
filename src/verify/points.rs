//! Rules at points: the quickest way to find a wrong one.
//!
//! Points are drawn, the same each time. Numbers are small, since what goes wrong does so near 0; or near a number that the
//! rule itself speaks of; or large. Now and then one is another or a multiple of it, which conditions ask for and
//! rules with two occurrences of a variable do not: where two are equal, much goes wrong.

use crate::intern::Symbol;
use crate::interp::random::Rng;
use crate::scalar::{eval, Kind, Lanes, Rule, Sort, Value, VarClass};
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
    for (point, _) in random(rule, points.saturating_mul(DRAWS)) {
        match differs_at(rule, &point) {
            None => {}
            Some(differs) => {
                tried.held += 1;
                if differs {
                    tried.differs = Some(point);
                    return tried;
                }
            }
        }
        if tried.held == points {
            break;
        }
    }
    tried
}

/// As many points, which are the same each time, with the number of lanes of vectors.
pub fn random(rule: &Rule, points: u32) -> impl Iterator<Item = (Point, usize)> {
    let mut rng = Rng::new(11);
    let vars = rule.vars();
    let mut spoken = Vec::new();
    for e in [rule.lhs, rule.rhs, rule.condition] {
        e.visit(&mut |e| spoken.extend(e.as_int().map(i128::from)));
    }
    spoken.sort_unstable();
    spoken.dedup();
    (0..points).map(move |_| {
        let lanes = 1 + rng.below(MOST_LANES) as usize;
        let mut drawn = Drawn {
            rng: &mut rng,
            spoken: &spoken,
            before: Vec::new(),
        };
        let vars = vars.iter();
        let point = vars.map(|(v, sort, class)| (*v, drawn.value(*sort, *class, lanes)));
        (point.collect(), lanes)
    })
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

/// A point as far as it is drawn.
struct Drawn<'a> {
    rng: &'a mut Rng,
    /// The numbers of the rule.
    spoken: &'a [i128],
    before: Vec<i128>,
}

impl Drawn<'_> {
    fn value(&mut self, sort: Sort, class: VarClass, lanes: usize) -> Value {
        if class == VarClass::Lanes {
            return Value::Int(lanes as i128);
        }
        let lanes = match sort.lanes {
            Lanes::One => return self.one(sort.kind),
            Lanes::Fixed(n) => n as usize,
            Lanes::Named(_) => lanes,
        };
        Value::Vector((0..lanes).map(|_| self.one(sort.kind)).collect())
    }

    fn one(&mut self, kind: Kind) -> Value {
        match kind {
            Kind::Bool => Value::Bool(self.rng.one_in(2)),
            Kind::Int => {
                let n = self.number().filter(|n| n.unsigned_abs() < 1 << 64);
                let n = n.unwrap_or(0);
                // As in a vector of many lanes, the last few are enough.
                if self.before.len() < 16 {
                    self.before.push(n);
                }
                Value::Int(n)
            }
        }
    }

    /// `None` where it is too large for anything to be computed from it.
    fn number(&mut self) -> Option<i128> {
        let small = i128::from(self.rng.between(-3, 3));
        let before = self.before.clone();
        Some(match self.rng.below(16) {
            0 | 1 => i128::from(*self.rng.pick(&[0, 1, -1, 2, -2, 16, -16, 100])),
            2 | 3 if !before.is_empty() => self.rng.pick(&before).checked_mul(small)?,
            4 if !before.is_empty() => self.rng.pick(&before).checked_add(small)?,
            5 if before.len() > 1 => {
                let (a, b) = (*self.rng.pick(&before), *self.rng.pick(&before));
                a.checked_mul(b)?
            }
            6 if !self.spoken.is_empty() => {
                let near = i128::from(self.rng.between(-1, 1));
                let sign = if self.rng.one_in(2) { 1 } else { -1 };
                sign * self.rng.pick(self.spoken) + near
            }
            7 if self.rng.one_in(8) => {
                i128::from(*self.rng.pick(&[1_i64 << 31, -(1 << 31), 1 << 40]))
            }
            _ => i128::from(self.rng.between(-6, 6)),
        })
    }
}
