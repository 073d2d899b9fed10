//! What a statement computes, in cycles.
//!
//! In: a statement with the sizes around it. Out: cycles of one thread. A loop counts its body as often as it runs, or as often
//! as its vectors do where a compiler can make some; the chain of one accumulator counts with the latency of its operation.

use super::bytes::{besides, in_pairs};
use super::chains::{accumulates, are_folds, are_operations, carried, updates, waits, LATENCY};
use super::operations::{divides, index, shuffled, SHUFFLE};
use super::sizes::{is_unrolled, stride, truth, value, Env};
use super::streams::waiting;
use super::varying::Varying;
use super::written::flat;
use super::{operations, Context, UNSEEN};
use crate::arith::Nat;
use crate::intern::Symbol;
use crate::nest::{walk, BufId, Expr, ExprKind, LoopKind, Nest, Stmt, StorageClass};
use crate::term::{Function, Op, Sort};
use std::collections::{BTreeMap, BTreeSet};

/// Accumulators of one loop from which on most operations do not wait, and what each takes then.
const APART: usize = 4;
const AT_ONCE: f64 = 0.5;
/// What a loop that iterations share takes of the time of their own loops, at most.
const SHARED: f64 = 0.9;
/// Cycles until what was stored is loaded again.
const FORWARD: f64 = 5.0;
/// Cycles for a loop to begin and to end, where its length is not known when it is compiled.
const START: f64 = 5.0;
/// Cycles for each number that is taken out of a vector and added up.
const SUMMED: f64 = 1.5;
/// Results of an iteration that lie side by side, which compilers weave into vectors, and how much longer that takes.
const WOVEN: i64 = 4;
const WEAVING: f64 = 1.25;
/// Registers that vectors need beside accumulators, and cycles to load and to store one that has none.
const OPERANDS: usize = 4;
const SPILL: f64 = 1.5;
/// Cycles of an iteration from which on compilers put a few of them into small vectors, too.
const MUCH: f64 = 8.0;
/// Iterations of a loop of constant length from which on compilers make vectors of them before they write it out.
const SHORTEST: f64 = 8.0;
/// Bytes that a few lines of a cache hold, which numbers that are put together are read from.
const NEAR: i64 = 512;
/// What a compiler's vectors lack of their promise.
pub const AUTOMATIC: f64 = 0.8;

pub fn cycles(cx: &Context, s: &Stmt) -> f64 {
    Walk::new(cx).stmt(s)
}

pub struct Walk<'a> {
    cx: &'a Context<'a>,
    pub env: Env,
    /// What names of indices stand for, in terms of loops.
    names: BTreeMap<Symbol, Nat>,
    /// Vectors that a block has put together from numbers: compilers do so once.
    built: BTreeSet<String>,
    /// Numbers that a block has computed: compilers see equal expressions.
    computed: BTreeSet<String>,
    /// Elements and vectors that a block has loaded, with how many lie side by side: compilers keep them.
    loaded: BTreeSet<(BufId, Nat, u32)>,
    /// What differs between the iterations of the innermost long loop, if there is one.
    varying: Option<Varying>,
    /// Whether the loops around have more accumulators than the machine has registers for.
    is_spilled: bool,
    /// Whether the loop around is written out, and no vectors are made of it.
    is_written_out: bool,
}

impl<'a> Walk<'a> {
    pub fn new(cx: &'a Context<'a>) -> Walk<'a> {
        Walk {
            cx,
            env: cx.env.clone(),
            names: BTreeMap::new(),
            built: BTreeSet::new(),
            computed: BTreeSet::new(),
            loaded: BTreeSet::new(),
            varying: None,
            is_spilled: false,
            is_written_out: false,
        }
    }

    fn block(&mut self, block: &[Stmt]) -> f64 {
        let built = std::mem::take(&mut self.built);
        let computed = std::mem::take(&mut self.computed);
        let loaded = std::mem::take(&mut self.loaded);
        let sum = block.iter().map(|s| self.stmt(s)).sum();
        self.built = built;
        self.computed = computed;
        self.loaded = loaded;
        sum
    }

    pub fn stmt(&mut self, s: &Stmt) -> f64 {
        match s {
            Stmt::For {
                var,
                extent,
                body,
                kind,
                ..
            } => {
                let n = value(*extent, &self.env).max(0);
                self.env.insert(*var, n / 2);
                let around = self.is_spilled;
                let registers = self.cx.machine.target.registers() as usize;
                self.is_spilled |= accumulators(body) + OPERANDS > registers;
                let cycles = self.run((*var, *extent, n), body, *kind);
                self.is_spilled = around;
                cycles
            }
            Stmt::If { cond, then, els } => {
                let known = truth(cond, &self.env);
                let asked = known.is_none() || self.varies(s);
                let cycles = match known {
                    Some(true) => self.block(then),
                    Some(false) => self.block(els),
                    None => self.block(then).max(self.block(els)),
                };
                cycles + if asked { 1.0 } else { 0.0 }
            }
            Stmt::Index { var, value: n } => {
                let known = value(*n, &self.env);
                self.env.insert(*var, known);
                self.names.insert(*var, written_out(*n, &self.names));
                if self.is_invariant(s) {
                    return 0.0;
                }
                index(*n)
            }
            Stmt::Let { .. } if self.is_invariant(s) => 0.0,
            Stmt::Let {
                value: Some(value),
                mutable: false,
                ..
            } if self.is_known(value) => 0.0,
            Stmt::Let { value, .. } => value.as_ref().map_or(0.0, |e| self.expr(e)),
            Stmt::Assign { value, .. } if self.is_spilled && value.shape().lanes > 1 => {
                SPILL + self.expr(value)
            }
            Stmt::Assign { value, .. } => self.expr(value),
            // A table of constants.
            Stmt::Store { .. } if self.is_invariant(s) => 0.0,
            Stmt::Store { buf, value, .. } if self.cx.registers.contains(buf) => {
                match self.is_known(value) {
                    true => 0.0,
                    false => self.expr(value),
                }
            }
            Stmt::Store { buf, value, .. } => {
                let cycles = 1.0 + self.expr(value);
                self.loaded.retain(|(b, ..)| b != buf);
                cycles
            }
            Stmt::Alloc(_) | Stmt::Prefetch { .. } => 0.0,
        }
    }

    /// A loop that runs so often.
    pub fn run(
        &mut self,
        (var, extent, n): (Symbol, Nat, i64),
        body: &[Stmt],
        kind: LoopKind,
    ) -> f64 {
        if is_unrolled(extent) {
            return self.unrolled(var, n as f64, body);
        }
        let is_innermost = flat(body);
        let around = self.varying.take();
        self.varying = is_innermost.then(|| Varying::of(var, body));
        let once = self.block(body);
        self.varying = around;
        let n = n as f64;
        let carried = carried(body, &self.env);
        let updates = updates(self.cx.nest, var, body, &self.env);
        let chain = waits(body, &carried).max(f64::from(updates) * LATENCY);
        if !is_innermost {
            let chain = match accumulates(self.cx.nest, var, body) {
                true => chain.max(FORWARD + LATENCY),
                false => chain,
            };
            return match self.around(var, body, kind) {
                Some(lanes) => n * (once + 2.0) / (lanes * AUTOMATIC),
                None => n * (once.max(chain) + 2.0) + START,
            };
        }
        if let Some(lanes) = self.automatic(var, body, &carried, false) {
            let once = once - in_pairs(body, &carried) + besides(body);
            return in_vectors(n, lanes, once + 1.0) + 8.0;
        }
        let waiting = waiting(self.cx.nest, var, body, &self.env);
        let shared = (self.cx.nest.shared_by_iterations.get(&var)).map(|n| f64::from(*n));
        // Sums in order: vectors of elements, which are added up one by one.
        let (own, sums) = match self.automatic(var, body, &carried, true) {
            Some(lanes) => (once / (lanes * AUTOMATIC), SUMMED * carried.len() as f64),
            None => (once, 0.0),
        };
        // Of numbers that do not wait for each other two operations are done at once.
        let own = match carried.len() >= APART && is_of_numbers(body) {
            true if shared.is_none() => own * AT_ONCE,
            _ => own,
        };
        let own = match shared {
            Some(many) => {
                let own = own * of_whole_numbers(body);
                let apart = many * ((own / many).max(chain) + 1.0);
                ((own + sums) * UNSEEN).min(apart * SHARED - 1.0)
            }
            None => own,
        };
        n * (own.max(chain) + waiting + 1.0) + START
    }

    /// Whether compilers compute what a statement declares before the innermost long loop. Functions may set `errno`.
    fn is_invariant(&self, s: &Stmt) -> bool {
        self.varying.is_some() && !self.varies(s) && !walk::exprs(s).is_some_and(Expr::calls)
    }

    /// Whether a condition is asked in every iteration of the innermost long loop.
    fn varies(&self, s: &Stmt) -> bool {
        (self.varying.as_ref()).is_some_and(|varying| varying.is_in(s))
    }

    /// Whether the block has computed the same number before; if not, it has now.
    fn is_known(&mut self, value: &Expr) -> bool {
        let few = value.shape().lanes > 1 || value.size() < 2;
        !few && !self.computed.insert(format!("{value:?}"))
    }

    /// Whether compilers load an element before the innermost long loop.
    fn is_loaded_before(&self, buf: BufId, index: Nat) -> bool {
        (self.varying.as_ref()).is_some_and(|varying| {
            !varying.arrays.contains(&buf) && !index.mentions_any(|v| varying.vars.contains(v))
        })
    }

    /// A loop that compilers write out: what is the same in all iterations is done once, and others are done at once where all of them
    /// fill vectors.
    fn unrolled(&mut self, var: Symbol, n: f64, body: &[Stmt]) -> f64 {
        let carried = carried(body, &self.env);
        let at_once = self.at_once(var, n, body, &carried);
        let is_alone = at_once.is_none();
        let (n, behind) = match at_once {
            Some(lanes) => {
                let sums = SUMMED * lanes.log2() * carried.len() as f64;
                (n / (lanes * AUTOMATIC), sums + besides(body))
            }
            None => (n, 0.0),
        };
        let mut varying = Varying::by_itself(var, body);
        let mut cycles = 0.0;
        let around = std::mem::replace(&mut self.is_written_out, is_alone);
        for s in body {
            let other = matches!(s, Stmt::Assign { .. } | Stmt::For { .. } | Stmt::If { .. })
                || varying.is_in(s);
            if other {
                varying.vars.extend(walk::declared(s));
                walk::each_stmt(std::slice::from_ref(s), &mut |s| {
                    if let Stmt::Store { buf, .. } = s {
                        varying.arrays.insert(*buf);
                    }
                });
            }
            cycles += if other { n } else { 1.0 } * self.stmt(s);
        }
        self.is_written_out = around;
        let many = if is_alone {
            of_whole_numbers(body)
        } else {
            1.0
        };
        cycles * many + behind
    }

    /// How many iterations of a short loop a compiler puts into a vector, if it adds up whole numbers and no other loop is in it.
    fn at_once(
        &self,
        var: Symbol,
        n: f64,
        body: &[Stmt],
        carried: &BTreeMap<Symbol, u32>,
    ) -> Option<f64> {
        let looks = n >= SHORTEST && flat(body) && !carried.is_empty();
        let lanes = looks.then(|| self.automatic(var, body, carried, false))?;
        lanes.map(|lanes| lanes.min(n))
    }

    /// How many iterations a compiler puts into a vector by itself; `sums`: where floats are added up, too.
    fn automatic(
        &self,
        var: Symbol,
        body: &[Stmt],
        carried: &BTreeMap<Symbol, u32>,
        sums: bool,
    ) -> Option<f64> {
        let (mut widest, mut computed) = (None, None);
        let (mut good, mut woven) = (true, false);
        // Small arrays of an iteration become registers.
        let mut own = BTreeSet::new();
        walk::each_stmt(body, &mut |s| {
            if let Some(e) = walk::exprs(s) {
                e.visit(&mut |e| good &= self.simple(var, e, &mut widest));
                computed = computed.max(Some(e.shape().elem.bytes()));
            }
            match s {
                Stmt::Alloc(b) => {
                    own.insert(*b);
                }
                Stmt::Store { buf, .. } if own.contains(buf) => {}
                Stmt::Store { index, value, .. } => {
                    let by = self.stride(*index, var);
                    good &= (1..=WOVEN).contains(&by);
                    woven |= by > 1;
                    widest = widest.max(Some(value.shape().elem.bytes()));
                }
                Stmt::Assign { var, value } if carried.contains_key(var) => {
                    good &= value.shape().elem.is_int() || sums && is_sum(*var, value);
                }
                Stmt::If { .. } => good = false,
                _ => {}
            }
        });
        // What reads and stores nothing is as wide as what is computed.
        let bytes = widest
            .or(computed)
            .filter(|_| good && are_folds(body, carried))?;
        let lanes = f64::from(self.cx.machine.target.register_bytes()) / bytes as f64;
        Some(if woven { lanes / WEAVING } else { lanes })
    }

    /// How many iterations of a loop around another one a compiler puts into a vector by itself: each lane goes through the
    /// inner loop, which takes constant steps, and is none that a compiler makes vectors of itself.
    pub fn around(&self, var: Symbol, body: &[Stmt], kind: LoopKind) -> Option<f64> {
        let carried = carried(body, &self.env);
        // What is around a loop in the function of a thread is shared out, and no vector.
        if kind == LoopKind::Par {
            return None;
        }
        let mut loops = body.iter().filter_map(|s| match s {
            Stmt::For {
                var, body, extent, ..
            } => Some((*var, body, is_unrolled(*extent))),
            _ => None,
        });
        let (inner, of, unrolled) = loops.next()?;
        if loops.next().is_some() || !carried.is_empty() || !flat(of) {
            return None;
        }
        // Loads side by side are taken apart if they are three, or a power of two.
        let apart = |s: &Stmt| match s {
            Stmt::For { extent, .. } => {
                let n = extent.as_int().unwrap_or(0);
                n == 3 || n.count_ones() == 1
            }
            _ => true,
        };
        if !of.iter().all(apart) {
            return None;
        }
        let sums = &self::carried(of, &self.env);
        if !unrolled && !sums.is_empty() && self.automatic(inner, of, sums, true).is_some() {
            return None;
        }
        let mut good = are_operations(of, sums);
        walk::each_stmt(of, &mut |s| {
            good &= !matches!(s, Stmt::Store { .. });
            if let Some(e) = walk::exprs(s) {
                e.visit(&mut |e| match e.kind() {
                    ExprKind::Load(_, index) => {
                        let index = written_out(*index, &self.names);
                        good &= index.coefficient(inner).and_then(Nat::as_int).is_some();
                    }
                    // A choice is a jump inside of the inner loop.
                    ExprKind::Op(Op::Select | Op::And | Op::Or, _) => good = false,
                    ExprKind::Op(Op::Min | Op::Max, _) => good &= !e.shape().elem.is_float(),
                    _ => {}
                });
            }
        });
        self.automatic(var, body, &carried, false).filter(|_| good)
    }

    /// Whether a compiler makes a vector of an expression over the iterations of a loop.
    fn simple(&self, var: Symbol, e: &Expr, widest: &mut Option<u64>) -> bool {
        if e.shape().lanes > 1 {
            return false;
        }
        match e.kind() {
            ExprKind::Load(_, index) => {
                *widest = (*widest).max(Some(e.shape().elem.bytes()));
                matches!(self.stride(*index, var), 0 | 1)
            }
            ExprKind::Op(op, args) => match op.sort() {
                Sort::Function(f) => f == Function::Sqrt,
                _ => !divides(*op, args, e.shape().elem),
            },
            ExprKind::Clamp(..) | ExprKind::Pick(..) | ExprKind::Build(_) => false,
            _ => true,
        }
    }

    /// By how much an index grows in an iteration.
    fn stride(&self, index: Nat, var: Symbol) -> i64 {
        stride(written_out(index, &self.names), var, &self.env)
    }

    fn expr(&mut self, e: &Expr) -> f64 {
        if self.is_there(e) {
            return 0.0;
        }
        if let Some(whole) = shuffled(e) {
            return SHUFFLE + self.expr(whole);
        }
        let mut sum = self.one(e) - self.fused(e);
        e.each_operand(&mut |part| sum += self.expr(part));
        sum
    }

    /// Whether the block has loaded, or put together, the same before; if not, it has now.
    fn is_there(&mut self, e: &Expr) -> bool {
        match e.kind() {
            ExprKind::Load(b, index) => {
                let index = written_out(*index, &self.names);
                !self.loaded.insert((*b, index, e.shape().lanes))
            }
            ExprKind::Build(_) => !self.built.insert(format!("{e:?}")),
            // What is computed for all lanes.
            ExprKind::Splat(of) if of.size() > 1 => {
                let same = |v: &Varying| !v.is_in_value(of);
                self.varying.as_ref().is_some_and(same) || !self.built.insert(format!("{e:?}"))
            }
            _ => false,
        }
    }

    /// What a product does not take because a sum takes it in.
    fn fused(&self, e: &Expr) -> f64 {
        let ExprKind::Op(Op::Add | Op::Sub, args) = e.kind() else {
            return 0.0;
        };
        let product = |e: &&Expr| matches!(e.kind(), ExprKind::Op(Op::Mul, _));
        let product = args.iter().find(product);
        let float = e.shape().elem.is_float();
        product.filter(|_| float).map_or(0.0, |e| self.one(e))
    }

    /// Whether numbers of lanes that a pass has made are read from a few lines of a cache.
    fn are_near(&self, parts: &[Expr]) -> bool {
        let lanes = &self.cx.nest.lanes_of_iterations;
        let place = |e: &Expr| match e.kind() {
            ExprKind::Load(b, index) if index.mentions_any(|v| lanes.contains(v)) => {
                let bytes = e.shape().elem.bytes() as i64;
                let index = written_out(*index, &self.names);
                Some((*b, value(index, &self.env).saturating_mul(bytes)))
            }
            _ => None,
        };
        let Some(all) = parts.iter().map(place).collect::<Option<Vec<_>>>() else {
            return false;
        };
        let places = all.iter().map(|p| p.1);
        let (first, last) = (places.clone().min().unwrap_or(0), places.max().unwrap_or(0));
        all.iter().all(|p| p.0 == all[0].0) && last.saturating_sub(first) <= NEAR
    }

    /// One node of an expression, without its operands.
    fn one(&self, e: &Expr) -> f64 {
        let register = f64::from(self.cx.machine.target.register_bytes());
        if let ExprKind::Build(parts) = e.kind() {
            if self.are_near(parts) {
                return operations::collected(parts.len());
            }
        }
        let ExprKind::Load(b, index) = e.kind() else {
            return match self.is_written_out {
                true => operations::written_out(e, register),
                false => operations::one(e, register),
            };
        };
        if self.cx.registers.contains(b) || self.is_loaded_before(*b, *index) {
            return 0.0;
        }
        let is_window = (self.varying.as_ref()).is_some_and(|v| v.windows.contains(b));
        operations::load(e, register, is_window)
    }
}

/// Iterations that a compiler puts into vectors: what is left of them is in smaller ones, down to half a register of this kind, or to a
/// quarter where much is done, and then one by one.
fn in_vectors(n: f64, lanes: f64, once: f64) -> f64 {
    let smallest = lanes / if once > MUCH { 4.0 } else { 2.0 };
    let (mut left, mut all, mut of) = (n, 0.0, lanes);
    while of >= smallest && of >= 2.0 {
        let vectors = (left / of).floor();
        all += vectors / AUTOMATIC;
        left -= vectors * of;
        of /= 2.0;
    }
    once * (all + left)
}

/// Whether nothing is computed but sums, products and differences of single numbers.
fn is_of_numbers(body: &[Stmt]) -> bool {
    let plain = |e: &Expr| match e.kind() {
        ExprKind::Op(op, _) => matches!(op, Op::Add | Op::Sub | Op::Mul) && e.shape().lanes == 1,
        ExprKind::Load(..) => e.shape().lanes == 1,
        ExprKind::Var(_) | ExprKind::Lit(_) => true,
        _ => false,
    };
    are_all(body, plain)
}

/// Whether all nodes of what stands directly in a body are so.
fn are_all(body: &[Stmt], is: impl Fn(&Expr) -> bool) -> bool {
    body.iter().filter_map(walk::exprs).all(|e| {
        let mut all = true;
        e.visit(&mut |e| all &= is(e));
        all
    })
}

/// Which part of its time a body takes of which nothing is computed but single whole numbers, without quotients and choices, and in which no
/// loop is: units for these are many.
fn of_whole_numbers(body: &[Stmt]) -> f64 {
    let plain = |e: &Expr| match e.kind() {
        ExprKind::Op(op, _) => {
            let simple = matches!(op, Op::Add | Op::Sub | Op::Mul);
            e.shape().elem.is_int() && (simple || matches!(op.sort(), Sort::Bits(_)))
        }
        ExprKind::Load(..) | ExprKind::Cast(_) => e.shape().elem.is_int(),
        ExprKind::Var(_) | ExprKind::Lit(_) => true,
        _ => false,
    };
    let single = |e: &Expr| e.shape().lanes == 1 && plain(e);
    match !walk::has_loops(body) && are_all(body, single) {
        true => AT_ONCE,
        false => 1.0,
    }
}

/// The small arrays on the stack of which no vector is loaded or stored.
pub fn registers(nest: &Nest) -> BTreeSet<BufId> {
    let mut vectors = BTreeSet::new();
    walk::each_stmt(&nest.body, &mut |s| {
        if let Stmt::Store { buf, value, .. } = s {
            if value.shape().lanes > 1 {
                vectors.insert(*buf);
            }
        }
        if let Some(e) = walk::exprs(s) {
            e.visit(&mut |e| match e.kind() {
                ExprKind::Load(b, _) if e.shape().lanes > 1 => {
                    vectors.insert(*b);
                }
                _ => {}
            });
        }
    });
    let all = (0..).map(BufId).zip(&nest.buffers);
    all.filter(|(b, of)| {
        of.storage == StorageClass::Stack && is_unrolled(of.len) && !vectors.contains(b)
    })
    .map(|(b, _)| b)
    .collect()
}

/// Whether a variable is added to.
fn is_sum(var: Symbol, value: &Expr) -> bool {
    let ExprKind::Op(Op::Add, args) = value.kind() else {
        return false;
    };
    let is = |e: &Expr| matches!(e.kind(), ExprKind::Var(v) if *v == var);
    args.iter().filter(|e| is(e)).count() == 1
}

/// An index without names of others.
pub fn written_out(index: Nat, names: &BTreeMap<Symbol, Nat>) -> Nat {
    index.subst_vars(&mut |s| names.get(&s).copied())
}

/// Vectors that the iterations of a loop assign and do not declare.
fn accumulators(body: &[Stmt]) -> usize {
    let (mut own, mut assigned) = (BTreeSet::new(), BTreeSet::new());
    walk::each_stmt(body, &mut |s| match s {
        Stmt::Let { var, .. } => {
            own.insert(*var);
        }
        Stmt::Assign { var, value } if value.shape().lanes > 1 => {
            assigned.insert(*var);
        }
        _ => {}
    });
    assigned.difference(&own).count()
}
