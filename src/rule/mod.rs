//! Rules: compiled from declarations, searched in a view, applied to a graph.
//!
//! Comes in: a typed declaration; goes out: matches and applications, with a
//! count of what was refused. Invariants: what is added has the type of what it
//! replaces; a hole never takes a variable out of its scope (`Note [Scopes]` in
//! `compile`); nothing is added whose type or size the limits exclude, so that
//! no class ever has to be deleted. β and η are rules of this module too.
//! Absent: the order in which rules are tried, limits on time and memory.

mod applied;
mod compile;
pub mod condition;
pub mod instance;
pub mod near;
mod typing;
mod vectorize;

pub use applied::{applied, with_applied};
pub use compile::{compile, compile_all, distinct, heads};
pub use vectorize::obstacle;

use crate::algebra::{self, Claim};
use crate::arith::Nat;
use crate::egraph::{
    Class, Evidence, Graph, Heads, Id, LitId, Node, Patience, Pattern, Reg, Renaming, Shape, View,
};
use crate::obligation::Assumption;
use crate::term::{Kind, Term};
use crate::ty::TySubst;
use smallvec::SmallVec;
use std::cell::Cell;
use typing::{InstanceId, Key, Refusal, Typing};

/// A compiled rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Name with explicit sizes.
    pub name: String,
    pattern: Pattern,
    typing: Typing,
    steps: Vec<BuildStep>,
    laws: Vec<Law>,
    /// Occurrences of holes in another scope than their first, with how to get
    /// from there to the first.
    again: Vec<(usize, Reg, Renaming)>,
    /// For each hole the one whose size it has: itself, or what a side condition
    /// computes it from.
    sources: Vec<usize>,
    /// Nodes of the right side that are not holes.
    own_size: u32,
    /// Whether the next rule says the same of what the left side is applied to.
    has_applied: bool,
    /// Whether a match was refused for nothing but a law that holds with the permission to regroup floats.
    unpermitted: Cell<bool>,
}

/// One node of a right side. Operands are places in the list of steps; `ty`,
/// `prim` and `lit` are places in the instance.
#[derive(Clone, Debug)]
enum BuildStep {
    Hole { hole: usize, renaming: Renaming },
    Var { index: u32, ty: usize },
    Lam { body: usize, keep: bool, ty: usize },
    App { f: usize, x: usize, ty: usize },
    Prim { prim: usize, ty: usize },
    Lit { lit: usize, ty: usize },
}

/// A side condition on what holes stand for; its operands are places in the instance.
#[derive(Clone, Debug)]
enum Law {
    Claim(Claim<usize>),
    /// The hole `e` is the identity of the operator.
    Determined {
        op: usize,
        e: usize,
    },
    Vectorizable {
        f: usize,
        fv: usize,
        lanes_at: usize,
    },
}

/// Matches of one rule, flat: each takes `stride` numbers.
#[derive(Clone, Debug, Default)]
pub struct Matches {
    /// root, instance, classes of the holes in order, classes of repeated holes
    data: Vec<u32>,
    stride: usize,
    /// Matches that types, sizes or limits refused.
    pub refused: u64,
    /// Of them, those that the limit on nesting refused.
    pub too_nested: u64,
    /// Of them, those that the limit on the size of terms refused.
    pub too_large: u64,
}

impl Matches {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.data.len().checked_div(self.stride).unwrap_or(0)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    fn get(&self, i: usize) -> &[u32] {
        &self.data[i * self.stride..(i + 1) * self.stride]
    }
}

/// What became of one match.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Applied {
    /// Two classes became one.
    Changed,
    /// Both sides were equal already.
    Known,
    /// A side condition refused.
    Refused,
}

/// Where rules look, and what they must not exceed.
pub struct MatchContext<'a> {
    /// The graph as of the last rebuild.
    pub view: &'a View,
    /// See [`View::contexts`].
    pub contexts: &'a [u32],
    /// Size limit of the smallest term through what is added.
    pub size: u32,
    /// Ends the search of one rule when it answers false; asked now and then.
    pub may_continue: &'a dyn Fn() -> bool,
}

impl MatchContext<'_> {
    fn live(&self, c: Class) -> bool {
        self.contexts[c as usize] != u32::MAX
    }

    fn fits(&self, root: Class, size: u32) -> bool {
        self.contexts[root as usize].saturating_add(size) <= self.size
    }
}

/// A rule of a step.
pub enum Rewrite {
    /// From a rule file.
    Rule(Box<Rule>),
    /// `(\x -> b) e  =>  b[e/x]`
    Beta,
    /// `\x -> f x  =>  f`
    Eta,
}

fn class_id(view: &View, c: Class) -> u32 {
    usize::from(view.id(c)) as u32
}

fn id(raw: u32) -> Id {
    Id::from(raw as usize)
}

impl Rewrite {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Rewrite::Rule(r) => &r.name,
            Rewrite::Beta => "beta",
            Rewrite::Eta => "eta",
        }
    }

    /// Sizes `(k, n)` where it was refused because k does not divide n.
    pub fn indivisible(&self) -> &[(Nat, Nat)] {
        match self {
            Rewrite::Rule(r) => r.typing.indivisible(),
            Rewrite::Beta | Rewrite::Eta => &[],
        }
    }

    /// Whether a match was refused because floats may not be regrouped, and for no other law.
    pub fn unpermitted(&self) -> bool {
        matches!(self, Rewrite::Rule(r) if r.unpermitted.get())
    }

    /// Whether its matches may oblige to something of sizes that the sizes of what they match do not.
    pub fn may_oblige(&self) -> bool {
        matches!(self, Rewrite::Rule(r) if r.typing.may_oblige())
    }

    /// From now on matches that oblige to more than what follows from these are refused.
    pub fn permit(&mut self, all: &[Assumption]) {
        if let Rewrite::Rule(r) = self {
            r.typing.permit(all);
        }
    }

    /// Sizes that must be whole and not negative for its matches so far to be of equals, where that is not decided.
    pub fn obliged(&self) -> impl Iterator<Item = Nat> + '_ {
        let rule = match self {
            Rewrite::Rule(r) => Some(r),
            Rewrite::Beta | Rewrite::Eta => None,
        };
        rule.into_iter().flat_map(|r| r.typing.obliged())
    }

    /// Whether the next rule of the step is the applied form of this one.
    pub fn has_applied(&self) -> bool {
        matches!(self, Rewrite::Rule(r) if r.has_applied)
    }

    /// All matches in a scene, in the order of classes.
    pub fn search(&mut self, scene: &MatchContext, graph: &Graph) -> Matches {
        match self {
            Rewrite::Rule(r) => r.search(scene),
            Rewrite::Beta => search_beta(scene, graph),
            Rewrite::Eta => search_eta(scene),
        }
    }

    /// Applies match `i`; `reassociate` is the user's permission for floats,
    /// `number` how the record of the graph names this rule.
    pub fn apply(
        &self,
        graph: &mut Graph,
        matches: &Matches,
        i: usize,
        reassociate: bool,
        number: u32,
    ) -> Applied {
        let m = matches.get(i);
        let mark = graph.begin();
        graph.note(number);
        graph.note_all(&m[1..]);
        let made = match self {
            Rewrite::Rule(r) => r.build(graph, m, reassociate),
            Rewrite::Beta => graph.instantiate(id(m[1]), id(m[2])),
            Rewrite::Eta => graph.rename(id(m[1]), &Renaming::shift(-1)),
        };
        match graph.conclude(id(m[0]), made, mark) {
            None => Applied::Refused,
            Some(true) => Applied::Changed,
            Some(false) => Applied::Known,
        }
    }
}

/// How many matches are found between two questions whether to go on: they take memory.
const ASK_EVERY: usize = 4096;

impl Rule {
    /// What the unknown types and sizes stand for in an instance that a match names.
    pub fn types(&self, instance: u32) -> Option<TySubst> {
        self.typing.substitution(instance)
    }

    /// How each pattern variable of the right side, in the order in which it is
    /// built, gets there from its first place on the left.
    pub fn renamings(&self) -> impl Iterator<Item = &Renaming> {
        self.steps.iter().filter_map(|s| match s {
            BuildStep::Hole { renaming, .. } => Some(renaming),
            _ => None,
        })
    }

    /// Pattern variables that stand on the left under other binders again, with
    /// how to get from there to the first place.
    pub fn repeated(&self) -> impl Iterator<Item = (usize, &Renaming)> {
        self.again
            .iter()
            .map(|(hole, _, renaming)| (*hole, renaming))
    }

    fn search(&mut self, scene: &MatchContext) -> Matches {
        let view = scene.view;
        let holes = self.pattern.holes.len();
        let mut out = Matches {
            stride: 2 + holes + self.again.len(),
            ..Matches::default()
        };
        let (pattern, typing, own_size) = (&self.pattern, &mut self.typing, self.own_size);
        let (steps, again, sources) = (&self.steps, &self.again, &self.sources);
        let mut key = Key::new();
        let mut patience = Patience::new(scene.may_continue);
        for root in (0..view.len() as Class).filter(|c| scene.live(*c)) {
            let on = pattern.matches(view, root, &mut patience, &mut |regs, prims| {
                key.clear();
                for e in typing.evidence() {
                    key.push(match e {
                        Evidence::Type(reg, _) => view.ty(regs[*reg]).id(),
                        Evidence::Prim(slot, _) => prims[*slot].id(),
                    });
                }
                let instance = match typing.instance(&key) {
                    Ok(instance) => instance,
                    Err(why) => {
                        out.refused += 1;
                        out.too_nested += u64::from(why == Refusal::Nesting);
                        return true;
                    }
                };
                let class = |h: usize| pattern.holes[h].first().map(|o| regs[o.reg]);
                let mut size = own_size;
                for step in steps {
                    if let BuildStep::Hole { hole, .. } = step {
                        let source = class(sources[*hole]);
                        size = size.saturating_add(source.map_or(1, |c| view.size(c)));
                    }
                }
                if !scene.fits(root, size) {
                    out.refused += 1;
                    out.too_large += 1;
                    return true;
                }
                out.data.extend([class_id(view, root), instance]);
                // What a condition computes has no class yet.
                out.data
                    .extend((0..holes).map(|h| class(h).map_or(u32::MAX, |c| class_id(view, c))));
                out.data
                    .extend(again.iter().map(|a| class_id(view, regs[a.1])));
                !out.len().is_multiple_of(ASK_EVERY) || (scene.may_continue)()
            });
            if !on {
                break;
            }
        }
        out
    }

    /// The class of the right side; `None` where a side condition refuses.
    fn build(&self, g: &mut Graph, m: &[u32], reassociate: bool) -> Option<Id> {
        let (holes, again) = m[2..].split_at(self.pattern.holes.len());
        let mut holes: SmallVec<[Id; 8]> = holes.iter().map(|c| id(*c)).collect();
        for ((hole, _, renaming), other) in self.again.iter().zip(again) {
            let other = g.rename(id(*other), renaming)?;
            (g.find(other) == g.find(holes[*hole])).then_some(())?;
        }
        if !self.laws.is_empty() {
            self.conditions_hold(g, m[1], &mut holes, reassociate)?;
        }
        let instance = self.typing.get(m[1]);
        let mut made: SmallVec<[Id; 32]> = SmallVec::new();
        for step in &self.steps {
            let class = match step {
                BuildStep::Hole { hole, renaming } => g.rename(holes[*hole], renaming)?,
                BuildStep::Var { index, ty } => {
                    g.add(Node::new(Shape::Var(*index), instance.tys[*ty]))
                }
                BuildStep::Prim { prim, ty } => g.add(Node::new(
                    Shape::Prim(instance.prims[*prim]),
                    instance.tys[*ty],
                )),
                BuildStep::Lit { lit, ty } => {
                    let lit = LitId::new(instance.lits[*lit]);
                    g.add(Node::new(Shape::Lit(lit), instance.tys[*ty]))
                }
                BuildStep::App { f, x, ty } => g.app(made[*f], made[*x], instance.tys[*ty])?,
                BuildStep::Lam { body, keep, ty } => {
                    let ty = instance.tys[*ty];
                    if *keep {
                        g.lam_as_it_is(made[*body], ty)
                    } else {
                        g.lam(made[*body], ty)?
                    }
                }
            };
            made.push(class);
        }
        made.last().copied()
    }

    fn conditions_hold(
        &self,
        g: &mut Graph,
        instance: InstanceId,
        holes: &mut [Id],
        reassociate: bool,
    ) -> Option<()> {
        let operands = &self.typing.get(instance).operands;
        for law in &self.laws {
            match law {
                Law::Claim(claim) => {
                    let claim = claim.try_map(|o| fill(g, &operands[*o], holes))?;
                    if !claim.holds(reassociate) {
                        let by_permission = !reassociate && claim.holds(true);
                        self.unpermitted
                            .set(self.unpermitted.get() || by_permission);
                        return None;
                    }
                }
                Law::Determined { op, e } => {
                    let op = fill(g, &operands[*op], holes)?;
                    holes[*e] = g.add_term(&algebra::determined(&op, reassociate)?);
                    g.note_made(holes[*e]);
                }
                Law::Vectorizable { f, fv, lanes_at } => {
                    let lanes = self.typing.get(instance).nats[*lanes_at];
                    holes[*fv] = vectorize::vectorize(g, holes[*f], lanes)?;
                }
            }
        }
        Some(())
    }
}

/// The term of a condition's operand: holes become the best terms of their classes.
fn fill(g: &mut Graph, pattern: &Term, holes: &[Id]) -> Option<Term> {
    Some(match pattern.kind() {
        Kind::Hole(h) => {
            g.note_best(holes[*h as usize]);
            g.best_well_scoped(holes[*h as usize])?
        }
        Kind::App(f, x) => Term::app(fill(g, f, holes)?, fill(g, x, holes)?),
        Kind::Prim(_) | Kind::Lit(_) => pattern.clone(),
        // An operator that the rule itself says.
        Kind::Lam(..) => return is_whole(pattern).then(|| pattern.clone()),
        Kind::Var(_) => return None,
    })
}

/// Whether nothing in it is unknown.
fn is_whole(t: &Term) -> bool {
    let mut whole = t.open() == 0;
    t.visit(&mut |t, _| whole &= !matches!(t.kind(), Kind::Hole(_)));
    whole
}

fn search_beta(scene: &MatchContext, graph: &Graph) -> Matches {
    let view = scene.view;
    let mut out = Matches {
        stride: 3,
        ..Matches::default()
    };
    let applied = Heads::lambda(1);
    let mut patience = Patience::new(scene.may_continue);
    for root in (0..view.len() as Class).filter(|c| scene.live(*c)) {
        if view.heads(root) & applied == 0 {
            continue;
        }
        for n in view.nodes(root) {
            let Shape::App([f, x]) = n.shape else {
                continue;
            };
            let (f, x) = (usize::from(f) as Class, usize::from(x) as Class);
            for n in view.nodes(f) {
                let Shape::Lam([body]) = n.shape else {
                    continue;
                };
                if !patience.lasts() {
                    return out;
                }
                let body = view.id(usize::from(body) as Class);
                let arg = view.id(x);
                let room = scene.size.saturating_sub(scene.contexts[root as usize]);
                if graph.instantiated_size(body, arg, room) > room {
                    out.refused += 1;
                    out.too_large += 1;
                    continue;
                }
                let raw = |i: Id| usize::from(i) as u32;
                out.data.extend([class_id(view, root), raw(body), raw(arg)]);
                if out.len().is_multiple_of(ASK_EVERY) && !(scene.may_continue)() {
                    return out;
                }
            }
        }
    }
    out
}

fn search_eta(scene: &MatchContext) -> Matches {
    let view = scene.view;
    let mut out = Matches {
        stride: 2,
        ..Matches::default()
    };
    let mut patience = Patience::new(scene.may_continue);
    for root in (0..view.len() as Class).filter(|c| scene.live(*c)) {
        if view.heads(root) & Heads::lambda(0) == 0 {
            continue;
        }
        for n in view.nodes(root) {
            let Shape::Lam([body]) = n.shape else {
                continue;
            };
            for n in view.nodes(usize::from(body) as Class) {
                let Shape::App([f, x]) = n.shape else {
                    continue;
                };
                if !patience.lasts() {
                    return out;
                }
                let (f, x) = (usize::from(f) as Class, usize::from(x) as Class);
                // Note [Variables of other binders]
                let typed = view.ty(f) == view.ty(root);
                if view.is_var(x, 0) && !view.free(f).has(0) && typed {
                    out.data.extend([class_id(view, root), class_id(view, f)]);
                }
            }
        }
    }
    out
}
