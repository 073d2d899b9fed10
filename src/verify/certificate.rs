//! What solvers proved before.
//!
//! In: rules, verdicts. Out: whether a solver proved a rule. Invariant: a certificate is of one statement, read by one version of
//! the encoder; whatever changes in either, there is none. Names of rules and of files do not count. A key is a hash that anyone can
//! compute, so a certificate stands for a solver's word and for nothing that we find out ourselves. Absent: files.

use super::portfolio::POLYNOMIALS;
use super::Verdict;
use crate::hash::fnv128;
use crate::scalar::{is_open, Rule};
use std::collections::BTreeMap;

/// Changes whenever a rule may be read or asked in another way.
pub const ENCODER: u32 = 2;

/// Keys of statements that solvers proved, with which solver and encoding.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Certificates(pub BTreeMap<String, String>);

impl Certificates {
    /// What proved a rule.
    pub fn get(&self, rule: &Rule) -> Option<&str> {
        self.0.get(&key(rule)).map(String::as_str)
    }

    /// Notes a proof by a solver.
    pub fn add(&mut self, rule: &Rule, verdict: &Verdict) {
        match verdict {
            Verdict::Proved(proved) if proved.by != POLYNOMIALS => {
                self.0.insert(key(rule), proved.by.clone());
            }
            _ => {}
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
