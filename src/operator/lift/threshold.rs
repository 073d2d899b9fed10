//! Truth values that fall once a number passes a bound.
//!
//! In: a step with truth values `b and x <= s`, `b or s < x`, for numbers s of the state. Out: the same step with the least or the
//! largest difference that there was as one more number, so that what is compared is linear. Absent: maps (`summary`).

use super::bound::Bound;
use super::candidate::Candidate;
use super::simple::Builder;
use super::summary::{self, Step};
use crate::operator::dag::{Id, What};
use crate::term::Op;
use std::collections::BTreeSet;

/// What a step is once comparisons are numbers.
pub(super) fn find(b: &mut Builder, step: &Step) -> Option<Candidate> {
    let wider = with_bounds(b, step)?;
    summary::find(b, &wider)
}

/// The step with numbers for what truth values compare; nothing where they compare nothing.
fn with_bounds(b: &mut Builder, step: &Step) -> Option<Step> {
    let mut wider = step.clone();
    let truths = step
        .state
        .iter()
        .copied()
        .filter(|s| b.ty(*s) == crate::ty::Scalar::Bool);
    let truths: BTreeSet<Id> = truths.collect();
    let data: BTreeSet<Id> = step
        .state
        .iter()
        .copied()
        .filter(|s| !truths.contains(s))
        .collect();
    for (j, leaf) in step
        .state
        .iter()
        .enumerate()
        .filter(|s| truths.contains(s.1))
    {
        if !b.mentions(step.next[j], &data) {
            continue;
        }
        let rises = matches!(b.dag.node(step.next[j]).what, What::Apply(Op::Or, ..));
        let op = if rises { Op::Or } else { Op::And };
        let mut terms = Vec::new();
        flatten(b, op, step.next[j], &mut terms);
        let (compared, rest): (Vec<Id>, Vec<Id>) =
            terms.into_iter().partition(|t| b.mentions(*t, &data));
        if !rest.contains(leaf) {
            return None;
        }
        let mut left = b.truth(!rises)?;
        for term in rest {
            left = b.apply(op, &[left, term])?;
        }
        wider.next[j] = left;
        for term in compared {
            let term = if rises {
                b.apply(Op::Not, &[term])?
            } else {
                term
            };
            add(b, &mut wider, &data, (j, rises), term)?;
        }
    }
    (!wider.bounds.is_empty()).then_some(wider)
}

fn flatten(b: &Builder, op: Op, id: Id, terms: &mut Vec<Id>) {
    match b.dag.node(id).what {
        What::Apply(o, 2, [x, y, _]) if o == op => {
            flatten(b, op, x, terms);
            flatten(b, op, y, terms);
        }
        _ => terms.push(id),
    }
}

/// A number for a comparison, or what it compares put into one that is there.
fn add(
    b: &mut Builder,
    step: &mut Step,
    data: &BTreeSet<Id>,
    (truth, rises): (usize, bool),
    term: Id,
) -> Option<()> {
    let What::Apply(op @ (Op::Lt | Op::Le), 2, [x, y, _]) = b.dag.node(term).what else {
        return None;
    };
    let least = match (b.mentions(x, data), b.mentions(y, data)) {
        (false, true) => true,
        (true, false) => false,
        _ => return None,
    };
    let off = if least { [y, x] } else { [x, y] };
    let off = b.apply(Op::Sub, &off)?;
    let ty = b.ty(off);
    let strict = op == Op::Lt;
    let fits = |bound: &&Bound| {
        (bound.truth, bound.least, bound.strict) == (truth, least, strict)
            && b.ty(step.state[bound.number]) == ty
    };
    let extreme = if least { Op::Min } else { Op::Max };
    if let Some(at) = step.bounds.iter().find(fits).map(|bound| bound.number) {
        step.next[at] = b.apply(extreme, &[step.next[at], off])?;
        return Some(());
    }
    let leaf = b.leaf(ty)?;
    step.bounds.push(Bound {
        number: step.state.len(),
        truth,
        least,
        strict,
        rises,
    });
    step.next.push(b.apply(extreme, &[leaf, off])?);
    step.state.push(leaf);
    step.start.push(None);
    Some(())
}
