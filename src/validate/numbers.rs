//! Numbers of 64 and of 32 bits that are computed of indices, as indices; sums of constants.
//!
//! In: operations on two of them. Out: the same without bounds. Invariant: what is an index fits into 64 bits wherever the function
//! accepts its sizes, and what is widened to one into 32, so that nothing wraps; what divides is positive. Absent: numbers that data decide.

use super::value::{Node, Values, V};
use crate::arith::{Atom, AtomKind, Nat};
use crate::term::{Lit, Op};
use crate::ty::Scalar;

/// The largest size that a function accepts, what is taken to fit into 64 bits, and how many bounds in each other are looked at.
const SIZE: i128 = 1 << 60;
const FITS: i128 = i64::MAX as i128;
const MAGNITUDES: u32 = 8;
/// How many operations on each other are looked at for what is widened.
const OPERATIONS: u32 = 12;

impl Values {
    /// What is computed of two numbers of 64 bits, if it is one. C rounds quotients towards zero: down, where nothing is negative.
    pub fn of_numbers(&self, op: Op, a: Nat, b: Nat) -> Option<Nat> {
        let divides = || self.known.at_least(a, Nat::int(0)) && self.known.at_least(b, Nat::int(1));
        Some(match op {
            Op::Add | Op::Sub | Op::Mul => {
                let n = match op {
                    Op::Add => a + b,
                    Op::Sub => a - b,
                    _ => a * b,
                };
                return (n.as_int().is_some() || self.fits(n)).then_some(n);
            }
            Op::Min => self.known.simplify(a.min(b)),
            Op::Max => self.known.simplify(a.max(b)),
            Op::Div if divides() => self.known.floor(a, b),
            // Once around at most.
            Op::Mod if divides() && self.known.at_least(b + b - Nat::int(1), a) => {
                let beyond = (a - b + Nat::int(1)).max(Nat::int(0));
                self.known.simplify(a - b * beyond.min(Nat::int(1)))
            }
            Op::Mod if divides() => self.known.rem(a, b),
            _ => return None,
        })
    }

    /// The sum of 0.0 and another constant, that is a number: this itself, and of -0.0 as of 0.0 it is 0.0.
    pub fn zero_and_constant(&self, op: Op, args: &[V]) -> Option<V> {
        let float = |v: &V| match self.node(*v) {
            Node::Lit(Lit::F32(bits), of) if of.is_float() => {
                Some(f64::from(f32::from_bits(*bits)))
            }
            Node::Lit(Lit::F64(bits), of) if of.is_float() => Some(f64::from_bits(*bits)),
            _ => None,
        };
        let [a, b] = args else { return None };
        let is_zero = |x: f64| x == 0.0 && x.is_sign_positive();
        match (op == Op::Add, float(a)?, float(b)?) {
            (true, x, y) if is_zero(x) && y != 0.0 && !y.is_nan() => Some(*b),
            (true, x, y) if is_zero(y) && x != 0.0 && !x.is_nan() => Some(*a),
            (true, x, y) if is_zero(x) && y == 0.0 => Some(*a),
            (true, x, y) if is_zero(y) && x == 0.0 => Some(*b),
            _ => None,
        }
    }

    /// What neither a number nor its opposite is above, by that of its parts: a size is at most 2^60.
    fn magnitude(&self, n: Nat, depth: u32) -> Option<i128> {
        let depth = depth.checked_sub(1)?;
        n.terms().iter().try_fold(0i128, |sum, (m, c)| {
            let one = m.factors().try_fold(c.as_int()?.into(), |product, (a, e)| {
                let part = self.magnitude_of(a, depth)?;
                (0..e).try_fold(product, |p: i128, _| p.checked_mul(part).filter(|_| e > 0))
            });
            sum.checked_add(one?.checked_abs()?)
        })
    }

    fn magnitude_of(&self, a: Atom, depth: u32) -> Option<i128> {
        let of = |n| self.magnitude(n, depth);
        let larger = |x, y| Some(of(x)?.max(of(y)?));
        match a.kind() {
            AtomKind::Var(v) => match self.known.range_of(v) {
                Some((lo, hi)) => larger(lo, hi),
                None => self.sizes.contains(&Nat::var(v)).then_some(SIZE),
            },
            AtomKind::Min(x, y) | AtomKind::Max(x, y) => larger(x, y),
            AtomKind::Floor(x, d) if self.known.at_least(d, Nat::int(1)) => Some(of(x)? + 1),
            AtomKind::Mod(_, d) if self.known.at_least(d, Nat::int(1)) => of(d),
            _ => None,
        }
    }

    /// What a number is at least or at most where each of its variables with a range is at an end of that.
    fn end(&self, n: Nat, most: bool) -> Nat {
        n.vars().iter().fold(n, |e, v| {
            let by = n.coefficient(*v).and_then(Nat::as_int);
            match (by.filter(|by| *by != 0), self.known.range_of(*v)) {
                (Some(by), Some((lo, hi))) => {
                    let end = if (by > 0) == most { hi } else { lo };
                    e + Nat::int(by) * (end - Nat::var(*v))
                }
                _ => e,
            }
        })
    }

    /// Whether a number fits into 64 bits: neither it nor its opposite is above what those hold, or above four times what no function
    /// accepts 2^60 of.
    fn fits(&self, n: Nat) -> bool {
        let little = |n| self.magnitude(n, MAGNITUDES).is_some_and(|m| m <= FITS);
        if little(n)
            || [false, true]
                .into_iter()
                .all(|most| little(self.end(n, most)))
        {
            return true;
        }
        let known = |a, b| self.known.at_least(a, b);
        let whole = known(n, Nat::int(0));
        let within = |size: &Nat| {
            let most = *size * Nat::int(4);
            known(most, n) && (whole || known(n + most, Nat::int(0)))
        };
        self.sizes.iter().any(within) || self.rows(n).iter().any(within)
    }

    /// The index that a number of 32 bits is, if it is computed of indices and none of it is out of its bounds.
    pub fn widened(&self, v: V) -> Option<Nat> {
        match self.node(v) {
            Node::Lit(_, of) | Node::Cast(_, _, of) | Node::Op(_, of, _) => {
                self.unwrapped(v, *of, OPERATIONS)
            }
            _ => None,
        }
    }

    fn unwrapped(&self, v: V, of: Scalar, depth: u32) -> Option<Nat> {
        if !matches!(of, Scalar::I32 | Scalar::U32) {
            return None;
        }
        // What chooses or divides is no further from 0 than what it is computed of.
        if let Node::Op(op @ (Op::Min | Op::Max | Op::Div | Op::Mod), _, args) = self.node(v) {
            let [a, b] = args[..] else { return None };
            let depth = depth.checked_sub(1)?;
            let (a, b) = (self.unwrapped(a, of, depth)?, self.unwrapped(b, of, depth)?);
            return self.of_numbers(*op, a, b).filter(|n| !n.is_overflow());
        }
        let n = self.modulo(v, of, depth)?;
        self.is_within(n, of).then_some(n)
    }

    /// An index that is converted, and the one that a constant is when it is converted so.
    pub fn converted(&self, converted: V, constant: V) -> Option<(Nat, Nat)> {
        let (Node::Cast(a, Scalar::I64, to), Node::Lit(l, of)) =
            (self.node(converted), self.node(constant))
        else {
            return None;
        };
        // Each of these is the number itself, not rounded.
        let whole = |x: f64, most: i64| {
            let same =
                x.fract() == 0.0 && x.abs() <= most as f64 && x.to_bits() != (-0.0f64).to_bits();
            same.then_some(x as i64)
        };
        let k = match l {
            Lit::Int(i) => i64::try_from(*i).ok()?,
            Lit::F32(bits) if *to == Scalar::F32 => whole(f32::from_bits(*bits).into(), 1 << 24)?,
            Lit::F64(bits) if *to == Scalar::F64 => whole(f64::from_bits(*bits), 1 << 53)?,
            _ => return None,
        };
        let index = self.as_index(*a).filter(|_| to == of)?;
        Some((index, Nat::int(k)))
    }

    /// What a number of 32 bits is up to multiples of 2^32.
    fn modulo(&self, v: V, of: Scalar, depth: u32) -> Option<Nat> {
        let depth = depth.checked_sub(1)?;
        let n = match self.node(v) {
            Node::Lit(Lit::Int(i), _) => Nat::int(i64::try_from(*i).ok()?),
            Node::Cast(a, Scalar::I64 | Scalar::U64, _) => self.as_index(*a)?,
            Node::Cast(a, from, _) if from.is_int() && from.bytes() == 4 => {
                self.modulo(*a, *from, depth)?
            }
            Node::Op(op @ (Op::Add | Op::Sub | Op::Mul), _, args) => {
                let [a, b] = args[..] else { return None };
                let (a, b) = (self.modulo(a, of, depth)?, self.modulo(b, of, depth)?);
                match op {
                    Op::Add => a + b,
                    Op::Sub => a - b,
                    _ => a * b,
                }
            }
            Node::Op(Op::Min | Op::Max | Op::Div | Op::Mod, ..) => self.unwrapped(v, of, depth)?,
            _ => return None,
        };
        (!n.is_overflow()).then_some(n)
    }

    /// Whether a number is known to be one of 32 bits.
    pub fn is_within(&self, n: Nat, of: Scalar) -> bool {
        let (least, most) = match of {
            Scalar::I32 => (i32::MIN.into(), i32::MAX.into()),
            Scalar::U32 => (0, u32::MAX.into()),
            _ => return false,
        };
        self.known.at_least(n, Nat::int(least)) && self.known.at_least(Nat::int(most), n)
    }

    /// Sizes divided by all that an index does not go up to, of which there is at least one: a row is no longer than the array.
    fn rows(&self, n: Nat) -> Vec<Nat> {
        let mut needed = n.vars().to_vec();
        for var in n.vars().iter().copied() {
            if let Some((_, most)) = self.known.range_of(var) {
                needed.extend(most.vars().iter().copied());
            }
        }
        let mut rows = Vec::new();
        for size in &self.sizes {
            let mut row = *size;
            for var in size.vars().iter().copied().filter(|v| !needed.contains(v)) {
                let part = row.exact_div(Nat::var(var));
                let divides = !part.mentions(var) && part * Nat::var(var) == row;
                if divides && self.known.at_least(Nat::var(var), Nat::int(1)) {
                    row = part;
                }
            }
            if row != *size {
                rows.push(row);
            }
        }
        rows
    }
}
