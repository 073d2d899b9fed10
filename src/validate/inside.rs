//! What stands in a value.
//!
//! In: values. Out: the variables, cells and places in them. Absent: what they are made of (`value`), what is known.

use super::node::{nats, values};
use super::value::{cell_bit, Fold, Node, Values, BOUND, CELLS, V};
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::term::Op;
use rustc_hash::FxHashSet;
use std::rc::Rc;

impl Values {
    /// Calls `f` on every value in it, each once, also on those that indices are.
    pub fn visit(&self, v: V, f: &mut dyn FnMut(V, &Node)) {
        self.visit_marked(v, u128::MAX, f);
    }

    /// Only those in which there is one of some bits, see [`Values::marks`]; all bits are those of any value.
    pub fn visit_marked(&self, v: V, bits: u128, f: &mut dyn FnMut(V, &Node)) {
        let mut seen = self.seen.take();
        seen.begin(self.many());
        let mut open = vec![v];
        while let Some(v) = open.pop() {
            if !self.is_marked(v, bits) || !seen.insert(v) {
                continue;
            }
            let node = self.node(v);
            f(v, node);
            open.extend(values(node).into_iter().rev());
            if !self.named.is_empty() {
                nats(node).for_each(|n| open.extend(self.names_in(n).into_iter().map(|n| n.1)));
            }
        }
        self.seen.replace(seen);
    }

    /// The cells of a loop in it, in the order in which they stand in it.
    pub fn cells(&self, v: V, of: u32) -> Rc<[V]> {
        if !self.is_marked(v, cell_bit(of)) {
            return Rc::default();
        }
        if let Some(known) = self.cells_in.borrow().get(&(v, of)) {
            return known.clone();
        }
        let mut found = Vec::new();
        self.visit_marked(v, cell_bit(of), &mut |v, n| {
            if matches!(n, Node::Cell(o, ..) if *o == of) {
                found.push(v);
            }
        });
        let found: Rc<[V]> = found.into();
        self.cells_in.borrow_mut().insert((v, of), found.clone());
        found
    }

    /// The reductions in it that stand in no other one.
    pub fn outer_folds(&self, v: V) -> Vec<(V, Rc<Fold>)> {
        let (mut found, mut seen, mut open) = (Vec::new(), FxHashSet::default(), vec![v]);
        while let Some(v) = open.pop() {
            match self.node(v) {
                _ if !seen.insert(v) => {}
                Node::Fold(f) => found.push((v, f.clone())),
                Node::Tensor(..) => {}
                node => open.extend(values(node)),
            }
        }
        found
    }

    /// Whether a cell of a loop in it is at the index of a reduction.
    pub fn reads_at_bound(&self, v: V, of: u32) -> bool {
        self.cells(v, of).iter().any(|c| match self.node(*c) {
            Node::Cell(_, _, at) => at.iter().any(|n| self.is_bound(*n)),
            _ => false,
        })
    }

    /// The places of states of loops in it, which stand for all of theirs.
    pub fn parameters(&self, v: V) -> Vec<Symbol> {
        let mut found = Vec::new();
        self.visit(v, &mut |_, n| {
            if let Node::Tensor(t, ..) = n {
                found.extend(t.parts.iter().flat_map(|p| &p.params));
            }
        });
        found
    }

    /// Whether it is not known what an element is before an iteration that is looked at.
    pub fn is_open(&self, v: V) -> bool {
        let (mut cells, mut bound) = (FxHashSet::default(), FxHashSet::default());
        self.visit_marked(v, CELLS, &mut |_, n| match n {
            Node::Cell(of, ..) => {
                cells.insert(*of);
            }
            Node::Tensor(t, ..) => {
                bound.insert(t.of);
            }
            _ => {}
        });
        !cells.is_subset(&bound)
    }

    /// Whether a condition compares indices alone.
    pub fn is_of_indices(&self, c: V) -> bool {
        match self.node(c) {
            Node::Op(Op::And | Op::Or | Op::Not, _, args) => {
                args.iter().all(|a| self.is_of_indices(*a))
            }
            Node::Op(_, _, args) => args.iter().all(|a| self.as_index(*a).is_some()),
            _ => false,
        }
    }

    pub fn any(&self, v: V, is: impl Fn(&Node) -> bool) -> bool {
        let mut found = false;
        self.visit(v, &mut |_, n| found |= is(n));
        found
    }

    /// Whether a variable stands in a number, or in a value that is part of it.
    pub fn mentions(&self, n: Nat, var: Symbol) -> bool {
        n.vars().iter().any(|s| {
            let inner = self.named.get(s);
            *s == var || inner.is_some_and(|v| self.value_mentions(*v, var))
        })
    }

    /// Whether the index of a reduction stands in a number.
    pub fn is_bound(&self, n: Nat) -> bool {
        let bound = |n: Nat| n.vars().iter().any(|s| s.as_str().starts_with(BOUND));
        let mut found = bound(n);
        for (_, v) in self.names_in(n) {
            self.visit(v, &mut |_, node| found |= nats(node).any(bound));
        }
        found
    }

    pub fn value_mentions(&self, v: V, var: Symbol) -> bool {
        let mut found = false;
        self.visit(v, &mut |_, node| {
            found |= nats(node).any(|n| n.mentions(var))
        });
        found
    }
}
