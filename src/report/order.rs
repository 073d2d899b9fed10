//! Whether rewriting by rules ends, for people and for programs.
//!
//! In: rules and their verdicts. Out: what stands in words beside a rule, a summary, the saved form. Absent: how
//! rules are ordered (`order`).

use super::saved::{self, ORDER};
use crate::scalar::Rule;
use crate::termination::{Case, Ordered, Verdict, Why};
use serde::{Deserialize, Serialize};

/// The verdicts of the rules of some files, in order.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrderFile {
    /// Version of the program that made it.
    pub rise_opt: String,
    pub command: String,
    pub counts: Counts,
    /// In the order of the files.
    pub rules: Vec<RuleOrder>,
}

/// How many rules have which verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    pub local: usize,
    pub folding: usize,
    pub earlier: usize,
    pub open: usize,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleOrder {
    pub file: String,
    pub rule: String,
    pub verdict: Kind,
    /// What gets less, if the rule is ordered.
    pub decreases: Option<String>,
    /// The rules that have to stand before it.
    pub earlier: Vec<String>,
    /// Why it is not known to be ordered.
    pub reason: Option<String>,
    /// Steps that come back to where they began.
    pub circle: Vec<CycleStep>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CycleStep {
    pub rule: String,
    pub before: String,
    pub after: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Every application decreases.
    Local,
    /// Those that would not are folded before.
    Folding,
    /// Those that would not are rewritten by earlier rules.
    Earlier,
    Open,
}

impl RuleOrder {
    pub fn new(file: &str, rule: &Rule, verdict: &Verdict) -> RuleOrder {
        let mut told = RuleOrder {
            file: file.to_string(),
            rule: rule.name.to_string(),
            verdict: Kind::Open,
            decreases: None,
            earlier: Vec::new(),
            reason: None,
            circle: Vec::new(),
        };
        match verdict {
            Verdict::Ordered(ordered) => {
                told.verdict = kind(ordered);
                told.decreases = Some(decreases(ordered));
                told.earlier = ordered.earlier.iter().map(|r| r.to_string()).collect();
            }
            Verdict::Open(open) => {
                told.reason = Some(reason(&open.why));
                let steps = open.cycle.iter().flat_map(|c| &c.steps);
                let step = |(rule, before, after): &(_, _, _)| CycleStep::new(rule, before, after);
                told.circle = steps.map(step).collect();
            }
        }
        told
    }

    /// `add-const-up: after add-const-const; constants inside decrease`
    pub fn line(&self) -> String {
        let decreases = self.decreases.as_deref().unwrap_or_default();
        let how = match self.verdict {
            Kind::Local => "by the order alone".to_string(),
            Kind::Folding => "as constants are folded before".to_string(),
            Kind::Earlier => format!("as {} applies before", self.earlier.join(", ")),
            Kind::Open => return format!("{}: not ordered", self.rule),
        };
        format!("{}: {how}; what gets less: {decreases}", self.rule)
    }
}

impl CycleStep {
    fn new(rule: &impl ToString, before: &impl ToString, after: &impl ToString) -> CycleStep {
        CycleStep {
            rule: rule.to_string(),
            before: before.to_string(),
            after: after.to_string(),
        }
    }
}

impl OrderFile {
    pub fn new(command: String, rules: Vec<RuleOrder>) -> OrderFile {
        let of = |kind| rules.iter().filter(|r| r.verdict == kind).count();
        OrderFile {
            rise_opt: env!("CARGO_PKG_VERSION").to_string(),
            command,
            counts: Counts {
                local: of(Kind::Local),
                folding: of(Kind::Folding),
                earlier: of(Kind::Earlier),
                open: of(Kind::Open),
            },
            rules,
        }
    }

    pub fn json_line(&self) -> String {
        saved::line(&ORDER, self)
    }

    /// How many there are of each kind.
    pub fn summary(&self) -> String {
        let Counts {
            local,
            folding,
            earlier,
            open,
        } = self.counts;
        let rules = match self.rules.len() {
            1 => "1 rule".to_string(),
            n => format!("{n} rules"),
        };
        format!(
            "{rules}: {local} ordered by themselves, {folding} as constants are folded before, \
             {earlier} as other rules apply before, {open} not ordered\n"
        )
    }
}

fn kind(ordered: &Ordered) -> Kind {
    match (ordered.earlier.is_empty(), ordered.folding) {
        (false, _) => Kind::Earlier,
        (true, true) => Kind::Folding,
        (true, false) => Kind::Local,
    }
}

fn decreases(ordered: &Ordered) -> String {
    match ordered.by {
        Some(measure) => measure.name(),
        None => "negative constants, or the size of constants".to_string(),
    }
}

/// `where y is a constant, leaves may increase`
pub fn reason(why: &Why) -> String {
    match why {
        Why::Variables => "there are too many variables to look at every case".to_string(),
        Why::Grows(case, measure) => {
            let grows = match measure {
                Some(measure) => format!("{} may increase", measure.name()),
                None => "nothing that is measured is sure to decrease".to_string(),
            };
            match shown(case) {
                None => grows,
                Some(which) => format!("where {which}, {grows}"),
            }
        }
    }
}

/// Which variables stand for constants; nothing if none does.
fn shown(case: &Case) -> Option<String> {
    let all: Vec<String> = (case.constants.iter())
        .map(|(v, c)| match c.as_bool() {
            Some(b) => format!("`{v}` is {b}"),
            None => format!("`{v}` is a constant"),
        })
        .collect();
    (!all.is_empty()).then(|| all.join(" and "))
}
