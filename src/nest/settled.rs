//! Loops that change nothing unless some conditions hold.
//!
//! In: a loop of a loop program. Out: the conditions, unless one of which holds in one of its lanes no variable that the loop gives a value
//! gets another one, as in `s = c(s) ? f(s) : s`. If they are the same in each iteration that starts from the same values, such a
//! loop may be left where none holds. If they are also of the iteration (`s = x(i) < s ? x(i) : s`), iterations may be left out in none of which,
//! from the values before the first of them, one holds. Absent: loops that store, or that have other statements than values of variables.

use super::{walk, Expr, ExprKind, LoopKind, Shape, Stmt};
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::term::{Lit, Op};
use crate::ty::Scalar;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// Where it may be left.
#[derive(Clone, Debug)]
pub struct Settled {
    /// Before this statement of the body, the first that gives a variable another value.
    pub at: usize,
    /// Unless one of these holds, of vectors in one of the lanes.
    pub unless: Vec<Expr>,
}

impl Settled {
    /// The condition in which it is left, if that is one of single numbers by itself.
    pub fn once(&self) -> Option<&Expr> {
        match self.unless.first()?.kind() {
            ExprKind::Op(Op::Not, args) if self.unless.len() == 1 => {
                args.first().filter(|c| !c.shape().is_mask())
            }
            _ => None,
        }
    }
}

/// Loops of few iterations are not asked for it.
const FEW: i64 = 8;

/// More conditions are not asked for in each iteration.
const MOST: usize = 4;

/// So many iterations are looked at together before one of them is done.
pub const AHEAD: i64 = 32;

/// Loops of fewer iterations do not look ahead.
pub const ENOUGH: i64 = 4 * AHEAD;

/// When an iteration changes something.
#[derive(Clone, Debug)]
pub struct Seldom {
    /// What holds then, of what the loop goes over, and of the variables as they are before it.
    pub changes: Expr,
    /// Variables of the body that say so.
    pub by: Vec<Symbol>,
}

/// When a loop changes something; none where that may be in most iterations, as it does not depend on what the variables are before them.
pub fn seldom(s: &Stmt) -> Option<Seldom> {
    let Stmt::For {
        var, extent, body, ..
    } = s
    else {
        return None;
    };
    if extent.as_int().is_some_and(|n| n < ENOUGH) {
        return None;
    }
    let found = unless_changed(s)?;
    let values = Values::of(body.get(..found.at)?)?;
    let all = found.unless.iter().map(|c| values.whole(c, *var));
    let all: Vec<Expr> = all.collect::<Option<_>>()?;
    let of_state = |e: &Expr| {
        reads(
            e,
            &|e| matches!(e.kind(), ExprKind::Var(v) if is_given(body, *v)),
        )
    };
    let of_index = |e: &Expr| reads(e, &|e| e.own_index().is_some_and(|n| n.mentions(*var)));
    let fits = all.iter().all(of_state) && all.iter().any(of_index);
    let or = |a, b| {
        Expr::new(
            ExprKind::Op(Op::Or, vec![a, b]),
            Shape::scalar(Scalar::Bool),
        )
    };
    let changes = all.into_iter().reduce(or).filter(|_| fits)?;
    let named = |e: &Expr| match e.kind() {
        ExprKind::Var(v) => Some(*v),
        _ => None,
    };
    let by = found.unless.iter().filter_map(named).collect();
    Some(Seldom { changes, by })
}

fn reads(e: &Expr, what: &dyn Fn(&Expr) -> bool) -> bool {
    let mut found = false;
    e.visit(&mut |e| found |= what(e));
    found
}

/// Whether a variable is given a value there.
fn is_given(body: &[Stmt], v: Symbol) -> bool {
    let given = |s: &Stmt| matches!(s, Stmt::Assign { var, .. } if *var == v);
    body.iter().any(given)
}

/// Whether a loop may be left before its end.
pub fn settled(s: &Stmt) -> Option<Settled> {
    let Stmt::For { var, body, .. } = s else {
        return None;
    };
    let found = unless_changed(s)?;
    let values = Values::of(body.get(..found.at)?)?;
    let changing = |c: &Expr| values.reads(c, *var, &mut BTreeSet::new());
    (!found.unless.iter().any(changing)).then_some(found)
}

/// The conditions unless one of which holds an iteration changes nothing.
fn unless_changed(s: &Stmt) -> Option<Settled> {
    let Stmt::For {
        extent,
        kind: LoopKind::Seq,
        body,
        ..
    } = s
    else {
        return None;
    };
    if extent.as_int().is_some_and(|n| n <= FEW) {
        return None;
    }
    let at = body.iter().position(|s| matches!(s, Stmt::Assign { .. }))?;
    let values = Values::of(body.get(..at)?)?;
    let assign = |s| match s {
        &Stmt::Assign { var, ref value } => Some((var, value)),
        _ => None,
    };
    let given: Option<Vec<(Symbol, &Expr)>> = body.get(at..)?.iter().map(assign).collect();
    let given = given?;
    let mut unless: Vec<Expr> = Vec::new();
    let stays =
        |unless: &[Expr], (v, e): &(Symbol, &Expr)| values.is(*v, values.otherwise(unless, e));
    for (v, e) in &given {
        if !stays(&unless, &(*v, e)) {
            unless.extend(values.keeps(*v, e));
        }
    }
    let settles = (1..=MOST).contains(&unless.len()) && given.iter().all(|g| stays(&unless, g));
    settles.then_some(Settled { at, unless })
}

/// So many parts of values are looked at: a name that is read twice doubles what is behind it.
const LOOKS: u32 = 4096;

/// What variables are that are declared in the body.
struct Values<'a> {
    of: BTreeMap<Symbol, &'a Expr>,
    /// How many more parts may be looked at.
    looks: Cell<u32>,
}

impl<'a> Values<'a> {
    /// If nothing else is done there.
    fn of(before: &'a [Stmt]) -> Option<Values<'a>> {
        let of = before.iter().map(walk::constant).collect::<Option<_>>()?;
        let looks = Cell::new(LOOKS);
        Some(Values { of, looks })
    }

    /// A variable that is declared there is its value.
    fn value<'e>(&self, e: &'e Expr) -> &'e Expr
    where
        'a: 'e,
    {
        match e.kind() {
            ExprKind::Var(v) => self.of.get(v).map_or(e, |e| self.value(e)),
            _ => e,
        }
    }

    /// A truth value without the variables that are declared there, if that is short, of elements side by side, and what compilers make
    /// vectors of.
    fn whole(&self, e: &Expr, index: Symbol) -> Option<Expr> {
        let whole = self.inlined(e);
        let next = Nat::var(index) + Nat::int(1);
        let mut fits = self.looks.get() > 0 && whole.shape() == Shape::scalar(Scalar::Bool);
        // Compilers may round a product that is added to something in one place and not in another.
        let float = |e: &Expr, ops: &[Op]| match e.kind() {
            ExprKind::Op(op, _) => e.shape().elem.is_float() && ops.contains(op),
            _ => false,
        };
        let products = reads(&whole, &|e| float(e, &[Op::Mul]));
        fits &= !(products && reads(&whole, &|e| float(e, &[Op::Add, Op::Sub, Op::Neg])));
        whole.visit(&mut |e| {
            let of = e.own_index();
            fits &= !of.is_some_and(|n| self.of.keys().any(|v| n.mentions(*v)));
            fits &= e.shape().lanes == 1;
            fits &= match e.kind() {
                ExprKind::Load(_, n) => {
                    let step = n.subst_var(index, next) - *n;
                    step.as_int().is_some_and(|n| (0..=1).contains(&n))
                }
                ExprKind::Op(Op::Div | Op::Mod, _) => e.shape().elem.is_float(),
                ExprKind::Op(op, _) => op.called().is_none(),
                ExprKind::Lit(_) | ExprKind::Var(_) | ExprKind::Index(_) | ExprKind::Cast(_) => {
                    true
                }
                _ => false,
            };
        });
        fits.then_some(whole)
    }

    fn inlined(&self, e: &Expr) -> Expr {
        e.rewrite(&mut |e| {
            let looks = self.looks.get().checked_sub(1)?;
            self.looks.set(looks);
            match e.kind() {
                ExprKind::Var(v) => self.of.get(v).map(|e| self.inlined(e)),
                _ => None,
            }
        })
    }

    fn is(&self, variable: Symbol, e: &Expr) -> bool {
        matches!(self.value(e).kind(), ExprKind::Var(v) if *v == variable)
    }

    /// The condition unless which a choice is a variable itself.
    fn keeps(&self, variable: Symbol, e: &Expr) -> Option<Expr> {
        let ExprKind::Op(Op::Select, args) = self.value(e).kind() else {
            return None;
        };
        let [c, x, y] = &args[..] else { return None };
        match (self.is(variable, x), self.is(variable, y)) {
            (false, true) => Some(c.clone()),
            (true, false) => Some(Expr::new(ExprKind::Op(Op::Not, vec![c.clone()]), c.shape())),
            _ => None,
        }
    }

    /// What an expression is unless one of those holds.
    fn otherwise<'e>(&self, unless: &[Expr], e: &'e Expr) -> &'e Expr
    where
        'a: 'e,
    {
        let e = self.value(e);
        let Some(looks) = self.looks.get().checked_sub(1) else {
            return e;
        };
        self.looks.set(looks);
        match e.kind() {
            ExprKind::Op(Op::Select, args) => {
                let holds = unless.iter().find_map(|c| self.holds(c, &args[0]));
                match (holds, &args[1..]) {
                    (Some(true), [x, _]) => self.otherwise(unless, x),
                    (Some(false), [_, y]) => self.otherwise(unless, y),
                    _ => e,
                }
            }
            // Of floats 0 may have another sign.
            ExprKind::Op(Op::Add, args) if e.shape().elem.is_int() => {
                let [x, y] = [0, 1].map(|i| self.otherwise(unless, &args[i]));
                match (self.is_zero(x), self.is_zero(y)) {
                    (true, _) => y,
                    (_, true) => x,
                    _ => e,
                }
            }
            _ => e,
        }
    }

    /// Whether a truth value holds unless that does, if it is known.
    fn holds(&self, unless: &Expr, e: &Expr) -> Option<bool> {
        let (unless, e) = (self.value(unless), self.value(e));
        if unless.same(e) {
            return Some(false);
        }
        let not = |e: &Expr| match e.kind() {
            ExprKind::Op(Op::Not, args) => Some(args[0].clone()),
            _ => None,
        };
        match (not(unless), not(e)) {
            (Some(holds), _) if self.value(&holds).same(e) => Some(true),
            (_, Some(other)) => self.holds(unless, &other).map(|h| !h),
            _ => None,
        }
    }

    fn is_zero(&self, e: &Expr) -> bool {
        match self.value(e).kind() {
            ExprKind::Lit(Lit::Int(n)) => *n == 0,
            ExprKind::Splat(x) => self.is_zero(x),
            _ => false,
        }
    }

    /// Whether it is of an index, in places, too.
    fn reads(&self, e: &Expr, index: Symbol, seen: &mut BTreeSet<Symbol>) -> bool {
        let mut variables = Vec::new();
        e.visit(&mut |e| {
            variables.extend(e.own_index().iter().flat_map(|n| n.vars().to_vec()));
            if let ExprKind::Var(v) = e.kind() {
                variables.push(*v);
            }
        });
        variables.contains(&index)
            || variables.into_iter().any(|v| {
                let value = self.of.get(&v).filter(|_| seen.insert(v));
                value.is_some_and(|e| self.reads(e, index, seen))
            })
    }
}
