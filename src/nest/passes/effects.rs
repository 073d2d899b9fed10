//! What statements read and write: memory and variables.
//!
//! Comes in: statements of a nest; goes out: the buffers, by their memory, and the variables. Invariant: two statements of
//! which neither writes what the other touches may change places.

use crate::intern::Symbol;
use crate::nest::{walk, BufId, Expr, ExprKind, Nest, Stmt};
use indexmap::IndexMap;
use rustc_hash::FxHashSet;

/// Memory and variables.
#[derive(Clone, Default)]
pub(super) struct Touched {
    pub buffers: FxHashSet<BufId>,
    pub vars: FxHashSet<Symbol>,
}

impl Touched {
    /// Whether both have something in common.
    pub(super) fn meets(&self, other: &Touched) -> bool {
        !self.buffers.is_disjoint(&other.buffers) || !self.vars.is_disjoint(&other.vars)
    }

    /// All of both.
    pub(super) fn add(&mut self, other: &Touched) {
        self.buffers.extend(&other.buffers);
        self.vars.extend(&other.vars);
    }

    /// What a statement reads, in indices, too.
    pub(super) fn read(nest: &Nest, s: &Stmt) -> Touched {
        let mut all = Touched::default();
        walk::each_stmt(std::slice::from_ref(s), &mut |s| all.reads(nest, s));
        all
    }

    /// Adds what a statement reads itself, without those in it.
    pub(super) fn reads(&mut self, nest: &Nest, s: &Stmt) {
        if let Some(e) = walk::exprs(s) {
            self.expr(nest, e);
        }
        walk::each_index(s, &mut |n| self.vars.extend(n.vars().iter()));
    }

    /// What a statement stores to, assigns and makes room for.
    pub(super) fn written(nest: &Nest, s: &Stmt) -> Touched {
        let mut all = Touched::default();
        walk::each_stmt(std::slice::from_ref(s), &mut |s| match s {
            Stmt::Store { buf, .. } | Stmt::Alloc(buf) => {
                all.buffers.insert(nest.root(*buf));
            }
            Stmt::Assign { var, .. } => {
                all.vars.insert(*var);
            }
            _ => {}
        });
        all
    }

    /// What a value reads, in indices, too.
    pub(super) fn by(nest: &Nest, e: &Expr) -> Touched {
        let mut all = Touched::default();
        all.expr(nest, e);
        e.visit(&mut |e| {
            if let Some(n) = e.own_index() {
                all.vars.extend(n.vars().iter());
            }
        });
        all
    }

    /// Adds the variables and buffers of a value, not those of its indices.
    pub(super) fn expr(&mut self, nest: &Nest, e: &Expr) {
        e.visit(&mut |e| match e.kind() {
            ExprKind::Var(v) => {
                self.vars.insert(*v);
            }
            ExprKind::Load(b, _) => {
                self.buffers.insert(nest.root(*b));
            }
            _ => {}
        });
    }
}

/// Where one loop is to stand instead of two that read and write so much, counted without the first or the second: in the place of the
/// second, or of the first; nothing if both have to stay on their side of what stands between.
pub(super) fn place_of_both(
    nest: &Nest,
    block: &[Stmt],
    (first, second): (usize, usize),
    (a, b): ((&Touched, &Touched), (&Touched, &Touched)),
) -> Option<usize> {
    let free = |(reads, writes): (&Touched, &Touched)| {
        block[first + 1..second].iter().all(|s| {
            let (read, written) = (Touched::read(nest, s), Touched::written(nest, s));
            let touched = |v| reads.vars.contains(&v) || writes.vars.contains(&v);
            let declares = walk::declared(s).is_some_and(touched);
            !declares && !written.meets(reads) && !written.meets(writes) && !read.meets(writes)
        })
    };
    match free(a) {
        true => Some(second - 1),
        false => free(b).then_some(first),
    }
}

/// The variables from outside that a statement assigns, and how often it is written there; nothing if it stores.
pub(super) fn accumulators(s: &Stmt) -> Option<IndexMap<Symbol, usize>> {
    let mut pure = true;
    let block = std::slice::from_ref(s);
    walk::each_stmt(block, &mut |s| {
        pure &= !matches!(
            s,
            Stmt::Store { .. } | Stmt::Alloc(_) | Stmt::Prefetch { .. }
        );
    });
    let assigned = pure.then(|| handed_on(block))?;
    (!assigned.is_empty()).then_some(assigned)
}

/// The variables from outside that statements assign, and how often that is written there.
pub(super) fn handed_on(block: &[Stmt]) -> IndexMap<Symbol, usize> {
    let mut own = FxHashSet::default();
    let mut assigned: IndexMap<Symbol, usize> = IndexMap::new();
    walk::each_stmt(block, &mut |s| {
        own.extend(walk::declared(s));
        if let Stmt::Assign { var, .. } = s {
            *assigned.entry(*var).or_default() += 1;
        }
    });
    assigned.retain(|v, _| !own.contains(v));
    assigned
}
