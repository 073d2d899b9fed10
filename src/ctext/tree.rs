//! What a value is: the form in which both texts are compared.
//!
//! In: operations, as C or a loop program has them. Out: trees that are equal if the values are, by rules that hold for all
//! values: integers wrap, a conversion to a narrower integer goes through sums, products and bits, what keeps its value
//! when it is converted is compared as it was. Nothing is known here of any text.

use super::sum::{Atom, Sum};
use super::types::stored;
use crate::intern::Symbol;
use crate::nest::{BufId, Shape};
use crate::term::Op;
use crate::ty::Scalar;
use std::rc::Rc;

/// What is done with the parts.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum By {
    Op(Op),
    /// To another type of numbers, as C does it.
    Convert,
    /// Floats to integers: saturating, NaN to 0.
    Saturate,
    /// The bits as another type.
    Bits,
    /// From 16 bits to f32, and back.
    Widen(Scalar),
    Narrow(Scalar),
    /// The first to an index below the second.
    Clamp,
    Splat,
    Lane(u32),
    Build,
    /// Truth values as 0 and 1.
    ZeroOne,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    Int(i128),
    /// The bits.
    Float(u64),
    Var(Symbol),
    Index(Sum),
    Load(BufId, Sum),
    Of(By, Vec<Tree>),
}

#[derive(PartialEq, Debug)]
struct Node {
    kind: Kind,
    shape: Shape,
}

#[derive(Clone, Debug)]
pub struct Tree(Rc<Node>);

impl PartialEq for Tree {
    fn eq(&self, o: &Tree) -> bool {
        Rc::ptr_eq(&self.0, &o.0) || self.0 == o.0
    }
}

fn is_whole(elem: Scalar) -> bool {
    elem.is_int() || elem == Scalar::Bool
}

/// Whether each number of a type is one of another.
fn holds_all(from: Scalar, to: Scalar) -> bool {
    let ((least, most), (low, high)) = (from.bounds(), to.bounds());
    is_whole(from) && is_whole(to) && low <= least && most <= high
}

fn wrapped(n: i128, elem: Scalar) -> i128 {
    let (low, high) = elem.bounds();
    match elem {
        Scalar::Bool => i128::from(n != 0),
        _ => match n.rem_euclid(high - low + 1) {
            n if n > high => n - (high - low + 1),
            n => n,
        },
    }
}

/// Whether conversion to no wider integers goes through it.
fn wraps(op: Op) -> bool {
    use Op::*;
    matches!(op, Add | Sub | Mul | BitAnd | BitOr | BitXor | BitNot)
}

/// What two constants with a sign give, if that is one of their type.
fn computed(op: Op, x: &Tree, y: &Tree, elem: Scalar) -> Option<i128> {
    let (m, n) = (x.as_int()?, y.as_int()?);
    let value = match op {
        Op::Add => m.checked_add(n)?,
        Op::Sub => m.checked_sub(n)?,
        _ => m.checked_mul(n)?,
    };
    let (low, high) = elem.bounds();
    (elem.is_int() && elem.is_signed() && low <= value && value <= high).then_some(value)
}

/// The operation on truth values that a sign stands for. `&` and `|` compute both of them, which is the same if the second
/// one can be computed anywhere.
pub fn logic(sign: &str, x: &Tree, y: &Tree) -> Option<Op> {
    let truths = [x, y].iter().all(|t| t.elem() == Scalar::Bool);
    let computed = || truths && y.is_anywhere();
    match sign {
        "&&" => Some(Op::And),
        "||" => Some(Op::Or),
        "&" if computed() => Some(Op::And),
        "|" if computed() => Some(Op::Or),
        _ => None,
    }
}

impl Tree {
    pub fn new(kind: Kind, shape: Shape) -> Tree {
        let elem = stored(shape.elem);
        let shape = Shape { elem, ..shape };
        Tree(Rc::new(Node { kind, shape }))
    }

    pub fn kind(&self) -> &Kind {
        &self.0.kind
    }

    pub fn shape(&self) -> Shape {
        self.0.shape
    }

    pub fn elem(&self) -> Scalar {
        self.0.shape.elem
    }

    pub fn int(n: i128, elem: Scalar) -> Tree {
        let kind = match elem {
            Scalar::I64 => Kind::Index(Sum::int(n)),
            _ => Kind::Int(n),
        };
        Tree::new(kind, Shape::scalar(elem))
    }

    pub fn bool(b: bool) -> Tree {
        Tree::new(Kind::Int(b.into()), Shape::scalar(Scalar::Bool))
    }

    /// All that is no number is one.
    pub fn float(x: f64, elem: Scalar) -> Tree {
        let x = if x.is_nan() { f64::NAN } else { x };
        let bits = match elem {
            Scalar::F32 => u64::from((x as f32).to_bits()),
            _ => x.to_bits(),
        };
        Tree::new(Kind::Float(bits), Shape::scalar(elem))
    }

    pub fn index(n: Sum) -> Tree {
        Tree::new(Kind::Index(n), Shape::index())
    }

    pub fn var(v: Symbol, shape: Shape) -> Tree {
        match stored(shape.elem) == Scalar::I64 && shape.lanes == 1 {
            true => Tree::index(Sum::atom(super::sum::Atom::Var(v))),
            false => Tree::new(Kind::Var(v), shape),
        }
    }

    pub fn load(b: BufId, at: Sum, shape: Shape) -> Tree {
        Tree::new(Kind::Load(b, at), shape)
    }

    /// A number that is known.
    pub fn as_int(&self) -> Option<i128> {
        match self.kind() {
            Kind::Int(n) => Some(*n),
            Kind::Index(n) => n.as_int(),
            _ => None,
        }
    }

    pub fn as_of(&self, by: By) -> Option<&[Tree]> {
        match self.kind() {
            Kind::Of(b, args) if *b == by => Some(args),
            _ => None,
        }
    }

    /// 0 in each lane; of floats, without a sign.
    fn is_zero(&self) -> bool {
        match self.kind() {
            Kind::Float(0) => true,
            Kind::Of(By::Splat, args) => args[0].is_zero(),
            _ => self.as_int() == Some(0),
        }
    }

    /// An operation, as `shape`. Comparisons are of numbers, whatever types these have.
    pub fn of(by: By, args: Vec<Tree>, shape: Shape) -> Tree {
        use Op::*;
        match (by, &args[..]) {
            (By::Op(Lt | Le | Gt | Ge | Eq | Ne), _) => {
                let args = args.iter().map(Tree::number).collect();
                Tree::new(Kind::Of(by, args), shape)
            }
            // Compilers and this reader compute with constants, as long as these stay inside of their type.
            (By::Op(op @ (Add | Sub | Mul)), [x, y]) if shape.lanes == 1 => {
                match computed(op, x, y, shape.elem) {
                    Some(n) => Tree::int(n, shape.elem),
                    None => Tree::new(Kind::Of(by, args), shape),
                }
            }
            // Nothing is lost: a negative zero stays one.
            (By::Op(Sub), [x, zero]) if zero.shape().lanes > 1 && zero.is_zero() => x.clone(),
            (By::Op(Neg), [x]) => match x.kind() {
                Kind::Float(bits) => {
                    let sign = 1 << (8 * x.elem().bytes() - 1);
                    Tree::new(Kind::Float(bits ^ sign), shape)
                }
                _ => Tree::new(Kind::Of(by, args), shape),
            },
            _ => Tree::new(Kind::Of(by, args), shape),
        }
    }

    /// The least or the largest of single numbers is a choice.
    pub fn extreme(op: Op, x: &Tree, y: &Tree) -> Tree {
        let compare = if op == Op::Min { Op::Lt } else { Op::Gt };
        let args = vec![x.clone(), y.clone()];
        let c = Tree::of(By::Op(compare), args, Shape::scalar(Scalar::Bool));
        Tree::select(c, x.clone(), y.clone())
    }

    pub fn select(c: Tree, x: Tree, y: Tree) -> Tree {
        let shape = x.shape();
        Tree::of(By::Op(Op::Select), vec![c, x, y], shape)
    }

    pub fn splat(x: Tree, lanes: u32) -> Tree {
        let elem = x.elem();
        Tree::of(By::Splat, vec![x], Shape { elem, lanes })
    }

    /// Without conversions that keep every value; what is known as an index.
    pub fn number(&self) -> Tree {
        if let Some(n) = self.as_int() {
            return Tree::int(n, Scalar::I64);
        }
        match self.kind() {
            Kind::Of(By::Convert, args) if holds_all(args[0].elem(), self.elem()) => {
                args[0].number()
            }
            Kind::Of(By::Op(Op::Select), args) => {
                let [c, x, y] = [&args[0], &args[1], &args[2]];
                Tree::select(c.clone(), x.number(), y.number())
            }
            Kind::Of(By::Splat, args) => Tree::splat(args[0].number(), self.shape().lanes),
            _ => self.clone(),
        }
    }

    /// To another type of elements, as C converts numbers.
    pub fn convert(&self, to: Scalar) -> Tree {
        let (from, to) = (self.elem(), stored(to));
        let shape = Shape {
            elem: to,
            ..self.shape()
        };
        if from == to {
            return self.clone();
        }
        let parts = |args: &[Tree]| args.iter().map(|a| a.convert(to)).collect::<Vec<_>>();
        if let Kind::Of(by, args) = self.kind() {
            match by {
                By::Op(Op::Select) => {
                    return Tree::select(args[0].clone(), args[1].convert(to), args[2].convert(to))
                }
                By::Splat => return Tree::splat(args[0].convert(to), shape.lanes),
                By::ZeroOne if to.is_int() => return Tree::of(By::ZeroOne, args.clone(), shape),
                By::ZeroOne if to.is_float() => {
                    let inner = Shape {
                        elem: Scalar::I8,
                        ..shape
                    };
                    return Tree::of(
                        By::Convert,
                        vec![Tree::of(By::ZeroOne, args.clone(), inner)],
                        shape,
                    );
                }
                _ => {}
            }
        }
        if shape.lanes > 1 && from == Scalar::Bool {
            let inner = Shape {
                elem: Scalar::I8,
                ..shape
            };
            return Tree::of(By::ZeroOne, vec![self.clone()], inner).convert(to);
        }
        if let (Kind::Float(bits), true) = (self.kind(), to.is_float()) {
            return match from {
                Scalar::F32 => Tree::float(f32::from_bits(*bits as u32).into(), to),
                _ => Tree::float(f64::from_bits(*bits), to),
            };
        }
        if is_whole(from) && to.is_int() {
            let narrower = to.bytes() <= from.bytes();
            match self.kind() {
                Kind::Int(n) => return Tree::int(wrapped(*n, to), to),
                Kind::Index(n) if n.as_int().is_some() => {
                    return Tree::int(wrapped(n.as_int().unwrap_or(0), to), to);
                }
                Kind::Of(By::Convert, args)
                    if args[0].elem().is_int() && (narrower || holds_all(args[0].elem(), from)) =>
                {
                    return args[0].convert(to);
                }
                Kind::Of(By::Convert, args) if args[0].elem() == Scalar::Bool => {
                    return args[0].convert(to)
                }
                Kind::Of(By::Op(op), args) if wraps(*op) && narrower && from != Scalar::Bool => {
                    return Tree::of(By::Op(*op), parts(args), shape);
                }
                Kind::Of(By::Op(op @ (Op::Shl | Op::Shr)), args) if narrower => {
                    let (x, by) = (args[0].convert(to), args[1].as_int());
                    let bits = 8 * i128::from(to.bytes());
                    // Bits that come from above have to be those that it has itself.
                    let same = *op == Op::Shl || holds_all(to, from) && x.convert(from) == args[0];
                    if let Some(by) = by.filter(|n| same && (0..bits).contains(n)) {
                        return Tree::of(By::Op(*op), vec![x, Tree::int(by, to)], shape);
                    }
                }
                _ => {}
            }
        }
        if to == Scalar::Bool {
            return self.truth();
        }
        if let (Some(n), true) = (self.as_int(), to.is_float()) {
            return match to {
                Scalar::F32 => Tree::float((n as f32).into(), to),
                _ => Tree::float(n as f64, to),
            };
        }
        let inner = match is_whole(from) && to.is_float() {
            true => self.number(),
            false => self.clone(),
        };
        Tree::of(By::Convert, vec![inner], shape)
    }

    /// An integer that is narrower than an `int` is one where something is computed of it.
    pub fn promoted(&self) -> Tree {
        match self.elem().bytes() < 4 && !self.elem().is_float() {
            true => self.convert(Scalar::I32),
            false => self.clone(),
        }
    }

    /// Shifted by a number of fewer bits than there are: to the left, what has no sign.
    pub fn shifted(self, left: bool, by: &Tree) -> Option<Tree> {
        let (shape, bits) = (self.shape(), 8 * i128::from(self.elem().bytes()));
        let by = by.as_int().filter(|n| (0..bits).contains(n))?;
        let op = if left { Op::Shl } else { Op::Shr };
        let by = Tree::int(by, self.elem());
        let fits = self.elem().is_int() && !(left && self.elem().is_signed());
        fits.then(|| Tree::of(By::Op(op), vec![self, by], shape))
    }

    /// Whether it can be computed where nobody asks for it: no element is read, and C gives each value a meaning.
    fn is_anywhere(&self) -> bool {
        use Op::*;
        let whole = |t: &Tree| is_whole(t.elem());
        match self.kind() {
            Kind::Int(_) | Kind::Float(_) | Kind::Var(_) => true,
            Kind::Index(n) => {
                let called = |a| matches!(a, Atom::Call(..));
                n.as_int().is_some() || n.as_atom().is_some_and(|a| !called(a))
            }
            Kind::Load(..) => false,
            Kind::Of(by, args) => {
                let exact = match by {
                    By::Op(Add | Sub | Mul | Neg | Min | Max | Fma | Abs | Sqrt) => true,
                    By::Op(Lt | Le | Gt | Ge | Eq | Ne | And | Or | Not | Select) => true,
                    By::Op(BitAnd | BitOr | BitXor | BitNot | Shl | Shr) => true,
                    By::Convert => args.iter().all(whole) || !whole(self),
                    By::Bits | By::ZeroOne | By::Lane(_) | By::Splat | By::Build => true,
                    _ => false,
                };
                exact && args.iter().all(Tree::is_anywhere)
            }
        }
    }

    /// Whether it is not 0.
    pub fn truth(&self) -> Tree {
        let shape = Shape {
            elem: Scalar::Bool,
            ..self.shape()
        };
        if self.elem() == Scalar::Bool {
            return self.clone();
        }
        let was_bool = |t: &Tree| match t.kind() {
            Kind::Of(By::Convert, args) if args[0].elem() == Scalar::Bool => Some(args[0].clone()),
            Kind::Int(n @ (0 | 1)) => Some(Tree::bool(*n == 1)),
            _ => None,
        };
        if let Some(b) = was_bool(self) {
            return b;
        }
        if let Kind::Of(By::Op(op @ (Op::BitAnd | Op::BitOr | Op::BitXor)), args) = self.kind() {
            if let Some(args) = args.iter().map(was_bool).collect::<Option<Vec<_>>>() {
                return Tree::of(By::Op(*op), args, shape);
            }
        }
        let zero = match self.elem().is_float() {
            true => Tree::float(0.0, self.elem()),
            false => Tree::int(0, self.elem()),
        };
        let zero = match shape.lanes {
            1 => zero,
            k => Tree::splat(zero, k),
        };
        Tree::of(By::Op(Op::Ne), vec![self.clone(), zero], shape)
    }
}

/// The other truth value.
pub fn not(t: Tree) -> Tree {
    let shape = t.shape();
    Tree::of(By::Op(Op::Not), vec![t], shape)
}
