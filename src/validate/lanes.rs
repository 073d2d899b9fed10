//! Values that differ in their indices alone, as one value of a number.
//!
//! In: the values where a number is 0 and where it is 1. Out: what they may be for any number. It is a guess: whoever asks for it looks
//! whether it is right. Absent: lanes (`exprs`).

use super::value::{Fold, Node, Values, V};
use crate::arith::{Atom, AtomKind, Nat};
use crate::intern::Symbol;

impl Values {
    /// What is the first value where a number is 0, and the second where it is 1, if indices alone differ. It is a guess for all others.
    pub fn between(&mut self, a: V, b: V, l: Nat) -> Option<V> {
        if a == b {
            return Some(a);
        }
        Some(match (self.node(a).clone(), self.node(b).clone()) {
            (Node::Idx(m), Node::Idx(n)) => self.index(between(m, n, l)),
            (Node::In(s, m), Node::In(t, n)) if s == t => self.input(s, between(m, n, l)),
            (Node::Cell(of, s, xs), Node::Cell(by, t, ys))
                if (of, s, xs.len()) == (by, t, ys.len()) =>
            {
                let at = xs
                    .iter()
                    .zip(&ys)
                    .map(|(m, n)| between(*m, *n, l))
                    .collect();
                self.make(Node::Cell(of, s, at))
            }
            (Node::Op(f, s, xs), Node::Op(g, t, ys)) if (f, s, xs.len()) == (g, t, ys.len()) => {
                let all = xs.iter().zip(&ys).map(|(x, y)| self.between(*x, *y, l));
                let all: Vec<V> = all.collect::<Option<_>>()?;
                self.op(f, s, &all)
            }
            (Node::Cast(x, s, t), Node::Cast(y, u, v)) if (s, t) == (u, v) => {
                let x = self.between(x, y, l)?;
                self.cast(x, s, t)
            }
            (Node::Bits(x, s, t), Node::Bits(y, u, v)) if (s, t) == (u, v) => {
                let x = self.between(x, y, l)?;
                self.make(Node::Bits(x, s, t))
            }
            (Node::Table(m, xs), Node::Table(n, ys)) if (m, xs.len()) == (n, ys.len()) => {
                let all = xs
                    .iter()
                    .zip(ys.iter())
                    .map(|(x, y)| self.between(*x, *y, l));
                let all: Vec<V> = all.collect::<Option<_>>()?;
                self.table(m, &all)
            }
            (Node::Clamp(x, m), Node::Clamp(y, n)) if m == n => {
                let x = self.between(x, y, l)?;
                self.clamp(x, m)
            }
            (Node::Fold(f), Node::Fold(g))
                if (f.depth, f.n, f.which, f.steps.len())
                    == (g.depth, g.n, g.which, g.steps.len()) =>
            {
                let mut both = |xs: &[V], ys: &[V]| -> Option<Vec<V>> {
                    let all = xs.iter().zip(ys);
                    all.map(|(x, y)| self.between(*x, *y, l)).collect()
                };
                let (starts, steps) = (both(&f.starts, &g.starts)?, both(&f.steps, &g.steps)?);
                self.folded(Fold {
                    starts,
                    steps,
                    ..(*f).clone()
                })
            }
            _ => return None,
        })
    }
}

/// The same of indices: on a line, also inside of one minimum, quotient or remainder.
fn between(m: Nat, n: Nat, l: Nat) -> Nat {
    let own = |n: Nat| {
        let mut found = Vec::new();
        n.each_atom(&mut |a| {
            if !matches!(a.kind(), AtomKind::Var(_)) && !found.contains(&a) {
                found.push(a);
            }
        });
        found
    };
    let (before, after) = (own(m), own(n));
    let only = |all: &[Atom], others: &[Atom]| all.iter().copied().find(|a| !others.contains(a));
    let (Some(a), Some(b)) = (only(&before, &after), only(&after, &before)) else {
        return m + l * (n - m);
    };
    use AtomKind::{Ceil, Floor, Max, Min, Mod};
    let each = match (a.kind(), b.kind()) {
        (Min(p, q), Min(r, s)) => between(p, r, l).min(between(q, s, l)),
        (Max(p, q), Max(r, s)) => between(p, r, l).max(between(q, s, l)),
        (Floor(p, q), Floor(r, s)) => between(p, r, l).floor_div(between(q, s, l)),
        (Ceil(p, q), Ceil(r, s)) => between(p, r, l).ceil_div(between(q, s, l)),
        (Mod(p, q), Mod(r, s)) => between(p, r, l).rem(between(q, s, l)),
        _ => return m + l * (n - m),
    };
    let hole = Symbol::new("%between");
    let with = |n: Nat, a: Atom| n.map_atoms(&mut |b| (a == b).then_some(Nat::var(hole)));
    let (m, n) = (with(m, a), with(n, b));
    between(m, n, l).subst_var(hole, each)
}
