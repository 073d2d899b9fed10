//! Loops of a loop program: what they leave behind.
//!
//! In: a loop whose body was run once, for any iteration. Out: what lies in buffers and variables after all of them; the
//! obligation that iterations which run in any order touch nothing of each other. Invariant: see Note [Cells] of `value`.
//! Absent: what an iteration does.

use super::disjoint::disjoint;
use super::items::{each_value, leaves, Around, Item, Store};
use super::machine::{lane, Lanes, Machine, Read, Var};
use super::memory::{own, read};
use super::parts::choice;
use super::rewrite::Rewrite;
use super::shapes::Shapes;
use super::value::{cell_bit, Node, Part, Res, Shape, Values, V};
use super::{Obligation, Stuck};
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::nest::{walk, Block, Expr, LoopKind, Stmt, StorageClass};
use crate::term::Op;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

/// What a loop began and ended with.
pub struct Loop {
    pub of: u32,
    pub k: Symbol,
    pub n: Nat,
    assigned: Vec<Symbol>,
    vars_before: FxHashMap<Symbol, Var>,
    pub vars_after: FxHashMap<Symbol, Var>,
    pub before: FxHashMap<u32, Vec<Item>>,
    pub after: FxHashMap<u32, Vec<Item>>,
    /// Of the parts of its state.
    shapes: OnceCell<Rc<Shapes>>,
    /// What lies in buffers that are filled plainly when an iteration begins.
    pub earlier: RefCell<FxHashMap<u32, Rc<Vec<Item>>>>,
}

impl Machine<'_> {
    pub fn run_loop(&mut self, var: Symbol, extent: Nat, kind: LoopKind, body: &Block) -> Res<()> {
        let n = self.nat(extent)?;
        if n.as_int().is_some_and(|n| n <= 0) {
            return Ok(());
        }
        let any_order = matches!(
            kind,
            LoopKind::Par | LoopKind::Lanes | LoopKind::Independent
        );
        if self.once(n) {
            // It is a choice.
            let cond = Expr::compare(Op::Lt, Nat::int(0), extent);
            self.names.insert(var, Nat::int(0));
            self.parallel += usize::from(any_order);
            let done = self.choice(&cond, body, &Vec::new());
            self.parallel -= usize::from(any_order);
            self.names.remove(&var);
            return done;
        }
        let (of, k) = (self.cx.number(), self.cx.symbol(var.as_str()));
        let stored = self.stored(body);
        let mut before = FxHashMap::default();
        for b in &stored {
            if let Some(list) = self.memory.get_mut(b) {
                before.insert(*b, std::mem::replace(list, vec![Item::Start(of)]));
            }
        }
        self.loads.clear();
        let assigned = self.assigned(body);
        let vars_before = std::mem::take(&mut self.vars);
        self.vars = self.entered(&vars_before, of, &assigned);
        let live = self.live.clone();
        let mark = self.cx.known.mark();
        self.cx.known.positive(n);
        // Whoever has the iteration knows that there is one: then a bound may be simpler.
        let most = self.cx.simplify(n) - Nat::int(1);
        self.cx.known.range(k, Nat::int(0), most);
        self.names.insert(var, Nat::var(k));
        self.around.push(var);
        self.parallel += usize::from(any_order);
        let ran = self.block(body);
        self.parallel -= usize::from(any_order);
        self.around.pop();
        self.names.remove(&var);
        ran?;
        let mut after = FxHashMap::default();
        for b in &stored {
            let was = before.get(b).cloned();
            let list = match was {
                Some(list) => self.memory.insert(*b, list),
                None => self.memory.remove(b),
            };
            after.insert(*b, list.unwrap_or_default());
        }
        let vars_after = std::mem::replace(&mut self.vars, vars_before.clone());
        self.loads.clear();
        let mut done = Loop {
            of,
            k,
            n,
            assigned,
            vars_before,
            vars_after,
            before,
            after,
            shapes: OnceCell::new(),
            earlier: RefCell::default(),
        };
        let place = format!("the loop over {var}");
        let settled = self.settle(&mut done);
        if any_order {
            let met = self.independent(&done, &live);
            self.owe(Obligation::Disjoint, &place, met);
        }
        // Afterwards there may have been none.
        self.cx.known.restore(mark);
        settled.and_then(|()| self.leave(&mut done, &live))
    }

    /// Where there is an iteration.
    pub fn inside_of<T>(&mut self, l: &Loop, look: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.cx.known.mark();
        self.cx.known.positive(l.n);
        let found = look(self);
        self.cx.known.restore(mark);
        found
    }

    /// Whether a loop has no second iteration.
    fn once(&mut self, n: Nat) -> bool {
        let mark = self.cx.known.mark();
        self.cx.known.positive(n);
        let once = self.cx.simplify(n).as_int() == Some(1);
        self.cx.known.restore(mark);
        once
    }

    /// Buffers that the body stores to.
    fn stored(&self, body: &Block) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        walk::each_stmt(body, &mut |s| {
            if let Stmt::Store { buf, .. } = s {
                found.insert(self.nest.root(*buf).0);
            }
        });
        found
    }

    /// Variables that the body assigns and that are declared outside of it.
    fn assigned(&self, body: &Block) -> Vec<Symbol> {
        let mut found = Vec::new();
        walk::each_stmt(body, &mut |s| {
            if let Stmt::Assign { var, .. } = s {
                if self.vars.contains_key(var) && !found.contains(var) {
                    found.push(*var);
                }
            }
        });
        found
    }

    fn entered(
        &mut self,
        before: &FxHashMap<Symbol, Var>,
        of: u32,
        assigned: &[Symbol],
    ) -> FxHashMap<Symbol, Var> {
        let mut vars = before.clone();
        for name in assigned {
            let number = self.number(*name);
            if let Some(v) = vars.get_mut(name) {
                let l = match v.lanes {
                    1 => Nat::int(0),
                    n => lane(&mut self.cx, n),
                };
                let cell = Node::Cell(of, number, [l].into_iter().collect());
                // Even where nothing was assigned yet: then its start is missing, if it is asked for.
                if v.value.is_none() {
                    self.unset.insert((of, number));
                }
                v.value = Some(Lanes::Each(self.cx.make(cell)));
            }
        }
        vars
    }

    fn number(&mut self, name: Symbol) -> u32 {
        let next = (self.nest.buffers.len() + self.numbers.len()) as u32;
        *self.numbers.entry(name).or_insert(next)
    }

    /// What a part of the state is after an iteration, or before the first, if there is one.
    fn part(&mut self, l: &Loop, part: &Part, after: bool) -> Res<V> {
        match after {
            true => self.inside_of(l, |machine| machine.part_of(l, part, true)),
            false => self.part_of(l, part, false),
        }
    }

    fn part_of(&mut self, l: &Loop, part: &Part, after: bool) -> Res<V> {
        let (leaf, at) = part;
        let (vars, memory) = match after {
            true => (&l.vars_after, &l.after),
            false => (&l.vars_before, &l.before),
        };
        let name = self.numbers.iter().find(|n| n.1 == leaf).map(|n| *n.0);
        let Some(name) = name else {
            let items = memory.get(leaf).map_or(&[][..], |m| m);
            return read(&mut self.cx, *leaf, items, at[0]);
        };
        let Some(Var {
            value: Some(v),
            lanes,
            ..
        }) = vars.get(&name).cloned()
        else {
            return Err(Stuck::new(format!(
                "`{name}` may be read before it is assigned"
            )));
        };
        match (v, at[0].as_int()) {
            (Lanes::Bad(why), _) => Err(why),
            (Lanes::Each(v), Some(i)) => self.lane_of(v, lanes, i as u32),
            (Lanes::Each(v), None) => Ok(v),
            (Lanes::All(vs), Some(i)) => {
                let v = vs.get(i as usize).copied();
                v.ok_or_else(|| Stuck::new("a lane that is not there"))
            }
            (Lanes::All(_), None) => Err(Stuck::new("lanes differ")),
        }
    }

    /// A part of the state after n iterations.
    pub fn after(&mut self, l: &Loop, part: Part, n: Nat) -> Res<V> {
        let shapes = self.shapes(l);
        let mut cx = std::mem::take(&mut self.cx);
        let place = std::cell::RefCell::new(self);
        let mut with = |cx: &mut Values, part: &Part, after: bool| {
            let mut machine = place.borrow_mut();
            std::mem::swap(cx, &mut machine.cx);
            let own = (shapes.whole(part.0), part.1.clone());
            let v = machine.part(l, &own, after);
            std::mem::swap(cx, &mut machine.cx);
            shapes.by_rows(cx, l.of, v?)
        };
        let with = std::cell::RefCell::new(&mut with);
        let leaf = (part.1.first()).map_or(part.0, |at| shapes.leaf(&mut cx, part.0, *at));
        let part = (leaf, part.1);
        let v = cx.fold(
            (l.of, l.k, n),
            part,
            &mut |cx, p| with.borrow_mut()(cx, p, true),
            &mut |cx, p| with.borrow_mut()(cx, p, false),
            &mut |_, leaf| shapes.get(leaf).cloned(),
        );
        let machine = place.into_inner();
        machine.cx = cx;
        v
    }

    /// How long the parts of its state are.
    pub fn shapes(&mut self, l: &Loop) -> Rc<Shapes> {
        if let Some(known) = l.shapes.get() {
            return known.clone();
        }
        let mut all = Shapes::default();
        for b in l.after.keys() {
            let dims = self.dims(*b);
            if let Ok(dims) = dims.into_iter().map(|d| self.nat(d)).collect() {
                self.inside_of(l, |m| m.rows_of(l, *b, dims, &mut all));
            }
        }
        for (name, number) in &self.numbers {
            let lanes = l.vars_before.get(name).map(|v| i64::from(v.lanes));
            let dims = match lanes {
                Some(1) => Vec::new(),
                Some(n) => vec![Nat::int(n)],
                None => continue,
            };
            let whole = Shape {
                dims,
                flat: true,
                base: Nat::int(0),
            };
            all.insert(*number, whole);
        }
        l.shapes.get_or_init(|| Rc::new(all)).clone()
    }

    /// What an iteration reads that no other one stores lay there before the loop.
    fn settle(&mut self, l: &mut Loop) -> Res<()> {
        let mut cells = Vec::new();
        let mut look = |cx: &Values, v: V| cells.extend(cx.cells(v, l.of).iter().copied());
        for items in l.after.values() {
            each_value(items, &mut |v| look(&self.cx, v));
        }
        for v in l.vars_after.values() {
            match &v.value {
                Some(Lanes::Each(v)) => look(&self.cx, *v),
                Some(Lanes::All(vs)) => vs.iter().for_each(|v| look(&self.cx, *v)),
                _ => {}
            }
        }
        cells.sort_unstable();
        cells.dedup();
        let mut r = Rewrite::default();
        let mut any = false;
        for cell in cells {
            let Node::Cell(_, leaf, at) = self.cx.node(cell).clone() else {
                continue;
            };
            let Some(items) = l.after.get(&leaf).filter(|_| self.cx.mentions(at[0], l.k)) else {
                continue;
            };
            if let Ok(true) = own(&mut self.cx, items, (l.k, l.n), (leaf, at[0])) {
                let items = l.before.get(&leaf).map_or(&[][..], |m| m);
                let before = read(&mut self.cx, leaf, items, at[0])?;
                r.put(&self.cx, cell, before);
                any = true;
            }
        }
        if !any {
            return Ok(());
        }
        for items in l.after.values_mut() {
            *items = self.replaced(items, &mut r)?;
        }
        for read in &mut self.reads {
            for v in &mut read.values {
                *v = self.cx.rewrite(&mut r, *v)?;
            }
        }
        for v in l.vars_after.values_mut() {
            v.value = match v.value.take() {
                Some(Lanes::Each(v)) => Some(Lanes::Each(self.cx.rewrite(&mut r, v)?)),
                Some(Lanes::All(vs)) => {
                    let all = vs.iter().map(|v| self.cx.rewrite(&mut r, *v));
                    Some(Lanes::All(Rc::new(all.collect::<Res<_>>()?)))
                }
                other => other,
            };
        }
        Ok(())
    }

    pub fn replaced(&mut self, items: &[Item], r: &mut Rewrite) -> Res<Vec<Item>> {
        let mut out = Vec::new();
        for item in items {
            out.push(match item {
                Item::Store(s) => Item::Store(Store {
                    at: self.cx.rewrite_nat(r, s.at)?,
                    value: self.cx.rewrite(r, s.value)?,
                    ..s.clone()
                }),
                Item::Loop(v, n, inner) => {
                    let n = self.cx.rewrite_nat(r, *n)?;
                    Item::Loop(*v, n, Rc::new(self.replaced(inner, r)?))
                }
                Item::Cond(c, a, b) => {
                    let c = self.cx.rewrite(r, *c)?;
                    let (a, b) = (self.replaced(a, r)?, self.replaced(b, r)?);
                    Item::Cond(c, Rc::new(a), Rc::new(b))
                }
                other => other.clone(),
            });
        }
        Ok(out)
    }

    /// What is so after a loop.
    fn leave(&mut self, l: &mut Loop, live: &FxHashMap<u32, usize>) -> Res<()> {
        self.cx.begins.push(self.cx.known.mark());
        self.stages(l);
        self.places_by_variables(l);
        let done = self.left(l, live);
        self.cx.begins.pop();
        done
    }

    fn left(&mut self, l: &Loop, live: &FxHashMap<u32, usize>) -> Res<()> {
        for name in &l.assigned {
            let value = self.assigned_after(l, *name);
            if let Some(v) = self.vars.get_mut(name) {
                v.value = Some(match value {
                    Ok(v) => v,
                    Err(why) => Lanes::Bad(why),
                });
            }
        }
        let mut buffers: Vec<u32> = l.after.keys().copied().collect();
        buffers.sort_unstable();
        let mut partial = Rewrite::default();
        let mut tried = FxHashSet::default();
        let carried = self.carried(l, &buffers);
        for b in buffers {
            if !live.contains_key(&b) {
                self.memory.remove(&b);
                continue;
            }
            let all = &l.after[&b];
            let own = match all.first() {
                Some(Item::Start(of)) if *of == l.of => &all[1..],
                _ => &all[..],
            };
            if own.is_empty() {
                continue;
            }
            // What does not depend on the state is stored as it stands.
            let plain = self.is_plain(l, own);
            let made = match carried.contains(&b) {
                true if plain && !self.at_data(l, b, own) => Ok(as_it_stands(l, own)),
                true => match self.accumulated(l, b, own) {
                    Err(why) => (self.updated(l, b))
                        .or_else(|_| self.everywhere(l, b))
                        .map_err(|_| why),
                    made => made,
                },
                false => match self.at_data(l, b, own).then(|| self.updated(l, b)) {
                    Some(Ok(made)) => Ok(made),
                    _ => self
                        .inside_of(l, |m| m.partial(l, own, &mut partial, &mut tried))
                        .map(|items| Item::Loop(l.k, l.n, Rc::new(items))),
                },
            };
            let made = match made {
                Err(_) if plain => Ok(as_it_stands(l, own)),
                made => made,
            };
            let item = made.unwrap_or_else(|why| Item::Bad(why.0));
            self.memory.entry(b).or_default().push(item);
        }
        for read in std::mem::take(&mut self.reads) {
            self.inside_of(l, |m| m.read_in(l, read, &mut partial, &mut tried));
        }
        Ok(())
    }

    /// Whether data says where an iteration stores, or a minimum, and it may be where another one does.
    pub fn at_data(&mut self, l: &Loop, buf: u32, items: &[Item]) -> bool {
        let by_data = |at: Nat| {
            let names = self.cx.names_in(at);
            let by_name = names.iter().any(|(_, v)| self.cx.value_mentions(*v, l.k));
            by_name
                || choice(at)
                    .is_some_and(|(_, x, y)| [x, y].iter().any(|n| self.cx.mentions(*n, l.k)))
        };
        let dims = self.dims(buf);
        let all = leaves(items);
        let mut stores = all.iter().map(|leaf| &leaf.is);
        stores.any(|is| matches!(is, Item::Store(s) if by_data(s.at)))
            && disjoint(&mut self.cx, items, (l.k, l.n), &dims).is_err()
    }

    /// What was read of the state when an iteration began was written before. Of a state that depends on itself, values that
    /// are used say so.
    fn read_in(&mut self, l: &Loop, read: Read, r: &mut Rewrite, tried: &mut FxHashSet<V>) {
        let own = |cx: &Values, v: &V| !cx.cells(*v, l.of).is_empty();
        if !read.values.iter().any(|v| own(&self.cx, v)) {
            // What no iteration left to another one is known by now, if no other loop is around.
            return match read.values.iter().any(|v| self.cx.is_open(*v)) {
                true => self.reads.push(read),
                false => self.read_there(read),
            };
        }
        let plain = |cell: &V| match self.cx.node(*cell) {
            Node::Cell(_, leaf, _) => self.stored_plainly(l, *leaf).is_some(),
            _ => false,
        };
        let mut cells = read.values.iter().map(|v| self.cx.cells(*v, l.of));
        let plainly = cells.any(|cells| cells.iter().any(plain));
        let around = std::mem::replace(&mut self.tally.at, read.statement);
        match plainly {
            true => self.read_of_state(l, read, r, tried),
            false => self.tally.met(Obligation::Written),
        }
        self.tally.at = around;
    }

    fn read_of_state(&mut self, l: &Loop, read: Read, r: &mut Rewrite, tried: &mut FxHashSet<V>) {
        let of = |v: &V| {
            let found = self.resolved(l, *v, r, tried)?;
            match self.cx.cells(found, l.of).is_empty() {
                true => Ok(found),
                false => Err(Stuck::new("it may be read before it is written")),
            }
        };
        match read.values.iter().map(of).collect() {
            Ok(values) => self.read_there(Read { values, ..read }),
            Err(why) => self.tally.open(Obligation::Written, &read.place, why),
        }
    }

    /// Whether something was written, by what was known where it was read.
    fn read_there(&mut self, read: Read) {
        let around = std::mem::replace(&mut self.tally.at, read.statement);
        let mark = self.cx.known.mark();
        self.cx.known.recall(&read.at);
        self.written(read.place, read.values);
        self.cx.known.restore(mark);
        self.tally.at = around;
    }

    fn assigned_after(&mut self, l: &Loop, name: Symbol) -> Res<Lanes> {
        let number = self.number(name);
        let lanes = self.vars.get(&name).map_or(1, |v| v.lanes);
        let part = |at: Nat| (number, [at].into_iter().collect());
        let each = match lanes {
            1 => Nat::int(0),
            n => lane(&mut self.cx, n),
        };
        match self.after(l, part(each), l.n) {
            Ok(v) => Ok(Lanes::Each(v)),
            Err(why) if lanes == 1 => Err(why),
            Err(_) => {
                let all = (0..i64::from(lanes)).map(|i| self.after(l, part(Nat::int(i)), l.n));
                Ok(Lanes::All(Rc::new(all.collect::<Res<_>>()?)))
            }
        }
    }

    /// Buffers of which an iteration reads what an earlier one left.
    fn carried(&self, l: &Loop, buffers: &[u32]) -> FxHashSet<u32> {
        let mut found = FxHashSet::default();
        let mut look = |v: V| {
            self.cx.visit_marked(v, cell_bit(l.of), &mut |_, n| {
                if let Node::Cell(of, leaf, _) = n {
                    if *of == l.of {
                        found.insert(*leaf);
                    }
                }
            });
        };
        for b in buffers {
            each_value(&l.after[b], &mut look);
        }
        for v in l.vars_after.values() {
            match &v.value {
                Some(Lanes::Each(v)) => look(*v),
                Some(Lanes::All(vs)) => vs.iter().for_each(|v| look(*v)),
                _ => {}
            }
        }
        found
    }

    /// Stores of an iteration, with what the state was when it began in place of its cells.
    pub fn partial(
        &mut self,
        l: &Loop,
        items: &[Item],
        r: &mut Rewrite,
        tried: &mut FxHashSet<V>,
    ) -> Res<Vec<Item>> {
        let mut out = Vec::new();
        for item in items {
            out.push(match item {
                Item::Store(s) => Item::Store(Store {
                    value: self.resolved(l, s.value, r, tried)?,
                    ..s.clone()
                }),
                Item::Loop(v, n, inner) => {
                    Item::Loop(*v, *n, Rc::new(self.partial(l, inner, r, tried)?))
                }
                Item::Cond(c, a, b) => {
                    let c = self.resolved(l, *c, r, tried)?;
                    let a = self.partial(l, a, r, tried)?;
                    let b = self.partial(l, b, r, tried)?;
                    Item::Cond(c, Rc::new(a), Rc::new(b))
                }
                other => other.clone(),
            });
        }
        Ok(out)
    }

    fn resolved(&mut self, l: &Loop, v: V, r: &mut Rewrite, tried: &mut FxHashSet<V>) -> Res<V> {
        let cells = self.cx.cells(v, l.of);
        if cells.is_empty() {
            return Ok(v);
        }
        for cell in cells.iter().copied() {
            let Node::Cell(_, leaf, at) = self.cx.node(cell).clone() else {
                continue;
            };
            if tried.insert(cell) {
                let before = match self.earlier(l, leaf, at[0]) {
                    Some(v) => v,
                    None => self.after(l, (leaf, at), Nat::var(l.k))?,
                };
                r.put(&self.cx, cell, before);
            }
        }
        let v = self.cx.rewrite(r, v)?;
        match self.cx.cells(v, l.of).is_empty() {
            true => Ok(v),
            false => {
                let mut r = self.filled(l);
                let v = self.cx.rewrite(&mut r, v)?;
                if self.cx.cells(v, l.of).is_empty() {
                    return Ok(v);
                }
                let mut r = self.anywhere(l, v)?;
                self.cx.rewrite(&mut r, v)
            }
        }
    }

    /// Whether nothing that is stored depends on what the state was when the iteration began.
    pub fn is_plain(&self, l: &Loop, items: &[Item]) -> bool {
        let free = |v: V| self.cx.cells(v, l.of).is_empty();
        leaves(items).iter().all(|leaf| {
            let stored = matches!(&leaf.is, Item::Store(s) if free(s.value));
            stored
                && leaf.path.iter().all(|a| match a {
                    Around::Loop(_, n) => !self.cx.mentions(*n, l.k),
                    Around::Cond(c, _) => free(*c),
                })
        })
    }

    /// A buffer each of whose elements every iteration makes of itself: what is left is a reduction for each.
    fn accumulated(&mut self, l: &Loop, buf: u32, items: &[Item]) -> Res<Item> {
        let mut out = Vec::new();
        self.accumulate(l, buf, items, &mut out)?;
        // A list, as one item.
        let yes = self.cx.bool(true);
        Ok(Item::Cond(yes, Rc::new(out), Rc::new(Vec::new())))
    }

    fn accumulate(&mut self, l: &Loop, buf: u32, items: &[Item], out: &mut Vec<Item>) -> Res<()> {
        for item in items {
            match item {
                Item::Store(s) => {
                    if self.cx.mentions(s.at, l.k) {
                        let why = "what an iteration stores is read by a later one";
                        return Err(Stuck::new(why));
                    }
                    let part = (buf, [s.at].into_iter().collect());
                    let value = self.after(l, part, l.n)?;
                    out.push(Item::Store(Store { value, ..s.clone() }));
                }
                Item::Loop(v, n, inner) => {
                    if self.cx.mentions(*n, l.k) {
                        return Err(Stuck::new("a loop in a reduction runs as often as it says"));
                    }
                    let mut all = Vec::new();
                    let mark = self.cx.known.mark();
                    self.cx.known.positive(*n);
                    let done = self.accumulate(l, buf, inner, &mut all);
                    self.cx.known.restore(mark);
                    done?;
                    out.push(Item::Loop(*v, *n, Rc::new(all)));
                }
                Item::Cond(c, a, b) => {
                    let fixed =
                        !self.cx.value_mentions(*c, l.k) && self.cx.cells(*c, l.of).is_empty();
                    if !fixed {
                        self.accumulate(l, buf, a, out)?;
                        self.accumulate(l, buf, b, out)?;
                        continue;
                    }
                    let (mut then, mut els) = (Vec::new(), Vec::new());
                    for (side, holds, into) in [(a, true, &mut then), (b, false, &mut els)] {
                        let mark = self.cx.known.mark();
                        self.cx.assume(*c, holds);
                        let done = self.accumulate(l, buf, side, into);
                        self.cx.known.restore(mark);
                        done?;
                    }
                    out.push(Item::Cond(*c, Rc::new(then), Rc::new(els)));
                }
                Item::Bad(why) => return Err(Stuck::new(why.clone())),
                Item::Start(_) | Item::Undef => {
                    return Err(Stuck::new("a buffer begins anew in a reduction"))
                }
            }
        }
        Ok(())
    }

    // ---- iterations in any order

    /// Whether iterations store different elements, and none reads what another one stores.
    fn independent(&mut self, l: &Loop, live: &FxHashMap<u32, usize>) -> Res<()> {
        let mut buffers: Vec<u32> = l.after.keys().copied().collect();
        buffers.sort_unstable();
        if let Some(b) = self.carried(l, &buffers).into_iter().min() {
            let buf = self.nest.buffers.get(b as usize);
            let name = buf.map_or("a variable", |b| b.name.as_str());
            return Err(Stuck::new(format!(
                "an iteration reads what another left in {name}"
            )));
        }
        if !l.assigned.is_empty() {
            return Err(Stuck::new("a variable is shared by iterations"));
        }
        for b in buffers {
            let buf = &self.nest.buffers[b as usize];
            let own = !live.contains_key(&b);
            let private = matches!(buf.storage, StorageClass::Stack | StorageClass::ThreadHeap);
            if own && private {
                continue;
            }
            let dims = self.dims(b);
            let name = buf.name;
            disjoint(&mut self.cx, &l.after[&b], (l.k, l.n), &dims)
                .map_err(|why| Stuck::new(format!("stores to `{name}`: {}", why.0)))?;
        }
        Ok(())
    }
}

/// Stores of all iterations.
fn as_it_stands(l: &Loop, items: &[Item]) -> Item {
    Item::Loop(l.k, l.n, Rc::new(items.to_vec()))
}
