//! What came of left sides, so that a run that was interrupted goes on where it was.
//!
//! In: left sides, with the rules that are there when each is looked at. Out: the same again. Invariant: a rule that is remembered counts only if it is
//! proved, ordered and of use now, and that there is none is all else that is believed: a wrong record loses rules and makes none wrong. Absent: files.

use super::{statement, Counts, How, Task, Work};
use crate::hash::fnv128;
use crate::verify::{self, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

/// What came of a left side.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Attempt {
    /// A hash of the left side, what is assumed, the rules and solvers that were there.
    pub key: String,
    /// The left side, for readers.
    pub left: String,
    /// By how much each count grew.
    pub counts: Counts,
    /// The rule that was found, and how its right side was.
    pub rule: Option<String>,
    pub how: Option<How>,
}

/// Hears what came of a left side.
pub type Hear = Rc<dyn Fn(&Attempt)>;

/// What is remembered, by its keys, and who hears what is new.
#[derive(Clone, Default)]
pub struct Records {
    known: Rc<BTreeMap<String, Attempt>>,
    hear: Option<Hear>,
}

impl Records {
    pub fn new(known: impl IntoIterator<Item = Attempt>, hear: Hear) -> Records {
        let known = known.into_iter().map(|a| (a.key.clone(), a));
        Records {
            known: Rc::new(known.collect()),
            hear: Some(hear),
        }
    }
}

impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_tuple("Records").field(&self.known).finish()
    }
}

impl Work<'_> {
    /// Looks at a left side, or remembers what came of it.
    pub(super) fn remembering(
        &mut self,
        task: &Task,
        records: &Records,
        attempt: impl Fn(&mut Self, &Task),
    ) {
        let Some(hear) = &records.hear else {
            return attempt(self, task);
        };
        let key = self.key(task);
        if records.known.get(&key).is_some_and(|a| self.again(a, task)) {
            return;
        }
        let (before, found) = (self.outcome.counts, self.outcome.found.len());
        attempt(self, task);
        let counts = self.outcome.counts.since(&before);
        if counts == Counts::default() {
            return;
        }
        let new = self.outcome.found.get(found);
        hear(&Attempt {
            key,
            left: task.left.to_string(),
            counts,
            rule: new.map(|f| statement::of(&f.rule)),
            how: new.map(|f| f.how),
        });
    }

    fn key(&self, task: &Task) -> String {
        let rules: Vec<String> = self.rules.iter().map(statement::of).collect();
        let solvers: Vec<&str> = (self.tools.solvers.iter())
            .map(|s| s.version.as_str())
            .collect();
        let (left, right, facts) = (task.left, task.right, &task.facts);
        let version = env!("CARGO_PKG_VERSION");
        let text = format!(
            "{version} {solvers:?} {:?} {left:?} {right:?} {facts:?} {rules:?}",
            self.aim
        );
        format!("{:032x}", fnv128(text.as_bytes()))
    }

    /// Whether what is remembered holds now, and counts.
    fn again(&mut self, known: &Attempt, task: &Task) -> bool {
        if let (Some(text), Some(how)) = (&known.rule, known.how) {
            let Some(rule) = statement::read(text) else {
                return false;
            };
            let proved = match verify::alone(&rule, self.tools) {
                Verdict::Proved(proved) if proved.needs.is_empty() => proved,
                _ => return false,
            };
            let new = self.rules.iter().all(|r| r.name != rule.name);
            if !new || self.ordered(rule.clone()).is_none() || !self.pays(&rule, task) {
                return false;
            }
            self.take(rule, proved.by, how, task);
        }
        self.outcome.counts.add(&known.counts);
        true
    }
}
