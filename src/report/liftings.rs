//! What steps of reductions became, for people and for programs.
//!
//! In: liftings. Out: a page, the saved form. Absent: how they are found (`operator::lift`).

use super::saved::{self, LIFTINGS};
use crate::elab;
use crate::intern::Symbol;
use crate::operator::lift::Lifting;
use crate::term::Term;
use crate::ty::Ty;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// `assoc lift`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiftFile {
    /// Version of the program that made it.
    pub rise_opt: String,
    pub command: String,
    /// In the order in which they were asked about or stand in a program.
    pub steps: Vec<LiftedStep>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiftedStep {
    pub step: String,
    pub accumulator: String,
    pub element: String,
    pub start: Option<String>,
    pub meanings: Vec<LiftedMeaning>,
}

/// What was found as numbers are read in one way.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiftedMeaning {
    pub meaning: String,
    pub operator: Option<LiftedOperator>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiftedOperator {
    /// How it was found.
    pub family: String,
    /// The type of summaries.
    pub summary: String,
    pub inject: String,
    pub combine: String,
    pub unit: String,
    pub finish: String,
    /// Whether it holds from the given start only.
    pub needs_start: bool,
    pub claims: Vec<ProvedClaim>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProvedClaim {
    pub claim: String,
    pub method: String,
}

/// What was found in a reading.
pub fn answer(meaning: &str, found: Option<&Lifting>, names: &[String]) -> LiftedMeaning {
    let free: Vec<Symbol> = names.iter().rev().map(|n| Symbol::new(n)).collect();
    let text = |t: &Term| elab::term_text(t, &free);
    let claim = |(claim, method): &(&'static str, _)| ProvedClaim {
        claim: claim.to_string(),
        method: crate::operator::Method::to_string(method),
    };
    LiftedMeaning {
        meaning: meaning.to_string(),
        operator: found.map(|l| LiftedOperator {
            family: l.family.clone(),
            summary: l.parts.summary.to_string(),
            inject: text(&l.parts.inject),
            combine: text(&l.parts.combine),
            unit: text(&l.parts.unit),
            finish: text(&l.parts.finish),
            needs_start: l.needs_start,
            claims: l.claims.iter().map(claim).collect(),
        }),
    }
}

/// A step of a type with what was found.
pub fn step(text: &str, ty: Ty, start: Option<String>, meanings: Vec<LiftedMeaning>) -> LiftedStep {
    let (params, _) = ty.uncurried();
    let part = |i: usize| params.get(i).map_or(String::new(), |t| t.to_string());
    LiftedStep {
        step: text.to_string(),
        accumulator: part(0),
        element: part(1),
        start,
        meanings,
    }
}

impl LiftFile {
    pub fn new(command: String, steps: Vec<LiftedStep>) -> LiftFile {
        LiftFile {
            rise_opt: env!("CARGO_PKG_VERSION").to_string(),
            command,
            steps,
        }
    }

    pub fn json_line(&self) -> String {
        saved::line(&LIFTINGS, self)
    }

    /// For people.
    pub fn page(&self) -> String {
        let mut page = String::new();
        for s in &self.steps {
            let (a, e) = (&s.accumulator, &s.element);
            let _ = writeln!(page, "{} : {a} -> {e} -> {a}", s.step);
            if let Some(start) = &s.start {
                let _ = writeln!(page, "  from {start}");
            }
            page.extend(s.meanings.iter().map(LiftedMeaning::lines));
        }
        page
    }
}

impl LiftedMeaning {
    fn lines(&self) -> String {
        let Some(op) = &self.operator else {
            return format!(
                "  {}: no operator was found of which all is proved\n",
                self.meaning
            );
        };
        let from = if op.needs_start {
            ", from this start"
        } else {
            ""
        };
        let mut page = format!(
            "  {}{from}: reduceSeq step e xs = finish (reduce combine unit (map inject xs)) e\n    by {}, summaries are {}\n",
            self.meaning, op.family, op.summary
        );
        let parts = [
            ("inject", &op.inject),
            ("combine", &op.combine),
            ("unit", &op.unit),
            ("finish", &op.finish),
        ];
        for (name, text) in parts {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let _ = writeln!(page, "    {name:<8}{text}");
        }
        for c in &op.claims {
            let _ = writeln!(page, "    proved  {}: {}", c.claim, c.method);
        }
        page
    }
}

/// The table of steps in Markdown.
pub fn table(rows: &[(String, LiftedStep)]) -> String {
    let mut page = "| name | step | accumulator, element | summaries | by | of numbers read as |\n|---|---|---|---|---|---|\n".to_string();
    for (name, s) in rows {
        let found: Vec<&LiftedMeaning> =
            s.meanings.iter().filter(|m| m.operator.is_some()).collect();
        let last = found.last().and_then(|m| m.operator.as_ref());
        let (summary, family) = last.map_or(("-", "-"), |op| (&op.summary, &op.family));
        let meanings: Vec<&str> = found.iter().map(|m| m.meaning.as_str()).collect();
        let step = s.step.replace('|', "\\|");
        let (a, e, meanings) = (&s.accumulator, &s.element, meanings.join(", "));
        let _ = writeln!(
            page,
            "| {name} | `{step}` | {a}, {e} | {summary} | {family} | {meanings} |"
        );
    }
    page
}
