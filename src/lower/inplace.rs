//! Whether a reduction may write its accumulator while it reads it.
//!
//! Note [In place]
//! Every element is stored once by a body. So it is safe if whatever is read of
//! the old accumulator to compute an element is that element alone: then no
//! element is read after it was written. Values flow from loads to stores
//! through variables, local buffers and conditions; all of that is followed, and
//! what cannot be told apart counts as flowing. Inner reductions that run in the
//! same place read it under names of their own, which are newer; their own check
//! has passed. Reading it under an older name is refused.
//!
//! A body is safe for another reason, too: if it reads no element behind the statement that stores it. So both parts of a complex
//! number are computed from both. In a loop that holds of each iteration, if no two of them touch the same elements.

use super::state::Lower;
use super::value::Mem;
use crate::arith::{AtomKind, Nat};
use crate::intern::Symbol;
use crate::nest::walk::{declared, each_stmt};
use crate::nest::{BufId, Expr, ExprKind, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// What is read of the old accumulator: leaf, index, lanes.
type Reads = BTreeSet<(BufId, Nat, u32)>;

#[derive(Default)]
struct Flow {
    /// What each variable is computed from.
    vars: FxHashMap<Symbol, Vec<Expr>>,
    indices: FxHashMap<Symbol, Vec<Nat>>,
    /// What is stored to buffers: index, value, conditions around it.
    stores: Vec<(BufId, Nat, Expr, Vec<Expr>)>,
    loads: Vec<BufId>,
}

impl Flow {
    fn collect(&mut self, block: &[Stmt], conds: &mut Vec<Expr>) {
        for s in block {
            if let Some(e) = crate::nest::walk::exprs(s) {
                e.visit(&mut |e| {
                    if let ExprKind::Load(b, _) = e.kind() {
                        self.loads.push(*b);
                    }
                });
            }
            match s {
                Stmt::For { body, .. } => self.collect(body, conds),
                Stmt::If { cond, then, els } => {
                    conds.push(cond.clone());
                    self.collect(then, conds);
                    self.collect(els, conds);
                    conds.pop();
                }
                Stmt::Let { var, value, .. } => {
                    let flows = self.vars.entry(*var).or_default();
                    flows.extend(value.iter().cloned());
                }
                Stmt::Assign { var, value } => {
                    let flows = self.vars.entry(*var).or_default();
                    flows.push(value.clone());
                    flows.extend(conds.iter().cloned());
                }
                Stmt::Index { var, value } => self.indices.entry(*var).or_default().push(*value),
                Stmt::Alloc(_) | Stmt::Prefetch { .. } => {}
                Stmt::Store {
                    buf, index, value, ..
                } => self
                    .stores
                    .push((*buf, *index, value.clone(), conds.clone())),
            }
        }
    }
}

impl Lower {
    /// Whether `block`, which reads the accumulator under `names` and writes it,
    /// is safe. See Note [In place].
    pub fn is_safe_in_place(&self, block: &[Stmt], names: &Mem) -> bool {
        let own: FxHashSet<BufId> = names.leaves.iter().map(|l| l.buf).collect();
        let roots: FxHashSet<BufId> = own.iter().map(|b| self.root_of(*b)).collect();
        let newest = names.leaves.iter().map(|l| l.buf).max();
        let mut flow = Flow::default();
        flow.collect(block, &mut Vec::new());
        let older =
            |b: &BufId| roots.contains(&self.root_of(*b)) && !own.contains(b) && Some(*b) < newest;
        if flow.loads.iter().any(older) {
            return false;
        }
        if !flow.loads.iter().any(|b| own.contains(b)) {
            return true;
        }
        if self.reads_before(block, [&own, &roots], &mut Vec::new()) {
            return true;
        }
        for (buf, index, value, conds) in &flow.stores {
            if !roots.contains(&self.root_of(*buf)) {
                continue;
            }
            let mut reads = Reads::new();
            let mut search = Search {
                cx: self,
                flow: &flow,
                own: &own,
                vars: FxHashSet::default(),
                stores: FxHashSet::default(),
            };
            search.expr(value, &mut reads);
            search.nat(*index, &mut reads);
            for c in conds {
                search.expr(c, &mut reads);
            }
            let lanes = value.shape().lanes;
            for (b, at, w) in reads {
                let inside = (self.simplify(at - *index).as_int())
                    .is_some_and(|o| o >= 0 && o + i64::from(w) <= i64::from(lanes));
                if self.root_of(b) != self.root_of(*buf) || !inside {
                    return false;
                }
            }
        }
        true
    }

    /// Whether no statement reads an element of the old accumulator that one before it stored; `stored`: those so far.
    fn reads_before(
        &self,
        block: &[Stmt],
        [own, roots]: [&FxHashSet<BufId>; 2],
        stored: &mut Vec<(BufId, Nat, u32)>,
    ) -> bool {
        block.iter().all(|s| {
            let mut safe = true;
            if let Some(e) = crate::nest::walk::exprs(s) {
                e.visit(&mut |e| {
                    if let ExprKind::Load(b, at) = e.kind() {
                        let read = (self.root_of(*b), *at, e.shape().lanes);
                        let behind = |s: &(BufId, Nat, u32)| s.0 == read.0 && !self.apart(s, &read);
                        safe &= !own.contains(b) || !stored.iter().any(behind);
                    }
                });
            }
            safe && match s {
                Stmt::For { var, body, .. } => {
                    let before = stored.len();
                    self.reads_before(body, [own, roots], stored)
                        && self.apart_in_each(*var, body, own, &stored[before..])
                }
                Stmt::If { then, els, .. } => {
                    self.reads_before(then, [own, roots], stored)
                        && self.reads_before(els, [own, roots], stored)
                }
                Stmt::Store {
                    buf, index, value, ..
                } => {
                    let root = self.root_of(*buf);
                    if roots.contains(&root) {
                        stored.push((root, *index, value.shape().lanes));
                    }
                    true
                }
                _ => true,
            }
        })
    }

    /// Whether the iterations of a loop that stores there, and has no loop in it, touch elements of the accumulator that no other
    /// iteration does.
    fn apart_in_each(
        &self,
        var: Symbol,
        body: &[Stmt],
        own: &FxHashSet<BufId>,
        stored: &[(BufId, Nat, u32)],
    ) -> bool {
        let (mut touched, mut flat) = (stored.to_vec(), true);
        each_stmt(body, &mut |s| {
            flat &= !matches!(s, Stmt::For { .. });
            // What is named in an iteration may be anything in the next one.
            let named = declared(s);
            flat &= named.is_none_or(|v| !stored.iter().any(|s| s.1.mentions(v)));
            if let Some(e) = crate::nest::walk::exprs(s) {
                e.visit(&mut |e| match e.kind() {
                    ExprKind::Load(b, at) if own.contains(b) => {
                        touched.push((self.root_of(*b), *at, e.shape().lanes));
                    }
                    _ => {}
                });
            }
        });
        let apart = |(buf, index, _): &(BufId, Nat, u32)| {
            let next = index.subst_var(var, Nat::var(var) + Nat::int(1));
            let stride = self.simplify(next - *index).as_int()?;
            let (mut first, mut end) = (0, 0);
            for (_, at, lanes) in touched.iter().filter(|t| t.0 == *buf) {
                let by = self.simplify(*at - *index).as_int()?;
                first = by.min(first);
                end = (by + i64::from(*lanes)).max(end);
            }
            Some(end - first <= stride.abs())
        };
        stored.is_empty() || flat && stored.iter().all(|s| apart(s) == Some(true))
    }

    /// Whether two places of one buffer have no element in common.
    fn apart(&self, a: &(BufId, Nat, u32), b: &(BufId, Nat, u32)) -> bool {
        let by = self.simplify(b.1 - a.1).as_int();
        by.is_some_and(|by| by >= i64::from(a.2) || -by >= i64::from(b.2))
    }
}

struct Search<'a> {
    cx: &'a Lower,
    flow: &'a Flow,
    own: &'a FxHashSet<BufId>,
    vars: FxHashSet<Symbol>,
    stores: FxHashSet<usize>,
}

impl Search<'_> {
    fn expr(&mut self, e: &Expr, reads: &mut Reads) {
        let mut parts = Vec::new();
        e.visit(&mut |e| parts.push(e.clone()));
        for e in parts {
            match e.kind() {
                ExprKind::Var(v) => self.var(*v, reads),
                ExprKind::Index(n) | ExprKind::Clamp(_, n) | ExprKind::Pick(_, n) => {
                    self.nat(*n, reads)
                }
                ExprKind::Load(b, n) => {
                    self.nat(*n, reads);
                    if self.own.contains(b) {
                        reads.insert((*b, *n, e.shape().lanes));
                    } else {
                        self.buffer(*b, *n, e.shape().lanes, reads);
                    }
                }
                _ => {}
            }
        }
    }

    fn nat(&mut self, n: Nat, reads: &mut Reads) {
        let mut vars = Vec::new();
        n.each_atom(&mut |a| {
            if let AtomKind::Var(v) = a.kind() {
                vars.push(v);
            }
        });
        for v in vars {
            self.var(v, reads);
        }
    }

    fn var(&mut self, v: Symbol, reads: &mut Reads) {
        if !self.vars.insert(v) {
            return;
        }
        for e in self.flow.vars.get(&v).into_iter().flatten() {
            self.expr(e, reads);
        }
        for n in self.flow.indices.get(&v).into_iter().flatten() {
            self.nat(*n, reads);
        }
    }

    /// What flows into elements of another buffer; known places are told apart.
    fn buffer(&mut self, b: BufId, at: Nat, lanes: u32, reads: &mut Reads) {
        let root = self.cx.root_of(b);
        for (i, (buf, index, value, conds)) in self.flow.stores.iter().enumerate() {
            if self.cx.root_of(*buf) != root || self.stores.contains(&i) {
                continue;
            }
            let apart = match (index.as_int(), at.as_int()) {
                (Some(s), Some(l)) => {
                    s + i64::from(value.shape().lanes) <= l || l + i64::from(lanes) <= s
                }
                _ => false,
            };
            if apart {
                continue;
            }
            self.stores.insert(i);
            self.expr(value, reads);
            self.nat(*index, reads);
            for c in conds {
                self.expr(c, reads);
            }
        }
    }
}
