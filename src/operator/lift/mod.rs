//! Steps of reductions that become operators which associate.
//!
//! Comes in: a step `f : acc -> elem -> acc`, whatever it is made of. Goes out ([`Lifting`]): a type of summaries, a summary
//! `inject x` of each element, an operator `combine` on summaries, and `finish`, which applies a summary to a state, so that
//! `reduceSeq f e xs = finish (reduce combine unit (map inject xs)) e` for all `xs`, however the reduction is bracketed. A summary
//! is the function of the state that a block of elements is, given by numbers. Invariant: what is found was proved, of the
//! terms that go out, by what decides laws: see Note [Induction]. Absent: how laws are decided.
//!
//! Note [Induction]: three claims are proved, for all values. A block of one element: `finish (inject x) s = f s x`. Two blocks:
//! `finish (combine p q) s = finish q (finish p s)`. None: `finish unit s = s`. So for every tree of combinations over the
//! elements of a block, `finish` applies the steps of its elements in order, by induction on the tree. That `combine`
//! associates and has `unit` as an identity is proved besides, so that rules which ask for these laws apply. Where numbers of
//! the state have few values from the start on, the first claim is proved for these values, and that a step leads to none
//! but these.

mod bound;
mod candidate;
mod claims;
mod quantity;
mod semiring;
mod shapes;
mod simple;
mod summary;
mod terms;
mod threshold;

use super::dag::Id;
use super::question::{self, Free};
use super::read::Reader;
use super::{Effort, Meaning, Method};
use crate::intern::Symbol;
use crate::term::{call, normalize, Op, Term};
use crate::ty::Ty;
use candidate::Candidate;
use simple::Builder;
use std::collections::BTreeMap;
use summary::Step;

/// What a step became.
#[derive(Clone, Debug)]
pub struct Lifting {
    /// How numbers are read where it holds.
    pub meaning: Meaning,
    /// The functions that it became.
    pub parts: Parts,
    /// How it was found.
    pub family: String,
    /// The claims, in words, with how they were proved.
    pub claims: Vec<(&'static str, Method)>,
    /// Whether it holds from the given start only.
    pub needs_start: bool,
}

impl Parts {
    /// `\xs -> let (reduce combine unit (map inject xs)) (\p -> let start (\s -> finish p s))`, of arrays of this type.
    pub fn reduction(&self, start: &Term, array: Ty) -> Option<Term> {
        let xs = Term::var(0, array);
        let summaries = call(Op::Map, [], [self.inject.shift(1), xs])?;
        let args = [self.combine.shift(1), self.unit.shift(1), summaries];
        let summary = call(Op::Reduce, [], args)?;
        let p = Term::var(0, self.summary);
        let s = Term::var(0, start.ty());
        let finish = Term::apps(self.finish.shift(3), [p.shift(1), s]);
        let finish = Term::lam(Some(Symbol::new("s")), start.ty(), finish);
        let finish = call(Op::Let, [], [start.shift(2), finish])?;
        let finish = Term::lam(Some(Symbol::new("p")), self.summary, finish);
        let result = call(Op::Let, [], [summary, finish])?;
        Some(normalize(&Term::lam(
            Some(Symbol::new("xs")),
            array,
            result,
        )))
    }
}

/// `\p s -> op s p`: adds a summary to a state that is one itself.
pub fn adding(op: &Term) -> Option<Term> {
    let ty = op.ty().as_fun()?.0;
    let [p, s] = [1, 0].map(|i| Term::var(i, ty));
    let body = Term::apps(op.shift(2), [s, p]);
    Some(Term::lam(None, ty, Term::lam(None, ty, body)))
}

/// The functions that stand for a step.
#[derive(Clone, Debug)]
pub struct Parts {
    /// `elem -> summary`
    pub inject: Term,
    /// `summary -> summary -> summary`
    pub combine: Term,
    /// `summary -> acc -> acc`
    pub finish: Term,
    /// The summary of no elements.
    pub unit: Term,
    /// The type of summaries.
    pub summary: Ty,
}

/// The operator that a step becomes, as numbers are read in a meaning, if one is found and proved. `names` are those of the
/// step's variables, innermost first; `start` is what the reduction begins with.
pub fn lift(
    step: &Term,
    start: Option<&Term>,
    names: &[String],
    meaning: Meaning,
    effort: Effort,
) -> Option<Lifting> {
    let asked = Asked::new(step, start, names, meaning)?;
    asked.lifting(effort)
}

/// How all claims are proved of functions that stand for a step; nothing where one is not.
pub fn proves(
    step: &Term,
    start: Option<&Term>,
    parts: &Parts,
    meaning: Meaning,
    effort: Effort,
) -> Option<Vec<(&'static str, Method)>> {
    let mut asked = Asked::new(step, start, &[], meaning)?;
    let counters = summary::counters(&mut asked.builder, &asked.numbers);
    let leaf = |(j, values): (usize, Vec<Id>)| (asked.numbers.state[j], values);
    let domains: Vec<(Id, Vec<Id>)> = counters.into_iter().map(leaf).collect();
    let states = asked.special_states(&domains);
    let mut claims = claims::Claims::new(&asked.step, &[], parts)?;
    claims.prove(&states, asked.start.as_ref(), meaning, effort)
}

/// A step that is asked about, read.
struct Asked {
    step: Term,
    start: Option<Term>,
    names: Vec<String>,
    builder: Builder,
    numbers: Step,
    free: Vec<(u32, Ty, Vec<Id>)>,
    types: (Ty, Ty),
}

impl Asked {
    fn new(step: &Term, start: Option<&Term>, names: &[String], meaning: Meaning) -> Option<Asked> {
        let step = normalize(step);
        let (state, rest) = step.ty().as_fun()?;
        let (element, result) = rest.as_fun()?;
        if result != state || step.ty().has_meta() || start.is_some_and(|s| s.ty() != state) {
            return None;
        }
        let mut reader = Reader::new();
        let (env, free) = question::variables(&mut reader, &step, names)?;
        let function = reader.eval(&step, &env)?;
        let (s, x) = (reader.fresh(state)?, reader.fresh(element)?);
        let next = reader.call(&function, &[s.clone(), x.clone()])?.leaves()?;
        let start = start.map(normalize).filter(|t| t.open() == 0);
        let begin = match &start {
            Some(t) => reader.eval(t, &[]).and_then(|t| t.leaves()),
            None => None,
        };
        let (state_leaves, inputs) = (s.leaves()?, x.leaves()?);
        let mut builder = Builder {
            dag: reader.dag,
            meaning,
            finite: false,
        };
        let next = builder.substitute(&next, &BTreeMap::new())?;
        let begin = match begin {
            Some(ids) => builder.substitute(&ids, &BTreeMap::new())?,
            None => Vec::new(),
        };
        let known = |i: usize| begin.get(i).copied().filter(|id| builder.is_constant(*id));
        let start_numbers = (0..state_leaves.len()).map(known).collect();
        let numbers = question::numbers_of_variables(&step);
        let with_number = |(n, f): (u32, Free)| (n, f.1, f.2);
        Some(Asked {
            free: numbers.into_iter().zip(free).map(with_number).collect(),
            names: names.to_vec(),
            numbers: Step {
                state: state_leaves,
                next,
                inputs,
                start: start_numbers,
                bounds: Vec::new(),
            },
            builder,
            start,
            step,
            types: (state, element),
        })
    }

    fn lifting(mut self, effort: Effort) -> Option<Lifting> {
        if self.types.0 == self.types.1 {
            if let Some(mut itself) = shapes::itself(&mut self.builder, &self.numbers) {
                let Step { state, start, .. } = &self.numbers;
                itself.unit = itself.unit_by_points(&mut self.builder, state, start);
                if let Some(found) = self.proved(itself, effort) {
                    return Some(found);
                }
            }
        }
        let reals = self.builder.meaning != Meaning::Machine;
        let floats = reals
            && self
                .numbers
                .state
                .iter()
                .any(|id| self.builder.ty(*id).is_float());
        if let Some(found) = self.by_families(effort) {
            return Some(found);
        }
        // Where infinities are in the way, truth values say what there is not.
        self.builder.finite = true;
        floats.then(|| self.by_families(effort)).flatten()
    }

    /// Each part of the state by the first family that it belongs to.
    fn by_families(&mut self, effort: Effort) -> Option<Lifting> {
        let parts = self.parts();
        let mut whole: Option<Candidate> = None;
        for members in &parts {
            let part = self.part(members);
            let found = self.found(&part)?;
            whole = Some(match whole {
                None => found,
                Some(before) => before.beside(found),
            });
        }
        let mut whole = whole?;
        // In the order of the state.
        let places = parts.concat();
        let mut finish = whole.finish.clone();
        for (j, id) in places.iter().zip(&whole.finish) {
            finish[*j] = *id;
        }
        whole.finish = finish;
        self.proved(whole, effort)
    }

    /// Numbers that read each other, directly or by way of others.
    fn parts(&self) -> Vec<Vec<usize>> {
        let all: Vec<usize> = (0..self.numbers.state.len()).collect();
        let reads = |i: usize, j: usize| {
            let leaf = [self.numbers.state[j]].into();
            self.builder.mentions(self.numbers.next[i], &leaf)
        };
        summary::together(&all, reads)
    }

    fn part(&self, members: &[usize]) -> Step {
        let pick = |all: &[Id]| members.iter().map(|j| all[*j]).collect();
        Step {
            state: pick(&self.numbers.state),
            next: pick(&self.numbers.next),
            inputs: self.numbers.inputs.clone(),
            start: members.iter().map(|j| self.numbers.start[*j]).collect(),
            bounds: Vec::new(),
        }
    }

    /// The first family that a part of the step belongs to, as far as points tell.
    fn found(&mut self, part: &Step) -> Option<Candidate> {
        type Family = fn(&mut Builder, &Step) -> Option<Candidate>;
        let families: [Family; 5] = [
            summary::find,
            threshold::find,
            summary::find_turned,
            shapes::find,
            quantity::find,
        ];
        let b = &mut self.builder;
        families.into_iter().find_map(|family| {
            let found = family(b, part)?;
            found
                .is_plausible(b, &part.state, &part.next)
                .then_some(found)
        })
    }

    /// The candidate as terms, if all claims are proved; with a unit of its own, where it has none that is proved.
    fn proved(&mut self, mut whole: Candidate, effort: Effort) -> Option<Lifting> {
        // Operands of unsigned types are not negative, but what becomes of a state without bounds may be.
        let unsigned = |id: &Id| {
            let ty = self.builder.ty(*id);
            ty.is_int() && !ty.is_signed()
        };
        let mut numbers = whole.inject.iter().chain(&self.numbers.state);
        if self.builder.meaning == Meaning::Unbounded && numbers.any(unsigned) {
            return None;
        }
        for with_flag in [false, true] {
            if with_flag {
                whole = whole.with_unit(&mut self.builder, &self.numbers.state)?;
            }
            if whole.unit.is_none() || whole.inject.is_empty() {
                continue;
            }
            let leaves = terms::Leaves {
                state: &self.numbers.state,
                inputs: &self.numbers.inputs,
                free: &self.free,
            };
            let lifted = terms::lifted(&self.builder.dag, &whole, &leaves, self.types)?;
            let meaning = self.builder.meaning;
            let mut claims = claims::Claims::new(&self.step, &self.names, &lifted)?;
            let states = self.special_states(&whole.domains);
            let start = self.start.as_ref();
            let Some(methods) = claims.prove(&states, start, meaning, effort) else {
                continue;
            };
            return Some(Lifting {
                meaning,
                parts: lifted,
                family: whole.family,
                claims: methods,
                needs_start: !whole.domains.is_empty(),
            });
        }
        None
    }

    /// Numbers of the state that have few values, or may be infinite as the start is.
    fn special_states(&self, domains: &[(Id, Vec<Id>)]) -> claims::Special {
        let constants = |ids: &[Id]| ids.iter().map(|id| self.builder.constant(*id)).collect();
        let mut special = Vec::new();
        for (j, leaf) in self.numbers.state.iter().enumerate() {
            let few = domains.iter().find(|d| d.0 == *leaf);
            let begin = self.numbers.start[j].filter(|id| self.builder.is_infinite(*id));
            if let Some((_, values)) = few {
                special.push((j, constants(values)));
            } else if let Some(infinite) = begin {
                special.push((j, vec![None, self.builder.constant(infinite)]));
            }
        }
        special
    }
}
