//! Rules at points: the quickest way to find a wrong one.

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

/// Tries a rule at as many random points, which are the same each time.
pub fn try_points(rule: &Rule, points: u32) -> Tried {
    let mut tried = Tried::default();
    for (point, _) in random(rule, points) {
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
    }
    tried
}

/// As many random points, which are the same each time, with the number of lanes of vectors.
pub(super) fn random(rule: &Rule, points: u32) -> impl Iterator<Item = (Point, usize)> {
    let mut rng = Rng::new(11);
    let vars = rule.vars();
    (0..points).map(move |_| {
        let lanes = 1 + rng.below(MOST_LANES) as usize;
        let vars = vars.iter();
        let point = vars.map(|(v, sort, class)| (*v, value(&mut rng, *sort, *class, lanes)));
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

/// Numbers are small, since what goes wrong does so near 0, and now and then corners.
fn value(rng: &mut Rng, sort: Sort, class: VarClass, lanes: usize) -> Value {
    let mut one = || match sort.kind {
        Kind::Int if rng.one_in(8) => Value::Int(*rng.pick(&[0, 1, -1, 2, -2, 16, -16, 100])),
        Kind::Int => Value::Int(rng.between(-6, 6).into()),
        Kind::Bool => Value::Bool(rng.one_in(2)),
    };
    match (class, sort.lanes) {
        (VarClass::Lanes, _) => Value::Int(lanes as i128),
        (_, Lanes::One) => one(),
        (_, Lanes::Fixed(n)) => Value::Vector((0..n).map(|_| one()).collect()),
        (_, Lanes::Named(_)) => Value::Vector((0..lanes).map(|_| one()).collect()),
    }
}
