//! What is known of the laws of operators, for people and for programs.
//!
//! In: operators with their verdicts. Out: a page, the saved form. Absent: how laws are decided (`operator`).

use super::saved::{self, OPERATORS};
use crate::operator::{self, Counterexample, Effort, Identity, Law, Meaning, Verdict};
use crate::term::Term;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// `assoc check`
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperatorFile {
    /// Version of the program that made it.
    pub rise_opt: String,
    pub command: String,
    /// In the order in which they were asked about or stand in a program.
    pub operators: Vec<JudgedOperator>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgedOperator {
    pub operator: String,
    #[serde(rename = "type")]
    pub ty: String,
    pub meanings: Vec<JudgedMeaning>,
}

/// The laws as numbers are read in one way.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgedMeaning {
    /// `z`, `wrapping`, `ieee`, `reals`
    pub meaning: String,
    pub laws: Vec<JudgedLaw>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JudgedLaw {
    pub law: String,
    pub verdict: Word,
    /// How it was proved, or why nothing is known.
    pub reason: Option<String>,
    /// The identity that was found.
    pub identity: Option<String>,
    pub counterexample: Option<Point>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    Proved,
    Refuted,
    Unknown,
}

/// Where the sides of a law differ.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    pub values: Vec<Value>,
    pub left: String,
    pub right: String,
    /// Whether the interpreter finds them different.
    pub interpreter: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Value {
    pub name: String,
    pub value: String,
}

impl JudgedLaw {
    pub fn of_law(law: Law, verdict: &Verdict) -> JudgedLaw {
        let (word, reason, counterexample) = match verdict {
            Verdict::Proved(method) => (Word::Proved, Some(method.to_string()), None),
            Verdict::Refuted(c) => (Word::Refuted, None, Some(point(c))),
            Verdict::Unknown(why) => (Word::Unknown, Some(why.to_string()), None),
        };
        JudgedLaw {
            law: law.name().to_string(),
            verdict: word,
            reason,
            identity: None,
            counterexample,
        }
    }

    pub fn of_identity(left: bool, known: &Identity) -> JudgedLaw {
        let (verdict, reason, identity) = match known {
            Identity::Proved(e, method) => {
                (Word::Proved, Some(method.to_string()), Some(e.clone()))
            }
            Identity::Refuted => {
                let why = "a few elements have none in common";
                (Word::Refuted, Some(why.to_string()), None)
            }
            Identity::Unknown(why) => (Word::Unknown, Some(why.to_string()), None),
        };
        let side = if left { "left" } else { "right" };
        JudgedLaw {
            law: format!("{side} identity"),
            verdict,
            reason,
            identity,
            counterexample: None,
        }
    }

    fn line(&self) -> String {
        let word = match self.verdict {
            Word::Proved => "proved ",
            Word::Refuted => "refuted",
            Word::Unknown => "unknown",
        };
        let mut line = format!("    {word} {:<15}", self.law);
        if let Some(e) = &self.identity {
            let _ = write!(line, " {e}:");
        }
        if let Some(reason) = &self.reason {
            let _ = write!(line, " {reason}");
        }
        if let Some(c) = &self.counterexample {
            let equation = Law::ALL.iter().find(|l| l.name() == self.law);
            let _ = write!(
                line,
                " {}",
                c.sentence(equation.map_or("", |l| l.equation()))
            );
        }
        line.trim_end().to_string() + "\n"
    }
}

fn point(c: &Counterexample) -> Point {
    let value = |(name, value): &(String, String)| Value {
        name: name.clone(),
        value: value.clone(),
    };
    Point {
        values: c.point.iter().map(value).collect(),
        left: c.left.clone(),
        right: c.right.clone(),
        interpreter: c.confirmed,
    }
}

impl Point {
    /// `x = 1, y = 2: op x y is 1, op y x is 2`
    pub fn sentence(&self, equation: &str) -> String {
        let values: Vec<String> = (self.values.iter())
            .map(|v| format!("{} = {}", v.name, v.value))
            .collect();
        let (left, right) = equation.split_once(" = ").unwrap_or(("left", "right"));
        let (l, r) = (&self.left, &self.right);
        format!("{}: {left} is {l}, {right} is {r}", values.join(", "))
    }
}

impl OperatorFile {
    pub fn new(command: String, operators: Vec<JudgedOperator>) -> OperatorFile {
        OperatorFile {
            rise_opt: env!("CARGO_PKG_VERSION").to_string(),
            command,
            operators,
        }
    }

    pub fn json_line(&self) -> String {
        saved::line(&OPERATORS, self)
    }

    /// For people.
    pub fn page(&self) -> String {
        let mut page = String::new();
        for op in &self.operators {
            let _ = writeln!(page, "{} : {}", op.operator, op.ty);
            for m in &op.meanings {
                let _ = writeln!(page, "  {}", m.meaning);
                page.extend(m.laws.iter().map(JudgedLaw::line));
            }
        }
        page
    }
}

/// Where an operator breaks a law that a rule asks for, and how numbers have to be read for it to hold; nothing where that is
/// not known. `scope` names its variables, the innermost last.
pub fn objection(op: &Term, scope: &[crate::intern::Symbol], law: Law) -> Option<Objection> {
    let names: Vec<String> = scope.iter().rev().map(|s| s.to_string()).collect();
    let judge = |meaning| operator::judge(op, &names, meaning, law, Effort::SEARCH);
    let refuted = |meaning| match judge(meaning) {
        Verdict::Refuted(c) => Some(point(&c).sentence(law.equation())),
        _ => None,
    };
    // What fails over reals, too, needs no corner of the machine's numbers to be seen.
    if let Some(plain) = refuted(Meaning::Reals) {
        let unbounded = judge(Meaning::Unbounded).is_proved();
        let only = "; over integers without bounds it holds, on the machine they wrap";
        return Some(Objection {
            text: plain + if unbounded { only } else { "" },
            holds_over_reals: false,
        });
    }
    let exact = refuted(Meaning::Machine)?;
    let holds_over_reals = judge(Meaning::Reals).is_proved();
    let only = "; over reals it holds";
    Some(Objection {
        text: exact + if holds_over_reals { only } else { "" },
        holds_over_reals,
    })
}

/// Where an operator breaks a law.
pub struct Objection {
    /// Values, and how numbers have to be read for the law to hold.
    pub text: String,
    pub holds_over_reals: bool,
}

/// An operator, its types, and what is known of it in each reading; nothing where it has no such type.
pub type Row = (String, [Option<String>; 2], Vec<Option<JudgedMeaning>>);

/// The table of verdicts in Markdown.
pub fn table(rows: &[Row]) -> String {
    let mut page =
        "| operator | of | z | wrapping | ieee | reals |\n|---|---|---|---|---|---|\n".to_string();
    for (operator, types, cells) in rows {
        let types: Vec<&str> = types.iter().flatten().map(String::as_str).collect();
        let shown = operator.replace('|', "\\|");
        let _ = write!(page, "| `{shown}` | {} |", types.join(", "));
        for cell in cells {
            let _ = write!(page, " {} |", cell.as_ref().map_or(String::new(), letters));
        }
        page += "\n";
    }
    page
}

/// A letter for each law: large where it is proved, small where it is refuted, a question mark where it is unknown.
pub fn letters(m: &JudgedMeaning) -> String {
    let letter = |law: &JudgedLaw| {
        let first = law.law.chars().next().unwrap_or('?');
        match law.verdict {
            Word::Proved => first.to_ascii_uppercase(),
            Word::Refuted => first.to_ascii_lowercase(),
            Word::Unknown => '?',
        }
    };
    m.laws.iter().map(letter).collect()
}
