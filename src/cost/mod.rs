//! Cost models: what "the cheapest term" means.
//!
//! In: e-nodes with their types. Out: numbers. The cost of a node is its own plus those of its children, that of a
//! function that a loop applies as often as the loop runs. Invariant: own costs are at least 1 and nothing is counted
//! less than once, so a term is dearer than its parts and cheapest terms are finite. Absent: measured time.
//!
//! Note [Cost of loops]: what is computed under a function counts for each call, so that what is computed again is
//! counted again, and what moves out of a loop is counted once. A size that is not known counts as [`UNKNOWN`]. The
//! units are rough: an operation 1 whether on a number or on a vector, which is why vectors are cheap; 1 for each iteration of a
//! loop, 2 more for one over single numbers; 3 for each number that is read with a stride or by an index; 2 for a
//! division of an index; 2 for each element that is kept. Everything that is written down, views, components and
//! applications among it, counts the eighth of a unit. They order terms; they do not say how long one takes.

use crate::arith::Nat;
use crate::egraph::{Node, Shape};
use crate::term::{Loop, Op, Sort, View};
use crate::ty::{Ty, TyKind};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// A cost model.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Cost {
    /// Number of nodes.
    #[default]
    Size,
    /// Number of nodes, where a view that moves elements (transpose, split,
    /// join, slide …) counts 3 more: prefers terms that index plainly.
    Views,
    /// What loops do each time they run: see Note [Cost of loops].
    Loops,
}

impl Cost {
    /// The models by name.
    pub const ALL: [(&'static str, Cost); 3] = [
        ("size", Cost::Size),
        ("views", Cost::Views),
        ("loops", Cost::Loops),
    ];

    /// The model of that name.
    pub fn from_name(name: &str) -> Option<Cost> {
        Cost::ALL.iter().find(|c| c.0 == name).map(|c| c.1)
    }
}

/// What a size that is not known counts as.
const UNKNOWN: i64 = 64;
/// What an operation costs, where a node that computes nothing costs 1.
const UNIT: u64 = 8;

/// A cost model that remembers what it said of types.
pub struct Model {
    /// Which it is.
    pub cost: Cost,
    counts: RefCell<FxHashMap<Ty, u64>>,
}

impl Model {
    /// A model that has said nothing yet.
    pub fn new(cost: Cost) -> Model {
        Model {
            cost,
            counts: RefCell::default(),
        }
    }

    /// A node's own cost, at least 1.
    pub fn own(&self, node: &Node) -> u64 {
        let Shape::Prim(p) = node.shape else {
            return 1;
        };
        let size = u64::from(p.size());
        match self.cost {
            Cost::Size => size,
            Cost::Views if matches!(p.op().sort(), Sort::View(_)) => 3 + size,
            Cost::Views => size,
            Cost::Loops => {
                let runs = self.runs(p.op(), node.ty);
                runs.saturating_mul(UNIT).saturating_add(1)
            }
        }
    }

    /// How often the argument of an application, of type `arg`, is computed; `ty` is the type of the application.
    pub fn times(&self, arg: Ty, ty: Ty) -> u64 {
        if self.cost != Cost::Loops || !arg.is_fun() {
            return 1;
        }
        let (calls, _) = arg.uncurried();
        let (rest, result) = ty.uncurried();
        // What takes a function and, last, an array of what that takes, applies it to every element; what gives an
        // array calls it for every index.
        let array = match rest.last() {
            Some(last) => last.as_array().filter(|(_, t)| calls.contains(t)),
            None => (result.as_array()).filter(|(n, _)| calls.contains(&Ty::idx(*n))),
        };
        array.map_or(1, |(n, _)| count(n))
    }

    /// How many units a primitive of this type costs wherever it is computed.
    fn runs(&self, op: Op, ty: Ty) -> u64 {
        let (args, result) = ty.uncurried();
        let numbers = |t: Ty| self.numbers(t);
        match op.sort() {
            Sort::Loop(l) => {
                let array = match l {
                    Loop::Reduce | Loop::ReduceSeq | Loop::ReduceSeqUnroll => args.last().copied(),
                    _ => Some(result),
                };
                let Some((n, element)) = array.and_then(Ty::as_array) else {
                    return 1;
                };
                let carried = match l {
                    Loop::Reduce | Loop::ReduceSeq | Loop::ReduceSeqUnroll => result,
                    _ => element,
                };
                let each = if carried.as_scalar().is_some() { 3 } else { 1 };
                count(n).saturating_mul(each)
            }
            Sort::View(View::Transpose) => {
                let row = result.as_array().map(|(_, row)| row);
                match row.and_then(Ty::as_array) {
                    Some((_, t)) if t.as_scalar().is_some() => numbers(result).saturating_mul(3),
                    _ => 0,
                }
            }
            Sort::View(View::Gather | View::Scatter | View::Reorder) => {
                numbers(result).saturating_mul(3)
            }
            Sort::View(View::Join | View::AsScalar) => numbers(result).saturating_mul(2),
            _ if op == Op::ToMem => numbers(result).saturating_mul(2),
            _ if matches!(op, Op::Select | Op::Cast) => 1,
            Sort::View(_) | Sort::Data(_) => 0,
            _ => 1,
        }
    }

    /// Numbers or vectors of numbers that a value has.
    fn numbers(&self, ty: Ty) -> u64 {
        if let Some(known) = self.counts.borrow().get(&ty) {
            return *known;
        }
        let n = match ty.kind() {
            TyKind::Array(n, t) => count(n).saturating_mul(self.numbers(t)),
            TyKind::Pair(a, b) => self.numbers(a).saturating_add(self.numbers(b)),
            _ => 1,
        };
        self.counts.borrow_mut().insert(ty, n);
        n
    }
}

/// A size, where those that are not known count as [`UNKNOWN`]; at least 1.
fn count(n: Nat) -> u64 {
    let known = n.as_int().or_else(|| n.eval(&mut |_| Some(UNKNOWN)));
    known.map_or(UNKNOWN, |n| n.max(1)).unsigned_abs()
}
