//! Expressions that are built in simple form.
//!
//! In: operations on expressions. Out: an expression that is equal to it where numbers are read in the meaning. Invariant: what
//! does not hold to the bit is not done where floats are to the bit. Nothing rests on it: what is found with it is proved
//! afterwards. Absent: proofs.

use crate::interp::random::Rng;
use crate::interp::{self, Num};
use crate::operator::dag::{Dag, Id, Leaf, What};
use crate::operator::points::{self, Number};
use crate::operator::Meaning;
use crate::term::Op;
use crate::ty::Scalar;
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct Builder {
    pub dag: Dag,
    pub meaning: Meaning,
    /// Whether coefficients that there are not are told by truth values, also where infinities would be.
    pub finite: bool,
}

/// Choices of constants that operations are applied to one by one.
const MOST_CHOICES: usize = 16;
/// Points that tell truth values apart.
const TRUTHS: usize = 48;

impl Builder {
    pub fn ty(&self, id: Id) -> Scalar {
        self.dag.node(id).ty
    }

    /// A number that may have any value.
    pub fn leaf(&mut self, ty: Scalar) -> Option<Id> {
        self.dag.leaf(Leaf { ty, index: false })
    }

    pub fn truth(&mut self, b: bool) -> Option<Id> {
        self.dag.int(b.into(), Scalar::Bool)
    }

    pub fn number(&mut self, n: i128, ty: Scalar) -> Option<Id> {
        match ty.is_float() {
            true => self.dag.float(n as f64, ty),
            false => self.dag.int(n, ty),
        }
    }

    pub fn is_truth(&self, id: Id, b: bool) -> bool {
        self.ty(id) == Scalar::Bool && self.constant(id) == Some(b.into())
    }

    pub fn constant(&self, id: Id) -> Option<i128> {
        match self.dag.node(id).what {
            What::Const(c) => Some(c),
            _ => None,
        }
    }

    pub fn is_constant(&self, id: Id) -> bool {
        self.constant(id).is_some()
    }

    /// The number that a constant is, if it is a whole one or infinite.
    fn value(&self, id: Id) -> Option<f64> {
        let c = self.constant(id)?;
        match self.ty(id).is_float() {
            true => Some(f64::from_bits(c as u64)),
            false => Some(c as f64),
        }
    }

    pub fn is_infinite(&self, id: Id) -> bool {
        self.dag.is_infinite(id)
    }

    fn is(&self, id: Id, x: f64) -> bool {
        self.value(id) == Some(x)
    }

    /// Whether the expression mentions one of these leaves.
    pub fn mentions(&self, id: Id, leaves: &BTreeSet<Id>) -> bool {
        self.dag.cone(&[id]).iter().any(|i| leaves.contains(i))
    }

    /// What an operation that is no cast gives.
    pub fn apply(&mut self, op: Op, args: &[Id]) -> Option<Id> {
        let ty = match op {
            Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne | Op::And | Op::Or | Op::Not => {
                Scalar::Bool
            }
            Op::Select => self.ty(*args.get(1)?),
            _ => self.ty(*args.first()?),
        };
        self.apply_as(op, args, ty)
    }

    pub fn apply_as(&mut self, op: Op, args: &[Id], ty: Scalar) -> Option<Id> {
        if let Some(found) = self.simpler(op, args, ty) {
            return Some(found);
        }
        let mut args = args.to_vec();
        if matches!(
            op,
            Op::Add | Op::Mul | Op::Min | Op::Max | Op::And | Op::Or | Op::Eq | Op::Ne
        ) && self.free(ty)
        {
            args.sort();
        }
        let id = self.dag.apply(op, &args, ty)?;
        Some(self.folded(id, &args, ty).unwrap_or(id))
    }

    /// Whether numbers of the type may be rewritten.
    fn free(&self, ty: Scalar) -> bool {
        !ty.is_float() || !self.meaning.strict_floats()
    }

    /// The constant that an operation on constants is.
    fn folded(&mut self, id: Id, args: &[Id], ty: Scalar) -> Option<Id> {
        let exact = |x: f64| x.is_infinite() || x.fract() == 0.0 && x.abs() < 1e6;
        for a in args {
            let x = self.value(*a)?;
            if self.ty(*a).is_float() && !exact(x) {
                return None;
            }
        }
        let value = points::values(&self.dag, self.meaning, &[id], &[]);
        let constant = match (*value.first()?)? {
            Number::Integer(n) => return self.dag.int(n, ty),
            Number::Machine(n) if !ty.is_float() && ty == Scalar::U64 => i128::from(n.int() as u64),
            Number::Machine(n) if !ty.is_float() => n.int().into(),
            Number::Machine(n) => {
                return exact(n.as_f64()).then(|| self.dag.float(n.as_f64(), ty))?
            }
        };
        self.dag.int(constant, ty)
    }

    fn simpler(&mut self, op: Op, args: &[Id], ty: Scalar) -> Option<Id> {
        match (op, args) {
            (Op::Gt, [a, b]) => self.apply(Op::Lt, &[*b, *a]),
            (Op::Ge, [a, b]) => self.apply(Op::Le, &[*b, *a]),
            (Op::And | Op::Or | Op::Not, _) => self.logic(op, args),
            (Op::Select, [c, a, b]) => self.choice(*c, *a, *b),
            (Op::Eq | Op::Ne, [a, b]) if self.ty(*a) == Scalar::Bool => {
                let same = op == Op::Eq;
                for (x, y) in [(*a, *b), (*b, *a)] {
                    if let Some(c) = self.constant(x) {
                        return match (c != 0) == same {
                            true => Some(y),
                            false => self.apply(Op::Not, &[y]),
                        };
                    }
                }
                self.spread(op, args, ty)
            }
            (Op::Fma, [a, b, c]) if self.free(ty) => {
                let product = self.apply(Op::Mul, &[*a, *b])?;
                self.apply(Op::Add, &[product, *c])
            }
            _ if self.free(self.ty(*args.first()?)) && self.free(ty) => self
                .arithmetic(op, args, ty)
                .or_else(|| self.spread(op, args, ty)),
            _ => None,
        }
    }

    fn logic(&mut self, op: Op, args: &[Id]) -> Option<Id> {
        match (op, args) {
            (Op::Not, [a]) => match self.dag.node(*a).what {
                What::Const(c) => self.truth(c == 0),
                What::Apply(Op::Not, 1, [b, ..]) => Some(b),
                What::Apply(Op::Eq, 2, [a, b, _]) => self.apply(Op::Ne, &[a, b]),
                What::Apply(Op::Ne, 2, [a, b, _]) => self.apply(Op::Eq, &[a, b]),
                What::Apply(Op::Lt, 2, [a, b, _]) if self.free(self.ty(a)) => {
                    self.apply(Op::Le, &[b, a])
                }
                What::Apply(Op::Le, 2, [a, b, _]) if self.free(self.ty(a)) => {
                    self.apply(Op::Lt, &[b, a])
                }
                _ => None,
            },
            (Op::And | Op::Or, [a, b]) => {
                // The one that says nothing, the other decides.
                let neutral = op == Op::And;
                for (x, y) in [(*a, *b), (*b, *a)] {
                    if x == y || self.is_truth(x, neutral) {
                        return Some(y);
                    }
                    if self.is_truth(x, !neutral) {
                        return Some(x);
                    }
                    if self.dag.node(x).what == What::Apply(Op::Not, 1, [y; 3]) {
                        return self.truth(!neutral);
                    }
                }
                None
            }
            _ => None,
        }
    }

    fn choice(&mut self, c: Id, a: Id, b: Id) -> Option<Id> {
        if a == b {
            return Some(a);
        }
        if let Some(c) = self.constant(c) {
            return Some(if c != 0 { a } else { b });
        }
        if let What::Apply(Op::Not, 1, [c, ..]) = self.dag.node(c).what {
            return self.apply(Op::Select, &[c, b, a]);
        }
        if self.ty(a) == Scalar::Bool {
            for (x, y, then) in [(a, b, true), (b, a, false)] {
                let Some(known) = self.constant(x) else {
                    continue;
                };
                // `select c true y` and the like.
                let c = if then == (known != 0) {
                    c
                } else {
                    self.apply(Op::Not, &[c])?
                };
                let op = if known != 0 { Op::Or } else { Op::And };
                return self.apply(op, &[c, y]);
            }
        }
        if let What::Apply(order @ (Op::Lt | Op::Le), 2, [x, y, _]) = self.dag.node(c).what {
            let _ = order;
            if self.free(self.ty(a)) && self.ty(a) != Scalar::Bool {
                match (a, b) {
                    _ if (a, b) == (x, y) => return self.apply(Op::Min, &[x, y]),
                    _ if (a, b) == (y, x) => return self.apply(Op::Max, &[x, y]),
                    _ => {}
                }
            }
        }
        // A choice inside of the same choice is made already.
        if let What::Apply(Op::Select, 3, [d, x, _]) = self.dag.node(a).what {
            if d == c {
                return self.apply(Op::Select, &[c, x, b]);
            }
        }
        if let What::Apply(Op::Select, 3, [d, _, y]) = self.dag.node(b).what {
            if d == c {
                return self.apply(Op::Select, &[c, a, y]);
            }
        }
        None
    }

    fn arithmetic(&mut self, op: Op, args: &[Id], ty: Scalar) -> Option<Id> {
        let zero = |s: &Builder, id: Id| s.is(id, 0.0);
        let infinite = |s: &Builder, id: Id| s.value(id).filter(|x| x.is_infinite());
        match (op, args) {
            (Op::Add, [a, b]) => {
                for (x, y) in [(*a, *b), (*b, *a)] {
                    if zero(self, x) {
                        return Some(y);
                    }
                    if infinite(self, x).is_some() && infinite(self, y).is_none() {
                        return Some(x);
                    }
                }
                None
            }
            (Op::Sub, [a, b]) if zero(self, *b) => Some(*a),
            (Op::Sub, [a, b]) if a == b => self.number(0, ty),
            (Op::Sub, [a, b]) if self.negated(*b).is_some() => {
                let b = self.negated(*b)?;
                self.apply(Op::Add, &[*a, b])
            }
            (Op::Sub, [a, b]) => {
                if infinite(self, *a).is_some() && infinite(self, *b).is_none() {
                    return Some(*a);
                }
                match infinite(self, *b) {
                    Some(x) if infinite(self, *a).is_none() => self.dag.float(-x, ty),
                    _ => None,
                }
            }
            (Op::Mul, [a, b]) => {
                for (x, y) in [(*a, *b), (*b, *a)] {
                    if self.is(x, 1.0) {
                        return Some(y);
                    }
                    if zero(self, x) {
                        return Some(x);
                    }
                }
                None
            }
            (Op::Div, [a, b]) if self.is(*b, 1.0) => Some(*a),
            (Op::Div, [a, b]) if a == b && ty.is_float() => self.number(1, ty),
            (Op::Div, [a, _]) if zero(self, *a) && ty.is_float() => Some(*a),
            (Op::Neg, [a]) => self.opposite(*a),
            (Op::Exp, [a]) if zero(self, *a) => self.number(1, ty),
            (Op::Exp, [a]) if self.is(*a, f64::NEG_INFINITY) => self.number(0, ty),
            (Op::Min | Op::Max, [a, b]) => {
                if a == b {
                    return Some(*a);
                }
                let (least, most) = self.ends(ty)?;
                let (loses, wins) = if op == Op::Min {
                    (most, least)
                } else {
                    (least, most)
                };
                for (x, y) in [(*a, *b), (*b, *a)] {
                    if Some(x) == loses {
                        return Some(y);
                    }
                    if Some(x) == wins {
                        return Some(x);
                    }
                }
                None
            }
            _ => None,
        }
    }

    fn negated(&self, a: Id) -> Option<Id> {
        match self.dag.node(a).what {
            What::Apply(Op::Neg, 1, [b, ..]) => Some(b),
            _ => None,
        }
    }

    /// The opposite of a number, inside of what it is made of.
    fn opposite(&mut self, a: Id) -> Option<Id> {
        let What::Apply(op, n, args) = self.dag.node(a).what else {
            return None;
        };
        let turned = match op {
            Op::Min => Op::Max,
            Op::Max => Op::Min,
            op => op,
        };
        // The opposite of the least integer is itself.
        let ordered = self.ty(a).is_float() || !self.meaning.wraps();
        match (op, &args[..n.into()]) {
            (Op::Neg, [b]) => Some(*b),
            (Op::Sub, [x, y]) => self.apply(Op::Sub, &[*y, *x]),
            (Op::Add, [x, y]) => {
                let x = self.apply(Op::Neg, &[*x])?;
                self.apply(Op::Sub, &[x, *y])
            }
            (Op::Min | Op::Max, [x, y]) if ordered => {
                let (x, y) = (self.apply(Op::Neg, &[*x])?, self.apply(Op::Neg, &[*y])?);
                self.apply(turned, &[x, y])
            }
            (Op::Select, [c, x, y]) => {
                let (x, y) = (self.apply(Op::Neg, &[*x])?, self.apply(Op::Neg, &[*y])?);
                self.apply(Op::Select, &[*c, x, y])
            }
            _ => None,
        }
    }

    /// The least and the largest value of a type, where there are such.
    pub fn ends(&mut self, ty: Scalar) -> Option<(Option<Id>, Option<Id>)> {
        if ty.is_float() {
            let least = self.dag.float(f64::NEG_INFINITY, ty)?;
            return Some((Some(least), Some(self.dag.float(f64::INFINITY, ty)?)));
        }
        let (least, most) = ty.bounds();
        if self.meaning.wraps() {
            return Some((
                Some(self.dag.int(least, ty)?),
                Some(self.dag.int(most, ty)?),
            ));
        }
        let zero = match ty.is_signed() {
            true => None,
            false => Some(self.dag.int(0, ty)?),
        };
        Some((zero, None))
    }

    /// What a truth value is at a few points.
    pub fn truths(&self, id: Id) -> Vec<Option<bool>> {
        let mut rng = Rng::new(5);
        let mut drawn = |s: Scalar| match s {
            Scalar::Bool => Number::Machine(Num::Int(rng.below(2) as i64)),
            s if s.is_float() && !self.meaning.strict_floats() => {
                Number::Machine(interp::bounded_number(rng.between(-4, 4) as f64))
            }
            s if s.is_float() => Number::Machine(interp::scalar::float(rng.unit(), s)),
            _ if !self.meaning.wraps() => Number::Integer(rng.between(0, 5).into()),
            _ => Number::Machine(Num::Int(rng.between(0, 5))),
        };
        let mut one = || {
            let point: Vec<Number> = self.dag.leaves.iter().map(|l| drawn(l.ty)).collect();
            let value = points::values(&self.dag, self.meaning, &[id], &point);
            match value.first()? {
                Some(Number::Machine(n)) => Some(n.truth()),
                _ => None,
            }
        };
        (0..TRUTHS).map(|_| one()).collect()
    }

    /// The constants that a choice is among.
    pub fn choices(&self, id: Id, found: &mut BTreeSet<Id>) -> bool {
        match self.dag.node(id).what {
            What::Const(_) => {
                found.insert(id);
                found.len() <= MOST_CHOICES
            }
            What::Apply(Op::Select, 3, [_, a, b]) => {
                self.choices(a, found) && self.choices(b, found)
            }
            _ => false,
        }
    }

    /// An operation on a choice of constants is the choice of what it makes of them.
    fn spread(&mut self, op: Op, args: &[Id], ty: Scalar) -> Option<Id> {
        let select = |s: &Builder, id: Id| match s.dag.node(id).what {
            What::Apply(Op::Select, 3, parts) => {
                s.choices(id, &mut BTreeSet::new()).then_some(parts)
            }
            _ => None,
        };
        let at = (0..args.len()).find(|i| select(self, args[*i]).is_some())?;
        let others = (0..args.len()).filter(|i| *i != at);
        if !others.into_iter().all(|i| self.is_constant(args[i])) {
            return None;
        }
        let [c, a, b] = select(self, args[at])?;
        let mut with = |x: Id| {
            let mut args = args.to_vec();
            args[at] = x;
            self.apply_as(op, &args, ty)
        };
        let (a, b) = (with(a)?, with(b)?);
        self.apply(Op::Select, &[c, a, b])
    }

    /// Expressions with others in the place of some.
    pub fn substitute(&mut self, of: &[Id], put: &BTreeMap<Id, Id>) -> Option<Vec<Id>> {
        let mut done = put.clone();
        for id in self.dag.cone(of) {
            if done.contains_key(&id) {
                continue;
            }
            let node = self.dag.node(id);
            let new = match node.what {
                What::Apply(op, n, args) => {
                    let args: Vec<Id> = args[..n.into()].iter().map(|a| done[a]).collect();
                    self.apply_as(op, &args, node.ty)?
                }
                _ => id,
            };
            done.insert(id, new);
        }
        of.iter().map(|id| done.get(id).copied()).collect()
    }
}
