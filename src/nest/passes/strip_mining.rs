//! Strip mining: a loop whose index is divided is two loops.
//!
//! Comes in: a nest; goes out: one in which a loop over `m·d` elements, in whose body the index is divided by `d`, is a loop
//! over `m` around one over `d`, if less is divided then. So the elements of joined rows are read row by row, and a
//! compiler sees consecutive elements and, of windows, loops short enough to be unrolled. Invariant: the same iterations in
//! the same order. Of a parallel loop the outer one alone is left to threads, so only short rows are taken off.

use crate::arith::{is_whole, AtomKind, Nat};
use crate::index::Facts;
use crate::intern::Symbol;
use crate::nest::passes::fresh::Names;
use crate::nest::{walk, Block, LoopKind, Nest, Stmt};

/// The longest row that is taken off a parallel loop.
const SHORT: i64 = 16;

/// Splits loops.
pub(super) fn split(nest: &mut Nest, facts: &mut Facts) {
    let mut names = Names::of(nest);
    split_in(&mut nest.body, &mut names, facts);
}

fn split_in(block: &mut Block, names: &mut Names, facts: &mut Facts) {
    for s in block {
        while let Some(two) = two_loops(s, names, facts) {
            *s = two;
        }
        match s {
            Stmt::For {
                var, extent, body, ..
            } => {
                facts.range(*var, 0.into(), *extent - 1.into());
                split_in(body, names, facts);
            }
            Stmt::If { then, els, .. } => {
                split_in(then, names, facts);
                split_in(els, names, facts);
            }
            _ => {}
        }
    }
}

/// A loop as two, the inner one as long as a divisor of the index, where that leaves fewer divisions.
fn two_loops(s: &Stmt, names: &mut Names, facts: &mut Facts) -> Option<Stmt> {
    let Stmt::For {
        var,
        extent,
        kind: kind @ (LoopKind::Seq | LoopKind::Par),
        body,
        note,
    } = s
    else {
        return None;
    };
    let mut by = divisors(body, *var, *extent, facts);
    if kind.is_par() {
        by.retain(|d| d.as_int().is_some_and(|d| d <= SHORT));
    }
    (!by.is_empty()).then_some(())?;
    let before = divided(body, &[*var]).len();
    let (outer, inner) = (names.like(*var), names.like(*var));
    let mut best: Option<(usize, Nat, Block)> = None;
    for d in by {
        facts.range(outer, 0.into(), extent.exact_div(d) - 1.into());
        facts.range(inner, 0.into(), d - 1.into());
        let body = substituted(body, *var, d * Nat::var(outer) + Nat::var(inner), facts);
        let left = divided(&body, &[outer, inner]).len();
        if left < best.as_ref().map_or(before, |b| b.0) {
            best = Some((left, d, body));
        }
    }
    let (_, d, body) = best?;
    let part = |var, extent, kind, body, note| Stmt::For {
        var,
        extent,
        kind,
        body,
        note,
    };
    let row = part(inner, d, LoopKind::Seq, body, None);
    let rows = extent.exact_div(d);
    Some(part(outer, rows, *kind, vec![row], note.clone()))
}

/// By what an index is divided that the length of its loop is a multiple of, each once.
fn divisors(body: &Block, var: Symbol, extent: Nat, facts: &Facts) -> Vec<Nat> {
    let whole = |n: Nat| is_whole(n) || facts.whole_sizes().contains(&n);
    let mut own = vec![var];
    walk::each_stmt(body, &mut |s| own.extend(walk::declared(s)));
    let mut found = Vec::new();
    for d in divided(body, &[var]) {
        let times = extent.exact_div(d);
        let long = |n: Nat| n.as_int().is_none_or(|n| n > 1);
        let known = !own.iter().any(|v| d.mentions(*v));
        if known && long(d) && long(times) && whole(times) && !found.contains(&d) {
            found.push(d);
        }
    }
    found
}

/// The divisor of each division of one of the variables, as often as there are such divisions.
fn divided(body: &Block, vars: &[Symbol]) -> Vec<Nat> {
    use AtomKind::{Ceil, Floor, Mod};
    let mut found = Vec::new();
    let mut look = |n: Nat| {
        n.each_atom(&mut |a| {
            if let Floor(x, d) | Ceil(x, d) | Mod(x, d) = a.kind() {
                if vars.iter().any(|v| x.mentions(*v)) {
                    found.push(d);
                }
            }
        })
    };
    walk::each_stmt(body, &mut |s| walk::each_index(s, &mut look));
    found
}

/// A body with another value of a variable.
pub(super) fn substituted(body: &Block, var: Symbol, value: Nat, facts: &Facts) -> Block {
    let mut body = body.clone();
    let nat = |n: Nat| match n.mentions(var) {
        true => facts.simplify(n.subst_var(var, value)),
        false => n,
    };
    walk::map_block(&mut body, &mut |e| e.map_indices(&mut { nat }), &mut {
        nat
    });
    body
}

/// The iterations of a loop from one on, as a loop in order.
pub(super) fn rest(
    (var, extent): (Symbol, Nat),
    body: &Block,
    from: Nat,
    facts: &mut Facts,
) -> Stmt {
    let left = facts.simplify(extent - from);
    facts.range(var, 0.into(), left - 1.into());
    Stmt::For {
        var,
        extent: left,
        kind: LoopKind::Seq,
        body: substituted(body, var, from + Nat::var(var), facts),
        note: None,
    }
}
