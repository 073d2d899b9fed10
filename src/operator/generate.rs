//! Operators that may associate, from the smallest on.
//!
//! In: a type, a number of leaves. Out: every operator of one component or of two, made of so many leaves (operands, and a
//! constant k), that no point refutes to associate: over integers without bounds, on the machine, or over reals. Expressions
//! are made bottom-up; those that agree at 64 points are one. Operands of what commutes stand with the larger one left.
//! Nothing is computed of k alone, as k is any number, nor kept that is a constant (`x - x`), of which k is one; no component of a pair is k,
//! nor are both the same; of two operators on pairs that are each other's mirror images, the first is
//! taken. Of the largest expressions only those are kept that no point refutes. Invariant: the same order always. Absent: proofs.

use crate::interp::random::Rng;
use crate::interp::{scalar, Num};
use crate::term::{call, Op, Term};
use crate::ty::{Scalar, Ty};
use std::collections::HashSet;

/// An operator that no point refutes: the expressions of its components.
#[derive(Clone)]
pub struct Generated {
    parts: Vec<u32>,
    /// How many operands and constants it has.
    pub leaves: usize,
}

#[derive(Clone)]
struct Expr {
    op: Option<Op>,
    args: [u32; 3],
    count: u8,
    truth: bool,
    /// Which variables it reads, by their numbers.
    reads: u16,
    /// At the points; nothing of the largest expressions, of which no others are made.
    values: Box<[u64]>,
}

/// Points at which expressions are told apart, and at which laws are tried.
const POINTS: usize = 64;
const TRIALS: usize = 200;

pub struct Generator {
    ty: Scalar,
    components: usize,
    exprs: Vec<Expr>,
    /// By the number of leaves.
    sizes: Vec<Vec<u32>>,
    seen: HashSet<(bool, u128)>,
    /// Operators on pairs, by what they are at the points.
    known: HashSet<u128>,
    points: Vec<Vec<u64>>,
    trials: Vec<Vec<u64>>,
    /// Leaves of the largest operators.
    most: usize,
}

impl Generator {
    /// Operators on one number, or on pairs of two, of so many leaves at most.
    pub fn new(ty: Scalar, components: usize, most: usize) -> Generator {
        let mut rng = Rng::new(6);
        let mut made = Generator {
            ty,
            components,
            exprs: Vec::new(),
            sizes: vec![Vec::new(), Vec::new()],
            seen: HashSet::new(),
            known: HashSet::new(),
            points: Vec::new(),
            trials: Vec::new(),
            most,
        };
        let variables = 2 * components + 1;
        let columns: Vec<Vec<u64>> = (0..variables)
            .map(|_| (0..POINTS).map(|i| made.draw(&mut rng, i)).collect())
            .collect();
        made.points = (0..POINTS)
            .map(|i| columns.iter().map(|c| c[i]).collect())
            .collect();
        for (v, values) in columns.into_iter().enumerate() {
            let leaf = Expr {
                op: None,
                args: [v as u32; 3],
                count: 0,
                truth: ty == Scalar::Bool,
                reads: 1 << v,
                values: values.into(),
            };
            made.keep(leaf, 1);
        }
        // Most of what chooses is wrong where numbers are equal, so that some are.
        let trial = |i| {
            let mut numbers: Vec<u64> = Vec::new();
            for _ in 0..3 * components + 1 {
                let again = numbers.len() > 1 && rng.below(4) == 0;
                numbers.push(match again {
                    true => *rng.pick(&numbers),
                    false => made.draw(&mut rng, i),
                });
            }
            numbers
        };
        made.trials = (0..TRIALS).map(trial).collect();
        made
    }

    /// The type in which the `i`-th point is computed: without bounds, as far as 64 bits are, and as the machine does, in turn.
    fn reading(&self, i: usize) -> Scalar {
        match self.ty {
            Scalar::Bool => Scalar::Bool,
            s if s.is_float() => Scalar::F64,
            _ if i.is_multiple_of(2) => Scalar::I64,
            s => s,
        }
    }

    fn draw(&self, rng: &mut Rng, i: usize) -> u64 {
        let s = self.reading(i);
        if s == Scalar::Bool {
            return rng.below(2);
        }
        if s.is_float() {
            return (rng.between(-32, 32) as f64 / 8.0).to_bits();
        }
        let small = if self.ty.is_signed() {
            rng.between(-9, 9)
        } else {
            rng.between(0, 9)
        };
        match (i % 2, rng.below(3)) {
            (0, _) | (_, 0) => bits(scalar::integer(small.into(), s)),
            _ => bits(scalar::integer(i128::from(rng.bits() as i64), s)),
        }
    }

    /// Keeps an expression that is new.
    fn keep(&mut self, mut e: Expr, leaves: usize) {
        let constant = e.op.is_some() && self.is_constant(&e);
        if constant || !self.seen.insert((e.truth, fingerprint(&e.values))) {
            return;
        }
        if leaves >= self.largest() {
            e.values = Box::default();
        }
        self.sizes[leaves].push(self.exprs.len() as u32);
        self.exprs.push(e);
    }

    /// Whether it is one number at all points, as these are read: any k is one.
    fn is_constant(&self, e: &Expr) -> bool {
        let mut later = e.values.iter().skip(2).zip(&*e.values);
        later.all(|(a, b)| a == b)
    }

    /// Leaves of the largest component.
    fn largest(&self) -> usize {
        self.most + 1 - self.components
    }

    /// Whether a truth value of so many leaves is of use: something has to be chosen by it.
    fn chooses(&self, leaves: usize) -> bool {
        self.ty == Scalar::Bool || leaves + 2 <= self.largest()
    }

    /// Makes all expressions of one more leaf than before.
    fn grow(&mut self) {
        let leaves = self.sizes.len();
        self.sizes.push(Vec::new());
        for right in 1..leaves {
            let left = leaves - right;
            for a in self.sizes[left].clone() {
                for b in self.sizes[right].clone() {
                    for op in self.operations(a, b, left >= right) {
                        self.add(op, &[a, b], leaves);
                    }
                }
            }
        }
        // A choice takes a truth value, and so at least four leaves where there are none among the operands.
        let least = if self.ty == Scalar::Bool { 1 } else { 2 };
        for of_condition in least..leaves.saturating_sub(1) {
            for then in 1..leaves - of_condition {
                let other = leaves - of_condition - then;
                self.choices(of_condition, then, other, leaves);
            }
        }
    }

    fn choices(&mut self, condition: usize, then: usize, other: usize, leaves: usize) {
        if self.ty == Scalar::Bool {
            return;
        }
        let truths: Vec<u32> = (self.sizes[condition].iter().copied())
            .filter(|c| self.exprs[*c as usize].truth)
            .collect();
        for c in truths {
            for a in self.sizes[then].clone() {
                for b in self.sizes[other].clone() {
                    let number = |id: u32| !self.exprs[id as usize].truth;
                    if a != b && number(a) && number(b) {
                        self.add(Op::Select, &[c, a, b], leaves);
                    }
                }
            }
        }
    }

    /// What combines two expressions; what commutes only with the larger one left.
    fn operations(&self, a: u32, b: u32, larger: bool) -> Vec<Op> {
        let truth = |id: u32| self.exprs[id as usize].truth;
        match (self.ty, truth(a), truth(b), larger) {
            (Scalar::Bool, _, _, true) => vec![Op::And, Op::Or, Op::Ne, Op::Eq],
            (Scalar::Bool, ..) => Vec::new(),
            (_, false, false, true) => {
                vec![Op::Add, Op::Mul, Op::Min, Op::Max, Op::Sub, Op::Lt, Op::Eq]
            }
            (_, false, false, false) => vec![Op::Sub, Op::Lt],
            (_, true, true, true) => vec![Op::And, Op::Or],
            _ => Vec::new(),
        }
    }

    fn add(&mut self, op: Op, args: &[u32], leaves: usize) {
        let mut all = [args[0]; 3];
        all[..args.len()].copy_from_slice(args);
        let reads = args
            .iter()
            .fold(0, |r, a| r | self.exprs[*a as usize].reads);
        let first = self.exprs[args[0] as usize].truth;
        let truth = match op {
            Op::Select => self.exprs[args[1] as usize].truth,
            Op::Lt | Op::Eq | Op::And | Op::Or | Op::Ne => true,
            _ => first,
        };
        // What is computed of k alone is a k, too.
        let of_k = reads == 1 << (2 * self.components);
        if of_k || truth && !self.chooses(leaves) {
            return;
        }
        let mut e = Expr {
            op: Some(op),
            args: all,
            count: args.len() as u8,
            truth,
            reads,
            values: Box::default(),
        };
        // Most operators are refuted by the first trials, which are fewer than the points.
        let whole = self.components == 1 && leaves == self.most;
        if whole && !self.is_possible(&e) {
            return;
        }
        let values = (0..POINTS).map(|i| self.at_point(&e, i));
        if let Some(values) = values.collect::<Option<Box<[u64]>>>() {
            e.values = values;
            self.keep(e, leaves);
        }
    }

    fn is_possible(&mut self, e: &Expr) -> bool {
        let id = self.exprs.len() as u32;
        self.exprs.push(e.clone());
        let possible = self.reads_both(&[id]) && self.may_associate(&[id]);
        self.exprs.pop();
        possible
    }

    /// The value at one of the points, of those of the parts.
    fn at_point(&self, e: &Expr, i: usize) -> Option<u64> {
        let op = e.op?;
        let mut values = [0; 3];
        let args = &e.args[..e.count.into()];
        for (v, a) in values.iter_mut().zip(args) {
            *v = *self.exprs[*a as usize].values.get(i)?;
        }
        computed(op, self.sort(op, e, self.reading(i)), &values[..args.len()])
    }

    /// In what an operation computes where numbers are of type `s`.
    fn sort(&self, op: Op, e: &Expr, s: Scalar) -> Scalar {
        match self.exprs[e.args[0] as usize].truth && op != Op::Select {
            true => Scalar::Bool,
            false => s,
        }
    }

    /// How many expressions there are.
    pub fn count(&self) -> usize {
        self.exprs.len()
    }

    /// The operators of so many leaves that no point refutes; asked for smaller ones first.
    pub fn operators(&mut self, leaves: usize) -> Vec<Generated> {
        while self.sizes.len() + self.components <= leaves + 1 {
            self.grow();
        }
        let number = |id: &u32| self.exprs[*id as usize].truth == (self.ty == Scalar::Bool);
        let of = |leaves: usize| self.sizes[leaves].iter().copied().filter(number);
        if self.components == 1 {
            let possible = |id: &u32| self.reads_both(&[*id]) && self.may_associate(&[*id]);
            let found = of(leaves).filter(possible);
            return (found.map(|id| Generated {
                parts: vec![id],
                leaves,
            }))
            .collect();
        }
        let mut found = Vec::new();
        // Of a pair whose first component is the larger one there is a mirror image.
        for first in 1..=leaves / 2 {
            for a in of(first) {
                let pairs = of(leaves - first).map(|b| [a, b]);
                found.extend(pairs.filter(|ids| self.reads_both(ids) && self.may_associate(ids)));
            }
        }
        let mut all = Vec::new();
        for ids in found {
            let [own, mirrored] = [false, true].map(|m| self.print_of_pair(ids, m));
            if !self.known.contains(&mirrored) && self.known.insert(own) {
                let parts = ids.to_vec();
                all.push(Generated { parts, leaves });
            }
        }
        all
    }

    /// What a pair is at the points, or its mirror image.
    fn print_of_pair(&self, [a, b]: [u32; 2], mirrored: bool) -> u128 {
        let mut values = Vec::with_capacity(2 * POINTS);
        for (i, point) in self.points.iter().enumerate() {
            let s = self.reading(i);
            let (point, ids) = match (mirrored, &point[..]) {
                (true, [p, q, r, s, k]) => (vec![*q, *p, *s, *r, *k], [b, a]),
                (_, point) => (point.to_vec(), [a, b]),
            };
            values.extend(ids.map(|id| self.at(id, s, &point).unwrap_or_default()));
        }
        fingerprint(&values)
    }

    /// Whether both operands are read, and of two components each by way of the other.
    fn reads_both(&self, ids: &[u32]) -> bool {
        let reads = |id: &u32| self.exprs[*id as usize].reads;
        let all = ids.iter().fold(0, |r, id| r | reads(id));
        match ids {
            [_] => all & 0b11 == 0b11,
            [a, b] => {
                let operands = all & 0b0011 != 0 && all & 0b1100 != 0;
                // One that is constant, or both the same, make no operator of two components.
                let constant = [a, b].iter().any(|id| reads(id) & 0b1111 == 0);
                if a == b || constant {
                    return false;
                }
                let mixed = reads(a) & 0b1010 != 0 || reads(b) & 0b0101 != 0;
                operands && mixed
            }
            _ => false,
        }
    }

    /// Whether no trial refutes it: without bounds, or on the machine.
    fn may_associate(&self, ids: &[u32]) -> bool {
        let (mut readings, n) = ([true, true], self.components);
        for (i, trial) in self.trials.iter().enumerate() {
            if !readings[i % 2] {
                continue;
            }
            let s = self.reading(i);
            // The second number is none of an operator on one.
            let apply = |x: &[u64], y: &[u64]| -> Option<[u64; 2]> {
                let mut point = [0; 5];
                point[..n].copy_from_slice(x);
                point[n..2 * n].copy_from_slice(y);
                point[2 * n] = trial[3 * n];
                let mut made = [0; 2];
                for (m, id) in made.iter_mut().zip(ids) {
                    *m = self.at(*id, s, &point)?;
                }
                Some(made)
            };
            let (x, y, z) = (&trial[..n], &trial[n..2 * n], &trial[2 * n..3 * n]);
            let sides = (|| {
                let left = apply(&apply(x, y)?[..n], z)?;
                Some((left, apply(x, &apply(y, z)?[..n])?))
            })();
            let Some((left, right)) = sides else {
                return false;
            };
            let alike = left.iter().zip(&right).all(|(a, b)| same(*a, *b, s));
            if !alike {
                readings[i % 2] = false;
                // Floats and truth values have one reading.
                if readings == [false, false] || !self.ty.is_int() {
                    return false;
                }
            }
        }
        true
    }

    fn at(&self, id: u32, s: Scalar, point: &[u64]) -> Option<u64> {
        let e = &self.exprs[id as usize];
        let Some(op) = e.op else {
            return point.get(e.args[0] as usize).copied();
        };
        let mut values = [0; 3];
        for (v, a) in values.iter_mut().zip(&e.args[..e.count.into()]) {
            *v = self.at(*a, s, point)?;
        }
        computed(op, self.sort(op, e, s), &values[..e.count.into()])
    }

    /// `\x y -> …`, with the constant for a variable.
    pub fn term(&self, one: &Generated) -> Option<Term> {
        let scalar = Ty::from(self.ty);
        let ty = if self.components == 1 {
            scalar
        } else {
            Ty::pair(scalar, scalar)
        };
        let (x, y, k) = (Term::var(1, ty), Term::var(0, ty), Term::var(2, scalar));
        let mut leaves = Vec::new();
        for t in [x, y] {
            match self.components {
                1 => leaves.push(t),
                _ => {
                    leaves.push(call(Op::Fst, [], [t.clone()])?);
                    leaves.push(call(Op::Snd, [], [t])?);
                }
            }
        }
        leaves.push(k);
        let parts: Option<Vec<Term>> = one
            .parts
            .iter()
            .map(|id| self.written(*id, &leaves))
            .collect();
        let body = match &parts?[..] {
            [one] => one.clone(),
            parts => call(Op::Pair, [], parts)?,
        };
        let name = crate::intern::Symbol::new;
        let inner = Term::lam(Some(name("y")), ty, body);
        Some(Term::lam(Some(name("x")), ty, inner))
    }

    fn written(&self, id: u32, leaves: &[Term]) -> Option<Term> {
        let e = &self.exprs[id as usize];
        let Some(op) = e.op else {
            return leaves.get(e.args[0] as usize).cloned();
        };
        let args: Option<Vec<Term>> = e.args[..e.count.into()]
            .iter()
            .map(|a| self.written(*a, leaves))
            .collect();
        call(op, [], args?)
    }
}

fn bits(n: Num) -> u64 {
    match n {
        Num::Int(i) => i as u64,
        n => n.as_f64().to_bits(),
    }
}

/// An operation on numbers of a type, or a choice by a truth value.
fn computed(op: Op, s: Scalar, args: &[u64]) -> Option<u64> {
    if op == Op::Select {
        return Some(if args[0] != 0 { args[1] } else { args[2] });
    }
    if let (true, &[a, b]) = (s.is_int() && s != Scalar::U64, args) {
        if let Some(n) = of_integers(op, s, a as i64, b as i64) {
            return Some(n as u64);
        }
    }
    let number = |b: &u64| match s.is_float() {
        true => Num::F64(f64::from_bits(*b)),
        false => Num::Int(*b as i64),
    };
    let mut numbers = [Num::Int(0); 3];
    for (n, a) in numbers.iter_mut().zip(args) {
        *n = number(a);
    }
    scalar::apply(op, s, &numbers[..args.len()]).map(bits)
}

/// What most operations are, done at once; numbers of short types are extended to 64 bits.
fn of_integers(op: Op, s: Scalar, a: i64, b: i64) -> Option<i64> {
    let wrapped = |n: i64| {
        let unused = 64 - 8 * s.bytes() as u32;
        match s.is_signed() {
            true => n << unused >> unused,
            false => ((n as u64) << unused >> unused) as i64,
        }
    };
    Some(match op {
        Op::Add => wrapped(a.wrapping_add(b)),
        Op::Sub => wrapped(a.wrapping_sub(b)),
        Op::Mul => wrapped(a.wrapping_mul(b)),
        Op::Min => a.min(b),
        Op::Max => a.max(b),
        Op::Lt => (a < b).into(),
        Op::Eq => (a == b).into(),
        _ => return None,
    })
}

fn same(a: u64, b: u64, s: Scalar) -> bool {
    if !s.is_float() {
        return a == b;
    }
    let (a, b) = (f64::from_bits(a), f64::from_bits(b));
    (a - b).abs() <= 1e-9 * (1.0 + a.abs())
}

/// 128 bits of numbers, the same everywhere.
fn fingerprint(values: &[u64]) -> u128 {
    let prime = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645_u128;
    values.iter().fold(prime, |h, v| {
        let h = (h ^ u128::from(*v)).wrapping_mul(prime);
        h ^ (h >> 61)
    })
}
