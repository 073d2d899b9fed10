//! Random expressions, for tests and benchmarks.

use super::expr::{Expr, Kind, Op, Sort};
use super::lanes::Lanes;
use crate::intern::Symbol;

/// A small generator, so that a failure is repeated by running the test again.
pub struct Dice(pub u64);

impl Dice {
    /// A number below `k`.
    pub fn below(&mut self, k: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % k
    }
}

/// What random expressions are made of.
pub struct Recipe<'a> {
    /// A number below its argument.
    pub dice: &'a mut dyn FnMut(u64) -> u64,
    /// Names of integers; booleans are `p` and `q`, and vectors have a `v` behind their name, those of n lanes that are not
    /// four `w` and n.
    pub names: &'a [&'a str],
    pub constants: &'a [i64],
}

/// Lanes of random vectors.
const LANES: i64 = 4;

impl Recipe<'_> {
    /// An integer or a boolean.
    pub fn scalar(&mut self, kind: Kind, depth: u32) -> Expr {
        self.of_sort(Sort::one(kind), depth)
    }

    /// Four integers or booleans.
    pub fn vector(&mut self, kind: Kind, depth: u32) -> Expr {
        let lanes = Lanes::Fixed(LANES as u32);
        self.of_sort(Sort { kind, lanes }, depth)
    }

    pub fn of_sort(&mut self, sort: Sort, depth: u32) -> Expr {
        if depth == 0 || (self.dice)(6) == 0 {
            return self.leaf(sort);
        }
        use Op::*;
        let below = depth - 1;
        let vector = sort.lanes != Lanes::One;
        let kind = sort.kind;
        let of = |kind| Sort { kind, ..sort };
        match (kind, (self.dice)(9)) {
            (_, 0) => {
                let p = self.of_sort(of(Kind::Bool), below);
                let x = self.of_sort(sort, below);
                Expr::of(Select, &[p, x, self.of_sort(sort, below)])
            }
            (_, 1) if vector => {
                let (each, times) = self.parts(sort);
                Expr::of(Broadcast, &[self.of_sort(each, below), times])
            }
            (Kind::Int, 2) if vector => {
                let (each, times) = self.parts(sort);
                let first = self.of_sort(each, below);
                let step = self.of_sort(each, below);
                Expr::of(Ramp, &[first, step, times])
            }
            (Kind::Int, n) => {
                let op = [Add, Sub, Mul, Div, Mod, Min, Max, Add][n as usize - 1];
                let x = self.of_sort(sort, below);
                Expr::of(op, &[x, self.of_sort(sort, below)])
            }
            (Kind::Bool, 1 | 2) => Expr::of(Not, &[self.of_sort(sort, below)]),
            (Kind::Bool, n @ (3 | 4)) => {
                let op = [And, Or][n as usize - 3];
                let x = self.of_sort(sort, below);
                Expr::of(op, &[x, self.of_sort(sort, below)])
            }
            (Kind::Bool, _) => {
                let op = [Eq, Ne, Lt, Le, Gt, Ge][(self.dice)(6) as usize];
                let x = self.of_sort(of(Kind::Int), below);
                Expr::of(op, &[x, self.of_sort(of(Kind::Int), below)])
            }
        }
    }

    /// Of what sort a vector is made, and how many of these: of single values, or of half as many lanes.
    fn parts(&mut self, sort: Sort) -> (Sort, Expr) {
        let half = Lanes::fixed(LANES / 2).filter(|half| *half != sort.lanes);
        let lanes = half.filter(|_| (self.dice)(3) == 0).unwrap_or(Lanes::One);
        let times = sort.lanes.without(lanes).unwrap_or(sort.lanes);
        (Sort { lanes, ..sort }, times.expr())
    }

    fn leaf(&mut self, sort: Sort) -> Expr {
        let constant = (self.dice)(3) == 0;
        let mut pick = |n: usize| (self.dice)(n as u64) as usize;
        let single = match (sort.kind, constant) {
            (Kind::Int, true) => Expr::int(self.constants[pick(self.constants.len())]),
            (Kind::Bool, true) => Expr::bool(pick(2) == 1),
            (kind, false) => {
                let name = match kind {
                    Kind::Int => self.names[pick(self.names.len())],
                    Kind::Bool => ["p", "q"][pick(2)],
                };
                let name = match sort.lanes {
                    Lanes::One => Symbol::new(name),
                    Lanes::Fixed(n) if i64::from(n) != LANES => Symbol::new(&format!("{name}w{n}")),
                    _ => Symbol::new(&format!("{name}v")),
                };
                return Expr::var(name, sort);
            }
        };
        match sort.lanes {
            Lanes::One => single,
            lanes => Expr::of(Op::Broadcast, &[single, lanes.expr()]),
        }
    }
}
