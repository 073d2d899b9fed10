//! Types, sizes and side conditions of a left side that is there.

use super::refusal::{Found, Refusal, Typed};
use super::{Fit, HoleAt};
use crate::algebra;
use crate::arith::{Nat, Rat};
use crate::egraph::Occurrence;
use crate::elab::{Cond, Rel, RuleUse};
use crate::intern::Symbol;
use crate::obligation::{self, Assumption};
use crate::rule::compile::{forbidden, renaming, rhs_scopes};
use crate::rule::condition::SizeCondition;
use crate::rule::typing::Unifier;
use crate::rule::vectorize;
use crate::term::{Class, Kind, Term};
use crate::ty::{Ty, TySubst};

/// Every reason against it; else what a kernel has to assume.
pub(super) fn judge(
    used: &RuleUse,
    at: &Found,
    fit: &Fit,
    reassociate: bool,
) -> Result<Vec<Assumption>, Vec<Refusal>> {
    let mut refusals = Vec::new();
    let subst = types(used, at, fit).map_err(|r| refusals.push(r)).ok();
    scopes(used, fit, &mut refusals);
    repeated(used, fit, &mut refusals);
    let mut assumes = Vec::new();
    if let Some(subst) = &subst {
        classes(used, subst, &mut refusals);
        for cond in &used.rule.conds {
            let judge = Conditions {
                used,
                fit,
                subst,
                reassociate,
            };
            if let Err(refusal) = judge.condition(cond) {
                refusals.push(refusal);
            }
        }
        let obliged = used.rule.open_obligations(&used.args).into_iter();
        let obliged: Vec<Nat> = obliged.map(|n| subst.nat(n)).collect();
        // What does not divide was said above.
        if refusals.is_empty() {
            assumes = obligation::missing(&[], &obliged);
            let never = obligation::contradiction(&assumes);
            refusals.extend(never.map(Refusal::Never));
            let mut without = None;
            (used.rule.rhs).visit(&mut |t, _| {
                without = without.or(Some(subst.ty(t.ty())).filter(|t| t.is_never()));
            });
            refusals.extend(without.map(Refusal::NoValue));
        }
    }
    match refusals.is_empty() {
        true => Ok(assumes),
        false => Err(refusals),
    }
}

fn types(used: &RuleUse, at: &Found, fit: &Fit) -> Result<TySubst, Refusal> {
    let mut unifier = Unifier::default();
    for (i, n) in (0..).zip(&used.args) {
        unifier.give(i, *n);
    }
    let mut check = |of: Typed, wanted: Ty, found: Ty| match unifier.ty(wanted, found) {
        Some(()) => Ok(()),
        None => Err(Refusal::Type {
            of,
            wanted: unifier.known().ty(wanted),
            found,
        }),
    };
    check(Typed::Whole, used.rule.lhs.ty(), at.term.ty())?;
    for (decl, all) in used.rule.holes.iter().zip(&fit.holes) {
        for hole in all {
            let of = Typed::Hole(decl.name, hole.found.clone());
            check(of, decl.ty, hole.found.term.ty())?;
        }
    }
    for (wanted, prim, found) in &fit.prims {
        check(Typed::Prim(prim.op()), wanted.ty(), found.ty())?;
    }
    for (wanted, prim, _) in &fit.prims {
        let Kind::Prim(wanted) = wanted.kind() else {
            continue;
        };
        for (p, n) in wanted.sizes().into_iter().zip(prim.sizes()) {
            let asked = unifier.known().nat(p);
            let refusal = Refusal::PrimSize(prim.op(), asked, n);
            unifier.nat(p, n).ok_or(refusal)?;
        }
    }
    let finished = unifier.solve();
    finished.map_err(|(wanted, found)| Refusal::SizeEquation(wanted, found))
}

/// What leaves the scope of a variable must not mention it.
fn scopes(used: &RuleUse, fit: &Fit, refusals: &mut Vec<Refusal>) {
    let decl = &*used.rule;
    let rhs = rhs_scopes(decl);
    for (h, all) in fit.holes.iter().enumerate() {
        for HoleAt { found, binders } in all {
            let here = Occurrence {
                reg: 0,
                scope: binders.clone(),
            };
            let mask = forbidden(decl, &rhs, h, &here);
            for i in (0..binders.len() as u32).filter(|i| mask & (1 << (*i).min(63)) != 0) {
                if !found.term.mentions(i) {
                    continue;
                }
                let last = |names: usize| names.checked_sub(1 + i as usize);
                refusals.push(Refusal::Captured {
                    hole: decl.holes[h].name,
                    binder: last(binders.len()).and_then(|at| binders[at]),
                    variable: last(found.scope.len())
                        .map_or(Symbol::new("?"), |at| found.scope[at]),
                    where_: mention(found, i),
                });
            }
        }
    }
}

/// The smallest application that mentions variable `i`, or the variable itself.
fn mention(found: &Found, i: u32) -> Found {
    let (mut at, mut i, mut scope) = (found.term.clone(), i, found.scope.clone());
    loop {
        let next = match at.kind() {
            Kind::Lam(hint, b) => {
                scope.push(super::fresh(*hint, &scope));
                i += 1;
                b.clone()
            }
            Kind::App(..) => {
                let (head, args) = at.spine();
                let mut parts = std::iter::once(head).chain(args);
                let inner = parts.find(|p| p.mentions(i) && !matches!(p.kind(), Kind::Var(_)));
                match inner {
                    Some(part) => part.clone(),
                    None => return Found::new(&at, &scope),
                }
            }
            _ => return Found::new(&at, &scope),
        };
        at = next;
    }
}

/// A pattern variable stands for one thing.
fn repeated(used: &RuleUse, fit: &Fit, refusals: &mut Vec<Refusal>) {
    for (decl, all) in used.rule.holes.iter().zip(&fit.holes) {
        let Some((first, rest)) = all.split_first() else {
            continue;
        };
        for then in rest {
            let moved = match then.binders == first.binders {
                true => Some(then.found.term.clone()),
                false => {
                    let renaming = renaming(&then.binders, &first.binders);
                    let open = then.found.term.open();
                    let can = (0..open)
                        .filter(|i| then.found.term.mentions(*i))
                        .all(|i| renaming.apply(i).is_some());
                    can.then(|| {
                        then.found.term.map_free(&mut |i, ty| {
                            Term::var(renaming.apply(i).unwrap_or_default(), ty)
                        })
                    })
                }
            };
            if moved.as_ref() != Some(&first.found.term) {
                refusals.push(Refusal::Differs {
                    hole: decl.name,
                    first: first.found.clone(),
                    then: then.found.clone(),
                });
            }
        }
    }
}

fn classes(used: &RuleUse, subst: &TySubst, refusals: &mut Vec<Refusal>) {
    for (i, class) in (0..).zip(&used.rule.tys) {
        if let (Some(class), Some(ty)) = (class, subst.tys.get(&i)) {
            if !class.admits(*ty) {
                refusals.push(Refusal::NotOfClass(*ty, *class));
            }
        }
    }
}

struct Conditions<'a> {
    used: &'a RuleUse,
    fit: &'a Fit,
    subst: &'a TySubst,
    reassociate: bool,
}

impl Conditions<'_> {
    fn condition(&self, cond: &Cond) -> Result<(), Refusal> {
        let s = self.subst;
        match cond {
            // Looked at with the scopes, and with what a match is obliged to.
            Cond::NotFree { .. } | Cond::Assume(_) => Ok(()),
            Cond::Divides(k, n) => {
                let holds = SizeCondition::Divides(*k, *n).holds(s);
                match holds {
                    true => Ok(()),
                    false => Err(Refusal::Divides(s.nat(*k), s.nat(*n))),
                }
            }
            Cond::Compare(a, rel, b) => match SizeCondition::Compare(*a, *rel, *b).holds(s) {
                true => Ok(()),
                false => {
                    let (a, b) = (s.nat(*a), s.nat(*b));
                    let known: Option<Rat> = (a - b).as_rat();
                    let unknown = known.is_none() && !matches!(rel, Rel::Eq | Rel::Ne);
                    Err(Refusal::Compare(a, *rel, b, unknown))
                }
            },
            Cond::Data(t) => match s.ty(*t).is_fun() {
                true => Err(Refusal::NotOfClass(s.ty(*t), Class::Data)),
                false => Ok(()),
            },
            Cond::Flat(t) => match s.ty(*t).is_flat() {
                true => Ok(()),
                false => Err(Refusal::NotOfClass(s.ty(*t), Class::Flat)),
            },
            Cond::Law(claim) => {
                let typed = |op: &Term| op.map_types(&mut |t| s.ty(t), &mut |n| s.nat(n));
                let claim = claim.try_map(|op| self.fill(&typed(op)));
                let claim = claim.ok_or(Refusal::Search)?;
                if claim.holds(self.reassociate) {
                    return Ok(());
                }
                let operands = claim.operands.iter();
                let found = operands.map(|t| Found::new(t, &self.names())).collect();
                let with = claim.needs_permission();
                Err(Refusal::Law(claim.law.name, found, with))
            }
            Cond::Determined { claim, .. } => {
                let typed = |op: &Term| op.map_types(&mut |t| s.ty(t), &mut |n| s.nat(n));
                let op = self.fill(&typed(&claim.operands[1]));
                let op = op.ok_or(Refusal::Search)?;
                let known = |reassociate| algebra::determined(&op, reassociate).is_some();
                if known(self.reassociate) {
                    return Ok(());
                }
                let found = vec![Found::new(&op, &self.names())];
                Err(Refusal::Law(claim.law.name, found, known(true)))
            }
            Cond::Vectorizable { f, lanes, .. } => {
                let Some(hole) = self.fit.holes[*f as usize].first() else {
                    return Err(Refusal::Search);
                };
                let name = self.used.rule.holes[*f as usize].name;
                match vectorize::obstacle(&hole.found.term, s.nat(*lanes)) {
                    None => Ok(()),
                    Some((term, binders)) => {
                        let mut scope = hole.found.scope.clone();
                        for hint in binders {
                            scope.push(super::fresh(hint, &scope));
                        }
                        Err(Refusal::Vectorizable(name, Found { term, scope }))
                    }
                }
            }
        }
    }

    /// An operand of a law: what its pattern variables stand for put in.
    fn fill(&self, pattern: &Term) -> Option<Term> {
        Some(match pattern.kind() {
            Kind::Hole(h) => self.fit.holes[*h as usize].first()?.found.term.clone(),
            Kind::App(f, x) => Term::app(self.fill(f)?, self.fill(x)?),
            Kind::Prim(_) | Kind::Lit(_) => pattern.clone(),
            Kind::Lam(..) if pattern.open() == 0 => pattern.clone(),
            Kind::Lam(..) | Kind::Var(_) => return None,
        })
    }

    /// Names for the operands of a law: those of the first hole.
    fn names(&self) -> Vec<Symbol> {
        let first = self.fit.holes.iter().flatten().next();
        first.map(|h| h.found.scope.clone()).unwrap_or_default()
    }
}
