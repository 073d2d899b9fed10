//! Instances of a declared rule, on plain terms.
//!
//! Comes in: a declaration, a term, what side conditions compute; goes out: what
//! the term becomes, or why the rule does not allow it. Pattern variables move
//! from binder to binder by name: one that would lose a variable is refused, so
//! every `x not in e` is checked whether it is written or not. Written for the
//! checker alone: the matcher of the search is another.

use super::lanes;
use super::types::Unknowns;
use crate::algebra::Claim;
use crate::arith::{Nat, Rat};
use crate::elab::{Cond, Rel, RuleDecl};
use crate::intern::Symbol;
use crate::term::{Kind, Lit, Term};
use crate::ty::TySubst;

/// How a rule applies to a term.
#[derive(Clone, Debug)]
pub struct Instance {
    /// What the pattern variables stand for, each under the binders of its first
    /// place on the left side.
    pub holes: Vec<Term>,
    /// What the unknown types and sizes stand for.
    pub types: TySubst,
    /// The right side.
    pub to: Term,
    /// The laws that the rule asks for.
    pub laws: Vec<Rests>,
}

/// A law that a step rests on.
#[derive(Clone, Debug)]
pub struct Rests {
    /// Of which operators.
    pub claim: Claim<Term>,
    /// Whether it holds by the permission to reassociate alone.
    pub permitted: bool,
}

/// Names of the binders around a place in a rule, outermost first.
type Scope = Vec<Option<Symbol>>;

struct Hole {
    term: Term,
    scope: Scope,
}

/// Applies a rule at explicit sizes to the whole of a term. `computed` has a term
/// for each pattern variable that a side condition computes, `reassociate` is the
/// permission to regroup floats.
pub fn instance(
    rule: &RuleDecl,
    sizes: &[Nat],
    from: &Term,
    computed: &[(u32, Term)],
    reassociate: bool,
) -> Result<Instance, String> {
    let mut matching = Matching {
        unknowns: Unknowns::given(sizes),
        holes: rule.holes.iter().map(|_| None).collect(),
        scope: Scope::new(),
    };
    matching.term(&rule.lhs, from)?;
    let Matching {
        mut unknowns,
        mut holes,
        ..
    } = matching;
    for (i, term) in computed {
        let decl = rule.holes.get(*i as usize).filter(|h| h.computed);
        let decl = decl.ok_or("something is computed that no side condition computes")?;
        let source = rule.conds.iter().find_map(|c| match c {
            Cond::Vectorizable { f, fv, .. } if fv == i => Some(*f as usize),
            _ => None,
        });
        let source = source.and_then(|f| holes[f].as_ref());
        let scope = source.map_or(Scope::new(), |h| h.scope.clone());
        if !unknowns.ty(decl.ty, term.ty()) {
            return Err(format!("what stands for `{}` has another type", decl.name));
        }
        holes[*i as usize] = Some(Hole {
            term: term.clone(),
            scope,
        });
    }
    let types = (unknowns.solved()).ok_or("the sizes do not fit the left side")?;
    let known = |n: &u32| types.nats.contains_key(n);
    if !(0..rule.nats).all(|n| known(&n)) {
        return Err("a size of the rule is not decided".to_string());
    }
    for (i, class) in rule.tys.iter().enumerate() {
        let ty = types.tys.get(&(i as u32));
        let ty = ty.ok_or("a type of the rule is not decided")?;
        if class.is_some_and(|c| !c.admits(*ty)) {
            return Err(format!("the rule does not work on the type {ty}"));
        }
    }
    let mut bound = Vec::new();
    for (hole, decl) in holes.into_iter().zip(&rule.holes) {
        bound.push(hole.ok_or_else(|| format!("nothing stands for `{}`", decl.name))?);
    }
    let mut laws = Vec::new();
    for cond in &rule.conds {
        laws.extend(holds(rule, cond, &bound, &types, reassociate)?);
    }
    let mut building = Building {
        rule,
        holes: &bound,
        types: &types,
        scope: Scope::new(),
    };
    let to = building.term(&rule.rhs)?;
    if to.ty() != from.ty() {
        return Err("the sides have different types".to_string());
    }
    Ok(Instance {
        holes: bound.into_iter().map(|h| h.term).collect(),
        types,
        to,
        laws,
    })
}

struct Matching {
    unknowns: Unknowns,
    holes: Vec<Option<Hole>>,
    scope: Scope,
}

impl Matching {
    fn term(&mut self, pattern: &Term, t: &Term) -> Result<(), String> {
        let differs = || {
            Err(format!(
                "the left side has `{pattern}` where the term has `{t}`"
            ))
        };
        if !self.unknowns.ty(pattern.ty(), t.ty()) {
            return differs();
        }
        match (pattern.kind(), t.kind()) {
            (Kind::Hole(h), _) => self.hole(*h as usize, t),
            (Kind::App(f, x), Kind::App(g, y)) => {
                self.term(f, g)?;
                self.term(x, y)
            }
            (Kind::Lam(name, a), Kind::Lam(_, b)) => {
                self.scope.push(*name);
                self.term(a, b)?;
                self.scope.pop();
                Ok(())
            }
            (Kind::Var(i), Kind::Var(j)) if i == j => Ok(()),
            (Kind::Prim(p), Kind::Prim(q)) if self.unknowns.prim(*p, *q) => Ok(()),
            (Kind::Lit(l), Kind::Lit(m)) if self.unknowns.lit(*l, *m) => Ok(()),
            _ => differs(),
        }
    }

    fn hole(&mut self, h: usize, t: &Term) -> Result<(), String> {
        let Some(first) = &self.holes[h] else {
            self.holes[h] = Some(Hole {
                term: t.clone(),
                scope: self.scope.clone(),
            });
            return Ok(());
        };
        match moved(t, &self.scope, &first.scope) {
            Ok(again) if again == first.term => Ok(()),
            _ => Err(format!(
                "a pattern variable stands for `{}` and for `{t}`",
                first.term
            )),
        }
    }
}

/// A term under the binders `from`, put under the binders `to`: variables follow
/// the names of their binders, those of outside stay. `Err` has the name that is
/// not there.
fn moved(t: &Term, from: &Scope, to: &Scope) -> Result<Term, String> {
    let (inner, outer) = (from.len() as u32, to.len() as u32);
    let mut lost = None;
    let result = t.map_free(&mut |i, ty| {
        if i >= inner {
            return Term::var(i - inner + outer, ty);
        }
        let at = (inner - 1 - i) as usize;
        let name = from[at].filter(|n| !from[at + 1..].contains(&Some(*n)));
        match to.iter().rposition(|n| n.is_some() && *n == name) {
            Some(place) => Term::var(outer - 1 - place as u32, ty),
            None => {
                lost = Some(from[at].map_or("_".to_string(), |n| n.to_string()));
                Term::var(0, ty)
            }
        }
    });
    lost.map_or(Ok(result), Err)
}

struct Building<'a> {
    rule: &'a RuleDecl,
    holes: &'a [Hole],
    types: &'a TySubst,
    scope: Scope,
}

impl Building<'_> {
    fn term(&mut self, pattern: &Term) -> Result<Term, String> {
        let ty = self.types.ty(pattern.ty());
        if ty.has_meta() || ty.is_never() {
            return Err(format!("the right side would have a part of type {ty}"));
        }
        Ok(match pattern.kind() {
            Kind::Hole(h) => {
                let hole = &self.holes[*h as usize];
                let name = self.rule.holes[*h as usize].name;
                let there = moved(&hole.term, &hole.scope, &self.scope)
                    .map_err(|x| format!("`{x}` occurs in what `{name}` stands for"))?;
                if there.ty() != ty {
                    return Err(format!("`{name}` has another type on the right side"));
                }
                there
            }
            Kind::App(f, x) => {
                let (f, x) = (self.term(f)?, self.term(x)?);
                if f.ty().as_fun().map(|(arg, _)| arg) != Some(x.ty()) {
                    return Err("the right side would not be well typed".to_string());
                }
                Term::app(f, x)
            }
            Kind::Lam(name, b) => {
                let (arg, _) = ty.as_fun().ok_or("a lambda that is no function")?;
                self.scope.push(*name);
                let body = self.term(b)?;
                self.scope.pop();
                Term::lam(*name, arg, body)
            }
            Kind::Var(i) => Term::var(*i, ty),
            Kind::Prim(p) => Term::prim(p.map_nats(&mut |n| self.types.nat(n)), ty),
            Kind::Lit(Lit::Size(n)) => Term::lit(Lit::Size(self.types.nat(*n)), ty),
            Kind::Lit(l) => Term::lit(*l, ty),
        })
    }
}

/// Whether a condition holds; the law, if it is one.
fn holds(
    rule: &RuleDecl,
    cond: &Cond,
    holes: &[Hole],
    types: &TySubst,
    reassociate: bool,
) -> Result<Option<Rests>, String> {
    let name = |h: u32| rule.holes[h as usize].name;
    let fill = |t: &Term| {
        let t = t.map_types(&mut |t| types.ty(t), &mut |n| types.nat(n));
        filled(&t, holes)
    };
    let demand =
        |holds: bool, what: &dyn Fn() -> String| if holds { Ok(None) } else { Err(what()) };
    match cond {
        Cond::NotFree { var, hole } => {
            let hole_ = &holes[*hole as usize];
            let depth = hole_.scope.len();
            let occurs = |i: usize| hole_.term.mentions((depth - 1 - i) as u32);
            let found = (0..depth).any(|i| hole_.scope[i] == Some(*var) && occurs(i));
            demand(!found, &|| format!("`{var}` occurs in `{}`", name(*hole)))
        }
        Cond::Divides(k, n) => {
            let (k, n) = (types.nat(*k), types.nat(*n));
            let q = n.exact_div(k);
            let whole = q.as_rat().is_none_or(|r| r.as_int().is_some());
            demand(whole && !q.is_overflow(), &|| {
                format!("{k} does not divide {n}")
            })
        }
        // Among the obligations of the step.
        Cond::Assume(_) => Ok(None),
        Cond::Compare(a, rel, b) => {
            let (a, b) = (types.nat(*a), types.nat(*b));
            let by = (a - b).as_rat();
            let known = match rel {
                Rel::Eq => a == b,
                Rel::Ne => a != b,
                // Sizes are whole: less by a fraction is not less for a proof.
                Rel::Lt => by.is_some_and(|d| d <= Rat::int(-1)),
                Rel::Le => by.is_some_and(|d| d <= Rat::ZERO),
                Rel::Gt => by.is_some_and(|d| d >= Rat::ONE),
                Rel::Ge => by.is_some_and(|d| d >= Rat::ZERO),
            };
            demand(known, &|| {
                format!("{a} and {b} are not related as the rule asks")
            })
        }
        Cond::Data(t) => {
            let ty = types.ty(*t);
            demand(!ty.is_fun(), &|| format!("{ty} is a function"))
        }
        Cond::Flat(t) => {
            let ty = types.ty(*t);
            demand(ty.is_flat(), &|| format!("{ty} is not flat"))
        }
        Cond::Law(claim) | Cond::Determined { claim, .. } => {
            let claim = claim.try_map(&fill);
            let claim = claim.ok_or("an operator that depends on a variable")?;
            match (claim.holds(false), claim.holds(true)) {
                (true, _) => Ok(Some(Rests {
                    claim,
                    permitted: false,
                })),
                (_, true) if reassociate => Ok(Some(Rests {
                    claim,
                    permitted: true,
                })),
                (_, true) => Err(format!(
                    "`{claim}` is not known without the permission to reassociate floats"
                )),
                _ => Err(format!("`{claim}` is not known")),
            }
        }
        Cond::Vectorizable { f, fv, lanes } => {
            let [scalar, vector] = [f, fv].map(|h| &holes[*h as usize].term);
            let k = types.nat(*lanes);
            demand(lanes::lane_by_lane(scalar, vector, k), &|| {
                format!("`{vector}` is not `{scalar}` on {k} lanes")
            })
        }
    }
}

/// The operand of a condition, if it depends on no variable of the left side.
fn filled(t: &Term, holes: &[Hole]) -> Option<Term> {
    Some(match t.kind() {
        Kind::Hole(h) => holes[*h as usize].term.clone(),
        Kind::App(f, x) => Term::app(filled(f, holes)?, filled(x, holes)?),
        Kind::Prim(_) | Kind::Lit(_) => t.clone(),
        Kind::Lam(..) => {
            let mut whole = t.open() == 0;
            t.visit(&mut |t, _| whole &= !matches!(t.kind(), Kind::Hole(_)));
            return whole.then(|| t.clone());
        }
        Kind::Var(_) => return None,
    })
}
