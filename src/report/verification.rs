//! What `verify` found out, as data and in one page.
//!
//! In: a verdict for each rule. Out: JSON, and a summary for people. Absent: how verdicts are reached (`verify`); what
//! is wrong with a rule and where, which diagnostics say.

use super::saved::{self, VERIFICATION};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// All verdicts of a call.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verification {
    /// Version of the program that made it.
    pub rise_opt: String,
    pub command: String,
    /// The solvers that were there, in the order in which they are asked.
    pub solvers: Vec<SolverVersion>,
    pub counts: Counts,
    /// In the order of the files.
    pub rules: Vec<RuleVerdict>,
    /// Conditions that are stronger than needed, if those were asked for.
    pub weaker: Vec<Weaker>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SolverVersion {
    pub name: String,
    pub version: String,
}

/// How many rules have which verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    pub proved: usize,
    pub proved_under_the_normal_form: usize,
    pub refuted: usize,
    pub unknown: usize,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleVerdict {
    pub file: String,
    pub rule: String,
    pub verdict: Judgement,
    /// What proved it.
    pub by: Option<String>,
    /// Whether a certificate spared the solver: it was not asked this time. Points and polynomials were.
    pub certified: bool,
    /// What has to be done before for the rule to hold: rules that stand earlier in the file, or `folding`.
    pub needs: Vec<String>,
    /// Where the sides of a refuted rule differ.
    pub at: Vec<Assigned>,
    /// Why nothing is known: what each attempt said.
    pub reasons: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judgement {
    Proved,
    ProvedUnderTheNormalForm,
    Refuted,
    Unknown,
}

/// A variable of a rule and its value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assigned {
    pub name: String,
    pub value: String,
}

/// A condition that may be weaker, all others as they are.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weaker {
    pub file: String,
    pub rule: String,
    /// One of the conditions of the rule.
    pub condition: String,
    /// What is enough; nothing, if the condition is not needed at all.
    pub instead: Option<String>,
    pub by: String,
}

impl Verification {
    /// One line of JSON.
    pub fn to_json(&self) -> String {
        saved::line(&VERIFICATION, self)
    }
}

impl RuleVerdict {
    /// Of a rule of which nothing is known.
    pub fn unknown(file: &str, rule: &str) -> RuleVerdict {
        RuleVerdict {
            file: file.to_string(),
            rule: rule.to_string(),
            verdict: Judgement::Unknown,
            by: None,
            certified: false,
            needs: Vec::new(),
            at: Vec::new(),
            reasons: Vec::new(),
        }
    }
}

impl Counts {
    pub fn of(rules: &[RuleVerdict]) -> Counts {
        let mut counts = Counts::default();
        for rule in rules {
            *match rule.verdict {
                Judgement::Proved => &mut counts.proved,
                Judgement::ProvedUnderTheNormalForm => &mut counts.proved_under_the_normal_form,
                Judgement::Refuted => &mut counts.refuted,
                Judgement::Unknown => &mut counts.unknown,
            } += 1;
        }
        counts
    }
}

/// The page for people.
pub fn verification(v: &Verification) -> String {
    let Counts {
        proved,
        proved_under_the_normal_form: under,
        refuted,
        unknown,
    } = v.counts;
    let all = v.rules.len();
    let mut text = format!(
        "{all} rules: {} proved, {refuted} refuted, {unknown} unknown\n",
        proved + under
    );
    let mut by: BTreeMap<String, usize> = BTreeMap::new();
    for rule in &v.rules {
        if let Some(how) = &rule.by {
            let how = if rule.certified {
                format!("{how} (solver spared by a certificate)")
            } else {
                how.clone()
            };
            *by.entry(how).or_default() += 1;
        }
    }
    for (how, rules) in by {
        text += &format!("  {rules} by {how}\n");
    }
    for rule in v.rules.iter().filter(|r| !r.needs.is_empty()) {
        let needs = rule.needs.join(", ");
        text += &format!(
            "  {} holds under the normal form: after {needs}\n",
            rule.rule
        );
    }
    for s in &v.solvers {
        text += &format!("  {}: {}\n", s.name, s.version);
    }
    text + &weaker(&v.weaker)
}

fn weaker(all: &[Weaker]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let rule = all.iter().map(|w| w.rule.len()).max().unwrap_or(0);
    let condition = all.iter().map(|w| w.condition.len()).max().unwrap_or(0);
    let lines = all.iter().map(|w| {
        let instead = match &w.instead {
            Some(instead) => format!("{instead} is enough"),
            None => "is not needed".to_string(),
        };
        format!(
            "  {:rule$}  {:condition$}  {instead}\n",
            w.rule, w.condition
        )
    });
    let lines: String = lines.collect();
    format!("conditions that are stronger than needed, one at a time:\n{lines}")
}
