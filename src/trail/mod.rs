//! From the record of a search to a proof.
//!
//! Comes in: a graph that recorded itself, two terms of one of its classes; goes
//! out: a chain of steps from the one to the other, as the checker wants them.
//! Unions form a forest over e-nodes; the one way between two of them in it is
//! walked with a concrete term in hand (`walk`): a congruence costs nothing, an
//! application first asks the term to have the form that was matched, which
//! walks its sub-terms, and then does on terms what the rule did on classes
//! (`replay`), with the log for everything that the graph decided. Invariant:
//! nothing is believed: whoever wants to rely on a chain checks it (`proof`).
//! Absent: anything while the search runs.

mod event;
mod forest;
mod known;
mod replay;
pub mod spelled;
mod walk;
pub mod witness_term;

use crate::egraph::{Graph, LitId, Node, Shape};
use crate::elab::RuleUse;
use crate::proof::Step;
use crate::rule::Rewrite;
use crate::term::{Kind, Term};
use spelled::Spelled;

/// The chains from `start` to each of `ends`, terms of one class of the graph. The
/// record is used up.
pub fn explain(
    graph: &mut Graph,
    rewrites: &[Rewrite],
    used: &[RuleUse],
    reassociate: bool,
    start: &Term,
    ends: &[Term],
) -> Result<Vec<Result<Vec<Step>, String>>, String> {
    let lost = || "a term is not in the graph".to_string();
    let start = spell(graph, start).ok_or_else(lost)?;
    let ends: Vec<_> = ends.iter().map(|t| spell(graph, t)).collect();
    let record = graph.take_record().ok_or("nothing was recorded")?;
    let known = known::Known::new(rewrites, used, reassociate);
    let forest = forest::Forest::new(graph.originals(), record.edges, record.rebuilt);
    let chain = |end: Option<Spelled>| {
        let end = end.ok_or_else(lost)?;
        let mut walker = walk::Walker::new(&forest, &record.log, &known);
        walker.reach(start.clone(), &end)?;
        Ok(walker.steps)
    };
    Ok(ends.into_iter().map(chain).collect())
}

/// A term of a rebuilt graph, with the e-node that each of its nodes is.
fn spell(graph: &mut Graph, t: &Term) -> Option<Spelled> {
    let id = |s: &Spelled| (s.anchor() as usize).into();
    let (shape, kids) = match t.kind() {
        Kind::Var(i) => (Shape::Var(*i), vec![]),
        Kind::Prim(p) => (Shape::Prim(*p), vec![]),
        Kind::Lit(l) => (Shape::Lit(LitId::new(*l)), vec![]),
        Kind::Lam(_, b) => {
            let b = spell(graph, b)?;
            (Shape::Lam([id(&b)]), vec![b])
        }
        Kind::App(f, x) => {
            let (f, x) = (spell(graph, f)?, spell(graph, x)?);
            (Shape::App([id(&f), id(&x)]), vec![f, x])
        }
        Kind::Hole(_) => return None,
    };
    let anchor = graph.existing(Node::new(shape, t.ty()))?;
    Some(Spelled::new(t.clone(), usize::from(anchor) as u32, kids))
}
