//! What lowering asked, and what stayed open.
//!
//! Comes in: questions with what was assumed. Goes out: each once, in the order in which they were first asked; and those
//! that are stuck as text, one on each line, that `rise-opt simplify --file` and `rise-opt prove --file` read.

use crate::intern::Symbol;
use crate::scalar::{Expr, Node};
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use std::fmt::Write;
use std::rc::Rc;

/// Why an expression is noted.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Query {
    /// A comparison that the program makes because it was not decided.
    Bound,
    /// How often a loop runs, if that is no constant.
    Extent,
    /// A quotient or a remainder that is computed.
    Division,
}

/// A comparison that was asked for.
#[derive(Clone, Debug)]
pub struct Asked {
    pub assumptions: Rc<[Expr]>,
    pub goal: Expr,
    pub answer: Option<bool>,
}

type Noted = (Query, Rc<[Expr]>, Expr);

/// All of one lowering.
#[derive(Clone, Default, Debug)]
pub struct Queries {
    asked: IndexMap<(Rc<[Expr]>, Expr), Option<bool>, FxBuildHasher>,
    stuck: IndexSet<Noted, FxBuildHasher>,
}

impl Queries {
    pub(super) fn asked(&mut self, assumptions: Rc<[Expr]>, goal: Expr, answer: Option<bool>) {
        self.asked.entry((assumptions, goal)).or_insert(answer);
    }

    pub(super) fn stuck(&mut self, query: Query, assumptions: Rc<[Expr]>, e: Expr) {
        self.stuck.insert((query, assumptions, e));
    }

    /// The comparisons.
    pub fn comparisons(&self) -> impl Iterator<Item = Asked> + '_ {
        self.asked
            .iter()
            .map(|((assumptions, goal), answer)| Asked {
                assumptions: assumptions.clone(),
                goal: *goal,
                answer: *answer,
            })
    }

    /// What stayed open, as text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (query, title) in [
            (
                Query::Bound,
                "comparisons that are made because they are not decided",
            ),
            (Query::Extent, "extents that are no constants"),
            (
                Query::Division,
                "quotients and remainders that are computed",
            ),
        ] {
            let of = || self.stuck.iter().filter(|s| s.0 == query);
            let _ = writeln!(out, "-- {title}: {}", of().count());
            for (_, assumptions, e) in of() {
                let _ = writeln!(out, "{}", question_text(assumptions, *e));
            }
        }
        out
    }
}

/// `e where …`, as `rise-opt simplify --file` reads it.
pub fn question_text(assumptions: &[Expr], e: Expr) -> String {
    let mut said: Vec<String> = Vec::new();
    for a in assumptions.iter().chain([&e]) {
        for (v, _) in a.vars() {
            said.extend(said_of_unit(v).filter(|s| !said.contains(s)));
        }
    }
    said.extend(assumptions.iter().map(|a| match a.node() {
        Node::Apply(crate::scalar::Op::Or, _) => format!("({a})"),
        _ => a.to_string(),
    }));
    if said.is_empty() {
        e.to_string()
    } else {
        format!("{e}  where {}", said.join(" && "))
    }
}

/// What of an assumption about units has to be said of the sizes: that they are multiples.
fn said_of_unit(name: Symbol) -> Option<String> {
    let inside = name.as_str().strip_prefix('(')?.strip_suffix(')')?;
    let (size, divisor) = inside.split_once('/')?;
    Some(format!("0 <= {size} && {size} % {divisor} == 0"))
}
