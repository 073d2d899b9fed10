//! Random operators at many points at once: the same arithmetic as in `operators`, a column of numbers for each expression.
//!
//! Whole numbers of the machine wrap in 64 bits and then in those of their type; those without bounds, and real numbers where nothing is
//! divided, are left out at points where they leave 64 bits.

use super::operators::{Domain, Expr, Number};
use rise_opt::interp::random::Rng;
use rise_opt::operator::{Law, Meaning};
use rise_opt::term::Op;
use rise_opt::ty::Scalar;

/// Points of a column.
pub const ROWS: usize = 256;

/// Numbers, or truth values, at some points.
#[derive(Clone)]
pub enum Column {
    Whole(Vec<i64>),
    Float(Vec<f32>),
}

/// What is computed at points, and at which of them something had no value.
struct Sheet<'a> {
    d: Domain,
    k: &'a Column,
    lost: Vec<bool>,
}

/// Whether columns can hold the numbers of a domain, and of these operators.
pub fn hold(d: Domain, parts: &[Expr]) -> bool {
    d.scalar != Scalar::U64 && (!is_real(d) || !parts.iter().any(|p| p.mentions(Op::Div)))
}

fn is_real(d: Domain) -> bool {
    d.scalar.is_float() && d.meaning != Meaning::Machine
}

/// Random numbers.
pub fn draw(d: Domain, rng: &mut Rng) -> Column {
    if is_real(d) {
        let small = |_| rng.between(-40, 40);
        return Column::Whole((0..ROWS).map(small).collect());
    }
    let drawn: Vec<Number> = (0..ROWS).map(|_| d.draw(rng)).collect();
    column(&drawn)
}

fn column(numbers: &[Number]) -> Column {
    match numbers.first() {
        Some(Number::Float(_)) => {
            let float = |n: &Number| match n {
                Number::Float(x) => *x,
                _ => f32::NAN,
            };
            Column::Float(numbers.iter().map(float).collect())
        }
        _ => {
            let whole = |n: &Number| match n {
                Number::Whole(i) => *i as i64,
                _ => 0,
            };
            Column::Whole(numbers.iter().map(whole).collect())
        }
    }
}

impl Column {
    /// The number at a point.
    pub fn at(&self, d: Domain, i: usize) -> Number {
        match self {
            Column::Whole(all) if is_real(d) => Number::Ratio(all[i].into(), 1),
            Column::Whole(all) => Number::Whole(all[i].into()),
            Column::Float(all) => Number::Float(all[i]),
        }
    }

    fn differs(&self, other: &Column, i: usize) -> bool {
        match (self, other) {
            (Column::Whole(a), Column::Whole(b)) => a[i] != b[i],
            (Column::Float(a), Column::Float(b)) => {
                a[i].to_bits() != b[i].to_bits() && !(a[i].is_nan() && b[i].is_nan())
            }
            _ => true,
        }
    }
}

/// One number everywhere; none where columns cannot hold it.
pub fn constant(d: Domain, n: Number) -> Option<Column> {
    match n {
        Number::Ratio(n, 1) if is_real(d) => Some(Column::Whole(vec![n.try_into().ok()?; ROWS])),
        Number::Ratio(..) => None,
        n => Some(column(&vec![n; ROWS])),
    }
}

/// What an operator gives, and at which points that has no value.
pub fn call(
    d: Domain,
    parts: &[Expr],
    operands: [&[Column]; 2],
    k: &Column,
) -> (Vec<Column>, Vec<bool>) {
    let lost = vec![false; ROWS];
    let mut sheet = Sheet { d, k, lost };
    let found = parts.iter().map(|p| sheet.value(p, operands)).collect();
    (found, sheet.lost)
}

/// A point, by its number, at which columns differ that have values there.
pub fn apart(left: &[Column], right: &[Column], lost: &[bool]) -> Option<usize> {
    (0..ROWS).find(|i| !lost[*i] && left.iter().zip(right).any(|(a, b)| a.differs(b, *i)))
}

/// A point, by its number, at which the sides of a law differ.
pub fn difference(
    d: Domain,
    parts: &[Expr],
    law: Law,
    [x, y, z]: [&[Column]; 3],
    k: &Column,
) -> Option<usize> {
    let (left, right, lost) = sides(d, parts, law, [x, y, z], k);
    apart(&left, &right, &lost)
}

/// Both sides of a law, and at which points they have no value.
pub fn sides(
    d: Domain,
    parts: &[Expr],
    law: Law,
    [x, y, z]: [&[Column]; 3],
    k: &Column,
) -> (Vec<Column>, Vec<Column>, Vec<bool>) {
    let lost = vec![false; ROWS];
    let mut sheet = Sheet { d, k, lost };
    let mut op = |a: &[Column], b: &[Column]| -> Vec<Column> {
        parts.iter().map(|p| sheet.value(p, [a, b])).collect()
    };
    let xy = op(x, y);
    let (left, right) = match law {
        Law::Associative => {
            let yz = op(y, z);
            (op(&xy, z), op(x, &yz))
        }
        Law::Commutative => {
            let yx = op(y, x);
            (xy, yx)
        }
        Law::Idempotent => (op(&xy, y), xy),
    };
    (left, right, sheet.lost)
}

impl Sheet<'_> {
    fn value(&mut self, e: &Expr, operands: [&[Column]; 2]) -> Column {
        match e {
            Expr::Operand(i, c) => operands[*i][*c].clone(),
            Expr::K => self.k.clone(),
            Expr::Constant(n) if is_real(self.d) => Column::Whole(vec![*n; ROWS]),
            Expr::Constant(n) => column(&vec![self.d.number(*n); ROWS]),
            Expr::Apply(Op::Select, args) => {
                let choice = self.value(&args[0], operands);
                let before = self.lost.clone();
                let a = self.value(&args[1], operands);
                let lost_there = std::mem::replace(&mut self.lost, before.clone());
                let b = self.value(&args[2], operands);
                let Column::Whole(choice) = choice else {
                    panic!("a truth value")
                };
                // Only what is chosen has to have a value.
                for i in (0..ROWS).filter(|i| choice[*i] != 0) {
                    self.lost[i] = lost_there[i];
                }
                chosen(&choice, &a, &b)
            }
            Expr::Apply(op, args) => {
                let a = self.value(&args[0], operands);
                let b = args.get(1).map(|b| self.value(b, operands));
                match (&a, b.as_ref().unwrap_or(&a)) {
                    (Column::Whole(a), Column::Whole(b)) => self.of_whole(*op, a, b),
                    (Column::Float(a), Column::Float(b)) => of_floats(*op, a, b),
                    _ => panic!("operands of one type"),
                }
            }
        }
    }

    fn of_whole(&mut self, op: Op, a: &[i64], b: &[i64]) -> Column {
        // Truth values are whole, too, and never wrap.
        let truth = |f: fn(i64, i64) -> bool| each(a, b, |x, y| f(x, y).into());
        Column::Whole(match op {
            Op::Lt => truth(|x, y| x < y),
            Op::Le => truth(|x, y| x <= y),
            Op::Eq => truth(|x, y| x == y),
            Op::Ne => truth(|x, y| x != y),
            Op::And => truth(|x, y| x != 0 && y != 0),
            Op::Or => truth(|x, y| x != 0 || y != 0),
            Op::Not => truth(|x, _| x == 0),
            Op::Min => each(a, b, i64::min),
            Op::Max => each(a, b, i64::max),
            Op::BitAnd => each(a, b, |x, y| x & y),
            Op::BitOr => each(a, b, |x, y| x | y),
            Op::BitXor => each(a, b, |x, y| x ^ y),
            Op::Add => self.ring(a, b, i64::overflowing_add),
            Op::Sub => self.ring(a, b, i64::overflowing_sub),
            Op::Mul => self.ring(a, b, i64::overflowing_mul),
            Op::Neg => self.ring(a, b, |x, _| x.overflowing_neg()),
            Op::Abs => self.ring(a, b, |x, _| x.overflowing_abs()),
            Op::Div => self.ring(a, b, |x, y| match y {
                0 => (0, false),
                _ => x.overflowing_div(y),
            }),
            other => panic!("{other:?} is none of the operations"),
        })
    }

    fn ring(&mut self, a: &[i64], b: &[i64], f: fn(i64, i64) -> (i64, bool)) -> Vec<i64> {
        let d = self.d;
        if d.scalar.is_float() || !d.wraps() {
            let mut made = Vec::with_capacity(ROWS);
            for ((x, y), lost) in a.iter().zip(b).zip(&mut self.lost) {
                let (n, beyond) = f(*x, *y);
                *lost |= beyond;
                made.push(n);
            }
            return made;
        }
        let wrapped: fn(i64) -> i64 = match d.scalar {
            Scalar::I8 => |n| i64::from(n as i8),
            Scalar::U8 => |n| i64::from(n as u8),
            Scalar::I16 => |n| i64::from(n as i16),
            Scalar::I32 => |n| i64::from(n as i32),
            Scalar::U32 => |n| i64::from(n as u32),
            _ => |n| n,
        };
        each(a, b, |x, y| wrapped(f(x, y).0))
    }
}

fn each<A: Copy, B>(a: &[A], b: &[A], f: impl Fn(A, A) -> B) -> Vec<B> {
    a.iter().zip(b).map(|(x, y)| f(*x, *y)).collect()
}

fn chosen(choice: &[i64], a: &Column, b: &Column) -> Column {
    fn pick<T: Copy>(choice: &[i64], a: &[T], b: &[T]) -> Vec<T> {
        let pick = |i: usize| if choice[i] != 0 { a[i] } else { b[i] };
        (0..choice.len()).map(pick).collect()
    }
    match (a, b) {
        (Column::Whole(a), Column::Whole(b)) => Column::Whole(pick(choice, a, b)),
        (Column::Float(a), Column::Float(b)) => Column::Float(pick(choice, a, b)),
        _ => panic!("operands of one type"),
    }
}

fn of_floats(op: Op, a: &[f32], b: &[f32]) -> Column {
    let truth = |f: fn(f32, f32) -> bool| Column::Whole(each(a, b, |x, y| f(x, y).into()));
    let made = match op {
        Op::Lt => return truth(|x, y| x < y),
        Op::Le => return truth(|x, y| x <= y),
        Op::Eq => return truth(|x, y| x == y),
        Op::Ne => return truth(|x, y| x != y),
        // Where neither is less, the second.
        Op::Min => each(a, b, |x, y| if x < y { x } else { y }),
        Op::Max => each(a, b, |x, y| if x > y { x } else { y }),
        Op::Add => each(a, b, |x, y| x + y),
        Op::Sub => each(a, b, |x, y| x - y),
        Op::Mul => each(a, b, |x, y| x * y),
        Op::Div => each(a, b, |x, y| x / y),
        Op::Neg => each(a, b, |x, _| -x),
        Op::Abs => each(a, b, |x, _| x.abs()),
        other => panic!("{other:?} is none of the operations"),
    };
    Column::Float(made)
}
