//! The rules, written once for both ways to substitute.
//!
//! A right side says `sub`, `shift` or `let`. Explicitly these become nodes
//! that further rules push down to the variables; by extraction they are
//! carried out while the right side is built. Conditions are on free variables.

use super::lambda::{Facts, Graph, Index, Lambda, Name};
use super::substitute;
use egg::{Applier, ENodeOrVar, Id, Language, Pattern, PatternAst, Rewrite, Subst, Symbol, Var};

/// A rule of an encoding.
pub type Rule = Rewrite<Lambda, Facts>;

/// How variables and substitutions are encoded.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Encoding {
    /// Names instead of De Bruijn indices.
    pub names: bool,
    /// Substitutions are nodes of the graph.
    pub explicit: bool,
}

impl Encoding {
    /// All four.
    pub const ALL: [Encoding; 4] = [
        Encoding::new(true, true),
        Encoding::new(false, true),
        Encoding::new(true, false),
        Encoding::new(false, false),
    ];

    const fn new(names: bool, explicit: bool) -> Encoding {
        Encoding { names, explicit }
    }

    /// Its name in tables.
    pub fn show(self) -> &'static str {
        match (self.explicit, self.names) {
            (true, true) => "explicit, names",
            (true, false) => "explicit, De Bruijn",
            (false, true) => "extraction, names",
            (false, false) => "extraction, De Bruijn",
        }
    }

    /// β and η, with what explicit substitutions need.
    pub fn core(self) -> Vec<Rule> {
        let mut rules = match self.names {
            false => vec![
                self.rule("beta", "(app (lam ?b) ?e)", "(sub 0 ?e ?b)", &[]),
                self.rule(
                    "eta",
                    "(lam (app ?f %0))",
                    "(shift -1 0 ?f)",
                    &[("?f", "0")],
                ),
            ],
            true => vec![
                self.rule("beta", "(app (fun ?x ?b) ?e)", "(let ?x ?e ?b)", &[]),
                self.rule("eta", "(fun ?x (app ?f ?x))", "?f", &[("?f", "?x")]),
            ],
        };
        if self.explicit {
            rules.extend(if self.names { push_lets() } else { push_subs() });
        }
        rules
    }

    /// Two maps become one.
    pub fn map_fusion(self) -> Rule {
        let left = "(app (app map ?f) (app (app map ?g) ?xs))";
        let right = match self.names {
            false => "(app (app map (lam (app (shift 1 0 ?f) (app (shift 1 0 ?g) %0)))) ?xs)",
            true => "(app (app map (fun ?fresh (app ?f (app ?g ?fresh)))) ?xs)",
        };
        self.rule("map-fusion", left, right, &[])
    }

    /// One map becomes two.
    pub fn map_fission(self) -> Rule {
        match self.names {
            false => self.rule(
                "map-fission",
                "(app map (lam (app ?f ?g)))",
                // ?f stands below one binder on both sides.
                "(lam (app (app map ?f) (app (app map (lam (shift 1 1 ?g))) %0)))",
                &[("?f", "0")],
            ),
            true => self.rule(
                "map-fission",
                "(app map (fun ?x (app ?f ?g)))",
                "(fun ?fresh (app (app map ?f) (app (app map (fun ?x ?g)) ?fresh)))",
                &[("?f", "?x")],
            ),
        }
    }

    /// A rule. `?fresh` on the right is a name of its own for each class that the rule matches;
    /// `not_free` are variables that must not occur in what a pattern variable stands for.
    pub fn rule(self, name: &str, left: &str, right: &str, not_free: &[(&str, &str)]) -> Rule {
        let left: Pattern<Lambda> = left.parse().expect("a pattern");
        let right: Pattern<Lambda> = right.parse().expect("a pattern");
        let var = |v: &str| v.parse::<Var>().expect("a variable of a pattern");
        let not_free = not_free.iter().map(|(e, x)| {
            let x = match x.parse() {
                Ok(index) => Bound::Index(index),
                Err(_) => Bound::Named(var(x)),
            };
            (var(e), x)
        });
        let build = Build {
            explicit: self.explicit,
            right: right.ast,
            not_free: not_free.collect(),
            fresh: var("?fresh"),
        };
        Rewrite::new(name, left, build).expect("a rule")
    }
}

#[derive(Clone, Debug)]
enum Bound {
    Index(u32),
    Named(Var),
}

/// Builds a right side.
#[derive(Clone, Debug)]
struct Build {
    explicit: bool,
    right: PatternAst<Lambda>,
    not_free: Vec<(Var, Bound)>,
    fresh: Var,
}

/// Names that programs use are smaller.
const FIRST_FRESH: u32 = 1_000_000;

fn fresh(g: &mut Graph, class: Id) -> Id {
    g.add(Lambda::Name(Name(FIRST_FRESH + usize::from(class) as u32)))
}

impl Build {
    fn build(&self, g: &mut Graph, subst: &Subst, at: Id, class: Id) -> Option<Id> {
        let node = match &self.right[at] {
            ENodeOrVar::Var(v) if *v == self.fresh => return Some(fresh(g, class)),
            ENodeOrVar::Var(v) => return subst.get(*v).copied(),
            ENodeOrVar::ENode(node) => node.clone(),
        };
        let mut known = true;
        let node = node.map_children(|c| {
            self.build(g, subst, c, class).unwrap_or_else(|| {
                known = false;
                class
            })
        });
        if !known {
            return None;
        }
        if self.explicit {
            return Some(g.add(node));
        }
        match node {
            Lambda::Sub([i, e, b]) => {
                let i = g[i].data.number? as u32;
                substitute::instantiate(g, b, i, e)
            }
            Lambda::Shift([k, c, b]) => {
                let (k, c) = (g[k].data.number?, g[c].data.number? as u32);
                substitute::shift(g, b, k, c)
            }
            Lambda::Let([x, e, b]) => {
                let x = g[x].data.name?;
                substitute::replace(g, b, x, e)
            }
            node => Some(g.add(node)),
        }
    }
}

impl Applier<Lambda, Facts> for Build {
    fn apply_one(
        &self,
        g: &mut Graph,
        class: Id,
        subst: &Subst,
        _: Option<&PatternAst<Lambda>>,
        rule: Symbol,
    ) -> Vec<Id> {
        for (e, bound) in &self.not_free {
            let free = &g[subst[*e]].data.free;
            let occurs = match bound {
                Bound::Index(i) => free.contains(i),
                Bound::Named(x) => g[subst[*x]].data.name.is_none_or(|x| free.contains(&x)),
            };
            if occurs {
                return Vec::new();
            }
        }
        let root = Id::from(self.right.len() - 1);
        let made = self.build(g, subst, root, class);
        merge(g, class, made, rule)
    }
}

fn merge(g: &mut Graph, class: Id, made: Option<Id>, rule: Symbol) -> Vec<Id> {
    match made {
        Some(made) if g.union_trusted(class, made, rule) => vec![class],
        _ => Vec::new(),
    }
}

/// What a rule that looks into classes does: the class and what the variables are bound to, in
/// order, to the class of the right side.
type Builder = fn(&mut Graph, Id, &[Id]) -> Option<Id>;

struct Compute {
    vars: Vec<Var>,
    make: Builder,
}

impl Applier<Lambda, Facts> for Compute {
    fn apply_one(
        &self,
        g: &mut Graph,
        class: Id,
        subst: &Subst,
        _: Option<&PatternAst<Lambda>>,
        rule: Symbol,
    ) -> Vec<Id> {
        let bound: Vec<Id> = self.vars.iter().map(|v| subst[*v]).collect();
        let made = (self.make)(g, class, &bound);
        merge(g, class, made, rule)
    }
}

fn compute(name: &str, left: &str, vars: &str, make: Builder) -> Rule {
    let left: Pattern<Lambda> = left.parse().expect("a pattern");
    let vars = vars.split(' ').map(|v| v.parse().expect("a variable"));
    let vars = vars.collect();
    Rewrite::new(name, left, Compute { vars, make }).expect("a rule")
}

fn plain(name: &str, left: &str, right: &str) -> Rule {
    let all = Encoding::new(true, true);
    all.rule(name, left, right, &[])
}

/// The leaf of a class that is no variable which the substitution could mean.
fn leaf(g: &Graph, class: Id) -> Option<Lambda> {
    let mut nodes = g[class].nodes.iter();
    nodes.find(|n| n.is_leaf()).cloned()
}

fn next(g: &mut Graph, number: Id) -> Option<Id> {
    let n = g[number].data.number?;
    Some(g.add(Lambda::Number(n + 1)))
}

fn push_subs() -> Vec<Rule> {
    vec![
        plain(
            "sub-app",
            "(sub ?i ?e (app ?f ?x))",
            "(app (sub ?i ?e ?f) (sub ?i ?e ?x))",
        ),
        compute("sub-lam", "(sub ?i ?e (lam ?b))", "?i ?e ?b", |g, _, v| {
            let i = next(g, v[0])?;
            let b = g.add(Lambda::Sub([i, v[1], v[2]]));
            Some(g.add(Lambda::Lam([b])))
        }),
        compute("sub-leaf", "(sub ?i ?e ?b)", "?i ?e ?b", |g, _, v| {
            let i = g[v[0]].data.number? as u32;
            match leaf(g, v[2])? {
                Lambda::Index(Index(n)) if n == i => {
                    let none = g.add(Lambda::Number(0));
                    Some(g.add(Lambda::Shift([v[0], none, v[1]])))
                }
                Lambda::Index(Index(n)) if n > i => Some(g.add(Lambda::Index(Index(n - 1)))),
                leaf => Some(g.add(leaf)),
            }
        }),
        plain(
            "shift-app",
            "(shift ?k ?c (app ?f ?x))",
            "(app (shift ?k ?c ?f) (shift ?k ?c ?x))",
        ),
        compute(
            "shift-lam",
            "(shift ?k ?c (lam ?b))",
            "?k ?c ?b",
            |g, _, v| {
                let c = next(g, v[1])?;
                let b = g.add(Lambda::Shift([v[0], c, v[2]]));
                Some(g.add(Lambda::Lam([b])))
            },
        ),
        compute("shift-leaf", "(shift ?k ?c ?b)", "?k ?c ?b", |g, _, v| {
            let (k, c) = (g[v[0]].data.number?, g[v[1]].data.number? as u32);
            match leaf(g, v[2])? {
                Lambda::Index(Index(n)) if n >= c => {
                    let n = n.checked_add_signed(k).filter(|n| *n >= c)?;
                    Some(g.add(Lambda::Index(Index(n))))
                }
                leaf => Some(g.add(leaf)),
            }
        }),
    ]
}

fn push_lets() -> Vec<Rule> {
    vec![
        plain(
            "let-app",
            "(let ?x ?e (app ?f ?a))",
            "(app (let ?x ?e ?f) (let ?x ?e ?a))",
        ),
        plain("let-same", "(let ?x ?e ?x)", "?e"),
        plain("let-fun-same", "(let ?x ?e (fun ?x ?b))", "(fun ?x ?b)"),
        compute("let-leaf", "(let ?x ?e ?b)", "?x ?e ?b", |g, _, v| {
            let other = leaf(g, v[2])?;
            let different = g.find(v[0]) != g.find(v[2]);
            different.then(|| g.add(other))
        }),
        compute(
            "let-fun",
            "(let ?x ?e (fun ?y ?b))",
            "?x ?e ?y ?b",
            |g, class, v| {
                let (x, e, y, b) = (v[0], v[1], v[2], v[3]);
                if g.find(x) == g.find(y) {
                    return None;
                }
                let name = g[y].data.name?;
                if !g[e].data.free.contains(&name) {
                    let b = g.add(Lambda::Let([x, e, b]));
                    return Some(g.add(Lambda::Fun([y, b])));
                }
                let z = fresh(g, class);
                let b = g.add(Lambda::Let([y, z, b]));
                let b = g.add(Lambda::Let([x, e, b]));
                Some(g.add(Lambda::Fun([z, b])))
            },
        ),
    ]
}
