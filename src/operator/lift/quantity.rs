//! Steps that add, once the state is told by other numbers.
//!
//! In: a step on real numbers. Out: a candidate whose summaries are states. For each number of the state a quantity is looked
//! for to which every element adds something that does not depend on the state: `n · mean`, `M2 + n · mean²`, `s · exp m`,
//! where m is the largest element. Quantities of two blocks add up, and the state is computed back from their sum. Coefficients
//! are found by linear algebra at points. Absent: that it is right (`claims`).

use super::candidate::Candidate;
use super::semiring::Semiring;
use super::simple::Builder;
use super::summary::Step;
use crate::interp::bounded_number;
use crate::interp::random::Rng;
use crate::operator::dag::{Id, What};
use crate::operator::points::{self, Number};
use crate::operator::Meaning;
use crate::term::Op;
use std::collections::{BTreeMap, BTreeSet};

/// A product of numbers of the state, and the exponential of one of them.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Monomial {
    powers: Vec<u8>,
    exponent: Option<usize>,
}

/// How a number of the state is composed.
enum Part {
    /// By `min` or `max`.
    Extreme(Op),
    /// A quantity is the number times a monomial, and a sum of monomials with factors, all of numbers before it.
    Adds(Monomial, Vec<(i32, Monomial)>),
}

const MOST_NUMBERS: usize = 5;
const POINTS: usize = 60;

pub(super) fn find(b: &mut Builder, step: &Step) -> Option<Candidate> {
    let n = step.state.len();
    let real = step.state.iter().all(|s| b.ty(*s).is_float());
    if b.meaning == Meaning::Machine || !real || n > MOST_NUMBERS {
        return None;
    }
    let order = order(b, step)?;
    let samples = Samples::new(b, step)?;
    let mut parts: BTreeMap<usize, Part> = BTreeMap::new();
    for (at, &j) in order.iter().enumerate() {
        let part = match extreme(b, step, j) {
            Some(op) => Part::Extreme(op),
            None => samples.quantity(j, &order[..at], &parts)?,
        };
        parts.insert(j, part);
    }
    let adds = parts.values().any(|p| matches!(p, Part::Adds(..)));
    let state = adds.then(|| empty(b, step, &parts))??;
    let put = step.state.iter().copied().zip(state).collect();
    let inject = b.substitute(&step.next, &put)?;
    let [first, second] = Candidate::operands(b, &inject)?;
    let mut combine: Vec<Option<Id>> = vec![None; n];
    for &j in &order {
        combine[j] = Some(composed(b, j, &parts, [&first, &second], &combine)?);
    }
    let combine: Vec<Id> = combine.into_iter().collect::<Option<_>>()?;
    let put: BTreeMap<Id, Id> = (first.iter().copied().zip(step.state.iter().copied()))
        .chain(second.iter().copied().zip(first.iter().copied()))
        .collect();
    let finish = b.substitute(&combine, &put)?;
    let found = Candidate {
        inject,
        first,
        second,
        combine,
        finish,
        unit: None,
        domains: Vec::new(),
        family: "quantities to which every element adds".to_string(),
    };
    Some(nicer(b, found, &order, step))
}

/// The numbers, each behind those that it reads.
fn order(b: &Builder, step: &Step) -> Option<Vec<usize>> {
    let mut order: Vec<usize> = Vec::new();
    while order.len() < step.state.len() {
        let ready = (0..step.state.len()).find(|j| {
            let others = step.state.iter().enumerate();
            let later: BTreeSet<Id> = others
                .filter(|(k, _)| k != j && !order.contains(k))
                .map(|(_, id)| *id)
                .collect();
            !order.contains(j) && !b.mentions(step.next[*j], &later)
        });
        order.push(ready?);
    }
    Some(order)
}

/// Whether a number is the least or the largest of what the elements give.
fn extreme(b: &mut Builder, step: &Step, j: usize) -> Option<Op> {
    let rings = Semiring::all(b, b.ty(step.state[j]));
    let of = [step.state[j]];
    let all: BTreeSet<Id> = step.state.iter().copied().filter(|s| *s != of[0]).collect();
    if b.mentions(step.next[j], &all) {
        return None;
    }
    rings
        .into_iter()
        .filter(|r| r.product == Op::Add)
        .find_map(|ring| {
            let form = ring.linear(b, step.next[j], &of)?;
            let kept = b.is_truth(form[0].present, true) && form[0].value == ring.one;
            kept.then_some(ring.sum)
        })
}

/// The state of no elements, for which all quantities are zero.
fn empty(b: &mut Builder, step: &Step, parts: &BTreeMap<usize, Part>) -> Option<Vec<Id>> {
    let one = |b: &mut Builder, j: usize| {
        let ty = b.ty(step.state[j]);
        match parts.get(&j)? {
            Part::Extreme(Op::Min) => b.dag.float(f64::INFINITY, ty),
            Part::Extreme(_) => b.dag.float(f64::NEG_INFINITY, ty),
            Part::Adds(..) => b.number(0, ty),
        }
    };
    (0..step.state.len()).map(|j| one(b, j)).collect()
}

/// States and elements, and what the step makes of them.
struct Samples {
    /// For one element each: states before and after.
    groups: Vec<Vec<(Vec<f64>, Vec<f64>)>>,
    /// The numbers that stand in exponents.
    exponents: Vec<usize>,
}

impl Samples {
    fn new(b: &Builder, step: &Step) -> Option<Samples> {
        let mut rng = Rng::new(3);
        let mut groups = Vec::new();
        for _ in 0..POINTS / 6 {
            let mut point: Vec<f64> = b
                .dag
                .leaves
                .iter()
                .map(|_| 0.4 + 2.0 * rng.unit())
                .collect();
            let mut group = Vec::new();
            for _ in 0..6 {
                for s in &step.state {
                    if let What::Leaf(i) = b.dag.node(*s).what {
                        point[i as usize] = 0.4 + 2.0 * rng.unit();
                    }
                }
                let before = at(b, &step.state, &point)?;
                group.push((before, at(b, &step.next, &point)?));
            }
            groups.push(group);
        }
        let inside = |j: &usize| {
            let leaf = BTreeSet::from([step.state[*j]]);
            let cone = b.dag.cone(&step.next);
            cone.iter().any(|id| match b.dag.node(*id).what {
                What::Apply(Op::Exp, 1, [a, ..]) => b.mentions(a, &leaf),
                _ => false,
            })
        };
        let exponents = (0..step.state.len()).filter(inside).collect();
        Some(Samples { groups, exponents })
    }

    /// What a monomial gains at each point, less what it gains at the first point of the same element.
    fn gains(&self, value: impl Fn(&[f64]) -> f64) -> Vec<f64> {
        let gain = |s: &(Vec<f64>, Vec<f64>)| value(&s.1) - value(&s.0);
        let group = |g: &Vec<(Vec<f64>, Vec<f64>)>| {
            let first = gain(&g[0]);
            g[1..].iter().map(|s| gain(s) - first).collect::<Vec<f64>>()
        };
        self.groups.iter().flat_map(group).collect()
    }

    /// A quantity that holds this number, beside those before it.
    fn quantity(&self, j: usize, before: &[usize], parts: &BTreeMap<usize, Part>) -> Option<Part> {
        let n = self.groups.first()?.first()?.0.len();
        let extreme = |k: &usize| matches!(parts.get(k), Some(Part::Extreme(_)));
        let plain: Vec<usize> = before.iter().copied().filter(|k| !extreme(k)).collect();
        let exponents = before
            .iter()
            .copied()
            .filter(|k| self.exponents.contains(k));
        let exponents: Vec<Option<usize>> = [None].into_iter().chain(exponents.map(Some)).collect();
        let all = |degree| {
            let products = products(n, &plain, degree);
            let with = |e: &Option<usize>| {
                let monomial = |powers: &Vec<u8>| Monomial {
                    powers: powers.clone(),
                    exponent: *e,
                };
                products.iter().map(monomial).collect::<Vec<_>>()
            };
            exponents.iter().flat_map(with).collect::<Vec<_>>()
        };
        let basis: Vec<Monomial> = (all(3).into_iter())
            .filter(|m| m.exponent.is_some() || m.powers.iter().any(|p| *p > 0))
            .collect();
        let columns: Vec<Vec<f64>> = basis.iter().map(|m| self.gains(|s| m.at(s))).collect();
        for factor in all(2) {
            let wanted = self.gains(|s| s[j] * factor.at(s));
            if let Some(found) = solved(&columns, &wanted) {
                let terms = found.into_iter().zip(&basis).filter(|t| t.0 != 0);
                let terms = terms.map(|(c, m)| (-c, m.clone())).collect();
                return Some(Part::Adds(factor, terms));
            }
        }
        None
    }
}

fn at(b: &Builder, ids: &[Id], point: &[f64]) -> Option<Vec<f64>> {
    let point: Vec<Number> = point
        .iter()
        .map(|x| Number::Machine(bounded_number(*x)))
        .collect();
    let values = points::values(&b.dag, Meaning::Reals, ids, &point);
    let number = |v: Option<Number>| match v? {
        Number::Machine(n) => Some(n.as_f64()).filter(|x| x.is_finite()),
        Number::Integer(_) => None,
    };
    values.into_iter().map(number).collect()
}

/// All products of these numbers up to a degree.
fn products(n: usize, of: &[usize], degree: u8) -> Vec<Vec<u8>> {
    let mut all = vec![vec![0; n]];
    for &k in of {
        let with = |powers: &Vec<u8>| {
            let used: u8 = powers.iter().sum();
            let one = |p: u8| {
                let mut powers = powers.clone();
                powers[k] = p;
                powers
            };
            (0..=degree - used).map(one).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(with).collect();
    }
    all.sort_by_key(|p| (p.iter().sum::<u8>(), std::cmp::Reverse(p.clone())));
    all
}

impl Monomial {
    fn at(&self, state: &[f64]) -> f64 {
        let powers = self.powers.iter().zip(state);
        let product: f64 = powers.map(|(p, x)| x.powi(i32::from(*p))).product();
        product * self.exponent.map_or(1.0, |k| state[k].exp())
    }
}

/// Whole coefficients with which the columns sum up to what is wanted; the fewest columns, from the first on.
fn solved(columns: &[Vec<f64>], wanted: &[f64]) -> Option<Vec<i32>> {
    let rows = wanted.len();
    let mut matrix: Vec<Vec<f64>> = (0..rows)
        .map(|r| columns.iter().map(|c| c[r]).chain([wanted[r]]).collect())
        .collect();
    let (mut pivots, mut rank) = (Vec::new(), 0);
    for c in 0..columns.len() {
        let size = |r: &usize| matrix[*r][c].abs();
        let best = (rank..rows).max_by(|a, b| size(a).total_cmp(&size(b)))?;
        if matrix[best][c].abs() < 1e-7 {
            continue;
        }
        matrix.swap(rank, best);
        let pivot = matrix[rank].clone();
        for (r, row) in matrix.iter_mut().enumerate().filter(|(r, _)| *r != rank) {
            let factor = row[c] / pivot[c];
            let _ = r;
            row.iter_mut()
                .zip(&pivot)
                .for_each(|(x, p)| *x -= factor * p);
        }
        pivots.push((rank, c));
        rank += 1;
        if rank == rows {
            return None;
        }
    }
    let mut found = vec![0; columns.len()];
    for (r, c) in pivots {
        let x = matrix[r][columns.len()] / matrix[r][c];
        let whole = x.round();
        if (x - whole).abs() > 1e-5 || whole.abs() > 1000.0 {
            return None;
        }
        found[c] = whole as i32;
    }
    let close = |r: usize| {
        let sum: f64 = columns
            .iter()
            .zip(&found)
            .map(|(c, k)| c[r] * f64::from(*k))
            .sum();
        (sum - wanted[r]).abs() <= 1e-7 * (1.0 + wanted[r].abs())
    };
    (0..rows).all(close).then_some(found)
}

/// A number of the state of two blocks.
fn composed(
    b: &mut Builder,
    j: usize,
    parts: &BTreeMap<usize, Part>,
    sides: [&[Id]; 2],
    whole: &[Option<Id>],
) -> Option<Id> {
    let (factor, terms) = match parts.get(&j)? {
        Part::Extreme(op) => return b.apply(*op, &[sides[0][j], sides[1][j]]),
        Part::Adds(factor, terms) => (factor, terms),
    };
    let whole: Vec<Id> = whole.iter().map(|w| w.unwrap_or(sides[0][0])).collect();
    let ty = b.ty(sides[0][j]);
    let mut sum = b.number(0, ty)?;
    for side in sides {
        let own = scaled(b, factor, side, factor, &whole, side[j])?;
        sum = b.apply(Op::Add, &[sum, own])?;
    }
    for (state, sign) in [(sides[0], 1), (sides[1], 1), (&whole[..], -1)] {
        for (c, m) in terms {
            let c = b.number((c * sign).into(), ty)?;
            let term = scaled(b, m, state, factor, &whole, c)?;
            sum = b.apply(Op::Add, &[sum, term])?;
        }
    }
    let mut by = b.number(1, ty)?;
    for (k, power) in factor.powers.iter().enumerate() {
        for _ in 0..*power {
            by = b.apply(Op::Mul, &[by, whole[k]])?;
        }
    }
    b.apply(Op::Div, &[sum, by])
}

/// `times · monomial(state)`, over the exponential of the factor of the whole.
fn scaled(
    b: &mut Builder,
    m: &Monomial,
    state: &[Id],
    factor: &Monomial,
    whole: &[Id],
    times: Id,
) -> Option<Id> {
    let mut product = times;
    for (k, power) in m.powers.iter().enumerate() {
        for _ in 0..*power {
            product = b.apply(Op::Mul, &[product, state[k]])?;
        }
    }
    let exponent = match (m.exponent, factor.exponent) {
        (None, None) => return Some(product),
        (Some(k), None) => state[k],
        (None, Some(k)) => b.apply(Op::Neg, &[whole[k]])?,
        (Some(i), Some(k)) => b.apply(Op::Sub, &[state[i], whole[k]])?,
    };
    let power = b.apply(Op::Exp, &[exponent])?;
    b.apply(Op::Mul, &[product, power])
}

/// The same with differences of the blocks instead of sums that cancel, where that is the same.
fn nicer(b: &mut Builder, mut found: Candidate, order: &[usize], step: &Step) -> Candidate {
    for (at, &j) in order.iter().enumerate() {
        let forms = forms(b, &found, j, &order[..at]).unwrap_or_default();
        let same = |id: &Id| same_at_points(b, found.combine[j], *id, step).unwrap_or(false);
        if let Some(better) = forms.iter().copied().find(same) {
            found.combine[j] = better;
        }
    }
    let places = found.first.iter().copied().zip(step.state.iter().copied());
    let put = places
        .chain(
            found
                .second
                .iter()
                .copied()
                .zip(found.first.iter().copied()),
        )
        .collect();
    if let Some(finish) = b.substitute(&found.combine, &put) {
        found.finish = finish;
    }
    found
}

/// `a + (b - a) · v/w` and `a + b + (c - c')(d - d') · u·v/w`, for weights u, v that sum up to w.
fn forms(b: &mut Builder, found: &Candidate, j: usize, before: &[usize]) -> Option<Vec<Id>> {
    let (p, q) = (found.first.clone(), found.second.clone());
    let mut forms = Vec::new();
    for &w in before {
        let part = b.apply(Op::Div, &[q[w], found.combine[w]])?;
        let off = b.apply(Op::Sub, &[q[j], p[j]])?;
        let off = b.apply(Op::Mul, &[off, part])?;
        forms.push(b.apply(Op::Add, &[p[j], off])?);
        let sum = b.apply(Op::Add, &[p[j], q[j]])?;
        let weight = b.apply(Op::Mul, &[p[w], part])?;
        for (i, &c) in before.iter().enumerate() {
            for &d in &before[i..] {
                let [c, d] = [c, d].map(|k| b.apply(Op::Sub, &[q[k], p[k]]));
                let product = b.apply(Op::Mul, &[c?, d?])?;
                let product = b.apply(Op::Mul, &[product, weight])?;
                forms.push(b.apply(Op::Add, &[sum, product])?);
            }
        }
    }
    Some(forms)
}

fn same_at_points(b: &Builder, x: Id, y: Id, step: &Step) -> Option<bool> {
    let _ = step;
    let mut rng = Rng::new(4);
    for _ in 0..6 {
        let point: Vec<f64> = b
            .dag
            .leaves
            .iter()
            .map(|_| 0.4 + 2.0 * rng.unit())
            .collect();
        let values = at(b, &[x, y], &point)?;
        if (values[0] - values[1]).abs() > 1e-9 * (1.0 + values[0].abs()) {
            return Some(false);
        }
    }
    Some(true)
}
