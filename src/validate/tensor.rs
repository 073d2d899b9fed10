//! States each of whose elements is made of several others: iterated stencils, networks, substitution.
//!
//! In: what one step makes of an element at any place. Out: elements after any number of steps. Invariant: a tensor names its cells, its
//! step and its places by symbols that stand nowhere else, so that nothing is caught. Absent: reductions whose elements
//! stay where they are (`fold`), when two tensors are equal (`same`).

use super::fold::PARTS;
use super::known::Mark;
use super::node::nats;
use super::place::coordinates;
use super::rewrite::{OfCell, Rewrite};
use super::value::{Inside, Node, Part, Portion, Res, Shape, Tensor, Values, V};
use super::Stuck;
use crate::arith::Nat;
use crate::intern::Symbol;
use smallvec::SmallVec;
use std::rc::Rc;

type Place = SmallVec<[Nat; 2]>;

/// Elements that one is made of, itself with them, where they are few.
const BESIDE: usize = 4;

/// What a step begins with.
pub enum State {
    /// Cells and nothing else.
    Cells(OfCell),
    /// Values in which reductions may be.
    Values(OfCell),
}

/// The flat index of an element.
pub fn linear(dims: &[Nat], at: &[Nat]) -> Nat {
    dims.iter()
        .zip(at)
        .fold(Nat::int(0), |sum, (d, i)| sum * *d + *i)
}

impl Portion {
    /// The place of an element, as cells have it.
    pub fn place(&self, at: &[Nat]) -> Place {
        match self.flat {
            true => [self.base + linear(&self.dims, at)].into_iter().collect(),
            false => at.iter().copied().collect(),
        }
    }

    pub fn own_place(&self) -> Place {
        let at: Vec<Nat> = self.params.iter().map(|p| Nat::var(*p)).collect();
        self.place(&at)
    }

    /// The flat index of a place, from the first element on.
    pub fn flat_index(&self, at: &[Nat]) -> Nat {
        match self.flat {
            true => at.first().map_or(Nat::int(0), |n| *n - self.base),
            false => linear(&self.dims, at),
        }
    }

    /// The indices of an element.
    pub fn indices(&self, cx: &mut Values, at: &[Nat]) -> Res<Vec<Nat>> {
        if !self.flat {
            return Ok(at.to_vec());
        }
        let flat = self.flat_index(at);
        if self.dims.is_empty() {
            return Ok(Vec::new());
        }
        coordinates(cx, flat, &self.dims)
            .ok_or_else(|| Stuck::new(format!("{flat} is not shown to be an element of a state")))
    }
}

impl Tensor {
    pub fn part(&self, leaf: u32) -> Res<&Portion> {
        let part = self.parts.iter().find(|p| p.leaf == leaf);
        part.ok_or_else(|| Stuck::new("a part of a state that no step needs"))
    }
}

impl Values {
    /// An element of the state of a loop after n steps, whatever places its steps read.
    pub fn tensor(
        &mut self,
        (of, k, n): (u32, Symbol, Nat),
        (leaf, at): Part,
        next: &mut dyn FnMut(&mut Values, &Part) -> Res<V>,
        start: &mut dyn FnMut(&mut Values, &Part) -> Res<V>,
        shape: &mut dyn FnMut(&mut Values, u32) -> Option<Shape>,
    ) -> Res<V> {
        let key = |state: u64| (of, leaf, n, state);
        let known = { self.known.earlier() }.find_map(|s| self.tensors.get(&key(s)).cloned());
        if let Some(t) = known {
            return Ok(self.make(Node::Tensor(t, leaf, at)));
        }
        let mut make = |cx: &mut Values| {
            let made = cx.tensor_anew((of, k, n), leaf, next, start, shape)?;
            cx.tensors.insert(key(cx.known.state()), made.clone());
            Ok(made)
        };
        // One for all places where it is asked for, if that does.
        let t = match self.at_begin(&mut make) {
            Some(Ok(t)) => t,
            _ => make(self)?,
        };
        Ok(self.make(Node::Tensor(t, leaf, at)))
    }

    fn tensor_anew(
        &mut self,
        (of, k, n): (u32, Symbol, Nat),
        leaf: u32,
        next: &mut dyn FnMut(&mut Values, &Part) -> Res<V>,
        start: &mut dyn FnMut(&mut Values, &Part) -> Res<V>,
        shape: &mut dyn FnMut(&mut Values, u32) -> Option<Shape>,
    ) -> Res<Rc<Tensor>> {
        let (own, index) = (self.number(), self.symbol("step"));
        self.known.range(index, Nat::int(0), n - Nat::int(1));
        let (mut leaves, mut parts) = (vec![leaf], Vec::new());
        while let Some(leaf) = leaves.get(parts.len()).copied() {
            let Some(shape) = shape(self, leaf).filter(|_| leaves.len() <= PARTS) else {
                return Err(Stuck::new(
                    "a state of too many parts, or of an unknown size",
                ));
            };
            let mut part = self.portion(leaf, shape);
            let place = (leaf, part.own_place());
            let mark = self.known.mark();
            part.dims.iter().for_each(|d| self.known.positive(*d));
            let done = (|| {
                part.start = start(self, &place)?;
                // The steps before step k are no more than k, which says nothing about the first of them.
                if !self.mentions(n, k) {
                    self.known.positive(n);
                }
                let step = next(self, &place)?;
                for cell in self.cells(step, of).iter().copied() {
                    if let Node::Cell(_, leaf, _) = self.node(cell) {
                        if !leaves.contains(leaf) {
                            leaves.push(*leaf);
                        }
                    }
                }
                let mut r = Rewrite::default();
                r.vars.insert(k, Nat::var(index));
                r.cells = Some((of, cells_of(own)));
                part.step = self.rewrite(&mut r, step)?;
                Ok(())
            })();
            self.known.restore(mark);
            done?;
            parts.push(part);
        }
        Ok(Rc::new(Tensor {
            of: own,
            k: index,
            n,
            parts,
        }))
    }

    fn portion(&mut self, leaf: u32, shape: Shape) -> Portion {
        let of = |cx: &mut Values, d: &Nat| {
            let p = cx.symbol("p");
            cx.known.range(p, Nat::int(0), *d - Nat::int(1));
            p
        };
        let params = shape.dims.iter().map(|d| of(self, d)).collect();
        let none = self.make(Node::Undef);
        Portion {
            leaf,
            dims: shape.dims,
            flat: shape.flat,
            base: shape.base,
            params,
            start: none,
            step: none,
        }
    }

    pub fn rewrite_tensor(&mut self, r: &mut Rewrite, t: &Rc<Tensor>) -> Res<Rc<Tensor>> {
        let key = Rc::as_ptr(t) as usize;
        if let Some((_, done)) = r.tensors.get(&key) {
            return Ok(done.clone());
        }
        let mut new = (**t).clone();
        new.n = self.rewrite_nat(r, t.n)?;
        // What is known says something of steps when they are looked at: until then they are the same.
        let whole = self.make(Node::Tensor(t.clone(), u32::MAX, Place::new()));
        if !self.is_replaced(r, whole) {
            let new = if new == **t { t.clone() } else { Rc::new(new) };
            r.tensors.insert(key, (t.clone(), new.clone()));
            return Ok(new);
        }
        for p in &mut new.parts {
            for d in &mut p.dims {
                *d = self.rewrite_nat(r, *d)?;
            }
            p.base = self.rewrite_nat(r, p.base)?;
            p.start = self.rewrite(r, p.start)?;
            p.step = self.rewrite(r, p.step)?;
        }
        let new = if new == **t { t.clone() } else { Rc::new(new) };
        r.tensors.insert(key, (t.clone(), new.clone()));
        Ok(new)
    }

    /// Whether something in a value is replaced.
    pub fn is_replaced(&mut self, r: &mut Rewrite, v: V) -> bool {
        if !self.may_replace(r, v) {
            return false;
        }
        let inside = match self.parts_of.get(&v) {
            Some(known) => known.clone(),
            None => {
                let mut found = Inside::default();
                self.visit(v, &mut |v, node| {
                    found.all.insert(v);
                    nats(node).for_each(|n| found.vars.extend(n.vars().iter()));
                    if let Node::Cell(of, ..) = node {
                        found.cells.insert(*of);
                    }
                });
                self.parts_of.entry(v).or_insert(Rc::new(found)).clone()
            }
        };
        let cell_in = |of: &u32| inside.cells.contains(of);
        r.vars.keys().any(|s| inside.vars.contains(s))
            || r.cells.as_ref().is_some_and(|(of, _)| cell_in(of))
            || r.exact.keys().any(|v| match self.node(*v) {
                Node::Cell(of, ..) => cell_in(of),
                _ => inside.all.contains(v),
            })
    }

    /// An element after n steps, which may be none.
    fn element(&mut self, t: &Rc<Tensor>, leaf: u32, at: &[Nat]) -> Res<V> {
        match self.known.equal(t.n, Nat::int(0)) {
            true => self.first(t, leaf, at),
            false => Ok(self.make(Node::Tensor(t.clone(), leaf, at.iter().copied().collect()))),
        }
    }

    /// An element before the first step.
    pub fn first(&mut self, t: &Tensor, leaf: u32, at: &[Nat]) -> Res<V> {
        let p = t.part(leaf)?;
        let mut r = self.at_place(p, at, true)?;
        self.rewrite(&mut r, p.start)
    }

    /// An element after the last step, of which there is one.
    pub fn last(&mut self, t: &Rc<Tensor>, leaf: u32, at: &[Nat]) -> Res<V> {
        let n = self.simplify(t.n - Nat::int(1));
        let before = Rc::new(Tensor { n, ..(**t).clone() });
        let of: OfCell = Rc::new(move |cx, leaf, at| cx.element(&before, leaf, at));
        self.step_at(t, (leaf, at), n, State::Values(of))
    }

    /// Whether every step leaves an element as it is, as those of a border: then it is what it was at first.
    pub fn is_kept(&mut self, t: &Tensor, leaf: u32, at: &[Nat]) -> Res<bool> {
        let place: Place = at.iter().copied().collect();
        let key = (t.of, t.n, (leaf, place), self.known.state());
        if let Some(known) = self.kept.get(&key) {
            return Ok(*known);
        }
        let (of, k) = (self.number(), self.symbol("step"));
        self.known.range(k, Nat::int(0), t.n - Nat::int(1));
        let step = self.step_at(t, (leaf, at), Nat::var(k), State::Cells(cells_of(of)))?;
        let step = self.chosen(step);
        let kept = match self.node(step).clone() {
            Node::Cell(o, l, own) if (o, l) == (of, leaf) => self.same_places(&own, at)?,
            _ => false,
        };
        self.kept.insert(key, kept);
        Ok(kept)
    }

    /// An element as a reduction, if what a step makes of it is made of nothing but a few elements that stay where they are, as those of
    /// the border of two arrays.
    pub fn alone(&mut self, t: &Rc<Tensor>, leaf: u32, at: &[Nat]) -> Res<Option<V>> {
        let place: Place = at.iter().copied().collect();
        let key = (t.of, t.n, (leaf, place), self.known.state());
        if let Some(known) = self.lonely.get(&key) {
            return Ok(*known);
        }
        let mark = self.known.mark();
        let found = self.alone_anew(t, (leaf, at));
        self.known.restore(mark);
        let found = found?;
        self.lonely.insert(key, found);
        Ok(found)
    }

    fn alone_anew(&mut self, t: &Rc<Tensor>, (leaf, at): (u32, &[Nat])) -> Res<Option<V>> {
        let (of, k) = (self.number(), self.symbol("step"));
        self.known.range(k, Nat::int(0), t.n - Nat::int(1));
        let mut parts: Vec<(u32, Place)> = vec![(leaf, at.iter().copied().collect())];
        let (mut starts, mut steps, mut exact) = (Vec::new(), Vec::new(), Vec::new());
        while let Some((leaf, at)) = parts.get(steps.len()).cloned() {
            starts.push(self.first(t, leaf, &at)?);
            let mark = self.known.mark();
            self.known.positive(t.n);
            let step = self.step_at(t, (leaf, &at), Nat::var(k), State::Cells(cells_of(of)));
            self.known.restore(mark);
            let step = step?;
            for cell in self.cells(step, of).iter().copied() {
                let Node::Cell(_, leaf, own) = self.node(cell).clone() else {
                    continue;
                };
                let mut place = None;
                for (j, p) in parts.iter().enumerate() {
                    if place.is_none() && p.0 == leaf && self.same_places(&p.1, &own)? {
                        place = Some(j);
                    }
                }
                let j = place.unwrap_or(parts.len());
                if j == parts.len() {
                    parts.push((leaf, own.clone()));
                }
                if parts.len() > BESIDE || own.iter().any(|n| self.mentions(*n, k)) {
                    return Ok(None);
                }
                exact.push((cell, j as u32));
            }
            steps.push(step);
        }
        self.closed(t.n, (starts, steps, 0), k, &exact).map(Some)
    }

    /// What a step makes of a state.
    pub fn step_at(&mut self, t: &Tensor, (leaf, at): (u32, &[Nat]), k: Nat, of: State) -> Res<V> {
        let p = t.part(leaf)?;
        let (of, plain) = match of {
            State::Cells(of) => (of, !self.is_bound(k)),
            State::Values(of) => (of, false),
        };
        let mut r = self.at_place(p, at, plain)?;
        r.vars.insert(t.k, k);
        r.cells = Some((t.of, of));
        self.rewrite(&mut r, p.step)
    }

    /// The indices of an element in place of its parameters. Where no reduction comes in, nor the index of one, none is opened.
    fn at_place(&mut self, p: &Portion, at: &[Nat], plain: bool) -> Res<Rewrite> {
        let at = p.indices(self, at)?;
        let mut r = match plain && !at.iter().any(|n| self.is_bound(*n)) {
            true => Rewrite::default(),
            false => Rewrite::opening(),
        };
        r.vars.extend(p.params.iter().copied().zip(at));
        Ok(r)
    }

    /// Looks at something where no more is assumed than where the last comparison began, if there is one.
    pub fn at_begin<T>(&mut self, look: impl FnOnce(&mut Values) -> T) -> Option<T> {
        let begin = *self.begins.last()?;
        Some(self.at_mark(begin, look))
    }

    /// The same, where no more is assumed than of all elements of a result.
    pub fn where_nothing_is_assumed<T>(
        &mut self,
        look: impl FnOnce(&mut Values) -> T,
    ) -> Option<T> {
        let base = self.base?;
        Some(self.at_mark(base, look))
    }

    pub fn at_mark<T>(&mut self, begin: Mark, look: impl FnOnce(&mut Values) -> T) -> T {
        let (since, anew) = (self.known.go_back(begin), std::mem::take(&mut self.anew));
        let found = look(self);
        self.known.restore(begin);
        self.known.come_back(since);
        self.anew = anew;
        found
    }

    /// The names of the cells of two states that are compared, so deep inside of others.
    pub fn compared_cells(&mut self, depth: usize) -> (u32, u32) {
        while self.compared.len() <= depth {
            let names = (self.number(), self.number());
            self.compared.push(names);
        }
        self.compared[depth]
    }

    /// An index below `n` of states that are compared, by its number.
    pub fn compared_index(&mut self, number: u32, n: Nat) -> Nat {
        let key = (self.relations.len(), number, n);
        let s = match self.compared_indices.get(&key) {
            Some(known) => *known,
            None => {
                let s = self.symbol("x");
                self.known.range(s, Nat::int(0), n - Nat::int(1));
                self.compared_indices.insert(key, s);
                s
            }
        };
        Nat::var(s)
    }

    /// The same state, in steps of several, with some before the first of these.
    pub fn in_steps_of(&mut self, t: &Rc<Tensor>, first: Nat, n: Nat, by: i64) -> Res<Rc<Tensor>> {
        let key = |state: u64| (t.clone(), (first, n), by, state);
        let known = { self.known.earlier() }.find_map(|s| self.in_steps.get(&key(s)).cloned());
        if let Some(known) = known {
            return Ok(known);
        }
        let make = |cx: &mut Values| {
            let made = cx.in_steps_anew(t, first, n, by)?;
            cx.in_steps.insert(key(cx.known.state()), made.clone());
            Ok(made)
        };
        match self.at_begin(make) {
            Some(Ok(made)) => Ok(made),
            _ => make(self),
        }
    }

    fn in_steps_anew(&mut self, t: &Rc<Tensor>, first: Nat, n: Nat, by: i64) -> Res<Rc<Tensor>> {
        let (of, k) = (self.number(), self.symbol("step"));
        self.known.range(k, Nat::int(0), n - Nat::int(1));
        let before = Rc::new(Tensor {
            n: first,
            ..(**t).clone()
        });
        let mut parts = Vec::new();
        for p in &t.parts {
            // The start is made of the same tensor, which has the names of the old indices.
            let shape = Shape {
                dims: p.dims.clone(),
                flat: p.flat,
                base: p.base,
            };
            let mut p = self.portion(p.leaf, shape);
            let place = p.own_place();
            let mark = self.known.mark();
            p.dims.iter().for_each(|d| self.known.positive(*d));
            let begin = self.element(&before, p.leaf, &place);
            self.known.positive(n);
            let from = first + Nat::int(by) * Nat::var(k);
            let step = stage(self, t, (from, by), of, p.leaf, &place);
            self.known.restore(mark);
            (p.start, p.step) = (begin?, step?);
            parts.push(p);
        }
        Ok(Rc::new(Tensor { of, k, n, parts }))
    }
}

/// An element after so many steps from a state that is not known.
fn stage(
    cx: &mut Values,
    t: &Rc<Tensor>,
    (from, i): (Nat, i64),
    of: u32,
    leaf: u32,
    at: &[Nat],
) -> Res<V> {
    if i == 0 {
        return Ok(cx.make(Node::Cell(of, leaf, at.iter().copied().collect())));
    }
    let (all, last) = (t.clone(), i - 1);
    let before: OfCell = Rc::new(move |cx, leaf, at| stage(cx, &all, (from, last), of, leaf, at));
    let before = match last {
        0 => State::Cells(before),
        _ => State::Values(before),
    };
    cx.step_at(t, (leaf, at), from + Nat::int(last), before)
}

/// The same cells, of another loop.
fn cells_of(own: u32) -> OfCell {
    Rc::new(move |cx, leaf, at| Ok(cx.make(Node::Cell(own, leaf, at.iter().copied().collect()))))
}
