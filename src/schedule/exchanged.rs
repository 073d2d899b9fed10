//! Operators whose operands stand the other way round.
//!
//! In: a term. Out: the step that exchanges them, where a reduction is by a primitive that commutes (`\a b -> b + a`): what is found of one
//! spelling is found of the other. Absent: reductions in order, whose steps become operators anyway (`lifted`).

use super::skeleton::argument;
use super::{guide, Permits, Schedule, PERMIT};
use crate::algebra::{recognise, Floats, Operator, Property};
use crate::term::{Kind, Op, Term};
use std::collections::BTreeSet;

const RULES: &str = "use rules/reduction.rules (reduce-exchanged)\n";

/// What is done so.
const WORDS: &str = "operands exchanged";

/// The step, where there is such a reduction.
pub fn back(term: &Term, permits: Permits) -> Option<Schedule> {
    let floats = Floats::reassociated(permits.reassociate);
    let mut names = BTreeSet::new();
    term.visit(&mut |t, _| {
        let op = argument(t, Op::Reduce, 0).filter(|op| matches!(op.kind(), Kind::Lam(..)));
        let Some(found) = op.and_then(recognise) else {
            return;
        };
        if let Operator::Scalar {
            op, swapped: true, ..
        } = &found
        {
            let commutes = found.has(Property::Commutative, floats);
            names.extend(commutes.then(|| op.name().to_string()));
        }
    });
    if names.is_empty() {
        return None;
    }
    let look = |n: &String| format!("(contains (app reduce ({n}) ? ?))");
    let looks: Vec<String> = names.iter().map(look).collect();
    let permit = if permits.reassociate { PERMIT } else { "" };
    let step = guide("exchange-operands", &format!("{permit}{RULES}"), &looks);
    Some(Schedule::preparation(WORDS, vec![step]).by_itself())
}
