//! What short commands answer, for programs: one line of JSON each.
//!
//! In: what a command found. Out: JSON. Absent: the same for people, which the commands print.

use super::explain::ExplainedStep;
use super::kernel_certificate::Claims;
use super::reordered::{self, Reordered};
use super::saved::{
    self, Kind, ATTEMPT, CRITICAL, DOCTOR, EXPLANATION, KERNEL_CHECK, PROOF_CHECK, SIMPLIFICATION,
    SOLUTION, SYNTHESIS, WRITTEN,
};
use crate::solve::{Form, Side};
use serde::Serialize;

/// An answer, with the version of the program that gives it.
#[derive(Serialize)]
struct Answer<'a, T> {
    rise_opt: &'static str,
    #[serde(flatten)]
    answer: &'a T,
}

fn line<T: Serialize>(kind: &Kind, answer: &T) -> String {
    let rise_opt = env!("CARGO_PKG_VERSION");
    saved::line(kind, &Answer { rise_opt, answer })
}

/// `doctor`
#[derive(Clone, Debug, Serialize)]
pub struct Doctor {
    pub found: Vec<Found>,
}

/// One thing that a machine has or lacks.
#[derive(Clone, Debug, Serialize)]
pub struct Found {
    pub what: &'static str,
    pub how: String,
}

impl Doctor {
    pub fn json_line(&self) -> String {
        line(&DOCTOR, self)
    }
}

/// `simplify` and `prove`
#[derive(Clone, Debug, Default, Serialize)]
pub struct Simplification {
    /// In the order in which they were asked.
    pub answers: Vec<Simplified>,
}

/// One expression.
#[derive(Clone, Debug, Serialize)]
pub struct Simplified {
    /// Nothing for one that cannot be read.
    pub result: Option<String>,
    /// Those that were asked for.
    pub steps: Vec<RuleStep>,
}

#[derive(Clone, Debug, Serialize)]
pub struct RuleStep {
    pub rule: String,
    pub before: String,
    pub after: String,
}

impl Simplification {
    pub fn json_line(&self) -> String {
        line(&SIMPLIFICATION, self)
    }
}

/// `solve`
#[derive(Clone, Debug, Serialize)]
pub struct Solution {
    /// The variable that is isolated.
    pub target: String,
    /// In the order in which they were asked.
    pub answers: Vec<Solved>,
}

/// One expression; every field is nothing for one that cannot be read.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Solved {
    /// The expression as far as it is solved.
    pub result: Option<String>,
    pub form: Option<Form>,
    /// The values of the target, if they were asked for.
    pub interval: Option<Bounds>,
    /// Those that were asked for.
    pub steps: Vec<RuleStep>,
}

/// The integers from `lower` to `upper`, nothing being no bound; none unless `when` holds.
#[derive(Clone, Debug, Serialize)]
pub struct Bounds {
    pub side: Side,
    pub lower: Option<String>,
    pub upper: Option<String>,
    pub when: String,
}

impl Solution {
    pub fn json_line(&self) -> String {
        line(&SOLUTION, self)
    }
}

/// `order --critical`, of one file
#[derive(Clone, Debug, Serialize)]
pub struct Criticals {
    pub file: String,
    /// Rules that were looked at, overlaps with constants in them, those that come apart.
    pub rules: usize,
    pub pairs: usize,
    pub apart: usize,
    /// Those that come apart, of the rules that were asked for.
    pub open: Vec<CriticalPair>,
    /// Rules of which, by themselves, none does.
    pub confluent: Vec<String>,
}

/// An expression that two rules rewrite in two ways.
#[derive(Clone, Debug, Serialize)]
pub struct CriticalPair {
    pub outer: String,
    pub inner: String,
    pub peak: String,
    pub facts: Vec<String>,
    pub results: [String; 2],
}

impl Criticals {
    pub fn json_line(&self) -> String {
        line(&CRITICAL, self)
    }
}

/// `synth --from`
#[derive(Clone, Debug, Default, Serialize)]
pub struct Synthesis {
    pub rules: Vec<FoundRule>,
    /// Left sides that were looked at, and those of them for which no right side was found.
    pub left_sides: usize,
    pub without_right_side: usize,
    /// Statements that came to nothing.
    pub refuted: usize,
    pub unknown: usize,
    pub unordered: usize,
    /// Rules that others made superfluous.
    pub superfluous: usize,
    /// Left sides that the budget did not allow.
    pub left: usize,
}

/// A rule, and where it comes from.
#[derive(Clone, Debug, Serialize)]
pub struct FoundRule {
    pub name: String,
    pub text: String,
    pub from: String,
    pub place: String,
    pub how: &'static str,
    pub by: String,
    pub fires: usize,
}

impl Synthesis {
    pub fn json_line(&self) -> String {
        line(&SYNTHESIS, self)
    }
}

/// `check-proof`, of a proof that holds
#[derive(Clone, Debug, Serialize)]
pub struct ProofCheck {
    pub proof: String,
    /// Name of the definition.
    pub definition: String,
    pub steps: usize,
    /// What the definition equals, as a program.
    pub equals: String,
    /// What sizes have to satisfy for that.
    pub wherever: Vec<String>,
    /// Steps that may regroup floats.
    pub regrouped: Vec<String>,
    pub rules: Vec<UsedRule>,
}

#[derive(Clone, Debug, Serialize)]
pub struct UsedRule {
    pub name: String,
    pub shipped: bool,
    pub proved: bool,
    pub text: String,
}

impl ProofCheck {
    pub fn json_line(&self) -> String {
        line(&PROOF_CHECK, self)
    }
}

/// `certify` and `check-certificate`, of a certificate that holds
#[derive(Clone, Debug, Serialize)]
pub struct KernelCheck {
    pub certificate: String,
    /// Name of the definition.
    pub definition: String,
    /// Of the proof that the program equals what was found.
    pub steps: usize,
    /// All of them are proved.
    pub rules: Vec<UsedRule>,
    /// By which the loop program computes that.
    pub obligations: usize,
    /// Reductions that the proof combines in another order.
    pub reordered: Vec<Reordered>,
    pub claims: Claims,
}

impl KernelCheck {
    pub fn json_line(&self) -> String {
        line(&KERNEL_CHECK, self)
    }

    /// For people.
    pub fn page(&self) -> String {
        let list = |all: &[String], none: &str| match all.is_empty() {
            true => none.to_string(),
            false => all.join(", "),
        };
        let names: Vec<String> = self.rules.iter().map(|r| r.name.clone()).collect();
        let claims = &self.claims;
        let contraction = match claims.contraction {
            true => "a*b + c may be rounded once, as the compiler decides",
            false => "every operation is rounded",
        };
        let rows = [
            (
                "proof",
                format!("{} steps, by {}", self.steps, list(&names, "no rule")),
            ),
            (
                "loops",
                format!("validated, {} obligations", self.obligations),
            ),
            ("C text", "says what the loop program says".to_string()),
            ("where", list(&claims.wherever, "any sizes")),
            (
                "sums",
                format!("regrouped by {}", list(&claims.regrouped, "no rule")),
            ),
            (
                "functions",
                claims
                    .approximated
                    .clone()
                    .unwrap_or_else(|| "none is approximated".to_string()),
            ),
            ("rounding", contraction.to_string()),
        ];
        let mut text = format!(
            "{}: the kernel computes `{}`\n",
            self.certificate, self.definition
        );
        for (what, how) in rows {
            text += &format!("  {what:<9} {how}\n");
        }
        for line in reordered::lines(&self.reordered) {
            text += &format!("  {line}\n");
        }
        text
    }
}

/// What a command wrote, if that is all that it has to say.
#[derive(Clone, Debug, Serialize)]
pub struct Written {
    pub files: Vec<String>,
}

impl Written {
    pub fn json_line(&self) -> String {
        line(&WRITTEN, self)
    }
}

/// `explain --try`: what came of one rule, as it is told to people.
#[derive(Clone, Debug, Serialize)]
pub struct Tried {
    pub rule: String,
    /// Where it is declared.
    pub place: String,
    pub lines: Vec<String>,
}

impl Tried {
    pub fn json_line(&self) -> String {
        line(&ATTEMPT, self)
    }
}

/// `explain`: why what was found equals the program.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    pub steps: Vec<ExplainedStep>,
}

impl Explanation {
    pub fn json_line(&self) -> String {
        line(&EXPLANATION, self)
    }
}
