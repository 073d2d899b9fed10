//! C expressions → trees: what they are by the rules of C and the compilers' vectors.
//!
//! In: an expression, and what its names stand for. Out: its tree; or why there is none, as where C gives it no value.
//! Invariant: integers are promoted and brought to one type as C does it; a sum of numbers with a sign is read only where it
//! cannot overflow, or as index arithmetic. Absent: whether indices overflow.

use super::helper::{self, Helper};
use super::meaning::{parameter, Res};
use super::parse::{Expr, Written};
use super::scope::{Entity, Held, Scope};
use super::steps::ends;
use super::sum::Sum;
use super::tree::{logic, By, Kind, Tree};
use super::types::{shape, signed, stored, unsigned};
use crate::nest::{BufId, Nest, Shape};
use crate::term::Op;
use crate::ty::Scalar;

/// A value; of a vector of truth values, the integers that it consists of.
#[derive(Clone, Debug)]
pub struct Value {
    pub tree: Tree,
    pub mask: Option<Scalar>,
}

fn plain(tree: Tree) -> Value {
    Value { tree, mask: None }
}

fn masked(tree: Tree, elem: Scalar) -> Value {
    Value {
        tree,
        mask: Some(elem),
    }
}

fn unread<T>(what: impl Into<String>) -> Res<T> {
    Err(what.into())
}

fn lanes(v: &Value) -> u32 {
    v.tree.shape().lanes
}

pub struct Reader<'a, 's> {
    pub nest: &'a Nest,
    pub scope: &'s mut Scope,
}

impl Reader<'_, '_> {
    /// As an index.
    pub fn sum(&mut self, e: &Expr) -> Res<Sum> {
        if let Some(short) = self.scope.short(e) {
            return Ok(short);
        }
        match self.value(e)?.tree.convert(Scalar::I64).kind() {
            Kind::Index(n) => Ok(n.clone()),
            _ => unread("what should be an index is another value"),
        }
    }

    pub fn truth(&mut self, e: &Expr) -> Res<Tree> {
        let v = self.value(e)?;
        match lanes(&v) {
            1 => Ok(v.tree.truth()),
            _ => unread("a vector stands where one truth value is expected"),
        }
    }

    pub fn value(&mut self, e: &Expr) -> Res<Value> {
        match e {
            Expr::Number(text) => number(text).map(plain),
            Expr::Name(name) => self.name(name),
            Expr::Unary("*", inner) => self.vector_load(inner),
            Expr::Unary(sign, inner) => {
                let x = self.value(inner)?;
                self.unary(sign, x)
            }
            Expr::Binary(sign, x, y) => {
                let (x, y) = (self.value(x)?, self.value(y)?);
                binary(sign, x, y, self.scope)
            }
            Expr::Choice(c, x, y) => {
                let c = self.truth(c)?;
                let (x, y) = (self.value(x)?, self.value(y)?);
                choice(c, x, y)
            }
            Expr::Cast(ty, inner) => self.cast(ty, inner),
            Expr::Call(name, args) => self.call(name, args),
            Expr::Element(of, index) => self.element(of, index),
            Expr::Braces(ty, all) => self.braces(ty, all),
        }
    }

    fn name(&mut self, name: &str) -> Res<Value> {
        Ok(match self.scope.find(name) {
            Some(Entity::Index(v)) => plain(Tree::var(*v, Shape::index())),
            Some(Entity::Let(v, shape, held)) => {
                let var = Tree::var(*v, *shape);
                match held {
                    Held::Itself | Held::Truth => plain(var),
                    Held::Mask(elem) => masked(var, *elem),
                    Held::Unsigned => plain(var.convert(unsigned(shape.elem))),
                    Held::Short => return unread("a short index is part of a sum"),
                }
            }
            Some(Entity::Value(b, elem)) => plain(parameter(*b, *elem)),
            Some(_) => return unread(format!("`{name}` is no value")),
            None => match name {
                "true" | "false" => plain(Tree::bool(name == "true")),
                "INFINITY" => {
                    self.scope.needs("#include <math.h>");
                    plain(Tree::float(f64::INFINITY, Scalar::F32))
                }
                "NAN" => {
                    self.scope.needs("#include <math.h>");
                    plain(Tree::float(f64::NAN, Scalar::F32))
                }
                "INT32_MIN" => plain(Tree::int(i32::MIN.into(), Scalar::I32)),
                "INT64_MIN" => plain(Tree::int(i64::MIN.into(), Scalar::I64)),
                "INT64_MAX" => plain(Tree::int(i64::MAX.into(), Scalar::I64)),
                _ => return unread(format!("`{name}` is not declared")),
            },
        })
    }

    fn unary(&mut self, sign: &str, x: Value) -> Res<Value> {
        let shape = x.tree.shape();
        match (sign, x.mask) {
            ("~", Some(elem)) => Ok(masked(Tree::of(By::Op(Op::Not), vec![x.tree], shape), elem)),
            ("~", None) if shape.elem.is_float() => unread("`~` of a float"),
            ("~", None) if shape.lanes > 1 => {
                Ok(plain(Tree::of(By::Op(Op::BitNot), vec![x.tree], shape)))
            }
            ("~", None) => {
                let x = x.tree.promoted();
                let shape = x.shape();
                Ok(plain(Tree::of(By::Op(Op::BitNot), vec![x], shape)))
            }
            ("!", None) if shape.lanes == 1 => {
                let args = vec![x.tree.truth()];
                Ok(plain(Tree::of(
                    By::Op(Op::Not),
                    args,
                    Shape::scalar(Scalar::Bool),
                )))
            }
            ("-", None) if shape.elem.is_float() => {
                Ok(plain(Tree::of(By::Op(Op::Neg), vec![x.tree], shape)))
            }
            ("-", None) if shape.lanes == 1 => {
                let x = x.tree.promoted();
                let zero = Tree::int(0, x.elem());
                binary("-", plain(zero), plain(x), self.scope)
            }
            _ => unread(format!("`{sign}` of such a value")),
        }
    }

    /// The buffer whose memory a name stands for.
    pub fn array(&self, e: &Expr) -> Res<BufId> {
        match e {
            Expr::Name(name) => match self.scope.find(name) {
                Some(Entity::Array(b)) => Ok(*b),
                _ => unread(format!("`{name}` is no array")),
            },
            _ => unread("what is indexed is no name"),
        }
    }

    /// `(const f32x8_mem *)&a[i]`: the buffer, the first element, the shape.
    pub fn vector_place(&mut self, e: &Expr) -> Res<(BufId, Sum, Shape, bool)> {
        let Expr::Cast(ty, inner) = e else {
            return unread("what a pointer is followed to is no vector of an array");
        };
        let Expr::Unary("&", element) = &**inner else {
            return unread("a pointer is not made of the address of an element");
        };
        let Expr::Element(of, index) = &**element else {
            return unread("an address is taken of what is no element");
        };
        let name = ty.name.strip_suffix("_mem");
        let Some(shape) = name
            .and_then(shape)
            .filter(|_| ty.pointer == Some((false, false)))
        else {
            return unread(format!("`{}` is no vector in memory", ty.name));
        };
        self.scope.needs(&ty.name);
        let b = self.array(of)?;
        let elem = self.nest.buffers[b.0 as usize].elem;
        if elem.bytes() != shape.elem.bytes() || elem.is_float() != shape.elem.is_float() {
            return unread(format!(
                "an array of {} is read as vectors of {}",
                elem.name(),
                shape.elem.name()
            ));
        }
        Ok((b, self.sum(index)?, shape, ty.is_const))
    }

    fn vector_load(&mut self, e: &Expr) -> Res<Value> {
        let (b, at, shape, _) = self.vector_place(e)?;
        Ok(plain(Tree::load(b, at, shape)))
    }

    fn element(&mut self, of: &Expr, index: &Expr) -> Res<Value> {
        if let Ok(b) = self.array(of) {
            let shape = Shape::scalar(self.nest.buffers[b.0 as usize].elem);
            return Ok(plain(Tree::load(b, self.sum(index)?, shape)));
        }
        let v = self.value(of)?;
        let lane = self
            .sum(index)?
            .as_int()
            .and_then(|n| u32::try_from(n).ok());
        let shape = Shape::scalar(v.tree.elem());
        match lane.filter(|i| *i < lanes(&v) && lanes(&v) > 1) {
            Some(i) => {
                let tree = Tree::of(By::Lane(i), vec![v.tree], shape);
                Ok(Value { tree, mask: v.mask })
            }
            None => unread("a lane that the vector does not have"),
        }
    }

    fn cast(&mut self, ty: &Written, inner: &Expr) -> Res<Value> {
        let Some(to) = shape(&ty.name).filter(|_| ty.pointer.is_none() && !ty.is_const) else {
            return unread(format!("a cast to `{}`", ty.name));
        };
        let v = self.value(inner)?;
        if to.lanes == 1 {
            return match lanes(&v) {
                1 if v.mask.is_none() => arithmetic(&v, to.elem).map(plain),
                _ => unread("a vector is cast to a number"),
            };
        }
        self.scope.needs(&ty.name);
        reinterpreted(v, to)
    }

    fn braces(&mut self, ty: &Written, all: &[Expr]) -> Res<Value> {
        let Some(to) = shape(&ty.name).filter(|s| s.lanes > 1 && ty.pointer.is_none()) else {
            return unread(format!("braces behind `{}`", ty.name));
        };
        self.scope.needs(&ty.name);
        let mut each = Vec::new();
        for e in all {
            let v = self.value(e)?;
            if lanes(&v) > 1 || v.mask.is_some() {
                return unread("a vector as a lane of another");
            }
            each.push(arithmetic(&v, to.elem)?);
        }
        let zero = |t: &Tree| t.as_int() == Some(0) || *t.kind() == Kind::Float(0);
        match &each[..] {
            [one] if zero(one) => Ok(plain(Tree::splat(one.clone(), to.lanes))),
            _ if each.len() == to.lanes as usize => Ok(plain(Tree::of(By::Build, each, to))),
            _ => unread("braces have not one value for each lane"),
        }
    }

    fn call(&mut self, name: &str, args: &[Expr]) -> Res<Value> {
        if self.scope.find(name).is_some() {
            return unread(format!("`{name}` is no function"));
        }
        if let ("INT64_C" | "UINT64_C", [n]) = (name, args) {
            // The C library's macros do not take a sign in front of the number.
            let (sign, elem, n) = match (name, n) {
                ("INT64_C", Expr::Unary("-", n)) => (-1, Scalar::I64, &**n),
                ("INT64_C", n) => (1, Scalar::I64, n),
                (_, n) => (1, Scalar::U64, n),
            };
            let Expr::Number(n) = n else {
                return unread(format!("`{name}` of no number"));
            };
            let (low, high) = elem.bounds();
            let n: Option<i128> = n.parse().ok().map(|n: i128| sign * n);
            return n
                .filter(|n| (low..=high).contains(n))
                .map(|n| plain(Tree::int(n, elem)))
                .ok_or(format!("`{name}` of no number"));
        }
        if let ("__builtin_convertvector", [x, Expr::Name(ty)]) = (name, args) {
            let x = self.value(x)?;
            self.scope.needs(ty);
            return match shape(ty) {
                Some(to) => lanes_converted(x, to),
                None => unread(format!("a conversion to `{ty}`")),
            };
        }
        if let Some((f, n)) = super::sum::FUNCTIONS.iter().find(|f| f.0 == name) {
            if args.len() != *n {
                return unread(format!("`{name}` with {} arguments", args.len()));
            }
            self.scope.needs(name);
            let args: Res<Vec<Sum>> = args.iter().map(|a| self.sum(a)).collect();
            return Ok(plain(Tree::index(Sum::call(f, args?))));
        }
        if let ("EITHER" | "TRUTH", [c]) = (name, args) {
            self.scope.needs(name);
            return self.truth(c).map(plain);
        }
        if let ("ANY" | "ALL", [a, b]) = (name, args) {
            self.scope.needs(name);
            let (a, b) = (truth(self.value(a)?)?, truth(self.value(b)?)?);
            let op = logic(if name == "ANY" { "|" } else { "&" }, &a, &b);
            let both = |op| Tree::of(By::Op(op), vec![a, b], Shape::scalar(Scalar::Bool));
            return op.map_or_else(|| unread("what may not be there"), |op| Ok(plain(both(op))));
        }
        let Some(helper) = helper::named(name).filter(|h| h.of.len() == args.len()) else {
            return unread(format!("a call of `{name}` with {} arguments", args.len()));
        };
        self.scope.needs(if helper.library {
            "#include <math.h>"
        } else {
            name
        });
        // Nobody reads `errno` behind a root.
        if helper.library && helper.by == By::Op(Op::Sqrt) {
            self.scope.needs(&format!("(root-{name})"));
        }
        self.helper(&helper, args)
    }

    /// A vector as one of wider elements; truth values are numbers, here.
    fn widened(&mut self, helper: &Helper, arg: &Expr) -> Res<Value> {
        let v = self.value(arg)?;
        let is = v.mask.unwrap_or(v.tree.elem());
        match lanes(&v) == helper.of[0].lanes && is == helper.of[0].elem {
            true => lanes_converted(v, helper.result),
            false => unread("an argument is no vector of the type that is widened"),
        }
    }

    fn helper(&mut self, helper: &Helper, args: &[Expr]) -> Res<Value> {
        if let (By::Convert, [arg]) = (helper.by, args) {
            return self.widened(helper, arg);
        }
        let mut all = Vec::new();
        let mut masks = Vec::new();
        for (e, to) in args.iter().zip(&helper.of) {
            let v = self.value(e)?;
            if lanes(&v) != to.lanes {
                return unread("an argument has other lanes");
            }
            if to.is_mask() {
                all.push(as_mask(&v, signed(helper.result.elem))?.tree);
            } else if to.lanes == 1 {
                all.push(arithmetic(&v, to.elem)?);
            } else {
                masks.push(v.mask);
                if v.mask.is_none() && v.tree.elem() != stored(to.elem) {
                    return unread(format!("an argument is no vector of {}", to.elem.name()));
                }
                if v.mask.is_some_and(|m| m != to.elem) {
                    return unread("truth values of another width");
                }
                all.push(v.tree);
            }
        }
        if masks.iter().any(Option::is_some) {
            return of_mask_arguments(helper, all);
        }
        if helper.by == By::Op(Op::Select) {
            return Ok(plain(Tree::select(
                all[0].clone(),
                all[1].clone(),
                all[2].clone(),
            )));
        }
        if helper.fits && !self.scope.takes(helper.by, &all[0], helper.result.elem) {
            return unread("a number may not be one that a function takes");
        }
        if let (1, By::Op(op @ (Op::Min | Op::Max))) = (helper.result.lanes, helper.by) {
            return Ok(plain(Tree::extreme(op, &all[0], &all[1])));
        }
        Ok(plain(Tree::of(helper.by, all, helper.result)))
    }
}

/// A choice between vectors of truth values is one.
fn of_mask_arguments(helper: &Helper, all: Vec<Tree>) -> Res<Value> {
    let [c, x, y] = &all[..] else {
        return unread("truth values as numbers");
    };
    if helper.by != By::Op(Op::Select) {
        return unread("truth values as numbers");
    }
    let elem = helper.result.elem;
    let [x, y] = [x, y].map(|t| {
        as_mask(
            &Value {
                tree: t.clone(),
                mask: t.shape().is_mask().then_some(elem),
            },
            elem,
        )
    });
    Ok(masked(Tree::select(c.clone(), x?.tree, y?.tree), elem))
}

/// A number as one of another type.
fn arithmetic(v: &Value, to: Scalar) -> Res<Tree> {
    if lanes(v) > 1 || v.mask.is_some() {
        return unread("a vector stands where a number is expected");
    }
    let from = v.tree.elem();
    match from.is_float() && !to.is_float() && to != Scalar::Bool {
        true => unread("a float becomes an integer, which C leaves open beyond its range"),
        false => Ok(v.tree.convert(to)),
    }
}

/// A value as one of a variable or an element.
pub fn assigned(v: Value, to: Shape) -> Res<Tree> {
    if lanes(&v) != to.lanes {
        return unread("a value has other lanes than what it is given to");
    }
    if to.lanes == 1 {
        return arithmetic(&v, to.elem);
    }
    if v.mask.is_some() {
        return unread("truth values stand where numbers are expected");
    }
    match v.tree.elem() == stored(to.elem) {
        true => Ok(v.tree),
        false => unread("a vector has another type than what it is given to"),
    }
}

/// What is given to a byte that holds a truth value: any other number would be another one in it.
pub fn truth(v: Value) -> Res<Tree> {
    match lanes(&v) == 1 && v.mask.is_none() && v.tree.elem() == Scalar::Bool {
        true => Ok(v.tree),
        false => unread("a number is given to what holds a truth value"),
    }
}

/// Both as one type, as C does it for operators.
fn common(x: Tree, y: Tree) -> (Tree, Tree) {
    let (x, y) = (x.promoted(), y.promoted());
    let order = [
        Scalar::F64,
        Scalar::F32,
        Scalar::U64,
        Scalar::I64,
        Scalar::U32,
        Scalar::I32,
    ];
    let to = order.into_iter().find(|s| x.elem() == *s || y.elem() == *s);
    let to = to.unwrap_or(Scalar::I32);
    (x.convert(to), y.convert(to))
}

/// Vectors of one shape: a number beside a vector is in each lane.
fn alike(x: Value, y: Value) -> Res<(Value, Value)> {
    let spread = |n: Value, v: &Value| -> Res<Value> {
        let elem = v.mask.unwrap_or(v.tree.elem());
        Ok(plain(Tree::splat(arithmetic(&n, elem)?, lanes(v))))
    };
    let (x, y) = match (lanes(&x), lanes(&y)) {
        (1, 1) => (x, y),
        (1, _) => (spread(x, &y)?, y),
        (_, 1) => {
            let y = spread(y, &x)?;
            (x, y)
        }
        _ => (x, y),
    };
    let elem = |v: &Value| v.mask.unwrap_or(v.tree.elem());
    match lanes(&x) == lanes(&y) && elem(&x) == elem(&y) {
        true => Ok((x, y)),
        false => unread("two vectors of different types"),
    }
}

fn comparison(sign: &str) -> Option<Op> {
    let all = [
        ("<", Op::Lt),
        ("<=", Op::Le),
        (">", Op::Gt),
        (">=", Op::Ge),
        ("==", Op::Eq),
        ("!=", Op::Ne),
    ];
    all.into_iter().find(|(s, _)| *s == sign).map(|(_, op)| op)
}

fn operator(sign: &str) -> Option<Op> {
    use Op::*;
    let all = [
        ("+", Add),
        ("-", Sub),
        ("*", Mul),
        ("/", Div),
        ("&", BitAnd),
        ("|", BitOr),
        ("^", BitXor),
        ("%", Mod),
    ];
    all.into_iter().find(|(s, _)| *s == sign).map(|(_, op)| op)
}

fn binary(sign: &'static str, x: Value, y: Value, scope: &Scope) -> Res<Value> {
    if lanes(&x) > 1 || lanes(&y) > 1 {
        return of_vectors(sign, x, y);
    }
    if let (Some(op), None, None) = (logic(sign, &x.tree, &y.tree), x.mask, y.mask) {
        let args = vec![x.tree.truth(), y.tree.truth()];
        return Ok(plain(Tree::of(
            By::Op(op),
            args,
            Shape::scalar(Scalar::Bool),
        )));
    }
    if let (Some(_), "!=", Some(0)) = (x.mask, sign, y.tree.as_int()) {
        return Ok(plain(x.tree));
    }
    if x.mask.is_some() || y.mask.is_some() {
        return unread("a lane of truth values as a number");
    }
    if matches!(sign, "<<" | ">>") {
        let shifted = x.tree.promoted().shifted(sign == "<<", &y.tree).map(plain);
        return shifted.ok_or_else(|| format!("`{sign}` of numbers"));
    }
    let (a, b) = common(x.tree, y.tree);
    let shape = a.shape();
    if let Some(op) = comparison(sign) {
        return Ok(plain(Tree::of(
            By::Op(op),
            vec![a, b],
            Shape::scalar(Scalar::Bool),
        )));
    }
    let Some(op) = operator(sign) else {
        return unread(format!("`{sign}` of numbers"));
    };
    if shape.elem.is_float() {
        return match op {
            Op::Add | Op::Sub | Op::Mul | Op::Div => {
                Ok(plain(Tree::of(By::Op(op), vec![a, b], shape)))
            }
            _ => unread(format!("`{sign}` of floats")),
        };
    }
    if let (Kind::Index(m), Kind::Index(n)) = (a.kind(), b.kind()) {
        if !matches!(op, Op::BitAnd | Op::BitOr | Op::BitXor) {
            return of_indices(op, m, n).map(|n| plain(Tree::index(n)));
        }
    }
    of_integers(op, a, b, shape, scope).map(plain)
}

fn of_indices(op: Op, m: &Sum, n: &Sum) -> Res<Sum> {
    let sum = match op {
        Op::Add => m.add(n, 1),
        Op::Sub => m.add(n, -1),
        Op::Mul => m.mul(n),
        Op::Div => Some(Sum::call("/", vec![m.clone(), n.clone()])),
        _ => Some(Sum::call("%", vec![m.clone(), n.clone()])),
    };
    sum.ok_or_else(|| "an index is too large to be read".to_string())
}

fn of_integers(op: Op, a: Tree, b: Tree, shape: Shape, scope: &Scope) -> Res<Tree> {
    if matches!(op, Op::Div | Op::Mod) {
        return unread("a division of integers in which nothing is asked of the divisor");
    }
    let arithmetic = matches!(op, Op::Add | Op::Sub | Op::Mul);
    if arithmetic && shape.elem.is_signed() {
        let (low, high) = shape.elem.bounds();
        let ends = ends(op, scope.whole(&a), scope.whole(&b));
        if !ends.is_some_and(|(a, b)| low <= a && b <= high) {
            return unread("arithmetic on numbers with a sign that may overflow");
        }
    }
    Ok(Tree::of(By::Op(op), vec![a, b], shape))
}

fn of_vectors(sign: &'static str, x: Value, y: Value) -> Res<Value> {
    // Truth values as numbers 0 and 1.
    if let (Some(elem), "&", Some(1)) = (x.mask, sign, y.tree.as_int()) {
        let shape = Shape {
            elem,
            ..x.tree.shape()
        };
        return Ok(plain(Tree::of(By::ZeroOne, vec![x.tree], shape)));
    }
    let (x, y) = alike(x, y)?;
    if let Some(op) = comparison(sign) {
        if x.mask.is_some() || y.mask.is_some() {
            return unread("truth values are compared as numbers");
        }
        let elem = signed(x.tree.elem());
        let shape = Shape {
            elem: Scalar::Bool,
            ..x.tree.shape()
        };
        return Ok(masked(
            Tree::of(By::Op(op), vec![x.tree, y.tree], shape),
            elem,
        ));
    }
    let Some(op) = operator(sign) else {
        return unread(format!("`{sign}` of vectors"));
    };
    if let Some(elem) = x.mask.or(y.mask) {
        let op = match op {
            Op::BitAnd => Op::And,
            Op::BitOr => Op::Or,
            Op::BitXor => Op::BitXor,
            _ => return unread(format!("`{sign}` of truth values")),
        };
        let (x, y) = (as_mask(&x, elem)?, as_mask(&y, elem)?);
        let shape = x.tree.shape();
        return Ok(masked(
            Tree::of(By::Op(op), vec![x.tree, y.tree], shape),
            elem,
        ));
    }
    let shape = x.tree.shape();
    let float = shape.elem.is_float();
    let arithmetic = matches!(op, Op::Add | Op::Sub | Op::Mul);
    let bits = matches!(op, Op::BitAnd | Op::BitOr | Op::BitXor);
    let splat = |t: &Tree| t.as_of(By::Splat).is_some_and(|a| a[0].as_int() == Some(0));
    match float {
        true if arithmetic || op == Op::Div => {}
        false if arithmetic && (!shape.elem.is_signed() || op == Op::Sub && splat(&y.tree)) => {}
        false if bits => {}
        _ => return unread(format!("`{sign}` of vectors of {}", shape.elem.name())),
    }
    Ok(plain(Tree::of(By::Op(op), vec![x.tree, y.tree], shape)))
}

fn choice(c: Tree, x: Value, y: Value) -> Res<Value> {
    if let Some(elem) = x.mask.or(y.mask) {
        let (x, y) = (as_mask(&x, elem)?, as_mask(&y, elem)?);
        return Ok(masked(Tree::select(c, x.tree, y.tree), elem));
    }
    match (lanes(&x), lanes(&y)) {
        (1, 1) => {
            let (x, y) = common(x.tree, y.tree);
            Ok(plain(Tree::select(c, x, y)))
        }
        _ if x.tree.shape() == y.tree.shape() => Ok(plain(Tree::select(c, x.tree, y.tree))),
        _ => unread("a choice between vectors of different types"),
    }
}

/// The bits of a vector as another one.
fn reinterpreted(v: Value, to: Shape) -> Res<Value> {
    let from = Shape {
        elem: v.mask.unwrap_or(v.tree.elem()),
        ..v.tree.shape()
    };
    let own = Shape {
        elem: stored(to.elem),
        ..to
    };
    if from.lanes == 1 {
        return unread("a number is cast to a vector");
    }
    if from == own {
        return Ok(v);
    }
    if v.mask.is_some() {
        return unread("truth values are cast to numbers");
    }
    let bytes = |s: Shape| s.elem.bytes() * u64::from(s.lanes);
    if bytes(from) != bytes(own) {
        return unread("a vector is cast to one of another size");
    }
    let whole = from.elem.is_int() && own.elem.is_int() && from.lanes == own.lanes;
    Ok(plain(match whole {
        true => v.tree.convert(own.elem),
        false => Tree::of(By::Bits, vec![v.tree], own),
    }))
}

fn lanes_converted(x: Value, to: Shape) -> Res<Value> {
    if to.lanes != lanes(&x) || to.lanes == 1 {
        return unread("a conversion to other lanes");
    }
    if x.mask.is_some() {
        return match to.elem.is_signed() {
            true => Ok(masked(x.tree, to.elem)),
            false => unread("truth values are converted to numbers"),
        };
    }
    let tree = match x.tree.elem().is_float() && to.elem.is_int() {
        true => return unread("floats become integers, which C leaves open beyond their range"),
        false => x.tree.convert(to.elem),
    };
    Ok(plain(tree))
}

/// A vector of integers as one of truth values, if each lane is 0 or -1.
pub fn as_mask(v: &Value, elem: Scalar) -> Res<Value> {
    if let Some(own) = v.mask {
        return match own == elem && v.tree.shape().lanes > 1 {
            true => Ok(v.clone()),
            false => unread("truth values of another width"),
        };
    }
    let shape = Shape {
        elem: Scalar::Bool,
        ..v.tree.shape()
    };
    if v.tree.elem() != elem || shape.lanes == 1 {
        return unread("numbers stand where truth values are expected");
    }
    let tree = match v.tree.kind() {
        Kind::Of(By::Splat, args) => zero_or_minus(&args[0]).map(|t| Tree::splat(t, shape.lanes)),
        Kind::Of(By::Build, args) => {
            let all = args.iter().map(zero_or_minus).collect::<Option<Vec<_>>>();
            all.map(|all| Tree::of(By::Build, all, shape))
        }
        Kind::Of(By::Op(Op::BitNot), args) => {
            let zero = args[0]
                .as_of(By::Splat)
                .is_some_and(|a| a[0].as_int() == Some(0));
            zero.then(|| Tree::splat(Tree::bool(true), shape.lanes))
        }
        Kind::Of(By::Op(Op::Select), args) => {
            let [x, y] = [&args[1], &args[2]].map(|t| as_mask(&plain(t.clone()), elem));
            Some(Tree::select(args[0].clone(), x?.tree, y?.tree))
        }
        _ => None,
    };
    match tree {
        Some(tree) => Ok(masked(tree, elem)),
        None => unread("numbers stand where truth values are expected"),
    }
}

/// `-x` of a truth value.
fn zero_or_minus(t: &Tree) -> Option<Tree> {
    if let Some(inner) = t.as_of(By::Convert) {
        let wider = inner[0].elem().is_signed() && inner[0].elem().bytes() < t.elem().bytes();
        return zero_or_minus(&inner[0]).filter(|_| wider);
    }
    match (t.as_int(), t.as_of(By::Op(Op::Sub))) {
        (Some(0), _) => Some(Tree::bool(false)),
        (Some(-1), _) => Some(Tree::bool(true)),
        (_, Some([zero, x])) if zero.as_int() == Some(0) => {
            let inner = x.as_of(By::Convert)?;
            (inner[0].elem() == Scalar::Bool).then(|| inner[0].clone())
        }
        _ => None,
    }
}

/// What the digits say.
fn number(text: &str) -> Res<Tree> {
    let wrong = || format!("`{text}` is no number");
    if let Some(hex) = text.strip_prefix("0x") {
        let n = i128::from_str_radix(hex, 16)
            .ok()
            .filter(|n| *n <= i128::from(i32::MAX));
        return n.map(|n| Tree::int(n, Scalar::I32)).ok_or_else(wrong);
    }
    if text.contains(['.', 'e']) {
        return match text.strip_suffix('f') {
            Some(t) => t
                .parse::<f32>()
                .map(|x| Tree::float(x.into(), Scalar::F32))
                .map_err(|_| wrong()),
            None => text
                .parse::<f64>()
                .map(|x| Tree::float(x, Scalar::F64))
                .map_err(|_| wrong()),
        };
    }
    let digits = text.strip_suffix('u').unwrap_or(text);
    if digits.len() > 1 && digits.starts_with('0') {
        return Err(wrong());
    }
    if let Some(t) = text.strip_suffix('u') {
        let n: Option<u32> = t.parse().ok();
        return n
            .map(|n| Tree::int(n.into(), Scalar::U32))
            .ok_or_else(wrong);
    }
    let n: Option<i64> = text.parse().ok();
    let n = n.map(|n| {
        (
            n,
            if i32::try_from(n).is_ok() {
                Scalar::I32
            } else {
                Scalar::I64
            },
        )
    });
    n.map(|(n, elem)| Tree::int(n.into(), elem))
        .ok_or_else(wrong)
}
