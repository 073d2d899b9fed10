//! Conditions: what is known of them, and what follows where they are assumed.
//!
//! In: conditions as values. Out: answers. Invariant: as of `known`. Absent: indices, which `known` compares.

use super::node::nats;
use super::rewrite::Rewrite;
use super::value::{Node, Values, V};
use crate::arith::{AtomKind, Nat};
use crate::intern::Symbol;
use crate::term::{Lit, Op};
use crate::ty::Scalar;
use indexmap::IndexSet;
use smallvec::SmallVec;
use std::rc::Rc;

/// How often what follows from conditions is asked for again.
const ROUNDS: u32 = 6;

impl Values {
    /// Whether a condition holds, as far as that is known.
    pub fn decide(&mut self, c: V) -> Option<bool> {
        if let Some(b) = self.known.truth(c.0) {
            return Some(b);
        }
        let (op, args) = match self.node(c) {
            Node::Lit(Lit::Bool(b), _) => return Some(*b),
            Node::Op(op, _, args) => (*op, SmallVec::<[V; 3]>::from_slice(args)),
            _ => return None,
        };
        match (op, &args[..]) {
            (Op::Not, [a]) => self.decide(*a).map(|b| !b),
            // One side that is neutral leaves the other, one that is not says all.
            (Op::And | Op::Or, [a, b]) => {
                let neutral = op == Op::And;
                match self.decide(*a) {
                    Some(holds) if holds == neutral => self.decide(*b),
                    Some(holds) => Some(holds),
                    None => self.decide(*b).filter(|holds| *holds != neutral),
                }
            }
            (_, [a, b]) => {
                let (a, b) = (self.exact_index(*a)?, self.exact_index(*b)?);
                let key = (c, self.known.state());
                if let Some(known) = self.decided.get(&key) {
                    return *known;
                }
                let answer = self.known.compare(op, a, b);
                self.decided.insert(key, answer);
                answer
            }
            _ => None,
        }
    }

    /// The side of choices that are decided.
    pub fn chosen(&mut self, v: V) -> V {
        let mut v = v;
        while let Node::Op(Op::Select, _, args) = self.node(v) {
            let [c, a, b] = args[..] else { break };
            match self.decide(c) {
                Some(true) => v = a,
                Some(false) => v = b,
                None => break,
            }
        }
        v
    }

    /// The index that an integer is, if it was converted without a change.
    fn exact_index(&mut self, v: V) -> Option<Nat> {
        match *self.node(v) {
            Node::Cast(a, Scalar::I64, to) => {
                let n = self.as_index(a)?;
                self.is_small(n, to).then_some(n)
            }
            Node::Lit(Lit::Int(n), of) if of.is_int() => Some(Nat::int(i64::try_from(n).ok()?)),
            _ => self.as_index(v),
        }
    }

    /// Whether a number is one of 32 bits with a sign: it is at most a size whose square counts no more than an array has elements, which
    /// are at most 2^60.
    fn is_small(&self, n: Nat, to: Scalar) -> bool {
        let fits = |count: &Nat| count.as_int().is_none_or(|n| n <= 1 << 60);
        // What no number is in comes first: it is asked once for all of them.
        let below_root = |size: Nat| {
            let mut counts = self.sizes.iter().copied().filter(fits);
            counts.any(|count| self.known.at_least(count, size * size))
                && self.known.at_least(size, n)
        };
        to.is_int()
            && to.bytes() >= 4
            && self.known.at_least(n, Nat::int(0))
            && self.sizes.iter().any(|size| below_root(*size))
    }

    /// From here on the condition holds, or does not.
    pub fn assume(&mut self, c: V, holds: bool) {
        self.known.assume_truth(c.0, holds);
        let Node::Op(op, _, args) = self.node(c).clone() else {
            return;
        };
        match (op, &args[..], holds) {
            (Op::Not, [a], _) => self.assume(*a, !holds),
            (Op::And, [a, b], true) | (Op::Or, [a, b], false) => {
                self.assume(*a, holds);
                self.assume(*b, holds);
            }
            (_, [a, b], _) => {
                if let (Some(a), Some(b)) = (self.as_index(*a), self.as_index(*b)) {
                    self.known.assume_compare(op, a, b, holds);
                }
            }
            _ => {}
        }
    }

    /// As [`Values::assume`]; with what equations say of variables, for values that are looked at there.
    pub fn assumed(&mut self, c: V, holds: bool, r: &mut Rewrite) {
        self.assume(c, holds);
        if holds {
            self.solve(c, r);
        }
    }

    fn solve(&mut self, c: V, r: &mut Rewrite) {
        match self.node(c).clone() {
            Node::Op(Op::And, _, args) => args.iter().for_each(|a| self.solve(*a, r)),
            Node::Op(Op::Eq, _, args) => {
                let (Some(a), Some(b)) = (self.as_index(args[0]), self.as_index(args[1])) else {
                    return;
                };
                // One variable after the other: what is said of the first stands in what is said of the next.
                let put = |n: Nat| n.subst_vars(&mut |s| r.vars.get(&s).copied());
                if let Some((v, n)) = self.known.solved(put(a), put(b)) {
                    r.vars.values_mut().for_each(|m| *m = m.subst_var(v, n));
                    r.vars.insert(v, n);
                }
                // What is left of the equation may leave one value to another variable.
                let mut others = Vec::new();
                (a - b).each_atom(&mut |atom| {
                    if let AtomKind::Var(v) = atom.kind() {
                        others.push(v);
                    }
                });
                for v in others {
                    if let Some(k) = self.known.fixed(v) {
                        r.vars
                            .values_mut()
                            .for_each(|m| *m = m.subst_var(v, Nat::int(k)));
                        r.vars.insert(v, Nat::int(k));
                        self.known.put(v, Nat::int(k));
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether a value is made of nothing that was not written, wherever holds what is assumed.
    pub fn is_defined(&mut self, v: V) -> bool {
        if !self.has_undefined(v) {
            return true;
        }
        match self.node(v).clone() {
            Node::Undef => {
                let mark = self.known.mark();
                let never = self.absurd();
                self.known.restore(mark);
                never
            }
            Node::Op(Op::Select, _, args) => {
                let ways = self.ways(args[0]);
                self.is_defined(args[0]) && ways.iter().all(|way| self.is_defined_where(way, v))
            }
            Node::Table(n, all) => (0..).zip(all.iter()).all(|(i, v)| {
                let c = self.compare(Op::Eq, n, Nat::int(i));
                self.decide(c) == Some(false) || self.is_defined_where(&[(c, true)], *v)
            }),
            Node::Op(_, _, args) => args.iter().all(|a| self.is_defined(*a)),
            Node::Cast(a, ..) | Node::Bits(a, ..) | Node::Clamp(a, _) => self.is_defined(a),
            Node::Fold(f) => {
                let mark = self.known.mark();
                let starts = f.starts.iter().all(|v| self.is_defined(*v));
                self.known.positive(f.n);
                let defined = starts && f.steps.iter().all(|v| self.is_defined(*v));
                self.known.restore(mark);
                defined
            }
            // If each element is at first, and what a step makes of such.
            Node::Tensor(t, ..) => t.parts.iter().all(|p| {
                let mark = self.known.mark();
                p.dims.iter().for_each(|d| self.known.positive(*d));
                let start = self.is_defined(p.start);
                self.known.positive(t.n);
                let defined = start && self.is_defined(p.step);
                self.known.restore(mark);
                defined
            }),
            _ => false,
        }
    }

    fn is_defined_where(&mut self, way: &[(V, bool)], v: V) -> bool {
        let mark = self.known.mark();
        let mut r = Rewrite::default();
        way.iter()
            .for_each(|(c, holds)| self.assumed(*c, *holds, &mut r));
        let looked_at = r.vars.is_empty() && !self.anew;
        let side = self.chosen(v);
        let defined = looked_at && self.is_defined(side) || {
            let before = self.anew;
            self.anew |= looked_at;
            let defined = self.rewrite(&mut r, v).is_ok_and(|v| self.is_defined(v));
            self.anew = before;
            defined
        };
        self.known.restore(mark);
        defined
    }

    /// A condition holds, or one part of it does not and those before it do.
    pub fn ways(&mut self, c: V) -> Vec<Vec<(V, bool)>> {
        let mut parts = Vec::new();
        let mut open = vec![c];
        while let Some(c) = open.pop() {
            match self.node(c).clone() {
                Node::Op(Op::And, _, args) => open.extend(args.iter().rev()),
                _ if self.decide(c) == Some(true) => {}
                _ => parts.push(c),
            }
        }
        let mut all = vec![parts
            .iter()
            .map(|c| (*c, true))
            .chain([(c, true)])
            .collect()];
        for (i, part) in parts.iter().enumerate() {
            let before = parts[..i].iter().map(|c| (*c, true));
            all.push(before.chain([(*part, false), (c, false)]).collect());
        }
        all
    }

    /// Whether there is no such case, where no point says that there is.
    pub fn never(&mut self) -> bool {
        if self.known.has_points() {
            return false;
        }
        let state = self.known.state();
        if let Some(known) = self.never.get(&state) {
            return *known;
        }
        let mark = self.known.mark();
        let never = self.absurd();
        self.known.restore(mark);
        self.never.insert(state, never);
        never
    }

    /// Whether what is assumed is seen to contradict itself. What follows from it is assumed, too, until it is forgotten.
    pub fn absurd(&mut self) -> bool {
        // All that is assumed is looked at.
        if self.spend(self.known.truths().len() as u64).is_err() {
            return false;
        }
        for _ in 0..ROUNDS {
            let mut progress = false;
            for (c, holds) in self.known.truths() {
                let Node::Op(op, _, args) = self.node(V(c)).clone() else {
                    continue;
                };
                // A conjunction that does not hold, or a disjunction that does: all but one are known to be no reason.
                let (Op::And | Op::Or, false) = (op, holds == (op == Op::And)) else {
                    continue;
                };
                let of: Vec<Option<bool>> = args.iter().map(|a| self.decide(*a)).collect();
                match of[..] {
                    [Some(a), Some(b)] if a != holds && b != holds => return true,
                    [Some(a), None] if a != holds => self.assume(args[1], holds),
                    [None, Some(b)] if b != holds => self.assume(args[0], holds),
                    _ => continue,
                }
                progress = true;
            }
            if !progress {
                break;
            }
        }
        // A comparison that is assumed, and decided the other way by what is known of its sides.
        let decided = self.known.truths().into_iter().any(|(c, holds)| {
            let Node::Op(op, _, args) = self.node(V(c)) else {
                return false;
            };
            let sides = match args[..] {
                [a, b] => self.as_index(a).zip(self.as_index(b)),
                _ => None,
            };
            sides.and_then(|(a, b)| self.known.compare(*op, a, b)) == Some(!holds)
        });
        decided || self.known.contradicts() || self.is_otherwise()
    }

    /// A variable of few values in a condition of data that is assumed, and between which numbers it is.
    pub fn few_values(&self) -> Option<(Symbol, i64, i64)> {
        let of_data = |c: V| match self.node(c) {
            Node::Op(Op::Eq | Op::Ne | Op::Lt | Op::Le, _, args) => {
                args.iter().any(|a| self.as_index(*a).is_none())
            }
            _ => false,
        };
        self.known.truths().into_iter().find_map(|(c, _)| {
            let vars = of_data(V(c)).then(|| self.variables_in(V(c)))?;
            let few = |v: &Symbol| self.known.few(*v).map(|(lo, hi)| (*v, lo, hi));
            vars.iter().find_map(few)
        })
    }

    /// The variables in a value, in the order in which they stand in it; they are looked for once.
    fn variables_in(&self, v: V) -> Rc<[Symbol]> {
        if let Some(known) = self.variables.borrow().get(&v) {
            return Rc::clone(known);
        }
        let mut all = IndexSet::new();
        self.visit(v, &mut |_, n| {
            nats(n).for_each(|n| all.extend(n.vars().iter().copied()));
        });
        let all: Rc<[Symbol]> = all.into_iter().collect();
        self.variables.borrow_mut().insert(v, Rc::clone(&all));
        all
    }

    /// Whether a condition of data that is assumed is a constant, and another one, by what numbers are by now.
    fn is_otherwise(&mut self) -> bool {
        let before = std::mem::replace(&mut self.anew, true);
        let found = self.known.truths().into_iter().any(|(c, holds)| {
            let of_data = match self.node(V(c)) {
                Node::Op(_, _, args) => args.iter().any(|a| self.as_index(*a).is_none()),
                _ => false,
            };
            let other = of_data.then(|| self.refresh(V(c)));
            let Some(Ok(now)) = other else { return false };
            matches!(self.node(now), Node::Lit(Lit::Bool(b), _) if *b != holds)
        });
        self.anew = before;
        found
    }
}
