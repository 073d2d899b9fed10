//! Values that differ in their indices alone, as one value of a number.
//!
//! In: the values for the numbers from 0 on. Out: what is each of them. It is guessed from two of them, and found to be right of all. Absent: lanes (`exprs`).

use super::value::{Fold, Node, Res, Values, V};
use crate::arith::{Atom, AtomKind, Nat};
use crate::intern::Symbol;
use rustc_hash::FxHashMap;

/// What was found of two values.
type Seen = FxHashMap<(V, V), Option<V>>;

/// Values for the numbers from 0 on that may be one value of the number.
#[derive(Default)]
pub struct Alike {
    all: Vec<V>,
    each: Option<V>,
    wrong: u32,
}

impl Alike {
    /// With one more, where the number is a variable; whether they may still be one value. Each is compared where no more is assumed than
    /// where it was found: what is assumed of a later number says nothing of an earlier one. What differs from the others may be simpler
    /// than what comes next, as a minimum is: the guess is from it and the one before, or the next one.
    pub fn add(
        &mut self,
        cx: &mut Values,
        v: V,
        number: Symbol,
        assume: &dyn Fn(&mut Values, i64),
    ) -> Res<bool> {
        let last = self.all.len() as i64 - 1;
        self.all.push(v);
        let fits = |cx: &mut Values, each: V, i: i64, v: V| -> Res<bool> {
            let mark = cx.known.mark();
            assume(cx, i);
            let there = cx.with(each, number, Nat::int(i));
            cx.known.restore(mark);
            Ok(there? == v)
        };
        if let Some(each) = self.each {
            self.each = fits(cx, each, last + 1, v)?.then_some(each);
        }
        if let (None, Some(before)) = (self.each, self.all.iter().rev().nth(1)) {
            self.each = cx.between(*before, v, Nat::var(number) - Nat::int(last));
            for (i, v) in (0..).zip(&self.all) {
                if let Some(each) = self.each {
                    self.each = fits(cx, each, i, *v)?.then_some(each);
                }
            }
        }
        self.wrong = match self.each {
            None if last >= 0 => self.wrong + 1,
            _ => 0,
        };
        Ok(self.wrong < 2)
    }

    /// What is each of them, if that was found.
    pub fn each(&self) -> Option<V> {
        self.each
    }
}

impl Values {
    /// One value of a number that is each of some.
    pub fn one_of_all(&mut self, all: &[V], number: Symbol) -> Res<Option<V>> {
        let mut alike = Alike::default();
        for v in all {
            if !alike.add(self, *v, number, &|_, _| {})? {
                return Ok(None);
            }
        }
        Ok(alike.each())
    }

    /// What is the first value where a number is 0, and the second where it is 1, if indices alone differ. It is a guess for all others.
    fn between(&mut self, a: V, b: V, l: Nat) -> Option<V> {
        self.between_parts(a, b, l, &mut FxHashMap::default())
    }

    /// A part may stand in its value often, as in rounds of a cipher: each pair of parts is looked at once.
    fn between_parts(&mut self, a: V, b: V, l: Nat, seen: &mut Seen) -> Option<V> {
        if a == b {
            return Some(a);
        }
        if let Some(found) = seen.get(&(a, b)) {
            return *found;
        }
        let found = self.between_nodes(a, b, l, seen);
        seen.insert((a, b), found);
        found
    }

    fn between_nodes(&mut self, a: V, b: V, l: Nat, seen: &mut Seen) -> Option<V> {
        let mut both = |cx: &mut Values, xs: &[V], ys: &[V]| -> Option<Vec<V>> {
            let all = xs.iter().zip(ys);
            all.map(|(x, y)| cx.between_parts(*x, *y, l, seen))
                .collect()
        };
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
                let all = both(self, &xs, &ys)?;
                self.op(f, s, &all)
            }
            (Node::Cast(x, s, t), Node::Cast(y, u, v)) if (s, t) == (u, v) => {
                let x = both(self, &[x], &[y])?[0];
                self.cast(x, s, t)
            }
            (Node::Bits(x, s, t), Node::Bits(y, u, v)) if (s, t) == (u, v) => {
                let x = both(self, &[x], &[y])?[0];
                self.make(Node::Bits(x, s, t))
            }
            (Node::Table(m, xs), Node::Table(n, ys)) if (m, xs.len()) == (n, ys.len()) => {
                let all = both(self, &xs, &ys)?;
                self.table(m, &all)
            }
            (Node::Clamp(x, m), Node::Clamp(y, n)) if m == n => {
                let x = both(self, &[x], &[y])?[0];
                self.clamp(x, m)
            }
            (Node::Fold(f), Node::Fold(g))
                if (f.depth, f.n, f.which, f.steps.len())
                    == (g.depth, g.n, g.which, g.steps.len()) =>
            {
                let starts = both(self, &f.starts, &g.starts)?;
                let steps = both(self, &f.steps, &g.steps)?;
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
