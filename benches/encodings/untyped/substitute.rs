//! Substitution by extraction: in the smallest term of a class, added again.
//!
//! Comes in: classes; goes out: the class of the result. Over indices it
//! shifts; over names it renames a binder that would capture. Where the
//! smallest term does not mention the variable the class itself is the result.

use super::lambda::{Graph, Index, Lambda, Name};
use egg::Id;
use std::collections::BTreeSet;

/// `body` with `k` added to all variables from `cutoff` on; `None` if one has no new index.
pub fn shift(g: &mut Graph, body: Id, k: i32, cutoff: u32) -> Option<Id> {
    if !g[body].data.free.iter().any(|n| *n >= cutoff) {
        return Some(body);
    }
    Some(match g[body].data.best.clone() {
        Lambda::Index(Index(n)) if n >= cutoff => {
            let n = n.checked_add_signed(k).filter(|n| *n >= cutoff)?;
            g.add(Lambda::Index(Index(n)))
        }
        Lambda::Lam([b]) => {
            let b = shift(g, b, k, cutoff + 1)?;
            g.add(Lambda::Lam([b]))
        }
        Lambda::App([f, x]) => {
            let f = shift(g, f, k, cutoff)?;
            let x = shift(g, x, k, cutoff)?;
            g.add(Lambda::App([f, x]))
        }
        leaf => g.add(leaf),
    })
}

/// `body` with `value` for variable `i`; the variables above go down by one.
pub fn instantiate(g: &mut Graph, body: Id, i: u32, value: Id) -> Option<Id> {
    if !g[body].data.free.iter().any(|n| *n >= i) {
        return Some(body);
    }
    match g[body].data.best.clone() {
        Lambda::Index(Index(n)) if n == i => shift(g, value, i as i32, 0),
        Lambda::Index(Index(n)) if n > i => Some(g.add(Lambda::Index(Index(n - 1)))),
        Lambda::Lam([b]) => {
            let b = instantiate(g, b, i + 1, value)?;
            Some(g.add(Lambda::Lam([b])))
        }
        Lambda::App([f, x]) => {
            let f = instantiate(g, f, i, value)?;
            let x = instantiate(g, x, i, value)?;
            Some(g.add(Lambda::App([f, x])))
        }
        leaf => Some(g.add(leaf)),
    }
}

/// `body` with `value` for the name `x`.
pub fn replace(g: &mut Graph, body: Id, x: u32, value: Id) -> Option<Id> {
    if !g[body].data.free.contains(&x) {
        return Some(body);
    }
    match g[body].data.best.clone() {
        Lambda::Name(Name(n)) if n == x => Some(value),
        Lambda::Fun([y, b]) => {
            let name = g[y].data.name?;
            if name == x {
                return Some(g.add(Lambda::Fun([y, b])));
            }
            if !g[value].data.free.contains(&name) {
                let b = replace(g, b, x, value)?;
                return Some(g.add(Lambda::Fun([y, b])));
            }
            let mut taken: BTreeSet<u32> = g[value].data.free.clone();
            taken.extend(&g[b].data.free);
            taken.insert(x);
            let z = (0..).find(|n| !taken.contains(n))?;
            let z = g.add(Lambda::Name(Name(z)));
            let b = replace(g, b, name, z)?;
            let b = replace(g, b, x, value)?;
            Some(g.add(Lambda::Fun([z, b])))
        }
        Lambda::App([f, a]) => {
            let f = replace(g, f, x, value)?;
            let a = replace(g, a, x, value)?;
            Some(g.add(Lambda::App([f, a])))
        }
        leaf => Some(g.add(leaf)),
    }
}
