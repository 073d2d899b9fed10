//! Loop program → trees: what its values are, as numbers of C.
//!
//! Invariant: says what the operations of a loop program mean; that they are written so is not assumed of any text. What
//! no loop program that is printed has, has none.

use super::sum::{Atom, Sum};
use super::tree::{By, Tree};
use crate::nest::{BufId, Expr, ExprKind, Nest, Shape, StorageClass};
use crate::term::{Lit, Op};
use crate::ty::Scalar;

/// Why a value has no tree.
pub type Res<T> = Result<T, String>;

pub fn index(n: crate::arith::Nat) -> Res<Sum> {
    Sum::of(n).ok_or_else(|| format!("the index {n} has no form as integers of C"))
}

/// A vector of truth values in a buffer is one of bytes.
pub fn in_memory(shape: Shape) -> Shape {
    match shape.is_mask() {
        true => Shape {
            elem: Scalar::U8,
            ..shape
        },
        false => shape,
    }
}

/// Whether a buffer is a parameter that is passed by value.
pub fn by_value(nest: &Nest, b: BufId) -> bool {
    match nest.buffers[nest.root(b).0 as usize].storage {
        StorageClass::Input(i) => nest.abi.inputs.get(i).is_some_and(|s| s.by_value),
        _ => false,
    }
}

/// The value of a parameter that is passed by value.
pub fn parameter(b: BufId, elem: Scalar) -> Tree {
    match elem {
        Scalar::I64 => Tree::index(Sum::atom(Atom::Param(b))),
        _ => Tree::load(b, Sum::int(0), Shape::scalar(elem)),
    }
}

/// Trees of more nodes are not made.
const LARGEST: u64 = 1 << 20;

pub fn value(nest: &Nest, e: &Expr) -> Res<Tree> {
    match u64::from(e.size()) < LARGEST && written(e) < LARGEST {
        true => tree(nest, e),
        false => Err("a value of the loop program is too large".to_string()),
    }
}

/// The nodes of a value as C has it, where the operands of a minimum stand twice.
fn written(e: &Expr) -> u64 {
    let all = |es: &[Expr]| es.iter().map(written).fold(1, u64::saturating_add);
    match e.kind() {
        ExprKind::Op(Op::Min | Op::Max, es) if e.shape().lanes == 1 => all(es).saturating_mul(2),
        ExprKind::Op(_, es) | ExprKind::Build(es) | ExprKind::Pick(es, _) => all(es),
        ExprKind::Clamp(a, _) => written(a).saturating_mul(2),
        ExprKind::Cast(a) | ExprKind::Splat(a) | ExprKind::Lane(a, _) => {
            written(a).saturating_add(1)
        }
        _ => 1,
    }
}

fn tree(nest: &Nest, e: &Expr) -> Res<Tree> {
    let shape = e.shape();
    let each = |es: &[Expr]| es.iter().map(|e| tree(nest, e)).collect::<Res<Vec<Tree>>>();
    Ok(match e.kind() {
        ExprKind::Lit(l) => literal(*l, shape.elem)?,
        ExprKind::Var(v) => Tree::var(*v, shape),
        ExprKind::Index(n) => Tree::index(index(*n)?),
        ExprKind::Load(b, n) => {
            let root = nest.root(*b);
            match by_value(nest, root) {
                true => parameter(root, shape.elem),
                false if shape.is_mask() => Tree::load(root, index(*n)?, in_memory(shape)).truth(),
                false => Tree::load(root, index(*n)?, shape),
            }
        }
        ExprKind::Op(op, args) => {
            let half = args.iter().any(|a| a.shape().elem.is_half());
            if half && !matches!(op, Op::Select | Op::Bitcast) {
                return Err(format!("`{}` of floats of 16 bits", op.name()));
            }
            let trees = each(args)?;
            match shape.is_mask() {
                true => of_masks(*op, args, trees, shape)?,
                false => operation(*op, args, trees, shape),
            }
        }
        ExprKind::Cast(a) => converted(tree(nest, a)?, a.shape(), shape),
        ExprKind::Clamp(a, n) => {
            let args = vec![as_index(tree(nest, a)?, a.shape()), Tree::index(index(*n)?)];
            Tree::of(By::Clamp, args, Shape::index())
        }
        ExprKind::Splat(a) => Tree::splat(tree(nest, a)?, shape.lanes),
        ExprKind::Lane(a, i) => Tree::of(By::Lane(*i), vec![tree(nest, a)?], shape),
        ExprKind::Build(es) => Tree::of(By::Build, each(es)?, shape),
        ExprKind::Pick(..) => return Err("a lane is picked by an index".to_string()),
    })
}

fn literal(l: Lit, elem: Scalar) -> Res<Tree> {
    let half = |x: f32| Tree::int(elem.half_bits(x).into(), Scalar::U16);
    Ok(match l {
        Lit::Bool(b) => Tree::bool(b),
        Lit::F32(bits) if elem.is_half() => half(f32::from_bits(bits)),
        Lit::Int(i) if elem.is_half() => half(i as f32),
        Lit::F32(bits) => Tree::float(f32::from_bits(bits).into(), Scalar::F32),
        Lit::F64(bits) => Tree::float(f64::from_bits(bits), Scalar::F64),
        Lit::Int(i) if elem == Scalar::F32 => Tree::float((i as f32).into(), elem),
        Lit::Int(i) if elem == Scalar::F64 => Tree::float(i as f64, elem),
        Lit::Int(i) => Tree::int(i, elem),
        Lit::Size(_) if elem.is_half() => return Err("a size as a float of 16 bits".to_string()),
        Lit::Size(n) => Tree::index(index(n)?).convert(elem),
    })
}

/// What is beyond the numbers with a sign is beyond every bound.
fn as_index(x: Tree, from: Shape) -> Tree {
    if from.elem != Scalar::U64 {
        return converted(x, from, Shape::index());
    }
    let most = Tree::int(i64::MAX.into(), Scalar::U64);
    let beyond = Tree::of(
        By::Op(Op::Gt),
        vec![x.clone(), most.clone()],
        Shape::scalar(Scalar::Bool),
    );
    Tree::select(beyond, most, x).convert(Scalar::I64)
}

fn converted(x: Tree, from: Shape, to: Shape) -> Tree {
    let single = Shape {
        elem: Scalar::F32,
        ..from
    };
    match (from.elem, to.elem) {
        (f, t) if f == t => x,
        (f, _) if f.is_half() => converted(Tree::of(By::Widen(f), vec![x], single), single, to),
        (Scalar::F32, t) if t.is_half() => Tree::of(By::Narrow(t), vec![x], to),
        (_, t) if t.is_half() => converted(converted(x, from, single), single, to),
        (f, t) if f.is_float() && t.is_int() => Tree::of(By::Saturate, vec![x], to),
        (_, t) => x.convert(t),
    }
}

fn operation(op: Op, args: &[Expr], a: Vec<Tree>, shape: Shape) -> Tree {
    use Op::*;
    let elem = shape.elem;
    let make = |op: Op, args: Vec<Tree>| Tree::of(By::Op(op), args, shape);
    let zero = || match shape.lanes {
        1 => Tree::int(0, elem),
        k => Tree::splat(Tree::int(0, elem), k),
    };
    match (op, &a[..]) {
        (Min | Max, [x, y]) if shape.lanes == 1 => Tree::extreme(op, x, y),
        (Select, [c, x, y]) => Tree::select(c.clone(), x.clone(), y.clone()),
        (Fma, [x, y, z]) if elem.is_int() => {
            make(Add, vec![make(Mul, vec![x.clone(), y.clone()]), z.clone()])
        }
        (Neg, [x]) if elem.is_int() => make(Sub, vec![zero(), x.clone()]),
        (Abs, [x]) if elem.is_int() && !elem.is_signed() => x.clone(),
        (Bitcast, [x]) => {
            let number = |s: Scalar| s.is_float() && !s.is_half();
            match number(args[0].shape().elem) == number(elem) {
                true => x.convert(elem),
                false => Tree::of(By::Bits, a.clone(), shape),
            }
        }
        _ => make(op, a),
    }
}

/// Operations that give vectors of truth values.
fn of_masks(op: Op, args: &[Expr], a: Vec<Tree>, shape: Shape) -> Res<Tree> {
    use Op::*;
    let make = |op: Op, args: Vec<Tree>| Tree::of(By::Op(op), args, shape);
    if op != Select && !args.iter().all(|e| e.shape().elem == Scalar::Bool) {
        return Ok(make(op, a));
    }
    let not = |x: &Tree| make(Not, vec![x.clone()]);
    Ok(match (op, &a[..]) {
        (And | Or | Not, _) => make(op, a),
        (Ne, _) => make(BitXor, a),
        (Eq, _) => not(&make(BitXor, a)),
        (Lt, [x, y]) => make(And, vec![not(x), y.clone()]),
        (Le, [x, y]) => make(Or, vec![not(x), y.clone()]),
        (Gt, [x, y]) => make(And, vec![x.clone(), not(y)]),
        (Ge, [x, y]) => make(Or, vec![x.clone(), not(y)]),
        (Select, [c, x, y]) => Tree::select(c.clone(), x.clone(), y.clone()),
        _ => return Err(format!("`{}` of vectors of truth values", op.name())),
    })
}

/// Whether a tree is what is stored as truth values in a buffer.
pub fn stored_value(x: Tree) -> Tree {
    match x.shape().is_mask() {
        true => x.convert(Scalar::U8),
        false => x,
    }
}
