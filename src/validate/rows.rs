//! Which rows of a buffer a loop makes of themselves.
//!
//! In: what an iteration stores, and what it reads of what earlier ones left. Out: the part of the buffer in which all of that lies, if the
//! indices before it are the same in all iterations; or several rows, of which none is made of another one. Invariant: each place of the
//! buffer that an iteration stores or reads is in that part, wherever the iteration happens; rows are states of their own, and what is
//! wrongly taken for another row is one more. Absent: what is stored.

use super::items::{assume_path, leaves, Around, Item};
use super::loops::Loop;
use super::machine::{Lanes, Machine};
use super::place::coordinates;
use super::shapes::{Row, Shapes};
use super::value::{Node, Shape, Values, V};
use crate::arith::Nat;
use crate::intern::Symbol;

/// Rows of a buffer, at most.
const ROWS: usize = 256;

/// The indices at which one buffer is stored and read: of each value those at which it is stored and those that it reads.
struct Places {
    buf: u32,
    dims: Vec<Nat>,
    all: Vec<Vec<Vec<Nat>>>,
    /// How many of the first ones are the same in all iterations.
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
        self.same = self.same.min(fixed);
        if let Some(own) = self.all.last_mut().filter(|own| !own.contains(&found)) {
            own.push(found);
        }
    }

    /// The first indices, as many as are the same of all places.
    fn common(&self) -> Vec<Nat> {
        let mut all = self.all.iter().flatten();
        let Some(first) = all.next() else {
            return Vec::new();
        };
        let same = all.fold(self.same, |same, other| {
            let equal = first.iter().zip(other).take_while(|(a, b)| a == b).count();
            same.min(equal)
        });
        first[..same].to_vec()
    }

    /// The first indices of several rows that do not depend on each other; none where it is not said which rows those are.
    fn rows(&self) -> Vec<Vec<Nat>> {
        let mut found: Vec<Vec<Nat>> = Vec::new();
        for own in &self.all {
            for place in own {
                let row = &place[..self.same];
                if row != &own[0][..self.same] || row.iter().all(|n| n.as_int().is_some()) {
                    return Vec::new();
                }
                if !found.iter().any(|other| other == row) {
                    found.push(row.to_vec());
                }
            }
        }
        found.truncate(ROWS);
        found
    }

    /// The part of the buffer behind these indices.
    fn part(&self, at: &[Nat]) -> Shape {
        let rows = self.dims[at.len()..].to_vec();
        let row = rows.iter().fold(Nat::int(1), |n, d| n * *d);
        let before = self.dims.iter().zip(at);
        let base = before.fold(Nat::int(0), |n, (d, i)| n * *d + *i) * row;
        Shape {
            dims: rows,
            flat: true,
            base,
        }
    }
}

impl Machine<'_> {
    /// The parts of a buffer that a loop stores and reads: all of it, where nothing else is known.
    pub fn rows_of(&mut self, l: &Loop, buf: u32, dims: Vec<Nat>, shapes: &mut Shapes) {
        let most = dims.len().saturating_sub(1);
        let mut places = Places {
            buf,
            same: most,
            all: Vec::new(),
            dims,
        };
        if most > 0 {
            self.add_places(l, &mut places);
        }
        let common = places.common();
        shapes.insert(buf, places.part(&common));
        let rows = places.rows();
        if rows.len() > 1 {
            let row = |first: Vec<Nat>| Row {
                buf,
                shape: places.part(&first),
                first,
            };
            let dims = places.dims.clone();
            shapes.insert_rows(buf, dims, rows.into_iter().map(row));
        }
    }

    fn add_places(&mut self, l: &Loop, all: &mut Places) {
        let cx = &mut self.cx;
        for (buf, items) in &l.after {
            for leaf in leaves(items) {
                let inner: Vec<_> = leaf.loops().map(|l| l.0).chain([l.k]).collect();
                let varies = |cx: &Values, n: Nat| varies(cx, n, &inner);
                let mark = cx.known.mark();
                all.all.push(Vec::new());
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
            let values: &[V] = match &v.value {
                Some(Lanes::Each(v)) => std::slice::from_ref(v),
                Some(Lanes::All(vs)) => vs,
                _ => &[],
            };
            for v in values {
                all.all.push(Vec::new());
                read(cx, l, *v, all, &varies);
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
    for cell in cx.cells(v, l.of).iter().copied() {
        if let Node::Cell(_, buf, at) = cx.node(cell).clone() {
            if buf == all.buf {
                all.add(cx, at[0], varies);
            }
        }
    }
}
