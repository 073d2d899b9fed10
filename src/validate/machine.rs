//! A loop program that is being run on values that are not known.
//!
//! In: a loop program. Out: the state of its run: variables, buffers, what is owed. Absent: what statements do to it
//! (`run`), values (`exprs`), loops (`loops`).

use super::items::Item;
use super::known::Snapshot;
use super::value::{Res, Values, V};
use super::{Obligation, Place, Stuck, Tally};
use crate::arith::{Atom, AtomKind, Mono, Nat, Rat};
use crate::intern::Symbol;
use crate::nest::{walk, Expr, Nest, Slot, Stmt, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The lanes of a value.
#[derive(Clone)]
pub enum Lanes {
    /// The same expression of the lane, [`lane`], in each.
    Each(V),
    All(Rc<Vec<V>>),
    /// What cannot be said of it.
    Bad(Stuck),
}

/// A variable.
#[derive(Clone)]
pub struct Var {
    pub value: Option<Lanes>,
    /// How many parallel loops were around where it was declared.
    pub shared_below: usize,
    pub lanes: u32,
}

pub struct Machine<'a> {
    pub nest: &'a Nest,
    pub cx: Values,
    pub tally: Tally,
    pub vars: FxHashMap<Symbol, Var>,
    /// Indices and iterations.
    pub names: FxHashMap<Symbol, Nat>,
    /// By buffer; of those that share memory, the first has it.
    pub memory: FxHashMap<u32, Vec<Item>>,
    /// Buffers, with how many parallel loops were around where each was allocated.
    pub live: FxHashMap<u32, usize>,
    /// Parallel loops around.
    pub parallel: usize,
    /// Variables of states, numbered behind the buffers.
    pub numbers: FxHashMap<Symbol, u32>,
    /// Loops around, for messages.
    pub around: Vec<Symbol>,
    /// Conditions around, as they stand.
    pub choices: Vec<(Expr, bool)>,
    /// What was read, by buffer, index, lanes and what was known, since something was stored.
    pub loads: FxHashMap<(u32, Nat, u32, u64), Lanes>,
    /// What is read of states that are not known yet.
    pub reads: Vec<Read>,
    /// Cells of variables that were not assigned before their loop.
    pub unset: FxHashSet<(u32, u32)>,
    /// The place of each statement.
    numbered: FxHashMap<*const Stmt, u32>,
    /// Of each buffer, as the loop program has them.
    dims: Vec<Vec<Nat>>,
}

/// Values that were read, of which it has to be shown that something was written there.
pub struct Read {
    pub statement: Place,
    pub place: Rc<str>,
    pub values: Vec<V>,
    /// What was known there.
    pub at: Rc<Snapshot>,
}

/// The lane of a vector of so many.
pub fn lane(cx: &mut Values, lanes: u32) -> Nat {
    let s = Symbol::new(&format!("%l{lanes}"));
    cx.known
        .range_once(s, Nat::int(0), Nat::int(i64::from(lanes) - 1));
    Nat::var(s)
}

/// How many times a stride fits into a size, if that is whole by its form.
fn times(n: Nat, by: Nat) -> Option<Nat> {
    let q = n.exact_div(by);
    let whole = |t: &(Mono, Rat)| t.0.is_integral() && t.1.as_int().is_some();
    (q * by == n && q.terms().iter().all(whole)).then_some(q)
}

/// Whether some index is multiplied by each row of an array, or by several of it, where that is no number.
fn are_rows(dims: &[Nat], strides: &[Nat]) -> bool {
    (1..dims.len()).all(|d| {
        let row = dims[d..].iter().fold(Nat::int(1), |a, b| a * *b);
        row.as_int().is_some() || strides.iter().any(|s| times(*s, row).is_some())
    })
}

impl<'a> Machine<'a> {
    pub fn new(nest: &'a Nest, cx: Values) -> Machine<'a> {
        let mut machine = Machine {
            nest,
            cx,
            tally: Tally::default(),
            vars: FxHashMap::default(),
            names: FxHashMap::default(),
            memory: FxHashMap::default(),
            live: FxHashMap::default(),
            parallel: 0,
            numbers: FxHashMap::default(),
            around: Vec::new(),
            choices: Vec::new(),
            loads: FxHashMap::default(),
            reads: Vec::new(),
            unset: FxHashSet::default(),
            numbered: FxHashMap::default(),
            dims: Vec::new(),
        };
        let numbered = &mut machine.numbered;
        walk::each_stmt(&nest.body, &mut |s| {
            numbered.insert(std::ptr::from_ref(s), numbered.len() as u32);
        });
        let all = 0..nest.buffers.len() as u32;
        machine.dims = all.map(|b| machine.find_dims(b)).collect();
        for (i, b) in nest.buffers.iter().enumerate() {
            if b.alias.is_none() && matches!(b.storage, StorageClass::Output(_)) {
                machine.memory.insert(i as u32, vec![Item::Undef]);
                machine.live.insert(i as u32, 0);
            }
            let dims = machine.dims(i as u32);
            if b.alias.is_none() && dims.len() > 1 {
                let dims = dims.into_iter().map(|d| machine.cx.simplify(d)).collect();
                machine.cx.dims.insert(i as u32, dims);
            }
        }
        machine
    }

    /// The dimensions of a buffer.
    pub fn dims(&self, root: u32) -> Vec<Nat> {
        self.dims.get(root as usize).cloned().unwrap_or_default()
    }

    /// One that is as long as a result or an input of several has those, if it is stored by rows as long as theirs, one whose rows are used
    /// again those of its rows, any other one those that the strides of its stores say. They are only tried.
    fn find_dims(&self, root: u32) -> Vec<Nat> {
        let abi = &self.nest.abi;
        let buf = &self.nest.buffers[root as usize];
        let by_data = self.by_data(root);
        let rows_are_in = |dims: &[Nat]| {
            let row = |d: usize| dims[d..].iter().fold(Nat::int(1), |a, b| a * *b);
            by_data
                .iter()
                .all(|s| (1..=dims.len()).any(|d| row(d) == *s))
        };
        let like = match buf.storage {
            StorageClass::Input(k) => abi.inputs.get(k),
            StorageClass::Output(k) => abi.outputs.get(k),
            _ => {
                let as_long = |s: &&Slot| s.count() == buf.len && s.dims.len() > 1;
                let slots = abi.outputs.iter().chain(&abi.inputs).filter(as_long);
                let slots: Vec<&Slot> = slots.filter(|s| rows_are_in(&s.dims)).collect();
                let own = self.strides(root);
                let by_rows = |s: &&&Slot| are_rows(&s.dims, &own);
                match slots.iter().find(by_rows) {
                    // Stores may go from element to element, too, and say nothing of rows.
                    None if self.of_strides(root).len() == 1 => slots.first().copied(),
                    found => found.copied(),
                }
            }
        };
        match like {
            Some(slot) if slot.dims.len() > 1 || by_data.is_empty() => slot.dims.clone(),
            Some(_) => self.of_strides(root),
            None => self.rows(root).unwrap_or_else(|| self.of_strides(root)),
        }
    }

    /// What indices that data says are multiplied by where elements are stored.
    fn by_data(&self, root: u32) -> Vec<Nat> {
        let (mut found, mut read) = (Vec::new(), Vec::new());
        walk::each_stmt(&self.nest.body, &mut |s| match s {
            Stmt::Let { var, .. } => read.push(*var),
            Stmt::Store { buf, index, .. } if self.nest.root(*buf).0 == root => {
                let by = read.iter().filter_map(|v| index.coefficient(*v));
                found.extend(by.filter(|s| s.as_int() != Some(0)));
            }
            _ => {}
        });
        found
    }

    /// What the stores of a buffer multiply indices with.
    fn strides(&self, root: u32) -> Vec<Nat> {
        let mut strides: Vec<Nat> = Vec::new();
        walk::each_stmt(&self.nest.body, &mut |s| {
            let Stmt::Store { buf, index, .. } = s else {
                return;
            };
            if self.nest.root(*buf).0 != root {
                return;
            }
            index.each_atom(&mut |a| {
                let AtomKind::Var(v) = a.kind() else { return };
                if self.nest.abi.sizes.contains(&v) {
                    return;
                }
                strides.extend(index.coefficient(v));
            });
        });
        strides
    }

    /// The length of a buffer by the sizes that its stores multiply indices with; where data says the row, by constants, too.
    fn of_strides(&self, root: u32) -> Vec<Nat> {
        let len = self.nest.buffers[root as usize].len;
        let by_data = !self.by_data(root).is_empty();
        let mut strides = self.strides(root);
        strides.retain(|s| s.as_int().is_none_or(|s| by_data && s > 1));
        strides.retain(|s| times(len, *s).is_some());
        // Each is a multiple of the next.
        let above = |s: Nat| strides.iter().filter(|t| times(s, **t).is_some()).count();
        let mut order: Vec<(usize, Nat)> = strides.iter().map(|s| (above(*s), *s)).collect();
        order.sort_by_key(|o| std::cmp::Reverse(o.0));
        let (mut dims, mut rest) = (Vec::new(), len);
        for (_, s) in order {
            if let Some(n) = times(rest, s).filter(|n| *n != Nat::int(1)) {
                dims.push(n);
                rest = s;
            }
        }
        dims.push(rest);
        dims
    }

    /// How many rows a buffer has and how long they are, if stores find the row by a remainder, or if data say where in a row they
    /// store.
    fn rows(&self, root: u32) -> Option<Vec<Nat>> {
        let size = |n: Nat| match n.as_atom().map(Atom::kind) {
            Some(AtomKind::Mod(_, d)) => d.as_int().map(|_| d),
            _ => None,
        };
        let (mut rounds, mut found) = (Vec::new(), None);
        let (mut loops, mut read) = (Vec::new(), Vec::new());
        let len = self.nest.buffers[root as usize].len;
        walk::each_stmt(&self.nest.body, &mut |s| match s {
            Stmt::Index { var, value } => rounds.extend(size(*value).map(|d| (*var, d))),
            Stmt::Let { var, .. } => read.push(*var),
            Stmt::For { var, extent, .. } => loops.extend(extent.as_int().map(|_| (*var, *extent))),
            Stmt::Store { buf, index, .. } if self.nest.root(*buf).0 == root => {
                let by_data = read.iter().any(|v| index.mentions(*v));
                let loops = if by_data { &loops[..] } else { &[] };
                for (var, rows) in rounds.iter().chain(loops) {
                    let row = index.coefficient(*var);
                    found = found
                        .take()
                        .or(row.filter(|r| *rows * *r == len).map(|r| vec![*rows, r]));
                }
            }
            _ => {}
        });
        found
    }

    /// What lies in a buffer.
    pub fn content(&self, buf: u32) -> &[Item] {
        self.memory.get(&buf).map_or(&[], |m| m)
    }

    /// Whatever is owed from now on is owed of a statement; what was owed before comes back.
    pub fn turn_to(&mut self, s: &Stmt) -> Place {
        let at = self.numbered.get(&std::ptr::from_ref(s)).copied();
        std::mem::replace(&mut self.tally.at, at)
    }

    pub fn place(&self, what: &str) -> Rc<str> {
        match self.around.is_empty() {
            true => what.into(),
            false => {
                let loops: Vec<String> = self.around.iter().map(|s| s.to_string()).collect();
                format!("{what} in {}", loops.join(", ")).into()
            }
        }
    }

    pub fn owe(&mut self, kind: Obligation, place: &str, met: Res<()>) {
        let place = match met {
            Ok(()) => return self.tally.met(kind),
            Err(_) => self.place(place),
        };
        if let Err(why) = met {
            self.tally.open(kind, &place, why);
        }
    }
}
