//! The sizes that a term speaks of.

use crate::arith::Nat;
use crate::term::{Kind, Lit, Op, Term};
use crate::ty::{Ty, TyKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// Sizes in the order in which they stand in what was added, each once.
#[derive(Default)]
pub struct Sizes {
    seen: FxHashSet<Nat>,
    types: FxHashSet<Ty>,
    /// Nodes that were looked at; the roots keep them alive.
    nodes: FxHashSet<usize>,
    roots: Vec<Term>,
    all: Vec<Nat>,
    /// Constant indices and their bounds, by what must not be negative.
    indices: FxHashMap<Nat, (Nat, Nat)>,
    /// Numbers that need not be sizes, but whole.
    whole: Vec<Nat>,
    /// Whether an index is made of a number.
    casts: bool,
}

impl Sizes {
    /// Those of a term.
    pub fn of(t: &Term) -> Vec<Nat> {
        let mut sizes = Sizes::default();
        sizes.term(t);
        sizes.all
    }

    /// All of them.
    pub fn all(&self) -> &[Nat] {
        &self.all
    }

    /// Numbers that need not be sizes, but whole.
    pub fn whole(&self) -> &[Nat] {
        &self.whole
    }

    /// Whether there are casts to indices.
    pub fn has_casts(&self) -> bool {
        self.casts
    }

    /// The constant index and its bound that must not be negative as this one.
    pub fn index_of(&self, after: Nat) -> Option<(Nat, Nat)> {
        self.indices.get(&after).copied()
    }

    /// Adds one.
    pub fn size(&mut self, n: Nat) {
        if self.seen.insert(n) {
            self.all.push(n);
        }
    }

    /// Adds those of a type.
    pub fn ty(&mut self, ty: Ty) {
        if !self.types.insert(ty) {
            return;
        }
        match ty.kind() {
            TyKind::Scalar(_) | TyKind::Meta(_) => {}
            TyKind::Idx(n) => self.size(n),
            TyKind::Pair(a, b) | TyKind::Fun(a, b) => {
                self.ty(a);
                self.ty(b);
            }
            TyKind::Vec(n, t) | TyKind::Array(n, t) => {
                self.size(n);
                self.ty(t);
            }
        }
    }

    /// Adds those of a term: of its types, and those that its primitives are given or leave implicit (what `take` drops,
    /// the steps of `slide`). A constant index is below its bound wherever it stands.
    pub fn term(&mut self, t: &Term) {
        self.roots.push(t.clone());
        let mut stack = vec![t.clone()];
        while let Some(t) = stack.pop() {
            if !self.nodes.insert(t.address()) {
                continue;
            }
            self.node(&t);
            match t.kind() {
                Kind::Lam(_, b) => stack.push(b.clone()),
                Kind::App(g, x) => {
                    stack.push(x.clone());
                    stack.push(g.clone());
                }
                _ => {}
            }
        }
    }

    fn node(&mut self, t: &Term) {
        self.ty(t.ty());
        let p = match t.kind() {
            Kind::Prim(p) => p,
            Kind::Lit(l) => return self.literal(*l, t.ty()),
            _ => return,
        };
        let sizes = p.sizes();
        for n in &sizes {
            self.size(*n);
        }
        let (args, result) = t.ty().uncurried();
        let first = args.first().copied();
        let len = |t: Option<Ty>| t.and_then(Ty::as_array).map(|a| a.0);
        let one = Nat::int(1);
        let implicit = match p.op() {
            Op::Take | Op::Drop => len(first).map(|n| n - sizes[0]),
            Op::Slide | Op::CircularBuffer | Op::RotateValues => len(Some(result)).map(|n| n - one),
            Op::At => {
                if let Some(n) = len(first) {
                    self.index(sizes[0], n);
                }
                None
            }
            Op::Cast => {
                self.casts |= matches!(result.kind(), TyKind::Idx(_));
                None
            }
            _ => None,
        };
        if let Some(n) = implicit {
            self.size(n);
        }
    }

    fn index(&mut self, i: Nat, n: Nat) {
        let after = n - Nat::int(1) - i;
        self.indices.insert(after, (i, n));
        self.size(after);
    }

    fn literal(&mut self, l: Lit, ty: Ty) {
        let number = match l {
            Lit::Int(i) => i64::try_from(i).ok().map(Nat::int),
            Lit::Size(n) => Some(n),
            _ => None,
        };
        match (number, ty.kind()) {
            (Some(i), TyKind::Idx(n)) => {
                self.size(i);
                self.index(i, n);
            }
            (Some(i), _) => self.whole.push(i),
            _ => {}
        }
    }
}
