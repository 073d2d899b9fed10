//! What a loop program computes to find its elements, as far as rules might say it better.
//!
//! In: a loop program. Out: indices of accesses that neither rise nor fall throughout a loop around them, and lengths of buffers that are no
//! constants though a number bounds them, each once, with the ranges of its variables. Absent: indices that are sums of products,
//! which no rule makes simpler.

use crate::arith::Nat;
use crate::index::{to_expr, Facts, Level};
use crate::intern::Symbol;
use crate::nest::{walk, Block, Nest, Stmt};
use crate::scalar::{Expr, Op};
use crate::simplify::{self, build};
use std::collections::BTreeSet;

/// An expression, and what is assumed of its variables.
pub type Open = (Vec<Expr>, Expr);

/// Indices that are not monotone in a loop around them.
pub fn not_monotone(nest: &Nest) -> Vec<Open> {
    let mut all = Accesses {
        facts: Facts::new(Level::Full),
        loops: Vec::new(),
        indices: Vec::new(),
        found: Vec::new(),
    };
    all.block(&nest.body);
    all.found
}

/// Lengths of buffers that are no constants, where a number bounds them from above.
pub fn bounded_lengths(nest: &Nest) -> Vec<Open> {
    let mut found: Vec<Open> = Vec::new();
    for buffer in &nest.buffers {
        let Some(e) = to_expr(buffer.len).filter(|_| buffer.len.as_int().is_none()) else {
            continue;
        };
        let assumed = of_variables(buffer.len, &[]);
        let mut facts = simplify::Facts::new();
        facts.assume_all(&assumed);
        if facts.range(e).hi.is_some() && !found.iter().any(|f| f.1 == e) {
            found.push((assumed, e));
        }
    }
    found
}

struct Accesses {
    facts: Facts,
    /// Around a statement, with how often they run.
    loops: Vec<(Symbol, Nat)>,
    /// What indices with names stand for.
    indices: Vec<(Symbol, Nat)>,
    found: Vec<Open>,
}

impl Accesses {
    fn block(&mut self, block: &Block) {
        for s in block {
            let mut own = Vec::new();
            walk::each_index(s, &mut |n| own.push(n));
            own.into_iter().for_each(|n| self.index(n));
            match s {
                Stmt::For {
                    var, extent, body, ..
                } => {
                    self.facts.range(*var, 0.into(), *extent - 1.into());
                    let extent = self.plain(*extent);
                    self.loops.push((*var, extent));
                    self.block(body);
                    self.loops.pop();
                }
                Stmt::If { then, els, .. } => {
                    self.block(then);
                    self.block(els);
                }
                Stmt::Index { var, value } => {
                    let value = self.plain(*value);
                    self.indices.push((*var, value));
                }
                _ => {}
            }
        }
    }

    /// An index without names of others.
    fn plain(&self, n: Nat) -> Nat {
        let known = |v: Symbol| self.indices.iter().rev().find(|i| i.0 == v);
        n.subst_vars(&mut |v| known(v).map(|i| i.1))
    }

    fn index(&mut self, n: Nat) {
        let n = self.plain(n);
        let around = |v: &Symbol| self.loops.iter().any(|l| l.0 == *v);
        if !n.has_operations()
            || n.vars()
                .iter()
                .filter(|v| around(v))
                .all(|v| self.is_monotone(n, *v))
        {
            return;
        }
        let assumed = of_variables(n, &self.loops);
        if let Some(e) = to_expr(n).filter(|e| !self.found.iter().any(|f| f.1 == *e)) {
            self.found.push((assumed, e));
        }
    }

    /// Whether a step of a loop never makes it less, or never more.
    fn is_monotone(&self, n: Nat, var: Symbol) -> bool {
        let next = |v: Symbol| (v == var).then(|| Nat::var(v) + 1.into());
        let step = self.facts.simplify(n.subst_vars(&mut |v| next(v)) - n);
        self.facts.at_least(step, 0.into()) || self.facts.at_least(0.into(), step)
    }
}

/// What is known of the variables of a number: of loops, and of sizes, which are not negative.
fn of_variables(n: Nat, loops: &[(Symbol, Nat)]) -> Vec<Expr> {
    let mut open: Vec<Symbol> = n.vars().to_vec();
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    while let Some(v) = open.pop() {
        if !seen.insert(v) {
            continue;
        }
        let var = to_expr(Nat::var(v));
        all.extend(var.map(|var| build(Op::Le, &[Expr::int(0), var])));
        if let Some((_, extent)) = loops.iter().rev().find(|l| l.0 == v) {
            let below = var.zip(to_expr(*extent));
            all.extend(below.map(|(var, n)| build(Op::Lt, &[var, n])));
            open.extend(extent.vars().iter().copied());
        }
    }
    all
}
