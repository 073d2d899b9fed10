//! Terms for the holes of a rule whose types are known.
//!
//! Comes in: a rule and a substitution of its unknowns; goes out: the instance.
//! Holes that a law speaks of are drawn so that it holds, `vectorizable f as fv`
//! defines `fv` lane by lane from any `f`, every other hole is a random term.
//! Invariant: all conditions hold for what comes out. Absent: evaluation.

use super::lawful::{self, Asked, Identity};
use super::scope::{self, Binder};
use super::{Instance, RuleDecl, Twin, Violation};
use crate::algebra::{self, Floats, Form, Properties, Property};
use crate::elab::Cond;
use crate::interp::generate::{Generator, Scope};
use crate::term::{call, call_as, Kind, Lit, Op, Term};
use crate::ty::{Ty, TyKind, TySubst};

/// How holes are drawn.
#[derive(Copy, Clone)]
pub struct Style {
    /// Telling ones, where that is possible.
    pub telling: bool,
    /// Operators that satisfy what is asked of them and no more, instead of operators of the table only.
    pub lawful: bool,
}

/// Draws the holes of a rule.
pub fn fill(rule: &RuleDecl, types: TySubst, style: Style, g: &mut Generator) -> Option<Instance> {
    let mut drawn = Drawn::new(rule, types, g);
    drawn.own_operators = style.lawful;
    for cond in &rule.conds {
        drawn.lawful(cond, g)?;
    }
    if style.telling {
        drawn.tell();
    }
    drawn.others(g);
    for cond in &rule.conds {
        drawn.compute(cond)?;
    }
    if !rule.conds.iter().all(|c| drawn.law_holds(c)) {
        return None;
    }
    let (lhs, rhs) = (drawn.side(&rule.lhs)?, drawn.side(&rule.rhs)?);
    Some(Instance {
        types: drawn.types,
        holes: drawn.holes.into_iter().collect::<Option<_>>()?,
        params: drawn.params,
        lhs,
        rhs,
    })
}

/// Draws the holes of a left side so that one condition is violated.
pub fn fill_left(
    rule: &RuleDecl,
    types: TySubst,
    violated: Violation,
    g: &mut Generator,
) -> Option<Twin> {
    let mut drawn = Drawn::new(rule, types, g);
    if let Violation::Captured { hole, binder } = violated {
        drawn.scopes[hole].get_mut(binder)?.1 = true;
    }
    // A law cannot be violated while all others hold: an operator with an
    // identity that is known is known to associate.
    let broken = match violated {
        Violation::Condition(v) => rule.conds.get(v).filter(|c| matches!(c, Cond::Law(_))),
        _ => None,
    };
    if broken.is_none() {
        for cond in &rule.conds {
            drawn.lawful(cond, g)?;
        }
    }
    drawn.others(g);
    // What is captured is no closed term, so that it has no laws, whatever it computes.
    let captured = match violated {
        Violation::Captured { hole, binder } if has_laws(rule, hole) => {
            drawn.holes[hole] = Some(drawn.mentioning(hole, binder)?);
            Some(hole)
        }
        _ => None,
    };
    let speaks_of = |c: &Cond| match c.claim() {
        Some(claim) => (claim.operands.iter()).any(|t| Drawn::operand(t) == captured),
        None => false,
    };
    let as_wanted = match broken {
        Some(cond) => !drawn.law_holds(cond),
        None => (rule.conds.iter())
            .filter(|c| captured.is_none() || !speaks_of(c))
            .all(|c| drawn.law_holds(c)),
    };
    as_wanted.then_some(())?;
    if let Violation::Captured { hole, binder } = violated {
        let index = drawn.scopes[hole].len() - 1 - binder;
        let captured = drawn.holes[hole].as_ref()?.mentions(index as u32);
        captured.then_some(())?;
    }
    let lhs = drawn.side(&rule.lhs)?;
    Some(Twin {
        types: drawn.types,
        lhs,
    })
}

/// Whether a law speaks of a hole as a closed term.
fn has_laws(rule: &RuleDecl, hole: usize) -> bool {
    let is = |t: &Term| Drawn::operand(t) == Some(hole);
    rule.claims().any(|c| c.closed().any(is))
}

/// Primitives that give numbers but have no form on vectors.
const NOT_LANE_WISE: [Op; 10] = [
    Op::Cast,
    Op::Select,
    Op::Reduce,
    Op::ReduceSeq,
    Op::ReduceSeqUnroll,
    Op::Let,
    Op::At,
    Op::Idx,
    Op::Iterate,
    Op::Mod,
];

pub(super) struct Drawn<'a> {
    pub(super) rule: &'a RuleDecl,
    types: TySubst,
    pub(super) params: Vec<Ty>,
    /// Binders around the first occurrence of each hole, and whether it may use them.
    pub(super) scopes: Vec<Vec<(Binder, bool)>>,
    pub(super) holes: Vec<Option<Term>>,
    /// Whether operators are drawn that no table has.
    own_operators: bool,
    /// Holes that satisfy the laws that are asked of them by the way they were drawn.
    satisfied: Vec<bool>,
}

impl<'a> Drawn<'a> {
    fn new(rule: &'a RuleDecl, types: TySubst, g: &mut Generator) -> Drawn<'a> {
        // Free variables of the instance: one for each data hole and two more.
        let mut params: Vec<Ty> = rule
            .holes
            .iter()
            .map(|h| types.ty(h.ty))
            .filter(|t| !t.is_fun() && !t.has_meta())
            .collect();
        params.extend([g.data_type(1), g.data_type(0)]);
        let scopes = scope::usable(rule)
            .into_iter()
            .map(|s| {
                let typed = |((name, ty), may): (Binder, bool)| ((name, types.ty(ty)), may);
                s.into_iter().map(typed).collect()
            })
            .collect();
        Drawn {
            rule,
            types,
            params,
            scopes,
            holes: vec![None; rule.holes.len()],
            own_operators: false,
            satisfied: vec![false; rule.holes.len()],
        }
    }

    /// Draws the holes of which no condition asks anything.
    fn others(&mut self, g: &mut Generator) {
        for h in 0..self.rule.holes.len() {
            if self.holes[h].is_none() && !self.rule.holes[h].computed {
                self.holes[h] = Some(self.random(h, g));
            }
        }
    }

    pub(super) fn ty(&self, hole: usize) -> Ty {
        self.types.ty(self.rule.holes[hole].ty)
    }

    fn binders(&self, hole: usize) -> Vec<Binder> {
        self.scopes[hole].iter().map(|b| b.0).collect()
    }

    fn random(&self, hole: usize, g: &mut Generator) -> Term {
        let mut scope: Scope = self.params.iter().map(|t| Some(*t)).collect();
        let usable = self.scopes[hole].iter();
        scope.extend(usable.map(|((_, ty), may)| may.then_some(*ty)));
        let fuel = 1 + g.rng.below(3) as u32;
        let vectors = |c: &Cond| matches!(c, Cond::Vectorizable { f, .. } if *f as usize == hole);
        if self.rule.conds.iter().any(vectors) && !g.rng.one_in(3) {
            // Often a function that machines can vectorise, too.
            let before = g.options.exclude.clone();
            g.options.exclude.extend(NOT_LANE_WISE);
            let f = g.term(self.ty(hole), &mut scope, fuel);
            g.options.exclude = before;
            return f;
        }
        g.term(self.ty(hole), &mut scope, fuel)
    }

    /// What stands for a hole, chosen by a comparison of a binder's variable with itself.
    fn mentioning(&self, hole: usize, binder: usize) -> Option<Term> {
        let scope = &self.scopes[hole];
        let ((_, ty), _) = *scope.get(binder)?;
        let chosen = self.holes[hole].clone()?;
        let (args, _) = chosen.ty().uncurried();
        let depth = args.len() as u32;
        let v = Term::var((scope.len() - 1 - binder) as u32 + depth, ty);
        let same = call(Op::Eq, [], [v.clone(), v])?;
        let given = (0..depth).map(|i| Term::var(depth - 1 - i, args[i as usize]));
        let value = Term::apps(chosen.shift(depth as i32), given);
        let body = call(Op::Select, [], [same, value.clone(), value])?;
        let whole = args.iter().rev();
        Some(whole.fold(body, |body, t| Term::lam(None, *t, body)))
    }

    /// The hole that an operand of a condition is.
    fn operand(t: &Term) -> Option<usize> {
        match t.kind() {
            Kind::Hole(h) => Some(*h as usize),
            _ => None,
        }
    }

    /// Draws the holes of which a condition asks laws.
    fn lawful(&mut self, cond: &Cond, g: &mut Generator) -> Option<()> {
        let Some(claim) = cond.claim() else {
            return Some(());
        };
        match (claim.law.form, &claim.operands[..]) {
            (Form::Property(_), [op]) => self.operator(op, g),
            (Form::Identity, [e, op]) => {
                self.operator(op, g)?;
                if Self::operand(op).is_some_and(|h| self.satisfied[h]) {
                    return Some(());
                }
                let op = self.side(op)?;
                let hole = Self::operand(e).filter(|h| self.holes[*h].is_none());
                if let Some(h) = hole {
                    let known = algebra::recognise(&op)?;
                    self.holes[h] = Some(known.identity(Floats::Reassociate)?);
                }
                Some(())
            }
            (Form::Accumulates, [op, by]) => {
                let Some(h) = Self::operand(op).filter(|h| self.holes[*h].is_none()) else {
                    return Some(());
                };
                self.holes[h] = Some(self.accumulator(h, by, g)?);
                Some(())
            }
            (Form::Equal, [op, by]) => {
                if let Some(h) = Self::operand(op).filter(|h| self.holes[*h].is_none()) {
                    self.holes[h] = Some(self.side(by)?);
                }
                Some(())
            }
            _ => None,
        }
    }

    fn operator(&mut self, op: &Term, g: &mut Generator) -> Option<()> {
        if let Some(h) = Self::operand(op).filter(|h| self.holes[*h].is_none()) {
            let (t, _) = self.ty(h).as_fun()?;
            if self.own_operators {
                return self.own_operator(h, t, g);
            }
            let asked = self.asked(h);
            self.holes[h] = Some(monoid(t, asked, g)?);
        }
        Some(())
    }

    /// The properties that conditions ask of an operator.
    fn asked(&self, h: usize) -> Properties {
        algebra::properties_of(self.rule.claims(), |o| Self::operand(o) == Some(h))
    }

    /// An operator with the laws that all conditions together ask of it, and its identity.
    fn own_operator(&mut self, h: usize, t: Ty, g: &mut Generator) -> Option<()> {
        let is = |o: &Term| Self::operand(o) == Some(h);
        let mut asked = Asked {
            properties: self.asked(h),
            ..Asked::default()
        };
        let mut identities = Vec::new();
        for claim in self.rule.claims() {
            let (Form::Identity, [e, o]) = (claim.law.form, &claim.operands[..]) else {
                continue;
            };
            if is(o) {
                asked.identity = match (Self::operand(e), e.kind()) {
                    (Some(e), _) if self.holes[e].is_none() => {
                        identities.push(e);
                        Identity::Any
                    }
                    (None, Kind::Lit(l)) => Identity::Is(*l),
                    _ => return None,
                };
            }
        }
        let (op, identity) = lawful::operator(t, &asked, g)?;
        self.holes[h] = Some(op);
        self.satisfied[h] = true;
        for e in identities {
            self.holes[e] = Some(identity.clone()?);
        }
        Some(())
    }

    /// `\a -> \y -> by a (g y)` for a random `g`, in either order.
    fn accumulator(&self, hole: usize, by: &Term, g: &mut Generator) -> Option<Term> {
        let (acc, rest) = self.ty(hole).as_fun()?;
        let (elem, result) = rest.as_fun()?;
        let mut scope: Scope = self.params.iter().map(|t| Some(*t)).collect();
        let usable = self.scopes[hole].iter();
        scope.extend(usable.map(|((_, ty), may)| may.then_some(*ty)));
        // The accumulator itself must not occur in what is added to it.
        scope.extend([None, Some(elem)]);
        let added = g.term(result, &mut scope, 2);
        let mut args = [Term::var(1, acc), added];
        if g.rng.one_in(2) {
            args.reverse();
        }
        let sum = match by.kind() {
            // A primitive that is written in a condition has no type of its own.
            Kind::Prim(p) => call(p.op(), p.sizes(), args)?,
            _ => Term::apps(self.side(by)?.shift(2), args),
        };
        Some(Term::lam(None, acc, Term::lam(None, elem, sum)))
    }

    /// Defines the holes that a condition computes from others.
    fn compute(&mut self, cond: &Cond) -> Option<()> {
        let Cond::Vectorizable { f, fv, lanes } = cond else {
            return Some(());
        };
        let (f, fv) = (*f as usize, *fv as usize);
        let scalar = self.holes[f].clone()?;
        let wide = lane_by_lane(&scalar, self.types.nat(*lanes))?;
        (wide.ty() == self.ty(fv)).then_some(())?;
        self.scopes[fv] = self.scopes[f].clone();
        self.holes[fv] = Some(wide);
        Some(())
    }

    fn law_holds(&self, cond: &Cond) -> bool {
        let Some(claim) = cond.claim() else {
            return true;
        };
        let satisfied = |t: &Term| Self::operand(t).is_some_and(|h| self.satisfied[h]);
        if claim.law.form != Form::Accumulates && claim.operands.last().is_some_and(satisfied) {
            return true;
        }
        // What stands for a hole is looked at where it stands.
        let side = |t: &Term| match Self::operand(t) {
            Some(h) => self.holes[h].clone(),
            None => self.side(t),
        };
        claim.try_map(side).is_some_and(|c| c.holds(true))
    }

    /// A side of the rule with types and holes put in.
    fn side(&self, t: &Term) -> Option<Term> {
        self.put(t, &mut Vec::new())
    }

    fn put(&self, t: &Term, scope: &mut Vec<Binder>) -> Option<Term> {
        let ty = self.types.ty(t.ty());
        Some(match t.kind() {
            Kind::Var(i) => Term::var(*i, ty),
            Kind::Prim(p) => Term::prim(p.map_nats(&mut |n| self.types.nat(n)), ty),
            Kind::Lit(Lit::Size(n)) => Term::lit(Lit::Size(self.types.nat(*n)), ty),
            Kind::Lit(l) => Term::lit(*l, ty),
            Kind::App(f, x) => Term::app(self.put(f, scope)?, self.put(x, scope)?),
            Kind::Lam(name, body) => {
                let (arg, _) = ty.as_fun()?;
                scope.push((*name, arg));
                let body = self.put(body, scope);
                scope.pop();
                Term::lam(*name, arg, body?)
            }
            Kind::Hole(h) => {
                let h = *h as usize;
                scope::rename(self.holes[h].as_ref()?, &self.binders(h), scope)?
            }
        })
    }
}

/// An operator on any data type that is associative, commutative and has an
/// identity, and has other properties if asked: one of the table on scalars and vectors, by part on the rest.
fn monoid(t: Ty, asked: Properties, g: &mut Generator) -> Option<Term> {
    let both = |body: Term| Term::lam(None, t, Term::lam(None, t, body));
    let (x, y) = (Term::var(1, t), Term::var(0, t));
    let wanted = asked.and(Property::Associative).and(Property::Commutative);
    match t.kind() {
        TyKind::Scalar(s) => {
            let all: Vec<Term> = algebra::operators(s, Floats::Reassociate)
                .into_iter()
                .filter(|(_, f)| f.properties.contain(wanted) && !f.left.is_empty())
                .map(|(op, _)| op)
                .collect();
            (!all.is_empty()).then(|| g.rng.pick(&all).clone())
        }
        TyKind::Vec(_, e) => {
            let scalar = monoid(e, asked, g)?;
            let (p, _) = scalar.as_prim_app()?;
            call_as(p.op(), [], [], Ty::funs([t, t], t))
        }
        TyKind::Pair(a, b) => {
            let part = |op: Op, f: Term| {
                let of = |v: &Term| call(op, [], [v.clone()]);
                Some(Term::apps(f, [of(&x)?, of(&y)?]))
            };
            let left = part(Op::Fst, monoid(a, asked, g)?)?;
            let right = part(Op::Snd, monoid(b, asked, g)?)?;
            Some(both(call(Op::Pair, [], [left, right])?))
        }
        TyKind::Array(_, e) => {
            let f = monoid(e, asked, g)?;
            let z = Term::var(0, Ty::pair(e, e));
            let parts = [
                call(Op::Fst, [], [z.clone()])?,
                call(Op::Snd, [], [z.clone()])?,
            ];
            let each = Term::lam(None, z.ty(), Term::apps(f, parts));
            Some(both(call(Op::Map, [], [each, call(Op::Zip, [], [x, y])?])?))
        }
        TyKind::Idx(_) | TyKind::Fun(..) | TyKind::Meta(_) => None,
    }
}

/// The function on vectors that applies `f` to each lane:
/// `\u -> at[0] (asVector (map f (asScalar (fill[1] u))))`, for any number of
/// arguments of flat types.
fn lane_by_lane(f: &Term, lanes: crate::arith::Nat) -> Option<Term> {
    let (args, result) = f.ty().uncurried();
    let flat = args.iter().chain([&result]).all(|t| t.is_flat());
    flat.then_some(())?;
    let n = args.len() as u32;
    let wide = |t: Ty| Ty::vec(lanes, t);
    if n == 0 {
        return call_as(Op::VectorFromScalar, [], [f.clone()], wide(result));
    }
    // All arguments as one array of nested pairs, the last argument outermost.
    let scalars = |i: u32| {
        let v = Term::var(n - 1 - i, wide(args[i as usize]));
        call(Op::AsScalar, [], [call(Op::Fill, [1.into()], [v])?])
    };
    let mut all = scalars(0)?;
    for i in 1..n {
        all = call(Op::Zip, [], [all, scalars(i)?])?;
    }
    let (_, packed) = all.ty().as_array()?;
    let mut parts = Vec::new();
    let mut rest = Term::var(0, packed);
    for _ in 1..n {
        parts.push(call(Op::Snd, [], [rest.clone()])?);
        rest = call(Op::Fst, [], [rest])?;
    }
    parts.push(rest);
    parts.reverse();
    let body = Term::apps(f.shift(n as i32 + 1), parts);
    let mapped = call(Op::Map, [], [Term::lam(None, packed, body), all])?;
    let vectors = call(Op::AsVector, [lanes], [mapped])?;
    let body = call(Op::At, [0.into()], [vectors])?;
    let lam = |body, arg: &Ty| Term::lam(None, wide(*arg), body);
    Some(args.iter().rev().fold(body, lam))
}
