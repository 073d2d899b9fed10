//! Stages of a loop: buffers that an iteration fills from what it and earlier ones left in others, as rows that are kept for a window.
//!
//! In: what an iteration stores. Out: the same with what earlier iterations left in its place, where that does not depend on the state,
//! one stage after the other; what earlier iterations left in such a buffer. Absent: states that are made of themselves (`loops`).

use super::items::{leaves, Around, Item};
use super::loops::Loop;
use super::machine::Machine;
use super::memory::read;
use super::rewrite::{OfCell, Rewrite};
use super::value::{Node, Res, V};
use crate::arith::Nat;
use crate::intern::Symbol;
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl Machine<'_> {
    /// Buffers that are filled from stages before them are filled plainly.
    pub fn stages(&mut self, l: &mut Loop) {
        let mut buffers: Vec<u32> = l.after.keys().copied().collect();
        buffers.sort_unstable();
        buffers.retain(|b| self.stored_plainly(l, *b).is_none());
        loop {
            let before = buffers.len();
            buffers.retain(|b| !self.is_stage(l, *b));
            if buffers.len() == before {
                return;
            }
        }
    }

    /// What variables are when an iteration begins, in place of their cells, in what it stores to buffers at places that data say, or they: where
    /// an element is made, and of what, is then said by iterations before.
    pub fn places_by_variables(&mut self, l: &mut Loop) {
        let mut buffers: Vec<u32> = l.after.keys().copied().collect();
        buffers.sort_unstable();
        for b in buffers {
            let Some((Item::Start(of), own)) = l.after[&b].split_first() else {
                continue;
            };
            if *of != l.of || !self.at_data(l, b, own) {
                continue;
            }
            let made = self.inside_of(l, |m| {
                let mut r = m.variables(l, own);
                m.replaced(own, &mut r)
            });
            if let Ok(made) = made {
                let all = [Item::Start(l.of)].into_iter().chain(made);
                l.after.insert(b, all.collect());
            }
        }
    }

    /// What variables that stand in stores are when an iteration begins, where that does not depend on the rest of the state.
    fn variables(&mut self, l: &Loop, items: &[Item]) -> Rewrite {
        let mut cells = Vec::new();
        for leaf in leaves(items) {
            let Item::Store(s) = &leaf.is else { continue };
            let places = self.cx.names_in(s.at).into_iter().map(|n| n.1);
            for v in places.chain([s.value]) {
                cells.extend(self.cx.cells(v, l.of).iter().copied());
            }
        }
        cells.sort_unstable();
        cells.dedup();
        let mut r = Rewrite::default();
        for cell in cells {
            let Node::Cell(_, leaf, at) = self.cx.node(cell).clone() else {
                continue;
            };
            if leaf as usize >= self.nest.buffers.len() {
                let before = self.after(l, (leaf, at), Nat::var(l.k));
                let before = before.ok().filter(|v| self.cx.cells(*v, l.of).is_empty());
                if let Some(before) = before {
                    r.put(&self.cx, cell, before);
                }
            }
        }
        r
    }

    /// Whether a buffer is filled from stages before it: then it is one.
    fn is_stage(&mut self, l: &mut Loop, buf: u32) -> bool {
        let Some((Item::Start(of), own)) = l.after[&buf].split_first() else {
            return false;
        };
        if *of != l.of || own.is_empty() || !self.is_made_of_stages(l, own) {
            return false;
        }
        let made = self.inside_of(l, |m| {
            let mut r = m.filled(l);
            m.replaced(own, &mut r)
        });
        let Some(made) = made.ok().filter(|made| self.is_plain(l, made)) else {
            return false;
        };
        let all = [Item::Start(l.of)].into_iter().chain(made);
        l.after.insert(buf, all.collect());
        true
    }

    /// What earlier iterations left, in place of cells of buffers that are filled plainly. Reductions are opened: an index of theirs may
    /// stand in a place.
    pub fn filled(&mut self, l: &Loop) -> Rewrite {
        let mut buffers: Vec<u32> = l.after.keys().copied().collect();
        buffers.sort_unstable();
        let of = |b: u32| Some((b, self.earlier_items(l, b)?));
        let all: FxHashMap<u32, Rc<Vec<Item>>> = buffers.into_iter().filter_map(of).collect();
        let loop_of = l.of;
        let cells: OfCell = Rc::new(move |cx, leaf, at| match all.get(&leaf) {
            Some(items) => read(cx, leaf, items, at[0]),
            None => Ok(cx.make(Node::Cell(loop_of, leaf, at.iter().copied().collect()))),
        });
        let mut r = Rewrite::opening();
        r.cells = Some((l.of, cells));
        r
    }

    /// What an iteration begins with at any place of buffers, in place of cells whose places are indices of reductions.
    pub fn anywhere(&mut self, l: &Loop, v: V) -> Res<Rewrite> {
        let mut all: FxHashMap<u32, (Symbol, V)> = FxHashMap::default();
        for cell in self.cx.cells(v, l.of).iter().copied() {
            let Node::Cell(_, buf, at) = self.cx.node(cell).clone() else {
                continue;
            };
            let [at] = at[..] else { continue };
            if all.contains_key(&buf) || !self.cx.is_bound(at) {
                continue;
            }
            let Some(len) = self.nest.buffers.get(buf as usize).map(|b| b.len) else {
                continue;
            };
            let (len, place) = (self.nat(len)?, self.cx.symbol("p"));
            self.cx.known.range(place, Nat::int(0), len - Nat::int(1));
            let part = (buf, [Nat::var(place)].into_iter().collect());
            let value = self.after(l, part, Nat::var(l.k))?;
            all.insert(buf, (place, value));
        }
        let of = l.of;
        let cells: OfCell = Rc::new(move |cx, buf, at| {
            // What is read lies inside wherever it is read: that is an obligation of its own. Choices say where that is.
            if let Some((place, value)) = all.get(&buf) {
                return cx.with(*value, *place, at[0]);
            }
            Ok(cx.make(Node::Cell(of, buf, at.iter().copied().collect())))
        });
        let mut r = Rewrite::opening();
        r.cells = Some((l.of, cells));
        Ok(r)
    }

    fn is_made_of_stages(&self, l: &Loop, items: &[Item]) -> bool {
        let of_stages = |v: V| {
            self.cx
                .cells(v, l.of)
                .iter()
                .all(|c| match self.cx.node(*c) {
                    Node::Cell(_, buf, _) => self.stored_plainly(l, *buf).is_some(),
                    _ => true,
                })
        };
        leaves(items).iter().all(|leaf| {
            let conds = leaf.path.iter().all(|a| match a {
                Around::Cond(c, _) => of_stages(*c),
                Around::Loop(..) => true,
            });
            conds && matches!(&leaf.is, Item::Store(s) if of_stages(s.value))
        })
    }

    /// What an iteration stores to a buffer, if there is something and nothing of it depends on the state.
    pub fn stored_plainly<'a>(&self, l: &'a Loop, buf: u32) -> Option<&'a [Item]> {
        match l.after.get(&buf)?.split_first()? {
            (Item::Start(of), own) if *of == l.of && !own.is_empty() => {
                self.is_plain(l, own).then_some(own)
            }
            _ => None,
        }
    }

    /// What lies in an element when an iteration begins, where that does not depend on the state: what earlier iterations
    /// stored.
    pub fn earlier(&mut self, l: &Loop, buf: u32, at: Nat) -> Option<V> {
        let items = self.earlier_items(l, buf)?;
        read(&mut self.cx, buf, &items, at).ok()
    }

    /// What lies in a buffer when an iteration begins, if it is filled plainly.
    fn earlier_items(&mut self, l: &Loop, buf: u32) -> Option<Rc<Vec<Item>>> {
        if let Some(known) = l.earlier.borrow().get(&buf) {
            return Some(known.clone());
        }
        let own = self.stored_plainly(l, buf)?;
        let before = self.cx.symbol("before");
        let last = Nat::var(l.k) - Nat::int(1);
        self.cx.known.range(before, Nat::int(0), last);
        let mut r = Rewrite::default();
        r.vars.insert(l.k, Nat::var(before));
        let own = self.replaced(own, &mut r).ok()?;
        let mut items = l.before.get(&buf).cloned().unwrap_or_default();
        items.push(Item::Loop(before, Nat::var(l.k), Rc::new(own)));
        let items = Rc::new(items);
        l.earlier.borrow_mut().insert(buf, items.clone());
        Some(items)
    }
}
