//! Sizes and indices as scalar expressions, and back.
//!
//! Comes in: a normal form of `arith`, goes out: an expression of `scalar` that is equal wherever divisors are positive and
//! exact quotients are whole; and the other way round. What `scalar` alone has (truths, selections, lanes) has no way
//! back, what `arith` alone has (unknowns, overflow) none there. Sums are grouped by their factors, the largest
//! constant outermost, so that rules meet `32*(i + n*x) + w` whatever the order in which it came about.
//! Absent: facts.

use crate::arith::{Atom, AtomKind, Mono, Nat};
use crate::intern::Symbol;
use crate::scalar::{Expr, Node, Op, Sort};
use crate::simplify::build;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

thread_local! {
    /// By which the parts of sums and products are ordered, each printed once.
    static TEXTS: RefCell<FxHashMap<Expr, Rc<str>>> = RefCell::default();
}

fn text(e: &Expr) -> Rc<str> {
    if let Some(known) = TEXTS.with_borrow(|t| t.get(e).cloned()) {
        return known;
    }
    let text: Rc<str> = e.to_string().into();
    TEXTS.with_borrow_mut(|t| t.insert(*e, text.clone()));
    text
}

/// A named integer.
pub fn variable(name: Symbol) -> Expr {
    Expr::var(name, Sort::INT)
}

/// The expression that a size or an index is; `None` if an unknown or an overflow stands in it.
pub fn to_expr(n: Nat) -> Option<Expr> {
    let (over, under) = n.fraction();
    if under != Nat::int(1) {
        return Some(build(Op::Div, &[sum(over)?, sum(under)?]));
    }
    sum(n)
}

/// A sum without division: `32*(…) + (4*(…) + (…)) + 3`.
fn sum(n: Nat) -> Option<Expr> {
    let mut constant = 0;
    let mut groups: BTreeMap<(u64, i64), Vec<Mono>> = BTreeMap::new();
    for (m, c) in n.terms() {
        let c = c.as_int()?;
        if m.is_one() {
            constant = c
        } else {
            groups.entry((c.unsigned_abs(), c)).or_default().push(m)
        }
    }
    let mut all: Option<Expr> = None;
    for ((_, c), monos) in groups {
        let part = products(&monos)?;
        let times = |k: i64| match k {
            1 => Some(part),
            _ => Some(build(Op::Mul, &[part, Expr::checked_int(k.into())?])),
        };
        all = Some(match all {
            None => times(c)?,
            Some(before) if c < 0 => build(Op::Sub, &[before, times(c.checked_neg()?)?]),
            Some(before) => build(Op::Add, &[before, times(c)?]),
        });
    }
    let last = Expr::checked_int(constant.into())?;
    Some(match all {
        None => last,
        Some(e) if constant == 0 => e,
        Some(e) => build(Op::Add, &[e, last]),
    })
}

/// A sum of products, in an order that depends on their texts alone.
fn products(monos: &[Mono]) -> Option<Expr> {
    let mut all = monos.iter().map(product).collect::<Option<Vec<Expr>>>()?;
    all.sort_by_cached_key(text);
    all.into_iter().reduce(|a, b| build(Op::Add, &[a, b]))
}

fn product(m: &Mono) -> Option<Expr> {
    let mut factors = Vec::new();
    for (a, e) in m.factors() {
        let e = usize::try_from(e).ok()?;
        factors.extend(std::iter::repeat_n(atom(a)?, e));
    }
    factors.sort_by_cached_key(text);
    factors.into_iter().reduce(|a, b| build(Op::Mul, &[a, b]))
}

fn atom(a: Atom) -> Option<Expr> {
    use AtomKind::*;
    let both = |op, x, y| Some(build(op, &[to_expr(x)?, to_expr(y)?]));
    match a.kind() {
        Var(v) => Some(variable(v)),
        Floor(x, d) | Quot(x, d) => both(Op::Div, x, d),
        Ceil(x, d) => both(Op::Div, x + d - 1.into(), d),
        Mod(x, d) => both(Op::Mod, x, d),
        Min(x, y) => both(Op::Min, x, y),
        Max(x, y) => both(Op::Max, x, y),
        Meta(_) | Overflow => None,
    }
}

/// The size or index that an expression is; `None` if it is none. Divisors are taken to be positive.
pub fn to_nat(e: Expr) -> Option<Nat> {
    let (op, args) = match e.node() {
        Node::Int(n) => return Some(Nat::int(n)),
        Node::Var(v, Sort::INT) => return Some(Nat::var(v)),
        Node::Apply(
            op @ (Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod | Op::Min | Op::Max),
            args,
        ) => (op, args),
        _ => return None,
    };
    let (a, b) = (to_nat(args[0])?, to_nat(args[1])?);
    Some(match op {
        Op::Add => a + b,
        Op::Sub => a - b,
        Op::Mul => a * b,
        Op::Div => quotient(a, b)?,
        Op::Mod => (b != Nat::int(0)).then(|| a.rem(b))?,
        Op::Min => a.min(b),
        _ => a.max(b),
    })
}

/// Rounded so that the remainder is not negative: by what is positive down; `(x + d - 1)/d` is rounded up.
fn quotient(a: Nat, d: Nat) -> Option<Nat> {
    if d.as_int().is_some_and(|d| d < 0) {
        return Some(Nat::int(0) - quotient(a, Nat::int(0) - d)?);
    }
    let constant = |n: Nat| {
        let mut terms = n.terms().into_iter();
        terms
            .find(|t| t.0.is_one())
            .map_or(Some(0), |t| t.1.as_int())
    };
    let last = constant(a).zip(d.as_int());
    match last.filter(|(c, d)| *d > 1 && c.rem_euclid(*d) == d - 1) {
        Some((_, k)) if a.as_int().is_none() => Some((a - Nat::int(k - 1)).ceil_div(d)),
        _ if d == Nat::int(0) => None,
        _ => Some(a.floor_div(d)),
    }
}
