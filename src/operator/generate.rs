//! Operators that may associate, from the smallest on.
//!
//! In: a type, a number of leaves. Out: every operator of one component or of two, made of so many leaves (operands, and a
//! constant k), that no point refutes to associate: over integers without bounds, on the machine, or over reals. Expressions
//! are made bottom-up; those that agree at 64 points are one. Operands of what commutes stand with the larger one left.
//! Invariant: the same order always. Absent: proofs.

use crate::interp::random::Rng;
use crate::interp::{scalar, Num};
use crate::term::{call, Op, Term};
use crate::ty::{Scalar, Ty};
use std::collections::HashSet;

/// An operator, with `k` for its variable.
pub struct Generated {
    pub operator: Term,
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
    values: Box<[u64]>,
}

/// Points at which expressions are told apart, and at which laws are tried.
const POINTS: usize = 64;
const TRIALS: usize = 100;

pub struct Generator {
    ty: Scalar,
    components: usize,
    exprs: Vec<Expr>,
    /// By the number of leaves.
    sizes: Vec<Vec<u32>>,
    seen: HashSet<(bool, u128)>,
    trials: Vec<Vec<u64>>,
}

impl Generator {
    /// Operators on one number, or on pairs of two.
    pub fn new(ty: Scalar, components: usize) -> Generator {
        let mut rng = Rng::new(6);
        let mut made = Generator {
            ty,
            components,
            exprs: Vec::new(),
            sizes: vec![Vec::new(), Vec::new()],
            seen: HashSet::new(),
            trials: Vec::new(),
        };
        let variables = 2 * components + 1;
        let columns: Vec<Vec<u64>> = (0..variables)
            .map(|_| (0..POINTS).map(|i| made.draw(&mut rng, i)).collect())
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
        let trial = |i| {
            (0..3 * components + 1)
                .map(|_| made.draw(&mut rng, i))
                .collect()
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

    /// Whether an expression is new.
    fn keep(&mut self, e: Expr, leaves: usize) -> bool {
        let new = self.seen.insert((e.truth, fingerprint(&e.values)));
        if new {
            let id = self.exprs.len() as u32;
            self.exprs.push(e);
            self.sizes[leaves].push(id);
        }
        new
    }

    /// Makes all expressions of one more leaf than before.
    pub fn grow(&mut self) {
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
        let of_truths = first && op != Op::Select;
        let value = |i: usize| {
            let s = if of_truths {
                Scalar::Bool
            } else {
                self.reading(i)
            };
            let at = |a: &u32| self.exprs[*a as usize].values[i];
            computed(op, s, &args.iter().map(at).collect::<Vec<_>>())
        };
        let Some(values) = (0..POINTS).map(value).collect::<Option<Vec<u64>>>() else {
            return;
        };
        let count = args.len() as u8;
        let e = Expr {
            op: Some(op),
            args: all,
            count,
            truth,
            reads,
            values: values.into(),
        };
        self.keep(e, leaves);
    }

    /// How many expressions there are.
    pub fn count(&self) -> usize {
        self.exprs.len()
    }

    /// The operators of so many leaves that no point refutes, once expressions of so many are made.
    pub fn operators(&self, leaves: usize) -> Vec<Generated> {
        let number = |id: &u32| self.exprs[*id as usize].truth == (self.ty == Scalar::Bool);
        let mut found = Vec::new();
        let mut tried = |ids: &[u32]| {
            if self.reads_both(ids) && self.may_associate(ids) {
                found.extend(
                    self.term(ids)
                        .map(|operator| Generated { operator, leaves }),
                );
            }
        };
        if self.components == 1 {
            self.sizes[leaves]
                .iter()
                .filter(|i| number(i))
                .for_each(|id| tried(&[*id]));
        } else {
            for first in 1..leaves {
                for a in self.sizes[first].iter().filter(|i| number(i)) {
                    for b in self.sizes[leaves - first].iter().filter(|i| number(i)) {
                        tried(&[*a, *b]);
                    }
                }
            }
        }
        found
    }

    /// Whether both operands are read, and of two components each by way of the other.
    fn reads_both(&self, ids: &[u32]) -> bool {
        let reads = |id: &u32| self.exprs[*id as usize].reads;
        let all = ids.iter().fold(0, |r, id| r | reads(id));
        match ids {
            [_] => all & 0b11 == 0b11,
            [a, b] => {
                let operands = all & 0b0011 != 0 && all & 0b1100 != 0;
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
            let k = trial[3 * n];
            let apply = |x: &[u64], y: &[u64]| -> Option<Vec<u64>> {
                let point = [x, y, &[k]].concat();
                ids.iter().map(|id| self.at(*id, s, &point)).collect()
            };
            let (x, y, z) = (&trial[..n], &trial[n..2 * n], &trial[2 * n..3 * n]);
            let sides = (|| {
                let left = apply(&apply(x, y)?, z)?;
                Some((left, apply(x, &apply(y, z)?)?))
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
        let of_truths = self.exprs[e.args[0] as usize].truth && op != Op::Select;
        computed(
            op,
            if of_truths { Scalar::Bool } else { s },
            &values[..e.count.into()],
        )
    }

    /// `\x y -> …`, with the constant for a variable.
    fn term(&self, ids: &[u32]) -> Option<Term> {
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
        let parts: Option<Vec<Term>> = ids.iter().map(|id| self.written(*id, &leaves)).collect();
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
    let number = |b: &u64| match s.is_float() {
        true => Num::F64(f64::from_bits(*b)),
        false => Num::Int(*b as i64),
    };
    let numbers: Vec<Num> = args.iter().map(number).collect();
    scalar::apply(op, s, &numbers).map(bits)
}

fn same(a: u64, b: u64, s: Scalar) -> bool {
    if !s.is_float() {
        return a == b;
    }
    let (a, b) = (f64::from_bits(a), f64::from_bits(b));
    (a - b).abs() <= 1e-9 * (1.0 + a.abs())
}

fn fingerprint(values: &[u64]) -> u128 {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    crate::hash::fnv128(&bytes)
}
