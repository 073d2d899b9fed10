//! What elaboration gives: rules and steps without names.
//!
//! Unknown sizes and types of a rule are numbered from 0; its explicit size
//! parameters are the first unknown sizes. Binder hints of the two sides keep
//! the names of lambda variables, from which `rule` derives shifts and
//! not-free conditions. Absent: how rules are matched, how sketches are
//! satisfied.

use crate::algebra::{Claim, Form};
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::source::Span;
use crate::term::{Class, Op, Term};
use crate::ty::{Scalar, Ty};
use std::rc::Rc;

/// A typed rewriting rule.
#[derive(Clone, Debug)]
pub struct RuleDecl {
    /// Its name.
    pub name: Symbol,
    /// Where it is declared.
    pub span: Span,
    /// Names of the explicit size parameters: unknown sizes `0..size_params.len()`.
    pub size_params: Vec<Symbol>,
    /// Number of unknown sizes.
    pub nats: u32,
    /// The unknown types, each with what is asked of it.
    pub tys: Vec<Option<Class>>,
    /// The pattern variables, in order of first occurrence.
    pub holes: Vec<HoleDecl>,
    /// Left side.
    pub lhs: Term,
    /// Right side.
    pub rhs: Term,
    /// Side conditions as written.
    pub conds: Vec<Cond>,
}

impl RuleDecl {
    /// The laws that it asks for.
    pub fn claims(&self) -> impl Iterator<Item = &Claim<Term>> {
        self.conds.iter().filter_map(Cond::claim)
    }

    /// An operator as conditions write it: what `equal op by` says it is.
    pub fn written<'a>(&'a self, op: &'a Term) -> &'a Term {
        let equal = |c: &&Claim<Term>| c.law.form == Form::Equal && c.operands[0] == *op;
        self.claims().find(equal).map_or(op, |c| &c.operands[1])
    }

    /// Whether it regroups what operators combine: on floats it needs the permission.
    pub fn regroups(&self) -> bool {
        self.claims().any(|c| c.law.regroups)
    }
}

/// A pattern variable.
#[derive(Clone, Debug)]
pub struct HoleDecl {
    /// Its name.
    pub name: Symbol,
    /// Its type.
    pub ty: Ty,
    /// Where it stands first.
    pub span: Span,
    /// Whether a side condition binds it (`vectorizable f as fv`), not the left side.
    pub computed: bool,
}

/// A relation between sizes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Rel {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// A side condition.
#[derive(Clone, Debug)]
pub enum Cond {
    /// `x not in e`: the binder named `x` around the hole does not occur in it.
    NotFree { var: Symbol, hole: u32 },
    /// `k divides n`
    Divides(Nat, Nat),
    /// `n != k` and its like.
    Compare(Nat, Rel, Nat),
    /// `assume n <= k`: a size that is not negative, which a match is obliged to.
    Assume(Nat),
    /// `associative op` and its like, of patterns.
    Law(Claim<Term>),
    /// `identity op as e`: the hole `e` is what the law says of the hole `op`.
    Determined { claim: Claim<Term>, e: u32 },
    /// `vectorizable f as fv [k]`: holes `f` and `fv`.
    Vectorizable { f: u32, fv: u32, lanes: Nat },
    /// The type is not a function's: `(e : data)`.
    Data(Ty),
    /// The type is a scalar or a pair of such: `flat e`.
    Flat(Ty),
}

impl Cond {
    /// The law that it asks for.
    pub fn claim(&self) -> Option<&Claim<Term>> {
        match self {
            Cond::Law(claim) | Cond::Determined { claim, .. } => Some(claim),
            _ => None,
        }
    }
}

/// A sketch, definitions expanded.
#[derive(Clone, Debug)]
pub struct Sketch {
    /// What it is.
    pub kind: SketchKind,
    /// Where it is written (the outermost definition's use).
    pub span: Span,
    /// How to name it in a diagnosis: the user's words, e.g. `containsMap (m/32) …`.
    pub label: String,
    /// All of the words; empty inside of a definition, whose use has them.
    pub words: Words,
}

impl Sketch {
    /// What is applied, and to what.
    pub fn spine(&self) -> (&Sketch, Vec<&Sketch>) {
        let mut head = self;
        let mut args = Vec::new();
        while let SketchKind::App(f, x) = &head.kind {
            args.push(&**x);
            head = f;
        }
        args.reverse();
        (head, args)
    }

    /// Of a choice of which one side is asked for: its condition, that side, and whether it is the second one.
    pub fn chosen(&self) -> Option<(&Sketch, &Sketch, bool)> {
        let (head, parts) = self.spine();
        let SketchKind::Prim(Op::Select, _) = head.kind else {
            return None;
        };
        let [cond, first, second] = parts[..] else {
            return None;
        };
        let any = |s: &Sketch| matches!(s.kind, SketchKind::Any);
        match (any(first), any(second)) {
            (false, true) => Some((cond, first, false)),
            (true, false) => Some((cond, second, true)),
            _ => None,
        }
    }

    /// The sides of choices that lead to what it asks for.
    pub fn way(&self) -> Vec<bool> {
        let (mut here, mut way) = (self, Vec::new());
        while let Some((_, side, second)) = here.chosen() {
            way.push(second);
            here = side;
        }
        way
    }
}

/// The words of a sketch, with places for the parts of it that have words of their own.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Words {
    /// The text between the places, one piece more than there are places.
    pub pieces: Vec<String>,
    /// Where the parts stand that belong in the places.
    pub places: Vec<Span>,
}

/// The forms of sketches.
#[derive(Clone, Debug)]
pub enum SketchKind {
    /// `?`
    Any,
    /// `\ s`
    Lam(Box<Sketch>),
    /// `app f x`; more arguments nest to the left.
    App(Box<Sketch>, Box<Sketch>),
    /// A primitive; sizes only if they were written.
    Prim(Op, Option<Vec<Nat>>),
    /// A number of any type.
    Number(f64),
    /// `size[n]`: a size as a number, which equals no other one.
    Size(Nat),
    /// `true`, `false`
    Bool(bool),
    /// `contains s`
    Contains(Box<Sketch>),
    /// `onlyContains s`: every path to a leaf of data meets `s` or nothing else than it.
    OnlyContains(Box<Sketch>),
    /// `s or s`
    Or(Vec<Sketch>),
    /// `s and s`
    And(Vec<Sketch>),
    /// `none s`: no part satisfies `s`.
    None(Box<Sketch>),
    /// `every s t`: every part that satisfies `s` satisfies `t`.
    Every(Box<Sketch>, Box<Sketch>),
    /// `written s`: a part that satisfies `s` stands where what is computed is written: if it is a loop of
    /// the term, it is one of the kernel.
    Written(Box<Sketch>),
    /// `cheapest s`: `s`, but the search goes on to its limit. Only a whole sketch.
    Cheapest(Box<Sketch>),
    /// `s : T`
    Typed(Box<Sketch>, TyPattern),
}

impl SketchKind {
    /// What stands directly inside, in order.
    pub fn children(&self) -> Vec<&Sketch> {
        match self {
            SketchKind::Lam(b)
            | SketchKind::Contains(b)
            | SketchKind::OnlyContains(b)
            | SketchKind::None(b)
            | SketchKind::Written(b)
            | SketchKind::Cheapest(b)
            | SketchKind::Typed(b, _) => vec![b],
            SketchKind::App(f, x) | SketchKind::Every(f, x) => vec![f, x],
            SketchKind::Or(all) | SketchKind::And(all) => all.iter().collect(),
            SketchKind::Any
            | SketchKind::Prim(..)
            | SketchKind::Number(_)
            | SketchKind::Size(_)
            | SketchKind::Bool(_) => Vec::new(),
        }
    }

    /// The same form with other insides.
    pub fn map(&self, f: &mut impl FnMut(&Sketch) -> Sketch) -> SketchKind {
        let mut below = |s: &Sketch| Box::new(f(s));
        match self {
            SketchKind::Lam(b) => SketchKind::Lam(below(b)),
            SketchKind::Contains(b) => SketchKind::Contains(below(b)),
            SketchKind::OnlyContains(b) => SketchKind::OnlyContains(below(b)),
            SketchKind::None(b) => SketchKind::None(below(b)),
            SketchKind::Written(b) => SketchKind::Written(below(b)),
            SketchKind::Cheapest(b) => SketchKind::Cheapest(below(b)),
            SketchKind::Typed(b, t) => SketchKind::Typed(below(b), t.clone()),
            SketchKind::Every(s, t) => {
                let s = below(s);
                SketchKind::Every(s, below(t))
            }
            SketchKind::App(f, x) => {
                let f = below(f);
                SketchKind::App(f, below(x))
            }
            SketchKind::Or(all) => SketchKind::Or(all.iter().map(f).collect()),
            SketchKind::And(all) => SketchKind::And(all.iter().map(f).collect()),
            leaf => leaf.clone(),
        }
    }

    /// Whether its parts are asked for with it or not at all.
    pub fn binds_its_parts(&self) -> bool {
        use SketchKind::*;
        matches!(self, Or(_) | OnlyContains(_) | None(_) | Every(..))
    }

    /// Of its parts, those that it asks for; `none s` and `every s t` do not ask for any `s`.
    pub fn asked_for(&self) -> Vec<&Sketch> {
        match self {
            SketchKind::None(_) => Vec::new(),
            SketchKind::Every(_, t) => vec![t],
            _ => self.children(),
        }
    }
}

/// A type in which parts are left open.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TyPattern {
    /// `?`
    Any,
    /// `scalar`: any of them.
    AnyScalar,
    /// A scalar.
    Scalar(Scalar),
    /// `idx[n]`
    Idx(Option<Nat>),
    /// `(s, t)`
    Pair(Box<TyPattern>, Box<TyPattern>),
    /// `<k>t`
    Vec(Option<Nat>, Box<TyPattern>),
    /// `n.t`
    Array(Option<Nat>, Box<TyPattern>),
    /// `s -> t`
    Fun(Box<TyPattern>, Box<TyPattern>),
}

/// A rule that takes part in a step, with its explicit sizes.
#[derive(Clone, Debug)]
pub struct RuleUse {
    /// The rule.
    pub rule: Rc<RuleDecl>,
    /// One size for each of its parameters.
    pub args: Vec<Nat>,
    /// Where it is named.
    pub span: Span,
}

/// A rule of a file, for those who look for rules that a step could use.
#[derive(Clone, Debug)]
pub struct KnownRule {
    /// The file, as `use` names it.
    pub file: String,
    /// The rule.
    pub rule: Rc<RuleDecl>,
}

/// What ends a search; `None` is no limit of that kind.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Iterations.
    pub iterations: Option<u64>,
    /// E-nodes.
    pub nodes: Option<u64>,
    /// Wall-clock seconds; not reproducible.
    pub seconds: Option<u64>,
    /// Bytes the allocator holds.
    pub bytes: Option<u64>,
    /// Array nesting of any type that is added.
    pub nesting: Option<u64>,
    /// Size of the smallest term through any node that is added.
    pub size: Option<u64>,
}

/// Which rules may wait.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Scheduler {
    /// Every rule in every iteration.
    #[default]
    None,
    /// A rule with too many matches is banned for a while.
    Backoff,
}

/// What a step rewrites.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub enum Focus {
    #[default]
    Whole,
    /// The one side of a choice that its sketch asks for.
    Side {
        /// Whether no step before is about that side.
        first: bool,
    },
}

/// One step of guided search.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its name: written, or the file's stem.
    pub name: String,
    /// Where it is written.
    pub span: Span,
    /// The rules, without duplicates, in the order of their naming.
    pub rules: Vec<RuleUse>,
    /// The cost by which the cheapest term is chosen.
    pub cost: Symbol,
    /// Limits.
    pub limits: Limits,
    /// Whether right sides are β/η-normalised while they are built, and rules between functions
    /// also fire where these are applied.
    pub normalize: bool,
    /// Scheduler.
    pub scheduler: Scheduler,
    /// Whether floating-point operators count as associative and commutative.
    pub reassociate: bool,
    /// Whether functions of floats may be approximated on vectors.
    pub approximate: bool,
    /// What it is about.
    pub focus: Focus,
    /// The goal.
    pub sketch: Sketch,
}
