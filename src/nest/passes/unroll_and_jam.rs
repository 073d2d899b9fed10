//! Unroll and jam: several iterations of a loop share one run of an inner loop whose steps wait for each other.
//!
//! Comes in: a nest; goes out: one in which a loop over rows, say, each of which is scanned or added up in order, takes a few rows at
//! once: a step of one row does not wait for a step of another one. How many, what a step waits for and what a processor does meanwhile
//! say. All of a loop over a few columns share one loop over rows, which reads these in one piece. Invariant: what each iteration computes, and in which order; the order of stores to one place, which are of one
//! iteration. What threads keep for an iteration, each of these has for itself. Absent: reductions that compilers make vectors of; loops that end before, or look ahead, where nothing changes;
//! loops of vectors, as a search has shaped those; arrays that stand for others of the next iteration.

use super::apart::are_apart;
use super::fresh::Names;
use super::step::{Step, ABREAST};
use super::strip_mining::{rest, substituted};
use crate::arith::Nat;
use crate::index::Facts;
use crate::intern::Symbol;
use crate::nest::{
    seldom, settled, walk, Block, BufId, Buffer, ExprKind, LoopKind, Nest, Stmt, StorageClass,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The most iterations at once for which threads keep something: each has memory for it.
const KEPT: i64 = 4;
/// The longest loop that compilers write out.
const SHORT: i64 = 16;
/// The most columns that are read at once, of which a processor has sums in registers.
const COLUMNS: i64 = 8;
/// The most statements that are written several times, and the most of all of them, where there are more.
const STATEMENTS: usize = 60;
const WRITTEN: usize = 320;

/// Lets iterations run side by side.
pub(super) fn jam(nest: &mut Nest, facts: &mut Facts) {
    let names = Names::of(nest);
    let mut body = std::mem::take(&mut nest.body);
    let mut pass = Pass {
        nest,
        facts,
        names,
        made: BTreeMap::new(),
        vectors: Vec::new(),
    };
    walk::replace(&mut body, &mut |s| pass.looked_at(s));
    let (made, vectors) = (pass.made, pass.vectors);
    nest.shared_by_iterations.extend(made);
    nest.lanes_of_iterations.extend(vectors);
    nest.body = body;
}

struct Pass<'a> {
    nest: &'a mut Nest,
    facts: &'a mut Facts,
    names: Names,
    /// The indices of loops that iterations share, and how many do.
    made: BTreeMap<Symbol, u32>,
    /// The indices of those that vectors share.
    vectors: Vec<Symbol>,
}

impl Pass<'_> {
    /// A loop as others, if that is worth it; of the rest its range is known.
    fn looked_at(&mut self, s: &Stmt) -> Option<Block> {
        let loops = self.several(s);
        if let (None, Stmt::For { var, extent, .. }) = (&loops, s) {
            (self.facts).range(*var, 0.into(), *extent - 1.into());
        }
        loops
    }

    /// A loop as one over several iterations at once, and one over those that are left.
    fn several(&mut self, s: &Stmt) -> Option<Block> {
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
        let mut waits = match Waits::of_neighbours(*var, *extent, *kind, body) {
            Some(all) => all,
            None => self.waits_of(*var, body)?,
        };
        if waits.vectors {
            // A search has shaped such loops: only those over the vectors of a group share what is in them, and without a rest. Threads
            // share the iterations of others.
            let group = extent
                .as_int()
                .filter(|n| *n <= ABREAST as i64 && !kind.is_par())?;
            waits.abreast = (2..=waits.abreast).rev().find(|n| group % n == 0)?;
        }
        let least = match waits.vectors {
            true => waits.abreast - 1,
            false => 2 * waits.abreast - 1,
        };
        // What is left of vectors is a few iterations, too.
        let least = match extent.as_int() {
            Some(n) if n == waits.abreast => 0,
            Some(_) => least,
            None => least.max(SHORT),
        };
        let few = self.facts.at_least(least.into(), *extent);
        if few || !self.is_free(*var, *extent, *kind, body) {
            return None;
        }
        if extent.as_int() == Some(waits.abreast) {
            return Some(self.jammed(body, &waits, (*var, 0.into())));
        }
        let groups = self.facts.floor(*extent, waits.abreast.into());
        let group = self.names.like(*var);
        self.facts.range(group, 0.into(), groups - 1.into());
        let first = Nat::var(group) * waits.abreast.into();
        let several = Stmt::For {
            var: group,
            extent: groups,
            kind: *kind,
            body: self.jammed(body, &waits, (*var, first)),
            note: note.clone(),
        };
        if waits.vectors {
            return Some(vec![several]);
        }
        let others = self.others(&kept_by(body));
        let mut body = body.clone();
        walk::with_others(&mut body, &others);
        let left = rest(
            (*var, *extent),
            &body,
            groups * waits.abreast.into(),
            self.facts,
        );
        Some(vec![several, left])
    }

    /// The loops in an iteration that wait, where some iterations at once are worth it.
    fn waits_of(&mut self, var: Symbol, body: &Block) -> Option<Waits> {
        let (mut statements, mut vectors) = (0, false);
        walk::each_stmt(body, &mut |s| {
            statements += 1;
            if let Some(e) = walk::exprs(s) {
                e.visit(&mut |e| vectors |= e.shape().lanes > 1);
            }
        });
        let mut waits = Waits {
            loops: FxHashSet::default(),
            around: FxHashSet::default(),
            abreast: ABREAST as i64,
            vectors,
            neighbours: false,
        };
        let mut declared = vec![var];
        walk::each_stmt(body, &mut |s| declared.extend(walk::declared(s)));
        let fits = self.waiting(body, &declared, &mut waits);
        if !kept_by(body).is_empty() {
            waits.abreast = waits.abreast.min(KEPT);
        }
        let few = statements <= STATEMENTS.max(WRITTEN / waits.abreast as usize);
        (fits && few && !waits.loops.is_empty()).then_some(waits)
    }

    /// Finds those of a block; whether all choices around loops are alike in all iterations.
    fn waiting(&mut self, block: &Block, own: &[Symbol], waits: &mut Waits) -> bool {
        let is_own = |v: &Symbol| own.contains(v);
        for s in block {
            let (index, extent, body) = match s {
                // Choices between loops may be others for each iteration.
                Stmt::If { cond, then, els } if walk::has_loops(then) || walk::has_loops(els) => {
                    let mut read = Vec::new();
                    walk::mentioned(cond, &mut read);
                    let loads = cond.holds(|k| matches!(k, ExprKind::Load(..)));
                    if loads || waits.vectors || read.iter().any(is_own) {
                        return false;
                    }
                    if !self.waiting(then, own, waits) || !self.waiting(els, own, waits) {
                        return false;
                    }
                    continue;
                }
                Stmt::For {
                    var,
                    extent,
                    kind: LoopKind::Seq,
                    body,
                    ..
                } => (*var, *extent, body),
                _ => continue,
            };
            let given = !extent.vars().iter().any(is_own);
            // Such a loop may be over long before, or look ahead.
            let stays = seldom(s).is_none() && (waits.vectors || settled(s).is_none());
            if !given || !stays {
                continue;
            }
            if walk::has_loops(body) {
                let before = waits.loops.len();
                let free = waits.vectors || self.is_free(index, extent, LoopKind::Seq, body);
                if !free && !self.waiting(body, own, waits) {
                    return false;
                }
                if waits.loops.len() > before {
                    waits.around.insert(index);
                }
                continue;
            }
            let long = extent.as_int().is_none_or(|n| n > SHORT);
            let abreast = Step::of(body).and_then(|s| s.abreast());
            if let Some(abreast) = abreast.filter(|_| long) {
                waits.loops.insert(index);
                waits.abreast = waits.abreast.min(abreast);
            }
        }
        true
    }

    /// Whether iterations may run in any order: threads may run them so, or each touches a row of its own; none keeps something for
    /// itself.
    fn is_free(&mut self, var: Symbol, extent: Nat, kind: LoopKind, body: &Block) -> bool {
        let nest = &*self.nest;
        let of_thread = |b: &BufId| {
            nest.buffers[b.0 as usize].storage == StorageClass::ThreadHeap && nest.root(*b) == *b
        };
        let fits = kept_by(body).iter().all(of_thread);
        self.facts.range(var, 0.into(), extent - 1.into());
        fits && (kind == LoopKind::Par || are_apart(body, var, &|b| nest.root(b), self.facts))
    }

    /// An array like each of these, by all its names.
    fn others(&mut self, kept: &[BufId]) -> FxHashMap<BufId, BufId> {
        let mut others = FxHashMap::default();
        for b in kept {
            let other = BufId(self.nest.buffers.len() as u32);
            let names = (0..other.0).map(BufId);
            others.extend(
                names
                    .filter(|n| self.nest.root(*n) == *b)
                    .map(|n| (n, other)),
            );
            let old = self.nest.buffers[b.0 as usize].clone();
            let name = self.names.like(old.name);
            self.nest.buffers.push(Buffer { name, ..old });
        }
        others
    }

    /// What several iterations do from one on: loops that wait are shared.
    fn jammed(&mut self, body: &Block, waits: &Waits, (var, first): (Symbol, Nat)) -> Block {
        let mut shared: FxHashMap<Symbol, Symbol> = FxHashMap::default();
        walk::each_stmt(body, &mut |s| {
            let Stmt::For { var, extent, .. } = s else {
                return;
            };
            if !waits.loops.contains(var) && !waits.around.contains(var) {
                return;
            }
            let name = self.names.like(*var);
            self.facts.range(name, 0.into(), *extent - 1.into());
            shared.insert(*var, name);
            match waits.vectors {
                true => self.vectors.push(name),
                false if waits.neighbours || waits.around.contains(var) => {}
                false => drop(self.made.insert(name, waits.abreast as u32)),
            }
        });
        let mut declared = Vec::new();
        walk::each_stmt(body, &mut |s| declared.extend(walk::declared(s)));
        let kept = kept_by(body);
        let copies: Vec<Block> = (0..waits.abreast)
            .map(|u| {
                let others = self.others(if u > 0 { &kept } else { &[] });
                let mut copy = substituted(body, var, first + u.into(), self.facts);
                let new = |v: &Symbol| {
                    let name = shared.get(v).copied();
                    (*v, name.unwrap_or_else(|| self.names.like(*v)))
                };
                walk::rename(&mut copy, &declared.iter().map(new).collect());
                walk::with_others(&mut copy, &others);
                copy
            })
            .collect();
        side_by_side(
            &copies,
            &|s| matches!(s, Stmt::For { var, .. } if shared.values().any(|v| v == var)),
        )
    }
}

/// The arrays that an iteration keeps for itself.
fn kept_by(body: &Block) -> Vec<BufId> {
    let mut kept = Vec::new();
    walk::each_stmt(body, &mut |s| {
        if let Stmt::Alloc(b) = s {
            kept.push(*b);
        }
    });
    kept
}

/// Copies of a block, statement by statement; of some loops there is one.
fn side_by_side(copies: &[Block], is_shared: &dyn Fn(&Stmt) -> bool) -> Block {
    let mut made = Block::new();
    for (i, s) in copies[0].iter().enumerate() {
        match s {
            Stmt::For {
                var,
                extent,
                kind,
                note,
                ..
            } if is_shared(s) => {
                let bodies: Vec<Block> = (copies.iter())
                    .filter_map(|c| match &c[i] {
                        Stmt::For { body, .. } => Some(body.clone()),
                        _ => None,
                    })
                    .collect();
                made.push(Stmt::For {
                    var: *var,
                    extent: *extent,
                    kind: *kind,
                    body: side_by_side(&bodies, is_shared),
                    note: note.clone(),
                });
            }
            // What all of them choose alike.
            Stmt::If { cond, then, els }
                if walk::holds(then, is_shared) || walk::holds(els, is_shared) =>
            {
                let side = |of: fn(&Stmt) -> Option<&Block>| {
                    let all: Vec<Block> =
                        copies.iter().filter_map(|c| of(&c[i]).cloned()).collect();
                    side_by_side(&all, is_shared)
                };
                made.push(Stmt::If {
                    cond: cond.clone(),
                    then: side(|s| match s {
                        Stmt::If { then, .. } => Some(then),
                        _ => None,
                    }),
                    els: side(|s| match s {
                        Stmt::If { els, .. } => Some(els),
                        _ => None,
                    }),
                });
            }
            _ => made.extend(copies.iter().map(|c| c[i].clone())),
        }
    }
    made
}

/// The loops in an iteration whose steps wait for each other.
struct Waits {
    loops: FxHashSet<Symbol>,
    /// Loops around them, whose iterations need each other.
    around: FxHashSet<Symbol>,
    /// How many iterations at once keep a processor busy meanwhile.
    abreast: i64,
    /// Whether they compute vectors.
    vectors: bool,
    /// Whether all iterations share them, as what these read lies side by side.
    neighbours: bool,
}

impl Waits {
    /// All loops in a loop over a few columns, each of which goes over the rows: one loop reads them in one piece.
    fn of_neighbours(var: Symbol, extent: Nat, kind: LoopKind, body: &Block) -> Option<Waits> {
        let columns = extent.as_int().filter(|n| (2..=COLUMNS).contains(n))?;
        let mut loops = FxHashSet::default();
        let (mut statements, mut fits, mut side_by_side) = (0, true, false);
        for s in body {
            let Stmt::For {
                var: row,
                extent: rows,
                kind: of_rows @ (LoopKind::Seq | LoopKind::Par | LoopKind::Independent),
                body: of,
                ..
            } = s
            else {
                fits &= !matches!(s, Stmt::For { .. } | Stmt::If { .. });
                continue;
            };
            // Threads that have columns keep them, unless they have rows then.
            fits &= of_rows.is_par() || !kind.is_par();
            fits &= rows.as_int().is_none_or(|n| n > SHORT);
            fits &= !rows.vars().iter().any(|v| *v == var || declares(body, *v));
            fits &= settled(s).is_none() && seldom(s).is_none();
            walk::each_stmt(of, &mut |s| {
                statements += 1;
                fits &= !matches!(s, Stmt::For { .. } | Stmt::If { .. } | Stmt::Alloc(_));
                walk::each_load(s, &mut |_, (at, lanes)| {
                    fits &= lanes == 1;
                    let by = |v| at.coefficient(v).and_then(|n| n.as_int());
                    let next = by(*row).is_some_and(|n| n >= columns);
                    side_by_side |= by(var) == Some(1) && next;
                });
            });
            loops.insert(*row);
        }
        let few = statements * columns as usize <= STATEMENTS;
        (fits && few && side_by_side).then_some(Waits {
            loops,
            around: FxHashSet::default(),
            abreast: columns,
            vectors: false,
            neighbours: true,
        })
    }
}

/// Whether a variable is declared in a block.
fn declares(block: &Block, var: Symbol) -> bool {
    let mut found = false;
    walk::each_stmt(block, &mut |s| found |= walk::declared(s) == Some(var));
    found
}
