//! The statements of a loop program, run on values that are not known.
//!
//! In: statements. Out: what lies in each buffer when they are done, and the obligations on the way: bounds of accesses,
//! a writer for each read, disjoint writes of iterations that run in any order. Invariant: what is written down of a
//! buffer or a variable is what it is in every run that the function's checks let through. Absent: the term.

use super::items::{Item, Store};
use super::machine::{lane, Lanes, Machine, Var};
use super::value::{Res, Values, V};
use super::{Obligation, Stuck};
use crate::arith::{is_whole, rests, Atom, AtomKind, Nat};
use crate::intern::Symbol;
use crate::nest::{walk, Block, BufId, Expr, Stmt, StorageClass};
use crate::term::Op;
use crate::ty::Scalar;
use rustc_hash::FxHashMap;
use std::rc::Rc;

impl Machine<'_> {
    pub fn block(&mut self, block: &Block) -> Res<()> {
        for s in block {
            self.cx.spend(1)?;
            let around = self.turn_to(s);
            self.stmt(s)?;
            self.tally.at = around;
        }
        for s in block {
            match s {
                Stmt::Alloc(b) => {
                    let root = self.nest.root(*b).0;
                    self.live.remove(&root);
                }
                s => {
                    if let Some(v) = walk::declared(s) {
                        self.vars.remove(&v);
                        self.names.remove(&v);
                    }
                }
            }
        }
        Ok(())
    }

    fn stmt(&mut self, s: &Stmt) -> Res<()> {
        match s {
            Stmt::For {
                var,
                extent,
                kind,
                body,
                ..
            } => self.run_loop(*var, *extent, *kind, body)?,
            Stmt::If { cond, then, els } => self.choice(cond, then, els)?,
            Stmt::Let {
                var, value, shape, ..
            } => {
                let value = value.as_ref().map(|e| self.lanes(e)).transpose()?;
                let var_of = Var {
                    value,
                    shared_below: self.parallel,
                    lanes: shape.lanes,
                };
                self.vars.insert(*var, var_of);
            }
            Stmt::Assign { var, value } => {
                let value = self.lanes(value)?;
                let parallel = self.parallel;
                let Some(v) = self.vars.get_mut(var) else {
                    return Err(Stuck::new(format!(
                        "`{var}` is assigned outside of its block"
                    )));
                };
                if v.shared_below < parallel {
                    let why = format!("`{var}` is assigned by several iterations at once");
                    return Err(Stuck::new(why));
                }
                v.value = Some(value);
            }
            Stmt::Index { var, value } => {
                let n = self.nat(*value)?;
                self.names.insert(*var, n);
            }
            Stmt::Alloc(b) => self.allocate(*b)?,
            Stmt::Prefetch { .. } => {}
            Stmt::Store {
                buf, index, value, ..
            } => self.store(*buf, *index, value)?,
        }
        Ok(())
    }

    fn allocate(&mut self, b: BufId) -> Res<()> {
        let buf = &self.nest.buffers[b.0 as usize];
        let parallel = match buf.storage {
            StorageClass::Stack | StorageClass::ThreadHeap => self.parallel,
            StorageClass::Heap => 0,
            _ => {
                return Err(Stuck::new(format!(
                    "`{}` has no place of its own",
                    buf.name
                )))
            }
        };
        if buf.alias.is_some() {
            return Err(Stuck::new(format!("`{}` is a second name", buf.name)));
        }
        let placed = self.placed(b);
        self.owe(Obligation::Memory, buf.name.as_str(), placed);
        // By the end of a loop around it what lies in it is forgotten.
        if buf.storage == StorageClass::Heap && self.parallel > 0 {
            let why = Stuck::new("iterations that run in any order share its memory");
            self.owe(Obligation::Disjoint, buf.name.as_str(), Err(why));
        }
        let n = self.nat(buf.len)?;
        let size = match self.is_size(n) {
            true => Ok(()),
            false => Err(Stuck::new(format!("the size {n} may be negative"))),
        };
        self.owe(Obligation::Memory, buf.name.as_str(), size);
        self.live.insert(b.0, parallel);
        self.memory.entry(b.0).or_default().push(Item::Undef);
        self.loads.retain(|k, _| k.0 != b.0);
        Ok(())
    }

    /// Whether a number is not negative, or a product of two that are not.
    fn is_size(&self, n: Nat) -> bool {
        let fits = |n: Nat| self.cx.known.at_least(n, Nat::int(0));
        let product = |rest: Nat| {
            let other = n.exact_div(rest);
            is_whole(other) && fits(rest) && fits(other)
        };
        fits(n) || rests(n).into_iter().any(product)
    }

    /// Whether the arena has memory for a buffer wherever its block runs.
    fn placed(&mut self, b: BufId) -> Res<()> {
        let buf = &self.nest.buffers[b.0 as usize];
        let each_thread = match buf.storage {
            StorageClass::Heap => false,
            StorageClass::ThreadHeap => true,
            _ => return Ok(()),
        };
        let parts = self.nest.entry.arena.as_ref();
        let Some(part) = parts.and_then(|p| p.iter().find(|p| p.buf == b)) else {
            return Err(Stuck::new("there is no memory for it"));
        };
        if part.each_thread != each_thread {
            return Err(Stuck::new(
                "threads share its memory, or each has one too many",
            ));
        }
        for (cond, holds) in &part.when {
            let around = self.choices.iter().any(|(c, h)| h == holds && c.same(cond));
            let known = around || {
                let c = self.scalar(cond)?;
                self.cx.decide(c) == Some(*holds)
            };
            if !known {
                return Err(Stuck::new("it is used where there may be no memory for it"));
            }
        }
        Ok(())
    }

    pub fn choice(&mut self, cond: &Expr, then: &Block, els: &Block) -> Res<()> {
        let c = self.scalar(cond)?;
        match self.cx.decide(c) {
            Some(true) => return self.side(cond, true, then),
            Some(false) => return self.side(cond, false, els),
            None => {}
        }
        let vars = self.vars.clone();
        let memory = self.memory.clone();
        let mark = self.cx.known.mark();
        self.cx.assume(c, true);
        self.side(cond, true, then)?;
        self.cx.known.restore(mark);
        let vars_then = std::mem::replace(&mut self.vars, vars);
        let memory_then = std::mem::replace(&mut self.memory, memory.clone());
        self.loads.clear();
        self.cx.assume(c, false);
        self.side(cond, false, els)?;
        self.cx.known.restore(mark);
        let mut all: Vec<u32> = memory_then
            .keys()
            .chain(self.memory.keys())
            .copied()
            .collect();
        all.sort_unstable();
        all.dedup();
        for b in all {
            let before = memory.get(&b).map_or(0, Vec::len);
            let tail = |m: &FxHashMap<u32, Vec<Item>>| {
                let all = m.get(&b).map_or(&[][..], |m| m);
                Rc::new(all[before.min(all.len())..].to_vec())
            };
            let (then, els) = (tail(&memory_then), tail(&self.memory));
            let list = self.memory.entry(b).or_default();
            list.truncate(before);
            if !then.is_empty() || !els.is_empty() {
                list.push(Item::Cond(c, then, els));
            }
        }
        self.loads.clear();
        self.join(c, vars_then)
    }

    fn side(&mut self, cond: &Expr, holds: bool, block: &Block) -> Res<()> {
        self.choices.push((cond.clone(), holds));
        self.block(block)?;
        self.choices.pop();
        Ok(())
    }

    /// Variables after a choice.
    fn join(&mut self, c: V, then: FxHashMap<Symbol, Var>) -> Res<()> {
        let mut names: Vec<Symbol> = self.vars.keys().copied().collect();
        names.sort();
        for name in names {
            let Some(a) = then.get(&name) else { continue };
            let b = &self.vars[&name];
            let value = match (&a.value, &b.value) {
                (Some(x), Some(y)) => {
                    let (x, y, n) = (x.clone(), y.clone(), b.lanes);
                    if let (Lanes::Each(x), Lanes::Each(y)) = (&x, &y) {
                        if x == y {
                            continue;
                        }
                    }
                    let mut of = |cx: &mut Values, v: &[V]| {
                        Ok(cx.op(Op::Select, Scalar::Bool, &[c, v[0], v[1]]))
                    };
                    Some(self.lanewise(n, &[x, y], &mut of)?)
                }
                (None, None) => continue,
                _ => Some(Lanes::Bad(Stuck::new(format!(
                    "`{name}` is assigned on one side of a choice only"
                )))),
            };
            if let Some(v) = self.vars.get_mut(&name) {
                v.value = value;
            }
        }
        Ok(())
    }

    fn store(&mut self, buf: BufId, index: Nat, value: &Expr) -> Res<()> {
        let root = self.nest.root(buf).0;
        let name = self.nest.buffers[buf.0 as usize].name;
        if matches!(
            self.nest.buffers[root as usize].storage,
            StorageClass::Input(_)
        ) {
            return Err(Stuck::new(format!("the input `{name}` is written")));
        }
        let lanes = value.shape().lanes;
        let value = self.lanes(value)?;
        let e = self.nat(index)?;
        self.bounds(buf, e, lanes);
        let place = self.place(&format!("{name}[{index}]"));
        let statement = self.tally.at;
        let one = |at: Nat, value: V| {
            Item::Store(Store {
                at,
                value,
                statement,
                place: place.clone(),
            })
        };
        let items = match value {
            Lanes::Bad(why) => return Err(why),
            Lanes::Each(v) if lanes == 1 => vec![one(e, v)],
            Lanes::Each(v) => {
                let l = self.cx.symbol("s");
                self.cx
                    .known
                    .range(l, Nat::int(0), Nat::int(i64::from(lanes) - 1));
                let Some(AtomKind::Var(own)) = lane(&mut self.cx, lanes).as_atom().map(Atom::kind)
                else {
                    return Err(Stuck::new("a lane without a name"));
                };
                let v = self.cx.with(v, own, Nat::var(l))?;
                let inner = Rc::new(vec![one(e + Nat::var(l), v)]);
                vec![Item::Loop(l, Nat::int(lanes.into()), inner)]
            }
            Lanes::All(vs) => {
                let each = vs.iter().enumerate();
                each.map(|(i, v)| one(e + Nat::int(i as i64), *v)).collect()
            }
        };
        if !self.live.contains_key(&root) {
            return Err(Stuck::new(format!(
                "`{name}` is stored to outside of its block"
            )));
        }
        self.memory.entry(root).or_default().extend(items);
        self.loads.retain(|k, _| k.0 != root);
        Ok(())
    }
}
