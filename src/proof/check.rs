//! The checker: replays a chain on plain terms.
//!
//! Comes in: a proof; goes out: of which sizes it holds, or where it breaks and why. Every step
//! is found at its place in the term that the steps before it made; nothing is
//! taken over from the proof but what was compared.
//!
//! Note [Sizes of a proof]: terms have a meaning where all sizes that they speak of are whole and not negative, and
//! the sides of a rule are equal where its obligations hold. So a chain holds where the sizes of all its terms are sizes,
//! those of terms that it only passes through as well, and the obligations of all its steps hold.

use super::instance::{instance, Instance, Rests};
use super::typed::{ill_typed, ill_typed_at};
use super::{Bound, By, Proof, Segment, Step};
use crate::arith::Nat;
use crate::elab::RuleDecl;
use crate::intern::Symbol;
use crate::obligation::{self, Assumption, Sizes};
use crate::term::{normalize_within, Kind, Term};
use std::collections::{BTreeMap, BTreeSet};

/// Where a proof breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Which part, from 0.
    pub segment: usize,
    /// Which step of it, from 0; none for its end.
    pub step: Option<usize>,
    /// Why.
    pub why: String,
}

/// Normal forms larger than this are not computed.
const LARGEST: u32 = 2_000_000;

/// Of which sizes a proof holds, see Note [Sizes of a proof].
#[derive(Clone, Debug, Default)]
pub struct Holds {
    /// All that must be whole and not negative.
    pub sizes: Vec<Nat>,
    /// What makes them so, where that is not always so.
    pub wherever: Vec<Assumption>,
    /// The numbers of segments, each with the rules in it whose instances hold by the permission to reassociate alone.
    pub regroups: BTreeMap<usize, BTreeSet<Symbol>>,
    /// Where elements are combined in another order, whatever numbers they are.
    pub reordered: Vec<Reordered>,
}

/// A use of a rule that combines the elements of a reduction in another order.
#[derive(Clone, Debug)]
pub struct Reordered {
    /// The number of its segment.
    pub segment: usize,
    /// The rule.
    pub rule: Symbol,
    /// What stood there before.
    pub from: Term,
    /// What it rests on.
    pub laws: Vec<Rests>,
}

/// What the steps so far ask of sizes.
#[derive(Default)]
struct Obliged {
    sizes: Sizes,
    wherever: Vec<Assumption>,
    decided: usize,
}

impl Obliged {
    fn term(&mut self, t: &Term) -> Result<(), String> {
        self.sizes.term(t);
        self.decide()
    }

    fn step(&mut self, by: Option<&(&RuleDecl, Instance)>, now: &Term) -> Result<(), String> {
        if let Some((rule, made)) = by {
            for o in rule.obligations() {
                self.sizes.size(made.types.nat(o.size()));
            }
        }
        self.term(now)
    }

    /// Refuses what holds at no sizes.
    fn decide(&mut self) -> Result<(), String> {
        let new = &self.sizes.all()[self.decided..];
        let more = obligation::missing(&self.wherever, new);
        self.decided = self.sizes.all().len();
        if more.is_empty() {
            return Ok(());
        }
        self.wherever.extend(more);
        match obligation::contradiction(&self.wherever) {
            None => Ok(()),
            Some(never) => Err(format!("it has a meaning at no sizes: {never}")),
        }
    }
}

/// Checks a proof.
pub fn check(proof: &Proof) -> Result<Holds, Refusal> {
    let mut now = proof.start.clone();
    let mut obliged = Obliged::default();
    let mut regroups = BTreeMap::<usize, BTreeSet<Symbol>>::new();
    let mut reordered = Vec::new();
    if let Some(t) = ill_typed(&now) {
        let why = format!("the program has `{t}` of type {}", t.ty());
        return Err(Refusal {
            segment: 0,
            step: None,
            why,
        });
    }
    obliged.term(&now).map_err(|why| Refusal {
        segment: 0,
        step: None,
        why,
    })?;
    for (i, segment) in proof.segments.iter().enumerate() {
        let refuse = |step, why| Refusal {
            segment: i,
            step,
            why,
        };
        for (j, step) in segment.steps.iter().enumerate() {
            let (then, by) = apply(segment, step, &now).map_err(|why| refuse(Some(j), why))?;
            now = then;
            // Whatever a rule makes is well typed; what it was made of, or what only
            // has the same normal form, need not be. The rest of the term was well typed before.
            if let Some(t) = ill_typed_at(&now, &step.at) {
                let why = format!("it leads to `{t}` of type {}", t.ty());
                return Err(refuse(Some(j), why));
            }
            let asked = obliged.step(by.as_ref(), &now);
            asked.map_err(|why| refuse(Some(j), why))?;
            let Some((rule, made)) = by.filter(|(rule, _)| rule.regroups()) else {
                continue;
            };
            if made.laws.iter().any(|l| l.permitted) {
                regroups.entry(i).or_default().insert(rule.name);
            }
            reordered.push(Reordered {
                segment: i,
                rule: rule.name,
                from: step.from.clone(),
                laws: made.laws,
            });
        }
        if now != segment.end {
            let why = "the chain ends in another term than it says".to_string();
            return Err(refuse(None, why));
        }
    }
    Ok(Holds {
        sizes: obliged.sizes.all().to_vec(),
        wherever: obliged.wherever,
        regroups,
        reordered,
    })
}

/// The rule of a step, and its instance.
type Used<'a> = Option<(&'a RuleDecl, Instance)>;

/// The whole term after a step, and by what.
fn apply<'a>(segment: &'a Segment, step: &Step, now: &Term) -> Result<(Term, Used<'a>), String> {
    let here = at(now, &step.at).ok_or("the term has no such place")?;
    if *here != step.from {
        return Err("another sub-term stands at the place".to_string());
    }
    let (left, right) = match step.back {
        false => (&step.from, &step.to),
        true => (&step.to, &step.from),
    };
    let by = holds(segment, step, left, right)?;
    let then = put(now, &step.at, &step.to).ok_or("what is put there has another type")?;
    Ok((then, by))
}

/// Whether `left` becomes `right`.
fn holds<'a>(
    segment: &'a Segment,
    step: &Step,
    left: &Term,
    right: &Term,
) -> Result<Used<'a>, String> {
    match &step.by {
        By::Rule(number, computed) => {
            let made = made(segment, *number, computed, left)?;
            if made.to != *right {
                return Err("the rule makes another term".to_string());
            }
            if step.bound.as_ref().is_none_or(|b| *b == bound(&made)) {
                Ok(Some((&segment.rules[*number].rule, made)))
            } else {
                Err("its unknowns stand for something else".to_string())
            }
        }
        By::Beta | By::Eta | By::Normal => {
            let [a, b] = [left, right].map(|t| normalize_within(t, LARGEST));
            match (a, b) {
                (Some(a), Some(b)) if a == b => Ok(None),
                (Some(_), Some(_)) => Err("the two have different normal forms".to_string()),
                _ => Err(format!(
                    "a normal form has more than {LARGEST} nodes, or takes too long"
                )),
            }
        }
    }
}

fn made(
    segment: &Segment,
    number: usize,
    computed: &[(u32, Term)],
    left: &Term,
) -> Result<Instance, String> {
    let used = segment.rules.get(number).ok_or("there is no such rule")?;
    instance(&used.rule, &used.args, left, computed, segment.reassociate)
}

/// What the unknowns of a step's rule stand for; `None` for other steps and for
/// one that does not hold.
pub fn bindings(segment: &Segment, step: &Step) -> Option<Bound> {
    let left = if step.back { &step.to } else { &step.from };
    match &step.by {
        By::Rule(number, computed) => made(segment, *number, computed, left)
            .ok()
            .map(|m| bound(&m)),
        By::Beta | By::Eta | By::Normal => None,
    }
}

fn bound(made: &Instance) -> Bound {
    let types = &made.types;
    let numbers = |n: usize| 0..n as u32;
    Bound {
        holes: made.holes.clone(),
        sizes: (numbers(types.nats.len()))
            .filter_map(|i| types.nats.get(&i).copied())
            .collect(),
        types: (numbers(types.tys.len()))
            .filter_map(|i| types.tys.get(&i).copied())
            .collect(),
    }
}

/// The sub-term at a place.
pub fn at<'t>(t: &'t Term, place: &[u8]) -> Option<&'t Term> {
    let Some((first, rest)) = place.split_first() else {
        return Some(t);
    };
    match (t.kind(), first) {
        (Kind::Lam(_, b), 0) => at(b, rest),
        (Kind::App(f, _), 0) => at(f, rest),
        (Kind::App(_, x), 1) => at(x, rest),
        _ => None,
    }
}

/// How many binders stand above a place.
pub fn binders(t: &Term, place: &[u8]) -> u32 {
    let mut count = 0;
    let mut here = t;
    for step in place {
        here = match (here.kind(), step) {
            (Kind::Lam(_, b), _) => {
                count += 1;
                b
            }
            (Kind::App(f, _), 0) => f,
            (Kind::App(_, x), _) => x,
            _ => return count,
        };
    }
    count
}

/// The term with another sub-term, of the same type, at a place.
pub fn put(t: &Term, place: &[u8], new: &Term) -> Option<Term> {
    let Some((first, rest)) = place.split_first() else {
        return (t.ty() == new.ty()).then(|| new.clone());
    };
    Some(match (t.kind(), first) {
        (Kind::Lam(hint, b), 0) => Term::lam(*hint, t.ty().as_fun()?.0, put(b, rest, new)?),
        (Kind::App(f, x), 0) => Term::app(put(f, rest, new)?, x.clone()),
        (Kind::App(f, x), 1) => Term::app(f.clone(), put(x, rest, new)?),
        _ => return None,
    })
}
