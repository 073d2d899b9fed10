//! Loop distribution: functions of what a loop reads are computed before steps that wait for each other.
//!
//! Comes in: a nest; goes out: one in which a loop in order, whose steps need functions that may be approximated of what it reads, goes
//! over strips: of each the functions first, by a loop that may have vectors, into a few numbers, then the steps. What is left of whole
//! strips is done so, too. Invariant: the same values, and the same order of steps; nothing is read that was not read in the same
//! iteration. Absent: functions of what steps hand on, or that a choice guards; vectors themselves (`outer_vectorization`).

use super::dce;
use super::effects::Touched;
use super::fresh::Names;
use super::outer_vectorization::has_lanes;
use super::strip_mining::substituted;
use super::Context;
use crate::arith::Nat;
use crate::index::Facts;
use crate::intern::Symbol;
use crate::nest::{walk, Block, BufId, Buffer, Expr, ExprKind, LoopKind, Nest, Stmt, StorageClass};
use crate::term::Op;

/// Iterations of a strip: some vectors of every machine.
const STRIP: i64 = 64;
/// Loops of no more iterations are left as they are.
const BRIEF: i64 = 7;
/// So many functions are computed before a loop, at most.
const MOST: usize = 4;

/// Computes functions before the steps that need them.
pub(super) fn distribute(nest: &mut Nest, cx: &mut Context) {
    if !cx.approximate {
        return;
    }
    let mut names = Names::of(nest);
    let mut body = std::mem::take(&mut nest.body);
    let before = nest.buffers.len();
    let mut pass = Pass {
        nest,
        facts: &mut *cx.facts,
        names: &mut names,
    };
    walk::replace(&mut body, &mut |s| pass.strips(s));
    nest.body = body;
    if nest.buffers.len() > before {
        // Each of two loops uses a part of what was declared for one.
        dce::eliminate(nest);
    }
}

struct Pass<'a> {
    nest: &'a mut Nest,
    facts: &'a mut Facts,
    names: &'a mut Names,
}

impl Pass<'_> {
    /// A loop as one over strips, and what is left of them.
    fn strips(&mut self, s: &Stmt) -> Option<Block> {
        let Stmt::For {
            var,
            extent,
            kind: LoopKind::Seq,
            body,
            note,
        } = s
        else {
            return None;
        };
        if self.facts.at_least(BRIEF.into(), *extent)
            || walk::holds(body, &|s| matches!(s, Stmt::For { .. } | Stmt::Alloc(_)))
            || has_lanes(self.nest, self.facts, (*var, body))
        {
            return None;
        }
        let work = Work::of(self.nest, body)?;
        let strip = Nat::int(extent.as_int().unwrap_or(STRIP).min(STRIP));
        let whole = self.facts.floor(*extent, strip);
        let left = self.facts.simplify(*extent - whole * strip);
        if (whole.as_int(), left.as_int()) == (Some(1), Some(0)) {
            return Some(self.apart(&work, body, (*var, 0.into(), strip), strip));
        }
        let outer = self.names.like(*var);
        self.facts.range(outer, 0.into(), whole - 1.into());
        let in_strip = self.apart(&work, body, (*var, Nat::var(outer) * strip, strip), strip);
        let over = Stmt::For {
            var: outer,
            extent: whole,
            kind: LoopKind::Seq,
            body: in_strip,
            note: note.clone(),
        };
        let mut all = vec![over];
        if left.as_int() != Some(0) {
            all.extend(self.apart(&work, body, (*var, whole * strip, left), strip));
        }
        Some(all)
    }

    /// So many iterations from one on: functions, then steps.
    fn apart(
        &mut self,
        work: &Work,
        body: &Block,
        (var, from, n): (Symbol, Nat, Nat),
        strip: Nat,
    ) -> Block {
        let at = self.names.like(var);
        self.facts.range(at, 0.into(), n - 1.into());
        let place = Nat::var(at);
        let mut stores = work.needed.clone();
        let mut buffers = Vec::new();
        for e in &work.values {
            let buf = BufId(self.nest.buffers.len() as u32);
            self.nest.buffers.push(Buffer {
                name: self.names.like(Symbol::new("strip0")),
                elem: e.shape().elem,
                len: strip,
                storage: StorageClass::Stack,
                alias: None,
            });
            buffers.push(buf);
            stores.push(Stmt::Store {
                buf,
                index: place,
                value: e.clone(),
                element: place,
                what: self.nest.kept(),
            });
        }
        let mut steps = body.clone();
        let mut with = |e: &Expr| {
            e.rewrite(&mut |e| {
                let i = work.values.iter().position(|v| v.same(e))?;
                Some(Expr::new(ExprKind::Load(buffers[i], place), e.shape()))
            })
        };
        walk::map_block(&mut steps, &mut with, &mut |n| n);
        let mut all: Block = buffers.iter().map(|b| Stmt::Alloc(*b)).collect();
        for part in [stores, steps] {
            let body = substituted(&part, var, from + place, self.facts);
            let made = Stmt::For {
                var: at,
                extent: n,
                kind: LoopKind::Seq,
                body,
                note: None,
            };
            all.push(self.names.renew(made, self.facts));
        }
        all
    }
}

/// What a body computes of what it reads alone.
struct Work {
    /// Values that need functions, each once.
    values: Vec<Expr>,
    /// What may have to be declared before them.
    needed: Block,
}

impl Work {
    fn of(nest: &Nest, body: &Block) -> Option<Work> {
        // What steps store or hand on, and variables that are made of such.
        let mut changing = Touched::default();
        for s in body {
            changing.add(&Touched::written(nest, s));
        }
        let mut work = Work {
            values: Vec::new(),
            needed: Vec::new(),
        };
        for s in body {
            if let (false, Some(e)) = (matches!(s, Stmt::If { .. }), walk::exprs(s)) {
                work.look((nest, &changing), e);
            }
            let once = walk::constant(s).is_some() || matches!(s, Stmt::Index { .. });
            match once && !Touched::read(nest, s).meets(&changing) {
                true => work.needed.push(s.clone()),
                false => walk::each_stmt(std::slice::from_ref(s), &mut |s| {
                    changing.vars.extend(walk::declared(s));
                }),
            }
        }
        let fits = (1..=MOST).contains(&work.values.len());
        fits.then_some(work)
    }

    /// Adds the largest parts of a value that call functions and need nothing that steps hand on. What a choice guards stays there.
    fn look(&mut self, of: (&Nest, &Touched), e: &Expr) {
        if !e.calls() || e.shape().lanes > 1 {
            return;
        }
        let elem = e.shape().elem;
        let (nest, changing) = of;
        let given = !Touched::by(nest, e).meets(changing);
        if given && elem.is_float() && !elem.is_half() {
            if !self.values.iter().any(|v| v.same(e)) {
                self.values.push(e.clone());
            }
            return;
        }
        match e.kind() {
            ExprKind::Op(Op::Select | Op::And | Op::Or, args) => self.look(of, &args[0]),
            _ => e.each_operand(&mut |a| self.look(of, a)),
        }
    }
}
