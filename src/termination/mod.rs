//! Whether rewriting by rules over scalars is sure to end.
//!
//! Comes in: the rules of one book, in order of priority. Goes out: for each a [`Verdict`]: every application makes
//! the expression smaller, by the order alone, because constants are folded before, or because other rules apply
//! before; or that is not known, and perhaps a cycle of steps that shows why.
//! Invariant: where all rules of a book are ordered, simplification by them ends on every expression, whatever is
//! assumed. The argument is Note \[Order\]. Absent: whether rules are true (`verify`), and how fast rewriting ends.
//!
//! # Note \[Order\]
//!
//! Expressions are compared by the numbers of [`measure::measures`], the first that differs decides, and after them by
//! the number of negative constants and the sum of the sizes of constants. The comparison is
//!
//! * *well founded*, hence irreflexive, and transitive: a fixed number of natural numbers, compared in turn;
//! * *closed under contexts*: every measure is a polynomial with coefficients that are not negative, strictly growing in each
//!   operand. In [`Measure::Spread`] a product is at least twice each factor, as nothing is below 2. Three measures also
//!   read what others count in the operands: [`Measure::BoundsWithin`] unknowns and bounds, [`Measure::SelectionsWithin`]
//!   selections, [`Measure::FactorsWithin`] scalings. Those are looked at where all that comes before is equal, and that
//!   is: unknowns, selections and bounds come before, and scalings are all products but those of terms. So what stands around adds the same to both. Whether an
//!   operand is a constant, which bounds and products of terms ask, is the same for both where unknowns are as many;
//! * *closed under substitution*, by the way patterns are compared: a measure is a polynomial in what the variables
//!   measure, and is greater only if it is for all values that occur.
//!
//! The engine does more than apply rules. What it does besides must not make anything larger:
//!
//! * *Operands are ordered.* Operators that commute have symmetric polynomials, so no measure changes.
//! * *Constants are folded.* A constant, in lanes too, is one leaf without operations, so folding leaves fewer leaves, or fewer operations
//!   where it is a `!`; and nothing before leaves grows. When a rule makes an operand constant, what stands around it
//!   may be folded as well, and the whole gets smaller still. The one exception: an operation on constants
//!   whose value leaves the constants stays. No rule looks into it ([`crate::simplify::is_stuck`]), so it counts as
//!   a variable. As one appears, what was no constant goes, and with it a variable; if that is the same number,
//!   there are fewer leaves.
//! * *A value that is known takes an integer's place.* The integer was no constant, so it had a variable or a ramp.
//! * *A rule about single values is applied to vectors.* Each measure that counts is preceded by the same count
//!   among vectors; of such a rule everything or nothing is among vectors, so both change alike.
//! * *A rule about vectors is applied to vectors of vectors*, if it can be ([`Rule::lifted`]). That is a reading of its own, whose cases are
//!   looked at as well.
//! * *Lanes of lanes of a constant are lanes of it*, and one lane is it: a leaf without operations before and after.
//!
//! Constants measure less than what is no constant, so whether a rule decreases may depend on which variables
//! stand for constants. Each case is looked at by itself ([`cases`]), and need not be ordered where it does not
//! occur: operands are simple when a rule is tried, and of the rules that match the first is applied or none.
//! So a case is prevented by folding in its left side; by an earlier rule that matches the whole; by any rule that
//! matches a part, unless what that computes from constants may leave them, which stops it.
//!
//! The order follows J. Newcomb, "Augmenting and Synthesizing Term Rewriting Systems for Use in Compilers" (2021), in its
//! first counts. Where that goes on with a path order and the places of constants, here are two polynomials:
//! they are blind to the order of operands, as the path order is not, and they see through products of sums
//! (`(x + c)*d => x*d + c*d`). Constants other than 0 and 1 are not counted, which `x - 1 => x + -1` would not survive.
//!
//! A factor leaves `min`, `max` and `select`, while a sum with a constant goes into them, and a factor into sums. No polynomial of
//! one number takes all three, as each would have to weigh more than the next one in turn. Yet they end: two operations that
//! have changed places never do so again. So pairs in the wrong place are counted ([`Measure::FactorsWithin`]), and a constant
//! that leaves a minimum, which puts its neighbour into one more, is counted before ([`Measure::BoundsWithin`]), and so is a quotient
//! that goes into a selection, and takes its divisor there ([`Measure::SelectionsWithin`]).

pub mod cases;
mod constants;
mod critical;
mod cycle;
pub mod measure;
mod poly;

pub use cases::Case;
pub use critical::{confluence, critical_pairs, Confluence, Pair};
pub use cycle::Cycle;
pub use measure::Measure;

use crate::intern::Symbol;
use crate::scalar::{Expr, Rule};
use cases::{cases, prevented, Prevented};
use measure::{compare, Found, Variables};
use std::collections::BTreeSet;

/// What is known of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    Ordered(Ordered),
    Open(Open),
}

/// Every application of the rule makes the expression smaller.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ordered {
    /// What gets less where no variable stands for a constant; nothing if that is constants.
    pub by: Option<Measure>,
    /// Some cases do not occur because constants are folded before.
    pub folding: bool,
    /// Some cases do not occur because these rules apply before.
    pub earlier: BTreeSet<Symbol>,
}

/// Some application may leave the expression as large, or make it larger.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Open {
    pub why: Why,
    pub cycle: Option<Cycle>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// In this case this measure may grow; if there is none, no measure sees that anything gets less.
    Grows(Case, Option<Measure>),
    /// There are too many variables to look at every case.
    Variables,
}

impl Ordered {
    /// By the order alone.
    pub fn is_local(&self) -> bool {
        !self.folding && self.earlier.is_empty()
    }
}

/// The verdicts of the rules of one book, in their order, which is their priority.
pub fn order(rules: &[Rule]) -> Vec<Verdict> {
    let numbers = 0..rules.len();
    numbers
        .map(|i| match ordered(rules, i) {
            Ok(ordered) => Verdict::Ordered(ordered),
            Err(why) => {
                let cycle = cycle::find(rules, i, &why);
                Verdict::Open(Open { why, cycle })
            }
        })
        .collect()
}

/// The verdict of one rule of a book, without a search for a cycle.
pub fn order_of(rules: &[Rule], number: usize) -> Result<Ordered, Why> {
    ordered(rules, number)
}

pub fn ordered(rules: &[Rule], number: usize) -> Result<Ordered, Why> {
    let mut all = Vec::new();
    for reading in rules[number].readings() {
        let lifted = reading.lifted();
        for reading in [Some(reading), lifted].into_iter().flatten() {
            all.extend(cases(&reading).ok_or(Why::Variables)?);
        }
    }
    let mut found = Ordered {
        by: None,
        folding: false,
        earlier: BTreeSet::new(),
    };
    for case in all {
        let grows = match compare(case.left, case.right, Variables::Pattern) {
            Found::Decreases(measure) => {
                if case.constants.is_empty() {
                    found.by = Some(measure);
                }
                continue;
            }
            Found::Equal if constants::decreases(&case) => continue,
            Found::Equal => None,
            Found::Fails(measure) => Some(measure),
        };
        match prevented(&case, rules, number) {
            Some(Prevented::Folded) => found.folding = true,
            Some(Prevented::By(other)) => {
                found.earlier.insert(rules[other].name);
            }
            None => return Err(Why::Grows(case, grows)),
        }
    }
    Ok(found)
}

/// Whether an expression is larger than another, as the engine makes them: operands ordered, constants folded. False
/// also where the numbers are too large to tell.
pub fn greater(a: Expr, b: Expr) -> bool {
    match compare(a, b, Variables::Leaves) {
        Found::Decreases(_) => true,
        Found::Equal => constants::sizes(a) > constants::sizes(b),
        Found::Fails(_) => false,
    }
}
