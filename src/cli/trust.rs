//! Whether the rules that sketches use are to be trusted.
//!
//! In: the steps of a search. Out: nothing, or a diagnostic for each rule that is wrong, or without a verdict if that was not
//! allowed. A proof takes less than a millisecond, so shipped rules are treated as anybody's and nothing is kept. Absent:
//! how rules are proved (`verify`).

use crate::diag::Diagnostic;
use crate::elab::{self, RuleDecl, Step};
use crate::source::{FileId, SourceMap, Span};
use crate::verify::arrays::{prove, refusal, verify_rule, Verdict, INSTANCES};
use std::collections::BTreeSet;
use std::rc::Rc;

#[derive(Copy, Clone, Debug, Default)]
pub struct Trust {
    /// Also those that could be neither proved nor refuted.
    pub allow_unverified: bool,
}

impl Trust {
    /// What is wrong with the rules of steps.
    pub fn check(self, steps: &[Step]) -> Vec<Diagnostic> {
        let rules = distinct(steps).into_iter();
        rules.filter_map(|r| self.refusal(r)).collect()
    }

    fn refusal(self, rule: &Rc<RuleDecl>) -> Option<Diagnostic> {
        let verdict = verify_rule(rule, INSTANCES);
        let allowed = self.allow_unverified && matches!(verdict, Verdict::Unknown { .. });
        refusal(rule, &verdict).filter(|_| !allowed)
    }
}

fn distinct(steps: &[Step]) -> Vec<&Rc<RuleDecl>> {
    let mut seen: BTreeSet<Span> = BTreeSet::new();
    let used = steps.iter().flat_map(|s| &s.rules).map(|u| &u.rule);
    used.filter(|r| seen.insert(r.span)).collect()
}

/// The names of rules of steps that are not proved: nothing, unless they were allowed.
pub fn unverified(steps: &[Step]) -> Vec<String> {
    let open = |r: &&Rc<RuleDecl>| prove(r).is_err();
    let names = distinct(steps).into_iter().filter(open);
    names.map(|r| r.name.to_string()).collect()
}

/// The rules of a file that are wrong.
pub fn refuted(sources: &mut SourceMap, file: FileId) -> Vec<Diagnostic> {
    let rules = elab::rule_decls(sources, file).unwrap_or_default();
    let trust = Trust {
        allow_unverified: true,
    };
    rules.iter().filter_map(|r| trust.refusal(r)).collect()
}
