//! Which rows of a buffer a loop makes of themselves.
//!
//! In: what an iteration stores, and what it reads of what earlier ones left. Out: the part of the buffer in which all of that lies, if the
//! indices before it are the same in all iterations. Invariant: each place of the buffer that an iteration stores or reads is in that part,
//! wherever the iteration happens. Absent: what is stored.

use super::items::{assume_path, leaves, Around, Item};
use super::loops::Loop;
use super::machine::{Lanes, Machine};
use super::place::coordinates;
use super::value::{Node, Shape, Values, V};
use crate::arith::Nat;
use crate::intern::Symbol;

/// The indices at which one buffer is stored and read, and how many of the first ones are the same everywhere.
struct Places {
    buf: u32,
    dims: Vec<Nat>,
    first: Option<Vec<Nat>>,
    same: usize,
}

impl Places {
    /// One more place, where that is what it is.
    fn add(&mut self, cx: &mut Values, at: Nat, varies: &dyn Fn(&Values, Nat) -> bool) {
        if self.same == 0 {
            return;
        }
        let Some(found) = coordinates(cx, at, &self.dims) else {
            self.same = 0;
            return;
        };
        let fixed = found.iter().take_while(|n| !varies(cx, **n)).count();
        let first = self.first.get_or_insert_with(|| found.clone());
        let equal = first.iter().zip(&found).take_while(|(a, b)| a == b).count();
        self.same = self.same.min(fixed).min(equal);
    }
}

impl Machine<'_> {
    /// The part of a buffer that a loop stores and reads: all of it, where nothing else is known.
    pub fn rows_of(&mut self, l: &Loop, buf: u32, dims: Vec<Nat>) -> Shape {
        let most = dims.len().saturating_sub(1);
        let mut all = Places {
            buf,
            same: most,
            first: None,
            dims,
        };
        if most > 0 {
            self.add_places(l, &mut all);
        }
        let at = all.first.filter(|_| all.same > 0).unwrap_or_default();
        let rows = all.dims.split_off(all.same.min(at.len()));
        let row = rows.iter().fold(Nat::int(1), |n, d| n * *d);
        let before = all.dims.iter().zip(&at);
        let base = before.fold(Nat::int(0), |n, (d, i)| n * *d + *i) * row;
        Shape {
            dims: rows,
            flat: true,
            base,
        }
    }

    fn add_places(&mut self, l: &Loop, all: &mut Places) {
        let cx = &mut self.cx;
        for (buf, items) in &l.after {
            for leaf in leaves(items) {
                let inner: Vec<_> = leaf.loops().map(|l| l.0).chain([l.k]).collect();
                let varies = |cx: &Values, n: Nat| varies(cx, n, &inner);
                let mark = cx.known.mark();
                for a in &leaf.path {
                    if let Around::Cond(c, _) = a {
                        read(cx, l, *c, all, &varies);
                    }
                    assume_path(cx, std::slice::from_ref(a));
                }
                if let Item::Store(s) = &leaf.is {
                    if *buf == all.buf {
                        all.add(cx, s.at, &varies);
                    }
                    read(cx, l, s.value, all, &varies);
                }
                cx.known.restore(mark);
            }
        }
        let varies = |cx: &Values, n: Nat| varies(cx, n, &[l.k]);
        for v in l.vars_after.values() {
            match &v.value {
                Some(Lanes::Each(v)) => read(cx, l, *v, all, &varies),
                Some(Lanes::All(vs)) => vs.iter().for_each(|v| read(cx, l, *v, all, &varies)),
                _ => {}
            }
        }
    }
}

/// Whether an index may differ between the iterations of loops over these variables.
fn varies(cx: &Values, n: Nat, vars: &[Symbol]) -> bool {
    vars.iter().any(|v| n.mentions(*v)) || !cx.names_in(n).is_empty() || cx.is_bound(n)
}

/// The places of the buffer that stand in a value.
fn read(cx: &mut Values, l: &Loop, v: V, all: &mut Places, varies: &dyn Fn(&Values, Nat) -> bool) {
    for cell in cx.cells(v, l.of) {
        if let Node::Cell(_, buf, at) = cx.node(cell).clone() {
            if buf == all.buf {
                all.add(cx, at[0], varies);
            }
        }
    }
}
