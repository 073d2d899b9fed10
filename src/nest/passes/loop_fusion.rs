//! Loop fusion: loops that read the same elements become one.
//!
//! Comes in: a nest; goes out: the same, in which of two loops in one block with as many iterations, neither of which stores
//! anything, the second runs inside of the first, if both read some element in the same iteration, and nothing between
//! them stands against it. What both compute is computed once: compilers see that two expressions are equal, but do not
//! fuse loops. Each accumulator is changed by the same steps in the same order. So do loops over rows, or over elements, of
//! which each stores to places that the other one does not touch, such as several sums of columns, or sums and differences of
//! neighbours, or what is made of every second element and of those between: rows come through the caches once. Invariant:
//! accumulators of a loop are no more than half of the machine's vector registers. Absent: other loops that store.

use super::cse;
use super::effects::{accumulators, handed_on, Touched};
use super::fresh::Names;
use crate::arith::Nat;
use crate::arith::Signs;
use crate::index::Facts;
use crate::intern::Symbol;
use crate::nest::{walk, Block, BufId, Expr, ExprKind, LoopKind, Nest, Shape, Stmt};
use indexmap::IndexSet;
use rustc_hash::{FxHashMap, FxHashSet};

/// Fuses loops of a nest for a machine with so many vector registers.
pub(super) fn fuse(nest: &mut Nest, facts: &mut Facts, registers: u32) {
    let names = Names::of(nest);
    let mut body = std::mem::take(&mut nest.body);
    let mut fusion = Fusion {
        nest,
        facts,
        most: registers as usize / 2,
        names,
    };
    fusion.block(&mut body);
    nest.body = body;
}

struct Fusion<'a> {
    nest: &'a Nest,
    facts: &'a mut Facts,
    /// The most accumulators of a loop.
    most: usize,
    names: Names,
}

impl Fusion<'_> {
    fn block(&mut self, block: &mut Block) {
        let mut at = 0;
        while at < block.len() {
            let mut next = match Reduction::of(&block[at]) {
                Some(_) => at + 1,
                None => block.len(),
            };
            while next < block.len() {
                match self.moved(block, at, next) {
                    Some(moved) => {
                        at = self.merge(block, at, next, &moved);
                        next = at + 1;
                    }
                    None => next += 1,
                }
            }
            at = self.rows(block, at);
            match &mut block[at] {
                Stmt::For { .. } => self.body(&mut block[at]),
                Stmt::If { then, els, .. } => {
                    self.block(then);
                    self.block(els);
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// What is done in a loop, which has an iteration: what it stores to is as large as its last one needs.
    fn body(&mut self, s: &mut Stmt) {
        let Stmt::For {
            var, extent, body, ..
        } = s
        else {
            return;
        };
        let known = self.facts.len();
        let last = *extent - Nat::int(1);
        self.facts.not_negative(last);
        let mut steps = IndexSet::new();
        walk::each_stmt(body, &mut |s| {
            if let Stmt::Store { index, .. } = s {
                steps.extend(index.coefficient(*var));
            }
        });
        for step in steps {
            if step.as_int().is_none() && self.facts.at_least(step, Nat::int(0)) {
                self.facts.not_negative(last * step);
            }
        }
        self.block(body);
        self.facts.forget(known);
    }

    /// Puts loops over the same rows into one; where that stands then.
    fn rows(&mut self, block: &mut Block, mut at: usize) -> usize {
        let mut next = at + 1;
        while next < block.len() && Rows::of(self.nest, &block[at]).is_some() {
            match self.moved_rows(block, (at, next)) {
                Some(moved) => {
                    at = put_into(block, at, next, &moved);
                    next = at + 1;
                    // A third loop is compared with loops in it that are one.
                    self.body(&mut block[at]);
                }
                None => next += 1,
            }
        }
        at
    }

    /// The statements between two loops over rows that the second needs, which stand before the first then; nothing if they stay two.
    fn moved_rows(&self, block: &[Stmt], (first, second): (usize, usize)) -> Option<Vec<usize>> {
        let a = Rows::of(self.nest, &block[first])?;
        let b = Rows::of(self.nest, &block[second])?;
        if a.extent != b.extent || a.kind != b.kind || !a.loops.reads_near(&b.loops) {
            return None;
        }
        let written = b.writes.buffers.clone();
        let apart = |s: &Stmt| {
            let both = Touched::written(self.nest, s).buffers;
            let both = both.intersection(&written).copied();
            both.filter(|buf| self.are_apart(*buf, s, &block[second]))
                .collect()
        };
        self.before_first(block, (first, second), (b.reads, b.writes), &apart, &|_| {
            true
        })
    }

    /// Whether two statements store to different elements of a buffer, whichever of their iterations run when.
    fn are_apart(&self, buf: BufId, first: &Stmt, second: &Stmt) -> bool {
        let stored = |s: &Stmt| {
            let mut places = Vec::new();
            walk::each_stmt(std::slice::from_ref(s), &mut |s| {
                if let Stmt::Store {
                    buf: b,
                    index,
                    value,
                    ..
                } = s
                {
                    if self.nest.root(*b) == buf {
                        places.push((*index, i64::from(value.shape().lanes)));
                    }
                }
            });
            places
        };
        let (a, b) = (stored(first), stored(second));
        let before = |(x, lanes): (Nat, i64), y: Nat| self.facts.at_least(y - x, lanes.into());
        // What stores nothing may declare the buffer.
        !a.is_empty() && (a.iter()).all(|a| b.iter().all(|b| before(*a, b.0) || before(*b, a.0)))
    }

    /// The declarations between two loops that have to stand before the first so that the second can run inside of it;
    /// nothing if it cannot, or need not.
    fn moved(&self, block: &[Stmt], first: usize, second: usize) -> Option<Vec<usize>> {
        let b = Reduction::of(&block[second])?;
        let a = Reduction::of(&block[first])?;
        let few = a.accumulators + b.accumulators <= self.most;
        if a.extent != b.extent || !few || !a.shares(&b) {
            return None;
        }
        let reads = Touched::read(self.nest, &block[second]);
        let writes = Touched::written(self.nest, &block[second]);
        let may_move = |s: &Stmt| matches!(s, Stmt::Let { .. } | Stmt::Index { .. });
        self.before_first(
            block,
            (first, second),
            (reads, writes),
            &|_| FxHashSet::default(),
            &may_move,
        )
    }

    /// The statements between two loops that the second, which reads and writes so much, needs; nothing if one of them may not move, or
    /// something that stays, the first loop above all, stands against it. Of some buffers a statement and the second store different
    /// elements.
    fn before_first(
        &self,
        block: &[Stmt],
        (first, second): (usize, usize),
        (mut reads, mut writes): (Touched, Touched),
        apart: &dyn Fn(&Stmt) -> FxHashSet<BufId>,
        may_move: &dyn Fn(&Stmt) -> bool,
    ) -> Option<Vec<usize>> {
        let mut moved = Vec::new();
        for at in (first..second).rev() {
            let s = &block[at];
            let own = (Touched::read(self.nest, s), Touched::written(self.nest, s));
            let declares = walk::declared(s);
            let declared =
                declares.is_some_and(|v| reads.vars.contains(&v) || writes.vars.contains(&v));
            if at > first && (declared || own.1.meets(&reads)) && may_move(s) {
                moved.push(at);
                reads.add(&own.0);
                writes.add(&own.1);
                // Whoever touches it before it is declared touches another one.
                writes.vars.extend(declares);
                continue;
            }
            let apart = apart(s);
            let mut meeting = own.1.clone();
            meeting.buffers.retain(|b| !apart.contains(b));
            if own.1.meets(&reads) || own.0.meets(&writes) || meeting.meets(&writes) {
                return None;
            }
        }
        moved.reverse();
        Some(moved)
    }

    /// Puts what is moved before the first loop and the second loop into it; where that stands then.
    fn merge(&mut self, block: &mut Block, first: usize, second: usize, moved: &[usize]) -> usize {
        let first = put_into(block, first, second, moved);
        let Stmt::For { body: into, .. } = &mut block[first] else {
            unreachable!("the first is a loop");
        };
        let mut changing = FxHashSet::default();
        walk::each_stmt(into, &mut |s| match s {
            Stmt::Assign { var, .. }
            | Stmt::Let {
                var, mutable: true, ..
            } => {
                changing.insert(*var);
            }
            _ => {}
        });
        number(into, &mut Vec::new(), &changing);
        while self.share(into, &changing) {}
        // What both computed of an element by a loop stands there twice now.
        cse::eliminate_in(self.nest, into);
        // A third loop is compared with loops in it that are one.
        self.block(into);
        first
    }

    /// Gives a name to a function of floats that two statements of a block call with the same argument. Whether there was one.
    fn share(&mut self, block: &mut Block, changing: &FxHashSet<Symbol>) -> bool {
        let mut calls: Vec<(usize, Expr)> = Vec::new();
        let mut twice = None;
        for (at, s) in block.iter().enumerate() {
            let Some(e) = walk::exprs(s) else { continue };
            e.visit(&mut |e| {
                let is_call = matches!(e.kind(), ExprKind::Op(op, _) if op.function().is_some());
                if is_call && twice.is_none() && stays(e, changing) {
                    match calls.iter().find(|(_, call)| call.same(e)) {
                        Some(found) => twice = Some(found.clone()),
                        None => calls.push((at, e.clone())),
                    }
                }
            });
        }
        let Some((at, call)) = twice else {
            return false;
        };
        let var = self.names.like(Symbol::new("x"));
        let name = |e: &Expr| e.rewrite(&mut |e| e.same(&call).then(|| Expr::var(var, e.shape())));
        let mut rest = block.split_off(at);
        walk::map_block(&mut rest, &mut { name }, &mut |n| n);
        block.push(Stmt::Let {
            var,
            shape: call.shape(),
            value: Some(call),
            mutable: false,
        });
        block.append(&mut rest);
        true
    }
}

/// Puts what is moved before the first loop and the body of the second loop into the first; where that stands then.
fn put_into(block: &mut Block, first: usize, second: usize, moved: &[usize]) -> usize {
    let Stmt::For { var, mut body, .. } = block.remove(second) else {
        unreachable!("the second is a loop");
    };
    let declarations: Vec<Stmt> = moved.iter().rev().map(|at| block.remove(*at)).collect();
    for s in declarations {
        block.insert(first, s);
    }
    let first = first + moved.len();
    let Stmt::For {
        var: index,
        body: into,
        ..
    } = &mut block[first]
    else {
        unreachable!("the first is a loop");
    };
    walk::rename(&mut body, &FxHashMap::from_iter([(var, *index)]));
    into.append(&mut body);
    first
}

/// Writes names where a value stands that is declared already, of variables that do not change, and removes declarations
/// that only give another name.
fn number(block: &mut Block, known: &mut Vec<(Symbol, Value)>, changing: &FxHashSet<Symbol>) {
    let outer = known.len();
    let mut at = 0;
    while at < block.len() {
        let name = |e: &Expr| e.rewrite(&mut |e| named(e, known));
        match &mut block[at] {
            Stmt::For { body, .. } => number(body, known, changing),
            Stmt::If { cond, then, els } => {
                *cond = name(cond);
                number(then, known, changing);
                number(els, known, changing);
            }
            Stmt::Let { value: Some(e), .. } | Stmt::Assign { value: e, .. } => *e = name(e),
            _ => {}
        }
        let Some((var, value)) = Value::of(&block[at], changing) else {
            at += 1;
            continue;
        };
        let old = match &value {
            Value::Expr(e) => match e.kind() {
                ExprKind::Var(v) => Some(*v),
                _ => None,
            },
            Value::Index(n) => known.iter().find_map(|(v, k)| match k {
                Value::Index(m) if m == n => Some(*v),
                _ => None,
            }),
        };
        match old {
            Some(old) => {
                let mut rest = block.split_off(at + 1);
                walk::rename(&mut rest, &FxHashMap::from_iter([(var, old)]));
                block.pop();
                block.append(&mut rest);
            }
            None => {
                known.push((var, value));
                at += 1;
            }
        }
    }
    known.truncate(outer);
}

/// The name of a value.
fn named(e: &Expr, known: &[(Symbol, Value)]) -> Option<Expr> {
    let is = |(_, value): &&(Symbol, Value)| matches!(value, Value::Expr(k) if k.same(e));
    if e.is_atom() {
        return None;
    }
    known.iter().find(is).map(|(v, _)| Expr::var(*v, e.shape()))
}

/// Whether a value stays what it is while variables change.
fn stays(e: &Expr, changing: &FxHashSet<Symbol>) -> bool {
    let mut stays = true;
    e.visit(&mut |e| stays &= !matches!(e.kind(), ExprKind::Var(v) if changing.contains(v)));
    stays
}

/// What a declaration says.
enum Value {
    Expr(Expr),
    Index(Nat),
}

impl Value {
    /// That of a statement, if it stays what it is.
    fn of(s: &Stmt, changing: &FxHashSet<Symbol>) -> Option<(Symbol, Value)> {
        match s {
            Stmt::Let {
                var,
                value: Some(e),
                mutable: false,
                ..
            } => stays(e, changing).then(|| (*var, Value::Expr(e.clone()))),
            Stmt::Index { var, value } => Some((*var, Value::Index(*value))),
            _ => None,
        }
    }
}

/// A loop over rows, with loops over their elements in it or none, which stores.
struct Rows<'a> {
    extent: Nat,
    kind: LoopKind,
    loops: Reduction<'a>,
    reads: Touched,
    writes: Touched,
}

impl Rows<'_> {
    fn of<'a>(nest: &Nest, s: &'a Stmt) -> Option<Rows<'a>> {
        let Stmt::For { extent, kind, .. } = s else {
            return None;
        };
        let mut indices = Vec::new();
        let (mut plain, mut stores) = (true, false);
        walk::each_stmt(std::slice::from_ref(s), &mut |s| {
            match s {
                Stmt::For { var, kind, .. } => {
                    let orders = [LoopKind::Seq, LoopKind::Par, LoopKind::Independent];
                    // What is accumulated in variables was shaped for the registers that there are.
                    plain &= orders.contains(kind) && handed_on(std::slice::from_ref(s)).is_empty();
                    indices.push(*var);
                }
                Stmt::Store { .. } => stores = true,
                Stmt::If { .. } | Stmt::Alloc(_) | Stmt::Prefetch { .. } => plain = false,
                _ => {}
            }
            // Of loops that call functions compilers make no vectors.
            plain &= walk::exprs(s).is_none_or(|e| !e.calls());
        });
        let (reads, writes) = (Touched::read(nest, s), Touched::written(nest, s));
        (plain && stores).then_some(Rows {
            extent: *extent,
            kind: *kind,
            loops: Reduction {
                extent: *extent,
                is: s,
                indices,
                accumulators: 0,
            },
            reads,
            writes,
        })
    }
}

/// What is read, and how many elements at once.
type Place = (BufId, Nat, Shape);

/// A loop that stores nothing and has loops in order alone.
struct Reduction<'a> {
    extent: Nat,
    is: &'a Stmt,
    /// Indices of it and of the loops in it.
    indices: Vec<Symbol>,
    /// How many accumulators it has.
    accumulators: usize,
}

impl Reduction<'_> {
    fn of(s: &Stmt) -> Option<Reduction<'_>> {
        let Stmt::For { extent, .. } = s else {
            return None;
        };
        let accumulators = accumulators(s)?.len();
        let mut indices = Vec::new();
        let mut in_order = true;
        walk::each_stmt(std::slice::from_ref(s), &mut |s| {
            if let Stmt::For { var, kind, .. } = s {
                in_order &= *kind == LoopKind::Seq;
                indices.push(*var);
            }
        });
        in_order.then_some(Reduction {
            extent: *extent,
            is: s,
            indices,
            accumulators,
        })
    }

    /// Whether both read such elements, others in each iteration, at the same time.
    fn shares(&self, other: &Reduction) -> bool {
        let theirs: FxHashSet<Place> = other.loads(&self.names_of(other)).into_iter().collect();
        let own = self.loads(&FxHashMap::default());
        own.iter().any(|load| theirs.contains(load))
    }

    /// Whether both read such elements, or each what the other one leaves out between iterations, so that both read the same lines.
    fn reads_near(&self, other: &Reduction) -> bool {
        let places = |loads: Vec<Place>| -> FxHashSet<(BufId, Nat)> {
            loads
                .into_iter()
                .map(|(buf, index, _)| (buf, index))
                .collect()
        };
        let theirs = places(other.loads(&self.names_of(other)));
        let own = places(self.loads(&FxHashMap::default()));
        own.iter().any(|load @ (buf, i)| {
            if theirs.contains(load) {
                return true;
            }
            let steps = { self.indices.iter() }.filter_map(|v| i.coefficient(*v)?.as_int());
            let step = steps.map(i64::abs).filter(|step| *step > 0).min();
            let near = |apart: Nat| {
                let apart = apart.as_int().map(i64::abs);
                step.zip(apart).is_some_and(|(step, apart)| apart < step)
            };
            step.is_some_and(|step| step > 1)
                && theirs.iter().any(|(b, j)| b == buf && near(*i - *j))
        })
    }

    /// Names of the indices of another one here.
    fn names_of(&self, other: &Reduction) -> FxHashMap<Symbol, Symbol> {
        { other.indices.iter().copied() }
            .zip(self.indices.iter().copied())
            .collect()
    }

    /// What is read at places that differ between iterations, under other names of indices.
    fn loads(&self, names: &FxHashMap<Symbol, Symbol>) -> Vec<Place> {
        let mut all = Vec::new();
        walk::each_stmt(std::slice::from_ref(self.is), &mut |s| {
            let Some(e) = walk::exprs(s) else { return };
            e.visit(&mut |e| {
                let ExprKind::Load(buf, index) = e.kind() else {
                    return;
                };
                if self.indices.iter().any(|v| index.mentions(*v)) {
                    let index = index.subst_vars(&mut |v| names.get(&v).map(|v| Nat::var(*v)));
                    all.push((*buf, index, e.shape()));
                }
            });
        });
        all
    }
}
