//! Values with others in place of some, or by more that is known.
//!
//! In: a value, what comes in place of what. Out: the same value where that is so. Invariant: no index and no state of a reduction is
//! caught by another one. Absent: values (`value`), steps of reductions (`fold`) and of states (`tensor`).

use super::node::numbered;
use super::value::{cell_bit, state_bit, var_bit, Fold, Node, Res, Tensor, Values, V};
use super::Stuck;
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::term::Op;
use crate::ty::Scalar;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// A rewriting: variables and whole values are replaced, and what is known is used again.
#[derive(Default)]
pub struct Rewrite {
    pub vars: FxHashMap<Symbol, Nat>,
    pub exact: FxHashMap<V, V>,
    /// How deep the reductions are that come in.
    deepest: u32,
    /// If they come in for the state of a reduction alone, how deep that is.
    state: Option<u32>,
    memo: FxHashMap<V, V>,
    /// What stands for the cells of a loop.
    pub cells: Option<(u32, OfCell)>,
    /// As of the last look: variables and values only come in addition.
    replaced: Option<Replaced>,
    pub tensors: FxHashMap<usize, (Rc<Tensor>, Rc<Tensor>)>,
}

/// What an element of a state is.
pub type OfCell = Rc<dyn Fn(&mut Values, u32, &[Nat]) -> Res<V>>;

impl Rewrite {
    /// Where indices of reductions may come in, too: all reductions are opened, so that none is caught.
    pub fn opening() -> Rewrite {
        Rewrite {
            deepest: u32::MAX,
            ..Rewrite::default()
        }
    }

    /// With values in place of the state of a reduction that is so deep.
    pub fn of_state(values: &mut Values, depth: u32, before: &[V]) -> Rewrite {
        let mut r = Rewrite::default();
        for (j, v) in before.iter().enumerate() {
            let acc = values.make(Node::Acc(depth, j as u32));
            r.put(values, acc, *v);
        }
        r.state = Some(depth);
        r
    }

    /// The index of a reduction may come in anywhere.
    pub fn opens(&mut self) {
        self.state = None;
    }

    /// With one value in place of another.
    pub fn put(&mut self, values: &Values, from: V, to: V) {
        self.exact.insert(from, to);
        self.state = None;
        self.deepest = self.deepest.max(values.depth(to));
    }
}

/// A value, what was known, and whether that is written into it.
type Here = (V, u64, bool);

/// What a rewriting replaces, as bits: of how many variables and values, states of reductions, variables and cells.
type Replaced = ((usize, usize), u64, u128);

impl Values {
    pub fn rewrite_nat(&mut self, r: &mut Rewrite, n: Nat) -> Res<Nat> {
        self.spend(1)?;
        let mut new: SmallVec<[(Symbol, Nat); 4]> = SmallVec::new();
        for s in n.vars().iter().copied() {
            if let Some(to) = r.vars.get(&s) {
                new.push((s, *to));
            } else if let Some(v) = self.named.get(&s).copied() {
                let other = self.rewrite(r, v)?;
                if other != v {
                    new.push((s, self.nat(other)));
                }
            }
        }
        let n = match new.is_empty() {
            true => n,
            false => self.substituted(n, new),
        };
        let n = if self.anew { self.known.settled(n) } else { n };
        if n.is_overflow() {
            return Err(Stuck::new("an index is too large to reason about"));
        }
        Ok(self.known.simplify(n))
    }

    /// A number with others in place of variables: the same wherever it is asked for.
    fn substituted(&mut self, n: Nat, new: SmallVec<[(Symbol, Nat); 4]>) -> Nat {
        let key = (n, new);
        if let Some(known) = self.substitutions.get(&key) {
            return *known;
        }
        let to = |s: Symbol| key.1.iter().find(|o| o.0 == s).map(|o| o.1);
        let done = n.subst_vars(&mut |s| to(s));
        self.substitutions.insert(key, done);
        done
    }

    /// Whether something in a value may be replaced. What has a bit in common may be something else.
    pub fn may_replace(&self, r: &mut Rewrite, v: V) -> bool {
        let many = (r.vars.len(), r.exact.len());
        let (_, states, marks) = match r.replaced {
            Some(known) if known.0 == many => known,
            _ => {
                let cells = r.cells.as_ref().map_or(0, |(of, _)| cell_bit(*of));
                let mut marks = r.vars.keys().fold(cells, |m, v| m | var_bit(*v));
                let mut states = 0;
                for from in r.exact.keys() {
                    match self.node(*from) {
                        Node::Acc(depth, _) => states |= state_bit(*depth),
                        Node::Cell(of, ..) => marks |= cell_bit(*of),
                        // It may stand anywhere.
                        _ => states = u64::MAX,
                    }
                }
                *r.replaced.insert((many, states, marks))
            }
        };
        let place = v.0 as usize;
        states == u64::MAX || self.states[place] & states != 0 || self.marks[place] & marks != 0
    }

    /// The value with others in place of some, under what is known now.
    pub fn rewrite(&mut self, r: &mut Rewrite, v: V) -> Res<V> {
        if let Some(done) = r.exact.get(&v).or_else(|| r.memo.get(&v)) {
            return Ok(*done);
        }
        // What is only looked at by what is known is the same each time, as long as that is.
        let here = (!self.may_replace(r, v)).then(|| (v, self.known.state(), self.anew));
        if let Some(done) = here.and_then(|here| self.refreshed.get(&here)) {
            return Ok(*done);
        }
        self.spend(1)?;
        if let Node::Op(op, of, args) = self.node(v) {
            let (op, of, args) = (*op, *of, SmallVec::<[V; 3]>::from_slice(args));
            let done = self.rewrite_op(r, (op, of), &args)?;
            return Ok(self.is_rewritten(r, (v, here), done));
        }
        let done = match self.node(v).clone() {
            // Operations were looked at.
            Node::Lit(..) | Node::Acc(..) | Node::Undef | Node::Op(..) => v,
            Node::Idx(n) => {
                let n = self.rewrite_nat(r, n)?;
                self.index(n)
            }
            Node::In(s, n) => {
                let n = self.rewrite_nat(r, n)?;
                self.input(s, n)
            }
            Node::Cast(a, from, to) => {
                let a = self.rewrite(r, a)?;
                self.cast(a, from, to)
            }
            Node::Bits(a, from, to) => {
                let a = self.rewrite(r, a)?;
                self.make(Node::Bits(a, from, to))
            }
            Node::Clamp(a, n) => {
                let a = self.rewrite(r, a)?;
                let n = self.rewrite_nat(r, n)?;
                self.clamp(a, n)
            }
            Node::Cell(of, part, at) => {
                let mut new: SmallVec<[Nat; 2]> = SmallVec::new();
                for n in at {
                    new.push(self.rewrite_nat(r, n)?);
                }
                match r.cells.clone().filter(|c| c.0 == of) {
                    Some((_, value)) => value(self, part, &new)?,
                    None => {
                        let cell = self.make(Node::Cell(of, part, new));
                        r.exact.get(&cell).copied().unwrap_or(cell)
                    }
                }
            }
            Node::Fold(f) => self.rewrite_fold(r, v, &f)?,
            Node::Table(n, all) => self.rewrite_table(r, n, &all)?,
            Node::Tensor(t, leaf, at) => {
                let mut new: SmallVec<[Nat; 2]> = SmallVec::new();
                for n in at {
                    new.push(self.rewrite_nat(r, n)?);
                }
                let t = self.rewrite_tensor(r, &t)?;
                self.make(Node::Tensor(t, leaf, new))
            }
        };
        Ok(self.is_rewritten(r, (v, here), done))
    }

    fn is_rewritten(&mut self, r: &mut Rewrite, (v, here): (V, Option<Here>), done: V) -> V {
        match here {
            Some(here) => self.refreshed.insert(here, done),
            None => r.memo.insert(v, done),
        };
        done
    }

    fn rewrite_op(&mut self, r: &mut Rewrite, (op, of): (Op, Scalar), args: &[V]) -> Res<V> {
        if let (Op::Select, [c, a, b]) = (op, args) {
            let c = self.rewrite(r, *c)?;
            return match self.decide(c) {
                Some(true) => self.rewrite(r, *a),
                Some(false) => self.rewrite(r, *b),
                None => {
                    let (a, b) = (self.rewrite(r, *a)?, self.rewrite(r, *b)?);
                    Ok(self.op(Op::Select, of, &[c, a, b]))
                }
            };
        }
        let mut new: SmallVec<[V; 3]> = SmallVec::new();
        for a in args {
            new.push(self.rewrite(r, *a)?);
        }
        Ok(self.op(op, of, &new))
    }

    /// What comes in may have reductions that are as deep as this one: then it is opened, and closed again.
    fn rewrite_fold(&mut self, r: &mut Rewrite, v: V, f: &Rc<Fold>) -> Res<V> {
        let n = self.rewrite_nat(r, f.n)?;
        let starts = self.rewrite_all(r, &f.starts)?;
        let of_state = |depth| !self.has_state(v, depth);
        let none_comes_in = !self.may_replace(r, v) || r.state.is_some_and(of_state);
        if r.deepest < f.depth || none_comes_in {
            if n != f.n {
                let (old, new) = (self.step_index(f.depth, f.n), self.step_index(f.depth, n));
                r.vars.insert(old, Nat::var(new));
            }
            let steps = self.rewrite_all(r, &f.steps)?;
            return Ok(self.folded(Fold {
                depth: f.depth,
                n,
                starts,
                steps,
                which: f.which,
            }));
        }
        self.opened(f, n, |cx, (cells, k, steps)| {
            let steps = cx.rewrite_all(r, steps)?;
            cx.closed(n, (starts, steps, f.which), k, &numbered(cells))
        })
    }

    pub fn rewrite_all(&mut self, r: &mut Rewrite, all: &[V]) -> Res<Vec<V>> {
        all.iter().map(|v| self.rewrite(r, *v)).collect()
    }

    fn rewrite_table(&mut self, r: &mut Rewrite, n: Nat, all: &[V]) -> Res<V> {
        let n = self.rewrite_nat(r, n)?;
        let place = self.known.settled(n).as_int();
        match place.and_then(|i| all.get(usize::try_from(i).ok()?)) {
            Some(v) => self.rewrite(r, *v),
            None => {
                let all = self.rewrite_all(r, all)?;
                Ok(self.table(n, &all))
            }
        }
    }

    /// Under what is known now.
    pub fn refresh(&mut self, v: V) -> Res<V> {
        self.rewrite(&mut Rewrite::default(), v)
    }

    /// With another number in place of a variable.
    pub fn with(&mut self, v: V, var: Symbol, to: Nat) -> Res<V> {
        let mut r = Rewrite::default();
        r.vars.insert(var, to);
        self.rewrite(&mut r, v)
    }
}
