//! What a solver claims to be a counterexample, as a point.

use super::case_split;
use super::points::Point;
use crate::intern::Symbol;
use crate::scalar::{Kind, Rule, Sort, Value, VarClass};

/// The point of a model; `None` if the text is not that of one.
pub fn point(rule: &Rule, model: &str) -> Option<Point> {
    let values = pairs(model)?;
    let find = |name: &str| {
        let found = values.iter().find(|(n, _)| n == name);
        found.map(|(_, value)| *value)
    };
    let number = |name: &str| match find(name)? {
        Found::Int(n) => Some(n),
        Found::Bool(_) => None,
    };
    // As many lanes as the rule needs to have the one that was looked at.
    let count = |name| number(&bare(&case_split::name(name)));
    let value = |(v, sort, _): (Symbol, Sort, VarClass)| {
        let one = match (find(&bare(&case_split::name(v)))?, sort.kind) {
            (Found::Int(n), Kind::Int) => Value::Int(n),
            (Found::Bool(b), Kind::Bool) => Value::Bool(b),
            _ => return None,
        };
        let lanes = sort.lanes.value(&count)?;
        Some((v, Value::of_lanes(vec![one; lanes])))
    };
    rule.vars().into_iter().map(value).collect()
}

#[derive(Copy, Clone)]
enum Found {
    Int(i128),
    Bool(bool),
}

fn bare(name: &str) -> String {
    name.trim_matches('|').to_string()
}

/// `((a 1) (b (- 2)) (c true))`
fn pairs(text: &str) -> Option<Vec<(String, Found)>> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    let mut out = Vec::new();
    (words.next()? == "(").then_some(())?;
    while words.next()? == "(" {
        let name = bare(words.next()?);
        let value = match words.next()? {
            "(" => {
                (words.next()? == "-").then_some(())?;
                let n: i128 = words.next()?.parse().ok()?;
                (words.next()? == ")").then_some(())?;
                Found::Int(n.checked_neg()?)
            }
            "true" => Found::Bool(true),
            "false" => Found::Bool(false),
            digits => Found::Int(digits.parse().ok()?),
        };
        (words.next()? == ")").then_some(())?;
        out.push((name, value));
    }
    Some(out)
}
