//! What was proved before.
//!
//! In: rules, verdicts. Out: whether a rule was proved. Invariant: a certificate is of one statement, read by one version of
//! the encoder; whatever changes in either, there is none. Names of rules and of files do not count. Absent: files.

use super::Verdict;
use crate::hash::fnv128;
use crate::scalar::{is_open, Rule};
use std::collections::BTreeMap;

/// Changes whenever a rule may be read or asked in another way.
pub const ENCODER: u32 = 1;

/// Keys of statements that were proved, with what proved them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Certificates(pub BTreeMap<String, String>);

impl Certificates {
    /// What proved a rule.
    pub fn get(&self, rule: &Rule) -> Option<&str> {
        self.0.get(&key(rule)).map(String::as_str)
    }

    /// Notes a proof.
    pub fn add(&mut self, rule: &Rule, verdict: &Verdict) {
        if let Verdict::Proved(proved) = verdict {
            self.0.insert(key(rule), proved.by.clone());
        }
    }
}

/// The key of a rule: of its sides, its condition, the classes of its variables and the encoder.
pub fn key(rule: &Rule) -> String {
    let mut text = format!(
        "{ENCODER}\0{}\0{}\0{}\0",
        rule.lhs, rule.rhs, rule.condition
    );
    for (v, sort, class) in rule.vars() {
        let open = is_open(v);
        text += &format!("{v}\0{sort:?}\0{class:?}\0{open}\0");
    }
    format!("{:032x}", fnv128(text.as_bytes()))
}
