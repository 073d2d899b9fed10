//! The part of `verify` that is about rules over arrays.
//!
//! In: rules of files. Out: their verdicts as data, and a diagnostic for each rule that is not proved. Absent: how
//! (`verify::arrays`).

use crate::diag::Diagnostic;
use crate::elab::{self, RuleDecl};
use crate::report::verification::{Assigned, Judgement, RuleVerdict};
use crate::source::{FileId, SourceMap};
use crate::verify::arrays::{instance, objection, verify_rule, Verdict, INSTANCES};
use std::rc::Rc;

/// A rule and the file that has it.
pub struct Found {
    pub file: String,
    pub rule: Rc<RuleDecl>,
}

/// The rules that a file declares itself and that can be read.
pub fn load(
    path: &str,
    file: FileId,
    sources: &mut SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Found> {
    let found = |rule| Found {
        file: path.to_string(),
        rule,
    };
    let (rules, wrong) = elab::readable_rules(sources, file);
    diagnostics.extend(wrong);
    let own = rules.into_iter().filter(|r| r.span.file == file);
    own.map(found).collect()
}

pub fn verify(rules: &[Found], diagnostics: &mut Vec<Diagnostic>) -> Vec<RuleVerdict> {
    let judged = rules.iter().map(|f| (f, verify_rule(&f.rule, INSTANCES)));
    let told = judged.map(|(f, verdict)| {
        diagnostics.extend(objection(&f.rule, &verdict));
        told(f, &verdict)
    });
    told.collect()
}

/// A verdict as data.
fn told(f: &Found, verdict: &Verdict) -> RuleVerdict {
    let mut told = RuleVerdict::unknown(&f.file, f.rule.name.as_str());
    match verdict {
        Verdict::Proved { assuming } => {
            told.verdict = Judgement::Proved;
            let mut by = "elements of both sides".to_string();
            if !assuming.is_empty() {
                let all: Vec<String> = assuming.iter().map(|a| a.to_string()).collect();
                by += &format!(", wherever {}", all.join(", "));
            }
            told.by = Some(by);
        }
        Verdict::Refuted(c) => {
            told.verdict = Judgement::Refuted;
            let at = instance(&f.rule, c).into_iter();
            told.at = at.map(|(name, value)| Assigned { name, value }).collect();
        }
        Verdict::Unknown { why, agreed } => {
            told.reasons = vec![
                format!("not shown: {why}"),
                format!("next: {}", why.next),
                format!("the sides agree on {agreed} random instances"),
            ];
        }
    }
    told
}
