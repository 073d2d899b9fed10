//! Which parallel loops are scheduled statically, so that each thread takes one run of iterations.
//!
//! In: a parallel loop with the sizes around it. Out: whether all its iterations take as long, and move so much for what they
//! compute that it matters where that lies: with one run each, threads find in their caches what they held in the call
//! before. Single elements are static, too, as compilers make vectors of one run. Where iterations differ, or compute much, the dynamic
//! schedule is better, as no thread waits for another one.
//! Absent: threads that are disturbed, caches that threads share.

use super::compute::{written_out, Walk};
use super::sizes::{truth, value};
use super::{compute, traffic, Context};
use crate::arith::{AtomKind, Nat};
use crate::intern::Symbol;
use crate::nest::{walk, Expr, ExprKind, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// How much longer it takes at most to compute than to bring all from memory once.
const STREAMS: f64 = 16.0;
/// By what part iterations may differ.
const EVEN: f64 = 0.1;

/// Whether a parallel loop is to be static.
pub fn is_static(cx: &Context, s: &Stmt) -> bool {
    let Stmt::For {
        var, extent, body, ..
    } = s
    else {
        return false;
    };
    let n = value(*extent, &cx.env).max(1);
    has_bounds_of_sizes(*var, body)
        && is_even(cx, (*var, n), body)
        && (walk::are_elements(body) || compute::cycles(cx, s) <= STREAMS * traffic::once(cx, s))
}

/// The parallel loops in which loops have lengths that are read, which differ.
pub fn of_lengths_read(body: &[Stmt]) -> BTreeSet<Symbol> {
    let mut found = BTreeSet::new();
    walk::each_stmt(body, &mut |s| {
        let (var, body) = match s {
            Stmt::For {
                var, kind, body, ..
            } if kind.is_par() => (var, body),
            _ => return,
        };
        let (mut names, mut read) = (BTreeMap::new(), BTreeSet::new());
        let mut differ = false;
        walk::each_stmt(body, &mut |s| match s {
            Stmt::Let { var, .. } => {
                read.insert(*var);
            }
            Stmt::Index { var, value } => {
                names.insert(*var, written_out(*value, &names));
            }
            Stmt::For { extent, .. } => {
                let of = written_out(*extent, &names);
                differ |= of.vars().iter().any(|v| read.contains(v));
            }
            _ => {}
        });
        if differ {
            found.insert(*var);
        }
    });
    found
}

/// Whether iterations take as long in the middle and at both quarters. The first and the last ones may be at a border.
fn is_even(cx: &Context, (var, n): (Symbol, i64), body: &[Stmt]) -> bool {
    let mut known = true;
    let all: Vec<f64> = [n / 4, n / 2, n * 3 / 4]
        .iter()
        .map(|at| {
            let mut walk = Walk::new(cx);
            walk.env.insert(var, *at);
            body.iter().map(|s| walk.stmt(s)).sum()
        })
        .collect();
    walk::each_stmt(body, &mut |s| {
        if let Stmt::If { cond, then, els } = s {
            // What is read decides how long it takes.
            let loops = then.iter().chain(els).any(has_loop);
            known &= !loops || truth(cond, &cx.env).is_some() && !reads(cond);
        }
    });
    let (least, most) = all.iter().fold((f64::MAX, 0.0), |(a, b), c| {
        (f64::min(a, *c), f64::max(b, *c))
    });
    known && most - least <= EVEN * most
}

/// Whether no loop in it has a bound that depends on its variable, but for what is left of a block.
fn has_bounds_of_sizes(var: Symbol, body: &[Stmt]) -> bool {
    let mut names = BTreeMap::new();
    let mut good = true;
    walk::each_stmt(body, &mut |s| match s {
        Stmt::Index { var, value } => {
            names.insert(*var, written_out(*value, &names));
        }
        Stmt::For { extent, .. } => good &= is_block(written_out(*extent, &names), var),
        _ => {}
    });
    good
}

/// Whether a bound does not depend on a variable, or is at most what does not.
fn is_block(extent: Nat, var: Symbol) -> bool {
    let least = |a: AtomKind| match a {
        AtomKind::Min(x, y) => !x.mentions(var) || !y.mentions(var),
        _ => false,
    };
    !extent.mentions(var) || extent.as_atom().is_some_and(|a| least(a.kind()))
}

fn reads(e: &Expr) -> bool {
    let mut found = false;
    e.visit(&mut |e| found |= matches!(e.kind(), ExprKind::Load(..)));
    found
}

fn has_loop(s: &Stmt) -> bool {
    let mut found = false;
    walk::each_stmt(std::slice::from_ref(s), &mut |s| {
        found |= matches!(s, Stmt::For { .. });
    });
    found
}
