//! Types and sizes for the unknowns of a rule.
//!
//! Comes in: a rule; goes out: a substitution under which every type in it is one
//! of small data and every condition on types and sizes holds. Sizes are drawn
//! until they fit: rules have few. Absent: holes.

use super::{RuleDecl, Violation};
use crate::arith::Nat;
use crate::elab::{Cond, Obligation, Rel};
use crate::interp::generate::Generator;
use crate::obligation::Sizes;
use crate::term::{Class, Term};
use crate::ty::{Scalar, Ty, TyKind, TySubst};

/// Draws of sizes for one draw of types.
const TRIES: u32 = 60;

/// Numbers in any value that a side of the rule computes.
const MOST: i64 = 600;

/// A random substitution of all unknowns under which every condition holds but
/// the one that is to be violated; `None` when none was found.
pub fn types(rule: &RuleDecl, violated: Option<Violation>, g: &mut Generator) -> Option<TySubst> {
    let mut subst = TySubst::default();
    for (i, class) in rule.tys.iter().enumerate() {
        let class = match violated {
            Some(Violation::Condition(_)) if g.rng.one_in(2) => None,
            _ => *class,
        };
        subst.tys.insert(i as u32, ty(class, g));
    }
    sizes(rule, violated, subst, g)
}

/// A substitution under which every unknown type is one kind of number.
pub fn plain(rule: &RuleDecl, g: &mut Generator) -> Option<TySubst> {
    let mut subst = TySubst::default();
    for (i, class) in rule.tys.iter().enumerate() {
        let scalar = match class {
            Some(Class::Float) => Scalar::F32,
            Some(Class::Int) => Scalar::I32,
            _ => Scalar::I32,
        };
        subst.tys.insert(i as u32, scalar.into());
    }
    sizes(rule, None, subst, g)
}

/// Sizes for given types.
fn sizes(
    rule: &RuleDecl,
    violated: Option<Violation>,
    mut subst: TySubst,
    g: &mut Generator,
) -> Option<TySubst> {
    let shapes = Shapes::of(rule, violated.is_none()).of_types(&subst);
    // Of types that no sizes make small. Otherwise the draws go on, so that those behind them stay the same.
    if shapes.is_none() && violated.is_some() {
        return None;
    }
    for _ in 0..TRIES {
        for i in 0..rule.nats {
            // Small sizes, now and then one with many divisors.
            let n = if g.rng.one_in(3) {
                *g.rng.pick(&[4, 6, 8, 12])
            } else {
                g.rng.between(1, 4)
            };
            subst.nats.insert(i, n.into());
        }
        divisible(rule, &mut subst, g);
        // What holds for one element need not hold for none.
        if violated.is_none() && rule.nats > 0 && g.rng.one_in(4) {
            let i = g.rng.below(rule.nats.into()) as u32;
            subst.nats.insert(i, g.rng.between(0, 1).into());
        }
        let beyond = beyond(rule, violated, &mut subst, g);
        let as_wanted = |(i, c): (usize, &Cond)| match violated {
            Some(Violation::Condition(v)) if v == i && on_types(c) => !holds(c, &subst),
            _ => holds(c, &subst),
        };
        if rule.conds.iter().enumerate().all(as_wanted)
            && shapes.as_ref().is_some_and(|s| beyond || s.fit(&subst))
            && (violated.is_some() || obliged(rule, &subst))
        {
            return Some(subst);
        }
    }
    None
}

/// Makes a size so large, or so small, that what is assumed of it does not hold, if that is to be violated. Such a term is only looked
/// at, so that it need not be small.
fn beyond(
    rule: &RuleDecl,
    violated: Option<Violation>,
    subst: &mut TySubst,
    g: &mut Generator,
) -> bool {
    let Some(Violation::Condition(v)) = violated else {
        return false;
    };
    let n = match rule.conds[v] {
        Cond::Assume(n) => n,
        // Sizes that are drawn are below it.
        Cond::Compare(a, Rel::Le, b) if b.as_int().is_some() => b - a,
        _ => return false,
    };
    let i = g.rng.below(u64::from(rule.nats.max(1))) as u32;
    let at = |subst: &mut TySubst, value: i64| {
        subst.nats.insert(i, value.into());
        subst.nat(n).as_int()
    };
    // It is linear in sizes: how far it is from 0, and how much one more of this size is.
    let (Some(none), Some(one)) = (at(subst, 0), at(subst, 1)) else {
        return false;
    };
    let past = match none - one {
        0 => return false,
        falls if falls > 0 => none / falls + 1,
        _ => 0,
    };
    at(subst, past).is_some_and(|n| n < 0)
}

/// Whether all holds of sizes that a use of the rule is obliged to.
fn obliged(rule: &RuleDecl, subst: &TySubst) -> bool {
    let holds = |o: &Obligation| subst.nat(o.size()).as_int().is_some_and(|n| n >= 0);
    rule.obligations_of_match().iter().all(holds)
}

/// Whether types and sizes alone decide a condition.
pub fn on_types(cond: &Cond) -> bool {
    matches!(
        cond,
        Cond::Divides(..) | Cond::Compare(..) | Cond::Assume(_) | Cond::Data(_) | Cond::Flat(_)
    )
}

/// Makes multiples of what has to divide an unknown size.
fn divisible(rule: &RuleDecl, subst: &mut TySubst, g: &mut Generator) {
    for cond in &rule.conds {
        if let Cond::Divides(k, n) = cond {
            if let (Some(i), Some(k)) = (n.as_meta(), subst.nat(*k).as_int()) {
                if !g.rng.one_in(4) {
                    subst.nats.insert(i, Nat::int(k * g.rng.between(1, 4)));
                }
            }
        }
    }
}

fn ty(class: Option<Class>, g: &mut Generator) -> Ty {
    let scalar: Ty = (*g.rng.pick(&g.options.scalars)).into();
    let lanes: Option<i64> = match g.rng.below(3) {
        0 => g.options.lanes.first().copied(),
        _ => None,
    };
    let wide = |t: Ty| lanes.map_or(t, |k| Ty::vec(k.into(), t));
    match class {
        // A function where nothing speaks against it, but seldom.
        None if g.rng.one_in(10) => Ty::fun(scalar, scalar),
        None | Some(Class::Data) => g.data_type(2),
        Some(Class::Number) => wide(scalar),
        Some(Class::Int) => {
            let int = *g.rng.pick(&[Scalar::I32, Scalar::U8, Scalar::I64]);
            wide(int.into())
        }
        Some(Class::Float) => {
            let float = *g.rng.pick(&[Scalar::F32, Scalar::F64]);
            wide(float.into())
        }
        Some(Class::Element) => match g.rng.below(3) {
            0 => Scalar::Bool.into(),
            1 => Ty::idx(g.rng.between(1, 5).into()),
            _ => scalar,
        },
        Some(Class::Convertible) => wide(scalar),
        Some(Class::Flat) => match g.rng.below(3) {
            0 => Ty::pair(scalar, (*g.rng.pick(&g.options.scalars)).into()),
            1 => Ty::pair(scalar, Ty::pair(scalar, scalar)),
            _ => scalar,
        },
    }
}

/// Whether a condition on types and sizes holds; true for any other.
pub fn holds(cond: &Cond, subst: &TySubst) -> bool {
    let int = |n: &Nat| subst.nat(*n).as_int();
    match cond {
        Cond::Divides(k, n) => match (int(k), int(n)) {
            (Some(k), Some(n)) => k > 0 && n % k == 0,
            _ => false,
        },
        Cond::Compare(a, rel, b) => match (int(a), int(b)) {
            (Some(a), Some(b)) => match rel {
                Rel::Eq => a == b,
                Rel::Ne => a != b,
                Rel::Lt => a < b,
                Rel::Le => a <= b,
                Rel::Gt => a > b,
                Rel::Ge => a >= b,
            },
            _ => false,
        },
        Cond::Assume(n) => int(n).is_some_and(|n| n >= 0),
        Cond::Data(t) => !subst.ty(*t).is_fun(),
        Cond::Flat(t) => subst.ty(*t).is_flat(),
        _ => true,
    }
}

/// Everything in a rule that has to be small and whole.
struct Shapes {
    types: Vec<Ty>,
    sizes: Vec<Nat>,
}

impl Shapes {
    /// Of the left side, and of the right.
    fn of(rule: &RuleDecl, both: bool) -> Shapes {
        let mut shapes = Shapes {
            types: Vec::new(),
            sizes: Vec::new(),
        };
        let holes = rule.holes.iter().filter(|h| both || !h.computed);
        shapes.types.extend(holes.map(|h| h.ty));
        let right = both.then_some(&rule.rhs);
        for side in std::iter::once(&rule.lhs).chain(right) {
            side.visit(&mut |t: &Term, _| shapes.types.push(t.ty()));
            shapes.sizes.extend(Sizes::of(side));
        }
        shapes.types.sort();
        shapes.types.dedup();
        shapes
    }

    /// The same where types are known and sizes are not; `None` if no sizes make one of them small.
    fn of_types(mut self, subst: &TySubst) -> Option<Shapes> {
        self.types.iter_mut().for_each(|t| *t = subst.ty(*t));
        self.types.sort();
        self.types.dedup();
        let (open, known): (Vec<Ty>, Vec<Ty>) = self.types.into_iter().partition(|t| t.has_meta());
        self.types = open;
        let hopeless = self.types.iter().any(|t| holds_function(*t));
        (!hopeless && known.into_iter().all(small)).then_some(self)
    }

    fn fit(&self, subst: &TySubst) -> bool {
        let whole = |n: &Nat| subst.nat(*n).as_int().is_some_and(|n| n >= 0);
        self.sizes.iter().all(whole) && self.types.iter().all(|t| small(subst.ty(*t)))
    }
}

/// Whether functions are elements of something.
fn holds_function(ty: Ty) -> bool {
    let inside = |t: Ty| t.is_fun() || holds_function(t);
    match ty.kind() {
        TyKind::Pair(a, b) => inside(a) || inside(b),
        TyKind::Vec(_, t) | TyKind::Array(_, t) => inside(t),
        TyKind::Fun(a, b) => holds_function(a) || holds_function(b),
        TyKind::Scalar(_) | TyKind::Idx(_) | TyKind::Meta(_) => false,
    }
}

/// Whether all sizes of a type are whole, its values have few numbers, and no
/// function is an element of something.
fn small(ty: Ty) -> bool {
    fn count(ty: Ty) -> Option<i64> {
        Some(match ty.kind() {
            TyKind::Scalar(_) => 1,
            TyKind::Idx(n) => n.as_int().filter(|n| *n > 0).map(|_| 1)?,
            TyKind::Pair(a, b) => count(a)? + count(b)?,
            TyKind::Vec(n, t) => {
                t.as_scalar()?;
                n.as_int().filter(|n| (1..=MOST).contains(n))?
            }
            TyKind::Array(n, t) => {
                let n = n.as_int().filter(|n| (0..=MOST).contains(n))?;
                n.checked_mul(count(t)?)?
            }
            TyKind::Fun(..) | TyKind::Meta(_) => return None,
        })
    }
    match ty.as_fun() {
        Some((a, b)) => small(a) && small(b),
        None => count(ty).is_some_and(|n| n <= MOST),
    }
}
