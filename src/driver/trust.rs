//! Whether the rules that sketches use are to be trusted.
//!
//! In: the steps of a search. Out: the rules that have no verdict but are allowed, or a diagnostic for each that is wrong, or
//! without a verdict and not allowed. A proof takes less than a millisecond, so shipped rules are treated as anybody's
//! and nothing is kept. Absent: how rules are proved (`verify`).

use crate::diag::Diagnostic;
use crate::elab::{self, RuleDecl, Step};
use crate::source::{FileId, SourceMap, Span};
use crate::verify::arrays::{refusal, verify_rule, Verdict, INSTANCES};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Which rules may be used.
#[derive(Copy, Clone, Debug, Default)]
pub struct Trust {
    /// Those that could be neither proved nor refuted, too.
    pub allow_unverified: bool,
}

impl Trust {
    /// The rules of steps that are not proved and are allowed, or what is wrong with rules.
    pub fn check(self, steps: &[Step]) -> Result<Vec<Rc<RuleDecl>>, Vec<Diagnostic>> {
        self.judge(distinct(steps))
    }

    /// The same of a list of rules.
    pub fn judge(self, rules: Vec<Rc<RuleDecl>>) -> Result<Vec<Rc<RuleDecl>>, Vec<Diagnostic>> {
        let (mut unverified, mut refused) = (Vec::new(), Vec::new());
        for rule in rules {
            match verify_rule(&rule, INSTANCES) {
                Verdict::Unknown { .. } if self.allow_unverified => unverified.push(rule),
                verdict => refused.extend(refusal(&rule, &verdict)),
            }
        }
        if refused.is_empty() {
            Ok(unverified)
        } else {
            Err(refused)
        }
    }
}

fn distinct(steps: &[Step]) -> Vec<Rc<RuleDecl>> {
    let mut seen: BTreeSet<Span> = BTreeSet::new();
    let used = steps.iter().flat_map(|s| &s.rules).map(|u| &u.rule);
    used.filter(|r| seen.insert(r.span)).cloned().collect()
}

/// Everything wrong with a file of rules: what cannot be read, and what is refuted of the rest.
pub fn wrong_rules(sources: &mut SourceMap, file: FileId) -> Vec<Diagnostic> {
    let (rules, mut wrong) = elab::readable_rules(sources, file);
    let trust = Trust {
        allow_unverified: true,
    };
    wrong.extend(trust.judge(rules).err().unwrap_or_default());
    wrong
}
