//! What an operation on scalars is by its operands alone: where they are the same, or one is 0 or 1, or their types bound them.
//!
//! In: operations. Out: a value that is the same, to the bit. Absent: what is known (`decide`), constants (`value`), indices (`numbers`).

use super::value::{Node, Values, V};
use crate::arith::Nat;
use crate::term::{Lit, Op};
use crate::ty::Scalar;

impl Values {
    pub(super) fn of_operands(&mut self, op: Op, of: Scalar, args: &[V]) -> Option<V> {
        let found = self.of_zero_or_one(op, of, args);
        let found = found.or_else(|| self.zero_and_constant(op, args));
        let found = found.or_else(|| self.by_types(op, of, args));
        let found = found.or_else(|| self.below_zero(op, args));
        let found = found.or_else(|| self.below_bound(op, args));
        found.or_else(|| self.of_the_same(op, of, args))
    }

    /// Of what is the same twice: no number of floats need be itself.
    fn of_the_same(&mut self, op: Op, of: Scalar, args: &[V]) -> Option<V> {
        let [a, b] = *args else { return None };
        let is_exact = |t: Scalar| !t.is_float();
        match op {
            _ if a != b => None,
            Op::And | Op::Or | Op::Min | Op::Max => Some(a),
            Op::Sub if of.is_int() => Some(self.lit(Lit::Int(0), of)),
            Op::Eq | Op::Ne if self.type_of(a).is_some_and(is_exact) => {
                Some(self.bool(op == Op::Eq))
            }
            _ => None,
        }
    }

    /// The smaller or the larger of two integers, where the types of what they were are why.
    fn by_types(&self, op: Op, of: Scalar, args: &[V]) -> Option<V> {
        let ([a, b], Op::Min | Op::Max, true) = (args, op, of.is_int()) else {
            return None;
        };
        let ((a_least, a_most), (b_least, b_most)) = (self.ends(*a, of), self.ends(*b, of));
        let (less, more) = match (a_most <= b_least, b_most <= a_least) {
            (true, _) => (a, b),
            (_, true) => (b, a),
            _ => return None,
        };
        Some(if op == Op::Min { *less } else { *more })
    }

    /// Numbers without a sign are at least 0.
    fn below_zero(&mut self, op: Op, args: &[V]) -> Option<V> {
        let [a, b] = args else { return None };
        let zero = |v: &V| match self.node(*v) {
            Node::Lit(Lit::Int(0), of) => of.is_int() && !of.is_signed(),
            _ => false,
        };
        match op {
            Op::Lt if zero(b) => Some(self.bool(false)),
            Op::Le if zero(a) => Some(self.bool(true)),
            _ => None,
        }
    }

    /// A number without a sign is what it is bounded to where it is below the bound.
    fn below_bound(&mut self, op: Op, args: &[V]) -> Option<V> {
        let (Op::Eq, [a, b]) = (op, args) else {
            return None;
        };
        for (number, bounded) in [(*a, *b), (*b, *a)] {
            let index = match *self.node(bounded) {
                Node::Cast(v, Scalar::I64, _) => v,
                _ => bounded,
            };
            let Node::Clamp(of, n) = *self.node(index) else {
                continue;
            };
            let number = self.unwidened(number);
            let elem = self
                .type_of(number)
                .filter(|t| t.is_int() && !t.is_signed());
            let Some(elem) = elem.filter(|t| t.bytes() < 8) else {
                continue;
            };
            if number == self.unwidened(of) && self.known.at_least(n, Nat::int(1)) {
                let wide = self.cast(number, elem, Scalar::I64);
                let n = self.index(n);
                return Some(self.op(Op::Lt, Scalar::Bool, &[wide, n]));
            }
        }
        None
    }

    /// What an integer was before it was converted to types that have it, too.
    fn unwidened(&self, v: V) -> V {
        match *self.node(v) {
            Node::Cast(of, from, to) if from.widens_to(to) => self.unwidened(of),
            _ => v,
        }
    }

    /// Between which numbers an integer of a type is.
    fn ends(&self, v: V, of: Scalar) -> (i128, i128) {
        let number = |n: Option<i128>| n.map_or(of.bounds(), |n| (n, n));
        match self.node(v) {
            Node::Lit(Lit::Int(i), _) => number(Some(*i)),
            Node::Idx(n) => number(n.as_int().map(i128::from)),
            Node::Cast(_, from, _) if !from.is_float() => {
                let (own, all) = (from.bounds(), of.bounds());
                match all.0 <= own.0 && own.1 <= all.1 {
                    true => own,
                    false => all,
                }
            }
            _ => of.bounds(),
        }
    }

    /// The type of a value, where its form says it.
    fn type_of(&self, v: V) -> Option<Scalar> {
        match self.node(v) {
            // Of a choice it need not be said.
            Node::Op(Op::Select, ..) => None,
            Node::Lit(_, of) | Node::Cast(_, _, of) | Node::Bits(_, _, of) | Node::Op(_, of, _) => {
                Some(*of)
            }
            Node::In(slot, _) => self.types.get(*slot as usize).copied(),
            _ => None,
        }
    }

    /// The other operand, or the same, where one is 0 or 1: of integers, which have one 0.
    fn of_zero_or_one(&self, op: Op, of: Scalar, args: &[V]) -> Option<V> {
        let [a, b] = args else { return None };
        if !of.is_int() {
            return None;
        }
        let is = |v: &V, i: i64| match self.node(*v) {
            Node::Lit(Lit::Int(n), _) => *n == i.into(),
            Node::Idx(n) => n.as_int() == Some(i),
            _ => false,
        };
        match op {
            Op::Add if is(a, 0) => Some(*b),
            Op::Add | Op::Sub if is(b, 0) => Some(*a),
            Op::Mul if is(a, 1) || is(b, 0) => Some(*b),
            Op::Mul if is(b, 1) || is(a, 0) => Some(*a),
            _ => None,
        }
    }
}
