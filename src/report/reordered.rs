//! Which reductions are combined in another order than the program has, and by which laws.
//!
//! In: a proof that was checked. Out: each reduction that a step takes apart or puts together, with the laws of its operator, why
//! they hold, and of which numbers. Invariant: all of it is read off the checked steps. Absent: whether a loop program keeps
//! the order of what was found (`validate`).

use super::svg::cut;
use crate::algebra::Claim;
use crate::proof::{Holds, Proof, Rests};
use crate::term::{Op, Term};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Characters of an operator.
const WIDTH: usize = 80;

/// A reduction that a step combines in another order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reordered {
    pub step: String,
    pub reduction: String,
    /// The rules that do it, by name.
    pub rules: Vec<String>,
    pub laws: Vec<RestsOn>,
}

/// A law of an operator, and why it holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RestsOn {
    /// With the operator.
    pub law: String,
    /// The type of what it combines.
    #[serde(rename = "type")]
    pub ty: String,
    pub numbers: Numbers,
    pub certificate: String,
}

/// Of which numbers a law holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Numbers {
    /// To the bit.
    Machine,
    /// As the permission to reassociate reads floats.
    Reals,
}

impl Numbers {
    /// For people.
    pub fn sentence(self) -> &'static str {
        match self {
            Numbers::Machine => "numbers of the machine, to the bit",
            Numbers::Reals => "real numbers, by `permit reassociate`",
        }
    }
}

/// Those of a proof, each once.
pub fn of(proof: &Proof, holds: &Holds) -> Vec<Reordered> {
    let mut all: Vec<(Reordered, BTreeSet<String>)> = Vec::new();
    for used in &holds.reordered {
        let step = &proof.segments[used.segment].name;
        let reduction = reduction(&used.from);
        let said: BTreeSet<String> = used.laws.iter().map(|l| l.claim.to_string()).collect();
        let rule = used.rule.to_string();
        let own = |(r, laws): &(Reordered, BTreeSet<String>)| {
            r.step == *step && r.reduction == reduction && *laws == said
        };
        match all.iter().position(own) {
            Some(i) if all[i].0.rules.contains(&rule) => {}
            Some(i) => all[i].0.rules.push(rule),
            None => all.push((
                Reordered {
                    step: step.clone(),
                    reduction,
                    rules: vec![rule],
                    laws: used.laws.iter().map(rests).collect(),
                },
                said,
            )),
        }
    }
    all.into_iter().map(|r| r.0).collect()
}

fn rests(on: &Rests) -> RestsOn {
    let Rests { claim, permitted } = on;
    RestsOn {
        law: cut(&claim.to_string(), WIDTH),
        ty: type_of(claim),
        numbers: match permitted {
            true => Numbers::Reals,
            false => Numbers::Machine,
        },
        // Whoever checked the step found that it holds.
        certificate: claim.certificate(*permitted).unwrap_or_default(),
    }
}

fn type_of(claim: &Claim<Term>) -> String {
    claim.of().map_or(String::new(), |t| t.to_string())
}

/// The first reduction in a term, in words; the term, if there is none.
fn reduction(t: &Term) -> String {
    let mut found = None;
    t.visit(&mut |t, _| {
        let Some((p, args)) = t.as_prim_app().filter(|(_, args)| args.len() >= 2) else {
            return;
        };
        let reduces = matches!(
            p.op(),
            Op::Reduce | Op::ReduceSeq | Op::ReduceSeqUnroll | Op::ScanSeq | Op::ScatterReduce
        );
        let given = args.get(2).map(|xs| xs.ty());
        let over = given.or_else(|| Some(t.ty().as_fun()?.0));
        let over = over.and_then(|t| t.as_array());
        if let (true, None, Some((n, of))) = (reduces, &found, over) {
            found = Some(format!("{} of {n} elements of {of}", p.op().name()));
        }
    });
    found.unwrap_or_else(|| cut(&t.to_string(), WIDTH))
}

/// For people, a line for each and one for each of its laws; one that says so, if there is none.
pub fn lines(all: &[Reordered]) -> Vec<String> {
    if all.is_empty() {
        return vec!["all reductions are combined in the order of the program".to_string()];
    }
    let mut lines = Vec::new();
    for r in all {
        lines.push(format!(
            "in another order: {}, in step `{}` by {}",
            r.reduction,
            r.step,
            r.rules.join(", ")
        ));
        for l in &r.laws {
            lines.push(format!(
                "  {}, of {}: {}; {}",
                l.law,
                l.ty,
                l.numbers.sentence(),
                l.certificate
            ));
        }
    }
    lines
}
