//! How long the parts of a state are, and which of them a place is of.
//!
//! In: buffers, rows of buffers. Out: parts, each with a number of its own, by which states know them. Invariant: a place is in the part that it is said to be of. Absent:
//! which rows there are (`rows`).

use super::place::coordinates;
use super::rewrite::Rewrite;
use super::value::{Node, Res, Shape, Values, V};
use crate::arith::Nat;
use rustc_hash::FxHashMap;

/// The number of the first row, behind which others are numbered downwards; buffers and variables are numbered from 0 on.
const FIRST_ROW: u32 = u32::MAX - 1;

/// How long the parts of a state are.
#[derive(Default)]
pub struct Shapes {
    of: FxHashMap<u32, Shape>,
    /// The dimensions of buffers with rows of their own.
    dims: FxHashMap<u32, Vec<Nat>>,
    rows: Vec<Row>,
}

/// A row of a buffer that a loop makes of itself, by its first indices.
pub struct Row {
    pub buf: u32,
    pub first: Vec<Nat>,
    pub shape: Shape,
}

impl Shapes {
    pub fn insert(&mut self, leaf: u32, shape: Shape) {
        self.of.insert(leaf, shape);
    }

    /// Rows of a buffer with these dimensions.
    pub fn insert_rows(&mut self, buf: u32, dims: Vec<Nat>, rows: impl Iterator<Item = Row>) {
        self.dims.insert(buf, dims);
        self.rows.extend(rows);
    }

    fn row(&self, leaf: u32) -> Option<&Row> {
        self.rows.get(FIRST_ROW.checked_sub(leaf)? as usize)
    }

    pub fn get(&self, leaf: u32) -> Option<&Shape> {
        let row = self.row(leaf).map(|row| &row.shape);
        row.or_else(|| self.of.get(&leaf))
    }

    /// The buffer, or the variable, that a part is of.
    pub fn whole(&self, leaf: u32) -> u32 {
        self.row(leaf).map_or(leaf, |row| row.buf)
    }

    /// The rows of a buffer, or all that a loop makes of it.
    pub fn parts(&self, buf: u32) -> Vec<&Shape> {
        let own = self.rows.iter().filter(|row| row.buf == buf);
        let found: Vec<_> = own.map(|row| &row.shape).collect();
        match found.is_empty() {
            true => self.of.get(&buf).into_iter().collect(),
            false => found,
        }
    }

    /// The part that a place is of.
    pub fn leaf(&self, cx: &mut Values, buf: u32, at: Nat) -> u32 {
        let dims = self.dims.get(&buf);
        let Some(found) = dims.and_then(|dims| coordinates(cx, at, dims)) else {
            return buf;
        };
        let is = |row: &Row| row.buf == buf && found.starts_with(&row.first);
        let row = self.rows.iter().position(is);
        row.map_or(buf, |i| FIRST_ROW - i as u32)
    }

    /// A value in which cells of rows are those of states of their own.
    pub fn by_rows(&self, cx: &mut Values, of: u32, v: V) -> Res<V> {
        if self.rows.is_empty() {
            return Ok(v);
        }
        let mut r = Rewrite::default();
        for cell in cx.cells(v, of).iter().copied() {
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
