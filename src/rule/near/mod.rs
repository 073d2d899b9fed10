//! Where a rule applies in a term, and what refused it where it nearly does.
//!
//! Comes in: a rule at its explicit sizes, a closed term, limits; goes out: for
//! every sub-term of which some of the left side is there, what the rule makes of
//! it, or every reason why it does not apply. The left side is compared with the
//! term itself: not modulo β, η or other rules, so a term in normal form is what
//! to give. Invariant: the rule applies here exactly where a search over a graph
//! that holds nothing but the term applies it; the results are that search's.
//! Absent: text for people, the e-graph of a step.

mod judge;
mod refusal;

pub use refusal::{Found, Refusal, Typed};

use super::{compile, heads, id, MatchContext, Matches, Rule};
use crate::egraph::{Graph, Id, View};
use crate::elab::RuleUse;
use crate::intern::Symbol;
use crate::obligation::Assumption;
use crate::term::{Kind, Prim, Term};
use rustc_hash::FxHashMap;

/// What a step would allow.
#[derive(Copy, Clone, Debug)]
pub struct Limits {
    /// Array nesting of what is made.
    pub nesting: u32,
    /// Size of the term that comes of it.
    pub size: u32,
    /// Whether floating-point operators count as associative.
    pub reassociate: bool,
}

/// A rule at a sub-term.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The sub-term.
    pub at: Found,
    /// Nodes of the left side that are there; holes and applications do not count.
    pub fits: u32,
    /// Nodes of the left side.
    pub of: u32,
    /// What came of it.
    pub outcome: Result<Applies, Vec<Refusal>>,
}

/// What a rule makes.
#[derive(Clone, Debug)]
pub struct Applies {
    /// What the pattern variables stand for.
    pub holes: Vec<(Symbol, Found)>,
    /// The new sub-term.
    pub result: Found,
    /// What the match obliges to and nobody knows: the kernel checks it.
    pub assumes: Vec<Assumption>,
}

/// Tries a rule at every sub-term, outer ones first.
pub fn attempts(used: &RuleUse, term: &Term, limits: Limits) -> Vec<Attempt> {
    let mut tries = Tries {
        used,
        limits,
        free: Trial::new(used, term, u32::MAX, u32::MAX - 1),
        limited: Trial::new(used, term, limits.nesting, limits.size),
        out: Vec::new(),
    };
    tries.visit(term, false, &mut Vec::new());
    tries.out
}

struct Tries<'a> {
    used: &'a RuleUse,
    limits: Limits,
    /// What applies without limits, and with them.
    free: Trial,
    limited: Trial,
    out: Vec<Attempt>,
}

impl Tries<'_> {
    /// `applied`: it is the function of an application, which was tried with its
    /// arguments.
    fn visit(&mut self, t: &Term, applied: bool, scope: &mut Vec<Symbol>) {
        if !(applied && lacks_arguments(&self.used.rule.lhs, t)) {
            self.attempt(t, scope);
        }
        match t.kind() {
            Kind::Lam(hint, b) => {
                let name = fresh(*hint, scope);
                scope.push(name);
                self.visit(b, false, scope);
                scope.pop();
            }
            Kind::App(f, x) => {
                self.visit(f, true, scope);
                self.visit(x, false, scope);
            }
            _ => {}
        }
    }

    fn attempt(&mut self, t: &Term, scope: &[Symbol]) {
        let mut fit = Fit::new(self.used.rule.holes.len());
        let lhs = &self.used.rule.lhs;
        fit.walk(lhs, t, &mut Scopes::new(scope));
        if fit.fits == 0 && fit.of > 0 {
            return;
        }
        let at = Found::new(t, scope);
        let mut refusals = std::mem::take(&mut fit.refusals);
        let mut assumes = Vec::new();
        if refusals.is_empty() {
            match judge::judge(self.used, &at, &fit, self.limits.reassociate) {
                Ok(unknown) => assumes = unknown,
                Err(found) => refusals = found,
            }
        }
        let outcome = match refusals.is_empty() {
            true => self.apply(&at, &fit, assumes),
            false => Err(refusals),
        };
        self.out.push(Attempt {
            at,
            fits: fit.fits,
            of: fit.of,
            outcome,
        });
    }

    fn apply(
        &mut self,
        at: &Found,
        fit: &Fit,
        assumes: Vec<Assumption>,
    ) -> Result<Applies, Vec<Refusal>> {
        let reassociate = self.limits.reassociate;
        let Some(result) = self.free.result(&at.term, reassociate) else {
            return Err(vec![Refusal::Search]);
        };
        let mut deepest = 0;
        result.visit(&mut |t, _| deepest = deepest.max(t.ty().nesting()));
        if self.limited.result(&at.term, reassociate).is_none() {
            return Err(vec![match deepest > self.limits.nesting {
                true => Refusal::Nesting(deepest, self.limits.nesting),
                false => Refusal::Size(self.limits.size),
            }]);
        }
        let names = self.used.rule.holes.iter().map(|h| h.name);
        let holes = names.zip(&fit.holes);
        Ok(Applies {
            holes: holes
                .filter_map(|(name, all)| Some((name, all.first()?.found.clone())))
                .collect(),
            result: Found::new(&result, &at.scope),
            assumes,
        })
    }
}

/// The rule as a search applies it, on a graph that holds the term alone.
pub struct Trial {
    rule: Rule,
    pub graph: Graph,
    matches: Matches,
    /// The match of each class.
    pub at: FxHashMap<Id, usize>,
}

impl Trial {
    pub fn new(used: &RuleUse, term: &Term, nesting: u32, size: u32) -> Trial {
        let heads = heads(std::slice::from_ref(used));
        let mut rule = compile(used, &heads, nesting);
        let mut graph = Graph::new(heads, true);
        let root = graph.add_term(term);
        graph.rebuild();
        let view = View::new(&graph);
        let contexts = view.contexts(view.class(root), size);
        let matches = rule.search(&MatchContext {
            view: &view,
            contexts: &contexts,
            size,
            may_continue: &|| true,
        });
        let at = (0..matches.len()).map(|i| (id(matches.get(i)[0]), i));
        Trial {
            at: at.collect(),
            rule,
            graph,
            matches,
        }
    }

    /// What the rule makes of a sub-term.
    pub fn result(&mut self, at: &Term, reassociate: bool) -> Option<Term> {
        let class = self.graph.add_term(at);
        let i = *self.at.get(&self.graph.find(class))?;
        let made = (self.rule).build(&mut self.graph, self.matches.get(i), reassociate)?;
        self.graph.best_well_scoped(made)
    }
}

/// What a rule finds in the graph of a step.
#[derive(Clone, Debug, Default)]
pub struct InGraph {
    /// Matches that types, sizes and limits allow.
    pub matches: u64,
    /// Of them, those that a side condition refuses.
    pub refused: u64,
    /// Matches that types, sizes or limits refuse.
    pub untyped: u64,
    /// Some that apply: the smallest term of the class, open, and what the pattern
    /// variables stand for.
    pub examples: Vec<(Term, Vec<(Symbol, Term)>)>,
}

/// Tries a rule in a graph that is rebuilt, of which it takes at most `examples`.
pub fn in_graph(
    used: &RuleUse,
    mut graph: Graph,
    root: Id,
    limits: Limits,
    examples: usize,
) -> InGraph {
    let mut rule = compile(used, &graph.heads().clone(), limits.nesting);
    let view = View::new(&graph);
    let contexts = view.contexts(view.class(root), limits.size);
    let scene = MatchContext {
        view: &view,
        contexts: &contexts,
        size: limits.size,
        may_continue: &|| true,
    };
    let found = rule.search(&scene);
    drop(view);
    let mut out = InGraph {
        matches: found.len() as u64,
        untyped: found.refused,
        ..InGraph::default()
    };
    for i in 0..found.len() {
        let m = found.get(i);
        if rule.build(&mut graph, m, limits.reassociate).is_none() {
            out.refused += 1;
            continue;
        }
        if out.examples.len() < examples {
            let holes = used.rule.holes.iter().zip(&m[2..]);
            let bound = holes.filter(|(h, _)| !h.computed);
            let bound = bound.map(|(h, class)| (h.name, graph.best_term(id(*class))));
            out.examples
                .push((graph.best_term(id(m[0])), bound.collect()));
        }
    }
    out
}

/// Where a hole stands: what it matched, under which binders of the left side.
#[derive(Clone, Debug)]
struct HoleAt {
    found: Found,
    binders: Vec<Option<Symbol>>,
}

/// Names of the variables in scope, and of the binders of the left side.
struct Scopes {
    names: Vec<Symbol>,
    binders: Vec<Option<Symbol>>,
}

impl Scopes {
    fn new(names: &[Symbol]) -> Scopes {
        Scopes {
            names: names.to_vec(),
            binders: Vec::new(),
        }
    }

    fn found(&self, t: &Term) -> Found {
        Found::new(t, &self.names)
    }
}

/// The left side laid over a term.
struct Fit {
    fits: u32,
    of: u32,
    holes: Vec<Vec<HoleAt>>,
    /// Primitives of the left side, with those of the term and its types.
    prims: Vec<(Term, Prim, Term)>,
    refusals: Vec<Refusal>,
}

impl Fit {
    fn new(holes: usize) -> Fit {
        Fit {
            fits: 0,
            of: 0,
            holes: vec![Vec::new(); holes],
            prims: Vec::new(),
            refusals: Vec::new(),
        }
    }

    /// Goes through the whole left side, also past what does not fit.
    fn walk(&mut self, p: &Term, t: &Term, scopes: &mut Scopes) {
        match (p.kind(), t.kind()) {
            (Kind::Hole(h), _) => self.holes[*h as usize].push(HoleAt {
                found: scopes.found(t),
                binders: scopes.binders.clone(),
            }),
            (Kind::App(..), _) => self.application(p, t, scopes),
            (Kind::Lam(name, b), Kind::Lam(hint, c)) => {
                self.fitting(true);
                let own = fresh(hint.or(*name), &scopes.names);
                scopes.names.push(own);
                scopes.binders.push(*name);
                self.walk(b, c, scopes);
                scopes.binders.pop();
                scopes.names.pop();
            }
            (Kind::Prim(a), Kind::Prim(b)) if a.op() == b.op() => {
                self.fitting(true);
                self.prims.push((p.clone(), *b, t.clone()));
            }
            (Kind::Var(i), Kind::Var(j)) if i == j => self.fitting(true),
            (Kind::Lit(a), Kind::Lit(b)) if a == b => self.fitting(true),
            _ => {
                self.rigid(p);
                self.refuse(p, t, scopes);
            }
        }
    }

    fn application(&mut self, p: &Term, t: &Term, scopes: &mut Scopes) {
        // A primitive and its arguments are one thing for people.
        if let Some((op, args)) = p.as_prim_app() {
            let here = t.as_prim_app();
            let (Some((found, given)), (head, _)) = (here, p.spine()) else {
                self.rigid(p);
                return self.refuse(p, t, scopes);
            };
            if found.op() != op.op() || given.len() > args.len() {
                self.rigid(p);
                return self.refuse(p, t, scopes);
            }
            self.walk(head, t.spine().0, scopes);
            if given.len() < args.len() {
                self.refuse(p, t, scopes);
            }
            let missing = args.get(given.len()..).unwrap_or_default();
            missing.iter().for_each(|p| self.rigid(p));
            for (p, t) in args.into_iter().zip(given) {
                self.walk(p, t, scopes);
            }
            return;
        }
        match (p.kind(), t.kind()) {
            (Kind::App(f, x), Kind::App(g, y)) => {
                self.walk(f, g, scopes);
                self.walk(x, y, scopes);
            }
            _ => {
                self.rigid(p);
                self.refuse(p, t, scopes);
            }
        }
    }

    fn refuse(&mut self, p: &Term, t: &Term, scopes: &Scopes) {
        self.refusals.push(Refusal::Shape {
            wanted: p.clone(),
            binders: scopes.binders.clone(),
            found: scopes.found(t),
        });
    }

    fn fitting(&mut self, fits: bool) {
        self.of += 1;
        self.fits += u32::from(fits);
    }

    /// Counts the nodes of a part that is not there.
    fn rigid(&mut self, p: &Term) {
        p.visit(&mut |p, _| match p.kind() {
            Kind::Hole(_) | Kind::App(..) => {}
            _ => self.of += 1,
        });
    }
}

/// Whether a term is the primitive of a left side at fewer arguments.
fn lacks_arguments(lhs: &Term, t: &Term) -> bool {
    match (lhs.as_prim_app(), t.as_prim_app()) {
        (Some((p, args)), Some((q, given))) => p.op() == q.op() && given.len() < args.len(),
        _ => false,
    }
}

/// A name that is not in scope: the one that was written, if it can be.
fn fresh(hint: Option<Symbol>, scope: &[Symbol]) -> Symbol {
    let wish = hint.map_or("x".to_string(), |h| h.to_string());
    let taken = |n: &str| scope.iter().any(|s| s.as_str() == n);
    if !taken(&wish) {
        return Symbol::new(&wish);
    }
    let base = wish.trim_end_matches(|c: char| c.is_ascii_digit());
    let free = (1..).map(|i| format!("{base}{i}")).find(|n| !taken(n));
    Symbol::new(&free.unwrap_or_default())
}
