//! Several schedules among which sizes choose, as one sketch file.
//!
//! In: schedules, and which of them which sizes take. Out: the text: a step that makes choices of the program, then for each side the
//! steps of its schedule, about that side alone (`focus choice`). Parameters of two schedules that have one name and two values get
//! names of their own; what a schedule permits, its steps permit. Absent: which sizes take what.

use super::{Schedule, IMPORT, SIZE};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Which schedule sizes take, by its number; none for the program as it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Variants {
    One(Option<usize>),
    Choice {
        /// A size, as a sketch file has it.
        size: String,
        /// Up to which it takes the first ones.
        most: i64,
        first: Box<Variants>,
        rest: Box<Variants>,
    },
}

impl Variants {
    /// The one that all sizes take, if they do.
    pub fn single(&self) -> Option<Option<usize>> {
        match self {
            Variants::One(one) => Some(*one),
            Variants::Choice { .. } => None,
        }
    }

    /// Each side with the conditions that lead to it, in words.
    pub fn sides(&self) -> Vec<(String, Option<usize>)> {
        self.at("?")
            .into_iter()
            .map(|s| (s.when.join(", "), s.takes))
            .collect()
    }

    /// Each side; its sketch has a place for what it asks of the side, where the others are `?`.
    fn at(&self, place: &str) -> Vec<Side> {
        let Variants::Choice {
            size,
            most,
            first,
            rest,
        } = self
        else {
            let Variants::One(takes) = *self else {
                return Vec::new();
            };
            let (when, sketch) = (Vec::new(), place.to_string());
            return vec![Side {
                when,
                sketch,
                takes,
            }];
        };
        let mut sides = Vec::new();
        for (variants, is_first) in [(first, true), (rest, false)] {
            for mut side in variants.at(place) {
                let (sign, within) = match is_first {
                    true => ("≤", format!("{} ?", side.sketch)),
                    false => (">", format!("? {}", side.sketch)),
                };
                side.when.insert(0, format!("{size} {sign} {most}"));
                side.sketch = format!("(choice ({size}) {most} {within})");
                sides.push(side);
            }
        }
        sides
    }

    /// The choices, as a sketch and as rules.
    fn choices(&self, rules: &mut Vec<String>) -> String {
        match self {
            Variants::One(_) => "?".to_string(),
            Variants::Choice {
                size,
                most,
                first,
                rest,
            } => {
                let rule = format!("choose[{size}, {most}]");
                if !rules.contains(&rule) {
                    rules.push(rule);
                }
                let (first, rest) = (first.choices(rules), rest.choices(rules));
                format!("(choice ({size}) {most} {first} {rest})")
            }
        }
    }

    /// The sketch file, with these schedules.
    pub fn text(&self, schedules: &[&Schedule]) -> String {
        let sides = self.at(PLACE);
        let mut params: Vec<(String, String)> = Vec::new();
        let mut steps = String::new();
        for (number, side) in (1..).zip(&sides) {
            let Some(of) = side.takes.and_then(|i| schedules.get(i)) else {
                continue;
            };
            let renamed = renamed(of, &mut params);
            for step in &of.steps {
                steps += &about(&with_names(step, &renamed), of, number, &side.sketch);
            }
        }
        let mut rules = Vec::new();
        let choices = self.choices(&mut rules);
        let mut text = IMPORT.to_string();
        for (name, value) in params {
            let _ = writeln!(text, "param {name} = {value}");
        }
        let _ = write!(
            text,
            "\nstep choose\n{SIZE}use rules/variants.rules ({})\nsketch\n  {choices}\n{steps}",
            rules.join(", ")
        );
        text
    }
}

/// Where a sketch has what it asks of a side.
const PLACE: &str = "@";

struct Side {
    when: Vec<String>,
    sketch: String,
    takes: Option<usize>,
}

/// A step of a schedule, about a side.
fn about(step: &str, of: &Schedule, number: usize, side: &str) -> String {
    let mut text = String::new();
    let (head, sketch) = step.split_once("sketch\n").unwrap_or((step, "?"));
    for line in head.lines() {
        match line.strip_prefix("step ") {
            Some(name) => {
                let _ = writeln!(text, "\nstep {name}-{number}\nfocus choice");
                for line in of.head.lines().filter(|l| is_setting(l)) {
                    let _ = writeln!(text, "{line}");
                }
            }
            None => {
                let _ = writeln!(text, "{line}");
            }
        }
    }
    let sketch = side.replace(PLACE, &format!("({})", sketch.trim()));
    text + &format!("sketch\n  {sketch}\n")
}

/// Whether a line of a head says something of every step.
fn is_setting(line: &str) -> bool {
    !line.starts_with("import ") && !line.starts_with("param ")
}

/// New names for parameters that have another value already; all parameters are added.
fn renamed(of: &Schedule, params: &mut Vec<(String, String)>) -> BTreeMap<String, String> {
    let mut renamed = BTreeMap::new();
    for line in of.head.lines() {
        let Some((name, value)) = (line.strip_prefix("param ")).and_then(|l| l.split_once(" = "))
        else {
            continue;
        };
        let value = with_names(value, &renamed);
        let mut new = name.to_string();
        while (params.iter()).any(|(n, v)| *n == new && *v != value) {
            new.push('_');
        }
        if !params.iter().any(|(n, _)| *n == new) {
            params.push((new.clone(), value));
        }
        if new != name {
            renamed.insert(name.to_string(), new);
        }
    }
    renamed
}

/// A text with other names.
fn with_names(text: &str, renamed: &BTreeMap<String, String>) -> String {
    let mut result = String::new();
    let mut word = String::new();
    // Rules have hyphens in their names, the machine's sizes a dot before them.
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    for c in text.chars().chain(['\n']) {
        if is_word(c) {
            word.push(c);
            continue;
        }
        let own = !result.ends_with("target.");
        result += (renamed.get(&word).filter(|_| own)).unwrap_or(&word);
        word.clear();
        result.push(c);
    }
    result.pop();
    result
}
