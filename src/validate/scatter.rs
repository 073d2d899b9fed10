//! Loops that make, step by step, elements of themselves at places that data or the step says.
//!
//! In: what an iteration stores. Out: what all of them leave: of each element a reduction, whose steps at other places change nothing.
//! Invariant: an iteration stores each element of a row once, or one element; what it makes an element of is that element, or any others (`everywhere`). Absent: loops
//! whose places are known (`loops`).

use super::items::{assume_path, leaves, Around, Item, Store};
use super::loops::Loop;
use super::machine::Machine;
use super::memory::read;
use super::place::coordinates;
use super::rewrite::Rewrite;
use super::tensor::linear;
use super::value::{Node, Res, Shape, Values, V};
use super::Stuck;
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::term::Op;
use crate::ty::Scalar;
use std::rc::Rc;

/// An element that any iteration may make.
struct Element {
    dims: Vec<Nat>,
    /// Whether all dimensions of the buffer are one of these.
    as_one: bool,
    at: Vec<Symbol>,
    flat: Nat,
    /// The variables of `flat`, and how many values they have.
    any: Vec<(Symbol, Nat)>,
    /// Where an iteration stores, and where it stores if it makes the element.
    meets: Vec<(Nat, Nat)>,
    /// Of each index, where an iteration stores: one place, or all of the dimension.
    to: Option<Vec<Option<Nat>>>,
}

impl Machine<'_> {
    pub fn updated(&mut self, l: &Loop, buf: u32) -> Res<Item> {
        let mut e = self.element(buf, self.is_named(l, buf))?;
        self.one_store(l, buf, &mut e)?;
        e.narrow(&mut self.cx, l);
        let cell = |buf: u32| Node::Cell(l.of, buf, [e.flat].into_iter().collect());
        let cells: Vec<_> = (0..self.nest.buffers.len() as u32).map(cell).collect();
        let (mut parts, mut exact) = (vec![buf], Vec::new());
        let (mut starts, mut steps) = (Vec::new(), Vec::new());
        while let Some(part) = parts.get(steps.len()).copied() {
            let (store, mut r) = self.one_store(l, part, &mut e)?;
            let at = self.cx.rewrite_nat(&mut r, store.at)?;
            for cell in self.cx.cells(store.value, l.of).iter().copied() {
                let Node::Cell(_, leaf, from) = self.cx.node(cell).clone() else {
                    continue;
                };
                let from = self.cx.rewrite_nat(&mut r, from[0])?;
                let own = cells.get(leaf as usize).cloned();
                let Some(own) = own.filter(|_| self.cx.known.equal(at, from)) else {
                    return Err(Stuck::new("an element is made of another one"));
                };
                let number = parts.iter().position(|p| *p == leaf).unwrap_or(parts.len());
                if number == parts.len() {
                    parts.push(leaf);
                }
                let own = self.cx.make(own);
                exact.push((own, number as u32));
                r.put(&self.cx, cell, own);
            }
            let value = self.cx.rewrite(&mut r, store.value)?;
            let own = e.is_made(&mut self.cx);
            if !self.cx.cells(own, l.of).is_empty() {
                return Err(Stuck::new(
                    "what an iteration left says where the next one stores",
                ));
            }
            let before = self.cx.make(cells[part as usize].clone());
            exact.push((before, steps.len() as u32));
            steps.push(self.cx.op(Op::Select, Scalar::Bool, &[own, value, before]));
            let items = l.before.get(&part).map_or(&[][..], |m| m);
            starts.push(read(&mut self.cx, part, items, e.flat)?);
        }
        let value = self.cx.closed(l.n, (starts, steps, 0), l.k, &exact)?;
        Ok(self.of_each(&e, buf, value))
    }

    /// Stores of what any element is.
    fn of_each(&self, e: &Element, buf: u32, value: V) -> Item {
        let store = Item::Store(Store {
            at: e.flat,
            value,
            statement: self.tally.at,
            place: self.nest.buffers[buf as usize].name.as_str().into(),
        });
        let around =
            |inner: Item, (j, n): (&Symbol, &Nat)| Item::Loop(*j, *n, Rc::new(vec![inner]));
        e.any.iter().map(|(j, n)| (j, n)).rev().fold(store, around)
    }

    /// A buffer of which an iteration makes elements of any others: each element is what all steps leave of it.
    pub fn everywhere(&mut self, l: &Loop, buf: u32) -> Res<Item> {
        let shapes = self.shapes(l);
        let mut all = Vec::new();
        for rows in shapes.parts(buf) {
            let mut e = self.element(buf, false)?;
            e.keep_rows(rows);
            let value = self.after(l, (buf, [e.flat].into_iter().collect()), l.n)?;
            all.push(self.of_each(&e, buf, value));
        }
        if all.len() == 1 {
            return Ok(all.remove(0));
        }
        // A list, as one item.
        let yes = self.cx.bool(true);
        Ok(Item::Cond(yes, Rc::new(all), Rc::new(Vec::new())))
    }

    /// Whether data name the place of the element that an iteration makes, whatever dimensions there are.
    fn is_named(&self, l: &Loop, buf: u32) -> bool {
        let all = l.after.get(&buf).and_then(|m| m.split_first());
        let [Item::Store(store)] = all.map_or(&[][..], |(_, all)| all) else {
            return false;
        };
        let names = self.cx.names_in(store.at);
        matches!(names[..], [(name, _)] if store.at == Nat::var(name))
    }

    /// The dimensions of a buffer, or all of them as one.
    fn extents(&mut self, buf: u32, as_one: bool) -> Res<Vec<Nat>> {
        let dims = self.dims(buf).into_iter().map(|d| self.nat(d));
        let dims = dims.collect::<Res<Vec<Nat>>>()?;
        Ok(match as_one {
            true => vec![dims.into_iter().fold(Nat::int(1), |all, d| all * d)],
            false => dims,
        })
    }

    fn element(&mut self, buf: u32, as_one: bool) -> Res<Element> {
        let dims = self.extents(buf, as_one)?;
        let any = |cx: &mut Values, n: &Nat| {
            let j = cx.symbol("element");
            cx.known.range(j, Nat::int(0), *n - Nat::int(1));
            j
        };
        let at: Vec<Symbol> = dims.iter().map(|d| any(&mut self.cx, d)).collect();
        let indices: Vec<Nat> = at.iter().map(|j| Nat::var(*j)).collect();
        Ok(Element {
            flat: linear(&dims, &indices),
            any: at.iter().copied().zip(dims.iter().copied()).collect(),
            dims,
            as_one,
            at,
            meets: Vec::new(),
            to: None,
        })
    }

    /// The only store to a buffer, of all of the dimensions over which its loops go, with these at the place of the element.
    fn one_store(&mut self, l: &Loop, part: u32, e: &mut Element) -> Res<(Store, Rewrite)> {
        let more = || Stuck::new("an iteration makes more than one element");
        let dims = self.extents(part, e.as_one)?;
        let all = match l.after.get(&part).and_then(|m| m.split_first()) {
            Some((Item::Start(of), all)) if *of == l.of && dims == e.dims => leaves(all),
            _ => return Err(more()),
        };
        let [leaf] = &all[..] else { return Err(more()) };
        let Item::Store(store) = &leaf.is else {
            return Err(more());
        };
        let mut loops: Vec<(Symbol, Nat)> = leaf.loops().collect();
        if leaf.path.iter().any(|a| matches!(a, Around::Cond(..))) {
            return Err(more());
        }
        let mark = self.cx.known.mark();
        assume_path(&mut self.cx, &leaf.path);
        let places = match loops.is_empty() && dims.len() == 1 {
            true => Some(vec![store.at]),
            false => coordinates(&mut self.cx, store.at, &dims),
        };
        self.cx.known.restore(mark);
        let places = places.filter(|p| p.len() == dims.len()).ok_or_else(more)?;
        let mut r = Rewrite::default();
        let mut to: Vec<Option<Nat>> = places.iter().copied().map(Some).collect();
        for ((to, d), j) in to.iter_mut().zip(&dims).zip(&e.at) {
            let own = |v: &Symbol| to.is_some_and(|c| c == Nat::var(*v));
            let own = loops.iter().position(|(v, _)| own(v));
            if let Some(i) = own.filter(|i| self.cx.known.equal(loops[*i].1, *d)) {
                r.vars.insert(loops.remove(i).0, Nat::var(*j));
                *to = None;
            }
        }
        // Of each row another place: that of the row of the element.
        for to in to.iter_mut().flatten() {
            *to = self.cx.rewrite_nat(&mut r, *to)?;
            if leaf.loops().any(|(v, _)| self.cx.mentions(*to, v)) {
                return Err(more());
            }
        }
        let same = |a: &Option<Nat>, b: &Option<Nat>| match (a, b) {
            (Some(a), Some(b)) => self.cx.known.equal(*a, *b),
            (a, b) => a.is_none() && b.is_none(),
        };
        let known = e.to.get_or_insert_with(|| to.clone());
        if !loops.is_empty() || !known.iter().zip(&to).all(|(a, b)| same(a, b)) {
            return Err(Stuck::new("an iteration makes elements at two places"));
        }
        Ok((store.clone(), r))
    }
}

impl Element {
    /// Only elements of these rows are made.
    fn keep_rows(&mut self, rows: &Shape) {
        let first = self.dims.len() - rows.dims.len();
        self.any.drain(..first);
        let at: Vec<Nat> = self.any.iter().map(|(j, _)| Nat::var(*j)).collect();
        self.flat = rows.base + linear(&rows.dims, &at);
    }

    /// Elements at other places than where all iterations store, as those of other rows, are made by none.
    fn narrow(&mut self, cx: &mut Values, l: &Loop) {
        let stays = |cx: &Values, to: Nat| {
            let of_data = cx.names_in(to);
            let by_state = of_data.iter().any(|(_, v)| !cx.cells(*v, l.of).is_empty());
            !cx.mentions(to, l.k) && !by_state
        };
        let to = self.to.clone().unwrap_or_default();
        if let [Some(at)] = to[..] {
            // What data adds to a place that stays.
            let names = cx.names_in(at).into_iter().map(|n| n.0);
            let moving: Vec<Symbol> = names.filter(|s| !stays(cx, Nat::var(*s))).collect();
            if let [s] = moving[..] {
                let base = at - Nat::var(s);
                let last = cx.known.range_of(s).filter(|r| r.0.as_int() == Some(0));
                if let Some((_, last)) = last.filter(|_| stays(cx, base)) {
                    let j = cx.symbol("element");
                    cx.known.range(j, Nat::int(0), last);
                    self.any = vec![(j, last + Nat::int(1))];
                    self.flat = base + Nat::var(j);
                    self.meets = vec![(Nat::var(s), Nat::var(j))];
                    return;
                }
            }
        }
        self.any.clear();
        let mut indices = Vec::new();
        for ((to, j), n) in to.into_iter().zip(&self.at).zip(&self.dims) {
            match to.filter(|to| stays(cx, *to)) {
                Some(to) => indices.push(to),
                None => {
                    indices.push(Nat::var(*j));
                    self.any.push((*j, *n));
                    self.meets.extend(to.map(|to| (to, Nat::var(*j))));
                }
            }
        }
        self.flat = linear(&self.dims, &indices);
    }

    /// Whether an iteration makes it.
    fn is_made(&self, cx: &mut Values) -> V {
        let all = self.meets.iter().map(|(to, at)| cx.is_at(*to, *at));
        let all: Vec<V> = all.collect();
        let yes = cx.bool(true);
        all.into_iter()
            .reduce(|a, b| cx.op(Op::And, Scalar::Bool, &[a, b]))
            .unwrap_or(yes)
    }
}
