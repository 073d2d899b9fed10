//! A proof as people read it: plain data.
//!
//! Comes in: a proof; goes out: for each part of it the links of the chain, runs
//! of one rule folded into one link and β and η left out, each with the whole
//! term before it and the places that changed. Absent: layout.

use super::{By, Proof, Segment, Step};
use crate::proof::{at, put};
use crate::term::Term;

/// The links of one segment.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The step's name.
    pub name: String,
    /// The term before it.
    pub start: Term,
    /// The links.
    pub links: Vec<Link>,
    /// The term after it.
    pub end: Term,
}

/// Some steps in a row.
#[derive(Clone, Debug)]
pub struct Link {
    /// The rule's name with sizes; `β`, `η` or `normal form`.
    pub rule: String,
    /// Whether it is used from right to left.
    pub back: bool,
    /// How many steps.
    pub count: usize,
    /// Of the β and η steps that follow, how many.
    pub plumbing: usize,
    /// The place below which everything changes.
    pub at: Vec<u8>,
    /// The sub-term there before.
    pub from: Term,
    /// The sub-term there after.
    pub to: Term,
    /// The whole term before.
    pub before: Term,
    /// The whole term after.
    pub whole: Term,
}

/// The chains of a proof; `full` leaves nothing out and folds nothing.
pub fn chain(proof: &Proof, full: bool) -> Vec<Chain> {
    let mut now = proof.start.clone();
    let mut chains = Vec::new();
    for segment in &proof.segments {
        let start = now.clone();
        let links = links(segment, &mut now, full);
        chains.push(Chain {
            name: segment.name.clone(),
            start,
            links,
            end: segment.end.clone(),
        });
    }
    chains
}

fn links(segment: &Segment, now: &mut Term, full: bool) -> Vec<Link> {
    let mut links: Vec<Link> = Vec::new();
    for step in &segment.steps {
        let Some(after) = put(now, &step.at, &step.to) else {
            break;
        };
        let rule = name(segment, &step.by);
        let last = links.last_mut().filter(|_| !full);
        match last {
            // Of the whole term: what the link shows of one place stays as it is.
            Some(last) if matches!(step.by, By::Normal) => {
                last.plumbing += 1;
                last.whole = after.clone();
            }
            Some(last) if step.by.is_plumbing() => {
                last.plumbing += 1;
                extend(last, &after, step);
            }
            Some(last) if last.rule == rule && last.back == step.back => {
                last.count += 1;
                extend(last, &after, step);
            }
            _ => {
                links.push(Link {
                    rule,
                    back: step.back,
                    count: 1,
                    plumbing: 0,
                    at: step.at.clone(),
                    from: step.from.clone(),
                    to: step.to.clone(),
                    before: now.clone(),
                    whole: after.clone(),
                });
            }
        }
        *now = after;
    }
    links
}

/// A link takes in one more step: it now speaks of the smallest sub-term that
/// holds both places.
fn extend(link: &mut Link, after: &Term, step: &Step) {
    let same = link.at.iter().zip(&step.at).take_while(|(a, b)| a == b);
    let mut length = same.count();
    // A place inside of what changed need not have been there before.
    while length > 0 && at(&link.before, &link.at[..length]).is_none() {
        length -= 1;
    }
    link.at.truncate(length);
    link.whole = after.clone();
    if let (Some(from), Some(to)) = (at(&link.before, &link.at), at(after, &link.at)) {
        (link.from, link.to) = (from.clone(), to.clone());
    }
}

/// The name of why.
fn name(segment: &Segment, by: &By) -> String {
    match by {
        By::Rule(i, _) => match segment.rules.get(*i) {
            Some(used) if used.args.is_empty() => used.rule.name.to_string(),
            Some(used) => {
                let sizes: Vec<_> = used.args.iter().map(|n| n.to_string()).collect();
                format!("{}[{}]", used.rule.name, sizes.join(", "))
            }
            None => "?".to_string(),
        },
        By::Beta => "β".to_string(),
        By::Eta => "η".to_string(),
        By::Normal => "normal form".to_string(),
    }
}
