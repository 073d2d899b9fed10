//! Index set splitting where data and outer loops say where the border lies: an index is bounded only where it has to be.
//!
//! Comes in: a nest; goes out: one in which an innermost loop that bounds an index of its variable by what does not change in it, as
//! those do that read `i + t` of an array of `n`, is up to three: the first iterations, those inside, which read what the index says,
//! and the last. Compilers make vectors of the iterations inside, but gather element by element what is bounded. Invariant: the same
//! iterations, in the same order. Absent: borders of constant length (`index_set_splitting`), choices, loops with memory of their own.

use super::fresh::Names;
use super::index_set_splitting::is_brief;
use super::masks::Values;
use super::strip_mining::substituted;
use crate::arith::{AtomKind, Nat};
use crate::index::{to_expr, Facts};
use crate::intern::Symbol;
use crate::nest::{walk, Block, LoopKind, Nest, Stmt};
use crate::scalar;
use crate::solve::{Interval, Side};
use rustc_hash::FxHashSet;

/// The most statements that are written three times.
const STATEMENTS: usize = 40;

/// Splits loops.
pub(super) fn split(nest: &mut Nest, facts: &mut Facts) {
    let names = Names::of(nest);
    let values = Values::of(&nest.abi);
    let mut all = Splitting {
        names,
        facts,
        values,
    };
    walk::replace(&mut nest.body, &mut |s| all.parts(s));
}

struct Splitting<'a> {
    names: Names,
    facts: &'a mut Facts,
    values: Values,
}

/// The iterations between which no index is bounded: the first one, and the first one behind them.
type Inside = (Option<Nat>, Option<Nat>);

impl Splitting<'_> {
    /// A loop as those before, inside of and behind its borders.
    fn parts(&mut self, s: &Stmt) -> Option<Block> {
        self.values.declare(s);
        if let Stmt::For { var, extent, .. } = s {
            (self.facts).range(*var, 0.into(), *extent - 1.into());
        }
        let Stmt::For {
            var,
            extent,
            kind: kind @ (LoopKind::Seq | LoopKind::Independent),
            body,
            note,
        } = s
        else {
            return None;
        };
        if is_brief(*extent, self.facts) || !is_simple(body) {
            return None;
        }
        let mut own = FxHashSet::from_iter([*var]);
        walk::each_stmt(body, &mut |s| own.extend(walk::declared(s)));
        let mut asked = Vec::new();
        let mut inside = body.clone();
        unbounded(&mut inside, *var, &mut asked);
        let (low, end) = self.inside(&asked, &own, (*var, *extent))?;
        let zero = Nat::int(0);
        let first = low.map_or(zero, |n| self.facts.max(zero, self.facts.min(n, *extent)));
        let end = end.map_or(*extent, |n| {
            self.facts.max(first, self.facts.min(n, *extent))
        });
        let mut parts = Vec::new();
        let mut part = |pass: &mut Self, body: &Block, from: Nat, to: Nat| {
            let count = pass.facts.simplify(to - from);
            if count == zero {
                return;
            }
            let own = pass.names.like(*var);
            (pass.facts).range(own, zero, count - 1.into());
            let made = Stmt::For {
                var: own,
                extent: count,
                kind: *kind,
                body: substituted(body, *var, Nat::var(own) + from, pass.facts),
                note: note.clone(),
            };
            parts.push(pass.names.renew(made, pass.facts));
        };
        part(self, body, zero, first);
        part(self, &inside, first, end);
        part(self, body, end, *extent);
        Some(parts)
    }

    /// Between which values of a variable numbers are not negative.
    fn inside(
        &self,
        asked: &[Nat],
        own: &FxHashSet<Symbol>,
        (var, extent): (Symbol, Nat),
    ) -> Option<Inside> {
        let (mut low, mut end) = (None, None);
        for n in asked {
            let holds = scalar::Expr::of(scalar::Op::Le, &[scalar::Expr::int(0), to_expr(*n)?]);
            let asked = (holds, Side::Inner);
            let Interval { lower, upper, when } =
                (self.values).interval(self.facts, var, asked, &[*n, extent]);
            (when.as_bool() == Some(true)).then_some(())?;
            let bound = |e| self.values.bound(self.facts, e, own);
            if let Some(e) = lower {
                let n = bound(e)?;
                low = Some(low.map_or(n, |l| self.facts.max(l, n)));
            }
            if let Some(e) = upper {
                let n = bound(e)? + 1.into();
                end = Some(end.map_or(n, |u| self.facts.min(u, n)));
            }
        }
        (low.is_some() || end.is_some()).then_some((low, end))
    }
}

/// Whether a body has statements alone, not many, and no memory.
fn is_simple(body: &Block) -> bool {
    let fits = |s: &Stmt| {
        !matches!(
            s,
            Stmt::For { .. } | Stmt::If { .. } | Stmt::Alloc(_) | Stmt::Prefetch { .. }
        )
    };
    body.len() <= STATEMENTS && body.iter().all(fits)
}

/// What is read at indices without bounds that do not change with a variable, and what is not negative where they are those.
fn unbounded(body: &mut Block, var: Symbol, asked: &mut Vec<Nat>) {
    walk::map_block(
        body,
        &mut |e| e.map_indices(&mut |n| free(n, var, asked)),
        &mut |n| n,
    );
}

fn free(n: Nat, var: Symbol, asked: &mut Vec<Nat>) -> Nat {
    if !n.mentions(var) {
        return n;
    }
    n.map_atoms(&mut |a| {
        let (x, y, least) = match a.kind() {
            AtomKind::Min(x, y) => (x, y, true),
            AtomKind::Max(x, y) => (x, y, false),
            _ => return None,
        };
        let (x, y) = (free(x, var, asked), free(y, var, asked));
        let (own, bound) = match (x.mentions(var), y.mentions(var)) {
            (true, false) => (x, y),
            (false, true) => (y, x),
            (false, false) => return None,
            (true, true) => {
                return Some(match least {
                    true => x.min(y),
                    false => x.max(y),
                })
            }
        };
        let holds = match least {
            true => bound - own,
            false => own - bound,
        };
        if !asked.contains(&holds) {
            asked.push(holds);
        }
        Some(own)
    })
}
