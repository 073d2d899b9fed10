//! Random operators, and arithmetic for them that shares nothing with the prover or the interpreter.

use rise_opt::interp::random::Rng;
use rise_opt::operator::Meaning;
use rise_opt::term::Op;
use rise_opt::ty::Scalar;
use std::cmp::Ordering;

/// Numbers as one reading has them.
#[derive(Copy, Clone)]
pub struct Domain {
    pub scalar: Scalar,
    pub meaning: Meaning,
    /// One number, a pair, or three of them.
    pub components: usize,
}

#[derive(Copy, Clone, Debug)]
pub enum Number {
    Whole(i128),
    Float(f32),
    /// A fraction whose denominator is positive.
    Ratio(i128, i128),
}

use Number::{Float, Ratio, Whole};

#[derive(Clone)]
pub enum Expr {
    /// Of the first or second operand, a component.
    Operand(usize, usize),
    /// A variable of the operator.
    K,
    Constant(i64),
    Apply(Op, Vec<Expr>),
}

pub const NUMBERS: [(Scalar, Meaning); 12] = [
    (Scalar::I8, Meaning::Machine),
    (Scalar::U8, Meaning::Machine),
    (Scalar::I16, Meaning::Machine),
    (Scalar::I32, Meaning::Machine),
    (Scalar::U32, Meaning::Machine),
    (Scalar::I64, Meaning::Machine),
    (Scalar::I32, Meaning::Unbounded),
    (Scalar::U8, Meaning::Unbounded),
    (Scalar::U32, Meaning::Unbounded),
    (Scalar::F32, Meaning::Machine),
    (Scalar::F32, Meaning::Reals),
    (Scalar::Bool, Meaning::Machine),
];

/// How each operation is written.
const SPELLED: [(Op, &str); 19] = [
    (Op::Add, "+"),
    (Op::Sub, "-"),
    (Op::Mul, "*"),
    (Op::Div, "/"),
    (Op::Lt, "<"),
    (Op::Le, "<="),
    (Op::Eq, "=="),
    (Op::Ne, "!="),
    (Op::Min, "min"),
    (Op::Max, "max"),
    (Op::Neg, "neg"),
    (Op::Abs, "abs"),
    (Op::BitAnd, "bitand"),
    (Op::BitOr, "bitor"),
    (Op::BitXor, "bitxor"),
    (Op::And, "and"),
    (Op::Or, "or"),
    (Op::Not, "not"),
    (Op::Select, "select"),
];

impl Expr {
    fn apply<const N: usize>(op: Op, args: [Expr; N]) -> Expr {
        Expr::Apply(op, args.to_vec())
    }

    pub fn text(&self, d: Domain) -> String {
        match self {
            Expr::Operand(i, c) => {
                let name = ["x", "y"][*i];
                match (d.components, c) {
                    (1, _) => name.to_string(),
                    (_, 0) => format!("(fst {name})"),
                    (2, _) => format!("(snd {name})"),
                    (_, 1) => format!("(fst (snd {name}))"),
                    _ => format!("(snd (snd {name}))"),
                }
            }
            Expr::K => "k".to_string(),
            Expr::Constant(n) if d.scalar == Scalar::Bool => (*n != 0).to_string(),
            Expr::Constant(n) if d.scalar.is_float() => format!("{n}.0"),
            Expr::Constant(n) => n.to_string(),
            Expr::Apply(op, args) => {
                let word = SPELLED
                    .iter()
                    .find(|s| s.0 == *op)
                    .expect("it is spelled")
                    .1;
                let args: Vec<String> = args.iter().map(|a| a.text(d)).collect();
                match word.chars().all(char::is_alphabetic) {
                    true => format!("({word} {})", args.join(" ")),
                    false => format!("({} {word} {})", args[0], args[1]),
                }
            }
        }
    }

    /// The value for operands and a `k`; nothing where it cannot be computed exactly.
    pub fn value(&self, d: Domain, operands: [&[Number]; 2], k: Number) -> Option<Number> {
        Some(match self {
            Expr::Operand(i, c) => operands[*i][*c],
            Expr::K => k,
            Expr::Constant(n) => d.number(*n),
            Expr::Apply(Op::Select, args) => {
                let Whole(choice) = args[0].value(d, operands, k)? else {
                    return None;
                };
                return args[if choice != 0 { 1 } else { 2 }].value(d, operands, k);
            }
            Expr::Apply(op, args) => {
                let a = args[0].value(d, operands, k)?;
                let b = match args.get(1) {
                    Some(b) => b.value(d, operands, k)?,
                    None => a,
                };
                return d.apply(*op, a, b);
            }
        })
    }

    /// Whether an operation is in it.
    pub fn mentions(&self, op: Op) -> bool {
        match self {
            Expr::Apply(o, args) => *o == op || args.iter().any(|a| a.mentions(op)),
            _ => false,
        }
    }

    /// Another operand, or another number, at a leaf.
    fn changed(&mut self, rng: &mut Rng, d: Domain) {
        match self {
            Expr::Apply(_, args) => {
                let at = rng.below(args.len() as u64) as usize;
                // A condition stays one.
                args[at].changed(rng, d);
            }
            leaf => *leaf = d.leaf(rng),
        }
    }

    /// With the operands, and so on, put in.
    fn with(&self, x: &[Expr], y: &[Expr]) -> Expr {
        match self {
            Expr::Operand(0, c) => x[*c].clone(),
            Expr::Operand(_, c) => y[*c].clone(),
            Expr::Apply(op, args) => Expr::Apply(*op, args.iter().map(|a| a.with(x, y)).collect()),
            e => e.clone(),
        }
    }
}

pub fn ratio(n: i128, d: i128) -> Option<Number> {
    let (mut a, mut b) = (n.unsigned_abs(), d.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    let g = i128::try_from(a).ok().filter(|g| *g != 0)?;
    (d > 0).then_some(Ratio(n / g, d / g))
}

impl Domain {
    pub fn wraps(self) -> bool {
        self.meaning != Meaning::Unbounded
    }

    pub fn has_signs(self) -> bool {
        self.scalar.is_float() || self.scalar.is_signed()
    }

    pub fn range(self) -> (i128, i128) {
        match self.scalar {
            Scalar::I8 => (i8::MIN.into(), i8::MAX.into()),
            Scalar::U8 => (0, u8::MAX.into()),
            Scalar::I16 => (i16::MIN.into(), i16::MAX.into()),
            Scalar::I32 => (i32::MIN.into(), i32::MAX.into()),
            Scalar::U32 => (0, u32::MAX.into()),
            Scalar::Bool => (0, 1),
            _ => (i64::MIN.into(), i64::MAX.into()),
        }
    }

    pub fn number(self, n: i64) -> Number {
        match (self.scalar, self.meaning) {
            (Scalar::F32, Meaning::Machine) => Float(n as f32),
            (Scalar::F32, _) => Ratio(n.into(), 1),
            _ => Whole(n.into()),
        }
    }

    fn whole(self, n: i128) -> Option<Number> {
        if self.wraps() {
            let (least, most) = self.range();
            return Some(Whole((n - least).rem_euclid(most - least + 1) + least));
        }
        (n.unsigned_abs() < 1 << 120).then_some(Whole(n))
    }

    pub fn apply(self, op: Op, a: Number, b: Number) -> Option<Number> {
        let order = match (a, b) {
            (Whole(a), Whole(b)) => Some(a.cmp(&b)),
            (Float(a), Float(b)) => a.partial_cmp(&b),
            (Ratio(a, c), Ratio(b, d)) => Some(a.checked_mul(d)?.cmp(&b.checked_mul(c)?)),
            _ => return None,
        };
        let truth = |t: bool| Some(Whole(t.into()));
        match op {
            Op::Lt => return truth(order == Some(Ordering::Less)),
            Op::Le => return truth(order.is_some_and(Ordering::is_le)),
            Op::Eq => return truth(order == Some(Ordering::Equal)),
            Op::Ne => return truth(order != Some(Ordering::Equal)),
            // Where neither is less, the second.
            Op::Min => return Some(if order == Some(Ordering::Less) { a } else { b }),
            Op::Max => {
                return Some(if order == Some(Ordering::Greater) {
                    a
                } else {
                    b
                })
            }
            _ => {}
        }
        match (a, b) {
            (Whole(a), Whole(b)) => match op {
                Op::And => truth(a != 0 && b != 0),
                Op::Or => truth(a != 0 || b != 0),
                Op::Not => truth(a == 0),
                _ => self.whole(match op {
                    Op::Add => a.checked_add(b)?,
                    Op::Sub => a.checked_sub(b)?,
                    Op::Mul => a.checked_mul(b)?,
                    Op::Div => a.checked_div(b).unwrap_or(0),
                    Op::Neg => -a,
                    Op::Abs => a.abs(),
                    Op::BitAnd => a & b,
                    Op::BitOr => a | b,
                    Op::BitXor => a ^ b,
                    _ => return None,
                }),
            },
            (Float(a), Float(b)) => Some(Float(match op {
                Op::Add => a + b,
                Op::Sub => a - b,
                Op::Mul => a * b,
                Op::Div => a / b,
                Op::Neg => -a,
                Op::Abs => a.abs(),
                _ => return None,
            })),
            (Ratio(a, c), Ratio(b, d)) => match op {
                Op::Add => ratio(
                    a.checked_mul(d)?.checked_add(b.checked_mul(c)?)?,
                    c.checked_mul(d)?,
                ),
                Op::Sub => ratio(
                    a.checked_mul(d)?.checked_sub(b.checked_mul(c)?)?,
                    c.checked_mul(d)?,
                ),
                Op::Mul => ratio(a.checked_mul(b)?, c.checked_mul(d)?),
                Op::Div => {
                    let sign = b.signum();
                    ratio(
                        a.checked_mul(d)?.checked_mul(sign)?,
                        c.checked_mul(b.abs())?,
                    )
                }
                Op::Neg => Some(Ratio(-a, c)),
                Op::Abs => Some(Ratio(a.abs(), c)),
                _ => None,
            },
            _ => None,
        }
    }

    pub fn same(self, a: &[Number], b: &[Number]) -> bool {
        a.iter().zip(b).all(|pair| match pair {
            (Whole(a), Whole(b)) => a == b,
            (Float(a), Float(b)) => a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
            (Ratio(a, c), Ratio(b, d)) => (a, c) == (b, d),
            _ => false,
        })
    }

    pub fn draw(self, rng: &mut Rng) -> Number {
        if self.scalar == Scalar::Bool {
            return Whole(rng.below(2).into());
        }
        if self.scalar.is_float() {
            let small = rng.between(-40, 40);
            return match (self.meaning, rng.below(3)) {
                (Meaning::Machine, 0) => Float(f32::from_bits(rng.bits() as u32)),
                (Meaning::Machine, 1) => {
                    let corners = [0.0, -0.0, 1.0, f32::NAN, f32::INFINITY, 1e30, 0.1];
                    Float(*rng.pick(&corners))
                }
                (Meaning::Machine, _) => Float(small as f32 / 4.0),
                (_, 0) => Ratio(small.into(), 1),
                _ => ratio(small.into(), 4).expect("a fraction"),
            };
        }
        let (least, most) = self.range();
        let small = i128::from(rng.between(if least < 0 { -9 } else { 0 }, 9));
        let any = match (self.wraps(), rng.below(3)) {
            (_, 0) => small,
            (true, 1) => *rng.pick(&[
                least,
                most,
                least + 1,
                most - 1,
                most / 2,
                most / 2 + 1,
                0,
                1,
            ]),
            (true, _) => i128::from(rng.bits() as i64),
            (false, _) => i128::from(rng.bits() as i64 >> rng.between(20, 60)),
        };
        match self.wraps() {
            true => self.whole(any).expect("it wraps"),
            false if least < 0 => Whole(any),
            false => Whole(any.abs()),
        }
    }

    fn leaf(self, rng: &mut Rng) -> Expr {
        let component = rng.below(self.components as u64) as usize;
        match rng.below(9) {
            0..=3 => Expr::Operand(0, component),
            4..=6 => Expr::Operand(1, component),
            7 => Expr::K,
            _ if self.scalar == Scalar::Bool => Expr::Constant(rng.below(2) as i64),
            _ => Expr::Constant(*rng.pick(&[0, 1, 1, 2, 3, 7, 100])),
        }
    }

    fn expr(self, rng: &mut Rng, leaves: u64) -> Expr {
        if leaves <= 1 {
            return self.leaf(rng);
        }
        let left = 1 + rng.below(leaves - 1);
        let [a, b] = [left, leaves - left].map(|n| self.expr(rng, n));
        if self.scalar == Scalar::Bool {
            let ops = [Op::And, Op::Or, Op::Eq, Op::Ne];
            let e = Expr::apply(*rng.pick(&ops), [a, b]);
            return if rng.one_in(4) {
                Expr::apply(Op::Not, [e])
            } else {
                e
            };
        }
        match rng.below(14) {
            0..=1 => Expr::apply(Op::Add, [a, b]),
            2..=3 => Expr::apply(Op::Mul, [a, b]),
            4..=5 => Expr::apply(Op::Min, [a, b]),
            6..=7 => Expr::apply(Op::Max, [a, b]),
            8 => Expr::apply(Op::Sub, [a, b]),
            9 if self.has_signs() => Expr::apply(
                *rng.pick(&[Op::Neg, Op::Abs]),
                [Expr::apply(Op::Add, [a, b])],
            ),
            10 if !self.scalar.is_float() && self.wraps() => {
                Expr::apply(*rng.pick(&[Op::BitAnd, Op::BitOr, Op::BitXor]), [a, b])
            }
            10 => Expr::apply(Op::Div, [a, Expr::Constant(1 + rng.below(3) as i64)]),
            _ => {
                let [c, d] = [0, 1].map(|_| self.leaf(rng));
                let op = *rng.pick(&[Op::Lt, Op::Le, Op::Eq, Op::Ne]);
                Expr::apply(Op::Select, [Expr::apply(op, [c, d]), a, b])
            }
        }
    }

    /// An operator: any, or one that associates, seen through a function that has an inverse, in half of the cases changed at
    /// one leaf.
    pub fn operator(self, rng: &mut Rng) -> Vec<Expr> {
        let leaves = 2 + rng.below(4);
        if self.scalar == Scalar::Bool || rng.one_in(2) {
            return (0..self.components)
                .map(|_| self.expr(rng, leaves))
                .collect();
        }
        let mut parts: Vec<Expr> = self.known(rng);
        let c = match rng.below(3) {
            0 => Expr::K,
            _ => Expr::Constant(rng.below(9) as i64),
        };
        let (to, from): (Op, Op) = *rng.pick(&[(Op::Add, Op::Sub), (Op::Sub, Op::Sub)]);
        // `c - x` is its own inverse, `x + c` has `x - c`.
        let through = |op: Op, e: Expr| match op {
            Op::Sub if to == Op::Sub => Expr::apply(Op::Sub, [c.clone(), e]),
            op => Expr::apply(op, [e, c.clone()]),
        };
        if rng.one_in(2) {
            let seen = |i: usize| -> Vec<Expr> {
                (0..self.components)
                    .map(|k| through(to, Expr::Operand(i, k)))
                    .collect()
            };
            parts = parts
                .iter()
                .map(|p| through(from, p.with(&seen(0), &seen(1))))
                .collect();
        }
        if rng.one_in(2) {
            let at = rng.below(parts.len() as u64) as usize;
            parts[at].changed(rng, self);
        }
        parts
    }

    /// An operator that associates in one reading or another.
    fn known(self, rng: &mut Rng) -> Vec<Expr> {
        let (x, y) = (|c| Expr::Operand(0, c), |c| Expr::Operand(1, c));
        let one = |rng: &mut Rng, c: usize| {
            let (x, y) = (x(c), y(c));
            let both = |op| Expr::apply(op, [x.clone(), y.clone()]);
            match rng.below(8) {
                0 => both(Op::Add),
                1 => both(Op::Mul),
                2 => both(Op::Min),
                3 => both(Op::Max),
                4 => Expr::apply(
                    Op::Max,
                    [Expr::apply(Op::Min, [x.clone(), Expr::K]), y.clone()],
                ),
                5 => Expr::apply(Op::Add, [both(Op::Add), both(Op::Mul)]),
                6 => {
                    let zero = Expr::apply(Op::Eq, [x.clone(), Expr::Constant(0)]);
                    Expr::apply(Op::Select, [zero, y.clone(), x.clone()])
                }
                _ => {
                    let left = Expr::apply(Op::Sub, [Expr::Constant(100), x.clone()]);
                    Expr::apply(
                        Op::Add,
                        [x.clone(), Expr::apply(Op::Min, [y.clone(), left])],
                    )
                }
            }
        };
        if self.components == 1 {
            return vec![one(rng, 0)];
        }
        if self.components == 3 {
            // A pair of which each part depends on the other, or three numbers by themselves.
            let pair = Domain {
                components: 2,
                ..self
            };
            let mut parts = match rng.one_in(2) {
                true => pair.known(rng),
                false => (0..2).map(|c| one(rng, c)).collect(),
            };
            parts.push(one(rng, 2));
            return parts;
        }
        let add = |a, b| Expr::apply(Op::Add, [a, b]);
        let mul = |a, b| Expr::apply(Op::Mul, [a, b]);
        match rng.below(6) {
            0 => (0..2).map(|c| one(rng, c)).collect(),
            1 => vec![
                Expr::apply(Op::Sub, [mul(x(0), y(0)), mul(x(1), y(1))]),
                add(mul(x(0), y(1)), mul(x(1), y(0))),
            ],
            2 => vec![mul(x(0), y(0)), add(mul(x(1), y(0)), y(1))],
            3 => vec![
                add(x(0), y(0)),
                Expr::apply(Op::Max, [x(1), add(x(0), y(1))]),
            ],
            4 => {
                let op = *rng.pick(&[Op::Lt, Op::Le]);
                let less = Expr::apply(op, [y(0), x(0)]);
                (0..2)
                    .map(|c| Expr::apply(Op::Select, [less.clone(), y(c), x(c)]))
                    .collect()
            }
            _ => {
                let most = |a, b| Expr::apply(Op::Max, [a, b]);
                let least = Expr::apply(Op::Min, [x(0), y(0)]);
                vec![most(x(0), y(0)), most(least, most(x(1), y(1)))]
            }
        }
    }
}
