//! What scalar primitives mean.
//!
//! In: an application of a primitive to unknown scalars. Out: the choice that it is (`min`, `max`, `abs`), its sign taken out
//! (floats), the minimum or maximum that a choice is, whether it holds (comparisons, `and`, `or`, `not`). Comparisons of integers are all `<`, those of floats `<`, `<=` and
//! `==`; what is known of them in a case, numbers among them, is closed under transitivity. Invariant: to the bit, NaN and
//! the least integer included. Absent: laws of operators (`equal`), rings (`sums`).

use super::context::{Context, Question, Res, Stuck};
use super::value::{Head, Neutral, Step, Val};
use super::{bits, equal};
use crate::arith::Nat;
use crate::interp::{self, scalar::Num};
use crate::term::{Lit, Op};
use crate::ty::{Scalar, Ty, TyKind};

/// An operation on values of a type.
pub fn applied(op: Op, args: &[&Val], ty: Ty, result: Ty) -> Neutral {
    let whole = Ty::funs(args.iter().map(|_| ty), result);
    let mut n = Neutral::new(Head::Prim(op.into()), whole);
    let mut rest = whole;
    for a in args {
        if let Some((_, after)) = rest.as_fun() {
            n.spine.push((Step::Apply((*a).clone(), ty), after));
            rest = after;
        }
    }
    n
}

/// The primitive that is applied, its operands and their type.
pub(super) fn operation(n: &Neutral) -> Option<(Op, Vec<&Val>, Ty)> {
    let Head::Prim(p) = &n.head else { return None };
    let (ty, _) = n.head_ty.as_fun()?;
    let mut args = Vec::new();
    for (step, _) in &n.spine {
        let Step::Apply(x, _) = step else { return None };
        args.push(x);
    }
    Some((p.op(), args, ty))
}

/// The minimum or maximum that a choice is: `select (x < y) x y`, to the bit; of integers `<=` says the same.
pub fn extremum(cx: &mut Context, c: &Val, a: &Val, b: &Val, ty: Ty) -> Option<Val> {
    let whole = ty.as_scalar()?.is_int();
    let Val::Neutral(c) = c else { return None };
    let (op, args, of) = operation(c).filter(|o| o.2 == ty)?;
    let (x, y) = match (op, &args[..]) {
        (Op::Lt, [x, y]) => (*x, *y),
        (Op::Gt, [x, y]) => (*y, *x),
        (Op::Le, [x, y]) if whole => (*x, *y),
        (Op::Ge, [x, y]) if whole => (*y, *x),
        _ => return None,
    };
    // x < y
    let min = cx.within(|cx| equal::equal(cx, of, x, a) && equal::equal(cx, of, y, b));
    let max = !min && cx.within(|cx| equal::equal(cx, of, y, a) && equal::equal(cx, of, x, b));
    let (op, args) = match (min, max) {
        (true, _) => (Op::Min, [x, y]),
        (_, true) => (Op::Max, [y, x]),
        _ => return None,
    };
    Some(Val::Neutral(applied(op, &args, ty, ty)))
}

/// An operation on literal numbers as the number that it is: one that IEEE 754 or the width of integers says, and no NaN.
pub fn computed(n: &Neutral) -> Option<Val> {
    let (op, args, ty) = operation(n)?;
    let scalar = ty.as_scalar().filter(|s| n.ty() == ty && !s.is_half())?;
    // Signs of literals are taken out (`signed`).
    let said = (op.function().is_none() || op == Op::Sqrt) && op != Op::Neg;
    let mut numbers = Vec::new();
    for x in args {
        let Val::Neutral(x) = x else { return None };
        numbers.push(literal(x, scalar)?);
    }
    let lit = match interp::scalar::apply(op, scalar, &numbers).filter(|_| said)? {
        Num::F32(x) if !x.is_nan() => Lit::f32(x),
        Num::F64(x) if !x.is_nan() => Lit::f64(x),
        Num::Int(i) if scalar.is_int() && scalar != Scalar::U64 => Lit::Int(i.into()),
        _ => return None,
    };
    Some(Val::neutral(Head::Lit(lit), ty))
}

/// The number of a type that a literal is.
fn literal(n: &Neutral, of: Scalar) -> Option<Num> {
    match (&n.head, &n.spine[..]) {
        (Head::Zero, []) => Some(interp::scalar::integer(0, of)),
        (Head::Lit(Lit::F32(b)), []) => Some(Num::F32(f32::from_bits(*b))),
        (Head::Lit(Lit::F64(b)), []) => Some(Num::F64(f64::from_bits(*b))),
        (Head::Lit(Lit::Int(i)), []) => Some(interp::scalar::integer(*i, of)),
        _ => None,
    }
}

/// An operation with the first choice in its operands made.
pub fn chosen_inside(cx: &mut Context, n: &Neutral) -> Res<Option<Neutral>> {
    if operation(n).is_none() {
        return Ok(None);
    }
    for at in 0..n.spine.len() {
        let Step::Apply(Val::Neutral(x), _) = &n.spine[at].0 else {
            continue;
        };
        let made = match chosen(cx, x)? {
            Some(value) => Some(value),
            None => chosen_inside(cx, x)?.map(Val::Neutral),
        };
        if let Some(value) = made {
            let mut whole = n.clone();
            if let Step::Apply(x, _) = &mut whole.spine[at].0 {
                *x = value;
            }
            return Ok(Some(whole));
        }
    }
    Ok(None)
}

fn is_number(v: &Val, number: f64) -> bool {
    matches!(v, Val::Neutral(n) if matches!(n.head, Head::Lit(_)) && value(n) == Some(number))
}

fn number(i: i128, ty: Ty) -> Val {
    Val::neutral(Head::Lit(Lit::Int(i)), ty)
}

/// One of its operands, where it is a choice: `min x y` is x if x < y, else y; `max x y` is x if y < x, else y; of any
/// numbers, NaN included; `abs x` is x, unless x is an integer below 0.
pub fn chosen(cx: &mut Context, n: &Neutral) -> Res<Option<Val>> {
    let Some((op, args, ty)) = operation(n) else {
        return Ok(None);
    };
    let Some(scalar) = ty.as_scalar() else {
        return Ok(None);
    };
    let first = match (op, &args[..]) {
        (Op::Div, [x, y]) if is_number(y, 1.0) => return Ok(Some((*x).clone())),
        (Op::Min, [x, y]) => (less(cx, ty, x, y)?, x, y),
        (Op::Max, [x, y]) => (less(cx, ty, y, x)?, x, y),
        (Op::Abs, [x]) if scalar.is_int() => {
            let turned = Val::Neutral(applied(Op::Neg, &[x], ty, ty));
            return Ok(Some(match less(cx, ty, x, &number(0, ty))? {
                true => turned,
                false => (*x).clone(),
            }));
        }
        _ => return Ok(None),
    };
    let (yes, x, y) = first;
    Ok(Some(if yes { (*x).clone() } else { (*y).clone() }))
}

/// A product of a float with a power of two as one such product: `x + x`, a quotient by such a power, two such products. They are
/// rounded once, to the same. And the square of an absolute value, and a conversion that passes through a larger type.
pub fn scaled(cx: &mut Context, n: &Neutral) -> Option<Val> {
    if let Some(once) = bits::converted_once(n) {
        return Some(once);
    }
    let scalar = n.ty().as_scalar()?;
    let (op, args, ty) = operation(n)?;
    let [Val::Neutral(x), Val::Neutral(y)] = args[..] else {
        return None;
    };
    let product = |x: &Neutral, by: &Neutral| {
        let [x, by] = [x, by].map(|n| Val::Neutral(n.clone()));
        Some(Val::Neutral(applied(Op::Mul, &[&x, &by], ty, ty)))
    };
    let by = |power: i32| {
        let lit = match scalar {
            Scalar::F32 if (-126..=127).contains(&power) => Lit::f32(2f32.powi(power)),
            Scalar::F64 if (-1022..=1023).contains(&power) => Lit::f64(2f64.powi(power)),
            _ => return None,
        };
        Some(Neutral::new(Head::Lit(lit), ty))
    };
    match op {
        Op::Add if equal::same_form(cx, x, y) => product(x, &by(1)?),
        Op::Div => product(x, &by(-power_of_two(y)?)?),
        Op::Mul => {
            if let (Some(x), Some(y)) = (absolute(x), absolute(y)) {
                return match equal::same_form(cx, x, y) && scalar.is_float() {
                    true => product(x, y),
                    false => None,
                };
            }
            let (inner, outer) = match power_of_two(y) {
                Some(k) => (x, k),
                None => (y, power_of_two(x)?),
            };
            let (Op::Mul, parts, _) = operation(inner)? else {
                return None;
            };
            let [Val::Neutral(x), Val::Neutral(y)] = parts[..] else {
                return None;
            };
            let (x, first) = match power_of_two(y) {
                Some(k) => (x, k),
                None => (y, power_of_two(x)?),
            };
            // Smaller ones may round twice.
            match first >= 0 && outer >= 0 {
                true => product(x, &by(first + outer)?),
                false => None,
            }
        }
        _ => None,
    }
}

/// What an absolute value is of.
fn absolute(n: &Neutral) -> Option<&Neutral> {
    match operation(n)? {
        (Op::Abs, args, _) => match args[..] {
            [Val::Neutral(x)] => Some(x),
            _ => None,
        },
        _ => None,
    }
}

/// The exponent of a literal float that is a power of two above 0.
fn power_of_two(n: &Neutral) -> Option<i32> {
    let (Head::Lit(lit), []) = (&n.head, &n.spine[..]) else {
        return None;
    };
    let (bits, fraction, bias) = match lit {
        Lit::F32(b) => (u64::from(*b), 23, 127),
        Lit::F64(b) => (*b, 52, 1023),
        _ => return None,
    };
    let exponent = (bits >> fraction) as i32 - bias;
    let normal = -bias < exponent && exponent <= bias;
    (normal && bits & ((1 << fraction) - 1) == 0).then_some(exponent)
}

/// A float with its sign taken out of products and quotients, differences as sums; `None` if it is so already.
pub fn signed(n: &Neutral) -> Option<Val> {
    n.ty().as_scalar().filter(|s| s.is_float())?;
    let mut changed = false;
    let (negative, value) = sign(&Val::Neutral(n.clone()), &mut changed);
    changed.then(|| with_sign(negative, value, n.ty()))
}

fn with_sign(negative: bool, value: Val, ty: Ty) -> Val {
    if let (true, Val::Neutral(n)) = (negative, &value) {
        let turned = match (&n.head, &n.spine[..]) {
            (Head::Lit(Lit::F32(b)), []) if *b == 0 => Some(Lit::f32(-0.0)),
            (Head::Lit(Lit::F64(b)), []) if *b == 0 => Some(Lit::f64(-0.0)),
            _ => None,
        };
        if let Some(zero) = turned {
            return Val::neutral(Head::Lit(zero), n.head_ty);
        }
    }
    match negative {
        true => Val::Neutral(applied(Op::Neg, &[&value], ty, ty)),
        false => value,
    }
}

fn sign(v: &Val, changed: &mut bool) -> (bool, Val) {
    let plain = (false, v.clone());
    let Val::Neutral(n) = v else { return plain };
    if let (Head::Lit(l), []) = (&n.head, &n.spine[..]) {
        let absolute = match l {
            Lit::F32(b) if f32::from_bits(*b) < 0.0 => Lit::f32(-f32::from_bits(*b)),
            Lit::F64(b) if f64::from_bits(*b) < 0.0 => Lit::f64(-f64::from_bits(*b)),
            _ => return plain,
        };
        *changed = true;
        return (true, Val::neutral(Head::Lit(absolute), n.head_ty));
    }
    let Some((op, args, ty)) = operation(n) else {
        return plain;
    };
    match (op, &args[..]) {
        (Op::Neg, [x]) => {
            let (negative, x) = sign(x, changed);
            *changed |= negative;
            (!negative, x)
        }
        (Op::Abs, [x]) => {
            let (negative, x) = sign(x, changed);
            *changed |= negative;
            if let Val::Neutral(inner) = &x {
                match operation(inner) {
                    Some((Op::Abs, ..)) => {
                        *changed = true;
                        return (false, x);
                    }
                    // The sign of a product is of no other part of it.
                    Some((op @ (Op::Mul | Op::Div), parts, _)) => {
                        *changed = true;
                        let of = |x: &Val| Val::Neutral(applied(Op::Abs, &[x], ty, ty));
                        let parts: Vec<Val> = parts.into_iter().map(of).collect();
                        let parts: Vec<&Val> = parts.iter().collect();
                        let whole = Val::Neutral(applied(op, &parts, ty, ty));
                        return (false, sign(&whole, &mut false).1);
                    }
                    _ => {}
                }
            }
            (false, Val::Neutral(applied(op, &[&x], ty, ty)))
        }
        (Op::Mul | Op::Div, [x, y]) => {
            let ((s, x), (t, y)) = (sign(x, changed), sign(y, changed));
            *changed |= s || t;
            (s != t, Val::Neutral(applied(op, &[&x, &y], ty, ty)))
        }
        (Op::Add | Op::Sub, [x, y]) => {
            let ((s, x), (t, y)) = (sign(x, changed), sign(y, changed));
            *changed |= op == Op::Sub;
            let x = with_sign(s, x, ty);
            let y = with_sign(t != (op == Op::Sub), y, ty);
            (false, Val::Neutral(applied(Op::Add, &[&x, &y], ty, ty)))
        }
        _ => plain,
    }
}

/// Whether it is a primitive that gives a truth value.
pub fn is_condition(n: &Neutral) -> bool {
    use Op::*;
    matches!(&n.head, Head::Prim(p) if matches!(p.op(), Lt | Le | Gt | Ge | Eq | Ne | And | Or | Not))
}

/// A comparison for equality the other way round, which holds where it does; `None` for any other.
pub fn turned(n: &Neutral) -> Option<Neutral> {
    let (op, args, ty) = operation(n)?;
    match (op, &args[..]) {
        (Op::Eq | Op::Ne, [x, y]) => Some(applied(op, &[y, x], ty, Scalar::Bool.into())),
        _ => None,
    }
}

/// Whether a condition holds, of what it consists of; asks where that is not known. `None`: it is no condition.
pub fn truth(cx: &mut Context, n: &Neutral) -> Res<Option<bool>> {
    if !is_condition(n) {
        return Ok(None);
    }
    let Some((op, args, ty)) = operation(n) else {
        return Ok(None);
    };
    let whole = match ty.kind() {
        TyKind::Scalar(s) => s.is_int(),
        TyKind::Idx(_) => true,
        _ => return Ok(None),
    };
    Ok(Some(match (op, &args[..]) {
        (Op::Not, [x]) => !cx.holds(x)?,
        (Op::And, [x, y]) => cx.holds(x)? && cx.holds(y)?,
        (Op::Or, [x, y]) => cx.holds(x)? || cx.holds(y)?,
        (Op::Eq, [x, y]) if is_truth(ty) => cx.holds(x)? == cx.holds(y)?,
        (Op::Eq, [x, y]) if whole && as_index(cx, y, ty).is_some() => is_index(cx, ty, x, y)?,
        (Op::Eq, [x, y]) if whole && as_index(cx, x, ty).is_some() => is_index(cx, ty, y, x)?,
        (Op::Ne, [x, y]) if is_truth(ty) => cx.holds(x)? != cx.holds(y)?,
        _ if is_truth(ty) => return Ok(None),
        (Op::Lt, [x, y]) => less(cx, ty, x, y)?,
        (Op::Gt, [x, y]) => less(cx, ty, y, x)?,
        (Op::Ge, [x, y]) if whole => !less(cx, ty, x, y)?,
        (Op::Le, [x, y]) if whole => !less(cx, ty, y, x)?,
        (Op::Eq, [x, y]) if whole => !less(cx, ty, x, y)? && !less(cx, ty, y, x)?,
        (Op::Ne, [x, y]) if whole => less(cx, ty, x, y)? || less(cx, ty, y, x)?,
        (Op::Le, [x, y]) => compared(cx, Op::Le, ty, x, y)?,
        (Op::Ge, [x, y]) => compared(cx, Op::Le, ty, y, x)?,
        (Op::Eq, [x, y]) => compared(cx, Op::Eq, ty, x, y)?,
        (Op::Ne, [x, y]) => !compared(cx, Op::Eq, ty, x, y)?,
        _ => return Ok(None),
    }))
}

/// The index that a number is, where all indices of its type are numbers of that type.
fn as_index(cx: &Context, v: &Val, ty: Ty) -> Option<(Val, Ty)> {
    let Val::Neutral(n) = v else { return None };
    let (op, args, of) = operation(n)?;
    let (TyKind::Idx(size), Some(s)) = (of.kind(), ty.as_scalar()) else {
        return None;
    };
    let fits = op == Op::Cast && args.len() == 1 && has_all(cx, s, size);
    fits.then(|| (args[0].clone(), of))
}

/// Whether all indices below a size are numbers of a type.
fn has_all(cx: &Context, of: Scalar, size: Nat) -> bool {
    let bits = 8 * of.bytes() as u32 - u32::from(of.is_signed());
    let all = 1i64.checked_shl(bits.min(62));
    of.is_int() && all.is_some_and(|all| cx.is_not_negative(Nat::int(all) - size))
}

/// The integer of fewer bits that a number is a conversion of, where all its numbers are kept and all indices are numbers of its type.
fn narrower(cx: &Context, x: &Val, of: Ty) -> Option<(Neutral, Scalar)> {
    let (Val::Neutral(n), TyKind::Idx(size)) = (x, of.kind()) else {
        return None;
    };
    let (inner, from) = bits::cast(n)?;
    let to = n.ty().as_scalar()?;
    let kept = to.is_int() && from != to && bits::holds_all(from, to);
    (kept && has_all(cx, from, size)).then(|| (inner.clone(), from))
}

/// Whether a number is that of an index j: if so, it is j as an index, too; and if that is j, it is asked whether the number is that
/// of what it is as an index, whatever j is called.
fn is_index(cx: &mut Context, ty: Ty, x: &Val, y: &Val) -> Res<bool> {
    let Some((j, of)) = as_index(cx, y, ty) else {
        return cx.stuck("a comparison with what is no index");
    };
    // What a number of fewer bits is as one of more is an index if that is one.
    let (mut x, mut ty) = (x.clone(), ty);
    while let Some((inner, from)) = narrower(cx, &x, of) {
        (x, ty) = (Val::Neutral(inner), from.into());
    }
    let x = &x;
    let to = Val::Neutral(applied(Op::Cast, &[x], ty, of));
    let (i, j) = (cx.index(&to)?, cx.index(&j)?);
    if !cx.same_index(i, j)? {
        return Ok(false);
    }
    let again = Val::Neutral(applied(Op::Cast, &[&to], of, ty));
    let question = applied(Op::Eq, &[x, &again], ty, Scalar::Bool.into());
    match cx.known_truth(&question)? {
        Some(known) => Ok(known),
        None => Err(Stuck::Split(Question::Holds(question))),
    }
}

/// How many sizes and indices may be added up: each is at most 2⁶⁰, so that the sum is a number of 64 bits.
const MOST_ADDED: i64 = 7;

/// The index that a sum of indices, sizes and numbers is converted to, where it surely is an index below the bound.
pub fn converted(cx: &mut Context, n: &Neutral, bound: Nat) -> Res<Option<Nat>> {
    let i64s = Ty::from(Scalar::I64);
    let Some((Op::Cast, args, _)) = operation(n).filter(|o| o.2 == i64s) else {
        return Ok(None);
    };
    let Some((i, _)) = sum(cx, args[0])? else {
        return Ok(None);
    };
    let inside = cx.is_not_negative(i) && cx.is_not_negative(bound - Nat::int(1) - i);
    Ok((inside && cx.is_whole(i)).then(|| cx.simplify(i)))
}

/// A number as a sum of indices, sizes and constants, and how many they are.
fn sum(cx: &mut Context, v: &Val) -> Res<Option<(Nat, i64)>> {
    cx.work()?;
    let Val::Neutral(n) = v else { return Ok(None) };
    match (&n.head, &n.spine[..]) {
        (Head::Zero, []) => return Ok(Some((Nat::int(0), 0))),
        (Head::Lit(Lit::Int(k)), []) => {
            let small = i64::try_from(*k).ok().filter(|k| k.abs() <= 1 << 60);
            return Ok(small.map(|k| (Nat::int(k), 1)));
        }
        (Head::Lit(Lit::Size(n)), []) => return Ok(Some((*n, 1))),
        _ => {}
    }
    let Some((op, args, ty)) = operation(n) else {
        return Ok(None);
    };
    if let (Op::Cast, TyKind::Idx(_)) = (op, ty.kind()) {
        return Ok(Some((cx.index(args[0])?, 1)));
    }
    let mut parts = Vec::new();
    for x in args {
        match sum(cx, x)? {
            Some(part) => parts.push(part),
            None => return Ok(None),
        }
    }
    let found = match (op, &parts[..]) {
        (Op::Add, [(x, a), (y, b)]) => (*x + *y, a + b),
        (Op::Sub, [(x, a), (y, b)]) => (*x - *y, a + b),
        (Op::Neg, [(x, a)]) => (Nat::int(0) - *x, *a),
        (Op::Mul, [(x, a), (y, b)]) => match (x.as_int(), y.as_int()) {
            (Some(k), _) if k.abs() <= MOST_ADDED => (*x * *y, b * k.abs()),
            (_, Some(k)) if k.abs() <= MOST_ADDED => (*x * *y, a * k.abs()),
            _ => return Ok(None),
        },
        _ => return Ok(None),
    };
    Ok((found.1 <= MOST_ADDED).then_some(found))
}

fn is_truth(ty: Ty) -> bool {
    ty == Ty::from(Scalar::Bool)
}

fn less(cx: &mut Context, ty: Ty, x: &Val, y: &Val) -> Res<bool> {
    compared(cx, Op::Lt, ty, x, y)
}

/// `<`, `<=` or `==`; asks where what is known does not say.
fn compared(cx: &mut Context, op: Op, ty: Ty, x: &Val, y: &Val) -> Res<bool> {
    if let TyKind::Idx(_) = ty.kind() {
        let (i, j) = (cx.index(x)?, cx.index(y)?);
        return cx.less(i, j);
    }
    let (Val::Neutral(x), Val::Neutral(y)) = (resolved(cx, x)?, resolved(cx, y)?) else {
        return cx.stuck("a comparison of what are no numbers");
    };
    if let (Some(i), Some(j)) = (size(&x), size(&y)) {
        return Ok(match op {
            Op::Lt => cx.less(i, j)?,
            Op::Le => !cx.less(j, i)?,
            _ => !cx.less(i, j)? && !cx.less(j, i)?,
        });
    }
    let order = Order::known(cx, ty, &[&x, &y])?;
    if let Some(known) = order.says(op) {
        return Ok(known);
    }
    let [x, y] = [x, y].map(Val::Neutral);
    let question = applied(op, &[&x, &y], ty, Scalar::Bool.into());
    if let Some(known) = cx.known_truth(&question)? {
        return Ok(known);
    }
    if op == Op::Eq {
        let turned = applied(op, &[&y, &x], ty, Scalar::Bool.into());
        if let Some(known) = cx.known_truth(&turned)? {
            return Ok(known);
        }
    }
    Err(Stuck::Split(Question::Holds(question)))
}

/// The size that a number is: kernels refuse sizes that are no numbers of 64 bits.
fn size(n: &Neutral) -> Option<Nat> {
    match (&n.head, &n.spine[..]) {
        (Head::Lit(Lit::Size(size)), []) if n.head_ty == Ty::from(Scalar::I64) => Some(*size),
        _ => None,
    }
}

/// What a choice chooses, and what literals are computed to.
fn resolved(cx: &mut Context, v: &Val) -> Res<Val> {
    let mut v = v.clone();
    loop {
        cx.work()?;
        let Val::Neutral(n) = &v else { return Ok(v) };
        let other = match computed(n) {
            Some(number) => Some(number),
            None => chosen(cx, n)?,
        };
        match other {
            Some(other) => v = other,
            None => return Ok(v),
        }
    }
}

/// Whether two integers are one by what is known of their order.
pub fn between(cx: &mut Context, x: &Neutral, y: &Neutral) -> Res<bool> {
    let ty = x.ty();
    let whole = ty.as_scalar().is_some_and(Scalar::is_int);
    if !whole || !cx.has_truths() {
        return Ok(false);
    }
    let order = Order::known(cx, ty, &[x, y])?;
    Ok(order.is_impossible() || order.says(Op::Eq) == Some(true))
}

/// Whether an integer is known not to be 0.
pub fn is_known_apart_from_zero(cx: &mut Context, n: &Neutral) -> Res<bool> {
    Ok(is_zero(cx, n)? == Some(false))
}

/// Whether an integer is known to be 0 in this case.
pub fn is_known_as_zero(cx: &mut Context, n: &Neutral) -> Res<bool> {
    Ok(cx.has_truths() && is_zero(cx, n)? == Some(true))
}

fn is_zero(cx: &mut Context, n: &Neutral) -> Res<Option<bool>> {
    let zero = Neutral::new(Head::Lit(Lit::Int(0)), n.ty());
    let order = Order::known(cx, n.ty(), &[n, &zero])?;
    Ok(order.says(Op::Eq))
}

/// What is known of the order of some numbers; the first two are asked for.
struct Order {
    asked: (usize, usize),
    /// Of any two: nothing, `<=`, `<`.
    ways: Vec<Vec<Way>>,
}

#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    None,
    AtMost,
    Below,
}

impl Order {
    fn known(cx: &mut Context, ty: Ty, asked: &[&Neutral; 2]) -> Res<Order> {
        let nested = std::mem::replace(&mut cx.ordering, true);
        let truths = if nested {
            Vec::new()
        } else {
            cx.truths_known()
        };
        let order = Order::of(cx, ty, asked, truths);
        cx.ordering = nested;
        order
    }

    /// The order that some comparisons imply.
    fn of(
        cx: &mut Context,
        ty: Ty,
        asked: &[&Neutral; 2],
        truths: Vec<(Neutral, bool)>,
    ) -> Res<Order> {
        let scalar = ty.as_scalar();
        let whole = scalar.is_some_and(Scalar::is_int);
        let mut nodes: Vec<Neutral> = Vec::new();
        let mut edges = Vec::new();
        let mut places = Vec::new();
        for n in asked {
            places.push(place(cx, &mut nodes, n));
        }
        for (c, holds) in truths {
            let Some((op, args, of)) = operation(&c) else {
                continue;
            };
            let [Val::Neutral(x), Val::Neutral(y)] = args[..] else {
                continue;
            };
            if of != ty {
                continue;
            }
            let (x, y) = (place(cx, &mut nodes, x), place(cx, &mut nodes, y));
            match (op, holds) {
                (Op::Lt, true) => edges.push((x, y, Way::Below)),
                (Op::Lt, false) if whole => edges.push((y, x, Way::AtMost)),
                (Op::Le, true) => edges.push((x, y, Way::AtMost)),
                (Op::Eq, true) => edges.extend([(x, y, Way::AtMost), (y, x, Way::AtMost)]),
                _ => {}
            }
        }
        let zero = Neutral::new(Head::Lit(Lit::Int(0)), ty);
        let zero = whole.then(|| place(cx, &mut nodes, &zero));
        for (i, x) in nodes.iter().enumerate() {
            for (j, y) in nodes.iter().enumerate() {
                match value(x).zip(value(y)).and_then(|(x, y)| x.partial_cmp(&y)) {
                    Some(std::cmp::Ordering::Less) => edges.push((i, j, Way::Below)),
                    Some(std::cmp::Ordering::Equal) => edges.push((i, j, Way::AtMost)),
                    _ => {}
                }
            }
            match zero {
                Some(zero) if scalar.is_some_and(|s| !s.is_signed()) => {
                    edges.push((zero, i, Way::AtMost));
                }
                _ => {}
            }
        }
        if scalar.is_some_and(|s| whole && !s.is_signed()) {
            for (i, n) in nodes.iter().enumerate() {
                let (op, args, _) = operation(n).unwrap_or((Op::Neg, Vec::new(), ty));
                // What is computed of numbers without a sign, and the operands that it is at most, or at least.
                let (operands, below) = match op {
                    Op::Div | Op::Mod | Op::Shr => (&args[..1], true),
                    Op::BitAnd => (&args[..], true),
                    Op::BitOr => (&args[..], false),
                    _ => continue,
                };
                for x in operands {
                    let Val::Neutral(x) = x else { continue };
                    match find(cx, &nodes, x) {
                        Some(x) if below => edges.push((i, x, Way::AtMost)),
                        Some(x) => edges.push((x, i, Way::AtMost)),
                        None => {}
                    }
                }
            }
        }
        let asked = (places[0], places[1]);
        let mut ways = closed(whole, nodes.len(), &edges);
        // `-x` of a negative integer is positive, or x itself; of 0 it is 0, of another it is not positive.
        if let Some(zero) = zero.filter(|_| scalar.is_some_and(Scalar::is_signed)) {
            for (i, n) in nodes.iter().enumerate() {
                let Some(x) = negated(n).and_then(|x| find(cx, &nodes, &x)) else {
                    continue;
                };
                if ways[zero][x] > Way::None {
                    edges.push((i, zero, Way::AtMost));
                    if ways[x][zero] > Way::None {
                        edges.push((zero, i, Way::AtMost));
                    }
                } else if ways[x][zero] == Way::Below {
                    edges.push((x, i, Way::AtMost));
                }
            }
            ways = closed(whole, nodes.len(), &edges);
        }
        Ok(Order { asked, ways })
    }

    /// Whether a number would be below itself: such a case there is not.
    fn is_impossible(&self) -> bool {
        (0..self.ways.len()).any(|i| self.ways[i][i] == Way::Below)
    }

    fn says(&self, op: Op) -> Option<bool> {
        let (x, y) = self.asked;
        let (forth, back) = (self.ways[x][y], self.ways[y][x]);
        match op {
            Op::Lt if x == y => Some(false),
            Op::Lt if forth == Way::Below => Some(true),
            Op::Lt if back > Way::None => Some(false),
            Op::Le if forth > Way::None => Some(true),
            Op::Le if back == Way::Below => Some(false),
            Op::Eq if forth > Way::None && back > Way::None => Some(true),
            Op::Eq if forth == Way::Below || back == Way::Below => Some(false),
            _ => None,
        }
    }
}

/// What `n` is the negative of.
fn negated(n: &Neutral) -> Option<Neutral> {
    let (op, args, ty) = operation(n)?;
    match (op, &args[..]) {
        (Op::Neg, [Val::Neutral(x)]) => Some(x.clone()),
        (Op::Sub, [x, y]) => Some(applied(Op::Sub, &[y, x], ty, ty)),
        _ => None,
    }
}

fn closed(whole: bool, n: usize, edges: &[(usize, usize, Way)]) -> Vec<Vec<Way>> {
    let mut ways = vec![vec![Way::None; n]; n];
    for (i, row) in ways.iter_mut().enumerate() {
        row[i] = if whole { Way::AtMost } else { Way::None };
    }
    for &(i, j, way) in edges {
        ways[i][j] = ways[i][j].max(way);
    }
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                let (a, b) = (ways[i][k], ways[k][j]);
                if a > Way::None && b > Way::None {
                    ways[i][j] = ways[i][j].max(a.max(b));
                }
            }
        }
    }
    ways
}

fn find(cx: &mut Context, nodes: &[Neutral], n: &Neutral) -> Option<usize> {
    nodes.iter().position(|m| equal::same_form(cx, m, n))
}

fn place(cx: &mut Context, nodes: &mut Vec<Neutral>, n: &Neutral) -> usize {
    find(cx, nodes, n).unwrap_or_else(|| {
        nodes.push(n.clone());
        nodes.len() - 1
    })
}

/// The number that a literal is.
fn value(n: &Neutral) -> Option<f64> {
    let (Head::Lit(l), []) = (&n.head, &n.spine[..]) else {
        return matches!((&n.head, &n.spine[..]), (Head::Zero, [])).then_some(0.0);
    };
    match l {
        // Beyond that, floats would round.
        Lit::Int(i) if i.unsigned_abs() <= 1 << 53 => Some(*i as f64),
        Lit::F32(b) => Some(f64::from(f32::from_bits(*b))),
        Lit::F64(b) => Some(f64::from_bits(*b)),
        _ => None,
    }
}
