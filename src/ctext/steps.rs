//! How far variables get in loops of known lengths.
//!
//! In: the loop program. Out: the least and the largest number that a sum of i32 ever is, for sums to which each step adds something
//! that is bounded by itself. Absent: sums of other types, and those that are given anything else, which may be anything.

use crate::intern::Symbol;
use crate::nest::{walk, Expr, ExprKind, Nest, Stmt};
use crate::term::{Lit, Op};
use crate::ty::Scalar;
use std::collections::BTreeMap;

/// What is looked through to find a bound, at most.
const DEPTH: u32 = 8;

type Ends = (i128, i128);

/// The bounds of such variables.
pub fn bounds(nest: &Nest) -> BTreeMap<Symbol, Ends> {
    let mut lets = BTreeMap::new();
    walk::each_stmt(&nest.body, &mut |s| {
        lets.extend(walk::constant(s).map(|(v, e)| (v, e.clone())));
    });
    let mut steps = Steps {
        lets,
        found: BTreeMap::new(),
    };
    steps.run(&nest.body, &mut Vec::new());
    let fits = |(v, found): (Symbol, Option<Found>)| {
        let (low, high) = found?.ends;
        let (least, most) = Scalar::I32.bounds();
        (least <= low && high <= most).then_some((v, (low, high)))
    };
    steps.found.into_iter().filter_map(fits).collect()
}

#[derive(Clone, Copy)]
struct Found {
    /// How many loops are around its declaration.
    loops: usize,
    ends: Ends,
}

struct Steps {
    lets: BTreeMap<Symbol, Expr>,
    /// Of variables that begin with a number; none of those that are given something else.
    found: BTreeMap<Symbol, Option<Found>>,
}

impl Steps {
    fn run(&mut self, block: &[Stmt], around: &mut Vec<Option<i128>>) {
        for s in block {
            match s {
                Stmt::Let {
                    var,
                    value: Some(e),
                    mutable: true,
                    ..
                } => {
                    let scalar = e.shape().lanes == 1 && e.shape().elem == Scalar::I32;
                    if let (ExprKind::Lit(Lit::Int(n)), true) = (e.kind(), scalar) {
                        let begun = Found {
                            loops: around.len(),
                            ends: (*n, *n),
                        };
                        self.found.insert(*var, Some(begun));
                    }
                }
                Stmt::Assign { var, value } => {
                    if let Some(known) = self.found.get(var).copied() {
                        let next = known.and_then(|f| self.after(*var, value, f, around));
                        self.found.insert(*var, next);
                    }
                }
                Stmt::If { then, els, .. } => {
                    self.run(then, around);
                    self.run(els, around);
                }
                Stmt::For { extent, body, .. } => {
                    around.push(extent.as_int().map(i128::from));
                    self.run(body, around);
                    around.pop();
                }
                _ => {}
            }
        }
    }

    /// What is so after as many steps as there are since its declaration.
    fn after(&self, var: Symbol, value: &Expr, f: Found, around: &[Option<i128>]) -> Option<Found> {
        let ExprKind::Op(Op::Add, args) = value.kind() else {
            return None;
        };
        let is_own = |e: &Expr| matches!(e.kind(), ExprKind::Var(v) if *v == var);
        let place = args.iter().position(is_own).filter(|_| args.len() == 2)?;
        let (low, high) = self.ends(&args[1 - place], var, DEPTH)?;
        let mut times = 1_i128;
        for n in around.get(f.loops..)? {
            // Fewer than none are none.
            times = times.checked_mul((*n)?.max(0))?;
        }
        let ends = (
            f.ends.0.checked_add(times.checked_mul(low.min(0))?)?,
            f.ends.1.checked_add(times.checked_mul(high.max(0))?)?,
        );
        Some(Found { ends, ..f })
    }

    /// Between which numbers a value lies in which the variable is not.
    fn ends(&self, e: &Expr, var: Symbol, depth: u32) -> Option<Ends> {
        let of = |e: &Expr| self.ends(e, var, depth);
        let any = e.shape().elem.bounds();
        let known = match e.kind() {
            ExprKind::Lit(Lit::Int(n)) => Some((*n, *n)),
            ExprKind::Var(v) if *v == var => return None,
            ExprKind::Var(v) => match self.lets.get(v) {
                Some(e) => self.ends(e, var, depth.checked_sub(1)?),
                None => Some(any),
            },
            ExprKind::Cast(x) if !x.shape().elem.is_float() => of(x),
            ExprKind::Op(Op::Select, args) => {
                let (x, y) = (of(&args[1])?, of(&args[2])?);
                Some((x.0.min(y.0), x.1.max(y.1)))
            }
            ExprKind::Op(op, args) if args.len() == 2 => ends(*op, of(&args[0])?, of(&args[1])?),
            _ => None,
        };
        let inside = |n: &Ends| any.0 <= n.0 && n.1 <= any.1;
        Some(known.filter(inside).unwrap_or(any))
    }
}

/// Between which numbers the results of an operation lie, if nothing is lost.
pub fn ends(op: Op, (a, b): (i128, i128), (l, h): (i128, i128)) -> Option<(i128, i128)> {
    let all = match op {
        Op::Add => [a.saturating_add(l), b.saturating_add(h), 0, 0],
        Op::Sub => [a.saturating_sub(h), b.saturating_sub(l), 0, 0],
        Op::Mul => [(a, l), (a, h), (b, l), (b, h)].map(|(x, y)| x.saturating_mul(y)),
        Op::Div | Op::Mod | Op::BitAnd | Op::Shr if l == h => return by_number(op, (a, b), l),
        _ => return None,
    };
    let of = if op == Op::Mul { &all[..] } else { &all[..2] };
    Some((*of.iter().min()?, *of.iter().max()?))
}

/// The same of an operation with a number: quotients go toward zero, and rests have the sign of what is divided.
fn by_number(op: Op, (a, b): (i128, i128), n: i128) -> Option<(i128, i128)> {
    match op {
        Op::Div if n >= 1 => Some((a / n, b / n)),
        Op::Mod if n >= 1 => {
            let least = if a < 0 { a.max(1 - n) } else { 0 };
            let most = if b > 0 { b.min(n - 1) } else { 0 };
            Some((least, most))
        }
        Op::BitAnd if n >= 0 => Some((0, n)),
        // A shift by a number rounds down.
        Op::Shr if (0..64).contains(&n) => Some((a.div_euclid(1 << n), b.div_euclid(1 << n))),
        _ => None,
    }
}
