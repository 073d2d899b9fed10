//! Reductions: what a loop makes of its state.
//!
//! In: what one step does. Out: values after any number of steps, the same reduction in other loops. Invariant: see Note [Cells] of
//! `value`. Absent: states whose elements are made of others (`tensor`), when two reductions are equal (`same`).

use super::node::{numbered, values};
use super::rewrite::Rewrite;
use super::value::{Fold, Node, Part, Res, Shape, Values, BOUND, V};
use super::written::{places_said, WRITTEN_OUT};
use super::Stuck;
use crate::arith::{AtomKind, Nat};
use crate::intern::Symbol;
use crate::term::Op;
use crate::ty::Scalar;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// Parts of the state that one part needs, at most.
pub const PARTS: usize = 16;
/// Operations in a step of constants, at most.
const NODES: usize = 32;

/// Whether there are as many steps as the smaller one of 1 and another number.
fn is_once_at_most(n: Nat) -> bool {
    let one = Nat::int(1);
    n.as_atom()
        .is_some_and(|n| matches!(n.kind(), AtomKind::Min(a, b) if a == one || b == one))
}

impl Values {
    /// Looks at the steps with names for the state and the index, which is below `n`. Inside of it other names are given; afterwards the
    /// same come back, so that what was found about them is found again.
    pub fn opened<T>(
        &mut self,
        f: &Fold,
        n: Nat,
        look: impl FnOnce(&mut Values, (&[V], Symbol, &[V])) -> Res<T>,
    ) -> Res<T> {
        let around = self.open;
        self.open += 1;
        let (of, k) = self.open_names(around, n);
        let cells = self.cells_of(f, of);
        let steps = self.stepped(f, &cells, Nat::var(k));
        let done = steps.and_then(|steps| look(self, (&cells, k, &steps)));
        self.open = around;
        done
    }

    /// The number of a state and the name of an index below `n`, so deep inside of others.
    fn open_names(&mut self, around: usize, n: Nat) -> (u32, Symbol) {
        if let Some(known) = self.open_names.get(&(around, n)) {
            return *known;
        }
        let names = (self.number(), self.symbol("o"));
        self.known.range(names.1, Nat::int(0), n - Nat::int(1));
        self.open_names.insert((around, n), names);
        names
    }

    pub fn closed(
        &mut self,
        n: Nat,
        (starts, steps, which): (Vec<V>, Vec<V>, u32),
        k: Symbol,
        cells: &[(V, u32)],
    ) -> Res<V> {
        // Parts that no step needs are not told, and the others in the order in which they are needed; those that are always the same
        // are one.
        let order = self.needed(&steps, which, cells);
        let same = self.alike(&order, (&starts, &steps), cells)?;
        let kept: Vec<u32> = (order.iter().zip(&same).enumerate())
            .filter(|(i, (_, first))| i == *first)
            .map(|(_, (j, _))| *j)
            .collect();
        let place = |j: u32| {
            let first = same[order.iter().position(|o| *o == j)?];
            kept.iter().position(|o| *o == order[first])
        };
        let starts: Vec<V> = kept.iter().map(|j| starts[*j as usize]).collect();
        let mut steps: Vec<V> = kept.iter().map(|j| steps[*j as usize]).collect();
        let all = steps.iter().chain(&starts);
        let depth = 1 + all.map(|v| self.depth(*v)).max().unwrap_or(0);
        let mut r = Rewrite::default();
        for (cell, j) in cells {
            if let Some(j) = place(*j) {
                let acc = self.make(Node::Acc(depth, j as u32));
                r.put(self, *cell, acc);
            }
        }
        let inner = self.step_index(depth, n);
        r.vars.insert(k, Nat::var(inner));
        for v in &mut steps {
            *v = self.rewrite(&mut r, *v)?;
        }
        Ok(self.folded(Fold {
            depth,
            n,
            starts,
            steps,
            which: 0,
        }))
    }

    /// Parts that start alike and of which every step makes the same, if it is the same of them before, are one: of each the first
    /// that is the same.
    fn alike(
        &mut self,
        order: &[u32],
        (starts, steps): (&[V], &[V]),
        cells: &[(V, u32)],
    ) -> Res<Vec<usize>> {
        let firsts = |of: &[(usize, V)]| -> Vec<usize> {
            let first = |key| of.iter().position(|other| other == key).unwrap_or(0);
            of.iter().map(first).collect()
        };
        let all: Vec<_> = order.iter().map(|j| (0, starts[*j as usize])).collect();
        let mut same = firsts(&all);
        while same.iter().enumerate().any(|(i, first)| i != *first) {
            let (of, mut r) = (self.number(), Rewrite::default());
            for (cell, j) in cells {
                if let Some(i) = order.iter().position(|o| o == j) {
                    let one = Node::Cell(of, same[i] as u32, SmallVec::new());
                    let one = self.make(one);
                    r.put(self, *cell, one);
                }
            }
            let mut all = Vec::new();
            for (i, j) in order.iter().enumerate() {
                all.push((same[i], self.rewrite(&mut r, steps[*j as usize])?));
            }
            let now = firsts(&all);
            if now == same {
                break;
            }
            same = now;
        }
        Ok(same)
    }

    /// The parts that one of them depends on, itself first.
    fn needed(&self, steps: &[V], which: u32, cells: &[(V, u32)]) -> Vec<u32> {
        let parts: FxHashMap<V, u32> = cells.iter().copied().collect();
        let mut order = vec![which];
        let mut next = 0;
        while let Some(j) = order.get(next) {
            let mut found = Vec::new();
            self.visit(steps[*j as usize], &mut |v, _| {
                found.extend(parts.get(&v).filter(|j| !order.contains(j)));
            });
            for j in found {
                if !order.contains(&j) {
                    order.push(j);
                }
            }
            next += 1;
        }
        order
    }

    /// The index of the steps of a reduction.
    pub fn step_index(&mut self, depth: u32, n: Nat) -> Symbol {
        let s = Symbol::new(&format!("{BOUND}{depth}_{}", n.id()));
        self.known.range_once(s, Nat::int(0), n - Nat::int(1));
        s
    }

    /// Whether a number says which step of a reduction it is of.
    pub fn is_step_index(&mut self, n: Nat, f: &Fold) -> bool {
        let k = self.step_index(f.depth, f.n);
        self.mentions(n, k)
    }

    pub fn folded(&mut self, f: Fold) -> V {
        let part = f.which as usize;
        // What every step leaves as it is, or makes of nothing what it is already.
        let kept = *self.node(f.steps[part]) == Node::Acc(f.depth, f.which)
            || f.steps[part] == f.starts[part];
        if kept || f.n.as_int() == Some(0) {
            return f.starts[part];
        }
        // One step, or the last one, which asks for none before it.
        let last = f.n - Nat::int(1);
        let alone = last == Nat::int(0)
            || !self.has_state(f.steps[part], f.depth) && self.known.at_least(last, Nat::int(0));
        let step = alone.then(|| self.stepped(&f, &f.starts, last));
        match step {
            Some(Ok(steps)) => steps[part],
            _ if is_once_at_most(f.n) => self.once_at_most(&f, part),
            _ => match self.written_out(&f) {
                Some(v) => v,
                None => match self.without_fixed(&f) {
                    Ok(Some(v)) => v,
                    _ => match self.without_loop(&f) {
                        Ok(Some(v)) => v,
                        _ => self.make(Node::Fold(Rc::new(f))),
                    },
                },
            },
        }
    }

    /// Of a step that there may be: what it makes of the start, or the start, as a loop program chooses, too.
    fn once_at_most(&mut self, f: &Fold, part: usize) -> V {
        let Ok(steps) = self.stepped(f, &f.starts, Nat::int(0)) else {
            return self.make(Node::Fold(Rc::new(f.clone())));
        };
        let some = self.compare(Op::Lt, Nat::int(0), f.n);
        self.op(
            Op::Select,
            Scalar::Bool,
            &[some, steps[part], f.starts[part]],
        )
    }

    /// What a few steps make of constants, if that are constants.
    fn written_out(&mut self, f: &Fold) -> Option<V> {
        let all = |cx: &Values, of: &[V]| of.iter().all(|v| cx.is_constant(*v));
        let made = |v: &V| self.is_made_of_constants(*v, f.depth, NODES);
        if !all(self, &f.starts) || !f.steps.iter().all(made) {
            return None;
        }
        // Of any number of steps, if they change nothing.
        let index = self.step_index(f.depth, f.n);
        if *self.stepped(f, &f.starts, Nat::var(index)).ok()? == *f.starts {
            return Some(f.starts[f.which as usize]);
        }
        let n = f.n.as_int().filter(|n| (1..=WRITTEN_OUT).contains(n))?;
        let mut state = f.starts.clone();
        for i in 0..n {
            state = self.stepped(f, &state, Nat::int(i)).ok()?.to_vec();
            if !all(self, &state) {
                return None;
            }
        }
        Some(state[f.which as usize])
    }

    fn is_constant(&self, v: V) -> bool {
        match self.node(v) {
            Node::Lit(..) => true,
            Node::Idx(n) => n.as_int().is_some(),
            _ => false,
        }
    }

    /// Whether a step of a reduction that is so deep is computed of constants, its state and its index, by few operations.
    fn is_made_of_constants(&self, v: V, depth: u32, nodes: usize) -> bool {
        let mut open = vec![v];
        for _ in 0..nodes {
            let Some(v) = open.pop() else {
                return true;
            };
            match self.node(v) {
                Node::Lit(..) | Node::Idx(_) => {}
                Node::Acc(of, _) if *of == depth => {}
                node @ (Node::Op(..) | Node::Cast(..)) => open.extend(values(node)),
                _ => return false,
            }
        }
        false
    }

    /// Without the parts of a state that no step changes: they are what they are at first.
    fn without_fixed(&mut self, f: &Fold) -> Res<Option<V>> {
        let (mut fixed, parts) = (Vec::new(), f.starts.iter().zip(&f.steps));
        for (j, (start, step)) in (0..).zip(parts) {
            if step == start || *self.node(*step) == Node::Acc(f.depth, j) {
                fixed.push((j as usize, *start));
            }
        }
        if fixed.is_empty() {
            return Ok(None);
        }
        let written = self.opened(f, f.n, |cx, (cells, k, steps)| {
            let mut r = Rewrite::opening();
            for (j, start) in &fixed {
                r.put(cx, cells[*j], *start);
            }
            let steps = cx.rewrite_all(&mut r, steps)?;
            cx.closed(f.n, (f.starts.clone(), steps, f.which), k, &numbered(cells))
        });
        written.map(Some)
    }

    /// The part that a reduction is, of which the others that do not need it are reductions by themselves: a scan of as many steps as were
    /// made. Nothing, if it has none such.
    pub fn by_itself(&mut self, f: &Fold) -> Res<Option<V>> {
        self.opened(f, f.n, |cx, (cells, k, steps)| {
            let all = numbered(cells);
            let (mut r, mut found) = (Rewrite::opening(), false);
            for (cell, j) in &all {
                let needed = cx.needed(steps, *j, &all);
                if *j == f.which || needed.contains(&f.which) {
                    continue;
                }
                let count = Nat::var(k);
                let before = cx.opened(f, count, |cx, (own, l, steps)| {
                    let state = (f.starts.clone(), steps.to_vec(), *j);
                    cx.closed(count, state, l, &numbered(own))
                })?;
                r.put(cx, *cell, before);
                found = true;
            }
            if !found {
                return Ok(None);
            }
            let steps = cx.rewrite_all(&mut r, steps)?;
            let state = (f.starts.clone(), steps, f.which);
            cx.closed(f.n, state, k, &all).map(Some)
        })
    }

    /// What a part of the state is after n steps of loop `of` with index `k`: see Note [Cells].
    pub fn fold(
        &mut self,
        (of, k, n): (u32, Symbol, Nat),
        part: Part,
        next: &mut dyn FnMut(&mut Values, &Part) -> Res<V>,
        start: &mut dyn FnMut(&mut Values, &Part) -> Res<V>,
        shape: &mut dyn FnMut(&mut Values, u32) -> Option<Shape>,
    ) -> Res<V> {
        if n.as_int() == Some(0) {
            return start(self, &part);
        }
        let array = (of, part.0);
        if !self.spread.contains(&array) {
            let found = self.fold_of_parts((of, k, n), part.clone(), next, start);
            // What ends all is no reason to begin anew.
            if found.is_ok() || self.spend(1).is_err() {
                return found;
            }
        }
        self.tensor((of, k, n), part, next, start, shape)
    }

    /// The same, where each part is made of few others, at places that stay.
    fn fold_of_parts(
        &mut self,
        (of, k, n): (u32, Symbol, Nat),
        part: Part,
        next: &mut dyn FnMut(&mut Values, &Part) -> Res<V>,
        start: &mut dyn FnMut(&mut Values, &Part) -> Res<V>,
    ) -> Res<V> {
        let mut parts = vec![part];
        let (mut steps, mut exact): (Vec<V>, Vec<(V, u32)>) = (Vec::new(), Vec::new());
        while steps.len() < parts.len() {
            let own = parts[steps.len()].clone();
            // What is bound by a reduction inside of the step is another place in each of its steps.
            if own
                .1
                .iter()
                .any(|n| self.mentions(*n, k) || self.is_bound(*n))
            {
                return Err(Stuck::new(
                    "an iteration depends on another place of the state than its own",
                ));
            }
            let mut step = next(self, &own)?;
            if own.1.iter().all(|n| n.as_int().is_some()) {
                step = places_said(self, step, of)?;
            }
            let inner = self.parameters(step);
            for cell in self.cells(step, of).iter().copied() {
                let Node::Cell(_, leaf, at) = self.node(cell).clone() else {
                    continue;
                };
                // What an inner loop reads at each of its own places is no one place.
                let inside = |n: &Nat| inner.iter().any(|p| self.mentions(*n, *p));
                if at.iter().any(inside) {
                    return Err(Stuck::new(
                        "an iteration depends on all places that a loop in it goes over",
                    ));
                }
                let mut place = None;
                for (j, p) in parts.iter().enumerate() {
                    if p.0 == leaf && self.same_places(&p.1, &at)? {
                        place = Some(j);
                        break;
                    }
                }
                let j = place.unwrap_or(parts.len());
                if j == parts.len() {
                    parts.push((leaf, at));
                }
                if parts.len() > PARTS {
                    self.spread.insert((of, parts[0].0));
                    return Err(Stuck::new(
                        "an element of the state depends on many others, step by step",
                    ));
                }
                exact.push((cell, j as u32));
            }
            steps.push(step);
        }
        let mut starts = Vec::new();
        for p in &parts {
            starts.push(start(self, p)?);
        }
        self.closed(n, (starts, steps, 0), k, &exact)
    }

    pub fn same_places(&mut self, a: &[Nat], b: &[Nat]) -> Res<bool> {
        self.spend(1)?;
        Ok(a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.known.equal(*a, *b)))
    }

    /// A part of the state after n steps, the first of which is step `from`.
    pub fn steps_of(
        &mut self,
        f: &Fold,
        starts: Vec<V>,
        (from, n): (Nat, Nat),
        which: u32,
    ) -> Res<V> {
        if self.known.equal(n, Nat::int(0)) {
            return Ok(starts[which as usize]);
        }
        let around = self.open;
        self.open += 1;
        let (of, k) = self.open_names(around, n);
        let cells = self.cells_of(f, of);
        let steps = self.stepped(f, &cells, from + Nat::var(k));
        let closed =
            steps.and_then(|s| self.closed(n, (starts, s.to_vec(), which), k, &numbered(&cells)));
        self.open = around;
        closed
    }

    /// As many steps as `outer` times `inner`, as a reduction of reductions.
    pub fn nested(&mut self, f: &Fold, outer: Nat, inner: Nat) -> Res<V> {
        let (around, cells) = (self.state(f), self.state(f));
        let (o, i) = (self.symbol("o"), self.symbol("i"));
        self.known.range(o, Nat::int(0), outer - Nat::int(1));
        self.known.range(i, Nat::int(0), inner - Nat::int(1));
        let mark = self.known.mark();
        self.known.positive(outer);
        self.known.positive(inner);
        let steps = self.stepped(f, &cells, inner * Nat::var(o) + Nat::var(i));
        self.known.restore(mark);
        let steps = steps?;
        let of = |cx: &mut Values, j: u32| {
            let state = (around.clone(), steps.to_vec(), j);
            cx.closed(inner, state, i, &numbered(&cells))
        };
        let all = (0..steps.len() as u32)
            .map(|j| of(self, j))
            .collect::<Res<Vec<V>>>()?;
        self.closed(
            outer,
            (f.starts.clone(), all, f.which),
            o,
            &numbered(&around),
        )
    }

    /// As many steps as `outer` times `by`, where those that are taken at once are written out: a part that comes back to where it was
    /// after so many needs none of those where it was between them.
    pub fn unrolled(&mut self, f: &Fold, outer: Nat, by: i64) -> Res<V> {
        let cells = self.state(f);
        let o = self.symbol("o");
        self.known.range(o, Nat::int(0), outer - Nat::int(1));
        let mark = self.known.mark();
        self.known.positive(outer);
        let first = Nat::int(by) * Nat::var(o);
        let all = (0..by).try_fold(cells.clone(), |before, i| {
            Ok(self.stepped(f, &before, first + Nat::int(i))?.to_vec())
        });
        self.known.restore(mark);
        let state = (f.starts.clone(), all?, f.which);
        self.closed(outer, state, o, &numbered(&cells))
    }

    /// Names for a state that is not known.
    pub fn state(&mut self, f: &Fold) -> Vec<V> {
        let of = self.number();
        self.cells_of(f, of)
    }

    fn cells_of(&mut self, f: &Fold, of: u32) -> Vec<V> {
        (0..f.steps.len() as u32)
            .map(|j| self.make(Node::Cell(of, j, SmallVec::new())))
            .collect()
    }

    /// All parts of the state after one more step than `before`, and the index of that step.
    pub fn stepped(&mut self, f: &Fold, before: &[V], k: Nat) -> Res<Rc<[V]>> {
        let here = (self.known.state(), self.anew);
        let key = (f.steps.clone(), (f.depth, f.n), before.to_vec(), k, here);
        if let Some(known) = self.steps.get(&key) {
            return Ok(known.clone());
        }
        let mut r = Rewrite::of_state(self, f.depth, before);
        if self.is_bound(k) {
            r.opens();
        }
        let index = self.step_index(f.depth, f.n);
        r.vars.insert(index, k);
        let steps: Rc<[V]> = self.rewrite_all(&mut r, &f.steps)?.into();
        self.steps.insert(key, steps.clone());
        Ok(steps)
    }
}
