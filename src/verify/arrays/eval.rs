//! What terms of a rule are as values: the element semantics of the primitives.
//!
//! In: a side of a rule. Out: its value, in which map applies, transpose swaps, split turns (i, j) into k*i + j, and so
//! on. Invariant: the same meaning as `interp`, wherever the sizes are sizes; a primitive without a line here is
//! opaque: equal for equal arguments. Absent: equality.

use super::context::{Context, Res};
use super::scalars;
use super::value::{Fold, Head, Step, Val};
use crate::algebra::{recognise, Floats, Form, Operator, Property};
use crate::arith::Nat;
use crate::elab::Cond;
use crate::intern::Symbol;
use crate::term::{Kind, Lit, Op, Prim, Term};
use crate::ty::{Ty, TyKind};
use std::rc::Rc;

/// What variables are, innermost last, with the names of their binders.
pub type Scope = Vec<(Option<Symbol>, Val, Ty)>;

pub fn eval(cx: &mut Context, t: &Term, scope: &Scope) -> Res<Val> {
    cx.work()?;
    let ty = cx.ty(t.ty());
    Ok(match t.kind() {
        Kind::Var(i) => match scope.len().checked_sub(1 + *i as usize) {
            Some(at) => scope[at].1.clone(),
            None => return cx.stuck("a variable of nowhere"),
        },
        Kind::Lam(name, body) => {
            let Some((arg, _)) = ty.as_fun() else {
                return cx.stuck("a lambda that is no function");
            };
            let (name, body, scope) = (*name, body.clone(), scope.clone());
            Val::fun(move |cx, x| {
                let mut inner = scope.clone();
                inner.push((name, x, arg));
                eval(cx, &body, &inner)
            })
        }
        Kind::App(f, x) => {
            let (f, x) = (eval(cx, f, scope)?, eval(cx, x, scope)?);
            f.apply(cx, x)?
        }
        Kind::Prim(p) => {
            let p = p.map_nats(&mut |n| cx.nat(n));
            let missing = p.op().arity(&p.sizes());
            collect(p, ty, missing, Vec::new())
        }
        Kind::Lit(l) => literal(cx, *l, ty),
        Kind::Hole(h) => hole(cx, *h, scope)?,
    })
}

fn literal(cx: &Context, l: Lit, ty: Ty) -> Val {
    match (l, ty.kind()) {
        (Lit::Int(i), TyKind::Idx(_)) => match i64::try_from(i) {
            Ok(i) => Val::Index(Nat::int(i)),
            Err(_) => Val::neutral(Head::Lit(l), ty),
        },
        (Lit::Size(n), _) => Val::neutral(Head::Lit(Lit::Size(cx.nat(n))), ty),
        _ => Val::neutral(Head::Lit(l), ty),
    }
}

/// A primitive that waits for arguments.
fn collect(p: Prim, ty: Ty, missing: usize, args: Vec<Val>) -> Val {
    Val::fun(move |cx, x| {
        let mut args = args.clone();
        args.push(x);
        match missing {
            0 | 1 => exec(cx, p, ty, &args),
            _ => Ok(collect(p, ty, missing - 1, args)),
        }
    })
}

/// What stands for a pattern variable: a function of what it may mention.
fn hole(cx: &mut Context, h: u32, scope: &Scope) -> Res<Val> {
    let rule = cx.rule.clone();
    let decl = &rule.holes[h as usize];
    let this = Term::hole(h, decl.ty);
    let written = rule.written(&this);
    if *written != this {
        return eval(cx, written, &Vec::new());
    }
    for cond in &rule.conds {
        match cond {
            Cond::Vectorizable { f, fv, .. } if *fv == h => {
                let scalar = hole(cx, *f, scope)?;
                let args = rule.holes[*f as usize].ty.uncurried().0.len();
                return Ok(lane_by_lane(scalar, args, Vec::new()));
            }
            Cond::Law(claim) if claim.law.form == Form::Accumulates => {
                let is = matches!(claim.operands[0].kind(), Kind::Hole(o) if *o == h);
                let value = match is {
                    true => accumulator(cx, h, &claim.operands[1], scope)?,
                    false => None,
                };
                if let Some(value) = value {
                    return Ok(value);
                }
            }
            _ => {}
        }
    }
    Ok(Val::neutral(
        Head::Hole(h, captured(cx, h, scope)?),
        cx.ty(decl.ty),
    ))
}

/// The variables that a pattern variable may mention. Operators with laws are closed.
fn captured(cx: &mut Context, h: u32, scope: &Scope) -> Res<Rc<Vec<(Val, Ty)>>> {
    let mut values = Vec::new();
    if has_laws(cx, h) {
        return Ok(Rc::new(values));
    }
    for ((name, ty), may) in cx.scopes[h as usize].clone() {
        if !may {
            continue;
        }
        let place = scope.iter().rposition(|b| b.0 == name && name.is_some());
        match place {
            Some(i) => values.push((scope[i].1.clone(), cx.ty(ty))),
            None => return cx.stuck("a variable that is not in scope"),
        }
    }
    Ok(Rc::new(values))
}

fn has_laws(cx: &Context, h: u32) -> bool {
    let is = |t: &Term| matches!(t.kind(), Kind::Hole(o) if *o == h);
    cx.rule.claims().any(|c| c.closed().any(is))
}

/// `\u v -> f u[l] v[l]` in every lane l.
fn lane_by_lane(f: Val, missing: usize, args: Vec<Val>) -> Val {
    match missing {
        0 => Val::array(move |cx, l| {
            let mut value = f.clone();
            for a in &args {
                let lane = a.at(cx, l)?;
                value = value.apply(cx, lane)?;
            }
            Ok(value)
        }),
        _ => Val::fun(move |_, x| {
            let mut args = args.clone();
            args.push(x);
            Ok(lane_by_lane(f.clone(), missing - 1, args))
        }),
    }
}

/// `\a y -> by a (g y)` for an unknown g. The operands may stand in either order, so `by` has to commute.
fn accumulator(cx: &mut Context, h: u32, by: &Term, scope: &Scope) -> Res<Option<Val>> {
    let ty = cx.ty(cx.rule.holes[h as usize].ty);
    let (Some((acc, rest)), Kind::Prim(p)) = (ty.as_fun(), by.kind()) else {
        return Ok(None);
    };
    let Some((elem, result)) = rest.as_fun().filter(|r| r.1 == acc) else {
        return Ok(None);
    };
    let sum = Ty::funs([acc, acc], acc);
    let commutes = |o: Operator| o.has(Property::Commutative, Floats::Reassociate);
    if !recognise(&Term::prim(*p, sum)).is_some_and(commutes) {
        return Ok(None);
    }
    // Another number than any pattern variable has.
    let added = cx.rule.holes.len() as u32 + h;
    let g = Val::neutral(
        Head::Hole(added, captured(cx, h, scope)?),
        Ty::fun(elem, result),
    );
    let by = collect(*p, sum, 2, Vec::new());
    Ok(Some(Val::fun(move |_, a| {
        let (by, g) = (by.clone(), g.clone());
        Ok(Val::fun(move |cx, y| {
            let added = g.apply(cx, y)?;
            by.apply(cx, a.clone())?.apply(cx, added)
        }))
    })))
}

/// Fold with a function of accumulator and element.
fn fold(cx: &mut Context, f: &Val, start: &Val, xs: &Val, n: Nat, ty: Ty) -> Val {
    let (f, xs) = (f.clone(), xs.clone());
    let fold = Fold {
        start: start.clone(),
        n: cx.simplify(n),
        step: Rc::new(move |cx, acc, i| {
            let x = xs.at(cx, i)?;
            f.apply(cx, acc)?.apply(cx, x)
        }),
        ty,
    };
    Val::neutral(Head::Fold(Rc::new(fold)), ty)
}

/// A primitive with all its arguments; `ty` is its type.
fn exec(cx: &mut Context, p: Prim, ty: Ty, args: &[Val]) -> Res<Val> {
    use Op::*;
    cx.work()?;
    let (types, result) = ty.uncurried();
    let k = p.sizes();
    let len = |i: usize| types.get(i).and_then(|t| t.as_array()).map(|a| a.0);
    Ok(match (p.op(), args) {
        (Map | MapSeq | MapPar | MapSeqUnroll, [f, xs]) => {
            let (f, xs) = (f.clone(), xs.clone());
            Val::array(move |cx, i| {
                let x = xs.at(cx, i)?;
                f.apply(cx, x)
            })
        }
        (Reduce | ReduceSeq | ReduceSeqUnroll, [f, e, xs]) => match len(2) {
            Some(n) => fold(cx, f, e, xs, n, result),
            None => return cx.stuck("a reduction of what is no array"),
        },
        (ScanSeq, [f, e, xs]) => {
            let Some((_, acc)) = result.as_array() else {
                return cx.stuck("a scan that gives no array");
            };
            let (f, e, xs) = (f.clone(), e.clone(), xs.clone());
            let swapped = Val::fun(move |_, a| {
                let f = f.clone();
                Ok(Val::fun(move |cx, x| f.apply(cx, x)?.apply(cx, a.clone())))
            });
            Val::array(move |cx, i| Ok(fold(cx, &swapped, &e, &xs, i + Nat::int(1), acc)))
        }
        // Step i of an element j keeps it, or updates it.
        (ScatterReduce, [f, starts, xs]) => {
            let (Some(n), Some((_, elem))) = (len(2), result.as_array()) else {
                return cx.stuck("what is updated is no array");
            };
            let (f, starts, xs) = (f.clone(), starts.clone(), xs.clone());
            Val::array(move |cx, j| {
                let (f, xs) = (f.clone(), xs.clone());
                let updates = Fold {
                    start: starts.at(cx, j)?,
                    n,
                    step: Rc::new(move |cx, acc, i| {
                        let update = xs.at(cx, i)?;
                        let to = update.fst(cx)?;
                        let to = cx.index(&to)?;
                        if !cx.same_index(to, j)? {
                            return Ok(acc);
                        }
                        let x = update.snd(cx)?;
                        f.apply(cx, acc)?.apply(cx, x)
                    }),
                    ty: elem,
                };
                Ok(Val::neutral(Head::Fold(Rc::new(updates)), elem))
            })
        }
        (ReduceSegments, [f, e, bounds, xs]) => {
            let Some((_, acc)) = result.as_array() else {
                return cx.stuck("segments that give no array");
            };
            let (f, e, bounds, xs) = (f.clone(), e.clone(), bounds.clone(), xs.clone());
            Val::array(move |cx, i| {
                let mut bound = |i| {
                    let bound = bounds.at(cx, i)?;
                    cx.index(&bound)
                };
                let (from, to) = (bound(i)?, bound(i + Nat::int(1))?);
                let count = cx.max(to - from, Nat::int(0));
                let segment = reindexed(&xs, move |_, j| Ok(from + j));
                Ok(fold(cx, &f, &e, &segment, count, acc))
            })
        }
        (Iterate, [f, x]) => {
            let f = f.clone();
            let fold = Fold {
                start: x.clone(),
                n: k[0],
                step: Rc::new(move |cx, acc, _| f.apply(cx, acc)),
                ty: result,
            };
            Val::neutral(Head::Fold(Rc::new(fold)), result)
        }
        (Zip, [a, b]) => {
            let (a, b) = (a.clone(), b.clone());
            Val::array(move |cx, i| Ok(Val::pair(a.at(cx, i)?, b.at(cx, i)?)))
        }
        (Unzip, [xs]) => {
            let side = |first: bool| {
                let xs = xs.clone();
                Val::array(move |cx, i| {
                    let x = xs.at(cx, i)?;
                    if first {
                        x.fst(cx)
                    } else {
                        x.snd(cx)
                    }
                })
            };
            Val::pair(side(true), side(false))
        }
        (Pair, [a, b]) => Val::pair(a.clone(), b.clone()),
        (Fst, [x]) => x.fst(cx)?,
        (Snd, [x]) => x.snd(cx)?,
        (MapFst, [f, x]) => {
            let a = x.fst(cx)?;
            Val::pair(f.apply(cx, a)?, x.snd(cx)?)
        }
        (MapSnd, [f, x]) => {
            let b = x.snd(cx)?;
            Val::pair(x.fst(cx)?, f.apply(cx, b)?)
        }
        (Split | AsVector, [xs]) => windows(xs.clone(), k[0]),
        (Slide, [xs]) => windows(xs.clone(), k[1]),
        (CircularBuffer | RotateValues, [f, xs]) => {
            let (f, xs) = (f.clone(), xs.clone());
            let mapped = Val::array(move |cx, i| {
                let x = xs.at(cx, i)?;
                f.apply(cx, x)
            });
            windows(mapped, Nat::int(1))
        }
        (Join | AsScalar, [xs]) => {
            let inner = types[0].as_array().and_then(|(_, t)| match p.op() {
                Join => t.as_array(),
                _ => t.as_vec(),
            });
            let Some((n, _)) = inner else {
                return cx.stuck("a join of what is not nested");
            };
            let xs = xs.clone();
            Val::array(move |cx, i| {
                let (q, r) = cx.divided(i, n)?;
                xs.at(cx, q)?.at(cx, r)
            })
        }
        (Transpose, [xs]) => {
            let xs = xs.clone();
            Val::array(move |_, i| {
                let xs = xs.clone();
                Ok(Val::array(move |cx, j| xs.at(cx, j)?.at(cx, i)))
            })
        }
        (Take, [xs]) => xs.clone(),
        (Drop, [xs]) => reindexed(xs, move |_, i| Ok(i + k[0])),
        (Reverse, [xs]) => match len(0) {
            Some(n) => reindexed(xs, move |_, i| Ok(n - Nat::int(1) - i)),
            None => return cx.stuck("a reversal of what is no array"),
        },
        (Concat, [a, b]) => match len(0) {
            Some(n) => {
                let (a, b) = (a.clone(), b.clone());
                Val::array(move |cx, i| match cx.less(i, n)? {
                    true => a.at(cx, i),
                    false => b.at(cx, i - n),
                })
            }
            None => return cx.stuck("a concatenation of what is no array"),
        },
        (PadCst, [x, xs]) => match len(1) {
            Some(n) => {
                let (x, xs) = (x.clone(), xs.clone());
                Val::array(
                    move |cx, i| match cx.less(i, k[0])? || !cx.less(i, k[0] + n)? {
                        true => Ok(x.clone()),
                        false => xs.at(cx, i - k[0]),
                    },
                )
            }
            None => return cx.stuck("padding of what is no array"),
        },
        (PadClamp, [xs]) => match types[0].as_array() {
            Some((n, elem)) => {
                let xs = xs.clone();
                Val::array(move |cx, i| {
                    let last = n - Nat::int(1);
                    match cx.less(last, Nat::int(0))? {
                        true => Ok(Val::zero(elem)),
                        false => {
                            let low = cx.max(i - k[0], Nat::int(0));
                            let j = cx.min(low, last);
                            xs.at(cx, j)
                        }
                    }
                })
            }
            None => return cx.stuck("padding of what is no array"),
        },
        (Gather, [is, xs]) => {
            let is = is.clone();
            reindexed(xs, move |cx, i| {
                let j = is.at(cx, i)?;
                cx.index(&j)
            })
        }
        // Step i of an element j keeps it, or writes what goes there.
        (Scatter, [is, xs]) => {
            let (Some(n), Some((_, elem))) = (len(0), result.as_array()) else {
                return cx.stuck("what is scattered is no array");
            };
            let (is, xs) = (is.clone(), xs.clone());
            Val::array(move |_, j| {
                let (is, xs) = (is.clone(), xs.clone());
                let writes = Fold {
                    start: Val::zero(elem),
                    n,
                    step: Rc::new(move |cx, acc, i| {
                        let to = is.at(cx, i)?;
                        let to = cx.index(&to)?;
                        match cx.same_index(to, j)? {
                            true => xs.at(cx, i),
                            false => Ok(acc),
                        }
                    }),
                    ty: elem,
                };
                Ok(Val::neutral(Head::Fold(Rc::new(writes)), elem))
            })
        }
        (Reorder, [f, _, xs]) => {
            let f = f.clone();
            reindexed(xs, move |cx, i| {
                let j = f.apply(cx, Val::Index(i))?;
                cx.index(&j)
            })
        }
        (Generate, [f]) => {
            let f = f.clone();
            Val::array(move |cx, i| f.apply(cx, Val::Index(i)))
        }
        (Idx, [i, xs]) => {
            let i = cx.index(i)?;
            xs.at(cx, i)?
        }
        (At, [xs]) => xs.at(cx, k[0])?,
        (Fill | VectorFromScalar, [x]) => {
            let x = x.clone();
            Val::array(move |_, _| Ok(x.clone()))
        }
        (MakeArray, items) => {
            let items = items.to_vec();
            Val::array(move |cx, i| {
                for (j, item) in items.iter().enumerate() {
                    let last = j + 1 == items.len();
                    if last || cx.same_index(i, Nat::int(j as i64))? {
                        return Ok(item.clone());
                    }
                }
                cx.stuck("an element of no elements")
            })
        }
        (ToMem, [x]) => x.clone(),
        (Let, [x, f]) => f.apply(cx, x.clone())?,
        (Select, [c, a, b]) => match scalars::extremum(cx, c, a, b, result) {
            Some(value) => value,
            None => match cx.holds(c)? {
                true => a.clone(),
                false => b.clone(),
            },
        },
        (op, _) if op.is_lane_wise() && result.as_vec().is_some() => {
            let Some((_, elem)) = result.as_vec() else {
                return cx.stuck("lanes of what is no vector");
            };
            let of = |t: &Ty| t.as_vec().map_or(*t, |v| v.1);
            let lane = Ty::funs(types.iter().map(of), elem);
            let args = args.to_vec();
            Val::array(move |cx, l| {
                let mut lanes = Vec::new();
                for a in &args {
                    lanes.push(a.at(cx, l)?);
                }
                exec(cx, p, lane, &lanes)
            })
        }
        _ => opaque(p, ty, args),
    })
}

fn opaque(p: Prim, ty: Ty, args: &[Val]) -> Val {
    let mut value = super::value::Neutral::new(Head::Prim(p), ty);
    let mut rest = ty;
    for a in args {
        let Some((arg, result)) = rest.as_fun() else {
            break;
        };
        value.spine.push((Step::Apply(a.clone(), arg), result));
        rest = result;
    }
    Val::Neutral(value)
}

/// `(i, j)` is element `step*i + j`.
fn windows(xs: Val, step: Nat) -> Val {
    Val::array(move |_, i| {
        let xs = xs.clone();
        Ok(Val::array(move |cx, j| xs.at(cx, step * i + j)))
    })
}

fn reindexed(xs: &Val, to: impl Fn(&mut Context, Nat) -> Res<Nat> + 'static) -> Val {
    let xs = xs.clone();
    Val::array(move |cx, i| {
        let j = to(cx, i)?;
        xs.at(cx, j)
    })
}
