//! How long the parts of a state are, and which of them a place is of.
//!
//! In: buffers, rows of buffers. Out: parts, each with a number of its own, by which states know them. Invariant: a place is in the part that it is said to be of. Absent:
//! which rows there are (`rows`).

use super::place::coordinates;
use super::rewrite::Rewrite;
use super::value::{Node, Res, Shape, Values, V};
use crate::arith::Nat;
use rustc_hash::FxHashMap;

/// The row of a part of a state stands in its number above that of its buffer.
const ROW: u32 = 1 << 20;
/// How long the parts of a state are.
#[derive(Default)]
pub struct Shapes {
    of: FxHashMap<u32, Shape>,
    rows: FxHashMap<u32, Rows>,
}

/// Rows of a buffer each of which a loop makes of itself: the dimensions of the buffer, and the first indices of each.
struct Rows {
    dims: Vec<Nat>,
    all: Vec<Vec<Nat>>,
}

/// Whether there are numbers for rows of a buffer.
pub fn has_rows(buf: u32) -> bool {
    buf < ROW
}

/// The buffer of a part of a state.
pub fn buffer_of(leaf: u32) -> u32 {
    leaf % ROW
}

impl Shapes {
    pub fn insert(&mut self, leaf: u32, shape: Shape) {
        self.of.insert(leaf, shape);
    }

    /// Rows of a buffer, by their first indices.
    pub fn insert_rows(&mut self, buf: u32, dims: Vec<Nat>, all: Vec<Vec<Nat>>, parts: Vec<Shape>) {
        for (j, part) in (1..).zip(parts) {
            self.insert(j * ROW + buf, part);
        }
        self.rows.insert(buf, Rows { dims, all });
    }

    pub fn get(&self, leaf: u32) -> Option<&Shape> {
        self.of.get(&leaf)
    }

    /// The rows of a buffer, or all that a loop makes of it.
    pub fn parts(&self, buf: u32) -> Vec<&Shape> {
        let many = self.rows.get(&buf).map_or(0, |rows| rows.all.len() as u32);
        let leaves = (1..=many).map(|j| j * ROW + buf);
        let found: Vec<_> = leaves.filter_map(|leaf| self.get(leaf)).collect();
        match found.is_empty() {
            true => self.get(buf).into_iter().collect(),
            false => found,
        }
    }

    /// The part that a place is of.
    pub fn leaf(&self, cx: &mut Values, buf: u32, at: Nat) -> u32 {
        let Some(rows) = self.rows.get(&buf) else {
            return buf;
        };
        let Some(found) = coordinates(cx, at, &rows.dims) else {
            return buf;
        };
        let is = |row: &Vec<Nat>| found.starts_with(row);
        let row = rows.all.iter().position(is);
        row.map_or(buf, |j| (j as u32 + 1) * ROW + buf)
    }

    /// A value in which cells of rows are those of states of their own.
    pub fn by_rows(&self, cx: &mut Values, of: u32, v: V) -> Res<V> {
        if self.rows.is_empty() {
            return Ok(v);
        }
        let mut r = Rewrite::default();
        for cell in cx.cells(v, of) {
            let Node::Cell(_, buf, at) = cx.node(cell).clone() else {
                continue;
            };
            let leaf = self.leaf(cx, buf, at[0]);
            if leaf != buf {
                let own = cx.make(Node::Cell(of, leaf, at));
                r.put(cx, cell, own);
            }
        }
        cx.rewrite(&mut r, v)
    }
}
