//! Outer-loop vectorization: iterations of a loop around reductions become lanes.
//!
//! Comes in: a nest; goes out: one in which a loop over numbers, each of which is reduced by loops in it, or is what functions that may be approximated make of others, runs over vectors of
//! numbers that lie side by side, some vectors at once, then over single vectors, then over the numbers that are left: of functions, over a
//! vector more that ends where they end, if it reads nothing that is stored. Compilers make vectors
//! of innermost loops, and may not add up floats in another order. Invariant: what each iteration computes, and in which order;
//! iterations store side by side, or lane by lane where each stores to few places between which no other one does, and read side by side
//! what differs between them, or lane by lane what no inner loop changes, or what one does that chooses what it hands on. Where steps take
//! longer than that, rows of any length are read and stored lane by lane. Absent: loops of
//! vectors, as a search has shaped those; choices of what is read, functions that have no
//! vectors that are exact, loops around short ones alone, which compilers write out.

use super::effects::{handed_on, Touched};
use super::fresh::Names;
use super::own_rows::{Place, Rows};
use super::step::{self, Step};
use super::strip_mining::rest;
use super::Context;
use crate::arith::Nat;
use crate::index::Facts;
use crate::intern::Symbol;
use crate::nest::{walk, Block, BufId, Expr, ExprKind, LoopKind, Nest, Shape, Stmt};
use crate::target::Target;
use crate::term::{Op, Sort};
use crate::ty::Scalar;
use rustc_hash::FxHashMap;

/// How many vectors the iterations of an inner loop have to fill to be lanes instead of those around it.
const FILLED: i64 = 4;
/// The longest loop that compilers write out.
const SHORT: i64 = 16;
/// The most operations for which they do.
const WRITTEN: i64 = 128;
/// The most vectors at once.
const ABREAST: u32 = 4;
/// Of iterations of so many statements one vector alone keeps a processor busy, unless its steps wait for each other.
const MANY: usize = 16;
/// Iterations of more statements are not written several times.
const LARGE: usize = 40;
/// Vectors that are accumulated at once, so that every machine has registers for what is read, too.
const ACCUMULATORS: u32 = 8;
/// What inner loops read lane by lane is little beside what they do: so many operations for each.
const GATHERED: usize = 2;
/// Lanes of most machines.
const USUAL: u32 = 8;
/// Rows that lie so many bytes apart, or a multiple of that, share few places of a cache.
const COLLIDING: i64 = 1024;
/// The farthest that what is read lane by lane lies apart: of a cache line each lane reads something.
const APART: i64 = 16;

/// Makes lanes of iterations on a machine.
pub(super) fn vectorize(nest: &mut Nest, cx: &mut Context) {
    let mut names = Names::of(nest);
    let mut body = std::mem::take(&mut nest.body);
    let mut pass = Pass {
        nest,
        facts: &mut *cx.facts,
        target: cx.target,
        approximate: cx.approximate,
        names: &mut names,
        made: Vec::new(),
    };
    walk::replace(&mut body, &mut |s| pass.lanes(s));
    let made = pass.made;
    nest.lanes_of_iterations.extend(made);
    nest.body = body;
}

/// Whether iterations of a loop can be lanes where functions may be approximated.
pub(super) fn has_lanes(nest: &Nest, facts: &Facts, of: (Symbol, &Block)) -> bool {
    Lanes::of(nest, facts, of, true).is_some()
}

struct Pass<'a> {
    nest: &'a Nest,
    facts: &'a mut Facts,
    target: Target,
    approximate: bool,
    names: &'a mut Names,
    /// The indices of loops over vectors.
    made: Vec<Symbol>,
}

impl Pass<'_> {
    /// A loop as loops over several vectors, over one, and over the numbers that are left.
    fn lanes(&mut self, s: &Stmt) -> Option<Block> {
        let Stmt::For {
            var,
            extent,
            kind: kind @ (LoopKind::Seq | LoopKind::Par | LoopKind::Independent),
            body,
            note,
        } = s
        else {
            return None;
        };
        let of = Lanes::of(self.nest, self.facts, (*var, body), self.approximate)?;
        let lanes = self.target.lanes(of.widest);
        if self.has_lanes_inside(body, lanes) {
            return None;
        }
        // A function of one vector takes as long as that of a number.
        let fewest = if of.calls { lanes } else { 2 * lanes };
        let few = (self.facts).at_least(i64::from(fewest - 1).into(), *extent);
        if lanes < 2 || few {
            return None;
        }
        let busy = match of.statements {
            _ if of.calls || of.collides => 1,
            ..MANY => ABREAST,
            MANY..=LARGE => waiting(body),
            _ => 1,
        };
        let abreast = (ACCUMULATORS / of.accumulators.max(1)).clamp(1, busy);
        let (one, several) = (i64::from(lanes), i64::from(lanes * abreast));
        let whole = self.facts.floor(*extent, several.into());
        let vectors = self.facts.floor(*extent, one.into());
        let mut loops = Vec::new();
        let mut first = self.vectors(&of, body, (*var, whole, 0.into()), lanes, abreast);
        if let Stmt::For {
            kind: of_first,
            note: says,
            ..
        } = &mut first
        {
            (*of_first, *says) = (*kind, note.clone());
        }
        loops.push(first);
        let from = whole * several.into();
        if abreast > 1 {
            let many = self
                .facts
                .simplify(vectors - whole * Nat::int(i64::from(abreast)));
            let next = self.vectors(&of, body, (*var, many, from), lanes, 1);
            loops.push(next);
        }
        let done = vectors * one.into();
        let ahead = of.calls && !reads_what_it_stores(self.nest, body);
        let few = Expr::compare(Op::Lt, *extent, one.into());
        // The last numbers are the end of a vector, if there are as many: what some of its lanes store lies there already.
        let last = ahead.then(|| {
            let left = self.facts.simplify(*extent - done);
            let any = self.facts.min(1.into(), left);
            self.vectors(&of, body, (*var, any, *extent - one.into()), lanes, 1)
        });
        match last {
            Some(last) if self.facts.at_least(*extent, one.into()) => loops.push(last),
            last => {
                let numbers = rest((*var, *extent), body, done, self.facts);
                loops.push(match last {
                    Some(last) => Stmt::If {
                        cond: few,
                        then: vec![numbers],
                        els: vec![last],
                    },
                    None => numbers,
                });
            }
        }
        // Of a number that is known there may be nothing left.
        loops.retain(|s| !matches!(s, Stmt::For { extent, .. } if extent.as_int() == Some(0)));
        Some(loops)
    }

    /// Whether a block is a loop over a known number of iterations that may be lanes itself, and fill vectors: they store side by side, and
    /// those of the loop around it are left for threads.
    fn has_lanes_inside(&self, body: &Block, lanes: u32) -> bool {
        let [Stmt::For {
            var,
            extent,
            kind: LoopKind::Seq | LoopKind::Par | LoopKind::Independent,
            body,
            ..
        }] = &body[..]
        else {
            return false;
        };
        let fills = |n: i64| n >= FILLED * i64::from(lanes) && n % i64::from(lanes) == 0;
        extent.as_int().is_some_and(fills)
            && Lanes::of(self.nest, self.facts, (*var, body), self.approximate).is_some()
    }

    /// A loop over so many groups of vectors, from an iteration on.
    fn vectors(
        &mut self,
        of: &Lanes,
        body: &Block,
        (var, extent, from): (Symbol, Nat, Nat),
        lanes: u32,
        abreast: u32,
    ) -> Stmt {
        let group = self.names.like(var);
        self.facts.range(group, 0.into(), extent - 1.into());
        let step = i64::from(lanes * abreast);
        let first = from + Nat::var(group) * step.into();
        let all = (0..abreast).map(|u| Lane {
            of,
            lanes,
            var,
            at: first + i64::from(lanes * u).into(),
            vars: (of.varying.iter())
                .map(|v| (*v, self.names.like(*v)))
                .collect(),
            stored: scattered(of, body)
                .into_iter()
                .map(|at| (at, self.names.like(Symbol::new("x"))))
                .collect(),
        });
        let all: Vec<Lane> = all.collect();
        let made = Stmt::For {
            var: group,
            extent,
            kind: LoopKind::Seq,
            body: side_by_side(body, &all, self.facts),
            note: None,
        };
        let made = self.names.renew(made, self.facts);
        self.made.extend(walk::declared(&made));
        made
    }
}

/// The statements for all of some vectors.
fn side_by_side(block: &Block, all: &[Lane], facts: &Facts) -> Block {
    let mut made = Vec::new();
    for s in block {
        match s {
            Stmt::For {
                var,
                extent,
                kind,
                body,
                note,
            } => made.push(Stmt::For {
                var: *var,
                extent: *extent,
                kind: *kind,
                body: side_by_side(body, all, facts),
                note: note.clone(),
            }),
            s => match all.first().is_some_and(|l| l.of.varies(s)) {
                true => made.extend(all.iter().flat_map(|lane| lane.stmts(s, facts))),
                false => made.push(s.clone()),
            },
        }
    }
    made
}

/// What becomes lanes of vectors in an iteration.
struct Lanes {
    /// Variables that differ between iterations.
    varying: Vec<Symbol>,
    /// The widest of what does.
    widest: Scalar,
    /// How many variables a vector is accumulated in.
    accumulators: u32,
    /// How many statements become vectors.
    statements: usize,
    /// Whether functions may be approximated, and whether some are.
    approximate: bool,
    calls: bool,
    /// Whether inner loops choose what they hand on, whether the steps of some, or of the one that is looked at, are faster in lanes in
    /// any case, and how much is read lane by lane.
    chooses: bool,
    waits: bool,
    /// The depth of the deepest loop whose steps wait.
    depth: usize,
    gathered: usize,
    /// Whether rows may lie so that a cache has few places for what is read of them.
    collides: bool,
    var: Symbol,
    /// The loops around what is looked at.
    around: Vec<(Symbol, Nat)>,
}

impl Lanes {
    /// Those of a loop, if each of its iterations can be a lane.
    fn of(
        nest: &Nest,
        facts: &Facts,
        (var, body): (Symbol, &Block),
        approximate: bool,
    ) -> Option<Lanes> {
        let mut lanes = Lanes {
            varying: Vec::new(),
            widest: Scalar::Bool,
            accumulators: 0,
            statements: 0,
            approximate,
            calls: false,
            chooses: false,
            waits: false,
            depth: 0,
            gathered: 0,
            collides: false,
            var,
            around: Vec::new(),
        };
        while lanes.grow(body) {}
        walk::each_stmt(body, &mut |s| {
            if let Stmt::For { body, .. } = s {
                lanes.chooses |= step::chooses(body);
            }
        });
        lanes.depth = lanes.waiting_depth(body, 0);
        lanes.waits = lanes.depth > 0;
        let mut places = Vec::new();
        let reduces = lanes.fits(nest, body, &mut places)?;
        let rows = Rows::of(&places, facts)?;
        // What is handed on from one iteration to the next is in order. An iteration may read what it may store itself.
        let mut apart = handed_on(body).is_empty();
        walk::each_stmt(body, &mut |s| {
            walk::each_load(s, &mut |b, (n, _)| {
                apart &= rows.is_own(nest.root(b), (n, lanes.var, lanes.stride(n)), facts);
            });
        });
        walk::each_stmt(body, &mut |s| {
            lanes.statements += usize::from(lanes.varies(s))
        });
        let known = lanes.widest != Scalar::Bool;
        let worth = reduces && lanes.accumulators > 0 || lanes.calls;
        let worth = worth && operations(body) >= GATHERED * lanes.gathered;
        (worth && apart && known && !places.is_empty()).then_some(lanes)
    }

    /// The depth of the deepest loop in a block, which stands so deep itself, whose steps are faster in lanes in any case.
    fn waiting_depth(&self, block: &Block, depth: usize) -> usize {
        let of = |s: &Stmt| match s {
            Stmt::For { body, .. } if self.is_faster(body) => depth + 1,
            Stmt::For { body, .. } => self.waiting_depth(body, depth + 1),
            _ => 0,
        };
        block.iter().map(of).max().unwrap_or(0)
    }

    /// Whether what a statement does lane by lane is worth it: in a loop whose own steps wait, or beside deeper ones.
    fn is_paid_for(&self) -> bool {
        self.waits || self.around.len() < self.depth
    }

    /// Whether the steps of a loop are faster in lanes although these read and store one by one.
    fn is_faster(&self, body: &Block) -> bool {
        let step = Step::of(body);
        step.is_some_and(|s| s.is_faster_in(USUAL, self.scattered(body)))
    }

    /// How many elements a body reads or stores lane by lane.
    fn scattered(&self, body: &Block) -> usize {
        let mut places = Vec::new();
        let mut add = |n: Nat| {
            if self.moves(n) && !self.steps(n) && !places.contains(&n) {
                places.push(n);
            }
        };
        walk::each_stmt(body, &mut |s| {
            walk::each_load(s, &mut |_, (n, _)| add(n));
        });
        let loads = places.len();
        let mut stores = 0;
        walk::each_stmt(body, &mut |s| {
            if let Stmt::Store { index, .. } = s {
                stores += usize::from(!self.steps(*index));
            }
        });
        loads + stores
    }

    /// Adds variables that differ since others do; whether there were any.
    fn grow(&mut self, body: &Block) -> bool {
        let before = self.varying.len();
        walk::each_stmt(body, &mut |s| {
            if let Stmt::Let {
                var,
                value: Some(value),
                ..
            }
            | Stmt::Assign { var, value } = s
            {
                if self.differs(value) && !self.varying.contains(var) {
                    self.varying.push(*var);
                }
            }
        });
        self.varying.len() > before
    }

    /// Whether a value differs between iterations.
    fn differs(&self, e: &Expr) -> bool {
        let mut differs = false;
        e.visit(&mut |e| {
            differs |= matches!(e.kind(), ExprKind::Var(v) if self.varying.contains(v));
            differs |= e.own_index().is_some_and(|n| self.moves(n));
        });
        differs
    }

    /// Whether an index does.
    fn moves(&self, n: Nat) -> bool {
        n.mentions(self.var) || self.varying.iter().any(|v| n.mentions(*v))
    }

    /// Whether a statement does something else in each iteration.
    fn varies(&self, s: &Stmt) -> bool {
        match s {
            Stmt::Let { var, .. } | Stmt::Assign { var, .. } => self.varying.contains(var),
            Stmt::Store { .. } => true,
            _ => false,
        }
    }

    /// Whether statements have a form for vectors, and then whether a long loop in them accumulates one; where they store.
    fn fits(&mut self, nest: &Nest, block: &Block, places: &mut Vec<Place>) -> Option<bool> {
        let mut reduces = false;
        for s in block {
            match s {
                Stmt::For {
                    var,
                    extent,
                    kind: LoopKind::Seq | LoopKind::Independent,
                    body,
                    ..
                } if !self.moves(*extent) => {
                    self.around.push((*var, *extent));
                    let around = self.waits;
                    self.waits &= walk::has_loops(body) || self.is_faster(body);
                    let inside = self.fits(nest, body, places)?;
                    self.waits = around;
                    self.around.pop();
                    let long = |n| n > SHORT || n * written(body) > WRITTEN;
                    let long = extent.as_int().is_none_or(long);
                    let assigns = |s: &Stmt| matches!(s, Stmt::Assign { .. }) && self.varies(s);
                    reduces |= inside || long && body.iter().any(assigns);
                }
                Stmt::Let {
                    value,
                    shape,
                    mutable,
                    ..
                } => {
                    let varies = self.varies(s);
                    self.accumulators += u32::from(varies && *mutable);
                    self.takes(*shape, varies)?;
                    value.iter().try_for_each(|e| self.lane_wise(e))?;
                }
                Stmt::Assign { value, .. } => self.lane_wise(value)?,
                Stmt::Store {
                    buf,
                    index,
                    value,
                    element,
                    ..
                } => {
                    self.stride(*element)?;
                    places.push(self.place(nest.root(*buf), *index, walk::has_loops(block))?);
                    self.takes(value.shape(), true)?;
                    self.lane_wise(value)?;
                }
                Stmt::Index { value, .. } if !self.moves(*value) => {}
                _ => return None,
            }
        }
        Some(reduces)
    }

    /// Whether vectors have such elements.
    fn takes(&mut self, shape: Shape, varies: bool) -> Option<()> {
        let s = shape.elem;
        let has = shape.lanes == 1 && !matches!(s, Scalar::F16 | Scalar::Bf16);
        let first = self.widest == Scalar::Bool;
        if varies && (first || s != Scalar::Bool && s.bytes() > self.widest.bytes()) {
            self.widest = s;
        }
        (has || !varies && shape.lanes == 1).then_some(())
    }

    /// Whether it moves by one from iteration to iteration.
    fn steps(&self, n: Nat) -> bool {
        self.stride(n) == Some(1.into())
    }

    /// Whether no inner loop changes it.
    fn is_kept(&self, n: Nat) -> bool {
        !self.around.iter().any(|(v, _)| n.mentions(*v)) && self.stride(n).is_some()
    }

    /// Whether what is stored there is stored lane by lane.
    fn is_scattered(&self, index: Nat, element: Nat) -> bool {
        !(self.steps(index) && self.steps(element))
    }

    /// By how much it moves from iteration to iteration.
    fn stride(&self, n: Nat) -> Option<Nat> {
        let stride = n.coefficient(self.var)?;
        (!self.moves(n - Nat::var(self.var) * stride)).then_some(stride)
    }

    /// Where a statement stores.
    fn place(&self, buf: BufId, index: Nat, beside_loops: bool) -> Option<Place> {
        let stride = self.stride(index)?;
        // Long rows are stored lane by lane where that is worth it, but not by loops around others, which may be lanes themselves.
        let fits = match stride.as_int() {
            Some(n) => n > 0,
            None => self.is_paid_for() && (!beside_loops || self.around.is_empty()),
        };
        fits.then_some(())?;
        let mut first = index - Nat::var(self.var) * stride;
        let mut last = Nat::int(0);
        for (var, extent) in &self.around {
            let step = first.coefficient(*var)?;
            first = first - Nat::var(*var) * step;
            step.as_int().filter(|step| *step >= 0)?;
            last = last + step * (*extent - 1.into());
        }
        Some(Place {
            buf,
            stride,
            first,
            last,
        })
    }

    /// Whether what differs in a value is computed lane by lane.
    fn lane_wise(&mut self, e: &Expr) -> Option<()> {
        if !self.differs(e) {
            return (e.shape().lanes == 1).then_some(());
        }
        self.takes(e.shape(), true)?;
        match e.kind() {
            ExprKind::Var(_) => Some(()),
            ExprKind::Load(_, n) => {
                let near = |by: Nat| by.as_int().is_some_and(|by| (-APART..=APART).contains(&by));
                let apart = self.is_kept(*n) && self.stride(*n).is_some_and(near);
                if self.steps(*n) || apart {
                    return Some(());
                }
                // Rows that are read at the same place each wait less than steps that choose do, one row after the other.
                self.gathered += 1;
                let gathers = self.chooses || self.is_paid_for();
                let by = self.stride(*n).filter(|_| gathers)?.as_int();
                let bytes = e.shape().elem.bytes() as i64;
                let collide = |by: i64| by.saturating_mul(bytes) % COLLIDING == 0;
                self.collides |= by.is_none_or(collide);
                // Of rows that certainly do, several at once are faster.
                (self.chooses || !by.is_some_and(collide)).then_some(())
            }
            ExprKind::Cast(_) if of_index(e).is_some_and(|n| self.is_kept(n)) => Some(()),
            ExprKind::Op(op, args) if is_exact(*op, e.shape().elem) => {
                args.iter().try_for_each(|a| self.lane_wise(a))
            }
            ExprKind::Op(op, args) if self.approximate && op.called().is_some() => {
                self.calls = true;
                args.iter().try_for_each(|a| self.lane_wise(a))
            }
            // In vectors all of it is computed: an element that is read where something holds may not be there otherwise.
            ExprKind::Op(Op::Select | Op::And | Op::Or, args) => {
                let reads = |e: &Expr| e.holds(|k| matches!(k, ExprKind::Load(..)));
                (!args[1..].iter().any(reads)).then_some(())?;
                args.iter().try_for_each(|a| self.lane_wise(a))
            }
            ExprKind::Op(op, args) if matches!(op.sort(), Sort::Comparison(_)) => {
                let numbers = args.iter().all(|a| a.shape().elem != Scalar::Bool);
                (numbers || matches!(op, Op::Eq | Op::Ne)).then_some(())?;
                args.iter().try_for_each(|a| self.lane_wise(a))
            }
            ExprKind::Cast(a) if a.shape().elem != Scalar::Bool => self.lane_wise(a),
            _ => None,
        }
    }
}

/// Whether a body reads a buffer that it stores to.
fn reads_what_it_stores(nest: &Nest, body: &Block) -> bool {
    let (mut read, mut stored) = (Touched::default(), Touched::default());
    for s in body {
        read.add(&Touched::read(nest, s));
        stored.add(&Touched::written(nest, s));
    }
    !read.buffers.is_disjoint(&stored.buffers)
}

/// How many vectors keep a processor busy while the steps of inner loops wait for each other.
fn waiting(body: &Block) -> u32 {
    let mut most = 1;
    walk::each_stmt(body, &mut |s| {
        if let Stmt::For { body, .. } = s {
            let many = Step::of(body).and_then(|step| step.abreast());
            most = many.map_or(1, |n| n as u32).clamp(most, ABREAST);
        }
    });
    most
}

/// How many operations stand in a body.
fn operations(body: &Block) -> usize {
    let mut all = 0;
    walk::each_stmt(body, &mut |s| {
        walk::exprs(s).into_iter().for_each(|e| {
            e.visit(&mut |e| all += usize::from(matches!(e.kind(), ExprKind::Op(..))));
        });
    });
    all
}

/// How many operations a body has where loops of known lengths in it are written out.
fn written(body: &Block) -> i64 {
    let mut all = 0i64;
    for s in body {
        if let Some(e) = walk::exprs(s) {
            e.visit(&mut |e| all += i64::from(matches!(e.kind(), ExprKind::Op(..))));
        }
        if let Stmt::For { extent, body, .. } = s {
            let times = extent.as_int().unwrap_or(1);
            all = all.saturating_add(times.saturating_mul(written(body)));
        }
    }
    all
}

/// The index that is a number here.
fn of_index(e: &Expr) -> Option<Nat> {
    match e.kind() {
        ExprKind::Cast(a) => a.as_index().or_else(|| of_index(a)),
        _ => None,
    }
}

/// Where values are stored lane by lane, each by one statement.
fn scattered(of: &Lanes, body: &Block) -> Vec<(BufId, Nat)> {
    let mut all = Vec::new();
    walk::each_stmt(body, &mut |s| {
        if let Stmt::Store {
            buf,
            index,
            element,
            ..
        } = s
        {
            if of.is_scattered(*index, *element) {
                all.push((*buf, *index));
            }
        }
    });
    let by_one = |at: &(BufId, Nat)| all.iter().filter(|other| *other == at).count() == 1;
    all.iter().copied().filter(by_one).collect()
}

/// Whether an operation has the same result in each lane.
fn is_exact(op: Op, s: Scalar) -> bool {
    match op {
        Op::Add | Op::Sub | Op::Mul | Op::Min | Op::Max | Op::Neg | Op::Fma => true,
        Op::Div | Op::Abs | Op::Sqrt => s.is_float(),
        Op::BitAnd | Op::BitOr | Op::BitXor | Op::BitNot => true,
        Op::Shl | Op::Shr | Op::Bitcast => true,
        _ => false,
    }
}

/// One of several vectors of an iteration.
struct Lane<'a> {
    of: &'a Lanes,
    lanes: u32,
    var: Symbol,
    /// Which iteration its first lane is.
    at: Nat,
    /// What it calls variables.
    vars: FxHashMap<Symbol, Symbol>,
    /// What it calls values that are stored lane by lane, by where.
    stored: FxHashMap<(BufId, Nat), Symbol>,
}

impl Lane<'_> {
    /// A statement that differs between iterations: one of vectors, or a store for each lane.
    fn stmts(&self, s: &Stmt, facts: &Facts) -> Vec<Stmt> {
        match s {
            Stmt::Store {
                buf,
                index,
                value,
                what,
                element,
            } if self.of.is_scattered(*index, *element) => {
                let differs = self.of.differs(value);
                let mut all = self.value(value, facts);
                let mut made = Vec::new();
                if let Some(var) = self.stored.get(&(*buf, *index)).filter(|_| differs) {
                    let shape = all.shape();
                    let value = std::mem::replace(&mut all, Expr::var(*var, shape));
                    made.push(Stmt::Let {
                        var: *var,
                        value: Some(value),
                        shape,
                        mutable: false,
                    });
                }
                let lane = |i: u32| {
                    let there = |n: Nat| self.place(self.after(n, i), facts);
                    Stmt::Store {
                        buf: *buf,
                        index: there(*index),
                        value: match differs {
                            true => Expr::new(ExprKind::Lane(all.clone(), i), value.shape()),
                            false => value.clone(),
                        },
                        what: *what,
                        element: there(*element),
                    }
                };
                made.extend((0..self.lanes).map(lane));
                made
            }
            s => vec![self.stmt(s, facts)],
        }
    }

    fn stmt(&self, s: &Stmt, facts: &Facts) -> Stmt {
        let name = |v: &Symbol| self.vars.get(v).copied().unwrap_or(*v);
        match s {
            Stmt::Let {
                var,
                value,
                shape,
                mutable,
            } => Stmt::Let {
                var: name(var),
                value: value.as_ref().map(|e| self.value(e, facts)),
                shape: self.shape(*shape),
                mutable: *mutable,
            },
            Stmt::Assign { var, value } => Stmt::Assign {
                var: name(var),
                value: self.value(value, facts),
            },
            Stmt::Store {
                buf,
                index,
                value,
                what,
                element,
            } => Stmt::Store {
                buf: *buf,
                index: self.place(*index, facts),
                value: self.value(value, facts),
                what: *what,
                element: self.place(*element, facts),
            },
            s => s.clone(),
        }
    }

    fn shape(&self, of: Shape) -> Shape {
        Shape {
            elem: of.elem,
            lanes: self.lanes,
        }
    }

    /// An index so many iterations later.
    fn after(&self, n: Nat, i: u32) -> Nat {
        n.subst_var(self.var, Nat::var(self.var) + i64::from(i).into())
    }

    fn place(&self, n: Nat, facts: &Facts) -> Nat {
        facts.simplify(n.subst_var(self.var, self.at))
    }

    fn value(&self, e: &Expr, facts: &Facts) -> Expr {
        let shape = self.shape(e.shape());
        if !self.of.differs(e) {
            return Expr::new(ExprKind::Splat(e.clone()), shape);
        }
        let kind = match e.kind() {
            ExprKind::Var(v) => ExprKind::Var(self.vars.get(v).copied().unwrap_or(*v)),
            ExprKind::Load(b, n) if self.of.steps(*n) => ExprKind::Load(*b, self.place(*n, facts)),
            _ if of_index(e).is_some() || matches!(e.kind(), ExprKind::Load(..)) => {
                let lane = |i| e.map_indices(&mut |n| self.place(self.after(n, i), facts));
                ExprKind::Build((0..self.lanes).map(lane).collect())
            }
            ExprKind::Op(op, args) => {
                ExprKind::Op(*op, args.iter().map(|a| self.value(a, facts)).collect())
            }
            ExprKind::Cast(a) => ExprKind::Cast(self.value(a, facts)),
            other => other.clone(),
        };
        Expr::new(kind, shape)
    }
}
