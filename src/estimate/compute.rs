//! What a statement computes, in cycles.
//!
//! In: a statement with the sizes around it. Out: cycles of one thread. A loop counts its body as often as it runs, or as often
//! as its vectors do where a compiler can make some; the chain of one accumulator counts with the latency of its operation.

use super::bytes::{conversion, widened};
use super::chains::{accumulates, are_folds, are_operations, carried, updates, waits, LATENCY};
use super::sizes::{is_unrolled, stride, truth, value, Env};
use super::streams::waiting;
use super::{Context, LINE, UNSEEN};
use crate::arith::{AtomKind, Nat};
use crate::intern::Symbol;
use crate::nest::{walk, BufId, Expr, ExprKind, LoopKind, Nest, Stmt, StorageClass};
use crate::term::{Function, Op, Sort};
use crate::ty::Scalar;
use std::collections::{BTreeMap, BTreeSet};

/// Instructions that gcc makes of a loop that it writes out whole, at most, as it counts them (windows of 3×3 to 9×9, gcc 12).
const PEELED: i64 = 300;
/// Those of them that an index takes, what is read there, and each iteration of a loop around another one.
const INDEX: i64 = 2;
const READ: i64 = 2;
const ROW: i64 = 6;
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
/// Cycles for each number that is put into a vector; of one that a called function returns, before which all vectors are stored.
const GATHER: f64 = 2.0;
const RETURNED: f64 = 8.0;
/// Cycles for a vector that is made of lanes of another one.
const SHUFFLE: f64 = 1.0;
/// Cycles for a whole number that is divided by a constant: a product and shifts.
const BY_CONSTANT: f64 = 1.5;
/// Cycles for one that is divided by a number that is not known when it is compiled.
const DIVIDED: f64 = 12.0;
/// Results of an iteration that lie side by side, which compilers weave into vectors, and how much longer that takes.
const WOVEN: i64 = 4;
const WEAVING: f64 = 1.25;
/// Registers that vectors need beside accumulators, and cycles to load and to store one that has none.
const OPERANDS: usize = 4;
const SPILL: f64 = 1.5;
/// Cycles of an iteration from which on compilers put a few of them into small vectors, too.
const MUCH: f64 = 8.0;
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
            return in_vectors(n, lanes, once + 1.0 + widened(body)) + 8.0;
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
            !varying.arrays.contains(&buf) && !varying.vars.iter().any(|v| index.mentions(*v))
        })
    }

    /// A loop that compilers write out: what is the same in all iterations is done once.
    fn unrolled(&mut self, var: Symbol, n: f64, body: &[Stmt]) -> f64 {
        let mut varying = Varying::by_itself(var, body);
        let mut cycles = 0.0;
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
        cycles
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

    /// One node of an expression, without its operands.
    fn one(&self, e: &Expr) -> f64 {
        let shape = e.shape();
        let register = f64::from(self.cx.machine.target.register_bytes());
        let bytes = shape.elem.bytes() as f64 * f64::from(shape.lanes);
        let registers = (bytes / register).ceil().max(1.0);
        let vector = shape.lanes > 1;
        match e.kind() {
            ExprKind::Load(b, index)
                if self.cx.registers.contains(b) || self.is_loaded_before(*b, *index) =>
            {
                0.0
            }
            ExprKind::Load(b, _) => {
                let windows = self.varying.as_ref().map(|v| &v.windows);
                let is_window = windows.is_some_and(|all| all.contains(b));
                // What does not begin where registers do lies in two lines, the more often the wider they are.
                let lines = if is_window {
                    1.0 + register / LINE
                } else {
                    1.0
                };
                0.5 * registers * lines
            }
            ExprKind::Op(op @ Op::Select, args) if vector => {
                let mask = compared(&args[0], shape.elem)
                    .map(|from| conversion(from, shape.elem, register));
                registers * (operation(*op, shape.elem, vector) + mask.unwrap_or(0.0))
            }
            ExprKind::Op(op @ (Op::Div | Op::Mod), args)
                if shape.elem.is_int() && !divides(*op, args, shape.elem) =>
            {
                registers * BY_CONSTANT
            }
            ExprKind::Op(op, _) => registers * operation(*op, shape.elem, vector),
            ExprKind::Cast(from) if vector => {
                registers * conversion(from.shape().elem, shape.elem, register)
            }
            ExprKind::Cast(_) | ExprKind::Clamp(..) => registers,
            ExprKind::Lane(..) => 1.0,
            // Each is a load of its own line, and a place in the vector.
            ExprKind::Build(parts) => parts
                .iter()
                .map(|p| if p.calls() { RETURNED } else { GATHER })
                .sum(),
            ExprKind::Pick(parts, _) => 2.0 * parts.len() as f64,
            ExprKind::Index(n) => index(*n),
            ExprKind::Lit(_) | ExprKind::Var(_) | ExprKind::Splat(_) => 0.0,
        }
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

/// The one vector whose lanes a vector is made of.
fn shuffled(e: &Expr) -> Option<&Expr> {
    let ExprKind::Build(parts) = e.kind() else {
        return None;
    };
    let ExprKind::Lane(whole, _) = parts.first()?.kind() else {
        return None;
    };
    let of_it = |e: &Expr| matches!(e.kind(), ExprKind::Lane(v, _) if v.same(whole));
    parts.iter().all(of_it).then_some(whole)
}

/// What differs between the iterations of a loop: variables, and arrays that are stored to.
#[derive(Default)]
struct Varying {
    vars: BTreeSet<Symbol>,
    arrays: BTreeSet<BufId>,
    /// Arrays of which an iteration reads windows: of vectors of these few lie where registers would.
    windows: BTreeSet<BufId>,
}

impl Varying {
    /// The variable of a loop, and what iterations assign.
    fn by_itself(var: Symbol, body: &[Stmt]) -> Varying {
        let mut all = Varying {
            vars: BTreeSet::from([var]),
            ..Varying::default()
        };
        walk::each_stmt(body, &mut |s| {
            if let Stmt::Assign { var, .. } = s {
                all.vars.insert(*var);
            }
        });
        all
    }

    /// In a loop over a variable. Loops in it are short, and written out: their variables are numbers.
    fn of(var: Symbol, body: &[Stmt]) -> Varying {
        let mut all = Varying {
            windows: windows(var, body),
            ..Varying::by_itself(var, body)
        };
        walk::each_stmt(body, &mut |s| {
            if !all.is_in(s) {
                return;
            }
            match s {
                Stmt::Let { var, .. } | Stmt::Index { var, .. } => {
                    all.vars.insert(*var);
                }
                Stmt::Store { buf, .. } => {
                    all.arrays.insert(*buf);
                }
                _ => {}
            }
        });
        all
    }

    /// Whether it stands directly in a statement.
    fn is_in(&self, s: &Stmt) -> bool {
        let mut found = false;
        walk::each_index(s, &mut |n| {
            found |= self.vars.iter().any(|v| n.mentions(*v))
        });
        if let Some(e) = walk::exprs(s) {
            e.visit(&mut |e| {
                found |= match e.kind() {
                    ExprKind::Var(v) => self.vars.contains(v),
                    ExprKind::Load(b, _) => self.arrays.contains(b),
                    _ => false,
                }
            });
        }
        found
    }
}

/// Whether nothing is computed but sums, products and differences of single numbers.
fn is_of_numbers(body: &[Stmt]) -> bool {
    let plain = |e: &Expr| match e.kind() {
        ExprKind::Op(op, _) => matches!(op, Op::Add | Op::Sub | Op::Mul) && e.shape().lanes == 1,
        ExprKind::Load(..) => e.shape().lanes == 1,
        ExprKind::Var(_) | ExprKind::Lit(_) => true,
        _ => false,
    };
    body.iter().filter_map(walk::exprs).all(|e| {
        let mut all = true;
        e.visit(&mut |e| all &= plain(e));
        all
    })
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

/// The arrays that each iteration of a loop reads at several places near each other.
fn windows(var: Symbol, body: &[Stmt]) -> BTreeSet<BufId> {
    let mut short = BTreeSet::new();
    let mut places: BTreeMap<BufId, Nat> = BTreeMap::new();
    let mut all = BTreeSet::new();
    walk::each_stmt(body, &mut |s| {
        if let Stmt::For { var, .. } = s {
            short.insert(*var);
        }
        let Some(e) = walk::exprs(s) else { return };
        e.visit(&mut |e| {
            let ExprKind::Load(b, index) = e.kind() else {
                return;
            };
            if !index.mentions(var) {
                return;
            }
            let lanes = i64::from(e.shape().lanes);
            let beside = |by: i64| if lanes > 1 { by % lanes != 0 } else { by == 1 };
            let steps = |v: &Symbol| index.coefficient(*v).and_then(Nat::as_int);
            let first = places.entry(*b).or_insert(*index);
            let apart = (*index - *first).as_int();
            let is_other = first != index && (lanes == 1 || apart.is_none_or(beside));
            if is_other || short.iter().filter_map(steps).any(beside) {
                all.insert(*b);
            }
        });
    });
    all
}

/// Whether a variable is added to.
fn is_sum(var: Symbol, value: &Expr) -> bool {
    let ExprKind::Op(Op::Add, args) = value.kind() else {
        return false;
    };
    let is = |e: &Expr| matches!(e.kind(), ExprKind::Var(v) if *v == var);
    args.iter().filter(|e| is(e)).count() == 1
}

/// Whether numbers are divided one by one: whole ones, by what is no constant.
fn divides(op: Op, args: &[Expr], elem: Scalar) -> bool {
    let by_constant = args
        .get(1)
        .is_some_and(|d| matches!(d.kind(), ExprKind::Lit(_)));
    op == Op::Mod && !elem.is_int()
        || matches!(op, Op::Div | Op::Mod) && elem.is_int() && !by_constant
}

/// What is compared, if its masks have another width than the numbers that are chosen.
fn compared(cond: &Expr, elem: Scalar) -> Option<Scalar> {
    let ExprKind::Op(op, args) = cond.kind() else {
        return None;
    };
    let from = args.first()?.shape().elem;
    let compares = matches!(op.sort(), Sort::Comparison(_));
    (compares && from.bytes() != elem.bytes()).then_some(from)
}

/// Index arithmetic that is more than sums of products.
fn index(n: Nat) -> f64 {
    let mut cycles = 0.0;
    n.each_atom(&mut |a| {
        cycles += match a.kind() {
            AtomKind::Min(..) | AtomKind::Max(..) => 0.5,
            AtomKind::Floor(_, d) | AtomKind::Ceil(_, d) | AtomKind::Mod(_, d)
                if d.as_int().is_none() =>
            {
                DIVIDED
            }
            kind => 2.0 * kind.parts().len().min(1) as f64,
        }
    });
    cycles
}

/// An index without names of others.
pub fn written_out(index: Nat, names: &BTreeMap<Symbol, Nat>) -> Nat {
    index.subst_vars(&mut |s| names.get(&s).copied())
}

fn operation(op: Op, elem: Scalar, vector: bool) -> f64 {
    match op.sort() {
        Sort::Function(Function::Sqrt) if vector => 8.0,
        Sort::Function(Function::Sqrt) => 5.0,
        Sort::Function(_) if vector => 20.0,
        Sort::Function(_) => 18.0,
        _ => match op {
            Op::Div | Op::Mod if elem.is_int() => DIVIDED,
            Op::Div if vector => 5.0,
            Op::Div => 4.0,
            _ => 0.5,
        },
    }
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

/// Whether compilers write out all loops in a body: short ones that are few instructions all together.
fn flat(body: &[Stmt]) -> bool {
    body.iter().all(|s| match s {
        Stmt::For { .. } => written(s).is_some_and(|n| n <= PEELED),
        Stmt::If { then, els, .. } => flat(then) && flat(els),
        _ => true,
    })
}

/// How many instructions a statement becomes if its loops are written out; none where one is long. Of what is read at a place, its index
/// is counted once in an iteration.
fn written(s: &Stmt) -> Option<i64> {
    written_in(s, &mut Vec::new())
}

/// The same in loops that are written out, whose indices are then numbers.
fn written_in(s: &Stmt, known: &mut Vec<Symbol>) -> Option<i64> {
    let all = |body: &[Stmt], known: &mut Vec<Symbol>| {
        let mut places = BTreeSet::new();
        let own = body.iter().map(|s| instructions(s, known, &mut places));
        let own: i64 = own.sum();
        let inner = body.iter().map(|s| written_in(s, known));
        let inner = inner.sum::<Option<i64>>()?;
        Some(own + INDEX * places.len() as i64 + inner)
    };
    match s {
        Stmt::For {
            var, extent, body, ..
        } if is_unrolled(*extent) => {
            let has_loops = body.iter().any(|s| matches!(s, Stmt::For { .. }));
            known.push(*var);
            let each = all(body, known);
            known.pop();
            let each = each? + if has_loops { ROW } else { 0 };
            Some(extent.as_int()?.saturating_mul(each))
        }
        Stmt::For { .. } => None,
        Stmt::If { then, els, .. } => Some(all(then, known)? + all(els, known)?),
        _ => Some(0),
    }
}

/// Instructions of a statement that is no loop, without those for indices, which are collected.
fn instructions(s: &Stmt, known: &[Symbol], places: &mut BTreeSet<Nat>) -> i64 {
    match (s, walk::exprs(s)) {
        (Stmt::For { .. } | Stmt::If { .. }, _) | (_, None) => 0,
        (_, Some(e)) => computed(e, known, places).unwrap_or(0),
    }
}

/// Instructions of a value; none where that is a number when these indices are.
fn computed(e: &Expr, known: &[Symbol], places: &mut BTreeSet<Nat>) -> Option<i64> {
    let (mut count, mut constant) = (0, true);
    e.each_operand(&mut |e| {
        let inner = computed(e, known, places);
        constant &= inner.is_none();
        count += inner.unwrap_or(0);
    });
    match e.kind() {
        ExprKind::Load(_, index) => {
            constant = false;
            count += 1;
            if index.as_int().is_none() {
                places.insert(*index);
                count += READ - 1;
            }
        }
        ExprKind::Index(n) => constant &= n.vars().iter().all(|v| known.contains(v)),
        ExprKind::Lit(_) => {}
        ExprKind::Op(..) | ExprKind::Cast(..) => count += 1,
        _ => constant = false,
    }
    (!constant).then_some(count)
}
