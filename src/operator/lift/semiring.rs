//! Linear forms over semirings.
//!
//! In: an expression, the numbers of the state. Out: a coefficient for each of them, and what is added: expressions that do not
//! read the state. A coefficient that is the zero of the semiring is absent; where the type has no such number, whether it
//! is absent is a truth value beside it. Absent: which semiring fits (`summary`).

use super::simple::Builder;
use crate::operator::dag::{Id, What};
use crate::operator::Meaning;
use crate::term::Op;
use crate::ty::Scalar;
use std::collections::BTreeSet;

/// A sum that associates and commutes, and a product that distributes over it, on numbers of a type.
#[derive(Copy, Clone)]
pub(super) struct Semiring {
    pub sum: Op,
    pub product: Op,
    pub one: Id,
    pub zero: Option<Id>,
    pub ty: Scalar,
}

/// A coefficient, and whether there is one.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub present: Id,
    pub value: Id,
}

impl Semiring {
    /// The name of it, for people.
    pub fn name(&self) -> String {
        let sign = |op| match op {
            Op::Add => "+",
            Op::Mul => "*",
            op => Op::name(op),
        };
        format!("({}, {})", sign(self.sum), sign(self.product))
    }

    /// The semirings on the numbers of a type, as they are read.
    pub fn all(b: &mut Builder, ty: Scalar) -> Vec<Semiring> {
        let mut found = Vec::new();
        let mut add = |sum, product, one: Option<Id>, zero: Option<Id>| {
            if let Some(one) = one {
                found.push(Semiring {
                    sum,
                    product,
                    one,
                    zero,
                    ty,
                });
            }
        };
        if ty == Scalar::Bool {
            let (no, yes) = (b.truth(false), b.truth(true));
            add(Op::Or, Op::And, yes, no);
            add(Op::And, Op::Or, no, yes);
            add(Op::Ne, Op::And, yes, no);
            return found;
        }
        let (zero, one) = (b.number(0, ty), b.number(1, ty));
        add(Op::Add, Op::Mul, one, zero);
        let (least, most) = b.ends(ty).unwrap_or_default();
        if ty.is_float() || b.meaning == Meaning::Unbounded {
            let infinities = ty.is_float() && !b.finite;
            let infinite = |end: Option<Id>| end.filter(|_| infinities);
            add(Op::Max, Op::Add, zero, infinite(least));
            add(Op::Min, Op::Add, zero, infinite(most));
        }
        add(Op::Min, Op::Max, least, most);
        add(Op::Max, Op::Min, most, least);
        if ty.is_int() {
            let ones = match ty.is_signed() || !b.meaning.wraps() {
                true => b.number(-1, ty),
                false => most,
            };
            add(Op::BitOr, Op::BitAnd, ones, zero);
            add(Op::BitAnd, Op::BitOr, zero, ones);
            add(Op::BitXor, Op::BitAnd, ones, zero);
        }
        found
    }

    pub fn absent(&self, b: &mut Builder) -> Option<Entry> {
        let present = b.truth(false)?;
        Some(Entry {
            present,
            value: self.one,
        })
    }

    pub fn given(&self, b: &mut Builder, value: Id) -> Option<Entry> {
        if Some(value) == self.zero {
            return self.absent(b);
        }
        let present = b.truth(true)?;
        Some(Entry { present, value })
    }

    /// A coefficient that may be absent, as a number where there is one for that.
    fn maybe(&self, b: &mut Builder, present: Id, value: Id) -> Option<Entry> {
        if b.is_truth(present, false) {
            return self.absent(b);
        }
        match self.zero {
            Some(zero) if !b.is_truth(present, true) => {
                let value = b.apply(Op::Select, &[present, value, zero])?;
                self.given(b, value)
            }
            Some(_) => self.given(b, value),
            None => Some(Entry { present, value }),
        }
    }

    pub fn add(&self, b: &mut Builder, x: Entry, y: Entry) -> Option<Entry> {
        if b.is_truth(x.present, false) {
            return Some(y);
        }
        if b.is_truth(y.present, false) {
            return Some(x);
        }
        let sum = b.apply(self.sum, &[x.value, y.value])?;
        let without_x = b.apply(Op::Select, &[y.present, sum, x.value])?;
        let value = b.apply(Op::Select, &[x.present, without_x, y.value])?;
        let present = b.apply(Op::Or, &[x.present, y.present])?;
        self.maybe(b, present, value)
    }

    pub fn mul(&self, b: &mut Builder, x: Entry, y: Entry) -> Option<Entry> {
        let present = b.apply(Op::And, &[x.present, y.present])?;
        if b.is_truth(present, false) {
            return self.absent(b);
        }
        let value = match () {
            () if x.value == self.one => y.value,
            () if y.value == self.one => x.value,
            () => b.apply(self.product, &[x.value, y.value])?,
        };
        self.maybe(b, present, value)
    }

    pub fn choose(&self, b: &mut Builder, c: Id, x: Entry, y: Entry) -> Option<Entry> {
        if x == y {
            return Some(x);
        }
        let present = b.apply(Op::Select, &[c, x.present, y.present])?;
        // What is absent may have any value.
        let value = if b.is_truth(x.present, false) {
            y.value
        } else if b.is_truth(y.present, false) {
            x.value
        } else {
            b.apply(Op::Select, &[c, x.value, y.value])?
        };
        self.maybe(b, present, value)
    }

    /// The linear form of an expression: a coefficient for each of `state`, and what is added.
    pub fn linear(&self, b: &mut Builder, id: Id, state: &[Id]) -> Option<Vec<Entry>> {
        let leaves: BTreeSet<Id> = state.iter().copied().collect();
        if !b.mentions(id, &leaves) {
            let mut form = vec![self.absent(b)?; state.len()];
            form.push(self.given(b, id)?);
            return Some(form);
        }
        if let Some(j) = state.iter().position(|s| *s == id) {
            let mut form = vec![self.absent(b)?; state.len() + 1];
            form[j] = self.given(b, self.one)?;
            return Some(form);
        }
        let What::Apply(op, n, args) = b.dag.node(id).what else {
            return None;
        };
        let args = &args[..n.into()];
        let reads: Vec<bool> = args.iter().map(|a| b.mentions(*a, &leaves)).collect();
        match (op, args) {
            (Op::Select, [c, x, y]) if !reads[0] => {
                let (x, y) = (self.linear(b, *x, state)?, self.linear(b, *y, state)?);
                let both = x.into_iter().zip(y);
                both.map(|(x, y)| self.choose(b, *c, x, y)).collect()
            }
            (op, [x, y]) if op == self.sum => self.sum_of(b, *x, *y, state),
            (op, [x, y]) if op == self.product && reads != [true, true] => {
                let (form, by) = if reads[0] { (*x, *y) } else { (*y, *x) };
                self.scaled(b, form, by, state)
            }
            _ => self.inverse_operation(b, op, args, state),
        }
    }

    fn sum_of(&self, b: &mut Builder, x: Id, y: Id, state: &[Id]) -> Option<Vec<Entry>> {
        let (x, y) = (self.linear(b, x, state)?, self.linear(b, y, state)?);
        let both = x.into_iter().zip(y);
        both.map(|(x, y)| self.add(b, x, y)).collect()
    }

    fn scaled(&self, b: &mut Builder, x: Id, by: Id, state: &[Id]) -> Option<Vec<Entry>> {
        let by = self.given(b, by)?;
        let form = self.linear(b, x, state)?;
        form.into_iter().map(|e| self.mul(b, e, by)).collect()
    }

    /// Differences, quotients, opposites.
    fn inverse_operation(
        &self,
        b: &mut Builder,
        op: Op,
        args: &[Id],
        state: &[Id],
    ) -> Option<Vec<Entry>> {
        let leaves: BTreeSet<Id> = state.iter().copied().collect();
        match (op, args) {
            (Op::Neg, [x]) if self.product == Op::Mul => {
                let minus = b.number(-1, self.ty)?;
                self.scaled(b, *x, minus, state)
            }
            (Op::Sub, [x, y])
                if self.product == Op::Mul && (self.ty.is_float() || self.ty.is_signed()) =>
            {
                let y = b.apply(Op::Neg, &[*y])?;
                self.sum_of(b, *x, y, state)
            }
            (Op::Sub, [x, y]) if self.product == Op::Add && !b.mentions(*y, &leaves) => {
                let y = b.apply(Op::Neg, &[*y])?;
                self.scaled(b, *x, y, state)
            }
            (Op::Div, [x, y])
                if self.product == Op::Mul && self.ty.is_float() && !b.mentions(*y, &leaves) =>
            {
                let one = b.number(1, self.ty)?;
                let y = b.apply(Op::Div, &[one, *y])?;
                self.scaled(b, *x, y, state)
            }
            (Op::Shl, [x, y]) if self.product == Op::Mul && !b.mentions(*y, &leaves) => {
                let one = b.number(1, self.ty)?;
                let power = b.apply(Op::Shl, &[one, *y])?;
                self.scaled(b, *x, power, state)
            }
            _ => None,
        }
    }
}
