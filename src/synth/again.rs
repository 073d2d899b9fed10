//! A rule taken out of its set: whether the others do what it does, or lead to a rule that does.
//!
//! In: rules, one of them, solvers. Out: what becomes of instances of its left side without it. Absent: files.

use super::{instances, synthesise, Options, Question};
use crate::scalar::{Expr, Rule};
use crate::simplify::{Book, Simplifier};
use crate::termination::greater;
use crate::verify::Tools;
use std::rc::Rc;

/// What becomes of a rule that is left out.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Again {
    /// The others make as little of its left sides.
    Superfluous,
    /// Rules that are found for its left sides do.
    Found,
    /// The others do, with cases for what they leave.
    Cases,
    /// None of these.
    Lost,
    /// It has no instance that is made here.
    NotTried,
}

/// Left sides that are looked at for one rule.
const BUDGET: usize = 60;
/// Instances that are given.
const GIVEN: usize = 3;

/// Of the rule with this number.
pub fn again(rules: &[Rule], number: usize, tools: &Tools) -> Again {
    // Instances of rules about vectors are none of single values, which are all that is tried.
    let of_values = rules.get(number).filter(|r| !r.has_vectors());
    let Some(mut all) = of_values.and_then(instances) else {
        return Again::NotTried;
    };
    all.truncate(GIVEN);
    let mut others = rules.to_vec();
    others.remove(number);
    if as_small(&all, &others, Simplifier::simplify) {
        return Again::Superfluous;
    }
    let cases = as_small(&all, &others, Simplifier::simplify_by_cases);
    let questions: Vec<Question> = (all.iter())
        .map(|(left, _, facts)| Question {
            e: *left,
            facts: facts.clone(),
            place: String::new(),
        })
        .collect();
    let options = Options {
        budget: BUDGET,
        rounds: 1,
        ..Options::default()
    };
    let found = synthesise(&questions, &others, tools, &options, &mut |_| {});
    others.extend(found.found.into_iter().map(|f| f.rule));
    match as_small(&all, &others, Simplifier::simplify) {
        true => Again::Found,
        false if cases => Again::Cases,
        false => Again::Lost,
    }
}

/// Whether rules, used in some way, make of each left side something no larger than they make of the right one.
fn as_small(
    all: &[(Expr, Expr, Vec<Expr>)],
    rules: &[Rule],
    simplify: fn(&mut Simplifier, Expr) -> Expr,
) -> bool {
    let book = Rc::new(Book::new(rules.to_vec()));
    all.iter().all(|(left, right, facts)| {
        let mut simplifier = Simplifier::new(book.clone());
        facts.iter().for_each(|f| simplifier.assume(*f));
        let after = simplify(&mut simplifier, *left);
        let right = simplifier.simplify(*right);
        after == right || greater(right, after)
    })
}
