//! Integers that are computed bit by bit: masks, shifts, quotients, conversions there and back.
//!
//! In: two integers or truth values, what is known in the present case. Out: whether they are equal for all values of what
//! they are computed of, by `operator::words`. Invariant: yes means equal on the machine. Absent: floats, but for those that
//! an integer passes through exactly.

use super::context::{Context, Res};
use super::equal;
use super::scalars::{self, applied, operation};
use super::value::{Head, Neutral, Val};
use crate::operator::words::{self, is_exact, width, Word, Words};
use crate::term::{Lit, Op};
use crate::ty::{Scalar, Ty};

/// Nodes of diagrams in one comparison, and how many make a step of a proof.
const LIMIT: usize = 100_000;
const STEP: usize = 100;
/// Operations in one comparison.
const MOST_OPERATIONS: u32 = 200;

/// Whether two scalars are equal for all values of what is not looked into; not known of those without any bits.
pub fn same(cx: &mut Context, a: &Neutral, b: &Neutral) -> Res<bool> {
    let ty = a.ty().as_scalar().and_then(width);
    if ty.is_none() || b.ty() != a.ty() || !(has_bits(a) || has_bits(b)) {
        return Ok(false);
    }
    let mut reader = Reader {
        words: Words::new(LIMIT),
        unknown: Vec::new(),
        operations: 0,
    };
    let found = reader.compared(cx, a, b).unwrap_or(false);
    for _ in 0..reader.words.size() / STEP {
        cx.work()?;
    }
    Ok(found)
}

/// Whether an operation on bits, a quotient or a conversion is in it: what rings, orders and choices know nothing of.
fn has_bits(n: &Neutral) -> bool {
    use Op::*;
    let Some((op, args, _)) = operation(n) else {
        return false;
    };
    let own = matches!(
        op,
        BitAnd | BitOr | BitXor | BitNot | Shl | Shr | Div | Mod | Cast
    );
    own || args
        .iter()
        .any(|x| matches!(x, Val::Neutral(x) if has_bits(x)))
}

struct Reader {
    words: Words,
    /// What is not looked into, with its bits.
    unknown: Vec<(Neutral, Word)>,
    operations: u32,
}

impl Reader {
    fn compared(&mut self, cx: &mut Context, a: &Neutral, b: &Neutral) -> Option<bool> {
        let (x, y) = (self.word(cx, a)?, self.word(cx, b)?);
        let mut case = self.words.constant(1, 1)[0];
        for (fact, holds) in cx.truths_known() {
            // A fact that is too large to be read is not used.
            let Some(bit) = self.word(cx, &fact).and_then(|w| w.first().copied()) else {
                continue;
            };
            let truth = self.words.constant(holds.into(), 1);
            let same = self.words.apply(Op::Eq, Scalar::Bool, &[&[bit], &truth]);
            let both = same.and_then(|same| self.words.and(case, same[0]));
            case = both.unwrap_or(case);
        }
        self.words.equal_where(case, &x, &y)
    }

    fn word(&mut self, cx: &mut Context, n: &Neutral) -> Option<Word> {
        let bits = width(n.ty().as_scalar()?)?;
        if let ([], Head::Lit(_) | Head::Zero) = (&n.spine[..], &n.head) {
            match &n.head {
                Head::Zero => return Some(self.words.constant(0, bits)),
                Head::Lit(Lit::Int(i)) => return Some(self.words.constant(*i, bits)),
                Head::Lit(Lit::Bool(b)) => return Some(self.words.constant((*b).into(), bits)),
                _ => {}
            }
        }
        self.operations += 1;
        if self.operations > MOST_OPERATIONS {
            return None;
        }
        match self.computed(cx, n) {
            Some(word) => word,
            None => self.unknown(cx, n, bits),
        }
    }

    /// The bits of an operation on integers; `None` for what is no such operation.
    fn computed(&mut self, cx: &mut Context, n: &Neutral) -> Option<Option<Word>> {
        let (op, args, ty) = operation(n)?;
        let (from, to) = (ty.as_scalar()?, n.ty().as_scalar()?);
        let mut operands = Vec::new();
        for x in &args {
            let Val::Neutral(x) = x else { return None };
            operands.push(x);
        }
        if let Some((x, bits)) = lowest(n) {
            let whole = width(to)?;
            return Some(self.low(cx, x, bits).map(|mut low| {
                low.resize(whole, self.words.constant(0, 1)[0]);
                low
            }));
        }
        if op == Op::Cast {
            let x = operands.first()?;
            if width(from).is_some() {
                let word = self.word(cx, x);
                return Some(word.and_then(|w| self.words.cast(&w, from, to)));
            }
            let (inner, origin) = cast(x)?;
            let exact = is_exact(origin, from) && to != Scalar::Bool && origin != Scalar::Bool;
            return exact.then(|| {
                let word = self.word(cx, inner)?;
                self.words.saturated(&word, origin, to)
            });
        }
        let known = words::knows(op, args.len()) && width(from).is_some();
        known.then(|| {
            let words: Option<Vec<Word>> = operands.iter().map(|x| self.word(cx, x)).collect();
            let words = words?;
            let words: Vec<&[u32]> = words.iter().map(|w| &w[..]).collect();
            self.words.apply(op, from, &words)
        })
    }

    /// The lowest bits of an integer, of which those of sums and products depend on as many of their operands and no others.
    fn low(&mut self, cx: &mut Context, n: &Neutral, bits: usize) -> Option<Word> {
        use Op::*;
        let parts = operation(n).filter(|(op, _, ty)| {
            matches!(
                op,
                Add | Sub | Mul | Fma | Neg | BitAnd | BitOr | BitXor | BitNot
            ) && ty.as_scalar().is_some_and(Scalar::is_int)
        });
        let Some((op, args, ty)) = parts else {
            let mut word = self.word(cx, n)?;
            word.truncate(bits);
            return Some(word);
        };
        self.operations += 1;
        if self.operations > MOST_OPERATIONS {
            return None;
        }
        let mut words = Vec::new();
        for x in args {
            let Val::Neutral(x) = x else { return None };
            words.push(self.low(cx, x, bits)?);
        }
        let words: Vec<&[u32]> = words.iter().map(|w| &w[..]).collect();
        self.words.apply(op, ty.as_scalar()?, &words)
    }

    fn unknown(&mut self, cx: &mut Context, n: &Neutral, bits: usize) -> Option<Word> {
        for (known, word) in &self.unknown {
            if known.ty() == n.ty() && equal::same_form(cx, known, n) {
                return Some(word.clone());
            }
        }
        let word = self.words.unknown(bits)?;
        self.unknown.push((n.clone(), word.clone()));
        Some(word)
    }
}

/// What an integer is the lowest bits of, and how many: a remainder by a power of two, a conversion to fewer bits.
fn lowest(n: &Neutral) -> Option<(&Neutral, usize)> {
    let (op, args, ty) = operation(n)?;
    let (from, to) = (ty.as_scalar()?, n.ty().as_scalar()?);
    if !(from.is_int() && to.is_int()) {
        return None;
    }
    match (op, &args[..]) {
        (Op::Cast, [Val::Neutral(x)]) if to.bytes() < from.bytes() => Some((x, width(to)?)),
        (Op::Mod, [Val::Neutral(x), Val::Neutral(by)]) if !from.is_signed() => {
            match (&by.head, &by.spine[..]) {
                (Head::Lit(Lit::Int(d)), []) if *d > 0 && d & (d - 1) == 0 => {
                    Some((x, d.trailing_zeros() as usize))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// What is converted, and from which type.
pub fn cast(n: &Neutral) -> Option<(&Neutral, Scalar)> {
    match operation(n)? {
        (Op::Cast, args, ty) => match &args[..] {
            [Val::Neutral(x)] => Some((x, ty.as_scalar()?)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether every number of a type is one of another.
pub fn holds_all(from: Scalar, in_: Scalar) -> bool {
    use Scalar::*;
    match (from, in_) {
        (Bool, _) | (_, Bool) => false,
        (a, b) if a == b => true,
        (Bf16 | F16, F32) | (Bf16 | F16 | F32, F64) => true,
        (a, _) if a.is_float() => false,
        (a, b) if b.is_float() => is_exact(a, b),
        (a, b) => match (a.is_signed(), b.is_signed()) {
            (true, false) => false,
            (false, true) => a.bytes() < b.bytes(),
            _ => a.bytes() <= b.bytes(),
        },
    }
}

/// A conversion of what was converted before into a type that has all its numbers: of what it was; `None` for others.
pub fn converted_once(n: &Neutral) -> Option<Val> {
    let to = n.ty().as_scalar()?;
    let (middle, between) = cast(n)?;
    let (inner, from) = cast(middle)?;
    holds_all(from, between).then_some(())?;
    // From floats to integers is another conversion than between integers: it saturates.
    if !from.is_float() && between.is_float() && !to.is_float() && !holds_all(from, to) {
        return None;
    }
    if from == to {
        return Some(Val::Neutral(inner.clone()));
    }
    let ty = Ty::from(from);
    let inner = Val::Neutral(inner.clone());
    let whole = applied(Op::Cast, &[&inner], ty, to.into());
    Some(Val::Neutral(whole))
}

/// A remainder by what is known not to be 0 as what the quotient leaves, for rings; `None` for what is none.
pub fn rest(cx: &mut Context, n: &Neutral) -> Res<Option<Val>> {
    let Some((Op::Mod, args, ty)) = operation(n) else {
        return Ok(None);
    };
    let [x, by @ Val::Neutral(divisor)] = args[..] else {
        return Ok(None);
    };
    let whole = ty.as_scalar().is_some_and(Scalar::is_int);
    if !whole || !scalars::is_known_apart_from_zero(cx, divisor)? {
        return Ok(None);
    }
    let quotient = Val::Neutral(applied(Op::Div, &[x, by], ty, ty));
    let whole = Val::Neutral(applied(Op::Mul, &[&quotient, by], ty, ty));
    Ok(Some(Val::Neutral(applied(Op::Sub, &[x, &whole], ty, ty))))
}
