//! How long each parallel loop takes in one thread, as a formula of its sizes: whether it is worth starting threads; and its schedule.
//!
//! In: a loop program as it is printed, and its machine. Out: for each parallel loop a sum of products of sizes, in cycles. What a
//! loop without others takes for an iteration is estimated at usual sizes; how often it runs, its sizes say, where quotients are not
//! rounded and an index is in the middle. Absent: memory, as what is near the threshold is in a cache.

use super::compute::{registers, Walk, AUTOMATIC};
use super::sizes::{is_unrolled, truth, value};
use super::{segments, statics, Context, Machine};
use crate::arith::{Atom, AtomKind, Nat, Rat};
use crate::intern::Symbol;
use crate::nest::{LoopKind, Nest, Stmt};
use crate::target::Target;
use std::collections::{BTreeMap, BTreeSet};

/// What a size counts as where an iteration is estimated.
const USUAL: i64 = 1000;

/// What is known of parallel loops, by their variables.
#[derive(Default)]
pub struct Parallel {
    /// The cycles of each in one thread.
    pub shares: BTreeMap<Symbol, Nat>,
    /// Those that are to be static.
    pub statics: BTreeSet<Symbol>,
}

/// Each parallel loop.
pub fn parallel(nest: &Nest, target: Target) -> Parallel {
    let differ = statics::of_lengths_read(&nest.body);
    let nest = &*segments::of_usual_length(nest);
    let registers = &registers(nest);
    let cx = Context {
        nest,
        registers,
        env: nest.abi.sizes.iter().map(|s| (*s, USUAL)).collect(),
        machine: &Machine::of(target),
        again: false,
    };
    let mut shares = Shares {
        cx: &cx,
        walk: Walk::new(&cx),
        known: BTreeMap::new(),
        all: Parallel::default(),
    };
    shares.block(&nest.body);
    let mut all = shares.all;
    all.statics.retain(|var| !differ.contains(var));
    all
}

struct Shares<'a> {
    cx: &'a Context<'a>,
    walk: Walk<'a>,
    /// What variables of loops and names of indices are, in terms of sizes.
    known: BTreeMap<Symbol, Nat>,
    all: Parallel,
}

impl Shares<'_> {
    fn block(&mut self, block: &[Stmt]) -> Nat {
        block.iter().fold(Nat::int(0), |sum, s| sum + self.stmt(s))
    }

    fn stmt(&mut self, s: &Stmt) -> Nat {
        match s {
            Stmt::For {
                var,
                extent,
                kind,
                body,
                ..
            } => {
                let times = self.sizes(*extent);
                self.known.insert(*var, times * half());
                let cycles = times * self.iteration((*var, *extent, *kind), body);
                if kind.is_par() {
                    self.all.shares.insert(*var, short(cycles));
                    let cx = Context {
                        env: self.walk.env.clone(),
                        ..*self.cx
                    };
                    if statics::is_static(&cx, s) {
                        self.all.statics.insert(*var);
                    }
                }
                cycles
            }
            Stmt::If { cond, then, els } => {
                let known = truth(cond, &self.walk.env);
                let (yes, no) = (self.block(then), self.block(els));
                match known {
                    Some(true) => yes,
                    Some(false) => no,
                    None => yes + no,
                }
            }
            Stmt::Index { var, value } => {
                let n = self.sizes(*value);
                self.known.insert(*var, n);
                rounded(self.walk.stmt(s))
            }
            _ => rounded(self.walk.stmt(s)),
        }
    }

    /// An iteration of a loop.
    fn iteration(&mut self, (var, extent, kind): (Symbol, Nat, LoopKind), body: &[Stmt]) -> Nat {
        let n = value(extent, &self.walk.env).max(1);
        self.walk.env.insert(var, n / 2);
        if body.iter().all(is_short) {
            return rounded(self.walk.run((var, extent, n), body, kind) / n as f64);
        }
        let once = self.block(body) + Nat::int(2);
        match self.walk.around(var, body, kind) {
            Some(lanes) => once * rounded(1.0 / (lanes * AUTOMATIC)),
            None => once,
        }
    }

    /// A size or an index in terms of sizes.
    fn sizes(&self, n: Nat) -> Nat {
        n.map_atoms(&mut |a| Some(self.atom(a)))
    }

    fn atom(&self, a: Atom) -> Nat {
        let over = |x: Nat, d: Nat| match d.as_int() {
            Some(d) if d != 0 => self.sizes(x).exact_div(Nat::int(d)),
            _ => self.sizes(x),
        };
        let at = |n: Nat| value(n, &self.walk.env);
        match a.kind() {
            AtomKind::Var(v) => self.known.get(&v).copied().unwrap_or(Nat::var(v)),
            AtomKind::Floor(x, d) | AtomKind::Ceil(x, d) | AtomKind::Quot(x, d) => over(x, d),
            AtomKind::Mod(_, d) => self.sizes(d) * half(),
            AtomKind::Min(x, y) => self.sizes(if at(x) <= at(y) { x } else { y }),
            AtomKind::Max(x, y) => self.sizes(if at(x) >= at(y) { x } else { y }),
            AtomKind::Meta(_) | AtomKind::Overflow => Nat::int(USUAL),
        }
    }
}

fn half() -> Nat {
    Nat::int(1).exact_div(Nat::int(2))
}

/// Whether a compiler writes all loops in it out.
fn is_short(s: &Stmt) -> bool {
    match s {
        Stmt::For { extent, body, .. } => is_unrolled(*extent) && body.iter().all(is_short),
        Stmt::If { then, els, .. } => then.iter().chain(els).all(is_short),
        _ => true,
    }
}

/// A number of cycles with two places that count.
fn rounded(cycles: f64) -> Nat {
    let mut den = 1;
    let mut scaled = cycles;
    while scaled < 10.0 && den < 1000 {
        (scaled, den) = (scaled * 10.0, den * 10);
    }
    Nat::int(scaled.min(1e12).ceil() as i64).exact_div(Nat::int(den))
}

/// The same with short numbers: what is subtracted is left out, as where it is printed.
fn short(cycles: Nat) -> Nat {
    let of = |c: Rat| c.num() as f64 / c.den() as f64;
    let terms = cycles.terms().into_iter().filter(|(_, c)| of(*c) > 0.0);
    let terms = terms.filter_map(|(m, c)| Some((m, rounded(of(c)).as_rat()?)));
    Nat::from_terms(terms)
}
