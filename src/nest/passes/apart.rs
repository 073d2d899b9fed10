//! Iterations of a loop that may run in any order, as each touches rows of its own.
//!
//! Comes in: the body of a loop; goes out: whether no iteration touches what another one stores. Absent: places that data say, unless
//! they are known to lie in a row.

use super::effects::handed_on;
use crate::arith::{Mono, Nat, Rat};
use crate::index::Facts;
use crate::intern::Symbol;
use crate::nest::{walk, BufId, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// Whether iterations of a loop declare all that they assign, and touch elements of arrays that are stored to that no other iteration
/// touches: a row of each.
pub(super) fn are_apart(
    body: &[Stmt],
    var: Symbol,
    root: &dyn Fn(BufId) -> BufId,
    facts: &mut Facts,
) -> bool {
    let mut touched: BTreeMap<BufId, Vec<(Nat, u32)>> = BTreeMap::new();
    let mut stored = BTreeSet::new();
    let mut fine = true;
    walk::each_stmt(body, &mut |s| {
        match s {
            Stmt::For { var, extent, .. } => facts.range(*var, 0.into(), *extent - 1.into()),
            Stmt::Store {
                buf, index, value, ..
            } => {
                stored.insert(root(*buf));
                let all = touched.entry(root(*buf)).or_default();
                all.push((*index, value.shape().lanes));
            }
            // One array for all iterations, or names that stand for others of the next one.
            Stmt::Alloc(_) => fine = false,
            _ => {}
        }
        walk::each_load(s, &mut |b, at| {
            touched.entry(root(b)).or_default().push(at);
        });
    });
    let mut inside = Vec::new();
    walk::each_stmt(body, &mut |s| inside.extend(walk::declared(s)));
    let apart = |b: &BufId| {
        let all = touched.get(b).map_or(&[][..], Vec::as_slice);
        let Some((first, _)) = all.first() else {
            return true;
        };
        let Some(row) = first.coefficient(var) else {
            return false;
        };
        let start = beginning(*first, var, &inside);
        let within = |(n, lanes): &(Nat, u32)| {
            let from = *n - start - row * Nat::var(var);
            let to = from + Nat::int(i64::from(*lanes));
            !from.mentions(var)
                && facts.at_least(facts.simplify(from), 0.into())
                && facts.at_least(row, facts.simplify(to))
        };
        all.iter().all(within)
    };
    fine && handed_on(body).is_empty() && stored.iter().all(apart)
}

/// What of an index loops around say: where the row of iteration 0 begins.
fn beginning(index: Nat, var: Symbol, inside: &[Symbol]) -> Nat {
    let around = |m: &Mono| {
        let of = Nat::from_terms([(m.clone(), Rat::int(1))]);
        let vars = of.vars();
        let own = |v: &Symbol| *v == var || inside.contains(v);
        !vars.is_empty() && !vars.iter().any(own)
    };
    Nat::from_terms(index.terms().into_iter().filter(|(m, _)| around(m)))
}
