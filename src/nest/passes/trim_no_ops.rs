//! Trimming: iterations that change nothing are left out of a loop.
//!
//! Comes in: a nest; goes out: one in which a loop that does something only where a condition on indices holds runs between the bounds
//! outside of which that condition does not hold, as `solve` finds them. So a sum of `select (j <= i) x 0.0` over j ends with i. What an iteration does are its
//! assignments to variables from outside, and its stores; it changes nothing if, where the condition does not hold, each assigns what the variable is
//! anyway (`acc + 0.0`, where acc is never -0.0), or stores what lies there. Invariant: the other iterations, in their order; a choice
//! that the new bounds decide is made. Absent: conditions on data; short loops, which compilers unroll.

use super::decided::taken;
use super::fresh::Names;
use super::index_set_splitting::is_short;
use super::masks::Values;
use super::strip_mining::substituted;
use crate::arith::Nat;
use crate::index::Facts;
use crate::intern::Symbol;
use crate::nest::{walk, Block, BufId, Expr, ExprKind, LoopKind, Nest, Stmt};
use crate::scalar;
use crate::solve::{Interval, Side};
use crate::term::{Lit, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// Trims loops.
pub(super) fn trim(nest: &mut Nest, facts: &mut Facts) {
    let names = Names::of(nest);
    let mut body = std::mem::take(&mut nest.body);
    let mut values = Values::of(&nest.abi);
    let mut assigned: FxHashMap<Symbol, Vec<Expr>> = FxHashMap::default();
    walk::each_stmt(&body, &mut |s| {
        values.declare(s);
        if let Stmt::Let {
            var,
            value: Some(e),
            mutable: true,
            ..
        }
        | Stmt::Assign { var, value: e } = s
        {
            assigned.entry(*var).or_default().push(e.clone());
        }
    });
    let mut all = Trimming {
        names,
        nest,
        facts,
        values,
        assigned,
    };
    all.block(&mut body);
    nest.body = body;
}

struct Trimming<'a> {
    nest: &'a Nest,
    names: Names,
    facts: &'a mut Facts,
    values: Values,
    /// What variables that change are given.
    assigned: FxHashMap<Symbol, Vec<Expr>>,
}

/// What an iteration does to what is outside of it, and the conditions under which it does.
struct Effect<'a> {
    path: Vec<(&'a Expr, bool)>,
    value: &'a Expr,
    to: Place,
}

#[derive(Copy, Clone)]
enum Place {
    Variable(Symbol),
    Elements(BufId, Nat),
}

/// A condition, and what it is where nothing is done.
struct Guard {
    cond: Expr,
    idle: bool,
}

/// From the first value of a variable to the last; of what is not there, all.
type Bounds = (Option<Nat>, Option<Nat>);

impl Trimming<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut s in std::mem::take(block) {
            match &mut s {
                Stmt::For { var, extent, .. } => {
                    (self.facts).range(*var, 0.into(), *extent - 1.into());
                    let trimmed = self.trimmed(&mut s).is_some();
                    let Stmt::For {
                        var, extent, body, ..
                    } = &mut s
                    else {
                        continue;
                    };
                    if trimmed && extent.as_int() == Some(1) {
                        let mut once = substituted(body, *var, Nat::int(0), self.facts);
                        self.block(&mut once);
                        block.extend(once);
                        continue;
                    }
                    (self.facts).range(*var, 0.into(), *extent - 1.into());
                    self.block(body);
                }
                Stmt::If { then, els, .. } => {
                    self.block(then);
                    self.block(els);
                }
                _ => {}
            }
            block.push(s);
        }
    }

    fn trimmed(&mut self, s: &mut Stmt) -> Option<()> {
        let Stmt::For {
            var,
            extent,
            kind,
            body,
            ..
        } = s
        else {
            return None;
        };
        if is_short(*extent) || *kind == LoopKind::Lanes || has_own_memory(body) {
            return None;
        }
        let mut own = FxHashSet::from_iter([*var]);
        walk::each_stmt(body, &mut |s| own.extend(walk::declared(s)));
        let effects = self.effects(body, &own)?;
        let mut guards: Vec<Guard> = Vec::new();
        let mut outer: Option<Bounds> = None;
        for e in &effects {
            let (guard, bounds) = self.guard(e, &own, (*var, *extent))?;
            outer = Some(match outer {
                None => bounds,
                Some((low, high)) => (
                    low.zip(bounds.0).map(|(a, b)| self.facts.min(a, b)),
                    high.zip(bounds.1).map(|(a, b)| self.facts.max(a, b)),
                ),
            });
            guards.push(guard);
        }
        let (low, high) = outer?;
        let zero = Nat::int(0);
        let low = low.filter(|n| !self.facts.at_least(zero, *n));
        let end = high.map(|n| n + 1.into());
        let end = end.filter(|n| !self.facts.at_least(*n, *extent));
        if low.is_none() && end.is_none() {
            return None;
        }
        let first = low.map_or(zero, |n| self.facts.max(zero, n));
        let end = end.map_or(*extent, |n| self.facts.min(*extent, n));
        let count = self.facts.simplify(end - first);
        *extent = self.facts.max(zero, count);
        (self.facts).range(*var, first, end - 1.into());
        guards.iter().for_each(|g| self.decided(body, g));
        if first != zero {
            let from = self.names.like(*var);
            (self.facts).range(from, zero, *extent - 1.into());
            *body = substituted(body, *var, Nat::var(from) + first, self.facts);
            *var = from;
        }
        Some(())
    }

    /// What a body does; `None` where that is not said by values.
    fn effects<'a>(&self, body: &'a Block, own: &FxHashSet<Symbol>) -> Option<Vec<Effect<'a>>> {
        fn go<'a>(
            block: &'a Block,
            own: &FxHashSet<Symbol>,
            path: &mut Vec<(&'a Expr, bool)>,
            out: &mut Vec<Effect<'a>>,
        ) {
            for s in block {
                let (value, to) = match s {
                    Stmt::Assign { var, value } if !own.contains(var) => {
                        (value, Place::Variable(*var))
                    }
                    Stmt::Store {
                        buf, index, value, ..
                    } => (value, Place::Elements(*buf, *index)),
                    Stmt::For { body, .. } => {
                        go(body, own, path, out);
                        continue;
                    }
                    Stmt::If { cond, then, els } => {
                        for (holds, side) in [(true, then), (false, els)] {
                            path.push((cond, holds));
                            go(side, own, path, out);
                            path.pop();
                        }
                        continue;
                    }
                    _ => continue,
                };
                let path = path.clone();
                out.push(Effect { path, value, to });
            }
        }
        let mut out = Vec::new();
        go(body, own, &mut Vec::new(), &mut out);
        (!out.is_empty()).then_some(out)
    }

    /// A condition that has to hold if anything is done, and the values of a variable outside of which it does not.
    fn guard(
        &self,
        e: &Effect,
        own: &FxHashSet<Symbol>,
        (var, extent): (Symbol, Nat),
    ) -> Option<(Guard, Bounds)> {
        let mut found: Vec<Guard> = Vec::new();
        let mut add = |cond: &Expr, idle: bool| {
            let known = |g: &Guard| g.idle == idle && g.cond.same(cond);
            if !found.iter().any(known) {
                let cond = cond.clone();
                found.push(Guard { cond, idle });
            }
        };
        e.path.iter().for_each(|(c, holds)| add(c, !holds));
        self.conditions(e.value, own, &mut FxHashSet::default(), &mut |c| {
            add(c, false);
            add(c, true);
        });
        found.into_iter().find_map(|g| {
            let skipped = (e.path.iter()).any(|(c, holds)| *holds != g.idle && c.same(&g.cond));
            let idle = skipped || self.changes_nothing(e.value, e.to, own, &g);
            let bounds = idle.then(|| self.bounds(&g, own, (var, extent)))??;
            Some((g, bounds))
        })
    }

    /// Calls `f` on each condition that chooses in a value. What has a name is looked at once: names that are read twice would double
    /// what is behind them.
    fn conditions(
        &self,
        e: &Expr,
        own: &FxHashSet<Symbol>,
        seen: &mut FxHashSet<Symbol>,
        f: &mut dyn FnMut(&Expr),
    ) {
        e.visit(&mut |e| match e.kind() {
            ExprKind::Op(Op::Select, args) => f(&args[0]),
            ExprKind::Var(v) if own.contains(v) && seen.insert(*v) => {
                if let Some(e) = self.values.lets.get(v) {
                    self.conditions(e, own, seen, f);
                }
            }
            _ => {}
        });
    }

    /// The values of a variable between which a condition may be another one than where nothing is done.
    fn bounds(
        &self,
        g: &Guard,
        own: &FxHashSet<Symbol>,
        (var, extent): (Symbol, Nat),
    ) -> Option<Bounds> {
        let mut all: Vec<scalar::Expr> = Vec::new();
        for lane in 0..g.cond.shape().lanes {
            let mut truth = self.values.truth(self.facts, &g.cond, lane)?;
            if g.idle {
                truth = crate::simplify::build(scalar::Op::Not, &[truth]);
            }
            if !all.contains(&truth) {
                all.push(truth);
            }
        }
        let mut outer: Option<Bounds> = None;
        for truth in all {
            let vars: Vec<Nat> = truth.vars().into_iter().map(|v| Nat::var(v.0)).collect();
            if !vars.contains(&Nat::var(var)) {
                return None;
            }
            let of = [&vars[..], &[extent]].concat();
            let asked = (truth, Side::Outer);
            let Interval { lower, upper, .. } = (self.values).interval(self.facts, var, asked, &of);
            let side = |e: Option<scalar::Expr>| self.values.bound(self.facts, e?, own);
            let (low, high) = (side(lower), side(upper));
            outer = Some(match outer {
                None => (low, high),
                Some((a, b)) => (
                    a.zip(low).map(|(a, b)| self.facts.min(a, b)),
                    b.zip(high).map(|(a, b)| self.facts.max(a, b)),
                ),
            });
        }
        outer.filter(|b| b.0.is_some() || b.1.is_some())
    }

    // ---- what changes nothing

    /// What a variable stands for in an iteration: also what was read from outside, as nothing changes.
    fn value(&self, v: Symbol, own: &FxHashSet<Symbol>) -> Option<&Expr> {
        self.values.lets.get(&v).filter(|_| own.contains(&v))
    }

    /// Whether it is what lies there already, where a condition says that nothing is done.
    fn changes_nothing(&self, e: &Expr, to: Place, own: &FxHashSet<Symbol>, g: &Guard) -> bool {
        let same = |e: &Expr| self.changes_nothing(e, to, own, g);
        let is = |e: &Expr, n| self.is_number(e, n, own, g);
        match (e.kind(), to) {
            (ExprKind::Var(v), Place::Variable(own)) if *v == own => true,
            (ExprKind::Load(b, n), Place::Elements(buf, index)) => {
                let root = |b| self.nest.root(b);
                root(*b) == root(buf) && self.facts.simplify(*n - index) == Nat::int(0)
            }
            (ExprKind::Var(v), _) => self.value(*v, own).is_some_and(same),
            (ExprKind::Op(op, args), _) => match (op, &args[..]) {
                (Op::Select, [c, a, b]) => match c.same(&g.cond) {
                    true => same(if g.idle { a } else { b }),
                    false => same(a) && same(b),
                },
                (Op::Add, [a, b]) => {
                    let sum = |a: &Expr, b: &Expr| {
                        let whole =
                            e.shape().elem.is_int() || self.is_not_minus_zero(a, &mut Vec::new());
                        whole && is(b, 0) && same(a)
                    };
                    sum(a, b) || sum(b, a)
                }
                (Op::Sub, [a, b]) => is(b, 0) && same(a),
                (Op::Mul, [a, b]) => is(b, 1) && same(a) || is(a, 1) && same(b),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether it is a number, in all lanes; a zero has no sign.
    fn is_number(&self, e: &Expr, n: i64, own: &FxHashSet<Symbol>, g: &Guard) -> bool {
        let is = |e: &Expr| self.is_number(e, n, own, g);
        match e.kind() {
            ExprKind::Lit(l) => match *l {
                Lit::Int(m) => m == i128::from(n),
                Lit::F32(bits) => bits == (n as f32).to_bits(),
                Lit::F64(bits) => bits == (n as f64).to_bits(),
                _ => false,
            },
            ExprKind::Splat(e) => is(e),
            ExprKind::Build(all) => all.iter().all(is),
            ExprKind::Var(v) => self.value(*v, own).is_some_and(is),
            ExprKind::Op(Op::Select, args) => match args[0].same(&g.cond) {
                true => is(&args[if g.idle { 1 } else { 2 }]),
                false => is(&args[1]) && is(&args[2]),
            },
            _ => false,
        }
    }

    /// Whether a float is never -0.0: a sum is only if both operands are. `seen` are variables that are being asked about, which is
    /// an induction over what was assigned before.
    fn is_not_minus_zero(&self, e: &Expr, seen: &mut Vec<Symbol>) -> bool {
        match e.kind() {
            ExprKind::Lit(Lit::F32(bits)) => f32::from_bits(*bits).to_bits() != (-0.0f32).to_bits(),
            ExprKind::Lit(Lit::F64(bits)) => f64::from_bits(*bits).to_bits() != (-0.0f64).to_bits(),
            ExprKind::Splat(e) => self.is_not_minus_zero(e, seen),
            ExprKind::Build(all) => all.iter().all(|e| self.is_not_minus_zero(e, seen)),
            ExprKind::Op(Op::Add, args) => args.iter().any(|e| self.is_not_minus_zero(e, seen)),
            ExprKind::Op(Op::Select, args) => {
                args[1..].iter().all(|e| self.is_not_minus_zero(e, seen))
            }
            ExprKind::Var(v) if seen.contains(v) => true,
            ExprKind::Var(v) => match (self.values.lets.get(v), self.assigned.get(v)) {
                (Some(e), _) => self.is_not_minus_zero(e, seen),
                (None, Some(all)) => {
                    seen.push(*v);
                    all.iter().all(|e| self.is_not_minus_zero(e, seen))
                }
                (None, None) => false,
            },
            _ => false,
        }
    }

    /// Makes choices by a condition that the bounds of the loop decide.
    fn decided(&self, body: &mut Block, g: &Guard) {
        let mut lanes = 0..g.cond.shape().lanes;
        let always = lanes.all(|lane| {
            let Some(truth) = self.values.truth(self.facts, &g.cond, lane) else {
                return false;
            };
            let vars: Vec<Nat> = truth.vars().into_iter().map(|v| Nat::var(v.0)).collect();
            let mut simplifier = crate::simplify::Simplifier::shipped();
            simplifier.assume_all(&self.values.assumptions(self.facts, &vars));
            simplifier.prove(truth) == Some(!g.idle)
        });
        if !always {
            return;
        }
        walk::map_block(
            body,
            &mut |e| match e.same(&g.cond) && matches!(e.shape().lanes, 1) {
                true => Expr::bool(!g.idle),
                false => e.rewrite(&mut |e| match e.kind() {
                    ExprKind::Op(Op::Select, args) if args[0].same(&g.cond) => {
                        Some(args[if g.idle { 2 } else { 1 }].clone())
                    }
                    _ => None,
                }),
            },
            &mut |n| n,
        );
        *body = taken(std::mem::take(body));
    }
}

/// Whether memory is declared in a block.
fn has_own_memory(body: &Block) -> bool {
    let mut found = false;
    walk::each_stmt(body, &mut |s| found |= matches!(s, Stmt::Alloc(_)));
    found
}
