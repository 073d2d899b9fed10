//! Common subexpression elimination of reductions: of two loops that compute the same accumulators, the first remains.
//!
//! A name in the program that is used twice is two equal terms in normal form, so lowering writes two equal loops.
//! Compilers see that two expressions are equal, but not that two loops are.

use super::effects::{accumulators, Touched};
use crate::intern::Symbol;
use crate::nest::{walk, Block, Expr, LoopKind, Nest, Stmt};
use rustc_hash::FxHashMap;

/// Removes reductions whose values are there already, until there are none.
pub(super) fn eliminate(nest: &mut Nest) {
    let mut body = std::mem::take(&mut nest.body);
    eliminate_in(nest, &mut body);
    nest.body = body;
}

/// The same in a block: of accumulators that are declared in it.
pub(super) fn eliminate_in(nest: &Nest, body: &mut Block) {
    loop {
        let mut search = Search {
            nest,
            assigned: FxHashMap::default(),
            there: Vec::new(),
            depth: 0,
        };
        walk::each_stmt(body, &mut |s| {
            if let Stmt::Assign { var, .. } = s {
                *search.assigned.entry(*var).or_default() += 1;
            }
        });
        let Some(names) = search.block(body) else {
            break;
        };
        walk::rename(body, &names);
    }
}

/// A loop that only computes accumulators.
struct Reduction {
    /// Each accumulator with its start, in the order in which they are assigned.
    accumulators: Vec<(Symbol, Expr)>,
    /// The loop.
    is: Stmt,
    /// What it and the starts read.
    reads: Touched,
    /// How many blocks are around it.
    depth: usize,
}

struct Search<'a> {
    nest: &'a Nest,
    /// How often each variable is assigned.
    assigned: FxHashMap<Symbol, usize>,
    /// Reductions whose values are still what they would be if computed again.
    there: Vec<Reduction>,
    /// How many blocks are around the one that is looked at.
    depth: usize,
}

impl Search<'_> {
    /// Removes the first reduction that is there already; the names of its accumulators, and what they are called now.
    fn block(&mut self, block: &mut Block) -> Option<FxHashMap<Symbol, Symbol>> {
        self.depth += 1;
        for at in 0..block.len() {
            let changes = Touched::written(self.nest, &block[at]);
            self.there.retain(|r| !r.reads.meets(&changes));
            if let Some(new) = self.reduction(block, at) {
                if let Some(names) = self.there.iter().find_map(|old| old.names(&new)) {
                    block.remove(at);
                    block.retain(|s| walk::declared(s).is_none_or(|v| !names.contains_key(&v)));
                    return Some(names);
                }
                self.there.push(new);
            }
            let inner = match &mut block[at] {
                Stmt::For { body, .. } => self.block(body),
                Stmt::If { then, els, .. } => self.block(then).or_else(|| self.block(els)),
                _ => None,
            };
            if inner.is_some() {
                return inner;
            }
        }
        // What is declared in the block ends with it.
        self.there.retain(|r| r.depth < self.depth);
        self.depth -= 1;
        None
    }

    /// The statement as a reduction, if it changes nothing but accumulators that are declared before it in the block and
    /// touched by nothing else until then.
    fn reduction(&self, block: &[Stmt], at: usize) -> Option<Reduction> {
        let is = &block[at];
        let is_loop = matches!(is, Stmt::For { kind, .. } if *kind != LoopKind::Par);
        let assigns = is_loop.then(|| accumulators(is))??;
        let alone = (assigns.iter()).all(|(v, n)| self.assigned.get(v) == Some(n));
        if !alone {
            return None;
        }
        let mut reads = Touched::read(self.nest, is);
        let mut starts = FxHashMap::default();
        let mut between = Touched::default();
        for s in &block[..at] {
            match s {
                Stmt::Let {
                    var,
                    value: Some(start),
                    mutable: true,
                    ..
                } if assigns.contains_key(var) => {
                    reads.expr(self.nest, start);
                    starts.insert(*var, start.clone());
                }
                s => between.add(&Touched::read(self.nest, s)),
            }
        }
        let own = |v: &Symbol| assigns.contains_key(v);
        if between.vars.iter().any(own) {
            return None;
        }
        let accumulators = assigns.keys().map(|v| Some((*v, starts.remove(v)?)));
        let accumulators = accumulators.collect::<Option<_>>()?;
        reads.vars.retain(|v| !own(v));
        Some(Reduction {
            accumulators,
            is: is.clone(),
            reads,
            depth: self.depth,
        })
    }
}

impl Reduction {
    /// The accumulators of another reduction and those of this one which are equal, if it is the same.
    fn names(&self, other: &Reduction) -> Option<FxHashMap<Symbol, Symbol>> {
        let starts = self.accumulators.iter().zip(&other.accumulators);
        if self.accumulators.len() != other.accumulators.len()
            || !starts.clone().all(|((_, a), (_, b))| a.same(b))
        {
            return None;
        }
        let accumulators = starts.map(|((mine, _), (theirs, _))| (*theirs, *mine));
        let accumulators: FxHashMap<Symbol, Symbol> = accumulators.collect();
        let mut names = accumulators.clone();
        names.extend(
            declarations(&other.is)
                .into_iter()
                .zip(declarations(&self.is)),
        );
        let mut renamed = vec![other.is.clone()];
        walk::rename(&mut renamed, &names);
        same_block(std::slice::from_ref(&self.is), &renamed).then_some(accumulators)
    }
}

fn declarations(s: &Stmt) -> Vec<Symbol> {
    let mut all = Vec::new();
    walk::each_stmt(std::slice::from_ref(s), &mut |s| {
        all.extend(walk::declared(s));
    });
    all
}

fn same_block(a: &[Stmt], b: &[Stmt]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

/// Whether two statements that store nothing are the same.
fn same(a: &Stmt, b: &Stmt) -> bool {
    use Stmt::{Assign, For, If, Index, Let};
    match (a, b) {
        (
            For {
                var,
                extent,
                kind,
                body,
                ..
            },
            For {
                var: v,
                extent: e,
                kind: k,
                body: b,
                ..
            },
        ) => var == v && extent == e && kind == k && same_block(body, b),
        (
            If { cond, then, els },
            If {
                cond: c,
                then: t,
                els: e,
            },
        ) => cond.same(c) && same_block(then, t) && same_block(els, e),
        (
            Let {
                var,
                value,
                shape,
                mutable,
            },
            Let {
                var: v,
                value: x,
                shape: s,
                mutable: m,
            },
        ) => {
            let values = match (value, x) {
                (Some(a), Some(b)) => a.same(b),
                (a, b) => a.is_none() && b.is_none(),
            };
            var == v && shape == s && mutable == m && values
        }
        (Assign { var, value }, Assign { var: v, value: x }) => var == v && value.same(x),
        (Index { var, value }, Index { var: v, value: x }) => var == v && value == x,
        _ => false,
    }
}
