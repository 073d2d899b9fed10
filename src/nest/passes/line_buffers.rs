//! Line buffers: a stage of which windows of rows are read is computed row by row, just before its rows are read.
//!
//! Comes in: a nest; goes out: one in which loops that fill buffers on the heap row by row, and the loop that reads windows of these rows, are one
//! loop over rows, in which each stage is as many rows ahead as are read ahead, and its buffer holds the rows that are still read.
//! Where the rows of the result are parallel, strips of them are, and each starts anew with the rows around it. Invariant: every element is
//! computed as before, rows at the edge of a strip twice. Absent: stages of which every row is read where it is made, which need no
//! window; rows of few elements; reads that are not known to stay in a row.

use super::fresh::Names;
use crate::arith::Nat;
use crate::index::Facts;
use crate::intern::Symbol;
use crate::nest::{walk, Block, BufId, Expr, ExprKind, LoopKind, Nest, Stmt, StorageClass};
use crate::term::Op;
use std::collections::{BTreeMap, BTreeSet};

/// The rows of a strip, at least.
const STRIP: i64 = 32;
/// The rows of a strip for each that two strips compute.
const SHARE: i64 = 16;
/// Rows known to be shorter are no lines.
const LINE: i64 = 64;
/// The most rows that a window reaches.
const REACH: i64 = 64;

/// Keeps lines instead of stages.
pub(super) fn keep(nest: &mut Nest, facts: &mut Facts) {
    let names = Names::of(nest);
    let mut body = std::mem::take(&mut nest.body);
    let mut all = LineBuffers { nest, names, facts };
    all.block(&mut body, false);
    nest.body = body;
}

struct LineBuffers<'a> {
    nest: &'a mut Nest,
    names: Names,
    facts: &'a mut Facts,
}

/// What a statement reads and writes: indices with lanes, by buffers.
#[derive(Default)]
struct Uses {
    loads: BTreeMap<BufId, Vec<(Nat, i64)>>,
    stores: BTreeMap<BufId, Vec<(Nat, i64)>>,
    /// Buffers that live in it.
    own: BTreeSet<BufId>,
    /// Loops inside.
    loops: Vec<(Symbol, Nat)>,
    /// Whether it assigns variables of others.
    assigns: bool,
}

/// A loop over rows, and which rows belong to a row of the last loop: from `low` to `high` behind it.
struct Stage {
    at: usize,
    var: Symbol,
    low: i64,
    high: i64,
}

/// The rows that a buffer keeps.
struct Lines {
    /// The elements of a row.
    width: Nat,
    /// The stage that fills it.
    stage: usize,
    /// How many rows.
    rows: i64,
}

/// Loops that become one.
struct Group {
    /// The one that reads last comes first.
    stages: Vec<Stage>,
    lines: BTreeMap<BufId, Lines>,
}

/// A place in a row: how many rows it is away, in terms of loops over windows; the least and the most of that.
struct Place {
    rows: Nat,
    low: i64,
    high: i64,
    inner: Nat,
}

impl LineBuffers<'_> {
    fn block(&mut self, block: &mut Block, threads: bool) {
        let mut last = block.len();
        while last > 0 {
            last -= 1;
            if let Some(group) = self.group(block, last, threads) {
                last = self.one_loop(block, group);
            }
        }
        for s in block {
            match s {
                Stmt::For {
                    var,
                    extent,
                    kind,
                    body,
                    ..
                } => {
                    (self.facts).range(*var, 0.into(), *extent - 1.into());
                    self.block(body, threads || *kind == LoopKind::Par);
                }
                Stmt::If { then, els, .. } => {
                    self.block(then, threads);
                    self.block(els, threads);
                }
                _ => {}
            }
        }
    }

    /// The stages of which the loop at a place reads windows of rows, and theirs.
    fn group(&mut self, block: &Block, last: usize, threads: bool) -> Option<Group> {
        let (var, _, kind) = head(&block[last])?;
        let parallel = kind == LoopKind::Par;
        let own = (block[..last].iter()).any(|s| matches!(s, Stmt::Alloc(b) if self.on_heap(*b)));
        let loops = (block[..last].iter()).any(|s| matches!(s, Stmt::For { .. }));
        if !own || !loops || (parallel && threads) || !(parallel || kind == LoopKind::Seq) {
            return None;
        }
        let uses: Vec<Uses> = block.iter().map(|s| self.uses(s)).collect();
        let mut group = Group {
            stages: vec![Stage {
                at: last,
                var,
                low: 0,
                high: 0,
            }],
            lines: BTreeMap::new(),
        };
        for at in (0..last).rev() {
            self.add_stage(block, &uses, &mut group, at);
        }
        (group.stages.iter().any(|s| s.high > s.low)).then_some(group)
    }

    fn on_heap(&self, b: BufId) -> bool {
        let storage = self.nest.buffers[b.0 as usize].storage;
        matches!(storage, StorageClass::Heap | StorageClass::ThreadHeap)
    }

    fn uses(&mut self, s: &Stmt) -> Uses {
        let mut uses = Uses::default();
        let (mut own, mut assigned) = (BTreeSet::new(), BTreeSet::new());
        let nest = &*self.nest;
        walk::each_stmt(std::slice::from_ref(s), &mut |s| {
            own.extend(walk::declared(s));
            match s {
                Stmt::For { var, extent, .. } => uses.loops.push((*var, *extent)),
                Stmt::Assign { var, .. } => {
                    assigned.insert(*var);
                }
                Stmt::Alloc(b) => {
                    uses.own.insert(*b);
                }
                Stmt::Store {
                    buf, index, value, ..
                } => {
                    let lanes = i64::from(value.shape().lanes);
                    let all = uses.stores.entry(nest.root(*buf)).or_default();
                    all.push((*index, lanes));
                }
                _ => {}
            }
            if let Some(e) = walk::exprs(s) {
                e.visit(&mut |e| {
                    if let ExprKind::Load(b, n) = e.kind() {
                        let lanes = i64::from(e.shape().lanes);
                        uses.loads
                            .entry(nest.root(*b))
                            .or_default()
                            .push((*n, lanes));
                    }
                });
            }
        });
        uses.assigns = !assigned.is_subset(&own);
        for (var, extent) in &uses.loops {
            self.facts.range(*var, 0.into(), *extent - 1.into());
        }
        uses
    }

    /// Adds the loop at a place if it is a stage.
    fn add_stage(&self, block: &Block, uses: &[Uses], group: &mut Group, at: usize) -> Option<()> {
        let last = group.stages.first()?.at;
        let (_, extent, _) = head(&block[last])?;
        let (var, rows, kind) = head(&block[at])?;
        let parallel = matches!(head(&block[last]), Some((_, _, LoopKind::Par)));
        let own = &uses[at];
        let fine = !own.assigns
            && (kind == LoopKind::Seq || (kind == LoopKind::Par && parallel))
            && may_move(uses, group, at, last);
        fine.then_some(())?;
        let filled: Vec<BufId> = (own.stores.keys().copied())
            .filter(|b| !own.own.contains(b))
            .collect();
        let (mut low, mut high) = (i64::MAX, i64::MIN);
        let mut found = Vec::new();
        for b in &filled {
            let width = self.width(block, uses, at, var, *b)?;
            // Where the first row is that is read together with the newest.
            let mut oldest = i64::MAX;
            for (j, u) in uses.iter().enumerate() {
                let Some(loads) = u.loads.get(b) else {
                    continue;
                };
                let reader = group.stages.iter().find(|s| s.at == j)?;
                for (n, lanes) in loads {
                    let p = self.place(*n, *lanes, reader.var, width, &u.loops)?;
                    low = low.min(reader.low.checked_add(p.low)?);
                    high = high.max(reader.high.checked_add(p.high)?);
                    oldest = oldest.min(reader.high.checked_add(p.low)?);
                }
            }
            found.push((*b, width, oldest));
        }
        let reaches = low <= high && low >= 0 && high - low <= REACH;
        if !reaches || !self.facts.at_least(rows, extent + high.into()) {
            return None;
        }
        let stage = group.stages.len();
        group.stages.push(Stage { at, var, low, high });
        for (b, width, oldest) in found {
            let rows = high.checked_sub(oldest.min(high))? + 1;
            group.lines.insert(b, Lines { width, stage, rows });
        }
        Some(())
    }

    /// The elements of a row of a buffer that a loop alone fills, each iteration its row.
    fn width(&self, block: &Block, uses: &[Uses], at: usize, var: Symbol, b: BufId) -> Option<Nat> {
        let here = (block[..at].iter()).any(|s| matches!(s, Stmt::Alloc(x) if *x == b));
        let alone = !(uses.iter().enumerate()).any(|(j, u)| j != at && u.stores.contains_key(&b));
        let named_once = !self.nest.buffers.iter().any(|x| x.alias == Some(b));
        if !here || !alone || !named_once || !self.on_heap(b) || uses[at].loads.contains_key(&b) {
            return None;
        }
        let stores = uses[at].stores.get(&b)?;
        let width = stores.first()?.0.coefficient(var)?;
        let short = width.as_int().is_some_and(|n| n < LINE);
        let fixed = !(uses.iter().flat_map(|u| &u.loops)).any(|(v, _)| width.mentions(*v));
        let filled = stores.iter().all(|(n, lanes)| {
            let p = self.place(*n, *lanes, var, width, &uses[at].loops);
            p.is_some_and(|p| p.low == 0 && p.high == 0)
        });
        (!short && fixed && filled).then_some(width)
    }

    /// Where an index is in rows of some width, of which a loop takes one after the other.
    fn place(
        &self,
        n: Nat,
        lanes: i64,
        var: Symbol,
        width: Nat,
        loops: &[(Symbol, Nat)],
    ) -> Option<Place> {
        if n.coefficient(var)? != width {
            return None;
        }
        let mut inner = n - width * Nat::var(var);
        let (mut rows, mut low, mut high) = (Nat::int(0), 0i64, 0i64);
        for (v, extent) in loops.iter().filter(|(v, _)| *v != var) {
            let steps = inner.coefficient(*v)?.exact_div(width).as_int();
            let Some(steps) = steps.filter(|k| *k != 0) else {
                continue;
            };
            let far = steps.checked_mul(extent.as_int()? - 1)?;
            inner = inner - width * Nat::int(steps) * Nat::var(*v);
            rows = rows + Nat::int(steps) * Nat::var(*v);
            (low, high) = (low.checked_add(far.min(0))?, high.checked_add(far.max(0))?);
        }
        for away in 0..=REACH {
            let inside = inner - width * Nat::int(away);
            if !self.facts.at_least(inside, 0.into()) {
                return None;
            }
            if self.facts.at_least(width - lanes.into(), inside) {
                return Some(Place {
                    rows: rows + away.into(),
                    low: low.checked_add(away)?,
                    high: high.checked_add(away)?,
                    inner: inside,
                });
            }
        }
        None
    }

    /// Puts the stages of a group into the loop that reads last; says where that stands now.
    fn one_loop(&mut self, block: &mut Block, group: Group) -> usize {
        let last = group.stages[0].at;
        let Some((var, extent, kind)) = head(&block[last]) else {
            return last;
        };
        let halo = (group.stages.iter()).fold(0, |h, s| h.max(s.high - s.low));
        let (strip, step) = (self.names.like(var), self.names.like(var));
        let rows: Nat = STRIP.max(SHARE * halo).into();
        let (first, count) = match kind {
            LoopKind::Par => {
                let first = rows * Nat::var(strip);
                (first, self.facts.min(rows, extent - first))
            }
            _ => (Nat::int(0), extent),
        };
        let strips = self.facts.floor(extent + rows - 1.into(), rows);
        (self.facts).range(strip, 0.into(), strips - 1.into());
        (self.facts).range(step, 0.into(), count + Nat::int(halo - 1));
        let mut body = Block::new();
        for s in group.stages.iter().rev() {
            self.stage(&mut body, block, &group, s, halo, (first, step));
        }
        let rows = Stmt::For {
            var: step,
            extent: count + halo.into(),
            kind: LoopKind::Seq,
            body,
            note: None,
        };
        let Stmt::For { note, .. } = &block[last] else {
            return last;
        };
        let note = note.clone();
        let (mut allocs, mut lines) = (Block::new(), group.lines.iter());
        let of_threads = kind == LoopKind::Par;
        for (b, kept) in &mut lines {
            let buffer = &mut self.nest.buffers[b.0 as usize];
            buffer.len = kept.width * kept.rows.into();
            if of_threads {
                buffer.storage = StorageClass::ThreadHeap;
                allocs.push(Stmt::Alloc(*b));
            }
        }
        block[last] = match of_threads {
            true => {
                allocs.push(rows);
                Stmt::For {
                    var: strip,
                    extent: strips,
                    kind,
                    body: allocs,
                    note,
                }
            }
            false => rows,
        };
        let moved: BTreeSet<usize> = group.stages[1..].iter().map(|s| s.at).collect();
        let mut at = 0;
        block.retain(|s| {
            let lines = matches!(s, Stmt::Alloc(b) if of_threads && group.lines.contains_key(b));
            let stays = !moved.contains(&at) && !lines;
            at += 1;
            stays
        });
        (block.iter())
            .position(|s| matches!(s, Stmt::For { var, .. } if *var == strip || *var == step))
            .unwrap_or(0)
    }

    /// The row of a stage that is due, if one is, at a step of the loop that they share.
    fn stage(
        &self,
        out: &mut Block,
        block: &Block,
        group: &Group,
        stage: &Stage,
        halo: i64,
        (first, step): (Nat, Symbol),
    ) {
        let Stmt::For { body, .. } = &block[stage.at] else {
            return;
        };
        let now = Nat::var(step);
        let mut loops = Vec::new();
        walk::each_stmt(body, &mut |s| {
            if let Stmt::For { var, extent, .. } = s {
                loops.push((*var, *extent));
            }
        });
        // The line of the buffer in which a row is that lies some rows behind the one that is due.
        let line = |b: BufId, n: Nat, lanes: i64| -> Option<Nat> {
            let lines = group.lines.get(&b)?;
            let p = self.place(n, lanes, stage.var, lines.width, &loops)?;
            let behind = stage.high - halo - group.stages[lines.stage].low;
            let positive = lines.rows * (REACH + REACH);
            let row = now + p.rows + Nat::int(behind + positive);
            Some(self.facts.rem(row, lines.rows.into()) * lines.width + p.inner)
        };
        let mut inside = vec![Stmt::Index {
            var: stage.var,
            value: first + now + Nat::int(stage.high - halo),
        }];
        let mut own = body.clone();
        folded(&mut own, &line);
        inside.extend(own);
        let start = halo - (stage.high - stage.low);
        match start {
            0 => out.extend(inside),
            _ => out.push(Stmt::If {
                cond: Expr::compare(Op::Le, start.into(), now),
                then: inside,
                els: Block::new(),
            }),
        }
    }
}

/// The variable, the number of iterations and the kind of a loop.
fn head(s: &Stmt) -> Option<(Symbol, Nat, LoopKind)> {
    match s {
        Stmt::For {
            var, extent, kind, ..
        } => Some((*var, *extent, *kind)),
        _ => None,
    }
}

/// Whether a statement may be run with another one behind it, in spite of what stands between them.
fn may_move(uses: &[Uses], group: &Group, at: usize, last: usize) -> bool {
    let own = &uses[at];
    let free = |u: &Uses| {
        let touched = |b: &BufId| own.loads.contains_key(b) || own.stores.contains_key(b);
        !u.assigns && !u.stores.keys().any(touched)
    };
    let is_stage = |j: usize| group.stages.iter().any(|s| s.at == j);
    (at + 1..=last).all(|j| match is_stage(j) {
        true => !uses[j].stores.keys().any(|b| own.loads.contains_key(b)),
        false => free(&uses[j]),
    })
}

/// Loads and stores of lines as `line` says.
pub(super) fn folded(block: &mut Block, line: &dyn Fn(BufId, Nat, i64) -> Option<Nat>) {
    let expr = |e: &Expr| {
        e.rewrite(&mut |e| match e.kind() {
            ExprKind::Load(b, n) => {
                let n = line(*b, *n, i64::from(e.shape().lanes))?;
                Some(Expr::new(ExprKind::Load(*b, n), e.shape()))
            }
            _ => None,
        })
    };
    for s in block {
        match s {
            Stmt::For { body, .. } => folded(body, line),
            Stmt::If { cond, then, els } => {
                *cond = expr(cond);
                folded(then, line);
                folded(els, line);
            }
            Stmt::Let { value: Some(v), .. } | Stmt::Assign { value: v, .. } => *v = expr(v),
            Stmt::Store {
                buf, index, value, ..
            } => {
                *index = line(*buf, *index, i64::from(value.shape().lanes)).unwrap_or(*index);
                *value = expr(value);
            }
            _ => {}
        }
    }
}
