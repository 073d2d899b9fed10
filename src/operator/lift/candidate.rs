//! What stands for a step, as expressions: made smaller, put side by side.
//!
//! In: parameters of functions of the state, with the composition of two. Out: the same with fewer parameters: what is always
//! one constant, what is always equal to another, and what nothing reads is left out. Absent: proofs.

use super::simple::Builder;
use crate::operator::dag::Id;
use crate::operator::points;
use crate::term::Op;
use crate::ty::Scalar;
use std::collections::{BTreeMap, BTreeSet};

/// Tuples of numbers that may be summaries of no elements, of which no more are tried.
const MOST_UNITS: usize = 1_000;

/// A function of the state for each element, by parameters, and how two of them are one.
#[derive(Clone)]
pub(super) struct Candidate {
    /// The parameters of an element.
    pub inject: Vec<Id>,
    /// Parameters of a first and of a second function, which are leaves.
    pub first: Vec<Id>,
    pub second: Vec<Id>,
    /// The parameters of the first function, then the second.
    pub combine: Vec<Id>,
    /// What the first function makes of each number of the state.
    pub finish: Vec<Id>,
    /// The parameters of the function that changes nothing.
    pub unit: Option<Vec<Id>>,
    /// Numbers of the state that have few values, by their leaves.
    pub domains: Vec<(Id, Vec<Id>)>,
    /// How it was found.
    pub family: String,
}

impl Candidate {
    /// Leaves for the parameters of two functions.
    pub fn operands(b: &mut Builder, like: &[Id]) -> Option<[Vec<Id>; 2]> {
        let mut leaves = || {
            let types: Vec<Scalar> = like.iter().map(|id| b.ty(*id)).collect();
            types
                .into_iter()
                .map(|s| b.leaf(s))
                .collect::<Option<Vec<Id>>>()
        };
        Some([leaves()?, leaves()?])
    }

    /// With as few parameters as are seen to be needed.
    pub fn shrunk(self, b: &mut Builder) -> Option<Candidate> {
        let constant = self.without_constants(b)?;
        constant.turned(b)?.without_doubles(b)?.without_unread(b)
    }

    /// Replaces parameters of both functions, and keeps those of `kept`.
    fn with(mut self, b: &mut Builder, put: &[Option<Id>], kept: &[usize]) -> Option<Candidate> {
        // Of the second function the parameters stand where those of the first do.
        let place: BTreeMap<Id, usize> = (self.first.iter().enumerate())
            .map(|(i, id)| (*id, i))
            .collect();
        let mut map = BTreeMap::new();
        for (i, new) in put.iter().enumerate() {
            let Some(new) = new else { continue };
            map.insert(self.first[i], *new);
            let of_second = place.get(new).map_or(*new, |j| self.second[*j]);
            map.insert(self.second[i], of_second);
        }
        let pick = |all: &[Id]| kept.iter().map(|i| all[*i]).collect::<Vec<Id>>();
        let combine = b.substitute(&self.combine, &map)?;
        self.finish = b.substitute(&self.finish, &map)?;
        // A unit that has other values there is none.
        self.unit = self.unit.filter(|unit| {
            put.iter().enumerate().all(|(i, new)| match new {
                Some(new) => place.get(new).map_or(*new, |j| unit[*j]) == unit[i],
                None => true,
            })
        });
        self.unit = self.unit.map(|u| pick(&u));
        self.inject = pick(&self.inject);
        self.combine = pick(&combine);
        self.first = pick(&self.first);
        self.second = pick(&self.second);
        Some(self)
    }

    fn without_constants(self, b: &mut Builder) -> Option<Candidate> {
        let n = self.first.len();
        let mut constant: Vec<Option<Id>> = self
            .inject
            .iter()
            .map(|id| b.is_constant(*id).then_some(*id))
            .collect();
        loop {
            let mut map = BTreeMap::new();
            for (i, c) in constant.iter().enumerate() {
                if let Some(c) = c {
                    map.insert(self.first[i], *c);
                    map.insert(self.second[i], *c);
                }
            }
            let composed = b.substitute(&self.combine, &map)?;
            let before = constant.clone();
            for i in 0..n {
                constant[i] = constant[i].filter(|c| composed[i] == *c);
            }
            if constant == before {
                break;
            }
        }
        let kept: Vec<usize> = (0..n).filter(|i| constant[*i].is_none()).collect();
        self.with(b, &constant, &kept)
    }

    /// With the opposites of truth values that are opposites of others.
    fn turned(mut self, b: &mut Builder) -> Option<Candidate> {
        let truths: Vec<Vec<Option<bool>>> = self
            .inject
            .iter()
            .map(|id| {
                if b.ty(*id) == Scalar::Bool {
                    b.truths(*id)
                } else {
                    Vec::new()
                }
            })
            .collect();
        let opposite = |of: &Vec<Option<bool>>| -> Vec<Option<bool>> {
            of.iter().map(|t| t.map(|t| !t)).collect()
        };
        for i in 0..self.inject.len() {
            let turned = opposite(&truths[i]);
            if truths[i].is_empty()
                || !truths[..i].contains(&turned)
                || truths[..i].contains(&truths[i])
            {
                continue;
            }
            let mut put = BTreeMap::new();
            for leaf in [self.first[i], self.second[i]] {
                put.insert(leaf, b.apply(Op::Not, &[leaf])?);
            }
            self.combine = b.substitute(&self.combine, &put)?;
            self.finish = b.substitute(&self.finish, &put)?;
            self.combine[i] = b.apply(Op::Not, &[self.combine[i]])?;
            self.inject[i] = b.apply(Op::Not, &[self.inject[i]])?;
            if let Some(unit) = &mut self.unit {
                unit[i] = b.apply(Op::Not, &[unit[i]])?;
            }
        }
        Some(self)
    }

    fn without_doubles(self, b: &mut Builder) -> Option<Candidate> {
        let n = self.first.len();
        type Key = (usize, Option<Id>, Vec<Option<bool>>, Scalar);
        let key = |b: &Builder, class: usize, id: Id| -> Key {
            match b.ty(id) {
                s @ Scalar::Bool => (class, None, b.truths(id), s),
                s => (class, Some(id), Vec::new(), s),
            }
        };
        let classes = |keys: Vec<Key>| {
            let mut seen = BTreeMap::new();
            let number = |key| {
                let next = seen.len();
                *seen.entry(key).or_insert(next)
            };
            keys.into_iter().map(number).collect::<Vec<usize>>()
        };
        let mut class = classes((0..n).map(|i| key(b, 0, self.inject[i])).collect());
        let put = |class: &[usize]| -> Vec<Option<Id>> {
            let leader = |i: usize| class.iter().position(|c| *c == class[i]).unwrap_or(i);
            (0..n)
                .map(|i| Some(leader(i)).filter(|l| *l != i).map(|l| self.first[l]))
                .collect()
        };
        loop {
            let mut map = BTreeMap::new();
            for (i, new) in put(&class).into_iter().enumerate() {
                if let Some(new) = new {
                    let j = self.first.iter().position(|id| *id == new)?;
                    map.insert(self.first[i], new);
                    map.insert(self.second[i], self.second[j]);
                }
            }
            let composed = b.substitute(&self.combine, &map)?;
            let next = classes((0..n).map(|i| key(b, class[i], composed[i])).collect());
            if next == class {
                break;
            }
            class = next;
        }
        let put = put(&class);
        let kept: Vec<usize> = (0..n).filter(|i| put[*i].is_none()).collect();
        self.clone().with(b, &put, &kept)
    }

    fn without_unread(self, b: &mut Builder) -> Option<Candidate> {
        let n = self.first.len();
        let reads = |b: &Builder, of: &[Id]| {
            let cone: BTreeSet<Id> = b.dag.cone(of).into_iter().collect();
            (0..n)
                .filter(|i| cone.contains(&self.first[*i]) || cone.contains(&self.second[*i]))
                .collect::<BTreeSet<usize>>()
        };
        let mut live = reads(b, &self.finish);
        loop {
            let of: Vec<Id> = live.iter().map(|i| self.combine[*i]).collect();
            let more = reads(b, &of);
            let before = live.len();
            live.extend(more);
            if live.len() == before {
                break;
            }
        }
        let kept: Vec<usize> = live.into_iter().collect();
        self.clone().with(b, &vec![None; n], &kept)
    }

    /// Whether no point tells it from a step: of one element, and of two blocks.
    pub fn is_plausible(&self, b: &mut Builder, state: &[Id], next: &[Id]) -> bool {
        self.compared(b, state, next).is_some_and(|pairs| {
            let all = points::Effort::many(200);
            points::difference(&b.dag, b.meaning, &pairs, all).is_none()
        })
    }

    fn compared(&self, b: &mut Builder, state: &[Id], next: &[Id]) -> Option<Vec<(Id, Id)>> {
        let with = |b: &mut Builder, of: &[Id], leaves: &[Id], are: &[Id]| {
            let put = leaves.iter().copied().zip(are.iter().copied()).collect();
            b.substitute(of, &put)
        };
        let one = with(b, &self.finish, &self.first, &self.inject)?;
        let both = with(b, &self.finish, &self.first, &self.combine)?;
        let then = with(b, &self.finish, &self.first, &self.second)?;
        let then = with(b, &then, state, &self.finish)?;
        let mut pairs: Vec<(Id, Id)> = one.into_iter().zip(next.iter().copied()).collect();
        pairs.extend(both.into_iter().zip(then));
        // Of what has few values the first of them stands for all.
        for (leaf, values) in &self.domains {
            let (left, right): (Vec<Id>, Vec<Id>) = pairs.into_iter().unzip();
            let left = with(b, &left, &[*leaf], &values[..1])?;
            pairs = left
                .into_iter()
                .zip(with(b, &right, &[*leaf], &values[..1])?)
                .collect();
        }
        Some(pairs)
    }

    /// A summary of no elements, as far as points tell, where summaries are states: of numbers that a state starts with, of
    /// zeros, ones and ends of types.
    pub fn unit_by_points(
        &self,
        b: &mut Builder,
        state: &[Id],
        start: &[Option<Id>],
    ) -> Option<Vec<Id>> {
        let mut choices: Vec<Vec<Id>> = Vec::new();
        for (id, start) in self.first.iter().zip(start) {
            let ty = b.ty(*id);
            let mut all: Vec<Id> = start.iter().copied().collect();
            all.extend(b.number(0, ty));
            all.extend(b.number(1, ty));
            if ty != Scalar::Bool {
                let (least, most) = b.ends(ty)?;
                all.extend(least.into_iter().chain(most));
            }
            choices.push(all);
        }
        let count = choices
            .iter()
            .try_fold(1, |n: usize, c| n.checked_mul(c.len()));
        let count = count.filter(|n| *n <= MOST_UNITS)?;
        (0..count).find_map(|mut i| {
            let mut unit = Vec::new();
            for c in &choices {
                unit.push(c[i % c.len()]);
                i /= c.len();
            }
            let put = self.first.iter().copied().zip(unit.iter().copied());
            let put = put.collect();
            let none = b.substitute(&self.finish, &put)?.into_iter();
            let before = b.substitute(&self.combine, &put)?.into_iter();
            let mut pairs: Vec<(Id, Id)> = none.zip(state.iter().copied()).collect();
            pairs.extend(before.zip(self.second.iter().copied()));
            let is = points::Tester::new(&b.dag, b.meaning, &pairs).agrees(&[], &[]);
            is.then_some(unit)
        })
    }

    /// With a truth value beside the parameters: whether there is no element at all.
    pub fn with_unit(self, b: &mut Builder, state: &[Id]) -> Option<Candidate> {
        let (select, none) = (Op::Select, b.truth(true)?);
        let [p, q] = [b.leaf(Scalar::Bool)?, b.leaf(Scalar::Bool)?];
        let mut combine = vec![b.apply(Op::And, &[p, q])?];
        let mut unit = vec![none];
        for i in 0..self.combine.len() {
            let rest = b.apply(select, &[q, self.first[i], self.combine[i]])?;
            combine.push(b.apply(select, &[p, self.second[i], rest])?);
            let ty = b.ty(self.inject[i]);
            unit.push(b.number(0, ty)?);
        }
        let choose = self.finish.iter().zip(state);
        let finish = choose.map(|(f, s)| b.apply(select, &[p, *s, *f]));
        let finish = finish.collect::<Option<_>>()?;
        let with = |id: Id, all: Vec<Id>| [vec![id], all].concat();
        Some(Candidate {
            inject: with(b.truth(false)?, self.inject),
            first: with(p, self.first),
            second: with(q, self.second),
            combine,
            finish,
            unit: Some(unit),
            ..self
        })
    }

    /// Two, for different numbers of one state; `finish` of each stands where `at` says.
    pub fn beside(mut self, other: Candidate) -> Candidate {
        self.inject.extend(other.inject);
        self.first.extend(other.first);
        self.second.extend(other.second);
        self.combine.extend(other.combine);
        self.finish.extend(other.finish);
        self.unit = match (self.unit, other.unit) {
            (Some(mut u), Some(v)) => {
                u.extend(v);
                Some(u)
            }
            _ => None,
        };
        self.domains.extend(other.domains);
        if !self.family.split("; ").any(|f| f == other.family) {
            self.family = format!("{}; {}", self.family, other.family);
        }
        self
    }
}
