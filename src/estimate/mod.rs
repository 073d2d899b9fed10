//! How long a loop program takes, roughly: to choose among programs that compute the same.
//!
//! In: a nest, sizes, a machine. Out: cycles, or of each parallel loop a formula of its cycles, and its schedule ([`parallel`]). Each statement outside of all loops takes what it computes or
//! what it moves, whichever is longer, and some of the other. What is computed counts operations, on numbers or vectors, and the chains in which one waits for the one
//! before; a loop that a compiler makes vectors of by itself counts as vectors. What is moved: for each array the bytes that
//! a loop touches, so that what does not fit a cache comes again. Parallel loops share both, and cost a start. Invariant: it is
//! a sum of counts, the same for the same input on every machine. Absent: measured time, whether a kernel is right.

mod bytes;
mod chains;
mod compute;
mod limit;
mod operations;
mod segments;
mod shares;
mod sizes;
mod statics;
mod streams;
mod traffic;
mod varying;
mod written;

pub use limit::{limit, Bound, Limit};
pub use shares::{parallel, Parallel};

use crate::intern::Symbol;
use crate::nest::{walk, BufId, ExprKind, LoopKind, Nest, Stmt, StorageClass};
use crate::target::Target;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes that come at once.
const LINE: f64 = 64.0;
/// What shows of the shorter of two things that happen at once.
const VISIBLE: f64 = 0.25;

/// How much longer loops take whose iterations a pass made lanes of: how they share caches and registers no search has weighed, so that
/// what was shaped for that is better where it seems to be as good.
const UNSEEN: f64 = 1.45;

/// Sizes by name.
pub type Sizes = BTreeMap<Symbol, i64>;

/// What a machine is to the estimate: a cautious description that fits what is sold, not the machine at hand.
#[derive(Clone, Debug)]
pub struct Machine {
    pub target: Target,
    /// Threads of a parallel loop.
    pub threads: f64,
    /// Cycles that a parallel loop takes to start and to end.
    pub fork: f64,
    /// The caches, nearest first: how many bytes they hold, and cycles for each byte that comes from behind them.
    pub caches: [(f64, f64); 3],
    /// How much faster all threads together get bytes from memory than one.
    pub shared: f64,
}

impl Machine {
    /// What stands for the machines of a target.
    pub fn of(target: Target) -> Machine {
        Machine {
            target,
            threads: 2.0,
            fork: 6_000.0,
            caches: [(32e3, 1.0 / 32.0), (1e6, 1.0 / 12.0), (16e6, 1.0 / 6.0)],
            shared: 1.5,
        }
    }

    /// The same where parallel loops have one thread, and none is started.
    pub fn with_one_thread(self) -> Machine {
        Machine {
            threads: 1.0,
            fork: 0.0,
            shared: 1.0,
            ..self
        }
    }
}

/// Cycles of a call, with sizes; of a size that has none, and of what it cannot count, it takes a guess.
pub fn cycles(nest: &Nest, sizes: &Sizes, machine: &Machine) -> f64 {
    let nest = &*segments::of_usual_length(nest);
    let registers = &compute::registers(nest);
    let mut cx = Context {
        nest,
        registers,
        env: sizes.iter().map(|(s, n)| (*s, *n)).collect(),
        machine,
        again: false,
    };
    cx.phases(&nest.body)
}

struct Context<'a> {
    nest: &'a Nest,
    /// Small arrays that are registers, as each access is to one number of them.
    registers: &'a BTreeSet<BufId>,
    machine: &'a Machine,
    /// What sizes, indices and the variables of loops around are.
    env: sizes::Env,
    /// Whether all this ran before: what fits a cache is there.
    again: bool,
}

impl Context<'_> {
    fn phases(&mut self, block: &[Stmt]) -> f64 {
        block.iter().map(|s| self.phase(s)).sum()
    }

    /// A statement outside of parallel loops.
    fn phase(&mut self, s: &Stmt) -> f64 {
        match s {
            Stmt::For {
                var,
                extent,
                kind,
                body,
                ..
            } if !kind.is_par() && has_parallel(body) => {
                let n = sizes::value(*extent, &self.env).max(0);
                self.env.insert(*var, n / 2);
                let again = std::mem::replace(&mut self.again, true);
                let once = self.phases(body);
                self.again = again;
                n as f64 * once
            }
            // Which side runs, the sizes say.
            Stmt::If { cond, then, els } => match sizes::truth(cond, &self.env) {
                Some(false) => self.phases(els),
                _ => self.phases(then),
            },
            Stmt::Index { var, value } => {
                let value = sizes::value(*value, &self.env);
                self.env.insert(*var, value);
                1.0
            }
            _ => self.work(s),
        }
    }

    fn work(&self, s: &Stmt) -> f64 {
        let unseen = if self.has_lanes(s) { UNSEEN } else { 1.0 };
        let computed = unseen * compute::cycles(self, s);
        let moved = unseen * traffic::cycles(self, s);
        match s {
            Stmt::For {
                kind: LoopKind::Par,
                extent,
                ..
            } => {
                let n = sizes::value(*extent, &self.env).max(1) as f64;
                let share = (n / self.machine.threads).ceil() / n;
                let moved = moved * share.max(1.0 / self.machine.shared);
                // For one iteration no threads are started.
                let fork = if n > 1.0 { self.machine.fork } else { 0.0 };
                fork + both(computed * share, moved)
            }
            _ => both(computed, moved),
        }
    }

    /// Whether a pass made lanes of iterations of a loop, which do not have in common all that loops in it read.
    fn has_lanes(&self, s: &Stmt) -> bool {
        let mut has = false;
        walk::each_stmt(std::slice::from_ref(s), &mut |s| {
            let own = |v: &Symbol| walk::declared(s) == Some(*v);
            has |= self.nest.lanes_of_iterations.iter().any(own) && !self.is_shared(s);
        });
        has
    }

    /// Whether what reductions in a loop of lanes read of arrays, or what the loop itself does if it is one, is read number by number: it is
    /// the same for all lanes.
    fn is_shared(&self, s: &Stmt) -> bool {
        let Stmt::For { var, body, .. } = s else {
            return false;
        };
        let (mut loops, mut stores, mut vectors) = (false, false, false);
        let is_array = |b: BufId| {
            let storage = self.nest.buffers[b.0 as usize].storage;
            !matches!(storage, StorageClass::Stack | StorageClass::Gone)
        };
        let streams = |var: Symbol, body: &[Stmt]| {
            let mut found = false;
            let mut own = vec![var];
            walk::each_stmt(body, &mut |s| own.extend(walk::declared(s)));
            for e in body.iter().filter_map(walk::exprs) {
                e.visit(&mut |e| match e.kind() {
                    ExprKind::Load(b, index) if e.shape().lanes > 1 => {
                        found |= is_array(*b) && own.iter().any(|v| index.mentions(*v));
                    }
                    _ => {}
                });
            }
            found
        };
        walk::each_stmt(body, &mut |s| match s {
            Stmt::For { var, body, .. } => {
                loops = true;
                vectors |= streams(*var, body);
            }
            Stmt::Store { .. } => stores = true,
            _ => {}
        });
        match loops {
            true => !vectors,
            // Elements by themselves share nothing either.
            false => stores || !streams(*var, body),
        }
    }
}

/// What is computed while other things move, of which the shorter is not hidden as a whole.
fn both(computed: f64, moved: f64) -> f64 {
    computed.max(moved) + VISIBLE * computed.min(moved)
}

fn has_parallel(body: &[Stmt]) -> bool {
    let mut found = false;
    walk::each_stmt(body, &mut |s| {
        found |= matches!(
            s,
            Stmt::For {
                kind: LoopKind::Par,
                ..
            }
        );
    });
    found
}
