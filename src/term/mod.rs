//! Typed De Bruijn terms.
//!
//! Comes in: primitives, literals, variables; goes out: a [`Term`], a shared
//! immutable tree in which every node carries its type. Invariant: the
//! constructors check that types fit (debug assertions), so a `Term` is well
//! typed. Bound variables are De Bruijn indices; a lambda keeps the name of its
//! variable only as a hint that equality ignores. Absent: names with meaning,
//! spans, effects.

mod build;
mod chosen;
pub mod class;
pub mod lit;
mod normal;
pub mod prim;
mod shared;
mod show;

pub use build::{call, call_as};
pub use chosen::Chosen;
pub use class::Class;
pub use lit::Lit;
pub use normal::{named_primitives, normalize, normalize_program, normalize_within, written_out};
pub use prim::{
    Arithmetic, Bits, Comparison, Data, Function, Logic, Loop, Op, Prim, Scheme, Sort, View,
};
pub use shared::shared;

use crate::arith::Nat;
use crate::intern::Symbol;
use crate::ty::Ty;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// A typed term.
#[derive(Clone)]
pub struct Term(Rc<Node>);

struct Node {
    kind: Kind,
    ty: Ty,
    size: u32,
    /// One more than the largest free index, 0 for a closed term.
    open: u32,
    hash: u64,
}

/// What a [`Term`] is.
#[derive(Clone)]
pub enum Kind {
    /// A bound variable: 0 is the innermost.
    Var(u32),
    /// A lambda with the hint for its variable's name.
    Lam(Option<Symbol>, Term),
    /// An application.
    App(Term, Term),
    /// A primitive.
    Prim(Prim),
    /// A literal.
    Lit(Lit),
    /// A pattern variable of a rule.
    Hole(u32),
}

impl Term {
    fn new(kind: Kind, ty: Ty) -> Term {
        let mut h = rustc_hash::FxHasher::default();
        ty.hash(&mut h);
        let (size, open) = match &kind {
            Kind::Var(i) => {
                (0u8, i).hash(&mut h);
                (1, i + 1)
            }
            Kind::Lam(_, b) => {
                (1u8, b.0.hash).hash(&mut h);
                (b.0.size + 1, b.0.open.saturating_sub(1))
            }
            Kind::App(f, x) => {
                (2u8, f.0.hash, x.0.hash).hash(&mut h);
                (
                    f.0.size.saturating_add(x.0.size).saturating_add(1),
                    f.0.open.max(x.0.open),
                )
            }
            Kind::Prim(p) => {
                (3u8, p).hash(&mut h);
                (p.size(), 0)
            }
            Kind::Lit(l) => {
                (4u8, l).hash(&mut h);
                (1, 0)
            }
            Kind::Hole(i) => {
                (5u8, i).hash(&mut h);
                (1, 0)
            }
        };
        Term(Rc::new(Node {
            kind,
            ty,
            size,
            open,
            hash: h.finish(),
        }))
    }

    /// The bound variable of index `i`.
    pub fn var(i: u32, ty: Ty) -> Term {
        Term::new(Kind::Var(i), ty)
    }

    /// `\(x : arg) -> body`
    pub fn lam(hint: Option<Symbol>, arg: Ty, body: Term) -> Term {
        let ty = Ty::fun(arg, body.ty());
        Term::new(Kind::Lam(hint, body), ty)
    }

    /// `f x`; `f` must take what `x` is.
    pub fn app(f: Term, x: Term) -> Term {
        let Some((arg, result)) = f.ty().as_fun() else {
            panic!("applied a term of type {}", f.ty());
        };
        debug_assert!(
            arg == x.ty() || arg.has_meta() || x.ty().has_meta(),
            "argument of type {} for {arg}",
            x.ty()
        );
        Term::new(Kind::App(f, x), result)
    }

    /// `f x y …`
    pub fn apps(f: Term, args: impl IntoIterator<Item = Term>) -> Term {
        args.into_iter().fold(f, Term::app)
    }

    /// A primitive at a type.
    pub fn prim(p: Prim, ty: Ty) -> Term {
        Term::new(Kind::Prim(p), ty)
    }

    /// A literal; `ty` is its scalar type.
    pub fn lit(l: Lit, ty: Ty) -> Term {
        Term::new(Kind::Lit(l), ty)
    }

    /// A pattern variable.
    pub fn hole(i: u32, ty: Ty) -> Term {
        Term::new(Kind::Hole(i), ty)
    }

    /// What it is.
    pub fn kind(&self) -> &Kind {
        &self.0.kind
    }

    /// Its type.
    pub fn ty(&self) -> Ty {
        self.0.ty
    }

    /// Number of nodes of the tree; see [`Prim::size`] for primitives.
    pub fn size(&self) -> u32 {
        self.0.size
    }

    /// One more than the largest free index; 0 for a closed term.
    pub fn open(&self) -> u32 {
        self.0.open
    }

    /// Whether both are the same node in memory; for memo tables.
    pub fn same(&self, other: &Term) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// The address of the node; for memo tables that keep the term alive.
    pub fn address(&self) -> usize {
        Rc::as_ptr(&self.0) as usize
    }

    /// Head and arguments of an application; the term itself and nothing for
    /// any other.
    pub fn spine(&self) -> (&Term, Vec<&Term>) {
        let mut head = self;
        let mut args = Vec::new();
        while let Kind::App(f, x) = head.kind() {
            args.push(x);
            head = f;
        }
        args.reverse();
        (head, args)
    }

    /// The primitive at the head and the arguments, if there is one.
    pub fn as_prim_app(&self) -> Option<(Prim, Vec<&Term>)> {
        let (head, args) = self.spine();
        match head.kind() {
            Kind::Prim(p) => Some((*p, args)),
            _ => None,
        }
    }

    /// How many lambdas it begins with: of a program, its parameters.
    pub fn lambdas(&self) -> u32 {
        match self.kind() {
            Kind::Lam(_, b) => 1 + b.lambdas(),
            _ => 0,
        }
    }

    /// Whether it is `f %0` with an `f` that does not mention `%0`: a lambda around it is an η-redex.
    pub fn is_eta_body(&self) -> bool {
        match self.kind() {
            Kind::App(f, x) => matches!(x.kind(), Kind::Var(0)) && !f.mentions(0),
            _ => false,
        }
    }

    /// Whether variable `i` occurs free.
    pub fn mentions(&self, i: u32) -> bool {
        if self.open() <= i {
            return false;
        }
        match self.kind() {
            Kind::Var(j) => *j == i,
            Kind::Lam(_, b) => b.mentions(i + 1),
            Kind::App(f, x) => f.mentions(i) || x.mentions(i),
            Kind::Prim(_) | Kind::Lit(_) | Kind::Hole(_) => false,
        }
    }

    /// Whether every variable that is bound in it has the type of its binder, and `free` agrees to each other one.
    pub fn is_well_scoped(&self, free: &mut impl FnMut(u32, Ty) -> bool) -> bool {
        self.is_well_scoped_under(&mut Vec::new(), free)
    }

    fn is_well_scoped_under(
        &self,
        binders: &mut Vec<Ty>,
        free: &mut impl FnMut(u32, Ty) -> bool,
    ) -> bool {
        match self.kind() {
            Kind::Var(i) => match binders.len().checked_sub(1 + *i as usize) {
                Some(at) => binders[at] == self.ty(),
                None => free(i - binders.len() as u32, self.ty()),
            },
            Kind::Lam(_, b) => {
                let depth = binders.len();
                binders.extend(self.ty().as_fun().map(|(arg, _)| arg));
                let fits = b.is_well_scoped_under(binders, free);
                binders.truncate(depth);
                fits
            }
            Kind::App(f, x) => [f, x].iter().all(|t| t.is_well_scoped_under(binders, free)),
            Kind::Prim(_) | Kind::Lit(_) | Kind::Hole(_) => true,
        }
    }

    /// Rebuilds the free variables: `f(index)` gives the replacement, valid
    /// outside of all binders of this term; it is shifted as it moves inward.
    pub fn map_free(&self, f: &mut impl FnMut(u32, Ty) -> Term) -> Term {
        self.map_free_at(0, f)
    }

    fn map_free_at(&self, depth: u32, f: &mut impl FnMut(u32, Ty) -> Term) -> Term {
        if self.open() <= depth {
            return self.clone();
        }
        match self.kind() {
            Kind::Var(i) => f(i - depth, self.ty()).shift(depth as i32),
            Kind::Lam(h, b) => {
                let (arg, _) = self.ty().as_fun().expect("a lambda is a function");
                Term::lam(*h, arg, b.map_free_at(depth + 1, f))
            }
            Kind::App(g, x) => Term::app(g.map_free_at(depth, f), x.map_free_at(depth, f)),
            Kind::Prim(_) | Kind::Lit(_) | Kind::Hole(_) => self.clone(),
        }
    }

    /// Adds `by` to every free index; none may become negative.
    pub fn shift(&self, by: i32) -> Term {
        if by == 0 || self.open() == 0 {
            return self.clone();
        }
        self.map_vars(0, &mut |i, ty| {
            let j = i64::from(i) + i64::from(by);
            Term::var(u32::try_from(j).expect("shifted below zero"), ty)
        })
    }

    fn map_vars(&self, depth: u32, f: &mut impl FnMut(u32, Ty) -> Term) -> Term {
        if self.open() <= depth {
            return self.clone();
        }
        match self.kind() {
            Kind::Var(i) => match f(i - depth, self.ty()).kind() {
                Kind::Var(j) => Term::var(j + depth, self.ty()),
                _ => unreachable!("variables become variables"),
            },
            Kind::Lam(h, b) => {
                let (arg, _) = self.ty().as_fun().expect("a lambda is a function");
                Term::lam(*h, arg, b.map_vars(depth + 1, f))
            }
            Kind::App(g, x) => Term::app(g.map_vars(depth, f), x.map_vars(depth, f)),
            Kind::Prim(_) | Kind::Lit(_) | Kind::Hole(_) => self.clone(),
        }
    }

    /// `self` is the body of a lambda: puts `value` for its variable.
    pub fn instantiate(&self, value: &Term) -> Term {
        self.map_free(&mut |i, ty| match i {
            0 => value.clone(),
            _ => Term::var(i - 1, ty),
        })
    }

    /// Replaces every type and size, top to bottom; `f` must keep the term
    /// well typed.
    pub fn map_types(
        &self,
        ty: &mut impl FnMut(Ty) -> Ty,
        nat: &mut impl FnMut(Nat) -> Nat,
    ) -> Term {
        match self.kind() {
            Kind::Var(i) => Term::var(*i, ty(self.ty())),
            Kind::Lam(h, b) => {
                let (arg, _) = self.ty().as_fun().expect("a lambda is a function");
                Term::lam(*h, ty(arg), b.map_types(ty, nat))
            }
            Kind::App(f, x) => Term::app(f.map_types(ty, nat), x.map_types(ty, nat)),
            Kind::Prim(p) => Term::prim(p.map_nats(nat), ty(self.ty())),
            Kind::Lit(Lit::Size(n)) => Term::lit(Lit::Size(nat(*n)), ty(self.ty())),
            Kind::Lit(l) => Term::lit(*l, ty(self.ty())),
            Kind::Hole(i) => Term::hole(*i, ty(self.ty())),
        }
    }

    /// Whether there is a value of it, or in it, that is a float or has some.
    pub fn has_floats(&self) -> bool {
        let mut found = false;
        self.visit(&mut |t, _| found |= t.ty().has_floats());
        found
    }

    /// Calls `f` on every sub-term, parents first, with the number of binders above.
    pub fn visit(&self, f: &mut impl FnMut(&Term, u32)) {
        fn go(t: &Term, depth: u32, f: &mut impl FnMut(&Term, u32)) {
            f(t, depth);
            match t.kind() {
                Kind::Lam(_, b) => go(b, depth + 1, f),
                Kind::App(g, x) => {
                    go(g, depth, f);
                    go(x, depth, f);
                }
                _ => {}
            }
        }
        go(self, 0, f);
    }
}

impl PartialEq for Term {
    fn eq(&self, o: &Term) -> bool {
        if self.same(o) {
            return true;
        }
        if self.0.hash != o.0.hash || self.ty() != o.ty() {
            return false;
        }
        match (self.kind(), o.kind()) {
            (Kind::Var(a), Kind::Var(b)) | (Kind::Hole(a), Kind::Hole(b)) => a == b,
            (Kind::Lam(_, a), Kind::Lam(_, b)) => a == b,
            (Kind::App(f, x), Kind::App(g, y)) => f == g && x == y,
            (Kind::Prim(a), Kind::Prim(b)) => a == b,
            (Kind::Lit(a), Kind::Lit(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Term {}

impl Hash for Term {
    fn hash<H: Hasher>(&self, h: &mut H) {
        self.0.hash.hash(h);
    }
}

/// A program: one kernel, ready to be optimised.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its name, which the emitted function takes.
    pub name: Symbol,
    /// Size parameters, in declared order.
    pub sizes: Vec<Symbol>,
    /// Data parameters with their types, in declared order.
    pub params: Vec<(Symbol, Ty)>,
    /// The type of the result.
    pub result: Ty,
    /// A closed term: the parameters are its outermost lambdas.
    pub term: Term,
}

impl Program {
    /// The first of its parts that another one has otherwise.
    pub fn differs(&self, other: &Program) -> Option<&'static str> {
        let equal = [
            ("the name", self.name == other.name),
            ("the sizes", self.sizes == other.sizes),
            ("the parameters", self.params == other.params),
            ("the type of the result", self.result == other.result),
            ("the body", self.term == other.term),
        ];
        equal.iter().find(|(_, same)| !same).map(|(part, _)| *part)
    }
}
