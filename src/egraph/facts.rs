//! What is known of every class: type, free variables, heads, cheapest node.
//!
//! Invariants: all nodes of a class have one type; `free` is a union over the
//! nodes, so a variable that is not in it occurs in no term of the class; the
//! best node's children are strictly cheaper, so following best nodes ends.

use super::node::{Node, Shape};
use super::record::Record;
use crate::term::Op;
use crate::ty::Ty;
use egg::{Analysis, DidMerge, EGraph, Id};
use rustc_hash::FxHashMap;

/// Free variables as bits; the last bit stands for every variable from 63 on.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub struct Free(pub u64);

const SPILL: u64 = 1 << 63;

impl Free {
    /// Just variable `i`.
    pub fn var(i: u32) -> Free {
        Free(1 << i.min(63))
    }

    /// Both.
    pub fn or(self, o: Free) -> Free {
        Free(self.0 | o.0)
    }

    /// Outside of one binder.
    pub fn under_binder(self) -> Free {
        Free((self.0 >> 1) | (self.0 & SPILL))
    }

    /// Whether variable `i` may occur.
    pub fn has(self, i: u32) -> bool {
        self.0 & (1 << i.min(63)) != 0
    }

    /// Whether a variable from `i` on may occur.
    pub fn any_from(self, i: u32) -> bool {
        self.0 >> i.min(63) != 0
    }
}

/// Which operation a class may be, applied to how many arguments: a filter in
/// front of matching. Only operations that rules look for have bits of their
/// own; sharing a bit costs time, never a match.
#[derive(Clone, Default, Debug)]
pub struct Heads {
    slots: FxHashMap<Op, u32>,
}

const SLOTS: u32 = 16;
/// Bits 0, 4, 8 …: what is applied to nothing.
const UNAPPLIED: u64 = 0x1111_1111_1111_1111;

impl Heads {
    /// Gives bits to `ops`.
    pub fn new(ops: impl IntoIterator<Item = Op>) -> Heads {
        let mut slots = FxHashMap::default();
        for op in ops {
            let next = slots.len() as u32;
            slots.entry(op).or_insert(1 + next % (SLOTS - 1));
        }
        Heads { slots }
    }

    /// The bit of `op` at `args` arguments; 0 where it has none and every class
    /// has to be looked at.
    pub fn bit(&self, op: Op, args: u32) -> u64 {
        match self.slots.get(&op) {
            Some(slot) if args < 4 => 1 << (4 * slot + args),
            _ => 0,
        }
    }

    /// The bit of a lambda at `args` arguments.
    pub fn lambda(args: u32) -> u64 {
        if args < 4 {
            1 << args
        } else {
            0
        }
    }
}

/// Facts of one class.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Facts {
    /// The type of all its nodes.
    pub ty: Ty,
    /// Size of its smallest term.
    pub size: u32,
    /// Redexes of the term that best nodes lead to.
    pub redexes: u32,
    /// Size of that term.
    pub best_size: u32,
    /// Variables that may occur free.
    pub free: Free,
    /// Heads, see [`Heads`].
    pub heads: u64,
    /// The node with the fewest redexes below it, then the smallest.
    pub best: Node,
}

/// The analysis that keeps [`Facts`].
#[derive(Clone, Default, Debug)]
pub struct FactsOf {
    /// Which operations have bits.
    pub heads: Heads,
    /// What is recorded, if anything.
    pub record: Option<Box<Record>>,
}

impl Analysis<Node> for FactsOf {
    type Data = Facts;

    fn pre_union(g: &EGraph<Node, FactsOf>, a: Id, b: Id, _: &Option<egg::Justification>) {
        if let Some(record) = &g.analysis.record {
            if g.find(a) != g.find(b) {
                record.see(a, b);
            }
        }
    }

    fn make(g: &mut EGraph<Node, FactsOf>, node: &Node, _: Id) -> Facts {
        let mut facts = Facts {
            ty: node.ty,
            size: 1,
            redexes: 0,
            best_size: 1,
            free: Free::default(),
            heads: 0,
            best: *node,
        };
        match node.shape {
            Shape::Var(i) => facts.free = Free::var(i),
            Shape::Lam([b]) => {
                let body = &g[b].data;
                facts.size = body.size.saturating_add(1);
                facts.best_size = body.best_size.saturating_add(1);
                facts.redexes = body.redexes;
                facts.free = body.free.under_binder();
                facts.heads = Heads::lambda(0);
                if let Shape::App([f, x]) = body.best.shape {
                    let eta = matches!(g[x].data.best.shape, Shape::Var(0));
                    if eta && !g[f].data.free.has(0) && g[f].data.ty == node.ty {
                        facts.redexes = facts.redexes.saturating_add(1);
                    }
                }
            }
            Shape::App([f, x]) => {
                let (fun, arg) = (&g[f].data, &g[x].data);
                facts.size = fun.size.saturating_add(arg.size).saturating_add(1);
                facts.best_size = fun
                    .best_size
                    .saturating_add(arg.best_size)
                    .saturating_add(1);
                facts.redexes = fun.redexes.saturating_add(arg.redexes);
                if matches!(fun.best.shape, Shape::Lam(_)) {
                    facts.redexes = facts.redexes.saturating_add(1);
                }
                facts.free = fun.free.or(arg.free);
                facts.heads = (fun.heads << 1) & !UNAPPLIED;
            }
            Shape::Prim(p) => {
                facts.heads = g.analysis.heads.bit(p.op(), 0);
                facts.size = p.size();
                facts.best_size = facts.size;
            }
            Shape::Lit(_) => {}
        }
        facts
    }

    fn merge(&mut self, a: &mut Facts, b: Facts) -> DidMerge {
        assert_eq!(a.ty, b.ty, "a rule merged two types");
        let old = *a;
        a.free = a.free.or(b.free);
        a.heads |= b.heads;
        a.size = a.size.min(b.size);
        if (b.redexes, b.best_size) < (a.redexes, a.best_size) {
            (a.redexes, a.best_size, a.best) = (b.redexes, b.best_size, b.best);
        }
        let differs = |f: &Facts| {
            (f.free, f.heads, f.size, f.redexes, f.best_size)
                != (a.free, a.heads, a.size, a.redexes, a.best_size)
        };
        DidMerge(differs(&old), differs(&b))
    }
}
