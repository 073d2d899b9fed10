//! What has to hold of a lifting, proved of its terms.
//!
//! In: a step, and the terms that stand for it. Out: how each claim was proved; nothing where one was not. Invariant: nothing
//! is believed of how the terms were found. See Note [Induction].

use super::Parts;
use crate::operator::dag::{Id, What};
use crate::operator::question::{proved, variables};
use crate::operator::read::{Reader, Tree};
use crate::operator::{points, Effort, Meaning, Method};
use crate::term::{Op, Term};
use crate::ty::{Scalar, Ty};
use std::collections::BTreeSet;

pub(super) struct Claims {
    reader: Reader,
    step: Tree,
    inject: Tree,
    combine: Tree,
    finish: Tree,
    unit: Tree,
    state: Ty,
    element: Ty,
    summary: Ty,
}

type Pairs = Vec<(Id, Id)>;

/// Numbers that do not have any value: by their places, the constants, and `None` for any other value.
pub(super) type Special = Vec<(usize, Vec<Option<i128>>)>;

/// Choices of such numbers.
const MOST_CHOICES: usize = 128;

impl Claims {
    pub fn new(step: &Term, names: &[String], lifted: &Parts) -> Option<Claims> {
        let mut reader = Reader::new();
        let (env, _) = variables(&mut reader, step, names)?;
        let (state, rest) = step.ty().as_fun()?;
        let mut read = |t: &Term| reader.eval(t, &env);
        Some(Claims {
            step: read(step)?,
            inject: read(&lifted.inject)?,
            combine: read(&lifted.combine)?,
            finish: read(&lifted.finish)?,
            unit: read(&lifted.unit)?,
            state,
            element: rest.as_fun()?.0,
            summary: lifted.summary,
            reader,
        })
    }

    /// How all claims are proved.
    pub fn prove(
        &mut self,
        states: &Special,
        start: Option<&Term>,
        meaning: Meaning,
        effort: Effort,
    ) -> Option<Vec<(&'static str, Method)>> {
        let summaries = &self.infinite(meaning)?;
        let mut pairs = self.elements(states)?;
        let few = |values: &[Option<i128>]| values.iter().all(Option::is_some);
        if states.iter().any(|d| few(&d.1)) {
            pairs.extend(self.inside(start?, states)?);
        }
        let asked = [
            ("finish (inject x) s = step s x", pairs),
            (
                "finish (combine p q) s = finish q (finish p s)",
                self.blocks(states, summaries)?,
            ),
            ("finish unit s = s", self.none(states)?),
            (
                "combine (combine p q) r = combine p (combine q r)",
                self.associative(summaries)?,
            ),
        ];
        let first = self.identity(summaries)?;
        // Claims about real numbers say nothing of a unit that is infinite, unless nothing is left of it.
        let infinite = self
            .unit
            .leaves()?
            .iter()
            .any(|id| self.reader.dag.is_infinite(*id));
        let asked = asked
            .into_iter()
            .chain(infinite.then_some(("combine unit p = p", first)));
        let mut all = Vec::new();
        for (claim, pairs) in asked {
            let pairs: Pairs = pairs.into_iter().filter(|p| p.0 != p.1).collect();
            let few = points::Effort::few(effort.points / 10);
            if points::difference(&self.reader.dag, meaning, &pairs, few).is_some() {
                return None;
            }
            all.push((claim, proved(&self.reader.dag, &pairs, meaning, effort)?));
        }
        Some(all)
    }

    /// Numbers of a summary that may be infinite over reals: what mentions an infinite constant, or such a number.
    fn infinite(&mut self, meaning: Meaning) -> Option<Special> {
        if meaning.strict_floats() {
            return Some(Vec::new());
        }
        let x = self.reader.fresh(self.element)?;
        let [p, q] = [
            self.reader.fresh(self.summary)?,
            self.reader.fresh(self.summary)?,
        ];
        let (inject, combine) = (self.inject.clone(), self.combine.clone());
        let one = self.call(&inject, &[&x])?.leaves()?;
        let both = self.call(&combine, &[&p, &q])?.leaves()?;
        let (p, q) = (p.leaves()?, q.leaves()?);
        let dag = &self.reader.dag;
        let cones: Vec<Vec<Id>> = (one.iter().zip(&both))
            .map(|(i, c)| match dag.node(*i).ty.is_float() {
                true => dag.cone(&[*i, *c]),
                false => Vec::new(),
            })
            .collect();
        let mut may: Vec<BTreeSet<i128>> = vec![BTreeSet::new(); cones.len()];
        loop {
            let before = may.clone();
            for (cone, may) in cones.iter().zip(&mut may) {
                for id in cone {
                    match dag.node(*id).what {
                        What::Const(c) if dag.is_infinite(*id) => drop(may.insert(c)),
                        _ => {}
                    }
                    let read = |all: &[Id]| all.iter().position(|l| l == id);
                    let parts = read(&p).or(read(&q));
                    may.extend(parts.iter().flat_map(|k| before[*k].iter().copied()));
                }
            }
            if may == before {
                break;
            }
        }
        // Of both signs their sum would be none.
        let all: BTreeSet<&i128> = may.iter().flatten().collect();
        let values = |m: &BTreeSet<i128>| -> Vec<Option<i128>> {
            [None]
                .into_iter()
                .chain(m.iter().copied().map(Some))
                .collect()
        };
        let some = may.iter().enumerate().filter(|m| !m.1.is_empty());
        (all.len() <= 1).then(|| some.map(|(i, m)| (i, values(m))).collect())
    }

    fn pairs(a: &Tree, b: &Tree) -> Option<Pairs> {
        let (a, b) = (a.leaves()?, b.leaves()?);
        (a.len() == b.len()).then(|| a.into_iter().zip(b).collect())
    }

    fn call(&mut self, f: &Tree, args: &[&Tree]) -> Option<Tree> {
        let args: Vec<Tree> = args.iter().map(|t| (*t).clone()).collect();
        self.reader.call(f, &args)
    }

    /// Data of a type, in each choice of what is special, with leaves for all else.
    fn trees(&mut self, ty: Ty, special: &Special) -> Option<Vec<Tree>> {
        let mut choices: Vec<Vec<Option<i128>>> = vec![Vec::new()];
        for (_, values) in special {
            let with = |c: &Vec<Option<i128>>| {
                let one = |v: &Option<i128>| [&c[..], &[*v]].concat();
                values.iter().map(one).collect::<Vec<_>>()
            };
            choices = choices.iter().flat_map(with).collect();
            (choices.len() <= MOST_CHOICES).then_some(())?;
        }
        let mut trees = Vec::new();
        for choice in choices {
            let mut at = 0;
            let tree = self.reader.build(ty, &mut |dag, leaf| {
                let known = special.iter().position(|d| d.0 == at);
                at += 1;
                match known.and_then(|k| choice[k]) {
                    Some(value) => dag.int(value, leaf.ty),
                    None => dag.leaf(leaf),
                }
            });
            trees.push(tree?);
        }
        Some(trees)
    }

    fn elements(&mut self, states: &Special) -> Option<Pairs> {
        let (step, inject, finish) = (self.step.clone(), self.inject.clone(), self.finish.clone());
        let mut all = Vec::new();
        for s in self.trees(self.state, states)? {
            let x = self.reader.fresh(self.element)?;
            let summary = self.call(&inject, &[&x])?;
            let left = self.call(&finish, &[&summary, &s])?;
            let right = self.call(&step, &[&s, &x])?;
            all.extend(Claims::pairs(&left, &right)?);
        }
        Some(all)
    }

    /// That the start, and what a step leads to, has these values.
    fn inside(&mut self, start: &Term, states: &Special) -> Option<Pairs> {
        let step = self.step.clone();
        let mut trees = vec![self.reader.eval(start, &[])?];
        for s in self.trees(self.state, states)? {
            let x = self.reader.fresh(self.element)?;
            trees.push(self.call(&step, &[&s, &x])?);
        }
        let mut all = Vec::new();
        for tree in trees {
            let leaves = tree.leaves()?;
            for (j, values) in states {
                let Some(values) = values.iter().copied().collect::<Option<Vec<i128>>>() else {
                    continue;
                };
                let mut one_of = self.reader.dag.int(0, Scalar::Bool)?;
                for v in values {
                    let dag = &mut self.reader.dag;
                    let v = dag.int(v, dag.node(leaves[*j]).ty)?;
                    let is = dag.apply(Op::Eq, &[leaves[*j], v], Scalar::Bool)?;
                    one_of = dag.apply(Op::Or, &[one_of, is], Scalar::Bool)?;
                }
                all.push((one_of, self.reader.dag.int(1, Scalar::Bool)?));
            }
        }
        Some(all)
    }

    fn blocks(&mut self, states: &Special, summaries: &Special) -> Option<Pairs> {
        let (combine, finish) = (self.combine.clone(), self.finish.clone());
        let mut all = Vec::new();
        for [p, q] in self.tuples(summaries)? {
            let both = self.call(&combine, &[&p, &q])?;
            for s in self.trees(self.state, states)? {
                let left = self.call(&finish, &[&both, &s])?;
                let after = self.call(&finish, &[&p, &s])?;
                let right = self.call(&finish, &[&q, &after])?;
                all.extend(Claims::pairs(&left, &right)?);
            }
        }
        Some(all)
    }

    /// Summaries, in all choices of what is special.
    fn tuples<const N: usize>(&mut self, summaries: &Special) -> Option<Vec<[Tree; N]>> {
        let all: Vec<Vec<Tree>> = (0..N)
            .map(|_| self.trees(self.summary, summaries))
            .collect::<Option<_>>()?;
        let one = |mut i: usize| {
            std::array::from_fn(|k| {
                let of = &all[k];
                let tree = of[i % of.len()].clone();
                i /= of.len();
                tree
            })
        };
        let count: usize = all.iter().map(Vec::len).product();
        (count <= MOST_CHOICES).then(|| (0..count).map(one).collect())
    }

    fn none(&mut self, states: &Special) -> Option<Pairs> {
        let (finish, unit) = (self.finish.clone(), self.unit.clone());
        let mut all = Vec::new();
        for s in self.trees(self.state, states)? {
            let same = self.call(&finish, &[&unit, &s])?;
            all.extend(Claims::pairs(&same, &s)?);
        }
        Some(all)
    }

    fn associative(&mut self, summaries: &Special) -> Option<Pairs> {
        let op = self.combine.clone();
        let mut all = Vec::new();
        for [p, q, r] in self.tuples(summaries)? {
            let pq = self.call(&op, &[&p, &q])?;
            let qr = self.call(&op, &[&q, &r])?;
            let left = self.call(&op, &[&pq, &r])?;
            let right = self.call(&op, &[&p, &qr])?;
            all.extend(Claims::pairs(&left, &right)?);
        }
        Some(all)
    }

    fn identity(&mut self, summaries: &Special) -> Option<Pairs> {
        let (op, unit) = (self.combine.clone(), self.unit.clone());
        let mut all = Vec::new();
        for p in self.trees(self.summary, summaries)? {
            let same = self.call(&op, &[&unit, &p])?;
            all.extend(Claims::pairs(&same, &p)?);
        }
        Some(all)
    }
}
