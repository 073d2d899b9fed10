//! What a kernel rests on, and what ties it to its term, its plan and its proof.
//!
//! In: a program, what was found for it, a proof that was checked. Out: which rules regrouped floats, which have no
//! verdict; a hash of program and term; the lines at the top of C and header that say so. Invariant: what is said of the
//! rules is read off the checked steps, wherever there is a proof. Absent: how proofs are checked (`proof`).

use super::reordered::{self, Reordered};
use super::Reassociation;
use crate::elab::RuleDecl;
use crate::emit;
use crate::hash::fnv64;
use crate::proof::{Holds, Proof};
use crate::term::{normalize, Program, Term};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Before the hash of program and term, in C and header.
const MARK: &str = "/* program and term ";

/// What the steps rest on.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Basis {
    /// The steps that may regroup floats, with the rules that did.
    pub reassociation: Vec<Reassociation>,
    /// The names of the rules that were used and have no verdict.
    pub unverified: Vec<String>,
    /// Which reductions are combined in another order, by which laws; none where no proof says it.
    pub reordered: Option<Vec<Reordered>>,
}

impl Basis {
    /// Of a proof that holds; `unverified` says which rules have no verdict.
    pub fn of(proof: &Proof, holds: &Holds, unverified: impl Fn(&RuleDecl) -> bool) -> Basis {
        let segments = proof.segments.iter().enumerate();
        let permitted = segments.filter(|(_, segment)| segment.reassociate);
        let mut names: Vec<String> = (used(proof).iter())
            .filter(|r| unverified(r))
            .map(|r| r.name.to_string())
            .collect();
        names.sort();
        Basis {
            reassociation: permitted
                .map(|(i, segment)| Reassociation {
                    step: segment.name.clone(),
                    rules: (holds.regroups.get(&i).into_iter().flatten())
                        .map(|r| r.to_string())
                        .collect(),
                })
                .collect(),
            unverified: names,
            reordered: Some(reordered::of(proof, holds)),
        }
    }

    /// Whether no rule regrouped anything: the result is the program's to the bit, but for contraction.
    pub fn is_exact(&self) -> bool {
        self.reassociation.iter().all(|r| r.rules.is_empty())
    }

    /// How C and header begin.
    pub fn origin(
        &self,
        (command, plan): (&str, &str),
        program: &Program,
        found: &Term,
    ) -> emit::Origin {
        let mut lines = vec![format!(
            "program and term {}, plan {}",
            hash(program, found),
            plan
        )];
        // Integers have the same sums in any order.
        if found.has_floats() || !self.reassociation.is_empty() {
            lines.push(format!(
                "sums of floats {}",
                regrouping(&self.reassociation)
            ));
        }
        if !self.unverified.is_empty() {
            let rules = self.unverified.join(", ");
            lines.push(format!(
                "neither proved nor refuted are these rules of its steps: {rules}"
            ));
        }
        emit::Origin {
            command: command.to_string(),
            lines,
        }
    }
}

/// The rules that the steps of a proof use, each once, by the place of its declaration.
pub fn used(proof: &Proof) -> Vec<Rc<RuleDecl>> {
    let rules = proof.segments.iter().flat_map(|l| l.used());
    let all: BTreeMap<_, _> = rules.map(|r| (r.span, r.clone())).collect();
    all.into_values().collect()
}

/// Of a program and a term, whatever their variables are called.
pub fn hash(program: &Program, found: &Term) -> String {
    let term = normalize(&program.term);
    let program = Program {
        term,
        ..program.clone()
    };
    let text = format!("{program}\n{}", normalize(found));
    format!("{:016x}", fnv64(text.as_bytes()))
}

/// The hash that a C file or a header has.
pub fn hash_of(text: &str) -> Option<&str> {
    let line = text.lines().find_map(|l| l.strip_prefix(MARK))?;
    line.get(..16)
}

/// `may be regrouped in …`, or that they are not.
pub fn regrouping(all: &[Reassociation]) -> String {
    if all.is_empty() {
        return "are not regrouped".to_string();
    }
    let steps: Vec<String> = all
        .iter()
        .map(|r| {
            if r.rules.is_empty() {
                format!("`{}` (no rule did)", r.step)
            } else {
                format!("`{}` (by {})", r.step, r.rules.join(", "))
            }
        })
        .collect();
    format!("may be regrouped in {}", steps.join(", "))
}
