//! From a declared rule to one that can be searched and applied.
//!
//! Note [Scopes]: a hole under binders stands for a class that may mention
//! them. Where the right side puts it under other binders, each left binder is
//! renamed to the right binder of the same name. A left binder whose name is
//! not in scope at some right-hand occurrence must not occur in what the hole
//! matched: every `x not in e` follows from that, so none can be forgotten.

use super::condition::SizeCondition;
use super::typing::{Typing, Wanted};
use super::{BuildStep, Law, Rewrite, Rule};
use crate::algebra::Claim;
use crate::egraph::{Heads, Occurrence, Pattern, Reg, Renaming};
use crate::elab::{Cond, RuleDecl, RuleUse};
use crate::intern::Symbol;
use crate::term::{Kind, Term};
use rustc_hash::FxHashSet;
use std::cell::Cell;

pub(super) type Scope = Vec<Option<Symbol>>;

/// Compiles the rules of a step. With `applied` they are those of
/// [`with_applied`](super::with_applied).
pub fn compile_all(rules: &[RuleUse], heads: &Heads, nesting: u32, applied: bool) -> Vec<Rewrite> {
    let compile = |used: &RuleUse| {
        let mut rule = compile(used, heads, nesting);
        rule.has_applied = applied && super::applied(&used.rule).is_some();
        Rewrite::Rule(Box::new(rule))
    };
    rules.iter().map(compile).collect()
}

/// Compiles a rule at its explicit sizes.
pub fn compile(used: &RuleUse, heads: &Heads, nesting: u32) -> Rule {
    let decl = &*used.rule;
    let rhs_scopes = rhs_scopes(decl);
    let forbidden = |hole: usize, here: &Occurrence| forbidden(decl, &rhs_scopes, hole, here);
    let pattern = Pattern::new(&decl.lhs, decl.holes.len(), heads, &forbidden);

    let mut builder = Builder {
        decl,
        pattern: &pattern,
        steps: Vec::new(),
        wanted: Wanted::default(),
        scope: Vec::new(),
    };
    builder.make(&decl.rhs);
    let Builder {
        steps, mut wanted, ..
    } = builder;

    let mut conditions = Vec::new();
    let mut laws = Vec::new();
    for cond in &decl.conds {
        match cond {
            // Part of the pattern, see `forbidden`; and what a match is obliged to.
            Cond::NotFree { .. } | Cond::Assume(_) => {}
            Cond::Divides(k, n) => conditions.push(SizeCondition::Divides(*k, *n)),
            Cond::Compare(a, rel, b) => conditions.push(SizeCondition::Compare(*a, *rel, *b)),
            Cond::Data(t) => conditions.push(SizeCondition::Data(*t)),
            Cond::Flat(t) => conditions.push(SizeCondition::Flat(*t)),
            Cond::Law(claim) => {
                let first = wanted.operands.len();
                wanted.operands.extend(claim.operands.iter().cloned());
                laws.push(Law::Claim(Claim {
                    law: claim.law,
                    operands: (first..wanted.operands.len()).collect(),
                }));
            }
            Cond::Determined { claim, e } => {
                wanted.operands.push(claim.operands[1].clone());
                laws.push(Law::Determined {
                    op: wanted.operands.len() - 1,
                    e: *e as usize,
                });
            }
            Cond::Vectorizable { f, fv, lanes } => {
                let lanes_at = wanted.nats.len();
                wanted.nats.push(*lanes);
                laws.push(Law::Vectorizable {
                    f: *f as usize,
                    fv: *fv as usize,
                    lanes_at,
                });
            }
        }
    }
    wanted.obliged = decl.open_obligations(&used.args);
    let own_size = (steps.iter())
        .map(|s| match s {
            BuildStep::Hole { .. } => 0,
            BuildStep::Prim { prim, .. } => wanted.prims[*prim].size(),
            _ => 1,
        })
        .sum();
    let mut name = decl.name.to_string();
    if !used.args.is_empty() {
        let args: Vec<_> = used.args.iter().map(|n| n.to_string()).collect();
        name = format!("{name}[{}]", args.join(", "));
    }
    let typing = Typing::new(
        pattern.evidence.clone(),
        used.args.clone(),
        decl.tys.clone(),
        conditions,
        wanted,
        nesting,
    );
    Rule {
        name,
        again: repeated(&pattern),
        pattern,
        typing,
        steps,
        sources: (0..decl.holes.len()).map(|h| source(decl, h)).collect(),
        laws,
        own_size,
        has_applied: false,
        unpermitted: Cell::default(),
    }
}

/// For every hole the scopes of its occurrences on the right side. What a side
/// condition computes from a hole counts as an occurrence of that hole.
pub(super) fn rhs_scopes(decl: &RuleDecl) -> Vec<Vec<Scope>> {
    fn walk(t: &Term, scope: &mut Scope, out: &mut [Vec<Scope>]) {
        match t.kind() {
            Kind::Hole(h) => out[*h as usize].push(scope.clone()),
            Kind::App(f, x) => {
                walk(f, scope, out);
                walk(x, scope, out);
            }
            Kind::Lam(name, b) => {
                scope.push(*name);
                walk(b, scope, out);
                scope.pop();
            }
            _ => {}
        }
    }
    let mut out = vec![Vec::new(); decl.holes.len()];
    walk(&decl.rhs, &mut Vec::new(), &mut out);
    for cond in &decl.conds {
        if let Cond::Vectorizable { f, fv, .. } = cond {
            let scopes = out[*fv as usize].clone();
            out[*f as usize].extend(scopes);
        }
    }
    out
}

/// Variables that what the hole matches here must not mention, as bits.
pub(super) fn forbidden(
    decl: &RuleDecl,
    rhs: &[Vec<Scope>],
    hole: usize,
    here: &Occurrence,
) -> u64 {
    let depth = here.scope.len();
    let mut mask = 0;
    for (i, name) in here.scope.iter().enumerate() {
        let index = depth - 1 - i;
        let shadowed = name.is_none() || here.scope[i + 1..].contains(name);
        let lost = |s: &Scope| shadowed || !s.contains(name);
        let written = |c: &Cond| matches!(c, Cond::NotFree { var, hole: h } if *h as usize == hole && Some(*var) == *name);
        if rhs[hole].iter().any(lost) || (!shadowed && decl.conds.iter().any(written)) {
            mask |= 1 << index.min(63);
        }
    }
    mask
}

struct Builder<'a> {
    decl: &'a RuleDecl,
    pattern: &'a Pattern,
    /// In post-order; operands are named by their place.
    steps: Vec<BuildStep>,
    wanted: Wanted,
    scope: Scope,
}

impl Builder<'_> {
    fn make(&mut self, t: &Term) -> usize {
        let ty = self.wanted.tys.len();
        self.wanted.tys.push(t.ty());
        let make = match t.kind() {
            Kind::Hole(h) => BuildStep::Hole {
                hole: *h as usize,
                renaming: self.renaming(*h),
            },
            Kind::Var(index) => BuildStep::Var { index: *index, ty },
            Kind::Lit(l) => {
                self.wanted.lits.push(*l);
                let lit = self.wanted.lits.len() - 1;
                BuildStep::Lit { lit, ty }
            }
            Kind::Prim(p) => {
                self.wanted.prims.push(*p);
                let prim = self.wanted.prims.len() - 1;
                BuildStep::Prim { prim, ty }
            }
            Kind::App(f, x) => {
                let f = self.make(f);
                let x = self.make(x);
                BuildStep::App { f, x, ty }
            }
            Kind::Lam(name, b) => {
                self.scope.push(*name);
                let body = self.make(b);
                self.scope.pop();
                // An η-redex that was written is meant to stay one.
                let keep = b.is_eta_body();
                BuildStep::Lam { body, keep, ty }
            }
        };
        self.steps.push(make);
        self.steps.len() - 1
    }

    fn renaming(&self, hole: u32) -> Renaming {
        let left = self.pattern.holes[source(self.decl, hole as usize)].first();
        // What a law determines is closed, and the same everywhere.
        left.map_or_else(Renaming::default, |left| renaming(&left.scope, &self.scope))
    }
}

/// The hole that a side condition computes a hole from; itself for any other.
fn source(decl: &RuleDecl, hole: usize) -> usize {
    let from = decl.conds.iter().find_map(|c| match c {
        Cond::Vectorizable { f, fv, .. } if *fv as usize == hole => Some(*f as usize),
        _ => None,
    });
    from.unwrap_or(hole)
}

/// Renames variables from one scope to another by the names of binders.
pub(super) fn renaming(from: &Scope, to: &Scope) -> Renaming {
    let depth = from.len();
    let names = (0..depth)
        .map(|i| {
            let name = from[depth - 1 - i]?;
            let shadowed = from[depth - i..].contains(&Some(name));
            let place = to.iter().rposition(|n| *n == Some(name))?;
            (!shadowed).then_some((to.len() - 1 - place) as u32)
        })
        .collect();
    Renaming {
        names,
        delta: to.len() as i32 - depth as i32,
    }
}

/// Occurrences of a hole in another scope than its first.
fn repeated(pattern: &Pattern) -> Vec<(usize, Reg, Renaming)> {
    let mut out = Vec::new();
    for (hole, occurrences) in pattern.holes.iter().enumerate() {
        let Some((first, rest)) = occurrences.split_first() else {
            continue;
        };
        for o in rest.iter().filter(|o| o.scope != first.scope) {
            out.push((hole, o.reg, renaming(&o.scope, &first.scope)));
        }
    }
    out
}

/// Operations that the left sides look for, for [`Heads`].
pub fn heads(rules: &[RuleUse]) -> Heads {
    Heads::new(crate::egraph::sought_ops(rules.iter().map(|r| &r.rule.lhs)))
}

/// Rules that are used twice with the same sizes count once. A rule is known by
/// where it is declared: two files may use one name for different rules.
pub fn distinct(rules: &[RuleUse]) -> Vec<RuleUse> {
    let mut seen = FxHashSet::default();
    let new = |r: &&RuleUse| seen.insert((r.rule.span, r.args.clone()));
    rules.iter().filter(new).cloned().collect()
}
