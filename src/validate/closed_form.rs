//! Reductions that have a value without a loop.
//!
//! In: a reduction. Out: its value as one of few, where every step only moves the parts of its state, or puts there what it makes of
//! other things, or where an equation says which step does something. Invariant: the same value for any number of steps; less than
//! none are none. Absent: reductions of constants (`fold`).

use super::value::{Fold, Node, Res, Values, V};
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::term::Op;
use crate::ty::Scalar;

impl Values {
    /// The value of a reduction without a loop, if it has a form of these.
    pub fn without_loop(&mut self, f: &Fold) -> Res<Option<V>> {
        match self.moved(f).or_else(|| self.handed_on(f)) {
            Some(v) => Ok(Some(v)),
            None => self.only_step(f),
        }
    }

    /// A part of the state that every step takes from another one, until it comes back: which one of them it is says the remainder.
    fn moved(&mut self, f: &Fold) -> Option<V> {
        let (mut all, mut next) = (Vec::new(), f.which);
        while all.is_empty() || next != f.which {
            // What never comes back goes around elsewhere.
            if all.len() == f.steps.len() {
                return None;
            }
            all.push(f.starts[next as usize]);
            match self.node(f.steps[next as usize]) {
                Node::Acc(depth, from) if *depth == f.depth => next = *from,
                _ => return None,
            }
        }
        let n = match self.known.at_least(f.n, Nat::int(0)) {
            true => f.n,
            false => f.n.max(Nat::int(0)),
        };
        let rest = self.known.rem(n, Nat::int(all.len() as i64));
        match rest.as_int() {
            Some(i) => all.get(i as usize).copied(),
            None => Some(self.table(rest, &all)),
        }
    }

    /// A part of the state that every step takes from another one, as that one does, up to one that steps make of other things: what one of
    /// the last steps put there, or what stood there at first.
    fn handed_on(&mut self, f: &Fold) -> Option<V> {
        let (mut part, mut moves) = (f.which, 0);
        while let Node::Acc(depth, from) = self.node(f.steps[part as usize]) {
            if *depth != f.depth || f.n.as_int() == Some(moves) {
                break;
            }
            (part, moves) = (*from, moves + 1);
            if moves as usize > f.steps.len() {
                return None;
            }
        }
        if f.n.as_int() == Some(moves) {
            return Some(f.starts[part as usize]);
        }
        let step = f.n - Nat::int(moves + 1);
        let made = f.steps[part as usize];
        if self.has_state(made, f.depth) || !self.known.at_least(step, Nat::int(0)) {
            return None;
        }
        Some(self.stepped(f, &f.starts, step).ok()?[part as usize])
    }

    /// What the only step leaves that does anything: earlier ones leave the start, and later ones what it made.
    fn only_step(&mut self, f: &Fold) -> Res<Option<V>> {
        let Node::Op(Op::Select, _, args) = self.node(f.steps[f.which as usize]).clone() else {
            return Ok(None);
        };
        let kept = Node::Acc(f.depth, f.which);
        if f.steps.len() > 1 || *self.node(args[2]) != kept {
            return Ok(None);
        }
        let index = self.step_index(f.depth, f.n);
        let Some(k) = self.solved_for(args[0], index) else {
            return Ok(None);
        };
        let ends = [
            self.compare(Op::Le, Nat::int(0), k),
            self.compare(Op::Lt, k, f.n),
        ];
        let start = f.starts[f.which as usize];
        let is_step = self.op(Op::And, Scalar::Bool, &ends);
        if self.decide(is_step) == Some(false) {
            return Ok(Some(start));
        }
        let made = self.stepped(f, &f.starts, k)?[f.which as usize];
        Ok(Some(self.op(
            Op::Select,
            Scalar::Bool,
            &[is_step, made, start],
        )))
    }

    /// The only value of a variable with which a condition may hold, as one of its equations says.
    fn solved_for(&self, c: V, v: Symbol) -> Option<Nat> {
        match self.node(c) {
            Node::Op(Op::And, _, args) => args.iter().find_map(|a| self.solved_for(*a, v)),
            Node::Op(Op::Eq, _, args) => {
                let between = self.as_index(args[0])? - self.as_index(args[1])?;
                let by = between.coefficient(v)?;
                let rest = between - by * Nat::var(v);
                let fits = matches!(by.as_int(), Some(1 | -1)) && !self.mentions(rest, v);
                fits.then(|| Nat::int(0) - by * rest)
            }
            _ => None,
        }
    }
}
