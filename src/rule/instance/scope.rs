//! Where the holes of a rule stand, and which binders they may mention.
//!
//! Comes in: a rule; goes out: for each hole the binders of its first occurrence
//! on the left, each marked as usable or not, and the renaming to any other
//! scope. Invariant: what is marked usable is in scope, by name, wherever the
//! hole stands (Note [Scopes] in `compile`; written here a second time on
//! purpose). Absent: types of holes.

use super::RuleDecl;
use crate::elab::Cond;
use crate::intern::Symbol;
use crate::term::{Kind, Term};
use crate::ty::Ty;

/// A binder: its name and the type of its variable.
pub type Binder = (Option<Symbol>, Ty);

/// The binders around each occurrence of each hole in a term, outermost first.
pub fn occurrences(t: &Term, holes: usize) -> Vec<Vec<Vec<Binder>>> {
    fn walk(t: &Term, scope: &mut Vec<Binder>, out: &mut [Vec<Vec<Binder>>]) {
        match t.kind() {
            Kind::Hole(h) => out[*h as usize].push(scope.clone()),
            Kind::App(f, x) => {
                walk(f, scope, out);
                walk(x, scope, out);
            }
            Kind::Lam(name, body) => {
                if let Some((arg, _)) = t.ty().as_fun() {
                    scope.push((*name, arg));
                    walk(body, scope, out);
                    scope.pop();
                }
            }
            _ => {}
        }
    }
    let mut out = vec![Vec::new(); holes];
    walk(t, &mut Vec::new(), &mut out);
    out
}

/// The binders of the first occurrence of each hole on the left, with whether
/// the hole may mention them. No binders for what a condition computes.
pub fn usable(rule: &RuleDecl) -> Vec<Vec<(Binder, bool)>> {
    let left = occurrences(&rule.lhs, rule.holes.len());
    let mut everywhere = occurrences(&rule.rhs, rule.holes.len());
    for cond in &rule.conds {
        if let Cond::Vectorizable { f, fv, .. } = cond {
            let scopes = everywhere[*fv as usize].clone();
            everywhere[*f as usize].extend(scopes);
        }
    }
    let mut out = Vec::new();
    for (hole, scopes) in left.into_iter().enumerate() {
        let mut scopes = scopes.into_iter();
        let first = scopes.next().unwrap_or_default();
        everywhere[hole].extend(scopes);
        let may = |i: usize| {
            let (name, _) = first[i];
            let Some(name) = name else { return false };
            let shadowed = first[i + 1..].iter().any(|b| b.0 == Some(name));
            let there = |s: &Vec<Binder>| s.iter().any(|b| b.0 == Some(name));
            let excluded = |c: &Cond| matches!(c, Cond::NotFree { var, hole: h } if *h as usize == hole && *var == name);
            !shadowed && everywhere[hole].iter().all(there) && !rule.conds.iter().any(excluded)
        };
        out.push((0..first.len()).map(|i| (first[i], may(i))).collect());
    }
    out
}

/// Moves a hole's term from the binders `from` to the binders `to`; what is
/// outside of both stays what it is. `None` when a variable is lost.
pub fn rename(t: &Term, from: &[Binder], to: &[Binder]) -> Option<Term> {
    let mut lost = false;
    let (d, e) = (from.len() as u32, to.len() as u32);
    let moved = t.map_free(&mut |i, ty| {
        if i >= d {
            return Term::var(i - d + e, ty);
        }
        let (name, _) = from[(d - 1 - i) as usize];
        let place = to.iter().rposition(|b| b.0 == name && name.is_some());
        match place {
            Some(p) if to[p].1 == ty => Term::var(e - 1 - p as u32, ty),
            _ => {
                lost = true;
                Term::var(0, ty)
            }
        }
    });
    (!lost).then_some(moved)
}
