//! Loop-invariant code motion: division, remainder, minimum and maximum leave the loops.
//!
//! Every operation of an index that is no sum or product becomes a constant in
//! the outermost block that binds its variables, and sizes known to be whole
//! (`n/32`) become constants of the function. So innermost loops compute sums of
//! products only. How far the iterations of a loop lie apart is a constant, too, if it is a long sum (`(h+2)·(w+2)`,
//! multiplied out): compilers that count instructions before they move them would not write out loops over windows.

use crate::arith::{Atom, AtomKind, Mono, Nat, Rat};
use crate::index::Facts;
use crate::intern::Symbol;
use crate::nest::{Block, Expr, Nest, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many terms a long sum has.
const LONG: usize = 3;

/// Rewrites all indices of a nest.
pub(super) fn hoist(nest: &mut Nest, facts: &Facts) {
    let mut taken: FxHashSet<Symbol> = nest.abi.sizes.iter().copied().collect();
    taken.extend(nest.buffers.iter().map(|b| b.name));
    let mut h = Hoist {
        facts,
        frames: vec![Frame::default()],
        depth_of: FxHashMap::default(),
        loops: Vec::new(),
        taken,
        counter: 0,
    };
    let body = std::mem::take(&mut nest.body);
    nest.body = h.block_in_frame(body);
}

#[derive(Default)]
struct Frame {
    /// To stand before the statement that is being rewritten.
    pending: Vec<Stmt>,
    known: FxHashMap<Nat, Symbol>,
}

struct Hoist<'a> {
    facts: &'a Facts,
    frames: Vec<Frame>,
    depth_of: FxHashMap<Symbol, usize>,
    /// Variables of the loops around, outermost first.
    loops: Vec<Symbol>,
    taken: FxHashSet<Symbol>,
    counter: usize,
}

impl Hoist<'_> {
    fn block(&mut self, block: Block) -> Block {
        self.frames.push(Frame::default());
        let out = self.block_in_frame(block);
        self.frames.pop();
        out
    }

    fn block_in_frame(&mut self, block: Block) -> Block {
        let depth = self.frames.len() - 1;
        let mut out = Block::new();
        for s in block {
            let s = self.stmt(s, depth);
            out.append(&mut self.frames[depth].pending);
            out.push(s);
        }
        out
    }

    fn stmt(&mut self, s: Stmt, depth: usize) -> Stmt {
        match s {
            Stmt::For {
                var,
                extent,
                kind,
                body,
                note,
            } => {
                let extent = self.nat(extent);
                self.depth_of.insert(var, depth + 1);
                self.loops.push(var);
                let body = self.block(body);
                self.loops.pop();
                Stmt::For {
                    var,
                    extent,
                    kind,
                    body,
                    note,
                }
            }
            Stmt::If { cond, then, els } => Stmt::If {
                cond: self.expr(&cond),
                then: self.block(then),
                els: self.block(els),
            },
            Stmt::Let {
                var,
                value,
                shape,
                mutable,
            } => {
                let value = value.map(|e| self.expr(&e));
                self.depth_of.insert(var, depth);
                Stmt::Let {
                    var,
                    value,
                    shape,
                    mutable,
                }
            }
            Stmt::Assign { var, value } => Stmt::Assign {
                var,
                value: self.expr(&value),
            },
            Stmt::Index { var, value } => {
                let value = self.nat(value);
                self.depth_of.insert(var, depth);
                Stmt::Index { var, value }
            }
            Stmt::Alloc(b) => Stmt::Alloc(b),
            Stmt::Prefetch { buf, index } => Stmt::Prefetch {
                buf,
                index: self.nat(index),
            },
            Stmt::Store {
                buf,
                index,
                value,
                what,
                element,
            } => Stmt::Store {
                buf,
                index: self.place(index),
                value: self.expr(&value),
                what,
                element,
            },
        }
    }

    fn expr(&mut self, e: &Expr) -> Expr {
        e.map_indices(&mut |n| self.place(n))
    }

    /// The same, with names for how far iterations lie apart.
    fn place(&mut self, n: Nat) -> Nat {
        let mut n = self.nat(n);
        for var in self.loops.clone() {
            let step = n.coefficient(var).filter(|c| c.terms().len() >= LONG);
            let Some(step) = step.filter(|c| !self.loops.iter().any(|v| c.mentions(*v))) else {
                continue;
            };
            let name = Nat::var(self.named(step));
            n = n - step * Nat::var(var) + name * Nat::var(var);
        }
        n
    }

    /// `n` as a sum of products of variables.
    fn nat(&mut self, n: Nat) -> Nat {
        let mut terms = Nat::int(0);
        for (m, c) in n.terms() {
            let mut t = self.whole_term(&m, c);
            if t.is_none() {
                let mut product = Nat::rat(c);
                for (a, e) in m.factors() {
                    let v = self.atom(a);
                    for _ in 0..e.unsigned_abs() {
                        product = match e > 0 {
                            true => product * v,
                            false => product.exact_div(v),
                        };
                    }
                }
                t = Some(product);
            }
            if let Some(t) = t {
                terms = terms + t;
            }
        }
        terms
    }

    /// A term with division in it, by a size known to be whole.
    fn whole_term(&mut self, m: &Mono, c: Rat) -> Option<Nat> {
        if c.as_int().is_some() && m.is_integral() {
            return None;
        }
        for w in self.facts.whole_sizes().to_vec() {
            let [(wm, wc)] = &w.terms()[..] else { continue };
            let rest = m.div(wm);
            let Some(q) = c.div(*wc).filter(|q| q.as_int().is_some()) else {
                continue;
            };
            if !rest.is_integral() {
                continue;
            }
            let var = Nat::var(self.named(w));
            let others = self.nat(Nat::from_terms([(rest, q)]));
            return Some(others * var);
        }
        None
    }

    fn atom(&mut self, a: Atom) -> Nat {
        use AtomKind::*;
        let kind = match a.kind() {
            Var(_) | Meta(_) | Overflow => return Nat::atom(a),
            Floor(x, d) => Floor(self.nat(x), self.nat(d)),
            Ceil(x, d) => Ceil(self.nat(x), self.nat(d)),
            Mod(x, d) => Mod(self.nat(x), self.nat(d)),
            Min(x, y) => Min(self.nat(x), self.nat(y)),
            Max(x, y) => Max(self.nat(x), self.nat(y)),
            Quot(x, d) => Quot(self.nat(x), self.nat(d)),
        };
        Nat::var(self.named(Nat::atom(Atom::new(kind))))
    }

    /// The constant that holds `n`.
    fn named(&mut self, n: Nat) -> Symbol {
        let mut depth = 0;
        n.each_atom(&mut |a| {
            if let AtomKind::Var(v) = a.kind() {
                depth = depth.max(self.depth_of.get(&v).copied().unwrap_or(0));
            }
        });
        if let Some(v) = self.frames[depth].known.get(&n) {
            return *v;
        }
        let var = loop {
            let v = Symbol::new(&format!("k{}", self.counter));
            self.counter += 1;
            if self.taken.insert(v) {
                break v;
            }
        };
        self.depth_of.insert(var, depth);
        self.frames[depth].known.insert(n, var);
        self.frames[depth]
            .pending
            .push(Stmt::Index { var, value: n });
        var
    }
}
