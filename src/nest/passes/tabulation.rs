//! Tabulation: what inner loops compute anew in each iteration of an outer one is computed once, before that one.
//!
//! Comes in: a nest; goes out: one in which costly values that depend on inner loops alone, as twiddle factors, windows of frames and
//! places to interpolate at do, are read from a table that is filled before the outermost loop that they do not depend on.
//! Invariant: what each iteration computes; an element of a table is what the iteration would have computed, to the bit.
//! Absent: values that a choice stands around, as they may have no meaning elsewhere; operations that are not defined for all
//! numbers; tables of more than two loops.

use super::effects::Touched;
use super::fresh::Names;
use crate::arith::{AtomKind, Nat};
use crate::index::{Facts, Level};
use crate::intern::Symbol;
use crate::nest::{walk, Block, BufId, Buffer, Expr, ExprKind, LoopKind, Nest, Stmt, StorageClass};
use crate::term::Op;
use crate::ty::Scalar;
use indexmap::IndexMap;
use rustc_hash::FxHashSet;

/// How many loops a table may have.
const DIMENSIONS: usize = 2;
/// The fewest iterations of a loop that are worth a table.
const ITERATIONS: i64 = 4;
/// How many steps of a processor have to be saved: for tables at all, and for each.
const WORTH: (u32, u32) = (8, 3);
/// How many have to be saved by a table of several loops, which few caches hold, beside tables of one.
const ROWS: u32 = 6;
/// Tables of at most so many bytes lie on the stack.
const SMALL: i64 = 4096;
/// The most elements of a table, unless arrays of the function are as large.
const LARGE: i64 = 1 << 24;

/// Fills tables before loops.
pub(super) fn tabulate(nest: &mut Nest, facts: &mut Facts) {
    let names = Names::of(nest);
    let mut body = std::mem::take(&mut nest.body);
    let mut pass = Pass {
        arrays: nest.buffers.len(),
        nest,
        facts,
        names,
        without: FxHashSet::default(),
    };
    pass.block(&mut body, false);
    nest.body = body;
}

struct Pass<'a> {
    nest: &'a mut Nest,
    facts: &'a mut Facts,
    names: Names,
    /// How many buffers are no tables.
    arrays: usize,
    /// Loops that have no tables as these would be too large.
    without: FxHashSet<Symbol>,
}

impl Pass<'_> {
    fn block(&mut self, block: &mut Block, threads: bool) {
        let mut at = 0;
        while at < block.len() {
            let before = match &mut block[at] {
                s @ Stmt::For { .. } => self.before(s, threads),
                _ => Block::new(),
            };
            let many = before.len();
            block.splice(at..at, before);
            at += many;
            match &mut block[at] {
                Stmt::For { kind, body, .. } => {
                    let threads = threads || kind.is_par();
                    self.block(body, threads);
                }
                Stmt::If { then, els, .. } => {
                    self.block(then, threads);
                    self.block(els, threads);
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// Gives a loop tables; what has to stand before it. Where only sizes say that they are not too large, it is a choice by these.
    fn before(&mut self, outer: &mut Stmt, threads: bool) -> Block {
        let mut made = Block::new();
        let Stmt::For { var, extent, .. } = &*outer else {
            return made;
        };
        if self.without.contains(var) || extent.as_int().is_some_and(|n| n < ITERATIONS) {
            return made;
        }
        let (groups, definitions) = Repeated::groups(self.nest, outer);
        let mut loads: Vec<Table> = Vec::new();
        let mut fits = Expr::bool(true);
        // A buffer has one place where it begins: such loops are not written twice.
        let mut choices = true;
        walk::each_stmt(std::slice::from_ref(outer), &mut |s| {
            choices &= !matches!(s, Stmt::Alloc(_));
        });
        for group in groups {
            let small = self.small(&group);
            let Some(small) = small.filter(|s| choices || s.as_bool() == Some(true)) else {
                continue;
            };
            fits = fits.and(small);
            let tables: Vec<Table> = (group.roots.into_iter())
                .map(|value| self.table(value, &group.loops, threads))
                .collect();
            made.extend(tables.iter().map(|t| Stmt::Alloc(t.buf)));
            made.push(self.filled(&tables, &group.loops, &definitions, threads));
            loads.extend(tables);
        }
        if loads.is_empty() {
            return made;
        }
        let original = outer.clone();
        if let Stmt::For { body, .. } = outer {
            declare(body, &loads);
            let mut replaced = |e: &Expr| {
                e.rewrite(&mut |e| match e.kind() {
                    ExprKind::Var(_) => None,
                    _ => loads.iter().find(|t| t.value.same(e)).map(Table::load),
                })
            };
            walk::map_block(body, &mut replaced, &mut |n| n);
        }
        if fits.as_bool() == Some(true) {
            return made;
        }
        let original = self.renewed(original);
        self.without.extend(walk::declared(&original));
        let chosen = Stmt::If {
            cond: fits,
            then: Block::new(),
            els: vec![original],
        };
        let with = std::mem::replace(outer, chosen);
        if let Stmt::If { then, .. } = outer {
            made.push(with);
            *then = made;
        }
        Block::new()
    }

    /// Under which condition on sizes tables are not too large: none where an array has as many elements, several times; nothing if that
    /// depends on more than sizes.
    fn small(&self, group: &Group) -> Option<Expr> {
        let len = group.loops.iter().fold(Nat::int(1), |n, l| n * l.extent);
        let is_part = |b: &Buffer| {
            let times = b.len.exact_div(len).terms();
            (times.iter()).all(|(m, c)| m.is_integral() && c.as_int().is_some())
        };
        let sizes = &self.nest.abi.sizes;
        match len.as_int() {
            Some(n) => (n <= LARGE).then(|| Expr::bool(true)),
            None if self.nest.buffers[..self.arrays].iter().any(is_part) => Some(Expr::bool(true)),
            None => (len.vars().iter().all(|v| sizes.contains(v)))
                .then(|| Expr::compare(Op::Le, len, LARGE.into())),
        }
    }

    /// Room for what a value is in all iterations of some loops.
    fn table(&mut self, value: Expr, loops: &[Loop], threads: bool) -> Table {
        let shape = value.shape();
        let lanes = Nat::int(i64::from(shape.lanes));
        let at = (loops.iter()).fold(Nat::int(0), |at, l| at * l.extent + Nat::var(l.var));
        let len = loops.iter().fold(lanes, |len, l| len * l.extent);
        let bytes = len
            .as_int()
            .map(|n| n.saturating_mul(shape.elem.bytes() as i64));
        let storage = match (bytes, threads) {
            (Some(..=SMALL), _) => StorageClass::Stack,
            (_, true) => StorageClass::ThreadHeap,
            (_, false) => StorageClass::Heap,
        };
        let buf = BufId(self.nest.buffers.len() as u32);
        self.nest.buffers.push(Buffer {
            name: self.names.like(Symbol::new("table0")),
            elem: shape.elem,
            len,
            storage,
            alias: None,
        });
        Table {
            value,
            buf,
            at: at * lanes,
        }
    }

    /// Loops that fill tables, with what their values are computed from.
    fn filled(
        &mut self,
        tables: &[Table],
        loops: &[Loop],
        definitions: &Definitions,
        threads: bool,
    ) -> Stmt {
        let mut block = definitions.needed(tables.iter().map(|t| &t.value));
        for t in tables {
            let what = self.nest.kept();
            block.push(Stmt::Store {
                buf: t.buf,
                index: t.at,
                value: t.value.clone(),
                what,
                element: t.at,
            });
        }
        for l in loops.iter().rev() {
            block = vec![Stmt::For {
                var: l.var,
                extent: l.extent,
                kind: match l.parallel && !threads {
                    true => LoopKind::Par,
                    false => LoopKind::Seq,
                },
                body: block,
                note: None,
            }];
        }
        self.renewed(block.remove(0))
    }

    /// A loop with other names.
    fn renewed(&mut self, s: Stmt) -> Stmt {
        self.names.renew(s, self.facts)
    }
}

/// A value and where it is kept.
struct Table {
    value: Expr,
    buf: BufId,
    at: Nat,
}

impl Table {
    fn load(&self) -> Expr {
        Expr::new(ExprKind::Load(self.buf, self.at), self.value.shape())
    }
}

/// Gives variables their values from tables. They stay variables, as indices may be computed from them.
fn declare(block: &mut Block, tables: &[Table]) {
    for s in block {
        match s {
            Stmt::For { body, .. } => declare(body, tables),
            Stmt::If { then, els, .. } => {
                declare(then, tables);
                declare(els, tables);
            }
            Stmt::Let {
                var,
                value: Some(value),
                ..
            } => {
                if let Some(t) = tables.iter().find(|t| is_variable(&t.value, *var)) {
                    *value = t.load();
                }
            }
            _ => {}
        }
    }
}

/// What the iterations of a loop compute alike.
struct Repeated<'a> {
    nest: &'a Nest,
    /// What the loop declares, with its index.
    own: FxHashSet<Symbol>,
    written: Touched,
    definitions: Definitions,
    roots: Vec<Root>,
}

/// Variables that are the same in each iteration, in their order, with the loops on which they depend.
#[derive(Default)]
struct Definitions(IndexMap<Symbol, (Stmt, Loops)>);

/// Loops, outermost first.
type Loops = Vec<Loop>;

/// A loop in the outer one that runs as often in each of its iterations.
#[derive(Copy, Clone, PartialEq)]
struct Loop {
    var: Symbol,
    extent: Nat,
    /// Whether threads share its iterations.
    parallel: bool,
}

/// A value that is the same in each iteration, and from which something is computed that is not.
struct Root {
    value: Expr,
    loops: Loops,
}

/// Values of the same loops.
struct Group {
    loops: Loops,
    roots: Vec<Expr>,
}

impl Repeated<'_> {
    /// The values that are worth a table, by the loops on which they depend.
    fn groups(nest: &Nest, outer: &Stmt) -> (Vec<Group>, Definitions) {
        let mut own = FxHashSet::default();
        walk::each_stmt(std::slice::from_ref(outer), &mut |s| {
            own.extend(walk::declared(s))
        });
        let mut found = Repeated {
            nest,
            own,
            written: Touched::written(nest, outer),
            definitions: Definitions::default(),
            roots: Vec::new(),
        };
        if let Stmt::For { body, .. } = outer {
            found.block(body, &mut Vec::new(), true);
        }
        let mut groups: Vec<Group> = Vec::new();
        for root in std::mem::take(&mut found.roots) {
            if !(1..=DIMENSIONS).contains(&root.loops.len()) || !found.inside(&root) {
                continue;
            }
            match groups.iter_mut().find(|g| g.loops == root.loops) {
                Some(g) if g.roots.iter().any(|r| r.same(&root.value)) => {}
                Some(g) => g.roots.push(root.value),
                None => groups.push(Group {
                    loops: root.loops,
                    roots: vec![root.value],
                }),
            }
        }
        let definitions = found.definitions;
        groups.iter_mut().for_each(|g| definitions.share(g));
        // Rows of a table are shared by the threads that would have computed them.
        let shared = matches!(outer, Stmt::For { kind, .. } if kind.is_par());
        for g in groups.iter_mut() {
            let of_sizes = g.loops.iter().all(|l| is_of_sizes(nest, l.extent));
            let rows = shared && g.loops.len() > 1;
            g.loops[0].parallel = of_sizes && (g.loops[0].parallel || rows);
            g.loops[1..].iter_mut().for_each(|l| l.parallel = false);
        }
        groups.retain(|g| definitions.steps(&g.roots) >= WORTH.0 + WORTH.1 * g.roots.len() as u32);
        (groups, definitions)
    }

    /// Looks at statements in some loops; `always` says that no choice stands around them.
    fn block(&mut self, block: &Block, loops: &mut Loops, always: bool) {
        for s in block {
            let defines = match s {
                Stmt::Let {
                    var,
                    value: Some(value),
                    mutable: false,
                    ..
                } if always => self.same(value, loops).map(|of| (*var, of)),
                Stmt::Index { var, value } if always => {
                    self.same_index(*value, loops).map(|of| (*var, of))
                }
                _ => None,
            };
            if let Some((var, of)) = defines {
                self.definitions.0.insert(var, (s.clone(), of));
                continue;
            }
            if let Some(e) = walk::exprs(s) {
                self.uses(e, loops, always);
            }
            match s {
                Stmt::For {
                    var,
                    extent,
                    kind,
                    body,
                    ..
                } => {
                    self.uses_index(*extent);
                    let of = self.same_index(*extent, loops);
                    let regular = of.is_some_and(|of| of.is_empty());
                    if regular {
                        loops.push(Loop {
                            var: *var,
                            extent: *extent,
                            parallel: kind.is_par(),
                        });
                    }
                    self.block(body, loops, always);
                    if regular {
                        loops.pop();
                    }
                }
                Stmt::If { then, els, .. } => {
                    self.block(then, loops, false);
                    self.block(els, loops, false);
                }
                Stmt::Index { value: n, .. }
                | Stmt::Store { index: n, .. }
                | Stmt::Prefetch { index: n, .. } => {
                    self.uses_index(*n);
                }
                _ => {}
            }
        }
    }

    /// The loops on which a value depends, if it is the same in each iteration of the outer one.
    fn same(&self, e: &Expr, loops: &Loops) -> Option<Loops> {
        let mut of = Vec::new();
        let mut fine = true;
        e.visit(&mut |e| {
            fine &= match e.kind() {
                ExprKind::Var(v) => self.depends(*v, loops, &mut of),
                ExprKind::Load(b, _) => !self.written.buffers.contains(&self.nest.root(*b)),
                ExprKind::Op(op, _) => is_total(*op, e),
                ExprKind::Pick(..) => false,
                _ => true,
            };
            if let (Some(n), true) = (e.own_index(), fine) {
                fine = self.index_depends(n, loops, &mut of);
            }
        });
        fine.then(|| in_order(of, loops))
    }

    fn same_index(&self, n: Nat, loops: &Loops) -> Option<Loops> {
        let mut of = Vec::new();
        self.index_depends(n, loops, &mut of)
            .then(|| in_order(of, loops))
    }

    fn index_depends(&self, n: Nat, loops: &Loops, of: &mut Vec<Symbol>) -> bool {
        n.vars().iter().all(|v| self.depends(*v, loops, of))
    }

    /// Whether a variable is the same in each iteration of the outer loop; adds the loops on which it depends.
    fn depends(&self, v: Symbol, loops: &Loops, of: &mut Vec<Symbol>) -> bool {
        if loops.iter().any(|l| l.var == v) {
            of.push(v);
            return true;
        }
        match self.definitions.0.get(&v) {
            Some((_, loops)) => {
                of.extend(loops.iter().map(|l| l.var));
                true
            }
            None => !self.own.contains(&v) && !self.written.vars.contains(&v),
        }
    }

    /// Whether there are all elements that a value needs wherever its loops run, even if the outer one does not.
    fn inside(&self, root: &Root) -> bool {
        let mut facts = Facts::new(Level::Full);
        for l in &root.loops {
            facts.range(l.var, 0.into(), l.extent - 1.into());
        }
        let mut inside = true;
        let needed = self.definitions.needed([&root.value].into_iter());
        let defined = needed.iter().filter_map(walk::exprs);
        for e in [&root.value].into_iter().chain(defined) {
            e.visit(&mut |e| {
                if let ExprKind::Load(b, at) = e.kind() {
                    let last = *at + Nat::int(i64::from(e.shape().lanes) - 1);
                    let len = self.nest.buffers[b.0 as usize].len;
                    inside &= facts.at_least(*at, 0.into());
                    inside &= facts.at_least(len - 1.into(), last);
                }
            });
        }
        inside
    }

    /// Finds what of a value that differs between iterations does not.
    fn uses(&mut self, e: &Expr, loops: &Loops, always: bool) {
        if let (Some(of), true) = (self.same(e, loops), always) {
            return self.root(e, of);
        }
        if let Some(n) = e.own_index() {
            self.uses_index(n);
        }
        match e.kind() {
            ExprKind::Var(v) => self.variable(*v),
            _ => e.each_operand(&mut |e| self.uses(e, loops, always)),
        }
    }

    fn uses_index(&mut self, n: Nat) {
        n.vars().iter().for_each(|v| self.variable(*v));
    }

    /// A value that a table may have. What costs little beside its variables is computed from those.
    fn root(&mut self, e: &Expr, loops: Loops) {
        if self.is_cheap_of_rows(e, &loops) {
            return self.parts(e, &loops);
        }
        match steps(e) > WORTH.1 && is_kept(e) {
            true => self.roots.push(Root {
                value: e.clone(),
                loops,
            }),
            false => self.operands(e),
        }
    }

    /// Whether a value of several loops costs little beside what depends on fewer of them: those have tables that caches hold.
    fn is_cheap_of_rows(&self, e: &Expr, loops: &Loops) -> bool {
        loops.len() > 1 && self.own_steps(e, loops) <= ROWS
    }

    /// The steps of a value, where what depends on fewer loops than itself is looked up.
    fn own_steps(&self, e: &Expr, loops: &Loops) -> u32 {
        if self.depends_on_fewer(e, loops) {
            return steps(e).min(1);
        }
        if let ExprKind::Var(v) = e.kind() {
            let value = self.definitions.0.get(v).and_then(|(s, _)| walk::exprs(s));
            return value.map_or(0, |value| self.own_steps(value, loops));
        }
        let mut all = step(e);
        e.each_operand(&mut |e| all += self.own_steps(e, loops));
        all
    }

    fn depends_on_fewer(&self, e: &Expr, loops: &Loops) -> bool {
        let of = self.same(e, loops);
        of.is_some_and(|of| of.len() < loops.len())
    }

    /// What tables may have of a value that has none.
    fn parts(&mut self, e: &Expr, loops: &Loops) {
        match self.same(e, loops) {
            Some(of) if of.len() < loops.len() => return self.root(e, of),
            _ => {}
        }
        if let ExprKind::Var(v) = e.kind() {
            if let Some((s, _)) = self.definitions.0.get(v).cloned() {
                return walk::exprs(&s)
                    .into_iter()
                    .for_each(|e| self.parts(e, loops));
            }
        }
        if let Some(n) = e.own_index() {
            self.uses_index(n);
        }
        e.each_operand(&mut |e| self.parts(e, loops));
    }

    fn operands(&mut self, e: &Expr) {
        let mut direct = Vec::new();
        walk::mentioned(e, &mut direct);
        direct.into_iter().for_each(|v| self.variable(v));
    }

    /// A variable that a table may have.
    fn variable(&mut self, v: Symbol) {
        let Some((statement, loops)) = self.definitions.0.get(&v).cloned() else {
            return;
        };
        match statement {
            Stmt::Let {
                shape,
                value: Some(value),
                ..
            } => {
                let var = Expr::var(v, shape);
                if self.is_cheap_of_rows(&value, &loops) {
                    return self.parts(&value, &loops);
                }
                let costly = |e: &Expr| self.definitions.steps(std::slice::from_ref(e)) > WORTH.1;
                if steps(&value) == 0 || !is_kept(&var) {
                    self.operands(&value);
                } else if costly(&var) {
                    self.roots.push(Root { value: var, loops });
                }
            }
            Stmt::Index { value, .. } => self.uses_index(value),
            _ => {}
        }
    }
}

impl Definitions {
    /// Leaves of values that cost little beside one variable that they have in common the table of that one.
    fn share(&self, group: &mut Group) {
        let alone = group
            .roots
            .iter()
            .map(|e| self.source(e))
            .collect::<Vec<_>>();
        let shared = |v: &Symbol| {
            let times = alone.iter().flatten().filter(|source| *source == v).count();
            times > 1 || group.roots.iter().any(|e| is_variable(e, *v))
        };
        let mut roots: Vec<Expr> = Vec::new();
        for (root, source) in group.roots.iter().zip(&alone) {
            let kept = match source.filter(shared) {
                Some(v) => self.variable(v).unwrap_or_else(|| root.clone()),
                None => root.clone(),
            };
            if !roots.iter().any(|e| e.same(&kept)) {
                roots.push(kept);
            }
        }
        group.roots = roots;
    }

    /// The variable, itself computed in the loops, that a value is but for a few steps.
    fn source(&self, e: &Expr) -> Option<Symbol> {
        let value = match e.kind() {
            ExprKind::Var(v) => walk::exprs(&self.0.get(v)?.0)?,
            _ => e,
        };
        let mut from = Vec::new();
        walk::mentioned(value, &mut from);
        from.dedup();
        match from[..] {
            [v] if steps(value) <= WORTH.1 => self.variable(v).filter(is_kept).map(|_| v),
            _ => None,
        }
    }

    /// A variable that is computed in the loops.
    fn variable(&self, v: Symbol) -> Option<Expr> {
        match self.0.get(&v)?.0 {
            Stmt::Let { shape, .. } => Some(Expr::var(v, shape)),
            _ => None,
        }
    }

    /// The statements from which some values are computed.
    fn needed<'e>(&self, values: impl Iterator<Item = &'e Expr>) -> Block {
        let mut open = Vec::new();
        values.for_each(|e| walk::mentioned(e, &mut open));
        let mut needed = FxHashSet::default();
        while let Some(v) = open.pop() {
            if let (Some((s, _)), true) = (self.0.get(&v), needed.insert(v)) {
                walk::each_index(s, &mut |n| open.extend(n.vars().iter()));
                if let Some(e) = walk::exprs(s) {
                    walk::mentioned(e, &mut open);
                }
            }
        }
        let defined = self.0.iter().filter(|(v, _)| needed.contains(*v));
        defined.map(|(_, (s, _))| s.clone()).collect()
    }

    /// What it takes to compute some values.
    fn steps(&self, values: &[Expr]) -> u32 {
        let needed = self.needed(values.iter());
        let defined = needed.iter().filter_map(walk::exprs);
        values.iter().chain(defined).map(steps).sum()
    }
}

/// Whether it is computed of sizes by sums and products alone.
fn is_of_sizes(nest: &Nest, n: Nat) -> bool {
    let mut all = true;
    n.each_atom(&mut |a| {
        all &= matches!(a.kind(), AtomKind::Var(v) if nest.abi.sizes.contains(&v));
    });
    all
}

/// Loops in the order in which they stand in each other.
fn in_order(of: Vec<Symbol>, loops: &Loops) -> Loops {
    (loops.iter().filter(|l| of.contains(&l.var)).copied()).collect()
}

fn is_variable(e: &Expr, v: Symbol) -> bool {
    matches!(e.kind(), ExprKind::Var(name) if *name == v)
}

/// Whether buffers hold such values.
fn is_kept(e: &Expr) -> bool {
    e.shape().elem != Scalar::Bool
}

/// Whether an operation means something for all numbers.
pub(super) fn is_total(op: Op, e: &Expr) -> bool {
    e.shape().elem.is_float() || !matches!(op, Op::Div | Op::Mod)
}

/// About how many steps of a processor a value takes, without those of its variables.
fn steps(e: &Expr) -> u32 {
    let mut all = 0;
    e.visit(&mut |e| all += step(e));
    all
}

/// Of these, its own one.
fn step(e: &Expr) -> u32 {
    match e.kind() {
        ExprKind::Op(op, _) if op.called().is_some() => match e.shape().lanes {
            1 => 20,
            _ => 12,
        },
        ExprKind::Op(Op::Sqrt | Op::Div, _) => 4,
        ExprKind::Cast(of) if of.shape().elem.is_float() && e.shape().elem.is_int() => 8,
        ExprKind::Clamp(..) => 2,
        ExprKind::Op(..) | ExprKind::Cast(_) | ExprKind::Load(..) => 1,
        _ => 0,
    }
}
