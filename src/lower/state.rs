//! The state of one lowering: open blocks, buffers, facts, fresh names.
//!
//! Note [Levels]
//! Open blocks form a stack; a variable's level is the position of the block it
//! is bound in. [`Lower::at_level`] puts the inner blocks aside, so that what is
//! emitted meanwhile stands before them. A loop's own block is pushed to its
//! parent only when it is closed, hence "before" is right.

use super::casts::Casts;
use super::value::{Asks, Mem, Node, Number, Turned, Val};
use super::Options;
use crate::arith::{AtomKind, Nat, Signs};
use crate::diag::{code, Diagnostic};
use crate::index::Facts;
use crate::intern::Symbol;
use crate::nest::names::identifier;
use crate::nest::{
    Block, BufId, Buffer, Computed, Expr, ExprKind, LoopKind, Role, Shape, Slot, Stmt, WhatId,
};
use crate::term::Term;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

pub(super) type Res<T> = Result<T, Stop>;

/// Why lowering stops.
pub(super) enum Stop {
    /// A function was tried as a view change, and is none.
    NotAView,
    /// The input is at fault.
    Diag(Box<Diagnostic>),
}

/// Which version of an unrolled map is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Version {
    /// Neither yet.
    Outside,
    Unrolled,
    Rolled,
}

/// A vector of what stands in memory, loaded at once where all of it is there, and lane by lane where it is not.
pub(super) struct LoadedVector {
    /// What stands at any lane.
    pub of: Expr,
    pub vector: Expr,
    /// The memory that it is read of, but for inputs, which nothing is stored to.
    pub reads: Vec<BufId>,
    /// Where it was loaded; elsewhere it is no value.
    pub guards: Vec<Guard>,
}

/// A choice for all lanes, of which one side is computed.
#[derive(Clone)]
pub(super) struct Guard {
    pub cond: Expr,
    /// Whether it is the side where that holds.
    pub holds: bool,
}

impl Guard {
    pub fn same(&self, other: &Guard) -> bool {
        self.holds == other.holds && self.cond.same(&other.cond)
    }
}

/// An open block.
pub(super) struct Frame {
    pub block: Block,
    pub par: bool,
    /// How many facts hold outside of it.
    pub before: usize,
    /// Set for a side of a choice that may not be computed unless it is chosen:
    /// what depends on variables of this level or inner ones stays in it.
    pub barrier: Option<usize>,
    /// Vectors of what stands in memory that were chosen in it.
    pub chosen: Vec<LoadedVector>,
    /// What was computed to memory in it though its level is further out: is forgotten when it is closed.
    pub kept: Vec<Rc<Node>>,
}

/// Nested evaluations that are allowed; bounds the stack of this process.
const DEPTH: usize = 1200;

/// Evaluations that are allowed; views that read views twice double them.
const EVALUATIONS: usize = 3_000_000;

pub(super) struct Lower {
    pub options: Options,
    pub facts: Facts,
    pub buffers: Vec<Buffer>,
    pub buffer_levels: Vec<usize>,
    pub computed: Vec<Computed>,
    pub outputs: Vec<Slot>,
    pub inputs: Vec<Slot>,
    pub stack: Vec<Frame>,
    pub levels: FxHashMap<Symbol, usize>,
    /// What stores compute now.
    pub what: WhatId,
    /// The sub-term that is being written, for messages.
    pub term: Option<Term>,
    /// Whether a function is tried as a view change.
    pub probing: bool,
    /// Depth of evaluations for a lane of a vector.
    pub in_lanes: usize,
    /// The choices for all lanes around the vector that is computed: what it reads may only be there where they are made so.
    pub guards: Vec<Guard>,
    names: FxHashSet<String>,
    counters: FxHashMap<&'static str, usize>,
    depth: usize,
    emitted: usize,
    evaluations: usize,
    /// Buffers of `circularBuffer`, by node; the nodes are kept alive.
    pub mapped_cache: FxHashMap<(usize, u32), (Rc<Node>, Val)>,
    /// Windows in registers, of the loops around.
    pub turned: Vec<Turned>,
    /// Buffers of values kept, which nobody reads before they are filled.
    pub kept: FxHashSet<BufId>,
    /// The newest second name of each buffer.
    pub newest: FxHashMap<BufId, BufId>,
    /// How many scatters were written.
    pub scatters: usize,
    /// Whether steps of a reduction to an array are written.
    pub in_steps: bool,
    /// Which version of an unrolled map is being written.
    pub version: Version,
    /// Bytes of all stack buffers.
    pub stack_used: i64,
    /// What is known where numbers become indices.
    pub casts: Casts,
    /// What variables are that are computed of indices, as far as their bits tell, where what is asked besides holds.
    pub numbers: FxHashMap<Symbol, (Number, Asks)>,
    /// What is asked of sizes so that indices are known.
    pub asks: Asks,
    /// Uses of variable 0 in lambda bodies, by address; the terms are kept alive.
    pub uses: FxHashMap<usize, (Term, usize)>,
}

impl Lower {
    pub fn new(options: &Options, sizes: &[Symbol]) -> Lower {
        let mut names: FxHashSet<String> = FxHashSet::default();
        // Parameters claim theirs when they are declared, before any other.
        names.extend(sizes.iter().map(|s| identifier(s.as_str())));
        Lower {
            options: options.clone(),
            facts: Facts::new(options.simplify),
            buffers: Vec::new(),
            buffer_levels: Vec::new(),
            computed: vec![Computed {
                role: Role::Result,
                term: None,
            }],
            outputs: Vec::new(),
            inputs: Vec::new(),
            stack: vec![Frame {
                block: Block::new(),
                par: false,
                before: 0,
                barrier: None,
                chosen: Vec::new(),
                kept: Vec::new(),
            }],
            levels: FxHashMap::default(),
            what: WhatId(0),
            term: None,
            probing: false,
            in_lanes: 0,
            guards: Vec::new(),
            names,
            counters: FxHashMap::default(),
            depth: 0,
            emitted: 0,
            evaluations: 0,
            mapped_cache: FxHashMap::default(),
            turned: Vec::new(),
            kept: FxHashSet::default(),
            newest: FxHashMap::default(),
            scatters: 0,
            in_steps: false,
            version: Version::Outside,
            stack_used: 0,
            casts: Casts::default(),
            numbers: FxHashMap::default(),
            asks: Asks::new(),
            uses: FxHashMap::default(),
        }
    }

    pub fn finish_body(&mut self) -> Block {
        std::mem::take(&mut self.stack[0].block)
    }

    // ---- failing

    /// Refuses the program, naming the sub-term.
    pub fn refuse(&self, message: String) -> Stop {
        let mut d = Diagnostic::new(code::NOT_LOWERABLE, message);
        if let Some(t) = &self.term {
            let mut text = t.to_string();
            if text.chars().count() > 200 {
                text = text.chars().take(200).collect::<String>() + "…";
            }
            d = d.note(format!("while lowering `{text}`"));
        }
        Stop::Diag(Box::new(
            d.help("write this part of the program in another way"),
        ))
    }

    pub fn too_long(&self) -> Stop {
        let d = Diagnostic::new(
            code::KERNEL_TOO_LONG,
            format!(
                "the loop program has more than {} statements",
                self.options.statements
            ),
        );
        Stop::Diag(Box::new(d.help(
            "unroll less: use `mapSeq` for `mapSeqUnroll`, `reduceSeq` for `reduceSeqUnroll`",
        )))
    }

    /// Runs `f` one level of nesting deeper.
    pub fn deeper<T>(&mut self, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        if self.depth >= DEPTH {
            let d = Diagnostic::new(code::KERNEL_TOO_LONG, "the term is nested too deeply");
            return Err(Stop::Diag(Box::new(
                d.help("keep intermediate results with `toMem`"),
            )));
        }
        self.evaluations += 1;
        if self.evaluations > EVALUATIONS {
            let d = Diagnostic::new(
                code::KERNEL_TOO_LONG,
                "computed views are read inside of each other too often",
            );
            return Err(Stop::Diag(Box::new(d.help(
                "keep intermediate results with `toMem`: what is only read is computed anew each time",
            ))));
        }
        self.depth += 1;
        let r = f(self);
        self.depth -= 1;
        r
    }

    // ---- names

    /// A C name that nothing else has: `base` itself if it is free.
    pub fn fresh_c(&mut self, base: &str) -> String {
        if self.names.insert(base.to_string()) {
            return base.to_string();
        }
        for i in 1.. {
            let name = format!("{base}_{i}");
            if self.names.insert(name.clone()) {
                return name;
            }
        }
        unreachable!("numbers do not end")
    }

    /// A numbered name: `i0`, `i1`, …
    pub fn fresh(&mut self, base: &'static str) -> Symbol {
        loop {
            let n = self.counters.entry(base).or_default();
            let name = format!("{base}{n}");
            *n += 1;
            // One that C leaves free, unlike `i386`.
            if identifier(&name) == name && self.names.insert(name.clone()) {
                return Symbol::new(&name);
            }
        }
    }

    // ---- levels

    /// The position of the innermost open block.
    pub fn level(&self) -> usize {
        self.stack.len() - 1
    }

    pub fn level_of_nat(&self, n: Nat) -> usize {
        let mut level = 0;
        n.each_atom(&mut |a| {
            if let AtomKind::Var(v) = a.kind() {
                level = level.max(self.levels.get(&v).copied().unwrap_or(0));
            }
        });
        level
    }

    pub fn level_of_expr(&self, e: &Expr) -> usize {
        let mut level = 0;
        e.visit(&mut |e| {
            let l = match e.kind() {
                ExprKind::Var(v) => self.levels.get(v).copied().unwrap_or(0),
                ExprKind::Index(n) => self.level_of_nat(*n),
                ExprKind::Load(b, n) => self.buffer_levels[b.0 as usize].max(self.level_of_nat(*n)),
                _ => 0,
            };
            level = level.max(l);
        });
        level
    }

    pub fn level_of_mem(&self, m: &Mem) -> usize {
        let of = |b: BufId, at: Nat| self.buffer_levels[b.0 as usize].max(self.level_of_nat(at));
        m.leaves.iter().map(|l| of(l.buf, l.at)).max().unwrap_or(0)
    }

    pub fn level_of(&self, v: &Val) -> usize {
        match v {
            Val::Scalar(e) => self.level_of_expr(e),
            Val::Vec(v) => {
                let levels = v.pieces.iter().map(|e| self.level_of_expr(e));
                levels.max().unwrap_or(0)
            }
            Val::Pair(p) => self.level_of(&p.0).max(self.level_of(&p.1)),
            Val::Mem(m) => self.level_of_mem(m),
            Val::View(v) => v.level,
            Val::Node(n) => n.level,
            Val::Closure(c) => c.level,
            Val::Hole => 0,
        }
    }

    /// Runs `f` with the blocks inside of `level` put aside, see Note [Levels].
    pub fn at_level<T>(&mut self, level: usize, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let keep = (self.outermost(level) + 1).min(self.stack.len());
        let aside = self.stack.split_off(keep);
        // A loop that was put aside may not run: what it tells is not known here.
        let facts = match aside.first() {
            Some(frame) => self.facts.split_off(frame.before),
            None => Vec::new(),
        };
        let r = f(self);
        self.stack.truncate(keep);
        self.stack.extend(aside);
        self.facts.extend(facts);
        r
    }

    /// The outermost open block in which what depends on `level` may be computed.
    pub fn outermost(&self, level: usize) -> usize {
        let stops = |f: &Frame| f.barrier.is_some_and(|b| level >= b);
        let outside = self.stack.get(level + 1..).unwrap_or(&[]);
        match outside.iter().rposition(stops) {
            Some(i) => level + 1 + i,
            None => level,
        }
    }

    /// A side of a choice that is made by an index of a level, in a block of its own.
    pub fn side<T>(
        &mut self,
        level: usize,
        f: impl FnOnce(&mut Self) -> Res<T>,
    ) -> Res<(Block, T)> {
        self.scratch(|cx| {
            if let Some(top) = cx.stack.last_mut() {
                top.barrier = Some(level);
            }
            f(cx)
        })
    }

    /// Whether the innermost open block is run by several threads.
    pub fn in_par(&self) -> bool {
        self.stack.iter().any(|f| f.par)
    }

    // ---- emitting

    pub fn push(&mut self, s: Stmt) {
        self.emitted += 1;
        if let Stmt::Store { buf, .. } | Stmt::Alloc(buf) = &s {
            let changed = self.root_of(*buf);
            for frame in &mut self.stack {
                frame.chosen.retain(|c| !c.reads.contains(&changed));
            }
        }
        if let Some(top) = self.stack.last_mut() {
            top.block.push(s);
        }
    }

    /// Fails when too much was emitted.
    pub fn check_length(&self) -> Res<()> {
        match self.emitted > self.options.statements {
            true => Err(self.too_long()),
            false => Ok(()),
        }
    }

    /// Runs `f` in a new block and gives it back.
    pub fn scratch<T>(&mut self, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<(Block, T)> {
        let before = self.facts.len();
        self.scratch_in(false, before, f)
    }

    fn scratch_in<T>(
        &mut self,
        par: bool,
        before: usize,
        f: impl FnOnce(&mut Self) -> Res<T>,
    ) -> Res<(Block, T)> {
        self.stack.push(Frame {
            block: Block::new(),
            par,
            before,
            barrier: None,
            chosen: Vec::new(),
            kept: Vec::new(),
        });
        let depth = self.stack.len();
        let r = f(self);
        self.stack.truncate(depth);
        let block = self.stack.pop().map(|f| {
            for node in f.kept {
                *node.cache.borrow_mut() = None;
            }
            f.block
        });
        r.map(|t| (block.unwrap_or_default(), t))
    }

    /// `for i in 0..n { f(i) }`; loops of no or one iteration vanish.
    pub fn for_each(
        &mut self,
        n: Nat,
        kind: LoopKind,
        note: Option<String>,
        f: impl FnOnce(&mut Self, Nat) -> Res<()>,
    ) -> Res<()> {
        self.check_length()?;
        match n.as_int() {
            Some(k) if k <= 0 => return Ok(()),
            Some(1) => return f(self, 0.into()),
            _ => {}
        }
        self.facts.extent(n);
        let par = kind == LoopKind::Par && self.options.parallel && !self.in_par();
        let var = self.fresh("i");
        self.facts.range(var, 0.into(), n - 1.into());
        let known = self.facts.len();
        self.facts.positive(n);
        self.levels.insert(var, self.stack.len());
        let r = self.scratch_in(par, known, |cx| f(cx, Nat::var(var)));
        self.facts.forget(known);
        let (body, ()) = r?;
        if !body.is_empty() {
            let kind = match kind {
                LoopKind::Par if !par => LoopKind::Seq,
                kind => kind,
            };
            self.push(Stmt::For {
                var,
                extent: n,
                kind,
                body,
                note,
            });
        }
        Ok(())
    }

    /// `if cond { f }`
    pub fn when(&mut self, cond: Expr, f: impl FnOnce(&mut Self) -> Res<()>) -> Res<()> {
        match cond.as_bool() {
            Some(true) => return f(self),
            Some(false) => return Ok(()),
            None => {}
        }
        self.guarded(cond, None, |cx, _| f(cx))
    }

    /// What `f` emits where a condition holds; with a barrier, what depends on its level stays inside. What `f` adds to
    /// the facts holds inside, too.
    pub fn guarded(
        &mut self,
        cond: Expr,
        barrier: Option<usize>,
        f: impl FnOnce(&mut Self, &Expr) -> Res<()>,
    ) -> Res<()> {
        let known = self.facts.len();
        let done = self.scratch(|cx| {
            if let Some(top) = cx.stack.last_mut() {
                top.barrier = barrier;
            }
            f(cx, &cond)
        });
        self.facts.forget(known);
        let (then, ()) = done?;
        if !then.is_empty() {
            let els = Block::new();
            self.push(Stmt::If { cond, then, els });
        }
        Ok(())
    }

    /// A constant in the current block.
    pub fn bind(&mut self, e: Expr) -> Expr {
        if e.is_atom() {
            return e;
        }
        // What is narrow is converted next: one number rather than all lanes.
        if let (ExprKind::Splat(x), 1 | 2) = (e.kind(), e.shape().elem.bytes()) {
            let x = self.bind(x.clone());
            return Expr::new(ExprKind::Splat(x), e.shape());
        }
        let var = self.fresh("x");
        let shape = e.shape();
        self.levels.insert(var, self.level());
        let mut asks = Asks::new();
        if let Some(n) = self.wrapping(&e, &mut asks) {
            self.numbers.insert(var, (n, asks));
        }
        self.push(Stmt::Let {
            var,
            value: Some(e),
            shape,
            mutable: false,
        });
        Expr::var(var, shape)
    }

    /// A variable in the current block.
    pub fn variable(&mut self, shape: Shape, value: Option<Expr>) -> Symbol {
        let var = self.fresh("acc");
        self.levels.insert(var, self.level());
        self.push(Stmt::Let {
            var,
            value,
            shape,
            mutable: true,
        });
        var
    }

    /// From now on stores compute `term`.
    pub fn computing(&mut self, role: Role, term: Option<Term>) -> WhatId {
        let before = self.what;
        let last = &self.computed[self.computed.len() - 1];
        if last.role != role || last.term != term {
            self.computed.push(Computed { role, term });
        }
        self.what = WhatId(self.computed.len() as u32 - 1);
        before
    }

    pub fn add_buffer(&mut self, b: Buffer) -> BufId {
        self.buffers.push(b);
        self.buffer_levels.push(0);
        BufId(self.buffers.len() as u32 - 1)
    }

    /// `n` with every operation gone that the facts decide.
    pub fn simplify(&self, n: Nat) -> Nat {
        self.facts.simplify(n)
    }

    /// `a < b` as a value.
    pub fn less(&self, a: Nat, b: Nat) -> Expr {
        match self.facts.less(a, b) {
            Some(known) => Expr::bool(known),
            None => Expr::compare(crate::term::Op::Lt, a, b),
        }
    }

    /// The conjunction, without what follows from the rest of it.
    pub fn all_of(&self, conds: impl Iterator<Item = Expr>) -> Expr {
        Expr::all(conds, |n| self.simplify(n))
    }

    /// `a <= b` as a value.
    pub fn at_most(&self, a: Nat, b: Nat) -> Expr {
        self.less(a, b + 1.into())
    }
}
