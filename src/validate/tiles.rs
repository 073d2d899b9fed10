//! Elements of buffers whose rows were stored a few at once, each by a statement of its own.
//!
//! In: a buffer, an element of it. Out: its value. Which statement stored a row is what is left of its number by as many as there are; what
//! they stored is read once, for any tile, and if it is one value of the number of the row in it, that is the value of the row. Absent: rows that loops say (`memory`).

use super::items::{assume_path, leaves, Around, Item, Leaf};
use super::lanes::Alike;
use super::memory;
use super::place::coordinates;
use super::rewrite::Rewrite;
use super::same::same;
use super::value::{Node, Res, Tile, Values, V};
use crate::arith::Nat;
use crate::term::Op;

/// Rows of a tile, at most.
const ROWS: i64 = 64;
/// Values on the sides of choices that may be one, at most.
const SIDES: usize = 4;

/// The element of a buffer.
pub fn read(cx: &mut Values, buf: u32, items: &[Item], e: Nat) -> Res<V> {
    match in_tiles(cx, buf, items, e)? {
        Some(v) => Ok(v),
        None => memory::read(cx, buf, items, e).map(|v| written(cx, v)),
    }
}

/// The one value that was stored on all sides of choices, whatever it looks like there, if it is never one on which nothing was.
fn written(cx: &mut Values, v: V) -> V {
    if !cx.has_undefined(v) || cx.is_open(v) {
        return v;
    }
    let (mut open, mut sides) = (vec![v], Vec::<(V, u32)>::new());
    while let Some(side) = open.pop() {
        match cx.node(side) {
            Node::Op(Op::Select, _, args) => open.extend(&args[1..]),
            Node::Undef => {}
            _ if cx.has_undefined(side) => return v,
            _ => match sides.iter_mut().find(|s| s.0 == side) {
                Some(known) => known.1 += 1,
                None => sides.push((side, 1)),
            },
        }
    }
    let most = sides.iter().map(|s| s.1).max();
    let only = sides.iter().find(|s| Some(s.1) == most).map(|s| s.0);
    match only {
        Some(only) if sides.len() <= SIDES && same(cx, v, only).is_ok() => only,
        _ => v,
    }
}

fn in_tiles(cx: &mut Values, buf: u32, items: &[Item], e: Nat) -> Res<Option<V>> {
    let Some(dims) = cx.dims.get(&buf).cloned() else {
        return Ok(None);
    };
    let e = cx.simplify(e);
    let Some(place) = coordinates(cx, e, &dims) else {
        return Ok(None);
    };
    let all = leaves(items);
    let Some(content) = said(&all).map(|said| cx.content(said)) else {
        return Ok(None);
    };
    for (d, x) in place.into_iter().enumerate() {
        let Some(rows) = rows(cx, (&all, content), &dims, d) else {
            continue;
        };
        let in_tile = x - cx.known.multiples(x, Nat::int(rows)) * Nat::int(rows);
        if in_tile.as_int().is_some() {
            continue;
        }
        let stride = dims[d + 1..].iter().fold(Nat::int(1), |a, b| a * *b);
        let key = (
            content,
            (rows, dims[d], stride),
            e - x * stride,
            cx.known.state(),
        );
        let tile = match cx.tiles.get(&key) {
            Some(known) => *known,
            None => {
                let found = tile(cx, (buf, items), key.1, key.2)?;
                cx.tiles.insert(key, found);
                found
            }
        };
        if let Some((number, row, value)) = tile {
            let of = cx.known.floor(x, Nat::int(rows));
            let mut r = Rewrite::default();
            r.vars.insert(number, of);
            r.vars.insert(row, x - of * Nat::int(rows));
            return cx.rewrite(&mut r, value).map(Some);
        }
    }
    Ok(None)
}

/// All that a content is, by numbers, if it can be said.
fn said(all: &[Leaf]) -> Option<Vec<u64>> {
    let mut out = Vec::new();
    for leaf in all {
        for a in &leaf.path {
            match a {
                Around::Loop(v, n) => out.extend([1, v.id().into(), n.id().into()]),
                Around::Cond(c, holds) => out.extend([2, c.0.into(), u64::from(*holds)]),
            }
        }
        match &leaf.is {
            Item::Store(s) => out.extend([3, s.at.id().into(), s.value.0.into()]),
            Item::Start(of) => out.extend([4, (*of).into()]),
            Item::Undef => out.push(5),
            _ => return None,
        }
    }
    Some(out)
}

/// How many rows are stored by as many statements in one iteration of a loop.
fn rows(cx: &mut Values, (all, content): (&[Leaf], u32), dims: &[Nat], d: usize) -> Option<i64> {
    if let Some(known) = cx.rows.get(&(content, d)) {
        return *known;
    }
    let mut found: Vec<(i64, i64)> = Vec::new();
    for leaf in all {
        let Item::Store(s) = &leaf.is else { continue };
        let mark = cx.known.mark();
        assume_path(cx, &leaf.path);
        let place = coordinates(cx, s.at, dims);
        cx.known.restore(mark);
        let Some(c) = place.and_then(|p| p.get(d).copied()) else {
            continue;
        };
        for (v, _) in leaf.loops() {
            let by = c.coefficient(v).and_then(Nat::as_int);
            let Some(by) = by.filter(|by| (2..=ROWS).contains(by)) else {
                continue;
            };
            let row = (c - Nat::int(by) * Nat::var(v)).as_int();
            found.extend(row.filter(|r| (0..by).contains(r)).map(|r| (by, r)));
        }
    }
    found.sort_unstable();
    found.dedup();
    let full = |by: i64| found.iter().filter(|f| f.0 == by).count() as i64 == by;
    let rows = found.iter().map(|f| f.0).find(|by| full(*by));
    cx.rows.insert((content, d), rows);
    rows
}

/// What any tile has in any row.
fn tile(
    cx: &mut Values,
    (buf, items): (u32, &[Item]),
    (rows, dim, stride): (i64, Nat, Nat),
    beside: Nat,
) -> Res<Option<Tile>> {
    let (number, row) = (cx.symbol("tile"), cx.symbol("row"));
    let tiles = dim.ceil_div(Nat::int(rows));
    cx.known.range(number, Nat::int(0), tiles - Nat::int(1));
    cx.known.range(row, Nat::int(0), Nat::int(rows - 1));
    let mut alike = Alike::default();
    let at = |i: i64| Nat::int(rows) * Nat::var(number) + Nat::int(i);
    let inside = |cx: &mut Values, i: i64| cx.known.not_negative(dim - Nat::int(1) - at(i));
    for i in 0..rows {
        let mark = cx.known.mark();
        inside(cx, i);
        let found = memory::read(cx, buf, items, beside + at(i) * stride).map(|v| written(cx, v));
        cx.known.restore(mark);
        let same = match found {
            Ok(v) if !cx.has_undefined(v) => alike.add(cx, v, row, &inside),
            _ => Ok(false),
        };
        cx.spend(1)?;
        if !same.unwrap_or(false) {
            return Ok(None);
        }
    }
    Ok(alike.each().map(|value| (number, row, value)))
}
